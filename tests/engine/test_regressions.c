// SPDX-License-Identifier: MIT
// Cases in which other spring laws and solvers fail (row 0.16 of DOCUMENTS.md), in the simulation:
// a chain that starts bent with its tip at its goal; an axis that starts half a turn off;
// references beyond the joints' ranges; biases that conflict.
#include <criterion/criterion.h>

#include "cell.h"
#include "mechanism.h"
#include "near.h"
#include "posture.h"
#include "random.h"

enum { LINKS = 5, SOLVERS = 4, SAMPLES = 40, SETTLED = 600 };

static const double STEP = 0.01;

static PoiseSolver solver_of(int i) {
    return (PoiseSolver)(POISE_SOLVER_GAUSS_SEIDEL + i);
}

// Opens a chain with randomly bent bodies, takes its posture from them, and sets the goal to its
// tip.
static void open_bent(Mechanism* m, const ChainDef* def, Random* random) {
    chain_open(m, def);
    for (int i = 0; i < def->count; i++) {
        const PoiseNodeId node = poise_rig_node_of_body(m->rig, m->bodies[i]);
        const double angle = random_between(random, -1.2, 1.2);
        if (def->kind == POISE_NODE_BALL) {
            cr_assert_eq(set_rotation(m->tree, node, random_turn(random, 1.2)), POISE_OK);
        } else {
            cr_assert_eq(poise_node_set_angle(m->tree, node, angle), POISE_OK);
        }
    }
    cr_assert_eq(poise_forward(m->tree), POISE_OK);
    cr_assert_eq(poise_rig_place_bodies(m->rig), POISE_OK);
    mechanism_goal(m, mechanism_tip(m));
}

// Springhead's tip swings by 3.35 m in this case.
Test(regressions, a_chain_that_starts_bent_on_its_goal_stays_there) {
    double farthest = 0.0;
    for (int kind = POISE_NODE_HINGE; kind <= POISE_NODE_BALL; kind += 2) {
        for (int i = 0; i < SOLVERS; i++) {
            for (uint64_t seed = 0; seed < 5; seed++) {
                Random random = random_from(40 + seed);
                ChainDef def = chain_def((PoiseNodeKind)kind, LINKS, 1e5, 2e3);
                def.reference = seed % 2 == 0 ? POISE_REFERENCE_OWN : POISE_REFERENCE_MEASURED;
                Mechanism m;
                open_bent(&m, &def, &random);
                RIG_SET(m.rig, solve.solver, solver_of(i));
                for (int step = 0; step < SETTLED; step++) {
                    mechanism_step(&m, STEP);
                    farthest = fmax(farthest, mechanism_error(&m) / chain_length(&def));
                }
                mechanism_close(&m);
            }
        }
    }
    cr_expect_lt(farthest, 0.01, "the tip moved by %g of the length", farthest);
    cr_log_info("at most %g of the length", farthest);
}

static void give_stops(Mechanism* m, Random* random, double lower[LINKS], double upper[LINKS]) {
    for (int i = 0; i < LINKS; i++) {
        const PoiseNodeId node = poise_rig_node_of_body(m->rig, m->bodies[i]);
        lower[i] = -random_between(random, 0.0, 1.0);
        upper[i] = random_between(random, 0.0, 1.0);
        cr_assert_eq(poise_node_set_limits(m->tree, node, poise_range(lower[i], upper[i])),
                     POISE_OK);
    }
}

// In a quarter of the samples Springhead's references leave the range.
Test(regressions, reference_angles_never_leave_the_ranges) {
    double farthest = 0.0;
    int on_limit = 0;
    for (uint64_t seed = 0; seed < SAMPLES; seed++) {
        Random random = random_from(80 + seed);
        ChainDef def = chain_def(POISE_NODE_HINGE, LINKS, 1e5, 2e3);
        def.reference = seed % 2 == 0 ? POISE_REFERENCE_OWN : POISE_REFERENCE_MEASURED;
        def.gravity = poise_vec3(0.0, seed % 4 < 2 ? 0.0 : -9.8, 0.0);
        Mechanism m;
        double lower[LINKS], upper[LINKS];
        chain_open(&m, &def);
        RIG_SET(m.rig, solve.solver, solver_of((int)(seed % SOLVERS)));
        give_stops(&m, &random, lower, upper);
        for (int step = 0; step < SETTLED; step++) {
            if (step % 100 == 0) {
                const PoiseVec3 goal = random_vec3(&random, 6.0);
                mechanism_goal(&m, poise_vec3(goal.x, goal.y, 0.0));
            }
            const PoiseRigReport report = mechanism_step(&m, STEP);
            on_limit += report.solve.limited_dofs > 0;
            for (int i = 0; i < LINKS; i++) {
                const PoiseNodeId node = poise_rig_node_of_body(m.rig, m.bodies[i]);
                const PoiseJointReading reading = mechanism_read(&m, node);
                farthest = fmax(farthest, reading.q_ik[0] - upper[i]);
                farthest = fmax(farthest, lower[i] - reading.q_ik[0]);
                farthest = fmax(farthest, reading.q_target[0] - upper[i]);
                farthest = fmax(farthest, lower[i] - reading.q_target[0]);
            }
        }
        mechanism_close(&m);
    }
    cr_expect_gt(on_limit, SAMPLES * SETTLED / 2, "%d steps met a range", on_limit);
    cr_expect_leq(farthest, 1e-6, "%g rad past a range", farthest);
    cr_log_info("%d of %d steps on a range: at most %g rad past it", on_limit, SAMPLES * SETTLED,
                farthest);
}

// A goal that cannot be reached. The damping once decreased until a step was too long, then
// increased, and so on: the tip moved by 0.1 mm forever.
Test(regressions, a_tip_rests_at_a_goal_beyond_reach) {
    static const int cells[] = {80, 85};
    for (int c = 0; c < 2; c++) {
        const Cell cell = cell_of(cells[c]);
        CellRig rig;
        cell_open(&rig, &cell, 1000 * (uint64_t)cells[c]);
        mechanism_run(&rig.m, STEP, 8000);
        const PoiseVec3 there = mechanism_tip(&rig.m);
        cr_expect_gt(mechanism_error(&rig.m), 1e-3, "cell %d can be reached", cells[c]);
        double most = 0.0;
        for (int i = 0; i < 3000; i++) {
            (void)mechanism_step(&rig.m, STEP);
            most = fmax(most, poise_length(poise_sub(mechanism_tip(&rig.m), there)));
        }
        cr_expect_leq(most, 1e-9, "cell %d: %g m to and fro", cells[c], most);
        cell_close(&rig);
    }
}
