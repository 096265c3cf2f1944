// SPDX-License-Identifier: MIT
// The lanes, and the first stages of an iteration in all of them: frames and error. chain_newton.h
// comes after it. Compiled once for each CHAIN_LANES.
#ifndef POISE_CHAIN_LANES_H
#define POISE_CHAIN_LANES_H

#include "chain_internal.h"
#include "chain_vector.h"

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
    /// Those of the posture, then the angles of cones by degree of freedom.
    _Alignas(64) double numbers[CHAIN_MOST_SLOTS + POISE_CHAIN_MOST_DOF][CHAIN_LANES];
    double place[3][CHAIN_LANES]; ///< of the target
    double matrix[9][CHAIN_LANES];
    double gain[CHAIN_LANES];
    double best[CHAIN_LANES];       ///< least error^2 of this start
    double squares[2][CHAIN_LANES]; ///< of the errors of place and turn, before the step
    double wait[CHAIN_LANES];       ///< iterations without progress
    double patience[CHAIN_LANES];   ///< how many are too many
    double slack[CHAIN_LANES];      ///< how far hinges may leave their ranges

    // scratch of an iteration
    double sine[CHAIN_MOST_JOINTS][CHAIN_LANES];
    double cosine[CHAIN_MOST_JOINTS][CHAIN_LANES];
    double axis[CHAIN_MOST_JOINTS][3][CHAIN_LANES];   ///< angular column
    double linear[CHAIN_MOST_JOINTS][3][CHAIN_LANES]; ///< origin, then linear column; ball: arm
    double carrier[CHAIN_MOST_BALLS][9][CHAIN_LANES]; ///< what carries a ball, columns
    double turns[CHAIN_MOST_BALLS][9][CHAIN_LANES];   ///< a cone's axes, as its carrier has them
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

// by quaternion: the rotation's matrix
static inline void turn_by_numbers(Lanes* lanes, int slot, Frame* f) {
    const V w = v_load(lanes->numbers[slot]);
    const V x = v_load(lanes->numbers[slot + 1]);
    const V y = v_load(lanes->numbers[slot + 2]);
    const V z = v_load(lanes->numbers[slot + 3]);
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

static void move_ball(Lanes* lanes, const ChainJoint* joint, Frame* f) {
    store3(&lanes->carrier[joint->ball][0], f->x);
    store3(&lanes->carrier[joint->ball][3], f->y);
    store3(&lanes->carrier[joint->ball][6], f->z);
    turn_by_numbers(lanes, joint->slot, f);
}

// axes and angles of a cone, lane by lane
static void look_at_cone(Lanes* lanes, const ChainJoint* joint) {
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        ChainCone cone;
        double q[4];
        for (int k = 0; k < 4; k++) {
            q[k] = lanes->numbers[joint->slot + k][lane];
        }
        poise__chain_cone_look(q, &cone);
        for (int k = 0; k < 9; k++) {
            lanes->turns[joint->ball][k][lane] = cone.axes[k];
        }
        lanes->numbers[joint[0].value][lane] = cone.swing;
        lanes->numbers[joint[1].value][lane] = 0.0;
        lanes->numbers[joint[2].value][lane] = cone.twist;
    }
}

// joint `i` and the two after it: a hinge about each axis of the cone, all where the ball is
static void move_cone(const PoiseChain* chain, Lanes* lanes, int i, Frame* f) {
    const ChainJoint* joint = &chain->joints[i];
    look_at_cone(lanes, joint);
    for (int j = 0; j < 3; j++) {
        V local[3];
        V axis[3];
        load3(local, &lanes->turns[joint->ball][3 * j]);
        for (int k = 0; k < 3; k++) {
            axis[k] = v_fma(f->z[k], local[2], v_fma(f->y[k], local[1], f->x[k] * local[0]));
        }
        store3(lanes->axis[i + j], axis);
        store3(lanes->linear[i + j], f->p);
    }
    turn_by_numbers(lanes, joint->slot, f);
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
        } else if (joint->kind == CHAIN_BALL) {
            move_ball(lanes, joint, f);
        } else {
            move_cone(chain, lanes, i, f);
            i += 2;
        }
        move_on(&chain->joints[i], f);
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

#endif
