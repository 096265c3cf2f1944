// SPDX-License-Identifier: MIT
// Where the points that carry are in this step, and what goes along with them: their own goals
// where they slide, and the centre of mass that is kept over them. First of an update's stages that
// have to do with standing; carry.c follows.
#include "support.h"

// of the shortest sole: how far the weight may lean
#define LEANS 0.9

static PoiseVec3 up_of(const PoiseRig* rig) {
    dVector3 g;
    dWorldGetGravity(rig->world, g);
    PoiseVec3 up = poise_vec3(-(double)g[0], -(double)g[1], -(double)g[2]);
    double length = poise_length(up);
    return length > 0.0 ? poise_scale(1.0 / length, up) : up;
}

// what of `v` lies across `up`
static PoiseVec3 level(PoiseVec3 v, PoiseVec3 up) {
    return poise_add_scaled(v, -poise_dot(v, up), up);
}

static void slide_goal(PoiseRig* rig, const Stance* stance, PoiseVec3 up, double dt) {
    const double part = poise_min(stance->slide * dt, 1.0);
    if (part == 0.0 || poise_point_frame(rig->tree, stance->point).index1 != 0) {
        return;
    }
    const PoisePose goal = poise_point_goal(rig->tree, stance->point);
    const PoisePointKind kind = poise_point_kind(rig->tree, stance->point);
    if (kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE) {
        PoiseVec3 off = level(poise_sub(stance->place, goal.p), up);
        poise__note(rig, poise_point_set_position(rig->tree, stance->point,
                                                  poise_add_scaled(goal.p, part, off)));
    }
    if (kind == POISE_POINT_POSE || kind == POISE_POINT_ORIENTATION) {
        PoiseQuat turned = poise_quat_mul(stance->turn, poise_quat_conjugate(goal.q));
        double about = poise_length(up) > 0.0 ? poise_quat_twist(turned, up, NULL) : 0.0;
        PoiseQuat by = poise_quat_exp(poise_scale(part * about, up));
        const PoiseQuat turn = poise_quat_mul(by, goal.q);
        poise__note(rig, poise_point_set_orientation(rig->tree, stance->point, turn));
    }
}

// how far the weight leans against the moment of the forces that are pressed with: all the way, as
// far as the sole is long, so that it does not fall where they find nothing to press on
static PoiseVec3 lean_of(const PoiseRig* rig, int root, PoiseVec3 middle, PoiseVec3 up,
                         double longest) {
    double load[WRENCH];
    poise__pressed_load(rig, &rig->bindings[root], middle, load);
    dVector3 g;
    dWorldGetGravity(rig->world, g);
    const double strength = sqrt((double)(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
    double mass = 0.0;
    for (int b = 0; b < rig->binding_count; b++) {
        mass +=
            rig->bindings[b].root == root && rig->bindings[b].weighs ? rig->bindings[b].mass : 0.0;
    }
    if (!(mass * strength > 0.0)) {
        return poise_vec3(0.0, 0.0, 0.0);
    }
    const PoiseVec3 moment = poise_vec3(load[3], load[4], load[5]);
    PoiseVec3 lean = poise_scale(-1.0 / (mass * strength), poise_cross(up, moment));
    const double length = poise_length(lean);
    return length > longest ? poise_scale(longest / length, lean) : lean;
}

static void follow_balance(PoiseRig* rig, PoiseVec3 up) {
    PoiseVec3 middle = poise_vec3(0.0, 0.0, 0.0);
    double shares = 0.0;
    double sole = HUGE_VAL;
    int root = NO_BINDING;
    for (int i = 0; i < rig->stance_count; i++) {
        const Stance* stance = &rig->stances[i];
        if (stance->stands) {
            middle = poise_add_scaled(middle, stance->share, stance->place);
            shares += stance->share;
            sole = poise_min(sole, LEANS * poise__stance_arm(stance));
            root = stance->root;
        }
    }
    if (shares > 0.0 && poise_point_is_valid(rig->tree, rig->balance)) {
        const PoiseVec3 goal = poise_point_goal(rig->tree, rig->balance).p;
        middle = poise_scale(1.0 / shares, middle);
        middle = poise_add(middle, lean_of(rig, root, middle, up, sole));
        PoiseVec3 off = level(poise_sub(middle, goal), up);
        poise__note(rig, poise_point_set_position(rig->tree, rig->balance, poise_add(goal, off)));
    }
}

void poise__stance_find(PoiseRig* rig) {
    for (int i = 0; i < rig->stance_count; i++) {
        Stance* stance = &rig->stances[i];
        const PoisePose pose = poise_point_pose(rig->tree, stance->point);
        stance->binding = poise__binding_below(rig, stance->point);
        stance->root =
            stance->binding == NO_BINDING ? NO_BINDING : rig->bindings[stance->binding].root;
        stance->place = pose.p;
        stance->turn = pose.q;
        stance->stands = stance->root != NO_BINDING && rig->bindings[stance->root].ready &&
                         poise__base_floats(&rig->bindings[stance->root]);
        stance->carries = stance->stands;
        stance->force = poise_vec3(0.0, 0.0, 0.0);
        stance->moment = stance->force;
    }
}

void poise__stance_follow(PoiseRig* rig, double dt) {
    if (rig->stance_count == 0) {
        return;
    }
    const PoiseVec3 up = up_of(rig);
    poise__stance_find(rig);
    for (int i = 0; i < rig->stance_count; i++) {
        if (rig->stances[i].stands) {
            slide_goal(rig, &rig->stances[i], up, dt);
        }
    }
    follow_balance(rig, up);
}
