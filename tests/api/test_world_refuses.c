// SPDX-License-Identifier: MIT
// What the owned world does with arguments that are no good.
#include "poise/world.h"
#include "refuse.h"

static void expect_no_world(PoiseWorldDef def, const char* what) {
    PoiseWorld* world = poise_world_create(&def);
    cr_expect_null(world, "a world came from a def with %s", what);
    poise_world_destroy(world);
}

// a row of the table below: the default with one member set wrong
#define NO_WORLD(member, value)                                                                    \
    do {                                                                                           \
        PoiseWorldDef def_ = poise_default_world_def();                                            \
        def_.member = (value);                                                                     \
        expect_no_world(def_, #member " = " #value);                                               \
    } while (0)

static void no_release(void* memory, size_t size, void* user) {
    (void)memory, (void)size, (void)user;
}

Test(world_refuses, defs) {
    cr_expect_null(poise_world_create(NULL));
    NO_WORLD(cookie, 0);
    NO_WORLD(friction, -0.1);
    NO_WORLD(friction, NOT_A_NUMBER);
    NO_WORLD(restitution, -0.1);
    NO_WORLD(restitution, 1.1);
    NO_WORLD(restitution, NOT_A_NUMBER);
    NO_WORLD(erp, -0.1);
    NO_WORLD(erp, 1.1);
    NO_WORLD(erp, NOT_A_NUMBER);
    NO_WORLD(cfm, -1e-3);
    NO_WORLD(cfm, NOT_A_NUMBER);
    NO_WORLD(cfm, HUGE_VAL);
    NO_WORLD(quick_iterations, -1);
    NO_WORLD(host.release, no_release);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        NO_WORLD(gravity, bad_vec3(i));
    }
}

Test(world_refuses, null) {
    poise_world_destroy(NULL);
    cr_expect_null(poise_world_ode(NULL));
    cr_expect_null(poise_world_space(NULL));
    cr_expect_eq(poise_world_contact_count(NULL), 0);
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_world_step(NULL, 0.01));
    cr_expect_eq(poise_state_hash(NULL, 0), poise_state_hash(NULL, 0));
}

Test(world_refuses, steps) {
    TestHost host = {0};
    PoiseWorldDef def = poise_default_world_def();
    def.host = test_host(&host);
    PoiseWorld* world = poise_world_create(&def);
    cr_assert_not_null(world);
    dBodyID body = dBodyCreate(poise_world_ode(world));
    const uint64_t before = poise_state_hash(&body, 1);
    const double bad[] = {0.0, -0.01, NOT_A_NUMBER, HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < 5; i++) {
        GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_world_step(world, bad[i]));
    }
    cr_expect_eq(poise_state_hash(&body, 1), before, "a refused step moved the body");
    GIVES(POISE_OK, poise_world_step(world, 0.01));
    cr_expect_neq(poise_state_hash(&body, 1), before, "a step did not move the body");
    poise_world_destroy(world);
    cr_expect_eq(host.live_blocks, 0, "%ld blocks leaked", host.live_blocks);
}
