// SPDX-License-Identifier: MIT
// Bounds what a chain can reach by shells: the least and largest distance of a point of the chain
// from a centre. A few multiplications then prove that a target outside a shell is out of reach.
//
// Hinges leave the points of their axes in place, and balls their centres. A point of each joint
// gives a line of rigid segments from the first joint to the tip. The distance of its ends is at
// most the sum of all lengths, and at least one length minus all others. Two segments that meet at
// a hinge have the exact interval that the hinge's range allows:
//     d^2 = |u|^2 + |v|^2 - 2 u . R(theta) v.
// The points are chosen so that the line is as short as possible. A slider is a segment at the
// middle of its range, and half of the range widens both bounds.
#include "chain.h"

// margin of both bounds for rounding errors, as a fraction of the reach
#define MARGIN 1e-9
// units; a slider with a longer range has no bound
#define ENDLESS 1e8

enum { SWEEPS = 100 };

/// A frame that moves along the chain.
typedef struct Walk {
    PoiseVec3 place;
    PoiseVec3 x, y, z; ///< axes of the frame
    double spread;     ///< sum of half the ranges of all sliders passed
} Walk;

/// A hinge or ball of the line, and the segment from it to the next.
typedef struct Corner {
    const ChainJoint* joint; ///< NULL: the tip
    double along;            ///< position of its fixed point on its axis
    Walk to; ///< frame of the next joint, in the frame of this joint after its motion
} Corner;

typedef struct Line {
    Corner corners[CHAIN_MOST_JOINTS + 1];
    int count;  ///< number of corners before the tip
    Walk start; ///< frame of the first corner, in the frame of the first joint
} Line;

/// The bounds of a distance.
typedef struct Interval {
    double least;
    double most;
} Interval;

// -------------------------------------------------------------------------------------- the line

static const Walk walk_begin = {.x = {1.0, 0.0, 0.0}, .y = {0.0, 1.0, 0.0}, .z = {0.0, 0.0, 1.0}};

// Returns a x + b y + c z of the walk's axes.
static PoiseVec3 combine(const Walk* walk, double a, double b, double c) {
    return poise_add_scaled(poise_add_scaled(poise_scale(a, walk->x), b, walk->y), c, walk->z);
}

// Moves a frame along the link after a joint, then rotates it by the twist.
static void pass_link(Walk* walk, const ChainJoint* joint) {
    const double* m = joint->matrix;
    const Walk w = *walk;
    walk->place = poise_add_scaled(walk->place, joint->link[0], w.x);
    walk->place = poise_add_scaled(walk->place, joint->link[1], w.y);
    walk->place = poise_add_scaled(walk->place, joint->link[2], w.z);
    if (joint->twist == CHAIN_TWIST_ANY) {
        walk->x = combine(&w, m[0], m[3], m[6]);
        walk->y = combine(&w, m[1], m[4], m[7]);
        walk->z = combine(&w, m[2], m[5], m[8]);
    } else {
        walk->y = combine(&w, 0.0, joint->twist_cos, joint->twist_sin);
        walk->z = combine(&w, 0.0, -joint->twist_sin, joint->twist_cos);
    }
}

// Moves a frame along a slider that is at the middle of its range.
static void pass_slider(Walk* walk, const ChainJoint* joint) {
    const double length = joint->upper - joint->lower;
    const bool endless = !(length < ENDLESS);
    const double middle = endless ? 0.0 : 0.5 * (joint->lower + joint->upper);
    const Walk w = *walk;
    walk->place = poise_add_scaled(w.place, middle, w.z);
    walk->spread += endless ? HUGE_VAL : 0.5 * length;
    walk->x = combine(&w, joint->fixed_cos, joint->fixed_sin, 0.0);
    walk->y = combine(&w, -joint->fixed_sin, joint->fixed_cos, 0.0);
}

// Lists the hinges and balls of a chain as the corners of its line.
static void list_corners(const Chain* chain, Line* line) {
    Walk walk = walk_begin;
    Walk* end = &line->start;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind == CHAIN_SLIDER) {
            pass_slider(&walk, joint);
        } else {
            Corner* corner = &line->corners[line->count++];
            *end = walk;
            corner->joint = joint;
            end = &corner->to;
            walk = walk_begin;
            i += joint->kind == CHAIN_CONE ? 2 : 0;
        }
        pass_link(&walk, &chain->joints[i]);
    }
    *end = walk;
}

void poise__chain_lay_out(const Chain* chain, ChainClosed* closed) {
    Walk walk = walk_begin;
    for (int i = 0; i < chain->joint_count; i++) {
        closed->axis[i] = walk.z;
        closed->point[i] = walk.place;
        pass_link(&walk, &chain->joints[i]);
    }
    closed->frame[0] = poise_vec3(walk.x.x, walk.y.x, walk.z.x);
    closed->frame[1] = poise_vec3(walk.x.y, walk.y.y, walk.z.y);
    closed->frame[2] = poise_vec3(walk.x.z, walk.y.z, walk.z.z);
    closed->tip = walk.place;
}

// Returns the vector of segment i, from corner i to the next.
static PoiseVec3 segment_of(const Line* line, int i) {
    const Corner* corner = &line->corners[i];
    PoiseVec3 out = poise_add_scaled(corner->to.place, corner[1].along, corner->to.z);
    out.z -= corner->along;
    return out;
}

// Returns the components along the axes of `frame` of a vector given in its parent's axes.
static PoiseVec3 in_frame(const Walk* frame, PoiseVec3 v) {
    return poise_vec3(poise_dot(frame->x, v), poise_dot(frame->y, v), poise_dot(frame->z, v));
}

// Moves the point of corner i along its axis to where the sum of the distances to its neighbours is
// least. `last`: the line ends at corner i.
static void shorten(Line* line, int i, bool last) {
    Corner* corner = &line->corners[i];
    double foot[2] = {0.0, 0.0};   // position on the axis nearest to each neighbour
    double height[2] = {0.0, 0.0}; // distance of each neighbour from the axis
    double weight = 0.0;
    corner->along = 0.0;
    if (corner->joint->kind != CHAIN_HINGE) {
        return;
    }
    if (i > 0) {
        const PoiseVec3 back = segment_of(line, i - 1);
        foot[0] = -poise_dot(back, corner[-1].to.z);
        height[0] = sqrt(fmax(poise_dot(back, back) - foot[0] * foot[0], 0.0));
    }
    if (!last) {
        const PoiseVec3 ahead = segment_of(line, i);
        foot[1] = ahead.z;
        height[1] = sqrt(ahead.x * ahead.x + ahead.y * ahead.y);
    }
    weight = height[0] + height[1];
    corner->along = i == 0         ? foot[1]
                    : last         ? foot[0]
                    : weight > 0.0 ? (foot[0] * height[1] + foot[1] * height[0]) / weight
                                   : 0.5 * (foot[0] + foot[1]);
}

// ------------------------------------------------------------------------------------- the bounds

// Returns the interval of amplitude * cos(x - phase) for x from `lower` to `upper`.
static Interval cosine_over(double amplitude, double phase, double lower, double upper) {
    const double turn = 2.0 * POISE_PI;
    Interval out = {-amplitude, amplitude};
    if (!(upper - lower < turn)) {
        return out;
    }
    const double from = lower - phase - turn * floor((lower - phase) / turn);
    const double to = from + (upper - lower);
    const double a = amplitude * poise_sincos(from).cosine;
    const double b = amplitude * poise_sincos(to).cosine;
    if (to < turn) {
        out.most = fmax(a, b);
    }
    if (!(from <= POISE_PI && to >= POISE_PI) && to < 3.0 * POISE_PI) {
        out.least = fmin(a, b);
    }
    return out;
}

// Returns the interval of the distance of the far ends of the segments that meet at hinge i.
static Interval pair_at(const Line* line, int i) {
    const Corner* corner = &line->corners[i];
    // vectors from corner i to both far ends, in its frame before and after the motion
    const PoiseVec3 u = poise_scale(-1.0, in_frame(&corner[-1].to, segment_of(line, i - 1)));
    const PoiseVec3 v = segment_of(line, i);
    // u . R(x) v = u_z v_z + c cos x + s sin x
    const double c = u.x * v.x + u.y * v.y;
    const double s = u.y * v.x - u.x * v.y;
    const double amplitude = sqrt(c * c + s * s);
    const double phase = amplitude > 0.0 ? poise_atan2(s, c) : 0.0;
    const Interval turn = cosine_over(amplitude, phase, corner->joint->lower, corner->joint->upper);
    const double fixed = poise_dot(u, u) + poise_dot(v, v) - 2.0 * u.z * v.z;
    return (Interval){sqrt(fmax(fixed - 2.0 * turn.most, 0.0)),
                      sqrt(fmax(fixed - 2.0 * turn.least, 0.0))};
}

// Returns the interval of |a + b|, given those of |a| and |b|.
static Interval add(Interval a, Interval b) {
    return (Interval){fmax(0.0, fmax(a.least - b.most, b.least - a.most)), a.most + b.most};
}

// Returns the bounds of the distance from the first corner to corner `end`.
static Interval bound(const Line* line, int end) {
    Interval to[CHAIN_MOST_JOINTS + 1] = {{0.0, 0.0}};
    for (int i = 0; i < end; i++) {
        const double length = poise_length(segment_of(line, i));
        to[i + 1] = add(to[i], (Interval){length, length});
        const bool pairs = i > 0 && line->corners[i].joint->kind == CHAIN_HINGE &&
                           line->corners[i].to.spread == 0.0 &&
                           line->corners[i - 1].to.spread == 0.0;
        if (pairs) {
            const Interval both = add(to[i - 1], pair_at(line, i));
            to[i + 1].least = fmax(to[i + 1].least, both.least);
            to[i + 1].most = fmin(to[i + 1].most, both.most);
        }
        to[i + 1] = add(to[i + 1], (Interval){0.0, line->corners[i].to.spread});
    }
    return add(to[end], (Interval){0.0, line->start.spread});
}

// Computes the shell of the tip or, if `of_tip` is false, of the last corner, whose place follows
// from a target pose.
static void set_shell(const Chain* chain, Line* line, bool of_tip, ChainShell* shell) {
    const int end = of_tip ? line->count : line->count - 1;
    for (int i = 0; i < line->count; i++) {
        line->corners[i].along = 0.0;
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = 0; i <= end && i < line->count; i++) {
            shorten(line, i, i == end);
        }
    }
    Interval interval = bound(line, end);
    const Walk* last = &line->corners[line->count - 1].to;
    shell->centre = poise_add_scaled(line->start.place, line->corners[0].along, line->start.z);
    shell->back = poise_vec3(0.0, 0.0, 0.0);
    if (!of_tip) {
        // in the frame of the tip, which the last corner rotates
        shell->back = in_frame(last, segment_of(line, line->count - 1));
        interval = add(interval, (Interval){0.0, last->spread});
    }
    const double margin = MARGIN * chain->reach * chain->to_units;
    shell->least = fmax(interval.least - margin, 0.0);
    shell->most = interval.most + margin;
}

void poise__chain_make_shells(Chain* chain) {
    Line line = {.count = 0};
    list_corners(chain, &line);
    const ChainShell open = {.most = HUGE_VAL};
    chain->tip_shell = open;
    chain->last_shell = open;
    if (line.count > 0) {
        set_shell(chain, &line, true, &chain->tip_shell);
        set_shell(chain, &line, false, &chain->last_shell);
    }
}

// Returns the distance of a point from the shell; 0 if it is inside.
static double outside(const ChainShell* shell, PoiseVec3 place) {
    const PoiseVec3 from = poise_sub(place, shell->centre);
    const double off2 = poise_dot(from, from);
    if (off2 <= shell->most * shell->most && off2 >= shell->least * shell->least) {
        return 0.0;
    }
    const double off = sqrt(off2);
    return fmax(off - shell->most, shell->least - off);
}

void poise__chain_measure(const ChainSearch* search, ChainProblem* problem) {
    const Chain* chain = search->chain;
    const double* p = problem->target.position;
    const double* m = problem->target.matrix;
    const PoiseVec3 place = poise_vec3(p[0], p[1], p[2]), back = chain->last_shell.back;
    const double tolerance = search->position_tolerance * chain->to_units;
    problem->is_beyond = false;
    problem->is_settled = false;
    problem->beyond = 0.0;
    if (search->goal == POISE_BODY_ORIENTATION) {
        return;
    }
    const double beyond = outside(&chain->tip_shell, place);
    if (beyond > tolerance) {
        problem->is_beyond = true;
        problem->beyond = beyond;
    } else if (search->goal == POISE_BODY_POSE) {
        const PoiseVec3 arm = poise_vec3(poise_dot(poise_vec3(m[0], m[1], m[2]), back),
                                         poise_dot(poise_vec3(m[3], m[4], m[5]), back),
                                         poise_dot(poise_vec3(m[6], m[7], m[8]), back));
        problem->is_beyond = outside(&chain->last_shell, poise_sub(place, arm)) >
                             tolerance + search->angle_tolerance * poise_length(back);
    }
}
