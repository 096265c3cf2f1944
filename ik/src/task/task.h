// SPDX-License-Identifier: MIT
// The data of a set of tasks, and the functions of this folder by file:
//
//     tasks.c               makes and checks tasks; lays out columns, rows and levels
//     task_rows.c           computes errors and rows of tasks from the frames
//     task_manipulability.c computes manipulability and its gradient
//     task_apart.c          computes the rows of collision avoidance
//     task_levels.c         computes the bounds of a step, then the step, one level after another
//     task_posture.c        saves, restores and moves postures
//     task_step.c           runs poise_tasks_step; reports the end of steps and solves
//     task_body.c           finds distant postures by a compiled body
//     task_search.c         searches for a posture: poise_tasks_solve, poise_reach
#ifndef POISE_TASK_PRIVATE_H
#define POISE_TASK_PRIVATE_H

#include "apart.h"
#include "body.h"
#include "poise/task.h"
#include "shared/qp.h"
#include "tree.h"

enum { COOKIE_TASK = 0x50580001, COOKIE_TASKS = 0x50580002 };
/// Largest number of rows of one task; posture and damping have none.
enum { TASK_MOST_ROWS = 6 };
/// Largest number of columns for which steps use second derivatives.
enum { TASK_MOST_CURVED = 48 };
/// m; a gap counts as kept if it is below the distance by at most this
#define TASK_GAP_ROUNDING 1e-9
/// lambda of a level is a factor times the level's cost. A descent starts with this factor and
/// adapts it (task_search.c); poise_tasks_step always uses it.
#define TASK_FIRST_DAMPING 1.0

/// A motion that moves a point (sign 1) or the frame of its goal (sign -1).
typedef struct Mover {
    int motion;
    int sign;
} Mover;

/// A task of the caller, or a closure of the tree.
typedef struct Item {
    PoiseTaskDef def; ///< copy of the caller's def, without its arrays
    unsigned mask;    ///< point: the active rows, as bits of PoiseRows
    Mover* movers;    ///< point: the motions that move the point or the goal's frame
    int mover_count;
    double* posture; ///< posture: reference coordinates of all nodes; NULL if there is no reference
    double* node_weights; ///< posture, damping: weights in the order of creation; NULL if all are 1
    int posture_count;
    int node_count;
    int rows;
    int first_row;
    PoiseTaskReading reading;
    double error_before; ///< reading.error before the step

    double cost; ///< 1/2 sum of weight e^2 over the rows
} Item;

/// An axis along which or about which a node moves.
typedef struct Motion {
    int slot;
    int column;
    int dof;     ///< number of axes of the node
    bool direct; ///< the node's velocities are its columns (poise__joint_is_direct)
    bool leads;  ///< the node is no follower in a coupled group
    bool tied;   ///< the column belongs to several coupled nodes
    bool linear;
    double ratio;   ///< ratio of a follower to its leader; 1 for other nodes
    PoiseVec3 axis; ///< world
    PoiseVec3 anchor;
} Motion;

/// The items of one priority, either those with an interval or the others. Near pairs of parts
/// (apart.h) form a level of their own.
typedef struct TaskLevel {
    int priority;
    bool interval;
    int first_row;
    int rows;
    int first_block; ///< index of the level's first block of J; levels with an interval have none
    int block_count;
    double cost;
} TaskLevel;

/// The phases of a search.
typedef enum TaskPhase { TASK_BEGINS, TASK_DESCENDS, TASK_KICKS, TASK_BODY, TASK_ENDED } TaskPhase;

/// Number of earlier costs that a descent remembers.
enum { TASK_HISTORY = 10 };

/// A search that can stop between iterations and continue in a later call (task_search.c).
typedef struct TaskSearch {
    int most;    ///< largest number of iterations per start
    int starts;  ///< number of starts: the given posture, then random ones
    bool others; ///< true: a compiled body searches for distant postures
    uint64_t seed;
    TaskPhase phase;
    int slice;            ///< iterations left in the present call
    int left;             ///< iterations left for the present start
    int start;            ///< index of the present start
    bool stops_when_slow; ///< a descent ends when its cost falls slowly, because starts follow
    bool last_descent;    ///< the descent from the best posture, which runs to the end
    bool from_body;       ///< the descent began at a posture that the body found
    int priority;         ///< the body searches for goals of this and earlier priorities
    // state of the present descent
    double damping;
    double history[TASK_HISTORY]; ///< ring of the costs before the last iterations
    int count;
    int idle_steps;  ///< number of steps without effect since the cost last fell
    bool stationary; ///< the descent ended where the gradient of the cost is 0
    bool refused;    ///< the last step was undone, so `jacobian` belongs to another posture
    bool ends;       ///< true: no further step can lower the cost
    bool rests;      ///< the descent ended because no step lowers the cost
    // state of the kicks
    bool kicked; ///< the present descent began with a kick
    bool flat;   ///< the cost does not change to second order near the last kick
    int fruitless;
    uint64_t next;
    int body_end; ///< value of `iterations` at which the body must end
    // results of the search
    int iterations;
    int other_postures;
    int best_start;
    bool best_rests;
    bool out_of_reach; ///< the lengths of the links prove that no posture meets all goals
    double best[2 * POISE_LEVELS];   ///< by level: costs of the best posture
    double before[2 * POISE_LEVELS]; ///< by level: costs before the kick
    double mark[2 * POISE_LEVELS];   ///< by level: costs when the descent last made enough progress
    int marked;                      ///< value of `count` when `mark` was stored
} TaskSearch;

/// A compiled body whose tips are the tasks' points, and its search (task_body.c).
typedef struct TaskBody TaskBody;

struct PoiseTasks {
    PoiseTree* tree;
    PoiseHost host;
    Item* items; ///< tasks, then closures
    int count;
    int closure_count;
    int capacity;

    /// Returns true if the tasks must not move the node.
    bool (*is_still)(const PoiseTree* tree, int slot);
    /// true for poise_reach: nodes move only the points they are registered with, biases apply, and
    /// points yield
    bool registered;
    bool laid_out;
    bool has_centre;   ///< some point is a centre of mass
    uint64_t revision; ///< revision of the tree when the tasks were laid out
    void* memory;
    size_t size;

    PoiseApart* apart; ///< collision avoidance of the tree; NULL if it has none
    int near_most;     ///< largest number of rows of collision avoidance
    int apart_level;   ///< index of the level of near pairs, or NO_SLOT
    double period; ///< length of the step, s; 0 in a solve, and if there are bounds of acceleration
    double shortfall; ///< largest amount by which a gap is below its distance, m; or 0

    int motion_count;
    int column_count;
    int row_count;
    int level_count;
    Motion* motions;
    TaskLevel* levels;
    double* error;    ///< by row: error times sqrt(weight)
    double* jacobian; ///< by column, then row: J times sqrt(weight)
    double* lower;    ///< by column: least step
    double* upper;
    double* room_lower; ///< by column: distance to the lower end of the range, <= 0
    double* room_upper;
    double* speed;     ///< by column: velocity of the last step
    double* remaining; ///< by column: step without bounds of speed and acceleration
    double* x;         ///< by column: the step
    double* centre;
    double* damping;
    double* share;
    double* target;       ///< by row
    double* row_damping;  ///< by row: lambda
    PoiseQpGround ground; ///< basis of the rows of earlier levels, which later ones keep
    double* parts;        ///< rows x stride of ground.basis: products of J's rows with its axes
    double* basis_scratch;
    double* constraints; ///< constraints of the QP, row_count x columns
    double* constraint_lower;
    double* constraint_upper;
    PoiseBlock* blocks;     ///< blocks of J of all levels
    PoiseRowSpan* spans;    ///< by row: span relative to the first row of its level
    double* level_jacobian; ///< by column: rows of a level with an interval
    double* hessian; ///< columns x columns: second derivatives of a level's cost, then their factor
    bool curved;     ///< true: steps use `hessian` if it is positive definite
    double* gradient; ///< by column: gradient of the cost of unmet tasks
    double* kept;     ///< postures: POISE_MAX_NQ numbers for each node
    double* given;
    double* best;
    double* tried;   ///< the posture before a kick
    double* bias;    ///< by column: factor of lambda, from the biases
    double* scratch; ///< 2 x columns x TASK_MOST_ROWS
    unsigned char* held;
    unsigned char* limit; ///< by column: 1 if the column's range keeps an unmet task from its goal
    signed char* active;
    unsigned char* inside; ///< by row: 1 if its interval acts as a constraint
    double* margin;        ///< by row: distance that a step keeps from the ends of the interval
    double* gap_end;       ///< by row (near pairs): least change of the gap, m
    int* pairs;            ///< indices of the pairs that had rows in the last step
    unsigned char* binds;  ///< by element of `pairs`: 1 if the row was active
    int step_pairs;
    PoiseQpWork work;
    double shift; ///< largest |x| of the last step

    TaskBody* body; ///< NULL until the first use
    TaskSearch search;
};

/// Returns the product of row `row` of J and x.
static inline double poise__tasks_row_times(const PoiseTasks* tasks, int row, const double* x) {
    double sum = 0.0;
    for (int c = 0; c < tasks->column_count; c++) {
        sum += tasks->jacobian[c * tasks->row_count + row] * x[c];
    }
    return sum;
}

// tasks.c
/// Lays out columns, rows and levels, if tasks or tree have changed. Returns the error, or
/// POISE_OK.
PoiseStatus poise__tasks_lay_out(PoiseTasks* tasks);
/// True if the task has an interval whose ends differ.
bool poise__task_is_interval(const PoiseTaskDef* def);

// task_rows.c
/// Computes the frames, then errors, rows, readings and costs of all items, from the posture.
void poise__tasks_look(PoiseTasks* tasks);
/// Computes one item's `error` and `jacobian` (by column, `stride` apart), without weights. Does
/// not write the columns that cannot move the point: the caller sets them to 0.
void poise__task_rows(const PoiseTasks* tasks, Item* item, double* error, double* jacobian,
                      int stride);
/// Adds to the upper triangle of `matrix` (columns x columns) what J^T J lacks of the second
/// derivative of an item's cost. Only points with goals in the world, moved by hinges, sliders and
/// balls, contribute.
void poise__task_curvature(const PoiseTasks* tasks, const Item* item, double* matrix);
/// Fills `difference`, by column, with the motion from the posture to the item's reference.
void poise__task_difference(const PoiseTasks* tasks, const Item* item, double* difference);
/// Returns the weight of a column in a posture or damping task.
double poise__task_column_weight(const PoiseTasks* tasks, const Item* item, int column);

// task_manipulability.c
/// Returns sqrt(det(J J^T)) of a point. `gradient`, by column, gets its derivatives (NULL: not
/// wanted).
double poise__task_manipulability(const PoiseTasks* tasks, const Point* point, double* gradient);

/// Returns the natural logarithm of a finite number above 0.
double poise__task_log(double x);

// task_apart.c
/// Computes the rows of the pairs that are nearer than the range, from the frames.
void poise__tasks_near(PoiseTasks* tasks);
/// Stores the pairs with rows in `pairs`. `binds` becomes 1 for those that bounded the step x.
void poise__tasks_note_pairs(PoiseTasks* tasks);
/// Shortens the step x so that pairs without a row cannot meet.
void poise__tasks_cap(PoiseTasks* tasks);
/// Increases the margins of pairs that the step brought below their distance. True if any.
bool poise__tasks_widen_pairs(PoiseTasks* tasks);
/// Reports the nearest pair that keeps tasks from their goals: it bounded the step or is at its
/// distance, and a motion along `pull` (by column) brings it together. False without such a pair.
bool poise__tasks_holding(const PoiseTasks* tasks, const double* pull, PoiseTasksReport* report);

// task_levels.c
/// Fills room_lower and room_upper: the distances to the ends of the ranges.
void poise__tasks_room(PoiseTasks* tasks);
/// Fills lower and upper for a step of length def->dt; `def` NULL: for a solve.
void poise__tasks_bounds(PoiseTasks* tasks, const PoiseTasksDef* def);
/// Raises gap_end of near pairs, so that joints with the deceleration def->acceleration can stop in
/// time.
void poise__tasks_brake(PoiseTasks* tasks, const PoiseTasksDef* def);
/// Computes the step x of the first `levels` levels. lambda of a level is `damping` times its cost.
/// `gains` true: tasks ask for their gain times the error.
void poise__tasks_run(PoiseTasks* tasks, int levels, double damping, bool gains);

// task_posture.c
/// Copies the coordinates of all nodes to `out`.
void poise__tasks_keep(const PoiseTasks* tasks, double* out);
/// Sets the coordinates of all nodes. The frames become stale if some change.
void poise__tasks_restore(PoiseTasks* tasks, const double* from);
/// Clamps the nodes that may move to their ranges.
void poise__tasks_clip(PoiseTasks* tasks);
/// Adds the step x to the posture.
void poise__tasks_advance(PoiseTasks* tasks);

// task_step.c
/// A step below this, rad or m, counts as rest.
#define TASK_REST 1e-9
/// True if all tasks are met. `unmet` becomes the index of the first unmet task, or -1.
bool poise__tasks_all_met(const PoiseTasks* tasks, int* unmet);
/// Fills the report at the present posture.
void poise__tasks_report(PoiseTasks* tasks, PoiseTasksReport* report, bool at_rest);
/// Checks the def of the public function `call` and lays the tasks out. `def` NULL: uses the
/// default, stored in `own`.
PoiseStatus poise__tasks_prepare(PoiseTasks* tasks, const PoiseTasksDef** def, PoiseTasksDef* own,
                                 const char* call);

// task_body.c
/// Compiles the body again if its input has changed. POISE_ERROR_OUT_OF_MEMORY without memory.
PoiseStatus poise__tasks_body_make(PoiseTasks* tasks);
void poise__tasks_body_destroy(PoiseTasks* tasks);
/// True if a body can search for the tasks.
bool poise__tasks_has_body(const PoiseTasks* tasks);
/// Begins the body's search from the present posture for the goals of priorities up to `priority`.
/// False if the body cannot search for them.
bool poise__tasks_body_begin(PoiseTasks* tasks, int priority, int iterations, uint64_t seed);
/// Runs one iteration of the body. True at the end: the tree then has the posture found.
bool poise__tasks_body_advance(PoiseTasks* tasks, int* iterations, int* starts);

// task_search.c
/// Begins a search from the present posture, with the settings in `search`. The tasks must be laid
/// out.
void poise__tasks_begin(PoiseTasks* tasks, TaskSearch search);
/// Runs at most `iterations` iterations. True at the end of the search, with the report.
bool poise__tasks_continue(PoiseTasks* tasks, int iterations, PoiseTasksReport* report);

#endif
