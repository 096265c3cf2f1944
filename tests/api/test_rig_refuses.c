// SPDX-License-Identifier: MIT
// What the functions of rigs do with arguments that are no good. None of them may reach ODE, which
// ends the process.
#include <ode/ode.h>

#include "poise/rig.h"
#include "refuse.h"

/// A world with a base, three links on a hinge, a slider and a ball, all bound, and joints and
/// bodies that are no good for it.
typedef struct Yard {
    TestHost host;
    dWorldID world;
    dBodyID bodies[4];
    dJointID joints[3]; ///< hinge, slider, ball
    PoiseTree* tree;
    PoiseNodeId nodes[3];
    PoisePointId point;
    PoiseNodeId loose_node; ///< a hinge that is not bound
    dBodyID loose_body;
    dJointID loose_joint; ///< a hinge between the base and the loose body
    dJointID fixed_joint;
    dJointID open_joint; ///< attached to nothing
    dWorldID other_world;
    dBodyID foreign_body;
    dJointID foreign_joint;
    PoiseTree* other_tree;
    PoiseNodeId foreign_node;
    PoiseRig* rig;
} Yard;

static dBodyID make_body(dWorldID world, double x) {
    dMass mass;
    dMassSetBoxTotal(&mass, 1.0, 0.5, 0.1, 0.1);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, (dReal)x, 0.0, 0.0);
    return body;
}

static dJointID make_hinge(dWorldID world, dBodyID parent, dBodyID child, double x) {
    dJointID joint = dJointCreateHinge(world, 0);
    dJointAttach(joint, child, parent);
    dJointSetHingeAnchor(joint, (dReal)x, 0.0, 0.0);
    dJointSetHingeAxis(joint, 0.0, 0.0, 1.0);
    return joint;
}

static void make_chain(Yard* yard) {
    dWorldID world = yard->world = dWorldCreate();
    for (int i = 0; i < 4; i++) {
        yard->bodies[i] = make_body(world, 1.0 * i);
    }
    yard->joints[0] = make_hinge(world, yard->bodies[0], yard->bodies[1], 0.5);
    yard->joints[1] = dJointCreateSlider(world, 0);
    dJointAttach(yard->joints[1], yard->bodies[2], yard->bodies[1]);
    dJointSetSliderAxis(yard->joints[1], 1.0, 0.0, 0.0);
    yard->joints[2] = dJointCreateBall(world, 0);
    dJointAttach(yard->joints[2], yard->bodies[3], yard->bodies[2]);
    dJointSetBallAnchor(yard->joints[2], 2.5, 0.0, 0.0);
    yard->loose_body = make_body(world, -1.0);
    yard->loose_joint = make_hinge(world, yard->bodies[0], yard->loose_body, -0.5);
    yard->fixed_joint = dJointCreateFixed(world, 0);
    dJointAttach(yard->fixed_joint, make_body(world, -2.0), yard->loose_body);
    yard->open_joint = dJointCreateHinge(world, 0);
    yard->other_world = dWorldCreate();
    yard->foreign_body = make_body(yard->other_world, 1.0);
    yard->foreign_joint = make_hinge(yard->other_world, 0, yard->foreign_body, 0.5);
}

static PoiseRigDef rig_def(Yard* yard) {
    PoiseRigDef def = poise_default_rig_def();
    def.tree = yard->tree;
    def.world = yard->world;
    def.host = test_host(&yard->host);
    return def;
}

static void yard_init(Yard* yard) {
    memset(yard, 0, sizeof *yard);
    dInitODE2(0);
    make_chain(yard);
    PoiseTreeDef tree_def = poise_default_tree_def();
    yard->tree = poise_tree_create(&tree_def);
    yard->other_tree = poise_tree_create(&tree_def);
    PoiseNodeDef node_def = poise_default_hinge_def();
    yard->foreign_node = poise_node_create(yard->other_tree, &node_def);
    PoiseRigDef def = rig_def(yard);
    yard->rig = poise_rig_create(&def);
    cr_assert_not_null(yard->rig);
    PoiseBindDef bind = poise_default_bind_def();
    for (int i = 0; i < 3; i++) {
        yard->nodes[i] = poise_rig_add(yard->rig, yard->joints[i], yard->bodies[i + 1], &bind);
    }
    yard->loose_node = poise_node_create(yard->tree, &node_def);
    PoisePointDef point_def = poise_default_position_def();
    point_def.link = yard->nodes[2];
    yard->point = poise_point_create(yard->tree, &point_def);
    cr_assert_eq(poise_rig_status(yard->rig), POISE_OK, "%s", poise_rig_message(yard->rig));
    cr_assert_eq(poise_tree_status(yard->tree), POISE_OK, "%s", poise_tree_message(yard->tree));
    yard->host.messages = 0;
}

static void yard_finish(Yard* yard) {
    poise_rig_destroy(yard->rig);
    poise_tree_destroy(yard->tree);
    poise_tree_destroy(yard->other_tree);
    dWorldDestroy(yard->world);
    dWorldDestroy(yard->other_world);
    dCloseODE();
    cr_expect_eq(yard->host.live_blocks, 0, "%ld blocks leaked", yard->host.live_blocks);
}

static Snapshot yard_snapshot(Yard* yard) {
    Snapshot snapshot = snapshot_of(yard->tree);
    for (int i = 0; i < 3; i++) {
        PoiseJointReading reading;
        memset(&reading, 0, sizeof reading);
        snapshot_int(&snapshot, poise_rig_read_joint(yard->rig, yard->nodes[i], &reading));
        snapshot_int(&snapshot, (int)reading.kind);
        snapshot_number(&snapshot, reading.angle);
        snapshot_number(&snapshot, reading.ik_angle);
        snapshot_number(&snapshot, reading.target_angle);
        snapshot_number(&snapshot, reading.spring.stiffness);
        snapshot_number(&snapshot, reading.spring.damping);
        snapshot_number(&snapshot, reading.torque_limit);
    }
    dBodyID bodies[] = {yard->bodies[0], yard->bodies[1], yard->bodies[2], yard->bodies[3],
                        yard->loose_body};
    for (int i = 0; i < 5; i++) {
        snapshot_int(&snapshot, dBodyGetNumJoints(bodies[i]));
        snapshot_add(&snapshot, dBodyGetPosition(bodies[i]), 3 * sizeof(dReal));
        snapshot_add(&snapshot, dBodyGetQuaternion(bodies[i]), 4 * sizeof(dReal));
        snapshot_add(&snapshot, dBodyGetLinearVel(bodies[i]), 3 * sizeof(dReal));
    }
    return snapshot;
}

static void expect_rig_refused(Yard* yard, const Snapshot* before, PoiseStatus expected,
                               PoiseStatus status, const char* call) {
    Snapshot after = yard_snapshot(yard);
    const char* message = poise_rig_message(yard->rig);
    cr_expect_eq(status, expected, "%s gave '%s', not '%s': %s", call, poise_status_name(status),
                 poise_status_name(expected), message);
    cr_expect(before->used == after.used && memcmp(before->bytes, after.bytes, after.used) == 0,
              "%s changed something", call);
    cr_expect_eq(poise_rig_status(yard->rig), expected, "%s left the status '%s'", call,
                 poise_status_name(poise_rig_status(yard->rig)));
    cr_expect_eq(yard->host.messages, 1, "%s said %d messages", call, yard->host.messages);
    cr_expect_gt(strlen(message), 10u, "%s said '%s'", call, message);
    poise_rig_clear_status(yard->rig);
    poise_tree_clear_status(yard->tree);
    yard->host.messages = 0;
}

/// A row: the call must end with the status.
#define RIG_REFUSES(expected, call)                                                                \
    do {                                                                                           \
        Snapshot before_ = yard_snapshot(&yard);                                                   \
        PoiseStatus status_ = (PoiseStatus)(call);                                                 \
        expect_rig_refused(&yard, &before_, expected, status_, #call);                             \
    } while (0)

/// A row: the call must give the null handle.
#define RIG_MAKES_NOTHING(expected, call)                                                          \
    do {                                                                                           \
        Snapshot before_ = yard_snapshot(&yard);                                                   \
        cr_expect_eq((call).index1, 0u, "%s gave a handle", #call);                                \
        expect_rig_refused(&yard, &before_, expected, poise_rig_status(yard.rig), #call);          \
    } while (0)

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
        PoiseRigDef def_ = rig_def(&yard);                                                         \
        def_.tree = yard.other_tree;                                                               \
        def_.member = (value);                                                                     \
        expect_no_rig(&yard, def_, #member " = " #value);                                          \
    } while (0)

Test(rig_refuses, defs) {
    Yard yard;
    yard_init(&yard);
    cr_expect_null(poise_rig_create(NULL));
    cr_expect_not_null(poise_rig_def_problem(NULL));
    cr_expect_not_null(poise_rig_problem(NULL));
    PoiseRigDef good = rig_def(&yard);
    good.tree = yard.other_tree;
    // asked twice: the question leaves no claim on the tree
    cr_expect_null(poise_rig_def_problem(&good));
    cr_expect_null(poise_rig_def_problem(&good));
    NO_RIG(tree, yard.tree);
    NO_RIG(cookie, 0);
    NO_RIG(tree, NULL);
    NO_RIG(world, NULL);
    NO_RIG(reference, (PoiseReference)5);
    NO_RIG(host.allocate, NULL);
    NO_RIG(host.release, NULL);
    NO_RIG(solve.cookie, 0);
    NO_RIG(solve.sweeps, 0);
    NO_RIG(solve.solver, (PoiseSolver)77);
    NO_RIG(solve.joint_cap, NOT_A_NUMBER);
    NO_RIG(solve.damping_floor, 3.0);
    yard_finish(&yard);
}

static PoiseBindDef loose_bind(const Yard* yard) {
    PoiseBindDef def = poise_default_bind_def();
    def.node = yard->loose_node;
    def.joint = yard->loose_joint;
    def.body = yard->loose_body;
    return def;
}

// a row of the tables below: a good binding with one member set wrong
#define NO_BIND(expected, member, value)                                                           \
    do {                                                                                           \
        PoiseBindDef def_ = loose_bind(&yard);                                                     \
        def_.member = (value);                                                                     \
        Snapshot before_ = yard_snapshot(&yard);                                                   \
        PoiseStatus status_ = poise_rig_bind(yard.rig, &def_);                                     \
        expect_rig_refused(&yard, &before_, expected, status_, "bind: " #member " = " #value);     \
    } while (0)

Test(rig_refuses, bind_numbers) {
    Yard yard;
    yard_init(&yard);
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    NO_BIND(expected, cookie, 0);
    NO_BIND(expected, original.stiffness, -1.0);
    NO_BIND(expected, original.damping, -1.0);
    NO_BIND(expected, ik.stiffness, -1.0);
    NO_BIND(expected, ik.damping, -1.0);
    NO_BIND(expected, torque_limit, 0.0);
    NO_BIND(expected, torque_limit, -1.0);
    NO_BIND(expected, torque_limit, NOT_A_NUMBER);
    NO_BIND(expected, zero, HUGE_VAL);
    for (int i = 0; i < BAD_NUMBERS; i++) {
        NO_BIND(expected, original.stiffness, bad_numbers[i]);
        NO_BIND(expected, original.damping, bad_numbers[i]);
        NO_BIND(expected, ik.stiffness, bad_numbers[i]);
        NO_BIND(expected, ik.damping, bad_numbers[i]);
        NO_BIND(expected, natural_angle, bad_numbers[i]);
        NO_BIND(expected, link_in_body.p, bad_vec3(i));
    }
    for (int i = 0; i <= BAD_NUMBERS; i++) {
        NO_BIND(expected, natural_rotation, bad_quat(i));
        NO_BIND(expected, link_in_body.q, bad_quat(i));
    }
    yard_finish(&yard);
}

Test(rig_refuses, bind_objects) {
    Yard yard;
    yard_init(&yard);
    PoiseBindDef good = loose_bind(&yard);
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_bind(NULL, &good));
    RIG_REFUSES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_bind(yard.rig, NULL));
    NO_BIND(POISE_ERROR_INVALID_HANDLE, node, poise_null_node());
    NO_BIND(POISE_ERROR_INVALID_HANDLE, node, yard.foreign_node);
    NO_BIND(POISE_ERROR_ALREADY_BOUND, node, yard.nodes[0]);
    NO_BIND(POISE_ERROR_INVALID_ARGUMENT, joint, NULL);
    NO_BIND(POISE_ERROR_WRONG_KIND, joint, yard.fixed_joint);
    NO_BIND(POISE_ERROR_INVALID_ARGUMENT, joint, yard.open_joint);
    NO_BIND(POISE_ERROR_INVALID_ARGUMENT, body, NULL);
    NO_BIND(POISE_ERROR_INVALID_ARGUMENT, body, yard.bodies[2]); // not of that joint
    PoiseBindDef def = good;
    def.joint = yard.foreign_joint;
    def.body = yard.foreign_body;
    RIG_REFUSES(POISE_ERROR_FOREIGN_WORLD, poise_rig_bind(yard.rig, &def));
    def.joint = yard.joints[0];
    def.body = yard.bodies[1];
    RIG_REFUSES(POISE_ERROR_ALREADY_BOUND, poise_rig_bind(yard.rig, &def));
    def.joint = yard.joints[2]; // a ball for a hinge node
    def.body = yard.bodies[3];
    RIG_REFUSES(POISE_ERROR_WRONG_KIND, poise_rig_bind(yard.rig, &def));
    yard_finish(&yard);
}

Test(rig_refuses, a_node_destroyed_before_it_was_bound) {
    Yard yard;
    yard_init(&yard);
    GIVES(POISE_OK, poise_node_destroy(yard.tree, yard.loose_node));
    NO_BIND(POISE_ERROR_INVALID_HANDLE, node, yard.loose_node);
    yard_finish(&yard);
}

Test(rig_refuses, a_joint_that_another_rig_has) {
    Yard yard;
    yard_init(&yard);
    PoiseRigDef def = rig_def(&yard);
    def.tree = yard.other_tree;
    PoiseRig* other = poise_rig_create(&def);
    cr_assert_not_null(other);
    PoiseBindDef bind = poise_default_bind_def();
    bind.node = yard.foreign_node;
    bind.joint = yard.joints[0];
    bind.body = yard.bodies[1];
    GIVES(POISE_ERROR_ALREADY_BOUND, poise_rig_bind(other, &bind));
    poise_rig_destroy(other);
    yard_finish(&yard);
}

Test(rig_refuses, add_and_import) {
    Yard yard;
    yard_init(&yard);
    PoiseRig* rig = yard.rig;
    PoiseBindDef like = poise_default_bind_def();
    PoiseBindDef made_by_hand = like;
    made_by_hand.cookie = 0;
    const PoiseStatus argument = POISE_ERROR_INVALID_ARGUMENT;
    dJointID joint = yard.loose_joint;
    dBodyID body = yard.loose_body;
    cr_expect_eq(poise_rig_add(NULL, joint, body, &like).index1, 0u);
    RIG_MAKES_NOTHING(argument, poise_rig_add(rig, NULL, body, &like));
    RIG_MAKES_NOTHING(argument, poise_rig_add(rig, joint, NULL, &like));
    RIG_MAKES_NOTHING(argument, poise_rig_add(rig, joint, body, NULL));
    RIG_MAKES_NOTHING(argument, poise_rig_add(rig, joint, body, &made_by_hand));
    RIG_MAKES_NOTHING(argument, poise_rig_add(rig, joint, yard.bodies[3], &like));
    RIG_MAKES_NOTHING(POISE_ERROR_WRONG_KIND, poise_rig_add(rig, yard.fixed_joint, body, &like));
    RIG_MAKES_NOTHING(POISE_ERROR_FOREIGN_WORLD,
                      poise_rig_add(rig, yard.foreign_joint, yard.foreign_body, &like));
    RIG_MAKES_NOTHING(POISE_ERROR_ALREADY_BOUND,
                      poise_rig_add(rig, yard.joints[0], yard.bodies[1], &like));
    GIVES(argument, (PoiseStatus)poise_rig_import(NULL, yard.bodies[0], &like));
    RIG_REFUSES(argument, poise_rig_import(rig, NULL, &like));
    RIG_REFUSES(argument, poise_rig_import(rig, yard.bodies[0], NULL));
    RIG_REFUSES(argument, poise_rig_import(rig, yard.bodies[0], &made_by_hand));
    RIG_REFUSES(POISE_ERROR_FOREIGN_WORLD, poise_rig_import(rig, yard.foreign_body, &like));
    yard_finish(&yard);
}

Test(rig_refuses, settings) {
    Yard yard;
    yard_init(&yard);
    PoiseRig* rig = yard.rig;
    PoiseNodeId hinge = yard.nodes[0];
    PoiseNodeId ball = yard.nodes[2];
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
        RIG_REFUSES(argument, poise_rig_set_natural_angle(rig, hinge, bad_numbers[i]));
    }
    for (int i = 0; i <= BAD_NUMBERS; i++) {
        RIG_REFUSES(argument, poise_rig_set_natural_rotation(rig, ball, bad_quat(i)));
    }
    RIG_REFUSES(argument, poise_rig_set_torque_limit(rig, hinge, 0.0));
    RIG_REFUSES(argument, poise_rig_set_torque_limit(rig, hinge, -1.0));
    RIG_REFUSES(argument, poise_rig_set_torque_limit(rig, hinge, NOT_A_NUMBER));
    RIG_REFUSES(argument, poise_rig_set_reference(rig, (PoiseReference)5));
    PoiseSolveDef solve = poise_default_solve_def();
    solve.sweeps = 0;
    RIG_REFUSES(argument, poise_rig_set_solve(rig, &solve));
    RIG_REFUSES(argument, poise_rig_set_solve(rig, NULL));
    RIG_REFUSES(POISE_ERROR_WRONG_KIND, poise_rig_set_natural_angle(rig, ball, 0.5));
    RIG_REFUSES(POISE_ERROR_WRONG_KIND,
                poise_rig_set_natural_rotation(rig, hinge, poise_quat_identity()));
    const PoiseNodeId not_bound[] = {poise_null_node(), yard.loose_node, yard.foreign_node};
    for (int i = 0; i < 3; i++) {
        const PoiseStatus expected = POISE_ERROR_INVALID_HANDLE;
        PoiseNodeId node = not_bound[i];
        PoiseJointReading reading;
        RIG_REFUSES(expected, poise_rig_set_original(rig, node, good));
        RIG_REFUSES(expected, poise_rig_set_ik(rig, node, good));
        RIG_REFUSES(expected, poise_rig_set_natural_angle(rig, node, 0.5));
        RIG_REFUSES(expected, poise_rig_set_natural_rotation(rig, node, poise_quat_identity()));
        RIG_REFUSES(expected, poise_rig_set_torque_limit(rig, node, 10.0));
        cr_expect_lt((int)poise_rig_read_joint(rig, node, &reading), 0);
        if (node.index1 != 0) {
            RIG_REFUSES(expected, poise_rig_unbind(rig, node));
        }
    }
    yard_finish(&yard);
}

Test(rig_refuses, update) {
    Yard yard;
    yard_init(&yard);
    const double bad[] = {0.0, -0.01, NOT_A_NUMBER, HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < 5; i++) {
        RIG_REFUSES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_update(yard.rig, bad[i], NULL));
    }
    yard_finish(&yard);
}

Test(rig_refuses, null) {
    const PoiseStatus expected = POISE_ERROR_INVALID_ARGUMENT;
    PoiseNodeId node = poise_null_node();
    PoiseSpring spring = {100.0, 10.0};
    PoiseSolveDef solve = poise_default_solve_def();
    PoiseJointReading reading;
    double miss;
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
    GIVES(expected, poise_rig_set_natural_angle(NULL, node, 0.5));
    GIVES(expected, poise_rig_set_natural_rotation(NULL, node, poise_quat_identity()));
    GIVES(expected, poise_rig_set_torque_limit(NULL, node, 10.0));
    GIVES(expected, poise_rig_set_reference(NULL, POISE_REFERENCE_OWN));
    GIVES(expected, poise_rig_set_gravity(NULL, true));
    GIVES(expected, poise_rig_set_solve(NULL, &solve));
    GIVES(expected, poise_rig_update(NULL, 0.01, NULL));
    GIVES(expected, poise_rig_place_bodies(NULL));
    GIVES(expected, poise_rig_take_posture(NULL));
    GIVES(expected, poise_rig_read_joint(NULL, node, &reading));
    PoisePointReading pressed;
    GIVES(expected, poise_rig_read_point(NULL, poise_null_point(), &pressed));
    GIVES(expected, poise_rig_predicted_miss(NULL, poise_null_point(), &miss, NULL));
    PoiseForecast forecast;
    PoisePointReading pressing;
    GIVES(expected, poise_rig_forecast(NULL, poise_null_point(), &forecast));
    GIVES(expected, poise_rig_read_point(NULL, poise_null_point(), &pressing));
    PoiseSpringAdvice advice;
    GIVES(expected, poise_rig_advise(NULL, node, 0.01, &advice));
    cr_expect_str_eq(poise_spring_verdict_name(~0u), "too stiff");
}

Test(rig_refuses, bases_speeds_and_postures) {
    Yard yard;
    yard_init(&yard);
    PoiseRig* rig = yard.rig;
    const PoiseStatus argument = POISE_ERROR_INVALID_ARGUMENT;
    const PoiseBindDef like = poise_default_bind_def();
    PoiseBindDef made_by_hand = like;
    made_by_hand.cookie = 0;
    cr_expect_eq(poise_rig_add_base(NULL, yard.loose_body, &like).index1, 0u);
    RIG_MAKES_NOTHING(argument, poise_rig_add_base(rig, NULL, &like));
    RIG_MAKES_NOTHING(argument, poise_rig_add_base(rig, yard.loose_body, NULL));
    RIG_MAKES_NOTHING(argument, poise_rig_add_base(rig, yard.loose_body, &made_by_hand));
    RIG_MAKES_NOTHING(POISE_ERROR_FOREIGN_WORLD, poise_rig_add_base(rig, yard.foreign_body, &like));
    const double angle = 0.1;
    const PoiseSpring none = {0.0, 0.0};
    PoiseNodeId hinge = yard.nodes[0];
    RIG_REFUSES(argument, poise_rig_set_natural_posture(rig, hinge, NULL, 1));
    RIG_REFUSES(argument, poise_rig_set_natural_posture(rig, hinge, &angle, 0));
    RIG_REFUSES(argument, poise_rig_set_natural_posture(rig, hinge, &angle, 2));
    RIG_REFUSES(argument, poise_rig_set_speed_limit(rig, hinge, 0.0));
    RIG_REFUSES(argument, poise_rig_set_speed_limit(rig, hinge, -1.0));
    RIG_REFUSES(argument, poise_rig_set_speed_limit(rig, hinge, NOT_A_NUMBER));
    RIG_REFUSES(POISE_ERROR_WRONG_KIND, poise_rig_set_linear(rig, hinge, none, none));
    for (int i = 0; i < BAD_NUMBERS; i++) {
        RIG_REFUSES(argument, poise_rig_set_natural_posture(rig, hinge, &bad_numbers[i], 1));
    }
    const PoiseNodeId not_bound[] = {poise_null_node(), yard.loose_node, yard.foreign_node};
    for (int i = 0; i < 3; i++) {
        const PoiseStatus expected = POISE_ERROR_INVALID_HANDLE;
        RIG_REFUSES(expected, poise_rig_set_natural_posture(rig, not_bound[i], &angle, 1));
        RIG_REFUSES(expected, poise_rig_set_speed_limit(rig, not_bound[i], 1.0));
        RIG_REFUSES(expected, poise_rig_set_linear(rig, not_bound[i], none, none));
    }
    GIVES(argument, poise_rig_set_natural_posture(NULL, hinge, &angle, 1));
    GIVES(argument, poise_rig_set_speed_limit(NULL, hinge, 1.0));
    GIVES(argument, poise_rig_set_linear(NULL, hinge, none, none));
    yard_finish(&yard);
}

Test(rig_refuses, reading) {
    Yard yard;
    yard_init(&yard);
    double miss = 7.0;
    RIG_REFUSES(POISE_ERROR_INVALID_HANDLE,
                poise_rig_predicted_miss(yard.rig, poise_null_point(), &miss, NULL));
    PoiseForecast forecast;
    PoisePointReading pressing;
    RIG_REFUSES(POISE_ERROR_INVALID_HANDLE,
                poise_rig_forecast(yard.rig, poise_null_point(), &forecast));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_forecast(yard.rig, poise_null_point(), NULL));
    GIVES(POISE_ERROR_INVALID_HANDLE,
          poise_rig_read_point(yard.rig, poise_null_point(), &pressing));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_read_point(yard.rig, poise_null_point(), NULL));
    cr_expect_eq(miss, 7.0);
    cr_expect_lt((int)poise_rig_read_joint(yard.rig, yard.nodes[0], NULL), 0);
    cr_expect_eq(poise_rig_node_of_joint(yard.rig, NULL).index1, 0u);
    cr_expect_eq(poise_rig_node_of_joint(yard.rig, yard.loose_joint).index1, 0u);
    cr_expect_eq(poise_rig_node_of_body(yard.rig, NULL).index1, 0u);
    cr_expect_eq(poise_rig_node_of_body(yard.rig, yard.loose_body).index1, 0u);
    PoisePointReading reading;
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_read_point(NULL, yard.point, &reading));
    GIVES(POISE_ERROR_INVALID_ARGUMENT, poise_rig_read_point(yard.rig, yard.point, NULL));
    GIVES(POISE_ERROR_INVALID_HANDLE, poise_rig_read_point(yard.rig, poise_null_point(), &reading));
    const PoiseVec3 place = poise_vec3(1.0, 2.0, 3.0);
    cr_expect_eq(poise_length(poise_rig_place_in_link(NULL, yard.nodes[0], place)), 0.0);
    cr_expect_eq(poise_length(poise_rig_place_in_link(yard.rig, yard.loose_node, place)), 0.0);
    yard_finish(&yard);
}

Test(rig_refuses, what_the_user_destroys_meanwhile) {
    Yard yard;
    yard_init(&yard);
    GIVES(POISE_OK, poise_rig_update(yard.rig, 0.01, NULL));
    // one link: it is left alone from now on
    dBodyDestroy(yard.bodies[3]);
    PoiseRigReport report;
    PoiseStatus status = poise_rig_update(yard.rig, 0.01, &report);
    cr_expect_eq(status, POISE_DEGRADED, "%s", poise_status_name(status));
    cr_expect_eq(report.skipped, 1);
    dWorldStep(yard.world, 0.01);
    // a disabled and a kinematic one
    dBodyDisable(yard.bodies[1]);
    dBodySetKinematic(yard.bodies[2]);
    cr_expect_geq((int)poise_rig_update(yard.rig, 0.01, &report), 0);
    dWorldStep(yard.world, 0.01);
    // a node of the tree
    GIVES(POISE_OK, poise_node_destroy(yard.tree, yard.nodes[1]));
    (void)poise_rig_update(yard.rig, 0.01, &report);
    dWorldStep(yard.world, 0.01);
    yard_finish(&yard);
}

Test(rig_refuses, what_is_not_finite_stays_where_it_is) {
    Yard yard;
    yard_init(&yard);
    GIVES(POISE_OK, poise_register_chain(yard.tree, yard.point, poise_null_node()));
    GIVES(POISE_OK, poise_rig_update(yard.rig, 0.01, NULL));
    // written past ODE's own checks, as a simulation that blew up leaves it
    ((dReal*)dBodyGetPosition(yard.bodies[3]))[0] = (dReal)NAN;
    PoiseRigReport report;
    cr_expect_eq(poise_rig_update(yard.rig, 0.01, &report), POISE_DEGRADED);
    PoiseJointReading reading;
    GIVES(POISE_OK, poise_rig_read_joint(yard.rig, yard.nodes[0], &reading));
    cr_expect(isfinite(reading.target_angle) && isfinite(reading.angle));
    yard_finish(&yard);
}
