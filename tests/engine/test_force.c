// SPDX-License-Identifier: MIT
// Forces and torques asked at points (sec. 5.2, row 0.14). Oracle: the contact joints' feedback in
// ODE, and the feedback of the joint at the base.
#include <criterion/criterion.h>
#include <stdio.h>

#include "mechanism.h"
#include "near.h"
#include "poise/rig.h"
#include "poise/world.h"

static const double STEP = 0.01;
static const PoiseReference references[] = {POISE_REFERENCE_OWN, POISE_REFERENCE_MEASURED};

enum { MOST_LINKS = 6 };

/// A chain of links of 1 m from the origin, folded in the plane of x and y, with a ball at its tip
/// and a wall across x, `gap` beyond the ball.
typedef struct PressDef {
    int links;
    PoiseNodeKind kind;
    PoiseReference reference;
    double gap;
    double radius; ///< of the ball at the tip
    PoiseVec3 gravity;
    PoiseVec3 force;
    double stiffness[MOST_LINKS];
    double damping[MOST_LINKS];
    double original[MOST_LINKS];
    double natural[MOST_LINKS]; ///< off the starting angle
    double friction;
    bool pose; ///< the point has a rotation too
} PressDef;

typedef struct Bench {
    PoiseWorld* world;
    PoiseTree* tree;
    PoiseRig* rig;
    dBodyID links[MOST_LINKS];
    dJointID joints[MOST_LINKS];
    PoiseNodeId nodes[MOST_LINKS];
    PoisePointId point;
    PoiseVec3 tip; ///< at the start, where the goal is
    dJointFeedback base;
} Bench;

static const double angles[MOST_LINKS] = {0.3, 0.7, 0.5, -1.2, 0.8, 0.4};

static PressDef press_def(PoiseReference reference) {
    PressDef def = {.links = 3,
                    .kind = POISE_NODE_HINGE,
                    .reference = reference,
                    .radius = 0.05,
                    .gravity = {0.0, -9.81, 0.0},
                    .force = {20.0, 0.0, 0.0}};
    for (int i = 0; i < MOST_LINKS; i++) {
        def.stiffness[i] = 2000.0;
        def.damping[i] = 200.0;
    }
    return def;
}

static void add_link(Bench* b, const PressDef* def, int i, PoiseVec3 from, double heading) {
    dWorldID world = poise_world_ode(b->world);
    dMass mass;
    dMassSetBoxTotal(&mass, 3.0 - 0.4 * i, 1.0, 0.1, 0.1);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, from.x + 0.5 * cos(heading), from.y + 0.5 * sin(heading), 0.0);
    dQuaternion turn;
    dQFromAxisAndAngle(turn, 0.0, 0.0, 1.0, heading);
    dBodySetQuaternion(body, turn);
    dJointID joint = def->kind == POISE_NODE_BALL        ? dJointCreateBall(world, NULL)
                     : def->kind == POISE_NODE_UNIVERSAL ? dJointCreateUniversal(world, NULL)
                                                         : dJointCreateHinge(world, NULL);
    dJointAttach(joint, body, i > 0 ? b->links[i - 1] : NULL);
    if (def->kind == POISE_NODE_BALL) {
        dJointSetBallAnchor(joint, from.x, from.y, 0.0);
    } else if (def->kind == POISE_NODE_UNIVERSAL) {
        dJointSetUniversalAnchor(joint, from.x, from.y, 0.0);
        dJointSetUniversalAxis1(joint, 0.0, 0.0, 1.0);
        dJointSetUniversalAxis2(joint, cos(heading), sin(heading), 0.0);
    } else {
        dJointSetHingeAnchor(joint, from.x, from.y, 0.0);
        dJointSetHingeAxis(joint, 0.0, 0.0, 1.0);
    }
    PoiseBindDef like = poise_default_bind_def();
    like.ik = (PoiseSpring){def->stiffness[i], def->damping[i]};
    like.original = (PoiseSpring){def->original[i], 0.0};
    like.natural[0] = def->natural[i];
    if (dJointGetType(joint) == dJointTypeBall) {
        set_natural_rotation(&like, poise_quat_exp(poise_vec3(0.0, 0.0, def->natural[i])));
    }
    b->nodes[i] = poise_rig_add(b->rig, joint, body, &like);
    cr_assert_neq(b->nodes[i].index1, 0u, "%s", poise_rig_message(b->rig));
    b->links[i] = body;
    b->joints[i] = joint;
}

static PoisePointId add_point(Bench* b, PoisePointDef def, PoiseNodeId link, PoiseVec3 in_link) {
    def.link = link;
    def.in_link.p = in_link;
    PoisePointId point = poise_point_create(b->tree, &def);
    cr_assert_eq(poise_register_chain(b->tree, point, poise_null_node()), POISE_OK);
    return point;
}

static void bench_open(Bench* b, const PressDef* def) {
    PoiseWorldDef world_def = poise_default_world_def();
    world_def.gravity = def->gravity;
    world_def.friction = def->friction;
    b->world = poise_world_create(&world_def);
    PoiseTreeDef tree_def = poise_default_tree_def();
    b->tree = poise_tree_create(&tree_def);
    PoiseRigDef rig = poise_default_rig_def();
    rig.tree = b->tree;
    rig.world = poise_world_ode(b->world);
    rig.settings.reference = def->reference;
    b->rig = poise_rig_create(&rig);
    b->tip = poise_vec3(0.0, 0.0, 0.0);
    double heading = 0.0;
    for (int i = 0; i < def->links; i++) {
        heading += angles[i];
        add_link(b, def, i, b->tip, heading);
        b->tip = poise_add(b->tip, poise_vec3(cos(heading), sin(heading), 0.0));
    }
    dJointSetFeedback(b->joints[0], &b->base);
    PoisePointDef point = def->pose ? poise_default_pose_def() : poise_default_position_def();
    b->point = add_point(b, point, b->nodes[def->links - 1], poise_vec3(0.5, 0.0, 0.0));
    dSpaceID space = poise_world_space(b->world);
    dGeomID ball = dCreateSphere(space, def->radius);
    dGeomSetBody(ball, b->links[def->links - 1]);
    dGeomSetOffsetPosition(ball, 0.5, 0.0, 0.0);
    dCreatePlane(space, -1.0, 0.0, 0.0, -(b->tip.x + def->radius + def->gap));
    cr_assert_eq(poise_point_set_force(b->tree, b->point, def->force), POISE_OK);
}

static void bench_close(Bench* b) {
    poise_rig_destroy(b->rig);
    poise_tree_destroy(b->tree);
    poise_world_destroy(b->world);
}

static PoiseRigReport bench_run(Bench* b, int steps) {
    PoiseRigReport report = {0};
    for (int i = 0; i < steps; i++) {
        cr_assert_geq((int)poise_rig_update(b->rig, STEP, &report), 0, "step %d: %s", i,
                      poise_rig_message(b->rig));
        cr_assert_eq(poise_world_step(b->world, STEP), POISE_OK, "step %d", i);
    }
    return report;
}

static PoiseVec3 tip_of(const Bench* b, int link) {
    dVector3 p;
    dBodyGetRelPointPos(b->links[link], 0.5, 0.0, 0.0, p);
    return poise_vec3(p[0], p[1], p[2]);
}

// what the wall feels
static PoiseVec3 on_wall(const Bench* b, int link) {
    PoiseVec3 force;
    cr_assert_eq(poise_world_contact_force(b->world, b->links[link], &force, NULL), POISE_OK);
    return poise_scale(-1.0, force);
}

// 20 N on the wall, within 1 %; the tip at its height within a millimetre; and what the rig says it
// measured is what ODE measured
static void expect_pressed(const PressDef* def, const char* what) {
    Bench b;
    bench_open(&b, def);
    PoiseRigReport report = bench_run(&b, 3000);
    const int last = def->links - 1;
    PoiseVec3 wall = on_wall(&b, last);
    PoiseVec3 tip = tip_of(&b, last);
    cr_expect_leq(fabs(wall.x - def->force.x), 0.01 * def->force.x, "%s, reference %d: %g N", what,
                  (int)def->reference, wall.x);
    cr_expect_leq(fabs(tip.y - b.tip.y), 1e-3, "%s, reference %d: tip %g m off", what,
                  (int)def->reference, tip.y - b.tip.y);
    PoisePointReading reading;
    cr_assert_eq(poise_rig_read_point(b.rig, b.point, &reading), POISE_OK);
    cr_expect(reading.presses);
    cr_expect_leq(fabs(reading.force_measured.x - wall.x), 1e-3, "%s: measured %g, contact %g",
                  what, reading.force_measured.x, wall.x);
    cr_expect_leq(report.force_error, 0.01 * def->force.x);
    bench_close(&b);
}

Test(force, the_wall_feels_what_was_asked) {
    static const double gaps[] = {0.0, 0.02, -0.005};
    static const double uneven[3][3] = {
        {3000.0, 300.0, 1000.0}, {300.0, 3000.0, 1000.0}, {500.0, 500.0, 5000.0}};
    for (int r = 0; r < 2; r++) {
        for (int g = 0; g < 3; g++) {
            for (int k = 0; k < 8; k++) {
                PressDef def = press_def(references[r]);
                def.gap = gaps[g];
                for (int i = 0; i < 3; i++) {
                    def.original[i] = k >= 4 ? 400.0 : 0.0;
                    def.natural[i] = k >= 4 ? 0.3 - 0.2 * i : 0.0;
                    def.stiffness[i] = k % 4 > 0 ? uneven[k % 4 - 1][i] : 2000.0;
                    def.damping[i] = 0.1 * def.stiffness[i];
                }
                char what[64];
                snprintf(what, sizeof what, "gap %g, springs %d, p_orig %g", gaps[g], k % 4,
                         def.original[0]);
                expect_pressed(&def, what);
            }
        }
    }
}

// springs as soft and as stiff as they come
Test(force, soft_and_stiff_springs_press_alike) {
    static const double stiffness[] = {200.0, 2000.0, 1e5};
    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 3; k++) {
            PressDef def = press_def(references[r]);
            def.gap = 0.005;
            for (int i = 0; i < def.links; i++) {
                def.stiffness[i] = stiffness[k];
                def.damping[i] = 0.1 * stiffness[k];
            }
            char what[64];
            snprintf(what, sizeof what, "p %g", stiffness[k]);
            expect_pressed(&def, what);
        }
    }
}

// 20 N on the wall and 8 along it, which its friction bears: both come, and nothing slides
Test(force, an_oblique_force_comes_whole_within_friction) {
    for (int r = 0; r < 2; r++) {
        PressDef def = press_def(references[r]);
        def.radius = 0.001; // the contact is where the point is
        def.friction = 1.0;
        def.force = poise_vec3(20.0, 8.0, 0.0);
        Bench b;
        bench_open(&b, &def);
        (void)bench_run(&b, 3000);
        const PoiseVec3 wall = on_wall(&b, def.links - 1);
        EXPECT_NEAR(wall.x, 20.0, 0.01 * 20.0);
        EXPECT_NEAR(wall.y, 8.0, 0.01 * 8.0);
        bench_close(&b);
    }
}

// balls, and universal joints, hold the tip across the force in two directions
Test(force, other_joints_press_too) {
    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 8; k++) {
            PressDef def = press_def(references[r]);
            def.kind = k < 4 ? POISE_NODE_BALL : POISE_NODE_UNIVERSAL;
            def.links = 4;
            def.gravity = poise_vec3(0.0, -6.0, -8.0);
            def.gap = 0.02;
            for (int i = 0; i < def.links; i++) {
                def.stiffness[i] = k % 2 == 0 ? 2000.0 : 4000.0 / (1 << i);
                def.damping[i] = 0.1 * def.stiffness[i];
                def.original[i] = k % 4 < 2 ? 0.0 : 300.0;
                def.natural[i] = 0.2;
            }
            char what[64];
            snprintf(what, sizeof what, "kind %d, springs %d, p_orig %g", (int)def.kind, k % 2,
                     def.original[0]);
            expect_pressed(&def, what);
        }
    }
}

// a stiff shoulder and a soft wrist, hardly damped, and the other way round: the same force
Test(force, uneven_springs_stay_quiet) {
    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 4; k++) {
            PressDef def = press_def(references[r]);
            def.links = k < 2 ? 4 : 6;
            def.gap = 0.02;
            for (int i = 0; i < def.links; i++) {
                double part = (double)i / (def.links - 1);
                def.stiffness[i] = 1e4 * pow(0.01, k % 2 == 0 ? part : 1.0 - part);
                def.damping[i] = 0.02 * def.stiffness[i];
            }
            char what[64];
            snprintf(what, sizeof what, "%d links, %s", def.links,
                     k % 2 == 0 ? "soft wrist" : "soft shoulder");
            expect_pressed(&def, what);
        }
    }
}

// a wall that the tip sticks to, off its goal along the wall: the springs go on pulling it there,
// which is what the wall rubs with, and press as asked all the same
Test(force, friction_takes_no_part_of_it) {
    for (int r = 0; r < 2; r++) {
        // measured, and nothing that holds the posture: uneven springs creep on under such a load
        for (int k = 0; k < 2 - r; k++) {
            PressDef def = press_def(references[r]);
            def.radius = 0.001; // the contact is where the point is
            def.gap = 0.02;
            def.friction = 2.0;
            for (int i = 0; i < def.links; i++) {
                def.stiffness[i] = k == 0 ? 2000.0 : 4000.0 / (1 << i);
            }
            Bench b;
            bench_open(&b, &def);
            (void)bench_run(&b, 1000);
            PoiseVec3 goal = poise_vec3(b.tip.x, b.tip.y + 0.01, 0.0);
            cr_assert_eq(poise_point_set_position(b.tree, b.point, goal), POISE_OK);
            (void)bench_run(&b, 3000);
            PoiseVec3 wall = on_wall(&b, 2);
            cr_expect_gt(wall.y, 2.0, "it slides");
            EXPECT_NEAR(wall.x, 20.0, 0.01 * 20.0);
            bench_close(&b);
        }
    }
}

// what the ground feels at the base: the weight and the force, turned round
Test(force, the_base_takes_it_all) {
    for (int r = 0; r < 2; r++) {
        PressDef def = press_def(references[r]);
        def.gap = 0.02;
        def.force = poise_vec3(30.0, 0.0, 0.0);
        Bench b;
        bench_open(&b, &def);
        (void)bench_run(&b, 3000);
        double weight = 0.0;
        for (int i = 0; i < def.links; i++) {
            dMass mass;
            dBodyGetMass(b.links[i], &mass);
            weight += 9.81 * mass.mass;
        }
        // the first body of the joint is the link: what the base gives it
        PoiseVec3 base = poise_vec3(b.base.f1[0], b.base.f1[1], b.base.f1[2]);
        EXPECT_NEAR3(base, poise_vec3(30.0, weight, 0.0), 1e-6);
        bench_close(&b);
    }
}

// the tip welded to the environment, turned a little and off its goal: what the weld must hold is
// exactly what was asked, in force and torque
Test(force, a_weld_feels_force_and_torque) {
    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 3; k++) {
            PressDef def = press_def(references[r]);
            def.links = 4;
            def.pose = true;
            def.gap = 1.0;
            def.force = k == 1 ? poise_vec3(0.0, 0.0, 0.0) : poise_vec3(12.0, -9.0, 0.0);
            const double torque = k == 0 ? 0.0 : 5.0;
            Bench b;
            bench_open(&b, &def);
            cr_assert_eq(poise_point_set_torque(b.tree, b.point, poise_vec3(0.0, 0.0, torque)),
                         POISE_OK);
            // off where both yield
            PoisePose goal = poise_point_goal(b.tree, b.point);
            goal.p = poise_add_scaled(goal.p, 0.01 / 15.0, def.force);
            cr_assert_eq(poise_point_set_position(b.tree, b.point, goal.p), POISE_OK);
            PoiseQuat turn = poise_quat_exp(poise_vec3(0.0, 0.0, torque > 0.0 ? 0.1 : 0.0));
            cr_assert_eq(poise_point_set_orientation(b.tree, b.point, poise_quat_mul(turn, goal.q)),
                         POISE_OK);
            dJointID weld = dJointCreateFixed(poise_world_ode(b.world), NULL);
            dJointAttach(weld, b.links[3], NULL);
            dJointSetFixed(weld);
            dJointFeedback held;
            dJointSetFeedback(weld, &held);
            (void)bench_run(&b, 2000);
            PoiseVec3 force = poise_vec3(-held.f1[0], -held.f1[1], -held.f1[2]);
            PoiseVec3 arm = poise_sub(tip_of(&b, 3), poise_vec3(dBodyGetPosition(b.links[3])[0],
                                                                dBodyGetPosition(b.links[3])[1],
                                                                dBodyGetPosition(b.links[3])[2]));
            // about the point
            PoiseVec3 about = poise_sub(poise_vec3(-held.t1[0], -held.t1[1], -held.t1[2]),
                                        poise_cross(arm, force));
            EXPECT_NEAR3(force, def.force, 0.01 * 15.0);
            EXPECT_NEAR(about.z, torque, 0.01 * 5.0);
            PoisePointReading reading;
            cr_assert_eq(poise_rig_read_point(b.rig, b.point, &reading), POISE_OK);
            EXPECT_NEAR3(reading.force_measured, force, 1e-3);
            EXPECT_NEAR(reading.torque_measured.z, about.z, 1e-3);
            bench_close(&b);
        }
    }
}

// a natural posture far off, which pulls where the tip does not move: nothing of it is felt at the
// tip, along the force, across it or about it
Test(force, a_weld_feels_nothing_of_the_natural_posture) {
    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 8; k++) {
            PressDef def = press_def(references[r]);
            def.links = k % 2 == 0 ? 4 : 6;
            def.pose = true;
            def.gap = 1.0;
            def.force = poise_vec3(12.0, -9.0, 0.0);
            for (int i = 0; i < def.links; i++) {
                def.stiffness[i] = k % 4 < 2 ? 2000.0 : 4000.0 / (1 << i);
                def.damping[i] = 0.1 * def.stiffness[i];
                def.original[i] = k < 4 ? 400.0 : 2000.0;
                def.natural[i] = 0.8 - 0.4 * i;
            }
            Bench b;
            bench_open(&b, &def);
            dJointID weld = dJointCreateFixed(poise_world_ode(b.world), NULL);
            dJointAttach(weld, b.links[def.links - 1], NULL);
            dJointSetFixed(weld);
            dJointFeedback held;
            dJointSetFeedback(weld, &held);
            (void)bench_run(&b, 4000);
            const PoiseVec3 force = poise_vec3(-held.f1[0], -held.f1[1], -held.f1[2]);
            const PoiseVec3 arm =
                poise_sub(tip_of(&b, def.links - 1), body_place(b.links[def.links - 1]));
            const double about = -held.t1[2] - poise_cross(arm, force).z;
            cr_expect_leq(poise_length(poise_sub(force, def.force)), 1e-3, "%d, %d: %g, %g N", r, k,
                          force.x, force.y);
            cr_expect_leq(fabs(about), 1e-3, "%d, %d: %g N m", r, k, about);
            bench_close(&b);
        }
    }
}

// a joint on the stop of its range: the others give what is asked
Test(force, a_joint_on_its_stop) {
    for (int r = 0; r < 2; r++) {
        for (int side = 0; side < 2; side++) {
            PressDef def = press_def(references[r]);
            def.links = 4;
            def.gap = 0.02;
            for (int i = 0; i < def.links; i++) {
                def.original[i] = 500.0;
                def.natural[i] = i == 1 ? (side ? 1.0 : -1.0) : 0.0;
            }
            Bench b;
            bench_open(&b, &def);
            const double lower = side ? -2.0 : -0.05;
            const double upper = side ? 0.05 : 2.0;
            dJointSetHingeParam(b.joints[1], dParamLoStop, lower);
            dJointSetHingeParam(b.joints[1], dParamHiStop, upper);
            cr_assert_eq(poise_node_set_limits(b.tree, b.nodes[1], poise_range(lower, upper)),
                         POISE_OK);
            (void)bench_run(&b, 4000);
            PoiseJointReading reading;
            cr_assert_eq(poise_rig_read_joint(b.rig, b.nodes[1], &reading), POISE_OK);
            EXPECT_NEAR3(on_wall(&b, 3), def.force, 0.01 * 20.0);
            bench_close(&b);
        }
    }
}

// two points of one chain press at once, each its own way
Test(force, two_points_press_at_once) {
    for (int r = 0; r < 2; r++) {
        for (int k = 0; k < 2; k++) {
            PressDef def = press_def(references[r]);
            def.links = 6;
            def.gap = 0.02;
            for (int i = 0; i < def.links; i++) {
                def.stiffness[i] = k == 0 ? 2000.0 : 4000.0 / (1 + i);
                def.original[i] = k == 0 ? 0.0 : 300.0;
                def.natural[i] = 0.1;
            }
            Bench b;
            bench_open(&b, &def);
            // the third link's end presses down on a plane of its own
            PoisePointId elbow =
                add_point(&b, poise_default_position_def(), b.nodes[2], poise_vec3(0.5, 0.0, 0.0));
            cr_assert_eq(poise_point_set_force(b.tree, elbow, poise_vec3(0.0, -15.0, 0.0)),
                         POISE_OK);
            dSpaceID space = poise_world_space(b.world);
            dGeomID ball = dCreateSphere(space, def.radius);
            dGeomSetBody(ball, b.links[2]);
            dGeomSetOffsetPosition(ball, 0.5, 0.0, 0.0);
            PoiseVec3 at = tip_of(&b, 2);
            dGeomID floor = dCreateBox(space, 2.0, 1.0, 1.0);
            dGeomSetPosition(floor, at.x, at.y - def.radius - 0.5 - 0.01, 0.0);
            PoiseRigReport report = bench_run(&b, 4000);
            cr_expect_eq(report.pressing, 2);
            EXPECT_NEAR3(on_wall(&b, 5), def.force, 0.01 * 20.0);
            EXPECT_NEAR3(on_wall(&b, 2), poise_vec3(0.0, -15.0, 0.0), 0.01 * 15.0);
            cr_expect_leq(report.force_error, 0.01 * 15.0);
            bench_close(&b);
        }
    }
}
