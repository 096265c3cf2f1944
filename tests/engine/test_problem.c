// SPDX-License-Identifier: MIT
// poise_rig_problem of a rig that moves nothing; settings that are reset; closures whose joint,
// bodies or points are destroyed.
#include <criterion/criterion.h>
#include <string.h>

#include "linkage.h"
#include "near.h"
#include "poise/closure.h"
#include "works.h"

static const double STEP = 0.01;
static const PoiseVec3 no_gravity = {0.0, 0.0, 0.0};
static const PoiseVec3 about_z = {0.0, 0.0, 1.0};

#define SAYS(rig, word)                                                                            \
    do {                                                                                           \
        const char* problem_ = poise_rig_problem(rig);                                             \
        cr_expect(problem_&& strstr(problem_, word), "%s: %s", word,                               \
                  problem_ ? problem_ : "nothing");                                                \
    } while (0)

// ---------------------------------------------------------------------------- what is missing

Test(problem, each_missing_part_is_named_in_turn) {
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    SAYS(m.rig, "no joint is bound");
    PoiseRigReport report = {.driven = 7};
    cr_expect_eq(poise_rig_update(m.rig, STEP, &report), POISE_DEGRADED, "it drives nothing");
    cr_expect(strstr(m.host.last_message, "no joint is bound"), "%s", m.host.last_message);
    const int logged = m.host.messages;
    cr_expect_eq(poise_rig_update(m.rig, STEP, NULL), POISE_DEGRADED);
    cr_expect_eq(m.host.messages, logged, "told once");
    cr_expect_eq(report.driven, 0);
    dBodyID bar = mechanism_box(&m, poise_vec3(0.5, 0.0, 0.0), poise_vec3(1.0, 0.1, 0.1), 1.0);
    const PoiseBindDef unsprung = mechanism_springs(0.0, 0.0);
    cr_expect_eq(poise_rig_import(m.rig, bar, &unsprung), 0);
    SAYS(m.rig, "there is no joint at all");
    dJointID joint = mechanism_join(&m, POISE_NODE_HINGE, bar, NULL, pivot(no_gravity, about_z));
    PoiseNodeId node = poise_rig_add(m.rig, joint, bar, &unsprung);
    SAYS(m.rig, "no control point is enabled");
    mechanism_point(&m, node, bar, poise_vec3(1.0, 0.0, 0.0));
    SAYS(m.rig, "no driven joint is registered");
    cr_assert_eq(poise_rig_set_ik(m.rig, node, (PoiseSpring){100.0, 10.0}), POISE_OK);
    cr_expect_null(poise_rig_problem(m.rig));
    cr_assert_eq(poise_point_set_enabled(m.tree, m.point, false), POISE_OK);
    SAYS(m.rig, "no control point is enabled");
    cr_assert_lt(poise_point_set_weight(m.tree, m.point, -1.0), 0);
    SAYS(m.rig, "weight");
    poise_tree_clear_status(m.tree);
    cr_assert_lt(poise_rig_update(m.rig, -1.0, NULL), 0);
    SAYS(m.rig, "dt is -1");
    poise_rig_clear_status(m.rig);
    cr_expect_eq(poise_rig_world(m.rig), m.world);
    PoiseRigSettings settings = poise_rig_settings(m.rig);
    settings.posture_rate = 0.1;
    cr_assert_eq(poise_rig_set_settings(m.rig, &settings), POISE_OK);
    poise_tree_destroy(m.tree);
    m.tree = NULL;
    settings.posture_rate = 0.0;
    cr_expect_eq(poise_rig_set_settings(m.rig, &settings), POISE_OK);
    SAYS(m.rig, "tree has been destroyed");
    cr_expect_eq(poise_rig_reserve_forces(m.rig), POISE_ERROR_GONE);
    cr_expect_eq(poise_rig_reserve_search(m.rig), POISE_ERROR_GONE);
    cr_expect_eq(poise_rig_take_posture(m.rig), POISE_ERROR_GONE);
    mechanism_close(&m);
}

// The error names the body without joints, not the null handles that result from it.
Test(problem, an_import_of_nothing_is_named_before_what_follows_from_it) {
    const PoiseBindDef like = mechanism_springs(100.0, 10.0);
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    dBodyID bar = mechanism_box(&m, poise_vec3(0.5, 0.0, 0.0), poise_vec3(1.0, 0.1, 0.1), 1.0);
    cr_expect_eq(poise_rig_import(m.rig, bar, &like), 0);
    PoisePointDef def = poise_default_position_def();
    def.link = poise_rig_node_of_body(m.rig, bar);
    cr_expect_eq(poise_point_create(m.tree, &def).index1, 0);
    SAYS(m.rig, "there is no joint at all");
    cr_expect_eq(poise_rig_status(m.rig), POISE_OK);
    cr_expect_str_empty(poise_rig_message(m.rig));
    poise_rig_clear_status(m.rig);
    poise_tree_clear_status(m.tree);
    SAYS(m.rig, "no joint is bound");
    mechanism_close(&m);
}

#define LOGGED(m, word)                                                                            \
    cr_expect(strstr((m)->host.last_message, word), "%s: %s", word, (m)->host.last_message)

Test(problem, likely_mistakes_are_logged_once) {
    const PoiseBindDef like = mechanism_springs(100.0, 10.0);
    Mechanism m;
    (void)mechanism_bar(&m, POISE_REFERENCE_OWN, &like);
    mechanism_goal(&m, poise_vec3(350.0, 0.0, 1200.0));
    mechanism_run(&m, STEP, 1);
    LOGGED(&m, "goals are in metres");
    const int logged = m.host.messages;
    mechanism_run(&m, STEP, 3);
    cr_expect_eq(m.host.messages, logged, "%s", m.host.last_message);
    mechanism_close(&m);
}

// The next update reports a failed call on the tree as an error of the rig.
Test(problem, an_error_of_the_tree_is_told_by_the_update) {
    const PoiseBindDef like = mechanism_springs(100.0, 10.0);
    Mechanism m;
    (void)mechanism_bar(&m, POISE_REFERENCE_OWN, &like);
    cr_assert_lt(poise_point_set_weight(m.tree, m.point, -1.0), 0);
    PoiseRigReport report;
    cr_expect_eq(poise_rig_update(m.rig, STEP, &report), POISE_OK);
    cr_expect_eq(report.tree_status, POISE_ERROR_INVALID_ARGUMENT);
    SAYS(m.rig, "weight");
    cr_expect_eq(poise_rig_update(m.rig, STEP, NULL), POISE_OK);
    dWorldSetGravity(m.world, 0.0, (double)NAN, 0.0);
    cr_expect_lt(poise_rig_update(m.rig, STEP, &report), 0, "gravity is no number");
    cr_expect_lt(report.status, 0);
    dWorldSetGravity(m.world, 0.0, 0.0, 0.0);
    cr_expect_eq(poise_rig_update(m.rig, STEP, NULL), POISE_OK);
    mechanism_close(&m);
}

// The axis of a ball's cone is that of the def, by default the direction to the centre of mass.
Test(problem, a_cone_stands_about_the_axis_that_is_asked) {
    for (int asked = 0; asked < 2; asked++) {
        Mechanism m;
        mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
        PoiseBindDef like = mechanism_springs(100.0, 10.0);
        like.cone_axis = asked ? poise_vec3(0.0, 2.0, 0.0) : no_gravity;
        dBodyID bar = mechanism_add_bar(&m, POISE_NODE_BALL, &like);
        const PoiseNodeId node = poise_rig_node_of_body(m.rig, bar);
        EXPECT_NEAR3(poise_node_axis(m.tree, node),
                     asked ? poise_vec3(0.0, 1.0, 0.0) : poise_vec3(1.0, 0.0, 0.0), 1e-12);
        mechanism_close(&m);
    }
}

// An import keeps the first error.
Test(problem, an_import_keeps_the_error_of_before) {
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    dBodyID bar = mechanism_box(&m, poise_vec3(0.5, 0.0, 0.0), poise_vec3(1.0, 0.1, 0.1), 1.0);
    const PoiseBindDef like = mechanism_springs(100.0, 10.0);
    cr_assert_lt(poise_rig_update(m.rig, -1.0, NULL), 0);
    cr_expect_eq(poise_rig_import(m.rig, bar, &like), 0);
    cr_expect_eq(poise_rig_status(m.rig), POISE_ERROR_INVALID_ARGUMENT);
    SAYS(m.rig, "dt is -1");
    mechanism_close(&m);
}

// ---------------------------------------------------------------------------------------- settings

// Returns the displacement of the first joint by the tree's own solve while its point is at its
// goal.
static double pulled(Mechanism* m) {
    PoiseSolveDef solve = poise_default_solve_def();
    solve.posture_rate = 0.5;
    WORKS(poise_forward(m->tree));
    const PoiseNodeId node = poise_tree_node(m->tree, 0);
    mechanism_goal(m, poise_point_planned_pose(m->tree, m->point).p);
    const double before = poise_node_angle(m->tree, node);
    WORKS(poise_solve(m->tree, &solve, NULL));
    WORKS(poise_advance(m->tree));
    WORKS(poise_forward(m->tree));
    return fabs(poise_node_angle(m->tree, node) - before);
}

// While posture_rate is above 0, the natural postures are the tree's references.
Test(problem, a_posture_rate_that_ends_takes_its_references_along) {
    ChainDef def = chain_def(POISE_NODE_HINGE, 4, 100.0, 10.0);
    def.like.natural[0] = 0.25;
    Mechanism m;
    chain_open(&m, &def);
    mechanism_goal(&m, poise_vec3(1.0, 3.0, 0.0));
    RIG_SET(m.rig, posture_rate, 0.5);
    mechanism_run(&m, STEP, 3);
    const double before = pulled(&m);
    cr_expect_geq(before, 1e-4, "%g rad", before);
    mechanism_run(&m, STEP, 3);
    RIG_SET(m.rig, posture_rate, 0.0);
    cr_expect_leq(pulled(&m), 1e-9);
    mechanism_close(&m);
}

// ODE's angle is 0 where the joint was made; a zero in the def shifts the node's angle.
Test(problem, the_zero_of_a_def_shifts_the_nodes_angle) {
    static const PoiseNodeKind kinds[] = {POISE_NODE_HINGE, POISE_NODE_SLIDER};
    for (int k = 0; k < 2; k++) {
        Mechanism m;
        mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
        dBodyID bar = mechanism_box(&m, poise_vec3(0.5, 0.0, 0.0), poise_vec3(1.0, 0.1, 0.1), 1.0);
        PoiseBindDef def = mechanism_springs(100.0, 10.0);
        PoiseNodeDef node = k == 0 ? poise_default_hinge_def() : poise_default_slider_def();
        node.link_in_joint.p = poise_vec3(0.5, 0.0, 0.0);
        def.joint = mechanism_join(&m, kinds[k], bar, NULL, pivot(no_gravity, node.axis));
        def.body = bar;
        def.node = poise_node_create(m.tree, &node);
        def.zero = 0.3;
        cr_assert_eq(poise_rig_bind(m.rig, &def), POISE_OK, "%s", poise_rig_message(m.rig));
        const PoiseJointReading reading = mechanism_read(&m, def.node);
        EXPECT_NEAR(reading.q[0], 0.3, 1e-12);
        mechanism_close(&m);
    }
}

// A rig without a log keeps its message for poise_rig_message.
Test(problem, a_rig_without_a_log_keeps_its_message) {
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    poise_rig_destroy(m.rig);
    PoiseRigDef def = mechanism_rig_def(&m);
    def.host = (PoiseHost){0};
    m.rig = poise_rig_create(&def);
    cr_assert_not_null(m.rig);
    dBodyID bar = mechanism_box(&m, poise_vec3(0.5, 0.0, 0.0), poise_vec3(1.0, 0.1, 0.1), 1.0);
    const PoiseBindDef like = mechanism_springs(100.0, 10.0);
    cr_expect_eq(poise_rig_import(m.rig, bar, &like), 0);
    SAYS(m.rig, "there is no joint at all");
    cr_expect_eq(poise_rig_update(m.rig, 0.0, NULL), POISE_ERROR_INVALID_ARGUMENT);
    SAYS(m.rig, "dt is 0");
    cr_expect_null(poise_rig_create(&def), "it drives the tree already");
    def.cookie = 0;
    cr_expect_null(poise_rig_create(&def));
    mechanism_close(&m);
}

// A base that the user moves is followed at its speed, until it is dynamic again.
Test(problem, a_base_that_is_moved_by_hand_and_let_go) {
    Mechanism m;
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    const PoiseVec3 size = poise_vec3(1.0, 0.1, 0.1);
    dBodyID base = mechanism_box(&m, poise_vec3(-0.5, 0.0, 0.0), size, 50.0);
    dBodyID bar = mechanism_box(&m, poise_vec3(0.5, 0.0, 0.0), size, 1.0);
    dBodySetKinematic(base);
    dBodySetAngularVel(base, 0.0, 0.0, 0.5);
    dJointID joint = mechanism_join(&m, POISE_NODE_HINGE, bar, base, pivot(no_gravity, about_z));
    const PoiseBindDef like = mechanism_springs(100.0, 10.0);
    const PoiseNodeId node = poise_rig_add(m.rig, joint, bar, &like);
    mechanism_point(&m, node, bar, poise_vec3(1.0, 0.0, 0.0));
    PoiseJointReading reading;
    mechanism_run(&m, STEP, 20);
    cr_assert_eq(poise_rig_read_joint(m.rig, node, &reading), POISE_OK);
    // the base has turned by 0.1 rad and raised the hinge by 50 mm; the goal stays
    EXPECT_NEAR(reading.q_target[0], -0.15, 0.01);
    dBodySetDynamic(base);
    dBodySetLinearVel(base, 0.0, 0.0, 0.0);
    dBodySetAngularVel(base, 0.0, 0.0, 0.0);
    dBodySetAngularVel(bar, 0.0, 0.0, 0.0);
    mechanism_run(&m, STEP, 300);
    cr_assert_eq(poise_rig_read_joint(m.rig, node, &reading), POISE_OK);
    EXPECT_NEAR(reading.q_target[0], reading.q[0], 1e-2);
    mechanism_close(&m);
}

// Advice for joints that exist, are not bound, or are destroyed.
Test(problem, advice_for_destroyed_joints_is_refused) {
    const PoiseBindDef like = mechanism_springs(100.0, 10.0);
    Mechanism m;
    PoiseNodeId node = mechanism_bar(&m, POISE_REFERENCE_OWN, &like);
    PoiseSpringAdvice advice;
    (void)mechanism_step(&m, STEP);
    cr_expect_eq(poise_rig_advise(m.rig, node, STEP, &advice), POISE_OK);
    // a bar of 1 kg and 1 m about its end
    EXPECT_NEAR(advice.inertia, 1.0 / 3.0 + 0.01 / 12.0, 1e-9);
    cr_expect_eq(poise_rig_advise(m.rig, node, (double)INFINITY, &advice),
                 POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_rig_advise(m.rig, node, STEP, NULL), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_rig_advise(m.rig, poise_null_node(), STEP, &advice),
                 POISE_ERROR_INVALID_HANDLE);
    dJointDestroy(m.joints[0]);
    cr_expect_eq(poise_rig_advise(m.rig, node, STEP, &advice), POISE_ERROR_GONE);
    mechanism_close(&m);
}

// ---------------------------------------------------------------------------------------- closures

// Opens four bars; the last joint closes the loop.
static void open_loop(Mechanism* m) {
    const LinkageDef def = linkage_def(1e3, 1e2);
    four_bar_open(m, &def);
    cr_assert_eq(poise_rig_closure_count(m->rig), 1);
    linkage_point(m, 1, poise_vec3(0.5, 0.0, 1.0));
}

Test(problem, impossible_closures_are_refused) {
    Mechanism m;
    open_loop(&m);
    dJointID closing = poise_rig_closure_joint(m.rig, 0);
    cr_expect_eq(poise_rig_add_closure(m.rig, closing), POISE_OK, "there already");
    cr_expect_eq(poise_rig_closure_count(m.rig), 1);
    dBodyID lone = dBodyCreate(m.world);
    dJointID elsewhere =
        mechanism_join(&m, POISE_NODE_BALL, lone, m.bodies[0], pivot(no_gravity, about_z));
    cr_expect_eq(poise_rig_add_closure(m.rig, elsewhere), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect(strstr(poise_rig_message(m.rig), "closes no loop"), "%s", poise_rig_message(m.rig));
    dJointID open = dJointCreateBall(m.world, NULL);
    cr_expect_eq(poise_rig_add_closure(m.rig, open), POISE_ERROR_INVALID_ARGUMENT);
    dWorldID other = dWorldCreate();
    dJointID foreign = dJointCreateBall(other, NULL);
    dJointAttach(foreign, NULL, dBodyCreate(other));
    cr_expect_eq(poise_rig_add_closure(m.rig, foreign), POISE_ERROR_FOREIGN_WORLD);
    dWorldDestroy(other);
    dJointID piston = dJointCreatePiston(m.world, NULL);
    dJointAttach(piston, m.bodies[2], m.bodies[0]);
    cr_expect_eq(poise_rig_add_closure(m.rig, piston), POISE_ERROR_WRONG_KIND);
    cr_expect(strstr(m.host.last_message, "is left to ODE"), "%s", m.host.last_message);
    dJointID ball = dJointCreateDBall(m.world, NULL);
    dJointAttach(ball, m.bodies[2], m.bodies[0]);
    cr_expect_eq(poise_rig_add_closure(m.rig, ball), POISE_ERROR_WRONG_KIND);
    cr_expect_eq(poise_rig_remove_closure(m.rig, piston), POISE_OK, "it is none");
    cr_expect_eq(poise_rig_closure_count(m.rig), 1);
    mechanism_close(&m);
}

// A loop with a destroyed part is open, and the rest is driven on.
Test(problem, closures_end_with_their_joint_body_or_point) {
    for (int what = 0; what < 4; what++) {
        Mechanism m;
        open_loop(&m);
        mechanism_run(&m, STEP, 3);
        dJointID closing = poise_rig_closure_joint(m.rig, 0);
        int closures = 1;
        if (what == 0) {
            dJointDisable(closing);
        } else if (what == 1) {
            dJointDestroy(closing);
        } else if (what == 2) {
            dBodyDestroy(m.bodies[2]);
        } else {
            for (int i = poise_tree_point_count(m.tree) - 1; i >= 0; i--) {
                const PoisePointId point = poise_tree_point(m.tree, i);
                if (point.index1 != m.point.index1) {
                    WORKS(poise_point_destroy(m.tree, point));
                    break;
                }
            }
            closures = 0;
        }
        PoiseRigReport report;
        for (int i = 0; i < 3; i++) {
            cr_expect_eq(poise_rig_update(m.rig, STEP, &report),
                         what == 2 ? POISE_DEGRADED : POISE_OK, "%d: %s", what,
                         poise_rig_message(m.rig));
            dWorldStep(m.world, STEP);
        }
        cr_expect_eq(report.driven, what == 2 ? 2 : 3, "%d: %d are driven", what, report.driven);
        cr_expect_eq(poise_rig_closure_count(m.rig), closures, "%d", what);
        mechanism_close(&m);
    }
}

// A joint closes a loop but has a type that cannot be a closure: the import warns, and leaves it to
// ODE.
Test(problem, an_import_tells_of_a_loop_that_it_cannot_close) {
    Mechanism m;
    ChainDef def = chain_def(POISE_NODE_HINGE, 3, 1000.0, 50.0);
    mechanism_open(&m, no_gravity, POISE_REFERENCE_OWN);
    dBodyID before = NULL;
    for (int i = 0; i < 3; i++) {
        const LinkDef link = {.parent = before,
                              .kind = POISE_NODE_HINGE,
                              .pivot = {.anchor = {0.0, i, 0.0}},
                              .at = {0.0, i + 0.5, 0.0}};
        before = mechanism_link(&m, &link);
    }
    dJointID piston = dJointCreatePiston(m.world, NULL);
    dJointAttach(piston, m.bodies[2], NULL);
    dJointSetPistonAxis(piston, 1.0, 0.0, 0.0);
    // a type without a node
    dJointID none = dJointCreateDBall(m.world, NULL);
    dJointAttach(none, m.bodies[2], m.bodies[0]);
    const int made = poise_rig_import(m.rig, m.bodies[0], &def.like);
    cr_expect_eq(made, 3, "%d: %s", made, poise_rig_message(m.rig));
    cr_expect_eq(poise_rig_closure_count(m.rig), 0);
    cr_expect(strstr(m.host.last_message, "left to ODE"), "%s", m.host.last_message);
    cr_expect_eq(poise_rig_status(m.rig), POISE_OK);
    mechanism_close(&m);
}
