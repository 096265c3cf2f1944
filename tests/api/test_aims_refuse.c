// SPDX-License-Identifier: MIT
// What the functions of directions, look-ats, centres of mass, frames, rows, speeds and priorities
// do with arguments that are no good.
#include "refuse.h"

BENCH_TEST(aims_refuse, defs) {
    NO_POINT(orientation, cookie, 0);
    NO_POINT(direction, cookie, 0);
    NO_POINT(look_at, cookie, 0);
    NO_POINT(com, cookie, 0);
    NO_POINT(direction, axis, poise_vec3(0.0, 0.0, 0.0));
    NO_POINT(look_at, axis, poise_vec3(0.0, 0.0, 0.0));
    NO_POINT(direction, direction, poise_vec3(0.0, 0.0, 0.0));
    // none that the kind has
    NO_POINT(position, rows, 0u);
    NO_POINT(position, rows, (unsigned)POISE_ROW_TURN_X);
    NO_POINT(orientation, rows, (unsigned)POISE_ROW_X);
    NO_POINT(pose, rows, 64u);
    NO_POINT(position, row_axes, (PoiseRowAxes)3);
    NO_POINT(position, max_speed, 0.0);
    NO_POINT(position, max_speed, -1.0);
    NO_POINT(position, max_speed, NOT_A_NUMBER);
    NO_POINT(orientation, max_turn_speed, 0.0);
    NO_POINT(orientation, max_turn_speed, NOT_A_NUMBER);
    NO_POINT(position, tip_radius, -1e-3);
    NO_POINT(position, tip_radius, NOT_A_NUMBER);
    NO_POINT(position, tip_radius, HUGE_VAL);
    NO_POINT(position, priority, -2);
    NO_POINT(position, priority, 16);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        NO_POINT(direction, axis, bad_vec3(i));
        NO_POINT(direction, direction, bad_vec3(i));
        NO_POINT(look_at, axis, bad_vec3(i));
        NO_POINT(look_at, goal.p, bad_vec3(i));
        NO_POINT(com, goal.p, bad_vec3(i));
    }
    PoisePointDef lost = poise_default_position_def();
    lost.link = bench->ball;
    lost.frame = bench->dead_node;
    expect_no_point(bench, POISE_ERROR_INVALID_HANDLE, lost, "a destroyed frame");
    lost.frame = bench->foreign_node;
    expect_no_point(bench, POISE_ERROR_INVALID_HANDLE, lost, "a frame of another tree");
}

BENCH_TEST(aims_refuse, handles) {
    const PoisePointId bad[] = {poise_null_point(), bench->dead_point, bench->foreign_point};
    const PoiseVec3 up = poise_vec3(0.0, 0.0, 1.0);
    for (int i = 0; i < 3; i++) {
        const PoiseStatus expected = POISE_ERROR_INVALID_HANDLE;
        REFUSES(bench, expected, poise_point_set_direction(tree, bad[i], up));
        REFUSES(bench, expected,
                poise_point_set_rows(tree, bad[i], POISE_ROWS_ALL, POISE_ROW_AXES_WORLD));
        REFUSES(bench, expected, poise_point_set_max_speed(tree, bad[i], 1.0, 1.0));
        REFUSES(bench, expected, poise_point_set_tip_radius(tree, bad[i], 0.1));
        REFUSES(bench, expected, poise_point_set_priority(tree, bad[i], 1));
        REFUSES(bench, expected, poise_register_all(tree, bad[i]));
        cr_expect_eq(poise_point_priority(tree, bad[i]), 0);
        cr_expect_eq(poise_point_frame(tree, bad[i]).index1, 0u);
        cr_expect_eq(poise_length(poise_point_axis(tree, bad[i])), 0.0);
    }
}

EXTENDED_TEST(aims_refuse, null_tree) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    GIVES(expected, poise_point_set_direction(NULL, bench->way, poise_vec3(0.0, 0.0, 1.0)));
    GIVES(expected, poise_point_set_rows(NULL, bench->place, POISE_ROWS_ALL, POISE_ROW_AXES_WORLD));
    GIVES(expected, poise_point_set_max_speed(NULL, bench->place, 1.0, 1.0));
    GIVES(expected, poise_point_set_tip_radius(NULL, bench->place, 0.1));
    cr_expect_eq(poise_point_tip_radius(NULL, bench->place), 0.0);
    GIVES(expected, poise_point_set_priority(NULL, bench->place, 1));
    GIVES(expected, poise_register_all(NULL, bench->place));
    cr_expect_eq(poise_point_priority(NULL, bench->place), 0);
    cr_expect_eq(poise_point_frame(NULL, bench->place).index1, 0u);
    cr_expect_eq(poise_length(poise_point_axis(NULL, bench->way)), 0.0);
}

EXTENDED_TEST(aims_refuse, numbers) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    const PoiseRowAxes world = POISE_ROW_AXES_WORLD;
    REFUSES(bench, expected,
            poise_point_set_direction(tree, bench->way, poise_vec3(0.0, 0.0, 0.0)));
    REFUSES(bench, expected, poise_point_set_rows(tree, bench->place, 0u, world));
    REFUSES(bench, expected, poise_point_set_rows(tree, bench->place, 56u, world));
    REFUSES(bench, expected, poise_point_set_rows(tree, bench->turn, 7u, world));
    REFUSES(bench, expected, poise_point_set_rows(tree, bench->com, 56u, world));
    REFUSES(bench, expected, poise_point_set_rows(tree, bench->both, 64u, world));
    REFUSES(bench, expected, poise_point_set_rows(tree, bench->place, 1u, (PoiseRowAxes)3));
    REFUSES(bench, expected, poise_point_set_max_speed(tree, bench->place, 0.0, 1.0));
    REFUSES(bench, expected, poise_point_set_tip_radius(tree, bench->place, -1e-3));
    REFUSES(bench, expected, poise_point_set_tip_radius(tree, bench->place, NOT_A_NUMBER));
    REFUSES(bench, expected, poise_point_set_tip_radius(tree, bench->place, HUGE_VAL));
    REFUSES(bench, expected, poise_point_set_max_speed(tree, bench->place, 1.0, -1.0));
    REFUSES(bench, expected, poise_point_set_max_speed(tree, bench->place, NOT_A_NUMBER, 1.0));
    REFUSES(bench, expected, poise_point_set_max_speed(tree, bench->place, 1.0, NOT_A_NUMBER));
    REFUSES(bench, expected, poise_point_set_priority(tree, bench->place, -2));
    REFUSES(bench, expected, poise_point_set_priority(tree, bench->place, 16));
    for (int i = 0; i < BAD_NUMBERS; i++) {
        REFUSES(bench, expected, poise_point_set_direction(tree, bench->way, bad_vec3(i)));
        REFUSES(bench, expected, poise_point_set_position(tree, bench->look, bad_vec3(i)));
        REFUSES(bench, expected, poise_point_set_position(tree, bench->com, bad_vec3(i)));
    }
}

EXTENDED_TEST(aims_refuse, other_kinds) {
    const PoiseStatus expected = POISE_ERROR_WRONG_KIND;
    const PoiseVec3 up = poise_vec3(0.0, 0.0, 1.0);
    const PoiseQuat turn = poise_quat_identity();
    const PoisePointId without[] = {bench->place, bench->turn, bench->both, bench->look,
                                    bench->com};
    for (int i = 0; i < 5; i++) {
        REFUSES(bench, expected, poise_point_set_direction(tree, without[i], up));
    }
    REFUSES(bench, expected, poise_point_set_position(tree, bench->way, up));
    REFUSES(bench, expected, poise_point_set_orientation(tree, bench->com, turn));
    REFUSES(bench, expected, poise_point_set_orientation(tree, bench->way, turn));
    REFUSES(bench, expected, poise_point_set_orientation(tree, bench->look, turn));
}

// a place on one branch in the frame of the other: what carries both cannot move it, nor what none
BENCH_TEST(aims_refuse, nodes_that_cannot_move_it) {
    PoisePointDef def = poise_default_position_def();
    def.link = bench->ball;
    def.frame = bench->twig;
    const PoisePointId seen = poise_point_create(tree, &def);
    cr_assert_eq(poise_tree_status(tree), POISE_OK);
    REFUSES(bench, POISE_ERROR_CANNOT_MOVE, poise_register(tree, seen, bench->hinge));
    GIVES(POISE_OK, poise_register(tree, seen, bench->twig));
    GIVES(POISE_OK, poise_register(tree, seen, bench->ball));
}
