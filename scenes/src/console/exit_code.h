// SPDX-License-Identifier: MIT
// The exit codes of `poise`.
#ifndef POISE_EXIT_CODE_H
#define POISE_EXIT_CODE_H

typedef enum ExitCode {
    EXIT_DONE = 0,
    EXIT_MISSED = 1, ///< a goal was missed, a bound of `expect` exceeded, or a replay differs
    EXIT_USAGE = 2,
    /// Bad input, an output that cannot be written, or a shortage of memory or another resource
    EXIT_INPUT = 3,
    EXIT_BLOWN_UP = 4,
    EXIT_INTERRUPTED = 130
} ExitCode;

#endif
