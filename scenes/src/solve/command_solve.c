// SPDX-License-Identifier: MIT
// `poise solve`: the joint angles that bring a place on a link to a target, without physics
// (poise_reach). What it found is said by solve_print.c.
#include <getopt.h>
#include <math.h>
#include <string.h>

#include "diagnostics.h"
#include "solve.h"

static const char usage[] =
    "usage: poise solve FILE --point LINK[:x,y,z] --target x,y,z[,qw,qx,qy,qz] [options]\n"
    "  --point     a link, body or control point, and a place in its frame (0,0,0); all joints\n"
    "              between it and the base move for it\n"
    "  --target    where it should be in the world, and how it should be turned\n"
    "  --starts N  at most so many starts (1): the file's starting pose, then others within the\n"
    "              limits, the same every time\n"
    "  --seed N    of these others (0)\n"
    "  --json      one JSON object\n" TRUST_USAGE
    "Many targets, or a chain by itself: poise solve --targets --help.\n"
    "Says how near it came, why not nearer, and the joints' angles, hinges' and sliders' as a\n"
    "scene's `pose:` takes them. Ends with 1 when the target is not reached.\n";

typedef struct SolveOptions {
    const char* file;
    SolveLink link;
    PoisePose target;
    int starts;
    uint64_t seed;
    bool has_target;
    bool turned;
    bool json;
    PoiseTrust trust;
} SolveOptions;

// --------------------------------------------------------------------------------------- options

static bool read_target(SolveOptions* options, const char* text) {
    int commas = 0;
    for (const char* letter = text; *letter; letter++) {
        commas += *letter == ',' ? 1 : 0;
    }
    double n[7] = {0.0};
    options->turned = commas > 2;
    if (!poise__parse_numbers("--target", text, n, options->turned ? 7 : 3)) {
        return false;
    }
    options->target.p = poise_vec3(n[0], n[1], n[2]);
    options->target.q = poise_quat_identity();
    if (options->turned) {
        double square = n[3] * n[3] + n[4] * n[4] + n[5] * n[5] + n[6] * n[6];
        if (!(square > 0.0) || !isfinite(square)) {
            fprintf(stderr, "poise: --target: the quaternion must not be zero\n");
            return false;
        }
        options->target.q = poise_quat_normalize(poise_quat(n[3], n[4], n[5], n[6]));
    }
    options->has_target = true;
    return true;
}

static bool read_starts(SolveOptions* options, const char* text) {
    double value = 0.0;
    bool fine = poise__parse_count("--starts", text, 1.0, 1e6, &value);
    options->starts = fine ? (int)value : options->starts;
    return fine;
}

static bool read_seed(SolveOptions* options, const char* text) {
    double value = 0.0;
    bool fine = poise__parse_count("--seed", text, 0.0, 4294967295.0, &value);
    options->seed = fine ? (uint64_t)value : options->seed;
    return fine;
}

static int read_options(SolveOptions* options, int argc, char** argv, bool* done) {
    static const struct option longs[] = {
        {"point", required_argument, NULL, 'p'},  {"target", required_argument, NULL, 't'},
        {"starts", required_argument, NULL, 's'}, {"seed", required_argument, NULL, 'e'},
        {"json", no_argument, NULL, 'j'},         TRUST_OPTIONS,
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    for (;;) {
        int option = poise__next_option(argc, argv, longs, usage);
        if (option == -1) {
            break;
        }
        bool fine = option == 'j' || option == 'h';
        if (option == 'h') {
            fputs(usage, stdout);
            *done = true;
            return EXIT_DONE;
        }
        fine = fine || (option == 'p' && poise__link_read(&options->link, optarg));
        fine = fine || (option == 't' && read_target(options, optarg));
        fine = fine || (option == 's' && read_starts(options, optarg));
        fine = fine || (option == 'e' && read_seed(options, optarg));
        fine = fine || poise__parse_trust(option, &options->trust);
        options->json = options->json || option == 'j';
        if (!fine) {
            return EXIT_USAGE;
        }
    }
    options->file = poise__parse_file(argc, argv, optind, usage);
    if (options->file && (!options->link.given || !options->has_target)) {
        fprintf(stderr, "poise: solve needs --point and --target\n%s", usage);
        return EXIT_USAGE;
    }
    return options->file ? EXIT_DONE : EXIT_USAGE;
}

// --------------------------------------------------------------------------------------- solving

static bool make_point(PoiseSimulation* simulation, const SolveOptions* options,
                       Solution* solution) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < poise_simulation_point_count(simulation) && status >= 0; i++) {
        PoisePointView view = poise_simulation_point(simulation, i);
        status = poise_point_set_enabled(tree, view.point, false);
        if (status >= 0 && view.aim.index1 != 0) {
            status = poise_point_set_enabled(tree, view.aim, false);
        }
    }
    PoisePointDef def = options->turned ? poise_default_pose_def() : poise_default_position_def();
    if (!poise__link_find(simulation, &options->link, &def.link, &def.in_link)) {
        return false;
    }
    def.has_goal = true;
    def.goal = options->target;
    solution->point = poise_point_create(tree, &def);
    if (status >= 0 && solution->point.index1 != 0) {
        status = poise_register_chain(tree, solution->point, poise_null_node());
    }
    if (status < 0 || poise_tree_status(tree) < 0) {
        fprintf(stderr, "poise: %s\n", poise_tree_message(tree));
        return false;
    }
    return true;
}

// times its size: no robot is meant to go there
#define FAR_OFF 10.0

// how far a scene's bodies and joints lie from the first of them, at least 10 cm
static double extent_of(const PoiseScene* scene) {
    double extent = 0.1;
    for (int i = 0; i < scene->body_count; i++) {
        PoiseVec3 way = poise_sub(scene->bodies[i].pose.p, scene->bodies[0].pose.p);
        extent = fmax(extent, poise_length(way));
    }
    for (int i = 0; i < scene->joint_count; i++) {
        PoiseVec3 way = poise_sub(scene->joints[i].anchor, scene->bodies[0].pose.p);
        extent = fmax(extent, poise_length(way));
    }
    return extent;
}

static bool solve(PoiseSimulation* simulation, const SolveOptions* options, Solution* solution) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    PoiseReachDef def = poise_default_reach_def();
    def.starts = options->starts;
    def.seed = options->seed;
    PoiseStatus status = poise_reach(tree, &def, &solution->report);
    if (status < 0) {
        fprintf(stderr, "poise: %s\n", poise_tree_message(tree));
        return false;
    }
    solution->reached = status == POISE_OK;
    solution->turned = options->turned;
    solution->error = poise_point_error(tree, solution->point);
    solution->angle_error = poise_point_angle_error(tree, solution->point);
    solution->metres = solution->error > FAR_OFF * extent_of(poise_simulation_scene(simulation));
    return true;
}

static int solve_file(const SolveOptions* options, PoiseDiagnostics* diagnostics) {
    const PoiseSceneSource source = {.path = options->file, .trust = options->trust};
    PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
    PoiseSimulation* simulation = scene ? poise_simulation_create(scene, diagnostics) : NULL;
    poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
    Solution solution;
    memset(&solution, 0, sizeof solution);
    int code = EXIT_INPUT;
    if (simulation && make_point(simulation, options, &solution) &&
        solve(simulation, options, &solution)) {
        poise__solution_print(simulation, &solution, options->json);
        poise__print_left_out(diagnostics);
        code = poise__finish_output(solution.reached ? EXIT_DONE : EXIT_MISSED);
    }
    poise_simulation_destroy(simulation);
    poise_scene_destroy(scene);
    return code;
}

int poise__command_solve(int argc, char** argv) {
    if (poise__has_targets(argc, argv)) {
        return poise__command_solve_targets(argc, argv);
    }
    SolveOptions options;
    memset(&options, 0, sizeof options);
    options.starts = 1;
    bool done = false;
    int code = read_options(&options, argc, argv, &done);
    if (code != EXIT_DONE || done) {
        return done ? poise__finish_output(code) : code;
    }
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    if (!diagnostics) {
        fprintf(stderr, "poise: memory is short\n");
        return EXIT_INPUT;
    }
    code = solve_file(&options, diagnostics);
    poise_diagnostics_destroy(diagnostics);
    return code;
}
