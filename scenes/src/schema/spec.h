// SPDX-License-Identifier: MIT
// A scene as it was written, names not resolved yet: between the document and PoiseScene. Each spec
// begins with the struct that runs, into which its rows are read, so that a row's offset is the
// same in both.
#ifndef POISE_SPEC_H
#define POISE_SPEC_H

#include "poise/scene.h"
#include "schema.h"

/// What every named item has.
typedef struct Header {
    const char* name;
    PoiseMark mark; ///< of the name
    const Element* element;
    /// An error was found while it was read: what follows from that is not said too.
    bool broken;
    /// One more than the index of the item it was mirrored from; 0 for one that was written.
    int mirrored_from;
} Header;

typedef struct BodySpec {
    PoiseSceneBody body; ///< mass 0: from the density
    Header header;
    PoiseSceneShape shape;
    PoiseVec3 from;
    PoiseVec3 to;
    double density;
} BodySpec;

typedef struct JointSpec {
    PoiseSceneJoint joint;
    Header header;
    bool floating;
    /// Its axis is a direction, that of a slider or of a ball's cone, not one of turning.
    bool directed;
    Names between;
} JointSpec;

typedef struct PointSpec {
    PoiseScenePoint point;
    Header header;
    const char* body;
    const char* frame;
    Names uses;
    /// A control point, or its goal, that an axis is pointed at.
    const char* looks_at;
    /// Joints of the scene's motion that its place and its turn follow.
    const char* followed;
    const char* turns_with;
    /// Its place stays while the joint is low and slow.
    bool planted;
} PointSpec;

typedef struct PushSpec {
    PoiseScenePush push;
    Header header;
    const char* body;
} PushSpec;

typedef struct PoseEntry {
    const char* joint;
    PoiseMark mark; ///< of the name
    PoiseMark value_mark;
    double number;
} PoseEntry;

typedef struct PoseList {
    PoseEntry* items;
    int count;
} PoseList;

typedef enum RobotBase { ROBOT_BASE_FIXED = 0, ROBOT_BASE_FREE = 1 } RobotBase;

typedef enum RobotCollision { ROBOT_COLLISION_FIT = 0, ROBOT_COLLISION_HULL = 1 } RobotCollision;

typedef enum RobotSprings { ROBOT_SPRINGS_AUTO = 0, ROBOT_SPRINGS_DEFAULTS = 1 } RobotSprings;

typedef struct RobotSpec {
    Header header;
    const char* urdf;
    const char* mjcf;
    const char* dh;
    PoisePose pose_world;
    RobotBase base;
    RobotSprings springs;
    RobotCollision collision;
    PoseList pose;
    /// Settings of its joints, read over each joint that the name, a pattern, fits; later ones win.
    Header* joints;
    int joint_count;
    /// Its file could not be read: names in it are not looked for.
    bool lost;
    /// It is the scene: no file says what its pose is, nor what should be where.
    bool alone;
} RobotSpec;

typedef enum MirrorAcross { ACROSS_X = 0, ACROSS_Y = 1, ACROSS_Z = 2 } MirrorAcross;

typedef struct MirrorSpec {
    const Element* element;
    const char* from;
    const char* to;
    MirrorAcross across;
} MirrorSpec;

/// What bodies and joints have that do not say otherwise. A joint's speed is as written: what it is
/// in follows from the joint.
typedef struct DefaultsSpec {
    BodySpec body;
    PoiseSceneJoint joint;
    /// The file says what springs joints have.
    bool sprung;
} DefaultsSpec;

/// Whose y or z axis is up.
typedef enum MotionUp { MOTION_UP_Y = 0, MOTION_UP_Z = 1 } MotionUp;

/// A body, and the joint of the motion that it goes with.
typedef struct PostureEntry {
    const char* body;
    const char* joint;
    PoiseMark mark;
    PoiseMark value_mark;
} PostureEntry;

typedef struct PostureList {
    PostureEntry* items;
    int count;
} PostureList;

/// A recorded motion that points and joints follow, and how it is laid into the scene.
typedef struct MotionSpec {
    PoiseSceneMotion motion; ///< first: what the schema says of it holds for it alone, too
    PostureList posture;
    bool repeat;
    const char* bvh; ///< NULL: there is none
    double scale;
    PoisePose pose;
    MotionUp up;
    double start; ///< s, which is time 0 of the scene
    /// What holds a planted point: below so much over its lowest place, m, and slower, m/s.
    double stance_height;
    double stance_speed;
    const Element* element;
} MotionSpec;

typedef struct BodyList {
    BodySpec* items;
    int count;
} BodyList;

typedef struct JointList {
    JointSpec* items;
    int count;
} JointList;

typedef struct PointList {
    PointSpec* items;
    int count;
} PointList;

typedef struct PushList {
    PushSpec* items;
    int count;
} PushList;

typedef struct RobotList {
    RobotSpec* items;
    int count;
} RobotList;

typedef struct MirrorList {
    MirrorSpec* items;
    int count;
} MirrorList;

typedef struct BoundList {
    PoiseSceneBound* items;
    int count;
} BoundList;

typedef struct SceneSpec {
    PoiseScene scene;
    int version;
    DefaultsSpec defaults;
    BodyList bodies;
    JointList joints;
    RobotList robots;
    MirrorList mirrors;
    MotionSpec motion;
    PointList points;
    PushList pushes;
    Names records;
    BoundList bounds;
} SceneSpec;

extern const Schema poise__scene_schema;
extern const Schema poise__world_schema;
extern const Schema poise__ik_schema;
/// Of a MotionSpec; its live rows also of a PoiseSceneMotion.
extern const Schema poise__motion_schema;
extern const Schema poise__body_schema;
extern const Schema poise__body_defaults_schema;
extern const Schema poise__joint_schema;
extern const Schema poise__joint_defaults_schema;
/// Springs, limits, natural posture: what may be said of any joint, in PoiseSceneJoint.
extern const Schema poise__joint_settings_schema;
extern const Schema poise__position_schema;
extern const Schema poise__orientation_schema;
extern const Schema poise__point_schema;
extern const Schema poise__push_schema;
extern const Schema poise__robot_schema;
extern const Schema poise__mirror_schema;

/// Whether the joint moves along its axis; whether one number says where it is.
bool poise__joint_slides(const PoiseSceneJoint* joint);
bool poise__joint_has_angle(const PoiseSceneJoint* joint);

/// What holds where the file says nothing.
SceneSpec poise__default_scene_spec(void);
PoiseSceneJoint poise__default_scene_joint(void);
RobotSpec poise__default_robot_spec(void);
PointSpec poise__default_point_spec(void);

/// What a scene holds at most, its robots' joints and bodies included: what looks through them all
/// for each, and ODE, take no longer than a person waits.
enum { MOST_BODIES = 2000, MOST_JOINTS = 1000, MOST_POINTS = 1000, MOST_ROBOTS = 200 };

/// How the items of a map of names are read: `read_item` gets the item's memory, all 0.
typedef struct NameMap {
    const char* kind; ///< "a body"
    size_t item_size;
    size_t header_offset;
    bool patterns; ///< names may hold * and ?
    int most;      ///< items
    void (*read_item)(Reader* reader, const Element* element, void* item);
} NameMap;

/// The items of a map of names; NULL and count 0 where there are none.
void* poise__name_map_read(Reader* reader, const Element* element, const NameMap* map, int* count);

// Custom readers, from table to table.
void poise__bodies_read(Reader* reader, const Element* element, void* scene_spec);
void poise__joints_read(Reader* reader, const Element* element, void* scene_spec);
void poise__robots_read(Reader* reader, const Element* element, void* scene_spec);
void poise__points_read(Reader* reader, const Element* element, void* scene_spec);
void poise__pushes_read(Reader* reader, const Element* element, void* scene_spec);
void poise__mirrors_read(Reader* reader, const Element* element, void* scene_spec);
void poise__bounds_read(Reader* reader, const Element* element, void* scene_spec);
void poise__position_read(Reader* reader, const Element* element, void* point_spec);
void poise__orientation_read(Reader* reader, const Element* element, void* point_spec);

#endif
