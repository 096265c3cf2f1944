// SPDX-License-Identifier: MIT
// Places parts in the world and computes their gaps. Carrier.travel sums the bounds of a carrier's
// motions. Pair.clear is a computed gap plus the travels of both carriers at that time, so the gap
// is always at least `clear` minus the present travels. While this bound is large enough, no gap is
// computed. Results do not depend on it.
#include "apart.h"

#include <stdlib.h>
#include <string.h>

// m; if a travel exceeds this, all restart at 0, so that their rounding errors stay below SLACK
#define FAR 64.0

// Returns the carrier of the part's link if there already is one, else -1.
static int carrier_of(const PoiseApart* apart, const Part* part) {
    for (int c = 0; c < apart->carrier_count && part->link != NO_SLOT; c++) {
        if (apart->carriers[c].link == part->link) {
            return c;
        }
    }
    return -1;
}

void poise__carriers_find(PoiseApart* apart) {
    apart->carrier_count = 0;
    for (int i = 0; i < apart->part_count; i++) {
        Part* part = &apart->parts[i];
        part->carrier = carrier_of(apart, part);
        if (part->carrier < 0) {
            part->carrier = apart->carrier_count++;
            apart->carriers[part->carrier] =
                (Carrier){.link = part->link, .part = i, .pose = poise_pose_identity()};
        }
        Carrier* carrier = &apart->carriers[part->carrier];
        const double reach = poise_length(part->shape.pose.p) + part->reach;
        carrier->reach = poise_max(carrier->reach, reach);
    }
}

static int by_carrier(const void* first, const void* second) {
    const Pair* p = first;
    const Pair* q = second;
    const int keys[2][4] = {{p->a_carrier, p->b_carrier, p->a, p->b},
                            {q->a_carrier, q->b_carrier, q->a, q->b}};
    for (int i = 0; i < 4; i++) {
        if (keys[0][i] != keys[1][i]) {
            return keys[0][i] - keys[1][i];
        }
    }
    return 0;
}

void poise__bundles_find(PoiseApart* apart) {
    Bundle* last = NULL;
    apart->bundle_count = 0;
    for (int k = 0; k < apart->pair_count; k++) {
        Pair* pair = &apart->pairs[k];
        pair->a_carrier = apart->parts[pair->a].carrier;
        pair->b_carrier = apart->parts[pair->b].carrier;
        pair->clear = 0.0;
    }
    qsort(apart->pairs, (size_t)apart->pair_count, sizeof *apart->pairs, by_carrier);
    for (int k = 0; k < apart->pair_count; k++) {
        const Pair* pair = &apart->pairs[k];
        if (!last || last->a_carrier != pair->a_carrier || last->b_carrier != pair->b_carrier) {
            last = &apart->bundles[apart->bundle_count++];
            *last = (Bundle){.first = k,
                             .a_carrier = pair->a_carrier,
                             .b_carrier = pair->b_carrier,
                             .kept = pair->kept};
        }
        last->kept = poise_min(last->kept, pair->kept);
        last->count++;
    }
}

void poise__gaps_forget(PoiseApart* apart) {
    for (int k = 0; k < apart->pair_count; k++) {
        apart->pairs[k].clear = 0.0;
    }
    for (int i = 0; i < apart->bundle_count; i++) {
        apart->bundles[i].clear = 0.0;
    }
}

bool poise__part_is_there(const PoiseTree* tree, const Part* part) {
    return part->link == NO_SLOT ||
           (part->link < tree->node_slots && tree->nodes[part->link].alive &&
            tree->nodes[part->link].sequence == part->sequence);
}

// Drops the pairs whose links were destroyed.
static void forget_destroyed(PoiseApart* apart) {
    const PoiseTree* tree = apart->source.tree;
    bool gone = false;
    for (int i = 0; i < apart->carrier_count; i++) {
        gone = gone || !poise__part_is_there(tree, &apart->parts[apart->carriers[i].part]);
    }
    if (!gone) {
        return;
    }
    for (int k = 0; k < apart->pair_count; k++) {
        const Pair* pair = &apart->pairs[k];
        if (!poise__part_is_there(tree, &apart->parts[pair->a]) ||
            !poise__part_is_there(tree, &apart->parts[pair->b])) {
            apart->pairs[k--] = apart->pairs[--apart->pair_count];
        }
    }
    for (int i = 0; i < apart->part_count; i++) {
        if (!poise__part_is_there(tree, &apart->parts[i])) {
            apart->parts[i].link = NO_SLOT;
        }
    }
    poise__carriers_find(apart);
    poise__bundles_find(apart);
}

// Bounds the motion of a carrier's parts between two poses, m. Quaternions of length 1 differ by
// at least half the chord of the rotation between them.
static double motion_between(const Carrier* carrier, PoisePose to) {
    const PoisePose from = carrier->pose;
    const double w = to.q.w - from.q.w, x = to.q.x - from.q.x;
    const double y = to.q.y - from.q.y, z = to.q.z - from.q.z;
    const double turn = 2.0 * sqrt(w * w + x * x + y * y + z * z);
    return poise_length(poise_sub(to.p, from.p)) + turn * carrier->reach;
}

void poise__carriers_place(PoiseApart* apart) {
    const PoiseTree* tree = apart->source.tree;
    bool far = false;
    forget_destroyed(apart);
    for (int i = 0; i < apart->carrier_count; i++) {
        Carrier* carrier = &apart->carriers[i];
        const PoisePose pose = carrier->link == NO_SLOT
                                   ? apart->parts[carrier->part].pose
                                   : tree->nodes[carrier->link].joint.link_world;
        if (memcmp(&pose, &carrier->pose, sizeof pose) != 0) {
            carrier->travel += motion_between(carrier, pose);
            carrier->pose = pose;
            far = far || !(carrier->travel < FAR);
        }
    }
    for (int i = 0; far && i < apart->carrier_count; i++) {
        apart->carriers[i].travel = 0.0;
    }
    if (far) {
        poise__gaps_forget(apart);
    }
}

Core poise__part_core(const PoiseApart* apart, int part) {
    const Part* own = &apart->parts[part];
    return poise__core(&own->shape, apart->carriers[own->carrier].pose);
}

static PoiseVec3 centre_of(const PoiseApart* apart, const Part* part) {
    return poise_pose_apply(apart->carriers[part->carrier].pose, part->shape.pose.p);
}

double poise__parts_room(const PoiseApart* apart, const Pair* pair) {
    const Part* a = &apart->parts[pair->a];
    const Part* b = &apart->parts[pair->b];
    const PoiseVec3 off = poise_sub(centre_of(apart, a), centre_of(apart, b));
    return poise_length(off) - a->reach - b->reach;
}

PoiseGap poise__parts_gap(const PoiseApart* apart, const Pair* pair) {
    PoiseGap gap = {.distance = 0.0};
    const Core a = poise__part_core(apart, pair->a), b = poise__part_core(apart, pair->b);
    poise__core_gap(&a, &b, &gap);
    return gap;
}
