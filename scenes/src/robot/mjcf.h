// SPDX-License-Identifier: MIT
// Reads MJCF, the format of MuJoCo. Reads bodies, joints, geoms and sites; default classes;
// actuators' limits; equalities and keyframes. Reports other elements as not used.
#ifndef POISE_MJCF_H
#define POISE_MJCF_H

#include "names.h"
#include "urdf.h"

/// A default class: the settings that its elements inherit.
typedef struct MjcfClass {
    const char* name;
    int parent; ///< index of the class around it; -1 for the outermost
    int depth;
    const Element** settings; ///< its <geom>, <joint>, ...; later settings win
    int setting_count;
    int setting_capacity;
} MjcfClass;

/// An element inside a body. Frames and replicates around it are resolved.
typedef struct MjcfPart {
    const Element* element;
    PoisePose frame;         ///< frame of the element's own pose, relative to the body
    int class_index;         ///< class that the element inherits; -1: none
    const char* suffix;      ///< added to names, in a copy of a replicate
    struct MjcfModel* model; ///< model of the element
    const char* prefix;      ///< before names, in an attached model
} MjcfPart;

typedef struct MjcfParts {
    MjcfPart* items;
    int count;
    int capacity;
} MjcfParts;

/// A mesh among the assets.
typedef struct MjcfMesh {
    const Element* element;
    const char* file; ///< NULL: the mesh has no file
    PoiseVec3 scale;
    PoisePose frame; ///< pose of the file's points (scaled) in the geom's frame (refpos, refquat)
    bool read; ///< True once `solid` is computed for a mesh whose points are in the model itself
    const MeshSolid* solid;
} MjcfMesh;

/// A model: that of the file, or one that <attach> adds. Its compiler, classes and assets are its
/// own.
typedef struct MjcfModel {
    const char* name; ///< name of its <model>
    Document document;
    Element* root;
    struct MjcfModel* around; ///< the model whose <model> names it; NULL: that of the file
    struct MjcfModel* next;   ///< next model that the same model names
    struct MjcfModel* models; ///< models that this one names
    double angle_unit;        ///< rad per unit of the file's angles
    char euler[4];            ///< axes of `euler`; upper case: axes that stay fixed
    bool auto_limits;         ///< True if a range limits without `limited`
    bool mass_from_geoms;     ///< True if geoms give the mass even if there is an inertial
    double mass_groups[2];    ///< least and greatest group of the geoms that give mass
    double total_mass;        ///< kg, all masses are scaled to this sum; negative: no scaling
    double least_mass;        ///< kg
    double least_moment;      ///< kg m^2
    bool balance;             ///< True if moments that no body can have become their mean
    int main_class;           ///< class that holds for all elements
    NameTable class_names;
    const char* mesh_folder; ///< NULL: the model file's folder
    bool strip_path;
    NameTable mesh_names;
    MjcfMesh* meshes;
    int mesh_count;
    int mesh_capacity;
    NameTable material_names;
    const Element** materials;
    int material_count;
    int material_capacity;
} MjcfModel;

/// A model that was attached.
typedef struct MjcfAttached {
    MjcfModel* model;
    const char* prefix;
    bool whole; ///< False if only one of its bodies was attached
} MjcfAttached;

typedef struct MjcfReader {
    UrdfReader base;
    MjcfModel* model;   ///< the model whose elements are read
    const char* prefix; ///< before the names that its sections give
    bool whole;         ///< False if its sections may name what is not there
    MjcfAttached* attached;
    int attached_count;
    int attached_capacity;
    int model_count;
    size_t attached_weight; ///< elements of all that was attached
    size_t bytes;           ///< of all files
    MjcfClass* classes;
    int class_count;
    int class_capacity;
    NameTable body_names; ///< names of all <body> elements; read before the tree
    int part_count;
    bool gravity_off;
} MjcfReader;

static inline PoiseDiagnostics* poise__mjcf_diagnostics(const MjcfReader* reader) {
    return reader->base.document->diagnostics;
}

/// A type of geom.
typedef struct MjcfKind {
    const char* word;
    PoiseShapeKind shape; ///< 0: the type has no primitive
    int sizes;            ///< number of sizes without fromto
    bool ellipsoid;       ///< ellipsoid: read as a box, then replaced by a capsule or ball
} MjcfKind;

/// An element whose attributes are read. A missing attribute is searched in its class and the
/// classes around that.
typedef struct MjcfSource {
    MjcfReader* reader;
    const Element* element;
    int class_index; ///< -1: none
} MjcfSource;

/// State of reading a geom.
typedef struct MjcfGeom {
    MjcfSource from;
    const MjcfKind* kind;
    PoiseSceneShape shape; ///< in the body's frame
    MassProperties solid;  ///< filled with density 1, in the body's frame
} MjcfGeom;

/// Replaces each `<include>` in the tree by the elements of the file it names, and adds the sizes
/// of the files to `bytes`. On an error reports it and returns false.
bool poise__mjcf_include(Document* document, Element* root, size_t* bytes);
/// Returns the path of a file that an element of a model names, from the element's file or from
/// `main_file`; NULL if it is missing or the model may not name it.
const char* poise__mjcf_find_file(const Document* document, const Element* element,
                                  const char* main_file, const char* name);

/// Prepares a model for reading: its includes, its settings and assets, and the models that it
/// names. Returns NULL with errors reported.
MjcfModel* poise__mjcf_open(MjcfReader* reader, const Document* document, Element* root,
                            MjcfModel* around);
/// Returns an element with the content of all <worldbody> sections of the reader's model; NULL when
/// memory is short.
Element* poise__mjcf_world(MjcfReader* reader);
/// Reads the elements that follow as parts of the model.
static inline void poise__mjcf_enter(MjcfReader* reader, MjcfModel* model) {
    reader->model = model;
    reader->base.document = &model->document;
    reader->base.root = model->root;
}
/// Returns the body that the <attach> of a part adds, in its own model; `element` NULL: an error
/// was reported.
MjcfPart poise__mjcf_attach(MjcfReader* reader, const MjcfPart* part);

// Values of attributes.

/// Reads `compiler`, `option` and `default`. All other elements depend on them.
void poise__mjcf_read_settings(MjcfReader* reader);
/// Returns the class that the element names by `key` (class, childclass), or `inherited` if it
/// names none. An unknown name is reported as an error.
int poise__mjcf_class(MjcfReader* reader, const Element* element, const char* key, int inherited);
/// Returns the element that has the attribute: the element itself or a setting of its class; NULL
/// if no such element exists.
const Element* poise__mjcf_holder(MjcfSource from, const char* key);
/// Returns the attribute's text; NULL if it is missing.
const char* poise__mjcf_text(MjcfSource from, const char* key);
/// Reads `count` numbers. A missing attribute leaves `values` unchanged. Wrong numbers are
/// reported, and false is returned.
bool poise__mjcf_numbers(MjcfSource from, const char* key, double* values, int count);
/// Reads at most `most` numbers. Returns how many there were; -1 if they are wrong (reported).
int poise__mjcf_some_numbers(MjcfSource from, const char* key, double* values, int most);
/// Checks that the attribute, if present, is a number of at least 0. Reports a wrong value and
/// returns false.
bool poise__mjcf_not_negative(MjcfSource from, const char* key, const char* owner);
/// True if a range is a limit: `limited` is true, or absent while autolimits is on and a range is
/// given.
bool poise__mjcf_is_limited(MjcfSource from, const char* limited, const char* range);
/// Reads the pose: `pos` and one of the attributes of an orientation (`quat`, `axisangle`, `euler`,
/// `xyaxes`, `zaxis`).
PoisePose poise__mjcf_pose(MjcfSource from);
/// Returns the shortest rotation from z to the direction.
PoiseQuat poise__mjcf_turn_to(PoiseVec3 direction);
bool poise__mjcf_is(const Element* element, const char* tag);

/// Adds the names of the bodies below the element, with the prefix, to `body_names`.
void poise__mjcf_collect_names(MjcfReader* reader, const Element* element, const char* prefix);
/// Collects the elements in a body (or worldbody), including those in frames, replicates and
/// attached models. `body`
/// has the body's own element, class and suffix.
MjcfParts poise__mjcf_parts(MjcfReader* reader, const MjcfPart* body);
/// Returns the element's name with its suffix. An element without a name is called after its owner:
/// OWNER.WHATNUMBER.
const char* poise__mjcf_name(MjcfReader* reader, const MjcfPart* part, const char* owner,
                             const char* what, int number);

/// Adds a link. Returns its index; -1 when memory is short.
int poise__mjcf_add_link(MjcfReader* reader, const char* name, const Element* element);
/// Returns a joint with only its name and links set: fixed, without limits, along z.
UrdfJoint poise__mjcf_joint(const Element* element, const char* name, int parent, int child);
/// Adds a joint. When memory is short the arena has failed.
void poise__mjcf_add_joint(MjcfReader* reader, const UrdfJoint* joint);
/// Adds the joints of a body in series, with a massless link between two of them. The last joint
/// carries the body, whose link is `link`. `parts` are the body's elements; `body` has its pose in
/// the parent's link.
void poise__mjcf_read_joints(MjcfReader* reader, const MjcfPart* body, const MjcfParts* parts,
                             int parent, int link);

/// Reads the shapes and the mass of the link's body.
void poise__mjcf_read_shapes(MjcfReader* reader, const MjcfParts* parts, int link);

/// Finds the geom's type. Reports an unknown type and returns false.
bool poise__mjcf_geom_kind(MjcfGeom* geom);
/// Computes the geom's shape and solid; its pose is relative to `frame`. If there is no shape,
/// reports why and returns false.
bool poise__mjcf_geom_shape(MjcfGeom* geom, PoisePose frame);

/// Reads the meshes and materials of all <asset> sections, but no mesh files. Bodies need them.
void poise__mjcf_read_assets(MjcfReader* reader);
/// Returns the mesh of the assets with this name, or NULL. The second function returns the path of
/// a mesh's file.
const MjcfMesh* poise__mjcf_find_mesh(const MjcfReader* reader, const char* name);
const char* poise__mjcf_mesh_path(const MjcfReader* reader, const MjcfMesh* mesh);
/// Reads the colour of the geom or of its material. Without one, `colour` stays.
void poise__mjcf_colour(MjcfSource geom, double colour[4]);
/// Returns the solid of the mesh that the geom names; NULL with a finding. `frame` gets the pose of
/// the solid in the geom's frame.
const MeshSolid* poise__mjcf_mesh(MjcfReader* reader, const Element* geom, const char* name,
                                  PoisePose* frame);

/// Reads the tree of bodies. All <worldbody> sections form one link.
void poise__mjcf_read_bodies(MjcfReader* reader);
/// Reads what other sections state about joints: actuators, equalities, keyframes.
void poise__mjcf_read_sections(MjcfReader* reader);

/// Reports an error at `mark`. Returns false.
bool poise__mjcf_refuse(Document* document, PoiseMark mark, const char* format, ...)
    POISE_PRINTF(3, 4);
/// Reports, once for all elements of this name, why they are not used.
void poise__mjcf_note(MjcfReader* reader, PoiseSeverity severity, const Element* element,
                      const char* why);

#endif
