// SPDX-License-Identifier: MIT
// Feeds forward the torque of theta_new's acceleration, so that joints follow a moving goal without
// lag. Recursive Newton-Euler computes it over the links in their measured posture, with the
// reference velocities of the springs. S is the axis of a motion; spatial vectors are about the
// world's origin:
//     v = v_below + S q',  a = a_below + S q'' + v x S q',  f = d/dt (I v) + f of the links beyond,
//     torque = S . f
// Runs after theta_ik has advanced, before the drive.
#include <string.h>

#include "convert.h"
#include "numbers.h"
#include "shared/clones.h"
#include "step.h"

/// A motion along or about an axis, as a spatial vector about the world's origin.
typedef struct Screw {
    PoiseVec3 about; ///< angular velocity; 0 for a translation
    PoiseVec3 along; ///< velocity of the link's material at the world's origin
} Screw;

static inline Screw screw_of(Sort sort, PoiseVec3 v, PoiseVec3 pivot) {
    const PoiseVec3 none = {0.0, 0.0, 0.0};
    return sort == ABOUT ? (Screw){v, poise_cross(pivot, v)} : (Screw){none, v};
}

// Adds the velocity (`rate`) and acceleration (`change`) of a motion whose axis moves with the
// parent link.
static inline void add_motion(LinkMotion* link, Screw rate, Screw change) {
    const PoiseVec3 turned = poise_cross(link->spin, rate.about);
    const PoiseVec3 moved =
        poise_add(poise_cross(link->spin, rate.along), poise_cross(link->velocity, rate.about));
    link->turning = poise_add(link->turning, poise_add(change.about, turned));
    link->acceleration = poise_add(link->acceleration, poise_add(change.along, moved));
    link->spin = poise_add(link->spin, rate.about);
    link->velocity = poise_add(link->velocity, rate.along);
}

// Adds the joint's velocities and accelerations to those of the parent link.
static inline void move_link(const JointState* joint, double dt, LinkMotion* link) {
    const Binding* binding = joint->of;
    const PoiseQuat frame = joint->joint_world.q;
    PoiseVec3 axes[POISE_MAX_NV];
    link->pivot = poise__joint_pivot(joint);
    if (binding->block_count > 1) {
        poise__joint_axes(joint, axes);
    } else if (binding->type->nv == 1) {
        axes[0] = poise_quat_rotate(frame, binding->axes[0]);
        link->axis = axes[0];
    }
    for (int i = 0; binding->follows_ik && i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        const Sort sort = (Sort)b->sort;
        const double* now = &joint->velocity[b->first];
        const double* before = &joint->last_velocity[b->first];
        // fraction of theta_ik's motion that theta_new makes (eq. 24)
        const double original = binding->original[sort].stiffness;
        const double ik = binding->ik[sort].stiffness;
        const double part = original > 0.0 ? ik / (ik + original) : 1.0;
        PoiseVec3 rate, change;
        if (b->count == 3) {
            const PoiseVec3 v = poise__vec3_at(now);
            const PoiseVec3 more = poise_sub(v, poise__vec3_at(before));
            rate = poise_scale(part, poise_quat_rotate(frame, v));
            change = poise_scale(part / dt, poise_quat_rotate(frame, more));
        } else {
            rate = poise_scale(part * now[0], axes[b->first]);
            change = poise_scale(part * (now[0] - before[0]) / dt, axes[b->first]);
        }
        add_motion(link, screw_of(sort, rate, link->pivot), screw_of(sort, change, link->pivot));
    }
}

// Returns R^T v for ODE's rotation matrix R, stored as 3 x 4 numbers.
static inline PoiseVec3 unturned(const dReal* r, PoiseVec3 v) {
    return poise_vec3((double)r[0] * v.x + (double)r[4] * v.y + (double)r[8] * v.z,
                      (double)r[1] * v.x + (double)r[5] * v.y + (double)r[9] * v.z,
                      (double)r[2] * v.x + (double)r[6] * v.y + (double)r[10] * v.z);
}

// Computes the force and moment that the link's own acceleration needs.
static inline void load_link(const Binding* binding, LinkMotion* link) {
    const dBodyID body = binding->motor.child;
    const dReal* r = dBodyGetRotation(body);
    const PoiseVec3 centre = poise_add(poise__vec3_from(dBodyGetPosition(body)),
                                       poise__body_turned(body, binding->centre));
    const PoiseVec3 speed = poise_add(link->velocity, poise_cross(link->spin, centre));
    PoiseVec3 acceleration = poise_add(link->acceleration, poise_cross(link->turning, centre));
    acceleration = poise_add(acceleration, poise_cross(link->spin, speed));
    link->force = poise_scale(binding->mass, acceleration);
    PoiseVec3 moment = poise__symmetric_times(binding->inertia, unturned(r, link->turning));
    if (dBodyGetGyroscopicMode(body)) {
        const PoiseVec3 spin = unturned(r, link->spin);
        moment =
            poise_add(moment, poise_cross(spin, poise__symmetric_times(binding->inertia, spin)));
    }
    link->moment = poise_add(poise__body_turned(body, moment), poise_cross(centre, link->force));
}

// If the joint has springs, fills joint->motion_feed with the projections of the link's force and
// moment onto the joint's axes.
static inline void project_torque(JointState* joint, const LinkMotion* link) {
    const Binding* binding = joint->of;
    const PoiseVec3 moment = poise_sub(link->moment, poise_cross(link->pivot, link->force));
    PoiseVec3 axes[POISE_MAX_NV];
    if (binding->block_count > 1) {
        poise__joint_axes(joint, axes);
    } else {
        axes[0] = link->axis;
    }
    for (int i = 0; poise__binding_is_sprung(binding) && i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        const PoiseVec3 load = b->sort == ABOUT ? moment : link->force;
        if (b->count == 3) {
            poise__put3(&joint->motion_feed[b->first], load);
        } else {
            joint->motion_feed[b->first] = poise_dot(axes[b->first], load);
        }
    }
}

// Returns the part of joint->motion_feed, at most 1, that the torque limits allow in addition to
// the feed-forward of the last update.
static double part_within_limits(const JointState* joint) {
    const Binding* binding = joint->of;
    double part = 1.0;
    for (const Block* b = binding->blocks; b < binding->blocks + binding->block_count; b++) {
        const double limit = binding->force_limit[b->sort];
        if (isfinite(limit)) {
            const double* fed = &joint->feed_forward[b->first];
            const double* more = &joint->motion_feed[b->first];
            const double size = sqrt(poise__numbers_dot(more, more, b->count));
            const double left =
                poise_max(limit - sqrt(poise__numbers_dot(fed, fed, b->count)), 0.0);
            part = size * part > left ? left / size : part;
        }
    }
    return part;
}

// True if the joint is on a fixed base and its body is not kinematic.
static inline bool is_fed(const JointState* joint) {
    return joint->ready && joint->anchored && !joint->of->motor.by_hand;
}

// Fills joint->motion_feed from the tips to the bases. Returns the largest factor, at most 1, that
// keeps all torques within their limits.
static double fill_torques(PoiseRig* rig) {
    double part = 1.0;
    for (int i = rig->binding_count - 1; i >= 0; i--) {
        JointState* joint = &rig->state.joints[i];
        const int below = joint->of->parent;
        if (is_fed(joint)) {
            project_torque(joint, &rig->links[i]);
            part = poise_min(part, part_within_limits(joint));
            if (below != NO_BINDING) {
                LinkMotion* link = &rig->links[below];
                link->force = poise_add(link->force, rig->links[i].force);
                link->moment = poise_add(link->moment, rig->links[i].moment);
            }
        }
    }
    return part;
}

// all calls are inlined, because this runs for each joint in each step
POISE_CLONES void poise__inertia_feed(PoiseRig* rig, double dt) {
    for (int i = 0; i < rig->binding_count; i++) {
        const JointState* joint = &rig->state.joints[i];
        const int below = joint->of->parent;
        LinkMotion* link = &rig->links[i];
        if (!is_fed(joint) || below == NO_BINDING) {
            memset(link, 0, sizeof *link);
        } else {
            *link = rig->links[below];
        }
        if (is_fed(joint)) {
            move_link(joint, dt, link);
            load_link(joint->of, link);
        }
    }
    const double part = poise_tree_smoothness(rig->state.tree) * fill_torques(rig);
    for (int i = 0; part < 1.0 && i < rig->binding_count; i++) {
        JointState* joint = &rig->state.joints[i];
        for (int d = 0; d < joint->of->type->nv; d++) {
            joint->motion_feed[d] *= part;
        }
    }
}
