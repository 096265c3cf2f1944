// SPDX-License-Identifier: MIT
// Couples hinges and sliders: members of a group follow a leader. PoiseTree.ties holds a Tie for
// each member, group by group, the leader's first. A tie keeps the member's own range and speed;
// the leader's joint has the range and speed that all members allow.
#include <string.h>

#include "tree.h"

static int find(const PoiseTree* tree, int slot) {
    int i = 0;
    while (i < tree->tie_count && tree->ties[i].node != slot) {
        i++;
    }
    return i < tree->tie_count ? i : NO_SLOT;
}

Tie* poise__tie(const PoiseTree* tree, int slot) {
    const int at = find(tree, slot);
    return at == NO_SLOT ? NULL : &tree->ties[at];
}

const Tie* poise__tie_group(const PoiseTree* tree, int slot, int* count) {
    const int at = find(tree, slot);
    *count = 0;
    if (at == NO_SLOT) {
        return NULL;
    }
    const int leader = tree->ties[at].leader;
    int first = at;
    while (first > 0 && tree->ties[first - 1].leader == leader) {
        first--;
    }
    while (first + *count < tree->tie_count && tree->ties[first + *count].leader == leader) {
        ++*count;
    }
    return &tree->ties[first];
}

int poise__leader(const PoiseTree* tree, int slot) {
    const int at = find(tree, slot);
    return at == NO_SLOT ? slot : tree->ties[at].leader;
}

bool poise__group_is_enabled(const PoiseTree* tree, int slot) {
    int count;
    const Tie* group = poise__tie_group(tree, slot, &count);
    bool enabled = tree->nodes[slot].enabled;
    for (int i = 0; i < count; i++) {
        enabled = enabled && tree->nodes[group[i].node].enabled;
    }
    return enabled;
}

double poise__followed(const PoiseTree* tree, const Tie* tie) {
    return tie->ratio * tree->nodes[tie->leader].joint.q[0] + tie->offset;
}

void poise__ties_follow(PoiseTree* tree) {
    for (int i = 0; i < tree->tie_count; i++) {
        const Tie* tie = &tree->ties[i];
        if (tie->node != tie->leader && poise__group_is_enabled(tree, tie->node)) {
            tree->nodes[tie->node].joint.q[0] = poise__followed(tree, tie);
        }
    }
}

// --------------------------------------------------------------------------- range of a group

// Reduces the leader's range lower..upper to the values that a member's range allows.
static void narrow(const Tie* tie, double* lower, double* upper) {
    const double a = (tie->lower - tie->offset) / tie->ratio;
    const double b = (tie->upper - tie->offset) / tie->ratio;
    *lower = poise_max(*lower, poise_min(a, b));
    *upper = poise_min(*upper, poise_max(a, b));
}

// Computes the range of the leader that all members allow. False if it is empty.
static bool range_of(const Tie* group, int count, double* lower, double* upper) {
    *lower = -HUGE_VAL;
    *upper = HUGE_VAL;
    for (int i = 0; i < count; i++) {
        narrow(&group[i], lower, upper);
    }
    return *lower <= *upper;
}

static void set_range(PoiseTree* tree, int slot, double lower, double upper) {
    const PoiseLimits limits = poise_range(lower, upper);
    poise__limits_set(&tree->nodes[slot].joint, &limits);
}

// Sets the limits of the leader's joint to those that the group allows, and the limits of
// followers' joints to their own.
static void refresh(PoiseTree* tree, int leader) {
    int count;
    const Tie* group = poise__tie_group(tree, leader, &count);
    double lower, upper;
    double speed = HUGE_VAL;
    (void)range_of(group, count, &lower, &upper);
    for (int i = 0; i < count; i++) {
        Node* node = &tree->nodes[group[i].node];
        node->max_speed = group[i].max_speed;
        set_range(tree, group[i].node, group[i].lower, group[i].upper);
        speed = poise_min(speed, group[i].max_speed / fabs(group[i].ratio));
    }
    set_range(tree, leader, lower, upper);
    tree->nodes[leader].max_speed = speed;
}

bool poise__tie_set_range(PoiseTree* tree, Tie* tie, double lower, double upper) {
    const Tie was = *tie;
    int count;
    double a, b;
    tie->lower = lower;
    tie->upper = upper;
    const Tie* group = poise__tie_group(tree, tie->node, &count);
    if (!range_of(group, count, &a, &b)) {
        *tie = was;
        return false;
    }
    refresh(tree, tie->leader);
    return true;
}

void poise__tie_set_speed(PoiseTree* tree, Tie* tie, double speed) {
    tie->max_speed = speed;
    refresh(tree, tie->leader);
}

// ------------------------------------------------------------------------------- tie and untie

static Tie own_tie(const PoiseTree* tree, int slot) {
    const Node* node = &tree->nodes[slot];
    return (Tie){.node = slot,
                 .leader = slot,
                 .ratio = 1.0,
                 .lower = node->joint.lower[0],
                 .upper = node->joint.upper[0],
                 .max_speed = node->max_speed};
}

static void remove_at(PoiseTree* tree, int at) {
    tree->tie_count--;
    memmove(&tree->ties[at], &tree->ties[at + 1],
            (size_t)(tree->tie_count - at) * sizeof *tree->ties);
}

// Updates the limits of a group after a change; removes a group with one member.
static void settle(PoiseTree* tree, int leader) {
    int count;
    const Tie* group = poise__tie_group(tree, leader, &count);
    if (group) {
        refresh(tree, leader);
    }
    if (count == 1) {
        remove_at(tree, (int)(group - tree->ties));
    }
}

static void untie(PoiseTree* tree, int slot) {
    const int at = find(tree, slot);
    if (at == NO_SLOT || tree->ties[at].leader == slot) {
        return;
    }
    const int leader = tree->ties[at].leader;
    remove_at(tree, at);
    settle(tree, leader);
}

void poise__ties_forget(PoiseTree* tree) {
    for (int i = tree->tie_count - 1; i >= 0; i--) {
        const Tie tie = tree->ties[i];
        if (!tree->nodes[tie.node].alive || !tree->nodes[tie.leader].alive) {
            remove_at(tree, i);
        }
    }
    for (int i = tree->tie_count - 1; i >= 0; i--) {
        if (tree->ties[i].node == tree->ties[i].leader) {
            settle(tree, tree->ties[i].node);
        }
    }
}

// Writes to `out` the tie of `slot` to the new leader by->leader, then ties of the followers of
// `slot` to that leader. Returns the number of ties.
static int retied(const PoiseTree* tree, int slot, const Tie* by, Tie* out) {
    int count;
    const Tie* group = poise__tie_group(tree, slot, &count);
    const bool is_leader = group && group[0].node == slot;
    if (!is_leader) {
        const Tie* own = poise__tie(tree, slot);
        out[0] = own ? *own : own_tie(tree, slot);
        out[0].leader = by->leader;
        out[0].ratio = by->ratio;
        out[0].offset = by->offset;
        return 1;
    }
    for (int i = 0; i < count; i++) {
        out[i] = group[i];
        out[i].leader = by->leader;
        out[i].offset = group[i].ratio * by->offset + group[i].offset;
        out[i].ratio = group[i].ratio * by->ratio;
    }
    return count;
}

// True if the ranges of the leader's group and of the new ties have a common value.
static bool has_place(const PoiseTree* tree, const Tie* ties, int count) {
    int members;
    const Tie own = own_tie(tree, ties[0].leader);
    const Tie* group = poise__tie_group(tree, ties[0].leader, &members);
    double lower = -HUGE_VAL, upper = HUGE_VAL;
    if (!group) {
        narrow(&own, &lower, &upper);
    }
    for (int i = 0; i < members; i++) {
        // ignores the node's old tie
        if (group[i].node != ties[0].node) {
            narrow(&group[i], &lower, &upper);
        }
    }
    for (int i = 0; i < count; i++) {
        narrow(&ties[i], &lower, &upper);
    }
    return lower <= upper;
}

// Inserts the new ties after those of their leader's group, which is made if it does not exist.
static void insert_ties(PoiseTree* tree, const Tie* ties, int count) {
    const int leader = ties[0].leader;
    if (find(tree, leader) == NO_SLOT) {
        tree->ties[tree->tie_count] = own_tie(tree, leader);
        tree->tie_count++;
    }
    int members;
    const Tie* group = poise__tie_group(tree, leader, &members);
    const int at = (int)(group - tree->ties) + members;
    memmove(&tree->ties[at + count], &tree->ties[at],
            (size_t)(tree->tie_count - at) * sizeof *tree->ties);
    memcpy(&tree->ties[at], ties, (size_t)count * sizeof *ties);
    tree->tie_count += count;
}

// Couples the node to the leader in `tie`. Builds the new ties in the second half of tree->ties.
static PoiseStatus tie_to(PoiseTree* tree, int slot, const Tie* tie) {
    Tie* ties = &tree->ties[2 * tree->node_count];
    const int count = retied(tree, slot, tie, ties);
    bool finite = true;
    for (int i = 0; i < count; i++) {
        finite =
            finite && isfinite(ties[i].ratio) && ties[i].ratio != 0.0 && isfinite(ties[i].offset);
    }
    if (!finite || !has_place(tree, ties, count)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_couple: the range of node %d leaves node %d no place by "
                           "ratio %g and offset %g",
                           slot + 1, tie->leader + 1, tie->ratio, tie->offset);
    }
    untie(tree, slot);
    // Remove the old ties of the node's followers.
    for (int i = tree->tie_count - 1; i >= 0; i--) {
        if (tree->ties[i].leader == slot) {
            remove_at(tree, i);
        }
    }
    insert_ties(tree, ties, count);
    refresh(tree, tie->leader);
    return POISE_OK;
}

static const char* why_not(const PoiseTree* tree, int slot, int leader, double ratio,
                           double offset) {
    if (poise__leader(tree, leader) == slot) {
        return "it would follow itself";
    }
    if (!isfinite(ratio) || ratio == 0.0 || !isfinite(offset)) {
        return "ratio and offset must be finite, the ratio not 0";
    }
    return NULL;
}

static bool is_single(const Node* node) {
    return poise__joint_type(&node->joint)->nq == 1;
}

bool poise__ties_reserve(PoiseTree* tree, int count) {
    Array ties = {&tree->ties, sizeof *tree->ties};
    return poise__arrays_grow(&tree->host, &ties, 1, &tree->tie_capacity, count);
}

PoiseStatus poise_node_couple(PoiseTree* tree, PoiseNodeId id, PoiseNodeId leader_id, double ratio,
                              double offset) {
    const Node* node = poise__node_or_fail(tree, id, "poise_node_couple");
    if (!node) {
        return poise__no_handle(tree);
    }
    const int slot = poise__node_slot(tree, node);
    if (leader_id.index1 == 0 && leader_id.tree == 0) {
        untie(tree, slot);
        poise__sets_changed(tree);
        return POISE_OK;
    }
    const Node* leader = poise__node_or_fail(tree, leader_id, "poise_node_couple: leader");
    if (!leader) {
        return poise__no_handle(tree);
    }
    if (!is_single(node) || !is_single(leader)) {
        const bool own = !is_single(node);
        return poise__fail(
            tree, POISE_ERROR_WRONG_KIND, "poise_node_couple: node %u is a %s, no hinge or slider",
            (unsigned)(own ? id : leader_id).index1, poise__kind_name(own ? node : leader));
    }
    const int first = poise__node_slot(tree, leader);
    const char* wrong = why_not(tree, slot, first, ratio, offset);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_node_couple: node %u behind node %u by ratio %g and offset %g: "
                           "%s",
                           (unsigned)id.index1, (unsigned)leader_id.index1, ratio, offset, wrong);
    }
    // space for the old ties and, behind them, for the new ones
    if (!poise__ties_reserve(tree, 4 * tree->node_count)) {
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_node_couple: no memory");
    }
    Tie tie = {.node = slot, .leader = first, .ratio = ratio, .offset = offset};
    const Tie* passed = poise__tie(tree, first);
    if (passed && passed->leader != first) {
        tie.leader = passed->leader;
        tie.ratio = ratio * passed->ratio;
        tie.offset = ratio * passed->offset + offset;
    }
    const PoiseStatus status = tie_to(tree, slot, &tie);
    if (status == POISE_OK) {
        poise__sets_changed(tree);
        poise__ties_follow(tree);
        poise__make_stale(tree);
    }
    return status;
}

PoiseNodeId poise_node_leader(const PoiseTree* tree, PoiseNodeId id, double* ratio,
                              double* offset) {
    const Node* node = poise__node(tree, id);
    const Tie* tie = node ? poise__tie(tree, poise__node_slot(tree, node)) : NULL;
    const bool follows = tie && tie->leader != tie->node;
    if (follows && ratio) {
        *ratio = tie->ratio;
    }
    if (follows && offset) {
        *offset = tie->offset;
    }
    return follows ? poise__node_id(tree, tie->leader) : poise_null_node();
}

PoiseStatus poise_follow_leaders(PoiseTree* tree) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    poise__ties_follow(tree);
    poise__make_stale(tree);
    return POISE_OK;
}
