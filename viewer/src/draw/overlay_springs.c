// SPDX-License-Identifier: MIT
// Draws the springs of a joint as an arc from its position theta to theta_new, to which its two
// springs pull it. Length shows the angle, thickness the stiffness, colour the torque relative to
// its limit. The ring around the joint is split in the ratio of the two stiffnesses (eq. 24).
#include <string.h>

#include "overlay.h"
#include "palette.h"
#include "suggest_name.h"

/// Radius of the ring around a joint, window units; its largest value as a fraction of the scene's
/// radius.
static const double RING_UNITS = 30.0;
static const double RING_PART = 0.11;
/// Least torque with a label, N m.
static const double MIN_LABELLED_TORQUE = 1e-3;
/// Largest number of labels, which the joints with the largest torques get.
enum { MAX_LABELS = 8 };

static double largest_torque_of(const PoiseSimulation* simulation) {
    double largest = 1e-9;
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        largest = fmax(largest, poise_length(poise_simulation_joint(simulation, i).torque));
    }
    return largest;
}

/// Returns the vector from the joint to the centre of mass of the body that it carries.
static PoiseVec3 towards_body(const PoiseSimulation* simulation, int joint, PoiseVec3 anchor) {
    for (int i = 0; i < poise_simulation_body_count(simulation); i++) {
        PoiseBodyView body = poise_simulation_body(simulation, i);
        if (body.joint == joint) {
            return poise_sub(body.com_world, anchor);
        }
    }
    return poise_vec3(1.0, 0.0, 0.0);
}

bool poise__spring_arc(const PoiseSimulation* simulation, int index, double largest_torque,
                       PoiseSpringArc* arc) {
    PoiseJointView joint = poise_simulation_joint(simulation, index);
    PoiseJointSprings springs = poise_simulation_joint_springs(simulation, index);
    double sum = springs.original.stiffness + springs.ik.stiffness;
    if (joint.node.index1 == 0 || !(sum > 0.0)) {
        return false;
    }
    PoisePose frame = poise_simulation_joint_frame(simulation, index);
    PoiseVec3 axis = poise_quat_rotate(frame.q, poise_vec3(0.0, 0.0, 1.0));
    memset(arc, 0, sizeof *arc);
    arc->slides = poise_kind_slides(joint.kind);
    if (poise_kind_turns(joint.kind)) {
        const double* to = joint.q_target;
        const double* at = joint.q;
        PoiseVec3 turn = poise_quat_log(
            poise_quat_mul(poise_quat(to[0], to[1], to[2], to[3]),
                           poise_quat_conjugate(poise_quat(at[0], at[1], at[2], at[3]))));
        arc->angle = poise_length(turn);
        axis = arc->angle > 1e-9 ? poise_quat_rotate(frame.q, poise_scale(1.0 / arc->angle, turn))
                                 : axis;
    } else {
        arc->angle = joint.q_target[0] - joint.q[0];
    }
    PoiseVec3 out = towards_body(simulation, index, frame.p);
    if (arc->slides) { // the child has moved along the axis
        frame.p = poise_add_scaled(frame.p, joint.q[0], axis);
    }
    arc->frame = poise_pose(frame.p, poise__turn_to_with(axis, out));
    arc->stiffness = sum;
    arc->torque = poise_length(joint.torque);
    double limit = isfinite(springs.max_torque) ? springs.max_torque : largest_torque;
    arc->strain = arc->torque / fmax(limit, 1e-9);
    arc->ik_part = springs.ik.stiffness / sum;
    arc->reach = poise_length(poise_sub(out, poise_scale(poise_dot(out, axis), axis)));
    return true;
}

/// Draws an arc from theta to theta_new with an arrow head at its end.
static void draw_bow(PoiseDrawList* list, const PoiseArc* bow, const PoiseInstance* look) {
    const double shortest = 0.03;
    poise__draw_arc(list, bow, look);
    if (fabs(bow->sweep) < shortest) {
        return;
    }
    double side = bow->sweep > 0.0 ? 1.0 : -1.0;
    double c = cos(bow->sweep);
    double s = sin(bow->sweep);
    double radius = bow->radius;
    float wide = (float)(2.4 * bow->thickness);
    PoiseVec3 end = poise_pose_apply(bow->frame, poise_vec3(radius * c, radius * s, 0.0));
    PoiseVec3 on = poise_quat_rotate(bow->frame.q, poise_vec3(-side * s, side * c, 0.0));
    PoiseInstance head = *look;
    head.mesh = POISE_MESH_CONE;
    head.place = poise__vec3s(end);
    head.turn = poise__quat4s(poise__turn_to(on));
    head.core = (vec3s){{wide, wide, (float)(4.5 * bow->thickness)}};
    poise__draw_instance(list, &head);
}

/// Shape of a coil: number of windings; half width, as a fraction of the ring's radius; position of
/// its first end between the joint and the link's centre of mass, 0..1; least and largest angle in
/// the picture, rad.
enum { WINDINGS = 7, COIL_LINES = 12 * WINDINGS };
static const double COIL_WIDTH = 0.28;
static const double COIL_PLACE = 0.7;
static const double MIN_ANGLE = 1.2;
static const double MAX_ANGLE = 2.6;
static const float COIL_LINE = 2.0f;
/// A spring with less than this fraction of the largest torque is shown as a dot.
static const double WEAK_PART = 0.1;

/// Returns a position on the coil; `part` is 0 at its start, on the link, and 1 at its end, on the
/// link's ghost at theta_new.
static PoiseVec3 coil_place(const PoiseSpringArc* arc, double radius, double extent, double part) {
    const double phase = 6.28318530717958647693 * WINDINGS * part;
    // both ends are straight and on the middle line
    const double inside = fmin(1.0, fmax(0.0, 10.0 * fmin(part, 1.0 - part) - 0.5));
    const double wide = COIL_WIDTH * radius * inside;
    if (arc->slides) {
        return poise_pose_apply(arc->frame,
                                poise_vec3(wide * sin(phase), wide * cos(phase), extent * part));
    }
    const double r = fmax(2.2 * radius, COIL_PLACE * arc->reach) + wide * sin(phase);
    return poise_pose_apply(
        arc->frame, poise_vec3(r * cos(extent * part), r * sin(extent * part), wide * cos(phase)));
}

/// Draws a coil from the link to its ghost at theta_new, `exaggeration` times as far away as it is.
/// Torque makes the coil redder and thicker.
static void draw_coil(const PoiseOverlay* overlay, const PoiseSpringArc* arc, int joint,
                      double radius) {
    const double factor = fmax(1.0, overlay->highlight->exaggeration);
    const double side = arc->angle < 0.0 ? -1.0 : 1.0;
    double extent = side * fmin(MAX_ANGLE, MIN_ANGLE + factor * fabs(arc->angle));
    if (arc->slides) {
        extent = side * (radius + factor * fabs(arc->angle));
    }
    PoiseLine line = {.colour = poise__palette_strain(arc->strain),
                      .width = COIL_LINE + (float)fmin(2.0, 2.0 * arc->strain),
                      .id = poise__draw_id(POISE_DRAW_COIL, joint)};
    for (int i = 0; i < COIL_LINES; i++) {
        line.from = poise__vec3s(coil_place(arc, radius, extent, (double)i / COIL_LINES));
        line.to = poise__vec3s(coil_place(arc, radius, extent, (double)(i + 1) / COIL_LINES));
        poise__draw_line(overlay->list, &line);
    }
    // both ends are balls; a thin arm carries the second one
    const PoiseInstance end = {.flags = POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY,
                               .id = poise__draw_id(POISE_DRAW_JOINT, joint),
                               .colour = line.colour,
                               .glow = 0.7f,
                               .gloss = 0.4f};
    poise__draw_ball(overlay->list, coil_place(arc, radius, extent, 0.0), 0.12 * radius, &end);
    poise__draw_ball(overlay->list, coil_place(arc, radius, extent, 1.0), 0.12 * radius, &end);
    if (!arc->slides) {
        line.from = poise__vec3s(arc->frame.p);
        line.width = 1.5f;
        line.colour.w = 0.55f;
        poise__draw_line(overlay->list, &line);
    }
}

/// Draws the ring around a joint, split in the ratio p_ik : p_orig.
static void draw_split(PoiseDrawList* list, PoiseArc ring, double ik_part, uint32_t id) {
    const double turn = 6.28318530717958647693;
    PoiseInstance look = {.flags = POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY,
                          .id = id,
                          .colour = poise__palette(POISE_COLOUR_IK),
                          .glow = 0.95f};
    ring.thickness = 0.05 * ring.radius;
    ring.sweep = turn * ik_part;
    poise__draw_arc(list, &ring, &look);
    look.colour = poise__palette(POISE_COLOUR_ORIGINAL);
    ring.sweep -= turn;
    poise__draw_arc(list, &ring, &look);
}

/// Returns the least torque that has a label, N m, so that at most MAX_LABELS joints have one.
static double least_labelled_torque(const PoiseSimulation* simulation) {
    double largest[MAX_LABELS] = {0.0};
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        double torque = poise_length(poise_simulation_joint(simulation, i).torque);
        for (int k = 0; k < MAX_LABELS; k++) {
            if (torque > largest[k]) {
                double pushed = largest[k];
                largest[k] = torque;
                torque = pushed;
            }
        }
    }
    return fmax(MIN_LABELLED_TORQUE, largest[MAX_LABELS - 1]);
}

/// Draws the spring of a joint. `least` are the least torques, N m, of a spring that is more than a
/// dot, and of one with a label.
static void draw_spring(const PoiseOverlay* overlay, const PoiseSpringArc* arc, int joint,
                        const double least[2]) {
    PoiseDrawList* list = overlay->list;
    double unit = poise__camera_unit_at(overlay->camera, arc->frame.p);
    double radius = fmin(RING_UNITS * unit, RING_PART * overlay->camera->scene_radius);
    // each power of ten in stiffness adds the same thickness
    double thickness = radius * (0.035 + 0.022 * fmax(0.0, log10(arc->stiffness)));
    PoiseArc bow = {arc->frame, 1.22 * radius, thickness, arc->angle};
    PoiseInstance look = {.flags = POISE_DRAW_NO_SHADOW | POISE_DRAW_X_RAY,
                          .id = poise__draw_id(POISE_DRAW_JOINT, joint),
                          .colour = poise__palette_strain(arc->strain),
                          .glow = 0.55f,
                          .gloss = 0.4f};
    if (arc->torque < least[0]) {
        look.glow = 0.8f;
        poise__draw_ball(list, arc->frame.p, 0.2 * radius, &look);
        return;
    }
    if (arc->slides) {
        PoiseVec3 displacement = poise_quat_rotate(arc->frame.q, poise_vec3(0.0, 0.0, arc->angle));
        poise__draw_arrow(list, arc->frame.p, poise_add(arc->frame.p, displacement), thickness,
                          &look);
    } else {
        draw_bow(list, &bow, &look);
    }
    draw_coil(overlay, arc, joint, radius);
    bow.radius = radius;
    draw_split(list, bow, arc->ik_part, look.id);
    // if the arc is short, the ball at the joint shows the colour of the strain
    look.glow = 0.8f;
    poise__draw_ball(list, arc->frame.p, 0.26 * radius, &look);
    if (arc->torque >= least[1]) {
        PoiseJointView view = poise_simulation_joint(overlay->simulation, joint);
        poise__overlay_label(
            overlay,
            (PoiseLabelPlace){arc->frame.p, (float)(radius / unit) + 12.0f, 0xb9c6d3ff, false},
            "%.24s %.3g %s", poise__bare_name(view.name), arc->torque, arc->slides ? "N" : "N m");
    }
}

void poise__overlay_springs(const PoiseOverlay* overlay) {
    const PoiseSimulation* simulation = overlay->simulation;
    double largest = largest_torque_of(simulation);
    const double least[2] = {WEAK_PART * largest, least_labelled_torque(simulation)};
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        PoiseSpringArc arc;
        if (poise__spring_arc(simulation, i, largest, &arc) && poise_is_finite_pose(arc.frame)) {
            draw_spring(overlay, &arc, i, least);
        }
    }
}
