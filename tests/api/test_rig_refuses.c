// SPDX-License-Identifier: MIT
// What the functions of rigs do with arguments that are no good. None of them may reach ODE, which
// ends the process.
#include "poise/closure.h"
#include "poise/forecast.h"
#include "works.h"
#include "yard.h"

static void expect_no_rig(Yard* yard, PoiseRigDef def, const char* what) {
    yard->host.messages = 0;
    const char* problem = poise_rig_def_problem(&def);
    cr_expect(problem && strlen(problem) > 10u, "%s: '%s'", what, problem ? problem : "nothing");
    PoiseRig* rig = poise_rig_create(&def);
    cr_expect_null(rig, "a rig came from a def with %s", what);
    cr_expect_leq(yard->host.messages, 1, "%s: %d messages", what, yard->host.messages);
    poise_rig_destroy(rig);
}

// a row of the table below: a good def with one member set wrong
#define NO_RIG(member, value)                                                                      \
    do {                                                                                           \
        PoiseRigDef def_ = yard_rig_def(yard);                                                     \
        def_.tree = yard->other_tree;                                                              \
        def_.member = (value);                                                                     \
        expect_no_rig(yard, def_, #member " = " #value);                                           \
    } while (0)

YARD_TEST(rig_refuses, defs) {
    cr_expect_null(poise_rig_create(NULL));
    cr_expect_not_null(poise_rig_def_problem(NULL));
    cr_expect_not_null(poise_rig_problem(NULL));
    PoiseRigDef good = yard_rig_def(yard);
    good.tree = yard->other_tree;
    // asked twice: the question leaves no claim on the tree
    cr_expect_null(poise_rig_def_problem(&good));
    cr_expect_null(poise_rig_def_problem(&good));
    NO_RIG(tree, yard->tree);
    NO_RIG(cookie, 0);
    NO_RIG(tree, NULL);
    NO_RIG(world, NULL);
    NO_RIG(host.allocate, NULL);
    NO_RIG(host.release, NULL);
}

YARD_TEST(rig_refuses, settings) {
    PoiseRig* rig = yard->rig;
    PoiseNodeId hinge = yard->nodes[0];
    PoiseNodeId ball = yard->nodes[2];
    const PoiseStatus argument = POISE_ERROR_INVALID_ARGUMENT;
    const PoiseSpring good = {100.0, 10.0};
    const double bad[] = {-1.0, NOT_A_NUMBER, HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < 4; i++) {
        const PoiseSpring stiff = {bad[i], 10.0};
        const PoiseSpring damped = {100.0, bad[i]};
        RIG_REFUSES(argument, poise_rig_set_original(rig, hinge, stiff));
        RIG_REFUSES(argument, poise_rig_set_original(rig, hinge, damped));
        RIG_REFUSES(argument, poise_rig_set_ik(rig, hinge, stiff));
        RIG_REFUSES(argument, poise_rig_set_ik(rig, hinge, damped));
    }
    for (int i = 0; i < BAD_NUMBERS; i++) {
        RIG_REFUSES(argument, poise_rig_set_natural_posture(rig, hinge, &bad_numbers[i], 1));
    }
    for (int i = 0; i <= BAD_NUMBERS; i++) {
        const PoiseQuat q = bad_quat(i);
        const double turn[4] = {q.w, q.x, q.y, q.z};
        RIG_REFUSES(argument, poise_rig_set_natural_posture(rig, ball, turn, 4));
    }
    RIG_REFUSES(argument, poise_rig_set_torque_limit(rig, hinge, 0.0));
    RIG_REFUSES(argument, poise_rig_set_torque_limit(rig, hinge, -1.0));
    RIG_REFUSES(argument, poise_rig_set_torque_limit(rig, hinge, NOT_A_NUMBER));
    const PoiseNodeId not_bound[] = {poise_null_node(), yard->loose_node, yard->foreign_node};
    for (int i = 0; i < 3; i++) {
        const PoiseStatus expected = POISE_ERROR_INVALID_HANDLE;
        PoiseNodeId node = not_bound[i];
        PoiseJointReading reading;
        RIG_REFUSES(expected, poise_rig_set_original(rig, node, good));
        RIG_REFUSES(expected, poise_rig_set_ik(rig, node, good));
        RIG_REFUSES(expected, poise_rig_set_torque_limit(rig, node, 10.0));
        cr_expect_lt((int)poise_rig_read_joint(rig, node, &reading), 0);
        if (node.index1 != 0) {
            RIG_REFUSES(expected, poise_rig_unbind(rig, node));
        }
    }
}

YARD_TEST(rig_refuses, update) {
    const double bad[] = {0.0, -0.01, NOT_A_NUMBER, HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < 5; i++) {
        RIG_REFUSES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_update(yard->rig, bad[i], NULL));
    }
}

YARD_TEST(rig_refuses, updates_of_many) {
    PoiseStatus statuses[3];
    PoiseRig* const rigs[] = {yard->rig, NULL, yard->rig};
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rigs_update(NULL, 1, 0.01, statuses));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rigs_update(rigs, -1, 0.01, statuses));
    RIG_REFUSES(POISE_ERROR_INVALID_ARGUMENT, poise_rigs_update(rigs, 1, 0.0, statuses));
    GIVES(POISE_OK, poise_rigs_update(NULL, 0, 0.01, NULL));
    // each but that which is none
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rigs_update(rigs, 3, 0.01, statuses));
    cr_expect_geq((int)statuses[0], 0);
    cr_expect_eq(statuses[1], POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_geq((int)statuses[2], 0);
}

Test(rig_refuses, null) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    PoiseNodeId node = poise_null_node();
    PoiseSpring spring = {100.0, 10.0};
    PoiseJointReading reading;
    poise_rig_destroy(NULL);
    poise_rig_clear_status(NULL);
    GIVES(expected, poise_rig_status(NULL));
    cr_expect_str_eq(poise_rig_message(NULL), "");
    cr_expect_null(poise_rig_tree(NULL));
    cr_expect_null(poise_rig_world(NULL));
    GIVES(expected, poise_rig_unbind(NULL, node));
    cr_expect_eq(poise_rig_node_of_joint(NULL, NULL).index1, 0u);
    cr_expect_eq(poise_rig_node_of_body(NULL, NULL).index1, 0u);
    GIVES(expected, poise_rig_set_original(NULL, node, spring));
    GIVES(expected, poise_rig_set_ik(NULL, node, spring));
    GIVES(expected, poise_rig_set_torque_limit(NULL, node, 10.0));
    GIVES(expected, poise_rig_update(NULL, 0.01, NULL));
    GIVES(expected, poise_rig_place_bodies(NULL));
    GIVES(expected, poise_rig_take_posture(NULL));
    GIVES(expected, poise_rig_reserve_forces(NULL));
    GIVES(expected, poise_rig_read_joint(NULL, node, &reading));
    PoisePointReading pressed;
    GIVES(expected, poise_rig_read_point(NULL, poise_null_point(), &pressed));
    PoiseForecast forecast;
    PoisePointReading pressing;
    const PoiseForecastDef nothing = {.count = 0};
    GIVES(expected, poise_rig_forecast(NULL, &nothing, &forecast));
    GIVES(expected, poise_rig_read_point(NULL, poise_null_point(), &pressing));
    PoiseSpringAdvice advice;
    GIVES(expected, poise_rig_advise(NULL, node, 0.01, &advice));
    cr_expect_str_eq(poise_spring_verdict_name(~0u), "too stiff");
}

YARD_TEST(rig_refuses, bases_speeds_and_postures) {
    PoiseRig* rig = yard->rig;
    const PoiseStatus argument = POISE_ERROR_INVALID_ARGUMENT;
    const PoiseBindDef like = poise_default_bind_def();
    PoiseBindDef made_by_hand = like;
    made_by_hand.cookie = 0;
    cr_expect_eq(poise_rig_add_base(NULL, yard->loose_body, &like).index1, 0u);
    RIG_MAKES_NOTHING(argument, poise_rig_add_base(rig, NULL, &like));
    RIG_MAKES_NOTHING(argument, poise_rig_add_base(rig, yard->loose_body, NULL));
    RIG_MAKES_NOTHING(argument, poise_rig_add_base(rig, yard->loose_body, &made_by_hand));
    RIG_MAKES_NOTHING(POISE_ERROR_FOREIGN_WORLD,
                      poise_rig_add_base(rig, yard->foreign_body, &like));
    const double angle = 0.1;
    const PoiseSpring none = {0.0, 0.0};
    PoiseNodeId hinge = yard->nodes[0];
    RIG_REFUSES(argument, poise_rig_set_natural_posture(rig, hinge, NULL, 1));
    RIG_REFUSES(argument, poise_rig_set_natural_posture(rig, hinge, &angle, 0));
    RIG_REFUSES(argument, poise_rig_set_natural_posture(rig, hinge, &angle, 2));
    RIG_REFUSES(argument, poise_rig_set_speed_limit(rig, hinge, 0.0));
    RIG_REFUSES(argument, poise_rig_set_speed_limit(rig, hinge, -1.0));
    RIG_REFUSES(argument, poise_rig_set_speed_limit(rig, hinge, NOT_A_NUMBER));
    RIG_REFUSES(POISE_ERROR_WRONG_KIND, poise_rig_set_linear(rig, hinge, none, none));
    RIG_REFUSES(POISE_ERROR_WRONG_KIND, poise_rig_set_force_limit(rig, hinge, 1.0));
    for (int i = 0; i < BAD_NUMBERS; i++) {
        RIG_REFUSES(argument, poise_rig_set_natural_posture(rig, hinge, &bad_numbers[i], 1));
    }
    const PoiseNodeId not_bound[] = {poise_null_node(), yard->loose_node, yard->foreign_node};
    for (int i = 0; i < 3; i++) {
        const PoiseStatus expected = POISE_ERROR_INVALID_HANDLE;
        RIG_REFUSES(expected, poise_rig_set_natural_posture(rig, not_bound[i], &angle, 1));
        RIG_REFUSES(expected, poise_rig_set_speed_limit(rig, not_bound[i], 1.0));
        RIG_REFUSES(expected, poise_rig_set_linear(rig, not_bound[i], none, none));
        RIG_REFUSES(expected, poise_rig_set_force_limit(rig, not_bound[i], 1.0));
    }
    GIVES(argument, poise_rig_set_natural_posture(NULL, hinge, &angle, 1));
    GIVES(argument, poise_rig_set_speed_limit(NULL, hinge, 1.0));
    GIVES(argument, poise_rig_set_linear(NULL, hinge, none, none));
    GIVES(argument, poise_rig_set_force_limit(NULL, hinge, 1.0));
}

// a row of the table below: neither made with such a setting nor given it
#define NO_SETTING(member, value)                                                                  \
    do {                                                                                           \
        NO_RIG(settings.member, value);                                                            \
        yard->host.messages = 0;                                                                   \
        PoiseRigSettings bad_ = poise_rig_settings(yard->rig);                                     \
        bad_.member = (value);                                                                     \
        RIG_REFUSES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_set_settings(yard->rig, &bad_));       \
    } while (0)

YARD_TEST(rig_refuses, settings_of_the_whole_rig) {
    NO_SETTING(reference, (PoiseReference)5);
    NO_SETTING(solve.cookie, 0);
    NO_SETTING(solve.sweeps, 0);
    NO_SETTING(solve.solver, (PoiseSolver)77);
    NO_SETTING(solve.joint_cap, NOT_A_NUMBER);
    NO_SETTING(solve.damping_floor, 3.0);
    const double bad_rates[] = {-0.01, 1.01, NOT_A_NUMBER, HUGE_VAL};
    for (int i = 0; i < 4; i++) {
        NO_SETTING(posture_rate, bad_rates[i]);
    }
    const double bad_integrals[] = {-0.01, NOT_A_NUMBER, HUGE_VAL};
    for (int i = 0; i < 3; i++) {
        NO_SETTING(integral, bad_integrals[i]);
        NO_SETTING(integral_most, bad_integrals[i]);
        NO_SETTING(reconfigure_speed, bad_integrals[i]);
        NO_SETTING(approach_speed, i == 2 ? 0.0 : bad_integrals[i]);
    }
    NO_SETTING(integral_most, 0.0);
    PoiseRig* rig = yard->rig;
    RIG_REFUSES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_set_settings(rig, NULL));
    PoiseRigSettings settings = poise_rig_settings(rig);
    const PoiseRigSettings fresh = poise_default_rig_def().settings;
    cr_expect_eq(settings.integral_most, fresh.integral_most);
    cr_expect_eq(settings.solve.sweeps, fresh.solve.sweeps);
    cr_expect(settings.posture_rate == 0.0 && settings.integral == 0.0);
    settings.reference = POISE_REFERENCE_MEASURED;
    settings.gravity = false;
    settings.posture_rate = settings.integral = 0.5;
    settings.integral_most = 0.1;
    GIVES(POISE_OK, poise_rig_set_settings(rig, &settings));
    const PoiseRigSettings read = poise_rig_settings(rig);
    cr_expect_eq(read.reference, POISE_REFERENCE_MEASURED);
    cr_expect_not(read.gravity);
    cr_expect(read.posture_rate == 0.5 && read.integral == 0.5 && read.integral_most == 0.1);
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_set_settings(NULL, &settings));
    cr_expect_eq(poise_rig_settings(NULL).integral_most, fresh.integral_most);
}

Test(rig_refuses, words_of_causes) {
    const PoiseNodeNames nobody = {NULL, NULL};
    PoisePointReading reading = {.why = POISE_WHY_LIMIT, .joint_count = 2};
    reading.joints[0].index1 = 3;
    reading.joints[1].index1 = 5;
    char text[POISE_WHY_TEXT];
    cr_expect_str_eq(poise_point_why_name((PoisePointWhy)77), "?");
    cr_expect_str_eq(poise_point_why_name((PoisePointWhy)-1), "?");
    cr_expect_str_eq(poise_point_why_text(&reading, &nobody, text, sizeof text),
                     "held by joint 3, joint 5: limit");
    cr_expect_str_eq(poise_point_why_text(&reading, &nobody, text, 8), "held by");
    cr_expect_str_eq(poise_point_why_text(&reading, &nobody, text, 1), "");
    reading.joint_count = 0;
    reading.why = (PoisePointWhy)77;
    cr_expect_str_eq(poise_point_why_text(&reading, &nobody, text, sizeof text), "?");
    cr_expect_str_eq(poise_point_why_text(NULL, NULL, text, sizeof text), "");
    cr_expect_str_eq(poise_point_why_text(&reading, NULL, NULL, 8), "");
    cr_expect_str_eq(poise_point_why_text(&reading, &nobody, text, 0), "");
}

YARD_TEST(rig_refuses, forecasts_of_several_points) {
    PoiseForecast forecasts[2] = {{.miss = 7.0}, {.miss = 7.0}};
    const PoisePointId points[2] = {yard->point, poise_null_point()};
    const PoiseStatus wrong = POISE_ERROR_INVALID_ARGUMENT;
    PoiseForecastDef def = {.points = points, .count = 2};
    RIG_REFUSES(POISE_ERROR_INVALID_HANDLE, poise_rig_forecast(yard->rig, &def, forecasts));
    def.count = -1;
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, forecasts));
    def = (PoiseForecastDef){.points = NULL, .count = 1};
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, forecasts));
    def.points = points;
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, NULL));
    def = (PoiseForecastDef){.count = 0};
    GIVES(POISE_OK, poise_rig_forecast(yard->rig, &def, NULL));
    cr_expect(forecasts[0].miss == 7.0 && forecasts[1].miss == 7.0);
}

YARD_TEST(rig_refuses, forecasts_with_walls) {
    PoiseForecast forecast = {.miss = 7.0};
    PoiseWall wall = {yard->point, {0.0, 0.0, 1.0}, 0.5, NULL, 0.0};
    PoiseForecastDef def = {
        .points = &yard->point, .count = 1, .walls = &wall, .wall_count = 1, .step = 0.01};
    const PoiseStatus wrong = POISE_ERROR_INVALID_ARGUMENT;
    GIVES(wrong, poise_rig_forecast(NULL, &def, &forecast));
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, NULL, &forecast));
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, NULL));
    wall.normal = poise_vec3(0.0, 0.0, 0.0);
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, &forecast));
    wall.normal = poise_vec3(0.0, (double)INFINITY, 0.0);
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, &forecast));
    wall.normal = poise_vec3(0.0, 1.0, 0.0);
    wall.friction = -0.1;
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, &forecast));
    wall.friction = NOT_A_NUMBER;
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, &forecast));
    wall.friction = 0.5;
    wall.radius = -0.1;
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, &forecast));
    wall.radius = (double)INFINITY;
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, &forecast));
    wall.radius = 0.0;
    wall.body = yard->bodies[0];
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, &forecast));
    wall.body = NULL;
    wall.point = poise_null_point();
    RIG_REFUSES(POISE_ERROR_INVALID_HANDLE, poise_rig_forecast(yard->rig, &def, &forecast));
    def.wall_count = -1;
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, &forecast));
    def = (PoiseForecastDef){.points = &yard->point, .count = 1, .wall_count = 1};
    RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, &forecast));
    static const double numbers[] = {-0.01, (double)NAN, (double)INFINITY};
    static const char* const names[] = {"step is", "seconds is", "budget is"};
    for (int i = 0; i < 9; i++) {
        double* const members[] = {&def.step, &def.seconds, &def.budget};
        def = (PoiseForecastDef){.points = &yard->point, .count = 1};
        *members[i / 3] = numbers[i % 3];
        RIG_REFUSES(wrong, poise_rig_forecast(yard->rig, &def, &forecast));
        // by name
        cr_expect_eq(poise_rig_forecast(yard->rig, &def, &forecast), wrong);
        cr_expect(strstr(poise_rig_message(yard->rig), names[i / 3]), "%s",
                  poise_rig_message(yard->rig));
        poise_rig_clear_status(yard->rig);
        yard->host.messages = 0;
    }
    cr_expect_eq(forecast.miss, 7.0);
}

YARD_TEST(rig_refuses, reading) {
    PoisePointReading pressing;
    GIVES(POISE_ERROR_INVALID_HANDLE,
          poise_rig_read_point(yard->rig, poise_null_point(), &pressing));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_read_point(yard->rig, poise_null_point(), NULL));
    cr_expect_lt((int)poise_rig_read_joint(yard->rig, yard->nodes[0], NULL), 0);
    cr_expect_eq(poise_rig_node_of_joint(yard->rig, NULL).index1, 0u);
    cr_expect_eq(poise_rig_node_of_joint(yard->rig, yard->loose_joint).index1, 0u);
    cr_expect_eq(poise_rig_node_of_body(yard->rig, NULL).index1, 0u);
    cr_expect_eq(poise_rig_node_of_body(yard->rig, yard->loose_body).index1, 0u);
    PoisePointReading reading;
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_read_point(NULL, yard->point, &reading));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_read_point(yard->rig, yard->point, NULL));
    GIVES(POISE_ERROR_INVALID_HANDLE,
          poise_rig_read_point(yard->rig, poise_null_point(), &reading));
    const PoiseVec3 place = poise_vec3(1.0, 2.0, 3.0);
    cr_expect_eq(poise_length(poise_rig_place_in_link(NULL, yard->nodes[0], place)), 0.0);
    cr_expect_eq(poise_length(poise_rig_place_in_link(yard->rig, yard->loose_node, place)), 0.0);
}

YARD_TEST(rig_refuses, what_the_user_destroys_meanwhile) {
    GIVES(POISE_OK, poise_rig_update(yard->rig, 0.01, NULL));
    // one link: it is left alone from now on
    dBodyDestroy(yard->bodies[3]);
    PoiseRigReport report;
    PoiseStatus status = poise_rig_update(yard->rig, 0.01, &report);
    cr_expect_eq(status, POISE_DEGRADED, "%s", poise_status_name(status));
    cr_expect_eq(report.skipped, 1);
    dWorldStep(yard->world, 0.01);
    // a disabled and a kinematic one
    dBodyDisable(yard->bodies[1]);
    dBodySetKinematic(yard->bodies[2]);
    cr_expect_geq((int)poise_rig_update(yard->rig, 0.01, &report), 0);
    dWorldStep(yard->world, 0.01);
    // a node of the tree
    GIVES(POISE_OK, poise_node_destroy(yard->tree, yard->nodes[1]));
    MAY_FAIL(poise_rig_update(yard->rig, 0.01, &report));
    dWorldStep(yard->world, 0.01);
}

YARD_TEST(rig_refuses, what_is_not_finite_stays_where_it_is) {
    GIVES(POISE_OK, poise_register_chain(yard->tree, yard->point, poise_null_node()));
    GIVES(POISE_OK, poise_rig_update(yard->rig, 0.01, NULL));
    // written past ODE's own checks, as a simulation that blew up leaves it
    ((dReal*)dBodyGetPosition(yard->bodies[3]))[0] = (dReal)NAN;
    PoiseRigReport report;
    cr_expect_eq(poise_rig_update(yard->rig, 0.01, &report), POISE_DEGRADED);
    PoiseJointReading reading;
    GIVES(POISE_OK, poise_rig_read_joint(yard->rig, yard->nodes[0], &reading));
    cr_expect(isfinite(reading.q_target[0]) && isfinite(reading.q[0]));
}

YARD_TEST(rig_refuses, closures) {
    const PoiseStatus argument = POISE_ERROR_INVALID_ARGUMENT;
    cr_expect_eq(poise_rig_add_closure(NULL, NULL), argument);
    cr_expect_eq(poise_rig_add_closure(yard->rig, NULL), argument);
    cr_expect_eq(poise_rig_remove_closure(NULL, NULL), argument);
    cr_expect_eq(poise_rig_remove_closure(yard->rig, NULL), argument);
    cr_expect_eq(poise_rig_closure_count(NULL), 0);
    cr_expect_null(poise_rig_closure_joint(NULL, 0));
    cr_expect_null(poise_rig_closure_joint(yard->rig, 0));
    cr_expect_null(poise_rig_closure_joint(yard->rig, -1));
}

Test(rig_refuses, friction_bands) {
    const PoiseVec3 force = poise_vec3(0.0, 0.0, -10.0);
    const PoiseForecast forecast = {.compliance = {1e-3}};
    cr_expect_eq(poise_forecast_friction_band(NULL, force, 0.5), 0.0);
    cr_expect_not(poise_forecast_rests(NULL));
    cr_expect_str_eq(poise_forecast_end_name((PoiseForecastEnd)-1), "?");
    cr_expect_eq(poise_forecast_friction_band(&forecast, poise_vec3(0.0, 0.0, 0.0), 0.5), 0.0);
    cr_expect_eq(poise_forecast_friction_band(&forecast, force, -0.5), 0.0);
    cr_expect_eq(poise_forecast_friction_band(&forecast, force, NOT_A_NUMBER), 0.0);
    cr_expect_eq(poise_forecast_friction_band(&forecast, force, HUGE_VAL), 0.0);
    cr_expect_leq(fabs(poise_forecast_friction_band(&forecast, force, 0.5) - 5e-3), 1e-12);
}
