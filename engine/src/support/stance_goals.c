// SPDX-License-Identifier: MIT
// Finds the positions of the stance points in this step. Moves the goals of feet that slide, and
// the goal of the centre of mass. An update calls this before stance_forces.c.
#include "convert.h"
#include "support.h"

// The goal of the centre of mass is shifted by at most this fraction of the size of the shortest
// sole.
#define LEANS 0.9

// Returns the horizontal part of `v`, which is perpendicular to `up`.
static PoiseVec3 level(PoiseVec3 v, PoiseVec3 up) {
    return poise_add_scaled(v, -poise_dot(v, up), up);
}

static void slide_goal(RigState* state, const Stance* stance, PoiseVec3 up, double dt) {
    const double part = poise_min(stance->def.slide * dt, 1.0);
    if (part == 0.0 || poise_point_frame(state->tree, stance->def.point).index1 != 0) {
        return;
    }
    const PoisePose goal = poise_point_goal(state->tree, stance->def.point);
    const PoisePointKind kind = poise_point_kind(state->tree, stance->def.point);
    if (kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE) {
        PoiseVec3 off = level(poise_sub(stance->place, goal.p), up);
        poise__note(state, poise_point_set_position(state->tree, stance->def.point,
                                                    poise_add_scaled(goal.p, part, off)));
    }
    if (kind == POISE_POINT_POSE || kind == POISE_POINT_ORIENTATION) {
        PoiseQuat turned = poise_quat_mul(stance->turn, poise_quat_conjugate(goal.q));
        double about = poise_length(up) > 0.0 ? poise_quat_twist(turned, up, NULL) : 0.0;
        PoiseQuat by = poise_quat_exp(poise_scale(part * about, up));
        const PoiseQuat turn = poise_quat_mul(by, goal.q);
        poise__note(state, poise_point_set_orientation(state->tree, stance->def.point, turn));
    }
}

// Returns the horizontal shift of the centre of mass that balances the moment of the asked forces,
// m. The shift is at most `longest`, so that the body does not fall if the points meet no contact.
static PoiseVec3 lean_of(const RigState* state, int root, PoiseVec3 middle, PoiseVec3 up,
                         double longest) {
    double load[WRENCH];
    poise__pressed_load(state, &state->joints[root], middle, load);
    const double strength = poise_length(poise__gravity(state->rig->world));
    double mass = 0.0;
    for (int b = 0; b < state->rig->binding_count; b++) {
        mass += state->rig->bindings[b].root == root && state->joints[b].weighs
                    ? state->rig->bindings[b].mass
                    : 0.0;
    }
    if (!(mass * strength > 0.0)) {
        return poise_vec3(0.0, 0.0, 0.0);
    }
    const PoiseVec3 moment = poise_vec3(load[3], load[4], load[5]);
    PoiseVec3 lean = poise_scale(-1.0 / (mass * strength), poise_cross(up, moment));
    const double length = poise_length(lean);
    return length > longest ? poise_scale(longest / length, lean) : lean;
}

static void follow_balance(RigState* state, PoiseVec3 up) {
    PoiseVec3 middle = poise_vec3(0.0, 0.0, 0.0);
    double shares = 0.0;
    double sole = HUGE_VAL;
    int root = NO_BINDING;
    for (int i = 0; i < state->stance_count; i++) {
        const Stance* stance = &state->stances[i];
        if (stance->stands) {
            middle = poise_add_scaled(middle, stance->def.share, stance->place);
            shares += stance->def.share;
            sole = poise_min(sole, LEANS * poise__stance_arm(stance));
            root = stance->root;
        }
    }
    if (shares > 0.0 && poise_point_is_valid(state->tree, state->balance)) {
        const PoiseVec3 goal = poise_point_goal(state->tree, state->balance).p;
        middle = poise_scale(1.0 / shares, middle);
        middle = poise_add(middle, lean_of(state, root, middle, up, sole));
        PoiseVec3 off = level(poise_sub(middle, goal), up);
        poise__note(state,
                    poise_point_set_position(state->tree, state->balance, poise_add(goal, off)));
    }
}

void poise__stance_find(RigState* state) {
    for (int i = 0; i < state->stance_count; i++) {
        Stance* stance = &state->stances[i];
        const PoisePose pose = poise_point_planned_pose(state->tree, stance->def.point);
        stance->binding = poise__binding_below(state, stance->def.point);
        stance->root =
            stance->binding == NO_BINDING ? NO_BINDING : state->rig->bindings[stance->binding].root;
        stance->place = pose.p;
        stance->turn = pose.q;
        stance->stands = stance->root != NO_BINDING && state->joints[stance->root].ready &&
                         poise__base_floats(&state->rig->bindings[stance->root]);
        stance->carries = stance->stands;
        stance->force = poise_vec3(0.0, 0.0, 0.0);
        stance->moment = stance->force;
    }
}

void poise__stance_follow(RigState* state, double dt) {
    if (state->stance_count == 0) {
        return;
    }
    const PoiseVec3 against = poise_scale(-1.0, poise__gravity(state->rig->world));
    const double strength = poise_length(against);
    const PoiseVec3 up = strength > 0.0 ? poise_scale(1.0 / strength, against) : against;
    poise__stance_find(state);
    for (int i = 0; i < state->stance_count; i++) {
        if (state->stances[i].stands) {
            slide_goal(state, &state->stances[i], up, dt);
        }
    }
    follow_balance(state, up);
}
