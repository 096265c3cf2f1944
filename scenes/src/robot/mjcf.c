// SPDX-License-Identifier: MIT
// MJCF: reads the robot from the tree of elements. mjcf_body.c reads the bodies. This file reads
// the other sections: torques of actuators, joints coupled to others, closed loops, and the start
// posture. Elements that are not used are reported.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mjcf.h"
#include "number.h"

// Largest number of coordinates of a keyframe; a joint has at most 7.
#define MOST_COORDINATES 70000

// Returns the name in the attribute, with the model's prefix and then `ending`; NULL if it is
// missing.
static const char* name_in(const MjcfReader* reader, const Element* element, const char* key,
                           const char* ending) {
    const char* name = poise__tag_own_text(element, key);
    const bool changed = reader->prefix[0] || ending[0];
    return name && changed
               ? poise__arena_format(reader->base.arena, "%s%s%s", reader->prefix, name, ending)
               : name;
}

// Returns the index of the joint or link in the attribute; -1 if the name is missing or unknown.
static int find_named(const MjcfReader* reader, const NameTable* names, const Element* element,
                      const char* key) {
    const char* name = name_in(reader, element, key, "");
    return name ? poise__names_find(names, name) : -1;
}

static int find_joint(const MjcfReader* reader, const Element* element, const char* key) {
    return find_named(reader, &reader->base.joints, element, key);
}

// Reports an element of a section that is not used.
static void leave_out(MjcfReader* reader, const Element* element, const char* section) {
    char kind[160];
    snprintf(kind, sizeof kind, "left out: <%.60s> of <%.60s>", element->key, section);
    WARN_KIND(&reader->base, kind, element->mark, "%s", kind);
}

// ---------------------------------------------------------------------------------------- tendons

// A tendon has a constant length, its range's middle, if the range is at most this fraction of what
// the joints' ranges allow. Makers write such tendons to couple two joints.
#define FIXED_LENGTH_PART 0.01

// Collects the fixed tendons of the model.
static void read_tendons(MjcfReader* reader) {
    const Element *section, *element, *part;
    for (int i = 0; (section = poise__tag_next(reader->model->root, "tendon", &i));) {
        for (int k = 0; (element = poise__tag_next(section, "fixed", &k));) {
            if (!ARENA_GROW(reader->base.arena, reader, tendons, tendon)) {
                return;
            }
            MjcfTendon* tendon = &reader->tendons[reader->tendon_count++];
            *tendon =
                (MjcfTendon){.element = element, .name = name_in(reader, element, "name", "")};
            bool known = true;
            for (int c = 0; known && (part = poise__tag_next(element, "joint", &c));) {
                double coef = 0.0;
                const int joint = find_joint(reader, part, "joint");
                known = joint >= 0 && tendon->count < MJCF_TENDON_JOINTS &&
                        poise__tag_needed_numbers(&reader->base, part, "coef", &coef, 1);
                if (known && coef != 0.0) {
                    tendon->joints[tendon->count] = joint;
                    tendon->coefs[tendon->count++] = coef;
                }
            }
            tendon->count = known ? tendon->count : 0;
        }
    }
}

// Returns the tendon that the attribute names; NULL if it is missing or no fixed tendon.
static MjcfTendon* find_tendon(const MjcfReader* reader, const Element* element, const char* key) {
    const char* name = name_in(reader, element, key, "");
    for (int i = 0; name && i < reader->tendon_count; i++) {
        if (reader->tendons[i].name && strcmp(reader->tendons[i].name, name) == 0) {
            return &reader->tendons[i];
        }
    }
    return NULL;
}

// True if `joint` is `other`, or follows it, directly or over further joints.
static bool follows(const MjcfReader* reader, int joint, int other) {
    const Robot* robot = reader->base.robot;
    for (int i = 0; i < robot->joint_count && joint >= 0; i++) {
        if (joint == other) {
            return true;
        }
        const char* leader = robot->joints[joint].mimics;
        joint = leader ? poise__names_find(&reader->base.joints, leader) : -1;
    }
    return false;
}

// Lets the follower's angle be law[1] * (the leader's angle) + law[0]. Returns false if a joint has
// no single coordinate, or the coupling would be the follower's second or close a circle.
static bool couple(MjcfReader* reader, const MjcfTendon* tendon, int follower, int leader,
                   double law[2]) {
    RobotJoint* joint = &reader->base.robot->joints[follower];
    const RobotJoint* lead = &reader->base.robot->joints[leader];
    const bool single = (joint->kind == ROBOT_REVOLUTE || joint->kind == ROBOT_PRISMATIC) &&
                        (lead->kind == ROBOT_REVOLUTE || lead->kind == ROBOT_PRISMATIC);
    if (!single || joint->mimics || follows(reader, leader, follower)) {
        return false;
    }
    joint->mimics = lead->name;
    joint->mimic_mark = tendon->element->mark;
    joint->multiplier = law[1];
    joint->offset = law[0];
    NOTE_KIND(&reader->base, "coupled by tendon", tendon->element->mark,
              "a tendon couples joint '%.60s' to '%.60s'", joint->name, lead->name);
    return true;
}

// Couples the two joints of a tendon so that its length stays `length`, relative to the length in
// the file's posture.
static bool fix_length(MjcfReader* reader, const MjcfTendon* tendon, double length) {
    const Robot* robot = reader->base.robot;
    if (tendon->count != 2) {
        return false;
    }
    // The joint with an actuator is the leader of the other joint.
    const int lead = robot->joints[tendon->joints[1]].driven ? 1 : 0;
    const double own = tendon->coefs[1 - lead];
    double law[2] = {length / own, -tendon->coefs[lead] / own};
    return couple(reader, tendon, tendon->joints[1 - lead], tendon->joints[lead], law);
}

// Reads <equality><tendon>: the length of a tendon as a polynomial of the length of another tendon.
static bool read_tendon_equality(MjcfReader* reader, const Element* element) {
    MjcfTendon* first = find_tendon(reader, element, "tendon1");
    const MjcfTendon* second = find_tendon(reader, element, "tendon2");
    double law[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    const bool two = poise__element_find(element, "tendon2") != NULL;
    if (poise__tag_some_numbers(poise__mjcf_source(reader, element), "polycoef", law, 5) < 0 ||
        !first || first->count == 0 || (two && (!second || second->count == 0)) ||
        (two && (law[2] != 0.0 || law[3] != 0.0 || law[4] != 0.0))) {
        return false;
    }
    MjcfTendon sum = *first;
    for (int i = 0; two && i < second->count && sum.count < MJCF_TENDON_JOINTS; i++) {
        sum.joints[sum.count] = second->joints[i];
        sum.coefs[sum.count++] = -law[1] * second->coefs[i];
    }
    first->coupled = fix_length(reader, &sum, law[0]);
    return first->coupled;
}

// True if the tendon's range is so narrow that the tendon keeps its length. `length` gets the
// middle of the range, relative to the length in the file's posture.
static bool has_fixed_length(MjcfReader* reader, const MjcfTendon* tendon, double* length) {
    double range[2], allowed = 0.0, start = 0.0;
    if (!poise__mjcf_limit(reader, poise__mjcf_source(reader, tendon->element), "limited", "range",
                           range)) {
        return false;
    }
    for (int i = 0; i < tendon->count; i++) {
        const RobotJoint* joint = &reader->base.robot->joints[tendon->joints[i]];
        allowed += fabs(tendon->coefs[i]) * (joint->upper - joint->lower);
        start += tendon->coefs[i] * joint->zero;
    }
    *length = 0.5 * (range[0] + range[1]) - start;
    return isfinite(allowed) && range[1] - range[0] <= FIXED_LENGTH_PART * allowed;
}

// Couples the joints that only the actuator of the tendon moves, as springs of equal stiffness
// would: their angles are proportional to their coefficients.
static bool share_actuator(MjcfReader* reader, const MjcfTendon* tendon) {
    bool coupled = tendon->count > 1;
    for (int i = 0; i < tendon->count; i++) {
        const RobotJoint* joint = &reader->base.robot->joints[tendon->joints[i]];
        coupled = coupled && !joint->driven && !joint->mimics;
    }
    for (int i = 1; i < tendon->count && coupled; i++) {
        double law[2] = {0.0, tendon->coefs[i] / tendon->coefs[0]};
        coupled = couple(reader, tendon, tendon->joints[i], tendon->joints[0], law);
    }
    return coupled;
}

// Couples the joints of the tendons from `first` on, after the actuators and equalities are read.
static void use_tendons(MjcfReader* reader, int first) {
    for (int i = first; i < reader->tendon_count; i++) {
        MjcfTendon* tendon = &reader->tendons[i];
        double length = 0.0;
        if (!tendon->coupled && tendon->count > 0 && has_fixed_length(reader, tendon, &length)) {
            tendon->coupled = fix_length(reader, tendon, length);
        } else if (tendon->driven && share_actuator(reader, tendon)) {
            tendon->coupled = true;
        }
        for (int k = 0; k < tendon->count && tendon->driven; k++) {
            reader->base.robot->joints[tendon->joints[k]].driven = true;
        }
        if (!tendon->coupled && !tendon->driven && reader->whole) {
            leave_out(reader, tendon->element, "tendon");
        }
    }
}

// ------------------------------------------------------------------------------------- actuators

static double largest(const MjcfReader* reader, Source from, const char* limited, const char* key) {
    double range[2];
    return poise__mjcf_limit(reader, from, limited, key, range)
               ? fmax(fabs(range[0]), fabs(range[1]))
               : (double)INFINITY;
}

// Returns the largest torque (N m) or force (N) of the actuator on its joint.
static double strength(MjcfReader* reader, const Element* element) {
    const Source from = poise__mjcf_source(reader, element);
    const char* bias = poise__tag_text(from, "biastype");
    const char* kind = poise__tag_text(from, "gaintype");
    double gear[6] = {1.0};
    double gain[8] = {1.0};
    poise__tag_some_numbers(from, "gear", gear, 6);
    double force = largest(reader, from, "forcelimited", "forcerange");
    // If force = gain * control, a limit of the control limits the force.
    const bool general = poise__tag_is(element, "general") &&
                         (!bias || strcmp(bias, "none") == 0) &&
                         (!kind || strcmp(kind, "fixed") == 0);
    if (general) {
        poise__tag_some_numbers(from, "gainprm", gain, 8);
    }
    if (general || poise__tag_is(element, "motor")) {
        force = fmin(force, fabs(gain[0]) * largest(reader, from, "ctrllimited", "ctrlrange"));
    }
    return fabs(gear[0]) * force;
}

// Reports attributes that are wrong although Poise does not use them: texts that are no numbers,
// and ranges whose first end is greater.
static void check_actuator(MjcfReader* reader, const Element* actuator) {
    static const Attribute gains[] = {
        {"kp", 0, ATTRIBUTE_AT_LEAST_0, 1}, {"kv", 0, ATTRIBUTE_AT_LEAST_0, 1}, ATTRIBUTES_END};
    static const char* const numbers[] = {"gear", "gainprm", "biasprm"};
    static const char* const ranges[] = {"forcerange", "ctrlrange"};
    double values[10];
    const Source own = {&reader->base, actuator, NULL};
    poise__tag_fill(poise__mjcf_source(reader, actuator), gains, values);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        poise__tag_some_numbers(own, numbers[i], values, 10);
    }
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const Element* range = poise__element_find(actuator, ranges[i]);
        if (range && poise__tag_numbers(own, ranges[i], values, 2) && values[0] > values[1]) {
            poise__robot_refuse(&reader->base, range->mark, "'%s' begins at %g, above its end %g",
                                ranges[i], values[0], values[1]);
        }
    }
}

// Sums the strengths of the actuators on each joint. A limit of the joint itself stays if it is
// lower.
static void read_actuators(MjcfReader* reader, const Element* section) {
    Robot* robot = reader->base.robot;
    double* sums =
        poise__arena_allocate(reader->base.arena, (size_t)robot->joint_count, sizeof *sums);
    const Element* actuator;
    for (int i = 0; sums && (actuator = poise__tag_next(section, NULL, &i));) {
        const Element* wanted = poise__element_find(actuator, "joint");
        int joint = find_joint(reader, actuator, "joint");
        joint = joint >= 0 ? joint : find_joint(reader, actuator, "jointinparent");
        MjcfTendon* tendon = find_tendon(reader, actuator, "tendon");
        check_actuator(reader, actuator);
        for (int k = 0; tendon && k < tendon->count; k++) {
            sums[tendon->joints[k]] += fabs(tendon->coefs[k]) * strength(reader, actuator);
            tendon->driven = true;
        }
        if (joint >= 0) {
            sums[joint] += strength(reader, actuator);
            robot->joints[joint].driven = true;
        } else if (tendon && tendon->driven) {
            continue;
        } else if (wanted && reader->whole) {
            poise__robot_find(&reader->base, &reader->base.joints, wanted->mark, "joint",
                              wanted->text);
        } else if (reader->whole) {
            WARN_KIND(&reader->base, "left out: <actuator> of no joint", actuator->mark,
                      "left out: an actuator of no joint");
        }
    }
    for (int i = 0; sums && i < robot->joint_count; i++) {
        // A sum of 0 is no limit: the joint has no actuator, or a motor without force.
        if (sums[i] > 0.0) {
            robot->joints[i].effort = fmin(robot->joints[i].effort, sums[i]);
        }
    }
}

// ------------------------------------------------------------------------------------- equalities

// Reads a joint that follows another joint. Returns false for a polynomial of degree 2 or more.
static bool read_follower(MjcfReader* reader, const Element* element) {
    Robot* robot = reader->base.robot;
    const int follower = find_joint(reader, element, "joint1");
    const int leader = find_joint(reader, element, "joint2");
    double law[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    if (poise__tag_some_numbers(poise__mjcf_source(reader, element), "polycoef", law, 5) < 0 ||
        follower < 0 || leader < 0 || law[2] != 0.0 || law[3] != 0.0 || law[4] != 0.0) {
        return false;
    }
    RobotJoint* joint = &robot->joints[follower];
    joint->mimics = robot->joints[leader].name;
    joint->mimic_mark = element->mark;
    joint->multiplier = law[1];
    joint->offset = law[0];
    return true;
}

// Returns the rotation of a quaternion w x y z. Four zeros are the identity.
static PoiseQuat turn_of(const double* q) {
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    return square > 0.0 ? poise_quat_normalize(poise_quat(q[0], q[1], q[2], q[3]))
                        : poise_quat_identity();
}

// Returns the link of a site; -1 if missing.
static int site_named(const MjcfReader* reader, const Element* element, const char* key) {
    // A site with the name of a body is called NAME.site.
    const char* other = name_in(reader, element, key, ".site");
    const int found = other ? poise__names_find(&reader->base.links, other) : -1;
    return found >= 0 ? found : find_named(reader, &reader->base.links, element, key);
}

// Reads a closure: two bodies or sites that coincide at a point (connect) or are fixed to each
// other (weld). Two sites coincide in position, and for a weld also in rotation.
static bool read_closure(MjcfReader* reader, const Element* element, bool weld) {
    Robot* robot = reader->base.robot;
    const NameTable* links = &reader->base.links;
    const Source from = poise__mjcf_source(reader, element);
    const bool sites = poise__element_find(element, "site1") != NULL;
    const bool second = poise__element_find(element, "body2") != NULL;
    RobotClosure closure = {.mark = element->mark, .weld = weld, .has_relative = sites && weld};
    double anchor[3] = {0.0, 0.0, 0.0};
    double pose[7] = {0.0};
    closure.a =
        sites ? site_named(reader, element, "site1") : find_named(reader, links, element, "body1");
    closure.b = sites    ? site_named(reader, element, "site2")
                : second ? find_named(reader, links, element, "body2")
                         : 0;
    if (closure.a < 0 || closure.b < 0 ||
        (!weld && !sites && !poise__element_find(element, "anchor")) ||
        !poise__tag_numbers(from, "anchor", anchor, 3) ||
        (weld && !sites && !poise__tag_numbers(from, "relpose", pose, 7))) {
        return false;
    }
    if (weld && !sites) {
        // Pose of the second body in the first. If the file gives no rotation, the pose follows
        // from the start posture.
        closure.has_relative = pose[3] != 0.0 || pose[4] != 0.0 || pose[5] != 0.0 || pose[6] != 0.0;
    }
    closure.relative = poise_pose(poise_vec3(pose[0], pose[1], pose[2]), turn_of(pose + 3));
    closure.anchor = poise_vec3(anchor[0], anchor[1], anchor[2]);
    Arena* arena = reader->base.arena;
    // The closure needs a name that no joint has.
    const char* name = name_in(reader, element, "name", "");
    closure.name = name && poise__names_find(&reader->base.joints, name) < 0
                       ? name
                       : poise__arena_format(arena, "%s.%s%d", robot->links[closure.a].name,
                                             weld ? "weld" : "connect", robot->closure_count + 1);
    if (closure.name && ARENA_GROW(arena, robot, closures, closure)) {
        robot->closures[robot->closure_count++] = closure;
    }
    return true;
}

static void read_equalities(MjcfReader* reader, const Element* section) {
    const Element* child;
    for (int i = 0; (child = poise__tag_next(section, NULL, &i));) {
        const char* active = poise__tag_own_text(child, "active");
        if (active && strcmp(active, "false") == 0) {
            continue;
        }
        const bool read = (poise__tag_is(child, "joint") && read_follower(reader, child)) ||
                          (poise__tag_is(child, "connect") && read_closure(reader, child, false)) ||
                          (poise__tag_is(child, "weld") && read_closure(reader, child, true)) ||
                          (poise__tag_is(child, "tendon") && read_tendon_equality(reader, child));
        if (!read && reader->whole) {
            leave_out(reader, child, section->key);
        }
    }
}

// -------------------------------------------------------------------------------------- keyframes

static int coordinates_of(RobotJointKind kind) {
    return kind == ROBOT_FLOATING ? 7 : kind == ROBOT_BALL ? 4 : kind == ROBOT_FIXED ? 0 : 1;
}

// Reads the start posture: the keyframe named home.
static void read_keyframe(MjcfReader* reader, const Element* key) {
    const Robot* robot = reader->base.robot;
    const char* name = poise__tag_own_text(key, "name");
    const Element* posture = poise__element_find(key, "qpos");
    if (!name || strcmp(name, "home") != 0 || !posture) {
        return;
    }
    int needed = 0;
    for (int i = 0; i < robot->joint_count && needed < MOST_COORDINATES; i++) {
        needed += coordinates_of(robot->joints[i].kind);
    }
    double* q = poise__arena_allocate(reader->base.arena, (size_t)needed, sizeof *q);
    PoiseNumberKind kind = POISE_NUMBER_FINE;
    const int found = q ? poise_numbers_read(posture->text, q, needed, &kind) : 0;
    if (kind != POISE_NUMBER_FINE) {
        WARN(&reader->base, posture->mark,
             "keyframe 'home' holds what is no finite number: not used");
    } else if (found != needed) {
        WARN(&reader->base, posture->mark,
             "keyframe 'home' has %d numbers, the model %d coordinates: not used", found, needed);
    }
    for (int i = 0; i < robot->joint_count && kind == POISE_NUMBER_FINE && found == needed; i++) {
        RobotJoint* joint = &robot->joints[i];
        if (joint->kind == ROBOT_FLOATING) {
            joint->origin = poise_pose(poise_vec3(q[0], q[1], q[2]), turn_of(q + 3));
        } else if (joint->kind == ROBOT_BALL) {
            joint->turn = turn_of(q);
        } else if (joint->kind != ROBOT_FIXED) {
            joint->start = q[0] - joint->zero;
        }
        q += coordinates_of(joint->kind);
    }
}

// ------------------------------------------------------------------------------------- all of them

// Reports a section that is not read. Elements that exert forces or constraints give warnings;
// sections that only draw or measure give nothing.
static void note_section(MjcfReader* reader, const Element* section) {
    static const struct {
        const char* tag;
        bool constrains;
    } known[] = {{"tendon", true},     {"deformable", true}, {"contact", true},
                 {"compiler", false},  {"option", false},    {"default", false},
                 {"worldbody", false}, {"visual", false},    {"statistic", false},
                 {"asset", false},     {"sensor", false},    {"size", false},
                 {"custom", false},    {"extension", false}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const Element* child;
        for (int k = 0; known[i].constrains && poise__tag_is(section, known[i].tag) &&
                        (child = poise__tag_next(section, NULL, &k));) {
            // Exclusions are read already. Fixed tendons are reported after they couple joints.
            if (!poise__tag_is(child, "exclude") && !poise__tag_is(child, "fixed")) {
                leave_out(reader, child, section->key);
            }
        }
        if (poise__tag_is(section, known[i].tag)) {
            return;
        }
    }
    poise__robot_note(&reader->base, POISE_NOTE, section, "is not used");
}

void poise__mjcf_read_sections(MjcfReader* reader) {
    static const char* const bodies[2] = {"body1", "body2"};
    const Element *section, *key;
    const int first = reader->tendon_count;
    read_tendons(reader);
    for (int i = 0; (section = poise__tag_next(reader->model->root, NULL, &i));) {
        if (poise__tag_is(section, "actuator")) {
            read_actuators(reader, section);
        } else if (poise__tag_is(section, "equality")) {
            read_equalities(reader, section);
        } else if (!poise__tag_is(section, "keyframe")) {
            const Element* contact = poise__tag_is(section, "contact") ? section : NULL;
            for (int k = 0; (key = poise__tag_next(contact, "exclude", &k));) {
                poise__robot_exclude(&reader->base, key, bodies, reader->prefix, reader->whole);
            }
            note_section(reader, section);
        } else if (!reader->model->around) {
            for (int k = 0; (key = poise__tag_next(section, "key", &k));) {
                read_keyframe(reader, key);
            }
        }
    }
    use_tendons(reader, first);
}

bool poise__mjcf_read(RobotReader* base, Element* root) {
    const int errors = poise_diagnostics_count(base->diagnostics, POISE_ERROR);
    Document* document = base->document;
    MjcfReader reader = {.base = *base, .prefix = "", .whole = true};
    MjcfModel* model = poise__mjcf_open(&reader, document, root, NULL);
    if (!model) {
        return false;
    }
    if (!poise__element_find(root, "worldbody")) {
        return poise__robot_refuse(base, root->mark, "a model without <worldbody>");
    }
    poise__mjcf_read_bodies(&reader);
    poise__mjcf_read_sections(&reader);
    for (int i = 0; i < reader.attached_count; i++) {
        poise__mjcf_enter(&reader, reader.attached[i].model);
        reader.prefix = reader.attached[i].prefix;
        reader.whole = reader.attached[i].whole;
        poise__mjcf_read_sections(&reader);
    }
    return !document->arena->failed &&
           poise_diagnostics_count(base->diagnostics, POISE_ERROR) == errors &&
           poise__robot_sort(&reader.base);
}
