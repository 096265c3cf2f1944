// SPDX-License-Identifier: MIT
// Creates a scene's joints in ODE, its tree and its rig. All joints are created at angle 0, where
// ODE's angles start, and then moved to the scene's start posture.
#include <math.h>

#include "coordinates.h"
#include "number.h"
#include "poise/closure.h"
#include "running.h"

static dBodyID body_of(const PoiseSimulation* simulation, int body) {
    return body >= 0 ? simulation->bodies[body] : NULL;
}

// True if ODE can represent the whole range: its angles lie within half a turn.
static bool is_within_turn(const PoiseLimits* limits, int angle) {
    return limits->lower[angle] > -PI && limits->upper[angle] < PI;
}

static void set_stops(const PoiseSceneJoint* joint, dJointID ode) {
    const bool hinge = poise_kind_axes(joint->kind) == 1 && !poise_kind_slides(joint->kind);
    void (*set)(dJointID, int, dReal) = hinge ? dJointSetHingeParam : dJointSetSliderParam;
    // ODE wraps a hinge's angle, so a range beyond half a turn would be violated at once. The rig
    // alone keeps such a range.
    const bool known = !hinge || is_within_turn(&joint->limits, 0);
    const double lower = known ? joint->limits.lower[0] : -(double)INFINITY;
    const double upper = known ? joint->limits.upper[0] : (double)INFINITY;
    set(ode, dParamHiStop, isfinite(upper) ? (dReal)upper : dInfinity);
    set(ode, dParamLoStop, isfinite(lower) ? (dReal)lower : -dInfinity);
    // Second call: ODE ignores an upper stop below the previous lower stop.
    set(ode, dParamHiStop, isfinite(upper) ? (dReal)upper : dInfinity);
}

#define AXIS_NEAR_X 0.9

// Sets the axes of a universal joint. ODE's first axis moves with its first body, the child, and is
// therefore the scene's second axis.
static void set_universal_axes(const PoiseSceneJoint* joint, dJointID ode) {
    PoiseVec3 a = joint->axis;
    PoiseVec3 b = joint->axis2;
    // ODE creates a universal joint with the axes x and y. One call sets one axis, and ODE warns if
    // both are then equal, so the first axis is moved off x before.
    if (fabs(a.x) > AXIS_NEAR_X) {
        dJointSetUniversalAxis1(ode, 0, 0, 1);
    }
    dJointSetUniversalAxis2(ode, ODE_XYZ(a));
    dJointSetUniversalAxis1(ode, ODE_XYZ(b));
    for (int i = 0; i < 2; i++) {
        const bool known = is_within_turn(&joint->limits, i);
        const int group = (1 - i) * dParamGroup;
        dJointSetUniversalParam(ode, dParamLoStop + group,
                                known ? (dReal)joint->limits.lower[i] : -dInfinity);
        dJointSetUniversalParam(ode, dParamHiStop + group,
                                known ? (dReal)joint->limits.upper[i] : dInfinity);
    }
}

// Moves a body by a displacement and a rotation about the world's origin.
static void carry(dBodyID body, PoisePose way) {
    const dReal* p = dBodyGetPosition(body);
    const dReal* q = dBodyGetQuaternion(body);
    const PoisePose from = poise_pose(poise__from_ode(p), poise__turn_from_ode(q));
    const PoisePose to = poise_pose_mul(way, from);
    const dQuaternion turn = ODE_TURN(to.q);
    dBodySetPosition(body, ODE_XYZ(to.p));
    dBodySetQuaternion(body, turn);
}

// Fixes the child to the parent in the pose that closes the weld, which may differ from its present
// pose.
static dJointID make_weld(PoiseSimulation* simulation, const PoiseSceneJoint* joint) {
    dBodyID child = body_of(simulation, joint->child.index);
    dJointID ode = dJointCreateFixed(poise_world_ode(simulation->world), NULL);
    dJointAttach(ode, child, body_of(simulation, joint->parent.index));
    carry(child, joint->weld);
    dJointSetFixed(ode);
    carry(child, poise_pose_inverse(joint->weld));
    return ode;
}

// Softens the rows of a joint that closes a loop: ODE adds cfm / step to the rows' inverse mass
// (1/kg).
static void soften(const PoiseSimulation* simulation, const PoiseSceneJoint* joint, dJointID ode) {
    const PoiseSceneBody* child = &simulation->scene->bodies[joint->child.index];
    const PoiseSceneBody* parent =
        joint->parent.index >= 0 ? &simulation->scene->bodies[joint->parent.index] : NULL;
    const double mobility = (child->fixed ? 0.0 : 1.0 / child->mass) +
                            (!parent || parent->fixed ? 0.0 : 1.0 / parent->mass);
    const double cfm = joint->softness * mobility * simulation->scene->world.step;
    if (!(cfm > simulation->scene->world.def.cfm)) {
        return;
    }
    if (dJointGetType(ode) == dJointTypeFixed) {
        dJointSetFixedParam(ode, dParamCFM, (dReal)cfm);
    } else if (dJointGetType(ode) == dJointTypeBall) {
        dJointSetBallParam(ode, dParamCFM, (dReal)cfm);
    }
}

static dJointID make_joint(PoiseSimulation* simulation, const PoiseSceneJoint* joint) {
    if (joint->welded) {
        return make_weld(simulation, joint);
    }
    dWorldID world = poise_world_ode(simulation->world);
    dBodyID child = body_of(simulation, joint->child.index);
    dBodyID parent = body_of(simulation, joint->parent.index);
    PoiseVec3 p = joint->anchor;
    PoiseVec3 a = joint->axis;
    dJointID ode = NULL;
    switch (joint->kind) {
    case POISE_NODE_HINGE:
        ode = dJointCreateHinge(world, NULL);
        dJointAttach(ode, child, parent);
        dJointSetHingeAnchor(ode, ODE_XYZ(p));
        dJointSetHingeAxis(ode, ODE_XYZ(a));
        set_stops(joint, ode);
        break;
    case POISE_NODE_SLIDER:
        ode = dJointCreateSlider(world, NULL);
        dJointAttach(ode, child, parent);
        dJointSetSliderAxis(ode, ODE_XYZ(a));
        set_stops(joint, ode);
        break;
    case POISE_NODE_BALL:
        ode = dJointCreateBall(world, NULL);
        dJointAttach(ode, child, parent);
        dJointSetBallAnchor(ode, ODE_XYZ(p));
        break;
    case POISE_NODE_UNIVERSAL:
        ode = dJointCreateUniversal(world, NULL);
        dJointAttach(ode, child, parent);
        dJointSetUniversalAnchor(ode, ODE_XYZ(p));
        set_universal_axes(joint, ode);
        break;
    default:
        break; // ODE has no joint for a floating base
    }
    return ode;
}

// Adds dry friction as ODE has it: a motor with target velocity 0 and a limited torque.
static void add_friction(PoiseSimulation* simulation, const PoiseSceneJoint* joint) {
    const PoiseJointType* type = poise_joint_type(joint->kind);
    if (!(joint->bind.friction > 0.0) || !type || type->nq != 1) {
        return;
    }
    const bool slides = type->motions[0] == POISE_PRISMATIC;
    const PoiseVec3 a = joint->axis;
    dWorldID world = poise_world_ode(simulation->world);
    dJointID motor = slides ? dJointCreateLMotor(world, NULL) : dJointCreateAMotor(world, NULL);
    dJointAttach(motor, body_of(simulation, joint->child.index),
                 body_of(simulation, joint->parent.index));
    // The axis moves with the motor's first body, the child.
    if (slides) {
        dJointSetLMotorNumAxes(motor, 1);
        dJointSetLMotorAxis(motor, 0, 1, ODE_XYZ(a));
        dJointSetLMotorParam(motor, dParamVel, 0);
        dJointSetLMotorParam(motor, dParamFMax, (dReal)joint->bind.friction);
    } else {
        dJointSetAMotorNumAxes(motor, 1);
        dJointSetAMotorAxis(motor, 0, 1, ODE_XYZ(a));
        dJointSetAMotorParam(motor, dParamVel, 0);
        dJointSetAMotorParam(motor, dParamFMax, (dReal)joint->bind.friction);
    }
}

// Returns the angle of a cone as a limit. Files often have half a turn, which rounding may exceed:
// such a cone is no limit.
static double cone(double angle) {
    return angle < PI ? angle : (double)INFINITY;
}

PoiseQuat poise__simulation_seen_by_parent(const PoiseSimulation* simulation,
                                           const PoiseSceneJoint* joint, PoiseQuat turn) {
    const bool turned = joint->parent.index >= 0 && simulation->bodies[joint->parent.index];
    const PoiseQuat parent =
        turned ? simulation->scene->bodies[joint->parent.index].pose.q : poise_quat_identity();
    return poise_quat_mul(poise_quat_conjugate(parent), poise_quat_mul(turn, parent));
}

static PoiseBindDef bind_def(const PoiseSimulation* simulation, const PoiseSceneJoint* joint) {
    PoiseBindDef def = joint->bind;
    if (!poise_kind_turns(joint->kind)) {
        return def;
    }
    const PoiseQuat natural = poise__quat_read(joint->bind.natural);
    poise__quat_write(poise__simulation_seen_by_parent(simulation, joint, natural), def.natural);
    def.cone_axis = joint->axis;
    return def;
}

// Sets the node's bias, speed limit and limits. The node has limits that ODE's stops cannot
// represent.
static PoiseStatus set_up_node(PoiseTree* tree, PoiseNodeId node, const PoiseSceneJoint* joint) {
    PoiseStatus status = poise_node_set_bias(tree, node, joint->bias);
    // The rig disables joints without an IK spring.
    if (status >= 0 && !joint->enabled) {
        status = poise_node_set_enabled(tree, node, false);
    }
    status = status >= 0 ? poise_node_set_max_speed(tree, node, joint->bind.speed_limit) : status;
    if (status < 0 || poise_kind_floats(joint->kind)) {
        return status;
    }
    PoiseLimits limits = joint->limits;
    if (poise_kind_turns(joint->kind)) {
        const double twist = cone(limits.upper[2]);
        limits = poise_cone(cone(limits.upper[0]), -twist, twist);
    }
    return poise_node_set_limits(tree, node, limits);
}

static bool drive_joint(PoiseSimulation* simulation, int index, PoiseDiagnostics* diagnostics) {
    const PoiseSceneJoint* joint = &simulation->scene->joints[index];
    PoiseBindDef like = bind_def(simulation, joint);
    dBodyID child = body_of(simulation, joint->child.index);
    PoiseNodeId node =
        poise_kind_floats(joint->kind)
            ? poise_rig_add_base(simulation->rig, child, &like)
            : poise_rig_add(simulation->rig, simulation->joints[index], child, &like);
    simulation->nodes[index] = node;
    simulation->running_joints[index] = *joint;
    simulation->running_joints[index].bind = like;
    if (node.index1 == 0) {
        poise__diagnose(diagnostics, POISE_ERROR, joint->mark, "joint '%.60s': %s", joint->name,
                        poise_rig_message(simulation->rig));
        return false;
    }
    PoiseStatus status = set_up_node(simulation->tree, node, joint);
    if (status < 0) {
        poise__diagnose(diagnostics, POISE_ERROR, joint->mark, "joint '%.60s': %s", joint->name,
                        poise_tree_message(simulation->tree));
    }
    return status >= 0;
}

// Moves the joints and bodies to the start posture. Returns false after an error, which is
// reported.
static bool move_to_start(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics) {
    const PoiseScene* scene = simulation->scene;
    PoiseStatus status = POISE_OK;
    bool moves = false;
    for (int i = 0; i < scene->driven_count && status >= 0; i++) {
        int index = scene->joint_order[i];
        const PoiseSceneJoint* joint = &scene->joints[index];
        if (poise_kind_axes(joint->kind) == 1 && joint->start[0] != 0.0) {
            status =
                poise_node_set_angle(simulation->tree, simulation->nodes[index], joint->start[0]);
            moves = true;
        } else if (poise_kind_turns(joint->kind) && poise__quat_read(joint->start).w < 1.0) {
            const PoiseQuat start = poise__quat_read(joint->start);
            double turn[4];
            poise__quat_write(poise__simulation_seen_by_parent(simulation, joint, start), turn);
            status = poise_node_set_posture(simulation->tree, simulation->nodes[index], turn, 4);
            moves = true;
        }
    }
    if (status >= 0 && moves) {
        status = poise_rig_place_bodies(simulation->rig);
    }
    if (status < 0) {
        PoiseMark mark = {scene->file, 0, 0};
        poise__diagnose(diagnostics, POISE_ERROR, mark, "the starting pose: %s",
                        poise_rig_message(simulation->rig));
    }
    return status >= 0;
}

// True if the tree has the body. Loops of other bodies, which no driven joint carries, are solved
// by ODE alone.
static bool is_in_tree(const PoiseScene* scene, int body) {
    return body < 0 || scene->bodies[body].fixed || scene->bodies[body].joint >= 0;
}

// Adds closures for joints that are not driven. A type that the rig leaves to ODE is no error.
static bool close_loops(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics) {
    const PoiseScene* scene = simulation->scene;
    for (int i = 0; i < scene->joint_count; i++) {
        const PoiseSceneJoint* joint = &scene->joints[i];
        if (joint->driven || !simulation->joints[i] || !is_in_tree(scene, joint->parent.index) ||
            !is_in_tree(scene, joint->child.index)) {
            continue;
        }
        // poise_rig_add_closure reads the closure from the present poses. At angle 0 the child may
        // not yet be in the weld's pose, so it is moved there for this call.
        dBodyID child = joint->welded ? body_of(simulation, joint->child.index) : NULL;
        if (child) {
            carry(child, joint->weld);
        }
        const PoiseStatus status = poise_rig_add_closure(simulation->rig, simulation->joints[i]);
        if (child) {
            carry(child, poise_pose_inverse(joint->weld));
        }
        if (status < 0 && status != POISE_ERROR_WRONG_KIND) {
            poise__diagnose(diagnostics, POISE_ERROR, joint->mark, "joint '%.60s': %s", joint->name,
                            poise_rig_message(simulation->rig));
            return false;
        }
    }
    return true;
}

bool poise__simulation_make_joints(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics) {
    const PoiseScene* scene = simulation->scene;
    for (int i = 0; i < scene->joint_count; i++) {
        simulation->joints[i] = make_joint(simulation, &scene->joints[i]);
        if (simulation->joints[i] && scene->joints[i].softness > 0.0) {
            soften(simulation, &scene->joints[i], simulation->joints[i]);
        }
        add_friction(simulation, &scene->joints[i]);
    }
    for (int i = 0; i < scene->driven_count; i++) {
        if (!drive_joint(simulation, scene->joint_order[i], diagnostics)) {
            return false;
        }
    }
    return poise__simulation_tie(simulation, diagnostics) && close_loops(simulation, diagnostics) &&
           move_to_start(simulation, diagnostics);
}
