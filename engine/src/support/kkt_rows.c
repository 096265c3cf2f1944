// SPDX-License-Identifier: MIT
// Fills the constraint rows of feet and closures from the tree's frames, and lists the free
// velocities, those without springs.
#include <string.h>

#include "convert.h"
#include "kkt.h"
#include "support.h"

enum { PLACE_ROWS = 3, FOOT_ROWS = 6 };

int poise__foot_rows(const Stance* stance) {
    return poise__stance_arm(stance) > 0.0 ? FOOT_ROWS : PLACE_ROWS;
}

// Fills the rows of one foot, in the columns of the joints from the foot to the base.
static void fill_foot(const RigState* state, PoiseTree* tree, Kkt* kkt, const int* first,
                      const Stance* stance) {
    const int rows = poise__foot_rows(stance);
    double* j = &kkt->j[kkt->row_count * kkt->number_count];
    memset(j, 0, (size_t)(rows * kkt->number_count) * sizeof *j);
    for (int b = stance->binding; b != NO_BINDING; b = state->rig->bindings[b].parent) {
        double block[FOOT_ROWS * POISE_MAX_DOF];
        const int dof =
            poise_point_jacobian(tree, stance->def.point, state->rig->bindings[b].node, block);
        for (int r = 0; r < rows; r++) {
            memcpy(&j[r * kkt->number_count + first[b]], &block[r * dof],
                   (size_t)dof * sizeof *block);
        }
    }
    kkt->row_count += rows;
}

static void put6(double* row, PoiseVec3 place, PoiseVec3 turn) {
    const double numbers[CLOSURE_ROWS] = {place.x, place.y, place.z, turn.x, turn.y, turn.z};
    memcpy(row, numbers, sizeof numbers);
}

// Fills the directions that a closure fixes, each a displacement and a rotation, world. Returns
// their number. x and y of the joint's frame come first, since a free direction is along or about
// z.
static int closure_directions(const PoiseTree* tree, const Closure* closure,
                              double rows[CLOSURE_ROWS][CLOSURE_ROWS]) {
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    // the joint's frame in the world, which moves with the closure's second body
    const PoisePose frame = closure->frame.index1 != 0 ? poise_node_link_world(tree, closure->frame)
                                                       : poise__body_pose(closure->bodies[1]);
    const PoiseQuat q = poise_quat_mul(frame.q, closure->in_frame.q);
    int count = 0;
    for (int i = 0; i < (closure->slides ? 2 : 3); i++) {
        put6(rows[count++], poise_quat_rotate(q, poise_vec3(i == 0, i == 1, i == 2)), none);
    }
    for (int i = 0; i < closure->fixed_turns; i++) {
        put6(rows[count++], none, poise_quat_rotate(q, poise_vec3(i == 0, i == 1, i == 2)));
    }
    return count;
}

static void fill_closure(const RigState* state, PoiseTree* tree, Kkt* kkt, const int* first,
                         const Closure* closure) {
    double directions[CLOSURE_ROWS][CLOSURE_ROWS];
    const int rows = closure_directions(tree, closure, directions);
    double* j = &kkt->j[kkt->row_count * kkt->number_count];
    memset(j, 0, (size_t)(rows * kkt->number_count) * sizeof *j);
    for (int b = 0; b < state->rig->binding_count; b++) {
        double block[CLOSURE_ROWS * POISE_MAX_DOF];
        const int dof = state->rig->bindings[b].looped
                            ? poise_point_jacobian(tree, closure->points[0],
                                                   state->rig->bindings[b].node, block)
                            : 0;
        for (int r = 0; r < rows; r++) {
            for (int d = 0; d < dof; d++) {
                double sum = 0.0;
                for (int i = 0; i < CLOSURE_ROWS; i++) {
                    sum += directions[r][i] * block[i * dof + d];
                }
                j[r * kkt->number_count + first[b] + d] = sum;
            }
        }
    }
    kkt->row_count += rows;
}

// Lists the velocities of floating bases with stances, and of joints in loops without a spring.
static void list_free(const RigState* state, Kkt* kkt, const int* first, const double* compliance) {
    kkt->free_count = 0;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const JointState* joint = &state->joints[b];
        const bool stands = poise__stands(state, b);
        for (int d = 0; d < joint->of->type->nv; d++) {
            const bool stopped = (joint->stops >> d & 1u) != 0;
            if (stands || (joint->of->looped && !(compliance[first[b] + d] > 0.0) && !stopped)) {
                kkt->free[kkt->free_count++] = first[b] + d;
            }
        }
    }
}

void poise__kkt_rows(const RigState* state, PoiseTree* tree, Kkt* kkt, const int* first,
                     const double* compliance) {
    kkt->row_count = 0;
    for (int i = 0; i < state->stance_count; i++) {
        if (state->stances[i].carries) {
            fill_foot(state, tree, kkt, first, &state->stances[i]);
        }
    }
    for (int i = 0; i < state->rig->closure_count; i++) {
        if (state->rig->closures[i].holds) {
            fill_closure(state, tree, kkt, first, &state->rig->closures[i]);
        }
    }
    list_free(state, kkt, first, compliance);
}
