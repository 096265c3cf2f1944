// SPDX-License-Identifier: MIT
// The solver's data of a tree, by the stages that write them: structure, task, metric, answer.
#ifndef POISE_LAYOUT_PRIVATE_H
#define POISE_LAYOUT_PRIVATE_H

#include "matrix.h"
#include "poise/solve.h"
#include "shared/dense.h"
#include "tree.h"

/// A node that some enabled point is registered with: its columns of J.
typedef struct Column {
    const PoiseJointType* type;
    int node;          ///< slot of the node
    uint64_t sequence; ///< sequence of the node, because slots are used again
    int group;
    int first_dof;
    int dof;
    int first_block;
    int block_count;
    int numbers;  ///< how many numbers of J all its blocks have
    double scale; ///< 1 / sqrt(bias): J is kept as sqrt(weight) J / sqrt(bias)
    bool direct;  ///< its dofs are the numbers of the node's omega; else omega is their sum along
                  ///< `axes`
    bool rotates; ///< some axis turns, so the joint cap applies
    bool cone;    ///< a ball with a cone, whose axes change in each step
    bool plain;   ///< a single axis that turns
    bool turns;   ///< three dofs, all turns, as a ball has
    bool tied;    ///< other nodes follow its node
    bool frozen;  ///< its numbers are not finite or too large, so J has zeros instead
} Column;

/// A block of J: the rows of a goal. The numbers of its first dof begin at `offset`. Each further
/// dof begins `stride` numbers later. A dof has the blocks of all its goals in one strip.
typedef struct Block {
    int goal; ///< index of the Goal
    int offset;
    int stride;
    int part;    ///< centre of mass: slot of the node whose subtree moves
    double sign; ///< -1: moves the frame of the goal
} Block;

/// An enabled point that some enabled node serves: its rows of J and v.
typedef struct Goal {
    int point; ///< slot of the point
    int group;
    int first_row;
    int rows;
    bool has_position;
    bool has_orientation;
    int priority;     ///< priority of the goal; 0 is the first
    bool plain;       ///< a place or frame in the world, with all rows along world axes
    bool along_world; ///< its rows are along the world's axes
    bool frozen;      ///< its numbers are not finite, so its rows are 0
    double scale;     ///< sqrt(weight)
    double reach;     ///< see poise_point_reach
    PoisePose pose;   ///< frame of the point, world
    PoiseVec3 error;  ///< position error to its goal, m
    PoiseVec3 angle;  ///< rotation error, rotation vector, rad
    PoiseVec3 row_axes[3];
    Aim aim;     ///< direction, look-at
    double mass; ///< kg, mass of the subtree of a centre of mass
} Goal;

/// Goals that share nodes, directly or through others, and their columns. Groups do not affect each
/// other: each has its own damping and joint cap.
typedef struct Group {
    PoiseRowSpan span; ///< first and last of its rows; rows of other groups may lie between
    double largest2;   ///< square of the largest turn of its joints, rad^2
    double scale;      ///< factor of the joint cap
} Group;

/// The priorities of the enabled goals.
typedef struct Priorities {
    unsigned present; ///< bit p + 1: a goal of priority p is enabled; closures are -1
    int first;
    int last;
} Priorities;

/// The rows of a group in a level: their damping, and the measures of the level's step.
typedef struct GroupRows {
    int rows;
    bool rests;    ///< the group takes no step, since it would move the points too little (rest.c)
    double square; ///< trace(J J^T)
    double goal_norm; ///< |v| after the motion of the levels before
    double gain;      ///< k
    double kept_gain; ///< k with which the next solve begins
    double lambda;
    double reference_part; ///< part of the references' steps that is the centre of the damping
    double dots[3];        ///< dot products of a step a and the step before b: a b, a a, b b
    double turned2;        ///< |step|^2 of the joints, unscaled: rad and m
    double moved2;         ///< squared motion of its points by that step, in tolerances
    double lacking2;       ///< squared error of its goals before that step, in tolerances
    double gained;         ///< dot product of the points' motion and error, in tolerances^2
} GroupRows;

/// The rows of one level, which has one priority or all goals.
typedef struct LevelRows {
    bool all; ///< rows of all priorities
    int priority;
    PoiseMatrix matrix;   ///< rows counted from 0
    double mean_square;   ///< trace(J J^T) / rows
    GroupRows* groups;    ///< by group
    double* previous;     ///< by dof: the level's last step, in fixed axes
    unsigned char* held;  ///< by dof: 1 if on a bound after the last step
    PoiseQpGround ground; ///< orthonormal basis of the rows of the levels before
} LevelRows;

/// The data of the levels of priority (priority.c, level.c). They are made for several priorities,
/// and for null-space vectors (null_space.c). The arrays follow the struct in memory.
typedef struct Levels {
    size_t size; ///< bytes, with the arrays
    bool valid;
    int count; ///< priorities with goals
    LevelRows level[POISE_LEVELS];
    PoiseQpWork work[2]; ///< memory of the levels between the first and the last; of the last
    PoiseBasis basis;    ///< basis of the rows of the levels so far
    double* numbers;     ///< dofs x stride: the rows of a level by column
    double* scratch;     ///< working memory of the basis
    double* parts;       ///< rows x stride: products of a level's rows with the axes of `basis`
    unsigned char* free; ///< by dof: 0, since no level holds a dof beforehand
    PoiseBlock* blocks;  ///< blocks of the first level, then of the next
    double* target;      ///< target velocities of a level's rows
    double* lacking;     ///< the targets after the motion of the levels before
    double* before;      ///< by dof: omega before a level
    double* previous;    ///< levels x dofs: memory of LevelRows.previous
    unsigned char* held; ///< levels x dofs: memory of LevelRows.held
} Levels;

/// The inequalities of a step, lower <= a omega <= upper, by dof and scaled as the columns
/// (step_rows.c). They come before all goals but closures.
typedef struct StepRows {
    size_t size;  ///< bytes, with the arrays
    int dofs;     ///< length of a row
    int capacity; ///< number of rows that the memory holds
    int goal_rows;
    int count;
    bool held;     ///< some row is active in the last step
    bool pushes;   ///< some row is violated by omega = 0
    double* a;     ///< (capacity + dofs) x dofs: the rows, then room for the axes of earlier levels
    double* lower; ///< ends of the rows, widened for a row that cannot be met
    double* upper;
    signed char* active; ///< by row: at its lower end -1, at its upper end 1, inside 0
    PoiseQpWork work;
} StepRows;

/// The dofs that are assumed to end on their bounds.
typedef enum Begin {
    BEGIN_COLD,      ///< no dof
    BEGIN_AT_BOUNDS, ///< dofs that are at an end of their range
    BEGIN_AS_BEFORE  ///< dofs at an end of their range, and dofs whose last step was as long as the
                     ///< present room
} Begin;

/// The problem of one level. A solve without priorities is one level with all rows.
typedef struct Level {
    LevelRows* rows;
    const double* target;  ///< target velocities of its rows
    const double* lacking; ///< the targets after the motion of the levels before
    const double* before;  ///< by dof: omega of the levels before; NULL for the first level
    double* omega;         ///< by dof, scaled: the level adds its step
    unsigned char* held;   ///< by dof: 1 if held on its bound
    PoiseQpWork* work;
    StepRows* inside; ///< inequalities to keep, or NULL
    Begin begin;      ///< start of the first level
    bool last;        ///< last level, which includes the references with a weight
    bool bounded;     ///< a step, inside lower and upper; else a velocity
    bool matrix_free; ///< conjugate gradients for any number of rows
} Level;

/// The structure of a solve: the columns, blocks and rows of J, and the groups of goals. layout.c
/// makes it, with all arrays of a solve in one piece of memory, when the sets change.
typedef struct Layout {
    bool valid;
    uint64_t set_revision; ///< revision of the sets that it was made for
    void* memory;
    size_t size; ///< bytes of `memory`
    int column_count;
    int block_count;
    int goal_count;
    int idle_count; ///< points that no enabled node serves
    int dof_count;
    int row_count;
    int group_count;
    Column* columns; ///< in the order of creation: root first
    Block* blocks;   ///< columns in order, and in each the goals in order
    Goal* goals;
    Group* groups;
    int* column_of_node;       ///< by slot, or NO_SLOT; a follower has its leader's
    PoiseBlock* matrix_blocks; ///< blocks of the matrix
    int* matrix_goals;         ///< by block: index of the first Goal
    PoiseRowSpan* spans;       ///< by row: rows of its group; at most POISE_MOST_DUAL_ROWS
    bool has_com;              ///< some goal is a centre of mass
    bool coned;                ///< some column has a cone
    Priorities priorities;
} Layout;

/// The task of a step: J and v. Goals and columns carry the factors Goal.scale and Column.scale.
/// goal_error.c fills v, jacobian.c J.
typedef struct Task {
    bool filled;           ///< J and v are those of the layout
    double* jacobian;      ///< numbers by column, dof and goal
    PoiseMatrix matrix;    ///< J in few large blocks
    PoiseVec3* axes;       ///< by dof, world frame
    unsigned char* linear; ///< by dof: 1 moves along its axis, 0 turns about it
    double mean_square;    ///< trace(J J^T) / rows
    double* v;             ///< by row: velocities to the goals
    double* goal_velocity; ///< by row: velocities of the goals
    double smoothness;     ///< poise_tree_smoothness
    int frozen_points;     ///< goals that are not finite
    int frozen_nodes;      ///< columns that are not finite
} Task;

/// The damping and the bounds, by dof and scaled as the columns. The cost is |J omega - v|^2 plus
/// the sum of damping_i (omega_i - centre_i)^2. damping.c, reference.c, step_bounds.c and
/// vector_limits.c fill them.
typedef struct Metric {
    bool bounded;        ///< some column has a finite range in this step
    bool centred;        ///< some `centre` may differ from 0
    bool weighted;       ///< some reference has a weight
    double* lower;       ///< lower end of the range that is left in this step
    double* upper;       ///< its upper end
    double* damping;     ///< lambda_i
    double* centre;      ///< may differ from 0 if `centred`
    double* share;       ///< lambda / lambda_i, 1 unless `weighted`
    double* desired;     ///< step to the reference, or in a simulation the part of it for this step
    double* pull;        ///< weight of the reference's row, 0 for none
    double* row_damping; ///< by row of the level: lambda of its group
    GroupRows* groups;   ///< damping of a level with all rows, by group
} Metric;

/// The answer of a step, by dof and scaled as the columns, with the memory of the solvers.
typedef struct Answer {
    bool solved;            ///< omega solves the present task
    bool has_velocity;      ///< some node's velocity may differ from 0
    double* omega;          ///< sqrt(bias) omega
    double* velocity;       ///< J^# of the goals' velocities
    double* previous_omega; ///< by dof: omega of the last step
    unsigned char* fixed;   ///< 1: the dof ended on its bound
    unsigned char* stopped; ///< 1: the dof ended at an end of its range, so its velocity is 0
    PoiseQpWork work;       ///< workspace for a problem without constraints
} Answer;

/// alpha, beta and gamma of the paper's stages (stages.c); made at the first call
typedef struct Stages {
    void* memory;
    size_t size;
    bool valid;
    double* alpha; ///< by dof: squared length of J's column
    double* beta;
    int* row_start;      ///< by column: first neighbour
    int* neighbours;     ///< columns, in order
    size_t* gamma_start; ///< by neighbour: offset of its block
    double* gamma;
} Stages;

struct ReachMemory;

/// The solver's data of a tree, by the stages that write them.
typedef struct Solver {
    Layout layout;
    Task task;
    Metric metric;
    Answer answer;
    LevelRows all;  ///< all rows as one level
    Levels* levels; ///< NULL before the first use
    Stages stages;
    StepRows* rows;            ///< NULL while the tree has no source of rows
    struct ReachMemory* reach; ///< made by poise_reach, released by finish_reach
    void (*finish_reach)(PoiseTree* tree);
} Solver;

// layout.c: makes the layout if the sets changed. The stages below need a valid layout.
PoiseStatus poise__layout_refresh(PoiseTree* tree);
/// layout_matrix.c: places the numbers of a column's blocks from `offset` on; returns their count.
int poise__blocks_place(Layout* layout, const Column* column, int offset);
/// Makes the matrix of the solvers: neighbouring columns with the same goals share blocks.
void poise__matrix_lay(Layout* layout, Task* task);
/// Returns the column of the n-th node of a point; NO_SLOT if the node has none, or shares the
/// column of an earlier node.
static inline int poise__point_column(const PoiseTree* tree, const Layout* layout,
                                      const Point* point, int n) {
    const int* nodes = poise__point_nodes(tree, point);
    const int at = layout->column_of_node[nodes[n]];
    bool first = true;
    for (int i = 0; tree->tie_count > 0 && first && i < n; i++) {
        first = layout->column_of_node[nodes[i]] != at;
    }
    return first ? at : NO_SLOT;
}
/// True if the point asks for something and no enabled node serves it.
bool poise__point_is_idle(const PoiseTree* tree, const Point* point);
/// Returns the tree's layout if it belongs to the present sets, else NULL.
static inline Layout* poise__layout_now(const PoiseTree* tree) {
    Layout* layout = tree && tree->solver ? &tree->solver->layout : NULL;
    return layout && layout->valid && layout->set_revision == tree->set_revision ? layout : NULL;
}
/// solver.c: copies the last steps to the nodes, so that a new layout can use them.
/// poise__steps_take copies it back.
void poise__steps_keep(const PoiseTree* tree);
void poise__steps_take(PoiseTree* tree);
/// Makes the layout invalid and drops its last steps, which do not belong to the changed nodes.
void poise__steps_forget(PoiseTree* tree);
/// solver.c: makes the solver's data if the tree has none; false without memory.
bool poise__solver_make(PoiseTree* tree);
/// True if the points have more than one priority.
static inline bool poise__has_levels(const Layout* layout) {
    return layout->priorities.first < layout->priorities.last;
}

#endif
