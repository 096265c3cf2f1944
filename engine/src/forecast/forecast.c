// SPDX-License-Identifier: MIT
// Forecasts where the springs come to rest, and how far from the goals ("if p_orig is too large the
// goal is missed", sec. 5.1). Steps a copy of the rig until it is still, and reads miss, forces and
// compliance there.
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "numbers.h"
#include "rest.h"

// Defaults, s: length of a step if no update has set it; simulated time; computing time of a call.
#define USUAL_STEP    0.01
#define USUAL_SECONDS 60.0
#define USUAL_BUDGET  0.05
// Computing time of a step of the copy, s: a constant, a part for each velocity, and a part for
// each constraint row of ODE.
#define STEP_COST     2e-6
#define VELOCITY_COST 3e-6
#define ROW_COST      2.5e-7
// Computing time in a step for each near pair of parts that are kept apart, s. Measured: a Panda
// with 13 near pairs of cylinders (of 285 pairs) takes 18,000 instructions (6 us) more.
#define GAP_COST 5e-7
// Computing time of a solve with many goal rows, s: DUAL_COST rows^2 velocities by the method DUAL;
// rows velocities (BLOCK_COST + CGLS_COST velocities) by CGLS. AUTO chooses CGLS above CGLS_ROWS
// rows if they are more than CGLS_RATIO times the velocities. Right within a factor of 2 on chains
// of 30 to 299 hinges with 30 to 900 points.
#define DUAL_COST  2.7e-10
#define BLOCK_COST 1.8e-8
#define CGLS_COST  1e-10
#define CGLS_ROWS  60
#define CGLS_RATIO 4
// A copy with loops is run again, nudged, if its movement grew by more than this factor (Copy's
// `growth`). theta_ik follows the bodies to keep loops closed. An oscillation may thus amplify
// itself, and rounding decides where it ends: 5 such rests of about 10,500 random rigs were wrong,
// and one of 1,080, after a growth of 1e5; rests after growths of 12 to 26 were right.
#define MOST_GROWTH 50.0
// The bodies' additional velocity after a nudge, m/s. Of 31 random rigs whose loops swung up it
// moved the rest of 18 by at most 6e-8, and these were right; that of 5 by 1e-5 to 1; and 8 moved
// on.
#define NUDGE 1e-6
// The rest is only an estimate if a nudge moves it by more than this: m, and quaternion components.
#define SAME 1e-6
// Largest number of steps of the copy in a call.
#define MOST_STEPS 1e9

// A copy, and the hash of the state that it was made from.
struct Forecast {
    Copy copy;
    uint64_t key;
    int runs;      ///< number of times the copy was made again: first with a nudge, then without
    double* first; ///< poses of the first rest, without a nudge (Copy.poses); NULL until known
    size_t first_size;
    /// largest difference between the rests with and without a nudge; infinite until known
    double apart;
    PoisePointId moved; ///< point whose goal in the copy differs from that in the rig; null: none
};

// ------------------------------------------------------------------------------------------ checks

static PoiseStatus check_point(PoiseRig* rig, PoisePointId point) {
    if (poise_point_is_valid(rig->state.tree, point)) {
        return POISE_OK;
    }
    return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                           "poise_rig_forecast: point %u is null, destroyed, or of another tree",
                           (unsigned)point.index1);
}

static PoiseStatus check_wall(PoiseRig* rig, const PoiseWall* wall) {
    const char* call = "poise_rig_forecast";
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
    const PoiseStatus status = check_point(rig, wall->point);
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

static PoiseStatus check_lists(PoiseRig* rig, const PoiseForecastDef* def,
                               const PoiseForecast* forecasts) {
    if (def->count < 0 || (def->count > 0 && (!def->points || !forecasts))) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_rig_forecast: %d points%s; give it as many points and as "
                               "much room for forecasts as `count` says",
                               def->count, def->count < 0 ? "" : " of NULL");
    }
    if (def->wall_count < 0 || (def->wall_count > 0 && !def->walls)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_rig_forecast: %d walls%s; give it as many walls as "
                               "`wall_count` says",
                               def->wall_count, def->wall_count < 0 ? "" : " of NULL");
    }
    return POISE_OK;
}

static PoiseStatus check_def(PoiseRig* rig, const PoiseForecastDef* def,
                             const PoiseForecast* forecasts) {
    const double numbers[] = {def->step, def->seconds, def->budget};
    static const char* const names[] = {"step", "seconds", "budget"};
    PoiseStatus status = check_lists(rig, def, forecasts);
    for (int i = 0; i < 3 && status >= 0; i++) {
        if (!(numbers[i] >= 0.0) || isinf(numbers[i])) {
            status = poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                                     "poise_rig_forecast: %s is %g s; it is finite and 0 or more, "
                                     "0 for the usual one",
                                     names[i], numbers[i]);
        }
    }
    for (int i = 0; i < def->count && status >= 0; i++) {
        status = check_point(rig, def->points[i]);
    }
    for (int i = 0; i < def->wall_count && status >= 0; i++) {
        status = check_wall(rig, &def->walls[i]);
    }
    return status;
}

// ------------------------------------------------------------------------------------- continuing

// Adds bytes to an FNV-1a hash.
static uint64_t mix(uint64_t key, const void* memory, size_t size) {
    const unsigned char* bytes = (const unsigned char*)memory;
    for (size_t i = 0; i < size; i++) {
        key = (key ^ bytes[i]) * UINT64_C(1099511628211);
    }
    return key;
}

// Hashes all that a copy is made from: rig, bodies, goals, walls. False if memory runs out.
static bool find_key(const PoiseRig* rig, const PoiseForecastDef* def, uint64_t* out) {
    const double times[] = {def->step, def->seconds, rig->advised_step};
    uint64_t key = mix(UINT64_C(14695981039346656037), times, sizeof times);
    key = mix(key, def->walls, (size_t)def->wall_count * sizeof *def->walls);
    key = mix(key, &rig->updates, sizeof rig->updates);
    key = mix(key, &rig->settings, sizeof rig->settings);
    key = mix(key, rig->values, (size_t)rig->value_count * sizeof *rig->values);
    for (int b = 0; b < rig->binding_count; b++) {
        const Binding* binding = &rig->bindings[b];
        key = mix(key, binding->original, sizeof binding->original);
        key = mix(key, binding->ik, sizeof binding->ik);
        key = mix(key, binding->force_limit, sizeof binding->force_limit);
        if (rig->state.joints[b].ready) {
            dBodyID body = binding->motor.child;
            const PoisePose pose = poise__body_pose(body);
            key = mix(key, &pose, sizeof pose);
            key = mix(key, dBodyGetLinearVel(body), sizeof(dReal[3]));
            key = mix(key, dBodyGetAngularVel(body), sizeof(dReal[3]));
        }
    }
    PoisePose obstacle;
    for (int i = 0; (i = poise__obstacle_pose(rig, i, &obstacle)) > 0;) {
        key = mix(key, &obstacle, sizeof obstacle);
    }
    const size_t size = poise_tree_save_size(rig->state.tree);
    void* tree = poise_host_allocate(&rig->host, size);
    const bool saved = tree && poise_tree_save(rig->state.tree, tree, size) >= 0;
    *out = saved ? mix(key, tree, size) : key;
    poise_host_release(&rig->host, tree, size);
    return saved;
}

void poise__rest_forget(PoiseRig* rig) {
    if (rig->forecast) {
        const PoiseHost host = rig->host;
        poise__copy_close(&rig->forecast->copy);
        poise_host_release(&host, rig->forecast->first, rig->forecast->first_size);
        poise_host_release(&host, rig->forecast, sizeof *rig->forecast);
        rig->forecast = NULL;
    }
}

static PoiseStatus open_copy(PoiseRig* rig, const PoiseForecastDef* def) {
    PoiseForecastDef known = *def;
    known.step = def->step > 0.0           ? def->step
                 : rig->advised_step > 0.0 ? rig->advised_step
                                           : USUAL_STEP;
    return poise__copy_open(&rig->forecast->copy, rig, &known);
}

// Keeps the copy of the last call if the rig has not changed since then; else makes a new copy.
// POISE_ERROR_WRONG_KIND: the rig cannot be copied, and the copy's `why` says why.
static PoiseStatus find_copy(PoiseRig* rig, const PoiseForecastDef* def) {
    PoiseStatus status = poise__read_sets(rig);
    uint64_t key = 0;
    if (status >= 0 && poise__read_bodies(rig) == 0) {
        status = POISE_ERROR_GONE;
    }
    status = status < 0 || find_key(rig, def, &key) ? status : POISE_ERROR_OUT_OF_MEMORY;
    if (status < 0 || (rig->forecast && rig->forecast->key == key)) {
        return status < 0 ? status : POISE_OK;
    }
    poise__rest_forget(rig);
    rig->forecast = (struct Forecast*)poise_host_allocate(&rig->host, sizeof *rig->forecast);
    if (!rig->forecast) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    rig->forecast_release = poise__rest_forget;
    rig->forecast->key = key;
    rig->forecast->moved = poise_null_point();
    rig->forecast->runs = 0;
    rig->forecast->first = NULL;
    rig->forecast->first_size = 0;
    rig->forecast->apart = HUGE_VAL;
    return open_copy(rig, def);
}

// Returns the number of goal rows (directions that goals restrict) of all points.
static double goal_rows(const PoiseTree* tree) {
    double rows[36];
    int count = 0;
    for (int i = 0; i < poise_tree_point_count(tree); i++) {
        count += poise_point_goal_rows(tree, poise_tree_point(tree, i), rows);
    }
    return count;
}

// Returns an estimate of the computing time of a step of the copy, s. In large problems that of the
// solve alone, which outweighs all else.
static double step_cost(const Copy* copy) {
    const double velocities = poise__rig_velocities(copy->rig);
    const double rows = 6.0 * copy->joint_count + velocities;
    const double gaps = poise_apart_near(poise_rig_apart(copy->rig), NULL, 0);
    const double usual = STEP_COST + VELOCITY_COST * velocities + ROW_COST * rows + GAP_COST * gaps;
    const double goals = goal_rows(copy->tree);
    const bool many = goals > CGLS_ROWS && goals > CGLS_RATIO * velocities;
    const double solve = many ? goals * velocities * (BLOCK_COST + CGLS_COST * velocities)
                              : DUAL_COST * goals * goals * velocities;
    return poise_max(usual, solve);
}

// Returns the number of steps of the copy that the budget allows; 0, and fills `why`, if it allows
// none.
static long payable_steps(Copy* copy, const PoiseForecastDef* def) {
    const double budget = def->budget > 0.0 ? def->budget : USUAL_BUDGET;
    const double payable = floor(budget / step_cost(copy));
    if (payable < 1.0) {
        snprintf(copy->why, sizeof copy->why,
                 "a step of its copy takes about %.2g s, more than the budget of %.2g s",
                 step_cost(copy), budget);
        return 0;
    }
    return (long)poise_min(payable, MOST_STEPS);
}

// Steps the copy until it is still or no steps remain (POISE_NOT_CONVERGED).
static PoiseStatus run(Copy* copy, const PoiseForecastDef* def, long* steps) {
    const double seconds = def->seconds > 0.0 ? def->seconds : USUAL_SECONDS;
    const PoiseStatus status = poise__copy_run(copy, seconds, steps);
    return status < 0 || poise__copy_ends(copy, seconds) ? status : POISE_NOT_CONVERGED;
}

// True if loops swung up, so that rounding may decide where the copy rests.
static bool swung_up(const Copy* copy) {
    return copy->growth > MOST_GROWTH && copy->rig->closure_count > 0;
}

// True if the copy must run again: with a nudge, if loops swung up in a first run that became
// still; without it, if the second run did not become still.
static bool runs_again(const struct Forecast* made) {
    return made->runs == 0 ? made->copy.still && swung_up(&made->copy)
                           : made->runs == 1 && !made->copy.still;
}

// Makes the copy anew. The first time stores the poses of the rest in `first` and nudges the
// bodies.
static PoiseStatus make_again(PoiseRig* rig, const PoiseForecastDef* def) {
    struct Forecast* made = rig->forecast;
    Copy* copy = &made->copy;
    const bool nudges = made->runs++ == 0;
    if (nudges) {
        made->first = copy->poses;
        made->first_size = copy->poses_size;
        copy->poses = NULL;
        copy->poses_size = 0;
    }
    poise__copy_close(copy);
    const PoiseStatus status = open_copy(rig, def);
    for (int i = 0; i < copy->body_count && nudges && status >= 0; i++) {
        const dReal* v = dBodyGetLinearVel(copy->bodies[i].copy);
        dBodySetLinearVel(copy->bodies[i].copy, v[0] + NUDGE, v[1] + NUDGE, v[2] + NUDGE);
    }
    return status;
}

// Runs the copy to its rest; if its loops swung up, runs it again with a nudge.
static PoiseStatus run_copy(PoiseRig* rig, const PoiseForecastDef* def) {
    struct Forecast* made = rig->forecast;
    long steps = payable_steps(&made->copy, def);
    PoiseStatus status = steps > 0 ? run(&made->copy, def, &steps) : POISE_ERROR_WRONG_KIND;
    while (status == POISE_OK && runs_again(made)) {
        status = make_again(rig, def);
        status = status < 0 ? status : run(&made->copy, def, &steps);
    }
    if (status == POISE_OK && made->runs == 1) {
        made->apart = 0.0;
        for (size_t i = 0; i < made->first_size / sizeof *made->first; i++) {
            made->apart = poise_max(made->apart, fabs(made->copy.poses[i] - made->first[i]));
        }
    }
    return status;
}

// ---------------------------------------------------------------------------------------- figures

static void fill_nan(double* numbers, int count) {
    for (int i = 0; i < count; i++) {
        numbers[i] = (double)NAN;
    }
}

static void fill_place(const Statics* statics, const Copy* copy, PoisePointId point,
                       PoiseForecast* forecast) {
    const PoiseTree* tree = statics->state.tree;
    double rows[36];
    forecast->yields =
        poise_point_enabled(tree, point) && poise_point_yield_rows(tree, point, rows) > 0;
    forecast->force = poise__wall_force(copy, point);
    forecast->miss = poise_point_planned_error(tree, point);
    forecast->angle_miss = poise_point_planned_angle_error(tree, point);
    poise_point_miss(tree, point, poise_point_planned_pose(tree, point), &forecast->row_miss,
                     &forecast->row_angle_miss);
}

// True if the torque limit can hardly carry the weight of the hinge's links. Its reference rests at
// the last angle where it can, and a push moves that angle for good.
static bool is_fully_loaded(const JointState* joint) {
    return joint->of->follows_ik && poise__is_fully_loaded(joint->of, joint->feed_forward[0]);
}

static bool is_any_fully_loaded(const Statics* statics) {
    bool some = false;
    for (int b = 0; b < statics->state.rig->binding_count; b++) {
        some = some || is_fully_loaded(&statics->state.joints[b]);
    }
    return some;
}

// Counts the joints that rest at their torque limit, and lists the first POISE_FORECAST_NODES.
static void list_limited(const Statics* statics, PoiseForecast* forecast) {
    const PoiseRig* rig = statics->state.rig;
    for (int b = 0; b < rig->binding_count; b++) {
        const JointState* joint = &statics->state.joints[b];
        const bool limited = joint->clamped || rig->state.joints[b].clamped ||
                             is_fully_loaded(joint) ||
                             poise__binding_is_saturated(&rig->bindings[b]);
        if (limited && forecast->limited < POISE_FORECAST_NODES) {
            forecast->limited_nodes[forecast->limited] = joint->of->node;
        }
        forecast->limited += limited;
    }
}

static void say(PoiseForecast* forecast, PoiseForecastEnd end, const char* why) {
    forecast->end = end;
    snprintf(forecast->why, sizeof forecast->why, "%s", why);
}

// Fills how the copy's motion ended (`end`, `why`, `seconds`). This is the same for all points.
static void find_end(const PoiseRig* rig, const PoiseForecastDef* def, const Statics* statics,
                     PoiseForecast* forecast) {
    const Copy* copy = &rig->forecast->copy;
    const bool known = def->step > 0.0 || rig->advised_step > 0.0;
    forecast->seconds = copy->seconds;
    if (copy->flies) {
        say(forecast, POISE_FORECAST_MOVES, "its springs or its loop throw it apart");
    } else if (!copy->still) {
        forecast->end = POISE_FORECAST_MOVES;
        snprintf(forecast->why, sizeof forecast->why, "it still moves after %.3g s", copy->seconds);
    } else if (poise__walls_left(copy)) {
        say(forecast, POISE_FORECAST_LEAVES, "it leaves what it presses on");
    } else if (!poise__statics_is_carried(statics)) {
        say(forecast, POISE_FORECAST_FALLS, "the ground cannot carry it");
    } else if (!known) {
        say(forecast, POISE_FORECAST_ESTIMATE, "the step is not known: 0.01 s is assumed");
    } else if (copy->touches) {
        say(forecast, POISE_FORECAST_ESTIMATE,
            "a contact or load that the rig does not know holds it");
    } else if ((rig->forecast->runs == 1 || swung_up(copy)) && !(rig->forecast->apart <= SAME)) {
        say(forecast, POISE_FORECAST_ESTIMATE,
            "its loops swung up on their way: rounding may decide where it rests");
    } else if (poise__walls_have_friction(copy)) {
        say(forecast, POISE_FORECAST_ESTIMATE, "friction decides where it rests");
    } else if (poise__press_is_stiff(&statics->state.press)) {
        say(forecast, POISE_FORECAST_ESTIMATE,
            "its joints hardly yield in some direction: the force is not known");
    }
}

// Fills the forecasts from the posture of the copy and the torques of its springs.
static PoiseStatus read_copy(const PoiseRig* rig, const PoiseForecastDef* def,
                             PoiseForecast* forecasts) {
    const Copy* copy = &rig->forecast->copy;
    PoiseForecast common;
    memset(&common, 0, sizeof common);
    fill_nan(common.compliance, 9);
    fill_nan(common.turn_compliance, 9);
    Statics statics;
    PoiseStatus status = poise__statics_open(&statics, copy->rig);
    if (status >= 0) {
        poise__statics_rest(&statics);
        find_end(rig, def, &statics, &common);
        list_limited(&statics, &common);
        for (int i = 0; i < def->count; i++) {
            forecasts[i] = common;
            fill_place(&statics, copy, def->points[i], &forecasts[i]);
            if (common.end == POISE_FORECAST_SETTLES &&
                poise__statics_is_unsprung(&statics, def->points[i])) {
                say(&forecasts[i], POISE_FORECAST_ESTIMATE,
                    "a joint without a spring may swing elsewhere");
            }
        }
        // the torques of statics.c contain neither friction nor forces of joints unknown to the rig
        if (copy->still && !poise__walls_have_friction(copy) && !poise__rig_is_tied(rig) &&
            !is_any_fully_loaded(&statics)) {
            status = poise__tangent_compliances(&statics, def->points, def->count, forecasts);
        }
        status = status < 0 ? status : statics.state.noted;
    }
    poise__statics_close(&statics);
    return status;
}

static void fill_refusal(const Copy* copy, const PoiseForecastDef* def, PoiseForecast* forecasts) {
    for (int i = 0; i < def->count; i++) {
        PoiseForecast* forecast = &forecasts[i];
        memset(forecast, 0, sizeof *forecast);
        say(forecast, POISE_FORECAST_NO_COPY, copy->why);
        forecast->miss = forecast->angle_miss = (double)NAN;
        forecast->row_miss = forecast->row_angle_miss = (double)NAN;
        forecast->force = poise_vec3((double)NAN, (double)NAN, (double)NAN);
        fill_nan(forecast->compliance, 9);
        fill_nan(forecast->turn_compliance, 9);
    }
}

PoiseStatus poise__rest_find(PoiseRig* rig, const PoiseForecastDef* def, PoiseForecast* forecasts) {
    PoiseStatus status = find_copy(rig, def);
    status = status < 0 ? status : run_copy(rig, def);
    if (status == POISE_ERROR_WRONG_KIND) {
        fill_refusal(&rig->forecast->copy, def, forecasts);
        return POISE_OK;
    }
    const PoiseStatus read = status < 0 ? status : read_copy(rig, def, forecasts);
    return read < 0 ? read : status;
}

static PoiseStatus set_goal(PoiseTree* tree, PoisePointId point, const PoisePose* goal) {
    const PoisePointKind kind = poise_point_kind(tree, point);
    PoiseStatus status =
        kind == POISE_POINT_ORIENTATION ? POISE_OK : poise_point_set_position(tree, point, goal->p);
    return status >= 0 && (kind == POISE_POINT_ORIENTATION || kind == POISE_POINT_POSE)
               ? poise_point_set_orientation(tree, point, goal->q)
               : status;
}

// Steps the present copy to its rest with `goal` for def->points[0].
static PoiseStatus find_rest_at(PoiseRig* rig, const PoiseForecastDef* def, const PoisePose* goal,
                                PoiseForecast* forecasts) {
    struct Forecast* made = rig->forecast;
    Copy* copy = &made->copy;
    PoiseTree* tree = copy->rig->state.tree;
    PoiseStatus status = POISE_OK;
    if (made->moved.index1 != 0) {
        const PoisePose present = poise_point_goal(rig->state.tree, made->moved);
        status = set_goal(tree, made->moved, &present);
    }
    made->moved = def->points[0];
    made->runs = 2;
    made->apart = HUGE_VAL;
    status = status < 0 ? status : set_goal(tree, made->moved, goal);
    poise__copy_restart(copy);
    long steps = payable_steps(copy, def);
    status = status < 0 ? status : steps > 0 ? run(copy, def, &steps) : POISE_ERROR_WRONG_KIND;
    return status < 0 ? status : read_copy(rig, def, forecasts);
}

PoiseStatus poise__rest_settle(PoiseRig* rig, PoisePointId point, const PoisePose* goal,
                               double step, char* why) {
    const PoiseForecastDef def = {
        .points = &point, .count = 1, .step = step, .budget = WHOLE_BUDGET};
    PoiseForecast forecast;
    const PoiseStatus status =
        goal ? find_rest_at(rig, &def, goal, &forecast) : poise__rest_find(rig, &def, &forecast);
    if (status < 0 || forecast.end == POISE_FORECAST_SETTLES) {
        return status;
    }
    const char* end = poise_forecast_end_name(forecast.end);
    if (goal) {
        snprintf(why, POISE_FORECAST_WHY, "with its goal at (%g, %g, %g) m it %s: %.80s", goal->p.x,
                 goal->p.y, goal->p.z, end, forecast.why);
    } else {
        snprintf(why, POISE_FORECAST_WHY, "%s: %.140s", end, forecast.why);
    }
    return POISE_DEGRADED;
}

PoiseRig* poise__rest_rig(PoiseRig* rig) {
    return rig->forecast->copy.rig;
}

PoiseStatus poise_rig_forecast(PoiseRig* rig, const PoiseForecastDef* def,
                               PoiseForecast* forecasts) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!def) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_rig_forecast: def is NULL");
    }
    PoiseStatus status = check_def(rig, def, forecasts);
    if (status < 0 || def->count == 0) {
        return status;
    }
    status = poise__rest_find(rig, def, forecasts);
    if (status != POISE_NOT_CONVERGED) {
        poise__rest_forget(rig);
    }
    return status < 0
               ? poise__rig_fail(rig, status, "poise_rig_forecast: %s", poise_status_name(status))
               : status;
}

const char* poise_forecast_end_name(PoiseForecastEnd end) {
    static const char* const names[] = {"settles", "estimate", "moves",
                                        "leaves",  "falls",    "no copy"};
    return end >= POISE_FORECAST_SETTLES && end <= POISE_FORECAST_NO_COPY ? names[end] : "?";
}

bool poise_forecast_rests(const PoiseForecast* forecast) {
    return forecast &&
           (forecast->end == POISE_FORECAST_SETTLES || forecast->end == POISE_FORECAST_ESTIMATE);
}
