// SPDX-License-Identifier: MIT
// Makes and destroys motors. Reads whether a motor can be driven, and the torques of its rows.
#include "motor.h"

#include <math.h>
#include <string.h>

#include "convert.h"

// ------------------------------------------------------------------------------------------- life

// Makes a motor joint, attached as (child, parent) or (child, 0). ODE gives the velocity of a joint
// attached as (0, child) the opposite sign. A new motor of ODE exerts no force.
static dJointID make_part(const Motor* motor, dWorldID world, Sort sort, int axes) {
    dJointID made = poise__motor_pool_take(motor->pool, world, sort);
    dJointAttach(made, motor->child, motor->parent);
    if (sort == ALONG) {
        dJointSetLMotorNumAxes(made, axes);
    } else {
        dJointSetAMotorMode(made, dAMotorUser);
        dJointSetAMotorNumAxes(made, axes);
    }
    // a motor joint with three axes uses the world's axes, which never change
    for (int k = 0; axes == 3 && k < 3; k++) {
        (sort == ALONG ? dJointSetLMotorAxis : dJointSetAMotorAxis)(made, k, 0, k == 0, k == 1,
                                                                    k == 2);
    }
    return made;
}

void poise__motor_attach(Motor* motor, const MotorDef* def) {
    memset(motor, 0, sizeof *motor);
    motor->type = def->type;
    motor->joint = def->joint;
    motor->child = def->child;
    motor->parent = def->parent;
    motor->pool = def->pool;
    motor->speed_limit = HUGE_VAL;
    motor->joint_type = def->joint ? dJointGetType(def->joint) : dJointTypeNone;
    for (int d = def->type->nv - 1; d >= 0; d--) {
        const Sort sort = poise__sort(def->type, d);
        motor->first[sort] = (signed char)d;
        motor->count[sort]++;
    }
    for (int sort = 0; sort < SORTS; sort++) {
        const int axes = motor->count[sort];
        motor->parts[sort] = axes > 0 ? make_part(motor, def->world, (Sort)sort, axes) : NULL;
    }
    const bool own = motor->count[ABOUT] < 3 && motor->count[ALONG] < 3;
    motor->axis_count = (signed char)(own ? def->type->nv : 0);
}

static bool has_sort(const PoiseJointType* type, Sort sort) {
    return sort == ALONG ? type->linear != 0 : type->linear != (1u << type->nv) - 1u;
}

int poise__motor_value_count(const PoiseJointType* type) {
    return type->nv * MOTOR_SENT_VALUES +
           (has_sort(type, ABOUT) + has_sort(type, ALONG)) * MOTOR_FEEDBACK_VALUES;
}

void poise__motor_place_rows(Motor* motor, const PoiseJointType* type, double* values) {
    motor->sent = (SentRow*)(void*)values;
    values += type->nv * MOTOR_SENT_VALUES;
    for (int sort = 0; sort < SORTS; sort++) {
        const bool has = has_sort(type, (Sort)sort);
        motor->feedback[sort] = has ? (dJointFeedback*)(void*)values : NULL;
        values += has ? MOTOR_FEEDBACK_VALUES : 0;
    }
}

void poise__motor_set_axes(Motor* motor, const PoiseVec3* axes, unsigned of_parent) {
    motor->of_parent = (unsigned char)of_parent;
    for (int d = 0; d < motor->axis_count && poise__is_axis(axes[d]); d++) {
        const Sort sort = poise__sort(motor->type, d);
        const dBodyID body = poise__motor_carrier(motor, d);
        motor->sent[d].fixed = poise_quat_unrotate(poise__body_pose(body).q, axes[d]);
        // ODE's code of the body with which the axis turns: 1 the joint's first body (the child), 2
        // the second, 0 the world
        const int relative = body == motor->child ? 1 : body ? 2 : 0;
        (sort == ALONG ? dJointSetLMotorAxis
                       : dJointSetAMotorAxis)(motor->parts[sort], d - motor->first[sort], relative,
                                              (dReal)axes[d].x, (dReal)axes[d].y, (dReal)axes[d].z);
    }
}

void poise__motor_follow_axes(Motor* motor) {
    for (int d = 0; d < motor->axis_count; d++) {
        motor->sent[d].axis =
            poise__body_turned(poise__motor_carrier(motor, d), motor->sent[d].fixed);
    }
}

void poise__motor_detach(Motor* motor) {
    for (int sort = 0; motor->pool && sort < SORTS; sort++) {
        poise__motor_pool_give(motor->pool, motor->parts[sort], (Sort)sort);
    }
    if (motor->pool) {
        poise__motor_pool_give(motor->pool, motor->stop, ABOUT);
    }
    memset(motor, 0, sizeof *motor);
}

void poise__motor_moved(Motor* motor) {
    for (int sort = 0; sort < SORTS; sort++) {
        if (motor->parts[sort]) {
            dJointSetFeedback(motor->parts[sort], motor->feedback[sort]);
        }
    }
}

// ------------------------------------------------------------------------------------------ state

// Returns the index of the joint in the body's list, or -1. ODE returns NULL after the last joint.
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
    if (motor->joint) {
        motor->place = place_in_list(motor->child, motor->joint);
        motor->parent_place = dJointGetBody(motor->joint, 0) == motor->child ? 1 : 0;
    }
}

// True if the motor is alive (poise__motor_alive). `place` becomes the index of the user's joint in
// the child's list of joints.
static bool is_alive(const Motor* motor, int* place) {
    // ODE detaches Poise's motor joint from both bodies if a body or the world is destroyed
    const dJointID own = motor->parts[ABOUT] ? motor->parts[ABOUT] : motor->parts[ALONG];
    if (!own || dJointGetBody(own, 0) != motor->child) {
        return false;
    }
    if (!motor->joint) {
        return true; // a node without a joint needs no further test
    }
    // a joint that is not in the child's list may be destroyed, and must not be read
    *place = dBodyGetJoint(motor->child, motor->place) == motor->joint
                 ? motor->place
                 : place_in_list(motor->child, motor->joint);
    if (*place < 0 || dJointGetType(motor->joint) != motor->joint_type) {
        return false;
    }
    // the child is a body of the joint; the parent must be its other body, in either order, since
    // the user may have attached the joint again
    return dJointGetBody(motor->joint, motor->parent_place) == motor->parent ||
           dJointGetBody(motor->joint, 1 - motor->parent_place) == motor->parent;
}

bool poise__motor_alive(const Motor* motor) {
    int place;
    return is_alive(motor, &place);
}

bool poise__motor_ready_at(Motor* motor, bool sound, PoisePose* child) {
    int place = motor->place;
    const bool alive = is_alive(motor, &place);
    motor->by_hand = alive && dBodyIsKinematic(motor->child);
    // the index changes when joints are added to the body, such as the stop of a cone
    motor->place = alive ? place : motor->place;
    if (!alive || (motor->joint && !dJointIsEnabled(motor->joint))) {
        return false;
    }
    *child = poise__body_pose(motor->child);
    return poise__body_is_finite_at(motor->child, child) &&
           (!motor->by_hand || poise__body_is_dynamic(motor->parent)) &&
           (sound || poise__body_is_finite(motor->parent));
}

// ------------------------------------------------------------------------------------------ given

PoiseVec3 poise__motor_row_axis(const Motor* motor, int d) {
    return motor->axis_count > 0 ? motor->sent[d].axis
                                 : poise_vec3(d % 3 == 0, d % 3 == 1, d % 3 == 2);
}

void poise__motor_given(const Motor* motor, double given[POISE_MAX_NV]) {
    for (int d = 0; d < motor->type->nv; d++) {
        const bool along = poise__sort(motor->type, d) == ALONG;
        const dReal* sum = along ? motor->feedback[ALONG]->f1 : motor->feedback[ABOUT]->t1;
        given[d] = motor->axis_count > 0 ? poise_dot(poise__vec3_from(sum), motor->sent[d].axis)
                                         : (double)sum[d % 3];
        given[d] += 0.0; // makes -0 a 0
    }
}

bool poise__motor_has_feedback(const Motor* motor) {
    bool gave = false;
    for (int sort = 0; sort < SORTS; sort++) {
        const dJointFeedback* feedback = motor->feedback[sort];
        for (int i = 0; feedback && i < 3; i++) {
            gave = gave || feedback->f1[i] != 0.0 || feedback->t1[i] != 0.0 ||
                   !signbit(feedback->f1[i]) || !signbit(feedback->t1[i]);
        }
    }
    return gave;
}

PoiseVec3 poise__motor_place(const Motor* motor) {
    const PoiseVec3 child = poise__vec3_from(dBodyGetPosition(motor->child));
    return motor->parent
               ? poise_scale(0.5,
                             poise_add(child, poise__vec3_from(dBodyGetPosition(motor->parent))))
               : child;
}

static PoiseVec3 body_velocity(dBodyID body, PoiseVec3 place, Sort sort) {
    if (!body) {
        return poise_vec3(0.0, 0.0, 0.0);
    }
    return sort == ABOUT ? poise__vec3_from(dBodyGetAngularVel(body))
                         : poise__body_velocity_at(body, place);
}

PoiseVec3 poise__motor_velocity(const Motor* motor, PoiseVec3 place, Sort sort) {
    return poise_sub(body_velocity(motor->child, place, sort),
                     body_velocity(motor->parent, place, sort));
}

PoiseVec3 poise__motor_force(const Motor* motor) {
    return motor->driven && motor->parts[ALONG] ? poise__vec3_from(motor->feedback[ALONG]->f1)
                                                : poise_vec3(0.0, 0.0, 0.0);
}

void poise__motor_add_outside(const Motor* motor, PoiseVec3* force, PoiseVec3* moment) {
    for (int sort = 0; motor->driven && sort < SORTS; sort++) {
        if (motor->parts[sort]) {
            // ODE reports the force at the centre of mass
            const dJointFeedback* feedback = motor->feedback[sort];
            PoiseVec3 f = poise__vec3_from(feedback->f1);
            PoiseVec3 moment_arm = poise__vec3_from(dBodyGetPosition(motor->child));
            PoiseVec3 about_origin =
                poise_add(poise__vec3_from(feedback->t1), poise_cross(moment_arm, f));
            *force = poise_add(*force, f);
            *moment = poise_add(*moment, about_origin);
        }
    }
}
