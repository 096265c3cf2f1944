// SPDX-License-Identifier: MIT
// Least loads in cones that make up a wrench, by the dual: with v_i = W_i^1/2 A_i^T y, the loads
// are the nearest of each cone to v_i, and y, six numbers, makes
//     b . y - 1/2 sum |nearest(v_i)|^2 - 1/2 eps |y|^2
// the largest. Its slope b - sum A_i W_i^1/2 nearest(v_i) - eps y is continuous and goes to zero by
// Newton's way in a few steps; in one where no cone is reached.
#include "share.h"

#include "poise/dense.h"
#include "poise/math.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 40, MOST_HALVINGS = 30 };

static const PoiseCholesky shape = {WRENCH, WRENCH, NULL, NULL, 0.0};

// eps, in parts of the trace: so much of the wrench may be missing where all else would be large
#define LEAST_RIDGE 1e-10
// where a cone is reached it comes down from here by this factor, so that Newton's way stays short
#define FIRST_RIDGE 1e-2
#define LESS_RIDGE  1e-2
// of the wrench: where the slope has come to zero; and, on the way down, near enough to it
#define AT_REST   1e-11
#define NEAR_REST 1e-3
// of the wrench: what is missing for good is not found more exactly
#define MISSES       3e-2
#define MISSES_RIDGE 2e-6
// of what a step promises, so much at least it must keep; or the slope must lose so much
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

// W^1/2 A^T: rows of what a unit of each number of the footing gives to the wrench
static void fill_rows(const Footing* footing, double rows[CONE_SIZE][WRENCH]) {
    memset(rows, 0, CONE_SIZE * sizeof rows[0]);
    for (int i = 0; i < 3; i++) {
        double moment[3];
        cross(footing->place, footing->axes[i], moment);
        // tilts about the two axes across, then the twist
        double* turn = rows[3 + (i + 2) % 3];
        for (int k = 0; k < 3; k++) {
            rows[i][k] = footing->root_share * footing->axes[i][k];
            rows[i][3 + k] = footing->root_share * moment[k];
            turn[3 + k] = footing->root_share * footing->arm * footing->axes[i][k];
        }
    }
}

typedef struct Dual {
    Footing* footings;
    int count;
    double wanted[WRENCH];
    double ridge;
    double slope[WRENCH];
    double bend[WRENCH][WRENCH];
    double value;
} Dual;

// where y has a footing, cones apart: W^1/2 A^T y
static void fill_way(const Footing* footing, const double y[WRENCH], double v[CONE_SIZE]) {
    double push[3];
    cross(&y[3], footing->place, push);
    for (int i = 0; i < 3; i++) {
        const double* axis = footing->axes[i];
        v[i] = footing->root_share * (dot3(axis, y) + dot3(axis, push));
        v[3 + (i + 2) % 3] = footing->root_share * footing->arm * dot3(axis, &y[3]);
    }
}

// as if there were no cones, as mostly none is reached: A W A^T y = b; returns its trace, less what
// is added to it
static double level(Dual* dual, double y[WRENCH]) {
    memset(dual->bend, 0, sizeof dual->bend);
    for (int f = 0; f < dual->count; f++) {
        const Footing* footing = &dual->footings[f];
        const double* r = footing->place;
        const double x[3][3] = {{0.0, -r[2], r[1]}, {r[2], 0.0, -r[0]}, {-r[1], r[0], 0.0}};
        const double w = footing->root_share * footing->root_share;
        for (int i = 0; i < 3; i++) {
            dual->bend[i][i] += w;
            dual->bend[3 + i][3 + i] += w * footing->arm * footing->arm;
            for (int j = 0; j < 3; j++) {
                dual->bend[3 + i][j] += w * x[i][j];
                for (int k = 0; k < 3; k++) {
                    dual->bend[3 + i][3 + j] += w * x[i][k] * x[j][k];
                }
            }
        }
    }
    double trace = 0.0;
    for (int k = 0; k < WRENCH; k++) {
        trace += dual->bend[k][k];
    }
    for (int k = 0; k < WRENCH; k++) {
        dual->bend[k][k] += LEAST_RIDGE * trace;
    }
    memcpy(y, dual->wanted, WRENCH * sizeof *y);
    poise_cholesky_factor(&shape, &dual->bend[0][0]);
    poise_cholesky_solve(&shape, &dual->bend[0][0], y);
    return trace;
}

// whether those are loads that the footings can give
static bool stays_inside(Dual* dual, const double y[WRENCH]) {
    bool inside = true;
    for (int f = 0; f < dual->count && inside; f++) {
        Footing* footing = &dual->footings[f];
        double v[CONE_SIZE];
        fill_way(footing, y, v);
        poise__cone_nearest(&footing->cone, v, footing->given, NULL);
        inside = memcmp(v, footing->given, sizeof v) == 0;
    }
    return inside;
}

// value, slope and second slope at y
static void look(Dual* dual, const double y[WRENCH]) {
    memset(dual->bend, 0, sizeof dual->bend);
    dual->value = 0.0;
    for (int k = 0; k < WRENCH; k++) {
        dual->slope[k] = dual->wanted[k] - dual->ridge * y[k];
        dual->bend[k][k] = dual->ridge;
        dual->value += y[k] * (dual->wanted[k] - 0.5 * dual->ridge * y[k]);
    }
    for (int f = 0; f < dual->count; f++) {
        Footing* footing = &dual->footings[f];
        double rows[CONE_SIZE][WRENCH];
        double v[CONE_SIZE];
        double by_v[CONE_SIZE][CONE_SIZE];
        double part[CONE_SIZE][WRENCH] = {{0.0}};
        fill_rows(footing, rows);
        fill_way(footing, y, v);
        poise__cone_nearest(&footing->cone, v, footing->given, by_v);
        for (int i = 0; i < CONE_SIZE; i++) {
            dual->value -= 0.5 * footing->given[i] * footing->given[i];
            for (int j = 0; j < CONE_SIZE; j++) {
                for (int k = 0; k < WRENCH; k++) {
                    part[i][k] += by_v[i][j] * rows[j][k];
                }
            }
        }
        for (int i = 0; i < CONE_SIZE; i++) {
            for (int k = 0; k < WRENCH; k++) {
                dual->slope[k] -= rows[i][k] * footing->given[i];
                for (int l = 0; l < WRENCH; l++) {
                    dual->bend[k][l] += rows[i][k] * part[i][l];
                }
            }
        }
    }
}

static double norm(const double v[WRENCH]) {
    double sum = 0.0;
    for (int k = 0; k < WRENCH; k++) {
        sum += v[k] * v[k];
    }
    return sqrt(sum);
}

// one step up; false when there is none
static bool climb(Dual* dual, double y[WRENCH]) {
    double step[WRENCH];
    double rise = 0.0;
    memcpy(step, dual->slope, sizeof step);
    poise_cholesky_factor(&shape, &dual->bend[0][0]);
    poise_cholesky_solve(&shape, &dual->bend[0][0], step);
    for (int k = 0; k < WRENCH; k++) {
        rise += step[k] * dual->slope[k];
    }
    const double before = dual->value;
    const double steep = norm(dual->slope);
    double part = 1.0;
    for (int i = 0; i < MOST_HALVINGS; i++) {
        double to[WRENCH];
        for (int k = 0; k < WRENCH; k++) {
            to[k] = y[k] + part * step[k];
        }
        look(dual, to);
        if (dual->value >= before + KEEPS * part * rise || norm(dual->slope) <= LOSES * steep) {
            memcpy(y, to, sizeof to);
            return true;
        }
        part *= 0.5;
    }
    return false;
}

// to the largest value where cones are reached
static void come_down(Dual* dual, double y[WRENCH], double trace) {
    const double size = norm(dual->wanted);
    double ridge = FIRST_RIDGE;
    for (;;) {
        const bool last = ridge <= LEAST_RIDGE;
        dual->ridge = ridge * trace;
        look(dual, y);
        for (int i = 0; i < MOST_STEPS; i++) {
            if (norm(dual->slope) <= (last ? AT_REST : NEAR_REST) * size || !climb(dual, y)) {
                break;
            }
        }
        if (last || (ridge <= MISSES_RIDGE && dual->ridge * norm(y) > MISSES * size)) {
            break;
        }
        ridge = poise_max(LESS_RIDGE * ridge, LEAST_RIDGE);
    }
    look(dual, y);
}

void poise__share_out(Footing* footings, int count, const double wanted[WRENCH],
                      double missing[WRENCH]) {
    Dual dual = {.footings = footings, .count = count};
    memcpy(dual.wanted, wanted, sizeof dual.wanted);
    memset(missing, 0, WRENCH * sizeof *missing);
    if (count == 0) {
        memcpy(missing, wanted, WRENCH * sizeof *missing);
        return;
    }
    double y[WRENCH];
    const double trace = level(&dual, y);
    dual.ridge = LEAST_RIDGE * trace;
    memset(dual.slope, 0, sizeof dual.slope);
    if (!stays_inside(&dual, y)) {
        come_down(&dual, y, trace);
    }
    for (int k = 0; k < WRENCH; k++) {
        missing[k] = dual.slope[k] + dual.ridge * y[k];
    }
}

void poise__footing_load(const Footing* footing, double force[3], double moment[3]) {
    for (int k = 0; k < 3; k++) {
        force[k] = 0.0;
        moment[k] = 0.0;
        for (int i = 0; i < 3; i++) {
            const double w = footing->root_share * footing->axes[i][k];
            force[k] += w * footing->given[i];
            moment[k] += w * footing->arm * footing->given[3 + (i + 2) % 3];
        }
    }
}
