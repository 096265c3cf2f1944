// SPDX-License-Identifier: MIT
// Takes 20,000 steps, in tests/nightly 100,000, of every solver over all kinds of nodes and points,
// with goals near, far and on the root: postures are finite and inside ranges and cones (rows
// 0.16, 2.5).
#include <criterion/criterion.h>
#include <string.h>

#include "models.h"
#include "posture.h"
#include "sample.h"
#include "works.h"

enum { NODES = 12, STEPS_A_TREE = 20 };

// rad: cones; and m or rad: the places to which a solve sends hinges and sliders
#define INSIDE 1e-9
#define SENT   1e-12

// The limits of a node's angles, or of its swing and twist.
typedef struct Limit {
    double lower[3];
    double upper[3];
} Limit;

// True if each of the node's numbers is along or about an axis of its own.
static bool has_own_axes(const PoiseTree* tree, PoiseNodeId node) {
    const PoiseJointType* type = poise_joint_type(poise_node_kind(tree, node));
    return type->linear != 7 && type->nq == type->nv;
}

static void limit_range(PoiseTree* tree, PoiseNodeId node, Random* random, Limit* limit) {
    double now[POISE_MAX_POSTURE];
    const int count = poise_node_posture(tree, node, now);
    for (int i = 0; i < count; i++) {
        // a quarter of the bounds are at the current posture
        limit->lower[i] = now[i] - fmax(random_between(random, -0.2, 0.6), 0.0);
        limit->upper[i] = now[i] + fmax(random_between(random, -0.2, 0.6), 0.0);
    }
    PoiseLimits limits = poise_node_limits(tree, node);
    memcpy(limits.lower, limit->lower, (size_t)count * sizeof *limits.lower);
    memcpy(limits.upper, limit->upper, (size_t)count * sizeof *limits.upper);
    cr_assert(poise_node_set_limits(tree, node, limits) == POISE_OK);
}

static void limit_cone(PoiseTree* tree, PoiseNodeId node, Random* random, Limit* limit) {
    limit->lower[0] = 0.0;
    limit->upper[0] = random_between(random, 0.0, 2.8);
    limit->lower[1] = -fmax(random_between(random, -0.5, 2.5), 0.0);
    limit->upper[1] = fmax(random_between(random, -0.5, 2.5), 0.0);
    cr_assert(set_rotation(tree, node, poise_quat(1, 0, 0, 0)) == POISE_OK);
    cr_assert(poise_node_set_limits(
                  tree, node, poise_cone(limit->upper[0], limit->lower[1], limit->upper[1])) ==
              POISE_OK);
}

static void limit_all(Model* model, Random* random, Limit* limits) {
    for (int n = 0; n < model->node_count; n++) {
        const PoiseNodeKind kind = poise_node_kind(model->tree, model->nodes[n]);
        if (kind == POISE_NODE_BALL) {
            limit_cone(model->tree, model->nodes[n], random, &limits[n]);
        } else if (has_own_axes(model->tree, model->nodes[n])) {
            limit_range(model->tree, model->nodes[n], random, &limits[n]);
        }
    }
}

// Adds points of the kinds that model_random_kinds leaves out.
static void add_aims(Model* model, Random* random) {
    for (int p = 0; p < 2; p++) {
        PoisePointDef def =
            model_point_def((PoisePointKind)(POISE_POINT_DIRECTION + random_index(random, 3)));
        def.link = model->nodes[random_index(random, model->node_count)];
        def.in_link = random_pose(random, 0.3, 3.0);
        def.priority = random_index(random, 3) / 2;
        const PoisePointId point = poise_point_create(model->tree, &def);
        model->points[model->point_count++] = point;
        cr_assert(poise_register_all(model->tree, point) == POISE_OK);
    }
}

// Returns a place near the root, on the root, or anywhere within a light second.
static PoiseVec3 random_place(Random* random) {
    static const double sizes[] = {1.0, 1.0, 0.0, 1e3, 3e8};
    return random_vec3(random, sizes[random_index(random, 5)]);
}

static void move_goals(Model* model, Random* random) {
    for (int p = 0; p < model->point_count; p++) {
        const PoisePointId point = model->points[p];
        const PoiseVec3 place = random_place(random);
        const PoiseQuat turn = random_turn(random, 3.0);
        const PoiseVec3 direction = random_direction(random);
        switch (poise_point_kind(model->tree, point)) {
        case POISE_POINT_POSE:
            cr_assert(poise_point_set_orientation(model->tree, point, turn) == POISE_OK);
            cr_assert(poise_point_set_position(model->tree, point, place) == POISE_OK);
            break;
        case POISE_POINT_ORIENTATION:
            cr_assert(poise_point_set_orientation(model->tree, point, turn) == POISE_OK);
            break;
        case POISE_POINT_DIRECTION:
            cr_assert(poise_point_set_direction(model->tree, point, direction) == POISE_OK);
            break;
        default:
            cr_assert(poise_point_set_position(model->tree, point, place) == POISE_OK);
            break;
        }
    }
}

// Returns how far omega sends a node with axes of its own outside its limits, rad or m.
static double sent_outside(const PoiseTree* tree, PoiseNodeId node, const Limit* limit) {
    double now[POISE_MAX_POSTURE], omega[POISE_MAX_DOF], worst = 0.0;
    const int count = poise_node_posture(tree, node, now);
    const bool has_all = poise_node_omega(tree, node, omega) == count;
    for (int i = 0; i < count && has_all && has_own_axes(tree, node); i++) {
        const double next = now[i] + omega[i];
        worst = fmax(worst, fmax(limit->lower[i] - next, next - limit->upper[i]));
    }
    return worst;
}

// Returns how far a node is outside its limits, rad or m; infinite if a number is not finite.
static double outside(const PoiseTree* tree, PoiseNodeId node, const Limit* limit) {
    double now[POISE_MAX_POSTURE];
    const int count = poise_node_posture(tree, node, now);
    for (int i = 0; i < count; i++) {
        if (!isfinite(now[i])) {
            return HUGE_VAL;
        }
    }
    const PoiseNodeKind kind = poise_node_kind(tree, node);
    if (kind == POISE_NODE_BALL) {
        // Swing is the present angle between the cone's axis and its direction; twist is the
        // remaining rotation about the axis.
        const PoiseQuat q = poise_node_pose(tree, node).q;
        const PoiseVec3 axis = poise_node_axis(tree, node);
        const PoiseVec3 to = poise_quat_rotate(q, axis);
        now[0] = atan2(poise_length(poise_cross(axis, to)), poise_dot(axis, to));
        now[1] = 2.0 * atan2(poise_dot(poise_vec3(q.x, q.y, q.z), axis), q.w);
        now[1] = remainder(now[1], 2.0 * 3.14159265358979323846);
    } else if (!has_own_axes(tree, node)) {
        return 0.0;
    }
    const int limited = kind == POISE_NODE_BALL ? 2 : count;
    double worst = 0.0;
    for (int i = 0; i < limited; i++) {
        worst = fmax(worst, fmax(limit->lower[i] - now[i], now[i] - limit->upper[i]));
    }
    return worst;
}

static bool is_finite(const PoiseSolveReport* report, const Model* model) {
    bool finite = isfinite(report->residual) && isfinite(report->lambda) &&
                  isfinite(report->goal_norm) && isfinite(report->scale);
    for (int n = 0; n < model->node_count; n++) {
        double omega[POISE_MAX_DOF], velocity[POISE_MAX_DOF];
        const int count = poise_node_omega(model->tree, model->nodes[n], omega);
        GETS(poise_node_velocity(model->tree, model->nodes[n], velocity));
        for (int d = 0; d < count; d++) {
            finite = finite && isfinite(omega[d]) && isfinite(velocity[d]);
        }
    }
    return finite;
}

static PoiseSolveDef random_def(Random* random) {
    static const double damping[] = {-1.0, -1.0, 0.0, 1e-12, 1e-3};
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = (PoiseSolver)random_index(random, POISE_SOLVER_CGLS + 1);
    def.damping = damping[random_index(random, 5)];
    def.damping_floor = random_index(random, 2) == 0 ? 0.0 : 0.2;
    def.step = random_index(random, 2) == 0 ? 0.0 : 0.01;
    def.posture_rate = random_index(random, 4) == 0 ? 0.1 : 0.0;
    if (random_index(random, 4) == 0) {
        def.position_clamp = HUGE_VAL;
        def.angle_clamp = HUGE_VAL;
        def.joint_cap = HUGE_VAL;
        // A singular posture gives steps of any size if there is no damping, clamp or cap.
        def.damping = fabs(def.damping) + 1e-9;
    }
    return def;
}

Test(random_steps, are_finite_and_inside_every_limit) {
    double worst = 0.0;
    int done = 0, limited = 0;
    for (uint64_t seed = 0; done < sample_problems(); seed++) {
        Random random = random_from(400000 + seed);
        Limit limits[NODES];
        const int points = 1 + random_index(&random, 3);
        const bool turns = random_index(&random, 2) > 0;
        RandomTree kinds = {2, points, true, true, true, turns, true, POISE_BALL_THREE_AXES};
        kinds.nodes += random_index(&random, NODES - 1);
        kinds.ball_axes = seed % 5 == 0 ? POISE_BALL_REDUCED : POISE_BALL_THREE_AXES;
        Model model = model_random_kinds(&random, &kinds);
        add_aims(&model, &random);
        limit_all(&model, &random, limits);
        cr_assert(poise_forward(model.tree) == POISE_OK);
        PoiseSolveDef def = random_def(&random);
        for (int i = 0; i < STEPS_A_TREE; i++, done++) {
            PoiseSolveReport report;
            if (i % 4 == 0) {
                move_goals(&model, &random);
            }
            cr_assert(poise_solve(model.tree, &def, &report) == POISE_OK);
            for (int n = 0; n < model.node_count; n++) {
                const double off = sent_outside(model.tree, model.nodes[n], &limits[n]);
                cr_expect(off <= SENT, "seed %d, step %d, node %d goes %g outside", (int)seed, i, n,
                          off);
            }
            cr_assert(poise_advance(model.tree) == POISE_OK);
            cr_assert(poise_forward(model.tree) == POISE_OK);
            limited += report.limited_dofs > 0;
            cr_expect(is_finite(&report, &model), "seed %d, step %d", (int)seed, i);
            for (int n = 0; n < model.node_count; n++) {
                const double off = outside(model.tree, model.nodes[n], &limits[n]);
                const bool ball = poise_node_kind(model.tree, model.nodes[n]) == POISE_NODE_BALL;
                cr_expect(off <= (ball ? INSIDE : 0.0),
                          "seed %d, step %d, node %d of kind %d: %g outside", (int)seed, i, n,
                          (int)poise_node_kind(model.tree, model.nodes[n]), off);
                worst = fmax(worst, off);
            }
        }
        model_finish(&model);
    }
    cr_expect(limited > done / 2, "%d of %d met a limit", limited, done);
    cr_log_info("%d steps, %d on a limit: at most %g outside", done, limited, worst);
}
