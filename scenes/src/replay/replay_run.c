// SPDX-License-Identifier: MIT
// Makes changes, and repeats a recorded run.
#include <math.h>

#include "replay_text.h"

int poise_simulation_change(PoiseSimulation* simulation, const PoiseChange* change) {
    if (!simulation || !change) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const int index = change->index;
    switch (change->kind) {
    case POISE_CHANGE_HOLD:
        return poise_simulation_hold_goal(simulation, index, change->place);
    case POISE_CHANGE_TURN:
        return poise_simulation_hold_turn(simulation, index, change->turn);
    case POISE_CHANGE_RELEASE:
        return poise_simulation_release_goal(simulation, index);
    case POISE_CHANGE_SET:
        return poise_simulation_set_parameter(simulation, index, change->value);
    case POISE_CHANGE_ADD: {
        const PoisePose body = poise_simulation_body(simulation, index).pose_world;
        return poise_simulation_add_point(simulation, index, poise_pose_apply(body, change->place));
    }
    case POISE_CHANGE_REMOVE:
        return poise_simulation_remove_point(simulation, index);
    case POISE_CHANGE_PULL:
        return poise_simulation_pull(simulation, index, change->place, change->to);
    case POISE_CHANGE_LET_GO:
        return poise_simulation_let_go(simulation);
    case POISE_CHANGE_POSE:
        return poise_simulation_pose_joint(simulation, index, change->q, change->q_count);
    case POISE_CHANGE_NATURAL:
        return poise_simulation_set_natural(simulation, index, change->q, change->q_count);
    case POISE_CHANGE_PLACE:
        return poise_simulation_place_body(simulation, index,
                                           poise_pose(change->place, change->turn));
    case POISE_CHANGE_NONE:
        break;
    }
    return POISE_ERROR_INVALID_ARGUMENT;
}

long poise_replay_second(double step) {
    return step > 1e-9 && step < 1.0 ? lround(1.0 / step) : 1;
}

uint16_t poise_replay_mark(const PoiseSimulation* simulation) {
    const uint64_t hash = poise_simulation_state_hash(simulation);
    return (uint16_t)(hash ^ hash >> 16 ^ hash >> 32 ^ hash >> 48);
}

/// Records in `check` if the states after `step` steps agree. Returns `same`.
static bool note_state(PoiseReplayCheck* check, long step, bool same) {
    if (same) {
        check->last_same = step;
    } else {
        check->first_different = step;
    }
    return same;
}

/// Compares the states if a full second of the run ends here. Returns false if they differ or the
/// replay has no mark for this second.
static bool compare_second(const PoiseReplay* replay, const PoiseSimulation* simulation,
                           PoiseReplayCheck* check) {
    const long step = poise_simulation_step_count(simulation);
    const long second = poise_replay_second(poise_simulation_step_length(simulation));
    return step % second != 0 ||
           note_state(check, step,
                      step / second < replay->mark_count &&
                          poise_replay_mark(simulation) == replay->marks[step / second]);
}

/// Makes the changes that are due, from input `next` on. Returns the index after the last; -1: the
/// simulation refused one.
static int make_changes(const PoiseReplay* replay, PoiseSimulation* simulation, int next,
                        PoiseReplayCheck* check) {
    const long step = poise_simulation_step_count(simulation);
    for (; next < replay->input_count && replay->inputs[next].step <= step; next++) {
        const int result = poise_simulation_change(simulation, &replay->inputs[next].change);
        if (result < 0) {
            check->refused = next;
            check->refusal = (PoiseStatus)result;
            return -1;
        }
    }
    return next;
}

PoiseStatus poise_replay_verify(const PoiseReplay* replay, PoiseSimulation* simulation,
                                PoiseReplayCheck* check) {
    if (!poise__replay_is_complete(replay) || !simulation || !check) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    *check = (PoiseReplayCheck){.last_same = -1, .first_different = -1, .refused = -1};
    int next = 0;
    for (long step = poise_simulation_step_count(simulation);; step++) {
        // a second's state is recorded before the changes that follow it
        if (!compare_second(replay, simulation, check)) {
            return POISE_OK;
        }
        next = make_changes(replay, simulation, next, check);
        if (next < 0) {
            return POISE_OK;
        }
        if (step >= replay->steps) {
            break;
        }
        const PoiseStatus status = poise_simulation_step(simulation);
        if (status < 0) {
            return status;
        }
    }
    check->same = note_state(check, poise_simulation_step_count(simulation),
                             poise_simulation_state_hash(simulation) == replay->state_hash);
    return POISE_OK;
}
