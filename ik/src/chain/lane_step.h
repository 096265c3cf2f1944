// SPDX-License-Identifier: MIT
// Makes a damped least-squares step inside the limits, in all lanes: solves (J J^T + lambda I) y =
// v over the free joints, then step = J^T y (Sugihara 2011). Joints on a limit that the gradient
// pushes beyond it are excluded at once. Joints that would leave their ranges stop at the ends. If
// this happens in a leading lane, the system of the other joints is solved once more in all lanes.
// After that, joints outside their ranges are clamped.
#ifndef POISE_LANE_STEP_H
#define POISE_LANE_STEP_H

#include "lane_kinematics.h"

// fraction of trace(J J^T) in lambda; keeps the pivots above rounding errors
#define TRACE_PART 1e-13

// -------------------------------------------------------------- solves of 3 x 3 and 6 x 6 matrices

/// The factors L D L^T of a symmetric 3 x 3 matrix.
typedef struct Factor {
    V l10;
    V l20;
    V l21;
    V inverse[3]; ///< inverses of D
} Factor;

static inline Factor factor_of(Entries a, V lambda) {
    Factor f;
    const V one = v_set(1.0);
    f.inverse[0] = one / (a.xx + lambda);
    f.l10 = a.xy * f.inverse[0];
    f.l20 = a.xz * f.inverse[0];
    f.inverse[1] = one / v_fnma(f.l10, a.xy, a.yy + lambda);
    const V below = v_fnma(f.l20, a.xy, a.yz);
    f.l21 = below * f.inverse[1];
    f.inverse[2] = one / v_fnma(f.l21, below, v_fnma(f.l20, a.xz, a.zz + lambda));
    return f;
}

static inline void solve3(const Factor* f, V3 b, V x[3]) {
    const V b0 = v3_x(b);
    const V y1 = v_fnma(f->l10, b0, v3_y(b));
    const V y2 = v_fnma(f->l21, y1, v_fnma(f->l20, b0, v3_z(b)));
    x[2] = y2 * f->inverse[2];
    x[1] = v_fnma(f->l21, x[2], y1 * f->inverse[1]);
    x[0] = v_fnma(f->l10, x[1], v_fnma(f->l20, x[2], b0 * f->inverse[0]));
}

// Solves for each of the three columns of a matrix.
static inline M3 solve_columns(const Factor* f, M3 b) {
    M3 x;
    const V3 y1 = v3_fnma(f->l10, b.x, b.y);
    const V3 y2 = v3_fnma(f->l21, y1, v3_fnma(f->l20, b.x, b.z));
    x.z = v3_scale(f->inverse[2], y2);
    x.y = v3_fnma(f->l21, x.z, v3_scale(f->inverse[1], y1));
    x.x = v3_fnma(f->l10, x.y, v3_fnma(f->l20, x.z, v3_scale(f->inverse[0], b.x)));
    return x;
}

/// J J^T over the free columns, in blocks: linear-linear, angular-angular, linear-angular.
typedef struct Normal {
    S3 linear;
    S3 angular;
    M3 mixed;
    V linear_lambda; ///< lambda, added to the diagonals
    V angular_lambda;
} Normal;

// Solves (A B; B^T C) y = b by blocks, with the Schur complement C - B^T A^-1 B.
static inline Rows solve6(const Normal* n, Rows b) {
    const Factor a = factor_of(s3_entries(n->linear), n->linear_lambda);
    const M3 w = solve_columns(&a, n->mixed);
    S3 schur = s3_sub(n->angular, n->mixed.x, w.x);
    schur = s3_sub(schur, n->mixed.y, w.y);
    schur = s3_sub(schur, n->mixed.z, w.z);
    const Factor c = factor_of(s3_entries(schur), n->angular_lambda);
    V u[3];
    V y[3];
    solve3(&a, b.linear, u);
    const V3 rest =
        v3_fnma(u[2], n->mixed.z, v3_fnma(u[1], n->mixed.y, v3_fnma(u[0], n->mixed.x, b.angular)));
    solve3(&c, rest, y);
    const V3 angular = v3(y[0], y[1], y[2]);
    const Rows out = {v3_sub(v3(u[0], u[1], u[2]), m3_mul(w, angular)), angular};
    return out;
}

/// Solves (J J^T + lambda I) y = b for the rows of the goal; other rows become 0.
static inline Rows solve_rows(PoiseBodyGoal goal, const Normal* n, Rows b) {
    Rows y = {v3_zero(), v3_zero()};
    V x[3];
    if (goal == POISE_BODY_POSE) {
        return solve6(n, b);
    }
    if (goal == POISE_BODY_POSITION) {
        const Factor f = factor_of(s3_entries(n->linear), n->linear_lambda);
        solve3(&f, b.linear, x);
        y.linear = v3(x[0], x[1], x[2]);
    } else {
        const Factor f = factor_of(s3_entries(n->angular), n->angular_lambda);
        solve3(&f, b.angular, x);
        y.angular = v3(x[0], x[1], x[2]);
    }
    return y;
}

// ------------------------------------------------------------------------------------------- J J^T

static inline Rows column_of(const Iterate* at, int i) {
    const Rows column = {v3_load(at->linear[i]), v3_load(at->axis[i])};
    return column;
}

/// Computes J J^T without lambda, and returns its trace. A ball with the moment arm r contributes
/// |r|^2 I - r r^T, I, and the columns e_k x r; |r|^2 and r are summed over all balls.
static inline V find_normal(const Chain* chain, PoiseBodyGoal goal, const Iterate* at, Normal* n) {
    // local copies, which stay in registers
    S3 linear = s3_zero();
    S3 angular = s3_zero();
    V3 squares = v3_zero();
    V3 arms = v3_zero();
    for (int i = 0; i < chain->joint_count; i++) {
        if (chain->joints[i].kind == CHAIN_BALL) {
            const V3 arm = v3_load(at->linear[i]);
            linear = s3_sub(linear, arm, arm);
            squares = v3_times(arm, arm, squares);
            arms = v3_add(arms, arm);
        } else {
            linear = s3_add(linear, at->linear[i]);
            angular = s3_add(angular, at->axis[i]);
        }
    }
    n->linear = linear;
    n->angular = angular;
    n->linear_lambda = v3_sum(squares);
    n->angular_lambda = v_set(chain->ball_count - chain->cone_count);
    n->mixed = m3_zero();
    if (goal == POISE_BODY_POSE) {
        M3 mixed = n->mixed;
        for (int i = 0; i < chain->joint_count; i++) {
            if (chain->joints[i].kind != CHAIN_BALL) {
                mixed = m3_add_outer(mixed, at->linear[i], v3_load(at->axis[i]));
            }
        }
        n->mixed = chain->ball_count > 0 ? m3_add_cross(mixed, arms) : mixed;
    }
    const Entries l = s3_entries(linear);
    const Entries a = s3_entries(angular);
    return v_fma(v_set(3.0), n->linear_lambda + n->angular_lambda,
                 (l.xx + a.xx) + (l.yy + a.yy) + (l.zz + a.zz));
}

// ------------------------------------------------------------------------------------------ limits

static inline V lower_end(const Chain* chain, const Iterate* at, int i) {
    const V lower = v_set(chain->lowers[i]);
    if (chain->joints[i].kind != CHAIN_HINGE) {
        return lower;
    }
    return lower - v_load(at->slack);
}

static inline V upper_end(const Chain* chain, const Iterate* at, int i) {
    const V upper = v_set(chain->uppers[i]);
    if (chain->joints[i].kind != CHAIN_HINGE) {
        return upper;
    }
    return upper + v_load(at->slack);
}

/// Returns the product of column i of J and the rows y.
static inline V column_dot(const Iterate* at, int i, Rows y) {
    const Rows column = column_of(at, i);
    return v3_dot2(column.linear, y.linear, column.angular, y.angular);
}

/// Returns the rotation vector J^T y of a ball: the sum of e_k ((e_k x r) . y.linear + e_k .
/// y.angular).
static inline V3 ball_dot(const Iterate* at, int i, Rows y) {
    return v3_add(v3_cross(v3_load(at->linear[i]), y.linear), y.angular);
}

/// Returns the lanes in which joint i is on a limit and the gradient of the error pushes it beyond.
static inline M is_pressed(const Chain* chain, const Iterate* at, int i, Rows error) {
    const V q = v_load(at->q[i]);
    const M low = v_ge(lower_end(chain, at, i), q);
    const M high = v_ge(q, upper_end(chain, at, i));
    if (m_bits(m_or(low, high)) == 0) {
        return m_none();
    }
    const V zero = v_set(0.0);
    const V gradient = column_dot(at, i, error);
    return m_or(m_and(low, v_lt(gradient, zero)), m_and(high, v_lt(zero, gradient)));
}

// Sets column i to 0 in the lanes of `mask`, which excludes it from the step.
static inline void drop_column(Iterate* at, int i, M mask) {
    v3_store(at->linear[i], v3_clear(mask, v3_load(at->linear[i])));
    v3_store(at->axis[i], v3_clear(mask, v3_load(at->axis[i])));
}

#if defined(CHAIN_PACKED)

// True if some coordinate is on its limit or beyond. Tests four joints at a time.
static inline bool some_at_limit(const Chain* chain, double (*q)[1]) {
    __m256d out = _mm256_setzero_pd();
    for (int i = 0; i < chain->range_count; i += 4) {
        const __m256d four = _mm256_load_pd(q[i]);
        const __m256d lower = _mm256_loadu_pd(&chain->lowers[i]);
        const __m256d upper = _mm256_loadu_pd(&chain->uppers[i]);
        out = _mm256_or_pd(out, _mm256_or_pd(_mm256_cmp_pd(four, lower, _CMP_LE_OQ),
                                             _mm256_cmp_pd(four, upper, _CMP_GE_OQ)));
    }
    return _mm256_movemask_pd(out) != 0;
}

// Computes the coordinates after the steps J^T y, four joints at a time. True if no coordinate
// reaches a limit.
static inline bool ends_are_inside(const Chain* chain, Iterate* at, Rows y) {
    for (int i = 0; i < chain->range_count; i += 4) {
        V3 part[4];
        for (int k = 0; k < 4; k++) {
            const bool has_column =
                i + k < chain->joint_count && chain->joints[i + k].kind != CHAIN_BALL;
            part[k] = v3_zero();
            if (has_column) {
                const Rows column = column_of(at, i + k);
                part[k] = v3_times(column.linear, y.linear, column.angular * y.angular);
            }
        }
        _mm256_store_pd(at->end[i],
                        _mm256_load_pd(at->q[i]) + (_mm256_load_pd(at->fixed[i]) +
                                                    v3_sums(part[0], part[1], part[2], part[3])));
    }
    return !some_at_limit(chain, at->end);
}

#else
#define some_at_limit(chain, q)       true
#define ends_are_inside(chain, at, y) false
#endif

static inline void drop_pressed(const Chain* chain, Iterate* at, Rows error) {
    for (int i = 0; i < chain->range_count; i++) {
        v_store(at->fixed[i], v_set(0.0));
    }
    for (int i = 0; some_at_limit(chain, at->q) && i < chain->range_count; i++) {
        if (chain->joints[i].kind != CHAIN_BALL) {
            const M pressed = is_pressed(chain, at, i, error);
            if (m_bits(pressed) != 0) {
                drop_column(at, i, pressed);
            }
        }
    }
}

// Stops joint i at a limit in the lanes of `out`: clears its column, subtracts its motion from `b`.
static inline void stop_at(Iterate* at, int i, M out, V step, Rows* b) {
    const Rows column = column_of(at, i);
    const V taken = v_select(out, step, v_set(0.0));
    b->linear = v3_fnma(taken, column.linear, b->linear);
    b->angular = v3_fnma(taken, column.angular, b->angular);
    drop_column(at, i, out);
    v_store(at->fixed[i], v_select(out, step, v_load(at->fixed[i])));
}

// Computes the coordinates after the steps J^T y. Joints that would leave their ranges stop at the
// ends. Returns the lanes with such joints, as bits.
static inline unsigned find_ends(const Chain* chain, Iterate* at, Rows y, Rows* b) {
    unsigned stopped = 0;
    if (ends_are_inside(chain, at, y)) {
        return 0;
    }
    for (int i = 0; i < chain->range_count; i++) {
        if (chain->joints[i].kind == CHAIN_BALL) {
            continue;
        }
        const V q = v_load(at->q[i]);
        const V lower = lower_end(chain, at, i);
        const V upper = upper_end(chain, at, i);
        V end = q + (v_load(at->fixed[i]) + column_dot(at, i, y));
        const M out = m_or(v_lt(end, lower), v_lt(upper, end));
        if (m_bits(out) != 0) {
            end = v_min(v_max(end, lower), upper);
            stop_at(at, i, out, end - q, b);
            stopped |= m_bits(out);
        }
        v_store(at->end[i], end);
    }
    return stopped;
}

// ------------------------------------------------------------------------------------------ motion

// Returns 1 / sqrt(1 + x) for x >= 0.
static inline V inverse_length(V x) {
#if CHAIN_LANES == 1
    // the series is exact to the last bit for smaller x, and faster than root and division
    if (x < 7e-4) {
        return 1.0 + x * (-0.5 + x * (0.375 + x * (-0.3125 + x * 0.2734375)));
    }
#endif
    return v_set(1.0) / v_sqrt(v_set(1.0) + x);
}

// Rotates a ball by a small rotation, as the normalised quaternion (1, rotation / 2).
static inline void step_ball(Iterate* at, const ChainJoint* joint, V3 rotation, M hold) {
    const M3 carrier = {v3_load(at->carrier[joint->ball][0]), v3_load(at->carrier[joint->ball][1]),
                        v3_load(at->carrier[joint->ball][2])};
    const V3 half = v3_scale(v_set(0.5), m3_mul(carrier, rotation));
    const V x = v3_x(half);
    const V y = v3_y(half);
    const V z = v3_z(half);
    const V scale = inverse_length(v_fma(x, x, v_fma(y, y, z * z)));
    V q[4];
    for (int k = 0; k < 4; k++) {
        q[k] = v_load(at->q[joint->q + k]);
    }
    const V turned[4] = {
        v_fnma(x, q[1], v_fnma(y, q[2], v_fnma(z, q[3], q[0]))),
        v_fma(x, q[0], v_fma(y, q[3], v_fnma(z, q[2], q[1]))),
        v_fnma(x, q[3], v_fma(y, q[0], v_fma(z, q[1], q[2]))),
        v_fma(x, q[2], v_fnma(y, q[1], v_fma(z, q[0], q[3]))),
    };
    for (int k = 0; k < 4; k++) {
        v_store(at->q[joint->q + k], v_select(hold, q[k], scale * turned[k]));
    }
}

// Rotates a cone by the steps of its three joints, the first of which is i, lane by lane.
static inline void step_cone(Iterate* at, const ChainJoint* joint, int i, unsigned held) {
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        double q[4];
        double vector[3] = {0.0, 0.0, 0.0};
        if ((held >> lane & 1) != 0) {
            continue;
        }
        for (int j = 0; j < 9; j++) {
            const int index = i + j / 3;
            const double step = at->end[index][lane] - at->q[index][lane];
            vector[j % 3] += step * at->cone_axes[joint->ball][j][lane];
        }
        for (int k = 0; k < 4; k++) {
            q[k] = at->q[joint->q + k][lane];
        }
        poise__chain_cone_turn(joint, vector, q);
        for (int k = 0; k < 4; k++) {
            at->q[joint->q + k][lane] = q[k];
        }
    }
}

// Adds the steps to the coordinates, except in lanes of `hold`.
static inline void apply_steps(const Chain* chain, Iterate* at, Rows y, M hold) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind == CHAIN_BALL) {
            step_ball(at, joint, ball_dot(at, i, y), hold);
        } else if (joint->kind == CHAIN_CONE) {
            step_cone(at, joint, i, m_bits(hold));
            i += 2;
        } else {
            const V q = v_load(at->q[i]);
            v_store(at->q[i], v_select(hold, q, v_load(at->end[i])));
        }
    }
}

/// Makes one step. Call find_error and find_columns first. Lanes of `hold` keep their posture.
static inline void take_step(const ChainSearch* search, Iterate* at, Rows error, V lambda, M hold) {
    const Chain* chain = search->chain;
    const PoiseBodyGoal goal = search->goal;
    Rows b = error;
    Rows y = error;
    drop_pressed(chain, at, error);
    for (int round = 0; round < 2; round++) {
        Normal normal;
        const V trace = find_normal(chain, goal, at, &normal);
        if (round == 0) {
            lambda = v_fma(trace, v_set(TRACE_PART), lambda);
        }
        normal.linear_lambda = normal.linear_lambda + lambda;
        normal.angular_lambda = normal.angular_lambda + lambda;
        y = solve_rows(goal, &normal, b);
        if ((find_ends(chain, at, y, &b) & at->leading) == 0) {
            break;
        }
    }
    apply_steps(chain, at, y, hold);
}

#endif
