// SPDX-License-Identifier: MIT
// Views of bodies and springs, and the spring of a hand that pulls a body.
#include <string.h>

#include "coordinates.h"
#include "number.h"
#include "running.h"

// Natural frequency, Hz, and damping ratio of the hand's spring with the mass of all bodies that
// joints connect to the pulled body.
#define PULL_FREQUENCY 1.2
#define PULL_DAMPING   0.5
// Least effective mass at the pulled place, as a fraction of the body's mass; a uniform rod pulled
// at its end has this fraction. The spring is stable for at least this mass.
#define PULLED_PART 0.25

int poise_simulation_body_count(const PoiseSimulation* simulation) {
    return simulation ? simulation->scene->body_count : 0;
}

PoiseBodyView poise_simulation_body(const PoiseSimulation* simulation, int index) {
    PoiseBodyView view = {.name = "", .joint = -1, .pose_world = poise_pose_identity()};
    if (!simulation || index < 0 || index >= simulation->scene->body_count) {
        return view;
    }
    const PoiseSceneBody* body = &simulation->scene->bodies[index];
    view.name = body->name;
    view.fixed = body->fixed;
    view.joint = body->joint;
    view.mass = body->fixed ? 0.0 : body->mass;
    view.pose_world = poise__simulation_body_pose(simulation, index);
    view.com_world = poise_pose_apply(view.pose_world, body->com);
    if (simulation->bodies[index] &&
        poise_world_contact_force(simulation->world, simulation->bodies[index], &view.contact_force,
                                  NULL) < 0) {
        view.contact_force = poise_vec3(0.0, 0.0, 0.0);
    }
    return view;
}

// Returns 1/2 m v^2 + 1/2 w I w, J, with I about the centre of mass in the body's axes.
static double kinetic_energy(dBodyID body) {
    dMass mass;
    dVector3 turning;
    dBodyGetMass(body, &mass);
    dBodyVectorFromWorld(body, dBodyGetAngularVel(body)[0], dBodyGetAngularVel(body)[1],
                         dBodyGetAngularVel(body)[2], turning);
    PoiseVec3 v = poise__from_ode(dBodyGetLinearVel(body));
    double spin = 0.0;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            spin +=
                (double)turning[row] * (double)mass.I[4 * row + column] * (double)turning[column];
        }
    }
    return 0.5 * (double)mass.mass * poise_dot(v, v) + 0.5 * spin;
}

void poise_simulation_energy(const PoiseSimulation* simulation, double* kinetic,
                             double* potential) {
    double moving = 0.0, lifted = 0.0;
    if (simulation) {
        dVector3 gravity;
        dWorldGetGravity(poise_world_ode(simulation->world), gravity);
        for (int i = 0; i < simulation->moving_count; i++) {
            dBodyID body = simulation->moving[i];
            dMass mass;
            dBodyGetMass(body, &mass);
            moving += kinetic_energy(body);
            if (dBodyGetGravityMode(body)) {
                lifted -= (double)mass.mass * poise_dot(poise__from_ode(gravity),
                                                        poise__from_ode(dBodyGetPosition(body)));
            }
        }
    }
    if (kinetic) {
        *kinetic = moving;
    }
    if (potential) {
        *potential = lifted;
    }
}

// ----------------------------------------------------------------------------------------- springs

PoiseJointSprings poise_simulation_joint_springs(const PoiseSimulation* simulation, int index) {
    PoiseJointSprings springs = {0};
    PoiseJointReading reading;
    if (!simulation || index < 0 || index >= simulation->scene->joint_count ||
        !simulation->scene->joints[index].driven) {
        return springs;
    }
    const PoiseBindDef* bind = &simulation->running_joints[index].bind;
    springs.original = bind->original;
    springs.ik = bind->ik;
    poise__simulation_natural(simulation, index, poise__simulation_now(simulation),
                              springs.q_natural);
    springs.max_torque = bind->torque_limit;
    if (poise_rig_read_joint(simulation->rig, simulation->nodes[index], &reading) >= 0) {
        springs.blended = reading.spring;
        springs.count = poise_joint_type(reading.kind)->nq;
        memcpy(springs.q, reading.q, sizeof springs.q);
        memcpy(springs.q_ik, reading.q_ik, sizeof springs.q_ik);
    }
    return springs;
}

PoisePose poise_simulation_joint_frame(const PoiseSimulation* simulation, int index) {
    if (!simulation || index < 0 || index >= simulation->scene->joint_count) {
        return poise_pose_identity();
    }
    const PoiseScene* scene = simulation->scene;
    const PoiseSceneJoint* joint = &scene->joints[index];
    bool turns_freely = poise_kind_turns(joint->kind);
    PoisePose frame = poise_pose(joint->anchor, turns_freely ? poise_quat_identity()
                                                             : poise__turn_z_to(joint->axis));
    if (joint->parent.index < 0) {
        return frame;
    }
    // Moves the frame with the parent, from the parent's pose with every joint at 0.
    PoisePose then = scene->bodies[joint->parent.index].pose;
    PoisePose now = poise__simulation_body_pose(simulation, joint->parent.index);
    frame.p = poise_pose_apply(now, poise_quat_unrotate(then.q, poise_sub(frame.p, then.p)));
    if (turns_freely) {
        // A ball's frame has the parent's axes, as in the rig.
        frame.q = now.q;
    } else {
        frame.q = poise_quat_mul(now.q, poise_quat_mul(poise_quat_conjugate(then.q), frame.q));
    }
    return frame;
}

// -------------------------------------------------------------------------------------------- pull

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
