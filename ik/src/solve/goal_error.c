// SPDX-License-Identifier: MIT
// Computes v: the error of each point to its goal, a displacement (m) and a rotation vector (rad),
// clamped to the part that one step may ask for. First stage of a solve; jacobian.c follows.
#include "solve.h"

static void put_row3(double* rows, double scale, PoiseVec3 v) {
    rows[0] = scale * v.x;
    rows[1] = scale * v.y;
    rows[2] = scale * v.z;
}

// Fills the position error and the rotation vector of the shortest turn to the goal, in world axes.
static void fill_error(const PoiseTree* tree, Goal* goal, const Point* point) {
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    const PoisePose target = poise__point_goal(tree, point);
    goal->error = goal->has_position ? poise_sub(target.p, goal->pose.p) : none;
    goal->angle = none;
    if (point->kind == POISE_POINT_DIRECTION || point->kind == POISE_POINT_LOOK_AT) {
        goal->aim = poise__aim_of(tree, point, goal->pose);
        goal->angle = goal->aim.angle;
    } else if (goal->has_orientation) {
        PoiseQuat turn = poise_quat_mul(target.q, poise_quat_conjugate(goal->pose.q));
        goal->angle = poise_quat_log(turn);
    }
    if (point->yields) {
        poise__yield_drop(tree, point, goal->pose.q, &goal->error, &goal->angle);
    }
    goal->frozen = !poise_is_finite3(goal->error) || !poise_is_finite3(goal->angle) ||
                   !isfinite(poise_dot(goal->error, goal->error));
    if (goal->frozen) {
        goal->error = none;
        goal->angle = none;
    }
}

// Writes the active rows of v (`bits`), each along its row axis. Returns their end.
static double* put_counting(const Goal* goal, unsigned bits, double* at, PoiseVec3 v) {
    for (int k = 0; k < 3; k++) {
        if ((bits >> k & 1) != 0) {
            *at++ = goal->scale * poise_dot(goal->row_axes[k], v);
        }
    }
    return at;
}

static void put_goal(const Goal* goal, const Point* point, double* rows, PoiseVec3 linear,
                     PoiseVec3 angular) {
    double* at = &rows[goal->first_row];
    if (!goal->plain) {
        at = put_counting(goal, goal->has_position ? point->rows & 7 : 0, at, linear);
        (void)put_counting(goal, goal->has_orientation ? point->rows >> 3 : 0, at, angular);
        return;
    }
    if (goal->has_position) {
        put_row3(at, goal->scale, linear);
        at += 3;
    }
    if (goal->has_orientation) {
        put_row3(at, goal->scale, angular);
    }
}

static void fill_row_axes(const PoiseTree* tree, Goal* goal, const Point* point) {
    if (goal->plain) {
        return;
    }
    const PoiseQuat q = poise__point_row_turn(tree, point, goal->pose.q);
    for (int k = 0; k < 3; k++) {
        goal->row_axes[k] = poise_quat_rotate(q, poise_vec3(k == 0, k == 1, k == 2));
    }
}

void poise__goal_fill(PoiseTree* tree) {
    Layout* layout = &tree->solver->layout;
    Task* task = &tree->solver->task;
    task->frozen_points = 0;
    if (layout->has_com) {
        poise__gather_subtrees(tree);
    }
    for (int g = 0; g < layout->goal_count; g++) {
        Goal* goal = &layout->goals[g];
        const Point* point = &tree->points[goal->point];
        goal->scale = sqrt(point->weight);
        goal->pose = poise__point_world(tree, point);
        if (point->kind == POISE_POINT_COM) {
            goal->mass = tree->nodes[point->link].subtree_mass;
        }
        fill_row_axes(tree, goal, point);
        fill_error(tree, goal, point);
        task->frozen_points += goal->frozen;
        put_goal(goal, point, task->v, goal->error, goal->angle);
    }
}

static double counting_length(const Goal* goal, unsigned bits, PoiseVec3 v) {
    if (goal->plain || (bits & 7) == 7) {
        return poise_length(v);
    }
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const double row = (bits >> k & 1) != 0 ? poise_dot(goal->row_axes[k], v) : 0.0;
        sum += row * row;
    }
    return sqrt(sum);
}

void poise__goal_left(const PoiseTree* tree, const Goal* goal, double* distance, double* angle) {
    const unsigned rows = tree->points[goal->point].rows;
    *distance = counting_length(goal, rows, goal->error);
    *angle = counting_length(goal, rows >> 3, goal->angle);
}

bool poise__goal_is_near(const PoiseTree* tree, const Goal* goal, double distance, double angle) {
    double left, turn;
    poise__goal_left(tree, goal, &left, &turn);
    return left <= distance && turn <= angle;
}

int poise__idle_measure(const PoiseTree* tree, double* distance, double* angle) {
    int frozen = 0;
    *distance = 0.0;
    *angle = 0.0;
    for (int i = 0; tree->solver->layout.idle_count > 0 && i < tree->point_count; i++) {
        const Point* point = &tree->points[tree->point_order[i]];
        if (!poise__point_is_idle(tree, point)) {
            continue;
        }
        Goal goal = {.has_position = poise__point_has_position(point),
                     .has_orientation = poise__point_has_orientation(point)};
        goal.pose = poise__point_world(tree, point);
        fill_error(tree, &goal, point);
        *distance = fmax(*distance, poise_length(goal.error));
        *angle = fmax(*angle, poise_length(goal.angle));
        frozen += goal.frozen;
    }
    return frozen;
}

static PoiseVec3 shortened(PoiseVec3 v, double most) {
    double length = poise_length(v);
    return length > most ? poise_scale(most / length, v) : v;
}

/// The velocity of a place, m/s and rad/s.
typedef struct Motion {
    PoiseVec3 linear;
    PoiseVec3 angular;
} Motion;

// Subtracts `sign` times the velocity at `place` of the moving base that carries the link.
static void drop_base_motion(const PoiseTree* tree, int slot, PoiseVec3 place, double sign,
                             Motion* motion) {
    while (tree->nodes[slot].parent != NO_SLOT) {
        slot = tree->nodes[slot].parent;
    }
    const Node* root = &tree->nodes[slot];
    const PoiseVec3 arm = poise_sub(place, root->base.p);
    motion->linear = poise_add_scaled(motion->linear, -sign, root->base_velocity);
    motion->linear = poise_add_scaled(motion->linear, -sign, poise_cross(root->base_spin, arm));
    motion->angular = poise_add_scaled(motion->angular, -sign, root->base_spin);
}

// Returns the goal's velocity relative to the base of its joints. `velocity`: in the goal's frame.
static Motion goal_motion(const PoiseTree* tree, const Goal* goal, const Point* point,
                          const PoiseVec3 velocity[2]) {
    Motion motion = {poise__from_goal_frame(tree, point, velocity[0]),
                     poise__from_goal_frame(tree, point, velocity[1])};
    if (tree->state.bases_move) {
        drop_base_motion(tree, point->link, goal->pose.p, 1.0, &motion);
        if (point->frame != NO_SLOT) {
            drop_base_motion(tree, point->frame, goal->pose.p, -1.0, &motion);
        }
    }
    if (point->yields) {
        poise__yield_drop(tree, point, goal->pose.q, &motion.linear, &motion.angular);
    }
    return motion;
}

// Extends the error from the goal as set to the goal predicted for the end of the step.
static inline PoiseVec3 left_to(const PoiseTree* tree, const Point* point, int k, PoiseVec3 error) {
    const GoalMotion* motion = &point->motion;
    if (!point->follow[k] || motion->smooth == 0.0) {
        return error;
    }
    const PoiseVec3 ahead = poise_scale(motion->smooth, motion->place[k]);
    return poise_add(error, poise__from_goal_frame(tree, point, ahead));
}

// Fills `out` with the error and the goal velocity for a simulation step. Returns the smoothness of
// the goal's motion, 0..1.
static double goal_step(const PoiseTree* tree, const Goal* goal, Point* point, double step,
                        GoalStep* out) {
    *out = (GoalStep){left_to(tree, point, 0, goal->error),
                      left_to(tree, point, 1, goal->angle),
                      {poise__goal_velocity(point, 0), poise__goal_velocity(point, 1)}};
    const bool places = poise__tracks_place(point);
    const bool turns = poise__tracks_turn(point);
    if ((places || turns) && !goal->frozen) {
        poise__goal_track(tree, goal, point, step, out);
    }
    const bool whole = places == goal->has_position && turns == goal->has_orientation;
    return whole ? 1.0 : poise__goal_smoothness(point, step);
}

double poise__goal_clamp(PoiseTree* tree, const PoiseSolveDef* def) {
    Layout* layout = &tree->solver->layout;
    Task* task = &tree->solver->task;
    double sum = 0.0;
    double smoothness = HUGE_VAL;
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        Point* point = &tree->points[goal->point];
        // Relative to the reach, the limit needs the same number of steps for chains of any size. A
        // point on the anchor of its only joint has reach 0 and no limit.
        double most = goal->reach > 0.0 ? def->position_clamp * goal->reach : HUGE_VAL;
        double most_angle = def->angle_clamp;
        GoalStep next = {.error = goal->error, .angle = goal->angle};
        if (def->step > 0.0) {
            most = poise_min(most, point->max_speed * def->step);
            most_angle = poise_min(most_angle, point->max_turn_speed * def->step);
            poise__goal_follow(point, def->step, most, most_angle);
            const double smooth = goal_step(tree, goal, point, def->step, &next);
            const Motion motion = goal_motion(tree, goal, point, next.velocity);
            const double speed = poise_dot(motion.linear, motion.linear);
            if (speed + poise_dot(motion.angular, motion.angular) > 0.0) {
                smoothness = poise_min(smoothness, smooth);
            }
            put_goal(goal, point, task->goal_velocity, shortened(motion.linear, most / def->step),
                     shortened(motion.angular, most_angle / def->step));
        }
        put_goal(goal, point, task->v, shortened(next.error, most),
                 shortened(next.angle, most_angle));
        for (int r = goal->first_row; r < goal->first_row + goal->rows; r++) {
            sum += task->v[r] * task->v[r];
        }
    }
    task->smoothness = smoothness <= 1.0 ? smoothness : 0.0;
    return sqrt(sum);
}

double poise_tree_smoothness(const PoiseTree* tree) {
    return tree && tree->solver ? tree->solver->task.smoothness : 0.0;
}

double poise_tree_creep(const PoiseTree* tree) {
    bool creeps = tree && tree->solver && !tree->solver->answer.has_velocity;
    double most = 0.0;
    for (int g = 0; creeps && g < tree->solver->layout.goal_count; g++) {
        creeps = tree->points[tree->solver->layout.goals[g].point].is_met;
    }
    for (int i = 0; creeps && i < tree->solver->layout.column_count; i++) {
        const Column* column = &tree->solver->layout.columns[i];
        for (int d = 0; d < column->dof; d++) {
            most = poise_max(most, fabs(tree->nodes[column->node].omega[d]));
        }
    }
    return most;
}

double poise__residual(const Layout* layout, const Task* task, Answer* answer) {
    double sum = 0.0;
    poise_matrix_times(&task->matrix, answer->omega, answer->work.residual);
    for (int r = 0; r < layout->row_count; r++) {
        answer->work.residual[r] = task->v[r] - answer->work.residual[r];
        sum += answer->work.residual[r] * answer->work.residual[r];
    }
    return sqrt(sum);
}
