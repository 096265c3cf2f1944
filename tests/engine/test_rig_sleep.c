// SPDX-License-Identifier: MIT
// Bodies that ODE has put to sleep: changes that wake them, and changes that do not.
#include <criterion/criterion.h>

#include "mechanism.h"
#include "near.h"

static const double STEP = 0.01;
static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};

static void let_sleep(Mechanism* m) {
    dWorldSetAutoDisableFlag(m->world, 1);
    for (int i = 0; i < m->body_count; i++) {
        dBodySetAutoDisableFlag(m->bodies[i], 1);
    }
    mechanism_run(m, STEP, 300);
}

static int awake(const Mechanism* m) {
    int count = 0;
    for (int i = 0; i < m->body_count; i++) {
        count += dBodyIsEnabled(m->bodies[i]) != 0;
    }
    return count;
}

Test(rig_sleep, a_sleeping_island_wakes_when_its_goal_moves_and_only_then) {
    for (int kind = POISE_NODE_HINGE; kind <= POISE_NODE_BALL; kind++) {
        for (int r = 0; r < 2; r++) {
            ChainDef def = chain_def((PoiseNodeKind)kind, 3, 1e4, 1e3);
            def.reference = r == 0 ? POISE_REFERENCE_OWN : POISE_REFERENCE_MEASURED;
            const bool slides = kind == POISE_NODE_SLIDER;
            def.gravity = slides ? no_gravity : poise_vec3(0.0, -9.81, 0.0);
            Mechanism m;
            chain_open(&m, &def);
            const PoiseVec3 tip = mechanism_tip(&m);
            let_sleep(&m);
            cr_expect_eq(awake(&m), 0, "kind %d, reference %d: %d awake", kind, r, awake(&m));
            const uint64_t asleep = mechanism_hash(&m);
            // look in each step: a woken body falls asleep again after ten
            int woken = 0;
            for (int i = 0; i < 100; i++) {
                mechanism_step(&m, STEP);
                woken += awake(&m);
            }
            cr_expect_eq(woken, 0, "kind %d, reference %d: woken by nothing", kind, r);
            cr_expect_eq(mechanism_hash(&m), asleep);
            PoiseVec3 displacement =
                slides ? poise_vec3(0.0, 0.0, 0.3) : poise_vec3(0.5, -0.5, 0.0);
            mechanism_goal(&m, poise_add(tip, displacement));
            mechanism_step(&m, STEP);
            cr_expect_eq(awake(&m), 3, "kind %d, reference %d: %d of 3 woke", kind, r, awake(&m));
            mechanism_run(&m, STEP, 600);
            cr_expect_leq(mechanism_error(&m), 1e-2);
            mechanism_close(&m);
        }
    }
}

// A new spring, limit or natural angle acts on a sleeping joint too.
Test(rig_sleep, a_sleeping_joint_wakes_when_its_springs_are_changed) {
    PoiseBindDef like = mechanism_springs(1e3, 1e2);
    like.original.stiffness = 1e3;
    like.original.damping = 1e2;
    Mechanism m;
    PoiseNodeId node = mechanism_bar(&m, POISE_REFERENCE_OWN, &like);
    mechanism_goal(&m, poise_vec3(0.0, 1.0, 0.0));
    mechanism_run(&m, STEP, 300);
    let_sleep(&m);
    cr_assert_eq(awake(&m), 0);
    const PoiseSpring soft = {100.0, 50.0};
    cr_assert_eq(poise_rig_set_original(m.rig, node, soft), POISE_OK);
    mechanism_run(&m, STEP, 300);
    EXPECT_NEAR(dJointGetHingeAngle(m.joints[0]), 0.5 * 3.14159265358979323846 * 1000.0 / 1100.0,
                1e-2);
    mechanism_close(&m);
}
