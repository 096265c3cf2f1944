// SPDX-License-Identifier: MIT
// Universal, translation and free nodes: how their posture is read off the frames, and goes to and
// fro between bindings and tree. read.c and reference.c call it where hinges, sliders and balls are
// done otherwise.
#include "rig_internal.h"

// the angle of turning `from` to `to` about an axis, as far as that can be done
static double angle_about(PoiseVec3 axis, PoiseVec3 from, PoiseVec3 to) {
    PoiseVec3 across = poise_cross(axis, from);
    double cosine = poise_dot(from, to) - poise_dot(axis, from) * poise_dot(axis, to);
    return atan2(poise_dot(across, to), cosine);
}

static double on_turn_of(double angle, double before) {
    return angle + POISE_TWO_PI * round((before - angle) / POISE_TWO_PI);
}

// q = R(axis, a) R(axis2, b): the second turn leaves its own axis, so where that is shows a
static void read_universal(Binding* binding, PoiseQuat q) {
    PoiseVec3 second = poise_quat_rotate(q, binding->axis2);
    double a = angle_about(binding->axis, binding->axis2, second);
    PoiseQuat rest =
        poise_quat_mul(poise_quat_conjugate(poise_quat_from_axis_angle(binding->axis, a)), q);
    double b = poise_quat_twist(rest, binding->axis2, NULL);
    binding->angle = on_turn_of(a, binding->angle);
    binding->angle2 = on_turn_of(b, binding->angle2);
}

void poise__read_kind(Binding* binding) {
    // where its motion has brought the child, as the joint frame sees it
    PoisePose link_in_joint = poise_pose(
        poise_quat_unrotate(binding->joint_world.q,
                            poise_sub(binding->link_world.p, binding->joint_world.p)),
        poise_quat_mul(poise_quat_conjugate(binding->joint_world.q), binding->link_world.q));
    PoisePose moved = poise_pose_mul(link_in_joint, binding->back_to_joint);
    binding->rotation = moved.q;
    if (binding->kind == POISE_NODE_UNIVERSAL) {
        read_universal(binding, moved.q);
    } else {
        binding->translation = moved.p;
    }
}

PoiseStatus poise__kind_take_posture(PoiseRig* rig, const Binding* binding) {
    switch (binding->kind) {
    case POISE_NODE_UNIVERSAL:
        return poise_node_set_angles(rig->tree, binding->node, binding->angle, binding->angle2);
    case POISE_NODE_TRANSLATION:
        return poise_node_set_translation(rig->tree, binding->node, binding->translation);
    default:
        return poise_node_set_pose(rig->tree, binding->node,
                                   poise_pose(binding->translation, binding->rotation));
    }
}

void poise__kind_read_ik(const PoiseRig* rig, Binding* binding) {
    binding->ik_angle = poise_node_angle(rig->tree, binding->node);
    binding->ik_angle2 = poise_node_angle2(rig->tree, binding->node);
    PoisePose pose = poise_node_pose(rig->tree, binding->node);
    binding->ik_rotation = pose.q;
    binding->ik_translation = pose.p;
}

bool poise__binding_is_driven(const Binding* binding) {
    return binding->ik.stiffness > 0.0 ||
           (binding->kind == POISE_NODE_FREE && binding->ik_linear.stiffness > 0.0);
}

bool poise__binding_holds_up(const Binding* binding) {
    switch (binding->kind) {
    case POISE_NODE_TRANSLATION:
        return binding->ik.stiffness + binding->original.stiffness > 0.0;
    case POISE_NODE_FREE:
        return binding->ik_linear.stiffness + binding->original_linear.stiffness > 0.0 &&
               binding->ik.stiffness + binding->original.stiffness > 0.0;
    default:
        return true;
    }
}

bool poise__binding_takes_part(const PoiseRig* rig, const Binding* binding) {
    return poise__binding_is_driven(binding) ||
           (binding->kind == POISE_NODE_FREE && poise__has_stance(rig));
}

void poise__read_limits(const PoiseRig* rig, Binding* binding) {
    binding->lower2 = poise_node_lower2(rig->tree, binding->node);
    binding->upper2 = poise_node_upper2(rig->tree, binding->node);
    binding->has_cone = poise_node_cone(rig->tree, binding->node, &binding->swing_limit,
                                        &binding->twist_lower, &binding->twist_upper);
}

// as near to `measured` as the leash is long
static double hold(double wanted, double measured, double most) {
    return poise_min(poise_max(wanted, measured - most), measured + most);
}

static bool leash_universal(PoiseRig* rig, Binding* binding, double most) {
    double a = hold(binding->ik_angle, binding->angle, most);
    double b = hold(binding->ik_angle2, binding->angle2, most);
    bool held = a != binding->ik_angle || b != binding->ik_angle2;
    binding->ik_angle = a;
    binding->ik_angle2 = b;
    if (held) {
        (void)poise_node_set_angles(rig->tree, binding->node, a, b);
    }
    return held;
}

bool poise__leash_kind(PoiseRig* rig, Binding* binding, double most) {
    if (binding->kind == POISE_NODE_UNIVERSAL) {
        return leash_universal(rig, binding, most);
    }
    if (binding->kind != POISE_NODE_TRANSLATION) {
        return false;
    }
    PoiseVec3 off = poise_sub(binding->ik_translation, binding->translation);
    double length = poise_length(off);
    if (length <= most) {
        return false;
    }
    binding->ik_translation = poise_add(binding->translation, poise_scale(most / length, off));
    (void)poise_node_set_translation(rig->tree, binding->node, binding->ik_translation);
    return true;
}
