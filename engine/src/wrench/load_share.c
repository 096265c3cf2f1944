// SPDX-License-Identifier: MIT
// Finds the least loads inside cones that sum up to a wrench b, by the dual problem. Contact i has
// the wrench A_i W_i^1/2 u_i, with weights W_i from its share. Its load u_i is the point of its
// cone nearest to v_i = W_i^1/2 A_i^T y. The six numbers y maximise
//     b . y - 1/2 sum |nearest(v_i)|^2 - 1/2 eps |y|^2.
// The gradient b - sum A_i W_i^1/2 nearest(v_i) - eps y is continuous. Newton's method finds its
// zero in a few steps, in one step if all v_i are inside their cones. eps is Dual.ridge.
//
// shared/qp.h does not apply, because its constraints are planes and these cones are round. If
// pyramids of 8 sides replace the cones, shared/qp.h takes 4 times as long for two feet, and 37
// times for four overloaded feet: it has 18 constraints a foot, the dual six unknowns in all.
#include "load_share.h"

#include "numbers.h"
#include "shared/dense.h"

#include <math.h>
#include <string.h>

enum { MAX_STEPS = 40, MOST_HALVINGS = 30 };

static const PoiseCholesky shape = {WRENCH, WRENCH, NULL, NULL, 0.0};

// Least eps as a fraction of the trace of A W A^T. If A W A^T is singular, the loads may miss about
// this fraction of the wrench.
#define MIN_RIDGE 1e-10
// If a load reaches its cone, eps begins at FIRST_RIDGE times the trace, and falls by the factor
// LESS_RIDGE. A gradual fall keeps Newton's steps short.
#define FIRST_RIDGE 1e-2
#define LESS_RIDGE  1e-2
// Newton's method ends if the gradient is below AT_REST times the wrench; NEAR_REST times while eps
// is larger.
#define AT_REST   1e-11
#define NEAR_REST 1e-3
// Rounding error of the gradient, as a fraction of trace |y|.
#define ROUNDING 1e-15
// The contacts cannot carry the load if the missing wrench eps y stays above this fraction of its
// last value while eps falls.
#define STAYS 0.9999
// A step is accepted if it gains at least the fraction KEEPS of the predicted gain, or shortens the
// gradient to at most the fraction LOSES.
#define KEEPS 1e-4
#define LOSES 0.5

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Fills W^1/2 A^T: row i is the wrench of a contact for a load whose number i is 1 and whose other
// numbers are 0.
static void fill_rows(const SupportContact* contact, double rows[CONE_SIZE][WRENCH]) {
    memset(rows, 0, CONE_SIZE * sizeof rows[0]);
    for (int i = 0; i < 3; i++) {
        double moment[3];
        cross(contact->place, contact->axes[i], moment);
        // numbers 3 and 4 of a load are moments about axes 1 and 2 (tilt), number 5 about axis 0
        // (twist)
        double* turn = rows[3 + (i + 2) % 3];
        for (int k = 0; k < 3; k++) {
            rows[i][k] = contact->root_share * contact->axes[i][k];
            rows[i][3 + k] = contact->root_share * moment[k];
            turn[3 + k] = contact->root_share * contact->arm * contact->axes[i][k];
        }
    }
}

typedef struct Dual {
    SupportContact* contacts;
    int count;
    double wanted[WRENCH];
    double ridge;
    double trace; ///< trace of the matrix A W A^T
    double gradient[WRENCH];
    double hessian[WRENCH][WRENCH];
    double value;
    int evaluations;
} Dual;

// Computes v = W^1/2 A^T y, the load of a contact if its cone did not matter.
static void fill_free_load(const SupportContact* contact, const double y[WRENCH],
                           double v[CONE_SIZE]) {
    double push[3];
    cross(&y[3], contact->place, push);
    for (int i = 0; i < 3; i++) {
        const double* axis = contact->axes[i];
        v[i] = contact->root_share * (dot3(axis, y) + dot3(axis, push));
        v[3 + (i + 2) % 3] = contact->root_share * contact->arm * dot3(axis, &y[3]);
    }
}

// Solves A W A^T y = b, which is the solution if all loads are inside their cones. Returns the
// trace of A W A^T.
static double solve_without_cones(Dual* dual, double y[WRENCH]) {
    memset(dual->hessian, 0, sizeof dual->hessian);
    for (int f = 0; f < dual->count; f++) {
        const SupportContact* contact = &dual->contacts[f];
        const double* r = contact->place;
        const double x[3][3] = {{0.0, -r[2], r[1]}, {r[2], 0.0, -r[0]}, {-r[1], r[0], 0.0}};
        const double w = contact->root_share * contact->root_share;
        for (int i = 0; i < 3; i++) {
            dual->hessian[i][i] += w;
            dual->hessian[3 + i][3 + i] += w * contact->arm * contact->arm;
            for (int j = 0; j < 3; j++) {
                dual->hessian[j][3 + i] += w * x[i][j];
                for (int k = 0; k < 3; k++) {
                    dual->hessian[3 + i][3 + j] += w * x[i][k] * x[j][k];
                }
            }
        }
    }
    double trace = 0.0;
    for (int k = 0; k < WRENCH; k++) {
        trace += dual->hessian[k][k];
    }
    for (int k = 0; k < WRENCH; k++) {
        dual->hessian[k][k] += MIN_RIDGE * trace;
    }
    memcpy(y, dual->wanted, WRENCH * sizeof *y);
    poise_cholesky_factor(&shape, &dual->hessian[0][0]);
    poise_cholesky_solve(&shape, &dual->hessian[0][0], y);
    return trace;
}

// True if the loads v of all contacts at y are inside their cones. Fills contact->given.
static bool stays_inside(Dual* dual, const double y[WRENCH]) {
    bool inside = true;
    for (int f = 0; f < dual->count && inside; f++) {
        SupportContact* contact = &dual->contacts[f];
        double v[CONE_SIZE];
        fill_free_load(contact, y, v);
        poise__cone_nearest(&contact->cone, v, contact->given, NULL);
        inside = memcmp(v, contact->given, sizeof v) == 0;
    }
    return inside;
}

// Evaluates value, gradient and Hessian of the dual problem at y.
static void evaluate(Dual* dual, const double y[WRENCH]) {
    dual->evaluations++;
    memset(dual->hessian, 0, sizeof dual->hessian);
    dual->value = 0.0;
    for (int k = 0; k < WRENCH; k++) {
        dual->gradient[k] = dual->wanted[k] - dual->ridge * y[k];
        dual->hessian[k][k] = dual->ridge;
        dual->value += y[k] * (dual->wanted[k] - 0.5 * dual->ridge * y[k]);
    }
    for (int f = 0; f < dual->count; f++) {
        SupportContact* contact = &dual->contacts[f];
        double rows[CONE_SIZE][WRENCH];
        double v[CONE_SIZE];
        double by_v[CONE_SIZE][CONE_SIZE];
        double part[CONE_SIZE][WRENCH] = {{0.0}};
        fill_rows(contact, rows);
        fill_free_load(contact, y, v);
        poise__cone_nearest(&contact->cone, v, contact->given, by_v);
        for (int i = 0; i < CONE_SIZE; i++) {
            dual->value -= 0.5 * contact->given[i] * contact->given[i];
            for (int j = 0; j < CONE_SIZE; j++) {
                for (int k = 0; k < WRENCH; k++) {
                    part[i][k] += by_v[i][j] * rows[j][k];
                }
            }
        }
        for (int i = 0; i < CONE_SIZE; i++) {
            for (int k = 0; k < WRENCH; k++) {
                dual->gradient[k] -= rows[i][k] * contact->given[i];
                for (int l = 0; l < WRENCH; l++) {
                    dual->hessian[k][l] += rows[i][k] * part[i][l];
                }
            }
        }
    }
}

static double norm(const double v[WRENCH]) {
    return sqrt(poise__numbers_dot(v, v, WRENCH));
}

// Makes one Newton step with line search. False if no fraction of the step is accepted (KEEPS,
// LOSES).
static bool newton_step(Dual* dual, double y[WRENCH]) {
    double step[WRENCH];
    memcpy(step, dual->gradient, sizeof step);
    poise_cholesky_factor(&shape, &dual->hessian[0][0]);
    poise_cholesky_solve(&shape, &dual->hessian[0][0], step);
    const double predicted = poise__numbers_dot(step, dual->gradient, WRENCH);
    const double before = dual->value;
    const double length = norm(dual->gradient);
    double part = 1.0;
    for (int i = 0; i < MOST_HALVINGS; i++) {
        double to[WRENCH];
        for (int k = 0; k < WRENCH; k++) {
            to[k] = y[k] + part * step[k];
        }
        evaluate(dual, to);
        if (dual->value >= before + KEEPS * part * predicted ||
            norm(dual->gradient) <= LOSES * length) {
            memcpy(y, to, sizeof to);
            return true;
        }
        part *= 0.5;
    }
    return false;
}

// Maximises the dual for its present eps (`ridge`) by Newton steps, until the gradient's length is
// at most `rest` or is rounding alone.
static void maximise(Dual* dual, double y[WRENCH], double rest) {
    evaluate(dual, y);
    for (int i = 0; i < MAX_STEPS; i++) {
        const double rounding = ROUNDING * dual->trace * norm(y);
        if (norm(dual->gradient) <= poise_max(rest, rounding) || !newton_step(dual, y)) {
            return;
        }
    }
}

// Maximises the dual for falling eps, then for the least. Stops early if the missing wrench does
// not fall with eps, which means that the contacts cannot carry the load.
static void maximise_by_continuation(Dual* dual, double y[WRENCH]) {
    const double size = norm(dual->wanted);
    double missed = HUGE_VAL;
    for (double ridge = FIRST_RIDGE; ridge > MIN_RIDGE; ridge *= LESS_RIDGE) {
        dual->ridge = ridge * dual->trace;
        maximise(dual, y, NEAR_REST * size);
        const double misses = dual->ridge * norm(y);
        if (misses > STAYS * missed) {
            break;
        }
        missed = misses;
        dual->ridge = MIN_RIDGE * dual->trace;
    }
    maximise(dual, y, AT_REST * size);
    evaluate(dual, y);
}

int poise__share_out(SupportContact* contacts, int count, const double wanted[WRENCH],
                     double missing[WRENCH]) {
    Dual dual = {.contacts = contacts, .count = count};
    memcpy(dual.wanted, wanted, sizeof dual.wanted);
    double y[WRENCH];
    dual.trace = solve_without_cones(&dual, y);
    dual.ridge = MIN_RIDGE * dual.trace;
    memset(dual.gradient, 0, sizeof dual.gradient);
    if (!stays_inside(&dual, y)) {
        maximise_by_continuation(&dual, y);
    }
    for (int k = 0; k < WRENCH; k++) {
        missing[k] = dual.gradient[k] + dual.ridge * y[k];
    }
    return dual.evaluations;
}

void poise__contact_load(const SupportContact* contact, double force[3], double moment[3]) {
    for (int k = 0; k < 3; k++) {
        force[k] = 0.0;
        moment[k] = 0.0;
        for (int i = 0; i < 3; i++) {
            const double w = contact->root_share * contact->axes[i][k];
            force[k] += w * contact->given[i];
            moment[k] += w * contact->arm * contact->given[3 + (i + 2) % 3];
        }
    }
}
