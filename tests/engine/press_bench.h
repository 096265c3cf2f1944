// SPDX-License-Identifier: MIT
// A chain that presses on a wall: shared by the tests of forces.
#ifndef POISE_TEST_PRESS_BENCH_H
#define POISE_TEST_PRESS_BENCH_H

#include "mechanism.h"
#include "poise/rig.h"
#include "poise/world.h"

enum { PRESS_LINKS = 6 };

/// A chain of links of 1 m from the origin, folded in the plane of x and y, with a ball at its tip.
/// A wall across x is at the distance `gap` from the ball.
typedef struct PressDef {
    int links;
    PoiseNodeKind kind;
    PoiseReference reference;
    double gap;
    double radius; ///< radius of the ball at the tip, m
    PoiseVec3 gravity;
    PoiseVec3 force;
    double stiffness[PRESS_LINKS];
    double damping[PRESS_LINKS];
    double original[PRESS_LINKS];
    double natural[PRESS_LINKS]; ///< relative to the starting angle
    double friction;
    bool pose; ///< the point also has a rotation
} PressDef;

typedef struct PressBench {
    PoiseWorld* world;
    PoiseTree* tree;
    PoiseRig* rig;
    dBodyID links[PRESS_LINKS];
    dJointID joints[PRESS_LINKS];
    PoiseNodeId nodes[PRESS_LINKS];
    PoisePointId point;
    PoiseVec3 tip; ///< place of the tip at the start, which is the goal
    dJointFeedback base;
} PressBench;

/// Returns a def of three hinges, 20 N along x, no gap, no natural posture.
PressDef press_def(PoiseReference reference);
void press_open(PressBench* b, const PressDef* def);
void press_close(PressBench* b);
/// Adds another point on a link, registered down to the base.
PoisePointId press_add_point(PressBench* b, PoisePointDef def, PoiseNodeId link, PoiseVec3 in_link);
/// Makes steps of 0.01 s; returns the last report.
PoiseRigReport press_run(PressBench* b, int steps);
/// Returns the far end of a link.
PoiseVec3 press_tip(const PressBench* b, int link);
/// Returns the contact force on the wall by a link.
PoiseVec3 press_on_wall(const PressBench* b, int link);

#endif
