// SPDX-License-Identifier: MIT
// Finds the nearest points of two convex cores (Gilbert, Johnson, Keerthi 1988). The point of the
// difference a - b nearest to the origin is approached by simplices. Each step adds the point that
// is farthest toward the origin. depth.c takes over if the cores overlap.
#include "convex.h"

#include <string.h>

enum { MOST_ROUNDS = 128 };

// the search ends if a new corner reduces the distance by less than this fraction
#define PROGRESS 1e-12
// the cores overlap if the origin is nearer than this fraction of the largest corner
#define ON_IT 1e-12

static PoiseVec3 furthest(const Core* core, PoiseVec3 along) {
    if (core->kind == POISE_CONVEX_CAPSULE) {
        const double side = poise_dot(core->axis, along) < 0.0 ? -1.0 : 1.0;
        return poise_add_scaled(core->pose.p, side, core->axis);
    }
    const PoiseVec3 d = poise_quat_unrotate(core->pose.q, along);
    PoiseVec3 best = poise_vec3(d.x < 0.0 ? -core->half.x : core->half.x,
                                d.y < 0.0 ? -core->half.y : core->half.y,
                                d.z < 0.0 ? -core->half.z : core->half.z);
    if (core->kind == POISE_CONVEX_CYLINDER) {
        // along the cylinder's axis the whole end disk is equally far: use its centre
        const double across = sqrt(d.x * d.x + d.y * d.y);
        best.x = across > 0.0 ? core->half.x * d.x / across : 0.0;
        best.y = across > 0.0 ? core->half.x * d.y / across : 0.0;
    } else if (core->kind == POISE_CONVEX_HULL) {
        double most = -HUGE_VAL;
        for (int i = 0; i < core->corner_count; i++) {
            const double at = poise_dot(core->corners[i], d);
            if (at > most) {
                most = at;
                best = core->corners[i];
            }
        }
    }
    return poise_pose_apply(core->pose, best);
}

Corner poise__support(const Core* a, const Core* b, PoiseVec3 along) {
    const PoiseVec3 from = furthest(a, along);
    const PoiseVec3 to = furthest(b, poise_scale(-1.0, along));
    return (Corner){poise_sub(from, to), from, to};
}

/// The point nearest to the origin on a vertex, an edge or a triangle of a simplex.
typedef struct Foot {
    int count;
    int corner[3];
    double weight[3];
    PoiseVec3 at;
    double square; ///< squared distance of `at` from the origin
} Foot;

// Fills the foot from weights of corners. Corners without a positive weight are left out.
static Foot foot_of(const Simplex* simplex, const int* corners, const double* weights, int count) {
    Foot foot = {.count = 0, .at = poise_vec3(0.0, 0.0, 0.0)};
    for (int i = 0; i < count; i++) {
        if (weights[i] > 0.0) {
            foot.corner[foot.count] = corners[i];
            foot.weight[foot.count++] = weights[i];
            foot.at = poise_add_scaled(foot.at, weights[i], simplex->corner[corners[i]].at);
        }
    }
    foot.square = poise_dot(foot.at, foot.at);
    return foot;
}

static Foot nearest_on_edge(const Simplex* from, int i, int j) {
    const PoiseVec3 a = from->corner[i].at, ab = poise_sub(from->corner[j].at, a);
    const double square = poise_dot(ab, ab);
    double t = square > 0.0 ? -poise_dot(a, ab) / square : 0.0;
    t = poise_min(poise_max(t, 0.0), 1.0);
    return foot_of(from, (int[]){i, j}, (double[]){1.0 - t, t}, 2);
}

// Returns the point of a triangle nearest to the origin. It is the foot of the perpendicular if all
// its weights are positive. Otherwise it is on an edge of the last corner, because the simplex
// without this corner is farther away.
static Foot nearest_on_triangle(const Simplex* from, int i, int j, int k) {
    const PoiseVec3 a = from->corner[i].at, b = from->corner[j].at, c = from->corner[k].at;
    const PoiseVec3 n = poise_cross(poise_sub(b, a), poise_sub(c, a));
    const double square = poise_dot(n, n);
    const double u = poise_dot(n, poise_cross(b, c));
    const double v = poise_dot(n, poise_cross(c, a));
    const double w = poise_dot(n, poise_cross(a, b));
    if (square > 0.0 && u > 0.0 && v > 0.0 && w > 0.0) {
        const double sum = u + v + w;
        return foot_of(from, (int[]){i, j, k}, (double[]){u / sum, v / sum, w / sum}, 3);
    }
    const int edges[3][2] = {{i, j}, {j, k}, {k, i}};
    Foot best = {.square = HUGE_VAL};
    for (int e = 0; e < 3; e++) {
        if (edges[e][0] == from->count - 1 || edges[e][1] == from->count - 1) {
            const Foot foot = nearest_on_edge(from, edges[e][0], edges[e][1]);
            best = foot.square < best.square ? foot : best;
        }
    }
    return best;
}

// True if a face of a tetrahedron lies between the origin and the tetrahedron's fourth corner.
static bool is_outside(const Simplex* from, int i, int j, int k, int fourth) {
    const PoiseVec3 a = from->corner[i].at;
    const PoiseVec3 n =
        poise_cross(poise_sub(from->corner[j].at, a), poise_sub(from->corner[k].at, a));
    const double inner = poise_dot(n, poise_sub(from->corner[fourth].at, a));
    const double origin = -poise_dot(n, a);
    return inner >= 0.0 ? origin <= 0.0 : origin >= 0.0;
}

// Finds the point of a simplex nearest to the origin. False if the simplex is a tetrahedron that
// contains the origin. `apart` true: the origin is known to be outside.
static bool find_foot(const Simplex* simplex, bool apart, Foot* foot) {
    static const int faces[3][4] = {{3, 0, 1, 2}, {3, 1, 2, 0}, {3, 2, 0, 1}};
    if (simplex->count == 2) {
        *foot = nearest_on_edge(simplex, 0, 1);
        return true;
    }
    if (simplex->count == 3) {
        *foot = nearest_on_triangle(simplex, 0, 1, 2);
        return true;
    }
    foot->square = HUGE_VAL;
    for (int f = 0; f < 3; f++) {
        const int* at = faces[f];
        // the sides of a nearly flat tetrahedron are rounding errors: a known `apart` comes first
        if (apart || is_outside(simplex, at[0], at[1], at[2], at[3])) {
            const Foot own = nearest_on_triangle(simplex, at[0], at[1], at[2]);
            *foot = own.square < foot->square ? own : *foot;
        }
    }
    return foot->square < HUGE_VAL;
}

// Reduces the simplex to the corners that carry the nearest point.
static void keep(Simplex* simplex, const Foot* foot) {
    Corner kept[3];
    for (int i = 0; i < foot->count; i++) {
        kept[i] = simplex->corner[foot->corner[i]];
        simplex->weight[i] = foot->weight[i];
    }
    memcpy(simplex->corner, kept, (size_t)foot->count * sizeof kept[0]);
    simplex->count = foot->count;
}

// Returns the point of the simplex nearest to the origin, with its points on both cores.
static Corner point_of(const Simplex* simplex, PoiseVec3 at) {
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    Corner point = {at, none, none};
    for (int i = 0; i < simplex->count; i++) {
        point.a = poise_add_scaled(point.a, simplex->weight[i], simplex->corner[i].a);
        point.b = poise_add_scaled(point.b, simplex->weight[i], simplex->corner[i].b);
    }
    return point;
}

static bool has_corner(const Simplex* simplex, PoiseVec3 at) {
    bool has = false;
    for (int i = 0; i < simplex->count; i++) {
        const PoiseVec3 off = poise_sub(simplex->corner[i].at, at);
        has = has || poise_dot(off, off) == 0.0;
    }
    return has;
}

bool poise__gjk(const Core* a, const Core* b, PoiseGap* gap, Simplex* simplex) {
    PoiseVec3 v =
        poise_dot(gap->normal, gap->normal) > 0.0 ? gap->normal : poise_sub(a->pose.p, b->pose.p);
    v = poise_dot(v, v) > 0.0 ? v : poise_vec3(0.0, 0.0, 1.0);
    simplex->count = 1;
    simplex->corner[0] = poise__support(a, b, poise_scale(-1.0, v));
    simplex->weight[0] = 1.0;
    v = simplex->corner[0].at;
    double square = poise_dot(v, v);
    double largest = square;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!(square > ON_IT * ON_IT * largest)) {
            return false;
        }
        const Corner next = poise__support(a, b, poise_scale(-1.0, v));
        const double along = poise_dot(v, next.at);
        const double gain = square - along;
        if (gain <= PROGRESS * square || has_corner(simplex, next.at)) {
            break;
        }
        largest = poise_max(largest, poise_dot(next.at, next.at));
        simplex->corner[simplex->count++] = next;
        Foot foot = {.count = 0};
        if (!find_foot(simplex, along > 0.0, &foot)) {
            return false;
        }
        if (!(foot.square < square)) {
            // corners on round shapes are too close: continue with an edge from the nearest point
            simplex->count--;
            simplex->corner[0] = point_of(simplex, v);
            simplex->weight[0] = 1.0;
            simplex->corner[1] = next;
            foot = nearest_on_edge(simplex, 0, 1);
            simplex->count = 1;
        }
        if (!(foot.square < square)) {
            break; // only rounding errors are left
        }
        keep(simplex, &foot);
        v = foot.at;
        square = foot.square;
    }
    const Corner nearest = point_of(simplex, v);
    gap->a = nearest.a;
    gap->b = nearest.b;
    gap->distance = sqrt(square);
    gap->normal = poise_scale(1.0 / gap->distance, v);
    return true;
}
