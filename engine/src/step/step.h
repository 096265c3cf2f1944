// SPDX-License-Identifier: MIT
// The stages of an update, in their order. Errors of the tree are noted (poise__note).
#ifndef POISE_STEP_H
#define POISE_STEP_H

#include "shared/node_numbers.h"
#include "support.h"

// step_warnings.c
/// Finds updates without a step before them (watch.unstepped), and steps with two updates each.
/// Every 64 updates also checks that steps solve the springs. Each fault gives one warning.
void poise__watch_steps(PoiseRig* rig);
/// After the bodies are read: warns if the steps are of another length than the updates' dt.
void poise__watch_lengths(PoiseRig* rig, double dt);

// spring_advice.c
/// Logs once the springs that do not suit their inertia.
void poise__watch_springs(PoiseRig* rig, double dt);
/// Returns the inertia of the links from a joint on, about an axis through its anchor, kg m^2.
double poise__inertia_about(const RigState* state, const JointState* joint, PoiseVec3 axis);

// measure.c: ODE -> bindings -> tree
/// Reads angles and frames of all bindings. Returns how many are ready.
int poise__read_bodies(PoiseRig* rig);
/// Sets in the tree the pose and the velocity of the base of a joint without a parent.
void poise__read_base(PoiseRig* rig, JointState* joint);
/// Writes bases and measured frames into the tree, with `posture_too` the measured posture first.
/// If not `frames_too`, the frames are those of the tree's own posture.
void poise__fill_measured(PoiseRig* rig, bool posture_too, bool frames_too);

// sets.c
/// Updates the bindings after a change of the tree's sets: which joints follow the solver, their
/// ranges, and the reserved memory. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__read_sets(PoiseRig* rig);

// reference.c: the posture that the solver starts from, and theta_ik
/// Before the solve: fills the frames of the reference posture.
void poise__reference_frames(PoiseRig* rig);
/// Before the solve: sets the natural posture as the tree's reference if posture_rate is above 0.
void poise__reference_pull(RigState* state, PoiseTree* tree, PoiseSolveDef* solve);
/// After the solve: theta_ik = reference + omega, within the anti-windup clamp. Returns how many
/// joints the clamp held.
int poise__reference_advance(PoiseRig* rig, double dt);
/// True if the anti-windup clamp holds some joint: the torque limit, not the posture, keeps the
/// joint from its goal.
bool poise__reference_is_clamped(const PoiseRig* rig);

// reconfigure.c: another posture if the goals cannot be reached from this one
/// Allocates for a search, if the rig may search and the sets have changed.
/// POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__reconfigure_fit(PoiseRig* rig);
/// After the solve: continues the search for another posture for one slice if the points are stuck;
/// fills report->reconfiguration.
void poise__reconfigure_watch(PoiseRig* rig, double dt, PoiseRigReport* report);
/// Replaces poise__reference_advance while the joints move to another posture.
int poise__reconfigure_advance(PoiseRig* rig, double dt);

// anti_windup.c: bounds the distance of theta_ik from theta by the torque limit
/// True if the joint has a torque limit and follows the solver.
bool poise__clamp_acts(const JointState* joint);
/// True if a hinge is at the largest load to which the clamp lets theta_ik go. `load`: torque that
/// holds its links, N m.
bool poise__is_fully_loaded(const Binding* binding, double load);
/// Before the solve: bounds the step of each hinge and slider by its clamp, so that the solver
/// moves other joints instead.
void poise__reference_bound(RigState* state, double dt);
/// After the solve: moves theta_ik into its clamp, block by block. True if theta_ik was at or
/// beyond the clamp.
bool poise__clamp_ik(JointState* joint);

// fed_weight.c
/// Fills the torque that compensates gravity, N m or N: about a hinge's axis, a ball's about the
/// world's axes. It is 0 if no spring holds the joint, if nothing carries its base, and, with no
/// stance points, if `gravity` of the settings is off. `numbers` are those of the state's tree.
void poise__fed_weight(const RigState* state, const PoiseNumbers* numbers, const JointState* joint,
                       double torque[POISE_MAX_NV]);

// inertia.c
/// Fills the feed-forward of theta_new's acceleration (joint->motion_feed) for joints on fixed
/// bases, if the goals move smoothly.
void poise__inertia_feed(PoiseRig* rig, double dt);

// loop_torques.c
/// Fills the torques that joints in loops add to their feed-forward (joint->closing), so that the
/// loads are those of the closed chain. Joints without a spring have no torque; the torques of the
/// other joints have the least tau^T K^-1 tau. Needs measured frames, their forces and weights.
void poise__closures_share(RigState* state);

// integral.c
/// Fills the torque of the integral, which the drive feeds forward, world.
void poise__integral_torque(const JointState* joint, double torque[POISE_MAX_NV]);
/// True if the integral acts on this joint, unless the joint is at its limit.
bool poise__integral_acts(const RigState* state, const JointState* joint);
void poise__integral_add(PoiseRig* rig, double dt);

// drive.c
/// Blends both springs of each binding and sets its motor. Adds to the counts in the report.
void poise__drive(PoiseRig* rig, double dt, PoiseRigReport* report);

#endif
