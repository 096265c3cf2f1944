// SPDX-License-Identifier: MIT
// The triangles that a robot's link looks like, for whoever draws it.
#ifndef POISE_LOOK_H
#define POISE_LOOK_H

#include "poise/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How a link of a robot looks, where its file says it: a mesh, or a primitive. Nothing touches it.
struct PoiseSceneLook {
    int body;
    PoisePose in_body;
    /// The mesh's file, and what it is multiplied with along its axes: see look.h. NULL: a
    /// primitive.
    const char* mesh;
    PoiseVec3 scale;
    PoiseShapeKind kind;
    PoiseVec3 size;
    /// sRGB and opacity, 0..1. Opacity 0: the file does not say, or the mesh does.
    double colour[4];
    /// Of the folder that all its files must lie in; NULL: none.
    const char* fence;
};

/// Points and the triangles between them, m, in the look's own frame, scaled.
typedef struct PoiseLookMesh {
    const PoiseVec3* points;
    int point_count;
    const int (*triangles)[3];
    /// 0xrrggbbaa of each triangle, sRGB; 0: the file does not say.
    const uint32_t* tints;
    int triangle_count;
    /// What reading it took, s of processor time; of one that could not be read, too.
    double seconds;
    /// Its memory: poise_look_finish.
    void* memory;
} PoiseLookMesh;

/// Reads the mesh of a look, in a process of its own with bounds on memory and time; may be called
/// from another thread than the one that runs the scene. False, and everything but the time empty,
/// where it cannot be read: the robot's shapes stand for it then. False for NULL, too.
POISE_API bool poise_look_read(const PoiseSceneLook* look, PoiseLookMesh* mesh);
/// All zero and NULL are allowed.
POISE_API void poise_look_finish(PoiseLookMesh* mesh);

#ifdef __cplusplus
}
#endif

#endif
