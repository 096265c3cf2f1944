// SPDX-License-Identifier: MIT
// Chains of one kind of joint, every kind alike: what the table of kinds and features is tested on.
#ifndef POISE_TEST_KINDS_H
#define POISE_TEST_KINDS_H

#include "mechanism.h"

/// A row of the table.
typedef struct KindCase {
    const char* name;
    PoiseNodeKind kind;
    dJointType joint; ///< dJointTypeNone: no joint holds it
    bool cone;        ///< a ball inside a cone
    /// Of its motions that have one, in turn, world; the first rotation turns about y where it can.
    PoiseVec3 axes[3];
    int winds; ///< velocity about `wind_axis` that can pass half a turn; -1: none
    PoiseVec3 wind_axis;
    int stop; ///< velocity that is pushed onto its stop, by a load along stop_push at the end
    double stop_sign;
    PoiseVec3 stop_push;
    bool parent_first; ///< ODE's first body has to be the parent
    bool lone;         ///< ODE passes a wrong moment to a parent that moves
} KindCase;

enum { KIND_CASES = 11 };
extern const KindCase kind_cases[KIND_CASES];

typedef struct KindChain {
    Mechanism m;
    const KindCase* kind;
    const PoiseJointType* type;
    dBodyID base; ///< kinematic, where joints hold the links; else NULL
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
    double range;          ///< stops at so much on either side; 0: none
    bool first_range;      ///< only of the first
    const double* posture; ///< of every joint as its bodies stand; NULL: 0
    bool child_first;      ///< attached (child, parent)
} KindDef;

/// Springs to 0 of the kind's own posture, p about axes and 10 p along them, damped; none to
/// theta_ik.
KindDef kind_def(const KindCase* kind, int count, double stiffness);
/// Links of 1 m along x from the origin, 1 kg, one joint at the end of each.
void kind_open(KindChain* chain, const KindDef* def);
void kind_close(KindChain* chain);

PoiseJointReading kind_read(const KindChain* chain, int i);
/// How far joint i is from the posture (NULL: 0), rad and m.
double kind_off(const KindChain* chain, int i, const double* posture);
/// Where the motions bring the child from where it is at 0, by hand.
PoisePose kind_motion(const KindCase* kind, const double* q);
/// Every coordinate at `size`, every rotation by so much about (0.6, 0, 0.8).
void kind_posture(const PoiseJointType* type, double size, double posture[POISE_MAX_NQ]);

#endif
