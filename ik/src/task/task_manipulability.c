// SPDX-License-Identifier: MIT
// Manipulability m = sqrt(det(J J^T)) of a point, and its gradient
//
//     dm/dq_i = m tr((J J^T)^-1 (dJ/dq_i) J^T)
//
// If motion i is a rotation nearer to the base than motion j, it rotates column j: dJ_j = a_i x
// J_j. If it is farther out, it only moves the point: dJ_j = a_j x v_i in the position rows and 0
// in the rotation rows. Here a is the axis of a motion and v_i the point's velocity by motion i.
#include <string.h>

#include "task.h"

// a determinant below this fraction of the product of the diagonal counts as 0
#define SINGULAR 1e-24

// Returns the logarithm of a number above 0 without the C library. If x = 2^e f with f near 1, it
// is e log 2 + log f. Here log f = 2 (s + s^3/3 + s^5/5 ...) and s = (f - 1) / (f + 1), |s| < 0.18.
double poise__task_log(double x) {
    const double two = 0.69314718055994530942;
    int e = 0;
    for (; x > 1.4142135623730951; e++) {
        x *= 0.5;
    }
    for (; x < 0.70710678118654752; e--) {
        x *= 2.0;
    }
    const double s = (x - 1.0) / (x + 1.0);
    double sum = 0.0;
    for (int k = 21; k > 0; k -= 2) {
        sum = sum * s * s + 1.0 / k;
    }
    return e * two + 2.0 * s * sum;
}

/// The column of J for one motion.
typedef struct Twist {
    PoiseVec3 linear;
    PoiseVec3 angular;
    bool counts;
} Twist;

static Twist twist_of(const PoiseTasks* tasks, const Motion* motion, const Point* point,
                      PoiseVec3 place) {
    Twist twist = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, false};
    twist.counts = poise__point_sign(tasks->tree, motion->slot, point) != 0;
    if (twist.counts && motion->linear) {
        twist.linear = poise_scale(motion->ratio, motion->axis);
    } else if (twist.counts) {
        twist.linear =
            poise_scale(motion->ratio, poise_cross(motion->axis, poise_sub(place, motion->anchor)));
        twist.angular = poise_scale(motion->ratio, motion->axis);
    }
    return twist;
}

static void add_twist(double* column, Twist twist, int rows) {
    const double numbers[6] = {twist.linear.x,  twist.linear.y,  twist.linear.z,
                               twist.angular.x, twist.angular.y, twist.angular.z};
    for (int r = 0; r < rows; r++) {
        column[r] += numbers[r];
    }
}

// Replaces J J^T in `a` by its inverse. Returns the determinant; 0 if the matrix is singular.
static double invert(double* a, int rows) {
    double b[TASK_MOST_ROWS * TASK_MOST_ROWS] = {0.0};
    double factor[TASK_MOST_ROWS * TASK_MOST_ROWS];
    int order[TASK_MOST_ROWS];
    double determinant = 1.0, diagonal = 1.0;
    memcpy(factor, a, (size_t)(rows * rows) * sizeof *a);
    // Cholesky factor, for the determinant
    for (int i = 0; i < rows; i++) {
        b[i * rows + i] = 1.0;
        diagonal *= factor[i * rows + i];
        determinant *= poise_max(factor[i * rows + i], 0.0);
        for (int k = i + 1; k < rows && factor[i * rows + i] > 0.0; k++) {
            const double part = factor[i * rows + k] / factor[i * rows + i];
            for (int c = k; c < rows; c++) {
                factor[k * rows + c] -= part * factor[i * rows + c];
            }
        }
    }
    if (!(determinant > SINGULAR * diagonal)) {
        return 0.0;
    }
    const PoiseEquations equations = {rows, rows, a, b, order};
    const int rank = poise_dense_eliminate(&equations, 0.0);
    memcpy(a, b, (size_t)(rows * rows) * sizeof *a);
    return rank == rows ? determinant : 0.0;
}

// True if motion i rotates the axis of motion j: i is nearer to the base, or first in the same
// joint.
static bool carries_axis(const PoiseTasks* tasks, int i, int j) {
    const Motion* a = &tasks->motions[i];
    const Motion* b = &tasks->motions[j];
    if (a->slot != b->slot) {
        return poise__carries(tasks->tree, a->slot, b->slot);
    }
    const Joint* joint = &tasks->tree->nodes[a->slot].joint;
    return !poise__joint_is_vector(poise__joint_type(joint)) && i <= j;
}

// Returns the derivative of column j of J with respect to motion i. `by` and `of`: columns i and j.
static Twist change_of(const PoiseTasks* tasks, int i, int j, Twist by, Twist of) {
    const Motion* a = &tasks->motions[i];
    const Motion* b = &tasks->motions[j];
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    if (carries_axis(tasks, i, j)) {
        const PoiseVec3 turn = a->linear ? none : poise_scale(a->ratio, a->axis);
        return (Twist){poise_cross(turn, of.linear), poise_cross(turn, of.angular), true};
    }
    const PoiseVec3 axis = b->linear ? none : poise_scale(b->ratio, b->axis);
    return (Twist){poise_cross(axis, by.linear), none, true};
}

double poise__task_manipulability(const PoiseTasks* tasks, const Point* point, double* gradient) {
    const int n = tasks->column_count;
    const int rows = point->kind == POISE_POINT_POSITION ? 3 : 6;
    const PoiseVec3 place = poise__point_world(tasks->tree, point).p;
    double* j = tasks->scratch + n * TASK_MOST_ROWS; // the caller uses the first half
    double product[TASK_MOST_ROWS * TASK_MOST_ROWS] = {0.0};
    memset(j, 0, (size_t)(n * rows) * sizeof *j);
    for (int m = 0; m < tasks->motion_count; m++) {
        const Motion* motion = &tasks->motions[m];
        add_twist(&j[motion->column * rows], twist_of(tasks, motion, point, place), rows);
    }
    for (int c = 0; c < n; c++) {
        for (int r = 0; r < rows * rows; r++) {
            product[r] += j[c * rows + r / rows] * j[c * rows + r % rows];
        }
    }
    const double m = sqrt(invert(product, rows));
    if (!gradient) {
        return m;
    }
    memset(gradient, 0, (size_t)n * sizeof *gradient);
    for (int k = 0; m > 0.0 && k < tasks->motion_count; k++) {
        const Twist of = twist_of(tasks, &tasks->motions[k], point, place);
        double weights[TASK_MOST_ROWS] = {0.0};
        for (int r = 0; r < rows * rows; r++) {
            weights[r / rows] += product[r] * j[tasks->motions[k].column * rows + r % rows];
        }
        for (int i = 0; of.counts && i < tasks->motion_count; i++) {
            const Twist by = twist_of(tasks, &tasks->motions[i], point, place);
            double change[TASK_MOST_ROWS] = {0.0};
            if (by.counts) {
                add_twist(change, change_of(tasks, i, k, by, of), rows);
            }
            for (int r = 0; r < rows; r++) {
                gradient[tasks->motions[i].column] += m * weights[r] * change[r];
            }
        }
    }
    return m;
}
