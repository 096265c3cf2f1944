// SPDX-License-Identifier: MIT
// A program that uses poise::scenes, compiled as C and as C++. It loads a robot file and a scene
// text, sets and reads values by key, runs the scene, and gets the line of an error in a text.
#include <poise/report.h>
#include <poise/tip.h>
#include <poise/value.h>
#include <stdio.h>
#include <string.h>

static const char good[] =
    "poise: 1\n"
    "bodies: {a: {capsule: 0.05, from: [0, 0, 0], to: [1, 0, 0]}}\n"
    "joints: {j: {hinge: [0, 0, 0], axis: [0, 0, 1], between: [world, a]}}\n"
    "control_points: {p: {body: a, at: [0, 0, 0.5], position: [0.6, 0.8, 0]}}\n";
static const char bad[] = "poise: 1\nworld: {stepp: 0.01}\n";

static PoiseScene* load(const char* path, const char* text, PoiseDiagnostics* diagnostics) {
    PoiseSceneSource source = {.path = path, .text = text, .text_size = text ? strlen(text) : 0};
    return poise_scene_load_source(&source, diagnostics);
}

static int run_text(PoiseDiagnostics* diagnostics) {
    PoiseScene* scene = load("text.yaml", good, diagnostics);
    PoiseSimulation* simulation = scene ? poise_simulation_create(scene, diagnostics) : NULL;
    PoiseRunDef def = {.steps = 300};
    double error = 1.0;
    const int fine = simulation &&
                     poise_value_set(simulation, "joints.j.ik.spring", 2000.0) == POISE_OK &&
                     poise_value_set(simulation, "joints.j.ik.damper", 100.0) == POISE_OK &&
                     poise_simulation_run(simulation, &def, NULL) == POISE_OK &&
                     poise_value_read(simulation, "p.error", &error) == POISE_OK && error < 1e-3;
    printf("%.3g m from the goal\n", error);
    poise_simulation_destroy(simulation);
    poise_scene_destroy(scene);
    return fine;
}

static int refuse_text(PoiseDiagnostics* diagnostics) {
    PoiseScene* scene = load("text.yaml", bad, diagnostics);
    const PoiseDiagnostic first = poise_diagnostics_at(diagnostics, 0);
    printf("%s:%d:%d: %s\n", first.mark.file, first.mark.line, first.mark.column, first.text);
    poise_scene_destroy(scene);
    return !scene && first.mark.line == 2 && first.mark.column == 9;
}

static int load_robot(const char* path, PoiseDiagnostics* diagnostics) {
    PoiseScene* scene = load(path, NULL, diagnostics);
    PoiseSimulation* simulation = scene ? poise_simulation_create(scene, diagnostics) : NULL;
    PoiseTip tip;
    char text[200];
    const char* problem = poise_tip_find(simulation, "panda_hand", &tip, text, sizeof text);
    const int joints = simulation ? poise_simulation_joint_count(simulation) : 0;
    printf("%d joints, %s\n", joints, problem ? problem : "a hand");
    poise_simulation_destroy(simulation);
    poise_scene_destroy(scene);
    return joints > 6 && !problem;
}

int main(int argc, char** argv) {
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    PoiseDiagnostics* wrong = poise_diagnostics_create(NULL);
    const int fine = argc == 2 && load_robot(argv[1], diagnostics) && run_text(diagnostics) &&
                     refuse_text(wrong);
    poise_diagnostics_destroy(wrong);
    poise_diagnostics_destroy(diagnostics);
    return fine ? 0 : 1;
}
