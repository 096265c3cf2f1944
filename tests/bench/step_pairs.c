// SPDX-License-Identifier: MIT
// step-pairs: compares the exact step with dWorldStep, its cost and its motion. Both start from
// equal states, in one process.
//     step-pairs [--all] [--steps N] [--passes N] [--shake SIZE] [--check] [--within PART]
//     [--chains]
//                [FILE...]
// FILE is a scene or a robot. Times are the least of the passes for each step, which a busy machine
// spoils least. --all: also what the exact step leaves to ODE because ODE is faster there. --shake
// adds velocities at random before each pair. --check: ends with 1 unless velocities agree to PART
// (1e-9), feedback to 1e-6 and complementarity to 1e-9.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poise/simulation.h"
#include "step_pair.h"
#if BENCH_HAS_MUJOCO
#include "mujoco_step.h"
#endif

typedef struct Options {
    PairOptions pair;
    int steps;
    int passes;
    bool check;
    double within;
    bool chains;
} Options;

// --------------------------------------------------------------------------------------- reporting

static bool print_row(const char* name, const PairReport* report, double mujoco,
                      const Options* options) {
    const bool fine =
        report->speed <= options->within && report->force <= 1e-6 && report->fault <= 1e-9;
    printf("%-26s %6.1f %6.1f %9.2f %9.2f %7.3f %6ld %6ld %6ld %8.1e %8.1e %8.1e", name,
           report->rows, report->outside, report->ode, report->exact, report->exact / report->ode,
           report->steps, report->left, report->failed, report->speed, report->force,
           report->fault);
    if (mujoco > 0.0) {
        printf(" %8.2f", mujoco);
    }
    printf("%s\n", options->check && !fine ? "  FAILED" : "");
    fflush(stdout);
    return fine || !options->check;
}

// ------------------------------------------------------------------------------------------ scenes

static bool run_steps(const PoiseScene* scene, PoiseDiagnostics* diagnostics, int steps) {
    PoiseSimulation* simulation = poise_simulation_create(scene, diagnostics);
    int done = 0;
    while (simulation && done < steps && poise_simulation_step(simulation) >= POISE_OK) {
        done++;
    }
    poise_simulation_destroy(simulation);
    return done > 0;
}

static bool pair_scene(const char* file, const Options* options) {
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    const size_t length = strlen(file);
    const bool is_scene = length > 5 && strcmp(file + length - 5, ".yaml") == 0;
    const PoiseSceneSource source = {.path = file, .trust = POISE_TRUST_ALL};
    PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
    bool fine = scene != NULL;
    PairReport report = {0};
    for (int pass = 0; pass < options->passes && fine; pass++) {
        pairs_begin(&options->pair, pass == 0);
        fine = run_steps(scene, diagnostics, options->steps);
        report = pairs_end();
    }
    double mujoco = 0.0;
#if BENCH_HAS_MUJOCO
    if (!is_scene) {
        mujoco = mujoco_step_time(file, options->steps, options->passes);
    }
#endif
    const char* name = strrchr(file, '/');
    if (!fine) {
        fprintf(stderr, "step-pairs: %s does not run\n", file);
    }
    fine = fine && print_row(name ? name + 1 : file, &report, mujoco, options);
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(diagnostics);
    return fine;
}

// ------------------------------------------------------------------------------------------ chains

enum { MOST_LINKS = 1000 };

static const double LINK = 0.2; ///< m

/// Steps a chain of hinges about x and y in turn. Each hinge has a spring of 200 N m/rad and 10 N m
/// s/rad in a motor row with a limit of 100 N m. The targets are sines.
static void run_chain(int count, int steps) {
    const double h = 0.005;
    const double stiffness = 200.0;
    const double gain = h * stiffness + 10.0;
    static dJointID hinges[MOST_LINKS];
    static dJointID motors[MOST_LINKS];
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0.0, 0.0, -9.81);
    dBodyID parent = NULL;
    for (int i = 0; i < count; i++) {
        dBodyID body = dBodyCreate(world);
        dMass mass;
        dMassSetBoxTotal(&mass, 1.0, 0.05, 0.05, LINK);
        dBodySetMass(body, &mass);
        dBodySetPosition(body, 0.0, 0.0, -(i + 0.5) * LINK);
        hinges[i] = dJointCreateHinge(world, NULL);
        dJointAttach(hinges[i], body, parent);
        dJointSetHingeAnchor(hinges[i], 0.0, 0.0, -i * LINK);
        dJointSetHingeAxis(hinges[i], i % 2, 1 - i % 2, 0.0);
        motors[i] = dJointCreateAMotor(world, NULL);
        dJointAttach(motors[i], body, parent);
        dJointSetAMotorNumAxes(motors[i], 1);
        dJointSetAMotorAxis(motors[i], 0, 1, i % 2, 1 - i % 2, 0.0);
        dJointSetAMotorParam(motors[i], dParamFMax, 100.0);
        dJointSetAMotorParam(motors[i], dParamCFM, 1.0 / gain);
        parent = body;
    }
    for (int k = 0; k < steps; k++) {
        for (int i = 0; i < count; i++) {
            const double target = 0.2 * sin(0.02 * k + i);
            const double off = target - (double)dJointGetHingeAngle(hinges[i]);
            dJointSetAMotorParam(motors[i], dParamVel, stiffness * off / gain);
        }
        dWorldStep(world, h);
    }
    dWorldDestroy(world);
}

#if BENCH_HAS_MUJOCO
/// Times the same chain in MuJoCo, with passive springs at rest.
static double time_mujoco_chain(int count, const Options* options) {
    const char* file = "step-pairs-chain.xml";
    FILE* out = fopen(file, "w");
    if (!out) {
        return 0.0;
    }
    fprintf(out, "<mujoco><option timestep=\"0.005\"/><worldbody>");
    for (int i = 0; i < count; i++) {
        fprintf(out,
                "<body pos=\"0 0 %g\"><joint type=\"hinge\" axis=\"%d %d 0\" stiffness=\"200\" "
                "damping=\"10\"/><inertial pos=\"0 0 %g\" mass=\"1\" "
                "diaginertia=\"0.00354 0.00354 0.00042\"/>",
                i > 0 ? -LINK : 0.0, i % 2, 1 - i % 2, -0.5 * LINK);
    }
    for (int i = 0; i < count; i++) {
        fprintf(out, "</body>");
    }
    fprintf(out, "</worldbody></mujoco>");
    if (fclose(out) != 0) {
        return 0.0;
    }
    const double time = mujoco_step_time(file, options->steps, options->passes);
    remove(file);
    return time;
}
#endif

static bool pair_chains(const Options* options) {
    static const int counts[] = {7, 15, 30, 60, 100, 300};
    bool fine = true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        // dWorldStep's time grows with the third power
        Options few = *options;
        few.steps = counts[i] > 60 ? 1 + 1000 / counts[i] : options->steps;
        PairReport report = {0};
        for (int pass = 0; pass < options->passes; pass++) {
            pairs_begin(&options->pair, pass == 0);
            run_chain(counts[i], few.steps);
            report = pairs_end();
        }
        double mujoco = 0.0;
#if BENCH_HAS_MUJOCO
        mujoco = time_mujoco_chain(counts[i], options);
#endif
        char name[32];
        snprintf(name, sizeof name, "chain of %d", counts[i]);
        fine = print_row(name, &report, mujoco, options) && fine;
    }
    return fine;
}

// -------------------------------------------------------------------------------------------- main

/// Reads the options; returns the index of the first file.
static int read_options(int argc, char** argv, Options* options) {
    int at = 1;
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        const char* name = argv[at];
        if (strcmp(name, "--all") == 0) {
            options->pair.takes_all = true;
        } else if (strcmp(name, "--check") == 0) {
            options->check = true;
        } else if (strcmp(name, "--chains") == 0) {
            options->chains = true;
        } else if (at + 1 < argc && strcmp(name, "--steps") == 0) {
            options->steps = atoi(argv[++at]);
        } else if (at + 1 < argc && strcmp(name, "--passes") == 0) {
            options->passes = atoi(argv[++at]);
        } else if (at + 1 < argc && strcmp(name, "--within") == 0) {
            options->within = atof(argv[++at]);
        } else if (at + 1 < argc && strcmp(name, "--shake") == 0) {
            options->pair.shake = atof(argv[++at]);
        } else {
            fprintf(stderr, "step-pairs: %s: see the head of step_pairs.c\n", name);
            exit(2);
        }
    }
    return at;
}

int main(int argc, char** argv) {
    Options options = {.steps = 200, .passes = 5, .within = 1e-9};
    const int first = read_options(argc, argv, &options);
    dInitODE2(0);
    dSetMessageHandler(NULL);
    printf("%-26s %6s %6s %9s %9s %7s %6s %6s %6s %8s %8s %8s %8s\n", "", "rows", "out", "ODE us",
           "exact us", "ratio", "steps", "left", "failed", "speed", "force", "fault", "MuJoCo");
    bool fine = !options.chains || pair_chains(&options);
    for (int i = first; i < argc; i++) {
        fine = pair_scene(argv[i], &options) && fine;
    }
    dCloseODE();
    return fine ? 0 : 1;
}
