// SPDX-License-Identifier: MIT
// Lets joints rest instead of moving for errors far below the tolerance. Along a direction with a
// small singular value s, a damped step is s / (k sqrt(T)), however small the error is. Here k is
// the gain of the damping and T is trace(J J^T) / rows. Joints would turn by radians for the last
// micrometres. Therefore a group of goals takes no step that moves its points by fewer than
// def->least_motion tolerances per rad:
//     sum over rows of (J omega / tolerance)^2 < least_motion^2 |omega|^2
// The rule depends on posture and goals alone, so equal postures rest equally. It does not apply
// with references: they balance the slow motion, and the joints come to rest at the balance.
//
// A level with later levels has a second rule. If its goals cannot be met, e^T J N = 0 holds for
// their error e at the nearest posture. Later levels may then move the joints along e^T J, this
// level would move them back, and the joints would never rest. Therefore this level rests if its
// error exceeds the tolerance and its step reduces the error by less than LEAST_GAIN tolerances:
//     e^T J omega < LEAST_GAIN |e|
#include <math.h>
#include <string.h>

#include "solve.h"

// The tolerance of a position is at most this fraction of the goal's reach, so that it suits
// mechanisms of a few centimetres too.
#define TOLERANCE_REACH 1e-3
// A level rests if its step reduces the error by fewer tolerances than this, by default 1e-12 m. In
// priorities.yaml such steps turn the joints by only 1e-6 rad, and only 1e-7 of the row e^T J is
// left in the null space; the QP ignores rows below 1e-9.
#define LEAST_GAIN 1e-8

// Returns the position tolerance of a goal, multiplied by Goal.scale as the rows of J are. A goal
// served only by sliders has reach 0 and keeps the tolerance of the def.
static double place_tolerance(const Goal* goal, const PoiseSolveDef* def) {
    const double small = TOLERANCE_REACH * goal->reach;
    const double place =
        small > 0.0 ? poise_min(def->position_tolerance, small) : def->position_tolerance;
    return goal->scale * place;
}

bool poise__rests_find(const Layout* layout, const Metric* metric, const Level* level,
                       const PoiseSolveDef* def, const double* step) {
    const LevelRows* rows = level->rows;
    const double* lacking = level->last ? NULL : level->lacking;
    double* moved = level->work->residual;
    if (!(def->least_motion > 0.0) || layout->dof_count == 0 || metric->centred) {
        return false;
    }
    poise_matrix_times(&rows->matrix, step, moved);
    for (int i = 0; i < layout->group_count; i++) {
        GroupRows* group = &rows->groups[i];
        group->rests = false;
        group->turned2 = group->moved2 = group->lacking2 = group->gained = 0.0;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        double* turned2 = &rows->groups[column->group].turned2;
        for (int d = column->first_dof; d < column->first_dof + column->dof; d++) {
            *turned2 += column->scale * column->scale * step[d] * step[d];
        }
    }
    for (int g = 0, row = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        GroupRows* group = &rows->groups[goal->group];
        const double place = place_tolerance(goal, def), angle = goal->scale * def->angle_tolerance;
        // a goal's position rows precede its rotation rows
        const int places = !goal->has_position ? 0 : goal->rows - (goal->has_orientation ? 3 : 0);
        const int end = poise__rows_have(rows, goal) ? goal->rows : 0;
        for (int k = 0; k < end; k++, row++) {
            const double tolerance = k < places ? place : angle;
            const double part = moved[row] == 0.0 ? 0.0 : moved[row] / tolerance;
            group->moved2 += part * part;
            if (lacking) {
                const double lack = lacking[row] / tolerance;
                group->lacking2 += lack * lack;
                group->gained += part * lack;
            }
        }
    }
    const double least2 = def->least_motion * def->least_motion;
    bool any = false;
    for (int i = 0; i < layout->group_count; i++) {
        GroupRows* group = &rows->groups[i];
        // a step above 1 rad counts as 1 rad, because damping does not shorten it
        const bool is_small = group->moved2 < least2 * poise_min(group->turned2, 1.0);
        const bool is_vain = lacking && group->lacking2 > 1.0 &&
                             fabs(group->gained) < LEAST_GAIN * sqrt(group->lacking2);
        group->rests = group->turned2 > 0.0 && (is_small || is_vain);
        any = any || group->rests;
    }
    return any;
}
