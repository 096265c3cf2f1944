// SPDX-License-Identifier: MIT
// Tests overlays as numbers: arcs, ghosts, sets and arrows must show the values of IK.
#include <string.h>

#include "fixture.h"
#include "palette.h"
#include "panels.h"
#include "panels_fixture.h"

static int count_kind(const PoiseDrawList* list, PoiseDrawKind kind, int index) {
    int count = 0;
    for (int i = 0; i < list->instance_count; i++) {
        uint32_t id = list->instances[i].id;
        count +=
            poise__draw_id_kind(id) == kind && (index < 0 || poise__draw_id_index(id) == index);
    }
    return count;
}

static const PoiseInstance* find_arc(const PoiseDrawList* list, int joint, int which) {
    for (int i = 0; i < list->instance_count; i++) {
        const PoiseInstance* instance = &list->instances[i];
        if (instance->mesh == POISE_MESH_ARC &&
            instance->id == poise__draw_id(POISE_DRAW_JOINT, joint) && which-- == 0) {
            return instance;
        }
    }
    return NULL;
}

APP_TEST(overlay, an_arc_is_theta_new_less_theta) {
    const PoiseSimulation* simulation = app->session.simulation;
    int joint = poise_scene_find_joint(app->session.scene, "left_shoulder");
    cr_assert(poise__app_run_to(app, 0.15));
    PoiseJointView view = poise_simulation_joint(simulation, joint);
    PoiseSpringArc arc;
    cr_assert(poise__spring_arc(simulation, joint, 1.0, &arc));
    EXPECT_NEAR(arc.angle, view.q_target[0] - view.q[0], 1e-15);
    cr_expect_gt(fabs(arc.angle), 0.01, "the arm is on its way");
    EXPECT_NEAR(arc.stiffness, 100.0, 1e-12);
    EXPECT_NEAR(arc.ik_part, 1.0, 0.0);
    EXPECT_NEAR3(arc.frame.p, poise_vec3(0.1, 0.15, 1.0), 1e-6);

    // the arc in the picture has the same sweep
    app->highlight.parts = POISE_SHOW_SPRINGS;
    poise__screen_draw(app);
    const PoiseInstance* bow = find_arc(&app->list, joint, 0);
    cr_assert_not_null(bow);
    EXPECT_NEAR((double)bow->sweep, arc.angle, 1e-6);
    // z of the arc's frame is the joint's axis
    PoiseVec3 axis = poise_quat_rotate(arc.frame.q, poise_vec3(0.0, 0.0, 1.0));
    EXPECT_NEAR3(axis, poise_vec3(0.0, -1.0, 0.0), 1e-9);
}

// Each line has a label with its length, and the nearest pair is among them.
PANELS_TEST(overlay, gaps_that_are_kept_are_lines_with_their_length) {
    cr_assert(poise__app_open(app, POISE_SOURCE_DIR "/scenes/cage.yaml"));
    cr_assert(poise__app_run_to(app, 2.4));
    app->highlight.parts = POISE_VIEW_CLEAN;
    poise__screen_draw(app);
    PoiseApartNear near[64];
    const int count =
        poise_apart_near(poise_rig_apart(poise_simulation_rig(app->session.simulation)), near, 64);
    cr_assert(count > 0 && count <= 64);
    const vec4s ink = poise__palette(POISE_COLOUR_GAP);
    int lines = 0, labels = 0;
    bool nearest_labelled = false;
    for (int i = 0; i < app->list.instance_count; i++) {
        PoiseLine line;
        lines += line_at(&app->list, i, &line) && memcmp(&line.colour, &ink, sizeof ink) == 0;
    }
    const PoiseApartNear* nearest = &near[0];
    for (int i = 0; i < count; i++) {
        nearest = near[i].gap.distance < nearest->gap.distance ? &near[i] : nearest;
        char text[40];
        snprintf(text, sizeof text, "%.0f mm", 1e3 * near[i].gap.distance);
        bool is_labelled = false;
        for (int k = 0; k < app->list.label_count; k++) {
            is_labelled = is_labelled || strcmp(app->list.labels[k].text, text) == 0;
        }
        labels += is_labelled;
        nearest_labelled = nearest == &near[i] ? is_labelled : nearest_labelled;
    }
    cr_expect_eq(lines, count < 4 ? count : 4, "%d lines of %d pairs", lines, count);
    cr_expect_geq(labels, lines, "%d labels of %d lines", labels, lines);
    cr_expect(nearest_labelled, "%g m", nearest->gap.distance);
    cr_assert(poise__app_open(app, POISE_SOURCE_DIR "/scenes/reach.yaml"));
    poise__screen_draw(app);
    for (int i = 0; i < app->list.instance_count; i++) {
        cr_expect(memcmp(&app->list.instances[i].colour, &ink, sizeof ink) != 0);
    }
}

APP_TEST(overlay, a_balls_arc_is_the_turn_to_its_target) {
    const PoiseSimulation* simulation = app->session.simulation;
    int joint = poise_scene_find_joint(app->session.scene, "right_shoulder");
    cr_assert(poise__app_run_to(app, 0.1));
    PoiseJointView view = poise_simulation_joint(simulation, joint);
    const PoiseVec3 to = poise_joint_vector(view.kind, view.q_target);
    const PoiseVec3 at = poise_joint_vector(view.kind, view.q);
    PoiseQuat turn = poise_quat_mul(poise_quat_exp(to), poise_quat_conjugate(poise_quat_exp(at)));
    PoiseSpringArc arc;
    cr_assert(poise__spring_arc(simulation, joint, 1.0, &arc));
    EXPECT_NEAR(arc.angle, poise_length(poise_quat_log(turn)), 1e-12);
    cr_expect_gt(arc.angle, 0.005);
}

APP_TEST(overlay, the_ring_is_split_in_the_ratio_of_the_springs) {
    PoiseSimulation* simulation = app->session.simulation;
    int joint = poise_scene_find_joint(app->session.scene, "left_shoulder");
    int original =
        poise_simulation_find_parameter(simulation, "joints.left_shoulder.original.spring");
    cr_assert_eq(poise_simulation_set_parameter(simulation, original, 300.0), POISE_OK);
    cr_assert(poise__app_run_to(app, 0.1));
    app->highlight.parts = POISE_SHOW_SPRINGS;
    poise__screen_draw(app);
    const double turn = 6.28318530717958647693;
    // after the first arc come the part of IK, and the rest in the other direction
    const PoiseInstance* ik = find_arc(&app->list, joint, 1);
    const PoiseInstance* rest = find_arc(&app->list, joint, 2);
    cr_assert(ik && rest);
    EXPECT_NEAR((double)ik->sweep, 0.25 * turn, 1e-6);
    EXPECT_NEAR((double)rest->sweep, -0.75 * turn, 1e-5);
}

APP_TEST(overlay, ghosts_have_the_poses_of_their_postures) {
    const PoiseSimulation* simulation = app->session.simulation;
    int body = poise__find(simulation, POISE_OWNER_LINK, "left_arm");
    int joint = poise_scene_find_joint(app->session.scene, "left_shoulder");
    cr_assert(poise__app_run_to(app, 0.2));
    PoiseGhosts ghosts = {.tree = NULL};
    cr_assert(poise__ghosts_pose(&ghosts, simulation, POISE_GHOST_IK));
    PoisePose pose;
    cr_assert(poise__ghosts_body(&ghosts, simulation, body, &pose));
    // compute the pose by hand: rotate the arm about its hinge from where it was built
    double angle = poise_simulation_joint_springs(simulation, joint).q_ik[0];
    PoisePose built = app->session.scene->bodies[body].pose;
    PoiseVec3 hinge = poise_vec3(0.1, 0.15, 1.0);
    PoiseQuat turn = poise_quat_from_axis_angle(poise_vec3(0.0, -1.0, 0.0), angle);
    PoiseVec3 place = poise_add(hinge, poise_quat_rotate(turn, poise_sub(built.p, hinge)));
    EXPECT_NEAR3(pose.p, place, 1e-9);
    cr_expect_gt(fabs(angle), 0.1);
    // without p_orig the ghost is at the present posture
    cr_assert(poise__ghosts_pose(&ghosts, simulation, POISE_GHOST_ORIGINAL));
    cr_assert(poise__ghosts_body(&ghosts, simulation, body, &pose));
    PoisePose now = poise_simulation_body(simulation, body).pose_world;
    EXPECT_NEAR3(pose.p, now.p, 1e-3);
    poise__ghosts_finish(&ghosts);
}

// A joint with two angles has both in its ghost.
Test(overlay, the_ghost_of_a_universal_has_both_its_angles) {
    static const char text[] =
        "poise: 1\nworld: {gravity: [0, 0, 0]}\nbodies: {a: {box: [0.1, 0.1, 0.4], at: [0, 0, "
        "0.2]}}\njoints: {u: {universal: [0, 0, 0], axis: [1, 0, 0], axis2: [0, 1, 0], between: "
        "[world, a], natural: [0.4, 0.3], original: {spring: 50, damper: 5}}}\ncontrol_points: "
        "{p: {body: a, at: [0, 0, 0.2], position: [0, 0, 0.4]}}\n";
    const PoiseSceneSource source = {.path = "u.yaml", .text = text, .text_size = sizeof text - 1};
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
    cr_assert_not_null(scene);
    PoiseSimulation* simulation = poise_simulation_create(scene, diagnostics);
    cr_assert(simulation && poise_simulation_step(simulation) >= 0);
    PoiseGhosts ghosts = {.tree = NULL};
    cr_assert(poise__ghosts_pose(&ghosts, simulation, POISE_GHOST_ORIGINAL));
    PoisePose pose;
    cr_assert(poise__ghosts_body(&ghosts, simulation, 0, &pose));
    // the second axis moves with the first
    const PoiseQuat first = poise_quat_from_axis_angle(poise_vec3(1.0, 0.0, 0.0), 0.4);
    const PoiseQuat second = poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), 0.3);
    const PoiseQuat turn = poise_quat_mul(first, second);
    EXPECT_NEAR3(pose.p, poise_quat_rotate(turn, poise_vec3(0.0, 0.0, 0.2)), 1e-9);
    poise__ghosts_finish(&ghosts);
    poise_simulation_destroy(simulation);
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(diagnostics);
}

APP_TEST(overlay, pointing_at_a_target_marks_its_joints_and_at_a_link_its_targets) {
    int left = known_point(app, "left_tip");
    int shoulder = poise_scene_find_joint(app->session.scene, "left_shoulder");
    app->highlight.parts = POISE_SHOW_SETS;
    poise__screen_draw(app);
    for (int i = 0; i < poise_simulation_joint_count(app->session.simulation); i++) {
        cr_expect_eq(count_kind(&app->list, POISE_DRAW_JOINT, i), 1, "joint %d", i);
    }

    app->highlight.hover = (PoisePick){.kind = POISE_PICK_GOAL, .index = left};
    poise__screen_draw(app);
    for (int i = 0; i < app->list.instance_count; i++) {
        const PoiseInstance* knob = &app->list.instances[i];
        if (poise__draw_id_kind(knob->id) == POISE_DRAW_JOINT) {
            bool registered = poise__draw_id_index(knob->id) == shoulder;
            cr_expect_eq(knob->glow > 0.8f, registered, "joint %d", poise__draw_id_index(knob->id));
        }
    }
    app->highlight.hover =
        (PoisePick){.kind = POISE_PICK_SHAPE, .index = known_shape(app, "left_arm")};
    poise__screen_draw(app);
    cr_expect_eq(count_kind(&app->list, POISE_DRAW_GOAL, left), 1, "its target is ringed");
    cr_expect_eq(count_kind(&app->list, POISE_DRAW_JOINT, shoulder), 2, "the joint is ringed");
    // a panel can point at a target, too
    app->highlight.hover = poise__no_highlight().hover;
    app->highlight.panel = (PoiseFocus){-1, left};
    PoiseFocus focus = poise__scene_view_focus(app->session.simulation, &app->highlight);
    cr_expect_eq(focus.point, left);
}

APP_TEST(overlay, a_target_out_of_reach_has_a_red_tether_with_distance_and_the_limit_is_marked) {
    PoiseSimulation* simulation = app->session.simulation;
    int left = known_point(app, "left_tip");
    int shoulder = poise_scene_find_joint(app->session.scene, "left_shoulder");
    // the goal is 1 m above the arm's reach; the joint's limit is half a radian
    PoiseNodeId node = poise_simulation_joint_node(simulation, shoulder);
    cr_assert_eq(
        poise_node_set_limits(poise_simulation_tree(simulation), node, poise_range(-0.5, 0.5)),
        POISE_OK);
    cr_assert_eq(poise_simulation_hold_goal(simulation, left, poise_vec3(0.1, 0.15, 2.6)),
                 POISE_OK);
    cr_assert(poise__app_run_to(app, 3.0));
    cr_expect(poise__joint_stops(simulation, shoulder, left));
    poise__screen_draw(app);
    PoisePointView point = poise_simulation_point(simulation, left);
    char length[32];
    snprintf(length, sizeof length, point.reading.miss < 0.9995 ? "%.1f cm" : "%.2f m",
             point.reading.miss < 0.9995 ? 100.0 * point.reading.miss : point.reading.miss);
    bool found = false;
    for (int i = 0; i < app->list.label_count; i++) {
        found = found || strcmp(app->list.labels[i].text, length) == 0;
    }
    cr_expect(found, "no label says %s", length);
    cr_expect_eq(count_kind(&app->list, POISE_DRAW_JOINT, shoulder), 1, "the ring of the limit");
}

APP_TEST(overlay, sweeps_are_the_solvers_own) {
    PoiseSimulation* simulation = app->session.simulation;
    cr_assert(poise__app_run_to(app, 0.02));
    static PoiseSweeps sweeps;
    int made = poise__panel_sweeps(simulation, 20, &sweeps);
    cr_assert_eq(made, 20);
    // compare with the same stages and the residual that the last of them returns
    PoiseTree* tree = poise_tree_clone(poise_simulation_tree(simulation));
    cr_assert(poise_forward(tree) >= 0 && poise_stage_jacobians(tree) >= 0 &&
              poise_stage_blocks(tree) >= 0);
    double lambda = poise_simulation_report(simulation)->solve.lambda;
    for (int i = 1; i <= 20; i++) {
        double residual = 0.0;
        cr_assert_geq(poise_stage_sweep(tree, fmax(0.0, lambda), &residual), 0);
        EXPECT_NEAR((double)sweeps.whole[i], residual, 1e-6 * residual + 1e-9);
    }
    poise_tree_destroy(tree);
    for (int i = 0; i < made; i++) {
        cr_expect_leq(sweeps.whole[i + 1], sweeps.whole[i] * 1.0001f, "sweep %d", i);
    }
}

Test(overlay, names_of_parts_are_understood_and_others_are_not) {
    unsigned parts = 0;
    cr_expect(poise__overlay_parse("ik", &parts));
    cr_expect_eq(parts, (unsigned)POISE_VIEW_IK);
    cr_expect(poise__overlay_parse("springs,labels", &parts));
    cr_expect_eq(parts, (unsigned)(POISE_SHOW_SPRINGS | POISE_SHOW_LABELS));
    cr_expect_not(poise__overlay_parse("spring", &parts));
    cr_expect_not(poise__overlay_parse("ik,,labels", &parts));
    cr_expect_not(poise__overlay_parse("ik,", &parts));
}

Test(overlay, number_keys_choose_the_five_views) {
    const struct {
        int key;
        unsigned parts;
    } rows[] = {{'1', POISE_VIEW_CLEAN},
                {'2', POISE_VIEW_IK},
                {'3', POISE_VIEW_FORCES},
                {'4', POISE_VIEW_SOLVER},
                {'5', POISE_VIEW_ALL}};
    PoiseApp* app = known_app();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        poise__input_push_key(&app->input, rows[i].key, true, false, 0);
        poise__app_frame(app, 0.0);
        cr_expect_eq(app->highlight.parts, rows[i].parts, "key %c", rows[i].key);
        poise__screen_draw(app);
        cr_expect_not(app->list.incomplete);
    }
    known_app_close(app);
}

Test(overlay, forces_asked_and_measured_are_arrows_of_one_scale) {
    PoiseApp* app = app_of(POISE_SOURCE_DIR "/scenes/press_wall.yaml");
    app->highlight.parts = POISE_SHOW_FORCES | POISE_SHOW_LABELS;
    cr_assert(poise__app_run_to(app, app->session.scene->seconds));
    int pressing = -1;
    for (int i = 0; i < poise_simulation_point_count(app->session.simulation); i++) {
        pressing = poise_simulation_point(app->session.simulation, i).presses ? i : pressing;
    }
    cr_assert_geq(pressing, 0);
    PoisePointView point = poise_simulation_point(app->session.simulation, pressing);
    poise__screen_draw(app);
    // each of the two arrows has two parts; the asked one is translucent
    int hollow = 0, solid = 0;
    for (int i = 0; i < app->list.instance_count; i++) {
        const PoiseInstance* part = &app->list.instances[i];
        if (part->mesh != POISE_MESH_LINE &&
            part->id == poise__draw_id(POISE_DRAW_FORCE, pressing)) {
            hollow += part->colour.w < 1.0f;
            solid += part->colour.w >= 1.0f;
        }
    }
    cr_expect_eq(hollow, 2);
    cr_expect_eq(solid, 2);
    char label[64];
    snprintf(label, sizeof label, "%.3g of %.3g N",
             poise_dot(point.force_measured, point.force) / poise_length(point.force),
             poise_length(point.force));
    bool found = false;
    for (int i = 0; i < app->list.label_count; i++) {
        found = found || strcmp(app->list.labels[i].text, label) == 0;
    }
    cr_expect(found, "no label says %s", label);
    known_app_close(app);
}
