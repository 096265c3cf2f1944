// SPDX-License-Identifier: MIT
// Universal joints in physics: their springs in every order of attaching.
#include <criterion/criterion.h>
#include <math.h>

#include "kinds.h"
#include "near.h"
#include "random.h"
#include "works.h"

static const double DT = 0.01;
static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};

enum { ORDERS = 4 };
static const char* const ORDER_NAMES[ORDERS] = {"(child, parent)", "(parent, child)", "(child, 0)",
                                                "(0, child)"};

// A universal joint at the origin, axis x on the parent and y on the child (by ODE's order);
// imported.
typedef struct Cross {
    Mechanism m;
    dBodyID parent;
    dBodyID child;
    dJointID joint;
    PoiseNodeId node;
} Cross;

static void open_cross(Cross* cross, int order, PoiseBindDef like) {
    mechanism_open(&cross->m, no_gravity, POISE_REFERENCE_OWN);
    Mechanism* m = &cross->m;
    cross->parent = order < 2 ? mechanism_brick(m, poise_vec3(0.0, 0.0, -0.3)) : NULL;
    cross->child = mechanism_brick(m, poise_vec3(0.0, 0.0, 0.3));
    bool child_first = order % 2 == 0;
    dJointID joint = cross->joint =
        mechanism_universal(m->world, child_first ? cross->child : cross->parent,
                            child_first ? cross->parent : cross->child, cross->child, 0.0);
    if (cross->parent) {
        // a parent of 1000 t does not turn
        dMass mass;
        dMassSetBoxTotal(&mass, 1e6, 1.0, 1.0, 1.0);
        dBodySetMass(cross->parent, &mass);
    }
    cross->node = poise_rig_add(m->rig, joint, cross->child, &like);
    cr_assert_neq(cross->node.index1, 0, "%s", poise_rig_message(m->rig));
}

Test(universal, a_universal_joint_yields_by_torque_over_stiffness_about_both_axes) {
    const double stiffness = 500.0;
    for (int order = 0; order < ORDERS; order++) {
        for (int axis = 0; axis < 2; axis++) {
            Cross cross;
            open_cross(&cross, order, mechanism_springs(stiffness, 40.0));
            // the natural posture holds it, because it does not follow the solver if it has no
            // point
            cr_assert_eq(
                poise_rig_set_original(cross.m.rig, cross.node, (PoiseSpring){stiffness, 40.0}),
                POISE_OK);
            for (int step = 0; step < 600; step++) {
                mechanism_step(&cross.m, DT);
                dBodyAddTorque(cross.child, axis == 0 ? 5.0 : 0.0, axis == 1 ? 5.0 : 0.0, 0.0);
            }
            const PoiseJointReading reading = mechanism_read(&cross.m, cross.node);
            double at = reading.q[axis];
            double other = reading.q[1 - axis];
            cr_expect(fabs(at - 5.0 / stiffness) < 1e-6, "%s, axis %d: %.9g", ORDER_NAMES[order],
                      axis, at);
            cr_expect(fabs(other) < 1e-6, "%s, axis %d: other %.9g", ORDER_NAMES[order], axis,
                      other);
            double torque = reading.torque[axis];
            // the heavy parent turns a little, and the child with it
            cr_expect(fabs(torque + 5.0) < (order < 2 ? 2e-5 : 1e-6), "%s, axis %d: torque %g",
                      ORDER_NAMES[order], axis, torque);
            mechanism_close(&cross.m);
        }
    }
}

static const KindCase* universal_case(void) {
    const KindCase* found = NULL;
    for (int i = 0; i < KIND_CASES; i++) {
        found = kind_cases[i].kind == POISE_NODE_UNIVERSAL ? &kind_cases[i] : found;
    }
    cr_assert_not_null(found);
    return found;
}

// Three universal joints, 3 m, and goals up to 6 m away: forecast at the start and at rest.
Test(universal, chains_beyond_reach_rest_where_they_are_foreseen) {
    for (uint64_t seed = 0; seed < 24; seed++) {
        Random random = random_from(seed);
        KindDef def = kind_def(universal_case(), 3, seed % 4 < 2 ? 0.0 : 100.0);
        def.like.ik = (PoiseSpring){1000.0, 150.0};
        KindChain chain;
        kind_open(&chain, &def);
        Mechanism* m = &chain.m;
        RIG_SET(m->rig, reference, seed % 2 == 0 ? POISE_REFERENCE_OWN : POISE_REFERENCE_MEASURED);
        (void)mechanism_point(m, chain.nodes[2], chain.links[2], poise_vec3(3.0, 0.0, 0.0));
        const PoiseVec3 direction = random_direction(&random);
        mechanism_goal(m, poise_scale(random_between(&random, 3.2, 6.0), direction));
        PoiseForecast before, after;
        before = foresee(m->rig, m->point, DT);
        mechanism_run(m, DT, 5000);
        after = foresee(m->rig, m->point, DT);
        const double miss = mechanism_error(m);
        cr_expect_gt(miss, 0.2);
        cr_expect(fabs(before.miss - miss) <= 0.01 * miss && fabs(after.miss - miss) <= 0.01 * miss,
                  "seed %d: rests %g m off, foreseen %g, and from there %g", (int)seed, miss,
                  before.miss, after.miss);
        kind_close(&chain);
    }
}

// The child is placed so that both axes are parallel: a torque cannot be assigned to either, so no
// step error is read.
Test(universal, parallel_axes_report_no_step_error) {
    for (int along = 0; along < 2; along++) {
        Mechanism m;
        mechanism_open(&m, poise_vec3(0.0, 0.0, -9.8), POISE_REFERENCE_OWN);
        const PoiseVec3 size = {0.2, 0.2, 0.2};
        dBodyID body = mechanism_box(&m, poise_vec3(0.0, 0.0, 1.0), size, 1.0);
        (void)mechanism_universal(m.world, body, NULL, body, 1.0);
        const PoiseBindDef like = mechanism_springs(100.0, 10.0);
        cr_assert_eq(poise_rig_import(m.rig, body, &like), 1);
        mechanism_point(&m, poise_tree_node(m.tree, 0), body, poise_vec3(0.1, 0.0, 1.0));
        mechanism_goal(&m, poise_vec3(0.1, 0.02, 1.02));
        mechanism_run(&m, 0.01, 3);
        dMatrix3 turn;
        dRFromAxisAndAngle(turn, 0.0, 0.0, 1.0, along ? acos(0.0) : 0.1);
        dBodySetRotation(body, turn);
        (void)mechanism_step(&m, 0.01);
        double error = -1.0;
        PoiseNodeId node;
        WORKS(poise_rig_step_error(m.rig, &error, &node));
        cr_expect(along ? error == 0.0 && node.index1 == 0 : error > 0.0 && node.index1 != 0,
                  "%d: %g", along, error);
        mechanism_close(&m);
    }
}
