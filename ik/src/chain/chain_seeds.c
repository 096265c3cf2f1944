// SPDX-License-Identifier: MIT
// Makes seeds and random starts. A seed is a random posture, with a matrix that gives the cost of
// moving its tip. Seeds with similar tips form a cell. lane_pick.h finds the best seeds for a
// target from cells and costs; begin_start of lane_search.h chooses the next start. Equal counters
// give equal postures.
#define CHAIN_LANES 1
#include "lane_pick.h"
#include "lane_step.h"

// Seeds use this fraction of each range, because searches from postures near the ends of ranges
// succeed less often. The nearest seeds meet 83 % of 4000 poses of the Panda, with 0.95 only 79 %.
#define SEED_PART 0.9
// half the interval of a coordinate without a range: hinges in rad, sliders in reaches
#define OPEN_ANGLE  POISE_PI
#define OPEN_LENGTH 1.0
// lambda of the costs (J J^T + lambda I)^-1; values from 0.003 to 0.1 work equally well
#define COST_DAMPING 0.03

// Draws a uniformly distributed rotation: a point on the sphere in four dimensions, by rejection.
static void draw_rotation(uint64_t* counter, double q[4]) {
    double length2;
    do {
        length2 = 0.0;
        for (int k = 0; k < 4; k++) {
            q[k] = 2.0 * poise__chain_random(counter) - 1.0;
            length2 += q[k] * q[k];
        }
    } while (length2 > 1.0 || length2 < 0.01);
    const double length = sqrt(length2);
    for (int k = 0; k < 4; k++) {
        q[k] /= length;
    }
}

// Draws a rotation inside a cone, uniform in swing axis, area of the cone, and twist.
static void draw_in_cone(const ChainJoint* joint, double part, uint64_t* counter, double q[4]) {
    const double most = fmin(joint[0].upper, POISE_PI);
    const double lower = fmax(joint[2].lower, -POISE_PI);
    const double upper = fmin(joint[2].upper, POISE_PI);
    const double direction = 2.0 * POISE_PI * poise__chain_random(counter);
    const double swing = part * most * sqrt(poise__chain_random(counter));
    const double twist =
        0.5 * (lower + upper) + part * (poise__chain_random(counter) - 0.5) * (upper - lower);
    const PoiseSinCos s = poise_sincos(0.5 * swing), t = poise_sincos(0.5 * twist);
    const PoiseSinCos about = poise_sincos(direction);
    poise__put_quat(
        q, poise_quat_mul(poise_quat(s.cosine, s.sine * about.cosine, s.sine * about.sine, 0.0),
                          poise_quat(t.cosine, 0.0, 0.0, t.sine)));
}

// Computes the interval for the coordinate of a hinge or slider. If its range has only one end, the
// interval begins there.
static void draw_range(const Chain* chain, const ChainJoint* joint, double* lower, double* upper) {
    const double open =
        joint->kind == CHAIN_HINGE ? OPEN_ANGLE : OPEN_LENGTH * chain->reach / chain->unit;
    const ChainNumber* number = &chain->numbers[joint->number];
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

void poise__chain_draw(const Chain* chain, double part, uint64_t* counter, double* q) {
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        q[i] = 0.0;
        if (joint->kind == CHAIN_BALL) {
            draw_rotation(counter, &q[joint->q]);
        } else if (joint->kind == CHAIN_CONE) {
            draw_in_cone(joint, part, counter, &q[joint->q]);
        } else if (joint->kind != CHAIN_CONE_REST && !joint->follows) {
            double lower;
            double upper;
            draw_range(chain, joint, &lower, &upper);
            const double middle = 0.5 * (lower + upper);
            const double sample =
                middle + part * (poise__chain_random(counter) - 0.5) * (upper - lower);
            q[joint->q] = poise__chain_clamp(sample, joint->lower, joint->upper);
        }
    }
}

// ------------------------------------------------------------------------------------------- cells

/// A seed that is not yet in a cell.
typedef struct Draft {
    uint64_t counter; ///< value of the counter before the posture
    double tip[CHAIN_TIP_SIZE];
    double key; ///< key by which a group is split
} Draft;

static int farthest_from(const Draft* drafts, int count, int from) {
    const Sought sought = sought_of(POISE_BODY_POSE, drafts[from].tip);
    int farthest = from;
    double most = distance2_of(&sought, drafts[from].tip, 1);
    for (int i = 0; i < count; i++) {
        const double distance2 = distance2_of(&sought, drafts[i].tip, 1);
        if (distance2 > most) {
            most = distance2;
            farthest = i;
        }
    }
    return farthest;
}

// Moves the `least` drafts with the smallest keys to the front (Hoare's selection).
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

// Sorts seeds into cells: splits them in halves until a half is a cell. Two distant tips are
// chosen, and each half is nearer to one of them.
static void gather_cells(Draft* drafts, int count) {
    if (count <= CHAIN_CELL) {
        return;
    }
    const int one = farthest_from(drafts, count, 0);
    const int other = farthest_from(drafts, count, one);
    const Sought from_one = sought_of(POISE_BODY_POSE, drafts[one].tip);
    const Sought from_other = sought_of(POISE_BODY_POSE, drafts[other].tip);
    for (int i = 0; i < count; i++) {
        drafts[i].key =
            distance2_of(&from_one, drafts[i].tip, 1) - distance2_of(&from_other, drafts[i].tip, 1);
    }
    const int half = count / CHAIN_CELL / 2 * CHAIN_CELL;
    select_least(drafts, count, half);
    gather_cells(drafts, half);
    gather_cells(drafts + half, count - half);
}

// Computes mean position and mean quaternion of a cell's tips. Each quaternion takes the sign that
// is nearer to the first one.
static void fill_cell_tip(Chain* chain, int cell, const Draft* drafts) {
    double mean[CHAIN_TIP_SIZE] = {0.0};
    for (int i = 0; i < CHAIN_CELL; i++) {
        double cosine = 0.0;
        for (int k = 3; k < CHAIN_TIP_SIZE; k++) {
            cosine += drafts[i].tip[k] * drafts[0].tip[k];
        }
        for (int k = 0; k < CHAIN_TIP_SIZE; k++) {
            const double weight = k < 3 ? 1.0 / CHAIN_CELL : cosine < 0.0 ? -1.0 : 1.0;
            mean[k] += weight * drafts[i].tip[k];
        }
    }
    const PoiseQuat q = poise_quat_normalize(poise_quat(mean[3], mean[4], mean[5], mean[6]));
    const double tip[CHAIN_TIP_SIZE] = {mean[0], mean[1], mean[2], q.w, q.x, q.y, q.z};
    for (int k = 0; k < CHAIN_TIP_SIZE; k++) {
        chain->cell_tips[k * chain->cell_count + cell] = tip[k];
    }
}

// ------------------------------------------------------------------------------------------- seeds

// Draws a posture, writes it to `at` and q, and returns the frame of its tip.
static Frame draw_posture(const Chain* chain, uint64_t* counter, Iterate* at, double* q) {
    poise__chain_draw(chain, SEED_PART, counter, q);
    set_q(chain, q, at, 0);
    return find_frames(chain, at);
}

static void make_draft(const Chain* chain, uint64_t* counter, Draft* draft) {
    Iterate at;
    double q[CHAIN_MOST_Q];
    draft->counter = *counter;
    const Frame tip = draw_posture(chain, counter, &at, q);
    const PoiseQuat r = quaternion_of(&tip, 0);
    const double all[CHAIN_TIP_SIZE] = {tip.p.x, tip.p.y, tip.p.z, r.w, r.x, r.y, r.z};
    memcpy(draft->tip, all, sizeof all);
}

// Computes the cost matrix C = (J J^T + lambda I)^-1 of a posture. v^T C v is the least squared
// step of the joints that moves the tip by v; it is large near singular directions. Entries off the
// diagonal are doubled, because only half of the matrix is summed.
static void find_cost(const Chain* chain, Iterate* at, V3 tip, double cost[CHAIN_COST_SIZE]) {
    Normal normal;
    int entry = 0;
    find_columns(chain, at, tip);
    (void)find_normal(chain, POISE_BODY_POSE, at, &normal);
    normal.linear_lambda += COST_DAMPING;
    normal.angular_lambda += COST_DAMPING;
    for (int i = 0; i < 6; i++) {
        const Rows unit = {v3(i == 0, i == 1, i == 2), v3(i == 3, i == 4, i == 5)};
        const Rows row = solve_rows(POISE_BODY_POSE, &normal, unit);
        double all[6];
        v3_store(all, row.linear);
        v3_store(all + 3, row.angular);
        for (int j = 0; j <= i; j++) {
            cost[entry++] = (i == j ? 1.0 : 2.0) * all[j];
        }
    }
}

static void place_seed(Chain* chain, int seed, const Draft* draft) {
    Iterate at;
    uint64_t counter = draft->counter;
    double cost[CHAIN_COST_SIZE];
    double* q = chain->seed_q + (size_t)seed * (size_t)chain->nq;
    double* tips = chain->seed_tips + (size_t)(seed / CHAIN_CELL) * CHAIN_CELL * CHAIN_TIP_SIZE;
    double* costs = chain->seed_costs + (size_t)(seed / CHAIN_CELL) * CHAIN_CELL * CHAIN_COST_SIZE;
    const Frame tip = draw_posture(chain, &counter, &at, q);
    find_cost(chain, &at, tip.p, cost);
    for (int k = 0; k < CHAIN_TIP_SIZE; k++) {
        tips[k * CHAIN_CELL + seed % CHAIN_CELL] = draft->tip[k];
    }
    for (int k = 0; k < CHAIN_COST_SIZE; k++) {
        costs[k * CHAIN_CELL + seed % CHAIN_CELL] = cost[k];
    }
}

bool poise__chain_make_seeds(Chain* chain, uint64_t seed) {
    const int count = chain->cell_count * CHAIN_CELL;
    const size_t size = (size_t)count * sizeof(Draft);
    Draft* drafts = poise_host_allocate(&chain->host, size);
    if (!drafts) {
        return false;
    }
    uint64_t counter = poise__mix_bits(seed);
    for (int i = 0; i < count; i++) {
        make_draft(chain, &counter, &drafts[i]);
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
