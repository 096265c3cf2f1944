// SPDX-License-Identifier: MIT
// Finds how deeply two cores overlap. The depth is the distance from the origin to the nearest
// point on the boundary of the difference a - b. A polytope inside the difference grows at its
// nearest face until that face is on the boundary (van den Bergen 2001). gjk.c comes before and
// finds a simplex that contains the origin.
#include "convex.h"

enum { MOST_CORNERS = 160, MOST_FACES = 2 * MOST_CORNERS, MOST_EDGES = 3 * MOST_CORNERS };

// a face is on the boundary if no point is farther beyond it than this fraction of the size
#define ON_BOUNDARY 1e-11
// a new corner removes a face if it is farther beyond the face than this fraction of the size
#define COPLANAR 1e-13
// a simplex is flat if its height is below this fraction of its size
#define FLAT 1e-10

/// A face with its outward normal, length 1, and its distance from the origin.
typedef struct Face {
    int corner[3];
    PoiseVec3 normal;
    double distance;
} Face;

/// A polytope inside the Minkowski difference of the cores a and b. It grows toward the boundary of
/// the difference.
typedef struct Polytope {
    const Core* a;
    const Core* b;
    int corner_count;
    int face_count;
    int edge_count;
    double size; ///< largest distance of a corner from the origin
    PoiseVec3 inside;
    Corner corner[MOST_CORNERS];
    Face face[MOST_FACES];
    int edge[MOST_EDGES][2]; ///< edges around the faces that a new corner removes
} Polytope;

// Adds a face with its normal outward. A face without area has no normal and is never the nearest.
static void add_face(Polytope* p, int i, int j, int k) {
    if (p->face_count >= MOST_FACES) {
        return;
    }
    Face* face = &p->face[p->face_count++];
    const PoiseVec3 a = p->corner[i].at;
    const PoiseVec3 n = poise_cross(poise_sub(p->corner[j].at, a), poise_sub(p->corner[k].at, a));
    const double length = poise_length(n);
    *face = (Face){{i, j, k}, poise_vec3(0.0, 0.0, 0.0), HUGE_VAL};
    if (length > FLAT * FLAT * p->size * p->size) {
        const double sign = poise_dot(n, poise_sub(a, p->inside)) < 0.0 ? -1.0 : 1.0;
        face->normal = poise_scale(sign / length, n);
        face->distance = poise_dot(face->normal, a);
    }
}

// Adds an edge of the hole that removed faces leave; deletes edges between two of them.
static void add_edge(Polytope* p, int i, int j) {
    for (int e = 0; e < p->edge_count; e++) {
        const bool same = (p->edge[e][0] == i && p->edge[e][1] == j) ||
                          (p->edge[e][0] == j && p->edge[e][1] == i);
        if (same) {
            p->edge_count--;
            p->edge[e][0] = p->edge[p->edge_count][0];
            p->edge[e][1] = p->edge[p->edge_count][1];
            return;
        }
    }
    if (p->edge_count < MOST_EDGES) {
        p->edge[p->edge_count][0] = i;
        p->edge[p->edge_count++][1] = j;
    }
}

// Replaces the faces that the new corner is beyond by faces that connect it to the hole's edges.
static void grow(Polytope* p, const Corner* corner) {
    const int at = p->corner_count++;
    p->corner[at] = *corner;
    p->edge_count = 0;
    for (int f = 0; f < p->face_count;) {
        Face* face = &p->face[f];
        const double beyond =
            poise_dot(face->normal, poise_sub(corner->at, p->corner[face->corner[0]].at));
        if (beyond > COPLANAR * p->size) {
            add_edge(p, face->corner[0], face->corner[1]);
            add_edge(p, face->corner[1], face->corner[2]);
            add_edge(p, face->corner[2], face->corner[0]);
            *face = p->face[--p->face_count];
        } else {
            f++;
        }
    }
    for (int e = 0; e < p->edge_count; e++) {
        add_face(p, p->edge[e][0], p->edge[e][1], at);
    }
}

static double size_of(const Simplex* simplex) {
    double size = 0.0;
    for (int i = 0; i < simplex->count; i++) {
        size = poise_max(size, poise_length(simplex->corner[i].at));
    }
    return size;
}

// True if the point is off the line or plane of the simplex, so that it adds a dimension.
static bool widens(const Simplex* simplex, PoiseVec3 at, double size) {
    const PoiseVec3 o = simplex->corner[0].at, d = poise_sub(at, o);
    if (simplex->count == 1) {
        return poise_length(d) > FLAT * size;
    }
    const PoiseVec3 e = poise_sub(simplex->corner[1].at, o);
    if (simplex->count == 2) {
        return poise_length(poise_cross(e, d)) > FLAT * size * size;
    }
    const PoiseVec3 f = poise_sub(simplex->corner[2].at, o);
    return fabs(poise_dot(poise_cross(e, f), d)) > FLAT * size * size * size;
}

// Adds corners to the simplex until it is a tetrahedron around the origin. False if a - b is flat.
static bool widen(const Core* a, const Core* b, Simplex* simplex) {
    const double size = size_of(simplex) + poise_length(a->half) + poise_length(b->half);
    while (simplex->count < 4) {
        const PoiseVec3 o = simplex->corner[0].at;
        PoiseVec3 trial[6];
        int count = 0;
        if (simplex->count == 3) {
            trial[count++] = poise_cross(poise_sub(simplex->corner[1].at, o),
                                         poise_sub(simplex->corner[2].at, o));
        } else {
            for (int i = 0; i < 3; i++) {
                const PoiseVec3 axis = poise_vec3(i == 0, i == 1, i == 2);
                trial[count++] = simplex->count == 1
                                     ? axis
                                     : poise_cross(poise_sub(simplex->corner[1].at, o), axis);
            }
        }
        bool found = false;
        for (int t = 0; !found && t < 2 * count; t++) {
            const PoiseVec3 along = poise_scale(t < count ? 1.0 : -1.0, trial[t % count]);
            const Corner next = poise__support(a, b, along);
            if (widens(simplex, next.at, size)) {
                simplex->corner[simplex->count++] = next;
                found = true;
            }
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

// Fills the weights of a face's corners at the foot of the perpendicular from the origin. Returns
// the sum of their absolute values, which is 1 if the foot is on the face and larger otherwise.
static double weigh(const Polytope* p, const Face* face, double weight[3]) {
    const PoiseVec3 foot = poise_scale(face->distance, face->normal);
    PoiseVec3 off[3];
    double sum = 0.0, all = 0.0;
    for (int i = 0; i < 3; i++) {
        off[i] = poise_sub(p->corner[face->corner[i]].at, foot);
    }
    for (int i = 0; i < 3; i++) {
        weight[i] = poise_dot(face->normal, poise_cross(off[(i + 1) % 3], off[(i + 2) % 3]));
        sum += weight[i];
        all += fabs(weight[i]);
    }
    for (int i = 0; i < 3; i++) {
        weight[i] /= sum;
    }
    return all / fabs(sum);
}

// Fills the gap from the point of the boundary nearest to the origin. If several coplanar faces are
// equally near, the foot of the perpendicular is on one of them.
static void fill_gap(const Polytope* p, const Face* nearest, PoiseGap* gap) {
    double weight[3], least = HUGE_VAL;
    const Face* face = nearest;
    for (int f = 0; f < p->face_count; f++) {
        if (p->face[f].distance <= nearest->distance + ON_BOUNDARY * p->size) {
            const double outside = weigh(p, &p->face[f], weight);
            face = outside < least ? &p->face[f] : face;
            least = poise_min(least, outside);
        }
    }
    least = weigh(p, face, weight);
    gap->a = gap->b = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < 3; i++) {
        const Corner* corner = &p->corner[face->corner[i]];
        gap->a = poise_add_scaled(gap->a, weight[i], corner->a);
        gap->b = poise_add_scaled(gap->b, weight[i], corner->b);
    }
    // the normal of the face points out of a - b, and a moves apart from b against it
    gap->distance = -poise_max(face->distance, 0.0);
    gap->normal = poise_scale(-1.0, face->normal);
}

static const Face* nearest_face(const Polytope* p) {
    const Face* nearest = p->face;
    for (int f = 1; f < p->face_count; f++) {
        nearest = p->face[f].distance < nearest->distance ? &p->face[f] : nearest;
    }
    return nearest;
}

void poise__depth(const Core* a, const Core* b, Simplex* simplex, PoiseGap* gap) {
    Polytope p = {.a = a, .b = b};
    if (!widen(a, b, simplex)) {
        // both cores are flat, lie in one plane and overlap: along its normal the depth is 0
        const PoiseVec3 o = simplex->corner[0].at;
        PoiseVec3 n = poise_vec3(0.0, 0.0, 0.0);
        if (simplex->count == 3) {
            n = poise_cross(poise_sub(simplex->corner[1].at, o),
                            poise_sub(simplex->corner[2].at, o));
        }
        gap->normal = poise_dot(n, n) > 0.0 ? poise__normalize(n) : poise_vec3(0.0, 0.0, 1.0);
        gap->distance = 0.0;
        gap->a = gap->b = simplex->corner[0].a;
        return;
    }
    p.size = size_of(simplex);
    p.corner_count = 4;
    for (int i = 0; i < 4; i++) {
        p.corner[i] = simplex->corner[i];
        p.inside = poise_add_scaled(p.inside, 0.25, simplex->corner[i].at);
    }
    add_face(&p, 0, 1, 2);
    add_face(&p, 0, 2, 3);
    add_face(&p, 0, 3, 1);
    add_face(&p, 1, 3, 2);
    const Face* nearest = nearest_face(&p);
    while (p.corner_count < MOST_CORNERS) {
        const Corner next = poise__support(a, b, nearest->normal);
        if (poise_dot(next.at, nearest->normal) - nearest->distance <= ON_BOUNDARY * p.size) {
            break;
        }
        grow(&p, &next);
        nearest = nearest_face(&p);
    }
    fill_gap(&p, nearest, gap);
}
