// SPDX-License-Identifier: MIT
// Computes errors and rows of tasks from the frames. The rotation error is the rotation vector e
// from the point to its goal. If the point rotates by a small vector w, in its own axes, e changes
// by -J_r(e)^-1 w with
//
//     J_r(e)^-1 = 1 + [e]/2 + (1/a^2 - (1 + cos a) / (2 a sin a)) [e]^2,   a = |e|,
//
// where [e] is the cross-product matrix. Rows along the point's axes also rotate with the point,
// which adds w x e.
#include <string.h>

#include "task.h"

// rad; below this angle the coefficient of [e]^2 is 1/12 with a relative error under 1e-10
#define SMALL_ANGLE 1e-4
// m^2 and rad^2; motions with a larger square get rows of 0
#define LARGEST_SQUARE 1e70
// m; two points nearer than this use the x axis as the direction between them
#define NO_DISTANCE 1e-12
// padded number of position or rotation rows
enum { ROW_LANES = 4 };

// Fills the frames, the masses for centres of mass, and axis and anchor of each motion.
static void fill_frames(PoiseTasks* tasks) {
    PoiseTree* tree = tasks->tree;
    poise__forward(tree);
    if (tasks->has_centre) {
        poise__gather_subtrees(tree);
    }
    for (int m = 0; m < tasks->motion_count; m += tasks->motions[m].dof) {
        Motion* motion = &tasks->motions[m];
        const Joint* joint = &tree->nodes[motion->slot].joint;
        if (motion->direct && motion->dof == 1) {
            // a hinge or a slider: its anchor is the origin of the joint frame
            motion->axis = poise_quat_rotate(joint->joint_world.q, joint->axes[0]);
            motion->anchor = joint->joint_world.p;
            continue;
        }
        PoiseVec3 axes[POISE_MAX_DOF];
        unsigned char linear[POISE_MAX_DOF];
        const PoiseVec3 anchor = poise__joint_anchor(joint);
        poise__joint_column_axes(joint, axes, linear);
        for (int d = 0; d < motion->dof; d++) {
            motion[d].axis = axes[d];
            motion[d].linear = linear[d] != 0;
            motion[d].anchor = anchor;
        }
    }
}

/// The velocity of a point relative to its goal's frame, per unit velocity of a motion.
typedef struct Relative {
    PoiseVec3 linear;
    PoiseVec3 angular;
} Relative;

// Computes the velocity of a point at `place` per unit of a motion. `sign` -1: the motion moves the
// goal's frame. 0 if it moves neither, or if numbers are not finite.
static Relative relative_of(const PoiseTree* tree, const Motion* motion, const Point* point,
                            int sign, PoiseVec3 place) {
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    const Relative still = {none, none};
    double share = sign * motion->ratio;
    if (sign != 0 && point->kind == POISE_POINT_COM) {
        const Node* part = &tree->nodes[poise__point_part(tree, motion->slot, point)];
        const double whole = tree->nodes[point->link].subtree_mass;
        if (!(part->subtree_mass > 0.0)) {
            return still;
        }
        share *= part->subtree_mass / whole;
        place = poise_scale(1.0 / part->subtree_mass, part->subtree_moment);
    }
    const PoiseVec3 move =
        motion->linear ? motion->axis : poise_cross(motion->axis, poise_sub(place, motion->anchor));
    const Relative out = {poise_scale(share, move),
                          motion->linear ? none : poise_scale(share, motion->axis)};
    const double square = poise_dot(out.linear, out.linear) + poise_dot(out.angular, out.angular);
    return sign != 0 && square < LARGEST_SQUARE ? out : still;
}

/// A point with its goal and errors, from which its rows are made.
typedef struct Look {
    const Point* point;
    PoisePose pose;
    PoiseVec3 error;
    PoiseVec3 angle;
    PoiseQuat axes; ///< rotation of the row axes, world
    bool aims;      ///< the point is a direction or look-at
    Aim aim;
    double turn; ///< coefficient of [e]^2 in J_r(e)^-1, where e is `angle`
} Look;

static double turn_factor(PoiseVec3 e) {
    const double a = poise_length(e);
    const PoiseSinCos turn = poise_sincos(a);
    const bool small = a < SMALL_ANGLE || !(turn.sine > 0.0);
    return small ? 1.0 / 12.0 : 1.0 / (a * a) - (1.0 + turn.cosine) / (2.0 * a * turn.sine);
}

static Look look_at(const PoiseTree* tree, const Point* point) {
    const PoisePose goal = poise__point_goal(tree, point);
    Look look = {.point = point, .pose = poise__point_world(tree, point)};
    look.aims = point->kind == POISE_POINT_DIRECTION || point->kind == POISE_POINT_LOOK_AT;
    look.axes = poise__point_row_turn(tree, point, look.pose.q);
    look.error = poise_sub(goal.p, look.pose.p);
    if (look.aims) {
        look.aim = poise__aim_of(tree, point, look.pose);
        look.angle = look.aim.angle;
    } else {
        look.angle = poise_quat_log(poise_quat_mul(goal.q, poise_quat_conjugate(look.pose.q)));
        look.turn = turn_factor(look.angle);
    }
    return look;
}

/// The active rows of either the position or the rotation of a point.
typedef struct Rows {
    int count;
    double errors[3];
    double factors[3][ROW_LANES]; ///< [component][row]: error that a unit velocity removes
} Rows;

// Returns a rotation row: J_r(e)^-T axis, or the part of `axis` perpendicular to the aim.
static PoiseVec3 turn_row(const Look* look, PoiseVec3 axis) {
    if (look->aims) {
        // a rotation about the aimed axis does not change the aim
        return poise_add_scaled(axis, -poise_dot(axis, look->aim.axis), look->aim.axis);
    }
    const bool turns = look->point->row_axes == POISE_ROW_AXES_POINT;
    const PoiseVec3 across = poise_cross(look->angle, axis);
    return poise_add_scaled(poise_add_scaled(axis, turns ? 0.5 : -0.5, across), look->turn,
                            poise_cross(look->angle, across));
}

// Returns the active rows of the position (half 0) or of the rotation (half 1).
static Rows rows_of(const PoiseTasks* tasks, const Look* look, unsigned mask, int half) {
    Rows rows = {.count = 0};
    for (int k = 0; k < 3; k++) {
        if ((mask >> (3 * half + k) & 1u) == 0) {
            continue;
        }
        PoiseVec3 axes[2] = {poise_vec3(0.0, 0.0, 0.0), poise_vec3(0.0, 0.0, 0.0)};
        axes[half] = poise_quat_rotate(look->axes, poise__unit_axis(k));
        if (tasks->registered && look->point->yields) {
            poise__yield_drop(tasks->tree, look->point, look->pose.q, &axes[0], &axes[1]);
        }
        const PoiseVec3 row = half == 0 ? axes[0] : turn_row(look, axes[1]);
        rows.factors[0][rows.count] = row.x;
        rows.factors[1][rows.count] = row.y;
        rows.factors[2][rows.count] = row.z;
        rows.errors[rows.count++] = poise_dot(axes[half], half == 0 ? look->error : look->angle);
    }
    return rows;
}

// Writes the column of a motion with the velocity v, all rows at once. `tied`: adds to the column,
// which coupled nodes share.
static void put_removed(const Rows* rows, PoiseVec3 v, bool tied, double* out) {
    double sum[ROW_LANES];
    for (int r = 0; r < ROW_LANES; r++) {
        sum[r] = rows->factors[0][r] * v.x + rows->factors[1][r] * v.y + rows->factors[2][r] * v.z;
    }
    for (int r = 0; r < rows->count; r++) {
        out[r] = tied ? out[r] + sum[r] : sum[r];
    }
}

// Copies the errors of the rows. Returns their length, or HUGE_VAL if it is not finite. In
// poise_reach (tasks->registered) errors that are not finite become 0, which excludes the point.
static double take_errors(const PoiseTasks* tasks, Rows* rows, double* error) {
    double square = 0.0;
    for (int r = 0; r < rows->count; r++) {
        square += rows->errors[r] * rows->errors[r];
    }
    if (!(square < HUGE_VAL)) {
        *rows = (Rows){.count = rows->count};
        square = tasks->registered ? 0.0 : HUGE_VAL;
    }
    memcpy(error, rows->errors, (size_t)rows->count * sizeof *error);
    return sqrt(square);
}

static void point_rows(const PoiseTasks* tasks, Item* item, double* error, double* jacobian,
                       int stride) {
    const Point* point = poise__point(tasks->tree, item->def.point);
    const Look look = look_at(tasks->tree, point);
    const bool turns = point->row_axes == POISE_ROW_AXES_POINT;
    Rows places = rows_of(tasks, &look, item->mask, 0);
    Rows rotations = rows_of(tasks, &look, item->mask, 1);
    item->reading.error = take_errors(tasks, &places, error);
    item->reading.angle_error = take_errors(tasks, &rotations, error + places.count);
    for (int m = 0; m < item->mover_count; m++) {
        const Motion* motion = &tasks->motions[item->movers[m].motion];
        for (int r = 0; motion->tied && r < item->rows; r++) {
            jacobian[motion->column * stride + r] = 0.0;
        }
    }
    for (int m = 0; m < item->mover_count; m++) {
        const Mover* mover = &item->movers[m];
        const Motion* motion = &tasks->motions[mover->motion];
        double* column = &jacobian[motion->column * stride];
        Relative v = relative_of(tasks->tree, motion, point, mover->sign, look.pose.p);
        if (look.aims) {
            v.angular = poise_add(v.angular, poise_cross(look.aim.sight, v.linear));
        } else if (turns) {
            v.linear = poise_add(v.linear, poise_cross(v.angular, look.error));
        }
        put_removed(&places, v.linear, motion->tied, column);
        put_removed(&rotations, v.angular, motion->tied, column + places.count);
    }
}

/// The terms by which the second derivative of a point's cost differs from J^T J.
typedef struct Curve {
    PoiseVec3 force; ///< sum of weight times error times axis over the position rows
    PoiseVec3 turn;  ///< rotation error times half the weight; 0 if the rows differ in weight
    double across;   ///< factor of (e x a) . (e x b) for the axes a and b of two joints
} Curve;

static Curve curve_of(const PoiseTasks* tasks, const Item* item, const Look* look) {
    const double* weights = item->def.weights;
    Curve curve = {.across = 0.0};
    const Rows places = rows_of(tasks, look, item->mask, 0);
    for (int k = 0, r = 0; k < 3; k++) {
        if ((item->mask >> k & 1u) != 0) {
            const PoiseVec3 axis =
                poise_vec3(places.factors[0][r], places.factors[1][r], places.factors[2][r]);
            const double weight = item->def.weight * weights[k];
            curve.force = poise_add_scaled(curve.force, weight * places.errors[r++], axis);
        }
    }
    if (item->mask >> 3 == 7u && weights[3] == weights[4] && weights[3] == weights[5]) {
        const double weight = item->def.weight * weights[3];
        const double square = poise_dot(look->angle, look->angle);
        curve.turn = poise_scale(0.5 * weight, look->angle);
        curve.across = weight * (0.25 - look->turn + look->turn * look->turn * square);
    }
    return curve;
}

// Returns a vector whose product with the axis of a motion nearer to the base is a term of the
// second derivative of the cost: the term that J^T J lacks for these two motions. `v` is the
// point's velocity by the outer motion.
static PoiseVec3 curvature_of(const Curve* curve, PoiseVec3 angle, const Relative* v) {
    const PoiseVec3 across = poise_cross(angle, poise_cross(angle, v->angular));
    const PoiseVec3 sum =
        poise_add(poise_cross(curve->force, v->linear), poise_cross(curve->turn, v->angular));
    return poise_add_scaled(sum, curve->across, across);
}

void poise__task_curvature(const PoiseTasks* tasks, const Item* item, double* matrix) {
    const int n = tasks->column_count;
    const Point* point = poise__point(tasks->tree, item->def.point);
    if (item->mask == 0 || point->kind == POISE_POINT_COM || point->frame != NO_SLOT ||
        point->row_axes == POISE_ROW_AXES_POINT || (tasks->registered && point->yields)) {
        return;
    }
    const Look look = look_at(tasks->tree, point);
    if (look.aims) {
        return;
    }
    const Curve curve = curve_of(tasks, item, &look);
    const PoiseVec3 place = look.pose.p;
    for (int k = 0; k < item->mover_count; k++) {
        const Motion* below = &tasks->motions[item->movers[k].motion];
        const Relative v = relative_of(tasks->tree, below, point, 1, place);
        const PoiseVec3 pull = curvature_of(&curve, look.angle, &v);
        for (int i = 0; i <= k && below->direct; i++) {
            const Motion* above = &tasks->motions[item->movers[i].motion];
            if (!above->direct || above->linear) {
                continue;
            }
            double value = above->ratio * poise_dot(above->axis, pull);
            if (above->slot == below->slot && above->dof == 3) {
                // the axes of a ball carry each other, so both orders are averaged
                const Relative other = relative_of(tasks->tree, above, point, 1, place);
                const PoiseVec3 back = curvature_of(&curve, look.angle, &other);
                value = 0.5 * (value + poise_dot(v.angular, back));
            }
            const bool before = above->column <= below->column;
            const int row = before ? above->column : below->column;
            const int column = before ? below->column : above->column;
            matrix[row * n + column] += row == column && i < k ? 2.0 * value : value;
        }
    }
}

// Adds to a row, by column of each motion, the point's velocity along u by this motion.
static void add_along(const PoiseTasks* tasks, const Point* point, PoiseVec3 u, double* jacobian,
                      int stride) {
    const PoiseVec3 place = poise__point_world(tasks->tree, point).p;
    for (int m = 0; m < tasks->motion_count; m++) {
        const int sign = poise__point_sign(tasks->tree, tasks->motions[m].slot, point);
        const Relative relative = relative_of(tasks->tree, &tasks->motions[m], point, sign, place);
        jacobian[tasks->motions[m].column * stride] += poise_dot(u, relative.linear);
    }
}

// Returns the change that would bring the value into the interval; above 0 if it is too small.
static double to_interval(const PoiseTaskDef* def, double value) {
    return value < def->lower ? def->lower - value : poise_min(def->upper - value, 0.0);
}

// Returns the value of a cone task (PoiseTaskKind) at a place, and its gradient.
static double cone_value(const PoiseTaskDef* def, PoiseVec3 place, PoiseVec3* gradient) {
    const PoiseVec3 from = poise_sub(place, def->apex);
    const double along = poise_dot(def->normal, from);
    const PoiseVec3 across = poise_add_scaled(from, -along, def->normal);
    const double radius = poise_length(across);
    const PoiseSinCos turn = poise_sincos(def->angle);
    *gradient = poise_scale(-turn.sine, def->normal);
    if (radius > NO_DISTANCE) {
        *gradient = poise_add_scaled(*gradient, turn.cosine / radius, across);
    }
    return radius * turn.cosine - along * turn.sine;
}

static void value_row(const PoiseTasks* tasks, Item* item, double* error, double* jacobian,
                      int stride) {
    const PoiseTree* tree = tasks->tree;
    const Point* point = poise__point(tree, item->def.point);
    const PoiseVec3 place = poise__point_world(tree, point).p;
    if (item->def.kind == POISE_TASK_HALF_SPACE) {
        item->reading.value = poise_dot(item->def.normal, place);
        add_along(tasks, point, item->def.normal, jacobian, stride);
    } else if (item->def.kind == POISE_TASK_CONE) {
        PoiseVec3 gradient;
        item->reading.value = cone_value(&item->def, place, &gradient);
        add_along(tasks, point, gradient, jacobian, stride);
    } else {
        const Point* other = poise__point(tree, item->def.other);
        const PoiseVec3 line = poise_sub(place, poise__point_world(tree, other).p);
        const double length = poise_length(line);
        const PoiseVec3 u =
            length > NO_DISTANCE ? poise_scale(1.0 / length, line) : poise_vec3(1.0, 0.0, 0.0);
        item->reading.value = length;
        add_along(tasks, point, u, jacobian, stride);
        add_along(tasks, other, poise_scale(-1.0, u), jacobian, stride);
    }
    *error = to_interval(&item->def, item->reading.value);
    item->reading.error = fabs(*error);
}

// Fills the row of the manipulability m, which uses log m. The error is log(lower / m), at most 1,
// so that a step multiplies m by at most about e.
static void measure_row(const PoiseTasks* tasks, Item* item, double* error, double* jacobian,
                        int stride) {
    const Point* point = poise__point(tasks->tree, item->def.point);
    double* gradient = tasks->gradient;
    const double m = poise__task_manipulability(tasks, point, gradient);
    const bool endless = isinf(item->def.lower);
    item->reading.value = m;
    item->reading.error = endless ? 0.0 : poise_max(item->def.lower - m, 0.0);
    *error = 0.0;
    if (m > 0.0 && (endless || m < item->def.lower)) {
        *error = endless ? 1.0 : poise_min(poise__task_log(item->def.lower / m), 1.0);
        for (int c = 0; c < tasks->column_count; c++) {
            jacobian[c * stride] = gradient[c] / m;
        }
    }
}

void poise__task_rows(const PoiseTasks* tasks, Item* item, double* error, double* jacobian,
                      int stride) {
    memset(&item->reading, 0, sizeof item->reading);
    for (int c = 0; item->def.kind != POISE_TASK_POINT && c < tasks->column_count; c++) {
        jacobian[c * stride] = 0.0;
    }
    switch (item->def.kind) {
    case POISE_TASK_POINT:
        point_rows(tasks, item, error, jacobian, stride);
        break;
    case POISE_TASK_DISTANCE:
    case POISE_TASK_HALF_SPACE:
    case POISE_TASK_CONE:
        value_row(tasks, item, error, jacobian, stride);
        break;
    case POISE_TASK_MANIPULABILITY:
        measure_row(tasks, item, error, jacobian, stride);
        break;
    case POISE_TASK_POSTURE:
    case POISE_TASK_DAMPING:
        break;
    }
    item->reading.met = item->reading.error <= item->def.tolerance &&
                        item->reading.angle_error <= item->def.angle_tolerance;
}

// ---------------------------------------------------------------------------------- posture

double poise__task_column_weight(const PoiseTasks* tasks, const Item* item, int column) {
    if (!item->node_weights) {
        return 1.0;
    }
    for (int m = 0; m < tasks->motion_count; m++) {
        const Motion* motion = &tasks->motions[m];
        if (motion->column != column || !motion->leads) {
            continue;
        }
        for (int i = 0; i < tasks->tree->node_count; i++) {
            if (tasks->tree->order[i] == motion->slot) {
                return item->node_weights[i];
            }
        }
    }
    return 0.0;
}

// Converts a difference of postures to the columns of a joint.
static void by_column(const Joint* joint, const double* whole, const Motion* motions, double* out) {
    const PoiseJointType* type = poise__joint_type(joint);
    const int moves = poise__joint_moves(type);
    for (int d = 0; d < poise__joint_dof(joint); d++) {
        if (poise__joint_is_direct(joint)) {
            out[d] = whole[d];
        } else {
            const double* v = motions[d].linear ? whole : whole + moves;
            out[d] = poise_dot(motions[d].axis, poise_vec3(v[0], v[1], v[2]));
        }
    }
}

void poise__task_difference(const PoiseTasks* tasks, const Item* item, double* difference) {
    const PoiseTree* tree = tasks->tree;
    const double* reference = item->posture;
    int m = 0;
    memset(difference, 0, (size_t)tasks->column_count * sizeof *difference);
    for (int i = 0; i < tree->node_count && reference; i++) {
        const int slot = tree->order[i];
        const Joint* joint = &tree->nodes[slot].joint;
        if (m < tasks->motion_count && tasks->motions[m].slot == slot) {
            if (tasks->motions[m].leads) {
                double whole[POISE_MAX_DOF];
                poise__joint_difference(joint, reference, whole);
                by_column(joint, whole, &tasks->motions[m], &difference[tasks->motions[m].column]);
            }
            m += tasks->motions[m].dof;
        }
        reference += poise__joint_type(joint)->nq;
    }
}

// ------------------------------------------------------------------------------------- all items

// Multiplies an item's rows by the square roots of their weights, and computes its cost.
static void weigh(const PoiseTasks* tasks, Item* item) {
    const bool own = item->def.kind == POISE_TASK_POINT;
    int row = 0;
    item->cost = 0.0;
    for (int k = 0; k < TASK_MOST_ROWS && row < item->rows; k++) {
        if (own && (item->mask >> k & 1u) == 0) {
            continue;
        }
        const double scale = sqrt(item->def.weight * (own ? item->def.weights[k] : 1.0));
        double* j = &tasks->jacobian[item->first_row + row];
        double* error = &tasks->error[item->first_row + row++];
        *error *= scale;
        item->cost += 0.5 * *error * *error;
        for (int c = 0; scale != 1.0 && c < tasks->column_count; c++) {
            j[c * tasks->row_count] *= scale;
        }
    }
    if (item->def.kind == POISE_TASK_MANIPULABILITY && isinf(item->def.lower)) {
        const double m = item->reading.value;
        item->cost = m > 0.0 ? -item->def.weight * poise__task_log(m) : HUGE_VAL;
    }
}

static void posture_cost(PoiseTasks* tasks, Item* item) {
    memset(&item->reading, 0, sizeof item->reading);
    item->reading.met = true;
    item->cost = 0.0;
    if (item->def.kind == POISE_TASK_POSTURE) {
        poise__task_difference(tasks, item, tasks->gradient);
        for (int c = 0; c < tasks->column_count; c++) {
            const double d = tasks->gradient[c];
            const double weight = poise__task_column_weight(tasks, item, c);
            item->cost += 0.5 * item->def.weight * weight * d * d;
        }
    }
}

void poise__tasks_look(PoiseTasks* tasks) {
    const int stride = tasks->row_count;
    fill_frames(tasks);
    for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
        Item* item = &tasks->items[i];
        if (item->def.kind == POISE_TASK_POSTURE || item->def.kind == POISE_TASK_DAMPING) {
            posture_cost(tasks, item);
            continue;
        }
        poise__task_rows(tasks, item, &tasks->error[item->first_row],
                         &tasks->jacobian[item->first_row], stride);
        weigh(tasks, item);
    }
    for (int l = 0; l < tasks->level_count; l++) {
        TaskLevel* level = &tasks->levels[l];
        level->cost = 0.0;
        for (int i = 0; i < tasks->count + tasks->closure_count; i++) {
            const Item* item = &tasks->items[i];
            if (item->def.priority == level->priority &&
                poise__task_is_interval(&item->def) == level->interval) {
                level->cost += item->cost;
            }
        }
    }
    if (tasks->apart) {
        poise__tasks_near(tasks);
    }
}

static bool find(PoiseTasks* tasks, int index, Item** item) {
    if (!tasks || index < 0 || index >= tasks->count || poise__tasks_lay_out(tasks) != POISE_OK) {
        return false;
    }
    *item = &tasks->items[index];
    fill_frames(tasks);
    return true;
}

PoiseTaskReading poise_tasks_read(PoiseTasks* tasks, int index) {
    Item* item;
    PoiseTaskReading none;
    memset(&none, 0, sizeof none);
    if (!find(tasks, index, &item)) {
        return none;
    }
    if (item->rows == 0) {
        none.met = true;
        return none;
    }
    double error[TASK_MOST_ROWS];
    poise__task_rows(tasks, item, error, tasks->scratch, TASK_MOST_ROWS);
    return item->reading;
}

int poise_tasks_rows(PoiseTasks* tasks, int index, double* errors, double* jacobian, int capacity) {
    Item* item;
    if (!find(tasks, index, &item)) {
        return 0;
    }
    const int n = tasks->column_count;
    const bool diagonal =
        item->def.kind == POISE_TASK_POSTURE || item->def.kind == POISE_TASK_DAMPING;
    const int rows = diagonal ? n : item->rows;
    if (!errors || !jacobian || capacity < rows) {
        return rows;
    }
    if (diagonal) {
        memset(jacobian, 0, (size_t)n * (size_t)n * sizeof *jacobian);
        poise__task_difference(tasks, item, errors);
        for (int c = 0; c < n; c++) {
            jacobian[c * n + c] = 1.0;
        }
        return rows;
    }
    memset(tasks->scratch, 0, (size_t)(n * TASK_MOST_ROWS) * sizeof *tasks->scratch);
    poise__task_rows(tasks, item, errors, tasks->scratch, TASK_MOST_ROWS);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < n; c++) {
            jacobian[r * n + c] = tasks->scratch[c * TASK_MOST_ROWS + r];
        }
    }
    return rows;
}
