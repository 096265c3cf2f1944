// SPDX-License-Identifier: MIT
// If ODE lacks memory for a step, the step does not count: in a world made by Poise, and for a rig
// in a world of the user.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "mechanism.h"
#include "poise/world.h"

enum { LINKS = 200 };

static const double DT = 0.01;

// ------------------------------------------------------------------------------- memory that ends

// ODE's hooks get no pointer of ours; each test is a process of its own.
static bool memory_ends;
// Only a step of 200 joints requests this much memory at once, bytes.
static const size_t MUCH = 200000;

static void* give(dsizeint size) {
    return memory_ends && size > MUCH ? NULL : malloc(size);
}

static void* give_again(void* memory, dsizeint old_size, dsizeint size) {
    (void)old_size;
    return memory_ends && size > MUCH ? NULL : realloc(memory, size);
}

typedef struct Hanging {
    TestHost host;
    PoiseWorld* world;
    dBodyID bodies[LINKS];
} Hanging;

static void hang(Hanging* hanging, int quick_iterations) {
    memset(hanging, 0, sizeof *hanging);
    dSetAllocHandler(give);
    dSetReallocHandler(give_again);
    PoiseWorldDef def = poise_default_world_def();
    // the exact step requests so little memory of ODE that it would not fail
    def.stepper = POISE_STEP_ODE;
    def.quick_iterations = quick_iterations;
    def.host = test_host(&hanging->host);
    hanging->world = poise_world_create(&def);
    cr_assert_not_null(hanging->world);
    dWorldID ode = poise_world_ode(hanging->world);
    for (int i = 0; i < LINKS; i++) {
        dBodyID body = dBodyCreate(ode);
        dBodySetPosition(body, 0.1 * i, 0.0, 10.0);
        cr_assert_eq(poise_world_watch(hanging->world, body), POISE_OK);
        dJointID joint = dJointCreateHinge(ode, 0);
        dJointAttach(joint, body, i > 0 ? hanging->bodies[i - 1] : NULL);
        dJointSetHingeAnchor(joint, 0.1 * i, 0.0, 10.0);
        dJointSetHingeAxis(joint, 0.0, 1.0, 0.0);
        hanging->bodies[i] = body;
    }
}

static uint64_t hash(const Hanging* hanging) {
    return poise_state_hash(hanging->bodies, LINKS);
}

// After memory is available again, the motion is that of a run without failures: the failed steps
// changed nothing.
Test(lost_steps, a_world_without_memory_says_so_and_stays_as_it_is) {
    for (int iterations = 0; iterations <= 20; iterations += 20) {
        Hanging with;
        Hanging without;
        memory_ends = false;
        hang(&without, iterations);
        hang(&with, iterations);
        uint64_t start = hash(&with);
        memory_ends = true;
        for (int i = 0; i < 5; i++) {
            cr_expect_eq(poise_world_step(with.world, DT), POISE_ERROR_OUT_OF_MEMORY,
                         "%d iterations, step %d", iterations, i);
        }
        memory_ends = false;
        cr_expect_eq(hash(&with), start, "%d iterations", iterations);
        cr_expect_eq(with.host.messages, 1, "once: %d", with.host.messages);
        cr_expect(strstr(with.host.last_message, "memory"), "%s", with.host.last_message);
        for (int i = 0; i < 5; i++) {
            cr_expect_eq(poise_world_step(with.world, DT), POISE_OK);
            cr_expect_eq(poise_world_step(without.world, DT), POISE_OK);
        }
        cr_expect_neq(hash(&with), start);
        cr_expect_eq(hash(&with), hash(&without), "%d iterations", iterations);
        poise_world_destroy(with.world);
        poise_world_destroy(without.world);
    }
}

// ------------------------------------------------------------------------- a world of the user's

static void open_arm(Mechanism* m, PoiseNodeKind kind, double gravity) {
    ChainDef def = chain_def(kind, 7, 500.0, 50.0);
    def.scale = 0.3;
    def.gravity = poise_vec3(0.0, gravity, 0.0);
    chain_open(m, &def);
    // sliders move along z only
    mechanism_goal(m, poise_vec3(0.9, 1.2, kind == POISE_NODE_SLIDER ? 0.3 : 0.0));
    m->host.messages = 0;
}

static const PoiseNodeKind kinds[] = {POISE_NODE_HINGE, POISE_NODE_SLIDER, POISE_NODE_BALL};

// The world starts at rest, or in motion.
Test(lost_steps, an_update_reports_that_the_world_was_not_stepped) {
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        for (int before = 0; before <= 50; before += 50) {
            Mechanism m;
            PoiseRigReport report;
            open_arm(&m, kinds[k], -9.81);
            for (int i = 0; i < before; i++) {
                cr_assert_eq(poise_rig_update(m.rig, DT, &report), POISE_OK);
                cr_expect_not(report.unstepped, "kind %d: step %d", kinds[k], i);
                dWorldStep(m.world, DT);
            }
            // a single update without a step is allowed; the loop makes two series, so that the
            // warning comes again
            for (int i = 0; i < 10; i++) {
                const int unstepped = i % 5;
                const PoiseStatus status = poise_rig_update(m.rig, DT, &report);
                cr_expect(status == report.status && report.unstepped == unstepped &&
                              status == (unstepped > 1 ? POISE_DEGRADED : POISE_OK),
                          "kind %d, %d before, %d: %s, %d", kinds[k], before, i,
                          poise_status_name(status), report.unstepped);
                cr_expect_eq(m.host.messages, i / 5 + (unstepped > 1), "once: %d", m.host.messages);
                if (unstepped == 4) {
                    dWorldStep(m.world, DT);
                }
            }
            cr_expect(strstr(m.host.last_message, "step"), "%s", m.host.last_message);
            mechanism_close(&m);
        }
    }
}

// At rest at its target, without weight, a rig asks for no torque, so a missing torque is no sign
// of a missing step.
Test(lost_steps, a_rig_at_rest_is_not_reported_as_unstepped) {
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        Mechanism m;
        PoiseRigReport report;
        open_arm(&m, kinds[k], 0.0);
        for (int i = 0; i < 4000; i++) {
            cr_assert_geq(poise_rig_update(m.rig, DT, &report), 0);
            cr_assert_not(report.unstepped, "kind %d: step %d", kinds[k], i);
            dWorldStep(m.world, DT);
        }
        // asleep: ODE skips the bodies
        for (int i = 0; i < m.body_count; i++) {
            dBodyDisable(m.bodies[i]);
        }
        for (int i = 0; i < 10; i++) {
            cr_assert_geq(poise_rig_update(m.rig, DT, &report), 0);
            cr_assert_not(report.unstepped, "kind %d: asleep", kinds[k]);
            dWorldStep(m.world, DT);
        }
        mechanism_close(&m);
    }
}
