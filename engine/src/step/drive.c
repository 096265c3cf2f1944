// SPDX-License-Identifier: MIT
// Blends theta_orig and theta_ik into one spring per joint (eqs. 24-26), and sets the rows of its
// motor, one for each velocity. Last stage of an update; dWorldStep follows.
#include <math.h>
#include <string.h>

#include "convert.h"
#include "press.h"
#include "step.h"

// A body stays asleep if its target (rad, m) and feed-forward (N m) changed by less than this.
#define MOVED 1e-9
// Cosine of 0.5 rad: a rotation whose target moves by more than 1 rad in a step has jumped, and its
// spring then pulls along the shorter arc.
#define JUMP_COSINE 0.87758256189037276
// Displacement to the target from which dry friction is fed forward in full, rad or m: a joint may
// rest nearer than this, which is 0.1 mm at the end of a link of 1 m.
#define FRICTION_WITHIN 1e-4
// Speed of the target from which dry friction is fed forward in full, rad/s or m/s.
#define FRICTION_SPEED 0.01

// Fills the feed-forward of a binding: J^T F of asked forces with its corrections, the integral,
// and the weight if a spring holds the joint and its base is fixed.
static inline void fill_feed_forward(const PoiseRig* rig, const PoiseNumbers* numbers,
                                     const JointState* joint, const int count,
                                     double feed[POISE_MAX_NV]) {
    const Binding* binding = joint->of;
    poise__fed_weight(&rig->state, numbers, joint, feed);
    if (rig->settings.integral > 0.0 && !poise__base_floats(binding)) {
        double added[POISE_MAX_NV];
        poise__integral_torque(joint, added);
        for (int d = 0; d < count; d++) {
            feed[d] += added[d];
        }
    }
    double force[POISE_MAX_DOF];
    // a floating base gets no force from outside: the ground carries it at stance points
    if (rig->state.pressing && !poise__base_floats(binding)) {
        poise_node_force_torque(rig->state.tree, binding->node, force);
        for (int d = 0; d < count; d++) {
            feed[d] += force[d] + joint->pressing[d];
        }
    }
    if (binding->looped) {
        for (int d = 0; d < count; d++) {
            feed[d] += joint->closing[d];
        }
    }
}

static double farthest(const double* v, const double* from, int count) {
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = poise_max(most, fabs(v[i] - (from ? from[i] : 0.0)));
    }
    return most;
}

// Wakes a body whose reference changed: ODE lets bodies sleep in spite of their motors.
static void wake_if_changed(const JointState* joint, const double* target, const double* feed) {
    const Binding* binding = joint->of;
    const int count = binding->type->nv;
    double moved[POISE_MAX_NV];
    poise_joint_difference(binding->type, target, joint->q_target, moved);
    bool same = joint->has_driven && farthest(moved, NULL, count) <= MOVED &&
                farthest(feed, joint->feed_forward, count) <= MOVED;
    for (int sort = 0; sort < SORTS; sort++) {
        same = same && poise__binding_spring(binding, (Sort)sort).stiffness ==
                           joint->spring[sort].stiffness;
    }
    if (!same && !poise__base_floats(binding)) {
        dBodyEnable(binding->motor.child);
    }
}

// Corrects the error of a free node's rows along axes: its spring acts at the centre of mass, and
// the target of that centre rotates with the node's target.
static void aim_at_centre(PoiseVec3 from_pivot, MotorRow* rows) {
    const PoiseQuat by = poise_quat_exp(poise_vec3(rows[3].error, rows[4].error, rows[5].error));
    const PoiseVec3 off = poise_sub(poise_quat_rotate(by, from_pivot), from_pivot);
    rows[0].error += off.x;
    rows[1].error += off.y;
    rows[2].error += off.z;
}

// Forces of the rows along axes act at the motor's place, and so have a moment about the pivot:
// subtracts it from the feed-forward of the rows about axes. The spring of a free node acts at the
// centre of mass, without a moment.
static void subtract_moments(const JointState* joint, PoiseVec3 centre, const PoiseVec3* axes,
                             MotorRow* rows) {
    const Binding* binding = joint->of;
    const PoiseVec3 place = poise__motor_place(&binding->motor);
    const PoiseVec3 pivot = poise__joint_pivot(joint);
    PoiseVec3 spring = poise_vec3(0.0, 0.0, 0.0);
    PoiseVec3 fed = spring;
    for (int d = 0; d < binding->type->nv; d++) {
        if (poise__sort(binding->type, d) == ALONG) {
            const MotorRow* row = &rows[d];
            const double pull =
                row->spring.stiffness * row->error + row->spring.damping * row->velocity;
            const double sum =
                poise_min(poise_max(pull + row->feed_forward, -row->limit), row->limit);
            spring = poise_add_scaled(spring, sum - row->feed_forward, axes[d]);
            fed = poise_add_scaled(fed, row->feed_forward, axes[d]);
        }
    }
    const PoiseVec3 at = poise__binding_is_free(binding) ? centre : pivot;
    const PoiseVec3 moment = poise_add(poise_cross(poise_sub(place, at), spring),
                                       poise_cross(poise_sub(place, pivot), fed));
    for (int d = 0; d < binding->type->nv; d++) {
        if (poise__sort(binding->type, d) == ABOUT) {
            rows[d].feed_forward -= poise_dot(moment, axes[d]);
        }
    }
}

// Fills the motor rows of a joint of several velocities; converts `velocity` and `error` from the
// joint frame to the world's.
static void fill_rows(const JointState* joint, double* velocity, double* error, const double* feed,
                      MotorRow rows[POISE_MAX_NV]) {
    const Binding* binding = joint->of;
    if (poise__binding_is_vector(binding)) {
        poise__joint_to_world(joint, error);
        poise__joint_to_world(joint, velocity);
    }
    for (const Block* b = binding->blocks; b < binding->blocks + binding->block_count; b++) {
        const PoiseSpring spring = joint->spring[b->sort];
        const double limit = binding->force_limit[b->sort];
        for (int d = b->first; d < b->first + b->count; d++) {
            rows[d] =
                (MotorRow){spring, error[d], velocity[d], feed[d] + joint->motion_feed[d], limit};
        }
    }
    if (binding->motor.count[ALONG] > 0 && binding->motor.count[ABOUT] > 0) {
        PoiseVec3 axes[POISE_MAX_NV];
        poise__joint_axes(joint, axes);
        const PoiseVec3 centre = poise__vec3_from(dBodyGetPosition(binding->motor.child));
        if (poise__binding_is_free(binding)) {
            aim_at_centre(poise_sub(centre, poise__joint_pivot(joint)), rows);
        }
        subtract_moments(joint, centre, axes, rows);
    }
}

static void drive(const PoiseRig* rig, const PoiseNumbers* numbers, Binding* binding,
                  JointState* joint, double dt) {
    const int nq = binding->type->nq;
    const int nv = binding->type->nv;
    Blend blend;
    double feed[POISE_MAX_NV];
    double error[POISE_MAX_NV];
    MotorRow rows[POISE_MAX_NV];
    poise__joint_blend(joint, &blend);
    fill_feed_forward(rig, numbers, joint, nv, feed);
    if (dBodyIsEnabled(binding->motor.child) == 0) {
        wake_if_changed(joint, blend.target, feed);
    }
    bool wound = false;
    if (nq > nv && joint->has_driven) {
        // a spherical motion comes last; its spring keeps to its arc if the target did not jump
        const double* now = &blend.target[nq - 4];
        const double* last = &joint->q_target[nq - 4];
        wound = fabs(now[0] * last[0] + now[1] * last[1] + now[2] * last[2] + now[3] * last[3]) >=
                JUMP_COSINE;
    }
    poise__joint_error(joint, blend.target, wound, error);
    poise__numbers_copy(joint->error, error, nv);
    poise__numbers_copy(joint->feed_forward, feed, nv);
    poise__numbers_copy(joint->q_target, blend.target, nq);
    joint->spring[ABOUT] = poise__binding_spring(binding, ABOUT);
    joint->spring[ALONG] = poise__binding_spring(binding, ALONG);
    fill_rows(joint, blend.velocity, error, feed, rows);
    for (int d = 0; rig->state.press.point_count > 0 && d < nv; d++) {
        poise__approach_drive(&rig->state, (int)(joint - rig->state.joints), d, &rows[d]);
    }
    poise__motor_drive(&binding->motor, rows, dt);
    if (binding->has_cone || binding->motor.has_stop) {
        poise__binding_hold_cone(binding, joint);
    }
    joint->has_driven = true;
}

// Drives a joint of one velocity, a hinge or a slider, without the loops of drive(). Together with
// poise__motor_drive_single this saves 4.9 % of a Panda's update of 32,200 instructions. Only
// joints of one velocity have friction.
static void drive_single(const PoiseRig* rig, const PoiseNumbers* numbers, Binding* binding,
                         JointState* joint, double dt) {
    const Block* block = &binding->blocks[0];
    const SingleBlend blend = poise__joint_blend_single(joint, block);
    double feed[POISE_MAX_NV];
    fill_feed_forward(rig, numbers, joint, 1, feed);
    if (dBodyIsEnabled(binding->motor.child) == 0) {
        wake_if_changed(joint, &blend.target, feed);
    }
    const double error = blend.target - joint->q[0];
    joint->feed_forward[0] = feed[0];
    joint->q_target[0] = blend.target;
    joint->spring[ABOUT] = poise__binding_spring(binding, ABOUT);
    joint->spring[ALONG] = poise__binding_spring(binding, ALONG);
    if (binding->friction > 0.0 && !rig->state.pressing &&
        joint->spring[block->sort].stiffness > 0.0) {
        // at most the joint's friction, so that friction dissipates all the energy that this torque
        // adds
        const double asked = error / FRICTION_WITHIN + blend.velocity / FRICTION_SPEED;
        joint->motion_feed[0] += binding->friction * poise_min(poise_max(asked, -1.0), 1.0);
    }
    MotorRow row = {joint->spring[block->sort], error, blend.velocity,
                    feed[0] + joint->motion_feed[0], binding->force_limit[block->sort]};
    if (rig->state.press.point_count > 0) {
        poise__approach_drive(&rig->state, (int)(joint - rig->state.joints), 0, &row);
    }
    poise__motor_drive_single(&binding->motor, &row, dt);
    joint->has_driven = true;
}

// all calls are inlined, because this runs for each joint in each step
__attribute__((flatten)) void poise__drive(PoiseRig* rig, double dt, PoiseRigReport* report) {
    const PoiseNumbers numbers = poise_tree_numbers(rig->state.tree);
    JointState* joint = rig->state.joints;
    Binding* binding = rig->bindings;
    for (int i = 0; i < rig->binding_count; i++, joint++, binding++) {
        if (!joint->ready) {
            poise__motor_release(&binding->motor);
            report->skipped++;
            continue;
        }
        report->saturated += poise__binding_is_saturated(binding);
        if (binding->type->nv == 1) {
            drive_single(rig, &numbers, binding, joint, dt);
        } else {
            drive(rig, &numbers, binding, joint, dt);
        }
        report->driven++;
    }
}

PoiseStatus poise_rig_read_joint(const PoiseRig* rig, PoiseNodeId node,
                                 PoiseJointReading* reading) {
    const Binding* binding = rig && reading ? poise__binding(rig, node) : NULL;
    if (!binding) {
        return rig && reading ? POISE_ERROR_INVALID_HANDLE : POISE_ERROR_INVALID_ARGUMENT;
    }
    const JointState* joint = &rig->state.joints[binding - rig->bindings];
    memset(reading, 0, sizeof *reading);
    reading->kind = binding->type->kind;
    const size_t coordinates = (size_t)binding->type->nq * sizeof *joint->q;
    memcpy(reading->q, joint->q, coordinates);
    memcpy(reading->q_ik, joint->q_ik, coordinates);
    memcpy(reading->q_target, joint->q_target, coordinates);
    const Sort sort = poise__binding_main_sort(binding);
    reading->spring = joint->spring[sort];
    reading->linear = joint->spring[ALONG];
    poise__motor_given(&binding->motor, reading->torque);
    for (int d = 0; d < binding->type->nv; d++) {
        reading->feed_forward[d] = joint->feed_forward[d] + joint->motion_feed[d];
    }
    reading->torque_limit = binding->force_limit[sort];
    reading->force_limit = binding->force_limit[ALONG];
    reading->speed_limit = binding->motor.speed_limit;
    reading->at_limit = joint->clamped || poise__binding_is_saturated(binding);
    return POISE_OK;
}
