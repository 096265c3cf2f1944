// SPDX-License-Identifier: MIT
// Copies the state of a tree, exactly to the last bit: sets, posture, frames, goals, and the
// solver's memory of earlier steps. poise_tree_copy reads the state of another tree,
// poise_tree_restore one that poise_tree_save wrote. The next solve makes a new layout.
#include "state.h"

#include <stddef.h>
#include <string.h>

static const uint64_t KIND = 0x4545525445534f50; // "POSETREE"

enum { VERSION = 6 };

static const size_t ELEMENTS[STATE_ARRAYS] = {
    sizeof(Node), sizeof(int), sizeof(Point),  sizeof(int),
    sizeof(int),  sizeof(Tie), sizeof(double), 1};

_Static_assert(sizeof(StateHead) % 8 == 0, "the sum goes word by word");

static size_t array_size(const State* state, int k) {
    return (size_t)state->head.counts[k] * ELEMENTS[k];
}

// Returns the number of bytes of a saved state, a multiple of 8, because the checksum sums words.
// 64 bits, since counts from a damaged file could overflow 32.
static uint64_t saved_size(const StateHead* head) {
    uint64_t size = sizeof *head;
    for (int k = 0; k < STATE_ARRAYS; k++) {
        size += (uint64_t)head->counts[k] * ELEMENTS[k];
    }
    return (size + 7) / 8 * 8;
}

static State state_of(const PoiseTree* tree) {
    static const size_t sizes[] = {sizeof(StateHead), sizeof(Node), sizeof(Point), sizeof(Tie)};
    State state;
    memset(&state, 0, sizeof state);
    StateHead* head = &state.head;
    head->saved = poise_saved_head(KIND, VERSION, sizes, sizeof sizes / sizeof sizes[0]);
    head->state = tree->state;
    head->ball_axes = (int32_t)tree->ball_axes;
    const Layout* layout = poise__layout_now(tree);
    const Levels* levels = layout ? tree->solver->levels : NULL;
    const bool remembers = levels && levels->valid;
    const int numbers = remembers ? levels->count * layout->dof_count : 0;
    const int counts[STATE_ARRAYS] = {tree->node_slots,  tree->node_count, tree->point_slots,
                                      tree->point_count, tree->list_count, tree->tie_count,
                                      numbers,           numbers};
    const void* const arrays[STATE_ARRAYS] = {tree->nodes,
                                              tree->order,
                                              tree->points,
                                              tree->point_order,
                                              tree->lists,
                                              tree->ties,
                                              remembers ? levels->previous : NULL,
                                              remembers ? levels->held : NULL};
    for (int k = 0; k < STATE_ARRAYS; k++) {
        head->counts[k] = counts[k];
        state.arrays[k] = (const char*)arrays[k];
    }
    return state;
}

// Copies array k of the state to `to`, which is large enough.
static void copy_array(void* to, const State* from, int k) {
    if (from->head.counts[k] > 0) {
        memcpy(to, from->arrays[k], array_size(from, k));
    }
}

// Empties the slots that the state does not have; their handles become invalid.
static void retire_others(PoiseTree* tree, const State* state) {
    const int nodes = state->head.counts[NODES], points = state->head.counts[POINTS];
    for (int i = nodes; i < tree->node_slots; i++) {
        tree->nodes[i].alive = false;
        poise__retire(&tree->nodes[i].generation);
    }
    for (int i = points; i < tree->point_slots; i++) {
        tree->points[i].alive = false;
        poise__retire(&tree->points[i].generation);
        tree->points[i].first_node = tree->list_count;
        tree->points[i].node_count = 0;
    }
    tree->node_slots = tree->node_slots > nodes ? tree->node_slots : nodes;
    tree->point_slots = tree->point_slots > points ? tree->point_slots : points;
}

// Makes the layout and copies the levels' last steps into it. A new layout clears results of nodes,
// so these are copied again.
static PoiseStatus take_levels(PoiseTree* tree, const State* state) {
    const PoiseStatus status = poise__layout_refresh(tree);
    if (status < 0) {
        return status;
    }
    const Layout* layout = &tree->solver->layout;
    Levels* levels = tree->solver->levels;
    if (levels && levels->valid &&
        levels->count * layout->dof_count == state->head.counts[PREVIOUS]) {
        copy_array(levels->previous, state, PREVIOUS);
        copy_array(levels->held, state, HELD);
    }
    copy_array(tree->nodes, state, NODES);
    return POISE_OK;
}

// Sets the tree to the state. After POISE_ERROR_OUT_OF_MEMORY, `taken` is true if only the solver's
// memory is missing.
static PoiseStatus take_state(PoiseTree* tree, const State* state, uint64_t revision, bool* taken) {
    const int32_t* counts = state->head.counts;
    *taken = poise__tree_reserve_nodes(tree, counts[NODES]) &&
             poise__tree_reserve_points(tree, counts[POINTS]) &&
             poise__ties_reserve(tree, counts[TIES]) &&
             poise__lists_reserve(tree, counts[LISTS] - tree->list_count);
    if (!*taken) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    poise__steps_forget(tree);
    void* const arrays[] = {tree->nodes,       tree->order, tree->points,
                            tree->point_order, tree->lists, tree->ties};
    for (int k = 0; k <= TIES; k++) {
        copy_array(arrays[k], state, k);
    }
    tree->node_count = counts[ORDER];
    tree->point_count = counts[POINT_ORDER];
    tree->list_count = counts[LISTS];
    tree->tie_count = counts[TIES];
    retire_others(tree, state);
    // gives the tree a revision that neither tree has had
    tree->revision = tree->revision < revision ? revision : tree->revision + 1;
    tree->set_revision = tree->set_revision < revision ? revision : tree->set_revision + 1;
    const PoiseStatus status = counts[PREVIOUS] > 0 ? take_levels(tree, state) : POISE_OK;
    tree->state = state->head.state;
    return status;
}

// ------------------------------------------------------------------------------------------ copies

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
    poise__steps_keep(from);
    const State state = state_of(from);
    bool taken;
    const PoiseStatus status = take_state(to, &state, from->revision, &taken);
    if (!taken) {
        return poise__fail(to, status, "poise_tree_copy: no memory for %d nodes and %d points",
                           from->node_count, from->point_count);
    }
    to->tag = from->tag;
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

// ------------------------------------------------------------------------------------ saved states

size_t poise_tree_save_size(const PoiseTree* tree) {
    if (!tree) {
        return 0;
    }
    const State state = state_of(tree);
    return (size_t)saved_size(&state.head);
}

PoiseStatus poise_tree_save(const PoiseTree* tree, void* memory, size_t size) {
    if (!tree || !memory || size < poise_tree_save_size(tree)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    poise__steps_keep(tree);
    const State state = state_of(tree);
    const size_t saved = (size_t)saved_size(&state.head);
    memset((char*)memory + saved - 8, 0, 8); // the last word may contain padding
    memcpy(memory, &state.head, sizeof state.head);
    char* to = (char*)memory + sizeof state.head;
    for (int k = 0; k < STATE_ARRAYS; k++) {
        copy_array(to, &state, k);
        to += array_size(&state, k);
    }
    return poise_saved_seal(&state.head.saved, memory, saved);
}

// Returns why the memory does not hold a state for this tree, or NULL. Fills `state` with addresses
// in the memory.
static const char* problem(const PoiseTree* tree, const void* memory, size_t size, State* state) {
    if (!tree) {
        return "the tree is NULL";
    }
    const StateHead own = state_of(tree).head;
    StateHead* head = &state->head;
    PoiseSavedHead found;
    const char* wrong = poise_saved_problem(&own.saved, memory, size, &found);
    if (wrong || found.size < sizeof *head) {
        return wrong ? wrong : "the state is damaged or cut short";
    }
    memcpy(head, memory, sizeof *head);
    if (head->ball_axes != own.ball_axes) {
        return "the state is of a tree of other ball axes";
    }
    bool fits = head->counts[PREVIOUS] == head->counts[HELD];
    for (int k = 0; k < STATE_ARRAYS; k++) {
        fits = fits && head->counts[k] >= 0;
    }
    if (!fits || found.size != saved_size(head)) {
        return "the state's counts do not go with its size";
    }
    const char* from = (const char*)memory + sizeof *head;
    for (int k = 0; k < STATE_ARRAYS; k++) {
        state->arrays[k] = from;
        from += array_size(state, k);
    }
    return poise__state_problem(state);
}

const char* poise_tree_restore_problem(const PoiseTree* tree, const void* memory, size_t size) {
    State state;
    return problem(tree, memory, size, &state);
}

PoiseNodeKind poise_node_saved_kind(const void* memory, size_t size, PoiseNodeId id) {
    StateHead head;
    Node node;
    const size_t most = size > sizeof head ? (size - sizeof head) / sizeof node : 0;
    if (!memory || id.index1 == 0 || id.index1 > most) {
        return (PoiseNodeKind)0;
    }
    const size_t place = sizeof head + ((size_t)id.index1 - 1) * sizeof node;
    memcpy(&head, memory, sizeof head);
    memcpy(&node, (const char*)memory + place, sizeof node);
    // reads a byte, because foreign memory may hold a value that is not a valid bool
    const unsigned char alive = ((const unsigned char*)memory)[place + offsetof(Node, alive)];
    const bool found = (int64_t)id.index1 <= head.counts[NODES] && alive == 1;
    return (PoiseNodeKind)(found && node.generation == id.generation ? node.joint.kind : 0);
}

PoiseStatus poise_tree_restore(PoiseTree* tree, const void* memory, size_t size) {
    State state;
    const char* wrong = problem(tree, memory, size, &state);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_tree_restore: %s", wrong);
    }
    bool taken;
    const PoiseStatus status = take_state(tree, &state, 0, &taken);
    if (!taken) {
        return poise__fail(tree, status, "poise_tree_restore: no memory");
    }
    tree->state.has_gravity_torques = 1;
    return status;
}
