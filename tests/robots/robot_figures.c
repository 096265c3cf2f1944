// SPDX-License-Identifier: MIT
// Prints one robot's row of the table of tests/robots/run:
//     robot-figures FILE [SECONDS]
// Reads the file, compares it with MuJoCo if that is installed, solves for reachable targets, and
// simulates the robot alone: it must settle in 3 s and stay for SECONDS (60). Ends with 0 if all of
// that holds.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures_of_robot.h"
#include "mujoco_gaps.h"

// Tolerances, m and rad: EXACT for kinematics, NEAR for a robot at rest.
#define EXACT        1e-9
#define NEAR_METRES  0.002
#define NEAR_RADIANS 0.01
// Relative tolerance of masses. The volumes of meshes by MuJoCo 2.2.2 differ from ours.
#define NEAR_MASS     1e-3
#define STILL         1e-6
#define SETTLING_TIME 3.0

// ------------------------------------------------------------------------------------------- links

// Prints "-" if there is nothing to compare with.
static bool print_links(const char* file, const PoiseSimulation* simulation, double* mass_there) {
    MujocoGaps gaps;
    char why[400];
    if (!mujoco_gaps(file, simulation, &gaps, why, sizeof why)) {
        fprintf(stderr, "%s: MuJoCo: %s\n", file, why);
        printf(" - |");
        return true;
    }
    *mass_there = gaps.mass_sum;
    const double worst = fmax(gaps.place.worst, gaps.turn.worst);
    printf(" %.0e |", worst);
    if (worst > EXACT) {
        fprintf(stderr, "%s: link %s is off by %g\n", file, gaps.place.name, worst);
    }
    return worst <= EXACT;
}

// True if a warning says that masses were assumed.
static bool is_assumed(const PoiseDiagnostics* diagnostics) {
    for (int i = 0; i < poise_diagnostics_size(diagnostics); i++) {
        const PoiseDiagnostic finding = poise_diagnostics_at(diagnostics, i);
        if (finding.severity == POISE_WARNING && strstr(finding.text, "kg assumed")) {
            return true;
        }
    }
    return false;
}

static bool print_mass(const char* file, const PoiseScene* scene, double there,
                       const PoiseDiagnostics* diagnostics) {
    const double ours = figures_mass(scene);
    const double written = figures_written_mass(file);
    // Masses of an MJCF may come from shapes: MuJoCo's sum is the reference.
    const double theirs = written >= 0.0 ? written : there;
    if (!(theirs > 0.0)) {
        printf(" %.4g, none |", ours);
        return true;
    }
    const bool assumed = is_assumed(diagnostics);
    printf(" %.4g%s, %.4g |", ours, assumed ? " (some assumed)" : "", theirs);
    return fabs(ours - theirs) <= NEAR_MASS * theirs || (assumed && ours > theirs);
}

// ----------------------------------------------------------------------------------------- running

static bool step_for(PoiseSimulation* simulation, double seconds, double* kinetic) {
    const long steps = lround(seconds / poise_simulation_step_length(simulation));
    for (long i = 0; i < steps; i++) {
        if (poise_simulation_step(simulation) < 0) {
            fprintf(stderr, "%s\n", poise_simulation_trouble(simulation));
            return false;
        }
        double now = 0.0;
        poise_simulation_energy(simulation, &now, NULL);
        *kinetic = fmax(*kinetic, now);
    }
    return true;
}

static bool print_run(PoiseSimulation* simulation, double seconds) {
    double first = 0.0, kinetic = 0.0;
    Figures rest;
    if (!step_for(simulation, SETTLING_TIME, &first) || !figures_rest(simulation, &rest)) {
        printf(" blown up | no |\n");
        return false;
    }
    const bool settled =
        rest.point < NEAR_METRES && rest.joint < NEAR_RADIANS && rest.moved < NEAR_RADIANS;
    printf(" %.2g, %.2g%s |", 1000.0 * rest.point, fmax(rest.joint, rest.moved),
           settled ? "" : " (no)");
    // maxima over the first sixth, the middle four sixths and the last sixth of the time
    double late = 0.0;
    const double part = (seconds - SETTLING_TIME) / 6.0;
    Figures end;
    const bool ran = step_for(simulation, part, &kinetic) &&
                     step_for(simulation, 4.0 * part, &first) &&
                     step_for(simulation, part, &late) && figures_rest(simulation, &end);
    const bool stays =
        ran && late <= fmax(kinetic, STILL) && end.point < NEAR_METRES && end.joint < NEAR_RADIANS;
    printf(" %.1e, %.1e%s |\n", kinetic, late, stays ? "" : " (no)");
    if (!settled) {
        fprintf(stderr, "  point %s, joint %s, moving %s\n", rest.point_name, rest.joint_name,
                rest.moved_name);
    }
    return settled && stays;
}

int main(int argc, char** argv) {
    const double seconds = argc > 2 ? atof(argv[2]) : 60.0;
    if (argc < 2 || !(seconds > 2.0 * SETTLING_TIME)) {
        fprintf(stderr, "usage: robot-figures FILE [SECONDS]\n");
        return 2;
    }
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    PoiseScene* scene = poise_scene_load(argv[1], diagnostics);
    PoiseSimulation* simulation = scene ? poise_simulation_create(scene, diagnostics) : NULL;
    bool fine = simulation != NULL;
    if (!fine) {
        poise_diagnostics_print(diagnostics, POISE_ERROR, stderr);
        printf(" no | | | | | |\n");
    } else {
        double there = 0.0;
        printf(" yes |");
        fine = print_links(argv[1], simulation, &there) && fine;
        fine = print_mass(argv[1], scene, there, diagnostics) && fine;
        int met = 0;
        const int asked = figures_targets(simulation, &met);
        printf(" %d of %d |", met, asked);
        fine = met == asked && fine;
        // The solves have moved the tree, so a new simulation starts.
        poise_simulation_destroy(simulation);
        simulation = poise_simulation_create(scene, diagnostics);
        fine = simulation && print_run(simulation, seconds) && fine;
    }
    poise_simulation_destroy(simulation);
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(diagnostics);
    return fine ? 0 : 1;
}
