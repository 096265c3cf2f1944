// SPDX-License-Identifier: MIT
// Chains of each kind of joint, for the tests of the table of kinds and features.
#ifndef POISE_TEST_KINDS_H
#define POISE_TEST_KINDS_H

#include "mechanism.h"

/// A row of the table.
typedef struct KindCase {
    const char* name;
    PoiseNodeKind kind;
    dJointType joint; ///< dJointTypeNone: a node without a joint
    bool cone;        ///< a ball inside a cone
    /// Axes of its single motions in order, world; the first rotation is about y if possible.
    PoiseVec3 axes[3];
    int winds; ///< velocity about `wind_axis` that can pass half a turn; -1: none
    PoiseVec3 wind_axis;
    int stop; ///< velocity that a load along stop_push at the end pushes against its stop
    double stop_sign;
    PoiseVec3 stop_push;
    bool parent_first; ///< ODE's first body must be the parent
    bool lone;         ///< ODE passes a wrong moment to a parent that moves
} KindCase;

enum { KIND_CASES = 11 };
extern const KindCase kind_cases[KIND_CASES];

typedef struct KindChain {
    Mechanism m;
    const KindCase* kind;
    const PoiseJointType* type;
    dBodyID base; ///< kinematic, if joints hold the links; else NULL
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
    double range;          ///< range of the stops to either side; 0: no stops
    bool first_range;      ///< only the first joint has stops
    const double* posture; ///< start coordinates of every joint; NULL: 0
    bool child_first;      ///< attached (child, parent)
    bool grounded;         ///< the first joint is on the environment, not on a base
} KindDef;

/// Returns a def with damped springs to the posture 0, p about axes and 10 p along them; no springs
/// to theta_ik.
KindDef kind_def(const KindCase* kind, int count, double stiffness);
/// Builds links of 1 m along x from the origin, 1 kg, with a joint at the end of each.
void kind_open(KindChain* chain, const KindDef* def);
void kind_close(KindChain* chain);

/// Sets the natural posture of joint i.
void kind_set_natural(const KindChain* chain, int i, const double* posture);
PoiseJointReading kind_read(const KindChain* chain, int i);
/// Returns the distance of joint i from the posture (NULL: 0), rad and m.
double kind_off(const KindChain* chain, int i, const double* posture);
/// Computes the pose of the child relative to that at 0, by hand.
PoisePose kind_motion(const KindCase* kind, const double* q);
/// Fills a posture with every coordinate at `size`, and every rotation by `size` about (0.6, 0,
/// 0.8).
void kind_posture(const PoiseJointType* type, double size, double posture[POISE_MAX_NQ]);

#endif
