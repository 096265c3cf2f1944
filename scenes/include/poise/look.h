// SPDX-License-Identifier: MIT
// The triangles that a robot's link looks like, for programs that draw the robot.
#ifndef POISE_LOOK_H
#define POISE_LOOK_H

#include "poise/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The visual shape of a robot's link, from the robot's file: a mesh or a primitive. A visual shape
/// has no contacts.
struct PoiseSceneLook {
    int body;
    PoisePose in_body;
    /// File of the mesh, and the factors that scale it along its axes. NULL: a primitive.
    const char* mesh;
    PoiseVec3 scale;
    PoiseShapeKind kind;
    PoiseVec3 size;
    /// sRGB and opacity, 0..1. Opacity 0: the robot's file gives no colour, or the mesh file gives
    /// it.
    double colour[4];
    /// Folder that must contain all files of the mesh; NULL: no restriction.
    const char* fence;
    /// Triangles to draw in place of a mesh file's; NULL: none.
    const PoiseSceneHull* hull;
    /// True if `colour` replaces all colours of the mesh file.
    bool plain;
    /// Box of the link's collision shapes in the look's own frame, m. A glTF file, in which y
    /// points up, is rotated by 90 degrees about x unless the unrotated mesh fits this box better.
    /// `low` and `high` are equal if there is no box.
    PoiseVec3 low;
    PoiseVec3 high;
};

/// Points and the triangles between them, m, in the look's own frame, after scaling.
typedef struct PoiseLookMesh {
    const PoiseVec3* points;
    int point_count;
    const int (*triangles)[3];
    /// Colour of each triangle, 0xrrggbbaa, sRGB; 0: the file gives none. NULL: no triangle has
    /// one.
    const uint32_t* tints;
    int triangle_count;
    /// Processor time of reading the mesh, s, also after a failure.
    double seconds;
    /// Memory of the arrays, which poise_look_finish releases.
    void* memory;
} PoiseLookMesh;

/// Reads the mesh of a look in a separate process with bounds on memory and time. Any thread may
/// call this, also while another thread runs the scene. Returns false, with everything but
/// `seconds` zero, if the mesh cannot be read: the caller then draws the robot's shapes. Returns
/// false for NULL, too.
POISE_API bool poise_look_read(const PoiseSceneLook* look, PoiseLookMesh* mesh);
/// Releases the mesh's memory; a mesh of all zeros and NULL are allowed.
POISE_API void poise_look_finish(PoiseLookMesh* mesh);

#ifdef __cplusplus
}
#endif

#endif
