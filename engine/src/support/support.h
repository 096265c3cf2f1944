// SPDX-License-Identifier: MIT
// The stance points at which the ground carries a floating base.
#ifndef POISE_SUPPORT_H
#define POISE_SUPPORT_H

#include "poise/stance.h"
#include "rig.h"

/// True if stance points carry the base in this step.
bool poise__stands(const RigState* state, int binding);
/// True if the stance point belongs to this base and is active.
static inline bool poise__stands_on(const Stance* stance, int root) {
    return stance->stands && stance->root == root;
}
/// Returns why the numbers of a stance are invalid, or NULL if they are valid.
const char* poise__stance_problem(const PoiseStanceDef* def);
/// Removes the stances of destroyed points.
void poise__drop_stances(PoiseRig* rig);
/// Returns the binding of a point's link, or of the link's nearest bound ancestor, or NO_BINDING.
int poise__binding_below(const RigState* state, PoisePointId point);
/// poise__stance_find finds the positions of the stance points, and which of them are active.
/// poise__stance_follow calls it, and then moves their goals and that of the centre of mass. Both
/// need measured frames.
void poise__stance_find(RigState* state);
void poise__stance_follow(RigState* state, double dt);
/// Distributes the loads of floating bases over their stance points. Fills joint->carrying, and
/// sets joint->anchored for joints on bases that stand. Needs measured frames, forces and weights.
void poise__stance_share(RigState* state, PoiseVec3 gravity);
/// poise__stance_arm returns the size of a sole, m. poise__foot_rows returns the number of
/// directions that the ground fixes: 3 displacements, and 3 rotations if the size is not 0.
double poise__stance_arm(const Stance* stance);
int poise__foot_rows(const Stance* stance);
/// poise__stance_friction returns the friction coefficient of a point, at most 1000.
/// poise__stance_contact fills the contact of one stance point. poise__support_contacts fills those
/// of all points of a base, and returns their number.
double poise__stance_friction(const Stance* stance);
void poise__stance_contact(const Stance* stance, PoiseVec3 centre, PoiseVec3 up,
                           SupportContact* contact);
int poise__support_contacts(RigState* state, const Support* support);
/// Distributes the weight and `part` times the asked forces over the contacts. True if these can
/// carry them; `missing` is the wrench that they cannot.
bool poise__support_share(RigState* state, const Support* support, int contacts, double part,
                          double missing[WRENCH]);
/// Returns the number of bases that the ground cannot carry. Warns in the first update that finds
/// one.
int poise__support_watch(PoiseRig* rig);
/// Adds J^T (force, torque) of all points with an asked force or torque to `sum`, by velocity of
/// the node, which need not be registered with the points.
void poise__add_asked(const RigState* state, PoiseNodeId node, double* sum);
/// Fills the load of a base on the ground from the forces asked of its points, about `centre`.
void poise__pressed_load(const RigState* state, const JointState* base, PoiseVec3 centre,
                         double load[WRENCH]);

#endif
