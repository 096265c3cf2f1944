// SPDX-License-Identifier: MIT
// Builds a robot's joints, named robot/joint: reads them from the file, applies the scene's
// settings, then moves them to the robot's pose.
#include <math.h>
#include <string.h>

#include "coordinates.h"
#include "robot_builder.h"

const char* poise__robot_qualify(const RobotBuilder* robot, const char* name) {
    const char* prefix = robot->spec->header.name;
    if (!prefix[0]) {
        return name;
    }
    const char* full = poise__arena_format(robot->builder->arena, "%s/%s", prefix, name);
    return full ? full : name;
}

bool poise__robot_joint_moves(const RobotJoint* joint) {
    return joint->kind == ROBOT_REVOLUTE || joint->kind == ROBOT_CONTINUOUS ||
           joint->kind == ROBOT_PRISMATIC || joint->kind == ROBOT_BALL;
}

static bool remember_weld(Builder* builder, const char* name) {
    const bool room = ARENA_GROW(builder->arena, builder, welds, weld) != NULL;
    if (room) {
        builder->welds[builder->weld_count++] = name;
    }
    return room;
}

static double joint_unit(const RobotBuilder* robot, const PoiseSceneJoint* joint) {
    return poise_kind_slides(joint->kind) ? 1.0 : robot->builder->reader.angle_unit;
}

static PoiseSceneJoint joint_of(const RobotBuilder* robot, const RobotJoint* urdf) {
    const RobotLink* child = &robot->robot->links[urdf->child];
    PoisePose frame = poise_pose_mul(robot->spec->pose_world, child->pose);
    PoiseSceneJoint joint = robot->builder->spec->defaults.joint;
    PoiseBindDef* bind = &joint.bind;
    joint.name = poise__robot_qualify(robot, urdf->name);
    joint.mark = urdf->mark;
    joint.kind = urdf->kind == ROBOT_PRISMATIC ? POISE_NODE_SLIDER
                 : urdf->kind == ROBOT_BALL    ? POISE_NODE_BALL
                                               : POISE_NODE_HINGE;
    joint.parent.index = robot->body_of_link[urdf->parent];
    joint.child.index = robot->body_of_link[urdf->child];
    joint.anchor = poise_pose_apply(frame, urdf->anchor);
    if (poise_kind_turns(joint.kind)) {
        // In the file, the range is that of the whole rotation angle. Here it becomes a cone of
        // this angle, about the direction to the centre of mass, and the range of the rotation
        // about that direction.
        joint.limits = poise_cone(urdf->upper, -joint.limits.upper[2], joint.limits.upper[2]);
        joint.axis = poise_vec3(0.0, 0.0, 0.0);
    } else {
        joint.axis = poise_quat_rotate(frame.q, urdf->axis);
        joint.limits = poise_range(urdf->lower, urdf->upper);
    }
    // A joint with a spring in the file has the spring's rest angle as natural angle; any other
    // joint its start angle. Loops are closed at angle 0, so joints of a robot with loops start
    // there by default.
    const double rest = robot->robot->closure_count > 0 ? 0.0 : urdf->rest;
    joint.start[0] = isnan(urdf->start) ? rest : urdf->start;
    bind->natural[0] = urdf->stiffness > 0.0 ? urdf->rest : joint.start[0];
    if (poise_kind_turns(joint.kind)) {
        const PoiseQuat there = poise_quat_mul(urdf->turn, poise_quat_conjugate(frame.q));
        poise__quat_write(poise_quat_mul(frame.q, there), joint.start);
        const bool rests = urdf->turn.w < 1.0 && !(urdf->stiffness > 0.0);
        poise__quat_write(rests ? poise__quat_read(joint.start) : poise_quat_identity(),
                          bind->natural);
    }
    bind->torque_limit = isfinite(urdf->effort) ? urdf->effort : bind->torque_limit;
    bind->speed_limit =
        isfinite(urdf->velocity) ? urdf->velocity : joint_unit(robot, &joint) * bind->speed_limit;
    // The joint's own spring and damping in the file act in addition to IK's spring.
    bind->original.damping += urdf->damping;
    bind->original.stiffness += urdf->stiffness;
    bind->friction = urdf->friction;
    joint.file_stiffness = urdf->stiffness;
    joint.armature = urdf->armature;
    // If motors drive a robot's loops, a joint without a motor has only the spring of the file.
    const bool follows = robot->loops_driven && !urdf->driven && !urdf->mimics;
    joint.tuned = robot->spec->springs == ROBOT_SPRINGS_AUTO &&
                  !robot->builder->spec->defaults.sprung && !follows;
    if (follows && !robot->builder->spec->defaults.sprung) {
        bind->ik = (PoiseSpring){0.0, 0.0};
    }
    return joint;
}

// Returns the child's displacement that closes the weld, with the parent at rest.
static PoisePose weld_of(const RobotBuilder* robot, const RobotClosure* closure, bool swapped) {
    const RobotLink* links = robot->robot->links;
    const PoisePose a = poise_pose_mul(robot->spec->pose_world, links[closure->a].pose);
    const PoisePose b = poise_pose_mul(robot->spec->pose_world, links[closure->b].pose);
    if (!closure->has_relative) {
        return poise_pose_identity();
    }
    const PoisePose moved = poise_pose_mul(a, closure->relative);
    const PoisePose way = poise_pose_mul(moved, poise_pose_inverse(b));
    return swapped ? poise_pose_inverse(way) : way;
}

// Softness of the welds that close loops of robots (PoiseSceneJoint.softness). With 1e-6, a force
// of 10 N on a rod of 3 g opens its loop by about 10 um at a step of 0.01 s; below 1e-9 a
// simulation of ToddlerBot's rods blows up.
#define LOOP_SOFTNESS 1e-6

// Adds the balls and welds that close loops.
static bool add_closures(const RobotBuilder* robot) {
    Builder* builder = robot->builder;
    const Robot* urdf = robot->robot;
    for (int i = 0; i < urdf->closure_count; i++) {
        const RobotClosure* closure = &urdf->closures[i];
        RobotJoint ball = poise__robot_joint(closure->name, closure->mark, -1, -1);
        int a = robot->body_of_link[closure->a];
        bool swapped = builder->bodies[robot->body_of_link[closure->b]].fixed;
        ball.kind = ROBOT_BALL;
        ball.parent = swapped ? closure->b : closure->a;
        ball.child = swapped ? closure->a : closure->b;
        PoiseSceneJoint joint = joint_of(robot, &ball);
        PoisePose frame = poise_pose_mul(robot->spec->pose_world, urdf->links[closure->a].pose);
        joint.anchor = poise_pose_apply(frame, closure->anchor);
        joint.welded = closure->weld;
        joint.of_robot = true;
        joint.softness = closure->weld ? LOOP_SOFTNESS : 0.0;
        joint.weld = closure->weld ? weld_of(robot, closure, swapped) : joint.weld;
        bool moves = a != robot->body_of_link[closure->b] && !(swapped && builder->bodies[a].fixed);
        if (moves && poise__build_add_joint(builder, &joint) < 0) {
            return false;
        }
    }
    return true;
}

// Applies settings of the scene to the joints that fit a name or pattern; returns their number.
static int apply_override(const RobotBuilder* robot, const Header* override) {
    Builder* builder = robot->builder;
    const char* pattern = poise__robot_qualify(robot, override->name);
    Reader reader = builder->reader;
    int applied = 0;
    reader.item = override->name;
    const int errors = poise__reader_errors(&reader);
    for (int i = robot->first_joint; i < builder->joint_count; i++) {
        PoiseSceneJoint* joint = &builder->joints[i];
        if (!poise__pattern_fits(pattern, joint->name)) {
            continue;
        }
        applied++;
        // Reports an error of the override once, not for each joint.
        if (!override->broken && poise__reader_errors(&reader) == errors) {
            reader.joint_unit = joint_unit(robot, joint);
            poise__schema_read(&reader, &poise__joint_settings_schema, override->element, joint);
            joint->tuned = joint->tuned && !poise__is_written(override->element, "ik");
            if (poise__is_written(override->element, "original")) {
                joint->file_stiffness = 0.0;
            }
        }
    }
    return applied;
}

void poise__robot_refuse_joint(const RobotBuilder* robot, const char* name, PoiseMark mark) {
    Builder* builder = robot->builder;
    const char* full = poise__robot_qualify(robot, name);
    for (int i = 0; i < builder->weld_count; i++) {
        if (strcmp(builder->welds[i], full) == 0) {
            REFUSE(builder, mark, "joint '%.60s' of robot '%.60s' is fixed: it cannot move", name,
                   robot->spec->header.name);
            return;
        }
    }
    size_t prefix = strlen(full) - strlen(name);
    Suggestion suggestion = poise__suggestion_for(robot->builder->diagnostics, name);
    for (int i = robot->first_joint; i < builder->joint_count; i++) {
        poise__suggestion_offer(&suggestion, builder->joints[i].name + prefix);
    }
    char guess[160];
    poise__suggestion_text(&suggestion, guess, sizeof guess);
    REFUSE(builder, mark, "robot '%.60s' has no joint '%.60s'%s", robot->spec->header.name, name,
           guess);
}

static void apply_overrides(const RobotBuilder* robot) {
    Builder* builder = robot->builder;
    for (int i = 0; i < robot->spec->joints.count; i++) {
        const Header* override = &robot->spec->joints.headers[i];
        if (apply_override(robot, override) > 0) {
            continue;
        }
        if (poise__pattern_is(override->name)) {
            char guess[160];
            const JointNames own = {robot->first_joint,
                                    strlen(poise__robot_qualify(robot, override->name)) -
                                        strlen(override->name)};
            REFUSE(builder, override->mark, "no moving joint of robot '%.60s' fits '%.60s'%s",
                   robot->spec->header.name, override->name,
                   poise__build_guess_pattern(builder, override->name, own, guess, sizeof guess));
        } else {
            poise__robot_refuse_joint(robot, override->name, override->mark);
        }
    }
}

// Sets the natural and start angles that the scene's `pose` gives; clamps those of the file to the
// limits.
static void apply_pose(const RobotBuilder* robot) {
    Builder* builder = robot->builder;
    for (int i = robot->first_joint; i < builder->joint_count; i++) {
        PoiseSceneJoint* joint = &builder->joints[i];
        if (!poise_kind_turns(joint->kind)) {
            joint->bind.natural[0] = poise__limits_clamp(&joint->limits, 0, joint->bind.natural[0]);
            joint->start[0] = poise__limits_clamp(&joint->limits, 0, joint->start[0]);
        }
    }
    for (int i = 0; i < robot->spec->pose.count; i++) {
        const PoseEntry* entry = &robot->spec->pose.items[i];
        int index = poise__build_find_joint(builder, poise__robot_qualify(robot, entry->joint));
        if (index < robot->first_joint) {
            poise__robot_refuse_joint(robot, entry->joint, entry->mark);
            continue;
        }
        PoiseSceneJoint* joint = &builder->joints[index];
        if (poise_kind_turns(joint->kind)) {
            REFUSE(builder, entry->mark,
                   "joint '%.60s' is a ball: it has no angle; write its 'natural'", entry->joint);
            continue;
        }
        double angle = joint_unit(robot, joint) * entry->number;
        bool known = builder->reader.angle_unit_given || poise_kind_slides(joint->kind);
        poise__angle_check(builder->diagnostics, known, entry->value_mark, angle);
        const double lower = joint->limits.lower[0], upper = joint->limits.upper[0];
        if (angle < lower || angle > upper) {
            REFUSE(builder, entry->value_mark,
                   "joint '%.60s' cannot be at %g: its limits are %g to %g", entry->joint, angle,
                   lower, upper);
            continue;
        }
        joint->bind.natural[0] = angle;
        joint->start[0] = angle;
    }
}

bool poise__build_float(Builder* builder, const char* name, int body) {
    PoiseSceneJoint joint = poise__default_scene_joint();
    joint.name = name;
    joint.mark = builder->bodies[body].mark;
    joint.kind = POISE_NODE_FREE;
    joint.parent.index = -1;
    joint.child.index = body;
    joint.anchor = builder->bodies[body].pose.p;
    joint.bind.original = (PoiseSpring){0.0, 0.0};
    joint.bind.ik = joint.bind.original;
    int* order =
        poise__arena_allocate(builder->arena, (size_t)builder->joint_count + 1, sizeof *order);
    const int index = order ? poise__build_add_joint(builder, &joint) : -1;
    if (index < 0) {
        return false;
    }
    order[0] = index;
    for (int i = 0; i < builder->driven_count; i++) {
        order[i + 1] = builder->joint_order[i];
    }
    builder->joint_order = order;
    builder->driven_count++;
    builder->bodies[body].joint = index;
    return true;
}

// Warns of joints whose motors cannot overcome their dry friction.
static void suspect_friction(const RobotBuilder* robot) {
    Builder* builder = robot->builder;
    for (int i = robot->first_joint; i < builder->joint_count; i++) {
        const PoiseSceneJoint* joint = &builder->joints[i];
        const double friction = joint->bind.friction, limit = joint->bind.torque_limit;
        const char* unit = poise_kind_slides(joint->kind) ? "N" : "N m";
        if (friction >= limit) {
            WARN_KIND(builder, "friction that a motor cannot overcome", joint->mark,
                      "joint '%.60s' does not move: it has a dry friction of %g %s, and a motor of "
                      "at most %g %s",
                      joint->name, friction, unit, limit, unit);
        }
    }
}

void poise__robot_build_joints(RobotBuilder* robot) {
    const Robot* urdf = robot->robot;
    robot->first_joint = robot->builder->joint_count;
    for (int i = 0; i < urdf->joint_count && urdf->closure_count > 0; i++) {
        robot->loops_driven = robot->loops_driven || urdf->joints[i].driven;
    }
    for (int i = 0; i < urdf->joint_count; i++) {
        PoiseSceneJoint joint = joint_of(robot, &urdf->joints[i]);
        bool added = poise__robot_joint_moves(&urdf->joints[i])
                         ? poise__build_add_joint(robot->builder, &joint) >= 0
                         : remember_weld(robot->builder, joint.name);
        if (!added) {
            return;
        }
    }
    if (!add_closures(robot)) {
        return;
    }
    apply_overrides(robot);
    apply_pose(robot);
    suspect_friction(robot);
}
