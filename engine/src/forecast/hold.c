// SPDX-License-Identifier: MIT
// Finds the reason why a point is not at its goal, from its forecast and its present place.
#include "poise/hold.h"

#include <math.h>

#include "convert.h"
#include "poise/solve.h"
#include "rig.h"

// A point nearer to its goal than this has met the goal, m and rad.
#define AT_GOAL 1e-4
// An error agrees with the forecast within this part of it, or within this distance, m.
#define AGREES       0.01
#define AGREES_LEAST 1e-5
// A point counts as still if it would need longer than this to its goal, s.
#define STILL_FOR 10.0

enum { DIRECTIONS = 64 };

static PoiseVec3 apply(const double c[9], PoiseVec3 v) {
    return poise_vec3(c[0] * v.x + c[1] * v.y + c[2] * v.z, c[3] * v.x + c[4] * v.y + c[5] * v.z,
                      c[6] * v.x + c[7] * v.y + c[8] * v.z);
}

double poise_forecast_friction_band(const PoiseForecast* forecast, PoiseVec3 force,
                                    double friction) {
    const double size = poise_length(force), most = friction * size;
    if (!forecast || !(size > 0.0) || isinf(size) || !(friction > 0.0) || isinf(friction)) {
        return 0.0;
    }
    if (isnan(forecast->compliance[0]) || !poise_forecast_rests(forecast) ||
        forecast->limited > 0) {
        return HUGE_VAL;
    }
    // take the largest displacement, t on a circle across the force
    const PoiseVec3 n = poise_scale(1.0 / size, force);
    const PoiseVec3 any = fabs(n.x) < 0.6 ? poise_vec3(1.0, 0.0, 0.0) : poise_vec3(0.0, 1.0, 0.0);
    const PoiseVec3 across = poise_cross(n, any);
    const PoiseVec3 t1 = poise_scale(most / poise_length(across), across);
    const PoiseVec3 t2 = poise_cross(n, t1);
    double farthest = 0.0;
    for (int i = 0; i < DIRECTIONS; i++) {
        const PoiseSinCos turn = poise_sincos(2.0 * POISE_PI * i / DIRECTIONS);
        const PoiseVec3 t = poise_add_scaled(poise_scale(turn.cosine, t1), turn.sine, t2);
        farthest = poise_max(farthest, poise_length(apply(forecast->compliance, t)));
    }
    return farthest;
}

// Returns the hold of a point that presses: friction if the place is not the forecast one.
static PoisePointHold pressing_hold(const PoiseForecast* forecast, PoiseVec3 force, double error,
                                    double friction) {
    const double off = fabs(error - forecast->miss);
    const double band = poise_forecast_friction_band(forecast, force, friction);
    const bool elsewhere = off > AGREES * error + AGREES_LEAST;
    return elsewhere && off <= band ? POISE_HOLD_FRICTION : POISE_HOLD_PRESSING;
}

// Returns the frame of a node's link from its body; the world's for the null handle.
static PoisePose link_of(const PoiseRig* rig, PoiseNodeId node) {
    PoisePose link = poise_node_link_world(rig->state.tree, node);
    for (int b = 0; b < rig->binding_count; b++) {
        const Binding* binding = &rig->bindings[b];
        if (poise__is_node(binding->node, node) && rig->state.joints[b].ready) {
            link = poise_pose_mul(poise__body_pose(binding->motor.child), binding->link_in_body);
        }
    }
    return link;
}

// Returns the distance of the point from its goal, m. Uses the bodies: the tree has theta_ik.
static double place_error(const PoiseRig* rig, PoisePointId point) {
    const PoiseTree* tree = rig->state.tree;
    const PoiseNodeId link = poise_point_link(tree, point);
    const PoisePose in_link = poise_pose_mul(poise_pose_inverse(poise_node_link_world(tree, link)),
                                             poise_point_planned_pose(tree, point));
    const PoisePose goal =
        poise_pose_mul(link_of(rig, poise_point_frame(tree, point)), poise_point_goal(tree, point));
    return poise_length(poise_sub(poise_pose_mul(link_of(rig, link), in_link).p, goal.p));
}

// True if the point rests at another place than the forecast one.
static bool is_held_off(const PoiseRig* rig, PoisePointId point, const PoiseForecast* forecast) {
    const PoiseTree* tree = rig->state.tree;
    const PoisePointKind kind = poise_point_kind(tree, point);
    const double error = place_error(rig, point), off = fabs(error - forecast->miss);
    bool held = (kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE) &&
                poise_forecast_rests(forecast) && off > AGREES * error + AT_GOAL;
    for (int b = 0; held && b < rig->binding_count; b++) {
        if (rig->state.joints[b].ready && poise_is_registered(tree, point, rig->bindings[b].node)) {
            dBodyID body = rig->bindings[b].motor.child;
            const double v = poise_length(poise__vec3_from(dBodyGetLinearVel(body)));
            const double w = poise_length(poise__vec3_from(dBodyGetAngularVel(body)));
            held = STILL_FOR * (v + w) < off;
        }
    }
    return held;
}

PoisePointHold poise_rig_point_hold(const PoiseRig* rig, PoisePointId point,
                                    const PoiseForecast* forecast, double friction) {
    PoisePointReading reading;
    if (!forecast || poise_rig_read_point(rig, point, &reading) != POISE_OK) {
        return POISE_HOLD_NONE;
    }
    if (reading.presses) {
        return pressing_hold(forecast, reading.force, reading.error, friction);
    }
    if (is_held_off(rig, point, forecast)) {
        return POISE_HOLD_LOAD;
    }
    if (forecast->miss <= AT_GOAL && forecast->angle_miss <= AT_GOAL) {
        return POISE_HOLD_NONE;
    }
    if (forecast->limited > 0) {
        return POISE_HOLD_TORQUE_LIMIT;
    }
    const PoisePointState state = poise_point_state(poise_rig_tree(rig), point);
    return poise_forecast_rests(forecast) && state == POISE_POINT_MET ? POISE_HOLD_SPRINGS
                                                                      : POISE_HOLD_NONE;
}

const char* poise_point_hold_name(PoisePointHold hold) {
    static const char* const names[] = {"nothing",  "springs",  "torque limit",
                                        "friction", "pressing", "load"};
    return hold >= POISE_HOLD_NONE && hold <= POISE_HOLD_LOAD ? names[hold] : "?";
}
