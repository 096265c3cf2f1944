// SPDX-License-Identifier: MIT
// The contents of a picture as plain data, which the renderer draws and tests read. Colours are
// linear light, not sRGB.
#ifndef POISE_DRAW_LIST_H
#define POISE_DRAW_LIST_H

#include "camera.h"
#include "linear.h"
#include "mesh.h"

/// Kinds of things in the picture of ids, in which the upper 4 bits of a pixel are the kind and the
/// lower 28 an index; 0: nothing.
typedef enum PoiseDrawKind {
    POISE_DRAW_NOTHING = 0,
    POISE_DRAW_SHAPE = 1,
    POISE_DRAW_POINT = 2,
    POISE_DRAW_GOAL = 3,
    POISE_DRAW_TETHER = 4,
    POISE_DRAW_GROUND = 5,
    POISE_DRAW_JOINT = 6,      ///< index of the scene's joint
    POISE_DRAW_GIZMO = 7,      ///< index is a PoiseGizmoPart
    POISE_DRAW_FORCE = 8,      ///< index of the point, or of the body + 0x1000000
    POISE_DRAW_GHOST = 9,      ///< index of the shape
    POISE_DRAW_TRAIL = 10,     ///< index of the point
    POISE_DRAW_COIL = 11,      ///< index of the scene's joint
    POISE_DRAW_BODY = 12,      ///< index of the body
    POISE_DRAW_CONTACT = 13,   ///< index of the contact point
    POISE_DRAW_ELLIPSOID = 14, ///< index of the point
    POISE_DRAW_DECOR = 15      ///< index of the body
} PoiseDrawKind;

static inline uint32_t poise__draw_id(PoiseDrawKind kind, int index) {
    return ((uint32_t)kind << 28) | ((uint32_t)index & 0x0fffffffu);
}

static inline PoiseDrawKind poise__draw_id_kind(uint32_t id) {
    return (PoiseDrawKind)(id >> 28);
}

static inline int poise__draw_id_index(uint32_t id) {
    return (int)(id & 0x0fffffffu);
}

enum {
    /// The instance casts no shadow.
    POISE_DRAW_NO_SHADOW = 1,
    /// The instance stays faintly visible behind others.
    POISE_DRAW_X_RAY = 2,
    /// The instance is a POISE_MESH_LOOK with a closed surface, whose front faces hide its back
    /// faces.
    POISE_DRAW_CLOSED = 4
};

typedef struct PoiseInstance {
    PoiseMeshKind mesh;
    unsigned flags;
    uint32_t id;
    vec3s place;
    /// Rotation as x, y, z, w.
    vec4s turn;
    /// Scale of the mesh's core and thickness of the shell (mesh.h).
    vec3s core;
    float shell;
    /// Colour; if `a` is below 1, the instance is translucent and casts no shadow.
    vec4s colour;
    /// Emitted light, 0..1, so that markers keep their colour in shadow.
    float glow;
    /// Gloss, 0 (plaster) to 1 (polished).
    float gloss;
    /// Angle of an arc about z, from x, rad.
    float sweep;
    /// Triangles of a POISE_MESH_LOOK, a range of PoiseDrawList.looks.indices.
    int first_index;
    int index_count;
    /// Radius of the ball around `place` that contains these triangles, m.
    float reach;
} PoiseInstance;

/// A line, for poise__draw_line, which makes it an instance of POISE_MESH_LINE.
typedef struct PoiseLine {
    vec3s from;
    vec3s to;
    vec4s colour;
    /// Width, window units.
    float width;
    /// Length of each dash and of each gap of a dashed line, window units; 0: a solid line.
    float dash;
    uint32_t id;
} PoiseLine;

/// Text at a position in the world.
typedef struct PoiseLabel {
    vec3s place;
    /// Distance of the text below `place`, window units.
    float down;
    uint32_t colour; ///< 0xrrggbbaa, sRGB
    /// True if the label is always shown. Other labels are shown near the pointer, or everywhere if
    /// there is no pointer.
    bool always;
    /// True if the text has a distance from the position, with a line between the two.
    bool aside;
    char text[64];
} PoiseLabel;

typedef struct PoiseGround {
    bool visible;
    /// True for a ground with which bodies collide. Otherwise the plane is only a reference for the
    /// eye, and hides nothing.
    bool solid;
    float height;
    /// Side of a cell of the grid, m.
    float cell;
    /// Centre of the visible ground, and the distance from it at which the ground has faded out, m.
    vec3s centre;
    float fade;
} PoiseGround;

/// Triangles: vertices, and three indices of vertices for each triangle.
typedef struct PoiseTriangles {
    PoiseMeshVertex* vertices;
    uint32_t* indices;
    int vertex_count;
    int index_count;
    /// A number that changes when the triangles do.
    unsigned revision;
} PoiseTriangles;

typedef struct PoiseDrawList {
    PoiseInstance* instances;
    int instance_count;
    int instance_capacity;
    PoiseLabel* labels;
    int label_count;
    int label_capacity;
    PoiseGround ground;
    /// Triangles of all instances of POISE_MESH_LOOK, not owned.
    PoiseTriangles looks;
    /// Centre and radius of a ball around everything that casts shadows.
    vec3s centre;
    float radius;
    /// True if memory ran out, so that something is missing.
    bool incomplete;
} PoiseDrawList;

/// Empties the list but keeps its memory for the next frame. A list of zeros is empty.
void poise__draw_list_clear(PoiseDrawList* list);
void poise__draw_list_finish(PoiseDrawList* list);

/// A part of the window, in window units from its upper left corner; empty unless `right` is above
/// `left`.
typedef struct PoiseRegion {
    double left;
    double top;
    double right;
    double bottom;
} PoiseRegion;

/// Updates `drawn`, the instances of the last picture, to those of `now`. Instances that differ by
/// at most a tenth of a window unit and a step of colour stay. Returns the part of the picture,
/// with shadows, that has changed for this camera; all of it if `drawn` is empty or memory runs
/// out.
PoiseRegion poise__draw_list_update(PoiseDrawList* drawn, const PoiseDrawList* now,
                                    const PoiseCamera* camera);

/// poise__draw_instance, poise__draw_line and poise__draw_label append a copy. If memory runs out
/// they add nothing and set `incomplete`.
void poise__draw_instance(PoiseDrawList* list, const PoiseInstance* instance);
void poise__draw_line(PoiseDrawList* list, const PoiseLine* line);
void poise__draw_label(PoiseDrawList* list, const PoiseLabel* label);

/// Adds a ball of `radius` m, visible behind other things. Its other members are those of `look`.
void poise__draw_ball(PoiseDrawList* list, PoiseVec3 place, double radius,
                      const PoiseInstance* look);
/// Adds a ring of `radius` m about z of `frame`, visible behind other things. The tube's radius is
/// the `shell` of `look`; if that is 0, 0.09 of the ring's radius.
void poise__draw_ring(PoiseDrawList* list, PoisePose frame, double radius,
                      const PoiseInstance* look);
/// Adds an arrow from `from` to `to` with a shaft of `radius` m. Its other members are those of
/// `look`. Adds nothing if the length is 0.
void poise__draw_arrow(PoiseDrawList* list, PoiseVec3 from, PoiseVec3 to, double radius,
                       const PoiseInstance* look);

/// An arc about z of `frame`, from its x axis through `sweep` rad, at most a whole turn. Lengths in
/// m.
typedef struct PoiseArc {
    PoisePose frame;
    double radius;
    double thickness;
    double sweep;
} PoiseArc;
void poise__draw_arc(PoiseDrawList* list, const PoiseArc* arc, const PoiseInstance* look);

/// Adds a frame of three arrows of `length` m: x red, y green, z blue. `strength`, 0..1, dims the
/// colours. The id and the flags are those of `look`.
void poise__draw_axes(PoiseDrawList* list, PoisePose pose, double length, float strength,
                      const PoiseInstance* look);

#endif
