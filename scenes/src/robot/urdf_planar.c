// SPDX-License-Identifier: MIT
// URDF: replaces a planar joint by three joints in series with links between them. The planar joint
// slides in the plane across its axis and turns about the axis.
#include <math.h>

#include "urdf.h"

// Returns a rotation from z to the direction.
static PoiseQuat turn_from_z(PoiseVec3 direction) {
    const PoiseVec3 z = poise_vec3(0.0, 0.0, 1.0);
    PoiseVec3 across = poise_cross(z, direction);
    const double sine = poise_length(across);
    across = sine > 0.0 ? across : poise_vec3(1.0, 0.0, 0.0);
    return poise_quat_from_axis_angle(across, poise_atan2(sine, direction.z));
}

// Adds a link without mass and shape. Returns its index; -1 when memory is short.
static int add_between(UrdfReader* reader, const UrdfJoint* joint, int number) {
    static const Element nothing = {.kind = ELEMENT_MAP, .text = ""};
    UrdfRobot* robot = reader->robot;
    const char* child = robot->links[joint->child].name;
    const char* name = poise__arena_format(reader->document->arena, "%s.%d", child, number);
    const int index = robot->link_count;
    if (!name || !poise__names_add(&reader->links, name, index)) {
        return -1;
    }
    robot->links[index] = (UrdfLink){.name = name,
                                     .mark = joint->mark,
                                     .element = &nothing,
                                     .joint = -1,
                                     .pose = poise_pose_identity()};
    robot->link_count++;
    return index;
}

static void split(UrdfReader* reader, UrdfJoint* planar) {
    static const char* const endings[] = {"_TX", "_TY", "_RZ"};
    UrdfRobot* robot = reader->robot;
    const PoiseQuat turn = turn_from_z(planar->axis);
    const PoiseVec3 axes[] = {poise_quat_rotate(turn, poise_vec3(1.0, 0.0, 0.0)),
                              poise_quat_rotate(turn, poise_vec3(0.0, 1.0, 0.0)), planar->axis};
    const UrdfJoint whole = *planar;
    int parent = whole.parent;
    for (int i = 0; i < 3; i++) {
        UrdfJoint joint = whole;
        joint.name = poise__arena_format(reader->document->arena, "%s%s", whole.name, endings[i]);
        joint.kind = i < 2 ? URDF_PRISMATIC : URDF_CONTINUOUS;
        joint.parent = parent;
        joint.child = i < 2 ? add_between(reader, &whole, i + 1) : whole.child;
        joint.origin = i == 0 ? whole.origin : poise_pose_identity();
        joint.axis = axes[i];
        // The planar joint's effort and velocity limit sliding only.
        joint.effort = i < 2 ? whole.effort : (double)INFINITY;
        joint.velocity = i < 2 ? whole.velocity : (double)INFINITY;
        if (!joint.name || joint.child < 0) {
            return;
        }
        // The first new joint replaces the planar joint.
        *(i == 0 ? planar : &robot->joints[robot->joint_count++]) = joint;
        parent = joint.child;
    }
}

void poise__urdf_split_planar(UrdfReader* reader) {
    const int count = reader->robot->joint_count;
    for (int i = 0; i < count; i++) {
        if (reader->robot->joints[i].kind == URDF_PLANAR) {
            split(reader, &reader->robot->joints[i]);
        }
    }
}
