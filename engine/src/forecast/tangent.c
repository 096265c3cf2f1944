// SPDX-License-Identifier: MIT
// C = J K^-1 J^T at rest. K is the derivative of the torques of statics.c by the velocities'
// displacements, by central differences. With springs alone K is p_orig + p_ik (own posture), or
// P_orig + P_ik J^# J (measured). It contains loads that change with the posture (weight that is
// not fed forward, asked forces) and the solver's damping. The springs get the part of a load that
// the integral leaves them.
#include "tangent.h"

#include <string.h>

#include "numbers.h"
#include "shared/dense.h"

// of the central differences, rad and m
#define NUDGE 1e-7
// a pivot below this part of the largest is 0: the differences are no better
#define SINGULAR 1e-5
// a row that is held of which others leave less than this part is implied by them
#define IMPLIED 1e-7
// the part of a load that is left when such a joint does not give
#define UNANSWERED 1e-4

// rad or m: the own posture has come where it goes
#define FOLLOWED 1e-12

enum { LOADS = 6, MOST_FOLLOWING = 2000 };

typedef struct Tangent {
    int count; ///< numbers
    int yield; ///< yielding rows
    int held;  ///< and those of the feet, and of stops
    int size;  ///< both
    double* matrix;
    double* load; ///< size x LOADS
    double* matrix_kept;
    double* load_kept;
    double* scale; ///< by number: 1 / sqrt(stiffness)
    double* stops; ///< by row of stops: their torques at rest
    double* j;     ///< LOADS x numbers
    double* span;  ///< span_rows x numbers: orthonormal, what holds feet and loops
    int span_rows;
    double* displacement; ///< by number
    double longest;       ///< square of the longest row that is held, scaled
    int* order;
    void* memory;
    size_t bytes;
} Tangent;

static int count_stops(const Statics* statics) {
    double rows[POISE_MAX_NV][POISE_MAX_NV];
    int count = 0;
    for (int b = 0; b < statics->state.rig->binding_count; b++) {
        count += poise__joint_stop_rows(&statics->state.joints[b], rows);
    }
    return count;
}

static bool open_tangent(Tangent* tangent, const Statics* statics) {
    memset(tangent, 0, sizeof *tangent);
    tangent->count = statics->count;
    tangent->yield = statics->state.press.point_count > 0 ? statics->state.press.yield_rows : 0;
    tangent->held = tangent->yield + statics->ground.row_count + count_stops(statics);
    tangent->size = tangent->count + tangent->held;
    const size_t n = (size_t)tangent->size;
    const size_t numbers = (size_t)tangent->count;
    const size_t span = (size_t)statics->ground.row_count;
    const size_t doubles = 2 * n * n + 2 * n * LOADS + numbers * (3 + LOADS + span);
    tangent->bytes = doubles * sizeof(double) + (n + 1) * sizeof(int);
    double* at = (double*)poise_host_allocate(&statics->state.rig->host, tangent->bytes);
    tangent->memory = at;
    if (!at) {
        return false;
    }
    memset(at, 0, tangent->bytes);
    tangent->matrix = at;
    tangent->matrix_kept = tangent->matrix + n * n;
    tangent->load = tangent->matrix_kept + n * n;
    tangent->load_kept = tangent->load + n * LOADS;
    tangent->scale = tangent->load_kept + n * LOADS;
    tangent->stops = tangent->scale + numbers;
    tangent->j = tangent->stops + numbers;
    tangent->span = tangent->j + numbers * LOADS;
    tangent->displacement = tangent->span + numbers * span;
    tangent->order = (int*)(void*)(tangent->displacement + numbers);
    return true;
}

// The own posture goes on to where it rests. What torque limits leave of room to theta_ik follows
// the bodies: a joint at its limit takes it along, the others make up for that; and where a goal is
// out of reach and a step towards the natural posture is cut to its room, so does one that is not.
// Measured, clamps go by the step before.
static void follow(Statics* statics) {
    const bool own = statics->reference != NULL;
    double led = statics->clamps ? HUGE_VAL : 0.0;
    for (int i = 0; led > FOLLOWED && i < MOST_FOLLOWING; i++) {
        led = poise__statics_torques(statics, own);
    }
}

// Finds the torques at a displacement of all numbers from the rest; restores the postures, the own
// one to the place that it followed from.
static void torques_beside(Statics* statics, const double* displacement, double nudge) {
    RigState* state = &statics->state;
    PoiseTree* tree = state->tree;
    poise__note(state, poise_forward(tree));
    for (int b = 0; b < state->rig->binding_count; b++) {
        const int count = state->rig->bindings[b].type->nv;
        double step[POISE_MAX_NV] = {0.0};
        double square = 0.0;
        for (int d = 0; d < count; d++) {
            step[d] = nudge * displacement[state->press.first[b] + d];
            square += step[d] * step[d];
        }
        if (square > 0.0) {
            poise__note(state, poise_node_shift(tree, state->rig->bindings[b].node, step, count));
        }
    }
    follow(statics);
    poise__statics_torques(statics, false);
    poise__postures_restore(state, tree, statics->at);
    if (statics->reference && (state->press.yield_rows > 0 || statics->clamps)) {
        poise__postures_restore(state, statics->reference, statics->postures);
        poise__note(state, poise_forward(statics->reference));
    }
}

// The torques less what the stops gave at rest, along where these are now: a cone's stop turns as
// the ball goes along it.
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

// The unit displacement of a number, less its parts along the rows of loops, which are orthonormal
// after hold_rows: what holds a loop takes those, and off it theta_ik would close it first.
static void fill_displacement(const Tangent* tangent, int number, double* displacement) {
    memset(displacement, 0, (size_t)tangent->count * sizeof *displacement);
    displacement[number] = 1.0;
    for (int r = 0; r < tangent->span_rows; r++) {
        const double* row = &tangent->span[r * tangent->count];
        const double part = row[number];
        for (int i = 0; i < tangent->count; i++) {
            displacement[i] -= part * row[i];
        }
    }
}

// The rows of the loops, made orthonormal.
static void span_loops(const Statics* statics, Tangent* tangent) {
    const Kkt* kkt = &statics->ground;
    const int n = tangent->count;
    double longest = 0.0;
    for (int r = 0; r < kkt->row_count; r++) {
        longest = poise_max(longest, poise__numbers_dot(&kkt->j[r * n], &kkt->j[r * n], n));
    }
    for (int r = 0; r < kkt->row_count; r++) {
        double* row = &tangent->span[tangent->span_rows * n];
        memcpy(row, &kkt->j[r * n], (size_t)n * sizeof *row);
        for (int pass = 0; pass < 2; pass++) {
            for (int k = 0; k < tangent->span_rows; k++) {
                const double part = poise__numbers_dot(row, &tangent->span[k * n], n);
                for (int i = 0; i < n; i++) {
                    row[i] -= part * tangent->span[k * n + i];
                }
            }
        }
        const double left = poise__numbers_dot(row, row, n);
        if (left > IMPLIED * IMPLIED * longest) {
            for (int i = 0; i < n; i++) {
                row[i] /= sqrt(left);
            }
            tangent->span_rows++;
        }
    }
}

static bool fill_tangent(Statics* statics, Tangent* tangent) {
    const int n = tangent->size;
    follow(statics);
    poise__statics_torques(statics, false);
    take_stops(statics, tangent->stops, true);
    poise__postures_keep(statics->state.tree, statics->at);
    if (statics->reference) {
        poise__postures_keep(statics->reference, statics->postures);
    }
    span_loops(statics, tangent);
    for (int k = 0; k < tangent->count; k++) {
        fill_displacement(tangent, k, tangent->displacement);
        for (int side = 0; side < 2; side++) {
            const double nudge = side == 0 ? NUDGE : -NUDGE;
            torques_beside(statics, tangent->displacement, nudge);
            take_stops(statics, tangent->stops, false);
            for (int i = 0; i < tangent->count; i++) {
                tangent->matrix[i * n + k] -= statics->torque[i] / (2.0 * nudge);
            }
        }
    }
    poise__statics_torques(statics, false);
    return statics->state.noted >= 0;
}

// a number without a spring gets the others' scale
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

static double scaled_square(const Tangent* tangent, const double* row) {
    double square = 0.0;
    for (int i = 0; i < tangent->count; i++) {
        square += row[i] * row[i] * tangent->scale[i] * tangent->scale[i];
    }
    return square;
}

// One row that stays where it is: K x + row^T y = load, row x = 0. Rows are made orthogonal to
// those before; what the others imply is none, so that only motions without a spring are singular.
static void hold_row(Tangent* tangent, int r, int first, const double* row, int count) {
    const int n = tangent->size;
    double* put = &tangent->matrix[(tangent->count + r) * n];
    for (int i = 0; i < count; i++) {
        put[first + i] = row[i] * tangent->scale[first + i];
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < r; k++) {
            const double* other = &tangent->matrix[(tangent->count + k) * n];
            const double part = poise__numbers_dot(put, other, tangent->count);
            for (int i = 0; i < tangent->count; i++) {
                put[i] -= part * other[i];
            }
        }
    }
    const double left = poise__numbers_dot(put, put, tangent->count);
    const bool says = left > IMPLIED * IMPLIED * tangent->longest;
    tangent->matrix[(tangent->count + r) * n + tangent->count + r] = says ? 0.0 : 1.0;
    const double unit = says ? 1.0 / sqrt(left) : 0.0;
    for (int i = 0; i < tangent->count; i++) {
        put[i] *= unit;
        tangent->matrix[i * n + tangent->count + r] = put[i];
    }
}

// the yielding rows, the feet and loops, and joints at their stops
static void hold_rows(const Statics* statics, Tangent* tangent) {
    const Press* press = &statics->state.press;
    const Kkt* kkt = &statics->ground;
    const int feet = tangent->yield + kkt->row_count;
    for (int pass = 0; pass < 2; pass++) {
        for (int r = 0; r < feet; r++) {
            const double* row = r < tangent->yield
                                    ? &press->j[r * press->number_count]
                                    : &kkt->j[(r - tangent->yield) * kkt->number_count];
            if (pass == 0) {
                tangent->longest = poise_max(tangent->longest, scaled_square(tangent, row));
            } else {
                hold_row(tangent, r, 0, row, tangent->count);
            }
        }
    }
    int r = feet;
    for (int b = 0; b < statics->state.rig->binding_count; b++) {
        const JointState* joint = &statics->state.joints[b];
        double rows[POISE_MAX_NV][POISE_MAX_NV];
        const int count = poise__joint_stop_rows(joint, rows);
        for (int i = 0; i < count; i++) {
            hold_row(tangent, r++, press->first[b], rows[i], joint->of->type->nv);
        }
    }
}

static void fill_loads(Statics* statics, PoisePointId point, Tangent* tangent) {
    const RigState* state = &statics->state;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const int count = state->rig->bindings[b].type->nv;
        const int first = state->press.first[b];
        double block[6 * POISE_MAX_DOF];
        const int dof =
            poise_point_jacobian(state->tree, point, state->rig->bindings[b].node, block);
        for (int r = 0; r < LOADS; r++) {
            double* row = &tangent->j[r * tangent->count + first];
            double felt[POISE_MAX_NV];
            for (int d = 0; d < dof; d++) {
                row[d] = block[r * dof + d];
            }
            memcpy(felt, row, (size_t)count * sizeof *felt);
            poise__statics_relieve(statics, b, felt);
            for (int d = 0; d < count; d++) {
                tangent->load[(first + d) * LOADS + r] = felt[d] * tangent->scale[first + d];
            }
        }
    }
}

// the largest part of a load that no torque answers
static double unanswered(const Tangent* tangent, int first, int last) {
    double worst = 0.0;
    for (int r = first; r < last; r++) {
        double load = 0.0, left = 0.0;
        for (int i = 0; i < tangent->size; i++) {
            double sum = -tangent->load_kept[i * LOADS + r];
            for (int k = 0; k < tangent->size; k++) {
                sum += tangent->matrix_kept[i * tangent->size + k] * tangent->load[k * LOADS + r];
            }
            left = poise_max(left, fabs(sum));
            load = poise_max(load, fabs(tangent->load_kept[i * LOADS + r]));
        }
        worst = load > 0.0 ? poise_max(worst, left / load) : worst;
    }
    return worst;
}

// three loads and what they move; NAN where some load is not answered
static void put_block(const Tangent* tangent, int first, double out[9]) {
    const bool answered = unanswered(tangent, first, first + 3) <= UNANSWERED;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            double sum = 0.0;
            for (int i = 0; i < tangent->count; i++) {
                sum += tangent->j[(first + r) * tangent->count + i] * tangent->scale[i] *
                       tangent->load[i * LOADS + first + c];
            }
            out[r * 3 + c] = answered ? sum : (double)NAN;
        }
    }
}

// of the same tangent for all points
static void answer_point(Statics* statics, Tangent* tangent, PoisePointId point,
                         PoiseForecast* forecast) {
    const size_t n = (size_t)tangent->size;
    memset(tangent->j, 0, (size_t)(tangent->count * LOADS) * sizeof(double));
    memset(tangent->load, 0, n * LOADS * sizeof(double));
    fill_loads(statics, point, tangent);
    memcpy(tangent->matrix, tangent->matrix_kept, n * n * sizeof(double));
    memcpy(tangent->load_kept, tangent->load, n * LOADS * sizeof(double));
    const PoiseEquations equations = {tangent->size, LOADS, tangent->matrix, tangent->load,
                                      tangent->order};
    if (poise_dense_eliminate(&equations, SINGULAR) > 0) {
        put_block(tangent, 0, forecast->compliance);
        put_block(tangent, 3, forecast->turn_compliance);
    }
}

PoiseStatus poise__tangent_compliances(Statics* statics, const PoisePointId* points, int count,
                                       PoiseForecast* forecasts) {
    Tangent tangent;
    if (!open_tangent(&tangent, statics)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    if (fill_tangent(statics, &tangent)) {
        const size_t n = (size_t)tangent.size;
        scale_tangent(statics, &tangent);
        hold_rows(statics, &tangent);
        memcpy(tangent.matrix_kept, tangent.matrix, n * n * sizeof(double));
        for (int i = 0; i < count; i++) {
            answer_point(statics, &tangent, points[i], &forecasts[i]);
        }
    }
    poise_host_release(&statics->state.rig->host, tangent.memory, tangent.bytes);
    const PoiseStatus noted = statics->state.noted;
    return noted == POISE_ERROR_OUT_OF_MEMORY ? noted : POISE_OK;
}
