// SPDX-License-Identifier: MIT
// J with the widest vectors that the processor has. Comes after goal.c, which says where the points
// are; the solvers follow.
#define JACOBIAN_FILL poise__jacobian_fill_one

#include "jacobian_rows.h"
#include "lanes.h"

void poise__jacobian_fill(PoiseTree* tree) {
#ifdef POISE_HAS_AVX2
    if (poise__has_four_lanes()) {
        poise__jacobian_fill_four(tree);
        return;
    }
#endif
    poise__jacobian_fill_one(tree);
}
