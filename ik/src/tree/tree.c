// SPDX-License-Identifier: MIT
// Creates and destroys trees, makes handles, and keeps nodes and points in the order of creation.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tree.h"

enum { DEFAULT_NODES = 4, DEFAULT_POINTS = 1, MOST_SLOTS = 1 << 24, MOST_LISTED = 1 << 30 };

PoiseTreeDef poise_default_tree_def(void) {
    return (PoiseTreeDef){
        .cookie = COOKIE_TREE, .node_capacity = DEFAULT_NODES, .point_capacity = DEFAULT_POINTS};
}

static bool def_is_usable(const PoiseTreeDef* def) {
    return def && def->cookie == COOKIE_TREE && def->node_capacity >= 0 &&
           def->point_capacity >= 0 && def->node_capacity <= MOST_SLOTS &&
           def->point_capacity <= MOST_SLOTS && !def->host.allocate == !def->host.release &&
           (def->ball_axes == POISE_BALL_THREE_AXES || def->ball_axes == POISE_BALL_REDUCED);
}

PoiseStatus poise__fail(PoiseTree* tree, PoiseStatus status, const char* format, ...) {
    if (!tree) {
        return status;
    }
    char text[MESSAGE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (tree->host.log) {
        tree->host.log(POISE_ERROR, text, tree->host.user);
    }
    if (tree->status == POISE_OK) {
        tree->status = status;
        snprintf(tree->message, sizeof tree->message, "%s", text);
    }
    return status;
}

enum { NODE_ARRAYS = 2, POINT_ARRAYS = 2 };

// Lists the arrays with one element for each node slot; they grow together.
static void node_arrays(PoiseTree* tree, Array arrays[NODE_ARRAYS]) {
    arrays[0] = (Array){&tree->nodes, sizeof *tree->nodes};
    arrays[1] = (Array){&tree->order, sizeof *tree->order};
}

static void point_arrays(PoiseTree* tree, Array arrays[POINT_ARRAYS]) {
    arrays[0] = (Array){&tree->points, sizeof *tree->points};
    arrays[1] = (Array){&tree->point_order, sizeof *tree->point_order};
}

bool poise__tree_reserve_nodes(PoiseTree* tree, int count) {
    Array arrays[NODE_ARRAYS];
    node_arrays(tree, arrays);
    return poise__arrays_grow(&tree->host, arrays, NODE_ARRAYS, &tree->node_capacity, count);
}

bool poise__tree_reserve_points(PoiseTree* tree, int count) {
    Array arrays[POINT_ARRAYS];
    point_arrays(tree, arrays);
    return poise__arrays_grow(&tree->host, arrays, POINT_ARRAYS, &tree->point_capacity, count);
}

PoiseTree* poise_tree_create(const PoiseTreeDef* def) {
    if (!def_is_usable(def)) {
        return NULL;
    }
    PoiseTree* tree = poise_host_allocate(&def->host, sizeof *tree);
    if (!tree) {
        return NULL;
    }
    memset(tree, 0, sizeof *tree);
    tree->host = def->host;
    tree->ball_axes = def->ball_axes;
    // The tag identifies the tree in handles. Results do not depend on it.
    const uint32_t hash = (uint32_t)((uintptr_t)tree >> 4) * 2654435761u;
    tree->tag = (uint16_t)((hash >> 16) | 1u);
    tree->state.frame_epoch = 1;
    if (!poise__tree_reserve_nodes(tree, def->node_capacity) ||
        !poise__tree_reserve_points(tree, def->point_capacity) ||
        !poise__lists_reserve(tree, def->node_capacity + 1)) {
        poise_tree_destroy(tree);
        return NULL;
    }
    return tree;
}

bool poise__lists_reserve(PoiseTree* tree, int more) {
    const Array lists = {&tree->lists, sizeof *tree->lists};
    return more <= MOST_LISTED - tree->list_count &&
           poise__arrays_grow(&tree->host, &lists, 1, &tree->list_capacity,
                              tree->list_count + more);
}

void poise_tree_destroy(PoiseTree* tree) {
    if (!tree) {
        return;
    }
    PoiseHost host = tree->host;
    if (tree->claim) {
        tree->claim->tree = NULL;
    }
    for (RowSource* source = tree->row_sources; source; source = source->next) {
        source->tree = NULL;
    }
    if (tree->finish_solver) {
        tree->finish_solver(tree);
    }
    Array nodes[NODE_ARRAYS];
    node_arrays(tree, nodes);
    poise__arrays_finish(&host, nodes, NODE_ARRAYS, &tree->node_capacity);
    Array points[POINT_ARRAYS];
    point_arrays(tree, points);
    poise__arrays_finish(&host, points, POINT_ARRAYS, &tree->point_capacity);
    const Array ties = {&tree->ties, sizeof *tree->ties};
    poise__arrays_finish(&host, &ties, 1, &tree->tie_capacity);
    const Array lists = {&tree->lists, sizeof *tree->lists};
    poise__arrays_finish(&host, &lists, 1, &tree->list_capacity);
    poise_host_release(&host, tree, sizeof *tree);
}

bool poise_tree_claim(PoiseTree* tree, PoiseTreeClaim* claim) {
    if (!tree || !claim || tree->claim) {
        return false;
    }
    claim->tree = tree;
    tree->claim = claim;
    return true;
}

void poise_tree_release(PoiseTreeClaim* claim) {
    if (claim && claim->tree) {
        claim->tree->claim = NULL;
        claim->tree = NULL;
    }
}

void poise__row_source_add(PoiseTree* tree, RowSource* source) {
    RowSource** end = &tree->row_sources;
    while (*end) {
        end = &(*end)->next;
    }
    source->tree = tree;
    source->next = NULL;
    *end = source;
}

void poise__row_source_remove(RowSource* source) {
    for (RowSource** at = source->tree ? &source->tree->row_sources : NULL; at && *at;
         at = &(*at)->next) {
        if (*at == source) {
            *at = source->next;
            break;
        }
    }
    source->tree = NULL;
}

PoiseStatus poise_tree_status(const PoiseTree* tree) {
    return tree ? tree->status : POISE_ERROR_INVALID_ARGUMENT;
}

void poise_tree_clear_status(PoiseTree* tree) {
    if (tree) {
        tree->status = POISE_OK;
        tree->message[0] = '\0';
    }
}

const char* poise_tree_message(const PoiseTree* tree) {
    return tree ? tree->message : "";
}

int poise_tree_node_count(const PoiseTree* tree) {
    return tree ? tree->node_count : 0;
}

int poise_tree_point_count(const PoiseTree* tree) {
    return tree ? tree->point_count : 0;
}

PoiseNodeId poise_tree_node(const PoiseTree* tree, int index) {
    return tree && index >= 0 && index < tree->node_count ? poise__node_id(tree, tree->order[index])
                                                          : poise_null_node();
}

PoisePointId poise_tree_point(const PoiseTree* tree, int index) {
    return tree && index >= 0 && index < tree->point_count
               ? poise__point_id(tree, tree->point_order[index])
               : poise_null_point();
}

static const char* why_not_a_handle(const PoiseTree* tree, uint32_t index1, uint16_t tag,
                                    int slots) {
    if (index1 == 0) {
        return "is null: what made it or looked it up found none";
    }
    if (tag != tree->tag) {
        return "is of another tree";
    }
    return index1 > (uint32_t)slots ? "was never made" : "has been destroyed";
}

Node* poise__node_or_fail(PoiseTree* tree, PoiseNodeId id, const char* call) {
    Node* node = poise__node(tree, id);
    if (!node && tree) {
        poise__fail(tree, POISE_ERROR_INVALID_HANDLE, "%s: node handle %u %s", call,
                    (unsigned)id.index1,
                    why_not_a_handle(tree, id.index1, id.tree, tree->node_slots));
    }
    return node;
}

Point* poise__point_or_fail(PoiseTree* tree, PoisePointId id, const char* call) {
    Point* point = poise__point(tree, id);
    if (!point && tree) {
        poise__fail(tree, POISE_ERROR_INVALID_HANDLE, "%s: point handle %u %s", call,
                    (unsigned)id.index1,
                    why_not_a_handle(tree, id.index1, id.tree, tree->point_slots));
    }
    return point;
}

PoiseNodeId poise__node_id(const PoiseTree* tree, int slot) {
    return (PoiseNodeId){(uint32_t)slot + 1, tree->nodes[slot].generation, tree->tag};
}

PoisePointId poise__point_id(const PoiseTree* tree, int slot) {
    return (PoisePointId){(uint32_t)slot + 1, tree->points[slot].generation, tree->tag};
}

int poise__node_slot(const PoiseTree* tree, const Node* node) {
    return (int)(node - tree->nodes);
}

int poise__point_slot(const PoiseTree* tree, const Point* point) {
    return (int)(point - tree->points);
}

void poise__make_stale(PoiseTree* tree) {
    tree->state.frame_epoch++;
    tree->state.fresh_nodes = 0;
}

void poise__sets_changed(PoiseTree* tree) {
    tree->set_revision++;
    tree->revision++;
}

uint64_t poise_tree_revision(const PoiseTree* tree) {
    return tree ? tree->revision : 0;
}
