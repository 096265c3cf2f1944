// SPDX-License-Identifier: MIT
// Robots: welds the links that fixed joints hold together, and makes bodies, frames and joints of
// them, named robot/link and robot/joint.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "builder.h"

// of a link without mass of its own, kg/m^3: water's
#define ASSUMED_DENSITY 1000.0
// a link that moves must weigh something: where there is nothing to go by, a ball of
#define LEAST_MASS   0.01
#define LEAST_RADIUS 0.05
// a body that moves and weighs less than this part of its robot makes steps of any length unstable
#define LEAST_PART 1e-6

typedef struct RobotBuilder {
    Builder* builder;
    const RobotSpec* spec;
    const UrdfRobot* robot;
    PoisePose pose;
    int* body_of_link;
    PoisePose* in_body;
    double total_mass;       ///< kg, of what the file weighs
    const UrdfLink* weighed; ///< the first link whose mass is its shapes', and all of them together
    int weighed_count;
    double weighed_mass;
} RobotBuilder;

static const char* qualify(const RobotBuilder* robot, const char* name) {
    const char* prefix = robot->spec->header.name;
    if (!prefix[0]) {
        return name;
    }
    const char* full = poise__arena_format(robot->builder->arena, "%s/%s", prefix, name);
    return full ? full : name;
}

static bool is_moving(const UrdfJoint* joint) {
    return joint->kind == URDF_REVOLUTE || joint->kind == URDF_CONTINUOUS ||
           joint->kind == URDF_PRISMATIC || joint->kind == URDF_BALL;
}

static bool floats(const UrdfJoint* joint) {
    return joint && joint->kind == URDF_FLOATING;
}

// ---------------------------------------------------------------------------------------- bodies

static bool has_inertia(const MassProperties* mass) {
    return mass->inertia[0] > 0.0 || mass->inertia[1] > 0.0 || mass->inertia[2] > 0.0;
}

// a link's mass: its inertial, completed from its shapes
static MassProperties mass_of_link(RobotBuilder* robot, const UrdfLink* link, bool fixed) {
    if (!link->has_inertial) {
        MassProperties mass = poise__mass_scaled(link->solid, ASSUMED_DENSITY * link->solid.mass);
        if (mass.mass > 0.0 && !fixed) {
            robot->weighed = robot->weighed ? robot->weighed : link;
            robot->weighed_count++;
            robot->weighed_mass += mass.mass;
        }
        return mass;
    }
    MassProperties mass = link->mass;
    if (!has_inertia(&mass)) {
        PoiseVec3 com = mass.com;
        mass = poise__mass_scaled(link->solid, link->mass.mass);
        if (!has_inertia(&mass)) {
            double moment = 0.4 * link->mass.mass * LEAST_RADIUS * LEAST_RADIUS;
            mass.inertia[0] = mass.inertia[1] = mass.inertia[2] = moment;
            mass.mass = link->mass.mass;
        }
        mass.com = com;
        if (!fixed) {
            poise__diagnose_kind(robot->builder->diagnostics, POISE_NOTE, link->mark, "no inertia",
                                 "link '%.60s' has no inertia: assumed from its shapes",
                                 link->name);
        }
    }
    return mass;
}

static void set_mass(const RobotBuilder* robot, PoiseSceneBody* body, MassProperties mass,
                     const UrdfLink* first) {
    PoiseDiagnostics* diagnostics = robot->builder->diagnostics;
    double ball = 0.4 * LEAST_RADIUS * LEAST_RADIUS;
    double least = LEAST_PART * robot->total_mass;
    if (!(mass.mass > 0.0)) {
        MassProperties small = {LEAST_MASS, {0.0, 0.0, 0.0}, {0.0}};
        mass = small;
        if (!body->fixed) {
            poise__diagnose_kind(diagnostics, POISE_WARNING, first->mark, "weighs nothing",
                                 "link '%.60s' moves and weighs nothing: %g kg assumed",
                                 first->name, LEAST_MASS);
        }
    } else if (mass.mass < least && !body->fixed) {
        poise__diagnose_kind(
            diagnostics, POISE_WARNING, first->mark, "dust",
            "link '%.60s' moves and weighs %g kg, nothing beside the robot's %.3g: "
            "%.2g kg assumed",
            first->name, mass.mass, robot->total_mass, least);
        mass.mass = least;
        memset(mass.inertia, 0, sizeof mass.inertia);
    }
    if (!has_inertia(&mass)) {
        mass.inertia[0] = mass.inertia[1] = mass.inertia[2] = ball * mass.mass;
    }
    body->mass = mass.mass;
    body->com = mass.com;
    (void)poise__inertia_repair(mass.inertia);
    memcpy(body->inertia, mass.inertia, sizeof body->inertia);
}

// the body that `first` begins: its links' masses and shapes together
static void fill_body(RobotBuilder* robot, int index, PoiseSceneBody* body) {
    const UrdfRobot* urdf = robot->robot;
    MassProperties mass = {0.0, {0.0, 0.0, 0.0}, {0.0}};
    const UrdfLink* first = NULL;
    int shapes = 0;
    for (int i = 0; i < urdf->link_count; i++) {
        shapes += robot->body_of_link[i] == index ? urdf->links[i].shape_count : 0;
    }
    PoiseSceneShape* all =
        poise__arena_allocate(robot->builder->arena, (size_t)shapes, sizeof *all);
    if (!all) {
        return;
    }
    for (int i = 0; i < urdf->link_count; i++) {
        int link = urdf->order[i];
        if (robot->body_of_link[link] != index) {
            continue;
        }
        const UrdfLink* part = &urdf->links[link];
        first = first ? first : part;
        MassProperties own = mass_of_link(robot, part, body->fixed);
        mass = poise__mass_sum(mass, poise__mass_moved(own, robot->in_body[link]));
        for (int j = 0; j < part->shape_count; j++) {
            PoiseSceneShape shape = part->shapes[j];
            shape.in_body = poise_pose_mul(robot->in_body[link], shape.in_body);
            all[body->shape_count++] = shape;
        }
    }
    body->shapes = all;
    if (first) {
        set_mass(robot, body, mass, first);
    }
}

// whether the link, a root or one that floats, carries joints that move: a robot, no loose object
static bool is_robot(const UrdfRobot* urdf, int base) {
    for (int i = 0; i < urdf->joint_count; i++) {
        int link = is_moving(&urdf->joints[i]) ? urdf->joints[i].parent : -1;
        while (link >= 0 && link != base) {
            int carrier = urdf->links[link].joint;
            link =
                carrier < 0 || floats(&urdf->joints[carrier]) ? -1 : urdf->joints[carrier].parent;
        }
        if (link >= 0) {
            return true;
        }
    }
    return false;
}

// whether the body that the link begins is part of the world: a base that floats is free where the
// scene says so, and any object; what a base floats in is the world
static bool is_fixed(const RobotBuilder* robot, int link) {
    const UrdfRobot* urdf = robot->robot;
    const UrdfJoint* joint =
        urdf->links[link].joint >= 0 ? &urdf->joints[urdf->links[link].joint] : NULL;
    bool bolted = robot->spec->base == ROBOT_BASE_FIXED;
    if (floats(joint)) {
        return bolted && poise__urdf_is_base(urdf, joint) && is_robot(urdf, link);
    }
    bool world = false;
    for (int i = 0; i < urdf->joint_count && !joint; i++) {
        world = world || poise__urdf_is_base(urdf, &urdf->joints[i]);
    }
    return !joint && (bolted || world);
}

// each link begins a body, or is welded to that of its parent
static bool weld(RobotBuilder* robot) {
    Builder* builder = robot->builder;
    const UrdfRobot* urdf = robot->robot;
    size_t count = (size_t)urdf->link_count;
    robot->body_of_link = poise__arena_allocate(builder->arena, count, sizeof(int));
    robot->in_body = poise__arena_allocate(builder->arena, count, sizeof(PoisePose));
    if (!robot->body_of_link || !robot->in_body) {
        return false;
    }
    for (int i = 0; i < urdf->link_count; i++) {
        int link = urdf->order[i];
        const UrdfLink* part = &urdf->links[link];
        const UrdfJoint* joint = part->joint >= 0 ? &urdf->joints[part->joint] : NULL;
        if (joint && !is_moving(joint) && !floats(joint)) {
            robot->body_of_link[link] = robot->body_of_link[joint->parent];
            robot->in_body[link] = poise_pose_mul(robot->in_body[joint->parent], joint->origin);
        } else {
            PoiseSceneBody body = {.name = qualify(robot, part->name),
                                   .mark = part->mark,
                                   .pose = poise_pose_mul(robot->pose, part->pose),
                                   .fixed = is_fixed(robot, link),
                                   .gravity = true,
                                   .collides = true};
            robot->body_of_link[link] = poise__build_add_body(builder, &body);
            robot->in_body[link] = poise_pose_identity();
        }
        int body = robot->body_of_link[link];
        if (body < 0 || poise__build_add_frame(builder, qualify(robot, part->name), part->mark,
                                               body, robot->in_body[link]) < 0) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------- joints

static bool remember_weld(const RobotBuilder* robot, const char* name) {
    Builder* builder = robot->builder;
    const char** welds = poise__arena_grow(builder->arena, builder->welds, builder->weld_count,
                                           &builder->weld_capacity, sizeof *welds);
    if (!welds) {
        return false;
    }
    builder->welds = welds;
    welds[builder->weld_count++] = name;
    return true;
}

static PoiseSceneJoint joint_of(const RobotBuilder* robot, const UrdfJoint* urdf) {
    const JointSpec* defaults = &robot->builder->spec->defaults.joint;
    const UrdfLink* child = &robot->robot->links[urdf->child];
    PoisePose frame = poise_pose_mul(robot->pose, child->pose);
    PoiseSceneJoint joint = {
        .name = qualify(robot, urdf->name),
        .mark = urdf->mark,
        .kind = urdf->kind == URDF_PRISMATIC ? POISE_NODE_SLIDER
                : urdf->kind == URDF_BALL    ? POISE_NODE_BALL
                                             : POISE_NODE_HINGE,
        .parent = robot->body_of_link[urdf->parent],
        .child = robot->body_of_link[urdf->child],
        .anchor = poise_pose_apply(frame, urdf->anchor),
        .axis = poise_quat_rotate(frame.q, urdf->axis),
        // its own spring rests where it rests; any other holds the pose that the file starts in
        .natural_angle = isnan(urdf->start) || urdf->stiffness > 0.0 ? urdf->rest : urdf->start,
        .start_angle = isnan(urdf->start) ? urdf->rest : urdf->start,
        .lower = urdf->lower,
        .upper = urdf->upper,
        .lower2 = -(double)INFINITY,
        .upper2 = (double)INFINITY,
        .swing = (double)INFINITY,
        .twist = (double)INFINITY,
        .natural_rotation = poise_quat_identity(),
        .original = defaults->original.spring,
        .ik = defaults->ik.spring,
        .max_torque = urdf->effort,
        .max_speed = urdf->velocity,
        .bias = defaults->bias,
        .mimics = -1,
        .driven = true,
    };
    if (defaults->original.off) {
        joint.original.stiffness = 0.0;
        joint.original.damping = 0.0;
    }
    if (defaults->ik.off) {
        joint.ik.stiffness = 0.0;
        joint.ik.damping = 0.0;
    }
    if (joint.kind == POISE_NODE_BALL) {
        // its range is how far it may turn at all; its cone is about the way to its mass
        joint.swing = urdf->upper;
        joint.axis = poise_vec3(0.0, 0.0, 0.0);
        joint.lower = -(double)INFINITY;
        joint.upper = (double)INFINITY;
    }
    // the joint's own spring and friction pull at it whatever IK wants
    joint.original.damping += urdf->damping;
    joint.original.stiffness += urdf->stiffness;
    const Schema* schema = &poise__joint_defaults_schema;
    if (!isfinite(joint.max_torque) && poise__schema_given(schema, defaults, "max_torque")) {
        joint.max_torque = defaults->max_torque;
    }
    if (!isfinite(joint.max_speed) && poise__schema_given(schema, defaults, "max_speed")) {
        joint.max_speed = poise__build_joint_unit(robot->builder, &joint) * defaults->max_speed;
    }
    return joint;
}

// links held together beside the tree: a ball, which closes a loop
static bool add_closures(const RobotBuilder* robot) {
    Builder* builder = robot->builder;
    const UrdfRobot* urdf = robot->robot;
    for (int i = 0; i < urdf->closure_count; i++) {
        const UrdfClosure* closure = &urdf->closures[i];
        UrdfJoint ball = poise__urdf_default_joint(closure->name, closure->mark);
        int a = robot->body_of_link[closure->a];
        bool swapped = builder->bodies[robot->body_of_link[closure->b]].fixed;
        ball.kind = URDF_BALL;
        ball.parent = swapped ? closure->b : closure->a;
        ball.child = swapped ? closure->a : closure->b;
        PoiseSceneJoint joint = joint_of(robot, &ball);
        PoisePose frame = poise_pose_mul(robot->pose, urdf->links[closure->a].pose);
        joint.anchor = poise_pose_apply(frame, closure->anchor);
        bool moves = a != robot->body_of_link[closure->b] && !(swapped && builder->bodies[a].fixed);
        if (moves && poise__build_add_joint(builder, &joint) < 0) {
            return false;
        }
    }
    return true;
}

// the joints of this robot that a name or pattern in the scene means; how many there were
static int apply_override(const RobotBuilder* robot, const JointSpec* spec, int first_joint) {
    Builder* builder = robot->builder;
    const char* pattern = qualify(robot, spec->header.name);
    int applied = 0;
    for (int i = first_joint; i < builder->joint_count; i++) {
        if (poise__pattern_fits(pattern, builder->joints[i].name)) {
            poise__build_apply_settings(builder, spec, &poise__joint_override_schema,
                                        &builder->joints[i]);
            applied++;
        }
    }
    return applied;
}

static void refuse_joint_name(const RobotBuilder* robot, const char* name, PoiseMark mark,
                              int first_joint) {
    Builder* builder = robot->builder;
    const char* full = qualify(robot, name);
    for (int i = 0; i < builder->weld_count; i++) {
        if (strcmp(builder->welds[i], full) == 0) {
            poise__diagnose(builder->diagnostics, POISE_ERROR, mark,
                            "joint '%.60s' of robot '%.60s' is fixed: it cannot move", name,
                            robot->spec->header.name);
            return;
        }
    }
    size_t prefix = strlen(full) - strlen(name);
    Suggestion suggestion = poise__suggestion(name);
    for (int i = first_joint; i < builder->joint_count; i++) {
        poise__suggestion_offer(&suggestion, builder->joints[i].name + prefix);
    }
    char guess[160];
    poise__diagnose(builder->diagnostics, POISE_ERROR, mark, "robot '%.60s' has no joint '%.60s'%s",
                    robot->spec->header.name, name,
                    poise__suggestion_text(&suggestion, guess, sizeof guess));
}

static void apply_overrides(const RobotBuilder* robot, int first_joint) {
    for (int i = 0; i < robot->spec->joints.count; i++) {
        const JointSpec* spec = &robot->spec->joints.items[i];
        if (apply_override(robot, spec, first_joint) > 0) {
            continue;
        }
        if (poise__pattern_is(spec->header.name)) {
            char guess[160];
            size_t prefix = strlen(qualify(robot, spec->header.name)) - strlen(spec->header.name);
            poise__diagnose(robot->builder->diagnostics, POISE_ERROR, spec->header.mark,
                            "no moving joint of robot '%.60s' fits '%.60s'%s",
                            robot->spec->header.name, spec->header.name,
                            poise__build_guess_pattern(robot->builder, spec->header.name, prefix,
                                                       first_joint, guess, sizeof guess));
        } else {
            refuse_joint_name(robot, spec->header.name, spec->header.mark, first_joint);
        }
    }
}

// natural and starting angles: as the pose says, else the file, else 0 or the limit nearest to it
static void apply_pose(const RobotBuilder* robot, int first_joint) {
    Builder* builder = robot->builder;
    for (int i = first_joint; i < builder->joint_count; i++) {
        PoiseSceneJoint* joint = &builder->joints[i];
        joint->natural_angle = fmin(fmax(joint->natural_angle, joint->lower), joint->upper);
        joint->start_angle = fmin(fmax(joint->start_angle, joint->lower), joint->upper);
    }
    for (int i = 0; i < robot->spec->pose.count; i++) {
        const PoseEntry* entry = &robot->spec->pose.items[i];
        int index = poise__build_find_joint(builder, qualify(robot, entry->joint));
        if (index < first_joint) {
            refuse_joint_name(robot, entry->joint, entry->mark, first_joint);
            continue;
        }
        PoiseSceneJoint* joint = &builder->joints[index];
        if (joint->kind == POISE_NODE_BALL) {
            poise__diagnose(builder->diagnostics, POISE_ERROR, entry->mark,
                            "joint '%.60s' is a ball: it has no angle; write its 'natural'",
                            entry->joint);
            continue;
        }
        double angle = poise__build_joint_unit(builder, joint) * entry->number;
        poise__build_check_angle(builder, joint, entry->value_mark, angle);
        if (angle < joint->lower || angle > joint->upper) {
            poise__diagnose(builder->diagnostics, POISE_ERROR, entry->value_mark,
                            "joint '%.60s' cannot be at %g: its limits are %g to %g", entry->joint,
                            angle, joint->lower, joint->upper);
            continue;
        }
        joint->natural_angle = angle;
        joint->start_angle = angle;
    }
}

// ----------------------------------------------------------------------------------------- mimics

// the joint that this one follows; an error where there is none
static void find_leader(const RobotBuilder* robot, const UrdfJoint* urdf, int first_joint) {
    Builder* builder = robot->builder;
    int own = poise__build_find_joint(builder, qualify(robot, urdf->name));
    if (!urdf->mimics || own < first_joint) {
        return;
    }
    int leader = poise__build_find_joint(builder, qualify(robot, urdf->mimics));
    if (leader < first_joint) {
        refuse_joint_name(robot, urdf->mimics, urdf->mimic_mark, first_joint);
        return;
    }
    PoiseSceneJoint* joint = &builder->joints[own];
    if (leader == own || builder->joints[leader].kind == POISE_NODE_BALL) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, urdf->mimic_mark,
                        leader == own ? "joint '%.60s' cannot mimic itself"
                                      : "joint '%.60s' cannot mimic a ball",
                        urdf->name);
        return;
    }
    joint->mimics = leader;
    joint->multiplier = urdf->multiplier;
    joint->offset = urdf->offset;
    bool sprung = joint->original.stiffness > 0.0 || joint->ik.stiffness > 0.0;
    poise__diagnose_kind(
        builder->diagnostics, POISE_NOTE, urdf->mimic_mark,
        sprung ? "mimics" : "mimics without a spring",
        sprung ? "joint '%.60s' mimics '%.60s': its spring follows, IK leaves it alone"
               : "joint '%.60s' mimics '%.60s' and has no spring to follow it with: "
                 "give it one in the scene, as 'original: {spring: ..., damper: ...}'",
        urdf->name, urdf->mimics);
}

// the stiffer of its two springs follows the leader; it starts where the leader's start puts it
static void apply_mimics(const RobotBuilder* robot, int first_joint) {
    Builder* builder = robot->builder;
    for (int i = 0; i < robot->robot->joint_count; i++) {
        find_leader(robot, &robot->robot->joints[i], first_joint);
    }
    // as often as one may mimic one that mimics
    for (int round = first_joint; round < builder->joint_count; round++) {
        for (int i = first_joint; i < builder->joint_count; i++) {
            PoiseSceneJoint* joint = &builder->joints[i];
            if (joint->mimics >= 0) {
                double angle = joint->multiplier * builder->joints[joint->mimics].start_angle;
                joint->start_angle = fmin(fmax(angle + joint->offset, joint->lower), joint->upper);
                joint->natural_angle = joint->start_angle;
            }
        }
    }
    for (int i = first_joint; i < builder->joint_count; i++) {
        PoiseSceneJoint* joint = &builder->joints[i];
        if (joint->mimics >= 0) {
            joint->original =
                joint->ik.stiffness > joint->original.stiffness ? joint->ik : joint->original;
            joint->ik.stiffness = 0.0;
            joint->ik.damping = 0.0;
        }
    }
}

// ---------------------------------------------------------------------------------------- robots

static void add_robot(Builder* builder, const RobotSpec* spec, const UrdfRobot* urdf) {
    RobotBuilder robot = {.builder = builder,
                          .spec = spec,
                          .robot = urdf,
                          .pose = poise_pose(spec->at, spec->rotation)};
    int first_body = builder->body_count;
    int first_joint = builder->joint_count;
    if (!weld(&robot)) {
        return;
    }
    for (int i = 0; i < urdf->link_count; i++) {
        robot.total_mass += urdf->links[i].mass.mass;
    }
    for (int i = first_body; i < builder->body_count; i++) {
        fill_body(&robot, i, &builder->bodies[i]);
    }
    if (robot.weighed) {
        poise__diagnose(builder->diagnostics, POISE_WARNING, robot.weighed->mark,
                        "link '%.60s' has no mass%s: %.3g kg assumed from the shapes%s",
                        robot.weighed->name, robot.weighed_count > 1 ? ", nor have others" : "",
                        robot.weighed_mass, robot.weighed_count > 1 ? " of all of them" : "");
    }
    for (int i = 0; i < urdf->joint_count; i++) {
        PoiseSceneJoint joint = joint_of(&robot, &urdf->joints[i]);
        bool added = is_moving(&urdf->joints[i]) ? poise__build_add_joint(builder, &joint) >= 0
                                                 : remember_weld(&robot, joint.name);
        if (!added) {
            return;
        }
    }
    if (!add_closures(&robot)) {
        return;
    }
    apply_overrides(&robot, first_joint);
    apply_pose(&robot, first_joint);
    apply_mimics(&robot, first_joint);
}

static const UrdfRobot* read_robot(Builder* builder, const char* path, const char* text,
                                   size_t size) {
    Document document = {builder->arena, builder->diagnostics, path};
    return poise__robot_read(&document, text, size);
}

// the one file that the robot is read from
static const char* robot_file(Builder* builder, const RobotSpec* spec) {
    const char* file = spec->urdf ? spec->urdf : spec->mjcf;
    if (!spec->header.broken && !file) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, spec->header.mark,
                        "'urdf' or 'mjcf' is missing in robot '%.60s': its file",
                        spec->header.name);
    } else if (spec->urdf && spec->mjcf) {
        poise__diagnose(
            builder->diagnostics, POISE_ERROR, poise__value_mark(spec->header.element, "mjcf"),
            "robot '%.60s' has an 'urdf' already: one file is enough", spec->header.name);
    }
    return file;
}

void poise__build_robots(Builder* builder) {
    for (int i = 0; i < builder->spec->robots.count; i++) {
        RobotSpec* spec = &builder->spec->robots.items[i];
        const char* file = robot_file(builder, spec);
        const char* path = file ? poise__robot_path(builder->arena, builder->path, file) : NULL;
        spec->lost = true;
        if (!path) {
            continue;
        }
        size_t size = 0;
        PoiseMark mark =
            poise__value_mark(spec->header.element, file == spec->urdf ? "urdf" : "mjcf");
        const char* text =
            poise__file_read(builder->arena, path, &size, mark, builder->diagnostics);
        const UrdfRobot* urdf = text ? read_robot(builder, path, text, size) : NULL;
        if (urdf) {
            spec->lost = false;
            add_robot(builder, spec, urdf);
        }
    }
}

const UrdfRobot* poise__build_lone_robot(Builder* builder, const char* text, size_t size) {
    static const Element nothing = {.kind = ELEMENT_MAP, .text = ""};
    RobotSpec* spec = poise__arena_allocate(builder->arena, 1, sizeof *spec);
    const UrdfRobot* urdf = spec ? read_robot(builder, builder->path, text, size) : NULL;
    if (!urdf) {
        return NULL;
    }
    poise__schema_set_fallbacks(&poise__robot_schema, spec);
    spec->rotation = poise_quat_identity();
    spec->header.name = "";
    spec->header.element = &nothing;
    spec->header.mark = urdf->mark;
    builder->spec->title = urdf->name;
    add_robot(builder, spec, urdf);
    return urdf;
}
