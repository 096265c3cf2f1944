// SPDX-License-Identifier: MIT
// The spring by which a hand pulls a body.
#include "number.h"
#include "running.h"

// Natural frequency, Hz, and damping ratio of the hand's spring with the mass of all bodies that
// joints connect to the pulled body.
#define PULL_FREQUENCY 1.2
#define PULL_DAMPING   0.5
// Least effective mass at the pulled place, as a fraction of the body's mass; a uniform rod pulled
// at its end has this fraction. The spring is stable for at least this mass.
#define PULLED_PART 0.25

// Returns the mass of the body and all bodies that joints connect with it, kg.
static double mass_of_group(const PoiseScene* scene, int body) {
    double mass = 0.0;
    int group = scene->bodies[body].group;
    for (int i = 0; i < scene->body_count; i++) {
        const PoiseSceneBody* other = &scene->bodies[i];
        if (!other->fixed && (i == body || (group >= 0 && other->group == group))) {
            mass += other->mass;
        }
    }
    return mass;
}

PoiseStatus poise_simulation_pull(PoiseSimulation* simulation, int body, PoiseVec3 in_body,
                                  PoiseVec3 to) {
    if (!simulation || body < 0 || body >= simulation->scene->body_count ||
        !poise_is_finite3(in_body) || !poise_is_finite3(to)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!simulation->bodies[body]) {
        return POISE_ERROR_CANNOT_MOVE;
    }
    double rate = 2.0 * PI * PULL_FREQUENCY;
    double mass = mass_of_group(simulation->scene, body);
    simulation->pull = (Pull){.active = true,
                              .body = body,
                              .in_body = in_body,
                              .to = to,
                              .stiffness = mass * rate * rate,
                              .damping = 2.0 * PULL_DAMPING * mass * rate};
    dBodyEnable(simulation->bodies[body]);
    return POISE_OK;
}

PoiseStatus poise_simulation_let_go(PoiseSimulation* simulation) {
    if (!simulation) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    simulation->pull.active = false;
    return POISE_OK;
}

static PoiseVec3 pulled_place(const PoiseSimulation* simulation) {
    const Pull* pull = &simulation->pull;
    return poise_pose_apply(poise__simulation_body_pose(simulation, pull->body), pull->in_body);
}

bool poise_simulation_pulled(const PoiseSimulation* simulation, PoiseVec3* from, PoiseVec3* to,
                             PoiseVec3* force) {
    if (!simulation || !simulation->pull.active) {
        return false;
    }
    *from = pulled_place(simulation);
    *to = simulation->pull.to;
    *force = simulation->pull.force;
    return true;
}

void poise__simulation_apply_pull(PoiseSimulation* simulation) {
    Pull* pull = &simulation->pull;
    if (!pull->active) {
        return;
    }
    double h = simulation->scene->world.step;
    dBodyID body = simulation->bodies[pull->body];
    PoiseVec3 at = pulled_place(simulation);
    dVector3 speed;
    dBodyGetPointVel(body, ODE_XYZ(at), speed);
    PoiseVec3 v = poise__from_ode(speed);
    // An implicit spring: it uses place and speed at the end of the step, so that it cannot
    // overshoot.
    double soft = 1.0 + (h * pull->damping + h * h * pull->stiffness) /
                            (PULLED_PART * simulation->scene->bodies[pull->body].mass);
    PoiseVec3 stretch = poise_sub(poise_sub(pull->to, at), poise_scale(h, v));
    PoiseVec3 force = poise_scale(pull->stiffness, stretch);
    force = poise_add_scaled(force, -pull->damping, v);
    pull->force = poise_scale(1.0 / soft, force);
    dBodyAddForceAtPos(body, ODE_XYZ(pull->force), ODE_XYZ(at));
}
