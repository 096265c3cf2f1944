// SPDX-License-Identifier: MIT
// Finds natural postures with which a point rests at a wished pose under a known load. A change n
// of the natural postures moves the joints x at the loaded rest by dx/dn = K^-1 df/dn, where f are
// the joint torques. Newton steps take the dn of least norm with J dx/dn dn = e, where e is the
// displacement from the point's rest to the wished pose.
#include <stdio.h>
#include <string.h>

#include "numbers.h"
#include "sensitivity_variable.h"
#include "shared/dense.h"

// The wished pose is met if the point rests within this distance (m) and angle (rad) of it.
#define MET 1e-6
// Largest change of a natural posture in a step, rad or m.
#define MOST_CHANGE 0.5
// Damping of the normal equations, as a fraction of their trace: it keeps the matrix regular if no
// natural posture moves the point in some direction.
#define DAMPING 1e-9
// A step is halved if more than this fraction of |e| remains after it.
#define GAIN 0.999

enum { STEPS = 100, HALVINGS = 12 };

typedef struct Natural {
    const PoiseNaturalDef* def;
    Rest rest;
    int count; ///< number of natural coordinates that the search may change
    PoiseVariable* variables;
    Variable* opened;
    double* change;  ///< by variable: the natural posture minus the present one
    double* trial;   ///< by variable: values of `change` in a trial step
    double* step;    ///< by variable: the full Newton step
    double part;     ///< fraction of the last Newton step that was taken
    double* columns; ///< by variable: J dx/dn, LOADS numbers
    double* moved;   ///< by variable and velocity: dx/dn
    double* none;    ///< by velocity: zeros
    Arrays arrays;
} Natural;

// ------------------------------------------------------------------------------------------ checks

static bool is_finite3(PoiseVec3 v) {
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

static PoiseStatus check(PoiseRig* rig, const PoiseNaturalDef* def,
                         const PoiseNaturalPosture* postures, int capacity,
                         const PoiseNaturalDesign* design) {
    const char* call = "poise_rig_design_natural";
    if (!def || !postures || !design || capacity < 0) {
        return poise__rig_fail(
            rig, POISE_ERROR_INVALID_ARGUMENT,
            "%s: give it a def, postures and a design, and a capacity of 0 or more", call);
    }
    if (!poise_point_is_valid(rig->state.tree, def->point)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                               "%s: the point is null, destroyed, or of another tree", call);
    }
    const PoiseQuat q = def->rest.q;
    const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(def->place || def->rotation) || !is_finite3(def->rest.p) || !isfinite(square) ||
        (def->rotation && !(square > 0.0))) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: the wished rest is no pose, or no part of it is wished", call);
    }
    if (!is_finite3(def->force) || !is_finite3(def->torque) || !(def->step >= 0.0) ||
        isinf(def->step)) {
        return poise__rig_fail(
            rig, POISE_ERROR_INVALID_ARGUMENT,
            "%s: the load and the step are finite, the step of %g s is 0 or more", call, def->step);
    }
    return POISE_OK;
}

// ------------------------------------------------------------------------------------------ memory

// True if a velocity of the binding has a natural posture that the search may change.
static bool counts(const Natural* n, const Binding* binding, int velocity) {
    return poise__sort(binding->type, velocity) == poise__binding_main_sort(binding) &&
           binding->original[poise__binding_main_sort(binding)].stiffness > 0.0 &&
           poise__moves_point(n->rest.statics.state.tree, n->def->point, binding->node);
}

static bool take_memory(Natural* n) {
    const PoiseRig* rig = n->rest.statics.state.rig;
    const int most = n->rest.statics.count;
    const BlockArray list[] = {
        BLOCK_ARRAY(n->opened, most),          BLOCK_ARRAY(n->change, most),
        BLOCK_ARRAY(n->trial, most),           BLOCK_ARRAY(n->step, most),
        BLOCK_ARRAY(n->columns, LOADS * most), BLOCK_ARRAY(n->none, most),
        BLOCK_ARRAY(n->moved, most * most),    BLOCK_ARRAY(n->variables, most)};
    if (!poise__arrays_open(&n->arrays, &rig->host, list, sizeof list / sizeof *list)) {
        return false;
    }
    for (int b = 0; b < rig->binding_count; b++) {
        for (int v = 0; v < rig->bindings[b].type->nv; v++) {
            if (counts(n, &rig->bindings[b], v)) {
                n->variables[n->count++] = (PoiseVariable){
                    .kind = POISE_VARIABLE_NATURAL, .node = rig->bindings[b].node, .axis = v};
            }
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------------ search

// Fills e, world: displacement and rotation from the point's rest to the wished pose; zeros for a
// position or rotation that is not wished.
static void fill_error(const Natural* n, double error[LOADS]) {
    const PoisePose at = poise_point_planned_pose(n->rest.statics.state.tree, n->def->point);
    const PoiseVec3 none = {0.0, 0.0, 0.0};
    const PoiseVec3 p = n->def->place ? poise_sub(n->def->rest.p, at.p) : none;
    const PoiseVec3 turn = n->def->rotation
                               ? poise_quat_log(poise_quat_mul(poise_quat_normalize(n->def->rest.q),
                                                               poise_quat_conjugate(at.q)))
                               : none;
    const double numbers[LOADS] = {p.x, p.y, p.z, turn.x, turn.y, turn.z};
    memcpy(error, numbers, sizeof numbers);
}

static double miss_of(const double error[LOADS], int first) {
    return sqrt(poise__numbers_dot(&error[first], &error[first], 3));
}

// Sets the natural postures to those at the start plus `change`, all axes of a node at once.
static void set_natural(Natural* n, const double* change) {
    RigState* state = &n->rest.statics.state;
    for (int i = 0; i < n->count;) {
        const Variable* variable = &n->opened[i];
        double natural[POISE_MAX_NQ];
        double by[POISE_MAX_NV] = {0.0};
        memcpy(natural, variable->natural, sizeof natural);
        for (; i < n->count && n->opened[i].binding == variable->binding; i++) {
            by[n->variables[i].axis] = change[i];
        }
        poise_joint_integrate(variable->binding->type, natural, by);
        poise__binding_set_natural(variable->binding, natural);
    }
    poise__reference_pull(state, state->tree, &n->rest.statics.solve);
    if (n->rest.statics.reference) {
        poise__reference_pull(state, n->rest.statics.reference, &n->rest.statics.solve);
    }
}

// Sets the natural postures of `change`, moves the rest to the equilibrium with them, and fills e
// and J dx/dn there.
static PoiseStatus find_balance(Natural* n, const double* change, double error[LOADS]) {
    const int velocities = n->rest.statics.count;
    Tangent tangent = {0};
    set_natural(n, change);
    poise__rest_displace(&n->rest, n->none, 0.0, n->count > 0 && n->opened[0].follows);
    poise__rest_keep(&n->rest);
    const Derived derived = {&n->def->point, 1, n->variables, n->count, n->moved};
    const PoiseStatus status = poise__variables_solve(&n->rest, &tangent, &derived);
    fill_error(n, error);
    for (int i = 0; i < n->count * LOADS && status == POISE_OK; i++) {
        const int r = i % LOADS;
        const double* moved = &n->moved[i / LOADS * velocities];
        const bool wished = r < 3 ? n->def->place : n->def->rotation;
        n->columns[i] =
            wished ? poise__numbers_dot(&tangent.j[r * velocities], moved, velocities) : 0.0;
    }
    poise__tangent_close(&tangent);
    return status;
}

// Fills the least-norm step C^T (C C^T + damping)^-1 e with C = J dx/dn, at most MOST_CHANGE.
static void fill_step(const Natural* n, const double error[LOADS], double* step) {
    double normal[LOADS * LOADS], right[LOADS];
    double trace = 0.0;
    for (int r = 0; r < LOADS; r++) {
        right[r] = error[r];
        for (int c = 0; c < LOADS; c++) {
            double sum = 0.0;
            for (int i = 0; i < n->count; i++) {
                sum += n->columns[i * LOADS + r] * n->columns[i * LOADS + c];
            }
            normal[r * LOADS + c] = sum;
        }
        trace += normal[r * LOADS + r];
    }
    for (int r = 0; r < LOADS; r++) {
        normal[r * LOADS + r] += DAMPING * trace + 1e-300;
    }
    const PoiseCholesky shape = {.rows = LOADS, .stride = LOADS, .zero = 1e-300};
    poise_cholesky_factor(&shape, normal);
    poise_cholesky_solve(&shape, normal, right);
    for (int i = 0; i < n->count; i++) {
        step[i] = poise__numbers_dot(&n->columns[i * LOADS], right, LOADS);
    }
    const double most = poise__numbers_largest(step, n->count);
    for (int i = 0; i < n->count && most > MOST_CHANGE; i++) {
        step[i] *= MOST_CHANGE / most;
    }
}

static double size_of(const double error[LOADS]) {
    return sqrt(poise__numbers_dot(error, error, LOADS));
}

// Takes a Newton step from `change`, halved until the point comes nearer to the wished pose.
// POISE_DEGRADED if HALVINGS halvings do not suffice.
static PoiseStatus take_step(Natural* n, double error[LOADS]) {
    const double before = size_of(error);
    fill_step(n, error, n->step);
    // begins with twice the last fraction: near torque limits most steps are as short as the last
    double part = poise_min(1.0, 2.0 * n->part);
    for (int i = 0; i < HALVINGS; i++, part *= 0.5) {
        for (int k = 0; k < n->count; k++) {
            n->trial[k] = n->change[k] + part * n->step[k];
        }
        const PoiseStatus status = find_balance(n, n->trial, error);
        if (status < 0) {
            return status;
        }
        if (status == POISE_OK && size_of(error) < GAIN * before) {
            memcpy(n->change, n->trial, (size_t)n->count * sizeof *n->change);
            n->part = part;
            return POISE_OK;
        }
    }
    const PoiseStatus status = find_balance(n, n->change, error);
    return status < 0 ? status : POISE_DEGRADED;
}

static bool is_met(const double error[LOADS]) {
    return miss_of(error, 0) <= MET && miss_of(error, 3) <= MET;
}

static void fill_result(Natural* n, const double error[LOADS], PoiseNaturalPosture* postures,
                        PoiseNaturalDesign* design) {
    design->miss = miss_of(error, 0);
    design->angle_miss = miss_of(error, 3);
    design->count = 0;
    for (int i = 0; i < n->count; i++) {
        const Binding* binding = n->opened[i].binding;
        if (i == 0 || n->opened[i - 1].binding != binding) {
            PoiseNaturalPosture* posture = &postures[design->count++];
            posture->node = binding->node;
            posture->count = binding->type->nq;
            memcpy(posture->posture, binding->natural,
                   (size_t)binding->type->nq * sizeof *binding->natural);
        }
    }
    if (!is_met(error)) {
        design->end = POISE_DESIGN_NEAREST;
        snprintf(design->why, sizeof design->why,
                 "under this load it rests %.3g m and %.3g rad off: no natural postures of %d "
                 "joints were found that do better",
                 design->miss, design->angle_miss, design->count);
    }
}

static PoiseStatus search(Natural* n, PoiseNaturalPosture* postures, PoiseNaturalDesign* design) {
    const PoiseNaturalDef* def = n->def;
    Statics* statics = &n->rest.statics;
    double error[LOADS];
    for (int i = 0; i < n->count; i++) {
        n->opened[i] = poise__variable_open(&n->rest, &n->variables[i]);
    }
    const double load[LOADS] = {def->force.x,  def->force.y,  def->force.z,
                                def->torque.x, def->torque.y, def->torque.z};
    memcpy(statics->load, load, sizeof load);
    statics->loaded = def->point;
    PoiseStatus status = find_balance(n, n->change, error);
    if (status == POISE_OK) {
        design->miss_before = miss_of(error, 0);
        design->angle_miss_before = miss_of(error, 3);
        for (int i = 0; i < STEPS && status == POISE_OK && n->count > 0 && !is_met(error); i++) {
            status = take_step(n, error);
        }
        if (status >= 0) {
            fill_result(n, error, postures, design);
            status = POISE_OK;
        }
    } else if (status == POISE_DEGRADED) {
        snprintf(design->why, sizeof design->why, "it has no rest under this load");
    }
    return statics->state.noted < 0 ? statics->state.noted : status;
}

// Opens the rest of the copied rig and searches for the natural postures.
static PoiseStatus work(PoiseRig* rig, Natural* n, PoiseNaturalPosture* postures, int capacity,
                        PoiseNaturalDesign* design) {
    PoiseStatus status = poise__rest_open(&n->rest, poise__rest_rig(rig));
    if (status >= 0 && !take_memory(n)) {
        status = POISE_ERROR_OUT_OF_MEMORY;
    }
    int nodes = 0;
    for (int i = 0; i < n->count && status >= 0; i++) {
        nodes += i == 0 || !poise__is_node(n->variables[i].node, n->variables[i - 1].node);
    }
    if (nodes > capacity) {
        status =
            poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                            "poise_rig_design_natural: %d nodes, and room for %d", nodes, capacity);
    } else if (status >= 0) {
        status = search(n, postures, design);
    }
    poise__arrays_close(&n->arrays);
    poise__rest_close(&n->rest);
    return status;
}

PoiseStatus poise_rig_design_natural(PoiseRig* rig, const PoiseNaturalDef* def,
                                     PoiseNaturalPosture* postures, int capacity,
                                     PoiseNaturalDesign* design) {
    PoiseStatus status =
        rig ? check(rig, def, postures, capacity, design) : POISE_ERROR_INVALID_ARGUMENT;
    if (status < 0) {
        return status;
    }
    memset(design, 0, sizeof *design);
    status = poise__rest_settle(rig, def->point, NULL, def->step, design->why);
    if (status == POISE_OK) {
        Natural n = {.def = def, .part = 1.0};
        status = work(rig, &n, postures, capacity, design);
    }
    if (status == POISE_DEGRADED) {
        design->end = POISE_DESIGN_NO_REST;
        status = POISE_OK;
    }
    poise__rest_forget(rig);
    return status < 0 && status != POISE_ERROR_INVALID_ARGUMENT
               ? poise__rig_fail(rig, status, "poise_rig_design_natural: %s",
                                 poise_status_name(status))
               : status;
}
