// SPDX-License-Identifier: MIT
#include "mujoco_gaps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mujoco_model.h"
#include "posture.h"

// Least mass of a link that is compared, kg. MuJoCo replaces a mass of 0 by a billionth of this.
#define LEAST_MASS 1e-6

enum { POSTURES = 20 };

typedef struct Both {
    mjModel* model;
    mjData* data;
    const PoiseScene* scene;
    const PoiseSimulation* simulation;
    MujocoGaps* gaps;
} Both;

static void note(MujocoGap* gap, double off, const char* name, double ours, double theirs) {
    if (off > gap->worst || isnan(off)) {
        gap->worst = off;
        gap->ours = ours;
        gap->theirs = theirs;
        snprintf(gap->name, sizeof gap->name, "%s", name);
    }
}

// Returns a pseudo-random number in -1..1.
static double draw(uint64_t* state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 4503599627370496.0 - 1.0;
}

// ---------------------------------------------------------------------------------------- postures

// Returns the rotation of the child relative to the parent with all joints at 0.
static PoiseQuat turned_at_rest(const PoiseScene* scene, const PoiseSceneJoint* joint) {
    PoiseQuat parent = joint->parent.index >= 0 && !scene->bodies[joint->parent.index].fixed
                           ? scene->bodies[joint->parent.index].pose.q
                           : poise_quat_identity();
    return poise_quat_mul(poise_quat_conjugate(parent), scene->bodies[joint->child.index].pose.q);
}

// True if the comparison sets the joint's position. A floating base, and a joint that closes a
// loop, keeps the file's position in both programs.
static bool is_posed(const PoiseSceneJoint* joint) {
    return joint->driven && !poise_kind_floats(joint->kind);
}

static void turn_ball(const Both* both, const PoiseSceneJoint* joint, PoiseNodeId node, double* q,
                      uint64_t* seed) {
    PoiseTree* tree = poise_simulation_tree(both->simulation);
    const double w = draw(seed), x = draw(seed), y = draw(seed);
    const PoiseQuat own = poise_quat_normalize(poise_quat(w, x, y, draw(seed)));
    const PoiseQuat rest = turned_at_rest(both->scene, joint);
    q[0] = own.w;
    q[1] = own.x;
    q[2] = own.y;
    q[3] = own.z;
    // MuJoCo's rotation is in the child's axes, a node's rotation is in the joint's axes
    const PoiseQuat turn = poise_quat_mul(rest, poise_quat_mul(own, poise_quat_conjugate(rest)));
    const bool set = set_rotation(tree, node, turn) == POISE_OK;
    note(&both->gaps->turn, set ? 0.0 : (double)INFINITY, joint->name, 0.0, 0.0);
}

static void set_angle(const Both* both, const PoiseSceneJoint* joint, PoiseNodeId node,
                      double angle) {
    const PoiseStatus status =
        poise_node_set_angle(poise_simulation_tree(both->simulation), node, angle);
    note(&both->gaps->turn, status >= 0 ? 0.0 : (double)INFINITY, joint->name, angle, 0.0);
}

// Sets all joints of the tree to random positions, then copies the tree's positions to MuJoCo. The
// copy comes last because followers get their positions from their leaders.
static void pose_joints(const Both* both, uint64_t* seed) {
    PoiseTree* tree = poise_simulation_tree(both->simulation);
    for (int give = 0; give < 2; give++) {
        for (int i = 0; i < both->scene->joint_count; i++) {
            const PoiseSceneJoint* joint = &both->scene->joints[i];
            const PoiseNodeId node = poise_simulation_joint_node(both->simulation, i);
            const int id = mj_name2id(both->model, mjOBJ_JOINT, joint->name);
            if (!is_posed(joint)) {
                continue;
            }
            if (id < 0) {
                // A joint without a name is not moved.
                const bool single = poise_kind_axes(joint->kind) == 1;
                set_angle(both, joint, node, single ? 0.0 : (double)NAN);
                continue;
            }
            double* q = &both->data->qpos[both->model->jnt_qposadr[id]];
            if (poise_kind_turns(joint->kind)) {
                if (give == 0) {
                    turn_ball(both, joint, node, q, seed);
                }
            } else if (give == 1) {
                *q =
                    both->model->qpos0[both->model->jnt_qposadr[id]] + poise_node_angle(tree, node);
            } else if (joint->mimics < 0) {
                const double range = poise_kind_slides(joint->kind) ? 0.2 : 2.0;
                set_angle(both, joint, node, range * draw(seed));
            }
        }
    }
}

// Returns the frame of MuJoCo's body; -1: the body has no name, or the scene does not have it.
static int frame_of(const Both* both, int body) {
    const char* name = mj_id2name(both->model, mjOBJ_BODY, body);
    return name && name[0] ? poise_scene_find_frame(both->scene, name) : -1;
}

static void compare_place(const Both* both, int body) {
    const int index = frame_of(both, body);
    const char* name = mj_id2name(both->model, mjOBJ_BODY, body);
    if (index < 0) {
        const bool named = name && name[0] && strcmp(name, "world") != 0;
        note(&both->gaps->place, named ? (double)INFINITY : 0.0, named ? name : "", 0.0, 0.0);
        return;
    }
    const PoiseSceneFrame* frame = &both->scene->frames[index];
    const PoiseSceneBody* own = &both->scene->bodies[frame->body];
    PoisePose pose = own->pose;
    if (own->joint >= 0) {
        const PoiseNodeId node = poise_simulation_joint_node(both->simulation, own->joint);
        pose = poise_node_link_world(poise_simulation_tree(both->simulation), node);
        pose.p = poise_sub(pose.p, poise_quat_rotate(pose.q, own->com));
    }
    pose = poise_pose_mul(pose, frame->in_body);
    const double* p = &both->data->xpos[3 * body];
    const double* q = &both->data->xquat[4 * body];
    const double off = poise_length(poise_sub(pose.p, poise_vec3(p[0], p[1], p[2])));
    const double turned = poise_length(poise_quat_log(
        poise_quat_mul(pose.q, poise_quat_conjugate(poise_quat(q[0], q[1], q[2], q[3])))));
    note(&both->gaps->place, off, name, pose.p.z, p[2]);
    note(&both->gaps->turn, turned, name, pose.q.w, q[0]);
    both->gaps->links++;
}

static void compare_postures(const Both* both) {
    uint64_t seed = 7;
    const int home = mj_name2id(both->model, mjOBJ_KEY, "home");
    for (int posture = 0; posture < POSTURES; posture++) {
        mj_resetData(both->model, both->data);
        if (home >= 0) {
            mj_resetDataKeyframe(both->model, both->data, home);
        }
        pose_joints(both, &seed);
        const PoiseStatus status = poise_forward(poise_simulation_tree(both->simulation));
        note(&both->gaps->place, status >= 0 ? 0.0 : (double)INFINITY, "forward", 0.0, 0.0);
        mj_kinematics(both->model, both->data);
        for (int body = 1; body < both->model->nbody; body++) {
            compare_place(both, body);
        }
    }
}

// ------------------------------------------------------------------------------------------ masses

// Compares the body with MuJoCo's bodies that are welded into it. Their masses are summed.
static void compare_mass(const Both* both, int index) {
    const mjModel* model = both->model;
    const PoiseSceneBody* own = &both->scene->bodies[index];
    double mass = 0.0;
    PoiseVec3 moment = poise_vec3(0.0, 0.0, 0.0);
    int last = 0, count = 0;
    for (int body = 1; body < model->nbody; body++) {
        const int frame = frame_of(both, body);
        if (frame >= 0 && both->scene->frames[frame].body == index) {
            const double* com = &model->body_ipos[3 * body];
            const PoiseVec3 place = poise_pose_apply(both->scene->frames[frame].in_body,
                                                     poise_vec3(com[0], com[1], com[2]));
            mass += model->body_mass[body];
            moment = poise_add_scaled(moment, model->body_mass[body], place);
            last = body;
            count++;
        }
    }
    if (strcmp(own->name, "world") == 0 || count == 0 || mass < LEAST_MASS) {
        // The world, links between two joints of one MuJoCo body, and bodies without mass.
        return;
    }
    note(&both->gaps->mass, fabs(own->mass - mass) / mass, own->name, own->mass, mass);
    const PoiseVec3 off = poise_sub(own->com, poise_scale(1.0 / mass, moment));
    note(&both->gaps->centre, poise_length(off), own->name, own->com.z, moment.z / mass);
    if (count > 1) {
        return;
    }
    // compares the trace, which does not depend on the axes
    const double* moments = &model->body_inertia[3 * last];
    const double trace = moments[0] + moments[1] + moments[2];
    const double ours = own->inertia[0] + own->inertia[1] + own->inertia[2];
    note(&both->gaps->inertia, fabs(ours - trace) / trace, own->name, ours, trace);
}

// ------------------------------------------------------------------------------------------ joints

static double between(double ours, double theirs) {
    return ours == theirs ? 0.0 : fabs(ours - theirs);
}

static void compare_range(const Both* both, const PoiseSceneJoint* joint, int id) {
    const mjModel* model = both->model;
    const double zero = model->qpos0[model->jnt_qposadr[id]];
    const bool ball = poise_kind_turns(joint->kind);
    double lower = -(double)INFINITY;
    double upper = (double)INFINITY;
    if (model->jnt_limited[id]) {
        lower = model->jnt_range[2 * id] - zero;
        upper = model->jnt_range[2 * id + 1] - (ball ? 0.0 : zero);
    }
    MujocoGap* gap = &both->gaps->range;
    if (ball) {
        note(gap, between(joint->limits.upper[0], upper), joint->name, joint->limits.upper[0],
             upper);
        return;
    }
    note(gap, between(joint->limits.lower[0], lower), joint->name, joint->limits.lower[0], lower);
    note(gap, between(joint->limits.upper[0], upper), joint->name, joint->limits.upper[0], upper);
}

// Returns the largest force of the actuator, before its gear.
static double force_of(const mjModel* model, int i) {
    double force = (double)INFINITY;
    const double* range = &model->actuator_forcerange[2 * i];
    if (model->actuator_forcelimited[i]) {
        force = fmax(fabs(range[0]), fabs(range[1]));
    }
    if (model->actuator_biastype[i] == mjBIAS_NONE && model->actuator_gaintype[i] == mjGAIN_FIXED &&
        model->actuator_ctrllimited[i]) {
        const double* control = &model->actuator_ctrlrange[2 * i];
        const double gain = fabs(model->actuator_gainprm[mjNGAIN * i]);
        force = fmin(force, gain * fmax(fabs(control[0]), fabs(control[1])));
    }
    return force;
}

// Returns the torque on the joint of a force of 1 in the actuator's transmission; 0 if the actuator
// does not move the joint. A fixed tendon pulls its joints by their coefficients.
static double lever_of(const mjModel* model, int actuator, int id) {
    const int kind = model->actuator_trntype[actuator];
    const int target = model->actuator_trnid[2 * actuator];
    if (kind == mjTRN_JOINT || kind == mjTRN_JOINTINPARENT) {
        return target == id ? 1.0 : 0.0;
    }
    for (int i = 0; kind == mjTRN_TENDON && i < model->tendon_num[target]; i++) {
        const int part = model->tendon_adr[target] + i;
        if (model->wrap_type[part] == mjWRAP_JOINT && model->wrap_objid[part] == id) {
            return fabs(model->wrap_prm[part]);
        }
    }
    return 0.0;
}

// Returns the sum of the largest torques of MuJoCo's actuators on the joint; infinite without
// actuators, as in a URDF.
static double strength_of(const mjModel* model, int id) {
    double sum = 0.0;
    for (int i = 0; i < model->nu; i++) {
        const double lever = lever_of(model, i, id);
        if (lever > 0.0 && model->actuator_gear[6 * i] != 0.0) {
            sum += lever * fabs(model->actuator_gear[6 * i]) * force_of(model, i);
        }
    }
    return sum > 0.0 ? sum : (double)INFINITY;
}

static void compare_joints(const Both* both) {
    int unnamed = 0;
    for (int i = 0; i < both->model->njnt; i++) {
        const char* name = mj_id2name(both->model, mjOBJ_JOINT, i);
        unnamed += !name || !name[0] ? 1 : 0;
    }
    for (int i = 0; i < both->scene->joint_count; i++) {
        const PoiseSceneJoint* joint = &both->scene->joints[i];
        const int id = mj_name2id(both->model, mjOBJ_JOINT, joint->name);
        if (id < 0) {
            unnamed -= is_posed(joint) ? 1 : 0;
            note(&both->gaps->range, unnamed < 0 ? (double)INFINITY : 0.0, joint->name, 0.0, 0.0);
            continue;
        }
        both->gaps->joints++;
        compare_range(both, joint, id);
        if (strcmp(both->scene->robot, "mjcf") == 0) {
            const double theirs = strength_of(both->model, id);
            const double ours = joint->bind.torque_limit;
            const double off = isinf(ours) != isinf(theirs) ? 1.0 : between(ours, theirs) / theirs;
            note(&both->gaps->strength, ours == theirs ? 0.0 : off, joint->name, ours, theirs);
            both->gaps->limited += isfinite(theirs) ? 1 : 0;
        }
    }
}

bool mujoco_gaps(const char* file, const PoiseSimulation* simulation, MujocoGaps* gaps, char* why,
                 size_t capacity) {
    memset(gaps, 0, sizeof *gaps);
    Both both = {.scene = poise_simulation_scene(simulation),
                 .simulation = simulation,
                 .gaps = gaps,
                 .model = mujoco_model(file, why, (int)capacity)};
    if (!both.model) {
        return false;
    }
    both.data = mj_makeData(both.model);
    for (int body = 1; body < both.model->nbody; body++) {
        gaps->mass_sum += both.model->body_weldid[body] != 0 ? both.model->body_mass[body] : 0.0;
    }
    compare_postures(&both);
    for (int body = 0; body < both.scene->body_count; body++) {
        compare_mass(&both, body);
    }
    compare_joints(&both);
    mj_deleteData(both.data);
    mj_deleteModel(both.model);
    return true;
}
