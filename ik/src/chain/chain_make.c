// SPDX-License-Identifier: MIT
// Compiles a chain from a tree: lists the nodes, converts them to joints
// (chain_program.c), allocates the chain and makes the seeds (chain_seeds.c).
#include "chain.h"

enum { LEAST_SEEDS = 8, MOST_SEEDS = 65536 };
/// Alignment of the seeds' numbers: a vector of the widest path.
enum { SEED_ALIGNMENT = 64 };
/// Largest number of nodes between tip and base, rigid ones included.
enum { MOST_NODES = 1024 };

static PoiseStatus check_def(PoiseTree* tree, const ChainDef* def) {
    if (!poise__is_frame(def->in_link)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_body_compile: in_link is not finite, or its rotation 0");
    }
    if (def->seeds < LEAST_SEEDS || def->seeds > MOST_SEEDS) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_body_compile: seeds must be 8 to 65536, not %d", def->seeds);
    }
    return POISE_OK;
}

// Lists the slots from `first` (null: the node on the base) to `tip`, base first, at most
// `capacity` of them. Returns their full number.
static int list_slots(const PoiseTree* tree, const ChainDef* def, int* slots, int capacity) {
    const int first = (int)def->first.index1 - 1;
    int count = 0;
    for (int slot = (int)def->tip.index1 - 1; slot != NO_SLOT; slot = tree->nodes[slot].parent) {
        count++;
        if (slot == first) {
            break;
        }
    }
    int slot = (int)def->tip.index1 - 1;
    for (int i = count - 1; i >= 0; i--, slot = tree->nodes[slot].parent) {
        if (i < capacity) {
            slots[i] = slot;
        }
    }
    return count;
}

// Allocates chain and seeds as one block, with the seeds aligned for the widest vector.
static Chain* make_room(const Chain* made, const PoiseHost* host, int cells) {
    const size_t seeds = (size_t)cells * CHAIN_CELL;
    const size_t per_seed = CHAIN_TIP_SIZE + CHAIN_COST_SIZE + (size_t)made->nq;
    const size_t numbers = (size_t)cells * CHAIN_TIP_SIZE + seeds * per_seed;
    const size_t size = sizeof *made + SEED_ALIGNMENT + numbers * sizeof(double);
    Chain* chain = poise_host_allocate(host, size);
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

bool poise__chain_lay_joints(PoiseTree* tree, const ChainDef* def, Chain* chain) {
    int slots[MOST_NODES];
    const int count = list_slots(tree, def, slots, MOST_NODES);
    const PoisePose in_link = poise_pose(def->in_link.p, poise_quat_normalize(def->in_link.q));
    const ChainSource source = {tree, slots, count, in_link, def->unit, def->is_rigid};
    const char* problem = "has more than 1024 nodes between it and the base";
    unsigned node = def->tip.index1;
    memset(chain, 0, sizeof *chain);
    if (count <= MOST_NODES) {
        int culprit = 0;
        problem = poise__chain_build(chain, &source, &culprit);
        node = (unsigned)slots[culprit] + 1;
    }
    if (problem) {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_body_compile: node %u %s", node,
                    problem);
    } else {
        poise__chain_tie(chain, tree);
    }
    return !problem;
}

Chain* poise__chain_make(PoiseTree* tree, const ChainDef* def) {
    Chain made;
    if (check_def(tree, def) != POISE_OK || !poise__chain_lay_joints(tree, def, &made)) {
        return NULL;
    }
    poise__chain_make_shells(&made);
    poise__chain_find_closed(&made);
    const int groups = (def->seeds + CHAIN_LISTED - 1) / CHAIN_LISTED;
    Chain* chain = make_room(&made, &def->host, groups * CHAIN_NEAR_CELLS);
    if (!chain || !poise__chain_make_seeds(chain, def->seed)) {
        poise__chain_destroy(chain);
        poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_body_compile: no memory for %d seeds",
                    groups * CHAIN_LISTED);
        return NULL;
    }
    return chain;
}

void poise__chain_destroy(Chain* chain) {
    if (chain) {
        const PoiseHost host = chain->host;
        poise_host_release(&host, chain, chain->size);
    }
}
