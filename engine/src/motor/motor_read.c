// SPDX-License-Identifier: MIT
// What a motor reads of the user's joint, and whether the joint is fit for it. Signs (measured for
// every order of attaching): ODE counts body 0 moving against body 1 as positive.
#include <math.h>
#include <stdio.h>

#include "base/convert.h"
#include "motor.h"

static const double PI = 3.14159265358979323846;

// ------------------------------------------------------------------------------------------ check

static dJointType joint_type(PoiseNodeKind kind) {
    switch (kind) {
    case POISE_NODE_HINGE:
        return dJointTypeHinge;
    case POISE_NODE_SLIDER:
        return dJointTypeSlider;
    case POISE_NODE_BALL:
        return dJointTypeBall;
    case POISE_NODE_UNIVERSAL:
        return dJointTypeUniversal;
    default:
        return dJointTypeNone;
    }
}

static const char* kind_name(PoiseNodeKind kind) {
    switch (kind) {
    case POISE_NODE_HINGE:
        return "hinge";
    case POISE_NODE_SLIDER:
        return "slider";
    case POISE_NODE_BALL:
        return "ball";
    case POISE_NODE_UNIVERSAL:
        return "universal node";
    case POISE_NODE_TRANSLATION:
        return "translation node";
    case POISE_NODE_FREE:
        return "free node";
    default:
        return "node of unknown kind";
    }
}

static const char* type_name(dJointType type) {
    static const char* const names[] = {
        "dJointTypeNone",    "dJointTypeBall",        "dJointTypeHinge",  "dJointTypeSlider",
        "dJointTypeContact", "dJointTypeUniversal",   "dJointTypeHinge2", "dJointTypeFixed",
        "dJointTypeNull",    "dJointTypeAMotor",      "dJointTypeLMotor", "dJointTypePlane2D",
        "dJointTypePR",      "dJointTypePU",          "dJointTypePiston", "dJointTypeDBall",
        "dJointTypeDHinge",  "dJointTypeTransmission"};
    size_t index = (size_t)type;
    return index < sizeof names / sizeof names[0] ? names[index] : "joint of unknown type";
}

typedef struct Message {
    char* text;
    size_t capacity;
} Message;

static PoiseStatus refuse(Message message, PoiseStatus status, const char* text) {
    if (message.text) {
        snprintf(message.text, message.capacity, "%s", text);
    }
    return status;
}

static PoiseStatus refuse_type(Message message, PoiseNodeKind kind, dJointType type) {
    const char* advice = "only hinge, slider, universal and ball joints can be bound";
    if (kind == POISE_NODE_TRANSLATION || kind == POISE_NODE_FREE) {
        advice = "no joint holds such a node: leave the joint NULL";
    } else if (type == dJointTypeHinge) {
        advice = "make the node with poise_default_hinge_def()";
    } else if (type == dJointTypeSlider) {
        advice = "make the node with poise_default_slider_def()";
    } else if (type == dJointTypeBall) {
        advice = "make the node with poise_default_ball_def()";
    } else if (type == dJointTypeUniversal) {
        advice = "make the node with poise_default_universal_def()";
    }
    if (message.text) {
        snprintf(message.text, message.capacity, "the node is a %s, the joint is %s; %s",
                 kind_name(kind), type_name(type), advice);
    }
    return POISE_ERROR_WRONG_KIND;
}

static PoiseStatus check_handles(dWorldID world, dJointID joint, dBodyID child, Message message) {
    const PoiseStatus bad = POISE_ERROR_INVALID_ARGUMENT;
    if (!world) {
        return refuse(message, bad, "the world is NULL");
    }
    if (!joint) {
        return refuse(message, bad,
                      "the joint is NULL; give the dJointID that the node stands for");
    }
    if (!child) {
        return refuse(message, bad, "the body is NULL; give the dBodyID that the node's link is");
    }
    return POISE_OK;
}

static PoiseStatus check_bodies(dWorldID world, dJointID joint, dBodyID child, Message message) {
    const PoiseStatus bad = POISE_ERROR_INVALID_ARGUMENT;
    dBodyID first = dJointGetBody(joint, 0);
    dBodyID second = dJointGetBody(joint, 1);
    if (!first && !second) {
        return refuse(message, bad, "the joint is attached to no body; call dJointAttach first");
    }
    if (child != first && child != second) {
        return refuse(message, bad,
                      "the body is not one of the two that the joint joins; give the one that is "
                      "the node's link");
    }
    // a joint is of the world of its bodies: ODE attaches no others
    if (dBodyGetWorld(child) != world) {
        return refuse(message, POISE_ERROR_FOREIGN_WORLD,
                      "the joint is of another world than the rig; make a rig for that world");
    }
    if (!poise__body_is_finite(first) || !poise__body_is_finite(second)) {
        return refuse(message, bad,
                      "a body of the joint has a pose or velocity that is not finite; set both "
                      "before binding");
    }
    return POISE_OK;
}

static bool is_direction(PoiseVec3 axis) {
    return poise_is_finite3(axis) && poise_length(axis) > 0.5;
}

PoiseStatus poise__motor_check(dWorldID world, dJointID joint, dBodyID child, PoiseNodeKind kind,
                               char* text, size_t capacity) {
    Message message = {capacity > 0 ? text : NULL, capacity};
    refuse(message, POISE_OK, "");
    PoiseStatus status = check_handles(world, joint, child, message);
    if (status != POISE_OK) {
        return status;
    }
    dJointType type = dJointGetType(joint);
    if (joint_type(kind) == dJointTypeNone || type != joint_type(kind)) {
        return refuse_type(message, kind, type);
    }
    status = check_bodies(world, joint, child, message);
    if (status != POISE_OK) {
        return status;
    }
    if (!dJointIsEnabled(joint)) {
        return refuse(message, POISE_ERROR_INVALID_ARGUMENT,
                      "the joint is disabled; call dJointEnable before binding");
    }
    Motor probe = {.kind = kind, .joint = joint, .child = child};
    bool has_axis = kind == POISE_NODE_HINGE || kind == POISE_NODE_SLIDER;
    if (has_axis && !is_direction(poise__motor_axis(&probe))) {
        return refuse(message, POISE_ERROR_INVALID_ARGUMENT,
                      "the joint's axis has no direction; set it with dJointSetHingeAxis or "
                      "dJointSetSliderAxis");
    }
    if (!poise_is_finite3(poise__motor_anchor(&probe))) {
        return refuse(message, POISE_ERROR_INVALID_ARGUMENT,
                      "the joint's anchor is not finite; set it with dJointSetHingeAnchor or "
                      "dJointSetBallAnchor");
    }
    return POISE_OK;
}

PoiseStatus poise__motor_check_free(dWorldID world, dBodyID parent, dBodyID child, char* text,
                                    size_t capacity) {
    const PoiseStatus bad = POISE_ERROR_INVALID_ARGUMENT;
    Message message = {capacity > 0 ? text : NULL, capacity};
    refuse(message, POISE_OK, "");
    if (!world) {
        return refuse(message, bad, "the world is NULL");
    }
    if (!child) {
        return refuse(message, bad, "the body is NULL; give the dBodyID that the node's link is");
    }
    if (dBodyGetWorld(child) != world) {
        return refuse(message, POISE_ERROR_FOREIGN_WORLD,
                      "the body is of another world than the rig; make a rig for that world");
    }
    if (child == parent) {
        return refuse(message, bad, "the body is the one that the node stands on");
    }
    if (!poise__body_is_finite(child) || !poise__body_is_finite(parent)) {
        return refuse(message, bad,
                      "a body has a pose or velocity that is not finite; set both before binding");
    }
    return POISE_OK;
}

// ------------------------------------------------------------------------------------------ state

// where the joint stands in its body's list, or -1; ODE gives NULL past the end
static int place_in_list(dBodyID body, dJointID joint) {
    int i = 0;
    for (dJointID at = dBodyGetJoint(body, i); at; at = dBodyGetJoint(body, ++i)) {
        if (at == joint) {
            return i;
        }
    }
    return -1;
}

void poise__motor_find(Motor* motor) {
    motor->place = motor->joint ? place_in_list(motor->child, motor->joint) : 0;
}

// tries first where it stood when it was last looked for
static bool has_joint(const Motor* motor) {
    return dBodyGetJoint(motor->child, motor->place) == motor->joint ||
           place_in_list(motor->child, motor->joint) >= 0;
}

bool poise__motor_alive(const Motor* motor) {
    // ODE takes both bodies from our motor when either is destroyed, or the world
    if (!motor->motor || dJointGetBody(motor->motor, 0) != motor->child ||
        dJointGetBody(motor->motor, 1) != motor->parent) {
        return false;
    }
    if (!motor->joint) {
        return true; // no joint holds it
    }
    // the user's joint is touched only once a living body names it
    if (!has_joint(motor) || dJointGetType(motor->joint) != joint_type(motor->kind)) {
        return false;
    }
    dBodyID first = dJointGetBody(motor->joint, 0);
    dBodyID second = dJointGetBody(motor->joint, 1);
    return (first == motor->child && second == motor->parent) ||
           (first == motor->parent && second == motor->child);
}

bool poise__motor_ready_on_sound(const Motor* motor) {
    return poise__motor_alive(motor) && (!motor->joint || dJointIsEnabled(motor->joint)) &&
           poise__body_is_finite(motor->child) &&
           (poise__body_is_dynamic(motor->child) || poise__body_is_dynamic(motor->parent));
}

bool poise__motor_ready(const Motor* motor) {
    return poise__motor_ready_on_sound(motor) && poise__body_is_finite(motor->parent);
}

static bool is_child_first(const Motor* motor) {
    return dJointGetBody(motor->joint, 0) == motor->child;
}

void poise__motor_read(Motor* motor) {
    if (motor->kind != POISE_NODE_HINGE && motor->kind != POISE_NODE_SLIDER) {
        return;
    }
    bool hinge = motor->kind == POISE_NODE_HINGE;
    motor->sign = is_child_first(motor) ? 1.0 : -1.0;
    double turned = motor->sign * (double)(hinge ? dJointGetHingeAngle(motor->joint)
                                                 : dJointGetSliderPosition(motor->joint));
    if (!isfinite(turned)) {
        return;
    }
    if (hinge) {
        // ODE's angle wraps at pi: stay on the turn of the value before
        turned += 2.0 * PI * round((motor->turned - turned) / (2.0 * PI));
    }
    motor->turned = turned;
    motor->angle = turned + motor->zero;
}

PoiseVec3 poise__motor_axis(const Motor* motor) {
    dVector3 axis = {0.0, 0.0, 0.0, 0.0};
    if (motor->kind == POISE_NODE_HINGE) {
        dJointGetHingeAxis(motor->joint, axis);
    } else if (motor->kind == POISE_NODE_SLIDER) {
        dJointGetSliderAxis(motor->joint, axis);
    }
    return poise__vec3_from(axis);
}

PoiseVec3 poise__motor_anchor(const Motor* motor) {
    dVector3 anchor = {0.0, 0.0, 0.0, 0.0};
    if (!motor->joint) {
        return poise__vec3_from(dBodyGetPosition(motor->child));
    }
    // ODE's Anchor goes with body 0, its Anchor2 with body 1
    bool child_first = is_child_first(motor);
    if (motor->kind == POISE_NODE_SLIDER) {
        return poise__vec3_from(dBodyGetPosition(motor->child));
    }
    if (motor->kind == POISE_NODE_UNIVERSAL) {
        if (child_first) {
            dJointGetUniversalAnchor2(motor->joint, anchor);
        } else {
            dJointGetUniversalAnchor(motor->joint, anchor);
        }
    } else if (motor->kind == POISE_NODE_HINGE) {
        if (child_first) {
            dJointGetHingeAnchor2(motor->joint, anchor);
        } else {
            dJointGetHingeAnchor(motor->joint, anchor);
        }
    } else if (child_first) {
        dJointGetBallAnchor2(motor->joint, anchor);
    } else {
        dJointGetBallAnchor(motor->joint, anchor);
    }
    return poise__vec3_from(anchor);
}

void poise__motor_range(const Motor* motor, double* lower, double* upper) {
    *lower = -HUGE_VAL;
    *upper = HUGE_VAL;
    if (motor->kind != POISE_NODE_HINGE && motor->kind != POISE_NODE_SLIDER) {
        return;
    }
    bool hinge = motor->kind == POISE_NODE_HINGE;
    dReal (*stop)(dJointID, int) = hinge ? dJointGetHingeParam : dJointGetSliderParam;
    double low = (double)stop(motor->joint, dParamLoStop);
    double high = (double)stop(motor->joint, dParamHiStop);
    if (!(low <= high)) {
        return; // ODE ignores such stops
    }
    // a hinge's angle lies within pi: it never meets a stop beyond
    double farthest = hinge ? PI : (double)dInfinity;
    low = low < -farthest ? -HUGE_VAL : low;
    high = high > farthest ? HUGE_VAL : high;
    // ODE mirrors the stops of a hinge attached (0, body), so that they are in the child's sense
    bool child_sense = is_child_first(motor) || (hinge && !motor->parent);
    *lower = (child_sense ? low : -high) + motor->zero;
    *upper = (child_sense ? high : -low) + motor->zero;
}

void poise__motor_universal_axes(const Motor* motor, PoiseVec3 axes[2]) {
    // ODE's first axis goes with body 0; ours is fixed to the parent
    dVector3 first = {0.0, 0.0, 0.0, 0.0};
    dVector3 second = {0.0, 0.0, 0.0, 0.0};
    dJointGetUniversalAxis1(motor->joint, first);
    dJointGetUniversalAxis2(motor->joint, second);
    bool child_first = is_child_first(motor);
    axes[0] = poise__vec3_from(child_first ? second : first);
    axes[1] = poise__vec3_from(child_first ? first : second);
}

void poise__motor_universal_ranges(const Motor* motor, double lower[2], double upper[2]) {
    bool child_first = is_child_first(motor);
    for (int i = 0; i < 2; i++) {
        // ODE keeps a lone child as its first body whichever way it was attached: there, too, the
        // first stops are those of the axis that is fixed to the child
        int group = (child_first || !motor->parent ? 1 - i : i) * dParamGroup;
        double low = (double)dJointGetUniversalParam(motor->joint, dParamLoStop + group);
        double high = (double)dJointGetUniversalParam(motor->joint, dParamHiStop + group);
        if (!(low <= high)) {
            low = -HUGE_VAL;
            high = HUGE_VAL;
        }
        low = low < -PI ? -HUGE_VAL : low;
        high = high > PI ? HUGE_VAL : high;
        // ODE counts body 0 against body 1, and its own angles the other way for a lone child
        bool child_sense = child_first || !motor->parent;
        lower[i] = child_sense ? low : -high;
        upper[i] = child_sense ? high : -low;
    }
}

void poise__motor_universal_angles(const Motor* motor, double angles[2]) {
    double first = (double)dJointGetUniversalAngle1(motor->joint);
    double second = (double)dJointGetUniversalAngle2(motor->joint);
    // measured for every order: of a joint (0, child) ODE turns the second's sign, not the first's
    if (is_child_first(motor)) {
        angles[0] = second;
        angles[1] = first;
    } else {
        angles[0] = motor->parent ? -first : first;
        angles[1] = -second;
    }
}
