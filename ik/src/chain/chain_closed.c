// SPDX-License-Identifier: MIT
// Closed forms of chains of six hinges: all answers to a pose, at most eight, without iterations.
//
// At the coordinates 0, axis i has the direction w_i and passes through p_i, and the tip has the
// pose T_0. A target T requires, with G = T T_0^-1,
//
//     exp(1) exp(2) exp(3) exp(4) exp(5) exp(6) = G,
//
// where exp(i) is the rotation about axis i. A product of rotations leaves a point in place that
// all their axes share, and leaves a direction unchanged to which all are parallel. Each step
// applies the equation to such a point or direction. The rest is either one equation A cos(q) + B
// sin(q) = C with two roots, or one rotation between two known vectors. Two classes of chains have
// this form:
//
//     Axes 4, 5 and 6 meet (Pieper). In addition, axes 1 and 2 or axes 2 and 3 meet or are
//     parallel. The position of the hand gives the first three angles, its rotation the last three.
//
//     Axes 2, 3 and 4 are parallel, and axes 5 and 6 meet.
#define CHAIN_LANES 1
#include "lane_step.h"

// A discriminant is 0 (a double root) if it is negative by at most this fraction of A^2 + B^2.
#define DOUBLE_ROOT 1e-9
// squared sine of the angle between two axes below which they count as one
#define SINGULAR2 1e-18
// rad; an answer that exceeds a range by at most this is clamped to its end
#define BEYOND_RANGE 1e-9

// rad; answers whose angles all differ by less than this are the same
#define SAME_ANSWER 1e-7

enum { JOINTS = CHAIN_CLOSED_JOINTS, ROOTS = 2, MOST_STEPS = 4 };

/// Answers inside the ranges, sorted by distance from the start.
typedef struct ChainAnswers {
    double merit[CHAIN_CLOSED_MOST];
    double* q[CHAIN_CLOSED_MOST];
    int count;
} ChainAnswers;

/// A target as the motion G (see the head), with the start of the search.
typedef struct Target {
    PoiseVec3 turn[3]; ///< columns of G's rotation matrix
    PoiseVec3 place;   ///< translation of G
    const double* start;
} Target;

/// All answers, before the ranges are considered.
typedef struct Found {
    _Alignas(64) double sines[CHAIN_CLOSED_MOST * JOINTS];
    double cosines[CHAIN_CLOSED_MOST * JOINTS];
    double q[CHAIN_CLOSED_MOST * JOINTS];
    int count;
} Found;

// ----------------------------------------------------------------------------------------- vectors

// Rotates v about the unit vector w.
static inline PoiseVec3 rotate(PoiseVec3 w, PoiseSinCos turn, PoiseVec3 v) {
    return poise_add(poise_scale(turn.cosine, v),
                     poise_add(poise_scale(turn.sine, poise_cross(w, v)),
                               poise_scale((1.0 - turn.cosine) * poise_dot(w, v), w)));
}

static inline PoiseSinCos back(PoiseSinCos turn) {
    return (PoiseSinCos){-turn.sine, turn.cosine};
}

// Rotates a direction by G, or in the second function by its inverse.
static inline PoiseVec3 by_target(const Target* target, PoiseVec3 v) {
    return poise_add(
        poise_scale(v.x, target->turn[0]),
        poise_add(poise_scale(v.y, target->turn[1]), poise_scale(v.z, target->turn[2])));
}

static inline PoiseVec3 by_target_back(const Target* target, PoiseVec3 v) {
    return poise_vec3(poise_dot(target->turn[0], v), poise_dot(target->turn[1], v),
                      poise_dot(target->turn[2], v));
}

// Rotates the point x about the axis w through p.
static inline PoiseVec3 move(PoiseVec3 w, PoiseVec3 p, PoiseSinCos turn, PoiseVec3 x) {
    return poise_add(p, rotate(w, turn, poise_sub(x, p)));
}

// -------------------------------------------------------------------------------- single equations

// Solves h . R(w, q) v = d for the angle q. Returns 0 or 2, the number of roots (a double root
// counts twice).
static inline int solve_plane(PoiseVec3 h, PoiseVec3 w, PoiseVec3 v, double d,
                              PoiseSinCos roots[ROOTS]) {
    const double along = poise_dot(h, w) * poise_dot(w, v);
    const double a = poise_dot(h, v) - along;
    const double b = poise_dot(h, poise_cross(w, v));
    const double c = d - along;
    const double r2 = a * a + b * b;
    const double s2 = r2 - c * c;
    if (!(s2 >= -DOUBLE_ROOT * r2) || r2 == 0.0) {
        return 0;
    }
    const double s = s2 > 0.0 ? sqrt(s2) : 0.0;
    const double scale = 1.0 / r2;
    // At a double root, rounding can make |c| slightly larger than the amplitude sqrt(a^2 + b^2):
    // c is then clamped to the amplitude.
    const double edge = s2 > 0.0 ? c : copysign(sqrt(r2), c);
    roots[0] = (PoiseSinCos){scale * (b * edge + a * s), scale * (a * edge - b * s)};
    roots[1] = (PoiseSinCos){scale * (b * edge - a * s), scale * (a * edge + b * s)};
    return ROOTS;
}

// Solves |R(w, q) v - u|^2 = d2 for the angle q. Returns the number of roots.
static inline int solve_distance(PoiseVec3 w, PoiseVec3 v, PoiseVec3 u, double d2,
                                 PoiseSinCos roots[ROOTS]) {
    return solve_plane(u, w, v, 0.5 * (poise_dot(u, u) + poise_dot(v, v) - d2), roots);
}

// Computes the rotation about w that takes a to b. If a or b is parallel to w, every rotation has
// the same effect: writes the identity and returns false.
static inline bool turn_between(PoiseVec3 w, PoiseVec3 a, PoiseVec3 b, PoiseSinCos* turn) {
    const double c = poise_dot(a, b) - poise_dot(w, a) * poise_dot(w, b);
    const double s = poise_dot(w, poise_cross(a, b));
    const double length2 = c * c + s * s;
    const bool is_free = !(length2 > SINGULAR2 * poise_dot(a, a) * poise_dot(b, b));
    const double scale = is_free ? 0.0 : 1.0 / sqrt(length2);
    *turn = (PoiseSinCos){scale * s, is_free ? 1.0 : scale * c};
    return !is_free;
}

/// The axes of two successive rotations.
typedef struct Pair {
    PoiseVec3 w;
    PoiseVec3 v;
    PoiseSinCos own; ///< rotation about w to choose if every rotation about w is a solution
} Pair;

// Solves R(w, q) R(v, r) a = b for q (`first`) and r (`second`). Returns the number of roots.
static inline int solve_two(const Pair* pair, PoiseVec3 a, PoiseVec3 b, PoiseSinCos first[ROOTS],
                            PoiseSinCos second[ROOTS]) {
    const int count = solve_plane(pair->w, pair->v, a, poise_dot(pair->w, b), second);
    for (int k = 0; k < count; k++) {
        if (!turn_between(pair->w, rotate(pair->v, second[k], a), b, &first[k])) {
            first[k] = pair->own;
        }
    }
    return count;
}

// ----------------------------------------------------------------------------------------- classes

static void add_answer(Found* found, const PoiseSinCos turns[JOINTS]) {
    if (found->count < CHAIN_CLOSED_MOST) {
        const int at = JOINTS * found->count++;
        for (int i = 0; i < JOINTS; i++) {
            found->sines[at + i] = turns[i].sine;
            found->cosines[at + i] = turns[i].cosine;
        }
    }
}

// Adds answers for three known angles: computes the angles of the wrist from its rotation.
static void add_wrists(const ChainClosed* closed, const Target* target, PoiseSinCos turns[JOINTS],
                       Found* found) {
    const PoiseVec3 w4 = closed->axis[3], w5 = closed->axis[4], w6 = closed->axis[5];
    const PoiseVec3 side = closed->side;
    PoiseVec3 z = by_target(target, w6);
    PoiseVec3 x = by_target(target, side);
    for (int i = 0; i < 3; i++) {
        z = rotate(closed->axis[i], back(turns[i]), z);
        x = rotate(closed->axis[i], back(turns[i]), x);
    }
    PoiseSinCos fourth[ROOTS];
    PoiseSinCos fifth[ROOTS];
    const Pair pair = {w4, w5, poise_sincos(target->start[3])};
    const int count = solve_two(&pair, w6, z, fourth, fifth);
    for (int k = 0; k < count; k++) {
        const PoiseVec3 to = rotate(w5, back(fifth[k]), rotate(w4, back(fourth[k]), x));
        turns[3] = fourth[k];
        turns[4] = fifth[k];
        if (turn_between(w6, side, to, &turns[5])) {
            add_answer(found, turns);
        }
    }
}

/// The first three rotations, from the base or toward it: exp(0) exp(1) exp(2) from = to. Toward
/// the base the axes are turned round, and the hand's centre and its place are exchanged.
typedef struct Shoulder {
    int joint[3];
    PoiseVec3 axis[3];
    PoiseVec3 point[3];
    PoiseVec3 from;
    PoiseVec3 to;
} Shoulder;

static Shoulder shoulder_of(const ChainClosed* closed, PoiseVec3 hand, bool reversed) {
    Shoulder s = {.from = reversed ? hand : closed->centre, .to = reversed ? closed->centre : hand};
    for (int i = 0; i < 3; i++) {
        s.joint[i] = reversed ? 2 - i : i;
        s.axis[i] = poise_scale(reversed ? -1.0 : 1.0, closed->axis[s.joint[i]]);
        s.point[i] = closed->point[s.joint[i]];
    }
    return s;
}

// Solves axes of which the second and third are parallel: q0 by their direction, q2 by the distance
// of `from` from the second.
static void solve_parallel(const ChainClosed* closed, const Target* target, const Shoulder* s,
                           Found* found) {
    PoiseSinCos first[ROOTS];
    PoiseSinCos third[ROOTS];
    PoiseSinCos turns[JOINTS];
    // w1 . exp(-0) to = w1 . from
    const int firsts = solve_plane(poise_sub(s->to, s->point[0]), s->axis[0], s->axis[1],
                                   poise_dot(s->axis[1], poise_sub(s->from, s->point[0])), first);
    const PoiseVec3 arm = poise_sub(s->from, s->point[2]);
    for (int i = 0; i < firsts; i++) {
        const PoiseVec3 to =
            poise_sub(move(s->axis[0], s->point[0], back(first[i]), s->to), s->point[1]);
        const int thirds = solve_distance(s->axis[2], arm, poise_sub(s->point[1], s->point[2]),
                                          poise_dot(to, to), third);
        for (int k = 0; k < thirds; k++) {
            const PoiseVec3 from =
                poise_sub(move(s->axis[2], s->point[2], third[k], s->from), s->point[1]);
            turns[s->joint[0]] = first[i];
            turns[s->joint[2]] = third[k];
            if (!turn_between(s->axis[1], from, to, &turns[s->joint[1]])) {
                turns[s->joint[1]] = poise_sincos(target->start[s->joint[1]]);
            }
            add_wrists(closed, target, turns, found);
        }
    }
}

// Solves axes of which the second and third meet: q0 by the distance of `to` from there.
static void solve_meeting(const ChainClosed* closed, const Target* target, const Shoulder* s,
                          Found* found) {
    const PoiseVec3 meet = closed->meet, from = poise_sub(s->from, meet);
    const Pair pair = {s->axis[1], s->axis[2], poise_sincos(target->start[s->joint[1]])};
    PoiseSinCos first[ROOTS];
    PoiseSinCos second[ROOTS];
    PoiseSinCos third[ROOTS];
    PoiseSinCos turns[JOINTS];
    const int firsts = solve_distance(s->axis[0], poise_sub(meet, s->point[0]),
                                      poise_sub(s->to, s->point[0]), poise_dot(from, from), first);
    for (int i = 0; i < firsts; i++) {
        const PoiseVec3 to = poise_sub(move(s->axis[0], s->point[0], back(first[i]), s->to), meet);
        const int count = solve_two(&pair, from, to, second, third);
        for (int k = 0; k < count; k++) {
            turns[s->joint[0]] = first[i];
            turns[s->joint[1]] = second[k];
            turns[s->joint[2]] = third[k];
            add_wrists(closed, target, turns, found);
        }
    }
}

// Adds answers for known angles 1, 5 and 6: computes the angles of the three parallel axes.
static void add_elbows(const ChainClosed* closed, const Target* target, PoiseSinCos turns[JOINTS],
                       Found* found) {
    const PoiseVec3 w2 = closed->axis[1], p2 = closed->point[1], p3 = closed->point[2];
    const PoiseVec3 p4 = closed->point[3], side = closed->side;
    // exp(2) exp(3) exp(4) = exp(-1) G exp(-6) exp(-5), of a point on axis 4 and of a direction
    PoiseVec3 to = move(closed->axis[4], closed->point[4], back(turns[4]), p4);
    to = move(closed->axis[5], closed->point[5], back(turns[5]), to);
    to = poise_add(by_target(target, to), target->place);
    to = move(closed->axis[0], closed->point[0], back(turns[0]), to);
    PoiseVec3 x =
        rotate(closed->axis[5], back(turns[5]), rotate(closed->axis[4], back(turns[4]), side));
    x = rotate(closed->axis[0], back(turns[0]), by_target(target, x));
    PoiseSinCos third[ROOTS];
    const PoiseVec3 off = poise_sub(to, p2);
    // components along the parallel axes are equal on both sides
    const PoiseVec3 v = poise_sub(p4, p3), u = poise_sub(p2, p3);
    const double along = poise_dot(w2, poise_sub(p4, p2));
    const double across2 =
        poise_dot(off, off) - poise_dot(w2, off) * poise_dot(w2, off) + along * along;
    const int thirds = solve_distance(closed->axis[2], v, u, across2, third);
    for (int k = 0; k < thirds; k++) {
        const PoiseVec3 from = poise_sub(move(closed->axis[2], p3, third[k], p4), p2);
        turns[2] = third[k];
        if (!turn_between(w2, from, off, &turns[1])) {
            turns[1] = poise_sincos(target->start[1]);
        }
        const PoiseVec3 now =
            rotate(closed->axis[2], back(turns[2]), rotate(w2, back(turns[1]), x));
        if (turn_between(closed->axis[3], side, now, &turns[3])) {
            add_answer(found, turns);
        }
    }
}

static void solve_parallel_234(const ChainClosed* closed, const Target* target, PoiseVec3 hand,
                               Found* found) {
    const PoiseVec3 w2 = closed->axis[1], w5 = closed->axis[4], w6 = closed->axis[5];
    const PoiseVec3 p1 = closed->point[0];
    PoiseSinCos first[ROOTS];
    PoiseSinCos fifth[ROOTS];
    PoiseSinCos sixth[ROOTS];
    PoiseSinCos turns[JOINTS];
    const Pair pair = {w6, w5, back(poise_sincos(target->start[5]))};
    // the component along w2: w2 . exp(-1) hand = w2 . centre
    const int firsts = solve_plane(poise_sub(hand, p1), closed->axis[0], w2,
                                   poise_dot(w2, poise_sub(closed->centre, p1)), first);
    for (int i = 0; i < firsts; i++) {
        // the direction w2: exp(-6) exp(-5) w2 = G^-1 exp(1) w2
        const PoiseVec3 z = by_target_back(target, rotate(closed->axis[0], first[i], w2));
        const int count = solve_two(&pair, w2, z, sixth, fifth);
        for (int k = 0; k < count; k++) {
            turns[0] = first[i];
            turns[4] = back(fifth[k]);
            turns[5] = back(sixth[k]);
            add_elbows(closed, target, turns, found);
        }
    }
}

// Computes the sines and cosines of all answers.
static void find_turns(const ChainClosed* closed, const Target* target, Found* found) {
    const PoiseVec3 hand = poise_add(by_target(target, closed->centre), target->place);
    found->count = 0;
    const bool reversed =
        closed->kind == CHAIN_CLOSED_PARALLEL_12 || closed->kind == CHAIN_CLOSED_MEETING_12;
    const Shoulder shoulder = shoulder_of(closed, hand, reversed);
    switch (closed->kind) {
    case CHAIN_CLOSED_NONE:
        break;
    case CHAIN_CLOSED_PARALLEL_12:
    case CHAIN_CLOSED_PARALLEL_23:
        solve_parallel(closed, target, &shoulder, found);
        break;
    case CHAIN_CLOSED_MEETING_12:
    case CHAIN_CLOSED_MEETING_23:
        solve_meeting(closed, target, &shoulder, found);
        break;
    case CHAIN_CLOSED_PARALLEL_234:
        solve_parallel_234(closed, target, hand, found);
        break;
    }
}

// ----------------------------------------------------------------------------------------- answers

// Adds the whole turns that bring an angle into its range, nearest to the start. False if no number
// of turns does.
static bool bring_inside(const ChainJoint* joint, double start, double* angle) {
    const double turn = 2.0 * POISE_PI;
    double q = *angle + turn * nearbyint((start - *angle) / turn);
    if (q > joint->upper + BEYOND_RANGE) {
        q -= turn * ceil((q - joint->upper - BEYOND_RANGE) / turn);
    } else if (q < joint->lower - BEYOND_RANGE) {
        q += turn * ceil((joint->lower - BEYOND_RANGE - q) / turn);
    }
    const bool inside = q >= joint->lower - BEYOND_RANGE && q <= joint->upper + BEYOND_RANGE;
    *angle = poise__chain_clamp(q, joint->lower, joint->upper);
    return inside;
}

// True if two answers are the same, as at a double root.
static bool is_same(const double* a, const double* b) {
    int i = 0;
    while (i < JOINTS && fabs(a[i] - b[i]) < SAME_ANSWER) {
        i++;
    }
    return i == JOINTS;
}

// Keeps the answers that fit into the ranges, sorted by distance from the start.
static void keep_inside(const ChainSearch* search, const ChainProblem* problem, Found* found,
                        ChainAnswers* answers) {
    const Chain* chain = search->chain;
    answers->count = 0;
    for (int k = 0; k < found->count; k++) {
        double* q = &found->q[JOINTS * k];
        double merit = 0.0;
        bool inside = true;
        for (int i = 0; i < JOINTS && inside; i++) {
            inside = bring_inside(&chain->joints[i], problem->start[i], &q[i]);
            merit += (q[i] - problem->start[i]) * (q[i] - problem->start[i]);
        }
        for (int j = 0; j < answers->count && inside; j++) {
            inside = !is_same(answers->q[j], q);
        }
        int at = inside ? answers->count++ : -1;
        for (; at > 0 && answers->merit[at - 1] > merit; at--) {
            answers->merit[at] = answers->merit[at - 1];
            answers->q[at] = answers->q[at - 1];
        }
        if (at >= 0) {
            answers->merit[at] = merit;
            answers->q[at] = q;
        }
    }
}

static Target target_of(const ChainClosed* closed, const ChainProblem* problem) {
    const double* m = problem->target.matrix;
    const double* p = problem->target.position;
    const PoiseVec3 x = poise_vec3(m[0], m[1], m[2]), y = poise_vec3(m[3], m[4], m[5]);
    const PoiseVec3 z = poise_vec3(m[6], m[7], m[8]);
    Target target = {.start = problem->start};
    for (int k = 0; k < 3; k++) {
        const PoiseVec3 row = closed->frame[k];
        target.turn[k] = poise_vec3(poise_dot(x, row), poise_dot(y, row), poise_dot(z, row));
    }
    target.place = poise_sub(poise_vec3(p[0], p[1], p[2]), by_target(&target, closed->tip));
    return target;
}

// Reduces the rounding error of an answer by Newton steps. True if it meets the target.
static bool polish(const ChainSearch* search, ChainProblem* problem, double* q) {
    const Chain* chain = search->chain;
    double* squares = problem->squares;
    Iterate at;
    at.slack[0] = 0.0;
    at.leading = 1u;
    set_target(search->goal, &problem->target, &at, 0);
    set_q(chain, q, &at, 0);
    for (int step = 0; step <= MOST_STEPS; step++) {
        const Frame tip = find_frames(chain, &at);
        const Rows error = find_error(search->goal, &at, &tip, squares);
        if (squares[0] < search->position_tolerance2 && squares[1] < search->angle_tolerance2) {
            get_q(chain, &at, 0, q);
            return true;
        }
        find_columns(chain, &at, tip.p);
        take_step(search, &at, error, squares[0] + squares[1], m_none());
    }
    return false;
}

// Finds up to `most` answers that meet the target, sorted by distance from the start. Returns their
// number. `found` also has the angles of answers outside the ranges.
static int find_answers(const ChainSearch* search, ChainProblem* problem, int most, Found* found,
                        ChainAnswers* answers) {
    const ChainClosed* closed = &search->chain->closed;
    const Target target = target_of(closed, problem);
    int met = 0;
    find_turns(closed, &target, found);
    search->kernel->angles(found->sines, found->cosines, found->count * JOINTS, found->q);
    keep_inside(search, problem, found, answers);
    for (int k = 0; k < answers->count && met < most; k++) {
        if (polish(search, problem, answers->q[k])) {
            answers->q[met++] = answers->q[k];
        }
    }
    return met;
}

bool poise__chain_solve_closed(const ChainSearch* search, ChainProblem* problem) {
    const ChainClosed* closed = &search->chain->closed;
    Found found;
    ChainAnswers answers;
    if (closed->kind == CHAIN_CLOSED_NONE || search->goal != POISE_BODY_POSE) {
        return false;
    }
    if (find_answers(search, problem, 1, &found, &answers) > 0) {
        memcpy(problem->best, answers.q[0], JOINTS * sizeof(double));
        problem->answers = answers.count;
        problem->iterations = 1;
        problem->starts = 1;
        return true;
    }
    problem->squares[0] = problem->squares[1] = HUGE_VAL;
    // `found` has the answers at any angles, `answers` those inside the ranges. Rounding may make
    // Newton's steps miss one: with `found` only, the caller searches.
    problem->is_beyond = closed->is_exact && found.count == 0;
    problem->is_settled = closed->is_exact && answers.count == 0;
    return problem->is_settled;
}

int poise__chain_list_closed(const ChainSearch* search, ChainProblem* problem, int most,
                             double* all) {
    Found found;
    ChainAnswers answers;
    if (search->chain->closed.kind == CHAIN_CLOSED_NONE || search->goal != POISE_BODY_POSE) {
        return -1;
    }
    const int count = find_answers(search, problem, most, &found, &answers);
    for (int k = 0; k < count; k++) {
        memcpy(&all[k * JOINTS], answers.q[k], JOINTS * sizeof(double));
    }
    return count;
}
