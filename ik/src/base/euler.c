// SPDX-License-Identifier: MIT
// Euler angles of all orders. Let q = turn(t1, i) turn(t2, j) turn(t3, i). Then the pair (w, q_i)
// has the angle (t1 + t3) / 2 and the length cos(t2 / 2); the other two components have the angle
// (t1 - t3) / 2 and the length sin(t2 / 2). A quarter turn about j changes an order of three
// different axes into such an order. All angles are arc tangents, which lose no digits near gimbal
// lock.
#include "euler.h"

// A pair of components shorter than this is only rounding errors: its angle is free, and any value
// changes the rotation by less than 3e-13 rad.
#define GIMBAL 1e-13

// The axes of an Euler order: the first two turns are about i and j; `left` is the remaining axis.
// `hand` is 1 if (i, j, left) is right-handed, else -1.
typedef struct Axes {
    int i;
    int j;
    int left;
    bool three; ///< true: the third turn is about `left`; false: about i again
    double hand;
} Axes;

static bool axes_of(PoiseEulerOrder order, Axes* axes) {
    static const unsigned char first_two[6][2] = {{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}};
    const int index = (int)order;
    if (index < 0 || index > (int)POISE_EULER_ZYZ) {
        return false;
    }
    axes->i = first_two[index % 6][0];
    axes->j = first_two[index % 6][1];
    axes->left = 3 - axes->i - axes->j;
    axes->three = index < 6;
    axes->hand = (axes->i + 1) % 3 == axes->j ? 1.0 : -1.0;
    return true;
}

static PoiseVec3 unit(int axis) {
    return poise_vec3(axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0);
}

PoiseQuat poise_quat_from_euler(PoiseEulerOrder order, PoiseEuler angles) {
    Axes axes;
    if (!axes_of(order, &axes)) {
        return poise_quat_identity();
    }
    PoiseQuat first = poise_quat_from_axis_angle(unit(axes.i), angles.first);
    PoiseQuat second = poise_quat_from_axis_angle(unit(axes.j), angles.second);
    PoiseQuat third =
        poise_quat_from_axis_angle(unit(axes.three ? axes.left : axes.i), angles.third);
    return poise_quat_mul(first, poise_quat_mul(second, third));
}

// The angles of q in the order i, j, i, rad: half the sum and half the difference of first and
// third angle, and the middle angle, 0..pi.
typedef struct HalfAngles {
    double sum;
    double difference;
    double middle;
    bool sum_open; ///< True at gimbal lock: any sum gives the same rotation
    bool difference_open;
} HalfAngles;

static HalfAngles half_angles(PoiseQuat q, const Axes* axes) {
    if (axes->three) {
        const double half = sqrt(0.5);
        const PoiseVec3 j = unit(axes->j);
        q = poise_quat_mul(q, poise_quat(half, half * j.x, half * j.y, half * j.z));
    }
    const double v[3] = {q.x, q.y, q.z};
    const double along = poise_hypot(q.w, v[axes->i]);
    const double across = poise_hypot(v[axes->j], v[axes->left]);
    HalfAngles angles;
    angles.sum_open = along < GIMBAL;
    angles.difference_open = across < GIMBAL;
    angles.sum = poise_atan2(v[axes->i], q.w);
    angles.difference = poise_atan2(axes->hand * v[axes->left], v[axes->j]);
    angles.middle = 2.0 * poise_atan2(across, along);
    return angles;
}

double poise__angle_near(double angle, double reference) {
    return reference + remainder(angle - reference, 2.0 * POISE_PI);
}

// Returns the Euler angles from half sum and half difference. In an order of three axes the second
// angle is middle - pi / 2, and the third is multiplied by -hand.
static PoiseEuler triple(const Axes* axes, double sum, double difference, double middle) {
    PoiseEuler angles = {sum + difference, middle, sum - difference};
    if (axes->three) {
        angles.second -= 0.5 * POISE_PI;
        angles.third *= -axes->hand;
    }
    return angles;
}

PoiseEuler poise_quat_to_euler(PoiseQuat q, PoiseEulerOrder order) {
    const PoiseEuler none = {0.0, 0.0, 0.0};
    Axes axes;
    if (!axes_of(order, &axes)) {
        return none;
    }
    HalfAngles half = half_angles(q, &axes);
    // Gimbal lock: the third angle is set to 0, so the free half equals the other one.
    if (half.difference_open) {
        half.difference = half.sum;
    } else if (half.sum_open) {
        half.sum = half.difference;
    }
    PoiseEuler angles = triple(&axes, half.sum, half.difference, half.middle);
    angles.first = poise__angle_near(angles.first, 0.0);
    angles.third = poise__angle_near(angles.third, 0.0);
    return angles;
}

void poise__euler_both(PoiseQuat q, PoiseEulerOrder order, PoiseEuler reference,
                       PoiseEuler both[2]) {
    both[0] = both[1] = reference;
    Axes axes;
    if (!axes_of(order, &axes)) {
        return;
    }
    HalfAngles half = half_angles(q, &axes);
    const double third = axes.three ? -axes.hand * reference.third : reference.third;
    const double wished_sum = 0.5 * (reference.first + third);
    const double wished_difference = 0.5 * (reference.first - third);
    for (int side = 0; side < 2; side++) {
        // Side 1 is the second solution: -middle, first + pi, third - pi.
        double sum = half.sum;
        double difference = half.difference + (side == 0 ? 0.0 : POISE_PI);
        const double middle = side == 0 ? half.middle : -half.middle;
        // Gimbal lock: the free half angle comes from the reference. The other one may change by
        // pi, because q and -q are the same rotation.
        if (half.difference_open) {
            difference = wished_difference;
            sum = wished_sum + remainder(sum - wished_sum, POISE_PI);
        } else if (half.sum_open) {
            sum = wished_sum;
            difference = wished_difference + remainder(difference - wished_difference, POISE_PI);
        }
        both[side] = triple(&axes, sum, difference, middle);
        both[side].first = poise__angle_near(both[side].first, reference.first);
        both[side].second = poise__angle_near(both[side].second, reference.second);
        both[side].third = poise__angle_near(both[side].third, reference.third);
    }
}

static double square_off(PoiseEuler a, PoiseEuler b) {
    const double off[3] = {a.first - b.first, a.second - b.second, a.third - b.third};
    return off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
}

PoiseEuler poise_quat_to_euler_near(PoiseQuat q, PoiseEulerOrder order, PoiseEuler reference) {
    PoiseEuler both[2];
    poise__euler_both(q, order, reference, both);
    return square_off(both[1], reference) < square_off(both[0], reference) ? both[1] : both[0];
}

PoiseQuat poise_quat_from_rpy(PoiseVec3 rpy) {
    // turns about the fixed axes x, y, z equal turns about the moving axes z, y, x
    return poise_quat_from_euler(POISE_EULER_ZYX, (PoiseEuler){rpy.z, rpy.y, rpy.x});
}

PoiseVec3 poise_quat_to_rpy(PoiseQuat q) {
    const PoiseEuler angles = poise_quat_to_euler(q, POISE_EULER_ZYX);
    return poise_vec3(angles.third, angles.second, angles.first);
}
