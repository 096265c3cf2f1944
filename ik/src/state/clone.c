// SPDX-License-Identifier: MIT
// A second tree of the same nodes and points, in the same state, under the same handles.
#include <string.h>

#include "internal.h"

// the points' lists are the only memory that hangs below the arrays
static bool clone_points(PoiseTree* copy, const PoiseTree* tree) {
    for (int i = 0; i < tree->point_slots; i++) {
        Point* point = &copy->points[i];
        *point = tree->points[i];
        point->nodes = NULL;
        point->node_capacity = 0;
        Array nodes = {&point->nodes, sizeof *point->nodes};
        if (!poise__arrays_grow(&copy->host, &nodes, 1, &point->node_capacity, point->node_count)) {
            point->node_count = 0;
            return false;
        }
        if (point->node_count > 0) {
            memcpy(point->nodes, tree->points[i].nodes,
                   (size_t)point->node_count * sizeof *point->nodes);
        }
        copy->point_slots = i + 1;
    }
    return true;
}

PoiseTree* poise_tree_clone(const PoiseTree* tree) {
    if (!tree) {
        return NULL;
    }
    poise__steps_keep(tree);
    PoiseTreeDef def = poise_default_tree_def();
    def.node_capacity = tree->node_capacity;
    def.point_capacity = tree->point_capacity;
    def.ball_axes = tree->ball_axes;
    def.host = tree->host;
    PoiseTree* copy = poise_tree_create(&def);
    if (!copy || !clone_points(copy, tree)) {
        poise_tree_destroy(copy);
        return NULL;
    }
    if (tree->node_slots > 0) {
        size_t slots = (size_t)tree->node_slots;
        memcpy(copy->nodes, tree->nodes, slots * sizeof *tree->nodes);
        memcpy(copy->order, tree->order, (size_t)tree->node_count * sizeof *tree->order);
    }
    if (tree->point_count > 0) {
        memcpy(copy->point_order, tree->point_order,
               (size_t)tree->point_count * sizeof *tree->point_order);
    }
    copy->node_slots = tree->node_slots;
    copy->node_count = tree->node_count;
    copy->point_count = tree->point_count;
    copy->tag = tree->tag;
    copy->state = tree->state;
    copy->state.has_omega = 0;
    copy->revision = tree->revision;
    copy->set_revision = tree->set_revision;
    return copy;
}
