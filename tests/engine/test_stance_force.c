// SPDX-License-Identifier: MIT
// Forces and torques asked of a figure on its own feet. Oracle: the contacts' feedback in ODE, at
// the hand and under the feet, and the feedback of the motors.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "box_person.h"
#include "near.h"

static const double DT = FIGURE_STEP;

enum { WALL, TABLE };

/// A figure whose right hand has reached out, and a block at the distance `gap` from a ball of 1 mm
/// at the point.
typedef struct Pressing {
    Figure f;
    PoiseVec3 hand; ///< place of the hand before it presses
} Pressing;

// Puts a ball at a hand's point. Of the hand, only the ball makes contacts.
static void put_ball(Figure* f, int side, double radius) {
    dGeomSetCollideBits(dBodyGetFirstGeom(f->hands[side]), 0);
    dGeomSetCategoryBits(dBodyGetFirstGeom(f->hands[side]), 0);
    dGeomID ball = dCreateSphere(poise_world_space(f->m.own), radius);
    dGeomSetBody(ball, f->hands[side]);
    dGeomSetOffsetPosition(ball, 0.0, 0.0, -0.04);
}

static void press_open(Pressing* p, FigureDef def, int on, double gap) {
    const double radius = 0.001;
    figure_open(&p->f, def);
    PoiseVec3 goal = on == WALL ? poise_vec3(0.45, -0.2, 1.25) : poise_vec3(0.35, -0.2, 0.8);
    cr_assert_eq(poise_point_set_position(p->f.m.tree, p->f.hand_points[RIGHT], goal), POISE_OK);
    figure_run(&p->f, 3.0);
    p->hand = figure_hand(&p->f, RIGHT);
    put_ball(&p->f, RIGHT, radius);
    dSpaceID space = poise_world_space(p->f.m.own);
    if (on == WALL) {
        dGeomID wall = dCreateBox(space, 0.1, 1.0, 1.0);
        dGeomSetPosition(wall, p->hand.x + radius + gap + 0.05, p->hand.y, p->hand.z);
    } else {
        dGeomID table = dCreateBox(space, 0.3, 0.3, 0.04);
        dGeomSetPosition(table, p->hand.x, p->hand.y, p->hand.z - radius - gap - 0.02);
    }
}

static PoiseVec3 contact_of(const Figure* f, dBodyID body) {
    PoiseVec3 force;
    cr_assert_eq(poise_world_contact_force(f->m.own, body, &force, NULL), POISE_OK);
    return force;
}

static PoiseVec3 on_feet(const Figure* f) {
    return poise_add(contact_of(f, f->feet[LEFT]), contact_of(f, f->feet[RIGHT]));
}

// Expects no force from outside, by the rig's reading and by ODE's feedback.
static void expect_nothing_outside(const Figure* f, const char* what) {
    PoiseVec3 force, moment, outside, turn;
    double largest;
    figure_motor_sum(f, &force, &moment, &largest);
    cr_expect_lt(poise_length(force), 1e-9 * largest, "%s", what);
    cr_expect_lt(poise_length(moment), 1e-9 * largest, "%s", what);
    cr_assert_eq(poise_rig_outside_force(f->m.rig, &outside, &turn), POISE_OK);
    cr_expect(poise_length(outside) == 0.0 && poise_length(turn) == 0.0, "%s", what);
}

// Expects the asked force at the hand, within 1 % along it; its opposite and the weight at the
// feet; a reading equal to ODE's feedback.
static void expect_pressed(Pressing* p, PoiseVec3 asked, const char* what) {
    Figure* f = &p->f;
    cr_assert_eq(poise_point_set_force(f->m.tree, f->hand_points[RIGHT], asked), POISE_OK);
    figure_run(f, 6.0);
    const double size = poise_length(asked);
    const PoiseVec3 along = poise_scale(1.0 / size, asked);
    const PoiseVec3 given = poise_scale(-1.0, contact_of(f, f->hands[RIGHT]));
    EXPECT_NEAR(poise_dot(given, along), size, 0.01 * size);
    const PoiseVec3 feet = on_feet(f);
    const PoiseVec3 due = poise_add(given, poise_vec3(0.0, 0.0, f->mass * 9.81));
    cr_expect_lt(poise_length(poise_sub(feet, due)), 0.01 * size, "%s: feet %g %g %g, due %g %g %g",
                 what, feet.x, feet.y, feet.z, due.x, due.y, due.z);
    PoisePointReading reading;
    cr_assert_eq(poise_rig_read_point(f->m.rig, f->hand_points[RIGHT], &reading), POISE_OK);
    EXPECT_NEAR(poise_dot(reading.force_measured, along), size, 0.01 * size);
    expect_nothing_outside(f, what);
    cr_expect_gt(dBodyGetRotation(f->pelvis)[10], 0.99, "%s: it stands", what);
}

Test(stance_force, a_hand_presses_a_wall_and_a_table_as_asked) {
    static const double gaps[] = {0.0, 0.01, -0.003};
    static const double stiffness[] = {3000.0, 1000.0};
    for (int on = WALL; on <= TABLE; on++) {
        for (int g = 0; g < 3; g++) {
            for (int s = 0; s < 2; s++) {
                FigureDef def = figure_def();
                def.stiffness = stiffness[s];
                char what[64];
                snprintf(what, sizeof what, "%s, gap %g, stiffness %g",
                         on == WALL ? "wall" : "table", gaps[g], def.stiffness);
                Pressing p;
                press_open(&p, def, on, gaps[g]);
                expect_pressed(
                    &p, on == WALL ? poise_vec3(20.0, 0.0, 0.0) : poise_vec3(0.0, 0.0, -60.0),
                    what);
                figure_close(&p.f);
            }
        }
    }
}

// Both hands at once, springs of 1:10, and a natural posture that pulls.
Test(stance_force, two_hands_press_two_walls_at_once) {
    static const double forces[2] = {25.0, 12.0};
    FigureDef def = figure_def();
    def.stiffness = 1500.0;
    Figure f;
    figure_open(&f, def);
    for (int side = 0; side < 2; side++) {
        PoisePointId point = f.hand_points[side];
        PoiseVec3 goal = poise_vec3(0.42, side == LEFT ? 0.2 : -0.25, 1.2);
        PoiseNodeId elbow = poise_rig_node_of_body(f.m.rig, f.forearms[side]);
        cr_assert_eq(poise_rig_set_original(f.m.rig, elbow, (PoiseSpring){40.0, 2.0}), POISE_OK);
        cr_assert_eq(poise_point_set_position(f.m.tree, point, goal), POISE_OK);
    }
    figure_run(&f, 3.0);
    dSpaceID space = poise_world_space(f.m.own);
    for (int side = 0; side < 2; side++) {
        PoiseVec3 hand = figure_hand(&f, side);
        put_ball(&f, side, 0.001);
        dGeomID wall = dCreateBox(space, 0.1, 0.3, 0.6);
        dGeomSetPosition(wall, hand.x + 0.054, hand.y, hand.z);
        PoiseVec3 asked = poise_vec3(forces[side], 0.0, 0.0);
        cr_assert_eq(poise_point_set_force(f.m.tree, f.hand_points[side], asked), POISE_OK);
    }
    figure_run(&f, 6.0);
    for (int side = 0; side < 2; side++) {
        EXPECT_NEAR(-contact_of(&f, f.hands[side]).x, forces[side], 0.01 * forces[side]);
    }
    EXPECT_NEAR(on_feet(&f).x, forces[0] + forces[1], 0.01 * (forces[0] + forces[1]));
    expect_nothing_outside(&f, "two hands");
    figure_close(&f);
}

// The hand holds a handle that is fixed to the world, and turns it.
Test(stance_force, a_hand_turns_a_handle_as_asked) {
    static const PoiseVec3 axes[] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.6, 0.8}};
    for (int a = 0; a < 3; a++) {
        FigureDef def = figure_def();
        def.stiffness = 1500.0;
        Figure f;
        figure_open(&f, def);
        PoisePointDef grip = poise_default_pose_def();
        grip.link = poise_rig_node_of_body(f.m.rig, f.hands[RIGHT]);
        grip.in_link.p = poise_vec3(0.0, 0.0, -0.04);
        cr_assert_eq(
            poise_point_set_position(f.m.tree, f.hand_points[RIGHT], poise_vec3(0.35, -0.2, 1.1)),
            POISE_OK);
        figure_run(&f, 3.0);
        const dReal* q = dBodyGetQuaternion(f.hands[RIGHT]);
        cr_assert_eq(poise_point_set_enabled(f.m.tree, f.hand_points[RIGHT], false), POISE_OK);
        PoisePointId point = poise_point_create(f.m.tree, &grip);
        cr_assert_eq(poise_register_chain(f.m.tree, point, poise_null_node()), POISE_OK);
        cr_assert_eq(poise_point_set_position(f.m.tree, point, figure_hand(&f, RIGHT)), POISE_OK);
        cr_assert_eq(
            poise_point_set_orientation(f.m.tree, point, poise_quat(q[0], q[1], q[2], q[3])),
            POISE_OK);
        dJointID handle = dJointCreateFixed(poise_world_ode(f.m.own), NULL);
        dJointAttach(handle, f.hands[RIGHT], NULL);
        dJointSetFixed(handle);
        dJointFeedback held;
        dJointSetFeedback(handle, &held);
        const double size = 4.0;
        cr_assert_eq(poise_point_set_torque(f.m.tree, point, poise_scale(size, axes[a])), POISE_OK);
        figure_run(&f, 6.0);
        // feedback of the handle on the hand, about its centre of mass; here about the point
        PoiseVec3 force = poise_vec3(held.f1[0], held.f1[1], held.f1[2]);
        PoiseVec3 torque = poise_vec3(held.t1[0], held.t1[1], held.t1[2]);
        const dReal* at = dBodyGetPosition(f.hands[RIGHT]);
        PoiseVec3 r = poise_sub(poise_vec3(at[0], at[1], at[2]), figure_hand(&f, RIGHT));
        torque = poise_add(torque, poise_cross(r, force));
        EXPECT_NEAR(-poise_dot(torque, axes[a]), size, 0.01 * size);
        // the forces of the ground, the handle and the weight sum to 0
        EXPECT_NEAR3(poise_add(on_feet(&f), force), poise_vec3(0.0, 0.0, f.mass * 9.81), 0.05);
        expect_nothing_outside(&f, "handle");
        dJointDestroy(handle);
        figure_close(&f);
    }
}

// ------------------------------------------------------------------------ what it can carry

/// The result of a rising force on a figure.
typedef struct Ramp {
    double foreseen; ///< N: forecast by the support's `part`, before the feet moved
    double moved;    ///< N: asked when a foot had moved 1 cm
    unsigned verdict;
} Ramp;

static bool has_moved(const Figure* f, const double x[2]) {
    const double left = dBodyGetPosition(f->feet[LEFT])[0] - x[LEFT];
    return fmax(fabs(left), fabs(dBodyGetPosition(f->feet[RIGHT])[0] - x[RIGHT])) > 0.01;
}

static Ramp ramp(Figure* f, double rate) {
    const double x[2] = {dBodyGetPosition(f->feet[LEFT])[0], dBodyGetPosition(f->feet[RIGHT])[0]};
    Ramp ramp = {0.0, 0.0, 0};
    for (int i = 0; ramp.moved == 0.0 || ramp.verdict == 0; i++) {
        // a figure at its limit moves and may just stand again: ask for half as much more
        const double asked = (ramp.moved > 0.0 ? 1.5 : 1.0) * (10.0 + rate * DT * i);
        cr_assert_lt(asked, 300.0, "it stands whatever is asked");
        cr_assert_eq(
            poise_point_set_force(f->m.tree, f->hand_points[RIGHT], poise_vec3(asked, 0.0, 0.0)),
            POISE_OK);
        PoiseRigReport report;
        cr_assert_eq(poise_rig_update(f->m.rig, DT, &report), POISE_OK);
        cr_assert_eq(poise_world_step(f->m.own, DT), POISE_OK);
        ramp.moved = ramp.moved == 0.0 && has_moved(f, x) ? asked : ramp.moved;
        if (i % 20 != 0 && report.unsupported == 0) {
            continue;
        }
        PoiseSupport support;
        const PoiseStatus status = poise_rig_read_support(f->m.rig, f->base, &support);
        cr_assert_eq(status, report.unsupported > 0 ? POISE_DEGRADED : POISE_OK);
        cr_assert_eq(status == POISE_OK, support.verdict == 0);
        ramp.foreseen = ramp.moved == 0.0 ? asked * support.part : ramp.foreseen;
        ramp.verdict = ramp.verdict ? ramp.verdict : support.verdict;
    }
    return ramp;
}

// The largest force is forecast before it is asked for; the figure moves when it is asked for.
Test(stance_force, a_force_beyond_the_ground_is_foreseen) {
    static const struct {
        double friction;
        bool leans;
        unsigned verdict;
    } cases[] = {{0.05, true, POISE_SUPPORT_SLIDES},
                 {0.1, true, POISE_SUPPORT_SLIDES},
                 {0.8, false, POISE_SUPPORT_TIPS},
                 {0.8, true, POISE_SUPPORT_TIPS}};
    double most[4];
    for (int c = 0; c < 4; c++) {
        FigureDef def = figure_def();
        def.friction = cases[c].friction;
        Pressing p;
        press_open(&p, def, WALL, 0.0);
        if (!cases[c].leans) {
            cr_assert_eq(poise_rig_set_balance(p.f.m.rig, poise_null_point()), POISE_OK);
        }
        cr_assert_eq(
            poise_point_set_force(p.f.m.tree, p.f.hand_points[RIGHT], poise_vec3(10.0, 0.0, 0.0)),
            POISE_OK);
        figure_run(&p.f, 2.0);
        const Ramp ramped = ramp(&p.f, 5.0);
        cr_expect(strstr(p.f.m.host.last_message, poise_support_verdict_name(cases[c].verdict)),
                  "case %d: the log was told: %s", c, p.f.m.host.last_message);
        cr_expect_lt(fabs(ramped.moved - ramped.foreseen), 0.06 * ramped.foreseen,
                     "case %d: foreseen %g, moved at %g", c, ramped.foreseen, ramped.moved);
        cr_expect_eq(ramped.verdict, cases[c].verdict, "case %d: %s", c,
                     poise_support_verdict_name(ramped.verdict));
        most[c] = ramped.moved;
        figure_close(&p.f);
    }
    cr_expect_gt(most[3], 1.5 * most[2], "it leans against what it presses: %g, %g N", most[3],
                 most[2]);
}
