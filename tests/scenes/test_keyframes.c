// SPDX-License-Identifier: MIT
// Reads the keyframes of `poise motion` into MuJoCo. In a model of the same bodies each frame must
// have every body at its place in the table.
#include <criterion/criterion.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poise/simulation.h"
#include "program.h"
#include "running.h"

// ----------------------------------------------------------- the scene's bodies as MuJoCo's model

static void write_joint(FILE* out, const PoiseSceneJoint* joint, PoisePose body) {
    const PoiseVec3 at = poise_pose_apply(poise_pose_inverse(body), joint->anchor);
    const PoiseVec3 axes[] = {poise_quat_unrotate(body.q, joint->axis),
                              poise_quat_unrotate(body.q, joint->axis2)};
    const int count = joint->kind == POISE_NODE_UNIVERSAL ? 2 : 1;
    if (joint->kind == POISE_NODE_FREE) {
        fprintf(out, "<freejoint/>");
        return;
    }
    const char* type = joint->kind == POISE_NODE_BALL     ? "ball"
                       : joint->kind == POISE_NODE_SLIDER ? "slide"
                                                          : "hinge";
    for (int i = 0; i < count; i++) {
        fprintf(out, "<joint type='%s' pos='%.17g %.17g %.17g' axis='%.17g %.17g %.17g'/>", type,
                at.x, at.y, at.z, axes[i].x, axes[i].y, axes[i].z);
    }
}

// Writes the bodies that the body carries (-1: the world), in the order of the joints in the file.
static void write_branch(FILE* out, const PoiseScene* scene, int body) {
    for (int i = 0; i < scene->joint_count; i++) {
        const PoiseSceneJoint* joint = &scene->joints[i];
        const bool on_world = joint->parent.index < 0 || scene->bodies[joint->parent.index].fixed;
        if (!joint->driven || (body < 0 ? !on_world : joint->parent.index != body)) {
            continue;
        }
        const PoiseSceneBody* child = &scene->bodies[joint->child.index];
        const PoisePose in_parent =
            on_world ? child->pose
                     : poise_pose_mul(poise_pose_inverse(scene->bodies[body].pose), child->pose);
        fprintf(out,
                "<body name='%s' pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>"
                "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>",
                child->name, in_parent.p.x, in_parent.p.y, in_parent.p.z, in_parent.q.w,
                in_parent.q.x, in_parent.q.y, in_parent.q.z);
        write_joint(out, joint, child->pose);
        write_branch(out, scene, joint->child.index);
        fprintf(out, "</body>\n");
    }
}

// Compiles the model, which includes the file of the keyframes.
static mjModel* model_of(const PoiseScene* scene) {
    char error[500] = "";
    FILE* out = fopen("model.xml", "w");
    cr_assert_not_null(out);
    fprintf(out, "<mujoco><compiler angle='radian'/><worldbody>\n");
    write_branch(out, scene, -1);
    fprintf(out, "</worldbody><include file='keys.xml'/></mujoco>\n");
    cr_assert(fclose(out) == 0);
    mjModel* model = mj_loadXML("model.xml", NULL, error, sizeof error);
    cr_assert_not_null(model, "%s", error);
    return model;
}

// ---------------------------------------------------------------------------------- the comparison

// Sets the posture of a row of the table. The first number of the row is the time.
static void pose_as(PoiseSimulation* simulation, const char* row) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    char* rest = strchr(row, ',');
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const PoiseNodeId node = poise_simulation_joint_node(simulation, i);
        double q[POISE_MAX_POSTURE];
        const int count = poise_node_posture(tree, node, q);
        for (int k = 0; k < count; k++) {
            cr_assert(rest && *rest == ',', "the row is too short: %.80s", row);
            q[k] = strtod(rest + 1, &rest);
        }
        if (count > 0) {
            cr_assert_eq(poise_node_set_posture(tree, node, q, count), POISE_OK);
        }
    }
    cr_assert(*rest == '\n' || *rest == '\0', "the row goes on: %.80s", rest);
    cr_assert_eq(poise_forward(tree), POISE_OK);
}

static int compare_bodies(const PoiseSimulation* simulation, const mjModel* model,
                          const mjData* data, int frame) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    int compared = 0;
    for (int i = 0; i < scene->body_count; i++) {
        const int id = mj_name2id(model, mjOBJ_BODY, scene->bodies[i].name);
        if (scene->bodies[i].joint < 0 || id < 0) {
            continue;
        }
        const PoiseNodeId node = poise_simulation_joint_node(simulation, scene->bodies[i].joint);
        PoisePose ours = poise_node_link_world(poise_simulation_tree(simulation), node);
        ours.p = poise_sub(ours.p, poise_quat_rotate(ours.q, scene->bodies[i].com));
        const double* p = &data->xpos[3 * id];
        const double* q = &data->xquat[4 * id];
        const double off = poise_length(poise_sub(ours.p, poise_vec3(p[0], p[1], p[2])));
        const PoiseQuat theirs = poise_quat(q[0], q[1], q[2], q[3]);
        const double turned =
            poise_length(poise_quat_log(poise_quat_mul(ours.q, poise_quat_conjugate(theirs))));
        cr_expect(off < 1e-9 && turned < 1e-9, "frame %d: %s is off by %g m, %g rad", frame,
                  scene->bodies[i].name, off, turned);
        compared++;
    }
    return compared;
}

static void compare_scene(const char* name, int frames, int bodies) {
    Outcome* outcome = outcome_create();
    char text[200];
    snprintf(text, sizeof text, "motion %s --fps 10 --keyframes keys.xml --csv table.csv", name);
    run_program(outcome, "%s", text);
    cr_assert_eq(outcome->code, 0, "%s", outcome->err);
    snprintf(text, sizeof text, POISE_SOURCE_DIR "/scenes/%s.yaml", name);
    Loaded loaded = load_file(text);
    PoiseSimulation* simulation = run(loaded).simulation;
    mjModel* model = model_of(loaded.scene);
    mjData* data = mj_makeData(model);
    char* table = read_scratch("table.csv");
    cr_assert(data && table);
    cr_expect_eq(model->nkey, frames, "%s: %d frames", name, model->nkey);
    const char* row = table;
    for (int frame = 0; frame < model->nkey; frame++) {
        row = strchr(row, '\n');
        cr_assert(row && row[1], "the table ends before frame %d", frame);
        row++;
        pose_as(simulation, row);
        mju_copy(data->qpos, &model->key_qpos[frame * model->nq], model->nq);
        mj_kinematics(model, data);
        const int compared = compare_bodies(simulation, model, data, frame);
        cr_assert_eq(compared, bodies, "%s: %d bodies were compared", name, compared);
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    outcome_destroy(outcome);
}

Test(keyframes, a_walk_is_the_same_in_mujoco) {
    compare_scene("walk", 61, 19);
}

Test(keyframes, a_wave_is_the_same_in_mujoco) {
    compare_scene("wave", 51, 9);
}
