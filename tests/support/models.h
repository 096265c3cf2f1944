// SPDX-License-Identifier: MIT
// Trees for tests: chains and random trees, and functions that read and change them.
#ifndef POISE_TEST_MODELS_H
#define POISE_TEST_MODELS_H

#include "poise/ik.h"
#include "random.h"

enum { MODEL_NODES = 1000, MODEL_POINTS = 64 };

typedef struct Model {
    PoiseTree* tree;
    int node_count;
    int point_count;
    PoiseNodeId nodes[MODEL_NODES];
    PoisePointId points[MODEL_POINTS];
    double bias[MODEL_NODES];
    double weight[MODEL_POINTS];
} Model;

/// Makes an empty tree.
Model model_empty(PoiseBallAxes ball_axes);
void model_finish(Model* model);

/// Creates a node and records it in the model.
PoiseNodeId model_add_node(Model* model, const PoiseNodeDef* def);
/// Creates a point, records it in the model, and registers all nodes down to the base.
PoisePointId model_add_point(Model* model, const PoisePointDef* def);
/// Adds a position point at a position on the link; adds a pose point.
void model_add_tip(Model* model, PoiseNodeId link, PoiseVec3 in_link);
void model_add_pose(Model* model, PoiseNodeId link, PoisePose in_link);

/// Makes a chain of `count` joints with links of `length` along x, the first joint at the origin.
/// Hinges turn about z. A point of the given kind is at the end of the last link.
Model model_chain(PoiseNodeKind kind, int count, double length, PoisePointKind point);

/// Makes the chain of Springhead's scenes: a ball 0.1 m above a fixed box, then balls with links of
/// `length` along y. The point is at the end of the last link.
Model model_springhead(int balls, double length);

typedef struct RandomTree {
    int nodes;
    int points;
    /// Kinds of nodes that may occur.
    bool hinges;
    bool sliders;
    bool balls;
    /// True for branches, false for a chain.
    bool branched;
    /// True for random biases and weights, false for 1.
    bool weighted;
    PoiseBallAxes ball_axes;
} RandomTree;

/// Makes a random tree: links of up to 0.5 m, random frames, axes, postures and masses. Points of
/// all kinds are on random links, registered with a random part of the nodes below them. The frames
/// are fresh.
Model model_random(Random* random, const RandomTree* def);

/// Makes a random tree in which half of the nodes are of the other kinds, from universal on. Half
/// of these have axes switched off.
Model model_random_kinds(Random* random, const RandomTree* def);

/// Returns the default def of a kind of point.
PoisePointDef model_point_def(PoisePointKind kind);

/// Sets a random posture.
void model_scatter(Model* model, Random* random, double angle);

/// Sets goals that can all be met: the poses at a random posture near the present one.
void model_reachable_goals(Model* model, Random* random, double angle);

/// Moves one degree of freedom by `step` from the present frames, and fills the frames again. For a
/// ball, translation or free node `dof` is a world axis.
void model_nudge(Model* model, PoiseNodeId node, int dof, double step);

/// Returns the number of degrees of freedom of a node's kind.
int model_dof(const Model* model, int node);

/// Writes J of all enabled points and all nodes as the last stage or solve left it, without weights
/// and biases: row-major, with `*columns` columns. Missing blocks are 0. Returns the number of
/// rows.
int model_jacobian(const Model* model, double* j, int* columns);

/// Writes the least-squares problem of the goals: J of model_jacobian with rows times sqrt(weight)
/// and columns over sqrt(bias), and v, the whole errors times sqrt(weight). Returns the number of
/// rows.
int model_problem(const Model* model, double* j, double* v, int* columns);

/// Writes omega of the nodes that have columns, in the order of model_jacobian's columns.
int model_omega(const Model* model, double* omega);

/// Writes omega times sqrt(bias), the unknowns of model_problem.
int model_unknowns(const Model* model, double* x);

/// Runs forward, solve, advance, forward.
PoiseStatus model_step(Model* model, const PoiseSolveDef* def, PoiseSolveReport* report);

/// Returns a def that solves only the linear problem: no clamps, no cap, no escape, no adaptive
/// damping, and `damping` as eps.
PoiseSolveDef model_plain_def(PoiseSolver solver, double damping);

/// The posture of one node. model_put_back restores it and fills the frames.
typedef struct ModelPosture {
    double angle;
    PoiseQuat rotation;
} ModelPosture;
ModelPosture model_posture(const Model* model, PoiseNodeId node);
void model_put_back(Model* model, PoiseNodeId node, ModelPosture posture);

/// Returns the FNV-1a hash of the bits of the posture.
uint64_t model_hash(const Model* model);

/// Returns the largest violation of the relation between followers and leaders, rad or m.
double model_relation_error(const PoiseTree* tree);

#endif
