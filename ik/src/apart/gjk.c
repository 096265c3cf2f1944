// SPDX-License-Identifier: MIT
// Finds the nearest points of two convex cores (Gilbert, Johnson, Keerthi 1988): the point of the
// difference a - b that is nearest to the origin, by simplices of points that lie furthest along a
// direction. depth.c takes over if the cores overlap.
#include "convex.h"

enum { MOST_ROUNDS = 128 };

// the next corner must bring the distance this part nearer
#define PROGRESS 1e-12
// the origin is on the difference if it is nearer than this part of the largest corner
#define ON_IT 1e-12

static PoiseVec3 furthest(const Core* core, PoiseVec3 along) {
    const PoiseVec3 d = poise_quat_unrotate(core->pose.q, along);
    PoiseVec3 best = poise_vec3(d.x < 0.0 ? -core->half.x : core->half.x,
                                d.y < 0.0 ? -core->half.y : core->half.y,
                                d.z < 0.0 ? -core->half.z : core->half.z);
    if (core->kind == POISE_CONVEX_HULL) {
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

static PoiseVec3 nearest_of(const Simplex* simplex) {
    PoiseVec3 v = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < simplex->count; i++) {
        v = poise_add_scaled(v, simplex->weight[i], simplex->corner[i].at);
    }
    return v;
}

// Keeps some corners of a simplex, with their weights.
static Simplex kept(const Simplex* from, const int* corners, const double* weights, int count) {
    Simplex simplex = {.count = 0};
    for (int i = 0; i < count; i++) {
        if (weights[i] > 0.0) {
            simplex.corner[simplex.count] = from->corner[corners[i]];
            simplex.weight[simplex.count++] = weights[i];
        }
    }
    return simplex;
}

static Simplex nearest_on_edge(const Simplex* from, int i, int j) {
    const PoiseVec3 a = from->corner[i].at, ab = poise_sub(from->corner[j].at, a);
    const double square = poise_dot(ab, ab);
    double t = square > 0.0 ? -poise_dot(a, ab) / square : 0.0;
    t = poise_min(poise_max(t, 0.0), 1.0);
    return kept(from, (int[]){i, j}, (double[]){1.0 - t, t}, 2);
}

static Simplex nearer(Simplex a, Simplex b) {
    const PoiseVec3 v = nearest_of(&a), w = nearest_of(&b);
    return poise_dot(v, v) <= poise_dot(w, w) ? a : b;
}

// The point of a triangle nearest to the origin: inside if all weights of the foot of the
// perpendicular are positive, else on an edge.
static Simplex nearest_on_triangle(const Simplex* from, int i, int j, int k) {
    const PoiseVec3 a = from->corner[i].at, b = from->corner[j].at, c = from->corner[k].at;
    const PoiseVec3 n = poise_cross(poise_sub(b, a), poise_sub(c, a));
    const double square = poise_dot(n, n);
    const double u = poise_dot(n, poise_cross(b, c));
    const double v = poise_dot(n, poise_cross(c, a));
    const double w = poise_dot(n, poise_cross(a, b));
    if (square > 0.0 && u > 0.0 && v > 0.0 && w > 0.0) {
        const double sum = u + v + w;
        return kept(from, (int[]){i, j, k}, (double[]){u / sum, v / sum, w / sum}, 3);
    }
    return nearer(nearer(nearest_on_edge(from, i, j), nearest_on_edge(from, j, k)),
                  nearest_on_edge(from, k, i));
}

// True if the origin lies on the side of a face of a tetrahedron away from its fourth corner.
static bool is_outside(const Simplex* from, int i, int j, int k, int fourth) {
    const PoiseVec3 a = from->corner[i].at;
    const PoiseVec3 n =
        poise_cross(poise_sub(from->corner[j].at, a), poise_sub(from->corner[k].at, a));
    const double inner = poise_dot(n, poise_sub(from->corner[fourth].at, a));
    const double origin = -poise_dot(n, a);
    return inner >= 0.0 ? origin <= 0.0 : origin >= 0.0;
}

// Reduces the simplex to the corners that carry its point nearest to the origin. False if the
// simplex is a tetrahedron that contains the origin.
static bool reduce(Simplex* simplex) {
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    switch (simplex->count) {
    case 1:
        simplex->weight[0] = 1.0;
        return true;
    case 2:
        *simplex = nearest_on_edge(simplex, 0, 1);
        return true;
    case 3:
        *simplex = nearest_on_triangle(simplex, 0, 1, 2);
        return true;
    default:
        break;
    }
    bool outside = false;
    Simplex best = {.count = 0};
    for (int f = 0; f < 4; f++) {
        const int* at = faces[f];
        if (is_outside(simplex, at[0], at[1], at[2], at[3])) {
            const Simplex one = nearest_on_triangle(simplex, at[0], at[1], at[2]);
            best = outside ? nearer(best, one) : one;
            outside = true;
        }
    }
    if (outside) {
        *simplex = best;
    }
    return outside;
}

static void fill_gap(const Simplex* simplex, PoiseGap* gap) {
    gap->a = gap->b = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < simplex->count; i++) {
        gap->a = poise_add_scaled(gap->a, simplex->weight[i], simplex->corner[i].a);
        gap->b = poise_add_scaled(gap->b, simplex->weight[i], simplex->corner[i].b);
    }
    const PoiseVec3 off = nearest_of(simplex);
    gap->distance = poise_length(off);
    gap->normal = poise_scale(1.0 / gap->distance, off);
}

static bool has_corner(const Simplex* simplex, const Corner* corner) {
    bool has = false;
    for (int i = 0; i < simplex->count; i++) {
        const PoiseVec3 off = poise_sub(simplex->corner[i].at, corner->at);
        has = has || poise_dot(off, off) == 0.0;
    }
    return has;
}

bool poise__gjk(const Core* a, const Core* b, PoiseGap* gap, Simplex* simplex) {
    PoiseVec3 v =
        poise_dot(gap->normal, gap->normal) > 0.0 ? gap->normal : poise_sub(a->pose.p, b->pose.p);
    v = poise_dot(v, v) > 0.0 ? v : poise_vec3(0.0, 0.0, 1.0);
    *simplex = (Simplex){.count = 1, .corner = {poise__support(a, b, poise_scale(-1.0, v))}};
    simplex->weight[0] = 1.0;
    double largest = 0.0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        for (int i = 0; i < simplex->count; i++) {
            largest = poise_max(largest, poise_length(simplex->corner[i].at));
        }
        v = nearest_of(simplex);
        const double square = poise_dot(v, v);
        if (!(sqrt(square) > ON_IT * largest)) {
            return false;
        }
        const Corner next = poise__support(a, b, poise_scale(-1.0, v));
        const double gain = square - poise_dot(v, next.at);
        if (gain <= PROGRESS * square || has_corner(simplex, &next)) {
            break;
        }
        Simplex grown = *simplex;
        grown.corner[grown.count++] = next;
        if (!reduce(&grown)) {
            *simplex = grown;
            return false;
        }
        const PoiseVec3 w = nearest_of(&grown);
        if (!(poise_dot(w, w) < square)) {
            break; // rounding alone is left
        }
        *simplex = grown;
    }
    fill_gap(simplex, gap);
    return true;
}
