// SPDX-License-Identifier: MIT
// Tests the limits of every kind of node in the joint model, and the arguments that its setters
// refuse.
#include <criterion/criterion.h>

#include "models.h"
#include "near.h"
#include "posture.h"
#include "works.h"

// A solve keeps the limits that are set, for every kind that has limits.
Test(kind_limits, limits_are_kept_by_every_number) {
    for (int kind = POISE_NODE_HINGE; poise_joint_type((PoiseNodeKind)kind); kind++) {
        const PoiseJointType* type = poise_joint_type((PoiseNodeKind)kind);
        const bool own = type->linear != 7 && type->nq == type->nv;
        Model model = model_chain((PoiseNodeKind)kind, 2, 0.5, POISE_POINT_POSE);
        PoiseLimits limits = {{-0.1, -0.2, -0.3}, {0.05, 0.1, 0.15}};
        for (int d = type->nv; own && d < 3; d++) {
            // a limit of a number that the kind does not have is refused
            cr_expect(poise_node_set_limits(model.tree, model.nodes[0], limits) ==
                      POISE_ERROR_INVALID_ARGUMENT);
            limits.lower[d] = -HUGE_VAL;
            limits.upper[d] = HUGE_VAL;
        }
        const PoiseStatus status = poise_node_set_limits(model.tree, model.nodes[0], limits);
        if (!own) {
            cr_expect(status == (kind == POISE_NODE_BALL ? POISE_ERROR_INVALID_ARGUMENT
                                                         : POISE_ERROR_WRONG_KIND));
            model_finish(&model);
            continue;
        }
        cr_assert(status == POISE_OK);
        const PoiseLimits kept = poise_node_limits(model.tree, model.nodes[0]);
        cr_assert(poise_point_set_position(model.tree, model.points[0],
                                           poise_vec3(-0.4, 0.9, -0.6)) == POISE_OK);
        cr_assert(poise_point_set_orientation(model.tree, model.points[0],
                                              poise_quat(0.1, -0.5, 0.4, 0.7)) == POISE_OK);
        for (int step = 0; step < 60; step++) {
            cr_assert(model_step(&model, NULL, NULL) == POISE_OK);
        }
        double q[POISE_MAX_POSTURE];
        bool at_limit = false;
        const int count = poise_node_posture(model.tree, model.nodes[0], q);
        for (int d = 0; d < 3; d++) {
            cr_expect_eq(kept.lower[d], limits.lower[d]);
            cr_expect_eq(kept.upper[d], limits.upper[d]);
            cr_expect(d >= count || (q[d] >= limits.lower[d] && q[d] <= limits.upper[d]));
            at_limit =
                at_limit || (d < count && (q[d] == limits.lower[d] || q[d] == limits.upper[d]));
        }
        cr_expect(at_limit, "%s: no number came to its limit", type->name);
        cr_expect((poise_node_at_limit(model.tree, model.nodes[0]) != 0) == at_limit);
        model_finish(&model);
    }
}

// Solves with an extreme angle, range or damping: the posture stays finite.
static void solve_beyond_reach(PoiseNodeKind kind, PoiseSolver solver, PoisePointKind goal) {
    Model model = model_chain(kind, 1, goal == POISE_POINT_POSE ? 1e6 : 0.5, goal);
    const PoiseNodeId node = model.nodes[0];
    if (goal == POISE_POINT_DIRECTION) {
        // the angle itself is extreme
        MAY_FAIL(poise_node_set_angle(model.tree, node, 1e300));
        MAY_FAIL(poise_node_set_limits(model.tree, node, poise_range(-1e-3, -1e-3)));
        WORKS(poise_point_set_priority(model.tree, model.points[0], POISE_PRIORITY_CLOSURE));
    } else if (goal == POISE_POINT_POSITION) {
        // The range is extreme, and the large bias lets the joint hardly move.
        MAY_FAIL(poise_node_set_limits(model.tree, node,
                                       kind == POISE_NODE_BALL ? poise_cone(1e6, 1e300, 1e300)
                                                               : poise_range(1e300, 1e300)));
        WORKS(poise_node_set_bias(model.tree, node, 1e300));
    }
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = solver;
    // lambda overflows for this damping and a long link
    def.damping = goal == POISE_POINT_POSE ? 1e300 : def.damping;
    for (int step = 0; step < 3; step++) {
        MAY_FAIL(model_step(&model, &def, NULL));
    }
    const PoiseReachDef reach = poise_default_reach_def();
    MAY_FAIL(poise_reach(model.tree, &reach, NULL));
    double q[POISE_MAX_POSTURE];
    for (int i = poise_node_posture(model.tree, node, q) - 1; i >= 0; i--) {
        cr_expect(isfinite(q[i]), "kind %d, solver %d, goal %d", kind, solver, goal);
    }
    model_finish(&model);
}

Test(kind_limits, solves_for_goals_beyond_reach_keep_every_range) {
    for (int kind = POISE_NODE_HINGE; poise_joint_type((PoiseNodeKind)kind); kind++) {
        for (int solver = POISE_SOLVER_AUTO; solver <= POISE_SOLVER_CGLS; solver++) {
            solve_beyond_reach((PoiseNodeKind)kind, (PoiseSolver)solver, POISE_POINT_POSITION);
            solve_beyond_reach((PoiseNodeKind)kind, (PoiseSolver)solver, POISE_POINT_DIRECTION);
            solve_beyond_reach((PoiseNodeKind)kind, (PoiseSolver)solver, POISE_POINT_POSE);
        }
    }
}
