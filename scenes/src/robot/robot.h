// SPDX-License-Identifier: MIT
// A robot as its file describes it, and what the readers of the formats share. URDF (urdf.c), MJCF
// (mjcf.h) and Denavit-Hartenberg tables (dh_table.c) fill the same struct, Robot: links and joints
// by name. The joints form one tree, and all numbers are valid. Links that fixed joints connect are
// not merged yet.
#ifndef POISE_ROBOT_H
#define POISE_ROBOT_H

#include "document.h"
#include "inertia.h"
#include "mesh.h"
#include "name_table.h"
#include "poise/look.h"

// Largest angle of a URDF that is read as radians: two turns. No hinge of a robot has larger
// limits, so a larger number is probably in degrees.
#define ROBOT_MOST_TURN 12.6

typedef enum RobotJointKind {
    ROBOT_FIXED,
    ROBOT_REVOLUTE,
    ROBOT_CONTINUOUS,
    ROBOT_PRISMATIC,
    ROBOT_FLOATING,
    ROBOT_PLANAR, ///< URDF only; becomes three joints in series
    ROBOT_BALL    ///< MJCF's ball; in a URDF an extension of Bullet
} RobotJointKind;

typedef struct RobotLink {
    const char* name;
    PoiseMark mark;
    const Element* element;
    bool has_inertial;
    /// Mass properties from the file's inertial element, in the link's frame.
    MassProperties mass;
    /// Mass properties of all shapes together, at density 1, in the link's frame.
    MassProperties solid;
    PoiseSceneShape* shapes;
    int shape_count;
    /// True if the shapes come from the file's collision elements, not from its visual elements.
    bool touches;
    /// Visual meshes and primitives, in the link's frame. Their `body` is set later.
    PoiseSceneLook* looks;
    int look_count;
    /// Index of the joint that carries the link; -1 for the root.
    int joint;
    /// Pose of the link in the robot's root frame while every joint is at 0.
    PoisePose pose;
} RobotLink;

typedef struct RobotJoint {
    const char* name;
    PoiseMark mark;
    RobotJointKind kind;
    int parent; ///< indices of the links that the joint connects
    int child;
    PoisePose origin; ///< pose of the child link in the parent link
    PoiseVec3 anchor; ///< point on the joint's axis, in the child link; 0 in a URDF
    PoiseVec3 axis;   ///< unit vector in the child link
    double lower;     ///< limits; infinite if there is no range
    double upper;
    double effort; ///< largest torque, N m (N); infinity: no limit
    double velocity;
    double damping;
    double friction;  ///< dry friction, N m (N)
    bool driven;      ///< True if an actuator of the file drives the joint; false for a URDF
    double armature;  ///< inertia of the drive, kg m^2 (kg)
    double stiffness; ///< stiffness of the joint's spring in MJCF, whose equilibrium is `rest`
    double rest;
    double zero;        ///< angle in the file at which Poise's angle is 0
    double start;       ///< start angle in the file; NAN: none
    PoiseQuat turn;     ///< start rotation of a ball joint's child, in the child's axes
    const char* mimics; ///< joint that this joint follows: multiplier * angle + offset; NULL: none
    PoiseMark mimic_mark;
    double multiplier;
    double offset;
} RobotJoint;

/// A constraint between two links in addition to the tree's joints.
typedef struct RobotClosure {
    const char* name;
    PoiseMark mark;
    int a; ///< indices of the two links
    int b;
    PoiseVec3 anchor; ///< the point that both links share, in the frame of link a
    bool weld;        ///< True if position and rotation are fixed; else one point only
    bool has_relative;
    PoisePose relative; ///< weld: pose of b in a; if not given, the pose at the start
} RobotClosure;

/// Two links that may touch each other, as the robot's maker states.
typedef struct RobotExclusion {
    int a; ///< indices of the two links
    int b;
} RobotExclusion;

/// Properties of the world that the robot's file gives.
typedef struct RobotWorld {
    bool has_gravity;
    PoiseVec3 gravity; ///< acceleration of gravity, m/s^2
    double step;       ///< length of a step, s; 0: not given
    bool ground;
    double ground_height; ///< height of the ground plane, m
} RobotWorld;

typedef struct Robot {
    const char* name;
    const char* format; ///< format of the file: "urdf", "mjcf" or "dh"
    PoiseMark mark;
    RobotLink* links;
    int link_count;
    int link_capacity;
    RobotJoint* joints;
    int joint_count;
    int joint_capacity;
    RobotClosure* closures;
    int closure_count;
    int closure_capacity;
    RobotExclusion* exclusions;
    int exclusion_count;
    int exclusion_capacity;
    RobotWorld world;
    int root;
    /// Indices of all links; a link's parent comes before the link.
    int* order;
} Robot;

typedef struct RobotReader {
    Document* document; ///< the document of the elements that are read
    Arena* arena;       ///< memory of the robot
    PoiseDiagnostics* diagnostics;
    Robot* robot;
    const Element* root;
    NameTable links;
    NameTable joints;
    NameTable mesh_names;     ///< meshes that were read already
    const MeshSolid** meshes; ///< NULL for a mesh that could not be read
    int mesh_count;
    int mesh_capacity;
    struct MeshHull* hulls; ///< a summary of each mesh file, to compute those at other scales
    int hull_count;
    int hull_capacity;
    /// Folder in which MuJoCo finds a URDF's meshes by their file names; NULL: none.
    const char* mesh_folder;
    bool strict;  ///< True if malformed numbers, which other programs accept in URDFs, are errors
    int compared; ///< number of names compared to guess what wrong names mean
} RobotReader;

/// Reads a robot of any format from a text. Returns NULL with errors reported.
Robot* poise__robot_read(Document* document, const char* text, size_t size);
/// True if the text is a Denavit-Hartenberg table.
bool poise__is_dh_table(const char* text, size_t size);
// The readers of the formats. They return false if they reported errors or if memory is short.
bool poise__dh_read(RobotReader* reader, const char* text, size_t size);
bool poise__urdf_read(RobotReader* reader);
bool poise__mjcf_read(RobotReader* reader, Element* root);

// ------------------------------------------------------------------------- links, joints, the tree

/// Adds a link, whose kind findings call `what` ("link"). Returns its index; -1 when memory is
/// short.
int poise__robot_add_link(RobotReader* reader, const char* what, const char* name,
                          const Element* element, PoiseMark mark);
/// Returns a joint with only its name and links set: fixed, without limits, along x.
RobotJoint poise__robot_joint(const char* name, PoiseMark mark, int parent, int child);
/// Adds a joint. `named`: a second joint of this name is an error. When memory is short, the arena
/// records the failure.
void poise__robot_add_joint(RobotReader* reader, const RobotJoint* joint, bool named);
/// Sets the range of a joint. Reports limits that are in the wrong order or in degrees; 0 and 0 are
/// no limits.
void poise__robot_set_range(RobotReader* reader, PoiseMark mark, RobotJoint* joint, double lower,
                            double upper);
/// Returns the largest force or speed of a joint, which `element` names by `key`. Some exporters
/// write 0 or -1 for "no limit", which is noted.
double poise__robot_most(RobotReader* reader, const Element* element, const char* key,
                         const char* joint, double value);
/// Adds a shape, and its mass properties at density 1, to a link whose array has space for it.
void poise__robot_add_shape(RobotLink* link, PoiseSceneShape shape, MassProperties solid);
/// Checks that the joints connect the links to one tree, and sorts the links. Returns false with
/// errors reported.
bool poise__robot_sort(RobotReader* reader);
/// Adds a pair of links that may touch. Two attributes of the element name them, with `prefix`
/// before the names. An unknown name is a warning if `whole`, else it is ignored.
void poise__robot_exclude(RobotReader* reader, const Element* element, const char* const keys[2],
                          const char* prefix, bool whole);
/// Reads the pairs that may touch from the SRDF next to the robot's URDF: NAME.srdf. Returns false
/// with errors reported if the SRDF cannot be read; true if there is none.
bool poise__srdf_read(RobotReader* reader);
/// True if the joint is the floating joint of a massless root link, which many files have to state
/// that the robot is not fixed to the ground.
bool poise__robot_is_base(const Robot* robot, const RobotJoint* joint);
/// Repairs an inertia that no body can have, and reports it once for all links. An inertia that is
/// too small for its mass becomes 0: the shapes then give it.
void poise__robot_repair_inertia(RobotReader* reader, const Element* element, const char* link,
                                 MassProperties* body);
/// Returns the shortest rotation from z to the direction.
PoiseQuat poise__robot_turn_to(PoiseVec3 direction);

// ------------------------------------------------------------------------------------------ meshes

/// Returns the file that `uri` names (poise__mesh_find), or the file of that name in `mesh_folder`;
/// NULL if missing.
const char* poise__robot_find_mesh(const RobotReader* reader, const char* uri, const char** fence);
/// Returns the mesh that an element names, with each axis scaled. Reads each mesh once. NULL with a
/// warning.
const MeshSolid* poise__robot_mesh(RobotReader* reader, const Element* element, const char* uri,
                                   PoiseVec3 scale);
/// Reads the file of a height field: its points, each a column, a row and an elevation, in memory
/// of the document. Returns false with a warning, or with an error if the system lacks resources.
bool poise__robot_heights(RobotReader* reader, const Element* element, const char* uri, Mesh* mesh);
/// Adds the visual mesh in the file that `uri` names to a link whose array has space for it. Does
/// nothing if the robot may not name that file.
void poise__robot_add_look(RobotReader* reader, RobotLink* link, const PoiseSceneLook* look,
                           const char* uri);

// -------------------------------------------------------------------------------------- attributes

/// A default class of MJCF: the settings that its elements inherit.
typedef struct RobotClass {
    const char* name;
    const struct RobotClass* parent; ///< class that contains this one; NULL: none
    int depth;
    const Element** settings; ///< its <geom>, <joint>, ...; a later setting replaces an earlier one
    int setting_count;
    int setting_capacity;
} RobotClass;

/// An element whose attributes are read. A missing attribute is searched in its class, then in the
/// classes around this class.
typedef struct Source {
    RobotReader* reader;
    const Element* element;
    const RobotClass* class; ///< class of the element; NULL: none
} Source;

/// Kinds of attributes that poise__tag_fill reads.
typedef enum AttributeKind {
    ATTRIBUTE_NUMBERS,      ///< the member is a double[count]
    ATTRIBUTE_BOUND,        ///< the member is a double, which may be infinite
    ATTRIBUTE_AT_LEAST_0,   ///< the member is a double; a number below 0 is an error
    ATTRIBUTE_IF_TRUE,      ///< the member is a bool: true for "true" only
    ATTRIBUTE_UNLESS_FALSE, ///< the member is a bool: true unless "false"
    ATTRIBUTE_TEXT          ///< the member is a const char*
} AttributeKind;

/// An attribute, and the member that gets its value.
typedef struct Attribute {
    const char* key;
    size_t offset;
    AttributeKind kind;
    int count;
} Attribute;

#define ATTRIBUTE(key, type, member, kind, count)                                                  \
    { key, offsetof(type, member), kind, count }

#define ATTRIBUTES_END                                                                             \
    { NULL, 0, ATTRIBUTE_NUMBERS, 0 }

/// Reads the attributes of a table that ends with ATTRIBUTES_END. A missing attribute leaves its
/// member unchanged. Reports wrong values, and returns false if there are any.
bool poise__tag_fill(Source from, const Attribute* fields, void* values);

/// True if the element is a map with this tag.
bool poise__tag_is(const Element* element, const char* tag);
/// True if the tag is one of MJCF's actuators, which share their default settings.
bool poise__tag_is_actuator(const char* tag);
/// Returns the next child map with the tag (NULL: any), from index `*at` on; NULL: none. `*at` gets
/// the index after the child.
const Element* poise__tag_next(const Element* parent, const char* tag, int* at);
/// Returns the element that has the attribute: the element itself or a setting of its class; NULL
/// if no such element exists.
const Element* poise__tag_holder(Source from, const char* key);
/// Returns the attribute's text; NULL if it is missing.
const char* poise__tag_text(Source from, const char* key);
/// Returns the element's own attribute; NULL if it is missing.
const char* poise__tag_own_text(const Element* element, const char* key);
/// Returns the element's own attribute; NULL with an error if it is missing or empty.
const char* poise__tag_needed_text(RobotReader* reader, const Element* element, const char* key);
/// Reads `count` numbers. A missing attribute leaves `values` unchanged. Wrong numbers are
/// reported, and false is returned.
bool poise__tag_numbers(Source from, const char* key, double* values, int count);
/// Like poise__tag_numbers for an attribute of the element itself; a missing attribute is an error.
bool poise__tag_needed_numbers(RobotReader* reader, const Element* element, const char* key,
                               double* values, int count);
/// Reads at most `most` numbers. Returns how many there were; -1 if they are wrong (reported).
int poise__tag_some_numbers(Source from, const char* key, double* values, int most);

/// Returns the index of the word in a list that ends with NULL; -1 with the error "'word' is no
/// type of OWNER".
int poise__tag_word(RobotReader* reader, PoiseMark mark, const char* word, const char* const* words,
                    const char* owner);
/// Returns the number of a name among things that the error calls `what`; -1 with the error "there
/// is no WHAT 'NAME'".
int poise__robot_find(RobotReader* reader, const NameTable* names, PoiseMark mark, const char* what,
                      const char* name);
/// Writes "; did you mean 'NAME'?" for a wrong name, or "" if nothing is similar. After many
/// comparisons in a file nothing more is compared.
const char* poise__robot_guess(RobotReader* reader, const char* written, const NameTable* names,
                               char* text, size_t capacity);

/// Reports an error at `mark`. Returns false.
bool poise__robot_refuse(RobotReader* reader, PoiseMark mark, const char* format, ...)
    POISE_PRINTF(3, 4);
/// Reports, once for all elements of this name, why they are not used.
void poise__robot_note(RobotReader* reader, PoiseSeverity severity, const Element* element,
                       const char* why);

#endif
