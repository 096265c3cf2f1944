// SPDX-License-Identifier: MIT
// A world made by Poise: repeatability, numbers at which ODE would end the process, memory.
#include <criterion/criterion.h>
#include <math.h>

#include "host.h"
#include "mechanism.h"
#include "near.h"

#define DT           0.005 // s

#define NOT_A_NUMBER ((double)NAN) // ODE's NAN is a float

// ---------------------------------------------------------------------------------- repeatability

// Lets boxes tumble onto each other.
static uint64_t tumble(int quick_iterations) {
    enum { COUNT = 6 };
    PoiseWorldDef def = poise_default_world_def();
    def.quick_iterations = quick_iterations;
    def.restitution = 0.3;
    PoiseWorld* world = poise_world_create(&def);
    poise_world_add_ground(world, 0.0);
    dBodyID bodies[COUNT];
    for (int i = 0; i < COUNT; i++) {
        bodies[i] =
            world_cube(world, NULL, 0.3, poise_vec3(0.07 * i, 0.05 * (i % 3), 0.4 + 0.45 * i));
        dBodySetAngularVel(bodies[i], 0.3 * i, 1.0, -0.2 * i);
    }
    world_run(world, DT, 600);
    uint64_t hash = poise_state_hash(bodies, COUNT);
    poise_world_destroy(world);
    return hash;
}

Test(world, two_runs_end_in_the_same_bits) {
    cr_expect(tumble(0) == tumble(0));
    uint64_t quick = tumble(20);
    dRandSetSeed(12345);
    cr_expect(quick == tumble(20), "quick steps depend on the process' seed");
    cr_expect(dRandGetSeed() == 12345, "the process' seed was changed");
}

Test(world, hash_sees_every_number_of_every_body) {
    PoiseWorld* world = world_make();
    dBodyID bodies[2] = {world_cube(world, NULL, 0.3, poise_vec3(0.0, 0.0, 1.0)),
                         world_cube(world, NULL, 0.3, poise_vec3(0.0, 0.0, 2.0))};
    dBodyID turned[2] = {bodies[1], bodies[0]};
    uint64_t hash = poise_state_hash(bodies, 2);
    cr_expect(hash == poise_state_hash(bodies, 2));
    cr_expect(hash != poise_state_hash(turned, 2));
    cr_expect(hash != poise_state_hash(bodies, 1));
    dBodySetLinearVel(bodies[1], 0.0, 0.0, 1e-300);
    cr_expect(hash != poise_state_hash(bodies, 2));
    dBodySetLinearVel(bodies[1], 0.0, 0.0, 0.0);
    cr_expect(hash == poise_state_hash(bodies, 2));
    dBodySetAngularVel(bodies[0], -0.0, 0.0, 0.0);
    cr_expect(hash != poise_state_hash(bodies, 2), "-0 is another bit pattern");
    // FNV-1a's offset basis: nothing hashed
    cr_expect(poise_state_hash(NULL, 0) == 0xcbf29ce484222325);
    dBodyID none[1] = {NULL};
    cr_expect(poise_state_hash(none, 1) != poise_state_hash(NULL, 0));
    poise_world_destroy(world);
}

// ------------------------------------------------------------------------------------ bad numbers

Test(world, a_body_that_is_not_finite_is_reported_and_nothing_stepped) {
    static const double wrongs[] = {NOT_A_NUMBER, HUGE_VAL, 1e21, -1e21};
    for (int w = 0; w < 4; w++) {
        for (int what = 0; what < 5 * 3; what++) {
            TestHost host = {0};
            PoiseWorldDef def = poise_default_world_def();
            def.host = test_host(&host);
            PoiseWorld* world = poise_world_create(&def);
            poise_world_add_ground(world, 0.0);
            dSpaceID group = poise_world_add_group(world);
            dBodyID good = world_cube(world, group, 0.5, poise_vec3(0.0, 0.0, 3.0));
            dBodyID bad = world_cube(world, group, 0.5, poise_vec3(9.0, 0.0, 3.0));
            void (*set[5])(dBodyID, dReal, dReal, dReal) = {dBodySetPosition, dBodySetLinearVel,
                                                            dBodySetAngularVel, dBodySetForce,
                                                            dBodySetTorque};
            const double wrong = wrongs[w];
            const int axis = what / 5;
            set[what % 5](bad, axis == 0 ? wrong : 0.0, axis == 1 ? wrong : 0.0,
                          axis == 2 ? wrong : 0.0);
            uint64_t before = poise_state_hash(&good, 1);
            for (int i = 0; i < 3; i++) {
                cr_expect(poise_world_step(world, DT) == POISE_ERROR_INVALID_ARGUMENT);
                cr_expect(poise_world_lost_body(world) == bad);
            }
            cr_expect(poise_state_hash(&good, 1) == before);
            cr_expect(host.messages == 1, "%d messages", host.messages);
            // these numbers are no longer too large; their sum of squares is
            set[what % 5](bad, what == 0 ? 9e19 : 0.0, what == 0 ? 9e19 : 0.0, 0.0);
            cr_expect(poise_world_step(world, DT) == POISE_OK);
            cr_expect(poise_world_lost_body(world) == NULL);
            poise_world_destroy(world);
        }
    }
}

Test(world, a_body_that_runs_away_is_reported_after_the_step) {
    PoiseWorld* world = world_make();
    dBodyID box = world_cube(world, NULL, 0.5, poise_vec3(0.0, 0.0, 0.0));
    dMass mass;
    dMassSetBoxTotal(&mass, 1e-6, 0.5, 0.5, 0.5);
    dBodySetMass(box, &mass);
    dBodySetForce(box, 1e19, 0.0, 0.0);
    cr_expect(poise_world_step(world, DT) == POISE_DEGRADED);
    cr_expect(poise_world_lost_body(world) == box);
    cr_expect(poise_world_step(world, DT) == POISE_ERROR_INVALID_ARGUMENT);
    poise_world_destroy(world);
}

Test(world, watched_bodies_need_no_geom) {
    PoiseWorld* world = world_make();
    PoiseWorld* other = world_make();
    dBodyID bodies[40];
    for (int i = 0; i < 40; i++) {
        bodies[i] = dBodyCreate(poise_world_ode(world));
        cr_expect(poise_world_watch(world, bodies[i]) == POISE_OK);
        cr_expect(poise_world_watch(world, bodies[i]) == POISE_OK);
    }
    cr_expect(poise_world_watch(other, bodies[0]) == POISE_ERROR_FOREIGN_WORLD);
    cr_expect(poise_world_watch(world, NULL) == POISE_ERROR_INVALID_ARGUMENT);
    cr_expect(poise_world_watch(NULL, bodies[0]) == POISE_ERROR_INVALID_ARGUMENT);
    world_run(world, DT, 1);
    dBodySetForce(bodies[33], NOT_A_NUMBER, 0.0, 0.0);
    cr_expect(poise_world_step(world, DT) == POISE_ERROR_INVALID_ARGUMENT);
    cr_expect(poise_world_lost_body(world) == bodies[33]);
    poise_world_unwatch(world, bodies[33]);
    poise_world_unwatch(world, bodies[33]);
    poise_world_unwatch(NULL, bodies[33]);
    dBodyDestroy(bodies[33]);
    world_run(world, DT, 1);
    poise_world_destroy(world);
    poise_world_destroy(other);
}

// ----------------------------------------------------------------------------------------- memory

static void expect_no_allocations(PoiseStepKind stepper, long first) {
    TestHost host = {0};
    PoiseWorldDef def = poise_default_world_def();
    def.stepper = stepper;
    def.host = test_host(&host);
    PoiseWorld* world = poise_world_create(&def);
    poise_world_add_ground(world, 0.0);
    for (int i = 0; i < 8; i++) {
        world_cube(world, NULL, 0.5, poise_vec3(i, 0.0, 0.3));
    }
    world_run(world, DT, 100);
    long allocations = host.allocations;
    world_run(world, DT, 100);
    cr_expect(host.allocations == allocations);
    cr_expect(allocations == first, "the first contacts and pairs found room: %ld", allocations);
    cr_expect(poise_world_contact_count(world) == 32);
    poise_world_destroy(world);
    cr_expect(host.live_blocks == 0 && host.live_bytes == 0);
}

Test(world, a_settled_world_allocates_nothing_and_gives_all_back) {
    expect_no_allocations(POISE_STEP_ODE, 3);
    // plus the stepper, its structure and the arrays of a step
    expect_no_allocations(POISE_STEP_EXACT, 13);
}

// Runs a world in which allocation `failing` fails. The first `needed` allocations make the world;
// allocation `watching` is for the body.
static void survive_short_memory(PoiseStepKind stepper, long failing, long needed) {
    const long watching = needed + 3;
    TestHost host = {.fail_in = failing};
    PoiseWorldDef def = poise_default_world_def();
    def.stepper = stepper;
    def.host = test_host(&host);
    PoiseWorld* world = poise_world_create(&def);
    cr_expect((world == NULL) == (failing <= needed));
    if (world) {
        poise_world_add_ground(world, 0.0);
        dBodyID box = world_cube(world, NULL, 0.5, poise_vec3(0.0, 0.0, 0.25));
        PoiseStatus status = poise_world_watch(world, box);
        // the allocations before this one are for contact records and pairs, and are tried again at
        // the first contact
        cr_expect(status == (failing == watching ? POISE_ERROR_OUT_OF_MEMORY : POISE_OK));
        status = poise_world_step(world, 0.005);
        cr_expect(status == POISE_OK ||
                  (stepper == POISE_STEP_EXACT && status == POISE_ERROR_OUT_OF_MEMORY));
        world_run(world, DT, 50); // contacts without a record still hold the box
        EXPECT_NEAR(dBodyGetPosition(box)[2], 0.25, 1e-2);
    }
    poise_world_destroy(world);
    cr_expect(host.live_blocks == 0);
}

Test(world, short_memory_is_survived) {
    for (long n = 1; n <= 20; n++) {
        survive_short_memory(POISE_STEP_ODE, n, 1);
        survive_short_memory(POISE_STEP_EXACT, n, 3);
    }
}

// A heap has more contacts than the first records.
Test(world, records_of_contacts_grow) {
    PoiseWorld* world = world_make();
    poise_world_add_ground(world, 0.0);
    for (int i = 0; i < 100; i++) {
        world_cube(world, NULL, 0.5, poise_vec3(i, 0.0, 0.25));
    }
    world_run(world, DT, 2);
    cr_expect_eq(poise_world_contact_count(world), 400);
    PoiseContact last;
    cr_assert_eq(poise_world_contact(world, 399, &last), POISE_OK);
    cr_expect_gt(poise_length(last.force), 0.0);
    poise_world_destroy(world);
}

// More pairs of geoms than most_contacts: the step is refused.
Test(world, more_pairs_than_contacts_may_be_make_no_step) {
    PoiseWorldDef def = poise_default_world_def();
    def.most_contacts = 4;
    PoiseWorld* world = poise_world_create(&def);
    for (int i = 0; i < 4; i++) {
        world_cube(world, NULL, 0.5, poise_vec3(0.01 * i, 0.0, 5.0));
    }
    cr_expect_eq(poise_world_step(world, DT), POISE_ERROR_OUT_OF_MEMORY);
    cr_expect(poise_world_is_crowded(world) && poise_world_contact_count(world) == 0);
    poise_world_destroy(world);
}

// ODE's contacts of two meshes diverge: they make none.
Test(world, a_mesh_lies_on_the_ground_and_goes_through_another) {
    static const dReal corners[] = {-0.2, -0.2, 0.0, 0.2, -0.2, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.3};
    static const dTriIndex faces[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    PoiseWorld* world = world_make();
    poise_world_add_ground(world, 0.0);
    dTriMeshDataID data = dGeomTriMeshDataCreate();
    dGeomTriMeshDataBuildSimple(data, corners, 4, faces, 12);
    dBodyID bodies[2];
    for (int i = 0; i < 2; i++) {
        dMass mass;
        dMassSetBoxTotal(&mass, 1.0, 0.3, 0.3, 0.3);
        bodies[i] = dBodyCreate(poise_world_ode(world));
        dBodySetMass(bodies[i], &mass);
        dBodySetPosition(bodies[i], 0.0, 0.0, i == 0 ? -0.01 : 0.05);
        dGeomSetBody(dCreateTriMesh(poise_world_space(world), data, NULL, NULL, NULL), bodies[i]);
    }
    world_run(world, DT, 1);
    cr_expect_gt(poise_world_contact_count(world), 0);
    for (int i = 0; i < poise_world_contact_count(world); i++) {
        PoiseContact contact;
        cr_assert_eq(poise_world_contact(world, i, &contact), POISE_OK);
        cr_expect_null(contact.second, "two meshes touch");
    }
    poise_world_destroy(world);
    dGeomTriMeshDataDestroy(data);
}

Test(world, worlds_come_and_go_in_any_order) {
    PoiseWorld* a = world_make();
    PoiseWorld* b = world_make();
    poise_world_destroy(a);
    world_run(b, DT, 2);
    PoiseWorld* c = world_make();
    poise_world_destroy(b);
    world_run(c, DT, 2);
    poise_world_destroy(c);
    a = world_make();
    world_run(a, DT, 2);
    poise_world_destroy(a);
}

// A step with more than most_contacts is refused: contacts of thousands of bodies in one place took
// gigabytes.
Test(world, more_contacts_than_may_be_make_no_step) {
    TestHost host = {0};
    PoiseWorldDef def = poise_default_world_def();
    def.host = test_host(&host);
    def.most_contacts = 4;
    PoiseWorld* world = poise_world_create(&def);
    poise_world_add_ground(world, 0.0);
    dBodyID one = world_cube(world, NULL, 0.5, poise_vec3(0.0, 0.0, 0.25));
    world_run(world, DT, 1);
    cr_expect(poise_world_contact_count(world) > 0 && !poise_world_is_crowded(world));
    dBodyID two = world_cube(world, NULL, 0.5, poise_vec3(2.0, 0.0, 0.25));
    const dReal height = dBodyGetPosition(one)[2];
    const int messages = host.messages;
    for (int i = 0; i < 3; i++) {
        cr_expect(poise_world_step(world, 0.01) == POISE_ERROR_OUT_OF_MEMORY);
        cr_expect(poise_world_is_crowded(world) && poise_world_contact_count(world) == 0);
    }
    cr_expect_eq(host.messages, messages + 1, "said once");
    cr_expect(dBodyGetPosition(one)[2] == height);
    // the world steps again as soon as there are fewer
    dBodySetPosition(two, 2.0, 0.0, 5.0);
    world_run(world, DT, 1);
    cr_expect(!poise_world_is_crowded(world) && poise_world_contact_count(world) == 4);
    poise_world_destroy(world);
    cr_expect(host.live_blocks == 0);
}

// Lets a chain of ten hinges fall. After some steps its axes are set again. Returns the place of
// its end.
static PoiseVec3 fall_with_new_axes(PoiseStepKind stepper, bool renewed) {
    enum { LINKS = 10 };
    PoiseWorldDef def = poise_default_world_def();
    def.stepper = stepper;
    PoiseWorld* world = poise_world_create(&def);
    dJointID joints[LINKS];
    dBodyID before = NULL;
    for (int i = 0; i < LINKS; i++) {
        dBodyID body = world_cube(world, NULL, 0.1, poise_vec3(0.3 * i + 0.15, 0.0, 3.0));
        joints[i] = dJointCreateHinge(poise_world_ode(world), NULL);
        dJointAttach(joints[i], body, before);
        dJointSetHingeAnchor(joints[i], 0.3 * i, 0.0, 3.0);
        dJointSetHingeAxis(joints[i], 0.0, 1.0, 0.0);
        before = body;
    }
    world_run(world, DT, 40);
    for (int i = 0; i < LINKS; i++) {
        dJointSetHingeAxis(joints[i], 0.0, 0.8, i % 2 == 0 ? 0.6 : -0.6);
    }
    if (renewed) {
        poise_world_renew(world);
    }
    world_run(world, DT, 40);
    const dReal* at = dBodyGetPosition(before);
    const PoiseVec3 place = poise_vec3(at[0], at[1], at[2]);
    poise_world_destroy(world);
    return place;
}

// After poise_world_renew the exact stepper takes changed axes of joints in the next step, as
// dWorldStep does. Without that call it steps with the old axes.
Test(world, a_renewed_world_reads_joints_that_were_set_anew) {
    const PoiseVec3 expected = fall_with_new_axes(POISE_STEP_ODE, false);
    const PoiseVec3 renewed = fall_with_new_axes(POISE_STEP_EXACT, true);
    const PoiseVec3 stale = fall_with_new_axes(POISE_STEP_EXACT, false);
    EXPECT_NEAR3(renewed, expected, 1e-8);
    cr_expect_gt(poise_length(poise_sub(stale, expected)), 1e-3);
}
