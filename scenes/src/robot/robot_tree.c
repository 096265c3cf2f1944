// SPDX-License-Identifier: MIT
// Adds links and joints to a robot, checks that the joints connect the links to one tree, and sorts
// the links.
#include <math.h>
#include <string.h>

#include "robot.h"

int poise__robot_add_link(RobotReader* reader, const char* what, const char* name,
                          const Element* element, PoiseMark mark) {
    Robot* robot = reader->robot;
    const int taken = poise__names_find(&reader->links, name);
    if (taken >= 0) {
        poise__robot_refuse(reader, mark, "a second %s is named '%.60s', the first in line %d",
                            what, name, robot->links[taken].mark.line);
    }
    if (!ARENA_GROW(reader->arena, robot, links, link) ||
        !poise__names_add(&reader->links, name, robot->link_count)) {
        return -1;
    }
    robot->links[robot->link_count] = (RobotLink){
        .name = name, .mark = mark, .element = element, .joint = -1, .pose = poise_pose_identity()};
    return robot->link_count++;
}

RobotJoint poise__robot_joint(const char* name, PoiseMark mark, int parent, int child) {
    return (RobotJoint){.name = name,
                        .mark = mark,
                        .kind = ROBOT_FIXED,
                        .parent = parent,
                        .child = child,
                        .origin = poise_pose_identity(),
                        .axis = poise_vec3(1.0, 0.0, 0.0),
                        .lower = -(double)INFINITY,
                        .upper = (double)INFINITY,
                        .effort = (double)INFINITY,
                        .velocity = (double)INFINITY,
                        .start = (double)NAN,
                        .turn = poise_quat_identity()};
}

void poise__robot_add_joint(RobotReader* reader, const RobotJoint* joint, bool named) {
    Robot* robot = reader->robot;
    const int taken = named ? poise__names_find(&reader->joints, joint->name) : -1;
    if (taken >= 0) {
        poise__robot_refuse(reader, joint->mark,
                            "a second joint is named '%.60s', the first in line %d", joint->name,
                            robot->joints[taken].mark.line);
    }
    if (ARENA_GROW(reader->arena, robot, joints, joint) &&
        poise__names_add(&reader->joints, joint->name, robot->joint_count)) {
        robot->joints[robot->joint_count++] = *joint;
    }
}

void poise__robot_add_shape(RobotLink* link, PoiseSceneShape shape, MassProperties solid) {
    link->shapes[link->shape_count++] = shape;
    link->solid = poise__mass_sum(link->solid, solid);
}

PoiseQuat poise__robot_turn_to(PoiseVec3 direction) {
    PoiseVec3 across = poise_cross(poise_vec3(0.0, 0.0, 1.0), direction);
    const double sine = poise_length(across);
    across = sine > 0.0 ? across : poise_vec3(1.0, 0.0, 0.0);
    return poise_quat_from_axis_angle(across, poise_atan2(sine, direction.z));
}

void poise__robot_set_range(RobotReader* reader, PoiseMark mark, RobotJoint* joint, double lower,
                            double upper) {
    if (lower > upper) {
        WARN(reader, mark,
             "the lower limit %g of joint '%.60s' is above its upper limit %g: taken "
             "the other way round",
             lower, joint->name, upper);
    }
    if (joint->kind == ROBOT_REVOLUTE && fmax(fabs(lower), fabs(upper)) > ROBOT_MOST_TURN &&
        isfinite(lower) && isfinite(upper)) {
        WARN_KIND(reader, "degrees", mark,
                  "the limits %g and %g of joint '%.60s' are more than two turns: the "
                  "angles of a URDF are in radians",
                  lower, upper, joint->name);
    }
    // Exporters write 0 and 0 if no limits were given.
    if (lower == 0.0 && upper == 0.0) {
        NOTE_KIND(reader, "range of 0", mark,
                  "the limits 0 and 0 of joint '%.60s' are taken as none; write a fixed "
                  "joint for one that does not move",
                  joint->name);
        return;
    }
    joint->lower = fmin(lower, upper);
    joint->upper = fmax(lower, upper);
}

double poise__robot_most(RobotReader* reader, const Element* element, const char* key,
                         const char* joint, double value) {
    if (value == 0.0 || value == -1.0) {
        NOTE_KIND(reader, key, element->mark, "%s %g of joint '%.60s' is taken as no limit", key,
                  value, joint);
    } else if (value < 0.0 && isfinite(value)) {
        const Element* given = poise__element_find(element, key);
        poise__robot_refuse(reader, (given ? given : element)->mark,
                            "'%s' must be at least 0, not %g", key, value);
    }
    return value > 0.0 ? value : (double)INFINITY;
}

// Inertias below mass * SMALLEST_RADIUS^2 (m) are ignored: some exporters write tiny numbers for
// unknown inertias.
#define SMALLEST_RADIUS 1e-3

void poise__robot_repair_inertia(RobotReader* reader, const Element* element, const char* link,
                                 MassProperties* body) {
    double moments[3];
    const double least = body->mass * SMALLEST_RADIUS * SMALLEST_RADIUS;
    if (!(body->mass > 0.0)) {
        return;
    }
    poise__inertia_principal(body->inertia, moments, NULL);
    const bool given = moments[2] != 0.0 || moments[0] != 0.0;
    if (given && fmax(fabs(moments[0]), fabs(moments[2])) < least) {
        memset(body->inertia, 0, sizeof body->inertia);
        WARN_KIND(reader, "tiny inertia", element->mark,
                  "the inertia of link '%.60s' is that of a body below 1 mm: taken from "
                  "its shapes instead",
                  link);
        return;
    }
    const char* wrong = poise__inertia_repair(body->inertia);
    if (wrong) {
        WARN_KIND(reader, wrong, element->mark,
                  "no body can have the inertia of link '%.60s': %s; mended", link, wrong);
    }
}

// ---------------------------------------------------------------------------------------- the tree

// Sets the joint that carries each link, and finds the root.
static bool connect(RobotReader* reader) {
    Robot* robot = reader->robot;
    bool fine = true;
    for (int i = 0; i < robot->joint_count; i++) {
        const RobotJoint* joint = &robot->joints[i];
        RobotLink* child = &robot->links[joint->child];
        if (child->joint >= 0) {
            const RobotJoint* first = &robot->joints[child->joint];
            fine = poise__robot_refuse(
                reader, joint->mark,
                "link '%.60s' hangs on two joints: '%.60s' and, from line %d, '%.60s'", child->name,
                joint->name, first->mark.line, first->name);
        } else {
            child->joint = i;
        }
    }
    robot->root = -1;
    for (int i = 0; i < robot->link_count && fine; i++) {
        const bool root = robot->links[i].joint < 0;
        if (root && robot->root >= 0) {
            return poise__robot_refuse(
                reader, robot->links[i].mark,
                "link '%.60s' hangs on no joint, and neither does '%.60s': a robot "
                "has one root",
                robot->links[i].name, robot->links[robot->root].name);
        }
        robot->root = root ? i : robot->root;
    }
    if (robot->link_count == 0) {
        return poise__robot_refuse(reader, robot->mark, "a robot without links");
    }
    return fine && (robot->root >= 0 ||
                    poise__robot_refuse(reader, robot->joints[0].mark,
                                        "the joints go round in a loop: no link is the root"));
}

// Sorts the links breadth first from the root, children in the file's order. Reports a loop of
// joints if some links are not reached.
static bool sort_links(RobotReader* reader) {
    Robot* robot = reader->robot;
    const size_t links = (size_t)robot->link_count;
    int* order = poise__arena_allocate(reader->arena, links, sizeof *order);
    int* first = poise__arena_allocate(reader->arena, links, sizeof *first);
    int* next = poise__arena_allocate(reader->arena, (size_t)robot->joint_count, sizeof *next);
    bool* reached = poise__arena_allocate(reader->arena, links, sizeof *reached);
    if (!order || !first || !next || !reached) {
        return false;
    }
    // Builds a linked list of joints for each link; indices count from 1, and 0 ends a list. The
    // loop prepends, so it runs backwards to keep the file's order.
    for (int j = robot->joint_count - 1; j >= 0; j--) {
        next[j] = first[robot->joints[j].parent];
        first[robot->joints[j].parent] = j + 1;
    }
    int count = 0;
    order[count++] = robot->root;
    reached[robot->root] = true;
    for (int i = 0; i < count; i++) {
        for (int j = first[order[i]]; j > 0; j = next[j - 1]) {
            const RobotJoint* joint = &robot->joints[j - 1];
            RobotLink* child = &robot->links[joint->child];
            child->pose = poise_pose_mul(robot->links[order[i]].pose, joint->origin);
            reached[joint->child] = true;
            order[count++] = joint->child;
        }
    }
    robot->order = order;
    for (int i = 0; i < robot->link_count; i++) {
        if (!reached[i]) {
            const RobotJoint* joint = &robot->joints[robot->links[i].joint];
            return poise__robot_refuse(
                reader, joint->mark,
                "joint '%.60s' is part of a loop that does not hang on the root", joint->name);
        }
    }
    return true;
}

bool poise__robot_is_base(const Robot* robot, const RobotJoint* joint) {
    return joint->kind == ROBOT_FLOATING && joint->parent == robot->root &&
           !robot->links[robot->root].has_inertial;
}

bool poise__robot_sort(RobotReader* reader) {
    const Robot* robot = reader->robot;
    if (!connect(reader) || !sort_links(reader)) {
        return false;
    }
    for (int i = 0; i < robot->joint_count; i++) {
        const RobotJoint* joint = &robot->joints[i];
        if (poise__robot_is_base(robot, joint)) {
            NOTE_KIND(reader, "base", joint->mark,
                      "joint '%.60s' floats: whether a robot's base is free is said by "
                      "the scene's 'base'",
                      joint->name);
        } else if (joint->kind == ROBOT_FLOATING) {
            NOTE_KIND(reader, "floats", joint->mark,
                      "joint '%.60s' floats: link '%.60s' is free of '%.60s'", joint->name,
                      robot->links[joint->child].name, robot->links[joint->parent].name);
        }
    }
    return true;
}
