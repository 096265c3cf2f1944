// SPDX-License-Identifier: MIT
// A floating figure of boxes: pelvis, two torso parts and a head, arms and legs. Hips, shoulders,
// waist, chest and neck are balls; knees and elbows are hinges; ankles and wrists are universals:
// 31 degrees of freedom besides the 6 of the base. It stands upright on the ground of a world made
// by Poise, its feet 1 mm above the ground, facing along x.
#ifndef POISE_TEST_BOX_PERSON_H
#define POISE_TEST_BOX_PERSON_H

#include "mechanism.h"
#include "poise/snapshot.h"
#include "poise/stance.h"

enum { FIGURE_BODIES = 16, FIGURE_JOINTS = 15 };
enum { LEFT = 0, RIGHT = 1 };
#define FIGURE_STEP 0.005

typedef struct Figure {
    Mechanism m;
    dBodyID pelvis;
    dBodyID waist;
    dBodyID chest;
    dBodyID head;
    dBodyID thighs[2];
    dBodyID shins[2];
    dBodyID feet[2];
    dBodyID uppers[2];
    dBodyID forearms[2];
    dBodyID hands[2];
    double mass;
    PoiseNodeId base;
    PoisePointId foot_points[2];
    PoisePointId hand_points[2];
    PoisePointId balance; ///< the centre of mass over the feet: x and y only
} Figure;

typedef struct FigureDef {
    PoiseVec3 gravity;
    bool ground;
    /// True to make points at the feet, the hands and the balance, and stances at the feet.
    bool points;
    int quick_iterations;
    PoiseReference reference;
    double friction;  ///< coefficient of friction of all contacts and soles
    double stiffness; ///< p of legs and waist, N m/rad; arms have a tenth of it, ankles the same
} FigureDef;

FigureDef figure_def(void);
void figure_open(Figure* figure, FigureDef def);
void figure_close(Figure* figure);
/// Updates and steps; asserts that both succeeded.
void figure_step(Figure* figure, double dt);
/// Calls figure_step for `seconds` in steps of FIGURE_STEP.
void figure_run(Figure* figure, double seconds);
/// Returns the middle of a palm.
PoiseVec3 figure_hand(const Figure* figure, int side);
PoiseVec3 figure_com(const Figure* figure);
/// Sums the motors' forces on all bodies in the last step from ODE's feedback, and their moment
/// about the origin. `largest`: the largest of them.
void figure_motor_sum(const Figure* figure, PoiseVec3* force, PoiseVec3* moment, double* largest);

#endif
