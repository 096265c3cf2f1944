// SPDX-License-Identifier: MIT
#include "mechanism.h"

#include <criterion/criterion.h>
#include <string.h>

#include "poise/world.h"

void mechanism_open(Mechanism* m, PoiseVec3 gravity, PoiseReference reference) {
    memset(m, 0, sizeof *m);
    dInitODE2(0);
    m->world = dWorldCreate();
    dWorldSetGravity(m->world, gravity.x, gravity.y, gravity.z);
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.host = test_host(&m->host);
    m->tree = poise_tree_create(&tree_def);
    PoiseRigDef def = poise_default_rig_def();
    def.tree = m->tree;
    def.world = m->world;
    def.settings.reference = reference;
    def.host = test_host(&m->host);
    m->rig = poise_rig_create(&def);
    cr_assert_not_null(m->rig, "%s", m->host.last_message);
}

void mechanism_solve_exactly(Mechanism* m) {
    RIG_SET(m->rig, solve.damping, 1e-9);
    RIG_SET(m->rig, solve.damping_floor, 0.0);
    RIG_SET(m->rig, solve.adaptive, false);
}

void mechanism_close(Mechanism* m) {
    poise_rig_destroy(m->rig);
    poise_tree_destroy(m->tree);
    dWorldDestroy(m->world);
    dCloseODE();
    cr_expect_eq(m->host.live_blocks, 0, "%ld blocks leaked", m->host.live_blocks);
}

dBodyID mechanism_box(Mechanism* m, PoiseVec3 at, PoiseVec3 size, double mass) {
    cr_assert_lt(m->body_count, MECHANISM_BODIES);
    dMass box;
    dMassSetBoxTotal(&box, mass, size.x, size.y, size.z);
    dBodyID body = dBodyCreate(m->world);
    dBodySetMass(body, &box);
    dBodySetPosition(body, at.x, at.y, at.z);
    m->bodies[m->body_count++] = body;
    return body;
}

dBodyID mechanism_brick(Mechanism* m, PoiseVec3 at) {
    return mechanism_box(m, at, poise_vec3(0.2, 0.3, 0.4), 2.0);
}

dJointID mechanism_join(Mechanism* m, PoiseNodeKind kind, dBodyID first, dBodyID second, Pivot at) {
    cr_assert_lt(m->joint_count, MECHANISM_BODIES);
    dJointID joint;
    if (kind == POISE_NODE_HINGE) {
        joint = dJointCreateHinge(m->world, NULL);
        dJointAttach(joint, first, second);
        dJointSetHingeAnchor(joint, at.anchor.x, at.anchor.y, at.anchor.z);
        dJointSetHingeAxis(joint, at.axis.x, at.axis.y, at.axis.z);
    } else if (kind == POISE_NODE_SLIDER) {
        joint = dJointCreateSlider(m->world, NULL);
        dJointAttach(joint, first, second);
        dJointSetSliderAxis(joint, at.axis.x, at.axis.y, at.axis.z);
    } else {
        joint = dJointCreateBall(m->world, NULL);
        dJointAttach(joint, first, second);
        dJointSetBallAnchor(joint, at.anchor.x, at.anchor.y, at.anchor.z);
    }
    m->joints[m->joint_count++] = joint;
    return joint;
}

dJointID mechanism_weld(Mechanism* m, dBodyID first, dBodyID second) {
    dJointID joint = dJointCreateFixed(m->world, NULL);
    dJointAttach(joint, first, second);
    dJointSetFixed(joint);
    return joint;
}

PoiseBindDef mechanism_springs(double stiffness, double damping) {
    PoiseBindDef def = poise_default_bind_def();
    def.ik.stiffness = stiffness;
    def.ik.damping = damping;
    return def;
}

PoisePointId mechanism_point(Mechanism* m, PoiseNodeId link, dBodyID body, PoiseVec3 place) {
    PoisePointDef def = poise_default_position_def();
    def.link = link;
    def.in_link.p = poise_rig_place_in_link(m->rig, link, place);
    def.has_goal = true;
    def.goal.p = place;
    m->point = poise_point_create(m->tree, &def);
    cr_assert_eq(poise_register_chain(m->tree, m->point, poise_null_node()), POISE_OK, "%s",
                 poise_tree_message(m->tree));
    m->point_body = body;
    m->point_in_body = poise_quat_unrotate(body_turn(body), poise_sub(place, body_place(body)));
    return m->point;
}

void mechanism_goal(Mechanism* m, PoiseVec3 goal) {
    cr_assert_eq(poise_point_set_position(m->tree, m->point, goal), POISE_OK);
}

PoiseForecast foresee(PoiseRig* rig, PoisePointId point, double dt) {
    PoiseForecast forecast;
    const PoiseForecastDef def = {
        .points = &point, .count = 1, .step = dt, .seconds = 300.0, .budget = 1e3};
    cr_assert_eq(poise_rig_forecast(rig, &def, &forecast), POISE_OK, "%s", poise_rig_message(rig));
    return forecast;
}

PoiseForecast mechanism_foresee(const Mechanism* m, double dt) {
    return foresee(m->rig, m->point, dt);
}

PoiseRigReport mechanism_step(Mechanism* m, double dt) {
    PoiseRigReport report;
    PoiseStatus status = poise_rig_update(m->rig, dt, &report);
    cr_assert_eq(status, POISE_OK, "step %ld: %s: %s", m->steps, poise_status_name(status),
                 poise_rig_message(m->rig));
    dWorldStep(m->world, dt);
    m->steps++;
    return report;
}

void mechanism_run(Mechanism* m, double dt, int steps) {
    for (int i = 0; i < steps; i++) {
        mechanism_step(m, dt);
    }
}

PoiseVec3 body_place(dBodyID body) {
    const dReal* p = dBodyGetPosition(body);
    return poise_vec3(p[0], p[1], p[2]);
}

PoiseQuat body_turn(dBodyID body) {
    const dReal* q = dBodyGetQuaternion(body);
    return poise_quat(q[0], q[1], q[2], q[3]);
}

PoiseVec3 mechanism_tip(const Mechanism* m) {
    return poise_add(body_place(m->point_body),
                     poise_quat_rotate(body_turn(m->point_body), m->point_in_body));
}

double mechanism_error(const Mechanism* m) {
    return poise_length(poise_sub(mechanism_tip(m), poise_point_goal(m->tree, m->point).p));
}

double mechanism_kinetic_energy(const Mechanism* m) {
    double energy = 0.0;
    for (int i = 0; i < m->body_count; i++) {
        dMass mass;
        dBodyGetMass(m->bodies[i], &mass);
        const dReal* v = dBodyGetLinearVel(m->bodies[i]);
        const dReal* w = dBodyGetAngularVel(m->bodies[i]);
        PoiseVec3 spin = poise_quat_unrotate(body_turn(m->bodies[i]), poise_vec3(w[0], w[1], w[2]));
        energy += 0.5 * mass.mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        // boxes: the body's axes are the principal ones
        energy += 0.5 * (mass.I[0] * spin.x * spin.x + mass.I[5] * spin.y * spin.y +
                         mass.I[10] * spin.z * spin.z);
    }
    return energy;
}

uint64_t mechanism_hash(const Mechanism* m) {
    return poise_state_hash(m->bodies, (size_t)m->body_count);
}

ChainDef chain_def(PoiseNodeKind kind, int count, double stiffness, double damping) {
    ChainDef def = {kind,
                    count,
                    1.0,
                    1.0,
                    {0.0, 0.0, 0.0},
                    POISE_REFERENCE_OWN,
                    mechanism_springs(stiffness, damping)};
    return def;
}

double chain_length(const ChainDef* def) {
    return (0.1 + def->count) * def->scale;
}

void chain_open(Mechanism* m, const ChainDef* def) {
    mechanism_open(m, def->gravity, def->reference);
    chain_build(m, def);
}

void chain_build(Mechanism* m, const ChainDef* def) {
    const double s = def->scale;
    const PoiseVec3 size = poise_vec3(0.2 * s, s, 0.2 * s);
    const PoiseVec3 axis = poise_vec3(0.0, 0.0, 1.0);
    dBodyID before = NULL;
    for (int i = 0; i < def->count; i++) {
        double y = (0.1 + i) * s;
        dBodyID body = mechanism_box(m, poise_vec3(0.0, y + 0.5 * s, 0.0), size, def->mass);
        mechanism_join(m, def->kind, body, before, pivot(poise_vec3(0.0, y, 0.0), axis));
        before = body;
    }
    int made = poise_rig_import(m->rig, m->bodies[0], &def->like);
    cr_assert_eq(made, def->count, "%s", poise_rig_message(m->rig));
    mechanism_point(m, poise_rig_node_of_body(m->rig, before), before,
                    poise_vec3(0.0, chain_length(def), 0.0));
}

PoiseNodeId mechanism_bar(Mechanism* m, PoiseReference reference, const PoiseBindDef* like) {
    mechanism_open(m, poise_vec3(0.0, 0.0, 0.0), reference);
    dBodyID bar = mechanism_box(m, poise_vec3(0.5, 0.0, 0.0), poise_vec3(1.0, 0.1, 0.1), 1.0);
    dJointID joint = mechanism_join(m, POISE_NODE_HINGE, bar, NULL,
                                    pivot(poise_vec3(0.0, 0.0, 0.0), poise_vec3(0.0, 0.0, 1.0)));
    PoiseNodeId node = poise_rig_add(m->rig, joint, bar, like);
    mechanism_point(m, node, bar, poise_vec3(1.0, 0.0, 0.0));
    return node;
}

static void ignore_message(int number, const char* message, va_list arguments) {
    (void)number, (void)message, (void)arguments;
}

dJointID mechanism_universal(dWorldID world, dBodyID first, dBodyID second, dBodyID child,
                             double z) {
    dMessageFunction* before = dGetMessageHandler();
    dSetMessageHandler(ignore_message);
    dJointID joint = dJointCreateUniversal(world, NULL);
    dJointAttach(joint, first, second);
    bool child_first = first == child;
    dJointSetUniversalAnchor(joint, 0.0, 0.0, z);
    dJointSetUniversalAxis1(joint, child_first ? 0.0 : 1.0, child_first ? 1.0 : 0.0, 0.0);
    dJointSetUniversalAxis2(joint, child_first ? 1.0 : 0.0, child_first ? 0.0 : 1.0, 0.0);
    dSetMessageHandler(before);
    return joint;
}

PoiseQuat quat_of(const double* q) {
    return poise_quat(q[0], q[1], q[2], q[3]);
}

void set_natural_rotation(PoiseBindDef* def, PoiseQuat rotation) {
    def->natural[0] = rotation.w;
    def->natural[1] = rotation.x;
    def->natural[2] = rotation.y;
    def->natural[3] = rotation.z;
}
