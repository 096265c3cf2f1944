// SPDX-License-Identifier: MIT
// Checks a saved state before the restore changes anything. The checksum proves that the memory is
// undamaged, not that Poise wrote it. So this file checks every number that the functions of a tree
// rely on.
#include "snapshot_check.h"

#include <stddef.h>
#include <string.h>

static Node node_at(const SavedState* saved, int slot) {
    Node node;
    memcpy(&node, saved->nodes + (size_t)slot * sizeof node, sizeof node);
    return node;
}

static Point point_at(const SavedState* saved, int slot) {
    Point point;
    memcpy(&point, saved->points + (size_t)slot * sizeof point, sizeof point);
    return point;
}

static int int_at(const char* from, int index) {
    int value;
    memcpy(&value, from + (size_t)index * sizeof value, sizeof value);
    return value;
}

// True if the bytes at these offsets are 0 or 1. A bool with another value must not be read.
static bool are_flags(const char* element, const size_t* places, int count) {
    for (int i = 0; i < count; i++) {
        if ((unsigned char)element[places[i]] > 1) {
            return false;
        }
    }
    return true;
}

static bool node_flags(const SavedState* saved, int slot) {
    static const size_t places[] = {offsetof(Node, alive),
                                    offsetof(Node, enabled),
                                    offsetof(Node, joint.plain_link),
                                    offsetof(Node, joint.parallel),
                                    offsetof(Node, joint.limited),
                                    offsetof(Node, has_step_range),
                                    offsetof(Node, has_reference),
                                    offsetof(Node, has_omega),
                                    offsetof(Node, step_is_direct)};
    return are_flags(saved->nodes + (size_t)slot * sizeof(Node), places,
                     sizeof places / sizeof places[0]);
}

static bool point_flags(const SavedState* saved, int slot) {
    static const size_t places[] = {offsetof(Point, alive),       offsetof(Point, enabled),
                                    offsetof(Point, yields),      offsetof(Point, is_met),
                                    offsetof(Point, follow[0]),   offsetof(Point, follow[1]),
                                    offsetof(Point, is_followed), offsetof(Point, track.runs)};
    return are_flags(saved->points + (size_t)slot * sizeof(Point), places,
                     sizeof places / sizeof places[0]);
}

static bool is_living(const SavedState* saved, int slot) {
    return slot >= 0 && slot < saved->node_slots && node_at(saved, slot).alive;
}

// True if the numbers of an existing node are valid. Its place in the tree is checked separately.
static bool is_node(const Node* node) {
    return poise__joint_is_sound(&node->joint) && node->max_speed > 0.0 && node->scale > 0.0 &&
           isfinite(node->scale) && node->mass >= 0.0 && isfinite(node->mass) &&
           poise_is_finite3(node->com_link) && poise__is_frame(node->base);
}

static const char* nodes_problem(const SavedState* saved) {
    int living = 0;
    for (int i = 0; i < saved->node_slots; i++) {
        if (!node_flags(saved, i)) {
            return "a flag of a node is neither 0 nor 1";
        }
        living += node_at(saved, i).alive;
        if (node_at(saved, i).step_before_count > POISE_MAX_NV) {
            return "a step before has too many numbers";
        }
    }
    if (living != saved->node_count) {
        return "the number of nodes is another than that of the living ones";
    }
    uint64_t before = 0;
    for (int i = 0; i < saved->node_count; i++) {
        const int slot = int_at(saved->order, i);
        if (!is_living(saved, slot)) {
            return "the order of the nodes names one that does not live";
        }
        const Node node = node_at(saved, slot);
        if (node.sequence <= before || node.sequence > saved->next_sequence) {
            return "the nodes are not in the order of their creation";
        }
        before = node.sequence;
        if (!is_node(&node)) {
            return "a node's numbers are out of their ranges";
        }
        if (node.parent != NO_SLOT && (!is_living(saved, node.parent) ||
                                       node_at(saved, node.parent).sequence >= node.sequence)) {
            return "a node's parent does not live or is younger than the node";
        }
    }
    return NULL;
}

// True if node `ancestor` lies between `slot` and the base, `slot` included.
static bool carries(const SavedState* saved, int ancestor, int slot) {
    while (slot != NO_SLOT && slot != ancestor) {
        slot = node_at(saved, slot).parent;
    }
    return slot == ancestor;
}

static bool can_move(const SavedState* saved, int node, const Point* point) {
    const bool moves = carries(saved, node, point->link);
    if (point->kind == POISE_POINT_COM) {
        return moves || carries(saved, point->link, node);
    }
    return moves != (point->frame != NO_SLOT && carries(saved, node, point->frame));
}

static const char* list_problem(const SavedState* saved, const Point* point, int first) {
    uint64_t before = 0;
    for (int i = 0; i < point->node_count; i++) {
        const int slot = int_at(saved->lists, first + i);
        if (!is_living(saved, slot) || !can_move(saved, slot, point)) {
            return "a point's list names a node that cannot move it";
        }
        const uint64_t sequence = node_at(saved, slot).sequence;
        if (sequence <= before) {
            return "a point's list is not in the order of creation";
        }
        before = sequence;
    }
    return NULL;
}

static bool is_motion(const GoalMotion* motion) {
    bool finite = poise__is_frame(motion->last) && poise_is_finite3(motion->pointed);
    for (int k = 0; k < 2; k++) {
        finite = finite && poise_is_finite3(motion->steps[k]) &&
                 poise_is_finite3(motion->speeds[k]) && poise_is_finite3(motion->rates[k]) &&
                 poise_is_finite3(motion->bends[k]) && poise_is_finite3(motion->off[k]) &&
                 poise_is_finite3(motion->off_rate[k]) && poise_is_finite3(motion->place[k]) &&
                 poise_is_finite3(motion->pace[k]) && poise_is_finite3(motion->velocity[k]);
    }
    return finite && motion->smooth >= 0.0 && motion->smooth <= 1.0 && motion->age >= 0.0 &&
           isfinite(motion->age) && motion->period >= 0.0 && isfinite(motion->period);
}

// True if the bounds of a point's motion are above 0, and its track is valid.
static bool is_tracked(const Point* point) {
    const GoalTrack* track = &point->track;
    bool fine = point->max_speed > 0.0 && point->max_turn_speed > 0.0;
    for (int k = 0; k < 2; k++) {
        fine = fine && point->max_acceleration[k] > 0.0 && point->max_jerk[k] > 0.0 &&
               poise_is_finite3(track->velocity[k]) && poise_is_finite3(track->acceleration[k]);
    }
    return fine && (!track->runs ||
                    (poise__is_frame(track->place) && poise__is_direction(track->direction)));
}

// True if the numbers of an existing point are valid. Its nodes are checked separately.
static bool is_point(const Point* point) {
    return point->kind >= POISE_POINT_POSITION && point->kind <= POISE_POINT_COM &&
           poise__are_rows(point->kind, point->rows, point->row_axes) &&
           poise__is_yield(point->yield, point->yield_rows) && point->tip_radius >= 0.0 &&
           isfinite(point->tip_radius) && point->priority >= POISE_PRIORITY_CLOSURE &&
           point->priority < POISE_PRIORITIES && point->weight >= 0.0 && isfinite(point->weight) &&
           poise__is_frame(point->in_link) && poise__is_frame(point->goal) &&
           poise__is_direction(point->axis) && poise__is_direction(point->direction) &&
           (!point->is_followed || is_motion(&point->motion)) && is_tracked(point) &&
           point->damping_gain >= 0.0 && isfinite(point->damping_gain);
}

static const char* point_problem(const SavedState* saved, int slot, int first) {
    const Point point = point_at(saved, slot);
    if (!point.alive) {
        return point.node_count == 0 ? NULL : "a point that does not live has nodes";
    }
    if (!is_point(&point)) {
        return "a point's numbers are out of their ranges";
    }
    if (!is_living(saved, point.link) ||
        (point.frame != NO_SLOT && !is_living(saved, point.frame))) {
        return "a point is on a node that does not live";
    }
    if (point.escape.steps_since_kick < 0 || point.escape.fruitless_kicks < 0 ||
        point.escape.fruitless_kicks == INT32_MAX) {
        return "a point's kicks are out of their range";
    }
    return list_problem(saved, &point, first);
}

static const char* points_problem(const SavedState* saved) {
    int living = 0, listed = 0;
    for (int i = 0; i < saved->point_slots; i++) {
        if (!point_flags(saved, i)) {
            return "a flag of a point is neither 0 nor 1";
        }
        const int count = point_at(saved, i).node_count;
        if (count < 0 || count > saved->list_count - listed) {
            return "the lists of the points are longer than all of them together";
        }
        const char* wrong = point_problem(saved, i, listed);
        if (wrong) {
            return wrong;
        }
        listed += count;
        living += point_at(saved, i).alive;
    }
    if (listed != saved->list_count || living != saved->point_count) {
        return "the number of points or of their nodes is another than that of all together";
    }
    uint64_t before = 0;
    for (int i = 0; i < saved->point_count; i++) {
        const int slot = int_at(saved->point_order, i);
        if (slot < 0 || slot >= saved->point_slots || !point_at(saved, slot).alive ||
            point_at(saved, slot).sequence <= before ||
            point_at(saved, slot).sequence > saved->next_sequence) {
            return "the points are not in the order of their creation";
        }
        before = point_at(saved, slot).sequence;
    }
    return NULL;
}

static Tie tie_at(const SavedState* saved, int index) {
    Tie tie;
    memcpy(&tie, saved->ties + (size_t)index * sizeof tie, sizeof tie);
    return tie;
}

static bool is_single(const SavedState* saved, int slot) {
    const Node node = node_at(saved, slot);
    return poise__joint_type(&node.joint)->nq == 1;
}

static bool is_tie(const Tie* tie) {
    const bool own = tie->node == tie->leader;
    return isfinite(tie->ratio) && tie->ratio != 0.0 && isfinite(tie->offset) &&
           (!own || (tie->ratio == 1.0 && tie->offset == 0.0)) &&
           poise__is_range(tie->lower, tie->upper) && tie->max_speed > 0.0;
}

// Checks the ties: in a group the leader's tie comes first, and each node occurs once.
static const char* ties_problem(const SavedState* saved) {
    int leader = NO_SLOT;
    for (int i = 0; i < saved->tie_count; i++) {
        const Tie tie = tie_at(saved, i);
        if (!is_living(saved, tie.node) || !is_single(saved, tie.node) || !is_tie(&tie)) {
            return "a node that follows another does not live, or its numbers are out of range";
        }
        leader = tie.node == tie.leader ? tie.node : leader;
        if (tie.leader != leader) {
            return "a node follows one that does not lead";
        }
        for (int k = 0; k < i; k++) {
            if (tie_at(saved, k).node == tie.node) {
                return "a node follows two others";
            }
        }
    }
    return NULL;
}

const char* poise__saved_problem(const SavedState* saved) {
    const char* wrong = nodes_problem(saved);
    wrong = wrong ? wrong : points_problem(saved);
    return wrong ? wrong : ties_problem(saved);
}
