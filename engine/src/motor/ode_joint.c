// SPDX-License-Identifier: MIT
// Reads ODE's joints by a table (ode_types) with a row for each of their types, and checks whether
// they can be bound.
#include "ode_joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "convert.h"

/// The order of a joint's bodies: (child, parent), (parent, child) or (0, child).
typedef enum Order { CHILD_FIRST, PARENT_FIRST, GROUND_FIRST, ORDERS } Order;

typedef struct OdeMotion {
    void (*axis)(dJointID, dVector3);
    dReal (*coordinate)(dJointID);
    /// +1 if ODE's coordinate increases with the child's motion, else -1
    double coordinate_sense[ORDERS];
    double stop_sense[ORDERS];
    int stop[ORDERS]; ///< index of the joint's stop parameters: 0, 1, 2, or NO_STOP
    bool turns;
} OdeMotion;

enum { NO_STOP = -1 };
#define NO_KIND ((PoiseNodeKind)0)

typedef struct OdeType {
    dJointType type;
    PoiseNodeKind kind;     ///< kind of node if the parent is ODE's first body
    PoiseNodeKind reversed; ///< kind of node if the child is ODE's first body
    bool from_ground;       ///< ODE can attach it as (0, body)
    bool in_order;          ///< seen from either body, the motions have the same order
    /// getters of the anchor, by the index of the parent in the joint's two bodies
    void (*anchors[2])(dJointID, dVector3);
    dReal (*parameter)(dJointID, int);
    int motion_count;
    OdeMotion motions[ODE_MOTIONS]; ///< motions in order from ODE's first body to the second
} OdeType;

// clang-format off
#define SENSES {1.0, -1.0, -1.0}
#define STOPS {1.0, -1.0, 1.0} // ODE mirrors the stops of a joint that is attached as (0, body)
#define STOP(number) {number, number, number}

static const OdeType ode_types[] = {
    {dJointTypeHinge, POISE_NODE_HINGE, POISE_NODE_HINGE, true, false,
     {dJointGetHingeAnchor, dJointGetHingeAnchor2}, dJointGetHingeParam, 1,
     {{dJointGetHingeAxis, dJointGetHingeAngle, SENSES, STOPS, STOP(0), true}}},
    {dJointTypeSlider, POISE_NODE_SLIDER, POISE_NODE_SLIDER, true, false,
     {NULL, NULL}, dJointGetSliderParam, 1,
     {{dJointGetSliderAxis, dJointGetSliderPosition, SENSES, SENSES, STOP(0), false}}},
    {dJointTypeBall, POISE_NODE_BALL, POISE_NODE_BALL, true, false,
     {dJointGetBallAnchor, dJointGetBallAnchor2}, NULL, 0, {{0}}},
    // attached as (0, body): ODE makes the body its first, keeps the stops with it, and flips the
    // second sign
    {dJointTypeUniversal, POISE_NODE_UNIVERSAL, POISE_NODE_UNIVERSAL, true, false,
     {dJointGetUniversalAnchor, dJointGetUniversalAnchor2}, dJointGetUniversalParam, 2,
     {{dJointGetUniversalAxis1, dJointGetUniversalAngle1, {1.0, -1.0, 1.0}, STOPS, {0, 0, 1}, true},
      {dJointGetUniversalAxis2, dJointGetUniversalAngle2, SENSES, STOPS, {1, 1, 0}, true}}},
    // ODE's second angle has the opposite sign of its rate, and no stops. ODE cannot attach this
    // joint to the ground.
    {dJointTypeHinge2, POISE_NODE_HINGE2, POISE_NODE_HINGE2, true, false,
     {dJointGetHinge2Anchor, dJointGetHinge2Anchor2}, dJointGetHinge2Param, 2,
     {{dJointGetHinge2Axis1, dJointGetHinge2Angle1, SENSES, SENSES, STOP(0), true},
      {dJointGetHinge2Axis2, dJointGetHinge2Angle2, {-1.0, 1.0, 1.0}, SENSES, STOP(NO_STOP), true}}},
    // both motions have the same axis, so their order is the same from either body; the child's
    // anchor, which slides with the child, is used
    {dJointTypePiston, POISE_NODE_PISTON, POISE_NODE_PISTON, false, true,
     {dJointGetPistonAnchor2, dJointGetPistonAnchor}, dJointGetPistonParam, 2,
     {{dJointGetPistonAxis, dJointGetPistonPosition, SENSES, SENSES, STOP(0), false},
      {dJointGetPistonAxis, dJointGetPistonAngle, SENSES, SENSES, STOP(1), true}}},
    // seen from its second body this joint rotates before it slides, which no kind of node does
    {dJointTypePR, POISE_NODE_PR, NO_KIND, false, false,
     {dJointGetPRAnchor, dJointGetPRAnchor}, dJointGetPRParam, 2,
     {{dJointGetPRAxis1, dJointGetPRPosition, SENSES, SENSES, STOP(0), false},
      {dJointGetPRAxis2, dJointGetPRAngle, SENSES, SENSES, STOP(1), true}}},
    {dJointTypePU, POISE_NODE_PU, NO_KIND, false, false,
     {dJointGetPUAnchor, dJointGetPUAnchor}, dJointGetPUParam, 3,
     {{dJointGetPUAxis3, dJointGetPUPosition, SENSES, SENSES, STOP(2), false},
      {dJointGetPUAxis1, dJointGetPUAngle1, SENSES, SENSES, STOP(0), true},
      {dJointGetPUAxis2, dJointGetPUAngle2, SENSES, SENSES, STOP(1), true}}},
};
// clang-format on

static const OdeType* find_type(dJointType type) {
    for (size_t i = 0; i < sizeof ode_types / sizeof ode_types[0]; i++) {
        if (ode_types[i].type == type) {
            return &ode_types[i];
        }
    }
    return NULL;
}

static Order order_of(dJointID joint, dBodyID child) {
    if (dJointGetBody(joint, 0) == child) {
        return CHILD_FIRST;
    }
    return dJointGetBody(joint, 0) ? PARENT_FIRST : GROUND_FIRST;
}

PoiseNodeKind poise__ode_joint_kind(dJointID joint, dBodyID child) {
    const OdeType* row = find_type(dJointGetType(joint));
    if (!row) {
        return (PoiseNodeKind)0;
    }
    return order_of(joint, child) == CHILD_FIRST ? row->reversed : row->kind;
}

dBodyID poise__ode_joint_other(dJointID joint, dBodyID body) {
    return dJointGetBody(joint, 0) == body ? dJointGetBody(joint, 1) : dJointGetBody(joint, 0);
}

const char* poise__ode_joint_name(dJointType type) {
    static const char* const names[] = {
        "dJointTypeNone",    "dJointTypeBall",        "dJointTypeHinge",  "dJointTypeSlider",
        "dJointTypeContact", "dJointTypeUniversal",   "dJointTypeHinge2", "dJointTypeFixed",
        "dJointTypeNull",    "dJointTypeAMotor",      "dJointTypeLMotor", "dJointTypePlane2D",
        "dJointTypePR",      "dJointTypePU",          "dJointTypePiston", "dJointTypeDBall",
        "dJointTypeDHinge",  "dJointTypeTransmission"};
    const size_t count = sizeof names / sizeof names[0];
    return (size_t)type < count ? names[(size_t)type] : "of unknown type";
}

// Returns why a joint of this type has no kind of node.
static const char* refusal_of(dJointType type) {
    switch (type) {
    case dJointTypeDBall:
    case dJointTypeDHinge:
        return "it keeps a distance, which is no joint of a tree";
    case dJointTypePR:
    case dJointTypePU:
        return "from this body it turns before it moves, which no node does; the link must be "
               "ODE's second body";
    case dJointTypeFixed:
        return "it has no motion; poise_rig_import passes through it";
    default:
        return "it has no motions of its own that a node could stand for";
    }
}

PoiseVec3 poise__ode_joint_vector(void (*get)(dJointID, dVector3), dJointID joint) {
    dVector3 v = {0.0, 0.0, 0.0, 0.0};
    get(joint, v);
    return poise__vec3_from(v);
}

typedef struct Range {
    double lower;
    double upper;
} Range;

// Returns the stops of a motion, in the sense of the child's motion; infinite if ODE has none or
// ignores them.
static Range read_stops(const OdeType* row, const OdeMotion* motion, dJointID joint, Order order) {
    const Range none = {-HUGE_VAL, HUGE_VAL};
    if (motion->stop[order] == NO_STOP) {
        return none;
    }
    const int group = dParamGroup * motion->stop[order];
    double low = (double)row->parameter(joint, dParamLoStop + group);
    double high = (double)row->parameter(joint, dParamHiStop + group);
    if (!(low <= high)) {
        return none; // ODE ignores stops that are not in order
    }
    // a stop beyond half a turn has no effect, since ODE's angle never exceeds it
    const double farthest = motion->turns ? POISE_PI : (double)dInfinity;
    low = low < -farthest ? -HUGE_VAL : low;
    high = high > farthest ? HUGE_VAL : high;
    return motion->stop_sense[order] > 0.0 ? (Range){low, high} : (Range){-high, -low};
}

void poise__ode_joint_read(dJointID joint, dBodyID child, OdeJoint* out) {
    const OdeType* row = find_type(dJointGetType(joint));
    const Order order = order_of(joint, child);
    const bool back = order == CHILD_FIRST && !row->in_order;
    memset(out, 0, sizeof *out);
    out->motion_count = row->motion_count;
    out->anchor = row->anchors[0]
                      ? poise__ode_joint_vector(row->anchors[order == CHILD_FIRST], joint)
                      : poise__vec3_from(dBodyGetPosition(child));
    for (int i = 0; i < row->motion_count; i++) {
        const OdeMotion* motion = &row->motions[back ? row->motion_count - 1 - i : i];
        out->axes[i] = poise__ode_joint_vector(motion->axis, joint);
        out->q[i] = motion->coordinate_sense[order] * (double)motion->coordinate(joint);
        const Range range = read_stops(row, motion, joint, order);
        out->lower[i] = range.lower;
        out->upper[i] = range.upper;
    }
}

// ------------------------------------------------------------------------------------------ check

static PoiseStatus refuse(char* text, PoiseStatus status, const char* why) {
    snprintf(text, 200, "%s", why);
    return status;
}

bool poise__ode_joint_stands_for(PoiseNodeKind kind) {
    for (size_t i = 0; i < sizeof ode_types / sizeof ode_types[0]; i++) {
        if (ode_types[i].kind == kind) {
            return true;
        }
    }
    return false;
}

static PoiseStatus refuse_kind(char* text, PoiseNodeKind wanted, dJointID joint, dBodyID child) {
    const dJointType type = dJointGetType(joint);
    const PoiseJointType* has = poise_joint_type(poise__ode_joint_kind(joint, child));
    const PoiseJointType* node = poise_joint_type(wanted);
    const char* name = poise__ode_joint_name(type);
    if (node && !poise__ode_joint_stands_for(wanted)) {
        snprintf(text, 200, "the node is a %s node, which no joint holds: leave the joint NULL",
                 node->name);
    } else if (!has) {
        snprintf(text, 200, "the joint is %s: %s", name, refusal_of(type));
    } else {
        snprintf(text, 200,
                 "the node is a %s, the joint is %s; make the node with poise_default_%s_def()",
                 node ? node->name : "node of unknown kind", name, has->name);
    }
    return POISE_ERROR_WRONG_KIND;
}

static PoiseStatus check_bodies(dWorldID world, dJointID joint, dBodyID child, char* text) {
    const PoiseStatus bad = POISE_ERROR_INVALID_ARGUMENT;
    dBodyID first = dJointGetBody(joint, 0);
    dBodyID second = dJointGetBody(joint, 1);
    if (!first && !second) {
        return refuse(text, bad, "the joint is attached to no body; call dJointAttach first");
    }
    if (child != first && child != second) {
        return refuse(text, bad,
                      "the body is not one of the two that the joint joins; give the one that is "
                      "the node's link");
    }
    // a joint belongs to the world of its bodies, as ODE attaches no other bodies
    if (dBodyGetWorld(child) != world) {
        return refuse(text, POISE_ERROR_FOREIGN_WORLD,
                      "the joint is of another world than the rig; make a rig for that world");
    }
    if (!poise__body_is_finite(first) || !poise__body_is_finite(second)) {
        return refuse(text, bad,
                      "a body of the joint has a pose or velocity that is not finite; set both "
                      "before binding");
    }
    return POISE_OK;
}

// Checks that axes and anchor of a joint whose bodies are finite are finite too.
static PoiseStatus check_geometry(dJointID joint, dBodyID child, char* text) {
    const PoiseStatus bad = POISE_ERROR_INVALID_ARGUMENT;
    const OdeType* row = find_type(dJointGetType(joint));
    if (!dJointIsEnabled(joint)) {
        return refuse(text, bad, "the joint is disabled; call dJointEnable before binding");
    }
    if (!row->from_ground && order_of(joint, child) == GROUND_FIRST) {
        return refuse(text, bad,
                      "ODE does not hold a joint of this type that was attached (0, body); attach "
                      "it (body, 0)");
    }
    OdeJoint is;
    poise__ode_joint_read(joint, child, &is);
    for (int i = 0; i < is.motion_count; i++) {
        // ODE's axes have length 1 or are not finite
        if (!(poise_length(is.axes[i]) > 0.5)) {
            return refuse(text, bad,
                          "the joint's axis has no direction; set it with dJointSetHingeAxis, "
                          "dJointSetSliderAxis or the like");
        }
    }
    if (!poise_is_finite3(is.anchor)) {
        return refuse(text, bad,
                      "the joint's anchor is not finite; set it with dJointSetHingeAnchor, "
                      "dJointSetBallAnchor or the like");
    }
    return POISE_OK;
}

PoiseStatus poise__ode_joint_check(dWorldID world, dJointID joint, dBodyID child,
                                   PoiseNodeKind kind, char text[200]) {
    const PoiseStatus bad = POISE_ERROR_INVALID_ARGUMENT;
    refuse(text, POISE_OK, "");
    if (!joint) {
        return refuse(text, bad, "the joint is NULL; give the dJointID that the node stands for");
    }
    if (!child) {
        return refuse(text, bad, "the body is NULL; give the dBodyID that the node's link is");
    }
    const PoiseNodeKind has = poise__ode_joint_kind(joint, child);
    if (!has || (kind && kind != has)) {
        return refuse_kind(text, kind, joint, child);
    }
    const PoiseStatus status = check_bodies(world, joint, child, text);
    return status == POISE_OK ? check_geometry(joint, child, text) : status;
}

PoiseStatus poise__ode_body_check(dWorldID world, dBodyID parent, dBodyID child, char text[200]) {
    const PoiseStatus bad = POISE_ERROR_INVALID_ARGUMENT;
    refuse(text, POISE_OK, "");
    if (!child) {
        return refuse(text, bad, "the body is NULL; give the dBodyID that the node's link is");
    }
    if (dBodyGetWorld(child) != world) {
        return refuse(text, POISE_ERROR_FOREIGN_WORLD,
                      "the body is of another world than the rig; make a rig for that world");
    }
    if (child == parent) {
        return refuse(text, bad, "the body is the one that the node stands on");
    }
    if (!poise__body_is_finite(child) || !poise__body_is_finite(parent)) {
        return refuse(text, bad,
                      "a body has a pose or velocity that is not finite; set both before binding");
    }
    return POISE_OK;
}
