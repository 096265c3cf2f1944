// SPDX-License-Identifier: MIT
// Creates, changes and removes stance points; reads their forces.
#include "poise/stance.h"

#include <string.h>

#include "support.h"

enum { COOKIE_STANCE = 0x50530003 };

// tolerance of the length of a normal, which has to be 1
#define UNIT 1e-6

PoiseStanceDef poise_default_stance_def(void) {
    return (PoiseStanceDef){.cookie = COOKIE_STANCE, .share = 1.0, .slide = 10.0, .friction = 0.8};
}

static Stance* find(const PoiseRig* rig, PoisePointId point) {
    for (int i = 0; i < rig->state.stance_count; i++) {
        if (poise__is_point(rig->state.stances[i].def.point, point)) {
            return &rig->state.stances[i];
        }
    }
    return NULL;
}

int poise__binding_below(const RigState* state, PoisePointId point) {
    return poise__bound_below(state->rig, state->tree, poise_point_link(state->tree, point));
}

bool poise__stands(const RigState* state, int binding) {
    for (int i = 0; i < state->stance_count; i++) {
        if (state->stances[i].carries && state->stances[i].root == binding) {
            return true;
        }
    }
    return false;
}

// Lets floating bases take part in the solve if the rig has a stance point, and not otherwise.
static void switch_bases(PoiseRig* rig) {
    for (int i = 0; i < rig->binding_count; i++) {
        const Binding* binding = &rig->bindings[i];
        if (poise__binding_is_free(binding)) {
            poise__note(&rig->state,
                        poise_node_set_enabled(rig->state.tree, binding->node,
                                               poise__binding_takes_part(rig, binding)));
        }
    }
    rig->revision_known = false;
}

static bool is_length(double v) {
    return v >= 0.0 && isfinite(v);
}

const char* poise__stance_problem(const PoiseStanceDef* def) {
    const double normal = poise_length(def->normal);
    if (!(def->share > 0.0) || isinf(def->share)) {
        return "share must be above 0 and finite";
    }
    if (!is_length(def->sole) || !is_length(def->half_length) || !is_length(def->half_width)) {
        return "sole, half_length and half_width, m, must not be below 0, and finite";
    }
    if (!is_length(def->slide)) {
        return "slide, 1/s, must not be below 0, and finite";
    }
    if (!(def->friction >= 0.0)) {
        return "friction must not be below 0; INFINITY: it sticks";
    }
    if (normal != 0.0 && !(fabs(normal - 1.0) <= UNIT)) {
        return "normal must be of length 1, or 0 for that against gravity";
    }
    return NULL;
}

PoiseStatus poise_rig_add_stance(PoiseRig* rig, const PoiseStanceDef* def) {
    const char* call = "poise_rig_add_stance";
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!def || def->cookie != COOKIE_STANCE) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: the def was not made by poise_default_stance_def()", call);
    }
    if (!poise_point_is_valid(rig->state.tree, def->point)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                               "%s: point %u is null, destroyed, or of another tree", call,
                               (unsigned)def->point.index1);
    }
    const char* wrong = poise__stance_problem(def);
    if (wrong) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "%s: point %u: %s", call,
                               (unsigned)def->point.index1, wrong);
    }
    poise__drop_destroyed(rig);
    const int below = poise__binding_below(&rig->state, def->point);
    if (poise_point_kind(rig->state.tree, def->point) == POISE_POINT_COM || below == NO_BINDING ||
        !poise__base_floats(&rig->bindings[rig->bindings[below].root])) {
        return poise__rig_fail(rig, POISE_ERROR_WRONG_KIND,
                               "%s: point %u is a centre of mass, or stands on no floating base; "
                               "make one with poise_rig_add_base",
                               call, (unsigned)def->point.index1);
    }
    Stance* stance = find(rig, def->point);
    if (!stance) {
        if (!poise__stances_reserve(&rig->state, rig->state.stance_count + 1)) {
            return poise__rig_fail(rig, POISE_ERROR_OUT_OF_MEMORY, "%s: no memory", call);
        }
        stance = &rig->state.stances[rig->state.stance_count++];
        memset(stance, 0, sizeof *stance);
        // the rig itself moves this goal, so no velocity may be estimated from its motion
        poise__note(&rig->state, poise_point_estimate_velocity(rig->state.tree, def->point, false));
    }
    stance->def = *def;
    switch_bases(rig);
    return POISE_OK;
}

static void drop(PoiseRig* rig, Stance* stance) {
    for (int i = 0; i < rig->binding_count; i++) {
        poise__joint_clear(&rig->state.joints[i], rig->state.joints[i].carrying);
    }
    rig->state.support_count = 0;
    rig->state.stance_count--;
    memmove(stance, stance + 1,
            (size_t)(&rig->state.stances[rig->state.stance_count] - stance) * sizeof *stance);
    switch_bases(rig);
}

PoiseStatus poise_rig_remove_stance(PoiseRig* rig, PoisePointId point) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Stance* stance = find(rig, point);
    if (!stance && !poise_point_is_valid(rig->state.tree, point)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                               "poise_rig_remove_stance: point %u is null, destroyed, or of "
                               "another tree",
                               (unsigned)point.index1);
    }
    if (stance) {
        drop(rig, stance);
    }
    return POISE_OK;
}

void poise__drop_stances(PoiseRig* rig) {
    for (int i = rig->state.stance_count - 1; i >= 0; i--) {
        if (!poise_point_is_valid(rig->state.tree, rig->state.stances[i].def.point)) {
            drop(rig, &rig->state.stances[i]);
        }
    }
}

PoiseStatus poise_rig_set_balance(PoiseRig* rig, PoisePointId com) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (com.index1 != 0 && !poise_point_is_valid(rig->state.tree, com)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                               "poise_rig_set_balance: point %u is destroyed, or of another tree",
                               (unsigned)com.index1);
    }
    if (com.index1 != 0 && poise_point_kind(rig->state.tree, com) != POISE_POINT_COM) {
        return poise__rig_fail(rig, POISE_ERROR_WRONG_KIND,
                               "poise_rig_set_balance: point %u is no centre of mass",
                               (unsigned)com.index1);
    }
    rig->state.balance = com;
    return com.index1 != 0 ? poise_point_estimate_velocity(rig->state.tree, com, false) : POISE_OK;
}

int poise_rig_stance_count(const PoiseRig* rig) {
    return rig ? rig->state.stance_count : 0;
}

PoiseStatus poise_rig_read_stance(const PoiseRig* rig, PoisePointId point, PoiseVec3* force,
                                  PoiseVec3* moment) {
    const Stance* stance = rig ? find(rig, point) : NULL;
    if (!stance) {
        return rig ? POISE_ERROR_INVALID_HANDLE : POISE_ERROR_INVALID_ARGUMENT;
    }
    if (force) {
        *force = stance->force;
    }
    if (moment) {
        *moment = stance->moment;
    }
    return POISE_OK;
}

// ------------------------------------------------------------------------------- from outside

PoiseStatus poise_rig_outside_force(const PoiseRig* rig, PoiseVec3* force, PoiseVec3* moment) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseVec3 f = poise_vec3(0.0, 0.0, 0.0);
    PoiseVec3 m = f;
    for (int i = 0; i < rig->binding_count; i++) {
        const Motor* motor = &rig->bindings[i].motor;
        if (!motor->parent && poise__motor_alive(motor)) {
            poise__motor_add_outside(motor, &f, &m);
        }
    }
    if (force) {
        *force = f;
    }
    if (moment) {
        *moment = m;
    }
    return POISE_OK;
}
