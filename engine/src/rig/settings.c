// SPDX-License-Identifier: MIT
// What may be changed while a rig runs: springs, natural posture, limits, reference. Each is
// checked at the door and changes nothing when it is refused.
#include "rig_internal.h"

const char* poise__spring_check(PoiseSpring spring) {
    if (!(spring.stiffness >= 0.0) || isinf(spring.stiffness)) {
        return "stiffness must be finite and not negative";
    }
    if (!(spring.damping >= 0.0) || isinf(spring.damping)) {
        return "damping must be finite and not negative";
    }
    return NULL;
}

// the binding for a setter, or why there is none
static PoiseStatus binding_for(PoiseRig* rig, PoiseNodeId node, const char* call,
                               Binding** binding) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    *binding = poise__binding(rig, node);
    return *binding ? POISE_OK
                    : poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE, "%s: node %u is not bound",
                                      call, (unsigned)node.index1);
}

static PoiseStatus refuse(PoiseRig* rig, const char* call, PoiseNodeId node, const char* why) {
    return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "%s: node %u: %s", call,
                           (unsigned)node.index1, why);
}

PoiseStatus poise_rig_set_original(PoiseRig* rig, PoiseNodeId node, PoiseSpring spring) {
    const char* call = "poise_rig_set_original";
    Binding* binding;
    PoiseStatus status = binding_for(rig, node, call, &binding);
    if (status != POISE_OK) {
        return status;
    }
    const char* wrong = poise__spring_check(spring);
    if (wrong) {
        return refuse(rig, call, node, wrong);
    }
    binding->original = spring;
    return POISE_OK;
}

PoiseStatus poise_rig_set_ik(PoiseRig* rig, PoiseNodeId node, PoiseSpring spring) {
    const char* call = "poise_rig_set_ik";
    Binding* binding;
    PoiseStatus status = binding_for(rig, node, call, &binding);
    if (status != POISE_OK) {
        return status;
    }
    const char* wrong = poise__spring_check(spring);
    if (wrong) {
        return refuse(rig, call, node, wrong);
    }
    binding->ik = spring;
    rig->revision_known = false;
    return poise_node_set_enabled(rig->tree, node, poise__binding_takes_part(rig, binding));
}

PoiseStatus poise_rig_set_linear(PoiseRig* rig, PoiseNodeId node, PoiseSpring original,
                                 PoiseSpring ik) {
    const char* call = "poise_rig_set_linear";
    Binding* binding;
    PoiseStatus status = binding_for(rig, node, call, &binding);
    if (status != POISE_OK) {
        return status;
    }
    if (binding->kind != POISE_NODE_FREE) {
        return poise__rig_fail(rig, POISE_ERROR_WRONG_KIND, "%s: node %u is no free node", call,
                               (unsigned)node.index1);
    }
    const char* wrong = poise__spring_check(original);
    wrong = wrong ? wrong : poise__spring_check(ik);
    if (wrong) {
        return refuse(rig, call, node, wrong);
    }
    binding->original_linear = original;
    binding->ik_linear = ik;
    rig->revision_known = false;
    return poise_node_set_enabled(rig->tree, node, poise__binding_takes_part(rig, binding));
}

PoiseStatus poise_rig_set_natural_posture(PoiseRig* rig, PoiseNodeId node, const double* posture,
                                          int count) {
    const char* call = "poise_rig_set_natural_posture";
    Binding* binding;
    PoiseStatus status = binding_for(rig, node, call, &binding);
    if (status != POISE_OK) {
        return status;
    }
    double has[POISE_MAX_POSTURE];
    if (!posture || count != poise_node_posture(rig->tree, node, has)) {
        return refuse(rig, call, node, "the numbers are NULL, or not as many as its kind has");
    }
    bool finite = true;
    for (int i = 0; i < count; i++) {
        finite = finite && isfinite(posture[i]);
    }
    bool turns = binding->kind == POISE_NODE_BALL || binding->kind == POISE_NODE_FREE;
    const double* q = turns ? &posture[count - 4] : posture;
    if (!finite || (turns && q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0)) {
        return refuse(rig, call, node, "a number is not finite, or the rotation 0");
    }
    if (turns) {
        binding->natural_rotation = poise_quat_normalize(poise_quat(q[0], q[1], q[2], q[3]));
    }
    if (count == 3 || count == 7) {
        binding->natural_translation = poise_vec3(posture[0], posture[1], posture[2]);
    } else if (count < 3) {
        binding->natural_angle = posture[0];
        binding->natural_angle2 = count > 1 ? posture[1] : binding->natural_angle2;
    }
    return POISE_OK;
}

PoiseStatus poise_rig_set_speed_limit(PoiseRig* rig, PoiseNodeId node, double limit) {
    const char* call = "poise_rig_set_speed_limit";
    Binding* binding;
    PoiseStatus status = binding_for(rig, node, call, &binding);
    if (status != POISE_OK) {
        return status;
    }
    if (!(limit > 0.0)) {
        return refuse(rig, call, node, "the limit must be above 0 (infinity: none)");
    }
    binding->motor.speed_limit = limit;
    return POISE_OK;
}

PoiseStatus poise_rig_set_natural_angle(PoiseRig* rig, PoiseNodeId node, double angle) {
    const char* call = "poise_rig_set_natural_angle";
    Binding* binding;
    PoiseStatus status = binding_for(rig, node, call, &binding);
    if (status != POISE_OK) {
        return status;
    }
    if (binding->kind != POISE_NODE_HINGE && binding->kind != POISE_NODE_SLIDER) {
        return poise__rig_fail(rig, POISE_ERROR_WRONG_KIND, "%s: node %u is no hinge or slider",
                               call, (unsigned)node.index1);
    }
    if (!isfinite(angle)) {
        return refuse(rig, call, node, "the angle is not finite");
    }
    binding->natural_angle = angle;
    return POISE_OK;
}

PoiseStatus poise_rig_set_natural_rotation(PoiseRig* rig, PoiseNodeId node, PoiseQuat rotation) {
    const char* call = "poise_rig_set_natural_rotation";
    Binding* binding;
    PoiseStatus status = binding_for(rig, node, call, &binding);
    if (status != POISE_OK) {
        return status;
    }
    if (binding->kind != POISE_NODE_BALL) {
        return poise__rig_fail(rig, POISE_ERROR_WRONG_KIND, "%s: node %u is no ball", call,
                               (unsigned)node.index1);
    }
    if (!poise_is_finite_quat(rotation) ||
        (rotation.w == 0.0 && rotation.x == 0.0 && rotation.y == 0.0 && rotation.z == 0.0)) {
        return refuse(rig, call, node, "the rotation is 0 or not finite");
    }
    binding->natural_rotation = poise_quat_normalize(rotation);
    return POISE_OK;
}

PoiseStatus poise_rig_set_torque_limit(PoiseRig* rig, PoiseNodeId node, double limit) {
    const char* call = "poise_rig_set_torque_limit";
    Binding* binding;
    PoiseStatus status = binding_for(rig, node, call, &binding);
    if (status != POISE_OK) {
        return status;
    }
    if (!(limit > 0.0)) {
        return refuse(rig, call, node, "the limit must be above 0 (infinity: none)");
    }
    binding->torque_limit = limit;
    return POISE_OK;
}

PoiseStatus poise_rig_set_reference(PoiseRig* rig, PoiseReference reference) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (reference != POISE_REFERENCE_OWN && reference != POISE_REFERENCE_MEASURED) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_rig_set_reference: %d is none of POISE_REFERENCE_*",
                               (int)reference);
    }
    rig->reference = reference;
    return POISE_OK;
}

PoiseStatus poise_rig_set_gravity(PoiseRig* rig, bool gravity) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    rig->gravity = gravity;
    return POISE_OK;
}

PoiseStatus poise_rig_set_solve(PoiseRig* rig, const PoiseSolveDef* solve) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const char* wrong = poise_solve_def_problem(solve);
    if (wrong) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "poise_rig_set_solve: %s", wrong);
    }
    rig->solve = *solve;
    return POISE_OK;
}
