// SPDX-License-Identifier: MIT
#include "linkage.h"

#include <criterion/criterion.h>

#include "poise/closure.h"

static const PoiseVec3 axis_y = {0.0, 1.0, 0.0};

LinkageDef linkage_def(double stiffness, double damping) {
    LinkageDef def = {
        POISE_REFERENCE_OWN, {0.0, 0.0, 0.0}, mechanism_springs(stiffness, damping), 0};
    return def;
}

dBodyID linkage_bar(Mechanism* m, double x0, double z0, double x1, double z1) {
    const double length = hypot(x1 - x0, z1 - z0);
    dBodyID body = mechanism_box(m, poise_vec3(0.5 * (x0 + x1), 0.0, 0.5 * (z0 + z1)),
                                 poise_vec3(0.05, 0.05, length), 1.0);
    dQuaternion q;
    dQFromAxisAndAngle(q, 0.0, 1.0, 0.0, atan2(x1 - x0, z1 - z0));
    dBodySetQuaternion(body, q);
    return body;
}

static void hinge_at(Mechanism* m, dBodyID child, dBodyID parent, const double at[2]) {
    (void)mechanism_join(m, POISE_NODE_HINGE, child, parent,
                         pivot(poise_vec3(at[0], 0.0, at[1]), axis_y));
}

void linkage_remove_springs(Mechanism* m, unsigned unsprung) {
    const PoiseSpring none = {0.0, 0.0};
    for (int i = 0; i < poise_tree_node_count(m->tree); i++) {
        const PoiseNodeId node = poise_tree_node(m->tree, i);
        if ((unsprung >> i & 1u) != 0) {
            cr_assert_eq(poise_rig_set_ik(m->rig, node, none), POISE_OK);
            cr_assert_eq(poise_rig_set_original(m->rig, node, none), POISE_OK);
        }
    }
}

void linkage_polygon_open(Mechanism* m, const LinkageDef* def, const double (*places)[2],
                          int bars) {
    mechanism_open(m, def->gravity, def->reference);
    for (int i = 0; i < bars; i++) {
        (void)linkage_bar(m, places[i][0], places[i][1], places[i + 1][0], places[i + 1][1]);
    }
    for (int i = 0; i < bars; i++) {
        hinge_at(m, m->bodies[i], i > 0 ? m->bodies[i - 1] : NULL, places[i]);
    }
    hinge_at(m, m->bodies[bars - 1], NULL, places[bars]);
    cr_assert_eq(poise_rig_import(m->rig, m->bodies[0], &def->like), bars);
    cr_assert_eq(poise_rig_closure_count(m->rig), 1);
    linkage_remove_springs(m, def->unsprung);
}

void five_bar_open(Mechanism* m, const LinkageDef* def) {
    static const double places[5][2] = {
        {0.0, 1.0}, {-0.3, 1.4}, {0.2, 1.8}, {0.7, 1.4}, {0.4, 1.0}};
    linkage_polygon_open(m, def, places, 4);
}

void four_bar_open(Mechanism* m, const LinkageDef* def) {
    static const double places[4][2] = {{0.0, 1.0}, {0.1, 1.4}, {0.7, 1.6}, {0.6, 1.0}};
    linkage_polygon_open(m, def, places, 3);
}

void gripper_open(Mechanism* m, const LinkageDef* def) {
    mechanism_open(m, def->gravity, def->reference);
    // two pairs of parallel bars, each with a finger across
    for (int side = -1; side <= 1; side += 2) {
        const double x = 0.05 * side;
        (void)linkage_bar(m, x, 0.0, 3.0 * x, 0.2);
        (void)linkage_bar(m, 3.0 * x, 0.2, 3.0 * x, 0.4);
        (void)linkage_bar(m, x, 0.1, 3.0 * x, 0.3);
        dBodyID* b = &m->bodies[m->body_count - 3];
        const double places[4][2] = {{x, 0.0}, {3.0 * x, 0.2}, {x, 0.1}, {3.0 * x, 0.3}};
        hinge_at(m, b[0], NULL, places[0]);
        hinge_at(m, b[1], b[0], places[1]);
        hinge_at(m, b[2], b[1], places[3]);
        hinge_at(m, b[2], NULL, places[2]);
        cr_assert_eq(poise_rig_import(m->rig, b[0], &def->like), 3);
    }
    cr_assert_eq(poise_rig_closure_count(m->rig), 2);
    linkage_remove_springs(m, def->unsprung);
}

// Builds an arm from the ground to the last place; returns its last body.
static dBodyID open_arm(Mechanism* m, const double places[4][2]) {
    dBodyID before = NULL;
    for (int i = 0; i < 3; i++) {
        dBodyID bar =
            linkage_bar(m, places[i][0], places[i][1], places[i + 1][0], places[i + 1][1]);
        const PoiseVec3 axis = i == 1 ? poise_vec3(0.0, 0.0, 1.0) : axis_y;
        // each bar turns about two axes, through a small body
        dBodyID knuckle = mechanism_box(m, poise_vec3(places[i][0], 0.0, places[i][1]),
                                        poise_vec3(0.05, 0.05, 0.05), 0.3);
        (void)mechanism_join(
            m, POISE_NODE_HINGE, knuckle, before,
            pivot(poise_vec3(places[i][0], 0.0, places[i][1]), poise_vec3(1.0, 0.0, 0.0)));
        (void)mechanism_join(m, POISE_NODE_HINGE, bar, knuckle,
                             pivot(poise_vec3(places[i][0], 0.0, places[i][1]), axis));
        before = bar;
    }
    return before;
}

void two_arms_open(Mechanism* m, const LinkageDef* def) {
    static const double left[4][2] = {{-0.5, 0.0}, {-0.7, 0.4}, {-0.4, 0.8}, {-0.2, 0.7}};
    static const double right[4][2] = {{0.5, 0.0}, {0.7, 0.4}, {0.4, 0.8}, {0.2, 0.7}};
    mechanism_open(m, def->gravity, def->reference);
    dBodyID hands[2];
    hands[0] = open_arm(m, left);
    hands[1] = open_arm(m, right);
    dBodyID bar = linkage_bar(m, -0.2, 0.7, 0.2, 0.7);
    (void)mechanism_weld(m, bar, hands[0]);
    (void)mechanism_weld(m, bar, hands[1]);
    cr_assert_eq(poise_rig_import(m->rig, m->bodies[1], &def->like), 11);
    cr_assert_eq(poise_rig_closure_count(m->rig), 1);
    linkage_remove_springs(m, def->unsprung);
}

static PoiseVec3 leg_end(int leg, double radius, double spread, double z) {
    const double angle = 2.0943951023931953 * (leg / 2) + (leg % 2 == 0 ? -spread : spread);
    return poise_vec3(radius * cos(angle), radius * sin(angle), z);
}

void stewart_open(Mechanism* m, const LinkageDef* def) {
    mechanism_open(m, def->gravity, def->reference);
    dBodyID plate = mechanism_box(m, poise_vec3(0.0, 0.0, 0.6), poise_vec3(0.4, 0.4, 0.04), 4.0);
    dBodyID ground = mechanism_box(m, poise_vec3(0.0, 0.0, -0.1), poise_vec3(1.0, 1.0, 0.1), 1.0);
    dBodySetKinematic(ground);
    for (int leg = 0; leg < 6; leg++) {
        const PoiseVec3 low = leg_end(leg, 0.5, 0.35, 0.0);
        const PoiseVec3 high = leg_end(leg, 0.3, 0.75, 0.6);
        const PoiseVec3 along =
            poise_scale(1.0 / poise_length(poise_sub(high, low)), poise_sub(high, low));
        const PoiseVec3 size = poise_vec3(0.04, 0.04, 0.2);
        dBodyID lower = mechanism_box(m, poise_add_scaled(low, 0.15, along), size, 0.5);
        dBodyID upper = mechanism_box(m, poise_add_scaled(high, -0.15, along), size, 0.5);
        dJointID joint = dJointCreateUniversal(m->world, NULL);
        dJointAttach(joint, lower, ground);
        dJointSetUniversalAnchor(joint, low.x, low.y, low.z);
        const PoiseVec3 first = poise_cross(along, poise_vec3(0.0, 0.0, 1.0));
        const PoiseVec3 second = poise_cross(along, first);
        dJointSetUniversalAxis1(joint, first.x, first.y, first.z);
        dJointSetUniversalAxis2(joint, second.x, second.y, second.z);
        (void)mechanism_join(m, POISE_NODE_SLIDER, upper, lower, pivot(low, along));
        (void)mechanism_join(m, POISE_NODE_BALL, plate, upper, pivot(high, along));
    }
    cr_assert_eq(poise_rig_import(m->rig, ground, &def->like), 13);
    cr_assert_eq(poise_rig_closure_count(m->rig), 5);
    const PoiseSpring none = {0.0, 0.0};
    for (int i = 0; i < poise_tree_node_count(m->tree); i++) {
        const PoiseNodeId node = poise_tree_node(m->tree, i);
        if (poise_node_kind(m->tree, node) != POISE_NODE_SLIDER) {
            cr_assert_eq(poise_rig_set_ik(m->rig, node, none), POISE_OK);
            cr_assert_eq(poise_rig_set_original(m->rig, node, none), POISE_OK);
        }
    }
}

PoisePointId linkage_point(Mechanism* m, int index, PoiseVec3 place) {
    dBodyID body = m->bodies[index];
    return mechanism_point(m, poise_rig_node_of_body(m->rig, body), body, place);
}

double linkage_opening(const Mechanism* m) {
    double most = 0.0;
    for (int i = 0; i < poise_tree_point_count(m->tree); i++) {
        const PoisePointId point = poise_tree_point(m->tree, i);
        if (poise_point_priority(m->tree, point) == POISE_PRIORITY_CLOSURE) {
            most = fmax(most, poise_point_planned_error(m->tree, point));
            most = fmax(most, poise_point_planned_angle_error(m->tree, point));
        }
    }
    return most;
}

Wall wall_before(const Mechanism* m, PoiseVec3 along, double gap) {
    Wall wall = {along, poise_dot(along, mechanism_tip(m)) + gap, 0.0, 0.0, 0.0, 0};
    return wall;
}

// Makes the contact of this step, or returns NULL if the point does not touch.
static dJointID touch(const Mechanism* m, const Wall* wall, dJointGroupID group) {
    const PoiseVec3 tip = mechanism_tip(m);
    const double depth = poise_dot(tip, wall->along) - wall->at;
    if (depth < 0.0) {
        return NULL;
    }
    dContact contact = {0};
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = wall->friction;
    contact.geom.depth = depth;
    const double place[3] = {tip.x, tip.y, tip.z};
    const double normal[3] = {-wall->along.x, -wall->along.y, -wall->along.z};
    for (int i = 0; i < 3; i++) {
        contact.geom.pos[i] = place[i];
        contact.geom.normal[i] = normal[i];
    }
    dJointID joint = dJointCreateContact(m->world, group, &contact);
    dJointAttach(joint, m->point_body, NULL);
    return joint;
}

PoiseRigReport wall_run(Mechanism* m, Wall* wall, double dt, int steps, int counted) {
    dJointGroupID group = dJointGroupCreate(0);
    PoiseRigReport report = {0};
    wall->force = wall->across = 0.0;
    wall->counted = counted;
    for (int i = 0; i < steps; i++) {
        dJointFeedback feedback = {{0}, {0}, {0}, {0}};
        dJointID joint = touch(m, wall, group);
        if (joint) {
            dJointSetFeedback(joint, &feedback);
        }
        report = mechanism_step(m, dt);
        const PoiseVec3 f = poise_vec3(-feedback.f1[0], -feedback.f1[1], -feedback.f1[2]);
        if (i >= steps - counted) {
            const double pressed = poise_dot(f, wall->along);
            wall->force += pressed / counted;
            wall->across += poise_length(poise_add_scaled(f, -pressed, wall->along)) / counted;
        }
        dJointGroupEmpty(group);
    }
    dJointGroupDestroy(group);
    return report;
}
