// SPDX-License-Identifier: MIT
// Selects the best seeds of a chain for a target: takes cells near the target, and among their
// seeds those from which the joints move least.
#ifndef POISE_LANE_PICK_H
#define POISE_LANE_PICK_H

#include "chain.h"
#include "lane_vector.h"

/// The pose of the tip at the target, in all lanes, with weights of positions and rotations.
typedef struct Sought {
    V tip[CHAIN_TIP_SIZE];
    V position_weight;
    V rotation_weight;
} Sought;

/// Returns the target for a tip, given as a position in units and a quaternion.
static inline Sought sought_of(PoiseBodyGoal goal, const double tip[CHAIN_TIP_SIZE]) {
    Sought sought;
    for (int k = 0; k < CHAIN_TIP_SIZE; k++) {
        sought.tip[k] = v_set(tip[k]);
    }
    sought.position_weight = v_set(goal != POISE_BODY_ORIENTATION ? 1.0 : 0.0);
    sought.rotation_weight = v_set(goal != POISE_BODY_POSITION ? 4.0 : 0.0);
    return sought;
}

/// Returns distance^2 + (2 sin(angle / 2))^2 - 4 to a tip in each lane. Component k of the tips is
/// at tips + k * stride.
static inline V distance2_of(const Sought* sought, const double* tips, int stride) {
    V sum = v_set(0.0);
    V cosine = v_set(0.0);
    for (int k = 0; k < 3; k++) {
        const V off = v_load(tips + k * stride) - sought->tip[k];
        sum = v_fma(off, off, sum);
    }
    for (int k = 3; k < CHAIN_TIP_SIZE; k++) {
        cosine = v_fma(v_load(tips + k * stride), sought->tip[k], cosine);
    }
    // 4 sin^2(angle / 2) = 4 - 4 (q . q')^2
    return v_fnma(sought->rotation_weight * cosine, cosine, sought->position_weight * sum);
}

// Computes the motions from the tips of a cell to the target: a displacement, and a chord of length
// 2 sin(angle / 2) along the axis of rotation.
static inline void find_motion(const Sought* sought, const double* tips, V v[6]) {
    V a[CHAIN_TIP_SIZE];
    const V* b = sought->tip;
    for (int k = 0; k < CHAIN_TIP_SIZE; k++) {
        a[k] = v_load(tips + k * CHAIN_CELL);
    }
    for (int k = 0; k < 3; k++) {
        v[k] = b[k] - a[k];
    }
    // quaternion b times the conjugate of a
    const V w = v_fma(b[3], a[3], v_fma(b[4], a[4], v_fma(b[5], a[5], b[6] * a[6])));
    const V x = v_fma(b[4], a[3], v_fma(b[6], a[5], v_fnma(b[3], a[4], -(b[5] * a[6]))));
    const V y = v_fma(b[5], a[3], v_fma(b[4], a[6], v_fnma(b[3], a[5], -(b[6] * a[4]))));
    const V z = v_fma(b[6], a[3], v_fma(b[5], a[4], v_fnma(b[3], a[6], -(b[4] * a[5]))));
    const V twice = v_select(v_lt(w, v_set(0.0)), v_set(-2.0), v_set(2.0));
    v[3] = twice * x;
    v[4] = twice * y;
    v[5] = twice * z;
}

// Returns v^T C v with the cost matrices C of a cell.
static inline V cost_of(const double* costs, const V v[6]) {
    V sum = v_set(0.0);
    int entry = 0;
#pragma GCC unroll 6
    for (int i = 0; i < 6; i++) {
        V row = v_set(0.0);
#pragma GCC unroll 6
        for (int j = 0; j <= i; j++) {
            row = v_fma(v_load(costs + entry++ * CHAIN_CELL), v[j], row);
        }
        sum = v_fma(row, v[i], sum);
    }
    return sum;
}

// Finds the nearest cell in each of CHAIN_NEAR_CELLS classes, by index modulo this number.
static inline void find_cells(const Chain* chain, const Sought* sought,
                              int cells[CHAIN_NEAR_CELLS]) {
    enum { GROUPS = CHAIN_NEAR_CELLS / CHAIN_LANES };
    V best[GROUPS];
    V where[GROUPS];
    for (int g = 0; g < GROUPS; g++) {
        best[g] = v_set(HUGE_VAL);
        where[g] = v_set(0.0);
    }
    for (int i = 0; i < chain->cell_count; i += CHAIN_NEAR_CELLS) {
        for (int g = 0; g < GROUPS; g++) {
            const V score =
                distance2_of(sought, chain->cell_tips + i + g * CHAIN_LANES, chain->cell_count);
            const M better = v_lt(score, best[g]);
            best[g] = v_select(better, score, best[g]);
            where[g] = v_select(better, v_set(i), where[g]);
        }
    }
    _Alignas(64) double first[CHAIN_NEAR_CELLS];
    for (int g = 0; g < GROUPS; g++) {
        v_store(&first[g * CHAIN_LANES], where[g]);
    }
    for (int i = 0; i < CHAIN_NEAR_CELLS; i++) {
        cells[i] = (int)first[i] + i;
    }
}

// Returns the pose of the tip at a target.
static inline Sought sought_by(PoiseBodyGoal goal, const ChainTarget* target) {
    const double* p = target->position;
    const PoiseQuat q = target->rotation;
    const double tip[CHAIN_TIP_SIZE] = {p[0], p[1], p[2], q.w, q.x, q.y, q.z};
    return sought_of(goal, tip);
}

/// Lists the seeds of the cells near the target. `by_cost`: with their costs, if the goal is a
/// pose; otherwise with the distances of their tips.
CHAIN_INLINE void list_seeds(const Chain* chain, PoiseBodyGoal goal, const ChainTarget* target,
                             bool by_cost, ChainList* list) {
    const Sought sought = sought_by(goal, target);
    find_cells(chain, &sought, list->cells);
    for (int i = 0; i < CHAIN_NEAR_CELLS; i++) {
        const size_t cell = (size_t)list->cells[i] * CHAIN_CELL;
        for (int g = 0; g < CHAIN_CELL; g += CHAIN_LANES) {
            const double* tips = chain->seed_tips + cell * CHAIN_TIP_SIZE + g;
            V cost;
            if (by_cost && goal == POISE_BODY_POSE) {
                V v[6];
                find_motion(&sought, tips, v);
                cost = cost_of(chain->seed_costs + cell * CHAIN_COST_SIZE + g, v);
            } else {
                cost = distance2_of(&sought, tips, CHAIN_CELL);
            }
            v_store(&list->costs[i * CHAIN_CELL + g], cost);
        }
    }
}

/// Removes the seed with the least cost from the list, and returns its index.
static inline int take_seed(ChainList* list) {
    V least = v_load(list->costs);
    V where = v_set(0.0);
    for (int i = CHAIN_LANES; i < CHAIN_LISTED; i += CHAIN_LANES) {
        const V cost = v_load(&list->costs[i]);
        const M less = v_lt(cost, least);
        least = v_select(less, cost, least);
        where = v_select(less, v_set(i), where);
    }
    _Alignas(64) double costs[CHAIN_LANES];
    _Alignas(64) double first[CHAIN_LANES];
    v_store(costs, least);
    v_store(first, where);
    int lane = 0;
    for (int k = 1; k < CHAIN_LANES; k++) {
        lane = costs[k] < costs[lane] ? k : lane;
    }
    const int best = (int)first[lane] + lane;
    list->costs[best] = HUGE_VAL;
    return list->cells[best / CHAIN_CELL] * CHAIN_CELL + best % CHAIN_CELL;
}

#endif
