// SPDX-License-Identifier: MIT
// MJCF: reads the sections next to the bodies that concern joints: actuators' strengths, joints
// that follow others, closed loops, and the start posture. Other sections are reported.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mjcf.h"
#include "number.h"

// Most coordinates of a keyframe; a joint has at most 7.
#define MOST_COORDINATES 70000

static int class_of(MjcfReader* reader, const Element* element) {
    return poise__mjcf_class(reader, element, "class", reader->model->main_class);
}

// Returns the name in the attribute, with the model's prefix and then `ending`; NULL if it is
// missing.
static const char* name_in(const MjcfReader* reader, const Element* element, const char* key,
                           const char* ending) {
    const Element* name = poise__element_find(element, key);
    const bool changed = reader->prefix[0] || ending[0];
    return name && changed ? poise__arena_format(reader->base.document->arena, "%s%s%s",
                                                 reader->prefix, name->text, ending)
           : name          ? name->text
                           : NULL;
}

// Returns the index of the name in the attribute; -1 if the name is missing or unknown.
static int find_named(const MjcfReader* reader, const NameTable* names, const Element* element,
                      const char* key) {
    const char* name = name_in(reader, element, key, "");
    return name ? poise__names_find(names, name) : -1;
}

// ------------------------------------------------------------------------------------- actuators

static double largest(MjcfReader* reader, const Element* element, int class_index,
                      const char* limited, const char* key) {
    double range[2] = {0.0, 0.0};
    bool given = poise__mjcf_is_limited((MjcfSource){reader, element, class_index}, limited, key) &&
                 poise__mjcf_numbers((MjcfSource){reader, element, class_index}, key, range, 2);
    return given ? fmax(fabs(range[0]), fabs(range[1])) : (double)INFINITY;
}

// True if force = gain * control, so that a limit of the control limits the force.
static bool is_direct(MjcfReader* reader, const Element* element, int class_index, double* gain) {
    *gain = 1.0;
    if (poise__mjcf_is(element, "motor")) {
        return true;
    }
    const char* bias = poise__mjcf_text((MjcfSource){reader, element, class_index}, "biastype");
    const char* kind = poise__mjcf_text((MjcfSource){reader, element, class_index}, "gaintype");
    bool direct = poise__mjcf_is(element, "general") && (!bias || strcmp(bias, "none") == 0) &&
                  (!kind || strcmp(kind, "fixed") == 0);
    double parameters[8] = {1.0};
    if (direct && poise__mjcf_some_numbers((MjcfSource){reader, element, class_index}, "gainprm",
                                           parameters, 8) > 0) {
        *gain = fabs(parameters[0]);
    }
    return direct;
}

// Returns the largest torque of the actuator on its joint, N m (or force, N).
static double strength(MjcfReader* reader, const Element* element) {
    int class_index = class_of(reader, element);
    double gear[6] = {1.0};
    poise__mjcf_some_numbers((MjcfSource){reader, element, class_index}, "gear", gear, 6);
    double force = largest(reader, element, class_index, "forcelimited", "forcerange");
    double gain = 1.0;
    if (is_direct(reader, element, class_index, &gain)) {
        double control = largest(reader, element, class_index, "ctrllimited", "ctrlrange");
        force = fmin(force, gain * control);
    }
    return fabs(gear[0]) * force;
}

// Reports attributes that are wrong although Poise does not need them: texts that are no numbers,
// and ranges with the greater end first.
static void check_actuator(MjcfReader* reader, const Element* actuator) {
    static const char* const numbers[] = {"gear", "gainprm", "biasprm"};
    static const char* const ranges[] = {"forcerange", "ctrlrange"};
    double values[10];
    const MjcfSource own = {reader, actuator, -1};
    const MjcfSource from = {reader, actuator, class_of(reader, actuator)};
    poise__mjcf_not_negative(from, "kp", "an actuator");
    poise__mjcf_not_negative(from, "kv", "an actuator");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (poise__element_find(actuator, numbers[i])) {
            poise__mjcf_some_numbers(own, numbers[i], values, 10);
        }
    }
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const Element* range = poise__element_find(actuator, ranges[i]);
        if (range && poise__mjcf_numbers(own, ranges[i], values, 2) && values[0] > values[1]) {
            poise__mjcf_refuse(reader->base.document, range->mark,
                               "'%s' begins at %g, above its end %g", ranges[i], values[0],
                               values[1]);
        }
    }
}

// Reports an actuator whose joint does not exist.
static void refuse_joint(MjcfReader* reader, const Element* actuator) {
    const Element* wanted = poise__element_find(actuator, "joint");
    const UrdfRobot* robot = reader->base.robot;
    Suggestion suggestion = poise__suggestion_for(reader->base.document->diagnostics, wanted->text);
    for (int i = 0; i < robot->joint_count && poise__urdf_may_guess(&reader->base); i++) {
        poise__suggestion_offer(&suggestion, robot->joints[i].name);
    }
    char guess[120];
    poise__mjcf_refuse(reader->base.document, wanted->mark, "there is no joint '%.60s'%s",
                       wanted->text, poise__suggestion_text(&suggestion, guess, sizeof guess));
}

// Marks the joints of an actuator's tendon as driven.
static void drive_by_tendon(MjcfReader* reader, const Element* actuator) {
    const Element* wanted = poise__element_find(actuator, "tendon");
    const Element* root = reader->model->root;
    for (int i = 0; i < root->child_count && wanted; i++) {
        const Element* section = root->children[i];
        for (int k = 0; k < section->child_count && poise__mjcf_is(section, "tendon"); k++) {
            const Element* tendon = section->children[k];
            const Element* name = poise__element_find(tendon, "name");
            const bool own = name && strcmp(name->text, wanted->text) == 0;
            for (int c = 0; c < tendon->child_count && own; c++) {
                const int joint =
                    find_named(reader, &reader->base.joints, tendon->children[c], "joint");
                if (joint >= 0) {
                    reader->base.robot->joints[joint].driven = true;
                }
            }
        }
    }
}

// Sums the strengths of the actuators on each joint. A limit of the joint itself stays if it is
// lower.
static void read_actuators(MjcfReader* reader, const Element* section) {
    UrdfRobot* robot = reader->base.robot;
    double* sums = poise__arena_allocate(reader->base.document->arena, (size_t)robot->joint_count,
                                         sizeof *sums);
    for (int i = 0; sums && i < section->child_count; i++) {
        const Element* child = section->children[i];
        if (child->kind != ELEMENT_MAP) {
            continue;
        }
        int joint = find_named(reader, &reader->base.joints, child, "joint");
        joint =
            joint >= 0 ? joint : find_named(reader, &reader->base.joints, child, "jointinparent");
        check_actuator(reader, child);
        drive_by_tendon(reader, child);
        if (joint >= 0) {
            sums[joint] += strength(reader, child);
            robot->joints[joint].driven = true;
        } else if (poise__element_find(child, "joint") && reader->whole) {
            refuse_joint(reader, child);
        } else if (reader->whole) {
            poise__diagnose_kind(reader->base.document->diagnostics,
                                 (FindingKind){POISE_WARNING, "left out: <actuator> of no joint"},
                                 child->mark, "left out: an actuator of no joint");
        }
    }
    for (int i = 0; sums && i < robot->joint_count; i++) {
        // A sum of 0 sets no limit: the joint has no actuator, or a motor without force.
        if (sums[i] > 0.0) {
            robot->joints[i].effort = fmin(robot->joints[i].effort, sums[i]);
        }
    }
}

// ------------------------------------------------------------------------------------- equalities

// Reads a joint that follows another joint. Returns false for a polynomial of degree 2 or more.
static bool read_follower(MjcfReader* reader, const Element* element) {
    UrdfRobot* robot = reader->base.robot;
    int follower = find_named(reader, &reader->base.joints, element, "joint1");
    int leader = find_named(reader, &reader->base.joints, element, "joint2");
    double law[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    if (poise__mjcf_some_numbers((MjcfSource){reader, element, class_of(reader, element)},
                                 "polycoef", law, 5) < 0 ||
        follower < 0 || leader < 0 || law[2] != 0.0 || law[3] != 0.0 || law[4] != 0.0) {
        return false;
    }
    UrdfJoint* joint = &robot->joints[follower];
    joint->mimics = robot->joints[leader].name;
    joint->mimic_mark = element->mark;
    joint->multiplier = law[1];
    joint->offset = law[0];
    return true;
}

// Reads the pose of a weld's second body in the frame of its first. If the rotation is missing, the
// start posture gives the pose.
static bool read_relative(MjcfReader* reader, const Element* element, UrdfClosure* closure) {
    double pose[7] = {0.0};
    const MjcfSource from = {reader, element, class_of(reader, element)};
    if (!poise__mjcf_numbers(from, "relpose", pose, 7)) {
        return false;
    }
    const PoiseQuat q = poise_quat(pose[3], pose[4], pose[5], pose[6]);
    closure->has_relative = q.w != 0.0 || q.x != 0.0 || q.y != 0.0 || q.z != 0.0;
    closure->relative =
        poise_pose(poise_vec3(pose[0], pose[1], pose[2]),
                   closure->has_relative ? poise_quat_normalize(q) : poise_quat_identity());
    return true;
}

// Returns the link of a site; -1 if missing.
static int site_named(const MjcfReader* reader, const Element* element, const char* key) {
    // A site with the name of a body is called NAME.site.
    const char* other = name_in(reader, element, key, ".site");
    const int found = other ? poise__names_find(&reader->base.links, other) : -1;
    return found >= 0 ? found : find_named(reader, &reader->base.links, element, key);
}

// Reads two sites that coincide in position, and for a weld also in rotation.
static void read_sites(const MjcfReader* reader, const Element* element, UrdfClosure* closure) {
    closure->a = site_named(reader, element, "site1");
    closure->b = site_named(reader, element, "site2");
    closure->has_relative = closure->weld;
    closure->relative = poise_pose_identity();
}

// Reads two bodies that are held together at a point (connect) or completely (weld).
static bool read_closure(MjcfReader* reader, const Element* element, bool weld) {
    UrdfRobot* robot = reader->base.robot;
    const Element* second = poise__element_find(element, "body2");
    UrdfClosure closure = {.mark = element->mark, .weld = weld};
    double anchor[3] = {0.0, 0.0, 0.0};
    closure.a = find_named(reader, &reader->base.links, element, "body1");
    closure.b = second ? find_named(reader, &reader->base.links, element, "body2") : 0;
    const MjcfSource from = {reader, element, class_of(reader, element)};
    const bool sites = poise__element_find(element, "site1") != NULL;
    if (sites) {
        read_sites(reader, element, &closure);
    }
    if (closure.a < 0 || closure.b < 0 ||
        (!weld && !sites && !poise__element_find(element, "anchor")) ||
        !poise__mjcf_numbers(from, "anchor", anchor, 3) ||
        (weld && !sites && !read_relative(reader, element, &closure))) {
        return false;
    }
    Arena* arena = reader->base.document->arena;
    UrdfClosure* closures = poise__arena_grow(arena, &robot->closures, robot->closure_count,
                                              &robot->closure_capacity, sizeof *closures);
    // The closure needs a name that no joint has.
    const char* name = name_in(reader, element, "name", "");
    bool own = name && poise__names_find(&reader->base.joints, name) < 0;
    closure.name = own ? name
                       : poise__arena_format(arena, "%s.%s%d", robot->links[closure.a].name,
                                             weld ? "weld" : "connect", robot->closure_count + 1);
    if (!closures || !closure.name) {
        return true;
    }
    closure.anchor = poise_vec3(anchor[0], anchor[1], anchor[2]);
    closures[robot->closure_count++] = closure;
    return true;
}

static void read_equalities(MjcfReader* reader, const Element* section) {
    for (int i = 0; i < section->child_count; i++) {
        const Element* child = section->children[i];
        const char* active = poise__mjcf_text((MjcfSource){reader, child, -1}, "active");
        if (child->kind != ELEMENT_MAP || (active && strcmp(active, "false") == 0)) {
            continue;
        }
        bool read = (poise__mjcf_is(child, "joint") && read_follower(reader, child)) ||
                    (poise__mjcf_is(child, "connect") && read_closure(reader, child, false)) ||
                    (poise__mjcf_is(child, "weld") && read_closure(reader, child, true));
        if (!read && reader->whole) {
            char kind[100];
            snprintf(kind, sizeof kind, "left out: <%.60s> of <equality>", child->key);
            poise__diagnose_kind(reader->base.document->diagnostics,
                                 (FindingKind){POISE_WARNING, kind}, child->mark, "%s", kind);
        }
    }
}

// -------------------------------------------------------------------------------------- keyframes

static int coordinates_of(UrdfJointKind kind) {
    return kind == URDF_FLOATING ? 7 : kind == URDF_BALL ? 4 : kind == URDF_FIXED ? 0 : 1;
}

// Normalizes a quaternion w x y z. Four zeros are the identity.
static PoiseQuat turn_of(const double* q) {
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return square > 0.0 ? poise_quat_normalize(poise_quat(q[0], q[1], q[2], q[3]))
                        : poise_quat_identity();
}

static void start_at(UrdfJoint* joint, const double* q) {
    if (joint->kind == URDF_FLOATING) {
        joint->origin = poise_pose(poise_vec3(q[0], q[1], q[2]), turn_of(q + 3));
    } else if (joint->kind == URDF_BALL) {
        joint->turn = turn_of(q);
    } else {
        joint->start = q[0] - joint->zero;
    }
}

// Reads the start posture: the keyframe named home.
static void read_keyframe(MjcfReader* reader, const Element* key) {
    UrdfRobot* robot = reader->base.robot;
    const Element* name = poise__element_find(key, "name");
    const Element* posture = poise__element_find(key, "qpos");
    if (!name || strcmp(name->text, "home") != 0 || !posture) {
        return;
    }
    int needed = 0;
    for (int i = 0; i < robot->joint_count && needed < MOST_COORDINATES; i++) {
        needed += coordinates_of(robot->joints[i].kind);
    }
    double* q = poise__arena_allocate(reader->base.document->arena, (size_t)needed, sizeof *q);
    PoiseNumberKind kind = POISE_NUMBER_FINE;
    int found = q ? poise_numbers_read(posture->text, q, needed, &kind) : 0;
    if (kind != POISE_NUMBER_FINE) {
        poise__diagnose(reader->base.document->diagnostics, POISE_WARNING, posture->mark,
                        "keyframe 'home' holds what is no finite number: not used");
        return;
    }
    if (found != needed) {
        poise__diagnose(reader->base.document->diagnostics, POISE_WARNING, posture->mark,
                        "keyframe 'home' has %d numbers, the model %d coordinates: not used", found,
                        needed);
        return;
    }
    for (int i = 0; i < robot->joint_count; i++) {
        start_at(&robot->joints[i], q);
        q += coordinates_of(robot->joints[i].kind);
    }
}

// ------------------------------------------------------------------------------------- all of them

// Reports a section that is not read. Elements that exert forces or constraints give warnings;
// sections that only draw or measure give nothing.
static void note_section(MjcfReader* reader, const Element* section) {
    static const char* const constraining[] = {"tendon", "deformable", "contact"};
    static const char* const harmless[] = {"compiler", "option",    "default",  "worldbody",
                                           "visual",   "statistic", "asset",    "sensor",
                                           "size",     "custom",    "extension"};
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        if (poise__mjcf_is(section, harmless[i])) {
            return;
        }
    }
    bool changes_physics = false;
    for (size_t i = 0; i < sizeof constraining / sizeof constraining[0]; i++) {
        changes_physics = changes_physics || poise__mjcf_is(section, constraining[i]);
    }
    if (!changes_physics) {
        poise__mjcf_note(reader, POISE_NOTE, section, "is not used");
        return;
    }
    for (int i = 0; i < section->child_count; i++) {
        const Element* child = section->children[i];
        // Exclusions need no warning: bodies of one robot do not collide with each other.
        if (child->kind == ELEMENT_MAP && !poise__mjcf_is(child, "exclude")) {
            char kind[160];
            snprintf(kind, sizeof kind, "left out: <%.60s> of <%.60s>", child->key, section->key);
            poise__diagnose_kind(reader->base.document->diagnostics,
                                 (FindingKind){POISE_WARNING, kind}, child->mark, "%s", kind);
        }
    }
}

static void read_section(MjcfReader* reader, const Element* section) {
    if (poise__mjcf_is(section, "actuator")) {
        read_actuators(reader, section);
    } else if (poise__mjcf_is(section, "equality")) {
        read_equalities(reader, section);
    } else if (poise__mjcf_is(section, "keyframe")) {
        for (int i = 0; i < section->child_count && !reader->model->around; i++) {
            if (poise__mjcf_is(section->children[i], "key")) {
                read_keyframe(reader, section->children[i]);
            }
        }
    } else if (section->kind == ELEMENT_MAP) {
        note_section(reader, section);
    }
}

void poise__mjcf_read_sections(MjcfReader* reader) {
    for (int i = 0; i < reader->model->root->child_count; i++) {
        read_section(reader, reader->model->root->children[i]);
    }
}
