// SPDX-License-Identifier: MIT
// Postures to begin a search from. Those kept with the chain, the seeds, are drawn from a counter,
// gathered in cells by where they bring the tip, and each knows what a way from there costs its
// joints: chain_pick.h finds the best for a target. Random ones come after them. The same every
// time.
#include "chain_internal.h"

#define PI 3.14159265358979323846
// the part of a range that the chain's own postures fill: those near its ends lead nowhere more
// often. Measured on 4000 poses of the Panda: 83 % met from the nearest, 79 % with .95
#define SEED_PART 0.9
// how far a joint without a range is drawn from where it stands: rad; of the reach
#define OPEN_TURN PI
#define OPEN_WAY  1.0
// lambda of the costs: (J J^T + lambda I)^-1. Between .003 and .1 the picks are as good
#define COST_DAMPING 0.03

enum { ROWS = 6 };
/// Which start is the caller's own; how many are seeds; from which on starts may leave the ranges,
/// and every how many-th of them may not. A hinge with a range of nearly a turn must often go
/// through what lies outside to come to the other end, but where ranges are narrow what it finds is
/// outside.
enum { GIVEN_START = 1, MOST_FROM_SEEDS = 16, FIRST_TO_ROAM = 6, KEPT_IN_RANGE = 4 };

// splitmix64 of a counter
uint64_t poise__chain_mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// the next number in [0, 1)
static double draw(uint64_t* counter) {
    return (double)(poise__chain_mix((*counter)++) >> 11) * 0x1p-53;
}

// a turn of which every one is as likely: a point of the sphere in four dimensions, by rejection
static void draw_rotation(uint64_t* counter, double q[4]) {
    double length2;
    do {
        length2 = 0.0;
        for (int k = 0; k < 4; k++) {
            q[k] = 2.0 * draw(counter) - 1.0;
            length2 += q[k] * q[k];
        }
    } while (length2 > 1.0 || length2 < 0.01);
    const double length = sqrt(length2);
    for (int k = 0; k < 4; k++) {
        q[k] /= length;
    }
}

// each way out of the middle of a cone as likely, and each part of its area
static void draw_in_cone(const ChainJoint* joint, double part, uint64_t* counter, double q[4]) {
    const double most = fmin(joint[0].upper, PI);
    const double lower = fmax(joint[2].lower, -PI);
    const double upper = fmin(joint[2].upper, PI);
    const double way = 2.0 * PI * draw(counter);
    const double swing = part * most * sqrt(draw(counter));
    const double twist = 0.5 * (lower + upper) + part * (draw(counter) - 0.5) * (upper - lower);
    const double sine = sin(0.5 * swing);
    const PoiseQuat rotation =
        poise_quat_mul(poise_quat(cos(0.5 * swing), sine * cos(way), sine * sin(way), 0.0),
                       poise_quat(cos(0.5 * twist), 0.0, 0.0, sin(0.5 * twist)));
    q[0] = rotation.w;
    q[1] = rotation.x;
    q[2] = rotation.y;
    q[3] = rotation.z;
}

// where a joint's number is drawn from; a joint open to one side from its end on
static void draw_range(const PoiseChain* chain, const ChainJoint* joint, double* lower,
                       double* upper) {
    const bool turns = joint->kind == CHAIN_HINGE;
    const double open = turns ? OPEN_TURN : OPEN_WAY * chain->reach / chain->unit;
    const ChainNumber* number = &chain->numbers[joint->slot];
    *lower = joint->lower;
    *upper = joint->upper;
    if (!isfinite(number->lower) && !isfinite(number->upper)) {
        *lower = joint->offset - open;
        *upper = joint->offset + open;
    } else if (!isfinite(number->lower)) {
        *lower = joint->upper - 2.0 * open;
    } else if (!isfinite(number->upper)) {
        *upper = joint->lower + 2.0 * open;
    }
}

void poise__chain_scatter(const PoiseChain* chain, double part, uint64_t* counter,
                          double* numbers) {
    for (int i = 0; i < chain->fixed_count; i++) {
        numbers[chain->fixed_slots[i]] = 0.0;
    }
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        if (joint->kind == CHAIN_BALL) {
            draw_rotation(counter, &numbers[joint->slot]);
            continue;
        }
        if (joint->kind == CHAIN_CONE) {
            draw_in_cone(joint, part, counter, &numbers[joint->slot]);
            i += 2;
            continue;
        }
        double lower;
        double upper;
        draw_range(chain, joint, &lower, &upper);
        const double middle = 0.5 * (lower + upper);
        const double number = middle + part * (draw(counter) - 0.5) * (upper - lower);
        numbers[joint->slot] = fmin(fmax(number, joint->lower), joint->upper);
    }
}

// --------------------------------------------------------------------------------- cells of seeds

/// A seed before it has its place.
typedef struct Draft {
    uint64_t counter; ///< its posture is drawn from here on
    double tip[CHAIN_TIP_SIZE];
    double key; ///< by which a group is split
} Draft;

static void fill_tip(const ChainFrames* frames, double tip[CHAIN_TIP_SIZE]) {
    const PoiseVec3 p = frames->place;
    const PoiseQuat q = frames->rotation;
    const double all[CHAIN_TIP_SIZE] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
    memcpy(tip, all, sizeof all);
}

static double turn_dot(const double* a, const double* b) {
    return a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6];
}

// squares of the way and of 2 sin(angle / 2)
static double tip_distance2(const double* a, const double* b) {
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    }
    const double cosine = turn_dot(a, b);
    return sum + 4.0 * (1.0 - cosine * cosine);
}

static int farthest_from(const Draft* drafts, int count, int from) {
    int farthest = from;
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        const double distance2 = tip_distance2(drafts[i].tip, drafts[from].tip);
        if (distance2 > most) {
            most = distance2;
            farthest = i;
        }
    }
    return farthest;
}

// the `least` smallest keys to the front (Hoare's selection)
static void select_least(Draft* drafts, int count, int least) {
    int low = 0;
    int high = count - 1;
    while (low < high) {
        const double pivot = drafts[(low + high) / 2].key;
        int i = low;
        int j = high;
        while (i <= j) {
            while (drafts[i].key < pivot) {
                i++;
            }
            while (pivot < drafts[j].key) {
                j--;
            }
            if (i <= j) {
                const Draft draft = drafts[i];
                drafts[i++] = drafts[j];
                drafts[j--] = draft;
            }
        }
        if (least <= j) {
            high = j;
        } else if (least >= i) {
            low = i;
        } else {
            return;
        }
    }
}

// halves, until there are cells: nearer to one or the other of two tips that are far apart
static void gather_cells(Draft* drafts, int count) {
    if (count <= CHAIN_CELL) {
        return;
    }
    const int one = farthest_from(drafts, count, 0);
    const int other = farthest_from(drafts, count, one);
    double ends[2][CHAIN_TIP_SIZE];
    memcpy(ends[0], drafts[one].tip, sizeof ends[0]);
    memcpy(ends[1], drafts[other].tip, sizeof ends[1]);
    for (int i = 0; i < count; i++) {
        drafts[i].key =
            tip_distance2(drafts[i].tip, ends[0]) - tip_distance2(drafts[i].tip, ends[1]);
    }
    const int half = count / CHAIN_CELL / 2 * CHAIN_CELL;
    select_least(drafts, count, half);
    gather_cells(drafts, half);
    gather_cells(drafts + half, count - half);
}

// the mean of the places; of the turns, each on the first one's side
static void fill_cell_tip(PoiseChain* chain, int cell, const Draft* drafts) {
    double mean[CHAIN_TIP_SIZE] = {0.0};
    for (int i = 0; i < CHAIN_CELL; i++) {
        const double side = turn_dot(drafts[i].tip, drafts[0].tip) < 0.0 ? -1.0 : 1.0;
        for (int k = 0; k < CHAIN_TIP_SIZE; k++) {
            mean[k] += (k < 3 ? 1.0 / CHAIN_CELL : side) * drafts[i].tip[k];
        }
    }
    const PoiseQuat turn = poise_quat_normalize(poise_quat(mean[3], mean[4], mean[5], mean[6]));
    const double tip[CHAIN_TIP_SIZE] = {mean[0], mean[1], mean[2], turn.w, turn.x, turn.y, turn.z};
    for (int k = 0; k < CHAIN_TIP_SIZE; k++) {
        chain->cell_tips[k * chain->cell_count + cell] = tip[k];
    }
}

// ------------------------------------------------------------------------------ the cost of a way

// in place; symmetric and positive definite
static void invert(double a[ROWS][ROWS]) {
    for (int pivot = 0; pivot < ROWS; pivot++) {
        const double scale = 1.0 / a[pivot][pivot];
        a[pivot][pivot] = 1.0;
        for (int j = 0; j < ROWS; j++) {
            a[pivot][j] *= scale;
        }
        for (int i = 0; i < ROWS; i++) {
            const double factor = a[i][pivot];
            if (i == pivot) {
                continue;
            }
            a[i][pivot] = 0.0;
            for (int j = 0; j < ROWS; j++) {
                a[i][j] -= factor * a[pivot][j];
            }
        }
    }
}

// v^T (J J^T + lambda I)^-1 v is the least square of a step of the joints that brings the tip on by
// v, and great where v is a way that they hardly have. What is beside the diagonal counts twice
static void fill_cost(const PoiseChain* chain, const ChainFrames* frames,
                      double cost[CHAIN_COST_SIZE]) {
    double columns[POISE_CHAIN_MOST_DOF][ROWS];
    double a[ROWS][ROWS] = {{0.0}};
    poise__chain_columns(chain, frames, POISE_CHAIN_POSE, columns);
    for (int i = 0; i < ROWS; i++) {
        a[i][i] = COST_DAMPING;
        for (int j = 0; j < ROWS; j++) {
            for (int d = 0; d < chain->dof_count; d++) {
                a[i][j] += columns[d][i] * columns[d][j];
            }
        }
    }
    invert(a);
    int entry = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j <= i; j++) {
            cost[entry++] = i == j ? a[i][j] : a[i][j] + a[j][i];
        }
    }
}

static void place_seed(PoiseChain* chain, int seed, const Draft* draft) {
    double* numbers = chain->seed_postures + (size_t)seed * (size_t)chain->slot_count;
    double* tips = chain->seed_tips + (size_t)(seed / CHAIN_CELL) * CHAIN_CELL * CHAIN_TIP_SIZE;
    double* costs = chain->seed_costs + (size_t)(seed / CHAIN_CELL) * CHAIN_CELL * CHAIN_COST_SIZE;
    double cost[CHAIN_COST_SIZE];
    uint64_t counter = draft->counter;
    ChainFrames frames;
    poise__chain_scatter(chain, SEED_PART, &counter, numbers);
    poise__chain_frames(chain, numbers, &frames);
    fill_cost(chain, &frames, cost);
    for (int k = 0; k < CHAIN_TIP_SIZE; k++) {
        tips[k * CHAIN_CELL + seed % CHAIN_CELL] = draft->tip[k];
    }
    for (int k = 0; k < CHAIN_COST_SIZE; k++) {
        costs[k * CHAIN_CELL + seed % CHAIN_CELL] = cost[k];
    }
}

bool poise__chain_make_seeds(PoiseChain* chain, uint64_t seed) {
    const int count = chain->cell_count * CHAIN_CELL;
    const size_t size = (size_t)count * sizeof(Draft);
    Draft* drafts = poise_host_allocate(&chain->host, size);
    if (!drafts) {
        return false;
    }
    uint64_t counter = poise__chain_mix(seed);
    for (int i = 0; i < count; i++) {
        double numbers[CHAIN_MOST_SLOTS];
        ChainFrames frames;
        drafts[i].counter = counter;
        poise__chain_scatter(chain, SEED_PART, &counter, numbers);
        poise__chain_frames(chain, numbers, &frames);
        fill_tip(&frames, drafts[i].tip);
    }
    gather_cells(drafts, count);
    for (int i = 0; i < count; i++) {
        place_seed(chain, i, &drafts[i]);
    }
    for (int cell = 0; cell < chain->cell_count; cell++) {
        fill_cell_tip(chain, cell, &drafts[cell * CHAIN_CELL]);
    }
    poise_host_release(&chain->host, drafts, size);
    return true;
}

// -------------------------------------------------------------------------------- a problem's
// starts

ChainOrigin poise__chain_origin(const PoiseChainSolveDef* def, int start) {
    if (start == GIVEN_START || def->starts == 1) {
        return CHAIN_FROM_GIVEN;
    }
    return start <= MOST_FROM_SEEDS ? CHAIN_FROM_SEED : CHAIN_FROM_CHANCE;
}

bool poise__chain_roams(int start) {
    return start >= FIRST_TO_ROAM && start % KEPT_IN_RANGE != 0;
}
