// SPDX-License-Identifier: MIT
// Finds the rows of a point, and the world poses of the point and of its goal.
#include "tree.h"

bool poise__point_has_position(const Point* point) {
    return point->kind == POISE_POINT_POSITION || point->kind == POISE_POINT_POSE ||
           point->kind == POISE_POINT_COM;
}

bool poise__point_has_orientation(const Point* point) {
    return point->kind != POISE_POINT_POSITION && point->kind != POISE_POINT_COM;
}

static bool is_bounded(const Point* point, int k) {
    return point->max_acceleration[k] < HUGE_VAL || point->max_jerk[k] < HUGE_VAL;
}

bool poise__tracks_place(const Point* point) {
    return poise__point_has_position(point) && is_bounded(point, 0);
}

bool poise__tracks_turn(const Point* point) {
    return poise__point_has_orientation(point) && point->kind != POISE_POINT_LOOK_AT &&
           is_bounded(point, 1);
}

bool poise__has_whole_place(const Point* point) {
    return (point->rows & 7) == 7;
}

// Returns the bits (PoiseRows) of the rows that a kind of point has.
static unsigned rows_of_kind(PoisePointKind kind) {
    const Point probe = {.kind = kind};
    return (poise__point_has_position(&probe) ? 7u : 0u) |
           (poise__point_has_orientation(&probe) ? 56u : 0u);
}

int poise__point_rows(const Point* point) {
    int count = 0;
    for (unsigned bits = point->rows & rows_of_kind(point->kind); bits != 0; bits &= bits - 1) {
        count++;
    }
    return count;
}

PoisePose poise__point_world(const PoiseTree* tree, const Point* point) {
    PoisePose pose = poise_pose_mul(tree->nodes[point->link].joint.link_world, point->in_link);
    if (point->kind == POISE_POINT_COM) {
        pose.p = poise__com(tree, point->link);
    }
    return pose;
}

PoisePose poise__point_frame(const PoiseTree* tree, const Point* point) {
    return point->frame == NO_SLOT ? poise_pose_identity()
                                   : tree->nodes[point->frame].joint.link_world;
}

PoiseVec3 poise__from_goal_frame(const PoiseTree* tree, const Point* point, PoiseVec3 v) {
    return point->frame == NO_SLOT
               ? v
               : poise_quat_rotate(tree->nodes[point->frame].joint.link_world.q, v);
}

PoisePose poise__point_goal(const PoiseTree* tree, const Point* point) {
    return point->frame == NO_SLOT
               ? point->goal
               : poise_pose_mul(tree->nodes[point->frame].joint.link_world, point->goal);
}

bool poise__are_rows(PoisePointKind kind, unsigned rows, PoiseRowAxes axes) {
    return (rows & ~(unsigned)POISE_ROWS_ALL) == 0 && (rows & rows_of_kind(kind)) != 0 &&
           axes >= POISE_ROW_AXES_WORLD && axes <= POISE_ROW_AXES_GOAL;
}
