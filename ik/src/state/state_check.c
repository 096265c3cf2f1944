// SPDX-License-Identifier: MIT
// Checks a state before it replaces that of a tree. The checksum proves that the memory is
// undamaged, but not that Poise wrote it. Therefore every index, count, kind and flag is checked,
// and every number that a setter checks. Results and memories of earlier steps are not: solves
// ignore numbers that are not finite.
#include <stddef.h>
#include <string.h>

#include "state.h"

// The sizes and offsets of members that nodes and points both have.
static const struct {
    size_t size;
    size_t alive;
    size_t sequence;
} PLACES[] = {[NODES] = {sizeof(Node), offsetof(Node, alive), offsetof(Node, sequence)},
              [POINTS] = {sizeof(Point), offsetof(Point, alive), offsetof(Point, sequence)}};

// Returns the address of the node or point in a slot.
static const char* element_at(const State* state, StateArray slots, int slot) {
    return state->arrays[slots] + (size_t)slot * PLACES[slots].size;
}

static bool is_living(const State* state, StateArray slots, int slot) {
    return slot >= 0 && slot < state->head.counts[slots] &&
           element_at(state, slots, slot)[PLACES[slots].alive] == 1;
}

static uint64_t sequence_of(const State* state, StateArray slots, int slot) {
    uint64_t sequence;
    memcpy(&sequence, element_at(state, slots, slot) + PLACES[slots].sequence, sizeof sequence);
    return sequence;
}

static Node node_at(const State* state, int slot) {
    Node node;
    memcpy(&node, element_at(state, NODES, slot), sizeof node);
    return node;
}

static Tie tie_at(const State* state, int index) {
    Tie tie;
    memcpy(&tie, state->arrays[TIES] + (size_t)index * sizeof tie, sizeof tie);
    return tie;
}

// True if `count` elements of the order from `first` on are living slots, sorted by creation.
static bool are_in_order(const State* state, StateArray array, int first, int count) {
    const StateArray slots = array == POINT_ORDER ? POINTS : NODES;
    uint64_t before = 0;
    for (int i = first; i < first + count; i++) {
        int slot;
        memcpy(&slot, state->arrays[array] + (size_t)i * sizeof slot, sizeof slot);
        if (!is_living(state, slots, slot) || sequence_of(state, slots, slot) <= before) {
            return false;
        }
        before = sequence_of(state, slots, slot);
    }
    return before <= state->head.state.next_sequence;
}

// True if the order contains each living slot once.
static bool is_order(const State* state, StateArray slots, StateArray order) {
    int living = 0;
    for (int i = 0; i < state->head.counts[slots]; i++) {
        living += is_living(state, slots, i);
    }
    const int count = state->head.counts[order];
    return living == count && are_in_order(state, order, 0, count);
}

static const char* node_problem(const State* state, int slot) {
    const char* element = element_at(state, NODES, slot);
    if (!poise_saved_are_flags(element, POISE_SAVED_FLAGS(Node, alive, step_is_direct)) ||
        !poise_saved_are_flags(element, POISE_SAVED_FLAGS(Node, joint.limited, joint.parallel))) {
        return "a flag of a node is neither 0 nor 1";
    }
    const Node node = node_at(state, slot);
    if (node.step_before_count > POISE_MAX_NV) {
        return "a step before has too many numbers";
    }
    if (!node.alive) {
        return NULL;
    }
    if (node.parent != NO_SLOT && (!is_living(state, NODES, node.parent) ||
                                   sequence_of(state, NODES, node.parent) >= node.sequence)) {
        return "a node's parent does not live or is younger than the node";
    }
    const bool sound = poise__joint_is_sound(&node.joint) && node.max_speed > 0.0 &&
                       node.scale > 0.0 && node.scale * node.scale > 0.0 && isfinite(node.scale) &&
                       node.mass >= 0.0 && isfinite(node.mass) && poise_is_finite3(node.com_link) &&
                       poise__is_frame(node.base);
    return sound ? NULL : "a node's numbers are out of their ranges";
}

// True if the numbers of a living point are within the ranges that its setters allow.
static bool is_point(const Point* point) {
    bool bounds = point->max_speed > 0.0 && point->max_turn_speed > 0.0;
    for (int k = 0; k < 2; k++) {
        bounds = bounds && point->max_acceleration[k] > 0.0 && point->max_jerk[k] > 0.0;
    }
    return bounds && point->kind >= POISE_POINT_POSITION && point->kind <= POISE_POINT_COM &&
           poise__are_rows(point->kind, point->rows, point->row_axes) &&
           poise__is_yield(point->yield, point->yield_rows) && point->tip_radius >= 0.0 &&
           isfinite(point->tip_radius) && point->priority >= POISE_PRIORITY_CLOSURE &&
           point->priority < POISE_PRIORITIES && point->weight >= 0.0 && isfinite(point->weight) &&
           poise__is_frame(point->in_link) && poise__is_frame(point->goal) &&
           poise__is_direction(point->axis) && poise__is_direction(point->direction) &&
           point->damping_gain >= 0.0 && isfinite(point->damping_gain);
}

// Returns why a point is invalid, or NULL. `listed`: number of nodes in the lists of earlier slots.
static const char* point_problem(const State* state, int slot, int listed) {
    const PoiseSavedFlags flags[] = {
        POISE_SAVED_FLAGS(Point, alive, enabled), POISE_SAVED_FLAGS(Point, yields, is_followed),
        POISE_SAVED_FLAGS(Point, is_met, is_met), POISE_SAVED_FLAGS(Point, track.runs, track.runs)};
    const char* element = element_at(state, POINTS, slot);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (!poise_saved_are_flags(element, flags[i])) {
            return "a flag of a point is neither 0 nor 1";
        }
    }
    Point point;
    memcpy(&point, element, sizeof point);
    if (point.first_node != listed || point.node_count < 0 ||
        point.node_count > state->head.counts[LISTS] - listed ||
        (!point.alive && point.node_count > 0)) {
        return "the lists of the points are not one behind the other";
    }
    if (!point.alive) {
        return NULL;
    }
    if (!is_point(&point)) {
        return "a point's numbers are out of their ranges";
    }
    if (!is_living(state, NODES, point.link) ||
        (point.frame != NO_SLOT && !is_living(state, NODES, point.frame))) {
        return "a point is on a node that does not live";
    }
    if (point.escape.steps_since_kick < 0 || point.escape.fruitless_kicks < 0 ||
        point.escape.fruitless_kicks == INT32_MAX) {
        return "a point's kicks are out of their range";
    }
    return are_in_order(state, LISTS, listed, point.node_count)
               ? NULL
               : "a point's list names a node that does not live, or is out of order";
}

// Checks ties: each group begins with the leader's tie, and no node occurs twice.
static const char* ties_problem(const State* state) {
    int leader = NO_SLOT;
    for (int i = 0; i < state->head.counts[TIES]; i++) {
        const Tie tie = tie_at(state, i);
        const bool own = tie.node == tie.leader;
        if (!is_living(state, NODES, tie.node)) {
            return "a node that follows another does not live";
        }
        const Node node = node_at(state, tie.node);
        if (poise__joint_type(&node.joint)->nq != 1 || !isfinite(tie.ratio) || tie.ratio == 0.0 ||
            !isfinite(tie.offset) || (own && (tie.ratio != 1.0 || tie.offset != 0.0)) ||
            !poise__is_range(tie.lower, tie.upper) || !(tie.max_speed > 0.0)) {
            return "the numbers of a node that follows another are out of range";
        }
        leader = own ? tie.node : leader;
        bool twice = tie.leader != leader;
        for (int k = 0; k < i; k++) {
            twice = twice || tie_at(state, k).node == tie.node;
        }
        if (twice) {
            return "a node follows one that does not lead, or two others";
        }
    }
    return NULL;
}

const char* poise__state_problem(const State* state) {
    const char* wrong = NULL;
    int listed = 0;
    for (int i = 0; i < state->head.counts[NODES] && !wrong; i++) {
        wrong = node_problem(state, i);
    }
    for (int i = 0; i < state->head.counts[POINTS] && !wrong; i++) {
        wrong = point_problem(state, i, listed);
        int count;
        memcpy(&count, element_at(state, POINTS, i) + offsetof(Point, node_count), sizeof count);
        listed += wrong ? 0 : count;
    }
    if (wrong) {
        return wrong;
    }
    const int fresh = state->head.state.fresh_nodes;
    if (!is_order(state, NODES, ORDER) || !is_order(state, POINTS, POINT_ORDER) ||
        listed != state->head.counts[LISTS] || fresh < 0 || fresh > state->head.counts[ORDER]) {
        return "the nodes or points are not all in the order of their creation";
    }
    return ties_problem(state);
}
