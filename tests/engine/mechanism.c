// SPDX-License-Identifier: MIT
#include "mechanism.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <string.h>

PoiseRigDef mechanism_rig_def(Mechanism* m) {
    PoiseRigDef def = poise_default_rig_def();
    def.tree = m->tree;
    def.world = m->world;
    def.host = test_host(&m->host);
    return def;
}

static void make_rig(Mechanism* m, PoiseReference reference) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.host = test_host(&m->host);
    m->tree = poise_tree_create(&tree_def);
    PoiseRigDef def = mechanism_rig_def(m);
    def.settings.reference = reference;
    m->rig = poise_rig_create(&def);
    cr_assert_not_null(m->rig, "%s", m->host.last_message);
}

void mechanism_open(Mechanism* m, PoiseVec3 gravity, PoiseReference reference) {
    memset(m, 0, sizeof *m);
    dInitODE2(0);
    m->world = dWorldCreate();
    dWorldSetGravity(m->world, gravity.x, gravity.y, gravity.z);
    make_rig(m, reference);
}

void mechanism_open_world(Mechanism* m, const PoiseWorldDef* def, PoiseReference reference) {
    memset(m, 0, sizeof *m);
    m->own = poise_world_create(def);
    cr_assert_not_null(m->own);
    m->world = poise_world_ode(m->own);
    m->space = poise_world_add_group(m->own);
    make_rig(m, reference);
}

void mechanism_open_in(Mechanism* m, const Mechanism* other) {
    memset(m, 0, sizeof *m);
    m->world = other->world;
    m->shares = true;
    make_rig(m, POISE_REFERENCE_OWN);
}

void mechanism_solve_exactly(Mechanism* m) {
    RIG_SET(m->rig, solve.damping, 1e-9);
    RIG_SET(m->rig, solve.damping_floor, 0.0);
    RIG_SET(m->rig, solve.adaptive, false);
}

void mechanism_close(Mechanism* m) {
    poise_rig_destroy(m->rig);
    poise_tree_destroy(m->tree);
    if (m->own) {
        poise_world_destroy(m->own);
    } else if (!m->shares) {
        dWorldDestroy(m->world);
        dCloseODE();
    }
    cr_expect_eq(m->host.live_blocks, 0, "%ld blocks leaked", m->host.live_blocks);
}

static dBodyID box_make(dWorldID world, dSpaceID space, PoiseVec3 at, PoiseVec3 size, double mass) {
    dMass box;
    dMassSetBoxTotal(&box, mass, size.x, size.y, size.z);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &box);
    dBodySetPosition(body, at.x, at.y, at.z);
    if (space) {
        dGeomSetBody(dCreateBox(space, size.x, size.y, size.z), body);
    }
    return body;
}

dBodyID mechanism_box(Mechanism* m, PoiseVec3 at, PoiseVec3 size, double mass) {
    cr_assert_lt(m->body_count, MECHANISM_BODIES);
    return m->bodies[m->body_count++] = box_make(m->world, m->space, at, size, mass);
}

dBodyID world_cube(PoiseWorld* world, dSpaceID space, double side, PoiseVec3 place) {
    space = space ? space : poise_world_space(world);
    return box_make(poise_world_ode(world), space, place, poise_vec3(side, side, side), 2.0);
}

void mechanism_planar(Mechanism* m, const double angles[3], const PoiseBindDef likes[3]) {
    dBodyID before = NULL;
    PoiseVec3 tip = poise_vec3(0.0, 0.0, 0.0);
    double heading = 0.0;
    for (int i = 0; i < 3; i++) {
        const LinkDef link = {.parent = before,
                              .kind = POISE_NODE_HINGE,
                              .pivot = {.anchor = {i, 0.0, 0.0}},
                              .at = {i + 0.5, 0.0, 0.0},
                              .size = {1.0, 0.1, 0.1},
                              .like = &likes[i]};
        before = mechanism_link(m, &link);
        const PoiseNodeId node = poise_rig_node_of_body(m->rig, before);
        cr_assert_eq(poise_node_set_angle(m->tree, node, angles[i]), POISE_OK);
        heading += angles[i];
        tip = poise_add(tip, poise_vec3(cos(heading), sin(heading), 0.0));
    }
    cr_assert_eq(poise_rig_place_bodies(m->rig), POISE_OK);
    mechanism_point(m, poise_rig_node_of_body(m->rig, before), before, tip);
}

PoiseWorld* world_make(void) {
    PoiseWorldDef def = poise_default_world_def();
    PoiseWorld* world = poise_world_create(&def);
    cr_assert_not_null(world);
    return world;
}

void world_run(PoiseWorld* world, double dt, int steps) {
    for (int i = 0; i < steps; i++) {
        cr_assert_eq(poise_world_step(world, dt), POISE_OK);
    }
}

dBodyID mechanism_brick(Mechanism* m, PoiseVec3 at) {
    return mechanism_box(m, at, poise_vec3(0.2, 0.3, 0.4), 2.0);
}

// ODE's functions for a type of joint. `axes`: the setter of the axis of each motion.
typedef struct Maker {
    dJointType type;
    dJointID (*create)(dWorldID, dJointGroupID);
    void (*parameter)(dJointID, int, dReal);
    void (*anchor)(dJointID, dReal, dReal, dReal);
    void (*axes[3])(dJointID, dReal, dReal, dReal);
    int motions;
} Maker;

#define MAKER(name, motions, ...)                                                                  \
    {                                                                                              \
        dJointType##name, dJointCreate##name, dJointSet##name##Param, dJointSet##name##Anchor,     \
            {__VA_ARGS__}, motions                                                                 \
    }

static const Maker makers[] = {
    MAKER(Hinge, 1, dJointSetHingeAxis),
    MAKER(Universal, 2, dJointSetUniversalAxis1, dJointSetUniversalAxis2),
    MAKER(Hinge2, 2, NULL), // sets both axes at once
    MAKER(Piston, 2, dJointSetPistonAxis),
    MAKER(PR, 2, dJointSetPRAxis1, dJointSetPRAxis2),
    MAKER(PU, 3, dJointSetPUAxis3, dJointSetPUAxis1, dJointSetPUAxis2),
    {dJointTypeSlider, dJointCreateSlider, dJointSetSliderParam, NULL, {dJointSetSliderAxis}, 1},
    {dJointTypeBall, dJointCreateBall, NULL, dJointSetBallAnchor, {NULL}, 3},
    {dJointTypeFixed, dJointCreateFixed, NULL, NULL, {NULL}, 0},
};

static const Maker* maker_of(dJointType type) {
    const Maker* maker = makers;
    while (maker->type != type) {
        maker++;
    }
    return maker;
}

static void ignore_message(int number, const char* message, va_list arguments) {
    (void)number, (void)message, (void)arguments;
}

dJointID joint_make(dWorldID world, const JointDef* def) {
    const Maker* maker = maker_of(def->type);
    // ODE complains about the second axis of a universal joint while only the first is set
    dMessageFunction* before = dGetMessageHandler();
    dSetMessageHandler(ignore_message);
    dJointID joint = maker->create(world, NULL);
    dJointAttach(joint, def->first, def->second);
    if (maker->anchor) {
        maker->anchor(joint, def->anchor.x, def->anchor.y, def->anchor.z);
    }
    for (int i = 0; i < 3; i++) {
        if (maker->axes[i]) {
            maker->axes[i](joint, def->axes[i].x, def->axes[i].y, def->axes[i].z);
        }
    }
    if (def->type == dJointTypeHinge2) {
        const dVector3 first = {def->axes[0].x, def->axes[0].y, def->axes[0].z, 0.0};
        const dVector3 second = {def->axes[1].x, def->axes[1].y, def->axes[1].z, 0.0};
        dJointSetHinge2Axes(joint, first, second);
    } else if (def->type == dJointTypeFixed) {
        dJointSetFixed(joint);
    }
    dSetMessageHandler(before);
    return joint;
}

void joint_set_stops(dJointID joint, double lower, double upper) {
    const Maker* maker = maker_of(dJointGetType(joint));
    for (int k = 0; maker->parameter && k < maker->motions; k++) {
        maker->parameter(joint, dParamLoStop + k * dParamGroup, lower);
        maker->parameter(joint, dParamHiStop + k * dParamGroup, upper);
    }
}

dJointID mechanism_join(Mechanism* m, PoiseNodeKind kind, dBodyID first, dBodyID second, Pivot at) {
    cr_assert_lt(m->joint_count, MECHANISM_BODIES);
    const dJointType type = kind == POISE_NODE_HINGE    ? dJointTypeHinge
                            : kind == POISE_NODE_SLIDER ? dJointTypeSlider
                                                        : dJointTypeBall;
    const JointDef def = {type, first, second, at.anchor, {at.axis}};
    return m->joints[m->joint_count++] = joint_make(m->world, &def);
}

dJointID mechanism_weld(Mechanism* m, dBodyID first, dBodyID second) {
    const JointDef def = {.type = dJointTypeFixed, .first = first, .second = second};
    return joint_make(m->world, &def);
}

static bool is_zero(PoiseVec3 v) {
    return poise_length(v) == 0.0;
}

dBodyID mechanism_link(Mechanism* m, const LinkDef* def) {
    const PoiseVec3 size = is_zero(def->size) ? poise_vec3(0.2, 0.2, 0.2) : def->size;
    Pivot at = def->pivot;
    at.axis = is_zero(at.axis) ? poise_vec3(0.0, 0.0, 1.0) : at.axis;
    dBodyID body = mechanism_box(m, def->at, size, def->mass > 0.0 ? def->mass : 1.0);
    dJointID joint = mechanism_join(m, def->kind, body, def->parent, at);
    if (def->like) {
        cr_assert_neq(poise_rig_add(m->rig, joint, body, def->like).index1, 0u, "%s",
                      poise_rig_message(m->rig));
    }
    return body;
}

dBodyID mechanism_add_bar(Mechanism* m, PoiseNodeKind kind, const PoiseBindDef* like) {
    const LinkDef def = {
        .kind = kind, .at = {0.5, 0.0, 0.0}, .size = {1.0, 0.1, 0.1}, .like = like};
    return mechanism_link(m, &def);
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

PoisePointId mechanism_add_point(Mechanism* m, PoisePointDef def, dBodyID body, PoiseVec3 in_body) {
    def.link = poise_rig_node_of_body(m->rig, body);
    def.in_link.p = in_body;
    const PoisePointId point = poise_point_create(m->tree, &def);
    cr_assert_eq(poise_register_chain(m->tree, point, poise_null_node()), POISE_OK, "%s",
                 poise_tree_message(m->tree));
    return point;
}

void mechanism_goal(Mechanism* m, PoiseVec3 goal) {
    cr_assert_eq(poise_point_set_position(m->tree, m->point, goal), POISE_OK);
}

PoiseSensitivityDef mechanism_derivatives(const Mechanism* m, const PoiseVariable* variable) {
    return (PoiseSensitivityDef){.points = &m->point,
                                 .point_count = 1,
                                 .variables = variable,
                                 .variable_count = 1,
                                 .step = 0.01};
}

PoiseJointReading mechanism_read(const Mechanism* m, PoiseNodeId node) {
    PoiseJointReading reading;
    cr_assert_eq(poise_rig_read_joint(m->rig, node, &reading), POISE_OK);
    return reading;
}

PoisePointReading mechanism_read_point(const Mechanism* m) {
    PoisePointReading reading;
    cr_assert_eq(poise_rig_read_point(m->rig, m->point, &reading), POISE_OK);
    return reading;
}

void mechanism_push(const Mechanism* m, PoiseVec3 load) {
    const PoiseVec3 p = m->point_in_body;
    dBodyAddForceAtRelPos(m->point_body, load.x, load.y, load.z, p.x, p.y, p.z);
}

dJointID mechanism_touch(const Mechanism* m, const Plane* wall, dBodyID body, PoiseVec3 place) {
    const double depth = poise_dot(place, wall->into) - wall->at;
    if (depth < 0.0) {
        return NULL;
    }
    dContact contact = {.surface = {.mode = dContactApprox1, .mu = wall->friction}};
    contact.geom.depth = depth;
    const double at[3] = {place.x, place.y, place.z};
    const double normal[3] = {-wall->into.x, -wall->into.y, -wall->into.z};
    memcpy(contact.geom.pos, at, sizeof at);
    memcpy(contact.geom.normal, normal, sizeof normal);
    dJointID joint = dJointCreateContact(m->world, wall->group, &contact);
    dJointAttach(joint, body, NULL);
    return joint;
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
    if (m->own) {
        cr_assert_eq(poise_world_step(m->own, dt), POISE_OK, "step %ld", m->steps);
    } else {
        dWorldStep(m->world, dt);
    }
    m->steps++;
    return report;
}

PoiseRigReport mechanism_run(Mechanism* m, double dt, int steps) {
    PoiseRigReport report = {0};
    for (int i = 0; i < steps; i++) {
        report = mechanism_step(m, dt);
    }
    return report;
}

PoiseVec3 mechanism_settle(Mechanism* m, PoiseVec3 load, double dt, int steps) {
    for (int i = 0; i < steps; i++) {
        mechanism_push(m, load);
        mechanism_step(m, dt);
    }
    return mechanism_tip(m);
}

PoiseVec3 body_place(dBodyID body) {
    const dReal* p = dBodyGetPosition(body);
    return poise_vec3(p[0], p[1], p[2]);
}

PoiseQuat body_turn(dBodyID body) {
    const dReal* q = dBodyGetQuaternion(body);
    return poise_quat(q[0], q[1], q[2], q[3]);
}

PoiseVec3 body_point(dBodyID body, PoiseVec3 in_body) {
    dVector3 p;
    dBodyGetRelPointPos(body, in_body.x, in_body.y, in_body.z, p);
    return poise_vec3(p[0], p[1], p[2]);
}

void body_put(dBodyID body, PoisePose at) {
    const dQuaternion turn = {at.q.w, at.q.x, at.q.y, at.q.z};
    dBodySetPosition(body, at.p.x, at.p.y, at.p.z);
    dBodySetQuaternion(body, turn);
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
    dBodyID bar = mechanism_add_bar(m, POISE_NODE_HINGE, like);
    PoiseNodeId node = poise_rig_node_of_body(m->rig, bar);
    mechanism_point(m, node, bar, poise_vec3(1.0, 0.0, 0.0));
    return node;
}

dJointID mechanism_universal(dWorldID world, dBodyID first, dBodyID second, dBodyID child,
                             double z) {
    const PoiseVec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
    const bool child_first = first == child;
    const JointDef def = {dJointTypeUniversal,
                          first,
                          second,
                          poise_vec3(0.0, 0.0, z),
                          {child_first ? y : x, child_first ? x : y}};
    return joint_make(world, &def);
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
