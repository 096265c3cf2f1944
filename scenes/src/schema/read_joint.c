// SPDX-License-Identifier: MIT
// Reads a joint of the scene: its kind, and the checks that its keys fit together.
#include <math.h>

#include "coordinates.h"
#include "spec.h"

static const struct {
    const char* key;
    PoiseNodeKind kind;
} kinds[] = {{"hinge", POISE_NODE_HINGE},
             {"slider", POISE_NODE_SLIDER},
             {"universal", POISE_NODE_UNIVERSAL},
             {"ball", POISE_NODE_BALL},
             {"floating", POISE_NODE_FREE}};

// Two axes are at a right angle if their angle deviates by at most this, rad.
#define RIGHT_ANGLE 1e-6

// Reports an error at the value of `key`; NULL: at the joint's name.
static void refuse(Reader* reader, const Element* element, const char* key, const char* text) {
    PoiseMark mark = key ? poise__value_mark(element, key) : element->key_mark;
    REFUSE(reader, mark, "joint '%.60s': %s", element->key, text);
}

// Returns the kind of the first key that names a kind, else 0; `named`: number of such keys.
static PoiseNodeKind kind_of(const Element* element, int* named) {
    PoiseNodeKind kind = (PoiseNodeKind)0;
    *named = 0;
    for (size_t i = sizeof kinds / sizeof kinds[0]; i-- > 0;) {
        const Element* child = poise__element_find(element, kinds[i].key);
        if (child && !(poise_kind_floats(kinds[i].kind) && poise__element_is_off(child))) {
            kind = kinds[i].kind;
            ++*named;
        }
    }
    return kind;
}

static void check_axes(Reader* reader, const Element* element, const PoiseSceneJoint* joint) {
    const bool universal = poise_kind_axes(joint->kind) == 2;
    const bool first = poise__is_written(element, "axis");
    const bool second = poise__is_written(element, "axis2");
    if (second && !universal) {
        refuse(reader, element, "axis2", "a second axis is a universal's");
    } else if (universal && first && !second) {
        refuse(reader, element, NULL, "a universal needs its 'axis2'");
    } else if (universal && first && fabs(poise_dot(joint->axis, joint->axis2)) > RIGHT_ANGLE) {
        refuse(reader, element, "axis2", "the two axes must be at right angles");
    }
    if (poise_kind_turns(joint->kind)) {
        if (first && !poise__is_written(element, "limits")) {
            refuse(reader, element, "axis", "a ball has no axis but that of its 'limits'");
        }
    } else if (!poise_kind_floats(joint->kind) && !first) {
        refuse(reader, element, NULL,
               universal ? "a universal needs its 'axis' and 'axis2'"
                         : "a hinge or slider needs its 'axis'");
    }
}

// Checks a floating base: its place follows from its body, and only springs to the world hold it.
static void set_floating(Reader* reader, const Element* element, PoiseSceneJoint* joint) {
    static const char* const idle[] = {"axis", "limits", "natural", "original"};
    for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++) {
        if (poise__is_written(element, idle[i])) {
            refuse(reader, element, idle[i],
                   "a floating base has neither axis, limits nor a spring of its own: 'ik' and "
                   "'ik_linear' hold it");
        }
    }
    // A floating base has its own defaults instead of those of joints.
    const PoiseSpring none = {0.0, 0.0};
    joint->bind.original = none;
    joint->bind.ik = poise__is_written(element, "ik") ? joint->bind.ik : none;
    if (!poise__is_written(element, "max_torque")) {
        joint->bind.torque_limit = (double)INFINITY;
    }
    if (!poise__is_written(element, "max_speed")) {
        joint->bind.speed_limit = (double)INFINITY;
    }
    const bool turned = joint->bind.ik.stiffness > 0.0;
    const bool carried = joint->bind.ik_linear.stiffness > 0.0;
    if (turned != carried) {
        refuse(reader, element, turned ? "ik" : "ik_linear",
               "a base is held by both: 'ik' turns it, 'ik_linear' carries it");
    }
}

// Reports settings that only a floating base has.
static void check_linear(Reader* reader, const Element* element) {
    static const char* const linear[] = {"ik_linear", "max_force"};
    for (size_t i = 0; i < sizeof linear / sizeof linear[0]; i++) {
        if (poise__is_written(element, linear[i])) {
            refuse(reader, element, linear[i], "this is for floating bases: see 'floating'");
        }
    }
}

static void reflect(const Image* image, PoiseSceneJoint* joint) {
    const bool directed = poise_kind_slides(joint->kind) || poise_kind_turns(joint->kind);
    joint->anchor = poise__reflect(image, joint->anchor);
    joint->axis2 = poise__reflect_turn(image, joint->axis2);
    joint->axis =
        directed ? poise__reflect(image, joint->axis) : poise__reflect_turn(image, joint->axis);
    if (poise_kind_turns(joint->kind)) {
        const PoiseQuat turn = poise__reflect_quat(image, poise__quat_read(joint->bind.natural));
        poise__quat_write(turn, joint->bind.natural);
    }
}

// Checks that the keys fit together, and sets the values that follow from the kind.
static void complete(Reader* reader, const Element* element, JointSpec* spec, int named) {
    PoiseSceneJoint* joint = &spec->joint;
    if (named != 1) {
        refuse(reader, element, NULL,
               "one of 'hinge', 'slider', 'ball', 'universal', 'floating' must say what it is");
        return;
    }
    check_axes(reader, element, joint);
    if (poise_kind_floats(joint->kind)) {
        set_floating(reader, element, joint);
    } else {
        check_linear(reader, element);
    }
    if (poise_kind_turns(joint->kind) && !poise__is_written(element, "axis")) {
        joint->axis = poise_vec3(0.0, 0.0, 0.0);
    }
    if (spec->between.count == 2) {
        joint->parent = spec->between.items[0];
        joint->child = spec->between.items[1];
    } else {
        refuse(reader, element, "between", "'between' names two bodies, the parent first");
    }
}

static void read_joint(Reader* reader, const Element* element, void* item) {
    const SceneSpec* scene = reader->context;
    JointSpec spec = {.joint = scene->defaults.joint};
    PoiseSceneJoint* joint = &spec.joint;
    int named = 0;
    joint->name = reader->item;
    joint->mark = element->key_mark;
    joint->kind = kind_of(element, &named);
    reader->joint_unit = poise_kind_slides(joint->kind) ? 1.0 : reader->angle_unit;
    joint->bind.speed_limit *= reader->joint_unit;
    const int errors = poise__reader_errors(reader);
    poise__schema_read(reader, &poise__joint_schema, element, &spec);
    reader->joint_unit = 1.0;
    if (poise__reader_errors(reader) == errors) {
        complete(reader, element, &spec, named);
    }
    if (reader->image) {
        reflect(reader->image, joint);
    }
    *(PoiseSceneJoint*)item = *joint;
}

const NameMap poise__joint_items = {.kind = "a joint",
                                    .item_size = sizeof(PoiseSceneJoint),
                                    .mirrored = true,
                                    .most = MAX_SCENE_JOINTS,
                                    .read_item = read_joint};
