// SPDX-License-Identifier: MIT
// Forces at points (sec. 5.2), hybrid: along what is asked the springs only press, across it they
// go on holding the place. Three things would press too, and are taken off: the springs to theta_ik
// along the yielding directions, the pull to the natural posture along all directions of the point,
// and, in own-posture mode, the posture's place there, which follows the measured one.
//
// With K = p_ik and J the rows of all directions of the point, torques press with the wrench
// w(tau) = (J K^-1 J^T)^-1 J K^-1 tau. x = p_ik (theta_ik - theta) loses the yielding part of its
// own, J_y^T w_y(x), and t = p_orig (theta_orig - theta) all of it, J^T w(t): what is left presses
// nowhere but across the force, and there as a spring of its own, whether the contact slides or
// sticks.
#include "force.h"

#include <string.h>

#include "base/dense.h"
#include "rig_internal.h"

enum { POINT_ROWS = 6 };

// what is left of a direction that the others imply; both have length 1
#define DIRECTION_ZERO 1e-6
// of the most that the joints give in any direction of the points' places, or of their turns: what
// they give less in is left to them in part, as torques along it would be without bound (a straight
// arm that presses along itself)
#define NEAR_SINGULAR 1e-3
// a joint so near to its range is on its stop, rad or m: ODE's gives a little
#define AT_STOP 1e-4
// the most that the own posture follows in a step, rad or m: beyond it J is another
#define MOST_FOLLOWED 0.2

// ------------------------------------------------------------------------------------------ memory

static void* carve(char* base, size_t* used, size_t count, size_t element) {
    const size_t align = sizeof(double);
    size_t at = (*used + align - 1) / align * align;
    *used = at + count * element;
    return base ? base + at : NULL;
}

static size_t carve_press(Press* press, char* base, size_t points, size_t bindings,
                          size_t numbers) {
    const size_t rows = POINT_ROWS * points;
    size_t used = 0;
    press->first = (int*)carve(base, &used, bindings, sizeof(int));
    press->points = (PressPoint*)carve(base, &used, points, sizeof(PressPoint));
    press->row_point = (int*)carve(base, &used, rows, sizeof(int));
    press->directions = (double*)carve(base, &used, rows * POINT_ROWS, sizeof(double));
    press->j = (double*)carve(base, &used, rows * numbers, sizeof(double));
    press->factor = (double*)carve(base, &used, rows * rows, sizeof(double));
    press->give = (double*)carve(base, &used, numbers, sizeof(double));
    press->spring = (double*)carve(base, &used, numbers, sizeof(double));
    press->posture = (double*)carve(base, &used, numbers, sizeof(double));
    press->work = (double*)carve(base, &used, rows, sizeof(double));
    return used;
}

PoiseStatus poise__press_reserve(PoiseRig* rig) {
    Press* press = &rig->press;
    const int points = poise_tree_point_count(rig->tree);
    int numbers = 0;
    for (int i = 0; i < rig->binding_count; i++) {
        numbers += poise_node_omega(rig->tree, rig->bindings[i].node, NULL);
    }
    if (points > press->points_room || rig->binding_count > press->bindings_room ||
        numbers > press->numbers_room) {
        Press next;
        memset(&next, 0, sizeof next);
        next.points_room = points;
        next.bindings_room = rig->binding_count;
        next.numbers_room = numbers;
        const size_t p = (size_t)points, b = (size_t)rig->binding_count, n = (size_t)numbers;
        next.size = carve_press(&next, NULL, p, b, n);
        next.memory = poise_host_allocate(&rig->host, next.size);
        if (!next.memory) {
            return poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY,
                                   "poise_rig_update: no memory for the forces of %d points",
                                   points);
        }
        (void)carve_press(&next, (char*)next.memory, p, b, n);
        poise__press_finish(rig);
        *press = next;
    }
    press->point_count = 0;
    press->number_count = 0;
    for (int i = 0; i < rig->binding_count; i++) {
        press->first[i] = press->number_count;
        press->number_count += poise_node_omega(rig->tree, rig->bindings[i].node, NULL);
    }
    return POISE_OK;
}

void poise__press_finish(PoiseRig* rig) {
    poise_host_release(&rig->host, rig->press.memory, rig->press.size);
    memset(&rig->press, 0, sizeof rig->press);
}

// -------------------------------------------------------------------------------------------- rows

static double dot6(const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < POINT_ROWS; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// one more direction of a point, less what those it has already imply
static void add_direction(Press* press, int point, const double* direction) {
    double* row = &press->directions[press->row_count * POINT_ROWS];
    memcpy(row, direction, POINT_ROWS * sizeof *row);
    for (int r = 0; r < press->row_count; r++) {
        const double* other = &press->directions[r * POINT_ROWS];
        const double part = press->row_point[r] == point ? dot6(row, other) : 0.0;
        for (int i = 0; part != 0.0 && i < POINT_ROWS; i++) {
            row[i] -= part * other[i];
        }
    }
    const double length = sqrt(dot6(row, row));
    if (length > DIRECTION_ZERO) {
        for (int i = 0; i < POINT_ROWS; i++) {
            row[i] /= length;
        }
        press->row_point[press->row_count++] = point;
    }
}

static void add_directions(Press* press, int point, const double* rows, int count) {
    for (int r = 0; r < count; r++) {
        add_direction(press, point, &rows[r * POINT_ROWS]);
    }
}

static bool asks(PoiseVec3 force, PoiseVec3 torque) {
    return poise_dot(force, force) + poise_dot(torque, torque) > 0.0;
}

// the points that press, and their directions, in the order of Press
static void list_points(PoiseTree* tree, Press* press) {
    double rows[POINT_ROWS * POINT_ROWS];
    press->point_count = 0;
    press->row_count = 0;
    for (int i = 0; i < poise_tree_point_count(tree) && i < press->points_room; i++) {
        const PoisePointId id = poise_tree_point(tree, i);
        const PoiseVec3 force = poise_point_force(tree, id);
        const PoiseVec3 torque = poise_point_torque(tree, id);
        const int yields = poise_point_yield_rows(tree, id, rows);
        if (!poise_point_enabled(tree, id) || (yields == 0 && !asks(force, torque))) {
            continue;
        }
        PressPoint* point = &press->points[press->point_count];
        memset(point, 0, sizeof *point);
        point->point = id;
        point->slot = i;
        point->pose = poise_point_pose(tree, id);
        point->force = force;
        point->torque = torque;
        add_directions(press, press->point_count++, rows, yields);
    }
    press->yield_rows = press->row_count;
    for (int pass = 0; pass < 2; pass++) {
        for (int p = 0; p < press->point_count; p++) {
            const PoisePointId id = press->points[p].point;
            const bool yields = poise_point_yield_rows(tree, id, rows) > 0;
            const int count = poise_point_goal_rows(tree, id, rows);
            add_directions(press, p, rows, yields == (pass == 0) ? count : 0);
        }
        press->goal_rows = pass == 0 ? press->row_count : press->goal_rows;
    }
}

static void fill_give(const PoiseRig* rig, PoiseTree* tree, Press* press) {
    for (int b = 0; b < rig->binding_count; b++) {
        const Binding* binding = &rig->bindings[b];
        const int count = poise_node_omega(tree, binding->node, NULL);
        const bool gives = binding->ready && binding->follows_ik && !binding->on_stop;
        for (int d = 0; d < count; d++) {
            const double k = poise__number_ik(binding, d);
            press->give[press->first[b] + d] = gives && k > 0.0 ? 1.0 / k : 0.0;
        }
    }
}

// J of the rows of one point and one node
static void fill_block(PoiseTree* tree, Press* press, int point, int first, PoiseNodeId node) {
    double block[POINT_ROWS * POISE_MAX_DOF];
    const int dof = poise_point_jacobian(tree, press->points[point].point, node, block);
    for (int r = 0; r < press->row_count; r++) {
        if (press->row_point[r] != point) {
            continue;
        }
        const double* direction = &press->directions[r * POINT_ROWS];
        for (int d = 0; d < dof; d++) {
            double sum = 0.0;
            for (int i = 0; i < POINT_ROWS; i++) {
                sum += direction[i] * block[i * dof + d];
            }
            press->j[r * press->number_count + first + d] = sum;
        }
    }
}

// a direction is along or about an axis
static bool is_turn(const double* direction) {
    return direction[0] == 0.0 && direction[1] == 0.0 && direction[2] == 0.0;
}

static void factor_rows(Press* press) {
    const int m = press->row_count;
    const int n = press->number_count;
    double most[2] = {0.0, 0.0};
    for (int r = 0; r < m; r++) {
        for (int c = 0; c <= r; c++) {
            double sum = 0.0;
            for (int i = 0; i < n; i++) {
                sum += press->j[r * n + i] * press->give[i] * press->j[c * n + i];
            }
            press->factor[r * m + c] = sum;
        }
        double* own = &most[is_turn(&press->directions[r * POINT_ROWS])];
        *own = poise_max(*own, press->factor[r * m + r]);
    }
    for (int r = 0; r < m; r++) {
        press->work[r] = NEAR_SINGULAR * most[is_turn(&press->directions[r * POINT_ROWS])];
    }
    poise__dense_factor(press->factor, m, m, press->work);
}

bool poise__press_fill(const PoiseRig* rig, PoiseTree* tree, Press* press) {
    list_points(tree, press);
    if (press->point_count == 0) {
        return false;
    }
    memset(press->j, 0, (size_t)press->row_count * (size_t)press->number_count * sizeof *press->j);
    for (int p = 0; p < press->point_count; p++) {
        for (int b = 0; b < rig->binding_count; b++) {
            const Binding* binding = &rig->bindings[b];
            if (poise_is_registered(tree, press->points[p].point, binding->node)) {
                fill_block(tree, press, p, press->first[b], binding->node);
            }
        }
    }
    fill_give(rig, tree, press);
    factor_rows(press);
    return true;
}

void poise__press_share(Press* press, int rows, const double* torque) {
    const int n = press->number_count;
    for (int r = 0; r < rows; r++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            sum += press->j[r * n + i] * press->give[i] * torque[i];
        }
        press->work[r] = sum;
    }
    poise__dense_factor_solve(press->factor, rows, press->row_count, press->work);
}

void poise__press_take(const Press* press, int rows, double* torque) {
    const int n = press->number_count;
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < n; i++) {
            // where nothing gives, nothing is taken: the stop holds it
            torque[i] -= press->give[i] > 0.0 ? press->j[r * n + i] * press->work[r] : 0.0;
        }
    }
}

// ------------------------------------------------------------------------------------------ stages

// the wrench at each point that the last step's torques, less the weight, stand for
static void measure_forces(const PoiseRig* rig, Press* press) {
    double* net = press->spring;
    for (int b = 0; b < rig->binding_count; b++) {
        const Binding* binding = &rig->bindings[b];
        double hold[POISE_MAX_DOF] = {0.0};
        const int count = poise_node_gravity_torque(rig->tree, binding->node, hold);
        double given[POISE_MAX_DOF] = {0.0};
        poise__motor_numbers(binding, given);
        for (int d = 0; d < count; d++) {
            net[press->first[b] + d] = given[d] - hold[d];
        }
    }
    poise__press_share(press, press->row_count, net);
    for (int r = 0; r < press->row_count; r++) {
        PressPoint* point = &press->points[press->row_point[r]];
        const double* e = &press->directions[r * POINT_ROWS];
        const double part = press->work[r];
        point->force_measured =
            poise_add_scaled(point->force_measured, part, poise_vec3(e[0], e[1], e[2]));
        point->torque_measured =
            poise_add_scaled(point->torque_measured, part, poise_vec3(e[3], e[4], e[5]));
    }
}

// a joint on its stop gives way to nothing that pushes it there
static bool stands_on_stop(const PoiseTree* tree, const Binding* binding) {
    if (binding->kind != POISE_NODE_HINGE && binding->kind != POISE_NODE_SLIDER) {
        return false;
    }
    double force[POISE_MAX_DOF] = {0.0};
    double hold[POISE_MAX_DOF] = {0.0};
    (void)poise_node_force_torque(tree, binding->node, force);
    (void)poise_node_gravity_torque(tree, binding->node, hold);
    // of the last step: what the springs gave more than weight and contact take
    const double push = poise__motor_torque(&binding->motor).x - hold[0] - force[0];
    return (binding->angle >= binding->upper - AT_STOP && push > 0.0) ||
           (binding->angle <= binding->lower + AT_STOP && push < 0.0);
}

void poise__force_measure(PoiseRig* rig) {
    for (int b = 0; b < rig->binding_count; b++) {
        Binding* binding = &rig->bindings[b];
        binding->on_stop = binding->ready && stands_on_stop(rig->tree, binding);
    }
    if (!poise__press_fill(rig, rig->tree, &rig->press)) {
        return;
    }
    measure_forces(rig, &rig->press);
}

PoiseStatus poise__force_follow(PoiseRig* rig) {
    Press* press = &rig->press;
    if (press->point_count == 0 || press->yield_rows == 0 ||
        rig->reference != POISE_REFERENCE_OWN) {
        return POISE_OK;
    }
    // how far the posture's place is from the measured one, where it yields
    for (int r = 0; r < press->goal_rows; r++) {
        const PressPoint* point = &press->points[press->row_point[r]];
        PoisePose own = poise_point_pose(rig->tree, point->point);
        PoiseVec3 way = poise_sub(point->pose.p, own.p);
        PoiseVec3 turn = poise_quat_log(poise_quat_mul(point->pose.q, poise_quat_conjugate(own.q)));
        const double off[POINT_ROWS] = {way.x, way.y, way.z, turn.x, turn.y, turn.z};
        press->work[r] =
            r < press->yield_rows ? dot6(off, &press->directions[r * POINT_ROWS]) : 0.0;
    }
    poise__dense_factor_solve(press->factor, press->goal_rows, press->row_count, press->work);
    // K^-1 J^T of that: the nearest posture there, as the springs see it
    const int n = press->number_count;
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int r = 0; r < press->goal_rows; r++) {
            sum += press->j[r * n + i] * press->work[r];
        }
        press->spring[i] = press->give[i] * sum;
        largest = poise_max(largest, fabs(press->spring[i]));
    }
    const double scale = largest > MOST_FOLLOWED ? MOST_FOLLOWED / largest : 1.0;
    for (int b = 0; largest > 0.0 && b < rig->binding_count; b++) {
        const Binding* binding = &rig->bindings[b];
        double step[POISE_MAX_DOF] = {0.0};
        const int count = poise_node_omega(rig->tree, binding->node, NULL);
        for (int d = 0; d < count; d++) {
            step[d] = scale * press->spring[press->first[b] + d];
        }
        if (binding->follows_ik) {
            (void)poise_node_shift(rig->tree, binding->node, step, count);
        }
    }
    return poise_forward(rig->tree);
}

void poise__force_share(PoiseRig* rig) {
    Press* press = &rig->press;
    if (press->point_count == 0 || press->yield_rows == 0) {
        return;
    }
    for (int b = 0; b < rig->binding_count; b++) {
        const Binding* binding = &rig->bindings[b];
        double spring[POISE_MAX_DOF] = {0.0};
        double posture[POISE_MAX_DOF] = {0.0};
        poise__spring_torques(binding, spring, posture);
        const PoiseVec3 added = poise__integral_torque(binding);
        posture[0] += added.x;
        posture[1] += added.y;
        posture[2] += added.z;
        const int count = poise_node_omega(rig->tree, binding->node, NULL);
        memcpy(&press->spring[press->first[b]], spring, (size_t)count * sizeof *spring);
        memcpy(&press->posture[press->first[b]], posture, (size_t)count * sizeof *posture);
    }
    poise__press_share(press, press->goal_rows, press->spring);
    double* taken = press->spring;
    memset(taken, 0, (size_t)press->number_count * sizeof *taken);
    poise__press_take(press, press->yield_rows, taken);
    poise__press_share(press, press->goal_rows, press->posture);
    poise__press_take(press, press->goal_rows, taken);
    for (int b = 0; b < rig->binding_count; b++) {
        Binding* binding = &rig->bindings[b];
        const int count = poise_node_omega(rig->tree, binding->node, NULL);
        memcpy(binding->pressing, &taken[press->first[b]], (size_t)count * sizeof *taken);
    }
}

PoiseStatus poise_rig_read_point(const PoiseRig* rig, PoisePointId point,
                                 PoisePointReading* reading) {
    if (!rig || !reading) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!poise_point_is_valid(rig->tree, point)) {
        return POISE_ERROR_INVALID_HANDLE;
    }
    memset(reading, 0, sizeof *reading);
    for (int p = 0; p < rig->press.point_count; p++) {
        const PressPoint* press = &rig->press.points[p];
        if (press->point.index1 == point.index1 && press->point.generation == point.generation) {
            reading->presses = true;
            reading->force = press->force;
            reading->torque = press->torque;
            reading->force_measured = press->force_measured;
            reading->torque_measured = press->torque_measured;
        }
    }
    return POISE_OK;
}
