// SPDX-License-Identifier: MIT
#include "press_bench.h"

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

static void add_link(Mechanism* m, const PressDef* def, PoiseVec3 from, double heading) {
    const int i = m->body_count;
    const PoiseVec3 along = poise_vec3(cos(heading), sin(heading), 0.0);
    dBodyID before = i > 0 ? m->bodies[i - 1] : NULL;
    dBodyID body = mechanism_box(m, from, poise_vec3(1.0, 0.1, 0.1), 3.0 - 0.4 * i);
    body_put(body, poise_pose(poise_add_scaled(from, 0.5, along),
                              poise_quat_exp(poise_vec3(0.0, 0.0, heading))));
    const JointDef joint = {def->kind == POISE_NODE_BALL        ? dJointTypeBall
                            : def->kind == POISE_NODE_UNIVERSAL ? dJointTypeUniversal
                                                                : dJointTypeHinge,
                            body,
                            before,
                            from,
                            {{0.0, 0.0, 1.0}, along}};
    PoiseBindDef like = mechanism_springs(def->stiffness[i], def->damping[i]);
    like.original = (PoiseSpring){def->original[i], 0.0};
    like.natural[0] = def->natural[i];
    if (joint.type == dJointTypeBall) {
        set_natural_rotation(&like, poise_quat_exp(poise_vec3(0.0, 0.0, def->natural[i])));
    }
    m->joints[m->joint_count++] = joint_make(m->world, &joint);
    cr_assert_neq(poise_rig_add(m->rig, m->joints[i], body, &like).index1, 0u, "%s",
                  poise_rig_message(m->rig));
}

void press_ball(Mechanism* m, int link, double radius) {
    dGeomID ball = dCreateSphere(poise_world_space(m->own), radius);
    dGeomSetBody(ball, m->bodies[link]);
    dGeomSetOffsetPosition(ball, 0.5, 0.0, 0.0);
}

void press_open(Mechanism* m, const PressDef* def) {
    PoiseWorldDef world = poise_default_world_def();
    world.gravity = def->gravity;
    world.friction = def->friction;
    mechanism_open_world(m, &world, def->reference);
    m->space = NULL; // only the ball at the tip touches
    PoiseVec3 tip = poise_vec3(0.0, 0.0, 0.0);
    double heading = 0.0;
    for (int i = 0; i < def->links; i++) {
        heading += angles[i];
        add_link(m, def, tip, heading);
        tip = poise_add(tip, poise_vec3(cos(heading), sin(heading), 0.0));
    }
    m->point_body = m->bodies[def->links - 1];
    m->point_in_body = poise_vec3(0.5, 0.0, 0.0);
    m->point =
        mechanism_add_point(m, def->pose ? poise_default_pose_def() : poise_default_position_def(),
                            m->point_body, m->point_in_body);
    press_ball(m, def->links - 1, def->radius);
    dCreatePlane(poise_world_space(m->own), -1.0, 0.0, 0.0, -(tip.x + def->radius + def->gap));
    cr_assert_eq(poise_point_set_force(m->tree, m->point, def->force), POISE_OK);
}

PoiseVec3 press_end(const Mechanism* m, int link) {
    return body_point(m->bodies[link], poise_vec3(0.5, 0.0, 0.0));
}

PoiseVec3 press_on_wall(const Mechanism* m, int link) {
    PoiseVec3 force;
    cr_assert_eq(poise_world_contact_force(m->own, m->bodies[link], &force, NULL), POISE_OK);
    return poise_scale(-1.0, force);
}
