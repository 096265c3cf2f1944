// SPDX-License-Identifier: MIT
// Several rigs in one world; a tree has only one rig.
#include <criterion/criterion.h>
#include <string.h>

#include "mechanism.h"

static const double STEP = 0.01;

Test(rigs, a_tree_has_one_rig_at_a_time) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, 0.0), POISE_REFERENCE_OWN);
    const PoiseRigDef def = mechanism_rig_def(&m);
    cr_expect_null(poise_rig_create(&def));
    cr_expect(strstr(m.host.last_message, "another rig"), "%s", m.host.last_message);
    // after the first rig is destroyed the tree may have another
    poise_rig_destroy(m.rig);
    m.rig = poise_rig_create(&def);
    cr_expect_not_null(m.rig);
    mechanism_close(&m);
}

// Two arms of two trees and rigs in one world: neither depends on the other, in either order of
// updates.
Test(rigs, two_rigs_in_one_world_do_as_two_worlds_would) {
    uint64_t alone[2];
    for (int which = 0; which < 2; which++) {
        Mechanism m;
        ChainDef chain = chain_def(which ? POISE_NODE_BALL : POISE_NODE_HINGE, 4, 1000.0, 50.0);
        chain_open(&m, &chain);
        mechanism_goal(&m, poise_vec3(1.5, 2.0, which ? 0.5 : 0.0));
        mechanism_run(&m, 0.01, 300);
        alone[which] = mechanism_hash(&m);
        mechanism_close(&m);
    }
    for (int order = 0; order < 2; order++) {
        Mechanism both[2];
        ChainDef chain = chain_def(POISE_NODE_HINGE, 4, 1000.0, 50.0);
        chain_open(&both[0], &chain);
        mechanism_goal(&both[0], poise_vec3(1.5, 2.0, 0.0));
        mechanism_open_in(&both[1], &both[0]);
        chain.kind = POISE_NODE_BALL;
        chain_build(&both[1], &chain);
        mechanism_goal(&both[1], poise_vec3(1.5, 2.0, 0.5));
        for (int step = 0; step < 300; step++) {
            cr_assert_eq(poise_rig_update(both[order].rig, 0.01, NULL), POISE_OK);
            cr_assert_eq(poise_rig_update(both[1 - order].rig, 0.01, NULL), POISE_OK);
            dWorldStep(both[0].world, 0.01);
        }
        cr_expect_eq(mechanism_hash(&both[0]), alone[0]);
        cr_expect_eq(mechanism_hash(&both[1]), alone[1]);
        mechanism_close(&both[1]);
        mechanism_close(&both[0]);
    }
}

enum { CROWD = 8, GONE = 2, MANY = 4, NONE = 5, EMPTY = 7 };

// Runs chains in separate worlds: a rig with many joints, a rig without its tree, NULL, and a rig
// without joints. Returns the hash of each one's bodies.
static void run_crowd(bool together, uint64_t hashes[CROWD]) {
    static const PoiseNodeKind kinds[] = {POISE_NODE_HINGE, POISE_NODE_BALL, POISE_NODE_SLIDER};
    Mechanism crowd[CROWD];
    PoiseRig* rigs[CROWD];
    for (int i = 0; i < CROWD; i++) {
        ChainDef chain =
            chain_def(kinds[i % 3], i == MANY ? MECHANISM_BODIES : 3 + i, 1000.0, 50.0);
        if (i == EMPTY) {
            mechanism_open(&crowd[i], chain.gravity, chain.reference);
        } else {
            chain_open(&crowd[i], &chain);
            mechanism_goal(&crowd[i], poise_vec3(1.0, 1.5 + 0.1 * i, 0.0));
        }
        rigs[i] = i == NONE ? NULL : crowd[i].rig;
    }
    poise_tree_destroy(crowd[GONE].tree);
    crowd[GONE].tree = NULL;
    for (int step = 0; step < 200; step++) {
        PoiseStatus statuses[CROWD];
        if (together) {
            cr_assert_lt(poise_rigs_update(rigs, CROWD, STEP, statuses), POISE_OK);
        }
        for (int i = 0; i < CROWD; i++) {
            const PoiseStatus status =
                together ? statuses[i] : poise_rig_update(rigs[i], STEP, NULL);
            const PoiseStatus expected = i == GONE    ? POISE_ERROR_GONE
                                         : i == NONE  ? POISE_ERROR_INVALID_ARGUMENT
                                         : i == EMPTY ? POISE_DEGRADED
                                                      : POISE_OK;
            cr_assert_eq(status, expected, "rig %d", i);
            dWorldStep(crowd[i].world, STEP);
        }
    }
    cr_expect_eq(poise_rigs_update(&rigs[EMPTY], 1, STEP, NULL), POISE_DEGRADED);
    for (int i = 0; i < CROWD; i++) {
        hashes[i] = mechanism_hash(&crowd[i]);
        mechanism_close(&crowd[i]);
    }
}

// Prefetching the next rig changes nothing, and an error of one rig stops none.
Test(rigs, many_updates_in_one_call_are_those_one_by_one) {
    uint64_t alone[CROWD];
    uint64_t together[CROWD];
    run_crowd(false, alone);
    run_crowd(true, together);
    cr_expect_eq(memcmp(alone, together, sizeof alone), 0);
    cr_expect_neq(alone[0], alone[3]);
}
