// SPDX-License-Identifier: MIT
// A figure of boxes that nothing holds: pelvis, two torso parts and a head, arms and legs, with
// ball hips, shoulders, waist, chest and neck, hinge knees and elbows, universal ankles and wrists:
// 31 degrees of freedom beside its base's 6. It stands on the ground of a world of ours, straight
// up, its feet 1 mm above it, looking along x.
#ifndef POISE_TEST_FIGURE_H
#define POISE_TEST_FIGURE_H

#include "host.h"
#include "poise/snapshot.h"
#include "poise/stance.h"
#include "poise/world.h"

enum { FIGURE_BODIES = 16, FIGURE_JOINTS = 15 };
enum { LEFT = 0, RIGHT = 1 };
#define FIGURE_STEP 0.005

typedef struct Figure {
    TestHost host; ///< of tree and rig
    PoiseWorld* world;
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
    dBodyID bodies[FIGURE_BODIES]; ///< all of them
    int body_count;
    dJointID joints[FIGURE_JOINTS];
    int joint_count;
    double mass;
    PoiseTree* tree;
    PoiseRig* rig;
    PoiseNodeId base;
    PoisePointId foot_points[2];
    PoisePointId hand_points[2];
    PoisePointId balance; ///< the centre of mass, over the support: x and y only
} Figure;

typedef struct FigureDef {
    PoiseVec3 gravity;
    bool ground;
    bool points; ///< feet that stay, hands, balance; and stances on the feet
    int quick_iterations;
    PoiseReference reference;
    double friction;  ///< of all contacts, and of the soles
    double stiffness; ///< of the legs and waist, N m/rad; arms a tenth, ankles the same
} FigureDef;

FigureDef figure_def(void);
void figure_open(Figure* figure, FigureDef def);
void figure_close(Figure* figure);
/// Updates and steps; asserts that both went well.
void figure_step(Figure* figure, double dt);
/// The same for so long, s, in steps of FIGURE_STEP.
void figure_run(Figure* figure, double seconds);
/// The middle of a palm.
PoiseVec3 figure_hand(const Figure* figure, int side);
PoiseVec3 figure_com(const Figure* figure);
/// What our motors gave to all bodies in the last step, summed up from ODE's feedback, and its
/// moment about the origin; and how much the largest of them was.
void figure_motor_sum(const Figure* figure, PoiseVec3* force, PoiseVec3* moment, double* largest);

#endif
