// SPDX-License-Identifier: MIT
// Adds rows that join several limbs, in all lanes: a tip in the frame of another link, a centre of
// mass, coupled joints of two limbs. D is the matrix of these rows and e their errors; J and v are
// those of all other tips. The step is
//
//     q = q0 + P D^T m,   (D P D^T + lambda I) m = e - D q0,
//
// where q0 = J^T (J J^T + lambda I)^-1 v is the step without D. P = I - J^T (J J^T + lambda I)^-1 J
// removes the part of a step that moves the other tips. body_step.h has already factored J J^T +
// lambda I, so a row costs one solve.
//
// Columns of D are called slots: a joint has one, a ball three, about the axes of the group.
#ifndef POISE_BODY_DENSE_H
#define POISE_BODY_DENSE_H

#include "body_frames.h"

// Returns the column of joint i for a point at `place`. `axis`: 0 to 2, of a ball.
static inline Rows joint_column(const Iterate* at, ChainKind kind, int i, int axis, V3 place) {
    Rows column;
    const V3 origin = v3_load(at->linear[i]);
    if (kind == CHAIN_SLIDER) {
        column.angular = v3_zero();
        column.linear = v3_load(at->axis[i]);
    } else {
        column.angular = kind == CHAIN_BALL
                             ? v3(v_set(axis == 0), v_set(axis == 1), v_set(axis == 2))
                             : v3_load(at->axis[i]);
        column.linear = v3_cross(column.angular, v3_sub(place, origin));
    }
    return column;
}

// Returns the column of a joint for tip t, whose rows join limbs.
static inline Rows dense_column(const BodyProblem* problem, const Lanes* lanes, int t, int p,
                                JointSlot at) {
    const BodyGroup* group = problem->group;
    const BodyTip* tip = &group->tips[t];
    const ChainKind kind = group->joints[at.joint].kind;
    Rows column = {v3_zero(), v3_zero()};
    if (tip->kind == BODY_TIP_CENTRE) {
        const V mass = v_set(group->carried[at.joint]);
        if (kind == CHAIN_SLIDER) {
            column.linear = v3_scale(mass, v3_load(lanes->at.axis[at.joint]));
        } else {
            const V3 moment = v3_sub(v3_load(lanes->moments[at.joint]),
                                     v3_scale(mass, v3_load(lanes->at.linear[at.joint])));
            const V3 axis = kind == CHAIN_BALL
                                ? v3(v_set(at.axis == 0), v_set(at.axis == 1), v_set(at.axis == 2))
                                : v3_load(lanes->at.axis[at.joint]);
            column.linear = v3_cross(axis, moment);
        }
        return column;
    }
    if ((tip->part_bits >> p & 1) != 0) {
        column = joint_column(&lanes->at, kind, at.joint, at.axis, lanes->places[t]);
    }
    if ((tip->other_bits >> p & 1) != 0) {
        const Rows goal = joint_column(&lanes->at, kind, at.joint, at.axis, lanes->goals[t]);
        column.linear = v3_sub(column.linear, goal.linear);
        column.angular = v3_sub(column.angular, goal.angular);
    }
    return to_frame(&lanes->ends[tip->other], column);
}

// Adds the columns of followers to those of their leaders, then sets them to 0.
static inline void join_followers(const BodyGroup* group, Lanes* lanes) {
    for (int k = 0; k < group->tie_count; k++) {
        const ChainTie* tie = &group->ties[k];
        const int from = group->slots[tie->joint];
        const int to = group->slots[tie->leader];
        for (int r = 0; r < lanes->dense_count; r++) {
            V* row = lanes->dense[r];
            row[to] = v_fma(v_set(tie->ratio), row[from], row[to]);
            row[from] = v_set(0.0);
        }
    }
}

/// Computes D and e from the errors of the tips. Must run before find_body_columns, which
/// overwrites the joints' origins.
static void find_dense_columns(const BodyProblem* problem, Lanes* lanes) {
    const BodyGroup* group = problem->group;
    int row = 0;
    for (int t = group->tip_count; t < group->tip_count + group->dense_count; t++) {
        const BodyTarget* target = &problem->targets[t];
        for (int p = 0; p < group->part_count; p++) {
            for (int i = group->parts[p].begin; i < group->parts[p].end; i++) {
                const int axes = group->joints[i].kind == CHAIN_BALL ? 3 : 1;
                for (int k = 0; k < axes; k++) {
                    V rows[6];
                    to_rows(target, dense_column(problem, lanes, t, p, (JointSlot){i, k}), rows);
                    for (int r = 0; r < row_count(target); r++) {
                        lanes->dense[row + r][group->slots[i] + k] = rows[r];
                    }
                }
            }
        }
        to_rows(target, lanes->errors[t], &lanes->dense_rows[row]);
        row += row_count(target);
    }
    for (int k = 0; k < group->join_count; k++, row++) {
        const BodyJoin* join = &group->joins[k];
        lanes->dense_rows[row] = join_error(join, &lanes->at);
        for (int s = 0; s < group->slot_count; s++) {
            lanes->dense[row][s] = v_set(0.0);
        }
        lanes->dense[row][group->slots[join->joint]] = v_set(1.0);
        lanes->dense[row][group->slots[join->leader]] = v_set(-join->ratio);
    }
    lanes->dense_count = row;
    join_followers(group, lanes);
}

/// Returns minus the derivative of half the squared error of D's rows with respect to a slot.
static inline V dense_gradient(const Lanes* lanes, int slot) {
    V sum = v_set(0.0);
    for (int r = 0; r < lanes->dense_count; r++) {
        sum = v_fma(lanes->dense[r][slot], lanes->dense_rows[r], sum);
    }
    return sum;
}

/// Sets a column of D to 0 in the lanes of `mask`, and subtracts its motion from the errors.
static inline void drop_dense(int slot, M mask, V motion, Lanes* lanes) {
    for (int r = 0; r < lanes->dense_count; r++) {
        V* entry = &lanes->dense[r][slot];
        lanes->dense_rows[r] = v_fnma(motion, *entry, lanes->dense_rows[r]);
        *entry = v_clear(mask, *entry);
    }
}

#endif
