// SPDX-License-Identifier: MIT
// Kinematics of a chain in all lanes: frames, error to the target, columns of J. An iteration calls
// find_frames, find_error and find_columns, and then functions of lane_step.h.
#ifndef POISE_LANE_KINEMATICS_H
#define POISE_LANE_KINEMATICS_H

#include "chain.h"
#include "lane_space.h"

// cos^2 of half of 179.9 degrees; larger rotations use find_half_turns
#define HALF_TURN 1e-6

#ifndef LANE_MOST_JOINTS
/// Sizes of the arrays of an Iterate.
enum { LANE_MOST_JOINTS = CHAIN_MOST_JOINTS, LANE_MOST_BALLS = CHAIN_MOST_BALLS };
enum { LANE_MOST_Q = CHAIN_MOST_Q };
#endif

/// The posture of every lane with its frames and columns. The last index of each array is the lane.
typedef struct Iterate {
    _Alignas(64) double position[V3_SIZE];  ///< position of the target, units
    double rotation[3][V3_SIZE];            ///< rotation of the target: its x, y and z axes
    double axis[LANE_MOST_JOINTS][V3_SIZE]; ///< angular columns of J: the axes of the joints
    /// Origins of the joints, later linear columns of J. A ball has its moment arm here.
    double linear[LANE_MOST_JOINTS][V3_SIZE];
    double carrier[LANE_MOST_BALLS][3][V3_SIZE];     ///< axes of the frame before a ball
    _Alignas(64) double q[LANE_MOST_Q][CHAIN_LANES]; ///< coordinates, with the angles of cones
    double sine[LANE_MOST_JOINTS][CHAIN_LANES];
    double cosine[LANE_MOST_JOINTS][CHAIN_LANES];
    double end[LANE_MOST_JOINTS][CHAIN_LANES];         ///< coordinates after the step
    double fixed[LANE_MOST_JOINTS][CHAIN_LANES];       ///< steps that end at a limit; 0 for others
    double cone_axes[LANE_MOST_BALLS][9][CHAIN_LANES]; ///< axes of a cone, in the frame before it
    double slack[CHAIN_LANES]; ///< allowed violation of the ranges of hinges, rad
    unsigned leading; ///< bit k is set if a joint that stops in lane k causes another solve
} Iterate;

/// A frame: its axes and its origin.
typedef struct Frame {
    V3 x;
    V3 y;
    V3 z;
    V3 p;
} Frame;

/// Three position rows and three rotation rows.
typedef struct Rows {
    V3 linear;
    V3 angular;
} Rows;

static inline void set_target(PoiseBodyGoal goal, const ChainTarget* target, Iterate* at,
                              int lane) {
#if defined(CHAIN_PACKED)
    at->position[3] = at->rotation[0][3] = at->rotation[1][3] = at->rotation[2][3] = 0.0;
#endif
    for (int k = 0; k < 3; k++) {
        at->position[k * V3_STRIDE + lane] = target->position[k];
    }
    for (int k = 0; goal != POISE_BODY_POSITION && k < 9; k++) {
        at->rotation[k % 3][k / 3 * V3_STRIDE + lane] = target->matrix[k];
    }
}

static inline void set_q(const Chain* chain, const double* q, Iterate* at, int lane) {
    for (int i = 0; i < chain->nq; i++) {
        at->q[i][lane] = q[i];
    }
}

static inline void get_q(const Chain* chain, const Iterate* at, int lane, double* q) {
    for (int i = 0; i < chain->nq; i++) {
        q[i] = at->q[i][lane];
    }
}

// ------------------------------------------------------------------------------------------ frames

// Rotates the axes a and b of a frame about its third axis. c, s: cosine and sine.
static inline void turn_axes(V3* a, V3* b, V c, V s) {
    const V3 before = *a;
    *a = v3_fma(s, *b, v3_scale(c, before));
    *b = v3_fnma(s, before, v3_scale(c, *b));
}

// Rotates a frame by a rotation matrix, row-major.
static inline void turn_by_matrix(Frame* f, const V m[9]) {
    const V3 x = f->x;
    const V3 y = f->y;
    const V3 z = f->z;
    f->x = v3_fma(m[6], z, v3_fma(m[3], y, v3_scale(m[0], x)));
    f->y = v3_fma(m[7], z, v3_fma(m[4], y, v3_scale(m[1], x)));
    f->z = v3_fma(m[8], z, v3_fma(m[5], y, v3_scale(m[2], x)));
}

// Rotates a frame by the quaternion in q[index] to q[index + 3].
static inline void turn_by_quaternion(const Iterate* at, int index, Frame* f) {
    const V w = v_load(at->q[index]);
    const V x = v_load(at->q[index + 1]);
    const V y = v_load(at->q[index + 2]);
    const V z = v_load(at->q[index + 3]);
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
    turn_by_matrix(f, m);
}

// Computes axes and angles of the cone that begins at joint i, lane by lane.
static inline void read_cone(Iterate* at, const ChainJoint* joint, int i) {
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        ChainCone cone;
        double q[4];
        for (int k = 0; k < 4; k++) {
            q[k] = at->q[joint->q + k][lane];
        }
        poise__chain_cone_read(joint, q, &cone);
        for (int k = 0; k < 9; k++) {
            at->cone_axes[joint->ball][k][lane] = cone.axes[k];
        }
        at->q[i][lane] = cone.swing;
        at->q[i + 1][lane] = 0.0;
        at->q[i + 2][lane] = cone.twist;
    }
}

// Moves a frame by a cone: joint i and the next two, which are hinges at one origin.
static inline void move_cone(const ChainJoint* joint, Iterate* at, int i, Frame* f) {
    read_cone(at, joint, i);
    for (int j = 0; j < 3; j++) {
        double(*axis)[CHAIN_LANES] = &at->cone_axes[joint->ball][3 * j];
        v3_store(at->axis[i + j],
                 v3_fma(v_load(axis[2]), f->z,
                        v3_fma(v_load(axis[1]), f->y, v3_scale(v_load(axis[0]), f->x))));
        v3_store(at->linear[i + j], f->p);
    }
    turn_by_quaternion(at, joint->q, f);
}

static inline void move_ball(Iterate* at, const ChainJoint* joint, Frame* f) {
    v3_store(at->carrier[joint->ball][0], f->x);
    v3_store(at->carrier[joint->ball][1], f->y);
    v3_store(at->carrier[joint->ball][2], f->z);
    turn_by_quaternion(at, joint->q, f);
}

// Moves a frame along the link to the next joint, then rotates it by the twist.
static inline void follow_link(const ChainJoint* joint, Frame* f) {
    if ((joint->link_axes & 1u) != 0) {
        f->p = v3_fma(v_set(joint->link[0]), f->x, f->p);
    }
    if ((joint->link_axes & 2u) != 0) {
        f->p = v3_fma(v_set(joint->link[1]), f->y, f->p);
    }
    if ((joint->link_axes & 4u) != 0) {
        f->p = v3_fma(v_set(joint->link[2]), f->z, f->p);
    }
    const V3 y = f->y;
    switch (joint->twist) {
    case CHAIN_TWIST_NONE:
        break;
    case CHAIN_TWIST_QUARTER:
        f->y = f->z;
        f->z = v3_negate(y);
        break;
    case CHAIN_TWIST_QUARTER_BACK:
        f->y = v3_negate(f->z);
        f->z = y;
        break;
    case CHAIN_TWIST_X:
        turn_axes(&f->y, &f->z, v_set(joint->twist_cos), v_set(joint->twist_sin));
        break;
    case CHAIN_TWIST_ANY: {
        V m[9];
        for (int k = 0; k < 9; k++) {
            m[k] = v_set(joint->matrix[k]);
        }
        turn_by_matrix(f, m);
        break;
    }
    }
}

#if defined(CHAIN_PACKED)
// Computes the sines of all coordinates, four at a time, though only hinges need them.
static inline void find_sines(const Chain* chain, Iterate* at) {
    poise__chain_sines_avx2(at->q[0], (chain->range_count + 3) / 4 * 4, at->sine[0], at->cosine[0]);
}
#else
static inline void find_sines(const Chain* chain, Iterate* at) {
    for (int i = 0; i < chain->joint_count; i++) {
        if (chain->joints[i].kind == CHAIN_HINGE) {
            V s;
            V c;
            v_sine_cosine(v_load(at->q[i]), &s, &c);
            v_store(at->sine[i], s);
            v_store(at->cosine[i], c);
        }
    }
}
#endif

// Computes the coordinates of coupled joints from those of their leaders.
static inline void follow_leaders(const ChainTie* ties, int count, Iterate* at) {
    for (int t = 0; t < count; t++) {
        const ChainTie* tie = &ties[t];
        v_store(at->q[tie->joint],
                v_fma(v_set(tie->ratio), v_load(at->q[tie->leader]), v_set(tie->offset)));
    }
}

// Adds the columns of coupled joints to those of their leaders, whose coordinate moves both, and
// sets them to 0.
static inline void add_columns(const ChainTie* ties, int count, Iterate* at) {
    for (int t = 0; t < count; t++) {
        const ChainTie* tie = &ties[t];
        const V ratio = v_set(tie->ratio);
        v3_store(at->linear[tie->leader],
                 v3_fma(ratio, v3_load(at->linear[tie->joint]), v3_load(at->linear[tie->leader])));
        v3_store(at->axis[tie->leader],
                 v3_fma(ratio, v3_load(at->axis[tie->joint]), v3_load(at->axis[tie->leader])));
        v3_store(at->linear[tie->joint], v3_zero());
        v3_store(at->axis[tie->joint], v3_zero());
    }
}

/// Moves a frame by joint i and its link, or by all three joints of a cone. Returns the index of
/// the last joint.
static inline int move_joint(const ChainJoint* joints, int i, Iterate* at, Frame* f) {
    const ChainJoint* joint = &joints[i];
    v3_store(at->linear[i], f->p);
    if (joint->kind == CHAIN_HINGE) {
        v3_store(at->axis[i], f->z);
        turn_axes(&f->x, &f->y, v_load(at->cosine[i]), v_load(at->sine[i]));
    } else if (joint->kind == CHAIN_SLIDER) {
        v3_store(at->axis[i], f->z);
        if (joint->fixed_sin != 0.0 || joint->fixed_cos != 1.0) {
            turn_axes(&f->x, &f->y, v_set(joint->fixed_cos), v_set(joint->fixed_sin));
        }
        f->p = v3_fma(v_load(at->q[i]), f->z, f->p);
    } else if (joint->kind == CHAIN_BALL) {
        move_ball(at, joint, f);
    } else {
        move_cone(joint, at, i, f);
        i += 2;
    }
    follow_link(&joints[i], f);
    return i;
}

/// Computes the axes and origins of the joints. Returns the frame of the tip.
CHAIN_INLINE Frame find_frames(const Chain* chain, Iterate* at) {
    const V zero = v_set(0.0);
    const V one = v_set(1.0);
    Frame f = {v3(one, zero, zero), v3(zero, one, zero), v3(zero, zero, one), v3_zero()};
    follow_leaders(chain->ties, chain->tie_count, at);
    find_sines(chain, at);
    for (int i = 0; i < chain->joint_count; i++) {
        i = move_joint(chain->joints, i, at, &f);
    }
    return f;
}

// ------------------------------------------------------------------------------------------- error

/// Returns the rotation of a frame in one lane as a quaternion.
static inline PoiseQuat quaternion_of(const Frame* f, int lane) {
    _Alignas(64) double axes[3][V3_SIZE];
    double rows[9];
    v3_store(axes[0], f->x);
    v3_store(axes[1], f->y);
    v3_store(axes[2], f->z);
    for (int k = 0; k < 3; k++) {
        for (int column = 0; column < 3; column++) {
            rows[3 * k + column] = axes[column][k * V3_STRIDE + lane];
        }
    }
    return poise_quat_from_rows(rows);
}

// Replaces the chord by one computed from quaternions, in lanes where the rotation is near half a
// turn and the cross products are inaccurate.
static inline V3 find_half_turns(const Frame* target, unsigned which, const Frame* f, V3 chord) {
    _Alignas(64) double out[V3_SIZE];
    v3_store(out, chord);
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        if ((which >> lane & 1) != 0) {
            const PoiseQuat q = poise_quat_mul(quaternion_of(target, lane),
                                               poise_quat_conjugate(quaternion_of(f, lane)));
            const double twice = q.w < 0.0 ? -2.0 : 2.0;
            out[lane] = twice * q.x;
            out[V3_STRIDE + lane] = twice * q.y;
            out[2 * V3_STRIDE + lane] = twice * q.z;
        }
    }
    return v3_load(out);
}

// Returns the chord: a vector of length 2 sin(angle / 2) along the axis of the rotation to the
// target. Let e_k be the axes of the frame and t_k those of the target. Then 2 sin(angle) axis =
// sum_k e_k x t_k and 1 + 2 cos(angle) = sum_k e_k . t_k.
static inline V3 find_chord(const Frame* target, const Frame* f) {
    const V3 tx = target->x;
    const V3 ty = target->y;
    const V3 tz = target->z;
    const V3 sum = v3_add(v3_add(v3_cross(f->x, tx), v3_cross(f->y, ty)), v3_cross(f->z, tz));
    const V3 zero = v3_zero();
    const V trace = v3_sum(v3_times(f->z, tz, v3_times(f->y, ty, v3_times(f->x, tx, zero))));
    // cos^2(angle / 2)
    const V half2 = v_fma(trace, v_set(0.25), v_set(0.25));
    const V scale = v_set(0.5) / v_sqrt(v_max(half2, v_set(HALF_TURN)));
    const V3 chord = v3_scale(scale, sum);
    const unsigned halves = m_bits(v_lt(half2, v_set(HALF_TURN)));
    return halves != 0 ? find_half_turns(target, halves, f, chord) : chord;
}

/// Returns the error to the target. `squares` gets the squared position and rotation errors. Parts
/// that the goal does not include are 0.
static inline Rows find_error(PoiseBodyGoal goal, const Iterate* at, const Frame* tip,
                              V squares[2]) {
    Rows error = {v3_zero(), v3_zero()};
    if (goal != POISE_BODY_ORIENTATION) {
        error.linear = v3_sub(v3_load(at->position), tip->p);
    }
    if (goal != POISE_BODY_POSITION) {
        const Frame target = {v3_load(at->rotation[0]), v3_load(at->rotation[1]),
                              v3_load(at->rotation[2]), v3_zero()};
        error.angular = find_chord(&target, tip);
    }
    squares[0] = v3_dot(error.linear, error.linear);
    squares[1] = v3_dot(error.angular, error.angular);
    return error;
}

// ----------------------------------------------------------------------------------------- columns

/// Computes the linear column of J of a joint from its moment arm: axis x arm for a hinge, the axis
/// for a slider, whose angular column becomes 0. A ball keeps the moment arm r itself: its three
/// columns are e_k x r.
static inline void find_column(ChainKind kind, V3 arm, Iterate* at, int i) {
    if (kind == CHAIN_BALL) {
        v3_store(at->linear[i], arm);
    } else if (kind == CHAIN_SLIDER) {
        v3_store(at->linear[i], v3_load(at->axis[i]));
        v3_store(at->axis[i], v3_zero());
    } else {
        v3_store(at->linear[i], v3_cross(v3_load(at->axis[i]), arm));
    }
}

/// Computes the linear columns of J from the origins of the joints.
static inline void find_columns(const Chain* chain, Iterate* at, V3 tip) {
    for (int i = 0; i < chain->joint_count; i++) {
        find_column(chain->joints[i].kind, v3_sub(tip, v3_load(at->linear[i])), at, i);
    }
    add_columns(chain->ties, chain->tie_count, at);
}

#endif
