// SPDX-License-Identifier: MIT
// A rig ties the nodes of a tree (poise/ik.h) to the joints of an Open Dynamics Engine world. In
// each step the tree's inverse kinematics finds an angle for each joint, and springs pull the
// joints there.
//
// The loop. One step is an update and a step of the world, with the same dt:
//
//     poise_rig_update(rig, dt, NULL);    read, solve, blend, drive
//     dWorldStep(world, dt);              yours
//
// Set-up of an arm whose joints start at base_body:
//
//     PoiseTreeDef tree_def = poise_default_tree_def();
//     PoiseRigDef rig_def = poise_default_rig_def();
//     rig_def.tree = poise_tree_create(&tree_def);
//     rig_def.world = world;
//     PoiseRig* rig = poise_rig_create(&rig_def);
//     PoiseBindDef bind_def = poise_default_bind_def();
//     poise_rig_import(rig, base_body, &bind_def);
//     PoisePointDef point_def = poise_default_position_def();
//     point_def.link = poise_rig_node_of_body(rig, hand_body);
//     PoisePointId hand = poise_point_create(rig_def.tree, &point_def);
//     poise_register_chain(rig_def.tree, hand, poise_null_node());
//     poise_point_set_position(rig_def.tree, hand, goal);
//
// The law. Two springs pull each joint: p_orig, d_orig to its natural posture theta_orig; p_ik,
// d_ik to the posture theta_ik of the solve. They act as one spring, integrated by the implicit
// Euler rule:
//
//     torque = p_new (theta_new - theta) + d_new (d theta_new/dt - d theta/dt) + feed-forward
//     p_new = p_orig + p_ik,  d_new = d_orig + d_ik
//     theta_new = (p_orig theta_orig + p_ik theta_ik) / p_new
//
// Units. SI and radians: m, s, kg, N, N m, rad; stiffness N m/rad (along axes N/m), damping N m
// s/rad (along axes N s/m).
//
// Frames. Places, rotations and forces are in the world's axes unless a name says otherwise. A
// node's angle counts the turn of its child body about the joint's axis.
//
// Errors. A status below 0 is an error and nothing has changed; above 0 the call is done, with a
// remark. Rig and tree keep their first error (poise_rig_status, poise_tree_status), so that a
// set-up needs only one check at its end: poise_rig_problem returns NULL or one sentence.
//
// Ownership. The springs are motors that the rig adds to the world, one or two for each bound
// joint. Your joints, their own motors, stops, feedback and data stay as they are. Destroy the rig,
// then the tree, then the world; another order is safe if ODE lets the rig detect it. One thread
// uses a rig at a time.
#ifndef POISE_RIG_H
#define POISE_RIG_H

#include <ode/ode.h>

#include "poise/apart.h"
#include "poise/ik.h"
#include "poise/spring.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A rig. Its members are private.
typedef struct PoiseRig PoiseRig;

/// The posture that the solve starts from.
typedef enum PoiseReference {
    /// The tree carries its own posture from step to step, on the measured base. Springs pull the
    /// bodies to that posture; pushes on the bodies do not change it.
    POISE_REFERENCE_OWN = 0,
    /// theta_ik = theta + omega, from the measured posture in each step, as in the paper. The
    /// joints keep the posture after a push.
    POISE_REFERENCE_MEASURED = 1
} PoiseReference;

/// The settings that poise_rig_set_settings changes while the rig runs.
typedef struct PoiseRigSettings {
    /// The posture that the solve starts from. Default POISE_REFERENCE_OWN.
    PoiseReference reference;
    /// True if the torque that holds the bound links up is fed forward. Default true.
    bool gravity;
    /// The options of each update's solve. The update sets `step`.
    PoiseSolveDef solve;
    /// The reference moves by this fraction of its distance to the natural posture in each step,
    /// 0..1, in the null space of the points. It costs no accuracy, in contrast to p_orig. 0.01 is
    /// enough against drift. Default 0: off; then PoiseSolveDef.posture_rate and the tree's
    /// own reference postures act.
    double posture_rate;
    /// Rate at which the torque of the blended springs is added to a sum, 1/s, >= 0. The sum is fed
    /// forward, which removes the error under an unknown load. A chain oscillates unless d / p is
    /// much below 1 / integral. Default 0: off.
    double integral;
    /// Largest torque that the integral adds to a joint, as a fraction of the joint's torque limit.
    /// If that limit is infinite, a fraction of the springs' torque at 1 rad (1 m). > 0, default
    /// 0.2.
    double integral_most;
    /// Largest speed at which joints move to another posture if their goals cannot be reached from
    /// this one, rad/s (along axes m/s), >= 0. The joints' own speed limits hold too. Default 2, at
    /// which half a turn takes 1.6 s; 0: off. Joints that are stuck away from constant goals for
    /// 0.3 s search for such a posture with poise_reach. They search in slices, once for these
    /// goals. They move there on a straight path in joint space; collisions on the path are not
    /// checked. A hinge that needs its whole torque limit to hold its links does not move, and a
    /// posture in which another hinge would need it is rejected. Rigs with closures, stances,
    /// floating bases, points that press or parts to keep apart do not search.
    double reconfigure_speed;
    /// Speed at which a pressing point moves along its force F until it touches, m/s, > 0. A damper
    /// F / approach_speed replaces the joints' own along the force, so at rest the point presses
    /// with F. No joint turns faster than 0.3 rad/s for this. Rigs with stances keep their dampers.
    /// Default 0.1; infinity: the joints' own dampers alone.
    double approach_speed;
} PoiseRigSettings;

/// The state of a rig whose goals cannot be reached from its posture (reconfigure_speed).
typedef enum PoiseReconfiguration {
    /// The goals are met or approached, or the search is off.
    POISE_RECONFIGURATION_NONE = 0,
    /// The joints are stuck, and the search looks for a posture that meets the goals.
    POISE_RECONFIGURATION_SEARCHES = 1,
    /// The joints move to another posture, from which the goals can be met.
    POISE_RECONFIGURATION_MOVES = 2,
    /// The search found no posture that meets the goals: they are unreachable.
    POISE_RECONFIGURATION_UNREACHABLE = 3,
    /// Torque limits or contacts kept the joints from the other posture.
    POISE_RECONFIGURATION_BLOCKED = 4
} PoiseReconfiguration;

/// The arguments of poise_rig_create.
typedef struct PoiseRigDef {
    /// Set by poise_default_rig_def, and checked.
    uint32_t cookie;
    /// The tree to drive; a tree has at most one rig. It must exist as long as the rig is updated.
    PoiseTree* tree;
    dWorldID world;
    /// True: dBodySetFiniteRotationMode(body, 1) is set for the driven links of balls until the rig
    /// is destroyed. Very stiff springs of balls then reach large angles in one step. Default
    /// false.
    bool finite_rotation;
    PoiseRigSettings settings;
    PoiseHost host;
} PoiseRigDef;

/// Returns a def with the default of each member. The caller sets the tree and the world.
POISE_API PoiseRigDef poise_default_rig_def(void);

/// Returns why a def cannot be used, in words, or NULL if it can. Reasons: no tree; no world; a
/// tree that another rig drives; numbers out of their ranges; an ODE whose precision differs from
/// that of the headers of this library.
POISE_API const char* poise_rig_def_problem(const PoiseRigDef* def);

/// Creates a rig. Returns NULL if memory is short or the def is not usable; poise_rig_def_problem
/// says why, and the log of the def's host gets the same sentence.
POISE_API PoiseRig* poise_rig_create(const PoiseRigDef* def);
/// Removes the rig's motors and restores what the rig changed. NULL is allowed.
POISE_API void poise_rig_destroy(PoiseRig* rig);

/// Returns the first error, as poise_tree_status; POISE_OK if there was none.
POISE_API PoiseStatus poise_rig_status(const PoiseRig* rig);
/// Returns the first error in words, with its remedy; "" if there was none, or for NULL. Valid
/// until the next call on the rig.
POISE_API const char* poise_rig_message(const PoiseRig* rig);
/// Resets the status to POISE_OK and empties the message. NULL is allowed.
POISE_API void poise_rig_clear_status(PoiseRig* rig);

/// Returns why a rig that is set up cannot move its points, in words, or NULL if it can. Reasons:
/// the first error of the rig; no joint bound; the first error of its tree; a bound body or joint
/// that was destroyed; no point enabled; an enabled point that no driven joint is registered with;
/// NULL. Valid until the next call on the rig or its tree.
POISE_API const char* poise_rig_problem(const PoiseRig* rig);

/// Returns the tree that the rig drives; NULL for NULL.
POISE_API PoiseTree* poise_rig_tree(const PoiseRig* rig);
/// Returns the ODE world of the rig; NULL for NULL.
POISE_API dWorldID poise_rig_world(const PoiseRig* rig);

/// The tie of a node to a joint, with the springs and limits that drive the joint.
typedef struct PoiseBindDef {
    /// Set by poise_default_bind_def, and checked.
    uint32_t cookie;
    /// The node to bind.
    PoiseNodeId node;
    /// The ODE joint of the same kind. NULL for a translation or free node, whose body no joint
    /// holds: the node is relative to the body of its parent node, or to the environment.
    dJointID joint;
    /// The body that is the node's link. It decides which side of the joint is the child.
    dBodyID body;
    /// The link's frame in the frame of the body. Default the identity.
    PoisePose link_in_body;
    /// Hinge, slider: the node's angle, rad (m), when ODE's own angle is 0; it counts the turn of
    /// the child about the joint's axis. Default NaN: found from the bodies' poses now, which must
    /// then satisfy the node's kinematics.
    double zero;
    /// p_orig, d_orig: the spring to the natural posture. Default none (0, 0).
    PoiseSpring original;
    /// theta_orig, coordinates as poise_node_posture writes them. A rotation of four zeros is the
    /// identity. Default 0.
    double natural[POISE_MAX_NQ];
    /// p_ik, d_ik: the spring to the posture of the solve. Default 100 N m/rad, 10 N m s/rad. A
    /// stiffness of 0 takes the node out of the solve. A free node always takes part (see
    /// poise_rig_add_base).
    PoiseSpring ik;
    /// Largest torque of the motor about each axis, N m (slider, translation: force along it, N). >
    /// 0, default infinity. The reference of a hinge on a fixed base avoids angles at which the
    /// weight of its links needs more than 0.95 of the limit (PoiseRigSettings.gravity).
    double torque_limit;
    /// The axis of a ball node's cone in the present posture, world axes, for poise_rig_add and
    /// poise_rig_import. Default 0: the line from the joint's anchor to the child's centre of mass
    /// (z if they coincide).
    PoiseVec3 cone_axis;
    /// Joints that move along axes and turn about others: the springs along the axes, N/m and
    /// N s/m, and their limit, N. Default none (0, 0) and infinity. The forces act at the bodies'
    /// centres of mass.
    PoiseSpring original_linear;
    PoiseSpring ik_linear;
    double force_limit;
    /// Largest speed at which the joint is driven, rad/s (slider, translation, free: m/s too). The
    /// equilibrium under load does not depend on it; pushes from outside may exceed it. > 0,
    /// default infinity.
    double speed_limit;
    /// Hinge, slider: the dry friction that the joint has in the world, N m (slider: N), such as
    /// that of an ODE motor with velocity 0. This torque is fed forward in the direction of the
    /// motion that the springs ask for, except while a point presses. >= 0, finite, default 0.
    double friction;
} PoiseBindDef;

/// Returns a def with the default of each member: an IK spring, no original spring, no limits.
POISE_API PoiseBindDef poise_default_bind_def(void);

/// Binds one node to one joint. Reads the node's mass and centre of mass from the body now: set a
/// body's mass before binding it. Errors: POISE_ERROR_ALREADY_BOUND, POISE_ERROR_FOREIGN_WORLD,
/// POISE_ERROR_INVALID_ARGUMENT; POISE_ERROR_INVALID_HANDLE, POISE_ERROR_OUT_OF_MEMORY,
/// POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_rig_bind(PoiseRig* rig, const PoiseBindDef* def);
/// Removes the node's motor. The null handle is allowed. A node that was destroyed in the tree is
/// unbound by the next call on the rig that uses it. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_unbind(PoiseRig* rig, PoiseNodeId node);

/// Makes a free node for a body that no joint holds, such as a ragdoll's pelvis. Binds it with the
/// springs and limits of `like`. Give `like` no springs if the base is to float: then no force acts
/// on the body from outside. The natural posture is that of `like` (place, m, and rotation in the
/// world); if all its numbers are 0, the present pose of the body. Call poise_rig_import from that
/// body to make the nodes of its joints children of this node. Returns the node, null on error.
///
/// A base without springs of its own takes part in the solve only while the rig has stance points
/// (see stance.h); otherwise the base follows the body.
POISE_API PoiseNodeId poise_rig_add_base(PoiseRig* rig, dBodyID body, const PoiseBindDef* like);

/// Makes a node for the joint from the present poses of the bodies and binds it. `child` is the
/// body that the joint carries. Springs, natural posture and limits are those of `like`; its node,
/// joint, body, link_in_body and zero are ignored. The node's range is that of the joint's stops.
/// Its parent is the node of the body on the other side, if the rig has one. Returns the node, null
/// on error.
POISE_API PoiseNodeId poise_rig_add(PoiseRig* rig, dJointID joint, dBodyID child,
                                    const PoiseBindDef* like);

/// Calls poise_rig_add for each joint that has a kind of node and is reachable from the body
/// `root`, nearest first. Bodies welded by fixed joints are passed through. `root` becomes a link
/// if a joint ties it to the static environment; otherwise `root` is the base. Joints that close a
/// loop become closures (closure.h). Returns the number of nodes made, or a negative PoiseStatus.
/// If no joint found can have a node, returns 0 and names the joints in a warning in the log.
POISE_API int poise_rig_import(PoiseRig* rig, dBodyID root, const PoiseBindDef* like);

/// Returns the node of a joint; null if the rig has none.
POISE_API PoiseNodeId poise_rig_node_of_joint(const PoiseRig* rig, dJointID joint);
/// Returns the node whose link the body is; null if the rig has none.
POISE_API PoiseNodeId poise_rig_node_of_body(const PoiseRig* rig, dBodyID body);
/// Converts a place in the world, m, to the frame of the node's link, m; 0 if no body is bound to
/// the node.
POISE_API PoiseVec3 poise_rig_place_in_link(const PoiseRig* rig, PoiseNodeId node,
                                            PoiseVec3 place_world);

/// Sets the natural spring of a node (PoiseBindDef.original) while the rig runs. An error changes
/// nothing. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_set_original(PoiseRig* rig, PoiseNodeId node, PoiseSpring spring);
/// Sets the IK spring of a node (PoiseBindDef.ik) while the rig runs. Errors as
/// poise_rig_set_original.
POISE_API PoiseStatus poise_rig_set_ik(PoiseRig* rig, PoiseNodeId node, PoiseSpring spring);
/// Sets the natural posture theta_orig of a node: coordinates as poise_node_posture writes them.
/// `count` must be the number of coordinates of the node's kind. A rotation must not be 0.
POISE_API PoiseStatus poise_rig_set_natural_posture(PoiseRig* rig, PoiseNodeId node,
                                                    const double* posture, int count);
/// Sets the springs along axes of a joint that turns about others (see PoiseBindDef). Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND for another
/// joint.
POISE_API PoiseStatus poise_rig_set_linear(PoiseRig* rig, PoiseNodeId node, PoiseSpring original,
                                           PoiseSpring ik);
/// Sets PoiseBindDef.speed_limit, see PoiseBindDef; > 0. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_set_speed_limit(PoiseRig* rig, PoiseNodeId node, double limit);
/// Sets the largest torque of both springs about each axis, N m (slider: N), > 0; infinity: no
/// limit. Errors as poise_rig_set_speed_limit.
POISE_API PoiseStatus poise_rig_set_torque_limit(PoiseRig* rig, PoiseNodeId node, double limit);
/// Sets the largest force along axes, N, > 0 (PoiseBindDef.force_limit). Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND for a joint
/// that does not both turn and move along axes.
POISE_API PoiseStatus poise_rig_set_force_limit(PoiseRig* rig, PoiseNodeId node, double limit);
/// Sets all settings at once. Each is checked as in the def; if one is refused, none is changed. A
/// posture_rate that returns to 0 leaves the bound nodes without a reference
/// (poise_node_set_reference). The sum of the integral is cut to the new bound; an integral of 0
/// clears the sum. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_set_settings(PoiseRig* rig, const PoiseRigSettings* settings);
/// Returns the present settings; NULL: those of poise_default_rig_def.
POISE_API PoiseRigSettings poise_rig_settings(const PoiseRig* rig);

/// The results of one update. `status` is what the update returned.
typedef struct PoiseRigReport {
    PoiseStatus status;
    /// poise_tree_status after the update: the first error of any call on the tree, until
    /// poise_tree_clear_status.
    PoiseStatus tree_status;
    PoiseSolveReport solve;
    /// Number of bound joints that this step drives. `skipped`: number of bound joints that it
    /// leaves out, since a body is destroyed or not finite, or both are kinematic or disabled.
    int driven;
    int skipped;
    /// Number of nodes whose torque reached its limit in the last step.
    int saturated;
    /// Number of nodes whose reference the anti-windup clamp held back in this step, because their
    /// torque is limited.
    int clamped;
    /// Number of points that are asked for a force or torque, or yield to one.
    int pressing;
    /// Largest error of a pressing point in the last step: the difference of its asked and measured
    /// force along the asked force, N; torque_error that of the torque, N m (see
    /// PoisePointReading).
    double force_error;
    double torque_error;
    /// Number of floating bases that their stance points cannot carry, by friction and soles: they
    /// would slide or tip over (see poise_rig_read_support).
    int unsupported;
    /// Number of consecutive updates, up to this one, without a step of the world before them:
    /// motors had torques to apply, and ODE reports none. dWorldStep and dWorldQuickStep return 0
    /// if memory is short. Callers may make one update without a step, to read the last step. The
    /// second such update and each later one is POISE_DEGRADED, with one warning in the log.
    int unstepped;
    /// The state of the search for another posture. While the goals are unreachable, the largest
    /// error of the nearest posture found, m and rad; else 0.
    PoiseReconfiguration reconfiguration;
    double nearest;
    double nearest_angle;
} PoiseRigReport;

/// Does everything in a step but dWorldStep, which must follow with the same `dt` (s, > 0): reads
/// the bodies, solves, blends the two springs of each joint and sets the motors. Wakes bodies whose
/// references moved. Allocates nothing while the sets are unchanged, except for searches of another
/// posture: the first one (poise_rig_reserve_search), and each that fixes other joints than the
/// search before it. `report` may be NULL. The first update logs what poise_rig_problem returns,
/// goals too far away to be in metres, and springs that do not suit the inertia. Errors:
/// POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_OUT_OF_MEMORY. POISE_DEGRADED: no
/// joint is bound, or some joint was left out.
POISE_API PoiseStatus poise_rig_update(PoiseRig* rig, double dt, PoiseRigReport* report);

/// Calls poise_rig_update for `count` rigs, in their order, with the same results to the last bit.
/// Faster for crowds: before a rig is computed, the memory of the next is prefetched into the
/// caches. An error of one rig does not stop the others. `statuses`: `count` statuses, one of each
/// rig, or NULL. Returns the first error, else POISE_DEGRADED if a rig returned it, else POISE_OK.
/// Errors: POISE_ERROR_INVALID_ARGUMENT (also for a rig that is NULL), and those of
/// poise_rig_update.
POISE_API PoiseStatus poise_rigs_update(PoiseRig* const* rigs, int count, double dt,
                                        PoiseStatus* statuses);

/// Reads how far the last dWorldStep or dWorldQuickStep was from the springs' law. `error` is the
/// largest difference between a row's torque and its law, as a fraction of the largest torque of
/// all rows (about 1e-9 after dWorldStep); `node` is the node of that row (null: none). Either may
/// be NULL. An error of 0.1 means that dWorldQuickStep does not solve the springs; updates check
/// this every 64th time, and warn once above 0.05. Call this between a step and the next update,
/// with the velocities that the step left. Errors: POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_rig_step_error(const PoiseRig* rig, double* error, PoiseNodeId* node);

/// Keeps the bodies of the rig apart from each other and from obstacles, by at least `distance` m,
/// >= 0, where they have room for it (poise/apart.h; the log has a warning if they have not). The
/// parts are the geoms of the space and of the spaces in it: spheres, capsules, boxes, cylinders,
/// planes (100 m wide) and meshes (by their convex hulls). Other geoms are left out with a warning.
/// A geom of a bound or welded body belongs to that link; a geom that contains the anchor of a
/// joint without a parent node is the base; all others are obstacles, which the updates follow. Two
/// geoms may touch if their category and collide bits exclude each other, or if poise_apart_create
/// leaves them out. A geom that contains all geoms of a first link or of a base (the geoms of the
/// base's name) cannot be kept apart. A geom whose surface passes through them, or which is in the
/// inner space of the links (poise_world_add_group), is the base.
///
/// The plan theta_ik keeps the distance, so that springs do not press on contacts; bodies that a
/// load or a blow moves off the plan can touch. The longer the lag d / p of the joints, the slower
/// the plan brings two near parts together: an arm dragged in scenes/cage.yaml in 54 runs, with d /
/// p of 0.01 to 0.9 s, pressed on nothing, nor did 997 of 1000 random arms that were dragged among
/// obstacles at up to 5 m/s. That is no proof for all robots. A point that is asked for a force
/// into a part may touch it. Forecasts keep the parts apart too; their obstacles stay where they
/// are. Call this again after a change of the geoms or bindings. Before you destroy a geom, call it
/// with `space` NULL, after which nothing is kept apart. Allocates. Errors:
/// POISE_ERROR_INVALID_ARGUMENT and POISE_ERROR_OUT_OF_MEMORY, with the sentence of
/// poise_apart_create; POISE_ERROR_GONE. Nothing is then kept apart.
POISE_API PoiseStatus poise_rig_keep_apart(PoiseRig* rig, dSpaceID space, double distance);
/// Geoms that poise_rig_keep_geoms_apart keeps apart. All zero: none.
typedef struct PoiseGeomsApart {
    const dGeomID* geoms; ///< number of `geoms`, >= 0
    int count;            ///< >= 0
    /// Names of the geoms, for messages of the call; geoms of one name are one body. NULL: "part
    /// 3" by the index, and each geom is a body.
    const char* const* names;
    double distance; ///< distance to keep between them, m, >= 0
    /// True for each geom if the other geoms are kept off it: at least one of a pair must be true.
    /// NULL means true for all.
    const bool* kept_off;
} PoiseGeomsApart;
/// As poise_rig_keep_apart, with geoms of any spaces. POISE_ERROR_INVALID_ARGUMENT also for NULL,
/// and if `geoms` is NULL with a count.
POISE_API PoiseStatus poise_rig_keep_geoms_apart(PoiseRig* rig, const PoiseGeomsApart* apart);
/// Returns the parts that the rig keeps apart; NULL if none. Valid until the next
/// poise_rig_keep_apart.
POISE_API PoiseApart* poise_rig_apart(const PoiseRig* rig);
/// Returns the geom of a part, or NULL.
POISE_API dGeomID poise_rig_apart_geom(const PoiseRig* rig, int part);

/// Puts the bodies of all bound links, and those welded to them, at the tree's posture, at rest. A
/// base keeps its pose. Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_rig_place_bodies(PoiseRig* rig);
/// Sets the tree's own posture to the measured one. Errors: POISE_ERROR_GONE,
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_rig_take_posture(PoiseRig* rig);
/// Allocates the memory that forces at points need (poise_point_set_force, poise_point_set_yield)
/// now and after each change of the sets. The first update with a force then allocates nothing. If
/// the tree has more than 64 points, an update allocates when more of them press than ever before.
/// Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_rig_reserve_forces(PoiseRig* rig);
/// Prepares the search of another posture (PoiseRigSettings.reconfigure_speed) now and after each
/// change of the sets, if the rig may search. It needs a second tree and the compiled body of
/// poise_reach, together 0.5 MB. If this is not called, the step that begins the first search does
/// the same. Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_rig_reserve_search(PoiseRig* rig);

/// The state of one bound joint. Coordinates and velocities are those of its poise_joint_type: nq
/// and nv numbers, the rest 0.
typedef struct PoiseJointReading {
    PoiseNodeKind kind;
    /// The measured coordinates; theta_ik; the blended theta_new; in the order of
    /// poise_node_posture.
    double q[POISE_MAX_NQ];
    double q_ik[POISE_MAX_NQ];
    double q_target[POISE_MAX_NQ];
    /// p_new, d_new of the blended springs. `spring`: about axes, or along them if the joint only
    /// slides. `linear`: along axes.
    PoiseSpring spring;
    PoiseSpring linear;
    /// Torque of the motor in the last dWorldStep, N m (along axes: force, N), in the order of
    /// poise_node_omega; forces act at the child's centre of mass. 0 between an update and the next
    /// dWorldStep. `feed_forward`: the part of the torque that is fed forward.
    double torque[POISE_MAX_NV];
    double feed_forward[POISE_MAX_NV];
    /// The limits as set, see PoiseBindDef.
    double torque_limit;
    double force_limit;
    double speed_limit;
    /// True if a torque or force limit held the joint back: the motor gave its limit in the last
    /// dWorldStep, or the anti-windup clamp held theta_ik in the last update.
    bool at_limit;
} PoiseJointReading;

/// Reads the state of one bound joint after the last update (torque: of the last dWorldStep).
/// Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_read_joint(const PoiseRig* rig, PoiseNodeId node,
                                           PoiseJointReading* reading);

/// Why a point is where it is. Causes that name joints list them in PoisePointReading.joints.
typedef enum PoisePointWhy {
    /// The point is at its goal, within PoiseSolveDef.position_tolerance and angle_tolerance.
    POISE_WHY_NONE = 0,
    /// The point is disabled, has no driven joint, or no solve has run yet.
    POISE_WHY_IDLE = 1,
    /// The point moves: at its present speed it would cover the miss within 10 s. Also if no other
    /// cause explains a tenth of the miss.
    POISE_WHY_MOVING = 2,
    /// Ranges, cones or speed limits of joints end the plan before the goal.
    POISE_WHY_LIMIT = 3,
    /// Joints are at their torque limit or force limit.
    POISE_WHY_TORQUE_LIMIT = 4,
    /// Other points or references ask the point's joints for other motions.
    POISE_WHY_OUTWEIGHED = 5,
    /// No joint moves the plan toward the goal, although nearer postures exist (a straight arm).
    POISE_WHY_SINGULAR = 6,
    /// The plan is at a local minimum of the distance: no small step brings it nearer.
    POISE_WHY_STUCK = 7,
    /// POISE_WHY_SEARCHES to POISE_WHY_BLOCKED: the point is stuck. The rig (PoiseReconfiguration)
    /// searches another posture or moves to it, found that none meets the goal, or was stopped on
    /// its path.
    POISE_WHY_SEARCHES = 8,
    POISE_WHY_RECONFIGURES = 9,
    POISE_WHY_UNREACHABLE = 10,
    POISE_WHY_BLOCKED = 11,
    /// The IK springs share the joints with the springs to the natural posture.
    POISE_WHY_SPRINGS = 12,
    /// Dry friction of joints (PoiseBindDef.friction) balances the torque of their springs.
    POISE_WHY_DRY_FRICTION = 13,
    /// The point presses, and friction holds it in directions perpendicular to its force.
    POISE_WHY_FRICTION = 14,
    /// A contact, a load, or weight that is not fed forward holds the point.
    POISE_WHY_LOAD = 15,
    /// Two parts are as near as poise_rig_keep_apart allows.
    POISE_WHY_APART = 16
} PoisePointWhy;

/// POISE_READING_JOINTS: largest number of joints that a reading names. POISE_WHY_TEXT: size of its
/// sentence in bytes, if names have up to 60 bytes.
enum { POISE_READING_JOINTS = 8, POISE_WHY_TEXT = 600 };

/// The state of a point now, by its body and its goal.
typedef struct PoisePointReading {
    /// Measured pose of the point, from the bodies: place, m, and rotation, world.
    PoisePose pose;
    /// Distance and angle from that pose to the goal, m and rad, in the active rows that do not
    /// yield to a force.
    double miss;
    double angle_miss;
    /// Distance and angle from the planned pose (poise_point_planned_pose) to the goal, m and rad:
    /// the error of the solver.
    double planned_miss;
    double planned_angle_miss;
    PoisePointWhy why;
    /// The joints that hold the point. The list has the first ones; `joint_count` counts all.
    PoiseNodeId joints[POISE_READING_JOINTS];
    int joint_count;
    /// The nearest pair that holds the point's plan back, if `why` is POISE_WHY_APART: its parts,
    /// its gap, and the geoms of both (poise_rig_apart_geom). `joints` names the nodes of its
    /// links; an obstacle has none.
    PoiseApartNear held_by;
    dGeomID held_geoms[2];
    /// True if a force or torque is asked of the point, or it yields to one (see PoiseYield). If
    /// false, the members below are 0. Forces are those of the last update, world, N and N m.
    bool presses;
    PoiseVec3 force; ///< force asked of the point, N, world
    PoiseVec3 torque;
    /// True if the point moves along the force at less than 1 cm/s, and its joints press with at
    /// least a tenth of the force: something holds the point. Also true for an instant before the
    /// point begins to move.
    bool touches;
    /// Force and torque of the joints at the point in the dWorldStep before the last update. They
    /// are the least-squares fit, in the point's directions, to the joint torques without those
    /// that hold the links up. At rest they are the contact force; in motion they contain the
    /// links' inertia.
    PoiseVec3 force_measured;
    PoiseVec3 torque_measured;
} PoisePointReading;

/// Reads one point. The reading is computed by this call; updates do not pay for it. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_read_point(const PoiseRig* rig, PoisePointId point,
                                           PoisePointReading* reading);

/// Returns the name of a cause, such as "torque limit" or "kept apart"; "none" for POISE_WHY_NONE,
/// "?" for a number that is no cause.
POISE_API const char* poise_point_why_name(PoisePointWhy why);

/// Callbacks that return the name of a node or of a geom, or NULL if it has none. Both get `user`;
/// `geom_name_of` may be NULL.
typedef struct PoiseNodeNames {
    const char* (*name_of)(void* user, PoiseNodeId node);
    void* user;
    const char* (*geom_name_of)(void* user, dGeomID geom);
} PoiseNodeNames;

/// Writes the cause as a sentence with names, such as "held by shoulder: limit", to `text`, and
/// returns it: at most `capacity` bytes with the final 0. A joint without a name is "joint 3" by
/// its handle, and so are all joints if `names` or its `name_of` is NULL. Parts that are kept apart
/// are named by their geoms, or by the joints of their links: "held by elbow - obstacle, 12 mm". ""
/// if reading, text or room is missing.
POISE_API const char* poise_point_why_text(const PoisePointReading* reading,
                                           const PoiseNodeNames* names, char* text,
                                           size_t capacity);

/// Faults of a joint's springs, as bits of PoiseSpringAdvice.verdict.
typedef enum PoiseSpringVerdict {
    /// The spring would oscillate faster than the steps can follow. The joint then behaves like a
    /// damper of p dt, which is more than its own.
    POISE_SPRING_TOO_STIFF = 1,
    /// The joint takes seconds to reach its target.
    POISE_SPRING_TOO_SOFT = 2,
    /// The damping ratio is below 0.2: the joint oscillates.
    POISE_SPRING_RINGS = 4,
    /// The damping ratio is above 5 and d / p above 0.5 s: the joint creeps.
    POISE_SPRING_CRAWLS = 8
} PoiseSpringVerdict;

/// The result of poise_rig_advise for one joint.
typedef struct PoiseSpringAdvice {
    /// Bits of PoiseSpringVerdict; 0: no fault, or a joint without a spring.
    unsigned verdict;
    /// Inertia of all links from the node on, as one rigid body about the joint, kg m^2 (slider,
    /// translation: mass, kg). With several axes: the largest, and the least.
    double inertia;
    double least_inertia;
    /// The two springs as one. omega: sqrt(p / inertia), 1/s; damping_ratio: d / (2 sqrt(p
    /// inertia)).
    PoiseSpring spring;
    double omega;
    double damping_ratio;
    /// A spring without these faults, critically damped; if the verdict is 0, the present spring.
    PoiseSpring proposed;
    /// Longest advisable step, s. In longer ones the weight of the link may open joints, and a
    /// falling chain gains energy, with springs or without. sqrt(0.3 L / (g sqrt(M / m))), with the
    /// link's length L, its mass M, and the mass m of the link before it; M / m is at least 1.
    /// Infinity without weight.
    double longest_step;
} PoiseSpringAdvice;

/// Checks the node's springs against the inertia that they move, at steps of `dt` (s, > 0), in the
/// present posture. Springs are stable at any gains; the advice is about their use. The first
/// update logs a warning if a spring has a fault. The first update after a change of `dt` or of the
/// number of bound joints does so too. It also warns if dt is above the longest step. Errors:
/// POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_advise(const PoiseRig* rig, PoiseNodeId node, double dt,
                                       PoiseSpringAdvice* advice);
/// Returns the first fault of a verdict in words, such as "too stiff"; "fine" for 0.
POISE_API const char* poise_spring_verdict_name(unsigned verdict);

#ifdef __cplusplus
}
#endif

#endif
