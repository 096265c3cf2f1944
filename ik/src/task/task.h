// SPDX-License-Identifier: MIT
// The data of a set of tasks, and the functions that the files of this folder share:
//
//     tasks.c         makes and checks tasks; lays out columns, rows and levels
//     task_rows.c     errors and rows of the tasks, from the frames
//     task_measure.c  manipulability and its gradient
//     task_apart.c    rows that keep the tree's parts apart
//     task_levels.c   bounds, and the step of one level after another
//     task_posture.c  postures kept, restored and moved
//     task_step.c     poise_tasks_step; the ends and reports of steps and solves
//     task_body.c     other postures, by a compiled body
//     task_search.c   the search for a posture: poise_tasks_solve, poise_reach
#ifndef POISE_TASK_PRIVATE_H
#define POISE_TASK_PRIVATE_H

#include "apart.h"
#include "body.h"
#include "poise/task.h"
#include "shared/qp.h"
#include "tree.h"

enum { COOKIE_TASK = 0x50580001, COOKIE_TASKS = 0x50580002 };
/// Largest number of rows of a task with rows.
enum { TASK_MOST_ROWS = 6 };
/// Largest number of columns with second derivatives.
enum { TASK_MOST_CURVED = 48 };
/// m: gaps at most this much below the distance count as kept.
#define TASK_GAP_ROUNDING 1e-9
/// Factor that gives a level's damping lambda from its cost: the first value of a descent, which
/// task_search.c adapts, and the constant of poise_tasks_step.
#define TASK_FIRST_DAMPING 1.0

/// A motion that moves a point (sign 1), or the frame of its goal (sign -1).
typedef struct Mover {
    int motion;
    int sign;
} Mover;

/// A task, or a closure of the tree.
typedef struct Item {
    PoiseTaskDef def; ///< copy of the caller's; its arrays are NULL
    unsigned mask;    ///< point: its rows that count, as bits
    Mover* movers;    ///< point: the motions that move it, or the frame of its goal
    int mover_count;
    double* posture;      ///< reference: numbers of all nodes; NULL: none
    double* node_weights; ///< of all nodes; NULL: 1
    int posture_count;
    int node_count;
    int rows;
    int first_row;
    PoiseTaskReading reading;
    double error_before; ///< the item's error before the step

    double cost; ///< 1/2 sum of weight e^2
} Item;

/// A motion about or along one axis, of a node that moves.
typedef struct Motion {
    int slot;
    int column;
    int dof;     ///< motions of the node
    bool direct; ///< the node's velocities are its columns (poise__joint_is_direct)
    bool leads;  ///< the node is not a follower of a coupled group
    bool tied;   ///< a leader and its followers share the column
    bool linear;
    double ratio;   ///< ratio of the node to its leader, 1 without a leader
    PoiseVec3 axis; ///< world
    PoiseVec3 anchor;
} Motion;

/// Items of one priority: either those with an interval, or the others. The near pairs of parts
/// that are kept apart have a level of their own.
typedef struct TaskLevel {
    int priority;
    bool interval;
    int first_row;
    int rows;
    int first_block; ///< its blocks of J; an interval has none
    int block_count;
    double cost;
} TaskLevel;

/// The phase of a search.
typedef enum TaskPhase { TASK_BEGINS, TASK_DESCENDS, TASK_KICKS, TASK_BODY, TASK_ENDED } TaskPhase;

/// Number of earlier costs that a descent compares with.
enum { TASK_HISTORY = 10 };

/// A search between two of its slices (task_search.c).
typedef struct TaskSearch {
    int most;    ///< largest number of iterations of a start
    int starts;  ///< number of starts: the given posture, then random postures
    bool others; ///< a body searches for other postures
    uint64_t seed;
    TaskPhase phase;
    int slice; ///< iterations left in this call
    int left;  ///< iterations left for this start
    int start; ///< index of the present start
    /// Other starts follow, so that a descent ends once the cost falls slowly.
    bool stops_when_slow;
    bool last_descent; ///< descends from the best posture to the end
    bool from_body;    ///< the present descent began at a posture found by the body
    int priority;      ///< last priority whose goals the body searches for
    // the present descent
    double damping;
    double history[TASK_HISTORY]; ///< costs before the last iterations, as a ring
    int count;
    int idle_steps;  ///< steps without an effect since the last fall
    bool stationary; ///< the descent ended where the gradient of the cost is 0
    bool refused;    ///< the last step was undone: `jacobian` belongs to another posture
    bool ends;       ///< no more steps can lower the cost
    bool rests;      ///< the descent ended because no step lowers the cost
    // kicks
    bool kicked; ///< the descent from a kick is running
    bool flat;   ///< the last kick found no curvature
    int fruitless;
    uint64_t next;
    int body_end; ///< value of `iterations` at which the body's share is used up
    // results
    int iterations;
    int other_postures;
    int best_start;
    bool best_rests;
    bool out_of_reach;               ///< lengths prove that no posture meets all goals
    double best[2 * POISE_LEVELS];   ///< costs of the best posture, by level
    double before[2 * POISE_LEVELS]; ///< costs before the kick, by level
    double mark[2 * POISE_LEVELS];   ///< costs after the last sufficient fall of the descent
    int marked;                      ///< `count` at that fall
} TaskSearch;

/// The compiled body of the tasks' points, and its search (task_body.c).
typedef struct TaskBody TaskBody;

struct PoiseTasks {
    PoiseTree* tree;
    PoiseHost host;
    Item* items; ///< tasks, then closures
    int count;
    int closure_count;
    int capacity;

    /// True if the tasks must not move the node.
    bool (*is_still)(const PoiseTree* tree, int slot);
    /// For poise_reach: nodes move only points that are registered with them, biases apply, and
    /// points yield.
    bool registered;
    bool laid_out;
    bool has_centre;   ///< a point is a centre of mass
    uint64_t revision; ///< revision of the tree at the layout
    void* memory;
    size_t size;

    PoiseApart* apart; ///< keeps parts of the tree apart; NULL: none
    int near_most;     ///< largest number of its rows
    int apart_level;   ///< index of the level of its near pairs, or NO_SLOT
    double period;     ///< s: of the step; 0 in a solve, and with accelerations
    double shortfall;  ///< m: distance minus the least gap, at least 0

    int motion_count;
    int column_count;
    int row_count;
    int level_count;
    Motion* motions;
    TaskLevel* levels;
    double* error;    ///< by row, times sqrt(weight)
    double* jacobian; ///< by column, `row_count` apart, times sqrt(weight)
    double* lower;    ///< by column: bounds of the step
    double* upper;
    double* room_lower; ///< by column: distance to the ends of the range
    double* room_upper;
    double* speed;     ///< by column: velocity of the last step
    double* remaining; ///< by column: the step without bounds of speed and acceleration
    double* x;         ///< by column: the step
    double* centre;
    double* damping;
    double* share;
    double* target;       ///< by row
    double* row_damping;  ///< by row
    PoiseQpGround ground; ///< the rows of earlier levels, which keep their change
    double* parts;        ///< rows x stride of the ground's basis: products with its axes
    double* basis_scratch;
    double* constraints; ///< row_count x columns
    double* constraint_lower;
    double* constraint_upper;
    PoiseBlock* blocks;     ///< blocks of J, level after level
    PoiseRowSpan* spans;    ///< by row, from the first row of its level
    double* level_jacobian; ///< rows of the problem of an interval, by column
    double* hessian;        ///< columns x columns: of a level's cost, then its factor
    bool curved;            ///< steps use it where it is positive definite
    double* gradient;       ///< by column
    double* kept;           ///< postures, with POISE_MAX_NQ numbers for each node
    double* given;
    double* best;
    double* tried;   ///< posture before a kick
    double* bias;    ///< by column: factor of lambda
    double* scratch; ///< 2 x columns x TASK_MOST_ROWS
    unsigned char* held;
    unsigned char* limit; ///< by column: 1 if its range keeps an unmet task from its goal
    signed char* active;
    unsigned char* inside; ///< by row: 1 if its interval is a constraint
    double* margin;        ///< by row: distance that a step keeps from the ends of the interval
    double* gap_end;       ///< lower end of the change of a gap, by row of its near pair, m
    int* pairs;            ///< the pairs that had rows in the last step
    unsigned char* binds;  ///< for each of `pairs`: 1 if its row was at its end
    int step_pairs;
    PoiseQpWork work;
    double shift; ///< largest |x| of the last step

    TaskBody* body; ///< NULL before its first use
    TaskSearch search;
};

/// Returns the product of a row and x.
static inline double poise__tasks_row_times(const PoiseTasks* tasks, int row, const double* x) {
    double sum = 0.0;
    for (int c = 0; c < tasks->column_count; c++) {
        sum += tasks->jacobian[c * tasks->row_count + row] * x[c];
    }
    return sum;
}

// tasks.c
/// Lays out columns, rows and levels if something has changed. Returns the error, or POISE_OK.
PoiseStatus poise__tasks_lay_out(PoiseTasks* tasks);
/// True if an item has an interval with two different ends.
bool poise__task_is_interval(const PoiseTaskDef* def);

// task_rows.c
/// Fills the motions, and then errors, rows, readings and costs of all items, from the posture.
void poise__tasks_look(PoiseTasks* tasks);
/// Writes the rows of one item with rows into `error` and `jacobian` (by column, `stride` apart),
/// without weights. Columns that do not move a point keep their numbers, which are 0.
void poise__task_rows(const PoiseTasks* tasks, Item* item, double* error, double* jacobian,
                      int stride);
/// Adds to the upper triangle of `matrix`, columns x columns, the part of the second derivative of
/// an item's cost that J^T J lacks: of points without a frame, by hinges, sliders and balls.
void poise__task_curvature(const PoiseTasks* tasks, const Item* item, double* matrix);
/// Fills `difference`, by column, with the displacement from the posture to the item's reference.
void poise__task_difference(const PoiseTasks* tasks, const Item* item, double* difference);
/// Returns the weight of a column for posture or damping.
double poise__task_column_weight(const PoiseTasks* tasks, const Item* item, int column);

// task_measure.c
/// Returns sqrt(det(J J^T)) of a point; writes its gradient by column (NULL: not wanted).
double poise__task_measure(const PoiseTasks* tasks, const Point* point, double* gradient);

/// Returns the natural logarithm of a finite number above 0.
double poise__task_log(double x);

// task_apart.c
/// Fills the rows of the pairs that are nearer than the range, from the frames.
void poise__tasks_near(PoiseTasks* tasks);
/// Stores the pairs with rows in `pairs`, and in `binds` which of them bound the step x.
void poise__tasks_note_pairs(PoiseTasks* tasks);
/// Scales the step x so that no pair without a row can meet.
void poise__tasks_cap(PoiseTasks* tasks);
/// Adds to the margins of pairs that the step brought below the distance. True if there are any.
bool poise__tasks_widen_pairs(PoiseTasks* tasks);
/// Reports the nearest pair that bound the step or is at its distance, and that a motion along
/// `pull`, by column, brings together. False without such a pair.
bool poise__tasks_holding(const PoiseTasks* tasks, const double* pull, PoiseTasksReport* report);

// task_levels.c
/// Fills the distances of the columns to the ends of their ranges.
void poise__tasks_room(PoiseTasks* tasks);
/// Fills the bounds of a step of a solve, or of a period.
void poise__tasks_bounds(PoiseTasks* tasks, const PoiseTasksDef* def);
/// Raises the lower ends of near pairs, so that joints which lose `acceleration` dt in a period can
/// stop in time.
void poise__tasks_brake(PoiseTasks* tasks, const PoiseTasksDef* def);
/// Computes the step x of the first levels. `damping` times the cost of a level is its lambda.
/// `gains`: uses the gains of the tasks.
void poise__tasks_run(PoiseTasks* tasks, int levels, double damping, bool gains);

// task_posture.c
/// Copies the numbers of all nodes.
void poise__tasks_keep(const PoiseTasks* tasks, double* out);
/// Sets the numbers of all nodes. The frames become stale if some differ.
void poise__tasks_restore(PoiseTasks* tasks, const double* from);
/// Clamps the nodes that move to their ranges.
void poise__tasks_clip(PoiseTasks* tasks);
/// Moves the posture by the step x.
void poise__tasks_advance(PoiseTasks* tasks);

// task_step.c
/// A smaller step counts as rest, rad or m.
#define TASK_REST 1e-9
/// True if all tasks are met. `unmet` becomes the index of the first unmet task, or -1.
bool poise__tasks_all_met(const PoiseTasks* tasks, int* unmet);
/// Fills the report at the present posture.
void poise__tasks_report(PoiseTasks* tasks, PoiseTasksReport* report, bool at_rest);
/// Checks the def, NULL for the default in `own`, and lays the tasks out. `call`: the name of the
/// public function, for messages.
PoiseStatus poise__tasks_prepare(PoiseTasks* tasks, const PoiseTasksDef** def, PoiseTasksDef* own,
                                 const char* call);

// task_body.c
/// Compiles the body if the data that it depends on have changed. Without memory
/// POISE_ERROR_OUT_OF_MEMORY.
PoiseStatus poise__tasks_body_make(PoiseTasks* tasks);
void poise__tasks_body_destroy(PoiseTasks* tasks);
/// True if a body can search.
bool poise__tasks_has_body(const PoiseTasks* tasks);
/// Begins the body's search from the present posture for the goals up to a priority. False if the
/// body cannot search for them.
bool poise__tasks_body_begin(PoiseTasks* tasks, int priority, int iterations, uint64_t seed);
/// Runs an iteration of the body. True at the end: the tree then has the posture that was found.
bool poise__tasks_body_advance(PoiseTasks* tasks, int* iterations, int* starts);

// task_search.c
/// Begins a search from the present posture. `search` has the settings. The tasks are laid out.
void poise__tasks_begin(PoiseTasks* tasks, TaskSearch search);
/// Runs at most `iterations` iterations. False if the search has not ended; at its end fills the
/// report.
bool poise__tasks_continue(PoiseTasks* tasks, int iterations, PoiseTasksReport* report);

#endif
