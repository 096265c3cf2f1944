// SPDX-License-Identifier: MIT
// A equilibrium that stands: its feet are held where they are, so that a step goes where its
// springs and they let it, and what they bear is what the ground gives.
#include <string.h>

#include "equilibrium.h"

// s: goals that slide along with their feet have come there
#define LONG_ENOUGH 1e9

PoiseStatus poise__equilibrium_feet_open(Equilibrium* equilibrium, const PoiseRig* rig) {
    const size_t count = (size_t)rig->stance_count;
    if (count == 0) {
        return POISE_OK;
    }
    equilibrium->feet_size = count * (sizeof(PoisePose) + 6 * sizeof(double));
    equilibrium->feet = (PoisePose*)poise_host_allocate(&rig->host, equilibrium->feet_size);
    equilibrium->rig.stance_count = 0;
    if (!equilibrium->feet || !poise__stances_reserve(&equilibrium->rig, rig->stance_count) ||
        !poise__held_reserve(rig, &equilibrium->ground, equilibrium->count)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    equilibrium->gap = (double*)(void*)(equilibrium->feet + count);
    equilibrium->rig.stance_count = rig->stance_count;
    memcpy(equilibrium->rig.stances, rig->stances, count * sizeof *rig->stances);
    for (int i = 0; i < rig->stance_count; i++) {
        equilibrium->feet[i] = poise_point_pose(equilibrium->rig.tree, rig->stances[i].point);
    }
    return POISE_OK;
}

void poise__equilibrium_feet_finish(Equilibrium* equilibrium) {
    PoiseRig* rig = &equilibrium->rig;
    const PoiseHost* host = &rig->host;
    poise_host_release(host, equilibrium->feet, equilibrium->feet_size);
    poise__held_finish(rig, &equilibrium->ground);
    poise_host_release(host, rig->stances, (size_t)rig->stance_capacity * sizeof *rig->stances);
    poise_host_release(host, rig->footings, (size_t)rig->footing_capacity * sizeof *rig->footings);
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

void poise__equilibrium_feet(Equilibrium* equilibrium, bool lead) {
    PoiseRig* rig = &equilibrium->rig;
    if (rig->stance_count == 0) {
        return;
    }
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
    for (int i = 0; i < equilibrium->count; i++) {
        equilibrium->give[i] =
            equilibrium->stiffness[i] > 0.0 ? 1.0 / equilibrium->stiffness[i] : 0.0;
    }
    (void)poise__held_fill(rig, rig->tree, &equilibrium->ground, rig->press.first,
                           equilibrium->give);
}

// how far each foot has to go to where it is held
static void fill_gap(Equilibrium* equilibrium) {
    double* gap = equilibrium->gap;
    for (int i = 0; i < equilibrium->rig.stance_count; i++) {
        const Stance* stance = &equilibrium->rig.stances[i];
        if (!stance->carries) {
            continue;
        }
        PoiseVec3 way = poise_sub(equilibrium->feet[i].p, stance->place);
        PoiseVec3 turn = poise_quat_log(
            poise_quat_mul(equilibrium->feet[i].q, poise_quat_conjugate(stance->turn)));
        const double off[6] = {way.x, way.y, way.z, turn.x, turn.y, turn.z};
        const int rows = poise__foot_rows(stance);
        memcpy(gap, off, (size_t)rows * sizeof *gap);
        gap += rows;
    }
}

void poise__equilibrium_feet_load(Equilibrium* equilibrium) {
    const Held* held = &equilibrium->ground;
    int row = 0;
    memset(equilibrium->way, 0, (size_t)equilibrium->count * sizeof *equilibrium->way);
    for (int i = 0; i < equilibrium->rig.stance_count && held->row_count > 0; i++) {
        const Stance* stance = &equilibrium->rig.stances[i];
        if (!stance->carries) {
            continue;
        }
        const double load[6] = {stance->force.x,  stance->force.y,  stance->force.z,
                                stance->moment.x, stance->moment.y, stance->moment.z};
        for (int r = 0; r < poise__foot_rows(stance); r++, row++) {
            for (int n = 0; n < equilibrium->count; n++) {
                equilibrium->way[n] += held->j[row * held->number_count + n] * load[r];
            }
        }
    }
}

bool poise__equilibrium_feet_way(Equilibrium* equilibrium) {
    if (equilibrium->ground.row_count == 0) {
        return false;
    }
    fill_gap(equilibrium);
    poise__held_answer(&equilibrium->ground, equilibrium->give, equilibrium->torque,
                       equilibrium->gap, equilibrium->way);
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
