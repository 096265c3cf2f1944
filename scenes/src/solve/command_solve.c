// SPDX-License-Identifier: MIT
// `poise solve`: computes joint angles without physics, for targets of the command line
// (poise_reach, printed by solve_print.c) or for a file of targets (solve_targets.c).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chain_file.h"
#include "poise/math.h"
#include "poise/tip.h"
#include "solve.h"
#include "solve_targets.h"

static const char usage[] =
    "usage: poise solve FILE [--point LINK[:x,y,z] --target x,y,z[,qw,qx,qy,qz]].. [options]\n"
    "       poise solve --dh TABLE.csv --target x,y,z[,qw,qx,qy,qz] [options]\n"
    "       poise solve FILE --point LINK[:x,y,z].. --targets TARGETS.csv --out OUT.csv [options]\n"
    "       poise solve --chain CHAIN.csv --targets TARGETS.csv --out OUT.csv [options]\n"
    "  --point     a link, body or control point, and a position in its frame (0,0,0); all joints\n"
    "              between it and the base move for it. Given again: several points, solved at\n"
    "              once. Not given: the scene's own points, with their goals at the start\n"
    "  --target    the position of the point before it in the world, and its rotation\n"
    "  --priority N  of the point before it, 0 (first) to 15: a point of a higher number uses the\n"
    "              freedom that those of lower numbers leave (0)\n"
    "  --base B    fixed: a floating base stays; free: it moves, and the answer has its pose, "
    "with\n"
    "              --targets the position of its centre of mass and its quaternion (fixed with\n"
    "              --point; free for the scene's own points)\n"
    "  --dh        a Denavit-Hartenberg table; its point is the frame at its end, 'tool', unless\n"
    "              --point names another\n"
    "  --keep-apart  of answers: no two links that can touch are nearer than 1 cm, or than the\n"
    "              scene's `keep_apart` has it, and no link is nearer to other bodies\n"
    "  --starts N  most start postures (1): the file's starting pose, then others within the\n"
    "              limits, the same in every call\n"
    "  --seed N    seed of the other start postures (0)\n"
    "  --json      one JSON object; a floating base is x, y, z, m, and its quaternion w, x, y, z\n"
    "  --targets   a file of many targets, one a row, and columns by these names: px,py,pz, with\n"
    "              qw,qx,qy,qz or roll,pitch,yaw for a rotation too; of several points LINK.px "
    "and\n"
    "              so on; id; qstart1.. for the start (else the robot's pose; with --chain the\n"
    "              middle of the ranges)\n"
    "  --chain     joints, one a row: name,type,px,py,pz,roll,pitch,yaw,ax,ay,az,lower,upper\n"
    "  --out       gets id,time_ns,q1,q2,..: the answers, a ball's as w,x,y,z; with FILE the\n"
    "              columns have the joints' names\n"
    "  --degrees   roll,pitch,yaw and the angles of starts and answers are in degrees\n"
    "  --follow    each target starts at the answer before; prints the largest joint step. The\n"
    "              path stops where a joint would leap, by more than 0.5 rad (a slider: m)\n"
    "  --leap      continues if a joint leaps\n"
    "  --errors    --out also gets met,error,angle_error: 1 or 0, m, rad\n"
    "  --goal G    pose, position or orientation (pose if the targets have rotations)\n"
    "  --nearest N  finds N answers and takes the nearest to the start (1)\n"
    "  --iterations N  most iterations for a target, of four starts each (2000)\n"
    "  --threads N  number of threads; with several, time_ns is the mean (1)\n"
    "  --path P    fused, exact (the same bits on every processor) or plain (the bits of exact in\n"
    "              plain C) (fused)\n"
    "  --quiet     no progress bar\n" TRUST_USAGE
    "A - for TARGETS.csv is stdin, for OUT.csv stdout (the summary then goes to stderr).\n"
    "Ends with 1 when a target is not reached: the answer is then the nearest that was found.\n"
    "Examples:\n"
    "  poise solve panda --point panda_hand --target 0.5,0.1,0.4\n"
    "  poise solve yoga --point left_hand --target 0.2,0.4,1.1 --point right_hand "
    "--target 0.2,-0.4,1.1\n"
    "  poise solve panda --point panda_hand --targets poses.csv --out answers.csv\n";

// Returns the settings with which a file of targets is solved: the defaults, but on the fused path.
static PoiseBodySolveDef usual_def(void) {
    PoiseBodySolveDef def = poise_default_body_solve_def();
    def.path = POISE_BODY_FUSED;
    return def;
}

// Seeds of a compiled body (PoiseBodyDef.seeds), more than by default. Compiling takes longer, but
// each of the file's many targets is then solved faster.
enum { SEEDS = 2048 };

#define LAST_PRIORITY 15.0

// A point of the option --point, with the options that follow it.
typedef struct Wanted {
    SolveLink link;
    PoisePose target;
    bool has_target;
    bool turned;
    int priority;
} Wanted;

typedef struct SolveOptions {
    const char* file;
    const char* chain;   ///< file of --chain; NULL: not given
    const char* targets; ///< file of targets; NULL: the targets are those of `wanted`
    SolveLink table_end; ///< end of a --dh table, which is the point if there is no --point
    Wanted wanted[SOLVE_POINTS];
    int count;
    int starts;
    uint32_t seed;
    SolveBase base;
    bool apart;
    bool degrees;
    TargetOptions many;
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
    if (last_wanted(options)->link.given && options->count++ == SOLVE_POINTS) {
        fprintf(stderr, "poise: %s %s: there are 32 points already\n", option, text);
        return false;
    }
    return poise__link_read(&last_wanted(options)->link, text);
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

static bool read_chain(void* request, const char* option, const char* text) {
    SolveOptions* options = request;
    (void)option;
    options->file = options->chain = text;
    return true;
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

static bool read_goal(void* of, const char* option, const char* text) {
    SolveOptions* options = of;
    static const char* const names[] = {"pose", "position", "orientation"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            options->many.goal = (PoiseBodyGoal)i;
            options->many.has_goal = true;
            return true;
        }
    }
    fprintf(stderr, "poise: %s: pose, position or orientation is due, not '%s'\n", option, text);
    return false;
}

static bool read_path(void* of, const char* option, const char* text) {
    SolveOptions* options = of;
    for (int path = POISE_BODY_EXACT; path <= POISE_BODY_FUSED; path++) {
        if (strcmp(text, poise__path_name((PoiseBodyPath)path)) == 0) {
            options->many.def.path = (PoiseBodyPath)path;
            return true;
        }
    }
    fprintf(stderr, "poise: %s: fused, exact or plain is due, not '%s'\n", option, text);
    return false;
}

// Returns a message if the options do not fit together, else NULL.
static const char* options_problem(const SolveOptions* options) {
    if (options->targets && !options->chain && options->count == 0) {
        return "--targets needs --point or --chain";
    }
    if (options->many.follow && options->many.def.threads > 1) {
        return "--follow goes from row to row: one thread";
    }
    for (int i = 0; i < options->count && !options->targets; i++) {
        if (!options->wanted[i].link.given || !options->wanted[i].has_target) {
            return "solve needs --point and --target, one for each other";
        }
    }
    return options->count == 1 && options->wanted[0].priority > 0
               ? "--priority orders several points: there is one"
               : NULL;
}

// clang-format off
static const CommandOption option_rows[] = {
    {"point", OPTION_TEXT, .take = read_point, .excludes = "chain"},
    {"target", OPTION_TEXT, .take = read_target, .excludes = "targets"},
    {"dh", OPTION_TEXT, .take = read_table},
    {"priority", OPTION_TEXT, .take = read_priority, .excludes = "targets"},
    {"base", OPTION_TEXT, .take = read_base, .excludes = "chain"},
    {"starts", OPTION_COUNT, .offset = offsetof(SolveOptions, starts), .most = 1e6, .excludes = "targets"},
    {"seed", OPTION_SEED, .offset = offsetof(SolveOptions, seed), .excludes = "targets"},
    {"keep-apart", OPTION_FLAG, .offset = offsetof(SolveOptions, apart), .excludes = "chain"},
    {"json", OPTION_FLAG, .offset = offsetof(SolveOptions, many.json)},
    {"targets", OPTION_TEXT, .offset = offsetof(SolveOptions, targets), .needs = "out"},
    {"chain", OPTION_TEXT, .take = read_chain, .needs = "targets"},
    {"out", OPTION_TEXT, .offset = offsetof(SolveOptions, many.out), .needs = "targets"},
    {"degrees", OPTION_FLAG, .offset = offsetof(SolveOptions, degrees), .needs = "targets"},
    {"follow", OPTION_FLAG, .offset = offsetof(SolveOptions, many.follow), .needs = "targets"},
    {"leap", OPTION_FLAG, .offset = offsetof(SolveOptions, many.def.leap), .needs = "follow"},
    {"errors", OPTION_FLAG, .offset = offsetof(SolveOptions, many.errors), .needs = "targets"},
    {"goal", OPTION_TEXT, .take = read_goal, .needs = "targets"},
    {"nearest", OPTION_COUNT, .offset = offsetof(SolveOptions, many.def.answers), .most = 1e6, .needs = "targets"},
    {"iterations", OPTION_COUNT, .offset = offsetof(SolveOptions, many.def.iterations), .most = 1e9, .needs = "targets"},
    {"threads", OPTION_COUNT, .offset = offsetof(SolveOptions, many.def.threads), .most = 256.0, .needs = "targets"},
    {"path", OPTION_TEXT, .take = read_path, .needs = "targets"},
    {"quiet", OPTION_FLAG, .offset = offsetof(SolveOptions, many.quiet), .needs = "targets"},
    {.name = NULL},
};
// clang-format on

static int read_options(SolveOptions* options, int argc, char** argv) {
    const CommandLine line = {usage, option_rows, options, &options->file, &options->reading};
    const int code = poise__read_line(&line, argc, argv);
    if (code != GO_ON) {
        return code;
    }
    if (options->table_end.given && options->count == (options->targets ? 0 : 1) &&
        !last_wanted(options)->link.given) {
        last_wanted(options)->link = options->table_end;
    }
    options->many.angle = options->degrees ? POISE_PI / 180.0 : 1.0;
    const char* problem = options_problem(options);
    if (problem) {
        fprintf(stderr, "poise: %s\n", problem);
        return EXIT_USAGE;
    }
    return GO_ON;
}

// ------------------------------------------------------------------------------------- one target

// If `used`, adds the scene's enabled points (centres of mass too) to `solution`; else disables all
// points of the scene.
static bool use_scene_points(PoiseSimulation* simulation, bool used, Solution* solution) {
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
    bool fine = use_scene_points(simulation, options->count == 0, solution);
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

// If a point ends farther from its target than this many extents of the robot (extent_of), the
// target is probably not in metres.
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

// Returns the distance (m) to the goal, along the directions that the goal constrains.
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
    if (status == POISE_NOT_CONVERGED && solution->report.out_of_reach && options->count > 0 &&
        solution->report.reason != POISE_REACH_HELD) {
        solution->report.reason = POISE_REACH_OUT_OF_REACH;
    }
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

// ----------------------------------------------------------------------------------- many targets

// Compiles a body for the job's only tip, and solves with it.
static int solve_tip(TargetJob* job, PoiseDiagnostics* diagnostics) {
    const PoiseBodyTip tip = {.link = job->tips->node, .in_link = job->tips->in_link};
    PoiseBodyDef def = poise_default_body_def();
    def.tip_count = 1;
    def.tips = &tip;
    def.seeds = SEEDS;
    PoiseBody* body = poise_body_compile(job->tree, &def);
    if (!body) {
        fprintf(stderr, "poise: %s\n", poise_tree_message(job->tree));
        return EXIT_INPUT;
    }
    job->body = body;
    const int code = poise__targets_solve(job, diagnostics);
    poise_body_destroy(body);
    return code;
}

static int solve_chain_file(const SolveOptions* options) {
    PoiseDiagnostics* diagnostics = poise__open_diagnostics();
    if (!diagnostics) {
        return EXIT_INPUT;
    }
    ChainFile file;
    int code = EXIT_INPUT;
    if (poise__chain_file_read(&file, options->chain, diagnostics)) {
        const PoiseTip tip = {file.tip, file.in_link};
        TargetJob job = {.targets = options->targets,
                         .tree = file.tree,
                         .tips = &tip,
                         .tip_count = 1,
                         .options = options->many};
        code = solve_tip(&job, diagnostics);
    } else {
        poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
    }
    poise__chain_file_finish(&file);
    poise_diagnostics_destroy(diagnostics);
    return code;
}

// True if poise_tips_reach must solve the whole tree. The compiled body of solve_tip supports
// neither several tips nor closed loops nor shapes to keep apart.
static bool needs_tree(const SolveOptions* options, const PoiseSimulation* simulation) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    bool loops = false;
    for (int i = 0; i < scene->joint_count; i++) {
        loops = loops || !scene->joints[i].driven;
    }
    return options->count > 1 || loops || poise_rig_apart(poise_simulation_rig(simulation));
}

// True if an option was given that only solve_tip supports.
static bool is_for_chain(const TargetOptions* options) {
    const PoiseBodySolveDef plain = usual_def();
    return options->def.answers != plain.answers || options->def.threads != plain.threads ||
           options->def.iterations != plain.iterations || options->def.path != plain.path ||
           (options->has_goal && options->goal == POISE_BODY_ORIENTATION);
}

// Finds the tips of --point. Returns false with a message if one is missing or named twice.
static bool find_tips(const SolveOptions* options, const PoiseSimulation* simulation,
                      PoiseTip* tips, const char** names) {
    for (int t = 0; t < options->count; t++) {
        const SolveLink* link = &options->wanted[t].link;
        names[t] = link->name;
        if (!poise__link_find(simulation, link, &tips[t].node, &tips[t].in_link)) {
            return false;
        }
        for (int k = 0; k < t; k++) {
            if (strcmp(names[k], link->name) == 0) {
                fprintf(stderr, "poise: --point %s is named twice\n", link->name);
                return false;
            }
        }
    }
    return true;
}

// Solves a file of targets for the tips of a robot or scene.
static int solve_tips(const SolveOptions* options, const OpenScene* open) {
    PoiseTip tips[SOLVE_POINTS];
    const char* names[SOLVE_POINTS];
    TargetJob job = {.targets = options->targets,
                     .tree = poise_simulation_tree(open->simulation),
                     .simulation = open->simulation,
                     .tips = tips,
                     .names = names,
                     .tip_count = options->count,
                     .options = options->many};
    const bool whole = needs_tree(options, open->simulation);
    if (whole && is_for_chain(&options->many)) {
        fprintf(stderr,
                "poise: --nearest, --iterations, --threads, --path and --goal orientation are of "
                "one --point on a robot without loops, and not of --keep-apart\n");
        return EXIT_USAGE;
    }
    if (!find_tips(options, open->simulation, tips, names)) {
        return EXIT_INPUT;
    }
    return whole ? poise__targets_solve(&job, open->diagnostics)
                 : solve_tip(&job, open->diagnostics);
}

// --------------------------------------------------------------------------------------- the file

// Frees or fixes floating bases. If --base is not given, a base moves for the scene's own points
// and is fixed for points of the command line. Returns false with a message on failure.
static bool set_base(PoiseSimulation* simulation, const SolveOptions* options) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    bool floats = false;
    for (int i = 0; i < scene->joint_count; i++) {
        floats = floats || poise_kind_floats(scene->joints[i].kind);
    }
    if (options->base == BASE_FREE && !floats) {
        fprintf(stderr, "poise: --base free: %s has no floating base\n", options->file);
        return false;
    }
    return (options->base == BASE_DEFAULT && options->count == 0) ||
           poise_simulation_free_base(simulation, options->base == BASE_FREE) >= 0;
}

static int solve_one(const SolveOptions* options, const OpenScene* open) {
    Solution solution = {0};
    if (!make_points(open->simulation, options, &solution) ||
        !solve(open->simulation, options, &solution)) {
        return EXIT_INPUT;
    }
    poise__solution_print(open->simulation, &solution, options->many.json);
    poise__print_left_out(open->diagnostics);
    return poise__finish_output(solution.reached ? EXIT_DONE : EXIT_MISSED);
}

static int solve_file(const SolveOptions* options) {
    const PoiseSceneSource source = poise__source(options->file, &options->reading);
    OpenScene open;
    int code = EXIT_INPUT;
    const bool fine = poise__open_scene(&open, &source) && set_base(open.simulation, options) &&
                      poise__keep_apart(open.simulation, options->apart);
    // read_targets prints these warnings, together with those of the table of --targets
    if (!fine || !options->targets) {
        poise_diagnostics_print(open.diagnostics, POISE_WARNING, stderr);
    }
    if (fine) {
        code = options->targets ? solve_tips(options, &open) : solve_one(options, &open);
    }
    poise__close_scene(&open);
    return code;
}

int poise__command_solve(int argc, char** argv) {
    SolveOptions options = {.starts = 1, .many.def = usual_def()};
    const int code = read_options(&options, argc, argv);
    return code != GO_ON ? code : options.chain ? solve_chain_file(&options) : solve_file(&options);
}
