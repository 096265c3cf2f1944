// SPDX-License-Identifier: MIT
// Shortens the creep of a copy's own posture. In each solve the null space covers a small part
// (posture_rate) of the distance to the natural postures. A copy would be still only after 20 s. A
// solve is a map x' = G(x) of the own posture. Newton steps find a fixed point x = G(x); if solves
// would creep to it, the own posture leaps there, and the bodies with it. The copy is then stepped
// further: the rig's law alone decides whether it rests.
#include <string.h>

#include "numbers.h"
#include "shared/clones.h"
#include "shared/dense.h"
#include "statics.h"

// A leap is the displacement from the own posture to x. Each leap has to be shorter than this
// fraction of the leap before.
#define SHORTER 0.5
// No creep is left if the leap is at most this long, rad or m.
#define LEAST_LEAP 1e-8
// Step of the differences for G', rad or m. At 1e-6 a solve often changed its active set within a
// step, and Newton steps of an iCub did not converge.
#define NUDGE 1e-8
// Newton steps have converged if the last one was at most this long, rad or m.
#define CONVERGED 1e-9
// The derivative G' of the map is computed again after a Newton step longer than this fraction of
// the step before.
#define FAST 0.1
// The derivative G' counts as constant within this distance, rad or m.
#define SAME_MAP 0.02
// Number of solves after a Newton step longer than SAME_MAP. Such a step misses the goals by the
// square of its length. The solves remove this error, which the next Newton step would take for
// creep and divide by posture_rate.
#define SOLVES 3
// A pivot in the elimination of I - G' counts as 0 up to this fraction of the largest entry.
#define SINGULAR 1e-9
// The fixed point x is stable if no entry of G'^(2^SQUARINGS) is larger than this: 4,096 solves
// then halve a displacement from x.
#define ATTRACTS 0.5
// A motion is creep if a solve covers at most this fraction of the distance to the fixed point.
// Four robots with a posture_rate of 0.01 covered 0.005 to 0.02; a copy that oscillated covered
// 0.8.
#define CREEPS 0.25
// Squaring G' ends at an entry above this: the powers of G' diverge.
#define GROWS 1e100

// Largest number of Newton steps, of squarings of G', of places on a leap where creep is checked
// (PARTS), and of velocities. A search with MOST_VELOCITIES velocities takes 20 ms, and the time
// grows with the cube of their number.
enum { NEWTON_STEPS = 12, SQUARINGS = 12, PARTS = 8, MOST_VELOCITIES = 100 };

/// The search for the fixed point x of the map G.
typedef struct Search {
    Statics statics;
    int n;
    /// the posture x that should become the fixed point: POISE_MAX_NQ numbers for each binding
    double* x;
    double* start;  ///< the copy's own posture, in the same order
    double* moved;  ///< G(x) - x, the displacement that a solve makes, by velocity
    double* leap;   ///< x - start, the displacement of a leap, by velocity
    double* factor; ///< n x (n + 1): scratch
    double* map;    ///< G', the derivative of a solve by the posture: n x n
    int* order;
    Arrays arrays;
} Search;

// True if springs and weight alone decide where the copy rests: then the own posture does not
// depend on the bodies, and the rest does not depend on the path. False without a pull to the
// natural postures: then nothing creeps, and near a straight arm two postures may both attract.
// False with loops and feet: bodies that leap would open them.
static bool may_leap(const Copy* copy) {
    const PoiseRig* rig = copy->rig;
    bool free = rig->settings.reference == POISE_REFERENCE_OWN &&
                rig->settings.posture_rate > 0.0 && !copy->touches && !copy->swings &&
                poise__rig_velocities(rig) <= MOST_VELOCITIES && !poise__copy_reconfigures(copy) &&
                copy->wall_count == 0 && !rig->kept_apart && rig->closure_count == 0 &&
                rig->state.stance_count == 0 && !poise__rig_is_tied(rig);
    for (int b = 0; b < rig->binding_count && free; b++) {
        const Binding* binding = &rig->bindings[b];
        free = !(binding->friction > 0.0) && !rig->state.joints[b].clamped &&
               !poise__binding_is_saturated(binding);
    }
    return free;
}

static PoiseStatus open_search(Search* search, PoiseRig* rig) {
    memset(search, 0, sizeof *search);
    PoiseStatus status = poise__statics_open(&search->statics, rig);
    if (status < 0) {
        return status;
    }
    // no clamps: they are measured from the bodies' posture, which is far from x
    search->statics.clamps = false;
    const int n = search->n = search->statics.count;
    const int postures = POISE_MAX_NQ * rig->binding_count;
    const BlockArray list[] = {BLOCK_ARRAY(search->x, postures),
                               BLOCK_ARRAY(search->start, postures),
                               BLOCK_ARRAY(search->moved, n),
                               BLOCK_ARRAY(search->leap, n),
                               BLOCK_ARRAY(search->factor, n * (n + 1)),
                               BLOCK_ARRAY(search->map, n * n),
                               BLOCK_ARRAY(search->order, n)};
    if (!poise__arrays_open(&search->arrays, &rig->host, list, sizeof list / sizeof *list)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    for (int b = 0; b < rig->binding_count; b++) {
        poise__binding_read_posture(&rig->bindings[b], rig->state.tree,
                                    &search->x[POISE_MAX_NQ * b]);
    }
    memcpy(search->start, search->x, (size_t)postures * sizeof *search->x);
    return POISE_OK;
}

// Sets a tree's posture to `from` plus a displacement `step` by velocity, within the joints'
// ranges.
static void shift(RigState* state, PoiseTree* tree, const double* from, const double* step) {
    for (int b = 0; b < state->rig->binding_count; b++) {
        const Binding* binding = &state->rig->bindings[b];
        double q[POISE_MAX_NQ];
        memcpy(q, &from[POISE_MAX_NQ * b], (size_t)binding->type->nq * sizeof *q);
        if (binding->follows_ik) {
            poise_joint_integrate(binding->type, q, step);
            for (int d = 0; binding->type->nq == binding->type->nv && d < binding->type->nv; d++) {
                q[d] = poise_min(poise_max(q[d], binding->lower[d]), binding->upper[d]);
            }
            poise__note(state, poise_node_set_posture(tree, binding->node, q, binding->type->nq));
        }
        step += binding->type->nv;
    }
}

// Fills the displacement from the posture `from` to the posture `to`, by velocity.
static void difference(const Search* search, const double* to, const double* from, double* out) {
    const RigState* state = &search->statics.state;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const PoiseJointType* type = state->rig->bindings[b].type;
        poise_joint_difference(type, &to[POISE_MAX_NQ * b], &from[POISE_MAX_NQ * b], out);
        out += type->nv;
    }
}

// Fills G(x + step) - x by velocity; 0 for joints that IK does not drive.
static void map(Search* search, const double* step, double* moved) {
    RigState* state = &search->statics.state;
    shift(state, search->statics.reference, search->x, step);
    poise__statics_solve(&search->statics);
    for (int b = 0; b < state->rig->binding_count; b++) {
        const JointState* joint = &state->joints[b];
        memset(moved, 0, (size_t)joint->of->type->nv * sizeof *moved);
        if (joint->of->follows_ik) {
            poise_joint_difference(joint->of->type, joint->q_ik, &search->x[POISE_MAX_NQ * b],
                                   moved);
        }
        moved += joint->of->type->nv;
    }
}

// Fills search->moved with G(x) - x.
static void map_here(Search* search) {
    memset(search->leap, 0, (size_t)search->n * sizeof *search->leap);
    map(search, search->leap, search->moved);
}

// Fills G' at x by differences. A joint at the end of its range is moved inwards. If a solve keeps
// the joint there, its column is 0.
static void differentiate(Search* search) {
    const int n = search->n;
    double* step = search->factor;
    double* moved = search->factor + n;
    memset(step, 0, (size_t)n * sizeof *step);
    map(search, step, search->moved);
    int v = 0;
    for (int b = 0; b < search->statics.state.rig->binding_count; b++) {
        const Binding* binding = &search->statics.state.rig->bindings[b];
        for (int d = 0; d < binding->type->nv; d++, v++) {
            const bool scalar = binding->type->nq == binding->type->nv;
            const double q = search->x[POISE_MAX_NQ * b + d];
            const bool above = scalar && q + NUDGE > binding->upper[d];
            const bool ends = scalar && (above || q - NUDGE < binding->lower[d]);
            const bool kept = ends && fabs(search->moved[v]) <= CONVERGED;
            step[v] = above ? -NUDGE : NUDGE;
            if (!kept) {
                map(search, step, moved);
            }
            for (int i = 0; i < n; i++) {
                search->map[i * n + v] = kept ? 0.0 : (moved[i] - search->moved[i]) / step[v];
            }
            step[v] = 0.0;
        }
    }
}

// Replaces `moved`, G(x) - x, by the Newton step (I - G')^-1 (G(x) - x). False if I - G' is
// singular in all directions.
static bool solve(Search* search) {
    const int n = search->n;
    const PoiseEquations equations = {
        .n = n, .columns = 1, .a = search->factor, .b = search->moved, .order = search->order};
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            search->factor[i * n + k] = (i == k) - search->map[i * n + k];
        }
    }
    return poise_dense_eliminate(&equations, SINGULAR) > 0;
}

// Takes the Newton step from x to the next x. Returns its length.
static double advance(Search* search) {
    RigState* state = &search->statics.state;
    shift(state, search->statics.reference, search->x, search->moved);
    for (int b = 0; b < state->rig->binding_count; b++) {
        const Binding* binding = &state->rig->bindings[b];
        if (binding->follows_ik) {
            poise__binding_read_posture(binding, search->statics.reference,
                                        &search->x[POISE_MAX_NQ * b]);
        }
    }
    return poise__numbers_largest(search->moved, search->n);
}

// Moves x to a fixed point x = G(x) at most `most` from the start (rad or m). False if none is
// found.
static bool find_rest(Search* search, double most) {
    double length = HUGE_VAL, since = HUGE_VAL, far = 0.0;
    bool slow = true;
    for (int i = 0; i < NEWTON_STEPS && length > CONVERGED && far <= most; i++) {
        const double before = length;
        if (slow) {
            differentiate(search);
            since = 0.0;
        } else {
            map_here(search);
        }
        if (!solve(search)) {
            return false;
        }
        length = advance(search);
        for (int k = 0; k < SOLVES && length > SAME_MAP; k++) {
            map_here(search);
            advance(search);
        }
        since += length;
        slow = !(length <= FAST * before) || length > SAME_MAP;
        difference(search, search->x, search->start, search->leap);
        far = poise__numbers_largest(search->leap, search->n);
    }
    const bool found = length <= CONVERGED && far <= most;
    if (found && since > SAME_MAP) {
        differentiate(search);
    }
    return found;
}

// True if no torque limit is below the weight at the reference's posture.
static bool carries_weight(Search* search) {
    RigState* state = &search->statics.state;
    PoiseTree* tree = search->statics.reference;
    bool carries = true;
    poise__note(state, poise_gravity(tree, search->statics.gravity));
    for (int b = 0; b < state->rig->binding_count; b++) {
        const Binding* binding = &state->rig->bindings[b];
        double hold[POISE_MAX_DOF] = {0.0};
        poise_node_gravity_torque(tree, binding->node, hold);
        for (const Block* k = binding->blocks; k < binding->blocks + binding->block_count; k++) {
            carries = carries && poise__numbers_largest(&hold[k->first], k->count) <
                                     binding->force_limit[k->sort];
        }
    }
    return carries;
}

// True if solves creep towards x from all PARTS places on the leap, and the joints can carry the
// weight there. If a few solves would arrive there, but the copy has not, it swings about x and
// never rests.
static bool leads_there(Search* search) {
    bool leads = true;
    double* step = search->factor;
    double* moved = search->factor + search->n;
    for (int part = 1; part <= PARTS && leads; part++) {
        for (int i = 0; i < search->n; i++) {
            step[i] = -search->leap[i] * part / PARTS;
        }
        map(search, step, moved);
        const double whole = poise__numbers_dot(step, step, search->n);
        const double left = poise__numbers_dot(moved, moved, search->n);
        const double both = poise__numbers_dot(moved, step, search->n);
        // G(x + step) - x is shorter than the step, and near it
        leads = left < whole && left - 2.0 * both + whole <= CREEPS * CREEPS * whole &&
                carries_weight(search);
    }
    return leads;
}

// True if x is stable: repeated solves shrink all displacements from x. Squaring G' ends when all
// entries are at most ATTRACTS / n, since all further squares are then smaller.
static POISE_CLONES bool attracts(Search* search) {
    const int n = search->n;
    double largest = poise__numbers_largest(search->map, n * n);
    for (int k = 0; k < SQUARINGS && largest <= GROWS && largest > ATTRACTS / n; k++) {
        poise__numbers_multiply(search->map, search->map, search->factor, n);
        memcpy(search->map, search->factor, (size_t)(n * n) * sizeof *search->map);
        largest = poise__numbers_largest(search->map, n * n);
    }
    return largest <= ATTRACTS;
}

// Moves the own posture by the leap. If the bodies lag behind the own posture by less than the
// leap, places them there too.
static PoiseStatus leap(Copy* copy, Search* search) {
    RigState* state = &copy->rig->state;
    const double length = poise__numbers_largest(search->leap, search->n);
    shift(state, copy->tree, search->start, search->leap);
    poise__note(state, poise_forward(copy->tree));
    for (int b = 0; b < state->rig->binding_count; b++) {
        memcpy(&search->x[POISE_MAX_NQ * b], search->statics.state.joints[b].q,
               POISE_MAX_NQ * sizeof *search->x);
    }
    difference(search, search->x, search->start, search->moved);
    const double lag = poise__numbers_largest(search->moved, search->n);
    return lag < length ? poise_rig_place_bodies(copy->rig) : POISE_OK;
}

PoiseStatus poise__creep_end(Copy* copy, long* steps) {
    if (!may_leap(copy)) {
        return POISE_OK;
    }
    // 2 solves for each velocity, each with the computing time of a quarter of a step
    *steps += poise__rig_velocities(copy->rig) / 2;
    Search search;
    PoiseStatus status = open_search(&search, copy->rig);
    if (status >= 0 && find_rest(&search, copy->farthest)) {
        const double length = poise__numbers_largest(search.leap, search.n);
        if (length <= LEAST_LEAP) {
            copy->moved = 0.0; // there is no creep left
        } else if (leads_there(&search) && attracts(&search)) {
            copy->farthest = SHORTER * length;
            copy->last = HUGE_VAL; // the bodies' movement after the leap is no sign of a swing
            status = leap(copy, &search);
        }
    }
    status = status < 0 ? status : search.statics.state.noted;
    poise__arrays_close(&search.arrays);
    poise__statics_close(&search.statics);
    return status < 0 ? status : copy->rig->state.noted;
}
