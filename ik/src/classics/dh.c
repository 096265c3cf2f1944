// SPDX-License-Identifier: MIT
// Denavit-Hartenberg tables: computes frames, creates nodes, and converts classical tables.
#include "poise/dh.h"

#include <limits.h>

#include "tree.h"

static PoisePose frame_at(const PoiseDhRow* row, double d, double theta) {
    const PoiseQuat twist = poise_quat_from_axis_angle(poise_vec3(1.0, 0.0, 0.0), row->alpha);
    const PoiseQuat turn = poise_quat_from_axis_angle(poise_vec3(0.0, 0.0, 1.0), theta);
    const PoiseVec3 along = poise_quat_rotate(twist, poise_vec3(0.0, 0.0, d));
    return poise_pose(poise_add(poise_vec3(row->a, 0.0, 0.0), along), poise_quat_mul(twist, turn));
}

PoisePose poise_dh_pose(const PoiseDhRow* row, double q) {
    if (!row) {
        return poise_pose_identity();
    }
    const PoiseJointType* type = poise_joint_type(row->kind);
    const bool slides = type && type->linear != 0;
    return frame_at(row, slides ? row->d + q : row->d, slides ? row->theta : row->theta + q);
}

// Returns the error in a row, in words, or NULL.
static const char* row_problem(const PoiseDhRow* row) {
    const PoiseJointType* type = poise_joint_type(row->kind);
    if (!type || type->nq != 1) {
        return "kind must be that of a hinge or a slider";
    }
    if (!isfinite(row->a) || !isfinite(row->alpha) || !isfinite(row->d) || !isfinite(row->theta)) {
        return "a, alpha, d and theta must be finite";
    }
    return NULL;
}

static bool table_is_fine(const PoiseDhRow* rows, int count) {
    bool fine = rows && count >= 1;
    for (int i = 0; fine && i < count; i++) {
        fine = !row_problem(&rows[i]);
    }
    return fine;
}

PoiseStatus poise_dh_from_classical(const PoiseDhRow* classical, int count, PoiseDhRow* rows,
                                    PoisePose* tool) {
    if (!table_is_fine(classical, count) || !rows) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    // a and alpha of a classical row come after its joint, so the next modified row has them
    double a = 0.0, alpha = 0.0;
    for (int i = 0; i < count; i++) {
        const PoiseDhRow row = classical[i];
        rows[i] = row;
        rows[i].a = a;
        rows[i].alpha = alpha;
        a = row.a;
        alpha = row.alpha;
    }
    if (tool) {
        const PoiseDhRow link = {classical[0].kind, a, alpha, 0.0, 0.0};
        *tool = frame_at(&link, 0.0, 0.0);
    }
    return POISE_OK;
}

PoiseStatus poise_dh_forward(const PoiseDhRow* rows, int count, const double* q,
                             PoisePose* frames) {
    if (!table_is_fine(rows, count) || !q || !frames) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    for (int i = 0; i < count; i++) {
        if (!isfinite(q[i])) {
            return POISE_ERROR_INVALID_ARGUMENT;
        }
    }
    PoisePose frame = poise_pose_identity();
    for (int i = 0; i < count; i++) {
        frame = poise_pose_mul(frame, poise_dh_pose(&rows[i], q[i]));
        frames[i] = frame;
    }
    return POISE_OK;
}

static PoiseStatus check_table(PoiseTree* tree, const PoiseDhRow* rows, int count,
                               const PoiseNodeId* nodes) {
    if (!rows || !nodes || count < 1) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_dh_create_nodes: needs rows, room for their nodes, and a count "
                           "of at least 1, not %d",
                           count);
    }
    for (int i = 0; i < count; i++) {
        const char* wrong = row_problem(&rows[i]);
        if (wrong) {
            return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_dh_create_nodes: row %d: %s", i, wrong);
        }
    }
    return POISE_OK;
}

PoiseStatus poise_dh_create_nodes(PoiseTree* tree, PoiseNodeId parent, const PoiseDhRow* rows,
                                  int count, PoiseNodeId* nodes) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseStatus status = check_table(tree, rows, count, nodes);
    if (status != POISE_OK) {
        return status;
    }
    const bool on_base = parent.index1 == 0 && parent.tree == 0;
    if (!on_base && !poise__node_or_fail(tree, parent, "poise_dh_create_nodes: parent")) {
        return POISE_ERROR_INVALID_HANDLE;
    }
    // all nodes are reserved first, so that a later one cannot fail for lack of memory
    if (count > INT_MAX - tree->node_slots ||
        !poise__tree_reserve_nodes(tree, tree->node_slots + count)) {
        return poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY,
                           "poise_dh_create_nodes: no memory for %d nodes", count);
    }
    for (int i = 0; i < count; i++) {
        PoiseNodeDef def = poise_default_node_def(rows[i].kind);
        def.parent = i > 0 ? nodes[i - 1] : parent;
        def.joint_in_parent = frame_at(&rows[i], rows[i].d, rows[i].theta);
        def.axis = poise_vec3(0.0, 0.0, 1.0);
        nodes[i] = poise_node_create(tree, &def);
    }
    return POISE_OK;
}
