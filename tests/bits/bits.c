// SPDX-License-Identifier: MIT
// Prints hashes to compare between compilers: of the elementary functions, and of the postures of
// five models after 2000 steps. Together the models have every kind of node, point, limit and
// solver.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"
#include "posture.h"

enum { STEPS = 2000 };

static uint64_t hash_numbers(uint64_t hash, const double* numbers, int count) {
    for (int i = 0; i < count; i++) {
        unsigned char bytes[sizeof *numbers];
        memcpy(bytes, &numbers[i], sizeof bytes);
        for (size_t b = 0; b < sizeof bytes; b++) {
            hash = (hash ^ bytes[b]) * 0x100000001b3u;
        }
    }
    return hash;
}

static uint64_t hash_model(uint64_t hash, const Model* model) {
    for (int n = 0; n < model->node_count; n++) {
        double numbers[POISE_MAX_POSTURE];
        int count = poise_node_posture(model->tree, model->nodes[n], numbers);
        hash = hash_numbers(hash, numbers, count);
    }
    return hash;
}

static void check(PoiseStatus status, const Model* model, const char* call) {
    if (status < POISE_OK) {
        fprintf(stderr, "%s: %s, %s\n", call, poise_status_name(status),
                poise_tree_message(model->tree));
        exit(EXIT_FAILURE);
    }
}

// Sets ranges and cones around the present posture.
static void limit_all(Model* model) {
    for (int n = 0; n < model->node_count; n++) {
        const PoiseNodeId node = model->nodes[n];
        const PoiseNodeKind kind = poise_node_kind(model->tree, node);
        if (kind == POISE_NODE_BALL) {
            check(set_rotation(model->tree, node, poise_quat(1, 0, 0, 0)), model, "ball");
            check(poise_node_set_limits(model->tree, node, poise_cone(0.9, -0.5, 0.4)), model,
                  "cone");
        } else if (kind <= POISE_NODE_UNIVERSAL) {
            const double angle = poise_node_angle(model->tree, node);
            check(poise_node_set_limits(model->tree, node, poise_range(angle - 0.8, angle + 0.8)),
                  model, "range");
        }
    }
}

// Adds a pose in the frame of another link, a look-at point, a direction and a centre of mass, in
// two levels of priority.
static void add_points(Model* model, Random* random) {
    static const PoisePointKind kinds[] = {POISE_POINT_POSE, POISE_POINT_LOOK_AT,
                                           POISE_POINT_DIRECTION, POISE_POINT_COM};
    for (int p = 0; p < 4; p++) {
        PoisePointDef def = model_point_def(kinds[p]);
        def.link = model->nodes[p == 3 ? 0 : model->node_count - 1 - p];
        def.in_link = random_pose(random, 0.2, 1.0);
        def.frame = p == 0 ? model->nodes[1] : poise_null_node();
        def.priority = p % 2;
        const PoisePointId point = poise_point_create(model->tree, &def);
        model->points[model->point_count++] = point;
        check(poise_register_all(model->tree, point), model, "register");
    }
}

static Model many_rows(void) {
    Model model = model_chain(POISE_NODE_HINGE, 100, 0.1, POISE_POINT_POSE);
    for (int i = 1; i < 12; i++) {
        PoisePointDef def = poise_default_pose_def();
        def.link = model.nodes[8 * i];
        (void)model_add_point(&model, &def);
    }
    return model;
}

static Model make(int which) {
    Random random = random_from(900 + (uint64_t)which);
    if (which == 0) {
        return model_springhead(10, 1.0);
    }
    if (which == 1) {
        Model arm = model_chain(POISE_NODE_HINGE, 7, 0.3, POISE_POINT_POSE);
        limit_all(&arm);
        return arm;
    }
    if (which == 2) {
        return many_rows();
    }
    RandomTree kinds = {16, 4, true, true, true, which == 4, true, POISE_BALL_THREE_AXES};
    Model model = which == 3 ? model_random(&random, &kinds) : model_random_kinds(&random, &kinds);
    limit_all(&model);
    if (which == 4) {
        add_points(&model, &random);
    }
    return model;
}

// Moves the goals on slow curves, which leave the reach for a while. Uses no libm.
static void move_goals(Model* model, int step) {
    const double x = (step % 400) / 200.0 - 1.0;
    const double y = x * (1.0 - x * x);
    for (int p = 0; p < model->point_count; p++) {
        const PoisePointId point = model->points[p];
        const PoisePointKind kind = poise_point_kind(model->tree, point);
        const PoiseVec3 place = poise_vec3(0.7 + 0.5 * x, 0.4 * y + 0.1 * p, 0.9 * x);
        if (kind == POISE_POINT_DIRECTION) {
            check(poise_point_set_direction(model->tree, point, place), model, "direction");
        } else if (kind != POISE_POINT_ORIENTATION) {
            check(poise_point_set_position(model->tree, point, place), model, "place");
        }
        if (kind == POISE_POINT_ORIENTATION || kind == POISE_POINT_POSE) {
            const PoiseQuat turn = poise_quat(1.0, x, 0.5 * y, 0.1 * p);
            check(poise_point_set_orientation(model->tree, point, turn), model, "turn");
        }
    }
}

static uint64_t run(int which, PoiseSolver solver) {
    Model model = make(which);
    PoiseSolveDef def = poise_default_solve_def();
    uint64_t hash = 0xcbf29ce484222325u;
    def.solver = solver;
    def.step = 0.01;
    for (int step = 0; step < STEPS; step++) {
        PoiseSolveReport report;
        move_goals(&model, step);
        check(model_step(&model, &def, &report), &model, "step");
        hash = hash_numbers(hash, &report.residual, 1);
    }
    hash = hash_model(hash, &model);
    model_finish(&model);
    return hash;
}

static uint64_t run_elementary(void) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < 200000; i++) {
        const double x = 0.00001 * (i - 100000);
        const PoiseSinCos turn = poise_sincos(70.0 * x);
        const double values[] = {turn.sine,          turn.cosine,  poise_asin(x),
                                 poise_acos(x),      poise_exp(x), poise_atan2(x, 0.7 - x),
                                 poise_hypot(x, 0.3)};
        hash = hash_numbers(hash, values, (int)(sizeof values / sizeof *values));
    }
    return hash;
}

int main(void) {
    static const char* const names[] = {"10 balls", "7 hinges with ranges", "100 hinges, 72 rows",
                                        "chain of 16 nodes", "tree of every kind"};
    static const char* const solvers[] = {"auto", "gauss-seidel", "dual", "box", "cgls"};
    printf("elementary functions: %016" PRIx64 "\n", run_elementary());
    for (int which = 0; which < 5; which++) {
        for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
            // the solvers AUTO, DUAL and BOX all end in CGLS for the large tree, so it has only two
            // solvers
            if (which == 2 && solver != POISE_SOLVER_AUTO && solver != POISE_SOLVER_GAUSS_SEIDEL) {
                continue;
            }
            printf("%s, %s: %016" PRIx64 "\n", names[which], solvers[solver],
                   run(which, (PoiseSolver)solver));
        }
    }
    return EXIT_SUCCESS;
}
