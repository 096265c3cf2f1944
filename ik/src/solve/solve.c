// SPDX-License-Identifier: MIT
// Runs one solve: fills v, J and the damping, runs the solver, and computes the joints' velocities
// from those of the goals. Then it applies the joint cap and kicks stuck arms. The nodes hold the
// step omega until poise_advance adds it to the posture.
#include <string.h>

#include "solve.h"

// a step within this fraction of its bound counts as on the bound
#define ROUNDED 1e-9

enum { SPEED_ROUNDS = 3 };
// limits of AUTO's choice between a factorisation and conjugate gradients (choose_solver)
enum { FEW_ROWS = 60, ROWS_A_DOF = 4 };

// The settings of a solve, and the outcome of its last solver run.
typedef struct Problem {
    const PoiseSolveDef* def;
    PoiseSolver first;  ///< solver chosen for the first run
    PoiseSolver solver; ///< solver of the last run
    bool leveled;       ///< true: the goals have several priorities
    int first_level;    ///< index of the first level; POISE_ALL_ROWS without priorities
    int end_level;
    bool budget_used;  ///< true: the solver used all its iterations before it converged
    bool holds_speeds; ///< true: the speed of a vector joint has bounded its columns
    bool moving;       ///< true: some goal has a velocity
    double damping;    ///< eps of the damping rule
    StepRows* rows;    ///< inequalities of the step, or NULL
} Problem;

static bool goals_move(const Layout* layout, const Task* task, double step) {
    bool moving = false;
    for (int r = 0; step > 0.0 && r < layout->row_count; r++) {
        moving = moving || task->goal_velocity[r] != 0.0;
    }
    return moving;
}

// Returns the solver to run first. A factorisation takes rows^3 operations, conjugate gradients
// rows x dofs^2. On chains of 2 to 1,000 hinges they cost the same at 4 rows per dof.
static PoiseSolver choose_solver(const Layout* layout, const PoiseSolveDef* def) {
    const int rows = layout->row_count;
    if (def->solver == POISE_SOLVER_AUTO) {
        const bool dual = rows <= FEW_ROWS ||
                          (rows <= POISE_MOST_DUAL_ROWS && rows <= ROWS_A_DOF * layout->dof_count);
        return dual ? POISE_SOLVER_DUAL : POISE_SOLVER_CGLS;
    }
    if (def->solver == POISE_SOLVER_DUAL && rows > POISE_MOST_DUAL_ROWS) {
        return POISE_SOLVER_CGLS;
    }
    return def->solver;
}

// Runs the chosen solver, or BOX if that one's answer leaves a range. Stores which solver ran.
static int run_once(Solver* solver, const Level* level, Problem* problem) {
    const Layout* layout = &solver->layout;
    if (problem->first == POISE_SOLVER_GAUSS_SEIDEL && !level->inside) {
        const Sweeps sweeps = {problem->def->sweeps, false};
        const int done =
            poise__sweep_solve(layout, &solver->task, &solver->metric, &solver->answer, sweeps);
        problem->budget_used = done >= sweeps.most;
        return done;
    }
    const Solved solved = poise__level_solve(layout, &solver->metric, level);
    problem->solver = solved.ranged ? POISE_SOLVER_BOX : problem->solver;
    problem->budget_used = problem->budget_used || solved.budget_used;
    return solved.count;
}

// Runs the solver. If a ball, translation or free node exceeds its speed, bounds the node's columns
// at that speed and runs the solver again, so that other joints compensate. If there are several
// levels, the earlier ones are already solved; then poise__limits_shorten limits the speed at the
// end of the solve.
static int run_solver(PoiseTree* tree, const Level* level, Problem* problem) {
    Solver* solver = tree->solver;
    const double step = problem->def->step;
    poise__damping_fill(&solver->layout, &solver->metric, level, problem->damping, problem->def);
    if (problem->holds_speeds) {
        poise__bounds_fill(tree, step);
    }
    problem->holds_speeds = false;
    int done = run_once(solver, level, problem);
    for (int round = 0; level->rows->all && round < SPEED_ROUNDS && poise__speeds_bound(tree, step);
         round++) {
        problem->holds_speeds = true;
        done += run_once(solver, level, problem);
    }
    return done;
}

// Returns omega minus the steps of earlier levels, in `scratch`, or omega itself.
static const double* step_of(const Layout* layout, const Level* level, double* scratch) {
    for (int d = 0; level->before && d < layout->dof_count; d++) {
        scratch[d] = level->omega[d] - level->before[d];
    }
    return level->before ? scratch : level->omega;
}

// Sets the steps of resting groups to 0; other groups have no joint in common with them. True if
// any group rests. Closures with later levels never rest: they close to rounding errors, however
// far the joints turn.
static bool hold_resting(const Layout* layout, const Metric* metric, const Level* level,
                         const PoiseSolveDef* def) {
    const LevelRows* rows = level->rows;
    const double* step = step_of(layout, level, level->work->start);
    if ((!rows->all && rows->priority == POISE_PRIORITY_CLOSURE) ||
        !poise__rests_find(layout, metric, level, def, step)) {
        return false;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const int end = column->first_dof + column->dof;
        for (int d = column->first_dof; rows->groups[column->group].rests && d < end; d++) {
            const double least =
                level->last ? 0.0 : poise_min(poise_max(0.0, metric->lower[d]), metric->upper[d]);
            level->omega[d] = level->before ? level->before[d] : least;
        }
    }
    return true;
}

// Solves a level. If the step reverses the last step, solves it again with more damping.
static void solve_level(PoiseTree* tree, const Level* level, Problem* problem,
                        PoiseSolveReport* report) {
    Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    const LevelRows* rows = level->rows;
    PoiseQpWork* work = level->work;
    const PoiseSolveDef* def = problem->def;
    const bool kept = def->damping_frozen;
    const bool adaptive = def->adaptive && !kept && !(def->lambda >= 0.0);
    for (int i = 0; i < layout->group_count; i++) {
        GroupRows* group = &rows->groups[i];
        group->gain = poise_max(adaptive || kept ? group->kept_gain : 0.0, def->damping_floor);
    }
    report->sweeps += run_solver(tree, level, problem);
    const double* taken = NULL;
    if (adaptive) {
        taken = step_of(layout, level, work->start);
        taken = poise__comparable(layout, task, taken, work->gradient);
        if (poise__damping_adapt(layout, rows, taken)) {
            taken = NULL;
            if (level->before) {
                memcpy(level->omega, level->before,
                       (size_t)layout->dof_count * sizeof *level->omega);
            }
            report->sweeps += run_solver(tree, level, problem);
        }
    }
    const bool bounded = level->inside && level->inside->held;
    if (!bounded && hold_resting(layout, &tree->solver->metric, level, def)) {
        taken = NULL;
    }
    for (int i = 0; !level->before && i < layout->group_count; i++) {
        report->lambda = poise_max(report->lambda, rows->groups[i].lambda);
        report->damping_gain = poise_max(report->damping_gain, rows->groups[i].gain);
    }
    for (int g = 0; g < layout->goal_count; g++) {
        const Goal* goal = &layout->goals[g];
        if (poise__rows_have(rows, goal)) {
            tree->points[goal->point].damping_gain = rows->groups[goal->group].kept_gain;
        }
    }
    if (!taken) {
        taken = step_of(layout, level, work->start);
        taken = poise__comparable(layout, task, taken, work->gradient);
    }
    if (layout->dof_count > 0) {
        memcpy(rows->previous, taken, (size_t)layout->dof_count * sizeof *taken);
    }
}

// Solves all levels, each damped by its own rows. If there are no priorities, all rows are a level.
static void solve_levels(PoiseTree* tree, Problem* problem, PoiseSolveReport* report) {
    Solver* solver = tree->solver;
    const Layout* layout = &solver->layout;
    const Metric* metric = &solver->metric;
    Answer* answer = &solver->answer;
    if (problem->leveled) {
        poise__levels_prepare(layout, solver->levels, solver->levels->count);
    }
    for (int l = problem->first_level; l < problem->end_level; l++) {
        Level level = poise__level_begin(solver, l, false);
        level.begin = problem->first == POISE_SOLVER_BOX ? BEGIN_COLD : BEGIN_AS_BEFORE;
        level.matrix_free = problem->first == POISE_SOLVER_CGLS;
        const bool closes = problem->leveled && level.rows->priority == POISE_PRIORITY_CLOSURE;
        level.inside = closes ? NULL : problem->rows;
        solve_level(tree, &level, problem, report);
    }
    for (int d = 0; problem->leveled && d < layout->dof_count; d++) {
        answer->fixed[d] = metric->bounded && (answer->omega[d] <= metric->lower[d] ||
                                               answer->omega[d] >= metric->upper[d]);
    }
}

// Computes the joints' velocities from the goals' velocities by J^#, level by level. A level stops
// the dofs that it held at an end of their range. The velocities are 0 if no goal moves.
static void solve_velocity(PoiseTree* tree, const Problem* problem) {
    Solver* solver = tree->solver;
    const Layout* layout = &solver->layout;
    Answer* answer = &solver->answer;
    if (!problem->moving && !answer->has_velocity) {
        return;
    }
    answer->has_velocity = problem->moving;
    for (int d = 0; !problem->moving && d < layout->dof_count; d++) {
        answer->velocity[d] = 0.0;
    }
    for (int l = problem->first_level; problem->moving && l < problem->end_level; l++) {
        Level level = poise__level_begin(solver, l, true);
        // the factor of a step inside inequalities is in the memory of StepRows, not here
        level.matrix_free = problem->first == POISE_SOLVER_CGLS || problem->rows;
        const bool swept = problem->solver == POISE_SOLVER_GAUSS_SEIDEL;
        const bool lets_go =
            poise__velocities_stop(tree, level.matrix_free || swept ? answer->fixed : level.held);
        level.held = answer->stopped;
        level.again = !level.matrix_free && !lets_go;
        if (problem->leveled) {
            poise__damping_spread(layout, &solver->metric, &level);
        }
        if (swept) {
            poise__sweep_solve(layout, &solver->task, &solver->metric, answer,
                               (Sweeps){problem->def->sweeps, true});
            continue;
        }
        poise__level_velocity(layout, &solver->metric, &level);
    }
    poise__publish(tree, answer->velocity, offsetof(Node, velocity));
}

// Sums a node's dofs times their axes to vectors in world axes (eqs. 9 and 10 for two axes).
static void assemble(const Task* task, const Column* column, const double* in, double* out) {
    const PoiseVec3* axes = &task->axes[column->first_dof];
    const unsigned char* linear = &task->linear[column->first_dof];
    // -0 + x is exactly x for every x, also for -0
    PoiseVec3 move = poise_vec3(-0.0, -0.0, -0.0);
    PoiseVec3 turn = move;
    for (int d = 0; d < column->dof; d++) {
        PoiseVec3* sum = linear[d] ? &move : &turn;
        *sum = poise_add(*sum, poise_scale(column->scale * in[d], axes[d]));
    }
    if (poise__joint_moves(column->type) > 0) {
        out[0] = move.x;
        out[1] = move.y;
        out[2] = move.z;
    }
    double* turn_out = poise__joint_turn_of(column->type, out);
    if (turn_out) {
        turn_out[0] = turn.x;
        turn_out[1] = turn.y;
        turn_out[2] = turn.z;
    }
}

void poise__publish(PoiseTree* tree, double* by_dof, size_t member) {
    Layout* layout = &tree->solver->layout;
    Task* task = &tree->solver->task;
    double sum = 0.0;
    for (int d = 0; d < layout->dof_count; d++) {
        sum += by_dof[d];
    }
    if (!isfinite(sum)) { // a step that is not finite becomes 0
        memset(by_dof, 0, (size_t)layout->dof_count * sizeof *by_dof);
        task->frozen_nodes = layout->column_count;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        Node* node = &tree->nodes[column->node];
        double* out = (double*)(void*)((char*)node + member);
        node->has_omega = true;
        const double* in = &by_dof[column->first_dof];
        if (column->plain) {
            out[0] = column->scale * in[0];
        } else if (column->direct) {
            for (int d = 0; d < column->dof; d++) {
                out[d] = column->scale * in[d];
            }
        } else if (column->cone) {
            poise__cone_turn(&task->axes[column->first_dof], in, column->scale, out);
        } else {
            assemble(task, column, in, out);
        }
    }
    poise__ties_publish(tree, member);
}

// Scales each group's step so that no joint turns by more than the cap. Returns the least factor.
static double hold_cap(PoiseTree* tree, double cap) {
    Layout* layout = &tree->solver->layout;
    double least = 1.0;
    for (int i = 0; i < layout->group_count; i++) {
        layout->groups[i].largest2 = 0.0;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        double* most = &layout->groups[column->group].largest2;
        double* omega = tree->nodes[column->node].omega;
        if (column->plain) {
            *most = poise_max(*most, omega[0] * omega[0]);
        } else if (column->rotates) {
            // A hinge uses only the first number; the others are 0.
            omega = poise__joint_turn_of(column->type, omega);
            *most =
                poise_max(*most, omega[0] * omega[0] + omega[1] * omega[1] + omega[2] * omega[2]);
        }
    }
    poise__ties_turn(tree);
    for (int i = 0; i < layout->group_count; i++) {
        Group* group = &layout->groups[i];
        group->scale = group->largest2 > cap * cap ? cap / sqrt(group->largest2) : 1.0;
        least = poise_min(least, group->scale);
    }
    // Inequality rows connect groups, so all groups get one factor; the rows then stay satisfied.
    for (int i = 0; poise__has_step_rows(tree->solver) && i < layout->group_count; i++) {
        layout->groups[i].scale = least;
    }
    for (int i = 0; least < 1.0 && i < layout->column_count; i++) {
        double* omega = tree->nodes[layout->columns[i].node].omega;
        for (int d = 0; d < POISE_MAX_DOF; d++) {
            omega[d] *= layout->groups[layout->columns[i].group].scale;
        }
    }
    return least;
}

static void report_errors(const PoiseTree* tree, PoiseSolveReport* report) {
    const Layout* layout = &tree->solver->layout;
    const Metric* metric = &tree->solver->metric;
    const Answer* answer = &tree->solver->answer;
    for (int g = 0; g < layout->goal_count; g++) {
        double distance, angle;
        poise__goal_left(tree, &layout->goals[g], &distance, &angle);
        report->largest_error = poise_max(report->largest_error, distance);
        report->largest_angle_error = poise_max(report->largest_angle_error, angle);
    }
    report->state = poise__tree_state(tree);
    // a dof can end on a bound only if there are bounds
    for (int d = 0; metric->bounded && d < layout->dof_count; d++) {
        report->limited_dofs += answer->fixed[d];
    }
}

static void note_met(PoiseTree* tree, const PoiseSolveDef* def) {
    for (int g = 0; g < tree->solver->layout.goal_count; g++) {
        const Goal* goal = &tree->solver->layout.goals[g];
        tree->points[goal->point].is_met =
            poise__goal_is_near(tree, goal, def->position_tolerance, def->angle_tolerance);
    }
}

// Refuses a def without cookie, stale frames, and a tree whose memory ran out.
static PoiseStatus check_solve(PoiseTree* tree, const PoiseSolveDef* def) {
    const char* wrong = poise_solve_def_problem(def);
    if (wrong) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_solve: %s", wrong);
    }
    if (!poise_tree_is_fresh(tree)) {
        return poise__fail(tree, POISE_ERROR_STALE,
                           "poise_solve: the frames of %d of %d nodes are stale; call "
                           "poise_forward, or measure every node",
                           tree->node_count - tree->state.fresh_nodes, tree->node_count);
    }
    return poise__layout_refresh(tree);
}

static Problem problem_of(const Solver* solver, const PoiseSolveDef* def) {
    const Layout* layout = &solver->layout;
    const Task* task = &solver->task;
    const PoiseSolver chosen = choose_solver(layout, def);
    const bool leveled = poise__has_levels(layout) &&
                         (def->solver == POISE_SOLVER_AUTO || def->solver == POISE_SOLVER_DUAL ||
                          layout->priorities.first == POISE_PRIORITY_CLOSURE);
    return (Problem){.def = def,
                     .first = leveled ? POISE_SOLVER_DUAL : chosen,
                     .solver = leveled ? POISE_SOLVER_DUAL : chosen,
                     .leveled = leveled,
                     .first_level = leveled ? 0 : POISE_ALL_ROWS,
                     .end_level = leveled ? solver->levels->count : POISE_ALL_ROWS + 1,
                     .moving = goals_move(layout, task, def->step),
                     .damping = def->damping >= 0.0 ? def->damping : poise__default_damping(chosen),
                     .rows = poise__has_step_rows(solver) ? solver->rows : NULL};
}

// Scales a group's velocities if a hinge or slider exceeds its speed. True if one did.
static bool hold_velocities(PoiseTree* tree) {
    const Layout* layout = &tree->solver->layout;
    bool held = false;
    for (int i = 0; i < layout->group_count; i++) {
        layout->groups[i].scale = 1.0;
    }
    for (int i = 0; i < layout->column_count; i++) {
        const Node* node = &tree->nodes[layout->columns[i].node];
        double* factor = &layout->groups[layout->columns[i].group].scale;
        const double speed = layout->columns[i].direct ? fabs(node->velocity[0]) : 0.0;
        if (speed * *factor > node->max_speed) {
            *factor = node->max_speed / speed;
            held = true;
        }
    }
    for (int i = 0; held && i < layout->column_count; i++) {
        Node* node = &tree->nodes[layout->columns[i].node];
        for (int d = 0; d < POISE_MAX_NV; d++) {
            node->velocity[d] *= layout->groups[layout->columns[i].group].scale;
        }
    }
    return held;
}

// Sets the joints' velocities to the step divided by its duration.
static void take_velocity(PoiseTree* tree, double step) {
    Answer* answer = &tree->solver->answer;
    for (int d = 0; d < tree->solver->layout.dof_count; d++) {
        answer->velocity[d] = answer->omega[d] / step;
    }
    answer->has_velocity = true;
    poise__publish(tree, answer->velocity, offsetof(Node, velocity));
}

// Limits the joints' velocities to their speeds. If a speed bounds a joint's step and all goals
// move smoothly, the velocities become those of the step. If some goal does not, the step may
// contain a jump, and the velocities stay those of the goals. The smoothness becomes 0 while a
// speed bounds a joint and in the step after: the joints' velocities jump there, the goals' do not.
static void hold_speeds(PoiseTree* tree, double step) {
    const Layout* layout = &tree->solver->layout;
    const Answer* answer = &tree->solver->answer;
    bool held = false;
    for (int i = 0; i < layout->column_count; i++) {
        const Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        const double most = (1.0 - ROUNDED) * node->max_speed * step;
        held = held || (column->direct && answer->fixed[column->first_dof] != 0 &&
                        fabs(node->omega[0]) >= most);
    }
    if (held && tree->solver->task.smoothness == 1.0) {
        take_velocity(tree, step);
    }
    held = hold_velocities(tree) || held;
    if (held || tree->state.speeds_held) {
        tree->solver->task.smoothness = 0.0;
    }
    tree->state.speeds_held = held;
}

// Ends the step: applies the joint cap, kicks stuck arms, moves other nodes to their references.
static void finish_step(PoiseTree* tree, const Problem* problem, PoiseSolveReport* report) {
    const PoiseSolveDef* def = problem->def;
    const bool held = problem->rows && problem->rows->held;
    if (held && def->step > 0.0) {
        // velocities from the goals would violate the active inequalities
        take_velocity(tree, def->step);
    }
    report->scale = hold_cap(tree, def->joint_cap);
    report->kicks = def->escape && !held ? poise__escape(tree) : 0;
    poise__reference_track(tree, def);
    if (tree->row_sources) {
        report->scale *= poise__step_rows_limit(tree);
    }
    // This comes last: a cone's rotation is not proportional to the length of the step.
    poise__limits_shorten(tree, def->step);
    poise__ties_publish(tree, offsetof(Node, omega));
    tree->state.has_omega = true;
    tree->state.omega_step = def->step;
    tree->solver->answer.solved = true;
}

PoiseStatus poise_solve(PoiseTree* tree, const PoiseSolveDef* def, PoiseSolveReport* report) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseSolveDef defaults;
    if (!def) {
        defaults = poise_default_solve_def();
        def = &defaults;
    }
    const PoiseStatus status = check_solve(tree, def);
    if (status != POISE_OK) {
        return status;
    }
    Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    Answer* answer = &tree->solver->answer;
    PoiseSolveReport local;
    PoiseSolveReport* out = report ? report : &local;
    memset(out, 0, sizeof *out);
    out->idle_points = layout->idle_count;
    poise__goal_fill(tree);
    poise__jacobian_fill(tree);
    out->frozen_points = task->frozen_points +
                         poise__idle_measure(tree, &out->largest_error, &out->largest_angle_error);
    out->goal_norm = poise__goal_clamp(tree, def);
    poise__bounds_fill(tree, def->step);
    poise__reference_fill(tree, def->posture_rate);
    if (tree->row_sources) {
        const PoiseStatus rows_status = poise__step_rows_fill(tree, def->step);
        if (rows_status != POISE_OK) {
            return rows_status;
        }
    }
    Problem problem = problem_of(tree->solver, def);
    out->levels = layout->row_count == 0 ? 0 : problem.end_level - problem.first_level;
    solve_levels(tree, &problem, out);
    poise__publish(tree, answer->omega, offsetof(Node, omega));
    solve_velocity(tree, &problem);
    if (problem.moving && tree->solver->metric.bounded) {
        hold_speeds(tree, def->step);
    }
    finish_step(tree, &problem, out);
    note_met(tree, def);
    out->solver = problem.solver;
    out->budget_used = problem.budget_used;
    out->rows = layout->row_count;
    out->columns = layout->dof_count;
    if (report) {
        out->residual = poise__residual(layout, task, answer);
        report_errors(tree, out);
    }
    out->frozen_nodes = task->frozen_nodes;
    out->status = out->frozen_points > 0 || out->frozen_nodes > 0 ? POISE_DEGRADED : POISE_OK;
    return out->status;
}
