// SPDX-License-Identifier: MIT
// What `joints:` and the joints of a robot may hold.
#include <math.h>

#include "base/number.h"
#include "spec.h"

static void read_limits(Reader* reader, const Element* element, void* value);
static void read_natural(Reader* reader, const Element* element, void* value);

// ---------------------------------------------------------------------------------------- tables

static const Field spring_fields[] = {
    {.key = "spring",
     .type = FIELD_NUMBER,
     .offset = offsetof(SpringSpec, spring.stiffness),
     .range = {0.0, 1e15, false, false},
     .fallback = "0",
     .unit = "N m/rad (slider: N/m)",
     .help = "stiffness"},
    {.key = "damper",
     .type = FIELD_NUMBER,
     .offset = offsetof(SpringSpec, spring.damping),
     .range = {0.0, 1e15, false, false},
     .fallback = "0",
     .unit = "N m s/rad (slider: N s/m)",
     .help = "damping"},
};

const Schema poise__spring_schema = {
    .name = "a spring",
    .title = "A spring",
    .help =
        "torque = spring * (target - angle) + damper * (target's velocity - velocity). `off` is "
        "none.",
    .fields = spring_fields,
    .field_count = 2,
    .given_offset = offsetof(SpringSpec, given),
    .off_offset = offsetof(SpringSpec, off),
};

static const Field cone_fields[] = {
    {.key = "swing",
     .type = FIELD_ANGLE,
     .offset = offsetof(LimitsSpec, swing),
     .range = {0.0, (double)INFINITY, true, false},
     .unit = "angle",
     .help = "how far the child's axis may lean from where it starts; at most half a turn"},
    {.key = "twist",
     .type = FIELD_ANGLE,
     .offset = offsetof(LimitsSpec, twist),
     .range = {0.0, (double)INFINITY, true, false},
     .unit = "angle",
     .help = "how far it may turn about that axis, to either side; at most half a turn"},
};

const Schema poise__cone_schema = {
    .name = "a ball's limits",
    .title = "A ball's limits",
    .fields = cone_fields,
    .field_count = 2,
    .given_offset = offsetof(LimitsSpec, given),
};

#define SPRINGS                                                                                    \
    {.key = "original",                                                                            \
     .type = FIELD_MAP,                                                                            \
     .offset = offsetof(JointSpec, original),                                                      \
     .schema = &poise__spring_schema,                                                              \
     .fallback = "off",                                                                            \
     .help = "pulls toward the natural posture (p_orig, d_orig)"},                                 \
        {.key = "ik",                                                                              \
         .type = FIELD_MAP,                                                                        \
         .offset = offsetof(JointSpec, ik),                                                        \
         .schema = &poise__spring_schema,                                                          \
         .fallback = "{spring: 100, damper: 10}",                                                  \
         .help = "pulls toward where IK wants the joint (p_ik, d_ik); off: IK leaves it alone"},   \
        {.key = "max_torque",                                                                      \
         .type = FIELD_NUMBER,                                                                     \
         .offset = offsetof(JointSpec, max_torque),                                                \
         .range = {0.0, (double)INFINITY, true, true},                                             \
         .fallback = "inf",                                                                        \
         .unit = "N m (slider: N)",                                                                \
         .help = "the most both springs together may give; a robot's comes from its effort"},      \
        {.key = "max_speed",                                                                       \
         .type = FIELD_NUMBER,                                                                     \
         .offset = offsetof(JointSpec, max_speed),                                                 \
         .range = {0.0, (double)INFINITY, true, true},                                             \
         .fallback = "inf",                                                                        \
         .unit = "angle/s (slider: m/s)",                                                          \
         .help = "the fastest IK and springs move it; a robot's comes from its velocity"},         \
    {                                                                                              \
        .key = "bias", .type = FIELD_NUMBER, .offset = offsetof(JointSpec, bias),                  \
        .range = {0.0, 1e6, true, false}, .fallback = "1",                                         \
        .help = "a joint of bias 2 takes half the part of one of bias 1"                           \
    }

#define POSTURE                                                                                    \
    {.key = "limits",                                                                              \
     .type = FIELD_CUSTOM,                                                                         \
     .offset = offsetof(JointSpec, limits),                                                        \
     .read = read_limits,                                                                          \
     .schema = &poise__cone_schema,                                                                \
     .form = "[lower, upper]; a universal: two of them; a ball: {swing, twist}; off",              \
     .unit = "angle (slider: m)",                                                                  \
     .fallback = "(none; a robot's are its own)",                                                  \
     .help = "the range, infinities allowed"},                                                     \
    {                                                                                              \
        .key = "natural", .type = FIELD_CUSTOM, .offset = offsetof(JointSpec, natural),            \
        .read = read_natural,                                                                      \
        .form = "number; a universal: [a, b]; a ball: [w, x, y, z], {axis, angle} or {rpy}",       \
        .unit = "angle (slider: m)", .fallback = "(0)",                                            \
        .help = "where the original spring rests, counted from the starting pose"                  \
    }

static const Field joint_fields[] = {
    {.key = "hinge",
     .type = FIELD_VEC3,
     .offset = offsetof(JointSpec, hinge),
     .unit = "m",
     .help = "the place of a joint that turns about `axis`"},
    {.key = "slider",
     .type = FIELD_VEC3,
     .offset = offsetof(JointSpec, slider),
     .unit = "m",
     .help = "the place of a joint that moves along `axis`"},
    {.key = "ball",
     .type = FIELD_VEC3,
     .offset = offsetof(JointSpec, ball),
     .unit = "m",
     .help = "the place of a joint that turns about any axis"},
    {.key = "universal",
     .type = FIELD_VEC3,
     .offset = offsetof(JointSpec, universal),
     .unit = "m",
     .help = "the place of a joint that turns about `axis`, then about `axis2`"},
    {.key = "floating",
     .type = FIELD_SWITCH,
     .offset = offsetof(JointSpec, floating),
     .fallback = "off",
     .help =
         "on: no joint at all, but the base of a figure that nothing holds: between `world` and "
         "the body that the rest hangs on; IK moves it while points carry it, nothing drives "
         "it"},
    {.key = "axis",
     .type = FIELD_AXIS,
     .offset = offsetof(JointSpec, axis),
     .fallback = "[0, 0, 1]",
     .help =
         "of a hinge, slider or universal, which need it, any length; of a ball: what its limits "
         "are about, by itself from its place to the child's centre of mass"},
    {.key = "axis2",
     .type = FIELD_AXIS,
     .offset = offsetof(JointSpec, axis2),
     .fallback = "[0, 0, 1]",
     .help = "the second of a universal, at right angles to the first, which carries it along"},
    {.key = "between",
     .type = FIELD_NAMES,
     .offset = offsetof(JointSpec, between),
     .required = true,
     .form = "[parent, child]",
     .help = "the two bodies: body names, `robot/link`, or `world` for the parent"},
    POSTURE,
    SPRINGS,
};

static const Field override_fields[] = {POSTURE, SPRINGS};
static const Field defaults_fields[] = {SPRINGS};

const Schema poise__joint_schema = {
    .name = "a joint",
    .title = "A joint",
    .help =
        "One of `hinge`, `slider`, `ball`, `universal`, `floating` says what it is. Bodies start "
        "with every joint at 0.",
    .fields = joint_fields,
    .field_count = (int)(sizeof joint_fields / sizeof joint_fields[0]),
    .given_offset = offsetof(JointSpec, given),
};

const Schema poise__joint_override_schema = {
    .name = "a robot's joint",
    .title = "A robot's joint",
    .help = "What the URDF does not say, or says otherwise.",
    .fields = override_fields,
    .field_count = (int)(sizeof override_fields / sizeof override_fields[0]),
    .given_offset = offsetof(JointSpec, given),
};

const Schema poise__joint_defaults_schema = {
    .name = "the defaults of joints",
    .title = "Defaults of joints",
    .help = "What joints have that do not say otherwise, those of robots included.",
    .fields = defaults_fields,
    .field_count = (int)(sizeof defaults_fields / sizeof defaults_fields[0]),
    .given_offset = offsetof(JointSpec, given),
};

// --------------------------------------------------------------------------------------- readers

static void check_half_turn(Reader* reader, const Element* element, const char* key, double angle) {
    const Element* child = poise__element_find(element, key);
    // a hair more than pi, for degrees that do not divide evenly
    if (child && angle > PI * (1.0 + 1e-9)) {
        poise__refuse(reader, child, "'%s' must be at most half a turn, not %s", key, child->text);
    }
}

// two numbers in order, between which there is a place
static bool read_range(Reader* reader, const Element* element, double numbers[2]) {
    static const Range range = {-(double)INFINITY, (double)INFINITY, false, true};
    if (!poise__read_numbers(reader, element, range, numbers, 2)) {
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
    return true;
}

static void read_two_ranges(Reader* reader, const Element* element, LimitsSpec* limits) {
    double ranges[2][2];
    for (int i = 0; i < 2; i++) {
        Element item = *element->children[i];
        item.key = element->key;
        if (!read_range(reader, &item, ranges[i])) {
            return;
        }
    }
    limits->has_range2 = true;
    limits->lower = ranges[0][0];
    limits->upper = ranges[0][1];
    limits->lower2 = ranges[1][0];
    limits->upper2 = ranges[1][1];
}

static void read_limits(Reader* reader, const Element* element, void* value) {
    LimitsSpec* limits = value;
    limits->off = poise__element_is_off(element);
    if (limits->off) {
        return;
    }
    if (element->kind == ELEMENT_MAP) {
        poise__schema_read(reader, &poise__cone_schema, element, limits);
        check_half_turn(reader, element, "swing", limits->swing);
        check_half_turn(reader, element, "twist", limits->twist);
        return;
    }
    if (element->kind == ELEMENT_LIST && element->child_count == 2 &&
        element->children[0]->kind == ELEMENT_LIST && element->children[1]->kind == ELEMENT_LIST) {
        read_two_ranges(reader, element, limits);
        return;
    }
    double numbers[2];
    if (!read_range(reader, element, numbers)) {
        return;
    }
    limits->has_range = true;
    limits->lower = numbers[0];
    limits->upper = numbers[1];
}

static void read_natural(Reader* reader, const Element* element, void* value) {
    NaturalSpec* natural = value;
    if (element->kind == ELEMENT_SCALAR) {
        natural->has_number =
            poise__read_number(reader, element, poise__range_any, &natural->number);
    } else if (element->kind == ELEMENT_LIST && element->child_count == 2) {
        natural->has_pair =
            poise__read_numbers(reader, element, poise__range_any, natural->pair, 2);
    } else {
        natural->has_rotation = poise__read_rotation(reader, element, &natural->rotation);
    }
}

static void read_joint(Reader* reader, const Element* element, void* item) {
    const SceneSpec* scene = reader->context;
    JointSpec* joint = item;
    *joint = scene->defaults.joint;
    joint->given = 0;
    poise__schema_read(reader, &poise__joint_schema, element, joint);
}

void poise__joints_read(Reader* reader, const Element* element, void* list) {
    static const NameMap map = {"a joint", sizeof(JointSpec), false, read_joint};
    JointList* joints = list;
    joints->items = poise__name_map_read(reader, element, &map, &joints->count);
}
