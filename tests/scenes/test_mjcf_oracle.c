// SPDX-License-Identifier: MIT
// MJCF robots against MuJoCo itself, where it is installed: where the bodies are in random
// postures, what they weigh, how far and how strongly their joints move.
#include <criterion/criterion.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loaded.h"
#include "mesh.h"
#include "poise/simulation.h"
#include "posture.h"

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
    const PoiseJointType* type = poise_joint_type(joint->kind);
    if (!joint->driven || !type || type->nv == POISE_MAX_NV) {
        return; // closes a loop, which kinematics leave open; or a base, which both have as it is
    }
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
    cr_assert(set_rotation(tree, node, turn) == POISE_OK);
}

// the frame of MuJoCo's body; -1: it has no name
static int frame_of(const Both* both, int body) {
    const char* name = mj_id2name(both->model, mjOBJ_BODY, body);
    int frame = name && name[0] ? poise_scene_find_frame(both->loaded.scene, name) : -1;
    cr_assert(frame >= 0 || !name || !name[0], "no frame %s", name);
    return frame;
}

// false: it has no name
static bool expect_body(const Both* both, int body, const char* file) {
    const PoiseScene* scene = both->loaded.scene;
    const char* name = mj_id2name(both->model, mjOBJ_BODY, body);
    int index = frame_of(both, body);
    if (index < 0) {
        return false;
    }
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
    return true;
}

// a body weighs what all MuJoCo's bodies that are welded into it do
static void expect_mass(const Both* both, int index, double precision, const char* file) {
    const PoiseScene* scene = both->loaded.scene;
    const PoiseSceneBody* own = &scene->bodies[index];
    double mass = 0.0;
    int last = 0;
    int count = 0;
    for (int body = 1; body < both->model->nbody; body++) {
        int frame = frame_of(both, body);
        if (frame >= 0 && scene->frames[frame].body == index) {
            mass += both->model->body_mass[body];
            last = body;
            count++;
        }
    }
    if (strcmp(own->name, "world") == 0 || count == 0) {
        return; // what stands in the world; a link between two joints of one of MuJoCo's bodies
    }
    cr_expect(fabs(own->mass - mass) <= precision * mass, "%s: %s weighs %.12g, in MuJoCo %.12g",
              file, own->name, own->mass, mass);
    if (count > 1) {
        return;
    }
    const double* com = &both->model->body_ipos[3 * last];
    double off = poise_length(poise_sub(own->com, poise_vec3(com[0], com[1], com[2])));
    cr_expect(off < fmax(1e-9, 1e-2 * precision), "%s: the centre of %s is off by %g m", file,
              own->name, off);
    // the trace of the inertia does not ask about axes
    const double* moments = &both->model->body_inertia[3 * last];
    double trace = moments[0] + moments[1] + moments[2];
    double ours = own->inertia[0] + own->inertia[1] + own->inertia[2];
    cr_expect(fabs(ours - trace) <= 1e-6 * trace, "%s: the inertia of %s is %g, in MuJoCo %g", file,
              own->name, ours, trace);
}

static bool is_near(double ours, double theirs) {
    return ours == theirs || fabs(ours - theirs) <= 1e-12 * (1.0 + fabs(theirs));
}

static void expect_range(const Both* both, const PoiseSceneJoint* joint, int id, const char* file) {
    const mjModel* model = both->model;
    double zero = model->qpos0[model->jnt_qposadr[id]];
    double lower = -(double)INFINITY;
    double upper = (double)INFINITY;
    bool ball = joint->kind == POISE_NODE_BALL;
    if (model->jnt_limited[id]) {
        lower = model->jnt_range[2 * id] - zero;
        upper = model->jnt_range[2 * id + 1] - (ball ? 0.0 : zero);
    }
    bool same = ball ? is_near(joint->swing, upper)
                     : is_near(joint->lower, lower) && is_near(joint->upper, upper);
    cr_expect(same, "%s: %s moves from %g to %g, in MuJoCo %g to %g", file, joint->name,
              joint->lower, ball ? joint->swing : joint->upper, lower, upper);
}

// the most that MuJoCo's actuators give the joint together, by the compiled model
static double strength_of(const mjModel* model, int id) {
    double sum = 0.0;
    for (int i = 0; i < model->nu; i++) {
        if (model->actuator_trntype[i] != mjTRN_JOINT || model->actuator_trnid[2 * i] != id) {
            continue;
        }
        double force = (double)INFINITY;
        const double* range = &model->actuator_forcerange[2 * i];
        if (model->actuator_forcelimited[i]) {
            force = fmax(fabs(range[0]), fabs(range[1]));
        }
        if (model->actuator_biastype[i] == mjBIAS_NONE &&
            model->actuator_gaintype[i] == mjGAIN_FIXED && model->actuator_ctrllimited[i]) {
            const double* control = &model->actuator_ctrlrange[2 * i];
            double gain = fabs(model->actuator_gainprm[mjNGAIN * i]);
            force = fmin(force, gain * fmax(fabs(control[0]), fabs(control[1])));
        }
        sum += fabs(model->actuator_gear[6 * i]) * force;
    }
    return sum > 0.0 ? sum : (double)INFINITY;
}

static int expect_joints(const Both* both, const char* file) {
    int limited = 0;
    for (int i = 0; i < both->loaded.scene->joint_count; i++) {
        const PoiseSceneJoint* joint = &both->loaded.scene->joints[i];
        int id = mj_name2id(both->model, mjOBJ_JOINT, joint->name);
        if (id < 0) {
            const bool named = poise_joint_type(joint->kind)->nv < POISE_MAX_NV;
            cr_expect(!joint->driven || !named, "%s: MuJoCo has no joint %s", file, joint->name);
            continue;
        }
        expect_range(both, joint, id, file);
        double strength = strength_of(both->model, id);
        cr_expect(is_near(joint->bind.torque_limit, strength), "%s: %s gives %g, in MuJoCo %g",
                  file, joint->name, joint->bind.torque_limit, strength);
        limited += isfinite(strength) ? 1 : 0;
    }
    return limited;
}

static void compare_postures(const Both* both, const char* file) {
    uint64_t seed = 7;
    int home = mj_name2id(both->model, mjOBJ_KEY, "home");
    int compared = 0;
    for (int posture = 0; posture < 20; posture++) {
        mj_resetData(both->model, both->data);
        if (home >= 0) {
            mj_resetDataKeyframe(both->model, both->data, home);
        }
        for (int i = 0; i < both->loaded.scene->joint_count; i++) {
            set_joint(both, i, &seed);
        }
        cr_assert(poise_forward(poise_simulation_tree(both->simulation)) == POISE_OK);
        mj_kinematics(both->model, both->data);
        for (int body = 1; body < both->model->nbody; body++) {
            compared += expect_body(both, body, file) ? 1 : 0;
        }
    }
    cr_expect(compared > 0, "%s: no body was compared", file);
}

// one black pixel, in place of textures that are not beside the robot
static const unsigned char pixel[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48,
    0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00,
    0x00, 0x90, 0x77, 0x53, 0xde, 0x00, 0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x78,
    0x9c, 0x63, 0x60, 0x60, 0x60, 0x00, 0x00, 0x00, 0x04, 0x00, 0x01, 0xf6, 0x17, 0x38,
    0x55, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};

// gives MuJoCo a pixel for each texture that the file names
static void add_pictures(mjVFS* vfs, const char* file) {
    char line[2000];
    FILE* text = fopen(file, "r");
    while (text && fgets(line, sizeof line, text)) {
        const char* ending = strstr(line, ".png\"");
        const char* start = ending;
        while (start && start > line && start[-1] != '"') {
            start--;
        }
        char name[100];
        if (ending && ending - start < 90) {
            snprintf(name, sizeof name, "%.*s.png", (int)(ending - start), start);
            if (mj_makeEmptyFileVFS(vfs, name, sizeof pixel) == 0) {
                memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], pixel, sizeof pixel);
            }
        }
    }
    if (text) {
        fclose(text);
    }
}

static mjModel* load_model(const char* file) {
    char error[500] = "";
    mjVFS* vfs = malloc(sizeof *vfs);
    cr_assert_not_null(vfs);
    mj_defaultVFS(vfs);
    char whole[500];
    snprintf(whole, sizeof whole, "%s", file);
    add_pictures(vfs, whole);
    // a scene's textures are those of the robot beside it
    char* scene = strstr(whole, "anybotics_anymal_c/scene.xml");
    if (scene) {
        snprintf(scene, 60, "anybotics_anymal_c/anymal_c.xml");
        add_pictures(vfs, whole);
    }
    mjModel* model = mj_loadXML(file, vfs, error, sizeof error);
    cr_assert_not_null(model, "%s: %s", file, error);
    mj_deleteVFS(vfs);
    free(vfs);
    return model;
}

// how many joints have a torque limit, all of them as MuJoCo's; `precision` of the masses, as a
// part
static int compare(const char* file, double precision) {
    Both both = {.loaded = load_file(file)};
    REQUIRE_SCENE(both.loaded);
    both.model = load_model(file);
    both.data = mj_makeData(both.model);
    both.simulation = poise_simulation_create(both.loaded.scene, both.loaded.diagnostics);
    char text[2000];
    cr_assert_not_null(both.simulation, "%s: %s", file, findings(&both.loaded, text, sizeof text));
    compare_postures(&both, file);
    for (int body = 0; body < both.loaded.scene->body_count; body++) {
        expect_mass(&both, body, precision, file);
    }
    int limited = expect_joints(&both, file);
    poise_simulation_destroy(both.simulation);
    unload(&both.loaded);
    mj_deleteData(both.data);
    mj_deleteModel(both.model);
    return limited;
}

Test(mjcf_oracle, our_models_are_where_mujoco_has_it) {
    compare(POISE_SOURCE_DIR "/tests/scenes/figure.xml", 1e-9);
    // the points of meshes come in single precision
    if (!poise__mesh_is_built()) {
        cr_skip("built without meshes");
    }
    compare(POISE_SOURCE_DIR "/tests/scenes/models/tour.xml", 1e-6);
}

// false with the test skipped
static bool has_data(void) {
    if (!poise__mesh_is_built()) {
        cr_skip("built without meshes");
        return false;
    }
    FILE* file = fopen(POISE_TEST_DATA "/robots/humanoid.mjcf.xml", "r");
    if (!file) {
        cr_skip("POISE_TEST_DATA has no robots");
        return false;
    }
    fclose(file);
    return true;
}

Test(mjcf_oracle, public_robots_are_where_mujoco_has_them) {
    static const struct {
        const char* file;
        int limited; ///< joints with a torque limit
        /// A mesh is as large as its hull here and in MuJoCo 3; in MuJoCo 2.2.2 as the box of the
        /// same inertia, which is 0.06 % less for the only meshes that weigh.
        double precision;
    } rows[] = {
        {"humanoid.mjcf.xml", 21, 1e-9},
        {"real/agility_cassie/cassie.xml", 10, 1e-9},
        {"real/agility_cassie/scene.xml", 10, 1e-9},
        {"real/anybotics_anymal_c/anymal_c.xml", 12, 1e-9},
        {"real/anybotics_anymal_c/scene.xml", 12, 1e-9},
        {"real/dm_humanoid_CMU/humanoid_CMU.xml", 56, 1e-9},
        {"real/robotiq_2f85/2f85.xml", 0, 1e-3},
        {"real/robotiq_2f85/scene.xml", 0, 1e-3},
        {"real/shadow_hand/left_hand.xml", 16, 1e-9},
        {"real/shadow_hand/right_hand.xml", 16, 1e-9},
        {"real/shadow_hand/scene_left.xml", 16, 1e-9},
        {"real/shadow_hand/scene_right.xml", 16, 1e-9},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && has_data(); i++) {
        char path[400];
        snprintf(path, sizeof path, "%s/robots/%s", POISE_TEST_DATA, rows[i].file);
        int limited = compare(path, rows[i].precision);
        cr_expect(limited == rows[i].limited, "%s: %d joints have a torque limit, not %d",
                  rows[i].file, limited, rows[i].limited);
    }
}
