// SPDX-License-Identifier: MIT
// Reads a model: its problem as matrices, the result of a solve, its posture.
#include "models.h"
#include "posture.h"
#include "works.h"

#include <string.h>

int model_dof(const Model* model, int node) {
    double omega[POISE_MAX_DOF];
    return poise_node_omega(model->tree, model->nodes[node], omega);
}

static int rows_of(const Model* model, int point) {
    if (!poise_point_enabled(model->tree, model->points[point]) ||
        poise_point_nodes(model->tree, model->points[point], NULL, 0) == 0) {
        return 0;
    }
    PoisePointKind kind = poise_point_kind(model->tree, model->points[point]);
    return kind == POISE_POINT_POSE ? 6 : 3;
}

int model_jacobian(const Model* model, double* j, int* columns) {
    int rows = 0;
    *columns = 0;
    for (int p = 0; p < model->point_count; p++) {
        rows += rows_of(model, p);
    }
    for (int n = 0; n < model->node_count; n++) {
        *columns += poise_node_dof(model->tree, model->nodes[n]);
    }
    memset(j, 0, (size_t)(rows * *columns) * sizeof *j);
    int row = 0;
    for (int p = 0; p < model->point_count; p++) {
        int column = 0;
        for (int n = 0; n < model->node_count; n++) {
            double block[POISE_MAX_ROWS * POISE_MAX_DOF];
            int dof = poise_node_dof(model->tree, model->nodes[n]);
            int size = poise_jacobian(model->tree, model->points[p], model->nodes[n], block);
            for (int i = 0; i < size; i++) {
                j[(row + i / dof) * *columns + column + i % dof] = block[i];
            }
            column += dof;
        }
        row += rows_of(model, p);
    }
    return rows;
}

static double* put3(double* out, double scale, PoiseVec3 v) {
    out[0] = scale * v.x;
    out[1] = scale * v.y;
    out[2] = scale * v.z;
    return out + 3;
}

int model_problem(const Model* model, double* j, double* v, int* columns) {
    int rows = model_jacobian(model, j, columns);
    int row = 0;
    for (int p = 0; p < model->point_count; p++) {
        const double scale = sqrt(model->weight[p]);
        PoisePointKind kind = poise_point_kind(model->tree, model->points[p]);
        PoisePose pose = poise_point_planned_pose(model->tree, model->points[p]);
        PoisePose goal = poise_point_goal(model->tree, model->points[p]);
        int end = row + rows_of(model, p);
        double* out = &v[row];
        if (end > row && kind != POISE_POINT_ORIENTATION) {
            out = put3(out, scale, poise_sub(goal.p, pose.p));
        }
        if (end > row && kind != POISE_POINT_POSITION) {
            PoiseQuat turn = poise_quat_mul(goal.q, poise_quat_conjugate(pose.q));
            (void)put3(out, scale, poise_quat_log(turn));
        }
        for (; row < end; row++) {
            int column = 0;
            for (int n = 0; n < model->node_count; n++) {
                int dof = poise_node_dof(model->tree, model->nodes[n]);
                for (int d = 0; d < dof; d++) {
                    j[row * *columns + column++] *= scale / sqrt(model->bias[n]);
                }
            }
        }
    }
    return rows;
}

int model_unknowns(const Model* model, double* x) {
    int count = model_omega(model, x);
    int at = 0;
    for (int n = 0; n < model->node_count; n++) {
        int dof = poise_node_dof(model->tree, model->nodes[n]);
        for (int d = 0; d < dof; d++) {
            x[at++] *= sqrt(model->bias[n]);
        }
    }
    return count;
}

int model_omega(const Model* model, double* omega) {
    int count = 0;
    for (int n = 0; n < model->node_count; n++) {
        double of_node[POISE_MAX_DOF];
        int dof = poise_node_dof(model->tree, model->nodes[n]);
        GETS(poise_node_omega(model->tree, model->nodes[n], of_node));
        for (int d = 0; d < dof; d++) {
            omega[count++] = of_node[d];
        }
    }
    return count;
}

PoiseStatus model_step(Model* model, const PoiseSolveDef* def, PoiseSolveReport* report) {
    PoiseStatus status = poise_forward(model->tree);
    if (status == POISE_OK) {
        status = poise_solve(model->tree, def, report);
    }
    if (status >= POISE_OK) {
        WORKS(poise_advance(model->tree));
        WORKS(poise_forward(model->tree));
    }
    return status;
}

PoiseSolveDef model_plain_def(PoiseSolver solver, double damping) {
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = solver;
    def.damping = damping;
    def.adaptive = false;
    def.damping_floor = 0.0;
    def.position_clamp = HUGE_VAL;
    def.angle_clamp = HUGE_VAL;
    def.joint_cap = HUGE_VAL;
    def.escape = false;
    def.least_motion = 0.0;
    return def;
}

uint64_t model_hash(const Model* model) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < model->node_count; i++) {
        const bool ball = poise_node_kind(model->tree, model->nodes[i]) == POISE_NODE_BALL;
        const PoiseQuat q =
            ball ? poise_node_pose(model->tree, model->nodes[i]).q : poise_quat_identity();
        double state[5] = {poise_node_angle(model->tree, model->nodes[i]), q.w, q.x, q.y, q.z};
        unsigned char bytes[sizeof state];
        memcpy(bytes, state, sizeof state);
        for (size_t b = 0; b < sizeof bytes; b++) {
            hash = (hash ^ bytes[b]) * 0x100000001b3u;
        }
    }
    return hash;
}

ModelPosture model_posture(const Model* model, PoiseNodeId node) {
    ModelPosture posture = {poise_node_angle(model->tree, node),
                            poise_node_pose(model->tree, node).q};
    return posture;
}

void model_put_back(Model* model, PoiseNodeId node, ModelPosture posture) {
    if (poise_node_kind(model->tree, node) == POISE_NODE_BALL) {
        (void)set_rotation(model->tree, node, posture.rotation);
    } else {
        WORKS(poise_node_set_angle(model->tree, node, posture.angle));
    }
    WORKS(poise_forward(model->tree));
}

double model_relation_error(const PoiseTree* tree) {
    double worst = 0.0;
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        const PoiseNodeId node = poise_tree_node(tree, i);
        double ratio, offset;
        const PoiseNodeId leader = poise_node_leader(tree, node, &ratio, &offset);
        if (leader.index1 != 0) {
            const double there = ratio * poise_node_angle(tree, leader) + offset;
            worst = fmax(worst, fabs(poise_node_angle(tree, node) - there));
        }
    }
    return worst;
}
