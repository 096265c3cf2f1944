// SPDX-License-Identifier: MIT
// Tests that links keep apart from each other and from obstacles. The oracle is the gaps of shapes,
// which test_convex.c checks, at the tree's frames after each step.
#include <criterion/criterion.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "convex_fcl.h"
#include "models.h"
#include "poise/body.h"
#include "poise/task.h"
#include "posture.h"
#include "works.h"

#define QUARTER (0.5 * PI)
#define PI      3.14159265358979323846

enum { JOINTS = 7, SUB_STEPS = 4 };

/// An arm of seven hinges with capsules, in modified Denavit-Hartenberg rows.
typedef struct Arm {
    PoiseNodeId joints[JOINTS];
    PoisePointId hand;
} Arm;

static const double arm_rows[JOINTS][3] = {
    // a, alpha, d
    {0.0, 0.0, 0.333},          {0.0, -QUARTER, 0.0}, {0.0, QUARTER, 0.316}, {0.0825, QUARTER, 0.0},
    {-0.0825, -QUARTER, 0.384}, {0.0, QUARTER, 0.0},  {0.088, QUARTER, 0.0}};
static const double arm_ranges[JOINTS][2] = {{-2.9, 2.9},    {-1.76, 1.76}, {-2.9, 2.9},
                                             {-3.07, -0.07}, {-2.9, 2.9},   {-0.01, 3.75},
                                             {-2.9, 2.9}};
static const double arm_start[JOINTS] = {0.0, -0.6, 0.0, -2.2, 0.0, 1.7, 0.6};

static Arm add_arm(PoiseTree* tree, PoiseVec3 base) {
    Arm arm;
    PoiseNodeId parent = poise_null_node();
    for (int i = 0; i < JOINTS; i++) {
        PoiseNodeDef def = poise_default_hinge_def();
        const PoiseQuat turn = poise_quat_from_axis_angle(poise_vec3(1, 0, 0), arm_rows[i][1]);
        const PoiseVec3 along = poise_vec3(arm_rows[i][0], 0.0, arm_rows[i][2]);
        def.parent = parent;
        def.joint_in_parent = poise_pose(poise_quat_rotate(turn, along), turn);
        if (i == 0) {
            def.joint_in_parent.p = poise_add(def.joint_in_parent.p, base);
        }
        def.lower = arm_ranges[i][0];
        def.upper = arm_ranges[i][1];
        arm.joints[i] = parent = poise_node_create(tree, &def);
        WORKS(poise_node_set_angle(tree, parent, arm_start[i]));
    }
    PoisePointDef point = poise_default_pose_def();
    point.link = parent;
    point.in_link.p.z = 0.15;
    arm.hand = poise_point_create(tree, &point);
    cr_assert_eq(poise_register_chain(tree, arm.hand, arm.joints[0]), POISE_OK);
    return arm;
}

static PoiseApartPart capsule_between(PoiseNodeId link, PoiseVec3 from, PoiseVec3 to,
                                      double radius) {
    const PoiseVec3 along = poise_sub(to, from);
    const double length = poise_length(along);
    PoiseApartPart part = {.link = link, .shape = poise_convex_capsule(radius, 0.5 * length)};
    part.shape.pose.p = poise_scale(0.5, poise_add(from, to));
    const PoiseVec3 z = poise_vec3(0, 0, 1);
    const PoiseVec3 cross = poise_cross(z, along);
    const double sine = poise_length(cross);
    if (sine > 1e-9 * length) {
        part.shape.pose.q = poise_quat_from_axis_angle(poise_scale(1.0 / sine, cross),
                                                       atan2(sine, poise_dot(z, along)));
    }
    return part;
}

// Adds the arm's parts; returns their number.
static int arm_parts(const Arm* arm, PoiseVec3 base, PoiseApartPart* parts) {
    const PoiseNodeId* j = arm->joints;
    int n = 0;
    parts[n] =
        capsule_between(poise_null_node(), base, poise_add(base, poise_vec3(0, 0, 0.12)), 0.09);
    parts[n++].base = true;
    parts[n++] = capsule_between(j[0], poise_vec3(0, 0, -0.15), poise_vec3(0, 0, 0), 0.07);
    parts[n++] = capsule_between(j[1], poise_vec3(0, 0, -0.07), poise_vec3(0, 0, 0.07), 0.07);
    parts[n++] = capsule_between(j[2], poise_vec3(0, 0, -0.18), poise_vec3(0.04, 0, -0.03), 0.065);
    parts[n++] = capsule_between(j[3], poise_vec3(0, 0, -0.06), poise_vec3(-0.08, 0.05, 0), 0.065);
    parts[n++] =
        capsule_between(j[4], poise_vec3(0, 0.03, -0.3), poise_vec3(0, 0.07, -0.05), 0.055);
    parts[n++] = capsule_between(j[5], poise_vec3(0, 0, -0.05), poise_vec3(0.07, 0, 0), 0.055);
    parts[n++] = capsule_between(j[6], poise_vec3(0, 0, -0.02), poise_vec3(0, 0, 0.1), 0.05);
    parts[n++] = capsule_between(j[6], poise_vec3(0, -0.07, 0.13), poise_vec3(0, 0.07, 0.13), 0.03);
    return n;
}

static PoiseApartPart obstacle(PoiseConvex shape, PoiseVec3 place) {
    shape.pose.p = place;
    return (PoiseApartPart){.link = poise_null_node(), .shape = shape};
}

/// A tree with arms, obstacles and its parts to keep apart.
typedef struct Field {
    PoiseTree* tree;
    Arm arms[2];
    int arm_count;
    int part_count;
    PoiseApartPart parts[32];
    PoiseApart* apart;
} Field;

static Field field_of(int arms) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    Field field = {.tree = poise_tree_create(&tree_def), .arm_count = arms};
    for (int i = 0; i < arms; i++) {
        const PoiseVec3 base = poise_vec3(0.0, i == 0 ? 0.0 : 0.6, 0.0);
        field.arms[i] = add_arm(field.tree, base);
        field.part_count += arm_parts(&field.arms[i], base, &field.parts[field.part_count]);
    }
    field.parts[field.part_count++] =
        obstacle(poise_convex_capsule(0.05, 0.4), poise_vec3(0.45, 0.25, 0.4));
    field.parts[field.part_count++] =
        obstacle(poise_convex_box(poise_vec3(0.15, 0.1, 0.1)), poise_vec3(0.5, -0.3, 0.3));
    PoiseApartDef def = poise_default_apart_def();
    def.parts = field.parts;
    def.part_count = field.part_count;
    field.apart = poise_apart_create(field.tree, &def);
    cr_assert_not_null(field.apart, "%s", poise_tree_message(field.tree));
    return field;
}

static void field_finish(Field* field) {
    poise_apart_destroy(field->apart);
    poise_tree_destroy(field->tree);
}

static PoisePose world_of(const Field* field, int part) {
    const PoiseNodeId link = field->parts[part].link;
    return link.index1 != 0 ? poise_node_link_world(field->tree, link) : poise_pose_identity();
}

// Returns the least gap of the pairs, m, computed from the tree's frames and the shapes alone.
static double least_gap(const Field* field) {
    PoiseApartPair pairs[POISE_APART_PAIRS_MOST];
    const int count = poise_apart_pairs(field->apart, pairs, POISE_APART_PAIRS_MOST);
    double least = HUGE_VAL;
    for (int k = 0; k < count; k++) {
        PoiseGap gap = {.distance = 0.0};
        const int a = pairs[k].a, b = pairs[k].b;
        WORKS(poise_convex_gap(&field->parts[a].shape, world_of(field, a), &field->parts[b].shape,
                               world_of(field, b), &gap));
        least = fmin(least, gap.distance);
    }
    return least;
}

static void angles(const Field* field, double* q) {
    for (int a = 0; a < field->arm_count; a++) {
        for (int i = 0; i < JOINTS; i++) {
            *q++ = poise_node_angle(field->tree, field->arms[a].joints[i]);
        }
    }
}

static void set_angles(const Field* field, const double* from, const double* to, double part) {
    for (int a = 0, n = 0; a < field->arm_count; a++) {
        for (int i = 0; i < JOINTS; i++, n++) {
            WORKS(poise_node_set_angle(field->tree, field->arms[a].joints[i],
                                       from[n] + part * (to[n] - from[n])));
        }
    }
    WORKS(poise_forward(field->tree));
}

// Takes one step; returns the least gap at SUB_STEPS postures on the line from the one before.
static double step_and_look(const Field* field, const PoiseSolveDef* def) {
    double before[2 * JOINTS], after[2 * JOINTS], least = HUGE_VAL;
    angles(field, before);
    WORKS(poise_forward(field->tree));
    WORKS(poise_solve(field->tree, def, NULL));
    WORKS(poise_advance(field->tree));
    angles(field, after);
    for (int s = 1; s <= SUB_STEPS; s++) {
        set_angles(field, before, after, (double)s / SUB_STEPS);
        least = fmin(least, least_gap(field));
    }
    return least;
}

static void random_goal(Random* random, const Field* field, int arm, PoisePose* goal) {
    const PoiseVec3 place = random_vec3(random, 0.6);
    goal->p = poise_add(poise_vec3(0.25, arm == 0 ? 0.0 : 0.6, 0.4), place);
    goal->q = random_turn(random, PI);
    cr_assert(field->arm_count > arm);
}

// Follows lines of goals that pass through arms and obstacles; returns the least gap, m. Every pair
// may touch if `keep` is false.
static double track(int arms, int lines, int samples, bool keep) {
    Field field = field_of(arms);
    PoiseApartPair pairs[POISE_APART_PAIRS_MOST];
    const int count = poise_apart_pairs(field.apart, pairs, POISE_APART_PAIRS_MOST);
    for (int k = 0; !keep && k < count; k++) {
        WORKS(poise_apart_allow(field.apart, pairs[k], true));
        cr_expect(poise_apart_is_allowed(field.apart, pairs[k]));
    }
    Random random = random_from(4);
    PoiseSolveDef def = poise_default_solve_def();
    double least = HUGE_VAL;
    WORKS(poise_forward(field.tree));
    PoisePose from[2], to[2];
    for (int a = 0; a < arms; a++) {
        from[a] = poise_point_planned_pose(field.tree, field.arms[a].hand);
    }
    for (int line = 0; line < lines; line++) {
        for (int a = 0; a < arms; a++) {
            random_goal(&random, &field, a, &to[a]);
        }
        for (int s = 1; s <= samples; s++) {
            for (int a = 0; a < arms; a++) {
                const double t = (double)s / samples;
                const PoiseVec3 p = poise_add_scaled(from[a].p, t, poise_sub(to[a].p, from[a].p));
                WORKS(poise_point_set_position(field.tree, field.arms[a].hand, p));
                WORKS(poise_point_set_orientation(field.tree, field.arms[a].hand,
                                                  poise_quat_slerp(from[a].q, to[a].q, t)));
            }
            least = fmin(least, step_and_look(&field, &def));
        }
        memcpy(from, to, sizeof from);
    }
    field_finish(&field);
    return least;
}

Test(apart, an_arm_that_follows_lines_through_obstacles_touches_nothing) {
    const double least = track(1, 12, 100, true), without = track(1, 12, 100, false);
    cr_log_info("least gap %g mm, %g mm without", 1e3 * least, 1e3 * without);
    cr_assert_gt(least, 0.0, "%g m", least);
    cr_assert_lt(without, -0.03, "the lines lead through nothing: %g m", without);
}

// Moves both arms along lines with a step in seconds, twice: `forget` makes every gap unknown
// before each solve. Writes all postures. Pairs have rows early, since bodies lag by 0.1 s.
static void run_remembering(bool forget, double* postures, int steps) {
    Field field = field_of(2);
    WORKS(poise_apart_set_lag(field.apart, 0.1));
    PoiseApartPair pairs[POISE_APART_PAIRS_MOST];
    const int count = poise_apart_pairs(field.apart, pairs, POISE_APART_PAIRS_MOST);
    PoiseSolveDef def = poise_default_solve_def();
    def.step = 0.01;
    Random random = random_from(11);
    for (int i = 0; i < steps; i++) {
        for (int a = 0; i % 50 == 0 && a < 2; a++) {
            PoisePose goal;
            random_goal(&random, &field, a, &goal);
            WORKS(poise_point_set_position(field.tree, field.arms[a].hand, goal.p));
        }
        for (int k = 0; forget && k < count; k++) {
            WORKS(poise_apart_allow(field.apart, pairs[k], false));
        }
        WORKS(poise_forward(field.tree));
        WORKS(poise_solve(field.tree, &def, NULL));
        WORKS(poise_advance(field.tree));
        angles(&field, &postures[i * 2 * JOINTS]);
    }
    field_finish(&field);
}

Test(apart, remembered_gaps_change_no_bit) {
    enum { STEPS = 300 };
    static double with[STEPS * 2 * JOINTS], without[STEPS * 2 * JOINTS];
    run_remembering(false, with, STEPS);
    run_remembering(true, without, STEPS);
    cr_expect_eq(memcmp(with, without, sizeof with), 0);
}

Test(apart, two_arms_that_follow_lines_through_each_other_do_not_touch) {
    const double least = track(2, 6, 100, true), without = track(2, 6, 100, false);
    cr_log_info("least gap %g mm, %g mm without", 1e3 * least, 1e3 * without);
    cr_assert_gt(least, 0.0, "%g m", least);
    cr_assert_lt(without, -0.03, "the lines lead through nothing: %g m", without);
}

// Makes a planar arm of two links of 1 m that reaches along x, with a ball at its tip, and a wall
// of balls at x = 1.5 m.
typedef struct Plane {
    PoiseTree* tree;
    PoisePointId tip;
    PoiseApartPart parts[3];
    PoiseApart* apart;
} Plane;

static Plane plane_of(double wall, int priority) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    Plane plane = {.tree = poise_tree_create(&tree_def)};
    PoiseNodeDef def = poise_default_hinge_def();
    const PoiseNodeId shoulder = poise_node_create(plane.tree, &def);
    def.parent = shoulder;
    def.joint_in_parent.p = poise_vec3(1, 0, 0);
    const PoiseNodeId elbow = poise_node_create(plane.tree, &def);
    WORKS(poise_node_set_angle(plane.tree, shoulder, 1.0));
    WORKS(poise_node_set_angle(plane.tree, elbow, -2.0));
    PoisePointDef point = poise_default_position_def();
    point.link = elbow;
    point.in_link.p = poise_vec3(1, 0, 0);
    plane.tip = poise_point_create(plane.tree, &point);
    WORKS(poise_register_chain(plane.tree, plane.tip, shoulder));
    if (priority > 0) {
        // a second point on the elbow's link comes after the tip
        point.in_link.p = poise_vec3(0, 0, 0);
        const PoisePointId second = poise_point_create(plane.tree, &point);
        WORKS(poise_register_chain(plane.tree, second, shoulder));
        WORKS(poise_point_set_priority(plane.tree, second, priority));
        WORKS(poise_point_set_position(plane.tree, second, poise_vec3(0.5, 0.8, 0)));
    }
    plane.parts[0] = (PoiseApartPart){.link = elbow, .shape = poise_convex_sphere(0.1)};
    plane.parts[0].shape.pose.p = poise_vec3(1, 0, 0);
    plane.parts[1] =
        obstacle(poise_convex_box(poise_vec3(0.5, 5, 5)), poise_vec3(wall + 0.5, 0, 0));
    PoiseApartDef apart = poise_default_apart_def();
    apart.parts = plane.parts;
    apart.part_count = 2;
    plane.apart = poise_apart_create(plane.tree, &apart);
    cr_assert_not_null(plane.apart, "%s", poise_tree_message(plane.tree));
    return plane;
}

static void plane_run(Plane* plane, int steps, const PoiseSolveDef* def) {
    for (int i = 0; i < steps; i++) {
        WORKS(poise_forward(plane->tree));
        WORKS(poise_solve(plane->tree, def, NULL));
        WORKS(poise_advance(plane->tree));
    }
    WORKS(poise_forward(plane->tree));
}

static void plane_finish(Plane* plane) {
    poise_apart_destroy(plane->apart);
    poise_tree_destroy(plane->tree);
}

// The nearest place before the wall: x = 1.5 - 0.1 - 0.01, y of the goal.
Test(apart, a_tip_whose_goal_is_behind_a_wall_stops_before_it_and_says_so) {
    for (int priority = 0; priority < 2; priority++) {
        Plane plane = plane_of(1.5, priority);
        WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(1.9, 0.3, 0)));
        plane_run(&plane, 60, NULL);
        const PoiseVec3 tip = poise_point_planned_pose(plane.tree, plane.tip).p;
        cr_expect_float_eq(tip.x, 1.39, 1e-6, "priority %d: x %.9f", priority, tip.x);
        cr_expect_float_eq(tip.y, 0.3, 1e-4, "priority %d: y %.9f", priority, tip.y);
        PoiseApartNear held;
        cr_assert(poise_apart_held_by(plane.apart, plane.tip, &held));
        cr_expect_eq(held.pair.a, 0);
        cr_expect_eq(held.pair.b, 1);
        cr_expect_float_eq(held.gap.distance, 0.01, 1e-6);
        WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(1.2, 0.3, 0)));
        plane_run(&plane, 30, NULL);
        cr_expect_not(poise_apart_held_by(plane.apart, plane.tip, &held));
        plane_finish(&plane);
    }
}

// Runs the planar arm into the wall while both goals move along it. New memory is filled with the
// byte. Writes the speeds of both hinges, rad/s.
static void slide_along(int byte, double speeds[2]) {
    (void)mallopt(M_PERTURB, byte);
    Plane plane = plane_of(1.5, 1);
    PoiseSolveDef def = poise_default_solve_def();
    def.step = 0.01;
    for (int i = 0; i < 60; i++) {
        const double y = 0.3 + 0.2 * def.step * i;
        WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(1.9, y, 0)));
        WORKS(poise_point_set_velocity(plane.tree, plane.tip, poise_vec3(0, 0.2, 0)));
        plane_run(&plane, 1, &def);
    }
    PoiseApartNear held;
    cr_assert(poise_apart_held_by(plane.apart, plane.tip, &held));
    for (int i = 0; i < 2; i++) {
        double velocity[POISE_MAX_DOF];
        cr_assert_eq(poise_node_velocity(plane.tree, poise_tree_node(plane.tree, i), velocity), 1);
        speeds[i] = velocity[0];
    }
    plane_finish(&plane);
    (void)mallopt(M_PERTURB, 0);
}

Test(apart, two_priorities_at_a_wall_do_not_depend_on_the_contents_of_new_memory) {
    double first[2], second[2];
    slide_along(0x80, first);
    slide_along(0xc0, second);
    cr_expect_gt(fabs(first[0]), 0.01);
    cr_expect_arr_eq(first, second, sizeof first);
}

// A ball of radius 0.1 m slides into a wall 1 m before it at up to `speed`, m/s.
static Plane slide_of(double speed) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    Plane plane = {.tree = poise_tree_create(&tree_def)};
    PoiseNodeDef def = poise_default_slider_def();
    def.axis = poise_vec3(1, 0, 0);
    def.max_speed = speed;
    PoisePointDef point = poise_default_position_def();
    point.link = poise_node_create(plane.tree, &def);
    plane.tip = poise_point_create(plane.tree, &point);
    WORKS(poise_register_chain(plane.tree, plane.tip, point.link));
    WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(3, 0, 0)));
    plane.parts[0] = (PoiseApartPart){.link = point.link, .shape = poise_convex_sphere(0.1)};
    plane.parts[1] = obstacle(poise_convex_box(poise_vec3(0.5, 5, 5)), poise_vec3(1.6, 0, 0));
    PoiseApartDef apart = poise_default_apart_def();
    apart.parts = plane.parts;
    apart.part_count = 2;
    plane.apart = poise_apart_create(plane.tree, &apart);
    cr_assert_not_null(plane.apart, "%s", poise_tree_message(plane.tree));
    return plane;
}

// Takes a step and returns its motion, m. `gap` is that before the step.
static double slide(Plane* plane, double step, double* gap) {
    PoiseSolveDef def = poise_default_solve_def();
    PoiseApartNear nearest;
    def.step = step;
    WORKS(poise_forward(plane->tree));
    const double x = poise_point_planned_pose(plane->tree, plane->tip).p.x;
    GETS(poise_apart_measure(plane->apart, &nearest) == 0);
    *gap = nearest.gap.distance;
    plane_run(plane, 1, &def);
    return poise_point_planned_pose(plane->tree, plane->tip).p.x - x;
}

// Parts brake so that their speed is at most their free distance / 0.05 s. The longer step takes
// the speed before it into account, not its motion.
Test(apart, braking_does_not_depend_on_a_change_of_the_step) {
    Plane plane = slide_of(1.5);
    double gap = 1.0;
    for (int i = 0; i < 1000 && gap > 0.07; i++) {
        slide(&plane, 0.001, &gap);
    }
    const double speed = slide(&plane, 0.01, &gap) / 0.01;
    cr_expect(gap > 0.06 && gap < 0.07, "%g m", gap);
    cr_expect_float_eq(speed, (gap - 0.01) / 0.05, 1e-6, "%g m/s at %g m", speed, gap);
    plane_finish(&plane);
}

Test(apart, a_pair_held_beyond_the_range_is_listed) {
    Plane plane = slide_of(2.5);
    PoiseApartNear held, near;
    double gap = 1.0;
    int far = 0;
    for (int i = 0; i < 300 && gap > 0.05; i++) {
        slide(&plane, 0.01, &gap);
        if (poise_apart_held_by(plane.apart, plane.tip, &held)) {
            far += held.gap.distance > 0.08;
            cr_assert_eq(poise_apart_near(plane.apart, &near, 1), 1, "at %g m", gap);
            cr_expect(near.held);
        }
    }
    cr_expect(far > 0);
    plane_finish(&plane);
}

Test(apart, a_start_in_touch_parts) {
    Plane plane = plane_of(1.0, 0);
    WORKS(poise_forward(plane.tree));
    WORKS(poise_point_set_position(plane.tree, plane.tip,
                                   poise_point_planned_pose(plane.tree, plane.tip).p));
    PoiseApartNear nearest;
    cr_assert_eq(poise_apart_measure(plane.apart, &nearest), 1);
    cr_assert_lt(nearest.gap.distance, -0.1);
    plane_run(&plane, 30, NULL);
    cr_assert_eq(poise_apart_measure(plane.apart, &nearest), 0);
    cr_expect_float_eq(nearest.gap.distance, 0.01, 1e-6, "%g", nearest.gap.distance);
    plane_finish(&plane);
}

Test(apart, a_moving_obstacle_pushes_the_tip_before_it) {
    Plane plane = plane_of(1.5, 0);
    PoiseSolveDef def = poise_default_solve_def();
    def.step = 0.01;
    WORKS(poise_forward(plane.tree));
    WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(1.3, 0.0, 0)));
    double least = HUGE_VAL;
    PoisePose pose = poise_pose_identity();
    for (int i = 0; i < 100; i++) {
        plane_run(&plane, 1, &def);
        pose.p.x -= 0.01 * 1.0;
        WORKS(poise_apart_set_obstacle(plane.apart, 1, pose, poise_vec3(-1, 0, 0),
                                       poise_vec3(0, 0, 0)));
        PoiseApartNear nearest;
        cr_assert_geq(poise_apart_measure(plane.apart, &nearest), 0);
        least = fmin(least, nearest.gap.distance);
    }
    // the first step after the wall comes into the range is the only one that lags
    cr_expect_gt(least, 0.0, "%g m", least);
    plane_finish(&plane);
}

Test(apart, a_force_into_the_wall_is_a_contact_on_purpose) {
    Plane plane = plane_of(1.5, 0);
    WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(1.4, 0.3, 0)));
    WORKS(poise_point_set_force(plane.tree, plane.tip, poise_vec3(10, 0, 0)));
    WORKS(poise_point_set_yield(plane.tree, plane.tip, POISE_YIELD_NONE, 0));
    plane_run(&plane, 40, NULL);
    cr_expect_float_eq(poise_point_planned_pose(plane.tree, plane.tip).p.x, 1.4, 1e-6);
    plane_finish(&plane);
}

// A clone without its own parts goes through the wall.
Test(apart, a_clone_keeps_apart_by_a_copy_of_the_parts) {
    Plane plane = plane_of(1.5, 0);
    WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(1.9, 0.3, 0)));
    for (int keep = 0; keep < 2; keep++) {
        PoiseTree* tree = poise_tree_clone(plane.tree);
        PoiseApart* apart = keep ? poise_apart_clone(plane.apart, tree) : NULL;
        cr_assert_eq(apart != NULL, keep);
        for (int i = 0; i < 60; i++) {
            WORKS(poise_solve(tree, NULL, NULL));
            WORKS(poise_advance(tree));
            WORKS(poise_forward(tree));
        }
        const double x = poise_point_planned_pose(tree, plane.tip).p.x;
        cr_expect_float_eq(x, keep ? 1.39 : 1.9, 1e-4, "keep %d: x %.9f", keep, x);
        poise_apart_destroy(apart);
        poise_tree_destroy(tree);
    }
    const PoiseTreeDef def = poise_default_tree_def();
    PoiseTree* other = poise_tree_create(&def);
    cr_expect_null(poise_apart_clone(plane.apart, other));
    cr_expect_not_null(strstr(poise_tree_message(other), "clone of the parts' tree"));
    poise_tree_destroy(other);
    plane_finish(&plane);
}

Test(apart, any_order_of_destruction_is_survived) {
    Plane plane = plane_of(1.5, 0);
    PoiseApartNear near[2];
    WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(1.9, 0.3, 0)));
    plane_run(&plane, 60, NULL);
    cr_expect_eq(poise_apart_near(plane.apart, near, 2), 1);
    cr_expect(near[0].held);
    // the pair is removed with its link, whose slot another node gets
    WORKS(poise_node_destroy(plane.tree, plane.parts[0].link));
    const PoiseNodeDef def = poise_default_hinge_def();
    cr_assert_neq(poise_node_create(plane.tree, &def).index1, 0);
    WORKS(poise_forward(plane.tree));
    cr_expect_eq(poise_apart_measure(plane.apart, near), 0);
    cr_expect_eq(poise_apart_pair_count(plane.apart), 0);
    cr_expect_eq(poise_apart_near(plane.apart, near, 2), 0);
    poise_tree_destroy(plane.tree);
    cr_expect_eq(poise_apart_measure(plane.apart, NULL), -1);
    poise_apart_destroy(plane.apart);
    poise_apart_destroy(NULL);
}

Test(apart, an_arm_may_overlap_what_it_stands_on) {
    Field field = field_of(1);
    PoiseApartDef def = poise_default_apart_def();
    def.parts = field.parts;
    def.part_count = field.part_count;
    const int pairs = poise_apart_pair_count(field.apart);
    poise_apart_destroy(field.apart);
    // Only the first link overlaps the collar in every posture. The second turns about the axis of
    // its capsule, so its gap never changes. The other six parts are kept off.
    field.parts[def.part_count++] = obstacle(poise_convex_sphere(0.1), poise_vec3(0, 0, 0.15));
    field.apart = poise_apart_create(field.tree, &def);
    cr_assert_not_null(field.apart, "%s", poise_tree_message(field.tree));
    enum { OTHER_PARTS = 6 };
    cr_expect_eq(poise_apart_pair_count(field.apart), pairs + OTHER_PARTS);
    field_finish(&field);
}

// A plate 5 mm below the first link; the second turns about a horizontal axis, 0 to 9 mm above the
// plate.
Test(apart, a_plate_under_the_first_link_is_the_base) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeDef node = poise_default_hinge_def();
    PoiseNodeId links[2];
    links[0] = node.parent = poise_node_create(tree, &node);
    const PoiseQuat lying = poise_quat_from_axis_angle(poise_vec3(0, 1, 0), QUARTER);
    node.joint_in_parent = poise_pose(poise_vec3(0, 0, 0.1), lying);
    links[1] = poise_node_create(tree, &node);
    PoiseApartPart parts[3] = {
        {.link = links[0], .shape = poise_convex_box(poise_vec3(0.05, 0.03, 0.05))},
        {.link = links[1], .shape = poise_convex_box(poise_vec3(0.05, 0.046, 0.005))},
        obstacle(poise_convex_box(poise_vec3(0.2, 0.2, 0.02)), poise_vec3(0, 0, 0.025))};
    parts[0].shape.pose.p.z = 0.1;
    PoiseApartDef def = poise_default_apart_def();
    def.parts = parts;
    def.part_count = 3;
    PoiseApart* apart = poise_apart_create(tree, &def);
    cr_assert_not_null(apart, "%s", poise_tree_message(tree));
    cr_expect_eq(poise_apart_pair_count(apart), 0);
    poise_apart_destroy(apart);
    // if the plate is lower, the second link has free postures, and is kept off it
    parts[2].shape.pose.p.z = 0.022;
    apart = poise_apart_create(tree, &def);
    cr_assert_not_null(apart, "%s", poise_tree_message(tree));
    cr_expect_eq(poise_apart_pair_count(apart), 1);
    poise_apart_destroy(apart);
    poise_tree_destroy(tree);
}

// The shoulder turns past its pedestal with gaps of -35 to 25 mm; links that cannot be kept 10 mm
// off it are left out.
Test(apart, a_shoulder_passes_the_base_on_which_it_stands) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeDef node = poise_default_hinge_def();
    const PoiseNodeId shoulder = node.parent = poise_node_create(tree, &node);
    node.joint_in_parent.p = poise_vec3(0.5, 0.0, 0.0);
    const PoiseNodeId arm = poise_node_create(tree, &node);
    PoiseApartPart parts[3] = {{.link = shoulder, .shape = poise_convex_sphere(0.05)},
                               {.link = arm, .shape = poise_convex_sphere(0.03)},
                               obstacle(poise_convex_sphere(0.05), poise_vec3(-0.095, 0.0, 0.0))};
    parts[0].shape.pose.p.x = 0.03;
    parts[1].shape.pose.p.x = 0.4;
    PoiseApartDef def = poise_default_apart_def();
    def.distance = 0.05;
    def.range = 0.12;
    def.parts = parts;
    def.part_count = 3;
    PoiseApart* apart = poise_apart_create(tree, &def);
    cr_assert_not_null(apart, "%s", poise_tree_message(tree));
    PoiseApartPair pairs[4];
    const int count = poise_apart_pairs(apart, pairs, 4);
    cr_expect_eq(count, 1);
    cr_expect_eq(pairs[0].a, 1, "the arm and the pedestal");
    poise_apart_destroy(apart);
    poise_tree_destroy(tree);
}

// The samples move both links, so that the obstacle is not taken for their base.
Test(apart, a_free_link_and_a_translation_keep_off_an_obstacle) {
    for (int free = 0; free < 2; free++) {
        PoiseTreeDef tree_def = poise_default_tree_def();
        PoiseTree* tree = poise_tree_create(&tree_def);
        PoiseNodeDef node = free ? poise_default_free_def() : poise_default_translation_def();
        const PoiseNodeId link = poise_node_create(tree, &node);
        PoisePointDef point = poise_default_position_def();
        point.link = link;
        const PoisePointId centre = poise_point_create(tree, &point);
        WORKS(poise_register_chain(tree, centre, link));
        PoiseApartPart parts[2] = {{.link = link, .shape = poise_convex_sphere(0.1)},
                                   obstacle(poise_convex_sphere(0.1), poise_vec3(0.5, 0.01, 0.0))};
        PoiseApartDef def = poise_default_apart_def();
        def.parts = parts;
        def.part_count = 2;
        PoiseApart* apart = poise_apart_create(tree, &def);
        cr_assert_not_null(apart, "%s", poise_tree_message(tree));
        cr_expect_eq(poise_apart_pair_count(apart), 1);
        WORKS(poise_point_set_position(tree, centre, poise_vec3(0.5, 0.0, 0.0)));
        for (int i = 0; i < 50; i++) {
            WORKS(poise_forward(tree));
            WORKS(poise_solve(tree, NULL, NULL));
            WORKS(poise_advance(tree));
        }
        WORKS(poise_forward(tree));
        const PoiseVec3 at = poise_point_planned_pose(tree, centre).p;
        const double gap = poise_length(poise_sub(at, poise_vec3(0.5, 0.01, 0.0))) - 0.2;
        cr_expect_geq(gap, 0.01 - 1e-6, "free %d: %g m", free, gap);
        poise_apart_destroy(apart);
        poise_tree_destroy(tree);
    }
}

// Refuses defs whose arrays, links, places and pairs are wrong.
static void refuse_parts(const Plane* plane) {
    const PoiseApartPair pairs[] = {{0, 2}, {-1, 0}, {0, 1}};
    PoiseApartPart lost = plane->parts[0], nowhere = plane->parts[1];
    lost.link.index1 = 99;
    nowhere.place.p.x = HUGE_VAL;
    const struct {
        const PoiseApartPart* parts;
        int part_count;
        const PoiseApartPair* allowed;
        int allowed_count, samples;
        const char* words;
    } rows[] = {{plane->parts, -1, NULL, 0, 0, "below 0"},
                {NULL, 1, NULL, 0, 0, "NULL"},
                {plane->parts, 2, NULL, 1, 0, "NULL"},
                {plane->parts, 2, NULL, -1, 0, "below 0"},
                {plane->parts, 2, NULL, 0, -1, "below 0"},
                {&lost, 1, NULL, 0, 0, "not a node"},
                {&nowhere, 1, NULL, 0, 0, "not finite"},
                {plane->parts, 2, &pairs[0], 1, 0, "does not exist"},
                {plane->parts, 2, &pairs[1], 1, 0, "does not exist"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        PoiseApartDef def = poise_default_apart_def();
        def.parts = rows[i].parts;
        def.part_count = rows[i].part_count;
        def.allowed = rows[i].allowed;
        def.allowed_count = rows[i].allowed_count;
        def.samples = rows[i].samples;
        poise_tree_clear_status(plane->tree);
        cr_expect_null(poise_apart_create(plane->tree, &def), "row %zu", i);
        cr_expect_not_null(strstr(poise_tree_message(plane->tree), rows[i].words), "row %zu: %s", i,
                           poise_tree_message(plane->tree));
    }
    PoiseApartDef def = poise_default_apart_def();
    def.parts = plane->parts;
    def.part_count = 2;
    def.allowed = &pairs[2];
    def.allowed_count = 1;
    PoiseApart* apart = poise_apart_create(plane->tree, &def);
    cr_expect_eq(poise_apart_pair_count(apart), 0);
    poise_apart_destroy(apart);
}

Test(apart, parts_that_cannot_be_kept_apart_are_refused_in_words) {
    Plane plane = plane_of(1.5, 0);
    enum { EACH = 71 };
    PoiseApartPart parts[2 * EACH];
    PoiseApartDef def = poise_default_apart_def();
    def.parts = parts;
    def.part_count = 2;
    parts[0] = plane.parts[0];
    parts[1] = obstacle(poise_convex_sphere(9.0), poise_vec3(0, 0, 0));
    cr_expect_null(poise_apart_create(plane.tree, &def));
    cr_expect_not_null(strstr(poise_tree_message(plane.tree), "part 0 and part 1 cannot be kept"),
                       "%s", poise_tree_message(plane.tree));
    poise_tree_clear_status(plane.tree);
    parts[0].name = "hand";
    parts[1].name = "planet";
    cr_expect_null(poise_apart_create(plane.tree, &def));
    cr_expect_not_null(strstr(poise_tree_message(plane.tree), "hand and planet cannot be kept"),
                       "%s", poise_tree_message(plane.tree));
    poise_tree_clear_status(plane.tree);
    for (int i = 0; i < 2 * EACH; i++) {
        parts[i] = i < EACH ? plane.parts[0] : plane.parts[1];
    }
    def.part_count = 2 * EACH;
    cr_expect_null(poise_apart_create(plane.tree, &def));
    cr_expect_not_null(strstr(poise_tree_message(plane.tree), "5041 pairs"), "%s",
                       poise_tree_message(plane.tree));
    poise_tree_clear_status(plane.tree);
    def.part_count = 1;
    parts[0].shape.radius = 0.0;
    cr_expect_null(poise_apart_create(plane.tree, &def));
    cr_expect_not_null(strstr(poise_tree_message(plane.tree), "radius above 0"));
    poise_tree_clear_status(plane.tree);
    def.distance = 0.1;
    cr_expect_null(poise_apart_create(plane.tree, &def));
    cr_expect_not_null(strstr(poise_tree_message(plane.tree), "range above the distance"));
    poise_tree_clear_status(plane.tree);
    def.distance = (double)NAN;
    cr_expect_null(poise_apart_create(plane.tree, &def));
    cr_expect_not_null(strstr(poise_tree_message(plane.tree), "distance must be at least 0"));
    refuse_parts(&plane);
    const PoiseVec3 none = poise_vec3(0, 0, 0);
    PoisePose nowhere = poise_pose_identity();
    nowhere.p.x = (double)NAN;
    cr_expect_eq(poise_apart_set_obstacle(plane.apart, 1, nowhere, none, none),
                 POISE_ERROR_INVALID_ARGUMENT);
    plane_finish(&plane);
}

// 50 balls at the tip and 50 on the base, of which the tip comes near 10: 2,500 pairs, 500 kept.
Test(apart, pairs_never_near_in_samples_do_not_count) {
    Plane plane = plane_of(1.5, 0);
    enum { EACH = 50, NEAR = 10 };
    PoiseApartPart parts[2 * EACH];
    for (int i = 0; i < EACH; i++) {
        parts[i] = plane.parts[0];
        parts[EACH + i] = (PoiseApartPart){.base = true, .shape = poise_convex_sphere(0.1)};
        parts[EACH + i].place.p = poise_vec3(i < NEAR ? 1.5 : 100.0, 0, 0);
    }
    PoiseApartDef def = poise_default_apart_def();
    def.parts = parts;
    def.part_count = 2 * EACH;
    PoiseApart* apart = poise_apart_create(plane.tree, &def);
    cr_assert_not_null(apart, "%s", poise_tree_message(plane.tree));
    cr_expect_eq(poise_apart_pair_count(apart), EACH * NEAR);
    poise_apart_destroy(apart);
    def.samples = 0;
    cr_expect_null(poise_apart_create(plane.tree, &def));
    cr_expect_not_null(strstr(poise_tree_message(plane.tree), "2500 pairs"), "%s",
                       poise_tree_message(plane.tree));
    plane_finish(&plane);
}

// The tip's ball lies between two walls 0.2 m apart, and should keep 0.3 m off both.
Test(apart, a_distance_larger_than_the_room_is_never_called_met) {
    Plane plane = plane_of(1.5, 0);
    PoiseApartPart parts[3] = {
        plane.parts[0], obstacle(poise_convex_box(poise_vec3(5, 0.5, 5)), poise_vec3(0, 0.7, 0)),
        obstacle(poise_convex_box(poise_vec3(5, 0.5, 5)), poise_vec3(0, -0.7, 0))};
    poise_apart_destroy(plane.apart);
    PoiseApartDef def = poise_default_apart_def();
    def.parts = parts;
    def.part_count = 3;
    def.distance = 0.3;
    def.range = 0.5;
    plane.apart = poise_apart_create(plane.tree, &def);
    cr_assert_not_null(plane.apart, "%s", poise_tree_message(plane.tree));
    WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(1.2, 0.0, 0)));
    PoiseReachReport report;
    cr_expect_eq(poise_reach(plane.tree, NULL, &report), POISE_NOT_CONVERGED);
    cr_expect_eq(report.reason, POISE_REACH_HELD);
    cr_expect_eq(report.held_a, 0);
    cr_expect_lt(report.held_gap, 0.3);
    plane_run(&plane, 30, NULL);
    PoiseApartNear nearest;
    cr_expect_geq(poise_apart_measure(plane.apart, &nearest), 0);
    cr_expect(isfinite(nearest.gap.distance));
    plane_finish(&plane);
}

// ---------------------------------------------------------------------------------------- bodies

// Compiles a body of the hands of all arms.
static PoiseBody* body_of(const Field* field) {
    PoiseBodyDef def = poise_default_body_def();
    PoiseBodyTip tips[2] = {0};
    for (int a = 0; a < field->arm_count; a++) {
        tips[a].link = field->arms[a].joints[JOINTS - 1];
        tips[a].in_link = poise_pose(poise_vec3(0, 0, 0.15), poise_quat_identity());
    }
    def.tip_count = field->arm_count;
    def.tips = tips;
    PoiseBody* body = poise_body_compile(field->tree, &def);
    cr_assert_not_null(body, "%s", poise_tree_message(field->tree));
    WORKS(poise_forward(field->tree));
    WORKS(poise_body_keep_apart(body, field->apart));
    return body;
}

// Returns the least gap of the pairs at a posture, by libfcl too if it is there, m.
static double gap_at(const Field* field, const PoiseBody* body, const double* posture) {
    WORKS(poise_body_write(body, field->tree, posture));
    WORKS(poise_forward(field->tree));
    double least = least_gap(field);
    PoiseApartPair pairs[POISE_APART_PAIRS_MOST];
    const int count = poise_apart_pairs(field->apart, pairs, POISE_APART_PAIRS_MOST);
    for (int k = 0; fcl_is_there() && k < count; k++) {
        const int a = pairs[k].a, b = pairs[k].b;
        least = fmin(least, fcl_distance(&field->parts[a].shape, world_of(field, a),
                                         &field->parts[b].shape, world_of(field, b)));
    }
    return least;
}

// Draws a posture whose parts are at least 10 mm apart.
static void draw_free(Random* random, const Field* field, const PoiseBody* body, double* posture) {
    PoiseApartNear nearest;
    do {
        for (int i = 0; i < poise_body_posture_size(body); i++) {
            posture[i] =
                random_between(random, poise_body_lower(body, i), poise_body_upper(body, i));
        }
        WORKS(poise_body_write(body, field->tree, posture));
        WORKS(poise_forward(field->tree));
        cr_assert_geq(poise_apart_measure(field->apart, &nearest), 0);
    } while (nearest.gap.distance < 0.011);
}

// Keeps the parts of the arm alone apart from each other. Returns false if the distance is refused.
static bool keep_arm_apart(Field* field, double distance) {
    PoiseApartDef def = poise_default_apart_def();
    def.parts = field->parts;
    def.part_count = field->part_count - 2;
    def.distance = distance;
    def.range = distance + 0.07;
    poise_apart_destroy(field->apart);
    field->apart = poise_apart_create(field->tree, &def);
    return field->apart != NULL;
}

// Returns the gap of two parts, m: the lesser of ours and that of libfcl if it is there.
static double gap_of_parts(const Field* field, PoiseApartPair pair) {
    PoiseGap gap = {.distance = 0.0};
    const PoiseConvex* a = &field->parts[pair.a].shape;
    const PoiseConvex* b = &field->parts[pair.b].shape;
    const PoisePose at_a = world_of(field, pair.a), at_b = world_of(field, pair.b);
    WORKS(poise_convex_gap(a, at_a, b, at_b, &gap));
    return fcl_is_there() ? fmin(gap.distance, fcl_distance(a, at_a, b, at_b)) : gap.distance;
}

static void draw_angles(Random* random, const Field* field) {
    for (int i = 0; i < JOINTS; i++) {
        const double angle = random_between(random, arm_ranges[i][0], arm_ranges[i][1]);
        WORKS(poise_node_set_angle(field->tree, field->arms[0].joints[i], angle));
    }
    WORKS(poise_forward(field->tree));
}

// Returns the least gap minus the distance that the pair keeps, m.
static double least_room(const Field* field) {
    PoiseApartPair pairs[POISE_APART_PAIRS_MOST];
    const int count = poise_apart_pairs(field->apart, pairs, POISE_APART_PAIRS_MOST);
    double least = HUGE_VAL;
    for (int k = 0; k < count; k++) {
        const double kept = poise_apart_kept(field->apart, pairs[k]);
        least = fmin(least, gap_of_parts(field, pairs[k]) - kept);
    }
    return least;
}

// Random postures show the largest gap of each pair of the arm. Pairs with less than 0.2 m keep 10
// mm.
Test(apart, a_pair_without_room_keeps_10_mm) {
    enum { POSTURES = 3000 };
    Field field = field_of(1);
    cr_assert(keep_arm_apart(&field, 0.2), "%s", poise_tree_message(field.tree));
    PoiseApartPair pairs[POISE_APART_PAIRS_MOST];
    const int count = poise_apart_pairs(field.apart, pairs, POISE_APART_PAIRS_MOST);
    Random random = random_from(41);
    double largest[POISE_APART_PAIRS_MOST] = {0.0};
    for (int i = 0; i < POSTURES; i++) {
        draw_angles(&random, &field);
        for (int k = 0; k < count; k++) {
            largest[k] = fmax(largest[k], gap_of_parts(&field, pairs[k]));
        }
    }
    int without_room = 0;
    for (int k = 0; k < count; k++) {
        // the samples of both draws differ by some mm
        const double kept = poise_apart_kept(field.apart, pairs[k]);
        cr_expect(kept == 0.2 ? largest[k] > 0.19 : kept == 0.01 && largest[k] < 0.21,
                  "%d - %d: keeps %g m, room %g m", pairs[k].a, pairs[k].b, kept, largest[k]);
        without_room += kept < 0.2;
    }
    cr_expect_gt(without_room, 0);
    cr_expect_lt(without_room, count);
    cr_expect_eq(poise_apart_kept(field.apart, (PoiseApartPair){0, 0}), 0.0);
    field_finish(&field);
}

// Solves for poses of the hand that a posture reaches with 0.2 m between parts that can be so far
// apart.
Test(apart, answers_exist_without_room_and_keep_each_pair_apart) {
    enum { TARGETS = 60 };
    Field field = field_of(1);
    cr_assert(keep_arm_apart(&field, 0.2), "%s", poise_tree_message(field.tree));
    PoiseBody* body = body_of(&field);
    Random random = random_from(41);
    for (int i = 0; i < TARGETS; i++) {
        double posture[JOINTS];
        PoiseReachReport report;
        do {
            draw_angles(&random, &field);
        } while (least_room(&field) < 0.0);
        const PoisePose hand = poise_point_planned_pose(field.tree, field.arms[0].hand);
        const PoiseBodyTarget target = poise_default_body_target(hand);
        WORKS(poise_point_set_position(field.tree, field.arms[0].hand, hand.p));
        WORKS(poise_point_set_orientation(field.tree, field.arms[0].hand, hand.q));
        set_angles(&field, arm_start, arm_start, 0.0);
        cr_expect_eq(poise_reach(field.tree, NULL, &report), POISE_OK);
        WORKS(poise_forward(field.tree));
        cr_expect_gt(least_room(&field), -1e-6, "target %d: %g m", i, least_room(&field));
        WORKS(poise_body_middle(body, posture));
        cr_expect_eq(poise_body_solve(body, NULL, &target, posture, NULL), POISE_OK);
        WORKS(poise_body_write(body, field.tree, posture));
        WORKS(poise_forward(field.tree));
        cr_expect_gt(least_room(&field), -1e-6, "target %d: %g m", i, least_room(&field));
    }
    poise_body_destroy(body);
    field_finish(&field);
}

// Drags the arm to targets without a plan: no step brings a pair that keeps 10 mm nearer.
Test(apart, a_pair_without_room_stays_apart_in_steps) {
    Field field = field_of(1);
    cr_assert(keep_arm_apart(&field, 0.2), "%s", poise_tree_message(field.tree));
    PoiseSolveDef def = poise_default_solve_def();
    Random random = random_from(5);
    double least = HUGE_VAL;
    for (int i = 0; i < 400; i++) {
        PoisePose goal;
        if (i % 20 == 0) {
            random_goal(&random, &field, 0, &goal);
            WORKS(poise_point_set_position(field.tree, field.arms[0].hand, goal.p));
        }
        least = fmin(least, step_and_look(&field, &def));
    }
    cr_expect_gt(least, 0.0, "%g m", least);
    field_finish(&field);
}

Test(apart, a_distance_for_which_no_pair_has_room_is_a_sentence) {
    Field field = field_of(1);
    cr_expect_not(keep_arm_apart(&field, 5.0));
    const char* message = poise_tree_message(field.tree);
    const char* largest = strstr(message, "the largest gap found is ");
    double room = 0.0;
    cr_expect(strstr(message, "no pair has room for a distance of 5 m"), "%s", message);
    cr_assert(largest && sscanf(largest, "the largest gap found is %lf", &room) == 1, "%s",
              message);
    Random random = random_from(41);
    double seen = 0.0;
    for (int i = 0; i < 3000; i++) {
        draw_angles(&random, &field);
        for (int a = 0; a < field.part_count - 2; a++) {
            for (int b = a + 1; b < field.part_count - 2; b++) {
                seen = fmax(seen, gap_of_parts(&field, (PoiseApartPair){a, b}));
            }
        }
    }
    cr_expect_float_eq(room, seen, 0.05, "%g m in the sentence, %g m seen", room, seen);
    poise_tree_clear_status(field.tree);
    cr_expect(keep_arm_apart(&field, 0.01));
    field_finish(&field);
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Number of solves of random targets without contact, by result, and their time.
typedef struct Solved {
    int met;
    int touching;       ///< answers called met in which parts touch
    int plain_touching; ///< answers of a solve without parts in which they touch
    double time;
    double plain_time;
} Solved;

static Solved solve_random(int arms, int count) {
    Field field = field_of(arms);
    PoiseBody* body = body_of(&field);
    Random random = random_from(7);
    Solved sums = {.met = 0};
    for (int i = 0; i < count; i++) {
        double goal[2 * JOINTS], start[2 * JOINTS], posture[2 * JOINTS];
        PoiseBodyTarget targets[2];
        draw_free(&random, &field, body, goal);
        draw_free(&random, &field, body, start);
        for (int a = 0; a < arms; a++) {
            targets[a] = poise_default_body_target(poise_body_forward(body, goal, a));
        }
        for (int apart = 0; apart < 2; apart++) {
            WORKS(poise_body_keep_apart(body, apart ? field.apart : NULL));
            memcpy(posture, start, sizeof posture);
            const double begun = seconds();
            const PoiseStatus status = poise_body_solve(body, NULL, targets, posture, NULL);
            *(apart ? &sums.time : &sums.plain_time) += seconds() - begun;
            const bool touches = gap_at(&field, body, posture) < 0.01 - 1e-6;
            sums.plain_touching += !apart && touches;
            sums.met += apart && status == POISE_OK;
            sums.touching += apart && touches && status == POISE_OK;
            for (int a = 0; a < arms && apart && status == POISE_OK; a++) {
                const PoisePose hand = poise_body_forward(body, posture, a);
                cr_expect_lt(poise_length(poise_sub(hand.p, targets[a].pose.p)), 1e-9);
            }
        }
    }
    cr_log_info("%d arms: %d of %d met, %d touch (%d without parts), %.1f us (%.1f without)", arms,
                sums.met, count, sums.touching, sums.plain_touching, 1e6 * sums.time / count,
                1e6 * sums.plain_time / count);
    poise_body_destroy(body);
    field_finish(&field);
    return sums;
}

// Expects that each random target of the arms is met and that no answer touches.
// POISE_APART_TARGETS is the number of targets in a nightly run.
static void expect_met_and_free(int arms, int quick) {
    const char* given = getenv("POISE_APART_TARGETS");
    const int count = given ? atoi(given) : quick;
    const Solved sums = solve_random(arms, count);
    cr_expect_eq(sums.met, count);
    cr_expect_eq(sums.touching, 0);
    cr_expect_gt(sums.plain_touching, count / 50, "the obstacles touch nothing");
}

Test(apart, answers_of_one_arm_for_free_targets_are_met_and_free) {
    expect_met_and_free(1, 300);
}

Test(apart, answers_of_two_arms_for_free_targets_are_met_and_free) {
    expect_met_and_free(2, 100);
}

// poise_reach calls a posture an answer only if its parts are apart; without parts some touch.
Test(apart, a_reach_of_a_tree_ends_at_answers_that_are_free) {
    enum { TARGETS = 60 };
    Field field = field_of(1);
    PoiseBody* body = body_of(&field);
    Random random = random_from(21);
    int met = 0, touching = 0;
    for (int i = 0; i < TARGETS; i++) {
        double goal[JOINTS], start[JOINTS];
        draw_free(&random, &field, body, goal);
        draw_free(&random, &field, body, start);
        const PoisePose hand = poise_body_forward(body, goal, 0);
        WORKS(poise_point_set_position(field.tree, field.arms[0].hand, hand.p));
        WORKS(poise_point_set_orientation(field.tree, field.arms[0].hand, hand.q));
        PoiseTree* plain = poise_tree_clone(field.tree);
        cr_expect_eq(poise_reach(plain, NULL, NULL), POISE_OK);
        double posture[JOINTS];
        for (int k = 0; k < JOINTS; k++) {
            posture[k] = poise_node_angle(plain, field.arms[0].joints[k]);
        }
        poise_tree_destroy(plain);
        touching += gap_at(&field, body, posture) < 0.01 - 1e-6;
        WORKS(poise_body_write(body, field.tree, start));
        PoiseReachReport report;
        met += poise_reach(field.tree, NULL, &report) == POISE_OK;
        cr_expect_eq(report.held_a, -1);
        cr_expect_geq(least_gap(&field), 0.01 - 1e-8, "target %d", i);
        cr_expect_lt(poise_point_planned_error(field.tree, field.arms[0].hand), 1e-6);
    }
    cr_log_info("%d of %d met, %d touch without parts", met, TARGETS, touching);
    cr_expect_eq(met, TARGETS);
    cr_expect_gt(touching, 0);
    poise_body_destroy(body);
    field_finish(&field);
}

// The second arm has no goal, and begins in touch with itself or an obstacle. A body of the first
// arm cannot part the pair, and says so; poise_reach moves the second arm aside.
Test(apart, an_arm_without_a_goal_makes_room_or_the_answer_is_not_met) {
    enum { TARGETS = 10, PARTS_OF_ARM = 9 };
    Field both = field_of(2), one = both;
    one.arm_count = 1;
    PoiseBody* body = body_of(&both);
    Random random = random_from(5);
    int by_touch = 0;
    WORKS(poise_point_set_enabled(both.tree, both.arms[1].hand, false));
    for (int i = 0; i < TARGETS; i++) {
        double goal[2 * JOINTS], start[2 * JOINTS];
        PoiseApartNear nearest;
        do {
            for (int k = 0; k < 2 * JOINTS; k++) {
                start[k] =
                    random_between(&random, poise_body_lower(body, k), poise_body_upper(body, k));
            }
            WORKS(poise_body_write(body, both.tree, start));
            WORKS(poise_forward(both.tree));
            cr_assert_geq(poise_apart_measure(both.apart, &nearest), 0);
        } while (nearest.gap.distance > -0.005 || nearest.pair.a < PARTS_OF_ARM ||
                 nearest.pair.b < PARTS_OF_ARM);
        draw_free(&random, &both, body, goal);
        const PoisePose hand = poise_body_forward(body, goal, 0);
        WORKS(poise_body_write(body, both.tree, start));
        PoiseBody* alone = body_of(&one);
        PoiseBodyTarget target = poise_default_body_target(hand);
        PoiseBodyReport held;
        double posture[JOINTS];
        memcpy(posture, start, sizeof posture);
        cr_expect_eq(poise_body_solve(alone, NULL, &target, posture, &held), POISE_NOT_CONVERGED);
        cr_expect_eq(held.reason, POISE_REACH_HELD);
        cr_expect_leq(held.held_gap, nearest.gap.distance + 1e-9);
        by_touch += held.held_by.a == nearest.pair.a && held.held_by.b == nearest.pair.b;
        cr_expect_eq(poise_body_track(alone, NULL, &target, posture, &held), POISE_NOT_CONVERGED);
        poise_body_destroy(alone);
        WORKS(poise_point_set_position(both.tree, both.arms[0].hand, hand.p));
        WORKS(poise_point_set_orientation(both.tree, both.arms[0].hand, hand.q));
        PoiseReachReport report;
        cr_expect_eq(poise_reach(both.tree, NULL, &report), POISE_OK, "target %d", i);
        cr_expect_eq(report.held_a, -1);
        cr_expect_geq(least_gap(&both), 0.01 - 1e-8, "target %d: %g", i, least_gap(&both));
        cr_expect_lt(poise_point_planned_error(both.tree, both.arms[0].hand), 1e-6);
    }
    cr_expect_gt(by_touch, 3);
    poise_body_destroy(body);
    field_finish(&both);
}

Test(apart, a_reach_that_is_held_makes_as_many_starts_as_it_may) {
    Field field = field_of(1);
    PoiseReachDef def = poise_default_reach_def();
    PoiseReachReport report;
    def.starts = 7;
    WORKS(poise_point_set_position(field.tree, field.arms[0].hand, poise_vec3(0.5, -0.3, 0.3)));
    cr_expect_eq(poise_reach(field.tree, &def, &report), POISE_NOT_CONVERGED);
    cr_expect_eq(report.reason, POISE_REACH_HELD);
    cr_expect_eq(report.starts, 7);
    field_finish(&field);
}

// Two priorities are no goals for a body alone: the goals become tasks.
Test(apart, a_reach_into_a_wall_is_held_by_its_name) {
    for (int priority = 0; priority < 2; priority++) {
        Plane plane = plane_of(1.5, priority);
        PoiseReachReport report;
        WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(1.9, 0.3, 0)));
        cr_expect_eq(poise_reach(plane.tree, NULL, &report), POISE_NOT_CONVERGED);
        cr_expect_eq(report.reason, POISE_REACH_HELD, "%s", poise_reach_reason_name(report.reason));
        cr_expect_eq(report.held_a, 0);
        cr_expect_eq(report.held_b, 1);
        cr_expect_float_eq(report.held_gap, 0.01, 2e-4, "%g", report.held_gap);
        PoiseApartNear nearest;
        cr_expect_eq(poise_apart_measure(plane.apart, &nearest), 0);
        cr_expect_geq(nearest.gap.distance, 0.01 - 1e-8);
        WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(1.2, 0.3, 0)));
        const PoiseStatus status = poise_reach(plane.tree, NULL, &report);
        cr_expect(priority == 1 || status == POISE_OK);
        cr_expect_eq(report.held_a, -1);
        cr_expect_lt(poise_point_planned_error(plane.tree, plane.tip), 1e-6);
        plane_finish(&plane);
    }
}

// A search that began with parts ends when the parts are destroyed. The next search meets the goal
// behind the destroyed wall.
Test(apart, a_reach_forgets_parts_that_are_destroyed) {
    Plane plane = plane_of(1.5, 0);
    PoiseReachReport report;
    WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(1.9, 0.3, 0)));
    cr_expect_eq(poise_reach(plane.tree, NULL, &report), POISE_NOT_CONVERGED);
    WORKS(poise_reach_begin(plane.tree, NULL));
    poise_apart_destroy(plane.apart);
    plane.apart = NULL;
    cr_expect_eq(poise_reach_continue(plane.tree, 1, &report), POISE_ERROR_STALE);
    WORKS(poise_reach(plane.tree, NULL, &report));
    cr_expect_lt(poise_point_planned_error(plane.tree, plane.tip), 1e-6);
    plane_finish(&plane);
}

// Only the elbow is registered. Its circle meets the wall, which the shoulder could avoid. A hinge
// that moves with the shoulder stays too, although the point does not depend on it.
Test(apart, a_held_reach_moves_no_node_that_its_point_leaves_out) {
    for (int coupled = 0; coupled < 2; coupled++) {
        Plane plane = plane_of(1.5, 0);
        const PoiseNodeId shoulder = poise_tree_node(plane.tree, 0);
        PoiseReachDef def = poise_default_reach_def();
        def.starts = 2;
        PoiseReachReport report;
        if (coupled == 1) {
            const PoiseNodeDef hinge = poise_default_hinge_def();
            const PoiseNodeId aside = poise_node_create(plane.tree, &hinge);
            WORKS(poise_node_set_angle(plane.tree, aside, 1.0));
            WORKS(poise_node_couple(plane.tree, shoulder, aside, 1.0, 0.0));
        }
        WORKS(poise_unregister(plane.tree, plane.tip, shoulder));
        WORKS(poise_point_set_position(plane.tree, plane.tip, poise_vec3(1.5, 0.56, 0)));
        cr_expect_eq(poise_reach(plane.tree, &def, &report), POISE_NOT_CONVERGED);
        cr_expect_eq(report.reason, POISE_REACH_HELD);
        cr_expect_eq(poise_node_angle(plane.tree, shoulder), 1.0);
        PoiseApartNear nearest;
        cr_expect_eq(poise_apart_measure(plane.apart, &nearest), 0);
        cr_expect_geq(nearest.gap.distance, 0.01 - 1e-8);
        plane_finish(&plane);
    }
}

// Follows lines that pass through the obstacles; returns the number of paths that a pair stopped.
// Every posture, and four places between two, must be free.
static int follow_lines(int lines, int samples) {
    Field field = field_of(1);
    PoiseBody* body = body_of(&field);
    Random random = random_from(4);
    int held = 0;
    for (int line = 0; line < lines; line++) {
        PoiseBodyTarget targets[64];
        double postures[64 * JOINTS], goal[JOINTS], between[JOINTS];
        PoiseBodyReport reports[64];
        draw_free(&random, &field, body, postures);
        draw_free(&random, &field, body, goal);
        const PoisePose from = poise_body_forward(body, postures, 0);
        const PoisePose to = poise_body_forward(body, goal, 0);
        for (int i = 0; i < samples; i++) {
            const double t = (double)i / (samples - 1);
            targets[i] = poise_default_body_target(
                poise_pose(poise_add_scaled(from.p, t, poise_sub(to.p, from.p)),
                           poise_quat_slerp(from.q, to.q, t)));
        }
        const PoiseBodyBatch batch = {samples, targets, postures, reports};
        cr_assert_geq(poise_body_follow_batch(body, NULL, &batch), 0);
        held += reports[samples - 1].reason == POISE_REACH_HELD;
        for (int i = 0; i < samples; i++) {
            const double gap = gap_at(&field, body, &postures[i * JOINTS]);
            cr_expect_geq(gap, 0.01 - 1e-6, "line %d, sample %d: %g m", line, i, gap);
            cr_expect_eq(reports[i].held, reports[i].reason == POISE_REACH_HELD);
            cr_expect(!reports[i].held || reports[i].held_gap < 0.011);
            for (int k = 1; k < SUB_STEPS && i > 0; k++) {
                for (int j = 0; j < JOINTS; j++) {
                    const double* last = &postures[(i - 1) * JOINTS];
                    between[j] = last[j] + (double)k / SUB_STEPS * (last[JOINTS + j] - last[j]);
                }
                cr_expect_gt(gap_at(&field, body, between), 0.0, "line %d, sample %d", line, i);
            }
        }
    }
    cr_log_info("%d of %d lines held by a pair", held, lines);
    poise_body_destroy(body);
    field_finish(&field);
    return held;
}

Test(apart, a_path_of_a_body_stops_before_a_pair_meets_and_names_it) {
    const int lines = 10;
    const int held = follow_lines(lines, 40);
    cr_expect_gt(held, 0);
    cr_expect_lt(held, lines);
}

// A hand whose goal is inside the box is stopped by the box, and its answer is free of contact.
Test(apart, a_body_whose_goal_is_inside_an_obstacle_is_held_by_its_name) {
    Field field = field_of(1);
    PoiseBody* body = body_of(&field);
    const int box = field.part_count - 1;
    PoiseBodyTarget target =
        poise_default_body_target(poise_pose(poise_vec3(0.5, -0.3, 0.3), poise_quat_identity()));
    double posture[JOINTS], start[JOINTS];
    PoiseBodyReport report;
    target.goal = POISE_BODY_POSITION;
    memcpy(start, arm_start, sizeof start);
    memcpy(posture, start, sizeof posture);
    cr_assert_eq(poise_body_solve(body, NULL, &target, posture, &report), POISE_NOT_CONVERGED);
    cr_expect_eq(report.reason, POISE_REACH_HELD);
    cr_expect(report.held);
    // the reported gap is that of the nearest pair at its limit, which may be two links
    cr_expect_geq(report.held_gap, 0.01 - 1e-6);
    cr_expect_lt(report.held_gap, 0.08);
    cr_expect_geq(gap_at(&field, body, posture), 0.01 - 1e-6);
    double several[4 * JOINTS];
    PoiseBodyAnswers answers = {.capacity = 4, .postures = several};
    cr_expect_eq(poise_body_answers(body, NULL, &target, start, &answers), POISE_NOT_CONVERGED);
    // tracking steps end as near to the goal as the box allows
    memcpy(posture, start, sizeof posture);
    for (int i = 0; i < 100; i++) {
        cr_assert_eq(poise_body_track(body, NULL, &target, posture, &report), POISE_NOT_CONVERGED);
        cr_assert_geq(gap_at(&field, body, posture), 0.005 - 1e-6, "step %d", i);
    }
    cr_expect_eq(report.reason, POISE_REACH_HELD);
    cr_expect_eq(report.held_by.b, box);
    // without parts the goal is met, inside the box
    WORKS(poise_body_keep_apart(body, NULL));
    memcpy(posture, start, sizeof posture);
    cr_expect_eq(poise_body_solve(body, NULL, &target, posture, &report), POISE_OK);
    cr_expect_lt(gap_at(&field, body, posture), 0.0);
    poise_body_destroy(body);
    field_finish(&field);
}

// A ball at the end of a hinge's arm of 2 m starts 5 mm from a floor, of 50 mm asked. A plate, of
// which the ball never has more room than 12 mm and so keeps 10 mm, lies across the arm: a step of
// 0.1 rad along the plate brings the ball 10 mm nearer to it in the second order.
Test(apart, a_pair_short_of_its_distance_lets_no_other_come_nearer_than_half_of_its_own) {
    const PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeDef def = poise_default_slider_def();
    def.lower = -0.1;
    def.upper = 0.1;
    const PoiseNodeId slider = poise_node_create(tree, &def);
    def = poise_default_hinge_def();
    def.parent = slider;
    def.lower = -0.3;
    def.upper = 0.3;
    const PoiseNodeId hinge = poise_node_create(tree, &def);
    PoiseApartPart parts[3] = {
        {.link = hinge, .shape = poise_convex_sphere(0.1)},
        obstacle(poise_convex_box(poise_vec3(0.1, 1.0, 1.0)), poise_vec3(1.788, 0.0, 0.0)),
        obstacle(poise_convex_box(poise_vec3(0.3, 1.0, 0.1)), poise_vec3(2.2, 0.0, -0.205))};
    parts[0].shape.pose.p = poise_vec3(2.0, 0.0, 0.0);
    parts[1].base = true;
    PoiseApartDef apart_def = poise_default_apart_def();
    apart_def.parts = parts;
    apart_def.part_count = 3;
    apart_def.distance = 0.05;
    PoiseApart* apart = poise_apart_create(tree, &apart_def);
    cr_assert_not_null(apart, "%s", poise_tree_message(tree));
    cr_assert_eq(poise_apart_kept(apart, (PoiseApartPair){0, 1}), 0.01);
    cr_assert_eq(poise_apart_kept(apart, (PoiseApartPair){0, 2}), 0.05);
    const PoiseBodyTip tip = {
        .link = hinge, .in_link = poise_pose(poise_vec3(2.0, 0.0, 0.0), poise_quat_identity())};
    PoiseBodyDef body_def = poise_default_body_def();
    body_def.tips = &tip;
    body_def.tip_count = 1;
    PoiseBody* body = poise_body_compile(tree, &body_def);
    cr_assert_not_null(body, "%s", poise_tree_message(tree));
    WORKS(poise_forward(tree));
    WORKS(poise_body_keep_apart(body, apart));
    double posture[2] = {0.0, 0.0};
    PoiseBodyTarget target = poise_default_body_target(
        poise_pose(poise_vec3(2.0 * cos(0.2), 2.0 * sin(0.2), 0.0), poise_quat_identity()));
    target.goal = POISE_BODY_POSITION;
    cr_assert_geq(poise_body_track(body, NULL, &target, posture, NULL), 0);
    WORKS(poise_body_write(body, tree, posture));
    WORKS(poise_forward(tree));
    const PoisePose link = poise_node_link_world(tree, hinge), world = poise_pose_identity();
    PoiseGap plate = {.distance = 0.0}, floor = plate;
    WORKS(poise_convex_gap(&parts[0].shape, link, &parts[1].shape, world, &plate));
    WORKS(poise_convex_gap(&parts[0].shape, link, &parts[2].shape, world, &floor));
    cr_expect_gt(floor.distance, 0.006, "%g m", floor.distance);
    cr_expect_gt(posture[1], 0.01, "%g rad", posture[1]);
    cr_expect_geq(plate.distance, 0.005 - 1e-9, "%g m", plate.distance);
    poise_body_destroy(body);
    poise_apart_destroy(apart);
    poise_tree_destroy(tree);
}

// The arm is kept off its obstacles: its answers differ from those without parts.
Test(apart, a_batch_of_a_body_is_its_single_answers_to_the_bit) {
    enum { SETS = 12 };
    Field field = field_of(1);
    PoiseBody* body = body_of(&field);
    Random random = random_from(31);
    PoiseBodyTarget targets[SETS];
    double single[SETS * JOINTS], batched[SETS * JOINTS], goal[JOINTS];
    PoiseBodyReport reports[SETS];
    for (int i = 0; i < SETS; i++) {
        draw_free(&random, &field, body, goal);
        draw_free(&random, &field, body, &single[i * JOINTS]);
        targets[i] = poise_default_body_target(poise_body_forward(body, goal, 0));
    }
    memcpy(batched, single, sizeof batched);
    const PoiseBodyBatch batch = {SETS, targets, batched, reports};
    cr_expect_eq(poise_body_solve_batch(body, NULL, &batch), POISE_OK);
    int touching = 0;
    for (int i = 0; i < SETS; i++) {
        double* own = &single[i * JOINTS];
        double plain[JOINTS];
        memcpy(plain, own, sizeof plain);
        cr_expect_eq(poise_body_solve(body, NULL, &targets[i], own, NULL), POISE_OK);
        cr_expect_eq(memcmp(own, &batched[i * JOINTS], JOINTS * sizeof *own), 0, "set %d", i);
        cr_expect_geq(gap_at(&field, body, &batched[i * JOINTS]), 0.01 - 1e-6, "set %d", i);
        WORKS(poise_body_keep_apart(body, NULL));
        cr_expect_eq(poise_body_solve(body, NULL, &targets[i], plain, NULL), POISE_OK);
        touching += gap_at(&field, body, plain) < 0.01 - 1e-6;
        WORKS(poise_body_keep_apart(body, field.apart));
    }
    cr_expect_gt(touching, 0, "no answer without parts touches");
    poise_body_destroy(body);
    field_finish(&field);
}

/// A body of every kind of joint, with parts of every shape: a trunk on a slider and a ball with a
/// cone; a limb of a ball and two coupled hinges; a limb of a ball and a slider.
typedef struct Mixed {
    Field field;
    PoiseNodeId nodes[7];
    PoiseBody* body;
} Mixed;

static PoiseNodeId add_ball(PoiseTree* tree, PoiseNodeId parent, PoiseVec3 place, double swing) {
    PoiseNodeDef def = poise_default_ball_def();
    def.parent = parent;
    def.joint_in_parent.p = place;
    def.swing_limit = swing;
    return poise_node_create(tree, &def);
}

static PoiseNodeId add_single(PoiseTree* tree, PoiseNodeDef def, PoiseNodeId parent, double x,
                              double most) {
    def.parent = parent;
    def.joint_in_parent = poise_pose(poise_vec3(x, 0, 0), random_turn(&(Random){7}, 1.0));
    def.lower = -most;
    def.upper = most;
    return poise_node_create(tree, &def);
}

static Mixed mixed_of(void) {
    static const PoiseVec3 corners[] = {{0.05, 0, 0},  {-0.05, 0, 0}, {0, 0.05, 0},
                                        {0, -0.05, 0}, {0, 0, 0.05},  {0, 0, -0.05}};
    const PoiseTreeDef tree_def = poise_default_tree_def();
    Mixed mixed = {.field = {.tree = poise_tree_create(&tree_def)}};
    PoiseTree* tree = mixed.field.tree;
    PoiseNodeId* n = mixed.nodes;
    n[0] = add_single(tree, poise_default_slider_def(), poise_null_node(), 0.0, 0.2);
    n[1] = add_ball(tree, n[0], poise_vec3(0, 0, 0.3), 0.6);
    n[2] = add_ball(tree, n[1], poise_vec3(0.25, 0, 0.2), HUGE_VAL);
    n[3] = add_single(tree, poise_default_hinge_def(), n[2], 0.3, 2.0);
    n[4] = add_single(tree, poise_default_hinge_def(), n[3], 0.25, 2.0);
    n[5] = add_ball(tree, n[1], poise_vec3(-0.25, 0, 0.2), HUGE_VAL);
    n[6] = add_single(tree, poise_default_slider_def(), n[5], 0.3, 0.15);
    WORKS(poise_node_couple(tree, n[4], n[3], 0.5, 0.1));
    const PoiseConvex box = poise_convex_box(poise_vec3(0.1, 0.03, 0.03));
    const PoiseConvex hull = poise_convex_hull(corners, 6), rod = poise_convex_cylinder(0.03, 0.1);
    const PoiseApartPart parts[] = {{.link = n[0], .shape = poise_convex_cylinder(0.05, 0.1)},
                                    {.link = n[1], .shape = hull},
                                    {.link = n[3], .shape = rod},
                                    {.link = n[4], .shape = hull},
                                    {.link = n[5], .shape = poise_convex_capsule(0.03, 0.1)},
                                    {.link = n[6], .shape = box},
                                    obstacle(hull, poise_vec3(0.5, 0.2, 0.5)),
                                    obstacle(rod, poise_vec3(-0.5, -0.1, 0.6))};
    mixed.field.part_count = sizeof parts / sizeof *parts;
    memcpy(mixed.field.parts, parts, sizeof parts);
    for (int i = 1; i < 6; i++) {
        // off the axis of its joint, so that a rotation moves the shape
        mixed.field.parts[i].shape.pose.p = poise_vec3(0.1, 0.05, 0.0);
    }
    PoiseApartDef def = poise_default_apart_def();
    def.parts = mixed.field.parts;
    def.part_count = mixed.field.part_count;
    mixed.field.apart = poise_apart_create(tree, &def);
    cr_assert_not_null(mixed.field.apart, "%s", poise_tree_message(tree));
    const PoiseBodyTip tips[2] = {
        {.link = n[4], .in_link = poise_pose(poise_vec3(0.1, 0, 0), poise_quat_identity())},
        {.link = n[6], .in_link = poise_pose(poise_vec3(0, 0.1, 0), poise_quat_identity())}};
    PoiseBodyDef body = poise_default_body_def();
    body.tips = tips;
    body.tip_count = 2;
    mixed.body = poise_body_compile(tree, &body);
    cr_assert_not_null(mixed.body, "%s", poise_tree_message(tree));
    WORKS(poise_forward(tree));
    WORKS(poise_body_keep_apart(mixed.body, mixed.field.apart));
    return mixed;
}

// Draws a posture of the tree whose parts are at least `least` apart, m.
static void draw_mixed(Random* random, const Mixed* mixed, double least, double* posture) {
    PoiseTree* tree = mixed->field.tree;
    PoiseApartNear nearest;
    do {
        for (int i = 0; i < 7; i++) {
            if (poise_node_kind(tree, mixed->nodes[i]) == POISE_NODE_BALL) {
                WORKS(set_rotation(tree, mixed->nodes[i], random_turn(random, i == 1 ? 0.5 : PI)));
            } else if (i != 4) {
                const double most = i == 3 ? 2.0 : 0.15;
                const double angle = random_between(random, -most, most);
                WORKS(poise_node_set_angle(tree, mixed->nodes[i], angle));
            }
        }
        WORKS(poise_follow_leaders(tree));
        WORKS(poise_forward(tree));
        cr_assert_geq(poise_apart_measure(mixed->field.apart, &nearest), 0);
    } while (nearest.gap.distance < least);
    WORKS(poise_body_read(mixed->body, tree, posture));
}

// Returns true if the body calls a posture free: a solve for the tips where they are then ends with
// this posture. Expects the same of the gaps of all pairs at the tree's frames.
static bool is_judged_free(const Field* field, const PoiseBody* body, const double* posture) {
    double answer[POISE_BODY_MOST_POSTURE];
    PoiseBodyTarget targets[2];
    for (int t = 0; t < poise_body_tip_count(body); t++) {
        targets[t] = poise_default_body_target(poise_body_forward(body, posture, t));
    }
    memcpy(answer, posture, (size_t)poise_body_posture_size(body) * sizeof *answer);
    const double gap = gap_at(field, body, posture);
    const bool met = poise_body_solve(body, NULL, targets, answer, NULL) == POISE_OK;
    const bool stays = met && fabs(gap_at(field, body, answer) - gap) < 1e-9;
    cr_expect_eq(stays, gap >= 0.01, "least gap %g m", gap);
    return stays;
}

// Random postures: some of the pairs are near, most are left out by their bounds.
Test(apart, a_body_calls_a_posture_free_if_all_its_pairs_are_apart) {
    enum { POSTURES = 200 };
    Mixed mixed = mixed_of();
    Field field = field_of(2);
    PoiseBody* arms = body_of(&field);
    Random random = random_from(12);
    double posture[POISE_BODY_MOST_POSTURE];
    int free_arms = 0, free_mixed = 0;
    for (int i = 0; i < POSTURES; i++) {
        for (int k = 0; k < poise_body_posture_size(arms); k++) {
            posture[k] =
                random_between(&random, poise_body_lower(arms, k), poise_body_upper(arms, k));
        }
        free_arms += is_judged_free(&field, arms, posture);
        draw_mixed(&random, &mixed, -HUGE_VAL, posture);
        free_mixed += is_judged_free(&mixed.field, mixed.body, posture);
    }
    cr_log_info("%d and %d of %d are free", free_arms, free_mixed, POSTURES);
    cr_expect(free_arms > POSTURES / 10 && free_arms < POSTURES);
    cr_expect(free_mixed > POSTURES / 10 && free_mixed < POSTURES);
    poise_body_destroy(arms);
    poise_body_destroy(mixed.body);
    field_finish(&field);
    field_finish(&mixed.field);
}

Test(apart, a_body_of_every_kind_of_joint_keeps_every_shape_apart) {
    enum { TARGETS = 40, STEPS = 20 };
    Mixed mixed = mixed_of();
    Random random = random_from(40);
    int met = 0, touching = 0;
    for (int i = 0; i < TARGETS; i++) {
        double goal[POISE_BODY_MOST_POSTURE], start[POISE_BODY_MOST_POSTURE];
        double posture[POISE_BODY_MOST_POSTURE], several[3 * POISE_BODY_MOST_POSTURE];
        PoiseBodyTarget targets[2];
        PoiseBodyAnswers answers = {.capacity = 3, .postures = several};
        const int size = poise_body_posture_size(mixed.body);
        draw_mixed(&random, &mixed, 0.011, goal);
        draw_mixed(&random, &mixed, 0.011, start);
        for (int t = 0; t < 2; t++) {
            targets[t] = poise_default_body_target(poise_body_forward(mixed.body, goal, t));
            targets[t].goal = (PoiseBodyGoal)((i + t) % 3);
            targets[t].axes = i % 2 ? POISE_ROW_AXES_GOAL : POISE_ROW_AXES_WORLD;
            targets[t].weights[0] = i % 4 ? 1.0 : 0.0;
        }
        memcpy(posture, start, sizeof posture);
        met += poise_body_solve(mixed.body, NULL, targets, posture, NULL) == POISE_OK;
        cr_expect_geq(gap_at(&mixed.field, mixed.body, posture), 0.01 - 1e-6, "target %d", i);
        if (poise_body_answers(mixed.body, NULL, targets, start, &answers) == POISE_OK) {
            for (int k = 0; k < answers.count; k++) {
                const double gap = gap_at(&mixed.field, mixed.body, &several[k * size]);
                cr_expect_geq(gap, 0.01 - 1e-6, "target %d, answer %d", i, k);
            }
        }
        memcpy(posture, start, sizeof posture);
        for (int s = 0; s < STEPS; s++) {
            cr_assert_geq(poise_body_track(mixed.body, NULL, targets, posture, NULL), 0);
            cr_expect_geq(gap_at(&mixed.field, mixed.body, posture), 0.005 - 1e-6, "step %d", s);
        }
        WORKS(poise_body_keep_apart(mixed.body, NULL));
        memcpy(posture, start, sizeof posture);
        cr_expect_eq(poise_body_solve(mixed.body, NULL, targets, posture, NULL), POISE_OK);
        touching += gap_at(&mixed.field, mixed.body, posture) < 0.01 - 1e-6;
        WORKS(poise_body_keep_apart(mixed.body, mixed.field.apart));
    }
    cr_log_info("%d of %d met, %d touch without parts", met, TARGETS, touching);
    cr_expect_eq(met, TARGETS);
    cr_expect_gt(touching, 0);
    poise_body_destroy(mixed.body);
    field_finish(&mixed.field);
}

// Returns the gap of the only pair, m, after the leader of two coupled joints moved by `by` (rad,
// m).
static double gap_led(PoiseApart* apart, PoiseTree* tree, PoiseNodeId leader, double by) {
    PoiseApartNear nearest;
    WORKS(poise_node_set_angle(tree, leader, by));
    WORKS(poise_follow_leaders(tree));
    WORKS(poise_forward(tree));
    cr_assert_geq(poise_apart_measure(apart, &nearest), 0);
    return nearest.gap.distance;
}

// A pair that lacks 4 mm comes apart by the step 4 mm / row, since no goal asks for more.
Test(apart, the_row_of_a_follower_matches_central_differences_of_its_gap) {
    const double h = 1e-6, radius = 0.05;
    for (int i = 0; i < 8; i++) {
        const PoiseTreeDef tree_def = poise_default_tree_def();
        PoiseTree* tree = poise_tree_create(&tree_def);
        PoiseNodeId nodes[2];
        for (int k = 0; k < 2; k++) {
            const PoiseNodeDef kind =
                i >> k & 1 ? poise_default_slider_def() : poise_default_hinge_def();
            nodes[k] = add_single(tree, kind, poise_null_node(), 0.3, 2.0);
        }
        WORKS(poise_node_couple(tree, nodes[1], nodes[0], i & 4 ? 0.7 : -1.3, 0.0));
        PoisePointDef def = poise_default_position_def();
        def.link = nodes[1];
        def.in_link.p = poise_vec3(0.2, 0.1, 0.0);
        const PoisePointId point = poise_point_create(tree, &def);
        WORKS(poise_register_all(tree, point));
        WORKS(poise_forward(tree));
        const PoiseVec3 place = poise_point_planned_pose(tree, point).p;
        WORKS(poise_point_set_position(tree, point, place));
        PoiseApartPart parts[2] = {{.link = nodes[1], .shape = poise_convex_capsule(radius, 0.0)}};
        parts[0].shape.pose.p = def.in_link.p;
        const PoiseVec3 along = poise_vec3(0.48, -0.6, 0.64);
        parts[1] = obstacle(poise_convex_capsule(radius, 0.0),
                            poise_add_scaled(place, 2.0 * radius + 0.006, along));
        PoiseApartDef apart_def = poise_default_apart_def();
        apart_def.parts = parts;
        apart_def.part_count = 2;
        PoiseApart* apart = poise_apart_create(tree, &apart_def);
        cr_assert_not_null(apart, "%s", poise_tree_message(tree));
        const double row =
            (gap_led(apart, tree, nodes[0], h) - gap_led(apart, tree, nodes[0], -h)) / (2.0 * h);
        const double lacking = 0.01 - gap_led(apart, tree, nodes[0], 0.0);
        const PoiseSolveDef solve = poise_default_solve_def();
        double omega[POISE_MAX_NV];
        WORKS(poise_solve(tree, &solve, NULL));
        cr_assert_eq(poise_node_omega(tree, nodes[0], omega), 1);
        cr_expect_gt(fabs(row), 0.05, "row %d: %g", i, row);
        cr_expect_float_eq(row * omega[0], lacking, 1e-9, "row %d: %g for %g", i, row * omega[0],
                           lacking);
        poise_apart_destroy(apart);
        poise_tree_destroy(tree);
    }
}

// Solves of the tree and steps of tasks from free postures, toward places of both tips.
Test(apart, steps_of_a_tree_of_every_kind_of_joint_keep_every_shape_apart) {
    enum { TARGETS = 10, STEPS = 200 };
    Mixed mixed = mixed_of();
    PoiseTree* tree = mixed.field.tree;
    PoiseTasks* tasks = poise_tasks_create(tree);
    Random random = random_from(41);
    PoisePointId points[2];
    PoiseSolveDef def = poise_default_solve_def();
    def.joint_cap = 0.05; // rows hold to first order
    for (int t = 0; t < 2; t++) {
        PoisePointDef point = poise_default_position_def();
        PoiseTaskDef task = poise_default_task_def(POISE_TASK_POINT);
        point.link = mixed.nodes[t == 0 ? 4 : 6];
        point.in_link.p = t == 0 ? poise_vec3(0.1, 0, 0) : poise_vec3(0, 0.1, 0);
        points[t] = task.point = poise_point_create(tree, &point);
        WORKS(poise_register_all(tree, points[t]));
        cr_assert_eq(poise_tasks_add(tasks, &task), t);
    }
    int met = 0;
    for (int i = 0; i < TARGETS; i++) {
        double goal[POISE_BODY_MOST_POSTURE], start[POISE_BODY_MOST_POSTURE];
        PoiseTasksReport report;
        draw_mixed(&random, &mixed, 0.011, goal);
        draw_mixed(&random, &mixed, 0.011, start);
        for (int t = 0; t < 2; t++) {
            const PoiseVec3 place = poise_body_forward(mixed.body, goal, t).p;
            WORKS(poise_point_set_position(tree, points[t], place));
        }
        for (int s = 0; s < STEPS; s++) {
            WORKS(poise_solve(tree, &def, NULL));
            WORKS(poise_advance(tree));
            WORKS(poise_forward(tree));
            cr_expect_gt(least_gap(&mixed.field), 0.005, "target %d, step %d: %g", i, s,
                         least_gap(&mixed.field));
        }
        WORKS(poise_body_write(mixed.body, tree, start));
        WORKS(poise_forward(tree));
        for (int s = 0; s < STEPS; s++) {
            WORKS(poise_tasks_step(tasks, NULL, &report));
            cr_expect_geq(least_gap(&mixed.field), 0.01 - 1e-6, "target %d, step %d: %g", i, s,
                          least_gap(&mixed.field));
        }
        met += report.status == POISE_OK;
    }
    cr_expect_geq(met, TARGETS - 2, "%d of %d met", met, TARGETS);
    poise_tasks_destroy(tasks);
    poise_body_destroy(mixed.body);
    field_finish(&mixed.field);
}

Test(apart, several_answers_of_a_body_are_all_free) {
    Field field = field_of(1);
    PoiseBody* body = body_of(&field);
    Random random = random_from(9);
    for (int i = 0; i < 10; i++) {
        double goal[JOINTS], several[8 * JOINTS];
        PoiseBodyAnswers answers = {.capacity = 8, .postures = several};
        draw_free(&random, &field, body, goal);
        const PoiseBodyTarget target = poise_default_body_target(poise_body_forward(body, goal, 0));
        cr_assert_eq(poise_body_answers(body, NULL, &target, arm_start, &answers), POISE_OK);
        for (int k = 0; k < answers.count; k++) {
            cr_expect_geq(gap_at(&field, body, &several[k * JOINTS]), 0.01 - 1e-6);
        }
    }
    poise_body_destroy(body);
    field_finish(&field);
}

Test(apart, a_body_refuses_parts_of_another_tree_and_stale_frames) {
    Field field = field_of(1), other = field_of(1);
    PoiseBody* body = body_of(&field);
    cr_expect_eq(poise_body_keep_apart(NULL, field.apart), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_body_keep_apart(body, other.apart), POISE_ERROR_INVALID_HANDLE);
    WORKS(poise_node_set_angle(field.tree, field.arms[0].joints[0], 0.1));
    cr_expect_eq(poise_body_keep_apart(body, field.apart), POISE_ERROR_STALE);
    poise_body_destroy(body);
    field_finish(&field);
    field_finish(&other);
}
