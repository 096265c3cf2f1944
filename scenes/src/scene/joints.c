// SPDX-License-Identifier: MIT
// The joints that the scene itself writes: what they are between.
#include <string.h>

#include "builder.h"

static void refuse_bodies(Builder* builder, const JointSpec* spec, const char* text) {
    poise__diagnose(builder->diagnostics, POISE_ERROR, spec->between_mark, "joint '%.60s': %s",
                    spec->joint.name, text);
}

// whether the child can move, and more freely than the parent
static bool check_movable(Builder* builder, const JointSpec* spec, const PoiseSceneJoint* joint) {
    const bool fixed_parent = joint->parent < 0 || builder->bodies[joint->parent].fixed;
    const bool fixed_child = builder->bodies[joint->child].fixed;
    const char* wrong = NULL;
    if (joint->child == joint->parent) {
        wrong = "both sides are the same body";
    } else if (fixed_child && fixed_parent) {
        wrong = "neither of the two bodies can move";
    } else if (fixed_child) {
        wrong = "the child is fixed: name the fixed body first";
    } else if (spec->floating && joint->parent >= 0) {
        wrong = "what floats does so in the world: name it first";
    }
    if (wrong) {
        refuse_bodies(builder, spec, wrong);
    }
    return !wrong;
}

// parent and child of `between`; false with an error
static bool find_bodies(Builder* builder, const JointSpec* spec, PoiseSceneJoint* joint) {
    if (!spec->between.items) {
        return false;
    }
    if (spec->between.count != 2) {
        refuse_bodies(builder, spec, "'between' names two bodies, the parent first");
        return false;
    }
    const PoiseRef* parent = &spec->between.items[0];
    const PoiseRef* child = &spec->between.items[1];
    if (strcmp(child->name, "world") == 0) {
        refuse_bodies(builder, spec, "the world cannot be the child: name it first");
        return false;
    }
    const bool on_world = strcmp(parent->name, "world") == 0;
    const int child_frame = poise__build_need_frame(builder, child->name, child->mark);
    const int parent_frame =
        on_world ? -1 : poise__build_need_frame(builder, parent->name, parent->mark);
    if (child_frame < 0 || (parent_frame < 0 && !on_world)) {
        return false;
    }
    joint->child = builder->frames[child_frame].body;
    joint->parent = on_world ? -1 : builder->frames[parent_frame].body;
    return check_movable(builder, spec, joint);
}

static void build_joint(Builder* builder, const Header* header, const JointSpec* spec) {
    PoiseSceneJoint joint = spec->joint;
    if (header->broken || !find_bodies(builder, spec, &joint)) {
        poise__build_lose(builder, joint.name);
        return;
    }
    if (spec->floating) {
        joint.anchor = builder->bodies[joint.child].pose.p;
    }
    poise__build_add_joint(builder, &joint);
}

void poise__build_joints(Builder* builder) {
    const JointList* list = &builder->spec->joints;
    for (int i = 0; i < list->count; i++) {
        Silence silence = poise__build_begin(builder, list->headers, i);
        build_joint(builder, &list->headers[i], &list->items[i]);
        poise__build_end(builder, &silence);
    }
}
