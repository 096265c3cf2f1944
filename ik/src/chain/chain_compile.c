// SPDX-License-Identifier: MIT
// Compiles a chain from a tree: checks the def, lists the nodes, converts them to joints
// (chain_program.c), allocates the chain and makes the seeds (chain_seeds.c).
#include "chain.h"

enum { LEAST_SEEDS = 8, MOST_SEEDS = 65536, DEFAULT_SEEDS = 2048 };
/// Alignment of the seeds' numbers: a vector of the widest path.
enum { SEED_ALIGNMENT = 64 };
/// Largest number of nodes between tip and base, rigid ones included.
enum { MOST_NODES = 1024 };

PoiseChainDef poise_default_chain_def(void) {
    return (PoiseChainDef){
        .cookie = COOKIE_CHAIN, .in_link = poise_pose_identity(), .seeds = DEFAULT_SEEDS};
}

static PoiseStatus check_def(PoiseTree* tree, const PoiseChainDef* def, const char* call) {
    if (!poise__is_frame(def->in_link)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "%s: in_link is not finite, or its rotation 0", call);
    }
    if (def->seeds < LEAST_SEEDS || def->seeds > MOST_SEEDS) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "%s: seeds must be 8 to 65536, not %d", call, def->seeds);
    }
    if (!poise_chain_path_available(def->path)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_chain_compile: this processor or build lacks the path %s (%d); "
                           "ask poise_chain_path_available, or take POISE_CHAIN_AUTO",
                           poise_chain_path_name(def->path), (int)def->path);
    }
    return POISE_OK;
}

// Lists the slots from `first` (null: the node on the base) to `tip`, base first, at most
// `capacity` of them. Returns their full number, 0 if `first` does not carry the tip.
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

// Allocates chain and seeds as one block, with the seeds aligned for the widest vector.
static PoiseChain* make_room(const PoiseChain* made, const PoiseHost* host, int cells) {
    const size_t seeds = (size_t)cells * CHAIN_CELL;
    const size_t per_seed = CHAIN_TIP_SIZE + CHAIN_COST_SIZE + (size_t)made->nq;
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
    chain->seed_q = chain->seed_costs + seeds * CHAIN_COST_SIZE;
    return chain;
}

// Builds the joints of the chain that the def describes. False with the reason in the tree's
// status.
static bool build(PoiseTree* tree, const PoiseChainDef* def, double unit, const char* call,
                  PoiseChain* chain) {
    int slots[MOST_NODES];
    const int count = list_slots(tree, def, slots, MOST_NODES);
    const PoisePose in_link = poise_pose(def->in_link.p, poise_quat_normalize(def->in_link.q));
    const ChainSource source = {tree, slots, count, in_link, unit};
    const char* problem = "has more than 1024 nodes between it and the base";
    unsigned node = def->tip.index1;
    if (count == 0) {
        poise__fail(tree, POISE_ERROR_CANNOT_MOVE,
                    "%s: node %u (first) does not carry node %u (tip)", call,
                    (unsigned)def->first.index1, (unsigned)def->tip.index1);
        return false;
    }
    memset(chain, 0, sizeof *chain);
    if (count <= MOST_NODES) {
        int culprit = 0;
        problem = poise__chain_build(chain, &source, &culprit);
        node = (unsigned)slots[culprit] + 1;
    }
    if (problem) {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "%s: node %u %s", call, node, problem);
    } else {
        poise__chain_tie(chain, tree);
    }
    return !problem;
}

PoiseChain* poise_chain_compile(PoiseTree* tree, const PoiseChainDef* def) {
    if (!tree) {
        return NULL;
    }
    if (!def || def->cookie != COOKIE_CHAIN) {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                    "poise_chain_compile: the def was not made by "
                    "poise_default_chain_def()");
        return NULL;
    }
    if (!poise__node_or_fail(tree, def->tip, "poise_chain_compile (tip)") ||
        (def->first.index1 != 0 &&
         !poise__node_or_fail(tree, def->first, "poise_chain_compile (first)"))) {
        return NULL;
    }
    return poise__chain_make(tree, def, 0.0, "poise_chain_compile");
}

PoiseChain* poise__chain_make(PoiseTree* tree, const PoiseChainDef* def, double unit,
                              const char* call) {
    enum { GROUP = CHAIN_CELL * CHAIN_NEAR_CELLS };
    PoiseChain made;
    if (check_def(tree, def, call) != POISE_OK || !build(tree, def, unit, call, &made)) {
        return NULL;
    }
    made.path = poise__chain_path_for(def->path, true);
    made.path_of_one = poise__chain_path_for(def->path, false);
    const int groups = (def->seeds + GROUP - 1) / GROUP;
    PoiseChain* chain = make_room(&made, &def->host, groups * CHAIN_NEAR_CELLS);
    if (!chain || !poise__chain_make_seeds(chain, def->seed)) {
        poise_chain_destroy(chain);
        poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "%s: no memory for %d seeds", call,
                    groups * GROUP);
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

int poise_chain_dof(const PoiseChain* chain) {
    return chain ? chain->nv : 0;
}

int poise_chain_posture_size(const PoiseChain* chain) {
    return chain ? chain->posture_size : 0;
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
