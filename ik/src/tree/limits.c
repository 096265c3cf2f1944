// SPDX-License-Identifier: MIT
// A ball's swing cone and twist range, and the nodes' speeds. In the solve a ball with a cone has
// the axes along which swing and twist grow, bounded like an angle; what the curvature of the cone
// leaves is cut afterwards.
#include "internal.h"

// squares of speeds are alike within this
#define FASTER (1.0 + 1e-9)
// sine of half an angle this far from the end of a cone: inside, whatever the rounding
#define NEAR_END 1e-9

static const double PI = 3.14159265358979323846;

bool poise__is_cone(double swing_limit, double twist_lower, double twist_upper) {
    return swing_limit >= 0.0 && twist_lower <= twist_upper && twist_lower < HUGE_VAL &&
           twist_upper > -HUGE_VAL;
}

bool poise__node_has_cone(const Node* node) {
    return node->kind == POISE_NODE_BALL &&
           (node->swing_limit < HUGE_VAL || node->twist_lower > -HUGE_VAL ||
            node->twist_upper < HUGE_VAL);
}

void poise__cone_axes(const Node* node, PoiseVec3 axes[3]) {
    // as the frames have it, measured or not
    PoiseQuat moved =
        poise_quat_mul(node->link_world.q, poise_quat_conjugate(node->link_in_joint.q));
    PoiseVec3 from = poise_quat_rotate(node->joint_world.q, node->axis);
    PoiseVec3 to = poise_quat_rotate(moved, node->axis);
    PoiseVec3 swing = poise_cross(from, to);
    double sine = poise_length(swing);
    if (!(sine > 0.0)) {
        // not swung, or right over: any way across the axis is farther, or back
        double x = fabs(to.x), y = fabs(to.y), z = fabs(to.z);
        swing = poise_cross(to, poise_vec3(x <= y && x <= z, y < x && y <= z, z < x && z < y));
        sine = poise_length(swing);
    }
    axes[0] = poise_scale(1.0 / sine, swing);
    axes[1] = poise_cross(to, axes[0]);
    axes[2] = to;
}

// a rotation as twist and swing: sine and cosine of half their angles, over a common length; the
// cosines are not negative
typedef struct Parts {
    double twist_sine; // times the swing's cosine
    double twist_cosine;
    double swing_sine;
    double swing_cosine;
} Parts;

static Parts parts_of(PoiseQuat q, PoiseVec3 axis) {
    const PoiseVec3 v = poise_vec3(q.x, q.y, q.z);
    const double along = poise_dot(v, axis);
    const PoiseVec3 across = poise_add_scaled(v, -along, axis);
    Parts parts;
    parts.twist_sine = q.w < 0.0 ? -along : along;
    parts.twist_cosine = fabs(q.w);
    parts.swing_sine = poise_length(across);
    parts.swing_cosine = sqrt(q.w * q.w + along * along);
    return parts;
}

void poise__cone_room(const Node* node, int dof, double* lower, double* upper) {
    *lower = -HUGE_VAL;
    *upper = HUGE_VAL;
    const Parts parts = parts_of(node->rotation, node->axis);
    if (dof == 0) {
        const double angle = 2.0 * atan2(parts.swing_sine, parts.swing_cosine);
        *lower = -angle - node->swing_limit;
        *upper = node->swing_limit - angle;
    } else if (dof == 2) {
        const double twist =
            parts.swing_cosine > 0.0 ? 2.0 * atan2(parts.twist_sine, parts.twist_cosine) : 0.0;
        *lower = node->twist_lower - twist;
        *upper = node->twist_upper - twist;
    }
}

// swing and twist are within half a turn, either way
static HalfAngle half_angle(double angle) {
    const double half = 0.5 * poise_min(poise_max(angle, -PI), PI);
    return (HalfAngle){sin(half), cos(half)};
}

void poise__cone_note(Node* node) {
    node->half_swing = half_angle(node->swing_limit);
    node->half_lower = half_angle(node->twist_lower);
    node->half_upper = half_angle(node->twist_upper);
}

// Whether a rotation is inside beyond doubt, without a turn of trigonometry: sin(a - b) > 0 for
// half angles. What is nearer to the ends is looked at closely.
static bool is_well_inside(const Node* node, PoiseQuat q) {
    const Parts p = parts_of(q, node->axis);
    const HalfAngle *swing = &node->half_swing, *low = &node->half_lower, *high = &node->half_upper;
    return swing->sine * p.swing_cosine - swing->cosine * p.swing_sine > NEAR_END &&
           p.twist_sine * low->cosine - p.twist_cosine * low->sine > NEAR_END &&
           high->sine * p.twist_cosine - high->cosine * p.twist_sine > NEAR_END;
}

// the twist, or the end of the range that is nearer to it round the circle
static double held_twist(const Node* node, double twist) {
    if (twist >= node->twist_lower && twist <= node->twist_upper) {
        return twist;
    }
    double below = remainder(node->twist_lower - twist, 2.0 * PI);
    double above = remainder(node->twist_upper - twist, 2.0 * PI);
    return fabs(below) < fabs(above) ? node->twist_lower : node->twist_upper;
}

int poise__cone_hold(const Node* node, PoiseQuat* rotation) {
    if (is_well_inside(node, *rotation)) {
        return 0;
    }
    PoiseQuat swing;
    const double twist = poise_quat_twist(*rotation, node->axis, &swing);
    const double kept = held_twist(node, twist);
    PoiseVec3 turn = poise_quat_log(swing);
    const double angle = poise_length(turn);
    const int held = (angle > node->swing_limit ? 1 : 0) | (kept != twist ? 2 : 0);
    if (held != 0) {
        turn = angle > node->swing_limit ? poise_scale(node->swing_limit / angle, turn) : turn;
        PoiseQuat about = poise_quat_from_axis_angle(node->axis, kept);
        *rotation = poise_quat_normalize(poise_quat_mul(poise_quat_exp(turn), about));
    }
    return held;
}

// omega of a ball becomes what its cone leaves of it
static int hold_cone(const Node* node, double* omega) {
    PoiseVec3 turn =
        poise_quat_unrotate(node->joint_world.q, poise_vec3(omega[0], omega[1], omega[2]));
    PoiseQuat next = poise_quat_mul(poise_quat_exp(turn), node->rotation);
    const int held = poise__cone_hold(node, &next);
    if (held != 0) {
        turn = poise_quat_log(poise_quat_mul(next, poise_quat_conjugate(node->rotation)));
        turn = poise_quat_rotate(node->joint_world.q, turn);
        omega[0] = turn.x;
        omega[1] = turn.y;
        omega[2] = turn.z;
    }
    return held;
}

// the whole vector, so that its direction stays
static void hold_speed(const Node* node, double most, double* omega) {
    double* v = poise__turn_of(node->kind, omega);
    v = v ? v : omega;
    if (poise__kind_has_angle(node->kind)) {
        v[0] = poise_min(poise_max(v[0], -most), most);
        v[1] = poise_min(poise_max(v[1], -most), most);
        return;
    }
    double length = poise_length(poise_vec3(v[0], v[1], v[2]));
    for (int i = 0; length > most && i < 3; i++) {
        v[i] *= most / length;
    }
}

// what a dof is to be shortened by for the whole turn, or move, of its node to keep the speed, 0..1
static double speed_part(const Layout* layout, const Column* column, const Node* node,
                         double most) {
    double square = 0.0;
    for (int d = 0; d < column->dof; d++) {
        const double omega = column->scale * layout->omega[column->first_dof + d];
        const bool counts = node->kind != POISE_NODE_FREE || !layout->linear[column->first_dof + d];
        square += counts ? omega * omega : 0.0;
    }
    return square > most * most * FASTER ? most / sqrt(square) : 1.0;
}

bool poise__speeds_hold(PoiseTree* tree, double step) {
    Layout* layout = &tree->layout;
    bool any = false;
    for (int i = 0; layout->bounded && step > 0.0 && i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        if (poise__kind_has_angle(node->kind) || !(node->max_speed < HUGE_VAL)) {
            continue; // an angle has bounds of its own
        }
        const double part = speed_part(layout, column, node, node->max_speed * step);
        for (int d = 0; part < 1.0 && d < column->dof; d++) {
            const int dof = column->first_dof + d;
            if (node->kind != POISE_NODE_FREE || !layout->linear[dof]) {
                layout->lower[dof] = part * layout->omega[dof];
                layout->upper[dof] = layout->lower[dof];
            }
        }
        any = any || part < 1.0;
    }
    return any;
}

void poise__limits_hold(PoiseTree* tree, double step) {
    Layout* layout = &tree->layout;
    for (int i = 0; layout->bounded && i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        double* omega = tree->results[column->node].omega;
        if (step > 0.0 && node->max_speed < HUGE_VAL) {
            hold_speed(node, node->max_speed * step, omega);
        }
        if (poise__node_has_cone(node)) {
            const int held = hold_cone(node, omega);
            layout->fixed[column->first_dof] |= (unsigned char)(held & 1);
            layout->fixed[column->first_dof + 2] |= (unsigned char)(held >> 1);
        }
    }
}

// ---------------------------------------------------------------------------------------- settings

PoiseStatus poise_node_set_cone(PoiseTree* tree, PoiseNodeId id, double swing_limit,
                                double twist_lower, double twist_upper) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_cone");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (node->kind != POISE_NODE_BALL) {
        return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                           "poise_node_set_cone: node %u is a %s, a cone is a ball's",
                           (unsigned)id.index1, poise__kind_name(node->kind));
    }
    if (!poise__is_cone(swing_limit, twist_lower, twist_upper)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_cone: swing %g, twist %g to %g of node %u: the swing "
                           "must not be negative, lower at most upper",
                           swing_limit, twist_lower, twist_upper, (unsigned)id.index1);
    }
    node->swing_limit = swing_limit;
    node->twist_lower = twist_lower;
    node->twist_upper = twist_upper;
    poise__cone_note(node);
    poise__range_changed(tree, node);
    return POISE_OK;
}

PoiseStatus poise_node_set_max_speed(PoiseTree* tree, PoiseNodeId id, double speed) {
    Node* node = poise__node_or_fail(tree, id, "poise_node_set_max_speed");
    if (!node) {
        return poise__no_handle(tree);
    }
    if (!(speed > 0.0)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_set_max_speed: %g of node %u must be above 0", speed,
                           (unsigned)id.index1);
    }
    node->max_speed = speed;
    poise__range_changed(tree, node);
    return POISE_OK;
}

bool poise_node_cone(const PoiseTree* tree, PoiseNodeId id, double* swing_limit,
                     double* twist_lower, double* twist_upper) {
    const Node* node = poise__node(tree, id);
    bool has = node && poise__node_has_cone(node);
    if (swing_limit) {
        *swing_limit = has ? node->swing_limit : HUGE_VAL;
    }
    if (twist_lower) {
        *twist_lower = has ? node->twist_lower : -HUGE_VAL;
    }
    if (twist_upper) {
        *twist_upper = has ? node->twist_upper : HUGE_VAL;
    }
    return has;
}
