// SPDX-License-Identifier: MIT
// Computes the compliance of a point again while its ellipsoid is shown. When a person pulls at an
// axis, poise_rig_design finds springs for the asked compliance, and changes of the run set them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "poise/design.h"

/// Wall-clock time between two forecasts while the bodies move, and between two designs of springs
/// during a pull, s.
static const double FORECAST_PERIOD = 0.25;
static const double DESIGN_PERIOD = 0.1;
/// Least time between two computations, as a multiple of the computing time of the last forecast.
static const double MIN_PAUSE = 3.0;
/// Computing time that a forecast may take, s. A Panda that creeps to its rest takes 0.1 to 0.3.
static const double FORECAST_BUDGET = 1.0;
/// Length of the longest half axis in the picture, as a fraction of the scene's radius, and the
/// range of this fraction in which the scale stays.
static const double LONGEST = 0.3;
static const double SHORTEST_PART = 0.1;
static const double LONGEST_PART = 0.45;
/// Half axes that differ by less than this fraction count as equal, so that their directions are
/// arbitrary.
static const double EQUAL_PART = 0.02;
/// Range of the compliance that a pull may ask for, m/N, and its least ratio to the compliance when
/// the button was pressed.
static const double MIN_ASKED = 1e-9;
static const double MAX_ASKED = 0.9;
static const double MIN_FACTOR = 0.05;

static double clock_now(const PoiseApp* app) {
    return app->clock ? app->clock(app->clock_user) : 0.0;
}

/// True if `period` s have passed on the app's own clock since a computation at `then`.
static bool is_due(const PoiseApp* app, double then, double period) {
    return !(app->wall - then < fmax(period, MIN_PAUSE * app->yielding.took));
}

static PoisePointView point_at(const PoiseApp* app, int index) {
    return poise_simulation_point(app->session.simulation, index);
}

static bool can_yield(const PoisePointView* point) {
    return point->enabled && !point->removed && point->has_position;
}

/// Returns the index of the selected point; if none is selected, of the first point with a position
/// goal; -1: none.
static int point_to_show(const PoiseApp* app) {
    const int selected = app->highlight.selected;
    if (!(app->highlight.parts & POISE_SHOW_YIELDING)) {
        return -1;
    }
    for (int i = 0; i < poise_simulation_point_count(app->session.simulation); i++) {
        const PoisePointView point = point_at(app, i);
        if ((selected < 0 || i == selected) && can_yield(&point)) {
            return i;
        }
    }
    return -1;
}

/// Turns axes of equal length to lie near the world's axes.
static void settle_equal_axes(PoiseEllipsoid* ellipsoid) {
    const double* half = ellipsoid->half;
    const bool first = half[1] >= (1.0 - EQUAL_PART) * half[0];
    const bool last = half[2] >= (1.0 - EQUAL_PART) * half[1];
    if (first && last) {
        ellipsoid->turn = poise_quat_identity();
        return;
    }
    if (!first && !last) {
        return;
    }
    // turns one of the two equal axes to a world axis, made orthogonal to the unequal axis
    const int third = first ? 2 : 0;
    const PoiseVec3 fixed = poise_quat_rotate(
        ellipsoid->turn, poise_vec3((double)(third == 0), 0.0, (double)(third == 2)));
    const PoiseVec3 world =
        fabs(fixed.x) < 0.6 ? poise_vec3(1.0, 0.0, 0.0) : poise_vec3(0.0, 1.0, 0.0);
    const PoiseVec3 across = poise__unit(poise_add_scaled(world, -poise_dot(world, fixed), fixed),
                                         poise_vec3(0.0, 0.0, 1.0));
    ellipsoid->turn = third == 2 ? poise__turn_to_with(fixed, across)
                                 : poise__turn_to_with(poise_cross(fixed, across), fixed);
}

bool poise__app_foresee(const PoiseApp* app, int index, PoiseForecast* forecast,
                        char why[POISE_FORECAST_WHY]) {
    const PoiseSimulation* simulation = app->session.simulation;
    const PoisePointView point = point_at(app, index);
    const PoiseForecastDef def = {.points = &point.point,
                                  .count = 1,
                                  .step = poise_simulation_step_length(simulation),
                                  .budget = FORECAST_BUDGET};
    if (poise_simulation_step_count(simulation) == 0) {
        snprintf(why, POISE_FORECAST_WHY, "known after the first step");
        return false;
    }
    const PoiseStatus status = poise_rig_forecast(poise_simulation_rig(simulation), &def, forecast);
    if (status != POISE_OK || !poise_forecast_rests(forecast)) {
        snprintf(why, POISE_FORECAST_WHY, "no rest is known: %.100s",
                 status < 0         ? poise_status_name(status)
                 : forecast->why[0] ? forecast->why
                                    : poise_forecast_end_name(forecast->end));
        return false;
    }
    return true;
}

/// Reads the compliance at the forecast rest. Returns false, with the reason in `why`, if it is
/// unknown.
static bool read_compliance(const PoiseApp* app, int index, PoiseYielding* yielding) {
    PoiseForecast forecast;
    double m[3][3];
    if (!poise__app_foresee(app, index, &forecast, yielding->why)) {
        return false;
    }
    for (int i = 0; i < 9; i++) {
        m[i / 3][i % 3] = 0.5 * (forecast.compliance[i] + forecast.compliance[i % 3 * 3 + i / 3]);
    }
    const PoiseEllipsoid has = poise__ellipsoid_from(m);
    if (!(has.half[0] > 0.0 && isfinite(has.half[0] + has.half[1] + has.half[2]))) {
        snprintf(yielding->why, sizeof yielding->why, "no compliance is known here");
        return false;
    }
    yielding->has = has;
    settle_equal_axes(&yielding->has);
    return true;
}

/// Chooses the scale again if the ellipsoid has become too short or too long to read.
static void choose_scale(const PoiseApp* app, PoiseYielding* yielding) {
    const double radius = app->camera.scene_radius;
    const double longest = yielding->has.half[0] * yielding->scale;
    if (app->hand.grip != POISE_GRIP_YIELDING &&
        !(longest >= SHORTEST_PART * radius && longest <= LONGEST_PART * radius)) {
        yielding->scale = LONGEST * radius / yielding->has.half[0];
    }
}

/// True if springs, goals or bodies may have changed since the last forecast.
static bool is_stale(const PoiseApp* app, int point) {
    const PoiseYieldingState* state = &app->yielding;
    const bool due = state->step == 0 || is_due(app, state->wall, FORECAST_PERIOD);
    const bool moved = due && state->step != poise_simulation_step_count(app->session.simulation);
    return moved || state->point != point || state->log != app->timeline.log_done ||
           state->revision != app->timeline.revision;
}

void poise__app_refresh_yielding(PoiseApp* app) {
    PoiseYielding* yielding = &app->highlight.yielding;
    PoiseYieldingState* state = &app->yielding;
    const int point = point_to_show(app);
    if (point < 0) {
        state->point = yielding->point = -1;
        yielding->asks = false;
        return;
    }
    const bool waits = state->frames_to_forecast > 0 && --state->frames_to_forecast > 0;
    if (!waits && is_stale(app, point)) {
        if (app->hand.grip != POISE_GRIP_YIELDING &&
            (state->point != point || state->answered != app->timeline.revision)) {
            yielding->asks = false;
            yielding->why[0] = '\0';
        }
        const double began = clock_now(app);
        yielding->point = read_compliance(app, point, yielding) ? point : -1;
        *state = (PoiseYieldingState){.point = point,
                                      .log = app->timeline.log_done,
                                      .revision = app->timeline.revision,
                                      .step = poise_simulation_step_count(app->session.simulation),
                                      .wall = app->wall,
                                      .took = clock_now(app) - began,
                                      .designed = state->designed,
                                      .answered = state->answered};
        if (yielding->point >= 0) {
            choose_scale(app, yielding);
        } else if (state->step > 0) {
            poise__app_say(app, "%s", yielding->why);
        }
    }
    yielding->place = point_at(app, point).pose_world.p;
}

int poise__app_yielding_end(const PoiseApp* app, double x, double y) {
    return poise__yielding_pick(&app->camera, &app->highlight.yielding, x, y);
}

// ----------------------------------------------------------------------------------------- springs

/// Shows a message if no springs give the point the asked compliance.
static void say_shortfall(PoiseApp* app, const PoiseDesign* design) {
    PoiseYielding* yielding = &app->highlight.yielding;
    yielding->why[0] = '\0';
    if (design->end == POISE_DESIGN_NO_REST) {
        snprintf(yielding->why, sizeof yielding->why, "the springs stay: %.120s", design->why);
    } else if (design->end == POISE_DESIGN_NEAREST && design->worst_axis < 3) {
        snprintf(yielding->why, sizeof yielding->why,
                 "no springs give %.3g mm/N here: the nearest give %.3g",
                 1e3 * yielding->asked.half[design->worst_axis], 1e3 * design->worst_compliance);
    }
    if (yielding->why[0] != '\0') {
        poise__app_say(app, "%s", yielding->why);
    }
}

/// Finds the springs for the asked compliance and sets them.
static void follow_wish(PoiseApp* app) {
    PoiseYielding* yielding = &app->highlight.yielding;
    PoiseSimulation* simulation = app->session.simulation;
    PoiseComplianceWish wish = poise_default_compliance_wish();
    wish.point = point_at(app, app->hand.point).point;
    wish.axes = yielding->asked.turn;
    memcpy(wish.along, yielding->asked.half, sizeof wish.along);
    const PoiseDesignDef def = {
        .wishes = &wish, .wish_count = 1, .step = poise_simulation_step_length(simulation)};
    const int capacity = poise_simulation_joint_count(simulation);
    PoiseDesignedSpring* springs = calloc((size_t)capacity + 1, sizeof *springs);
    PoiseDesign design = {.end = POISE_DESIGN_NO_REST};
    PoiseStatus status = springs ? poise_rig_design(poise_simulation_rig(simulation), &def, springs,
                                                    capacity, &design)
                                 : POISE_ERROR_OUT_OF_MEMORY;
    bool set = true;
    for (int i = 0; status >= 0 && i < design.spring_count; i++) {
        const int joint = poise__joint_of_node(simulation, springs[i].node);
        const char* name = joint >= 0 ? poise_simulation_joint(simulation, joint).name : "";
        const PoiseSpring ik = springs[i].ik;
        set = poise__app_set(app, ik.stiffness, "joints.%.150s.ik.spring", name) >= 0 && set;
        set = poise__app_set(app, ik.damping, "joints.%.150s.ik.damper", name) >= 0 && set;
    }
    free(springs);
    app->yielding.designed = app->wall;
    app->yielding.answered = app->timeline.revision;
    // not in this frame, because the forecast takes as long as the design
    app->yielding.frames_to_forecast = 2;
    if (status < 0) {
        poise__app_say(app, "no springs were found: %s", poise_status_name(status));
        return;
    }
    say_shortfall(app, &design);
    if (!set) {
        poise__app_say(app, "the scene does not take all of these springs");
    }
}

// -------------------------------------------------------------------------------------------- hand

bool poise__app_take_yielding(PoiseApp* app, int end, double x, double y) {
    PoiseYielding* yielding = &app->highlight.yielding;
    const PoiseEllipsoid* from = yielding->asks ? &yielding->asked : &yielding->has;
    PoiseHand hand = {.grip = POISE_GRIP_YIELDING,
                      .point = yielding->point,
                      .press_x = x,
                      .press_y = y,
                      .end = end,
                      .ellipsoid = *from,
                      .distance = poise__yielding_distance(&app->camera, yielding, end)};
    const PoiseGizmoPart part = (PoiseGizmoPart)(POISE_GIZMO_ARROW_X + end / 2);
    if (!poise__gizmo_begin(&hand.gizmo, (PoisePointer){&app->camera, x, y},
                            poise_pose(yielding->place, from->turn), from->turn, part)) {
        poise__app_say(app, "this axis points at the eye: turn the view first");
        return false;
    }
    poise__timeline_edit_begin(&app->timeline);
    app->hand = hand;
    yielding->end = end;
    return true;
}

void poise__app_pull_yielding(PoiseApp* app, double x, double y) {
    PoiseYielding* yielding = &app->highlight.yielding;
    const PoiseHand* hand = &app->hand;
    const int axis = hand->end / 2;
    const PoisePose pose =
        poise__gizmo_pose(&hand->gizmo, (PoisePointer){&app->camera, x, y}, false);
    const double moved = poise_dot(poise_sub(pose.p, hand->gizmo.start.p),
                                   poise__yielding_direction(yielding, hand->end));
    const double factor = fmax(MIN_FACTOR, 1.0 + moved / hand->distance);
    yielding->asks = true;
    yielding->asked = hand->ellipsoid;
    yielding->asked.half[axis] =
        fmin(MAX_ASKED, fmax(MIN_ASKED, factor * hand->ellipsoid.half[axis]));
    yielding->held = factor * hand->distance;
    if (app->yielding.frames_to_forecast == 0 &&
        is_due(app, app->yielding.designed, DESIGN_PERIOD)) {
        follow_wish(app);
    }
}

void poise__app_drop_yielding(PoiseApp* app) {
    PoiseYielding* yielding = &app->highlight.yielding;
    if (app->hand.drags) {
        follow_wish(app);
    }
    yielding->asks = app->hand.drags && yielding->why[0] != '\0';
    yielding->held = 0.0;
    yielding->end = -1;
}
