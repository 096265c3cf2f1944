// SPDX-License-Identifier: MIT
// `poise solve --targets`: reads the options and the robot; solve_targets.c solves.
#include <getopt.h>
#include <string.h>

#include "chain_file.h"
#include "poise/math.h"
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
    "               robot's pose; with --chain the middle of the ranges)\n"
    "  --base B     fixed: a floating base stays; free: it moves, and the answers have the "
    "position\n"
    "               of its centre of mass and its quaternion (fixed)\n"
    "  --keep-apart  no two links that can touch, and no link and another body, are nearer than\n"
    "               1 cm in an answer, or than the scene's `keep_apart` has it\n"
    "  --degrees    roll,pitch,yaw and the angles of starts and answers are in degrees\n"
    "  --out        gets id,time_ns,q1,q2,..: the answers, a ball's as w,x,y,z; with FILE the\n"
    "               columns have the joints' names\n"
    "  --follow     each target starts at the answer before; prints the largest joint step. The\n"
    "               path stops where a joint would leap, by more than 0.5 rad (a slider: m)\n"
    "  --leap       with --follow: continues if a joint leaps\n"
    "  --errors     --out also gets met,error,angle_error: 1 or 0, m, rad\n"
    "  --goal G     pose, position or orientation (pose if the targets have rotations)\n"
    "  --nearest N  finds N answers and takes the nearest to the start (1)\n"
    "  --iterations N  most iterations for a target, of four starts each (2000)\n"
    "  --threads N  number of threads; with several, time_ns is the mean (1)\n"
    "  --path P     fused, exact (the same bits on every processor) or plain (the bits of exact "
    "in\n"
    "               plain C) (fused)\n"
    "  --json       the summary as one JSON object\n"
    "  --quiet      no progress bar\n" TRUST_USAGE
    "A - for TARGETS.csv is stdin, for OUT.csv stdout (the summary then goes to stderr).\n"
    "Ends with 1 when a target is not met; its answer is then the nearest that was found, and the\n"
    "first such targets are named on stderr.\n";

// more than usual: their search is quicker, and a file has many targets
enum { SEEDS = 2048 };

typedef struct Request {
    const char* file;
    const char* chain;
    const char* targets;
    SolveLink links[SOLVE_POINTS];
    int link_count;
    bool degrees;
    bool apart;
    SolveBase base;
    Reading reading;
    TargetOptions options;
} Request;

// ----------------------------------------------------------------------------------------- options

// Returns the settings of a command without options.
static PoiseBodySolveDef usual_def(void) {
    PoiseBodySolveDef def = poise_default_body_solve_def();
    def.path = POISE_BODY_FUSED;
    return def;
}

static bool read_goal(void* of, const char* option, const char* text) {
    Request* request = of;
    static const char* const names[] = {"pose", "position", "orientation"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            request->options.goal = (PoiseBodyGoal)i;
            request->options.has_goal = true;
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
    for (int path = POISE_BODY_EXACT; path <= POISE_BODY_FUSED; path++) {
        if (strcmp(text, poise__path_name((PoiseBodyPath)path)) == 0) {
            request->options.def.path = (PoiseBodyPath)path;
            return true;
        }
    }
    fprintf(stderr, "poise: %s: fused, exact or plain is due, not '%s'\n", option, text);
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
    if (request->chain && request->apart) {
        return "--keep-apart needs a FILE: a chain has no shapes";
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
        {"keep-apart", OPTION_FLAG, .offset = offsetof(Request, apart)},
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
    request->options.angle = request->degrees ? POISE_PI / 180.0 : 1.0;
    const char* problem = request_problem(request);
    if (problem) {
        fprintf(stderr, "poise: %s\n%s", problem, usage);
        return EXIT_USAGE;
    }
    return GO_ON;
}

// ---------------------------------------------------------------------------------------- the work

// Solves with a compiled body of the one tip.
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

static int solve_chain_file(const Request* request) {
    PoiseDiagnostics* diagnostics = poise__open_diagnostics();
    if (!diagnostics) {
        return EXIT_INPUT;
    }
    ChainFile file;
    int code = EXIT_INPUT;
    if (poise__chain_file_read(&file, request->chain, diagnostics)) {
        const PoiseTip tip = {file.tip, file.in_link};
        TargetJob job = {.targets = request->targets,
                         .tree = file.tree,
                         .tips = &tip,
                         .tip_count = 1,
                         .options = request->options};
        code = solve_tip(&job, diagnostics);
    } else {
        poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
    }
    poise__chain_file_finish(&file);
    poise_diagnostics_destroy(diagnostics);
    return code;
}

// True if the job needs the whole tree: one tip is compiled without loops and shapes.
static bool needs_tree(const Request* request, const PoiseSimulation* simulation) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    bool loops = false;
    for (int i = 0; i < scene->joint_count; i++) {
        loops = loops || !scene->joints[i].driven;
    }
    return request->link_count > 1 || loops || poise_rig_apart(poise_simulation_rig(simulation));
}

// True if the request has options that only chains have.
static bool is_for_chain(const Request* request) {
    const PoiseBodySolveDef plain = usual_def();
    const TargetOptions* options = &request->options;
    return options->def.answers != plain.answers || options->def.threads != plain.threads ||
           options->def.iterations != plain.iterations || options->def.path != plain.path ||
           (options->has_goal && options->goal == POISE_BODY_ORIENTATION);
}

// Finds the tips of --point. Returns false with a message if one is missing or named twice.
static bool find_tips(const Request* request, const PoiseSimulation* simulation, PoiseTip* tips,
                      const char** names) {
    for (int t = 0; t < request->link_count; t++) {
        const SolveLink* link = &request->links[t];
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

// Solves for the tips of a robot or scene.
static int solve_tips(const Request* request, const OpenScene* open) {
    PoiseTip tips[SOLVE_POINTS];
    const char* names[SOLVE_POINTS];
    TargetJob job = {.targets = request->targets,
                     .tree = poise_simulation_tree(open->simulation),
                     .simulation = open->simulation,
                     .tips = tips,
                     .names = names,
                     .tip_count = request->link_count,
                     .options = request->options};
    const bool whole = needs_tree(request, open->simulation);
    if (whole && is_for_chain(request)) {
        fprintf(stderr,
                "poise: --nearest, --iterations, --threads, --path and --goal orientation are of "
                "one --point on a robot without loops, and not of --keep-apart\n");
        return EXIT_USAGE;
    }
    if (!find_tips(request, open->simulation, tips, names)) {
        return EXIT_INPUT;
    }
    return whole ? poise__targets_solve(&job, open->diagnostics)
                 : solve_tip(&job, open->diagnostics);
}

static int solve_scene(const Request* request) {
    const PoiseSceneSource source = poise__source(request->file, &request->reading);
    OpenScene open;
    int code = EXIT_INPUT;
    if (poise__open_scene(&open, &source) &&
        poise_simulation_free_base(open.simulation, request->base == BASE_FREE) >= 0 &&
        poise__keep_apart(open.simulation, request->apart)) {
        code = solve_tips(request, &open);
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
    Request request = {.options.def = usual_def()};
    const int code = read_options(&request, argc, argv);
    if (code != GO_ON) {
        return code;
    }
    return request.chain ? solve_chain_file(&request) : solve_scene(&request);
}
