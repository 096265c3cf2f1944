// SPDX-License-Identifier: MIT
// The postures of a reach: stores and restores them, and makes random starts and kicks from a
// counter, so that equal calls give equal postures on all machines. reach_step.c searches from
// them.
#include <string.h>

#include "chain.h"
#include "reach.h"

// size of a kick: enough to leave a posture where the gradient is 0, rad or parts of the reach
#define KICK 1e-3

static void carve_postures(ReachMemory* reach, Carver* carver, size_t count) {
    reach->given = poise__carve(carver, count, sizeof *reach->given);
    reach->best = poise__carve(carver, count, sizeof *reach->best);
    reach->kept = poise__carve(carver, count, sizeof *reach->kept);
    reach->kicked = poise__carve(carver, count, sizeof *reach->kicked);
    reach->displacement = poise__carve(carver, POISE_MAX_DOF * count, sizeof *reach->displacement);
}

bool poise__reach_reserve(PoiseTree* tree) {
    Solver* solver = tree->solver;
    // memory for every node, so that enabling a node needs none
    const size_t count = (size_t)tree->node_capacity;
    Carver counter = {NULL, 0};
    ReachMemory trial;
    poise__carve_over(&counter, sizeof trial);
    carve_postures(&trial, &counter, count);
    if (counter.used > solver->reach_size) {
        void* memory = poise_host_allocate(&tree->host, counter.used);
        if (!memory) {
            return false;
        }
        poise_host_release(&tree->host, solver->reach, solver->reach_size);
        Carver carver = {memory, 0};
        solver->reach = poise__carve(&carver, 1, sizeof *solver->reach);
        solver->reach_size = counter.used;
        carve_postures(solver->reach, &carver, count);
    }
    return true;
}

void poise__posture_keep(const PoiseTree* tree, Posture* postures) {
    for (int i = 0; i < tree->solver->layout.column_count; i++) {
        const Joint* joint = &tree->nodes[tree->solver->layout.columns[i].node].joint;
        memcpy(postures[i].q, joint->q, sizeof joint->q);
    }
}

void poise__posture_restore(PoiseTree* tree, const Posture* postures) {
    for (int i = 0; i < tree->solver->layout.column_count; i++) {
        Joint* joint = &tree->nodes[tree->solver->layout.columns[i].node].joint;
        memcpy(joint->q, postures[i].q, sizeof joint->q);
    }
    poise__ties_follow(tree);
    poise__make_stale(tree);
}

void poise__posture_clip(PoiseTree* tree) {
    for (int i = 0; i < tree->solver->layout.column_count; i++) {
        poise__joint_clip(&tree->nodes[tree->solver->layout.columns[i].node].joint);
    }
    poise__ties_follow(tree);
    poise__make_stale(tree);
}

// Returns a rotation from the uniform distribution (Shoemake).
static PoiseQuat draw_rotation(uint64_t* counter) {
    const double u = poise__chain_random(counter);
    const PoiseSinCos a = poise_sincos(2.0 * POISE_PI * poise__chain_random(counter));
    const PoiseSinCos b = poise_sincos(2.0 * POISE_PI * poise__chain_random(counter));
    const double s = sqrt(1.0 - u);
    const double t = sqrt(u);
    return poise_quat_normalize(poise_quat(t * b.cosine, s * a.sine, s * a.cosine, t * b.sine));
}

// Returns a number inside the range. A range with one end has the length of a turn; an angle
// without a range is in -pi..pi; a length without a range stays as given.
static double draw_number(const Joint* joint, int d, double given, double unit) {
    const double lower = joint->lower[d], upper = joint->upper[d];
    if (isfinite(lower) && isfinite(upper)) {
        return fmin(fmax(lower + unit * (upper - lower), lower), upper);
    }
    if ((poise__joint_type(joint)->linear >> d & 1) != 0) {
        return given;
    }
    if (isfinite(lower)) {
        return lower + 2.0 * POISE_PI * unit;
    }
    return isfinite(upper) ? upper - 2.0 * POISE_PI * unit : POISE_PI * (2.0 * unit - 1.0);
}

// Sets a random posture. A floating base stays as given, because it has no range.
static void draw_posture(Joint* joint, const Posture* given, uint64_t* counter) {
    const PoiseJointType* type = poise__joint_type(joint);
    if (!poise__joint_is_vector(type)) {
        for (int d = 0; d < type->nv; d++) {
            joint->q[d] = draw_number(joint, d, given->q[d], poise__chain_random(counter));
        }
    } else if (poise__joint_moves(type) == 0) {
        const PoiseQuat q = draw_rotation(counter);
        const double numbers[4] = {q.w, q.x, q.y, q.z};
        poise__coordinates_set(type, joint->q, numbers);
    } else {
        memcpy(joint->q, given->q, sizeof joint->q);
    }
}

void poise__reach_scatter(PoiseTree* tree, uint64_t seed, int start) {
    uint64_t counter = poise__mix_bits(poise__mix_bits(seed) + (uint64_t)start);
    for (int i = 0; i < tree->solver->layout.column_count; i++) {
        draw_posture(&tree->nodes[tree->solver->layout.columns[i].node].joint,
                     &tree->solver->reach->given[i], &counter);
    }
    poise__posture_clip(tree);
    poise__make_stale(tree);
}

void poise__reach_kick(PoiseTree* tree, uint64_t kick) {
    Layout* layout = &tree->solver->layout;
    Answer* answer = &tree->solver->answer;
    uint64_t counter = poise__mix_bits(kick);
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Goal* goal = &layout->goals[layout->blocks[column->first_block].goal];
        // a slider moves by a part of the reach, so that the scale of the tree does not matter
        const double length = isfinite(goal->reach) ? goal->reach : 1.0;
        const double size = column->rotates ? KICK : KICK * length;
        for (int d = 0; d < column->dof; d++) {
            // a random sign and a size of 0.5 to 1, different for each dof
            const double unit = poise__chain_random(&counter) - 0.5;
            answer->omega[column->first_dof + d] = (unit < 0.0 ? unit - 0.5 : unit + 0.5) * size;
        }
    }
    poise__publish(tree, answer->omega, offsetof(Node, omega));
    tree->state.has_omega = true;
    poise__advance(tree);
}
