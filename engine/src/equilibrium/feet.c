// SPDX-License-Identifier: MIT
// An equilibrium that is held: its feet stay where they are and its loops closed, so that a step
// goes where its springs and they let it, and what they bear is what ground and closing joints
// give.
#include <string.h>

#include "statics.h"

// s: goals that slide along with their feet have come there
#define LONG_ENOUGH 1e9

PoiseStatus poise__equilibrium_feet_open(Equilibrium* equilibrium) {
    const RigState* state = &equilibrium->state;
    for (int i = 0; i < state->stance_count; i++) {
        equilibrium->feet[i] = poise_point_pose(state->tree, state->stances[i].point);
    }
    return poise__kkt_reserve(state, &equilibrium->ground, equilibrium->count)
               ? POISE_OK
               : POISE_ERROR_OUT_OF_MEMORY;
}

static void copy_goal(Equilibrium* equilibrium, PoisePointId point) {
    const PoisePointKind kind = poise_point_kind(equilibrium->reference, point);
    const PoisePose goal = poise_point_goal(equilibrium->state.tree, point);
    if (kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE || kind == POISE_POINT_COM) {
        poise__note(&equilibrium->state,
                    poise_point_set_position(equilibrium->reference, point, goal.p));
    }
    if (kind == POISE_POINT_POSE || kind == POISE_POINT_ORIENTATION) {
        poise__note(&equilibrium->state,
                    poise_point_set_orientation(equilibrium->reference, point, goal.q));
    }
}

static void find_feet(Equilibrium* equilibrium, bool lead) {
    RigState* state = &equilibrium->state;
    if (lead) {
        poise__stance_follow(state, LONG_ENOUGH);
        for (int i = 0; equilibrium->reference && i < state->stance_count; i++) {
            copy_goal(equilibrium, state->stances[i].point);
        }
        if (equilibrium->reference && poise_point_is_valid(state->tree, state->balance)) {
            copy_goal(equilibrium, state->balance);
        }
    } else {
        poise__stance_find(state);
    }
    poise__stance_share(state, equilibrium->gravity);
}

// 1 / stiffness; a joint of a loop that stands on a stop is as stiff as that
static void fill_give(Equilibrium* equilibrium) {
    const RigState* state = &equilibrium->state;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const JointState* joint = &state->joints[b];
        for (int d = 0; d < joint->of->type->nv; d++) {
            const int i = state->press.first[b] + d;
            const double k = equilibrium->stiffness[i];
            const bool stopped = poise__joint_stopped_in_loop(joint, d);
            equilibrium->compliance[i] = k > 0.0 && !stopped ? 1.0 / k : 0.0;
            if (equilibrium->swings && !stopped) {
                equilibrium->compliance[i] = poise__equilibrium_moves(equilibrium, i);
            }
        }
    }
}

void poise__equilibrium_feet(Equilibrium* equilibrium, bool lead) {
    RigState* state = &equilibrium->state;
    if (state->stance_count > 0) {
        find_feet(equilibrium, lead);
    }
    if (state->stance_count == 0 && state->rig->closure_count == 0) {
        return;
    }
    // in an update that presses on nothing it is not known which joints of loops stand on stops
    for (int b = 0; b < state->rig->binding_count; b++) {
        equilibrium->stops[b] = state->joints[b].stops;
    }
    poise__closures_share(state);
    for (int b = 0; b < state->rig->binding_count; b++) {
        state->joints[b].stops = equilibrium->stops[b];
    }
    fill_give(equilibrium);
    poise__kkt_fill(state, state->tree, &equilibrium->ground, state->press.first,
                    equilibrium->compliance);
}

// how far each foot has to go to where it is held
static void fill_gap(Equilibrium* equilibrium) {
    double* gap = equilibrium->gap;
    for (int i = 0; i < equilibrium->state.stance_count; i++) {
        const Stance* stance = &equilibrium->state.stances[i];
        if (!stance->carries) {
            continue;
        }
        PoiseVec3 displacement = poise_sub(equilibrium->feet[i].p, stance->place);
        PoiseVec3 turn = poise_quat_log(
            poise_quat_mul(equilibrium->feet[i].q, poise_quat_conjugate(stance->turn)));
        const double off[6] = {displacement.x, displacement.y, displacement.z,
                               turn.x,         turn.y,         turn.z};
        const int rows = poise__foot_rows(stance);
        memcpy(gap, off, (size_t)rows * sizeof *gap);
        gap += rows;
    }
    poise__closures_gap(&equilibrium->state, equilibrium->state.tree, gap);
}

void poise__equilibrium_feet_keep(Equilibrium* equilibrium) {
    const Kkt* kkt = &equilibrium->ground;
    if (kkt->row_count > 0) {
        memcpy(equilibrium->closing, kkt->multipliers,
               (size_t)kkt->row_count * sizeof *kkt->multipliers);
    }
}

double poise__equilibrium_feet_push(const Equilibrium* equilibrium, int number) {
    const Kkt* kkt = &equilibrium->ground;
    double push = equilibrium->torque[number];
    for (int r = 0; r < kkt->row_count; r++) {
        push -= kkt->j[r * kkt->number_count + number] * kkt->multipliers[r];
    }
    return push;
}

void poise__equilibrium_feet_load(Equilibrium* equilibrium) {
    const Kkt* kkt = &equilibrium->ground;
    int row = 0;
    memset(equilibrium->displacement, 0,
           (size_t)equilibrium->count * sizeof *equilibrium->displacement);
    for (int i = 0; i < equilibrium->state.stance_count && kkt->row_count > 0; i++) {
        const Stance* stance = &equilibrium->state.stances[i];
        if (!stance->carries) {
            continue;
        }
        const double load[6] = {stance->force.x,  stance->force.y,  stance->force.z,
                                stance->moment.x, stance->moment.y, stance->moment.z};
        for (int r = 0; r < poise__foot_rows(stance); r++, row++) {
            for (int n = 0; n < equilibrium->count; n++) {
                equilibrium->displacement[n] += kkt->j[row * kkt->number_count + n] * load[r];
            }
        }
    }
    // at rest the closing joints give what they do, while their rows turn
    for (; equilibrium->at_rest && row < kkt->row_count; row++) {
        for (int n = 0; n < equilibrium->count; n++) {
            equilibrium->displacement[n] -=
                kkt->j[row * kkt->number_count + n] * equilibrium->closing[row];
        }
    }
}

bool poise__equilibrium_feet_displace(Equilibrium* equilibrium) {
    if (equilibrium->ground.row_count == 0) {
        return false;
    }
    fill_gap(equilibrium);
    poise__kkt_solve(&equilibrium->ground, equilibrium->compliance, equilibrium->torque,
                     equilibrium->gap, equilibrium->displacement);
    return true;
}

bool poise__equilibrium_is_carried(const Equilibrium* equilibrium) {
    for (int i = 0; i < equilibrium->state.support_count; i++) {
        if (!equilibrium->state.supports[i].carried) {
            return false;
        }
    }
    return true;
}
