// SPDX-License-Identifier: MIT
// The law by which joints rest. A damped step along a direction whose singular value s is small is
// s / (k sqrt(T)), however small the error is (k: the damping's gain, T = trace(J J^T) / rows):
// joints would turn by radians for the last micrometres. Therefore a group of goals takes no step
// that moves its points by less than def->least_motion tolerances per rad:
//     sum over rows of (J omega / tolerance)^2 < least_motion^2 |omega|^2
// The law depends on posture and goals alone, so that equal postures rest equally. References
// switch it off: they balance the slow motion, and the joints come to rest between both.
// A second condition holds at levels that others follow. If goals cannot be met, then at the
// posture nearest to them e^T J N = 0 with their error e. The row e^T J vanishes there from the
// constraints of later levels: they would move the joints along it, the level would move them back,
// and so on for ever. Therefore a level rests a little earlier, if its step reduces an error above
// the tolerance by less than LEAST_GAIN tolerances:
//     e^T J omega < LEAST_GAIN |e|
#include <math.h>
#include <string.h>

#include "solve.h"

// The tolerance of a place is at most this fraction of the goal's reach. This bounds the tolerance
// of mechanisms of a few centimetres.
#define TOLERANCE_REACH 1e-3
// A level rests if its step reduces the error by fewer tolerances than this: 1e-12 m by default. In
// priorities.yaml such steps are 1e-6 rad, and 1e-7 of the row e^T J is left in the null space; the
// QP drops rows below 1e-9.
#define LEAST_GAIN 1e-8

// Returns the position tolerance of a goal, in the scale of J's rows. A goal that only sliders
// serve has the reach 0 and keeps the def's tolerance.
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
        // position rows come before rotation rows
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
        // a step of more than 1 rad is undamped, so it counts as 1 rad
        const bool is_small = group->moved2 < least2 * poise_min(group->turned2, 1.0);
        const bool is_vain = lacking && group->lacking2 > 1.0 &&
                             fabs(group->gained) < LEAST_GAIN * sqrt(group->lacking2);
        group->rests = group->turned2 > 0.0 && (is_small || is_vain);
        any = any || group->rests;
    }
    return any;
}
