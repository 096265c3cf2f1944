// SPDX-License-Identifier: MIT
// Closed chains for the tests: bars in the xz plane, a bar that two arms hold, a platform on six
// legs. The last joint of each loop closes it.
#ifndef POISE_TEST_LINKAGE_H
#define POISE_TEST_LINKAGE_H

#include "mechanism.h"

typedef struct LinkageDef {
    PoiseReference reference;
    PoiseVec3 gravity;
    PoiseBindDef like;
    /// Bit i: joint i of the spanning tree has no springs at all.
    unsigned limp;
} LinkageDef;

LinkageDef linkage_def(double stiffness, double damping);

/// A bar between two places of the xz plane, 1 kg.
dBodyID linkage_bar(Mechanism* m, double x0, double z0, double x1, double z1);
/// A polygon of so many bars from the first place of the xz plane to the last, both on the ground,
/// hinges about y between all; imported from the first bar.
void linkage_polygon_open(Mechanism* m, const LinkageDef* def, const double (*places)[2], int bars);
/// Five hinges about y, from the ground over four bars back to it; imported from the first bar.
void five_bar_open(Mechanism* m, const LinkageDef* def);
/// Four hinges, three bars: one degree of freedom.
void four_bar_open(Mechanism* m, const LinkageDef* def);
/// Two fingers of two hinges each, on one slider, that a crank's parallel bars keep parallel.
void gripper_open(Mechanism* m, const LinkageDef* def);
/// Two arms of three hinges about y and one about z each hold a bar, to which the second is fixed.
void two_arms_open(Mechanism* m, const LinkageDef* def);
/// A platform on six legs: a universal joint, a slider with springs, and a ball each.
void stewart_open(Mechanism* m, const LinkageDef* def);

/// A point on body `index` at a place of the world, registered with all that move it.
PoisePointId linkage_point(Mechanism* m, int index, PoiseVec3 place);
/// Takes the springs off as `limp` says; after the import.
void linkage_limp(Mechanism* m, unsigned limp);
/// How far the closing joints are open, by ODE's bodies and by the own posture, m.
double linkage_opening(const Mechanism* m);

/// A wall across a direction that the mechanism's point touches or presses on: a contact of ODE's,
/// made anew in each step.
typedef struct Wall {
    PoiseVec3 along; ///< from the point into the wall, of length 1
    double at;       ///< the wall's place along it, m
    double friction; ///< Coulomb's coefficient
    double force;    ///< on the wall, along it, mean of what was counted, N
    double across;   ///< how much friction it took, N
    int counted;
} Wall;

/// `gap` beyond where the point is.
Wall wall_before(const Mechanism* m, PoiseVec3 along, double gap);
/// So many steps against the wall; counts the forces of the last `counted`.
PoiseRigReport wall_run(Mechanism* m, Wall* wall, double dt, int steps, int counted);

#endif
