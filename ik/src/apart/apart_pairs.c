// SPDX-License-Identifier: MIT
// Finds the pairs of parts to keep apart. Random postures inside the ranges show which pairs of the
// tree always overlap or never come near each other; these pairs are excluded.
#include <string.h>

#include "apart.h"

// m; a pair whose gap exceeds the range by this in all samples is excluded
#define NEVER_NEAR 0.03
// m; distance to keep for a pair that no sample separates by more, if some sample separates it by
// this, which is the default. Pairs of 30 robots with smaller gaps overlap in most postures,
// because their shapes include margins.
#define KEPT_WITHOUT_ROOM 0.01
// m; a gap that varies by less over the samples depends on no joint
#define UNCHANGED 1e-6
// rad, m; a sampled joint without limits stays within this of its start
#define WHOLE_TURN 3.14159265358979323846
#define FREE_SLIDE 0.5
// The def is refused for more candidates: their samples would take over a second.
enum { CANDIDATES_MOST = 20000 };

/// The gaps of a pair over all sampled postures.
typedef struct Sampled {
    double largest; ///< largest gap, m; not exact beyond the distance to keep
    bool near;      ///< some sample has a gap below the range + NEVER_NEAR
    bool known;
    bool changes; ///< the gap depends on the posture
    double first; ///< gap in the first sample, m
} Sampled;

// Returns the first node with a motion on the path from `slot` to the base, `slot` included.
static int moving_node(const PoiseTree* tree, int slot) {
    while (slot != NO_SLOT && poise__joint_dof(&tree->nodes[slot].joint) == 0) {
        slot = tree->nodes[slot].parent;
    }
    return slot;
}

static int common_of(const PoiseTree* tree, int a, int b) {
    int slot = b == NO_SLOT ? NO_SLOT : a;
    while (slot != NO_SLOT && !poise__carries(tree, slot, b)) {
        slot = tree->nodes[slot].parent;
    }
    return slot;
}

static int moving_node_above(const PoiseTree* tree, int moving) {
    return moving == NO_SLOT ? NO_SLOT : moving_node(tree, tree->nodes[moving].parent);
}

// True if the links are the same or only one moving joint is between them. NO_SLOT is the base.
static bool are_neighbours(const PoiseTree* tree, int a, int b) {
    const int first = moving_node(tree, a), second = moving_node(tree, b);
    return first == second || (first != NO_SLOT && moving_node_above(tree, first) == second) ||
           (second != NO_SLOT && moving_node_above(tree, second) == first);
}

static bool is_allowed(const PoiseApartDef* def, int a, int b) {
    bool allowed = false;
    for (int i = 0; i < def->allowed_count; i++) {
        const PoiseApartPair pair = def->allowed[i];
        allowed = allowed || (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a);
    }
    return allowed;
}

// True if the parts can be a pair before the samples are considered.
static bool is_candidate(const PoiseApart* apart, const PoiseApartDef* def, int a, int b) {
    const PoiseTree* tree = apart->source.tree;
    const int first = apart->parts[a].link, second = apart->parts[b].link;
    if ((first == NO_SLOT && second == NO_SLOT) || is_allowed(def, a, b)) {
        return false;
    }
    if (poise__is_obstacle(&apart->parts[a]) || poise__is_obstacle(&apart->parts[b])) {
        return moving_node(tree, first == NO_SLOT ? second : first) != NO_SLOT;
    }
    return def->self && !are_neighbours(tree, first, second);
}

// Sets a random posture of a node. Free nodes and translations stay near `start`, and a free node
// keeps its rotation.
static void draw_posture(Joint* joint, const double* start, uint64_t* random) {
    const PoiseJointType* type = poise__joint_type(joint);
    if (!poise__joint_is_vector(type)) {
        for (int d = 0; d < type->nv; d++) {
            const bool linear = (type->linear >> d & 1) != 0;
            const double most = linear ? FREE_SLIDE : WHOLE_TURN;
            const double lower = poise_max(joint->lower[d], -most);
            const double upper = poise_min(joint->upper[d], most);
            joint->q[d] = lower + poise__draw(random) * (upper - lower);
        }
    } else if (type->linear == 0) {
        double turn[4];
        for (int i = 0; i < 4; i++) {
            turn[i] = 2.0 * poise__draw(random) - 1.0;
        }
        const PoiseQuat q = poise_quat_normalize(poise__get_quat(turn));
        poise__put_quat(joint->q, q);
    } else {
        for (int d = 0; d < 3; d++) {
            joint->q[d] = start[d] + (2.0 * poise__draw(random) - 1.0) * FREE_SLIDE;
        }
    }
    poise__joint_clip(joint);
}

static void sample(PoiseApart* apart, const Pair* pairs, int count, Sampled* sampled) {
    poise__carriers_place(apart);
    for (int k = 0; k < count; k++) {
        if (sampled[k].known && sampled[k].largest >= apart->distance && sampled[k].near &&
            sampled[k].changes) {
            continue;
        }
        const double near = apart->range + NEVER_NEAR;
        double distance = poise__parts_room(apart, &pairs[k]);
        if (distance < near) {
            distance = poise__parts_gap(apart, &pairs[k]).distance;
        }
        sampled[k].changes = sampled[k].changes ||
                             (sampled[k].known && fabs(distance - sampled[k].first) > UNCHANGED);
        sampled[k].first = sampled[k].known ? sampled[k].first : distance;
        sampled[k].largest = sampled[k].known ? poise_max(sampled[k].largest, distance) : distance;
        sampled[k].known = true;
        sampled[k].near = sampled[k].near || distance < near;
    }
}

// Excludes pairs by the samples. A part that in every sample is nearer than the distance to the
// first link of an arm becomes the base on which the arm stands. Returns the number of pairs.
// POISE_SWALLOWED: an obstacle overlaps a later link in every sample; this pair is first.
// POISE_NO_ROOM: no sample separates any pair by the distance; the pair with the largest gap is
// first, with this gap in `kept`.
static int keep_useful(PoiseApart* apart, const Sampled* sampled, Pair* pairs, int count) {
    const PoiseTree* tree = apart->source.tree;
    int left = 0;
    Pair widest = {.kept = -HUGE_VAL};
    for (int k = 0; k < count; k++) {
        const bool first = are_neighbours(tree, apart->parts[pairs[k].a].link, NO_SLOT);
        if (poise__is_obstacle(&apart->parts[pairs[k].b]) && !first &&
            !(sampled[k].largest > 0.0)) {
            pairs[0] = pairs[k];
            return POISE_SWALLOWED;
        }
    }
    for (int k = 0; k < count; k++) {
        Part* part = &apart->parts[pairs[k].b];
        const bool first = are_neighbours(tree, apart->parts[pairs[k].a].link, NO_SLOT);
        part->base = part->base ||
                     (poise__is_obstacle(part) && first && sampled[k].largest < apart->distance);
    }
    for (int k = 0; k < count; k++) {
        const Part* part = &apart->parts[pairs[k].b];
        const bool obstacle = poise__is_obstacle(part);
        if (obstacle || sampled[k].largest > widest.kept) {
            widest = pairs[k];
            widest.kept = obstacle ? HUGE_VAL : sampled[k].largest;
        }
        const bool clear = obstacle || sampled[k].largest >= apart->distance;
        const bool stands =
            part->base && are_neighbours(tree, apart->parts[pairs[k].a].link, NO_SLOT);
        const double kept = clear ? apart->distance : KEPT_WITHOUT_ROOM;
        if (sampled[k].changes && (obstacle || sampled[k].near) &&
            (clear || (!stands && sampled[k].largest >= kept))) {
            pairs[left] = pairs[k];
            pairs[left++].kept = kept;
        }
    }
    if (left > 0 && widest.kept < apart->distance) {
        pairs[0] = widest;
        return POISE_NO_ROOM;
    }
    return left;
}

// Samples postures and excludes pairs of the tree. Restores the posture of the tree.
static int leave_out(PoiseApart* apart, int samples, Pair* pairs, int count) {
    PoiseTree* tree = apart->source.tree;
    const size_t posture = (size_t)tree->node_count * POISE_MAX_NQ * sizeof(double);
    const size_t size = posture + (size_t)count * sizeof(Sampled);
    double* kept = poise_host_allocate(&tree->host, size);
    if (!kept) {
        return -1;
    }
    Sampled* sampled = (Sampled*)(void*)((char*)kept + posture);
    memset(sampled, 0, (size_t)count * sizeof *sampled);
    for (int i = 0; i < tree->node_count; i++) {
        memcpy(&kept[i * POISE_MAX_NQ], tree->nodes[tree->order[i]].joint.q,
               POISE_MAX_NQ * sizeof *kept);
    }
    poise__forward(tree);
    sample(apart, pairs, count, sampled);
    uint64_t random = 1;
    for (int s = 0; s < samples; s++) {
        for (int i = 0; i < tree->node_count; i++) {
            draw_posture(&tree->nodes[tree->order[i]].joint, &kept[i * POISE_MAX_NQ], &random);
        }
        poise__ties_follow(tree);
        poise__forward(tree);
        sample(apart, pairs, count, sampled);
    }
    for (int i = 0; i < tree->node_count; i++) {
        memcpy(tree->nodes[tree->order[i]].joint.q, &kept[i * POISE_MAX_NQ],
               POISE_MAX_NQ * sizeof *kept);
    }
    poise__forward(tree);
    const int left = keep_useful(apart, sampled, pairs, count);
    poise_host_release(&tree->host, kept, size);
    return left;
}

// Writes up to `capacity` candidate pairs. Returns the number of all.
static int list_candidates(const PoiseApart* apart, const PoiseApartDef* def, Pair* pairs,
                           int capacity) {
    const PoiseTree* tree = apart->source.tree;
    int count = 0;
    for (int i = 0; i < apart->part_count; i++) {
        for (int k = i + 1; k < apart->part_count; k++) {
            if (!is_candidate(apart, def, i, k)) {
                continue;
            }
            if (count < capacity) {
                const bool swap = apart->parts[i].link == NO_SLOT;
                const int a = swap ? k : i, b = swap ? i : k;
                const int common = common_of(tree, apart->parts[a].link, apart->parts[b].link);
                pairs[count] = (Pair){.a = a, .b = b, .common = common, .kept = apart->distance};
            }
            count++;
        }
    }
    return count;
}

int poise__pairs_find(PoiseApart* apart, const PoiseApartDef* def, Pair* pairs, int capacity) {
    const PoiseHost* host = &apart->source.tree->host;
    const int count = list_candidates(apart, def, pairs, capacity);
    if (count > CANDIDATES_MOST || def->samples == 0) {
        return count;
    }
    if (count <= capacity) {
        return leave_out(apart, def->samples, pairs, count);
    }
    const size_t size = (size_t)count * sizeof(Pair);
    Pair* all = poise_host_allocate(host, size);
    if (!all) {
        return POISE_NO_MEMORY;
    }
    list_candidates(apart, def, all, count);
    const int left = leave_out(apart, def->samples, all, count);
    const int kept = left < POISE_NO_MEMORY ? 1 : left > 0 ? left : 0;
    memcpy(pairs, all, (size_t)(kept < capacity ? kept : capacity) * sizeof *pairs);
    poise_host_release(host, all, size);
    return left;
}
