// SPDX-License-Identifier: MIT
// The rows that dWorldStep makes of a joint, from ODE's public functions: Jacobians, speeds,
// softness and bounds. The bodies' frames come before it, tree.c after. A row stands for
//     j[0] v(first) + j[1] v(second) + CFM lambda = speed.
#include <math.h>
#include <string.h>

#include "exact.h"
#include "lanes.h"

typedef dReal (*GetParam)(dJointID, int);

/// The input for the rows of one joint.
typedef struct Frame {
    PoiseExact* x;
    ExactJoint* joint;
    double fps;
    double erp;
    const dReal* position[2]; ///< positions of the bodies; NULL for the world
    const dReal* rotation[2];
} Frame;

/// A motor and its stops on one axis.
typedef struct Drive {
    GetParam get;
    int group;         ///< multiple of dParamGroup that selects the axis' parameters
    const dReal* axis; ///< axis of the motor, world
    double place;      ///< angle or displacement
    bool rotational;
    bool has_stops;
    /// Moment arms of a linear drive from the bodies; NULL: the force acts half way between the
    /// bodies.
    double (*arms)[3];
} Drive;

static double dot3(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void set3(double* to, const dReal* from, double scale) {
    for (int k = 0; k < 3; k++) {
        to[k] = scale * (double)from[k];
    }
}

static void turn(const dReal* r, const double* v, double* to) {
    for (int k = 0; k < 3; k++) {
        to[k] =
            r ? (double)r[4 * k] * v[0] + (double)r[4 * k + 1] * v[1] + (double)r[4 * k + 2] * v[2]
              : v[k];
    }
}

static ExactRow* add_row(Frame* frame) {
    return poise__exact_row(frame->x, frame->joint->body);
}

/// A row along `axis` for the relative rotation.
static void add_turning_row(Frame* frame, const dReal* axis, double speed) {
    ExactRow* row = add_row(frame);
    set3(row->j[0] + 3, axis, 1.0);
    set3(row->j[1] + 3, axis, frame->rotation[1] ? -1.0 : 0.0);
    row->d = speed;
}

/// Three rows that hold two points together; the anchors in the world.
static void add_ball_rows(Frame* frame, const dReal* anchor, const dReal* anchor2, double erp) {
    for (int k = 0; k < 3; k++) {
        ExactRow* row = add_row(frame);
        const dReal* anchors[2] = {anchor, anchor2};
        for (int side = 0; side < 2 && frame->position[side]; side++) {
            const double sign = side == 0 ? 1.0 : -1.0;
            double arm[3];
            double axis[3] = {0.0, 0.0, 0.0};
            for (int c = 0; c < 3; c++) {
                arm[c] = (double)anchors[side][c] - (double)frame->position[side][c];
            }
            axis[k] = sign;
            row->j[side][k] = sign;
            cross(arm, axis, row->j[side] + 3);
        }
        row->d = frame->fps * erp * ((double)anchor2[k] - (double)anchor[k]);
    }
}

// ------------------------------------------------------------------------------ motors and stops

/// The motor's constant force while its joint is at a stop: it works on the bodies directly.
static void push_into_stop(Frame* frame, const ExactRow* row, double force) {
    for (int side = 0; side < 2; side++) {
        const int body = frame->joint->body[side];
        for (int c = 0; body != EXACT_NONE && c < 6; c++) {
            frame->x->nodes[body].applied[c] -= force * row->j[side][c];
        }
    }
}

/// The speed that bounces: along or about the axis, or of the places that a drive with arms joins.
static double relative_speed(const Frame* frame, const Drive* drive, const ExactRow* row) {
    double speed = 0.0;
    for (int side = 0; side < 2; side++) {
        const dBodyID body = frame->joint->ends[side];
        if (body) {
            const dReal* v = drive->rotational ? dBodyGetAngularVel(body) : dBodyGetLinearVel(body);
            const dReal* w = dBodyGetAngularVel(body);
            const double along = (double)drive->axis[0] * (double)v[0] +
                                 (double)drive->axis[1] * (double)v[1] +
                                 (double)drive->axis[2] * (double)v[2];
            speed += side == 0 ? along : -along;
            for (int c = 0; drive->arms && c < 3; c++) {
                speed += row->j[side][3 + c] * (double)w[c];
            }
        }
    }
    return speed;
}

/// Turns the row into the stop at `limit`, 1 low, 2 high.
static void set_stop(Frame* frame, const Drive* drive, ExactRow* row, int limit) {
    const double low = (double)drive->get(frame->joint->id, dParamLoStop + drive->group);
    const double high = (double)drive->get(frame->joint->id, dParamHiStop + drive->group);
    const double stop_erp = (double)drive->get(frame->joint->id, dParamStopERP + drive->group);
    const double bounce = (double)drive->get(frame->joint->id, dParamBounce + drive->group);
    row->d = -frame->fps * stop_erp * (drive->place - (limit == 1 ? low : high));
    row->softness = (double)drive->get(frame->joint->id, dParamStopCFM + drive->group);
    if (low == high) {
        row->low = -HUGE_VAL;
        row->high = HUGE_VAL;
        return;
    }
    row->low = limit == 1 ? 0.0 : -HUGE_VAL;
    row->high = limit == 1 ? HUGE_VAL : 0.0;
    if (bounce > 0.0) {
        const double speed = relative_speed(frame, drive, row);
        if (limit == 1 && speed < 0.0) {
            row->d = fmax(row->d, -bounce * speed);
        } else if (limit == 2 && speed > 0.0) {
            row->d = fmin(row->d, -bounce * speed);
        }
    }
}

/// The motor's force on the joint at a stop, or its row away from one.
static void set_motor(Frame* frame, const Drive* drive, ExactRow* row, int limit, double most) {
    const double speed = (double)drive->get(frame->joint->id, dParamVel + drive->group);
    if (limit == 0) {
        row->softness = (double)drive->get(frame->joint->id, dParamCFM + drive->group);
        row->d = speed;
        row->low = -most;
        row->high = most;
        return;
    }
    double force = speed > 0.0 || (speed == 0.0 && limit == 2) ? -most : most;
    if ((limit == 1 && speed > 0.0) || (limit == 2 && speed < 0.0)) {
        force *= (double)drive->get(frame->joint->id, dParamFudgeFactor + drive->group);
    }
    push_into_stop(frame, row, force);
}

/// Fills the row's Jacobian along the axis; linear forces act half way between the bodies.
static void set_axis(const Frame* frame, const Drive* drive, ExactRow* row) {
    const bool pair = frame->position[1] != NULL;
    set3(row->j[0] + (drive->rotational ? 3 : 0), drive->axis, 1.0);
    set3(row->j[1] + (drive->rotational ? 3 : 0), drive->axis, pair ? -1.0 : 0.0);
    double axis[3];
    set3(axis, drive->axis, 1.0);
    if (drive->arms) {
        cross(drive->arms[0], axis, row->j[0] + 3);
        if (pair) {
            cross(axis, drive->arms[1], row->j[1] + 3);
        }
    } else if (!drive->rotational && pair) {
        double half[3];
        for (int c = 0; c < 3; c++) {
            half[c] = 0.5 * ((double)frame->position[1][c] - (double)frame->position[0][c]);
        }
        cross(half, axis, row->j[0] + 3);
        cross(half, axis, row->j[1] + 3);
    }
}

static void add_drive(Frame* frame, const Drive* drive) {
    const dJointID id = frame->joint->id;
    const double most = (double)drive->get(id, dParamFMax + drive->group);
    int limit = 0;
    bool locked = false;
    if (drive->has_stops) {
        const double low = (double)drive->get(id, dParamLoStop + drive->group);
        const double high = (double)drive->get(id, dParamHiStop + drive->group);
        limit = drive->place <= low ? 1 : drive->place >= high ? 2 : 0;
        locked = limit != 0 && low == high;
    }
    if (!(most > 0.0) && limit == 0) {
        return;
    }
    ExactRow* row = add_row(frame);
    set_axis(frame, drive, row);
    if (most > 0.0 && !locked) {
        set_motor(frame, drive, row, limit, most);
    }
    if (limit != 0) {
        set_stop(frame, drive, row, limit);
    }
}

/// True if ODE measures the joint for its stops.
static bool has_stops(dJointID id, GetParam get, int group, double most) {
    const double low = (double)get(id, dParamLoStop + group);
    const double high = (double)get(id, dParamHiStop + group);
    return (low >= -most || high <= most) && low <= high;
}

// ----------------------------------------------------------------------------------- joint types

static void ball_rows(Frame* frame) {
    const dJointID id = frame->joint->id;
    const int first = frame->x->row_count;
    dVector3 anchors[2];
    dJointGetBallAnchor(id, anchors[frame->joint->reversed]);
    dJointGetBallAnchor2(id, anchors[!frame->joint->reversed]);
    add_ball_rows(frame, anchors[0], anchors[1], (double)dJointGetBallParam(id, dParamERP));
    for (int k = first; k < first + 3; k++) {
        frame->x->rows[k].softness = (double)dJointGetBallParam(id, dParamCFM);
    }
}

static void hinge_rows(Frame* frame) {
    const dJointID id = frame->joint->id;
    dVector3 anchors[2];
    dVector3 axis;
    dVector3 across[2];
    dJointGetHingeAnchor(id, anchors[frame->joint->reversed]);
    dJointGetHingeAnchor2(id, anchors[!frame->joint->reversed]);
    dJointGetHingeAxis(id, axis);
    add_ball_rows(frame, anchors[0], anchors[1], frame->erp);
    dPlaneSpace(axis, across[0], across[1]);
    double first[3];
    double second[3];
    double error[3];
    set3(first, axis, 1.0);
    turn(frame->rotation[1], frame->joint->hidden.axis2, second);
    cross(first, second, error);
    for (int k = 0; k < 2; k++) {
        double along[3];
        set3(along, across[k], 1.0);
        const double speed = frame->fps * frame->erp * dot3(error, along);
        add_turning_row(frame, across[k], speed);
    }
    Drive drive = {dJointGetHingeParam, 0, axis, 0.0, true, false, NULL};
    drive.has_stops = has_stops(id, drive.get, 0, M_PI);
    if (drive.has_stops) {
        const double angle = (double)dJointGetHingeAngle(id);
        drive.place = frame->joint->reversed ? -angle : angle;
    }
    add_drive(frame, &drive);
}

/// The small rotation, times 2, that is missing to the rotation that the joint holds.
static void find_turn_error(const Frame* frame, double* error) {
    dQuaternion held;
    dQuaternion relative;
    dQuaternion off;
    for (int k = 0; k < 4; k++) {
        held[k] = (dReal)frame->joint->hidden.turn[k];
    }
    const dReal* first = dBodyGetQuaternion(frame->joint->ends[0]);
    if (frame->joint->ends[1]) {
        dQMultiply1(relative, first, dBodyGetQuaternion(frame->joint->ends[1]));
        dQMultiply2(off, relative, held);
    } else {
        dQMultiply3(off, first, held);
    }
    double half[3];
    set3(half, off + 1, off[0] < 0.0 ? -1.0 : 1.0);
    turn(frame->rotation[0], half, error);
}

static void add_orientation_rows(Frame* frame, double erp) {
    double error[3];
    find_turn_error(frame, error);
    for (int k = 0; k < 3; k++) {
        dVector3 axis = {0.0, 0.0, 0.0, 0.0};
        axis[k] = 1.0;
        add_turning_row(frame, axis, 2.0 * frame->fps * erp * error[k]);
    }
}

/// Two rows across a slider's axis.
static void add_sliding_rows(Frame* frame, const dReal* axis) {
    const dReal* const* position = frame->position;
    dVector3 across[2];
    dPlaneSpace(axis, across[0], across[1]);
    double offset[3];
    turn(frame->rotation[1], frame->joint->hidden.offset, offset);
    double between[3];
    for (int c = 0; c < 3; c++) {
        between[c] = (position[1] ? (double)position[1][c] : 0.0) - (double)position[0][c];
    }
    for (int k = 0; k < 2; k++) {
        ExactRow* row = add_row(frame);
        double along[3];
        set3(along, across[k], 1.0);
        set3(row->j[0], across[k], 1.0);
        if (position[1]) {
            set3(row->j[1], across[k], -1.0);
            cross(between, along, row->j[0] + 3);
            for (int c = 0; c < 3; c++) {
                row->j[0][3 + c] *= 0.5;
                row->j[1][3 + c] = row->j[0][3 + c];
            }
        }
        row->d = frame->fps * frame->erp * (dot3(along, between) + dot3(along, offset));
    }
}

static void slider_rows(Frame* frame) {
    const dJointID id = frame->joint->id;
    dVector3 axis;
    dJointGetSliderAxis(id, axis);
    add_orientation_rows(frame, frame->erp);
    add_sliding_rows(frame, axis);
    for (int c = 0; frame->joint->reversed && c < 3; c++) {
        axis[c] = -axis[c]; // ODE's position has this sign
    }
    Drive drive = {dJointGetSliderParam, 0, axis, 0.0, false, false, NULL};
    const double low = (double)dJointGetSliderParam(id, dParamLoStop);
    const double high = (double)dJointGetSliderParam(id, dParamHiStop);
    drive.has_stops = (low > -HUGE_VAL || high < HUGE_VAL) && low <= high;
    if (drive.has_stops) {
        drive.place = (double)dJointGetSliderPosition(id);
    }
    add_drive(frame, &drive);
}

static void fixed_rows(Frame* frame) {
    const dJointID id = frame->joint->id;
    const double erp = (double)dJointGetFixedParam(id, dParamERP);
    const bool pair = frame->position[1] != NULL;
    double offset[3];
    turn(pair ? frame->rotation[0] : NULL, frame->joint->hidden.offset, offset);
    for (int k = 0; k < 3; k++) {
        ExactRow* row = add_row(frame);
        row->j[0][k] = 1.0;
        row->softness = (double)dJointGetFixedParam(id, dParamCFM);
        double error = offset[k] - (double)frame->position[0][k];
        if (pair) {
            double axis[3] = {0.0, 0.0, 0.0};
            axis[k] = 1.0;
            row->j[1][k] = -1.0;
            cross(axis, offset, row->j[0] + 3);
            error += (double)frame->position[1][k];
        }
        row->d = frame->fps * erp * error;
    }
    add_orientation_rows(frame, frame->erp);
}

static void get_axis(dJointID id, void (*get)(dJointID, dVector3), double* to) {
    dVector3 axis = {0.0, 0.0, 0.0, 0.0};
    get(id, axis);
    set3(to, axis, 1.0);
}

static void add_turning(Frame* frame, const double* axis, double error) {
    const dVector3 along = {(dReal)axis[0], (dReal)axis[1], (dReal)axis[2], 0.0};
    add_turning_row(frame, along, frame->fps * frame->erp * error);
}

/// The row that keeps the two axes of a universal joint at right angles.
static bool add_square_row(Frame* frame, const double* first, const double* other) {
    double second[3];
    double third[3];
    const double cosine = dot3(first, other);
    for (int c = 0; c < 3; c++) {
        second[c] = other[c] - cosine * first[c];
    }
    cross(first, second, third);
    const double length = sqrt(dot3(third, third));
    for (int c = 0; length > 0.0 && c < 3; c++) {
        third[c] /= length;
    }
    add_turning(frame, third, -cosine);
    return length > 0.0;
}

static bool universal_rows(Frame* frame) {
    const dJointID id = frame->joint->id;
    const bool reversed = frame->joint->reversed;
    dVector3 anchors[2];
    dVector3 axes[2];
    dJointGetUniversalAnchor(id, anchors[reversed]);
    dJointGetUniversalAnchor2(id, anchors[!reversed]);
    dJointGetUniversalAxis1(id, axes[reversed]);
    dJointGetUniversalAxis2(id, axes[!reversed]);
    add_ball_rows(frame, anchors[0], anchors[1], frame->erp);
    double first[3];
    double second[3];
    set3(first, axes[0], 1.0);
    set3(second, axes[1], 1.0);
    if (!add_square_row(frame, first, second)) {
        return false;
    }
    for (int k = 0; k < 2; k++) {
        Drive drive = {dJointGetUniversalParam, k * dParamGroup, axes[k], 0.0, true, false, NULL};
        drive.has_stops = has_stops(id, drive.get, drive.group, M_PI);
        if (drive.has_stops) {
            // with the bodies exchanged, ODE also exchanges the angles and negates the first
            drive.place = (double)((k == 0) != reversed ? dJointGetUniversalAngle1(id)
                                                        : dJointGetUniversalAngle2(id));
            drive.place *= reversed && k == 0 ? -1.0 : 1.0;
        }
        add_drive(frame, &drive);
    }
    return true;
}

static void angular_motor_rows(Frame* frame) {
    const dJointID id = frame->joint->id;
    for (int k = 0; k < dJointGetAMotorNumAxes(id); k++) {
        dVector3 axis;
        dJointGetAMotorAxis(id, k, axis);
        const Drive drive = {dJointGetAMotorParam,
                             k * dParamGroup,
                             axis,
                             (double)dJointGetAMotorAngle(id, k),
                             true,
                             true,
                             NULL};
        add_drive(frame, &drive);
    }
}

static void linear_motor_rows(Frame* frame) {
    const dJointID id = frame->joint->id;
    for (int k = 0; k < dJointGetLMotorNumAxes(id); k++) {
        dVector3 stored;
        double axis[3];
        double from[3];
        dJointGetLMotorAxis(id, k, stored);
        set3(from, stored, 1.0);
        const int relative = frame->joint->hidden.relative[k];
        turn(relative > 0 ? frame->rotation[relative - 1] : NULL, from, axis);
        const dVector3 world = {(dReal)axis[0], (dReal)axis[1], (dReal)axis[2], 0.0};
        const Drive drive = {dJointGetLMotorParam, k * dParamGroup, world, 0.0, false, false, NULL};
        add_drive(frame, &drive);
    }
}

// ------------------------------------------------------------------- hinge-2, piston, PR and PU

/// A row along `axis` for the relative velocity of two places; `arms` go there from the bodies.
static ExactRow* add_moving(Frame* frame, const double* axis, double arms[2][3], double speed) {
    ExactRow* row = add_row(frame);
    memcpy(row->j[0], axis, 3 * sizeof *axis);
    cross(arms[0], axis, row->j[0] + 3);
    for (int k = 0; frame->position[1] && k < 3; k++) {
        row->j[1][k] = -axis[k];
    }
    if (frame->position[1]) {
        cross(axis, arms[1], row->j[1] + 3);
    }
    row->d = speed;
    return row;
}

static void find_arm(const Frame* frame, const dReal* place, int side, double* arm) {
    for (int c = 0; c < 3; c++) {
        arm[c] =
            (double)place[c] - (frame->position[side] ? (double)frame->position[side][c] : 0.0);
    }
}

/// Two rows that keep the anchor on the second body at `held` from the first body, but for a motion
/// along the axis that is across both. The first body's moment arm is that of the anchor, or
/// `held`.
static void add_anchor_rows(Frame* frame, const dReal* anchor, const double* held,
                            double across[2][3], bool held_arm) {
    double arms[2][3];
    double error[3];
    find_arm(frame, anchor, 0, arms[0]);
    find_arm(frame, anchor, 1, arms[1]);
    for (int c = 0; c < 3; c++) {
        error[c] = arms[0][c] - held[c];
        arms[0][c] = held_arm ? held[c] : arms[0][c];
    }
    for (int k = 0; k < 2; k++) {
        add_moving(frame, across[k], arms, frame->fps * frame->erp * dot3(across[k], error));
    }
}

/// Fills two axes at right angles to the axis, as ODE does.
static void find_across(const double* axis, double across[2][3]) {
    const dVector3 along = {(dReal)axis[0], (dReal)axis[1], (dReal)axis[2], 0.0};
    dVector3 planes[2];
    dPlaneSpace(along, planes[0], planes[1]);
    set3(across[0], planes[0], 1.0);
    set3(across[1], planes[1], 1.0);
}

/// Adds a motor along or about the axis, and its stops; infinite stops are none.
static void add_limited(Frame* frame, Drive drive, const double* axis) {
    const dJointID id = frame->joint->id;
    const dVector3 along = {(dReal)axis[0], (dReal)axis[1], (dReal)axis[2], 0.0};
    const double low = (double)drive.get(id, dParamLoStop + drive.group);
    const double high = (double)drive.get(id, dParamHiStop + drive.group);
    drive.axis = along;
    drive.has_stops = (low > -HUGE_VAL || high < HUGE_VAL) && low <= high;
    add_drive(frame, &drive);
}

static void piston_rows(Frame* frame) {
    const dJointID id = frame->joint->id;
    double axis[3];
    double second[3];
    double error[3];
    double across[2][3];
    double held[3];
    dVector3 anchors[2];
    get_axis(id, dJointGetPistonAxis, axis);
    find_across(axis, across);
    turn(frame->rotation[1], frame->joint->hidden.axis2, second);
    cross(axis, second, error);
    for (int k = 0; k < 2; k++) {
        add_turning(frame, across[k], dot3(across[k], error));
    }
    dJointGetPistonAnchor(id, anchors[0]);
    dJointGetPistonAnchor2(id, anchors[1]);
    find_arm(frame, anchors[0], 0, held);
    add_anchor_rows(frame, anchors[1], held, across, false);
    add_limited(frame,
                (Drive){.get = dJointGetPistonParam,
                        .group = 0,
                        .place = (double)dJointGetPistonPosition(id),
                        .rotational = false},
                axis);
    add_limited(frame,
                (Drive){.get = dJointGetPistonParam,
                        .group = dParamGroup,
                        .place = (double)dJointGetPistonAngle(id),
                        .rotational = true},
                axis);
}

static void pr_rows(Frame* frame) {
    const dJointID id = frame->joint->id;
    double slide[3];
    double spin[3];
    double second[3];
    double error[3];
    double held[3];
    double across[2][3];
    dVector3 anchor;
    get_axis(id, dJointGetPRAxis1, slide);
    get_axis(id, dJointGetPRAxis2, spin);
    turn(frame->rotation[1], frame->joint->hidden.axis2, second);
    cross(spin, second, error);
    cross(slide, spin, across[1]);
    add_turning(frame, slide, dot3(slide, error));
    add_turning(frame, across[1], dot3(across[1], error));
    memcpy(across[0], spin, sizeof spin);
    turn(frame->rotation[0], frame->joint->hidden.offset, held);
    dJointGetPRAnchor(id, anchor);
    add_anchor_rows(frame, anchor, held, across, false);
    if (frame->position[1]) {
        // ODE takes the moment on the second body about that body's own axis
        double arm[3];
        ExactRow* row = &frame->x->rows[frame->x->row_count - 2];
        find_arm(frame, anchor, 1, arm);
        cross(second, arm, row->j[1] + 3);
    }
    add_limited(frame,
                (Drive){.get = dJointGetPRParam,
                        .group = 0,
                        .place = (double)dJointGetPRPosition(id),
                        .rotational = false},
                slide);
    add_limited(frame,
                (Drive){.get = dJointGetPRParam,
                        .group = dParamGroup,
                        .place = (double)dJointGetPRAngle(id),
                        .rotational = true},
                spin);
}

static bool pu_rows(Frame* frame) {
    const dJointID id = frame->joint->id;
    double axes[3][3];
    double across[2][3];
    double held[3];
    double arms[2][3];
    dVector3 anchor;
    get_axis(id, dJointGetPUAxis1, axes[0]);
    get_axis(id, dJointGetPUAxis2, axes[1]);
    get_axis(id, dJointGetPUAxis3, axes[2]);
    if (!add_square_row(frame, axes[0], axes[1])) {
        return false;
    }
    find_across(axes[2], across);
    turn(frame->rotation[0], frame->joint->hidden.offset, held);
    dJointGetPUAnchor(id, anchor);
    // ODE leaves the slide out of this arm, so the parent gets a wrong moment
    add_anchor_rows(frame, anchor, held, across, true);
    memcpy(arms[0], held, sizeof held);
    find_arm(frame, anchor, 1, arms[1]);
    add_limited(frame,
                (Drive){.get = dJointGetPUParam,
                        .group = 0,
                        .place = (double)dJointGetPUAngle1(id),
                        .rotational = true},
                axes[0]);
    add_limited(frame,
                (Drive){.get = dJointGetPUParam,
                        .group = dParamGroup,
                        .place = (double)dJointGetPUAngle2(id),
                        .rotational = true},
                axes[1]);
    add_limited(frame,
                (Drive){.get = dJointGetPUParam,
                        .group = 2 * dParamGroup,
                        .place = (double)dJointGetPUPosition(id),
                        .arms = arms},
                axes[2]);
    return true;
}

/// The three rows of the anchor along the first axis and across it, with the suspension's softness
/// along it; the row that keeps the axes at right angles; the motor of the wheel has no stops.
static bool hinge2_rows(Frame* frame) {
    const dJointID id = frame->joint->id;
    double axes[2][3];
    double across[2][3];
    double arms[2][3];
    dVector3 anchors[2];
    get_axis(id, dJointGetHinge2Axis1, axes[0]);
    get_axis(id, dJointGetHinge2Axis2, axes[1]);
    find_across(axes[0], across);
    dJointGetHinge2Anchor(id, anchors[0]);
    dJointGetHinge2Anchor2(id, anchors[1]);
    find_arm(frame, anchors[0], 0, arms[0]);
    find_arm(frame, anchors[1], 1, arms[1]);
    double apart[3];
    for (int c = 0; c < 3; c++) {
        apart[c] = (double)anchors[1][c] - (double)anchors[0][c];
    }
    const double erp = (double)dJointGetHinge2Param(id, dParamSuspensionERP);
    add_moving(frame, axes[0], arms, frame->fps * erp * dot3(axes[0], apart))->softness =
        (double)dJointGetHinge2Param(id, dParamSuspensionCFM);
    for (int k = 0; k < 2; k++) {
        add_moving(frame, across[k], arms, frame->fps * frame->erp * dot3(across[k], apart));
    }
    if (!add_square_row(frame, axes[0], axes[1])) {
        return false;
    }
    const dVector3 first = {(dReal)axes[0][0], (dReal)axes[0][1], (dReal)axes[0][2], 0.0};
    const dVector3 wheel = {(dReal)axes[1][0], (dReal)axes[1][1], (dReal)axes[1][2], 0.0};
    Drive drive = {dJointGetHinge2Param, 0, first, 0.0, true, false, NULL};
    drive.has_stops = has_stops(id, drive.get, 0, M_PI);
    drive.place = drive.has_stops ? (double)dJointGetHinge2Angle1(id) : 0.0;
    add_drive(frame, &drive);
    add_drive(frame, &(Drive){dJointGetHinge2Param, dParamGroup, wheel, 0.0, true, false, NULL});
    return true;
}

/// Brings the rows to accelerations, and what moves without being moved to the other side.
static void scale_rows(const Frame* frame, int first) {
    for (int k = first; k < frame->x->row_count; k++) {
        frame->x->rows[k].link = frame->joint->child;
        poise__exact_scale_row(frame->x, &frame->x->rows[k], frame->joint->ends);
    }
}

bool poise__exact_joint_rows(PoiseExact* x, ExactJoint* joint) {
    Frame frame = {.x = x, .joint = joint, .fps = 1.0 / x->h, .erp = x->erp};
    for (int side = 0; side < 2; side++) {
        if (joint->ends[side]) {
            frame.position[side] = dBodyGetPosition(joint->ends[side]);
            frame.rotation[side] = dBodyGetRotation(joint->ends[side]);
        }
    }
    const int first = x->row_count;
    if (!poise__exact_own(x, joint->id, joint->ends)) {
        return false;
    }
    bool made = true;
    switch (joint->type) {
    case dJointTypeBall:
        ball_rows(&frame);
        break;
    case dJointTypeHinge:
        hinge_rows(&frame);
        break;
    case dJointTypeSlider:
        slider_rows(&frame);
        break;
    case dJointTypeFixed:
        fixed_rows(&frame);
        break;
    case dJointTypeUniversal:
        made = universal_rows(&frame);
        break;
    case dJointTypeHinge2:
        made = hinge2_rows(&frame);
        break;
    case dJointTypePiston:
        piston_rows(&frame);
        break;
    case dJointTypePR:
        pr_rows(&frame);
        break;
    case dJointTypePU:
        made = pu_rows(&frame);
        break;
    case dJointTypeAMotor:
        angular_motor_rows(&frame);
        break;
    case dJointTypeLMotor:
        linear_motor_rows(&frame);
        break;
    default:
        break; // dJointTypeNull has none
    }
    scale_rows(&frame, first);
    return made;
}
