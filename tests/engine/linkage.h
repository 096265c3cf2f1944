// SPDX-License-Identifier: MIT
// Closed chains: bars in the xz plane, a bar that two arms hold, a platform on six legs. The last
// joint of each loop closes it.
#ifndef POISE_TEST_LINKAGE_H
#define POISE_TEST_LINKAGE_H

#include "mechanism.h"

typedef struct LinkageDef {
    PoiseReference reference;
    PoiseVec3 gravity;
    PoiseBindDef like;
    /// Bit i: joint i of the spanning tree has no springs.
    unsigned unsprung;
} LinkageDef;

LinkageDef linkage_def(double stiffness, double damping);

/// Adds a bar between two places of the xz plane, 1 kg.
dBodyID linkage_bar(Mechanism* m, double x0, double z0, double x1, double z1);
/// Makes a polygon of `bars` bars from the first place of the xz plane to the last, both on the
/// ground, with hinges about y; imported from the first bar.
void linkage_polygon_open(Mechanism* m, const LinkageDef* def, const double (*places)[2], int bars);
/// Makes five hinges about y and four bars between two places of the ground; imported from the
/// first bar.
void five_bar_open(Mechanism* m, const LinkageDef* def);
/// Makes four hinges and three bars: one degree of freedom.
void four_bar_open(Mechanism* m, const LinkageDef* def);
/// Makes two fingers of two hinges each, on one slider, which the parallel bars of a crank keep
/// parallel.
void gripper_open(Mechanism* m, const LinkageDef* def);
/// Makes two arms of three hinges about y and one about z that hold a bar; the second arm is fixed
/// to it.
void two_arms_open(Mechanism* m, const LinkageDef* def);
/// Makes a platform on six legs, each with a universal joint, a slider with springs, and a ball.
void stewart_open(Mechanism* m, const LinkageDef* def);

/// Adds a point on body `index` at a place of the world, registered with all nodes that move it.
PoisePointId linkage_point(Mechanism* m, int index, PoiseVec3 place);
/// Removes the springs of the joints in `unsprung`; call it after the import.
void linkage_remove_springs(Mechanism* m, unsigned unsprung);
/// Returns the largest gap of the closing joints, by ODE's bodies and by the tree's own posture, m.
double linkage_opening(const Mechanism* m);

/// A wall across a direction, which the mechanism's point touches or presses on: a contact of ODE,
/// made anew in each step.
typedef struct Wall {
    PoiseVec3 along; ///< unit vector from the point into the wall
    double at;       ///< coordinate of the wall along `along`, m
    double friction; ///< Coulomb's coefficient of friction
    double force;    ///< mean force on the wall along `along`, N, over the steps that are measured
    double across;   ///< mean friction force, N, over these steps
    int counted;
} Wall;

/// Returns a wall at the distance `gap` in front of the point.
Wall wall_before(const Mechanism* m, PoiseVec3 along, double gap);
/// Makes steps against the wall; measures the forces of the last `counted` steps.
PoiseRigReport wall_run(Mechanism* m, Wall* wall, double dt, int steps, int counted);

#endif
