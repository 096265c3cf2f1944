// SPDX-License-Identifier: MIT
#include "stage.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "works.h"

static const char* const scene_text =
    "poise: 1\n"
    "bodies:\n"
    "  stand: {box: [0.2, 0.2, 0.2], at: [0, 0, 0.1], fixed: true}\n"
    "  upper: {box: [0.1, 0.1, 0.4], at: [0, 0, 0.4]}\n"
    "  lower: {box: [0.1, 0.1, 0.4], at: [0, 0, 0.8]}\n"
    "  stone: {sphere: 0.1, at: [1, 0, 0.5]}\n"
    "joints:\n"
    "  shoulder: {ball: [0, 0, 0.2], between: [stand, upper]}\n"
    "  elbow: {hinge: [0, 0, 0.6], axis: [0, 1, 0], between: [upper, lower]}\n"
    "control_points:\n"
    "  hand: {body: lower, at: [0, 0, 1], position: [0.1, 0, 0.9]}\n"
    "  palm: {body: lower, at: [0, 0, 1], orientation: {quaternion: [1, 0, 0, 0]}, enabled: "
    "false}\n";

dBodyID stage_body(dWorldID world, double x) {
    dMass mass;
    dMassSetBoxTotal(&mass, 1.0, 0.5, 0.1, 0.1);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, (dReal)x, 0.0, 0.0);
    return body;
}

dJointID stage_hinge(dWorldID world, dBodyID parent, dBodyID child, double x) {
    dJointID joint = dJointCreateHinge(world, 0);
    dJointAttach(joint, child, parent);
    dJointSetHingeAnchor(joint, (dReal)x, 0.0, 0.0);
    dJointSetHingeAxis(joint, 0.0, 0.0, 1.0);
    return joint;
}

static dJointID make_ball(dWorldID world, dBodyID parent, dBodyID child, double x) {
    dJointID joint = dJointCreateBall(world, 0);
    dJointAttach(joint, child, parent);
    dJointSetBallAnchor(joint, (dReal)x, 0.0, 0.0);
    return joint;
}

static void make_bodies(Stage* stage) {
    stage->world_def = poise_default_world_def();
    stage->world_def.host = test_host(&stage->host);
    stage->poise_world = poise_world_create(&stage->world_def);
    dWorldID world = stage->world = poise_world_ode(stage->poise_world);
    for (int i = 0; i < STAGE_BODIES; i++) {
        stage->bodies[i] = stage_body(world, 1.0 * i);
    }
    stage->joints[0] = stage_hinge(world, stage->bodies[0], stage->bodies[1], 0.5);
    stage->joints[1] = dJointCreateSlider(world, 0);
    dJointAttach(stage->joints[1], stage->bodies[2], stage->bodies[1]);
    dJointSetSliderAxis(stage->joints[1], 1.0, 0.0, 0.0);
    stage->joints[2] = make_ball(world, stage->bodies[2], stage->bodies[3], 2.5);
    stage->joints[3] = stage_hinge(world, stage->bodies[3], stage->bodies[4], 3.5);
    stage->joints[4] = make_ball(world, stage->bodies[0], stage->bodies[3], 2.75);
    stage->joints[5] = make_ball(world, 0, stage->bodies[5], 5.25);
    stage->joints[6] = dJointCreatePiston(world, 0);
    dJointAttach(stage->joints[6], stage->bodies[6], 0);
    dJointSetPistonAnchor(stage->joints[6], 6.0, 0.0, 0.0);
    stage->fixed_joint = dJointCreateFixed(world, 0);
    dJointAttach(stage->fixed_joint, stage->bodies[5], 0);
    // a contact between a sphere on a body and a sphere of the ground
    dSpaceID space = poise_world_space(stage->poise_world);
    dGeomSetBody(dCreateSphere(space, 0.25), stage->bodies[5]);
    dGeomSetPosition(dCreateSphere(space, 0.25), 5.25, 0.0, 0.0);
    cr_assert_eq(poise_world_collide(stage->poise_world), POISE_OK);
    stage->unbound_body = stage->bodies[4];
    stage->own_body = stage->bodies[5];
    stage->unbound_joint = stage->joints[3];
    stage->loop_joint = stage->joints[4];
    stage->other_world = dWorldCreate();
    stage->wrong.foreign_body = stage_body(stage->other_world, 1.0);
    stage->wrong.foreign_joint = stage_hinge(stage->other_world, 0, stage->wrong.foreign_body, 0.5);
    stage->wrong.open_joint = dJointCreateHinge(world, 0);
}

static PoiseNodeId make_node(PoiseTree* tree, PoiseNodeDef def, PoiseNodeId parent) {
    def.parent = parent;
    def.joint_in_parent.p = poise_vec3(1.0, 0.0, 0.0);
    return poise_node_create(tree, &def);
}

static PoisePointId make_point(PoiseTree* tree, PoisePointDef def, PoiseNodeId link) {
    def.link = link;
    def.in_link.p = poise_vec3(0.5, 0.25, 0.0);
    const PoisePointId point = poise_point_create(tree, &def);
    MAY_FAIL(poise_register_chain(tree, point, poise_null_node()));
    return point;
}

static void make_trees(Stage* stage) {
    stage->tree_def = poise_default_tree_def();
    stage->tree_def.host = test_host(&stage->host);
    stage->tree = poise_tree_create(&stage->tree_def);
    stage->spare_tree = poise_tree_create(&stage->tree_def);
    stage->other_tree = poise_tree_create(&stage->tree_def);
    stage->wrong.foreign_node =
        make_node(stage->other_tree, poise_default_hinge_def(), poise_null_node());
    stage->wrong.foreign_point =
        make_point(stage->other_tree, poise_default_position_def(), stage->wrong.foreign_node);
}

// Makes the nodes that are not bound, the points, and handles that are not valid.
static void make_unbound(Stage* stage) {
    PoiseTree* tree = stage->tree;
    PoiseNodeDef unbound = poise_default_hinge_def();
    unbound.joint_in_parent = poise_pose_identity();
    unbound.parent = stage->ball;
    unbound.joint_in_parent.p = poise_vec3(0.5, 0.0, 0.0);
    unbound.link_in_joint.p = poise_vec3(0.5, 0.0, 0.0);
    stage->unbound = poise_node_create(tree, &unbound);
    stage->other = make_node(tree, poise_default_hinge_def(), stage->unbound);
    stage->translation = make_node(tree, poise_default_translation_def(), stage->other);
    stage->universal = make_node(tree, poise_default_universal_def(), stage->translation);
    stage->wrong.dead_node = make_node(tree, poise_default_hinge_def(), stage->unbound);
    stage->wrong.dead_point =
        make_point(tree, poise_default_position_def(), stage->wrong.dead_node);
    MAY_FAIL(poise_node_destroy(tree, stage->wrong.dead_node));
    stage->place = make_point(tree, poise_default_position_def(), stage->ball);
    stage->turn = make_point(tree, poise_default_orientation_def(), stage->ball);
    stage->direction = make_point(tree, poise_default_direction_def(), stage->ball);
    stage->both = make_point(tree, poise_default_pose_def(), stage->ball);
    stage->gaze = make_point(tree, poise_default_look_at_def(), stage->ball);
    stage->com = make_point(tree, poise_default_com_def(), stage->base);
    stage->foot = make_point(tree, poise_default_position_def(), stage->base);
    stage->wrong.no_node = stage->base;
    stage->wrong.no_node.index1 = 9999;
    stage->wrong.no_point = stage->place;
    stage->wrong.no_point.index1 = 9999;
    stage->wrong.gone_point = make_point(tree, poise_default_position_def(), stage->ball);
    MAY_FAIL(poise_point_destroy(tree, stage->wrong.gone_point));
}

static void make_rig(Stage* stage) {
    PoiseTree* tree = stage->tree;
    stage->rig_def = poise_default_rig_def();
    stage->rig_def.tree = tree;
    stage->rig_def.world = stage->world;
    stage->rig_def.host = test_host(&stage->host);
    PoiseRig* rig = stage->rig = poise_rig_create(&stage->rig_def);
    cr_assert_not_null(rig);
    PoiseBindDef float_def = poise_default_bind_def();
    float_def.ik = (PoiseSpring){0.0, 0.0};
    stage->base = poise_rig_add_base(rig, stage->bodies[0], &float_def);
    PoiseBindDef bind = poise_default_bind_def();
    stage->hinge = poise_rig_add(rig, stage->joints[0], stage->bodies[1], &bind);
    stage->slider = poise_rig_add(rig, stage->joints[1], stage->bodies[2], &bind);
    stage->ball = poise_rig_add(rig, stage->joints[2], stage->bodies[3], &bind);

    stage->slide = poise_rig_add(rig, stage->joints[6], stage->bodies[6], &bind);
    make_unbound(stage);
    stage->stance_def = poise_default_stance_def();
    stage->stance_def.point = stage->foot;
    cr_assert_eq(poise_rig_add_stance(rig, &stage->stance_def), POISE_OK, "%s",
                 poise_rig_message(rig));
    MAY_FAIL(poise_forward(tree));
    PoiseRigReport report;
    cr_assert_geq(poise_rig_update(rig, 0.01, &report), POISE_OK, "%s", poise_rig_message(rig));
    MAY_FAIL(poise_forward(tree));
    MAY_FAIL(poise_stage_jacobians(tree));
    MAY_FAIL(poise_stage_blocks(tree));
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        PoisePointId points[1];
        const PoiseNodeId node = poise_tree_node(tree, i);
        if (poise_node_points(tree, node, points, 1) > 0) {
            stage->moved += poise_node_dof(tree, node);
        }
    }
    cr_assert_eq(poise_rig_status(rig), POISE_OK, "%s", poise_rig_message(rig));
    cr_assert_eq(poise_tree_status(tree), POISE_OK, "%s", poise_tree_message(tree));
}

static void make_numbers(Stage* stage) {
    const double wrong[3] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < STAGE_NUMBERS; i++) {
        stage->posture_memory[i] = 0.1;
        stage->out_memory[i] = 7.0;
        for (int k = 0; k < 3; k++) {
            stage->wrong.numbers[k][i] = i == 0 ? wrong[k] : 0.1;
        }
    }
    for (int k = 0; k < 3; k++) {
        stage->wrong.arrays[k] = stage->wrong.numbers[k];
    }
    stage->posture = stage->posture_memory;
    stage->out = stage->out_memory;
    stage->number = 0.25;
    stage->one = 1;
    stage->three = 3;
    stage->capacity = 8;
    stage->bits = 7;
    stage->text_size = 256;
    stage->one_size = 1;
    stage->yes = true;
    stage->choice = 1;
    stage->vector = poise_vec3(0.0, 0.6, 0.8);
    stage->rotation = poise_quat_from_axis_angle(poise_vec3(0.0, 0.0, 1.0), 0.3);
    stage->pose = poise_pose(poise_vec3(2.0, 0.3, 0.1), stage->rotation);
    stage->gains = (PoiseSpring){50.0, 5.0};
    stage->drive = (PoiseHingeDrive){.spring = stage->gains, .target = 0.1};
    stage->ball_drive = (PoiseBallDrive){.spring = stage->gains, .target = stage->rotation};
    stage->name = "elbow";
    stage->names = &stage->name;
    stage->body_list = stage->bodies;
    stage->point_list = &stage->place;
    stage->rig_list = &stage->rig;
    stage->key = "joints.elbow.ik.spring";
    stage->file = POISE_SOURCE_DIR "/scenes/reach.yaml";
}

static void make_engine_defs(Stage* stage) {
    stage->settings = stage->rig_def.settings;
    stage->rig_def.tree = stage->spare_tree;
    stage->bind_like = poise_default_bind_def();
    stage->bind_def = poise_default_bind_def();
    stage->bind_def.node = stage->unbound;
    stage->bind_def.joint = stage->unbound_joint;
    stage->bind_def.body = stage->unbound_body;
    static const dContact contact = {.geom.normal = {0.0, 0.0, 1.0, 0.0}};
    const PoiseHost hooks = test_host(&stage->host);
    stage->stepper = poise_stepper_create(stage->world, &hooks);
    stage->contact_group = dJointGroupCreate(0);
    stage->contact = &contact;
    stage->spring_def = poise_default_joint_spring_def();
    stage->spring_def.host = test_host(&stage->host);
    stage->spring = poise_spring_on_joint(stage->unbound_joint, &stage->spring_def);
    stage->ball_spring = poise_spring_on_joint(stage->joints[5], &stage->spring_def);
    cr_assert(stage->spring && stage->ball_spring, "%s", stage->host.last_message);
}

static void make_kinds(Stage* stage) {
    stage->hinge_def = poise_default_hinge_def();
    stage->slider_def = poise_default_slider_def();
    stage->ball_def = poise_default_ball_def();
    stage->universal_def = poise_default_universal_def();
    stage->translation_def = poise_default_translation_def();
    stage->free_def = poise_default_free_def();
    PoisePointDef* const points[] = {&stage->position_def, &stage->orientation_def,
                                     &stage->pose_def,     &stage->direction_def,
                                     &stage->gaze_def,     &stage->com_def};
    const PoisePointDef defs[] = {poise_default_position_def(), poise_default_orientation_def(),
                                  poise_default_pose_def(),     poise_default_direction_def(),
                                  poise_default_look_at_def(),  poise_default_com_def()};
    for (int i = 0; i < 6; i++) {
        *points[i] = defs[i];
        points[i]->link = stage->ball;
        points[i]->has_goal = true;
    }
}

static void make_wishes(Stage* stage) {
    stage->variable =
        (PoiseVariable){.kind = POISE_VARIABLE_ORIGINAL_STIFFNESS, .node = stage->hinge};
    stage->sensitivity_def = (PoiseSensitivityDef){.points = &stage->place,
                                                   .point_count = 1,
                                                   .variables = &stage->variable,
                                                   .variable_count = 1,
                                                   .step = 0.01};
    stage->sensitivity = stage->sensitivity_memory;
    stage->wish = poise_default_compliance_wish();
    stage->wish.point = stage->place;
    stage->wish.along[0] = 0.001;
    stage->design_def = (PoiseDesignDef){.wishes = &stage->wish, .wish_count = 1, .step = 0.01};
    stage->design = &stage->design_memory;
    stage->natural_def = (PoiseNaturalDef){
        .point = stage->place, .rest = poise_pose_identity(), .place = true, .step = 0.01};
    stage->natural_design = &stage->natural_memory;
    stage->natural_list = stage->natural_postures;
}

static void make_apart(Stage* stage) {
    stage->geom = dCreateSphere(NULL, 0.1);
    stage->geoms_apart = (PoiseGeomsApart){.geoms = &stage->geom, .count = 1, .distance = 0.01};
    stage->convex = poise_convex_sphere(0.1);
    stage->corners[0] = poise_vec3(1, 0, 0);
    stage->parts[0] = (PoiseApartPart){.link = stage->other, .shape = stage->convex};
    stage->parts[1] = (PoiseApartPart){.shape = stage->convex};
    stage->parts[1].shape.pose.p = poise_vec3(0, 0, 9);
    stage->part_pair = (PoiseApartPair){0, 1};
    stage->apart_def = poise_default_apart_def();
    stage->apart_def.parts = stage->parts;
    stage->apart_def.part_count = 2;
    stage->apart_def.samples = 3;
    stage->apart = poise_apart_create(stage->tree, &stage->apart_def);
    cr_assert_not_null(stage->apart, "%s", poise_tree_message(stage->tree));
}

static void make_tasks(Stage* stage) {
    stage->task_def = poise_default_task_def(POISE_TASK_POINT);
    stage->task_def.point = stage->place;
    stage->tasks_def = poise_default_tasks_def();
    stage->tasks_def.iterations = 5;
    stage->tasks_def.starts = 2;
    stage->tasks = poise_tasks_create(stage->tree);
    cr_assert(poise_tasks_add(stage->tasks, &stage->task_def) == 0);
}

static void make_defs(Stage* stage) {
    make_kinds(stage);
    stage->points[0] = stage->place;
    stage->claim_pointer = &stage->claim;
    stage->wall = (PoiseWall){stage->place, {0.0, 0.0, 1.0}, 0.5, NULL, 0.01};
    stage->forecast_def = (PoiseForecastDef){
        .points = &stage->place, .count = 1, .walls = &stage->wall, .wall_count = 1, .step = 0.01};
    make_wishes(stage);
    stage->node_def = poise_default_ball_def();
    stage->node_def.parent = stage->other;
    stage->point_def = poise_default_pose_def();
    stage->point_def.link = stage->ball;
    stage->point_def.has_goal = true;
    stage->point_def.frame = stage->hinge;
    stage->solve_def = poise_default_solve_def();
    stage->reach_def = poise_default_reach_def();
    stage->body_tips[0] = (PoiseBodyTip){.link = stage->other, .in_link = poise_pose_identity()};
    stage->body_def = poise_default_body_def();
    stage->body_def.tip_count = 1;
    stage->body_def.tips = stage->body_tips;
    stage->body_def.seeds = 64;
    stage->body_def.host = test_host(&stage->host);
    stage->body = poise_body_compile(stage->tree, &stage->body_def);
    cr_assert_not_null(stage->body, "%s", poise_tree_message(stage->tree));
    stage->body_solve_def = poise_default_body_solve_def();
    stage->body_solve_def.iterations = 20;
    stage->body_targets[0] = poise_default_body_target(stage->pose);
    stage->body_batch = (PoiseBodyBatch){1, stage->body_targets, stage->posture_memory, NULL};
    stage->body_answers = (PoiseBodyAnswers){1, stage->body_answer, 0, false};
    stage->body_answers_pointer = &stage->body_answers;
    make_apart(stage);
    make_tasks(stage);
    stage->leg_def = poise_default_leg_def();
    stage->arm_def = poise_default_arm_def();
    stage->person_def = poise_default_person_def();
    stage->person_posture.trunk = poise_pose_identity();
    stage->person = &stage->person_posture;
    MAY_FAIL(poise_person_forward(&stage->person_def, &stage->person_posture, &stage->person_ends));
    for (int i = 0; i < 2; i++) {
        stage->dh_rows[i] = (PoiseDhRow){POISE_NODE_HINGE, 0.1, 0.2, 0.3, 0.4};
    }
    MAY_FAIL(poise_reach_begin(stage->spare_tree, NULL));
    make_engine_defs(stage);
    stage->snapshot_def = poise_default_snapshot_def();
    stage->snapshot_def.world = stage->poise_world;
    stage->snapshot_def.bodies = stage->bodies;
    stage->snapshot_def.body_count = STAGE_BODIES;
    stage->snapshot_def.joints = stage->joints;
    stage->snapshot_def.joint_count = STAGE_JOINTS;
    stage->snapshot_def.rigs = &stage->rig;
    stage->snapshot_def.rig_count = 1;
    stage->limits = poise_node_limits(stage->tree, stage->hinge);
    stage->limits.lower[0] = -3.0;
    stage->limits.upper[0] = 3.0;
}

static void make_scene(Stage* stage) {
    const PoiseHost host = stage->test_hooks = test_host(&stage->host);
    stage->allocate_only = stage->release_only = host;
    stage->allocate_only.release = NULL;
    stage->release_only.allocate = NULL;
    stage->diagnostics = poise_diagnostics_create(&host);
    stage->source = (PoiseSceneSource){.path = "stage.yaml",
                                       .text = scene_text,
                                       .text_size = strlen(scene_text),
                                       .trust = POISE_TRUST_ALL,
                                       .host = host};
    stage->scene = poise_scene_load_source(&stage->source, stage->diagnostics);
    cr_assert_not_null(stage->scene, "%s", poise_diagnostics_at(stage->diagnostics, 0).text);
    stage->simulation = poise_simulation_create(stage->scene, stage->diagnostics);
    cr_assert_not_null(stage->simulation);
    cr_assert_geq(poise_simulation_step(stage->simulation), POISE_OK);
    stage->parameter = poise_simulation_find_parameter(stage->simulation, stage->key);
    stage->added = poise_simulation_add_point(stage->simulation, 2, poise_vec3(0.0, 0.0, 0.9));
    cr_assert_geq(stage->added, 0);
    stage->position_goal = stage->scene->points[0].position;
    stage->orientation_goal = stage->scene->points[1].orientation;
    stage->statistics = poise_statistics_create(stage->simulation);
    cr_assert_null(poise_tip_find(stage->simulation, "lower", &stage->batch_tips[0], stage->text,
                                  stage->text_size));
    stage->found_tip = stage->batch_tips[0];
    stage->tip = &stage->found_tip;
    stage->batch_targets[0] = poise_pose(poise_vec3(0.2, 0.1, 0.8), poise_quat_identity());
    stage->tip_batch = (PoiseTipBatch){.tips = stage->batch_tips,
                                       .tip_count = 1,
                                       .count = 1,
                                       .targets = stage->batch_targets,
                                       .postures = stage->posture_memory};
    stage->look =
        (PoiseSceneLook){.mesh = NULL, .kind = POISE_SHAPE_SPHERE, .size = {0.1, 0.0, 0.0}};
    stage->mark = (PoiseMark){"stage.yaml", 1, 1};
    stage->study_settings[0] = "scene=" POISE_SOURCE_DIR "/scenes/springhead_2balls.yaml";
    stage->study_settings[1] = "vary.world.step=0.01,0.02";
    stage->study_settings[2] = "figures=tip.error";
    stage->study_settings[3] = "seconds=0.02";
    stage->study_source =
        (PoiseStudySource){.settings = stage->study_settings, .setting_count = 4, .host = host};
    stage->study = poise_study_load(&stage->study_source, stage->diagnostics);
    cr_assert_not_null(stage->study);
    stage->study_row_pointer = &stage->study_row;
    stage->change = (PoiseChange){.kind = POISE_CHANGE_HOLD, .place = {0.1, 0.2, 0.3}};
    stage->replay = (PoiseReplay){.scene = "reach"};
    stage->replay_pointer = &stage->replay;
    stage->run_def = (PoiseRunDef){.steps = 1};
    stage->report = (PoiseReport){.simulation = stage->simulation};
}

static void save_all(Stage* stage) {
    stage->tree_size = poise_tree_save_size(stage->tree);
    stage->saved_tree = malloc(stage->tree_size);
    cr_assert_eq(poise_tree_save(stage->tree, stage->saved_tree, stage->tree_size), POISE_OK);
    stage->rig_size = poise_snapshot_size(&stage->snapshot_def);
    stage->saved_rig = malloc(stage->rig_size);
    cr_assert_eq(poise_snapshot_save(&stage->snapshot_def, stage->saved_rig, stage->rig_size),
                 POISE_OK);
    stage->simulation_size = poise_simulation_snapshot_size(stage->simulation);
    stage->saved_simulation = malloc(stage->simulation_size);
    cr_assert_eq(poise_simulation_snapshot_save(stage->simulation, stage->saved_simulation,
                                                stage->simulation_size),
                 POISE_OK);
}

void stage_init(Stage* stage) {
    memset(stage, 0, sizeof *stage);
    dInitODE2(0);
    stage->text = calloc(1, 256);
    stage->memory = malloc(STAGE_MEMORY);
    memset(stage->memory, 7, STAGE_MEMORY);
    stage->size = STAGE_MEMORY;
    make_bodies(stage);
    make_numbers(stage);
    make_trees(stage);
    make_rig(stage);
    make_defs(stage);
    make_scene(stage);
    save_all(stage);
    stage->host.messages = 0;
}

void stage_finish(Stage* stage) {
    poise_statistics_destroy(stage->statistics);
    poise_simulation_destroy(stage->simulation);
    poise_study_destroy(stage->study);
    poise_scene_destroy(stage->scene);
    poise_diagnostics_destroy(stage->diagnostics);
    poise_stepper_destroy(stage->stepper);
    dJointGroupDestroy(stage->contact_group);
    poise_joint_spring_destroy(stage->spring);
    poise_joint_spring_destroy(stage->ball_spring);
    poise_body_destroy(stage->body);
    poise_apart_destroy(stage->apart);
    poise_tasks_destroy(stage->tasks);
    dGeomDestroy(stage->geom);
    poise_rig_destroy(stage->rig);
    poise_tree_destroy(stage->tree);
    poise_tree_destroy(stage->spare_tree);
    poise_tree_destroy(stage->other_tree);
    poise_world_destroy(stage->poise_world);
    dWorldDestroy(stage->other_world);
    free(stage->text);
    free(stage->memory);
    free(stage->saved_tree);
    free(stage->saved_rig);
    free(stage->saved_simulation);
    dCloseODE();
}
