// SPDX-License-Identifier: MIT
// A scene as it was written: one struct for each table, names not resolved yet. Between the
// document tree and PoiseScene.
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

typedef struct SpringSpec {
    uint64_t given;
    bool off;
    PoiseSpring spring;
} SpringSpec;

typedef struct BodySpec {
    Header header;
    uint64_t given;
    PoiseVec3 box;
    double sphere;
    double capsule;
    double cylinder;
    PoiseVec3 from;
    PoiseVec3 to;
    double length;
    PoiseVec3 at;
    PoiseQuat rotation;
    double density;
    double mass;
    bool fixed;
    bool gravity;
    bool collides;
} BodySpec;

/// `limits`: two numbers in the joint's unit, or a cone.
typedef struct LimitsSpec {
    uint64_t given;
    bool off;
    bool has_range;
    double lower;
    double upper;
    bool has_range2; ///< a universal's two
    double lower2;
    double upper2;
    double swing;
    double twist;
} LimitsSpec;

/// `natural`: a number in the joint's unit, or a ball's rotation.
typedef struct NaturalSpec {
    bool has_number;
    double number;
    bool has_pair; ///< a universal's two
    double pair[2];
    bool has_rotation;
    PoiseQuat rotation;
} NaturalSpec;

typedef struct JointSpec {
    Header header;
    uint64_t given;
    PoiseVec3 hinge;
    PoiseVec3 slider;
    PoiseVec3 ball;
    PoiseVec3 universal;
    bool floating;
    PoiseVec3 axis;
    PoiseVec3 axis2;
    Names between;
    LimitsSpec limits;
    NaturalSpec natural;
    SpringSpec original;
    SpringSpec ik;
    double max_torque;
    double max_speed;
    double bias;
} JointSpec;

typedef struct CircleSpec {
    uint64_t given;
    PoiseVec3 centre;
    PoiseVec3 normal;
    PoiseVec3 start;
    double radius;
    double period;
} CircleSpec;

typedef struct PlaceSpec {
    uint64_t given;
    const Element* element;
    PoiseVec3 at;
    PoiseVec3* places;
    double* times;
    int count;
    PoiseBetween between;
    bool repeat;
    double speed;
    bool closed;
    CircleSpec circle;
    double until;
} PlaceSpec;

typedef struct TurnSpec {
    uint64_t given;
    const Element* element;
    PoiseQuat quaternion;
    PoiseQuat* turns;
    double* times;
    int count;
    PoiseBetween between;
    bool repeat;
    PoiseVec3 point;
    PoiseVec3 along;
    const char* at; ///< a control point, or its goal
    bool has_place;
    PoiseVec3 place; ///< `at` as a place
    double until;
} TurnSpec;

typedef struct ForceSpec {
    uint64_t given;
    PoiseVec3 push;
    PoiseVec3 torque;
    double after;
    PoiseYield yield;
} ForceSpec;

typedef struct PointSpec {
    Header header;
    uint64_t given;
    const char* body;
    PoiseVec3 at;
    PoiseQuat rotation;
    Names uses;
    PlaceSpec position;
    TurnSpec orientation;
    ForceSpec force;
    bool com;
    const char* frame;
    Names rows;
    PoiseRowAxes row_axes;
    double max_speed;
    double max_turn_speed;
    double weight;
    int priority;
    bool enabled;
    double stance;
    double sole;
    bool balance;
} PointSpec;

typedef struct PushSpec {
    Header header;
    uint64_t given;
    const char* body;
    PoiseVec3 at;
    PoiseVec3 force;
    double from;
    double seconds;
    double every;
} PushSpec;

typedef struct PushList {
    PushSpec* items;
    int count;
} PushList;

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

typedef enum RobotBase { ROBOT_BASE_FIXED = 0, ROBOT_BASE_FREE = 1 } RobotBase;

typedef struct RobotSpec {
    Header header;
    uint64_t given;
    const char* urdf;
    const char* mjcf;
    PoiseVec3 at;
    PoiseQuat rotation;
    RobotBase base;
    PoseList pose;
    JointList joints; ///< names are patterns; later ones win
    bool lost;        ///< its file could not be read: names in it are not looked for
} RobotSpec;

typedef struct RobotList {
    RobotSpec* items;
    int count;
} RobotList;

typedef enum MirrorAcross { ACROSS_X = 0, ACROSS_Y = 1, ACROSS_Z = 2 } MirrorAcross;

typedef struct MirrorSpec {
    uint64_t given;
    const Element* element;
    const char* from;
    const char* to;
    MirrorAcross across;
} MirrorSpec;

typedef struct MirrorList {
    MirrorSpec* items;
    int count;
} MirrorList;

typedef struct DefaultsSpec {
    uint64_t given;
    BodySpec body;
    JointSpec joint;
} DefaultsSpec;

typedef struct GroundSpec {
    uint64_t given;
    bool off;
    double height;
    double friction;
} GroundSpec;

typedef struct WorldSpec {
    uint64_t given;
    PoiseSceneWorld world;
    GroundSpec ground;
} WorldSpec;

typedef struct IkSpec {
    uint64_t given;
    PoiseSceneIk ik;
} IkSpec;

typedef struct BoundList {
    PoiseSceneBound* items;
    int count;
} BoundList;

typedef struct SceneSpec {
    uint64_t given;
    int version;
    const char* title;
    double angle_unit;
    double seconds;
    WorldSpec world;
    IkSpec ik;
    DefaultsSpec defaults;
    BodyList bodies;
    JointList joints;
    RobotList robots;
    MirrorList mirrors;
    PointList points;
    PushList pushes;
    Names records;
    BoundList bounds;
} SceneSpec;

extern const Schema poise__scene_schema;
extern const Schema poise__world_schema;
extern const Schema poise__ground_schema;
extern const Schema poise__ik_schema;
extern const Schema poise__defaults_schema;
extern const Schema poise__body_schema;
extern const Schema poise__body_defaults_schema;
extern const Schema poise__spring_schema;
extern const Schema poise__cone_schema;
extern const Schema poise__joint_schema;
extern const Schema poise__joint_defaults_schema;
extern const Schema poise__joint_override_schema;
extern const Schema poise__place_schema;
extern const Schema poise__turn_schema;
extern const Schema poise__circle_schema;
extern const Schema poise__force_schema;
extern const Schema poise__point_schema;
extern const Schema poise__push_schema;
extern const Schema poise__robot_schema;
extern const Schema poise__mirror_schema;

/// How the items of a map of names are read.
typedef struct NameMap {
    const char* kind; ///< "a body"
    size_t item_size;
    bool patterns; ///< names may hold * and ?
    void (*read_item)(Reader* reader, const Element* element, void* item);
} NameMap;

/// The items of a map of names, each beginning with its Header; NULL and count 0 where there are
/// none.
void* poise__name_map_read(Reader* reader, const Element* element, const NameMap* map, int* count);

// Custom readers, from table to table; `value` is the list or struct named.
void poise__bodies_read(Reader* reader, const Element* element, void* list);
void poise__joints_read(Reader* reader, const Element* element, void* list);
void poise__robots_read(Reader* reader, const Element* element, void* list);
void poise__points_read(Reader* reader, const Element* element, void* list);
void poise__pushes_read(Reader* reader, const Element* element, void* list);
void poise__mirrors_read(Reader* reader, const Element* element, void* list);
void poise__bounds_read(Reader* reader, const Element* element, void* list);
void poise__rotation_field_read(Reader* reader, const Element* element, void* quat);
void poise__place_read(Reader* reader, const Element* element, void* place);
void poise__turn_read(Reader* reader, const Element* element, void* turn);

#endif
