// SPDX-License-Identifier: MIT
// Copies of a tree: the same nodes and points, in the same state, under the same handles.
#include "levels.h"

static bool reserve(PoiseTree* to, const PoiseTree* from) {
    if (!poise__tree_reserve_nodes(to, from->node_slots) ||
        !poise__tree_reserve_points(to, from->point_slots) ||
        !poise__ties_reserve(to, from->tie_count)) {
        return false;
    }
    for (int i = 0; i < from->point_slots; i++) {
        // unused slots of a tree are all zero
        Point* point = &to->points[i];
        Array nodes = {&point->nodes, sizeof *point->nodes};
        to->point_slots = to->point_slots > i ? to->point_slots : i + 1;
        if (!poise__arrays_grow(&to->host, &nodes, 1, &point->node_capacity,
                                from->points[i].node_count)) {
            return false;
        }
    }
    return true;
}

static void copy_array(void* to, const void* from, int count, size_t size) {
    if (count > 0) {
        memcpy(to, from, (size_t)count * size);
    }
}

// Copies the points. Each has its own list of nodes, which is no part of the array.
static void copy_points(PoiseTree* to, const PoiseTree* from) {
    for (int i = from->point_slots; i < to->point_slots; i++) {
        to->points[i].alive = false;
        to->points[i].node_count = 0;
        poise__retire(&to->points[i].generation);
    }
    for (int i = 0; i < from->point_slots; i++) {
        Point* point = &to->points[i];
        int* nodes = point->nodes;
        const int capacity = point->node_capacity;
        *point = from->points[i];
        point->nodes = nodes;
        point->node_capacity = capacity;
        copy_array(nodes, from->points[i].nodes, point->node_count, sizeof *nodes);
    }
    copy_array(to->point_order, from->point_order, from->point_count, sizeof *to->point_order);
    to->point_count = from->point_count;
}

static void copy_nodes(PoiseTree* to, const PoiseTree* from) {
    copy_array(to->nodes, from->nodes, from->node_slots, sizeof *to->nodes);
    copy_array(to->order, from->order, from->node_count, sizeof *to->order);
    copy_array(to->ties, from->ties, from->tie_count, sizeof *to->ties);
    to->tie_count = from->tie_count;
    for (int i = from->node_slots; i < to->node_slots; i++) {
        // the slot was created in `to` alone: its handles become invalid
        to->nodes[i].alive = false;
        poise__retire(&to->nodes[i].generation);
    }
    to->node_slots = to->node_slots > from->node_slots ? to->node_slots : from->node_slots;
    to->node_count = from->node_count;
}

// Returns a revision that neither tree has used for its sets.
static uint64_t next_revision(uint64_t to, uint64_t from) {
    return to < from ? from : to + 1;
}

PoiseStatus poise_tree_copy(PoiseTree* to, const PoiseTree* from) {
    if (!to) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!from) {
        return poise__fail(to, POISE_ERROR_INVALID_ARGUMENT, "poise_tree_copy: from is NULL");
    }
    if (to == from) {
        return POISE_OK;
    }
    if (to->ball_axes != from->ball_axes) {
        return poise__fail(to, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_tree_copy: the trees are of other ball axes");
    }
    if (!reserve(to, from)) {
        return poise__fail(to, POISE_ERROR_OUT_OF_MEMORY,
                           "poise_tree_copy: no memory for %d nodes and %d points",
                           from->node_count, from->point_count);
    }
    poise__steps_keep(from);
    poise__steps_forget(to);
    copy_nodes(to, from);
    copy_points(to, from);
    to->tag = from->tag;
    to->revision = next_revision(to->revision, from->revision);
    to->set_revision = next_revision(to->set_revision, from->set_revision);
    const Layout* layout = poise__layout_now(from);
    const Levels* levels = layout ? from->solver->levels : NULL;
    PoiseStatus status = POISE_OK;
    if (levels && levels->valid) {
        const size_t numbers = (size_t)layout->goal_count * (size_t)layout->dof_count;
        status = poise__levels_take(to, numbers, levels->gain, levels->previous, levels->held);
        // restore the results that poise__levels_take has cleared
        copy_array(to->nodes, from->nodes, from->node_slots, sizeof *to->nodes);
    }
    to->state = from->state;
    return status;
}

PoiseTree* poise_tree_create_like(const PoiseTree* tree) {
    if (!tree) {
        return NULL;
    }
    PoiseTreeDef def = poise_default_tree_def();
    def.node_capacity = tree->node_capacity;
    def.point_capacity = tree->point_capacity;
    def.ball_axes = tree->ball_axes;
    def.host = tree->host;
    return poise_tree_create(&def);
}

PoiseTree* poise_tree_clone(const PoiseTree* tree) {
    PoiseTree* copy = poise_tree_create_like(tree);
    if (copy && poise_tree_copy(copy, tree) != POISE_OK) {
        poise_tree_destroy(copy);
        return NULL;
    }
    return copy;
}
