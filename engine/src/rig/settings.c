// SPDX-License-Identifier: MIT
// The setters of a rig: springs, natural posture and limits of a bound node, and settings of the
// whole rig. A setter that refuses its arguments changes nothing.
#include <string.h>

#include "numbers.h"
#include "rig.h"

const char* poise__settings_problem(const PoiseRigSettings* settings) {
    if (settings->reference != POISE_REFERENCE_OWN &&
        settings->reference != POISE_REFERENCE_MEASURED) {
        return "reference is none of POISE_REFERENCE_*";
    }
    if (!(settings->posture_rate >= 0.0 && settings->posture_rate <= 1.0)) {
        return "posture_rate must be 0 to 1";
    }
    if (!(settings->integral >= 0.0) || isinf(settings->integral)) {
        return "integral must be finite and not negative";
    }
    if (!(settings->integral_most > 0.0) || isinf(settings->integral_most)) {
        return "integral_most must be finite and above 0";
    }
    if (!(settings->reconfigure_speed >= 0.0) || isinf(settings->reconfigure_speed)) {
        return "reconfigure_speed must be finite and not negative (0: off)";
    }
    if (!(settings->approach_speed > 0.0)) {
        return "approach_speed must be above 0 (infinity: off)";
    }
    return poise_solve_def_problem(&settings->solve);
}

static const char* limit_check(double limit) {
    return limit > 0.0 ? NULL : "the limit must be above 0 (infinity: none)";
}

double poise__integral_most(const PoiseRig* rig, const Binding* binding, Sort sort) {
    const double limit = binding->force_limit[sort];
    const double full = isfinite(limit) ? limit : poise__binding_spring(binding, sort).stiffness;
    return rig->settings.integral_most * full;
}

void poise__integral_bound(const PoiseRig* rig, JointState* joint) {
    const Binding* binding = joint->of;
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        double* sum = &joint->integral[b->first];
        const double most =
            rig->settings.integral > 0.0 ? poise__integral_most(rig, binding, (Sort)b->sort) : 0.0;
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

/// The binding to change, or NULL after an error.
typedef struct Checked {
    Binding* binding;
    PoiseStatus status;
} Checked;

// Finds the binding of a node, or fails. `wrong`: why the value is invalid, or NULL. `mixed`: only
// a joint that moves both along and about axes has this setting.
static Checked check(PoiseRig* rig, PoiseNodeId node, const char* wrong, bool mixed,
                     const char* call) {
    if (!rig) {
        return (Checked){NULL, POISE_ERROR_INVALID_ARGUMENT};
    }
    Binding* binding = poise__binding(rig, node);
    PoiseStatus status = POISE_OK;
    if (!binding) {
        status = POISE_ERROR_INVALID_HANDLE;
        wrong = "it is not bound";
    } else if (wrong) {
        status = POISE_ERROR_INVALID_ARGUMENT;
    } else if (mixed && (binding->motor.count[ABOUT] == 0 || binding->motor.count[ALONG] == 0)) {
        status = POISE_ERROR_WRONG_KIND;
        wrong = "it does not move along axes and turn about others";
    }
    if (status < 0) {
        poise__rig_fail(rig, status, "%s: node %u: %s", call, (unsigned)node.index1, wrong);
    }
    return (Checked){status < 0 ? NULL : binding, status};
}

// Updates which joints the solve drives, after the stiffness of an IK spring became 0 or was 0.
static PoiseStatus note_ik(PoiseRig* rig, const Binding* binding) {
    rig->revision_known = false;
    return poise_node_set_enabled(rig->state.tree, binding->node,
                                  poise__binding_takes_part(rig, binding));
}

PoiseStatus poise_rig_set_original(PoiseRig* rig, PoiseNodeId node, PoiseSpring spring) {
    const Checked checked =
        check(rig, node, poise__spring_check(spring), false, "poise_rig_set_original");
    if (checked.binding) {
        checked.binding->original[poise__binding_main_sort(checked.binding)] = spring;
    }
    return checked.status;
}

PoiseStatus poise_rig_set_ik(PoiseRig* rig, PoiseNodeId node, PoiseSpring spring) {
    const Checked checked =
        check(rig, node, poise__spring_check(spring), false, "poise_rig_set_ik");
    if (!checked.binding) {
        return checked.status;
    }
    checked.binding->ik[poise__binding_main_sort(checked.binding)] = spring;
    return note_ik(rig, checked.binding);
}

PoiseStatus poise_rig_set_linear(PoiseRig* rig, PoiseNodeId node, PoiseSpring original,
                                 PoiseSpring ik) {
    const char* wrong = poise__spring_check(original);
    wrong = wrong ? wrong : poise__spring_check(ik);
    const Checked checked = check(rig, node, wrong, true, "poise_rig_set_linear");
    if (!checked.binding) {
        return checked.status;
    }
    checked.binding->original[ALONG] = original;
    checked.binding->ik[ALONG] = ik;
    return note_ik(rig, checked.binding);
}

PoiseStatus poise_rig_set_speed_limit(PoiseRig* rig, PoiseNodeId node, double limit) {
    const Checked checked =
        check(rig, node, limit_check(limit), false, "poise_rig_set_speed_limit");
    if (checked.binding) {
        checked.binding->motor.speed_limit = limit;
    }
    return checked.status;
}

PoiseStatus poise_rig_set_torque_limit(PoiseRig* rig, PoiseNodeId node, double limit) {
    const Checked checked =
        check(rig, node, limit_check(limit), false, "poise_rig_set_torque_limit");
    if (checked.binding) {
        checked.binding->force_limit[poise__binding_main_sort(checked.binding)] = limit;
    }
    return checked.status;
}

PoiseStatus poise_rig_set_force_limit(PoiseRig* rig, PoiseNodeId node, double limit) {
    const Checked checked = check(rig, node, limit_check(limit), true, "poise_rig_set_force_limit");
    if (checked.binding) {
        checked.binding->force_limit[ALONG] = limit;
    }
    return checked.status;
}

// Returns why coordinates do not suit a joint type, or NULL.
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
        if (poise__block_is_rotation(b) && poise__quat_is_zero(poise__quat_at(&q[b->q]))) {
            return "the rotation is 0";
        }
    }
    return NULL;
}

PoiseStatus poise_rig_set_natural_posture(PoiseRig* rig, PoiseNodeId node, const double* posture,
                                          int count) {
    const Binding* binding = rig ? poise__binding(rig, node) : NULL;
    const Checked checked =
        check(rig, node, binding ? coordinates_check(binding, posture, count) : NULL, false,
              "poise_rig_set_natural_posture");
    if (checked.binding) {
        poise__binding_set_natural(checked.binding, posture);
    }
    return checked.status;
}

// ------------------------------------------------------------------------------------- of the rig

PoiseStatus poise_rig_set_settings(PoiseRig* rig, const PoiseRigSettings* settings) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const char* wrong = settings ? poise__settings_problem(settings) : "settings is NULL";
    if (wrong) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "poise_rig_set_settings: %s",
                               wrong);
    }
    // posture_rate above 0 makes the natural postures the tree's references; end this if it becomes
    // 0
    const bool ends =
        settings->posture_rate == 0.0 && rig->settings.posture_rate > 0.0 && rig->state.tree;
    rig->settings = *settings;
    rig->state.noted = POISE_OK;
    for (int i = 0; i < rig->binding_count; i++) {
        poise__integral_bound(rig, &rig->state.joints[i]);
        if (ends) {
            poise__note(&rig->state,
                        poise_node_set_reference(rig->state.tree, rig->bindings[i].node, NULL, 0));
        }
    }
    return rig->state.noted;
}

PoiseRigSettings poise_rig_settings(const PoiseRig* rig) {
    return rig ? rig->settings : poise_default_rig_def().settings;
}
