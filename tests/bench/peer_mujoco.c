// SPDX-License-Identifier: MIT
// MuJoCo's frames and Jacobian of a site for the loop of peer_loop.c.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers_internal.h"

enum { TEXT = 16384 };

typedef struct Mujoco {
    PeerLoop loop; ///< first member, so that a PeerLoop* can be cast to this struct
    mjModel* model;
    mjData* data;
} Mujoco;

static PoiseQuat rotation_of(const double m[12]) {
    const double rows[9] = {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]};
    return poise_quat_from_rows(rows);
}

// Writes nested bodies, each with its hinge, and a site at the tool.
static void write_model(const Arm* arm, char* text) {
    int used = snprintf(text, TEXT, "<mujoco><compiler angle=\"radian\"/><worldbody>");
    for (int i = 0; i < arm->count; i++) {
        const ArmJoint* joint = &arm->joints[i];
        const double* m = joint->origin;
        const PoiseQuat q = rotation_of(m);
        used += snprintf(text + used, (size_t)(TEXT - used),
                         "<body pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g %.17g\">"
                         "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/>"
                         "<joint type=\"hinge\" axis=\"%.17g %.17g %.17g\"/>",
                         m[3], m[7], m[11], q.w, q.x, q.y, q.z, joint->axis[0], joint->axis[1],
                         joint->axis[2]);
    }
    const PoiseQuat q = rotation_of(arm->tool);
    used += snprintf(text + used, (size_t)(TEXT - used),
                     "<site name=\"tip\" pos=\"%.17g %.17g %.17g\" quat=\"%.17g %.17g %.17g "
                     "%.17g\"/>",
                     arm->tool[3], arm->tool[7], arm->tool[11], q.w, q.x, q.y, q.z);
    for (int i = 0; i < arm->count; i++) {
        used += snprintf(text + used, (size_t)(TEXT - used), "</body>");
    }
    (void)snprintf(text + used, (size_t)(TEXT - used), "</worldbody></mujoco>");
}

static mjModel* load_model(const Arm* arm) {
    static char text[TEXT];
    char error[256] = "";
    mjVFS* files = malloc(sizeof *files);
    if (!files) {
        abort();
    }
    write_model(arm, text);
    mj_defaultVFS(files);
    const int size = (int)strlen(text) + 1;
    mj_makeEmptyFileVFS(files, "arm.xml", size);
    memcpy(files->filedata[mj_findFileVFS(files, "arm.xml")], text, (size_t)size);
    mjModel* model = mj_loadXML("arm.xml", files, error, sizeof error);
    mj_deleteVFS(files);
    free(files);
    if (!model) {
        fprintf(stderr, "MuJoCo: %s\n", error);
        abort();
    }
    return model;
}

static PoisePose forward(PeerLoop* loop, const double* q) {
    const Mujoco* mujoco = (const Mujoco*)loop;
    mjData* data = mujoco->data;
    memcpy(data->qpos, q, (size_t)loop->arm.count * sizeof *q);
    mj_kinematics(mujoco->model, data);
    const double* p = data->site_xpos;
    return (PoisePose){{p[0], p[1], p[2]}, poise_quat_from_rows(data->site_xmat)};
}

static void differentiate(PeerLoop* loop) {
    const Mujoco* mujoco = (const Mujoco*)loop;
    mj_comPos(mujoco->model, mujoco->data);
    mj_jacSite(mujoco->model, mujoco->data, loop->jacobian, loop->jacobian + 3 * loop->arm.count,
               0);
}

static void destroy(void* user) {
    Mujoco* mujoco = user;
    mj_deleteData(mujoco->data);
    mj_deleteModel(mujoco->model);
    free(mujoco);
}

Peer* peer_mujoco(const Arm* arm) {
    Mujoco* mujoco = malloc(sizeof *mujoco);
    if (!mujoco) {
        abort();
    }
    mujoco->loop = (PeerLoop){
        .arm = *arm, .random = random_from(1), .forward = forward, .differentiate = differentiate};
    mujoco->model = load_model(arm);
    mujoco->data = mj_makeData(mujoco->model);
    return peer_create(mujoco, peer_loop_solve, peer_loop_track, destroy);
}
