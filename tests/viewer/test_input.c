// SPDX-License-Identifier: MIT
#include "fixture.h"

Test(input, a_button_has_the_position_of_the_pointer_event_before_it) {
    PoiseInput input = {.count = 0};
    PoiseEvent events[POISE_INPUT_CAPACITY];
    poise__input_push_pointer(&input, 10.0, 20.0);
    poise__input_push_button(&input, POISE_BUTTON_LEFT, true, 0);
    // the pointer is far away when the event is taken
    poise__input_push_pointer(&input, 500.0, 600.0);
    cr_assert_eq(poise__input_take_frame(&input, events), 2);
    cr_expect_eq(events[1].kind, POISE_EVENT_BUTTON);
    EXPECT_NEAR(events[1].x, 10.0, 0.0);
    EXPECT_NEAR(events[1].y, 20.0, 0.0);
}

Test(input, press_and_release_in_one_slow_frame_are_two_frames) {
    PoiseInput input = {.count = 0};
    PoiseEvent events[POISE_INPUT_CAPACITY];
    poise__input_push_button(&input, POISE_BUTTON_LEFT, true, 0);
    poise__input_push_pointer(&input, 7.0, 8.0);
    poise__input_push_button(&input, POISE_BUTTON_LEFT, false, 0);
    cr_assert_eq(poise__input_take_frame(&input, events), 1);
    cr_expect(events[0].pressed);
    // the last motion comes in a frame before the release
    cr_assert_eq(poise__input_take_frame(&input, events), 1);
    cr_expect_eq(events[0].kind, POISE_EVENT_POINTER);
    cr_assert_eq(poise__input_take_frame(&input, events), 1);
    cr_expect_not(events[0].pressed);
    EXPECT_NEAR(events[0].x, 7.0, 0.0);
    cr_expect_eq(poise__input_take_frame(&input, events), 0);
}

Test(input, events_keep_their_order_over_many_frames) {
    PoiseInput input = {.count = 0};
    PoiseEvent events[POISE_INPUT_CAPACITY];
    int next = 0;
    for (int i = 0; i < 1000; i++) {
        poise__input_push_key(&input, i, true, false, 0);
        if (i % 3 == 0) {
            int count = poise__input_take_frame(&input, events);
            for (int k = 0; k < count; k++) {
                cr_assert_eq(events[k].code, next++);
            }
        }
    }
    cr_expect_eq(input.lost, 0);
}

Test(input, pointer_events_in_a_row_are_one) {
    PoiseInput input = {.count = 0};
    PoiseEvent events[POISE_INPUT_CAPACITY];
    for (int i = 0; i < 1000; i++) {
        poise__input_push_pointer(&input, i, -i);
    }
    cr_assert_eq(poise__input_take_frame(&input, events), 1);
    EXPECT_NEAR(events[0].x, 999.0, 0.0);
}

Test(input, a_full_queue_counts_what_it_drops) {
    PoiseInput input = {.count = 0};
    for (int i = 0; i < POISE_INPUT_CAPACITY + 5; i++) {
        poise__input_push_key(&input, 'A', true, false, 0);
    }
    cr_expect_eq(input.lost, 5);
    cr_expect_eq(input.count, POISE_INPUT_CAPACITY);
}
