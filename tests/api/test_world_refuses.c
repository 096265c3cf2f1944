// SPDX-License-Identifier: MIT
// Bad arguments of the owned world.
#include "poise/snapshot.h"
#include "poise/step.h"
#include "poise/world.h"
#include "refuse.h"

static void expect_no_world(PoiseWorldDef def, const char* what) {
    PoiseWorld* world = poise_world_create(&def);
    cr_expect_null(world, "a world came from a def with %s", what);
    poise_world_destroy(world);
}

// A row of the table below: the default def with one wrong member.
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
    NO_WORLD(stepper, (PoiseStepKind)7);
    NO_WORLD(most_contacts, -1);
    NO_WORLD(host.release, no_release);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        NO_WORLD(gravity, bad_vec3(i));
    }
}

Test(world_refuses, steppers) {
    const PoiseHost half = {.release = no_release};
    PoiseWorldDef def = poise_default_world_def();
    PoiseWorld* world = poise_world_create(&def);
    cr_expect_null(poise_stepper_create(NULL, NULL));
    cr_expect_null(poise_stepper_create(poise_world_ode(world), &half));
    PoiseStepper* stepper = poise_stepper_create(poise_world_ode(world), NULL);
    dWorldID other = dWorldCreate();
    GIVES(POISE_ERROR_FOREIGN_WORLD, poise_stepper_watch(stepper, dBodyCreate(other)));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_stepper_watch(stepper, NULL));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_stepper_watch(NULL, NULL));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_step(NULL, 0.01));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_step(stepper, NOT_A_NUMBER));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_step(stepper, -0.01));
    cr_expect_null(poise_contact_create(NULL, NULL, NULL));
    cr_expect_null(poise_contact_create(stepper, NULL, NULL));
    cr_expect_eq(poise_stepper_report(NULL).solved, 0);
    poise_stepper_unwatch(NULL, NULL);
    poise_stepper_renew(NULL);
    poise_stepper_destroy(NULL);
    poise_stepper_destroy(stepper);
    dWorldDestroy(other);
    poise_world_destroy(world);
}

Test(world_refuses, null) {
    poise_world_destroy(NULL);
    cr_expect_null(poise_world_ode(NULL));
    cr_expect_null(poise_world_space(NULL));
    cr_expect_eq(poise_world_contact_count(NULL), 0);
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_world_step(NULL, 0.01));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_world_collide(NULL));
    cr_expect_null(poise_world_lost_body(NULL));
    cr_expect_not(poise_world_is_crowded(NULL));
    cr_expect_null(poise_world_add_ground(NULL, 0.0));
    cr_expect_null(poise_world_add_group(NULL));
    poise_world_unwatch(NULL, NULL);
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

Test(world_refuses, bodies_and_grounds) {
    PoiseWorldDef def = poise_default_world_def();
    PoiseWorld* world = poise_world_create(&def);
    PoiseWorld* other = poise_world_create(&def);
    cr_assert(world && other);
    dBodyID foreign = dBodyCreate(poise_world_ode(other));
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    GIVES(expected, poise_world_watch(NULL, foreign));
    GIVES(expected, poise_world_watch(world, NULL));
    GIVES(POISE_ERROR_FOREIGN_WORLD, poise_world_watch(world, foreign));
    poise_world_unwatch(world, foreign);
    PoiseVec3 force = {7.0, 7.0, 7.0};
    GIVES(expected, poise_world_contact_force(NULL, foreign, &force, NULL));
    GIVES(expected, poise_world_contact_force(world, NULL, &force, NULL));
    PoiseContact contact = {.force = {7.0, 7.0, 7.0}};
    GIVES(expected, poise_world_contact(NULL, 0, &contact));
    GIVES(expected, poise_world_contact(world, 0, &contact));
    GIVES(expected, poise_world_contact(world, -1, &contact));
    GIVES(expected, poise_world_contact(world, 0, NULL));
    cr_expect_eq(contact.force.x, 7.0);
    cr_expect_eq(force.x, 7.0);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        cr_expect_null(poise_world_add_ground(world, bad_numbers[i]));
    }
    poise_world_destroy(world);
    poise_world_destroy(other);
}

// A row of the table below: a def with wrong lists.
#define NO_SNAPSHOT(member, value)                                                                 \
    do {                                                                                           \
        PoiseSnapshotDef def_ = poise_default_snapshot_def();                                      \
        def_.member = (value);                                                                     \
        cr_expect_eq(poise_snapshot_size(&def_), 0u, "%s", #member " = " #value);                  \
        GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_snapshot_save(&def_, memory, sizeof memory));    \
        GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_snapshot_restore(&def_, memory, sizeof memory)); \
        cr_expect_not_null(poise_snapshot_problem(&def_, memory, sizeof memory));                  \
    } while (0)

Test(world_refuses, snapshots) {
    static unsigned char memory[4096];
    const dBodyID no_body[1] = {NULL};
    NO_SNAPSHOT(cookie, 0);
    NO_SNAPSHOT(body_count, -1);
    NO_SNAPSHOT(body_count, 1);
    NO_SNAPSHOT(joint_count, -1);
    NO_SNAPSHOT(joint_count, 1);
    NO_SNAPSHOT(rig_count, -1);
    NO_SNAPSHOT(rig_count, 1);
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    PoiseSnapshotDef def = poise_default_snapshot_def();
    def.bodies = no_body;
    def.body_count = 1;
    cr_expect_eq(poise_snapshot_size(&def), 0u);
    cr_expect_eq(poise_snapshot_size(NULL), 0u);
    GIVES(expected, poise_snapshot_save(NULL, memory, sizeof memory));
    GIVES(expected, poise_snapshot_restore(NULL, memory, sizeof memory));
    // an empty snapshot has a size too
    def = poise_default_snapshot_def();
    const size_t size = poise_snapshot_size(&def);
    cr_assert(size > 0 && size <= sizeof memory);
    GIVES(expected, poise_snapshot_save(&def, NULL, size));
    GIVES(expected, poise_snapshot_save(&def, memory, size - 1));
    GIVES(POISE_OK, poise_snapshot_save(&def, memory, size));
    GIVES(expected, poise_snapshot_restore(&def, NULL, size));
    GIVES(expected, poise_snapshot_restore(&def, memory, size - 1));
    memory[0] ^= 1;
    GIVES(expected, poise_snapshot_restore(&def, memory, size));
    memory[0] ^= 1;
    GIVES(POISE_OK, poise_snapshot_restore(&def, memory, size));
}
