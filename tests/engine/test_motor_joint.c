// SPDX-License-Identifier: MIT
// A motor on the user's joint: stops, unchanged parts, destroyed parts, refused arguments.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "bench.h"
#include "near.h"

static const double INF = HUGE_VAL;
static const PoiseNodeKind SCALAR_KINDS[2] = {POISE_NODE_HINGE, POISE_NODE_SLIDER};
static const PoiseNodeKind KINDS[3] = {POISE_NODE_HINGE, POISE_NODE_SLIDER, POISE_NODE_BALL};

static void ignore_message(int number, const char* text, va_list arguments) {
    (void)number;
    (void)text;
    (void)arguments;
}

static void set_joint(const Bench* bench, int parameter, double value) {
    if (bench->kind == POISE_NODE_HINGE) {
        dJointSetHingeParam(bench->joint, parameter, value);
    } else {
        dJointSetSliderParam(bench->joint, parameter, value);
    }
}

static double joint_parameter(const Bench* bench, int parameter) {
    return bench->kind == POISE_NODE_HINGE ? dJointGetHingeParam(bench->joint, parameter)
                                           : dJointGetSliderParam(bench->joint, parameter);
}

// ------------------------------------------------------------------------------------------ stops

Test(motor_joint, range_is_where_the_stops_let_the_child_go) {
    for (int k = 0; k < 2; k++) {
        for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
            Bench bench;
            bench_make(&bench, SCALAR_KINDS[k], order);
            set_joint(&bench, dParamLoStop, -0.2);
            set_joint(&bench, dParamHiStop, 1.0);
            double ends[2];
            bench_range(&bench, &ends[0], &ends[1]);
            for (int end = 0; end < 2; end++) {
                // pressed gently against the stop
                for (int i = 0; i < 3000; i++) {
                    bench_push(&bench, end == 0 ? -0.05 : 0.05);
                    dWorldStep(bench.world, 0.01);
                    bench_read(&bench);
                }
                cr_expect(fabs(bench.angle - ends[end]) < 2e-3, "%s %s: %g, range says %g",
                          kind_name_of(SCALAR_KINDS[k]), order_name(order), bench.angle, ends[end]);
            }
            bench_finish(&bench);
        }
    }
}

Test(motor_joint, range_is_infinite_where_ode_knows_no_stop) {
    static const struct {
        double low, high, lower, upper;
    } rows[] = {{-HUGE_VAL, HUGE_VAL, -HUGE_VAL, HUGE_VAL}, // default of ODE
                {-0.5, HUGE_VAL, -0.5, HUGE_VAL},
                {-4.0, 0.5, -HUGE_VAL, 0.5},       // past half a turn: never reached
                {1.0, -1.0, -HUGE_VAL, HUGE_VAL}}; // upside down: ignored
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        Bench bench;
        bench_make(&bench, POISE_NODE_HINGE, ORDER_CHILD_GROUND);
        set_joint(&bench, dParamLoStop, rows[i].low);
        set_joint(&bench, dParamHiStop, rows[i].high);
        double lower;
        double upper;
        bench_range(&bench, &lower, &upper);
        cr_expect(lower == rows[i].lower && upper == rows[i].upper, "row %zu: %g .. %g", i, lower,
                  upper);
        bench_finish(&bench);
    }
}

static void expect_stop_holds(PoiseNodeKind kind, Order order, double stiffness) {
    const double dt = 0.01;
    Bench bench;
    bench_make(&bench, kind, order);
    set_joint(&bench, dParamLoStop, -0.5);
    set_joint(&bench, dParamHiStop, 0.5);
    double p = stiffness;
    PoiseHingeDrive drive = {{p, 2.0 * sqrt(p * bench_inertia(&bench))}, 1.0, 0.0};
    double fastest = 0.0, farthest = 0.0;
    for (int i = 0; i < 1000; i++) {
        bench_step(&bench, &drive, 0.0, INF, dt);
        fastest = fmax(fastest, fabs(bench_rate(&bench)));
        farthest = fmax(farthest, bench.angle);
    }
    // ODE's stops act once they are passed, by at most the displacement of a step
    cr_expect(farthest <= 0.5 + dt * fastest, "%s %s: %g past the stop", kind_name_of(kind),
              order_name(order), farthest - 0.5);
    EXPECT_NEAR(bench.angle, 0.5, 1e-3);
    EXPECT_NEAR(bench_rate(&bench), 0.0, 1e-9);
    // back: the first step is the spring's alone, without a kick of the stop
    Scalar scalar = {bench.angle, bench_rate(&bench)};
    drive.target = -0.3;
    bench_step(&bench, &drive, 0.0, INF, dt);
    scalar_step(&scalar, bench_inertia(&bench), &drive, 0.0, dt);
    EXPECT_NEAR(bench_rate(&bench), scalar.rate, 1e-9 * fabs(scalar.rate));
    for (int i = 0; i < 1000; i++) {
        bench_step(&bench, &drive, 0.0, INF, dt);
    }
    EXPECT_NEAR(bench.angle, -0.3, 1e-9);
    bench_finish(&bench);
}

Test(motor_joint, spring_and_stop_work_side_by_side) {
    const double stiffnesses[] = {100.0, 1e4, 1e6};
    for (int s = 0; s < 3; s++) {
        for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
            expect_stop_holds(POISE_NODE_HINGE, order, stiffnesses[s]);
            expect_stop_holds(POISE_NODE_SLIDER, order, stiffnesses[s]);
        }
    }
}

Test(motor_joint, what_is_the_users_stays_as_it_is) {
    static const int parameters[] = {dParamLoStop, dParamHiStop,      dParamVel,
                                     dParamFMax,   dParamFudgeFactor, dParamBounce,
                                     dParamCFM,    dParamStopERP,     dParamStopCFM};
    enum { COUNT = sizeof parameters / sizeof parameters[0] };
    for (int k = 0; k < 2; k++) {
        Bench bench;
        bench_make(&bench, SCALAR_KINDS[k], ORDER_PARENT_CHILD);
        set_joint(&bench, dParamLoStop, -0.5);
        set_joint(&bench, dParamHiStop, 0.5);
        set_joint(&bench, dParamVel, 0.1);
        set_joint(&bench, dParamFMax, 0.01);
        double before[COUNT];
        for (int i = 0; i < COUNT; i++) {
            before[i] = joint_parameter(&bench, parameters[i]);
        }
        dJointFeedback feedback;
        int data = 0;
        dJointSetFeedback(bench.joint, &feedback);
        dJointSetData(bench.joint, &data);
        dBodySetData(bench.child, &data);
        PoiseHingeDrive drive = {{1e3, 50.0}, 1.0, 0.0};
        for (int i = 0; i < 200; i++) {
            bench_step(&bench, &drive, 1.0, 20.0, 0.01);
        }
        poise__motor_detach(&bench.motor);
        bench.kind = SCALAR_KINDS[k];
        for (int i = 0; i < COUNT; i++) {
            EXPECT_NEAR(joint_parameter(&bench, parameters[i]), before[i], 0.0);
        }
        cr_expect(dJointGetFeedback(bench.joint) == &feedback);
        cr_expect(dJointGetData(bench.joint) == &data && dBodyGetData(bench.child) == &data);
        bench_finish(&bench);
    }
}

// ------------------------------------------------------------------------------------ life and end

Test(motor_joint, detach_leaves_the_number_of_joints_as_before) {
    for (int k = 0; k < 3; k++) {
        Bench bench;
        bench_make(&bench, KINDS[k], ORDER_PARENT_CHILD);
        const MotorDef def = {poise_joint_type(KINDS[k]),
                              bench.world,
                              bench.joint,
                              bench.child,
                              bench.parent,
                              &bench.pool};
        const dJointID own = bench.motor.parts[KINDS[k] == POISE_NODE_SLIDER ? ALONG : ABOUT];
        poise__motor_detach(&bench.motor);
        cr_expect(dBodyGetNumJoints(bench.child) == 1 && dBodyGetNumJoints(bench.parent) == 1);
        for (int i = 0; i < 100; i++) {
            poise__motor_attach(&bench.motor, &def);
            // a returned joint is used again
            const dJointID now = bench.motor.parts[KINDS[k] == POISE_NODE_SLIDER ? ALONG : ABOUT];
            cr_expect(now == own);
            cr_expect(dBodyGetNumJoints(bench.child) == 2);
            poise__motor_detach(&bench.motor);
        }
        cr_expect(dBodyGetNumJoints(bench.child) == 1 && dBodyGetNumJoints(bench.parent) == 1);
        cr_expect(!poise__motor_alive(&bench.motor) && !poise__motor_ready(&bench.motor, false));
        poise__motor_release(&bench.motor);
        bench_finish(&bench);
    }
}

static void expect_gone(Bench* bench) {
    cr_expect(!poise__motor_alive(&bench->motor));
    cr_expect(!poise__motor_ready(&bench->motor, false));
    poise__motor_release(&bench->motor);
    dWorldStep(bench->world, 0.01);
    cr_expect(poise_length(bench_torque(bench)) == 0.0);
}

Test(motor_joint, a_body_or_joint_that_goes_is_noticed) {
    for (int k = 0; k < 3; k++) {
        for (int what = 0; what < 5; what++) {
            Bench bench;
            bench_make(&bench, KINDS[k], ORDER_CHILD_PARENT);
            cr_expect(poise__motor_alive(&bench.motor) && poise__motor_ready(&bench.motor, false));
            switch (what) {
            case 0:
                dBodyDestroy(bench.child);
                break;
            case 1:
                dBodyDestroy(bench.parent);
                break;
            case 2:
                dJointDestroy(bench.joint);
                break;
            case 3:
                dJointAttach(bench.joint, NULL, NULL);
                break;
            default:
                dJointAttach(bench.joint, bench.child, NULL);
                break;
            }
            expect_gone(&bench);
            bench_finish(&bench);
        }
    }
}

Test(motor_joint, a_joint_turned_round_is_still_followed) {
    Bench bench;
    bench_make(&bench, POISE_NODE_HINGE, ORDER_CHILD_PARENT);
    dJointAttach(bench.joint, bench.parent, bench.child);
    dJointSetHingeAnchor(bench.joint, 0.0, 0.0, 0.0);
    dJointSetHingeAxis(bench.joint, 0.0, 1.0, 0.0);
    bench_fix_axis(&bench);
    cr_expect(poise__motor_alive(&bench.motor));
    PoiseHingeDrive drive = {{200.0, 20.0}, 0.6, 0.0};
    for (int i = 0; i < 2000; i++) {
        bench_step(&bench, &drive, 0.0, INF, 0.01);
    }
    EXPECT_NEAR3(poise_quat_log(bench_rotation(&bench)), poise_vec3(0.0, 0.6, 0.0), 1e-9);
    bench_finish(&bench);
}

Test(motor_joint, a_world_that_goes_first_is_survived) {
    dSetMessageHandler(ignore_message);
    for (int k = 0; k < 3; k++) {
        Bench bench;
        bench_make(&bench, KINDS[k], ORDER_GROUND_CHILD);
        dWorldDestroy(bench.world);
        cr_expect(!poise__motor_alive(&bench.motor) && !poise__motor_ready(&bench.motor, false));
        poise__motor_release(&bench.motor);
        poise__motor_detach(&bench.motor);
        poise__motor_detach(&bench.motor);
        poise__motor_pool_destroy(&bench.pool);
        poise__motor_pool_destroy(&bench.pool);
        dCloseODE();
    }
    dSetMessageHandler(NULL);
}

Test(motor_joint, a_copy_that_was_told_it_moved_gets_the_feedback) {
    Bench bench;
    bench_make(&bench, POISE_NODE_HINGE, ORDER_CHILD_GROUND);
    Bench copy = bench;
    poise__motor_place_rows(&copy.motor, copy.motor.type, copy.motor_values);
    poise__motor_moved(&copy.motor);
    PoiseHingeDrive drive = {{100.0, 1.0}, 1.0, 0.0};
    bench_step(&copy, &drive, 0.0, INF, 0.01);
    cr_expect(bench_torque(&copy).x > 10.0);
    EXPECT_NEAR(bench_torque(&bench).x, 0.0, 0.0);
    bench_finish(&copy);
}

Test(motor_joint, ready_needs_something_to_move_and_numbers) {
    for (int k = 0; k < 3; k++) {
        Bench bench;
        bench_make(&bench, KINDS[k], ORDER_PARENT_CHILD);
        Motor* motor = &bench.motor;
        dJointDisable(bench.joint);
        cr_expect(!poise__motor_ready(motor, false));
        dJointEnable(bench.joint);
        cr_expect(poise__motor_ready(motor, false));
        dBodySetKinematic(bench.child);
        cr_expect(poise__motor_ready(motor, false));
        dBodySetKinematic(bench.parent);
        cr_expect(!poise__motor_ready(motor, false));
        dBodySetDynamic(bench.child);
        dBodyDisable(bench.child);
        cr_expect(poise__motor_ready(motor, false), "a sleeping body can be driven");
        dBodyEnable(bench.child);
        dBodySetLinearVel(bench.parent, NOT_A_NUMBER, 0.0, 0.0);
        cr_expect(!poise__motor_ready(motor, false));
        dBodySetLinearVel(bench.parent, 0.0, 0.0, 0.0);
        dBodySetPosition(bench.child, 0.0, HUGE_VAL, 0.0);
        cr_expect(!poise__motor_ready(motor, false));
        bench_finish(&bench);
    }
}

Test(motor_joint, anchor_and_axis_are_the_parents_side_and_the_childs_sense) {
    for (int k = 0; k < 3; k++) {
        for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
            Bench bench;
            bench_make(&bench, KINDS[k], order);
            // drift: the child's side of the joint is apart from the parent's
            dBodySetPosition(bench.child, 0.01, 0.0, 0.3);
            bool slider = KINDS[k] == POISE_NODE_SLIDER;
            EXPECT_NEAR3(bench_anchor(&bench),
                         slider ? poise_vec3(0.01, 0.0, 0.3) : poise_vec3(0.0, 0.0, 0.0), 1e-15);
            bool ball = KINDS[k] == POISE_NODE_BALL;
            EXPECT_NEAR3(bench_axis(&bench), poise_vec3(0.0, 0.0, ball ? 0.0 : 1.0), 1e-15);
            bench_finish(&bench);
        }
    }
}

// ------------------------------------------------------------------------------------------- check

typedef struct Trial {
    dWorldID world;
    dJointID joint;
    dBodyID child;
    PoiseNodeKind kind;
} Trial;

static void expect_refused(const char* what, Trial t, PoiseStatus expected, const char* word) {
    char message[256] = "unset";
    PoiseStatus status = poise__ode_joint_check(t.world, t.joint, t.child, t.kind, message);
    cr_expect(status == expected, "%s: status %d, expected %d", what, status, expected);
    cr_expect(strstr(message, word), "%s: '%s' does not name '%s'", what, message, word);
    cr_expect(poise__ode_joint_check(t.world, t.joint, t.child, t.kind, NULL) == expected,
              "%s, without a message", what);
}

Test(motor_joint, check_accepts_every_kind_in_every_order) {
    for (int k = 0; k < 3; k++) {
        for (Order order = ORDER_CHILD_PARENT; order < ORDER_COUNT; order++) {
            Bench bench;
            bench_make(&bench, KINDS[k], order);
            expect_refused("fit", (Trial){bench.world, bench.joint, bench.child, KINDS[k]},
                           POISE_OK, "");
            bench_finish(&bench);
        }
    }
}

Test(motor_joint, check_refuses_what_is_missing_or_of_another_kind) {
    const PoiseStatus bad = POISE_ERROR_INVALID_ARGUMENT;
    Bench bench;
    bench_make(&bench, POISE_NODE_HINGE, ORDER_CHILD_PARENT);
    Trial fit = {bench.world, bench.joint, bench.child, POISE_NODE_HINGE};
    Trial t = fit;
    t.joint = NULL;
    expect_refused("no joint", t, bad, "dJointID");
    t = fit;
    t.child = NULL;
    expect_refused("no body", t, bad, "dBodyID");
    t = fit;
    t.kind = POISE_NODE_BALL;
    expect_refused("ball node", t, POISE_ERROR_WRONG_KIND, "poise_default_hinge_def()");
    t.kind = (PoiseNodeKind)77;
    expect_refused("no such kind", t, POISE_ERROR_WRONG_KIND, "unknown kind");
    t = fit;
    t.joint = dJointCreateUniversal(bench.world, NULL);
    expect_refused("universal", t, POISE_ERROR_WRONG_KIND, "dJointTypeUniversal");
    t = fit;
    t.child = dBodyCreate(bench.world);
    expect_refused("third body", t, bad, "not one of the two");
    bench_finish(&bench);
}

Test(motor_joint, check_refuses_joints_that_cannot_be_driven) {
    const PoiseStatus bad = POISE_ERROR_INVALID_ARGUMENT;
    Bench bench;
    bench_make(&bench, POISE_NODE_HINGE, ORDER_CHILD_PARENT);
    Trial fit = {bench.world, bench.joint, bench.child, POISE_NODE_HINGE};
    Trial t = fit;
    t.world = dWorldCreate();
    expect_refused("another world", t, POISE_ERROR_FOREIGN_WORLD, "another world");
    dWorldDestroy(t.world);
    t = fit;
    t.joint = dJointCreateHinge(bench.world, NULL);
    expect_refused("never attached", t, bad, "dJointAttach");
    dJointDisable(bench.joint);
    expect_refused("disabled", fit, bad, "dJointEnable");
    dJointEnable(bench.joint);
    dBodySetPosition(bench.parent, NOT_A_NUMBER, 0.0, 0.0);
    expect_refused("parent's pose", fit, bad, "not finite");
    dBodySetPosition(bench.parent, 0.0, 0.0, 0.0);
    dBodySetAngularVel(bench.child, 0.0, HUGE_VAL, 0.0);
    expect_refused("child's velocity", fit, bad, "not finite");
    dBodySetAngularVel(bench.child, 0.0, 0.0, 0.0);
    expect_refused("fit again", fit, POISE_OK, "");
    bench_finish(&bench);
}

Test(motor_joint, check_refuses_an_axis_or_anchor_that_is_not_finite) {
    const PoiseStatus bad = POISE_ERROR_INVALID_ARGUMENT;
    // change ODE's memory: it keeps the axis in the body and rotates it by the body's matrix
    Bench bench;
    bench_make(&bench, POISE_NODE_SLIDER, ORDER_CHILD_GROUND);
    Trial t = {bench.world, bench.joint, bench.child, POISE_NODE_SLIDER};
    dReal* rotation = (dReal*)(uintptr_t)dBodyGetRotation(bench.child);
    memset(rotation, 0, 12 * sizeof(dReal));
    expect_refused("axis", t, bad, "dJointSetSliderAxis");
    const PoiseVec3 before = bench.motor.sent[0].fixed;
    bench_fix_axis(&bench); // ODE is not called: it would end the process
    EXPECT_NEAR3(bench.motor.sent[0].fixed, before, 0.0);
    bench_finish(&bench);

    bench_make(&bench, POISE_NODE_BALL, ORDER_CHILD_GROUND);
    dJointSetBallAnchor2(bench.joint, NOT_A_NUMBER, 0.0, 0.0);
    t = (Trial){bench.world, bench.joint, bench.child, POISE_NODE_BALL};
    expect_refused("anchor", t, bad, "dJointSetBallAnchor");
    bench_finish(&bench);
}
