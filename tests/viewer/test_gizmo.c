// SPDX-License-Identifier: MIT
#include "fixture.h"
#include "gizmo.h"

static const double DEGREE = 3.14159265358979323846 / 180.0;

/// Returns the world's axes for even turns, random axes for odd ones.
static PoiseQuat random_axes(int turn, uint64_t* state) {
    if (turn % 2 == 0) {
        return poise_quat_identity();
    }
    const double x = next_random(state), y = next_random(state);
    return poise_quat_exp(poise_vec3(x, y, 0.7));
}

static PoiseVec3 axis_of(PoiseQuat axes, PoiseGizmoPart part) {
    int axis = poise__gizmo_axis(part);
    return poise_quat_rotate(axes, poise_vec3(axis == 0, axis == 1, axis == 2));
}

/// Returns a camera at a random position that looks at the origin.
static PoiseCamera random_camera(uint64_t* state) {
    PoiseCamera camera = poise__camera_default();
    poise__camera_resize(&camera, 640, 360);
    camera.azimuth = 3.0 * next_random(state);
    camera.elevation = 1.2 * next_random(state);
    camera.distance = 3.0 + next_random(state);
    camera.inset = 100.0 * (1.0 + next_random(state));
    return camera;
}

Test(gizmo, an_arrow_moves_exactly_along_its_axis_from_any_view) {
    uint64_t state = 7;
    int dragged = 0;
    for (int i = 0; i < 600; i++) {
        PoiseCamera camera = random_camera(&state);
        const double side = 0.3 * next_random(&state), depth = 0.3 * next_random(&state);
        PoisePose pose = poise_pose(poise_vec3(side, depth, 0.2), poise_quat_identity());
        PoiseGizmoPart part = (PoiseGizmoPart)(POISE_GIZMO_ARROW_X + i % 3);
        PoiseQuat axes = random_axes(i / 3, &state);
        PoiseVec3 grip = poise__gizmo_grip(&camera, poise_pose(pose.p, axes), part);
        double x = 0.0, y = 0.0;
        PoiseGizmoDrag drag;
        if (!poise__camera_project(&camera, grip, &x, &y) ||
            !poise__gizmo_begin(&drag, (PoisePointer){&camera, x, y}, pose, axes, part)) {
            continue; // the arrow points at the eye
        }
        double dx = 60.0 * next_random(&state);
        double dy = 60.0 * next_random(&state);
        PoisePose moved = poise__gizmo_pose(&drag, (PoisePointer){&camera, x + dx, y + dy}, false);
        PoiseVec3 displacement = poise_sub(moved.p, pose.p);
        PoiseVec3 in_axes = poise_quat_unrotate(axes, displacement);
        const double across[3] = {in_axes.x, in_axes.y, in_axes.z};
        for (int axis = 0; axis < 3; axis++) {
            if (axis != poise__gizmo_axis(part)) {
                // along the world's axes the motion is exact to the last bit
                EXPECT_NEAR(across[axis], 0.0, i / 3 % 2 == 0 ? 0.0 : 1e-12);
            }
        }
        // the pose does not jump when it is taken
        EXPECT_NEAR3(poise__gizmo_pose(&drag, (PoisePointer){&camera, x, y}, false).p, pose.p,
                     1e-9);
        dragged++;
    }
    cr_expect_gt(dragged, 400);
}

Test(gizmo, an_arrow_follows_the_pointer_along_itself) {
    uint64_t state = 11;
    for (int i = 0; i < 200; i++) {
        PoiseCamera camera = random_camera(&state);
        PoisePose pose = poise_pose(poise_vec3(0.1, 0.0, 0.1), poise_quat_identity());
        PoiseGizmoPart part = (PoiseGizmoPart)(POISE_GIZMO_ARROW_X + i % 3);
        PoiseQuat axes = random_axes(i / 3, &state);
        PoiseVec3 along = axis_of(axes, part);
        if (fabs(poise_dot(poise__camera_forward(&camera), along)) > 0.95) {
            continue;
        }
        PoiseVec3 grip = poise__gizmo_grip(&camera, poise_pose(pose.p, axes), part);
        double x = 0.0, y = 0.0, to_x = 0.0, to_y = 0.0;
        PoiseGizmoDrag drag;
        cr_assert(poise__camera_project(&camera, grip, &x, &y));
        cr_assert(poise__gizmo_begin(&drag, (PoisePointer){&camera, x, y}, pose, axes, part));
        // project the grip's position after 17 cm
        cr_assert(
            poise__camera_project(&camera, poise_add_scaled(grip, 0.17, along), &to_x, &to_y));
        PoisePose moved = poise__gizmo_pose(&drag, (PoisePointer){&camera, to_x, to_y}, false);
        EXPECT_NEAR3(moved.p, poise_add_scaled(pose.p, 0.17, along), 1e-8);
        PoisePose snapped = poise__gizmo_pose(&drag, (PoisePointer){&camera, to_x, to_y}, true);
        EXPECT_NEAR3(snapped.p, poise_add_scaled(pose.p, 0.15, along), 1e-12);
    }
}

Test(gizmo, a_ring_turns_exactly_about_its_axis_and_snaps_to_five_degrees) {
    uint64_t state = 13;
    int turned = 0;
    for (int i = 0; i < 300; i++) {
        PoiseCamera camera = random_camera(&state);
        const double roll = next_random(&state), pitch = next_random(&state);
        PoisePose pose =
            poise_pose(poise_vec3(0.1, 0.0, 0.1), poise_quat_exp(poise_vec3(roll, pitch, 0.3)));
        PoiseGizmoPart part = (PoiseGizmoPart)(POISE_GIZMO_RING_X + i % 3);
        PoiseQuat axes = random_axes(i / 3, &state);
        PoiseVec3 about = axis_of(axes, part);
        if (fabs(poise_dot(poise__camera_forward(&camera), about)) < 0.3) {
            continue; // the ring is edge-on
        }
        PoiseVec3 grip = poise__gizmo_grip(&camera, poise_pose(pose.p, axes), part);
        PoiseQuat turn = poise_quat_from_axis_angle(about, 33.0 * DEGREE);
        PoiseVec3 there = poise_add(pose.p, poise_quat_rotate(turn, poise_sub(grip, pose.p)));
        double x = 0.0, y = 0.0, to_x = 0.0, to_y = 0.0;
        PoiseGizmoDrag drag;
        cr_assert(poise__camera_project(&camera, grip, &x, &y));
        cr_assert(poise__gizmo_begin(&drag, (PoisePointer){&camera, x, y}, pose, axes, part));
        cr_assert(poise__camera_project(&camera, there, &to_x, &to_y));
        for (int snap = 0; snap < 2; snap++) {
            PoisePose now =
                poise__gizmo_pose(&drag, (PoisePointer){&camera, to_x, to_y}, snap == 1);
            PoiseVec3 turned_by =
                poise_quat_log(poise_quat_mul(now.q, poise_quat_conjugate(pose.q)));
            double expected = (snap ? 35.0 : 33.0) * DEGREE;
            EXPECT_NEAR3(turned_by, poise_scale(expected, about), 1e-7);
            EXPECT_NEAR3(now.p, pose.p, 0.0);
        }
        turned++;
    }
    cr_expect_gt(turned, 150);
}

APP_TEST(gizmo, every_part_is_visible_and_picked_at_its_grip) {
    int right = known_point(app, "right_tip");
    app->highlight.selected = right;
    PoisePointView point = poise_simulation_point(app->session.simulation, right);
    for (int i = POISE_GIZMO_ARROW_X; i <= POISE_GIZMO_RING_Z; i++) {
        PoiseVec3 grip =
            poise__gizmo_grip(&app->camera, poise__gizmo_frame(&point, false), (PoiseGizmoPart)i);
        double x = 0.0, y = 0.0;
        seen_at(app, grip, &x, &y);
        cr_expect_eq(poise__app_gizmo_part(app, x, y), (PoiseGizmoPart)i, "part %d", i);
    }
    poise__screen_draw(app);
    int parts = 0;
    for (int i = 0; i < app->list.instance_count; i++) {
        parts += poise__draw_id_kind(app->list.instances[i].id) == POISE_DRAW_GIZMO;
    }
    cr_expect_eq(parts, 3 * 2 + 3); // arrows have two parts, rings one
}
