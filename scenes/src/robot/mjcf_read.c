// SPDX-License-Identifier: MIT
// MJCF: bodies inside one another, with any number of joints each, become links and joints of the
// robot tree. A body of several joints gets links between them that weigh nothing.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mjcf.h"

// a robot of more bodies, joints and sites is noise
#define MOST_PARTS 10000

static PoiseDiagnostics* diagnostics_of(MjcfReader* reader) {
    return reader->base.document->diagnostics;
}

static bool is_tag(const Element* element, const char* tag) {
    return element->kind == ELEMENT_MAP && strcmp(element->key, tag) == 0;
}

static int count_parts(const Element* element) {
    int count = 0;
    for (int i = 0; i < element->child_count; i++) {
        if (element->children[i]->kind == ELEMENT_MAP) {
            count += 1 + count_parts(element->children[i]);
        }
    }
    return count;
}

// ------------------------------------------------------------------------------------ the tree

static int add_link(MjcfReader* reader, const char* name, const Element* element) {
    UrdfRobot* robot = reader->base.robot;
    UrdfLink link = {.name = name,
                     .mark = element->mark,
                     .element = element,
                     .joint = -1,
                     .pose = poise_pose_identity()};
    for (int i = 0; i < robot->link_count; i++) {
        if (strcmp(robot->links[i].name, name) == 0) {
            poise__diagnose(diagnostics_of(reader), POISE_ERROR, element->mark,
                            "a second body or site is named '%.60s', the first in line %d", name,
                            robot->links[i].mark.line);
        }
    }
    robot->links[robot->link_count] = link;
    return robot->link_count++;
}

static UrdfJoint* add_joint(MjcfReader* reader, const char* name, const Element* element,
                            UrdfJointKind kind, int parent, int child) {
    UrdfRobot* robot = reader->base.robot;
    UrdfJoint joint = {.name = name,
                       .mark = element->mark,
                       .kind = kind,
                       .parent = parent,
                       .child = child,
                       .origin = poise_pose_identity(),
                       .axis = poise_vec3(0.0, 0.0, 1.0),
                       .lower = -(double)INFINITY,
                       .upper = (double)INFINITY,
                       .effort = (double)INFINITY,
                       .velocity = (double)INFINITY};
    for (int i = 0; i < robot->joint_count; i++) {
        if (strcmp(robot->joints[i].name, name) == 0) {
            poise__diagnose(diagnostics_of(reader), POISE_ERROR, element->mark,
                            "a second joint is named '%.60s', the first in line %d", name,
                            robot->joints[i].mark.line);
        }
    }
    robot->joints[robot->joint_count] = joint;
    return &robot->joints[robot->joint_count++];
}

// the element's own name, or one made from what it is on
static const char* name_of(MjcfReader* reader, const Element* element, const char* owner,
                           const char* what, int number) {
    const Element* name = poise__element_find(element, "name");
    if (name && name->text[0]) {
        return name->text;
    }
    const char* made =
        poise__arena_format(reader->base.document->arena, "%s.%s%d", owner, what, number);
    return made ? made : "";
}

// ----------------------------------------------------------------------------------------- joints

static UrdfJointKind kind_of(MjcfReader* reader, const Element* element, int class_index) {
    static const char* const words[] = {"hinge", "slide", "ball", "free"};
    static const UrdfJointKind meant[] = {URDF_REVOLUTE, URDF_PRISMATIC, URDF_BALL, URDF_FLOATING};
    if (is_tag(element, "freejoint")) {
        return URDF_FLOATING;
    }
    const char* word = poise__mjcf_text(reader, element, class_index, "type");
    word = word ? word : "hinge";
    Suggestion suggestion = poise__suggestion(word);
    for (int i = 0; i < 4; i++) {
        if (strcmp(word, words[i]) == 0) {
            return meant[i];
        }
        poise__suggestion_offer_word(&suggestion, words[i]);
    }
    char guess[80];
    poise__diagnose(diagnostics_of(reader), POISE_ERROR, element->mark,
                    "'%.60s' is no type of joint%s", word,
                    poise__suggestion_text(&suggestion, guess, sizeof guess));
    return URDF_REVOLUTE;
}

static void read_range(MjcfReader* reader, const Element* element, int class_index,
                       UrdfJoint* joint) {
    double range[2] = {0.0, 0.0};
    const char* limited = poise__mjcf_text(reader, element, class_index, "limited");
    bool given = poise__mjcf_holder(reader, element, class_index, "range") != NULL;
    bool off = limited && strcmp(limited, "false") == 0;
    bool on = limited && strcmp(limited, "true") == 0;
    if (off || !given || (!on && !reader->auto_limits)) {
        return;
    }
    if (!poise__mjcf_numbers(reader, element, class_index, "range", range, 2)) {
        return;
    }
    double unit = joint->kind == URDF_PRISMATIC ? 1.0 : reader->angle_unit;
    double zero = 0.0;
    (void)poise__mjcf_numbers(reader, element, class_index, "ref", &zero, 1);
    if (range[0] > range[1]) {
        poise__diagnose(diagnostics_of(reader), POISE_ERROR, element->mark,
                        "the lower limit %g of joint '%.60s' is above its upper limit %g", range[0],
                        joint->name, range[1]);
        return;
    }
    joint->lower = unit * (range[0] - zero);
    joint->upper = unit * (range[1] - zero);
    if (zero != 0.0) {
        poise__mjcf_note(reader, element,
                         "has a 'ref': its angles count from the posture of the file");
    }
}

static void read_spring(MjcfReader* reader, const Element* element, int class_index,
                        UrdfJoint* joint) {
    double values[3] = {0.0, 0.0, 0.0};
    static const char* const keys[] = {"damping", "stiffness", "springref"};
    for (int i = 0; i < 3; i++) {
        (void)poise__mjcf_numbers(reader, element, class_index, keys[i], &values[i], 1);
        if (i < 2 && values[i] < 0.0) {
            poise__diagnose(diagnostics_of(reader), POISE_ERROR, element->mark,
                            "'%s' of joint '%.60s' must be at least 0, not %g", keys[i],
                            joint->name, values[i]);
            values[i] = 0.0;
        }
    }
    double unit = joint->kind == URDF_PRISMATIC ? 1.0 : reader->angle_unit;
    double zero = 0.0;
    (void)poise__mjcf_numbers(reader, element, class_index, "ref", &zero, 1);
    joint->damping = values[0];
    joint->stiffness = values[1];
    bool sprung = poise__mjcf_holder(reader, element, class_index, "springref") != NULL;
    joint->rest = sprung && joint->kind != URDF_BALL ? unit * (values[2] - zero) : 0.0;
}

static void read_joint(MjcfReader* reader, const Element* element, int class_index,
                       UrdfJoint* joint) {
    double axis[3] = {0.0, 0.0, 1.0};
    double place[3] = {0.0, 0.0, 0.0};
    (void)poise__mjcf_numbers(reader, element, class_index, "pos", place, 3);
    joint->anchor = poise_vec3(place[0], place[1], place[2]);
    if (!poise__mjcf_numbers(reader, element, class_index, "axis", axis, 3)) {
        return;
    }
    PoiseVec3 given = poise_vec3(axis[0], axis[1], axis[2]);
    double length = poise_length(given);
    if (!(length > 0.0) || !isfinite(length)) {
        poise__diagnose(diagnostics_of(reader), POISE_ERROR, element->mark,
                        "the axis of joint '%.60s' is zero", joint->name);
        return;
    }
    joint->axis = poise_scale(1.0 / length, given);
    read_range(reader, element, class_index, joint);
    read_spring(reader, element, class_index, joint);
}

static bool is_joint(const Element* element) {
    return is_tag(element, "joint") || is_tag(element, "freejoint");
}

// the joints of a body, each carrying the next; the last carries the body itself
static void read_joints(MjcfReader* reader, const Element* body, int class_index, int parent,
                        int link) {
    UrdfRobot* robot = reader->base.robot;
    PoisePose pose = poise__mjcf_pose(reader, body, -1);
    const char* owner = robot->links[link].name;
    int count = 0;
    for (int i = 0; i < body->child_count; i++) {
        count += is_joint(body->children[i]) ? 1 : 0;
    }
    int made = 0;
    for (int i = 0; i < body->child_count; i++) {
        const Element* child = body->children[i];
        if (!is_joint(child)) {
            continue;
        }
        made++;
        int own_class = poise__mjcf_class(reader, child, "class", class_index);
        UrdfJointKind kind = kind_of(reader, child, own_class);
        const char* name = name_of(reader, child, owner, "joint", made);
        int carried = link;
        if (made < count) {
            const char* between =
                poise__arena_format(reader->base.document->arena, "%s.%d", owner, made);
            carried = add_link(reader, between ? between : "", child);
        }
        UrdfJoint* joint = add_joint(reader, name, child, kind, parent, carried);
        joint->origin = made == 1 ? pose : poise_pose_identity();
        if (kind == URDF_FLOATING) {
            reader->free_count++;
            if (count > 1 || parent != 0 || reader->free_count > 1) {
                poise__diagnose(diagnostics_of(reader), POISE_ERROR, child->mark,
                                "a free joint must be the only one of its body and of the file, "
                                "and its body stand in <worldbody>");
            }
        } else {
            read_joint(reader, child, own_class, joint);
        }
        parent = carried;
    }
    if (count == 0) {
        const char* name = poise__arena_format(reader->base.document->arena, "%s.weld", owner);
        UrdfJoint* joint = add_joint(reader, name ? name : "", body, URDF_FIXED, parent, link);
        joint->origin = pose;
    }
}

// ----------------------------------------------------------------------------------------- bodies

static void read_site(MjcfReader* reader, const Element* site, int inherited, int link,
                      int number) {
    int class_index = poise__mjcf_class(reader, site, "class", inherited);
    const char* owner = reader->base.robot->links[link].name;
    const char* name = name_of(reader, site, owner, "site", number);
    int added = add_link(reader, name, site);
    const char* weld = poise__arena_format(reader->base.document->arena, "%s.weld", name);
    UrdfJoint* joint = add_joint(reader, weld ? weld : "", site, URDF_FIXED, link, added);
    joint->origin = poise__mjcf_pose(reader, site, class_index);
}

// what stands in a body and is no part of the robot; what would change the robot is an error
static void note_unused(MjcfReader* reader, const Element* body) {
    static const char* const used[] = {"body", "joint",    "freejoint", "geom",
                                       "site", "inertial", NULL};
    static const char* const vital[] = {"include",  "frame",  "replicate", "composite",
                                        "flexcomp", "attach", NULL};
    for (int i = 0; i < body->child_count; i++) {
        const Element* child = body->children[i];
        bool known = child->kind != ELEMENT_MAP;
        for (int k = 0; used[k] && !known; k++) {
            known = strcmp(child->key, used[k]) == 0;
        }
        bool needed = false;
        for (int k = 0; vital[k] && !known; k++) {
            needed = needed || strcmp(child->key, vital[k]) == 0;
        }
        if (needed) {
            poise__diagnose(diagnostics_of(reader), POISE_ERROR, child->mark,
                            "<%.60s> is not read, and the robot is not whole without it: save the "
                            "compiled model from MuJoCo and read that",
                            child->key);
        } else if (!known) {
            poise__mjcf_note(reader, child, "is not used");
        }
    }
}

// `class_index`: of what stands in the body
static void read_body(MjcfReader* reader, const Element* body, int class_index, int link) {
    note_unused(reader, body);
    poise__mjcf_read_shapes(reader, body, class_index, &reader->base.robot->links[link]);
    int bodies = 0;
    int sites = 0;
    const char* owner = reader->base.robot->links[link].name;
    for (int i = 0; i < body->child_count; i++) {
        const Element* child = body->children[i];
        if (is_tag(child, "site")) {
            read_site(reader, child, class_index, link, ++sites);
        } else if (is_tag(child, "body")) {
            int added = add_link(reader, name_of(reader, child, owner, "body", ++bodies), child);
            int own_class = poise__mjcf_class(reader, child, "childclass", class_index);
            read_joints(reader, child, own_class, link, added);
            read_body(reader, child, own_class, added);
        }
    }
}

// ------------------------------------------------------------------------------------------ robot

static bool read_sections(MjcfReader* reader) {
    static const char* const used[] = {"compiler", "default", "worldbody", NULL};
    const Element* root = reader->base.root;
    const Element* world = NULL;
    for (int i = 0; i < root->child_count; i++) {
        const Element* child = root->children[i];
        bool known = child->kind != ELEMENT_MAP;
        for (int k = 0; used[k] && !known; k++) {
            known = strcmp(child->key, used[k]) == 0;
        }
        if (is_tag(child, "include")) {
            poise__diagnose(diagnostics_of(reader), POISE_ERROR, child->mark,
                            "<include> is not read: save the compiled model from MuJoCo and read "
                            "that");
        } else if (!known) {
            poise__mjcf_note(reader, child, "is not used");
        }
        if (is_tag(child, "worldbody") && world) {
            poise__diagnose(diagnostics_of(reader), POISE_ERROR, child->mark,
                            "a second <worldbody>, the first in line %d", world->mark.line);
        } else if (is_tag(child, "worldbody")) {
            world = child;
        }
    }
    int parts = world ? count_parts(world) : 0;
    if (!world || parts > MOST_PARTS) {
        poise__diagnose(diagnostics_of(reader), POISE_ERROR, world ? world->mark : root->mark,
                        world ? "more parts than a robot has" : "a model without <worldbody>");
        return false;
    }
    UrdfRobot* robot = reader->base.robot;
    Arena* arena = reader->base.document->arena;
    robot->links = poise__arena_allocate(arena, (size_t)parts + 1, sizeof *robot->links);
    robot->joints = poise__arena_allocate(arena, (size_t)parts + 1, sizeof *robot->joints);
    if (!robot->links || !robot->joints) {
        return false;
    }
    read_body(reader, world, reader->class_count > 0 ? 0 : -1,
              add_link(reader, "worldbody", world));
    return true;
}

// what a free robot leaves behind in the world is none of it
static void drop_world(MjcfReader* reader) {
    UrdfLink* world = &reader->base.robot->links[0];
    if (reader->free_count > 0 && world->shape_count > 0) {
        poise__diagnose(diagnostics_of(reader), POISE_NOTE, world->mark,
                        "the geoms of the world are not used: the robot is free of them");
        world->shape_count = 0;
    }
    // what stands in the world does not weigh
    MassProperties nothing = {0.0, {0.0, 0.0, 0.0}, {0.0}};
    world->mass = nothing;
    world->has_inertial = false;
}

UrdfRobot* poise__mjcf_read(Document* document, const Element* root) {
    UrdfRobot* robot = poise__arena_allocate(document->arena, 1, sizeof *robot);
    if (!robot) {
        return NULL;
    }
    PoiseDiagnostics* diagnostics = document->diagnostics;
    int errors = poise_diagnostics_count(diagnostics, POISE_ERROR);
    MjcfReader reader = {.base = {.document = document, .robot = robot, .root = root}};
    const Element* name = poise__element_find(root, "model");
    robot->name = name ? name->text : "";
    robot->mark = root->mark;
    poise__mjcf_read_settings(&reader);
    bool read = read_sections(&reader);
    if (!read || document->arena->failed ||
        poise_diagnostics_count(diagnostics, POISE_ERROR) > errors) {
        return NULL;
    }
    drop_world(&reader);
    return poise__urdf_sort(&reader.base) ? robot : NULL;
}
