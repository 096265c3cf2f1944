// SPDX-License-Identifier: MIT
// Copies a property of all points, joints or bodies to an array of the caller.
#include <math.h>

#include "poise/value.h"

typedef enum Owner { OF_POINTS, OF_JOINTS, OF_BODIES } Owner;

typedef struct Array {
    Owner owner;
    int width;
} Array;

static const Array arrays[] = {
    [POISE_ARRAY_POINT_PLACE] = {OF_POINTS, 3},  [POISE_ARRAY_POINT_TURN] = {OF_POINTS, 4},
    [POISE_ARRAY_POINT_GOAL] = {OF_POINTS, 3},   [POISE_ARRAY_POINT_GOAL_TURN] = {OF_POINTS, 4},
    [POISE_ARRAY_POINT_ERROR] = {OF_POINTS, 2},  [POISE_ARRAY_POINT_FORCE] = {OF_POINTS, 3},
    [POISE_ARRAY_JOINT_ANGLE] = {OF_JOINTS, 3},  [POISE_ARRAY_JOINT_TARGET] = {OF_JOINTS, 3},
    [POISE_ARRAY_JOINT_TORQUE] = {OF_JOINTS, 3}, [POISE_ARRAY_BODY_PLACE] = {OF_BODIES, 3},
    [POISE_ARRAY_BODY_TURN] = {OF_BODIES, 4},    [POISE_ARRAY_BODY_CONTACT_FORCE] = {OF_BODIES, 3}};

static bool is_array(PoiseArray what) {
    return (unsigned)what < sizeof arrays / sizeof *arrays;
}

int poise_array_rows(const PoiseSimulation* simulation, PoiseArray what) {
    if (!simulation || !is_array(what)) {
        return 0;
    }
    const Owner owner = arrays[what].owner;
    return owner == OF_POINTS   ? poise_simulation_point_count(simulation)
           : owner == OF_JOINTS ? poise_simulation_joint_count(simulation)
                                : poise_simulation_body_count(simulation);
}

int poise_array_width(PoiseArray what) {
    return is_array(what) ? arrays[what].width : 0;
}

static void put_vector(double* to, PoiseVec3 v, bool there) {
    to[0] = there ? v.x : (double)NAN;
    to[1] = there ? v.y : (double)NAN;
    to[2] = there ? v.z : (double)NAN;
}

static void put_turn(double* to, PoiseQuat q, bool there) {
    to[0] = there ? q.w : (double)NAN;
    put_vector(to + 1, poise_vec3(q.x, q.y, q.z), there);
}

static void put_point(const PoiseSimulation* simulation, PoiseArray what, int row, double* to) {
    const PoisePointView view = poise_simulation_point(simulation, row);
    switch (what) {
    case POISE_ARRAY_POINT_PLACE:
        put_vector(to, view.pose_world.p, true);
        break;
    case POISE_ARRAY_POINT_TURN:
        put_turn(to, view.pose_world.q, true);
        break;
    case POISE_ARRAY_POINT_GOAL:
        put_vector(to, view.goal_world.p, view.has_position);
        break;
    case POISE_ARRAY_POINT_GOAL_TURN:
        put_turn(to, view.goal_world.q, view.has_orientation);
        break;
    case POISE_ARRAY_POINT_ERROR:
        to[0] = view.has_position ? view.reading.miss : (double)NAN;
        to[1] = view.has_orientation ? view.reading.angle_miss : (double)NAN;
        break;
    default:
        put_vector(to, view.force_measured, view.presses);
        break;
    }
}

// Writes three numbers: a rotation vector, or the number of each axis of the joint, then zeros.
static void put_joint(const PoiseSimulation* simulation, PoiseArray what, int row, double* to) {
    const PoiseJointView view = poise_simulation_joint(simulation, row);
    const bool target = what == POISE_ARRAY_JOINT_TARGET;
    const PoiseVec3 numbers = poise_joint_vector(view.kind, target ? view.q_target : view.q);
    put_vector(to, what == POISE_ARRAY_JOINT_TORQUE ? view.torque : numbers, true);
}

static void put_body(const PoiseSimulation* simulation, PoiseArray what, int row, double* to) {
    const PoiseBodyView view = poise_simulation_body(simulation, row);
    if (what == POISE_ARRAY_BODY_TURN) {
        put_turn(to, view.pose_world.q, true);
    } else {
        put_vector(to, what == POISE_ARRAY_BODY_PLACE ? view.pose_world.p : view.contact_force,
                   true);
    }
}

PoiseStatus poise_array_read(const PoiseSimulation* simulation, PoiseArray what, double* numbers,
                             size_t capacity) {
    const int rows = poise_array_rows(simulation, what);
    const int width = poise_array_width(what);
    if (!simulation || !numbers || width == 0 || capacity < (size_t)rows * (size_t)width) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    for (int row = 0; row < rows; row++, numbers += width) {
        switch (arrays[what].owner) {
        case OF_POINTS:
            put_point(simulation, what, row, numbers);
            break;
        case OF_JOINTS:
            put_joint(simulation, what, row, numbers);
            break;
        case OF_BODIES:
            put_body(simulation, what, row, numbers);
            break;
        }
    }
    return POISE_OK;
}
