// SPDX-License-Identifier: MIT
// Snapshots of worlds and rigs with one forged number and correct checksums: each is refused, or
// the rig can be updated and the world stepped.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "forge.h"
#include "mechanism.h"
#include "poise/snapshot.h"
#include "poise/stance.h"
#include "sample.h"

static const double DT = 0.01;

typedef struct Trial {
    Mechanism m;
    PoiseSnapshotDef def;
    uint64_t starts[2]; ///< starts of the snapshot and of the tree in it
    size_t size;
    unsigned char* good;
    unsigned char* forged;
    long refused;
    long taken;
} Trial;

// Opens a floating box on a stance, with a ball in its cone, a universal joint, a hinge and a
// slider.
static void open_mechanism(Mechanism* m) {
    static const PoiseNodeKind kinds[] = {POISE_NODE_BALL, POISE_NODE_HINGE, POISE_NODE_SLIDER};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    const PoiseVec3 size = poise_vec3(0.2, 0.2, 0.4);
    mechanism_open(m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    dBodyID below = mechanism_box(m, poise_vec3(0.0, 0.0, 0.2), size, 4.0);
    PoiseBindDef like = mechanism_springs(500.0, 20.0);
    cr_assert_neq(poise_rig_add_base(m->rig, below, &like).index1, 0);
    double z = 0.4;
    for (int i = 0; i < KINDS; i++) {
        dBodyID body = mechanism_box(m, poise_vec3(0.0, 0.0, z + 0.2), size, 1.0);
        (void)mechanism_join(m, kinds[i], below, body,
                             pivot(poise_vec3(0.0, 0.0, z), poise_vec3(1.0, 0.0, 0.0)));
        below = body;
        z += 0.4;
    }
    dBodyID last = mechanism_box(m, poise_vec3(0.0, 0.0, z + 0.2), size, 1.0);
    (void)mechanism_universal(m->world, below, last, last, z);
    (void)mechanism_weld(m, mechanism_box(m, poise_vec3(0.0, 0.0, z), size, 0.1), last);
    cr_assert_eq(poise_rig_import(m->rig, m->bodies[0], &like), KINDS + 1, "%s",
                 poise_rig_message(m->rig));
    const PoiseNodeId ball = poise_rig_node_of_body(m->rig, m->bodies[1]);
    cr_assert_eq(poise_node_set_limits(m->tree, ball, poise_cone(0.3, -0.2, 0.2)), POISE_OK);
    (void)mechanism_point(m, poise_rig_node_of_body(m->rig, last), last,
                          poise_vec3(0.0, 0.0, z + 0.4));
    mechanism_goal(m, poise_vec3(0.3, 0.2, z));
    PoiseStanceDef stance = poise_default_stance_def();
    stance.point = mechanism_point(m, poise_rig_node_of_body(m->rig, m->bodies[0]), m->bodies[0],
                                   poise_vec3(0.0, 0.0, 0.0));
    cr_assert_eq(poise_rig_add_stance(m->rig, &stance), POISE_OK, "%s", poise_rig_message(m->rig));
}

static void open_trial(Trial* trial) {
    memset(trial, 0, sizeof *trial);
    open_mechanism(&trial->m);
    mechanism_run(&trial->m, DT, 3);
    trial->def = poise_default_snapshot_def();
    trial->def.rigs = &trial->m.rig;
    trial->def.rig_count = 1;
    trial->def.bodies = trial->m.bodies;
    trial->def.body_count = 1;
    trial->def.joints = trial->m.joints;
    trial->def.joint_count = 2;
    trial->size = poise_snapshot_size(&trial->def);
    trial->good = malloc(trial->size);
    trial->forged = malloc(trial->size);
    cr_assert_eq(poise_snapshot_save(&trial->def, trial->good, trial->size), POISE_OK);
    trial->starts[0] = forge_start(trial->good);
    const size_t tree_size = poise_tree_save_size(trial->m.tree);
    unsigned char* tree = malloc(tree_size);
    cr_assert_eq(poise_tree_save(trial->m.tree, tree, tree_size), POISE_OK);
    trial->starts[1] = forge_start(tree);
    free(tree);
}

static void close_trial(Trial* trial) {
    free(trial->forged);
    free(trial->good);
    mechanism_close(&trial->m);
}

static void try_forged(Trial* trial) {
    Mechanism* m = &trial->m;
    forge_mend(trial->forged, trial->size, trial->starts, 2);
    const PoiseStatus status = poise_snapshot_restore(&trial->def, trial->forged, trial->size);
    trial->refused += status < 0;
    trial->taken += status >= 0;
    if (status >= 0) {
        for (int i = 0; i < m->body_count; i++) {
            cr_assert(poise_is_finite3(body_place(m->bodies[i])), "a body is not finite");
        }
    }
    for (int i = 0; i < 2; i++) {
        // the numbers may be any, so an update may fail
        if (poise_rig_update(m->rig, DT, NULL) >= POISE_OK) {
            dWorldStep(m->world, DT);
        }
    }
    cr_assert_eq(poise_snapshot_restore(&trial->def, trial->good, trial->size), POISE_OK, "%s",
                 poise_rig_message(m->rig));
}

Test(forged, lists_with_nothing_in_them) {
    Trial trial;
    open_trial(&trial);
    dJointID no_joint = NULL;
    PoiseRig* no_rig = NULL;
    dBodyID no_body = NULL;
    PoiseSnapshotDef joints = trial.def, rigs = trial.def, bodies = trial.def;
    joints.joints = &no_joint;
    rigs.rigs = &no_rig;
    bodies.bodies = &no_body;
    joints.joint_count = rigs.rig_count = bodies.body_count = 1;
    const struct {
        const PoiseSnapshotDef* def;
        const char* why;
    } rows[] = {{&joints, "a joint in the list is NULL"},
                {&rigs, "a rig in the list is NULL, or without its tree"},
                {&bodies, "a body in the list is NULL"}};
    for (int i = 0; i < 3; i++) {
        const char* problem = poise_snapshot_problem(rows[i].def, trial.good, trial.size);
        cr_expect_str_eq(problem, rows[i].why);
        cr_expect_lt(poise_snapshot_save(rows[i].def, trial.forged, trial.size), 0);
        cr_expect_eq(poise_snapshot_size(rows[i].def), 0);
    }
    close_trial(&trial);
}

// Snapshots cut short after any word, with correct size and sum.
Test(forged, a_snapshot_that_ends_early_is_refused_wherever_it_ends) {
    enum { SIZE_AT = 8, LEAST = 24 };
    Trial trial;
    open_trial(&trial);
    int short_ones = 0;
    for (uint64_t size = LEAST; size < trial.size; size += 8) {
        memcpy(trial.forged, trial.good, trial.size);
        memcpy(trial.forged + SIZE_AT, &size, sizeof size);
        forge_mend(trial.forged, trial.size, trial.starts, 1);
        const char* problem = poise_snapshot_problem(&trial.def, trial.forged, (size_t)size);
        cr_expect(problem && strlen(problem) > 10u, "%llu bytes: %s", (unsigned long long)size,
                  problem ? problem : "no problem");
        short_ones += problem && strstr(problem, "cut short");
    }
    cr_expect_geq(short_ones, 100, "only %d are said to be short", short_ones);
    close_trial(&trial);
}

Test(forged, every_number_of_a_snapshot_is_refused_or_harmless) {
    Trial trial;
    open_trial(&trial);
    for (int pass = 0; pass < sample_of(1, FORGE_VALUES); pass++) {
        for (size_t at = 8; at < trial.size; at += 4) {
            memcpy(trial.forged, trial.good, trial.size);
            forge_put(trial.forged, trial.size, at, (int)(at / 4 + (size_t)pass) % FORGE_VALUES);
            try_forged(&trial);
        }
    }
    fprintf(stderr, "%ld refused, %ld taken of %zu bytes\n", trial.refused, trial.taken,
            trial.size);
    cr_expect_gt(trial.refused, 300);
    cr_expect_gt(trial.taken, 1000);
    close_trial(&trial);
}

// Forged bytes make flags that are neither 0 nor 1, and handles of other nodes; the rig keeps all
// its bindings.
Test(forged, every_byte_of_a_snapshot_is_refused_or_harmless) {
    Trial trial;
    open_trial(&trial);
    for (size_t at = 8; at < trial.size; at++) {
        memcpy(trial.forged, trial.good, trial.size);
        trial.forged[at] ^= 2;
        try_forged(&trial);
    }
    cr_expect_gt(trial.refused, 500, "%ld refused, %ld taken", trial.refused, trial.taken);
    cr_expect_gt(trial.taken, 1000);
    close_trial(&trial);
}
