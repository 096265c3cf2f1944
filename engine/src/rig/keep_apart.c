// SPDX-License-Identifier: MIT
// Keeps the bodies of a rig apart: makes convex parts (poise/apart.h) from the geoms of an ODE
// space, and moves the obstacles among them before each solve.
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "numbers.h"
#include "rig.h"

enum {
    PLANE_HALF = 50 ///< half the edge of the cube that replaces the half-space of a plane, m
};

// radius of the ball that replaces a corner, m, since gaps are measured between shapes
#define DOT 1e-6
// largest lag of a joint behind theta_ik, s: the lag of springs almost without stiffness is larger
#define LONGEST_LAG 1e6

/// The geoms of a rig that are kept apart, and one part for each geom.
struct KeptApart {
    size_t size; ///< size of the struct with its arrays, bytes
    PoiseApart* apart;
    int count;
    int skipped;           ///< number of geoms left out, since they have no convex shape
    dGeomID* geoms;        ///< by part: its geom
    PoiseApartPart* parts; ///< one part for each geom; used only at the creation
    bool* kept_off;        ///< by part: other parts are kept off it; used only at the creation
    PoiseApartPair* pairs; ///< pairs that may touch; used only at the creation
    int pair_count;
};

static PoisePose pose_of_geom(dGeomID geom) {
    dQuaternion q;
    dGeomGetQuaternion(geom, q);
    return poise_pose(poise__vec3_from(dGeomGetPosition(geom)), poise__quat_from(q));
}

static bool is_among(PoiseVec3 v, const PoiseVec3* corner, int count) {
    bool among = false;
    for (int i = 0; i < count; i++) {
        const PoiseVec3 off = poise_sub(corner[i], v);
        among = among || poise_dot(off, off) == 0.0;
    }
    return among;
}

// Returns the hull of a mesh in the frame of the geom, and writes its corners to `corner`.
static PoiseConvex mesh(dGeomID geom, PoiseVec3* corner) {
    const PoisePose world = poise_pose_inverse(pose_of_geom(geom));
    const int triangles = dGeomTriMeshGetTriangleCount(geom);
    int count = 0;
    for (int t = 0; t < triangles; t++) {
        dVector3 v[3];
        dGeomTriMeshGetTriangle(geom, t, &v[0], &v[1], &v[2]);
        for (int i = 0; i < 3; i++) {
            const PoiseVec3 at = poise_pose_apply(world, poise__vec3_from(v[i]));
            if (!is_among(at, corner, count)) {
                corner[count++] = at;
            }
        }
    }
    return poise_convex_hull(corner, count);
}

// Returns a box whose upper face is the plane.
static PoiseConvex ground(dGeomID geom) {
    dVector4 p;
    dGeomPlaneGetParams(geom, p);
    const PoiseVec3 n = poise__vec3_from(p);
    PoiseConvex shape = poise_convex_box(poise_vec3(PLANE_HALF, PLANE_HALF, PLANE_HALF));
    shape.pose.q = poise__turn_from_z(n);
    shape.pose.p = poise_scale((double)p[3] - PLANE_HALF, n);
    return shape;
}

// Returns the shape of a geom in the frame of the geom; kind 0 if the geom has no convex shape.
static PoiseConvex shape_of(dGeomID geom, PoiseVec3* corner) {
    dReal radius, length;
    dVector3 sides;
    switch (dGeomGetClass(geom)) {
    case dSphereClass:
        return poise_convex_sphere((double)dGeomSphereGetRadius(geom));
    case dCapsuleClass:
        dGeomCapsuleGetParams(geom, &radius, &length);
        return poise_convex_capsule((double)radius, 0.5 * (double)length);
    case dBoxClass:
        dGeomBoxGetLengths(geom, sides);
        return poise_convex_box(poise_scale(0.5, poise__vec3_from(sides)));
    case dCylinderClass:
        dGeomCylinderGetParams(geom, &radius, &length);
        return poise_convex_cylinder((double)radius, 0.5 * (double)length);
    case dPlaneClass:
        return ground(geom);
    case dTriMeshClass:
        return mesh(geom, corner);
    default:
        return (PoiseConvex){.pose = poise_pose_identity()};
    }
}

static bool has_frame(dGeomID geom) {
    return dGeomGetClass(geom) != dPlaneClass;
}

// True if the geom belongs to the rig's base: it contains the first joint of a chain.
static bool is_base(const PoiseRig* rig, dGeomID geom, const PoiseConvex* shape) {
    bool base = false;
    const PoiseConvex dot = poise_convex_sphere(DOT);
    for (int i = 0; i < rig->binding_count && has_frame(geom); i++) {
        const Binding* binding = &rig->bindings[i];
        PoiseGap gap = {.distance = 0.0};
        if (!binding->on_base || !poise__motor_alive(&binding->motor)) {
            continue;
        }
        const PoisePose at = poise_pose_mul(poise__binding_link(binding), binding->moved_in_link);
        base = base || (poise_convex_gap(shape, pose_of_geom(geom), &dot, at, &gap) == POISE_OK &&
                        gap.distance < 0.0);
    }
    return base;
}

// Adds the part of a geom. Returns the number of corners that were written to `corner`.
static int add_geom(const PoiseRig* rig, struct KeptApart* kept, const PoiseGeomsApart* from,
                    int index, PoiseVec3* corner) {
    const dGeomID geom = from->geoms[index];
    const PoiseConvex shape = shape_of(geom, corner);
    if (poise_convex_problem(&shape)) {
        kept->skipped++;
        return 0;
    }
    const Binding* binding = poise__binding_of_body(rig, dGeomGetBody(geom));
    PoiseApartPart* part = &kept->parts[kept->count];
    *part = (PoiseApartPart){
        .link = poise_null_node(), .shape = shape, .name = from->names ? from->names[index] : NULL};
    // a body with this address may be another one, made after the bound body was destroyed
    if (binding && poise__motor_alive(&binding->motor)) {
        part->link = binding->node;
        part->shape.pose =
            poise_pose_mul(poise_pose_inverse(poise__binding_link(binding)), pose_of_geom(geom));
    } else {
        part->place = has_frame(geom) ? pose_of_geom(geom) : poise_pose_identity();
        part->base = is_base(rig, geom, &shape);
    }
    kept->kept_off[kept->count] = !from->kept_off || from->kept_off[index];
    kept->geoms[kept->count++] = geom;
    return shape.corner_count;
}

// Counts the geoms of a space and of the spaces in it. Writes them to `geoms`, if it is not NULL.
static int collect(dSpaceID space, dGeomID* geoms) {
    const int count = dSpaceGetNumGeoms(space);
    int found = 0;
    for (int i = 0; i < count; i++) {
        const dGeomID geom = dSpaceGetGeom(space, i);
        if (dGeomIsSpace(geom)) {
            found += collect((dSpaceID)geom, geoms ? &geoms[found] : NULL);
        } else {
            if (geoms) {
                geoms[found] = geom;
            }
            found++;
        }
    }
    return found;
}

// True if two geoms never collide, by their category and collide bits.
static bool never_collide(dGeomID a, dGeomID b) {
    return (dGeomGetCategoryBits(a) & dGeomGetCollideBits(b)) == 0 &&
           (dGeomGetCategoryBits(b) & dGeomGetCollideBits(a)) == 0;
}

// Lists the pairs that may touch: ODE never collides them, or nothing is kept off either part.
static void find_passing(struct KeptApart* kept) {
    for (int i = 0; i < kept->count; i++) {
        for (int k = i + 1; k < kept->count; k++) {
            if ((!kept->kept_off[i] && !kept->kept_off[k]) ||
                never_collide(kept->geoms[i], kept->geoms[k])) {
                kept->pairs[kept->pair_count++] = (PoiseApartPair){i, k};
            }
        }
    }
}

void poise__kept_apart_release(PoiseRig* rig) {
    if (rig->kept_apart) {
        poise_apart_destroy(rig->kept_apart->apart);
        poise_host_release(&rig->host, rig->kept_apart, rig->kept_apart->size);
        rig->kept_apart = NULL;
    }
}

// Allocates the memory for the parts of some geoms. NULL if memory runs out.
static struct KeptApart* make_kept(const PoiseRig* rig, const dGeomID* geoms, int count,
                                   PoiseVec3** corners) {
    size_t corner_count = 0;
    for (int i = 0; i < count; i++) {
        corner_count += dGeomGetClass(geoms[i]) == dTriMeshClass
                            ? 3 * (size_t)dGeomTriMeshGetTriangleCount(geoms[i])
                            : 0;
    }
    const size_t n = (size_t)count, pairs = n * n / 2;
    const size_t size = sizeof(struct KeptApart) +
                        n * (sizeof(PoiseApartPart) + sizeof(dGeomID) + sizeof(bool)) +
                        corner_count * sizeof(PoiseVec3) + pairs * sizeof(PoiseApartPair);
    struct KeptApart* kept = poise_host_allocate(&rig->host, size);
    if (kept) {
        memset(kept, 0, size);
        kept->size = size;
        kept->parts = (PoiseApartPart*)(void*)(kept + 1);
        *corners = (PoiseVec3*)(void*)(kept->parts + n);
        kept->geoms = (dGeomID*)(void*)(*corners + corner_count);
        kept->pairs = (PoiseApartPair*)(void*)(kept->geoms + n);
        kept->kept_off = (bool*)(void*)(kept->pairs + pairs);
    }
    return kept;
}

// ----------------------------------------------------------------------- obstacles around a base

static bool is_on_link(const struct KeptApart* kept, int part) {
    return kept->parts[part].link.index1 != 0;
}

// Returns the shape of a part in the world.
static PoiseConvex shape_in_world(const struct KeptApart* kept, int part) {
    PoiseConvex shape = kept->parts[part].shape;
    shape.pose = is_on_link(kept, part) ? pose_of_geom(kept->geoms[part])
                                        : poise_pose_mul(kept->parts[part].place, shape.pose);
    return shape;
}

// Returns corner k of a shape, world. The shape is the hull of balls around its corners; a cylinder
// has RIM corners on each rim. `count` becomes the number of corners.
static PoiseVec3 corner_of(const PoiseConvex* shape, int k, int* count) {
    enum { RIM = 16 };
    const double side = (k & 1) != 0 ? 1.0 : -1.0;
    PoiseVec3 at = poise_vec3(0.0, 0.0, side * shape->half_length);
    *count = shape->kind == POISE_CONVEX_SPHERE ? 1 : 2;
    if (shape->kind == POISE_CONVEX_BOX) {
        *count = 8;
        at = poise_vec3(side * shape->half.x, (k & 2) != 0 ? shape->half.y : -shape->half.y,
                        (k & 4) != 0 ? shape->half.z : -shape->half.z);
    } else if (shape->kind == POISE_CONVEX_CYLINDER) {
        const PoiseSinCos turn = poise_sincos(2.0 * POISE_PI / RIM * (k / 2));
        *count = 2 * RIM;
        at.x = shape->radius * turn.cosine;
        at.y = shape->radius * turn.sine;
    } else if (shape->kind == POISE_CONVEX_HULL) {
        *count = shape->corner_count;
        at = shape->corners[k];
    }
    return poise_pose_apply(shape->pose, at);
}

// True if part `outer` contains part `inner`: the ball of each corner is inside, at least as deep
// as its diameter.
static bool contains(const struct KeptApart* kept, int outer, int inner) {
    const PoiseConvex around = shape_in_world(kept, outer), shape = shape_in_world(kept, inner);
    const double rounding = shape.kind == POISE_CONVEX_CYLINDER ? 0.0 : shape.radius;
    PoiseConvex ball = poise_convex_sphere(fmax(rounding, DOT));
    bool inside = true;
    for (int k = 0, count = 1; k < count && inside; k++) {
        PoiseGap gap = {.distance = 0.0};
        ball.pose.p = corner_of(&shape, k, &count);
        inside = poise_convex_gap(&around, poise_pose_identity(), &ball, poise_pose_identity(),
                                  &gap) == POISE_OK &&
                 gap.distance <= -2.0 * ball.radius;
    }
    return inside;
}

// True if the part is in the space of a robot: a space that is inside another space and has the
// geom of a link.
static bool is_in_robot(const struct KeptApart* kept, int part) {
    const dSpaceID space = dGeomGetSpace(kept->geoms[part]);
    bool is = false;
    for (int i = 0; space && dGeomGetSpace((dGeomID)space) && i < kept->count && !is; i++) {
        is = is_on_link(kept, i) && dGeomGetSpace(kept->geoms[i]) == space;
    }
    return is;
}

// True if two parts are on the same link, or are on no link and have the same name.
static bool are_one_body(const struct KeptApart* kept, int a, int b) {
    const PoiseApartPart *p = &kept->parts[a], *q = &kept->parts[b];
    return a == b || (is_on_link(kept, a) && p->link.index1 == q->link.index1) ||
           (!is_on_link(kept, a) && !is_on_link(kept, b) && p->name && q->name &&
            strcmp(p->name, q->name) == 0);
}

// True if an obstacle contains all shapes of the body of a part, and no pair keeps the two apart.
static bool contains_body(const struct KeptApart* kept, int obstacle, int part) {
    bool all = true;
    for (int i = 0; i < kept->count && all; i++) {
        all = !are_one_body(kept, part, i) ||
              (i != obstacle && !never_collide(kept->geoms[obstacle], kept->geoms[i]) &&
               contains(kept, obstacle, i));
    }
    for (int k = 0; k < kept->pair_count && all; k++) {
        all = kept->pairs[k].b != obstacle || !are_one_body(kept, part, kept->pairs[k].a);
    }
    return all;
}

// Refuses an obstacle that contains a whole base or link. A robot stands on an obstacle that
// contains only some shapes of its base.
static PoiseStatus refuse_swallowing(PoiseRig* rig, struct KeptApart* kept) {
    kept->pair_count = poise_apart_pairs(kept->apart, kept->pairs, POISE_APART_PAIRS_MOST);
    for (int i = 0; i < kept->count; i++) {
        const bool obstacle = !is_on_link(kept, i) && !is_in_robot(kept, i);
        for (int k = 0; k < kept->count && obstacle; k++) {
            const bool robot = is_on_link(kept, k) || kept->parts[k].base || is_in_robot(kept, k);
            if (robot && contains_body(kept, i, k)) {
                char a[24], b[24];
                snprintf(a, sizeof a, "part %d", i);
                snprintf(b, sizeof b, "part %d", k);
                const char* outer = kept->parts[i].name ? kept->parts[i].name : a;
                const char* inner = kept->parts[k].name ? kept->parts[k].name : b;
                return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                                       "poise_rig_keep_apart: %s and %s cannot be kept apart: %s "
                                       "contains all of it; move one, or leave %s out",
                                       outer, inner, outer, outer);
            }
        }
    }
    return POISE_OK;
}

static PoiseStatus create_apart(PoiseRig* rig, struct KeptApart* kept,
                                const PoiseGeomsApart* from) {
    PoiseApartDef def = poise_default_apart_def();
    find_passing(kept);
    def.parts = kept->parts;
    def.part_count = kept->count;
    def.allowed = kept->pairs;
    def.allowed_count = kept->pair_count;
    def.range += from->distance - def.distance;
    def.distance = from->distance;
    poise_tree_clear_status(rig->state.tree);
    kept->apart = poise_apart_create(rig->state.tree, &def);
    if (!kept->apart) {
        const char* why = strstr(poise_tree_message(rig->state.tree), ": ");
        return poise__rig_fail(rig, poise_tree_status(rig->state.tree), "poise_rig_keep_apart%s",
                               why ? why : ": refused");
    }
    const PoiseStatus refused = refuse_swallowing(rig, kept);
    if (refused < 0) {
        return refused;
    }
    int without_room = 0;
    for (int k = 0; k < kept->pair_count; k++) {
        without_room += poise_apart_kept(kept->apart, kept->pairs[k]) < from->distance;
    }
    if (without_room > 0) {
        poise__rig_warn(rig,
                        "poise_rig_keep_apart: no posture found parts %d of %d pairs by %g m: "
                        "they keep less",
                        without_room, kept->pair_count, from->distance);
    }
    if (kept->skipped > 0) {
        poise__rig_warn(rig,
                        "poise_rig_keep_apart: %d geoms are not kept apart: they are no sphere, "
                        "capsule, box, cylinder, plane or mesh of at most %d corners",
                        kept->skipped, POISE_CORNERS_MOST);
    }
    return POISE_OK;
}

static PoiseStatus no_memory(PoiseRig* rig, int geoms) {
    return poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY,
                           "poise_rig_keep_apart: no memory for %d geoms", geoms);
}

// Refuses a bad distance, and a rig whose tree was destroyed.
static PoiseStatus check(PoiseRig* rig, double distance, const char* call) {
    if (!(distance >= 0.0) || isinf(distance)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: distance is %g m, it must be finite and at least 0", call,
                               distance);
    }
    if (!rig->state.tree) {
        return poise__rig_fail(rig, POISE_ERROR_GONE, "%s: the rig's tree has been destroyed",
                               call);
    }
    return POISE_OK;
}

PoiseStatus poise_rig_keep_geoms_apart(PoiseRig* rig, const PoiseGeomsApart* apart) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!apart || apart->count < 0 || (apart->count > 0 && !apart->geoms)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_rig_keep_geoms_apart: count is %d and geoms %s",
                               apart ? apart->count : 0, apart && apart->geoms ? "given" : "NULL");
    }
    const PoiseStatus refused = check(rig, apart->distance, "poise_rig_keep_geoms_apart");
    if (refused < 0) {
        return refused;
    }
    poise__kept_apart_release(rig);
    if (apart->count == 0) {
        return POISE_OK;
    }
    PoiseVec3* corner;
    struct KeptApart* kept = make_kept(rig, apart->geoms, apart->count, &corner);
    if (!kept) {
        return no_memory(rig, apart->count);
    }
    for (int i = 0; i < apart->count; i++) {
        corner += add_geom(rig, kept, apart, i, corner);
    }
    rig->kept_apart = kept;
    const PoiseStatus status = create_apart(rig, kept, apart);
    if (status < 0) {
        poise__kept_apart_release(rig);
    }
    return status;
}

PoiseStatus poise_rig_keep_apart(PoiseRig* rig, dSpaceID space, double distance) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const PoiseStatus refused = check(rig, distance, "poise_rig_keep_apart");
    if (refused < 0) {
        return refused;
    }
    const int count = space ? collect(space, NULL) : 0;
    if (count == 0) {
        return poise_rig_keep_geoms_apart(rig, &(PoiseGeomsApart){.distance = distance});
    }
    const size_t size = (size_t)count * sizeof(dGeomID);
    dGeomID* geoms = poise_host_allocate(&rig->host, size);
    if (!geoms) {
        return no_memory(rig, count);
    }
    collect(space, geoms);
    const PoiseGeomsApart all = {.geoms = geoms, .count = count, .distance = distance};
    const PoiseStatus status = poise_rig_keep_geoms_apart(rig, &all);
    poise_host_release(&rig->host, geoms, size);
    return status;
}

bool poise__kept_apart_copy(PoiseRig* to, const PoiseRig* from) {
    const struct KeptApart* kept = from->kept_apart;
    if (!kept) {
        return true;
    }
    struct KeptApart* made = poise_host_allocate(&to->host, sizeof *made);
    if (!made) {
        return false;
    }
    // the obstacles of a copied rig have no geoms, so that they never move
    *made = (struct KeptApart){.size = sizeof *made};
    made->apart = poise_apart_clone(kept->apart, to->state.tree);
    to->kept_apart = made;
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    bool placed = made->apart != NULL;
    for (int i = 0; placed && i < kept->count; i++) {
        if (kept->parts[i].link.index1 != 0 || !has_frame(kept->geoms[i])) {
            continue;
        }
        // an obstacle whose pose is not finite stays where it was
        const PoisePose pose = pose_of_geom(kept->geoms[i]);
        placed = poise_apart_set_obstacle(made->apart, i, pose, none, none) == POISE_OK ||
                 !poise_is_finite_pose(pose);
    }
    return placed;
}

int poise__obstacle_pose(const PoiseRig* rig, int part, PoisePose* pose) {
    const struct KeptApart* kept = rig->kept_apart;
    if (!kept || part >= kept->count) {
        return -1;
    }
    const bool moves = kept->parts[part].link.index1 == 0 && has_frame(kept->geoms[part]);
    *pose = moves ? pose_of_geom(kept->geoms[part]) : poise_pose_identity();
    return part + 1;
}

// Returns the longest time by which a joint lags behind theta_ik, s: the largest (d_orig + d_ik) /
// (p_orig + p_ik).
static double lag_of(const PoiseRig* rig) {
    double lag = 0.0;
    for (int i = 0; i < rig->binding_count; i++) {
        const Binding* binding = &rig->bindings[i];
        for (int sort = 0; binding->follows_ik && sort < SORTS; sort++) {
            const double stiffness =
                binding->original[sort].stiffness + binding->ik[sort].stiffness;
            const double damping = binding->original[sort].damping + binding->ik[sort].damping;
            if (stiffness > 0.0 && damping > lag * stiffness) {
                lag = damping / stiffness;
            }
        }
    }
    return lag;
}

void poise__obstacles_follow(PoiseRig* rig) {
    struct KeptApart* kept = rig->kept_apart;
    if (poise_apart_set_lag(kept->apart, fmin(lag_of(rig), LONGEST_LAG)) != POISE_OK) {
        return;
    }
    for (int i = 0; i < kept->count; i++) {
        const dGeomID geom = kept->geoms[i];
        if (kept->parts[i].link.index1 != 0 || !has_frame(geom)) {
            continue;
        }
        const dBodyID body = dGeomGetBody(geom);
        PoiseVec3 velocity = poise_vec3(0.0, 0.0, 0.0), spin = velocity;
        const PoisePose pose = pose_of_geom(geom);
        if (body) {
            spin = poise__vec3_from(dBodyGetAngularVel(body));
            velocity = poise__body_velocity_at(body, pose.p);
        }
        // an obstacle whose pose is not finite stays where it was
        if (poise_apart_set_obstacle(kept->apart, i, pose, velocity, spin) != POISE_OK) {
            continue;
        }
    }
}

PoiseApart* poise_rig_apart(const PoiseRig* rig) {
    return rig && rig->kept_apart ? rig->kept_apart->apart : NULL;
}

dGeomID poise_rig_apart_geom(const PoiseRig* rig, int part) {
    const struct KeptApart* kept = rig ? rig->kept_apart : NULL;
    return kept && part >= 0 && part < kept->count ? kept->geoms[part] : NULL;
}

PoiseNodeId poise__apart_link(const PoiseRig* rig, int part) {
    return rig->kept_apart->parts[part].link;
}
