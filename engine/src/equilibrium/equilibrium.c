// SPDX-License-Identifier: MIT
// Where a rig comes to rest: step by step, each joint by its torque over its stiffness, until the
// two springs, what is fed forward and the weight balance (sec. 5.1). The law of each reference
// follows from where theta_ik is counted from. Where a point yields it is held where it is, as by
// the contact that it presses on.
#include "statics.h"

#include <string.h>

#include "block_arrays.h"
#include "convert.h"

enum {
    MOST_LEAD_STEPS = 3000,
    MOST_LAG_STEPS = 6000,
    MOST_STEPS = 5000,
    FIRST_STEPS = 500,
    LEAD_BLOCK = 100,
    LEAD_BLOCKS = 300,
    ROUNDS = 15,
    SWING_STEPS = 3000
};

// rest is when no joint moves by more than this in a step, rad and m
#define AT_REST 1e-10
// and the null space's reference is reached when none has farther to go, rad and m
#define LED_OUT 1e-5
// where that takes minutes it is gone at this posture rate, which leads to the same
#define LEAD_RATE 0.01
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

static size_t carve_equilibrium(Equilibrium* equilibrium, char* base) {
    const size_t numbers = (size_t)equilibrium->count;
    const size_t blocks = (size_t)equilibrium->state.rig->binding_count * POISE_MAX_MOTIONS;
    const size_t postures =
        POISE_MAX_POSTURE * (size_t)poise_tree_node_count(equilibrium->state.tree);
    const size_t points = (size_t)poise_tree_point_count(equilibrium->state.tree);
    double** const by_number[] = {&equilibrium->torque,       &equilibrium->stiffness,
                                  &equilibrium->displacement, &equilibrium->compliance,
                                  &equilibrium->inertia,      &equilibrium->speed,
                                  &equilibrium->resists};
    const size_t feet = (size_t)equilibrium->state.stance_count;
    const size_t rows = CLOSURE_ROWS * (feet + (size_t)equilibrium->state.rig->closure_count);
    size_t used = 0;
    equilibrium->was_limited = (bool*)poise__carve_from(
        base, &used, (size_t)equilibrium->state.rig->binding_count, sizeof(bool));
    equilibrium->stops = (unsigned*)poise__carve_from(
        base, &used, (size_t)equilibrium->state.rig->binding_count, sizeof(unsigned));
    equilibrium->reliefs = (Relief*)poise__carve_from(base, &used, blocks, sizeof(Relief));
    equilibrium->held = (PoisePose*)poise__carve_from(base, &used, points, sizeof(PoisePose));
    equilibrium->feet = (PoisePose*)poise__carve_from(base, &used, feet, sizeof(PoisePose));
    equilibrium->gap = (double*)poise__carve_from(base, &used, rows, sizeof(double));
    equilibrium->closing = (double*)poise__carve_from(base, &used, rows, sizeof(double));
    for (size_t i = 0; i < sizeof by_number / sizeof *by_number; i++) {
        *by_number[i] = (double*)poise__carve_from(base, &used, numbers, sizeof(double));
    }
    equilibrium->postures = (double*)poise__carve_from(base, &used, postures, sizeof(double));
    equilibrium->at = (double*)poise__carve_from(base, &used, postures, sizeof(double));
    return used;
}

// a second state of the rig, and room for what is found of it
static PoiseStatus open_state(Equilibrium* equilibrium, const PoiseRig* rig, double step) {
    PoiseStatus status = poise__state_open(&equilibrium->state, &rig->state);
    status = status < 0 ? status : poise__press_reserve(&equilibrium->state);
    if (status < 0) {
        return status;
    }
    const bool own = rig->settings.reference == POISE_REFERENCE_OWN;
    equilibrium->reference = own ? poise_tree_clone(rig->state.tree) : NULL;
    equilibrium->solve = rig->settings.solve;
    equilibrium->solve.step = 0.0;
    equilibrium->dt = step > 0.0 ? step : rig->advised_step > 0.0 ? rig->advised_step : USUAL_STEP;
    equilibrium->count = poise__rig_velocities(rig);
    equilibrium->size = carve_equilibrium(equilibrium, NULL);
    equilibrium->memory = poise_host_allocate(&rig->host, equilibrium->size);
    if (!equilibrium->memory || (own && !equilibrium->reference)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    memset(equilibrium->memory, 0, equilibrium->size);
    (void)carve_equilibrium(equilibrium, (char*)equilibrium->memory);
    return POISE_OK;
}

// a binding as its body is, which stands still
static void open_binding(Equilibrium* equilibrium, int b) {
    JointState* joint = &equilibrium->state.joints[b];
    const Binding* binding = joint->of;
    for (int d = 0; d < binding->type->nv; d++) {
        const Sort sort = poise__sort(binding->type, d);
        const int number = equilibrium->state.press.first[b] + d;
        equilibrium->stiffness[number] = poise__binding_spring(binding, sort).stiffness;
    }
    joint->stops = 0;
    joint->has_last = false;
    equilibrium->clamps = equilibrium->clamps || poise__clamp_acts(joint);
    if (joint->ready) {
        poise__note(&equilibrium->state, poise__joint_to_tree(joint, equilibrium->state.tree));
    }
}

PoiseStatus poise__equilibrium_open(Equilibrium* equilibrium, PoiseRig* rig, double step) {
    memset(equilibrium, 0, sizeof *equilibrium);
    PoiseStatus status = poise__read_sets(rig);
    if (status < 0) {
        return status;
    }
    // which bases stand firm, and where everything is
    if (poise__read_bodies(rig) == 0) {
        return POISE_ERROR_GONE;
    }
    status = open_state(equilibrium, rig, step);
    if (status < 0) {
        return status;
    }
    PoiseTree* const tree = equilibrium->state.tree;
    PoiseTree* const reference = equilibrium->reference;
    equilibrium->gravity = poise__gravity(rig->world);
    // the null space is pulled as in an update
    equilibrium->state.noted = POISE_OK;
    poise__reference_pull(&equilibrium->state, tree, &equilibrium->solve);
    if (reference) {
        poise__reference_pull(&equilibrium->state, reference, &equilibrium->solve);
        poise__note(&equilibrium->state, poise_forward(reference));
    }
    for (int b = 0; b < rig->binding_count; b++) {
        open_binding(equilibrium, b);
    }
    poise__note(&equilibrium->state, poise_forward(tree));
    for (int i = 0; i < poise_tree_point_count(tree); i++) {
        equilibrium->held[i] = poise_point_pose(tree, poise_tree_point(rig->state.tree, i));
    }
    poise__note(&equilibrium->state, poise__equilibrium_feet_open(equilibrium));
    return equilibrium->state.noted;
}

void poise__equilibrium_finish(Equilibrium* equilibrium) {
    if (equilibrium->state.rig) {
        poise__kkt_finish(&equilibrium->state, &equilibrium->ground);
        poise_host_release(&equilibrium->state.rig->host, equilibrium->memory, equilibrium->size);
    }
    poise_tree_destroy(equilibrium->reference);
    poise__state_close(&equilibrium->state);
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
    RigState* state = &equilibrium->state;
    double largest = 0.0;
    add_momentum(equilibrium);
    if (!poise__equilibrium_feet_displace(equilibrium)) {
        single_displacements(equilibrium);
    }
    for (int b = 0; b < state->rig->binding_count; b++) {
        JointState* joint = &state->joints[b];
        Binding* binding = &state->rig->bindings[b];
        const int count = binding->type->nv;
        double step[POISE_MAX_NV] = {0.0};
        double to[POISE_MAX_NQ];
        for (int d = 0; d < count; d++) {
            const double displacement = part * share_of(equilibrium, binding, d) *
                                        equilibrium->displacement[state->press.first[b] + d];
            step[d] = poise_min(poise_max(displacement, -MOST_STEP), MOST_STEP);
        }
        poise__note(state, poise_node_shift(state->tree, binding->node, step, count));
        poise_node_posture(state->tree, binding->node, to);
        // how far it went: a stop holds it, or not
        double went[POISE_MAX_NV];
        poise_joint_difference(binding->type, to, joint->q, went);
        const size_t bytes = (size_t)binding->type->nq * sizeof *to;
        memcpy(joint->q_last, joint->q, bytes);
        memcpy(joint->q, to, bytes);
        joint->has_last = equilibrium->lags;
        for (int d = 0; binding->looped && joint->stops != 0 && d < count; d++) {
            // it would stay: whether it is pushed there still
            step[d] = (joint->stops >> d & 1u) != 0
                          ? poise__equilibrium_feet_push(equilibrium, state->press.first[b] + d)
                          : step[d];
        }
        joint->stops = poise__joint_find_stops(joint, step, ON_STOP);
        for (int d = 0; d < count; d++) {
            largest = poise_max(largest, fabs(went[d]));
            equilibrium->speed[state->press.first[b] + d] = went[d] / equilibrium->dt;
        }
    }
    return largest;
}

// joint by joint; whether it came to rest in so many steps
static bool relax(Equilibrium* equilibrium, int most_lead_steps, int most_steps) {
    double part = 1.0;
    double before = HUGE_VAL;
    const PoiseStatus* noted = &equilibrium->state.noted;
    for (int i = 0; *noted >= 0 && i < most_lead_steps + most_steps; i++) {
        const bool lead = i < most_lead_steps;
        const double led = poise__equilibrium_torques(equilibrium, lead);
        const double moved = step_joints(equilibrium, part);
        equilibrium->led = lead ? led : equilibrium->led;
        // the clamps go by what was fed forward a step ago
        if (i > 0 && led <= AT_REST && moved <= AT_REST * part) {
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
    const RigState* state = &equilibrium->state;
    bool plain = !equilibrium->reference && equilibrium->ground.row_count == 0 &&
                 (state->press.point_count == 0 || state->press.yield_rows == 0);
    for (int b = 0; b < state->rig->binding_count; b++) {
        plain = plain && state->joints[b].stops == 0 && !state->joints[b].clamped;
    }
    return plain;
}

// what hangs on each joint, and the part of its speed that the air leaves it in a step
static double fill_inertia(Equilibrium* equilibrium, const RigState* state) {
    double keeps = 1.0;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const Motor* motor = &state->rig->bindings[b].motor;
        for (int d = 0; d < motor->type->nv; d++) {
            equilibrium->inertia[equilibrium->state.press.first[b] + d] =
                poise__inertia(state, b, poise__sort(motor->type, d));
        }
        if (poise__motor_alive(motor)) {
            keeps = poise_min(keeps, 1.0 - (double)dBodyGetAngularDamping(motor->child));
        }
    }
    return keeps;
}

// goes on for a while with inertia; whether it came to rest so
static bool swing(Equilibrium* equilibrium) {
    const double keeps = fill_inertia(equilibrium, &equilibrium->state);
    double moved = 0.0;
    equilibrium->swings = true;
    bool rests = false;
    for (int i = 0; !rests && i < SWING_STEPS; i++) {
        const double led = poise__equilibrium_torques(equilibrium, true);
        moved = step_joints(equilibrium, 1.0);
        for (int k = 0; k < equilibrium->count; k++) {
            equilibrium->speed[k] *= keeps;
        }
        rests = moved <= SWUNG && led <= SWUNG;
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
    for (int b = 0; b < equilibrium->state.rig->binding_count; b++) {
        equilibrium->state.joints[b].has_last = false;
    }
    return rests;
}

bool poise__equilibrium_goes_on(const Equilibrium* equilibrium) {
    const double rate = equilibrium->solve.posture_rate;
    return equilibrium->reference && equilibrium->state.rig->settings.posture_rate > 0.0 &&
           equilibrium->led > poise_max(LED_OUT * poise_min(rate, LEAD_RATE), AT_REST);
}

// Own posture: in the null space it may go on for minutes after its points are at their goals, and
// on that way a joint may come to its torque limit, after which all is different. Whether it rests
// without that.
static bool lead_out(Equilibrium* equilibrium) {
    const RigState* state = &equilibrium->state;
    equilibrium->led_out = true;
    equilibrium->solve.posture_rate = poise_max(equilibrium->solve.posture_rate, LEAD_RATE);
    for (int b = 0; b < state->rig->binding_count; b++) {
        equilibrium->was_limited[b] = state->joints[b].clamped;
    }
    bool rests = false;
    for (int i = 0;
         !rests && i < LEAD_BLOCKS && (i == 0 || poise__equilibrium_goes_on(equilibrium)); i++) {
        rests = relax(equilibrium, LEAD_BLOCK, 0);
        for (int b = 0; b < state->rig->binding_count; b++) {
            equilibrium->comes_to_limit =
                equilibrium->comes_to_limit ||
                (state->joints[b].clamped && !equilibrium->was_limited[b]);
        }
        if (equilibrium->comes_to_limit) {
            return false;
        }
    }
    return rests || relax(equilibrium, 0, MOST_STEPS);
}

// by the law of the measured reference: near its rest by Newton's steps
static bool relax_measured(Equilibrium* equilibrium, Way way) {
    // at rest the solver's damping is at its floor
    equilibrium->solve.adaptive = false;
    bool rests = relax_like_bodies(equilibrium, way) && way != WAY_SWINGING;
    rests = rests || relax(equilibrium, 0, FIRST_STEPS);
    for (int i = 0; !rests && i < ROUNDS; i++) {
        rests = (is_plain(equilibrium) && poise__equilibrium_newton(equilibrium)) ||
                relax(equilibrium, 0, FIRST_STEPS);
    }
    return rests;
}

bool poise__equilibrium_rest(Equilibrium* equilibrium, Way way, Lead lead) {
    bool rests;
    if (equilibrium->reference || equilibrium->state.stance_count > 0) {
        (void)relax_like_bodies(equilibrium, way);
        rests = relax(equilibrium, MOST_LEAD_STEPS, MOST_STEPS);
        const bool leads = lead == LEAD_OUT || (lead == LEAD_UNTOUCHED && !equilibrium->touched);
        if (rests && leads && poise__equilibrium_goes_on(equilibrium)) {
            rests = lead_out(equilibrium);
        }
    } else {
        rests = relax_measured(equilibrium, way);
    }
    if (!rests) {
        return false;
    }
    // what stays singular at rest has been kicked
    equilibrium->solve.escape = false;
    const Press* press = &equilibrium->state.press;
    const bool follows = press->point_count > 0 && press->yield_rows > 0;
    equilibrium->leads =
        equilibrium->reference && (equilibrium->clamps || follows) && equilibrium->led <= AT_REST;
    poise__equilibrium_feet_keep(equilibrium);
    equilibrium->at_rest = true;
    poise__equilibrium_torques(equilibrium, false);
    return equilibrium->state.noted >= 0;
}
