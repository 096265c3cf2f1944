// SPDX-License-Identifier: MIT
// Makes the constraint rows that dWorldStep makes of a joint, from ODE's public functions:
// Jacobians, speeds, softness and bounds. group.c calls it before tree.c. A row is the equation
//     j[0] v(first) + j[1] v(second) + CFM lambda = speed.
#include <float.h>
#include <math.h>
#include <string.h>

#include "exact.h"
#include "lanes.h"

typedef dReal (*GetParam)(dJointID, int);
typedef dReal (*GetNumber)(dJointID);
typedef void (*GetVector)(dJointID, dVector3);

/// The input for making the rows of one joint.
typedef struct Frame {
    PoiseExact* x;
    const ExactJoint* joint;
    dJointID id;
    double fps;
    double erp;
    bool pair;                ///< the second end is a body, not the world
    bool degenerate;          ///< two axes that the joint keeps at right angles are parallel
    double position[2][3];    ///< positions of the bodies; 0 for the world
    const dReal* rotation[2]; ///< rotation matrices of the bodies; NULL for the world
} Frame;

/// A motor about or along one axis, with its stops.
typedef struct Drive {
    GetParam get;
    int group;          ///< multiple of dParamGroup that selects the axis' parameters
    const double* axis; ///< axis of the motor, world
    bool rotational;
    GetNumber measure; ///< getter of `place`; NULL if the caller of add_drive sets `place`
    bool negated;      ///< the getter has the opposite sign
    /// lever arms of a linear drive; NULL: its force acts midway between the bodies
    double (*arms)[3];
    double place; ///< angle or displacement, rad or m; NaN: no stops
    double low;   ///< lower stop, rad or m
    double high;  ///< upper stop, rad or m
    int limit;    ///< the reached stop: 1 low, 2 high, 0 none
} Drive;

static const double UNIT[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

static double dot3(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void subtract(const double* a, const double* b, double* to) {
    for (int k = 0; k < 3; k++) {
        to[k] = a[k] - b[k];
    }
}

static void set3(double* to, const dReal* from) {
    for (int k = 0; k < 3; k++) {
        to[k] = (double)from[k];
    }
}

static void turn(const dReal* r, const double* v, double* to) {
    for (int k = 0; k < 3; k++) {
        to[k] =
            r ? (double)r[4 * k] * v[0] + (double)r[4 * k + 1] * v[1] + (double)r[4 * k + 2] * v[2]
              : v[k];
    }
}

static void get3(const Frame* frame, GetVector get, double* to) {
    dVector3 got = {0.0, 0.0, 0.0, 0.0};
    get(frame->id, got);
    set3(to, got);
}

/// Fills `to` with a vector of each end of the joint, in ODE's inner order of the bodies.
static void get_pair(const Frame* frame, GetVector first, GetVector second, double to[2][3]) {
    get3(frame, first, to[frame->joint->reversed]);
    get3(frame, second, to[!frame->joint->reversed]);
}

/// Fills two axes at right angles to `axis`, the same two as ODE.
static void find_across(const double* axis, double across[2][3]) {
    const dVector3 along = {(dReal)axis[0], (dReal)axis[1], (dReal)axis[2], 0.0};
    dVector3 planes[2];
    dPlaneSpace(along, planes[0], planes[1]);
    set3(across[0], planes[0]);
    set3(across[1], planes[1]);
}

// ------------------------------------------------------------------------------------ single rows

/// Adds a row about `axis` whose speed removes the rotation error `error`, rad.
static ExactRow* add_turning(Frame* frame, const double* axis, double error) {
    ExactRow* row = poise__exact_row(frame->x, frame->joint->body);
    for (int k = 0; k < 3; k++) {
        row->j[0][3 + k] = axis[k];
        row->j[1][3 + k] = frame->pair ? -axis[k] : 0.0;
    }
    row->d = frame->fps * frame->erp * error;
    return row;
}

/// Adds a row along `axis` for the relative velocity of two points, one on each body; `arms` are
/// the vectors from the bodies' centres to these points.
static ExactRow* add_moving(Frame* frame, const double* axis, double arms[2][3], double speed) {
    ExactRow* row = poise__exact_row(frame->x, frame->joint->body);
    memcpy(row->j[0], axis, 3 * sizeof *axis);
    cross(arms[0], axis, row->j[0] + 3);
    for (int k = 0; frame->pair && k < 3; k++) {
        row->j[1][k] = -axis[k];
    }
    if (frame->pair) {
        cross(axis, arms[1], row->j[1] + 3);
    }
    row->d = speed;
    return row;
}

/// Adds a row that holds two anchors together along `axis`, with the error reduction `erp`.
static ExactRow* add_anchored(Frame* frame, double anchors[2][3], const double* axis, double erp) {
    double arms[2][3];
    double apart[3];
    subtract(anchors[0], frame->position[0], arms[0]);
    subtract(anchors[1], frame->position[1], arms[1]);
    subtract(anchors[1], anchors[0], apart);
    return add_moving(frame, axis, arms, frame->fps * erp * dot3(axis, apart));
}

/// Fills the lever arms of a force that acts midway between the bodies.
static void find_half_arms(const Frame* frame, double arms[2][3]) {
    for (int c = 0; c < 3; c++) {
        arms[0][c] = frame->pair ? 0.5 * (frame->position[1][c] - frame->position[0][c]) : 0.0;
        arms[1][c] = -arms[0][c];
    }
}

// ------------------------------------------------------------------------------ motors and stops

static double param(const Frame* frame, const Drive* drive, int which) {
    return (double)drive->get(frame->id, which + drive->group);
}

/// Reads the stops and `place`, and finds the stop that the drive has reached. ODE measures an
/// angle only if a stop is within its range.
static void find_limit(const Frame* frame, Drive* drive) {
    const double range = drive->rotational ? M_PI : DBL_MAX;
    drive->low = param(frame, drive, dParamLoStop);
    drive->high = param(frame, drive, dParamHiStop);
    drive->limit = 0;
    if (drive->measure) {
        const bool any = drive->low >= -range || drive->high <= range;
        if (!any || !(drive->low <= drive->high)) {
            return;
        }
        const double measured = (double)drive->measure(frame->id);
        drive->place = drive->negated ? -measured : measured;
    }
    drive->limit = drive->place <= drive->low ? 1 : drive->place >= drive->high ? 2 : 0;
}

/// Returns the relative speed of the bodies about or along the axis. A drive with arms has the
/// speed of the points at their ends.
static double relative_speed(const Frame* frame, const Drive* drive, const ExactRow* row) {
    double speed = 0.0;
    for (int side = 0; side < 2; side++) {
        const dBodyID body = frame->joint->ends[side];
        if (body) {
            double v[3];
            double w[3];
            set3(v, drive->rotational ? dBodyGetAngularVel(body) : dBodyGetLinearVel(body));
            set3(w, dBodyGetAngularVel(body));
            const double along = dot3(drive->axis, v);
            speed += side == 0 ? along : -along;
            for (int c = 0; drive->arms && c < 3; c++) {
                speed += row->j[side][3 + c] * w[c];
            }
        }
    }
    return speed;
}

/// Sets the row to that of the stop that the drive has reached.
static void set_stop(const Frame* frame, const Drive* drive, ExactRow* row) {
    const bool is_low = drive->limit == 1;
    const double bounce = param(frame, drive, dParamBounce);
    const double stop_erp = param(frame, drive, dParamStopERP);
    row->d = -frame->fps * stop_erp * (drive->place - (is_low ? drive->low : drive->high));
    row->softness = param(frame, drive, dParamStopCFM);
    row->low = -HUGE_VAL;
    row->high = HUGE_VAL;
    if (drive->low == drive->high) {
        return;
    }
    *(is_low ? &row->low : &row->high) = 0.0;
    if (bounce > 0.0) {
        const double speed = relative_speed(frame, drive, row);
        if (is_low && speed < 0.0) {
            row->d = fmax(row->d, -bounce * speed);
        } else if (!is_low && speed > 0.0) {
            row->d = fmin(row->d, -bounce * speed);
        }
    }
}

/// If no stop is reached, sets the row to that of the motor. At a stop the motor is a constant
/// force on the bodies, as in ODE.
static void set_motor(Frame* frame, const Drive* drive, ExactRow* row, double most) {
    const double speed = param(frame, drive, dParamVel);
    const int limit = drive->limit;
    if (limit == 0) {
        row->softness = param(frame, drive, dParamCFM);
        row->d = speed;
        row->low = -most;
        row->high = most;
        return;
    }
    double force = speed > 0.0 || (speed == 0.0 && limit == 2) ? -most : most;
    if ((limit == 1 && speed > 0.0) || (limit == 2 && speed < 0.0)) {
        force *= param(frame, drive, dParamFudgeFactor);
    }
    for (int side = 0; side < 2; side++) {
        const int body = frame->joint->body[side];
        for (int c = 0; body != EXACT_NONE && c < 6; c++) {
            frame->x->nodes[body].applied[c] -= force * row->j[side][c];
        }
    }
}

static void add_drive(Frame* frame, Drive* drive) {
    const double most = param(frame, drive, dParamFMax);
    find_limit(frame, drive);
    if (!(most > 0.0) && drive->limit == 0) {
        return;
    }
    double half[2][3];
    if (!drive->rotational) {
        find_half_arms(frame, half);
    }
    ExactRow* row = drive->rotational
                        ? add_turning(frame, drive->axis, 0.0)
                        : add_moving(frame, drive->axis, drive->arms ? drive->arms : half, 0.0);
    if (most > 0.0 && !(drive->limit != 0 && drive->low == drive->high)) {
        set_motor(frame, drive, row, most);
    }
    if (drive->limit != 0) {
        set_stop(frame, drive, row);
    }
}

/// Adds the motor and stops of the joint's rotation `k` (0 for the first). `angle` is NULL if the
/// rotation has no stops. ODE negates the first angle of a reversed joint.
static void add_rotation(Frame* frame, GetParam get, int k, const double* axis, GetNumber angle) {
    add_drive(frame, &(Drive){.get = get,
                              .group = k * dParamGroup,
                              .axis = axis,
                              .rotational = true,
                              .measure = angle,
                              .negated = frame->joint->reversed && k == 0,
                              .place = (double)NAN});
}

// ------------------------------------------------------------------------------- groups of rows

static void add_ball_rows(Frame* frame, GetVector first, GetVector second, double erp,
                          double softness) {
    double anchors[2][3];
    get_pair(frame, first, second, anchors);
    for (int k = 0; k < 3; k++) {
        add_anchored(frame, anchors, UNIT[k], erp)->softness = softness;
    }
}

/// Adds two rows, about `first` and `second`, that keep the second body's axis parallel to `axis`.
static void add_parallel_rows(Frame* frame, const double* axis, const double* first,
                              const double* second) {
    double own[3];
    double error[3];
    turn(frame->rotation[1], frame->joint->hidden.axis2, own);
    cross(axis, own, error);
    add_turning(frame, first, dot3(first, error));
    add_turning(frame, second, dot3(second, error));
}

/// Adds a row that keeps two axes at right angles, as in a universal joint.
static void add_square_row(Frame* frame, double axes[2][3]) {
    double second[3];
    double third[3];
    const double cosine = dot3(axes[0], axes[1]);
    for (int c = 0; c < 3; c++) {
        second[c] = axes[1][c] - cosine * axes[0][c];
    }
    cross(axes[0], second, third);
    const double length = sqrt(dot3(third, third));
    for (int c = 0; length > 0.0 && c < 3; c++) {
        third[c] /= length;
    }
    add_turning(frame, third, -cosine);
    frame->degenerate = frame->degenerate || !(length > 0.0);
}

/// Adds three rows that keep the relative rotation of the bodies.
static void add_orientation_rows(Frame* frame) {
    dQuaternion held;
    dQuaternion relative;
    dQuaternion off; // half the rotation vector of the rotation error
    for (int k = 0; k < 4; k++) {
        held[k] = (dReal)frame->joint->hidden.turn[k];
    }
    const dReal* first = dBodyGetQuaternion(frame->joint->ends[0]);
    if (frame->pair) {
        dQMultiply1(relative, first, dBodyGetQuaternion(frame->joint->ends[1]));
        dQMultiply2(off, relative, held);
    } else {
        dQMultiply3(off, first, held);
    }
    double half[3];
    double error[3];
    for (int k = 0; k < 3; k++) {
        half[k] = off[0] < 0.0 ? -(double)off[1 + k] : (double)off[1 + k];
    }
    turn(frame->rotation[0], half, error);
    for (int k = 0; k < 3; k++) {
        add_turning(frame, UNIT[k], 2.0 * error[k]);
    }
}

/// Adds two rows along `across` that keep the second body's anchor at `held`, a vector from the
/// first body. The third direction is free.
static void add_anchor_rows(Frame* frame, const double* held, double across[2][3],
                            double arms[2][3]) {
    double error[3];
    subtract(arms[0], held, error);
    if (frame->joint->type == dJointTypePU) {
        // ODE omits the slide from this arm, which makes the moment on the parent wrong; this must
        // be the same
        memcpy(arms[0], held, 3 * sizeof *held);
    }
    for (int k = 0; k < 2; k++) {
        add_moving(frame, across[k], arms, frame->fps * frame->erp * dot3(across[k], error));
    }
}

static void find_arms(const Frame* frame, GetVector get, double arms[2][3]) {
    double anchor[3];
    get3(frame, get, anchor);
    subtract(anchor, frame->position[0], arms[0]);
    subtract(anchor, frame->position[1], arms[1]);
}

// ----------------------------------------------------------------------------------- joint types

static void ball_rows(Frame* frame) {
    add_ball_rows(frame, dJointGetBallAnchor, dJointGetBallAnchor2,
                  (double)dJointGetBallParam(frame->id, dParamERP),
                  (double)dJointGetBallParam(frame->id, dParamCFM));
}

static void hinge_rows(Frame* frame) {
    double axis[3];
    double across[2][3];
    get3(frame, dJointGetHingeAxis, axis);
    find_across(axis, across);
    add_ball_rows(frame, dJointGetHingeAnchor, dJointGetHingeAnchor2, frame->erp,
                  frame->x->softness);
    add_parallel_rows(frame, axis, across[0], across[1]);
    add_rotation(frame, dJointGetHingeParam, 0, axis, dJointGetHingeAngle);
}

static void slider_rows(Frame* frame) {
    double axis[3];
    double across[2][3];
    double arms[2][3];
    double between[3];
    double offset[3];
    get3(frame, dJointGetSliderAxis, axis);
    find_across(axis, across);
    find_half_arms(frame, arms);
    turn(frame->rotation[1], frame->joint->hidden.offset, offset);
    subtract(frame->position[1], frame->position[0], between);
    add_orientation_rows(frame);
    for (int k = 0; k < 2; k++) {
        const double error = dot3(across[k], between) + dot3(across[k], offset);
        add_moving(frame, across[k], arms, frame->fps * frame->erp * error);
    }
    for (int c = 0; frame->joint->reversed && c < 3; c++) {
        axis[c] = -axis[c]; // gives the axis the sign of ODE's position
    }
    add_drive(
        frame,
        &(Drive){.get = dJointGetSliderParam, .axis = axis, .measure = dJointGetSliderPosition});
}

static void fixed_rows(Frame* frame) {
    const double erp = (double)dJointGetFixedParam(frame->id, dParamERP);
    double offset[3];
    double arms[2][3] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    turn(frame->pair ? frame->rotation[0] : NULL, frame->joint->hidden.offset, offset);
    for (int c = 0; frame->pair && c < 3; c++) {
        arms[0][c] = -offset[c];
    }
    for (int k = 0; k < 3; k++) {
        const double error = offset[k] - frame->position[0][k] + frame->position[1][k];
        add_moving(frame, UNIT[k], arms, frame->fps * erp * error)->softness =
            (double)dJointGetFixedParam(frame->id, dParamCFM);
    }
    add_orientation_rows(frame);
}

static void universal_rows(Frame* frame) {
    double axes[2][3];
    get_pair(frame, dJointGetUniversalAxis1, dJointGetUniversalAxis2, axes);
    add_ball_rows(frame, dJointGetUniversalAnchor, dJointGetUniversalAnchor2, frame->erp,
                  frame->x->softness);
    add_square_row(frame, axes);
    for (int k = 0; k < 2; k++) {
        // ODE exchanges the angles of a reversed joint
        add_rotation(frame, dJointGetUniversalParam, k, axes[k],
                     (k == 0) != frame->joint->reversed ? dJointGetUniversalAngle1
                                                        : dJointGetUniversalAngle2);
    }
}

/// Adds three rows of the anchor; the row along the first axis has the suspension's softness. Adds
/// the row that keeps the axes at right angles. The second motor has no stops.
static void hinge2_rows(Frame* frame) {
    double axes[2][3];
    double across[2][3];
    double anchors[2][3];
    get_pair(frame, dJointGetHinge2Axis1, dJointGetHinge2Axis2, axes);
    get_pair(frame, dJointGetHinge2Anchor, dJointGetHinge2Anchor2, anchors);
    find_across(axes[0], across);
    add_anchored(frame, anchors, axes[0],
                 (double)dJointGetHinge2Param(frame->id, dParamSuspensionERP))
        ->softness = (double)dJointGetHinge2Param(frame->id, dParamSuspensionCFM);
    add_anchored(frame, anchors, across[0], frame->erp);
    add_anchored(frame, anchors, across[1], frame->erp);
    add_square_row(frame, axes);
    add_rotation(frame, dJointGetHinge2Param, 0, axes[0], dJointGetHinge2Angle1);
    add_rotation(frame, dJointGetHinge2Param, 1, axes[1], NULL);
}

static void piston_rows(Frame* frame) {
    double axis[3];
    double across[2][3];
    double held[2][3];
    double arms[2][3];
    get3(frame, dJointGetPistonAxis, axis);
    find_across(axis, across);
    find_arms(frame, dJointGetPistonAnchor, held);
    find_arms(frame, dJointGetPistonAnchor2, arms);
    add_parallel_rows(frame, axis, across[0], across[1]);
    add_anchor_rows(frame, held[0], across, arms);
    add_drive(
        frame,
        &(Drive){.get = dJointGetPistonParam, .axis = axis, .measure = dJointGetPistonPosition});
    add_rotation(frame, dJointGetPistonParam, 1, axis, dJointGetPistonAngle);
}

static void pr_rows(Frame* frame) {
    double slide[3];
    // the axis of rotation, and the axis at right angles to both axes of the joint
    double across[2][3];
    double own[3];
    double held[3];
    double arms[2][3];
    get3(frame, dJointGetPRAxis1, slide);
    get3(frame, dJointGetPRAxis2, across[0]);
    cross(slide, across[0], across[1]);
    turn(frame->rotation[0], frame->joint->hidden.offset, held);
    find_arms(frame, dJointGetPRAnchor, arms);
    add_parallel_rows(frame, across[0], slide, across[1]);
    add_anchor_rows(frame, held, across, arms);
    if (frame->pair) {
        // ODE uses the second body's own axis for the moment on that body; this must be the same
        turn(frame->rotation[1], frame->joint->hidden.axis2, own);
        cross(own, arms[1], frame->x->rows[frame->x->row_count - 2].j[1] + 3);
    }
    add_drive(frame,
              &(Drive){.get = dJointGetPRParam, .axis = slide, .measure = dJointGetPRPosition});
    add_rotation(frame, dJointGetPRParam, 1, across[0], dJointGetPRAngle);
}

static void pu_rows(Frame* frame) {
    double axes[2][3];
    double slide[3];
    double across[2][3];
    double held[3];
    double arms[2][3];
    get_pair(frame, dJointGetPUAxis1, dJointGetPUAxis2, axes);
    get3(frame, dJointGetPUAxis3, slide);
    find_across(slide, across);
    turn(frame->rotation[0], frame->joint->hidden.offset, held);
    find_arms(frame, dJointGetPUAnchor, arms);
    add_square_row(frame, axes);
    add_anchor_rows(frame, held, across, arms);
    add_rotation(frame, dJointGetPUParam, 0, axes[0], dJointGetPUAngle1);
    add_rotation(frame, dJointGetPUParam, 1, axes[1], dJointGetPUAngle2);
    add_drive(frame, &(Drive){.get = dJointGetPUParam,
                              .group = 2 * dParamGroup,
                              .axis = slide,
                              .measure = dJointGetPUPosition,
                              .arms = arms});
}

static void angular_motor_rows(Frame* frame) {
    for (int k = 0; k < dJointGetAMotorNumAxes(frame->id); k++) {
        dVector3 stored;
        double axis[3];
        dJointGetAMotorAxis(frame->id, k, stored);
        set3(axis, stored);
        add_drive(frame, &(Drive){.get = dJointGetAMotorParam,
                                  .group = k * dParamGroup,
                                  .axis = axis,
                                  .rotational = true,
                                  .place = (double)dJointGetAMotorAngle(frame->id, k)});
    }
}

static void linear_motor_rows(Frame* frame) {
    for (int k = 0; k < dJointGetLMotorNumAxes(frame->id); k++) {
        const int relative = frame->joint->hidden.relative[k];
        dVector3 stored;
        double axis[3];
        double from[3];
        dJointGetLMotorAxis(frame->id, k, stored);
        set3(from, stored);
        turn(relative > 0 ? frame->rotation[relative - 1] : NULL, from, axis);
        add_drive(frame, &(Drive){.get = dJointGetLMotorParam,
                                  .group = k * dParamGroup,
                                  .axis = axis,
                                  .place = (double)NAN});
    }
}

bool poise__exact_joint_rows(PoiseExact* x, const ExactJoint* joint) {
    static void (*const makers[])(Frame*) = {[dJointTypeBall] = ball_rows,
                                             [dJointTypeHinge] = hinge_rows,
                                             [dJointTypeSlider] = slider_rows,
                                             [dJointTypeFixed] = fixed_rows,
                                             [dJointTypeUniversal] = universal_rows,
                                             [dJointTypeHinge2] = hinge2_rows,
                                             [dJointTypePiston] = piston_rows,
                                             [dJointTypePR] = pr_rows,
                                             [dJointTypePU] = pu_rows,
                                             [dJointTypeAMotor] = angular_motor_rows,
                                             [dJointTypeLMotor] = linear_motor_rows,
                                             [dJointTypeNull] = NULL};
    Frame frame = {.x = x,
                   .joint = joint,
                   .id = joint->id,
                   .fps = 1.0 / x->h,
                   .erp = x->erp,
                   .pair = joint->ends[1] != NULL};
    for (int side = 0; side < 2; side++) {
        if (joint->ends[side]) {
            set3(frame.position[side], dBodyGetPosition(joint->ends[side]));
            frame.rotation[side] = dBodyGetRotation(joint->ends[side]);
        }
    }
    const int first = x->row_count;
    if (!poise__exact_own(x, joint->id, joint->ends)) {
        return false;
    }
    if (makers[joint->type]) {
        makers[joint->type](&frame);
    }
    for (int k = first; k < x->row_count; k++) {
        x->rows[k].link = joint->child;
        poise__exact_scale_row(x, &x->rows[k], joint->ends);
    }
    return !frame.degenerate;
}
