// SPDX-License-Identifier: MIT
// What the solver keeps of a tree: J, v and omega as they lie in memory, and what goes with them.
#ifndef POISE_LAYOUT_PRIVATE_H
#define POISE_LAYOUT_PRIVATE_H

#include "matrix.h"
#include "poise/solve.h"
#include "shared/dense.h"
#include "tree.h"

/// A node that some enabled point is registered with: its columns of J.
typedef struct Column {
    const PoiseJointType* type;
    int node;          ///< slot
    uint64_t sequence; ///< of the node: slots are used again
    int group;
    int first_dof;
    int dof;
    int first_block;
    int block_count;
    int numbers;  ///< of J, in all of its blocks
    double scale; ///< 1 / sqrt(bias): J is kept as sqrt(weight) J / sqrt(bias)
    bool direct;  ///< its dofs are the numbers of the node's omega; else vectors along `axes`
    bool rotates; ///< some axis turns: counts for the joint cap
    bool cone;    ///< its axes swing about with the ball, from one step to the next
    bool plain;   ///< one axis that turns, as most have
    bool turns;   ///< three dofs, all turns, as a ball has
    bool tied;    ///< others follow its node
    bool frozen;  ///< not finite or too large: its columns are 0
} Column;

/// One block of J: as many rows as its goal has, their first numbers at `offset`, those of the next
/// dof `stride` farther on: blocks of goals one behind the other lie beside each other.
typedef struct Block {
    int goal; ///< index of the Goal
    int offset;
    int stride;
    int part;    ///< centre of mass: slot of the node whose subtree moves
    double sign; ///< -1: moves the frame of the goal
} Block;

/// An enabled point that some enabled node serves: its rows of J and v.
typedef struct Goal {
    int point; ///< slot
    int group;
    int first_row;
    int rows;
    bool has_position;
    bool has_orientation;
    int priority;     ///< 0 first
    bool plain;       ///< all rows, world axes, nothing but a place or frame in the world
    bool along_world; ///< its rows are along the world's axes
    bool frozen;      ///< not finite: its rows are 0
    double scale;     ///< sqrt(weight)
    double reach;     ///< see poise_point_reach
    PoisePose pose;   ///< where the point is
    PoiseVec3 error;  ///< to its goal: m
    PoiseVec3 angle;  ///< rad, rotation vector
    PoiseVec3 row_axes[3];
    Aim aim;     ///< direction, look-at
    double mass; ///< of the subtree a centre of mass is that of
} Goal;

/// Goals that share nodes, directly or through others, and the columns of these: what happens to
/// one group is nothing to another. Each is damped and capped for itself.
typedef struct Group {
    int rows;
    PoiseRowSpan span; ///< rows of others may lie between
    double square;     ///< trace(J J^T) of its rows
    double goal_norm;  ///< |v|
    double gain;       ///< k
    double kept_gain;  ///< what the next solve begins with
    double lambda;
    double dots[3];  ///< omega and the one before: a b, a a, b b
    double largest2; ///< the farthest turn of its joints, squared
    double scale;    ///< what the joint cap multiplied its step with
    double turned2;  ///< |step|^2, unscaled: rad and m
    double moved2;   ///< squared motion of its points by that step, in tolerances
    bool rests;      ///< the step moves the points too little (rest.c)
} Group;

/// The priorities of the enabled goals.
typedef struct Priorities {
    unsigned present; ///< bit p + 1: a goal of priority p is enabled; closures are -1
    int first;
    int last;
} Priorities;

/// What the levels of priority need beside it (priority.c, level.c): made when there are several,
/// or when null-space vectors are asked for (null_space.c). Its arrays lie behind it.
typedef struct Levels {
    size_t size; ///< with its arrays
    bool valid;
    bool budget_used; ///< a level ended by its rounds
    int count;        ///< of the last solve
    PoiseQpWork work;
    double* rows;   ///< row_count x dofs: of the levels before, dense
    double* values; ///< by row: what they come to, and stay
    int row_count;
    signed char* active; ///< by row
    PoiseBlock* blocks;  ///< of the level
    double* target;      ///< of its rows
    double* row_damping;
    double* damping; ///< by dof
    double* share;
    double* centre;
    unsigned char* held;       ///< levels x dofs: on a bound at the end of the step before
    double* previous;          ///< levels x dofs: each level's step before
    double* damped;            ///< levels x goals: lambda of each group, as used in the step
    double* before;            ///< dofs
    double gain[POISE_LEVELS]; ///< k by level
    double lambda;             ///< of the first level, as used
    double used_gain;
} Levels;

/// How the levels are damped, each by its own rows.
typedef struct LevelDamping {
    double eps;
    double floor;  ///< the least k, or k itself
    double lambda; ///< >= 0: in place of both
    bool adaptive;
    bool bounded; ///< inside lower and upper; else, for velocities, dofs that are fixed stay 0
    bool kept;    ///< k of each level is what it was, or the floor
    const PoiseSolveDef* def; ///< when rest is asked for (rest.c), or NULL
} LevelDamping;

/// One level's problem (level.c).
typedef struct Level {
    int priority;
    int index;            ///< among those that are present
    bool last;            ///< references with rows of their own count with it
    const double* target; ///< of all rows
    double gain;          ///< k
} Level;

/// The solve's data, in one piece of memory that is laid out when the sets change.
typedef struct Layout {
    bool valid;
    uint64_t set_revision; ///< of the sets that it was laid out for
    bool filled;           ///< J and v have been filled since it was laid out
    bool solved;           ///< and omega is of them
    bool has_velocity;     ///< the nodes' may not be 0
    void* memory;
    size_t size;

    int column_count;
    int block_count;
    int goal_count;
    int idle_count; ///< points that would be goals, but no enabled node serves them
    int dof_count;
    int row_count;

    int group_count;

    Column* columns; ///< in the order of creation: root first
    Block* blocks;   ///< of a column: in the order of the goals
    Goal* goals;
    Group* groups;
    int* column_of_node;   ///< by slot, or NO_SLOT; a follower's is its leader's
    PoiseVec3* axes;       ///< of each dof, world frame
    unsigned char* linear; ///< of each dof: moves along its axis, else turns about it
    double* jacobian;      ///< scaled, see Column.scale and Goal.scale; by column, goals, dof
    int jacobian_size;
    PoiseMatrix matrix;        ///< the same for the solvers, blocks beside or behind another as one
    PoiseBlock* matrix_blocks; ///< its blocks
    int* matrix_goals;         ///< of each, index of the first Goal
    double mean_square;        ///< trace(J J^T) / rows
    int frozen_points;         ///< goals that are not finite
    int frozen_nodes;          ///< columns that are not
    bool bounded;              ///< some column has a finite range in this step
    bool coned;                ///< some column is
    bool drawn;                ///< to a reference: some centre may not be 0
    bool weighted;             ///< some reference has rows of its own
    bool has_com;              ///< some goal is a centre of mass

    // by dof, scaled like the columns: omega here is sqrt(bias) omega
    double* omega;
    double* velocity;
    double* alpha;
    double* previous_omega;
    double* lower; ///< the range that is left in this step
    double* upper;
    double* damping; ///< lambda_i of the cost: sum of lambda_i (omega_i - centre_i)^2
    double* centre;  ///< 0 while the layout is not `drawn`
    double* share;   ///< lambda / lambda_i, 1 while the layout is not `weighted`
    double* desired; ///< the step to the reference, or the part of it that is taken (reference.c)
    double* pull;    ///< weight of the reference's row, 0 for none
    double* start;   ///< scratch of the solvers
    double* direction;
    double* gradient;
    unsigned char* fixed; ///< held on its bound

    // by row, scaled
    double* v;
    double* row_damping; ///< lambda of its group
    double* goal_velocity;
    double smoothness; ///< poise_tree_smoothness
    double* residual;
    double* work;        ///< rows
    PoiseRowSpan* spans; ///< by row, of its group; for as many rows as `normal`
    double* normal;      ///< rows x rows: J W J^T + lambda I, then its Cholesky factor; for as many
                         ///< rows as POISE_MOST_DUAL_ROWS only

    Priorities priorities;
    Levels* levels; ///< NULL until they are made
} Layout;

/// alpha, beta and gamma of the paper's stages (stages.c); made when first asked for.
typedef struct Stages {
    void* memory;
    size_t size;
    bool valid;
    double* alpha; ///< by dof
    double* beta;
    int* row_start;      ///< by column: first neighbour
    int* neighbours;     ///< columns, in order
    size_t* gamma_start; ///< by neighbour: where its block lies
    double* gamma;
} Stages;

struct ReachMemory;

/// All that the solver keeps of a tree.
typedef struct Solver {
    Layout layout;
    Stages stages;
    struct ReachMemory* reach; ///< of poise_reach, which makes it; the solver only gives it back
    size_t reach_size;
} Solver;

// layout.c: the stages below need a valid one
PoiseStatus poise__layout_refresh(PoiseTree* tree);
/// layout_matrix.c: puts the numbers of a column's blocks from `offset` on; returns how many.
int poise__blocks_place(const Layout* layout, const Column* column, int offset);
/// J for the solvers: a column whose rows are one run goes on from the one before it where that has
/// the same rows.
void poise__matrix_lay(Layout* layout);
/// The column of the n-th node of a point; NO_SLOT where it has none, or where another node before
/// it has brought the same.
static inline int poise__point_column(const PoiseTree* tree, const Layout* layout,
                                      const Point* point, int n) {
    const int at = layout->column_of_node[point->nodes[n]];
    bool first = true;
    for (int i = 0; tree->tie_count > 0 && first && i < n; i++) {
        first = layout->column_of_node[point->nodes[i]] != at;
    }
    return first ? at : NO_SLOT;
}
/// Whether the point asks for something, but no enabled node serves it.
bool poise__point_is_idle(const PoiseTree* tree, const Point* point);
/// The tree's layout while it is that of its sets, else NULL.
static inline Layout* poise__layout_now(const PoiseTree* tree) {
    Layout* layout = tree && tree->solver ? &tree->solver->layout : NULL;
    return layout && layout->valid && layout->set_revision == tree->set_revision ? layout : NULL;
}
/// solver.c: leaves the layout's step before with the nodes, where it outlives the layout; and
/// takes it from there.
void poise__steps_keep(const PoiseTree* tree);
void poise__steps_take(PoiseTree* tree);
/// The nodes are others: the layout's step before is of no use to them.
void poise__steps_forget(PoiseTree* tree);
/// solver.c: the solver's memory of a tree that has none yet; false without memory.
bool poise__solver_make(PoiseTree* tree);
/// Whether its points have more than one priority.
static inline bool poise__has_levels(const Layout* layout) {
    return layout->priorities.first < layout->priorities.last;
}

#endif
