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
    double fixed[CHAIN_MOST_JOINTS][CHAIN_LANES]; ///< steps of those that end on a bound, else 0
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

// loops of three: more the compilers would make calls of, or leave in memory
static inline void copy3(V to[3], const V from[3]) {
    for (int k = 0; k < 3; k++) {
        to[k] = from[k];
    }
}

static inline void clear3(V v[3]) {
    for (int k = 0; k < 3; k++) {
        v[k] = v_set(0.0);
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
static inline void fill_frames(const PoiseChain* chain, Lanes* lanes, Frame* tip) {
    // of our own, so that it stays in registers
    Frame here;
    Frame* f = &here;
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
    copy3(tip->x, here.x);
    copy3(tip->y, here.y);
    copy3(tip->z, here.z);
    copy3(tip->p, here.p);
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
    V tx[3];
    V ty[3];
    V tz[3];
    for (int k = 0; k < 3; k++) {
        tx[k] = v_load(lanes->matrix[3 * k]);
        ty[k] = v_load(lanes->matrix[3 * k + 1]);
        tz[k] = v_load(lanes->matrix[3 * k + 2]);
    }
    clear3(turn);
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
    clear3(v);
    clear3(v + 3);
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

/// A symmetric 3 x 3 matrix.
typedef struct Square3 {
    V xx;
    V xy;
    V yy;
    V xz;
    V yz;
    V zz;
} Square3;

/// J J^T of the columns that are free: linear-linear, angular-angular, and the rows of
/// linear-angular.
typedef struct Normal {
    Square3 linear;
    Square3 angular;
    V mixed_x[3];
    V mixed_y[3];
    V mixed_z[3];
} Normal;

/// L D L^T of a symmetric 3 x 3 matrix.
typedef struct Factor3 {
    V l10;
    V l20;
    V l21;
    V inverse[3]; ///< of D
} Factor3;

static inline Factor3 factor3(const Square3* a) {
    Factor3 f;
    const V one = v_set(1.0);
    f.inverse[0] = one / a->xx;
    f.l10 = a->xy * f.inverse[0];
    f.l20 = a->xz * f.inverse[0];
    f.inverse[1] = one / v_fnma(f.l10, a->xy, a->yy);
    const V below = v_fnma(f.l20, a->xy, a->yz);
    f.l21 = below * f.inverse[1];
    f.inverse[2] = one / v_fnma(f.l21, below, v_fnma(f.l20, a->xz, a->zz));
    return f;
}

static inline void solve3(const Factor3* f, const V b[3], V x[3]) {
    const V y1 = v_fnma(f->l10, b[0], b[1]);
    const V y2 = v_fnma(f->l21, y1, v_fnma(f->l20, b[0], b[2]));
    x[2] = y2 * f->inverse[2];
    x[1] = v_fnma(f->l21, x[2], y1 * f->inverse[1]);
    x[0] = v_fnma(f->l10, x[1], v_fnma(f->l20, x[2], b[0] * f->inverse[0]));
}

// from - (x y z) . w
static inline V less_dot(V from, V x, V y, V z, const V w[3]) {
    return v_fnma(x, w[0], v_fnma(y, w[1], v_fnma(z, w[2], from)));
}

// (A B; B^T C) y = b by blocks: C - B^T A^-1 B
static inline void solve6(const Normal* n, const V b[6], V y[6]) {
    const Factor3 a = factor3(&n->linear);
    V w[3][3]; // A^-1 B, by column
    for (int j = 0; j < 3; j++) {
        const V column[3] = {n->mixed_x[j], n->mixed_y[j], n->mixed_z[j]};
        solve3(&a, column, w[j]);
    }
    const V* mx = n->mixed_x;
    const V* my = n->mixed_y;
    const V* mz = n->mixed_z;
    const Square3 schur = {less_dot(n->angular.xx, mx[0], my[0], mz[0], w[0]),
                           less_dot(n->angular.xy, mx[1], my[1], mz[1], w[0]),
                           less_dot(n->angular.yy, mx[1], my[1], mz[1], w[1]),
                           less_dot(n->angular.xz, mx[2], my[2], mz[2], w[0]),
                           less_dot(n->angular.yz, mx[2], my[2], mz[2], w[1]),
                           less_dot(n->angular.zz, mx[2], my[2], mz[2], w[2])};
    const Factor3 s = factor3(&schur);
    V rest[3];
    for (int j = 0; j < 3; j++) {
        rest[j] = less_dot(b[3 + j], b[0], b[1], b[2], w[j]);
    }
    solve3(&s, rest, &y[3]);
    solve3(&a, b, y);
    for (int k = 0; k < 3; k++) {
        y[k] = v_fnma(w[0][k], y[3], v_fnma(w[1][k], y[4], v_fnma(w[2][k], y[5], y[k])));
    }
}

// ------------------------------------------------------------------------------------------- step

// linear columns from the origins: axis x (tip - origin); a slider's axis, which turns nothing; a
// ball keeps the arm
static inline void fill_columns(const PoiseChain* chain, Lanes* lanes, const V tip[3]) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainKind kind = chain->joints[i].kind;
        V axis[3];
        V arm[3];
        load3(arm, lanes->linear[i]);
        for (int k = 0; k < 3; k++) {
            arm[k] = tip[k] - arm[k];
        }
        if (kind == CHAIN_BALL) {
            store3(lanes->linear[i], arm);
            continue;
        }
        load3(axis, lanes->axis[i]);
        if (kind == CHAIN_HINGE) {
            const V column[3] = {v_fnma(axis[2], arm[1], axis[1] * arm[2]),
                                 v_fnma(axis[0], arm[2], axis[2] * arm[0]),
                                 v_fnma(axis[1], arm[0], axis[0] * arm[1])};
            store3(lanes->linear[i], column);
        } else {
            const V none[3] = {v_set(0.0), v_set(0.0), v_set(0.0)};
            store3(lanes->linear[i], axis);
            store3(lanes->axis[i], none);
        }
    }
}

static inline void load_column(Lanes* lanes, int i, V linear[3], V angular[3]) {
    load3(linear, lanes->linear[i]);
    load3(angular, lanes->axis[i]);
}

static inline void add_square(Square3* out, const V a[3]) {
    out->xx = v_fma(a[0], a[0], out->xx);
    out->xy = v_fma(a[1], a[0], out->xy);
    out->yy = v_fma(a[1], a[1], out->yy);
    out->xz = v_fma(a[2], a[0], out->xz);
    out->yz = v_fma(a[2], a[1], out->yz);
    out->zz = v_fma(a[2], a[2], out->zz);
}

static inline Square3 zero_square(void) {
    const V zero = v_set(0.0);
    const Square3 square = {zero, zero, zero, zero, zero, zero};
    return square;
}

// takes a column out of the step in the lanes of the mask
static inline void drop_column(Lanes* lanes, int i, M mask) {
    for (int k = 0; k < 3; k++) {
        v_store(lanes->linear[i][k], v_clear(mask, v_load(lanes->linear[i][k])));
        v_store(lanes->axis[i][k], v_clear(mask, v_load(lanes->axis[i][k])));
    }
}

// a ball's columns e_k x arm over e_k: |arm|^2 - arm arm^T and the identity
static inline void add_ball_squares(Square3* linear, Square3* angular, const V arm[3]) {
    const V one = v_set(1.0);
    const V xx = arm[0] * arm[0];
    const V yy = arm[1] * arm[1];
    const V zz = arm[2] * arm[2];
    linear->xx = linear->xx + (yy + zz);
    linear->xy = v_fnma(arm[0], arm[1], linear->xy);
    linear->yy = linear->yy + (xx + zz);
    linear->xz = v_fnma(arm[0], arm[2], linear->xz);
    linear->yz = v_fnma(arm[1], arm[2], linear->yz);
    linear->zz = linear->zz + (xx + yy);
    angular->xx = angular->xx + one;
    angular->yy = angular->yy + one;
    angular->zz = angular->zz + one;
}

// J J^T, the blocks on its diagonal: in variables of our own, which stay in registers
static inline void fill_squares(const PoiseChain* chain, Lanes* lanes, Normal* n) {
    Square3 linear = zero_square();
    Square3 angular = zero_square();
    for (int i = 0; i < chain->joint_count; i++) {
        V column[3];
        load3(column, lanes->linear[i]);
        if (chain->joints[i].kind == CHAIN_BALL) {
            add_ball_squares(&linear, &angular, column);
            continue;
        }
        add_square(&linear, column);
        load3(column, lanes->axis[i]);
        add_square(&angular, column);
    }
    n->linear = linear;
    n->angular = angular;
}

// the block beside them; of a ball e_k x arm
static inline void fill_mixed(const PoiseChain* chain, Lanes* lanes, Normal* n) {
    V x[3];
    V y[3];
    V z[3];
    clear3(x);
    clear3(y);
    clear3(z);
    for (int i = 0; i < chain->joint_count; i++) {
        V linear[3];
        V angular[3];
        load3(linear, lanes->linear[i]);
        if (chain->joints[i].kind == CHAIN_BALL) {
            x[1] = x[1] + linear[2];
            x[2] = x[2] - linear[1];
            y[0] = y[0] - linear[2];
            y[2] = y[2] + linear[0];
            z[0] = z[0] + linear[1];
            z[1] = z[1] - linear[0];
            continue;
        }
        load3(angular, lanes->axis[i]);
        for (int k = 0; k < 3; k++) {
            x[k] = v_fma(linear[0], angular[k], x[k]);
            y[k] = v_fma(linear[1], angular[k], y[k]);
            z[k] = v_fma(linear[2], angular[k], z[k]);
        }
    }
    copy3(n->mixed_x, x);
    copy3(n->mixed_y, y);
    copy3(n->mixed_z, z);
}

static inline void fill_normal(const PoiseChain* chain, PoiseChainGoal goal, Lanes* lanes,
                               Normal* n) {
    fill_squares(chain, lanes, n);
    if (goal == POISE_CHAIN_POSE) {
        fill_mixed(chain, lanes, n);
    }
}

// y of (J J^T + lambda I) y = b, with the rows of the goal; 0 elsewhere
static inline void solve_rows(PoiseChainGoal goal, Normal* n, V lambda, const V b[6], V y[6]) {
    n->linear.xx = n->linear.xx + lambda;
    n->linear.yy = n->linear.yy + lambda;
    n->linear.zz = n->linear.zz + lambda;
    n->angular.xx = n->angular.xx + lambda;
    n->angular.yy = n->angular.yy + lambda;
    n->angular.zz = n->angular.zz + lambda;
    if (goal == POISE_CHAIN_POSE) {
        solve6(n, b, y);
    } else if (goal == POISE_CHAIN_POSITION) {
        const Factor3 f = factor3(&n->linear);
        solve3(&f, b, y);
        clear3(y + 3);
    } else {
        const Factor3 f = factor3(&n->angular);
        clear3(y);
        solve3(&f, b + 3, y + 3);
    }
}

static inline V column_dot(Lanes* lanes, int i, const V y[6]) {
    V linear[3];
    V angular[3];
    load_column(lanes, i, linear, angular);
    return dot3(linear, y) + dot3(angular, &y[3]);
}

// on a bound and pressed against it: out of the step from the first
static inline void drop_pressed(const PoiseChain* chain, Lanes* lanes, const V v[6]) {
    const V zero = v_set(0.0);
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind == CHAIN_BALL) {
            continue;
        }
        const V number = v_load(lanes->numbers[joint->slot]);
        const M low = v_ge(v_set(chain->lowers[i]), number);
        const M high = v_ge(number, v_set(chain->uppers[i]));
        v_store(lanes->fixed[i], zero);
        if (m_bits(m_or(low, high)) != 0) {
            const V slope = column_dot(lanes, i, v);
            drop_column(lanes, i,
                        m_or(m_and(low, v_lt(slope, zero)), m_and(high, v_lt(zero, slope))));
        }
    }
}

static inline void step_of_ball(Lanes* lanes, int i, int dof, const V y[6]) {
    V arm[3];
    V turn[3] = {y[3], y[4], y[5]};
    load3(arm, lanes->linear[i]);
    // sum of e_k ((e_k x arm) . y) = arm x y
    add_cross(turn, arm, y);
    store3(&lanes->steps[dof], turn);
}

// to the steps there are, J^T y; those that would leave their range get the way to its end and are
// dropped, and what they do is taken off `b`. True when there were some
static inline bool fill_steps(const PoiseChain* chain, Lanes* lanes, const V y[6], V b[6]) {
    M some = m_none();
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind == CHAIN_BALL) {
            step_of_ball(lanes, i, joint->dof, y);
            continue;
        }
        const V number = v_load(lanes->numbers[joint->slot]);
        V step = v_load(lanes->fixed[i]) + column_dot(lanes, i, y);
        const V end = number + step;
        const V lower = v_set(chain->lowers[i]);
        const V upper = v_set(chain->uppers[i]);
        const M out = m_or(v_lt(end, lower), v_lt(upper, end));
        if (m_bits(out) != 0) {
            const V way = v_min(v_max(end, lower), upper) - number;
            const V taken = v_select(out, way, v_set(0.0));
            V linear[3];
            V angular[3];
            load_column(lanes, i, linear, angular);
            for (int k = 0; k < 3; k++) {
                b[k] = v_fnma(linear[k], taken, b[k]);
                b[3 + k] = v_fnma(angular[k], taken, b[3 + k]);
            }
            drop_column(lanes, i, out);
            v_store(lanes->fixed[i], v_select(out, way, v_load(lanes->fixed[i])));
            step = v_select(out, way, step);
            some = m_or(some, out);
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
        const V inside = v_min(v_max(end, v_set(chain->lowers[i])), v_set(chain->uppers[i]));
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
    copy3(b, v);
    copy3(b + 3, v + 3);
    const PoiseChainGoal goal = search->def->goal;
    drop_pressed(chain, lanes, v);
    fill_normal(chain, goal, lanes, &normal);
    const V trace = normal.linear.xx + normal.linear.yy + normal.linear.zz + normal.angular.xx +
                    normal.angular.yy + normal.angular.zz;
    lambda = v_fma(trace, v_set(TRACE_PART), lambda);
    solve_rows(goal, &normal, lambda, b, y);
    if (fill_steps(chain, lanes, y, b)) {
        fill_normal(chain, goal, lanes, &normal);
        solve_rows(goal, &normal, lambda, b, y);
        (void)fill_steps(chain, lanes, y, b);
    }
    apply_steps(chain, lanes, hold);
}

#endif
