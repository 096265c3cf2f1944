// SPDX-License-Identifier: MIT
// Joints with known dry friction, which is fed forward in the direction of the wanted motion. ODE's
// motors simulate the friction.
#include <criterion/criterion.h>
#include <math.h>

#include "mechanism.h"

#define STEP 0.005
// Largest error of a joint at rest, rad or m.
#define WITHIN 1e-4

// Adds a motor that would stop the joint between two bodies, by at most `friction` about or along
// z.
static void add_friction(const Mechanism* m, bool slides, dBodyID child, dBodyID parent,
                         double friction) {
    dJointID motor =
        slides ? dJointCreateLMotor(m->world, NULL) : dJointCreateAMotor(m->world, NULL);
    dJointAttach(motor, child, parent);
    if (slides) {
        dJointSetLMotorNumAxes(motor, 1);
        dJointSetLMotorAxis(motor, 0, 1, 0.0, 0.0, 1.0);
        dJointSetLMotorParam(motor, dParamFMax, friction);
    } else {
        dJointSetAMotorNumAxes(motor, 1);
        dJointSetAMotorAxis(motor, 0, 1, 0.0, 0.0, 1.0);
        dJointSetAMotorParam(motor, dParamFMax, friction);
    }
}

// Opens three hinges in a plane, or sliders along a line. The friction keeps them 0.05 rad off the
// targets of their springs.
static void open_chain(Mechanism* m, PoiseNodeKind kind, PoiseReference reference, double known) {
    ChainDef def = chain_def(kind, kind == POISE_NODE_SLIDER ? 1 : 3, 20.0, 2.0);
    def.scale = 0.3;
    def.reference = reference;
    def.like.friction = known;
    chain_open(m, &def);
    for (int i = 0; i < m->body_count; i++) {
        add_friction(m, kind == POISE_NODE_SLIDER, m->bodies[i], i > 0 ? m->bodies[i - 1] : NULL,
                     1.0);
    }
}

Test(dry_friction, a_hinge_with_friction_rests_at_its_goal) {
    static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};
    for (int r = 0; r < 2; r++) {
        for (int known = 0; known < 2; known++) {
            Mechanism m;
            open_chain(&m, POISE_NODE_HINGE, references[r], known ? 1.0 : 0.0);
            mechanism_goal(&m, poise_vec3(0.3, 0.6, 0.0));
            mechanism_run(&m, STEP, 2000);
            const double error = mechanism_error(&m);
            cr_log_info("reference %d, told %d: %.3f mm", r, known, 1e3 * error);
            cr_expect(known ? error <= WITHIN : error >= 50.0 * WITHIN,
                      "reference %d, told %d: %g m", r, known, error);
            // a forecast includes known friction, which therefore makes no estimate of it
            const PoiseForecast forecast = mechanism_foresee(&m, STEP);
            cr_expect(!known || forecast.miss <= WITHIN, "%g m foreseen", forecast.miss);
            cr_expect(!known || forecast.end == POISE_FORECAST_SETTLES, "%s: %s",
                      poise_forecast_end_name(forecast.end), forecast.why);
            mechanism_close(&m);
        }
    }
}

Test(dry_friction, a_slider_with_friction_rests_at_its_goal) {
    Mechanism m;
    open_chain(&m, POISE_NODE_SLIDER, POISE_REFERENCE_OWN, 1.0);
    const PoiseVec3 start = mechanism_tip(&m);
    mechanism_goal(&m, poise_vec3(start.x, start.y, start.z + 0.05));
    mechanism_run(&m, STEP, 2000);
    cr_expect_leq(mechanism_error(&m), WITHIN, "%g m", mechanism_error(&m));
    const PoiseForecast forecast = mechanism_foresee(&m, STEP);
    cr_expect(forecast.end == POISE_FORECAST_SETTLES && forecast.miss <= WITHIN, "%s: %s, %g m",
              poise_forecast_end_name(forecast.end), forecast.why, forecast.miss);
    mechanism_close(&m);
}

// The chain rests, and a push below the friction does not make it creep.
Test(dry_friction, fed_friction_moves_no_resting_joint) {
    Mechanism m;
    open_chain(&m, POISE_NODE_HINGE, POISE_REFERENCE_OWN, 1.0);
    mechanism_goal(&m, poise_vec3(0.3, 0.6, 0.0));
    mechanism_run(&m, STEP, 2000);
    cr_expect_leq(mechanism_kinetic_energy(&m), 1e-20, "%g J", mechanism_kinetic_energy(&m));
    for (int i = 0; i < 3; i++) {
        // the push is below the friction, so the chain stays
        dBodyAddTorque(m.bodies[2], 0.0, 0.0, 0.5);
        mechanism_step(&m, STEP);
    }
    mechanism_run(&m, STEP, 400);
    cr_expect_leq(mechanism_error(&m), 2.0 * WITHIN, "%g m", mechanism_error(&m));
    mechanism_close(&m);
}

Test(dry_friction, a_moving_goal_is_followed_against_friction) {
    double error[2];
    for (int known = 0; known < 2; known++) {
        Mechanism m;
        open_chain(&m, POISE_NODE_HINGE, POISE_REFERENCE_OWN, known ? 1.0 : 0.0);
        mechanism_goal(&m, poise_vec3(0.3, 0.6, 0.0));
        mechanism_run(&m, STEP, 1000);
        error[known] = 0.0;
        for (int i = 1; i <= 400; i++) {
            mechanism_goal(&m, poise_vec3(0.3, 0.6 - 0.1 * i * STEP, 0.0));
            mechanism_step(&m, STEP);
            error[known] = i > 100 ? fmax(error[known], mechanism_error(&m)) : 0.0;
        }
        mechanism_close(&m);
    }
    cr_log_info("%.3f mm, %.3f without", 1e3 * error[1], 1e3 * error[0]);
    cr_expect_leq(error[1], 0.03 * error[0], "%g m, %g without", error[1], error[0]);
}
