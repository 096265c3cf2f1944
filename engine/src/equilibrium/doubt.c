// SPDX-License-Identifier: MIT
// Why a forecast may not be what happens: what presses leaves its contact, what nothing opposes
// creeps on, or there are many rests and torque limits on the way decide which.
#include <string.h>

#include "numbers.h"
#include "statics.h"

// the contact's wrench along what yields at a point that presses: what no spring takes
static void add_wrench(const Press* press, int p, double wrench[6]) {
    memset(wrench, 0, 6 * sizeof *wrench);
    for (int r = 0; r < press->yield_rows; r++) {
        for (int i = 0; press->row_point[r] == p && i < 6; i++) {
            wrench[i] += press->directions[6 * r + i] * press->work[r];
        }
    }
}

PoiseVec3 poise__equilibrium_force(const Equilibrium* equilibrium, PoisePointId point) {
    const Press* press = &equilibrium->state.press;
    double wrench[6] = {0.0};
    for (int p = 0; p < press->point_count; p++) {
        if (press->points[p].point.index1 == point.index1) {
            add_wrench(press, p, wrench);
        }
    }
    return poise_vec3(wrench[0], wrench[1], wrench[2]);
}

// whether a contact would have to hold a point back
static bool leaves(Equilibrium* equilibrium) {
    const Press* press = &equilibrium->state.press;
    bool some = false;
    if (press->point_count == 0 || press->yield_rows == 0) {
        return false;
    }
    poise__equilibrium_torques(equilibrium, false);
    for (int p = 0; p < press->point_count; p++) {
        const PressPoint* point = &press->points[p];
        const double asked[6] = {point->force.x,  point->force.y,  point->force.z,
                                 point->torque.x, point->torque.y, point->torque.z};
        double wrench[6];
        add_wrench(press, p, wrench);
        some = some || poise__numbers_dot(wrench, asked, 6) < 0.0;
    }
    return some;
}

// a row of goals that others leave less of than this part says nothing new
#define ROW_ZERO 1e-6

// the row less its parts along `count` rows of a basis; its length
static double reduce(double* row, const double* basis, int count, int columns) {
    for (int k = 0; k < count; k++) {
        const double part = poise__numbers_dot(row, &basis[k * columns], columns);
        for (int i = 0; i < columns; i++) {
            row[i] -= part * basis[k * columns + i];
        }
    }
    return sqrt(poise__numbers_dot(row, row, columns));
}

// one row of a point over the numbers that follow theta_ik
static void fill_row(const Equilibrium* equilibrium, PoisePointId point, const double* direction,
                     double* row) {
    const RigState* state = &equilibrium->state;
    memset(row, 0, (size_t)equilibrium->count * sizeof *row);
    for (int b = 0; b < state->rig->binding_count; b++) {
        double block[6 * POISE_MAX_DOF];
        const int dof =
            state->rig->bindings[b].follows_ik
                ? poise_point_jacobian(state->tree, point, state->rig->bindings[b].node, block)
                : 0;
        for (int i = 0; i < 6 * dof; i++) {
            row[state->press.first[b] + i % dof] += direction[i / dof] * block[i];
        }
    }
}

// whether the goals leave the joints that follow theta_ik free to rest elsewhere
static bool is_redundant(Equilibrium* equilibrium) {
    RigState* state = &equilibrium->state;
    const size_t n = (size_t)equilibrium->count;
    const size_t bytes = (n + 1) * (n + 1) * sizeof(double);
    double* basis = (double*)poise_host_allocate(&state->rig->host, bytes);
    if (!basis) {
        poise__note(state, POISE_ERROR_OUT_OF_MEMORY);
    }
    int free = 0, rank = 0;
    for (int b = 0; b < state->rig->binding_count; b++) {
        free += state->rig->bindings[b].follows_ik ? state->rig->bindings[b].type->nv : 0;
    }
    for (int i = 0; basis && i < poise_tree_point_count(state->tree); i++) {
        double directions[36];
        const PoisePointId point = poise_tree_point(state->tree, i);
        const int rows = poise_point_enabled(state->tree, point)
                             ? poise_point_goal_rows(state->tree, point, directions)
                             : 0;
        for (int r = 0; r < rows && rank < free; r++) {
            double* row = &basis[(size_t)rank * n];
            fill_row(equilibrium, point, &directions[6 * r], row);
            const double whole = reduce(row, NULL, 0, equilibrium->count);
            const double left = reduce(row, basis, rank, equilibrium->count);
            for (int k = 0; k < equilibrium->count && left > ROW_ZERO * whole; k++) {
                row[k] /= left;
            }
            rank += left > ROW_ZERO * whole;
        }
    }
    poise_host_release(&state->rig->host, basis, bytes);
    return rank < free;
}

bool poise__equilibrium_is_free(Equilibrium* equilibrium) {
    const RigState* state = &equilibrium->state;
    bool free = false;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const Binding* binding = &state->rig->bindings[b];
        for (int i = 0; binding->follows_ik && i < binding->block_count; i++) {
            free = free || !(binding->original[binding->blocks[i].sort].stiffness > 0.0);
        }
    }
    return free && !equilibrium->reference && !(state->rig->settings.posture_rate > 0.0) &&
           is_redundant(equilibrium);
}

bool poise__equilibrium_creeps(Equilibrium* equilibrium) {
    return !equilibrium->state.rig->settings.gravity && poise_length(equilibrium->gravity) > 0.0 &&
           poise__equilibrium_is_free(equilibrium);
}

// m, N m and N: less than this is no motion, and no load
#define HARDLY 1e-6

bool poise__equilibrium_is_limp(const Equilibrium* equilibrium, PoisePointId point) {
    const RigState* state = &equilibrium->state;
    const PoiseVec3 from = poise_point_pose(state->rig->state.tree, point).p;
    const PoiseVec3 to = poise_point_pose(state->tree, point).p;
    const bool moves = poise_length(poise_sub(to, from)) > HARDLY;
    bool limp = false;
    for (int b = 0; equilibrium->ground.row_count == 0 && b < state->rig->binding_count; b++) {
        const Binding* binding = &state->rig->bindings[b];
        double block[6 * POISE_MAX_DOF];
        const int dof = state->joints[b].stops == 0
                            ? poise_point_jacobian(state->tree, point, binding->node, block)
                            : 0;
        for (int i = state->press.first[b]; i < state->press.first[b] + dof; i++) {
            const bool held = equilibrium->stiffness[i] > 0.0;
            limp = limp || (!held && (moves || fabs(equilibrium->torque[i]) > HARDLY));
        }
    }
    return limp;
}

static bool is_path_dependent(Equilibrium* equilibrium) {
    return equilibrium->reference && equilibrium->clamped &&
           !(equilibrium->state.rig->settings.posture_rate > 0.0) && is_redundant(equilibrium);
}

void poise__equilibrium_doubt(Equilibrium* equilibrium, PoiseForecast* forecast) {
    forecast->leaves = forecast->rests && leaves(equilibrium);
    forecast->creeps = poise__equilibrium_creeps(equilibrium);
    forecast->path_dependent = is_path_dependent(equilibrium);
}

const char* poise_forecast_doubt(const PoiseForecast* forecast) {
    if (!forecast) {
        return NULL;
    }
    return forecast->falls         ? "the ground cannot carry it"
           : !forecast->rests      ? "it does not rest for minutes"
           : forecast->floats      ? "its base floats"
           : forecast->tied        ? "a joint that the rig does not know holds it, or a load on it"
           : forecast->leaves      ? "it leaves what it presses on"
           : forecast->unrehearsed ? "friction on the way there decides where it rests"
           : forecast->limp        ? "a joint without a spring may swing elsewhere"
           : forecast->creeps      ? "its weight moves what no spring opposes"
           : forecast->several     ? "it has several rests, and the way there decides"
           : forecast->swings      ? "it may not come to rest"
           : forecast->path_dependent ? "torque limits on the way decide where it rests"
           : forecast->step_unknown   ? "the length of the steps is not known: 0.01 s is assumed"
           : forecast->wedged ? "its joints hardly give in some direction: its force is not known"
           : forecast->force_drifts ? "the force on its wall still changes: its force is not known"
                                    : NULL;
}
