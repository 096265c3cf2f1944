// SPDX-License-Identifier: MIT
// Data of a scene while its file is read: headers of named items, robots, mirrors, defaults and the
// recorded motion. The items themselves are read into the structs of PoiseScene.
#ifndef POISE_SPEC_H
#define POISE_SPEC_H

#include "poise/scene.h"
#include "schema.h"

typedef enum MirrorAcross { ACROSS_X = 0, ACROSS_Y = 1, ACROSS_Z = 2 } MirrorAcross;

typedef struct MirrorSpec {
    const Element* element;
    const char* from;
    const char* to;
    MirrorAcross across;
    int sides; ///< number of items whose name begins with `from`
} MirrorSpec;

/// A chain of mirrors that an item is reflected by; the last reflection is the head of the list.
typedef struct Image {
    const MirrorSpec* mirror;
    const struct Image* of; ///< image that `mirror` reflects; NULL: the original item
} Image;

/// Data of a named item while the scene is read.
typedef struct Header {
    const char* name;
    PoiseMark mark; ///< place of the name in the file
    const Element* element;
    /// True after an error in the item; later errors, which may follow from the first, are not
    /// reported.
    bool broken;
    /// 1 + the index of the item's original; 0: the item is not an image.
    int mirrored_from;
    const Image* image; ///< NULL for an item that is not an image
} Header;

/// A list of named items and their headers; the list that poise__name_map_read makes has the same
/// layout.
#define NAMED(Item)                                                                                \
    struct {                                                                                       \
        Item* items; /* NULL if empty */                                                           \
        Header* headers;                                                                           \
        int count;                                                                                 \
    }

/// The struct that a body's table fills. A mass of 0 means: computed from the density.
typedef struct BodySpec {
    PoiseSceneBody body;
    PoiseSceneShape shape;
    PoiseVec3 from;
    PoiseVec3 to;
    double density;
} BodySpec;

/// The struct that a joint's table fills.
typedef struct JointSpec {
    PoiseSceneJoint joint;
    bool floating;
    PoiseRefs between;
} JointSpec;

typedef struct PoseEntry {
    const char* joint;
    PoiseMark mark; ///< place of the name in the file
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
    /// Settings of the robot's joints. An entry applies to all joints that match its name or
    /// pattern; a later entry replaces the values of an earlier one.
    NAMED(char) joints;
    /// True if the robot's file could not be read. Names that it may define are then not reported
    /// as missing.
    bool lost;
    /// True if the robot's file is the whole scene: there is no scene file with a pose or goals.
    bool alone;
} RobotSpec;

/// Defaults of bodies and joints. A joint's speed is in the file's unit, since the kind of joint
/// decides the unit.
typedef struct DefaultsSpec {
    BodySpec body;
    PoiseSceneJoint joint;
    /// True if the scene's defaults set the joints' springs, so that `springs: auto` does not
    /// apply.
    bool sprung;
} DefaultsSpec;

/// Axis of the motion's file that points up.
typedef enum MotionUp { MOTION_UP_Y = 0, MOTION_UP_Z = 1 } MotionUp;

/// A body, and the joint of the motion that it follows.
typedef struct PostureEntry {
    PoiseRef body;
    PoiseRef joint; ///< joint of the motion that the body follows
} PostureEntry;

typedef struct PostureList {
    PostureEntry* items;
    int count;
} PostureList;

/// A recorded motion that points and joints follow, and its placement in the scene.
typedef struct MotionSpec {
    PoiseSceneMotion motion; ///< first member, since the schema's rows have its offsets
    PostureList posture;
    bool repeat;
    const char* bvh; ///< path of the BVH file; NULL: no motion
    double scale;
    PoisePose pose;
    MotionUp up;
    double start; ///< time of the motion at time 0 of the scene, s
    /// Bounds of a planted point: height above its lowest place, m, and speed, m/s.
    double stance_height;
    double stance_speed;
    const Element* element;
} MotionSpec;

typedef NAMED(PoiseScenePoint) PointList;

typedef struct MirrorList {
    MirrorSpec* items;
    int count;
} MirrorList;

typedef struct BoundList {
    PoiseSceneFigure* items;
    int count;
} BoundList;

typedef struct SceneSpec {
    PoiseScene scene;
    int version;
    DefaultsSpec defaults;
    NAMED(PoiseSceneBody) bodies;
    NAMED(PoiseSceneJoint) joints;
    NAMED(RobotSpec) robots;
    MirrorList mirrors;
    MotionSpec motion;
    PointList points;
    NAMED(PoiseScenePush) pushes;
    PoiseRefs records;
    BoundList bounds;
} SceneSpec;

extern const Schema poise__scene_schema;
extern const Schema poise__world_schema;
extern const Schema poise__ik_schema;
/// Table of a MotionSpec; its live rows also fit a PoiseSceneMotion.
extern const Schema poise__motion_schema;
extern const Schema poise__body_schema;
extern const Schema poise__body_defaults_schema;
extern const Schema poise__joint_schema;
extern const Schema poise__joint_defaults_schema;
/// Table of a joint's springs, limits and natural posture, in PoiseSceneJoint.
extern const Schema poise__joint_settings_schema;
extern const Schema poise__position_schema;
extern const Schema poise__orientation_schema;
extern const Schema poise__point_schema;
extern const Schema poise__push_schema;
extern const Schema poise__robot_schema;
extern const Schema poise__mirror_schema;

/// Returns a scene in which every setting has its default of the format.
SceneSpec poise__default_scene_spec(void);
PoiseSceneJoint poise__default_scene_joint(void);
RobotSpec poise__default_robot_spec(void);
PoiseScenePoint poise__default_point(void);

/// Largest numbers of items of a scene, robots included. Searches that compare all items with each
/// other, and ODE, then end within seconds.
enum {
    MAX_SCENE_BODIES = 2000,
    MAX_SCENE_JOINTS = 1000,
    MAX_SCENE_POINTS = 1000,
    MAX_SCENE_ROBOTS = 200
};

/// Largest number of tables of the format.
enum { MAX_TABLES = 64 };

/// Reader of the items of a map of names: `read_item` gets the item's memory, all 0.
struct NameMap {
    const char* kind; ///< kind for messages: "a body"
    size_t item_size;
    bool patterns; ///< true if names may contain * and ?
    bool mirrored; ///< true if `mirror:` adds images; an item then begins with its name
    int most;      ///< largest number of items that a map may have
    void (*read_item)(Reader* reader, const Element* element, void* item);
};

/// Items of any type; images by mirrors come last.
typedef NAMED(void) NameItems;

NameItems poise__name_map_read(Reader* reader, const Element* element, const NameMap* map);

/// Appends the mirror images of the items whose names belong to one side of a mirror.
void poise__mirror_items(const Reader* reader, const NameMap* map, NameItems* list);
/// Reports mirrors without an image, after everything was read.
void poise__mirrors_check(Reader* reader, const MirrorList* mirrors);

// Return the mirror images of a place or direction, of an axis or torque, of a rotation, and of a
// name. An `image` of NULL is the identity.
PoiseVec3 poise__reflect(const Image* image, PoiseVec3 v);
PoiseVec3 poise__reflect_turn(const Image* image, PoiseVec3 v);
PoiseQuat poise__reflect_quat(const Image* image, PoiseQuat q);
const char* poise__reflect_name(const Reader* reader, const Image* image, const char* name);

extern const NameMap poise__body_items;
extern const NameMap poise__joint_items;
extern const NameMap poise__robot_items;
extern const NameMap poise__point_items;
extern const NameMap poise__push_items;

// Readers for custom rows. Several tables have rows with these readers.
void poise__mirrors_read(Reader* reader, const Element* element, void* scene_spec);
void poise__bounds_read(Reader* reader, const Element* element, void* scene_spec);
void poise__position_read(Reader* reader, const Element* element, void* scene_point);
void poise__orientation_read(Reader* reader, const Element* element, void* scene_point);

#endif
