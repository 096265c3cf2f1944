// SPDX-License-Identifier: MIT
// The features of a rig with one kind of joint: loads, snapshots, bases, import.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "feature_checks.h"
#include "mechanism.h"
#include "near.h"
#include "poise/snapshot.h"

static const double DT = 0.005;

// Returns the distance to the goal under an unknown load, with or without the integral.
static double off_under_load(const KindCase* kind, double integral) {
    KindDef def = kind_def(kind, 1, 50.0);
    KindChain chain;
    kind_open(&chain, &def);
    RIG_SET(chain.m.rig, integral, integral);
    RIG_SET(chain.m.rig, integral_most, 1.0);
    for (int step = 0; step < 4000; step++) {
        mechanism_step(&chain.m, DT);
        // no joint keeps a translation node's body from turning
        const double arm = chain.kind->kind == POISE_NODE_TRANSLATION ? 0.0 : 0.1;
        dBodyAddForceAtRelPos(chain.links[0], 0.3, 0.5, 1.0, 2.0 * arm, arm, arm);
    }
    const double off = kind_off(&chain, 0, NULL);
    kind_close(&chain);
    return off;
}

void check_integral(const KindCase* kind) {
    const double without = off_under_load(kind, 0.0);
    const double with = off_under_load(kind, 1.0);
    cr_expect_gt(without, 1e-3, "%s: the load moves it by %g only", kind->name, without);
    cr_expect_lt(with, 0.02 * without, "%s: %g left of %g", kind->name, with, without);
}

void check_limit(const KindCase* kind) {
    const double limit = 2.0;
    KindDef def = kind_def(kind, 1, 100.0);
    def.like.torque_limit = def.like.force_limit = limit;
    KindChain chain;
    kind_open(&chain, &def);
    double natural[POISE_MAX_NQ];
    kind_posture(chain.type, 0.8, natural);
    kind_set_natural(&chain, 0, natural);
    int saturated = 0;
    double most = 0.0;
    for (int step = 0; step < 50; step++) {
        saturated += mechanism_step(&chain.m, DT).saturated;
        const PoiseJointReading reading = kind_read(&chain, 0);
        for (int d = 0; d < chain.type->nv; d++) {
            most = fmax(most, fabs(reading.torque[d]));
        }
    }
    cr_expect_gt(saturated, 0, "%s: never at its limit", kind->name);
    // ODE's drift leaves the axes a little off the right angle
    cr_expect_leq(most, limit * (1.0 + 1e-3), "%s: gave %g", kind->name, most);
    kind_close(&chain);
}

// Returns the displacement of two bent joints under their weight.
static double sag(const KindCase* kind, bool fed) {
    KindDef def = kind_def(kind, kind->lone ? 1 : 2, 200.0);
    double bent[POISE_MAX_NQ];
    kind_posture(poise_joint_type(kind->kind), 0.4, bent);
    def.posture = bent;
    def.gravity = 9.81;
    KindChain chain;
    kind_open(&chain, &def);
    RIG_SET(chain.m.rig, gravity, fed);
    double start[2][POISE_MAX_NQ];
    for (int i = 0; i < chain.count; i++) {
        cr_assert_eq(poise_node_posture(chain.m.tree, chain.nodes[i], start[i]), chain.type->nq);
        kind_set_natural(&chain, i, start[i]);
    }
    mechanism_run(&chain.m, DT, 5000);
    const int last = chain.count - 1;
    const double off = fmax(kind_off(&chain, 0, start[0]), kind_off(&chain, last, start[last]));
    kind_close(&chain);
    return off;
}

void check_gravity(const KindCase* kind) {
    const double fed = sag(kind, true);
    const double unfed = sag(kind, false);
    cr_expect_gt(unfed, 1e-3, "%s: does not sag", kind->name);
    cr_expect_lt(fed, 1e-5, "%s: sags by %g, by %g where nothing is fed forward", kind->name, fed,
                 unfed);
}

// True if ODE accepts the world on both sides of a joint of this kind: (0, body) and (body, 0).
static bool may_be_grounded(const KindCase* kind) {
    return kind->kind == POISE_NODE_HINGE || kind->kind == POISE_NODE_SLIDER ||
           kind->kind == POISE_NODE_UNIVERSAL || kind->kind == POISE_NODE_BALL;
}

// Imports a chain in a moved posture, attached in both orders, on a base and on the environment.
// Checks that the tree has the bodies' posture, in the sense of the child's motion.
void check_import(const KindCase* kind) {
    double posture[POISE_MAX_NQ];
    kind_posture(poise_joint_type(kind->kind), 0.3, posture);
    for (int order = 0; order < (may_be_grounded(kind) ? 4 : 2); order++) {
        KindDef def = kind_def(kind, 2, 100.0);
        def.posture = posture;
        def.child_first = order % 2 == 1;
        def.grounded = order >= 2;
        if (order == 1 && kind->parent_first) {
            continue;
        }
        KindChain chain;
        kind_open(&chain, &def);
        const PoiseJointType* type = chain.type;
        for (int i = 0; i < 2; i++) {
            double is[POISE_MAX_NQ];
            double off[POISE_MAX_NV];
            cr_expect_eq(poise_node_kind(chain.m.tree, chain.nodes[i]), kind->kind);
            cr_assert_eq(poise_node_posture(chain.m.tree, chain.nodes[i], is), type->nq);
            poise_joint_difference(type, is, posture, off);
            for (int d = 0; d < type->nv && kind->kind != POISE_NODE_BALL; d++) {
                cr_expect(fabs(off[d]) < 1e-9, "%s, order %d, joint %d, velocity %d: off by %g",
                          kind->name, order, i, d, off[d]);
            }
        }
        // the tree's frames are those of the bodies
        cr_assert_eq(poise_forward(chain.m.tree), POISE_OK);
        EXPECT_NEAR3(poise_node_link_world(chain.m.tree, chain.nodes[1]).p,
                     body_place(chain.links[1]), 1e-9);
        kind_close(&chain);
    }
}

static uint64_t run_on(KindChain* chain) {
    mechanism_run(&chain->m, DT, 60);
    return mechanism_hash(&chain->m);
}

void check_snapshot(const KindCase* kind) {
    KindDef def = kind_def(kind, 2, 100.0);
    def.gravity = 9.81;
    def.like.ik = (PoiseSpring){300.0, 30.0};
    def.like.ik_linear = (PoiseSpring){300.0, 30.0};
    def.like.torque_limit = 20.0;
    KindChain chain;
    kind_open(&chain, &def);
    RIG_SET(chain.m.rig, integral, 1.0);
    RIG_SET(chain.m.rig, integral_most, 0.5);
    (void)mechanism_point(&chain.m, chain.nodes[1], chain.links[1], poise_vec3(2.0, 0.0, 0.0));
    mechanism_goal(&chain.m, poise_vec3(1.5, 0.3, 0.4));
    (void)run_on(&chain);
    PoiseSnapshotDef snapshot = poise_default_snapshot_def();
    snapshot.rigs = &chain.m.rig;
    snapshot.rig_count = 1;
    const size_t size = poise_snapshot_size(&snapshot);
    void* memory = malloc(size);
    cr_assert_eq(poise_snapshot_save(&snapshot, memory, size), POISE_OK);
    const uint64_t first = run_on(&chain);
    cr_assert_eq(poise_snapshot_restore(&snapshot, memory, size), POISE_OK);
    const uint64_t again = run_on(&chain);
    cr_expect_eq(first, again, "%s: other bits after it was restored", kind->name);
    free(memory);
    kind_close(&chain);
}

// Moves and turns the base. Checks that the joint follows.
void check_base(const KindCase* kind) {
    KindDef def = kind_def(kind, 1, 200.0);
    KindChain chain;
    kind_open(&chain, &def);
    for (int step = 0; step < 2000; step++) {
        const bool moves = step < 300;
        dBodySetLinearVel(chain.base, moves ? 0.2 : 0.0, 0.0, moves ? 0.3 : 0.0);
        dBodySetAngularVel(chain.base, 0.0, moves ? 0.4 : 0.0, moves ? 0.5 : 0.0);
        mechanism_step(&chain.m, DT);
    }
    const double off = kind_off(&chain, 0, NULL);
    cr_expect_lt(off, 1e-5, "%s: %g from where it was on its base", kind->name, off);
    cr_expect_gt(poise_length(body_place(chain.links[0])), 0.6, "%s: left behind", kind->name);
    kind_close(&chain);
}

void check_natural(const KindCase* kind) {
    KindDef def = kind_def(kind, 1, 200.0);
    KindChain chain;
    kind_open(&chain, &def);
    for (int side = 0; side < 2; side++) {
        double natural[POISE_MAX_NQ];
        kind_posture(chain.type, side == 0 ? 0.3 : -0.2, natural);
        kind_set_natural(&chain, 0, natural);
        mechanism_run(&chain.m, DT, 2000);
        const double off = kind_off(&chain, 0, natural);
        cr_expect_lt(off, 1e-5, "%s: %g from its natural posture", kind->name, off);
    }
    kind_close(&chain);
}
