// SPDX-License-Identifier: MIT
// Fills the rows J of points that press, and computes the wrench that torques exert at them:
//     w(torque) = (J C J^T)^-1 J C torque.
// C is the compliance of the joints: K^-1 on a fixed base. If there are feet or loops, C is the
// compliance of the constrained system (support/kkt.h). Used by press.c and the forecasts.
#include "press.h"

#include <float.h>
#include <string.h>

#include "block_arrays.h"
#include "numbers.h"
#include "shared/dense.h"
#include "step.h"

enum {
    MAX_DIRECTIONS = POISE_MAX_ROWS * POISE_MAX_ROWS,
    NO_PRESS = -1,
    /// Number of points for which memory is allocated at least. The matrices grow with the square
    /// of this number: 1,000 points take 700 MB.
    RESERVED_POINTS = 64
};

// A unit direction is dependent if its part orthogonal to the point's other directions is shorter
// than this.
#define DIRECTION_ZERO 1e-6
// Least compliance of a direction, as a fraction of the largest of displacements, or of rotations.
// In stiffer directions (a straight arm that presses along itself) the springs keep a part of their
// pull, because the torques against it would be unbounded.
#define NEAR_SINGULAR 1e-3
// If a point is at the distance e from its goal, its least compliance is FAR |e| / arm times the
// largest one; `arm` is the mean lever of the joints. J changes on the path to the goal, so that
// the pull in a direction that is stiff only here would be unbounded.
#define FAR 2.0
// A direction whose compliance is below this fraction of the largest is moved by no joint.
#define UNMOVED 1e-9

// ------------------------------------------------------------------------------------------ memory

static size_t carve_press(Press* press, char* base, size_t points, size_t bindings,
                          size_t numbers) {
    const size_t rows = POISE_MAX_ROWS * points;
    size_t used = 0;
    press->kkt = (Kkt*)poise__carve_from(base, &used, 1, sizeof(Kkt));
    press->first = (int*)poise__carve_from(base, &used, bindings, sizeof(int));
    press->points = (PressPoint*)poise__carve_from(base, &used, points, sizeof(PressPoint));
    press->row_point = (int*)poise__carve_from(base, &used, rows, sizeof(int));
    press->directions =
        (double*)poise__carve_from(base, &used, rows * POISE_MAX_ROWS, sizeof(double));
    press->j = (double*)poise__carve_from(base, &used, rows * numbers, sizeof(double));
    press->c_jt = (double*)poise__carve_from(base, &used, rows * numbers, sizeof(double));
    press->k_c_jt = (double*)poise__carve_from(base, &used, rows * numbers, sizeof(double));
    press->factor = (double*)poise__carve_from(base, &used, rows * rows, sizeof(double));
    press->raised = (double*)poise__carve_from(base, &used, rows * rows, sizeof(double));
    press->compliance = (double*)poise__carve_from(base, &used, numbers, sizeof(double));
    press->spring = (double*)poise__carve_from(base, &used, numbers, sizeof(double));
    press->posture = (double*)poise__carve_from(base, &used, numbers, sizeof(double));
    press->rate = (double*)poise__carve_from(base, &used, numbers, sizeof(double));
    press->lead = (double*)poise__carve_from(base, &used, numbers, sizeof(double));
    press->brake = (double*)poise__carve_from(base, &used, numbers, sizeof(double));
    press->keep = (double*)poise__carve_from(base, &used, numbers, sizeof(double));
    press->across = (double*)poise__carve_from(base, &used, rows, sizeof(double));
    press->work = (double*)poise__carve_from(base, &used, rows, sizeof(double));
    return used;
}

// Fills the directions in which an enabled point yields, and returns their number. Returns NO_PRESS
// if the point is disabled, or neither yields nor is asked for a force.
static int find_yield(const PoiseTree* tree, PoisePointId id, double rows[MAX_DIRECTIONS]) {
    if (!poise_point_enabled(tree, id)) {
        return NO_PRESS;
    }
    const int yields = poise_point_yield_rows(tree, id, rows);
    const bool asked =
        yields > 0 || poise__is_asked(poise_point_force(tree, id), poise_point_torque(tree, id));
    return asked ? yields : NO_PRESS;
}

// Returns how many points press now.
static int count_pressing(const RigState* state) {
    double rows[MAX_DIRECTIONS];
    int count = 0;
    for (int i = 0; i < poise_tree_point_count(state->tree); i++) {
        count += find_yield(state->tree, poise_tree_point(state->tree, i), rows) != NO_PRESS;
    }
    return count;
}

bool poise__press_fits(const RigState* state) {
    return state->press.reserved &&
           (poise_tree_point_count(state->tree) <= state->press.points_room ||
            count_pressing(state) <= state->press.points_room);
}

// Returns the number of points to allocate for: all points, or at least twice the number that press
// now.
static int points_needed(const RigState* state) {
    const int room = state->press.points_room, pressing = count_pressing(state);
    const int spare = pressing <= room ? room : 2 * pressing;
    const int least = spare > RESERVED_POINTS ? spare : RESERVED_POINTS;
    const int all = poise_tree_point_count(state->tree);
    return all < least ? all : least;
}

PoiseStatus poise__press_reserve(RigState* state) {
    Press* press = &state->press;
    const int points = points_needed(state);
    const int numbers = poise__rig_velocities(state->rig);
    if (!press->kkt || points > press->points_room ||
        state->rig->binding_count > press->bindings_room || numbers > press->numbers_room) {
        Press next = {.points_room = points,
                      .bindings_room = state->rig->binding_count,
                      .numbers_room = numbers};
        const size_t p = (size_t)points, b = (size_t)state->rig->binding_count, n = (size_t)numbers;
        next.size = carve_press(&next, NULL, p, b, n);
        next.memory = poise_host_allocate(&state->rig->host, next.size);
        if (!next.memory) {
            return POISE_ERROR_OUT_OF_MEMORY;
        }
        (void)carve_press(&next, (char*)next.memory, p, b, n);
        const Kkt none = {.memory = NULL};
        *next.kkt = press->kkt ? *press->kkt : none;
        if (press->kkt) {
            *press->kkt = none;
        }
        poise__press_finish(state);
        *press = next;
    }
    if (!poise__kkt_reserve(state, press->kkt, numbers)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    press->point_count = 0;
    press->number_count = 0;
    for (int i = 0; i < state->rig->binding_count; i++) {
        press->first[i] = press->number_count;
        press->number_count += state->rig->bindings[i].type->nv;
    }
    press->reserved = true;
    return POISE_OK;
}

// -------------------------------------------------------------------------------------------- rows

// Adds the part of a direction that is orthogonal to the point's other directions.
static void add_direction(Press* press, int point, const double* direction) {
    double* row = &press->directions[press->row_count * POISE_MAX_ROWS];
    memcpy(row, direction, POISE_MAX_ROWS * sizeof *row);
    for (int r = 0; r < press->row_count; r++) {
        const double* other = &press->directions[r * POISE_MAX_ROWS];
        const double part =
            press->row_point[r] == point ? poise__numbers_dot(row, other, POISE_MAX_ROWS) : 0.0;
        for (int i = 0; part != 0.0 && i < POISE_MAX_ROWS; i++) {
            row[i] -= part * other[i];
        }
    }
    const double length = sqrt(poise__numbers_dot(row, row, POISE_MAX_ROWS));
    if (length > DIRECTION_ZERO) {
        for (int i = 0; i < POISE_MAX_ROWS; i++) {
            row[i] /= length;
        }
        press->row_point[press->row_count++] = point;
    }
}

static void add_directions(Press* press, int point, const double* rows, int count) {
    for (int r = 0; r < count; r++) {
        add_direction(press, point, &rows[r * POISE_MAX_ROWS]);
    }
}

// Lists the points that press, and their directions in the order of Press.
static void list_points(PoiseTree* tree, Press* press) {
    double rows[MAX_DIRECTIONS];
    press->point_count = 0;
    press->row_count = 0;
    for (int i = 0; i < poise_tree_point_count(tree); i++) {
        const PoisePointId id = poise_tree_point(tree, i);
        const int yields = find_yield(tree, id, rows);
        if (yields == NO_PRESS) {
            continue;
        }
        PressPoint* point = &press->points[press->point_count];
        memset(point, 0, sizeof *point);
        point->point = id;
        point->yields = yields > 0;
        point->pose = poise_point_planned_pose(tree, id);
        point->force = poise_point_force(tree, id);
        point->torque = poise_point_torque(tree, id);
        const double size = poise_length(point->force);
        point->arm =
            poise_scale(size > 0.0 ? poise_point_tip_radius(tree, id) / size : 0.0, point->force);
        add_directions(press, press->point_count++, rows, yields);
    }
    press->yield_rows = press->row_count;
    for (int pass = 0; pass < 2; pass++) {
        for (int p = 0; p < press->point_count; p++) {
            if (press->points[p].yields == (pass == 0)) {
                const int count = poise_point_goal_rows(tree, press->points[p].point, rows);
                add_directions(press, p, rows, count);
            }
        }
        press->goal_rows = pass == 0 ? press->row_count : press->goal_rows;
    }
}

// Returns the compliance of a velocity by its IK spring. A joint of a loop without IK spring has
// the compliance of its natural spring; 0 without a spring.
static double compliance_of(const JointState* joint, int d) {
    const Binding* binding = joint->of;
    const Sort sort = poise__sort(binding->type, d);
    double k = poise__binding_ik(binding, sort).stiffness;
    k = binding->looped && !(k > 0.0) ? binding->original[sort].stiffness : k;
    return k > 0.0 && !poise__joint_stopped_in_loop(joint, d) ? 1.0 / k : 0.0;
}

void poise__press_fill_compliance(const RigState* state, Press* press) {
    for (int b = 0; b < state->rig->binding_count; b++) {
        const JointState* joint = &state->joints[b];
        const bool gives = joint->ready && !poise__stands(state, b);
        for (int d = 0; d < joint->of->type->nv; d++) {
            press->compliance[press->first[b] + d] = gives ? compliance_of(joint, d) : 0.0;
        }
    }
}

// Removes from the rows of J the directions in which a joint is at a stop.
static void hold_stops(const RigState* state, Press* press) {
    for (int b = 0; b < state->rig->binding_count; b++) {
        const JointState* joint = &state->joints[b];
        for (int r = 0; joint->stops != 0 && r < press->row_count; r++) {
            poise__joint_hold_stops(joint, &press->j[r * press->number_count + press->first[b]]);
        }
    }
}

// Moves the displacement rows from the point, the centre of a ball, to the ball's contact point,
// about which friction has no moment.
static void reach_contact(const PressPoint* point, int dof, double* block) {
    const PoiseVec3 arm = point->arm;
    if (arm.x == 0.0 && arm.y == 0.0 && arm.z == 0.0) {
        return;
    }
    for (int d = 0; d < dof; d++) {
        const PoiseVec3 spin =
            poise_vec3(block[3 * dof + d], block[4 * dof + d], block[5 * dof + d]);
        const PoiseVec3 more = poise_cross(spin, arm);
        block[d] += more.x;
        block[dof + d] += more.y;
        block[2 * dof + d] += more.z;
    }
}

// Fills the columns of J for one point and one node.
static void fill_block(PoiseTree* tree, Press* press, int point, int first, PoiseNodeId node) {
    double block[POISE_MAX_ROWS * POISE_MAX_DOF];
    const int dof = poise_point_jacobian(tree, press->points[point].point, node, block);
    reach_contact(&press->points[point], dof, block);
    for (int r = 0; r < press->row_count; r++) {
        if (press->row_point[r] != point) {
            continue;
        }
        const double* direction = &press->directions[r * POISE_MAX_ROWS];
        for (int d = 0; d < dof; d++) {
            double sum = 0.0;
            for (int i = 0; i < POISE_MAX_ROWS; i++) {
                sum += direction[i] * block[i * dof + d];
            }
            press->j[r * press->number_count + first + d] = sum;
        }
    }
}

// Fills C J^T and K C J^T of each row. On a fixed base C is K^-1, and K C J^T is J^T. `stands`:
// feet or loops carry a part of the wrench.
static void fill_responses(Press* press, bool stands) {
    const int n = press->number_count;
    for (int r = 0; r < press->row_count; r++) {
        const double* j = &press->j[r * n];
        double* c_jt = &press->c_jt[r * n];
        double* k_c_jt = &press->k_c_jt[r * n];
        if (stands) {
            poise__kkt_solve(press->kkt, press->compliance, j, c_jt);
        }
        for (int i = 0; i < n; i++) {
            const double compliance = press->compliance[i];
            c_jt[i] = stands ? c_jt[i] : j[i] * compliance;
            k_c_jt[i] = !(compliance > 0.0) ? 0.0 : stands ? c_jt[i] / compliance : j[i];
        }
    }
}

// True if the direction is a rotation; each direction is a displacement or a rotation.
static bool is_turn(const double* direction) {
    return direction[0] == 0.0 && direction[1] == 0.0 && direction[2] == 0.0;
}

// Returns an element of J C J^T.
static double compliance_between(const Press* press, int r, int c) {
    const int n = press->number_count;
    return poise__numbers_dot(&press->c_jt[r * n], &press->j[c * n], n);
}

// Fills `most` with the largest compliance of displacements, most[0], and of rotations, most[1].
static void fill_most(const Press* press, int rows, double most[2]) {
    most[0] = most[1] = 0.0;
    for (int r = 0; r < rows; r++) {
        double* own = &most[is_turn(&press->directions[r * POISE_MAX_ROWS])];
        *own = poise_max(*own, compliance_between(press, r, r));
    }
}

// Factors J C J^T of the first `rows` rows; pivots are raised to `least`, of displacements or
// rotations.
static void factor_rows(Press* press, int rows, const double least[2], double* factor) {
    const int m = press->row_count;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c <= r; c++) {
            factor[c * m + r] = compliance_between(press, r, c);
        }
        press->work[r] = least[is_turn(&press->directions[r * POISE_MAX_ROWS])];
    }
    const PoiseCholesky shape = {rows, m, NULL, press->work, 0.0};
    poise_cholesky_factor(&shape, factor);
}

// True if the compliance of a row, with the rows before it fixed, is below `least` of displacements
// or rotations. Skips rows that no joint moves, such as those out of the plane of a planar arm.
static bool has_stiff_row(const Press* press, int rows, const double least[2],
                          const double most[2]) {
    bool less = false;
    for (int r = 0; r < rows; r++) {
        // the factor's diagonal is 1 / U_rr, and U_rr^2 the compliance, raised to the least
        const double inverse = press->factor[r * press->row_count + r];
        const bool turn = is_turn(&press->directions[r * POISE_MAX_ROWS]);
        less = less || (inverse * inverse * least[turn] >= 1.0 &&
                        compliance_between(press, r, r) > UNMOVED * most[turn]);
    }
    return less;
}

bool poise__press_is_stiff(const Press* press) {
    double most[2];
    fill_most(press, press->row_count, most);
    const double least[2] = {NEAR_SINGULAR * most[0], NEAR_SINGULAR * most[1]};
    return has_stiff_row(press, press->row_count, least, most);
}

void poise__press_fill(const RigState* state, PoiseTree* tree, Press* press) {
    list_points(tree, press);
    if (press->point_count == 0) {
        return;
    }
    memset(press->j, 0, (size_t)press->row_count * (size_t)press->number_count * sizeof *press->j);
    for (int p = 0; p < press->point_count; p++) {
        for (int b = 0; b < state->rig->binding_count; b++) {
            const Binding* binding = &state->rig->bindings[b];
            // joints of a standing base or a loop carry the force even if they are not registered
            // with the point
            if (poise_is_registered(tree, press->points[p].point, binding->node) ||
                poise__stands(state, b) || binding->looped) {
                fill_block(tree, press, p, press->first[b], binding->node);
            }
        }
    }
    poise__press_fill_compliance(state, press);
    hold_stops(state, press);
    poise__kkt_fill(state, tree, press->kkt, press->first, press->compliance);
    fill_responses(press, press->kkt->row_count > 0);
    double most[2];
    fill_most(press, press->row_count, most);
    const double least[2] = {NEAR_SINGULAR * most[0], NEAR_SINGULAR * most[1]};
    factor_rows(press, press->row_count, least, press->factor);
}

// Solves (J C J^T) x = work for the first `rows` rows, into `work`.
static void solve(Press* press, int rows) {
    const PoiseCholesky shape = {rows, press->row_count, NULL, NULL, 0.0};
    poise_cholesky_solve(&shape, press->factor, press->work);
}

// Fills, for displacements and rotations, the least compliance per distance to the goal: the
// largest compliance times FAR over the joints' mean arm.
static void fill_softening(const Press* press, const double most[2], double softening[2]) {
    const int n = press->number_count;
    double arms[2] = {0.0, 0.0}, count[2] = {0.0, 0.0};
    for (int r = 0; r < press->goal_rows; r++) {
        const bool turn = is_turn(&press->directions[r * POISE_MAX_ROWS]);
        arms[turn] += poise__numbers_dot(&press->j[r * n], &press->j[r * n], n);
        count[turn] += 1.0;
    }
    for (int kind = 0; kind < 2; kind++) {
        softening[kind] = most[kind] * FAR * sqrt(count[kind] / poise_max(arms[kind], DBL_MIN));
    }
}

void poise__press_across_wrench(Press* press) {
    const int rows = press->goal_rows;
    double far[2] = {0.0, 0.0}, most[2], least[2];
    for (int r = 0; r < rows; r++) {
        far[is_turn(&press->directions[r * POISE_MAX_ROWS])] += press->across[r] * press->across[r];
    }
    fill_most(press, rows, most);
    fill_softening(press, most, least);
    for (int kind = 0; kind < 2; kind++) {
        least[kind] = poise_max(NEAR_SINGULAR * most[kind], least[kind] * sqrt(far[kind]));
    }
    const double* factor = press->factor;
    if (has_stiff_row(press, rows, least, most)) {
        factor_rows(press, rows, least, press->raised);
        factor = press->raised;
    }
    const PoiseCholesky shape = {rows, press->row_count, NULL, NULL, 0.0};
    poise_cholesky_solve(&shape, factor, press->across);
}

void poise__press_row_displacement(Press* press, int rows, const double* torque) {
    const int n = press->number_count;
    for (int r = 0; r < rows; r++) {
        press->work[r] = poise__numbers_dot(&press->c_jt[r * n], torque, n);
    }
}

void poise__press_wrench(Press* press, int rows, const double* torque) {
    poise__press_row_displacement(press, rows, torque);
    solve(press, rows);
}

void poise__press_subtract_wrench(const Press* press, int rows, double* torque) {
    const int n = press->number_count;
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < n; i++) {
            // k_c_jt is 0 if the compliance is 0, because a stop then carries the torque
            torque[i] -= press->k_c_jt[r * n + i] * press->work[r];
        }
    }
}

void poise__press_joint_displacement(Press* press, double* displacement) {
    const int n = press->number_count;
    solve(press, press->goal_rows);
    for (int i = 0; i < n; i++) {
        displacement[i] = 0.0;
        for (int r = 0; r < press->goal_rows; r++) {
            displacement[i] += press->c_jt[r * n + i] * press->work[r];
        }
    }
}
