// SPDX-License-Identifier: MIT
// Computes the places of control points, and the targets of their axes, for goals
// (simulation_goals.c) and views (simulation_view.c).

#include "running.h"

bool poise__point_aims(const PoiseScenePoint* point) {
    PoiseGoalKind kind = point->orientation.kind;
    return kind == POISE_GOAL_ALONG || kind == POISE_GOAL_AT || kind == POISE_GOAL_AT_PLACE;
}

// ------------------------------------------------------------------------------------------ places

static bool is_in_branch(const PoiseScene* scene, int body, int root) {
    while (body >= 0 && body != root) {
        int joint = scene->bodies[body].joint;
        body = joint >= 0 ? scene->joints[joint].parent.index : -1;
    }
    return body == root;
}

// Sums over a body and all bodies of its branch: mass, mass x position, mass x velocity.
typedef struct MassSum {
    double mass;
    PoiseVec3 moment;
    PoiseVec3 momentum;
} MassSum;

static MassSum sum_masses(const PoiseSimulation* simulation, int root) {
    const PoiseScene* scene = simulation->scene;
    MassSum sum = {0.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < scene->body_count; i++) {
        dBodyID body = simulation->bodies[i];
        if (body && is_in_branch(scene, i, root)) {
            double mass = scene->bodies[i].mass;
            const dReal* p = dBodyGetPosition(body);
            const dReal* v = dBodyGetLinearVel(body);
            sum.mass += mass;
            sum.moment = poise_add_scaled(sum.moment, mass, poise__from_ode(p));
            sum.momentum = poise_add_scaled(sum.momentum, mass, poise__from_ode(v));
        }
    }
    return sum;
}

PoisePose poise__simulation_point_pose(const PoiseSimulation* simulation,
                                       const PoiseScenePoint* point) {
    PoisePose pose =
        poise_pose_mul(poise__simulation_body_pose(simulation, point->body.index), point->in_body);
    if (point->com) {
        MassSum sum = sum_masses(simulation, point->body.index);
        pose.p = poise_scale(1.0 / sum.mass, sum.moment);
    }
    return pose;
}

PoisePose poise__simulation_goal_frame(const PoiseSimulation* simulation,
                                       const PoiseScenePoint* point) {
    return point->frame.index < 0
               ? poise_pose_identity()
               : poise_pose_mul(poise__simulation_body_pose(simulation, point->frame.index),
                                point->frame_in_body);
}

PoisePose poise__point_to_tree(const PoiseSimulation* simulation, const PoiseScenePoint* point) {
    if (point->frame.index < 0) {
        return poise_pose_identity();
    }
    // the frame of a link in the tree is at the centre of mass
    const PoiseSceneBody* body = &simulation->scene->bodies[point->frame.index];
    const PoisePose in_tree = body->joint >= 0
                                  ? poise_pose(poise_scale(-1.0, body->com), poise_quat_identity())
                                  : poise__simulation_body_pose(simulation, point->frame.index);
    return poise_pose_mul(in_tree, point->frame_in_body);
}

PoisePose poise__point_tree_frame(const PoiseSimulation* simulation, const PoiseScenePoint* point) {
    return poise_pose_mul(poise__simulation_goal_frame(simulation, point),
                          poise_pose_inverse(poise__point_to_tree(simulation, point)));
}

// Returns the velocity of the control point, which is at `place`, world, m/s.
static PoiseVec3 velocity_of(const PoiseSimulation* simulation, const PoiseScenePoint* point,
                             PoiseVec3 place) {
    dBodyID body = simulation->bodies[point->body.index];
    if (!body) {
        return poise_vec3(0.0, 0.0, 0.0);
    }
    if (point->com) {
        MassSum sum = sum_masses(simulation, point->body.index);
        return poise_scale(1.0 / sum.mass, sum.momentum);
    }
    dVector3 v = {0, 0, 0, 0};
    dBodyGetPointVel(body, ODE_XYZ(place), v);
    return poise__from_ode(v);
}

// -------------------------------------------------------------------------------------------- aims

// Returns the place that the axis should point at, world, and writes its velocity.
static PoiseVec3 aim_target(const PoiseSimulation* simulation, const RunningPoint* point,
                            PoiseVec3* velocity) {
    const PoiseOrientationGoal* turn = &point->scene.orientation;
    *velocity = poise_vec3(0.0, 0.0, 0.0);
    if (turn->kind == POISE_GOAL_AT_PLACE) {
        return poise_pose_apply(poise__simulation_goal_frame(simulation, &point->scene),
                                turn->place);
    }
    const PoiseScenePoint* other = &simulation->scene->points[turn->at.index];
    const RunningPoint* goal = turn->at_goal ? &simulation->points[turn->at.index] : NULL;
    if (goal) {
        const PoisePose frame = poise__point_tree_frame(simulation, other);
        *velocity = poise_quat_rotate(frame.q, goal->goal_velocity);
        return poise_pose_apply(frame, poise_point_goal(simulation->tree, goal->all_goals).p);
    }
    PoiseVec3 place = poise__simulation_point_pose(simulation, other).p;
    *velocity = velocity_of(simulation, other, place);
    return place;
}

PoiseVec3 poise__simulation_sight(const PoiseSimulation* simulation, const RunningPoint* point,
                                  PoiseVec3 eye, PoiseVec3* turning) {
    const PoiseOrientationGoal* turn = &point->scene.orientation;
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    if (turning) {
        *turning = none;
    }
    if (turn->kind == POISE_GOAL_ALONG) {
        return poise_quat_rotate(poise__simulation_goal_frame(simulation, &point->scene).q,
                                 turn->along);
    }
    PoiseVec3 velocity;
    PoiseVec3 displacement = poise_sub(aim_target(simulation, point, &velocity), eye);
    double distance = poise_length(displacement);
    if (!(distance > 0.0)) {
        return none;
    }
    PoiseVec3 sight = poise_scale(1.0 / distance, displacement);
    if (turning) {
        *turning = poise_scale(1.0 / distance, poise_cross(sight, velocity));
    }
    return sight;
}

PoiseStatus poise__simulation_set_aim(PoiseSimulation* simulation, RunningPoint* point) {
    PoiseTree* tree = simulation->tree;
    const PoiseOrientationGoal* turn = &point->scene.orientation;
    if (turn->kind == POISE_GOAL_ALONG) {
        const PoiseQuat to_tree = poise__point_to_tree(simulation, &point->scene).q;
        return poise_point_set_direction(tree, point->aim, poise_quat_rotate(to_tree, turn->along));
    }
    PoiseVec3 velocity;
    PoiseVec3 turning;
    const PoisePose frame = poise__point_tree_frame(simulation, &point->scene);
    const PoiseVec3 eye = poise__simulation_point_pose(simulation, &point->scene).p;
    const PoiseVec3 place = aim_target(simulation, point, &velocity);
    poise__simulation_sight(simulation, point, eye, &turning);
    return poise__first_error(
        poise_point_set_position(tree, point->aim,
                                 poise_pose_apply(poise_pose_inverse(frame), place)),
        poise_point_set_angular_velocity(tree, point->aim, poise_quat_unrotate(frame.q, turning)));
}
