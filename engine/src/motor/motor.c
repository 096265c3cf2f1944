// SPDX-License-Identifier: MIT
// The motor's life, its state, and what its rows gave.
#include "motor.h"

#include <math.h>
#include <string.h>

#include "base/convert.h"

// ------------------------------------------------------------------------------------------- life

// the world's axes, for good
static void set_world_axes(dJointID motor, void (*set)(dJointID, int, int, dReal, dReal, dReal)) {
    set(motor, 0, 0, 1.0, 0.0, 0.0);
    set(motor, 1, 0, 0.0, 1.0, 0.0);
    set(motor, 2, 0, 0.0, 0.0, 1.0);
}

// (child, parent) and (child, 0), never (0, child), whose velocity ODE counts the other way. ODE's
// motors have no force until they are told of one.
static dJointID make_part(const Motor* motor, dWorldID world, Sort sort, int axes) {
    dJointID made = sort == ALONG ? dJointCreateLMotor(world, motor->group)
                                  : dJointCreateAMotor(world, motor->group);
    dJointAttach(made, motor->child, motor->parent);
    if (sort == ALONG) {
        dJointSetLMotorNumAxes(made, axes);
    } else {
        dJointSetAMotorMode(made, dAMotorUser);
        dJointSetAMotorNumAxes(made, axes);
    }
    if (axes == 3) {
        set_world_axes(made, sort == ALONG ? dJointSetLMotorAxis : dJointSetAMotorAxis);
    }
    return made;
}

void poise__motor_attach(Motor* motor, const MotorDef* def) {
    memset(motor, 0, sizeof *motor);
    motor->type = def->type;
    motor->joint = def->joint;
    motor->child = def->child;
    motor->parent = def->parent;
    motor->group = dJointGroupCreate(0);
    motor->speed_limit = HUGE_VAL;
    motor->joint_type = def->joint ? dJointGetType(def->joint) : dJointTypeNone;
    for (int d = def->type->nv - 1; d >= 0; d--) {
        const Sort sort = poise__sort(def->type, d);
        motor->first[sort] = d;
        motor->count[sort]++;
    }
    for (int sort = 0; sort < SORTS; sort++) {
        const int axes = motor->count[sort];
        motor->parts[sort] = axes > 0 ? make_part(motor, def->world, (Sort)sort, axes) : NULL;
    }
    poise__motor_moved(motor);
}

void poise__motor_detach(Motor* motor) {
    if (motor->group) {
        dJointGroupDestroy(motor->group);
    }
    memset(motor, 0, sizeof *motor);
}

void poise__motor_moved(Motor* motor) {
    for (int sort = 0; sort < SORTS; sort++) {
        if (motor->parts[sort]) {
            dJointSetFeedback(motor->parts[sort], &motor->feedback[sort]);
        }
    }
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
    const dJointID own = motor->parts[ABOUT] ? motor->parts[ABOUT] : motor->parts[ALONG];
    if (!own || dJointGetBody(own, 0) != motor->child || dJointGetBody(own, 1) != motor->parent) {
        return false;
    }
    if (!motor->joint) {
        return true; // no joint holds it
    }
    // the user's joint is touched only once a living body names it
    if (!has_joint(motor) || dJointGetType(motor->joint) != motor->joint_type) {
        return false;
    }
    dBodyID first = dJointGetBody(motor->joint, 0);
    dBodyID second = dJointGetBody(motor->joint, 1);
    return (first == motor->child && second == motor->parent) ||
           (first == motor->parent && second == motor->child);
}

bool poise__motor_ready(const Motor* motor, bool sound) {
    return poise__motor_alive(motor) && (!motor->joint || dJointIsEnabled(motor->joint)) &&
           poise__body_is_finite(motor->child) &&
           (poise__body_is_dynamic(motor->child) || poise__body_is_dynamic(motor->parent)) &&
           (sound || poise__body_is_finite(motor->parent));
}

// -------------------------------------------------------------------------------- what it has
// given

PoiseVec3 poise__motor_row_axis(const Motor* motor, int d) {
    if (motor->count[poise__sort(motor->type, d)] < 3) {
        return motor->axes[d];
    }
    return poise_vec3(d % 3 == 0, d % 3 == 1, d % 3 == 2);
}

void poise__motor_given(const Motor* motor, double given[POISE_MAX_NV]) {
    for (int d = 0; d < motor->type->nv; d++) {
        const Sort sort = poise__sort(motor->type, d);
        const dJointFeedback* feedback = &motor->feedback[sort];
        const PoiseVec3 axis = poise__motor_row_axis(motor, d);
        given[d] = 0.0;
        if (motor->driven) {
            given[d] =
                poise_dot(poise__vec3_from(sort == ALONG ? feedback->f1 : feedback->t1), axis);
        }
    }
}

PoiseVec3 poise__motor_place(const Motor* motor) {
    const PoiseVec3 child = poise__vec3_from(dBodyGetPosition(motor->child));
    return motor->parent
               ? poise_scale(0.5,
                             poise_add(child, poise__vec3_from(dBodyGetPosition(motor->parent))))
               : child;
}

PoiseVec3 poise__motor_force(const Motor* motor) {
    return motor->driven && motor->parts[ALONG] ? poise__vec3_from(motor->feedback[ALONG].f1)
                                                : poise_vec3(0.0, 0.0, 0.0);
}

void poise__motor_add_outside(const Motor* motor, PoiseVec3* force, PoiseVec3* moment) {
    for (int sort = 0; motor->driven && sort < SORTS; sort++) {
        if (motor->parts[sort]) {
            // ODE's are at the centre of mass
            const dJointFeedback* feedback = &motor->feedback[sort];
            PoiseVec3 f = poise__vec3_from(feedback->f1);
            PoiseVec3 arm = poise__vec3_from(dBodyGetPosition(motor->child));
            PoiseVec3 turn = poise_add(poise__vec3_from(feedback->t1), poise_cross(arm, f));
            *force = poise_add(*force, f);
            *moment = poise_add(*moment, turn);
        }
    }
}
