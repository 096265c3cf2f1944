// SPDX-License-Identifier: MIT
// The state of a tree as one block of memory, and back, exact to the last bit: sets, posture,
// frames, goals, and the solver's memory of earlier steps. Nodes and points are copied as bytes; of
// these only the points' lists have pointers. The layout is rebuilt.
#include <stddef.h>

#include "levels.h"
#include "shared/saved.h"
#include "snapshot_check.h"

static const uint64_t KIND = 0x4545525445534f50; // "POSETREE"

enum { VERSION = 3 };

typedef struct Header {
    _Alignas(8) PoiseSavedHead head; // aligned to 8 bytes on 32-bit machines too
    int32_t ball_axes;
    int32_t node_slots;
    int32_t node_count;
    int32_t point_slots;
    int32_t point_count;
    int32_t list_count;    // sum over all points
    int32_t level_numbers; // size of the solver's memory of these levels
    int32_t tie_count;
    TreeState state;
    double level_gain[POISE_LEVELS];
} Header;

_Static_assert(sizeof(Header) % 8 == 0, "the sum goes word by word");

static Header header_of(const PoiseTree* tree) {
    static const size_t sizes[] = {sizeof(Header), sizeof(Node), sizeof(Point), sizeof(Tie)};
    Header header;
    memset(&header, 0, sizeof header);
    header.head = poise_saved_head(KIND, VERSION, sizes, sizeof sizes / sizeof sizes[0]);
    header.ball_axes = (int32_t)tree->ball_axes;
    header.node_slots = tree->node_slots;
    header.node_count = tree->node_count;
    header.point_slots = tree->point_slots;
    header.point_count = tree->point_count;
    header.tie_count = tree->tie_count;
    for (int i = 0; i < tree->point_slots; i++) {
        header.list_count += tree->points[i].node_count;
    }
    const Layout* layout = poise__layout_now(tree);
    if (layout && tree->solver->levels && tree->solver->levels->valid) {
        header.level_numbers = layout->goal_count * layout->dof_count;
        memcpy(header.level_gain, tree->solver->levels->gain, sizeof header.level_gain);
    }
    header.state = tree->state;
    return header;
}

// Rounds up to words of 8 bytes, which the checksum sums.
static uint64_t padded(uint64_t size) {
    return (size + 7) / 8 * 8;
}

// Returns the size of the body. 64 bits: counts in a damaged file could overflow 32 bits.
static uint64_t body_size(const Header* header) {
    const uint64_t nodes = (uint64_t)header->node_slots;
    const uint64_t points = (uint64_t)header->point_slots;
    const uint64_t ints = (uint64_t)header->node_count + (uint64_t)header->point_count;
    const uint64_t numbers = (uint64_t)header->level_numbers;
    return padded(numbers * (sizeof(double) + 1) + nodes * sizeof(Node) + points * sizeof(Point) +
                  (ints + (uint64_t)header->list_count) * sizeof(int) +
                  (uint64_t)header->tie_count * sizeof(Tie));
}

size_t poise_tree_save_size(const PoiseTree* tree) {
    if (!tree) {
        return 0;
    }
    Header header = header_of(tree);
    return sizeof header + (size_t)body_size(&header);
}

static char* put(char* to, const void* from, size_t count, size_t size) {
    if (count > 0) {
        memcpy(to, from, count * size);
    }
    return to + count * size;
}

static const char* take(const char* from, void* to, size_t count, size_t size) {
    if (count > 0) {
        memcpy(to, from, count * size);
    }
    return from + count * size;
}

PoiseStatus poise_tree_save(const PoiseTree* tree, void* memory, size_t size) {
    if (!tree || !memory || size < poise_tree_save_size(tree)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    poise__steps_keep(tree);
    Header header = header_of(tree);
    const size_t body = (size_t)body_size(&header);
    char* start = (char*)memory + sizeof header;
    memset(start, 0, body);
    char* to = put(start, tree->nodes, (size_t)tree->node_slots, sizeof *tree->nodes);
    to = put(to, tree->order, (size_t)tree->node_count, sizeof *tree->order);
    for (int i = 0; i < tree->point_slots; i++) {
        Point point = tree->points[i];
        point.nodes = NULL; // addresses are invalid elsewhere
        point.node_capacity = 0;
        to = put(to, &point, 1, sizeof point);
    }
    to = put(to, tree->point_order, (size_t)tree->point_count, sizeof *tree->point_order);
    for (int i = 0; i < tree->point_slots; i++) {
        to = put(to, tree->points[i].nodes, (size_t)tree->points[i].node_count, sizeof(int));
    }
    to = put(to, tree->ties, (size_t)tree->tie_count, sizeof *tree->ties);
    if (header.level_numbers > 0) {
        const Levels* levels = tree->solver->levels;
        to = put(to, levels->previous, (size_t)header.level_numbers, sizeof(double));
        to = put(to, levels->held, (size_t)header.level_numbers, 1);
    }
    memcpy(memory, &header, sizeof header);
    return poise_saved_seal(&header.head, memory, sizeof header + body);
}

// True if no count is negative or larger than the memory can hold, so that body_size cannot
// overflow.
static bool has_counts(const Header* header) {
    const int32_t counts[] = {header->node_slots,  header->node_count, header->point_slots,
                              header->point_count, header->list_count, header->level_numbers,
                              header->tie_count};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (counts[i] < 0 || (uint64_t)counts[i] > header->head.size) {
            return false;
        }
    }
    return header->state.fresh_nodes >= 0 && header->state.fresh_nodes <= header->node_count &&
           header->node_count <= header->node_slots && header->point_count <= header->point_slots;
}

// Returns the addresses of the parts that poise_tree_save wrote one after another.
static SavedState parts_of(const Header* header, const char* start) {
    SavedState saved = {.node_slots = header->node_slots,
                        .node_count = header->node_count,
                        .point_slots = header->point_slots,
                        .point_count = header->point_count,
                        .list_count = header->list_count,
                        .tie_count = header->tie_count,
                        .next_sequence = header->state.next_sequence};
    saved.nodes = start;
    saved.order = saved.nodes + (size_t)header->node_slots * sizeof(Node);
    saved.points = saved.order + (size_t)header->node_count * sizeof(int);
    saved.point_order = saved.points + (size_t)header->point_slots * sizeof(Point);
    saved.lists = saved.point_order + (size_t)header->point_count * sizeof(int);
    saved.ties = saved.lists + (size_t)header->list_count * sizeof(int);
    return saved;
}

// Returns the reason why the memory is no state for the tree, or NULL. Writes its header.
static const char* problem(const PoiseTree* tree, const void* memory, size_t size, Header* header) {
    if (!tree) {
        return "the tree is NULL";
    }
    const Header own = header_of(tree);
    PoiseSavedHead head;
    const char* wrong = poise_saved_problem(&own.head, memory, size, &head);
    if (wrong || head.size < sizeof *header) {
        return wrong ? wrong : "the state is damaged or cut short";
    }
    memcpy(header, memory, sizeof *header);
    if (header->ball_axes != own.ball_axes) {
        return "the state is of a tree of other ball axes";
    }
    if (!has_counts(header) || head.size != sizeof *header + body_size(header)) {
        return "the state's counts do not go with its size";
    }
    const SavedState saved = parts_of(header, (const char*)memory + sizeof *header);
    return poise__saved_problem(&saved);
}

const char* poise_tree_restore_problem(const PoiseTree* tree, const void* memory, size_t size) {
    Header header;
    return problem(tree, memory, size, &header);
}

PoiseNodeKind poise_node_saved_kind(const void* memory, size_t size, PoiseNodeId id) {
    Header header;
    Node node;
    const size_t place = sizeof header + ((size_t)id.index1 - 1) * sizeof node;
    if (!memory || id.index1 == 0 || size < sizeof header + sizeof node ||
        place > size - sizeof node) {
        return (PoiseNodeKind)0;
    }
    memcpy(&header, memory, sizeof header);
    memcpy(&node, (const char*)memory + place, sizeof node);
    // read the byte: foreign memory may hold a value that is no bool
    const unsigned char alive = ((const unsigned char*)memory)[place + offsetof(Node, alive)];
    const bool found = (int64_t)id.index1 <= header.node_slots && alive == 1;
    return (PoiseNodeKind)(found && node.generation == id.generation ? node.joint.kind : 0);
}

// Allocates room for the state. False without memory, with only capacities changed.
static bool reserve(PoiseTree* tree, const Header* header, const char* points) {
    if (!poise__tree_reserve_nodes(tree, header->node_slots) ||
        !poise__tree_reserve_points(tree, header->point_slots) ||
        !poise__ties_reserve(tree, header->tie_count)) {
        return false;
    }
    for (int i = 0; i < header->point_slots; i++) {
        Point saved;
        memcpy(&saved, points + (size_t)i * sizeof saved, sizeof saved);
        // unused slots of the tree are all zero
        Point* point = &tree->points[i];
        Array nodes = {&point->nodes, sizeof *point->nodes};
        if (!poise__arrays_grow(&tree->host, &nodes, 1, &point->node_capacity, saved.node_count)) {
            return false;
        }
        tree->point_slots = tree->point_slots > i ? tree->point_slots : i + 1;
    }
    return true;
}

static const char* take_points(PoiseTree* tree, const Header* header, const char* from) {
    for (int i = 0; i < tree->point_slots; i++) {
        Point* point = &tree->points[i];
        int* nodes = point->nodes;
        const int capacity = point->node_capacity;
        if (i < header->point_slots) {
            from = take(from, point, 1, sizeof *point);
        } else {
            // the point was created after the save: its handles become invalid
            point->alive = false;
            poise__retire(&point->generation);
            point->node_count = 0;
        }
        point->nodes = nodes;
        point->node_capacity = capacity;
    }
    from = take(from, tree->point_order, (size_t)header->point_count, sizeof *tree->point_order);
    for (int i = 0; i < header->point_slots; i++) {
        from = take(from, tree->points[i].nodes, (size_t)tree->points[i].node_count, sizeof(int));
    }
    tree->tie_count = header->tie_count;
    from = take(from, tree->ties, (size_t)header->tie_count, sizeof *tree->ties);
    return from;
}

static void take_nodes(PoiseTree* tree, const Header* header, const char** from) {
    *from = take(*from, tree->nodes, (size_t)header->node_slots, sizeof *tree->nodes);
    *from = take(*from, tree->order, (size_t)header->node_count, sizeof *tree->order);
    for (int i = header->node_slots; i < tree->node_slots; i++) {
        tree->nodes[i].alive = false;
        poise__retire(&tree->nodes[i].generation);
    }
    tree->node_slots =
        tree->node_slots > header->node_slots ? tree->node_slots : header->node_slots;
    tree->node_count = header->node_count;
}

PoiseStatus poise_tree_restore(PoiseTree* tree, const void* memory, size_t size) {
    Header header;
    const char* wrong = problem(tree, memory, size, &header);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_tree_restore: %s", wrong);
    }
    const SavedState saved = parts_of(&header, (const char*)memory + sizeof header);
    const char* nodes = saved.nodes;
    const char* points = saved.points;
    if (!reserve(tree, &header, points)) {
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_tree_restore: no memory");
    }
    poise__steps_forget(tree);
    take_nodes(tree, &header, &nodes);
    tree->point_count = header.point_count;
    points = take_points(tree, &header, points);
    poise__sets_changed(tree);
    const size_t numbers = (size_t)header.level_numbers;
    const PoiseStatus status = poise__levels_take(tree, numbers, header.level_gain, points,
                                                  points + numbers * sizeof(double));
    // restore the results that poise__levels_take has cleared
    (void)take(saved.nodes, tree->nodes, (size_t)header.node_slots, sizeof *tree->nodes);
    tree->state = header.state;
    tree->state.has_gravity_torques = 1;
    return status;
}
