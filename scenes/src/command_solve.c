// SPDX-License-Identifier: MIT
// `poise solve`: the joint angles that bring a place on a link to a target, without physics: solve
// and advance, again and again, from one start and then from others.
#include <getopt.h>
#include <math.h>
#include <string.h>

#include "command.h"
#include "diagnostics.h"

// steps from one start, starts, and where the goal counts as met: m and rad
#define MOST_STEPS    300
#define MOST_ATTEMPTS 24
#define MET           1e-9
// what is said to be reached, m and rad
#define REACHED 1e-6

static const char usage[] =
    "usage: poise solve FILE --point LINK[:x,y,z] --target x,y,z[,qw,qx,qy,qz] [--json]\n"
    "  --point    a link or body, and a place in its frame (0,0,0)\n"
    "  --target   where it should be in the world, and how it should be turned\n"
    "  --json     one JSON object\n"
    "Begins at the file's starting pose, and elsewhere where that does not lead there. Ends with "
    "1\n"
    "when the target is not reached.\n";

typedef struct SolveOptions {
    const char* file;
    char link[160];
    PoiseVec3 place;
    PoisePose target;
    bool has_point;
    bool has_target;
    bool turned;
    bool json;
} SolveOptions;

typedef struct Solution {
    PoisePointId point;
    double error;
    double angle_error;
    int steps;
    bool reached;
} Solution;

// --------------------------------------------------------------------------------------- options

static bool read_point(SolveOptions* options, const char* text) {
    const char* colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length == 0 || length >= sizeof options->link) {
        fprintf(stderr, "poise: --point: LINK or LINK:x,y,z is due, not '%s'\n", text);
        return false;
    }
    memcpy(options->link, text, length);
    options->link[length] = '\0';
    double place[3] = {0.0, 0.0, 0.0};
    if (colon && !poise__parse_numbers("--point", colon + 1, place, 3)) {
        return false;
    }
    options->place = poise_vec3(place[0], place[1], place[2]);
    options->has_point = true;
    return true;
}

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

static int read_options(SolveOptions* options, int argc, char** argv, bool* done) {
    static const struct option longs[] = {{"point", required_argument, NULL, 'p'},
                                          {"target", required_argument, NULL, 't'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    for (;;) {
        int option = getopt_long(argc, argv, "h", longs, NULL);
        if (option == -1) {
            break;
        }
        bool fine = option == 'j' || option == 'h';
        if (option == 'h') {
            fputs(usage, stdout);
            *done = true;
            return EXIT_DONE;
        }
        fine = fine || (option == 'p' && read_point(options, optarg));
        fine = fine || (option == 't' && read_target(options, optarg));
        options->json = options->json || option == 'j';
        if (!fine) {
            fputs(option == '?' ? usage : "", stderr);
            return EXIT_USAGE;
        }
    }
    options->file = poise__parse_file(argc, argv, optind, usage);
    if (options->file && (!options->has_point || !options->has_target)) {
        fprintf(stderr, "poise: solve needs --point and --target\n%s", usage);
        return EXIT_USAGE;
    }
    return options->file ? EXIT_DONE : EXIT_USAGE;
}

// --------------------------------------------------------------------------------------- solving

// the node and frame of the link that was asked for; false with a message
static bool find_link(const PoiseSimulation* simulation, const SolveOptions* options,
                      PoisePointDef* def) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    int frame = poise_scene_find_frame(scene, options->link);
    if (frame < 0) {
        Suggestion suggestion = poise__suggestion(options->link);
        for (int i = 0; i < scene->frame_count; i++) {
            poise__suggestion_offer(&suggestion, scene->frames[i].name);
        }
        char guess[200];
        fprintf(stderr, "poise: --point: there is no link '%s'%s\n", options->link,
                poise__suggestion_text(&suggestion, guess, sizeof guess));
        return false;
    }
    const PoiseSceneBody* body = &scene->bodies[scene->frames[frame].body];
    if (body->joint < 0) {
        fprintf(stderr, "poise: --point: no joint can move '%s'\n", options->link);
        return false;
    }
    def->link = poise_simulation_joint(simulation, body->joint).node;
    def->in_link = poise_pose_mul(scene->frames[frame].in_body,
                                  poise_pose(options->place, poise_quat_identity()));
    // the node's link stands at the centre of mass
    def->in_link.p = poise_sub(def->in_link.p, body->com);
    return true;
}

static bool make_point(PoiseSimulation* simulation, const SolveOptions* options,
                       Solution* solution) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView view = poise_simulation_point(simulation, i);
        (void)poise_point_set_enabled(tree, view.point, false);
    }
    PoisePointDef def = options->turned ? poise_default_pose_def() : poise_default_position_def();
    if (!find_link(simulation, options, &def)) {
        return false;
    }
    def.has_goal = true;
    def.goal = options->target;
    solution->point = poise_point_create(tree, &def);
    (void)poise_register_chain(tree, solution->point, poise_null_node());
    if (poise_tree_status(tree) < 0) {
        fprintf(stderr, "poise: %s\n", poise_tree_message(tree));
        return false;
    }
    return true;
}

// 0..1, the same for the same counters: no seed, no state
static double scatter(uint32_t attempt, uint32_t index) {
    uint32_t hash = attempt * 0x9e3779b9u + index * 0x85ebca6bu + 1u;
    hash = (hash ^ (hash >> 16)) * 0x7feb352du;
    hash = (hash ^ (hash >> 15)) * 0x846ca68bu;
    return (double)(hash ^ (hash >> 16)) / 4294967296.0;
}

// the first attempt starts where the file does, the next in the middle of the limits, the others
// anywhere between them
static void set_start(PoiseSimulation* simulation, int attempt) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    const PoiseScene* scene = poise_simulation_scene(simulation);
    const double pi = 3.14159265358979323846;
    for (int i = 0; i < scene->joint_count; i++) {
        const PoiseSceneJoint* joint = &scene->joints[i];
        PoiseNodeId node = poise_simulation_joint(simulation, i).node;
        bool ranged = isfinite(joint->lower) && isfinite(joint->upper);
        double lower = ranged ? joint->lower : joint->start_angle - pi;
        double upper = ranged ? joint->upper : joint->start_angle + pi;
        double part = attempt == 1 ? 0.5 : scatter((uint32_t)attempt, (uint32_t)i);
        if (joint->kind == POISE_NODE_BALL) {
            (void)poise_node_set_rotation(tree, node, poise_quat_identity());
        } else if (attempt == 0 || poise_node_dof(tree, node) == 0) {
            // also those that have no part in it
            (void)poise_node_set_angle(tree, node, joint->start_angle);
        } else {
            (void)poise_node_set_angle(tree, node, lower + part * (upper - lower));
        }
    }
    poise_tree_clear_status(tree);
}

static void attempt_once(PoiseSimulation* simulation, Solution* solution, int attempt) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    set_start(simulation, attempt);
    for (int step = 0; step < MOST_STEPS; step++) {
        if (poise_forward(tree) < 0) {
            return;
        }
        solution->error = poise_point_error(tree, solution->point);
        solution->angle_error = poise_point_angle_error(tree, solution->point);
        if (solution->error < MET && solution->angle_error < MET) {
            break;
        }
        if (poise_solve(tree, NULL, NULL) < 0 || poise_advance(tree) < 0) {
            return;
        }
        solution->steps++;
    }
    solution->reached = solution->error < REACHED && solution->angle_error < REACHED;
}

static bool solve(PoiseSimulation* simulation, Solution* solution) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    int best = 0;
    double least = (double)INFINITY;
    for (int attempt = 0; attempt < MOST_ATTEMPTS && !solution->reached; attempt++) {
        attempt_once(simulation, solution, attempt);
        double missed = solution->error + solution->angle_error;
        if (missed < least) {
            least = missed;
            best = attempt;
        }
    }
    if (!solution->reached) {
        attempt_once(simulation, solution, best);
    }
    if (poise_tree_status(tree) < 0) {
        fprintf(stderr, "poise: %s\n", poise_tree_message(tree));
        return false;
    }
    return true;
}

// -------------------------------------------------------------------------------------- printing

static void print_joint(const PoiseTree* tree, const PoiseJointView* joint, bool json) {
    if (joint->kind == POISE_NODE_BALL) {
        PoiseVec3 r = poise_quat_log(poise_node_rotation(tree, joint->node));
        if (json) {
            printf("[%.17g, %.17g, %.17g]", r.x, r.y, r.z);
        } else {
            printf("(%.9f %.9f %.9f) rad", r.x, r.y, r.z);
        }
        return;
    }
    double angle = poise_node_angle(tree, joint->node);
    if (json) {
        printf("%.17g", angle);
    } else {
        printf("%.9f %s", angle, joint->kind == POISE_NODE_SLIDER ? "m" : "rad");
    }
}

static void print_solution(const PoiseSimulation* simulation, const Solution* solution, bool json) {
    const PoiseTree* tree = poise_simulation_tree(simulation);
    if (json) {
        printf("{\"status\": \"%s\", \"error\": %.17g, \"angle_error\": %.17g, \"steps\": %d, "
               "\"joints\": {",
               solution->reached ? "ok" : "missed", solution->error, solution->angle_error,
               solution->steps);
    } else {
        printf("%s: off by %.3g m and %.3g rad after %d steps\n",
               solution->reached ? "reached" : "missed", solution->error, solution->angle_error,
               solution->steps);
    }
    const char* separator = "";
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        PoiseJointView joint = poise_simulation_joint(simulation, i);
        if (joint.node.index1 == 0) {
            continue;
        }
        if (json) {
            printf("%s\"%s\": ", separator, joint.name);
        } else {
            printf("  %-24s ", joint.name);
        }
        print_joint(tree, &joint, json);
        fputs(json ? "" : "\n", stdout);
        separator = json ? ", " : "";
    }
    fputs(json ? "}}\n" : "", stdout);
}

static int solve_file(const SolveOptions* options, PoiseDiagnostics* diagnostics) {
    PoiseScene* scene = poise_scene_load(options->file, diagnostics);
    PoiseSimulation* simulation = scene ? poise_simulation_create(scene, diagnostics) : NULL;
    poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
    Solution solution;
    memset(&solution, 0, sizeof solution);
    int code = EXIT_INPUT;
    if (simulation && make_point(simulation, options, &solution) && solve(simulation, &solution)) {
        print_solution(simulation, &solution, options->json);
        code = poise__finish_output(solution.reached ? EXIT_DONE : EXIT_MISSED);
    }
    poise_simulation_destroy(simulation);
    poise_scene_destroy(scene);
    return code;
}

int poise__command_solve(int argc, char** argv) {
    SolveOptions options;
    memset(&options, 0, sizeof options);
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
