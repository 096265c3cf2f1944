// SPDX-License-Identifier: MIT
// A scene as plain data: a YAML scene or a robot's file after its names were resolved and its
// numbers checked. SI units and radians, world frame. simulation.h runs it.
#ifndef POISE_SCENE_H
#define POISE_SCENE_H

#include "poise/diagnostics.h"
#include "poise/ik.h"
#include "poise/rig.h"
#include "poise/spring.h"
#include "poise/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------- files

/// Writes the folder of the scenes that Poise ships: the installed folder, else the folder in the
/// sources, else "". Returns `text`.
POISE_API const char* poise_scene_folder(char* text, size_t capacity);

/// Finds the file that a name means: the file itself, else a scene or robot of that name. The name
/// may lack its ending. A name without a slash is searched in the working folder, then in
/// poise_scene_folder and its `robots`. Returns `text`, or `name` if no file is found.
POISE_API const char* poise_scene_find_file(const char* name, char* text, size_t capacity);

// ---------------------------------------------------------------------------------------- names

/// A name in the file and the index that it has in the scene.
typedef struct PoiseRef {
    const char* name; ///< as written; NULL: not written
    PoiseMark mark;   ///< place of the name in the file
    int index;        ///< index in the scene; -1: the world, or none
} PoiseRef;

/// A list of names.
typedef struct PoiseRefs {
    PoiseRef* items;
    int count;
} PoiseRefs;

// --------------------------------------------------------------------------------------- bodies

/// Kind of a shape, which decides the meaning of its `size`, m.
typedef enum PoiseShapeKind {
    POISE_SHAPE_BOX = 1,      ///< size: the three full side lengths
    POISE_SHAPE_SPHERE = 2,   ///< size.x: the radius of the sphere
    POISE_SHAPE_CAPSULE = 3,  ///< along z; size.x: the radius, size.y: the length without the caps
    POISE_SHAPE_CYLINDER = 4, ///< along z; size.x: the radius, size.y: the length
    POISE_SHAPE_HULL =
        5 ///< size: sides of the box around `hull` along its axes, centred on the box
} PoiseShapeKind;

/// The convex hull of a mesh (`collision: hull` of a robot), or a height field, in the shape's
/// frame, m.
typedef struct PoiseSceneHull {
    const PoiseVec3* points;
    int point_count;
    /// Indices of each triangle's corners, counter-clockwise seen from outside.
    const int (*triangles)[3];
    int triangle_count;
    /// Rows and columns of a height field, 0 for a hull. The points form an even grid, row after
    /// row: x grows along a row, y from row to row, and z is the height of the surface.
    int rows;
    int columns;
} PoiseSceneHull;

/// A shape of a body: its kind, its measures, m (see PoiseShapeKind), and its frame in the body's.
typedef struct PoiseSceneShape {
    PoiseShapeKind kind;
    PoiseVec3 size;
    PoisePose in_body;
    /// Bits. Two shapes collide if one's category and the other's `collide` share a bit, as in ODE
    /// and MuJoCo (contype, conaffinity). Both 0: the shape is only drawn.
    uint32_t category;
    uint32_t collide;
    /// The hull of POISE_SHAPE_HULL, else NULL.
    const PoiseSceneHull* hull;
    /// Margin of a shape that encloses a mesh, m: the largest distance from its surface to the
    /// mesh's convex hull. 0: the shape was not fitted to a mesh.
    double margin;
} PoiseSceneShape;

/// A rigid body of the scene, or links of a robot that fixed joints weld together.
typedef struct PoiseSceneBody {
    const char* name;
    PoiseMark mark;
    /// Pose of the body's frame in the world while every joint is at 0. Links of a robot that are
    /// welded together have the frame of the first.
    PoisePose pose;
    /// True if the body is part of the world and does not move.
    bool fixed;
    /// True if gravity acts on the body.
    bool gravity;
    /// True if contacts act on the body.
    bool collides;
    /// Mass of the body, kg; > 0 unless fixed.
    double mass;
    /// Centre of mass in the body's frame, and the inertia about the centre of mass along the
    /// frame's axes. The inertia is xx, yy, zz, xy, xz, yz, kg m^2; positive definite unless fixed.
    PoiseVec3 com;
    double inertia[6];
    const PoiseSceneShape* shapes;
    int shape_count;
    /// Group of bodies that joints connect; bodies of a group do not collide with each other. -1:
    /// no joint connects the body.
    int group;
    /// Index of the joint that carries the body; -1: none.
    int joint;
} PoiseSceneBody;

/// The visual shape of a robot's link, see look.h.
typedef struct PoiseSceneLook PoiseSceneLook;

/// A named frame on a body: the frame of each body, and of each link of a robot.
typedef struct PoiseSceneFrame {
    const char* name;
    int body;
    PoisePose in_body;
} PoiseSceneFrame;

// --------------------------------------------------------------------------------------- joints

/// Returns the number of axes of a kind of joint whose coordinates are one number per axis (hinge,
/// slider, universal); 0 for a ball, a floating base, and an invalid kind.
static inline int poise_kind_axes(PoiseNodeKind kind) {
    const PoiseJointType* type = poise_joint_type(kind);
    return type && type->nq == type->nv ? type->nv : 0;
}

/// True if the kind moves along one axis only.
static inline bool poise_kind_slides(PoiseNodeKind kind) {
    return poise_kind_axes(kind) == 1 && poise_joint_type(kind)->motions[0] == POISE_PRISMATIC;
}

/// True if the kind turns about a point only.
static inline bool poise_kind_turns(PoiseNodeKind kind) {
    const PoiseJointType* type = poise_joint_type(kind);
    return type && type->motions[0] == POISE_SPHERICAL;
}

/// True if the kind moves and turns without bounds, as a floating base does.
static inline bool poise_kind_floats(PoiseNodeKind kind) {
    const PoiseJointType* type = poise_joint_type(kind);
    return type && type->nv == POISE_MAX_NV;
}

struct PoiseSceneTrack;

/// A joint of the scene: its name, the place of the name in the file, its kind, and its settings.
typedef struct PoiseSceneJoint {
    const char* name;
    PoiseMark mark;
    PoiseNodeKind kind;
    /// The bodies that the joint connects; parent -1: the world.
    PoiseRef parent;
    PoiseRef child;
    /// Place of the joint while every joint is at 0, world frame; `axis` has length 1 (hinge,
    /// slider).
    PoiseVec3 anchor;
    PoiseVec3 axis;
    /// Universal joint: the second axis, fixed to the child and perpendicular to `axis`.
    PoiseVec3 axis2;
    /// Ranges, rad or m. A ball has a cone about `axis` (0: the direction to the child's centre of
    /// mass): the largest angle from it, and the range of the rotation about it.
    PoiseLimits limits;
    /// Start coordinates, as poise_node_posture writes them. A ball's rotation is in world axes,
    /// relative to the pose with every joint at 0; four zeros mean the identity.
    double start[POISE_MAX_NQ];
    /// Springs, limits and natural posture (a ball's in world axes as `start`). An ik stiffness of
    /// 0 excludes the joint from IK. The simulation sets node, joint, body and cone_axis.
    PoiseBindDef bind;
    /// Recorded motion that the joint's natural posture follows; NULL: none.
    const struct PoiseSceneTrack* track;
    double bias;
    /// True if IK may move the joint; else IK keeps the joint's angle while the springs hold the
    /// joint.
    bool enabled;
    /// Inertia of a hinge's drive, kg m^2, which the child has about the axis.
    double armature;
    /// Stiffness of the joint's own spring in the robot's file, N m/rad or N/m: a part of
    /// bind.original, or if `tuned` of bind.ik.
    double file_stiffness;
    /// True if the joint's springs are computed from the bodies that it moves (`springs: auto` of a
    /// robot).
    bool tuned;
    /// Index of the joint that this joint mimics; -1: none. The angle of this joint is multiplier *
    /// (angle of the mimicked joint) + offset. IK moves both joints as one coordinate if both have
    /// IK springs and a control point moves them. Otherwise the natural posture of this joint
    /// follows the mimicked joint's angle.
    int mimics;
    double multiplier;
    double offset;
    /// True if the joint closes a loop and fixes its bodies to each other; `kind` then has no
    /// meaning. `weld` is the child's displacement that closes the loop, in world axes, while every
    /// joint is at 0 and the parent is at rest.
    bool welded;
    PoisePose weld;
    /// True if a robot's file, not the scene, defines this joint, which closes a loop.
    bool of_robot;
    /// Softness of a joint that closes a loop: softness * (1/m_parent + 1/m_child) is added to the
    /// mobility of each of its rows. A loop of hinges constrains some directions twice; the rows of
    /// light rods are then singular to the last bit. 0: the world's `cfm` alone.
    double softness;
    /// False if the joint closes a loop: the joint constrains its bodies, but has no node and no
    /// springs. A floating base (POISE_NODE_FREE) is driven, but ODE has no joint for it.
    bool driven;
} PoiseSceneJoint;

// ---------------------------------------------------------------------------------------- goals

/// How a goal moves (or a goal's rotation).
typedef enum PoiseGoalKind {
    POISE_GOAL_NONE = 0,
    POISE_GOAL_FIXED = 1,
    /// The goal passes places (or rotations) at given times.
    POISE_GOAL_PATH = 2,
    /// The goal moves along straight lines at one speed.
    POISE_GOAL_POLYLINE = 3,
    POISE_GOAL_CIRCLE = 4,
    /// An axis of the body points along a direction.
    POISE_GOAL_ALONG = 5,
    /// An axis of the body points toward another control point, or toward the goal of that point.
    POISE_GOAL_AT = 6,
    /// An axis of the body points toward a place.
    POISE_GOAL_AT_PLACE = 7
} PoiseGoalKind;

/// The motion of a goal from one place of its path to the next.
typedef enum PoiseBetween {
    POISE_BETWEEN_STRAIGHT = 0, ///< constant velocity between two places
    POISE_BETWEEN_HOLD = 1,     ///< stays, then jumps to the next place
    POISE_BETWEEN_SMOOTH = 2    ///< continuous velocity at the places
} PoiseBetween;

/// A place as a function of time: poise_position_goal_at.
typedef struct PoisePositionGoal {
    PoiseGoalKind kind;
    /// Places of a path or polyline; a fixed goal has one.
    const PoiseVec3* places;
    /// A path's times, rising, s; a polyline's arc length up to each place, m.
    const double* stations;
    int count;
    PoiseBetween between;
    /// Path: begins anew after a last leg back to the first place. Polyline: closed.
    bool repeat;
    /// Speed of the goal along a polyline, m/s.
    double speed;
    /// Joint of the recorded motion whose path the goal follows. `planted`: the goal stands still
    /// while that joint is low and slow.
    PoiseRef motion;
    bool planted;
    /// Circle: begins at centre + radius * start and turns right-handed about the normal.
    PoiseVec3 centre;
    PoiseVec3 normal;
    PoiseVec3 start;
    double radius;
    double period;
    /// Time at which the goal ends, s; infinity: never.
    double until;
} PoisePositionGoal;

/// A rotation as a function of time: poise_orientation_goal_at. Members as PoisePositionGoal.
typedef struct PoiseOrientationGoal {
    PoiseGoalKind kind;
    const PoiseQuat* rotations;
    const double* stations;
    int count;
    PoiseBetween between;
    bool repeat;
    double until;
    /// Joint of the scene's recorded motion whose rotation the goal follows, as a path.
    PoiseRef motion;
    /// The axis in the control point's frame, of length 1. ALONG: the direction `along`, of length
    /// 1. AT: the point `at`, or its goal if `at_goal`. AT_PLACE: `place`.
    PoiseVec3 axis;
    PoiseVec3 along;
    PoiseRef at;
    bool at_goal;
    PoiseVec3 place;
} PoiseOrientationGoal;

/// A joint's natural posture over time, from a recorded motion: the child's rotation relative to
/// the parent, in world axes, from the pose with every joint at 0; a floating base's place too.
typedef struct PoiseSceneTrack {
    PoiseOrientationGoal turn;
    PoisePositionGoal place;
} PoiseSceneTrack;

/// Returns the place at `time` (s, >= 0), m, in the goal's own frame. `velocity` (NULL: not wanted)
/// gets the velocity, m/s; 0 at a jump. A goal of kind NONE is at 0.
POISE_API PoiseVec3 poise_position_goal_at(const PoisePositionGoal* goal, double time,
                                           PoiseVec3* velocity);
/// Returns the rotation at `time` (s, >= 0), in the goal's own frame. `velocity` (NULL: not wanted)
/// gets the angular velocity, rad/s.
POISE_API PoiseQuat poise_orientation_goal_at(const PoiseOrientationGoal* goal, double time,
                                              PoiseVec3* velocity);

/// A control point as the scene defines it.
typedef struct PoiseScenePoint {
    const char* name;
    PoiseMark mark;
    PoiseRef body;
    /// Pose of the point's frame in the body's frame.
    PoisePose in_body;
    /// True if the point is the centre of mass of the body and of the bodies that it carries.
    bool com;
    /// Body whose frame the goals are given in (-1: the world), and the frame's pose in that body.
    PoiseRef frame;
    PoisePose frame_in_body;
    /// Rows, speeds, weight and other settings of the point. The simulation sets kind, link,
    /// in_link, frame, goal, axis and direction. `yield` says how the goal changes along the force.
    PoisePointDef def;
    /// Names and patterns of joints as written, and the indices of the joints that move the point.
    PoiseRefs uses;
    const int* joints;
    int joint_count;
    PoisePositionGoal position;
    PoiseOrientationGoal orientation;
    /// Force and torque on the world from time `force_after` (s) on, N and N m.
    bool has_force;
    PoiseVec3 force;
    PoiseVec3 torque;
    double force_after;
    /// Above 0: the point supports a floating base, see PoiseStanceDef. `sole`: width of its sole,
    /// m.
    double stance;
    double sole;
    /// True if the point is a centre of mass that is kept above the supporting points.
    bool balance;
} PoiseScenePoint;

/// An external force on a body for a limited time.
typedef struct PoiseScenePush {
    const char* name;
    PoiseMark mark;
    PoiseRef body;
    /// Place of the force in the body's frame, m.
    PoiseVec3 at;
    /// The external force in world axes, N.
    PoiseVec3 force;
    /// Start and duration of the push, s.
    double from;
    double seconds;
    double every; ///< period of repetition, s; infinity: once
} PoiseScenePush;

// ---------------------------------------------------------------------------------------- scene

/// The world, its step and its ground.
typedef struct PoiseSceneWorld {
    PoiseWorldDef def;
    double step; ///< length of a step, s
    bool ground; ///< True if there is a ground plane, z up
    double ground_height;
} PoiseSceneWorld;

/// Settings of the solver and the rig. The tree and the world of `rig` are not set here.
typedef struct PoiseSceneIk {
    PoiseRigDef rig;
    PoiseTreeDef tree;
} PoiseSceneIk;

/// How the scene's recorded motion acts, for joints that have a track.
typedef struct PoiseSceneMotion {
    /// Natural postures of the joints: 0: their own; 1: those of the motion; between: interpolated.
    double blend;
} PoiseSceneMotion;

struct PoiseFigure;

/// A figure that the scene names: to plot over time, or with an upper bound.
typedef struct PoiseSceneFigure {
    /// A control point or a joint; "cost": the run, whose index is 0.
    PoiseRef owner;
    const char* field;                ///< name of the figure, as written after the owner's
    const struct PoiseFigure* figure; ///< row of the table of figures (figures.h)
    double upper;                     ///< bound of `expect`, in the figure's unit
} PoiseSceneFigure;

/// Two links whose shapes may touch: the file of their robot excludes the pair. A link's shapes are
/// `count` of its body's, from index `first` on.
typedef struct PoiseSceneExclusion {
    int body[2];
    int first[2];
    int count[2];
} PoiseSceneExclusion;

/// The bodies that a scene keeps apart.
typedef struct PoiseSceneApart {
    PoiseMark mark;
    bool on;
    /// 0 (self): bodies that joints connect are kept apart from each other and from the bodies of
    /// `from`. 1 (others): only from the bodies of `from`.
    int robots;
    /// Bodies from which bodies with joints keep the distance; empty: every other body.
    PoiseRefs from;
    /// Least distance between the bodies, m.
    double distance;
} PoiseSceneApart;

/// A scene: the file that it was read from, and its contents.
typedef struct PoiseScene {
    const char* file;
    /// "urdf" or "mjcf" if the file is a robot, which becomes a scene alone; else NULL.
    const char* robot;
    const char* title;
    /// Duration of a run, s, unless the caller chooses another.
    double seconds;
    PoiseSceneWorld world;
    PoiseSceneIk ik;
    PoiseSceneMotion motion;
    const PoiseSceneBody* bodies;
    int body_count;
    const PoiseSceneFrame* frames;
    int frame_count;
    const PoiseSceneLook* looks;
    int look_count;
    /// The joints in the order of the file; a robot's joints take the robot's place. A parent's
    /// joint may come after its child's: see joint_order.
    const PoiseSceneJoint* joints;
    int joint_count;
    /// Indices of the driven joints, each after the joint that carries its parent.
    const int* joint_order;
    int driven_count;
    const PoiseScenePoint* points;
    int point_count;
    const PoiseScenePush* pushes;
    int push_count;
    PoiseSceneApart keep_apart;
    const PoiseSceneExclusion* exclusions;
    int exclusion_count;
    /// Figures of `expect`, with bounds, and of `record`.
    const PoiseSceneFigure* bounds;
    int bound_count;
    const PoiseSceneFigure* records;
    int record_count;
} PoiseScene;

/// Files that a scene or robot may name.
typedef enum PoiseTrust {
    /// All files. If the environment sets CI to anything but "", 0 and false, this is
    /// POISE_TRUST_FOLDER.
    POISE_TRUST_DEFAULT = 0,
    POISE_TRUST_ALL = 1,
    /// Files below the scene's own folder after symbolic links are resolved: no absolute path, none
    /// with a `..`.
    POISE_TRUST_FOLDER = 2
} PoiseTrust;

/// The file or text that a scene is read from, and settings that replace its values.
typedef struct PoiseSceneSource {
    /// Path of a scene (.yaml) or of a robot (.urdf, .xml), which becomes a scene alone. A name is
    /// allowed if `text` is NULL: see poise_scene_find_file.
    const char* path;
    /// Text of the scene; NULL: the file at `path` is read. In both cases other files are searched
    /// in the folder of `path`.
    const char* text;
    size_t text_size;
    /// Settings `key=value` that replace values of the file, such as `world.step=0.005`.
    const char* const* overrides;
    int override_count;
    PoiseTrust trust;
    /// The study or replay that names `path`; NULL: the caller has chosen `path`. Such a scene must
    /// be a regular file, and its text is not shown if it is no scene. If it is not trusted, it
    /// must lie in the folder of that file, in the working folder or below one of them, or be one
    /// of Poise's scenes. Errors are reported at line 1, column 1 of this file.
    const char* named_by;
    /// Folders of packages of meshes (package://NAME/..), separated by colons. They are searched
    /// before the robot's folder and the folders above it. NULL: the folders of ROS_PACKAGE_PATH if
    /// the file is trusted.
    const char* packages;
    /// True if only kinematics are asked: meshes are not read. Links then lack masses and shapes
    /// that follow from meshes, without a warning.
    bool without_meshes;
    /// Memory and log of the scene. All zero: malloc and free, no log.
    PoiseHost host;
} PoiseSceneSource;

/// Reads the scene or robot in a file, or with a name (see poise_scene_find_file). The caller
/// destroys it by poise_scene_destroy. Returns NULL if `diagnostics` got an error.
POISE_API POISE_NODISCARD PoiseScene* poise_scene_load(const char* path,
                                                       PoiseDiagnostics* diagnostics);
/// Reads a scene from a text or a file, with settings that replace the file's values: see
/// PoiseSceneSource. Returns NULL if `diagnostics` got an error.
POISE_API POISE_NODISCARD PoiseScene* poise_scene_load_source(const PoiseSceneSource* source,
                                                              PoiseDiagnostics* diagnostics);
/// Destroys the scene; NULL is allowed.
POISE_API void poise_scene_destroy(PoiseScene* scene);

/// Returns the index of the frame with that name, -1 if missing.
POISE_API int poise_scene_find_frame(const PoiseScene* scene, const char* name);
/// Returns the index of the joint with that name, -1 if missing.
POISE_API int poise_scene_find_joint(const PoiseScene* scene, const char* name);
/// Returns the index of the control point with that name, -1 if missing.
POISE_API int poise_scene_find_point(const PoiseScene* scene, const char* name);

#ifdef __cplusplus
}
#endif

#endif
