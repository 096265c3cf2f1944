// SPDX-License-Identifier: MIT
// A compiled chain as its users see it: made from a tree, looked at, read from and written to a
// tree. chain_program.c compiles, chain_solve.c solves.
#include "chain_internal.h"

enum { LEAST_SEEDS = 8, MOST_SEEDS = 65536, DEFAULT_SEEDS = 2048 };
/// What the seeds' numbers are aligned to: a vector of the widest path.
enum { SEED_ALIGNMENT = 64 };

PoiseChainDef poise_default_chain_def(void) {
    PoiseChainDef def;
    memset(&def, 0, sizeof def);
    def.cookie = COOKIE_CHAIN;
    def.in_link = poise_pose_identity();
    def.seeds = DEFAULT_SEEDS;
    return def;
}

// ------------------------------------------------------------------------------------------- paths

bool poise_chain_path_available(PoiseChainPath path) {
    switch (path) {
    case POISE_CHAIN_AUTO:
    case POISE_CHAIN_SCALAR:
        return true;
    case POISE_CHAIN_AVX2:
#if defined(POISE_CHAIN_HAS_AVX2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
        return false;
#endif
    case POISE_CHAIN_AVX512:
#if defined(POISE_CHAIN_HAS_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq");
#else
        return false;
#endif
    }
    return false;
}

const char* poise_chain_path_name(PoiseChainPath path) {
    switch (path) {
    case POISE_CHAIN_AUTO:
        return "auto";
    case POISE_CHAIN_SCALAR:
        return "scalar";
    case POISE_CHAIN_AVX2:
        return "avx2";
    case POISE_CHAIN_AVX512:
        return "avx512";
    }
    return "unknown path";
}

static PoiseChainPath widest_path(void) {
    if (poise_chain_path_available(POISE_CHAIN_AVX512)) {
        return POISE_CHAIN_AVX512;
    }
    return poise_chain_path_available(POISE_CHAIN_AVX2) ? POISE_CHAIN_AVX2 : POISE_CHAIN_SCALAR;
}

// four starts side by side are enough for one target: eight take longer than they save
static PoiseChainPath path_of_one(PoiseChainPath asked) {
    if (asked != POISE_CHAIN_AUTO) {
        return asked;
    }
    return poise_chain_path_available(POISE_CHAIN_AVX2) ? POISE_CHAIN_AVX2 : POISE_CHAIN_SCALAR;
}

// --------------------------------------------------------------------------------------- compiling

static PoiseStatus check_def(PoiseTree* tree, const PoiseChainDef* def) {
    const PoiseQuat q = def->in_link.q;
    if (!poise_is_finite_pose(def->in_link) ||
        (q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_chain_compile: in_link is not finite, or its rotation 0");
    }
    if (def->seeds < LEAST_SEEDS || def->seeds > MOST_SEEDS) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_chain_compile: seeds must be 8 to 65536, not %d", def->seeds);
    }
    if (!poise_chain_path_available(def->path)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_chain_compile: this processor or build lacks the path %s (%d); "
                           "ask poise_chain_path_available, or take POISE_CHAIN_AUTO",
                           poise_chain_path_name(def->path), (int)def->path);
    }
    return POISE_OK;
}

// the slots from `first` (null: the one on the base) to `tip`, base first, at most `capacity` of
// them; how many there are in all, 0 when `first` does not carry the tip
static int list_slots(const PoiseTree* tree, const PoiseChainDef* def, int* slots, int capacity) {
    const Node* first = poise__node(tree, def->first);
    int count = 0;
    bool found = !first;
    for (int slot = (int)def->tip.index1 - 1; slot != NO_SLOT; slot = tree->nodes[slot].parent) {
        count++;
        if (first && poise__node_slot(tree, first) == slot) {
            found = true;
            break;
        }
    }
    int slot = (int)def->tip.index1 - 1;
    for (int i = count - 1; i >= 0; i--, slot = tree->nodes[slot].parent) {
        if (i < capacity) {
            slots[i] = slot;
        }
    }
    return found ? count : 0;
}

// chain and seeds in one piece, the seeds aligned to what the widest vector wants
static PoiseChain* make_room(const PoiseChain* made, const PoiseHost* host, int cells) {
    const size_t seeds = (size_t)cells * CHAIN_CELL;
    const size_t per_seed = CHAIN_TIP_SIZE + CHAIN_COST_SIZE + (size_t)made->slot_count;
    const size_t numbers = (size_t)cells * CHAIN_TIP_SIZE + seeds * per_seed;
    const size_t size = sizeof *made + SEED_ALIGNMENT + numbers * sizeof(double);
    PoiseChain* chain = poise_host_allocate(host, size);
    if (!chain) {
        return NULL;
    }
    *chain = *made;
    chain->host = *host;
    chain->size = size;
    chain->cell_count = cells;
    char* after = (char*)(chain + 1);
    after += (SEED_ALIGNMENT - (uintptr_t)after % SEED_ALIGNMENT) % SEED_ALIGNMENT;
    chain->cell_tips = (double*)(void*)after;
    chain->seed_tips = chain->cell_tips + (size_t)cells * CHAIN_TIP_SIZE;
    chain->seed_costs = chain->seed_tips + seeds * CHAIN_TIP_SIZE;
    chain->seed_postures = chain->seed_costs + seeds * CHAIN_COST_SIZE;
    return chain;
}

PoiseChain* poise_chain_compile(PoiseTree* tree, const PoiseChainDef* def) {
    // room for links that do not move among those that do
    enum { MOST_NODES = 1024 };
    if (!tree) {
        return NULL;
    }
    if (!def || def->cookie != COOKIE_CHAIN) {
        (void)poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                          "poise_chain_compile: the def was not made by "
                          "poise_default_chain_def()");
        return NULL;
    }
    if (!poise__node_or_fail(tree, def->tip, "poise_chain_compile (tip)") ||
        (def->first.index1 != 0 &&
         !poise__node_or_fail(tree, def->first, "poise_chain_compile (first)")) ||
        check_def(tree, def) != POISE_OK) {
        return NULL;
    }
    int slots[MOST_NODES];
    const int count = list_slots(tree, def, slots, MOST_NODES);
    if (count == 0) {
        (void)poise__fail(tree, POISE_ERROR_CANNOT_MOVE,
                          "poise_chain_compile: node %u (first) does not carry node %u (tip)",
                          (unsigned)def->first.index1, (unsigned)def->tip.index1);
        return NULL;
    }
    PoiseChain made;
    memset(&made, 0, sizeof made);
    int culprit = 0;
    const PoisePose in_link = poise_pose(def->in_link.p, poise_quat_normalize(def->in_link.q));
    const char* problem = count > MOST_NODES
                              ? "has more than 1024 nodes between it and the base"
                              : poise__chain_build(&made, tree, slots, count, &in_link, &culprit);
    if (problem) {
        const unsigned node = count > MOST_NODES ? def->tip.index1 : (unsigned)slots[culprit] + 1;
        (void)poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_chain_compile: node %u %s",
                          node, problem);
        return NULL;
    }
    made.path = def->path == POISE_CHAIN_AUTO ? widest_path() : def->path;
    made.path_of_one = path_of_one(def->path);
    enum { GROUP = CHAIN_CELL * CHAIN_NEAR_CELLS };
    const int groups = (def->seeds + GROUP - 1) / GROUP;
    PoiseChain* chain = make_room(&made, &def->host, groups * CHAIN_NEAR_CELLS);
    if (!chain || !poise__chain_make_seeds(chain, def->seed)) {
        poise_chain_destroy(chain);
        (void)poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY,
                          "poise_chain_compile: no memory for %d seeds", groups * GROUP);
        return NULL;
    }
    return chain;
}

void poise_chain_destroy(PoiseChain* chain) {
    if (chain) {
        const PoiseHost host = chain->host;
        poise_host_release(&host, chain, chain->size);
    }
}

// ----------------------------------------------------------------------------------------- looking

int poise_chain_dof(const PoiseChain* chain) {
    return chain ? chain->dof_count : 0;
}

int poise_chain_posture_size(const PoiseChain* chain) {
    return chain ? chain->slot_count : 0;
}

PoiseChainPath poise_chain_path(const PoiseChain* chain, bool batch) {
    if (!chain) {
        return POISE_CHAIN_AUTO;
    }
    return batch ? chain->path : chain->path_of_one;
}

double poise_chain_reach(const PoiseChain* chain) {
    return chain ? chain->reach : 0.0;
}

static const ChainNumber* number_of(const PoiseChain* chain, int index) {
    return chain && index >= 0 && index < chain->slot_count ? &chain->numbers[index] : NULL;
}

PoiseNodeId poise_chain_node(const PoiseChain* chain, int index) {
    const ChainNumber* number = number_of(chain, index);
    return number ? number->node : poise_null_node();
}

double poise_chain_lower(const PoiseChain* chain, int index) {
    const ChainNumber* number = number_of(chain, index);
    return number ? number->lower : -HUGE_VAL;
}

double poise_chain_upper(const PoiseChain* chain, int index) {
    const ChainNumber* number = number_of(chain, index);
    return number ? number->upper : HUGE_VAL;
}

PoiseStatus poise_chain_middle(const PoiseChain* chain, double* posture) {
    if (!chain || !posture) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    for (int i = 0; i < chain->joint_count; i++) {
        const ChainJoint* joint = &chain->joints[i];
        const ChainNumber* number = &chain->numbers[joint->slot];
        double* out = &posture[joint->slot];
        if (poise__chain_is_ball(joint)) {
            const double identity[4] = {1.0, 0.0, 0.0, 0.0};
            memcpy(out, identity, sizeof identity);
        } else if (joint->kind == CHAIN_CONE_REST) {
            continue;
        } else if (isfinite(number->lower) && isfinite(number->upper)) {
            *out = 0.5 * (number->lower + number->upper);
        } else {
            *out = fmin(fmax(0.0, number->lower), number->upper);
        }
    }
    poise__chain_set_fixed(chain, posture);
    if (chain->cone_count > 0) {
        // no turn may be outside of a cone
        double numbers[CHAIN_MOST_SLOTS];
        (void)poise__chain_load(chain, posture, numbers);
        poise__chain_store(chain, numbers, posture);
    }
    return POISE_OK;
}

// how many numbers from `index` on are one node's
static int node_numbers(const PoiseChain* chain, int index) {
    int count = 1;
    while (index + count < chain->slot_count &&
           chain->numbers[index + count].node.index1 == chain->numbers[index].node.index1) {
        count++;
    }
    return count;
}

static bool has_nodes(const PoiseChain* chain, const PoiseTree* tree) {
    double numbers[POISE_MAX_POSTURE];
    for (int i = 0; i < chain->slot_count; i += node_numbers(chain, i)) {
        if (poise_node_posture(tree, chain->numbers[i].node, numbers) != node_numbers(chain, i)) {
            return false;
        }
    }
    return true;
}

PoiseStatus poise_chain_read(const PoiseChain* chain, const PoiseTree* tree, double* posture) {
    if (!chain || !tree || !posture) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!has_nodes(chain, tree)) {
        return POISE_ERROR_INVALID_HANDLE;
    }
    for (int i = 0; i < chain->slot_count; i += node_numbers(chain, i)) {
        double numbers[POISE_MAX_POSTURE];
        const int count = poise_node_posture(tree, chain->numbers[i].node, numbers);
        memcpy(&posture[i], numbers, (size_t)count * sizeof numbers[0]);
    }
    return POISE_OK;
}

bool poise__chain_is_posture(const PoiseChain* chain, const double* posture) {
    for (int i = 0; i < chain->slot_count; i++) {
        if (!isfinite(posture[i])) {
            return false;
        }
    }
    for (int i = 0; i < chain->joint_count; i++) {
        const double* q = &posture[chain->joints[i].slot];
        if (poise__chain_is_ball(&chain->joints[i]) && q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0 &&
            q[3] == 0.0) {
            return false;
        }
    }
    return true;
}

PoiseStatus poise_chain_write(const PoiseChain* chain, PoiseTree* tree, const double* posture) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!chain || !posture || !poise__chain_is_posture(chain, posture)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_chain_write: no chain, or a posture that is not finite or has a "
                           "rotation of 0");
    }
    if (!has_nodes(chain, tree)) {
        return poise__fail(tree, POISE_ERROR_INVALID_HANDLE,
                           "poise_chain_write: a node of the chain is gone, or of another tree");
    }
    for (int i = 0; i < chain->slot_count; i += node_numbers(chain, i)) {
        (void)poise_node_set_posture(tree, chain->numbers[i].node, &posture[i],
                                     node_numbers(chain, i));
    }
    return POISE_OK;
}

// posture to numbers without any range: the frames of what is given, not of what is allowed
static bool load_as_given(const PoiseChain* chain, const double* posture, double* numbers) {
    if (!chain || !posture || !poise__chain_is_posture(chain, posture)) {
        return false;
    }
    poise__chain_load_as_given(chain, posture, numbers);
    return true;
}

PoisePose poise_chain_forward(const PoiseChain* chain, const double* posture) {
    double numbers[CHAIN_MOST_SLOTS];
    ChainFrames frames;
    if (!load_as_given(chain, posture, numbers)) {
        return poise_pose_identity();
    }
    poise__chain_frames(chain, numbers, &frames);
    const PoisePose last = poise_pose(poise_scale(chain->unit, frames.place), frames.rotation);
    return poise_pose_mul(chain->base, poise_pose(last.p, poise_quat_mul(last.q, chain->tip)));
}

PoiseStatus poise_chain_jacobian(const PoiseChain* chain, const double* posture, double* jacobian) {
    double numbers[CHAIN_MOST_SLOTS];
    double columns[POISE_CHAIN_MOST_DOF][6];
    ChainFrames frames;
    if (!jacobian || !load_as_given(chain, posture, numbers)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    poise__chain_frames(chain, numbers, &frames);
    // into the targets' frame and metres; a ball's axes are taken there too
    frames.place = poise_quat_rotate(chain->base.q, poise_scale(chain->unit, frames.place));
    for (int i = 0; i < chain->joint_count; i++) {
        frames.origins[i] =
            poise_quat_rotate(chain->base.q, poise_scale(chain->unit, frames.origins[i]));
        frames.axes[i] = poise_quat_rotate(chain->base.q, frames.axes[i]);
    }
    for (int i = 0; i < chain->joint_count; i++) {
        if (chain->joints[i].kind == CHAIN_CONE) {
            for (int k = 0; k < 3; k++) {
                frames.axes[i + k] = poise_vec3(k == 0, k == 1, k == 2);
            }
        }
    }
    poise__chain_columns(chain, &frames, POISE_CHAIN_POSE, columns);
    for (int d = 0; d < chain->dof_count; d++) {
        for (int k = 0; k < 6; k++) {
            jacobian[k * chain->dof_count + d] = columns[d][k];
        }
    }
    return POISE_OK;
}
