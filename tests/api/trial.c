// SPDX-License-Identifier: MIT
#include "trial.h"

#include <criterion/criterion.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

Trial* trial_create(void) {
    Trial* trial = calloc(1, sizeof *trial);
    trial->before = malloc(STAGE_MEMORY);
    trial->after = malloc(STAGE_MEMORY);
    stage_init(&trial->stage);
    trial_mark(trial);
    return trial;
}

void trial_destroy(Trial* trial) {
    stage_finish(&trial->stage);
    free(trial->before);
    free(trial->after);
    free(trial);
}

void trial_renew(Trial* trial) {
    stage_finish(&trial->stage);
    stage_init(&trial->stage);
    trial_mark(trial);
}

void trial_mark(Trial* trial) {
    trial->size = stage_state(&trial->stage, trial->before);
    trial->outputs_size = stage_outputs(&trial->stage, trial->before + trial->size);
    trial->stage.host.messages = 0;
    trial->stage.host.last_message[0] = '\0';
}

bool trial_is_unchanged(Trial* trial) {
    const size_t size = stage_state(&trial->stage, trial->after);
    return size == trial->size && memcmp(trial->before, trial->after, size) == 0;
}

bool trial_has_written(Trial* trial) {
    const size_t size = stage_outputs(&trial->stage, trial->after);
    return size != trial->outputs_size ||
           memcmp(trial->before + trial->size, trial->after, size) != 0;
}

PoiseStatus trial_take_status(Trial* trial) {
    Stage* stage = &trial->stage;
    PoiseTree* const trees[] = {stage->tree, stage->spare_tree, stage->other_tree};
    PoiseStatus found = poise_rig_status(stage->rig);
    poise_rig_clear_status(stage->rig);
    for (int i = 0; i < 3; i++) {
        const PoiseStatus status = poise_tree_status(trees[i]);
        found = found < POISE_OK ? found : status;
        poise_tree_clear_status(trees[i]);
    }
    return found < POISE_OK ? found : POISE_OK;
}

bool trial_gives_problem(const Call* call) {
    return fnmatch("*_problem", call->function, 0) == 0 ||
           strcmp(call->function, "poise_tip_find") == 0;
}

bool trial_is_refused(const Call* call, const CallResult* result, PoiseStatus status) {
    const bool error = status < POISE_OK;
    switch (call->gives) {
    case CALL_GIVES_STATUS:
        return result->status < POISE_OK;
    case CALL_GIVES_POINTER:
        return !result->pointer || error;
    case CALL_GIVES_HANDLE:
        return result->index1 == 0 || error;
    case CALL_GIVES_TEXT:
        return trial_gives_problem(call) ? result->pointer && strlen(result->pointer) > 10 : error;
    case CALL_GIVES_VALUE:
        break;
    }
    return error;
}

bool trial_gives_none(const Call* call, const CallResult* result) {
    static const unsigned char zeros[CALL_LARGEST_RESULT];
    const PoisePose pose = poise_pose_identity();
    const PoiseLimits limits = poise_range(-HUGE_VAL, HUGE_VAL);
    const void* none = zeros;
    if (strcmp(call->returns, "PoisePose") == 0) {
        none = &pose;
    } else if (strcmp(call->returns, "PoiseQuat") == 0) {
        none = &pose.q;
    } else if (strcmp(call->returns, "PoiseLimits") == 0) {
        none = &limits;
    }
    int index = 0;
    if (strcmp(call->returns, "int") == 0) {
        memcpy(&index, result->bytes, sizeof index);
    }
    return index < 0 || memcmp(result->bytes, none, result->size) == 0;
}

bool trial_needs_row(const Call* call) {
    // poise_node_destroy and poise_point_destroy refuse what they do not find
    return (fnmatch("*_destroy", call->function, 0) == 0 && call->gives != CALL_GIVES_STATUS) ||
           strcmp(call->function, "poise_status_name") == 0;
}

void trial_expect_message(const Trial* trial, const Call* call, const char* row) {
    const TestHost* host = &trial->stage.host;
    cr_expect_eq(host->messages, 1, "%s: %d messages", row, host->messages);
    cr_expect(strstr(host->last_message, call->function) != NULL, "%s: said '%s'", row,
              host->last_message);
}
