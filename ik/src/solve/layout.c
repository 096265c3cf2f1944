// SPDX-License-Identifier: MIT
// Makes the structure of a solve in one piece of memory when the sets change: columns of nodes,
// rows of points, and the blocks of J. A node has blocks with the points that it can move.
#include <string.h>

#include "solve.h"

// The largest sizes that a layout can have with the present registrations, whichever points and
// nodes are enabled.
typedef struct Extent {
    size_t columns;
    size_t blocks;
    size_t goals;
    size_t dofs;
    size_t rows;
    size_t jacobian;
    size_t slots;
} Extent;

static Extent measure_extent(const PoiseTree* tree) {
    Extent extent = {0};
    extent.slots = (size_t)tree->node_slots;
    extent.columns = (size_t)tree->node_count;
    for (int i = 0; i < tree->node_count; i++) {
        extent.dofs += (size_t)poise__joint_type(&tree->nodes[tree->order[i]].joint)->nv;
    }
    for (int i = 0; i < tree->point_count; i++) {
        const Point* point = &tree->points[tree->point_order[i]];
        size_t rows = (size_t)poise__point_rows(point);
        extent.goals++;
        extent.rows += rows;
        extent.blocks += (size_t)point->node_count;
        const int* nodes = poise__point_nodes(tree, point);
        for (int j = 0; j < point->node_count; j++) {
            extent.jacobian += rows * (size_t)poise__joint_type(&tree->nodes[nodes[j]].joint)->nv;
        }
    }
    return extent;
}

static void carve_arrays(Solver* solver, Carver* carver, const Extent* extent) {
    Layout* layout = &solver->layout;
    Task* task = &solver->task;
    Metric* metric = &solver->metric;
    Answer* answer = &solver->answer;
    layout->columns = poise__carve(carver, extent->columns, sizeof *layout->columns);
    layout->blocks = poise__carve(carver, extent->blocks, sizeof *layout->blocks);
    layout->goals = poise__carve(carver, extent->goals, sizeof *layout->goals);
    layout->groups = poise__carve(carver, extent->goals, sizeof *layout->groups);
    metric->groups = poise__carve(carver, extent->goals, sizeof *metric->groups);
    task->axes = poise__carve(carver, extent->dofs, sizeof *task->axes);
    task->linear = poise__carve(carver, extent->dofs, sizeof *task->linear);
    task->jacobian = poise__carve(carver, extent->jacobian, sizeof *task->jacobian);
    answer->omega = poise__carve(carver, extent->dofs, sizeof *answer->omega);
    answer->velocity = poise__carve(carver, extent->dofs, sizeof *answer->velocity);
    answer->previous_omega = poise__carve(carver, extent->dofs, sizeof *answer->previous_omega);
    metric->lower = poise__carve(carver, extent->dofs, sizeof *metric->lower);
    metric->upper = poise__carve(carver, extent->dofs, sizeof *metric->upper);
    metric->damping = poise__carve(carver, extent->dofs, sizeof *metric->damping);
    answer->fixed = poise__carve(carver, extent->dofs, sizeof *answer->fixed);
    answer->stopped = poise__carve(carver, extent->dofs, sizeof *answer->stopped);
    task->v = poise__carve(carver, extent->rows, sizeof *task->v);
    metric->row_damping = poise__carve(carver, extent->rows, sizeof *metric->row_damping);
    task->goal_velocity = poise__carve(carver, extent->rows, sizeof *task->goal_velocity);
    answer->work.residual = poise__carve(carver, extent->rows, sizeof *answer->work.residual);
    answer->work.y = poise__carve(carver, extent->rows, sizeof *answer->work.y);
    // The user may disable points: the rows may then be few enough for a factorisation.
    const size_t factored =
        extent->rows < POISE_MOST_DUAL_ROWS ? extent->rows : POISE_MOST_DUAL_ROWS;
    layout->spans = poise__carve(carver, factored, sizeof *layout->spans);
    answer->work.normal = poise__carve(carver, factored * factored, sizeof *answer->work.normal);
    answer->work.direction = poise__carve(carver, extent->dofs, sizeof *answer->work.direction);
    answer->work.gradient = poise__carve(carver, extent->dofs, sizeof *answer->work.gradient);
    layout->matrix_blocks = poise__carve(carver, extent->blocks, sizeof *layout->matrix_blocks);
    // arrays that few solves need
    layout->column_of_node = poise__carve(carver, extent->slots, sizeof *layout->column_of_node);
    layout->matrix_goals = poise__carve(carver, extent->blocks, sizeof *layout->matrix_goals);
    metric->centre = poise__carve(carver, extent->dofs, sizeof *metric->centre);
    metric->share = poise__carve(carver, extent->dofs, sizeof *metric->share);
    metric->desired = poise__carve(carver, extent->dofs, sizeof *metric->desired);
    metric->pull = poise__carve(carver, extent->dofs, sizeof *metric->pull);
    answer->work.start = poise__carve(carver, extent->dofs, sizeof *answer->work.start);
}

static bool make_room(PoiseTree* tree, const Extent* extent) {
    Layout* layout = &tree->solver->layout;
    Solver trial;
    Carver counter = {NULL, 0};
    carve_arrays(&trial, &counter, extent);
    if (counter.used > layout->size) {
        void* memory = poise_host_allocate(&tree->host, counter.used);
        if (!memory) {
            return false;
        }
        poise_host_release(&tree->host, layout->memory, layout->size);
        layout->memory = memory;
        layout->size = counter.used;
    }
    Carver carver = {layout->memory, 0};
    carve_arrays(tree->solver, &carver, extent);
    return true;
}

// True if the node can have columns.
static bool can_move(const Node* node) {
    return node->enabled && poise__joint_dof(&node->joint) > 0;
}

// True if the node has a block with the point. Massless nodes have none with a centre of mass.
static bool moves(const PoiseTree* tree, const Point* point, int slot) {
    if (point->kind != POISE_POINT_COM) {
        return true;
    }
    const int part = poise__point_part(tree, slot, point);
    for (int i = 0; i < tree->node_count; i++) {
        if (tree->nodes[tree->order[i]].mass > 0.0 && poise__carries(tree, part, tree->order[i])) {
            return true;
        }
    }
    return false;
}

static bool asks(const Point* point) {
    return point->enabled && point->weight != 0.0;
}

// True if the j-th node is the first of its group in the point's nodes, and the group moves the
// point.
static bool group_serves(const PoiseTree* tree, const Point* point, int j) {
    const int* nodes = poise__point_nodes(tree, point);
    const int leader = poise__leader(tree, nodes[j]);
    for (int i = 0; i < j; i++) {
        if (poise__leader(tree, nodes[i]) == leader) {
            return false;
        }
    }
    int count;
    const Tie* group = poise__tie_group(tree, leader, &count);
    bool some = false;
    for (int i = 0; i < count && !some; i++) {
        some =
            poise__point_sign(tree, group[i].node, point) != 0 && moves(tree, point, group[i].node);
    }
    return some && poise__group_is_enabled(tree, leader);
}

// True if the j-th node of the point has a block with the point, by itself or for its group.
static bool serves(const PoiseTree* tree, const Point* point, int j) {
    const int slot = poise__point_nodes(tree, point)[j];
    if (tree->tie_count > 0 && poise__tie(tree, slot)) {
        return group_serves(tree, point, j);
    }
    return can_move(&tree->nodes[slot]) && moves(tree, point, slot);
}

// True if some enabled node serves the point.
static bool is_served(const PoiseTree* tree, const Point* point) {
    for (int j = 0; j < point->node_count; j++) {
        if (serves(tree, point, j)) {
            return true;
        }
    }
    return false;
}

bool poise__point_is_idle(const PoiseTree* tree, const Point* point) {
    return asks(point) && !is_served(tree, point);
}

// Makes the goals and their rows from the enabled points that some enabled node serves. Counts the
// blocks of each node.
static void lay_goals(PoiseTree* tree, Layout* layout, int* blocks_of_node) {
    for (int i = 0; i < tree->point_count; i++) {
        int slot = tree->point_order[i];
        const Point* point = &tree->points[slot];
        if (!asks(point)) {
            continue;
        }
        if (!is_served(tree, point)) {
            layout->idle_count++;
            continue;
        }
        Goal* goal = &layout->goals[layout->goal_count++];
        memset(goal, 0, sizeof *goal);
        goal->point = slot;
        goal->first_row = layout->row_count;
        goal->rows = poise__point_rows(point);
        goal->plain = point->kind <= POISE_POINT_POSE && point->frame == NO_SLOT &&
                      point->rows == POISE_ROWS_ALL && point->row_axes == POISE_ROW_AXES_WORLD;
        goal->along_world = point->frame == NO_SLOT && point->row_axes == POISE_ROW_AXES_WORLD;
        layout->has_com = layout->has_com || point->kind == POISE_POINT_COM;
        goal->has_position = poise__point_has_position(point);
        goal->has_orientation = poise__point_has_orientation(point);
        goal->scale = sqrt(point->weight);
        goal->priority = point->priority;
        if (layout->priorities.present == 0 || goal->priority < layout->priorities.first) {
            layout->priorities.first = goal->priority;
        }
        layout->priorities.last =
            goal->priority > layout->priorities.last ? goal->priority : layout->priorities.last;
        layout->priorities.present |= 1u << (goal->priority - POISE_PRIORITY_CLOSURE);
        goal->reach = poise__point_reach(tree, point);
        layout->row_count += goal->rows;
        const int* nodes = poise__point_nodes(tree, point);
        for (int j = 0; j < point->node_count; j++) {
            blocks_of_node[poise__leader(tree, nodes[j])] += serves(tree, point, j);
        }
    }
}

// Makes the columns in the order of creation, each with space for its blocks.
static void lay_columns(PoiseTree* tree, Layout* layout) {
    int* blocks_of_node = layout->column_of_node;
    for (int i = 0; i < tree->node_count; i++) {
        int slot = tree->order[i];
        const Node* node = &tree->nodes[slot];
        const int blocks = blocks_of_node[slot];
        layout->column_of_node[slot] = NO_SLOT;
        if (blocks == 0) {
            continue;
        }
        layout->column_of_node[slot] = layout->column_count;
        Column* column = &layout->columns[layout->column_count++];
        memset(column, 0, sizeof *column);
        column->node = slot;
        column->sequence = node->sequence;
        column->first_dof = layout->dof_count;
        column->dof = poise__joint_dof(&node->joint);
        column->direct = poise__joint_is_direct(&node->joint);
        column->first_block = layout->block_count;
        column->type = poise__joint_type(&node->joint);
        column->scale = node->scale;
        column->tied = tree->tie_count > 0 && poise__tie(tree, slot);
        column->plain = !column->tied && column->type->motion_count == 1 &&
                        column->type->motions[0] == POISE_REVOLUTE;
        column->rotates = poise__joint_moves(column->type) < column->type->nv;
        column->cone = poise__joint_has_cone(&node->joint);
        layout->coned = layout->coned || column->cone;
        layout->dof_count += column->dof;
        layout->block_count += blocks;
    }
    for (int i = 0; i < tree->tie_count; i++) {
        layout->column_of_node[tree->ties[i].node] = layout->column_of_node[tree->ties[i].leader];
    }
}

// Eqs. 6-11 apply to a ball that serves exactly one position goal and no rotation.
static bool is_reduced(const PoiseTree* tree, const Column* column) {
    const Layout* layout = &tree->solver->layout;
    return tree->ball_axes == POISE_BALL_REDUCED && poise__joint_can_have_cone(column->type) &&
           column->block_count == 1 && !poise__joint_has_cone(&tree->nodes[column->node].joint) &&
           !tree->nodes[column->node].has_reference &&
           layout->goals[layout->blocks[column->first_block].goal].rows == 3 &&
           layout->goals[layout->blocks[column->first_block].goal].plain &&
           layout->goals[layout->blocks[column->first_block].goal].has_position;
}

static void lay_blocks(PoiseTree* tree, Layout* layout) {
    for (int g = 0; g < layout->goal_count; g++) {
        const Point* point = &tree->points[layout->goals[g].point];
        const int* nodes = poise__point_nodes(tree, point);
        for (int j = 0; j < point->node_count; j++) {
            int at = layout->column_of_node[nodes[j]];
            if (at != NO_SLOT && serves(tree, point, j)) {
                Column* column = &layout->columns[at];
                Block* block = &layout->blocks[column->first_block + column->block_count++];
                block->goal = g;
                block->part = poise__point_part(tree, nodes[j], point);
                block->sign =
                    point->frame == NO_SLOT ? 1.0 : poise__point_sign(tree, nodes[j], point);
            }
        }
    }
    int offset = 0;
    layout->dof_count = 0;
    for (int i = 0; i < layout->column_count; i++) {
        Column* column = &layout->columns[i];
        if (is_reduced(tree, column)) {
            column->dof = 2;
            column->direct = false;
        }
        column->turns = column->dof == 3 && poise__joint_can_have_cone(column->type);
        column->first_dof = layout->dof_count;
        layout->dof_count += column->dof;
        column->numbers = poise__blocks_place(layout, column, offset);
        offset += column->numbers;
    }
}

static int root_of(const Layout* layout, int goal) {
    while (layout->goals[goal].group != goal) {
        goal = layout->goals[goal].group;
    }
    return goal;
}

// Divides the goals into groups. Goals that share a node's columns of J, directly or through other
// goals, form one group. Groups are numbered in the order of their first goals.
static void lay_groups(Layout* layout) {
    for (int g = 0; g < layout->goal_count; g++) {
        layout->goals[g].group = g;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Block* blocks = &layout->blocks[layout->columns[i].first_block];
        const int first = root_of(layout, blocks[0].goal);
        for (int b = 1; b < layout->columns[i].block_count; b++) {
            const int other = root_of(layout, blocks[b].goal);
            const int now = root_of(layout, first);
            layout->goals[now > other ? now : other].group = now > other ? other : now;
        }
    }
    layout->group_count = 0;
    for (int g = 0; g < layout->goal_count; g++) {
        Goal* goal = &layout->goals[g];
        // The first goal of a group is its root and gets a new number; the later goals copy it.
        const bool is_root = goal->group == g;
        goal->group = is_root ? layout->group_count++ : layout->goals[goal->group].group;
        Group* group = &layout->groups[goal->group];
        if (is_root) {
            memset(group, 0, sizeof *group);
            group->span.first = goal->first_row;
        }
        group->span.end = goal->first_row + goal->rows;
    }
    for (int i = 0; i < layout->column_count; i++) {
        Column* column = &layout->columns[i];
        column->group = layout->goals[layout->blocks[column->first_block].goal].group;
    }
    for (int g = 0; layout->row_count <= POISE_MOST_DUAL_ROWS && g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        for (int r = goal->first_row; r < goal->first_row + goal->rows; r++) {
            layout->spans[r] = layout->groups[goal->group].span;
        }
    }
}

// Clears the results of nodes without a column. The other nodes keep their last steps, which
// collision avoidance needs (apart.h), also after a state was restored.
static void clear_results(PoiseTree* tree) {
    for (int i = 0; i < tree->node_count; i++) {
        if (tree->solver->layout.column_of_node[tree->order[i]] == NO_SLOT) {
            Node* node = &tree->nodes[tree->order[i]];
            memset(node->omega, 0, sizeof node->omega);
            memset(node->velocity, 0, sizeof node->velocity);
            node->has_omega = false;
            node->step_before_count = 0;
        }
    }
    tree->state.has_omega = false;
}

PoiseStatus poise__layout_refresh(PoiseTree* tree) {
    if (poise__layout_now(tree)) {
        return POISE_OK;
    }
    poise__steps_keep(tree);
    Extent extent = measure_extent(tree);
    if (!poise__solver_make(tree) || !make_room(tree, &extent)) {
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY,
                           "no memory for a solve of %d nodes and %d points", tree->node_count,
                           tree->point_count);
    }
    Layout* layout = &tree->solver->layout;
    Task* task = &tree->solver->task;
    Answer* answer = &tree->solver->answer;
    layout->valid = false;
    layout->column_count = 0;
    layout->block_count = 0;
    layout->goal_count = 0;
    layout->idle_count = 0;
    layout->dof_count = 0;
    layout->row_count = 0;
    layout->priorities = (Priorities){0, 0, 0};
    if (tree->solver->levels) {
        tree->solver->levels->valid = false;
    }
    layout->has_com = false;
    layout->coned = false;
    if (extent.slots > 0) {
        memset(layout->column_of_node, 0, extent.slots * sizeof *layout->column_of_node);
    }
    // Here column_of_node is scratch memory: it counts blocks until lay_columns fills it.
    lay_goals(tree, layout, layout->column_of_node);
    lay_columns(tree, layout);
    lay_blocks(tree, layout);
    poise__matrix_lay(layout, task);
    lay_groups(layout);
    tree->solver->all = (LevelRows){.all = true,
                                    .matrix = task->matrix,
                                    .groups = tree->solver->metric.groups,
                                    .previous = answer->previous_omega,
                                    .held = answer->fixed};
    poise__groups_count(tree, &tree->solver->all);
    PoiseStatus status = poise__has_levels(layout) ? poise__levels_make(tree) : POISE_OK;
    if (status != POISE_OK) {
        return status;
    }
    for (int d = 0; d < layout->dof_count; d++) {
        answer->omega[d] = 0.0;
        answer->fixed[d] = 0;
    }
    poise__steps_take(tree);
    clear_results(tree);
    tree->solver->stages.valid = false;
    task->filled = false;
    answer->solved = false;
    answer->has_velocity = true;
    layout->set_revision = tree->set_revision;
    layout->valid = true;
    return POISE_OK;
}
