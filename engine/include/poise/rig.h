// SPDX-License-Identifier: MIT
// A rig ties the nodes of a tree to the joints of any Open Dynamics Engine world and pulls those
// joints where the tree's inverse kinematics says, through springs.
//
//     poise_rig_update(rig, h, NULL);     read, solve, blend, drive
//     dWorldStep(world, h);               yours
//
// The springs live in motors of the rig's own, beside each bound joint: your joints, their motors,
// stops, feedback and data stay as they are, and are all there is once the rig is gone. Destroy
// rig, then tree, then world; other orders are survived as far as ODE lets them be seen.
#ifndef POISE_RIG_H
#define POISE_RIG_H

#include <ode/ode.h>

#include "poise/ik.h"
#include "poise/spring.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A rig; its parts are its own.
typedef struct PoiseRig PoiseRig;

/// What theta_ik is counted from.
typedef enum PoiseReference {
    /// The tree carries its own posture from step to step, on the measured base, and springs pull
    /// the bodies to it. Pushes do not change it.
    POISE_REFERENCE_OWN = 0,
    /// theta_ik = theta + omega from the measured posture at each step, as in the paper. The joints
    /// keep what a push did to them.
    POISE_REFERENCE_MEASURED = 1
} PoiseReference;

/// What poise_rig_set_settings changes while the rig runs.
typedef struct PoiseRigSettings {
    /// Default POISE_REFERENCE_OWN.
    PoiseReference reference;
    /// Feeds forward the torque that holds the bound links up. Default true.
    bool gravity;
    /// How each update solves. `step` is set by the update.
    PoiseSolveDef solve;
    /// Part of the way to its natural posture that the reference goes in a step, 0..1, where that
    /// moves no point: it costs no accuracy and is not felt, which p_orig does and is. 0.01 ends
    /// drift. Default 0: none, and the solve's own posture_rate and the tree's references hold.
    double posture_rate;
    /// Part of the blended springs' pull that is added up in a second, 1/s, >= 0: what stands off
    /// for good under a load that is not known is taken off. Rings on soft chains: d / p much below
    /// 1 / integral is needed. Default 0: none.
    double integral;
    /// The most it may add to a joint, as a part of its torque limit or, where that is infinite, of
    /// what its springs give at 1 rad (1 m). > 0, default 0.2.
    double integral_most;
    /// The speed at which joints go to another posture where their goals cannot be reached from
    /// this one, rad/s (along axes m/s); their own speed limits hold too. Joints that have been
    /// stuck off constant goals for 0.3 s search for that posture with poise_reach, in slices, once
    /// for these goals. They go straight in joint space: nothing looks at what is in between. Rigs
    /// with closures, stances, floating bases or points that press are left out. >= 0, default 1;
    /// 0: off.
    double reconfigure_speed;
    /// The speed at which a point that presses moves along its force while nothing is in its path,
    /// m/s: along the force F the joints' dampers are replaced by one of F / approach_speed, so at
    /// rest it presses with F. No joint turns faster than 0.3 rad/s for this; rigs with stances
    /// are left out. > 0, default 0.1;
    /// infinity: as fast as the joints' own dampers let it.
    double approach_speed;
} PoiseRigSettings;

/// What a rig does about goals that its posture cannot reach (reconfigure_speed).
typedef enum PoiseReconfiguration {
    /// The goals are met or approached, or it is off.
    POISE_RECONFIGURATION_NONE = 0,
    /// Stuck; the search for a posture that meets the goals goes on.
    POISE_RECONFIGURATION_SEARCHES = 1,
    /// The joints take another posture, from which the goals can be met.
    POISE_RECONFIGURATION_MOVES = 2,
    /// The search found no posture that meets the goals: they are unreachable.
    POISE_RECONFIGURATION_UNREACHABLE = 3,
    /// The joints did not get to the other posture: torque limits or contacts held them back.
    POISE_RECONFIGURATION_BLOCKED = 4
} PoiseReconfiguration;

/// What poise_rig_create makes a rig of.
typedef struct PoiseRigDef {
    /// Set by poise_default_rig_def.
    uint32_t cookie;
    /// The tree to drive; one rig per tree. It must live as long as the rig is updated.
    PoiseTree* tree;
    dWorldID world;
    /// Sets dBodySetFiniteRotationMode(body, 1) on the driven links of balls (and puts it back), so
    /// that very stiff ball springs reach large angles in one step. Default false.
    bool finite_rotation;
    PoiseRigSettings settings;
    PoiseHost host;
} PoiseRigDef;

/// A def with the defaults named above, but for the tree and the world, which are the caller's to
/// set.
POISE_API PoiseRigDef poise_default_rig_def(void);

/// What keeps a def from being used, in words, or NULL when nothing does: no tree, no world, a tree
/// that another rig drives, an ODE whose precision is not that of the headers this library was
/// built with, numbers out of their ranges.
POISE_API const char* poise_rig_def_problem(const PoiseRigDef* def);

/// NULL when the def is not usable, as poise_rig_def_problem says (it goes to the log of the def's
/// host too, if that has one), or memory is short.
POISE_API PoiseRig* poise_rig_create(const PoiseRigDef* def);
/// Removes the rig's motors and puts back what it changed. NULL is allowed.
POISE_API void poise_rig_destroy(PoiseRig* rig);

/// The first error, as poise_tree_status; and what it said.
POISE_API PoiseStatus poise_rig_status(const PoiseRig* rig);
/// What went wrong, in words, with what to do; "" where nothing did, or for NULL. It lasts until
/// the next call of the rig.
POISE_API const char* poise_rig_message(const PoiseRig* rig);
/// Makes the status POISE_OK again, and the message empty. NULL is allowed.
POISE_API void poise_rig_clear_status(PoiseRig* rig);

/// What keeps a rig from moving what it should once it is set up, in words, or NULL when nothing
/// does: the first error of the rig, no joint bound, the first error of its tree, a bound body or
/// joint that was destroyed, no point enabled, an enabled point that no driven joint is registered
/// with, NULL. Valid until the next call on the rig or its tree.
POISE_API const char* poise_rig_problem(const PoiseRig* rig);

/// The tree that the rig drives; NULL for NULL.
POISE_API PoiseTree* poise_rig_tree(const PoiseRig* rig);
/// The ODE world that it is in; NULL for NULL.
POISE_API dWorldID poise_rig_world(const PoiseRig* rig);

/// What ties a node to a joint, and the springs and limits that drive it.
typedef struct PoiseBindDef {
    /// Set by poise_default_bind_def.
    uint32_t cookie;
    /// A node ...
    PoiseNodeId node;
    /// ... and the joint of the same kind that it stands for. NULL for a translation or free node,
    /// whose body no joint holds: it stands on the body of its parent node, or on the environment.
    dJointID joint;
    /// The body that the node's link is; it says which side of the joint is the child.
    dBodyID body;
    /// The link's frame in the body's. Default the identity.
    PoisePose link_in_body;
    /// Hinge, slider: the node's angle when ODE's own reads 0, in the sense of the child turning
    /// about the joint's axis. Default NaN: found from where the bodies are now, which must then be
    /// within the node's kinematics.
    double zero;
    /// p_orig, d_orig: pulls to the natural posture. Default none (0, 0).
    PoiseSpring original;
    /// theta_orig, coordinates as poise_node_posture writes them; a rotation of four 0 is the
    /// identity. Default 0.
    double natural[POISE_MAX_NQ];
    /// p_ik, d_ik: pulls to where the solver wants the joint. Default 100 N m/rad, 10 N m s/rad. A
    /// stiffness of 0 takes the node out of the solve; a free node takes part all the same (see
    /// poise_rig_add_base).
    PoiseSpring ik;
    /// The most the motor may give, N m (slider, translation: N), about or along each axis. > 0,
    /// default infinity.
    double torque_limit;
    /// poise_rig_add, poise_rig_import: what a ball node's cone is about, world axes, as the bodies
    /// stand. Default 0: from the joint's anchor to the child's centre of mass (z where they
    /// coincide).
    PoiseVec3 cone_axis;
    /// Joints that move along axes and turn about others: the springs along the axes, N/m and
    /// N s/m, and their limit, N. Default none (0, 0) and infinity. They act at the bodies' centres
    /// of mass.
    PoiseSpring original_linear;
    PoiseSpring ik_linear;
    double force_limit;
    /// The joint is driven no faster, rad/s (slider, translation, free: m/s too). What stands under
    /// load stands where it would without; pushes from outside may exceed it. > 0, default
    /// infinity.
    double speed_limit;
    /// Hinge, slider: the dry friction that the joint has in the world (a motor of ODE's that would
    /// stop it, say), N m (slider: N). As much is fed forward in the direction of the motion that
    /// the springs ask for, none while a point presses. >= 0, finite, default 0.
    double friction;
} PoiseBindDef;

/// A def with the defaults named above: an IK spring, no original one, no limits.
POISE_API PoiseBindDef poise_default_bind_def(void);

/// Ties one node to one joint. The node's mass and centre of mass are taken from the body as it is
/// now: set a body's mass before binding it. Errors: POISE_ERROR_ALREADY_BOUND,
/// POISE_ERROR_FOREIGN_WORLD, POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE,
/// POISE_ERROR_OUT_OF_MEMORY, POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_rig_bind(PoiseRig* rig, const PoiseBindDef* def);
/// Takes the node's motor away again. The null handle is allowed. A node that is destroyed in the
/// tree is unbound by the next call on the rig that looks. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_unbind(PoiseRig* rig, PoiseNodeId node);

/// Makes a free node for a body that no joint holds, a ragdoll's pelvis say, and binds it with the
/// springs and limits of `like`, which is to have none where the base is to float: then no force
/// ever comes from outside. Its natural posture is that of `like` (place, m, and rotation in the
/// world) or, where that is all 0, where the body stands. poise_rig_import from that body makes the
/// joints' nodes stand on it. Returns the node, null on error.
///
/// A base without springs of its own takes part in the solve only while the rig has stance points
/// (see stance.h); else it is where the body is.
POISE_API PoiseNodeId poise_rig_add_base(PoiseRig* rig, dBodyID body, const PoiseBindDef* like);

/// Makes a node for the joint from where the bodies are now, `child` being the body it carries, and
/// binds it with the springs, natural posture and limits of `like` (its node, joint, body,
/// link_in_body and zero are not looked at). The node's range is that of the joint's stops, its
/// parent the node whose body is on the other side, if the rig has one. Returns the node, null on
/// error.
POISE_API PoiseNodeId poise_rig_add(PoiseRig* rig, dJointID joint, dBodyID child,
                                    const PoiseBindDef* like);

/// poise_rig_add for every joint that a kind of node stands for and that can be reached from the
/// body `root`, nearest first; bodies welded by fixed joints are passed through. A joint between
/// `root` and the static environment makes `root` a link; else `root` is the base. Joints that
/// close a loop become closures (closure.h). Returns how many nodes were made, or a negative
/// PoiseStatus; 0 with a warning in the log that names the joints there are, where none of them can
/// have a node.
POISE_API int poise_rig_import(PoiseRig* rig, dBodyID root, const PoiseBindDef* like);

/// The node that stands for a joint, or whose link a body is; null if the rig has none.
POISE_API PoiseNodeId poise_rig_node_of_joint(const PoiseRig* rig, dJointID joint);
/// The node whose link the body is; null for a body that is none of the rig's.
POISE_API PoiseNodeId poise_rig_node_of_body(const PoiseRig* rig, dBodyID body);
/// A place in the world, m, as one in the node's link, m; 0 where no body is bound to the node.
POISE_API PoiseVec3 poise_rig_place_in_link(const PoiseRig* rig, PoiseNodeId node,
                                            PoiseVec3 place_world);

/// Springs and natural posture while it runs; each checked, nothing changed on error. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_set_original(PoiseRig* rig, PoiseNodeId node, PoiseSpring spring);
/// The spring toward theta_ik, likewise. Errors as poise_rig_set_original.
POISE_API PoiseStatus poise_rig_set_ik(PoiseRig* rig, PoiseNodeId node, PoiseSpring spring);
/// theta_orig, coordinates as poise_node_posture writes them; `count` must be how many the kind
/// has. A rotation must not be 0.
POISE_API PoiseStatus poise_rig_set_natural_posture(PoiseRig* rig, PoiseNodeId node,
                                                    const double* posture, int count);
/// The springs along axes of a joint that turns about others, see PoiseBindDef; wrong kind for
/// another. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE,
/// POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_rig_set_linear(PoiseRig* rig, PoiseNodeId node, PoiseSpring original,
                                           PoiseSpring ik);
/// See PoiseBindDef.speed_limit; > 0. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_set_speed_limit(PoiseRig* rig, PoiseNodeId node, double limit);
/// The most that both springs give about an axis, N m (slider: N), > 0, infinity: none. Errors as
/// poise_rig_set_speed_limit.
POISE_API PoiseStatus poise_rig_set_torque_limit(PoiseRig* rig, PoiseNodeId node, double limit);
/// Their limit, N, > 0; wrong kind for another. Errors: POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_INVALID_HANDLE, POISE_ERROR_WRONG_KIND.
POISE_API PoiseStatus poise_rig_set_force_limit(PoiseRig* rig, PoiseNodeId node, double limit);
/// All settings at once, each checked as in the def: none is changed where one is refused. A
/// posture_rate that goes back to 0 leaves the bound nodes without a reference
/// (poise_node_set_reference). What the integral has added up stays as far as the new bound allows;
/// an integral of 0 drops it. Errors: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_set_settings(PoiseRig* rig, const PoiseRigSettings* settings);
/// The settings as they are; NULL: those of poise_default_rig_def.
POISE_API PoiseRigSettings poise_rig_settings(const PoiseRig* rig);

/// What an update says of itself; `status` is what it returned.
typedef struct PoiseRigReport {
    PoiseStatus status;
    /// poise_tree_status after the update: the first error of any call on the tree, whoever made
    /// it, until poise_tree_clear_status.
    PoiseStatus tree_status;
    PoiseSolveReport solve;
    /// Bound joints that were driven, and those left alone in this step because their bodies are
    /// gone, kinematic on both sides, disabled, or not finite.
    int driven;
    int skipped;
    /// Nodes whose torque reached its limit in the last step.
    int saturated;
    /// Nodes whose reference the anti-windup clamp held back in this step: their torque limit would
    /// not answer to more.
    int clamped;
    /// Points that are asked for a force or torque, or yield to one.
    int pressing;
    /// The largest of what was asked less what the springs gave in the last step, along the force
    /// and about the torque, N and N m (see PoisePointReading).
    double force_error;
    double torque_error;
    /// Floating bases that their points cannot carry, as far as friction and soles are known: they
    /// would slide or tip over (see poise_rig_read_support).
    int unsupported;
    /// Updates in a row, up to this one, before which the world was not stepped: no motor gave
    /// anything since the update before, though its row asked for it. dWorldStep and
    /// dWorldQuickStep return 0 when they are short of memory. One may be an update more, to read
    /// what the last step did; from the second on the update is POISE_DEGRADED, and the log is told
    /// once.
    int unstepped;
    /// What is done about goals that cannot be reached from the posture; and once they proved
    /// unreachable the largest error of the nearest answer found, m and rad; else 0.
    PoiseReconfiguration reconfiguration;
    double nearest;
    double nearest_angle;
} PoiseRigReport;

/// One step of everything but dWorldStep, which is to follow with the same `dt` (s, > 0): reads the
/// bodies, solves, blends the two springs of each joint and sets the motors. Wakes the bodies whose
/// references moved. Allocates nothing once the sets rest, but for the first time that joints are
/// stuck off their goals (reconfigure_speed). `report` may be NULL. The first update logs what
/// poise_rig_problem says, goals that are too far away to be in metres, and springs that do not
/// suit. Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_OUT_OF_MEMORY. Or
/// POISE_DEGRADED: no joint is bound, or one was left alone.
POISE_API PoiseStatus poise_rig_update(PoiseRig* rig, double dt, PoiseRigReport* report);

/// poise_rig_update of `count` rigs, in their order and to the same bits, for crowds: the memory of
/// a thousand rigs is more than the processor's caches hold, so that of the next one is asked for
/// while one is computed. Each is updated, whatever became of those before; `statuses`: what each
/// returned, or NULL. Returns the first error, else POISE_DEGRADED where some rig is. 0 rigs:
/// POISE_OK. Errors: POISE_ERROR_INVALID_ARGUMENT (for a rig that is NULL too), and those of
/// poise_rig_update.
POISE_API PoiseStatus poise_rigs_update(PoiseRig* const* rigs, int count, double dt,
                                        PoiseStatus* statuses);

/// How far the last dWorldStep or dWorldQuickStep was from what the springs asked of it: the
/// largest difference between the torque a row gave and that of its law, as a part of the largest
/// torque of any row, and the node it is of (null: none). 1e-9 or so after dWorldStep; a tenth says
/// that dWorldQuickStep does not carry the springs: an update looks now and then, and says so once,
/// as a warning. Meant to be asked between a step and the next update, the bodies' velocities being
/// what the step left. Either may be NULL. Errors: POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_rig_step_error(const PoiseRig* rig, double* error, PoiseNodeId* node);

/// Puts the bodies of all bound links, and what is welded to them, where the tree's posture has
/// them, at rest. A base stays where it is. Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_rig_place_bodies(PoiseRig* rig);
/// Takes the posture from the bodies: the own posture becomes the measured one. Errors:
/// POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_rig_take_posture(PoiseRig* rig);
/// Takes the memory that forces at points need (poise_point_set_force, poise_point_set_yield) now
/// and with every change of the sets, so that the update in which the first is asked for allocates
/// nothing either. Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT,
/// POISE_ERROR_OUT_OF_MEMORY.
POISE_API PoiseStatus poise_rig_reserve_forces(PoiseRig* rig);

/// One bound joint. Coordinates and velocities are those of its poise_joint_type: nq and nv
/// numbers, the rest 0.
typedef struct PoiseJointReading {
    PoiseNodeKind kind;
    /// Measured; theta_ik; the blended theta_new. As poise_node_posture writes them.
    double q[POISE_MAX_NQ];
    double q_ik[POISE_MAX_NQ];
    double q_target[POISE_MAX_NQ];
    /// p_new, d_new; of a joint that moves along axes and turns about others: about those, and
    /// along.
    PoiseSpring spring;
    PoiseSpring linear;
    /// What the motor gave in the last dWorldStep, N m (along axes: N), by velocity as
    /// poise_node_omega; forces at the child's centre of mass. 0 between an update and the
    /// dWorldStep after it. Its feed-forward part.
    double torque[POISE_MAX_NV];
    double feed_forward[POISE_MAX_NV];
    /// As they are set: see PoiseBindDef.
    double torque_limit;
    double force_limit;
    double speed_limit;
    /// Its torque limit or force limit held it back: the motor gave that limit in the last
    /// dWorldStep, or the anti-windup clamp held theta_ik in the last update.
    bool at_limit;
} PoiseJointReading;

/// What one bound joint does, as of the last update (torque: the last dWorldStep). Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_read_joint(const PoiseRig* rig, PoiseNodeId node,
                                           PoiseJointReading* reading);

/// Why a point is where it is. Causes that name joints list them in PoisePointReading.joints.
typedef enum PoisePointWhy {
    /// It is at its goal, within PoiseSolveDef.position_tolerance and angle_tolerance.
    POISE_WHY_NONE = 0,
    /// It is not enabled, no driven joint is registered with it, or it was not solved for yet.
    POISE_WHY_IDLE = 1,
    /// Its body moves: at this speed the miss is gone within 10 s.
    POISE_WHY_MOVING = 2,
    /// Ranges, cones or speed limits of joints end the plan before the goal.
    POISE_WHY_LIMIT = 3,
    /// Joints give all that their torque limit (or force limit) allows.
    POISE_WHY_TORQUE_LIMIT = 4,
    /// Other points or references ask its joints for something else.
    POISE_WHY_OUTWEIGHED = 5,
    /// No joint moves the plan toward the goal, though it is not the nearest place (a straight
    /// arm).
    POISE_WHY_SINGULAR = 6,
    /// The plan is at the nearest place that a step finds.
    POISE_WHY_STUCK = 7,
    /// What the rig does about that (PoiseReconfiguration): it searches another posture, takes one,
    /// found none that meets the goal, or was held on the way to one.
    POISE_WHY_SEARCHES = 8,
    POISE_WHY_RECONFIGURES = 9,
    POISE_WHY_UNREACHABLE = 10,
    POISE_WHY_BLOCKED = 11,
    /// Its springs share the joints with those to the natural posture.
    POISE_WHY_SPRINGS = 12,
    /// Dry friction of joints (PoiseBindDef.friction) bears what their springs pull with.
    POISE_WHY_DRY_FRICTION = 13,
    /// It presses, and the friction of what it touches holds it across the force.
    POISE_WHY_FRICTION = 14,
    /// A contact, a load or weight that is not fed forward holds it.
    POISE_WHY_LOAD = 15
} PoisePointWhy;

/// How many joints a reading names, and bytes that suit its sentence (names of up to 60 bytes).
enum { POISE_READING_JOINTS = 8, POISE_WHY_TEXT = 600 };

/// What is true of a point now: of its body and its goal, not of the plan alone.
typedef struct PoisePointReading {
    /// The point by the bodies as they are: place, m, and rotation, world.
    PoisePose pose;
    /// From that pose to the goal, m and rad, in the rows that count and do not yield to a force.
    double miss;
    double angle_miss;
    /// From the planned pose (poise_point_planned_pose) to the goal, likewise: what the solver
    /// left.
    double planned_miss;
    double planned_angle_miss;
    PoisePointWhy why;
    /// The joints that hold it, and how many there are; the first ones are listed.
    PoiseNodeId joints[POISE_READING_JOINTS];
    int joint_count;
    /// A force or torque is asked of it, or it yields to one (see PoiseYield); else all that
    /// follows is 0. Forces are those of the last update, world, N and N m.
    bool presses;
    PoiseVec3 force; ///< asked
    PoiseVec3 torque;
    /// It stands still along the force, below 1 cm/s, and its joints press with a tenth of it or
    /// more: something holds it. True too for an instant before it begins to move.
    bool touches;
    /// What its joints gave at the point in the dWorldStep before the last update: the force and
    /// torque in the point's directions that their torques, less those that hold the links up, come
    /// nearest to. At rest that is what the world feels there; in motion the links' inertia is in
    /// it.
    PoiseVec3 force_measured;
    PoiseVec3 torque_measured;
} PoisePointReading;

/// Reads one point. Computed when it is asked for: an update does not pay for it. Errors:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE.
POISE_API PoiseStatus poise_rig_read_point(const PoiseRig* rig, PoisePointId point,
                                           PoisePointReading* reading);

/// The cause in a word or two: "none", "idle", "moving", "limit", "torque limit", "outweighed",
/// "singular", "stuck", "searches another posture", "takes another posture", "unreachable", "held
/// on the way to another posture", "springs", "dry friction", "friction", "load"; "?" for others.
POISE_API const char* poise_point_why_name(PoisePointWhy why);

/// Names joints: the name of a node, or NULL.
typedef struct PoiseNodeNames {
    const char* (*name_of)(void* user, PoiseNodeId node);
    void* user;
} PoiseNodeNames;

/// The cause as a sentence with names, "held by shoulder: limit" say, in `text`, which is returned:
/// at most `capacity` bytes with the final 0. A joint without a name, and all of them where
/// `names` or its `name_of` is NULL, is "joint 3" by its handle. "" where reading, text or room is
/// missing.
POISE_API const char* poise_point_why_text(const PoisePointReading* reading,
                                           const PoiseNodeNames* names, char* text,
                                           size_t capacity);

/// What may be wrong with a joint's springs, as bits of PoiseSpringAdvice.verdict.
typedef enum PoiseSpringVerdict {
    /// It would swing faster than the step can follow: what is felt is a damper of p dt, more than
    /// its own.
    POISE_SPRING_TOO_STIFF = 1,
    /// It takes seconds to come.
    POISE_SPRING_TOO_SOFT = 2,
    /// A damping ratio below 0.2: it rings.
    POISE_SPRING_RINGS = 4,
    /// One above 5, and d / p above half a second: it crawls.
    POISE_SPRING_CRAWLS = 8
} PoiseSpringVerdict;

/// What poise_rig_advise finds of a joint's springs.
typedef struct PoiseSpringAdvice {
    /// Bits of PoiseSpringVerdict; 0: fine, or a joint without a spring.
    unsigned verdict;
    /// Of all links from the node on, as one body about the joint, kg m^2 (slider, translation:
    /// kg); of several axes: about the worst, and about the easiest.
    double inertia;
    double least_inertia;
    /// Both springs as one; sqrt(p / inertia), 1/s; d / (2 sqrt(p inertia)).
    PoiseSpring spring;
    double omega;
    double damping_ratio;
    /// What would suit, critically damped; where the verdict is 0, what is.
    PoiseSpring proposed;
} PoiseSpringAdvice;

/// Whether the node's springs suit the inertia that they see, with steps of `dt` (s, > 0), the
/// bodies being where they are. Springs hold at any gains; this is about what they are for. The
/// first update, and the first after `dt` or the number of bound joints changed, warns through the
/// log where they do not. Errors: POISE_ERROR_GONE, POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_rig_advise(const PoiseRig* rig, PoiseNodeId node, double dt,
                                       PoiseSpringAdvice* advice);
/// The first of its bits in words, "too stiff" say; "fine" for 0.
POISE_API const char* poise_spring_verdict_name(unsigned verdict);

#ifdef __cplusplus
}
#endif

#endif
