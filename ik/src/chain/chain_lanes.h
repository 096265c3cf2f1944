// SPDX-License-Identifier: MIT
// The stages of an iteration in all lanes: frames, error, J, the step inside the ranges. For
// chain_drive.h, which decides what the lanes work on, and chain_step.h; compiled once for each
// CHAIN_LANES.
#ifndef POISE_CHAIN_LANES_H
#define POISE_CHAIN_LANES_H

#include "chain_internal.h"
#include "chain_vector.h"

// lambda has a part of trace(J J^T), which keeps the pivots above rounding
#define TRACE_PART 1e-13
// cos^2 of half the angle, below which the turn is taken from the symmetric part: 179.9 degrees
#define HALF_TURN 1e-6

// two parts of pi/2 with 33 bits each, so that their products with small integers are exact, and
// the rest
#define HALF_PI_1   0x1.921fb54400000p+0
#define HALF_PI_2   0x1.0b4611a600000p-34
#define HALF_PI_3   0x1.3198a2e037073p-69
#define TWO_OVER_PI 0x1.45f306dc9c883p-1

/// What the lanes work on: by lane last.
typedef struct Lanes {
    _Alignas(64) double numbers[CHAIN_MOST_SLOTS][CHAIN_LANES];
    double place[3][CHAIN_LANES]; ///< of the target
    double matrix[9][CHAIN_LANES];
    double gain[CHAIN_LANES];
    double best[CHAIN_LANES];       ///< least error^2 of this start
    double squares[2][CHAIN_LANES]; ///< of the errors of place and turn, before the step
    double wait[CHAIN_LANES];       ///< iterations without progress
    double patience[CHAIN_LANES];   ///< how many are too many

    // scratch of an iteration
    double sine[CHAIN_MOST_JOINTS][CHAIN_LANES];
    double cosine[CHAIN_MOST_JOINTS][CHAIN_LANES];
    double axis[CHAIN_MOST_JOINTS][3][CHAIN_LANES];   ///< angular column
    double linear[CHAIN_MOST_JOINTS][3][CHAIN_LANES]; ///< origin, then linear column; ball: arm
    double carrier[CHAIN_MOST_BALLS][9][CHAIN_LANES]; ///< what carries a ball, columns
    double steps[POISE_CHAIN_MOST_DOF][CHAIN_LANES];
    M fixed[CHAIN_MOST_JOINTS]; ///< held on a bound in this step
} Lanes;

/// A frame: its axes as columns, and its origin.
typedef struct Frame {
    V x[3];
    V y[3];
    V z[3];
    V p[3];
} Frame;

// ----------------------------------------------------------------------------------------- frames

// of x in quarters of a turn, by polynomials on +-pi/4: within 1e-16
static inline void sine_cosine(V x, V* sine, V* cosine) {
    const V rounded = v_fma(x, v_set(TWO_OVER_PI), v_set(CHAIN_ROUNDER));
    const V quarters = rounded - v_set(CHAIN_ROUNDER);
    V r = v_fnma(quarters, v_set(HALF_PI_1), x);
    r = v_fnma(quarters, v_set(HALF_PI_2), r);
    r = v_fnma(quarters, v_set(HALF_PI_3), r);
    const V z = r * r;
    V s = v_fma(z, v_set(0x1.5e0b19f8b1451p-33), v_set(-0x1.ae600b02b6262p-26));
    s = v_fma(z, s, v_set(0x1.71de37968a100p-19));
    s = v_fma(z, s, v_set(-0x1.a01a019e83aaep-13));
    s = v_fma(z, s, v_set(0x1.1111111110bb2p-7));
    s = v_fma(z, s, v_set(-0x1.5555555555555p-3));
    s = v_fma(z * r, s, r);
    V c = v_fma(z, v_set(-0x1.907da367a37cbp-37), v_set(0x1.1eeb68e93b64cp-29));
    c = v_fma(z, c, v_set(-0x1.27e4fa17da09ep-22));
    c = v_fma(z, c, v_set(0x1.a01a019f4eb01p-16));
    c = v_fma(z, c, v_set(-0x1.6c16c16c16967p-10));
    c = v_fma(z, c, v_set(0x1.5555555555555p-5));
    c = v_fma(z * z, c, v_fnma(z, v_set(0.5), v_set(1.0)));
    M odd;
    V sine_sign;
    V cosine_sign;
    v_quadrant(rounded, &odd, &sine_sign, &cosine_sign);
    *sine = v_flip(v_select(odd, c, s), sine_sign);
    *cosine = v_flip(v_select(odd, s, c), cosine_sign);
}

// about z
static inline void turn_about_z(Frame* f, V c, V s) {
    for (int k = 0; k < 3; k++) {
        const V x = f->x[k];
        f->x[k] = v_fma(s, f->y[k], c * x);
        f->y[k] = v_fnma(s, x, c * f->y[k]);
    }
}

static inline void turn_about_x(Frame* f, V c, V s) {
    for (int k = 0; k < 3; k++) {
        const V y = f->y[k];
        f->y[k] = v_fma(s, f->z[k], c * y);
        f->z[k] = v_fnma(s, y, c * f->z[k]);
    }
}

// by a matrix, row-major
static inline void turn_by(Frame* f, const V m[9]) {
    for (int k = 0; k < 3; k++) {
        const V x = f->x[k];
        const V y = f->y[k];
        const V z = f->z[k];
        f->x[k] = v_fma(z, m[6], v_fma(y, m[3], x * m[0]));
        f->y[k] = v_fma(z, m[7], v_fma(y, m[4], x * m[1]));
        f->z[k] = v_fma(z, m[8], v_fma(y, m[5], x * m[2]));
    }
}

static inline void move_along(V p[3], V way, const V axis[3]) {
    for (int k = 0; k < 3; k++) {
        p[k] = v_fma(way, axis[k], p[k]);
    }
}

static inline void store3(double (*out)[CHAIN_LANES], const V v[3]) {
    for (int k = 0; k < 3; k++) {
        v_store(out[k], v[k]);
    }
}

static inline void load3(V v[3], double (*in)[CHAIN_LANES]) {
    for (int k = 0; k < 3; k++) {
        v[k] = v_load(in[k]);
    }
}

static void move_ball(Lanes* lanes, const ChainJoint* joint, Frame* f) {
    store3(&lanes->carrier[joint->ball][0], f->x);
    store3(&lanes->carrier[joint->ball][3], f->y);
    store3(&lanes->carrier[joint->ball][6], f->z);
    const V w = v_load(lanes->numbers[joint->slot]);
    const V x = v_load(lanes->numbers[joint->slot + 1]);
    const V y = v_load(lanes->numbers[joint->slot + 2]);
    const V z = v_load(lanes->numbers[joint->slot + 3]);
    const V x2 = x + x;
    const V y2 = y + y;
    const V z2 = z + z;
    const V one = v_set(1.0);
    const V m[9] = {v_fnma(y, y2, v_fnma(z, z2, one)),
                    v_fnma(w, z2, x * y2),
                    v_fma(w, y2, x * z2),
                    v_fma(w, z2, x * y2),
                    v_fnma(x, x2, v_fnma(z, z2, one)),
                    v_fnma(w, x2, y * z2),
                    v_fnma(w, y2, x * z2),
                    v_fma(w, x2, y * z2),
                    v_fnma(x, x2, v_fnma(y, y2, one))};
    turn_by(f, m);
}

static inline void move_on(const ChainJoint* joint, Frame* f) {
    if (joint->way[0] != 0.0) {
        move_along(f->p, v_set(joint->way[0]), f->x);
    }
    if (joint->way[1] != 0.0) {
        move_along(f->p, v_set(joint->way[1]), f->y);
    }
    if (joint->way[2] != 0.0) {
        move_along(f->p, v_set(joint->way[2]), f->z);
    }
    switch (joint->turn) {
    case CHAIN_TURN_NONE:
        break;
    case CHAIN_TURN_QUARTER:
        for (int k = 0; k < 3; k++) {
            const V y = f->y[k];
            f->y[k] = f->z[k];
            f->z[k] = -y;
        }
        break;
    case CHAIN_TURN_QUARTER_BACK:
        for (int k = 0; k < 3; k++) {
            const V y = f->y[k];
            f->y[k] = -f->z[k];
            f->z[k] = y;
        }
        break;
    case CHAIN_TURN_X:
        turn_about_x(f, v_set(joint->turn_cos), v_set(joint->turn_sin));
        break;
    case CHAIN_TURN_ANY: {
        V m[9];
        for (int k = 0; k < 9; k++) {
            m[k] = v_set(joint->matrix[k]);
        }
        turn_by(f, m);
        break;
    }
    }
}

// axes and origins of the joints, and the frame of the tip
static inline void fill_frames(const PoiseChain* chain, Lanes* lanes, Frame* f) {
    for (int i = 0; i < chain->joint_count; i++) {
        if (chain->joints[i].kind == CHAIN_HINGE) {
            V s;
            V c;
            sine_cosine(v_load(lanes->numbers[chain->joints[i].slot]), &s, &c);
            v_store(lanes->sine[i], s);
            v_store(lanes->cosine[i], c);
        }
    }
    for (int k = 0; k < 3; k++) {
        f->x[k] = v_set(k == 0);
        f->y[k] = v_set(k == 1);
        f->z[k] = v_set(k == 2);
        f->p[k] = v_set(0.0);
    }
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        store3(lanes->linear[i], f->p);
        if (joint->kind == CHAIN_HINGE) {
            store3(lanes->axis[i], f->z);
            turn_about_z(f, v_load(lanes->cosine[i]), v_load(lanes->sine[i]));
        } else if (joint->kind == CHAIN_SLIDER) {
            store3(lanes->axis[i], f->z);
            if (joint->fixed_sin != 0.0 || joint->fixed_cos != 1.0) {
                turn_about_z(f, v_set(joint->fixed_cos), v_set(joint->fixed_sin));
            }
            move_along(f->p, v_load(lanes->numbers[joint->slot]), f->z);
        } else {
            move_ball(lanes, joint, f);
        }
        move_on(joint, f);
    }
}

// ------------------------------------------------------------------------------------------ error

static inline void add_cross(V out[3], const V a[3], const V b[3]) {
    out[0] = v_fma(a[1], b[2], v_fnma(a[2], b[1], out[0]));
    out[1] = v_fma(a[2], b[0], v_fnma(a[0], b[2], out[1]));
    out[2] = v_fma(a[0], b[1], v_fnma(a[1], b[0], out[2]));
}

static inline V dot3(const V a[3], const V b[3]) {
    return v_fma(a[2], b[2], v_fma(a[1], b[1], a[0] * b[0]));
}

// near half a turn the axis is that of the symmetric part: one lane, through the quaternion
static void turn_half(Lanes* lanes, int lane, double r[9][CHAIN_LANES],
                      double turn[3][CHAIN_LANES]) {
    double rows[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            rows[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++) {
                // r by columns
                rows[3 * i + j] += lanes->matrix[3 * i + k][lane] * r[3 * k + j][lane];
            }
        }
    }
    const PoiseQuat q = poise_quat_from_rows(rows);
    const double sign = q.w < 0.0 ? -2.0 : 2.0;
    turn[0][lane] = sign * q.x;
    turn[1][lane] = sign * q.y;
    turn[2][lane] = sign * q.z;
}

static void turn_halves(Lanes* lanes, unsigned which, const Frame* f, V turn[3]) {
    _Alignas(64) double r[9][CHAIN_LANES];
    _Alignas(64) double out[3][CHAIN_LANES];
    store3(r, f->x);
    store3(r + 3, f->y);
    store3(r + 6, f->z);
    store3(out, turn);
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        if ((which >> lane & 1) != 0) {
            turn_half(lanes, lane, r, out);
        }
    }
    load3(turn, out);
}

// the turn to the target: about the axis of the shortest one, 2 sin(angle / 2) long. With columns
// x y z and X Y Z of the target: sin(angle) axis = 1/2 sum x x X, 1 + 2 cos(angle) = sum x . X
static inline void fill_turn(Lanes* lanes, const Frame* f, V turn[3]) {
    V target[9];
    for (int k = 0; k < 9; k++) {
        target[k] = v_load(lanes->matrix[k]);
    }
    const V tx[3] = {target[0], target[3], target[6]};
    const V ty[3] = {target[1], target[4], target[7]};
    const V tz[3] = {target[2], target[5], target[8]};
    for (int k = 0; k < 3; k++) {
        turn[k] = v_set(0.0);
    }
    add_cross(turn, f->x, tx);
    add_cross(turn, f->y, ty);
    add_cross(turn, f->z, tz);
    const V trace = dot3(f->x, tx) + dot3(f->y, ty) + dot3(f->z, tz);
    // cos^2(angle / 2)
    const V half2 = v_fma(trace, v_set(0.25), v_set(0.25));
    const V scale = v_set(0.5) / v_sqrt(v_max(half2, v_set(HALF_TURN)));
    for (int k = 0; k < 3; k++) {
        turn[k] = turn[k] * scale;
    }
    const unsigned halves = m_bits(v_lt(half2, v_set(HALF_TURN)));
    if (halves != 0) {
        turn_halves(lanes, halves, f, turn);
    }
}

// v, and the squares of its two parts: those that do not count are 0
static inline void fill_error(const ChainSearch* search, Lanes* lanes, const Frame* f, V v[6],
                              V squares[2]) {
    const PoiseChainGoal goal = search->def->goal;
    for (int k = 0; k < 6; k++) {
        v[k] = v_set(0.0);
    }
    if (goal != POISE_CHAIN_ORIENTATION) {
        for (int k = 0; k < 3; k++) {
            v[k] = v_load(lanes->place[k]) - f->p[k];
        }
    }
    if (goal != POISE_CHAIN_POSITION) {
        fill_turn(lanes, f, &v[3]);
    }
    squares[0] = dot3(v, v);
    squares[1] = dot3(&v[3], &v[3]);
}

// ----------------------------------------------------------------------------- three and six rows

/// L D L^T of a symmetric 3 x 3 matrix.
typedef struct Factor3 {
    V l10;
    V l20;
    V l21;
    V inverse[3]; ///< of D
} Factor3;

/// Lower triangle row by row: 00 10 11 20 21 22.
static inline Factor3 factor3(const V a[6]) {
    Factor3 f;
    const V one = v_set(1.0);
    f.inverse[0] = one / a[0];
    f.l10 = a[1] * f.inverse[0];
    f.l20 = a[3] * f.inverse[0];
    f.inverse[1] = one / v_fnma(f.l10, a[1], a[2]);
    const V below = v_fnma(f.l20, a[1], a[4]);
    f.l21 = below * f.inverse[1];
    f.inverse[2] = one / v_fnma(f.l21, below, v_fnma(f.l20, a[3], a[5]));
    return f;
}

static inline void solve3(const Factor3* f, const V b[3], V x[3]) {
    const V y1 = v_fnma(f->l10, b[0], b[1]);
    const V y2 = v_fnma(f->l21, y1, v_fnma(f->l20, b[0], b[2]));
    x[2] = y2 * f->inverse[2];
    x[1] = v_fnma(f->l21, x[2], y1 * f->inverse[1]);
    x[0] = v_fnma(f->l10, x[1], v_fnma(f->l20, x[2], b[0] * f->inverse[0]));
}

/// J J^T of the columns that are free: linear-linear and angular-angular as for factor3, and
/// linear-angular, of which [3 a + b] belongs to linear row a.
typedef struct Normal {
    V linear[6];
    V mixed[9];
    V angular[6];
} Normal;

// (A B; B^T C) y = b by blocks: C - B^T A^-1 B
static inline void solve6(const Normal* n, const V b[6], V y[6]) {
    const Factor3 a = factor3(n->linear);
    V w[3][3]; // A^-1 B, by column
    for (int j = 0; j < 3; j++) {
        const V column[3] = {n->mixed[j], n->mixed[3 + j], n->mixed[6 + j]};
        solve3(&a, column, w[j]);
    }
    V schur[6];
    for (int i = 0, at = 0; i < 3; i++) {
        const V column[3] = {n->mixed[i], n->mixed[3 + i], n->mixed[6 + i]};
        for (int j = 0; j <= i; j++, at++) {
            schur[at] =
                v_fnma(column[0], w[j][0],
                       v_fnma(column[1], w[j][1], v_fnma(column[2], w[j][2], n->angular[at])));
        }
    }
    const Factor3 s = factor3(schur);
    V rest[3];
    for (int j = 0; j < 3; j++) {
        rest[j] = v_fnma(w[j][0], b[0], v_fnma(w[j][1], b[1], v_fnma(w[j][2], b[2], b[3 + j])));
    }
    solve3(&s, rest, &y[3]);
    solve3(&a, b, y);
    for (int k = 0; k < 3; k++) {
        y[k] = v_fnma(w[0][k], y[3], v_fnma(w[1][k], y[4], v_fnma(w[2][k], y[5], y[k])));
    }
}

// ------------------------------------------------------------------------------------------- step

// linear columns from the origins: axis x (tip - origin); a ball keeps the arm
static inline void fill_columns(const PoiseChain* chain, Lanes* lanes, const V tip[3]) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainKind kind = chain->joints[i].kind;
        V axis[3];
        V arm[3];
        if (kind != CHAIN_BALL) {
            load3(axis, lanes->axis[i]);
        }
        if (kind == CHAIN_SLIDER) {
            store3(lanes->linear[i], axis);
            continue;
        }
        load3(arm, lanes->linear[i]);
        for (int k = 0; k < 3; k++) {
            arm[k] = tip[k] - arm[k];
        }
        if (kind == CHAIN_HINGE) {
            V column[3];
            for (int k = 0; k < 3; k++) {
                const int a = (k + 1) % 3;
                const int b = (k + 2) % 3;
                column[k] = v_fnma(axis[b], arm[a], axis[a] * arm[b]);
            }
            store3(lanes->linear[i], column);
        } else {
            store3(lanes->linear[i], arm);
        }
    }
}

static inline void load_column(Lanes* lanes, int i, V linear[3], V angular[3]) {
    load3(linear, lanes->linear[i]);
    load3(angular, lanes->axis[i]);
}

static inline void add_square(V out[6], const V a[3], const V b[3]) {
    out[0] = v_fma(a[0], b[0], out[0]);
    out[1] = v_fma(a[1], b[0], out[1]);
    out[2] = v_fma(a[1], b[1], out[2]);
    out[3] = v_fma(a[2], b[0], out[3]);
    out[4] = v_fma(a[2], b[1], out[4]);
    out[5] = v_fma(a[2], b[2], out[5]);
}

// the columns e_k x arm over e_k: |arm|^2 - arm arm^T, e_k x arm, and the identity
static inline void add_ball(Normal* n, const V arm[3]) {
    const V one = v_set(1.0);
    const V x = arm[0];
    const V y = arm[1];
    const V z = arm[2];
    n->linear[0] = v_fma(y, y, v_fma(z, z, n->linear[0]));
    n->linear[1] = v_fnma(x, y, n->linear[1]);
    n->linear[2] = v_fma(x, x, v_fma(z, z, n->linear[2]));
    n->linear[3] = v_fnma(x, z, n->linear[3]);
    n->linear[4] = v_fnma(y, z, n->linear[4]);
    n->linear[5] = v_fma(x, x, v_fma(y, y, n->linear[5]));
    n->mixed[1] = n->mixed[1] + z;
    n->mixed[2] = n->mixed[2] - y;
    n->mixed[3] = n->mixed[3] - z;
    n->mixed[5] = n->mixed[5] + x;
    n->mixed[6] = n->mixed[6] + y;
    n->mixed[7] = n->mixed[7] - x;
    n->angular[0] = n->angular[0] + one;
    n->angular[2] = n->angular[2] + one;
    n->angular[5] = n->angular[5] + one;
}

// J J^T of the free columns
static inline void fill_normal(const PoiseChain* chain, Lanes* lanes, bool some_fixed, Normal* n) {
    for (int k = 0; k < 6; k++) {
        n->linear[k] = v_set(0.0);
        n->angular[k] = v_set(0.0);
    }
    for (int k = 0; k < 9; k++) {
        n->mixed[k] = v_set(0.0);
    }
    for (int i = 0; i < chain->joint_count; i++) {
        V linear[3];
        V angular[3];
        const ChainKind kind = chain->joints[i].kind;
        if (kind == CHAIN_BALL) {
            load3(linear, lanes->linear[i]);
            add_ball(n, linear);
            continue;
        }
        load_column(lanes, i, linear, angular);
        if (some_fixed) {
            for (int k = 0; k < 3; k++) {
                linear[k] = v_clear(lanes->fixed[i], linear[k]);
                angular[k] = v_clear(lanes->fixed[i], angular[k]);
            }
        }
        add_square(n->linear, linear, linear);
        if (kind == CHAIN_HINGE) {
            for (int a = 0; a < 3; a++) {
                for (int b = 0; b < 3; b++) {
                    n->mixed[3 * a + b] = v_fma(linear[a], angular[b], n->mixed[3 * a + b]);
                }
            }
            add_square(n->angular, angular, angular);
        }
    }
}

// y of (J J^T + lambda I) y = b, with the rows of the goal; 0 elsewhere
static inline void solve_rows(PoiseChainGoal goal, Normal* n, V lambda, const V b[6], V y[6]) {
    for (int k = 0; k < 6; k++) {
        y[k] = v_set(0.0);
    }
    const int diagonal[3] = {0, 2, 5};
    for (int k = 0; k < 3; k++) {
        n->linear[diagonal[k]] = n->linear[diagonal[k]] + lambda;
        n->angular[diagonal[k]] = n->angular[diagonal[k]] + lambda;
    }
    if (goal == POISE_CHAIN_POSE) {
        solve6(n, b, y);
    } else if (goal == POISE_CHAIN_POSITION) {
        const Factor3 f = factor3(n->linear);
        solve3(&f, b, y);
    } else {
        const Factor3 f = factor3(n->angular);
        solve3(&f, &b[3], &y[3]);
    }
}

static inline V column_dot(Lanes* lanes, int i, ChainKind kind, const V y[6]) {
    V linear[3];
    V angular[3];
    load3(linear, lanes->linear[i]);
    if (kind == CHAIN_SLIDER) {
        return dot3(linear, y);
    }
    load3(angular, lanes->axis[i]);
    return dot3(linear, y) + dot3(angular, &y[3]);
}

// on a bound and pressed against it: out of the step from the first
static inline bool fix_pressed(const PoiseChain* chain, Lanes* lanes, const V v[6]) {
    bool some = false;
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        lanes->fixed[i] = m_none();
        if (joint->kind == CHAIN_BALL) {
            continue;
        }
        const V number = v_load(lanes->numbers[joint->slot]);
        const M low = v_ge(v_set(joint->lower), number);
        const M high = v_ge(number, v_set(joint->upper));
        if (m_bits(m_or(low, high)) != 0) {
            const V slope = column_dot(lanes, i, joint->kind, v);
            const V zero = v_set(0.0);
            lanes->fixed[i] = m_or(m_and(low, v_lt(slope, zero)), m_and(high, v_lt(zero, slope)));
            some = some || m_bits(lanes->fixed[i]) != 0;
        }
        v_store(lanes->steps[joint->dof], v_set(0.0));
    }
    return some;
}

// steps = J^T y of the free columns; those that would leave their range get the way to its end and
// are fixed, and what they do is taken off `b`. True when there were some
static inline bool fill_steps(const PoiseChain* chain, Lanes* lanes, const V y[6], V b[6]) {
    M some = m_none();
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind == CHAIN_BALL) {
            V arm[3];
            V turn[3] = {y[3], y[4], y[5]};
            load3(arm, lanes->linear[i]);
            // sum of e_k ((e_k x arm) . y) = arm x y
            add_cross(turn, arm, y);
            store3(&lanes->steps[joint->dof], turn);
            continue;
        }
        const V number = v_load(lanes->numbers[joint->slot]);
        const V old = v_load(lanes->steps[joint->dof]);
        V step = v_select(lanes->fixed[i], old, column_dot(lanes, i, joint->kind, y));
        const V end = number + step;
        const V lower = v_set(joint->lower);
        const V upper = v_set(joint->upper);
        const M out = m_or(v_lt(end, lower), v_lt(upper, end));
        if (m_bits(out) != 0) {
            const V way = v_min(v_max(end, lower), upper) - number;
            step = v_select(out, way, step);
            some = m_or(some, out);
            lanes->fixed[i] = m_or(lanes->fixed[i], out);
            const V taken = v_select(out, way, v_set(0.0));
            V linear[3];
            V angular[3];
            load_column(lanes, i, linear, angular);
            for (int k = 0; k < 3; k++) {
                b[k] = v_fnma(linear[k], taken, b[k]);
                b[3 + k] =
                    joint->kind == CHAIN_SLIDER ? b[3 + k] : v_fnma(angular[k], taken, b[3 + k]);
            }
        }
        v_store(lanes->steps[joint->dof], step);
    }
    return m_bits(some) != 0;
}

// rotation of a ball by a small turn in the target's axes: (1, turn / 2) over its length
static inline void step_ball(Lanes* lanes, const ChainJoint* joint, M hold) {
    V turn[3];
    V carrier[9];
    load3(turn, &lanes->steps[joint->dof]);
    for (int k = 0; k < 9; k++) {
        carrier[k] = v_load(lanes->carrier[joint->ball][k]);
    }
    // as the carrier sees it
    const V half = v_set(0.5);
    const V x = half * dot3(&carrier[0], turn);
    const V y = half * dot3(&carrier[3], turn);
    const V z = half * dot3(&carrier[6], turn);
    const V one = v_set(1.0);
    const V scale = one / v_sqrt(v_fma(x, x, v_fma(y, y, v_fma(z, z, one))));
    V q[4];
    for (int k = 0; k < 4; k++) {
        q[k] = v_load(lanes->numbers[joint->slot + k]);
    }
    const V turned[4] = {
        v_fnma(x, q[1], v_fnma(y, q[2], v_fnma(z, q[3], q[0]))),
        v_fma(x, q[0], v_fma(y, q[3], v_fnma(z, q[2], q[1]))),
        v_fnma(x, q[3], v_fma(y, q[0], v_fma(z, q[1], q[2]))),
        v_fma(x, q[2], v_fnma(y, q[1], v_fma(z, q[0], q[3]))),
    };
    for (int k = 0; k < 4; k++) {
        v_store(lanes->numbers[joint->slot + k], v_select(hold, q[k], scale * turned[k]));
    }
}

// the numbers moved by the steps and inside the ranges, except in lanes that hold
static inline void apply_steps(const PoiseChain* chain, Lanes* lanes, M hold) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind == CHAIN_BALL) {
            step_ball(lanes, joint, hold);
            continue;
        }
        const V number = v_load(lanes->numbers[joint->slot]);
        const V end = number + v_load(lanes->steps[joint->dof]);
        const V inside = v_min(v_max(end, v_set(joint->lower)), v_set(joint->upper));
        v_store(lanes->numbers[joint->slot], v_select(hold, number, inside));
    }
}

// the step from v: all columns but the pressed ones, then again without those that would leave
// their range; what is still outside is cut
static inline void take_step(const ChainSearch* search, Lanes* lanes, const V v[6], V lambda,
                             M hold) {
    const PoiseChain* chain = search->chain;
    Normal normal;
    V b[6];
    V y[6];
    for (int k = 0; k < 6; k++) {
        b[k] = v[k];
    }
    const bool some = fix_pressed(chain, lanes, v);
    fill_normal(chain, lanes, some, &normal);
    const V trace = normal.linear[0] + normal.linear[2] + normal.linear[5] + normal.angular[0] +
                    normal.angular[2] + normal.angular[5];
    lambda = v_fma(trace, v_set(TRACE_PART), lambda);
    solve_rows(search->def->goal, &normal, lambda, b, y);
    if (fill_steps(chain, lanes, y, b)) {
        fill_normal(chain, lanes, true, &normal);
        solve_rows(search->def->goal, &normal, lambda, b, y);
        (void)fill_steps(chain, lanes, y, b);
    }
    apply_steps(chain, lanes, hold);
}

#endif
