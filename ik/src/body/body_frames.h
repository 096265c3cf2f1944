// SPDX-License-Identifier: MIT
// Kinematics of a group in all lanes: frames of the parts, errors of the tips, columns of J.
// Columns of a limb refer to the position of its tip, those of the trunk to the origin of the
// group, because several tips use them.
#ifndef POISE_BODY_FRAMES_H
#define POISE_BODY_FRAMES_H

#include "body.h"

#define LANE_MOST_JOINTS BODY_MOST_JOINTS
#define LANE_MOST_BALLS  BODY_MOST_BALLS
#define LANE_MOST_Q      BODY_MOST_Q
#include "lane_step.h"

// rad^2 or units^2; a coupling is met if its squared error is at most this
#define JOIN_TOLERANCE2 1e-24

/// The state of all lanes at one iteration.
typedef struct Lanes {
    Iterate at;
    Frame ends[BODY_MOST_PARTS]; ///< last frame of each part
    V3 places[BODY_MOST_TIPS];   ///< position of each tip
    Rows errors[BODY_MOST_TIPS]; ///< error of each tip, along the axes of the group
    V rows[BODY_MOST_TIPS][6]; ///< errors that remain after the steps of joints that stop at limits
    V factor[BODY_MOST_TIPS][6][6]; ///< Cholesky factor of J J^T + lambda I of each limb
    uint64_t stale;                 ///< bit t is set if the factor of tip t is out of date
    V tip_error2[BODY_MOST_TIPS];   ///< weighted squared error of each tip
    V error2;                       ///< sum of tip_error2
    M met;                          ///< lanes whose targets are all met
    V trunk[BODY_TRUNK_SIZE];       ///< matrix of the trunk, then its factor
    V side[BODY_MOST_TRUNK];        ///< right-hand side of the trunk, then its steps
    // only for rows that join limbs (body_dense.h)
    int dense_count;                           ///< number of rows that join limbs
    V3 goals[BODY_MOST_TIPS];                  ///< position of the target of each tip
    double moments[BODY_MOST_JOINTS][V3_SIZE]; ///< by joint: first moment of the mass that it moves
    V dense[BODY_MOST_DENSE][POISE_BODY_MOST_DOF]; ///< rows that join limbs, by row and slot
    /// Errors that remain after the steps of joints that stop at limits.
    V dense_rows[BODY_MOST_DENSE];
    V dense_steps[POISE_BODY_MOST_DOF]; ///< by slot: steps of all joints
    V dense_matrix[BODY_MOST_DENSE * (BODY_MOST_DENSE + 1) / 2];
} Lanes;

/// A joint and, for a ball, one of its axes.
typedef struct JointSlot {
    int joint;
    int axis;
} JointSlot;

static inline int row_count(const BodyTarget* target) {
    return target->goal == POISE_BODY_POSE ? 6 : 3;
}

// Writes the active rows of a column or an error: components along the axes of the rows, times the
// square roots of the weights.
static inline void to_rows(const BodyTarget* target, Rows world, V rows[6]) {
    const int first = target->goal == POISE_BODY_ORIENTATION ? 1 : 0;
    const int last = target->goal == POISE_BODY_POSITION ? 0 : 1;
    for (int part = first; part <= last; part++) {
        const V3 v = part == 0 ? world.linear : world.angular;
        V* out = rows + 3 * (part - first);
        out[0] = v3_x(v);
        out[1] = v3_y(v);
        out[2] = v3_z(v);
        for (int k = 0; target->weighted && k < 3; k++) {
            const double* axis = &target->axes[3 * k];
            const V along = v3_dot(v, v3(v_set(axis[0]), v_set(axis[1]), v_set(axis[2])));
            out[k] = v_set(target->weights[3 * part + k]) * along;
        }
    }
}

// Returns the transpose of to_rows times `rows`.
static inline Rows from_rows(const BodyTarget* target, const V rows[6]) {
    Rows world = {v3_zero(), v3_zero()};
    const int first = target->goal == POISE_BODY_ORIENTATION ? 1 : 0;
    const int last = target->goal == POISE_BODY_POSITION ? 0 : 1;
    for (int part = first; part <= last; part++) {
        const V* in = rows + 3 * (part - first);
        V3 v = v3(in[0], in[1], in[2]);
        if (target->weighted) {
            v = v3_zero();
            for (int k = 0; k < 3; k++) {
                const double* axis = &target->axes[3 * k];
                const V scaled = v_set(target->weights[3 * part + k]) * in[k];
                v = v3_fma(scaled, v3(v_set(axis[0]), v_set(axis[1]), v_set(axis[2])), v);
            }
        }
        if (part == 0) {
            world.linear = v;
        } else {
            world.angular = v;
        }
    }
    return world;
}

// ------------------------------------------------------------------------------------------ frames

static inline Frame part_start(const BodyPart* part, const Lanes* lanes) {
    const V zero = v_set(0.0);
    const V one = v_set(1.0);
    Frame f = {v3(one, zero, zero), v3(zero, one, zero), v3(zero, zero, one), v3_zero()};
    if (part->parent < 0 && part->begin == 0) {
        return f;
    }
    if (part->parent >= 0) {
        f = lanes->ends[part->parent];
    }
    f.p = v3_fma(v_set(part->start[0]), f.x, f.p);
    f.p = v3_fma(v_set(part->start[1]), f.y, f.p);
    f.p = v3_fma(v_set(part->start[2]), f.z, f.p);
    if (!part->plain) {
        V m[9];
        for (int k = 0; k < 9; k++) {
            m[k] = v_set(part->turn[k]);
        }
        turn_by_matrix(&f, m);
    }
    return f;
}

// Computes the first moment of the links that joint i moves but the next joint does not. A cone has
// the joints `first` to `i`.
static inline void find_own_moment(const BodyGroup* group, int first, int i, const Frame* f,
                                   Lanes* lanes) {
    const BodyMass* mass = &group->masses[i];
    V3 moment = v3_scale(v_set(mass->mass), f->p);
    moment = v3_fma(v_set(mass->moment[0]), f->x, moment);
    moment = v3_fma(v_set(mass->moment[1]), f->y, moment);
    moment = v3_fma(v_set(mass->moment[2]), f->z, moment);
    for (int k = first; k < i; k++) {
        v3_store(lanes->moments[k], v3_zero());
    }
    v3_store(lanes->moments[i], moment);
}

static inline void find_part(const BodyGroup* group, int p, Lanes* lanes) {
    const BodyPart* part = &group->parts[p];
    const int begin = part->begin;
    const int end = part->end;
    const bool has_centre = group->centre >= 0;
    Iterate* at = &lanes->at;
    Frame f = part_start(part, lanes);
    for (int i = begin; i < end; i++) {
        if (group->joints[i].kind == CHAIN_HINGE) {
            V s;
            V c;
            v_sine_cosine(v_load(at->q[i]), &s, &c);
            v_store(at->sine[i], s);
            v_store(at->cosine[i], c);
        }
    }
    for (int i = begin; i < end; i++) {
        const int first = i;
        i = move_joint(group->joints, i, at, &f);
        if (has_centre) {
            find_own_moment(group, first, i, &f, lanes);
        }
    }
    lanes->ends[p] = f;
}

/// Computes the frames of all parts of the trunk, or those of all limbs if `limbs`.
static void find_parts(const BodyGroup* group, bool limbs, Lanes* lanes) {
    if (!limbs) {
        follow_leaders(group->ties, group->tie_count, &lanes->at);
    }
    for (int p = 0; p < group->part_count; p++) {
        if ((group->parts[p].tip >= 0) == limbs) {
            find_part(group, p, lanes);
        }
    }
}

// ------------------------------------------------------------------------------------------ errors

static inline Frame frame_of(const ChainTarget* target) {
    const double* m = target->matrix;
    const double* p = target->position;
    const Frame f = {
        v3(v_set(m[0]), v_set(m[3]), v_set(m[6])), v3(v_set(m[1]), v_set(m[4]), v_set(m[7])),
        v3(v_set(m[2]), v_set(m[5]), v_set(m[8])), v3(v_set(p[0]), v_set(p[1]), v_set(p[2]))};
    return f;
}

// Returns the squared length of an error in the active rows.
static inline V square_of(const BodyTarget* target, int part, V3 v) {
    if (!target->weighted) {
        return v3_dot(v, v);
    }
    V sum = v_set(0.0);
    for (int k = 0; k < 3; k++) {
        const double* axis = &target->axes[3 * k];
        if (target->weights[3 * part + k] > 0.0) {
            const V along = v3_dot(v, v3(v_set(axis[0]), v_set(axis[1]), v_set(axis[2])));
            sum = v_fma(along, along, sum);
        }
    }
    return sum;
}

// Rotates an error or a column from world axes to the axes of a frame.
static inline Rows to_frame(const Frame* f, Rows world) {
    const Rows local = {
        v3(v3_dot(f->x, world.linear), v3_dot(f->y, world.linear), v3_dot(f->z, world.linear)),
        v3(v3_dot(f->x, world.angular), v3_dot(f->y, world.angular), v3_dot(f->z, world.angular))};
    return local;
}

// Rotates a vector from the axes of a frame to world axes.
static inline V3 from_frame(const Frame* f, V3 a) {
    return v3_fma(v3_z(a), f->z, v3_fma(v3_y(a), f->y, v3_scale(v3_x(a), f->x)));
}

// Returns the frame `in`, given relative to f, in the frame that f is in.
static inline Frame carried_frame(const Frame* f, const Frame* in) {
    const Frame out = {from_frame(f, in->x), from_frame(f, in->y), from_frame(f, in->z),
                       v3_add(f->p, from_frame(f, in->p))};
    return out;
}

// Adds the moments of carried links to those of the joints, from the tips to the base. Returns the
// centre of mass.
static inline V3 find_centre(const BodyGroup* group, Lanes* lanes) {
    V3 sums[BODY_MOST_PARTS];
    V3 centre = v3(v_set(group->still[0]), v_set(group->still[1]), v_set(group->still[2]));
    for (int p = 0; p < group->part_count; p++) {
        sums[p] = v3_zero();
    }
    for (int p = group->part_count - 1; p >= 0; p--) {
        const BodyPart* part = &group->parts[p];
        for (int i = part->end - 1; i >= part->begin; i--) {
            sums[p] = v3_add(sums[p], v3_load(lanes->moments[i]));
            v3_store(lanes->moments[i], sums[p]);
        }
        if (part->parent < 0) {
            centre = v3_add(centre, sums[p]);
        } else {
            sums[part->parent] = v3_add(sums[part->parent], sums[p]);
        }
    }
    return centre;
}

// Returns the error of a coupling.
static inline V join_error(const BodyJoin* join, const Iterate* at) {
    return v_fma(v_set(join->ratio), v_load(at->q[join->leader]),
                 v_set(join->offset) - v_load(at->q[join->joint]));
}

// Returns the error of tip t, along the axes in which its target is given.
static inline Rows find_tip_error(const BodyProblem* problem, int t, Lanes* lanes) {
    const BodyTip* tip = &problem->group->tips[t];
    const BodyTarget* target = &problem->targets[t];
    Rows error = {v3_zero(), v3_zero()};
    Frame goal = frame_of(&target->target);
    if (tip->kind == BODY_TIP_CENTRE) {
        error.linear = v3_sub(goal.p, find_centre(problem->group, lanes));
        return error;
    }
    const Frame* f = &lanes->ends[tip->part];
    V3 place = f->p;
    if (!tip->limb) {
        place = v3_fma(v_set(tip->arm[0]), f->x, place);
        place = v3_fma(v_set(tip->arm[1]), f->y, place);
        place = v3_fma(v_set(tip->arm[2]), f->z, place);
    }
    if (tip->kind == BODY_TIP_FRAME) {
        goal = carried_frame(&lanes->ends[tip->other], &goal);
        lanes->goals[t] = goal.p;
    }
    if (target->goal != POISE_BODY_ORIENTATION) {
        error.linear = v3_sub(goal.p, place);
    }
    if (target->goal != POISE_BODY_POSITION) {
        error.angular = find_chord(&goal, f);
    }
    lanes->places[t] = place;
    return tip->kind == BODY_TIP_FRAME ? to_frame(&lanes->ends[tip->other], error) : error;
}

/// Computes the errors of all tips.
static void find_errors(const BodyProblem* problem, Lanes* lanes) {
    const BodyGroup* group = problem->group;
    const V position2 = v_set(problem->position_tolerance2);
    const V angle2 = v_set(problem->angle_tolerance2);
    const V zero = v_set(0.0);
    lanes->error2 = zero;
    lanes->met = v_ge(zero, zero);
    for (int t = 0; t < group->tip_count + group->dense_count; t++) {
        const BodyTarget* target = &problem->targets[t];
        const Rows error = find_tip_error(problem, t, lanes);
        V rows[6];
        lanes->errors[t] = error;
        const M met = m_and(v_lt(square_of(target, 0, error.linear), position2),
                            v_lt(square_of(target, 1, error.angular), angle2));
        lanes->met = m_and(lanes->met, met);
        to_rows(target, error, rows);
        V sum = rows[0] * rows[0];
        for (int k = 1; k < row_count(target); k++) {
            sum = v_fma(rows[k], rows[k], sum);
        }
        lanes->tip_error2[t] = sum;
        lanes->error2 = lanes->error2 + sum;
    }
    for (int k = 0; k < group->join_count; k++) {
        const V error = join_error(&group->joins[k], &lanes->at);
        lanes->met = m_and(lanes->met, v_lt(error * error, v_set(JOIN_TOLERANCE2)));
        lanes->error2 = v_fma(error, error, lanes->error2);
    }
}

#endif
