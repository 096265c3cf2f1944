// SPDX-License-Identifier: MIT
// What may be changed while a rig runs: springs, natural posture, limits, reference. Each is
// checked at the door and changes nothing when it is refused.
#include "rig.h"

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

double poise__integral_most(const PoiseRig* rig, const Binding* binding, Sort sort) {
    const double limit = binding->force_limit[sort];
    const double full = isfinite(limit) ? limit : poise__binding_spring(binding, sort).stiffness;
    return rig->integral_most * full;
}

void poise__integral_bound(const PoiseRig* rig, Binding* binding) {
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        double* sum = &binding->integral[b->first];
        const double most =
            rig->integral > 0.0 ? poise__integral_most(rig, binding, (Sort)b->sort) : 0.0;
        double square = 0.0;
        for (int k = 0; k < b->count; k++) {
            square += sum[k] * sum[k];
        }
        for (int k = 0; square > most * most && k < b->count; k++) {
            sum[k] *= most / sqrt(square);
        }
    }
}

// ------------------------------------------------------------------------------- of a bound node

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
static Door open_door(PoiseRig* rig, PoiseNodeId node, const char* wrong, const char* call) {
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
    if (wrong) {
        return refuse(rig, call, node, wrong);
    }
    door.binding = binding;
    door.status = POISE_OK;
    return door;
}

// the same for a setting of motions along axes, beside others about axes
static Door open_mixed_door(PoiseRig* rig, PoiseNodeId node, const char* wrong, const char* call) {
    Door door = open_door(rig, node, wrong, call);
    if (door.binding &&
        (door.binding->motor.count[ABOUT] == 0 || door.binding->motor.count[ALONG] == 0)) {
        door.status = poise__rig_fail(rig, POISE_ERROR_WRONG_KIND,
                                      "%s: node %u does not move along axes and turn about others",
                                      call, (unsigned)node.index1);
        door.binding = NULL;
    }
    return door;
}

// of all its motions where they are of one sort, else of those about axes
static Sort main_sort(const Binding* binding) {
    return binding->motor.count[ABOUT] > 0 ? ABOUT : ALONG;
}

// springs to theta_ik came or went
static PoiseStatus note_ik(PoiseRig* rig, const Binding* binding) {
    rig->revision_known = false;
    return poise_node_set_enabled(rig->tree, binding->node,
                                  poise__binding_takes_part(rig, binding));
}

PoiseStatus poise_rig_set_original(PoiseRig* rig, PoiseNodeId node, PoiseSpring spring) {
    const Door door = open_door(rig, node, poise__spring_check(spring), "poise_rig_set_original");
    if (door.binding) {
        door.binding->original[main_sort(door.binding)] = spring;
    }
    return door.status;
}

PoiseStatus poise_rig_set_ik(PoiseRig* rig, PoiseNodeId node, PoiseSpring spring) {
    const Door door = open_door(rig, node, poise__spring_check(spring), "poise_rig_set_ik");
    if (!door.binding) {
        return door.status;
    }
    door.binding->ik[main_sort(door.binding)] = spring;
    return note_ik(rig, door.binding);
}

PoiseStatus poise_rig_set_linear(PoiseRig* rig, PoiseNodeId node, PoiseSpring original,
                                 PoiseSpring ik) {
    const char* wrong = poise__spring_check(original);
    wrong = wrong ? wrong : poise__spring_check(ik);
    const Door door = open_mixed_door(rig, node, wrong, "poise_rig_set_linear");
    if (!door.binding) {
        return door.status;
    }
    door.binding->original[ALONG] = original;
    door.binding->ik[ALONG] = ik;
    return note_ik(rig, door.binding);
}

PoiseStatus poise_rig_set_speed_limit(PoiseRig* rig, PoiseNodeId node, double limit) {
    const Door door = open_door(rig, node, limit_check(limit), "poise_rig_set_speed_limit");
    if (door.binding) {
        door.binding->motor.speed_limit = limit;
    }
    return door.status;
}

PoiseStatus poise_rig_set_torque_limit(PoiseRig* rig, PoiseNodeId node, double limit) {
    const Door door = open_door(rig, node, limit_check(limit), "poise_rig_set_torque_limit");
    if (door.binding) {
        door.binding->force_limit[main_sort(door.binding)] = limit;
    }
    return door.status;
}

PoiseStatus poise_rig_set_force_limit(PoiseRig* rig, PoiseNodeId node, double limit) {
    const Door door = open_mixed_door(rig, node, limit_check(limit), "poise_rig_set_force_limit");
    if (door.binding) {
        door.binding->force_limit[ALONG] = limit;
    }
    return door.status;
}

// what is wrong with coordinates of a joint type, or NULL
static const char* coordinates_check(const Binding* binding, const double* q, int count) {
    if (!q || count != binding->type->nq) {
        return "the numbers are NULL, or not as many as its kind has";
    }
    for (int i = 0; i < count; i++) {
        if (!isfinite(q[i])) {
            return "a number is not finite";
        }
    }
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        const double* rotation = &q[b->q];
        if (b->count == 3 && b->sort == ABOUT && rotation[0] == 0.0 && rotation[1] == 0.0 &&
            rotation[2] == 0.0 && rotation[3] == 0.0) {
            return "the rotation is 0";
        }
    }
    return NULL;
}

PoiseStatus poise_rig_set_natural_posture(PoiseRig* rig, PoiseNodeId node, const double* posture,
                                          int count) {
    const char* call = "poise_rig_set_natural_posture";
    const Door door = open_door(rig, node, NULL, call);
    if (!door.binding) {
        return door.status;
    }
    const char* wrong = coordinates_check(door.binding, posture, count);
    if (wrong) {
        return refuse(rig, call, node, wrong).status;
    }
    poise__binding_set_natural(door.binding, posture);
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
    PoiseStatus cleared = POISE_OK;
    const bool ends = rate == 0.0 && rig->posture_rate > 0.0 && rig->tree;
    for (int i = 0; ends && cleared >= 0 && i < rig->binding_count; i++) {
        cleared = poise_node_set_reference(rig->tree, rig->bindings[i].node, NULL, 0);
    }
    rig->posture_rate = rate;
    return cleared;
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
