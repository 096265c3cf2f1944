// SPDX-License-Identifier: MIT
// Makes a joint like another. ODE measures a joint's coordinates from the poses of its bodies at
// its set-up. Therefore the child is moved to the pose in which all coordinates are 0, and then
// moved back.
#include <math.h>
#include <string.h>

#include "convert.h"
#include "copy.h"
#include "ode_joint.h"

// Largest difference between the coordinates, axes and anchor of a joint and those of its copy, rad
// and m.
#define READ_TOLERANCE 1e-6
// Two axes count as parallel, so that their cross product is not used, below this sine.
#define PARALLEL 0.1

void poise__copy_place(dBodyID body, dBodyID like) {
    // ODE's setter would normalise the quaternion again and change its bits
    memcpy((dReal*)dBodyGetQuaternion(body), dBodyGetQuaternion(like), sizeof(dReal[4]));
    memcpy((dReal*)dBodyGetRotation(body), dBodyGetRotation(like), sizeof(dReal[12]));
    const dReal* p = dBodyGetPosition(like);
    dBodySetPosition(body, p[0], p[1], p[2]);
}

typedef struct Parameters {
    dReal (*get)(dJointID, int);
    void (*set)(dJointID, int, dReal);
    int groups;
} Parameters;

static void copy_parameters(dJointID to, dJointID from, Parameters parameters) {
    static const int of_motions[] = {dParamLoStop,        dParamHiStop,       dParamVel,
                                     dParamFMax,          dParamFudgeFactor,  dParamBounce,
                                     dParamCFM,           dParamStopERP,      dParamStopCFM,
                                     dParamSuspensionERP, dParamSuspensionCFM};
    for (int group = 0; group < parameters.groups; group++) {
        for (size_t i = 0; i < sizeof of_motions / sizeof *of_motions; i++) {
            const int which = of_motions[i] + group * dParamGroup;
            parameters.set(to, which, parameters.get(from, which));
        }
    }
}

static void copy_softness(dJointID to, dJointID from, Parameters parameters) {
    parameters.set(to, dParamERP, parameters.get(from, dParamERP));
    parameters.set(to, dParamCFM, parameters.get(from, dParamCFM));
}

static void set_pose(dBodyID body, PoisePose pose) {
    const dQuaternion q = {pose.q.w, pose.q.x, pose.q.y, pose.q.z};
    dBodySetPosition(body, pose.p.x, pose.p.y, pose.p.z);
    dBodySetQuaternion(body, q);
}

// Sets both anchors of a ball joint. ODE expects the second in the frame of the second body.
static void set_ball(dJointID copy, dJointID joint) {
    const PoiseVec3 first = poise__ode_joint_vector(dJointGetBallAnchor, joint);
    const PoisePose frame = poise__body_pose(dJointGetBody(copy, 1));
    const PoiseVec3 second = poise_pose_apply(poise_pose_inverse(frame),
                                              poise__ode_joint_vector(dJointGetBallAnchor2, joint));
    dJointSetBallAnchor(copy, first.x, first.y, first.z);
    if (dJointGetBody(copy, 0)) {
        dJointSetBallAnchor2(copy, second.x, second.y, second.z);
    }
}

// Returns a unit vector perpendicular to `a` and `b`, or to `a` alone if they are nearly parallel.
static PoiseVec3 aside(PoiseVec3 a, PoiseVec3 b) {
    const PoiseVec3 both = poise_cross(a, b);
    const double sine = poise_length(both);
    if (sine > PARALLEL) {
        return poise_scale(1.0 / sine, both);
    }
    const PoiseVec3 any = fabs(a.x) < 0.6 ? poise_vec3(1.0, 0.0, 0.0) : poise_vec3(0.0, 1.0, 0.0);
    const PoiseVec3 across = poise_cross(a, any);
    return poise_scale(1.0 / poise_length(across), across);
}

// Sets both axes of a universal or PU joint. ODE rejects parallel axes. Therefore the second axis
// is first set perpendicular to the old and the new first axis.
static void set_universal(dJointID copy, PoiseVec3 anchor, PoiseVec3 axis1, PoiseVec3 axis2) {
    const bool pu = dJointGetType(copy) == dJointTypePU;
    void (*const set1)(dJointID, dReal, dReal, dReal) =
        pu ? dJointSetPUAxis1 : dJointSetUniversalAxis1;
    void (*const set2)(dJointID, dReal, dReal, dReal) =
        pu ? dJointSetPUAxis2 : dJointSetUniversalAxis2;
    const PoiseVec3 across = aside(
        poise__ode_joint_vector(pu ? dJointGetPUAxis1 : dJointGetUniversalAxis1, copy), axis1);
    (pu ? dJointSetPUAnchor : dJointSetUniversalAnchor)(copy, anchor.x, anchor.y, anchor.z);
    set2(copy, across.x, across.y, across.z);
    set1(copy, axis1.x, axis1.y, axis1.z);
    set2(copy, axis2.x, axis2.y, axis2.z);
}

// Sets anchor and axes, world, in the order of OdeJoint.axes. ODE measures coordinates from the
// present poses.
static void set_axes(dJointID copy, PoiseVec3 anchor, const PoiseVec3* axes) {
    const dVector3 first = {axes[0].x, axes[0].y, axes[0].z, 0.0};
    const dVector3 second = {axes[1].x, axes[1].y, axes[1].z, 0.0};
    switch (dJointGetType(copy)) {
    case dJointTypeHinge:
        dJointSetHingeAnchor(copy, anchor.x, anchor.y, anchor.z);
        dJointSetHingeAxis(copy, first[0], first[1], first[2]);
        break;
    case dJointTypeSlider:
        dJointSetSliderAxis(copy, first[0], first[1], first[2]);
        break;
    case dJointTypeUniversal:
        set_universal(copy, anchor, axes[0], axes[1]);
        break;
    case dJointTypeHinge2:
        dJointSetHinge2Anchor(copy, anchor.x, anchor.y, anchor.z);
        dJointSetHinge2Axes(copy, first, second);
        break;
    case dJointTypePiston:
        dJointSetPistonAnchor(copy, anchor.x, anchor.y, anchor.z);
        dJointSetPistonAxis(copy, first[0], first[1], first[2]);
        break;
    case dJointTypePR:
        dJointSetPRAxis1(copy, first[0], first[1], first[2]);
        dJointSetPRAxis2(copy, second[0], second[1], second[2]);
        dJointSetPRAnchor(copy, anchor.x, anchor.y, anchor.z);
        break;
    default:
        set_universal(copy, anchor, axes[1], axes[2]);
        dJointSetPUAxis3(copy, first[0], first[1], first[2]);
        break;
    }
}

static bool are_near(PoiseVec3 a, PoiseVec3 b) {
    return poise_length(poise_sub(a, b)) < READ_TOLERANCE;
}

static bool are_same(const OdeJoint* a, const OdeJoint* b) {
    bool same = are_near(a->anchor, b->anchor);
    for (int k = 0; k < a->motion_count; k++) {
        same = same && fabs(a->q[k] - b->q[k]) < READ_TOLERANCE && are_near(a->axes[k], b->axes[k]);
    }
    return same;
}

// Moves the child to the pose in which all motions are 0, last motion first, sets up the joint
// there and moves the child back. False if the copy has other coordinates, axes or anchor.
static bool set_motions(dJointID copy, dJointID joint) {
    const dJointType type = dJointGetType(joint);
    const bool slides = type == dJointTypeSlider || type == dJointTypePiston ||
                        type == dJointTypePR || type == dJointTypePU;
    const int side = dJointGetBody(joint, 1) != NULL;
    dBodyID child = dJointGetBody(joint, side), made = dJointGetBody(copy, side);
    OdeJoint was, is;
    poise__ode_joint_read(joint, child, &was);
    // ODE measures motions from the first body, OdeJoint from the parent
    const int count = was.motion_count;
    const bool back = side == 0 && type != dJointTypePiston;
    const int slide = !slides ? -1 : back ? count - 1 : 0;
    PoiseVec3 anchor = was.anchor, axes[ODE_MOTIONS];
    memcpy(axes, was.axes, sizeof axes);
    PoisePose pose = poise__body_pose(child);
    for (int i = count - 1; i >= 0; i--) {
        if (i == slide) {
            pose.p = poise_add_scaled(pose.p, -was.q[i], axes[i]);
            anchor = i == 0 ? poise_add_scaled(anchor, -was.q[i], axes[i]) : anchor;
            continue;
        }
        const PoiseQuat turn = poise_quat_from_axis_angle(axes[i], -was.q[i]);
        pose.p = poise_add(anchor, poise_quat_rotate(turn, poise_sub(pose.p, anchor)));
        pose.q = poise_quat_mul(turn, pose.q);
        for (int k = i + 1; k < count; k++) {
            axes[k] = poise_quat_rotate(turn, axes[k]);
        }
    }
    PoiseVec3 in_order[ODE_MOTIONS];
    for (int i = 0; i < ODE_MOTIONS; i++) {
        in_order[i] = axes[back && i < count ? count - 1 - i : i];
    }
    set_pose(made, pose);
    set_axes(copy, anchor, in_order);
    poise__copy_place(made, child);
    poise__ode_joint_read(copy, made, &is);
    return are_same(&was, &is);
}

// True if a slider joins the same two bodies, so that they do not rotate relative to each other.
static bool slides_only(dJointID joint) {
    dBodyID a = dJointGetBody(joint, 0), b = dJointGetBody(joint, 1);
    bool slides = false;
    for (int i = 0; a && i < dBodyGetNumJoints(a); i++) {
        dJointID other = dBodyGetJoint(a, i);
        dBodyID first = dJointGetBody(other, 0), second = dJointGetBody(other, 1);
        slides = slides || (dJointGetType(other) == dJointTypeSlider &&
                            ((first == a && second == b) || (first == b && second == a)));
    }
    return slides;
}

// Sets the axes of an AMotor or LMotor. False if the copy is not exact. ODE does not tell which
// body an LMotor's axis turns with; this does not matter if both bodies have the same angular
// velocity.
static bool set_motor(dJointID copy, dJointID joint) {
    dVector3 axis;
    if (dJointGetType(joint) == dJointTypeLMotor) {
        const int count = dJointGetLMotorNumAxes(joint);
        dJointSetLMotorNumAxes(copy, count);
        for (int i = 0; i < count; i++) {
            dJointGetLMotorAxis(joint, i, axis);
            dJointSetLMotorAxis(copy, i, 1, axis[0], axis[1], axis[2]);
        }
        return slides_only(joint);
    }
    const int count = dJointGetAMotorNumAxes(joint);
    dJointSetAMotorMode(copy, dAMotorUser);
    dJointSetAMotorNumAxes(copy, count);
    for (int i = 0; i < count; i++) {
        dJointGetAMotorAxis(joint, i, axis);
        dJointSetAMotorAxis(copy, i, dJointGetAMotorAxisRel(joint, i), axis[0], axis[1], axis[2]);
        dJointSetAMotorAngle(copy, i, dJointGetAMotorAngle(joint, i));
    }
    return dJointGetAMotorMode(joint) == dAMotorUser;
}

// A joint type that can be copied: its constructor, and its parameters in groups.
typedef struct Copied {
    dJointType type;
    dJointID (*create)(dWorldID, dJointGroupID);
    Parameters parameters;
} Copied;

// clang-format off
static const Copied copied[] = {
    {dJointTypeHinge,     dJointCreateHinge,     {dJointGetHingeParam,     dJointSetHingeParam,     1}},
    {dJointTypeSlider,    dJointCreateSlider,    {dJointGetSliderParam,    dJointSetSliderParam,    1}},
    {dJointTypeBall,      dJointCreateBall,      {dJointGetBallParam,      dJointSetBallParam,      0}},
    {dJointTypeUniversal, dJointCreateUniversal, {dJointGetUniversalParam, dJointSetUniversalParam, 2}},
    {dJointTypeHinge2,    dJointCreateHinge2,    {dJointGetHinge2Param,    dJointSetHinge2Param,    2}},
    {dJointTypePiston,    dJointCreatePiston,    {dJointGetPistonParam,    dJointSetPistonParam,    2}},
    {dJointTypePR,        dJointCreatePR,        {dJointGetPRParam,        dJointSetPRParam,        2}},
    {dJointTypePU,        dJointCreatePU,        {dJointGetPUParam,        dJointSetPUParam,        3}},
    {dJointTypeFixed,     dJointCreateFixed,     {dJointGetFixedParam,     dJointSetFixedParam,     0}},
    {dJointTypeAMotor,    dJointCreateAMotor,    {dJointGetAMotorParam,    dJointSetAMotorParam,    3}},
    {dJointTypeLMotor,    dJointCreateLMotor,    {dJointGetLMotorParam,    dJointSetLMotorParam,    3}},
};
// clang-format on

dJointID poise__copy_joint(dWorldID world, dJointID joint, const dBodyID bodies[2]) {
    const dJointType type = dJointGetType(joint);
    const Copied* kind = NULL;
    for (size_t i = 0; i < sizeof copied / sizeof *copied && !kind; i++) {
        kind = copied[i].type == type ? &copied[i] : NULL;
    }
    if (!kind) {
        return NULL;
    }
    dJointID copy = kind->create(world, NULL);
    dJointAttach(copy, bodies[0], bodies[1]);
    bool made = true;
    if (type == dJointTypeBall) {
        set_ball(copy, joint);
        copy_softness(copy, joint, kind->parameters);
    } else if (type == dJointTypeFixed) {
        dJointSetFixed(copy);
        copy_softness(copy, joint, kind->parameters);
    } else if (type == dJointTypeAMotor || type == dJointTypeLMotor) {
        made = set_motor(copy, joint);
    } else {
        made = set_motions(copy, joint);
    }
    copy_parameters(copy, joint, kind->parameters);
    return made ? copy : NULL;
}
