// SPDX-License-Identifier: MIT
// Finds the directions in which a point yields to a force. Along them its goal has no rows, and a
// step does not move the point.
#include "shared/node_numbers.h"
#include "tree.h"

PoiseStatus poise_point_set_yield(PoiseTree* tree, PoisePointId id, PoiseYield yield,
                                  unsigned rows) {
    Point* point = poise__point_or_fail(tree, id, "poise_point_set_yield");
    if (!point) {
        return poise__no_handle(tree);
    }
    if (!poise__is_yield(yield, rows)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_point_set_yield: yield %d of point %u must be one of "
                           "POISE_YIELD_*, its rows 0x%x bits of PoiseRows",
                           (int)yield, (unsigned)id.index1, rows);
    }
    point->yield = yield;
    point->yield_rows = rows;
    poise__point_note_yield(point);
    return POISE_OK;
}

bool poise__is_yield(PoiseYield yield, unsigned rows) {
    return yield >= POISE_YIELD_ALONG && yield <= POISE_YIELD_ROWS &&
           (rows & ~(unsigned)POISE_ROWS_ALL) == 0;
}

void poise__point_note_yield(Point* point) {
    point->yields = (point->yield == POISE_YIELD_ALONG && poise__point_asks(point)) ||
                    (point->yield == POISE_YIELD_ROWS && point->yield_rows != 0);
}

PoiseQuat poise__point_row_turn(const PoiseTree* tree, const Point* point, PoiseQuat turn) {
    switch (point->row_axes) {
    case POISE_ROW_AXES_POINT:
        return turn;
    case POISE_ROW_AXES_GOAL:
        return poise__point_goal(tree, point).q;
    default:
        return poise_quat_identity();
    }
}

// Returns v without its component along `direction`, which may have any length; v if that is 0.
static PoiseVec3 across(PoiseVec3 v, PoiseVec3 direction) {
    const double square = poise_dot(direction, direction);
    return square > 0.0 ? poise_add_scaled(v, -poise_dot(direction, v) / square, direction) : v;
}

// Returns v without its components along the row axes whose bits are set.
static PoiseVec3 across_rows(PoiseVec3 v, PoiseQuat turn, unsigned bits) {
    PoiseVec3 in_rows = poise_quat_unrotate(turn, v);
    in_rows.x = (bits & 1) != 0 ? 0.0 : in_rows.x;
    in_rows.y = (bits & 2) != 0 ? 0.0 : in_rows.y;
    in_rows.z = (bits & 4) != 0 ? 0.0 : in_rows.z;
    return poise_quat_rotate(turn, in_rows);
}

void poise__yield_drop(const PoiseTree* tree, const Point* point, PoiseQuat turn, PoiseVec3* linear,
                       PoiseVec3* angular) {
    if (point->yield == POISE_YIELD_ALONG) {
        *linear = across(*linear, point->force);
        *angular = across(*angular, point->torque);
        return;
    }
    PoiseQuat axes = poise__point_row_turn(tree, point, turn);
    *linear = across_rows(*linear, axes, point->yield_rows & 7);
    *angular = across_rows(*angular, axes, point->yield_rows >> 3);
}

static double* put_row(double* row, PoiseVec3 linear, PoiseVec3 angular) {
    const double numbers[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int i = 0; i < 6; i++) {
        row[i] = numbers[i];
    }
    return row + 6;
}

// Writes the row axes whose bits are set, as rows of 3 numbers. Returns the end of these rows.
static double* put_axes(double* row, PoiseQuat turn, unsigned bits) {
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; bits >> i != 0; i++) {
        if ((bits >> i & 1) != 0) {
            const PoiseVec3 unit = poise_vec3(i % 3 == 0, i % 3 == 1, i % 3 == 2);
            const PoiseVec3 axis = poise_quat_rotate(turn, unit);
            row = i < 3 ? put_row(row, axis, none) : put_row(row, none, axis);
        }
    }
    return row;
}

int poise_point_yield_rows(const PoiseTree* tree, PoisePointId id, double rows[36]) {
    const Point* point = poise__point(tree, id);
    if (!point || !rows || !point->yields) {
        return 0;
    }
    if (point->yield == POISE_YIELD_ROWS) {
        PoiseQuat turn = poise__point_row_turn(tree, point, poise__point_world(tree, point).q);
        return (int)(put_axes(rows, turn, point->yield_rows) - rows) / 6;
    }
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    double* row = rows;
    if (poise_dot(point->force, point->force) > 0.0) {
        row = put_row(row, poise__normalize(point->force), none);
    }
    if (poise_dot(point->torque, point->torque) > 0.0) {
        row = put_row(row, none, poise__normalize(point->torque));
    }
    return (int)(row - rows) / 6;
}

int poise_point_goal_rows(const PoiseTree* tree, PoisePointId id, double rows[36]) {
    const Point* point = poise__point(tree, id);
    if (!point || !rows) {
        return 0;
    }
    const unsigned has = (poise__point_has_position(point) ? 7u : 0u) |
                         (poise__point_has_orientation(point) ? 56u : 0u);
    PoiseQuat turn = poise__point_row_turn(tree, point, poise__point_world(tree, point).q);
    return (int)(put_axes(rows, turn, point->rows & has) - rows) / 6;
}

bool poise_tree_presses(const PoiseTree* tree) {
    bool any = false;
    for (int i = 0; tree && !any && i < tree->point_count; i++) {
        const Point* point = &tree->points[tree->point_order[i]];
        any = point->yields || poise__point_asks(point);
    }
    return any;
}
