// SPDX-License-Identifier: MIT
// A chain that presses on a wall, for the tests of forces.
#ifndef POISE_TEST_PRESS_BENCH_H
#define POISE_TEST_PRESS_BENCH_H

#include "mechanism.h"

enum { PRESS_LINKS = 6 };
/// Length of the steps, s.
#define PRESS_STEP 0.01

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
    /// Natural angles of the joints, relative to the angles at the start.
    double natural[PRESS_LINKS];
    double friction;
    bool pose; ///< True if the point also has a rotation
} PressDef;

/// Returns a def of three hinges, 20 N along x, no gap, no natural posture.
PressDef press_def(PoiseReference reference);
/// Makes the chain; the point is at its tip, and its goal the place there.
void press_open(Mechanism* m, const PressDef* def);
/// Adds a ball at the far end of a link. The wall touches the ball only.
void press_ball(Mechanism* m, int link, double radius);
/// Returns the far end of a link.
PoiseVec3 press_end(const Mechanism* m, int link);
/// Returns the contact force on the wall by a link.
PoiseVec3 press_on_wall(const Mechanism* m, int link);

#endif
