// SPDX-License-Identifier: MIT
// A binding by its numbers, as poise_node_omega and poise_node_force_torque have them, whatever its
// kind: stiffness, what the springs and the motor give. What forces, forecasts and the integral
// reckon with.
#include <string.h>

#include "rig_internal.h"

static bool is_linear(const Binding* binding, int d) {
    return binding->kind == POISE_NODE_FREE && d < 3;
}

double poise__number_ik(const Binding* binding, int d) {
    const PoiseSpring spring = is_linear(binding, d) ? binding->ik_linear : binding->ik;
    return binding->follows_ik ? spring.stiffness : 0.0;
}

double poise__number_original(const Binding* binding, int d) {
    return is_linear(binding, d) ? binding->original_linear.stiffness : binding->original.stiffness;
}

double poise__number_limit(const Binding* binding, int d) {
    return is_linear(binding, d) ? binding->force_limit : binding->torque_limit;
}

static void put3(double* out, PoiseVec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

void poise__motor_numbers(const Binding* binding, double out[POISE_MAX_DOF]) {
    PoiseVec3 torque = poise__motor_torque(&binding->motor);
    if (binding->kind != POISE_NODE_FREE) {
        put3(out, torque);
        return;
    }
    // the motor pulls at the centre of mass, the numbers are about the anchor
    PoiseVec3 force = poise__motor_force(&binding->motor);
    PoisePose body = poise_pose_mul(binding->link_world, poise_pose_inverse(binding->link_in_body));
    PoisePose moved = poise_pose_mul(binding->link_world, binding->back_to_joint);
    put3(out, force);
    put3(&out[3], poise_add(torque, poise_cross(poise_sub(body.p, moved.p), force)));
}

// one angle of a hinge, slider or universal node
static void angle_torques(const Binding* binding, int d, double angle, double ik, double natural,
                          double* spring, double* posture) {
    const double lower = d == 0 ? binding->lower : binding->lower2;
    const double upper = d == 0 ? binding->upper : binding->upper2;
    const double p = poise__number_ik(binding, d);
    PoiseHingeDrive a = {binding->original, natural, 0.0};
    PoiseHingeDrive b = {{p, 0.0}, ik, 0.0};
    PoiseHingeDrive blended = poise_blend_hinge(a, b);
    const double target = poise_min(poise_max(blended.target, lower), upper);
    spring[d] = p * (ik - angle);
    posture[d] = blended.spring.stiffness * (target - angle) - spring[d];
}

static double second_natural(const Binding* binding) {
    const bool ranged = binding->lower2 > -HUGE_VAL || binding->upper2 < HUGE_VAL;
    const double off = binding->ik_angle2 - binding->natural_angle2;
    return binding->natural_angle2 + (ranged ? 0.0 : POISE_TWO_PI * round(off / POISE_TWO_PI));
}

static void turn_torques(const Binding* binding, double* spring, double* posture) {
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    PoiseBallDrive a = {binding->original, binding->natural_rotation, none};
    PoiseBallDrive b = {{poise__number_ik(binding, 3), 0.0}, binding->ik_rotation, none};
    PoiseBallDrive blended = binding->has_driven ? poise_blend_ball_near(a, b, binding->ball.target)
                                                 : poise_blend_ball(a, b);
    const PoiseQuat back = poise_quat_conjugate(binding->rotation);
    const PoiseQuat joint = binding->joint_world.q;
    PoiseVec3 to_ik = poise_quat_log(poise_quat_mul(binding->ik_rotation, back));
    PoiseVec3 to_target = poise_quat_log(poise_quat_mul(blended.target, back));
    PoiseVec3 pull = poise_scale(b.spring.stiffness, to_ik);
    PoiseVec3 rest = poise_sub(poise_scale(blended.spring.stiffness, to_target), pull);
    put3(spring, poise_quat_rotate(joint, pull));
    put3(posture, poise_quat_rotate(joint, rest));
}

// along the world's axes; a free node's as if it pulled at the anchor
static void way_forces(const Binding* binding, double* spring, double* posture) {
    const PoiseQuat joint = binding->joint_world.q;
    PoiseVec3 to_ik = poise_sub(binding->ik_translation, binding->translation);
    PoiseVec3 to_natural = poise_sub(binding->natural_translation, binding->translation);
    put3(spring, poise_quat_rotate(joint, poise_scale(poise__number_ik(binding, 0), to_ik)));
    put3(posture,
         poise_quat_rotate(joint, poise_scale(poise__number_original(binding, 0), to_natural)));
}

void poise__spring_torques(const Binding* binding, double spring[POISE_MAX_DOF],
                           double posture[POISE_MAX_DOF]) {
    switch (binding->kind) {
    case POISE_NODE_BALL:
        turn_torques(binding, spring, posture);
        break;
    case POISE_NODE_TRANSLATION:
        way_forces(binding, spring, posture);
        break;
    case POISE_NODE_FREE:
        way_forces(binding, spring, posture);
        turn_torques(binding, &spring[3], &posture[3]);
        break;
    case POISE_NODE_UNIVERSAL:
        angle_torques(binding, 1, binding->angle2, binding->ik_angle2, second_natural(binding),
                      spring, posture);
        angle_torques(binding, 0, binding->angle, binding->ik_angle,
                      poise__natural_angle(binding, binding->ik_angle), spring, posture);
        break;
    default:
        angle_torques(binding, 0, binding->angle, binding->ik_angle,
                      poise__natural_angle(binding, binding->ik_angle), spring, posture);
        break;
    }
}

bool poise__fed_weight(const PoiseRig* rig, const PoiseTree* tree, const Binding* binding,
                       double torque[POISE_MAX_DOF]) {
    const bool other = binding->kind == POISE_NODE_TRANSLATION || binding->kind == POISE_NODE_FREE;
    const bool held = other ? poise__binding_holds_up(binding)
                            : poise__number_ik(binding, 0) + binding->original.stiffness > 0.0;
    const bool carried = held && binding->anchored && rig->stance_count > 0;
    const bool fed = held && binding->anchored && rig->gravity;
    if (fed || carried) {
        memset(torque, 0, POISE_MAX_DOF * sizeof *torque);
    }
    if (fed) {
        (void)poise_node_gravity_torque(tree, binding->node, torque);
    }
    // of which, and of what is pressed, the ground takes a part (carry.c); 0 for bases that do not
    // float
    for (int i = 0; carried && i < 3; i++) {
        torque[i] += binding->carrying[i];
    }
    return fed || carried;
}

void poise__binding_from_tree(Binding* binding, const PoiseTree* tree) {
    const PoisePose pose = poise_node_pose(tree, binding->node);
    binding->joint_world = poise_node_joint_world(tree, binding->node);
    binding->link_world = poise_node_link_world(tree, binding->node);
    binding->angle = poise_node_angle(tree, binding->node);
    binding->angle2 = poise_node_angle2(tree, binding->node);
    binding->rotation = pose.q;
    binding->translation = pose.p;
}

void poise__binding_ik_from_tree(Binding* binding, const PoiseTree* tree) {
    const PoisePose pose = poise_node_pose(tree, binding->node);
    binding->ik_angle = poise_node_angle(tree, binding->node);
    binding->ik_angle2 = poise_node_angle2(tree, binding->node);
    binding->ik_rotation = pose.q;
    binding->ik_translation = pose.p;
}
