// SPDX-License-Identifier: MIT
// A robot as its URDF or MJCF file describes it: links and joints by name. They form one tree and
// their numbers are valid; fixed joints are not merged yet.
#ifndef POISE_URDF_H
#define POISE_URDF_H

#include "document.h"
#include "inertia.h"
#include "mesh.h"
#include "names.h"
#include "poise/look.h"

typedef enum UrdfJointKind {
    URDF_FIXED,
    URDF_REVOLUTE,
    URDF_CONTINUOUS,
    URDF_PRISMATIC,
    URDF_FLOATING,
    URDF_PLANAR,
    URDF_BALL ///< MJCF's ball; in a URDF an extension of Bullet
} UrdfJointKind;

typedef struct UrdfLink {
    const char* name;
    PoiseMark mark;
    const Element* element;
    bool has_inertial;
    /// Mass properties in the link's frame.
    MassProperties mass;
    /// Sum of all shapes, filled with density 1.
    MassProperties solid;
    PoiseSceneShape* shapes;
    int shape_count;
    /// True if the shapes are collision shapes of the file.
    bool touches;
    /// Visual meshes and primitives, in the link's frame. Their bodies are set later.
    PoiseSceneLook* looks;
    int look_count;
    /// Index of the joint that carries the link; -1 for the root.
    int joint;
    /// Pose in the robot's root frame while every joint is at 0.
    PoisePose pose;
} UrdfLink;

typedef struct UrdfJoint {
    const char* name;
    PoiseMark mark;
    UrdfJointKind kind;
    int parent; ///< indices of the links
    int child;
    PoisePose origin; ///< pose of the child link in the parent link
    PoiseVec3 anchor; ///< point on the joint's axis, in the child link; 0 in a URDF
    PoiseVec3 axis;   ///< unit vector in the child link
    double lower;     ///< limits; infinite if there is no range
    double upper;
    double effort; ///< infinity: no limit
    double velocity;
    double damping;
    double friction;  ///< dry friction, N m (N)
    bool driven;      ///< True if an actuator drives the joint; known for MJCF only
    double armature;  ///< inertia of the drive, kg m^2 (kg)
    double stiffness; ///< stiffness of MJCF's spring, which rests at `rest`
    double rest;
    double zero;        ///< the file's value of the angle that is 0 here
    double start;       ///< the file's start angle; NAN: none
    PoiseQuat turn;     ///< start rotation of a ball joint's child, in the child's axes
    const char* mimics; ///< joint whose angle it follows: multiplier * angle + offset; NULL: none
    PoiseMark mimic_mark;
    double multiplier;
    double offset;
} UrdfJoint;

/// Two links that are held together in addition to the tree's joints.
typedef struct UrdfClosure {
    const char* name;
    PoiseMark mark;
    int a; ///< indices of the links
    int b;
    PoiseVec3 anchor; ///< in link a
    bool weld;        ///< holds position and rotation; else a point only
    bool has_relative;
    PoisePose relative; ///< pose of b in a for a weld; else the pose at the start counts
} UrdfClosure;

/// The world around the robot, as far as the file describes it.
typedef struct UrdfWorld {
    bool has_gravity;
    PoiseVec3 gravity; ///< m/s^2
    double step;       ///< s; 0: not given
    bool ground;
    double ground_height; ///< m
} UrdfWorld;

typedef struct UrdfRobot {
    const char* name;
    const char* format; ///< "urdf", "mjcf" or "dh"
    PoiseMark mark;
    UrdfLink* links;
    int link_count;
    int link_capacity;
    UrdfJoint* joints;
    int joint_count;
    int joint_capacity;
    UrdfClosure* closures;
    int closure_count;
    int closure_capacity;
    UrdfWorld world;
    int root;
    /// All links, each after its parent.
    int* order;
} UrdfRobot;

typedef struct UrdfReader {
    Document* document;
    UrdfRobot* robot;
    const Element* root;
    NameTable links;
    NameTable joints;
    NameTable mesh_names;     ///< meshes that were read already
    const MeshSolid** meshes; ///< NULL: the mesh could not be read
    int mesh_count;
    int mesh_capacity;
    struct MeshHull* hulls; ///< hulls of the files that were read, each at its first scale
    int hull_count;
    int hull_capacity;
    /// Folder in which MuJoCo finds a URDF's meshes by their file names; NULL: none.
    const char* mesh_folder;
    bool strict;  ///< True if numbers are refused that tools for URDFs read all the same
    int compared; ///< number of names compared to guess what wrong names mean
} UrdfReader;

/// Returns true if the text is a Denavit-Hartenberg table (dh_table.c). The second function returns
/// that table as the tree of a URDF; NULL with errors reported.
bool poise__is_dh_table(const char* text, size_t size);
Element* poise__dh_read(Document* document, const char* text, size_t size);

/// Reads a robot of any format from a text. Returns NULL with errors reported.
UrdfRobot* poise__robot_read(Document* document, const char* text, size_t size);

/// Reads the robot of a URDF tree. Returns NULL with errors reported.
UrdfRobot* poise__urdf_read(Document* document, const Element* root);
/// Reads the robot of an MJCF tree (mjcf.h). Returns NULL with errors reported.
UrdfRobot* poise__mjcf_read(Document* document, Element* root);

/// Returns a joint with only its name set: fixed, without limits, along x.
UrdfJoint poise__urdf_default_joint(const char* name, PoiseMark mark);

/// True if the joint frees the whole robot: a floating joint from a massless root. Many files have
/// it to state that the robot is not fixed to the ground.
bool poise__urdf_is_base(const UrdfRobot* robot, const UrdfJoint* joint);

/// Repairs an inertia that no body can have, and reports it once for all links. An inertia that is
/// too small for its mass becomes 0: the shapes then give it.
void poise__urdf_repair_inertia(UrdfReader* reader, const Element* element, const char* link,
                                MassProperties* body);

// Stages of reading a URDF, in this order. They report errors and warnings.

/// Replaces each planar joint by two sliders and a hinge with links between them: NAME_TX, NAME_TY
/// and NAME_RZ, as MuJoCo names them.
void poise__urdf_split_planar(UrdfReader* reader);
bool poise__urdf_sort(UrdfReader* reader);
void poise__urdf_read_shapes(UrdfReader* reader, UrdfLink* link);

/// Returns the file that `uri` names (poise__mesh_find), or the file of that name in `mesh_folder`;
/// NULL if missing.
const char* poise__robot_find_mesh(const UrdfReader* reader, const char* uri, const char** fence);
/// Returns the mesh that an element names, with each axis scaled. Reads each mesh once. NULL with a
/// warning.
const MeshSolid* poise__robot_mesh(UrdfReader* reader, const Element* element, const char* uri,
                                   PoiseVec3 scale);
/// Adds a shape to the link, and its mass properties with density 1.
void poise__urdf_add_shape(UrdfLink* link, PoiseSceneShape shape, MassProperties solid);

// Readers of attributes. If an attribute is wrong they report an error and return false, and
// `values` stays.
bool poise__urdf_numbers(UrdfReader* reader, const Element* element, const char* key,
                         double* values, int count);
bool poise__urdf_number(UrdfReader* reader, const Element* element, const char* key, double* value);
/// Like poise__urdf_number, but accepts "inf" and "-inf".
bool poise__urdf_bound(UrdfReader* reader, const Element* element, const char* key, double* value);
/// Returns a number of at least 0; the fallback if it is missing or wrong.
double poise__urdf_not_negative(UrdfReader* reader, const Element* element, const char* key,
                                double fallback);
/// Returns `<origin xyz rpy>` of the element; the identity if missing.
PoisePose poise__urdf_origin(UrdfReader* reader, const Element* element);
/// Returns a text attribute; NULL with an error if it is missing or empty.
const char* poise__urdf_text(UrdfReader* reader, const Element* element, const char* key);

/// True if a wrong name may be compared with one more name. The comparisons of a file are bounded.
bool poise__urdf_may_guess(UrdfReader* reader);

/// Reports, once for each kind, child elements that are not among `known` (ended by NULL).
void poise__urdf_note_unknown(UrdfReader* reader, const Element* element, const char* owner,
                              const char* const* known);

/// Reads the visual shapes of a URDF's link: its <visual> elements. Skips elements that cannot be
/// read.
void poise__urdf_read_looks(UrdfReader* reader, UrdfLink* link);
/// Adds the visual mesh in the file that `uri` names to a link with room for it. Does nothing if
/// the robot may not name that file.
void poise__robot_add_look(UrdfReader* reader, UrdfLink* link, const PoiseSceneLook* look,
                           const char* uri);

#endif
