// SPDX-License-Identifier: MIT
// Computes the mass and the centre of mass of all links that a node carries.
#include "shared/clones.h"
#include "tree.h"

// Adds mass and first moment of each link to those of its parent, from the tips to the base.
POISE_CLONES void poise__gather_subtrees(PoiseTree* tree) {
    for (int i = 0; i < tree->node_count; i++) {
        int slot = tree->order[i];
        const Node* node = &tree->nodes[slot];
        tree->nodes[slot].subtree_mass = node->mass;
        // the sum is not divided by the mass, which may be 0
        tree->nodes[slot].subtree_moment =
            poise_scale(node->mass, poise_pose_apply(node->joint.link_world, node->com_link));
    }
    for (int i = tree->node_count - 1; i >= 0; i--) {
        const Node* node = &tree->nodes[tree->order[i]];
        if (node->parent != NO_SLOT) {
            Node* parent = &tree->nodes[node->parent];
            parent->subtree_mass += node->subtree_mass;
            parent->subtree_moment = poise_add(parent->subtree_moment, node->subtree_moment);
        }
    }
}

PoiseVec3 poise__com(const PoiseTree* tree, int root) {
    PoiseVec3 moment = poise_vec3(0.0, 0.0, 0.0);
    double mass = 0.0;
    for (int i = 0; i < tree->node_count; i++) {
        const Node* node = &tree->nodes[tree->order[i]];
        if (node->mass > 0.0 && poise__carries(tree, root, tree->order[i])) {
            PoiseVec3 com = poise_pose_apply(node->joint.link_world, node->com_link);
            moment = poise_add_scaled(moment, node->mass, com);
            mass += node->mass;
        }
    }
    // links without mass have no centre of mass
    return mass > 0.0 ? poise_scale(1.0 / mass, moment) : tree->nodes[root].joint.link_world.p;
}
