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

const char* poise__posture_rate_check(double rate) {
    return rate >= 0.0 && rate <= 1.0 ? NULL : "posture_rate must be 0 to 1";
}

const char* poise__integral_check(double integral, double most) {
    if (!(integral >= 0.0) || isinf(integral)) {
        return "integral must be finite and not negative";
    }
    return most > 0.0 && !isinf(most) ? NULL : "integral_most must be finite and above 0";
}

static const char* limit_check(double limit) {
    return limit > 0.0 ? NULL : "the limit must be above 0 (infinity: none)";
}

// ------------------------------------------------------------------------------- of a bound node

/// Kinds that a setting is for, and what is said of a node of another.
typedef struct Kinds {
    unsigned bits;
    const char* name;
} Kinds;

#define BIT(kind) (1u << (unsigned)(kind))
static const Kinds any_kind = {~0u, ""};
static const Kinds angle_kinds = {BIT(POISE_NODE_HINGE) | BIT(POISE_NODE_SLIDER),
                                  "hinge or slider"};
static const Kinds ball_kind = {BIT(POISE_NODE_BALL), "ball"};
static const Kinds free_kind = {BIT(POISE_NODE_FREE), "free node"};

/// The door of a setter: the binding, or NULL and the status that says why not.
typedef struct Door {
    Binding* binding;
    PoiseStatus status;
} Door;

static Door refuse(PoiseRig* rig, const char* call, PoiseNodeId node, const char* why) {
    const Door shut = {NULL, poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "%s: node %u: %s",
                                             call, (unsigned)node.index1, why)};
    return shut;
}

// `wrong`: what is wrong with the value, or NULL
static Door open_door(PoiseRig* rig, PoiseNodeId node, Kinds kinds, const char* wrong,
                      const char* call) {
    Door door = {NULL, POISE_ERROR_INVALID_ARGUMENT};
    if (!rig) {
        return door;
    }
    Binding* binding = poise__binding(rig, node);
    if (!binding) {
        door.status = poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE, "%s: node %u is not bound",
                                      call, (unsigned)node.index1);
        return door;
    }
    if ((kinds.bits & BIT(binding->kind)) == 0) {
        door.status = poise__rig_fail(rig, POISE_ERROR_WRONG_KIND, "%s: node %u is no %s", call,
                                      (unsigned)node.index1, kinds.name);
        return door;
    }
    if (wrong) {
        return refuse(rig, call, node, wrong);
    }
    door.binding = binding;
    door.status = POISE_OK;
    return door;
}

// springs to theta_ik came or went
static PoiseStatus note_ik(PoiseRig* rig, const Binding* binding) {
    rig->revision_known = false;
    return poise_node_set_enabled(rig->tree, binding->node,
                                  poise__binding_takes_part(rig, binding));
}

PoiseStatus poise_rig_set_original(PoiseRig* rig, PoiseNodeId node, PoiseSpring spring) {
    const Door door =
        open_door(rig, node, any_kind, poise__spring_check(spring), "poise_rig_set_original");
    if (door.binding) {
        door.binding->original = spring;
    }
    return door.status;
}

PoiseStatus poise_rig_set_ik(PoiseRig* rig, PoiseNodeId node, PoiseSpring spring) {
    const Door door =
        open_door(rig, node, any_kind, poise__spring_check(spring), "poise_rig_set_ik");
    if (!door.binding) {
        return door.status;
    }
    door.binding->ik = spring;
    return note_ik(rig, door.binding);
}

PoiseStatus poise_rig_set_linear(PoiseRig* rig, PoiseNodeId node, PoiseSpring original,
                                 PoiseSpring ik) {
    const char* wrong = poise__spring_check(original);
    wrong = wrong ? wrong : poise__spring_check(ik);
    const Door door = open_door(rig, node, free_kind, wrong, "poise_rig_set_linear");
    if (!door.binding) {
        return door.status;
    }
    door.binding->original_linear = original;
    door.binding->ik_linear = ik;
    return note_ik(rig, door.binding);
}

PoiseStatus poise_rig_set_speed_limit(PoiseRig* rig, PoiseNodeId node, double limit) {
    const Door door =
        open_door(rig, node, any_kind, limit_check(limit), "poise_rig_set_speed_limit");
    if (door.binding) {
        door.binding->motor.speed_limit = limit;
    }
    return door.status;
}

PoiseStatus poise_rig_set_torque_limit(PoiseRig* rig, PoiseNodeId node, double limit) {
    const Door door =
        open_door(rig, node, any_kind, limit_check(limit), "poise_rig_set_torque_limit");
    if (door.binding) {
        door.binding->torque_limit = limit;
    }
    return door.status;
}

PoiseStatus poise_rig_set_force_limit(PoiseRig* rig, PoiseNodeId node, double limit) {
    const Door door =
        open_door(rig, node, free_kind, limit_check(limit), "poise_rig_set_force_limit");
    if (door.binding) {
        door.binding->force_limit = limit;
    }
    return door.status;
}

PoiseStatus poise_rig_set_natural_angle(PoiseRig* rig, PoiseNodeId node, double angle) {
    const Door door =
        open_door(rig, node, angle_kinds, isfinite(angle) ? NULL : "the angle is not finite",
                  "poise_rig_set_natural_angle");
    if (door.binding) {
        door.binding->natural_angle = angle;
    }
    return door.status;
}

static bool is_turn(PoiseQuat q) {
    return poise_is_finite_quat(q) && (q.w != 0.0 || q.x != 0.0 || q.y != 0.0 || q.z != 0.0);
}

PoiseStatus poise_rig_set_natural_rotation(PoiseRig* rig, PoiseNodeId node, PoiseQuat rotation) {
    const Door door = open_door(rig, node, ball_kind,
                                is_turn(rotation) ? NULL : "the rotation is 0 or not finite",
                                "poise_rig_set_natural_rotation");
    if (door.binding) {
        door.binding->natural_rotation = poise_quat_normalize(rotation);
    }
    return door.status;
}

PoiseStatus poise_rig_set_natural_posture(PoiseRig* rig, PoiseNodeId node, const double* posture,
                                          int count) {
    const char* call = "poise_rig_set_natural_posture";
    const Door door = open_door(rig, node, any_kind, NULL, call);
    Binding* binding = door.binding;
    if (!binding) {
        return door.status;
    }
    double has[POISE_MAX_POSTURE];
    if (!posture || count != poise_node_posture(rig->tree, node, has)) {
        return refuse(rig, call, node, "the numbers are NULL, or not as many as its kind has")
            .status;
    }
    bool fine = true;
    for (int i = 0; i < count; i++) {
        fine = fine && isfinite(posture[i]);
    }
    const bool turns = binding->kind == POISE_NODE_BALL || binding->kind == POISE_NODE_FREE;
    const double* q = turns ? &posture[count - 4] : NULL;
    const PoiseQuat turn = q ? poise_quat(q[0], q[1], q[2], q[3]) : binding->natural_rotation;
    if (!fine || !is_turn(turn)) {
        return refuse(rig, call, node, "a number is not finite, or the rotation 0").status;
    }
    if (turns) {
        binding->natural_rotation = poise_quat_normalize(turn);
    }
    if (count == 3 || count == 7) {
        binding->natural_translation = poise_vec3(posture[0], posture[1], posture[2]);
    } else if (count < 3) {
        binding->natural_angle = posture[0];
        binding->natural_angle2 = count > 1 ? posture[1] : binding->natural_angle2;
    }
    return POISE_OK;
}

// ------------------------------------------------------------------------------------- of the rig

// whether a setting of the whole rig may be changed: `wrong` as above
static PoiseStatus check_setting(PoiseRig* rig, const char* wrong, const char* call) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    return wrong ? poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "%s: %s", call, wrong)
                 : POISE_OK;
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
    const PoiseStatus status = check_setting(rig, NULL, "poise_rig_set_gravity");
    if (status == POISE_OK) {
        rig->gravity = gravity;
    }
    return status;
}

PoiseStatus poise_rig_set_solve(PoiseRig* rig, const PoiseSolveDef* solve) {
    const PoiseStatus status =
        check_setting(rig, poise_solve_def_problem(solve), "poise_rig_set_solve");
    if (status == POISE_OK) {
        rig->solve = *solve;
    }
    return status;
}

PoiseStatus poise_rig_set_posture_rate(PoiseRig* rig, double rate) {
    const PoiseStatus status =
        check_setting(rig, poise__posture_rate_check(rate), "poise_rig_set_posture_rate");
    if (status != POISE_OK) {
        return status;
    }
    // the natural postures were the tree's references while it was above 0
    for (int i = 0; rate == 0.0 && rig->posture_rate > 0.0 && rig->tree && i < rig->binding_count;
         i++) {
        (void)poise_node_set_reference(rig->tree, rig->bindings[i].node, NULL, 0);
    }
    rig->posture_rate = rate;
    return POISE_OK;
}

PoiseStatus poise_rig_set_integral(PoiseRig* rig, double integral, double most) {
    const PoiseStatus status =
        check_setting(rig, poise__integral_check(integral, most), "poise_rig_set_integral");
    if (status != POISE_OK) {
        return status;
    }
    rig->integral = integral;
    rig->integral_most = most;
    for (int i = 0; i < rig->binding_count; i++) {
        poise__integral_bound(rig, &rig->bindings[i]);
    }
    return POISE_OK;
}

PoiseReference poise_rig_reference(const PoiseRig* rig) {
    return rig ? rig->reference : POISE_REFERENCE_OWN;
}

bool poise_rig_gravity(const PoiseRig* rig) {
    return rig && rig->gravity;
}

double poise_rig_posture_rate(const PoiseRig* rig) {
    return rig ? rig->posture_rate : 0.0;
}

double poise_rig_integral(const PoiseRig* rig) {
    return rig ? rig->integral : 0.0;
}

double poise_rig_integral_most(const PoiseRig* rig) {
    return rig ? rig->integral_most : 0.0;
}
