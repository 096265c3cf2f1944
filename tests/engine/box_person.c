// SPDX-License-Identifier: MIT
#include "box_person.h"

#include <criterion/criterion.h>
#include <math.h>
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

// A box of the figure, and the joint at `from` that carries it on the box `parent`. The parts of
// limbs are those of the left side.
typedef struct Part {
    int parent;
    PoiseVec3 at; ///< centre of the box, m
    PoiseVec3 size;
    double mass; ///< mass of the box, kg
    dJointType joint;
    PoiseVec3 from;
    bool back; ///< True for a hinge that bends backwards
} Part;

// clang-format off
static const Part trunk[] = {
    {-1, {0.0, 0.0, 0.96}, {0.16, 0.28, 0.16}, 9.0, dJointTypeNone, {0.0, 0.0, 0.0}, false},
    {0, {0.0, 0.0, 1.12}, {0.15, 0.24, 0.14}, 7.0, dJointTypeBall, {0.0, 0.0, 1.05}, false},
    {1, {0.0, 0.0, 1.33}, {0.18, 0.30, 0.26}, 14.0, dJointTypeBall, {0.0, 0.0, 1.20}, false},
    {2, {0.01, 0.0, 1.60}, {0.18, 0.16, 0.22}, 4.5, dJointTypeBall, {0.0, 0.0, 1.48}, false},
};
enum { TRUNK = sizeof trunk / sizeof trunk[0] };

// The limbs of the left side: thigh, shin, foot, upper arm, forearm, hand. A parent below 0 is a part
// of the trunk.
static const Part limbs[] = {
    {-4, {0.0, 0.1, 0.70}, {0.13, 0.13, 0.36}, 7.5, dJointTypeBall, {0.0, 0.1, 0.90}, false},
    {0, {0.0, 0.1, 0.29}, {0.10, 0.10, 0.36}, 3.2, dJointTypeHinge, {0.0, 0.1, 0.50}, true},
    {1, {0.04, 0.1, 0.041}, {0.26, 0.10, 0.08}, 1.1, dJointTypeUniversal, {0.0, 0.1, 0.09}, false},
    {-2, {0.0, 0.21, 1.28}, {0.09, 0.09, 0.28}, 2.0, dJointTypeBall, {0.0, 0.21, 1.40}, false},
    {3, {0.0, 0.21, 1.01}, {0.08, 0.08, 0.24}, 1.3, dJointTypeHinge, {0.0, 0.21, 1.14}, false},
    {4, {0.0, 0.21, 0.82}, {0.04, 0.09, 0.16}, 0.5, dJointTypeUniversal, {0.0, 0.21, 0.90}, false},
};
enum { LIMBS = sizeof limbs / sizeof limbs[0] };
// clang-format on

static PoiseVec3 v(double x, double y, double z) {
    return poise_vec3(x, y, z);
}

// Adds a part and its joint, mirrored if `y` is -1.
static dBodyID add_part_of(Figure* f, const Part* part, dBodyID parent, double y) {
    const PoiseVec3 at = v(part->at.x, y * part->at.y, part->at.z);
    dBodyID body = mechanism_box(&f->m, at, part->size, part->mass);
    f->mass += part->mass;
    if (part->joint == dJointTypeNone) {
        return body;
    }
    // hinges are attached as (child, parent), other joints as (parent, child)
    const bool hinge = part->joint == dJointTypeHinge;
    const JointDef def = {part->joint,
                          hinge ? body : parent,
                          hinge ? parent : body,
                          v(part->from.x, y * part->from.y, part->from.z),
                          {v(0.0, 1.0, 0.0), v(1.0, 0.0, 0.0)}};
    dJointID joint = joint_make(f->m.world, &def);
    f->m.joints[f->m.joint_count++] = joint;
    if (hinge) {
        joint_set_stops(joint, part->back ? -0.05 : -2.4, part->back ? 2.4 : 0.05);
    }
    return body;
}

static void add_bodies(Figure* f) {
    dBodyID* const named[TRUNK] = {&f->pelvis, &f->waist, &f->chest, &f->head};
    for (int i = 0; i < TRUNK; i++) {
        *named[i] = add_part_of(f, &trunk[i], i > 0 ? *named[i - 1] : NULL, 1.0);
    }
    for (int side = 0; side < 2; side++) {
        dBodyID* const limb[LIMBS] = {&f->thighs[side], &f->shins[side],    &f->feet[side],
                                      &f->uppers[side], &f->forearms[side], &f->hands[side]};
        for (int i = 0; i < LIMBS; i++) {
            const int parent = limbs[i].parent;
            *limb[i] =
                add_part_of(f, &limbs[i], parent < 0 ? *named[TRUNK + parent] : *limb[parent],
                            side == LEFT ? 1.0 : -1.0);
        }
    }
    cr_assert_eq(f->m.body_count, FIGURE_BODIES);
}

static void set_spring(Figure* f, dBodyID body, double stiffness) {
    // about critical for the inertia of the joints
    PoiseSpring spring = {stiffness, 0.05 * stiffness};
    cr_assert_eq(poise_rig_set_ik(f->m.rig, poise_rig_node_of_body(f->m.rig, body), spring),
                 POISE_OK);
}

static void bind_bodies(Figure* f, const FigureDef* def) {
    PoiseBindDef like = poise_default_bind_def();
    like.ik = (PoiseSpring){0.0, 0.0};
    f->base = poise_rig_add_base(f->m.rig, f->pelvis, &like);
    cr_assert_neq(f->base.index1, 0, "%s", poise_rig_message(f->m.rig));
    like.ik = (PoiseSpring){def->stiffness, 0.05 * def->stiffness};
    cr_assert_eq(poise_rig_import(f->m.rig, f->pelvis, &like), FIGURE_JOINTS, "%s",
                 poise_rig_message(f->m.rig));
    for (int side = 0; side < 2; side++) {
        set_spring(f, f->uppers[side], 0.1 * def->stiffness);
        set_spring(f, f->forearms[side], 0.1 * def->stiffness);
        set_spring(f, f->hands[side], 0.02 * def->stiffness);
    }
    set_spring(f, f->head, 0.05 * def->stiffness);
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
        f->foot_points[side] = mechanism_add_point(&f->m, foot, f->feet[side], v(0.0, 0.0, -0.04));
        stance.point = f->foot_points[side];
        cr_assert_eq(poise_rig_add_stance(f->m.rig, &stance), POISE_OK, "%s",
                     poise_rig_message(f->m.rig));
    }
    PoisePointDef com = poise_default_com_def();
    com.link = f->base;
    com.rows = POISE_ROW_X | POISE_ROW_Y;
    com.has_goal = true;
    com.goal.p = v(0.04, 0.0, 0.9);
    com.weight = 4.0;
    f->balance = poise_point_create(f->m.tree, &com);
    cr_assert_eq(poise_register_all(f->m.tree, f->balance), POISE_OK, "%s",
                 poise_tree_message(f->m.tree));
    cr_assert_eq(poise_rig_set_balance(f->m.rig, f->balance), POISE_OK);
    for (int side = 0; side < 2; side++) {
        PoisePointDef hand = poise_default_position_def();
        hand.max_speed = 1.0;
        f->hand_points[side] = mechanism_add_point(&f->m, hand, f->hands[side], v(0.0, 0.0, -0.04));
    }
}

void figure_open(Figure* f, FigureDef def) {
    memset(f, 0, sizeof *f);
    PoiseWorldDef world_def = poise_default_world_def();
    world_def.gravity = def.gravity;
    world_def.friction = def.friction;
    world_def.quick_iterations = def.quick_iterations;
    mechanism_open_world(&f->m, &world_def, def.reference);
    if (def.ground) {
        cr_assert_not_null(poise_world_add_ground(f->m.own, 0.0));
    }
    add_bodies(f);
    bind_bodies(f, &def);
    if (def.points) {
        add_points(f, &def);
    }
    cr_assert_eq(poise_rig_status(f->m.rig), POISE_OK, "%s", poise_rig_message(f->m.rig));
}

void figure_close(Figure* f) {
    mechanism_close(&f->m);
}

void figure_step(Figure* f, double dt) {
    (void)mechanism_step(&f->m, dt);
}

void figure_run(Figure* figure, double seconds) {
    for (int i = 0; i < (int)(seconds / FIGURE_STEP + 0.5); i++) {
        figure_step(figure, FIGURE_STEP);
    }
}

PoiseVec3 figure_hand(const Figure* f, int side) {
    return body_point(f->hands[side], v(0.0, 0.0, -0.04));
}

PoiseVec3 figure_com(const Figure* f) {
    PoiseVec3 sum = v(0.0, 0.0, 0.0);
    for (int i = 0; i < f->m.body_count; i++) {
        dMass mass;
        dBodyGetMass(f->m.bodies[i], &mass);
        sum = poise_add_scaled(sum, mass.mass / f->mass, body_point(f->m.bodies[i], v(0, 0, 0)));
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
    const PoiseVec3 moment = poise_cross(body_point(body, v(0, 0, 0)), push);
    sum->force = poise_add(sum->force, push);
    sum->moment = poise_add(sum->moment, poise_add(turn, moment));
    sum->largest = fmax(sum->largest, fmax(poise_length(push), poise_length(turn)));
}

void figure_motor_sum(const Figure* figure, PoiseVec3* force, PoiseVec3* moment, double* largest) {
    Sum sum = {.largest = 0.0};
    for (int i = 0; i < figure->m.body_count; i++) {
        dBodyID body = figure->m.bodies[i];
        for (int j = 0; j < dBodyGetNumJoints(body); j++) {
            dJointID joint = dBodyGetJoint(body, j);
            dJointType type = dJointGetType(joint);
            const dJointFeedback* given = dJointGetFeedback(joint);
            // each joint is added once, at its first body
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
