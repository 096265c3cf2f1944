// SPDX-License-Identifier: MIT
// MJCF: reads the joints of a body. Between two joints of one body lies a link without mass.
#include <math.h>
#include <string.h>

#include "mjcf.h"

static UrdfJointKind kind_of(MjcfReader* reader, const Element* element, int class_index) {
    static const char* const words[] = {"hinge", "slide", "ball", "free"};
    static const UrdfJointKind meant[] = {URDF_REVOLUTE, URDF_PRISMATIC, URDF_BALL, URDF_FLOATING};
    if (poise__mjcf_is(element, "freejoint")) {
        return URDF_FLOATING;
    }
    const char* word = poise__mjcf_text((MjcfSource){reader, element, class_index}, "type");
    word = word ? word : "hinge";
    Suggestion suggestion = poise__suggestion_for(reader->base.document->diagnostics, word);
    for (int i = 0; i < 4; i++) {
        if (strcmp(word, words[i]) == 0) {
            return meant[i];
        }
        poise__suggestion_offer_word(&suggestion, words[i]);
    }
    char guess[80];
    poise__diagnose(poise__mjcf_diagnostics(reader), POISE_ERROR, element->mark,
                    "'%.60s' is no type of joint%s", word,
                    poise__suggestion_text(&suggestion, guess, sizeof guess));
    return URDF_REVOLUTE;
}

// State of reading a joint.
typedef struct JointSource {
    MjcfSource from;
    double unit; ///< rad (or m) per unit of the file
} JointSource;

// Reads a number of the joint. A value below `least` is reported.
static double number(const JointSource* source, const char* key, double fallback, double least) {
    double value = fallback;
    poise__mjcf_numbers(source->from, key, &value, 1);
    if (value < least) {
        poise__diagnose(poise__mjcf_diagnostics(source->from.reader), POISE_ERROR,
                        source->from.element->mark, "'%s' of a joint must be at least %g, not %g",
                        key, least, value);
        return fallback;
    }
    return value;
}

static void read_range(const JointSource* source, UrdfJoint* joint) {
    MjcfReader* reader = source->from.reader;
    double range[2] = {0.0, 0.0};
    if (!poise__mjcf_is_limited(source->from, "limited", "range") ||
        !poise__mjcf_numbers(source->from, "range", range, 2)) {
        return;
    }
    if (range[0] > range[1]) {
        poise__diagnose(poise__mjcf_diagnostics(reader), POISE_ERROR, source->from.element->mark,
                        "the lower limit %g of joint '%.60s' is above its upper limit %g", range[0],
                        joint->name, range[1]);
        return;
    }
    joint->lower = source->unit * range[0] - joint->zero;
    joint->upper = source->unit * range[1] - joint->zero;
}

static void read_spring(const JointSource* source, UrdfJoint* joint) {
    joint->damping = number(source, "damping", 0.0, 0.0);
    joint->stiffness = number(source, "stiffness", 0.0, 0.0);
    joint->armature = number(source, "armature", 0.0, 0.0);
    joint->friction = number(source, "frictionloss", 0.0, 0.0);
    bool sprung = poise__mjcf_holder(source->from, "springref") != NULL;
    double rest = sprung ? number(source, "springref", 0.0, -(double)INFINITY) : 0.0;
    joint->rest = sprung && joint->kind != URDF_BALL ? source->unit * rest - joint->zero : 0.0;
}

static void read_torque_limit(const JointSource* source, UrdfJoint* joint) {
    double range[2] = {0.0, 0.0};
    if (poise__mjcf_is_limited(source->from, "actuatorfrclimited", "actuatorfrcrange") &&
        poise__mjcf_numbers(source->from, "actuatorfrcrange", range, 2)) {
        joint->effort = fmax(fabs(range[0]), fabs(range[1]));
    }
}

static void read_joint(const JointSource* source, PoisePose frame, UrdfJoint* joint) {
    MjcfReader* reader = source->from.reader;
    double axis[3] = {0.0, 0.0, 1.0};
    double place[3] = {0.0, 0.0, 0.0};
    poise__mjcf_numbers(source->from, "pos", place, 3);
    joint->anchor = poise_pose_apply(frame, poise_vec3(place[0], place[1], place[2]));
    if (!poise__mjcf_numbers(source->from, "axis", axis, 3)) {
        return;
    }
    PoiseVec3 given = poise_vec3(axis[0], axis[1], axis[2]);
    double length = poise_length(given);
    if (joint->kind != URDF_BALL && (!(length > 0.0) || !isfinite(length))) {
        poise__diagnose(poise__mjcf_diagnostics(reader), POISE_ERROR, source->from.element->mark,
                        "the axis of joint '%.60s' is zero", joint->name);
        return;
    }
    joint->axis = joint->kind == URDF_BALL
                      ? joint->axis
                      : poise_quat_rotate(frame.q, poise_scale(1.0 / length, given));
    joint->zero = source->unit * number(source, "ref", 0.0, -(double)INFINITY);
    if (joint->zero != 0.0) {
        poise__mjcf_note(reader, POISE_NOTE, source->from.element,
                         "has a 'ref': its angles count from the posture of the file");
    }
    read_range(source, joint);
    read_spring(source, joint);
    read_torque_limit(source, joint);
}

static bool is_joint(const Element* element) {
    return poise__mjcf_is(element, "joint") || poise__mjcf_is(element, "freejoint");
}

static void add_weld(MjcfReader* reader, const MjcfPart* body, PoisePose pose, int parent,
                     int link) {
    const char* name = poise__arena_format(reader->base.document->arena, "%s.weld",
                                           reader->base.robot->links[link].name);
    if (name) {
        UrdfJoint joint = poise__mjcf_joint(body->element, name, parent, link);
        joint.origin = pose;
        poise__mjcf_add_joint(reader, &joint);
    }
}

// Adds one joint of a body, from the link `parent` to the link `carried`.
static void make_joint(MjcfReader* reader, const MjcfPart* part, const char* name, int parent,
                       int carried) {
    int class_index = poise__mjcf_class(reader, part->element, "class", part->class_index);
    UrdfJoint joint = poise__mjcf_joint(part->element, name, parent, carried);
    joint.kind = kind_of(reader, part->element, class_index);
    if (joint.kind != URDF_FLOATING) {
        JointSource source = {{reader, part->element, class_index},
                              joint.kind == URDF_PRISMATIC ? 1.0 : reader->model->angle_unit};
        read_joint(&source, part->frame, &joint);
    }
    poise__mjcf_add_joint(reader, &joint);
}

void poise__mjcf_read_joints(MjcfReader* reader, const MjcfPart* body, const MjcfParts* parts,
                             int parent, int link) {
    PoisePose pose =
        poise_pose_mul(body->frame, poise__mjcf_pose((MjcfSource){reader, body->element, -1}));
    const UrdfRobot* robot = reader->base.robot;
    const char* owner = robot->links[link].name;
    int count = 0;
    for (int i = 0; i < parts->count; i++) {
        count += is_joint(parts->items[i].element) ? 1 : 0;
    }
    int made = 0;
    for (int i = 0; i < parts->count; i++) {
        const MjcfPart* part = &parts->items[i];
        if (!is_joint(part->element)) {
            continue;
        }
        poise__mjcf_enter(reader, part->model);
        made++;
        const char* name = poise__mjcf_name(reader, part, owner, "joint", made);
        int carried = link;
        if (made < count) {
            const char* between =
                poise__arena_format(reader->base.document->arena, "%s.%d", owner, made);
            carried = between ? poise__mjcf_add_link(reader, between, part->element) : -1;
        }
        if (carried < 0) {
            return;
        }
        int index = robot->joint_count;
        make_joint(reader, part, name, parent, carried);
        if (index == robot->joint_count) {
            return;
        }
        robot->joints[index].origin = made == 1 ? pose : poise_pose_identity();
        bool top = count == 1 && parent == 0;
        if (robot->joints[index].kind == URDF_FLOATING && !top) {
            poise__diagnose(poise__mjcf_diagnostics(reader), POISE_ERROR, part->element->mark,
                            "a free joint must be the only one of its body, and its body stand in "
                            "<worldbody>");
        }
        parent = carried;
    }
    if (count == 0) {
        add_weld(reader, body, pose, parent, link);
    }
}
