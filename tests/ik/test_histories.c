// SPDX-License-Identifier: MIT
// Adds, disables, changes and removes points between solves in any order, switches the root's axes
// and disables joints. After each history the tree solves like one that was built in its final
// state (rows 2.1-2.3 of DOCUMENTS.md).
#include <criterion/criterion.h>

#include "poise/ik.h"
#include "random.h"
#include "works.h"

enum { LIMBS = 4, NODES = 1 + 3 * LIMBS, POINTS = 6, CHANGES = 60, STEPS = 4, HISTORIES = 1000 };

typedef struct PlannedPoint {
    PoisePointDef def; // link and frame are set from the node numbers below
    int link;
    int frame; // -1: none
    bool registered[NODES];
} PlannedPoint;

// The nodes and points that both trees have at the end.
typedef struct Plan {
    PoiseNodeDef nodes[NODES];
    int parents[NODES];
    bool enabled[NODES];
    unsigned root_axes;
    PlannedPoint points[POINTS];
} Plan;

typedef struct Body {
    PoiseTree* tree;
    PoiseNodeId nodes[NODES];
    PoisePointId points[POINTS];
} Body;

static PoiseNodeDef random_node(Random* random, int n) {
    static PoiseNodeDef (*const defs[])(void) = {
        poise_default_hinge_def, poise_default_ball_def, poise_default_universal_def,
        poise_default_slider_def, poise_default_translation_def};
    PoiseNodeDef def = n == 0 ? poise_default_free_def() : defs[random_index(random, 5)]();
    def.joint_in_parent = random_pose(random, 0.4, 1.0);
    def.angle = random_between(random, -0.5, 0.5);
    def.angle2 = random_between(random, -0.5, 0.5);
    def.rotation = random_turn(random, 0.5);
    def.bias = random_between(random, 0.5, 4.0);
    def.mass = random_between(random, 0.5, 3.0);
    def.com_link = random_vec3(random, 0.2);
    return def;
}

static PlannedPoint random_point(Random* random) {
    static PoisePointDef (*const defs[])(void) = {
        poise_default_position_def,  poise_default_orientation_def, poise_default_pose_def,
        poise_default_direction_def, poise_default_look_at_def,     poise_default_com_def};
    PlannedPoint point = {.def = defs[random_index(random, 6)](), .frame = -1};
    point.link = random_index(random, NODES);
    if (point.def.kind != POISE_POINT_COM && random_index(random, 4) == 0) {
        point.frame = random_index(random, NODES);
    }
    point.def.in_link = random_pose(random, 0.3, 1.0);
    point.def.has_goal = true;
    point.def.goal = random_pose(random, 1.0, 2.0);
    point.def.axis = random_direction(random);
    point.def.direction = random_direction(random);
    point.def.weight = random_between(random, 0.3, 3.0);
    point.def.priority = random_index(random, 4) / 3;
    point.def.enabled = random_index(random, 4) > 0;
    if (random_index(random, 3) == 0) {
        // at least one of the three rows that each kind has
        point.def.rows = 9u << random_index(random, 3);
        point.def.rows |= (unsigned)random_index(random, 64);
        point.def.row_axes = (PoiseRowAxes)random_index(random, 3);
    }
    for (int n = 0; n < NODES; n++) {
        point.registered[n] = random_index(random, 5) > 0;
    }
    return point;
}

static Plan random_plan(Random* random) {
    Plan plan = {0};
    for (int n = 0; n < NODES; n++) {
        plan.nodes[n] = random_node(random, n);
        // limbs of three links on the root
        plan.parents[n] = n == 0 ? -1 : (n - 1) % 3 == 0 ? 0 : n - 1;
        plan.enabled[n] = random_index(random, 6) > 0;
    }
    plan.root_axes = random_index(random, 3) == 0 ? 0u : (unsigned)random_index(random, 64);
    for (int p = 0; p < POINTS; p++) {
        plan.points[p] = random_point(random);
    }
    return plan;
}

static Body make_nodes(const Plan* plan) {
    Body body = {0};
    PoiseTreeDef def = poise_default_tree_def();
    body.tree = poise_tree_create(&def);
    for (int n = 0; n < NODES; n++) {
        PoiseNodeDef node = plan->nodes[n];
        node.parent = n == 0 ? poise_null_node() : body.nodes[plan->parents[n]];
        body.nodes[n] = poise_node_create(body.tree, &node);
    }
    cr_assert(poise_tree_status(body.tree) == POISE_OK);
    return body;
}

static PoisePointId make_point(Body* body, const PlannedPoint* planned) {
    PoisePointDef def = planned->def;
    def.link = body->nodes[planned->link];
    def.frame = planned->frame < 0 ? poise_null_node() : body->nodes[planned->frame];
    const PoisePointId point = poise_point_create(body->tree, &def);
    cr_assert(poise_point_is_valid(body->tree, point), "%s", poise_tree_message(body->tree));
    return point;
}

// Makes those of the planned registrations that are possible.
static void register_planned(Body* body, const PlannedPoint* planned, PoisePointId point) {
    cr_assert(poise_register_all(body->tree, point) >= POISE_ERROR_CANNOT_MOVE);
    for (int n = 0; n < NODES; n++) {
        if (!planned->registered[n]) {
            cr_assert(poise_unregister(body->tree, point, body->nodes[n]) == POISE_OK);
        }
    }
}

static Body build_so(const Plan* plan) {
    Body body = make_nodes(plan);
    cr_assert(poise_node_set_free_axes(body.tree, body.nodes[0], plan->root_axes) == POISE_OK);
    for (int n = 0; n < NODES; n++) {
        cr_assert(poise_node_set_enabled(body.tree, body.nodes[n], plan->enabled[n]) == POISE_OK);
    }
    for (int p = 0; p < POINTS; p++) {
        body.points[p] = make_point(&body, &plan->points[p]);
        register_planned(&body, &plan->points[p], body.points[p]);
    }
    poise_tree_clear_status(body.tree);
    return body;
}

static void change_point(Body* body, Random* random, PoisePointId point) {
    PoiseTree* tree = body->tree;
    const PoiseNodeId node = body->nodes[random_index(random, NODES)];
    switch (random_index(random, 8)) {
    case 0:
        MAY_FAIL(poise_register(tree, point, node));
        break;
    case 1:
        cr_assert(poise_unregister(tree, point, node) == POISE_OK);
        break;
    case 2:
        cr_assert(poise_point_set_enabled(tree, point, random_index(random, 2) > 0) == POISE_OK);
        break;
    case 3:
        cr_assert(poise_point_set_weight(tree, point, random_between(random, 0.1, 9.0)) ==
                  POISE_OK);
        break;
    case 4:
        cr_assert(poise_point_set_priority(tree, point, random_index(random, 3)) == POISE_OK);
        break;
    case 5:
        MAY_FAIL(poise_register_all(tree, point));
        break;
    case 6:
        MAY_FAIL(poise_point_set_position(tree, point, random_vec3(random, 1.0)));
        break;
    default: {
        const PoiseRowAxes axes = (PoiseRowAxes)random_index(random, 3);
        cr_assert(poise_point_set_rows(tree, point, 9u << random_index(random, 3), axes) ==
                  POISE_OK);
    } break;
    }
}

static void change_node(Body* body, Random* random) {
    const int n = random_index(random, NODES);
    const bool on = random_index(random, 2) > 0;
    cr_assert(poise_node_set_enabled(body->tree, body->nodes[n], on) == POISE_OK);
    const unsigned axes = (unsigned)random_index(random, 64);
    cr_assert(poise_node_set_free_axes(body->tree, body->nodes[0], axes) == POISE_OK);
}

// Creates, changes and destroys points between solves.
static void live(Body* body, const Plan* plan, Random* random) {
    PoisePointId alive[POINTS] = {{0, 0, 0}};
    for (int i = 0; i < CHANGES; i++) {
        PoisePointId* point = &alive[random_index(random, POINTS)];
        if (!poise_point_is_valid(body->tree, *point)) {
            const PlannedPoint other = random_point(random);
            *point = make_point(body, random_index(random, 2) > 0
                                          ? &other
                                          : &plan->points[random_index(random, POINTS)]);
        } else if (random_index(random, 6) == 0) {
            cr_assert(poise_point_destroy(body->tree, *point) == POISE_OK);
            *point = poise_null_point();
        } else if (random_index(random, 4) == 0) {
            change_node(body, random);
        } else {
            change_point(body, random, *point);
        }
        if (random_index(random, 3) == 0) {
            cr_assert(poise_forward(body->tree) == POISE_OK);
            cr_assert(poise_solve(body->tree, NULL, NULL) == POISE_OK);
        }
    }
    for (int p = 0; p < POINTS; p++) {
        cr_assert(poise_point_destroy(body->tree, alive[p]) == POISE_OK);
    }
}

// Brings the body to the plan: creates the points in any order, each changed a few times before.
static void come_to_plan(Body* body, const Plan* plan, Random* random) {
    int order[POINTS];
    for (int p = 0; p < POINTS; p++) {
        const int at = random_index(random, p + 1);
        order[p] = order[at];
        order[at] = p;
    }
    for (int i = 0; i < POINTS; i++) {
        const int p = order[i];
        const PlannedPoint* planned = &plan->points[p];
        body->points[p] = make_point(body, planned);
        for (int k = 0; k < 5; k++) {
            change_point(body, random, body->points[p]);
        }
        register_planned(body, planned, body->points[p]);
        const PoisePointId point = body->points[p];
        cr_assert(poise_point_set_enabled(body->tree, point, planned->def.enabled) == POISE_OK);
        cr_assert(poise_point_set_weight(body->tree, point, planned->def.weight) == POISE_OK);
        cr_assert(poise_point_set_priority(body->tree, point, planned->def.priority) == POISE_OK);
        cr_assert(poise_point_set_rows(body->tree, point, planned->def.rows,
                                       planned->def.row_axes) == POISE_OK);
        MAY_FAIL(poise_point_set_position(body->tree, point, planned->def.goal.p));
    }
    for (int n = 0; n < NODES; n++) {
        cr_assert(poise_node_set_enabled(body->tree, body->nodes[n], plan->enabled[n]) == POISE_OK);
    }
    cr_assert(poise_node_set_free_axes(body->tree, body->nodes[0], plan->root_axes) == POISE_OK);
    poise_tree_clear_status(body->tree);
}

// Solves both; returns the largest difference of any omega.
static double solve_both(Body* a, Body* b, const PoiseSolveDef* def) {
    double worst = 0.0;
    PoiseSolveReport of_a, of_b;
    cr_assert(poise_forward(a->tree) == POISE_OK && poise_forward(b->tree) == POISE_OK);
    cr_assert(poise_solve(a->tree, def, &of_a) == POISE_OK);
    cr_assert(poise_solve(b->tree, def, &of_b) == POISE_OK);
    cr_assert(of_a.rows == of_b.rows && of_a.columns == of_b.columns);
    cr_assert(of_a.levels == of_b.levels);
    for (int n = 0; n < NODES; n++) {
        double x[POISE_MAX_DOF], y[POISE_MAX_DOF];
        const int count = poise_node_omega(a->tree, a->nodes[n], x);
        cr_assert(poise_node_omega(b->tree, b->nodes[n], y) == count);
        cr_assert(poise_node_dof(a->tree, a->nodes[n]) == poise_node_dof(b->tree, b->nodes[n]));
        for (int d = 0; d < count; d++) {
            worst = fmax(worst, fabs(x[d] - y[d]));
        }
    }
    return worst;
}

static double compare(const Plan* plan, Random* random, PoiseSolver solver) {
    Body fresh = build_so(plan), lived = make_nodes(plan);
    live(&lived, plan, random);
    come_to_plan(&lived, plan, random);
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = solver;
    def.damping = 1e-2;
    // Neither tree may use a damping factor remembered from other steps.
    def.adaptive = false;
    double worst = 0.0;
    for (int step = 0; step < STEPS; step++) {
        worst = fmax(worst, solve_both(&fresh, &lived, &def));
        cr_assert(poise_advance(fresh.tree) == POISE_OK);
        cr_assert(poise_advance(lived.tree) == POISE_OK);
    }
    poise_tree_destroy(fresh.tree);
    poise_tree_destroy(lived.tree);
    return worst;
}

Test(histories, a_changed_tree_solves_like_a_new_one) {
    static const PoiseSolver solvers[] = {POISE_SOLVER_AUTO, POISE_SOLVER_GAUSS_SEIDEL,
                                          POISE_SOLVER_BOX, POISE_SOLVER_CGLS};
    double worst = 0.0;
    for (uint64_t seed = 0; seed < HISTORIES; seed++) {
        Random random = random_from(600000 + seed);
        const Plan plan = random_plan(&random);
        const double off = compare(&plan, &random, solvers[seed % 4]);
        cr_expect(off <= 1e-12, "seed %d: off by %g", (int)seed, off);
        worst = fmax(worst, off);
    }
    cr_log_info("%d histories: worst difference %g", HISTORIES, worst);
}

// The points are in the order of their creation: sums depend on that order only, so all bits are
// equal.
Test(histories, points_switched_off_and_on_again_change_no_bit) {
    for (uint64_t seed = 0; seed < HISTORIES; seed++) {
        Random random = random_from(700000 + seed);
        const Plan plan = random_plan(&random);
        Body fresh = build_so(&plan), lived = build_so(&plan);
        for (int i = 0; i < CHANGES; i++) {
            const PoisePointId point = lived.points[random_index(&random, POINTS)];
            const bool enabled = poise_point_enabled(lived.tree, point);
            const unsigned axes = (unsigned)random_index(&random, 64);
            const PoiseNodeId root = lived.nodes[0];
            cr_assert(poise_point_set_enabled(lived.tree, point, !enabled) == POISE_OK);
            cr_assert(poise_node_set_free_axes(lived.tree, root, axes) == POISE_OK);
            MAY_FAIL(poise_forward(lived.tree));
            cr_assert(poise_solve(lived.tree, NULL, NULL) == POISE_OK);
            cr_assert(poise_point_set_enabled(lived.tree, point, enabled) == POISE_OK);
            cr_assert(poise_node_set_free_axes(lived.tree, root, plan.root_axes) == POISE_OK);
        }
        PoiseSolveDef def = poise_default_solve_def();
        def.adaptive = false;
        cr_expect(solve_both(&fresh, &lived, &def) == 0.0, "seed %d", (int)seed);
        poise_tree_destroy(fresh.tree);
        poise_tree_destroy(lived.tree);
    }
}
