// SPDX-License-Identifier: MIT
// The tables of `joints:` and of a robot's joints.
#include <string.h>

#include "coordinates.h"
#include "number.h"
#include "spec.h"

static void read_limits(Reader* reader, const Element* element, void* record);
static void read_natural(Reader* reader, const Element* element, void* record);

// ---------------------------------------------------------------------------------------- tables

static const Field spring_fields[] = {
    {"spring", FIELD_NUMBER, offsetof(PoiseSpring, stiffness), .range = BETWEEN(0.0, 1e15),
     .unit = "N m/rad (slider: N/m)", .fallback = "0", .help = "stiffness",
     .live = LOG_SLIDER(1.0, 1e5)},
    {"damper", FIELD_NUMBER, offsetof(PoiseSpring, damping), .range = BETWEEN(0.0, 1e15),
     .unit = "N m s/rad (slider: N s/m)", .fallback = "0", .help = "damping",
     .live = LOG_SLIDER(0.1, 1e4)},
};

static const Schema spring_schema = {
    .name = "a spring",
    .title = "A spring",
    .help =
        "torque = spring * (target - angle) + damper * (target's velocity - velocity). `off` is "
        "none.",
    ROWS(spring_fields),
    .may_be_off = true,
};

#define JOINT(member) offsetof(PoiseSceneJoint, member)

typedef struct ConeSpec {
    double swing;
    double twist;
} ConeSpec;

#define CONE(member) offsetof(ConeSpec, member)

static const Field cone_fields[] = {
    {"swing", FIELD_ANGLE, CONE(swing), .range = ABOVE(0.0, (double)INFINITY), .unit = "angle",
     .help = "how far the child's axis may lean from where it starts; at most half a turn"},
    {"twist", FIELD_ANGLE, CONE(twist), .range = ABOVE(0.0, (double)INFINITY), .unit = "angle",
     .help = "how far it may turn about that axis, to either side; at most half a turn"},
};

static const Schema cone_schema = {
    .name = "a ball's limits", .title = "A ball's limits", ROWS(cone_fields)};

// clang-format off
#define SPRINGS \
    {"original", FIELD_MAP, JOINT(bind.original), .schema = &spring_schema, .fallback = "off", \
     .help = "pulls toward the natural posture (p_orig, d_orig)"}, \
    {"ik", FIELD_MAP, JOINT(bind.ik), .schema = &spring_schema, \
     .fallback = "{spring: 100, damper: 10}", \
     .help = "pulls toward the joint angle of IK (p_ik, d_ik); off: IK leaves it alone"}, \
    {"max_torque", FIELD_NUMBER, JOINT(bind.torque_limit), .range = ANY_ABOVE(0.0), \
     .unit = "N m (slider: N)", .fallback = "inf", .live = LOG_SLIDER(0.1, 1e4), \
     .help = "the most both springs together may give; a robot's comes from its effort"}, \
    {"max_speed", FIELD_JOINT_SPEED, JOINT(bind.speed_limit), .range = ANY_ABOVE(0.0), \
     .unit = "angle/s (slider: m/s)", .fallback = "inf", .live = LOG_SLIDER(0.01, 100.0), \
     .help = "the fastest IK and springs move it; a robot's comes from its velocity"}, \
    {"friction", FIELD_NUMBER, JOINT(bind.friction), .range = BETWEEN(0.0, 1e9), \
     .unit = "N m (slider: N)", .fallback = "0", \
     .help = "dry friction of a hinge or slider; a robot's comes from its file"}, \
    {"armature", FIELD_NUMBER, JOINT(armature), .range = BETWEEN(0.0, 1e9), .unit = "kg m^2", \
     .fallback = "0", \
     .help = "inertia of what drives a hinge, which its child gets about the axis; a robot's " \
             "comes from its file"}, \
    {"enabled", FIELD_SWITCH, JOINT(enabled), .fallback = "on", .live = LIVE, \
     .help = "off: it keeps the angle that it has, held there by its springs, and the others " \
             "move for the points"}, \
    {"bias", FIELD_NUMBER, JOINT(bias), .range = ABOVE(0.0, 1e6), .fallback = "1", \
     .live = LOG_SLIDER(0.1, 10.0), \
     .help = "a joint of bias 2 takes half the part of one of bias 1"}

#define POSTURE \
    {"limits", FIELD_CUSTOM, 0, .read = read_limits, .schema = &cone_schema, \
     .form = "[lower, upper]; a universal: two of them; a ball: {swing, twist}; off", \
     .unit = "angle (slider: m)", .fallback = "(none; a robot's are its own)", \
     .help = "the range, infinities allowed"}, \
    {"natural", FIELD_CUSTOM, JOINT(bind.natural), .read = read_natural, \
     .form = "number; a universal: [a, b]; a ball: [w, x, y, z], {axis, angle} or {rpy}", \
     .unit = "angle (slider: m)", .fallback = "(0)", .live = SLIDER(-3.2, 3.2), \
     .help = "where the original spring rests, counted from the starting pose"}
// clang-format on

static const Field joint_fields[] = {
    {"hinge", FIELD_VEC3, JOINT(anchor), .unit = "m",
     .help = "the place of a joint that turns about `axis`"},
    {"slider", FIELD_VEC3, JOINT(anchor), .unit = "m",
     .help = "the place of a joint that moves along `axis`"},
    {"ball", FIELD_VEC3, JOINT(anchor), .unit = "m",
     .help = "the place of a joint that turns about any axis"},
    {"universal", FIELD_VEC3, JOINT(anchor), .unit = "m",
     .help = "the place of a joint that turns about `axis`, then about `axis2`"},
    {"floating", FIELD_SWITCH, offsetof(JointSpec, floating), .fallback = "off",
     .help =
         "on: no joint at all, but the base of a figure: between `world` and the body that the "
         "rest hangs on. Nothing holds it, and IK moves it while points carry it; with `ik` and "
         "`ik_linear` springs to the world turn and carry it to where IK wants it"},
    {"axis", FIELD_AXIS, JOINT(axis), .fallback = "[0, 0, 1]",
     .help =
         "of a hinge, slider or universal, which need it, any length; of a ball: what its limits "
         "are about, by itself from its place to the child's centre of mass"},
    {"axis2", FIELD_AXIS, JOINT(axis2), .fallback = "[0, 0, 1]",
     .help = "the second of a universal, at right angles to the first, which carries it along"},
    {"between", FIELD_NAMES, offsetof(JointSpec, between), .required = true,
     .form = "[parent, child]",
     .help = "the two bodies: body names, `robot/link`, or `world` for the parent"},
    POSTURE,
    SPRINGS,
    {"ik_linear", FIELD_MAP, JOINT(bind.ik_linear), .schema = &spring_schema, .fallback = "off",
     .help = "of a floating base that `ik` turns: what carries it, N/m and N s/m"},
    {"max_force", FIELD_NUMBER, JOINT(bind.force_limit), .range = ANY_ABOVE(0.0), .unit = "N",
     .fallback = "inf", .help = "the most that `ik_linear` may give"},
};

static const Field settings_fields[] = {POSTURE, SPRINGS};
static const Field defaults_fields[] = {SPRINGS};

const Schema poise__joint_schema = {
    .name = "a joint",
    .title = "A joint",
    .help =
        "One of `hinge`, `slider`, `ball`, `universal`, `floating` says what it is. Bodies start "
        "with every joint at 0.",
    ROWS(joint_fields),
};

const Schema poise__joint_settings_schema = {
    .name = "a robot's joint",
    .title = "A robot's joint",
    .help = "What the URDF does not say, or says otherwise.",
    ROWS(settings_fields),
};

const Schema poise__joint_defaults_schema = {
    .name = "the defaults of joints",
    .title = "Defaults of joints",
    .help = "What joints have that do not say otherwise, those of robots included.",
    ROWS(defaults_fields),
};

PoiseSceneJoint poise__default_scene_joint(void) {
    JointSpec spec = {.joint = {.bind = poise_default_bind_def(),
                                .limits = poise_no_limits(),
                                .mimics = -1,
                                .weld = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                                .driven = true}};
    poise__schema_set_fallbacks(&poise__joint_schema, &spec);
    return spec.joint;
}

// ------------------------------------------------------------------------------ limits and posture

static void refuse_joint(Reader* reader, const Element* element, const char* text) {
    poise__refuse(reader, element, "joint '%.60s': %s", reader->item, text);
}

static void check_angle(Reader* reader, const Element* element, const PoiseSceneJoint* joint,
                        double angle) {
    bool slides = poise_kind_slides(joint->kind);
    poise__angle_check(reader->diagnostics, reader->angle_unit_given || slides, element->mark,
                       angle);
}

// Returns the finite number that is farther from 0; 0 if both are infinite.
static double farther(double a, double b) {
    a = isfinite(a) ? a : 0.0;
    b = isfinite(b) ? b : 0.0;
    return fabs(a) > fabs(b) ? a : b;
}

static void check_half_turn(Reader* reader, const Element* element, const char* key, double angle) {
    const Element* child = poise__element_find(element, key);
    // Half a turn in degrees may exceed pi by rounding.
    if (child && angle > PI * (1.0 + 1e-9)) {
        poise__refuse(reader, child, "'%s' must be at most half a turn, not %s", key, child->text);
    }
}

static void read_cone(Reader* reader, const Element* element, PoiseSceneJoint* joint) {
    ConeSpec cone = {0.0, 0.0};
    poise__schema_read(reader, &cone_schema, element, &cone);
    check_half_turn(reader, element, "swing", cone.swing);
    check_half_turn(reader, element, "twist", cone.twist);
    if (poise_kind_turns(joint->kind)) {
        const double swing = cone.swing > 0.0 ? cone.swing : joint->limits.upper[0];
        const double twist = cone.twist > 0.0 ? cone.twist : joint->limits.upper[2];
        joint->limits = poise_cone(swing, -twist, twist);
    } else if (joint->kind && (cone.swing > 0.0 || cone.twist > 0.0)) {
        refuse_joint(reader, element,
                     poise_kind_axes(joint->kind) == 2
                         ? "a universal's limits are [[lower, upper], [lower, upper]]"
                         : "a hinge's or slider's limits are [lower, upper]");
    }
}

// Reads an interval of two ascending numbers that contains a finite number, and converts it to SI
// units.
static bool read_range(Reader* reader, const Element* element, double numbers[2]) {
    if (!poise__read_numbers(reader, element, (Range){-(double)INFINITY, (double)INFINITY, 0, true},
                             numbers, 2)) {
        return false;
    }
    if (numbers[0] > numbers[1]) {
        poise__refuse(reader, element, "the lower limit %g is above the upper limit %g", numbers[0],
                      numbers[1]);
        return false;
    }
    if (numbers[0] == (double)INFINITY || numbers[1] == -(double)INFINITY) {
        poise__refuse(reader, element, "between these limits there is no place: [%g, %g]",
                      numbers[0], numbers[1]);
        return false;
    }
    numbers[0] *= reader->joint_unit;
    numbers[1] *= reader->joint_unit;
    return true;
}

// Reads one range, or two for a universal (`pair`).
static void read_ranges(Reader* reader, const Element* element, bool pair, PoiseSceneJoint* joint) {
    double ranges[2][2];
    const bool universal = poise_kind_axes(joint->kind) == 2;
    for (int i = 0; i < (pair ? 2 : 1); i++) {
        Element item = pair ? *element->children[i] : *element;
        item.key = element->key;
        if (!read_range(reader, &item, ranges[i])) {
            return;
        }
    }
    if (!joint->kind) {
        return;
    }
    if (poise_kind_turns(joint->kind) && !pair) {
        refuse_joint(reader, element, "a ball's limits are {swing, twist}");
        return;
    }
    if (pair != universal) {
        refuse_joint(reader, element,
                     universal ? "a universal's limits are [[lower, upper], [lower, upper]]"
                               : "two ranges are a universal's limits");
        return;
    }
    for (int i = 0; i < (pair ? 2 : 1); i++) {
        joint->limits.lower[i] = ranges[i][0];
        joint->limits.upper[i] = ranges[i][1];
        check_angle(reader, element, joint, farther(ranges[i][0], ranges[i][1]));
    }
}

static void read_limits(Reader* reader, const Element* element, void* record) {
    if (poise__element_is_off(element)) {
        ((PoiseSceneJoint*)record)->limits = poise_no_limits();
    } else if (element->kind == ELEMENT_MAP) {
        read_cone(reader, element, record);
    } else {
        const bool pair = element->kind == ELEMENT_LIST && element->child_count == 2 &&
                          element->children[0]->kind == ELEMENT_LIST &&
                          element->children[1]->kind == ELEMENT_LIST;
        read_ranges(reader, element, pair, record);
    }
}

static void read_two_angles(Reader* reader, const Element* element, PoiseSceneJoint* joint) {
    double pair[2];
    if (!poise__read_numbers(reader, element, poise__range_any, pair, 2) || !joint->kind) {
        return;
    }
    if (poise_kind_axes(joint->kind) != 2) {
        refuse_joint(reader, element, "two angles are a universal's natural posture");
        return;
    }
    joint->bind.natural[0] = reader->joint_unit * pair[0];
    joint->bind.natural[1] = reader->joint_unit * pair[1];
    check_angle(reader, element, joint, farther(joint->bind.natural[0], joint->bind.natural[1]));
}

static void read_one_angle(Reader* reader, const Element* element, PoiseSceneJoint* joint) {
    double number = 0.0;
    if (!poise__read_number(reader, element, poise__range_any, &number) || !joint->kind) {
        return;
    }
    if (poise_kind_axes(joint->kind) == 2) {
        refuse_joint(reader, element, "a universal's natural posture is two angles: [a, b]");
    } else if (poise_kind_turns(joint->kind) && number != 0.0) {
        refuse_joint(
            reader, element,
            "a ball's natural posture is a rotation: [w, x, y, z], {axis, angle} or {rpy}");
    } else {
        joint->bind.natural[0] = reader->joint_unit * number;
        check_angle(reader, element, joint, joint->bind.natural[0]);
    }
}

static void read_turn(Reader* reader, const Element* element, PoiseSceneJoint* joint) {
    PoiseQuat rotation;
    if (!poise__read_rotation(reader, element, &rotation) || !joint->kind) {
        return;
    }
    if (poise_kind_turns(joint->kind)) {
        poise__quat_write(rotation, joint->bind.natural);
    } else {
        refuse_joint(reader, element,
                     poise_kind_axes(joint->kind) == 2
                         ? "a universal's natural posture is two angles: [a, b]"
                         : "the natural posture of a hinge or slider is a number");
    }
}

static void read_natural(Reader* reader, const Element* element, void* record) {
    if (element->kind == ELEMENT_SCALAR) {
        read_one_angle(reader, element, record);
    } else if (element->kind == ELEMENT_LIST && element->child_count == 2) {
        read_two_angles(reader, element, record);
    } else {
        read_turn(reader, element, record);
    }
}
