// SPDX-License-Identifier: MIT
// URDF: checks that the joints connect the links to one tree, and sorts the links.

#include "urdf.h"

static bool link_children(UrdfReader* reader) {
    UrdfRobot* robot = reader->robot;
    bool fine = true;
    for (int i = 0; i < robot->joint_count; i++) {
        const UrdfJoint* joint = &robot->joints[i];
        UrdfLink* child = &robot->links[joint->child];
        if (child->joint >= 0) {
            const UrdfJoint* first = &robot->joints[child->joint];
            poise__diagnose(reader->document->diagnostics, POISE_ERROR, joint->mark,
                            "link '%.60s' hangs on two joints: '%.60s' and, from line %d, '%.60s'",
                            child->name, joint->name, first->mark.line, first->name);
            fine = false;
        } else {
            child->joint = i;
        }
    }
    return fine;
}

static bool find_root(UrdfReader* reader) {
    UrdfRobot* robot = reader->robot;
    PoiseDiagnostics* diagnostics = reader->document->diagnostics;
    robot->root = -1;
    for (int i = 0; i < robot->link_count; i++) {
        if (robot->links[i].joint >= 0) {
            continue;
        }
        if (robot->root >= 0) {
            poise__diagnose(diagnostics, POISE_ERROR, robot->links[i].mark,
                            "link '%.60s' hangs on no joint, and neither does '%.60s': a robot has "
                            "one root",
                            robot->links[i].name, robot->links[robot->root].name);
            return false;
        }
        robot->root = i;
    }
    if (robot->link_count == 0) {
        poise__diagnose(diagnostics, POISE_ERROR, robot->mark, "a robot without links");
    } else if (robot->root < 0) {
        poise__diagnose(diagnostics, POISE_ERROR, robot->joints[0].mark,
                        "the joints go round in a loop: no link is the root");
    }
    return robot->root >= 0;
}

// Reports a loop: the links that were not reached form one.
static void refuse_loops(UrdfReader* reader, const bool* reached) {
    const UrdfRobot* robot = reader->robot;
    for (int i = 0; i < robot->link_count; i++) {
        if (!reached[i]) {
            const UrdfJoint* joint = &robot->joints[robot->links[i].joint];
            poise__diagnose(reader->document->diagnostics, POISE_ERROR, joint->mark,
                            "joint '%.60s' is part of a loop that does not hang on the root",
                            joint->name);
            return;
        }
    }
}

// Sorts the links breadth first from the root, children in the file's order.
static bool sort_links(UrdfReader* reader) {
    UrdfRobot* robot = reader->robot;
    Arena* arena = reader->document->arena;
    size_t links = (size_t)robot->link_count;
    int* order = poise__arena_allocate(arena, links, sizeof *order);
    int* first = poise__arena_allocate(arena, links, sizeof *first);
    int* next = poise__arena_allocate(arena, (size_t)robot->joint_count, sizeof *next);
    bool* reached = poise__arena_allocate(arena, links, sizeof *reached);
    if (!order || !first || !next || !reached) {
        return false;
    }
    // Builds a list of joints for each link, with indices from 1. Going backward keeps the file's
    // order.
    for (int j = robot->joint_count - 1; j >= 0; j--) {
        next[j] = first[robot->joints[j].parent];
        first[robot->joints[j].parent] = j + 1;
    }
    int count = 0;
    order[count++] = robot->root;
    reached[robot->root] = true;
    for (int i = 0; i < count; i++) {
        for (int j = first[order[i]]; j > 0; j = next[j - 1]) {
            const UrdfJoint* joint = &robot->joints[j - 1];
            UrdfLink* child = &robot->links[joint->child];
            child->pose = poise_pose_mul(robot->links[order[i]].pose, joint->origin);
            reached[joint->child] = true;
            order[count++] = joint->child;
        }
    }
    robot->order = order;
    if (count < robot->link_count) {
        refuse_loops(reader, reached);
    }
    return count == robot->link_count;
}

bool poise__urdf_is_base(const UrdfRobot* robot, const UrdfJoint* joint) {
    return joint->kind == URDF_FLOATING && joint->parent == robot->root &&
           !robot->links[robot->root].has_inertial;
}

static void note_kinds(const UrdfReader* reader) {
    const UrdfRobot* robot = reader->robot;
    PoiseDiagnostics* diagnostics = reader->document->diagnostics;
    for (int i = 0; i < robot->joint_count; i++) {
        const UrdfJoint* joint = &robot->joints[i];
        if (poise__urdf_is_base(robot, joint)) {
            poise__diagnose_kind(diagnostics, (FindingKind){POISE_NOTE, "base"}, joint->mark,
                                 "joint '%.60s' floats: whether a robot's base is free is said by "
                                 "the scene's 'base'",
                                 joint->name);
        } else if (joint->kind == URDF_FLOATING) {
            poise__diagnose_kind(diagnostics, (FindingKind){POISE_NOTE, "floats"}, joint->mark,
                                 "joint '%.60s' floats: link '%.60s' is free of '%.60s'",
                                 joint->name, robot->links[joint->child].name,
                                 robot->links[joint->parent].name);
        }
    }
}

bool poise__urdf_sort(UrdfReader* reader) {
    if (!link_children(reader) || !find_root(reader) || !sort_links(reader)) {
        return false;
    }
    note_kinds(reader);
    return true;
}
