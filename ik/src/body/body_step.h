// SPDX-License-Identifier: MIT
// Computes the damped least-squares step of a group inside the limits, in all lanes. The joints of
// each limb are eliminated first. Let C be the columns of a limb, S those of the trunk at the
// limb's tip, and L the Cholesky factor of K = C C^T + lambda I, which has a row for each row of
// the tip. The steps x of the trunk solve
//
//     (I + sum W^T W) x = sum W^T L^-1 v,   W = L^-1 S,
//
// and those of the limb are C^T K^-1 (v - S x). The matrix of the trunk has a row for each degree
// of freedom. It is nonzero only where one joint carries the other, and elimination from the tips
// to the base keeps it so (Featherstone's L^T L). Limits are handled as in lane_step.h.
#ifndef POISE_BODY_STEP_H
#define POISE_BODY_STEP_H

#include "body_dense.h"

// units^2; added to lambda, which would otherwise vanish with the error
#define MIN_LAMBDA 1e-11
// least pivot, above rounding errors
#define MIN_PIVOT   1e-14

#define BODY_INLINE static inline __attribute__((always_inline))

// ----------------------------------------------------------------------------------------- columns

/// Computes the linear columns of J from the origins of the joints. A ball of a limb stores its
/// moment arm instead, a ball of the trunk its origin.
static void find_body_columns(const BodyProblem* problem, Lanes* lanes) {
    const BodyGroup* group = problem->group;
    Iterate* at = &lanes->at;
    lanes->dense_count = 0;
    if (poise__group_is_joined(group)) {
        find_dense_columns(problem, lanes);
    }
    for (int p = 0; p < group->part_count; p++) {
        const BodyPart* part = &group->parts[p];
        const bool limb = part->tip >= 0;
        const V3 place = limb ? lanes->places[part->tip] : v3_zero();
        for (int i = part->begin; i < part->end; i++) {
            const ChainKind kind = group->joints[i].kind;
            if (limb || kind != CHAIN_BALL) {
                find_column(kind, v3_sub(place, v3_load(at->linear[i])), at, i);
            }
        }
    }
    add_columns(group->ties, group->tie_count, at);
}

/// Returns the column of degree of freedom d of the trunk for a point at `place`.
static inline Rows trunk_column(const BodyGroup* group, const Lanes* lanes, int d, V3 place) {
    const BodyDof* dof = &group->dofs[d];
    const V3 linear = v3_load(lanes->at.linear[dof->joint]);
    Rows column;
    if (group->joints[dof->joint].kind == CHAIN_BALL) {
        column.angular = v3(v_set(dof->axis == 0), v_set(dof->axis == 1), v_set(dof->axis == 2));
        column.linear = v3_cross(column.angular, v3_sub(place, linear));
    } else {
        column.angular = v3_load(lanes->at.axis[dof->joint]);
        column.linear = v3_add(linear, v3_cross(column.angular, place));
    }
    return column;
}

// ----------------------------------------------------------------------------------------- indices

static inline int entry(int row, int column) {
    return row * (row + 1) / 2 + column;
}

static inline bool trunk_moves(const BodyTip* tip, int d) {
    return (tip->trunk_bits >> d & 1) != 0;
}

// --------------------------------------------------------------------------------------- one limb

// Fills the lower half of J J^T over the joints begin..end - 1, along the group's axes. Products of
// linear and angular rows are needed only if `pose`.
static inline void fill_normal(const BodyGroup* group, const BodyPart* part, const Iterate* at,
                               bool pose, V a[6][6]) {
    S3 linear = s3_zero();
    S3 angular = s3_zero();
    M3 mixed = m3_zero();
    V balls = v_set(0.0);
    V arms2 = v_set(0.0);
    V3 arms = v3_zero();
    for (int i = part->begin; i < part->end; i++) {
        if (group->joints[i].kind == CHAIN_BALL) {
            // columns e_k x r and e_k give |r|^2 I - r r^T, I, and the cross products of both
            const V3 arm = v3_load(at->linear[i]);
            linear = s3_sub(linear, arm, arm);
            arms2 = arms2 + v3_dot(arm, arm);
            arms = v3_add(arms, arm);
            balls = balls + v_set(1.0);
        } else {
            linear = s3_add(linear, at->linear[i]);
            angular = s3_add(angular, at->axis[i]);
        }
    }
    for (int i = part->begin; pose && i < part->end; i++) {
        if (group->joints[i].kind != CHAIN_BALL) {
            mixed = m3_add_outer(mixed, at->linear[i], v3_load(at->axis[i]));
        }
    }
    if (part->chain->ball_count > 0) {
        mixed = m3_add_cross(mixed, arms);
    }
    const Entries l = s3_entries(linear);
    const Entries t = s3_entries(angular);
    const V3* m[3] = {&mixed.x, &mixed.y, &mixed.z};
    a[0][0] = l.xx + arms2;
    a[1][0] = l.xy;
    a[1][1] = l.yy + arms2;
    a[2][0] = l.xz;
    a[2][1] = l.yz;
    a[2][2] = l.zz + arms2;
    a[3][3] = t.xx + balls;
    a[4][3] = t.xy;
    a[4][4] = t.yy + balls;
    a[5][3] = t.xz;
    a[5][4] = t.yz;
    a[5][5] = t.zz + balls;
    for (int k = 0; k < 3; k++) {
        a[3][k] = v3_x(*m[k]);
        a[4][k] = v3_y(*m[k]);
        a[5][k] = v3_z(*m[k]);
    }
}

// Converts J J^T of a pose to the rows of a target: selects the active rows, or computes T a T^T if
// they are weighted.
static inline void turn_normal(const BodyTarget* target, V a[6][6]) {
    if (target->weighted) {
        V half[6][6];
        for (int i = 0; i < 6; i++) {
            for (int j = i + 1; j < 6; j++) {
                a[i][j] = a[j][i];
            }
        }
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < 6; i++) {
                const double* axis = &target->axes[3 * (i % 3)];
                const int first = i / 3 * 3;
                for (int j = 0; j < 6; j++) {
                    const V sum =
                        v_fma(v_set(axis[2]), a[first + 2][j],
                              v_fma(v_set(axis[1]), a[first + 1][j], v_set(axis[0]) * a[first][j]));
                    half[j][i] = v_set(target->weights[i]) * sum;
                }
            }
            memcpy(a, half, sizeof half);
        }
    }
    if (target->goal == POISE_BODY_ORIENTATION) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j <= i; j++) {
                a[i][j] = a[3 + i][3 + j];
            }
        }
    }
}

// Factors `a` in place; the diagonal holds the inverses.
BODY_INLINE void factorise(V a[6][6], const int rows) {
#pragma GCC unroll 6
    for (int j = 0; j < rows; j++) {
        V d = a[j][j];
#pragma GCC unroll 6
        for (int k = 0; k < j; k++) {
            d = v_fnma(a[j][k], a[j][k], d);
        }
        d = v_set(1.0) / v_sqrt(v_max(d, v_set(MIN_PIVOT)));
        a[j][j] = d;
#pragma GCC unroll 6
        for (int i = j + 1; i < rows; i++) {
            V s = a[i][j];
#pragma GCC unroll 6
            for (int k = 0; k < j; k++) {
                s = v_fnma(a[i][k], a[j][k], s);
            }
            a[i][j] = s * d;
        }
    }
}

// Solves L w = w in place.
BODY_INLINE void solve_lower(V (*const a)[6], const int rows, V w[6]) {
#pragma GCC unroll 6
    for (int i = 0; i < rows; i++) {
        V s = w[i];
#pragma GCC unroll 6
        for (int k = 0; k < i; k++) {
            s = v_fnma(a[i][k], w[k], s);
        }
        w[i] = s * a[i][i];
    }
}

// Solves L^T w = w in place.
BODY_INLINE void solve_upper(V (*const a)[6], const int rows, V w[6]) {
#pragma GCC unroll 6
    for (int i = rows - 1; i >= 0; i--) {
        V s = w[i];
#pragma GCC unroll 6
        for (int k = i + 1; k < rows; k++) {
            s = v_fnma(a[k][i], w[k], s);
        }
        w[i] = s * a[i][i];
    }
}

BODY_INLINE V dot_rows(const V* a, const V* b, const int rows) {
    V sum = a[0] * b[0];
#pragma GCC unroll 6
    for (int k = 1; k < rows; k++) {
        sum = v_fma(a[k], b[k], sum);
    }
    return sum;
}

// Factors the matrix of a tip, and adds its contribution to the matrix of the trunk.
BODY_INLINE void eliminate_tip(const BodyProblem* problem, int t, V lambda, const int rows,
                               Lanes* lanes) {
    const BodyGroup* group = problem->group;
    const BodyTip* tip = &group->tips[t];
    const BodyTarget* target = &problem->targets[t];
    V w[BODY_MOST_TRUNK][6];
    V v[6];
    V(*const a)[6] = lanes->factor[t];
    if ((lanes->stale >> t & 1) != 0) {
        if (tip->limb) {
            fill_normal(group, &group->parts[tip->part], &lanes->at, rows == 6, a);
            turn_normal(target, a);
        }
        for (int k = 0; k < rows; k++) {
            for (int j = 0; j <= k && !tip->limb; j++) {
                a[k][j] = v_set(0.0);
            }
            a[k][k] = a[k][k] + lambda;
        }
        factorise(a, rows);
    }
    for (int k = 0; k < rows; k++) {
        v[k] = lanes->rows[t][k];
    }
    solve_lower(a, rows, v);
    for (int i = 0; i < tip->trunk_count; i++) {
        const int d = tip->trunk[i];
        to_rows(target, trunk_column(group, lanes, d, lanes->places[t]), w[i]);
        solve_lower(a, rows, w[i]);
        V* row = &lanes->trunk[entry(d, 0)];
        for (int j = 0; j <= i; j++) {
            V* out = &row[tip->trunk[j]];
            *out = *out + dot_rows(w[i], w[j], rows);
        }
        lanes->side[d] = lanes->side[d] + dot_rows(w[i], v, rows);
    }
}

// Returns K^-1 (v - S x) of a tip, along the group's axes. `errors`: v.
BODY_INLINE Rows tip_multipliers(const BodyProblem* problem, int t, const int rows, const V* errors,
                                 Lanes* lanes) {
    const BodyGroup* group = problem->group;
    const BodyTip* tip = &group->tips[t];
    const BodyTarget* target = &problem->targets[t];
    V y[6];
    V moved[6];
    Rows motion = {v3_zero(), v3_zero()};
    for (int i = 0; i < tip->trunk_count; i++) {
        const int d = tip->trunk[i];
        const Rows column = trunk_column(group, lanes, d, lanes->places[t]);
        motion.linear = v3_fma(lanes->side[d], column.linear, motion.linear);
        motion.angular = v3_fma(lanes->side[d], column.angular, motion.angular);
    }
    to_rows(target, motion, moved);
    for (int k = 0; k < rows; k++) {
        y[k] = errors[k] - moved[k];
    }
    solve_lower(lanes->factor[t], rows, y);
    solve_upper(lanes->factor[t], rows, y);
    return from_rows(target, y);
}

// ----------------------------------------------------------------------------------------- trunk

// Factors the matrix of the trunk, from the tips to the base.
static inline void factorise_trunk(const BodyGroup* group, Lanes* lanes) {
    V* m = lanes->trunk;
    for (int k = group->dof_count - 1; k >= 0; k--) {
        V* row = &m[entry(k, 0)];
        const int up = group->dofs[k].up;
        const V d = v_set(1.0) / v_sqrt(v_max(row[k], v_set(MIN_PIVOT)));
        row[k] = d;
        for (int i = up; i >= 0; i = group->dofs[i].up) {
            row[i] = row[i] * d;
        }
        for (int i = up; i >= 0; i = group->dofs[i].up) {
            V* other = &m[entry(i, 0)];
            for (int j = i; j >= 0; j = group->dofs[j].up) {
                other[j] = v_fnma(row[i], row[j], other[j]);
            }
        }
    }
}

// Solves for the steps of the trunk.
static inline void solve_trunk(const BodyGroup* group, Lanes* lanes) {
    const V* m = lanes->trunk;
    V* b = lanes->side;
    for (int k = group->dof_count - 1; k >= 0; k--) {
        const V* row = &m[entry(k, 0)];
        b[k] = b[k] * row[k];
        for (int i = group->dofs[k].up; i >= 0; i = group->dofs[i].up) {
            b[i] = v_fnma(row[i], b[k], b[i]);
        }
    }
    for (int k = 0; k < group->dof_count; k++) {
        const V* row = &m[entry(k, 0)];
        V s = b[k];
        for (int i = group->dofs[k].up; i >= 0; i = group->dofs[i].up) {
            s = v_fnma(row[i], b[i], s);
        }
        b[k] = s * row[k];
    }
}

static void eliminate(const BodyProblem* problem, V lambda, Lanes* lanes) {
    const BodyGroup* group = problem->group;
    for (int d = 0; d < group->dof_count; d++) {
        V* row = &lanes->trunk[entry(d, 0)];
        for (int i = 0; i < d; i++) {
            row[i] = v_set(0.0);
        }
        row[d] = v_set(1.0);
        lanes->side[d] = v_set(0.0);
    }
    for (int t = 0; t < group->tip_count; t++) {
        if (row_count(&problem->targets[t]) == 6) {
            eliminate_tip(problem, t, lambda, 6, lanes);
        } else {
            eliminate_tip(problem, t, lambda, 3, lanes);
        }
    }
    factorise_trunk(group, lanes);
    solve_trunk(group, lanes);
}

// -------------------------------------------------------------------- rows that join several limbs

// Computes the steps of all joints, by slot, from the trunk's steps and the errors of the tips.
static void gather_steps(const BodyProblem* problem, V (*errors)[6], Lanes* lanes, V* steps) {
    const BodyGroup* group = problem->group;
    for (int d = 0; d < group->dof_count; d++) {
        steps[group->slots[group->dofs[d].joint] + group->dofs[d].axis] = lanes->side[d];
    }
    for (int t = 0; t < group->tip_count; t++) {
        const BodyPart* part = &group->parts[group->tips[t].part];
        if (!group->tips[t].limb) {
            continue;
        }
        const Rows y =
            tip_multipliers(problem, t, row_count(&problem->targets[t]), errors[t], lanes);
        for (int i = part->begin; i < part->end; i++) {
            V* step = &steps[group->slots[i]];
            if (group->joints[i].kind == CHAIN_BALL) {
                const V3 turn = ball_dot(&lanes->at, i, y);
                step[0] = v3_x(turn);
                step[1] = v3_y(turn);
                step[2] = v3_z(turn);
            } else {
                step[0] = column_dot(&lanes->at, i, y);
            }
        }
    }
}

// Computes the steps of all joints, by slot, for other errors of the tips, by the same factors.
static void solve_again(const BodyProblem* problem, V (*errors)[6], Lanes* lanes, V* steps) {
    const BodyGroup* group = problem->group;
    for (int d = 0; d < group->dof_count; d++) {
        lanes->side[d] = v_set(0.0);
    }
    for (int t = 0; t < group->tip_count; t++) {
        const BodyTip* tip = &group->tips[t];
        const BodyTarget* target = &problem->targets[t];
        const int count = row_count(target);
        V v[6];
        memcpy(v, errors[t], sizeof v);
        solve_lower(lanes->factor[t], count, v);
        for (int i = 0; i < tip->trunk_count; i++) {
            V w[6];
            const int d = tip->trunk[i];
            to_rows(target, trunk_column(group, lanes, d, lanes->places[t]), w);
            solve_lower(lanes->factor[t], count, w);
            lanes->side[d] = lanes->side[d] + dot_rows(w, v, count);
        }
    }
    solve_trunk(group, lanes);
    gather_steps(problem, errors, lanes, steps);
}

// Computes how the tips move if all joints take `steps`.
static void move_tips(const BodyProblem* problem, const Lanes* lanes, const V* steps,
                      V (*rows)[6]) {
    const BodyGroup* group = problem->group;
    for (int t = 0; t < group->tip_count; t++) {
        const BodyTip* tip = &group->tips[t];
        const BodyPart* part = &group->parts[tip->part];
        Rows sum = {v3_zero(), v3_zero()};
        for (int i = part->begin; tip->limb && i < part->end; i++) {
            const V* step = &steps[group->slots[i]];
            if (group->joints[i].kind == CHAIN_BALL) {
                const V3 turn = v3(step[0], step[1], step[2]);
                sum.linear = v3_add(sum.linear, v3_cross(turn, v3_load(lanes->at.linear[i])));
                sum.angular = v3_add(sum.angular, turn);
            } else {
                const Rows column = column_of(&lanes->at, i);
                sum.linear = v3_fma(step[0], column.linear, sum.linear);
                sum.angular = v3_fma(step[0], column.angular, sum.angular);
            }
        }
        for (int i = 0; i < tip->trunk_count; i++) {
            const BodyDof* dof = &group->dofs[tip->trunk[i]];
            const V step = steps[group->slots[dof->joint] + dof->axis];
            const Rows column = trunk_column(group, lanes, tip->trunk[i], lanes->places[t]);
            sum.linear = v3_fma(step, column.linear, sum.linear);
            sum.angular = v3_fma(step, column.angular, sum.angular);
        }
        to_rows(&problem->targets[t], sum, rows[t]);
    }
}

static inline V dot_slots(const BodyGroup* group, const V* a, const V* b) {
    V sum = v_set(0.0);
    for (int s = 0; s < group->slot_count; s++) {
        sum = v_fma(a[s], b[s], sum);
    }
    return sum;
}

// Solves (D P D^T + lambda I) m = m in place; `a` is the matrix.
static void solve_dense(int rows, V* a, V* m) {
    for (int j = 0; j < rows; j++) {
        V d = a[entry(j, j)];
        for (int k = 0; k < j; k++) {
            d = v_fnma(a[entry(j, k)], a[entry(j, k)], d);
        }
        d = v_set(1.0) / v_sqrt(v_max(d, v_set(MIN_PIVOT)));
        a[entry(j, j)] = d;
        for (int i = j + 1; i < rows; i++) {
            V s = a[entry(i, j)];
            for (int k = 0; k < j; k++) {
                s = v_fnma(a[entry(i, k)], a[entry(j, k)], s);
            }
            a[entry(i, j)] = s * d;
        }
    }
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < i; k++) {
            m[i] = v_fnma(a[entry(i, k)], m[k], m[i]);
        }
        m[i] = m[i] * a[entry(i, i)];
    }
    for (int i = rows - 1; i >= 0; i--) {
        for (int k = i + 1; k < rows; k++) {
            m[i] = v_fnma(a[entry(k, i)], m[k], m[i]);
        }
        m[i] = m[i] * a[entry(i, i)];
    }
}

// Computes the steps of all joints, including the rows that join limbs (body_dense.h).
static void find_dense_steps(const BodyProblem* problem, V lambda, Lanes* lanes) {
    const BodyGroup* group = problem->group;
    const int rows = lanes->dense_count;
    V* steps = lanes->dense_steps;
    V multipliers[BODY_MOST_DENSE];
    V moved[BODY_MOST_TIPS][6];
    V free[POISE_BODY_MOST_DOF];
    gather_steps(problem, lanes->rows, lanes, steps);
    for (int r = 0; r < rows; r++) {
        multipliers[r] = lanes->dense_rows[r] - dot_slots(group, lanes->dense[r], steps);
    }
    for (int r = 0; r < rows; r++) {
        move_tips(problem, lanes, lanes->dense[r], moved);
        solve_again(problem, moved, lanes, free);
        for (int s = 0; s < group->slot_count; s++) {
            free[s] = lanes->dense[r][s] - free[s];
        }
        for (int k = 0; k <= r; k++) {
            lanes->dense_matrix[entry(r, k)] = dot_slots(group, lanes->dense[k], free);
        }
        V* diagonal = &lanes->dense_matrix[entry(r, r)];
        *diagonal = *diagonal + lambda;
    }
    solve_dense(rows, lanes->dense_matrix, multipliers);
    // P D^T m is D^T m minus the step that moves the tips of J as D^T m does
    for (int s = 0; s < group->slot_count; s++) {
        free[s] = v_set(0.0);
        for (int r = 0; r < rows; r++) {
            free[s] = v_fma(multipliers[r], lanes->dense[r][s], free[s]);
        }
    }
    move_tips(problem, lanes, free, moved);
    for (int t = 0; t < group->tip_count; t++) {
        for (int k = 0; k < row_count(&problem->targets[t]); k++) {
            moved[t][k] = lanes->rows[t][k] - moved[t][k];
        }
    }
    solve_again(problem, moved, lanes, steps);
    for (int s = 0; s < group->slot_count; s++) {
        steps[s] = steps[s] + free[s];
    }
}

// ------------------------------------------------------------------------------------------ limits

// Returns minus the derivative of half the squared error by degree of freedom d of the trunk.
static inline V trunk_gradient(const BodyProblem* problem, const Lanes* lanes, int d) {
    const BodyGroup* group = problem->group;
    const BodyDof* dof = &group->dofs[d];
    V sum = dense_gradient(lanes, group->slots[dof->joint] + dof->axis);
    for (int t = 0; t < group->tip_count; t++) {
        if (trunk_moves(&group->tips[t], d)) {
            const Rows column = trunk_column(group, lanes, d, lanes->places[t]);
            const Rows pull = from_rows(&problem->targets[t], lanes->rows[t]);
            sum = sum + v3_dot2(column.linear, pull.linear, column.angular, pull.angular);
        }
    }
    return sum;
}

// Returns minus the derivative of half the squared error with respect to joint i of a limb.
static inline V limb_gradient(const BodyProblem* problem, const Lanes* lanes, int tip, int i) {
    const Rows pull = from_rows(&problem->targets[tip], lanes->rows[tip]);
    return column_dot(&lanes->at, i, pull) + dense_gradient(lanes, problem->group->slots[i]);
}

// Returns the lanes in which joint i is on a limit and the gradient pushes it beyond.
static inline M pressed_lanes(const ChainJoint* joint, V q, V gradient) {
    const V zero = v_set(0.0);
    return m_or(m_and(v_ge(v_set(joint->lower), q), v_lt(gradient, zero)),
                m_and(v_ge(q, v_set(joint->upper)), v_lt(zero, gradient)));
}

static inline bool is_on_limit(const ChainJoint* joint, V q) {
    return m_bits(m_or(v_ge(v_set(joint->lower), q), v_ge(q, v_set(joint->upper)))) != 0;
}

// Sets the column of joint i to 0 in the lanes of `mask`.
static inline void drop_joint(const BodyGroup* group, int i, M mask, Lanes* lanes) {
    drop_column(&lanes->at, i, mask);
    drop_dense(group->slots[i], mask, v_set(0.0), lanes);
}

// Sets to 0 the columns of joints on a limit that the gradient pushes beyond it.
static inline void drop_pressed_joints(const BodyProblem* problem, Lanes* lanes) {
    const BodyGroup* group = problem->group;
    Iterate* at = &lanes->at;
    for (int p = 0; p < group->part_count; p++) {
        const int tip = group->parts[p].tip;
        const int end = tip >= 0 ? group->parts[p].end : 0;
        for (int i = group->parts[p].begin; i < end; i++) {
            const ChainJoint* joint = &group->joints[i];
            const V q = v_load(at->q[i]);
            v_store(at->fixed[i], v_set(0.0));
            if (joint->kind != CHAIN_BALL && is_on_limit(joint, q)) {
                const V gradient = limb_gradient(problem, lanes, tip, i);
                drop_joint(group, i, pressed_lanes(joint, q, gradient), lanes);
            }
        }
    }
    for (int d = 0; d < group->dof_count; d++) {
        const int i = group->dofs[d].joint;
        const V q = v_load(at->q[i]);
        v_store(at->fixed[i], v_set(0.0));
        if (group->joints[i].kind != CHAIN_BALL && is_on_limit(&group->joints[i], q)) {
            const V gradient = trunk_gradient(problem, lanes, d);
            drop_joint(group, i, pressed_lanes(&group->joints[i], q, gradient), lanes);
        }
    }
}

// Computes the coordinate of joint i after a step. Returns the lanes where it leaves the range.
static inline M find_end(const ChainJoint* joint, Iterate* at, int i, V step) {
    const V lower = v_set(joint->lower);
    const V upper = v_set(joint->upper);
    const V end = v_load(at->q[i]) + (v_load(at->fixed[i]) + step);
    v_store(at->end[i], v_min(v_max(end, lower), upper));
    return m_or(v_lt(end, lower), v_lt(upper, end));
}

// Subtracts the motion of a column from the rows of a tip.
static inline void subtract_motion(const BodyTarget* target, Rows column, V step, V rows[6]) {
    V moved[6];
    to_rows(target, column, moved);
    for (int k = 0; k < row_count(target); k++) {
        rows[k] = v_fnma(step, moved[k], rows[k]);
    }
}

// Lets the step of joint i end at its limit in the lanes of `out`, and sets its column to 0.
// `motion` is this step, 0 in other lanes.
static inline void fix_step(const BodyGroup* group, int i, M out, V motion, Lanes* lanes) {
    Iterate* at = &lanes->at;
    const V step = v_load(at->end[i]) - v_load(at->q[i]);
    drop_column(at, i, out);
    drop_dense(group->slots[i], out, motion, lanes);
    v_store(at->fixed[i], v_select(out, step, v_load(at->fixed[i])));
}

// Returns the distance of joint i to the end of its range in the lanes of `out`, else 0.
static inline V motion_to_end(const Iterate* at, int i, M out) {
    return v_select(out, v_load(at->end[i]) - v_load(at->q[i]), v_set(0.0));
}

// Stops joint i of a limb at the end of its range in the lanes of `out`.
static inline void stop_limb(const BodyProblem* problem, int tip, int i, M out, Lanes* lanes) {
    const V motion = motion_to_end(&lanes->at, i, out);
    lanes->stale |= (uint64_t)1 << tip;
    subtract_motion(&problem->targets[tip], column_of(&lanes->at, i), motion, lanes->rows[tip]);
    fix_step(problem->group, i, out, motion, lanes);
}

// Stops a degree of freedom of the trunk at the end of its range in the lanes of `out`.
static inline void stop_trunk(const BodyProblem* problem, int d, M out, Lanes* lanes) {
    const BodyGroup* group = problem->group;
    const int i = group->dofs[d].joint;
    const V motion = motion_to_end(&lanes->at, i, out);
    for (int t = 0; t < group->tip_count; t++) {
        if (trunk_moves(&group->tips[t], d)) {
            subtract_motion(&problem->targets[t], trunk_column(group, lanes, d, lanes->places[t]),
                            motion, lanes->rows[t]);
        }
    }
    fix_step(group, i, out, motion, lanes);
}

// Returns the step of a degree of freedom of the trunk.
static inline V trunk_step(const BodyGroup* group, const Lanes* lanes, int d) {
    const BodyDof* dof = &group->dofs[d];
    return poise__group_is_joined(group) ? lanes->dense_steps[group->slots[dof->joint] + dof->axis]
                                         : lanes->side[d];
}

// Computes the steps of all joints; joints that would leave their range stop at its end. Returns
// the lanes with such joints, as bits.
static unsigned find_body_ends(const BodyProblem* problem, Rows y[BODY_MOST_TIPS], Lanes* lanes) {
    const BodyGroup* group = problem->group;
    Iterate* at = &lanes->at;
    const bool joined = poise__group_is_joined(group);
    unsigned stopped = 0;
    for (int t = 0; t < group->tip_count; t++) {
        y[t] = row_count(&problem->targets[t]) == 6
                   ? tip_multipliers(problem, t, 6, lanes->rows[t], lanes)
                   : tip_multipliers(problem, t, 3, lanes->rows[t], lanes);
    }
    for (int p = 0; p < group->part_count; p++) {
        const int tip = group->parts[p].tip;
        const int end = tip >= 0 ? group->parts[p].end : 0;
        for (int i = group->parts[p].begin; i < end; i++) {
            if (group->joints[i].kind != CHAIN_BALL) {
                const V step =
                    joined ? lanes->dense_steps[group->slots[i]] : column_dot(at, i, y[tip]);
                const M out = find_end(&group->joints[i], at, i, step);
                if (m_bits(out) != 0) {
                    stop_limb(problem, tip, i, out, lanes);
                    stopped |= m_bits(out);
                }
            }
        }
    }
    for (int d = 0; d < group->dof_count; d++) {
        const int i = group->dofs[d].joint;
        if (group->joints[i].kind != CHAIN_BALL) {
            const M out = find_end(&group->joints[i], at, i, trunk_step(group, lanes, d));
            if (m_bits(out) != 0) {
                stop_trunk(problem, d, out, lanes);
                stopped |= m_bits(out);
            }
        }
    }
    return stopped;
}

// ------------------------------------------------------------------------------------------ motion

// Moves the joint or ball that begins at joint i. `turn`: rotation of a ball. Returns the last
// joint that was moved.
static inline int move_to_end(const BodyGroup* group, int i, V3 turn, M hold, Iterate* at) {
    const ChainJoint* joint = &group->joints[i];
    if (joint->kind == CHAIN_BALL) {
        step_ball(at, joint, turn, hold);
    } else if (joint->kind == CHAIN_CONE) {
        step_cone(at, joint, i, m_bits(hold));
        return i + 2;
    } else {
        const V q = v_load(at->q[i]);
        v_store(at->q[i], v_select(hold, q, v_load(at->end[i])));
    }
    return i;
}

static void apply_body_steps(const BodyGroup* group, Rows y[BODY_MOST_TIPS], M hold, Lanes* lanes) {
    Iterate* at = &lanes->at;
    for (int p = 0; p < group->part_count; p++) {
        const int tip = group->parts[p].tip;
        const int end = tip >= 0 ? group->parts[p].end : 0;
        for (int i = group->parts[p].begin; i < end; i++) {
            V3 turn = v3_zero();
            if (group->joints[i].kind == CHAIN_BALL) {
                const V* step = &lanes->dense_steps[group->slots[i]];
                turn = poise__group_is_joined(group) ? v3(step[0], step[1], step[2])
                                                     : ball_dot(at, i, y[tip]);
            }
            i = move_to_end(group, i, turn, hold, at);
        }
    }
    for (int d = 0; d < group->dof_count; d++) {
        const int i = group->dofs[d].joint;
        const ChainKind kind = group->joints[i].kind;
        const bool ball = kind == CHAIN_BALL;
        const V3 turn = ball ? v3(trunk_step(group, lanes, d), trunk_step(group, lanes, d + 1),
                                  trunk_step(group, lanes, d + 2))
                             : v3_zero();
        // `last` counts joints, this loop counts degrees of freedom
        const int last = move_to_end(group, i, turn, hold, at);
        d += ball ? 2 : last - i;
    }
}

/// Makes one step after find_errors and find_body_columns. Lanes of `hold` keep their posture.
static void take_body_step(const BodyProblem* problem, V lambda, M hold, Lanes* lanes) {
    const BodyGroup* group = problem->group;
    Rows y[BODY_MOST_TIPS];
    lambda = lambda + v_set(MIN_LAMBDA);
    for (int t = 0; t < group->tip_count; t++) {
        to_rows(&problem->targets[t], lanes->errors[t], lanes->rows[t]);
    }
    drop_pressed_joints(problem, lanes);
    lanes->stale = ~(uint64_t)0;
    for (int round = 0; round < 2; round++) {
        eliminate(problem, lambda, lanes);
        lanes->stale = 0;
        if (poise__group_is_joined(group)) {
            find_dense_steps(problem, lambda, lanes);
        }
        if ((find_body_ends(problem, y, lanes) & lanes->at.leading) == 0) {
            break;
        }
    }
    apply_body_steps(group, y, hold, lanes);
}

#endif
