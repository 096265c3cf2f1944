// SPDX-License-Identifier: MIT
#include "kinds.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define X                                                                                          \
    { 1.0, 0.0, 0.0 }
#define Y                                                                                          \
    { 0.0, 1.0, 0.0 }
#define Z                                                                                          \
    { 0.0, 0.0, 1.0 }

#define DOWN                                                                                       \
    { 0.0, 0.0, -1.0 }

#define KIND(node, type) POISE_NODE_##node, dJointType##type

const KindCase kind_cases[KIND_CASES] = {
    {"hinge", KIND(HINGE, Hinge), false, {Y}, 0, Y, 0, 1.0, DOWN, false, false},
    {"slider", KIND(SLIDER, Slider), false, {Z}, -1, Y, 0, -1.0, DOWN, false, false},
    {"universal", KIND(UNIVERSAL, Universal), false, {Z, Y}, 1, Y, 1, 1.0, DOWN, false, false},
    {"ball", KIND(BALL, Ball), false, {X}, 1, Y, 1, 1.0, DOWN, false, false},
    {"ball with cone", KIND(BALL, Ball), true, {X}, -1, Y, 1, 1.0, DOWN, false, false},
    {"translation", KIND(TRANSLATION, None), false, {X}, -1, Y, 2, -1.0, DOWN, false, false},
    {"free", KIND(FREE, None), false, {X}, 4, Y, 2, -1.0, DOWN, false, false},
    {"hinge2", KIND(HINGE2, Hinge2), false, {Z, Y}, 1, Y, 0, 1.0, Y, false, false},
    {"piston", KIND(PISTON, Piston), false, {Z, Z}, 1, Z, 0, -1.0, DOWN, false, false},
    {"pr", KIND(PR, PR), false, {Z, Y}, 1, Y, 0, -1.0, DOWN, true, false},
    {"pu", KIND(PU, PU), false, {Z, Y, X}, 1, Y, 0, -1.0, DOWN, true, true},
};

KindDef kind_def(const KindCase* kind, int count, double stiffness) {
    KindDef def = {.kind = kind, .count = count, .like = mechanism_springs(0.0, 0.0)};
    def.like.original = (PoiseSpring){stiffness, 0.2 * stiffness};
    def.like.original_linear = (PoiseSpring){10.0 * stiffness, 2.0 * stiffness};
    return def;
}

void kind_posture(const PoiseJointType* type, double size, double posture[POISE_MAX_NQ]) {
    memset(posture, 0, POISE_MAX_NQ * sizeof *posture);
    poise_joint_neutral(type, posture);
    double step[POISE_MAX_NV];
    for (int d = 0; d < type->nv; d++) {
        step[d] = size;
    }
    if (type->motions[type->motion_count - 1] == POISE_SPHERICAL) {
        step[type->nv - 3] = 0.6 * size;
        step[type->nv - 2] = 0.0;
        step[type->nv - 1] = 0.8 * size;
    }
    poise_joint_integrate(type, posture, step);
}

// Computes the pose of the child from the coordinates, independently of the tree.
PoisePose kind_motion(const KindCase* kind, const double* q) {
    PoisePose at = poise_pose_identity();
    if (kind->kind == POISE_NODE_BALL) {
        at.q = quat_of(q);
    } else if (kind->joint == dJointTypeNone) {
        at.p = poise_vec3(q[0], q[1], q[2]);
        at.q = kind->kind == POISE_NODE_FREE ? quat_of(&q[3]) : at.q;
    } else {
        const PoiseJointType* type = poise_joint_type(kind->kind);
        for (int i = 0; i < type->motion_count; i++) {
            PoisePose by = poise_pose_identity();
            if (type->motions[i] == POISE_REVOLUTE) {
                by.q = poise_quat_from_axis_angle(kind->axes[i], q[i]);
            } else {
                by.p = poise_scale(q[i], kind->axes[i]);
            }
            at = poise_pose_mul(at, by);
        }
    }
    return at;
}

static bool is_ranged(const KindDef* def, int i) {
    return def->range > 0.0 && (i == 0 || !def->first_range);
}

// Makes the joint of link i at the posture 0, and moves the body below it there.
static void add_joint(KindChain* chain, const KindDef* def, int i, dBodyID below) {
    const dJointType type = def->kind->joint;
    const bool back = def->child_first;
    // the first axis of these two kinds belongs to ODE's first body
    const bool swaps = back && (type == dJointTypeUniversal || type == dJointTypeHinge2);
    JointDef joint = {.type = type,
                      .first = back ? chain->links[i] : below,
                      .second = back ? below : chain->links[i],
                      .anchor = {(double)i, 0.0, 0.0}};
    for (int k = 0; k < 3; k++) {
        joint.axes[k] = def->kind->axes[swaps && k < 2 ? 1 - k : k];
    }
    PoisePose was = poise_pose_identity();
    if (below) {
        was = poise_pose(body_place(below), body_turn(below));
        body_put(below, poise_pose(poise_vec3(i - 0.5, 0.0, 0.0), poise_quat_identity()));
    }
    chain->joints[i] = joint_make(chain->m.world, &joint);
    if (below) {
        body_put(below, was);
    }
    if (type == dJointTypeHinge2) {
        dJointSetHinge2Param(chain->joints[i], dParamSuspensionERP, 0.8);
    }
    if (is_ranged(def, i)) {
        joint_set_stops(chain->joints[i], -def->range, def->range);
    }
}

// Adds a node without a joint, relative to the node before it.
static PoiseNodeId add_free(KindChain* chain, const KindDef* def, int i, PoisePose link) {
    PoiseNodeDef node = poise_default_free_def();
    if (chain->kind->kind == POISE_NODE_TRANSLATION) {
        node = poise_default_translation_def();
    }
    PoisePose below = poise_pose_identity();
    if (i > 0) {
        node.parent = chain->nodes[i - 1];
        below = poise_pose(body_place(chain->links[i - 1]), body_turn(chain->links[i - 1]));
        node.joint_in_parent.p = poise_vec3(0.5, 0.0, 0.0);
    }
    node.link_in_joint.p = poise_vec3(0.5, 0.0, 0.0);
    const PoisePose joint = poise_pose_mul(below, node.joint_in_parent);
    const PoisePose moved = poise_pose_mul(link, poise_pose_inverse(node.link_in_joint));
    const PoisePose motion = poise_pose_mul(poise_pose_inverse(joint), moved);
    node.translation = motion.p;
    node.rotation = motion.q;
    PoiseBindDef bind = def->like;
    bind.node = poise_node_create(chain->m.tree, &node);
    bind.body = chain->links[i];
    cr_assert_eq(poise_rig_bind(chain->m.rig, &bind), POISE_OK, "%s",
                 poise_rig_message(chain->m.rig));
    return bind.node;
}

void kind_open(KindChain* chain, const KindDef* def) {
    memset(chain, 0, sizeof *chain);
    chain->kind = def->kind;
    chain->type = poise_joint_type(def->kind->kind);
    chain->count = def->count;
    mechanism_open(&chain->m, poise_vec3(0.0, 0.0, -def->gravity), POISE_REFERENCE_OWN);
    const bool held = def->kind->joint != dJointTypeNone;
    const PoiseVec3 size = poise_vec3(0.9, 0.3, 0.2);
    if (held && !def->grounded) {
        chain->base = mechanism_box(&chain->m, poise_vec3(-0.5, 0.0, 0.0), size, 1.0);
        dBodySetKinematic(chain->base);
    }
    double none[POISE_MAX_NQ];
    kind_posture(chain->type, 0.0, none);
    PoisePose at = poise_pose_identity();
    for (int i = 0; i < def->count; i++) {
        const double x = (double)i;
        dBodyID below = i > 0 ? chain->links[i - 1] : chain->base;
        chain->links[i] = mechanism_box(&chain->m, poise_vec3(x + 0.5, 0.0, 0.0), size, 1.0);
        if (def->kind->kind == POISE_NODE_TRANSLATION) {
            dMass heavy; // no joint keeps the body from turning
            dMassSetParameters(&heavy, 1.0, 0, 0, 0, 1e9, 1e9, 1e9, 0, 0, 0);
            dBodySetMass(chain->links[i], &heavy);
        }
        PoisePose end = poise_pose_identity();
        end.p.x = 0.5;
        if (held) {
            add_joint(chain, def, i, below);
        }
        at = poise_pose_mul(at, kind_motion(def->kind, def->posture ? def->posture : none));
        at = poise_pose_mul(at, end);
        body_put(chain->links[i], at);
        chain->nodes[i] =
            held ? poise_rig_add(chain->m.rig, chain->joints[i], chain->links[i], &def->like)
                 : add_free(chain, def, i, at);
        cr_assert_neq(chain->nodes[i].index1, 0, "%s: %s", def->kind->name,
                      poise_rig_message(chain->m.rig));
        if (def->kind->cone) {
            const double range = is_ranged(def, i) ? def->range : 3.0;
            cr_assert_eq(poise_node_set_limits(chain->m.tree, chain->nodes[i],
                                               poise_cone(range, -range, range)),
                         POISE_OK);
        }
        at = poise_pose_mul(at, end);
    }
    chain->m.host.messages = 0;
}

void kind_close(KindChain* chain) {
    cr_expect_eq(poise_tree_status(chain->m.tree), POISE_OK, "%s: %s", chain->kind->name,
                 poise_tree_message(chain->m.tree));
    cr_expect_eq(poise_rig_status(chain->m.rig), POISE_OK, "%s: %s", chain->kind->name,
                 poise_rig_message(chain->m.rig));
    mechanism_close(&chain->m);
}

void kind_set_natural(const KindChain* chain, int i, const double* posture) {
    cr_assert_eq(
        poise_rig_set_natural_posture(chain->m.rig, chain->nodes[i], posture, chain->type->nq),
        POISE_OK);
}

PoiseJointReading kind_read(const KindChain* chain, int i) {
    return mechanism_read(&chain->m, chain->nodes[i]);
}

double kind_off(const KindChain* chain, int i, const double* posture) {
    double none[POISE_MAX_NQ];
    double off[POISE_MAX_NV];
    kind_posture(chain->type, 0.0, none);
    const PoiseJointReading reading = kind_read(chain, i);
    poise_joint_difference(chain->type, reading.q, posture ? posture : none, off);
    double square = 0.0;
    for (int d = 0; d < chain->type->nv; d++) {
        square += off[d] * off[d];
    }
    return sqrt(square);
}
