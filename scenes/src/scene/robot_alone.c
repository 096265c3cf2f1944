// SPDX-License-Identifier: MIT
// Completes the scene of a robot alone: adds springs (auto_springs.c), a ground below the robot,
// and a control point at each tip that keeps the tip at its start. Places feet on the ground if the
// base is free.
#include <math.h>
#include <string.h>

#include "robot_alone.h"
#include "robot_builder.h"

// A tip is a foot if its height above the lowest point is below this fraction of the robot's
// height.
#define FOOT_PART 0.02
// Least distance between the ground and the lowest moving body of a fixed robot, m.
#define LEAST_ROOM 0.01
// Weights of the feet and of the centre of mass, in comparison with other tips (1).
#define FOOT_WEIGHT    10.0
#define BALANCE_WEIGHT 4.0
// Fraction of its distance to the start posture by which each joint moves in a step, in directions
// that the points leave free. At a step of 10 ms the time constant is 1 s. If this were 0, a robot
// would stay twisted after a drag.
#define POSTURE_RATE 0.01
// The ground's force may act within this fraction of a sole's half width from its middle.
#define SOLE_PART 0.5
typedef struct LoneRobot {
    Builder* builder;
    const PoisePose* poses; ///< poses of the bodies at the start
    double lowest;          ///< lowest place of all shapes, m
    double highest;
    double lowest_moved; ///< lowest place of the bodies that joints move, m
    bool stands;         ///< true if the robot stands on its feet, with a free base
    int base;            ///< body that the floating base moves; -1: none
    int feet;
    const Robot* robot;
    const int* grippers; ///< for each body, see poise__alone_find_grippers
} LoneRobot;

// ----------------------------------------------------------------------------------------- shapes

// Returns the height below which a tip is a foot, m.
static double near_ground(const LoneRobot* lone) {
    return lone->lowest + FOOT_PART * (lone->highest - lone->lowest);
}

// Finds the lowest and highest places of a floating robot's shapes, or of all shapes if the robot
// is fixed.
static void find_extent(LoneRobot* lone) {
    lone->lowest = (double)INFINITY;
    lone->highest = -(double)INFINITY;
    lone->lowest_moved = (double)INFINITY;
    for (int i = 0; i < lone->builder->body_count; i++) {
        double span[2];
        if ((lone->base < 0 || poise__build_carries(lone->builder, lone->base, i)) &&
            poise__alone_span(lone->builder, lone->poses, i, span)) {
            lone->lowest = fmin(lone->lowest, span[0]);
            lone->highest = fmax(lone->highest, span[1]);
            const bool moved = lone->builder->bodies[i].joint >= 0;
            lone->lowest_moved = moved ? fmin(lone->lowest_moved, span[0]) : lone->lowest_moved;
        }
    }
}

// ----------------------------------------------------------------------------------------- points

static void hold_position(Builder* builder, PoiseScenePoint* point, PoiseVec3 place) {
    PoiseVec3* at = poise__arena_allocate(builder->arena, 1, sizeof *at);
    if (at) {
        *at = place;
        point->position.kind = POISE_GOAL_FIXED;
        point->position.places = at;
        point->position.count = 1;
    }
}

static void hold_rotation(Builder* builder, PoiseScenePoint* point, PoiseQuat turn) {
    PoiseQuat* q = poise__arena_allocate(builder->arena, 1, sizeof *q);
    if (q) {
        *q = turn;
        point->orientation.kind = POISE_GOAL_FIXED;
        point->orientation.rotations = q;
        point->orientation.count = 1;
    }
}

static PoiseScenePoint* add_point(Builder* builder, const char* name, int body) {
    static const Element nothing = {.kind = ELEMENT_MAP, .text = ""};
    PointList* list = &builder->spec->points;
    const PoiseMark mark = builder->bodies[body].mark;
    PoiseScenePoint* point = &list->items[list->count];
    *point = poise__default_point();
    point->name = name;
    point->mark = mark;
    point->body = (PoiseRef){builder->bodies[body].name, mark, -1};
    list->headers[list->count++] = (Header){.name = name, .mark = mark, .element = &nothing};
    return point;
}

// Extent of the shapes of a foot that touch the ground, along x and y, world, m.
typedef struct Sole {
    PoiseVec3 least;
    PoiseVec3 most;
} Sole;

static Sole sole_of(const LoneRobot* lone, int index) {
    const PoiseSceneBody* body = &lone->builder->bodies[index];
    const double far = (double)INFINITY;
    Sole sole = {{far, far, lone->lowest}, {-far, -far, lone->lowest}};
    for (int i = 0; i < body->shape_count; i++) {
        const PoiseSceneShape* shape = &body->shapes[i];
        double height[2];
        poise__shape_span(shape, lone->poses[index], poise_vec3(0.0, 0.0, 1.0), height);
        if (height[0] < near_ground(lone)) {
            double x[2];
            double y[2];
            poise__shape_span(shape, lone->poses[index], poise_vec3(1.0, 0.0, 0.0), x);
            poise__shape_span(shape, lone->poses[index], poise_vec3(0.0, 1.0, 0.0), y);
            // A ball, and each end of a capsule, touches at one point, not over its width.
            const bool ends =
                shape->kind == POISE_SHAPE_SPHERE || shape->kind == POISE_SHAPE_CAPSULE;
            const double round = ends ? shape->size.x : 0.0;
            sole.least.x = fmin(sole.least.x, x[0] + round);
            sole.least.y = fmin(sole.least.y, y[0] + round);
            sole.most.x = fmax(sole.most.x, x[1] - round);
            sole.most.y = fmax(sole.most.y, y[1] - round);
        }
    }
    return sole;
}

// Adds a supporting control point at the middle of the sole, held in its place.
static void add_foot(const LoneRobot* lone, int index) {
    Builder* builder = lone->builder;
    const Sole sole = sole_of(lone, index);
    const PoiseVec3 place = poise_scale(0.5, poise_add(sole.least, sole.most));
    PoisePose in_body = poise_pose_mul(poise_pose_inverse(lone->poses[index]),
                                       poise_pose(place, poise_quat_identity()));
    PoiseScenePoint* point = add_point(builder, builder->bodies[index].name, index);
    point->in_body = poise_pose(in_body.p, poise_quat_identity());
    point->def.weight = FOOT_WEIGHT;
    point->stance = 1.0;
    hold_position(builder, point, place);
    // If a leg has enough joints, its point also keeps the foot's rotation.
    if (poise__alone_chain_length(builder, index) >= 5) {
        const double width = fmin(sole.most.x - sole.least.x, sole.most.y - sole.least.y);
        point->sole = 0.5 * SOLE_PART * width;
        hold_rotation(builder, point, lone->poses[index].q);
    }
}

static void add_point_at(const LoneRobot* lone, const char* name, int index, PoisePose in_body) {
    Builder* builder = lone->builder;
    PoiseScenePoint* point = add_point(builder, name, index);
    point->in_body = in_body;
    hold_position(builder, point, poise_pose_apply(lone->poses[index], in_body.p));
}

// Returns the name of the parent link of the joint that carries the body.
static const char* link_before(const LoneRobot* lone, int body) {
    const PoiseSceneJoint* joint = poise__build_carrier(lone->builder, body);
    for (int i = 0; i < lone->robot->joint_count; i++) {
        if (strcmp(lone->robot->joints[i].name, joint->name) == 0) {
            return lone->robot->links[lone->robot->joints[i].parent].name;
        }
    }
    return lone->builder->bodies[joint->parent.index].name;
}

// Adds a control point between the tips of a gripper's fingers.
static void add_gripper(const LoneRobot* lone, int gripper) {
    Builder* builder = lone->builder;
    const char* name = NULL;
    PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
    int count = 0;
    for (int i = 0; i < builder->body_count; i++) {
        if (lone->grippers[i] != gripper) {
            continue;
        }
        if (!name && poise__build_parent(builder, i) == gripper) {
            name = link_before(lone, i);
        }
        if (poise__alone_is_tip(builder, i)) {
            PoisePose in_body = poise_pose_identity();
            poise__alone_end(builder, i, &in_body);
            sum = poise_add(sum, poise_pose_apply(lone->poses[i], in_body.p));
            count++;
        }
    }
    const PoisePose to_body = poise_pose_inverse(lone->poses[gripper]);
    const PoiseVec3 middle = poise_scale(1.0 / count, sum);
    PoisePose in_body = poise_pose(poise_pose_apply(to_body, middle), poise_quat_identity());
    name = poise__alone_tool(builder, name, gripper, &in_body);
    add_point_at(lone, name, gripper, in_body);
}

static PoiseVec3 centre_of_mass(const LoneRobot* lone) {
    PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
    double mass = 0.0;
    for (int i = 0; i < lone->builder->body_count; i++) {
        const PoiseSceneBody* body = &lone->builder->bodies[i];
        if (!body->fixed) {
            mass += body->mass;
            sum = poise_add_scaled(sum, body->mass, poise_pose_apply(lone->poses[i], body->com));
        }
    }
    return mass > 0.0 ? poise_scale(1.0 / mass, sum) : sum;
}

static void add_balance(const LoneRobot* lone) {
    PoiseScenePoint* point = add_point(lone->builder, "balance", lone->base);
    point->com = true;
    point->balance = true;
    point->def.rows = POISE_ROW_X | POISE_ROW_Y;
    point->def.weight = BALANCE_WEIGHT;
    hold_position(lone->builder, point, centre_of_mass(lone));
}

// ---------------------------------------------------------------------------------------- standing

// True if joints connect the body to the floating base or to the world.
static bool is_connected(const LoneRobot* lone, int body) {
    const PoiseSceneJoint* joint;
    for (; (joint = poise__build_carrier(lone->builder, body)); body = joint->parent.index) {
        if (joint->parent.index < 0) {
            return true;
        }
    }
    return body == lone->base || lone->builder->bodies[body].fixed;
}

static bool is_foot(const LoneRobot* lone, int index) {
    double span[2];
    return is_connected(lone, index) && poise__alone_is_tip(lone->builder, index) &&
           poise__alone_span(lone->builder, lone->poses, index, span) &&
           span[0] < near_ground(lone);
}

// True if the torque limits of the joints between the foot and the base can balance `force`, the
// ground's force on the foot.
static bool can_carry(const LoneRobot* lone, int foot, PoiseVec3 force) {
    const Builder* builder = lone->builder;
    const Sole sole = sole_of(lone, foot);
    const PoiseVec3 place = poise_scale(0.5, poise_add(sole.least, sole.most));
    const PoiseSceneJoint* joint;
    for (int body = foot; (joint = poise__build_carrier(builder, body));
         body = joint->parent.index) {
        const JointLoad load = poise__build_joint_load(builder, joint, lone->poses);
        const PoiseVec3 arm = poise_sub(place, load.place);
        const double needed =
            poise_dot(load.axis, poise_kind_slides(joint->kind) ? force : poise_cross(arm, force));
        if (fabs(needed) > LONE_HELD_PART * joint->bind.torque_limit) {
            return false;
        }
    }
    return true;
}

// Returns why the robot cannot stand; NULL if its centre of mass is above its feet and its legs are
// strong enough. Robots with loops are refused: can_carry assumes legs without loops.
static const char* why_not_standing(const LoneRobot* lone, const Robot* robot) {
    const Builder* builder = lone->builder;
    const double far = (double)INFINITY;
    const PoiseVec3 com = centre_of_mass(lone);
    double mass = 0.0;
    Sole all = {{far, far, 0.0}, {-far, -far, 0.0}};
    for (int i = 0; i < builder->body_count; i++) {
        mass += builder->bodies[i].fixed ? 0.0 : builder->bodies[i].mass;
    }
    const PoiseVec3 gravity = builder->spec->scene.world.def.gravity;
    const PoiseVec3 force = poise_scale(-mass / fmax(1.0, (double)lone->feet), gravity);
    if (robot->closure_count > 0) {
        return "it has loops";
    }
    if (lone->feet == 0) {
        return "it has no foot";
    }
    bool carried = true;
    for (int i = 0; i < builder->body_count && carried; i++) {
        if (is_foot(lone, i)) {
            const Sole sole = sole_of(lone, i);
            all.least =
                poise_vec3(fmin(all.least.x, sole.least.x), fmin(all.least.y, sole.least.y), 0.0);
            all.most =
                poise_vec3(fmax(all.most.x, sole.most.x), fmax(all.most.y, sole.most.y), 0.0);
            carried = can_carry(lone, i, force);
        }
    }
    if (!carried) {
        return "its legs are too weak";
    }
    if (!(all.most.x > all.least.x && all.most.y > all.least.y)) {
        return "its feet touch the ground on one line";
    }
    const bool over =
        com.x > all.least.x && com.x < all.most.x && com.y > all.least.y && com.y < all.most.y;
    return over ? NULL : "its centre of mass is not over its feet";
}

// Places the ground. A model's floor stays if the robot is above it. A standing robot gets a ground
// below its feet, a fixed robot a ground that it does not touch.
static void place_ground(const LoneRobot* lone, PoiseSceneWorld* world) {
    // A robot stands only if gravity acts.
    const bool falls = poise_length(world->def.gravity) > 0.0;
    if (!isfinite(lone->lowest) || (!falls && !world->ground)) {
        return;
    }
    const double room = fmax(LEAST_ROOM, FOOT_PART * (lone->highest - lone->lowest));
    const bool own = world->ground && !lone->stands;
    world->ground_height = own ? fmin(world->ground_height, lone->lowest) : lone->lowest;
    if (!lone->stands) {
        world->ground_height = fmin(world->ground_height, lone->lowest_moved - room);
    }
    world->ground = true;
}

static bool has_point(const Builder* builder, int body) {
    const PointList* list = &builder->spec->points;
    bool found = false;
    for (int i = 0; i < list->count; i++) {
        found = found || strcmp(list->items[i].body.name, builder->bodies[body].name) == 0;
    }
    return found;
}

static void add_points(const LoneRobot* lone) {
    Builder* builder = lone->builder;
    PointList* list = &builder->spec->points;
    const size_t room = (size_t)builder->body_count + 1;
    list->items = poise__arena_allocate(builder->arena, room, sizeof *list->items);
    list->headers = poise__arena_allocate(builder->arena, room, sizeof *list->headers);
    if (!list->items || !list->headers) {
        return;
    }
    for (int i = 0; i < builder->body_count; i++) {
        const int gripper = lone->grippers[i];
        if (lone->stands && is_foot(lone, i)) {
            add_foot(lone, i);
        } else if (poise__alone_is_tip(builder, i) && is_connected(lone, i) && gripper < 0) {
            PoisePose in_body = poise_pose_identity();
            const char* name = poise__alone_end(builder, i, &in_body);
            add_point_at(lone, name, i, in_body);
        } else if (poise__alone_is_tip(builder, i) && is_connected(lone, i) &&
                   !has_point(builder, gripper)) {
            add_gripper(lone, gripper);
        }
    }
    if (lone->stands) {
        add_balance(lone);
    }
    // A linkage has no tip: its heaviest body in a loop gets a control point instead.
    const int part = list->count == 0 ? poise__alone_heaviest_in_loop(builder) : -1;
    if (part >= 0 && is_connected(lone, part)) {
        const PoiseSceneBody* body = &builder->bodies[part];
        add_point_at(lone, body->name, part, poise_pose(body->com, poise_quat_identity()));
    }
}

void poise__build_alone_scene(Builder* builder, const Robot* robot) {
    PoiseSceneWorld* world = &builder->spec->scene.world;
    if (builder->arena->failed) {
        return;
    }
    const int floating = poise__robot_floating_base(robot);
    LoneRobot lone = {.builder = builder,
                      .base = -1,
                      .robot = robot,
                      .grippers = poise__alone_find_grippers(builder)};
    if (floating >= 0) {
        const char* name = robot->links[robot->joints[floating].child].name;
        lone.base = builder->frames[poise__build_find_frame(builder, name)].body;
    } else {
        poise__alone_choose_posture(builder, robot);
    }
    lone.poses = poise__build_start_poses(builder);
    if (!lone.poses || !lone.grippers) {
        return;
    }
    find_extent(&lone);
    for (int i = 0; i < builder->body_count; i++) {
        lone.feet += is_foot(&lone, i) ? 1 : 0;
    }
    if (lone.base >= 0) {
        const char* why = why_not_standing(&lone, robot);
        lone.stands = why == NULL;
        builder->bodies[lone.base].fixed = !lone.stands;
        if (why) {
            NOTE(builder, robot->joints[floating].mark,
                 "the robot alone does not stand, and its base is fixed: %s", why);
        }
        if (lone.stands && !poise__build_float(builder, robot->joints[floating].name, lone.base)) {
            return;
        }
    }
    place_ground(&lone, world);
    // In a loop, joints with springs of the file would pull the others from the start posture.
    if (robot->closure_count == 0) {
        builder->spec->scene.ik.rig.settings.posture_rate = POSTURE_RATE;
    }
    poise__build_springs(builder, world->step);
    add_points(&lone);
    poise__build_points(builder);
}
