// SPDX-License-Identifier: MIT
// Collision avoidance of compiled bodies: copies the parts of a PoiseApart to the joints of a body,
// and computes frames, gaps and rows of Jacobians for body_apart_solve.c.
#define CHAIN_LANES 1
#define CHAIN_EXACT
#include "body_apart.h"

#include "apart.h"
#include "lane_kinematics.h"

#include <string.h>

// m; a gap counts as kept if it is below its distance by at most this
#define ROUNDING 1e-9
// m; bounds of levers assume that a slider without a range moves this far
#define OPEN_TRAVEL 1.0

// -------------------------------------------------------------------------------------- frames

static PoiseVec3 vector_of(V3 v) {
    return poise_vec3(v.x, v.y, v.z);
}

static V3 lanes_of(PoiseVec3 v) {
    return v3(v.x, v.y, v.z);
}

// Returns a frame of lane 0 in the world. `unit`: length of the body's unit, m.
static ApartFrame frame_of(const Frame* f, double unit) {
    return (ApartFrame){vector_of(f->x), vector_of(f->y), vector_of(f->z),
                        poise_scale(unit, vector_of(f->p))};
}

static PoiseVec3 turned(const ApartFrame* f, PoiseVec3 v) {
    return poise_add_scaled(poise_add_scaled(poise_scale(v.x, f->x), v.y, f->y), v.z, f->z);
}

PoisePose poise__apart_pose(const ApartFrame* f) {
    const double rows[9] = {f->x.x, f->y.x, f->z.x, f->x.y, f->y.y, f->z.y, f->x.z, f->y.z, f->z.z};
    return poise_pose(f->p, poise_quat_from_rows(rows));
}

// Moves a frame, in units, by the coordinates of joint i.
static void move(const ChainJoint* joint, int i, const double* q, Frame* f) {
    if (joint->kind == CHAIN_HINGE) {
        V sine, cosine;
        v_sine_cosine(q[i], &sine, &cosine);
        turn_axes(&f->x, &f->y, cosine, sine);
    } else if (joint->kind == CHAIN_SLIDER) {
        turn_axes(&f->x, &f->y, joint->fixed_cos, joint->fixed_sin);
        f->p = v3_fma(q[i], f->z, f->p);
    } else if (poise__chain_is_ball(joint)) {
        const PoiseQuat turn = poise__get_quat(&q[joint->q]);
        const PoiseVec3 x = poise_quat_rotate(turn, poise_vec3(1.0, 0.0, 0.0));
        const PoiseVec3 y = poise_quat_rotate(turn, poise_vec3(0.0, 1.0, 0.0));
        const PoiseVec3 z = poise_quat_rotate(turn, poise_vec3(0.0, 0.0, 1.0));
        turn_by_matrix(f, (double[]){x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z});
    }
}

// Returns the frame before the first joint of a part, in units.
static Frame start_of(const ApartFrames* frames, int g, int p) {
    const BodyGroup* group = frames->body->groups[g];
    const BodyPart* part = &group->parts[p];
    const ApartFrame* end =
        part->parent >= 0 ? &frames->ends[g][part->parent] : &frames->body->apart->bases[g];
    Frame f = {lanes_of(end->x), lanes_of(end->y), lanes_of(end->z),
               lanes_of(poise_scale(1.0 / group->unit, end->p))};
    if (part->parent >= 0) {
        f.p = v3_fma(part->start[0], f.x, f.p);
        f.p = v3_fma(part->start[1], f.y, f.p);
        f.p = v3_fma(part->start[2], f.z, f.p);
    }
    if (part->parent >= 0 && !part->plain) {
        turn_by_matrix(&f, part->turn);
    }
    return f;
}

static void place_part(ApartFrames* frames, int g, int p, const double* q) {
    const BodyGroup* group = frames->body->groups[g];
    const int first = frames->body->apart->first_joint[g];
    Frame f = start_of(frames, g, p);
    for (int i = group->parts[p].begin; i < group->parts[p].end; i++) {
        const ChainJoint* joint = &group->joints[i];
        if (poise__chain_is_ball(joint)) {
            frames->before[first + i] = frame_of(&f, group->unit);
        }
        move(joint, i, q, &f);
        frames->after[first + i] = frame_of(&f, group->unit);
        follow_link(joint, &f);
    }
    frames->ends[g][p] = frame_of(&f, group->unit);
}

void poise__apart_place(ApartFrames* frames, int g, const double* q) {
    const BodyGroup* group = frames->body->groups[g];
    const BodyApart* apart = frames->body->apart;
    for (int p = 0; p < group->part_count; p++) {
        place_part(frames, g, p, q);
    }
    for (int i = 0; i < apart->moved_count; i++) {
        const ApartPart* part = &apart->parts[i];
        if (part->group == g) {
            const ApartFrame* frame = &frames->after[apart->first_joint[g] + part->joint];
            frames->has_core[i] = false;
            frames->centres[i] = poise_add(frame->p, turned(frame, part->centre));
        }
    }
}

// Returns the core of a part, world. Cores on joints are computed when first needed.
static const Core* core_of(ApartFrames* frames, int index) {
    const BodyApart* apart = frames->body->apart;
    const ApartPart* part = &apart->parts[index];
    if (index >= apart->moved_count) {
        return &part->core;
    }
    Core* core = &frames->cores[index];
    if (!frames->has_core[index]) {
        const ApartFrame* frame = &frames->after[apart->first_joint[part->group] + part->joint];
        frames->has_core[index] = true;
        *core = part->core;
        core->pose.p = poise_add(frame->p, turned(frame, part->core.pose.p));
        core->axis = turned(frame, part->core.axis);
        if (core->kind != POISE_CONVEX_CAPSULE) {
            core->pose.q = poise_quat_mul(poise__apart_pose(frame).q, core->pose.q);
        }
    }
    return core;
}

static PoiseGap gap_of(ApartFrames* frames, const ApartPair* pair) {
    PoiseGap gap = {.distance = 0.0};
    poise__core_gap(core_of(frames, pair->a), core_of(frames, pair->b), &gap);
    return gap;
}

// True if a pair was, or may have been, nearer than `gap` at the start.
static bool was_nearer(int pair, double gap, const ApartNeed* need) {
    for (int i = 0; i < need->short_count; i++) {
        if (need->shorts[i].pair == pair) {
            return need->shorts[i].gap.distance < gap;
        }
    }
    return need->short_count == APART_MOST_ROWS;
}

// Returns the least gap that a pair needs, m. Gaps at most ROUNDING below count as kept.
static double needed_gap(const BodyApart* apart, int pair, const ApartNeed* need) {
    double least = need->part * apart->pairs[pair].kept;
    if (need->short_count > 0 && was_nearer(pair, least, need)) {
        least = poise_min(least, need->nearest);
    }
    return least + need->more;
}

double poise__apart_room(ApartFrames* frames, int pair, const ApartNeed* need) {
    const BodyApart* apart = frames->body->apart;
    return gap_of(frames, &apart->pairs[pair]).distance - needed_gap(apart, pair, need);
}

// Returns a bound of `needed_gap` for all pairs, m.
static double largest_need(const BodyApart* apart, const ApartNeed* need) {
    return need->part * apart->most_kept + need->more;
}

static bool balls_are_near(const ApartFrames* frames, const ApartPair* pair, double bound) {
    const PoiseVec3* a = &frames->centres[pair->a];
    const PoiseVec3* b = pair->fixed ? &pair->centre : &frames->centres[pair->b];
    const double x = a->x - b->x, y = a->y - b->y, z = a->z - b->z;
    const double most = pair->reach + bound;
    return x * x + y * y + z * z < most * most;
}

// True if the ball around part a is further from part b than `bound`.
static bool is_clear(ApartFrames* frames, const ApartPair* pair, double bound) {
    return poise__is_clear_of_ball(core_of(frames, pair->b), frames->centres[pair->a],
                                   frames->body->apart->parts[pair->a].reach, bound);
}

static bool moves(const BodyApart* apart, const ApartPair* pair, int group) {
    return apart->parts[pair->a].group == group || apart->parts[pair->b].group == group;
}

// Lists pairs that move with a group, with the groups before it or with all, if bounds of their
// parts are nearer than their need. Returns the number of pairs.
static int list_close(ApartFrames* frames, int group, bool all, const ApartNeed* need,
                      int close[POISE_APART_PAIRS_MOST]) {
    const BodyApart* apart = frames->body->apart;
    const int end = all ? apart->pair_count : apart->first_pair[group + 1];
    const double largest = largest_need(apart, need);
    int count = 0, left = 0;
    for (int k = all ? 0 : apart->first_pair[group]; k < end; k++) {
        close[count] = k;
        count += balls_are_near(frames, &apart->pairs[k], largest);
    }
    for (int i = 0; i < count; i++) {
        const ApartPair* pair = &apart->pairs[close[i]];
        close[left] = close[i];
        left += (!all || moves(apart, pair, group)) &&
                !is_clear(frames, pair, needed_gap(apart, close[i], need));
    }
    return left;
}

double poise__apart_least(ApartFrames* frames, int group, bool all, const ApartNeed* need,
                          ApartGap* nearest) {
    int close[POISE_APART_PAIRS_MOST];
    const int count = list_close(frames, group, all, need, close);
    double least = 0.0;
    for (int i = 0; i < count; i++) {
        const ApartPair* pair = &frames->body->apart->pairs[close[i]];
        const PoiseGap gap = gap_of(frames, pair);
        const double room = gap.distance - needed_gap(frames->body->apart, close[i], need);
        if (room < least) {
            least = room;
            if (nearest) {
                *nearest = (ApartGap){close[i], gap, gap.distance - pair->kept};
            }
        }
    }
    return least;
}

int poise__apart_near(ApartFrames* frames, int group, bool all, ApartGap near[APART_MOST_ROWS]) {
    int close[POISE_APART_PAIRS_MOST];
    const double range = frames->body->apart->range;
    const int close_count = list_close(frames, group, all, &(ApartNeed){.more = range}, close);
    int count = 0;
    for (int i = 0; i < close_count; i++) {
        const ApartPair* pair = &frames->body->apart->pairs[close[i]];
        ApartGap own = {.pair = close[i], .gap = gap_of(frames, pair)};
        own.room = own.gap.distance - pair->kept;
        if (!(own.gap.distance < range)) {
            continue;
        }
        // keeps `near` sorted by room; if it is full, the pair with the largest room drops out
        int at = count < APART_MOST_ROWS ? count++ : APART_MOST_ROWS;
        for (; at > 0 && near[at - 1].room > own.room; at--) {
            if (at < APART_MOST_ROWS) {
                near[at] = near[at - 1];
            }
        }
        if (at < APART_MOST_ROWS) {
            near[at] = own;
        }
    }
    return count;
}

// --------------------------------------------------------------------------------------- motions

/// Bounds of motion in one step, each a sum over a joint and all joints that carry it.
typedef struct Motions {
    double way;    ///< bound of the path length from the base to the joint's frame, m
    double turn;   ///< sum of the rotations, rad
    double moment; ///< sum of each rotation times `way` of its joint, m
    double slide;  ///< sum of the displacements, m
} Motions;

// Fills the sums of all joints of a group. Clamping to a cone adds at most the rotation itself.
static void sum_motions(const ApartFrames* frames, const ApartStep* step, Motions* sums) {
    const BodyGroup* group = frames->body->groups[step->group];
    const BodyApart* apart = frames->body->apart;
    for (int i = 0; i < group->joint_count; i++) {
        const ChainJoint* joint = &group->joints[i];
        const ApartJoint* own = &apart->joints[apart->first_joint[step->group] + i];
        const double* x = &step->x[own->column];
        double turn = 0.0;
        sums[i] = own->before >= 0 ? sums[own->before] : (Motions){.turn = 0.0};
        sums[i].way += own->way;
        if (joint->kind == CHAIN_SLIDER) {
            const double slide = group->unit * fabs(own->ratio * x[0]);
            sums[i].slide += slide;
            sums[i].way += group->unit * fabs(step->q[i]) + slide;
        } else if (poise__chain_is_ball(joint)) {
            turn = poise_length(poise_vec3(x[0], x[1], x[2]));
            turn *= joint->kind == CHAIN_CONE ? 2.0 : 1.0;
        } else if (joint->kind != CHAIN_CONE_REST) {
            turn = fabs(own->ratio * x[0]);
        }
        sums[i].turn += turn;
        sums[i].moment += turn * sums[i].way;
    }
}

// Returns a bound, m, of the displacement of a part's points relative to the frame of `joint`; -1:
// relative to the base.
static double motion_of(const Motions* sums, const ApartPart* part, int joint) {
    const Motions own = sums[part->joint];
    const Motions less = joint >= 0 ? sums[joint] : (Motions){.turn = 0.0};
    return (own.turn - less.turn) * (own.way + part->way) - (own.moment - less.moment) +
           (own.slide - less.slide);
}

int poise__apart_coming(ApartFrames* frames, const ApartStep* step, const ApartNeed* end,
                        const ApartNeed* inside, ApartComing* coming) {
    const BodyApart* apart = frames->body->apart;
    const int group = step->group;
    Motions sums[BODY_MOST_JOINTS];
    double motions[APART_MOST_MOVED];
    int count = 0;
    sum_motions(frames, step, sums);
    for (int i = 0; i < apart->moved_count; i++) {
        const ApartPart* part = &apart->parts[i];
        motions[i] = part->group == group ? motion_of(sums, part, -1) : 0.0;
    }
    const double at_end = largest_need(apart, end), inward = largest_need(apart, inside);
    for (int k = 0; k < apart->pair_count; k++) {
        const ApartPair* pair = &apart->pairs[k];
        double motion = motions[pair->a] + (pair->fixed ? 0.0 : motions[pair->b]);
        if (!balls_are_near(frames, pair, poise_max(at_end, inward + motion)) ||
            !moves(apart, pair, group)) {
            continue;
        }
        const double least = needed_gap(apart, k, end), within = needed_gap(apart, k, inside);
        // joints that carry both parts move neither against the other
        motion = pair->common >= 0 ? motion_of(sums, &apart->parts[pair->a], pair->common) +
                                         motion_of(sums, &apart->parts[pair->b], pair->common)
                                   : motion;
        const double near = poise_max(least, within + motion);
        if (!balls_are_near(frames, pair, near) || is_clear(frames, pair, near)) {
            continue;
        }
        const double gap = gap_of(frames, pair).distance;
        if (gap < least - ROUNDING) {
            return -1;
        }
        if (gap - motion < within) {
            coming[count++] = (ApartComing){k, gap - within, motion};
        }
    }
    return count;
}

// ---------------------------------------------------------------------------------------- rows

// Adds to the row the work of a force in a unit motion of each dof of joint i.
static void add_joint(const ApartFrames* frames, int g, int i, const ApartForce* force,
                      double* row) {
    const BodyGroup* group = frames->body->groups[g];
    const BodyApart* apart = frames->body->apart;
    const ChainJoint* joint = &group->joints[i];
    const ApartJoint* own = &apart->joints[apart->first_joint[g] + i];
    const ApartFrame* frame = &frames->after[apart->first_joint[g] + i];
    if (joint->kind == CHAIN_CONE_REST) {
        return;
    }
    if (joint->kind == CHAIN_SLIDER) {
        row[own->column] += own->ratio * group->unit * poise_dot(frame->z, force->force);
        return;
    }
    const PoiseVec3 arm = poise_sub(force->at, frame->p);
    const PoiseVec3 torque = poise_add(poise_cross(arm, force->force), force->torque);
    if (joint->kind == CHAIN_HINGE) {
        row[own->column] += own->ratio * poise_dot(frame->z, torque);
    } else {
        const ApartFrame* before = &frames->before[apart->first_joint[g] + i];
        row[own->column] += poise_dot(before->x, torque);
        row[own->column + 1] += poise_dot(before->y, torque);
        row[own->column + 2] += poise_dot(before->z, torque);
    }
}

void poise__apart_add_row(const ApartFrames* frames, int g, const ApartForce* force, double* row) {
    const BodyGroup* group = frames->body->groups[g];
    int last = force->joint;
    for (int p = force->part; p >= 0; p = group->parts[p].parent) {
        for (int i = last < 0 ? group->parts[p].end - 1 : last; i >= group->parts[p].begin; i--) {
            add_joint(frames, g, i, force, row);
        }
        last = -1;
    }
}

// ------------------------------------------------------------------------------------ creation

// Assigns links and columns to the joints of a group. Returns the number of columns.
static int lay_out_group(const BodyGroup* group, ApartJoint* joints) {
    int columns = 0;
    for (int i = 0; i < group->joint_count; i++) {
        const ChainJoint* joint = &group->joints[i];
        const PoiseVec3 link = poise_vec3(joint->link[0], joint->link[1], joint->link[2]);
        joints[i] =
            (ApartJoint){.column = columns, .ratio = 1.0, .link = group->unit * poise_length(link)};
        columns += joint->kind == CHAIN_CONE_REST ? 0 : poise__chain_is_ball(joint) ? 3 : 1;
        columns -= joint->follows;
    }
    for (int t = 0; t < group->tie_count; t++) {
        const ChainTie* tie = &group->ties[t];
        joints[tie->joint].column = joints[tie->leader].column;
        joints[tie->joint].ratio = tie->ratio;
    }
    return columns;
}

// Finds the joint that carries a link: the last joint of the first node, on the path from the link
// to the base, that the body moves. If there is no such node, out->group becomes -1.
static void find_joint(const PoiseBody* body, const PoiseTree* tree, int slot, ApartPart* out) {
    out->group = -1;
    for (; slot != NO_SLOT && out->group < 0; slot = tree->nodes[slot].parent) {
        const PoiseNodeId id = poise__node_id(tree, slot);
        for (int g = 0; g < body->group_count; g++) {
            for (int p = 0; p < body->groups[g]->part_count; p++) {
                const Chain* chain = body->groups[g]->parts[p].chain;
                for (int i = 0; i < chain->joint_count; i++) {
                    const PoiseNodeId own = chain->numbers[chain->joints[i].number].node;
                    if (own.index1 == id.index1) {
                        out->group = g;
                        out->part = p;
                        out->joint = body->groups[g]->parts[p].begin + i;
                    }
                }
            }
        }
    }
}

// Puts a ball around the shape; a hull's ball is centred in its bounding box.
static void surround(ApartPart* part, const PoiseConvex* shape) {
    PoiseVec3 middle = poise_vec3(0.0, 0.0, 0.0);
    if (shape->kind == POISE_CONVEX_HULL) {
        PoiseVec3 low = shape->corners[0], high = low;
        for (int i = 1; i < shape->corner_count; i++) {
            const PoiseVec3 c = shape->corners[i];
            low = poise_vec3(poise_min(low.x, c.x), poise_min(low.y, c.y), poise_min(low.z, c.z));
            high =
                poise_vec3(poise_max(high.x, c.x), poise_max(high.y, c.y), poise_max(high.z, c.z));
        }
        middle = poise_scale(0.5, poise_add(low, high));
        part->reach = 0.0;
        for (int i = 0; i < shape->corner_count; i++) {
            const double off = poise_length(poise_sub(shape->corners[i], middle));
            part->reach = poise_max(part->reach, off);
        }
        part->reach += shape->radius;
    } else {
        part->reach = poise__convex_reach(shape);
    }
    part->centre = poise_pose_apply(shape->pose, middle);
    part->way = poise_length(part->centre) + part->reach;
}

static void carve_apart(BodyApart* apart, Carver* carver, const PoiseApart* from) {
    size_t corners = 0;
    for (int i = 0; i < from->part_count; i++) {
        corners += (size_t)from->parts[i].shape.corner_count;
    }
    const size_t parts = (size_t)from->part_count;
    poise__carve_over(carver, sizeof *apart);
    apart->parts = poise__carve(carver, parts, sizeof *apart->parts);
    apart->names = poise__carve(carver, parts, sizeof *apart->names);
    apart->pairs = poise__carve(carver, (size_t)from->pair_count, sizeof *apart->pairs);
    apart->corners = poise__carve(carver, corners, sizeof *apart->corners);
}

// Copies a part to the frame of the joint that carries it, or to the world.
static void take_part(BodyApart* apart, const PoiseApart* from, int index,
                      const ApartFrames* frames, PoiseVec3** corners) {
    const PoiseBody* body = frames->body;
    const Part* part = &from->parts[index];
    const PoiseTree* tree = from->source.tree;
    PoiseConvex shape = part->shape;
    ApartPart own = {.group = -1};
    if (part->link != NO_SLOT) {
        find_joint(body, tree, part->link, &own);
    }
    const PoisePose link =
        part->link == NO_SLOT ? part->pose : tree->nodes[part->link].joint.link_world;
    PoisePose frame = poise_pose_identity();
    if (own.group >= 0) {
        frame = poise__apart_pose(&frames->after[apart->first_joint[own.group] + own.joint]);
    }
    shape.pose = poise_pose_mul(poise_pose_inverse(frame), poise_pose_mul(link, shape.pose));
    if (shape.kind == POISE_CONVEX_HULL) {
        const size_t count = (size_t)shape.corner_count;
        memcpy(*corners, shape.corners, count * sizeof **corners);
        shape.corners = *corners;
        *corners += count;
    }
    surround(&own, &shape);
    own.core = poise__core(&shape, poise_pose_identity());
    apart->names[apart->part_count] = index;
    apart->parts[apart->part_count++] = own;
}

// Returns the last joint of a group that carries both parts, or -1.
static int common_joint(const BodyApart* apart, const ApartPart* a, const ApartPart* b) {
    int i = a->joint, k = b->joint;
    if (a->group < 0 || a->group != b->group) {
        return -1;
    }
    const ApartJoint* joints = &apart->joints[apart->first_joint[a->group]];
    while (i != k) {
        // joints are numbered from the base outward
        i = i > k ? joints[i].before : i;
        k = k > i ? joints[k].before : k;
    }
    return i;
}

// Lists the pairs that the body moves. `still` becomes the nearest other pair that is too near.
static void take_pairs(BodyApart* apart, const PoiseApart* from, ApartFrames* frames) {
    ApartPair still = {0};
    apart->still = (ApartGap){.pair = -1, .room = -ROUNDING};
    for (int k = 0; k < from->pair_count; k++) {
        const Pair* pair = &from->pairs[k];
        int a = 0, b = 0;
        while (apart->names[a] != pair->a) {
            a++;
        }
        while (apart->names[b] != pair->b) {
            b++;
        }
        if (a > b) {
            const int other = a;
            a = b;
            b = other;
        }
        const ApartPart* first = &apart->parts[a];
        const ApartPart* second = &apart->parts[b];
        if (pair->allowed) {
            continue;
        }
        const int group = first->group > second->group ? first->group : second->group;
        const ApartPair own = {.a = a,
                               .b = b,
                               .group = group,
                               .fixed = b >= apart->moved_count,
                               .common = common_joint(apart, first, second),
                               .reach = first->reach + second->reach,
                               .kept = pair->kept,
                               .centre = second->centre};
        if (first->group < 0 || (first->group == second->group && first->joint == second->joint)) {
            const PoiseGap gap = gap_of(frames, &own);
            if (gap.distance - own.kept < apart->still.room) {
                still = own;
                apart->still = (ApartGap){0, gap, gap.distance - own.kept};
            }
            continue;
        }
        apart->least_kept = poise_min(apart->least_kept, own.kept);
        apart->most_kept = poise_max(apart->most_kept, own.kept);
        int at = apart->pair_count++;
        for (; at > 0 && apart->pairs[at - 1].group > group; at--) {
            apart->pairs[at] = apart->pairs[at - 1];
        }
        apart->pairs[at] = own;
    }
    for (int g = 0, k = 0; g < BODY_MOST_TIPS; g++) {
        for (; k < apart->pair_count && apart->pairs[k].group <= g; k++) {
        }
        apart->first_pair[g + 1] = k;
    }
    if (apart->still.pair >= 0) {
        apart->still.pair = apart->pair_count;
        apart->pairs[apart->pair_count] = still;
    }
}

// Fills, for each joint of a group, the joint that carries it and bounds of the path between.
static void lay_out_ways(const BodyGroup* group, ApartJoint* joints) {
    int last[BODY_MOST_PARTS];
    for (int p = 0; p < group->part_count; p++) {
        const BodyPart* part = &group->parts[p];
        const PoiseVec3 start = poise_vec3(part->start[0], part->start[1], part->start[2]);
        double way = part->parent >= 0 ? group->unit * poise_length(start) : 0.0;
        last[p] = part->parent >= 0 ? last[part->parent] : -1;
        for (int i = part->begin; i < part->end; i++) {
            joints[i].before = last[p];
            joints[i].way = way + (last[p] >= 0 ? joints[last[p]].link : 0.0);
            last[p] = i;
            way = 0.0;
        }
    }
}

// Raises `lever` of each joint that moves the part to the largest distance of the part's points.
static void raise_levers(BodyApart* apart, const PoiseBody* body, const ApartPart* part) {
    const BodyGroup* group = body->groups[part->group];
    double length = part->way;
    int last = part->joint;
    for (int p = part->part; p >= 0; p = group->parts[p].parent) {
        const double* start = group->parts[p].start;
        for (int i = last; i >= group->parts[p].begin; i--) {
            const ChainJoint* joint = &group->joints[i];
            ApartJoint* own = &apart->joints[apart->first_joint[part->group] + i];
            const bool linear = joint->kind == CHAIN_SLIDER;
            length += i < last || p != part->part ? own->link : 0.0;
            own->lever = linear ? group->unit : poise_max(own->lever, length);
            if (linear) {
                const double most = poise_max(fabs(joint->lower), fabs(joint->upper));
                length += poise_min(group->unit * most, OPEN_TRAVEL);
            }
        }
        length += group->unit * poise_length(poise_vec3(start[0], start[1], start[2]));
        const int parent = group->parts[p].parent;
        last = parent >= 0 ? group->parts[parent].end - 1 : -1;
    }
}

static void fill_apart(BodyApart* apart, PoiseBody* body, const PoiseApart* from,
                       const double* posture) {
    ApartFrames frames = {.body = body};
    PoiseVec3* corners = apart->corners;
    int joints = 0;
    body->apart = apart;
    for (int g = 0; g < body->group_count; g++) {
        const PoisePose base = body->groups[g]->base;
        double q[BODY_MOST_Q];
        apart->bases[g] =
            (ApartFrame){poise_quat_rotate(base.q, poise_vec3(1.0, 0.0, 0.0)),
                         poise_quat_rotate(base.q, poise_vec3(0.0, 1.0, 0.0)),
                         poise_quat_rotate(base.q, poise_vec3(0.0, 0.0, 1.0)), base.p};
        apart->first_joint[g] = joints;
        apart->columns[g] = lay_out_group(body->groups[g], &apart->joints[joints]);
        lay_out_ways(body->groups[g], &apart->joints[joints]);
        joints += body->groups[g]->joint_count;
        for (int p = 0; p < body->groups[g]->part_count; p++) {
            const BodyPart* part = &body->groups[g]->parts[p];
            double own[CHAIN_MOST_Q];
            // no clamp: if a rounding error is outside a range, the shapes must not move
            poise__chain_load_as_given(part->chain, &posture[part->number], own);
            poise__group_put(body->groups[g], part, own, q);
        }
        poise__apart_place(&frames, g, q);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < from->part_count; i++) {
            ApartPart trial = {.group = -1};
            if (from->parts[i].link != NO_SLOT) {
                find_joint(body, from->source.tree, from->parts[i].link, &trial);
            }
            if ((trial.group < 0) == (pass == 1)) {
                take_part(apart, from, i, &frames, &corners);
            }
        }
        apart->moved_count = pass == 0 ? apart->part_count : apart->moved_count;
    }
    take_pairs(apart, from, &frames);
    for (int i = 0; i < apart->moved_count; i++) {
        raise_levers(apart, body, &apart->parts[i]);
    }
}

int poise__apart_count_moved(const PoiseBody* body, const PoiseApart* from) {
    int count = 0;
    for (int i = 0; i < from->part_count; i++) {
        ApartPart part = {.group = -1};
        if (from->parts[i].link != NO_SLOT) {
            find_joint(body, from->source.tree, from->parts[i].link, &part);
        }
        count += part.group >= 0;
    }
    return count;
}

void poise__body_apart_destroy(PoiseBody* body) {
    if (body->apart) {
        poise_host_release(&body->host, body->apart, body->apart->size);
        body->apart = NULL;
    }
}

BodyApart* poise__body_apart_make(PoiseBody* body, const PoiseApart* apart, const double* posture) {
    BodyApart count;
    Carver counter = {NULL, 0};
    carve_apart(&count, &counter, apart);
    BodyApart* own = poise_host_allocate(&body->host, counter.used);
    if (!own) {
        return NULL;
    }
    poise__body_apart_destroy(body);
    memset(own, 0, counter.used);
    Carver carver = {(char*)own, 0};
    carve_apart(own, &carver, apart);
    own->size = counter.used;
    own->least_kept = apart->distance;
    own->range = apart->range;
    fill_apart(own, body, apart, posture);
    return own;
}
