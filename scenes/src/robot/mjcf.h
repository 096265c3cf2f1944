// SPDX-License-Identifier: MIT
// Reads MJCF, the format of MuJoCo. Reads bodies, joints, geoms and sites; default classes;
// actuators' limits; equalities and keyframes. Reports other elements as not used.
#ifndef POISE_MJCF_H
#define POISE_MJCF_H

#include "robot.h"

/// An element inside a body, with the frames and replicates around it resolved.
typedef struct MjcfPart {
    const Element* element;
    /// Frame in which the element's own pose is given, relative to the body.
    PoisePose frame;
    const RobotClass* class; ///< class that the element inherits
    const char* suffix;      ///< suffix of the names in a copy that a <replicate> makes; "" outside
    struct MjcfModel* model; ///< model of the element
    const char* prefix;      ///< put before the names of an attached model
} MjcfPart;

typedef struct MjcfParts {
    MjcfPart* items;
    int count;
    int capacity;
} MjcfParts;

/// A <mesh> of the model's assets.
typedef struct MjcfMesh {
    const Element* element;
    const char* file;    ///< file of the mesh; NULL: its points are in the model
    const char* inertia; ///< "shell": its mass lies on its surface; NULL: not given
    double scale[3];
    double refpos[3];
    double refquat[4];
    PoisePose frame; ///< pose of the file's points (scaled) in the geom's frame (refpos, refquat)
    bool read; ///< True once `solid` is computed for a mesh whose points are in the model itself
    const MeshSolid* solid;
} MjcfMesh;

/// A model: the file's, or one that <attach> adds. Each model has its own compiler, classes and
/// assets.
typedef struct MjcfModel {
    const char* name; ///< name of its <model> element in `around`
    Document document;
    Element* root;
    struct MjcfModel* around; ///< the model whose <model> names this one; NULL: the robot's file
    struct MjcfModel* next;   ///< next model that `around` opened
    struct MjcfModel* models; ///< models that this one opened
    double angle_unit;        ///< rad per unit of the file's angles
    char euler[4];            ///< axes of `euler`; lower case: moving axes, upper case: fixed axes
    bool auto_limits;         ///< True if a range limits a joint that has no attribute `limited`
    bool mass_from_geoms;     ///< True if geoms give the mass even if there is an inertial
    double mass_groups[2];    ///< least and greatest group of the geoms that give mass
    double total_mass;        ///< all masses are scaled to this sum, kg; negative: no scaling
    double least_mass;        ///< lower bound of a body's mass, kg
    double least_moment;      ///< lower bound of a body's principal moments, kg m^2
    bool balance;             ///< True if moments that no body can have are replaced by their mean
    const char* mesh_folder;  ///< NULL: the model file's folder
    bool strip_path;
    NameTable class_names;
    RobotClass** classes; ///< the first is the main class
    int class_count;
    int class_capacity;
    NameTable mesh_names;
    MjcfMesh* meshes;
    int mesh_count;
    int mesh_capacity;
    NameTable material_names;
    const Element** materials;
    int material_count;
    int material_capacity;
} MjcfModel;

/// A fixed tendon. Its length is the sum of the joints' coordinates, each times its coefficient.
enum { MJCF_TENDON_JOINTS = 32 };
typedef struct MjcfTendon {
    const Element* element;
    const char* name;
    int count; ///< number of joints; 0: a joint is missing, or there are too many
    int joints[MJCF_TENDON_JOINTS];
    double coefs[MJCF_TENDON_JOINTS];
    bool driven;  ///< True if an actuator drives the tendon
    bool coupled; ///< True if an equality fixes its length
} MjcfTendon;

/// A model of which <attach> added a body, or all bodies.
typedef struct MjcfAttached {
    MjcfModel* model;
    const char* prefix;
    bool whole; ///< False if only one body of the model was attached
} MjcfAttached;

typedef struct MjcfReader {
    RobotReader base;
    MjcfModel* model;   ///< the model whose elements are read
    const char* prefix; ///< prefix of the names in the sections of `model`
    bool whole;         ///< False if only one body was attached: sections may name missing elements
    MjcfAttached* attached;
    int attached_count;
    int attached_capacity;
    int model_count;
    size_t attached_weight; ///< number of elements of all attached models
    size_t bytes;           ///< size of all files that were read
    NameTable body_names;   ///< names of all <body> elements; read before the tree
    int part_count;
    MjcfTendon* tendons;
    int tendon_count;
    int tendon_capacity;
    bool gravity_off;
} MjcfReader;

// ------------------------------------------------------------------------------------------ models

/// Replaces each `<include>` in the model's tree by the elements of the file it names. On an error
/// reports it and returns false.
bool poise__mjcf_include(MjcfReader* reader, MjcfModel* model);
/// Returns the path of a file that an element of the document names, searched from the element's
/// file, then from the document's; NULL if it is missing or the model may not name it.
const char* poise__mjcf_find_file(const Document* document, const Element* element,
                                  const char* name);
/// Opens a model: reads its includes, settings and assets, and the models that it names. Returns
/// NULL with errors reported.
MjcfModel* poise__mjcf_open(MjcfReader* reader, const Document* document, Element* root,
                            MjcfModel* around);
/// Makes `model` the model whose elements are read next.
void poise__mjcf_enter(MjcfReader* reader, MjcfModel* model);
/// Returns the body that the <attach> of a part adds, in its own model; `element` NULL: an error
/// was reported.
MjcfPart poise__mjcf_attach(MjcfReader* reader, const MjcfPart* part);
/// Returns an element with the content of all <worldbody> sections of the reader's model, and adds
/// the names of their bodies, with the prefix, to `body_names`; NULL when memory is short.
Element* poise__mjcf_world(MjcfReader* reader, const char* prefix);

// ---------------------------------------------------------------------------------------- elements

/// Returns the class that the element names by `key` (class, childclass), or `inherited` if it
/// names none. An unknown name is reported as an error.
const RobotClass* poise__mjcf_class(MjcfReader* reader, const Element* element, const char* key,
                                    const RobotClass* inherited);
/// Returns the element as a source of attributes, with its own class, else the model's main class.
Source poise__mjcf_source(MjcfReader* reader, const Element* element);
/// Returns the part as a source of attributes, with its own class, else the inherited class.
Source poise__mjcf_part_source(MjcfReader* reader, const MjcfPart* part);
/// Reads a range of two numbers. Returns true if it is a limit: `limited` is true, or absent while
/// autolimits is on and a range is given.
bool poise__mjcf_limit(const MjcfReader* reader, Source from, const char* limited, const char* key,
                       double range[2]);
/// Reads the pose: `pos` and one of the attributes of an orientation (`quat`, `axisangle`, `euler`,
/// `xyaxes`, `zaxis`).
PoisePose poise__mjcf_pose(const MjcfReader* reader, Source from);
/// Returns the element's name with its suffix. An element without a name is called after its owner:
/// OWNER.WHATNUMBER.
const char* poise__mjcf_name(MjcfReader* reader, const MjcfPart* part, const char* owner,
                             const char* what, int number);
/// Returns the name of a site: NAME.site if a body has the same name.
const char* poise__mjcf_site_name(MjcfReader* reader, const char* name);

/// Reads the shapes and the mass of the link's body. `parts` are the body's elements.
void poise__mjcf_read_shapes(MjcfReader* reader, const MjcfParts* parts, int link);
/// Reads the tree of bodies. All <worldbody> sections form one link.
void poise__mjcf_read_bodies(MjcfReader* reader);
/// Reads what other sections state about joints: actuators, equalities, keyframes.
void poise__mjcf_read_sections(MjcfReader* reader);

#endif
