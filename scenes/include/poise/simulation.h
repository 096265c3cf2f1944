// SPDX-License-Identifier: MIT
// A scene that runs: its ODE world, its tree and its rig, stepped together. What the `poise`
// command and the viewer share; neither of them knows the other.
#ifndef POISE_SIMULATION_H
#define POISE_SIMULATION_H

#include "poise/rig.h"
#include "poise/scene.h"
#include "poise/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scene that runs; its parts are its own.
typedef struct PoiseSimulation PoiseSimulation;

/// Builds the scene's world. Errors go to `diagnostics` with the place in the file; NULL then.
POISE_API POISE_NODISCARD PoiseSimulation* poise_simulation_create(const PoiseScene* scene,
                                                                   PoiseDiagnostics* diagnostics);
/// Ends it; the scene must have outlived it. NULL is allowed.
POISE_API void poise_simulation_destroy(PoiseSimulation* simulation);

/// One step of the scene's length: goals, IK, springs, dWorldStep. A negative status when the
/// simulation blew up: a body is not finite any more, or faster than anything can be; and
/// POISE_ERROR_OUT_OF_MEMORY when memory was too short for the step, which is not counted then.
/// From then on each step is refused; poise_simulation_trouble says what happened.
POISE_API PoiseStatus poise_simulation_step(PoiseSimulation* simulation);
/// Which joint or body the simulation blew up at, and when, or that memory was short; "" while
/// neither.
POISE_API const char* poise_simulation_trouble(const PoiseSimulation* simulation);
/// Says that the step under way cannot be ended, for ODE's own handlers, after which ODE ends the
/// process: what poise_simulation_trouble tells is then that it blew up, and where.
POISE_API void poise_simulation_give_up(PoiseSimulation* simulation);

/// The scene that it runs; NULL for NULL.
POISE_API const PoiseScene* poise_simulation_scene(const PoiseSimulation* simulation);
/// Its world, for reading; NULL for NULL.
POISE_API PoiseWorld* poise_simulation_world(const PoiseSimulation* simulation);

/// The scene's time, s: the steps made times the step's length; 0 for NULL.
POISE_API double poise_simulation_time(const PoiseSimulation* simulation);
/// Steps made so far, one that blew up included; 0 for NULL.
POISE_API long poise_simulation_step_count(const PoiseSimulation* simulation);
/// The step's length, s; 0 for NULL.
POISE_API double poise_simulation_step_length(const PoiseSimulation* simulation);
/// Its rig, with the springs of all driven joints; NULL for NULL.
POISE_API PoiseRig* poise_simulation_rig(const PoiseSimulation* simulation);
/// Its tree, with a node for each driven joint and the control points; NULL for NULL.
POISE_API PoiseTree* poise_simulation_tree(const PoiseSimulation* simulation);
/// poise_state_hash of all bodies that move, in the scene's order; 0 for NULL. Two runs are the
/// same exactly when it is.
POISE_API uint64_t poise_simulation_state_hash(const PoiseSimulation* simulation);

/// One thing to draw.
typedef struct PoiseShapeView {
    PoiseShapeKind kind;
    PoiseVec3 size;
    PoisePose pose_world;
    /// The body's name; valid as long as the simulation.
    const char* body;
    /// Index of the body, or -1 where it is fixed to the world.
    int body_index;
    bool fixed;
} PoiseShapeView;

/// How many shapes there are to draw, of all bodies.
POISE_API int poise_simulation_shape_count(const PoiseSimulation* simulation);
/// The shape at `index`, where it is now; past the end one of kind 0 and body -1.
POISE_API PoiseShapeView poise_simulation_shape(const PoiseSimulation* simulation, int index);
/// Whether there is a ground plane, z up in the world, and its height, m; `height` (one number,
/// NULL: not wanted) is left alone where there is none.
POISE_API bool poise_simulation_ground(const PoiseSimulation* simulation, double* height);

/// A control point of the scene.
typedef struct PoisePointView {
    const char* name;
    /// The tree's; and that of its axis where it points one somewhere, else null. A point that does
    /// nothing else has the same in both.
    PoisePointId point;
    PoisePointId aim;
    PoisePose pose_world;
    /// A point that aims: turned by the shortest way to where its axis should point.
    PoisePose goal_world;
    bool has_position;
    bool has_orientation;
    bool enabled;
    /// Its place, or its turn, is in the caller's hands: see poise_simulation_hold_goal.
    bool held;
    bool turn_held;
    /// It can be turned by hand: see poise_simulation_hold_turn.
    bool turns;
    /// Not of the scene: see poise_simulation_add_point. Its index may be given again once it is
    /// removed; until then a removed one has the name "" and is not enabled.
    bool added;
    bool removed;
    /// The body it is on, and its frame there.
    int body;
    PoisePose in_body;
    /// What is true of it now (poise_rig_read_point). Of a point with an axis of its own the angles
    /// are those of the axis, and so is the cause where the place is at its goal.
    PoisePointReading reading;
    /// How far it is behind its goal along the goal's own motion, m; 0 where that stands still.
    double lag;
    /// A force is asked of it now; which, and what it is: what its body's contacts gave the world
    /// in the last step, or, where nothing touches it, what the springs gave. N.
    bool presses;
    PoiseVec3 force;
    PoiseVec3 force_measured;
} PoisePointView;

/// The names of the joints, for poise_point_why_text.
POISE_API PoiseNodeNames poise_simulation_node_names(const PoiseSimulation* simulation);
/// How many control points there are: the scene's, then those added, removed ones included.
POISE_API int poise_simulation_point_count(const PoiseSimulation* simulation);
/// The control point at `index`, as it is now; past the end one with the name "", all else 0.
POISE_API PoisePointView poise_simulation_point(const PoiseSimulation* simulation, int index);
/// A joint of the scene, as of the last step.
typedef struct PoiseJointView {
    const char* name;
    PoiseNodeKind kind;
    /// Null for a joint that closes a loop: it is measured, but not driven.
    PoiseNodeId node;
    /// As coordinates, whatever the joint's kind (poise_node_posture): measured, and where the
    /// springs together pull it. Of a base that floats the place is that of the last step's
    /// beginning; a joint that closes a loop is pulled to where it is.
    double q[POISE_MAX_NQ];
    double q_target[POISE_MAX_NQ];
    /// What the springs gave, N m (slider: N): one number in x, a universal two, a ball three
    /// about the world axes.
    PoiseVec3 torque;
} PoiseJointView;

/// Coordinates of a joint as the figures show them: hinge rad and slider m in x; a universal's two
/// angles in x and y, rad; what turns about any axis, a ball or a base that floats, as a rotation
/// vector in its joint frame, rad.
static inline PoiseVec3 poise_joint_vector(PoiseNodeKind kind, const double q[POISE_MAX_NQ]) {
    const double* turn = q + (poise_kind_floats(kind) ? 3 : 0);
    return poise_kind_turns(kind) || poise_kind_floats(kind)
               ? poise_quat_log(poise_quat(turn[0], turn[1], turn[2], turn[3]))
               : poise_vec3(q[0], poise_kind_axes(kind) == 2 ? q[1] : 0.0, 0.0);
}

/// How many joints the scene has; they stand in its order.
POISE_API int poise_simulation_joint_count(const PoiseSimulation* simulation);
/// The joint at `index`, as of the last step; past the end one with the name "", all else 0.
POISE_API PoiseJointView poise_simulation_joint(const PoiseSimulation* simulation, int index);
/// The node alone; null past the end, for -1, and for a joint that closes a loop.
POISE_API PoiseNodeId poise_simulation_joint_node(const PoiseSimulation* simulation, int index);

/// What the steps cost so far.
typedef struct PoiseSimulationCost {
    /// Mean time of a step after the first second (of all steps before), us.
    double ik_us;
    double ode_us;
    /// Requests for memory by IK, springs and world after the first step.
    long allocations;
} PoiseSimulationCost;

/// What IK and physics have cost so far; 0 before the first step and for NULL.
POISE_API PoiseSimulationCost poise_simulation_cost(const PoiseSimulation* simulation);

/// Takes the goal's place out of the scene's hands and into the caller's (a drag): `place`, world,
/// m; it stays there until poise_simulation_release_goal. POISE_ERROR_INVALID_ARGUMENT, and nothing
/// changed: NULL, no such point, a number that is not finite; POISE_ERROR_WRONG_KIND: a point
/// without a place for its goal.
POISE_API PoiseStatus poise_simulation_hold_goal(PoiseSimulation* simulation, int index,
                                                 PoiseVec3 place);
/// The same for the goal's rotation, world, of any length but 0. Errors as
/// poise_simulation_hold_goal.
POISE_API PoiseStatus poise_simulation_hold_turn(PoiseSimulation* simulation, int index,
                                                 PoiseQuat turn);
/// Gives place and rotation back to the scene; an added point's goal stays where it is.
/// POISE_ERROR_INVALID_ARGUMENT for NULL and where there is no such point.
POISE_API PoiseStatus poise_simulation_release_goal(PoiseSimulation* simulation, int index);

// -------------------------------------------------------------------------------------- bodies

/// A body of the scene: its name, whether it is fixed to the world, and where it is now.
typedef struct PoiseBodyView {
    const char* name;
    bool fixed;
    /// The joint that carries it, -1 for none.
    int joint;
    /// kg; 0 where it is fixed.
    double mass;
    /// Its frame, and its centre of mass.
    PoisePose pose_world;
    PoiseVec3 com_world;
    /// What the contacts of the last step gave it, N.
    PoiseVec3 contact_force;
} PoiseBodyView;

/// How many bodies the scene has; they stand in its order.
POISE_API int poise_simulation_body_count(const PoiseSimulation* simulation);
/// The body at `index`, as it is now; past the end one with the name "" and joint -1, all else 0.
POISE_API PoiseBodyView poise_simulation_body(const PoiseSimulation* simulation, int index);

/// Kinetic energy of all bodies, and their potential energy in the world's gravity counted from the
/// origin, J. Either pointer may be NULL.
POISE_API void poise_simulation_energy(const PoiseSimulation* simulation, double* kinetic,
                                       double* potential);

// -------------------------------------------------------------------------------------- springs

/// A joint's springs as they are now.
typedef struct PoiseJointSprings {
    PoiseSpring original;
    PoiseSpring ik;
    /// Infinity: none.
    double max_torque;
    /// p_new, d_new of the last step.
    PoiseSpring blended;
    /// As coordinates, whatever the joint's kind (poise_node_posture): where it was in the last
    /// step, theta_orig and theta_ik. How many there are; 0 where there is nothing to read.
    double q[POISE_MAX_NQ];
    double q_natural[POISE_MAX_NQ];
    double q_ik[POISE_MAX_NQ];
    int count;
} PoiseJointSprings;

/// The springs of the joint at `index`; all zero for a joint that closes a loop, and past the end.
POISE_API PoiseJointSprings poise_simulation_joint_springs(const PoiseSimulation* simulation,
                                                           int index);
/// The joint's frame now, world, m: fixed to its parent, at its anchor, z along its axis where it
/// has one; the identity past the end.
POISE_API PoisePose poise_simulation_joint_frame(const PoiseSimulation* simulation, int index);

/// What the last step's update said.
POISE_API const PoiseRigReport* poise_simulation_report(const PoiseSimulation* simulation);

// --------------------------------------------------------------------------------------- hands

/// Adds a control point at `place` (world, m) on a body that a driven joint carries, registered
/// with every joint between it and the base, its goal where it is now and held there. Returns its
/// index, or a negative PoiseStatus: POISE_ERROR_CANNOT_MOVE where no joint carries the body,
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_OUT_OF_MEMORY.
POISE_API int poise_simulation_add_point(PoiseSimulation* simulation, int body, PoiseVec3 place);
/// Removes an added control point. POISE_ERROR_WRONG_KIND for one of the scene's own,
/// POISE_ERROR_INVALID_ARGUMENT where there is none.
POISE_API PoiseStatus poise_simulation_remove_point(PoiseSimulation* simulation, int index);

/// Pulls a body with a spring from `in_body` (its frame, m) to `to` (world, m), at each step until
/// let go; one spring at a time. How stiff follows from the mass that hangs together with the body:
/// the spring alone would swing it 1.2 times a second, half damped. POISE_ERROR_INVALID_ARGUMENT
/// for NULL, no such body or a number that is not finite; POISE_ERROR_CANNOT_MOVE for a body fixed
/// to the world. Nothing is changed then.
POISE_API PoiseStatus poise_simulation_pull(PoiseSimulation* simulation, int body,
                                            PoiseVec3 in_body, PoiseVec3 to);
/// Ends the pull; where nothing is pulled nothing happens. POISE_ERROR_INVALID_ARGUMENT for NULL.
POISE_API PoiseStatus poise_simulation_let_go(PoiseSimulation* simulation);
/// Whether something is pulled; from where to where, world, m, and with what force in the last
/// step, world, N. Nothing is written where nothing is pulled; none of the three may be NULL.
POISE_API bool poise_simulation_pulled(const PoiseSimulation* simulation, PoiseVec3* from,
                                       PoiseVec3* to, PoiseVec3* force);

/// Sets a driven joint's coordinates, as poise_node_posture writes them (hinge rad, slider m, a
/// ball's quaternion), and puts all bodies where the joints then have them, at rest. What nothing
/// carries stays. POISE_ERROR_INVALID_ARGUMENT, and nothing changed, where the joint is not driven,
/// `count` is not how many it has, or one is not finite.
POISE_API PoiseStatus poise_simulation_pose_joint(PoiseSimulation* simulation, int joint,
                                                  const double* q, int count);
/// Puts a body that no driven joint carries at `pose`, world, m, at rest; what it carries goes with
/// it. POISE_ERROR_CANNOT_MOVE where a joint carries it or it is fixed.
POISE_API PoiseStatus poise_simulation_place_body(PoiseSimulation* simulation, int body,
                                                  PoisePose pose);

// ----------------------------------------------------------------------------------- snapshots

/// Bytes that a snapshot of the whole simulation takes now; 0 where none can be made.
POISE_API size_t poise_simulation_snapshot_size(PoiseSimulation* simulation);
/// Writes one into `memory` of `size` bytes, between two steps: world, rig, tree, goals in the
/// caller's hands, added points, springs, parameters, the pull. POISE_ERROR_INVALID_ARGUMENT for
/// too little memory; else as poise_snapshot_save.
POISE_API PoiseStatus poise_simulation_snapshot_save(PoiseSimulation* simulation, void* memory,
                                                     size_t size);
/// Brings the same simulation back to it, any number of times; what follows is the same to the last
/// bit. Contacts of the last step are forgotten. Errors as poise_snapshot_restore.
POISE_API PoiseStatus poise_simulation_snapshot_restore(PoiseSimulation* simulation,
                                                        const void* memory, size_t size);

// ---------------------------------------------------------------------------------- parameters

/// Which values a parameter takes.
typedef enum PoiseParameterKind {
    POISE_PARAMETER_NUMBER = 1,
    POISE_PARAMETER_INTEGER = 2,
    POISE_PARAMETER_SWITCH = 3, ///< 0 or 1
    POISE_PARAMETER_CHOICE = 4  ///< index into `choices`
} PoiseParameterKind;

/// A number of the scene that may change while it runs.
typedef struct PoiseParameter {
    /// As `--set` has it: "ik.sweeps", "joints.elbow.ik.spring"; a vector's with .x, .y, .z.
    char key[160];
    char unit[24];
    const char* help;
    PoiseParameterKind kind;
    double value;
    /// What is accepted, `lower` itself unless `above`, and what a slider would show; infinity
    /// where there is no end.
    double lower;
    double upper;
    bool above;
    double slider_lower;
    double slider_upper;
    bool logarithmic;
    const char* const* choices;
    int choice_count;
} PoiseParameter;

/// The table of parameters: those of the world and of ik, then of each driven joint, then of each
/// point. Their order stays, their number grows when a point is added.
POISE_API int poise_simulation_parameter_count(const PoiseSimulation* simulation);
/// False past the end. The key is "" where the owner has no such value (a ball's natural angle).
POISE_API bool poise_simulation_parameter(const PoiseSimulation* simulation, int index,
                                          PoiseParameter* parameter);
/// -1 when there is none of that key.
POISE_API int poise_simulation_find_parameter(const PoiseSimulation* simulation, const char* key);
/// Sets the parameter at `index`, in its unit (PoiseParameter), from the next step on.
/// POISE_ERROR_INVALID_ARGUMENT, and nothing changed, for a value that is not accepted.
POISE_API PoiseStatus poise_simulation_set_parameter(PoiseSimulation* simulation, int index,
                                                     double value);

#ifdef __cplusplus
}
#endif

#endif
