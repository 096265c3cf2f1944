// SPDX-License-Identifier: MIT
// The data of a set of tasks, and the functions that the files of this folder share:
//
//     tasks.c         makes and checks tasks; lays out columns, rows and levels
//     task_rows.c     errors and rows of the tasks, from the frames
//     task_measure.c  manipulability and its gradient
//     task_apart.c    rows that keep the tree's parts apart
//     task_levels.c   bounds, and the step of one level after another
//     task_solve.c    poise_tasks_step, poise_tasks_solve
#ifndef POISE_TASK_PRIVATE_H
#define POISE_TASK_PRIVATE_H

#include "apart.h"
#include "poise/body.h"
#include "poise/task.h"
#include "shared/qp.h"
#include "tree.h"

enum { COOKIE_TASK = 0x50580001, COOKIE_TASKS = 0x50580002 };
/// Largest number of rows of a task with rows.
enum { TASK_MOST_ROWS = 6 };
/// m: gaps at most this much below the distance count as kept.
#define TASK_GAP_ROUNDING 1e-9

/// A task, or a closure of the tree.
typedef struct Item {
    PoiseTaskDef def;     ///< its arrays are NULL
    double* posture;      ///< numbers of all nodes; NULL: none
    double* node_weights; ///< of all nodes; NULL: 1
    int posture_count;
    int node_count;
    int rows;
    int first_row;
    PoiseTaskReading reading;
    double begun; ///< error before the step

    double cost; ///< 1/2 sum of weight e^2
} Item;

/// A motion about or along one axis, of a node that moves.
typedef struct Motion {
    int slot;
    int column;
    double ratio; ///< ratio of the node to its leader, 1 without a leader
    bool linear;
    PoiseVec3 axis; ///< world
    PoiseVec3 anchor;
} Motion;

/// Items of one priority: those of an interval, or the others. One level more keeps parts apart.
typedef struct TaskLevel {
    int priority;
    bool interval;
    int first_row;
    int rows;
    double cost;
    double best;
} TaskLevel;

struct PoiseTasks {
    PoiseTree* tree;
    PoiseHost host;
    Item* items; ///< tasks, then closures
    int count;
    int closure_count;
    int capacity;

    /// True if the node moves. NULL: every enabled node does.
    bool (*moves)(const PoiseTree* tree, int slot);
    bool laid_out;
    uint64_t revision; ///< revision of the tree at the layout
    void* memory;
    size_t size;

    PoiseApart* apart; ///< keeps parts of the tree apart; NULL: none
    int near_most;     ///< its rows at most
    int apart_level;   ///< index of the level of its near pairs, or NO_SLOT
    double period;     ///< s: of the step; 0 in a solve, and with accelerations
    double lack;       ///< m: most by which a gap is below the distance

    int motion_count;
    int column_count;
    int row_count;
    int level_count;
    int last_priority; ///< largest priority of a task
    Motion* motions;
    TaskLevel* levels;
    double* error;    ///< by row, times sqrt(weight)
    double* jacobian; ///< by column, `row_count` apart, times sqrt(weight)
    double* lower;    ///< by column: bounds of the step
    double* upper;
    double* room_lower; ///< by column: distance to the ends of the range
    double* room_upper;
    double* speed;     ///< by column: of the last step
    double* remaining; ///< by column: the step without bounds of speed and acceleration
    double* x;         ///< by column: the step
    double* centre;
    double* damping;
    double* share;
    double* target;      ///< by row
    double* row_damping; ///< by row
    double* constraints; ///< row_count x columns
    double* constraint_lower;
    double* constraint_upper;
    double* level_jacobian; ///< rows of a problem, by column
    double* gradient;       ///< by column
    double* kept;           ///< postures: POISE_MAX_NQ numbers of each node
    double* given;
    double* best;
    double* scratch; ///< 2 x columns x TASK_MOST_ROWS
    unsigned char* held;
    unsigned char* limit; ///< by column: 1 if its range holds an unmet task back
    signed char* active;
    unsigned char* inside; ///< by row: 1 if its interval is a constraint
    double* margin;        ///< by row: by which a step keeps off the ends of the interval
    double* gap_end;       ///< by row of a near pair: lower end of the change of its gap, m
    int* pairs;            ///< the pairs that had rows in the last step
    unsigned char* binds;  ///< by those pairs: 1 if its row was at its end
    int step_pairs;
    PoiseQpWork work;
    double shift; ///< largest number of the last step

    PoiseBody* body; ///< searches for the goals of the first priority; NULL: none
    int tip_count;
    int* tips; ///< index of the item of each tip
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
/// Lays out columns, rows and levels, unless nothing has changed. The error, or POISE_OK.
PoiseStatus poise__tasks_lay_out(PoiseTasks* tasks);
/// True if an item has an interval with two different ends.
bool poise__task_is_interval(const PoiseTaskDef* def);
/// True if the point has a row that the task counts.
bool poise__task_counts_row(const PoiseTaskDef* def, const Point* point, int row);

// task_rows.c
/// Fills the motions, and then errors, rows, readings and costs of all items, from the posture.
void poise__tasks_look(PoiseTasks* tasks);
/// Writes the rows of one item with rows into `error` and `jacobian` (by column, `stride` apart),
/// without weights.
void poise__task_rows(const PoiseTasks* tasks, Item* item, double* error, double* jacobian,
                      int stride);
/// Writes reference (-) posture of a node by column into `difference`.
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
/// Notes the pairs with rows, and those that bound the step x.
void poise__tasks_note_pairs(PoiseTasks* tasks);
/// Scales the step x so that no pair without a row can meet.
void poise__tasks_cap(PoiseTasks* tasks);
/// Adds to the margins of pairs that the step brought below the distance. True if there are any.
bool poise__tasks_widen_pairs(PoiseTasks* tasks);
/// Writes the nearest pair that bound the step or is at its distance, and that `pull`, by column,
/// brings together. False
/// without one.
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
/// `gains`: the tasks' own.
void poise__tasks_run(PoiseTasks* tasks, int levels, double damping, bool gains);

#endif
