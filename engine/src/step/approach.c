// SPDX-License-Identifier: MIT
// Bounds the speed at which a pressing point approaches. Along its force F the springs do not pull,
// and only the joints' dampers brake the point. A damper of F / v_a replaces them along the force,
// with v_a the approach_speed:
//     push(v) = F (1 - v / v_a).
// At rest the point presses with F, and in free space it moves at v_a, for any dampers of the
// joints. Runs after poise__force_share; poise__drive uses the results.
//
// The joint velocities phi move the point along its force by 1 m/s and leave its other rows at
// rest. The joints' dampers d resist phi with D = phi^T d phi.
// - D > F / v_a: the part s = 1 - F / (v_a D) of the present velocity along phi is added to the
//   reference velocity. The effective damping is d - s d phi phi^T d / D >= 0. Its second term uses
//   velocities of the last step, but the first outweighs it, so no step oscillates.
// - D < F / v_a: each joint gets an additional damper b p, with one factor b for all joints. The
//   reference velocity follows the present motion across phi, which this damper thus leaves free.
#include <math.h>
#include <string.h>

#include "convert.h"
#include "numbers.h"
#include "press.h"
#include "step.h"

// Largest speed of a joint while its point approaches a wall, rad/s. Near a singular posture a
// joint would turn faster, and hit the wall with the arm's whole mass. An arm that was to press
// with 20 N hit with 390 N at 1 rad/s, and with less than 200 N at 0.3 rad/s.
#define MAX_SPIN 0.3
// Least displacement of the point, as a fraction of the asked one, that its joints can make; a row
// with less is singular and skipped.
#define MIN_MOVED 0.5
// A point touches a wall if it is slower than STILL_SPEED, m/s, and the measured force is at least
// GIVEN_PART of the asked force. In 80 random arms this fraction was at least 0.15 in contact, at
// most 0.01 in the air.
#define STILL_SPEED 0.01
#define GIVEN_PART  0.1

// Fills press->rate with the joints' velocities, measured from the bodies.
static void read_rates(const RigState* state, Press* press) {
    memset(press->rate, 0, (size_t)press->number_count * sizeof *press->rate);
    for (int b = 0; b < state->rig->binding_count; b++) {
        const Motor* motor = &state->rig->bindings[b].motor;
        PoiseVec3 axes[POISE_MAX_NV];
        if (!state->joints[b].ready) {
            continue;
        }
        poise__joint_axes(&state->joints[b], axes);
        const PoiseVec3 place = poise__motor_place(motor);
        for (int d = 0; d < motor->type->nv; d++) {
            const Sort sort = poise__sort(motor->type, d);
            press->rate[press->first[b] + d] =
                poise_dot(axes[d], poise__motor_velocity(motor, place, sort));
        }
    }
}

// Sums over the joint velocities phi (see the head): damping phi^T d phi and stiffness phi^T p phi;
// the present speed along phi, weighted by dampers (damped_speed) and by springs (sprung_speed);
// the largest angular velocity in phi.
typedef struct Resistance {
    double damping;
    double stiffness;
    double damped_speed;
    double sprung_speed;
    double spin;
} Resistance;

static Resistance resist(const RigState* state, const Press* press, const double* phi) {
    Resistance sum = {0.0, 0.0, 0.0, 0.0, 0.0};
    for (int b = 0; b < state->rig->binding_count; b++) {
        const Binding* binding = &state->rig->bindings[b];
        for (int d = 0; d < binding->type->nv; d++) {
            const Sort sort = poise__sort(binding->type, d);
            const PoiseSpring spring = poise__binding_spring(binding, sort);
            const double rate = phi[press->first[b] + d];
            const double now = press->rate[press->first[b] + d];
            sum.damping += spring.damping * rate * rate;
            sum.stiffness += spring.stiffness * rate * rate;
            sum.damped_speed += spring.damping * rate * now;
            sum.sprung_speed += spring.stiffness * rate * now;
            sum.spin = sort == ABOUT ? poise_max(sum.spin, fabs(rate)) : sum.spin;
        }
    }
    sum.damped_speed /= sum.damping > 0.0 ? sum.damping : 1.0;
    sum.sprung_speed /= sum.stiffness > 0.0 ? sum.stiffness : 1.0;
    return sum;
}

// Returns the speed that is nearer to 0; 0 if the signs differ.
static double smaller(double a, double b) {
    return !(a * b > 0.0) ? 0.0 : fabs(a) < fabs(b) ? a : b;
}

// Returns the measured force along a row in the last step, as a fraction of the asked `force`.
static double given_part(const Press* press, int row, double force) {
    const double* e = &press->directions[row * POISE_MAX_ROWS];
    const PoiseVec3 given = press->points[press->row_point[row]].force_measured;
    return poise_dot(given, poise_vec3(e[0], e[1], e[2])) / force;
}

// Fills press->lead, `brake` and `keep` for one yielding row with the asked force `force`, N.
static void approach(RigState* state, int row, double force) {
    Press* press = &state->press;
    const int n = press->number_count;
    double* phi = press->spring;
    memset(press->work, 0, (size_t)press->goal_rows * sizeof *press->work);
    press->work[row] = 1.0;
    poise__press_joint_displacement(press, phi);
    const double moved = poise__numbers_dot(&press->j[row * n], phi, n);
    const Resistance resistance = resist(state, press, phi);
    if (!(moved > MIN_MOVED) || !(resistance.stiffness > 0.0)) {
        return;
    }
    double speed = state->rig->settings.approach_speed;
    speed = resistance.spin * speed > MAX_SPIN ? MAX_SPIN / resistance.spin : speed;
    // Reduce the dampers only for the missing part of the force, and not if the point moves back.
    // Speed beyond the approach speed is damped in full.
    const double now = poise__numbers_dot(&press->j[row * n], press->rate, n);
    const double free = poise_min(poise_max(1.0 - given_part(press, row, force), 0.0), 1.0);
    const double forward =
        now * force > 0.0 ? free * copysign(poise_min(fabs(now), speed), now) : 0.0;
    const double wanted = fabs(force) / speed;
    const double lead = resistance.damping > wanted ? (1.0 - wanted / resistance.damping) *
                                                          smaller(resistance.damped_speed, forward)
                                                    : 0.0;
    const double more =
        resistance.damping < wanted ? (wanted - resistance.damping) / resistance.stiffness : 0.0;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const Binding* binding = &state->rig->bindings[b];
        for (int d = 0; d < binding->type->nv; d++) {
            const int i = press->first[b] + d;
            const PoiseSpring spring =
                poise__binding_spring(binding, poise__sort(binding->type, d));
            const double brake = phi[i] != 0.0 ? more * spring.stiffness : 0.0;
            press->lead[i] += lead * phi[i];
            press->brake[i] += brake;
            press->keep[i] += brake * (press->rate[i] - resistance.sprung_speed * phi[i]);
        }
    }
}

// True if the point stands still along the row and its joints press with part of the asked force.
static bool touches(const Press* press, int row, double force) {
    const double speed =
        poise__numbers_dot(&press->j[row * press->number_count], press->rate, press->number_count);
    return fabs(speed) < STILL_SPEED && given_part(press, row, force) >= GIVEN_PART;
}

void poise__approach_fill(RigState* state) {
    Press* press = &state->press;
    const size_t size = (size_t)press->number_count * sizeof(double);
    if (press->point_count == 0) {
        return;
    }
    memset(press->lead, 0, size);
    memset(press->brake, 0, size);
    memset(press->keep, 0, size);
    read_rates(state, press);
    for (int r = 0; r < press->yield_rows; r++) {
        const double* e = &press->directions[r * POISE_MAX_ROWS];
        const PoiseVec3 force = press->points[press->row_point[r]].force;
        const double along = poise_dot(force, poise_vec3(e[0], e[1], e[2]));
        if (along != 0.0) {
            press->points[press->row_point[r]].touches |= touches(press, r, along);
            // a standing rig leans as it presses, so its joints keep their dampers
            if (!isinf(state->rig->settings.approach_speed) && state->stance_count == 0) {
                approach(state, r, along);
            }
        }
    }
}

void poise__approach_drive(const RigState* state, int binding, int d, MotorRow* row) {
    const Press* press = &state->press;
    const int i = press->first[binding] + d;
    const double damping = row->spring.damping + press->brake[i];
    if (damping > 0.0) {
        row->velocity = (row->spring.damping * row->velocity + press->keep[i]) / damping;
        row->velocity += press->lead[i];
        row->spring.damping = damping;
    }
}
