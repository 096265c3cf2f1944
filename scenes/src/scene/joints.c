// SPDX-License-Identifier: MIT
// Builds the joints that the scene itself defines, and resolves their bodies.
#include <string.h>

#include "builder.h"

static bool is_world(const PoiseRef* body) {
    return body->name && strcmp(body->name, "world") == 0;
}

// Returns why the joint cannot be between its bodies, or NULL if it can. The child must be able to
// move, and a floating base has the world as parent.
static const char* wrong_bodies(const Builder* builder, const PoiseSceneJoint* joint) {
    const int parent = joint->parent.index;
    const int child = joint->child.index;
    const bool fixed_parent = parent < 0 || builder->bodies[parent].fixed;
    const bool fixed_child = builder->bodies[child].fixed;
    return child == parent               ? "both sides are the same body"
           : fixed_child && fixed_parent ? "neither of the two bodies can move"
           : fixed_child                 ? "the child is fixed: name the fixed body first"
           : poise_kind_floats(joint->kind) && parent >= 0
               ? "what floats does so in the world: name it first"
               : NULL;
}

static bool find_bodies(Builder* builder, const Header* header, PoiseSceneJoint* joint) {
    const char* wrong = "the world cannot be the child: name it first";
    if (!is_world(&joint->child)) {
        const bool child = poise__build_resolve_body(builder, &joint->child) != NULL;
        const bool parent =
            is_world(&joint->parent) || poise__build_resolve_body(builder, &joint->parent);
        if (!child || !parent) {
            return false;
        }
        joint->parent.index = is_world(&joint->parent) ? -1 : joint->parent.index;
        wrong = wrong_bodies(builder, joint);
    }
    if (wrong) {
        REFUSE(builder, poise__value_mark(header->element, "between"), "joint '%.60s': %s",
               joint->name, wrong);
    }
    return !wrong;
}

static void resolve_joint(Builder* builder, const Header* header, PoiseSceneJoint* joint) {
    if (header->broken || !find_bodies(builder, header, joint)) {
        poise__build_lose(builder, joint->name);
        return;
    }
    if (poise_kind_floats(joint->kind)) {
        joint->anchor = builder->bodies[joint->child.index].pose.p;
    }
    poise__build_add_joint(builder, joint);
}

void poise__build_joints(Builder* builder) {
    const SceneSpec* spec = builder->spec;
    for (int i = 0; i < spec->joints.count; i++) {
        ErrorWatch watch = poise__build_begin(builder, spec->joints.headers, i);
        resolve_joint(builder, &spec->joints.headers[i], &spec->joints.items[i]);
        poise__build_end(builder, &watch);
    }
}
