// SPDX-License-Identifier: MIT
#include "arm.h"
#include "works.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns a * b of transforms (rotation and position).
static void multiply(const double a[12], const double b[12], double out[12]) {
    double c[12];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4; k++) {
            c[4 * i + k] = k == 3 ? a[4 * i + 3] : 0.0;
            for (int m = 0; m < 3; m++) {
                c[4 * i + k] += a[4 * i + m] * b[4 * m + k];
            }
        }
    }
    memcpy(out, c, sizeof c);
}

// Computes a rotation by Rodrigues' formula.
static void turn_about(const double e[3], double angle, double out[12]) {
    const double s = sin(angle), c = cos(angle), v = 1.0 - c;
    const double m[12] = {
        c + v * e[0] * e[0],        v * e[0] * e[1] - s * e[2], v * e[0] * e[2] + s * e[1], 0.0,
        v * e[0] * e[1] + s * e[2], c + v * e[1] * e[1],        v * e[1] * e[2] - s * e[0], 0.0,
        v * e[0] * e[2] - s * e[1], v * e[1] * e[2] + s * e[0], c + v * e[2] * e[2],        0.0};
    memcpy(out, m, sizeof m);
}

void arm_origin(double origin[12], PoiseVec3 p, double roll, double pitch, double yaw) {
    static const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0}, z[3] = {0.0, 0.0, 1.0};
    double turn[12];
    turn_about(z, yaw, origin);
    turn_about(y, pitch, turn);
    multiply(origin, turn, origin);
    turn_about(x, roll, turn);
    multiply(origin, turn, origin);
    origin[3] = p.x;
    origin[7] = p.y;
    origin[11] = p.z;
}

static FILE* open_shared(const char* folder, const char* name) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/bench/%s/%s.csv", POISE_TEST_DATA, folder, name);
    return fopen(path, "r");
}

bool arm_read(Arm* arm, const char* name) {
    FILE* file = open_shared("chains", name);
    if (!file) {
        return false;
    }
    memset(arm, 0, sizeof *arm);
    arm_origin(arm->tool, poise_vec3(0.0, 0.0, 0.0), 0.0, 0.0, 0.0);
    char line[1024], kind[32];
    double n[11];
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%*[^,],%31[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", kind, &n[0],
                   &n[1], &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &n[9], &n[10]) != 12) {
            continue; // skip the head line
        }
        double origin[12];
        arm_origin(origin, poise_vec3(n[0], n[1], n[2]), n[3], n[4], n[5]);
        if (strcmp(kind, "fixed") == 0) {
            multiply(arm->tool, origin, arm->tool);
            continue;
        }
        if (arm->count == ARM_MOST) {
            abort();
        }
        ArmJoint* joint = &arm->joints[arm->count++];
        memcpy(joint->origin, origin, sizeof origin);
        memcpy(joint->axis, &n[6], sizeof joint->axis);
        joint->lower = n[9];
        joint->upper = n[10];
    }
    (void)fclose(file);
    return arm->count > 0;
}

int arm_read_targets(const Arm* arm, const char* name, ArmTarget* targets, int capacity) {
    FILE* file = open_shared("targets", name);
    if (!file) {
        return 0;
    }
    char line[2048];
    int count = 0;
    (void)!fgets(line, sizeof line, file);
    while (count < capacity && fgets(line, sizeof line, file)) {
        double n[1 + ARM_MOST + 7];
        char* at = line;
        for (int i = 0; i < 1 + arm->count + 7; i++) {
            n[i] = strtod(at, &at);
            at += *at == ',';
        }
        ArmTarget* target = &targets[count++];
        memcpy(target->q, &n[1], (size_t)arm->count * sizeof n[0]);
        const double* p = &n[1 + arm->count];
        target->pose = poise_pose(poise_vec3(p[0], p[1], p[2]), poise_quat(p[3], p[4], p[5], p[6]));
    }
    (void)fclose(file);
    return count;
}

static PoisePose pose_of(const double m[12]) {
    const double rows[9] = {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]};
    return poise_pose(poise_vec3(m[3], m[7], m[11]), poise_quat_from_rows(rows));
}

Model arm_model(const Arm* arm) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoisePointDef point = poise_default_pose_def();
    for (int i = 0; i < arm->count; i++) {
        const ArmJoint* joint = &arm->joints[i];
        PoiseNodeDef def = poise_default_hinge_def();
        def.parent = point.link;
        def.joint_in_parent = pose_of(joint->origin);
        def.axis = poise_vec3(joint->axis[0], joint->axis[1], joint->axis[2]);
        def.lower = joint->lower;
        def.upper = joint->upper;
        point.link = model_add_node(&model, &def);
    }
    point.in_link = pose_of(arm->tool);
    (void)model_add_point(&model, &point);
    return model;
}

void arm_set(const Model* model, const double* q) {
    for (int i = 0; i < model->node_count; i++) {
        WORKS(poise_node_set_angle(model->tree, model->nodes[i], q[i]));
    }
}

void arm_get(const Model* model, double* q) {
    for (int i = 0; i < model->node_count; i++) {
        q[i] = poise_node_angle(model->tree, model->nodes[i]);
    }
}

void arm_middle(const Arm* arm, double* q) {
    for (int i = 0; i < arm->count; i++) {
        q[i] = 0.5 * (arm->joints[i].lower + arm->joints[i].upper);
    }
}

void arm_forward(const Arm* arm, const double* q, double tool[12]) {
    arm_origin(tool, poise_vec3(0.0, 0.0, 0.0), 0.0, 0.0, 0.0);
    for (int i = 0; i < arm->count; i++) {
        double turn[12];
        multiply(tool, arm->joints[i].origin, tool);
        turn_about(arm->joints[i].axis, q[i], turn);
        multiply(tool, turn, tool);
    }
    multiply(tool, arm->tool, tool);
}

PoisePose arm_pose(const Arm* arm, const double* q) {
    double tool[12];
    arm_forward(arm, q, tool);
    return pose_of(tool);
}

void arm_miss(const Arm* arm, const double* q, PoisePose goal, double* distance, double* angle) {
    double tool[12];
    arm_forward(arm, q, tool);
    const PoiseVec3 p = poise_vec3(tool[3], tool[7], tool[11]);
    *distance = poise_length(poise_sub(p, goal.p));
    // the columns of the difference give |R - S|_F = 2 sqrt(2) sin(angle / 2)
    const PoiseVec3 axes[3] = {poise_vec3(1.0, 0.0, 0.0), poise_vec3(0.0, 1.0, 0.0),
                               poise_vec3(0.0, 0.0, 1.0)};
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        const PoiseVec3 column = poise_vec3(tool[k], tool[4 + k], tool[8 + k]);
        const PoiseVec3 off = poise_sub(column, poise_quat_rotate(goal.q, axes[k]));
        sum += poise_dot(off, off);
    }
    *angle = 2.0 * asin(fmin(sqrt(sum / 8.0), 1.0));
}

double arm_error(const Arm* arm, const double* q, PoisePose goal) {
    double distance, angle;
    arm_miss(arm, q, goal, &distance, &angle);
    return 0.5 * (distance * distance + angle * angle);
}

void arm_aim(const Model* model, PoisePose goal) {
    WORKS(poise_point_set_position(model->tree, model->points[0], goal.p));
    if (poise_point_kind(model->tree, model->points[0]) == POISE_POINT_POSE) {
        WORKS(poise_point_set_orientation(model->tree, model->points[0], goal.q));
    }
}
