// SPDX-License-Identifier: MIT
// Warns of allowed settings that are rarely intended: an anchor away from both bodies, a tree
// without support, a joint without control point and spring.
#include <math.h>

#include "builder.h"

// Largest distance, m, of an anchor from its bodies if they are small.
#define NEAR_BODY 0.05

/// A ball around a body's shapes, world, while every joint is at 0.
typedef struct Ball {
    PoiseVec3 centre;
    double radius; ///< radius of the ball, m; 0 for a body without shapes
} Ball;

static Ball ball_of(const PoiseSceneBody* body) {
    Ball ball = {poise_vec3(0.0, 0.0, 0.0), 0.0};
    for (int i = 0; i < body->shape_count; i++) {
        ball.centre =
            poise_add_scaled(ball.centre, 1.0 / body->shape_count, body->shapes[i].in_body.p);
    }
    for (int i = 0; i < body->shape_count; i++) {
        const double off = poise_length(poise_sub(body->shapes[i].in_body.p, ball.centre));
        ball.radius = fmax(ball.radius, off + poise_length(body->shapes[i].size));
    }
    ball.centre = poise_pose_apply(body->pose, ball.centre);
    return ball;
}

// Returns the distance of a place from the ball around the body's shapes, m; NAN without shapes.
static double off_ball(const PoiseSceneBody* body, PoiseVec3 place) {
    const Ball ball = ball_of(body);
    return ball.radius > 0.0 ? poise_length(poise_sub(place, ball.centre)) - ball.radius
                             : (double)NAN;
}

static bool is_far(const PoiseSceneBody* body, double off) {
    return off > 2.0 * ball_of(body).radius + NEAR_BODY;
}

static void suspect_anchor(Builder* builder, const PoiseSceneJoint* joint) {
    if (joint->parent.index < 0 || poise_kind_floats(joint->kind) ||
        poise_kind_slides(joint->kind)) {
        return;
    }
    const PoiseSceneBody* parent = &builder->bodies[joint->parent.index];
    const PoiseSceneBody* child = &builder->bodies[joint->child.index];
    const double to_parent = off_ball(parent, joint->anchor);
    const double to_child = off_ball(child, joint->anchor);
    if (is_far(parent, to_parent) && is_far(child, to_child)) {
        WARN(builder, joint->mark,
             "joint '%.60s' is at (%.4g, %.4g, %.4g), %.2g m off '%.60s' and %.2g m off "
             "'%.60s': its place is in metres and world axes",
             joint->name, joint->anchor.x, joint->anchor.y, joint->anchor.z, to_parent,
             parent->name, to_child, child->name);
    }
}

// Returns the root of the tree that contains the body; -1: the world.
static int root_of(const Builder* builder, int body) {
    const PoiseSceneJoint* joint;
    for (; (joint = poise__build_carrier(builder, body)); body = joint->parent.index) {
        if (poise_kind_floats(joint->kind)) {
            return -1;
        }
    }
    return body;
}

static void suspect_root(Builder* builder, const PoiseScenePoint* point) {
    const PoiseVec3 g = builder->spec->scene.world.def.gravity;
    const int root = root_of(builder, point->body.index);
    const PoiseSceneBody* body = root >= 0 ? &builder->bodies[root] : NULL;
    if (!body || body->fixed || !body->gravity || poise_dot(g, g) == 0.0) {
        return;
    }
    WARN_KIND(builder, "a tree is tied to nothing", body->mark,
              "'%.60s' is tied to nothing and falls, with control point '%.60s': give it a joint "
              "'between: [world, %.60s]', or 'fixed: on'; a robot that stands is 'floating'",
              body->name, point->name, body->name);
}

// Returns the joint whose angle determines this joint's angle.
static int leader_of(const Builder* builder, int joint) {
    for (int i = 0; i < builder->joint_count && builder->joints[joint].mimics >= 0; i++) {
        joint = builder->joints[joint].mimics;
    }
    return joint;
}

static bool is_led(const Builder* builder, int joint) {
    const int leader = leader_of(builder, joint);
    const PointList* points = &builder->spec->points;
    for (int i = 0; i < points->count; i++) {
        for (int k = 0; k < points->items[i].joint_count; k++) {
            if (leader_of(builder, points->items[i].joints[k]) == leader) {
                return true;
            }
        }
    }
    return false;
}

// Notes a joint that no control point moves and no spring holds.
static void suspect_unsprung(Builder* builder, int index) {
    const PoiseSceneJoint* joint = &builder->joints[index];
    const bool sprung = joint->bind.ik.stiffness > 0.0 && !(joint->bind.original.stiffness > 0.0);
    if (!joint->driven || poise_kind_floats(joint->kind) || !sprung || joint->mimics >= 0 ||
        is_led(builder, index)) {
        return;
    }
    NOTE_KIND(builder, "a joint hangs freely", joint->mark,
              "joint '%.60s' moves no control point and hangs freely: 'original: "
              "{spring: ..., damper: ...}' would hold it",
              joint->name);
}

void poise__build_suspicions(Builder* builder) {
    if (builder->lost_count > 0 || !builder->joint_order) {
        return;
    }
    for (int i = 0; i < builder->joint_count; i++) {
        suspect_anchor(builder, &builder->joints[i]);
        if (builder->spec->points.count > 0) {
            suspect_unsprung(builder, i);
        }
    }
    for (int i = 0; i < builder->spec->points.count; i++) {
        suspect_root(builder, &builder->spec->points.items[i]);
    }
}
