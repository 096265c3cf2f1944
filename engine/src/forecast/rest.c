// SPDX-License-Identifier: MIT
// Moves the rest of a rig's copy (the equilibrium that forecast.c found) by given displacements, or
// by Newton steps to the equilibrium of changed springs. Finds the stops and loop forces there.
#include "rest.h"

#include <string.h>

#include "numbers.h"

// The springs are in equilibrium if the Newton step moves no joint farther than this, rad or m.
#define BALANCED 1e-9
// Largest displacement of a Newton step, rad or m.
#define MOST_STEP 0.3
// Least posture_rate of the own posture here: the fraction of its distance to the natural posture
// that a solve covers. The equilibrium does not depend on the rate; at 0.002 thousands of solves
// did not reach it.
#define PULL 0.5

enum { NEWTON_STEPS = 20 };

bool poise__moves_point(PoiseTree* tree, PoisePointId point, PoiseNodeId node) {
    double block[6 * POISE_MAX_DOF];
    const int dof = poise_point_jacobian(tree, point, node, block);
    return poise__numbers_largest(block, 6 * dof) > 0.0;
}

PoiseStatus poise__rest_open(Rest* rest, PoiseRig* rig) {
    memset(rest, 0, sizeof *rest);
    const PoiseStatus status = poise__statics_open(&rest->statics, rig);
    if (status < 0) {
        return status;
    }
    PoiseSolveDef* solve = &rest->statics.solve;
    if (rest->statics.reference && solve->posture_rate > 0.0) {
        solve->posture_rate = poise_max(solve->posture_rate, PULL);
    }
    const size_t numbers = poise__statics_numbers(&rest->statics);
    const BlockArray list[] = {BLOCK_ARRAY(rest->kept, numbers), BLOCK_ARRAY(rest->begin, numbers),
                               BLOCK_ARRAY(rest->step, rest->statics.count)};
    if (!poise__arrays_open(&rest->arrays, &rig->host, list, 3)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    poise__statics_rest(&rest->statics);
    poise__rest_keep(rest);
    return rest->statics.state.noted;
}

void poise__rest_close(Rest* rest) {
    poise__arrays_close(&rest->arrays);
    poise__statics_close(&rest->statics);
    memset(rest, 0, sizeof *rest);
}

void poise__rest_keep(Rest* rest) {
    poise__statics_save(&rest->statics, rest->kept);
}

void poise__rest_return(Rest* rest) {
    poise__statics_restore(&rest->statics, rest->kept);
}

void poise__rest_displace(Rest* rest, const double* displacement, double part, bool follows) {
    Statics* statics = &rest->statics;
    poise__rest_return(rest);
    poise__statics_shift(statics, displacement, part);
    poise__statics_follow(statics, follows);
    statics->at_rest = false;
    poise__statics_rest(statics);
}

// Opens the equations at the present posture and fills rest->step with the Newton step to the
// equilibrium.
static PoiseStatus find_step(Rest* rest, Tangent* tangent, const PoisePointId* points, int count,
                             int others) {
    Statics* statics = &rest->statics;
    PoiseStatus status = poise__tangent_open(tangent, statics, points, count, others + 1);
    if (status == POISE_OK) {
        poise__tangent_set_load(tangent, others, statics->torque);
        const int column = count * LOADS + others;
        status = poise__tangent_solve(tangent) && poise__tangent_balances(tangent, column, 1)
                     ? POISE_OK
                     : POISE_DEGRADED;
        for (int v = 0; v < statics->count; v++) {
            rest->step[v] = poise__tangent_moved(tangent, column, v);
        }
    }
    return status;
}

PoiseStatus poise__rest_tangent(Rest* rest, Tangent* tangent, const PoisePointId* points, int count,
                                int others) {
    Statics* statics = &rest->statics;
    const size_t bytes = poise__statics_numbers(statics) * sizeof *rest->begin;
    PoiseStatus status = POISE_DEGRADED;
    memcpy(rest->begin, rest->kept, bytes);
    poise__rest_return(rest);
    statics->at_rest = false;
    poise__statics_rest(statics);
    for (int i = 0; i < NEWTON_STEPS; i++) {
        status = find_step(rest, tangent, points, count, others);
        const double moves = poise__numbers_largest(rest->step, statics->count);
        if (status != POISE_OK) {
            break;
        }
        if (moves <= BALANCED) {
            return POISE_OK;
        }
        status = POISE_DEGRADED;
        poise__tangent_close(tangent);
        poise__rest_displace(rest, rest->step, poise_min(1.0, MOST_STEP / moves), false);
        poise__rest_keep(rest);
    }
    memcpy(rest->kept, rest->begin, bytes);
    return status;
}
