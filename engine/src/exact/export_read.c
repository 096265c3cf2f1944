// SPDX-License-Identifier: MIT
// Reads numbers of joints for which ODE has no getters from dWorldExportDIF, ODE's text export,
// which prints 15 digits. The export contains no handles. Therefore, while it runs, each body is
// marked by a velocity that contains the body's number. The export prints the whole world, and runs
// once for each structure that is found.
#define _POSIX_C_SOURCE 200809L // for open_memstream and fmemopen
#include <math.h>
#include <ode/export-dif.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact.h"

// velocity that marks a body, m/s; the export prints its 15 digits exactly
static const double MARK = 271828182845905.0;
// rounding error of a number up to 1 that the export prints with 15 digits
static const double PRINTED = 1e-13;
// largest cosine between axes that were set at right angles, after the rounding of some steps
static const double RIGHT_ANGLE = 1e-9;
// a component of a unit quaternion above this follows from the others with an error below 1e-12
static const double CLEAR = 1e-3;

/// A body with the velocity that it had before it was marked.
typedef struct Marked {
    dBodyID id;
    dVector3 velocity;
} Marked;

/// The state of reading the export, line by line.
typedef struct Reading {
    PoiseExact* x;
    FILE* file;
    Marked* marked;
    int marked_count;
    int* marks; ///< index in `marked` of the body with a number in the export, or EXACT_NONE
    int body_count;
    char line[512];
} Reading;

static bool needs_reading(const ExactJoint* joint) {
    return joint->type == dJointTypeHinge || joint->type == dJointTypeSlider ||
           joint->type == dJointTypeFixed || joint->type == dJointTypeLMotor ||
           joint->type == dJointTypePiston || joint->type == dJointTypePR ||
           joint->type == dJointTypePU;
}

/// True if the joint is no hinge-2, or its axes are at right angles now. ODE neither returns nor
/// prints the angle at which the axes of a hinge-2 were set and which the joint keeps.
static bool is_square(const ExactJoint* joint) {
    dVector3 axes[2] = {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
    if (joint->type == dJointTypeHinge2) {
        dJointGetHinge2Axis1(joint->id, axes[0]);
        dJointGetHinge2Axis2(joint->id, axes[1]);
    }
    return fabs((double)dCalcVectorDot3(axes[0], axes[1])) < RIGHT_ANGLE;
}

static void mark_bodies(Reading* reading) {
    const PoiseExact* x = reading->x;
    for (int j = 0; j < x->joint_count; j++) {
        for (int side = 0; side < 2 && needs_reading(&x->joints[j]); side++) {
            const dBodyID body = x->joints[j].ends[side];
            if (!body || (double)dBodyGetLinearVel(body)[0] == MARK) {
                continue;
            }
            Marked* marked = &reading->marked[reading->marked_count];
            marked->id = body;
            memcpy(marked->velocity, dBodyGetLinearVel(body), sizeof marked->velocity);
            dBodySetLinearVel(body, (dReal)MARK, (dReal)MARK, (dReal)reading->marked_count++);
        }
    }
}

/// Reads up to `most` numbers after the brace of a line. Returns how many numbers the line has.
static int read_numbers(const char* line, double* numbers, int most) {
    const char* at = strchr(line, '{');
    int count = 0;
    while (at && count < most) {
        char* end = NULL;
        const double number = strtod(at + 1, &end);
        if (end == at + 1) {
            break;
        }
        numbers[count++] = number;
        at = *end == ',' ? end : NULL;
    }
    return count;
}

/// True if the line, without its indent, begins with "name =".
static bool is_entry(const char* line, const char* name) {
    line += strspn(line, "\t ");
    const size_t length = strlen(name);
    return strncmp(line, name, length) == 0 && strncmp(line + length, " = ", 3) == 0;
}

static bool remember_body(Reading* reading, const char* line) {
    double v[3];
    reading->marks = (int*)poise__exact_reserve(reading->x, EXACT_MARKS,
                                                (size_t)reading->body_count + 1, sizeof(int));
    if (!reading->marks) {
        return false;
    }
    const bool marked = read_numbers(line, v, 3) == 3 && v[0] == MARK && v[1] == MARK &&
                        v[2] >= 0.0 && v[2] < reading->marked_count;
    reading->marks[reading->body_count++] = marked ? (int)v[2] : EXACT_NONE;
    return true;
}

/// A joint as the export prints it.
typedef struct Printed {
    dJointType type;
    dBodyID ends[2];
    double axis1[3];
    ExactHidden hidden;
    int turn_count;
} Printed;

static dJointType type_of(const char* line) {
    static const struct {
        const char* name;
        dJointType type;
    } types[] = {{"dynamics.hinge_joint", dJointTypeHinge},
                 {"dynamics.slider_joint", dJointTypeSlider},
                 {"dynamics.fixed_joint", dJointTypeFixed},
                 {"dynamics.piston_joint", dJointTypePiston},
                 {"dynamics.PR_joint", dJointTypePR},
                 {"dynamics.PU_joint", dJointTypePU},
                 {"dynamics.ODE_linear_motor_joint", dJointTypeLMotor}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strstr(line, types[i].name)) {
            return types[i].type;
        }
    }
    return dJointTypeNone;
}

/// Reads the line "body = {body[1],body[0]}", which has the ends of a joint in ODE's inner order.
static void read_ends(const Reading* reading, Printed* printed) {
    const char* at = strchr(reading->line, '{');
    for (int side = 0; side < 2; side++) {
        printed->ends[side] = NULL;
        at = at ? strstr(at, "body[") : NULL;
        if (!at) {
            continue;
        }
        at += strlen("body[");
        const long number = strtol(at, NULL, 10);
        if (number >= 0 && number < reading->body_count && reading->marks[number] != EXACT_NONE) {
            printed->ends[side] = reading->marked[reading->marks[number]].id;
        }
    }
}

static void read_entry(const Reading* reading, Printed* printed) {
    const char* line = reading->line;
    double numbers[4] = {0.0};
    if (is_entry(line, "body")) {
        read_ends(reading, printed);
    } else if (is_entry(line, "axis1")) {
        read_numbers(line, printed->hidden.axis1, 3);
    } else if (is_entry(line, "axis2") || is_entry(line, "axisR2")) {
        read_numbers(line, printed->hidden.axis2, 3);
    } else if (is_entry(line, "offset") ||
               (printed->type == dJointTypePU && is_entry(line, "anchor1"))) {
        read_numbers(line, printed->hidden.offset, 3);
    } else if (is_entry(line, "qrel")) {
        printed->turn_count = read_numbers(line, printed->hidden.turn, 4);
    } else if (is_entry(line, "rel") && read_numbers(line, numbers, 3) == 3) {
        for (int k = 0; k < 3; k++) {
            // the export omits axes that no motor drives
            printed->hidden.relative[k] =
                numbers[k] == 1.0 || numbers[k] == 2.0 ? (int)numbers[k] : 0;
        }
    }
}

/// Fills the fourth component of a fixed joint's rotation, which the export omits, so that the
/// length is 1. A small component would be inexact: takes it from the bodies' rotation instead.
/// False if the bodies are rotated away from where the joint holds them.
static bool complete_turn(const ExactJoint* joint, double* turn) {
    dQuaternion now;
    const dReal* first = dBodyGetQuaternion(joint->ends[0]);
    if (joint->ends[1]) {
        dQMultiply1(now, first, dBodyGetQuaternion(joint->ends[1]));
    } else {
        for (int k = 0; k < 4; k++) {
            now[k] = k == 0 ? first[k] : -first[k];
        }
    }
    double along = 0.0;
    for (int k = 0; k < 3; k++) {
        along += (double)now[k] * turn[k];
    }
    const double sign = along < 0.0 ? -1.0 : 1.0;
    const double z = sign * (double)now[3];
    double off = 0.0;
    for (int k = 0; k < 3; k++) {
        off = fmax(off, fabs(sign * (double)now[k] - turn[k]));
    }
    if (off < PRINTED) {
        turn[3] = z; // the bodies have the rotation that the joint holds
        return true;
    }
    const double square = 1.0 - turn[0] * turn[0] - turn[1] * turn[1] - turn[2] * turn[2];
    const double size = sqrt(fmax(square, 0.0));
    turn[3] = size > CLEAR ? (z < 0.0 ? -size : size) : z;
    return fabs(fabs(z) - size) < CLEAR;
}

static bool has_axis(const ExactJoint* joint, const double* axis1) {
    if (joint->type != dJointTypeHinge && joint->type != dJointTypeSlider) {
        return true;
    }
    dVector3 axis;
    dVector3 inner;
    (joint->type == dJointTypeHinge ? dJointGetHingeAxis : dJointGetSliderAxis)(joint->id, axis);
    dMultiply1_331(inner, dBodyGetRotation(joint->ends[0]), axis);
    double off = 0.0;
    for (int k = 0; k < 3; k++) {
        off = fmax(off, fabs((double)inner[k] - axis1[k]));
    }
    return off < PRINTED;
}

/// Copies the printed numbers to the first joint without numbers that they fit.
static void assign(PoiseExact* x, const Printed* printed) {
    for (int side = 0; side < 2; side++) {
        const int body = poise__exact_find(x, printed->ends[side]);
        if (body == EXACT_NONE) {
            continue;
        }
        const int first = x->bodies[body].first_joint;
        for (int j = first; j < first + x->bodies[body].joint_count; j++) {
            ExactJoint* joint = &x->joints[j];
            if (!joint->hidden.known && joint->type == printed->type &&
                joint->ends[0] == printed->ends[0] && joint->ends[1] == printed->ends[1] &&
                has_axis(joint, printed->hidden.axis1)) {
                joint->hidden = printed->hidden;
                joint->hidden.known =
                    printed->turn_count != 3 || complete_turn(joint, joint->hidden.turn);
                return;
            }
        }
    }
}

static bool read_export(Reading* reading) {
    bool in_bodies = true;
    Printed printed = {.type = dJointTypeNone};
    while (fgets(reading->line, sizeof reading->line, reading->file)) {
        const char* line = reading->line;
        if (strncmp(line, "joint[", 6) == 0 || strncmp(line, "joint =", 7) == 0) {
            if (printed.type != dJointTypeNone) {
                assign(reading->x, &printed);
            }
            in_bodies = false;
            printed = (Printed){.type = type_of(line)};
        } else if (in_bodies && is_entry(line, "lvel")) {
            if (!remember_body(reading, line)) {
                return false;
            }
        } else if (printed.type != dJointTypeNone) {
            read_entry(reading, &printed);
        }
    }
    if (printed.type != dJointTypeNone) {
        assign(reading->x, &printed);
    }
    return true;
}

/// Prints the export into memory from malloc. False if memory runs out.
static bool print_world(const PoiseExact* x, char** text, size_t* length) {
    FILE* file = open_memstream(text, length);
    if (!file) {
        return false;
    }
    dWorldExportDIF(x->world, file, "");
    const bool failed = ferror(file) != 0;
    return fclose(file) == 0 && !failed && *length > 0;
}

void poise__exact_read_hidden(PoiseExact* x) {
    int needed = 0;
    for (int j = 0; j < x->joint_count; j++) {
        needed += needs_reading(&x->joints[j]);
    }
    Reading reading = {.x = x};
    if (needed > 0) {
        reading.marked =
            (Marked*)poise__exact_reserve(x, EXACT_MARKED, 2 * (size_t)needed, sizeof(Marked));
    }
    if (reading.marked) {
        mark_bodies(&reading);
        char* text = NULL;
        size_t length = 0;
        const bool printed = print_world(x, &text, &length);
        for (int i = 0; i < reading.marked_count; i++) {
            const dReal* v = reading.marked[i].velocity;
            dBodySetLinearVel(reading.marked[i].id, v[0], v[1], v[2]);
        }
        reading.file = printed ? fmemopen(text, length, "r") : NULL;
        x->out_of_memory = x->out_of_memory || !reading.file;
        if (reading.file) {
            read_export(&reading);
            fclose(reading.file);
        }
        free(text);
    }
    for (int j = 0; j < x->joint_count; j++) {
        ExactJoint* joint = &x->joints[j];
        joint->supported =
            joint->supported && (joint->hidden.known || !needs_reading(joint)) && is_square(joint);
    }
}
