// SPDX-License-Identifier: MIT
// Keeps parts of a tree apart: finds the pairs whose gap (parts.c) is small, adds an inequality to
// the step (step_rows.c) for each, and limits steps by which pairs without a row could meet.
#include "apart.h"

#include <stdlib.h>

// m/s: pairs that cannot come to the distance in a step at this speed need no row in the step.
// poise__step_rows_limit holds parts that are faster.
#define APPROACH 4.0
// m/s: two parts have a row if they are near enough to brake (BRAKE) at their speed in the last
// step. A higher speed counts as this speed.
#define BRAKED 2.0
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

// True if a point of the part's link is asked for a force against `normal`.
static bool presses(const PoiseTree* tree, const Part* part, PoiseVec3 normal) {
    bool any = false;
    for (int i = 0; i < tree->point_count && part->link != NO_SLOT; i++) {
        const Point* point = &tree->points[tree->point_order[i]];
        any = any || (point->link == part->link && point->enabled &&
                      poise_dot(point->force, normal) < 0.0);
    }
    return any;
}

bool poise__is_wanted(const PoiseApart* apart, const Pair* pair, const PoiseGap* gap) {
    const PoiseTree* tree = apart->source.tree;
    return presses(tree, &apart->parts[pair->a], gap->normal) ||
           presses(tree, &apart->parts[pair->b], poise_scale(-1.0, gap->normal));
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

// Returns a bound of a carrier's motion by omega; before a solve this is the last step's omega.
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
    if (gap.distance < close && !poise__is_wanted(apart, pair, &gap)) {
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

void poise__apart_find_near(PoiseApart* apart, double step) {
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

void poise__apart_fill(RowSource* source, double step) {
    PoiseApart* apart = (PoiseApart*)(void*)source;
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
    const bool wanted = gap.distance < apart->range && poise__is_wanted(apart, pair, &gap);
    const double asked = poise_min(lack, PUSH_MOST) + apart->carriers[pair->b_carrier].drift;
    MotionBound most = most_motion(apart, pair->kept, gap.distance, lag_part);
    most.lag = lack > 0.0 ? poise_max(most.lag, asked) : most.lag;
    const double factor = motion.step > most.step ? most.step / motion.step : 1.0;
    return wanted ? 1.0 : factor * motion.lag > most.lag ? most.lag / motion.lag : factor;
}

double poise__apart_limit(const RowSource* source) {
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
