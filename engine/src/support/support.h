// SPDX-License-Identifier: MIT
// What carries a base that nothing holds: the points that the ground carries it by.
#ifndef POISE_SUPPORT_H
#define POISE_SUPPORT_H

#include "poise/stance.h"
#include "rig.h"

/// Whether points of a base carry it, as of this step.
bool poise__stands(const RigState* state, int binding);
/// Whether it is one of those that are to carry this base.
static inline bool poise__stands_on(const Stance* stance, int root) {
    return stance->stands && stance->root == root;
}
/// What is wrong with a stance's numbers, or NULL.
const char* poise__stance_problem(const PoiseStanceDef* def);
/// Forgets the points that have been destroyed.
void poise__drop_stances(PoiseRig* rig);
/// The bound node a point's link hangs on, or NO_BINDING.
int poise__binding_below(const RigState* state, PoisePointId point);
/// Where the points are, and which of them have to carry; their goals, and that of the balance, go
/// along with them. Needs measured frames.
void poise__stance_find(RigState* state);
void poise__stance_follow(RigState* state, double dt);
/// Shares what floating bases need out over their points, into `carrying`, and says who is anchored
/// by it. Needs measured frames, and their forces and weights.
void poise__stance_share(RigState* state, PoiseVec3 gravity);
/// m: how large a sole is, and how many of its directions the ground holds: place, and rotation
/// where it is not 0.
double poise__stance_arm(const Stance* stance);
int poise__foot_rows(const Stance* stance);
/// The coefficient of a point, bounded; how it stands, and all that carry a base into the rig's
/// contacts, returning how many.
double poise__stance_friction(const Stance* stance);
void poise__stance_contact(const Stance* stance, PoiseVec3 centre, PoiseVec3 up,
                           SupportContact* contact);
int poise__support_contacts(RigState* state, const Support* support);
/// Shares out the weight and `part` of what is pressed; whether that can be carried.
bool poise__support_share(RigState* state, const Support* support, int contacts, double part,
                          double missing[WRENCH]);
/// How many bases the ground cannot carry; tells the log when it comes to that.
int poise__support_watch(PoiseRig* rig);
/// What the ground has to give to a base for the forces asked of its points, about `centre`.
void poise__pressed_load(const RigState* state, const JointState* base, PoiseVec3 centre,
                         double load[WRENCH]);

#endif
