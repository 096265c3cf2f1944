// SPDX-License-Identifier: MIT
#include "fixture.h"

Test(drag, the_place_stays_under_the_pointer_at_its_depth) {
    uint64_t seed = 3;
    for (int turn = 0; turn < 40; turn++) {
        PoiseCamera camera = poise__camera_default();
        camera.azimuth = 0.4 * turn;
        camera.elevation = 1.3 * next_random(&seed);
        PoiseVec3 place = poise_scale(0.4, next_random_vec3(&seed));
        double x = 0.0, y = 0.0;
        cr_assert(poise__camera_project(&camera, place, &x, &y));
        PoiseDrag drag;
        // take the place a little away from its middle, as hands do
        cr_assert(poise__drag_begin(&drag, (PoisePointer){&camera, x + 3.0, y - 2.0}, place));
        PoiseVec3 moved =
            poise__drag_place(&drag, (PoisePointer){&camera, x + 3.0 + 40.0, y - 2.0 + 25.0});
        double depth = poise_dot(poise_sub(moved, place), poise__camera_forward(&camera));
        EXPECT_NEAR(depth, 0.0, 1e-9);
        double moved_x = 0.0, moved_y = 0.0;
        cr_assert(poise__camera_project(&camera, moved, &moved_x, &moved_y));
        EXPECT_NEAR(moved_x, x + 40.0, 1e-9);
        EXPECT_NEAR(moved_y, y + 25.0, 1e-9);
    }
}

Test(drag, a_drag_that_returns_leaves_the_place_where_it_was) {
    PoiseCamera camera = poise__camera_default();
    PoiseVec3 place = poise_vec3(0.1, 0.2, 0.3);
    PoiseDrag drag;
    cr_assert(poise__drag_begin(&drag, (PoisePointer){&camera, 600.0, 300.0}, place));
    poise__drag_place(&drag, (PoisePointer){&camera, 900.0, 20.0});
    EXPECT_NEAR3(poise__drag_place(&drag, (PoisePointer){&camera, 600.0, 300.0}), place, 1e-12);
}

Test(drag, a_place_behind_the_eye_cannot_be_taken) {
    PoiseCamera camera = poise__camera_default();
    PoiseVec3 behind =
        poise_add_scaled(poise__camera_eye(&camera), -1.0, poise__camera_forward(&camera));
    PoiseDrag drag = {.start = {1.0, 2.0, 3.0}};
    cr_expect_not(poise__drag_begin(&drag, (PoisePointer){&camera, 600.0, 300.0}, behind));
    EXPECT_NEAR3(drag.start, poise_vec3(1.0, 2.0, 3.0), 0.0);
}
