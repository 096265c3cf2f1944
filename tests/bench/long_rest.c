// SPDX-License-Identifier: MIT
// long-rest [--minutes M] [--settle S] [--set KEY=VALUE]... SCENE...: runs a scene to its end, then
// holds all its goals at their present places and turns its recorded motion off. It settles for S
// (10) s. Prints the largest drift of a joint's reference and of its measured coordinates in the M
// (30) minutes after that, rad or m, and ends with 1 if a drift exceeds 1e-3. The drift of a
// quaternion is the largest change of its numbers. Joints that move no point are skipped.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poise/simulation.h"

#define MOST 1e-3

enum { MOST_SETTINGS = 8 };

/// The coordinates of all joints: reference, then measured.
typedef struct Postures {
    double* numbers;
    int count; ///< number of joints
} Postures;

static void read_postures(const PoiseSimulation* simulation, Postures* postures) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    for (int i = 0; i < postures->count; i++) {
        const PoiseJointView joint = poise_simulation_joint(simulation, i);
        double* at = &postures->numbers[(size_t)i * 2 * POISE_MAX_NQ];
        if (poise_node_points(tree, joint.node, NULL, 0) == 0) {
            // a joint without a point is free, and may swing
            continue;
        }
        memcpy(at + POISE_MAX_NQ, joint.q, sizeof joint.q);
        poise_node_posture(tree, joint.node, at);
    }
}

// Adds the drifts from the first to the second; writes the name of the joint that drifts most.
static void add_drifts(const PoiseSimulation* simulation, const Postures* first,
                       const Postures* second, double drifts[2], const char** name) {
    for (int i = 0; i < first->count; i++) {
        for (int k = 0; k < 2 * POISE_MAX_NQ; k++) {
            const size_t at = (size_t)i * 2 * POISE_MAX_NQ + (size_t)k;
            const double drift = fabs(second->numbers[at] - first->numbers[at]);
            if (drift > fmax(drifts[0], drifts[1])) {
                *name = poise_simulation_joint(simulation, i).name;
            }
            drifts[k / POISE_MAX_NQ] = fmax(drifts[k / POISE_MAX_NQ], drift);
        }
    }
}

static bool hold_goals(PoiseSimulation* simulation) {
    // a recorded motion would move the natural posture
    const int blend = poise_simulation_find_parameter(simulation, "motion.blend");
    bool fine = blend < 0 || poise_simulation_set_parameter(simulation, blend, 0.0) >= 0;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        fine = fine &&
               (!view.has_position ||
                poise_simulation_hold_goal(simulation, i, view.goal_world.p) >= 0) &&
               (!view.turns || poise_simulation_hold_turn(simulation, i, view.goal_world.q) >= 0);
    }
    return fine;
}

static bool run_until(PoiseSimulation* simulation, double time) {
    bool fine = true;
    while (fine && poise_simulation_time(simulation) < time) {
        fine = poise_simulation_step(simulation) >= 0;
    }
    if (!fine) {
        printf(" %s\n", poise_simulation_trouble(simulation));
    }
    return fine;
}

static bool rests(PoiseSimulation* simulation, double settling, double seconds) {
    Postures first = {.count = poise_simulation_joint_count(simulation)};
    Postures now = first;
    const size_t size = (size_t)first.count * 2 * POISE_MAX_NQ;
    first.numbers = calloc(size + 1, sizeof *first.numbers);
    now.numbers = calloc(size + 1, sizeof *now.numbers);
    double drifts[2] = {0.0, 0.0};
    const char* name = "-";
    const double end = poise_simulation_scene(simulation)->seconds;
    const double start = end + settling;
    bool fine = first.numbers && now.numbers && run_until(simulation, end) &&
                hold_goals(simulation) && run_until(simulation, start);
    if (fine) {
        read_postures(simulation, &first);
    }
    for (double time = start + 1.0; fine && time <= start + seconds; time += 1.0) {
        fine = run_until(simulation, time);
        read_postures(simulation, &now);
        add_drifts(simulation, &first, &now, drifts, &name);
    }
    if (fine) {
        printf(" %.2e | %.2e | %s |\n", drifts[0], drifts[1], name);
    }
    free(first.numbers);
    free(now.numbers);
    return fine && fmax(drifts[0], drifts[1]) <= MOST;
}

int main(int argc, char** argv) {
    double seconds = 1800.0, settling = 10.0;
    const char* settings[MOST_SETTINGS];
    int setting_count = 0;
    bool fine = argc > 1;
    printf("| scene | reference | measured | joint |\n| --- | --- | --- | --- |\n");
    for (int i = 1; i < argc; i++) {
        const bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--minutes") == 0 && has_value) {
            seconds = 60.0 * atof(argv[++i]);
            continue;
        }
        if (strcmp(argv[i], "--settle") == 0 && has_value) {
            settling = atof(argv[++i]);
            continue;
        }
        if (strcmp(argv[i], "--set") == 0 && has_value && setting_count < MOST_SETTINGS) {
            settings[setting_count++] = argv[++i];
            continue;
        }
        PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
        const PoiseSceneSource source = {
            .path = argv[i], .overrides = settings, .override_count = setting_count};
        PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
        PoiseSimulation* simulation = scene ? poise_simulation_create(scene, diagnostics) : NULL;
        const char* slash = strrchr(argv[i], '/');
        printf("| %s |", slash ? slash + 1 : argv[i]);
        fine = simulation && rests(simulation, settling, seconds) && fine;
        fflush(stdout);
        poise_simulation_destroy(simulation);
        poise_scene_destroy(scene);
        poise_diagnostics_destroy(diagnostics);
    }
    return fine ? 0 : 1;
}
