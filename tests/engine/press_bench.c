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
    const PoiseVec3 along = poise_vec3(cos(heading), sin(heading), 0.0);
    const PoiseVec3 at = poise_add_scaled(from, 0.5, along);
    dBodyID body = mechanism_box(&b->m, at, poise_vec3(1.0, 0.1, 0.1), 3.0 - 0.4 * i);
    dQuaternion turn;
    dQFromAxisAndAngle(turn, 0.0, 0.0, 1.0, heading);
    dBodySetQuaternion(body, turn);
    const JointDef joint = {def->kind == POISE_NODE_BALL        ? dJointTypeBall
                            : def->kind == POISE_NODE_UNIVERSAL ? dJointTypeUniversal
                                                                : dJointTypeHinge,
                            body,
                            i > 0 ? b->links[i - 1] : NULL,
                            from,
                            {{0.0, 0.0, 1.0}, along}};
    b->joints[i] = joint_make(b->m.world, &joint);
    PoiseBindDef like = poise_default_bind_def();
    like.ik = (PoiseSpring){def->stiffness[i], def->damping[i]};
    like.original = (PoiseSpring){def->original[i], 0.0};
    like.natural[0] = def->natural[i];
    if (joint.type == dJointTypeBall) {
        set_natural_rotation(&like, poise_quat_exp(poise_vec3(0.0, 0.0, def->natural[i])));
    }
    b->nodes[i] = poise_rig_add(b->rig, b->joints[i], body, &like);
    cr_assert_neq(b->nodes[i].index1, 0u, "%s", poise_rig_message(b->rig));
    b->links[i] = body;
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
    mechanism_open_world(&b->m, &world_def, def->reference);
    b->m.space = NULL; // only the ball at the tip touches
    b->world = b->m.own;
    b->tree = b->m.tree;
    b->rig = b->m.rig;
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
    mechanism_close(&b->m);
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
    return body_point(b->links[link], poise_vec3(0.5, 0.0, 0.0));
}

PoiseVec3 press_on_wall(const PressBench* b, int link) {
    PoiseVec3 force;
    cr_assert_eq(poise_world_contact_force(b->world, b->links[link], &force, NULL), POISE_OK);
    return poise_scale(-1.0, force);
}
