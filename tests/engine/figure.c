// SPDX-License-Identifier: MIT
#include "figure.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

FigureDef figure_def(void) {
    FigureDef def = {.gravity = {0.0, 0.0, -9.81},
                     .ground = true,
                     .points = true,
                     .reference = POISE_REFERENCE_OWN,
                     .friction = 0.8,
                     .stiffness = 3000.0};
    return def;
}

static dBodyID add_box(Figure* f, dSpaceID space, PoiseVec3 at, PoiseVec3 size, double mass) {
    dMass m;
    dMassSetBoxTotal(&m, mass, size.x, size.y, size.z);
    dBodyID body = dBodyCreate(poise_world_ode(f->world));
    dBodySetMass(body, &m);
    dBodySetPosition(body, at.x, at.y, at.z);
    dGeomSetBody(dCreateBox(space, size.x, size.y, size.z), body);
    f->bodies[f->body_count++] = body;
    f->mass += mass;
    return body;
}

static void join_ball(Figure* f, dBodyID parent, dBodyID child, PoiseVec3 at) {
    dJointID joint = dJointCreateBall(poise_world_ode(f->world), NULL);
    dJointAttach(joint, parent, child);
    dJointSetBallAnchor(joint, at.x, at.y, at.z);
    f->joints[f->joint_count++] = joint;
}

// Joins a hinge that bends by 2.4 rad to one side and by 0.05 rad to the other.
static void join_hinge(Figure* f, dBodyID parent, dBodyID child, PoiseVec3 at, bool back) {
    dJointID joint = dJointCreateHinge(poise_world_ode(f->world), NULL);
    dJointAttach(joint, child, parent);
    dJointSetHingeAnchor(joint, at.x, at.y, at.z);
    dJointSetHingeAxis(joint, 0.0, 1.0, 0.0);
    dJointSetHingeParam(joint, dParamLoStop, back ? -0.05 : -2.4);
    dJointSetHingeParam(joint, dParamHiStop, back ? 2.4 : 0.05);
    f->joints[f->joint_count++] = joint;
}

static void ignore_message(int number, const char* message, va_list arguments) {
    (void)number, (void)message, (void)arguments;
}

static void join_universal(Figure* f, dBodyID parent, dBodyID child, PoiseVec3 at) {
    dMessageFunction* before = dGetMessageHandler();
    dSetMessageHandler(ignore_message);
    dJointID joint = dJointCreateUniversal(poise_world_ode(f->world), NULL);
    dJointAttach(joint, parent, child);
    dJointSetUniversalAnchor(joint, at.x, at.y, at.z);
    dJointSetUniversalAxis1(joint, 0.0, 1.0, 0.0);
    dJointSetUniversalAxis2(joint, 1.0, 0.0, 0.0);
    dSetMessageHandler(before);
    f->joints[f->joint_count++] = joint;
}

static PoiseVec3 v(double x, double y, double z) {
    return poise_vec3(x, y, z);
}

static void add_trunk(Figure* f, dSpaceID space) {
    f->pelvis = add_box(f, space, v(0.0, 0.0, 0.96), v(0.16, 0.28, 0.16), 9.0);
    f->waist = add_box(f, space, v(0.0, 0.0, 1.12), v(0.15, 0.24, 0.14), 7.0);
    f->chest = add_box(f, space, v(0.0, 0.0, 1.33), v(0.18, 0.30, 0.26), 14.0);
    f->head = add_box(f, space, v(0.01, 0.0, 1.60), v(0.18, 0.16, 0.22), 4.5);
    join_ball(f, f->pelvis, f->waist, v(0.0, 0.0, 1.05));
    join_ball(f, f->waist, f->chest, v(0.0, 0.0, 1.20));
    join_ball(f, f->chest, f->head, v(0.0, 0.0, 1.48));
}

static void add_side(Figure* f, dSpaceID space, int side) {
    const double y = side == LEFT ? 1.0 : -1.0;
    f->thighs[side] = add_box(f, space, v(0.0, 0.1 * y, 0.70), v(0.13, 0.13, 0.36), 7.5);
    f->shins[side] = add_box(f, space, v(0.0, 0.1 * y, 0.29), v(0.10, 0.10, 0.36), 3.2);
    f->feet[side] = add_box(f, space, v(0.04, 0.1 * y, 0.041), v(0.26, 0.10, 0.08), 1.1);
    join_ball(f, f->pelvis, f->thighs[side], v(0.0, 0.1 * y, 0.90));
    join_hinge(f, f->thighs[side], f->shins[side], v(0.0, 0.1 * y, 0.50), true);
    join_universal(f, f->shins[side], f->feet[side], v(0.0, 0.1 * y, 0.09));
    f->uppers[side] = add_box(f, space, v(0.0, 0.21 * y, 1.28), v(0.09, 0.09, 0.28), 2.0);
    f->forearms[side] = add_box(f, space, v(0.0, 0.21 * y, 1.01), v(0.08, 0.08, 0.24), 1.3);
    f->hands[side] = add_box(f, space, v(0.0, 0.21 * y, 0.82), v(0.04, 0.09, 0.16), 0.5);
    join_ball(f, f->chest, f->uppers[side], v(0.0, 0.21 * y, 1.40));
    join_hinge(f, f->uppers[side], f->forearms[side], v(0.0, 0.21 * y, 1.14), false);
    join_universal(f, f->forearms[side], f->hands[side], v(0.0, 0.21 * y, 0.90));
}

static void set_spring(Figure* f, dBodyID body, double stiffness) {
    // about critical for the inertia of the joints
    PoiseSpring spring = {stiffness, 0.05 * stiffness};
    cr_assert_eq(poise_rig_set_ik(f->rig, poise_rig_node_of_body(f->rig, body), spring), POISE_OK);
}

static void add_rig(Figure* f, const FigureDef* def) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.host = test_host(&f->host);
    f->tree = poise_tree_create(&tree_def);
    PoiseRigDef rig_def = poise_default_rig_def();
    rig_def.tree = f->tree;
    rig_def.world = poise_world_ode(f->world);
    rig_def.settings.reference = def->reference;
    rig_def.host = test_host(&f->host);
    f->rig = poise_rig_create(&rig_def);
    PoiseBindDef like = poise_default_bind_def();
    like.ik = (PoiseSpring){0.0, 0.0};
    f->base = poise_rig_add_base(f->rig, f->pelvis, &like);
    cr_assert_neq(f->base.index1, 0, "%s", poise_rig_message(f->rig));
    like.ik = (PoiseSpring){def->stiffness, 0.05 * def->stiffness};
    cr_assert_eq(poise_rig_import(f->rig, f->pelvis, &like), FIGURE_JOINTS, "%s",
                 poise_rig_message(f->rig));
    for (int side = 0; side < 2; side++) {
        set_spring(f, f->uppers[side], 0.1 * def->stiffness);
        set_spring(f, f->forearms[side], 0.1 * def->stiffness);
        set_spring(f, f->hands[side], 0.02 * def->stiffness);
    }
    set_spring(f, f->head, 0.05 * def->stiffness);
}

static PoisePointId add_point(Figure* f, PoisePointDef def, dBodyID body, PoiseVec3 in_body) {
    def.link = poise_rig_node_of_body(f->rig, body);
    def.in_link.p = in_body;
    PoisePointId point = poise_point_create(f->tree, &def);
    cr_assert_eq(poise_register_chain(f->tree, point, poise_null_node()), POISE_OK, "%s",
                 poise_tree_message(f->tree));
    return point;
}

static void add_points(Figure* f, const FigureDef* def) {
    PoiseStanceDef stance = poise_default_stance_def();
    stance.sole = 0.1;
    stance.half_length = 0.13;
    stance.half_width = 0.05;
    stance.friction = def->friction;
    for (int side = 0; side < 2; side++) {
        PoisePointDef foot = poise_default_pose_def();
        foot.weight = 10.0;
        f->foot_points[side] = add_point(f, foot, f->feet[side], v(0.0, 0.0, -0.04));
        stance.point = f->foot_points[side];
        cr_assert_eq(poise_rig_add_stance(f->rig, &stance), POISE_OK, "%s",
                     poise_rig_message(f->rig));
    }
    PoisePointDef com = poise_default_com_def();
    com.link = f->base;
    com.rows = POISE_ROW_X | POISE_ROW_Y;
    com.has_goal = true;
    com.goal.p = v(0.04, 0.0, 0.9);
    com.weight = 4.0;
    f->balance = poise_point_create(f->tree, &com);
    cr_assert_eq(poise_register_all(f->tree, f->balance), POISE_OK, "%s",
                 poise_tree_message(f->tree));
    cr_assert_eq(poise_rig_set_balance(f->rig, f->balance), POISE_OK);
    for (int side = 0; side < 2; side++) {
        PoisePointDef hand = poise_default_position_def();
        hand.max_speed = 1.0;
        f->hand_points[side] = add_point(f, hand, f->hands[side], v(0.0, 0.0, -0.04));
    }
}

void figure_open(Figure* f, FigureDef def) {
    memset(f, 0, sizeof *f);
    PoiseWorldDef world_def = poise_default_world_def();
    world_def.gravity = def.gravity;
    world_def.friction = def.friction;
    world_def.quick_iterations = def.quick_iterations;
    f->world = poise_world_create(&world_def);
    cr_assert_not_null(f->world);
    if (def.ground) {
        cr_assert_not_null(poise_world_add_ground(f->world, 0.0));
    }
    dSpaceID space = poise_world_add_group(f->world);
    add_trunk(f, space);
    add_side(f, space, LEFT);
    add_side(f, space, RIGHT);
    cr_assert_eq(f->body_count, FIGURE_BODIES);
    add_rig(f, &def);
    if (def.points) {
        add_points(f, &def);
    }
    cr_assert_eq(poise_rig_status(f->rig), POISE_OK, "%s", poise_rig_message(f->rig));
}

void figure_close(Figure* f) {
    poise_rig_destroy(f->rig);
    poise_tree_destroy(f->tree);
    poise_world_destroy(f->world);
    cr_expect_eq(f->host.live_blocks, 0, "%ld blocks leaked", f->host.live_blocks);
}

void figure_step(Figure* f, double dt) {
    cr_assert_eq(poise_rig_update(f->rig, dt, NULL), POISE_OK, "%s", poise_rig_message(f->rig));
    cr_assert_eq(poise_world_step(f->world, dt), POISE_OK);
}

static PoiseVec3 place_of(dBodyID body, PoiseVec3 in_body) {
    dVector3 p;
    dBodyGetRelPointPos(body, in_body.x, in_body.y, in_body.z, p);
    return v(p[0], p[1], p[2]);
}

void figure_run(Figure* figure, double seconds) {
    for (int i = 0; i < (int)(seconds / FIGURE_STEP + 0.5); i++) {
        figure_step(figure, FIGURE_STEP);
    }
}

PoiseVec3 figure_hand(const Figure* f, int side) {
    return place_of(f->hands[side], v(0.0, 0.0, -0.04));
}

PoiseVec3 figure_com(const Figure* f) {
    PoiseVec3 sum = v(0.0, 0.0, 0.0);
    for (int i = 0; i < f->body_count; i++) {
        dMass mass;
        dBodyGetMass(f->bodies[i], &mass);
        sum = poise_add_scaled(sum, mass.mass / f->mass, place_of(f->bodies[i], v(0, 0, 0)));
    }
    return sum;
}

typedef struct Sum {
    PoiseVec3 force;
    PoiseVec3 moment;
    double largest;
} Sum;

static void add_part(Sum* sum, dBodyID body, const dReal* force, const dReal* torque) {
    if (!body) {
        return;
    }
    const PoiseVec3 push = v(force[0], force[1], force[2]);
    const PoiseVec3 turn = v(torque[0], torque[1], torque[2]);
    const PoiseVec3 moment = poise_cross(place_of(body, v(0, 0, 0)), push);
    sum->force = poise_add(sum->force, push);
    sum->moment = poise_add(sum->moment, poise_add(turn, moment));
    sum->largest = fmax(sum->largest, fmax(poise_length(push), poise_length(turn)));
}

void figure_motor_sum(const Figure* figure, PoiseVec3* force, PoiseVec3* moment, double* largest) {
    Sum sum = {.largest = 0.0};
    for (int i = 0; i < figure->body_count; i++) {
        dBodyID body = figure->bodies[i];
        for (int j = 0; j < dBodyGetNumJoints(body); j++) {
            dJointID joint = dBodyGetJoint(body, j);
            dJointType type = dJointGetType(joint);
            const dJointFeedback* given = dJointGetFeedback(joint);
            // count each joint once, at its first body
            if ((type != dJointTypeAMotor && type != dJointTypeLMotor) || !given ||
                dJointGetBody(joint, 0) != body) {
                continue;
            }
            add_part(&sum, body, given->f1, given->t1);
            add_part(&sum, dJointGetBody(joint, 1), given->f2, given->t2);
        }
    }
    *force = sum.force;
    *moment = sum.moment;
    *largest = sum.largest;
}
