// SPDX-License-Identifier: MIT
// A robot as its URDF or MJCF says it: links and joints by name, checked to be one tree, numbers
// checked, nothing welded yet.
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
    URDF_BALL ///< MJCF's; in a URDF an extension of Bullet's
} UrdfJointKind;

typedef struct UrdfLink {
    const char* name;
    PoiseMark mark;
    const Element* element;
    bool has_inertial;
    /// In the link's frame.
    MassProperties mass;
    /// Of all its shapes, filled with density 1.
    MassProperties solid;
    PoiseSceneShape* shapes;
    int shape_count;
    /// In the link's frame, their bodies not said.
    PoiseSceneLook* looks;
    int look_count;
    /// The joint that carries it, -1 for the root.
    int joint;
    /// In the robot's root frame while every joint is at 0.
    PoisePose pose;
} UrdfLink;

typedef struct UrdfJoint {
    const char* name;
    PoiseMark mark;
    UrdfJointKind kind;
    int parent; ///< links
    int child;
    PoisePose origin; ///< of the child link in the parent link
    PoiseVec3 anchor; ///< where it turns, in the child link: URDF's 0
    PoiseVec3 axis;   ///< of length 1, in the child link
    double lower;     ///< infinities where there is no range
    double upper;
    double effort; ///< infinity where none is given
    double velocity;
    double damping;
    double friction;  ///< dry, N m (N)
    bool driven;      ///< an actuator is on it; URDF does not say, MJCF does
    double armature;  ///< inertia of what drives it, kg m^2 (kg)
    double stiffness; ///< of MJCF's spring, which rests at `rest`
    double rest;
    double zero;        ///< what the file calls the angle that is 0 here
    double start;       ///< the file's starting angle; NAN where it says none
    PoiseQuat turn;     ///< a ball's: how its child starts, in the child's axes
    const char* mimics; ///< NULL, or the joint whose angle it follows: multiplier * angle + offset
    PoiseMark mimic_mark;
    double multiplier;
    double offset;
} UrdfJoint;

/// Two links that are held together beside the tree.
typedef struct UrdfClosure {
    const char* name;
    PoiseMark mark;
    int a; ///< links
    int b;
    PoiseVec3 anchor; ///< in link a
    bool weld;        ///< held in place and rotation, else in a place alone
    bool has_relative;
    PoisePose relative; ///< weld: of b in a; without, as they stand
} UrdfClosure;

/// What the file says of the world around the robot.
typedef struct UrdfWorld {
    bool has_gravity;
    PoiseVec3 gravity; ///< m/s^2
    double step;       ///< s, 0: not said
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
    NameTable mesh_names;     ///< what was read already
    const MeshSolid** meshes; ///< NULL: it could not be
    int mesh_count;
    int mesh_capacity;
    /// Where a URDF says that MuJoCo finds its meshes, by their names alone; NULL: it does not.
    const char* mesh_folder;
    int compared; ///< names, to guess what wrong ones mean
} UrdfReader;

/// Whether the text is a table of Denavit and Hartenberg (dh_table.c), and that table as the tree
/// of a URDF; NULL with errors reported.
bool poise__is_dh_table(const char* text, size_t size);
Element* poise__dh_read(Document* document, const char* text, size_t size);

/// The robot that a text says, whatever its format; NULL with errors reported.
UrdfRobot* poise__robot_read(Document* document, const char* text, size_t size);

/// The robot that the tree of an URDF file says; NULL with errors reported.
UrdfRobot* poise__urdf_read(Document* document, const Element* root);
/// The same of an MJCF file, mjcf.h.
UrdfRobot* poise__mjcf_read(Document* document, Element* root);

/// A joint that says nothing but its name: fixed, without limits, along x.
UrdfJoint poise__urdf_default_joint(const char* name, PoiseMark mark);

/// Whether the joint lets a whole robot go: `world` -floating-> base is how many say that they are
/// not bolted down.
bool poise__urdf_is_base(const UrdfRobot* robot, const UrdfJoint* joint);

/// Makes the inertia one that the body can have, with one note for all that could not: nothing
/// where its moments are too small for its mass, so that the shape's are taken.
void poise__urdf_mend_inertia(UrdfReader* reader, const Element* element, const char* link,
                              MassProperties* body);

// Stages of it, in this order, each with what is wrong reported.
/// Each planar joint as two that slide and one that turns, with links between them: NAME_TX,
/// NAME_TY and NAME_RZ, as MuJoCo has it.
void poise__urdf_split_planar(UrdfReader* reader);
bool poise__urdf_sort(UrdfReader* reader);
void poise__urdf_read_shapes(UrdfReader* reader, UrdfLink* link);

/// The file that `uri` names, as poise__mesh_find has it; else the one of that name in
/// `mesh_folder`. NULL: there is none.
const char* poise__robot_find_mesh(const UrdfReader* reader, const char* uri, const char** fence);
/// The mesh that an element of the file names, read once, each axis scaled; NULL with a warning.
const MeshSolid* poise__robot_mesh(UrdfReader* reader, const Element* element, const char* uri,
                                   PoiseVec3 scale);
/// Adds a shape to the link, and what it holds when filled with density 1.
void poise__urdf_add_shape(UrdfLink* link, PoiseSceneShape shape, MassProperties solid);

// Attributes. Each reports what is wrong and returns false then, `values` unchanged.
bool poise__urdf_numbers(UrdfReader* reader, const Element* element, const char* key,
                         double* values, int count);
bool poise__urdf_number(UrdfReader* reader, const Element* element, const char* key, double* value);
/// The same, but "inf" and "-inf" are numbers too.
bool poise__urdf_bound(UrdfReader* reader, const Element* element, const char* key, double* value);
/// One that must be at least 0; the fallback where it is missing or wrong.
double poise__urdf_not_negative(UrdfReader* reader, const Element* element, const char* key,
                                double fallback);
/// `<origin xyz rpy>` inside the element; the identity where there is none.
PoisePose poise__urdf_origin(UrdfReader* reader, const Element* element);
/// A text attribute, NULL with an error where it is missing.
const char* poise__urdf_text(UrdfReader* reader, const Element* element, const char* key);

/// Whether a wrong name may be compared to one more: a file of wrong names gets few guesses.
bool poise__urdf_may_guess(UrdfReader* reader);

/// One note for each kind of child elements that are none of `known` (ended by NULL).
void poise__urdf_note_unknown(UrdfReader* reader, const Element* element, const char* owner,
                              const char* const* known);

/// How a URDF's link looks: its <visual> elements, as far as they can be read.
void poise__urdf_read_looks(UrdfReader* reader, UrdfLink* link);
/// Adds a mesh that is only seen to a link that has room for it: the file that `uri` names, where
/// the robot may name it, else nothing.
void poise__robot_add_look(UrdfReader* reader, UrdfLink* link, const PoiseSceneLook* look,
                           const char* uri);

#endif
