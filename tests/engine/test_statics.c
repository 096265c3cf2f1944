// SPDX-License-Identifier: MIT
// Where springs come to rest: a joint under a load; a tip under a force from outside or an asked
// force; weight. Oracles: closed forms, J from ODE's anchors, planar statics.
#include <criterion/criterion.h>

#include "linkage.h"
#include "near.h"

static const double STEP = 0.01;

static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};

// ----------------------------------------------------------------------- one joint under a load

static double deflection(const ChainDef* def, double load, bool exactly) {
    Mechanism m;
    chain_open(&m, def);
    if (exactly) {
        mechanism_solve_exactly(&m);
    }
    for (int i = 0; i < 3000; i++) {
        if (def->kind == POISE_NODE_SLIDER) {
            dBodyAddForce(m.bodies[0], 0.0, 0.0, load);
        } else {
            dBodyAddTorque(m.bodies[0], 0.0, 0.0, load);
        }
        mechanism_step(&m, STEP);
    }
    double moved = def->kind == POISE_NODE_SLIDER ? body_place(m.bodies[0]).z
                                                  : poise_quat_log(body_turn(m.bodies[0])).z;
    mechanism_close(&m);
    return moved;
}

// A load of 100 N m (slider: N) deflects the joint by 100 / p. In measured mode p_ik pulls by
// omega, which for a point at the end of a turning link is the sine of the angle back.
Test(statics, a_joint_yields_by_load_over_stiffness) {
    static const double stiffnesses[] = {1e3, 1e4, 1e6};
    for (int k = POISE_NODE_HINGE; k <= POISE_NODE_BALL; k++) {
        for (int i = 0; i < 3; i++) {
            const double p = stiffnesses[i];
            ChainDef def = chain_def((PoiseNodeKind)k, 1, p, p / 10.0);
            EXPECT_NEAR(deflection(&def, 100.0, false), 100.0 / p, 1e-9 * 100.0 / p);
            def.reference = POISE_REFERENCE_MEASURED;
            double law = k == POISE_NODE_SLIDER ? 100.0 / p : asin(100.0 / p);
            EXPECT_NEAR(deflection(&def, 100.0, true), law, 1e-7 * law);
        }
    }
}

// The default solver has damping, which acts in measured mode: the deflection is right within 1e-6
// rad at 1e5 N m/rad.
Test(statics, a_load_of_100_with_the_default_solver) {
    for (int k = POISE_NODE_HINGE; k <= POISE_NODE_BALL; k++) {
        for (int r = 0; r < 2; r++) {
            ChainDef def = chain_def((PoiseNodeKind)k, 1, 1e5, 1e4);
            def.reference = references[r];
            EXPECT_NEAR(deflection(&def, 100.0, false), 1e-3, 1e-6);
        }
    }
}

// ------------------------------------------------------------------------- a tip under a force

typedef struct Rows {
    double at[3][3 * MECHANISM_BODIES];
    int columns;
} Rows;

// Adds the column of one joint: axis x (tip - anchor), by ODE's present anchors.
static void add_column(Rows* rows, PoiseVec3 axis, PoiseVec3 arm) {
    PoiseVec3 column = poise_cross(axis, arm);
    rows->at[0][rows->columns] = column.x;
    rows->at[1][rows->columns] = column.y;
    rows->at[2][rows->columns] = column.z;
    rows->columns++;
}

static Rows tip_jacobian(const Mechanism* m, PoiseNodeKind kind) {
    Rows rows;
    rows.columns = 0;
    PoiseVec3 tip = mechanism_tip(m);
    for (int i = 0; i < m->joint_count; i++) {
        dVector3 anchor;
        dVector3 axis;
        if (kind == POISE_NODE_HINGE) {
            dJointGetHingeAnchor(m->joints[i], anchor);
            dJointGetHingeAxis(m->joints[i], axis);
            add_column(&rows, poise_vec3(axis[0], axis[1], axis[2]),
                       poise_sub(tip, poise_vec3(anchor[0], anchor[1], anchor[2])));
            continue;
        }
        dJointGetBallAnchor(m->joints[i], anchor);
        PoiseVec3 arm = poise_sub(tip, poise_vec3(anchor[0], anchor[1], anchor[2]));
        add_column(&rows, poise_vec3(1.0, 0.0, 0.0), arm);
        add_column(&rows, poise_vec3(0.0, 1.0, 0.0), arm);
        add_column(&rows, poise_vec3(0.0, 0.0, 1.0), arm);
    }
    return rows;
}

// Returns C F = J K^-1 J^T F for springs of one stiffness.
static PoiseVec3 compliance_times(const Rows* rows, double stiffness, PoiseVec3 force) {
    const double f[3] = {force.x, force.y, force.z};
    double moved[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < rows->columns; c++) {
        double torque = 0.0;
        for (int r = 0; r < 3; r++) {
            torque += rows->at[r][c] * f[r];
        }
        for (int r = 0; r < 3; r++) {
            moved[r] += rows->at[r][c] * torque / stiffness;
        }
    }
    return poise_vec3(moved[0], moved[1], moved[2]);
}

typedef enum Push { PUSH_FROM_OUTSIDE, PUSH_ASKED } Push;

static PoiseVec3 tip_under(Mechanism* m, Push push, PoiseVec3 force) {
    PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    // the goal still holds the tip
    cr_assert_eq(poise_point_set_yield(m->tree, m->point, POISE_YIELD_NONE, 0), POISE_OK);
    cr_assert_eq(poise_point_set_force(m->tree, m->point, push == PUSH_ASKED ? force : none),
                 POISE_OK);
    return mechanism_settle(m, push == PUSH_ASKED ? none : force, STEP, 1500);
}

static void expect_c_times_f(const ChainDef* def, Push push) {
    const double stiffness = def->like.ik.stiffness;
    Mechanism m;
    chain_open(&m, def);
    mechanism_solve_exactly(&m);
    const double length = chain_length(def);
    const double z = def->kind == POISE_NODE_BALL ? 0.2 : 0.0;
    mechanism_goal(&m, poise_scale(length, poise_vec3(0.45, 0.55, z)));
    mechanism_run(&m, STEP, 2000);
    Rows rows = tip_jacobian(&m, def->kind);
    // both signs, so that terms of second order cancel
    const PoiseVec3 force = poise_vec3(3.0, -4.0, z > 0.0 ? 2.0 : 0.0);
    PoiseVec3 there = tip_under(&m, push, force);
    PoiseVec3 back = tip_under(&m, push, poise_scale(-1.0, force));
    PoiseVec3 moved = poise_scale(0.5, poise_sub(there, back));
    PoiseVec3 expected = compliance_times(&rows, stiffness, force);
    EXPECT_NEAR3(moved, expected, 1e-4 * poise_length(expected));
    mechanism_close(&m);
}

// Section 4 of the method; row 0.14, a free tip.
Test(statics, a_tip_yields_by_compliance_times_force) {
    for (int r = 0; r < 2; r++) {
        for (int push = PUSH_FROM_OUTSIDE; push <= PUSH_ASKED; push++) {
            ChainDef hinges = chain_def(POISE_NODE_HINGE, 3, 1e4, 1e3);
            hinges.reference = references[r];
            expect_c_times_f(&hinges, (Push)push);
            ChainDef balls = chain_def(POISE_NODE_BALL, 5, 1e4, 1e3);
            balls.reference = references[r];
            expect_c_times_f(&balls, (Push)push);
        }
    }
}

// ----------------------------------------------------------------------------------------- weight

enum { SAG_LINKS = 5 };

// Computes the sag of a level chain of springs: p (phi_i - phi_(i-1)) = weight times lever, phi
// from the horizontal.
static void sag_by_statics(double length, double weight, double p, double phi[SAG_LINKS]) {
    for (int i = 0; i < SAG_LINKS; i++) {
        phi[i] = 0.0;
    }
    for (int round = 0; round < 2000; round++) {
        double next[SAG_LINKS];
        for (int i = 0; i < SAG_LINKS; i++) {
            double lever = 0.0, sum = 0.0;
            for (int j = i; j < SAG_LINKS; j++) {
                sum += weight * (lever + 0.5 * length * cos(phi[j]));
                lever += length * cos(phi[j]);
            }
            next[i] = (i > 0 ? next[i - 1] : 0.0) + sum / p;
        }
        for (int i = 0; i < SAG_LINKS; i++) {
            phi[i] += 0.5 * (next[i] - phi[i]);
        }
    }
}

static ChainDef level_chain(void) {
    ChainDef def = chain_def(POISE_NODE_BALL, SAG_LINKS, 200.0, 40.0);
    def.scale = 0.3;
    def.mass = 1.5;
    def.gravity = poise_vec3(0.0, 0.0, -9.81);
    return def;
}

// Expects the angle of each link below the horizontal.
static void expect_sag(const Mechanism* m, const double* phi, double tolerance) {
    for (int i = 0; i < SAG_LINKS; i++) {
        EXPECT_NEAR(-poise_quat_log(body_turn(m->bodies[i])).x, phi[i], tolerance);
    }
}

Test(statics, a_chain_sags_as_statics_say_unless_gravity_is_fed_forward) {
    double phi[SAG_LINKS];
    const double none[SAG_LINKS] = {0.0};
    ChainDef def = level_chain();
    sag_by_statics(def.scale, def.mass * 9.81, def.like.ik.stiffness, phi);
    Mechanism m;
    chain_open(&m, &def);
    RIG_SET(m.rig, gravity, false);
    mechanism_run(&m, STEP, 3000);
    expect_sag(&m, phi, 1e-6);
    RIG_SET(m.rig, gravity, true);
    mechanism_run(&m, STEP, 3000);
    expect_sag(&m, none, 1e-6);
    mechanism_close(&m);
}

Test(statics, no_weight_is_fed_to_bodies_without_gravity) {
    const double none[SAG_LINKS] = {0.0};
    ChainDef def = level_chain();
    Mechanism m;
    chain_open(&m, &def);
    dBodySetGravityMode(m.bodies[2], 0);
    mechanism_run(&m, STEP, 1000);
    expect_sag(&m, none, 1e-6);
    // changed while the world runs
    dBodySetGravityMode(m.bodies[2], 1);
    dBodySetGravityMode(m.bodies[4], 0);
    mechanism_run(&m, STEP, 3000);
    expect_sag(&m, none, 1e-6);
    mechanism_close(&m);
}

static double feed_forward_of(const Mechanism* m, dJointID joint) {
    const PoiseJointReading reading = mechanism_read(m, poise_rig_node_of_joint(m->rig, joint));
    return reading.feed_forward[0];
}

// Opens two level links of 1 m and 2 kg on hinges about y at `base`, NULL the environment.
static void open_arm(Mechanism* m, dBodyID base) {
    dBodyID before = base;
    PoiseBindDef like = mechanism_springs(1e4, 1e3);
    for (int i = 0; i < 2; i++) {
        const LinkDef link = {before,
                              POISE_NODE_HINGE,
                              {{i, 0.0, 0.0}, {0.0, 1.0, 0.0}},
                              {0.5 + i, 0.0, 0.0},
                              {1.0, 0.1, 0.1},
                              2.0,
                              &like};
        before = mechanism_link(m, &link);
    }
    mechanism_point(m, poise_rig_node_of_body(m->rig, before), before, poise_vec3(2.0, 0.0, 0.0));
}

static const double WEIGHT = 2.0 * 9.81;

// A torque that holds up a link along x is negative about y.
Test(statics, a_kinematic_link_weighs_nothing) {
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
    open_arm(&m, NULL);
    mechanism_step(&m, STEP);
    EXPECT_NEAR(feed_forward_of(&m, m.joints[0]), -2.0 * WEIGHT, 1e-9);
    EXPECT_NEAR(feed_forward_of(&m, m.joints[1]), -0.5 * WEIGHT, 1e-9);
    dBodySetKinematic(m.bodies[1]);
    mechanism_step(&m, STEP);
    EXPECT_NEAR(feed_forward_of(&m, m.joints[0]), -0.5 * WEIGHT, 1e-6);
    EXPECT_NEAR(feed_forward_of(&m, m.joints[1]), 0.0, 1e-9);
    dBodySetDynamic(m.bodies[1]);
    mechanism_step(&m, STEP);
    EXPECT_NEAR(feed_forward_of(&m, m.joints[1]), -0.5 * WEIGHT, 1e-6);
    mechanism_close(&m);
}

typedef enum Base { BASE_FREE, BASE_FIXED, BASE_FIXED_TO_FIXED, BASE_KINEMATIC } Base;

// A base that floats in the air takes up no reaction.
Test(statics, weight_is_fed_only_if_the_base_is_fixed) {
    for (int b = BASE_FREE; b <= BASE_KINEMATIC; b++) {
        Mechanism m;
        mechanism_open(&m, poise_vec3(0.0, 0.0, -9.81), POISE_REFERENCE_OWN);
        const PoiseVec3 size = poise_vec3(0.2, 0.2, 0.2);
        dBodyID base = mechanism_box(&m, poise_vec3(-0.1, 0.0, 0.0), size, 5.0);
        if (b == BASE_FIXED) {
            mechanism_weld(&m, base, NULL);
        } else if (b == BASE_FIXED_TO_FIXED) {
            dBodyID under = mechanism_box(&m, poise_vec3(-0.3, 0.0, 0.0), size, 5.0);
            mechanism_weld(&m, base, under);
            mechanism_weld(&m, NULL, under);
        } else if (b == BASE_KINEMATIC) {
            dBodySetKinematic(base);
        }
        open_arm(&m, base);
        mechanism_step(&m, STEP);
        EXPECT_NEAR(feed_forward_of(&m, m.joints[0]), b == BASE_FREE ? 0.0 : -2.0 * WEIGHT, 1e-9);
        mechanism_close(&m);
    }
}

// Row 1.9, in ODE: the article shifts each joint's target by tau / p, tau = J^T F. A leg of six
// hinges (yaw, roll, three pitches with links of 1 m, roll) has its foot against a plate. No force
// is asked of the rig; the springs alone have such targets: the plate gets F.
Test(statics, targets_shifted_by_tau_over_p_press_with_the_force) {
    static const char axes[] = "ZXYYYX";
    static const double pitch[3] = {-20.8253643, -11.2719994, -3.62357754};
    static const double bend[3] = {0.3, 0.7, 1.2}; // steps of 0.3, 0.4 and 0.5
    const PoiseVec3 force = poise_vec3(10.0, 0.0, 0.0);
    Mechanism m;
    mechanism_open(&m, poise_vec3(0.0, 0.0, 0.0), POISE_REFERENCE_OWN);
    PoiseVec3 at[7];
    at[0] = at[1] = at[2] = poise_vec3(0.0, 0.0, 4.0);
    for (int i = 0; i < 3; i++) {
        at[i + 3] = poise_add(at[i + 2], poise_vec3(-sin(bend[i]), 0.0, -cos(bend[i])));
    }
    const PoiseVec3 foot = at[5];
    dBodyID before = NULL;
    PoiseBindDef like = mechanism_springs(0.0, 0.0);
    like.original = (PoiseSpring){1000.0, 200.0};
    for (int i = 0; i < 6; i++) {
        // the last joint is at the third pitch joint, the foot at the end of the link after it
        const PoiseVec3 place = i < 5 ? at[i] : at[4];
        const PoiseVec3 axis = poise_vec3(axes[i] == 'X', axes[i] == 'Y', axes[i] == 'Z');
        dBodyID body = mechanism_box(&m, place, poise_vec3(0.1, 0.1, 0.1), 0.5);
        const dJointID joint =
            mechanism_join(&m, POISE_NODE_HINGE, body, before, pivot(place, axis));
        // axis . (r x F); the torques of the pitches are those of row 0.14
        const double torque = poise_dot(axis, poise_cross(poise_sub(foot, place), force));
        cr_assert(i < 2 || i > 4 || fabs(torque - pitch[i - 2]) < 5e-8, "%d: %g", i, torque);
        like.natural[0] = torque / like.original.stiffness;
        cr_assert(poise_rig_add(m.rig, joint, body, &like).index1 != 0);
        before = body;
    }
    (void)mechanism_point(&m, poise_rig_node_of_body(m.rig, before), before, foot);
    Wall wall = wall_before(&m, poise_vec3(1.0, 0.0, 0.0), 0.0);
    (void)wall_run(&m, &wall, STEP, 3000, 100);
    cr_expect_leq(fabs(wall.force - 10.0), 0.1, "%g N", wall.force);
    mechanism_close(&m);
}
