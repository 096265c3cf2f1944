// SPDX-License-Identifier: MIT
// Prints the table of ik/README.md. A row has the number of steps and the error after 500 steps of
// one solver on one problem. The means of the first 20 steps are the number of sweeps
// (factorisations, cycles or iterations) and the time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models.h"
#include "works.h"

enum { STEPS = 500, FIRST_STEPS = 20, REPEATS = 30, NANOSECONDS = 1000000000 };

#define MET 1e-6 // a goal is met below this distance and angle, m and rad

typedef struct Problem {
    const char* name;
    PoiseNodeKind kind;
    int nodes;
    PoisePointKind point;
    int more_points; ///< number of further points: poses at links before the last
    double range;    ///< half range of each hinge about its start angle, rad; 0: infinite
    double beyond;   ///< distance of the goal, in reaches; 0: a pose within reach
    bool ranked;     ///< the points have different priorities
} Problem;

static const Problem problems[] = {
    {"7 hinges, place", POISE_NODE_HINGE, 7, POISE_POINT_POSITION, 0, 0.0, 0.0, false},
    {"7 hinges, place, held by ranges", POISE_NODE_HINGE, 7, POISE_POINT_POSITION, 0, 0.2, 0.0,
     false},
    {"7 hinges, place out of reach", POISE_NODE_HINGE, 7, POISE_POINT_POSITION, 0, 0.0, 1.3, false},
    {"100 hinges, pose", POISE_NODE_HINGE, 100, POISE_POINT_POSE, 0, 0.0, 0.0, false},
    {"10 balls, 3 poses", POISE_NODE_BALL, 10, POISE_POINT_POSE, 2, 0.0, 0.0, false},
    {"10 balls, 3 poses by priority", POISE_NODE_BALL, 10, POISE_POINT_POSE, 2, 0.0, 0.0, true},
    {"30 hinges, 3 poses by priority, ranges", POISE_NODE_HINGE, 30, POISE_POINT_POSE, 2, 0.1, 0.0,
     true},
    {"40 balls, 12 poses", POISE_NODE_BALL, 40, POISE_POINT_POSE, 11, 0.0, 0.0, false}};

enum { PROBLEMS = sizeof problems / sizeof *problems };

// Makes hinges alternately about z and y, so that the tip can move in space. The chain is bent; its
// goal is the pose at another posture.
static Model make(const Problem* problem) {
    const double length = 1.0 / problem->nodes;
    Model model = model_empty(POISE_BALL_THREE_AXES);
    Random random = random_from(5);
    PoiseNodeDef def =
        problem->kind == POISE_NODE_BALL ? poise_default_ball_def() : poise_default_hinge_def();
    for (int n = 0; n < problem->nodes; n++) {
        def.axis = poise_vec3(0.0, n % 2, 1 - n % 2);
        def.angle = 1.0 / problem->nodes;
        if (problem->range > 0.0) {
            def.lower = def.angle - problem->range;
            def.upper = def.angle + problem->range;
        }
        def.parent = model_add_node(&model, &def);
        def.joint_in_parent.p = poise_vec3(length, 0.0, 0.0);
    }
    for (int p = problem->more_points; p >= 0; p--) {
        PoisePointDef point = model_point_def(p == 0 ? problem->point : POISE_POINT_POSE);
        point.link =
            model.nodes[problem->nodes - 1 - p * (problem->nodes / (problem->more_points + 1))];
        point.in_link.p = poise_vec3(length, 0.0, 0.0);
        point.priority = problem->ranked ? problem->more_points - p : 0;
        (void)model_add_point(&model, &point);
    }
    if (problem->kind == POISE_NODE_BALL) {
        model_scatter(&model, &random, 0.3);
    }
    WORKS(poise_forward(model.tree));
    model_reachable_goals(&model, &random, 1.0);
    if (problem->beyond > 0.0) {
        WORKS(poise_point_set_position(
            model.tree, model.points[0],
            poise_vec3(0.0, 0.6 * problem->beyond, 0.8 * problem->beyond)));
    }
    return model;
}

static long long now(void) {
    struct timespec time;
    (void)timespec_get(&time, TIME_UTC);
    return (long long)time.tv_sec * NANOSECONDS + time.tv_nsec;
}

static PoiseSolveReport timed_step(Model* model, const PoiseSolveDef* def, long long* elapsed) {
    PoiseSolveReport report;
    const long long start = now();
    WORKS(poise_forward(model->tree));
    const PoiseStatus status = poise_solve(model->tree, def, &report);
    WORKS(poise_advance(model->tree));
    *elapsed += now() - start;
    if (status != POISE_OK) {
        fprintf(stderr, "which_solver: %s\n", poise_tree_message(model->tree));
        exit(1);
    }
    return report;
}

static void run(const Problem* problem, PoiseSolver solver, const char* name) {
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = solver;
    PoiseSolveReport report = {0};
    int met = -1;
    long long sweeps = 0, least = 0;
    for (int i = 0; i < REPEATS; i++) {
        Model model = make(problem);
        long long elapsed = 0;
        for (int step = 0; step < FIRST_STEPS; step++) {
            report = timed_step(&model, &def, &elapsed);
            sweeps += report.sweeps;
        }
        least = i == 0 || elapsed < least ? elapsed : least;
        model_finish(&model);
    }
    Model model = make(problem);
    for (int step = 0; step < STEPS; step++) {
        long long unused = 0;
        report = timed_step(&model, &def, &unused);
        const double most = fmax(report.largest_error, report.largest_angle_error);
        met = met < 0 && most < MET ? step : met;
    }
    model_finish(&model);
    printf("| %s | %s | ", problem->name, name);
    if (met < 0) {
        printf("- | ");
    } else {
        printf("%d | ", met);
    }
    printf("%.1e | %.1f | %.1f |\n", fmax(report.largest_error, report.largest_angle_error),
           (double)sweeps / (FIRST_STEPS * REPEATS), (double)least / FIRST_STEPS * 1e-3);
}

int main(int argc, char** argv) {
    if (argc > 1) {
        const bool help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
        fputs(
            "usage: which-solver\nprints the table of ik/README.md: every solver on every problem, "
            "in some 10 s\n",
            help ? stdout : stderr);
        return help ? 0 : 2;
    }
    static const char* const names[] = {"AUTO", "GAUSS_SEIDEL", "DUAL", "BOX", "CGLS"};
    printf("| problem | solver | steps to 1e-6 | left after 500 | sweeps a step | us a step |\n"
           "|---|---|---|---|---|---|\n");
    for (int p = 0; p < PROBLEMS; p++) {
        const int last = problems[p].ranked ? POISE_SOLVER_AUTO : POISE_SOLVER_CGLS;
        for (int solver = POISE_SOLVER_AUTO; solver <= last; solver++) {
            run(&problems[p], (PoiseSolver)solver, names[solver]);
        }
    }
    return 0;
}
