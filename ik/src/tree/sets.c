// SPDX-License-Identifier: MIT
// Registers nodes with points, and computes the sets of sec. 4.2: Cp(node), the points of a node;
// Nd(point), the nodes of a point; Nd(node), the nodes that share a point with a node. Only the
// lists Nd(point) are stored.
#include <string.h>

#include "tree.h"

bool poise__carries(const PoiseTree* tree, int node, int slot) {
    while (slot != NO_SLOT && slot != node) {
        slot = tree->nodes[slot].parent;
    }
    return slot == node;
}

static bool is_between(const PoiseTree* tree, int node, const Point* point) {
    return poise__carries(tree, node, point->link);
}

int poise__point_sign(const PoiseTree* tree, int node, const Point* point) {
    bool moves = is_between(tree, node, point);
    if (point->kind == POISE_POINT_COM) {
        return moves || poise__carries(tree, point->link, node);
    }
    return moves - (point->frame != NO_SLOT && poise__carries(tree, node, point->frame));
}

int poise__point_part(const PoiseTree* tree, int node, const Point* point) {
    return poise__carries(tree, point->link, node) ? node : point->link;
}

// Returns Nd(point), to be changed.
static int* list_of(PoiseTree* tree, const Point* point) {
    return &tree->lists[point->first_node];
}

// Resizes the list of a point to node_count + `room` elements, and moves the lists of later slots.
// tree->lists must be large enough.
static void fit_list(PoiseTree* tree, const Point* point, int room) {
    Point* later = &tree->points[poise__point_slot(tree, point) + 1];
    const Point* end = &tree->points[tree->point_slots];
    const int from = later < end ? later->first_node : tree->list_count;
    const int to = point->first_node + point->node_count + room;
    if (to == from) {
        return;
    }
    memmove(&tree->lists[to], &tree->lists[from],
            (size_t)(tree->list_count - from) * sizeof *tree->lists);
    tree->list_count += to - from;
    for (; later < end; later++) {
        later->first_node += to - from;
    }
}

void poise__list_clear(PoiseTree* tree, Point* point) {
    point->node_count = 0;
    fit_list(tree, point, 0);
}

// Returns the index of the node in Nd(point), or the index to insert it at.
static int place_in(const PoiseTree* tree, const Point* point, int node) {
    uint64_t sequence = tree->nodes[node].sequence;
    const int* nodes = poise__point_nodes(tree, point);
    int low = 0;
    int high = point->node_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (tree->nodes[nodes[middle]].sequence < sequence) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool point_has_node(const PoiseTree* tree, const Point* point, int node) {
    int at = place_in(tree, point, node);
    return at < point->node_count && poise__point_nodes(tree, point)[at] == node;
}

// True if the point is registered with the node or a node coupled to it.
static bool point_has_group(const PoiseTree* tree, const Point* point, int slot) {
    int count;
    const Tie* group = poise__tie_group(tree, slot, &count);
    bool has = point_has_node(tree, point, slot);
    for (int i = 0; i < count && !has; i++) {
        has = point_has_node(tree, point, group[i].node);
    }
    return has;
}

// Inserts the node into Nd(point), which must have space.
static void insert(PoiseTree* tree, Point* point, int node) {
    const int at = place_in(tree, point, node);
    int* nodes = list_of(tree, point);
    if (at < point->node_count && nodes[at] == node) {
        return;
    }
    memmove(&nodes[at + 1], &nodes[at], (size_t)(point->node_count - at) * sizeof *nodes);
    nodes[at] = node;
    point->node_count++;
    poise__sets_changed(tree);
}

static const char* why_not(const PoiseTree* tree, int node, const Point* point) {
    if (point->kind == POISE_POINT_COM) {
        return "neither carries the links whose centre of mass it is nor is one of them";
    }
    if (is_between(tree, node, point)) {
        return "carries the goal's frame along";
    }
    return point->frame == NO_SLOT
               ? "does not lie between the point's link and the base"
               : "lies neither between the point's link and the base nor between its frame and it";
}

PoiseStatus poise_register(PoiseTree* tree, PoisePointId point_id, PoiseNodeId node_id) {
    Node* node = poise__node_or_fail(tree, node_id, "poise_register");
    Point* point = node ? poise__point_or_fail(tree, point_id, "poise_register") : NULL;
    if (!point) {
        return poise__no_handle(tree);
    }
    int slot = poise__node_slot(tree, node);
    if (poise__point_sign(tree, slot, point) == 0) {
        return poise__fail(
            tree, POISE_ERROR_CANNOT_MOVE, "poise_register: node %u cannot move point %u: it %s",
            (unsigned)node_id.index1, (unsigned)point_id.index1, why_not(tree, slot, point));
    }
    if (!poise__lists_reserve(tree, 1)) {
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_register: no memory");
    }
    fit_list(tree, point, 1);
    insert(tree, point, slot);
    fit_list(tree, point, 0);
    return POISE_OK;
}

bool poise_is_registered(const PoiseTree* tree, PoisePointId point_id, PoiseNodeId node_id) {
    const Node* node = poise__node(tree, node_id);
    const Point* point = poise__point(tree, point_id);
    return node && point && point_has_node(tree, point, poise__node_slot(tree, node));
}

PoiseStatus poise_unregister(PoiseTree* tree, PoisePointId point_id, PoiseNodeId node_id) {
    Node* node = poise__node_or_fail(tree, node_id, "poise_unregister");
    Point* point = node ? poise__point_or_fail(tree, point_id, "poise_unregister") : NULL;
    if (!point) {
        return poise__no_handle(tree);
    }
    int slot = poise__node_slot(tree, node);
    int at = place_in(tree, point, slot);
    int* nodes = list_of(tree, point);
    if (at < point->node_count && nodes[at] == slot) {
        point->node_count--;
        memmove(&nodes[at], &nodes[at + 1], (size_t)(point->node_count - at) * sizeof *nodes);
        fit_list(tree, point, 0);
        poise__sets_changed(tree);
    }
    return POISE_OK;
}

PoiseStatus poise_register_chain(PoiseTree* tree, PoisePointId point_id, PoiseNodeId last_id) {
    Point* point = poise__point_or_fail(tree, point_id, "poise_register_chain");
    if (!point) {
        return poise__no_handle(tree);
    }
    int end = NO_SLOT;
    if (last_id.index1 != 0 || last_id.tree != 0) {
        Node* node = poise__node_or_fail(tree, last_id, "poise_register_chain: last");
        if (!node) {
            return poise__no_handle(tree);
        }
        if (!is_between(tree, poise__node_slot(tree, node), point)) {
            return poise__fail(tree, POISE_ERROR_CANNOT_MOVE,
                               "poise_register_chain: node %u does not lie between the link of "
                               "point %u and the base",
                               (unsigned)last_id.index1, (unsigned)point_id.index1);
        }
        end = node->parent;
    }
    int count = 0;
    for (int slot = point->link; slot != end; slot = tree->nodes[slot].parent) {
        count++;
    }
    if (!poise__lists_reserve(tree, count)) {
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_register_chain: no memory");
    }
    fit_list(tree, point, count);
    for (int slot = point->link; slot != end; slot = tree->nodes[slot].parent) {
        if (poise__point_sign(tree, slot, point) != 0) {
            insert(tree, point, slot);
        }
    }
    fit_list(tree, point, 0);
    return POISE_OK;
}

PoiseStatus poise_register_all(PoiseTree* tree, PoisePointId point_id) {
    Point* point = poise__point_or_fail(tree, point_id, "poise_register_all");
    if (!point) {
        return poise__no_handle(tree);
    }
    if (!poise__lists_reserve(tree, tree->node_count)) {
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_register_all: no memory");
    }
    fit_list(tree, point, tree->node_count);
    for (int i = 0; i < tree->node_count; i++) {
        if (poise__point_sign(tree, tree->order[i], point) != 0) {
            insert(tree, point, tree->order[i]);
        }
    }
    fit_list(tree, point, 0);
    return POISE_OK;
}

void poise__sets_forget(PoiseTree* tree, int root) {
    for (int i = 0; i < tree->point_count; i++) {
        Point* point = &tree->points[tree->point_order[i]];
        int* nodes = list_of(tree, point);
        int kept = 0;
        for (int n = 0; n < point->node_count; n++) {
            if (!poise__carries(tree, root, nodes[n])) {
                nodes[kept++] = nodes[n];
            }
        }
        point->node_count = kept;
        fit_list(tree, point, 0);
    }
}

// Returns the sum of the ranges of a node's prismatic motions, m.
static double travel_of(const Node* node) {
    const PoiseJointType* type = poise__joint_type(&node->joint);
    double travel = 0.0;
    for (int d = 0; d < poise__joint_moves(type); d++) {
        const bool off = poise__joint_has_switches(type) && (node->joint.free_axes >> d & 1) == 0;
        travel += off ? 0.0 : node->joint.upper[d] - node->joint.lower[d];
    }
    return travel;
}

// Returns the length, m, of the path from `from`, on the link of `slot`, toward the base. It ends
// at the point's last node on this branch.
static double branch_reach(const PoiseTree* tree, const Point* point, int slot, PoiseVec3 from) {
    double reach = 0.0, walked = 0.0;
    for (; slot != NO_SLOT; slot = tree->nodes[slot].parent) {
        const Node* node = &tree->nodes[slot];
        walked += poise_length(poise_sub(from, poise_pose_inverse(node->joint.link_in_joint).p));
        if (point_has_group(tree, point, slot)) {
            walked += travel_of(node);
            reach = walked;
        }
        from = node->joint.joint_in_parent.p;
    }
    return reach;
}

// Returns the reach of a centre of mass, m: the mean over its links, weighted by mass.
static double com_reach(const PoiseTree* tree, const Point* point) {
    double sum = 0.0, mass = 0.0;
    for (int i = 0; i < tree->node_count; i++) {
        const Node* node = &tree->nodes[tree->order[i]];
        if (node->mass > 0.0 && poise__carries(tree, point->link, tree->order[i])) {
            sum += node->mass * branch_reach(tree, point, tree->order[i], node->com_link);
            mass += node->mass;
        }
    }
    return mass > 0.0 ? sum / mass : 0.0;
}

double poise__point_reach(const PoiseTree* tree, const Point* point) {
    if (point->kind == POISE_POINT_COM) {
        return com_reach(tree, point);
    }
    double reach = branch_reach(tree, point, point->link, point->in_link.p);
    if (point->frame != NO_SLOT) {
        reach += branch_reach(tree, point, point->frame, poise_vec3(0.0, 0.0, 0.0));
    }
    return reach;
}

// ----------------------------------------------------------------------------- getters of the sets

int poise_node_points(PoiseTree* tree, PoiseNodeId id, PoisePointId* points, int capacity) {
    const Node* node = poise__node(tree, id);
    if (!node) {
        return 0;
    }
    int slot = poise__node_slot(tree, node);
    int count = 0;
    for (int i = 0; i < tree->point_count; i++) {
        if (point_has_group(tree, &tree->points[tree->point_order[i]], slot)) {
            if (points && count < capacity) {
                points[count] = poise__point_id(tree, tree->point_order[i]);
            }
            count++;
        }
    }
    return count;
}

int poise_point_nodes(PoiseTree* tree, PoisePointId id, PoiseNodeId* nodes, int capacity) {
    const Point* point = poise__point(tree, id);
    if (!point) {
        return 0;
    }
    for (int i = 0; nodes && i < point->node_count && i < capacity; i++) {
        nodes[i] = poise__node_id(tree, poise__point_nodes(tree, point)[i]);
    }
    return point->node_count;
}

static bool share_a_point(const PoiseTree* tree, int a, int b) {
    for (int i = 0; i < tree->point_count; i++) {
        const Point* point = &tree->points[tree->point_order[i]];
        if (point->enabled && point->weight > 0.0 && point_has_group(tree, point, a) &&
            point_has_group(tree, point, b)) {
            return true;
        }
    }
    return false;
}

int poise_node_neighbours(PoiseTree* tree, PoiseNodeId id, PoiseNodeId* nodes, int capacity) {
    const Node* node = poise__node(tree, id);
    if (!node) {
        return 0;
    }
    int slot = poise__node_slot(tree, node);
    int count = 0;
    for (int i = 0; i < tree->node_count; i++) {
        if (share_a_point(tree, slot, tree->order[i])) {
            if (nodes && count < capacity) {
                nodes[count] = poise__node_id(tree, tree->order[i]);
            }
            count++;
        }
    }
    return count;
}
