// SPDX-License-Identifier: MIT
// What tells the kinds of nodes apart: their axes, their motion, their posture as numbers. The
// stages of a solve see axes alone, each of which a dof turns about or moves along.
#include "internal.h"

int poise__kind_dof(PoiseNodeKind kind) {
    switch (kind) {
    case POISE_NODE_UNIVERSAL:
        return 2;
    case POISE_NODE_BALL:
    case POISE_NODE_TRANSLATION:
        return 3;
    case POISE_NODE_FREE:
        return 6;
    default:
        return 1;
    }
}

const char* poise__kind_name(PoiseNodeKind kind) {
    static const char* const names[] = {"node",      "hinge",       "slider", "ball",
                                        "universal", "translation", "free"};
    return names[kind];
}

bool poise__kind_has_angle(PoiseNodeKind kind) {
    return kind == POISE_NODE_HINGE || kind == POISE_NODE_SLIDER || kind == POISE_NODE_UNIVERSAL;
}

// the bits of the node's axes that are free, of as many as its kind has
static unsigned free_bits(const Node* node) {
    return node->free_axes & (node->kind == POISE_NODE_FREE ? POISE_AXES_ALL : POISE_AXES_LINEAR);
}

static bool has_switches(const Node* node) {
    return node->kind == POISE_NODE_TRANSLATION || node->kind == POISE_NODE_FREE;
}

int poise__node_dof(const Node* node) {
    if (!has_switches(node)) {
        return poise__kind_dof(node->kind);
    }
    int count = 0;
    for (unsigned bits = free_bits(node); bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

bool poise__node_is_direct(const Node* node) {
    return poise__node_dof(node) == poise__kind_dof(node->kind) && !poise__node_has_cone(node);
}

static PoiseVec3 unit(int axis) {
    return poise_vec3(axis == 0, axis == 1, axis == 2);
}

// the moved joint frame: the link's without link_in_joint
static PoiseQuat moved_rotation(const Node* node) {
    return poise_quat_mul(node->link_world.q, poise_quat_conjugate(node->link_in_joint.q));
}

// the axes that are switched on; all of them: the world's, so that J needs no turning
static void switched_axes(const Node* node, PoiseVec3* axes, unsigned char* linear) {
    const unsigned bits = free_bits(node);
    const bool all = poise__node_is_direct(node);
    int count = 0;
    for (int i = 0; i < poise__kind_dof(node->kind); i++) {
        if ((bits >> i & 1) != 0) {
            PoiseVec3 e = unit(i % 3);
            axes[count] = all ? e : poise_quat_rotate(node->joint_world.q, e);
            linear[count++] = i < 3;
        }
    }
}

void poise__node_axes(const Node* node, PoiseVec3* axes, unsigned char* linear) {
    switch (node->kind) {
    case POISE_NODE_HINGE:
    case POISE_NODE_SLIDER:
        axes[0] = poise_quat_rotate(node->joint_world.q, node->axis);
        linear[0] = node->kind == POISE_NODE_SLIDER;
        break;
    case POISE_NODE_UNIVERSAL:
        axes[0] = poise_quat_rotate(node->joint_world.q, node->axis);
        // the second turn leaves its own axis where the first brought it: in the link
        axes[1] = poise_quat_rotate(moved_rotation(node), node->axis2);
        linear[0] = 0;
        linear[1] = 0;
        break;
    case POISE_NODE_BALL:
        if (poise__node_has_cone(node)) {
            poise__cone_axes(node, axes);
        }
        for (int i = 0; i < 3 && !poise__node_has_cone(node); i++) {
            axes[i] = unit(i);
        }
        linear[0] = 0;
        linear[1] = 0;
        linear[2] = 0;
        break;
    case POISE_NODE_TRANSLATION:
    case POISE_NODE_FREE:
        switched_axes(node, axes, linear);
        break;
    }
}

PoiseVec3 poise__node_anchor(const Node* node) {
    if (node->kind != POISE_NODE_FREE) {
        return node->joint_world.p;
    }
    // the origin of the moved joint frame
    PoiseVec3 back = poise_quat_rotate(moved_rotation(node), node->link_in_joint.p);
    return poise_sub(node->link_world.p, back);
}

double* poise__turn_of(PoiseNodeKind kind, double omega[POISE_MAX_DOF]) {
    switch (kind) {
    case POISE_NODE_SLIDER:
    case POISE_NODE_TRANSLATION:
        return NULL;
    case POISE_NODE_FREE:
        return &omega[3];
    default:
        return omega;
    }
}

PoisePose poise__joint_motion(const Node* node) {
    PoisePose motion = poise_pose_identity();
    switch (node->kind) {
    case POISE_NODE_HINGE:
        motion.q = poise_quat_from_axis_angle(node->axis, node->angle);
        break;
    case POISE_NODE_SLIDER:
        motion.p = poise_scale(node->angle, node->axis);
        break;
    case POISE_NODE_BALL:
        motion.q = node->rotation;
        break;
    case POISE_NODE_UNIVERSAL:
        motion.q = poise_quat_mul(poise_quat_from_axis_angle(node->axis, node->angle),
                                  poise_quat_from_axis_angle(node->axis2, node->angle2));
        break;
    case POISE_NODE_TRANSLATION:
        motion.p = node->translation;
        break;
    case POISE_NODE_FREE:
        motion = poise_pose(node->translation, node->rotation);
        break;
    }
    return motion;
}

// ----------------------------------------------------------------------------------------- ranges

bool poise__node_has_range(const Node* node) {
    bool first = node->lower > -HUGE_VAL || node->upper < HUGE_VAL;
    bool second =
        node->kind == POISE_NODE_UNIVERSAL && (node->lower2 > -HUGE_VAL || node->upper2 < HUGE_VAL);
    return first || second || poise__node_has_cone(node) || node->max_speed < HUGE_VAL;
}

void poise__node_room(const Node* node, int dof, double* lower, double* upper) {
    if (poise__node_has_cone(node)) {
        poise__cone_room(node, dof, lower, upper);
    } else if (!poise__kind_has_angle(node->kind)) {
        *lower = -HUGE_VAL;
        *upper = HUGE_VAL;
    } else if (dof == 0) {
        *lower = node->lower - node->angle;
        *upper = node->upper - node->angle;
    } else {
        *lower = node->lower2 - node->angle2;
        *upper = node->upper2 - node->angle2;
    }
}

// --------------------------------------------------------------------------------------- theta (+)

// v, in world axes, as the joint frame sees it
static PoiseVec3 in_joint(const Node* node, const double* v) {
    return poise_quat_unrotate(node->joint_world.q, poise_vec3(v[0], v[1], v[2]));
}

static void turn_by(Node* node, const double* omega) {
    PoiseQuat turn = poise_quat_exp(in_joint(node, omega));
    node->rotation = poise_quat_normalize(poise_quat_mul(turn, node->rotation));
    if (poise__node_has_cone(node)) {
        (void)poise__cone_hold(node, &node->rotation);
    }
}

void poise__node_move(Node* node, const double omega[POISE_MAX_DOF]) {
    switch (node->kind) {
    case POISE_NODE_UNIVERSAL:
        node->angle2 = poise_min(poise_max(node->angle2 + omega[1], node->lower2), node->upper2);
        // fall through
    case POISE_NODE_HINGE:
    case POISE_NODE_SLIDER:
        node->angle = poise_min(poise_max(node->angle + omega[0], node->lower), node->upper);
        break;
    case POISE_NODE_BALL:
        turn_by(node, omega);
        break;
    case POISE_NODE_TRANSLATION:
        node->translation = poise_add(node->translation, in_joint(node, omega));
        break;
    case POISE_NODE_FREE:
        node->translation = poise_add(node->translation, in_joint(node, omega));
        turn_by(node, &omega[3]);
        break;
    }
}

// ------------------------------------------------------------------------------ posture as numbers

static double* put3(double* out, PoiseVec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    return out + 3;
}

static void put_quat(double* out, PoiseQuat q) {
    out[0] = q.w;
    (void)put3(&out[1], poise_vec3(q.x, q.y, q.z));
}

int poise_node_posture(const PoiseTree* tree, PoiseNodeId id, double out[POISE_MAX_POSTURE]) {
    const Node* node = poise__node(tree, id);
    if (!node || !out) {
        return 0;
    }
    switch (node->kind) {
    case POISE_NODE_HINGE:
    case POISE_NODE_SLIDER:
        out[0] = node->angle;
        return 1;
    case POISE_NODE_UNIVERSAL:
        out[0] = node->angle;
        out[1] = node->angle2;
        return 2;
    case POISE_NODE_BALL:
        put_quat(out, node->rotation);
        return 4;
    case POISE_NODE_TRANSLATION:
        (void)put3(out, node->translation);
        return 3;
    case POISE_NODE_FREE:
        put_quat(put3(out, node->translation), node->rotation);
        return 7;
    }
    return 0;
}

double poise_node_angle2(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node && node->kind == POISE_NODE_UNIVERSAL ? node->angle2 : 0.0;
}

PoisePose poise_node_pose(const PoiseTree* tree, PoiseNodeId id) {
    const Node* node = poise__node(tree, id);
    return node ? poise__joint_motion(node) : poise_pose_identity();
}

static int posture_size(PoiseNodeKind kind) {
    static const int sizes[] = {0, 1, 1, 4, 2, 3, 7};
    return sizes[kind];
}

const char* poise__posture_problem(PoiseNodeKind kind, const double* numbers, int count) {
    if (!numbers || count != posture_size(kind)) {
        return "the numbers are NULL, or not as many as its kind has";
    }
    for (int i = 0; i < count; i++) {
        if (!isfinite(numbers[i])) {
            return "a number is not finite";
        }
    }
    if (kind == POISE_NODE_BALL || kind == POISE_NODE_FREE) {
        const double* q = &numbers[count - 4];
        if (q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0) {
            return "the rotation is 0";
        }
    }
    return NULL;
}

static void put_posture(Node* node, const double* numbers, int count) {
    if (poise__kind_has_angle(node->kind)) {
        node->angle = numbers[0];
        node->angle2 = count > 1 ? numbers[1] : node->angle2;
        return;
    }
    if (node->kind != POISE_NODE_BALL) {
        node->translation = poise_vec3(numbers[0], numbers[1], numbers[2]);
    }
    if (node->kind != POISE_NODE_TRANSLATION) {
        const double* q = &numbers[count - 4];
        node->rotation = poise_quat_normalize(poise_quat(q[0], q[1], q[2], q[3]));
    }
}

// `kind` 0: any
static PoiseStatus set_posture(PoiseTree* tree, PoiseNodeId id, PoiseNodeKind kind,
                               const double* numbers, int count) {
    const char* call = "poise_node_set_posture";
    Node* node = poise__node_or_fail(tree, id, call);
    if (!node) {
        return poise__no_handle(tree);
    }
    if (kind != 0 && node->kind != kind) {
        return poise__fail(
            tree, POISE_ERROR_WRONG_KIND, "%s: node %u is a %s, the numbers are those of a %s",
            call, (unsigned)id.index1, poise__kind_name(node->kind), poise__kind_name(kind));
    }
    const char* wrong = poise__posture_problem(node->kind, numbers, count);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "%s: node %u, a %s: %s", call,
                           (unsigned)id.index1, poise__kind_name(node->kind), wrong);
    }
    put_posture(node, numbers, count);
    poise__make_stale(tree);
    return POISE_OK;
}

PoiseStatus poise_node_set_posture(PoiseTree* tree, PoiseNodeId id, const double* posture,
                                   int count) {
    return set_posture(tree, id, (PoiseNodeKind)0, posture, count);
}

PoiseStatus poise_node_set_angles(PoiseTree* tree, PoiseNodeId id, double angle, double angle2) {
    const double numbers[2] = {angle, angle2};
    return set_posture(tree, id, POISE_NODE_UNIVERSAL, numbers, 2);
}

PoiseStatus poise_node_set_translation(PoiseTree* tree, PoiseNodeId id, PoiseVec3 translation) {
    double numbers[3];
    (void)put3(numbers, translation);
    return set_posture(tree, id, POISE_NODE_TRANSLATION, numbers, 3);
}

PoiseStatus poise_node_set_pose(PoiseTree* tree, PoiseNodeId id, PoisePose pose) {
    double numbers[7];
    put_quat(put3(numbers, pose.p), pose.q);
    return set_posture(tree, id, POISE_NODE_FREE, numbers, 7);
}
