// SPDX-License-Identifier: MIT
// Gaps of shapes: certificates by support functions of this file's own, directions by brute force,
// and the distances of libfcl where it is installed. The rims of cylinders are met by corners that
// lie ever closer together: certificates of their gaps hold within 2e-8 m, not 1e-9.
#include <criterion/criterion.h>
#include <math.h>

#include "convex_fcl.h"
#include "poise/convex.h"
#include "random.h"

enum { CORNERS = 24, KINDS = 5, HULL = 4 };

static PoisePose place(Random* random, double most) {
    const double w = random_between(random, -1.0, 1.0);
    const PoiseVec3 v = random_vec3(random, 1.0);
    const PoiseVec3 p = random_vec3(random, most);
    return poise_pose(p, poise_quat_normalize(poise_quat(w, v.x, v.y, v.z)));
}

static PoiseConvex shape_of(Random* random, int kind, PoiseVec3* corners) {
    const double radius = random_between(random, 0.02, 0.3);
    const double half = random_between(random, 0.0, 0.6);
    const PoiseVec3 edges = poise_vec3(radius, half + 0.01, random_between(random, 0.02, 0.5));
    switch (kind) {
    case 0:
        return poise_convex_sphere(radius);
    case 1:
        return poise_convex_capsule(radius, half);
    case 2:
        return poise_convex_box(edges);
    case 3:
        return poise_convex_cylinder(radius, half);
    default:
        break;
    }
    for (int i = 0; i < CORNERS; i++) {
        corners[i] = random_vec3(random, 0.4);
    }
    return poise_convex_hull(corners, CORNERS);
}

// Returns the largest product of a direction with the points of a shape.
static double support(const PoiseConvex* shape, PoisePose frame, PoiseVec3 along) {
    const PoiseVec3 d = poise_quat_unrotate(frame.q, along);
    double most = 0.0;
    if (shape->kind == POISE_CONVEX_CAPSULE) {
        most = fabs(d.z) * shape->half_length;
    } else if (shape->kind == POISE_CONVEX_BOX) {
        most = fabs(d.x) * shape->half.x + fabs(d.y) * shape->half.y + fabs(d.z) * shape->half.z;
    } else if (shape->kind == POISE_CONVEX_CYLINDER) {
        // the shape's radius is that of its disks
        return sqrt(d.x * d.x + d.y * d.y) * shape->radius + fabs(d.z) * shape->half_length +
               poise_dot(along, frame.p);
    } else if (shape->kind == POISE_CONVEX_HULL) {
        most = -HUGE_VAL;
        for (int i = 0; i < shape->corner_count; i++) {
            most = fmax(most, poise_dot(d, shape->corners[i]));
        }
    }
    return most + poise_dot(along, frame.p) + shape->radius * poise_length(along);
}

// Returns the width of the slab across `n` that separates a from b. The gap of a and b is the
// largest width over all n.
static double parted(const PoiseConvex* a, PoisePose fa, const PoiseConvex* b, PoisePose fb,
                     PoiseVec3 n) {
    return -support(a, fa, poise_scale(-1.0, n)) - support(b, fb, n);
}

// Returns the largest error of the gap against its certificate: the nearest points lie along the
// normal, and the planes across the normal bound the shapes.
static double certificate(const PoiseConvex* a, PoisePose fa, const PoiseConvex* b, PoisePose fb,
                          const PoiseGap* gap) {
    const PoiseVec3 n = gap->normal;
    double error = fabs(poise_length(n) - 1.0);
    error = fmax(error, fabs(parted(a, fa, b, fb, n) - gap->distance));
    error = fmax(error, fabs(poise_dot(n, gap->a) + support(a, fa, poise_scale(-1.0, n))));
    error = fmax(error, fabs(poise_dot(n, gap->b) - support(b, fb, n)));
    const PoiseVec3 off = poise_add_scaled(poise_sub(gap->a, gap->b), -gap->distance, n);
    return fmax(error, poise_length(off));
}

Test(convex, gaps_of_every_pair_of_kinds_have_their_certificate) {
    Random random = random_from(35);
    double worst = 0.0;
    int parted_pairs = 0;
    for (int trial = 0; trial < 25000; trial++) {
        PoiseVec3 corners[2][CORNERS];
        const PoiseConvex a = shape_of(&random, trial % KINDS, corners[0]);
        const PoiseConvex b = shape_of(&random, trial / KINDS % KINDS, corners[1]);
        const PoisePose fa = place(&random, 0.6), fb = place(&random, 0.6);
        PoiseGap gap = {.distance = 0.0};
        cr_assert_eq(poise_convex_gap(&a, fa, &b, fb, &gap), POISE_OK);
        const double error = certificate(&a, fa, &b, fb, &gap);
        worst = fmax(worst, error);
        parted_pairs += gap.distance > 0.0;
        const bool is_round = a.kind == POISE_CONVEX_CYLINDER || b.kind == POISE_CONVEX_CYLINDER;
        cr_assert_lt(error, is_round ? 2e-8 : 1e-9,
                     "trial %d: kinds %d and %d, distance %g, error %g", trial, trial % KINDS,
                     trial / KINDS % KINDS, gap.distance, error);
        const PoiseGap first = gap;
        cr_assert_eq(poise_convex_gap(&a, fa, &b, fb, &gap), POISE_OK);
        cr_assert_float_eq(gap.distance, first.distance, 1e-9, "a second search ends elsewhere");
    }
    cr_assert(parted_pairs > 4000 && parted_pairs < 24000);
    cr_log_info("worst error %g m", worst);
}

// A certificate alone is an upper bound of the depth; no direction may separate the shapes by less.
Test(convex, depths_are_the_least_of_all_directions) {
    Random random = random_from(36);
    int overlaps = 0;
    for (int trial = 0; trial < 600; trial++) {
        PoiseVec3 corners[2][CORNERS];
        const PoiseConvex a = shape_of(&random, trial % KINDS, corners[0]);
        const PoiseConvex b = shape_of(&random, trial / KINDS % KINDS, corners[1]);
        const PoisePose fa = place(&random, 0.15), fb = place(&random, 0.15);
        PoiseGap gap = {.distance = 0.0};
        cr_assert_eq(poise_convex_gap(&a, fa, &b, fb, &gap), POISE_OK);
        if (gap.distance >= 0.0) {
            continue;
        }
        overlaps++;
        for (int i = 0; i < 500; i++) {
            const PoiseVec3 v = random_vec3(&random, 1.0);
            const PoiseVec3 n = poise_scale(1.0 / poise_length(v), v);
            const double width = parted(&a, fa, &b, fb, n);
            cr_assert_leq(width, gap.distance + 1e-9, "trial %d: %g m part them, not %g", trial,
                          -width, -gap.distance);
        }
    }
    cr_assert_gt(overlaps, 200);
}

Test(convex, centres_that_coincide_have_a_depth) {
    const PoisePose here = poise_pose_identity();
    const PoiseConvex shapes[] = {poise_convex_sphere(0.1), poise_convex_capsule(0.1, 0.2),
                                  poise_convex_box(poise_vec3(0.1, 0.2, 0.3)),
                                  poise_convex_cylinder(0.1, 0.2)};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            PoiseGap gap = {.distance = 0.0};
            cr_assert_eq(poise_convex_gap(&shapes[i], here, &shapes[k], here, &gap), POISE_OK);
            // around a cylinder's axis all directions have the least depth: a polytope only
            // approximates them
            const bool is_round = i == 3 || k == 3;
            cr_expect_float_eq(gap.distance, -0.2, is_round ? 3e-4 : 1e-12, "%d %d: %g", i, k,
                               gap.distance);
            cr_expect_lt(certificate(&shapes[i], here, &shapes[k], here, &gap),
                         is_round ? 3e-4 : 1e-12);
        }
    }
}

Test(convex, corners_of_flat_hulls_have_gaps) {
    const PoiseVec3 plate[4] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}};
    const PoiseVec3 dot[1] = {{0.2, 0.1, 0.0}};
    const PoiseConvex a = poise_convex_hull(plate, 4), b = poise_convex_hull(dot, 1);
    PoiseGap gap = {.distance = 0.0};
    PoisePose above = poise_pose_identity();
    above.p.z = 0.25;
    cr_assert_eq(poise_convex_gap(&b, above, &a, poise_pose_identity(), &gap), POISE_OK);
    cr_expect_float_eq(gap.distance, 0.25, 1e-12);
    above.p.z = 0.0;
    cr_assert_eq(poise_convex_gap(&b, above, &a, poise_pose_identity(), &gap), POISE_OK);
    cr_expect_float_eq(gap.distance, 0.0, 1e-12);
    cr_expect_float_eq(fabs(gap.normal.z), 1.0, 1e-12);
}

Test(convex, distances_equal_those_of_libfcl) {
    if (!fcl_is_there()) {
        cr_skip("no libfcl-dev: distances are not compared with it");
    }
    Random random = random_from(37);
    // libfcl ends its search for the nearest points of cylinders with larger errors
    double worst[2] = {0.0, 0.0};
    int compared = 0;
    for (int trial = 0; trial < 6400; trial++) {
        const PoiseConvex a = shape_of(&random, trial % HULL, NULL);
        const PoiseConvex b = shape_of(&random, trial / HULL % HULL, NULL);
        const PoisePose fa = place(&random, 0.8), fb = place(&random, 0.8);
        const int is_round = a.kind == POISE_CONVEX_CYLINDER || b.kind == POISE_CONVEX_CYLINDER;
        PoiseGap gap = {.distance = 0.0};
        cr_assert_eq(poise_convex_gap(&a, fa, &b, fb, &gap), POISE_OK);
        const double other = fcl_distance(&a, fa, &b, fb);
        cr_assert_eq(gap.distance > 1e-9, other > 1e-9, "trial %d: %g and %g", trial, gap.distance,
                     other);
        if (gap.distance > 1e-9) {
            worst[is_round] = fmax(worst[is_round], fabs(other - gap.distance));
            compared++;
        }
    }
    cr_assert_gt(compared, 2500);
    cr_assert_lt(worst[0], 1e-6, "libfcl differs by %g m", worst[0]);
    cr_assert_lt(worst[1], 1e-5, "libfcl differs by %g m at cylinders", worst[1]);
}

Test(convex, shapes_that_cannot_be_are_refused_in_words) {
    const PoiseVec3 wrong[1] = {{(double)NAN, 0, 0}};
    PoiseConvex odd = poise_convex_sphere(1.0);
    odd.kind = 9;
    PoiseConvex turned = poise_convex_sphere(1.0);
    turned.pose.q = poise_quat(0, 0, 0, 0);
    const PoiseConvex shapes[] = {poise_convex_sphere(0.0),
                                  poise_convex_sphere((double)NAN),
                                  poise_convex_capsule(0.1, -1.0),
                                  poise_convex_capsule((double)INFINITY, 1.0),
                                  poise_convex_cylinder(0.0, 1.0),
                                  poise_convex_cylinder(0.1, (double)NAN),
                                  poise_convex_box(poise_vec3(1, 0, 1)),
                                  poise_convex_box(poise_vec3(1, (double)NAN, 1)),
                                  poise_convex_hull(NULL, 3),
                                  poise_convex_hull(wrong, 1),
                                  poise_convex_hull(wrong, 0),
                                  odd,
                                  turned};
    const PoiseConvex fine = poise_convex_sphere(0.1);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        PoiseGap gap = {.distance = 7.0};
        cr_expect_not_null(poise_convex_problem(&shapes[i]), "shape %zu", i);
        cr_expect_eq(
            poise_convex_gap(&shapes[i], poise_pose_identity(), &fine, poise_pose_identity(), &gap),
            POISE_ERROR_INVALID_ARGUMENT);
        cr_expect_eq(gap.distance, 7.0);
    }
    cr_expect_null(poise_convex_problem(&fine));
}
