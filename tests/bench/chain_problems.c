// SPDX-License-Identifier: MIT
#include "chain_problems.h"
#include "works.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { SEED = 20260 };

// Makes six hinges whose axes neither meet nor are perpendicular.
static void make_crooked(Arm* arm) {
    Random random = random_from(6);
    memset(arm, 0, sizeof *arm);
    arm->count = 6;
    for (int i = 0; i < arm->count; i++) {
        ArmJoint* joint = &arm->joints[i];
        const PoiseVec3 p = random_vec3(&random, 0.3);
        const double roll = random_between(&random, 0.8, 1.6);
        const double yaw = random_between(&random, -1.0, 1.0);
        arm_origin(joint->origin, p, i % 2 == 0 ? roll : -roll, 0.0, yaw);
        joint->axis[2] = 1.0;
        joint->lower = -2.6;
        joint->upper = 2.6;
    }
    arm_origin(arm->tool, poise_vec3(0.0, 0.0, 0.1), 0.0, 0.0, 0.0);
}

// Makes fifteen hinges, alternately about z and y, with ranges of +-50 degrees.
static void make_snake(Arm* arm) {
    memset(arm, 0, sizeof *arm);
    arm->count = 15;
    for (int i = 0; i < arm->count; i++) {
        ArmJoint* joint = &arm->joints[i];
        arm_origin(joint->origin, poise_vec3(0.0, 0.0, i > 0 ? 0.15 : 0.0),
                   i % 2 == 0 ? 0.5 * PI : -0.5 * PI, 0.0, 0.0);
        joint->axis[2] = 1.0;
        joint->lower = -50.0 * PI / 180.0;
        joint->upper = 50.0 * PI / 180.0;
    }
    arm_origin(arm->tool, poise_vec3(0.0, 0.0, 0.15), 0.0, 0.0, 0.0);
}

// Makes a rail of 1 m that carries six hinges.
static Model make_rail(void) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef rail = poise_default_slider_def();
    rail.axis = poise_vec3(1.0, 0.0, 0.0);
    rail.lower = -0.5;
    rail.upper = 0.5;
    PoiseNodeDef def = poise_default_hinge_def();
    def.parent = model_add_node(&model, &rail);
    const double lengths[6] = {0.2, 0.0, 0.4, 0.35, 0.0, 0.1};
    const double axes[6][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 6; i++) {
        def.joint_in_parent.p = poise_vec3(0.0, 0.0, lengths[i]);
        def.axis = poise_vec3(axes[i][0], axes[i][1], axes[i][2]);
        def.lower = -2.7;
        def.upper = 2.7;
        def.parent = model_add_node(&model, &def);
    }
    model_add_pose(&model, def.parent,
                   poise_pose(poise_vec3(0.0, 0.0, 0.1), poise_quat_identity()));
    return model;
}

typedef struct Entry {
    const char* name;
    bool shared;
    void (*make_arm)(Arm* arm);
} Entry;

static const Entry entries[] = {
    {"panda", true, NULL},
    {"ur5", true, NULL},
    {"iiwa14", true, NULL},
    {"ball5", true, NULL},
    {"crooked6", false, make_crooked},
    {"snake15", false, make_snake},
    {"rail7", false, NULL},
    {"balls3", false, NULL},
};

int chain_problem_count(void) {
    return (int)(sizeof entries / sizeof entries[0]);
}

static void draw_targets(ChainProblemSet* set, int count) {
    Chain chain = chain_of(&set->model, POISE_BODY_EXACT);
    Random random = random_from(SEED);
    set->target_count = count;
    set->targets = calloc((size_t)count, sizeof *set->targets);
    if (!set->targets) {
        abort();
    }
    for (int t = 0; t < count; t++) {
        double posture[CHAIN_POSTURE];
        for (int i = 0; i < poise_body_posture_size(chain.body); i++) {
            const double lower = fmax(poise_body_lower(chain.body, i), -1.0);
            const double upper = fmin(poise_body_upper(chain.body, i), 1.0);
            const bool ranged = isfinite(poise_body_lower(chain.body, i));
            posture[i] = random_between(&random, ranged ? poise_body_lower(chain.body, i) : lower,
                                        ranged ? poise_body_upper(chain.body, i) : upper);
        }
        set->targets[t] = poise_body_forward(chain.body, posture, 0);
    }
    chain_destroy(chain);
}

bool chain_problem_make(int index, int targets, ChainProblemSet* set) {
    const Entry* entry = &entries[index];
    memset(set, 0, sizeof *set);
    set->name = entry->name;
    set->shared = entry->shared;
    set->has_arm = entry->shared || entry->make_arm;
    if (entry->shared && !arm_read(&set->arm, entry->name)) {
        return false;
    }
    if (entry->make_arm) {
        entry->make_arm(&set->arm);
    }
    if (set->has_arm) {
        set->model = arm_model(&set->arm);
    } else {
        set->model = strcmp(entry->name, "rail7") == 0
                         ? make_rail()
                         : model_chain(POISE_NODE_BALL, 3, 1.0, POISE_POINT_POSE);
    }
    draw_targets(set, targets);
    return true;
}

void chain_problem_finish(ChainProblemSet* set) {
    free(set->targets);
    model_finish(&set->model);
}

// Reads a track: each row has the step, the seven numbers of the pose, and the start posture.
static int read_track(const ChainProblemSet* set, int capacity, PoisePose* poses, double* start) {
    enum { LINE = 2048, POSE_AT = 1, START_AT = 8 };
    char path[512];
    char line[LINE];
    (void)snprintf(path, sizeof path, "%s/bench/tracks/%s.csv", POISE_TEST_DATA, set->name);
    FILE* file = fopen(path, "r");
    if (!file) {
        return 0;
    }
    int count = 0;
    (void)!fgets(line, sizeof line, file);
    while (count < capacity && fgets(line, sizeof line, file)) {
        double n[START_AT + ARM_MOST];
        char* at = line;
        for (int i = 0; i < START_AT + set->arm.count; i++) {
            n[i] = strtod(at, &at);
            at += *at == ',';
        }
        const double* p = n + POSE_AT;
        poses[count++] =
            poise_pose(poise_vec3(p[0], p[1], p[2]), poise_quat(p[3], p[4], p[5], p[6]));
        memcpy(start, n + START_AT, (size_t)set->arm.count * sizeof n[0]);
    }
    (void)fclose(file);
    return count;
}

static void draw_track(Chain chain, int count, PoisePose* poses, double* start) {
    Random random = random_from(SEED + 5);
    WORKS(poise_body_middle(chain.body, start));
    for (int i = 0; i < poise_body_posture_size(chain.body); i++) {
        const double lower = fmax(poise_body_lower(chain.body, i), -1.0);
        const double upper = fmin(poise_body_upper(chain.body, i), 1.0);
        start[i] += random_between(&random, -0.4, 0.4) * (upper - lower);
    }
    const PoisePose centre = poise_body_forward(chain.body, start, 0);
    const double size = 0.2 * poise_body_unit(chain.body);
    for (int i = 0; i < count; i++) {
        const double phase = 0.008 * (i + 1);
        const PoiseVec3 offset = poise_vec3(size * sin(phase), size * sin(phase) * cos(phase), 0.0);
        const PoiseQuat tilt =
            poise_quat_from_axis_angle(poise_vec3(1.0, 0.5, 0.0), 0.1 * sin(phase));
        poses[i] = poise_pose(poise_add(centre.p, offset), poise_quat_mul(centre.q, tilt));
    }
}

int chain_track_make(const ChainProblemSet* set, Chain chain, int capacity, PoisePose* poses,
                     double* start) {
    const int count = set->shared ? read_track(set, capacity, poses, start) : 0;
    if (count == 0) {
        draw_track(chain, capacity, poses, start);
    }
    return count == 0 ? capacity : count;
}
