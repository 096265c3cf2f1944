// SPDX-License-Identifier: MIT
// Trees to test with: chains and random trees, and how to read and disturb them.
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

/// A tree with nothing in it.
Model model_empty(PoiseBallAxes ball_axes);
void model_finish(Model* model);

/// The new node, kept in the model.
PoiseNodeId model_add_node(Model* model, const PoiseNodeDef* def);
/// The new point, kept in the model, registered down to the base.
PoisePointId model_add_point(Model* model, const PoisePointDef* def);
/// The same of a position point at a place on the link, and of a pose point.
void model_add_tip(Model* model, PoiseNodeId link, PoiseVec3 in_link);
void model_add_pose(Model* model, PoiseNodeId link, PoisePose in_link);

/// `count` joints, each at the end of the link before it, links of `length` along x; the first
/// stands at the origin. Hinges turn about z. The point of the given kind is at the last link's
/// end.
Model model_chain(PoiseNodeKind kind, int count, double length, PoisePointKind point);

/// The chain of Springhead's scenes: a ball, 0.1 L up on a fixed box, then balls with links of
/// `length` along y; the point is on the last link's end.
Model model_springhead(int balls, double length);

typedef struct RandomTree {
    int nodes;
    int points;
    /// Of 1, 2, 3: the kinds that may occur.
    bool hinges;
    bool sliders;
    bool balls;
    /// A chain, or branches.
    bool branched;
    /// Random biases and weights, else 1.
    bool weighted;
    PoiseBallAxes ball_axes;
} RandomTree;

/// Links of up to half a metre, random frames, axes, postures, masses; points of all kinds on
/// random links, registered with a random part of the chain below them. Frames are fresh.
Model model_random(Random* random, const RandomTree* def);

/// The same with half of the nodes of the other kinds, universal and on, half of them with axes
/// switched off.
Model model_random_kinds(Random* random, const RandomTree* def);

/// The def of a point of a kind.
PoisePointDef model_point_def(PoisePointKind kind);

/// A new random posture.
void model_scatter(Model* model, Random* random, double angle);

/// Goals at what a random posture near the present one gives, so that they can all be met.
void model_reachable_goals(Model* model, Random* random, double angle);

/// Moves one degree of freedom by `step` (not one angle: along or about world axis `dof`) from the
/// frames as they are, and fills the frames again.
void model_nudge(Model* model, PoiseNodeId node, int dof, double step);

/// Degrees of freedom of a node's kind.
int model_dof(const Model* model, int node);

/// J of all enabled points and all nodes as the last stage or solve left it, without weights and
/// biases; row-major with `*columns` columns. Blocks that are not there are 0. Returns the rows.
int model_jacobian(const Model* model, double* j, int* columns);

/// The least-squares problem of the goals: J of model_jacobian with rows times sqrt(weight) and
/// columns over sqrt(bias), and v, the whole errors times sqrt(weight). Returns the rows.
int model_problem(const Model* model, double* j, double* v, int* columns);

/// omega of the nodes that have columns, in the order of model_jacobian's columns.
int model_omega(const Model* model, double* omega);

/// The same times sqrt(bias): the unknowns of model_problem.
int model_unknowns(const Model* model, double* x);

/// forward, solve, advance, forward.
PoiseStatus model_step(Model* model, const PoiseSolveDef* def, PoiseSolveReport* report);

/// A def that solves the linear problem and nothing else: no clamps, no cap, no escape, no adaptive
/// damping, eps as given.
PoiseSolveDef model_plain_def(PoiseSolver solver, double damping);

/// The posture of one node, to come back to after trying others; putting it back fills the frames.
typedef struct ModelPosture {
    double angle;
    PoiseQuat rotation;
} ModelPosture;
ModelPosture model_posture(const Model* model, PoiseNodeId node);
void model_put_back(Model* model, PoiseNodeId node, ModelPosture posture);

/// FNV-1a over the bits of the posture.
uint64_t model_hash(const Model* model);

/// The farthest that a follower is from where its leader has it, rad or m.
double model_relation_error(const PoiseTree* tree);

#endif
