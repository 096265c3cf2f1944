// SPDX-License-Identifier: MIT
// Keeps parts of a tree apart: adds an inequality to the step (step_rows.c) for each pair whose gap
// (parts.c) is small. Also creates a PoiseApart, whose pairs apart_pairs.c finds, and answers
// queries about it.
#include "apart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// m/s: pairs that cannot come to the distance in a step at this speed need no row in the step.
// poise__step_rows_limit holds parts that are faster.
#define APPROACH 4.0
// m/s: two parts have a row if they are near enough to brake (BRAKE) at their speed in the last
// step. A higher speed counts as this speed.
#define BRAKED 2.0
// s: BRAKE and CORNER are for bodies that lag behind the postures by this time, and grow in
// proportion to the lag. A shorter lag counts as this one, since soft joints swing.
#define LEAST_LAG 0.03
// s: the speed at which two parts with a row approach each other is at most their room (gap minus
// distance) divided by this. Bodies that lag behind thus stop in time too. A tenth of the room is
// left after 0.12 s.
#define BRAKE 0.05
// s: two parts move against each other at most as fast as their gap g divided by this. The motion
// of the goals' velocities does not count, since dampers follow it. Behind a posture on a circle of
// radius R = r + g a body that lags by T is on a circle of radius R / sqrt(1 + (v T / R)^2). It
// keeps off an obstacle of any radius r if v T < 3.3 g. Larger values slow a figure near its arm.
#define CORNER 0.009
// m: a pair whose room is below this has rows at those ends of its nearest region, too, whose room
// is below this (nearest_ends.c)
#define ENDS_ROOM 1e-3
// m: bounds of gaps may be this much too large by rounding
#define SLACK 1e-6

// True if the link of a part still exists.
static bool is_there(const PoiseTree* tree, const Part* part) {
    return part->link == NO_SLOT ||
           (part->link < tree->node_slots && tree->nodes[part->link].alive &&
            tree->nodes[part->link].sequence == part->sequence);
}

// True if a point of the part's link is asked for a force against `normal`: the caller wants this
// contact.
static bool presses(const PoiseTree* tree, const Part* part, PoiseVec3 normal) {
    bool any = false;
    for (int i = 0; i < tree->point_count && part->link != NO_SLOT; i++) {
        const Point* point = &tree->points[tree->point_order[i]];
        any = any || (point->link == part->link && point->enabled &&
                      poise_dot(point->force, normal) < 0.0);
    }
    return any;
}

static bool is_on_purpose(const PoiseTree* tree, const Part* a, const Part* b,
                          const PoiseGap* gap) {
    return presses(tree, a, gap->normal) || presses(tree, b, poise_scale(-1.0, gap->normal));
}

static int by_room(const void* first, const void* second) {
    const Near* a = first;
    const Near* b = second;
    const int later = a->room > b->room, sooner = a->room < b->room;
    return later != sooner ? later - sooner : a->pair - b->pair;
}

// Returns BRAKE or CORNER for the lag of the bodies, s.
static double time_for(const PoiseApart* apart, double seconds) {
    return seconds * (apart->lag / LEAST_LAG);
}

// Returns the fraction of the room by which two parts may approach in a step. `seconds`: BRAKE or
// CORNER.
static double part_of_room(const PoiseApart* apart, double step, double seconds) {
    return step > 0.0 ? poise_min(step / time_for(apart, seconds), 1.0) : 1.0;
}

// Bounds the motions of the nodes by omega.
static void find_motions(PoiseApart* apart) {
    const PoiseTree* tree = apart->source.tree;
    for (int i = 0; i < tree->node_count; i++) {
        const int slot = tree->order[i];
        const Node* node = &tree->nodes[slot];
        if (!node->has_omega || slot >= apart->motion_count) {
            continue;
        }
        const PoiseJointType* type = poise__joint_type(&node->joint);
        // a ball's velocity is one vector of three numbers: its length bounds the rotation
        const bool ball = poise__joint_is_vector(type);
        double step[2] = {0.0, 0.0}, lag[2] = {0.0, 0.0};
        for (int d = 0; d < type->nv; d++) {
            const int linear = type->linear >> d & 1;
            const double by = node->omega[d], behind = by - apart->step * node->velocity[d];
            step[linear] += ball ? by * by : fabs(by);
            lag[linear] += ball ? behind * behind : fabs(behind);
        }
        NodeMotion* own = &apart->motions[slot];
        own->anchor = poise__joint_anchor(&node->joint);
        own->turn = (MotionBound){ball ? sqrt(step[0]) : step[0], ball ? sqrt(lag[0]) : lag[0]};
        own->slide = (MotionBound){ball ? sqrt(step[1]) : step[1], ball ? sqrt(lag[1]) : lag[1]};
    }
}

// Bounds the motion of a ball on a link by the motions of the nodes up to `common`.
static MotionBound motion_of(const PoiseApart* apart, int link, int common, PoiseVec3 centre,
                             double radius) {
    const PoiseTree* tree = apart->source.tree;
    MotionBound motion = {0.0, 0.0};
    for (int slot = link; slot != common && slot != NO_SLOT; slot = tree->nodes[slot].parent) {
        if (tree->nodes[slot].has_omega && slot < apart->motion_count) {
            const NodeMotion* own = &apart->motions[slot];
            const double lever = poise_length(poise_sub(centre, own->anchor)) + radius;
            motion.step = motion.step + lever * own->turn.step + own->slide.step;
            motion.lag = motion.lag + lever * own->turn.lag + own->slide.lag;
        }
    }
    return motion;
}

static MotionBound motion_of_part(const PoiseApart* apart, int index, int common) {
    const Part* part = &apart->parts[index];
    const PoisePose pose = apart->carriers[part->carrier].pose;
    return motion_of(apart, part->link, common, poise_pose_apply(pose, part->shape.pose.p),
                     part->reach);
}

static MotionBound add(MotionBound a, MotionBound b) {
    return (MotionBound){a.step + b.step, a.lag + b.lag};
}

static MotionBound motion_of_pair(const PoiseApart* apart, const Pair* pair) {
    return add(motion_of_part(apart, pair->a, pair->common),
               motion_of_part(apart, pair->b, pair->common));
}

// Returns the motion of a carrier by omega, before a solve: that of the step before.
static MotionBound motion_of_carrier(const PoiseApart* apart, int index) {
    Carrier* own = &apart->carriers[index];
    if (own->motion.step < 0.0) {
        own->motion = motion_of(apart, own->link, NO_SLOT, own->pose.p, own->reach);
    }
    return own->motion;
}

// Bounds the motion of all parts of two carriers against each other. Joints below both links count
// in the motions of the carriers, but move neither part against the other.
static MotionBound motion_of_bundle(PoiseApart* apart, const Bundle* bundle) {
    const Carrier* a = &apart->carriers[bundle->a_carrier];
    const Carrier* b = &apart->carriers[bundle->b_carrier];
    const int common = apart->pairs[bundle->first].common;
    if (common == NO_SLOT) {
        return add(motion_of_carrier(apart, bundle->a_carrier),
                   motion_of_carrier(apart, bundle->b_carrier));
    }
    return add(motion_of(apart, a->link, common, a->pose.p, a->reach),
               motion_of(apart, b->link, common, b->pose.p, b->reach));
}

// Forgets the motions of the carriers by omega, and bounds those of the obstacles.
static void move_carriers(PoiseApart* apart) {
    for (int i = 0; i < apart->carrier_count; i++) {
        Carrier* own = &apart->carriers[i];
        const Part* part = &apart->parts[own->part];
        own->motion.step = -1.0;
        own->drift = own->link != NO_SLOT || apart->step == 0.0
                         ? 0.0
                         : apart->step * (poise_length(part->velocity) +
                                          own->reach * poise_length(part->spin));
    }
}

// Returns the gap below which a pair with an obstacle of this drift needs a row after a step of
// `motion`, m.
static double gap_with_row(const PoiseApart* apart, double drift, double motion) {
    const double step = apart->step;
    const double before = apart->source.tree->state.omega_step;
    const double again = before > 0.0 ? motion * (step / before) : 0.0;
    const double speed = step > 0.0 ? poise_min((again + drift) / step, BRAKED) : 0.0;
    return apart->close + drift + speed * time_for(apart, BRAKE);
}

// Adds a pair if it needs a row; none does whose gap exceeds `close`. Notes how far the gap is
// known to be clear.
static void look_at(PoiseApart* apart, int k, double close, double travel) {
    Pair* pair = &apart->pairs[k];
    pair->clear = poise_max(pair->clear, poise__parts_room(apart, pair) + travel - SLACK);
    if (pair->clear - travel > close) {
        return;
    }
    close = gap_with_row(apart, apart->carriers[pair->b_carrier].drift,
                         motion_of_pair(apart, pair).step);
    if (pair->clear - travel > close) {
        return;
    }
    const PoiseGap gap = poise__parts_gap(apart, pair);
    pair->clear = gap.distance + travel - SLACK;
    if (gap.distance < close &&
        !is_on_purpose(apart->source.tree, &apart->parts[pair->a], &apart->parts[pair->b], &gap)) {
        apart->near[apart->near_count++] = (Near){k, -1, gap, gap.distance - pair->kept};
    }
}

// Finds the pairs that need a row, the nearest first if there are more than rows.
static void find_near(PoiseApart* apart, double step) {
    const double stride = step > 0.0 ? APPROACH * step : HUGE_VAL;
    apart->close = apart->distance + poise_min(apart->range - apart->distance, stride);
    apart->near_count = 0;
    bool moved = false;
    poise__carriers_place(apart);
    move_carriers(apart);
    for (int i = 0; i < apart->bundle_count; i++) {
        Bundle* bundle = &apart->bundles[i];
        const int a = bundle->a_carrier, b = bundle->b_carrier;
        const double travel = apart->carriers[a].travel + apart->carriers[b].travel;
        const double drift = apart->carriers[b].drift, clear = bundle->clear - travel;
        if (clear > gap_with_row(apart, drift, HUGE_VAL)) {
            continue;
        }
        if (!moved) {
            find_motions(apart);
            moved = true;
        }
        const MotionBound motion = add(motion_of_carrier(apart, a), motion_of_carrier(apart, b));
        double close = gap_with_row(apart, drift, motion.step);
        if (bundle->count > 1 && !(clear > close)) {
            close = gap_with_row(apart, drift, motion_of_bundle(apart, bundle).step);
        }
        if (clear > close) {
            continue;
        }
        bundle->clear = HUGE_VAL;
        for (int k = bundle->first; k < bundle->first + bundle->count; k++) {
            Pair* pair = &apart->pairs[k];
            if (!pair->allowed && !(pair->clear - travel > close)) {
                look_at(apart, k, close, travel);
            }
            bundle->clear = pair->allowed ? bundle->clear : poise_min(bundle->clear, pair->clear);
        }
    }
    if (apart->near_count > POISE_NEAR_MOST) {
        qsort(apart->near, (size_t)apart->near_count, sizeof *apart->near, by_room);
    }
}

// Adds the row of a near pair with the gap d: n^T (J_a - J_b) omega >= distance - d plus the motion
// of an obstacle. If d > distance, only a part of this room may be used.
static void add_row(PoiseApart* apart, Near* near, double step) {
    PoiseTree* tree = apart->source.tree;
    const Pair* pair = &apart->pairs[near->pair];
    const Part* a = &apart->parts[pair->a];
    const Part* b = &apart->parts[pair->b];
    const PoiseVec3 n = near->gap.normal;
    double rate = 0.0;
    if (b->link == NO_SLOT) {
        const PoiseVec3 arm = poise_sub(near->gap.b, b->pose.p);
        const PoiseVec3 velocity = poise_add(b->velocity, poise_cross(b->spin, arm));
        rate = poise_dot(n, velocity);
    }
    const double room = near->gap.distance - pair->kept;
    const double lower = step * rate - room * (room > 0.0 ? part_of_room(apart, step, BRAKE) : 1.0);
    const int row = tree->solver->rows->count;
    double* numbers = poise__step_row_add(tree, poise_min(lower, PUSH_MOST), HUGE_VAL);
    if (!numbers) {
        return;
    }
    near->row = row;
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    const LinkForce on_a = {a->link, pair->common, near->gap.a, n, none};
    const LinkForce on_b = {b->link, pair->common, near->gap.b, poise_scale(-1.0, n), none};
    poise__step_row_add_force(tree, &on_a, numbers);
    poise__step_row_add_force(tree, &on_b, numbers);
}

// Drops the pairs whose links were destroyed.
static void forget_destroyed(PoiseApart* apart) {
    bool gone = false;
    for (int i = 0; i < apart->carrier_count; i++) {
        gone = gone || !is_there(apart->source.tree, &apart->parts[apart->carriers[i].part]);
    }
    if (!gone) {
        return;
    }
    for (int k = 0; k < apart->pair_count; k++) {
        Pair* pair = &apart->pairs[k];
        if (!is_there(apart->source.tree, &apart->parts[pair->a]) ||
            !is_there(apart->source.tree, &apart->parts[pair->b])) {
            apart->pairs[k--] = apart->pairs[--apart->pair_count];
        }
    }
    for (int i = 0; i < apart->part_count; i++) {
        if (!is_there(apart->source.tree, &apart->parts[i])) {
            apart->parts[i].link = NO_SLOT;
        }
    }
    poise__carriers_find(apart);
    poise__bundles_find(apart);
}

void poise__apart_find_near(PoiseApart* apart, double step) {
    forget_destroyed(apart);
    apart->step = 0.0;
    find_near(apart, step);
}

// Adds the rows at the ends of a near pair.
static void add_ends(PoiseApart* apart, const Near* near, double step) {
    PoiseGap ends[POISE_ENDS_MOST];
    const Pair* pair = &apart->pairs[near->pair];
    const double most = pair->kept + ENDS_ROOM;
    const int count =
        near->gap.distance < most ? poise__parts_ends(apart, pair, &near->gap, ends) : 0;
    for (int i = 0; i < count && apart->near_count < apart->source.most_rows; i++) {
        if (ends[i].distance < most) {
            Near* end = &apart->near[apart->near_count++];
            *end =
                (Near){near->pair, -1, ends[i], ends[i].distance - apart->pairs[near->pair].kept};
            add_row(apart, end, step);
        }
    }
}

static void fill(RowSource* source, double step) {
    PoiseApart* apart = (PoiseApart*)(void*)source;
    forget_destroyed(apart);
    apart->step = step;
    find_near(apart, step);
    const int most = apart->near_count < POISE_NEAR_MOST ? apart->near_count : POISE_NEAR_MOST;
    for (int i = 0; i < most; i++) {
        add_row(apart, &apart->near[i], step);
    }
    for (int i = 0; i < most; i++) {
        add_ends(apart, &apart->near[i], step);
    }
}

// Returns the largest motion of a pair that keeps the distance `kept` that a step may make, from a
// lower bound of its gap, m: a pair without a row stays above the distance. `lag_part`: the
// fraction of the gap for MotionBound.lag.
static MotionBound most_motion(const PoiseApart* apart, double kept, double gap, double lag_part) {
    return (MotionBound){poise_max(gap, apart->close) - apart->distance,
                         lag_part * poise_max(gap, kept)};
}

static bool is_slow(MotionBound motion, double factor, MotionBound most) {
    return factor * motion.step <= most.step && factor * motion.lag <= most.lag;
}

// Returns the largest factor, at most 1, of the step's motion that the pair allows; 1 for a wanted
// contact. A pair nearer than the distance may move apart as fast as its row asks.
static double most_factor(const PoiseApart* apart, const Pair* pair, MotionBound motion,
                          double lag_part) {
    const PoiseGap gap = poise__parts_gap(apart, pair);
    const double lack = pair->kept - gap.distance;
    const bool wanted =
        gap.distance < apart->range &&
        is_on_purpose(apart->source.tree, &apart->parts[pair->a], &apart->parts[pair->b], &gap);
    const double asked = poise_min(lack, PUSH_MOST) + apart->carriers[pair->b_carrier].drift;
    MotionBound most = most_motion(apart, pair->kept, gap.distance, lag_part);
    most.lag = lack > 0.0 ? poise_max(most.lag, asked) : most.lag;
    const double factor = motion.step > most.step ? most.step / motion.step : 1.0;
    return wanted ? 1.0 : factor * motion.lag > most.lag ? most.lag / motion.lag : factor;
}

static double limit(const RowSource* source) {
    PoiseApart* apart = (PoiseApart*)(void*)source;
    MotionBound largest = {0.0, 0.0};
    double factor = 1.0, least_kept = apart->distance;
    for (int i = 0; i < apart->bundle_count; i++) {
        least_kept = poise_min(least_kept, apart->bundles[i].kept);
    }
    find_motions(apart);
    for (int i = 0; i < apart->carrier_count; i++) {
        Carrier* own = &apart->carriers[i];
        own->motion = motion_of(apart, own->link, NO_SLOT, own->pose.p, own->reach);
        largest.step = poise_max(largest.step, own->motion.step);
        largest.lag = poise_max(largest.lag, own->motion.lag);
    }
    const double lag_part = apart->step > 0.0 ? part_of_room(apart, apart->step, CORNER) : HUGE_VAL;
    if (is_slow(add(largest, largest), 1.0, most_motion(apart, least_kept, 0.0, lag_part))) {
        return 1.0;
    }
    for (int i = 0; i < apart->bundle_count; i++) {
        const Bundle* bundle = &apart->bundles[i];
        const Carrier* a = &apart->carriers[bundle->a_carrier];
        const Carrier* b = &apart->carriers[bundle->b_carrier];
        const double travel = a->travel + b->travel;
        const MotionBound least =
            most_motion(apart, bundle->kept, bundle->clear - travel, lag_part);
        if (is_slow(add(a->motion, b->motion), factor, least)) {
            continue;
        }
        const MotionBound bound = motion_of_bundle(apart, bundle);
        const bool slow = is_slow(bound, factor, least);
        for (int k = bundle->first; !slow && k < bundle->first + bundle->count; k++) {
            Pair* pair = &apart->pairs[k];
            MotionBound most = most_motion(apart, pair->kept, pair->clear - travel, lag_part);
            if (pair->allowed || is_slow(bound, factor, most)) {
                continue;
            }
            pair->clear = poise_max(pair->clear, poise__parts_room(apart, pair) + travel);
            most = most_motion(apart, pair->kept, pair->clear - travel, lag_part);
            if (!is_slow(bound, factor, most)) {
                const MotionBound motion = motion_of_pair(apart, pair);
                factor = is_slow(motion, factor, most)
                             ? factor
                             : poise_min(factor, most_factor(apart, pair, motion, lag_part));
            }
        }
    }
    return factor;
}

// --------------------------------------------------------------------------------------- creation

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

static void carve_apart(PoiseApart* apart, Carver* carver, const PoiseApartDef* def, int nodes) {
    const size_t pairs = POISE_APART_PAIRS_MOST;
    size_t corners = 0;
    for (int i = 0; i < def->part_count; i++) {
        corners += (size_t)def->parts[i].shape.corner_count;
    }
    poise__carve_over(carver, sizeof *apart);
    apart->parts = poise__carve(carver, (size_t)def->part_count, sizeof *apart->parts);
    apart->carriers = poise__carve(carver, (size_t)def->part_count, sizeof *apart->carriers);
    apart->pairs = poise__carve(carver, pairs, sizeof *apart->pairs);
    apart->bundles = poise__carve(carver, pairs, sizeof *apart->bundles);
    apart->near = poise__carve(carver, (size_t)pairs + POISE_NEAR_MOST, sizeof *apart->near);
    apart->motions = poise__carve(carver, (size_t)nodes, sizeof *apart->motions);
    apart->corners = poise__carve(carver, corners, sizeof *apart->corners);
}

// Normalises a place. A rotation of four zeros is the identity.
static PoisePose placed(PoisePose place) {
    const PoiseQuat q = place.q;
    const bool turned = q.w != 0.0 || q.x != 0.0 || q.y != 0.0 || q.z != 0.0;
    return poise_pose(place.p, turned ? poise_quat_normalize(q) : poise_quat_identity());
}

static void take_parts(PoiseApart* apart, const PoiseTree* tree, const PoiseApartDef* def) {
    PoiseVec3* corner = apart->corners;
    apart->part_count = def->part_count;
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
    PoiseApart count = {.host = tree->host};
    Carver counter = {NULL, 0};
    carve_apart(&count, &counter, def, tree->node_slots);
    PoiseApart* apart = poise_host_allocate(&tree->host, counter.used);
    if (!apart) {
        refuse_pairs(tree, def, NULL, POISE_NO_MEMORY);
        return NULL;
    }
    memset(apart, 0, counter.used);
    *apart = (PoiseApart){.host = tree->host,
                          .size = counter.used,
                          .distance = def->distance,
                          .range = def->range,
                          .lag = LEAST_LAG,
                          .motion_count = tree->node_slots};
    Carver carver = {(char*)apart, 0};
    carve_apart(apart, &carver, def, tree->node_slots);
    take_parts(apart, tree, def);
    poise__carriers_find(apart);
    apart->source = (RowSource){.tree = tree, .fill = fill, .limit = limit};
    const int pairs = poise__pairs_find(apart, def, apart->pairs, POISE_APART_PAIRS_MOST);
    if (pairs < 0 || pairs > POISE_APART_PAIRS_MOST) {
        refuse_pairs(tree, def, apart->pairs, pairs);
        poise_host_release(&tree->host, apart, apart->size);
        return NULL;
    }
    apart->pair_count = pairs;
    poise__bundles_find(apart);
    const int rows = (1 + POISE_ENDS_MOST) * pairs;
    apart->source.most_rows = rows < POISE_NEAR_MOST ? rows : POISE_NEAR_MOST;
    poise__row_source_add(tree, &apart->source);
    return apart;
}

// Points the arrays of a copied block to the copy.
static void move_arrays(PoiseApart* to, const PoiseApart* from) {
    const char* base = (const char*)from;
    char* moved = (char*)to;
    to->parts = (Part*)(void*)(moved + ((const char*)from->parts - base));
    to->carriers = (Carrier*)(void*)(moved + ((const char*)from->carriers - base));
    to->pairs = (Pair*)(void*)(moved + ((const char*)from->pairs - base));
    to->bundles = (Bundle*)(void*)(moved + ((const char*)from->bundles - base));
    to->motions = (NodeMotion*)(void*)(moved + ((const char*)from->motions - base));
    to->near = (Near*)(void*)(moved + ((const char*)from->near - base));
    to->corners = (PoiseVec3*)(void*)(moved + ((const char*)from->corners - base));
    for (int i = 0; i < to->part_count; i++) {
        Part* part = &to->parts[i];
        if (part->shape.kind == POISE_CONVEX_HULL) {
            part->shape.corners = to->corners + (part->shape.corners - from->corners);
        }
    }
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
        if (!is_there(tree, &apart->parts[i])) {
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
    move_arrays(made, apart);
    made->source = (RowSource){
        .tree = tree, .fill = fill, .limit = limit, .most_rows = apart->source.most_rows};
    poise__row_source_add(tree, &made->source);
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
    while (source && source->fill != fill) {
        source = source->next;
    }
    return (PoiseApart*)(void*)source;
}

// ----------------------------------------------------------------------------------------- access

int poise_apart_pair_count(const PoiseApart* apart) {
    return apart ? apart->pair_count : 0;
}

int poise_apart_pairs(const PoiseApart* apart, PoiseApartPair* pairs, int capacity) {
    for (int k = 0; apart && pairs && k < apart->pair_count && k < capacity; k++) {
        pairs[k] = (PoiseApartPair){apart->pairs[k].a, apart->pairs[k].b};
    }
    return poise_apart_pair_count(apart);
}

double poise_apart_kept(const PoiseApart* apart, PoiseApartPair pair) {
    for (int k = 0; apart && k < apart->pair_count; k++) {
        const Pair* own = &apart->pairs[k];
        if ((own->a == pair.a && own->b == pair.b) || (own->a == pair.b && own->b == pair.a)) {
            return own->kept;
        }
    }
    return 0.0;
}

PoiseStatus poise_apart_set_obstacle(PoiseApart* apart, int part, PoisePose pose,
                                     PoiseVec3 velocity, PoiseVec3 spin) {
    if (!apart || part < 0 || part >= apart->part_count || apart->parts[part].link != NO_SLOT ||
        !poise__is_frame(pose) || !poise_is_finite3(velocity) || !poise_is_finite3(spin)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Part* obstacle = &apart->parts[part];
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
    PoiseStatus status = POISE_ERROR_INVALID_ARGUMENT;
    for (int k = 0; apart && k < apart->pair_count; k++) {
        Pair* own = &apart->pairs[k];
        if ((own->a == pair.a && own->b == pair.b) || (own->a == pair.b && own->b == pair.a)) {
            own->allowed = allowed;
            own->clear = 0.0;
            status = POISE_OK;
        }
    }
    for (int i = 0; status == POISE_OK && i < apart->bundle_count; i++) {
        apart->bundles[i].clear = 0.0;
    }
    return status;
}

bool poise_apart_is_allowed(const PoiseApart* apart, PoiseApartPair pair) {
    bool allowed = false;
    for (int k = 0; apart && k < apart->pair_count; k++) {
        const Pair* own = &apart->pairs[k];
        const bool is =
            (own->a == pair.a && own->b == pair.b) || (own->a == pair.b && own->b == pair.a);
        allowed = allowed || (is && own->allowed);
    }
    return allowed;
}

int poise_apart_measure(PoiseApart* apart, PoiseApartNear* nearest) {
    if (!apart || !apart->source.tree || !poise_tree_is_fresh(apart->source.tree)) {
        return -1;
    }
    forget_destroyed(apart);
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

// True if the row of the pair held the last step.
static bool pair_is_holding(const PoiseApart* apart, int pair) {
    bool held = false;
    for (int i = 0; i < apart->near_count; i++) {
        held = held || (apart->near[i].pair == pair && is_holding(apart, &apart->near[i]));
    }
    return held;
}

int poise_apart_near(const PoiseApart* apart, PoiseApartNear* near, int capacity) {
    const PoiseTree* tree = apart ? apart->source.tree : NULL;
    int count = 0;
    for (int k = 0; tree && k < apart->pair_count; k++) {
        const Pair* pair = &apart->pairs[k];
        const bool held = pair_is_holding(apart, k);
        if (pair->allowed || (!held && !(poise__parts_room(apart, pair) < apart->range))) {
            continue;
        }
        const PoiseGap gap = poise__parts_gap(apart, pair);
        const Part* a = &apart->parts[pair->a];
        const Part* b = &apart->parts[pair->b];
        if ((!held && !(gap.distance < apart->range)) || is_on_purpose(tree, a, b, &gap)) {
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
