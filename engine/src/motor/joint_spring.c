// SPDX-License-Identifier: MIT
// Springs on single joints without a tree. An update reads the joint's coordinates and sets the
// rows of the joint's motor (motor.h). A rig does the same for its bindings in step/drive.c.
#include "poise/joint_spring.h"

#include <string.h>

#include "convert.h"
#include "motor.h"
#include "ode_joint.h"

static const uint32_t COOKIE = 0x50534a31; // the letters "PSJ1"

enum { AXES = 3 };

struct PoiseJointSpring {
    PoiseHost host;
    MotorPool pool;
    Motor motor;
    double values[MOTOR_MOST_VALUES]; ///< memory of the motor's rows (poise__motor_place_rows)
    double limit;
    bool ball;
    bool read; ///< `q` has been read from the joint
    double q[AXES];
    PoiseQuat rest; ///< rotation of a ball's child body in its parent body when the spring was made
    PoiseQuat rotation;
    PoiseHingeDrive drives[AXES];
    PoiseBallDrive ball_drive;
    bool changed; ///< a drive has changed since the last update
};

PoiseJointSpringDef poise_default_joint_spring_def(void) {
    return (PoiseJointSpringDef){.cookie = COOKIE, .max_torque = HUGE_VAL, .max_speed = HUGE_VAL};
}

// ----------------------------------------------------------------------------------------- reading

static PoiseQuat rotation_of(const PoiseJointSpring* spring) {
    const PoiseQuat parent = poise__body_pose(spring->motor.parent).q;
    return poise_quat_mul(poise_quat_conjugate(parent), poise__body_pose(spring->motor.child).q);
}

// Reads the joint's coordinates. ODE's angles are within half a turn: adds whole turns, so that the
// coordinates are nearest to the last ones.
static void read_joint(PoiseJointSpring* spring) {
    if (spring->ball) {
        spring->rotation = poise_quat_mul(rotation_of(spring), poise_quat_conjugate(spring->rest));
        return;
    }
    OdeJoint now;
    poise__ode_joint_read(spring->motor.joint, spring->motor.child, &now);
    for (int i = 0; i < spring->motor.type->nv; i++) {
        const bool turns = poise__sort(spring->motor.type, i) == ABOUT;
        const double turned =
            turns && spring->read ? round((spring->q[i] - now.q[i]) / (2.0 * POISE_PI)) : 0.0;
        spring->q[i] = now.q[i] + turned * (2.0 * POISE_PI);
    }
    spring->read = true;
}

// ------------------------------------------------------------------------------------------ making

// Returns why the joint cannot have a spring, or NULL if it can. Stores the child body in `child`.
static const char* problem_of(dJointID joint, const PoiseJointSpringDef* def, dBodyID* child,
                              char message[200]) {
    if (!joint) {
        return "the joint is NULL";
    }
    if (def->cookie != COOKIE) {
        return "the def was not made by poise_default_joint_spring_def";
    }
    if (!(def->max_torque > 0.0) || !(def->max_speed > 0.0)) {
        return "max_torque and max_speed must be above 0";
    }
    dBodyID first = dJointGetBody(joint, 0);
    *child = def->child ? def->child : first ? first : dJointGetBody(joint, 1);
    if (!*child) {
        return "the joint is attached to no body: attach it first";
    }
    if (poise__ode_joint_check(dBodyGetWorld(*child), joint, *child, (PoiseNodeKind)0, message) <
        0) {
        return message;
    }
    const PoiseJointType* type = poise_joint_type(poise__ode_joint_kind(joint, *child));
    const unsigned all = (1u << type->nv) - 1u;
    if ((type->linear & all) != 0 && (type->linear & all) != all) {
        return "the joint both turns and slides: a rig (poise/rig.h) has springs for it";
    }
    return NULL;
}

PoiseJointSpring* poise_spring_on_joint(dJointID joint, const PoiseJointSpringDef* def) {
    const PoiseJointSpringDef usual = poise_default_joint_spring_def();
    def = def ? def : &usual;
    dBodyID child = NULL;
    char message[200];
    const char* problem = problem_of(joint, def, &child, message);
    PoiseJointSpring* spring = problem ? NULL : poise_host_allocate(&def->host, sizeof *spring);
    if (!spring) {
        if (def->cookie == COOKIE && def->host.log) {
            char text[260];
            snprintf(text, sizeof text, "poise_spring_on_joint: %s",
                     problem ? problem : "memory is short");
            def->host.log(POISE_ERROR, text, def->host.user);
        }
        return NULL;
    }
    memset(spring, 0, sizeof *spring);
    spring->host = def->host;
    spring->limit = def->max_torque;
    poise__motor_pool_make(&spring->pool);
    const MotorDef motor = {poise_joint_type(poise__ode_joint_kind(joint, child)),
                            dBodyGetWorld(child),
                            joint,
                            child,
                            poise__ode_joint_other(joint, child),
                            &spring->pool};
    spring->ball = motor.type->nq > motor.type->nv;
    poise__motor_attach(&spring->motor, &motor);
    poise__motor_place_rows(&spring->motor, motor.type, spring->values);
    poise__motor_moved(&spring->motor);
    spring->motor.speed_limit = def->max_speed;
    poise__motor_find(&spring->motor);
    spring->rest = rotation_of(spring);
    spring->ball_drive.target = poise_quat_identity();
    if (!spring->ball) {
        // ODE attaches the first of two axes of rotation to the parent body
        OdeJoint now;
        poise__ode_joint_read(joint, child, &now);
        poise__motor_set_axes(&spring->motor, now.axes, motor.type->nv == 2 ? 1u : 0u);
    }
    read_joint(spring);
    return spring;
}

void poise_joint_spring_destroy(PoiseJointSpring* spring) {
    if (spring) {
        const PoiseHost host = spring->host;
        poise__motor_detach(&spring->motor);
        poise__motor_pool_destroy(&spring->pool);
        poise_host_release(&host, spring, sizeof *spring);
    }
}

int poise_joint_spring_axes(const PoiseJointSpring* spring) {
    return spring ? spring->motor.type->nv : 0;
}

// ----------------------------------------------------------------------------------------- setting

PoiseStatus poise_joint_spring_set(PoiseJointSpring* spring, int axis, PoiseHingeDrive drive) {
    if (spring && spring->ball) {
        return POISE_ERROR_WRONG_KIND;
    }
    if (!spring || axis < 0 || axis >= spring->motor.type->nv ||
        poise__spring_check(drive.spring) || !isfinite(drive.target) || !isfinite(drive.velocity)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    spring->changed = spring->changed || memcmp(&spring->drives[axis], &drive, sizeof drive) != 0;
    spring->drives[axis] = drive;
    return POISE_OK;
}

PoiseStatus poise_joint_spring_set_ball(PoiseJointSpring* spring, PoiseBallDrive drive) {
    if (spring && !spring->ball) {
        return POISE_ERROR_WRONG_KIND;
    }
    const PoiseQuat q = drive.target;
    const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!spring || poise__spring_check(drive.spring) || !(square > 0.0) || !isfinite(square) ||
        !poise_is_finite3(drive.velocity)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    drive.target = poise_quat_normalize(q);
    spring->changed = spring->changed || memcmp(&spring->ball_drive, &drive, sizeof drive) != 0;
    spring->ball_drive = drive;
    return POISE_OK;
}

// ----------------------------------------------------------------------------------------- driving

static void fill_ball(const PoiseJointSpring* spring, MotorRow rows[AXES]) {
    const PoiseBallDrive* drive = &spring->ball_drive;
    const PoiseQuat frame = poise__body_pose(spring->motor.parent).q;
    const PoiseQuat rotation =
        poise_quat_mul(drive->target, poise_quat_conjugate(spring->rotation));
    const PoiseVec3 error = poise_quat_rotate(frame, poise_quat_log(rotation));
    const PoiseVec3 velocity = poise_quat_rotate(frame, drive->velocity);
    const double errors[AXES] = {error.x, error.y, error.z};
    const double velocities[AXES] = {velocity.x, velocity.y, velocity.z};
    for (int i = 0; i < AXES; i++) {
        rows[i] = (MotorRow){drive->spring, errors[i], velocities[i], 0.0, spring->limit};
    }
}

PoiseStatus poise_joint_spring_update(PoiseJointSpring* spring, double dt) {
    if (!spring) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!poise__motor_alive(&spring->motor)) {
        return POISE_ERROR_GONE;
    }
    if (!(dt > 0.0) || !isfinite(dt)) {
        poise__motor_release(&spring->motor);
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoisePose child;
    if (!poise__motor_ready_at(&spring->motor, false, &child)) {
        poise__motor_release(&spring->motor);
        return POISE_DEGRADED;
    }
    read_joint(spring);
    MotorRow rows[POISE_MAX_NV];
    if (spring->ball) {
        fill_ball(spring, rows);
    }
    for (int i = 0; !spring->ball && i < spring->motor.type->nv; i++) {
        const PoiseHingeDrive* drive = &spring->drives[i];
        rows[i] = (MotorRow){drive->spring, drive->target - spring->q[i], drive->velocity, 0.0,
                             spring->limit};
    }
    if (spring->changed && !dBodyIsEnabled(spring->motor.child)) {
        dBodyEnable(spring->motor.child);
    }
    spring->changed = false;
    poise__motor_drive(&spring->motor, rows, dt);
    return POISE_OK;
}

int poise_joint_spring_read(const PoiseJointSpring* spring, double q[3]) {
    if (!spring || !q) {
        return 0;
    }
    if (spring->ball) {
        const PoiseVec3 rotation = poise_quat_log(spring->rotation);
        q[0] = rotation.x;
        q[1] = rotation.y;
        q[2] = rotation.z;
    } else {
        memcpy(q, spring->q, (size_t)spring->motor.type->nv * sizeof *q);
    }
    return spring->motor.type->nv;
}

int poise_joint_spring_given(const PoiseJointSpring* spring, double given[3]) {
    if (!spring || !given) {
        return 0;
    }
    double all[POISE_MAX_NV] = {0.0};
    if (poise__motor_alive(&spring->motor)) {
        poise__motor_given(&spring->motor, all);
    }
    memcpy(given, all, (size_t)spring->motor.type->nv * sizeof *given);
    return spring->motor.type->nv;
}
