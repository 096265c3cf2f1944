// SPDX-License-Identifier: MIT
// Moves several tips to their targets at once, on a copy of the simulation's tree.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poise/tip.h"

// ---------------------------------------------------------------------------------------- postures

static int coordinate_count(const PoiseSimulation* simulation, int joint) {
    const PoiseNodeId node = poise_simulation_joint_node(simulation, joint);
    return node.index1 == 0
               ? 0
               : poise_joint_type(poise_simulation_scene(simulation)->joints[joint].kind)->nq;
}

int poise_simulation_posture_size(const PoiseSimulation* simulation) {
    int size = 0;
    for (int i = 0; simulation && i < poise_simulation_joint_count(simulation); i++) {
        size += coordinate_count(simulation, i);
    }
    return size;
}

int poise_simulation_posture_joint(const PoiseSimulation* simulation, int index, int* part) {
    for (int i = 0; simulation && index >= 0 && i < poise_simulation_joint_count(simulation); i++) {
        const int numbers = coordinate_count(simulation, i);
        if (index < numbers) {
            if (part) {
                *part = index;
            }
            return i;
        }
        index -= numbers;
    }
    return -1;
}

static PoiseStatus first_error(PoiseStatus first, PoiseStatus second) {
    return first < 0 ? first : second;
}

static PoiseStatus write_posture(const PoiseSimulation* simulation, PoiseTree* tree,
                                 const double* posture) {
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const int count = coordinate_count(simulation, i);
        if (count > 0) {
            const PoiseNodeId node = poise_simulation_joint_node(simulation, i);
            status = first_error(status, poise_node_set_posture(tree, node, posture, count));
        }
        posture += count;
    }
    return status;
}

static void read_posture(const PoiseSimulation* simulation, const PoiseTree* tree,
                         double* posture) {
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const PoiseNodeId node = poise_simulation_joint_node(simulation, i);
        double numbers[POISE_MAX_NQ];
        const int count = node.index1 != 0 ? poise_node_posture(tree, node, numbers) : 0;
        for (int k = 0; k < count; k++) {
            *posture++ = numbers[k];
        }
    }
}

PoiseStatus poise_simulation_posture(const PoiseSimulation* simulation, double* posture) {
    if (!simulation || !posture) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    read_posture(simulation, poise_simulation_tree(simulation), posture);
    return POISE_OK;
}

// ---------------------------------------------------------------------------------------- checking

static bool is_rotation(const double q[4]) {
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return square > 0.0 && isfinite(square);
}

static const char* start_problem(const PoiseSimulation* simulation, const double* posture) {
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const int count = coordinate_count(simulation, i);
        for (int k = 0; k < count; k++) {
            if (!isfinite(posture[k])) {
                return "the start is not finite";
            }
        }
        const PoiseNodeKind kind = poise_simulation_scene(simulation)->joints[i].kind;
        const bool turns = poise_kind_turns(kind) || poise_kind_floats(kind);
        if (count > 0 && turns && !is_rotation(posture + count - 4)) {
            return "a rotation (w, x, y, z) of the start is 0";
        }
        posture += count;
    }
    return NULL;
}

static const char* row_problem(const PoiseSimulation* simulation, const PoiseTipBatch* batch,
                               int row) {
    const size_t tips = (size_t)batch->tip_count;
    for (size_t t = 0; t < tips; t++) {
        const PoisePose* target = &batch->targets[(size_t)row * tips + t];
        const double turn[4] = {target->q.w, target->q.x, target->q.y, target->q.z};
        if (!isfinite(target->p.x) || !isfinite(target->p.y) || !isfinite(target->p.z)) {
            return "a target is not finite";
        }
        if (batch->turned && !is_rotation(turn)) {
            return "a target's rotation is 0 or not finite";
        }
    }
    const size_t size = (size_t)poise_simulation_posture_size(simulation);
    return batch->follow && row > 0
               ? NULL
               : start_problem(simulation, batch->postures + (size_t)row * size);
}

const char* poise_tip_batch_problem(const PoiseSimulation* simulation, const PoiseTipBatch* batch,
                                    int* index) {
    const char* problem = NULL;
    int at = -1;
    if (!simulation || !batch) {
        problem = "there is no simulation, or no batch";
    } else if (batch->count < 0 || batch->tip_count < 1 || !batch->tips) {
        problem = "count must be at least 0, and there must be a tip";
    } else if (batch->count > 0 && (!batch->targets || !batch->postures)) {
        problem = "targets and postures must not be NULL";
    }
    for (int row = 0; !problem && row < batch->count; row++) {
        problem = row_problem(simulation, batch, row);
        at = problem ? row : -1;
    }
    if (index) {
        *index = at;
    }
    return problem;
}

// ----------------------------------------------------------------------------------------- solving

/// The data of one call of poise_tips_reach.
typedef struct Reach {
    const PoiseSimulation* simulation;
    const PoiseReachDef* def;
    const PoiseTipBatch* batch;
    PoiseTree* tree;   ///< copy of the simulation's tree
    PoiseApart* apart; ///< clone of the rig's PoiseApart; NULL: nothing is kept apart
    PoisePointId* points;
    double* answer; ///< posture of the present row
    size_t size;    ///< how many numbers a posture has
} Reach;

// Disables the scene's control points, and creates a point for each tip, which all joints between
// the tip and the base move.
static PoiseStatus make_points(const PoiseSimulation* simulation, const PoiseTipBatch* batch,
                               PoiseTree* tree, PoisePointId* points) {
    PoiseStatus status = POISE_OK;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        const PoisePointId both[] = {view.point, view.aim};
        for (int k = 0; k < 2; k++) {
            if (both[k].index1 != 0) {
                status = first_error(status, poise_point_set_enabled(tree, both[k], false));
            }
        }
    }
    for (int t = 0; t < batch->tip_count && status >= 0; t++) {
        PoisePointDef def = batch->turned ? poise_default_pose_def() : poise_default_position_def();
        def.link = batch->tips[t].node;
        def.in_link = batch->tips[t].in_link;
        def.has_goal = true;
        points[t] = poise_point_create(tree, &def);
        status = points[t].index1 != 0 ? poise_register_chain(tree, points[t], poise_null_node())
                                       : poise_tree_status(tree);
    }
    return status;
}

static PoiseStatus set_goals(const PoiseTipBatch* batch, int row, PoiseTree* tree,
                             const PoisePointId* points) {
    PoiseStatus status = POISE_OK;
    for (int t = 0; t < batch->tip_count; t++) {
        const PoisePose* target =
            &batch->targets[(size_t)row * (size_t)batch->tip_count + (size_t)t];
        status = first_error(status, poise_point_set_position(tree, points[t], target->p));
        if (batch->turned) {
            status = first_error(status, poise_point_set_orientation(tree, points[t], target->q));
        }
    }
    return status;
}

static void read_errors(const PoiseTipBatch* batch, int row, const PoiseTree* tree,
                        const PoisePointId* points) {
    for (int t = 0; t < batch->tip_count; t++) {
        const size_t place = (size_t)row * (size_t)batch->tip_count + (size_t)t;
        if (batch->errors) {
            batch->errors[place] = poise_point_planned_error(tree, points[t]);
        }
        if (batch->angle_errors) {
            batch->angle_errors[place] =
                batch->turned ? poise_point_planned_angle_error(tree, points[t]) : 0.0;
        }
    }
}

// True if a joint moves by more than POISE_FOLLOW_STEP between two postures.
static bool leaps(const PoiseSimulation* simulation, const double* from, const double* to) {
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const int count = coordinate_count(simulation, i);
        if (count == 0) {
            continue;
        }
        const PoiseJointType* type =
            poise_joint_type(poise_simulation_scene(simulation)->joints[i].kind);
        double step[POISE_MAX_NV];
        poise_joint_difference(type, to, from, step);
        const bool turns = type->motions[type->motion_count - 1] == POISE_SPHERICAL;
        // A rotation is compared by its angle. Its three velocities come last among the joint's nv.
        const int alone = turns ? type->nv - 3 : type->nv;
        const double* turn = step + alone;
        double farthest = turns ? poise_length(poise_vec3(turn[0], turn[1], turn[2])) : 0.0;
        for (int k = 0; k < alone; k++) {
            farthest = fmax(farthest, fabs(step[k]));
        }
        if (farthest > POISE_FOLLOW_STEP) {
            return true;
        }
        from += count;
        to += count;
    }
    return false;
}

// Moves the tree back to the last answer; the report gets the errors of this posture.
static PoiseStatus return_to_answer(const Reach* reach, const double* last,
                                    PoiseReachReport* report) {
    const PoiseReachReport left = {
        .status = POISE_NOT_CONVERGED, .reason = POISE_REACH_LEAP, .held_a = -1, .held_b = -1};
    PoiseStatus status = write_posture(reach->simulation, reach->tree, last);
    status = first_error(status, poise_forward(reach->tree));
    *report = left;
    for (int t = 0; t < reach->batch->tip_count; t++) {
        const PoisePointId point = reach->points[t];
        const double angle =
            reach->batch->turned ? poise_point_planned_angle_error(reach->tree, point) : 0.0;
        report->largest_error =
            fmax(report->largest_error, poise_point_planned_error(reach->tree, point));
        report->largest_angle_error = fmax(report->largest_angle_error, angle);
    }
    return first_error(status, POISE_NOT_CONVERGED);
}

static PoiseStatus solve_row(Reach* reach, int row, const double* last, bool* stopped) {
    const PoiseTipBatch* batch = reach->batch;
    PoiseReachReport report = {0};
    PoiseStatus status = write_posture(reach->simulation, reach->tree, last);
    status = first_error(status, set_goals(batch, row, reach->tree, reach->points));
    if (status >= 0 && !*stopped) {
        status = poise_reach(reach->tree, reach->def, &report);
        read_posture(reach->simulation, reach->tree, reach->answer);
        *stopped = batch->follow && !batch->leap && leaps(reach->simulation, last, reach->answer);
    }
    if (status == POISE_NOT_CONVERGED && report.out_of_reach && report.reason != POISE_REACH_HELD) {
        report.reason = POISE_REACH_OUT_OF_REACH;
    }
    if (status >= 0 && *stopped) {
        status = return_to_answer(reach, last, &report);
        read_posture(reach->simulation, reach->tree, reach->answer);
    }
    if (status < 0) {
        return status;
    }
    memcpy(batch->postures + (size_t)row * reach->size, reach->answer,
           reach->size * sizeof *reach->answer);
    read_errors(batch, row, reach->tree, reach->points);
    if (batch->reports) {
        batch->reports[row] = report;
    }
    return status;
}

static PoiseStatus solve_rows(Reach* reach) {
    const PoiseTipBatch* batch = reach->batch;
    bool stopped = batch->follow && batch->stopped;
    PoiseStatus all = POISE_OK;
    for (int row = 0; row < batch->count; row++) {
        const int from = batch->follow && row > 0 ? row - 1 : row;
        const double* last = batch->postures + (size_t)from * reach->size;
        const PoiseStatus status = solve_row(reach, row, last, &stopped);
        if (status < 0) {
            return status;
        }
        all = status != POISE_OK ? POISE_NOT_CONVERGED : all;
    }
    return all;
}

PoiseStatus poise_tips_reach(const PoiseSimulation* simulation, const PoiseReachDef* def,
                             const PoiseTipBatch* batch) {
    if (poise_tip_batch_problem(simulation, batch, NULL)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Reach reach = {simulation, def, batch,
                   .size = (size_t)poise_simulation_posture_size(simulation)};
    reach.tree = poise_tree_clone(poise_simulation_tree(simulation));
    const PoiseApart* apart = poise_rig_apart(poise_simulation_rig(simulation));
    reach.apart = apart ? poise_apart_clone(apart, reach.tree) : NULL;
    reach.points = calloc((size_t)batch->tip_count, sizeof *reach.points);
    reach.answer = calloc(reach.size + 1, sizeof *reach.answer);
    const bool fine = reach.tree && reach.points && reach.answer && (!apart || reach.apart);
    PoiseStatus status = fine ? POISE_OK : POISE_ERROR_OUT_OF_MEMORY;
    status = status >= 0 ? make_points(simulation, batch, reach.tree, reach.points) : status;
    status = status >= 0 ? solve_rows(&reach) : status;
    free(reach.points);
    free(reach.answer);
    poise_apart_destroy(reach.apart);
    poise_tree_destroy(reach.tree);
    return status;
}
