// SPDX-License-Identifier: MIT
// Computes derivatives of a rest x by a variable u. The torques f(x, u) are 0 at rest, so that
// dx/du = K^-1 df/du; sensitivity_variable.c takes df/du from central differences. The derivatives
// of miss and compliance C are differences along (x + h dx/du, u + h), since C depends on x and u.
#include <stdio.h>
#include <string.h>

#include "numbers.h"
#include "poise/design.h"
#include "sensitivity_variable.h"

// Step h of the differences of the compliance: the largest displacement of a joint, rad or m, and
// the largest change of a stiffness as a fraction of the joint's stiffness.
#define COMPLIANCE_STEP 2e-3
#define COMPLIANCE_PART 1e-2
// A miss below this has no derivative, m and rad: a distance has a kink at 0.
#define KINK 1e-9

// Number of places at which a difference formula evaluates the compliance.
enum { POINTS = 5 };

// ---------------------------------------------------------------------------------------- checks

static bool is_of_node(PoiseVariableKind kind) {
    return poise__is_stiffness(kind) || kind == POISE_VARIABLE_NATURAL;
}

static PoiseStatus refuse(PoiseRig* rig, PoiseStatus status, int index, const char* why) {
    return poise__rig_fail(rig, status, "poise_rig_sensitivity: variable %d: %s", index, why);
}

static bool has_goal(const PoiseTree* tree, PoisePointId point, int axis) {
    const PoisePointKind kind = poise_point_kind(tree, point);
    const bool place = kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE ||
                       kind == POISE_POINT_COM || kind == POISE_POINT_LOOK_AT;
    const bool turn = kind == POISE_POINT_ORIENTATION || kind == POISE_POINT_POSE;
    return axis < 3 ? place : turn;
}

static PoiseStatus check_variable(PoiseRig* rig, const PoiseVariable* variable, int index) {
    const PoiseVariableKind kind = variable->kind;
    if (kind < POISE_VARIABLE_IK_STIFFNESS || kind > POISE_VARIABLE_LOAD) {
        return refuse(rig, POISE_ERROR_INVALID_ARGUMENT, index,
                      "its kind is none of POISE_VARIABLE_*");
    }
    if (is_of_node(kind)) {
        const Binding* binding = poise__binding(rig, variable->node);
        if (!binding) {
            return refuse(rig, POISE_ERROR_INVALID_HANDLE, index, "its node is not bound");
        }
        if (kind == POISE_VARIABLE_IK_STIFFNESS && !binding->follows_ik) {
            return refuse(rig, POISE_ERROR_WRONG_KIND, index,
                          "no IK spring drives its node: give it one, and a point");
        }
        if (kind == POISE_VARIABLE_NATURAL &&
            (variable->axis < 0 || variable->axis >= binding->type->nv)) {
            return refuse(rig, POISE_ERROR_INVALID_ARGUMENT, index,
                          "its node has no velocity of that axis");
        }
        return POISE_OK;
    }
    if (!poise_point_is_valid(rig->state.tree, variable->point)) {
        return refuse(rig, POISE_ERROR_INVALID_HANDLE, index,
                      "its point is null, destroyed, or of another tree");
    }
    if (variable->axis < 0 || variable->axis >= LOADS) {
        return refuse(rig, POISE_ERROR_INVALID_ARGUMENT, index, "its axis is 0 to 5");
    }
    if (kind == POISE_VARIABLE_GOAL &&
        !has_goal(rig->state.tree, variable->point, variable->axis)) {
        return refuse(rig, POISE_ERROR_WRONG_KIND, index, "its point has no such goal");
    }
    return POISE_OK;
}

static PoiseStatus check(PoiseRig* rig, const PoiseSensitivityDef* def,
                         const PoiseForecast* forecasts, const PoiseSensitivity* out) {
    const bool whole = def && def->points && def->variables && forecasts && out;
    if (!whole || def->point_count < 1 || def->variable_count < 1) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_rig_sensitivity: give it points, variables, forecasts and "
                               "sensitivities, at least 1 of each");
    }
    if (!(def->step >= 0.0) || isinf(def->step)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_rig_sensitivity: step is %g s; it is finite and 0 or more",
                               def->step);
    }
    for (int i = 0; i < def->point_count; i++) {
        if (!poise_point_is_valid(rig->state.tree, def->points[i])) {
            return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                                   "poise_rig_sensitivity: point %d is null, destroyed, or of "
                                   "another tree",
                                   i);
        }
    }
    PoiseStatus status = poise__read_sets(rig);
    for (int i = 0; i < def->variable_count && status >= 0; i++) {
        status = check_variable(rig, &def->variables[i], i);
    }
    return status;
}

// ------------------------------------------------------------------------------------- derivatives

/// Arguments and memory of one call.
typedef struct Derivatives {
    const PoiseSensitivityDef* def;
    Rest rest;
    Variable* works;
    double* moved; ///< by variable and velocity: dx/du
    /// By point: miss and compliance at the displaced posture of which the difference is taken.
    PoiseForecast* figures;
    Arrays arrays;
} Derivatives;

static bool take_memory(Derivatives* d, const PoiseHost* host) {
    const int variables = d->def->variable_count;
    const BlockArray list[] = {BLOCK_ARRAY(d->works, variables),
                               BLOCK_ARRAY(d->figures, d->def->point_count),
                               BLOCK_ARRAY(d->moved, variables * d->rest.statics.count)};
    return poise__arrays_open(&d->arrays, host, list, 3);
}

// Finds the equilibrium and solves for all variables at once. Fills dx/du and the derivatives of
// the points' poses, J dx/du.
static PoiseStatus solve(Derivatives* d, PoiseSensitivity* out) {
    const PoiseSensitivityDef* def = d->def;
    const int count = d->rest.statics.count;
    Tangent tangent = {0};
    const Derived derived = {def->points, def->point_count, def->variables, def->variable_count,
                             d->moved};
    const PoiseStatus status = poise__variables_solve(&d->rest, &tangent, &derived);
    for (int i = 0; i < def->point_count * def->variable_count && status == POISE_OK; i++) {
        const double* moved = &d->moved[i % def->variable_count * count];
        for (int r = 0; r < LOADS; r++) {
            const double* row = &tangent.j[(i / def->variable_count * LOADS + r) * count];
            out[i].pose[r] = poise__numbers_dot(row, moved, count);
        }
    }
    poise__tangent_close(&tangent);
    return status;
}

// Returns the step h of variable v for the differences of the compliance.
static double compliance_step(const Derivatives* d, int v) {
    const double* moved = &d->moved[v * d->rest.statics.count];
    const PoiseVariableKind kind = d->works[v].of->kind;
    double largest = kind == POISE_VARIABLE_NATURAL || kind == POISE_VARIABLE_GOAL ? 1.0 : 0.0;
    for (int i = 0; i < d->rest.statics.count; i++) {
        largest = poise_max(largest, fabs(moved[i]));
    }
    const double step = COMPLIANCE_STEP / poise_max(largest, 1e-12);
    if (!poise__is_stiffness(kind)) {
        return step;
    }
    const Binding* binding = d->works[v].binding;
    const double whole =
        poise__binding_spring(binding, poise__binding_main_sort(binding)).stiffness;
    return poise_min(step, COMPLIANCE_PART * (whole > 0.0 ? whole : 1.0));
}

static PoiseStatus read_figures(Derivatives* d) {
    const PoiseSensitivityDef* def = d->def;
    Statics* statics = &d->rest.statics;
    for (int p = 0; p < def->point_count; p++) {
        d->figures[p].miss = poise_point_planned_error(statics->state.tree, def->points[p]);
        d->figures[p].angle_miss =
            poise_point_planned_angle_error(statics->state.tree, def->points[p]);
    }
    return poise__tangent_compliances(statics, def->points, def->point_count, d->figures);
}

// Adds `weight` times the miss and compliance of the present place to the derivatives by variable
// v.
static void add_figures(const Derivatives* d, int v, double weight, PoiseSensitivity* out) {
    for (int p = 0; p < d->def->point_count; p++) {
        const PoiseForecast* at = &d->figures[p];
        PoiseSensitivity* to = &out[p * d->def->variable_count + v];
        to->miss += at->miss > KINK ? weight * at->miss : (double)NAN;
        to->angle_miss += at->angle_miss > KINK ? weight * at->angle_miss : (double)NAN;
        for (int i = 0; i < 9; i++) {
            to->compliance[i] += weight * at->compliance[i];
            to->turn_compliance[i] += weight * at->turn_compliance[i];
        }
    }
}

// Fills the derivatives of miss and compliance by variable v: central differences of fourth order,
// or forward ones for a stiffness near 0.
static PoiseStatus differentiate(Derivatives* d, int v, PoiseSensitivity* out) {
    static const double central[POINTS] = {-2.0, -1.0, 0.0, 1.0, 2.0};
    static const double central_weights[POINTS] = {1.0 / 12, -8.0 / 12, 0.0, 8.0 / 12, -1.0 / 12};
    static const double forward[POINTS] = {0.0, 1.0, 2.0, 3.0, 4.0};
    static const double forward_weights[POINTS] = {-25.0 / 12, 48.0 / 12, -36.0 / 12, 16.0 / 12,
                                                   -3.0 / 12};
    const Variable* variable = &d->works[v];
    const double* moved = &d->moved[v * d->rest.statics.count];
    const double step = compliance_step(d, v);
    const bool one_sided = poise__is_stiffness(variable->of->kind) && variable->value <= 2.0 * step;
    PoiseStatus status = POISE_OK;
    for (int p = 0; p < d->def->point_count; p++) {
        PoiseSensitivity* to = &out[p * d->def->variable_count + v];
        to->miss = to->angle_miss = 0.0;
        memset(to->compliance, 0, sizeof to->compliance);
        memset(to->turn_compliance, 0, sizeof to->turn_compliance);
    }
    for (int k = 0; k < POINTS && status >= 0; k++) {
        const double weight = one_sided ? forward_weights[k] : central_weights[k];
        const double by = step * (one_sided ? forward[k] : central[k]);
        if (weight == 0.0) {
            continue;
        }
        poise__variable_change(&d->rest, variable, by);
        poise__rest_displace(&d->rest, moved, by, variable->follows);
        status = read_figures(d);
        add_figures(d, v, weight / step, out);
    }
    poise__variable_change(&d->rest, variable, 0.0);
    return status;
}

// ------------------------------------------------------------------------------------------ kinks

// Returns a joint that touches a stop without pressing on it, so that a small load may activate the
// stop; or NULL.
static const JointState* touching(const Statics* statics) {
    for (int b = 0; b < statics->state.rig->binding_count; b++) {
        const JointState* joint = &statics->state.joints[b];
        double push[POISE_MAX_NV];
        unsigned near = 0;
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < POISE_MAX_NV; i++) {
                push[i] = side == 0 ? 1.0 : -1.0;
            }
            near |= poise__joint_find_stops(joint, push);
        }
        if ((near & ~joint->stops) != 0) {
            return joint;
        }
    }
    return NULL;
}

// Writes into `why` a sentence that says why the rest has no derivatives; "" if it has.
static void find_kink(const Statics* statics, const PoiseForecast* forecast, char* why,
                      size_t size) {
    why[0] = '\0';
    const JointState* joint = touching(statics);
    if (forecast->end != POISE_FORECAST_SETTLES) {
        snprintf(why, size, "no derivatives: it %s%s%.120s", poise_forecast_end_name(forecast->end),
                 forecast->why[0] ? ": " : "", forecast->why);
    } else if (statics->state.press.point_count > 0) {
        snprintf(why, size, "no derivatives: a point presses, and its rest depends on how it came");
    } else if (poise__rig_is_tied(statics->state.rig)) {
        snprintf(why, size, "no derivatives: some joints mimic others");
    } else if (forecast->limited > 0) {
        snprintf(why, size, "not differentiable here: node %u is at its torque limit",
                 (unsigned)forecast->limited_nodes[0].index1);
    } else if (joint) {
        snprintf(why, size, "not differentiable here: node %u touches a stop and does not press",
                 (unsigned)joint->of->node.index1);
    }
}

static void fill_none(const PoiseSensitivityDef* def, PoiseForecast* forecasts, const char* why,
                      PoiseSensitivity* out) {
    for (int i = 0; i < def->point_count; i++) {
        snprintf(forecasts[i].why, sizeof forecasts[i].why, "%s", why);
    }
    double* numbers = (double*)out;
    const size_t count = (size_t)(def->point_count * def->variable_count) * sizeof *out;
    for (size_t i = 0; i < count / sizeof(double); i++) {
        numbers[i] = (double)NAN;
    }
}

static PoiseStatus derive(PoiseRig* rig, const PoiseSensitivityDef* def, PoiseForecast* forecasts,
                          PoiseSensitivity* out) {
    Derivatives d = {.def = def};
    char why[POISE_FORECAST_WHY];
    PoiseStatus status = poise__rest_open(&d.rest, poise__rest_rig(rig));
    if (status >= 0) {
        find_kink(&d.rest.statics, &forecasts[0], why, sizeof why);
        status = why[0]                        ? POISE_DEGRADED
                 : take_memory(&d, &rig->host) ? POISE_OK
                                               : POISE_ERROR_OUT_OF_MEMORY;
    }
    for (int v = 0; v < def->variable_count && status == POISE_OK; v++) {
        d.works[v] = poise__variable_open(&d.rest, &def->variables[v]);
    }
    if (status == POISE_OK) {
        snprintf(why, sizeof why, "no derivatives: some motion meets no stiffness");
        status = solve(&d, out);
    }
    for (int v = 0; v < def->variable_count && status == POISE_OK; v++) {
        status = differentiate(&d, v, out);
        for (int i = 0; def->joints && i < d.rest.statics.count; i++) {
            def->joints[v][i] = d.moved[v * d.rest.statics.count + i];
        }
    }
    status = status < 0                       ? status
             : d.rest.statics.state.noted < 0 ? d.rest.statics.state.noted
                                              : status;
    if (status == POISE_DEGRADED) {
        fill_none(def, forecasts, why, out);
    }
    poise__arrays_close(&d.arrays);
    poise__rest_close(&d.rest);
    return status;
}

PoiseStatus poise_rig_sensitivity(PoiseRig* rig, const PoiseSensitivityDef* def,
                                  PoiseForecast* forecasts, PoiseSensitivity* sensitivities) {
    PoiseStatus status =
        rig ? check(rig, def, forecasts, sensitivities) : POISE_ERROR_INVALID_ARGUMENT;
    if (status < 0) {
        return status;
    }
    const PoiseForecastDef look = {.points = def->points,
                                   .count = def->point_count,
                                   .step = def->step,
                                   .budget = WHOLE_BUDGET};
    status = poise__rest_find(rig, &look, forecasts);
    if (status >= 0 && forecasts[0].end == POISE_FORECAST_NO_COPY) {
        char why[POISE_FORECAST_WHY];
        snprintf(why, sizeof why, "%s", forecasts[0].why);
        fill_none(def, forecasts, why, sensitivities);
        status = POISE_DEGRADED;
    } else if (status >= 0) {
        status = derive(rig, def, forecasts, sensitivities);
    }
    poise__rest_forget(rig);
    return status < 0 ? poise__rig_fail(rig, status, "poise_rig_sensitivity: %s",
                                        poise_status_name(status))
                      : status;
}
