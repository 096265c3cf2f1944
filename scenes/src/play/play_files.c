// SPDX-License-Identifier: MIT
// Writes a play as a CSV table, and as MuJoCo's keyframes.
#include "play.h"

static int size_of(const Play* play, int joint) {
    double unused[POISE_MAX_NQ];
    return poise_node_posture(play->tree, poise__play_node(play, joint), unused);
}

bool poise__play_write_csv(const Play* play, FILE* out) {
    static const char* const turn[] = {"w", "x", "y", "z"};
    static const char* const pose[] = {"px", "py", "pz", "qw", "qx", "qy", "qz"};
    fprintf(out, "time");
    for (int i = 0; i < play->scene->joint_count; i++) {
        const int size = size_of(play, i);
        for (int k = 0; k < size; k++) {
            if (size == 1) {
                fprintf(out, ",%s", play->scene->joints[i].name);
            } else if (size == 4 || size == 7) {
                fprintf(out, ",%s.%s", play->scene->joints[i].name, size == 4 ? turn[k] : pose[k]);
            } else {
                fprintf(out, ",%s.%d", play->scene->joints[i].name, k + 1);
            }
        }
    }
    fputc('\n', out);
    for (int f = 0; f < play->frame_count; f++) {
        fprintf(out, "%.9g", f * play->frame_time);
        for (int k = 0; k < play->posture_size; k++) {
            fprintf(out, ",%.12g",
                    play->postures[(size_t)f * (size_t)play->posture_size + (size_t)k]);
        }
        fputc('\n', out);
    }
    return true;
}

// ------------------------------------------------------------------------------------- keyframes

// Returns the rotation of a ball's child from the pose at 0, in the child's axes, as in MuJoCo's
// qpos.
static PoiseQuat ball_of(const Play* play, const PoiseSceneJoint* joint, const PoisePose* bodies) {
    const PoiseSceneBody* all = play->scene->bodies;
    PoiseQuat rest = all[joint->child.index].pose.q;
    PoiseQuat now = bodies[joint->child.index].q;
    if (joint->parent.index >= 0) {
        rest = poise_quat_mul(poise_quat_conjugate(all[joint->parent.index].pose.q), rest);
        now = poise_quat_mul(poise_quat_conjugate(bodies[joint->parent.index].q), now);
    }
    return poise_quat_mul(poise_quat_conjugate(rest), now);
}

// Prints the joint's coordinates in a frame.
static void print_joint(const Play* play, FILE* out, int frame, int joint) {
    const PoisePose* bodies = &play->bodies[(size_t)frame * (size_t)play->scene->body_count];
    const PoiseSceneJoint* scene = &play->scene->joints[joint];
    const int size = size_of(play, joint);
    if (size == 7) {
        const PoisePose pose = bodies[scene->child.index];
        fprintf(out, " %.12g %.12g %.12g %.12g %.12g %.12g %.12g", pose.p.x, pose.p.y, pose.p.z,
                pose.q.w, pose.q.x, pose.q.y, pose.q.z);
    } else if (size == 4) {
        const PoiseQuat q = ball_of(play, scene, bodies);
        fprintf(out, " %.12g %.12g %.12g %.12g", q.w, q.x, q.y, q.z);
    } else {
        const double* q = &play->postures[(size_t)frame * (size_t)play->posture_size];
        for (int i = 0; i < joint; i++) {
            q += size_of(play, i);
        }
        for (int k = 0; k < size; k++) {
            fprintf(out, " %.12g", q[k]);
        }
    }
}

// Prints the joints on a body (-1: the world) in the file's order, each followed by the joints of
// its branch.
static void print_branch(const Play* play, FILE* out, int frame, int body) {
    for (int i = 0; i < play->scene->joint_count; i++) {
        const PoiseSceneJoint* joint = &play->scene->joints[i];
        if (poise__play_is_on(play, joint, body)) {
            print_joint(play, out, frame, i);
            print_branch(play, out, frame, joint->child.index);
        }
    }
}

bool poise__play_write_keyframes(const Play* play, FILE* out) {
    fprintf(out, "<mujoco>\n  <keyframe>\n");
    for (int f = 0; f < play->frame_count; f++) {
        fprintf(out, "    <key name=\"frame%d\" time=\"%.9g\" qpos=\"", f, f * play->frame_time);
        print_branch(play, out, f, -1);
        fprintf(out, "\"/>\n");
    }
    fprintf(out, "  </keyframe>\n</mujoco>\n");
    return true;
}
