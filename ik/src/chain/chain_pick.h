// SPDX-License-Identifier: MIT
// Which of the chain's seeds are the most promising for a target: those of the cells nearest it,
// by what the way from there to the target costs the joints. For chain_drive.h.
#ifndef POISE_CHAIN_PICK_H
#define POISE_CHAIN_PICK_H

#include "chain_lanes.h"

/// How ways and turns weigh, and the target's tip in all lanes.
typedef struct Sought {
    V tip[CHAIN_TIP_SIZE];
    V way_weight;
    V turn_weight;
    bool pose;
} Sought;

static inline Sought seek(const ChainSearch* search, const ChainTarget* target) {
    const PoiseChainGoal goal = search->def->goal;
    const PoiseQuat q = target->rotation;
    Sought sought;
    for (int k = 0; k < 3; k++) {
        sought.tip[k] = v_set(target->place[k]);
    }
    sought.tip[3] = v_set(q.w);
    sought.tip[4] = v_set(q.x);
    sought.tip[5] = v_set(q.y);
    sought.tip[6] = v_set(q.z);
    sought.way_weight = v_set(goal != POISE_CHAIN_ORIENTATION);
    sought.turn_weight = v_set(goal != POISE_CHAIN_POSITION ? 4.0 : 0.0);
    sought.pose = goal == POISE_CHAIN_POSE;
    return sought;
}

// way^2 + (2 sin(angle / 2))^2 of tips, number k at `tips + k * stride`, but for a constant
static inline V distance2_of(const Sought* sought, const double* tips, int stride) {
    V way2 = v_set(0.0);
    V cosine = v_set(0.0);
    for (int k = 0; k < 3; k++) {
        const V way = v_load(tips + k * stride) - sought->tip[k];
        way2 = v_fma(way, way, way2);
    }
    for (int k = 3; k < CHAIN_TIP_SIZE; k++) {
        cosine = v_fma(v_load(tips + k * stride), sought->tip[k], cosine);
    }
    // 4 sin^2(angle / 2) = 4 - 4 (q . q')^2
    return v_fnma(sought->turn_weight * cosine, cosine, sought->way_weight * way2);
}

// way and turn (2 sin(angle / 2) long) from the tips of a cell to the target
static inline void fill_way(const Sought* sought, const double* tips, V v[6]) {
    V a[CHAIN_TIP_SIZE];
    const V* b = sought->tip;
    for (int k = 0; k < CHAIN_TIP_SIZE; k++) {
        a[k] = v_load(tips + k * CHAIN_CELL);
    }
    for (int k = 0; k < 3; k++) {
        v[k] = b[k] - a[k];
    }
    // b times the conjugate of a
    const V w = v_fma(b[3], a[3], v_fma(b[4], a[4], v_fma(b[5], a[5], b[6] * a[6])));
    const V x = v_fma(b[4], a[3], v_fma(b[6], a[5], v_fnma(b[3], a[4], -(b[5] * a[6]))));
    const V y = v_fma(b[5], a[3], v_fma(b[4], a[6], v_fnma(b[3], a[5], -(b[6] * a[4]))));
    const V z = v_fma(b[6], a[3], v_fma(b[5], a[4], v_fnma(b[3], a[6], -(b[4] * a[5]))));
    const V twice = v_select(v_lt(w, v_set(0.0)), v_set(-2.0), v_set(2.0));
    v[3] = twice * x;
    v[4] = twice * y;
    v[5] = twice * z;
}

// v^T C v
static inline V cost_of(const double* costs, const V v[6]) {
    V sum = v_set(0.0);
    int entry = 0;
    for (int i = 0; i < 6; i++) {
        V row = v_set(0.0);
        for (int j = 0; j <= i; j++) {
            row = v_fma(v_load(costs + entry++ * CHAIN_CELL), v[j], row);
        }
        sum = v_fma(row, v[i], sum);
    }
    return sum;
}

// of every CHAIN_NEAR_CELLS-th cell the nearest one
static inline void find_cells(const PoiseChain* chain, const Sought* sought,
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

// the seeds of the cells near the target, and what each would cost
static void list_seeds(const ChainSearch* search, ChainProblem* problem) {
    const PoiseChain* chain = search->chain;
    const Sought sought = seek(search, &problem->target);
    find_cells(chain, &sought, problem->cells);
    for (int i = 0; i < CHAIN_NEAR_CELLS; i++) {
        const size_t cell = (size_t)problem->cells[i] * CHAIN_CELL;
        for (int g = 0; g < CHAIN_CELL; g += CHAIN_LANES) {
            const double* tips = chain->seed_tips + cell * CHAIN_TIP_SIZE + g;
            V score;
            if (sought.pose) {
                V v[6];
                fill_way(&sought, tips, v);
                score = cost_of(chain->seed_costs + cell * CHAIN_COST_SIZE + g, v);
            } else {
                score = distance2_of(&sought, tips, CHAIN_CELL);
            }
            v_store(&problem->costs[i * CHAIN_CELL + g], score);
        }
    }
}

// takes the best seed from the list
static int take_seed(ChainProblem* problem) {
    V least = v_load(problem->costs);
    V where = v_set(0.0);
    for (int i = CHAIN_LANES; i < CHAIN_LISTED; i += CHAIN_LANES) {
        const V cost = v_load(&problem->costs[i]);
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
    problem->costs[best] = HUGE_VAL;
    return problem->cells[best / CHAIN_CELL] * CHAIN_CELL + best % CHAIN_CELL;
}

#endif
