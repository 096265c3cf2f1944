// SPDX-License-Identifier: MIT
// Chains of each kind of joint, for the tests of the table of kinds and features.
#ifndef POISE_TEST_KINDS_H
#define POISE_TEST_KINDS_H

#include "mechanism.h"

/// A kind of node, the joint that it drives, and how the tests can move and load it.
typedef struct KindCase {
    const char* name;
    PoiseNodeKind kind;
    dJointType joint; ///< type of the joint; dJointTypeNone: a node without a joint
    bool cone;        ///< True for a ball inside a cone
    /// Axes of its single motions in order, world; the first rotation is about y if possible.
    PoiseVec3 axes[3];
    int winds; ///< index of the velocity about `wind_axis` that can pass half a turn; -1: none
    PoiseVec3 wind_axis;
    /// Index of the velocity that a load along stop_push, at the end, pushes against its limit.
    int stop;
    double stop_sign;
    PoiseVec3 stop_push;
    bool parent_first; ///< True if ODE's first body must be the parent
    bool lone;         ///< True if ODE passes a wrong moment to a parent that moves
} KindCase;

enum { KIND_CASES = 11 };
extern const KindCase kind_cases[KIND_CASES];

typedef struct KindChain {
    Mechanism m;
    const KindCase* kind;
    const PoiseJointType* type;
    dBodyID base; ///< a kinematic body that carries the chain; NULL if the nodes have no joints
    int count;
    PoiseNodeId nodes[3];
    dBodyID links[3];
    dJointID joints[3];
} KindChain;

typedef struct KindDef {
    const KindCase* kind;
    int count;
    double gravity;
    PoiseBindDef like;
    double range;          ///< limits of the joints, +- this, rad or m; 0: no limits
    bool first_range;      ///< True if only the first joint has limits
    const double* posture; ///< start coordinates of every joint; NULL: all 0
    bool child_first;      ///< True to attach joints as (child, parent)
    bool grounded;         ///< True if the first joint is on the environment, not on a base
} KindDef;

/// Returns a def with damped springs toward the posture 0: stiffness p about axes and 10 p along
/// them. There are no springs toward theta_ik.
KindDef kind_def(const KindCase* kind, int count, double stiffness);
/// Builds links of 1 m along x from the origin, 1 kg, with a joint at the end of each.
void kind_open(KindChain* chain, const KindDef* def);
void kind_close(KindChain* chain);

/// Sets the natural posture of joint i.
void kind_set_natural(const KindChain* chain, int i, const double* posture);
PoiseJointReading kind_read(const KindChain* chain, int i);
/// Returns the distance of joint i from the posture (NULL: from 0), rad and m.
double kind_off(const KindChain* chain, int i, const double* posture);
/// Computes the pose of the child relative to that at coordinates 0, independently of the tree.
PoisePose kind_motion(const KindCase* kind, const double* q);
/// Fills a posture with every coordinate at `size`, and every rotation by `size` about (0.6, 0,
/// 0.8).
void kind_posture(const PoiseJointType* type, double size, double posture[POISE_MAX_NQ]);

#endif
