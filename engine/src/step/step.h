// SPDX-License-Identifier: MIT
// The stages of an update, in their order. What the tree refuses on the way is noted (poise__note).
#ifndef POISE_STEP_H
#define POISE_STEP_H

#include "shared/node_numbers.h"
#include "support.h"

// step_error.c
/// Looks whether the world was stepped since the last update (rig->unstepped), and now and then
/// whether its steps are exact; says once if not.
void poise__step_error_watch(PoiseRig* rig);

// measure.c: ODE -> bindings -> tree
/// Angles and frames of all bindings; how many are ready, or an error of the tree.
int poise__read_bodies(PoiseRig* rig);
/// Tells the tree where the base of a joint without a parent is, and how it moves.
void poise__take_base(PoiseRig* rig, JointState* joint);
/// Second filler: bases and measured frames into the tree (after setting the postures, if asked).
/// Without `frames_too` the frames are those of the tree's own posture.
void poise__fill_measured(PoiseRig* rig, bool posture_too, bool frames_too);

// reference.c: which posture the solver starts from, and how far theta_ik may be
/// Refreshes what follows from the tree's sets: who follows the solver, the ranges, room for
/// forces. POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__read_sets(PoiseRig* rig);
/// Before the solve: frames of the reference posture.
void poise__reference_frames(PoiseRig* rig);
/// And, with a posture_rate, the natural posture as what the null space is pulled to.
void poise__reference_pull(RigState* state, PoiseTree* tree, PoiseSolveDef* solve);
/// After it: theta_ik = reference + omega, as near as the anti-windup clamp lets it. Returns how
/// many it held.
int poise__reference_advance(PoiseRig* rig);
/// True if an anti-windup clamp holds some joint: torque, not the posture, keeps it from its goal.
bool poise__reference_is_clamped(const PoiseRig* rig);

// reconfigure.c: another posture where the goals cannot be reached from this one
/// After the solve: searches a slice where the points are stuck; fills its part of the report.
void poise__reconfigure_watch(PoiseRig* rig, double dt, PoiseRigReport* report);
/// In place of poise__reference_advance while the joints take another posture.
int poise__reconfigure_advance(PoiseRig* rig, double dt);

// anti_windup.c: how far theta_ik may be, so that its torque limit answers to it
/// Whether a joint has such a limit and follows the solver.
bool poise__clamp_acts(const JointState* joint);
/// Before the solve, where the posture is still that which it starts from: the clamp of a joint of
/// one velocity bounds its step, so that the solver finds what the others can do meanwhile.
void poise__reference_bound(RigState* state, double dt);
/// After it: brings theta_ik into its clamp, every block; whether it held.
bool poise__clamp_ik(JointState* joint);

// force.c
/// What of the weight is fed forward, world; 0 where nothing is. `numbers`: of the state's tree.
void poise__fed_weight(const RigState* state, const PoiseNumbers* numbers, const JointState* joint,
                       double torque[POISE_MAX_NV]);

// inertia.c
/// Fills what the acceleration of theta_new takes (joint->motion_feed), of joints on firm bases,
/// where the goals move smoothly.
void poise__inertia_feed(PoiseRig* rig, double dt);

// loop.c
/// What the drives of joints in loops add to what they feed forward (binding->closing), so that the
/// loads are borne as the closed chain bears them: joints without a spring bear nothing, the others
/// their part, least in tau^T K^-1 tau. Needs measured frames, their forces and weights.
void poise__closures_share(RigState* state);

// advice.c
/// Tells the log once of springs that do not suit.
void poise__advise_once(PoiseRig* rig, double dt);

// integral.c
/// What it has added up, world, as the drive feeds it forward.
void poise__integral_torque(const JointState* joint, double torque[POISE_MAX_NV]);
/// Whether it adds to this joint while that is not at its limit.
bool poise__integral_acts(const RigState* state, const JointState* joint);
void poise__integral_add(PoiseRig* rig, double dt);

// drive.c
/// Blends both springs of every binding and sets its motor; counts into the report.
void poise__drive(PoiseRig* rig, double dt, PoiseRigReport* report);

// rhythm.c
/// A step that follows an update: whether that was the second one for it.
void poise__rhythm_pairs(PoiseRig* rig);
/// After the bodies are read: whether the last step was as long as the update before was told.
void poise__rhythm_watch(PoiseRig* rig, double dt);

#endif
