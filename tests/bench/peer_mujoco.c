// SPDX-License-Identifier: MIT
// MuJoCo's frames and Jacobian of a site in a plain loop: Levenberg-Marquardt with the smaller side
// of J. Steps are clamped to the ranges and undone if the error does not fall. Restarts within the
// time budget.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers_internal.h"

enum { ROWS = 6, TEXT = 16384, STEPS = 60 };

typedef struct Mujoco {
    Arm arm;
    mjModel* model;
    mjData* data;
    Random random;
    double jacobian[ROWS * ARM_MOST];
    double v[ROWS];
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

// Returns error^2 at q. Computes J if `jacobian`.
static double look(Mujoco* mujoco, PoisePose target, const double* q, bool jacobian) {
    mjData* data = mujoco->data;
    memcpy(data->qpos, q, (size_t)mujoco->arm.count * sizeof *q);
    mj_kinematics(mujoco->model, data);
    const double* m = data->site_xmat;
    const double* p = data->site_xpos;
    const double rows[9] = {m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]};
    const PoiseVec3 turn =
        poise_quat_log(poise_quat_mul(target.q, poise_quat_conjugate(poise_quat_from_rows(rows))));
    const double v[ROWS] = {
        target.p.x - p[0], target.p.y - p[1], target.p.z - p[2], turn.x, turn.y, turn.z};
    memcpy(mujoco->v, v, sizeof v);
    if (jacobian) {
        mj_comPos(mujoco->model, data);
        mj_jacSite(mujoco->model, data, mujoco->jacobian, mujoco->jacobian + 3 * mujoco->arm.count,
                   0);
    }
    double sum = 0.0;
    for (int k = 0; k < ROWS; k++) {
        sum += v[k] * v[k];
    }
    return sum;
}

// Takes the step q <- q + J^T (J J^T + lambda I)^-1 v, clamped to the ranges.
static void take_step(const Mujoco* mujoco, double lambda, double* q) {
    const int n = mujoco->arm.count;
    double a[ROWS * ROWS];
    double y[ROWS];
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < ROWS; j++) {
            a[ROWS * i + j] = i == j ? lambda : 0.0;
            for (int k = 0; k < n; k++) {
                a[ROWS * i + j] += mujoco->jacobian[i * n + k] * mujoco->jacobian[j * n + k];
            }
        }
    }
    mju_cholFactor(a, ROWS, 0.0);
    mju_cholSolve(y, a, mujoco->v, ROWS);
    for (int k = 0; k < n; k++) {
        double step = 0.0;
        for (int i = 0; i < ROWS; i++) {
            step += mujoco->jacobian[i * n + k] * y[i];
        }
        q[k] = fmin(fmax(q[k] + step, mujoco->arm.joints[k].lower), mujoco->arm.joints[k].upper);
    }
}

static bool descend(Mujoco* mujoco, PoisePose target, double* q) {
    const size_t size = (size_t)mujoco->arm.count * sizeof *q;
    double gain = 1.0;
    double error2 = look(mujoco, target, q, true);
    double before = HUGE_VAL;
    for (int i = 0; i < STEPS && error2 > 1e-12; i++) {
        double trial[ARM_MOST];
        memcpy(trial, q, size);
        take_step(mujoco, 0.5 * gain * error2 + 1e-12, trial);
        const double there = look(mujoco, target, trial, true);
        if (there < error2) {
            memcpy(q, trial, size);
            error2 = there;
            gain *= 0.3;
        } else {
            (void)look(mujoco, target, q, true);
            gain *= 4.0;
        }
        if (i % 10 == 9) {
            if (error2 > 0.5 * before) {
                break;
            }
            before = error2;
        }
    }
    return peer_is_met(&mujoco->arm, q, target);
}

static bool solve(void* user, PoisePose target, double* q) {
    Mujoco* mujoco = user;
    const double end = peer_clock() + PEER_BUDGET;
    while (!descend(mujoco, target, q)) {
        if (peer_clock() > end) {
            return false;
        }
        for (int i = 0; i < mujoco->arm.count; i++) {
            const ArmJoint* joint = &mujoco->arm.joints[i];
            q[i] = random_between(&mujoco->random, joint->lower, joint->upper);
        }
    }
    return true;
}

static void step(void* user, PoisePose target, double* q) {
    Mujoco* mujoco = user;
    take_step(mujoco, 0.5 * look(mujoco, target, q, true) + 1e-12, q);
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
    mujoco->arm = *arm;
    mujoco->model = load_model(arm);
    mujoco->data = mj_makeData(mujoco->model);
    mujoco->random = random_from(1);
    return peer_create(mujoco, solve, step, destroy);
}
