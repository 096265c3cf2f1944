// SPDX-License-Identifier: MIT
// MJCF: adds links and joints to the robot, and checks their names.
#include "mjcf.h"

int poise__mjcf_add_link(MjcfReader* reader, const char* name, const Element* element) {
    UrdfRobot* robot = reader->base.robot;
    int taken = poise__names_find(&reader->base.links, name);
    if (taken >= 0) {
        poise__diagnose(poise__mjcf_diagnostics(reader), POISE_ERROR, element->mark,
                        "a second %s is named '%.60s', the first in line %d",
                        poise__mjcf_is(element, "site") ? "site" : "body", name,
                        robot->links[taken].mark.line);
    }
    UrdfLink* links = poise__arena_grow(reader->base.document->arena, &robot->links,
                                        robot->link_count, &robot->link_capacity, sizeof *links);
    if (!links || !poise__names_add(&reader->base.links, name, robot->link_count)) {
        return -1;
    }
    UrdfLink link = {.name = name,
                     .mark = element->mark,
                     .element = element,
                     .joint = -1,
                     .pose = poise_pose_identity()};
    links[robot->link_count] = link;
    return robot->link_count++;
}

void poise__mjcf_add_joint(MjcfReader* reader, const UrdfJoint* given) {
    UrdfRobot* robot = reader->base.robot;
    const char* name = given->name;
    int taken = poise__names_find(&reader->base.joints, name);
    // The joints of welds are named after their links, whose names were checked.
    if (taken >= 0 && given->kind != URDF_FIXED) {
        poise__diagnose(poise__mjcf_diagnostics(reader), POISE_ERROR, given->mark,
                        "a second joint is named '%.60s', the first in line %d", name,
                        robot->joints[taken].mark.line);
    }
    UrdfJoint* joints =
        poise__arena_grow(reader->base.document->arena, &robot->joints, robot->joint_count,
                          &robot->joint_capacity, sizeof *joints);
    if (joints && poise__names_add(&reader->base.joints, name, robot->joint_count)) {
        joints[robot->joint_count++] = *given;
    }
}

UrdfJoint poise__mjcf_joint(const Element* element, const char* name, int parent, int child) {
    UrdfJoint joint = poise__urdf_default_joint(name, element->mark);
    joint.parent = parent;
    joint.child = child;
    joint.axis = poise_vec3(0.0, 0.0, 1.0);
    return joint;
}
