// SPDX-License-Identifier: MIT
// Writes a play as BVH. Each body with a joint is a joint of the skeleton: its position is that of
// the joint, its rotation is relative to the posture with all joints at 0. A chain of sliders
// between the world and a figure (a gantry) is merged into the figure's root. y up, z ahead, x to
// the left; metres and degrees.
#include <stdlib.h>
#include <string.h>

#include "play.h"
#include "poise/math.h"
#include "poise/rotation.h"

/// A body of the scene as a joint of the BVH skeleton.
typedef struct Bone {
    bool written;
    bool travels; ///< True if the bone has position channels
    int parent;   ///< index of a body; -1: a root
    int depth;
    PoiseEuler last; ///< Euler angles of the frame before; the next ones are chosen close to them
} Bone;

typedef struct Skeleton {
    const Play* play;
    FILE* out;
    Bone* bones;
    int* order; ///< bodies in depth-first order, parents first
    int count;
    bool joined; ///< True if a root that does not move was added as the parent of several roots
} Skeleton;

static const PoiseSceneJoint* joint_of(const Play* play, int body) {
    const int joint = play->scene->bodies[body].joint;
    return joint >= 0 ? &play->scene->joints[joint] : NULL;
}

// True if the joint slides along one axis and does not turn.
static bool only_slides(const PoiseSceneJoint* joint) {
    const PoiseJointType* type = poise_joint_type(joint->kind);
    return type && type->nv == 1 && type->linear != 0;
}

// True if all joints between the body and the world only slide.
static bool is_cart(const Play* play, int body) {
    const PoiseSceneJoint* joint = joint_of(play, body);
    while (joint && only_slides(joint) && joint->parent.index >= 0) {
        joint = joint_of(play, joint->parent.index);
        if (!joint) {
            return true;
        }
    }
    return joint && only_slides(joint);
}

static void add_branch(Skeleton* skeleton, int body, int parent, int depth) {
    const PoiseScene* scene = skeleton->play->scene;
    for (int i = 0; i < scene->joint_count; i++) {
        const PoiseSceneJoint* joint = &scene->joints[i];
        if (!poise__play_is_on(skeleton->play, joint, body)) {
            continue;
        }
        const bool cart = is_cart(skeleton->play, joint->child.index);
        Bone* bone = &skeleton->bones[joint->child.index];
        if (!cart) {
            const PoiseJointType* type = poise_joint_type(joint->kind);
            *bone = (Bone){
                true, parent < 0 || (type && type->linear != 0), parent, depth, {0.0, 0.0, 0.0}};
            skeleton->order[skeleton->count++] = joint->child.index;
        }
        add_branch(skeleton, joint->child.index, cart ? parent : joint->child.index,
                   cart ? depth : depth + 1);
    }
}

// Converts to the file's axes: x to the left, y up, z ahead.
static PoiseVec3 to_file(PoiseVec3 p) {
    return poise_vec3(p.y, p.z, p.x);
}

// Returns the position of the body's joint and the body's rotation since rest, in the world.
static PoisePose bone_pose(const Skeleton* skeleton, int frame, int body) {
    const Play* play = skeleton->play;
    const PoiseSceneBody* scene = &play->scene->bodies[body];
    const PoisePose now =
        play->bodies[(size_t)frame * (size_t)play->scene->body_count + (size_t)body];
    const PoiseQuat turn = poise_quat_mul(now.q, poise_quat_conjugate(scene->pose.q));
    const PoiseVec3 anchor = joint_of(play, body)->anchor;
    const PoiseVec3 arm = poise_quat_rotate(turn, poise_sub(anchor, scene->pose.p));
    return poise_pose(poise_add(now.p, arm), turn);
}

static void indent(const Skeleton* skeleton, int depth) {
    for (int i = 0; i < depth; i++) {
        fputc('\t', skeleton->out);
    }
}

static void print_offset(const Skeleton* skeleton, int depth, PoiseVec3 offset) {
    const PoiseVec3 p = to_file(offset);
    indent(skeleton, depth);
    fprintf(skeleton->out, "OFFSET %.9g %.9g %.9g\n", p.x, p.y, p.z);
}

// Names in BVH files have no spaces, slashes or braces.
static void print_name(FILE* out, const char* name) {
    for (; *name; name++) {
        fputc(strchr(" /\t{}", *name) ? '_' : *name, out);
    }
    fputc('\n', out);
}

static void open_bone(const Skeleton* skeleton, int body) {
    const Bone* bone = &skeleton->bones[body];
    const PoiseScene* scene = skeleton->play->scene;
    const int depth = bone->depth + (skeleton->joined ? 1 : 0);
    const PoiseVec3 anchor = joint_of(skeleton->play, body)->anchor;
    const PoiseVec3 before =
        bone->parent >= 0 ? joint_of(skeleton->play, bone->parent)->anchor : poise_vec3(0, 0, 0);
    indent(skeleton, depth);
    fprintf(skeleton->out, depth == 0 ? "ROOT " : "JOINT ");
    print_name(skeleton->out, scene->bodies[body].name);
    indent(skeleton, depth);
    fprintf(skeleton->out, "{\n");
    print_offset(skeleton, depth + 1, poise_sub(anchor, before));
    indent(skeleton, depth + 1);
    fprintf(skeleton->out, "CHANNELS %s Zrotation Xrotation Yrotation\n",
            bone->travels ? "6 Xposition Yposition Zposition" : "3");
}

// Prints the end site of a bone without children, twice as far from the joint as the body's centre
// of mass.
static void print_end(const Skeleton* skeleton, int body, int depth) {
    const PoiseSceneBody* scene = &skeleton->play->scene->bodies[body];
    const PoiseVec3 middle = poise_pose_apply(scene->pose, scene->com);
    indent(skeleton, depth);
    fprintf(skeleton->out, "End Site\n");
    indent(skeleton, depth);
    fprintf(skeleton->out, "{\n");
    print_offset(skeleton, depth + 1,
                 poise_scale(2.0, poise_sub(middle, joint_of(skeleton->play, body)->anchor)));
    indent(skeleton, depth);
    fprintf(skeleton->out, "}\n");
}

static void print_hierarchy(const Skeleton* skeleton) {
    const int more = skeleton->joined ? 1 : 0;
    fprintf(skeleton->out, "HIERARCHY\n");
    if (skeleton->joined) {
        fprintf(skeleton->out, "ROOT scene\n{\n\tOFFSET 0 0 0\n\tCHANNELS 0\n");
    }
    for (int i = 0; i < skeleton->count; i++) {
        const int body = skeleton->order[i];
        const int depth = skeleton->bones[body].depth;
        const bool last = i + 1 == skeleton->count;
        const int next = last ? 0 : skeleton->bones[skeleton->order[i + 1]].depth;
        open_bone(skeleton, body);
        if (last || next <= depth) {
            print_end(skeleton, body, depth + 1 + more);
        }
        for (int d = depth; d >= next && (last || next <= depth); d--) {
            indent(skeleton, d + more);
            fprintf(skeleton->out, "}\n");
        }
    }
    fprintf(skeleton->out, skeleton->joined ? "}\n" : "");
}

static void print_bone(const Skeleton* skeleton, int frame, int body) {
    Bone* bone = &skeleton->bones[body];
    PoisePose pose = bone_pose(skeleton, frame, body);
    if (bone->parent >= 0) {
        pose = poise_pose_mul(poise_pose_inverse(bone_pose(skeleton, frame, bone->parent)), pose);
    }
    const PoiseVec3 p = to_file(pose.p);
    const PoiseQuat turn = poise_quat(pose.q.w, pose.q.y, pose.q.z, pose.q.x);
    bone->last = poise_quat_to_euler_near(turn, POISE_EULER_ZXY, bone->last);
    if (bone->travels) {
        fprintf(skeleton->out, "%.9g %.9g %.9g ", p.x, p.y, p.z);
    }
    fprintf(skeleton->out, "%.9g %.9g %.9g ", bone->last.first * 180.0 / POISE_PI,
            bone->last.second * 180.0 / POISE_PI, bone->last.third * 180.0 / POISE_PI);
}

bool poise__play_write_bvh(const Play* play, FILE* out) {
    const size_t bodies = (size_t)play->scene->body_count + 1;
    Skeleton skeleton = {.play = play, .out = out};
    skeleton.bones = calloc(bodies, sizeof *skeleton.bones);
    skeleton.order = calloc(bodies, sizeof *skeleton.order);
    const bool fine = skeleton.bones && skeleton.order;
    if (fine) {
        int roots = 0;
        add_branch(&skeleton, -1, -1, 0);
        for (int i = 0; i < skeleton.count; i++) {
            roots += skeleton.bones[skeleton.order[i]].parent < 0 ? 1 : 0;
        }
        skeleton.joined = roots != 1;
        print_hierarchy(&skeleton);
        fprintf(out, "MOTION\nFrames: %d\nFrame Time: %.9g\n", play->frame_count, play->frame_time);
        for (int f = 0; f < play->frame_count; f++) {
            for (int i = 0; i < skeleton.count; i++) {
                print_bone(&skeleton, f, skeleton.order[i]);
            }
            fputc('\n', out);
        }
    }
    free(skeleton.bones);
    free(skeleton.order);
    return fine;
}
