// SPDX-License-Identifier: MIT
// MJCF, MuJoCo's format, as far as it says what a robot is: bodies, joints, geoms, inertials,
// sites, default classes, actuators' limits, equalities, keyframes. All else is noted.
#ifndef POISE_MJCF_H
#define POISE_MJCF_H

#include "names.h"
#include "urdf.h"

/// A default class: what elements of the class have that do not say otherwise.
typedef struct MjcfClass {
    const char* name;
    int parent; ///< -1 for the outermost
    int depth;
    const Element** settings; ///< <geom>, <joint>, ...; later ones win
    int setting_count;
    int setting_capacity;
} MjcfClass;

/// An element inside a body, frames and replicates around it resolved.
typedef struct MjcfPart {
    const Element* element;
    PoisePose frame;    ///< of what the element's own pose is in, in the body's frame
    int class_index;    ///< what it inherits, -1: none
    const char* suffix; ///< of the names of a replicate's copy
} MjcfPart;

typedef struct MjcfParts {
    MjcfPart* items;
    int count;
    int capacity;
} MjcfParts;

/// A mesh among the assets.
typedef struct MjcfMesh {
    const Element* element;
    const char* file; ///< NULL: none
    PoiseVec3 scale;
    PoisePose frame; ///< of what the file has, scaled, in the geom's frame (refpos, refquat)
    bool read;       ///< one of points in the model itself, which is `solid` then
    const MeshSolid* solid;
} MjcfMesh;

typedef struct MjcfReader {
    UrdfReader base;
    double angle_unit;     ///< rad in the file's unit
    char euler[4];         ///< axes of `euler`, upper case: fixed ones
    bool auto_limits;      ///< a range is a limit by itself
    bool mass_from_geoms;  ///< even where there is an inertial
    double mass_groups[2]; ///< the least and the last group of geoms that weigh
    double total_mass;     ///< kg, all masses are scaled to it; negative: they are not
    double least_mass;     ///< kg
    double least_moment;   ///< kg m^2
    bool balance;          ///< moments that no body can have become their mean
    MjcfClass* classes;
    int class_count;
    int class_capacity;
    NameTable class_names;
    NameTable body_names; ///< of all <body> elements, read before the tree
    int part_count;
    const char* mesh_folder; ///< NULL: that of the file
    bool strip_path;
    NameTable mesh_names;
    MjcfMesh* meshes;
    int mesh_count;
    int mesh_capacity;
    NameTable material_names;
    const Element** materials;
    int material_count;
    int material_capacity;
    bool gravity_off;
} MjcfReader;

static inline PoiseDiagnostics* poise__mjcf_diagnostics(const MjcfReader* reader) {
    return reader->base.document->diagnostics;
}

/// A kind of geom.
typedef struct MjcfKind {
    const char* word;
    PoiseShapeKind shape; ///< 0: none of its own
    int sizes;            ///< without fromto
    bool ellipsoid;       ///< `shape` is what stands for it
} MjcfKind;

/// Where attributes are looked for: the element, then its class and those around it.
typedef struct MjcfSource {
    MjcfReader* reader;
    const Element* element;
    int class_index; ///< -1: none
} MjcfSource;

/// A geom as it is read.
typedef struct MjcfGeom {
    MjcfSource from;
    const MjcfKind* kind;
    PoiseSceneShape shape; ///< in the body's frame
    MassProperties solid;  ///< filled with density 1, in the body's frame
} MjcfGeom;

/// Puts what `<include>` names in its place, in the whole tree. False with an error.
bool poise__mjcf_include(Document* document, Element* root);

// Values.

/// `compiler`, `option` and `default`; before all else.
void poise__mjcf_read_settings(MjcfReader* reader);
/// The class that the element names under `key` (class, childclass), else `inherited`; an error
/// where there is none of that name.
int poise__mjcf_class(MjcfReader* reader, const Element* element, const char* key, int inherited);
/// The element that says the attribute: the element itself or one of its class; NULL: none does.
const Element* poise__mjcf_holder(MjcfSource from, const char* key);
/// A word of it, NULL where there is none.
const char* poise__mjcf_text(MjcfSource from, const char* key);
/// `count` numbers, unchanged where there are none; false with an error where they are wrong.
bool poise__mjcf_numbers(MjcfSource from, const char* key, double* values, int count);
/// At most `most` numbers; how many there were, -1 with an error.
int poise__mjcf_some_numbers(MjcfSource from, const char* key, double* values, int most);
/// False with an error at the attribute where it is no number, or below 0.
bool poise__mjcf_not_negative(MjcfSource from, const char* key, const char* owner);
/// Whether a range is a limit: `limited` says true, or nothing and the range is given.
bool poise__mjcf_is_limited(MjcfSource from, const char* limited, const char* range);
/// `pos`, and `quat`, `axisangle`, `euler`, `xyaxes` or `zaxis`.
PoisePose poise__mjcf_pose(MjcfSource from);
/// The shortest turn that brings z to the direction.
PoiseQuat poise__mjcf_turn_to(PoiseVec3 direction);
bool poise__mjcf_is(const Element* element, const char* tag);

/// The elements in a body (or worldbody), those in frames and replicates too. `body` says what the
/// body itself is: its element, its class and suffix.
MjcfParts poise__mjcf_parts(MjcfReader* reader, const MjcfPart* body);
/// The element's own name with its suffix, or one made from what it is on.
const char* poise__mjcf_name(MjcfReader* reader, const MjcfPart* part, const char* owner,
                             const char* what, int number);

/// Adds a link; its index, -1 when memory is short.
int poise__mjcf_add_link(MjcfReader* reader, const char* name, const Element* element);
/// A joint that says nothing but its name and its links: fixed, without limits, along z.
UrdfJoint poise__mjcf_joint(const Element* element, const char* name, int parent, int child);
/// Adds a joint; NULL when memory is short.
void poise__mjcf_add_joint(MjcfReader* reader, const UrdfJoint* joint);
/// The joints of a body, each carrying the next; the last carries the body, whose link is `link`.
/// `parts` are the body's, `body` says where it stands in its parent's link.
void poise__mjcf_read_joints(MjcfReader* reader, const MjcfPart* body, const MjcfParts* parts,
                             int parent, int link);

/// The shapes and the mass of the body that the link is.
void poise__mjcf_read_shapes(MjcfReader* reader, const MjcfParts* parts, int link);

/// Its kind; false with an error.
bool poise__mjcf_geom_kind(MjcfGeom* geom);
/// Its shape and solid; false with a finding: it has none. `frame` is what its pose is in.
bool poise__mjcf_geom_shape(MjcfGeom* geom, PoisePose frame);

/// The meshes and materials of all <asset>s, no mesh read yet; before the bodies.
void poise__mjcf_read_assets(MjcfReader* reader);
/// A mesh among the assets, NULL: there is none of that name; and the path of its file.
const MjcfMesh* poise__mjcf_find_mesh(const MjcfReader* reader, const char* name);
const char* poise__mjcf_mesh_path(const MjcfReader* reader, const MjcfMesh* mesh);
/// The colour of the geom or its material, unchanged where neither says one.
void poise__mjcf_colour(MjcfSource geom, double colour[4]);
/// The mesh that the geom names, NULL with a finding; `frame`: of the solid in the geom's frame.
const MeshSolid* poise__mjcf_mesh(MjcfReader* reader, const Element* geom, const char* name,
                                  PoisePose* frame);

/// The tree of bodies: all <worldbody>s on one link.
void poise__mjcf_read_bodies(MjcfReader* reader);
/// What the sections beside the bodies say of joints: actuators, equalities, keyframes.
void poise__mjcf_read_sections(MjcfReader* reader);

/// An error there; false.
bool poise__mjcf_refuse(Document* document, PoiseMark mark, const char* format, ...)
    POISE_PRINTF(3, 4);
/// One finding for all elements of this name that are not used for this reason.
void poise__mjcf_note(MjcfReader* reader, PoiseSeverity severity, const Element* element,
                      const char* why);

#endif
