// SPDX-License-Identifier: MIT
// The anti-windup clamp bounds theta_ik by the torque limit. It bounds the torque of the motor, not
// the pull of one of its two springs:
//     |p_ik (theta_ik - theta) + p_orig (theta_orig - theta) + feed-forward - d_ik slip| <= limit.
// If the two springs pull against each other and the motor's torque is small, theta_ik is not cut
// and eq. 24 holds. If the joint is blocked, theta_ik stops at the limit. If the natural spring and
// the feed-forward alone exceed the limit, theta_ik may be anywhere from theta to their balance.
// The slip is the joint's velocity minus its reference velocity: the clamp of a moving joint makes
// room for the pull of its damper.
#include <math.h>
#include <string.h>

#include "numbers.h"
#include "shared/clones.h"
#include "step.h"

// Longest lag by which the clamp of a moving joint grows, as a multiple of the clamp's length at
// rest. An unbounded clamp would let a blocked joint overshoot when it comes free.
#define MAX_LAG 3.0
// Largest fraction of a hinge's torque limit that the weight of its links may need.
#define MAX_LOAD 0.95
// A load above this fraction of MAX_LOAD times the torque limit is a full load
// (poise__is_fully_loaded).
#define FULL_LOAD 0.99
// A theta_ik beyond this fraction of the clamp's length counts as clamped.
#define AT_CLAMP (1.0 - 1e-9)

// Returns the displacement theta_ik - theta at which the IK spring exerts the torque limit, rad or
// m; infinite without a limit or a spring.
static double clamp_length(const Binding* binding, const Block* block) {
    const double p = binding->ik[block->sort].stiffness;
    return p > 0.0 ? binding->force_limit[block->sort] / p : HUGE_VAL;
}

bool poise__clamp_acts(const JointState* joint) {
    const Binding* binding = joint->of;
    // most joints have no torque limit, so this is tested first
    return (isfinite(binding->force_limit[ABOUT]) || isfinite(binding->force_limit[ALONG])) &&
           joint->ready && binding->follows_ik && poise__binding_is_driven(binding);
}

bool poise__is_fully_loaded(const Binding* binding, double load) {
    return binding->type->nv == 1 && binding->blocks[0].sort == ABOUT &&
           fabs(load) >= FULL_LOAD * MAX_LOAD * binding->force_limit[ABOUT];
}

// Shortens the vector v to the length `most`.
static void shorten(double* v, int count, double most) {
    const double length = sqrt(poise__numbers_dot(v, v, count));
    for (int i = 0; length > most && i < count; i++) {
        v[i] *= most / length;
    }
}

// Returns the displacement of a spring that balances its damper: d / p times the slip, the measured
// minus the reference velocity. `moved`: displacement of the joint in the last step, rad or m;
// `asked`: reference velocity.
static double lag_of_damper(PoiseSpring spring, double moved, double dt, double asked) {
    const double part = spring.stiffness > 0.0 ? spring.damping / spring.stiffness : 0.0;
    return part * (moved / dt - asked);
}

// Fills joint->lag by lag_of_damper from the last two measured coordinates, joint frame; 0 before
// the second measurement. The lag is at most MAX_LAG times the clamp's length.
static void fill_lag(JointState* joint, double dt) {
    const Binding* binding = joint->of;
    double* lag = joint->lag;
    if (!joint->has_last) {
        poise__joint_clear(joint, lag);
        return;
    }
    if (binding->type->nv == 1) {
        // joints of one velocity need no loop, which (with clamp_single) saves 7.1 % of a Panda's
        // update
        const Block* b = &binding->blocks[0];
        const double moved = joint->q[0] - joint->q_last[0];
        const double single = lag_of_damper(binding->ik[b->sort], moved, dt, joint->velocity[0]);
        const double most = MAX_LAG * clamp_length(binding, b);
        lag[0] = fabs(single) > most ? single * (most / fabs(single)) : single;
        return;
    }
    poise_joint_difference(binding->type, joint->q, joint->q_last, lag);
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        for (int d = b->first; d < b->first + b->count; d++) {
            lag[d] = lag_of_damper(binding->ik[b->sort], lag[d], dt, joint->velocity[d]);
        }
        shorten(&lag[b->first], b->count, MAX_LAG * clamp_length(binding, b));
    }
}

// Returns the displacement at which the IK spring has the torque of the natural spring and of the
// last feed-forward together, for a joint of one velocity.
static double single_shift(const JointState* joint) {
    const Binding* binding = joint->of;
    const Sort sort = (Sort)binding->blocks[0].sort;
    double pull = joint->feed_forward[0];
    if (binding->original[sort].stiffness > 0.0) {
        double natural[POISE_MAX_NQ];
        poise__binding_natural(binding, joint->q_ik, natural);
        pull += binding->original[sort].stiffness * (natural[0] - joint->q[0]);
    }
    return pull / binding->ik[sort].stiffness;
}

/// An interval of angles or displacements of a joint of one velocity.
typedef struct Span {
    double lower;
    double upper;
} Span;

static Span single_span(const JointState* joint) {
    const double length = clamp_length(joint->of, &joint->of->blocks[0]);
    const double middle = joint->q[0] + joint->lag[0];
    const double shift = single_shift(joint);
    return (Span){middle + poise_min(0.0, -length - shift),
                  middle + poise_max(0.0, length - shift)};
}

// Fills the displacement that single_shift returns, for a joint of several velocities, joint frame.
static void fill_shift(const JointState* joint, double shift[POISE_MAX_NV]) {
    const Binding* binding = joint->of;
    double spring[POISE_MAX_NV];
    poise__joint_pull(joint, spring, shift);
    for (int d = 0; d < binding->type->nv; d++) {
        shift[d] += joint->feed_forward[d];
    }
    poise__world_to_joint(binding, joint->joint_world.q, shift);
    for (int d = 0; d < binding->type->nv; d++) {
        const double p = binding->ik[poise__sort(binding->type, d)].stiffness;
        shift[d] = p > 0.0 ? shift[d] / p : 0.0;
    }
}

// Returns the range of angles in which MAX_LOAD of the hinge's torque limit holds the weight of its
// links. Outside of it the links would fall, and the hinge could not lift them again. m is the
// first moment of the links about a point of the axis a, g gravity and w the angle:
//     load = -a . (m x g),  slope = d load / dw = m . g - (a . m) (a . g)
// To stop from a speed v at the end of the range, the hinge needs the distance v sqrt(inertia /
// slope). `rate`, 1/s, becomes half the speed that can be stopped in the distance 1; half, because
// the joint lags behind theta_ik. Angles are infinite if the limit exceeds the load at all angles.
static Span load_span(const RigState* state, const JointState* joint, PoiseVec3 m, PoiseVec3 g,
                      double* rate) {
    const double most = MAX_LOAD * joint->of->force_limit[ABOUT];
    PoiseVec3 axes[POISE_MAX_NV];
    poise__joint_axes(joint, axes);
    const PoiseVec3 a = axes[0];
    const double load = -poise_dot(a, poise_cross(m, g));
    const double slope = poise_dot(m, g) - poise_dot(a, m) * poise_dot(a, g);
    *rate = 1.0;
    if (load * load + slope * slope <= most * most || slope == 0.0) {
        return (Span){-HUGE_VAL, HUGE_VAL};
    }
    *rate = 0.5 * sqrt(fabs(slope) / poise__inertia_about(state, joint, a));
    const double middle = joint->q[0] - load / slope;
    const double room = most / fabs(slope);
    return (Span){middle - room, middle + room};
}

POISE_CLONES void poise__reference_bound(RigState* state, double dt) {
    const int count = state->rig->binding_count;
    const PoiseNumbers numbers = poise_tree_numbers(state->tree);
    const PoiseVec3 g = poise__gravity(state->rig->world);
    const bool weighs = numbers.gravity_torque && state->rig->settings.gravity;
    const double weight = weighs ? poise_dot(g, g) : 0.0;
    const bool measured = state->rig->settings.reference == POISE_REFERENCE_MEASURED;
    JointState* joint = state->joints;
    for (int i = 0; i < count; i++, joint++) {
        const Binding* binding = joint->of;
        const bool acts = poise__clamp_acts(joint);
        if (acts) {
            fill_lag(joint, dt);
        }
        const bool clamped = binding->type->nv == 1 && acts;
        if (!clamped && !joint->bounds_step) {
            continue;
        }
        joint->bounds_step = clamped;
        Span step = {-HUGE_VAL, HUGE_VAL};
        if (clamped) {
            const size_t at = poise_numbers_at(&numbers, binding->node);
            const double from = numbers.posture[at];
            const Span span = single_span(joint);
            step = (Span){span.lower - from, span.upper - from};
            const double* subtree = &numbers.subtree[at];
            const PoiseVec3 m =
                poise_add_scaled(poise__vec3_at(&subtree[1]), -subtree[0], joint->joint_world.p);
            // at some angle the weight of the hinge's links may need more than MAX_LOAD; joints of
            // a loop share that weight, and have no bound
            const double most = MAX_LOAD * joint->of->force_limit[ABOUT];
            if (poise_dot(m, m) * weight > most * most && joint->anchored && !joint->of->looped &&
                joint->of->blocks[0].sort == ABOUT) {
                double rate;
                const Span holdable = load_span(state, joint, m, g, &rate);
                // the measured reference begins at the measured angle, from which theta_ik may be
                // far: the bound is about the change of theta_ik
                const double last = measured && joint->has_last ? joint->q_ik[0] : from;
                const double high = poise_max(from, last), low = poise_min(from, last);
                const double up = high - from + rate * dt * (holdable.upper - high);
                const double down = low - from + rate * dt * (holdable.lower - low);
                step.upper = poise_min(step.upper, poise_max(up, poise_max(step.lower, 0.0)));
                step.lower = poise_max(step.lower, poise_min(down, poise_min(step.upper, 0.0)));
            }
        }
        if (step.lower <= step.upper) {
            poise_node_put_step_range(state->tree, binding->node, step.lower, step.upper);
        } else {
            // a range that is not finite can only come from a forged snapshot, and makes this call
            // fail
            poise__note(state, poise_node_set_step_range(state->tree, binding->node, step.lower,
                                                         step.upper));
        }
    }
}

// Moves v to the nearest point of the convex hull of 0 and the ball of radius `most` about -shift.
// Returns true if v was outside the hull, or on the ball's surface while 0 is inside the ball.
static bool clamp_to_hull(double* v, const double* shift, int count, double most) {
    double pull[3] = {0.0};
    double along = 0.0;
    for (int k = 0; k < count; k++) {
        pull[k] = v[k] + shift[k];
        along -= v[k] * shift[k];
    }
    const double far = sqrt(poise__numbers_dot(shift, shift, count));
    const double size = sqrt(poise__numbers_dot(v, v, count));
    // a forged snapshot may have a negative limit
    most = poise_max(most, 0.0);
    if (far > most) {
        // the nearest point may be on the cone of tangents from 0 to the ball: compute it in the
        // plane of v and the ball's centre
        along /= far;
        const double across = sqrt(poise_max(size * size - along * along, 0.0));
        const double sine = most / far;
        const double cosine = sqrt(1.0 - sine * sine);
        const double tangent = along * cosine + across * sine;
        if (tangent <= far * cosine) {
            const bool inside = tangent > 0.0 && across * cosine <= along * sine;
            const double to_along = inside ? along : poise_max(tangent, 0.0) * cosine;
            const double to_across = inside ? across : poise_max(tangent, 0.0) * sine;
            const double part = across > 0.0 ? to_across / across : 0.0;
            for (int k = 0; k < count; k++) {
                const double axis = -shift[k] / far;
                v[k] = to_along * axis + part * (v[k] - along * axis);
            }
            return !inside;
        }
    }
    const bool clamped = sqrt(poise__numbers_dot(pull, pull, count)) >= most * AT_CLAMP;
    shorten(pull, count, most);
    for (int k = 0; k < count; k++) {
        v[k] = pull[k] - shift[k];
    }
    return clamped;
}

static bool clamp_single(JointState* joint) {
    const Binding* binding = joint->of;
    const Span span = single_span(joint);
    const double slack = (1.0 - AT_CLAMP) * clamp_length(binding, &binding->blocks[0]);
    double* at = &joint->q_ik[0];
    const bool clamped = *at <= span.lower + slack || *at >= span.upper - slack;
    if (clamped) {
        *at = poise__stop_target(binding, 0, poise_min(poise_max(*at, span.lower), span.upper));
    }
    return clamped;
}

bool poise__clamp_ik(JointState* joint) {
    const Binding* binding = joint->of;
    if (binding->type->nv == 1) {
        return clamp_single(joint);
    }
    double shift[POISE_MAX_NV];
    double off[POISE_MAX_NV];
    bool clamped = false;
    fill_shift(joint, shift);
    poise_joint_difference(binding->type, joint->q_ik, joint->q, off);
    for (int i = 0; i < binding->block_count; i++) {
        const Block* b = &binding->blocks[i];
        const double most = clamp_length(binding, b);
        double* displacement = &off[b->first];
        for (int k = 0; k < b->count; k++) {
            displacement[k] -= joint->lag[b->first + k];
        }
        clamped = clamp_to_hull(displacement, &shift[b->first], b->count, most) || clamped;
        for (int k = 0; k < b->count; k++) {
            displacement[k] += joint->lag[b->first + k];
        }
    }
    if (clamped) {
        memcpy(joint->q_ik, joint->q, (size_t)binding->type->nq * sizeof *joint->q);
        poise_joint_integrate(binding->type, joint->q_ik, off);
        for (int i = 0; i < binding->block_count; i++) {
            const Block* b = &binding->blocks[i];
            double* at = &joint->q_ik[b->q];
            if (b->count == 1) {
                *at = poise__stop_target(binding, b->first, *at);
            }
        }
    }
    return clamped;
}
