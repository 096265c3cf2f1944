// SPDX-License-Identifier: MIT
// Assigns the numbers of J their places and makes the matrix of the solvers. A dof's numbers for
// all its goals are adjacent. Adjacent goals of one priority share a block, and so do adjacent
// columns with the same goals, because products with few large blocks cost least.
#include "layout.h"

// Returns how many blocks of the column, from `first` on, have adjacent goals of one priority.
static int run_of(const Layout* layout, const Column* column, int first) {
    const Block* blocks = &layout->blocks[column->first_block + first];
    int count = 1;
    while (first + count < column->block_count && blocks[count].goal == blocks[0].goal + count &&
           layout->goals[blocks[count].goal].priority == layout->goals[blocks[0].goal].priority) {
        count++;
    }
    return count;
}

int poise__blocks_place(Layout* layout, const Column* column, int offset) {
    Block* blocks = &layout->blocks[column->first_block];
    int rows = 0;
    for (int b = 0; b < column->block_count; b++) {
        blocks[b].offset = offset + rows;
        rows += layout->goals[blocks[b].goal].rows;
    }
    for (int b = 0; b < column->block_count; b++) {
        blocks[b].stride = rows;
    }
    return column->dof * rows;
}

static bool have_same_goals(const Layout* layout, const Column* a, const Column* b) {
    bool same = a->block_count == b->block_count;
    for (int i = 0; same && i < a->block_count; i++) {
        same = layout->blocks[a->first_block + i].goal == layout->blocks[b->first_block + i].goal;
    }
    return same;
}

void poise__matrix_lay(Layout* layout, Task* task) {
    int count = 0, first = 0; // `first`: first block of the last columns with the same goals
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Block* blocks = &layout->blocks[column->first_block];
        if (i > 0 && have_same_goals(layout, column - 1, column)) {
            for (int b = first; b < count; b++) {
                layout->matrix_blocks[b].columns += column->dof;
            }
            continue;
        }
        first = count;
        for (int b = 0, run; b < column->block_count; b += run) {
            run = run_of(layout, column, b);
            int rows = 0;
            for (int k = b; k < b + run; k++) {
                rows += layout->goals[blocks[k].goal].rows;
            }
            layout->matrix_goals[count] = blocks[b].goal;
            layout->matrix_blocks[count++] = (PoiseBlock){layout->goals[blocks[b].goal].first_row,
                                                          rows,
                                                          column->first_dof,
                                                          column->dof,
                                                          blocks[b].offset,
                                                          blocks[b].stride};
        }
    }
    task->matrix = (PoiseMatrix){layout->row_count, layout->dof_count, count, layout->matrix_blocks,
                                 task->jacobian};
}
