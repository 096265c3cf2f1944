// SPDX-License-Identifier: MIT
// Computes the gap of two shapes. A shape is a core and a radius around it, so the gap of shapes is
// the gap of their cores minus both radii. Two segments, and a segment and a box, have closed forms
// here; gjk.c and depth.c compute all others.
#include "convex.h"

#include <string.h>

// cores nearer to each other than this fraction of their size define no normal
#define TOUCHING 1e-12

PoiseConvex poise_convex_sphere(double radius) {
    return (PoiseConvex){
        .kind = POISE_CONVEX_SPHERE, .pose = poise_pose_identity(), .radius = radius};
}

PoiseConvex poise_convex_capsule(double radius, double half_length) {
    return (PoiseConvex){.kind = POISE_CONVEX_CAPSULE,
                         .pose = poise_pose_identity(),
                         .radius = radius,
                         .half_length = half_length};
}

PoiseConvex poise_convex_cylinder(double radius, double half_length) {
    return (PoiseConvex){.kind = POISE_CONVEX_CYLINDER,
                         .pose = poise_pose_identity(),
                         .radius = radius,
                         .half_length = half_length};
}

PoiseConvex poise_convex_box(PoiseVec3 half) {
    return (PoiseConvex){.kind = POISE_CONVEX_BOX, .pose = poise_pose_identity(), .half = half};
}

PoiseConvex poise_convex_hull(const PoiseVec3* corners, int count) {
    return (PoiseConvex){.kind = POISE_CONVEX_HULL,
                         .pose = poise_pose_identity(),
                         .corners = corners,
                         .corner_count = count};
}

static const char* hull_problem(const PoiseConvex* shape) {
    if (!shape->corners || shape->corner_count < 1 || shape->corner_count > POISE_CORNERS_MOST) {
        return "a hull needs 1 to 1024 corners";
    }
    for (int i = 0; i < shape->corner_count; i++) {
        if (!poise_is_finite3(shape->corners[i])) {
            return "a corner of the hull is not finite";
        }
    }
    return NULL;
}

const char* poise_convex_problem(const PoiseConvex* shape) {
    if (!shape) {
        return "there is no shape";
    }
    if (!poise__is_frame(shape->pose)) {
        return "the frame of the shape is not finite, or its rotation is 0";
    }
    if (!(shape->radius >= 0.0) || isinf(shape->radius)) {
        return "the radius must be finite and at least 0";
    }
    if (!(shape->half_length >= 0.0) || isinf(shape->half_length)) {
        return "the half length must be finite and at least 0";
    }
    if (shape->corner_count < 0) {
        return "the number of corners must be at least 0";
    }
    if (!poise_is_finite3(shape->half)) {
        return "the half edges must be finite";
    }
    switch (shape->kind) {
    case POISE_CONVEX_SPHERE:
    case POISE_CONVEX_CAPSULE:
        return shape->radius > 0.0 ? NULL : "a sphere or a capsule needs a radius above 0";
    case POISE_CONVEX_CYLINDER:
        return shape->radius > 0.0 ? NULL : "a cylinder needs a radius above 0";
    case POISE_CONVEX_BOX:
        return shape->half.x > 0.0 && shape->half.y > 0.0 && shape->half.z > 0.0
                   ? NULL
                   : "the half edges of a box must be above 0";
    case POISE_CONVEX_HULL:
        return hull_problem(shape);
    }
    return "the kind of the shape is unknown";
}

Core poise__core(const PoiseConvex* shape, PoisePose link) {
    Core core = {.kind = shape->kind,
                 .pose = poise_pose_mul(link, shape->pose),
                 .radius = shape->radius,
                 .half = shape->half,
                 .corners = shape->corners,
                 .corner_count = shape->corner_count};
    if (shape->kind == POISE_CONVEX_SPHERE || shape->kind == POISE_CONVEX_CAPSULE) {
        core.kind = POISE_CONVEX_CAPSULE;
        const bool is_long = shape->kind == POISE_CONVEX_CAPSULE;
        core.half = poise_vec3(0.0, 0.0, is_long ? shape->half_length : 0.0);
        core.axis = poise_quat_rotate(core.pose.q, core.half);
    } else if (shape->kind == POISE_CONVEX_CYLINDER) {
        core.half = poise_vec3(shape->radius, shape->radius, shape->half_length);
        core.radius = 0.0;
    }
    return core;
}

double poise__convex_reach(const PoiseConvex* shape) {
    if (shape->kind == POISE_CONVEX_CYLINDER) {
        return sqrt(shape->radius * shape->radius + shape->half_length * shape->half_length);
    }
    double reach = poise_length(shape->half);
    for (int i = 0; i < shape->corner_count; i++) {
        reach = poise_max(reach, poise_length(shape->corners[i]));
    }
    return poise_max(reach, shape->half_length) + shape->radius;
}

static double clamp(double x, double lower, double upper) {
    return poise_min(poise_max(x, lower), upper);
}

static PoiseVec3 any_perpendicular(PoiseVec3 v) {
    return poise__normalize(poise_cross(v, poise__least_aligned_axis(v)));
}

// Finds the nearest points of the segments a and b, each c + s d with |s| <= 1.
static void gap_of_segments(const Core* a, const Core* b, PoiseGap* gap) {
    const PoiseVec3 d = a->axis, e = b->axis;
    const PoiseVec3 between = poise_sub(a->pose.p, b->pose.p);
    const double dd = poise_dot(d, d), ee = poise_dot(e, e), de = poise_dot(d, e);
    const double db = poise_dot(d, between), eb = poise_dot(e, between);
    const double det = dd * ee - de * de;
    // minimise |between + s d - t e|^2: free s, then t for the clamped s, then s for the clamped t
    double s = 0.0;
    if (det > TOUCHING * dd * ee) {
        s = clamp((de * eb - ee * db) / det, -1.0, 1.0);
    }
    double t = ee > 0.0 ? clamp((eb + s * de) / ee, -1.0, 1.0) : 0.0;
    s = dd > 0.0 ? clamp((t * de - db) / dd, -1.0, 1.0) : 0.0;
    t = ee > 0.0 ? clamp((eb + s * de) / ee, -1.0, 1.0) : 0.0;
    gap->a = poise_add_scaled(a->pose.p, s, d);
    gap->b = poise_add_scaled(b->pose.p, t, e);
    const PoiseVec3 off = poise_sub(gap->a, gap->b);
    gap->distance = poise_length(off);
    const double size = sqrt(dd) + sqrt(ee) + a->radius + b->radius;
    if (gap->distance > TOUCHING * size) {
        gap->normal = poise_scale(1.0 / gap->distance, off);
        return;
    }
    // the normal of segments that cross is their common perpendicular
    const PoiseVec3 across = poise_cross(d, e);
    const double length = poise_length(across);
    if (length > TOUCHING * size * size) {
        const double sign = poise_dot(across, gap->normal) < 0.0 ? -1.0 : 1.0;
        gap->normal = poise_scale(sign / length, across);
    } else if (dd + ee > 0.0) {
        gap->normal = any_perpendicular(dd > ee ? d : e);
    } else {
        gap->normal = poise_vec3(0.0, 0.0, 1.0);
    }
}

/// A segment c + s d, |s| <= 1, in the frame of a box that it may cross.
typedef struct Crossing {
    double c[3];
    double d[3];
    double half[3];
} Crossing;

// Returns half the derivative of the squared distance to the box by s. It increases with s.
static double slope(const Crossing* in, double s) {
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        const double x = in->c[i] + s * in->d[i];
        sum += in->d[i] * (x - clamp(x, -in->half[i], in->half[i]));
    }
    return sum;
}

// Finds the s with the least distance to the box: the root of the slope, which is linear between
// the planes of the box's faces.
static double nearest_on_segment(const Crossing* in) {
    double low = -1.0, high = 1.0;
    double below = slope(in, low), above = slope(in, high);
    if (below >= 0.0) {
        return low;
    }
    if (above <= 0.0) {
        return high;
    }
    for (int i = 0; i < 6; i++) {
        const double face = i < 3 ? in->half[i] : -in->half[i - 3];
        const double d = in->d[i % 3];
        const double s = d != 0.0 ? (face - in->c[i % 3]) / d : low;
        if (s > low && s < high) {
            const double at = slope(in, s);
            low = at < 0.0 ? s : low;
            below = at < 0.0 ? at : below;
            high = at < 0.0 ? high : s;
            above = at < 0.0 ? above : at;
        }
    }
    return above > below ? low - below * (high - low) / (above - below) : low;
}

// Finds the nearest points of the segment a and the box b. False if they overlap.
static bool gap_to_box(const Core* a, const Core* b, PoiseGap* gap) {
    const PoiseVec3 c = poise_quat_unrotate(b->pose.q, poise_sub(a->pose.p, b->pose.p));
    const PoiseVec3 d = poise_quat_unrotate(b->pose.q, a->axis);
    const Crossing in = {{c.x, c.y, c.z}, {d.x, d.y, d.z}, {b->half.x, b->half.y, b->half.z}};
    const double s = nearest_on_segment(&in);
    const PoiseVec3 on = poise_add_scaled(c, s, d);
    const PoiseVec3 face =
        poise_vec3(clamp(on.x, -b->half.x, b->half.x), clamp(on.y, -b->half.y, b->half.y),
                   clamp(on.z, -b->half.z, b->half.z));
    const PoiseVec3 off = poise_sub(on, face);
    gap->distance = poise_length(off);
    if (!(gap->distance > TOUCHING * (poise_length(b->half) + poise_length(a->half)))) {
        return false;
    }
    gap->a = poise_pose_apply(b->pose, on);
    gap->b = poise_pose_apply(b->pose, face);
    gap->normal = poise_scale(1.0 / gap->distance, poise_quat_rotate(b->pose.q, off));
    return true;
}

static void flip(PoiseGap* gap) {
    const PoiseVec3 a = gap->a;
    gap->a = gap->b;
    gap->b = a;
    gap->normal = poise_scale(-1.0, gap->normal);
}

// Fills the gap of the cores, without their radii.
static void gap_of_cores(const Core* a, const Core* b, PoiseGap* gap) {
    const bool a_is_segment = a->kind == POISE_CONVEX_CAPSULE;
    const bool b_is_segment = b->kind == POISE_CONVEX_CAPSULE;
    if (a_is_segment && b_is_segment) {
        gap_of_segments(a, b, gap);
        return;
    }
    if (a_is_segment && b->kind == POISE_CONVEX_BOX && gap_to_box(a, b, gap)) {
        return;
    }
    if (b_is_segment && a->kind == POISE_CONVEX_BOX && gap_to_box(b, a, gap)) {
        flip(gap);
        return;
    }
    Simplex simplex;
    if (!poise__gjk(a, b, gap, &simplex)) {
        poise__depth(a, b, &simplex, gap);
    }
}

bool poise__is_clear_of_ball(const Core* core, PoiseVec3 centre, double radius, double bound) {
    const double most = radius + core->radius + bound;
    PoiseVec3 off = poise_sub(centre, core->pose.p);
    if (core->kind == POISE_CONVEX_CAPSULE) {
        const double square = poise_dot(core->axis, core->axis);
        const double along = poise_dot(core->axis, off);
        const double t = square > 0.0 ? clamp(along / square, -1.0, 1.0) : 0.0;
        off = poise_add_scaled(off, -t, core->axis);
    } else if (core->kind == POISE_CONVEX_BOX) {
        const PoiseVec3 here = poise_quat_unrotate(core->pose.q, off);
        off = poise_vec3(poise_max(fabs(here.x) - core->half.x, 0.0),
                         poise_max(fabs(here.y) - core->half.y, 0.0),
                         poise_max(fabs(here.z) - core->half.z, 0.0));
    } else {
        return false;
    }
    return poise_dot(off, off) >= most * most;
}

void poise__core_gap(const Core* a, const Core* b, PoiseGap* gap) {
    gap_of_cores(a, b, gap);
    gap->a = poise_add_scaled(gap->a, -a->radius, gap->normal);
    gap->b = poise_add_scaled(gap->b, b->radius, gap->normal);
    gap->distance -= a->radius + b->radius;
}

PoiseStatus poise_convex_gap(const PoiseConvex* a, PoisePose a_link, const PoiseConvex* b,
                             PoisePose b_link, PoiseGap* gap) {
    if (!gap || poise_convex_problem(a) || poise_convex_problem(b) || !poise__is_frame(a_link) ||
        !poise__is_frame(b_link)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Core first = poise__core(a, a_link), second = poise__core(b, b_link);
    first.pose.q = poise_quat_normalize(first.pose.q);
    first.axis = poise_quat_rotate(first.pose.q, first.half);
    second.pose.q = poise_quat_normalize(second.pose.q);
    second.axis = poise_quat_rotate(second.pose.q, second.half);
    if (!poise_is_finite3(gap->normal)) {
        gap->normal = poise_vec3(0.0, 0.0, 0.0);
    }
    poise__core_gap(&first, &second, gap);
    return POISE_OK;
}
