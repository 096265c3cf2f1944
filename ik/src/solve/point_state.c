// SPDX-License-Identifier: MIT
// Decides whether a point can move nearer to its goal and, if not, what prevents it. Uses J, v and
// omega of the last solve, and the joints at their limits.
#include "solve.h"

// a step that removes less than this fraction of the error makes no progress
#define PROGRESS_ZERO 1e-4
// a gradient below this fraction of |J| |v| counts as 0
#define GRADIENT_ZERO 1e-2
// a limit blocks a dof if the dof's gradient toward the limit exceeds this fraction of |J_i| |v|
#define PRESSED 1e-3
// Zero of two ratios: second derivative over squared moment arm, and moment arm over reach.
#define CURVATURE_ZERO 1e-6

// Sums over all dofs that move one point.
typedef struct Account {
    double v2;
    double progress; ///< v . J omega, the progress of the step
    double free2;    ///< squared gradient of the dofs that no limit blocks
    double alpha;    ///< squared length of all columns
    bool pressed;    ///< true: a limit blocks some dof that would move the point nearer
    bool curves;     ///< rotating some dof does not increase the distance, to second order
} Account;

static const Goal* goal_of(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    const Layout* layout = poise__layout_now(tree);
    for (int g = 0; point && layout && tree->solver->answer.solved && g < layout->goal_count; g++) {
        if (layout->goals[g].point == poise__point_slot(tree, point)) {
            return &layout->goals[g];
        }
    }
    return NULL;
}

// The column of J of one dof for one point, reduced to two numbers.
typedef struct Pull {
    int dof;
    double gradient; ///< product of the column and v
    double square;   ///< squared length of the column
} Pull;

static Pull pull_of(const Task* task, const Goal* goal, const Column* column, const Block* block,
                    int d) {
    Pull pull = {column->first_dof + d, 0.0, 0.0};
    const double* j = &task->jacobian[block->offset + d * block->stride];
    for (int k = 0; k < goal->rows; k++) {
        pull.gradient += j[k] * task->v[goal->first_row + k];
        pull.square += j[k] * j[k];
    }
    return pull;
}

const Column* poise__goal_column(const PoiseTree* tree, const Goal* goal, int n,
                                 const Block** block) {
    const Layout* layout = &tree->solver->layout;
    const int at = poise__point_column(tree, layout, &tree->points[goal->point], n);
    if (at == NO_SLOT) {
        return NULL;
    }
    // binary search: the blocks of a column are sorted by goal
    const Column* column = &layout->columns[at];
    const Block* blocks = &layout->blocks[column->first_block];
    int first = 0, end = column->block_count;
    while (first < end) {
        const int middle = first + (end - first) / 2;
        first = &layout->goals[blocks[middle].goal] < goal ? middle + 1 : first;
        end = first > middle ? end : middle;
    }
    *block = &blocks[first];
    const bool found = first < column->block_count && &layout->goals[blocks[first].goal] == goal;
    return found ? column : NULL;
}

static double square_of_v(const Task* task, const Goal* goal) {
    double sum = 0.0;
    for (int k = 0; k < goal->rows; k++) {
        sum += task->v[goal->first_row + k] * task->v[goal->first_row + k];
    }
    return sum;
}

// True if the dof is at a limit, and moving beyond it would bring the point nearer to the goal.
static bool is_pressed(const Metric* metric, const Answer* answer, Pull pull, double v2) {
    const double zero = PRESSED * sqrt(pull.square * v2);
    const int dof = pull.dof;
    return answer->fixed[dof] &&
           ((pull.gradient > zero && answer->omega[dof] >= metric->upper[dof]) ||
            (pull.gradient < -zero && answer->omega[dof] <= metric->lower[dof]));
}

// True if rotating the dof does not increase the distance to second order: the second derivative of
// half the squared distance, |e x r|^2 - error . e x (e x r), is at most 0. False unless the goal
// is a position in the world.
static bool curves_nearer(const PoiseTree* tree, const Goal* goal, const Column* column, int dof) {
    const Task* task = &tree->solver->task;
    if (!goal->plain || !goal->has_position || task->linear[dof] || column->tied) {
        return false;
    }
    const PoiseVec3 axis = task->axes[dof];
    const PoiseVec3 anchor = poise__joint_anchor(&tree->nodes[column->node].joint);
    const PoiseVec3 turn = poise_cross(axis, poise_sub(goal->pose.p, anchor));
    const double arm2 = poise_dot(turn, turn);
    const double second = arm2 - poise_dot(goal->error, poise_cross(axis, turn));
    return arm2 > CURVATURE_ZERO * goal->reach * goal->reach && second <= CURVATURE_ZERO * arm2;
}

static Account account_of(const PoiseTree* tree, const Goal* goal) {
    const Task* task = &tree->solver->task;
    const Metric* metric = &tree->solver->metric;
    const Answer* answer = &tree->solver->answer;
    Account account = {.v2 = square_of_v(task, goal)};
    for (int n = 0; n < tree->points[goal->point].node_count; n++) {
        const Block* block;
        const Column* column = poise__goal_column(tree, goal, n, &block);
        for (int d = 0; column && d < column->dof; d++) {
            const Pull pull = pull_of(task, goal, column, block, d);
            const bool pressed = is_pressed(metric, answer, pull, account.v2);
            account.progress += pull.gradient * answer->omega[pull.dof];
            account.alpha += pull.square;
            account.free2 += pressed ? 0.0 : pull.gradient * pull.gradient;
            account.pressed = account.pressed || pressed;
            account.curves = account.curves || curves_nearer(tree, goal, column, pull.dof);
        }
    }
    return account;
}

// Returns v . J omega, by which the step reduces the error. Needs the residual v - J omega.
static double progress_of(const Task* task, const Answer* answer, const Goal* goal) {
    double sum = 0.0;
    for (int r = goal->first_row; r < goal->first_row + goal->rows; r++) {
        sum += task->v[r] * (task->v[r] - answer->work.residual[r]);
    }
    return sum;
}

// Returns the state of the goal's point. `fresh`: Answer.work.residual holds v - J omega.
static PoisePointState state_of(const PoiseTree* tree, const Goal* goal, bool fresh) {
    if (goal->frozen) {
        return POISE_POINT_IDLE;
    }
    if (tree->points[goal->point].is_met) {
        return POISE_POINT_MET;
    }
    const Task* task = &tree->solver->task;
    const Answer* answer = &tree->solver->answer;
    const double error2 = poise_dot(goal->error, goal->error) + poise_dot(goal->angle, goal->angle);
    const double rest = PROGRESS_ZERO * goal->scale * sqrt(square_of_v(task, goal) * error2);
    if (fresh && progress_of(task, answer, goal) > rest) {
        return POISE_POINT_MOVING;
    }
    const Account account = account_of(tree, goal);
    if (account.progress > rest) {
        return POISE_POINT_MOVING;
    }
    if (account.free2 > GRADIENT_ZERO * GRADIENT_ZERO * account.alpha * account.v2) {
        return POISE_POINT_OUTWEIGHED;
    }
    if (account.pressed) {
        return POISE_POINT_AT_LIMITS;
    }
    const bool moves = account.alpha > 0.0;
    return account.curves || !moves ? POISE_POINT_SINGULAR : POISE_POINT_UNREACHABLE;
}

PoisePointState poise_point_state(const PoiseTree* tree, PoisePointId id) {
    const Goal* goal = goal_of(tree, id);
    return goal ? state_of(tree, goal, false) : POISE_POINT_IDLE;
}

PoisePointState poise__tree_state(const PoiseTree* tree) {
    PoisePointState last = POISE_POINT_IDLE;
    for (int g = 0; g < tree->solver->layout.goal_count; g++) {
        const PoisePointState state = state_of(tree, &tree->solver->layout.goals[g], true);
        last = state > last ? state : last;
    }
    return last;
}

const char* poise_point_state_name(PoisePointState state) {
    static const char* const names[] = {"idle",       "met",         "moving",  "at limits",
                                        "outweighed", "unreachable", "singular"};
    return state >= POISE_POINT_IDLE && state <= POISE_POINT_SINGULAR ? names[state] : "unknown";
}

int poise_point_limited_by(const PoiseTree* tree, PoisePointId id, PoiseNodeId* nodes,
                           int capacity) {
    const Goal* goal = goal_of(tree, id);
    if (!goal || goal->frozen || tree->points[goal->point].is_met) {
        return 0;
    }
    const Task* task = &tree->solver->task;
    const Metric* metric = &tree->solver->metric;
    const Answer* answer = &tree->solver->answer;
    const double v2 = square_of_v(task, goal);
    int count = 0;
    for (int n = 0; n < tree->points[goal->point].node_count; n++) {
        const Block* block;
        const Column* column = poise__goal_column(tree, goal, n, &block);
        bool pressed = false;
        for (int d = 0; column && d < column->dof; d++) {
            pressed =
                pressed || is_pressed(metric, answer, pull_of(task, goal, column, block, d), v2);
        }
        if (pressed && nodes && count < capacity) {
            nodes[count] = poise__node_id(tree, column->node);
        }
        count += pressed;
    }
    return count;
}
