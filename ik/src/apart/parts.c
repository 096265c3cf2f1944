// SPDX-License-Identifier: MIT
// Places parts in the world, and computes their gaps.
#include "apart.h"

void poise__parts_place(PoiseApart* apart) {
    const PoiseTree* tree = apart->source.tree;
    for (int i = 0; i < apart->part_count; i++) {
        Part* part = &apart->parts[i];
        const PoisePose link =
            part->link == NO_SLOT ? part->pose : tree->nodes[part->link].joint.link_world;
        part->core = poise__core(&part->shape, link);
    }
}

PoiseGap poise__parts_gap(const Part* a, const Part* b) {
    PoiseGap gap = {.distance = 0.0};
    poise__core_gap(&a->core, &b->core, &gap);
    return gap;
}
