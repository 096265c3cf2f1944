// SPDX-License-Identifier: MIT
// Compiles a chain from a tree: converts nodes to joints (chain_joints.c), allocates the chain and
// makes its seeds (chain_seeds.c).
#include "chain.h"

/// Alignment of the seeds' numbers in bytes: the widest vector of all instances.
enum { SEED_ALIGNMENT = 64 };
// Allocates the chain and its seeds in one block.
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
    int culprit = 0;
    memset(chain, 0, sizeof *chain);
    const char* problem = poise__chain_build(chain, tree, def, &culprit);
    if (problem) {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_body_compile: node %u %s",
                    (unsigned)culprit + 1, problem);
    } else {
        poise__chain_tie(chain, tree);
    }
    return !problem;
}

Chain* poise__chain_make(PoiseTree* tree, const ChainDef* def) {
    Chain made;
    if (!poise__chain_lay_joints(tree, def, &made)) {
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
