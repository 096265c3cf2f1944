// SPDX-License-Identifier: MIT
// The triangles that a robot's link looks like, for whoever draws it.
#ifndef POISE_LOOK_H
#define POISE_LOOK_H

#include "poise/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Points and the triangles between them, m, in the look's own frame, scaled.
typedef struct PoiseLookMesh {
    const PoiseVec3* points;
    int point_count;
    const int (*triangles)[3];
    /// 0xrrggbbaa of each triangle, sRGB; 0: the file does not say.
    const uint32_t* tints;
    int triangle_count;
    /// Its memory: poise_look_finish.
    void* memory;
} PoiseLookMesh;

/// Reads the mesh of a look, in a process of its own with bounds on memory and time; may be called
/// from another thread than the one that runs the scene. False, and everything empty, where it
/// cannot be read: the robot's shapes stand for it then.
bool poise_look_read(const PoiseSceneLook* look, PoiseLookMesh* mesh);
/// All zero is allowed.
void poise_look_finish(PoiseLookMesh* mesh);

#ifdef __cplusplus
}
#endif

#endif
