// SPDX-License-Identifier: MIT
// The later stages of an iteration in all lanes: J, J J^T, the step inside the ranges. After
// chain_lanes.h; chain_drive.h, which decides what the lanes work on, and chain_step.h take it from
// here.
#ifndef POISE_CHAIN_NEWTON_H
#define POISE_CHAIN_NEWTON_H

#include "chain_lanes.h"

// lambda has a part of trace(J J^T), which keeps the pivots above rounding
#define TRACE_PART 1e-13

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
        if (kind != CHAIN_SLIDER) {
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

// where a joint's range ends for the lanes
static inline V lower_end(const PoiseChain* chain, Lanes* lanes, int i) {
    const V lower = v_set(chain->lowers[i]);
    if (chain->joints[i].kind != CHAIN_HINGE) {
        return lower;
    }
    return lower - v_load(lanes->slack);
}

static inline V upper_end(const PoiseChain* chain, Lanes* lanes, int i) {
    const V upper = v_set(chain->uppers[i]);
    if (chain->joints[i].kind != CHAIN_HINGE) {
        return upper;
    }
    return upper + v_load(lanes->slack);
}

// on a bound and pressed against it: out of the step from the first
static inline void drop_pressed(const PoiseChain* chain, Lanes* lanes, const V v[6]) {
    const V zero = v_set(0.0);
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind == CHAIN_BALL) {
            continue;
        }
        const V number = v_load(lanes->numbers[joint->value]);
        const M low = v_ge(lower_end(chain, lanes, i), number);
        const M high = v_ge(number, upper_end(chain, lanes, i));
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
        const V number = v_load(lanes->numbers[joint->value]);
        V step = v_load(lanes->fixed[i]) + column_dot(lanes, i, y);
        const V end = number + step;
        const V lower = lower_end(chain, lanes, i);
        const V upper = upper_end(chain, lanes, i);
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

// a cone turned by its three steps, lane by lane
static void step_cone(Lanes* lanes, const ChainJoint* joint, unsigned held) {
    for (int lane = 0; lane < CHAIN_LANES; lane++) {
        double q[4];
        double turn[3] = {0.0, 0.0, 0.0};
        if ((held >> lane & 1) != 0) {
            continue;
        }
        for (int j = 0; j < 3; j++) {
            for (int k = 0; k < 3; k++) {
                turn[k] +=
                    lanes->steps[joint->dof + j][lane] * lanes->turns[joint->ball][3 * j + k][lane];
            }
        }
        for (int k = 0; k < 4; k++) {
            q[k] = lanes->numbers[joint->slot + k][lane];
        }
        poise__chain_cone_turn(joint, turn, q);
        for (int k = 0; k < 4; k++) {
            lanes->numbers[joint->slot + k][lane] = q[k];
        }
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
        if (joint->kind == CHAIN_CONE) {
            step_cone(lanes, joint, m_bits(hold));
            i += 2;
            continue;
        }
        const V number = v_load(lanes->numbers[joint->slot]);
        const V end = number + v_load(lanes->steps[joint->dof]);
        const V inside = v_min(v_max(end, lower_end(chain, lanes, i)), upper_end(chain, lanes, i));
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
