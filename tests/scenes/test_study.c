// SPDX-License-Identifier: MIT
// Studies: their faults are reported with places, and the files of their runs are listed.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "poise/study.h"
#include "program.h"

// ------------------------------------------------------------------------------- a study's file

typedef struct Fault {
    const char* study; ///< text after `sweep: 1`
    const char* says[2];
} Fault;

#define WHOLE      "scene: arm.yaml\nfigures: [tip.error]\n"
#define SPRING     "joints.hip.ik.spring"
#define VARY(what) WHOLE "vary: {" SPRING ": " what "}\n"

static const Fault faults[] = {
    {WHOLE "vary: 3\n", {"study.yaml:4:7", "a map of keys is due"}},
    {WHOLE, {"no key is varied"}},
    {"scene: arm.yaml\nfigures: tip\t.error\nvary: {" SPRING ": [1, 2]}\n",
     {"study.yaml:3:", "the control character U+0009"}},
    {"figures: [tip.error]\nvary: {" SPRING ": [1, 2]}\n", {"no scene is named"}},
    {"scene: arm.yaml\nvary: {" SPRING ": [1, 2]}\n", {"no figures are kept"}},
    {"scene: arm.yaml\nfigures: []\nvary: {" SPRING ": [1]}\n", {"study.yaml:3:10", "figures"}},
    {"scene: arm.yaml\nfigures: {a: 1}\nvary: {" SPRING ": [1]}\n", {"study.yaml:3:10", "figures"}},
    {VARY("[]"), {"study.yaml:4:30", "empty"}},
    {VARY("[1, {a: 2}]"), {"study.yaml:4:34", "a scalar or a list of them"}},
    {VARY("[[1, [2]]]"), {"study.yaml:4:35", "a scalar or a list of them"}},
    {VARY("{from: 1, to: 2, count: 2.5}"), {"study.yaml:4", "a whole number of values"}},
    {VARY("{from: 1, to: 2, count: 0}"), {"study.yaml:4", "1"}},
    {VARY("{from: 1, to: x, count: 2}"), {"study.yaml:4", "number"}},
    {VARY("{from: [1], to: 2, count: 2}"), {"study.yaml:4", "number"}},
    {VARY("{from: 0, to: 2, count: 3, scale: log}"), {"study.yaml:4", "above 0"}},
    {VARY("{from: 1, to: -2, count: 3, scale: log}"), {"study.yaml:4", "above 0"}},
    {VARY("{from: 1, to: 2, count: 3, scale: cubic}"), {"study.yaml:4", "linear or log"}},
    {VARY("{from: 1, to: 2}"), {"study.yaml:4:30", "draw"}},
    {VARY("{from: 1, count: 2}"), {"study.yaml:4:30", "draw"}},
    {VARY("{to: 1, count: 2}"), {"study.yaml:4:30", "draw"}},
    {VARY("{draw: [1, 2], from: 3}"), {"study.yaml:4:30", "draw"}},
    {VARY("{draw: [1, 2], to: 3}"), {"study.yaml:4:30", "draw"}},
    {VARY("{draw: [1]}"), {"study.yaml:4:30", "draw"}},
    {VARY("{draw: 1}"), {"study.yaml:4:30", "draw"}},
    {VARY("{draw: [1, a]}"), {"study.yaml:4", "number"}},
    {VARY("{draw: [0, 1], scale: log}"), {"study.yaml:4", "both ends must be above 0"}},
    {VARY("1:2"), {"study.yaml:4:30", "draw"}},
    {VARY("1:2:3:4"), {"study.yaml:4:30", "draw"}},
    {VARY("0:2:3:log"), {"study.yaml:4:30", "above 0"}},
    {VARY("1:2:2.5"), {"study.yaml:4", "a whole number of values"}},
    {VARY("1:2:0:log"), {"study.yaml:4", "a whole number of values, 1 to 1000000"}},
    {VARY(""), {"study.yaml:4", "draw"}},
    {WHOLE "vary: {" SPRING ": 1:2:1000000, joints.hip.ik.damper: 1:2:1000000}\n",
     {"more than 1e9 runs"}},
    {WHOLE "very: 3\n", {"study.yaml:4:1", "did you mean 'vary'"}},
    {WHOLE "seconds: -1\nvary: {" SPRING ": [1]}\n", {"study.yaml:4:10"}},
    {WHOLE "draws: 0\nvary: {" SPRING ": [1]}\n", {"study.yaml:4:8"}},
    {WHOLE "vary: {" SPRING ": [1\n", {"study.yaml", "YAML"}},
    {WHOLE "seed: -1\nvary: {" SPRING ": [1]}\n", {"study.yaml:4:7"}},
    {"scene: arm.yaml\nvary: {" SPRING ": [1]}\nfigures: [cost.ik_us]\n",
     {"study.yaml:4:11", "what a run costs"}},
};

// Reads study.yaml, with `sweep: 1` before the text, and expects that it is refused. Writes the
// findings to `said`.
static void refuse(const char* text, char* said, size_t capacity) {
    static char whole[1200];
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    snprintf(whole, sizeof whole, "sweep: 1\n%s", text);
    write_scratch("study.yaml", whole);
    const PoiseStudySource source = {.path = "study.yaml"};
    PoiseStudy* study = poise_study_load(&source, diagnostics);
    cr_expect_null(study, "%s", text);
    poise_study_destroy(study);
    said[0] = '\0';
    for (int i = 0; i < poise_diagnostics_size(diagnostics); i++) {
        const PoiseDiagnostic one = poise_diagnostics_at(diagnostics, i);
        const char* slash = strrchr(one.mark.file, '/');
        const size_t size = strlen(said);
        snprintf(said + size, capacity - size, "%s:%d:%d %s\n", slash ? slash + 1 : one.mark.file,
                 one.mark.line, one.mark.column, one.text);
    }
    poise_diagnostics_destroy(diagnostics);
}

SCRATCH_TEST(study, faults_of_a_study_are_shown_with_their_place) {
    static char said[4000];
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        refuse(faults[i].study, said, sizeof said);
        for (int k = 0; k < 2 && faults[i].says[k]; k++) {
            cr_expect_not_null(strstr(said, faults[i].says[k]), "%s: no '%s' in: %s",
                               faults[i].study, faults[i].says[k], said);
        }
    }
}

SCRATCH_TEST(study, a_value_that_is_too_long_is_refused) {
    static char text[900];
    static char said[4000];
    size_t length = (size_t)snprintf(text, sizeof text, WHOLE "vary: {" SPRING ": [[1");
    while (length < 600) {
        length += (size_t)snprintf(text + length, sizeof text - length, ", 1");
    }
    (void)snprintf(text + length, sizeof text - length, "]]}\n");
    refuse(text, said, sizeof said);
    EXPECT_HAS(said, "too long");
}

// ---------------------------------------------------------------------------------- its files

static void write_robot(const char* name, int mass) {
    char text[400];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='%d'/><inertia "
             "ixx='1' iyy='1' izz='1'/></inertial></link><joint name='j' type='continuous'><parent "
             "link='a'/><child link='b'/></joint></robot>",
             mass);
    write_scratch(name, text);
}

// Returns the fingerprint of a study over two robots.
static uint64_t fingerprint_of_robots(void) {
    const char* const settings[] = {"scene=s.yaml", "seconds=0.02",
                                    "vary.robots.r.urdf=[one.urdf, two.urdf]", "figures=time"};
    const PoiseStudySource source = {.settings = settings, .setting_count = 4};
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    PoiseStudy* study = poise_study_load(&source, diagnostics);
    cr_assert_not_null(study);
    const uint64_t fingerprint = poise_study_fingerprint(study);
    poise_study_destroy(study);
    poise_diagnostics_destroy(diagnostics);
    return fingerprint;
}

// Rows of two versions of a robot must not make one table.
SCRATCH_TEST(study, its_fingerprint_covers_the_files_of_all_runs) {
    static const char* const files[] = {"one.urdf", "two.urdf"};
    write_scratch("s.yaml", "poise: 1\nrobots: {r: {urdf: one.urdf}}\n");
    write_robot("one.urdf", 1);
    write_robot("two.urdf", 1);
    const uint64_t before = fingerprint_of_robots();
    for (int i = 0; i < 2; i++) {
        write_robot(files[i], 9);
        cr_expect_neq(fingerprint_of_robots(), before, "%s", files[i]);
        write_robot(files[i], 1);
    }
    cr_expect_eq(fingerprint_of_robots(), before);
}

// A robot's file is saved during the runs.
SCRATCH_TEST(study, a_file_that_changes_ends_the_study) {
    write_robot("one.urdf", 1);
    write_scratch("s.yaml", "poise: 1\nrobots: {r: {urdf: one.urdf}}\n");
    const char* const settings[] = {"scene=s.yaml", "seconds=0.02", "vary.world.step=0.01",
                                    "figures=energy.kinetic"};
    const PoiseStudySource source = {.settings = settings, .setting_count = 4};
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    PoiseStudy* study = poise_study_load(&source, diagnostics);
    PoiseStudyRow row = {.status = ""};
    cr_assert_not_null(study);
    cr_expect_eq(poise_study_run(study, 0, &row), POISE_OK);
    write_robot("one.urdf", 9);
    cr_expect_eq(poise_study_run(study, 0, &row), POISE_ERROR_STALE);
    EXPECT_HAS(row.reason, "one.urdf' was changed after the study was read");
    write_robot("one.urdf", 1);
    cr_expect_eq(poise_study_run(study, 0, &row), POISE_OK);
    poise_study_destroy(study);
    poise_diagnostics_destroy(diagnostics);
}

// A study's scene is a foreign file: its text is not shown, and trust bounds its place.
SCRATCH_TEST(study, a_scene_that_its_file_names_is_a_foreign_file) {
    static const char* const says[] = {"'/etc/passwd' is no scene",
                                       "lies outside of this file's folder"};
    write_scratch("study.yaml", "sweep: 1\nscene: /etc/passwd\nvary: {world.step: [0.01]}\n"
                                "figures: [energy.kinetic]\n");
    for (int i = 0; i < 2; i++) {
        const PoiseStudySource source = {.path = "study.yaml",
                                         .trust = i == 0 ? POISE_TRUST_ALL : POISE_TRUST_FOLDER};
        PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
        PoiseStudy* study = poise_study_load(&source, diagnostics);
        PoiseStudyRow row = {.status = ""};
        cr_assert_not_null(study);
        cr_expect_eq(poise_study_run(study, 0, &row), POISE_OK);
        cr_expect(strcmp(row.status, "refused") == 0 && strstr(row.reason, says[i]), "%s",
                  row.reason);
        poise_study_destroy(study);
        poise_diagnostics_destroy(diagnostics);
    }
}
