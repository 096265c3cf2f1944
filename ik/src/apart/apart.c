// SPDX-License-Identifier: MIT
// Creates, copies and changes a PoiseApart, and answers queries about it. apart_pairs.c finds its
// pairs, apart_rows.c has their rows in a step.
#include "apart.h"

#include <stdio.h>
#include <string.h>

PoiseApartDef poise_default_apart_def(void) {
    return (PoiseApartDef){
        .cookie = COOKIE_APART, .distance = 0.01, .range = 0.08, .self = true, .samples = 1000};
}

// Returns the name of a part; without one writes its index into `text`.
static const char* name_of(const PoiseApartDef* def, int part, char text[24]) {
    snprintf(text, 24, "part %d", part);
    return def->parts[part].name ? def->parts[part].name : text;
}

static const char* part_problem(const PoiseTree* tree, const PoiseApartPart* part) {
    const char* wrong = poise_convex_problem(&part->shape);
    if (wrong) {
        return wrong;
    }
    if (!poise_is_finite_pose(part->place)) {
        return "the place is not finite";
    }
    return part->link.index1 != 0 && !poise__node(tree, part->link)
               ? "the link is not a node of this tree"
               : NULL;
}

// Returns the reason why a def cannot be used, or NULL. `about` (NULL at first) gets the name of
// the part that is wrong, in `text` if it has none.
static const char* def_problem(const PoiseTree* tree, const PoiseApartDef* def, const char** about,
                               char text[24]) {
    if (!def || def->cookie != COOKIE_APART) {
        return "the def was not made by poise_default_apart_def";
    }
    if (def->part_count < 0 || (def->part_count > 0 && !def->parts) || def->allowed_count < 0 ||
        (def->allowed_count > 0 && !def->allowed) || def->samples < 0) {
        return "a count is below 0, or its array is NULL";
    }
    if (!(def->distance >= 0.0) || !(def->range > def->distance) || isinf(def->range)) {
        return "the distance must be at least 0, and the range above the distance and finite";
    }
    for (int i = 0; i < def->part_count; i++) {
        const char* wrong = part_problem(tree, &def->parts[i]);
        if (wrong) {
            *about = name_of(def, i, text);
            return wrong;
        }
    }
    for (int i = 0; i < def->allowed_count; i++) {
        const PoiseApartPair pair = def->allowed[i];
        if (pair.a < 0 || pair.b < 0 || pair.a >= def->part_count || pair.b >= def->part_count) {
            snprintf(text, 24, "pair %d", i);
            *about = text;
            return "an allowed pair names a part that does not exist";
        }
    }
    return NULL;
}

static void carve_apart(PoiseApart* apart, Carver* carver) {
    const size_t parts = (size_t)apart->part_count, pairs = POISE_APART_PAIRS_MOST;
    poise__carve_over(carver, sizeof *apart);
    apart->parts = poise__carve(carver, parts, sizeof *apart->parts);
    apart->carriers = poise__carve(carver, parts, sizeof *apart->carriers);
    apart->pairs = poise__carve(carver, pairs, sizeof *apart->pairs);
    apart->bundles = poise__carve(carver, pairs, sizeof *apart->bundles);
    apart->near = poise__carve(carver, pairs + POISE_NEAR_MOST, sizeof *apart->near);
    apart->motions = poise__carve(carver, (size_t)apart->motion_count, sizeof *apart->motions);
    apart->corners = poise__carve(carver, (size_t)apart->corner_count, sizeof *apart->corners);
}

// Normalises a place. A rotation of four zeros is the identity.
static PoisePose placed(PoisePose place) {
    const PoiseQuat q = place.q;
    const bool turned = q.w != 0.0 || q.x != 0.0 || q.y != 0.0 || q.z != 0.0;
    return poise_pose(place.p, turned ? poise_quat_normalize(q) : poise_quat_identity());
}

static void take_parts(PoiseApart* apart, const PoiseTree* tree, const PoiseApartDef* def) {
    PoiseVec3* corner = apart->corners;
    for (int i = 0; i < def->part_count; i++) {
        Part* part = &apart->parts[i];
        const Node* node = poise__node(tree, def->parts[i].link);
        *part = (Part){.link = node ? poise__node_slot(tree, node) : NO_SLOT,
                       .base = !node && def->parts[i].base,
                       .sequence = node ? node->sequence : 0,
                       .shape = def->parts[i].shape,
                       .pose = placed(def->parts[i].place)};
        part->shape.pose.q = poise_quat_normalize(part->shape.pose.q);
        if (part->shape.kind == POISE_CONVEX_HULL) {
            const size_t count = (size_t)part->shape.corner_count;
            memcpy(corner, part->shape.corners, count * sizeof *corner);
            part->shape.corners = corner;
            corner += count;
        } else {
            part->shape.corners = NULL;
            part->shape.corner_count = 0;
        }
        part->reach = poise__convex_reach(&part->shape);
    }
}

static void refuse_pairs(PoiseTree* tree, const PoiseApartDef* def, const Pair* first, int pairs) {
    char a[24], b[24];
    if (pairs == POISE_NO_MEMORY) {
        poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_apart_create: no memory for the pairs");
    } else if (pairs == POISE_SWALLOWED) {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                    "poise_apart_create: %s and %s cannot be kept apart: they overlap in every "
                    "posture; move one, or allow the pair to touch",
                    name_of(def, first->a, a), name_of(def, first->b, b));
    } else if (pairs == POISE_NO_ROOM) {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                    "poise_apart_create: no pair has room for a distance of %g m: the largest gap "
                    "found is %.3g m, of %s and %s; ask for less",
                    def->distance, first->kept, name_of(def, first->a, a),
                    name_of(def, first->b, b));
    } else {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                    "poise_apart_create: %d pairs to keep apart, at most %d; use fewer parts, or "
                    "allow pairs that may touch",
                    pairs, POISE_APART_PAIRS_MOST);
    }
}

static void add_to_tree(PoiseApart* apart, PoiseTree* tree, int most_rows) {
    apart->source = (RowSource){.tree = tree,
                                .fill = poise__apart_fill,
                                .limit = poise__apart_limit,
                                .most_rows = most_rows};
    poise__row_source_add(tree, &apart->source);
}

PoiseApart* poise_apart_create(PoiseTree* tree, const PoiseApartDef* def) {
    if (!tree) {
        return NULL;
    }
    char text[24];
    const char* about = NULL;
    const char* wrong = def_problem(tree, def, &about, text);
    if (wrong) {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_apart_create: %s%s%s",
                    about ? about : "", about ? ": " : "", wrong);
        return NULL;
    }
    PoiseApart counts = {.source = {.tree = tree},
                         .host = tree->host,
                         .distance = def->distance,
                         .range = def->range,
                         .lag = LEAST_LAG,
                         .part_count = def->part_count,
                         .motion_count = tree->node_slots};
    for (int i = 0; i < def->part_count; i++) {
        counts.corner_count += def->parts[i].shape.corner_count;
    }
    Carver counter = {NULL, 0};
    carve_apart(&counts, &counter);
    counts.size = counter.used;
    PoiseApart* apart = poise_host_allocate(&tree->host, counts.size);
    if (!apart) {
        refuse_pairs(tree, def, NULL, POISE_NO_MEMORY);
        return NULL;
    }
    memset(apart, 0, counts.size);
    *apart = counts;
    Carver carver = {(char*)apart, 0};
    carve_apart(apart, &carver);
    take_parts(apart, tree, def);
    poise__carriers_find(apart);
    const int pairs = poise__pairs_find(apart, def, apart->pairs, POISE_APART_PAIRS_MOST);
    if (pairs < 0 || pairs > POISE_APART_PAIRS_MOST) {
        refuse_pairs(tree, def, apart->pairs, pairs);
        poise_host_release(&tree->host, apart, apart->size);
        return NULL;
    }
    apart->pair_count = pairs;
    poise__bundles_find(apart);
    const int rows = (1 + POISE_ENDS_MOST) * pairs;
    add_to_tree(apart, tree, rows < POISE_NEAR_MOST ? rows : POISE_NEAR_MOST);
    return apart;
}

PoiseApart* poise_apart_clone(const PoiseApart* apart, PoiseTree* tree) {
    if (!tree) {
        return NULL;
    }
    if (!apart) {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_apart_clone: apart is NULL");
        return NULL;
    }
    for (int i = 0; i < apart->part_count; i++) {
        if (!poise__part_is_there(tree, &apart->parts[i])) {
            poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                        "poise_apart_clone: the link of part %d is no node of this tree; give it a "
                        "clone of the parts' tree",
                        i);
            return NULL;
        }
    }
    PoiseApart* made = poise_host_allocate(&tree->host, apart->size);
    if (!made) {
        poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_apart_clone: no memory for %d parts",
                    apart->part_count);
        return NULL;
    }
    memcpy(made, apart, apart->size);
    made->host = tree->host;
    Carver carver = {(char*)made, 0};
    carve_apart(made, &carver);
    for (int i = 0; i < made->part_count; i++) {
        PoiseConvex* shape = &made->parts[i].shape;
        if (shape->kind == POISE_CONVEX_HULL) {
            shape->corners = made->corners + (shape->corners - apart->corners);
        }
    }
    add_to_tree(made, tree, apart->source.most_rows);
    return made;
}

void poise_apart_destroy(PoiseApart* apart) {
    if (apart) {
        const PoiseHost host = apart->host;
        poise__row_source_remove(&apart->source);
        poise_host_release(&host, apart, apart->size);
    }
}

PoiseApart* poise__apart_of_tree(const PoiseTree* tree) {
    RowSource* source = tree->row_sources;
    while (source && source->fill != poise__apart_fill) {
        source = source->next;
    }
    return (PoiseApart*)(void*)source;
}

int poise_apart_pair_count(const PoiseApart* apart) {
    return apart ? apart->pair_count : 0;
}

int poise_apart_pairs(const PoiseApart* apart, PoiseApartPair* pairs, int capacity) {
    for (int k = 0; apart && pairs && k < apart->pair_count && k < capacity; k++) {
        pairs[k] = (PoiseApartPair){apart->pairs[k].a, apart->pairs[k].b};
    }
    return poise_apart_pair_count(apart);
}

// Returns a pair of two parts in any order, or NULL.
static Pair* find_pair(const PoiseApart* apart, PoiseApartPair pair) {
    for (int k = 0; apart && k < apart->pair_count; k++) {
        Pair* own = &apart->pairs[k];
        if ((own->a == pair.a && own->b == pair.b) || (own->a == pair.b && own->b == pair.a)) {
            return own;
        }
    }
    return NULL;
}

double poise_apart_kept(const PoiseApart* apart, PoiseApartPair pair) {
    const Pair* own = find_pair(apart, pair);
    return own ? own->kept : 0.0;
}

PoiseStatus poise_apart_set_obstacle(PoiseApart* apart, int part, PoisePose pose,
                                     PoiseVec3 velocity, PoiseVec3 spin) {
    if (!apart || part < 0 || part >= apart->part_count || apart->parts[part].link != NO_SLOT) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Part* obstacle = &apart->parts[part];
    const bool rests = memcmp(&pose, &obstacle->pose, sizeof pose) == 0 &&
                       memcmp(&velocity, &obstacle->velocity, sizeof velocity) == 0 &&
                       memcmp(&spin, &obstacle->spin, sizeof spin) == 0;
    if (rests) {
        return POISE_OK; // most obstacles are set to the same pose in each step
    }
    if (!poise__is_frame(pose) || !poise_is_finite3(velocity) || !poise_is_finite3(spin)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    obstacle->pose = poise_pose(pose.p, poise_quat_normalize(pose.q));
    obstacle->velocity = velocity;
    obstacle->spin = spin;
    return POISE_OK;
}

PoiseStatus poise_apart_set_lag(PoiseApart* apart, double seconds) {
    if (!apart || !(seconds >= 0.0) || isinf(seconds)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    apart->lag = poise_max(seconds, LEAST_LAG);
    return POISE_OK;
}

PoiseStatus poise_apart_allow(PoiseApart* apart, PoiseApartPair pair, bool allowed) {
    Pair* own = find_pair(apart, pair);
    if (!own) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    own->allowed = allowed;
    poise__gaps_forget(apart);
    return POISE_OK;
}

bool poise_apart_is_allowed(const PoiseApart* apart, PoiseApartPair pair) {
    const Pair* own = find_pair(apart, pair);
    return own && own->allowed;
}

int poise_apart_measure(PoiseApart* apart, PoiseApartNear* nearest) {
    if (!apart || !apart->source.tree || !poise_tree_is_fresh(apart->source.tree)) {
        return -1;
    }
    poise__carriers_place(apart);
    apart->near_count = 0;
    PoiseApartNear least = {.pair = {-1, -1}, .gap = {.distance = HUGE_VAL}};
    int touching = 0;
    for (int k = 0; k < apart->pair_count; k++) {
        const Pair* pair = &apart->pairs[k];
        const double room = pair->allowed ? HUGE_VAL : poise__parts_room(apart, pair);
        if (!(room < least.gap.distance || room < 0.0)) {
            continue;
        }
        const PoiseGap gap = poise__parts_gap(apart, pair);
        touching += gap.distance < 0.0;
        if (gap.distance < least.gap.distance) {
            least = (PoiseApartNear){{pair->a, pair->b}, gap, false};
        }
    }
    if (nearest) {
        *nearest = least;
    }
    return touching;
}

// True if the row of a near pair held the last step.
static bool is_holding(const PoiseApart* apart, const Near* near) {
    const PoiseTree* tree = apart->source.tree;
    const StepRows* rows = tree && tree->solver ? tree->solver->rows : NULL;
    return rows && near->row >= 0 && near->row < rows->count && rows->active[near->row] != 0;
}

int poise_apart_near(const PoiseApart* apart, PoiseApartNear* near, int capacity) {
    const PoiseTree* tree = apart ? apart->source.tree : NULL;
    int count = 0;
    for (int k = 0; tree && k < apart->pair_count; k++) {
        const Pair* pair = &apart->pairs[k];
        bool held = false;
        for (int i = 0; i < apart->near_count; i++) {
            held = held || (apart->near[i].pair == k && is_holding(apart, &apart->near[i]));
        }
        if (pair->allowed || (!held && !(poise__parts_room(apart, pair) < apart->range))) {
            continue;
        }
        const PoiseGap gap = poise__parts_gap(apart, pair);
        if ((!held && !(gap.distance < apart->range)) || poise__is_wanted(apart, pair, &gap)) {
            continue;
        }
        if (near && count < capacity) {
            near[count] = (PoiseApartNear){{pair->a, pair->b}, gap, held};
        }
        count++;
    }
    return count;
}

// True if a node of the point carries the link of a part.
static bool moves_part(const PoiseTree* tree, const Point* point, const Part* part) {
    bool moves = false;
    for (int i = 0; part->link != NO_SLOT && i < point->node_count; i++) {
        moves = moves || poise__carries(tree, poise__point_nodes(tree, point)[i], part->link);
    }
    return moves;
}

bool poise_apart_held_by(const PoiseApart* apart, PoisePointId id, PoiseApartNear* held) {
    const PoiseTree* tree = apart ? apart->source.tree : NULL;
    const Point* point = poise__point(tree, id);
    double least = HUGE_VAL;
    for (int i = 0; point && !point->is_met && i < apart->near_count; i++) {
        const Near* near = &apart->near[i];
        const Pair* pair = &apart->pairs[near->pair];
        const bool moved = moves_part(tree, point, &apart->parts[pair->a]) ||
                           moves_part(tree, point, &apart->parts[pair->b]);
        if (moved && near->gap.distance < least && is_holding(apart, near)) {
            least = near->gap.distance;
            if (held) {
                *held = (PoiseApartNear){{pair->a, pair->b}, near->gap, true};
            }
        }
    }
    return least < HUGE_VAL;
}
