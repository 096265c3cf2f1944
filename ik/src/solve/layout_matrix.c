// SPDX-License-Identifier: MIT
// Where the numbers of J lie, and J as the solvers see it. The rows of goals one behind the other
// are one tall block of a column, and columns one behind the other with the same rows are one
// block: few and large blocks are what products cost least with.
#include "layout.h"

// how many of the column's blocks, from this one on, are of goals one behind the other, all of one
// priority: their rows lie one behind the other too
static int run_of(const Layout* layout, const Column* column, int first) {
    const Block* blocks = &layout->blocks[column->first_block + first];
    int count = 1;
    while (first + count < column->block_count && blocks[count].goal == blocks[0].goal + count &&
           layout->goals[blocks[count].goal].priority == layout->goals[blocks[0].goal].priority) {
        count++;
    }
    return count;
}

static int rows_of_run(const Layout* layout, const Block* blocks, int count) {
    int rows = 0;
    for (int b = 0; b < count; b++) {
        rows += layout->goals[blocks[b].goal].rows;
    }
    return rows;
}

int poise__blocks_place(const Layout* layout, const Column* column, int offset) {
    const int start = offset;
    for (int first = 0, count; first < column->block_count; first += count) {
        Block* blocks = &layout->blocks[column->first_block + first];
        count = run_of(layout, column, first);
        const int stride = rows_of_run(layout, blocks, count);
        for (int b = 0; b < count; b++) {
            blocks[b].offset = offset + rows_of_run(layout, blocks, b);
            blocks[b].stride = stride;
        }
        offset += column->dof * stride;
    }
    return offset - start;
}

void poise__matrix_lay(Layout* layout) {
    int count = 0, alone = NO_SLOT; // the block before, where it is the only one of its columns
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Block* blocks = &layout->blocks[column->first_block];
        const bool single = run_of(layout, column, 0) == column->block_count;
        if (single && alone != NO_SLOT && layout->matrix_goals[alone] == blocks[0].goal &&
            layout->matrix_blocks[alone].rows == blocks[0].stride) {
            layout->matrix_blocks[alone].columns += column->dof;
            continue;
        }
        alone = single ? count : NO_SLOT;
        for (int b = 0; b < column->block_count; b += run_of(layout, column, b)) {
            layout->matrix_goals[count] = blocks[b].goal;
            layout->matrix_blocks[count++] =
                (PoiseBlock){layout->goals[blocks[b].goal].first_row, blocks[b].stride,
                             column->first_dof, column->dof, blocks[b].offset};
        }
    }
    layout->matrix = (PoiseMatrix){layout->row_count, layout->dof_count, count,
                                   layout->matrix_blocks, layout->jacobian};
}
