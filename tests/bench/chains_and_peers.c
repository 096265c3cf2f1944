// SPDX-License-Identifier: MIT
// bench-chains: measures compiled chains on the shared problems and on our own. It measures single
// targets, batches and tracking on every path of this processor, and the walk of the log-quaternion
// article. If Orocos KDL and MuJoCo are installed, it measures them too. Each time is the least of
// several runs, to exclude the load of the machine.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chain_problems.h"
#include "line.h"
#include "peers.h"
#include "poise/body.h"
#include "times.h"
#include "works.h"

enum { TRACK_STEPS = 1000, PEER_KINDS = 4, LINE_TRIALS = 100 };

typedef struct Options {
    int targets;
    int peer_targets;
    int runs;
    const char* only;
    FILE* csv;
} Options;

typedef struct Figures {
    int targets;
    int met;
    double mean; ///< mean time of a target, us
    double median;
    double p99;
    double largest;
} Figures;

// Returns the processor time of this thread: on a busy machine long measurements are interrupted.
static double cpu_now(void) {
    return 1e6 * peer_clock();
}

static void* make_array(int count, size_t size) {
    void* array = calloc((size_t)(count > 0 ? count : 1), size);
    if (!array) {
        fprintf(stderr, "bench-chains: no memory\n");
        exit(2);
    }
    return array;
}

static Figures figures_of(double* times, int count, int met) {
    Figures figures = {count, met, 0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++) {
        figures.mean += times[i] / count;
    }
    qsort(times, (size_t)count, sizeof *times, by_size);
    figures.median = times[count / 2];
    figures.p99 = times[(int)(0.99 * (count - 1))];
    figures.largest = times[count - 1];
    return figures;
}

static void print_row(const Options* options, const char* problem, const char* solver,
                      const Figures* figures, double best) {
    const double part = 100.0 * figures->met / figures->targets;
    printf("  %-18s %8.3f %% %10.2f %10.2f %10.2f %10.2f %8.1f\n", solver, part, figures->mean,
           figures->median, figures->p99, figures->largest, figures->mean / best);
    if (options->csv) {
        fprintf(options->csv, "solve,%s,%s,%d,%.4f,%.4f,%.4f,%.4f,%.4f\n", problem, solver,
                figures->targets, part, figures->mean, figures->median, figures->p99,
                figures->largest);
    }
}

// ----------------------------------------------------------------------------------------- solving

static bool is_answer(Chain chain, const double* posture, PoisePose target) {
    double distance;
    double angle;
    chain_miss(chain, posture, target, &distance, &angle);
    return distance < PEER_TOLERANCE && angle < PEER_TOLERANCE &&
           chain_is_inside(chain, posture, 1e-9);
}

static Figures measure_chain(const Options* options, const ChainProblemSet* set, Chain chain) {
    double middle[CHAIN_POSTURE];
    double* times = make_array(set->target_count, sizeof *times);
    const size_t size = (size_t)poise_body_posture_size(chain.body) * sizeof middle[0];
    int met = 0;
    WORKS(poise_body_middle(chain.body, middle));
    for (int run = 0; run < options->runs; run++) {
        met = 0;
        for (int t = 0; t < set->target_count; t++) {
            double posture[CHAIN_POSTURE];
            memcpy(posture, middle, size);
            const double begun = time_us(CLOCK_MONOTONIC);
            WORKS(chain_solve(chain, NULL, set->targets[t], posture, NULL));
            const double time = time_us(CLOCK_MONOTONIC) - begun;
            times[t] = run == 0 || time < times[t] ? time : times[t];
            met += is_answer(chain, posture, set->targets[t]);
        }
    }
    const Figures figures = figures_of(times, set->target_count, met);
    free(times);
    return figures;
}

static Figures measure_peer(const Options* options, const ChainProblemSet* set, Peer* peer) {
    const int count =
        set->target_count < options->peer_targets ? set->target_count : options->peer_targets;
    double* times = make_array(count, sizeof *times);
    int met = 0;
    for (int t = 0; t < count; t++) {
        double q[ARM_MOST];
        arm_middle(&set->arm, q);
        const double begun = cpu_now();
        met += peer_solve(peer, set->targets[t], q);
        times[t] = cpu_now() - begun;
    }
    const Figures figures = figures_of(times, count, met);
    free(times);
    return figures;
}

// Returns the number of targets per second on one core, in millions.
static double measure_batch(const Options* options, const ChainProblemSet* set, Chain chain,
                            int* met) {
    const int size = poise_body_posture_size(chain.body);
    double* postures = make_array(set->target_count * size, sizeof *postures);
    double least = HUGE_VAL;
    for (int run = 0; run < options->runs; run++) {
        for (int t = 0; t < set->target_count; t++) {
            WORKS(poise_body_middle(chain.body, &postures[t * size]));
        }
        const ChainBatch batch = {set->target_count, set->targets, postures, NULL};
        const double begun = cpu_now();
        WORKS(chain_solve_batch(chain, NULL, &batch));
        least = fmin(least, cpu_now() - begun);
    }
    *met = 0;
    for (int t = 0; t < set->target_count; t++) {
        *met += is_answer(chain, &postures[t * size], set->targets[t]);
    }
    free(postures);
    return set->target_count / least;
}

// Returns the time of a target three times as far from the base, us.
static double measure_beyond(const Options* options, const ChainProblemSet* set, Chain chain) {
    const int count = (set->target_count + 9) / 10; // a target out of reach takes ten times as long
    double least = HUGE_VAL;
    for (int run = 0; run < options->runs; run++) {
        const double begun = cpu_now();
        for (int t = 0; t < count; t++) {
            double posture[CHAIN_POSTURE];
            PoisePose target = set->targets[t];
            target.p = poise_scale(3.0, target.p);
            WORKS(poise_body_middle(chain.body, posture));
            MAY_FAIL(chain_solve(chain, NULL, target, posture, NULL));
        }
        least = fmin(least, (cpu_now() - begun) / count);
    }
    return least;
}

// ---------------------------------------------------------------------------------------- tracking

typedef struct Follower {
    const Chain* chain; ///< the chain or peer that follows; the other is NULL
    Peer* peer;
} Follower;

// Returns the time per update, us, the least of the runs. `worst` gets the distance after the last
// update, m.
static double measure_track(const Options* options, const ChainProblemSet* set, Chain geometry,
                            Follower follower, double* worst) {
    PoisePose* poses = make_array(TRACK_STEPS, sizeof *poses);
    double start[CHAIN_POSTURE];
    double least = HUGE_VAL;
    const int steps = chain_track_make(set, geometry, TRACK_STEPS, poses, start);
    PoiseBodyTarget* targets = make_array(TRACK_STEPS, sizeof *targets);
    PoiseBodySolveDef def = poise_default_body_solve_def();
    def.path = follower.chain ? follower.chain->path : POISE_BODY_EXACT;
    for (int i = 0; i < steps; i++) {
        targets[i] = poise_default_body_target(poses[i]);
    }
    for (int run = 0; run < 5 * options->runs; run++) {
        double posture[CHAIN_POSTURE];
        memcpy(posture, start, sizeof posture);
        const double begun = cpu_now();
        for (int i = 0; i < steps; i++) {
            if (follower.peer) {
                peer_step(follower.peer, poses[i], posture);
            } else {
                WORKS(poise_body_track(follower.chain->body, &def, &targets[i], posture, NULL));
            }
        }
        least = fmin(least, (cpu_now() - begun) / steps);
        double angle;
        chain_miss(geometry, posture, poses[steps - 1], worst, &angle);
    }
    free(targets);
    free(poses);
    return least;
}

// --------------------------------------------------------------------------------------- a problem

static Peer* make_peer(int kind, const Arm* arm) {
    return kind == 0   ? peer_kdl_lma(arm)
           : kind == 1 ? peer_kdl_nr_jl(arm)
           : kind == 2 ? peer_kdl_loop(arm)
                       : peer_mujoco(arm);
}

static const char* const peer_names[PEER_KINDS] = {"KDL LMA", "KDL NR_JL", "KDL in our LM",
                                                   "MuJoCo in our LM"};

static void report_more(const Options* options, const ChainProblemSet* set) {
    const Chain geometry = chain_of(&set->model, POISE_BODY_EXACT);
    for (int p = 0; p < CHAIN_PATHS; p++) {
        Chain chain = chain_of(&set->model, chain_paths[p]);
        int met;
        double left;
        const char* name = chain_path_name(chain_paths[p]);
        const double rate = measure_batch(options, set, chain, &met);
        const double track = measure_track(options, set, geometry, (Follower){&chain, NULL}, &left);
        printf("  %-18s batch %.3f million/s (%d of %d), tracking %.3f us an update (%.0e m "
               "left), three times as far %.1f us\n",
               name, rate, met, set->target_count, track, left,
               measure_beyond(options, set, chain));
        if (options->csv) {
            fprintf(options->csv, "batch,%s,%s,%d,%.4f,%.6f,,,\n", set->name, name,
                    set->target_count, 100.0 * met / set->target_count, rate);
            fprintf(options->csv, "track,%s,%s,%d,,%.6f,,,\n", set->name, name, TRACK_STEPS, track);
        }
        chain_destroy(chain);
    }
    for (int k = 1; k < PEER_KINDS && set->has_arm && options->peer_targets > 0; k++) {
        Peer* peer = make_peer(k, &set->arm);
        if (peer) {
            double left;
            const double track =
                measure_track(options, set, geometry, (Follower){NULL, peer}, &left);
            printf("  %-18s tracking %.3f us an update (%.0e m left)\n", peer_names[k], track,
                   left);
            if (options->csv) {
                fprintf(options->csv, "track,%s,%s,%d,,%.6f,,,\n", set->name, peer_names[k],
                        TRACK_STEPS, track);
            }
            peer_destroy(peer);
        }
    }
    chain_destroy(geometry);
}

static void report_problem(const Options* options, const ChainProblemSet* set) {
    Figures figures[CHAIN_PATHS];
    double best = HUGE_VAL;
    for (int p = 0; p < CHAIN_PATHS; p++) {
        const Chain chain = chain_of(&set->model, chain_paths[p]);
        figures[p] = measure_chain(options, set, chain);
        best = fmin(best, figures[p].mean);
        chain_destroy(chain);
    }
    printf("%s, %d targets\n  %-18s %10s %10s %10s %10s %10s %8s\n", set->name, set->target_count,
           "", "met", "mean us", "median", "p99", "largest", "ratio");
    for (int p = 0; p < CHAIN_PATHS; p++) {
        print_row(options, set->name, chain_path_name(chain_paths[p]), &figures[p], best);
    }
    for (int k = 0; k < PEER_KINDS && set->has_arm && options->peer_targets > 0; k++) {
        Peer* peer = make_peer(k, &set->arm);
        if (peer) {
            const Figures of_peer = measure_peer(options, set, peer);
            print_row(options, set->name, peer_names[k], &of_peer, best);
            peer_destroy(peer);
        }
    }
    report_more(options, set);
}

// ------------------------------------------------------------------------------ the article's walk

static double time_line(const Options* options, Chain chain) {
    ChainSolveDef def = chain_goal_def(POISE_BODY_POSE);
    double least = HUGE_VAL;
    def.goal = POISE_BODY_POSITION;
    def.all.position_tolerance = 1e-12;
    for (int run = 0; run < 20 * options->runs; run++) {
        double posture[CHAIN_POSTURE];
        line_start(chain, run % LINE_TRIALS, posture);
        PoisePose target = poise_body_forward(chain.body, posture, 0);
        const PoiseVec3 step = poise_scale(-1e-3 / poise_length(target.p), target.p);
        const double begun = cpu_now();
        for (int i = 0; i < TRACK_STEPS; i++) {
            target.p = poise_add(target.p, step);
            WORKS(chain_track(chain, &def, target, posture, NULL));
        }
        least = fmin(least, (cpu_now() - begun) / TRACK_STEPS);
    }
    return least;
}

static void report_line(const Options* options) {
    printf("log-quaternion article: five links, %d walks in steps of 1 mm\n", LINE_TRIALS);
    for (int k = 0; k < 2; k++) {
        Model model = k == 0 ? line_balls() : line_hinges();
        Chain chain = chain_of(&model, POISE_BODY_FUSED);
        const char* name = k == 0 ? "balls" : "Euler angles";
        const double time = time_line(options, chain);
        for (int order = LINE_FIRST; order <= LINE_SECOND; order++) {
            const LineResult result = line_walk(chain, (LineOrder)order, LINE_TRIALS);
            printf("  %-13s order %d: RMS %.3f steps, a step off by %.1e of its length (at most "
                   "%.1e)\n",
                   name, order, result.rms, result.mean_error, result.worst_error);
            if (options->csv) {
                fprintf(options->csv, "line,%s,order %d,%ld,%.6f,%.6g,%.6g,,\n", name, order,
                        result.updates, result.rms, result.mean_error, result.worst_error);
            }
        }
        printf("  %-13s %.3f us an update\n", name, time);
        if (options->csv) {
            fprintf(options->csv, "track,line,%s,%d,,%.6f,,,\n", name, TRACK_STEPS, time);
        }
        chain_destroy(chain);
        model_finish(&model);
    }
}

// -------------------------------------------------------------------------------------------- main

static void print_machine(void) {
    char line[256];
    FILE* file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) == 0) {
            printf("%s", strchr(line, ':') + 2);
            break;
        }
    }
    if (file) {
        (void)fclose(file);
    }
}

static const char usage[] =
    "usage: bench-chains [--targets N] [--peers N] [--runs N] [--only NAME] [--csv FILE]\n"
    "  --targets N  for each problem (10000)\n"
    "  --peers N    of them for KDL and MuJoCo, where they are built in (1000); 0: none\n"
    "  --runs N     of which the least time counts (3)\n"
    "  --only NAME  one problem: panda, ur5, iiwa14, ball5, crooked6, snake15, rail7, balls3, "
    "line\n"
    "  --csv FILE   kind,problem,solver,targets,met %,mean us (batch: million/s),median,p99,"
    "largest\n";

static bool read_options(Options* options, int argc, char** argv) {
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) {
            return false;
        }
        const int number = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--targets") == 0 && number > 0) {
            options->targets = number;
        } else if (strcmp(argv[i], "--peers") == 0 && number >= 0) {
            options->peer_targets = number;
        } else if (strcmp(argv[i], "--runs") == 0 && number > 0) {
            options->runs = number;
        } else if (strcmp(argv[i], "--only") == 0) {
            options->only = argv[i + 1];
        } else if (strcmp(argv[i], "--csv") == 0) {
            options->csv = fopen(argv[i + 1], "w");
            if (!options->csv) {
                perror(argv[i + 1]);
                return false;
            }
        } else {
            return false;
        }
    }
    return true;
}

int main(int argc, char** argv) {
    Options options = {10000, 1000, 3, NULL, NULL};
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (!read_options(&options, argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    if (options.csv) {
        fputs("kind,problem,solver,targets,met_percent,mean,median,p99,largest\n", options.csv);
    }
    print_machine();
    for (int i = 0; i < chain_problem_count(); i++) {
        ChainProblemSet set;
        const bool there = chain_problem_make(i, options.targets, &set);
        if (there && (!options.only || strcmp(options.only, set.name) == 0)) {
            report_problem(&options, &set);
            (void)fflush(stdout);
        } else if (!there) {
            printf("%s: no shared problems here (POISE_TEST_DATA)\n", set.name);
        }
        if (there) {
            chain_problem_finish(&set);
        }
    }
    if (!options.only || strcmp(options.only, "line") == 0) {
        report_line(&options);
    }
    if (options.csv) {
        (void)fclose(options.csv);
    }
    return 0;
}
