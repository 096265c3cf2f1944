// SPDX-License-Identifier: MIT
// The contents of a picture as plain data, which the renderer draws and tests read. Colours are
// linear light, not sRGB.
#ifndef POISE_DRAW_LIST_H
#define POISE_DRAW_LIST_H

#include "camera.h"
#include "linear.h"
#include "mesh.h"

/// Kinds of things in the picture of ids. The upper 4 bits of a pixel are the kind, the lower 28 an
/// index; 0: nothing.
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
    /// Casts no shadow.
    POISE_DRAW_NO_SHADOW = 1,
    /// Stays faintly visible behind other things.
    POISE_DRAW_X_RAY = 2,
    /// A POISE_MESH_LOOK whose back faces are hidden by its own front faces.
    POISE_DRAW_CLOSED = 4
};

typedef struct PoiseInstance {
    PoiseMeshKind mesh;
    unsigned flags;
    uint32_t id;
    vec3s place;
    /// Rotation as x, y, z, w.
    vec4s turn;
    /// Scale of the core and thickness of the shell: see mesh.h.
    vec3s core;
    float shell;
    /// Colour; translucent and without a shadow if `a` is below 1.
    vec4s colour;
    /// Emitted light, 0..1, so that markers keep their colour in shadow.
    float glow;
    /// Gloss, 0 (plaster) to 1 (polished).
    float gloss;
    /// Angle of an arc about z, from x, rad.
    float sweep;
    /// Triangles of a POISE_MESH_LOOK, as a range of PoiseDrawList.looks.indices.
    int first_index;
    int index_count;
    /// Radius of the ball around `place` that contains these triangles, m.
    float reach;
} PoiseInstance;

/// A line, for poise__draw_line. In a list it is an instance of POISE_MESH_LINE.
typedef struct PoiseLine {
    vec3s from;
    vec3s to;
    vec4s colour;
    /// Width, window units.
    float width;
    /// Length of a dash and of a gap, window units; 0: a solid line.
    float dash;
    uint32_t id;
} PoiseLine;

/// Text at a position in the world.
typedef struct PoiseLabel {
    vec3s place;
    /// Distance of the text below the position, window units.
    float down;
    uint32_t colour; ///< 0xrrggbbaa, sRGB
    /// True if the label is always shown. Others are shown near the pointer only, or everywhere if
    /// there is no pointer.
    bool always;
    /// True if the text stands beside the position, with a line to it, and not on it.
    bool aside;
    char text[64];
} PoiseLabel;

typedef struct PoiseGround {
    bool visible;
    /// True for a ground that bodies collide with. Otherwise the plane is only a reference for the
    /// eye and hides nothing.
    bool solid;
    float height;
    /// Side of a cell of the grid, m.
    float cell;
    /// Centre of the visible ground, and the distance from it at which the ground has faded out, m.
    vec3s centre;
    float fade;
} PoiseGround;

/// Triangles, three indices of vertices for each.
typedef struct PoiseTriangles {
    PoiseMeshVertex* vertices;
    uint32_t* indices;
    int vertex_count;
    int index_count;
    /// Changes when the triangles do.
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
    /// Triangles of all instances of POISE_MESH_LOOK, borrowed.
    PoiseTriangles looks;
    /// A ball around everything that casts shadows.
    vec3s centre;
    float radius;
    /// True if memory was short and something is missing.
    bool incomplete;
} PoiseDrawList;

/// Empties the list but keeps its memory for the next frame. All zero is an empty list.
void poise__draw_list_clear(PoiseDrawList* list);
void poise__draw_list_finish(PoiseDrawList* list);

/// A part of the window, in window units from its upper left corner; empty if `right` is not above
/// `left`.
typedef struct PoiseRegion {
    double left;
    double top;
    double right;
    double bottom;
} PoiseRegion;

/// Updates `drawn`, the instances of the last picture, to those of `now`. Instances that differ by
/// at most a tenth of a window unit and a step of colour stay as they are. Returns the part of the
/// picture, with shadows, that has changed for this camera; all of it if `drawn` is empty or memory
/// is short.
PoiseRegion poise__draw_list_update(PoiseDrawList* drawn, const PoiseDrawList* now,
                                    const PoiseCamera* camera);

/// Each of these appends a copy. When memory is short it adds nothing and sets `incomplete`.
void poise__draw_instance(PoiseDrawList* list, const PoiseInstance* instance);
void poise__draw_line(PoiseDrawList* list, const PoiseLine* line);
void poise__draw_label(PoiseDrawList* list, const PoiseLabel* label);

/// Adds a ball of `radius` m, visible behind other things. All other members are those of `look`.
void poise__draw_ball(PoiseDrawList* list, PoiseVec3 place, double radius,
                      const PoiseInstance* look);
/// Adds a ring of `radius` m about z of `frame`, visible behind other things. The tube's radius is
/// the `shell` of `look`, or 0.09 of the ring's if that is 0.
void poise__draw_ring(PoiseDrawList* list, PoisePose frame, double radius,
                      const PoiseInstance* look);
/// Adds an arrow from `from` to `to` with a shaft of `radius` m. All other members are those of
/// `look`. Adds nothing for a length of 0.
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
