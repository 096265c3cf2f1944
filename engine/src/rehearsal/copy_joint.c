// SPDX-License-Identifier: MIT
// A joint like another. ODE sets a joint up where its bodies are: they are brought to where the
// joint is at 0 and goes through one place, and put back.
#include <math.h>
#include <string.h>

#include "convert.h"
#include "rehearsal.h"

// rad, m: what a joint set up anew reads of the other's angle
#define ALIKE 1e-6
// two axes with less than this between them leave no direction across both
#define PARALLEL 0.1

void poise__copy_place(dBodyID body, dBodyID like) {
    // ODE's own setter would normalise the quaternion again, to other bits
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
    static const int of_motions[] = {dParamLoStop, dParamHiStop,      dParamVel,
                                     dParamFMax,   dParamFudgeFactor, dParamBounce,
                                     dParamCFM,    dParamStopERP,     dParamStopCFM};
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

// ------------------------------------------------------------------------- joints of one motion

static PoiseVec3 read(void (*get)(dJointID, dVector3), dJointID joint) {
    dVector3 v = {0.0, 0.0, 0.0, 0.0};
    get(joint, v);
    return poise__vec3_from(v);
}

static void put(dBodyID body, PoisePose pose) {
    const dQuaternion q = {pose.q.w, pose.q.x, pose.q.y, pose.q.z};
    dBodySetPosition(body, pose.p.x, pose.p.y, pose.p.z);
    dBodySetQuaternion(body, q);
}

// the body that is brought to the joint's 0, and where its anchor and that of the other are
typedef struct Moved {
    dBodyID body;
    dBodyID of;
    PoiseVec3 anchor;
    PoiseVec3 other;
} Moved;

static Moved moved_of(dJointID copy, dJointID joint) {
    dBodyID first = dJointGetBody(joint, 0);
    Moved moved;
    moved.of = first ? first : dJointGetBody(joint, 1);
    moved.body = dJointGetBody(copy, first ? 0 : 1);
    moved.anchor = moved.other = poise__vec3_from(dBodyGetPosition(moved.of));
    if (dJointGetType(joint) == dJointTypeHinge) {
        const PoiseVec3 anchors[2] = {read(dJointGetHingeAnchor, joint),
                                      read(dJointGetHingeAnchor2, joint)};
        moved.anchor = anchors[first == NULL];
        moved.other = anchors[first != NULL];
    }
    return moved;
}

static bool set_hinge(dJointID copy, dJointID joint, Moved moved, double sense) {
    const double angle = (double)dJointGetHingeAngle(joint);
    const PoiseVec3 axis = read(dJointGetHingeAxis, joint);
    const PoiseQuat back = poise_quat_from_axis_angle(axis, -sense * angle);
    PoisePose pose = poise__body_pose(moved.of);
    pose.p = poise_add(moved.other, poise_quat_rotate(back, poise_sub(pose.p, moved.anchor)));
    pose.q = poise_quat_mul(back, pose.q);
    put(moved.body, pose);
    dJointSetHingeAnchor(copy, moved.other.x, moved.other.y, moved.other.z);
    dJointSetHingeAxis(copy, axis.x, axis.y, axis.z);
    poise__copy_place(moved.body, moved.of);
    return fabs((double)dJointGetHingeAngle(copy) - angle) < ALIKE;
}

static bool set_slider(dJointID copy, dJointID joint, Moved moved, double sense) {
    const double place = (double)dJointGetSliderPosition(joint);
    const PoiseVec3 axis = read(dJointGetSliderAxis, joint);
    PoisePose pose = poise__body_pose(moved.of);
    pose.p = poise_add_scaled(pose.p, -sense * place, axis);
    put(moved.body, pose);
    dJointSetSliderAxis(copy, axis.x, axis.y, axis.z);
    poise__copy_place(moved.body, moved.of);
    return fabs((double)dJointGetSliderPosition(copy) - place) < ALIKE;
}

// ODE counts its angle in the sense of one body or the other, by how it was attached: one of two
// tries reads as the other joint does
static bool set_single(dJointID copy, dJointID joint) {
    const Moved moved = moved_of(copy, joint);
    bool (*const set)(dJointID, dJointID, Moved, double) =
        dJointGetType(joint) == dJointTypeHinge ? set_hinge : set_slider;
    return set(copy, joint, moved, 1.0) || set(copy, joint, moved, -1.0);
}

// -------------------------------------------------------------------------------------- the others

// ODE takes the second anchor, by itself, in the frame of its body
static void set_ball(dJointID copy, dJointID joint) {
    const PoiseVec3 first = read(dJointGetBallAnchor, joint);
    const PoisePose frame = poise__body_pose(dJointGetBody(copy, 1));
    const PoiseVec3 second =
        poise_pose_apply(poise_pose_inverse(frame), read(dJointGetBallAnchor2, joint));
    dJointSetBallAnchor(copy, first.x, first.y, first.z);
    if (dJointGetBody(copy, 0)) {
        dJointSetBallAnchor2(copy, second.x, second.y, second.z);
    }
}

static bool has_stops(dJointID joint) {
    bool some = false;
    for (int group = 0; group < 2; group++) {
        const double low =
            (double)dJointGetUniversalParam(joint, dParamLoStop + group * dParamGroup);
        const double high =
            (double)dJointGetUniversalParam(joint, dParamHiStop + group * dParamGroup);
        some = some || (low <= high && (low > -(double)dInfinity || high < (double)dInfinity));
    }
    return some;
}

// neither along one nor the other
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

// without stops it does not matter where its angles are 0. ODE complains of two axes that are
// parallel: on the way to the new ones the second is put across both
static bool set_universal(dJointID copy, dJointID joint) {
    if (has_stops(joint)) {
        return false;
    }
    const PoiseVec3 anchor = read(dJointGetUniversalAnchor, joint);
    const PoiseVec3 axis1 = read(dJointGetUniversalAxis1, joint);
    const PoiseVec3 axis2 = read(dJointGetUniversalAxis2, joint);
    const PoiseVec3 across = aside(read(dJointGetUniversalAxis1, copy), axis1);
    dJointSetUniversalAnchor(copy, anchor.x, anchor.y, anchor.z);
    dJointSetUniversalAxis2(copy, across.x, across.y, across.z);
    dJointSetUniversalAxis1(copy, axis1.x, axis1.y, axis1.z);
    dJointSetUniversalAxis2(copy, axis2.x, axis2.y, axis2.z);
    return true;
}

static dJointID create(dWorldID world, dJointType type) {
    switch (type) {
    case dJointTypeHinge:
        return dJointCreateHinge(world, NULL);
    case dJointTypeSlider:
        return dJointCreateSlider(world, NULL);
    case dJointTypeBall:
        return dJointCreateBall(world, NULL);
    case dJointTypeUniversal:
        return dJointCreateUniversal(world, NULL);
    case dJointTypeFixed:
        return dJointCreateFixed(world, NULL);
    default:
        return NULL;
    }
}

dJointID poise__copy_joint(dWorldID world, dJointID joint, const dBodyID bodies[2]) {
    const dJointType type = dJointGetType(joint);
    dJointID copy = create(world, type);
    if (!copy) {
        return NULL;
    }
    dJointAttach(copy, bodies[0], bodies[1]);
    bool made = true;
    if (type == dJointTypeHinge) {
        made = set_single(copy, joint);
        copy_parameters(copy, joint, (Parameters){dJointGetHingeParam, dJointSetHingeParam, 1});
    } else if (type == dJointTypeSlider) {
        made = set_single(copy, joint);
        copy_parameters(copy, joint, (Parameters){dJointGetSliderParam, dJointSetSliderParam, 1});
    } else if (type == dJointTypeUniversal) {
        made = set_universal(copy, joint);
        copy_parameters(copy, joint,
                        (Parameters){dJointGetUniversalParam, dJointSetUniversalParam, 2});
    } else if (type == dJointTypeBall) {
        set_ball(copy, joint);
        copy_softness(copy, joint, (Parameters){dJointGetBallParam, dJointSetBallParam, 1});
    } else {
        dJointSetFixed(copy);
        copy_softness(copy, joint, (Parameters){dJointGetFixedParam, dJointSetFixedParam, 1});
    }
    return made ? copy : NULL;
}
