// SPDX-License-Identifier: MIT
// Where a rig comes to rest: step by step, each joint by its torque over its stiffness, until the
// two springs, what is fed forward and the weight balance (sec. 5.1). The law of each reference
// follows from where theta_ik is counted from. Where a point yields it is held where it is, as by
// the contact that it presses on.
#include "statics.h"

#include <string.h>

enum {
    MOST_LEAD_STEPS = 3000,
    MOST_LAG_STEPS = 6000,
    MOST_STEPS = 5000,
    FIRST_STEPS = 500,
    ROUNDS = 15,
    SWING_STEPS = 3000
};

// rest is when no joint moves by more than this in a step, rad and m
#define AT_REST 1e-10
// a joint this near to its range and pushed on stands on its stop, rad and m
#define ON_STOP 1e-9
// a step that grew by more than this factor goes too far: the next ones are shortened
#define GREW       1.02
#define SHORTEN    0.5
#define LEAST_PART 0.01
#define LENGTHEN   1.05
// the largest step, rad or m
#define MOST_STEP 0.3
// with inertia it rests when no joint moves by more than this in a step, rad and m
#define SWUNG 1e-7
// and a swing that is still larger than this goes on
#define STILL_SWINGS 1e-4
// s: of a rig that has made no step yet
#define USUAL_STEP 0.01

static size_t carve_equilibrium(Equilibrium* equilibrium, char* base, size_t bindings, size_t nodes,
                                size_t points) {
    const size_t numbers = (size_t)equilibrium->count;
    Binding* at = (Binding*)(void*)base;
    const size_t blocks = bindings * POISE_MAX_MOTIONS;
    Relief* reliefs = (Relief*)(void*)(base ? base + bindings * sizeof *at : NULL);
    PoisePose* held = (PoisePose*)(void*)(base ? reliefs + blocks : NULL);
    double* rest = (double*)(void*)(base ? held + points : NULL);
    equilibrium->rig.bindings = at;
    equilibrium->reliefs = reliefs;
    equilibrium->held = held;
    equilibrium->torque = rest;
    equilibrium->stiffness = base ? rest + numbers : NULL;
    equilibrium->displacement = base ? rest + 2 * numbers : NULL;
    equilibrium->compliance = base ? rest + 3 * numbers : NULL;
    equilibrium->inertia = base ? rest + 4 * numbers : NULL;
    equilibrium->speed = base ? rest + 5 * numbers : NULL;
    equilibrium->resists = base ? rest + 6 * numbers : NULL;
    equilibrium->postures = base ? rest + 7 * numbers : NULL;
    equilibrium->at = base ? equilibrium->postures + POISE_MAX_POSTURE * nodes : NULL;
    const size_t others = 7 * numbers + 2 * POISE_MAX_POSTURE * nodes;
    equilibrium->rig.values = base ? rest + others : NULL;
    return bindings * sizeof *at + blocks * sizeof *reliefs + points * sizeof *held +
           (others + (size_t)equilibrium->rig.value_count) * sizeof *rest;
}

// the rig again with a tree, bindings and forces of its own
static PoiseStatus copy_rig(Equilibrium* equilibrium, const PoiseRig* rig) {
    PoiseRig* copy = &equilibrium->rig;
    *copy = *rig;
    copy->host.log = NULL;
    copy->settings.solve.step = 0.0;
    equilibrium->dt = rig->advised_step > 0.0 ? rig->advised_step : USUAL_STEP;
    copy->bindings = NULL;
    copy->value_count = poise__bindings_value_count(rig);
    memset(&copy->press, 0, sizeof copy->press);
    copy->stances = NULL;
    copy->support_contacts = NULL;
    copy->supports = NULL;
    copy->stance_capacity = copy->support_contact_capacity = copy->support_capacity = 0;
    copy->tree = poise_tree_clone(rig->tree);
    const bool own = rig->settings.reference == POISE_REFERENCE_OWN;
    equilibrium->reference = own ? poise_tree_clone(rig->tree) : NULL;
    equilibrium->count = poise__rig_velocities(rig);
    const size_t bindings = (size_t)rig->binding_count;
    const size_t nodes = (size_t)poise_tree_node_count(rig->tree);
    const size_t points = (size_t)poise_tree_point_count(rig->tree);
    equilibrium->size = carve_equilibrium(equilibrium, NULL, bindings, nodes, points);
    equilibrium->memory = poise_host_allocate(&rig->host, equilibrium->size + 1);
    if (!equilibrium->memory || !copy->tree || (own && !equilibrium->reference)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    (void)carve_equilibrium(equilibrium, (char*)equilibrium->memory, bindings, nodes, points);
    poise__bindings_copy(copy->bindings, rig->bindings, rig->binding_count, copy->values);
    memset(equilibrium->reliefs, 0, bindings * POISE_MAX_MOTIONS * sizeof *equilibrium->reliefs);
    return poise__press_reserve(copy);
}

// a binding as its body is, which stands still
static PoiseStatus open_binding(Equilibrium* equilibrium, int b) {
    Binding* binding = &equilibrium->rig.bindings[b];
    for (int d = 0; d < binding->type->nv; d++) {
        const Sort sort = poise__sort(binding->type, d);
        const int number = equilibrium->rig.press.first[b] + d;
        equilibrium->stiffness[number] = poise__binding_spring(binding, sort).stiffness;
        equilibrium->speed[number] = equilibrium->resists[number] = 0.0;
    }
    binding->stops = 0;
    binding->has_last = false;
    equilibrium->clamps = equilibrium->clamps || poise__clamp_acts(binding);
    return binding->ready ? poise__binding_to_tree(binding, equilibrium->rig.tree) : POISE_OK;
}

PoiseStatus poise__equilibrium_open(Equilibrium* equilibrium, PoiseRig* rig) {
    memset(equilibrium, 0, sizeof *equilibrium);
    equilibrium->rig.host = rig->host;
    PoiseStatus status = poise__read_sets(rig);
    if (status < 0) {
        return status;
    }
    // which bases stand firm, and where everything is
    if (poise__read_bodies(rig) == 0) {
        return POISE_ERROR_GONE;
    }
    status = copy_rig(equilibrium, rig);
    if (status < 0) {
        return status;
    }
    PoiseTree* const tree = equilibrium->rig.tree;
    PoiseTree* const reference = equilibrium->reference;
    dVector3 g;
    dWorldGetGravity(rig->world, g);
    equilibrium->gravity = poise_vec3((double)g[0], (double)g[1], (double)g[2]);
    // the null space is pulled as in an update
    status = poise__reference_pull(&equilibrium->rig, tree, &equilibrium->rig.settings.solve);
    if (status >= 0 && reference) {
        status =
            poise__reference_pull(&equilibrium->rig, reference, &equilibrium->rig.settings.solve);
    }
    for (int b = 0; status >= 0 && b < rig->binding_count; b++) {
        status = open_binding(equilibrium, b);
    }
    status = status >= 0 && reference ? poise_forward(reference) : status;
    status = status < 0 ? status : poise_forward(tree);
    for (int i = 0; status >= 0 && i < poise_tree_point_count(tree); i++) {
        equilibrium->held[i] = poise_point_pose(tree, poise_tree_point(rig->tree, i));
    }
    return status < 0 ? status : poise__equilibrium_feet_open(equilibrium, rig);
}

void poise__equilibrium_finish(Equilibrium* equilibrium) {
    if (equilibrium->memory) {
        poise__equilibrium_feet_finish(equilibrium);
        poise__press_finish(&equilibrium->rig);
        poise_host_release(&equilibrium->rig.host, equilibrium->memory, equilibrium->size + 1);
    }
    poise_tree_destroy(equilibrium->reference);
    if (equilibrium->size > 0) {
        poise_tree_destroy(equilibrium->rig.tree);
    }
    memset(equilibrium, 0, sizeof *equilibrium);
}

// the displacement of each joint by its torque and stiffness alone
static void single_displacements(Equilibrium* equilibrium) {
    for (int i = 0; i < equilibrium->count; i++) {
        const double k = equilibrium->stiffness[i];
        // a joint without a spring stays where it is
        const double moves = !(k > 0.0)            ? 0.0
                             : equilibrium->swings ? poise__equilibrium_moves(equilibrium, i)
                                                   : 1.0 / k;
        equilibrium->displacement[i] = equilibrium->torque[i] * moves;
    }
}

// what carries on in motion pushes: I v / dt
static void add_momentum(Equilibrium* equilibrium) {
    for (int i = 0; equilibrium->swings && i < equilibrium->count; i++) {
        equilibrium->torque[i] += equilibrium->inertia[i] * equilibrium->speed[i] / equilibrium->dt;
    }
}

// The part of its displacement that a number goes in a step: all of it, or, on a way like that of
// the bodies', as its spring and damper let it go in a step of the rig.
static double share_of(const Equilibrium* equilibrium, const Binding* binding, int d) {
    const PoiseSpring spring = poise__binding_spring(binding, poise__sort(binding->type, d));
    const double later = spring.stiffness > 0.0 ? spring.damping / spring.stiffness : 0.0;
    const bool later_than_at_once = equilibrium->lags && !equilibrium->swings;
    return later_than_at_once ? equilibrium->dt / (equilibrium->dt + later) : 1.0;
}

// moves the joints by this part of what their torques would; returns the largest displacement
static double step_joints(Equilibrium* equilibrium, double part) {
    PoiseRig* rig = &equilibrium->rig;
    double largest = 0.0;
    add_momentum(equilibrium);
    if (!poise__equilibrium_feet_displace(equilibrium)) {
        single_displacements(equilibrium);
    }
    for (int b = 0; b < rig->binding_count; b++) {
        Binding* binding = &rig->bindings[b];
        const int count = binding->type->nv;
        double step[POISE_MAX_NV] = {0.0};
        double to[POISE_MAX_NQ];
        for (int d = 0; d < count; d++) {
            const double displacement = part * share_of(equilibrium, binding, d) *
                                        equilibrium->displacement[rig->press.first[b] + d];
            step[d] = poise_min(poise_max(displacement, -MOST_STEP), MOST_STEP);
        }
        if (poise_node_shift(rig->tree, binding->node, step, count) < 0 ||
            poise_node_posture(rig->tree, binding->node, to) != binding->type->nq) {
            return (double)NAN;
        }
        // how far it went: a stop holds it, or not
        double went[POISE_MAX_NV];
        poise_joint_difference(binding->type, to, binding->q, went);
        const size_t bytes = (size_t)binding->type->nq * sizeof *to;
        memcpy(binding->q_last, binding->q, bytes);
        memcpy(binding->q, to, bytes);
        binding->has_last = equilibrium->lags;
        for (int d = 0; binding->looped && binding->stops != 0 && d < count; d++) {
            // it would stay: whether it is pushed there still
            step[d] = (binding->stops >> d & 1u) != 0
                          ? poise__equilibrium_feet_push(equilibrium, rig->press.first[b] + d)
                          : step[d];
        }
        binding->stops = poise__binding_find_stops(binding, step, ON_STOP);
        for (int d = 0; d < count; d++) {
            largest = poise_max(largest, fabs(went[d]));
            equilibrium->speed[rig->press.first[b] + d] = went[d] / equilibrium->dt;
        }
    }
    return largest;
}

// joint by joint; whether it came to rest in so many steps
static bool relax(Equilibrium* equilibrium, int most_lead_steps, int most_steps) {
    double part = 1.0;
    double before = HUGE_VAL;
    for (int i = 0; i < most_lead_steps + most_steps; i++) {
        const bool lead = i < most_lead_steps;
        const double led = poise__equilibrium_torques(equilibrium, lead);
        const double moved = led >= 0.0 ? step_joints(equilibrium, part) : (double)NAN;
        if (!isfinite(moved)) {
            return false;
        }
        if (led <= AT_REST && moved <= AT_REST * part) {
            return true;
        }
        const double pull = moved / part;
        part = pull > GREW * before && led <= moved ? poise_max(SHORTEN * part, LEAST_PART)
                                                    : poise_min(LENGTHEN * part, 1.0);
        before = pull;
    }
    return false;
}

// whether Newton's steps may be taken: nothing but springs and the solver
static bool is_plain(const Equilibrium* equilibrium) {
    const PoiseRig* rig = &equilibrium->rig;
    bool plain = !equilibrium->reference && equilibrium->ground.row_count == 0 &&
                 (rig->press.point_count == 0 || rig->press.yield_rows == 0);
    for (int b = 0; b < rig->binding_count; b++) {
        plain = plain && rig->bindings[b].stops == 0 && !rig->bindings[b].clamped;
    }
    return plain;
}

// what hangs on each joint, and the part of its speed that the air leaves it in a step
static double fill_inertia(Equilibrium* equilibrium, const PoiseRig* rig) {
    double keeps = 1.0;
    for (int b = 0; b < rig->binding_count; b++) {
        const Motor* motor = &rig->bindings[b].motor;
        for (int d = 0; d < motor->type->nv; d++) {
            equilibrium->inertia[equilibrium->rig.press.first[b] + d] =
                poise__inertia(rig, b, poise__sort(motor->type, d));
        }
        if (poise__motor_alive(motor)) {
            keeps = poise_min(keeps, 1.0 - (double)dBodyGetAngularDamping(motor->child));
        }
    }
    return keeps;
}

// goes on for a while with inertia; whether it came to rest so
static bool swing(Equilibrium* equilibrium) {
    const double keeps = fill_inertia(equilibrium, &equilibrium->rig);
    double moved = 0.0;
    equilibrium->swings = true;
    for (int i = 0; i < SWING_STEPS; i++) {
        const double led = poise__equilibrium_torques(equilibrium, true);
        moved = led >= 0.0 ? step_joints(equilibrium, 1.0) : (double)NAN;
        for (int k = 0; k < equilibrium->count; k++) {
            equilibrium->speed[k] *= keeps;
        }
        if (isnan(moved) || (moved <= SWUNG && led <= SWUNG)) {
            break;
        }
    }
    equilibrium->swings = false;
    equilibrium->went_on = moved > STILL_SWINGS;
    return !equilibrium->went_on;
}

// Where joints are held back by their torque limits, what it comes to depends on the way: there the
// joints come after theta_ik as the bodies do.
static bool relax_like_bodies(Equilibrium* equilibrium, Way way) {
    bool rests = false;
    equilibrium->lags = equilibrium->clamps && way != WAY_DIRECT;
    if (equilibrium->lags) {
        rests = way == WAY_SWINGING ? swing(equilibrium) : relax(equilibrium, MOST_LAG_STEPS, 0);
    }
    equilibrium->lags = false;
    for (int b = 0; b < equilibrium->rig.binding_count; b++) {
        equilibrium->rig.bindings[b].has_last = false;
    }
    return rests;
}

// by the law of the measured reference: near its rest by Newton's steps
static bool relax_measured(Equilibrium* equilibrium, Way way) {
    // at rest the solver's damping is at its floor
    equilibrium->rig.settings.solve.adaptive = false;
    bool rests = relax_like_bodies(equilibrium, way) && way != WAY_SWINGING;
    rests = rests || relax(equilibrium, 0, FIRST_STEPS);
    for (int i = 0; !rests && i < ROUNDS; i++) {
        rests = (is_plain(equilibrium) && poise__equilibrium_newton(equilibrium)) ||
                relax(equilibrium, 0, FIRST_STEPS);
    }
    return rests;
}

bool poise__equilibrium_rest(Equilibrium* equilibrium, Way way) {
    bool rests;
    if (equilibrium->reference || equilibrium->rig.stance_count > 0) {
        (void)relax_like_bodies(equilibrium, way);
        rests = relax(equilibrium, MOST_LEAD_STEPS, MOST_STEPS);
    } else {
        rests = relax_measured(equilibrium, way);
    }
    if (!rests) {
        return false;
    }
    poise__equilibrium_feet_keep(equilibrium);
    equilibrium->at_rest = true;
    return poise_forward(equilibrium->rig.tree) >= 0;
}
