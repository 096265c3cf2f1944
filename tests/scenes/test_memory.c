// SPDX-License-Identifier: MIT
// Lets each allocation of the library fail in its turn. The results must equal those with enough
// memory, or an error must say that memory is short. No result may be partial. The program's
// commands, robots, meshes and motions: `allocations`.
#include <criterion/criterion.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fail_allocation.h"
#include "poise/report.h"
#include "poise/simulation.h"
#include "poise/study.h"

enum { TEXT = 1 << 20, SAID = 4000 };

/// The result of one call.
typedef struct Outcome {
    bool done;
    char said[SAID]; ///< findings, or the reason for which the call failed
    char text[TEXT]; ///< the result of the call in words
} Outcome;

typedef void Trial(Outcome* outcome);

// Allocates for ODE without failing: ODE does not check its allocations (poise/ode_memory.h does).
static void* ode_allocate(dsizeint size) {
    return allocate_always(size);
}

static void* ode_reallocate(void* memory, dsizeint old_size, dsizeint size) {
    void* moved = allocate_always(size);
    if (moved && memory) {
        memcpy(moved, memory, old_size < size ? old_size : size);
        free(memory);
    }
    return moved;
}

static void ode_release(void* memory, dsizeint size) {
    (void)size;
    free(memory);
}

void* test_cpp_new(size_t size) __asm__("_Znwm") __attribute__((visibility("default")));
void* test_cpp_new(size_t size) {
    return allocate_always(size);
}

// Writes the findings without the source lines.
static void take_findings(const PoiseDiagnostics* diagnostics, Outcome* outcome) {
    size_t used = 0;
    for (int i = 0; i < poise_diagnostics_size(diagnostics) && used < SAID; i++) {
        const PoiseDiagnostic finding = poise_diagnostics_at(diagnostics, i);
        const int more = snprintf(outcome->said + used, SAID - used, "%d:%d: %s\n",
                                  finding.mark.line, finding.mark.column, finding.text);
        used += more > 0 ? (size_t)more : 0;
    }
}

// Fails the n-th allocation of each call. n runs from 1 to 10, then grows by about 10 % each time;
// the last eight values, at which findings are added, are all taken. POISE_WHOLE in the environment
// lets n take each value (tests/nightly 3).
static void fail_each(const char* name, Trial* trial) {
    static Outcome whole, now;
    dSetAllocHandler(ode_allocate);
    dSetReallocHandler(ode_reallocate);
    dSetFreeHandler(ode_release);
    memset(&whole, 0, sizeof whole);
    // the first call makes the objects that are made once and kept
    trial(&whole);
    memset(&whole, 0, sizeof whole);
    (void)fail_allocation_in(0);
    trial(&whole);
    const long count = fail_allocation_in(0);
    cr_assert(count > 0 && whole.done, "%s: %ld allocations: %s", name, count, whole.said);
    int failed = 0;
    const bool whole_run = getenv("POISE_WHOLE") != NULL;
    long step = 1;
    for (long n = 1; n <= count; n += step) {
        const long last = count - 7;
        step = whole_run || n >= last ? 1 : 1 + n / 10;
        step = n < last && n + step > last ? last - n : step;
        memset(now.said, 0, sizeof now.said);
        memset(now.text, 0, sizeof now.text);
        now.done = false;
        (void)fail_allocation_in(n);
        trial(&now);
        (void)fail_allocation_in(0);
        if (now.done) {
            cr_expect_str_eq(now.said, whole.said, "%s, allocation %ld of %ld: '%.300s'", name, n,
                             count, now.said);
            cr_expect_str_eq(now.text, whole.text, "%s, allocation %ld of %ld: '%.300s'", name, n,
                             count, now.text);
        } else {
            cr_expect(strstr(now.said, "memory"), "%s, allocation %ld of %ld: '%s'", name, n, count,
                      now.said);
            failed++;
        }
    }
    cr_expect_gt(failed, 0, "%s: no allocation was missed", name);
}

static PoiseDiagnostics* find_with(Outcome* outcome) {
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    if (!diagnostics) {
        snprintf(outcome->said, SAID, "no memory");
    }
    return diagnostics;
}

static void say_short(Outcome* outcome) {
    outcome->done = false;
    snprintf(outcome->said, SAID, "no memory");
}

static void load(const PoiseSceneSource* source, Outcome* outcome) {
    PoiseDiagnostics* diagnostics = find_with(outcome);
    PoiseScene* scene = diagnostics ? poise_scene_load_source(source, diagnostics) : NULL;
    if (diagnostics) {
        take_findings(diagnostics, outcome);
    }
    if (scene) {
        outcome->done = true;
        snprintf(outcome->text, TEXT, "%d bodies, %d joints, %d points", scene->body_count,
                 scene->joint_count, scene->point_count);
    }
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(diagnostics);
}

// every section of the format, with merges, patterns, a mirror and a look; the wrist, which moves
// no point, gives a note that must not be lost
static const char every_section[] =
    "poise: 1\n"
    "title: all of it\n"
    "seconds: 0.1\n"
    "defaults: {joint: {ik: {spring: 600, damper: 40}}}\n"
    "bodies:\n"
    "  upper: &limb {capsule: 0.04, from: [0, 0, 1.4], to: [0, 0, 1.1]}\n"
    "  lower: {<<: *limb, from: [0, 0, 1.1], to: [0, 0, 0.8]}\n"
    "  box: {box: [0.1, 0.1, 0.1], at: [1, 0, 0.05]}\n"
    "  hook: {box: [0.1, 0.1, 0.1], at: [0, 0, 0.75]}\n"
    "world: {ground: {height: 0}}\n"
    "joints:\n"
    "  shoulder: {ball: [0, 0, 1.4], between: [world, upper], limits: {swing: 1.4, twist: 0.5}}\n"
    "  elbow: {hinge: [0, 0, 1.1], axis: [0, -1, 0], between: [upper, lower], limits: [0, 2.5]}\n"
    "  wrist: {hinge: [0, 0, 0.8], axis: [0, -1, 0], between: [lower, hook]}\n"
    "control_points:\n"
    "  hand: {body: lower, at: [0, 0, 0.15], position: {path: [{time: 0, to: [0.3, 0.1, 1.2]},"
    " {time: 1, to: [0.2, 0.1, 1.2]}]}}\n"
    "pushes: {shove: {body: box, force: [1, 0, 0], from: 0, seconds: 0.05}}\n";

static void load_text(Outcome* outcome) {
    static const char* const overrides[] = {"world.step=0.005", "joints.elbow.ik.spring=700",
                                            "control_points.hand.weight=2"};
    const PoiseSceneSource source = {.path = "all.yaml",
                                     .text = every_section,
                                     .text_size = sizeof every_section - 1,
                                     .overrides = overrides,
                                     .override_count = 3};
    load(&source, outcome);
}
Test(memory, every_request_of_reading_a_scene_may_fail) {
    fail_each("a text", load_text);
}
// Loads a scene with enough memory.
static PoiseScene* given(const char* path) {
    char whole[600];
    snprintf(whole, sizeof whole, "%s/scenes/%s", POISE_SOURCE_DIR, path);
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    PoiseScene* scene = poise_scene_load(whole, diagnostics);
    poise_diagnostics_destroy(diagnostics);
    cr_assert_not_null(scene, "%s", whole);
    return scene;
}

static PoiseScene* scene;

// Uses a simulation: steps, all columns, statistics, an added point, a snapshot and its restore, a
// report.
static void use(PoiseSimulation* simulation, Outcome* outcome) {
    PoisePointStatistics* statistics = poise_statistics_create(simulation);
    const PoiseRunDef def = {.steps = 3, .statistics = statistics};
    long made = 0;
    bool fine = statistics && poise_simulation_run(simulation, &def, &made) == POISE_OK;
    const size_t size = fine ? poise_simulation_snapshot_size(simulation) : 0;
    void* memory = size > 0 ? malloc(size) : NULL;
    fine = memory && poise_simulation_snapshot_save(simulation, memory, size) == POISE_OK &&
           poise_simulation_add_point(simulation, 0, poise_vec3(0.0, 0.0, 0.0)) >= 0 &&
           poise_simulation_step(simulation) == POISE_OK &&
           poise_simulation_snapshot_restore(simulation, memory, size) == POISE_OK &&
           poise_simulation_run(simulation, &def, &made) == POISE_OK;
    free(memory);
    fine = fine && poise_statistics_finish(statistics, simulation, true) == POISE_OK;
    if (fine) {
        const PoiseReport report = {.simulation = simulation, .line = true};
        const size_t needed = poise_report_text(&report, outcome->text, TEXT);
        // processor times differ from call to call
        char* cost = strstr(outcome->text, "\"cost\"");
        fine = needed > 0 && cost;
        if (cost) {
            snprintf(cost, 40, "%016llx",
                     (unsigned long long)poise_simulation_state_hash(simulation));
        }
    }
    outcome->done = fine;
    if (!fine) {
        memset(outcome->text, 0, TEXT);
        say_short(outcome);
    }
    poise_statistics_destroy(statistics);
}

static void simulate(Outcome* outcome) {
    PoiseDiagnostics* diagnostics = find_with(outcome);
    PoiseSimulation* simulation = diagnostics ? poise_simulation_create(scene, diagnostics) : NULL;
    if (diagnostics) {
        take_findings(diagnostics, outcome);
    }
    if (simulation) {
        use(simulation, outcome);
    }
    poise_simulation_destroy(simulation);
    poise_diagnostics_destroy(diagnostics);
}

Test(memory, every_request_of_a_run_and_its_report_may_fail, .timeout = 250) {
    static const char* const names[] = {"stand_and_reach.yaml", "quadruped_sway.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        scene = given(names[i]);
        fail_each(names[i], simulate);
        poise_scene_destroy(scene);
    }
}

static void study(Outcome* outcome) {
    static const char* const settings[] = {"scene=springhead_2balls", "seconds=0.02",
                                           "vary.defaults.joint.ik.spring=1000,2000",
                                           "figures=tip.error,energy.kinetic"};
    PoiseDiagnostics* diagnostics = find_with(outcome);
    const PoiseStudySource source = {.settings = settings, .setting_count = 4};
    PoiseStudy* read = diagnostics ? poise_study_load(&source, diagnostics) : NULL;
    if (diagnostics) {
        take_findings(diagnostics, outcome);
    }
    size_t used = 0;
    for (int run = 0; run < poise_study_run_count(read); run++) {
        double figures[2] = {0.0, 0.0};
        PoiseStudyRow row = {.figures = figures};
        outcome->done = poise_study_run(read, run, &row) == POISE_OK;
        if (!outcome->done) {
            say_short(outcome);
            break;
        }
        used += (size_t)snprintf(outcome->text + used, TEXT - used, "%s %s %.17g %.17g %llx\n",
                                 row.status, row.reason, figures[0], figures[1],
                                 (unsigned long long)row.state_hash);
    }
    poise_study_destroy(read);
    poise_diagnostics_destroy(diagnostics);
}

Test(memory, every_request_of_a_study_may_fail, .timeout = 250) {
    fail_each("a study", study);
}
