// SPDX-License-Identifier: MIT
// The joints that the scene itself writes, and the settings that all joints share.
#include <math.h>
#include <string.h>

#include "builder.h"

static void refuse_joint(Builder* builder, const JointSpec* spec, const char* key,
                         const char* text) {
    PoiseMark mark = key ? poise__value_mark(spec->header.element, key) : spec->header.mark;
    poise__diagnose(builder->diagnostics, POISE_ERROR, mark, "joint '%.60s': %s", spec->header.name,
                    text);
}

double poise__build_joint_unit(const Builder* builder, const PoiseSceneJoint* joint) {
    return joint->kind == POISE_NODE_SLIDER ? 1.0 : builder->spec->angle_unit;
}

void poise__build_check_angle(Builder* builder, const PoiseSceneJoint* joint, PoiseMark mark,
                              double angle) {
    bool given = poise__schema_given(&poise__scene_schema, builder->spec, "angles");
    poise__angle_check(builder->diagnostics, given || joint->kind == POISE_NODE_SLIDER, mark,
                       angle);
}

// of two numbers the finite one that is farther from 0, of none 0
static double farther(double a, double b) {
    a = isfinite(a) ? a : 0.0;
    b = isfinite(b) ? b : 0.0;
    return fabs(a) > fabs(b) ? a : b;
}

static void apply_limits(Builder* builder, const JointSpec* spec, PoiseSceneJoint* joint) {
    const LimitsSpec* limits = &spec->limits;
    PoiseMark mark = poise__value_mark(spec->header.element, "limits");
    bool ball = joint->kind == POISE_NODE_BALL;
    bool universal = joint->kind == POISE_NODE_UNIVERSAL;
    double unit = poise__build_joint_unit(builder, joint);
    if (limits->off) {
        joint->lower = -(double)INFINITY;
        joint->upper = (double)INFINITY;
        joint->lower2 = -(double)INFINITY;
        joint->upper2 = (double)INFINITY;
        joint->swing = (double)INFINITY;
        joint->twist = (double)INFINITY;
        return;
    }
    if (limits->has_range && ball) {
        refuse_joint(builder, spec, "limits", "a ball's limits are {swing, twist}");
    } else if ((limits->has_range && universal) || (limits->has_range2 && !universal)) {
        refuse_joint(builder, spec, "limits",
                     universal ? "a universal's limits are [[lower, upper], [lower, upper]]"
                               : "two ranges are a universal's limits");
    } else if (limits->has_range || limits->has_range2) {
        joint->lower = unit * limits->lower;
        joint->upper = unit * limits->upper;
        poise__build_check_angle(builder, joint, mark, farther(joint->lower, joint->upper));
    }
    if (limits->has_range2 && universal) {
        joint->lower2 = unit * limits->lower2;
        joint->upper2 = unit * limits->upper2;
        poise__build_check_angle(builder, joint, mark, farther(joint->lower2, joint->upper2));
    }
    bool swing = poise__schema_given(&poise__cone_schema, limits, "swing");
    bool twist = poise__schema_given(&poise__cone_schema, limits, "twist");
    if ((swing || twist) && !ball) {
        refuse_joint(builder, spec, "limits",
                     universal ? "a universal's limits are [[lower, upper], [lower, upper]]"
                               : "a hinge's or slider's limits are [lower, upper]");
        return;
    }
    joint->swing = swing ? limits->swing : joint->swing;
    joint->twist = twist ? limits->twist : joint->twist;
}

static void apply_natural(Builder* builder, const JointSpec* spec, PoiseSceneJoint* joint) {
    const NaturalSpec* natural = &spec->natural;
    PoiseMark mark = poise__value_mark(spec->header.element, "natural");
    bool ball = joint->kind == POISE_NODE_BALL;
    bool universal = joint->kind == POISE_NODE_UNIVERSAL;
    double unit = poise__build_joint_unit(builder, joint);
    if (natural->has_pair && universal) {
        joint->natural_angle = unit * natural->pair[0];
        joint->natural_angle2 = unit * natural->pair[1];
        double angle = farther(joint->natural_angle, joint->natural_angle2);
        poise__build_check_angle(builder, joint, mark, angle);
        return;
    }
    if (natural->has_pair || (universal && (natural->has_number || natural->has_rotation))) {
        refuse_joint(builder, spec, "natural",
                     universal ? "a universal's natural posture is two angles: [a, b]"
                               : "two angles are a universal's natural posture");
        return;
    }
    if (natural->has_number && ball && natural->number != 0.0) {
        refuse_joint(
            builder, spec, "natural",
            "a ball's natural posture is a rotation: [w, x, y, z], {axis, angle} or {rpy}");
    } else if (natural->has_number) {
        joint->natural_angle = unit * natural->number;
        poise__build_check_angle(builder, joint, mark, joint->natural_angle);
    }
    if (natural->has_rotation && !ball) {
        refuse_joint(builder, spec, "natural",
                     "the natural posture of a hinge or slider is a number");
    } else if (natural->has_rotation) {
        joint->natural_rotation = natural->rotation;
    }
}

static void apply_spring(const SpringSpec* spec, PoiseSpring* spring) {
    if (spec->off) {
        spring->stiffness = 0.0;
        spring->damping = 0.0;
        return;
    }
    if (poise__schema_given(&poise__spring_schema, spec, "spring")) {
        spring->stiffness = spec->spring.stiffness;
    }
    if (poise__schema_given(&poise__spring_schema, spec, "damper")) {
        spring->damping = spec->spring.damping;
    }
}

void poise__build_apply_settings(Builder* builder, const JointSpec* spec, const Schema* schema,
                                 PoiseSceneJoint* joint) {
    if (poise__schema_given(schema, spec, "original")) {
        apply_spring(&spec->original, &joint->original);
    }
    if (poise__schema_given(schema, spec, "ik")) {
        apply_spring(&spec->ik, &joint->ik);
    }
    if (poise__schema_given(schema, spec, "max_torque")) {
        joint->max_torque = spec->max_torque;
    }
    if (poise__schema_given(schema, spec, "max_speed")) {
        double unit = poise__build_joint_unit(builder, joint);
        joint->max_speed = unit * spec->max_speed;
    }
    if (poise__schema_given(schema, spec, "bias")) {
        joint->bias = spec->bias;
    }
    if (poise__schema_given(schema, spec, "limits")) {
        apply_limits(builder, spec, joint);
    }
    if (poise__schema_given(schema, spec, "natural")) {
        apply_natural(builder, spec, joint);
    }
}

// ------------------------------------------------------------------------------ the scene's own

// directions this near to a right angle, rad, are at one
#define RIGHT_ANGLE 1e-6

static void check_second_axis(Builder* builder, const JointSpec* spec, bool universal) {
    bool given = poise__schema_given(&poise__joint_schema, spec, "axis2");
    bool first = poise__schema_given(&poise__joint_schema, spec, "axis");
    if (given && !universal) {
        refuse_joint(builder, spec, "axis2", "a second axis is a universal's");
    } else if (universal && first && !given) {
        refuse_joint(builder, spec, NULL, "a universal needs its 'axis2'");
    } else if (universal && first && fabs(poise_dot(spec->axis, spec->axis2)) > RIGHT_ANGLE) {
        refuse_joint(builder, spec, "axis2", "the two axes must be at right angles");
    }
}

// nothing holds or drives it, so there is nothing to say of it
static bool check_floating(Builder* builder, const JointSpec* spec) {
    static const char* const idle[] = {"axis", "limits",     "natural",  "original",
                                       "ik",   "max_torque", "max_speed"};
    bool fine = true;
    for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++) {
        if (poise__schema_given(&poise__joint_schema, spec, idle[i])) {
            refuse_joint(builder, spec, idle[i],
                         "a floating base has neither axis, limits nor springs");
            fine = false;
        }
    }
    return fine;
}

static bool choose_kind(Builder* builder, const JointSpec* spec, PoiseSceneJoint* joint) {
    const Schema* schema = &poise__joint_schema;
    bool hinge = poise__schema_given(schema, spec, "hinge");
    bool slider = poise__schema_given(schema, spec, "slider");
    bool ball = poise__schema_given(schema, spec, "ball");
    bool universal = poise__schema_given(schema, spec, "universal");
    bool floating = spec->floating;
    joint->kind = hinge       ? POISE_NODE_HINGE
                  : slider    ? POISE_NODE_SLIDER
                  : universal ? POISE_NODE_UNIVERSAL
                  : floating  ? POISE_NODE_FREE
                              : POISE_NODE_BALL;
    joint->anchor = hinge       ? spec->hinge
                    : slider    ? spec->slider
                    : universal ? spec->universal
                                : spec->ball;
    if (hinge + slider + ball + universal + floating != 1) {
        refuse_joint(builder, spec, NULL,
                     "one of 'hinge', 'slider', 'ball', 'universal', 'floating' must say what it "
                     "is");
        return false;
    }
    check_second_axis(builder, spec, universal);
    if (floating) {
        return check_floating(builder, spec);
    }
    if (ball && poise__schema_given(schema, spec, "axis") &&
        !poise__schema_given(schema, spec, "limits")) {
        refuse_joint(builder, spec, "axis", "a ball has no axis but that of its 'limits'");
    }
    if (ball && !poise__schema_given(schema, spec, "axis")) {
        joint->axis = poise_vec3(0.0, 0.0, 0.0);
    }
    if (!ball && !poise__schema_given(schema, spec, "axis")) {
        refuse_joint(builder, spec, NULL,
                     universal ? "a universal needs its 'axis' and 'axis2'"
                               : "a hinge or slider needs its 'axis'");
    }
    return true;
}

// whether the child can move, and more freely than the parent
static bool check_movable(Builder* builder, const JointSpec* spec, const PoiseSceneJoint* joint) {
    bool fixed_parent = joint->parent < 0 || builder->bodies[joint->parent].fixed;
    bool fixed_child = builder->bodies[joint->child].fixed;
    if (fixed_child && fixed_parent) {
        refuse_joint(builder, spec, "between", "neither of the two bodies can move");
        return false;
    }
    if (fixed_child) {
        refuse_joint(builder, spec, "between", "the child is fixed: name the fixed body first");
        return false;
    }
    return true;
}

// parent and child of `between`; false with an error
static bool find_bodies(Builder* builder, const JointSpec* spec, PoiseSceneJoint* joint) {
    joint->parent = -1;
    joint->child = -1;
    if (!poise__schema_given(&poise__joint_schema, spec, "between") || !spec->between.items) {
        return false;
    }
    if (spec->between.count != 2) {
        refuse_joint(builder, spec, "between", "'between' names two bodies, the parent first");
        return false;
    }
    const Name* parent = &spec->between.items[0];
    const Name* child = &spec->between.items[1];
    if (strcmp(child->text, "world") == 0) {
        refuse_joint(builder, spec, "between", "the world cannot be the child: name it first");
        return false;
    }
    int child_frame = poise__build_need_frame(builder, child->text, child->mark);
    int parent_frame = -1;
    bool on_world = strcmp(parent->text, "world") == 0;
    if (!on_world) {
        parent_frame = poise__build_need_frame(builder, parent->text, parent->mark);
    }
    if (child_frame < 0 || (parent_frame < 0 && !on_world)) {
        return false;
    }
    joint->child = builder->frames[child_frame].body;
    joint->parent = on_world ? -1 : builder->frames[parent_frame].body;
    if (joint->child == joint->parent) {
        refuse_joint(builder, spec, "between", "both sides are the same body");
        return false;
    }
    return check_movable(builder, spec, joint);
}

static void build_joint(Builder* builder, const JointSpec* spec) {
    PoiseSceneJoint joint = {.name = spec->header.name,
                             .mark = spec->header.mark,
                             .axis = spec->axis,
                             .axis2 = spec->axis2,
                             .lower = -(double)INFINITY,
                             .upper = (double)INFINITY,
                             .lower2 = -(double)INFINITY,
                             .upper2 = (double)INFINITY,
                             .swing = (double)INFINITY,
                             .twist = (double)INFINITY,
                             .natural_rotation = poise_quat_identity(),
                             .original = spec->original.spring,
                             .ik = spec->ik.spring,
                             .max_torque = spec->max_torque,
                             .max_speed = (double)INFINITY,
                             .bias = spec->bias,
                             .mimics = -1,
                             .driven = true};
    if (spec->header.broken) {
        poise__build_lose(builder, spec->header.name);
        return;
    }
    bool known = choose_kind(builder, spec, &joint);
    double speed_unit = poise__build_joint_unit(builder, &joint);
    joint.max_speed = speed_unit * spec->max_speed;
    bool placed = find_bodies(builder, spec, &joint);
    if (joint.kind == POISE_NODE_FREE) {
        // whatever the defaults of joints are
        joint.original = (PoiseSpring){0.0, 0.0};
        joint.ik = joint.original;
        joint.max_torque = (double)INFINITY;
        joint.max_speed = (double)INFINITY;
        if (placed && joint.parent >= 0) {
            refuse_joint(builder, spec, "between",
                         "what floats does so in the world: name it first");
            placed = false;
        }
        joint.anchor = placed ? builder->bodies[joint.child].pose.p : joint.anchor;
    }
    if (spec->original.off) {
        joint.original.stiffness = 0.0;
        joint.original.damping = 0.0;
    }
    if (spec->ik.off) {
        joint.ik.stiffness = 0.0;
        joint.ik.damping = 0.0;
    }
    if (known) {
        poise__build_apply_settings(builder, spec, &poise__joint_schema, &joint);
    }
    if (known && placed) {
        (void)poise__build_add_joint(builder, &joint);
    } else {
        poise__build_lose(builder, joint.name);
    }
}

void poise__build_joints(Builder* builder) {
    JointSpec* items = builder->spec->joints.items;
    for (int i = 0; i < builder->spec->joints.count; i++) {
        int origin = items[i].header.mirrored_from - 1;
        bool mute = origin >= 0 && items[origin].header.broken;
        Silence silence = poise__build_begin(builder, &items[i].header, mute);
        build_joint(builder, &items[i]);
        poise__build_end(builder, &silence);
    }
}
