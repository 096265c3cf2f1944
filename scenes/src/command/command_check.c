// SPDX-License-Identifier: MIT
// `poise check` prints every finding in a file; `poise format` prints the reference of the format.
#include <string.h>

#include "command.h"
#include "poise/figures.h"
#include "poise/reading.h"

static const char usage[] =
    "usage: poise check FILE\n"
    "Reads a scene or a robot and prints every error and warning, and where there is no error\n"
    "every note, as file:line:column, then what the file holds, and after ten steps whether real\n"
    "time is held. Ends with 3 when there is an error.\n" TRUST_USAGE "Examples:\n"
    "  poise check arm.yaml             all findings, with line and column\n"
    "  poise check --untrusted arm.urdf a robot of someone else's\n";

static void print_count(int count, const char* one, const char* many, const char* end) {
    printf("%d %s%s", count, count == 1 ? one : many, end);
}

static void print_summary(const char* path, const PoiseScene* scene,
                          const PoiseDiagnostics* diagnostics) {
    printf("%s: ", path);
    print_count(poise_diagnostics_count(diagnostics, POISE_ERROR), "error", "errors", ", ");
    print_count(poise_diagnostics_count(diagnostics, POISE_WARNING), "warning", "warnings", ", ");
    print_count(poise_diagnostics_count(diagnostics, POISE_NOTE), "note", "notes", "");
    if (scene) {
        printf("; ");
        print_count(scene->body_count, "body", "bodies", ", ");
        print_count(scene->joint_count, "joint", "joints", ", ");
        print_count(scene->point_count, "control point", "control points", "");
    }
    putchar('\n');
}

// Warns about springs that do not suit their joint's inertia at the scene's step.
static void advise(const PoiseSimulation* simulation, PoiseDiagnostics* diagnostics) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    const double step = poise_simulation_step_length(simulation);
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const PoiseSceneJoint* joint = &scene->joints[i];
        PoiseNodeId node = poise_simulation_joint(simulation, i).node;
        PoiseSpringAdvice advice;
        if (poise_rig_advise(poise_simulation_rig(simulation), node, step, &advice) != POISE_OK ||
            advice.verdict == 0) {
            continue;
        }
        char text[400];
        snprintf(
            text, sizeof text,
            "the springs of '%.60s' are %s: together p %.3g, d %.3g on an inertia of %.3g at a "
            "step of %g s (damping ratio %.2g); p %.2g, d %.2g would suit",
            joint->name, poise_spring_verdict_name(advice.verdict), advice.spring.stiffness,
            advice.spring.damping, advice.inertia, step, advice.damping_ratio,
            advice.proposed.stiffness, advice.proposed.damping);
        poise_diagnostics_add(diagnostics, POISE_WARNING, joint->mark, text);
    }
}

enum { MAX_PRINTED_PAIRS = 40 };

/// Pairs of shapes, by the names of their bodies.
typedef struct NamedPairs {
    const char* names[MAX_PRINTED_PAIRS][2];
    int counts[MAX_PRINTED_PAIRS];
    int touching[MAX_PRINTED_PAIRS]; ///< number of these pairs that overlap at the start
    int named;
    int count; ///< number of all pairs of shapes
    int more;  ///< number of pairs of shapes that did not fit into `names`
} NamedPairs;

static void add_pair(const PoiseSimulation* simulation, PoiseApartPair pair, NamedPairs* to) {
    const PoiseRig* rig = poise_simulation_rig(simulation);
    const PoiseNodeNames names = poise_simulation_node_names(simulation);
    const char* a = names.geom_name_of(names.user, poise_rig_apart_geom(rig, pair.a));
    const char* b = names.geom_name_of(names.user, poise_rig_apart_geom(rig, pair.b));
    int i = 0;
    while (i < to->named && (to->names[i][0] != a || to->names[i][1] != b)) {
        i++;
    }
    to->count++;
    if (i == MAX_PRINTED_PAIRS) {
        to->more++;
        return;
    }
    if (i == to->named) {
        to->names[to->named++][0] = a;
        to->names[i][1] = b;
    }
    dContactGeom contact;
    to->counts[i]++;
    to->touching[i] += dCollide(poise_rig_apart_geom(rig, pair.a),
                                poise_rig_apart_geom(rig, pair.b), 1, &contact, sizeof contact) > 0;
}

// True if the pair is not among `pairs`, and its parts have different bodies without a joint
// between them.
static bool is_left_out(const PoiseRig* rig, const PoiseApartPair* pairs, int count,
                        PoiseApartPair pair) {
    dBodyID a = dGeomGetBody(poise_rig_apart_geom(rig, pair.a));
    dBodyID b = dGeomGetBody(poise_rig_apart_geom(rig, pair.b));
    bool is_pair = a == b || dAreConnected(a ? a : b, a ? b : a);
    for (int i = 0; i < count && !is_pair; i++) {
        is_pair = (pairs[i].a == pair.a && pairs[i].b == pair.b) ||
                  (pairs[i].a == pair.b && pairs[i].b == pair.a);
    }
    return !is_pair;
}

static void print_pairs(const NamedPairs* pairs, const char* one, const char* many) {
    if (pairs->count > 0) {
        print_count(pairs->count, one, many, "\n");
    }
    for (int i = 0; i < pairs->named; i++) {
        printf("  %s - %s", pairs->names[i][0], pairs->names[i][1]);
        if (pairs->counts[i] > 1) {
            printf(" (%d)", pairs->counts[i]);
        }
        puts(pairs->touching[i] > 0 ? ", overlap now" : "");
    }
    if (pairs->more > 0) {
        printf("  and %d more\n", pairs->more);
    }
}

// Prints the largest margin of fitted shapes if some pairs overlap.
static void print_margin(const PoiseScene* scene, const NamedPairs* pairs) {
    double largest = 0.0;
    bool touching = false;
    for (int i = 0; i < pairs->named; i++) {
        touching = touching || pairs->touching[i] > 0;
    }
    for (int i = 0; i < scene->body_count && touching; i++) {
        for (int k = 0; k < scene->bodies[i].shape_count; k++) {
            const double margin = scene->bodies[i].shapes[k].margin;
            largest = margin > largest ? margin : largest;
        }
    }
    if (largest > 0.0) {
        printf("shapes are fitted to meshes and stand up to %.1f mm outside of them: with "
               "'collision: hull' of the robot fewer overlap\n",
               1e3 * largest);
    }
}

// Prints the pairs of shapes that are kept apart, then those that poise_apart_pairs omits. Each
// pair of bodies is printed once, with its number of pairs of shapes.
static void print_apart(const PoiseSimulation* simulation) {
    PoiseApartPair pairs[POISE_APART_PAIRS_MOST];
    const PoiseRig* rig = poise_simulation_rig(simulation);
    const PoiseApart* apart = poise_rig_apart(rig);
    const int count = poise_apart_pairs(apart, pairs, POISE_APART_PAIRS_MOST);
    NamedPairs kept = {.count = 0}, left_out = {.count = 0};
    for (int i = 0; i < count; i++) {
        if (!poise_apart_is_allowed(apart, pairs[i])) {
            add_pair(simulation, pairs[i], &kept);
        }
    }
    for (int i = 0; apart && poise_rig_apart_geom(rig, i); i++) {
        for (int k = i + 1; poise_rig_apart_geom(rig, k); k++) {
            if (is_left_out(rig, pairs, count, (PoiseApartPair){i, k})) {
                add_pair(simulation, (PoiseApartPair){i, k}, &left_out);
            }
        }
    }
    print_pairs(&kept, "pair of shapes is kept apart:", "pairs of shapes are kept apart:");
    print_pairs(&left_out, "pair of shapes is left out: never near, never 1 cm apart or immobile:",
                "pairs of shapes are left out: never near, never 1 cm apart or immobile:");
    print_margin(poise_simulation_scene(simulation), &left_out);
}

// Makes a few steps, and reports if they take longer than the simulated time.
static void print_speed(PoiseSimulation* simulation) {
    enum { STEPS = 10 };
    const double step = poise_simulation_step_length(simulation);
    double begun = 0.0;
    for (int i = 0; i <= STEPS; i++) {
        // The first step allocates memory, so it is not timed.
        begun = i == 1 ? poise__now() : begun;
        if (poise_simulation_step(simulation) < 0) {
            return;
        }
    }
    const double taken = (poise__now() - begun) / STEPS;
    if (taken > step) {
        printf("a step of %g ms takes %.3g ms here: slower than real time\n", 1e3 * step,
               1e3 * taken);
    }
}

static int check_file(const char* path, const Reading* reading) {
    const PoiseSceneSource source = poise__source(path, reading);
    OpenScene open;
    const bool fine = poise__open_scene(&open, &source);
    const PoiseScene* scene = open.scene;
    PoiseDiagnostics* diagnostics = open.diagnostics;
    if (!diagnostics) {
        return EXIT_INPUT;
    }
    if (fine) {
        advise(open.simulation, diagnostics);
    }
    // Notes explain assumptions. They are printed only if there are no errors.
    bool wrong = poise_diagnostics_count(diagnostics, POISE_ERROR) > 0;
    poise_diagnostics_print(diagnostics, wrong ? POISE_WARNING : POISE_NOTE, stdout);
    print_summary(scene ? scene->file : path, scene, diagnostics);
    if (fine) {
        print_apart(open.simulation);
        print_speed(open.simulation);
    }
    poise__close_scene(&open);
    return poise__finish_output(fine ? EXIT_DONE : EXIT_INPUT);
}

int poise__command_check(int argc, char** argv) {
    Reading reading = {.trust = POISE_TRUST_DEFAULT};
    const char* path = NULL;
    const CommandLine line = {usage, NULL, NULL, &path, &reading};
    const int code = poise__read_line(&line, argc, argv);
    return code == GO_ON ? check_file(path, &reading) : code;
}

static const char format_usage[] =
    "usage: poise format [--json-schema]\n"
    "Prints the reference of the scene format, as Markdown.\n"
    "  --json-schema      the same as a JSON Schema, for editors: scenes/scene.schema.json\n"
    "Examples:\n"
    "  poise format | less                          all keys with unit, range and default\n"
    "  poise format --json-schema > scene.schema.json   for yaml-language-server\n";

int poise__command_format(int argc, char** argv) {
    const bool schema = argc == 2 && strcmp(argv[1], "--json-schema") == 0;
    const bool help = argc == 2 && strcmp(argv[1], "--help") == 0;
    if (help || (argc > 1 && !schema)) {
        fputs(format_usage, help ? stdout : stderr);
        return help ? EXIT_DONE : EXIT_USAGE;
    }
    if (schema) {
        poise_format_print_json(stdout);
    } else {
        poise_format_print(stdout);
        poise_figures_print(stdout);
    }
    return poise__finish_output(EXIT_DONE);
}
