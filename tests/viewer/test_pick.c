// SPDX-License-Identifier: MIT
#include "fixture.h"

static const PoiseShapeKind KINDS[] = {POISE_SHAPE_BOX, POISE_SHAPE_SPHERE, POISE_SHAPE_CAPSULE,
                                       POISE_SHAPE_CYLINDER};

static PoiseShapeView shape_of(PoiseShapeKind kind) {
    PoiseShapeView shape = {
        .kind = kind,
        .size = kind == POISE_SHAPE_BOX ? poise_vec3(0.4, 0.6, 0.9) : poise_vec3(0.3, 0.8, 0.0),
        .pose_world = poise_pose(poise_vec3(0.2, -0.4, 1.1),
                                 poise_quat_from_axis_angle(poise_vec3(1.0, 2.0, -0.5), 0.9))};
    return shape;
}

/// Returns the distance of a place in the shape's frame from its surface; negative inside.
static double outside(const PoiseShapeView* shape, PoiseVec3 p) {
    double axial = shape->size.y * 0.5;
    double round = sqrt(p.x * p.x + p.y * p.y);
    switch (shape->kind) {
    case POISE_SHAPE_BOX:
    case POISE_SHAPE_HULL: // its bounding box
        return fmax(fabs(p.x) - 0.5 * shape->size.x,
                    fmax(fabs(p.y) - 0.5 * shape->size.y, fabs(p.z) - 0.5 * shape->size.z));
    case POISE_SHAPE_SPHERE:
        return poise_length(p) - shape->size.x;
    case POISE_SHAPE_CAPSULE:
        return poise_length(poise_vec3(p.x, p.y, p.z - fmax(-axial, fmin(axial, p.z)))) -
               shape->size.x;
    case POISE_SHAPE_CYLINDER:
        return fmax(round - shape->size.x, fabs(p.z) - axial);
    }
    return HUGE_VAL;
}

static double outside_at(const PoiseShapeView* shape, PoiseRay ray, double distance) {
    return outside(shape, poise_pose_apply(poise_pose_inverse(shape->pose_world),
                                           poise__ray_at(ray, distance)));
}

/// Finds the intersection by small steps along the ray: the oracle.
static bool walk(const PoiseShapeView* shape, PoiseRay ray, double* distance) {
    for (double t = 0.0; t < 8.0; t += 1e-3) {
        if (outside_at(shape, ray, t) <= 0.0) {
            *distance = t;
            return true;
        }
    }
    return false;
}

Test(pick, rays_meet_every_shape_where_a_walk_along_them_does) {
    uint64_t seed = 7;
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        PoiseShapeView shape = shape_of(KINDS[k]);
        int hits = 0;
        for (int i = 0; i < 60; i++) {
            PoiseVec3 aim = next_random_vec3(&seed);
            PoiseVec3 from =
                poise_add_scaled(poise_vec3(0.0, 0.0, 1.0), 3.0, next_random_vec3(&seed));
            aim = poise_add_scaled(shape.pose_world.p, 0.6, aim);
            PoiseRay ray = {from, poise__unit(poise_sub(aim, from), poise_vec3(1.0, 0.0, 0.0))};
            double distance = 0.0, expected = 0.0;
            bool hit = poise__ray_shape(ray, &shape, &distance);
            // a grazing ray may pass between two steps of the walk
            if (walk(&shape, ray, &expected)) {
                cr_assert(hit, "kind %d, ray %d: missed", (int)shape.kind, i);
                EXPECT_NEAR(distance, expected, 1.1e-3);
                hits++;
            }
            if (hit) {
                cr_expect_lt(outside_at(&shape, ray, distance), 1e-9);
            }
        }
        cr_expect_gt(hits, 8, "kind %d: only %d rays hit", (int)shape.kind, hits);
    }
}

Test(pick, a_ray_from_inside_meets_at_0_and_one_that_leaves_misses) {
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        PoiseShapeView shape = shape_of(KINDS[k]);
        double distance = -1.0;
        PoiseRay ray = {shape.pose_world.p, poise_vec3(0.0, 0.0, 1.0)};
        cr_expect(poise__ray_shape(ray, &shape, &distance));
        EXPECT_NEAR(distance, 0.0, 0.0);
        ray.origin = poise_add(ray.origin, poise_vec3(0.0, 0.0, 5.0));
        cr_expect_not(poise__ray_shape(ray, &shape, &distance));
    }
}

Test(pick, rays_along_an_axis_meet_caps_and_faces) {
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        PoiseShapeView shape = shape_of(KINDS[k]);
        shape.pose_world = poise_pose_identity();
        double distance = 0.0;
        PoiseRay ray = {poise_vec3(0.05, 0.0, 5.0), poise_vec3(0.0, 0.0, -1.0)};
        cr_assert(poise__ray_shape(ray, &shape, &distance), "kind %d", (int)shape.kind);
        cr_expect_lt(fabs(outside_at(&shape, ray, distance)), 1e-9);
        ray.origin.x = 2.0;
        cr_expect_not(poise__ray_shape(ray, &shape, &distance));
    }
}

APP_TEST(pick, each_body_is_found_where_it_is_seen) {
    const char* bodies[] = {"post", "globe", "drum"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        int index = known_shape(app, bodies[i]);
        double x = 0.0, y = 0.0;
        seen_at(app, poise_simulation_shape(app->session.simulation, index).pose_world.p, &x, &y);
        PoisePick pick = poise__pick(app->session.simulation, &app->camera, x, y);
        cr_expect_eq(pick.kind, POISE_PICK_SHAPE);
        cr_expect_eq(pick.index, index, "%s: shape %d", bodies[i], pick.index);
    }
}

APP_TEST(pick, a_goal_is_found_even_behind_a_body) {
    int point = known_point(app, "left_tip");
    // place the goal behind the post as seen from the eye
    PoiseVec3 eye = poise__camera_eye(&app->camera);
    PoiseVec3 post = poise_vec3(0.0, 0.0, 0.5);
    PoiseVec3 behind = poise_add_scaled(post, 0.3, poise_sub(post, eye));
    cr_assert_eq(poise_simulation_hold_goal(app->session.simulation, point, behind), POISE_OK);
    double x = 0.0, y = 0.0;
    seen_at(app, behind, &x, &y);
    PoisePick pick = poise__pick(app->session.simulation, &app->camera, x, y);
    cr_expect_eq(pick.kind, POISE_PICK_GOAL);
    cr_expect_eq(pick.index, point);
}

APP_TEST(pick, the_sky_is_nothing) {
    PoisePick pick = poise__pick(app->session.simulation, &app->camera, 2.0, 2.0);
    cr_expect_eq(pick.kind, POISE_PICK_NONE);
}

Test(pick, markers_are_neither_too_small_nor_too_large) {
    PoiseCamera camera = poise__camera_default();
    for (double scale = 1e-3; scale < 1e4; scale *= 10.0) {
        camera.scene_radius = scale;
        double radius = poise__marker_radius(&camera, camera.focus) /
                        poise__camera_unit_at(&camera, camera.focus);
        cr_expect(radius >= 5.0 - 1e-9 && radius <= 22.0 + 1e-9, "%g units", radius);
    }
}
