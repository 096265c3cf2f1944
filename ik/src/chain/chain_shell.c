// SPDX-License-Identifier: MIT
// The shells of a chain: bounds of the distances that a point of the chain can have from a centre.
// A target outside a shell is out of reach, which takes a few multiplications to find.
//
// Every hinge leaves the points of its axis in place, and every ball its centre. These points, one
// for each joint, give a line of rigid segments from the first joint to the tip. The distance of
// its ends is at most the sum of the lengths, and at least one length minus all others. Two
// segments that meet at a hinge have the exact interval of its range,
//     d^2 = |u|^2 + |v|^2 - 2 u . R(theta) v.
// The points are those of the shortest line. A slider is a segment at the middle of its range, and
// half of the range is added to both bounds.
#include "chain.h"

// margin of both bounds for the rounding of frames and targets, as a fraction of the reach
#define MARGIN 1e-9
// a slider whose range is at least this long, in units, has no bound
#define ENDLESS 1e8

enum { SWEEPS = 100 };

/// A turning joint of the line, and the segment from it to the next. Vectors are in the moved frame
/// of this joint.
typedef struct Corner {
    const ChainJoint* joint; ///< NULL: the tip
    double along;            ///< position of the point on the joint's axis
    double to[3];            ///< origin of the next joint
    double axis[3];          ///< axis of the next joint
    double frame[9];         ///< rotation of the next joint's frame, row-major
    double spread;           ///< half of the ranges of the sliders in between
} Corner;

typedef struct Line {
    Corner corners[CHAIN_MOST_JOINTS + 1];
    int count;       ///< corners before the tip
    double start[3]; ///< origin of the first corner, in the first joint's frame
    double axis[3];  ///< its axis
    double spread;   ///< half of the ranges of the sliders before it
} Line;

/// The bounds of a distance.
typedef struct Interval {
    double least;
    double most;
} Interval;

// -------------------------------------------------------------------------------------- the line

static double dot(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// m = m * turn, row-major
static void multiply(double m[9], const double turn[9]) {
    double out[9];
    for (int i = 0; i < 9; i++) {
        out[i] = dot(&m[i / 3 * 3], (double[]){turn[i % 3], turn[3 + i % 3], turn[6 + i % 3]});
    }
    memcpy(m, out, sizeof out);
}

// Rotates a frame by the constant rotation after a joint.
static void twist_by(double m[9], const ChainJoint* joint) {
    double c = 1.0;
    double s = 0.0;
    switch (joint->twist) {
    case CHAIN_TWIST_NONE:
        return;
    case CHAIN_TWIST_ANY:
        multiply(m, joint->matrix);
        return;
    case CHAIN_TWIST_QUARTER:
    case CHAIN_TWIST_QUARTER_BACK:
        c = 0.0;
        s = joint->twist == CHAIN_TWIST_QUARTER ? 1.0 : -1.0;
        break;
    case CHAIN_TWIST_X:
        c = joint->twist_cos;
        s = joint->twist_sin;
        break;
    }
    multiply(m, (double[]){1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c});
}

// Adds `length` times column `k` of the frame.
static void move_along(double place[3], const double frame[9], int k, double length) {
    for (int i = 0; i < 3; i++) {
        place[i] += length * frame[3 * i + k];
    }
}

/// A frame on its path along the chain.
typedef struct Walk {
    double place[3];
    double frame[9];
    double spread;
} Walk;

static Walk begin_walk(void) {
    return (Walk){.frame = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
}

static void pass_link(Walk* walk, const ChainJoint* joint) {
    for (int k = 0; k < 3; k++) {
        move_along(walk->place, walk->frame, k, joint->link[k]);
    }
    twist_by(walk->frame, joint);
}

static void end_segment(Corner* corner, const Walk* walk) {
    memcpy(corner->to, walk->place, sizeof corner->to);
    memcpy(corner->frame, walk->frame, sizeof corner->frame);
    for (int k = 0; k < 3; k++) {
        corner->axis[k] = walk->frame[3 * k + 2];
    }
    corner->spread = walk->spread;
}

// Lists the corners of a chain.
static void list_corners(const Chain* chain, Line* line) {
    Walk walk = begin_walk();
    line->count = 0;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind == CHAIN_SLIDER) {
            // Walks along a slider at the middle of its range.
            const double length = joint->upper - joint->lower;
            const bool endless = !(length < ENDLESS);
            move_along(walk.place, walk.frame, 2,
                       endless ? 0.0 : 0.5 * (joint->lower + joint->upper));
            walk.spread += endless ? HUGE_VAL : 0.5 * length;
            multiply(walk.frame,
                     (double[]){joint->fixed_cos, -joint->fixed_sin, 0.0, joint->fixed_sin,
                                joint->fixed_cos, 0.0, 0.0, 0.0, 1.0});
        } else {
            if (line->count > 0) {
                end_segment(&line->corners[line->count - 1], &walk);
            } else {
                memcpy(line->start, walk.place, sizeof line->start);
                for (int k = 0; k < 3; k++) {
                    line->axis[k] = walk.frame[3 * k + 2];
                }
                line->spread = walk.spread;
            }
            line->corners[line->count++] = (Corner){.joint = joint};
            i += joint->kind == CHAIN_CONE ? 2 : 0;
            walk = begin_walk();
        }
        pass_link(&walk, &chain->joints[i]);
    }
    if (line->count > 0) {
        end_segment(&line->corners[line->count - 1], &walk);
    }
    line->corners[line->count] = (Corner){.joint = NULL};
}

void poise__chain_lay_out(const Chain* chain, ChainClosed* closed) {
    Walk walk = begin_walk();
    for (int i = 0; i < chain->joint_count; i++) {
        for (int k = 0; k < 3; k++) {
            closed->axis[i][k] = walk.frame[3 * k + 2];
        }
        memcpy(closed->point[i], walk.place, sizeof walk.place);
        pass_link(&walk, &chain->joints[i]);
    }
    memcpy(closed->frame, walk.frame, sizeof walk.frame);
    memcpy(closed->tip, walk.place, sizeof walk.place);
}

// Returns the vector of segment i, from a point to the next.
static void segment_of(const Line* line, int i, double out[3]) {
    const Corner* corner = &line->corners[i];
    memcpy(out, corner->to, sizeof corner->to);
    for (int k = 0; k < 3; k++) {
        out[k] += corner[1].along * corner->axis[k];
    }
    out[2] -= corner->along;
}

// Moves the point of corner i along its axis, to the least sum of the distances to its neighbours.
// `last`: the next corner has no fixed point.
static void shorten(Line* line, int i, bool last) {
    Corner* corner = &line->corners[i];
    double foot[2] = {0.0, 0.0};   // nearest position on the axis to each neighbour
    double height[2] = {0.0, 0.0}; // distance of the neighbour from the axis
    double weight = 0.0;
    corner->along = 0.0;
    if (corner->joint->kind != CHAIN_HINGE) {
        return;
    }
    if (i > 0) {
        double back[3];
        segment_of(line, i - 1, back);
        foot[0] = -dot(back, corner[-1].axis);
        height[0] = sqrt(fmax(dot(back, back) - foot[0] * foot[0], 0.0));
    }
    if (!last) {
        double ahead[3];
        segment_of(line, i, ahead);
        foot[1] = ahead[2];
        height[1] = sqrt(ahead[0] * ahead[0] + ahead[1] * ahead[1]);
    }
    weight = height[0] + height[1];
    corner->along = i == 0         ? foot[1]
                    : last         ? foot[0]
                    : weight > 0.0 ? (foot[0] * height[1] + foot[1] * height[0]) / weight
                                   : 0.5 * (foot[0] + foot[1]);
}

// ------------------------------------------------------------------------------------- the bounds

// Returns the interval of amplitude * cos(x - phase) for x in a range.
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

// Returns the interval of the distance between the outer ends of the two segments at hinge i.
static Interval pair_at(const Line* line, int i) {
    const Corner* corner = &line->corners[i];
    double back[3];
    double u[3];
    double v[3];
    segment_of(line, i - 1, back);
    segment_of(line, i, v);
    for (int k = 0; k < 3; k++) {
        // vector from the point of corner i to the point before it, in the frame of corner i before
        // its motion
        const double* m = corner[-1].frame;
        u[k] = -(m[k] * back[0] + m[3 + k] * back[1] + m[6 + k] * back[2]);
    }
    // u . R(x) v = u_z v_z + c cos x + s sin x
    const double c = u[0] * v[0] + u[1] * v[1];
    const double s = u[1] * v[0] - u[0] * v[1];
    const double amplitude = sqrt(c * c + s * s);
    const double phase = amplitude > 0.0 ? poise_atan2(s, c) : 0.0;
    const Interval turn = cosine_over(amplitude, phase, corner->joint->lower, corner->joint->upper);
    const double fixed = dot(u, u) + dot(v, v) - 2.0 * u[2] * v[2];
    return (Interval){sqrt(fmax(fixed - 2.0 * turn.most, 0.0)),
                      sqrt(fmax(fixed - 2.0 * turn.least, 0.0))};
}

// Returns the interval of |a + b| from those of |a| and |b|.
static Interval add(Interval a, Interval b) {
    return (Interval){fmax(0.0, fmax(a.least - b.most, b.least - a.most)), a.most + b.most};
}

// Returns the bounds of the distance from the first point to that of corner `end`.
static Interval bound(const Line* line, int end) {
    Interval to[CHAIN_MOST_JOINTS + 1] = {{0.0, 0.0}};
    for (int i = 0; i < end; i++) {
        double segment[3];
        segment_of(line, i, segment);
        const double length = sqrt(dot(segment, segment));
        const Interval single = {length, length};
        to[i + 1] = add(to[i], single);
        const bool pairs = i > 0 && line->corners[i].joint->kind == CHAIN_HINGE &&
                           line->corners[i].spread == 0.0 && line->corners[i - 1].spread == 0.0;
        if (pairs) {
            const Interval both = add(to[i - 1], pair_at(line, i));
            to[i + 1].least = fmax(to[i + 1].least, both.least);
            to[i + 1].most = fmin(to[i + 1].most, both.most);
        }
        const double spread = line->corners[i].spread;
        to[i + 1] = add(to[i + 1], (Interval){0.0, spread});
    }
    return add(to[end], (Interval){0.0, line->spread});
}

// Sets the shell of the tip, or of the last corner's point, which a target pose determines.
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
    const Corner* last = &line->corners[line->count - 1];
    for (int k = 0; k < 3; k++) {
        shell->centre[k] = line->start[k] + line->corners[0].along * line->axis[k];
        shell->back[k] = 0.0;
    }
    if (!of_tip) {
        double arm[3];
        segment_of(line, line->count - 1, arm);
        for (int k = 0; k < 3; k++) {
            // the arm in the frame of the tip, which turns with the last corner
            const double* m = last->frame;
            shell->back[k] = m[k] * arm[0] + m[3 + k] * arm[1] + m[6 + k] * arm[2];
        }
        interval = add(interval, (Interval){0.0, last->spread});
    }
    const double margin = MARGIN * chain->reach * chain->to_units;
    shell->lever = sqrt(dot(shell->back, shell->back));
    shell->least = fmax(interval.least - margin, 0.0);
    shell->most = interval.most + margin;
}

void poise__chain_make_shells(Chain* chain) {
    Line line;
    list_corners(chain, &line);
    const ChainShell open = {.most = HUGE_VAL};
    chain->tip_shell = open;
    chain->last_shell = open;
    if (line.count > 0) {
        set_shell(chain, &line, true, &chain->tip_shell);
        set_shell(chain, &line, false, &chain->last_shell);
    }
}

// Returns the distance of a point from the shell, 0 inside.
static double outside(const ChainShell* shell, const double place[3]) {
    double off2 = 0.0;
    for (int k = 0; k < 3; k++) {
        off2 += (place[k] - shell->centre[k]) * (place[k] - shell->centre[k]);
    }
    if (off2 <= shell->most * shell->most && off2 >= shell->least * shell->least) {
        return 0.0;
    }
    const double off = sqrt(off2);
    return fmax(off - shell->most, shell->least - off);
}

void poise__chain_measure(const ChainSearch* search, ChainProblem* problem) {
    const Chain* chain = search->chain;
    const ChainSolveDef* def = search->def;
    const ChainTarget* target = &problem->target;
    const double tolerance = def->position_tolerance * chain->to_units;
    problem->is_beyond = false;
    problem->is_settled = false;
    problem->beyond = 0.0;
    if (def->goal == POISE_BODY_ORIENTATION) {
        return;
    }
    const double beyond = outside(&chain->tip_shell, target->position);
    if (beyond > tolerance) {
        problem->is_beyond = true;
        problem->beyond = beyond;
    } else if (def->goal == POISE_BODY_POSE) {
        double place[3];
        for (int k = 0; k < 3; k++) {
            place[k] = target->position[k] - dot(&target->matrix[3 * k], chain->last_shell.back);
        }
        problem->is_beyond = outside(&chain->last_shell, place) >
                             tolerance + def->angle_tolerance * chain->last_shell.lever;
    }
}
