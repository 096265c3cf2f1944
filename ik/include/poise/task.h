// SPDX-License-Identifier: MIT
// Tasks of a tree, without physics: conditions on its posture, met together by weight and by
// priority. A task concerns the frame of a point, a centre of mass, a distance, a half space, a
// cone, a posture, manipulability or damping.
//
//     poise_tasks_add        for each task
//     poise_tasks_solve      a posture for all tasks, from any posture
//     poise_tasks_step       a step of at most one period of a control loop
//
// A step x of the columns minimises, for each priority in turn,
//
//     1/2 sum of weight |J x - gain e|^2 + 1/2 lambda |x|^2
//
// inside the ranges and speeds, without changing the tasks of earlier priorities. Here e is the
// error of a task, J x the part of e that the step removes, and lambda half of the sum of weight
// e^2 (Sugihara 2011). A task with an interval (a half space, a cone, a distance between two ends)
// is a constraint while it is satisfied. While it is violated, it precedes the other tasks of its
// priority.
//
// Collision avoidance (apart.h) precedes all tasks except closures. No step, and no first start of
// a solve, brings a pair of parts nearer than its distance or past each other. If joints cannot
// stop in time within their acceleration bounds, the step exceeds these bounds.
//
// All enabled nodes of the tree move for all tasks. Registrations, weights and priorities of points
// have no effect, but enabled points of POISE_PRIORITY_CLOSURE come before all tasks.
#ifndef POISE_TASK_H
#define POISE_TASK_H

#include "poise/apart.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A set of tasks of one tree. Its contents are private.
typedef struct PoiseTasks PoiseTasks;

/// The kinds of tasks.
typedef enum PoiseTaskKind {
    /// A point meets its goal: a position, an orientation, a pose, a direction, a look-at or a
    /// centre of mass, in the world or in a link's frame (point.h).
    POISE_TASK_POINT = 1,
    /// The distance of two points, m, is `lower` to `upper`.
    POISE_TASK_DISTANCE = 2,
    /// The point is in a half space: normal . position, m, is at most `upper`.
    POISE_TASK_HALF_SPACE = 3,
    /// sqrt(det(J J^T)) of the point's position, or of its pose, grows to `lower`, or without end
    /// if that is infinite.
    POISE_TASK_MANIPULABILITY = 4,
    /// The nodes are at a given posture.
    POISE_TASK_POSTURE = 5,
    /// Resists motion of the nodes in a step. It has no effect in a solve.
    POISE_TASK_DAMPING = 6,
    /// The point is in a cone: across cos(angle) - along sin(angle), m, is at most `upper`. Here
    /// `along` is the point's distance from the apex along the axis, and `across` its distance from
    /// the axis. This value is the distance to the cone's surface, below 0 inside. Behind the apex
    /// it is smaller than the distance to the cone.
    POISE_TASK_CONE = 7
} PoiseTaskKind;

/// The settings of a task.
typedef struct PoiseTaskDef {
    /// Set by poise_default_task_def.
    uint32_t cookie;
    PoiseTaskKind kind;
    /// Point, distance, half space, cone, manipulability: the point; it need not be enabled. A goal
    /// is that of the point (poise_point_set_position and others). Only POISE_TASK_POINT allows a
    /// point with a frame, or without a position.
    PoisePointId point;
    /// Distance: the other point, with a position and without a frame.
    PoisePointId other;
    /// World, not 0. Half space: the direction that leads out. Cone: the direction in which the
    /// cone opens. Default z.
    PoiseVec3 normal;
    /// Cone: the apex, m, world; the angle from the axis to the surface, rad, above 0 to pi / 2.
    /// Default the origin and pi / 4.
    PoiseVec3 apex;
    double angle;
    /// The interval of a distance, half space, cone or manipulability, lower <= upper. Default 0
    /// and 0; manipulability: infinity and infinity.
    double lower;
    double upper;
    /// Point: weights of the squared errors of its rows, >= 0. Three weights for the position, then
    /// three for the rotation, along the axes of the point's rows. 0: the row is off. Default 1.
    double weights[6];
    /// Posture, damping: weights of the nodes, >= 0, in the order of creation, and the numbers of
    /// the posture, rad and m, node after node (poise_node_posture). Copied. NULL: 1 for each node,
    /// and the posture at the call. Default NULL.
    const double* node_weights;
    const double* posture;
    /// Weight of the whole task, > 0. Default 1.
    double weight;
    /// 0 (first) to 15. Default 0.
    int priority;
    /// Part of the error that one step removes, above 0 to 1. A solve takes 1. Default 1.
    double gain;
    /// Errors below which the task is met, m and rad, > 0. Default 1e-6. Posture, damping and
    /// manipulability with an infinite `lower` are always met.
    double tolerance;
    double angle_tolerance;
} PoiseTaskDef;

/// A def of a kind with the defaults named above. The caller must set the points.
POISE_API PoiseTaskDef poise_default_task_def(PoiseTaskKind kind);

/// Creates a set without tasks. The tree must outlive the set. NULL without memory, and for NULL.
POISE_API PoiseTasks* poise_tasks_create(PoiseTree* tree);
/// Destroys the set. NULL is allowed.
POISE_API void poise_tasks_destroy(PoiseTasks* tasks);

/// Adds a task. Returns its index from 0, or the error, with the reason in poise_tree_message:
/// POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE, POISE_ERROR_OUT_OF_MEMORY.
POISE_API int poise_tasks_add(PoiseTasks* tasks, const PoiseTaskDef* def);
/// Replaces the task `index` by another of the same kind. Errors, with nothing changed: as
/// poise_tasks_add.
POISE_API PoiseStatus poise_tasks_set(PoiseTasks* tasks, int index, const PoiseTaskDef* def);
/// Number of tasks; 0 for NULL.
POISE_API int poise_tasks_count(const PoiseTasks* tasks);
/// Number of columns: the degrees of freedom of the enabled nodes in the order of creation, without
/// followers (poise_node_couple). 0 for NULL and without memory.
POISE_API int poise_tasks_columns(PoiseTasks* tasks);

/// Number of numbers of a posture of all nodes in the order of creation (poise_node_posture); 0 for
/// NULL.
POISE_API int poise_tasks_posture_size(const PoiseTasks* tasks);
/// Writes the tree's posture, rad and m. Errors: POISE_ERROR_INVALID_ARGUMENT.
POISE_API PoiseStatus poise_tasks_posture(const PoiseTasks* tasks, double* out);
/// Sets the tree's posture, rad and m. The frames become stale. POISE_ERROR_INVALID_ARGUMENT, with
/// nothing changed, for a number that is not finite or a rotation of 0.
POISE_API PoiseStatus poise_tasks_set_posture(PoiseTasks* tasks, const double* posture);

/// Computes the rows of a task at the present posture: at most 6 errors, and J (rows x columns,
/// row-major), without weights. J x is the part of the error that a small step x removes.
/// Posture and damping have one row for each column. Returns the number of rows. `capacity` is the
/// number of rows that both arrays have room for; NULL or a smaller one: nothing is written.
/// Returns 0 for an index past the end, an invalid point, and NULL.
POISE_API int poise_tasks_rows(PoiseTasks* tasks, int index, double* errors, double* jacobian,
                               int capacity);

/// The errors and the value of a task.
typedef struct PoiseTaskReading {
    /// Distance to the goal or to the interval, m (manipulability: in its own unit), and angle,
    /// rad, in the active rows. 0 for posture and damping.
    double error;
    double angle_error;
    /// True if both are within the tolerances.
    bool met;
    /// Distance, normal . position, the cone's value or manipulability; 0 for other kinds.
    double value;
} PoiseTaskReading;
/// Reads a task at the present posture. All zero for an index past the end, an invalid point, and
/// NULL.
POISE_API PoiseTaskReading poise_tasks_read(PoiseTasks* tasks, int index);

/// The settings of a solve or a step.
typedef struct PoiseTasksDef {
    /// Set by poise_default_tasks_def.
    uint32_t cookie;
    /// Step: its period, s, > 0. Default 0.01. A joint turns by at most 0.5 rad (slider: m), and by
    /// poise_node_max_speed times the period.
    double dt;
    /// Step: largest accelerations of the nodes in the order of creation, rad/s^2 or m/s^2, > 0. A
    /// joint then also brakes in time before the ends of its range and before its goal. NULL: no
    /// bound. Default NULL.
    const double* acceleration;
    /// Solve: largest number of iterations of each start, >= 1. Default 200.
    int iterations;
    /// Solve: largest number of starts, >= 1. The first is the present posture. The second is the
    /// posture that a compiled body (body.h) finds for the poses, positions, orientations and
    /// centre of mass, first of all priorities, then of fewer. Random postures come last, from
    /// which the body searches again. The search ends at the first start that meets all tasks.
    /// Default 16.
    int starts;
    /// Seed of the random numbers: equal numbers give equal searches. Default 0.
    uint64_t seed;
} PoiseTasksDef;
/// A def with the defaults named above.
POISE_API PoiseTasksDef poise_default_tasks_def(void);

/// The results of a solve or a step.
typedef struct PoiseTasksReport {
    /// The status that the solve or step returned.
    PoiseStatus status;
    /// Why the call ended. POISE_REACH_SEARCHING: the joints still moved in this step.
    PoiseReachReason reason;
    /// Iterations and starts used.
    int iterations;
    int starts;
    /// True if other tasks, not limits, keep the unmet tasks from their goals: joints could still
    /// bring these nearer. `reason` is then POISE_REACH_UNREACHABLE.
    bool outweighed;
    /// The first task that is not met; -1 if all are.
    int unmet;
    /// The pair of parts that keeps the unmet tasks from their goals, and its gap, m, if `held`.
    /// `reason` is then POISE_REACH_HELD. False and 0 otherwise.
    bool held;
    PoiseApartPair held_by;
    double held_gap;
    /// Largest errors of all tasks, m and rad.
    double error;
    double angle_error;
} PoiseTasksReport;

/// Moves the posture by one step toward the tasks. POISE_OK: all are met at the end of the step;
/// POISE_NOT_CONVERGED: some are not. The frames are those of the posture. Errors, with nothing
/// changed: POISE_ERROR_INVALID_ARGUMENT, POISE_ERROR_INVALID_HANDLE (a point or node is gone),
/// POISE_ERROR_OUT_OF_MEMORY. Allocates only when the sets or the tasks have changed. `def` NULL:
/// the default; `report` NULL: not wanted.
POISE_API PoiseStatus poise_tasks_step(PoiseTasks* tasks, const PoiseTasksDef* def,
                                       PoiseTasksReport* report);
/// Forgets the velocity of the last step, from which the next step would compute its accelerations.
POISE_API void poise_tasks_rest(PoiseTasks* tasks);

/// Moves the posture to the tasks, from the present posture, by steps until they are met, or until
/// no step brings them nearer. Of several starts it keeps the best, by one priority after another.
/// Status and errors as poise_tasks_step.
POISE_API PoiseStatus poise_tasks_solve(PoiseTasks* tasks, const PoiseTasksDef* def,
                                        PoiseTasksReport* report);

/// Writes the nodes whose ranges keep an unmet task from its goal after a step or a solve: each is
/// at an end of its range and would move beyond it. Writes up to `capacity` handles (NULL allowed
/// with 0). Returns their full number.
POISE_API int poise_tasks_held_by(const PoiseTasks* tasks, PoiseNodeId* nodes, int capacity);

#ifdef __cplusplus
}
#endif

#endif
