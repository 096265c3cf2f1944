// SPDX-License-Identifier: MIT
// Turns the tables of a scene into the scene: resolves names, adds robots, orders joints.
#ifndef POISE_BUILDER_H
#define POISE_BUILDER_H

#include "poise/look.h"
#include "robot.h"
#include "spec.h"

typedef struct Builder {
    Arena* arena;
    PoiseDiagnostics* diagnostics;
    SceneSpec* spec;
    /// The reader of the spec, with the file's unit of angle.
    Reader reader;
    /// Path of the scene; other files are searched in its folder.
    const char* path;
    /// Folder outside of which no document may name a file; see Document.fence.
    const char* fence;
    /// Folders in which packages of meshes are searched; see Document.packages.
    const char* packages;
    PoiseSceneBody* bodies;
    int body_count;
    int body_capacity;
    PoiseSceneLook* looks;
    int look_count;
    int look_capacity;
    PoiseSceneFrame* frames;
    int frame_count;
    int frame_capacity;
    NameTable frame_names;
    PoiseSceneJoint* joints;
    int joint_count;
    int joint_capacity;
    NameTable joint_names;
    /// Names of joints that do not move, since they weld two links.
    const char** welds;
    int weld_count;
    int weld_capacity;
    PoiseSceneExclusion* exclusions;
    int exclusion_count;
    int exclusion_capacity;
    size_t robot_bytes;
    MeshCost mesh_cost;
    bool without_meshes;
    const char* mesh_cache; ///< folder of the cache of meshes; NULL: none
    bool overfull;          ///< an excess of joints or bodies was reported
    /// Names of joints in the file that could not be built; poise__build_is_lost compares with
    /// them.
    const char** lost;
    int lost_count;
    int lost_capacity;
    int* joint_order;
    int driven_count;
} Builder;

/// Adds an item. Returns its index; -1 if memory is short, or with an error if the name is taken.
int poise__build_add_body(Builder* builder, const PoiseSceneBody* body);
int poise__build_add_frame(Builder* builder, const char* name, PoiseMark mark, int body,
                           PoisePose in_body);
int poise__build_add_joint(Builder* builder, const PoiseSceneJoint* joint);

/// Returns the driven joint that carries the body; NULL: none, as for the world (-1). A joint that
/// closes a loop carries no body, so the carrying joints form a tree.
static inline PoiseSceneJoint* poise__build_carrier(const Builder* builder, int body) {
    const int joint = body >= 0 ? builder->bodies[body].joint : -1;
    return joint >= 0 ? &builder->joints[joint] : NULL;
}
/// Returns the parent body of the joint that carries the body; -1: none, or the world.
static inline int poise__build_parent(const Builder* builder, int body) {
    const PoiseSceneJoint* carrier = poise__build_carrier(builder, body);
    return carrier ? carrier->parent.index : -1;
}
/// True if joints carry `other` outward of `body`, or if both are the same body.
bool poise__build_carries(const Builder* builder, int body, int other);
/// Returns an array of the arena: true for each body that is `root`, or that joints carry outward
/// of `root`. NULL if memory is short.
bool* poise__build_outward(const Builder* builder, int root);
/// True if the scene may read the file that it names; reports an error otherwise.
bool poise__build_may_read(Builder* builder, const char* file, const char* path, PoiseMark mark);

/// Returns the index of the frame with this name; -1 if missing.
int poise__build_find_frame(const Builder* builder, const char* name);
int poise__build_find_joint(const Builder* builder, const char* name);
/// Returns the index of the frame with this name. If it is missing, reports an error with a
/// suggestion at `mark`, and returns -1.
int poise__build_need_frame(Builder* builder, const char* name, PoiseMark mark);
/// Returns the frame that the reference names, and stores the index of its body in the reference.
/// Returns NULL if there is no name or, after an error, if the name is unknown.
const PoiseSceneFrame* poise__build_resolve_body(Builder* builder, PoiseRef* body);
/// True if the name belongs to a robot or joint with errors, so that a second report is not needed.
bool poise__build_is_lost(const Builder* builder, const char* name);
void poise__build_lose(Builder* builder, const char* name);

/// Finds out if an item causes errors while it is built; such an item becomes `broken`. The mirror
/// image of a broken item reports no findings, since its original did.
typedef struct ErrorWatch {
    PoiseDiagnostics* diagnostics;
    Header* header;
    int errors;
} ErrorWatch;

ErrorWatch poise__build_begin(Builder* builder, Header* headers, int index);
void poise__build_end(Builder* builder, const ErrorWatch* watch);

// Stages of the construction, in this order.
void poise__build_bodies(Builder* builder);
void poise__build_robots(Builder* builder);
void poise__build_joints(Builder* builder);
void poise__build_structure(Builder* builder);
/// Sets springs of joints that are `tuned`, for steps of length `step`, s.
void poise__build_springs(Builder* builder, double step);
/// Sets the goals of points that follow the scene's recorded motion, which `element` describes.
void poise__build_motion(Builder* builder, const Element* element);
void poise__build_points(Builder* builder);
void poise__build_pushes(Builder* builder);
/// Resolves the bodies of `keep_apart`, whose key is at `mark`.
void poise__build_apart(Builder* builder, PoiseMark mark);
/// Reports allowed settings that are rarely intended.
void poise__build_suspicions(Builder* builder);

/// Builds a robot without a scene, in place of bodies, robots and joints; NULL after an error.
const Robot* poise__build_alone_robot(Builder* builder, const char* text, size_t size);
/// Completes the scene of a robot alone after the structure: adds springs, a ground, and a control
/// point at each tip that keeps the tip at its start.
void poise__build_alone_scene(Builder* builder, const Robot* robot);

/// Sets the start of each joint from index `first` on that mimics another joint; it follows from
/// that joint's start.
void poise__build_mimic_starts(Builder* builder, int first);

/// Adds a floating base to a body that no joint carries, after the structure; false if memory is
/// short.
bool poise__build_float(Builder* builder, const char* name, int body);

/// Mass on both sides of a joint when the scene starts.
typedef struct JointLoad {
    MassProperties outward; ///< bodies that the joint carries, world axes
    MassProperties inward;
    PoiseVec3 place; ///< place of the joint, world
    PoiseVec3 axis;  ///< axis of the joint, of length 1; 0 if the joint has several axes
    bool loose;      ///< True if the inward side is not fixed to the world
} JointLoad;

/// Sums the masses on both sides of the joint; `poses` come from poise__build_start_poses.
JointLoad poise__build_joint_load(const Builder* builder, const PoiseSceneJoint* joint,
                                  const PoisePose* poses);

/// Returns poses of the bodies at the start, in the arena; NULL if memory is short. Called after
/// the structure.
PoisePose* poise__build_start_poses(Builder* builder);
/// Writes the poses of the bodies at the start into the caller's array, one per body.
void poise__build_start_places(const Builder* builder, PoisePose* poses);

/// True if the name fits the pattern: * matches any letters, ? one letter.
bool poise__pattern_fits(const char* pattern, const char* name);
bool poise__pattern_is(const char* name);
/// Range of names that a pattern is compared with: joints from index `first` on, without the first
/// `prefix` letters of their names.
typedef struct JointNames {
    int first;
    size_t prefix;
} JointNames;

/// True if the pattern matches a name. The second function writes "; did you mean 'b*'?" if a
/// similar pattern matches, else "".
bool poise__build_fits_any(const Builder* builder, const char* pattern, JointNames names);
const char* poise__build_guess_pattern(const Builder* builder, const char* pattern,
                                       JointNames names, char* text, size_t capacity);

/// Sets `key=value` in the tree. Returns false after an error, whose place is in the text of the
/// setting.
bool poise__override_apply(Document* document, Element* root, const char* text);

#endif
