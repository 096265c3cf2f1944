// SPDX-License-Identifier: MIT
// A scene that runs: its ODE world, its tree and its rig, stepped together. The `poise` command and
// the viewer share this header; they are independent of each other.
#ifndef POISE_SIMULATION_H
#define POISE_SIMULATION_H

#include "poise/rig.h"
#include "poise/scene.h"
#include "poise/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A scene that runs; the simulation owns its world, tree and rig.
typedef struct PoiseSimulation PoiseSimulation;

/// Builds the scene's world. Returns NULL after an error, which `diagnostics` has with its place in
/// the file.
POISE_API POISE_NODISCARD PoiseSimulation* poise_simulation_create(const PoiseScene* scene,
                                                                   PoiseDiagnostics* diagnostics);
/// Destroys the simulation, before its scene is destroyed. NULL is allowed.
POISE_API void poise_simulation_destroy(PoiseSimulation* simulation);

/// Makes one step of the scene's length: goals, IK, springs, dWorldStep. Returns a negative status
/// if the simulation blew up: a body is not finite or exceeds any possible speed.
/// POISE_ERROR_OUT_OF_MEMORY: memory was too short for the step, which is not counted. After an
/// error each further step is refused; poise_simulation_trouble explains the error.
POISE_API PoiseStatus poise_simulation_step(PoiseSimulation* simulation);
/// Returns a sentence: the joint or body that blew up, and the time, or that memory was short. ""
/// without an error.
POISE_API const char* poise_simulation_trouble(const PoiseSimulation* simulation);
/// Records that ODE cannot finish the current step. Call it from ODE's error handler, after which
/// ODE ends the process. poise_simulation_trouble then says that the simulation blew up, and where.
POISE_API void poise_simulation_give_up(PoiseSimulation* simulation);

/// Returns the scene that the simulation runs; NULL for NULL.
POISE_API const PoiseScene* poise_simulation_scene(const PoiseSimulation* simulation);
/// Returns the simulation's world, for reading only; NULL for NULL.
POISE_API PoiseWorld* poise_simulation_world(const PoiseSimulation* simulation);

/// Returns the scene's time, s: the number of steps times the step's length; 0 for NULL.
POISE_API double poise_simulation_time(const PoiseSimulation* simulation);
/// Returns the number of steps, including a step that blew up; 0 for NULL.
POISE_API long poise_simulation_step_count(const PoiseSimulation* simulation);
/// Returns the step's length, s; 0 for NULL.
POISE_API double poise_simulation_step_length(const PoiseSimulation* simulation);
/// Returns the simulation's rig, with the springs of all driven joints; NULL for NULL.
POISE_API PoiseRig* poise_simulation_rig(const PoiseSimulation* simulation);
/// Returns the simulation's tree, with a node for each driven joint and the control points; NULL
/// for NULL.
POISE_API PoiseTree* poise_simulation_tree(const PoiseSimulation* simulation);
/// Returns poise_state_hash of all bodies that move, in the scene's order; 0 for NULL. Two runs are
/// identical if their hashes are.
POISE_API uint64_t poise_simulation_state_hash(const PoiseSimulation* simulation);

/// A shape to draw.
typedef struct PoiseShapeView {
    PoiseShapeKind kind;
    PoiseVec3 size;
    PoisePose pose_world;
    /// The body's name; valid as long as the simulation.
    const char* body;
    /// Index of the body; -1 if fixed to the world.
    int body_index;
    bool fixed;
} PoiseShapeView;

/// Returns the number of shapes of all bodies; 0 for NULL.
POISE_API int poise_simulation_shape_count(const PoiseSimulation* simulation);
/// Returns the shape at `index` in its present pose; past the end a shape of kind 0 with body index
/// -1.
POISE_API PoiseShapeView poise_simulation_shape(const PoiseSimulation* simulation, int index);
/// True if there is a ground plane (world, z up). `height` (one number, NULL: not wanted) gets the
/// plane's height, m; it is unchanged without a ground.
POISE_API bool poise_simulation_ground(const PoiseSimulation* simulation, double* height);

/// The present state of a control point.
typedef struct PoisePointView {
    const char* name;
    /// The point in the tree. `aim`: the tree's direction or look-at point that aims the axis; null
    /// if nothing is aimed. If the control point has no goal besides the aim, `point` equals `aim`.
    PoisePointId point;
    PoisePointId aim;
    PoisePose pose_world;
    /// Present goal. The goal of a point that aims is the point's rotation after the smallest
    /// rotation that aims its axis.
    PoisePose goal_world;
    bool has_position;
    bool has_orientation;
    bool enabled;
    /// True if the caller holds the goal's place, or its rotation: see poise_simulation_hold_goal.
    bool held;
    bool turn_held;
    /// True if the caller changed the held goal since the last step.
    bool moved;
    /// True if the caller can hold the rotation: see poise_simulation_hold_turn.
    bool turns;
    /// `added`: the point comes from poise_simulation_add_point. `removed`: the point was removed;
    /// its name is "" and it is disabled, until a new point gets its index.
    bool added;
    bool removed;
    /// Index of the body that carries the point, and the point's frame in the body.
    int body;
    PoisePose in_body;
    /// The point's reading (poise_rig_read_point). If the point has an axis goal, the angles are
    /// the angles to this axis. Once the position is at its goal, `why` is the cause of this angle.
    PoisePointReading reading;
    /// Distance to the goal along the goal's velocity, m; 0 if the goal is at rest.
    double lag;
    /// `presses`: the point should exert a force now. `force`: this force, N. `force_measured`: the
    /// contact force of its body on the world in the last step, N. If the body has no contact, it
    /// is the force of the springs.
    bool presses;
    PoiseVec3 force;
    PoiseVec3 force_measured;
} PoisePointView;

/// Returns the names of the joints, for poise_point_why_text.
POISE_API PoiseNodeNames poise_simulation_node_names(const PoiseSimulation* simulation);
/// Returns the number of control points: the scene's, then the added points, including removed
/// points.
POISE_API int poise_simulation_point_count(const PoiseSimulation* simulation);
/// Returns the control point at `index` in its present state; past the end a point with the name ""
/// and all else 0.
POISE_API PoisePointView poise_simulation_point(const PoiseSimulation* simulation, int index);
/// A joint of the scene after the last step.
typedef struct PoiseJointView {
    const char* name;
    PoiseNodeKind kind;
    /// Node of the joint; null for a joint that closes a loop: such a joint is measured, but not
    /// driven.
    PoiseNodeId node;
    /// Coordinates for the joint's kind (poise_node_posture): measured, and the common target of
    /// its springs. The place of a floating base is from the beginning of the last step. A joint
    /// that closes a loop has its measured coordinates as target.
    double q[POISE_MAX_NQ];
    double q_target[POISE_MAX_NQ];
    /// Torque of the springs in the last step, N m (slider: N): x, or x and y for a universal
    /// joint, or a ball's vector in world axes.
    PoiseVec3 torque;
} PoiseJointView;

/// Returns the coordinates that figures show, of POISE_MAX_NQ numbers `q`. Hinge: x, rad; slider:
/// x, m; universal: x and y, rad. A ball or a floating base: the rotation vector in the joint's
/// frame, rad.
static inline PoiseVec3 poise_joint_vector(PoiseNodeKind kind, const double q[POISE_MAX_NQ]) {
    const double* turn = q + (poise_kind_floats(kind) ? 3 : 0);
    return poise_kind_turns(kind) || poise_kind_floats(kind)
               ? poise_quat_log(poise_quat(turn[0], turn[1], turn[2], turn[3]))
               : poise_vec3(q[0], poise_kind_axes(kind) == 2 ? q[1] : 0.0, 0.0);
}

/// Returns the number of joints; their indices have the scene's order.
POISE_API int poise_simulation_joint_count(const PoiseSimulation* simulation);
/// Returns the joint at `index` after the last step; past the end a joint with the name "" and all
/// else 0.
POISE_API PoiseJointView poise_simulation_joint(const PoiseSimulation* simulation, int index);
/// Returns the joint's node; null past the end, for -1, and for a joint that closes a loop.
POISE_API PoiseNodeId poise_simulation_joint_node(const PoiseSimulation* simulation, int index);

/// Computing time and memory of the steps.
typedef struct PoiseSimulationCost {
    /// Mean time of a step after the first second (before: of all steps), us: IK and springs,
    /// collision, and dWorldStep with its preparation.
    double ik_us;
    double collision_us;
    double ode_us;
    /// Number of requests for memory by IK, springs and world after the first step.
    long allocations;
} PoiseSimulationCost;

/// Returns the cost of IK and physics; 0 before the first step and for NULL.
POISE_API PoiseSimulationCost poise_simulation_cost(const PoiseSimulation* simulation);

/// Holds the goal at `place`, world, m, until poise_simulation_release_goal (a drag with the
/// mouse). Meanwhile the scene does not move this goal. POISE_ERROR_INVALID_ARGUMENT, and nothing
/// changed: NULL, no such point, a number that is not finite. POISE_ERROR_WRONG_KIND: the point has
/// no position goal.
POISE_API PoiseStatus poise_simulation_hold_goal(PoiseSimulation* simulation, int index,
                                                 PoiseVec3 place);
/// Holds the goal's rotation, world, of any length but 0, as poise_simulation_hold_goal holds its
/// place. Errors as poise_simulation_hold_goal.
POISE_API PoiseStatus poise_simulation_hold_turn(PoiseSimulation* simulation, int index,
                                                 PoiseQuat turn);
/// Ends the hold of the goal's place and rotation: the scene moves the goal again. An added point's
/// goal stays where it is.
/// POISE_ERROR_INVALID_ARGUMENT: NULL or no such point.
POISE_API PoiseStatus poise_simulation_release_goal(PoiseSimulation* simulation, int index);

// -------------------------------------------------------------------------------------- bodies

/// A body of the scene in its present state.
typedef struct PoiseBodyView {
    const char* name;
    bool fixed;
    /// Index of the joint that carries the body; -1: none.
    int joint;
    /// Mass, kg; 0 if fixed.
    double mass;
    /// The body's frame, m, and its centre of mass, m.
    PoisePose pose_world;
    PoiseVec3 com_world;
    /// Sum of the contact forces on the body in the last step, N.
    PoiseVec3 contact_force;
} PoiseBodyView;

/// Returns the number of bodies; their indices have the scene's order.
POISE_API int poise_simulation_body_count(const PoiseSimulation* simulation);
/// Returns the body at `index` in its present state; past the end a body with the name "" and joint
/// -1, all else 0.
POISE_API PoiseBodyView poise_simulation_body(const PoiseSimulation* simulation, int index);

/// Writes the kinetic energy of all bodies and their potential energy in the world's gravity, J.
/// The potential energy of a body at the origin is 0. Either pointer may be NULL.
POISE_API void poise_simulation_energy(const PoiseSimulation* simulation, double* kinetic,
                                       double* potential);

// -------------------------------------------------------------------------------------- springs

/// The present springs of a joint.
typedef struct PoiseJointSprings {
    PoiseSpring original;
    PoiseSpring ik;
    /// Torque limit of the joint, N m (slider: N); infinity: none.
    double max_torque;
    /// Stiffness and damping that the last step blended from both springs (p_new, d_new).
    PoiseSpring blended;
    /// Coordinates for the joint's kind (poise_node_posture): measured in the last step, theta_orig
    /// and theta_ik. `count` numbers each; 0 if there is no reading.
    double q[POISE_MAX_NQ];
    double q_natural[POISE_MAX_NQ];
    double q_ik[POISE_MAX_NQ];
    int count;
} PoiseJointSprings;

/// Returns the springs of the joint at `index`; all zero for a joint that closes a loop, and past
/// the end.
POISE_API PoiseJointSprings poise_simulation_joint_springs(const PoiseSimulation* simulation,
                                                           int index);
/// Returns the joint's present frame, world, m: fixed to the parent, at the anchor, z along the
/// joint's axis if the joint has one. The identity past the end.
POISE_API PoisePose poise_simulation_joint_frame(const PoiseSimulation* simulation, int index);

/// Returns the report of the last step's poise_rig_update; NULL for NULL.
POISE_API const PoiseRigReport* poise_simulation_report(const PoiseSimulation* simulation);

// --------------------------------------------------------------------------------------- hands

/// Adds a control point at `place` (world, m) on a body that a driven joint carries. Registers the
/// point with every joint between the body and the base, and holds the goal at `place`. Returns the
/// point's index, or a negative PoiseStatus: POISE_ERROR_CANNOT_MOVE if no joint carries the body,
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_OUT_OF_MEMORY.
POISE_API int poise_simulation_add_point(PoiseSimulation* simulation, int body, PoiseVec3 place);
/// Removes an added control point. POISE_ERROR_WRONG_KIND: the point is the scene's.
/// POISE_ERROR_INVALID_ARGUMENT: no such point.
POISE_API PoiseStatus poise_simulation_remove_point(PoiseSimulation* simulation, int index);

/// Pulls a body with a spring from `in_body` (its frame, m) to `to` (world, m) in each step, until
/// poise_simulation_let_go; a new pull replaces the last. The stiffness follows from the total mass
/// of the bodies that joints connect to this body: alone on the spring, this mass has a natural
/// frequency of 1.2 Hz and damping ratio 0.5. POISE_ERROR_INVALID_ARGUMENT: NULL, no such body or a
/// number that is not finite. POISE_ERROR_CANNOT_MOVE: the body is fixed to the world. An error
/// changes nothing.
POISE_API PoiseStatus poise_simulation_pull(PoiseSimulation* simulation, int body,
                                            PoiseVec3 in_body, PoiseVec3 to);
/// Ends the pull, if any. POISE_ERROR_INVALID_ARGUMENT for NULL.
POISE_API PoiseStatus poise_simulation_let_go(PoiseSimulation* simulation);
/// True if a body is pulled. Writes both ends of the spring (world, m) and its force on the body in
/// the last step (world, N). Nothing is written without a pull; none of the three pointers may be
/// NULL.
POISE_API bool poise_simulation_pulled(const PoiseSimulation* simulation, PoiseVec3* from,
                                       PoiseVec3* to, PoiseVec3* force);

/// Sets a driven joint's coordinates, as poise_node_posture writes them (hinge rad, slider m, a
/// ball's quaternion). Then places all bodies by the joints, at rest; a body that no joint carries
/// stays. POISE_ERROR_INVALID_ARGUMENT, and nothing changed: the joint is not driven, `count` is
/// not its count of numbers, or a number is not finite.
POISE_API PoiseStatus poise_simulation_pose_joint(PoiseSimulation* simulation, int joint,
                                                  const double* q, int count);
/// Sets a driven joint's natural posture, from the next step on: coordinates as poise_node_posture
/// writes them; a ball's quaternion may have any length but 0. The parameter `natural` sets the
/// same number of a hinge or slider. POISE_ERROR_INVALID_ARGUMENT, and nothing changed: the joint
/// is not driven, `count` is not its count of numbers, or a number is not accepted.
/// POISE_ERROR_WRONG_KIND: a floating base, whose natural posture is that of the scene.
POISE_API PoiseStatus poise_simulation_set_natural(PoiseSimulation* simulation, int joint,
                                                   const double* q, int count);
/// Places a body that no driven joint carries, together with the bodies that it carries, at `pose`,
/// at rest (world, m). POISE_ERROR_INVALID_ARGUMENT: no such body or a number that is not finite.
/// POISE_ERROR_CANNOT_MOVE: a joint carries the body, or the body is fixed.
POISE_API PoiseStatus poise_simulation_place_body(PoiseSimulation* simulation, int body,
                                                  PoisePose pose);

// ----------------------------------------------------------------------------------- snapshots

/// Returns the size of a snapshot of the whole simulation now, bytes; 0 if a snapshot is
/// impossible.
POISE_API size_t poise_simulation_snapshot_size(PoiseSimulation* simulation);
/// Writes a snapshot between two steps into `memory` of `size` bytes. It holds world, rig and tree;
/// held goals and added points; springs and parameters; the pull. POISE_ERROR_INVALID_ARGUMENT: too
/// little memory. Other errors as poise_snapshot_save.
POISE_API PoiseStatus poise_simulation_snapshot_save(PoiseSimulation* simulation, void* memory,
                                                     size_t size);
/// Restores the same simulation from a snapshot, any number of times; the steps that follow repeat
/// exactly, bit by bit. Contacts of the last step are lost. Errors as poise_snapshot_restore.
POISE_API PoiseStatus poise_simulation_snapshot_restore(PoiseSimulation* simulation,
                                                        const void* memory, size_t size);

// ---------------------------------------------------------------------------------- parameters

/// Kind of a parameter's value.
typedef enum PoiseParameterKind {
    POISE_PARAMETER_NUMBER = 1,
    POISE_PARAMETER_INTEGER = 2,
    POISE_PARAMETER_SWITCH = 3, ///< a switch, 0 or 1
    POISE_PARAMETER_CHOICE = 4  ///< an index into `choices`
} PoiseParameterKind;

/// A number of the scene that may change during the run.
typedef struct PoiseParameter {
    /// The parameter's key for `--set`: "ik.sweeps", "joints.elbow.ik.spring"; a vector's keys end
    /// with .x, .y, .z.
    char key[160];
    char unit[24];
    const char* help;
    PoiseParameterKind kind;
    double value;
    /// Accepted range, and the range of a slider on the screen; infinity: no bound. If `above`,
    /// `lower` itself is not accepted.
    double lower;
    double upper;
    bool above;
    double slider_lower;
    double slider_upper;
    bool logarithmic;
    const char* const* choices;
    int choice_count;
} PoiseParameter;

/// Returns the number of parameters: those of the world and of ik, then of each driven joint, then
/// of each point. Their order is fixed; added points add parameters at the end.
POISE_API int poise_simulation_parameter_count(const PoiseSimulation* simulation);
/// Reads the parameter at `index`; false past the end. The key is "" if the owner has no such value
/// (a ball's natural angle).
POISE_API bool poise_simulation_parameter(const PoiseSimulation* simulation, int index,
                                          PoiseParameter* parameter);
/// Returns the index of the parameter with this key, -1 if missing.
POISE_API int poise_simulation_find_parameter(const PoiseSimulation* simulation, const char* key);
/// Sets the parameter at `index`, in its unit (PoiseParameter), from the next step on.
/// POISE_ERROR_INVALID_ARGUMENT, and nothing changed, for a value that is not accepted.
POISE_API PoiseStatus poise_simulation_set_parameter(PoiseSimulation* simulation, int index,
                                                     double value);

#ifdef __cplusplus
}
#endif

#endif
