// SPDX-License-Identifier: MIT
#ifndef POISE_LEVELS_PRIVATE_H
#define POISE_LEVELS_PRIVATE_H

#include <string.h>

#include "layout.h"

/// Sets the memory of the levels from another tree of the same sets or from a saved state.
/// `numbers` is its size, 0 for none. Builds the layout, which clears the results.
/// POISE_ERROR_OUT_OF_MEMORY.
static inline PoiseStatus poise__levels_take(PoiseTree* tree, size_t numbers, const double* gain,
                                             const void* previous, const void* held) {
    PoiseStatus status = numbers > 0 ? poise__layout_refresh(tree) : POISE_OK;
    if (numbers == 0 || status < 0) {
        return status;
    }
    Layout* layout = &tree->solver->layout;
    Levels* levels = tree->solver->levels;
    const size_t count = (size_t)layout->goal_count * (size_t)layout->dof_count;
    if (levels && levels->valid && count == numbers) {
        memcpy(levels->previous, previous, numbers * sizeof *levels->previous);
        memcpy(levels->held, held, numbers * sizeof *levels->held);
        memcpy(levels->gain, gain, sizeof levels->gain);
    }
    return POISE_OK;
}

#endif
