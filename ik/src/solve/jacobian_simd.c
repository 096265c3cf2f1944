// SPDX-License-Identifier: MIT
// The columns of hinges with vectors of four numbers: as jacobian.c has them, to the last bit.
// Compiled for processors that have them; else empty.
#include "solve.h"

#ifdef __AVX2__
#include "poise/simd4.h"
#include "simd2.h"

static inline void put_four(double* out, PoiseFour v) {
    *poise__two_out(out) = (Two){v[0], v[1]};
    out[2] = v[2];
}

void poise__fill_hinge_four(const Layout* layout, const Joint* joint, const Column* column) {
    const PoiseFour anchor = poise_four_place(&joint->joint_world.p);
    const PoiseFour axis = poise_four_rotate(poise_four_rotation(&joint->joint_world.q),
                                             poise_four_place(&joint->axes[0]));
    const PoiseFour yzx = POISE_FOUR_PICK(axis, 1, 2, 0, 3),
                    zxy = POISE_FOUR_PICK(axis, 2, 0, 1, 3);
    put_four(&layout->axes[column->first_dof].x, axis);
    layout->linear[column->first_dof] = 0;
    const Block* block = &layout->blocks[column->first_block];
    for (const Block* end = block + column->block_count; block < end; block++) {
        const Goal* goal = &layout->goals[block->goal];
        const double scale = goal->frozen ? 0.0 : goal->scale * column->scale;
        double* out = &layout->jacobian[block->offset];
        if (goal->plain && goal->has_position) {
            const PoiseFour r = poise_four_place(&goal->pose.p) - anchor;
            put_four(out, POISE_FOUR_OF(scale) * poise_four_cross(yzx, zxy, r));
            out += 3;
        }
        if (goal->plain && goal->has_orientation) {
            put_four(out, POISE_FOUR_OF(scale) * axis);
        }
    }
}
#endif
