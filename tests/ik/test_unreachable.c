// SPDX-License-Identifier: MIT
// Tests goals that cannot be met: too far, in the dead zone, on the root, on the line of a straight
// arm, or jumping from side to side. The joints come to rest, even with little damping. Once the
// goal is in reach again, the point meets it (rows 0.10, 0.16 of DOCUMENTS.md).
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"

enum { SETTLED = 400, WATCHED = 100, BACK = 50 };

#define STILL 1e-3 // rad for each step

typedef struct Arm {
    char name[24];
    PoiseNodeKind kind;
    int count;
    // m; inner links have 1 m, the last is longer than the sum of the others where there is a dead
    // zone
    double last;
    // rad to either side, for hinges, and the swing of balls; 0: free
    double range;
} Arm;

static const Arm arms[] = {{"2 hinges", POISE_NODE_HINGE, 2, 1.0, 0.0},
                           {"5 hinges", POISE_NODE_HINGE, 5, 1.0, 0.0},
                           {"2 balls", POISE_NODE_BALL, 2, 1.0, 0.0},
                           {"5 balls", POISE_NODE_BALL, 5, 1.0, 0.0},
                           {"long hand", POISE_NODE_HINGE, 3, 2.5, 0.0},
                           {"long ball", POISE_NODE_BALL, 3, 2.5, 0.0},
                           {"2 hinges ranged", POISE_NODE_HINGE, 2, 1.0, 1.3},
                           {"5 hinges ranged", POISE_NODE_HINGE, 5, 1.0, 1.0},
                           {"2 balls in cones", POISE_NODE_BALL, 2, 1.0, 1.3},
                           {"5 balls in cones", POISE_NODE_BALL, 5, 1.0, 1.0}};

enum { ARMS = sizeof arms / sizeof *arms };

static double reach_of(const Arm* arm) {
    return arm->count - 1 + arm->last;
}

static double dead_zone_of(const Arm* arm) {
    return fmax(arm->last - (arm->count - 1), 0.0);
}

// Makes the arm straight along x, with each joint bent by `bend` rad.
static Model make(const Arm* arm, double bend) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def =
        arm->kind == POISE_NODE_BALL ? poise_default_ball_def() : poise_default_hinge_def();
    for (int i = 0; i < arm->count; i++) {
        def.joint_in_parent.p = poise_vec3(i > 0 ? 1.0 : 0.0, 0.0, 0.0);
        def.angle = bend;
        def.rotation = poise_quat_from_axis_angle(poise_vec3(0.0, 0.3, 1.0), bend);
        if (arm->range > 0.0 && arm->kind == POISE_NODE_HINGE) {
            def.lower = -arm->range;
            def.upper = arm->range;
        } else if (arm->range > 0.0) {
            def.axis = poise_vec3(1.0, 0.0, 0.0);
            def.swing_limit = arm->range;
            def.twist_lower = -0.5;
            def.twist_upper = 0.5;
        }
        def.parent = model_add_node(&model, &def);
    }
    model_add_tip(&model, def.parent, poise_vec3(arm->last, 0.0, 0.0));
    cr_assert(poise_forward(model.tree) == POISE_OK);
    return model;
}

static void set_goal(Model* model, PoiseVec3 goal) {
    cr_assert(poise_point_set_position(model->tree, model->points[0], goal) == POISE_OK);
}

// Takes a step; returns the largest rotation of a joint, rad.
static double step_turn(Model* model, const PoiseSolveDef* def) {
    double largest = 0.0;
    cr_assert(poise_forward(model->tree) == POISE_OK);
    cr_assert(poise_solve(model->tree, def, NULL) == POISE_OK);
    for (int n = 0; n < model->node_count; n++) {
        double omega[POISE_MAX_DOF];
        const int count = poise_node_omega(model->tree, model->nodes[n], omega);
        double square = 0.0;
        for (int d = 0; d < count; d++) {
            square += omega[d] * omega[d];
        }
        largest = fmax(largest, sqrt(square));
    }
    cr_assert(poise_advance(model->tree) == POISE_OK);
    cr_assert(poise_forward(model->tree) == POISE_OK);
    return largest;
}

static double settle(Model* model, const PoiseSolveDef* def) {
    double most = 0.0;
    for (int step = 0; step < SETTLED + WATCHED; step++) {
        const double turn = step_turn(model, def);
        most = step >= SETTLED ? fmax(most, turn) : most;
    }
    return most;
}

// Returns the steps until the point is within a thousandth of the reach; BACK + 1 if there are
// more.
static int steps_back(Model* model, const PoiseSolveDef* def, double reach) {
    int steps = 0;
    while (poise_point_planned_error(model->tree, model->points[0]) > 1e-3 * reach &&
           steps <= BACK) {
        (void)step_turn(model, def);
        steps++;
    }
    return steps;
}

typedef struct Goal {
    char name[24];
    // distance as a multiple of the reach, or of the dead zone's radius if below 0
    double part;
    PoiseVec3 direction;
} Goal;

static const Goal goals[] = {{"1.05 of the reach", 1.05, {0.6, 0.8, 0.0}},
                             {"1.3 of the reach", 1.3, {-0.6, 0.8, 0.0}},
                             {"3 times the reach", 3.0, {0.0, -1.0, 0.0}},
                             {"straight on", 1.5, {1.0, 0.0, 0.0}},
                             {"straight back", 1.5, {-1.0, 0.0, 0.0}},
                             {"half the dead zone", -0.5, {0.8, 0.6, 0.0}},
                             {"dead zone, on the line", -0.5, {1.0, 0.0, 0.0}},
                             {"the root", 0.0, {1.0, 0.0, 0.0}}};

enum { GOALS = sizeof goals / sizeof *goals };

static PoiseVec3 place_of(const Goal* goal, const Arm* arm) {
    const double distance =
        goal->part < 0.0 ? -goal->part * dead_zone_of(arm) : goal->part * reach_of(arm);
    return poise_scale(distance, goal->direction);
}

static int rest_and_come_back(const PoiseSolveDef* def, double bend, const char* how) {
    int slowest = 0, traps = 0;
    for (int a = 0; a < ARMS; a++) {
        for (int g = 0; g < GOALS; g++) {
            Model model = make(&arms[a], bend);
            const double reach = reach_of(&arms[a]);
            set_goal(&model, place_of(&goals[g], &arms[a]));
            const double moving = settle(&model, def);
            cr_expect(moving <= STILL, "%s, solver %d: %s, %s: %g rad a step", how,
                      (int)def->solver, arms[a].name, goals[g].name, moving);
            // a goal inside the ranges needs a less bent arm
            const bool ranged = arms[a].range > 0.0;
            set_goal(&model,
                     poise_vec3((ranged ? 0.7 : 0.45) * reach, (ranged ? 0.5 : 0.55) * reach, 0.0));
            int steps = steps_back(&model, def, reach);
            // An arm folded against its ranges may be at a local minimum.
            const bool trapped =
                ranged && poise_point_state(model.tree, model.points[0]) == POISE_POINT_AT_LIMITS;
            traps += trapped;
            steps = trapped ? 0 : steps;
            cr_expect(steps <= BACK, "%s, solver %d: %s, %s: not back in %d steps, %g m off", how,
                      (int)def->solver, arms[a].name, goals[g].name, BACK,
                      poise_point_planned_error(model.tree, model.points[0]));
            slowest = steps > slowest ? steps : slowest;
            model_finish(&model);
        }
    }
    // 3 of the 80 with little damping, none by default
    cr_expect(traps <= (def->damping_floor > 0.0 ? 0 : 3), "%s: %d trapped", how, traps);
    return slowest;
}

static void all_solvers(double damping, double floor, const char* how) {
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        PoiseSolveDef def = poise_default_solve_def();
        def.solver = (PoiseSolver)solver;
        def.damping = damping;
        def.damping_floor = floor;
        const int straight = rest_and_come_back(&def, 0.0, how);
        const int bent = rest_and_come_back(&def, 0.4, how);
        cr_log_info("%s, solver %d: back in at most %d steps, bent %d", how, solver, straight,
                    bent);
    }
}

Test(unreachable, joints_rest_and_come_back) {
    all_solvers(-1.0, 0.2, "default");
}

// Springhead jitters by 2.6 m for each step where damping is low.
Test(unreachable, joints_rest_and_come_back_hardly_damped) {
    all_solvers(1e-12, 0.0, "hardly damped");
}

// The goal jumps to the other side, and back and forth before anything has settled.
Test(unreachable, a_goal_that_flips_ends_in_rest) {
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        for (int a = 0; a < ARMS; a++) {
            Model model = make(&arms[a], 0.0);
            PoiseSolveDef def = poise_default_solve_def();
            def.solver = (PoiseSolver)solver;
            const double reach = reach_of(&arms[a]);
            for (int flip = 0; flip < 40; flip++) {
                set_goal(&model, poise_vec3(flip % 2 == 0 ? -1.5 * reach : 1.5 * reach, 0.0, 0.0));
                for (int step = 0; step < 1 + flip % 7; step++) {
                    (void)step_turn(&model, &def);
                }
            }
            const double moving = settle(&model, &def);
            cr_expect(moving <= STILL, "solver %d: %s: %g rad a step", solver, arms[a].name,
                      moving);
            // The arm is stretched toward the goal, where the ranges allow that.
            const bool ranged = arms[a].range > 0.0;
            if (!ranged) {
                EXPECT_NEAR(poise_point_planned_error(model.tree, model.points[0]), 0.5 * reach,
                            1e-6);
            }
            set_goal(&model, ranged ? poise_vec3(0.7 * reach, 0.5 * reach, 0.0)
                                    : poise_vec3(-0.45 * reach, 0.55 * reach, 0.0));
            cr_expect(steps_back(&model, &def, reach) <= BACK, "solver %d: %s", solver,
                      arms[a].name);
            model_finish(&model);
        }
    }
}

// No rotation of the hinge brings the point nearer, so the hinge does not move.
Test(unreachable, a_hinge_whose_goal_is_on_its_axis_does_not_move) {
    static const double heights[] = {0.0, 0.3, -2.0};
    for (int solver = POISE_SOLVER_GAUSS_SEIDEL; solver <= POISE_SOLVER_CGLS; solver++) {
        for (int h = 0; h < 3; h++) {
            const Arm one = {"1 hinge", POISE_NODE_HINGE, 1, 1.0, 0.0};
            Model model = make(&one, 0.7);
            PoiseSolveDef def = poise_default_solve_def();
            def.solver = (PoiseSolver)solver;
            set_goal(&model, poise_vec3(0.0, 0.0, heights[h]));
            for (int step = 0; step < 300; step++) {
                (void)step_turn(&model, &def);
            }
            EXPECT_NEAR(poise_node_angle(model.tree, model.nodes[0]), 0.7, 1e-12);
            model_finish(&model);
        }
    }
}

// The goal is straight behind the hinge: any rotation brings the point nearer, so the hinge turns.
Test(unreachable, a_hinge_whose_goal_is_behind_it_turns) {
    const Arm one = {"1 hinge", POISE_NODE_HINGE, 1, 1.0, 0.0};
    Model model = make(&one, 0.0);
    PoiseSolveDef def = poise_default_solve_def();
    set_goal(&model, poise_vec3(-1.0, 0.0, 0.0));
    for (int step = 0; step < 100; step++) {
        (void)step_turn(&model, &def);
    }
    EXPECT_NEAR(poise_point_planned_error(model.tree, model.points[0]), 0.0, 1e-6);
    model_finish(&model);
}
