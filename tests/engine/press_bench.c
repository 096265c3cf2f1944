// SPDX-License-Identifier: MIT
#include "press_bench.h"

static const double STEP = 0.01;

static const double angles[PRESS_LINKS] = {0.3, 0.7, 0.5, -1.2, 0.8, 0.4};

PressDef press_def(PoiseReference reference) {
    PressDef def = {.links = 3,
                    .kind = POISE_NODE_HINGE,
                    .reference = reference,
                    .radius = 0.05,
                    .gravity = {0.0, -9.81, 0.0},
                    .force = {20.0, 0.0, 0.0}};
    for (int i = 0; i < PRESS_LINKS; i++) {
        def.stiffness[i] = 2000.0;
        def.damping[i] = 200.0;
    }
    return def;
}

static void press_add_link(PressBench* b, const PressDef* def, int i, PoiseVec3 from,
                           double heading) {
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

PoisePointId press_add_point(PressBench* b, PoisePointDef def, PoiseNodeId link,
                             PoiseVec3 in_link) {
    def.link = link;
    def.in_link.p = in_link;
    PoisePointId point = poise_point_create(b->tree, &def);
    cr_assert_eq(poise_register_chain(b->tree, point, poise_null_node()), POISE_OK);
    return point;
}

void press_open(PressBench* b, const PressDef* def) {
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
        press_add_link(b, def, i, b->tip, heading);
        b->tip = poise_add(b->tip, poise_vec3(cos(heading), sin(heading), 0.0));
    }
    dJointSetFeedback(b->joints[0], &b->base);
    PoisePointDef point = def->pose ? poise_default_pose_def() : poise_default_position_def();
    b->point = press_add_point(b, point, b->nodes[def->links - 1], poise_vec3(0.5, 0.0, 0.0));
    dSpaceID space = poise_world_space(b->world);
    dGeomID ball = dCreateSphere(space, def->radius);
    dGeomSetBody(ball, b->links[def->links - 1]);
    dGeomSetOffsetPosition(ball, 0.5, 0.0, 0.0);
    dCreatePlane(space, -1.0, 0.0, 0.0, -(b->tip.x + def->radius + def->gap));
    cr_assert_eq(poise_point_set_force(b->tree, b->point, def->force), POISE_OK);
}

void press_close(PressBench* b) {
    poise_rig_destroy(b->rig);
    poise_tree_destroy(b->tree);
    poise_world_destroy(b->world);
}

PoiseRigReport press_run(PressBench* b, int steps) {
    PoiseRigReport report = {0};
    for (int i = 0; i < steps; i++) {
        cr_assert_geq((int)poise_rig_update(b->rig, STEP, &report), 0, "step %d: %s", i,
                      poise_rig_message(b->rig));
        cr_assert_eq(poise_world_step(b->world, STEP), POISE_OK, "step %d", i);
    }
    return report;
}

PoiseVec3 press_tip(const PressBench* b, int link) {
    dVector3 p;
    dBodyGetRelPointPos(b->links[link], 0.5, 0.0, 0.0, p);
    return poise_vec3(p[0], p[1], p[2]);
}

PoiseVec3 press_on_wall(const PressBench* b, int link) {
    PoiseVec3 force;
    cr_assert_eq(poise_world_contact_force(b->world, b->links[link], &force, NULL), POISE_OK);
    return poise_scale(-1.0, force);
}
