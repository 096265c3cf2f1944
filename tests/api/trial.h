// SPDX-License-Identifier: MIT
// A call with a bad argument: calls it on a stage, and checks the outcome.
#ifndef POISE_TEST_TRIAL_H
#define POISE_TEST_TRIAL_H

#include "stage.h"

/// A stage, and its state before a call.
typedef struct Trial {
    Stage stage;
    unsigned char* before;
    unsigned char* after;
    size_t size; ///< bytes of the state, without the outputs after it
    size_t outputs_size;
} Trial;

/// Creates the stage. Returns a trial that trial_destroy destroys.
Trial* trial_create(void);
void trial_destroy(Trial* trial);
/// Replaces the stage by a new one.
void trial_renew(Trial* trial);
/// Stores the state that later calls must not change, and clears the messages.
void trial_mark(Trial* trial);
/// True if the present state is that of the last trial_mark.
bool trial_is_unchanged(Trial* trial);
/// True if a call wrote results since the last trial_mark.
bool trial_has_written(Trial* trial);

/// Returns the error that a tree or rig of the stage has, and clears it. POISE_OK if none has.
PoiseStatus trial_take_status(Trial* trial);
/// True if the call failed. `status` is the result of trial_take_status.
bool trial_is_refused(const Call* call, const CallResult* result, PoiseStatus status);
/// True if the function returns an error in words, or NULL.
bool trial_gives_problem(const Call* call);
/// True if the value means "none": zero, a negative index, a null handle, the identity, no limits.
bool trial_gives_none(const Call* call, const CallResult* result);
/// True if refused.txt must have a row for the function, because test_calls.c does not call it.
bool trial_needs_row(const Call* call);
/// Expects one message, which names the function.
void trial_expect_message(const Trial* trial, const Call* call, const char* row);

#endif
