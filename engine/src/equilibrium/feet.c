// SPDX-License-Identifier: MIT
// An equilibrium that is held: its feet stay where they are and its loops closed, so that a step
// goes where its springs and they let it, and what they bear is what ground and closing joints
// give.
#include <string.h>

#include "statics.h"

// s: goals that slide along with their feet have come there
#define LONG_ENOUGH 1e9

PoiseStatus poise__equilibrium_feet_open(Equilibrium* equilibrium, const PoiseRig* rig) {
    const size_t count = (size_t)rig->stance_count;
    size_t rows = 6 * count;
    for (int i = 0; i < rig->closure_count; i++) {
        rows += (size_t)poise__closure_rows(&rig->closures[i]);
    }
    if (rows == 0) {
        return POISE_OK;
    }
    equilibrium->feet_size = count * sizeof(PoisePose) + 2 * rows * sizeof(double);
    equilibrium->feet = (PoisePose*)poise_host_allocate(&rig->host, equilibrium->feet_size);
    equilibrium->rig.stance_count = 0;
    if (!equilibrium->feet || !poise__stances_reserve(&equilibrium->rig, rig->stance_count)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    equilibrium->rig.stance_count = rig->stance_count;
    if (!poise__kkt_reserve(&equilibrium->rig, &equilibrium->ground, equilibrium->count)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    equilibrium->gap = (double*)(void*)(equilibrium->feet + count);
    equilibrium->closing = equilibrium->gap + rows;
    if (count > 0) {
        memcpy(equilibrium->rig.stances, rig->stances, count * sizeof *rig->stances);
    }
    for (int i = 0; i < rig->stance_count; i++) {
        equilibrium->feet[i] = poise_point_pose(equilibrium->rig.tree, rig->stances[i].point);
    }
    return POISE_OK;
}

void poise__equilibrium_feet_finish(Equilibrium* equilibrium) {
    PoiseRig* rig = &equilibrium->rig;
    const PoiseHost* host = &rig->host;
    poise_host_release(host, equilibrium->feet, equilibrium->feet_size);
    poise__kkt_finish(rig, &equilibrium->ground);
    poise_host_release(host, rig->stances, (size_t)rig->stance_capacity * sizeof *rig->stances);
    poise_host_release(host, rig->support_contacts,
                       (size_t)rig->support_contact_capacity * sizeof *rig->support_contacts);
    poise_host_release(host, rig->supports, (size_t)rig->support_capacity * sizeof *rig->supports);
}

static void copy_goal(Equilibrium* equilibrium, PoisePointId point) {
    const PoisePointKind kind = poise_point_kind(equilibrium->reference, point);
    const PoisePose goal = poise_point_goal(equilibrium->rig.tree, point);
    if (kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE || kind == POISE_POINT_COM) {
        poise__note(&equilibrium->rig,
                    poise_point_set_position(equilibrium->reference, point, goal.p));
    }
    if (kind == POISE_POINT_POSE || kind == POISE_POINT_ORIENTATION) {
        poise__note(&equilibrium->rig,
                    poise_point_set_orientation(equilibrium->reference, point, goal.q));
    }
}

static void find_feet(Equilibrium* equilibrium, bool lead) {
    PoiseRig* rig = &equilibrium->rig;
    if (lead) {
        poise__stance_follow(rig, LONG_ENOUGH);
        for (int i = 0; equilibrium->reference && i < rig->stance_count; i++) {
            copy_goal(equilibrium, rig->stances[i].point);
        }
        if (equilibrium->reference && poise_point_is_valid(rig->tree, rig->balance)) {
            copy_goal(equilibrium, rig->balance);
        }
    } else {
        poise__stance_find(rig);
    }
    poise__stance_share(rig, equilibrium->gravity);
}

// 1 / stiffness; a joint of a loop that stands on a stop is as stiff as that
static void fill_give(Equilibrium* equilibrium) {
    const PoiseRig* rig = &equilibrium->rig;
    for (int b = 0; b < rig->binding_count; b++) {
        const Binding* binding = &rig->bindings[b];
        for (int d = 0; d < binding->type->nv; d++) {
            const int i = rig->press.first[b] + d;
            const double k = equilibrium->stiffness[i];
            const bool stopped = binding->looped && (binding->stops >> d & 1u) != 0;
            equilibrium->compliance[i] = k > 0.0 && !stopped ? 1.0 / k : 0.0;
            if (equilibrium->swings && !stopped) {
                equilibrium->compliance[i] = poise__equilibrium_moves(equilibrium, i);
            }
        }
    }
}

void poise__equilibrium_feet(Equilibrium* equilibrium, bool lead) {
    PoiseRig* rig = &equilibrium->rig;
    if (rig->stance_count > 0) {
        find_feet(equilibrium, lead);
    }
    if (rig->stance_count == 0 && rig->closure_count == 0) {
        return;
    }
    poise__closures_share(rig);
    fill_give(equilibrium);
    poise__kkt_fill(rig, rig->tree, &equilibrium->ground, rig->press.first,
                    equilibrium->compliance);
}

// how far each foot has to go to where it is held
static void fill_gap(Equilibrium* equilibrium) {
    double* gap = equilibrium->gap;
    for (int i = 0; i < equilibrium->rig.stance_count; i++) {
        const Stance* stance = &equilibrium->rig.stances[i];
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
    poise__closures_gap(&equilibrium->rig, equilibrium->rig.tree, gap);
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
    for (int i = 0; i < equilibrium->rig.stance_count && kkt->row_count > 0; i++) {
        const Stance* stance = &equilibrium->rig.stances[i];
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
    for (int i = 0; i < equilibrium->rig.support_count; i++) {
        if (!equilibrium->rig.supports[i].carried) {
            return false;
        }
    }
    return true;
}
