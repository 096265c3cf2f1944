// SPDX-License-Identifier: MIT
// The last steps to a rest, where joints by their own stiffness alone come there slowly or not at
// all: theta_ik = theta + omega(theta) opposes a motion of the null space by p_orig alone, and a
// sweep's omega depends on the joints in turn. Newton's, with the gradient of all torques by
// central differences, each step shortened until the torques are less.
#include <math.h>
#include <string.h>

#include "poise/dense.h"
#include "statics.h"

enum { MOST_NEWTON_STEPS = 40, MOST_HALVINGS = 6 };

// of the central differences, rad and m
#define NUDGE 1e-6
// a pivot below this part of the largest is 0
#define SINGULAR 1e-9
// the largest step, rad or m
#define MOST_STEP 0.3
// rest is when no joint moves by more than this, rad and m; torques are known to this part of their
// springs'
#define AT_REST 1e-9

typedef struct Newton {
    int count;
    double* matrix; ///< -dT/dq
    double* displacement;
    double* kept; ///< torques
    double* postures;
    int* order;
    void* memory;
    size_t bytes;
} Newton;

static bool open_newton(Newton* newton, Equilibrium* equilibrium) {
    const size_t n = (size_t)equilibrium->count;
    const size_t nodes = (size_t)poise_tree_node_count(equilibrium->state.tree);
    newton->count = equilibrium->count;
    newton->bytes =
        (n * n + 2 * n + nodes * POISE_MAX_POSTURE) * sizeof(double) + (n + 1) * sizeof(int);
    newton->matrix = (double*)poise_host_allocate(&equilibrium->state.rig->host, newton->bytes);
    newton->memory = newton->matrix;
    if (!newton->memory) {
        poise__note(&equilibrium->state, POISE_ERROR_OUT_OF_MEMORY);
        return false;
    }
    newton->displacement = newton->matrix + n * n;
    newton->kept = newton->displacement + n;
    newton->postures = newton->kept + n;
    newton->order = (int*)(void*)(newton->postures + nodes * POISE_MAX_POSTURE);
    return true;
}

// how far the torques would move the joints by their own stiffness, the largest, rad or m
static double torque_size(const Equilibrium* equilibrium) {
    double most = 0.0;
    for (int i = 0; i < equilibrium->count; i++) {
        const double k = equilibrium->stiffness[i];
        most = k > 0.0 ? poise_max(most, fabs(equilibrium->torque[i]) / k) : most;
    }
    return most;
}

static void fill_matrix(Equilibrium* equilibrium, Newton* newton) {
    RigState* state = &equilibrium->state;
    const int n = newton->count;
    for (int b = 0; b < state->rig->binding_count; b++) {
        for (int d = 0; d < state->rig->bindings[b].type->nv; d++) {
            const int k = state->press.first[b] + d;
            for (int side = 0; equilibrium->stiffness[k] > 0.0 && side < 2; side++) {
                double step[POISE_MAX_DOF] = {0.0};
                step[d] = side == 0 ? NUDGE : -NUDGE;
                poise__note(state, poise_forward(state->tree));
                poise__note(state, poise_node_shift(state->tree, state->rig->bindings[b].node, step,
                                                    state->rig->bindings[b].type->nv));
                poise__equilibrium_torques(equilibrium, false);
                poise__postures_restore(state, state->tree, newton->postures);
                for (int i = 0; i < n; i++) {
                    newton->matrix[i * n + k] -= equilibrium->torque[i] / (2.0 * step[d]);
                }
            }
        }
    }
    for (int i = 0; i < n; i++) {
        // a joint without a spring stays where it is
        for (int k = 0; !(equilibrium->stiffness[i] > 0.0) && k < n; k++) {
            newton->matrix[i * n + k] = i == k ? 1.0 : 0.0;
        }
    }
}

// goes a part of the way
static void go(Equilibrium* equilibrium, const Newton* newton, double part) {
    RigState* state = &equilibrium->state;
    poise__postures_restore(state, state->tree, newton->postures);
    poise__note(state, poise_forward(state->tree));
    for (int b = 0; b < state->rig->binding_count; b++) {
        double step[POISE_MAX_DOF] = {0.0};
        for (int d = 0; d < state->rig->bindings[b].type->nv; d++) {
            step[d] = part * newton->displacement[state->press.first[b] + d];
        }
        poise__note(state, poise_node_shift(state->tree, state->rig->bindings[b].node, step,
                                            state->rig->bindings[b].type->nv));
    }
    poise__equilibrium_torques(equilibrium, false);
}

// one step; returns how far it went, or a negative number where none helps
static double step_down(Equilibrium* equilibrium, Newton* newton, double size) {
    const int n = newton->count;
    poise__postures_keep(equilibrium->state.tree, newton->postures);
    memcpy(newton->kept, equilibrium->torque, (size_t)n * sizeof *newton->kept);
    memset(newton->matrix, 0, (size_t)(n * n) * sizeof *newton->matrix);
    fill_matrix(equilibrium, newton);
    for (int i = 0; i < n; i++) {
        newton->displacement[i] = equilibrium->stiffness[i] > 0.0 ? newton->kept[i] : 0.0;
    }
    const PoiseEquations equations = {n, 1, newton->matrix, newton->displacement, newton->order};
    const int rank = poise_dense_eliminate(&equations, SINGULAR);
    double most = rank > 0 && equilibrium->state.noted >= 0 ? 0.0 : HUGE_VAL;
    for (int i = 0; i < n; i++) {
        most = poise_max(most, fabs(newton->displacement[i]));
    }
    if (!isfinite(most)) {
        return -1.0;
    }
    double part = most > MOST_STEP ? MOST_STEP / most : 1.0;
    for (int halved = 0; halved < MOST_HALVINGS; halved++, part *= 0.5) {
        go(equilibrium, newton, part);
        if (torque_size(equilibrium) < size || most * part <= AT_REST) {
            return most * part;
        }
    }
    go(equilibrium, newton, 0.0);
    return -1.0;
}

bool poise__equilibrium_newton(Equilibrium* equilibrium) {
    Newton newton;
    if (!open_newton(&newton, equilibrium)) {
        return false;
    }
    bool rests = false;
    bool helps = true;
    poise__equilibrium_torques(equilibrium, false);
    for (int i = 0; helps && !rests && i < MOST_NEWTON_STEPS; i++) {
        const double went = step_down(equilibrium, &newton, torque_size(equilibrium));
        helps = went >= 0.0;
        rests = helps && went <= AT_REST;
    }
    poise_host_release(&equilibrium->state.rig->host, newton.memory, newton.bytes);
    return rests;
}
