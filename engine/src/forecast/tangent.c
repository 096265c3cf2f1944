// SPDX-License-Identifier: MIT
// Computes the compliance C = J K^-1 J^T at rest. -K is the derivative of the torques of statics.c
// by the displacements, from central differences. Springs alone have K = P_orig + P_ik with the own
// posture, P_orig + P_ik J^# J with the measured reference. K also contains the solver's damping
// and loads that change with the posture (weight that is not fed forward, asked forces). The part
// of a load that the integral carries causes no displacement, and is left out.
#include "tangent.h"

#include <string.h>

#include "numbers.h"

// Step of the central differences by which K is computed, rad and m.
#define NUDGE 1e-6
// A pivot below this fraction of the largest counts as 0: the differences have no more digits.
#define SINGULAR 1e-5
// A row counts as 0 below this fraction of the longest row. It is dependent if less than this
// fraction of it is outside the span of the other rows.
#define IMPLIED 1e-7
// A load is balanced if the residual of its solution is at most this fraction of the load.
#define UNANSWERED 1e-4

// Largest number of multiplications in elimination, solution and check, reached by 900 joints with
// 15 points.
#define MOST_PRODUCTS 1e9

static int count_stops(const Statics* statics) {
    double rows[POISE_MAX_NV][POISE_MAX_NV];
    int count = 0;
    for (int b = 0; b < statics->state.rig->binding_count; b++) {
        count += poise__joint_stop_rows(&statics->state.joints[b], rows);
    }
    return count;
}

static void size_tangent(Tangent* tangent, const Statics* statics, int points, int others) {
    memset(tangent, 0, sizeof *tangent);
    tangent->points = points;
    tangent->loads = points * LOADS + others;
    tangent->count = statics->count;
    tangent->yield = statics->state.press.point_count > 0 ? statics->state.press.yield_rows : 0;
    tangent->fixed = tangent->yield + statics->ground.row_count + count_stops(statics);
    tangent->size = tangent->count + tangent->fixed;
}

static bool place_tangent(Tangent* tangent, const Statics* statics) {
    const int numbers = tangent->count, rows = tangent->points * LOADS;
    const size_t n = (size_t)tangent->size, loads = (size_t)tangent->loads;
    const int span = poise_basis_stride(statics->ground.row_count);
    const BlockArray list[] = {BLOCK_ARRAY(tangent->matrix, n * n),
                               BLOCK_ARRAY(tangent->scratch, n * n),
                               BLOCK_ARRAY(tangent->load, n * loads),
                               BLOCK_ARRAY(tangent->moved, n * loads),
                               BLOCK_ARRAY(tangent->scale, numbers),
                               BLOCK_ARRAY(tangent->stops, numbers),
                               BLOCK_ARRAY(tangent->j, numbers * rows),
                               BLOCK_ARRAY(tangent->displacement, numbers),
                               BLOCK_ARRAY(tangent->span.axes, numbers * span),
                               BLOCK_ARRAY(tangent->span.parts, span),
                               BLOCK_ARRAY(tangent->order, n)};
    if (!poise__arrays_open(&tangent->arrays, &statics->state.rig->host, list,
                            sizeof list / sizeof *list)) {
        return false;
    }
    tangent->span.columns = numbers;
    tangent->span.stride = span;
    return true;
}

// Evaluates the torques at `nudge` times a displacement from rest, and restores all postures.
static void displaced_torques(Statics* statics, const double* displacement, double nudge) {
    poise__statics_shift(statics, displacement, nudge);
    poise__statics_follow(statics, false);
    poise__statics_torques(statics, false);
    poise__statics_restore(statics, statics->at);
}

// Subtracts the stops' torques at rest, `given`, along the stops' rows at the present posture: the
// row of a cone rotates as the ball joint moves along the cone. `measure`: first fills `given` from
// the torques.
static void take_stops(Statics* statics, double* given, bool measure) {
    int r = 0;
    for (int b = 0; b < statics->state.rig->binding_count; b++) {
        const JointState* joint = &statics->state.joints[b];
        double rows[POISE_MAX_NV][POISE_MAX_NV];
        double* torque = &statics->torque[statics->state.press.first[b]];
        const int count = poise__joint_stop_rows(joint, rows);
        for (int i = 0; i < count; i++, r++) {
            double part = 0.0;
            for (int d = 0; d < joint->of->type->nv; d++) {
                part += rows[i][d] * torque[d];
            }
            given[r] = measure ? part : given[r];
            for (int d = 0; d < joint->of->type->nv; d++) {
                torque[d] -= given[r] * rows[i][d];
            }
        }
    }
}

// Returns the square of the length below which a row of a matrix counts as 0.
static double least_square(const double* rows, int count, int stride, int columns) {
    double longest = 0.0;
    for (int r = 0; r < count; r++) {
        const double* row = &rows[r * stride];
        longest = poise_max(longest, poise__numbers_dot(row, row, columns));
    }
    return IMPLIED * IMPLIED * longest;
}

// Makes a basis of the rows of feet and loops.
static void span_loops(const Statics* statics, Tangent* tangent) {
    const Kkt* kkt = &statics->ground;
    const int n = tangent->count;
    const double least = least_square(kkt->j, kkt->row_count, n, n);
    for (int r = 0; r < kkt->row_count && tangent->span.count < n; r++) {
        const double* row = &kkt->j[r * n];
        memcpy(tangent->displacement, row, (size_t)n * sizeof *row);
        if (poise__numbers_dot(row, row, n) > least) {
            poise_basis_add(&tangent->span, tangent->displacement, IMPLIED, NULL);
        }
    }
}

static bool fill_tangent(Statics* statics, Tangent* tangent) {
    const int n = tangent->size;
    poise__statics_follow(statics, false);
    poise__statics_torques(statics, false);
    take_stops(statics, tangent->stops, true);
    poise__statics_save(statics, statics->at);
    span_loops(statics, tangent);
    for (int k = 0; k < tangent->count; k++) {
        // a displacement along a row of a loop opens the loop, and theta_ik would then move to
        // close it
        memset(tangent->displacement, 0, (size_t)tangent->count * sizeof *tangent->displacement);
        tangent->displacement[k] = 1.0;
        poise_basis_project(&tangent->span, tangent->displacement, NULL);
        for (int side = 0; side < 2; side++) {
            const double nudge = side == 0 ? NUDGE : -NUDGE;
            displaced_torques(statics, tangent->displacement, nudge);
            take_stops(statics, tangent->stops, false);
            for (int i = 0; i < tangent->count; i++) {
                tangent->matrix[i * n + k] -= statics->torque[i] / (2.0 * nudge);
            }
        }
    }
    poise__statics_torques(statics, false);
    return statics->state.noted >= 0;
}

// Scales K by 1 / sqrt(stiffness) on both sides, so that its diagonal is about 1. A velocity
// without a spring gets the mean stiffness of the others.
static void scale_tangent(const Statics* statics, Tangent* tangent) {
    const int n = tangent->size;
    double mean = 0.0;
    int sprung = 0;
    for (int i = 0; i < tangent->count; i++) {
        mean += statics->stiffness[i];
        sprung += statics->stiffness[i] > 0.0;
    }
    mean = sprung > 0 ? mean / sprung : 1.0;
    for (int i = 0; i < tangent->count; i++) {
        tangent->scale[i] = 1.0 / sqrt(statics->stiffness[i] > 0.0 ? statics->stiffness[i] : mean);
    }
    for (int i = 0; i < tangent->count; i++) {
        for (int k = 0; k < tangent->count; k++) {
            tangent->matrix[i * n + k] *= tangent->scale[i] * tangent->scale[k];
        }
    }
}

// Writes fixed row r, scaled, for `count` velocities from `first` on into the matrix.
static void put_row(Tangent* tangent, int r, int first, const double* row, int count) {
    double* out = &tangent->matrix[(tangent->count + r) * tangent->size];
    for (int i = first; i < first + count; i++) {
        out[i] = row[i - first] * tangent->scale[i];
    }
}

// Scales the fixed rows to unit length and copies them into the columns. The elimination finds a
// pivot of 0 for a dependent row and sets its multiplier to 0.
static void scale_rows(Tangent* tangent) {
    const int n = tangent->size;
    double* rows = &tangent->matrix[tangent->count * n];
    const double least = least_square(rows, tangent->fixed, n, tangent->count);
    for (int r = 0; r < tangent->fixed; r++) {
        double* row = &rows[r * n];
        const double square = poise__numbers_dot(row, row, tangent->count);
        for (int i = 0; i < tangent->count; i++) {
            row[i] = square > least ? row[i] / sqrt(square) : 0.0;
            tangent->matrix[i * n + tangent->count + r] = row[i];
        }
    }
}

// Adds all fixed rows to the matrix: yielding rows, feet and loops, and joints at their stops.
static void hold_rows(const Statics* statics, Tangent* tangent) {
    const Press* press = &statics->state.press;
    const Kkt* kkt = &statics->ground;
    int r = 0;
    for (; r < tangent->yield; r++) {
        put_row(tangent, r, 0, &press->j[r * press->number_count], tangent->count);
    }
    for (int k = 0; k < kkt->row_count; k++, r++) {
        put_row(tangent, r, 0, &kkt->j[k * kkt->number_count], tangent->count);
    }
    for (int b = 0; b < statics->state.rig->binding_count; b++) {
        const JointState* joint = &statics->state.joints[b];
        double rows[POISE_MAX_NV][POISE_MAX_NV];
        const int count = poise__joint_stop_rows(joint, rows);
        for (int i = 0; i < count; i++) {
            put_row(tangent, r++, press->first[b], rows[i], joint->of->type->nv);
        }
    }
    scale_rows(tangent);
}

// Fills J of a point and its six unit loads, in the columns from `at` on.
static void fill_loads(Statics* statics, PoisePointId point, Tangent* tangent, int at) {
    const RigState* state = &statics->state;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const int count = state->rig->bindings[b].type->nv;
        const int first = state->press.first[b];
        double block[6 * POISE_MAX_DOF];
        const int dof =
            poise_point_jacobian(state->tree, point, state->rig->bindings[b].node, block);
        for (int r = 0; r < LOADS; r++) {
            double* row = &tangent->j[(at + r) * tangent->count + first];
            double carried[POISE_MAX_NV];
            for (int d = 0; d < dof; d++) {
                row[d] = block[r * dof + d];
            }
            memcpy(carried, row, (size_t)count * sizeof *carried);
            poise__statics_relieve(statics, b, carried);
            for (int d = 0; d < count; d++) {
                tangent->load[(first + d) * tangent->loads + at + r] =
                    carried[d] * tangent->scale[first + d];
            }
        }
    }
}

bool poise__tangent_balances(const Tangent* tangent, int first, int count) {
    bool balances = true;
    for (int r = first; r < first + count; r++) {
        double load = 0.0, left = 0.0;
        for (int i = 0; i < tangent->size; i++) {
            double sum = -tangent->load[i * tangent->loads + r];
            for (int k = 0; k < tangent->size; k++) {
                sum +=
                    tangent->matrix[i * tangent->size + k] * tangent->moved[k * tangent->loads + r];
            }
            left = poise_max(left, fabs(sum));
            load = poise_max(load, fabs(tangent->load[i * tangent->loads + r]));
        }
        balances = balances && !(left > UNANSWERED * load);
    }
    return balances;
}

void poise__tangent_block(const Tangent* tangent, int first, double out[9]) {
    const bool answered = poise__tangent_balances(tangent, first, 3);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            double sum = 0.0;
            for (int i = 0; i < tangent->count; i++) {
                sum += tangent->j[(first + r) * tangent->count + i] *
                       poise__tangent_moved(tangent, first + c, i);
            }
            out[r * 3 + c] = answered ? sum : (double)NAN;
        }
    }
}

// True if the multiplications for elimination, solutions and their check are at most MOST_PRODUCTS.
static bool is_small(const Tangent* tangent) {
    const double n = tangent->size;
    return n * n * (n + 3.0 * tangent->loads) <= MOST_PRODUCTS;
}

PoiseStatus poise__tangent_open(Tangent* tangent, Statics* statics, const PoisePointId* points,
                                int count, int others) {
    size_tangent(tangent, statics, count, others);
    if (!is_small(tangent)) {
        return POISE_DEGRADED;
    }
    if (!place_tangent(tangent, statics)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    if (!fill_tangent(statics, tangent)) {
        return statics->state.noted;
    }
    scale_tangent(statics, tangent);
    hold_rows(statics, tangent);
    for (int i = 0; i < count; i++) {
        fill_loads(statics, points[i], tangent, i * LOADS);
    }
    return POISE_OK;
}

void poise__tangent_close(Tangent* tangent) {
    poise__arrays_close(&tangent->arrays);
    memset(tangent, 0, sizeof *tangent);
}

void poise__tangent_set_load(Tangent* tangent, int other, const double* torque) {
    const int column = tangent->points * LOADS + other;
    for (int i = 0; i < tangent->count; i++) {
        tangent->load[i * tangent->loads + column] = torque[i] * tangent->scale[i];
    }
}

bool poise__tangent_solve(Tangent* tangent) {
    const size_t n = (size_t)tangent->size;
    memcpy(tangent->scratch, tangent->matrix, n * n * sizeof(double));
    memcpy(tangent->moved, tangent->load, n * (size_t)tangent->loads * sizeof(double));
    const PoiseEquations equations = {tangent->size, tangent->loads, tangent->scratch,
                                      tangent->moved, tangent->order};
    return poise_dense_eliminate(&equations, SINGULAR) > 0;
}

PoiseStatus poise__tangent_compliances(Statics* statics, const PoisePointId* points, int count,
                                       PoiseForecast* forecasts) {
    Tangent tangent;
    const PoiseStatus status = poise__tangent_open(&tangent, statics, points, count, 0);
    if (status == POISE_OK && poise__tangent_solve(&tangent)) {
        for (int i = 0; i < count; i++) {
            poise__tangent_block(&tangent, i * LOADS, forecasts[i].compliance);
            poise__tangent_block(&tangent, i * LOADS + 3, forecasts[i].turn_compliance);
        }
    }
    poise__tangent_close(&tangent);
    return status == POISE_ERROR_OUT_OF_MEMORY ? status : POISE_OK;
}
