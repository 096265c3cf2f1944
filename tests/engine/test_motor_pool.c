// SPDX-License-Identifier: MIT
// A motor joint that one motor returned and another took has none of the old parameters.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "near.h"

// Returns the torque of a spring after 20 steps.
static double driven_torque(Bench* bench) {
    const PoiseHingeDrive drive = {{1e3, 50.0}, 1.0, 0.0};
    for (int i = 0; i < 20; i++) {
        bench_step(bench, &drive, 1.0, HUGE_VAL, 0.01);
    }
    return bench_torque(bench).x;
}

Test(motor_pool, a_joint_of_ours_that_held_a_stop_drives_like_a_new_one) {
    Bench fresh;
    Bench again;
    bench_make(&fresh, POISE_NODE_HINGE, ORDER_PARENT_CHILD);
    bench_make(&again, POISE_NODE_HINGE, ORDER_PARENT_CHILD);
    const double expected = driven_torque(&fresh);
    // the first joint drives with rows that stay set, the second stops at once
    const MotorDef def = {poise_joint_type(POISE_NODE_HINGE),
                          again.world,
                          again.joint,
                          again.child,
                          again.parent,
                          &again.pool};
    const ConeStop stops[2] = {{{1.0, 0.0, 0.0}, 0.5, 0.0, 0.1}, {{0.0, 0.0, 1.0}, 0.5, 0.0, 0.1}};
    const PoiseHingeDrive far = {{0.0, 10.0}, 0.0, 4.0};
    cr_expect(bench_drive_hinge(&again, &far, 7.0, 20.0, 0.01));
    poise__motor_hold_cone(&again.motor, stops);
    const dJointID stop = again.motor.stop;
    poise__motor_detach(&again.motor);
    poise__motor_attach(&again.motor, &def);
    cr_expect(again.motor.parts[ABOUT] == stop);
    poise__motor_place_rows(&again.motor, def.type, again.motor_values);
    memset(again.motor_values, 0, sizeof again.motor_values);
    poise__motor_moved(&again.motor);
    bench_fix_axis(&again);
    cr_expect(expected != 0.0);
    EXPECT_NEAR(driven_torque(&again), expected, 0.0);
    bench_finish(&fresh);
    bench_finish(&again);
}
