// SPDX-License-Identifier: MIT
// Views of a running scene: shapes, control points, joints and their springs, bodies.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "coordinates.h"
#include "number.h"
#include "running.h"

int poise_simulation_shape_count(const PoiseSimulation* simulation) {
    return simulation ? simulation->shape_count : 0;
}

PoiseShapeView poise_simulation_shape(const PoiseSimulation* simulation, int index) {
    PoiseShapeView view = {.body = "", .body_index = -1, .pose_world = poise_pose_identity()};
    if (!simulation || index < 0 || index >= simulation->shape_count) {
        return view;
    }
    const RunningShape* shape = &simulation->shapes[index];
    const PoiseSceneBody* body = &simulation->scene->bodies[shape->body];
    view.kind = shape->scene->kind;
    view.size = shape->scene->size;
    view.body = body->name;
    view.fixed = body->fixed;
    view.body_index = body->fixed ? -1 : shape->body;
    view.pose_world = shape->in_body;
    if (!body->fixed) {
        PoisePose frame = poise__simulation_body_pose(simulation, shape->body);
        view.pose_world = poise_pose_mul(frame, shape->scene->in_body);
    }
    return view;
}

bool poise_simulation_ground(const PoiseSimulation* simulation, double* height) {
    if (!simulation || !simulation->scene->world.ground) {
        return false;
    }
    if (height) {
        *height = simulation->scene->world.ground_height;
    }
    return true;
}

int poise_simulation_point_count(const PoiseSimulation* simulation) {
    return simulation ? simulation->point_count : 0;
}

// Returns the point's rotation after the smallest rotation that aims its axis at the target.
static PoiseQuat turned_to_aim(const PoiseSimulation* simulation, const RunningPoint* point,
                               PoisePose pose) {
    PoiseVec3 from = poise_quat_rotate(pose.q, point->scene.orientation.axis);
    PoiseVec3 to = poise__simulation_sight(simulation, point, pose.p, NULL);
    PoiseVec3 across = poise_cross(from, to);
    double sine = poise_length(across);
    double angle = poise_atan2(sine, poise_dot(from, to));
    if (!(poise_length(to) > 0.0) || !(angle > 0.0)) {
        return pose.q;
    }
    if (!(sine > 0.0)) {
        // Half a turn is about any axis perpendicular to `from`.
        bool x = fabs(from.x) < fabs(from.y);
        across = poise_cross(from, poise_vec3(x, !x, 0.0));
    }
    return poise_quat_mul(poise_quat_from_axis_angle(across, angle), pose.q);
}

static const char* name_of_node(void* user, PoiseNodeId node) {
    const PoiseSimulation* simulation = (const PoiseSimulation*)user;
    for (int i = 0; i < simulation->scene->joint_count; i++) {
        const PoiseNodeId own = simulation->nodes[i];
        if (own.index1 == node.index1 && own.generation == node.generation) {
            return simulation->scene->joints[i].name;
        }
    }
    return NULL;
}

PoiseNodeNames poise_simulation_node_names(const PoiseSimulation* simulation) {
    PoiseNodeNames names = {NULL, NULL, NULL};
    if (simulation) {
        names.geom_name_of = poise__simulation_geom_name;
        names.name_of = name_of_node;
        // The cast drops const, but name_of_node only reads the simulation.
        names.user = (void*)(uintptr_t)simulation;
    }
    return names;
}

// Fills the point's reading from the rig. An axis goal has its own point and reading.
static void read_point(const PoiseSimulation* simulation, const RunningPoint* point,
                       PoisePointView* view) {
    PoisePointReading axis;
    if (poise_rig_read_point(simulation->rig, view->point, &view->reading) < 0) {
        memset(&view->reading, 0, sizeof view->reading);
    }
    if (!point->has_aim || poise_rig_read_point(simulation->rig, point->aim, &axis) < 0) {
        return;
    }
    // The tree has the posture from before the step, the bodies that after it, so the angle is
    // computed from the bodies.
    view->reading.angle_miss = poise_length(poise_quat_log(
        poise_quat_mul(view->goal_world.q, poise_quat_conjugate(view->pose_world.q))));
    view->reading.planned_angle_miss = axis.planned_angle_miss;
    if (view->reading.why == POISE_WHY_NONE || !view->has_position) {
        view->reading.why = axis.why;
        view->reading.joint_count = axis.joint_count;
        view->reading.held_by = axis.held_by;
        memcpy(view->reading.held_geoms, axis.held_geoms, sizeof axis.held_geoms);
        memcpy(view->reading.joints, axis.joints, sizeof axis.joints);
    }
}

static void read_force(const PoiseSimulation* simulation, const RunningPoint* point,
                       PoisePointView* view) {
    view->force = poise_point_force(simulation->tree, point->current);
    view->presses = view->enabled && poise_length(view->force) > 0.0;
    if (!view->presses) {
        return;
    }
    view->force_measured = view->reading.force_measured;
    PoiseVec3 contact;
    dBodyID body = simulation->bodies[point->scene.body.index];
    if (poise_world_contact_force(simulation->world, body, &contact, NULL) >= 0 &&
        poise_length(contact) > 0.0) {
        view->force_measured = poise_scale(-1.0, contact);
    }
}

// Returns the component of the displacement along the goal's velocity, m.
static double lag_of(const PoiseSimulation* simulation, const RunningPoint* point,
                     PoiseVec3 displacement) {
    PoiseVec3 velocity;
    poise_point_goal_velocity(simulation->tree, point->current, &velocity, NULL);
    velocity = poise_quat_rotate(poise__point_tree_frame(simulation, &point->scene).q, velocity);
    const double speed = poise_length(velocity);
    return point->has_position && speed > 0.0 ? poise_dot(displacement, velocity) / speed : 0.0;
}

PoisePointView poise_simulation_point(const PoiseSimulation* simulation, int index) {
    PoisePointView view = {
        .name = "", .pose_world = poise_pose_identity(), .goal_world = poise_pose_identity()};
    if (!simulation || index < 0 || index >= simulation->point_count) {
        return view;
    }
    const RunningPoint* point = &simulation->points[index];
    view.added = point->added;
    view.removed = point->removed;
    if (point->removed) {
        return view;
    }
    view.held = point->held;
    view.turn_held = point->turn_held;
    view.moved = point->moved;
    view.turns = point->scene.orientation.kind == POISE_GOAL_FIXED ||
                 point->scene.orientation.kind == POISE_GOAL_PATH;
    view.body = point->scene.body.index;
    view.in_body = point->scene.in_body;
    view.name = poise__point_name(point);
    view.point = point->current.index1 != 0 ? point->current : point->aim;
    view.aim = point->aim;
    view.pose_world = poise__simulation_point_pose(simulation, &point->scene);
    view.goal_world = poise_pose_mul(poise__point_tree_frame(simulation, &point->scene),
                                     poise_point_goal(simulation->tree, point->all_goals));
    view.has_position = point->has_position;
    view.has_orientation = point->has_orientation || point->has_aim;
    view.enabled = poise_point_enabled(simulation->tree, view.point);
    if (!view.has_position) {
        view.goal_world.p = view.pose_world.p;
    }
    if (!view.has_orientation) {
        view.goal_world.q = view.pose_world.q;
    }
    if (point->has_aim) {
        view.goal_world.q = turned_to_aim(simulation, point, view.pose_world);
    }
    view.lag = lag_of(simulation, point, poise_sub(view.goal_world.p, view.pose_world.p));
    read_point(simulation, point, &view);
    read_force(simulation, point, &view);
    return view;
}

int poise_simulation_joint_count(const PoiseSimulation* simulation) {
    return simulation ? simulation->scene->joint_count : 0;
}

PoiseNodeId poise_simulation_joint_node(const PoiseSimulation* simulation, int index) {
    bool there = simulation && index >= 0 && index < simulation->scene->joint_count;
    return there ? simulation->nodes[index] : poise_null_node();
}

// Reads both angles; ODE's first axis is the scene's second. ODE gives angles within half a turn.
static void read_universal(dJointID joint, PoiseJointView* view) {
    view->q[0] = (double)dJointGetUniversalAngle2(joint);
    view->q[1] = (double)dJointGetUniversalAngle1(joint);
}

// Reads the coordinates of a joint without a node from ODE.
static void read_loop(const PoiseSimulation* simulation, int index, PoiseJointView* view) {
    dJointID joint = simulation->joints[index];
    poise_joint_neutral(poise_joint_type(view->kind), view->q);
    memcpy(view->q_target, view->q, sizeof view->q);
    if (!joint) {
        return;
    }
    if (poise_kind_axes(view->kind) == 1 && !poise_kind_slides(view->kind)) {
        view->q[0] = (double)dJointGetHingeAngle(joint);
    } else if (poise_kind_slides(view->kind)) {
        view->q[0] = (double)dJointGetSliderPosition(joint);
    } else if (poise_kind_axes(view->kind) == 2) {
        read_universal(joint, view);
    }
    memcpy(view->q_target, view->q, sizeof view->q);
}

// Reads a node's coordinates from the bodies' present poses, since the rig's reading is from before
// the step.
static void read_now(const PoiseSimulation* simulation, int index, PoiseJointView* view) {
    const PoiseScene* scene = simulation->scene;
    const PoiseSceneJoint* joint = &scene->joints[index];
    if (poise_kind_axes(joint->kind) == 1 && !poise_kind_slides(joint->kind)) {
        double angle = (double)dJointGetHingeAngle(simulation->joints[index]);
        double turn = 2.0 * PI;
        view->q[0] = angle + turn * round((view->q[0] - angle) / turn);
    } else if (poise_kind_slides(joint->kind)) {
        view->q[0] = (double)dJointGetSliderPosition(simulation->joints[index]);
    } else if (poise_kind_axes(joint->kind) == 2) {
        read_universal(simulation->joints[index], view);
    } else if (poise_kind_turns(joint->kind) || poise_kind_floats(joint->kind)) {
        bool moving = joint->parent.index >= 0 && simulation->bodies[joint->parent.index];
        PoiseQuat none = poise_quat_identity();
        PoiseQuat parent_now =
            moving ? poise__simulation_body_pose(simulation, joint->parent.index).q : none;
        PoiseQuat parent_then = moving ? scene->bodies[joint->parent.index].pose.q : none;
        PoiseQuat child_now = poise__simulation_body_pose(simulation, joint->child.index).q;
        PoiseQuat child_then = scene->bodies[joint->child.index].pose.q;
        // (parent now)^-1 (child now), relative to the pose with every joint at 0
        PoiseQuat relative_now = poise_quat_mul(poise_quat_conjugate(parent_now), child_now);
        PoiseQuat relative_then = poise_quat_mul(poise_quat_conjugate(parent_then), child_then);
        poise__quat_write(poise_quat_mul(relative_now, poise_quat_conjugate(relative_then)),
                          &view->q[poise_kind_floats(joint->kind) ? 3 : 0]);
    }
}

PoiseJointView poise_simulation_joint(const PoiseSimulation* simulation, int index) {
    PoiseJointView view = {.name = ""};
    if (!simulation || index < 0 || index >= simulation->scene->joint_count) {
        return view;
    }
    const PoiseSceneJoint* joint = &simulation->scene->joints[index];
    view.name = joint->name;
    view.kind = joint->kind;
    view.node = simulation->nodes[index];
    PoiseJointReading reading = {0};
    if (!joint->driven || poise_rig_read_joint(simulation->rig, view.node, &reading) < 0) {
        read_loop(simulation, index, &view);
        return view;
    }
    const double* torque = &reading.torque[poise_kind_floats(joint->kind) ? 3 : 0];
    view.torque = poise_vec3(torque[0], torque[1], torque[2]);
    memcpy(view.q, reading.q, sizeof view.q);
    memcpy(view.q_target, reading.q_target, sizeof view.q_target);
    read_now(simulation, index, &view);
    return view;
}

PoiseJointSprings poise_simulation_joint_springs(const PoiseSimulation* simulation, int index) {
    PoiseJointSprings springs = {0};
    PoiseJointReading reading;
    if (!simulation || index < 0 || index >= simulation->scene->joint_count ||
        !simulation->scene->joints[index].driven) {
        return springs;
    }
    const PoiseBindDef* bind = &simulation->running_joints[index].bind;
    springs.original = bind->original;
    springs.ik = bind->ik;
    poise__simulation_natural(simulation, index, poise__simulation_now(simulation),
                              springs.q_natural);
    springs.max_torque = bind->torque_limit;
    if (poise_rig_read_joint(simulation->rig, simulation->nodes[index], &reading) >= 0) {
        springs.blended = reading.spring;
        springs.count = poise_joint_type(reading.kind)->nq;
        memcpy(springs.q, reading.q, sizeof springs.q);
        memcpy(springs.q_ik, reading.q_ik, sizeof springs.q_ik);
    }
    return springs;
}

PoisePose poise_simulation_joint_frame(const PoiseSimulation* simulation, int index) {
    if (!simulation || index < 0 || index >= simulation->scene->joint_count) {
        return poise_pose_identity();
    }
    const PoiseScene* scene = simulation->scene;
    const PoiseSceneJoint* joint = &scene->joints[index];
    bool turns_freely = poise_kind_turns(joint->kind);
    PoisePose frame = poise_pose(joint->anchor, turns_freely ? poise_quat_identity()
                                                             : poise__turn_z_to(joint->axis));
    if (joint->parent.index < 0) {
        return frame;
    }
    // Moves the frame with the parent, from the parent's pose with every joint at 0.
    PoisePose then = scene->bodies[joint->parent.index].pose;
    PoisePose now = poise__simulation_body_pose(simulation, joint->parent.index);
    frame.p = poise_pose_apply(now, poise_quat_unrotate(then.q, poise_sub(frame.p, then.p)));
    if (turns_freely) {
        // A ball's frame has the parent's axes, as in the rig.
        frame.q = now.q;
    } else {
        frame.q = poise_quat_mul(now.q, poise_quat_mul(poise_quat_conjugate(then.q), frame.q));
    }
    return frame;
}

// ------------------------------------------------------------------------------------------ bodies

int poise_simulation_body_count(const PoiseSimulation* simulation) {
    return simulation ? simulation->scene->body_count : 0;
}

PoiseBodyView poise_simulation_body(const PoiseSimulation* simulation, int index) {
    PoiseBodyView view = {.name = "", .joint = -1, .pose_world = poise_pose_identity()};
    if (!simulation || index < 0 || index >= simulation->scene->body_count) {
        return view;
    }
    const PoiseSceneBody* body = &simulation->scene->bodies[index];
    view.name = body->name;
    view.fixed = body->fixed;
    view.joint = body->joint;
    view.mass = body->fixed ? 0.0 : body->mass;
    view.pose_world = poise__simulation_body_pose(simulation, index);
    view.com_world = poise_pose_apply(view.pose_world, body->com);
    if (simulation->bodies[index] &&
        poise_world_contact_force(simulation->world, simulation->bodies[index], &view.contact_force,
                                  NULL) < 0) {
        view.contact_force = poise_vec3(0.0, 0.0, 0.0);
    }
    return view;
}
