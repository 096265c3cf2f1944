// SPDX-License-Identifier: MIT
// Creates a scene's bodies in ODE. An ODE body has its origin at the centre of mass and the
// rotation of the scene's body; fixed bodies are geoms without a body.
#include <string.h>

#include "running.h"

// Adds the inertia of the drive of the body's joint, about the joint's axis.
static void set_mass(dBodyID body, const PoiseSceneBody* scene, const PoiseSceneJoint* joint) {
    double i[6];
    memcpy(i, scene->inertia, sizeof i);
    const PoiseJointType* type = joint ? poise_joint_type(joint->kind) : NULL;
    if (type && type->nq == 1 && type->motions[0] == POISE_REVOLUTE) {
        const PoiseVec3 a = poise_quat_unrotate(scene->pose.q, joint->axis);
        const double own[6] = {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
        for (int k = 0; k < 6; k++) {
            i[k] += joint->armature * own[k];
        }
    }
    dMass mass;
    dMassSetParameters(&mass, (dReal)scene->mass, 0, 0, 0, (dReal)i[0], (dReal)i[1], (dReal)i[2],
                       (dReal)i[3], (dReal)i[4], (dReal)i[5]);
    dBodySetMass(body, &mass);
}

static dBodyID make_body(PoiseSimulation* simulation, const PoiseSceneBody* scene) {
    dBodyID body = dBodyCreate(poise_world_ode(simulation->world));
    PoiseVec3 place = poise_pose_apply(scene->pose, scene->com);
    PoiseQuat turn = scene->pose.q;
    dQuaternion q = ODE_TURN(turn);
    set_mass(body, scene, scene->joint >= 0 ? &simulation->scene->joints[scene->joint] : NULL);
    dBodySetPosition(body, ODE_XYZ(place));
    dBodySetQuaternion(body, q);
    dBodySetGravityMode(body, scene->gravity ? 1 : 0);
    // simulation_step_bound.c finds the body's index from this pointer.
    dBodySetData(body, &simulation->moving[simulation->moving_count]);
    simulation->moving[simulation->moving_count++] = body;
    return body;
}

// Creates the geom of a shape; NULL if memory is short.
static dGeomID make_geom(dSpaceID space, RunningShape* running) {
    const PoiseSceneShape* shape = running->scene;
    dReal x = (dReal)shape->size.x;
    dReal y = (dReal)shape->size.y;
    switch (shape->kind) {
    case POISE_SHAPE_BOX:
        return dCreateBox(space, x, y, (dReal)shape->size.z);
    case POISE_SHAPE_SPHERE:
        return dCreateSphere(space, x);
    case POISE_SHAPE_CAPSULE:
        return dCreateCapsule(space, x, y);
    case POISE_SHAPE_CYLINDER:
        return dCreateCylinder(space, x, y);
    case POISE_SHAPE_HULL:
        return poise__simulation_make_hull(space, shape, &running->hull);
    }
    return NULL;
}

static void place_geom(dGeomID geom, dBodyID body, PoisePose pose) {
    dQuaternion q = ODE_TURN(pose.q);
    if (body) {
        dGeomSetBody(geom, body);
        dGeomSetOffsetPosition(geom, ODE_XYZ(pose.p));
        dGeomSetOffsetQuaternion(geom, q);
    } else {
        dGeomSetPosition(geom, ODE_XYZ(pose.p));
        dGeomSetQuaternion(geom, q);
    }
}

// Returns the space of the body's group; creates it on the first call.
static dSpaceID space_of(PoiseSimulation* simulation, int group) {
    if (group < 0) {
        return poise_world_space(simulation->world);
    }
    if (!simulation->spaces[group]) {
        simulation->spaces[group] = poise_world_add_group(simulation->world);
    }
    return simulation->spaces[group];
}

// Adds a shape of a body to the simulation, and its geom if the shape collides. Returns false if
// memory is short.
static bool add_shape(PoiseSimulation* simulation, int index, const PoiseSceneShape* shape) {
    const PoiseSceneBody* scene = &simulation->scene->bodies[index];
    RunningShape* running = &simulation->shapes[simulation->shape_count++];
    running->scene = shape;
    running->body = index;
    running->in_body = shape->in_body;
    if (scene->fixed) {
        running->in_body = poise_pose_mul(scene->pose, shape->in_body);
    } else {
        running->in_body.p = poise_sub(shape->in_body.p, scene->com);
    }
    bool touches = scene->collides && (shape->category != 0 || shape->collide != 0);
    if (!touches || !simulation->scene->world.def.contacts) {
        return true;
    }
    dGeomID geom = make_geom(space_of(simulation, scene->group), running);
    if (!geom) {
        return false;
    }
    dGeomSetCategoryBits(geom, shape->category);
    dGeomSetCollideBits(geom, shape->collide);
    running->geom = geom;
    place_geom(geom, simulation->bodies[index], poise__simulation_upright(shape, running->in_body));
    return true;
}

bool poise__simulation_make_bodies(PoiseSimulation* simulation) {
    const PoiseScene* scene = simulation->scene;
    for (int i = 0; i < scene->body_count; i++) {
        const PoiseSceneBody* body = &scene->bodies[i];
        if (!body->fixed) {
            simulation->bodies[i] = make_body(simulation, body);
            if (poise_world_watch(simulation->world, simulation->bodies[i]) < 0) {
                return false;
            }
        }
        for (int j = 0; j < body->shape_count; j++) {
            if (!add_shape(simulation, i, &body->shapes[j])) {
                return false;
            }
        }
    }
    return !scene->world.ground ||
           poise_world_add_ground(simulation->world, scene->world.ground_height) != NULL;
}

PoisePose poise__simulation_body_pose(const PoiseSimulation* simulation, int body) {
    const PoiseSceneBody* scene = &simulation->scene->bodies[body];
    dBodyID ode = simulation->bodies[body];
    if (!ode) {
        return scene->pose;
    }
    const dReal* p = dBodyGetPosition(ode);
    const dReal* q = dBodyGetQuaternion(ode);
    PoisePose pose = poise_pose(poise__from_ode(p), poise__turn_from_ode(q));
    pose.p = poise_sub(pose.p, poise_quat_rotate(pose.q, scene->com));
    return pose;
}
