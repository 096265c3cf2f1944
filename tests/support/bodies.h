// SPDX-License-Identifier: MIT
// Bodies for tests and benchmarks: limbs on trunks, with tips that should meet targets.
#ifndef POISE_TEST_BODIES_H
#define POISE_TEST_BODIES_H

#include "models.h"
#include "poise/body.h"

typedef struct BodyModel {
    Model model;
    int tip_count;
    PoiseBodyTip tips[POISE_BODY_MOST_TIPS];
    PoiseBodyGoal goal; ///< goal of all tips: position, rotation or both
} BodyModel;

typedef enum BodyKind {
    /// Two arms of 7 hinges on a waist of 3, and two legs of 6, on a fixed base or a free one.
    BODY_HUMANOID,
    BODY_HUMANOID_FREE,
    /// Two arms of 7 hinges on a torso of 3.
    BODY_TWO_ARMS,
    /// A wrist of 2 hinges and five fingers of 4 or 5. The targets are the fingertips' positions.
    BODY_HAND,
    /// The hand on an arm of 7 hinges: two levels of branches.
    BODY_ARM_AND_HAND,
    /// A free base and four legs of 3 hinges. The targets are the feet's positions.
    BODY_QUADRUPED,
    /// Two arms of balls and sliders on a ball, with cones.
    BODY_BALLS,
    BODY_KINDS
} BodyKind;

const char* body_kind_name(BodyKind kind);
BodyModel body_model(BodyKind kind);
void body_model_finish(BodyModel* body);
/// Gives the links masses. `hand`: the second tip has its target in the frame of the first tip's
/// link. `mass`: adds the centre of mass of the first node's links as the last tip.
void body_join(BodyModel* body, bool hand, bool mass);
/// Compiles the body with the default def.
PoiseBody* body_of(BodyModel* body);

/// Draws a posture inside the ranges, and writes the poses of the tips there, from the frames of
/// the tree. A free base moves by up to `shift` m and turns by up to `shift` numbers of its
/// quaternion.
void body_draw(BodyModel* body, const PoiseBody* compiled, Random* random, double shift,
               PoiseBodyTarget* targets);
/// Returns the largest error of a posture, m or rad, computed from the frames of the tree,
/// independently of compiled bodies.
double body_miss(BodyModel* body, const PoiseBody* compiled, const double* posture,
                 const PoiseBodyTarget* targets);
/// True if every number is inside its range, and every cone holds to 1e-9 rad.
bool body_is_inside(BodyModel* body, const PoiseBody* compiled, const double* posture);

#endif
