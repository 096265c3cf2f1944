// SPDX-License-Identifier: MIT
// MJCF: turns nested bodies into links and joints of the robot's tree, and sites into links welded
// to them. Resolves the frames, replicates and attached models around their elements.
#include <math.h>
#include <string.h>

#include "mjcf.h"

// Largest number of bodies, joints, geoms and sites of a robot.
#define MAX_MJCF_PARTS 10000

// --------------------------------------------------------------------------------- parts of a body

static bool count_part(MjcfReader* reader, const Element* element) {
    reader->part_count++;
    if (reader->part_count == MAX_MJCF_PARTS) {
        poise__robot_refuse(&reader->base, element->mark, "more parts than a robot has: %d",
                            MAX_MJCF_PARTS);
    }
    return reader->part_count < MAX_MJCF_PARTS;
}

static void collect(MjcfReader* reader, const MjcfPart* around, MjcfParts* parts);

// Collects the copies of a replicate. Each is moved and rotated relative to the copy before.
static void collect_replicate(MjcfReader* reader, const MjcfPart* part, MjcfParts* parts) {
    const Source from = {&reader->base, part->element, NULL};
    double count = 0.0;
    double offset[3] = {0.0, 0.0, 0.0};
    if (!poise__tag_needed_numbers(&reader->base, part->element, "count", &count, 1) ||
        !poise__tag_numbers(from, "offset", offset, 3)) {
        return;
    }
    PoisePose step = poise__mjcf_pose(reader, from);
    step.p = poise_vec3(offset[0], offset[1], offset[2]);
    const char* separator = poise__tag_own_text(part->element, "sep");
    PoisePose moved = poise_pose_identity();
    const int copies = count < MAX_MJCF_PARTS ? (int)count : MAX_MJCF_PARTS;
    for (int i = 0; i < copies && count_part(reader, part->element); i++) {
        MjcfPart inside = *part;
        inside.frame = poise_pose_mul(part->frame, moved);
        // An inner replicate appends its number first, as in MuJoCo.
        inside.suffix =
            poise__arena_format(reader->base.arena, "%.30s%0*d%s", separator ? separator : "",
                                snprintf(NULL, 0, "%d", copies - 1), i, part->suffix);
        if (!inside.suffix) {
            return;
        }
        collect(reader, &inside, parts);
        moved = poise_pose_mul(moved, step);
    }
}

static void add_part(MjcfReader* reader, const MjcfPart* part, MjcfParts* parts) {
    MjcfPart* items = poise__arena_grow(reader->base.arena, &parts->items, parts->count,
                                        &parts->capacity, sizeof *items);
    if (items && count_part(reader, part->element)) {
        items[parts->count++] = *part;
    }
}

static void collect(MjcfReader* reader, const MjcfPart* around, MjcfParts* parts) {
    MjcfPart part = *around;
    for (int i = 0; reader->part_count < MAX_MJCF_PARTS &&
                    (part.element = poise__tag_next(around->element, NULL, &i));) {
        if (poise__tag_is(part.element, "frame")) {
            MjcfPart inside = part;
            const Source from = {&reader->base, part.element, NULL};
            inside.frame = poise_pose_mul(part.frame, poise__mjcf_pose(reader, from));
            inside.class = poise__mjcf_class(reader, part.element, "childclass", part.class);
            collect(reader, &inside, parts);
        } else if (poise__tag_is(part.element, "replicate")) {
            collect_replicate(reader, &part, parts);
        } else if (!poise__tag_is(part.element, "attach")) {
            add_part(reader, &part, parts);
        } else if (count_part(reader, part.element)) {
            MjcfModel* model = reader->model;
            const MjcfPart added = poise__mjcf_attach(reader, &part);
            if (added.element && poise__tag_is(added.element, "body")) {
                add_part(reader, &added, parts);
            } else if (added.element) {
                collect(reader, &added, parts);
            }
            poise__mjcf_enter(reader, model);
        }
    }
}

// ------------------------------------------------------------------------------------------ joints

/// Attributes of a joint that read_joint converts or combines.
typedef struct JointText {
    double pos[3];
    double axis[3];
    double ref;
    double springref;
} JointText;

// Reads all but the type of a joint.
static void read_joint(MjcfReader* reader, Source from, PoisePose frame, RobotJoint* joint) {
    static const Attribute numbers[] = {
        ATTRIBUTE("damping", RobotJoint, damping, ATTRIBUTE_AT_LEAST_0, 1),
        ATTRIBUTE("stiffness", RobotJoint, stiffness, ATTRIBUTE_AT_LEAST_0, 1),
        ATTRIBUTE("armature", RobotJoint, armature, ATTRIBUTE_AT_LEAST_0, 1),
        ATTRIBUTE("frictionloss", RobotJoint, friction, ATTRIBUTE_AT_LEAST_0, 1), ATTRIBUTES_END};
    static const Attribute texts[] = {
        ATTRIBUTE("pos", JointText, pos, ATTRIBUTE_NUMBERS, 3),
        ATTRIBUTE("axis", JointText, axis, ATTRIBUTE_NUMBERS, 3),
        ATTRIBUTE("ref", JointText, ref, ATTRIBUTE_NUMBERS, 1),
        ATTRIBUTE("springref", JointText, springref, ATTRIBUTE_NUMBERS, 1), ATTRIBUTES_END};
    // rad (or m) per unit of the file
    const double unit = joint->kind == ROBOT_PRISMATIC ? 1.0 : reader->model->angle_unit;
    const bool ball = joint->kind == ROBOT_BALL;
    JointText text = {.axis = {0.0, 0.0, 1.0}};
    double range[2];
    if (!poise__tag_fill(from, texts, &text) || !poise__tag_fill(from, numbers, joint)) {
        return;
    }
    const PoiseVec3 axis = poise_vec3(text.axis[0], text.axis[1], text.axis[2]);
    const double length = poise_length(axis);
    if (!ball && (!(length > 0.0) || !isfinite(length))) {
        poise__robot_refuse(&reader->base, joint->mark, "the axis of joint '%.60s' is zero",
                            joint->name);
        return;
    }
    joint->anchor = poise_pose_apply(frame, poise_vec3(text.pos[0], text.pos[1], text.pos[2]));
    joint->axis = ball ? joint->axis : poise_quat_rotate(frame.q, poise_scale(1.0 / length, axis));
    joint->zero = unit * text.ref;
    if (joint->zero != 0.0) {
        poise__robot_note(&reader->base, POISE_NOTE, from.element,
                          "has a 'ref': its angles count from the posture of the file");
    }
    if (poise__tag_holder(from, "springdamper")) {
        poise__robot_note(
            &reader->base, POISE_WARNING, from.element,
            "has a 'springdamper', which is not read: give its stiffness and damping");
    }
    joint->rest =
        poise__tag_holder(from, "springref") && !ball ? unit * text.springref - joint->zero : 0.0;
    if (poise__mjcf_limit(reader, from, "limited", "range", range)) {
        if (range[0] > range[1]) {
            poise__robot_refuse(&reader->base, joint->mark,
                                "the lower limit %g of joint '%.60s' is above its upper limit %g",
                                range[0], joint->name, range[1]);
            return;
        }
        joint->lower = unit * range[0] - joint->zero;
        joint->upper = unit * range[1] - joint->zero;
    }
    if (poise__mjcf_limit(reader, from, "actuatorfrclimited", "actuatorfrcrange", range)) {
        joint->effort = fmax(fabs(range[0]), fabs(range[1]));
    }
}

static bool is_joint(const Element* element) {
    return poise__tag_is(element, "joint") || poise__tag_is(element, "freejoint");
}

// Returns a joint of the part along z, MuJoCo's default axis.
static RobotJoint make_joint(const MjcfPart* part, const char* name, int parent, int child) {
    RobotJoint joint = poise__robot_joint(name, part->element->mark, parent, child);
    joint.axis = poise_vec3(0.0, 0.0, 1.0);
    return joint;
}

// Adds a fixed joint that welds a link to its parent.
static void weld(MjcfReader* reader, const MjcfPart* part, PoisePose pose, int parent, int link) {
    // A weld has the name of its link, which was already checked, with an ending.
    const char* name =
        poise__arena_format(reader->base.arena, "%s.weld", reader->base.robot->links[link].name);
    if (name) {
        RobotJoint joint = make_joint(part, name, parent, link);
        joint.origin = pose;
        poise__robot_add_joint(&reader->base, &joint, false);
    }
}

// Adds one joint of a body, from the link `parent` to the link `child`. `only`: the body has one
// joint.
static void add_joint(MjcfReader* reader, const MjcfPart* part, RobotJoint joint, bool only) {
    static const char* const words[] = {"hinge", "slide", "ball", "free", NULL};
    static const RobotJointKind kinds[] = {ROBOT_REVOLUTE, ROBOT_PRISMATIC, ROBOT_BALL,
                                           ROBOT_FLOATING};
    const Source from = poise__mjcf_part_source(reader, part);
    const char* word =
        poise__tag_is(part->element, "freejoint") ? "free" : poise__tag_text(from, "type");
    const int kind =
        poise__tag_word(&reader->base, joint.mark, word ? word : words[0], words, "joint");
    joint.kind = kinds[kind > 0 ? kind : 0];
    if (joint.kind != ROBOT_FLOATING) {
        read_joint(reader, from, part->frame, &joint);
    } else if (!only || joint.parent != 0) {
        poise__robot_refuse(&reader->base, joint.mark,
                            "a free joint must be the only one of its body, and its body stand in "
                            "<worldbody>");
    }
    poise__robot_add_joint(&reader->base, &joint, true);
}

// Adds the joints of a body in series, with a massless link between two of them. The last joint
// carries the body, whose link is `link`. `body` has its pose in the parent's link.
static void read_joints(MjcfReader* reader, const MjcfPart* body, const MjcfParts* parts,
                        int parent, int link) {
    const Source from = {&reader->base, body->element, NULL};
    PoisePose pose = poise_pose_mul(body->frame, poise__mjcf_pose(reader, from));
    const char* owner = reader->base.robot->links[link].name;
    int count = 0, made = 0;
    for (int i = 0; i < parts->count; i++) {
        count += is_joint(parts->items[i].element) ? 1 : 0;
    }
    for (int i = 0; i < parts->count; i++) {
        const MjcfPart* part = &parts->items[i];
        if (!is_joint(part->element)) {
            continue;
        }
        poise__mjcf_enter(reader, part->model);
        made++;
        const char* name = poise__mjcf_name(reader, part, owner, "joint", made);
        int child = link;
        if (made < count) {
            const char* between = poise__arena_format(reader->base.arena, "%s.%d", owner, made);
            child = between ? poise__robot_add_link(&reader->base, "body", between, part->element,
                                                    part->element->mark)
                            : -1;
        }
        if (child < 0) {
            return;
        }
        RobotJoint joint = make_joint(part, name, parent, child);
        joint.origin = pose;
        add_joint(reader, part, joint, count == 1);
        pose = poise_pose_identity();
        parent = child;
    }
    if (count == 0) {
        weld(reader, body, pose, parent, link);
    }
}

// ------------------------------------------------------------------------------------------ bodies

// Reports the elements of a body that are not used. An element that would change the robot is an
// error.
static void note_unused(MjcfReader* reader, const MjcfParts* parts) {
    static const char* const used[] = {"body", "joint",    "freejoint", "geom",
                                       "site", "inertial", "light",     "camera"};
    for (int i = 0; i < parts->count; i++) {
        const Element* child = parts->items[i].element;
        bool known = false;
        for (size_t k = 0; k < sizeof used / sizeof used[0] && !known; k++) {
            known = poise__tag_is(child, used[k]);
        }
        if (poise__tag_is(child, "composite") || poise__tag_is(child, "flexcomp")) {
            poise__robot_refuse(
                &reader->base, child->mark,
                "<%.60s> is not read, and the robot is not whole without it: save the "
                "compiled model from MuJoCo and read that",
                child->key);
        } else if (!known) {
            poise__robot_note(&reader->base, POISE_NOTE, child, "is not used");
        }
    }
}

static void read_site(MjcfReader* reader, const MjcfPart* part, int link, int number) {
    const Source from = poise__mjcf_part_source(reader, part);
    const char* owner = reader->base.robot->links[link].name;
    const char* name =
        poise__mjcf_site_name(reader, poise__mjcf_name(reader, part, owner, "site", number));
    const int added =
        poise__robot_add_link(&reader->base, "site", name, part->element, part->element->mark);
    if (added >= 0) {
        weld(reader, part, poise_pose_mul(part->frame, poise__mjcf_pose(reader, from)), link,
             added);
    }
}

static void read_body(MjcfReader* reader, const MjcfPart* body, int parent, int number);

// Reads the shapes, sites and bodies in a body.
static void read_inside(MjcfReader* reader, const MjcfParts* parts, int link) {
    int bodies = 0, sites = 0;
    note_unused(reader, parts);
    poise__mjcf_read_shapes(reader, parts, link);
    for (int i = 0; i < parts->count; i++) {
        const MjcfPart* part = &parts->items[i];
        poise__mjcf_enter(reader, part->model);
        if (poise__tag_is(part->element, "site")) {
            read_site(reader, part, link, ++sites);
        } else if (poise__tag_is(part->element, "body")) {
            read_body(reader, part, link, ++bodies);
        }
    }
}

static MjcfParts collect_parts(MjcfReader* reader, const MjcfPart* body) {
    MjcfParts parts = {NULL, 0, 0};
    MjcfPart inside = *body;
    inside.frame = poise_pose_identity();
    inside.class = poise__mjcf_class(reader, body->element, "childclass", body->class);
    collect(reader, &inside, &parts);
    return parts;
}

static void read_body(MjcfReader* reader, const MjcfPart* body, int parent, int number) {
    const char* owner = reader->base.robot->links[parent].name;
    const char* name = poise__mjcf_name(reader, body, owner, "body", number);
    const int link =
        poise__robot_add_link(&reader->base, "body", name, body->element, body->element->mark);
    if (link >= 0) {
        const MjcfParts parts = collect_parts(reader, body);
        read_joints(reader, body, &parts, parent, link);
        read_inside(reader, &parts, link);
    }
}

// Applies boundmass, boundinertia and settotalmass of the compiler.
static void bound_masses(MjcfReader* reader) {
    const MjcfModel* model = reader->model;
    Robot* robot = reader->base.robot;
    double total = 0.0;
    for (int i = 1; i < robot->link_count; i++) {
        RobotLink* link = &robot->links[i];
        const bool body = poise__tag_is(link->element, "body");
        if (body && link->mass.mass < model->least_mass) {
            link->mass.mass = model->least_mass;
            link->has_inertial = true;
        }
        for (int k = 0; k < 3 && body; k++) {
            link->mass.inertia[k] = fmax(link->mass.inertia[k], model->least_moment);
        }
        total += link->mass.mass;
    }
    for (int i = 1; i < robot->link_count && model->total_mass > 0.0 && total > 0.0; i++) {
        MassProperties* mass = &robot->links[i].mass;
        *mass = poise__mass_scaled(*mass, mass->mass * model->total_mass / total);
    }
    // Link 0 is the world, which has no mass.
    robot->links[0].mass = (MassProperties){0.0, {0.0, 0.0, 0.0}, {0.0}};
    robot->links[0].has_inertial = false;
}

void poise__mjcf_read_bodies(MjcfReader* reader) {
    MjcfModel* model = reader->model;
    reader->body_names.arena = reader->base.arena;
    const Element* element = poise__mjcf_world(reader, "");
    const MjcfPart world = {.element = element,
                            .frame = poise_pose_identity(),
                            .class = model->class_count > 0 ? model->classes[0] : NULL,
                            .suffix = "",
                            .model = model,
                            .prefix = ""};
    if (element &&
        poise__robot_add_link(&reader->base, "body", "world", element, element->mark) == 0) {
        const MjcfParts parts = collect_parts(reader, &world);
        read_inside(reader, &parts, 0);
        poise__mjcf_enter(reader, model);
        bound_masses(reader);
    }
}
