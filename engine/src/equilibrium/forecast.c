// SPDX-License-Identifier: MIT
// Foresees, on a copy of the rig, where the springs come to rest ("if p_orig is too large the
// goal is missed", sec. 5.1), and how far a point gives way under a load there (compliance.c).
#include <string.h>

#include "compliance.h"
#include "numbers.h"

static PoiseStatus check_point(PoiseRig* rig, PoisePointId point, const char* call) {
    if (poise_point_is_valid(rig->state.tree, point)) {
        return POISE_OK;
    }
    return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                           "%s: point %u is null, destroyed, or of another tree", call,
                           (unsigned)point.index1);
}

static bool yields(const PoiseTree* tree, PoisePointId point) {
    double rows[36];
    return poise_point_enabled(tree, point) && poise_point_yield_rows(tree, point, rows) > 0;
}

// how far the point is from its goal in the rows that count
static void measure_rows(const PoiseTree* tree, PoisePointId point, PoiseForecast* forecast) {
    const PoisePointKind kind = poise_point_kind(tree, point);
    if (kind == POISE_POINT_DIRECTION || kind == POISE_POINT_LOOK_AT) {
        // about the axis itself nothing is asked, nor missed
        forecast->row_angle_miss = forecast->angle_miss;
        return;
    }
    const PoiseNodeId frame = poise_point_frame(tree, point);
    PoisePose goal = poise_point_goal(tree, point);
    if (frame.index1 != 0) {
        goal = poise_pose_mul(poise_node_link_world(tree, frame), goal);
    }
    const PoisePose now = poise_point_pose(tree, point);
    const PoiseVec3 displacement = poise_sub(goal.p, now.p);
    const PoiseVec3 turn = poise_quat_log(poise_quat_mul(goal.q, poise_quat_conjugate(now.q)));
    double off[6] = {displacement.x, displacement.y, displacement.z, turn.x, turn.y, turn.z};
    double rows[36];
    const int yields = poise_point_yield_rows(tree, point, rows);
    for (int r = 0; r < yields; r++) {
        const double part = poise__numbers_dot(off, &rows[6 * r], 6);
        for (int i = 0; i < 6; i++) {
            off[i] -= part * rows[6 * r + i];
        }
    }
    double squares[2] = {0.0, 0.0};
    const int count = poise_point_goal_rows(tree, point, rows);
    for (int r = 0; r < count; r++) {
        // a row is a place's or a turn's
        const double* row = &rows[6 * r];
        const bool turns = row[0] == 0.0 && row[1] == 0.0 && row[2] == 0.0;
        squares[turns] += poise__numbers_dot(off, row, 6) * poise__numbers_dot(off, row, 6);
    }
    forecast->row_miss = sqrt(squares[0]);
    forecast->row_angle_miss = sqrt(squares[1]);
}

// whether the point hangs on a base that nothing is known to hold
static bool floats(const PoiseRig* rig, const Equilibrium* equilibrium, PoisePointId point) {
    const int below = poise__binding_below(&rig->state, point);
    const int root = below == NO_BINDING ? NO_BINDING : rig->bindings[below].root;
    return root != NO_BINDING && poise__base_floats(&rig->bindings[root]) &&
           !poise__stands(&equilibrium->state, root);
}

// the joints that rest at their torque limit
static void list_limited(const Equilibrium* equilibrium, PoiseForecast* forecast) {
    for (int b = 0; b < equilibrium->state.rig->binding_count; b++) {
        const JointState* joint = &equilibrium->state.joints[b];
        if (joint->clamped && forecast->limited < POISE_FORECAST_NODES) {
            forecast->limited_nodes[forecast->limited] = joint->of->node;
        }
        forecast->limited += joint->clamped;
    }
}

// what of it is in doubt; a way that was gone is in none
static void doubt(Rest* rest) {
    PoiseForecast* common = &rest->common;
    const bool left = common->leaves;
    poise__equilibrium_doubt(&rest->equilibrium, common);
    // what friction takes is in no balance
    common->leaves = left || (common->leaves && !(common->rubs && rest->rehearsed));
    common->creeps = common->creeps && !(rest->rehearsed && rest->stays);
    common->path_dependent = common->path_dependent && !rest->rehearsed;
    common->tied = !rest->rehearsed && rest->tied;
}

// of the largest entry of a compliance: two that differ by less are one
#define SAME_COMPLIANCE 0.005

static bool give_way_alike(const double* a, const double* b) {
    double most = 0.0, off = 0.0;
    for (int i = 0; i < 9; i++) {
        most = poise_max(most, fabs(a[i]));
        off = poise_max(off, fabs(a[i] - b[i]));
    }
    return off <= SAME_COMPLIANCE * most;
}

// What reaches its last posture after minutes, its points at rest long before, gives way on the way
// there as it does there; or how it does is not known.
static PoiseStatus check_compliances(const Rest* rest, PoiseRig* rig, const PoiseForecastDef* def,
                                     PoiseForecast* forecasts) {
    Equilibrium near;
    const Way way = rest->rehearsed ? WAY_DIRECT : WAY_OF_BODIES;
    PoiseStatus status =
        poise__equilibrium_open(&near, rest->rehearsed ? rest->rehearsal.rig : rig, rest->dt);
    const bool rests = status >= 0 && poise__equilibrium_rest(&near, way, LEAD_NOT);
    for (int i = 0; status >= 0 && i < def->count; i++) {
        PoiseForecast there = forecasts[i];
        status = rests ? poise__compliances(&near, &def->points[i], 1, &there) : POISE_OK;
        const bool alike = rests && status == POISE_OK && there.loose == forecasts[i].loose &&
                           there.turns_loose == forecasts[i].turns_loose &&
                           give_way_alike(forecasts[i].compliance, there.compliance) &&
                           give_way_alike(forecasts[i].turn_compliance, there.turn_compliance);
        if (!alike) {
            memset(forecasts[i].compliance, 0, sizeof forecasts[i].compliance);
            memset(forecasts[i].turn_compliance, 0, sizeof forecasts[i].turn_compliance);
            forecasts[i].loose = forecasts[i].turns_loose = true;
        }
    }
    status = status < 0 ? status : poise__equilibrium_memory(&near);
    poise__equilibrium_finish(&near);
    return status < 0 ? status : POISE_OK;
}

// all of them at one rest
static PoiseStatus foresee(PoiseRig* rig, Rest* rest, const PoiseForecastDef* def,
                           PoiseForecast* forecasts) {
    const PoisePointId* points = def->points;
    const PoiseStatus status = poise__rest_find(rest, rig, def);
    if (status < 0) {
        return status;
    }
    Equilibrium* equilibrium = &rest->equilibrium;
    rest->firm = rest->firm && !poise__equilibrium_goes_on(equilibrium);
    list_limited(equilibrium, &rest->common);
    doubt(rest);
    const PoiseStatus memory = poise__equilibrium_memory(equilibrium);
    if (memory < 0) {
        return memory;
    }
    const PoiseTree* tree = poise__rest_tree(rest);
    for (int i = 0; i < def->count; i++) {
        PoiseForecast* forecast = &forecasts[i];
        *forecast = rest->common;
        forecast->floats = floats(rig, equilibrium, points[i]);
        forecast->yields = yields(rig->state.tree, points[i]);
        forecast->limp = !rest->rehearsed && poise__equilibrium_is_limp(equilibrium, points[i]);
        forecast->force = rest->came ? poise__rehearsal_force(&rest->rehearsal, points[i])
                                     : poise__equilibrium_force(equilibrium, points[i]);
        forecast->miss = poise_point_error(tree, points[i]);
        forecast->angle_miss = poise_point_angle_error(tree, points[i]);
        forecast->loose = forecast->turns_loose = !rest->firm;
        measure_rows(tree, points[i], forecast);
    }
    if (!rest->common.rests || !rest->firm) {
        return rest->common.rests ? POISE_OK : POISE_NOT_CONVERGED;
    }
    const PoiseStatus found = poise__compliances(equilibrium, points, def->count, forecasts);
    const PoiseStatus checked = found >= 0 && equilibrium->led_out
                                    ? check_compliances(rest, rig, def, forecasts)
                                    : POISE_OK;
    PoiseStatus bent = checked;
    for (int i = 0; bent >= 0 && i < def->count; i++) {
        bent = forecasts[i].yields && !forecasts[i].loose && !rest->common.held_back
                   ? poise__compliance_bend(equilibrium, points[i], &forecasts[i])
                   : bent;
    }
    return bent < 0 ? bent : found;
}

static PoiseStatus check_wall(PoiseRig* rig, const PoiseWall* wall, const char* call) {
    const PoiseVec3 n = wall->normal;
    const double size = poise_length(n);
    if (!(size > 0.0) || !isfinite(size)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: the wall of point %u has the normal (%g %g %g); give it the "
                               "direction out of the wall",
                               call, (unsigned)wall->point.index1, n.x, n.y, n.z);
    }
    if (!(wall->friction >= 0.0)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: the wall of point %u has the friction %g; it is 0 or more",
                               call, (unsigned)wall->point.index1, wall->friction);
    }
    if (!(wall->radius >= 0.0) || isinf(wall->radius)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: the wall of point %u is touched with a radius of %g m; it is 0 "
                               "or more, and finite",
                               call, (unsigned)wall->point.index1, wall->radius);
    }
    const PoiseStatus status = check_point(rig, wall->point, call);
    const int below =
        status < 0 || !wall->body ? NO_BINDING : poise__binding_below(&rig->state, wall->point);
    if (status >= 0 && wall->body &&
        (below == NO_BINDING || poise__binding_of_body(rig, wall->body) != &rig->bindings[below])) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: the wall of point %u is touched by a body that is not of the "
                               "point's link; give it one that is, or NULL",
                               call, (unsigned)wall->point.index1);
    }
    return status;
}

static PoiseStatus check_def(PoiseRig* rig, const PoiseForecastDef* def, const char* call) {
    PoiseStatus status = POISE_OK;
    if (!(def->step >= 0.0) || isinf(def->step)) {
        status = poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                                 "%s: step is %g s; give the length of the world's steps, or 0 for "
                                 "that of the last update",
                                 call, def->step);
    }
    for (int i = 0; i < def->count && status >= 0; i++) {
        status = check_point(rig, def->points[i], call);
    }
    for (int i = 0; i < def->wall_count && status >= 0; i++) {
        status = check_wall(rig, &def->walls[i], call);
    }
    return status;
}

static PoiseStatus forecast_points(PoiseRig* rig, const PoiseForecastDef* def,
                                   PoiseForecast* forecasts, const char* call) {
    PoiseStatus status = check_def(rig, def, call);
    if (status < 0 || def->count == 0) {
        return status;
    }
    memset(forecasts, 0, (size_t)def->count * sizeof *forecasts);
    Rest rest;
    status = foresee(rig, &rest, def, forecasts);
    poise__rest_finish(&rest);
    return status < 0 ? poise__rig_fail(rig, status, "%s: %s", call, poise_status_name(status))
                      : status;
}

PoiseStatus poise_rig_forecast(PoiseRig* rig, PoisePointId point, PoiseForecast* forecast) {
    const char* call = "poise_rig_forecast";
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!forecast) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "%s: forecast is NULL", call);
    }
    return forecast_points(rig, &(PoiseForecastDef){.points = &point, .count = 1}, forecast, call);
}

static PoiseStatus check_lists(PoiseRig* rig, const PoiseForecastDef* def,
                               const PoiseForecast* forecasts, const char* call) {
    if (def->count < 0 || (def->count > 0 && (!def->points || !forecasts))) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: %d points%s; give it as many points and as much room for "
                               "forecasts as `count` says",
                               call, def->count, def->count < 0 ? "" : " of NULL");
    }
    if (def->wall_count < 0 || (def->wall_count > 0 && !def->walls)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: %d walls%s; give it as many walls as `wall_count` says", call,
                               def->wall_count, def->wall_count < 0 ? "" : " of NULL");
    }
    return POISE_OK;
}

PoiseStatus poise_rig_forecasts(PoiseRig* rig, const PoisePointId* points, int count,
                                PoiseForecast* forecasts) {
    const char* call = "poise_rig_forecasts";
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const PoiseForecastDef def = {.points = points, .count = count};
    const PoiseStatus status = check_lists(rig, &def, forecasts, call);
    return status < 0 ? status : forecast_points(rig, &def, forecasts, call);
}

PoiseStatus poise_rig_foresee(PoiseRig* rig, const PoiseForecastDef* def,
                              PoiseForecast* forecasts) {
    const char* call = "poise_rig_foresee";
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!def) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "%s: def is NULL", call);
    }
    const PoiseStatus status = check_lists(rig, def, forecasts, call);
    return status < 0 ? status : forecast_points(rig, def, forecasts, call);
}

PoiseStatus poise_rig_predicted_miss(PoiseRig* rig, PoisePointId point, double* miss,
                                     double* angle_miss) {
    const char* call = "poise_rig_predicted_miss";
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseStatus status = check_point(rig, point, call);
    if (status < 0) {
        return status;
    }
    Rest rest;
    const PoiseForecastDef def = {.points = &point, .count = 1};
    status = poise__rest_find(&rest, rig, &def);
    if (status >= 0) {
        status = rest.common.rests ? POISE_OK : POISE_NOT_CONVERGED;
        if (miss) {
            *miss = poise_point_error(poise__rest_tree(&rest), point);
        }
        if (angle_miss) {
            *angle_miss = poise_point_angle_error(poise__rest_tree(&rest), point);
        }
    }
    poise__rest_finish(&rest);
    return status < 0 ? poise__rig_fail(rig, status, "%s: %s", call, poise_status_name(status))
                      : status;
}
