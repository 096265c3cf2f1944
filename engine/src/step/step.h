// SPDX-License-Identifier: MIT
// The stages of an update, in their order. Errors of calls on the tree are kept by poise__note.
#ifndef POISE_STEP_H
#define POISE_STEP_H

#include "shared/node_numbers.h"
#include "support.h"

// step_warnings.c
/// Detects updates without a step before them (watch.unstepped), and steps with two updates each.
/// Every 64 updates also checks that steps solve the springs. Warns once of each fault.
void poise__watch_steps(PoiseRig* rig);
/// Warns if the steps have another length than the updates' dt. Call it after the bodies are read.
void poise__watch_lengths(PoiseRig* rig, double dt);

// spring_advice.c
/// Warns once of the springs that do not suit their inertia.
void poise__watch_springs(PoiseRig* rig, double dt);
/// Returns the inertia of the links from a joint on, about an axis through its anchor, kg m^2.
double poise__inertia_about(const RigState* state, const JointState* joint, PoiseVec3 axis);

// measure.c: ODE -> bindings -> tree
/// Reads coordinates and frames of all bindings. Returns how many of them are ready.
int poise__read_bodies(PoiseRig* rig);
/// Sets in the tree the pose and velocity of the base of a joint that has no parent node.
void poise__read_base(PoiseRig* rig, JointState* joint);
/// Writes bases and measured frames into the tree. `posture_too`: first writes the measured
/// posture. If `frames_too` is false, the frames are those of the tree's own posture.
void poise__fill_measured(PoiseRig* rig, bool posture_too, bool frames_too);

// sets.c
/// Updates the bindings after a change of the tree's sets: the joints that follow the solve, their
/// ranges, and the reserved memory. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__read_sets(PoiseRig* rig);

// reference.c: the posture where the solve starts, and theta_ik
/// Before the solve: computes the frames of the reference posture.
void poise__reference_frames(PoiseRig* rig);
/// Before the solve: if posture_rate is above 0, makes the natural posture the tree's reference.
void poise__reference_pull(RigState* state, PoiseTree* tree, PoiseSolveDef* solve);
/// After the solve: sets theta_ik = reference + omega, within the anti-windup clamp. Returns how
/// many joints the clamp held.
int poise__reference_advance(PoiseRig* rig, double dt);
/// True if the anti-windup clamp holds some joint: a torque limit, not the posture, keeps the joint
/// from its goal.
bool poise__reference_is_clamped(const PoiseRig* rig);

// reconfigure.c: moves to another posture if the goals cannot be reached from the present one
/// Allocates the memory of a search, if the rig may search and the sets have changed.
/// POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__reconfigure_fit(PoiseRig* rig);
/// After the solve: if points are stuck, continues the search for another posture by one iteration.
/// Fills report->reconfiguration.
void poise__reconfigure_watch(PoiseRig* rig, double dt, PoiseRigReport* report);
/// Replaces poise__reference_advance while the joints move to another posture.
int poise__reconfigure_advance(PoiseRig* rig, double dt);

// anti_windup.c: bounds the distance of theta_ik from theta by the torque limit
/// True if the joint has a torque limit and follows the solve.
bool poise__clamp_acts(const JointState* joint);
/// True if a hinge carries the largest load up to which the clamp moves theta_ik. `load`: torque
/// that holds its links, N m.
bool poise__is_fully_loaded(const Binding* binding, double load);
/// Before the solve: bounds the displacement of each hinge and slider by its clamp, so that the
/// solve moves other joints instead.
void poise__reference_bound(RigState* state, double dt);
/// After the solve: moves theta_ik of a joint into its clamp. True if theta_ik was at or beyond the
/// clamp.
bool poise__clamp_ik(JointState* joint);

// fed_weight.c
/// Fills the torque that compensates gravity, N m or N, by velocity, a ball's about the world's
/// axes. The torque is 0 if no spring holds the joint or nothing carries its base. It is also 0 if
/// the setting `gravity` is off and there are no stance points. `numbers` are those of the state's
/// tree.
void poise__fed_weight(const RigState* state, const PoiseNumbers* numbers, const JointState* joint,
                       double torque[POISE_MAX_NV]);

// inertia.c
/// If the goals move smoothly, fills joint->motion_feed of joints on fixed bases: the feed-forward
/// of theta_new's acceleration.
void poise__inertia_feed(PoiseRig* rig, double dt);

// loop_torques.c
/// Fills joint->closing, the torques that joints in loops add to their feed-forward, so that loads
/// are those of the closed chain. Joints without a spring have no torque; the torques of the other
/// joints have the least tau^T K^-1 tau. Needs measured frames, and their forces and weights in the
/// tree.
void poise__closures_share(RigState* state);

// integral.c
/// Fills the torque of the integral, which the drive feeds forward, world.
void poise__integral_torque(const JointState* joint, double torque[POISE_MAX_NV]);
/// True if the integral acts on this joint when the joint is not at its torque limit.
bool poise__integral_acts(const RigState* state, const JointState* joint);
void poise__integral_add(PoiseRig* rig, double dt);

// drive.c
/// Blends both springs of each binding and sets its motor. Counts driven and saturated joints in
/// the report.
void poise__drive(PoiseRig* rig, double dt, PoiseRigReport* report);

#endif
