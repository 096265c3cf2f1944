// SPDX-License-Identifier: MIT
// `poise solve`: computes the joint angles that bring points of links to targets, without physics
// (poise_reach). solve_print.c prints the result.
#include <math.h>

#include "poise/tip.h"
#include "solve.h"

static const char usage[] =
    "usage: poise solve FILE [--point LINK[:x,y,z] --target x,y,z[,qw,qx,qy,qz]].. [options]\n"
    "       poise solve --dh TABLE.csv --target x,y,z[,qw,qx,qy,qz] [options]\n"
    "  --point     a link, body or control point, and a position in its frame (0,0,0); all joints\n"
    "              between it and the base move for it. Given again, with a target of its own:\n"
    "              several points. Not given: the scene's own points, with their goals at the "
    "start\n"
    "  --target    its position in the world, and its rotation\n"
    "  --priority N  of the point before it, 0 (first) to 15: a point of a higher number uses the\n"
    "              freedom that those of lower numbers leave (0)\n"
    "  --base B    fixed: a floating base stays; free: it moves, and the answer has its pose\n"
    "              (fixed with --point; free for the scene's own points)\n"
    "  --dh        a Denavit-Hartenberg table; its point is the frame at its end, 'tool', unless\n"
    "              --point names another\n"
    "  --keep-apart  of answers: no two links that can touch are nearer than 1 cm, or than the\n"
    "              scene's `keep_apart` has it, and no link is nearer to other bodies\n"
    "  --starts N  most start postures (1): the file's starting pose, then others within the\n"
    "              limits, the same in every call\n"
    "  --seed N    seed of the other start postures (0)\n"
    "  --json      one JSON object; a floating base is x, y, z, m, and its quaternion w, x, y, "
    "z\n" TRUST_USAGE "Many targets, or a chain by itself: poise solve --targets --help.\n"
    "Prints how near it came, why not nearer, and the joints' angles; those of hinges and sliders\n"
    "as a scene's `pose:`. Ends with 1 when the target is not reached.\n"
    "Examples:\n"
    "  poise solve panda --point panda_hand --target 0.5,0.1,0.4\n"
    "  poise solve yoga --point left_hand --target 0.2,0.4,1.1 --point right_hand "
    "--target 0.2,-0.4,1.1\n"
    "  poise solve panda --point panda_hand --targets poses.csv --out answers.csv\n";

// A --point with its own options.
typedef struct Wanted {
    SolveLink link;
    PoisePose target;
    bool has_target;
    bool turned;
    int priority;
} Wanted;

#define LAST_PRIORITY 15.0

typedef struct SolveOptions {
    const char* file;
    SolveLink table_end; ///< the point of a table if --point is not given
    Wanted wanted[SOLVE_POINTS];
    int count;
    int starts;
    uint32_t seed;
    SolveBase base;
    bool apart;
    bool json;
    Reading reading;
} SolveOptions;

// --------------------------------------------------------------------------------------- options

// Returns the point that the next options belong to. The first --target may precede its --point.
static Wanted* last_wanted(SolveOptions* options) {
    options->count = options->count > 0 ? options->count : 1;
    return &options->wanted[options->count - 1];
}

static bool read_point(void* request, const char* option, const char* text) {
    SolveOptions* options = request;
    Wanted* last = last_wanted(options);
    if (last->link.given) {
        if (!last->has_target || options->count == SOLVE_POINTS) {
            fprintf(stderr, "poise: %s %s: %s\n", option, text,
                    last->has_target ? "there are 32 points already"
                                     : "the point before it has no --target");
            return false;
        }
        last = &options->wanted[options->count++];
    }
    return poise__link_read(&last->link, text);
}

static bool read_target(void* request, const char* option, const char* text) {
    SolveOptions* options = request;
    Wanted* wanted = last_wanted(options);
    if (wanted->has_target) {
        fprintf(stderr, "poise: %s %s: its point has one already\n", option, text);
        return false;
    }
    int commas = 0;
    for (const char* letter = text; *letter; letter++) {
        commas += *letter == ',' ? 1 : 0;
    }
    double n[7] = {0.0};
    wanted->turned = commas > 2;
    if (!poise__parse_numbers(option, text, n, wanted->turned ? 7 : 3)) {
        return false;
    }
    wanted->target.p = poise_vec3(n[0], n[1], n[2]);
    wanted->target.q = poise_quat_identity();
    if (wanted->turned) {
        double square = n[3] * n[3] + n[4] * n[4] + n[5] * n[5] + n[6] * n[6];
        if (!(square > 0.0) || !isfinite(square)) {
            fprintf(stderr, "poise: %s: the quaternion must not be zero\n", option);
            return false;
        }
        wanted->target.q = poise_quat_normalize(poise_quat(n[3], n[4], n[5], n[6]));
    }
    wanted->has_target = true;
    return true;
}

// Stores the table's file, and the frame at its end as the default point.
static bool read_table(void* request, const char* option, const char* text) {
    SolveOptions* options = request;
    (void)option;
    options->file = text;
    return poise__link_read(&options->table_end, "tool");
}

static bool read_priority(void* request, const char* option, const char* text) {
    double value = 0.0;
    bool fine = poise__parse_count(option, text, 0.0, LAST_PRIORITY, &value);
    last_wanted(request)->priority = (int)value;
    return fine;
}

static bool read_base(void* request, const char* option, const char* text) {
    SolveOptions* options = request;
    (void)option;
    return poise__base_read(&options->base, text);
}

static int read_options(SolveOptions* options, int argc, char** argv) {
    static const CommandOption rows[] = {
        {"point", OPTION_TEXT, .take = read_point},
        {"target", OPTION_TEXT, .take = read_target},
        {"dh", OPTION_TEXT, .take = read_table},
        {"priority", OPTION_TEXT, .take = read_priority},
        {"base", OPTION_TEXT, .take = read_base},
        {"starts", OPTION_COUNT, .offset = offsetof(SolveOptions, starts), .most = 1e6},
        {"seed", OPTION_SEED, .offset = offsetof(SolveOptions, seed)},
        {"keep-apart", OPTION_FLAG, .offset = offsetof(SolveOptions, apart)},
        {"json", OPTION_FLAG, .offset = offsetof(SolveOptions, json)},
        {.name = NULL},
    };
    const CommandLine line = {usage, rows, options, &options->file, &options->reading};
    const int code = poise__read_line(&line, argc, argv);
    Wanted* last = options->count > 0 ? last_wanted(options) : NULL;
    if (last && !last->link.given && options->table_end.given) {
        last->link = options->table_end;
    }
    if (code == GO_ON && last && (!last->link.given || !last->has_target)) {
        fprintf(stderr, "poise: solve needs --point and --target, one for each other\n");
        return EXIT_USAGE;
    }
    return code;
}

// --------------------------------------------------------------------------------------- solving

// Uses the scene's own points (centres of mass too) as they are, or disables them.
static bool take_points(PoiseSimulation* simulation, bool used, Solution* solution) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < poise_simulation_point_count(simulation) && status >= 0; i++) {
        PoisePointView view = poise_simulation_point(simulation, i);
        const bool aims = view.aim.index1 != 0 && view.aim.index1 != view.point.index1;
        if (!used) {
            status = poise_point_set_enabled(tree, view.point, false);
            status = status >= 0 && aims ? poise_point_set_enabled(tree, view.aim, false) : status;
        } else if (view.enabled && solution->count < SOLVE_POINTS) {
            SolvedPoint* point = &solution->points[solution->count++];
            snprintf(point->name, sizeof point->name, "%s", view.name);
            point->point = view.point;
            point->aim = aims ? view.aim : poise_null_point();
            point->turned = view.has_orientation || view.aim.index1 != 0;
        }
    }
    return status >= 0;
}

static bool make_point(PoiseSimulation* simulation, const Wanted* wanted, Solution* solution) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    PoisePointDef def = wanted->turned ? poise_default_pose_def() : poise_default_position_def();
    if (!poise__link_find(simulation, &wanted->link, &def.link, &def.in_link)) {
        return false;
    }
    def.has_goal = true;
    def.goal = wanted->target;
    def.priority = wanted->priority;
    SolvedPoint* point = &solution->points[solution->count++];
    snprintf(point->name, sizeof point->name, "%s", wanted->link.name);
    point->turned = wanted->turned;
    point->point = poise_point_create(tree, &def);
    return point->point.index1 != 0 &&
           poise_register_chain(tree, point->point, poise_null_node()) >= 0;
}

static bool make_points(PoiseSimulation* simulation, const SolveOptions* options,
                        Solution* solution) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    const int status = poise_tree_status(tree);
    bool fine = take_points(simulation, options->count == 0, solution);
    for (int i = 0; fine && i < options->count; i++) {
        fine = make_point(simulation, &options->wanted[i], solution);
    }
    if (poise_tree_status(tree) < 0) {
        fprintf(stderr, "poise: %s\n", poise_tree_message(tree));
        return false;
    }
    if (fine && status >= 0 && solution->count == 0) {
        fprintf(stderr, "poise: the scene has no points: say --point and --target\n");
        return false;
    }
    return fine;
}

// A point farther from its target than this many sizes of the robot suggests that the target has
// another unit.
#define FAR_OFF 10.0

// Returns the largest distance (m) of a body or joint from the first body; at least 0.1.
static double extent_of(const PoiseScene* scene) {
    double extent = 0.1;
    for (int i = 0; i < scene->body_count; i++) {
        PoiseVec3 offset = poise_sub(scene->bodies[i].pose.p, scene->bodies[0].pose.p);
        extent = fmax(extent, poise_length(offset));
    }
    for (int i = 0; i < scene->joint_count; i++) {
        PoiseVec3 offset = poise_sub(scene->joints[i].anchor, scene->bodies[0].pose.p);
        extent = fmax(extent, poise_length(offset));
    }
    return extent;
}

// Returns the distance to the goal, m, in the rows that count.
static double row_error(PoiseTree* tree, PoisePointId id) {
    double rows[36];
    const int count = poise_point_goal_rows(tree, id, rows);
    if (count == 0 || count == 3 || count == 6) {
        return poise_point_planned_error(tree, id);
    }
    const PoiseNodeId frame = poise_point_frame(tree, id);
    const PoisePose base = poise_node_is_valid(tree, frame) ? poise_node_link_world(tree, frame)
                                                            : poise_pose_identity();
    const PoiseVec3 goal = poise_pose_apply(base, poise_point_goal(tree, id).p);
    const PoiseVec3 left = poise_sub(goal, poise_point_planned_pose(tree, id).p);
    double sum = 0.0;
    for (int r = 0; r < count; r++) {
        const double* row = &rows[6 * r];
        const double part = poise_dot(poise_vec3(row[0], row[1], row[2]), left);
        sum += part * part;
    }
    return sqrt(sum);
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
    const double far = FAR_OFF * extent_of(poise_simulation_scene(simulation));
    for (int i = 0; i < solution->count; i++) {
        SolvedPoint* point = &solution->points[i];
        const PoisePointId turns = point->aim.index1 != 0 ? point->aim : point->point;
        point->error = row_error(tree, point->point);
        point->angle_error = point->turned ? poise_point_planned_angle_error(tree, turns) : 0.0;
        solution->metres = solution->metres || point->error > far;
    }
    return true;
}

// Frees or fixes floating bases. By default a base moves for the scene's own points, and is fixed
// for points of the command line.
static bool set_base(PoiseSimulation* simulation, const SolveOptions* options) {
    if (options->base == BASE_DEFAULT && options->count == 0) {
        return true;
    }
    return poise_simulation_free_base(simulation, options->base == BASE_FREE) >= 0;
}

static int solve_file(const SolveOptions* options) {
    const PoiseSceneSource source = poise__source(options->file, &options->reading);
    OpenScene open;
    const bool fine = poise__open_scene(&open, &source);
    poise_diagnostics_print(open.diagnostics, POISE_WARNING, stderr);
    Solution solution = {0};
    int code = EXIT_INPUT;
    if (fine && set_base(open.simulation, options) &&
        poise__keep_apart(open.simulation, options->apart) &&
        make_points(open.simulation, options, &solution) &&
        solve(open.simulation, options, &solution)) {
        poise__solution_print(open.simulation, &solution, options->json);
        poise__print_left_out(open.diagnostics);
        code = poise__finish_output(solution.reached ? EXIT_DONE : EXIT_MISSED);
    }
    poise__close_scene(&open);
    return code;
}

int poise__command_solve(int argc, char** argv) {
    if (poise__has_targets(argc, argv)) {
        return poise__command_solve_targets(argc, argv);
    }
    SolveOptions options = {.starts = 1};
    const int code = read_options(&options, argc, argv);
    return code == GO_ON ? solve_file(&options) : code;
}
