// SPDX-License-Identifier: MIT
// Compiles a body from a tree: divides the nodes that move tips into parts without a branch,
// compiles each part as a chain, and collects the parts of each group.
#include "body_apart.h"

enum { DEFAULT_SEEDS = 1024, LEAST_SEEDS = 8, MOST_SEEDS = 65536 };
/// Number of seeds of a part of the trunk.
enum { TRUNK_SEEDS = 64 };

/// Properties of a node during compilation.
typedef struct NodeUse {
    bool used;
    bool moves;
    int mover; ///< first moving node on the path to the base, this node included; NO_SLOT: none
    int kids;  ///< number of moving nodes that a moving node carries directly
    int tips;  ///< number of tips with a target in the world that a moving node carries directly
    bool ends; ///< of a moving node: a part ends here because of a tip or its frame
    int part;  ///< index of the part that ends at this node; -1: none
} NodeUse;

/// A part that is not yet in a group.
typedef struct Draft {
    int first; ///< slot of its node nearest to the base
    int last;  ///< slot of the outermost moving node
    int parent;
    int group;
    int index; ///< index of the part in its group
} Draft;

typedef struct Compiler {
    PoiseTree* tree;
    const PoiseBodyDef* def;
    NodeIsRigid* is_rigid;
    PoiseBody* body;
    NodeUse* uses;
    int part_count;
    Draft parts[BODY_MOST_PARTS];
} Compiler;

PoiseBodyDef poise_default_body_def(void) {
    return (PoiseBodyDef){.cookie = COOKIE_BODY, .seeds = DEFAULT_SEEDS};
}

static bool fail(PoiseTree* tree, const char* problem) {
    poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_body_compile: %s", problem);
    return false;
}

static bool check_tips(PoiseTree* tree, const PoiseBodyDef* def) {
    if (!def->tips || def->tip_count < 1 || def->tip_count > BODY_MOST_TIPS) {
        return fail(tree, "tip_count must be 1 to 32, with the tips");
    }
    if (def->seeds < LEAST_SEEDS || def->seeds > MOST_SEEDS) {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                    "poise_body_compile: seeds must be 8 to 65536, not %d", def->seeds);
        return false;
    }
    for (int i = 0; i < def->tip_count; i++) {
        if (!poise__node(tree, def->tips[i].link)) {
            poise__fail(tree, POISE_ERROR_INVALID_HANDLE,
                        "poise_body_compile: the link of tip %d is not a node of this tree", i);
            return false;
        }
        if (!def->tips[i].centre_of_mass && !poise__is_frame(def->tips[i].in_link)) {
            poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                        "poise_body_compile: in_link of tip %d is not finite, or its rotation 0",
                        i);
            return false;
        }
        if (def->tips[i].frame.index1 != 0 && !poise__node(tree, def->tips[i].frame)) {
            poise__fail(tree, POISE_ERROR_INVALID_HANDLE,
                        "poise_body_compile: the frame of tip %d is not a node of this tree", i);
            return false;
        }
    }
    return true;
}

static BodyTipKind kind_of(const PoiseBodyDef* def, int tip) {
    return def->tips[tip].centre_of_mass      ? BODY_TIP_CENTRE
           : def->tips[tip].frame.index1 != 0 ? BODY_TIP_FRAME
                                              : BODY_TIP_WORLD;
}

// True if the rows of some tip join limbs.
static bool joins_limbs(const PoiseBodyDef* def) {
    bool joins = false;
    for (int i = 0; i < def->tip_count; i++) {
        joins = joins || kind_of(def, i) != BODY_TIP_WORLD;
    }
    return joins;
}

static int link_of(const PoiseBodyDef* def, int tip) {
    return (int)def->tips[tip].link.index1 - 1;
}

// Returns the first moving node on the path from a slot to the base, `slot` excluded.
static int mover_above(const Compiler* c, int slot) {
    const int parent = c->tree->nodes[slot].parent;
    return parent == NO_SLOT ? NO_SLOT : c->uses[parent].mover;
}

static void use_node(Compiler* c, int slot) {
    if (slot == NO_SLOT || c->uses[slot].used) {
        return;
    }
    NodeUse* use = &c->uses[slot];
    use->used = true;
    use->part = -1;
    use->moves = !c->is_rigid(c->tree, slot);
    // recursion toward the base: the parent comes first
    use_node(c, c->tree->nodes[slot].parent);
    const int above = mover_above(c, slot);
    use->mover = use->moves ? slot : above;
    if (use->moves && above != NO_SLOT) {
        c->uses[above].kids++;
    }
}

// True if the part of this moving node continues with the next one.
static bool continues(const NodeUse* use) {
    return use->kids == 1 && use->tips == 0 && !use->ends;
}

// Returns the part that ends at a moving node, or makes it. -1 if there are too many parts.
static int part_at(Compiler* c, int slot) {
    if (c->uses[slot].part >= 0) {
        return c->uses[slot].part;
    }
    int first = slot;
    int above = mover_above(c, slot);
    while (above != NO_SLOT && continues(&c->uses[above])) {
        first = above;
        above = mover_above(c, above);
    }
    const int parent = above == NO_SLOT ? -1 : part_at(c, above);
    if (c->part_count == BODY_MOST_PARTS || (above != NO_SLOT && parent < 0)) {
        return -1;
    }
    while (c->tree->nodes[first].parent != above && c->tree->nodes[first].parent != NO_SLOT) {
        first = c->tree->nodes[first].parent;
    }
    Draft* part = &c->parts[c->part_count];
    *part = (Draft){first, slot, parent, -1, 0};
    c->uses[slot].part = c->part_count;
    return c->part_count++;
}

// Marks the nodes that move the centre of mass of a tip. False if no node moves it.
static bool use_mass(Compiler* c, int tip) {
    const PoiseTree* tree = c->tree;
    bool moves = false;
    for (int i = 0; i < tree->node_count; i++) {
        const int slot = tree->order[i];
        if (poise__carries(tree, link_of(c->def, tip), slot)) {
            use_node(c, slot);
            moves = moves || c->uses[slot].mover != NO_SLOT;
        }
    }
    return moves;
}

// Marks the nodes that move a tip, and ends a part at its node. False if no node moves the tip.
static bool use_tip(Compiler* c, int tip) {
    const BodyTipKind kind = kind_of(c->def, tip);
    if (kind == BODY_TIP_CENTRE) {
        return use_mass(c, tip);
    }
    use_node(c, link_of(c->def, tip));
    const int mover = c->uses[link_of(c->def, tip)].mover;
    if (kind == BODY_TIP_WORLD && mover != NO_SLOT) {
        c->uses[mover].tips++;
    }
    if (kind == BODY_TIP_FRAME) {
        const int frame = (int)c->def->tips[tip].frame.index1 - 1;
        use_node(c, frame);
        const int other = c->uses[frame].mover;
        if (mover == NO_SLOT || other == NO_SLOT || mover == other) {
            return false;
        }
        c->uses[mover].ends = true;
        c->uses[other].ends = true;
    }
    return mover != NO_SLOT;
}

// Divides the nodes into parts, sorted from the base outward.
static bool divide(Compiler* c) {
    for (int i = 0; i < c->def->tip_count; i++) {
        if (!use_tip(c, i)) {
            poise__fail(c->tree, POISE_ERROR_CANNOT_MOVE,
                        "poise_body_compile: no enabled node moves tip %d, or its frame, or one "
                        "relative to the other",
                        i);
            return false;
        }
    }
    // parts end at tips, and at the outermost nodes that move only a centre of mass
    bool room = true;
    for (int i = 0; room && i < c->def->tip_count; i++) {
        const BodyTipKind kind = kind_of(c->def, i);
        if (kind != BODY_TIP_CENTRE) {
            room = part_at(c, c->uses[link_of(c->def, i)].mover) >= 0;
        }
        if (room && kind == BODY_TIP_FRAME) {
            room = part_at(c, c->uses[(int)c->def->tips[i].frame.index1 - 1].mover) >= 0;
        }
    }
    for (int i = 0; room && i < c->tree->node_count; i++) {
        const NodeUse* use = &c->uses[c->tree->order[i]];
        room = !use->used || !use->moves || use->kids > 0 || part_at(c, c->tree->order[i]) >= 0;
    }
    return room || fail(c->tree, "the tips have more than 64 branches");
}

// ------------------------------------------------------------------------------------------ chains

// Returns the index of a limb's tip; -1 if the part is in the trunk.
static int only_tip(const Compiler* c, const Draft* part) {
    const NodeUse* end = &c->uses[part->last];
    if (end->kids > 0 || end->tips != 1) {
        return -1;
    }
    int tip = 0;
    while (kind_of(c->def, tip) != BODY_TIP_WORLD ||
           c->uses[link_of(c->def, tip)].mover != part->last) {
        tip++;
    }
    return tip;
}

// Returns the def of a part's chain. Before find_unit its unit is 0.
static ChainDef def_of(const Compiler* c, const Draft* part) {
    const int tip = only_tip(c, part);
    return (ChainDef){
        .tip = poise__node_id(c->tree, tip < 0 ? part->last : link_of(c->def, tip)),
        .in_link = tip < 0 ? poise_pose_identity() : c->def->tips[tip].in_link,
        .first = part->parent < 0 ? poise_null_node() : poise__node_id(c->tree, part->first),
        .unit = c->body->unit,
        .is_rigid = c->is_rigid,
        .seeds = tip < 0 ? TRUNK_SEEDS : c->def->seeds,
        // each part has random numbers of its own
        .seed = c->def->seed + (uint64_t)(part - c->parts),
        .host = c->def->host,
    };
}

// Returns the body's unit of length, m: a fraction of the mean reach of its tips. 0 if some nodes
// cannot form a chain.
static double find_unit(const Compiler* c) {
    double reaches[BODY_MOST_PARTS];
    double sum = 0.0;
    for (int p = 0; p < c->part_count; p++) {
        Chain chain;
        const ChainDef def = def_of(c, &c->parts[p]);
        if (!poise__chain_lay_joints(c->tree, &def, &chain)) {
            return 0.0;
        }
        const int parent = c->parts[p].parent;
        reaches[p] = chain.reach + poise_length(chain.base.p) * (parent >= 0);
        reaches[p] += parent < 0 ? 0.0 : reaches[parent];
    }
    int count = 0;
    for (int i = 0; i < c->def->tip_count; i++) {
        if (kind_of(c->def, i) != BODY_TIP_CENTRE) {
            sum += reaches[c->uses[c->uses[link_of(c->def, i)].mover].part];
            count++;
        }
    }
    for (int p = 0; count == 0 && p < c->part_count; p++) {
        sum = fmax(sum, reaches[p]);
    }
    const double unit = sum / CHAIN_REACH_UNITS / fmax(count, 1.0);
    return unit > 0.0 ? unit : 1.0;
}

// Returns the part of a moving node, or -1 if the body does not use the node.
static int part_with(const Compiler* c, int slot) {
    for (int p = 0; p < c->part_count; p++) {
        const int above = mover_above(c, c->parts[p].first);
        for (int at = c->parts[p].last; at != above && at != NO_SLOT; at = mover_above(c, at)) {
            if (at == slot) {
                return p;
            }
        }
    }
    return -1;
}

// True if nodes of different parts are coupled.
static bool couples_parts(const Compiler* c) {
    const PoiseTree* tree = c->tree;
    for (int a = 0; a < tree->tie_count; a++) {
        for (int b = 0; b < a; b++) {
            const int one = part_with(c, tree->ties[a].node);
            const int other = part_with(c, tree->ties[b].node);
            const bool together = tree->ties[a].leader == tree->ties[b].leader;
            if (together && one >= 0 && other >= 0 && one != other) {
                return true;
            }
        }
    }
    return false;
}

// Returns the tie of joint i if it is coupled to a joint of another part, else NULL.
static const Tie* tie_of(const Compiler* c, const BodyPart* part, int i) {
    const ChainJoint* joint = &part->chain->joints[i];
    return joint->tied && !joint->follows
               ? poise__tie(c->tree, (int)part->chain->numbers[joint->number].node.index1 - 1)
               : NULL;
}

// Couples joint i of part p with the first joint of its coupled group that is in an earlier part.
// False if there are too many couplings.
static bool add_join(const Compiler* c, BodyGroup* group, int p, int i) {
    const BodyPart* part = &group->parts[p];
    const Tie* own = tie_of(c, part, i);
    for (int before = 0; own && before < p; before++) {
        const BodyPart* other = &group->parts[before];
        for (int k = 0; k < other->chain->joint_count; k++) {
            const Tie* its = tie_of(c, other, k);
            if (!its || its->leader != own->leader) {
                continue;
            }
            if (group->join_count == BODY_MOST_JOINS) {
                return fail(c->tree, "more than 8 couplings join limbs");
            }
            ChainTie tie = {.joint = i, .leader = k};
            poise__chain_couple(&part->chain->joints[i], own, &other->chain->joints[k], its, &tie);
            group->joins[group->join_count++] =
                (BodyJoin){part->begin + i, other->begin + k, tie.ratio, tie.offset};
            return true;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------------ groups

static void set_frame(PoisePose pose, double unit, BodyPart* part) {
    const PoiseQuat q = pose.q;
    poise__chain_rows(q, part->turn);
    part->plain = q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
    part->start[0] = pose.p.x / unit;
    part->start[1] = pose.p.y / unit;
    part->start[2] = pose.p.z / unit;
}

// Copies the joints of a part's chain to the group.
static void add_joints(BodyGroup* group, BodyPart* part) {
    const Chain* chain = part->chain;
    part->begin = group->joint_count;
    part->ball = group->ball_count;
    for (int i = 0; i < chain->joint_count; i++) {
        ChainJoint* joint = &group->joints[group->joint_count++];
        *joint = chain->joints[i];
        joint->ball += part->ball;
        joint->lower = chain->lowers[i];
        joint->upper = chain->uppers[i];
    }
    for (int t = 0; t < chain->tie_count; t++) {
        ChainTie* tie = &group->ties[group->tie_count++];
        *tie = chain->ties[t];
        tie->joint += part->begin;
        tie->leader += part->begin;
    }
    group->ball_count += chain->ball_count;
    part->end = group->joint_count;
}

// Adds the degrees of freedom of a part of the trunk to the group. False if there are too many.
static bool add_dofs(BodyGroup* group, BodyPart* part) {
    for (int i = part->begin; i < part->end; i++) {
        const int axes = group->joints[i].kind == CHAIN_BALL ? 3 : 1;
        for (int k = 0; k < axes; k++) {
            if (group->dof_count == BODY_MOST_TRUNK) {
                return false;
            }
            group->dofs[group->dof_count] = (BodyDof){i, k, part->last};
            part->last = group->dof_count++;
        }
    }
    return true;
}

// Converts a frame on the link of `slot` to the link of the first moving node on the path to the
// base, or to the world.
static PoisePose frame_in_mover(const Compiler* c, int slot, PoisePose frame) {
    while (slot != NO_SLOT && !c->uses[slot].moves) {
        const Node* node = &c->tree->nodes[slot];
        PoisePose moved = node->joint.joint_in_parent;
        poise__joint_apply(&node->joint, &moved);
        frame = poise_pose_mul(poise_pose_mul(moved, node->joint.link_in_joint), frame);
        frame = node->parent == NO_SLOT ? poise_pose_mul(node->base, frame) : frame;
        slot = node->parent;
    }
    return frame;
}

// Returns the frame in which the group's free joint has its coordinates, world.
static PoisePose frame_of_base(const Compiler* c, const Draft* part) {
    int slot = part->last;
    while (mover_above(c, slot) != NO_SLOT) {
        slot = mover_above(c, slot);
    }
    const Node* node = &c->tree->nodes[slot];
    const PoisePose frame = node->joint.joint_in_parent;
    return node->parent == NO_SLOT ? poise_pose_mul(node->base, frame)
                                   : frame_in_mover(c, node->parent, frame);
}

static bool floats(const Chain* chain) {
    const ChainJoint* j = chain->joints;
    return chain->joint_count > 3 && j[0].kind == CHAIN_SLIDER && j[1].kind == CHAIN_SLIDER &&
           j[2].kind == CHAIN_SLIDER && j[3].kind == CHAIN_BALL &&
           chain->numbers[0].lower == -HUGE_VAL && chain->numbers[0].upper == HUGE_VAL;
}

// Adds a compiled part to its group. False if the group is full.
static bool add_part(const Compiler* c, BodyGroup* group, Draft* draft, Chain* chain) {
    BodyPart* part = &group->parts[group->part_count];
    const BodyPart* parent = NULL;
    memset(part, 0, sizeof *part);
    part->chain = chain;
    part->parent = -1;
    part->last = -1;
    part->tip = -1;
    part->number = c->body->posture_size;
    part->dof = c->body->nv;
    draft->index = group->part_count++;
    if (c->body->nv + chain->nv > POISE_BODY_MOST_DOF) {
        return fail(c->tree, "the body has more than 128 degrees of freedom");
    }
    if (draft->parent < 0 && draft->index > 0) {
        const PoisePose start = poise_pose_mul(poise_pose_inverse(group->base), chain->base);
        set_frame(start, c->body->unit, part);
        if (floats(chain) || group->parts[0].floats) {
            return fail(c->tree, "a floating base and another base cannot be joined");
        }
    } else if (draft->parent < 0) {
        group->base = chain->base;
        part->floats = floats(chain);
        group->free_in_group =
            poise_pose_mul(poise_pose_inverse(chain->base), frame_of_base(c, draft));
        set_frame(poise_pose_identity(), c->body->unit, part);
    } else {
        part->parent = c->parts[draft->parent].index;
        parent = &group->parts[part->parent];
        part->last = parent->last;
        const PoisePose turn = poise_pose(poise_vec3(0.0, 0.0, 0.0), parent->chain->tip);
        set_frame(poise_pose_mul(turn, chain->base), c->body->unit, part);
    }
    add_joints(group, part);
    c->body->posture_size += chain->posture_size;
    c->body->nv += chain->nv;
    if (only_tip(c, draft) < 0 && !add_dofs(group, part)) {
        return fail(c->tree, "the trunk has more than 64 degrees of freedom");
    }
    return true;
}

// Compiles the parts and adds them to groups.
static bool gather(Compiler* c) {
    PoiseBody* body = c->body;
    const bool joined = joins_limbs(c->def) || couples_parts(c);
    for (int p = 0; p < c->part_count; p++) {
        Draft* draft = &c->parts[p];
        if (draft->parent < 0 && body->group_count > 0 && joined) {
            draft->group = 0;
        } else if (draft->parent < 0) {
            BodyGroup* group = poise_host_allocate(&body->host, sizeof *group);
            if (!group) {
                poise__fail(c->tree, POISE_ERROR_OUT_OF_MEMORY,
                            "poise_body_compile: no memory for a group");
                return false;
            }
            memset(group, 0, sizeof *group);
            group->unit = body->unit;
            group->centre = -1;
            draft->group = body->group_count;
            body->groups[body->group_count++] = group;
        } else {
            draft->group = c->parts[draft->parent].group;
        }
        const ChainDef def = def_of(c, draft);
        Chain* chain = poise__chain_make(c->tree, &def);
        // the group owns the chain from here on
        if (!chain || !add_part(c, body->groups[draft->group], draft, chain)) {
            return false;
        }
    }
    for (int p = 0; joined && p < body->groups[0]->part_count; p++) {
        for (int i = 0; i < body->groups[0]->parts[p].chain->joint_count; i++) {
            if (!add_join(c, body->groups[0], p, i)) {
                return false;
            }
        }
    }
    for (int p = 0; p < c->part_count; p++) {
        const Draft* draft = &c->parts[p];
        body->parts[body->part_count++] = &body->groups[draft->group]->parts[draft->index];
    }
    for (int g = 0; g < body->group_count; g++) {
        BodyGroup* group = body->groups[g];
        for (int i = 0; i < group->joint_count; i++) {
            ChainJoint* joint = &group->joints[i];
            joint->q = poise__chain_is_ball(joint) ? group->joint_count + 4 * joint->ball : i;
            group->slots[i] = group->slot_count;
            group->slot_count += joint->kind == CHAIN_BALL ? 3 : 1;
        }
    }
    return true;
}

// -------------------------------------------------------------------------------------------- tips

// Computes upper bounds of the distance of a tip from the group's first joint: the sum of the
// lengths of the parts between. The shell of a part may give a smaller bound for `reach`.
static void set_reach(const BodyGroup* group, BodyTip* tip) {
    tip->free_reach = poise_length(poise_vec3(tip->arm[0], tip->arm[1], tip->arm[2]));
    tip->reach = tip->free_reach;
    bool open = false;
    for (int p = tip->part; p >= 0; p = group->parts[p].parent) {
        const BodyPart* part = &group->parts[p];
        const Chain* chain = part->chain;
        const ChainShell* shell = &chain->tip_shell;
        const double start =
            poise_length(poise_vec3(part->start[0], part->start[1], part->start[2]));
        const double length = chain->reach / group->unit;
        const double bound = poise_length(shell->centre) + shell->most;
        tip->free_reach += length + start;
        tip->reach += fmin(length, bound) + start;
        for (int i = 0; i < chain->joint_count; i++) {
            const ChainNumber* number = &chain->numbers[chain->joints[i].number];
            open |= chain->joints[i].kind == CHAIN_SLIDER &&
                    !(isfinite(number->lower) && isfinite(number->upper));
        }
    }
    tip->reach = open ? HUGE_VAL : tip->reach;
}

// Returns the index in its group of the part that carries the link.
static int part_of_link(const Compiler* c, int slot) {
    return c->parts[c->uses[c->uses[slot].mover].part].index;
}

// Returns a bit for each part on the path from `part` to the base.
static uint64_t bits_of(const BodyGroup* group, int part) {
    uint64_t bits = 0;
    for (int p = part; p >= 0; p = group->parts[p].parent) {
        bits |= (uint64_t)1 << p;
    }
    return bits;
}

// Converts a frame on a link to the last frame of its part. The last frame of a limb is at its tip.
static PoisePose frame_in_part(const Compiler* c, const BodyGroup* group, const BodyPart* part,
                               int slot, PoisePose frame) {
    const PoisePose turn = poise_pose(poise_vec3(0.0, 0.0, 0.0), part->chain->tip);
    frame.q = poise_quat_normalize(frame.q);
    frame = frame_in_mover(c, slot, frame);
    if (part->tip >= 0) {
        const PoiseBodyTip* end = &c->def->tips[group->tips[part->tip].number];
        PoisePose in_link = end->in_link;
        in_link.q = poise_quat_normalize(in_link.q);
        const PoisePose at_tip = frame_in_mover(c, (int)end->link.index1 - 1, in_link);
        frame = poise_pose_mul(poise_pose_inverse(at_tip), frame);
    }
    return poise_pose_mul(turn, frame);
}

// Sets the frame of the target, for a tip whose target is in the frame of another link.
static void set_other(const Compiler* c, const BodyGroup* group, int index, BodyTip* tip) {
    const int slot = (int)c->def->tips[index].frame.index1 - 1;
    tip->other = part_of_link(c, slot);
    tip->other_bits = bits_of(group, tip->other);
    tip->other_frame =
        frame_in_part(c, group, &group->parts[tip->other], slot, poise_pose_identity());
}

static void add_tip(Compiler* c, int index) {
    const BodyTipKind kind = kind_of(c->def, index);
    const int slot = link_of(c->def, index);
    const int g = kind == BODY_TIP_CENTRE ? 0 : c->parts[c->uses[c->uses[slot].mover].part].group;
    BodyGroup* group = c->body->groups[g];
    const int place = group->tip_count + group->dense_count;
    BodyTip* tip = &group->tips[place];
    memset(tip, 0, sizeof *tip);
    tip->kind = kind;
    tip->number = index;
    tip->part = -1;
    tip->other = -1;
    c->body->tip_group[index] = g;
    c->body->tip_index[index] = place;
    *(kind == BODY_TIP_WORLD ? &group->tip_count : &group->dense_count) += 1;
    if (kind == BODY_TIP_CENTRE) {
        group->centre = place;
        return;
    }
    tip->part = part_of_link(c, slot);
    tip->part_bits = bits_of(group, tip->part);
    BodyPart* part = &group->parts[tip->part];
    const Draft* draft = &c->parts[c->uses[c->uses[slot].mover].part];
    tip->limb = kind == BODY_TIP_WORLD && only_tip(c, draft) == index;
    tip->frame = poise_pose(poise_vec3(0.0, 0.0, 0.0), part->chain->tip);
    if (tip->limb) {
        part->tip = place;
    } else {
        tip->frame = frame_in_part(c, group, part, slot, c->def->tips[index].in_link);
    }
    if (kind == BODY_TIP_FRAME) {
        set_other(c, group, index, tip);
    }
    tip->arm[0] = tip->frame.p.x / group->unit;
    tip->arm[1] = tip->frame.p.y / group->unit;
    tip->arm[2] = tip->frame.p.z / group->unit;
    set_reach(group, tip);
    for (int d = part->last; d >= 0; d = group->dofs[d].up) {
        tip->trunk_count++;
    }
    for (int d = part->last, i = tip->trunk_count - 1; d >= 0; d = group->dofs[d].up) {
        tip->trunk[i--] = d;
        tip->trunk_bits |= (uint64_t)1 << d;
    }
}

// ------------------------------------------------------------------------------------------ masses

// Returns the pose of a link in the world, computed from the present posture of the tree.
static PoisePose link_now(const PoiseTree* tree, int slot) {
    PoisePose frame = poise_pose_identity();
    for (; slot != NO_SLOT; slot = tree->nodes[slot].parent) {
        const Node* node = &tree->nodes[slot];
        PoisePose moved = node->joint.joint_in_parent;
        poise__joint_apply(&node->joint, &moved);
        frame = poise_pose_mul(poise_pose_mul(moved, node->joint.link_in_joint), frame);
        frame = node->parent == NO_SLOT ? poise_pose_mul(node->base, frame) : frame;
    }
    return frame;
}

// Returns the last joint that the group has of a moving node.
static int joint_of_node(const BodyGroup* group, int slot) {
    int last = 0;
    for (int p = 0; p < group->part_count; p++) {
        const Chain* chain = group->parts[p].chain;
        for (int i = 0; i < chain->joint_count; i++) {
            if ((int)chain->numbers[chain->joints[i].number].node.index1 - 1 == slot) {
                last = group->parts[p].begin + i;
            }
        }
    }
    return last;
}

// Computes `carried` of each joint, from the tips to the base.
static void set_carried(BodyGroup* group) {
    double sums[BODY_MOST_PARTS] = {0.0};
    for (int p = group->part_count - 1; p >= 0; p--) {
        const BodyPart* part = &group->parts[p];
        for (int i = part->end - 1; i >= part->begin; i--) {
            sums[p] += group->masses[i].mass;
            group->carried[i] = sums[p];
        }
        if (part->parent >= 0) {
            sums[part->parent] += sums[p];
        }
    }
}

// Computes the mass that moves with each joint. False if the links have no mass.
static bool set_masses(const Compiler* c, BodyGroup* group) {
    const PoiseTree* tree = c->tree;
    double posture[POISE_BODY_MOST_POSTURE];
    double q[BODY_MOST_Q];
    PoisePose frames[BODY_MOST_JOINTS];
    double whole = 0.0;
    const int root = link_of(c->def, group->tips[group->centre].number);
    if (poise_body_read(c->body, tree, posture) != POISE_OK) {
        return false;
    }
    for (int p = 0; p < group->part_count; p++) {
        double own[CHAIN_MOST_Q];
        poise__chain_load_as_given(group->parts[p].chain, &posture[group->parts[p].number], own);
        poise__group_put(group, &group->parts[p], own, q);
    }
    poise__body_exact.trace(group, q, frames);
    for (int i = 0; i < tree->node_count; i++) {
        const int slot = tree->order[i];
        whole += poise__carries(tree, root, slot) ? tree->nodes[slot].mass : 0.0;
    }
    for (int i = 0; whole > 0.0 && i < tree->node_count; i++) {
        const int slot = tree->order[i];
        const double mass = tree->nodes[slot].mass / whole;
        if (!(mass > 0.0) || !poise__carries(tree, root, slot)) {
            continue;
        }
        const PoiseVec3 at =
            poise_pose_apply(poise_pose_inverse(group->base),
                             poise_pose_apply(link_now(tree, slot), tree->nodes[slot].com_link));
        const PoiseVec3 place = poise_scale(1.0 / group->unit, at);
        if (c->uses[slot].mover == NO_SLOT) {
            group->still[0] += mass * place.x;
            group->still[1] += mass * place.y;
            group->still[2] += mass * place.z;
            continue;
        }
        const int joint = joint_of_node(group, c->uses[slot].mover);
        BodyMass* own = &group->masses[joint];
        const PoiseVec3 in = poise_pose_apply(poise_pose_inverse(frames[joint]), place);
        own->mass += mass;
        own->moment[0] += mass * in.x;
        own->moment[1] += mass * in.y;
        own->moment[2] += mass * in.z;
    }
    set_carried(group);
    return whole > 0.0;
}

// Adds the tips to their groups; those whose rows join limbs come last.
static bool add_tips(Compiler* c) {
    const PoiseBodyDef* def = c->def;
    int rows = c->body->groups[0]->join_count;
    int centres = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < def->tip_count; i++) {
            const BodyTipKind kind = kind_of(def, i);
            if ((kind != BODY_TIP_WORLD) == (pass == 1)) {
                add_tip(c, i);
                rows += kind == BODY_TIP_FRAME ? 6 : kind == BODY_TIP_CENTRE ? 3 : 0;
                centres += kind == BODY_TIP_CENTRE;
            }
        }
    }
    if (rows > BODY_MOST_DENSE) {
        return fail(c->tree, "the tips in frames of links, the centre of mass and the couplings of "
                             "limbs have more than 24 rows");
    }
    if (centres > 1 || (centres > 0 && !set_masses(c, c->body->groups[0]))) {
        return fail(c->tree, "a body has at most one centre of mass, of links with a mass");
    }
    return true;
}

// ------------------------------------------------------------------------------------ public calls

static PoiseBody* compile(Compiler* c) {
    c->body->unit = divide(c) ? find_unit(c) : 0.0;
    if (!(c->body->unit > 0.0) || !gather(c)) {
        poise_body_destroy(c->body);
        return NULL;
    }
    if (!add_tips(c)) {
        poise_body_destroy(c->body);
        return NULL;
    }
    c->body->tip_count = c->def->tip_count;
    for (int g = 0; g < c->body->group_count; g++) {
        BodyGroup* group = c->body->groups[g];
        group->single =
            group->part_count == 1 && group->parts[0].tip >= 0 && !poise__group_is_joined(group);
    }
    return c->body;
}

PoiseBody* poise_body_compile(PoiseTree* tree, const PoiseBodyDef* def) {
    if (!tree) {
        return NULL;
    }
    if (!def || def->cookie != COOKIE_BODY) {
        fail(tree, "the def was not made by poise_default_body_def()");
        return NULL;
    }
    return check_tips(tree, def) ? poise__body_make(tree, def, poise__chain_is_rigid) : NULL;
}

PoiseBody* poise__body_make(PoiseTree* tree, const PoiseBodyDef* def, NodeIsRigid* is_rigid) {
    const size_t size = (size_t)tree->node_slots * sizeof(NodeUse);
    Compiler compiler = {tree, def, is_rigid, NULL, NULL, 0, {{0}}};
    compiler.body = poise_host_allocate(&def->host, sizeof *compiler.body);
    compiler.uses = poise_host_allocate(&def->host, size);
    PoiseBody* made = NULL;
    if (compiler.body && compiler.uses) {
        memset(compiler.uses, 0, size);
        memset(compiler.body, 0, sizeof *compiler.body);
        compiler.body->host = def->host;
        made = compile(&compiler);
    } else {
        poise_host_release(&def->host, compiler.body, sizeof *compiler.body);
        poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_body_compile: no memory");
    }
    poise_host_release(&def->host, compiler.uses, size);
    return made;
}

void poise_body_destroy(PoiseBody* body) {
    if (!body) {
        return;
    }
    poise__body_apart_destroy(body);
    for (int g = 0; g < body->group_count; g++) {
        for (int p = 0; p < body->groups[g]->part_count; p++) {
            poise__chain_destroy(body->groups[g]->parts[p].chain);
        }
        poise_host_release(&body->host, body->groups[g], sizeof *body->groups[g]);
    }
    const PoiseHost host = body->host;
    poise_host_release(&host, body, sizeof *body);
}

int poise_body_dof(const PoiseBody* body) {
    return body ? body->nv : 0;
}

int poise_body_tip_count(const PoiseBody* body) {
    return body ? body->tip_count : 0;
}

int poise_body_group_count(const PoiseBody* body) {
    return body ? body->group_count : 0;
}

double poise_body_unit(const PoiseBody* body) {
    return body ? body->unit : 0.0;
}

bool poise_body_closed(const PoiseBody* body, int tip) {
    if (!body || tip < 0 || tip >= body->tip_count) {
        return false;
    }
    const BodyGroup* group = body->groups[body->tip_group[tip]];
    return group->single && group->parts[0].chain->closed.kind != CHAIN_CLOSED_NONE;
}

int poise_body_posture_size(const PoiseBody* body) {
    return body ? body->posture_size : 0;
}
