// SPDX-License-Identifier: MIT
// solve_scaling HINGES: runs one solve of a chain of hinges with one position point, for an
// instruction counter. solve_scaling --time: measures the time of a step: forward, solve and
// advance.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "models.h"
#include "works.h"

enum { NANOSECONDS = 1000000000, TIMED_STEPS = 2000, MOST_HINGES = 100000 };

// Makes the model bent_chain with any number of hinges.
static PoiseTree* long_chain(int hinges) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.node_capacity = hinges;
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeDef hinge = poise_default_hinge_def();
    hinge.angle = 1.0 / hinges;
    for (int n = 0; n < hinges; n++) {
        hinge.parent = poise_node_create(tree, &hinge);
        hinge.joint_in_parent.p = poise_vec3(1.0 / hinges, 0.0, 0.0);
    }
    PoisePointDef point = poise_default_position_def();
    point.link = hinge.parent;
    point.in_link.p = hinge.joint_in_parent.p;
    const PoisePointId tip = poise_point_create(tree, &point);
    WORKS(poise_register_chain(tree, tip, poise_null_node()));
    WORKS(poise_forward(tree));
    WORKS(poise_point_set_position(tree, tip, poise_vec3(0.4, 0.5, 0.0)));
    return tree;
}

static Model bent_chain(int hinges) {
    // a constant total length, so that only the amount of work differs
    Model model = model_chain(POISE_NODE_HINGE, hinges, 1.0 / hinges, POISE_POINT_POSITION);
    for (int n = 0; n < hinges; n++) {
        WORKS(poise_node_set_angle(model.tree, model.nodes[n], 1.0 / hinges));
    }
    WORKS(poise_forward(model.tree));
    WORKS(poise_point_set_position(model.tree, model.points[0], poise_vec3(0.4, 0.5, 0.0)));
    return model;
}

// Makes 10 balls and three poses: 30 degrees of freedom, 18 rows.
static Model many_rows(void) {
    Model model = model_chain(POISE_NODE_BALL, 10, 0.1, POISE_POINT_POSE);
    for (int p = 0; p < 2; p++) {
        PoisePointDef def = poise_default_pose_def();
        def.link = model.nodes[3 + 3 * p];
        (void)model_add_point(&model, &def);
    }
    model_scatter(&model, &(Random){1}, 0.3);
    return model;
}

// Makes a body of 30 hinges: a trunk of 6, two arms of 6 and a neck of 2 at its top, two legs of 5
// at its bottom. Points of `kind` are at the first `points` of both hands, both feet, head and
// trunk.
static Model humanoid(PoisePointKind kind, int points) {
    static const int length[] = {6, 6, 6, 5, 5, 2}; // hinges of trunk, arms, legs, neck
    static const int ends[] = {1, 2, 3, 4, 5, 0};
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeId tips[6];
    for (int limb = 0; limb < 6; limb++) {
        PoiseNodeDef def = poise_default_hinge_def();
        const bool leg = limb == 3 || limb == 4;
        if (limb > 0 && !leg) {
            def.parent = tips[0];
        } else if (leg) {
            def.parent = model.nodes[0];
        }
        for (int n = 0; n < length[limb]; n++) {
            const double side = limb == 0 || limb == 5 ? 0.0 : limb % 2 == 1 ? 1.0 : -1.0;
            def.axis = poise_vec3(n % 3 == 0, n % 3 == 1, n % 3 == 2);
            def.angle = 0.2;
            def.joint_in_parent.p = poise_vec3(0.02, 0.1 * side, leg ? -0.15 : 0.1);
            def.parent = model_add_node(&model, &def);
        }
        tips[limb] = def.parent;
    }
    for (int p = 0; p < points; p++) {
        PoisePointDef def = model_point_def(kind);
        def.link = tips[ends[p]];
        def.in_link.p = poise_vec3(0.0, 0.0, 0.1);
        (void)model_add_point(&model, &def);
    }
    Random random = random_from(3);
    WORKS(poise_forward(model.tree));
    model_reachable_goals(&model, &random, 0.3);
    return model;
}

static long long now(void) {
    struct timespec time;
    (void)timespec_get(&time, TIME_UTC);
    return (long long)time.tv_sec * NANOSECONDS + time.tv_nsec;
}

static int by_size(const void* a, const void* b) {
    long long x = *(const long long*)a, y = *(const long long*)b;
    return (x > y) - (x < y);
}

// Measures the median time of forward, solve and advance together.
static void time_steps(const char* what, Model model, PoiseSolver solver) {
    static long long times[TIMED_STEPS];
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = solver;
    PoiseSolveReport report = {0};
    for (int step = 0; step < TIMED_STEPS; step++) {
        double phase = 0.01 * step;
        WORKS(poise_point_set_position(model.tree, model.points[0],
                                       poise_vec3(0.4 + 0.2 * cos(phase), 0.3 * sin(phase), 0.1)));
        long long start = now();
        WORKS(poise_forward(model.tree));
        if (poise_solve(model.tree, &def, &report) < POISE_OK) {
            fprintf(stderr, "solve_scaling: %s\n", poise_tree_message(model.tree));
            exit(1);
        }
        WORKS(poise_advance(model.tree));
        times[step] = now() - start;
    }
    qsort(times, TIMED_STEPS, sizeof *times, by_size);
    printf("%-34s %-12s %4d rows %4d columns %8.2f us a step\n", what,
           solver == POISE_SOLVER_DUAL ? "dual" : "gauss-seidel", report.rows, report.columns,
           (double)times[TIMED_STEPS / 2] * 1e-3);
    model_finish(&model);
}

int main(int argc, char** argv) {
    if (argc == 2 && strcmp(argv[1], "--time") == 0) {
        for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_DUAL; solver++) {
            time_steps("10 balls, 3 poses", many_rows(), (PoiseSolver)solver);
            time_steps("30 hinges in limbs, 6 places", humanoid(POISE_POINT_POSITION, 6),
                       (PoiseSolver)solver);
            time_steps("30 hinges in limbs, 3 poses", humanoid(POISE_POINT_POSE, 3),
                       (PoiseSolver)solver);
            time_steps("7 hinges, 1 place", bent_chain(7), (PoiseSolver)solver);
            time_steps("100 hinges, 1 place", bent_chain(100), (PoiseSolver)solver);
            time_steps("1000 hinges, 1 place", bent_chain(1000), (PoiseSolver)solver);
        }
        return 0;
    }
    const int hinges = argc == 2 ? atoi(argv[1]) : 0;
    if (hinges < 1 || hinges > MOST_HINGES) {
        fprintf(stderr, "usage: solve_scaling HINGES (1 to %d) | --time\n", MOST_HINGES);
        return 2;
    }
    PoiseTree* tree = long_chain(hinges);
    // builds the layout, which happens once and is not measured
    PoiseStatus status = poise_stage_jacobians(tree);
    status = status == POISE_OK ? poise_solve(tree, NULL, NULL) : status;
    poise_tree_destroy(tree);
    return status == POISE_OK ? 0 : 1;
}
