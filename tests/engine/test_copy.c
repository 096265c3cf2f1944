// SPDX-License-Identifier: MIT
// Forecasts copy the bases, welds and ties of a rig, with torque limits and with joints that the
// rig does not know. Oracle: the posture in which ODE's bodies rest.
#include <criterion/criterion.h>
#include <string.h>

#include "kinds.h"
#include "near.h"
#include "works.h"

static const double STEP = 0.01;
static const PoiseVec3 about_z = {0.0, 0.0, 1.0};

// Ways in which the bar, too heavy for its motor, is held, or a body is attached to it.
typedef enum Tie {
    TIE_NONE,
    TIE_GROUND_FIRST, ///< the hinge is attached (0, bar)
    TIE_GROUND_BALL,  ///< the bar hangs from a ball attached (0, body)
    TIE_MOVED_BASE,   ///< the bar hangs from a body that the user moves
    TIE_WELD,         ///< a box is welded to the bar's end
    TIE_BALL,         ///< a bar hangs from the bar's end by a ball
    TIE_CONE,         ///< a bar hangs from the bar's end by a ball inside a cone
    TIE_BALL_SECOND,  ///< a bar hangs from the bar's end by a ball attached in the other order
    TIE_SLIDER,
    TIE_UNIVERSAL,
    TIE_UNIVERSAL_X, ///< a universal joint whose axes are those that ODE gives a new joint
    TIE_UNIVERSAL_Y, ///< a universal joint with the same axes on a rotated body
    TIE_HINGE2,
    TIE_STOPPED,  ///< a universal joint with stops
    TIE_UNKNOWN,  ///< a ball to a body that the rig does not know
    TIE_DISABLED, ///< a disabled joint
    TIES
} Tie;

static dJointID make_tie(Mechanism* m, Tie tie, dBodyID bar, dBodyID other) {
    const Pivot end = pivot(poise_vec3(1.0, 0.0, 0.0), about_z);
    if (tie == TIE_HINGE2) {
        const dReal axes[2][4] = {{0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}};
        dJointID joint = dJointCreateHinge2(m->world, NULL);
        dJointAttach(joint, bar, other);
        dJointSetHinge2Anchor(joint, 1.0, 0.0, 0.0);
        dJointSetHinge2Axes(joint, axes[0], axes[1]);
        return joint;
    }
    if (tie >= TIE_UNIVERSAL && tie <= TIE_STOPPED) {
        const bool x = tie == TIE_UNIVERSAL_X, y = tie == TIE_UNIVERSAL_Y;
        if (y) {
            dMatrix3 turn;
            dRFromAxisAndAngle(turn, 0.0, 0.0, 1.0, acos(0.0));
            dBodySetRotation(other, turn);
        }
        dJointID joint = dJointCreateUniversal(m->world, NULL);
        dJointAttach(joint, other, bar);
        dJointSetUniversalAnchor(joint, 1.0, 0.0, 0.0);
        dJointSetUniversalAxis2(joint, y, !y, 0.0);
        dJointSetUniversalAxis1(joint, x, y, !x && !y);
        if (tie == TIE_STOPPED) {
            dJointSetUniversalParam(joint, dParamLoStop1, -2.0);
            dJointSetUniversalParam(joint, dParamHiStop1, 2.0);
        }
        return joint;
    }
    const PoiseNodeKind kind = tie == TIE_SLIDER ? POISE_NODE_SLIDER : POISE_NODE_BALL;
    return tie == TIE_BALL_SECOND ? mechanism_join(m, kind, bar, other, end)
                                  : mechanism_join(m, kind, other, bar, end);
}

static void open_bar(Mechanism* m, Tie tie, PoiseReference reference) {
    mechanism_open(m, poise_vec3(0.0, -9.81, 0.0), reference);
    RIG_SET(m->rig, gravity, false);
    const PoiseVec3 size = poise_vec3(1.0, 0.1, 0.1);
    dBodyID bar = mechanism_box(m, poise_vec3(0.5, 0.0, 0.0), size, 1.0);
    dBodyID base = NULL;
    if (tie == TIE_MOVED_BASE) {
        base = mechanism_box(m, poise_vec3(-0.5, 0.0, 0.0), size, 1.0);
        dBodySetKinematic(base);
    }
    const bool first = tie != TIE_GROUND_FIRST;
    const Pivot at = pivot(poise_vec3(0.0, 0.0, 0.0), about_z);
    if (tie == TIE_GROUND_BALL) {
        mechanism_join(m, POISE_NODE_BALL, NULL, bar, at);
    } else {
        mechanism_join(m, POISE_NODE_HINGE, first ? bar : NULL, first ? base : bar, at);
    }
    PoiseBindDef like = mechanism_springs(1000.0, 50.0);
    like.ik_linear = like.ik;
    like.torque_limit = 3.0;
    dJointID unknown = NULL;
    const PoiseVec3 small = poise_vec3(0.2, 0.1, 0.1);
    if (tie == TIE_WELD) {
        mechanism_weld(m, mechanism_box(m, poise_vec3(1.1, 0.0, 0.0), small, 0.02), bar);
    } else if (tie > TIE_WELD) {
        dBodyID other = mechanism_box(m, poise_vec3(1.1, 0.0, 0.0), small, 0.02);
        dJointID joint = make_tie(m, tie, bar, other);
        if (tie == TIE_DISABLED || tie == TIE_UNKNOWN) {
            dJointDisable(joint);
        }
        unknown = tie == TIE_UNKNOWN ? joint : NULL;
    }
    GETS(poise_rig_import(m->rig, base ? base : bar, &like) > 0);
    if (unknown) {
        dJointEnable(unknown);
    }
    if (tie == TIE_CONE) {
        const PoiseNodeId ball = poise_rig_node_of_body(m->rig, m->bodies[1]);
        WORKS(poise_node_set_limits(m->tree, ball, poise_cone(0.1, -0.1, 0.1)));
    }
    mechanism_point(m, poise_rig_node_of_body(m->rig, bar), bar, poise_vec3(1.0, 0.0, 0.0));
    mechanism_goal(m, poise_vec3(1.0, 0.0, 0.0));
}

// The tip moves down until the limit of 3 N m balances the weight. Forecasts are made at the start,
// and while the goal moves, which stands still in the copy. A bar on a joint without a spring
// swings forever.
Test(copy, a_bar_too_heavy_for_its_limit_rests_where_foreseen) {
    static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};
    for (int i = 0; i < 2 * TIES; i++) {
        const Tie tie = (Tie)(i / 2);
        const double moves = 0.01 * (i % 2);
        Mechanism m;
        open_bar(&m, tie, references[i % 2]);
        mechanism_run(&m, STEP, 20 * (i % 2));
        WORKS(poise_point_set_velocity(m.tree, m.point, poise_vec3(0.0, moves, 0.0)));
        const PoiseForecast forecast = foresee(m.rig, m.point, STEP);
        WORKS(poise_point_set_velocity(m.tree, m.point, poise_vec3(0.0, 0.0, 0.0)));
        cr_expect(forecast.end == POISE_FORECAST_MOVES || forecast.limited == 1, "tie %d", tie);
        cr_expect_neq(forecast.end, POISE_FORECAST_NO_COPY, "tie %d: %s", tie, forecast.why);
        cr_expect(tie > TIE_WELD || forecast.end == POISE_FORECAST_SETTLES, "tie %d: %s", tie,
                  forecast.why);
        mechanism_run(&m, STEP, 3000);
        // a bar on a ball still swings a little, which lowers the tip by at most 0.7 %
        const double miss = mechanism_error(&m);
        cr_expect(fabs(forecast.miss - miss) <= 0.01 * miss, "tie %d, %d: miss %g, foreseen %g",
                  tie, i % 2, miss, forecast.miss);
        mechanism_close(&m);
    }
}

// The goal of a pose rotates; the forecast uses its present rotation.
Test(copy, a_forecast_stops_the_rotation_of_a_goal) {
    PoiseForecast forecasts[2];
    for (int i = 0; i < 2; i++) {
        Mechanism m;
        open_bar(&m, TIE_WELD, POISE_REFERENCE_OWN);
        PoisePointDef def = poise_default_pose_def();
        def.link = poise_tree_node(m.tree, 0);
        def.has_goal = true;
        const PoisePointId point = poise_point_create(m.tree, &def);
        WORKS(poise_register_all(m.tree, point));
        WORKS(poise_point_set_angular_velocity(m.tree, point, poise_vec3(0.0, 0.0, i)));
        forecasts[i] = foresee(m.rig, point, STEP);
        cr_expect(forecasts[i].end == POISE_FORECAST_SETTLES && forecasts[i].angle_miss > 0.1, "%s",
                  forecasts[i].why);
        mechanism_close(&m);
    }
    cr_expect_eq(forecasts[0].angle_miss, forecasts[1].angle_miss);
}

// A centre of mass has no contact, so a force at it cannot be copied.
Test(copy, a_force_on_a_centre_of_mass_is_not_copied) {
    Mechanism m;
    open_bar(&m, TIE_NONE, POISE_REFERENCE_OWN);
    PoisePointDef com = poise_default_com_def();
    com.link = poise_tree_node(m.tree, 0);
    m.point = poise_point_create(m.tree, &com);
    WORKS(poise_register_all(m.tree, m.point));
    WORKS(poise_point_set_force(m.tree, m.point, poise_vec3(0.0, -2.0, 0.0)));
    const PoiseForecast forecast = foresee(m.rig, m.point, STEP);
    cr_expect_eq(forecast.end, POISE_FORECAST_NO_COPY);
    cr_expect(strstr(forecast.why, "no place") && isnan(forecast.miss), "%s", forecast.why);
    mechanism_close(&m);
}

// A joint at its torque limit has no damping if it has an original spring besides the IK spring.
Test(copy, an_undamped_joint_is_foreseen_to_move) {
    static const Tie ties[] = {TIE_NONE, TIE_WELD, TIE_STOPPED};
    for (int i = 0; i < 3; i++) {
        Mechanism m;
        open_bar(&m, ties[i], POISE_REFERENCE_OWN);
        WORKS(poise_rig_set_original(m.rig, poise_tree_node(m.tree, 0), (PoiseSpring){50.0, 5.0}));
        const PoiseForecast forecast = foresee(m.rig, m.point, STEP);
        cr_expect_eq(forecast.end, POISE_FORECAST_MOVES, "%d: %s", i, forecast.why);
        cr_expect(strstr(forecast.why, "still moves"), "%d: %s", i, forecast.why);
        mechanism_run(&m, STEP, 3000);
        double least = HUGE_VAL, most = 0.0;
        for (int step = 0; step < 300; step++) {
            (void)mechanism_step(&m, STEP);
            least = fmin(least, mechanism_error(&m));
            most = fmax(most, mechanism_error(&m));
        }
        cr_expect_geq(most - least, 0.1, "%d: within %g m", i, most - least);
        mechanism_close(&m);
    }
}

// A forecast is an estimate if there is a contact or load that the rig does not know.
Test(copy, unknown_loads_make_a_forecast_an_estimate) {
    for (int what = 0; what < 2; what++) {
        Mechanism m;
        const PoiseBindDef like = mechanism_springs(1000.0, 50.0);
        (void)mechanism_bar(&m, POISE_REFERENCE_OWN, &like);
        mechanism_goal(&m, poise_vec3(cos(0.3), sin(0.3), 0.0));
        const dJointGroupID group = dJointGroupCreate(0);
        if (what == 0) {
            for (int i = 0; i < 2000; i++) {
                dBodyAddForce(m.bodies[0], 0.0, 100.0, 0.0);
                (void)mechanism_step(&m, STEP);
            }
        } else {
            mechanism_run(&m, STEP, 2000);
            dContact contact = {.surface = {.mode = dContactApprox1}, .geom = {.normal = {1.0}}};
            dJointAttach(dJointCreateContact(m.world, group, &contact), m.bodies[0], NULL);
        }
        const PoiseForecast forecast = foresee(m.rig, m.point, STEP);
        cr_expect_eq(forecast.end, POISE_FORECAST_ESTIMATE, "%d", what);
        cr_expect(strstr(forecast.why, "contact"), "%d: %s", what, forecast.why);
        dJointGroupDestroy(group);
        mechanism_close(&m);
    }
}

Test(copy, each_end_of_a_forecast_has_its_name) {
    static const char* const words[] = {"settles", "estimate", "moves", "leaves",
                                        "falls",   "no copy",  "?"};
    for (int i = 0; i < 7; i++) {
        cr_expect_str_eq(poise_forecast_end_name((PoiseForecastEnd)i), words[i]);
        const PoiseForecast forecast = {.end = (PoiseForecastEnd)i};
        cr_expect_eq(poise_forecast_rests(&forecast), i < 2);
    }
    cr_expect_not(poise_forecast_rests(NULL));
}

// The middle bar is tied to the world by a joint made after the rig. The copy has this joint,
// unless its type cannot be copied. The compliance is then not known.
Test(copy, a_joint_made_after_the_rig_is_foreseen) {
    for (int i = 0; i < 3; i++) {
        const bool known = i < 2;
        Mechanism m;
        ChainDef def = chain_def(POISE_NODE_HINGE, 3, 800.0, 80.0);
        chain_open(&m, &def);
        mechanism_goal(&m, poise_vec3(1.0, 2.0, 0.0));
        const PoiseForecast free = foresee(m.rig, m.point, STEP);
        cr_expect_eq(free.end, POISE_FORECAST_SETTLES, "%s", free.why);
        const Pivot at = pivot(poise_vec3(0.0, 1.6, 0.0), poise_vec3(1.0, 0.0, 0.0));
        if (known) {
            const PoiseNodeKind kind = i == 0 ? POISE_NODE_BALL : POISE_NODE_SLIDER;
            (void)mechanism_join(&m, kind, m.bodies[1], NULL, at);
        } else {
            dJointID plane = dJointCreatePlane2D(m.world, NULL);
            dJointAttach(plane, m.bodies[1], NULL);
        }
        const PoiseForecast tied = mechanism_foresee(&m, STEP);
        if (known) {
            mechanism_run(&m, STEP, 3000);
            const double miss = mechanism_error(&m);
            cr_expect_gt(miss, free.miss + 0.05, "%d: %g m, without it %g", i, miss, free.miss);
            cr_expect_eq(tied.end, POISE_FORECAST_SETTLES, "%d: %s", i, tied.why);
            cr_expect(isnan(tied.compliance[0]));
            EXPECT_NEAR(tied.miss, miss, 0.01 * miss);
        } else {
            cr_expect_eq(tied.end, POISE_FORECAST_NO_COPY);
            cr_expect(strstr(tied.why, "Plane2D"), "%s", tied.why);
        }
        mechanism_close(&m);
    }
}

// Goals that are a direction, and goals in the frame of another link.
Test(copy, forecasts_of_directions_and_of_goals_in_frames) {
    Mechanism m;
    ChainDef def = chain_def(POISE_NODE_HINGE, 3, 800.0, 80.0);
    def.like.original = (PoiseSpring){200.0, 20.0};
    chain_open(&m, &def);
    mechanism_goal(&m, poise_vec3(1.0, 2.5, 0.0));
    PoisePointDef aim = poise_default_direction_def();
    aim.link = poise_tree_node(m.tree, 1);
    aim.has_goal = true;
    aim.direction = poise_vec3(0.6, 0.8, 0.0);
    PoisePointDef held = poise_default_position_def();
    held.link = poise_tree_node(m.tree, 2);
    held.frame = poise_tree_node(m.tree, 0);
    held.has_goal = true;
    held.goal.p = poise_vec3(0.3, 1.8, 0.0);
    const PoisePointId points[] = {m.point, poise_point_create(m.tree, &aim),
                                   poise_point_create(m.tree, &held)};
    WORKS(poise_register_all(m.tree, points[1]));
    WORKS(poise_register_all(m.tree, points[2]));
    PoiseForecast forecasts[3];
    const PoiseForecastDef asked = {.points = points, .count = 3, .step = STEP, .budget = 1e3};
    cr_assert_eq(poise_rig_forecast(m.rig, &asked, forecasts), POISE_OK);
    mechanism_run(&m, STEP, 3000);
    WORKS(poise_rig_take_posture(m.rig));
    for (int i = 0; i < 3; i++) {
        EXPECT_NEAR(poise_point_planned_error(m.tree, points[i]), forecasts[i].miss,
                    0.01 * forecasts[i].miss + 1e-6);
        EXPECT_NEAR(poise_point_planned_angle_error(m.tree, points[i]), forecasts[i].angle_miss,
                    0.01 * forecasts[i].angle_miss + 1e-6);
    }
    cr_expect_eq(forecasts[1].row_angle_miss, forecasts[1].angle_miss);
    cr_expect_gt(forecasts[1].angle_miss, 1e-3);
    EXPECT_NEAR(forecasts[2].row_miss, forecasts[2].miss, 1e-9);
    cr_expect_gt(forecasts[2].miss, 1e-3);
    mechanism_close(&m);
}
