// SPDX-License-Identifier: MIT
// MJCF robots against MuJoCo itself, where it is installed: where the bodies are in random
// postures, and what they weigh.
#include <criterion/criterion.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <string.h>

#include "loaded.h"
#include "poise/simulation.h"

// -1..1, the same every time
static double draw(uint64_t* state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

typedef struct Both {
    mjModel* model;
    mjData* data;
    Loaded loaded;
    PoiseSimulation* simulation;
} Both;

// the rotation of the child against the parent with every joint at 0
static PoiseQuat turned_at_rest(const PoiseScene* scene, const PoiseSceneJoint* joint) {
    PoiseQuat parent = joint->parent >= 0 && !scene->bodies[joint->parent].fixed
                           ? scene->bodies[joint->parent].pose.q
                           : poise_quat_identity();
    return poise_quat_mul(poise_quat_conjugate(parent), scene->bodies[joint->child].pose.q);
}

static void set_joint(const Both* both, int index, uint64_t* seed) {
    const PoiseScene* scene = both->loaded.scene;
    const PoiseSceneJoint* joint = &scene->joints[index];
    PoiseTree* tree = poise_simulation_tree(both->simulation);
    PoiseNodeId node = poise_simulation_joint(both->simulation, index).node;
    int mujocos = mj_name2id(both->model, mjOBJ_JOINT, joint->name);
    cr_assert(mujocos >= 0, "%s", joint->name);
    double* q = &both->data->qpos[both->model->jnt_qposadr[mujocos]];
    if (joint->kind != POISE_NODE_BALL) {
        double angle = (joint->kind == POISE_NODE_SLIDER ? 0.2 : 2.0) * draw(seed);
        q[0] = both->model->qpos0[both->model->jnt_qposadr[mujocos]] + angle;
        cr_assert(poise_node_set_angle(tree, node, angle) == POISE_OK);
        return;
    }
    PoiseQuat own =
        poise_quat_normalize(poise_quat(draw(seed), draw(seed), draw(seed), draw(seed)));
    PoiseQuat rest = turned_at_rest(scene, joint);
    q[0] = own.w;
    q[1] = own.x;
    q[2] = own.y;
    q[3] = own.z;
    // MuJoCo turns in the child's axes, a node in the joint's
    PoiseQuat turn = poise_quat_mul(rest, poise_quat_mul(own, poise_quat_conjugate(rest)));
    cr_assert(poise_node_set_rotation(tree, node, turn) == POISE_OK);
}

static void expect_body(const Both* both, int body, const char* file) {
    const PoiseScene* scene = both->loaded.scene;
    const char* name = mj_id2name(both->model, mjOBJ_BODY, body);
    int index = name ? poise_scene_find_frame(scene, name) : -1;
    cr_assert(index >= 0, "%s: no frame %s", file, name);
    const PoiseSceneFrame* frame = &scene->frames[index];
    const PoiseSceneBody* own = &scene->bodies[frame->body];
    PoisePose pose = own->pose;
    if (own->joint >= 0) {
        PoiseNodeId node = poise_simulation_joint(both->simulation, own->joint).node;
        pose = poise_node_link_world(poise_simulation_tree(both->simulation), node);
        pose.p = poise_sub(pose.p, poise_quat_rotate(pose.q, own->com));
    }
    pose = poise_pose_mul(pose, frame->in_body);
    const double* p = &both->data->xpos[3 * body];
    const double* q = &both->data->xquat[4 * body];
    double off = poise_length(poise_sub(pose.p, poise_vec3(p[0], p[1], p[2])));
    double turned = poise_length(poise_quat_log(
        poise_quat_mul(pose.q, poise_quat_conjugate(poise_quat(q[0], q[1], q[2], q[3])))));
    cr_expect(off < 1e-12 && turned < 1e-10, "%s: %s is off by %g m, %g rad", file, name, off,
              turned);
}

// a body weighs what all MuJoCo's bodies that are welded into it do
static void expect_mass(const Both* both, int index, const char* file) {
    const PoiseScene* scene = both->loaded.scene;
    const PoiseSceneBody* own = &scene->bodies[index];
    double mass = 0.0;
    int last = 0;
    int count = 0;
    for (int body = 1; body < both->model->nbody; body++) {
        const char* name = mj_id2name(both->model, mjOBJ_BODY, body);
        if (scene->frames[poise_scene_find_frame(scene, name)].body == index) {
            mass += both->model->body_mass[body];
            last = body;
            count++;
        }
    }
    if (own->fixed || count == 0) {
        return; // between two joints of one of MuJoCo's
    }
    cr_expect(fabs(own->mass - mass) <= 1e-9 * mass, "%s: %s weighs %.12g, in MuJoCo %.12g", file,
              own->name, own->mass, mass);
    if (count > 1) {
        return;
    }
    const double* com = &both->model->body_ipos[3 * last];
    double off = poise_length(poise_sub(own->com, poise_vec3(com[0], com[1], com[2])));
    cr_expect(off < 1e-9, "%s: the centre of %s is off by %g m", file, own->name, off);
    // the trace of the inertia does not ask about axes
    const double* moments = &both->model->body_inertia[3 * last];
    double trace = moments[0] + moments[1] + moments[2];
    double ours = own->inertia[0] + own->inertia[1] + own->inertia[2];
    cr_expect(fabs(ours - trace) <= 1e-6 * trace, "%s: the inertia of %s is %g, in MuJoCo %g", file,
              own->name, ours, trace);
}

static void compare(const char* file) {
    char error[500] = "";
    Both both = {.loaded = load_file(file)};
    REQUIRE_SCENE(both.loaded);
    both.model = mj_loadXML(file, NULL, error, sizeof error);
    cr_assert_not_null(both.model, "%s", error);
    both.data = mj_makeData(both.model);
    both.simulation = poise_simulation_create(both.loaded.scene, both.loaded.diagnostics);
    cr_assert_not_null(both.simulation);
    uint64_t seed = 7;
    for (int posture = 0; posture < 20; posture++) {
        mj_resetData(both.model, both.data);
        for (int i = 0; i < both.loaded.scene->joint_count; i++) {
            set_joint(&both, i, &seed);
        }
        cr_assert(poise_forward(poise_simulation_tree(both.simulation)) == POISE_OK);
        mj_kinematics(both.model, both.data);
        for (int body = 1; body < both.model->nbody; body++) {
            expect_body(&both, body, file);
        }
    }
    for (int body = 0; body < both.loaded.scene->body_count; body++) {
        expect_mass(&both, body, file);
    }
    poise_simulation_destroy(both.simulation);
    unload(&both.loaded);
    mj_deleteData(both.data);
    mj_deleteModel(both.model);
}

Test(mjcf_oracle, our_figure_is_where_mujoco_has_it) {
    compare(POISE_SOURCE_DIR "/tests/scenes/figure.xml");
}

Test(mjcf_oracle, mujocos_humanoid_is_where_mujoco_has_it) {
    FILE* file = fopen(POISE_TEST_DATA "/robots/humanoid.mjcf.xml", "r");
    if (!file) {
        cr_skip("POISE_TEST_DATA has no robots/humanoid.mjcf.xml");
    }
    fclose(file);
    compare(POISE_TEST_DATA "/robots/humanoid.mjcf.xml");
}
