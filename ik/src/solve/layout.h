// SPDX-License-Identifier: MIT
// The solver's data of a tree, by the stages that write them: structure, task, metric, answer.
#ifndef POISE_LAYOUT_PRIVATE_H
#define POISE_LAYOUT_PRIVATE_H

#include "matrix.h"
#include "poise/solve.h"
#include "shared/dense.h"
#include "tree.h"

/// The columns of J of one node, which at least one enabled point is registered with.
typedef struct Column {
    const PoiseJointType* type;
    int node;          ///< slot of the node in the tree
    uint64_t sequence; ///< creation number of the node, because slots are reused
    int group;
    int first_dof;
    int dof;
    int first_block;
    int block_count;
    int numbers;  ///< count of the numbers of J in all its blocks
    double scale; ///< 1 / sqrt(bias): J is kept as sqrt(weight) J / sqrt(bias)
    bool direct; ///< true: dof d is the d-th number of the node's omega; false: omega is the sum of
                 ///< dof times axis
    bool rotates; ///< some axis is a rotation, so the joint cap applies
    bool cone;    ///< a ball with a cone, whose axes change in each step
    bool plain;   ///< the node has one axis, about which it rotates
    bool turns;   ///< three dofs, all rotations, as a ball has
    bool tied;    ///< other nodes are coupled to this node and follow it
    bool frozen;  ///< its numbers are not finite or too large, so J has zeros instead
} Column;

/// A block of J: the rows of one goal for one node. The numbers of dof d begin at `offset` + d
/// `stride`. A dof's numbers for all its goals are adjacent.
typedef struct Block {
    int goal; ///< index in Layout.goals
    int offset;
    int stride;
    int part;    ///< centre of mass: slot of the node whose subtree is the part that moves
    double sign; ///< 1, or -1 if the node moves the frame of the goal
} Block;

/// The rows of J and v of an enabled point that at least one enabled node serves.
typedef struct Goal {
    int point; ///< slot of the point in the tree
    int group;
    int first_row;
    int rows;
    bool has_position;
    bool has_orientation;
    int priority; ///< priority of the goal; 0 is the first
    bool plain;   ///< a position or pose goal in the world frame, with all rows along world axes
    bool along_world; ///< all rows are along the world's axes
    bool frozen;      ///< its numbers are not finite, so its rows are 0
    double scale;     ///< sqrt(weight)
    double reach;     ///< reachable distance, m (poise_point_reach)
    PoisePose pose;   ///< frame of the point, world
    PoiseVec3 error;  ///< position error to its goal, m
    PoiseVec3 angle;  ///< rotation error, rotation vector, rad
    PoiseVec3 row_axes[3];
    Aim aim;     ///< only of a direction or look-at point
    double mass; ///< kg, mass of the subtree of a centre of mass
} Goal;

/// Goals that share nodes, directly or through other goals. Groups do not affect each other: each
/// has its own damping and joint cap.
typedef struct Group {
    PoiseRowSpan span; ///< first and last of its rows; rows of other groups may lie between
    double largest2;   ///< square of the largest rotation of a joint in the step, rad^2
    double scale;      ///< factor, 0..1, by which the joint cap shortens the step
} Group;

/// The priorities of the enabled goals. Closures have priority -1.
typedef struct Priorities {
    unsigned present; ///< bit p + 1 is set if a goal has priority p
    int first;
    int last;
} Priorities;

/// A group's part of a level: its damping, and measures of its step that rest.c compares.
typedef struct GroupRows {
    int rows;
    bool rests; ///< the group takes no step, because it would move the points too little (rest.c)
    double square;    ///< trace(J J^T)
    double goal_norm; ///< |v| that remains after the earlier levels
    double gain;      ///< gain k of the damping in this solve
    double kept_gain; ///< gain k at the start of the next solve
    double lambda;
    double reference_part; ///< fraction of a reference's step toward which the damping pulls
    double dots[3];        ///< dot products a b, a a, b b of this step a and the last step b
    double turned2;        ///< squared length of the joints' step, unscaled, rad and m
    double moved2;         ///< squared motion of the points in that step, in tolerances
    double lacking2;       ///< squared error of the goals before that step, in tolerances
    double gained;         ///< dot product of the points' motion and error, in tolerances^2
} GroupRows;

/// The rows of one level: those of one priority, or of all goals.
typedef struct LevelRows {
    bool all; ///< true: rows of all priorities
    int priority;
    PoiseMatrix matrix;   ///< J of these rows, numbered from 0
    double mean_square;   ///< trace(J J^T) / rows
    GroupRows* groups;    ///< by group
    double* previous;     ///< by dof: last step of the level, along axes that do not change
    unsigned char* held;  ///< by dof: 1 if the last step ended on a bound
    PoiseQpGround ground; ///< orthonormal basis of the rows of the levels before
} LevelRows;

/// The data of the levels of priority (priority.c, level.c). They exist only if there are several
/// priorities or a caller projects into the null space (null_space.c). The arrays follow the struct
/// in memory.
typedef struct Levels {
    size_t size; ///< bytes of the struct and its arrays
    bool valid;
    int count; ///< number of priorities that have goals
    LevelRows level[POISE_LEVELS];
    PoiseQpWork work[POISE_LEVELS - 1]; ///< by level after the first
    PoiseBasis basis;                   ///< basis of the rows of the levels so far
    double* numbers;                    ///< dofs x stride: the rows of a level by column
    double* scratch;                    ///< working memory of the basis
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
/// (step_rows.c). They outrank all goals except closures.
typedef struct StepRows {
    size_t size;  ///< bytes of the struct and its arrays
    int dofs;     ///< length of a row
    int capacity; ///< number of rows for which there is memory
    int goal_rows;
    int count;
    bool held;   ///< at least one row was active at the end of the last step
    bool pushes; ///< omega = 0 violates at least one row
    double* a; ///< (capacity + dofs) x dofs: the rows, then the axes of earlier levels as equations
    double* lower; ///< ends of the rows; wider than asked if a row cannot be satisfied
    double* upper;
    signed char* active; ///< by row: -1 at its lower end, 1 at its upper end, 0 between them
    PoiseQpWork work;
} StepRows;

/// The first guess of the active set: the dofs that are assumed to end on a bound.
typedef enum Begin {
    BEGIN_COLD,      ///< no dof is assumed on a bound
    BEGIN_AT_BOUNDS, ///< dofs at an end of their range
    BEGIN_AS_BEFORE ///< the same, and dofs whose last step was as long as their distance to a bound
                    ///< is now
} Begin;

/// The problem of one level. A solve without priorities is one level with all rows.
typedef struct Level {
    LevelRows* rows;
    const double* target;  ///< target velocities of its rows
    const double* lacking; ///< the targets after the motion of the levels before; of a step only
    const double* before;  ///< by dof: omega of the levels before; NULL for the first level
    double* omega;         ///< by dof, scaled: the level adds its step
    unsigned char* held;   ///< by dof: 1 if held on its bound
    PoiseQpWork* work;
    StepRows* inside; ///< inequalities of the step, or NULL
    Begin begin;      ///< first guess of the active set, in the first level only
    bool last;        ///< the last level, in which weighted references act too
    bool bounded;     ///< true: a step within lower and upper; false: a velocity without bounds
    bool matrix_free; ///< true: conjugate gradients, whatever the number of rows
    bool again;       ///< a velocity only: `work` has the factor or basis of these rows and `held`
} Level;

/// The structure of a solve: columns, blocks and rows of J, and groups of goals. layout.c makes it
/// when the sets change, and all arrays of a solve with it in one piece of memory.
typedef struct Layout {
    bool valid;
    uint64_t set_revision; ///< PoiseTree.set_revision when the layout was made
    void* memory;
    size_t size; ///< bytes of `memory`
    int column_count;
    int block_count;
    int goal_count;
    int idle_count; ///< number of points that ask for something but have no enabled node
    int dof_count;
    int row_count;
    int group_count;
    Column* columns; ///< in the order of creation: root first
    Block* blocks;   ///< sorted by column, then by goal
    Goal* goals;
    Group* groups;
    int* column_of_node; ///< by node slot: index of the column (a follower's leader's), or NO_SLOT
    PoiseBlock* matrix_blocks; ///< blocks of Task.matrix; each may join several of `blocks`
    int* matrix_goals;         ///< by block: index in `goals` of the first goal
    PoiseRowSpan* spans;       ///< by row: the rows of its group; only if there are at most
                               ///< POISE_MOST_DUAL_ROWS rows
    bool has_com;              ///< some goal is a centre of mass
    bool coned;                ///< some column is a ball with a cone
    Priorities priorities;
} Layout;

/// The task of a step: J (jacobian.c) and v (goal_error.c). Rows are multiplied by Goal.scale,
/// columns by Column.scale.
typedef struct Task {
    bool filled;           ///< J and v belong to the present layout
    double* jacobian;      ///< the numbers of J by column, dof and goal
    PoiseMatrix matrix;    ///< J again, as a few large blocks
    PoiseVec3* axes;       ///< by dof, world frame
    unsigned char* linear; ///< by dof: 1 moves along its axis, 0 turns about it
    double mean_square;    ///< trace(J J^T) / rows
    double* v;             ///< by row: error that the step should remove, m and rad
    double* goal_velocity; ///< by row: velocity of the goal
    double smoothness;     ///< see poise_tree_smoothness
    int frozen_points;     ///< number of points whose goal or frame is not finite
    int frozen_nodes;      ///< number of nodes with columns that are not finite or are too large
} Task;

/// The damping and the bounds of a step, by dof and scaled as the columns. The solvers minimise |J
/// omega - v|^2 plus the sum of damping_i (omega_i - centre_i)^2. damping.c, reference.c,
/// step_bounds.c and vector_limits.c fill them.
typedef struct Metric {
    bool bounded;        ///< some column has a finite bound in this step
    bool centred;        ///< some `centre` may differ from 0
    bool weighted;       ///< some reference posture has a weight
    double* lower;       ///< least omega in this step
    double* upper;       ///< largest omega in this step
    double* damping;     ///< lambda_i: lambda of the dof's group, plus `pull` in the last level
    double* centre;      ///< valid only if `centred`
    double* share;       ///< ratio of lambda to damping_i; 1 unless `weighted`
    double* desired;     ///< step to the reference; in a simulation the fraction for one step
    double* pull;        ///< weight of the reference posture; 0 if it has none
    double* row_damping; ///< by row: lambda of the goal's group
    GroupRows* groups;   ///< by group: damping if one level has all rows
} Metric;

/// The result of a step, by dof and scaled as the columns, and the memory of the solvers.
typedef struct Answer {
    bool solved;            ///< omega belongs to the present J and v
    bool has_velocity;      ///< some node's velocity may differ from 0
    double* omega;          ///< step over the column's scale: sqrt(bias) omega
    double* velocity;       ///< pseudo-inverse of J times the goals' velocities
    double* previous_omega; ///< by dof: omega of the last step
    unsigned char* fixed;   ///< 1: the dof ended its step on a bound
    unsigned char* stopped; ///< 1: the dof's velocity is 0, because its range ends
    PoiseQpWork work;       ///< working memory of the QP without inequalities
} Answer;

/// alpha, beta and gamma of the paper (stages.c), made at the first call of a stage.
typedef struct Stages {
    void* memory;
    size_t size;
    bool valid;
    double* alpha; ///< by dof: squared length of J's column
    double* beta;
    int* row_start;      ///< by column: first of its neighbours (columns that share a goal)
    int* neighbours;     ///< indices of columns, ascending
    size_t* gamma_start; ///< by neighbour: start of its block in `gamma`
    double* gamma;
} Stages;

struct ReachMemory;

/// All data of a tree's solver, by the stages that write them.
typedef struct Solver {
    Layout layout;
    Task task;
    Metric metric;
    Answer answer;
    LevelRows all;  ///< all rows as one level, for a solve without priorities
    Levels* levels; ///< NULL before the first use
    Stages stages;
    StepRows* rows;            ///< NULL while the tree has no source of inequality rows
    struct ReachMemory* reach; ///< made by poise_reach, released by finish_reach
    void (*finish_reach)(PoiseTree* tree);
} Solver;

// layout.c: makes the layout if the sets changed. All other stages need a valid layout.
PoiseStatus poise__layout_refresh(PoiseTree* tree);
/// layout_matrix.c: assigns places in J to the column's numbers from `offset` on; returns how many.
int poise__blocks_place(Layout* layout, const Column* column, int offset);
/// Makes Task.matrix, in which neighbouring columns with the same goals share a block.
void poise__matrix_lay(Layout* layout, Task* task);
/// Returns the column of the point's n-th node; NO_SLOT if it has no column, or an earlier node of
/// the point has the same one.
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
/// True if the point has a goal that no enabled node serves.
bool poise__point_is_idle(const PoiseTree* tree, const Point* point);
/// Returns the tree's layout if it belongs to the present sets, else NULL.
static inline Layout* poise__layout_now(const PoiseTree* tree) {
    Layout* layout = tree && tree->solver ? &tree->solver->layout : NULL;
    return layout && layout->valid && layout->set_revision == tree->set_revision ? layout : NULL;
}
/// solver.c: saves the last steps in the nodes. poise__steps_take copies them into a new layout.
void poise__steps_keep(const PoiseTree* tree);
void poise__steps_take(PoiseTree* tree);
/// Makes the layout invalid and discards the last steps, which do not fit the changed nodes.
void poise__steps_forget(PoiseTree* tree);
/// solver.c: makes the solver's data if the tree has none. False if memory is short.
bool poise__solver_make(PoiseTree* tree);
/// True if the points have more than one priority.
static inline bool poise__has_levels(const Layout* layout) {
    return layout->priorities.first < layout->priorities.last;
}

#endif
