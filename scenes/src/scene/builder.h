// SPDX-License-Identifier: MIT
// Turns the tables of a scene into the scene: resolves names, adds robots, orders joints.
#ifndef POISE_BUILDER_H
#define POISE_BUILDER_H

#include "poise/look.h"
#include "spec.h"
#include "urdf.h"

typedef struct Builder {
    Arena* arena;
    PoiseDiagnostics* diagnostics;
    SceneSpec* spec;
    /// Who read the spec, with the file's unit of angle.
    Reader reader;
    /// Path of the scene; other files are searched in its folder.
    const char* path;
    /// The fence of all its documents.
    const char* fence;
    /// As Document.packages.
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
    /// Names that are joints, but do not move: welded ones.
    const char** welds;
    int weld_count;
    int weld_capacity;
    size_t robot_bytes;
    MeshCost mesh_cost;
    bool overfull; ///< it was said that something was too much
    /// Joints that were written, but could not be made.
    const char** lost;
    int lost_count;
    int lost_capacity;
    int* joint_order;
    int driven_count;
} Builder;

/// Adds; the index, or -1 when memory is short or a name is taken (an error then).
int poise__build_add_body(Builder* builder, const PoiseSceneBody* body);
int poise__build_add_frame(Builder* builder, const char* name, PoiseMark mark, int body,
                           PoisePose in_body);
int poise__build_add_joint(Builder* builder, const PoiseSceneJoint* joint);

/// True if the body is `root` or a chain of joints connects it to `root`.
bool poise__build_hangs_on(const Builder* builder, int body, int root);
/// True if the scene may read the named file; reports an error otherwise.
bool poise__build_may_read(Builder* builder, const char* file, const char* path, PoiseMark mark);

/// -1 where there is none.
int poise__build_find_frame(const Builder* builder, const char* name);
int poise__build_find_joint(const Builder* builder, const char* name);
/// Returns the index; reports an error with a suggestion at `mark` if missing.
int poise__build_need_frame(Builder* builder, const char* name, PoiseMark mark);
/// The frame that the reference names, whose body becomes its index; NULL, after an error where a
/// name was written.
const PoiseSceneFrame* poise__build_resolve_body(Builder* builder, PoiseRef* body);
/// True if the name belongs to a robot or joint that could not be read. That error was reported
/// already.
bool poise__build_is_lost(const Builder* builder, const char* name);
void poise__build_lose(Builder* builder, const char* name);

/// Bookkeeping while one item is built. The image of a broken item reports no findings; an item
/// with errors becomes broken.
typedef struct Silence {
    PoiseDiagnostics* diagnostics;
    Header* header;
    int errors;
} Silence;

Silence poise__build_begin(Builder* builder, Header* headers, int index);
void poise__build_end(Builder* builder, const Silence* silence);

// The stages, in this order.
void poise__build_bodies(Builder* builder);
void poise__build_robots(Builder* builder);
void poise__build_joints(Builder* builder);
void poise__build_structure(Builder* builder);
/// Sets springs of joints that are `tuned`, for steps of that length, s.
void poise__build_springs(Builder* builder, double step);
/// The goals of points that follow the scene's motion, which the element says.
void poise__build_motion(Builder* builder, const Element* element);
void poise__build_points(Builder* builder);
void poise__build_pushes(Builder* builder);
/// Reports settings that are allowed and seldom meant.
void poise__build_suspicions(Builder* builder);

/// In place of bodies, robots and joints: a robot without a scene; NULL with errors.
const UrdfRobot* poise__build_alone_robot(Builder* builder, const char* text, size_t size);
/// After its structure: springs, a ground below it, a control point at each tip, at rest.
void poise__build_alone_scene(Builder* builder, const UrdfRobot* robot);

/// Joints that follow others, from the first on, start where those put them.
void poise__build_mimic_starts(Builder* builder, int first);

/// Lets a body go that no joint carries, after the structure; false when memory is short.
bool poise__build_float(Builder* builder, const char* name, int body);

/// Mass on both sides of a joint when the scene starts.
typedef struct JointLoad {
    MassProperties outward; ///< world axes
    MassProperties inward;
    PoiseVec3 place; ///< of the joint
    PoiseVec3 axis;  ///< of length 1; 0 where it has several
    bool loose;      ///< True if the inward side is free.
} JointLoad;

/// `poses`: of poise__build_start_poses.
JointLoad poise__build_joint_load(const Builder* builder, const PoiseSceneJoint* joint,
                                  const PoisePose* poses);

/// Returns poses of the bodies at the start, in the arena; NULL if memory is short. Needs the
/// structure.
PoisePose* poise__build_start_poses(Builder* builder);
/// Writes the poses of the bodies at the start into the caller's array, one per body.
void poise__build_start_places(const Builder* builder, PoisePose* poses);

/// True if the name fits the pattern: * matches any letters, ? one letter.
bool poise__pattern_fits(const char* pattern, const char* name);
bool poise__pattern_is(const char* name);
/// Joints that a pattern is compared with: from index `first` on, their names without `prefix`
/// letters.
typedef struct JointNames {
    int first;
    size_t prefix;
} JointNames;

/// True if a name fits the pattern. The second writes "; did you mean 'b*'?" if a similar pattern
/// fits, else "".
bool poise__build_fits_any(const Builder* builder, const char* pattern, JointNames names);
const char* poise__build_guess_pattern(const Builder* builder, const char* pattern,
                                       JointNames names, char* text, size_t capacity);

/// Replaces or adds what `key=value` says in the tree; false with an error at the override.
bool poise__override_apply(Document* document, Element* root, const char* text);

#endif
