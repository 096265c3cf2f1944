// SPDX-License-Identifier: MIT
// Coupled hinges and sliders of a chain (poise_node_couple). The first joint of a group keeps its
// coordinate, with the range that the whole group allows; the others follow it.
#include "chain.h"

static Tie* tie_of(const Chain* chain, const PoiseTree* tree, int i) {
    const ChainJoint* joint = &chain->joints[i];
    const bool single = joint->kind == CHAIN_HINGE || joint->kind == CHAIN_SLIDER;
    return single ? poise__tie(tree, (int)chain->numbers[joint->number].node.index1 - 1) : NULL;
}

// Sets the range of number i to the one that the range of the leader's joint implies.
static void take_range(Chain* chain, const PoiseTree* tree, int i, const Tie* tie) {
    const Joint* leader = &tree->nodes[tie->leader].joint;
    ChainJoint* joint = &chain->joints[i];
    ChainNumber* number = &chain->numbers[joint->number];
    const double a = tie->ratio * leader->lower[0] + tie->offset;
    const double b = tie->ratio * leader->upper[0] + tie->offset;
    number->lower = poise_min(a, b);
    number->upper = poise_max(a, b);
    poise__chain_set_range(chain, i);
    joint->tied = true;
    // a whole turn of one joint would rotate the others by other angles
    joint->open = false;
}

void poise__chain_couple(const ChainJoint* joint, const Tie* own, const ChainJoint* first,
                         const Tie* its, ChainTie* tie) {
    tie->number_ratio = own->ratio / its->ratio;
    tie->number_offset = own->offset - tie->number_ratio * its->offset;
    tie->ratio = tie->number_ratio * joint->scale / first->scale;
    tie->offset = joint->scale * tie->number_offset + joint->offset - tie->ratio * first->offset;
}

void poise__chain_tie(Chain* chain, const PoiseTree* tree) {
    for (int i = 0; i < chain->joint_count && tree->tie_count > 0; i++) {
        const Tie* own = tie_of(chain, tree, i);
        if (!own) {
            continue;
        }
        int first = 0;
        while (first < i &&
               (!tie_of(chain, tree, first) || tie_of(chain, tree, first)->leader != own->leader)) {
            first++;
        }
        chain->coupled = true;
        take_range(chain, tree, i, own);
        if (first < i) {
            ChainJoint* joint = &chain->joints[i];
            ChainTie* tie = &chain->ties[chain->tie_count++];
            *tie = (ChainTie){.joint = i, .leader = first};
            poise__chain_couple(joint, own, &chain->joints[first], tie_of(chain, tree, first), tie);
            joint->follows = true;
            joint->lower = chain->lowers[i] = -HUGE_VAL;
            joint->upper = chain->uppers[i] = HUGE_VAL;
        }
    }
}
