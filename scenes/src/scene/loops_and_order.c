// SPDX-License-Identifier: MIT
// Builds the structure of the scene: the driven joints, their order, and the groups of connected
// bodies.

#include "builder.h"

static int find_group(int* groups, int body) {
    while (groups[body] != body) {
        groups[body] = groups[groups[body]];
        body = groups[body];
    }
    return body;
}

// True if the parent can move but no joint carries it: the author may have swapped parent and
// child.
static bool is_swapped(const Builder* builder, const PoiseSceneJoint* joint, int index) {
    const bool loose = joint->parent.index >= 0 && !builder->bodies[joint->parent.index].fixed;
    if (!loose || builder->bodies[joint->parent.index].joint >= 0 || joint->welded) {
        return false;
    }
    for (int i = 0; i < builder->joint_count; i++) {
        if (i != index && builder->joints[i].child.index == joint->parent.index) {
            return false;
        }
    }
    return true;
}

static void warn_loop(Builder* builder, const PoiseSceneJoint* joint, bool swapped) {
    const PoiseSceneBody* child = &builder->bodies[joint->child.index];
    if (swapped) {
        const char* parent = builder->bodies[joint->parent.index].name;
        WARN(builder, joint->mark,
             "joint '%.60s': '%.60s' is carried already, and nothing carries '%.60s': "
             "'between' names the parent first, so [%.60s, %.60s] may be meant",
             joint->name, child->name, parent, child->name, parent);
        return;
    }
    // In a robot's file, a loop is intended, so it gets a note, not a warning.
    const FindingKind kind = {joint->of_robot ? POISE_NOTE : POISE_WARNING,
                              joint->of_robot ? "a robot's loop" : joint->name};
    poise__diagnose_kind(builder->diagnostics, kind, joint->mark,
                         "joint '%.60s' closes a loop: it holds '%.60s', which IK keeps there, "
                         "but has no springs",
                         joint->name, child->name);
}

// Marks joints that close a loop: their child already has a carrier, or is connected to their
// parent.
static void mark_loops(Builder* builder, int* groups) {
    for (int i = 0; i < builder->joint_count; i++) {
        PoiseSceneJoint* joint = &builder->joints[i];
        PoiseSceneBody* child = &builder->bodies[joint->child.index];
        bool carried = child->joint >= 0;
        bool together =
            joint->parent.index >= 0 &&
            find_group(groups, joint->parent.index) == find_group(groups, joint->child.index) &&
            !builder->bodies[joint->parent.index].fixed;
        joint->driven = !carried && !together && !joint->welded;
        if (joint->driven) {
            child->joint = i;
        } else {
            warn_loop(builder, joint, carried && !together && is_swapped(builder, joint, i));
        }
        if (joint->parent.index >= 0) {
            groups[find_group(groups, joint->child.index)] =
                find_group(groups, joint->parent.index);
        }
    }
}

// Sorts the driven joints: each comes after the joint that carries its parent, else in the file's
// order.
static bool sort_joints(Builder* builder) {
    bool* placed =
        poise__arena_allocate(builder->arena, (size_t)builder->joint_count, sizeof *placed);
    builder->joint_order = poise__arena_allocate(builder->arena, (size_t)builder->joint_count,
                                                 sizeof *builder->joint_order);
    if (!placed || !builder->joint_order) {
        return false;
    }
    bool progress = true;
    while (progress) {
        progress = false;
        for (int i = 0; i < builder->joint_count; i++) {
            const PoiseSceneJoint* joint = &builder->joints[i];
            int carrier =
                joint->parent.index >= 0 ? builder->bodies[joint->parent.index].joint : -1;
            if (joint->driven && !placed[i] && (carrier < 0 || placed[carrier])) {
                builder->joint_order[builder->driven_count++] = i;
                placed[i] = true;
                progress = true;
            }
        }
    }
    return true;
}

static bool hangs_on_something(const Builder* builder, int body) {
    for (int i = 0; i < builder->joint_count; i++) {
        if (builder->joints[i].parent.index == body || builder->joints[i].child.index == body) {
            return true;
        }
    }
    return false;
}

// Checks that the start and the natural posture of a joint lie in its ranges.
static void check_posture(Builder* builder, const PoiseSceneJoint* joint) {
    const PoiseJointType* type = poise_joint_type(joint->kind);
    for (int i = 0; type && type->nq == type->nv && i < type->nv; i++) {
        const double natural = joint->bind.natural[i];
        const double lower = joint->limits.lower[i], upper = joint->limits.upper[i];
        const bool starts_inside = joint->start[i] >= lower && joint->start[i] <= upper;
        if (starts_inside && natural >= lower && natural <= upper) {
            continue;
        }
        WARN(builder, joint->mark, "joint '%.60s' %s%s at %g, outside its limits %g to %g",
             joint->name, starts_inside ? "has its natural angle" : "starts",
             i == 0 ? "" : ", its second angle,", starts_inside ? natural : joint->start[i], lower,
             upper);
    }
}

// Reports a mass or inertia that is too small or large: ODE divides by these and squares them, and
// aborts on results that are not finite.
static void check_mass(Builder* builder, const PoiseSceneBody* body) {
    static const double least_mass = 1e-12;
    static const double most_mass = 1e12;
    static const double least_moment = 1e-24;
    static const double most_moment = 1e18;
    double moments[3];
    poise__inertia_principal(body->inertia, moments, NULL);
    bool fine = body->mass >= least_mass && body->mass <= most_mass && moments[0] >= least_moment &&
                moments[2] <= most_moment;
    if (!fine && !body->fixed) {
        REFUSE(builder, body->mark,
               "body '%.60s' cannot be simulated: %g kg, inertia %g to %g kg m^2", body->name,
               body->mass, moments[0], moments[2]);
    }
}

void poise__build_structure(Builder* builder) {
    int* groups =
        poise__arena_allocate(builder->arena, (size_t)builder->body_count, sizeof *groups);
    if (!groups) {
        return;
    }
    for (int i = 0; i < builder->body_count; i++) {
        groups[i] = i;
    }
    mark_loops(builder, groups);
    if (!sort_joints(builder)) {
        return;
    }
    // After an error a body may have no valid mass to check.
    bool clean = poise_diagnostics_count(builder->diagnostics, POISE_ERROR) == 0;
    for (int i = 0; i < builder->body_count; i++) {
        if (clean) {
            check_mass(builder, &builder->bodies[i]);
        }
        if (hangs_on_something(builder, i)) {
            builder->bodies[i].group = find_group(groups, i);
        }
    }
    for (int i = 0; i < builder->joint_count; i++) {
        check_posture(builder, &builder->joints[i]);
    }
}
