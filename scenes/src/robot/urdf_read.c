// SPDX-License-Identifier: MIT
// URDF: reads links with their inertials, and joints with their limits. urdf_tree.c then sorts the
// tree, urdf_shape.c reads the shapes.
#include <math.h>
#include <string.h>

#include "number.h"
#include "urdf.h"

// Largest angle of a range that is not taken for degrees, rad: two turns. No robot's hinge with
// limits turns more often.
#define MOST_TURN 12.6
// Largest distance of a joint from its parent's frame that is not taken for millimetres, m.
#define MOST_APART 100.0

// Most links and joints of a robot.
#define MOST_PARTS 10000

// ----------------------------------------------------------------------------------------- links

static void read_moments(UrdfReader* reader, const Element* element, double inertia[6]) {
    static const char* const keys[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    for (int i = 0; i < 6; i++) {
        // Products of inertia are optional, moments are not.
        if (i < 3 || poise__element_find(element, keys[i])) {
            poise__urdf_number(reader, element, keys[i], &inertia[i]);
        }
    }
}

// An inertia below that of a body of this radius (m) counts as none: some exporters write it for
// "nothing".
#define SMALLEST_RADIUS 1e-3

void poise__urdf_repair_inertia(UrdfReader* reader, const Element* element, const char* link,
                                MassProperties* body) {
    PoiseDiagnostics* diagnostics = reader->document->diagnostics;
    if (!(body->mass > 0.0)) {
        return;
    }
    double moments[3];
    double least = body->mass * SMALLEST_RADIUS * SMALLEST_RADIUS;
    poise__inertia_principal(body->inertia, moments, NULL);
    bool given = moments[2] != 0.0 || moments[0] != 0.0;
    if (given && fmax(fabs(moments[0]), fabs(moments[2])) < least) {
        memset(body->inertia, 0, sizeof body->inertia);
        poise__diagnose_kind(diagnostics, (FindingKind){POISE_WARNING, "tiny inertia"},
                             element->mark,
                             "the inertia of link '%.60s' is that of a body below 1 mm: taken from "
                             "its shapes instead",
                             link);
        return;
    }
    const char* wrong = poise__inertia_repair(body->inertia);
    if (wrong) {
        poise__diagnose_kind(diagnostics, (FindingKind){POISE_WARNING, wrong}, element->mark,
                             "no body can have the inertia of link '%.60s': %s; mended", link,
                             wrong);
    }
}

static void read_inertial(UrdfReader* reader, const Element* element, UrdfLink* link) {
    static const char* const known[] = {"origin", "mass", "inertia", NULL};
    poise__urdf_note_unknown(reader, element, "an inertial", known);
    MassProperties body = {0.0, {0.0, 0.0, 0.0}, {0.0}};
    const Element* mass = poise__element_find(element, "mass");
    const Element* inertia = poise__element_find(element, "inertia");
    if (mass) {
        poise__urdf_number(reader, mass, "value", &body.mass);
        if (body.mass < 0.0) {
            poise__diagnose(reader->document->diagnostics, POISE_ERROR, mass->mark,
                            "the mass of link '%s' must be at least 0, not %g", link->name,
                            body.mass);
        }
    }
    if (inertia) {
        read_moments(reader, inertia, body.inertia);
        poise__urdf_repair_inertia(reader, inertia, link->name, &body);
    }
    link->mass = poise__mass_moved(body, poise__urdf_origin(reader, element));
    link->has_inertial = body.mass > 0.0;
}

static void read_link(UrdfReader* reader, const Element* element, UrdfLink* link) {
    static const char* const known[] = {"inertial", "visual", "collision", NULL};
    link->mark = element->mark;
    link->element = element;
    link->joint = -1;
    link->pose = poise_pose_identity();
    link->name = poise__urdf_text(reader, element, "name");
    if (!link->name) {
        link->name = "";
        return;
    }
    poise__urdf_note_unknown(reader, element, "a link", known);
    int taken = poise__names_find(&reader->links, link->name);
    if (taken >= 0) {
        poise__diagnose(reader->document->diagnostics, POISE_ERROR, link->mark,
                        "a second link is named '%.60s', the first in line %d", link->name,
                        reader->robot->links[taken].mark.line);
    }
    poise__names_add(&reader->links, link->name, (int)(link - reader->robot->links));
    const Element* inertial = poise__element_find(element, "inertial");
    if (inertial && inertial->kind == ELEMENT_MAP) {
        read_inertial(reader, inertial, link);
    }
}

static int count_children(const Element* root, const char* key) {
    int count = 0;
    for (int i = 0; i < root->child_count; i++) {
        const Element* child = root->children[i];
        count += child->kind == ELEMENT_MAP && strcmp(child->key, key) == 0 ? 1 : 0;
    }
    return count;
}

// Adds the link "world" if a joint names it as parent and the file does not define it.
static void add_world(UrdfReader* reader) {
    for (int i = 0; i < reader->root->child_count; i++) {
        const Element* parent = poise__element_find(reader->root->children[i], "parent");
        const Element* name = parent ? poise__element_find(parent, "link") : NULL;
        if (name && strcmp(name->text, "world") == 0 &&
            poise__names_find(&reader->links, "world") < 0) {
            UrdfRobot* robot = reader->robot;
            UrdfLink world = {.name = "world",
                              .mark = parent->mark,
                              .element = parent,
                              .joint = -1,
                              .pose = poise_pose_identity()};
            poise__names_add(&reader->links, world.name, robot->link_count);
            robot->links[robot->link_count++] = world;
        }
    }
}

static void read_links(UrdfReader* reader) {
    UrdfRobot* robot = reader->robot;
    // Room for the world, and for two more links for each joint that may be planar.
    const size_t joints = (size_t)count_children(reader->root, "joint");
    size_t count = (size_t)count_children(reader->root, "link") + 1 + 2 * joints;
    robot->links = poise__arena_allocate(reader->document->arena, count, sizeof *robot->links);
    for (int i = 0; robot->links && i < reader->root->child_count; i++) {
        const Element* child = reader->root->children[i];
        if (child->kind == ELEMENT_MAP && strcmp(child->key, "link") == 0) {
            read_link(reader, child, &robot->links[robot->link_count]);
            robot->link_count++;
        }
    }
    if (robot->links) {
        add_world(reader);
    }
}

// ---------------------------------------------------------------------------------------- joints

// In the order of UrdfJointKind. The last word is a synonym of "ball".
static const char* const kind_words[] = {"fixed",    "revolute", "continuous", "prismatic",
                                         "floating", "planar",   "ball",       "spherical"};
enum { KIND_WORDS = sizeof kind_words / sizeof kind_words[0] };

static void read_kind(UrdfReader* reader, const Element* element, UrdfJoint* joint) {
    const char* type = poise__urdf_text(reader, element, "type");
    if (!type) {
        return;
    }
    Suggestion suggestion = poise__suggestion_for(reader->document->diagnostics, type);
    for (int i = 0; i < KIND_WORDS; i++) {
        if (strcmp(type, kind_words[i]) == 0) {
            joint->kind = i > URDF_BALL ? URDF_BALL : (UrdfJointKind)i;
            return;
        }
        poise__suggestion_offer_word(&suggestion, kind_words[i]);
    }
    char guess[80];
    poise__diagnose(reader->document->diagnostics, POISE_ERROR,
                    poise__element_find(element, "type")->mark, "'%.60s' is no type of joint%s",
                    type, poise__suggestion_text(&suggestion, guess, sizeof guess));
}

// Returns the link that `<parent link="">` or `<child link="">` names; -1 with an error.
static int read_end(UrdfReader* reader, const Element* element, const char* key) {
    const Element* end = poise__element_find(element, key);
    PoiseDiagnostics* diagnostics = reader->document->diagnostics;
    if (!end || end->kind != ELEMENT_MAP) {
        poise__diagnose(diagnostics, POISE_ERROR, element->mark, "a joint lacks its <%s link>",
                        key);
        return -1;
    }
    const char* name = poise__urdf_text(reader, end, "link");
    if (!name) {
        return -1;
    }
    int found = poise__names_find(&reader->links, name);
    if (found >= 0) {
        return found;
    }
    Suggestion suggestion = poise__suggestion_for(reader->document->diagnostics, name);
    int links = reader->robot->link_count;
    for (int i = 0; poise__urdf_may_guess(reader) && i < links; i++) {
        poise__suggestion_offer(&suggestion, reader->robot->links[i].name);
    }
    char guess[160];
    poise__diagnose(diagnostics, POISE_ERROR, poise__element_find(end, "link")->mark,
                    "there is no link '%.60s'%s", name,
                    poise__suggestion_text(&suggestion, guess, sizeof guess));
    return -1;
}

static void read_axis(UrdfReader* reader, const Element* element, UrdfJoint* joint) {
    const Element* axis = poise__element_find(element, "axis");
    double xyz[3] = {1.0, 0.0, 0.0};
    if (!poise__element_find(axis, "xyz") || !poise__urdf_numbers(reader, axis, "xyz", xyz, 3)) {
        return;
    }
    PoiseVec3 given = poise_vec3(xyz[0], xyz[1], xyz[2]);
    double length = poise_length(given);
    PoiseMark mark = poise__element_find(axis, "xyz")->mark;
    bool moves = joint->kind == URDF_REVOLUTE || joint->kind == URDF_CONTINUOUS ||
                 joint->kind == URDF_PRISMATIC || joint->kind == URDF_PLANAR;
    if (!(length > 0.0) || !isfinite(length)) {
        if (moves) {
            poise__diagnose(reader->document->diagnostics, POISE_ERROR, mark,
                            "the axis of joint '%.60s' is zero", joint->name);
        }
        return;
    }
    // A difference below 1e-6 comes from rounding in the file.
    if (moves && fabs(length - 1.0) > 1e-6) {
        poise__diagnose_kind(
            reader->document->diagnostics, (FindingKind){POISE_NOTE, "length of an axis"}, mark,
            "the axis of joint '%.60s' has length %g: taken as a direction", joint->name, length);
    }
    joint->axis = poise_scale(1.0 / length, given);
}

static void read_range(UrdfReader* reader, const Element* limit, UrdfJoint* joint) {
    PoiseDiagnostics* diagnostics = reader->document->diagnostics;
    double lower = 0.0, upper = 0.0;
    bool has_lower = poise__element_find(limit, "lower");
    bool has_upper = poise__element_find(limit, "upper");
    bool fine = (!has_lower || poise__urdf_bound(reader, limit, "lower", &lower)) &&
                (!has_upper || poise__urdf_bound(reader, limit, "upper", &upper));
    if (!fine || (!has_lower && !has_upper)) {
        return;
    }
    if (lower > upper) {
        poise__diagnose(diagnostics, POISE_WARNING, limit->mark,
                        "the lower limit %g of joint '%.60s' is above its upper limit %g: taken "
                        "the other way round",
                        lower, joint->name, upper);
    }
    if (joint->kind == URDF_REVOLUTE && fmax(fabs(lower), fabs(upper)) > MOST_TURN &&
        isfinite(lower) && isfinite(upper)) {
        poise__diagnose_kind(diagnostics, (FindingKind){POISE_WARNING, "degrees"}, limit->mark,
                             "the limits %g and %g of joint '%.60s' are more than two turns: the "
                             "angles of a URDF are in radians",
                             lower, upper, joint->name);
    }
    // Exporters write 0 and 0 if no limits were given.
    if (lower == 0.0 && upper == 0.0) {
        poise__diagnose_kind(diagnostics, (FindingKind){POISE_NOTE, "range of 0"}, limit->mark,
                             "the limits 0 and 0 of joint '%.60s' are taken as none; write a fixed "
                             "joint for one that does not move",
                             joint->name);
        return;
    }
    joint->lower = fmin(lower, upper);
    joint->upper = fmax(lower, upper);
}

// Reads an upper bound. Some exporters write 0 or -1 for "no limit".
static double read_most(UrdfReader* reader, const Element* limit, const char* key,
                        const char* joint) {
    double most = (double)INFINITY;
    const Element* given = poise__element_find(limit, key);
    if (given && poise_number_read(given->text, &most) == POISE_NUMBER_NAN) {
        poise__diagnose_kind(reader->document->diagnostics, (FindingKind){POISE_NOTE, key},
                             limit->mark, "%s '%.20s' of joint '%.60s' is taken as no limit", key,
                             given->text, joint);
        return (double)INFINITY;
    }
    bool read = given && poise__urdf_bound(reader, limit, key, &most);
    if (read && isinf(most)) {
        return (double)INFINITY;
    }
    if (read && (most == 0.0 || most == -1.0)) {
        poise__diagnose_kind(reader->document->diagnostics, (FindingKind){POISE_NOTE, key},
                             limit->mark, "%s %g of joint '%.60s' is taken as no limit", key, most,
                             joint);
        return (double)INFINITY;
    }
    return read ? poise__urdf_not_negative(reader, limit, key, (double)INFINITY) : most;
}

static void read_limit(UrdfReader* reader, const Element* element, UrdfJoint* joint) {
    const Element* limit = poise__element_find(element, "limit");
    PoiseDiagnostics* diagnostics = reader->document->diagnostics;
    bool ranged = joint->kind == URDF_REVOLUTE || joint->kind == URDF_PRISMATIC;
    if (!limit || limit->kind != ELEMENT_MAP) {
        if (ranged) {
            poise__diagnose_kind(diagnostics, (FindingKind){POISE_NOTE, "no limit"}, joint->mark,
                                 "joint '%.60s' has no <limit>: it moves without end", joint->name);
        }
        return;
    }
    if (ranged) {
        read_range(reader, limit, joint);
    }
    joint->effort = read_most(reader, limit, "effort", joint->name);
    joint->velocity = read_most(reader, limit, "velocity", joint->name);
}

static void read_mimic(UrdfReader* reader, const Element* element, UrdfJoint* joint) {
    const Element* mimic = poise__element_find(element, "mimic");
    if (!mimic || mimic->kind != ELEMENT_MAP) {
        return;
    }
    joint->mimics = poise__urdf_text(reader, mimic, "joint");
    joint->mimic_mark = mimic->mark;
    joint->multiplier = 1.0;
    if (poise__element_find(mimic, "multiplier")) {
        poise__urdf_number(reader, mimic, "multiplier", &joint->multiplier);
    }
    if (poise__element_find(mimic, "offset")) {
        poise__urdf_number(reader, mimic, "offset", &joint->offset);
    }
}

UrdfJoint poise__urdf_default_joint(const char* name, PoiseMark mark) {
    UrdfJoint joint = {.name = name,
                       .mark = mark,
                       .kind = URDF_FIXED,
                       .parent = -1,
                       .child = -1,
                       .origin = poise_pose_identity(),
                       .axis = poise_vec3(1.0, 0.0, 0.0),
                       .lower = -(double)INFINITY,
                       .upper = (double)INFINITY,
                       .effort = (double)INFINITY,
                       .velocity = (double)INFINITY,
                       .start = (double)NAN,
                       .turn = poise_quat_identity()};
    return joint;
}

static void read_joint(UrdfReader* reader, const Element* element, UrdfJoint* joint) {
    static const char* const known[] = {"parent",   "child",       "origin",
                                        "axis",     "limit",       "mimic",
                                        "dynamics", "calibration", "safety_controller",
                                        NULL};
    const char* name = poise__urdf_text(reader, element, "name");
    *joint = poise__urdf_default_joint(name ? name : "", element->mark);
    poise__urdf_note_unknown(reader, element, "a joint", known);
    int taken = name ? poise__names_find(&reader->joints, name) : -1;
    if (taken >= 0) {
        poise__diagnose(reader->document->diagnostics, POISE_ERROR, joint->mark,
                        "a second joint is named '%.60s', the first in line %d", name,
                        reader->robot->joints[taken].mark.line);
    } else if (name) {
        poise__names_add(&reader->joints, name, (int)(joint - reader->robot->joints));
    }
    read_kind(reader, element, joint);
    joint->parent = read_end(reader, element, "parent");
    joint->child = read_end(reader, element, "child");
    joint->origin = poise__urdf_origin(reader, element);
    if (poise_length(joint->origin.p) > MOST_APART) {
        poise__diagnose_kind(reader->document->diagnostics,
                             (FindingKind){POISE_WARNING, "millimetres"},
                             poise__element_find(element, "origin")->mark,
                             "joint '%.60s' is %.3g m from its parent: places of a URDF are in "
                             "metres",
                             joint->name, poise_length(joint->origin.p));
    }
    read_axis(reader, element, joint);
    read_limit(reader, element, joint);
    const Element* dynamics = poise__element_find(element, "dynamics");
    joint->damping = dynamics ? poise__urdf_not_negative(reader, dynamics, "damping", 0.0) : 0.0;
    joint->friction = dynamics ? poise__urdf_not_negative(reader, dynamics, "friction", 0.0) : 0.0;
    read_mimic(reader, element, joint);
}

static void read_joints(UrdfReader* reader) {
    UrdfRobot* robot = reader->robot;
    size_t count = (size_t)count_children(reader->root, "joint");
    robot->joints =
        poise__arena_allocate(reader->document->arena, 3 * count, sizeof *robot->joints);
    for (int i = 0; robot->joints && i < reader->root->child_count; i++) {
        const Element* child = reader->root->children[i];
        if (child->kind == ELEMENT_MAP && strcmp(child->key, "joint") == 0) {
            read_joint(reader, child, &robot->joints[robot->joint_count]);
            robot->joint_count++;
        }
    }
}

// ---------------------------------------------------------------------------------------- robot

UrdfRobot* poise__urdf_read(Document* document, const Element* root) {
    static const char* const known[] = {"link", "joint", "material", "mujoco", NULL};
    PoiseDiagnostics* diagnostics = document->diagnostics;
    int errors = poise_diagnostics_count(diagnostics, POISE_ERROR);
    UrdfRobot* robot = poise__arena_allocate(document->arena, 1, sizeof *robot);
    if (!robot) {
        return NULL;
    }
    UrdfReader reader = {.document = document,
                         .robot = robot,
                         .root = root,
                         .links = {.arena = document->arena},
                         .joints = {.arena = document->arena}};
    if (root->child_count > MOST_PARTS) {
        poise__diagnose(diagnostics, POISE_ERROR, root->mark, "more than %d parts in one robot",
                        MOST_PARTS);
        return NULL;
    }
    const Element* name = poise__element_find(root, "name");
    robot->name = name ? name->text : "";
    robot->mark = root->mark;
    const Element* folder = poise__element_find(
        poise__element_find(poise__element_find(root, "mujoco"), "compiler"), "meshdir");
    reader.mesh_folder = folder ? folder->text : NULL;
    poise__urdf_note_unknown(&reader, root, "a robot", known);
    read_links(&reader);
    read_joints(&reader);
    if (document->arena->failed || poise_diagnostics_count(diagnostics, POISE_ERROR) > errors) {
        return NULL;
    }
    poise__urdf_split_planar(&reader);
    if (document->arena->failed || !poise__urdf_sort(&reader)) {
        return NULL;
    }
    for (int i = 0; i < robot->link_count; i++) {
        poise__urdf_read_shapes(&reader, &robot->links[i]);
        poise__urdf_read_looks(&reader, &robot->links[i]);
    }
    return poise_diagnostics_count(diagnostics, POISE_ERROR) > errors ? NULL : robot;
}
