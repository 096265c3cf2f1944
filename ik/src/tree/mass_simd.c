// SPDX-License-Identifier: MIT
// Mass and first moment of each link in vectors of four numbers, equal to those of mass.c to the
// last bit. Empty without AVX2.
#include "tree.h"

#ifdef __AVX2__
#include "poise/simd4.h"

void poise__gather_links_four(PoiseTree* tree) {
    for (int i = 0; i < tree->node_count; i++) {
        Node* node = &tree->nodes[tree->order[i]];
        const PoisePose* link = &node->joint.link_world;
        const PoiseFour com =
            poise_four_rotate(poise_four_rotation(&link->q), poise_four_place(&node->com_link));
        const PoiseFour moment = POISE_FOUR_OF(node->mass) * (poise_four_place(&link->p) + com);
        node->subtree_mass = node->mass;
        node->subtree_moment = poise_vec3(moment[0], moment[1], moment[2]);
    }
}
#endif
