// SPDX-License-Identifier: MIT
// Contacts of a world made by Poise: the geoms that touch, and the contact forces.
#include <criterion/criterion.h>
#include <math.h>

#include "mechanism.h"
#include "near.h"

// Length of a step, s; gravity, m/s^2; mass of a cube, kg.
#define DT   0.005
#define G    9.81
#define MASS 2.0

Test(contacts, a_box_falls_freely_then_rests_on_the_ground) {
    PoiseWorld* world = world_make();
    cr_assert(poise_world_add_ground(world, 0.25));
    dBodyID box = world_cube(world, NULL, 0.5, poise_vec3(0.0, 0.0, 1.5));
    world_run(world, DT, 40);
    // the sum of semi-implicit steps: g h^2 n (n + 1) / 2
    EXPECT_NEAR(dBodyGetPosition(box)[2], 1.5 - G * DT * DT * 40.0 * 41.0 / 2.0, 1e-12);
    cr_expect(poise_world_contact_count(world) == 0);
    world_run(world, DT, 960);
    EXPECT_NEAR(dBodyGetPosition(box)[2], 0.5, 1e-4);
    EXPECT_NEAR(dBodyGetLinearVel(box)[2], 0.0, 1e-6);
    cr_expect(poise_world_contact_count(world) == 4, "%d", poise_world_contact_count(world));
    PoiseVec3 force;
    PoiseVec3 torque;
    cr_expect(poise_world_contact_force(world, box, &force, &torque) == POISE_OK);
    EXPECT_NEAR3(force, poise_vec3(0.0, 0.0, MASS * G), 1e-6);
    EXPECT_NEAR3(torque, poise_vec3(0.0, 0.0, 0.0), 1e-6);
    poise_world_destroy(world);
}

Test(contacts, each_contact_point_has_its_place_its_normal_and_its_force) {
    // a box on the ground, another on it: 4 points each, at the corners of their faces
    PoiseWorld* world = world_make();
    cr_assert(poise_world_add_ground(world, 0.25));
    dBodyID low = world_cube(world, NULL, 0.5, poise_vec3(0.0, 0.0, 0.5));
    dBodyID high = world_cube(world, NULL, 0.5, poise_vec3(0.0, 0.0, 1.0));
    world_run(world, DT, 1000);
    cr_assert_eq(poise_world_contact_count(world), 8);
    int on_ground = 0;
    PoiseVec3 given[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < 8; i++) {
        PoiseContact contact;
        cr_assert_eq(poise_world_contact(world, i, &contact), POISE_OK);
        const bool grounded = contact.second == NULL;
        on_ground += grounded;
        EXPECT_NEAR(fabs(contact.place.x), 0.25, 1e-3);
        EXPECT_NEAR(fabs(contact.place.y), 0.25, 1e-3);
        EXPECT_NEAR(contact.place.z, grounded ? 0.25 : 0.75, 1e-3);
        // the normal points into the first body: up if that is the upper body
        const double up = grounded || contact.first == high ? 1.0 : -1.0;
        EXPECT_NEAR3(contact.normal, poise_vec3(0.0, 0.0, up), 1e-6);
        cr_expect_gt(poise_dot(contact.force, contact.normal), 0.0);
        const int first = contact.first == high;
        given[first] = poise_add(given[first], contact.force);
        if (!grounded) {
            cr_expect(contact.first == (first ? high : low));
            given[!first] = poise_sub(given[!first], contact.force);
        }
    }
    cr_expect_eq(on_ground, 4);
    // each body carries its own weight; the sums are those of poise_world_contact_force
    EXPECT_NEAR3(given[0], poise_vec3(0.0, 0.0, MASS * G), 1e-5);
    EXPECT_NEAR3(given[1], poise_vec3(0.0, 0.0, MASS * G), 1e-5);
    for (int k = 0; k < 2; k++) {
        PoiseVec3 force;
        cr_assert_eq(poise_world_contact_force(world, k == 0 ? low : high, &force, NULL), POISE_OK);
        EXPECT_NEAR3(force, given[k], 1e-12);
    }
    poise_world_destroy(world);
}

// Lets a box tumble over tiles. `shuffled`: before that, the tiles were touched in another order.
static uint64_t tumble_over_tiles(bool shuffled) {
    enum { TILES = 9 };
    PoiseWorld* world = world_make();
    dGeomID tiles[TILES];
    for (int i = 0; i < TILES; i++) {
        tiles[i] = dCreateBox(poise_world_space(world), 0.4, 0.21, 0.1);
        dGeomSetPosition(tiles[i], 0.0, 0.2 * i, 0.0);
    }
    dBodyID boxes[3];
    for (int i = 0; i < 3; i++) {
        boxes[i] = world_cube(world, NULL, 0.5, poise_vec3(0.02 * i, 0.3 + 0.5 * i, 0.5));
        dBodySetAngularVel(boxes[i], 0.2, 0.1, 0.3 * i);
    }
    world_run(world, DT, 1);
    for (int i = 0; shuffled && i < TILES; i++) {
        int tile = (5 * i + 3) % TILES;
        const dReal* place = dGeomGetPosition(tiles[tile]);
        dGeomSetPosition(tiles[tile], place[0], place[1], place[2]);
        world_run(world, DT, i % 2);
    }
    world_run(world, DT, shuffled ? 300 - TILES / 2 : 300);
    uint64_t hash = poise_state_hash(boxes, 3);
    poise_world_destroy(world);
    return hash;
}

Test(contacts, contacts_depend_on_where_things_are_and_not_on_what_moved_before) {
    cr_expect_eq(tumble_over_tiles(true), tumble_over_tiles(false));
}

Test(contacts, friction_holds_up_to_mu_times_weight) {
    const double mu = 0.5;
    const double pushes[] = {0.9, 1.5};
    for (int p = 0; p < 2; p++) {
        PoiseWorldDef def = poise_default_world_def();
        def.friction = mu;
        PoiseWorld* world = poise_world_create(&def);
        poise_world_add_ground(world, 0.0);
        // a flat box, which does not tip over
        dBodyID box = world_cube(world, NULL, 1.0, poise_vec3(0.0, 0.0, 0.5));
        world_run(world, DT, 200);
        double start = dBodyGetLinearVel(box)[0];
        double force = pushes[p] * mu * MASS * G;
        for (int i = 0; i < 200; i++) {
            // push at the height of the ground: no torque presses on one edge
            dBodyAddForceAtPos(box, force, 0.0, 0.0, dBodyGetPosition(box)[0], 0.0, 0.0);
            world_run(world, DT, 1);
        }
        double slides = pushes[p] > 1.0 ? (pushes[p] - 1.0) * mu * G * 200.0 * DT : 0.0;
        EXPECT_NEAR(dBodyGetLinearVel(box)[0] - start, slides, 0.02);
        PoiseVec3 given;
        cr_expect(poise_world_contact_force(world, box, &given, NULL) == POISE_OK);
        EXPECT_NEAR(given.x, -fmin(force, mu * MASS * G), 1e-3);
        poise_world_destroy(world);
    }
}

Test(contacts, restitution_gives_speed_back) {
    const double restitutions[] = {0.0, 0.5, 1.0};
    for (int r = 0; r < 3; r++) {
        PoiseWorldDef def = poise_default_world_def();
        def.restitution = restitutions[r];
        PoiseWorld* world = poise_world_create(&def);
        poise_world_add_ground(world, 0.0);
        dBodyID box = world_cube(world, NULL, 0.2, poise_vec3(0.0, 0.0, 1.0));
        double down = 0.0, up = 0.0;
        for (int i = 0; i < 300; i++) {
            world_run(world, DT, 1);
            double speed = dBodyGetLinearVel(box)[2];
            down = fmax(down, -speed);
            up = fmax(up, speed);
        }
        EXPECT_NEAR(up / down, restitutions[r], 0.05);
        poise_world_destroy(world);
    }
}

Test(contacts, without_contacts_bodies_fall_through) {
    PoiseWorldDef def = poise_default_world_def();
    def.contacts = false;
    PoiseWorld* world = poise_world_create(&def);
    poise_world_add_ground(world, 0.0);
    dBodyID box = world_cube(world, NULL, 0.5, poise_vec3(0.0, 0.0, 0.25));
    world_run(world, DT, 100);
    cr_expect(dBodyGetPosition(box)[2] < -0.9);
    poise_world_destroy(world);
}

static int contacts_of_two(bool joined, bool grouped, bool kinematic) {
    PoiseWorldDef def = poise_default_world_def();
    def.gravity = poise_vec3(0.0, 0.0, 0.0);
    PoiseWorld* world = poise_world_create(&def);
    dSpaceID space = grouped ? poise_world_add_group(world) : poise_world_space(world);
    dBodyID a = world_cube(world, space, 0.5, poise_vec3(0.0, 0.0, 0.0));
    dBodyID b = world_cube(world, space, 0.5, poise_vec3(0.45, 0.0, 0.0));
    if (joined) {
        dJointID joint = dJointCreateBall(poise_world_ode(world), NULL);
        dJointAttach(joint, a, b);
        dJointSetBallAnchor(joint, 0.2, 0.0, 0.0);
    }
    if (kinematic) {
        dBodySetKinematic(a);
        dBodySetKinematic(b);
    }
    world_run(world, DT, 1);
    int count = poise_world_contact_count(world);
    poise_world_destroy(world);
    return count;
}

Test(contacts, joined_grouped_and_immovable_bodies_do_not_touch) {
    cr_expect(contacts_of_two(false, false, false) > 0);
    cr_expect(contacts_of_two(true, false, false) == 0);
    cr_expect(contacts_of_two(false, true, false) == 0);
    cr_expect(contacts_of_two(false, false, true) == 0);
}

Test(contacts, two_groups_and_the_ground_touch_each_other) {
    PoiseWorld* world = world_make();
    poise_world_add_ground(world, 0.0);
    dSpaceID robot = poise_world_add_group(world);
    dSpaceID other = poise_world_add_group(world);
    dBodyID low = world_cube(world, robot, 0.5, poise_vec3(0.0, 0.0, 0.25));
    dBodyID inside = world_cube(world, robot, 0.3, poise_vec3(0.1, 0.0, 0.15));
    dBodyID high = world_cube(world, other, 0.4, poise_vec3(0.0, 0.0, 0.75));
    world_run(world, DT, 1000);
    EXPECT_NEAR(dBodyGetPosition(low)[2], 0.25, 1e-3);
    EXPECT_NEAR(dBodyGetPosition(inside)[2], 0.15, 1e-3);
    EXPECT_NEAR(dBodyGetPosition(high)[2], 0.7, 1e-3);
    poise_world_destroy(world);
}
