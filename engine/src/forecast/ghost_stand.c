// SPDX-License-Identifier: MIT
// A ghost that stands: its feet are held where they are, so that a step goes where its springs and
// they let it, and what they bear is what the ground gives.
#include <string.h>

#include "ghost.h"

// s: goals that slide along with their feet have come there
#define LONG_ENOUGH 1e9

PoiseStatus poise__ghost_stand_open(Ghost* ghost, const PoiseRig* rig) {
    const size_t count = (size_t)rig->stance_count;
    if (count == 0) {
        return POISE_OK;
    }
    ghost->feet_size = count * (sizeof(PoisePose) + 6 * sizeof(double));
    ghost->feet = (PoisePose*)poise_host_allocate(&rig->host, ghost->feet_size);
    ghost->rig.stance_count = 0;
    if (!ghost->feet || !poise__stances_reserve(&ghost->rig, rig->stance_count) ||
        !poise__held_reserve(rig, &ghost->ground, ghost->count)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    ghost->gap = (double*)(void*)(ghost->feet + count);
    ghost->rig.stance_count = rig->stance_count;
    memcpy(ghost->rig.stances, rig->stances, count * sizeof *rig->stances);
    for (int i = 0; i < rig->stance_count; i++) {
        ghost->feet[i] = poise_point_pose(ghost->rig.tree, rig->stances[i].point);
    }
    return POISE_OK;
}

void poise__ghost_stand_finish(Ghost* ghost) {
    PoiseRig* rig = &ghost->rig;
    const PoiseHost* host = &rig->host;
    poise_host_release(host, ghost->feet, ghost->feet_size);
    poise__held_finish(rig, &ghost->ground);
    poise_host_release(host, rig->stances, (size_t)rig->stance_capacity * sizeof *rig->stances);
    poise_host_release(host, rig->footings, (size_t)rig->footing_capacity * sizeof *rig->footings);
    poise_host_release(host, rig->supports, (size_t)rig->support_capacity * sizeof *rig->supports);
}

static void copy_goal(Ghost* ghost, PoisePointId point) {
    const PoisePointKind kind = poise_point_kind(ghost->reference, point);
    const PoisePose goal = poise_point_goal(ghost->rig.tree, point);
    if (kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE || kind == POISE_POINT_COM) {
        poise__note(&ghost->rig, poise_point_set_position(ghost->reference, point, goal.p));
    }
    if (kind == POISE_POINT_POSE || kind == POISE_POINT_ORIENTATION) {
        poise__note(&ghost->rig, poise_point_set_orientation(ghost->reference, point, goal.q));
    }
}

void poise__ghost_stand(Ghost* ghost, bool lead) {
    PoiseRig* rig = &ghost->rig;
    if (rig->stance_count == 0) {
        return;
    }
    if (lead) {
        poise__stance_follow(rig, LONG_ENOUGH);
        for (int i = 0; ghost->reference && i < rig->stance_count; i++) {
            copy_goal(ghost, rig->stances[i].point);
        }
        if (ghost->reference && poise_point_is_valid(rig->tree, rig->balance)) {
            copy_goal(ghost, rig->balance);
        }
    } else {
        poise__stance_find(rig);
    }
    poise__stance_share(rig, ghost->gravity);
    for (int i = 0; i < ghost->count; i++) {
        ghost->give[i] = ghost->stiffness[i] > 0.0 ? 1.0 / ghost->stiffness[i] : 0.0;
    }
    (void)poise__held_fill(rig, rig->tree, &ghost->ground, rig->press.first, ghost->give);
}

// how far each foot has to go to where it is held
static void fill_gap(Ghost* ghost) {
    double* gap = ghost->gap;
    for (int i = 0; i < ghost->rig.stance_count; i++) {
        const Stance* stance = &ghost->rig.stances[i];
        if (!stance->carries) {
            continue;
        }
        PoiseVec3 way = poise_sub(ghost->feet[i].p, stance->place);
        PoiseVec3 turn =
            poise_quat_log(poise_quat_mul(ghost->feet[i].q, poise_quat_conjugate(stance->turn)));
        const double off[6] = {way.x, way.y, way.z, turn.x, turn.y, turn.z};
        const int rows = poise__foot_rows(stance);
        memcpy(gap, off, (size_t)rows * sizeof *gap);
        gap += rows;
    }
}

void poise__ghost_stand_load(Ghost* ghost) {
    const Held* held = &ghost->ground;
    int row = 0;
    memset(ghost->way, 0, (size_t)ghost->count * sizeof *ghost->way);
    for (int i = 0; i < ghost->rig.stance_count && held->row_count > 0; i++) {
        const Stance* stance = &ghost->rig.stances[i];
        if (!stance->carries) {
            continue;
        }
        const double load[6] = {stance->force.x,  stance->force.y,  stance->force.z,
                                stance->moment.x, stance->moment.y, stance->moment.z};
        for (int r = 0; r < poise__foot_rows(stance); r++, row++) {
            for (int n = 0; n < ghost->count; n++) {
                ghost->way[n] += held->j[row * held->number_count + n] * load[r];
            }
        }
    }
}

bool poise__ghost_stand_way(Ghost* ghost) {
    if (ghost->ground.row_count == 0) {
        return false;
    }
    fill_gap(ghost);
    poise__held_answer(&ghost->ground, ghost->give, ghost->torque, ghost->gap, ghost->way);
    return true;
}

bool poise__ghost_is_carried(const Ghost* ghost) {
    for (int i = 0; i < ghost->rig.support_count; i++) {
        if (!ghost->rig.supports[i].carried) {
            return false;
        }
    }
    return true;
}
