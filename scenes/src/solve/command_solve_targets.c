// SPDX-License-Identifier: MIT
// `poise solve --targets`: reads the options and the robot; solve_targets.c and solve_tips.c solve.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "chain_file.h"
#include "poise/math.h"
#include "poise/tip.h"
#include "solve.h"
#include "solve_targets.h"

static const char usage[] =
    "usage: poise solve --chain CHAIN.csv --targets TARGETS.csv --out OUT.csv [options]\n"
    "       poise solve FILE --point LINK[:x,y,z] --targets TARGETS.csv --out OUT.csv [options]\n"
    "  --chain      joints, one a row: name,type,px,py,pz,roll,pitch,yaw,ax,ay,az,lower,upper\n"
    "  --point      a link or body of a scene or robot, and a place in its frame (0,0,0); several\n"
    "               of them are solved at once: columns LINK.px and so on of each\n"
    "  --targets    one a row, of columns by these names: px,py,pz, with qw,qx,qy,qz or\n"
    "               roll,pitch,yaw for a rotation too; id; qstart1.. for the start (else the\n"
    "               middle of the ranges; of several points where the file has it)\n"
    "  --base B     fixed: a floating base stays; free: it moves, and the answers have the "
    "position\n"
    "               of its centre of mass and its quaternion (fixed)\n"
    "  --degrees    roll,pitch,yaw and the angles of starts and answers are in degrees\n"
    "  --out        gets id,time_ns,q1,q2,..: the answers, a ball's as w,x,y,z; with FILE the\n"
    "               columns have the joints' names\n"
    "  --follow     each target starts at the answer before; prints the largest joint step. The\n"
    "               path stops where a joint would leap, by more than 0.5 rad (a slider: m)\n"
    "  --leap       with --follow: continues if a joint leaps\n"
    "  --errors     --out also gets met,error,angle_error: 1 or 0, m, rad\n"
    "  --goal G     pose, position or orientation (pose if the targets have rotations)\n"
    "  --nearest N  finds N answers and takes the nearest to the start (1)\n"
    "  --iterations N  most iterations for a target (4000)\n"
    "  --threads N  number of threads; with several, time_ns is the mean (1)\n"
    "  --path P     auto, scalar, avx2 or avx512 (auto)\n"
    "  --json       the summary as one JSON object\n"
    "  --quiet      no progress bar\n" TRUST_USAGE
    "A - for TARGETS.csv is stdin, for OUT.csv stdout (the summary then goes to stderr).\n"
    "Ends with 1 when a target is not met; its answer is then the nearest that was found, and the\n"
    "first such targets are named on stderr.\n";

typedef struct Request {
    const char* file;
    const char* chain;
    const char* targets;
    SolveLink links[SOLVE_POINTS];
    int link_count;
    PoiseChainPath path;
    bool has_goal;
    bool degrees;
    SolveBase base;
    Reading reading;
    TargetOptions options;
} Request;

// ----------------------------------------------------------------------------------------- options

static bool read_goal(void* of, const char* option, const char* text) {
    Request* request = of;
    static const char* const names[] = {"pose", "position", "orientation"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            request->options.def.goal = (PoiseChainGoal)i;
            request->has_goal = true;
            return true;
        }
    }
    fprintf(stderr, "poise: %s: pose, position or orientation is due, not '%s'\n", option, text);
    return false;
}

static bool read_base(void* of, const char* option, const char* text) {
    Request* request = of;
    (void)option;
    return poise__base_read(&request->base, text);
}

static bool read_path(void* of, const char* option, const char* text) {
    Request* request = of;
    for (int path = POISE_CHAIN_AUTO; path <= POISE_CHAIN_AVX512; path++) {
        if (strcmp(text, poise_chain_path_name((PoiseChainPath)path)) == 0) {
            request->path = (PoiseChainPath)path;
            if (!poise_chain_path_available(request->path)) {
                fprintf(stderr, "poise: %s: this processor or build has no %s\n", option, text);
                return false;
            }
            return true;
        }
    }
    fprintf(stderr, "poise: %s: auto, scalar, avx2 or avx512 is due, not '%s'\n", option, text);
    return false;
}

static bool read_point(void* of, const char* option, const char* text) {
    Request* request = of;
    if (request->link_count == SOLVE_POINTS) {
        fprintf(stderr, "poise: %s %s: there are 32 points already\n", option, text);
        return false;
    }
    return poise__link_read(&request->links[request->link_count++], text);
}

// Returns the first error of the request, or NULL.
static const char* request_problem(const Request* request) {
    if (!request->targets) {
        return request->options.out ? "--targets is missing: a file of targets"
                                    : "--targets and --out are missing: files of targets, and "
                                      "for the answers";
    }
    if (!request->options.out) {
        return "--out is missing: a file for the answers";
    }
    if (request->chain && (request->file || request->link_count > 0)) {
        return "--chain is instead of a FILE and its --point";
    }
    if (request->options.follow && request->options.def.threads > 1) {
        return "--follow goes from row to row: one thread";
    }
    if (request->options.def.leap && !request->options.follow) {
        return "--leap is of --follow";
    }
    if (!request->chain && (!request->file || request->link_count == 0)) {
        return "solve needs --chain, or a FILE and --point";
    }
    return NULL;
}

static int read_options(Request* request, int argc, char** argv) {
    static const CommandOption rows[] = {
        {"chain", OPTION_TEXT, .offset = offsetof(Request, chain)},
        {"targets", OPTION_TEXT, .offset = offsetof(Request, targets)},
        {"out", OPTION_TEXT, .offset = offsetof(Request, options.out)},
        {"point", OPTION_TEXT, .take = read_point},
        {"base", OPTION_TEXT, .take = read_base},
        {"errors", OPTION_FLAG, .offset = offsetof(Request, options.errors)},
        {"degrees", OPTION_FLAG, .offset = offsetof(Request, degrees)},
        {"follow", OPTION_FLAG, .offset = offsetof(Request, options.follow)},
        {"leap", OPTION_FLAG, .offset = offsetof(Request, options.def.leap)},
        {"goal", OPTION_TEXT, .take = read_goal},
        {"nearest", OPTION_COUNT, .offset = offsetof(Request, options.def.answers), .most = 1e6},
        {"iterations", OPTION_COUNT, .offset = offsetof(Request, options.def.iterations),
         .most = 1e9},
        {"threads", OPTION_COUNT, .offset = offsetof(Request, options.def.threads), .most = 256.0},
        {"path", OPTION_TEXT, .take = read_path},
        {"json", OPTION_FLAG, .offset = offsetof(Request, options.json)},
        {"quiet", OPTION_FLAG, .offset = offsetof(Request, options.quiet)},
        {.name = NULL},
    };
    const CommandLine line = {usage, rows, request, NULL, &request->reading};
    const int code = poise__read_line(&line, argc, argv);
    if (code != GO_ON) {
        return code;
    }
    if (optind < argc - 1) {
        fprintf(stderr, "poise: one file at a time\n%s", usage);
        return EXIT_USAGE;
    }
    request->file = optind < argc ? argv[optind] : NULL;
    const char* problem = request_problem(request);
    if (problem) {
        fprintf(stderr, "poise: %s\n%s", problem, usage);
        return EXIT_USAGE;
    }
    return GO_ON;
}

// ---------------------------------------------------------------------------------------- the work

// The tip that the targets are for.
typedef struct Tip {
    PoiseTree* tree;
    PoiseNodeId node;
    PoisePose in_link;
    /// Gives the joints' names; NULL: a chain file, whose columns are q1, q2, ..
    const PoiseSimulation* simulation;
} Tip;

enum { COLUMN_LENGTH = 100 };

// Returns the names of a posture's numbers: the joint's, then with .2, .3 .. if it has several.
// Commas and quotes become _. NULL when memory is short. The caller frees the names.
static char* name_columns(const PoiseChain* chain, const PoiseSimulation* simulation) {
    const int count = poise_chain_posture_size(chain);
    char* names = calloc((size_t)count + 1, COLUMN_LENGTH);
    for (int k = 0; names && k < count; k++) {
        char* name = names + (size_t)k * COLUMN_LENGTH;
        poise_tip_column(simulation, chain, k, name, COLUMN_LENGTH);
        for (char* letter = name; *letter; letter++) {
            *letter = *letter == ',' || *letter == '"' ? '_' : *letter;
        }
    }
    return names;
}

// Returns the unit of each number of a posture: `angle` for angles, 1 for lengths and quaternions.
// NULL when memory is short. The caller frees the units.
static double* make_units(const PoiseChain* chain, const PoiseTree* tree, double angle) {
    const int count = poise_chain_posture_size(chain);
    double* units = calloc((size_t)count + 1, sizeof *units);
    int part = 0;
    for (int k = 0; units && k < count; k++) {
        const PoiseNodeId node = poise_chain_node(chain, k);
        const PoiseJointType* type = poise_joint_type(poise_node_kind(tree, node));
        part = (k > 0 && poise_chain_node(chain, k - 1).index1 == node.index1) ? part + 1 : 0;
        // A joint has one number for each motion, except that a rotation's quaternion comes last.
        const bool turns = part < type->motion_count && type->motions[part] == POISE_REVOLUTE;
        units[k] = turns ? angle : 1.0;
    }
    return units;
}

static int solve_targets(const Request* request, const PoiseChain* chain,
                         const PoiseSimulation* simulation, const TargetFile* targets) {
    TargetOptions options = request->options;
    const int count = poise_chain_posture_size(chain);
    char* text = simulation ? name_columns(chain, simulation) : NULL;
    const char** names = text ? calloc((size_t)count + 1, sizeof *names) : NULL;
    for (int k = 0; names && k < count; k++) {
        names[k] = text + (size_t)k * COLUMN_LENGTH;
    }
    options.names = names;
    if (!request->has_goal) {
        options.def.goal = targets->turned ? POISE_CHAIN_POSE : POISE_CHAIN_POSITION;
    }
    int code = EXIT_INPUT;
    if (!targets->turned && options.def.goal != POISE_CHAIN_POSITION) {
        fprintf(stderr,
                "poise: --goal: the targets have no rotations (qw,qx,qy,qz or roll,pitch,yaw)\n");
    } else if (simulation && !names) {
        fprintf(stderr, "poise: memory is short\n");
    } else {
        code = poise__targets_solve(chain, targets, &options);
    }
    free(names);
    free(text);
    return code;
}

static int solve_tree(const Request* request, const Tip* tip, PoiseDiagnostics* diagnostics) {
    PoiseChainDef def = poise_default_chain_def();
    def.tip = tip->node;
    def.in_link = tip->in_link;
    def.path = request->path;
    PoiseChain* chain = poise_chain_compile(tip->tree, &def);
    if (!chain) {
        fprintf(stderr, "poise: %s\n", poise_tree_message(tip->tree));
        return EXIT_INPUT;
    }
    const double angle = request->degrees ? POISE_PI / 180.0 : 1.0;
    double* units = make_units(chain, tip->tree, angle);
    if (!units) {
        fprintf(stderr, "poise: memory is short\n");
        poise_chain_destroy(chain);
        return EXIT_INPUT;
    }
    Request with = *request;
    with.options.units = units;
    with.options.inputs = diagnostics;
    TargetFile targets;
    const TargetUnits read = {
        .posture_size = poise_chain_posture_size(chain), .angle = angle, .numbers = units};
    const bool fine = poise__target_file_read(&targets, request->targets, &read, diagnostics);
    poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
    const int code = fine ? solve_targets(&with, chain, tip->simulation, &targets) : EXIT_INPUT;
    poise__target_file_finish(&targets);
    free(units);
    poise_chain_destroy(chain);
    return code;
}

static int solve_chain(const Request* request) {
    PoiseDiagnostics* diagnostics = poise__open_diagnostics();
    if (!diagnostics) {
        return EXIT_INPUT;
    }
    ChainFile file;
    int code = EXIT_INPUT;
    if (poise__chain_file_read(&file, request->chain, diagnostics)) {
        const Tip tip = {file.tree, file.tip, file.in_link, NULL};
        code = solve_tree(request, &tip, diagnostics);
    } else {
        poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
    }
    poise__chain_file_finish(&file);
    poise_diagnostics_destroy(diagnostics);
    return code;
}

// True if the job needs the whole tree: a compiled chain has one tip and no loops.
static bool needs_tree(const Request* request, const PoiseSimulation* simulation) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    bool loops = false;
    for (int i = 0; i < scene->joint_count; i++) {
        loops = loops || !scene->joints[i].driven;
    }
    return request->link_count > 1 || loops;
}

// Solves on the robot's whole tree. Options that only chains have are refused.
static int solve_on_tree(const Request* request, const PoiseSimulation* simulation,
                         PoiseDiagnostics* diagnostics) {
    const PoiseChainSolveDef plain = poise_default_chain_solve_def();
    TargetOptions options = request->options;
    const bool turns_alone = request->has_goal && options.def.goal == POISE_CHAIN_ORIENTATION;
    if (options.def.answers != plain.answers || options.def.threads != plain.threads ||
        options.def.iterations != plain.iterations || request->path != POISE_CHAIN_AUTO ||
        turns_alone) {
        fprintf(stderr,
                "poise: --nearest, --iterations, --threads, --path and --goal orientation are of "
                "one --point on a robot without loops\n");
        return EXIT_USAGE;
    }
    options.inputs = diagnostics;
    const TipsJob job = {
        .simulation = simulation,
        .links = request->links,
        .link_count = request->link_count,
        .targets = request->targets,
        .angle = request->degrees ? POISE_PI / 180.0 : 1.0,
        .position_only = request->has_goal && options.def.goal == POISE_CHAIN_POSITION,
        .options = &options,
    };
    return poise__tips_solve(&job, diagnostics);
}

static int solve_scene(const Request* request) {
    const PoiseSceneSource source = poise__source(request->file, &request->reading);
    OpenScene open;
    int code = EXIT_INPUT;
    if (poise__open_scene(&open, &source) &&
        poise_simulation_free_base(open.simulation, request->base == BASE_FREE) >= 0) {
        Tip tip = {.tree = poise_simulation_tree(open.simulation), .simulation = open.simulation};
        if (needs_tree(request, open.simulation)) {
            code = solve_on_tree(request, open.simulation, open.diagnostics);
        } else if (poise__link_find(open.simulation, &request->links[0], &tip.node, &tip.in_link)) {
            code = solve_tree(request, &tip, open.diagnostics);
        }
    } else {
        poise_diagnostics_print(open.diagnostics, POISE_WARNING, stderr);
    }
    poise__close_scene(&open);
    return code;
}

// Finds --help anywhere on the line, even if getopt would take it as the value of --targets.
static bool asks_for_help(int argc, char** argv) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

bool poise__has_targets(int argc, char** argv) {
    static const char* const options[] = {"--targets", "--chain"};
    for (int i = 1; i < argc; i++) {
        for (int k = 0; k < 2; k++) {
            const size_t length = strlen(options[k]);
            if (strncmp(argv[i], options[k], length) == 0 &&
                (argv[i][length] == '\0' || argv[i][length] == '=')) {
                return true;
            }
        }
    }
    return false;
}

int poise__command_solve_targets(int argc, char** argv) {
    if (asks_for_help(argc, argv)) {
        fputs(usage, stdout);
        return poise__finish_output(EXIT_DONE);
    }
    Request request = {.options.def = poise_default_chain_solve_def()};
    const int code = read_options(&request, argc, argv);
    if (code != GO_ON) {
        return code;
    }
    return request.chain ? solve_chain(&request) : solve_scene(&request);
}
