// SPDX-License-Identifier: MIT
// Compares robots with MuJoCo, if it is installed: the places of links in random postures, masses,
// and the limits and torques of joints.
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mesh.h"
#include "mujoco_gaps.h"
#include "running.h"

typedef struct Precision {
    double mass;   ///< relative
    double centre; ///< m
} Precision;

static void expect(const char* file, const char* what, const MujocoGap* gap, double most) {
    cr_expect(gap->worst <= most, "%s: %s of %s is off by %g: %.12g, in MuJoCo %.12g", file, what,
              gap->name, gap->worst, gap->ours, gap->theirs);
}

// Compares the file in both programs. Returns the number of joints with a torque limit; -1 if
// MuJoCo does not read the file.
static int compare(const char* file, Precision precision) {
    Loaded loaded = load_file(file);
    PoiseSimulation* simulation = run(loaded).simulation;
    char text[2000];
    cr_assert_not_null(simulation, "%s: %s", file, findings(&loaded, text, sizeof text));
    MujocoGaps gaps;
    const bool read = mujoco_gaps(file, simulation, &gaps, text, sizeof text);
    cr_expect(read, "%s: MuJoCo: %s", file, text);
    if (read) {
        expect(file, "the place", &gaps.place, 1e-12);
        expect(file, "the turn", &gaps.turn, 1e-10);
        expect(file, "the mass", &gaps.mass, precision.mass);
        expect(file, "the centre of mass", &gaps.centre, precision.centre);
        expect(file, "the inertia", &gaps.inertia, fmax(1e-6, precision.mass));
        expect(file, "the range", &gaps.range, 1e-12);
        expect(file, "the torque limit", &gaps.strength, 1e-12);
        cr_expect(gaps.links > 0, "%s: no link was compared", file);
    }
    return read ? gaps.limited : -1;
}

static const Precision exact = {1e-9, 1e-9};
// points of meshes are stored in single precision
static const Precision single = {1e-6, 1e-8};

Test(mjcf_oracle, our_models_are_where_mujoco_has_it) {
    compare(POISE_SOURCE_DIR "/tests/scenes/figure.xml", exact);
    if (has_meshes()) {
        compare(POISE_SOURCE_DIR "/tests/scenes/models/tour.xml", single);
    }
}

// The first comment of each file names the public files that it imitates.
Test(mjcf_oracle, files_in_the_style_of_public_ones_are_as_mujoco_has_them) {
    static const char folder[] = POISE_SOURCE_DIR "/tests/scenes/models/public";
    DIR* files = opendir(folder);
    int compared = 0;
    cr_assert_not_null(files, "%s", folder);
    for (const struct dirent* entry = readdir(files); entry; entry = readdir(files)) {
        const char* ending = strrchr(entry->d_name, '.');
        const bool robot = ending && (strcmp(ending, ".xml") == 0 || strcmp(ending, ".urdf") == 0);
        if (robot && (poise__mesh_is_built() || !strstr(entry->d_name, "mesh"))) {
            char path[600];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            compare(path, strstr(entry->d_name, "mesh") ? single : exact);
            compared++;
        }
    }
    closedir(files);
    cr_expect(compared >= 20, "%d files", compared);
}

// Returns false and skips the test if there are no robots.
static bool has_data(void) {
    FILE* file = fopen(POISE_TEST_DATA "/robots/humanoid.mjcf.xml", "r");
    if (!file) {
        cr_skip("POISE_TEST_DATA has no robots");
        return false;
    }
    fclose(file);
    return has_meshes();
}

Test(mjcf_oracle, public_robots_are_where_mujoco_has_them) {
    static const struct {
        const char* file;
        int limited; ///< joints with a torque limit
        /// A mesh has the mass of its hull here and in MuJoCo 3. In MuJoCo 2.2.2 it has that of the
        /// box with the same inertia, which is 0.06 % less for the only meshes with mass.
        Precision precision;
    } rows[] = {
        {"humanoid.mjcf.xml", 21, {1e-9, 1e-9}},
        {"real/agility_cassie/cassie.xml", 10, {1e-9, 1e-9}},
        {"real/agility_cassie/scene.xml", 10, {1e-9, 1e-9}},
        {"real/anybotics_anymal_c/anymal_c.xml", 12, {1e-9, 1e-9}},
        {"real/anybotics_anymal_c/scene.xml", 12, {1e-9, 1e-9}},
        {"real/dm_humanoid_CMU/humanoid_CMU.xml", 56, {1e-9, 1e-9}},
        {"real/robotiq_2f85/2f85.xml", 2, {1e-3, 2e-5}},
        {"real/robotiq_2f85/scene.xml", 2, {1e-3, 2e-5}},
        {"real/shadow_hand/left_hand.xml", 24, {1e-9, 1e-9}},
        {"real/shadow_hand/right_hand.xml", 24, {1e-9, 1e-9}},
        {"real/shadow_hand/scene_left.xml", 24, {1e-9, 1e-9}},
        {"real/shadow_hand/scene_right.xml", 24, {1e-9, 1e-9}},
        {"allegro_right.urdf", 0, {1e-9, 1e-9}},
        {"iiwa14.urdf", 0, {1e-9, 1e-9}},
        {"ur5e.urdf", 0, {1e-9, 1e-9}},
        {"real/panda_description/urdf/panda.urdf", 0, {1e-9, 1e-9}},
        {"real/ur_description/ur5_robot.urdf", 0, {1e-9, 1e-9}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && has_data(); i++) {
        char path[400];
        snprintf(path, sizeof path, "%s/robots/%s", POISE_TEST_DATA, rows[i].file);
        int limited = compare(path, rows[i].precision);
        cr_expect(limited == rows[i].limited, "%s: %d joints have a torque limit, not %d",
                  rows[i].file, limited, rows[i].limited);
    }
}
