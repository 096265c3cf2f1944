// SPDX-License-Identifier: MIT
// Creates ODE's motor joints for the motors of one rig, adjacent in memory, and reuses them.
#include <string.h>

#include "motor.h"

void poise__motor_pool_make(MotorPool* pool) {
    memset(pool, 0, sizeof *pool);
    pool->group = dJointGroupCreate(0);
}

void poise__motor_pool_destroy(MotorPool* pool) {
    if (pool->group) {
        dJointGroupDestroy(pool->group);
    }
    memset(pool, 0, sizeof *pool);
}

// Resets a motor joint to ODE's defaults, except mode, axes and CFM: these are set again before the
// motor exerts a force.
static void reset(dJointID joint, void (*set)(dJointID, int, dReal)) {
    for (int axis = 0; axis < MOTOR_AXES; axis++) {
        const int group = dParamGroup * axis;
        set(joint, dParamFMax + group, 0.0);
        set(joint, dParamVel + group, 0.0);
        set(joint, dParamLoStop + group, -dInfinity);
        set(joint, dParamHiStop + group, dInfinity);
    }
}

dJointID poise__motor_pool_take(MotorPool* pool, dWorldID world, Sort sort) {
    const dJointID joint = pool->free[sort];
    if (joint) {
        pool->free[sort] = dJointGetData(joint);
        dJointSetData(joint, NULL);
        reset(joint, sort == ALONG ? dJointSetLMotorParam : dJointSetAMotorParam);
        return joint;
    }
    return sort == ALONG ? dJointCreateLMotor(world, pool->group)
                         : dJointCreateAMotor(world, pool->group);
}

void poise__motor_pool_give(MotorPool* pool, dJointID joint, Sort sort) {
    if (joint) {
        dJointSetFeedback(joint, NULL);
        dJointAttach(joint, NULL, NULL);
        dJointSetData(joint, pool->free[sort]);
        pool->free[sort] = joint;
    }
}
