// SPDX-License-Identifier: MIT
// Stance points: which there are, and how the ground shares a floating base's weight out over them,
// tau = G - sum of J_s^T f_s, so that the base itself needs nothing. After ik/forces.c in the step,
// before drive.c.
#include "poise/stance.h"

#include <string.h>

#include "rig_internal.h"

enum { COOKIE_STANCE = 0x50530003, WRENCH = 6 };

// of the trace of A W A^T: below it a direction in which the points cannot balance the body
#define CANNOT_BALANCE 1e-10
// m: the moments count by the force that this arm makes of them, in which the two are compared
#define ARM 1.0

PoiseStanceDef poise_default_stance_def(void) {
    PoiseStanceDef def;
    memset(&def, 0, sizeof def);
    def.cookie = COOKIE_STANCE;
    def.share = 1.0;
    def.slide = 10.0;
    return def;
}

static Stance* find(const PoiseRig* rig, PoisePointId point) {
    for (int i = 0; i < rig->stance_count; i++) {
        const PoisePointId id = rig->stances[i].point;
        if (id.index1 == point.index1 && id.generation == point.generation &&
            id.tree == point.tree) {
            return &rig->stances[i];
        }
    }
    return NULL;
}

// the bound node a point's link hangs on, or NO_BINDING
static int binding_below(const PoiseRig* rig, PoisePointId point) {
    PoiseNodeId node = poise_point_link(rig->tree, point);
    while (node.index1 != 0) {
        const Binding* binding = poise__binding(rig, node);
        if (binding) {
            return (int)(binding - rig->bindings);
        }
        node = poise_node_parent(rig->tree, node);
    }
    return NO_BINDING;
}

static bool floats(const Binding* root) {
    return root->kind == POISE_NODE_FREE && !poise__binding_holds_up(root);
}

bool poise__has_stance(const PoiseRig* rig) {
    return rig->stance_count > 0;
}

// whether floating bases take part follows from whether there is a stance
static void switch_bases(PoiseRig* rig) {
    for (int i = 0; i < rig->binding_count; i++) {
        const Binding* binding = &rig->bindings[i];
        if (binding->kind == POISE_NODE_FREE) {
            (void)poise_node_set_enabled(rig->tree, binding->node,
                                         poise__binding_takes_part(rig, binding));
        }
    }
    rig->revision_known = false;
}

PoiseStatus poise_rig_add_stance(PoiseRig* rig, const PoiseStanceDef* def) {
    const char* call = "poise_rig_add_stance";
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!def || def->cookie != COOKIE_STANCE) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: the def was not made by poise_default_stance_def()", call);
    }
    if (!poise_point_is_valid(rig->tree, def->point)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                               "%s: point %u is null, destroyed, or of another tree", call,
                               (unsigned)def->point.index1);
    }
    if (!(def->share > 0.0) || isinf(def->share) || !(def->sole >= 0.0) || isinf(def->sole) ||
        !(def->slide >= 0.0) || isinf(def->slide)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: point %u: share %g must be above 0, sole %g m and slide %g not "
                               "below, all finite",
                               call, (unsigned)def->point.index1, def->share, def->sole,
                               def->slide);
    }
    poise__drop_destroyed(rig);
    const int below = binding_below(rig, def->point);
    if (poise_point_kind(rig->tree, def->point) == POISE_POINT_COM || below == NO_BINDING ||
        !floats(&rig->bindings[rig->bindings[below].root])) {
        return poise__rig_fail(rig, POISE_ERROR_WRONG_KIND,
                               "%s: point %u is a centre of mass, or stands on no floating base; "
                               "make one with poise_rig_add_base",
                               call, (unsigned)def->point.index1);
    }
    Stance* stance = find(rig, def->point);
    if (!stance) {
        if (!poise__grow(&rig->host, &rig->stances, &rig->stance_capacity, rig->stance_count + 1,
                         sizeof *rig->stances)) {
            return poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY, "%s: no memory", call);
        }
        stance = &rig->stances[rig->stance_count++];
        memset(stance, 0, sizeof *stance);
        stance->point = def->point;
    }
    stance->share = def->share;
    stance->sole = def->sole;
    stance->slide = def->slide;
    switch_bases(rig);
    return POISE_OK;
}

static void drop(PoiseRig* rig, Stance* stance) {
    for (int i = 0; i < rig->binding_count; i++) {
        memset(rig->bindings[i].carrying, 0, sizeof rig->bindings[i].carrying);
    }
    rig->stance_count--;
    memmove(stance, stance + 1,
            (size_t)(&rig->stances[rig->stance_count] - stance) * sizeof *stance);
    switch_bases(rig);
}

PoiseStatus poise_rig_remove_stance(PoiseRig* rig, PoisePointId point) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Stance* stance = find(rig, point);
    if (stance) {
        drop(rig, stance);
    }
    return POISE_OK;
}

void poise__drop_stances(PoiseRig* rig) {
    for (int i = rig->stance_count - 1; i >= 0; i--) {
        if (!poise_point_is_valid(rig->tree, rig->stances[i].point)) {
            drop(rig, &rig->stances[i]);
        }
    }
}

PoiseStatus poise_rig_set_balance(PoiseRig* rig, PoisePointId com) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (com.index1 != 0 && !poise_point_is_valid(rig->tree, com)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                               "poise_rig_set_balance: point %u is destroyed, or of another tree",
                               (unsigned)com.index1);
    }
    if (com.index1 != 0 && poise_point_kind(rig->tree, com) != POISE_POINT_COM) {
        return poise__rig_fail(rig, POISE_ERROR_WRONG_KIND,
                               "poise_rig_set_balance: point %u is no centre of mass",
                               (unsigned)com.index1);
    }
    rig->balance = com;
    return POISE_OK;
}

int poise_rig_stance_count(const PoiseRig* rig) {
    return rig ? rig->stance_count : 0;
}

PoiseStatus poise_rig_read_stance(const PoiseRig* rig, PoisePointId point, PoiseVec3* force,
                                  PoiseVec3* moment) {
    const Stance* stance = rig ? find(rig, point) : NULL;
    if (!stance) {
        return rig ? POISE_ERROR_INVALID_HANDLE : POISE_ERROR_INVALID_ARGUMENT;
    }
    if (force) {
        *force = stance->force;
    }
    if (moment) {
        *moment = stance->moment;
    }
    return POISE_OK;
}

// ------------------------------------------------------------------------------------ distribution

// lower triangle of a symmetric 6 x 6 matrix, and what it is to give
typedef struct Balance {
    double a[WRENCH][WRENCH];
    double b[WRENCH];
} Balance;

static void cross_rows(PoiseVec3 r, double m[3][3]) {
    const double rows[3][3] = {{0.0, -r.z, r.y}, {r.z, 0.0, -r.x}, {-r.y, r.x, 0.0}};
    memcpy(m, rows, sizeof rows);
}

// adds A W A^T of one point: A = (1, 0; [r x], 1) from its force and moment to those about the
// anchor, W = share (1, sole^2)
static void add_point(Balance* balance, const Stance* stance, PoiseVec3 r) {
    double x[3][3];
    cross_rows(poise_scale(1.0 / ARM, r), x);
    const double w = stance->share;
    const double turn = w * stance->sole * stance->sole / (ARM * ARM);
    for (int i = 0; i < 3; i++) {
        balance->a[i][i] += w;
        balance->a[3 + i][3 + i] += turn;
        for (int j = 0; j < 3; j++) {
            balance->a[3 + i][j] += w * x[i][j];
            for (int k = 0; k < 3; k++) {
                balance->a[3 + i][3 + j] += w * x[i][k] * x[j][k];
            }
        }
    }
}

// Cholesky; b becomes the answer. A direction without a pivot has no part in it
static void solve(Balance* balance) {
    double trace = 0.0;
    for (int i = 0; i < WRENCH; i++) {
        trace += balance->a[i][i];
    }
    for (int i = 0; i < WRENCH; i++) {
        balance->a[i][i] += CANNOT_BALANCE * trace;
    }
    for (int j = 0; j < WRENCH; j++) {
        for (int k = 0; k < j; k++) {
            for (int i = j; i < WRENCH; i++) {
                balance->a[i][j] -= balance->a[i][k] * balance->a[j][k];
            }
        }
        // the damping has made it positive; rounding may not leave it so
        double pivot = sqrt(poise_max(balance->a[j][j], CANNOT_BALANCE * CANNOT_BALANCE * trace));
        balance->a[j][j] = pivot;
        for (int i = j + 1; i < WRENCH; i++) {
            balance->a[i][j] /= pivot;
        }
    }
    for (int i = 0; i < WRENCH; i++) {
        for (int k = 0; k < i; k++) {
            balance->b[i] -= balance->a[i][k] * balance->b[k];
        }
        balance->b[i] /= balance->a[i][i];
    }
    for (int i = WRENCH - 1; i >= 0; i--) {
        for (int k = i + 1; k < WRENCH; k++) {
            balance->b[i] -= balance->a[k][i] * balance->b[k];
        }
        balance->b[i] /= balance->a[i][i];
    }
}

// shares what holds the root up out over its points; false when some of them pulls, and carries no
// more from now on
static bool share_out(PoiseRig* rig, int root, const double wanted[WRENCH], PoiseVec3 up) {
    const PoiseVec3 anchor = rig->bindings[root].joint_world.p;
    Balance balance;
    memset(&balance, 0, sizeof balance);
    for (int i = 0; i < rig->stance_count; i++) {
        const Stance* stance = &rig->stances[i];
        if (stance->root == root && stance->carries) {
            add_point(&balance, stance, poise_sub(stance->place, anchor));
        }
    }
    if (!(balance.a[0][0] > 0.0)) {
        return true;
    }
    for (int i = 0; i < 3; i++) {
        balance.b[i] = wanted[i];
        balance.b[3 + i] = wanted[3 + i] / ARM;
    }
    solve(&balance);
    const double* y = balance.b;
    const PoiseVec3 linear = poise_vec3(y[0], y[1], y[2]);
    const PoiseVec3 turning = poise_vec3(y[3], y[4], y[5]);
    bool all_push = true;
    for (int i = 0; i < rig->stance_count; i++) {
        Stance* stance = &rig->stances[i];
        if (stance->root != root || !stance->carries) {
            continue;
        }
        // W A^T y
        PoiseVec3 r = poise_scale(1.0 / ARM, poise_sub(stance->place, anchor));
        stance->force = poise_scale(stance->share, poise_add(linear, poise_cross(turning, r)));
        stance->moment = poise_scale(stance->share * stance->sole * stance->sole / ARM, turning);
        if (poise_dot(stance->force, up) < 0.0) {
            stance->carries = false;
            stance->force = poise_vec3(0.0, 0.0, 0.0);
            stance->moment = stance->force;
            all_push = false;
        }
    }
    return all_push;
}

// -J_s^T (force, moment) for the joints between the point and its root
static void add_torques(PoiseRig* rig, const Stance* stance) {
    for (int at = stance->binding; at != NO_BINDING && at != stance->root;
         at = rig->bindings[at].parent) {
        Binding* binding = &rig->bindings[at];
        PoiseVec3 r = poise_sub(stance->place, binding->joint_world.p);
        PoiseVec3 turn = poise_add(poise_cross(r, stance->force), stance->moment);
        PoiseVec3 axis = poise_quat_rotate(binding->joint_world.q, binding->axis);
        double* sum = binding->carrying;
        switch (binding->kind) {
        case POISE_NODE_HINGE:
            sum[0] -= poise_dot(axis, turn);
            break;
        case POISE_NODE_SLIDER:
            sum[0] -= poise_dot(axis, stance->force);
            break;
        case POISE_NODE_UNIVERSAL: {
            PoiseQuat child = poise_quat_mul(binding->joint_world.q, binding->rotation);
            sum[0] -= poise_dot(axis, turn);
            sum[1] -= poise_dot(poise_quat_rotate(child, binding->axis2), turn);
            break;
        }
        case POISE_NODE_BALL:
            sum[0] -= turn.x;
            sum[1] -= turn.y;
            sum[2] -= turn.z;
            break;
        case POISE_NODE_TRANSLATION:
            sum[0] -= stance->force.x;
            sum[1] -= stance->force.y;
            sum[2] -= stance->force.z;
            break;
        default:
            break; // a free node inside: nothing is between
        }
    }
}

// what the ground has to give for a floating root: its weight's, and what answers the forces that
// are asked elsewhere
static void wanted_of(const PoiseRig* rig, const Binding* root, double wanted[WRENCH]) {
    double asked[POISE_MAX_DOF] = {0.0};
    memset(wanted, 0, WRENCH * sizeof *wanted);
    (void)poise_node_gravity_torque(rig->tree, root->node, wanted);
    (void)poise_node_force_torque(rig->tree, root->node, asked);
    // both about the moved frame's origin: brought to where the joint frame stands
    const PoiseVec3 moved = poise_pose_mul(root->link_world, root->back_to_joint).p;
    const PoiseVec3 r = poise_sub(moved, root->joint_world.p);
    for (int i = 0; i < WRENCH; i++) {
        wanted[i] += asked[i];
    }
    PoiseVec3 turn = poise_cross(r, poise_vec3(wanted[0], wanted[1], wanted[2]));
    wanted[3] += turn.x;
    wanted[4] += turn.y;
    wanted[5] += turn.z;
}

static PoiseVec3 up_of(const PoiseRig* rig) {
    dVector3 g;
    dWorldGetGravity(rig->world, g);
    PoiseVec3 up = poise_vec3(-(double)g[0], -(double)g[1], -(double)g[2]);
    double length = poise_length(up);
    return length > 0.0 ? poise_scale(1.0 / length, up) : up;
}

// what of `v` lies across `up`
static PoiseVec3 level(PoiseVec3 v, PoiseVec3 up) {
    return poise_add_scaled(v, -poise_dot(v, up), up);
}

static void slide_goal(PoiseRig* rig, const Stance* stance, PoiseVec3 up, double dt) {
    const double part = poise_min(stance->slide * dt, 1.0);
    if (part == 0.0 || poise_point_frame(rig->tree, stance->point).index1 != 0) {
        return;
    }
    // of the point's own kind, with finite numbers: these cannot fail
    const PoisePose goal = poise_point_goal(rig->tree, stance->point);
    const PoisePointKind kind = poise_point_kind(rig->tree, stance->point);
    if (kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE) {
        PoiseVec3 off = level(poise_sub(stance->place, goal.p), up);
        (void)poise_point_set_position(rig->tree, stance->point,
                                       poise_add_scaled(goal.p, part, off));
    }
    if (kind == POISE_POINT_POSE || kind == POISE_POINT_ORIENTATION) {
        PoiseQuat turned = poise_quat_mul(stance->turn, poise_quat_conjugate(goal.q));
        double about = poise_length(up) > 0.0 ? poise_quat_twist(turned, up, NULL) : 0.0;
        PoiseQuat by = poise_quat_exp(poise_scale(part * about, up));
        (void)poise_point_set_orientation(rig->tree, stance->point, poise_quat_mul(by, goal.q));
    }
}

static void follow_balance(PoiseRig* rig, PoiseVec3 up) {
    PoiseVec3 middle = poise_vec3(0.0, 0.0, 0.0);
    double shares = 0.0;
    for (int i = 0; i < rig->stance_count; i++) {
        if (rig->stances[i].carries) {
            middle = poise_add_scaled(middle, rig->stances[i].share, rig->stances[i].place);
            shares += rig->stances[i].share;
        }
    }
    if (shares > 0.0 && poise_point_is_valid(rig->tree, rig->balance)) {
        const PoiseVec3 goal = poise_point_goal(rig->tree, rig->balance).p;
        PoiseVec3 off = level(poise_sub(poise_scale(1.0 / shares, middle), goal), up);
        (void)poise_point_set_position(rig->tree, rig->balance, poise_add(goal, off));
    }
}

void poise__stance_follow(PoiseRig* rig, double dt) {
    if (rig->stance_count == 0) {
        return;
    }
    const PoiseVec3 up = up_of(rig);
    for (int i = 0; i < rig->stance_count; i++) {
        Stance* stance = &rig->stances[i];
        const PoisePose pose = poise_point_pose(rig->tree, stance->point);
        stance->binding = binding_below(rig, stance->point);
        stance->root =
            stance->binding == NO_BINDING ? NO_BINDING : rig->bindings[stance->binding].root;
        stance->place = pose.p;
        stance->turn = pose.q;
        stance->carries = stance->root != NO_BINDING && rig->bindings[stance->root].ready &&
                          floats(&rig->bindings[stance->root]);
        stance->force = poise_vec3(0.0, 0.0, 0.0);
        stance->moment = stance->force;
        if (stance->carries) {
            slide_goal(rig, stance, up, dt);
        }
    }
    follow_balance(rig, up);
}

void poise__stance_share(PoiseRig* rig, PoiseVec3 gravity) {
    if (rig->stance_count == 0) {
        return;
    }
    const double strength = poise_length(gravity);
    const PoiseVec3 up = strength > 0.0 ? poise_scale(-1.0 / strength, gravity) : gravity;
    for (int i = 0; i < rig->binding_count; i++) {
        memset(rig->bindings[i].carrying, 0, sizeof rig->bindings[i].carrying);
    }
    for (int root = 0; root < rig->binding_count; root++) {
        Binding* binding = &rig->bindings[root];
        if (binding->root != root || !binding->ready || !floats(binding)) {
            continue;
        }
        double wanted[WRENCH];
        wanted_of(rig, binding, wanted);
        // each round drops a point at least
        for (int round = 0; round < rig->stance_count && !share_out(rig, root, wanted, up);
             round++) {
        }
    }
    for (int i = 0; i < rig->stance_count; i++) {
        if (rig->stances[i].carries) {
            add_torques(rig, &rig->stances[i]);
            rig->bindings[rig->stances[i].root].anchored = true;
        }
    }
    // what stands on a base that is carried can be held up
    for (int i = 0; i < rig->binding_count; i++) {
        Binding* binding = &rig->bindings[i];
        binding->anchored =
            binding->anchored || (rig->bindings[binding->root].anchored && !binding->cut);
    }
}

// ------------------------------------------------------------------------------- from outside

PoiseStatus poise_rig_outside_force(const PoiseRig* rig, PoiseVec3* force, PoiseVec3* moment) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseVec3 f = poise_vec3(0.0, 0.0, 0.0);
    PoiseVec3 m = f;
    for (int i = 0; i < rig->binding_count; i++) {
        const Motor* motor = &rig->bindings[i].motor;
        if (!motor->parent && poise__motor_alive(motor)) {
            poise__motor_add_outside(motor, &f, &m);
        }
    }
    if (force) {
        *force = f;
    }
    if (moment) {
        *moment = m;
    }
    return POISE_OK;
}
