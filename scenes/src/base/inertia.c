// SPDX-License-Identifier: MIT
// Mass, centre and inertia of rigid bodies: computes those of solids, adds bodies up, and repairs
// an inertia that no body can have.
#include "inertia.h"

#include <math.h>
#include <string.h>

#include "number.h"

// A principal moment below this fraction of the largest is raised to it, because ODE inverts
// inertias.
#define SMALLEST_MOMENT 1e-4
// Files round their numbers: an excess below this fraction of the largest moment is accepted.
#define ROUNDING 1e-3
// Jacobi sweeps: a 3x3 matrix is diagonal to the last bit after 4 to 6
#define SWEEPS 12

typedef struct Matrix {
    double m[3][3];
} Matrix;

static Matrix to_matrix(const double inertia[6]) {
    Matrix full = {{{inertia[0], inertia[3], inertia[4]},
                    {inertia[3], inertia[1], inertia[5]},
                    {inertia[4], inertia[5], inertia[2]}}};
    return full;
}

static void from_matrix(const Matrix* full, double inertia[6]) {
    inertia[0] = full->m[0][0];
    inertia[1] = full->m[1][1];
    inertia[2] = full->m[2][2];
    inertia[3] = 0.5 * (full->m[0][1] + full->m[1][0]);
    inertia[4] = 0.5 * (full->m[0][2] + full->m[2][0]);
    inertia[5] = 0.5 * (full->m[1][2] + full->m[2][1]);
}

// Writes the inertia of a cylinder of mass 1 along z, in the order of MassProperties.inertia.
static void cylinder_inertia(double radius, double length, double inertia[6]) {
    inertia[0] = (3.0 * radius * radius + length * length) / 12.0;
    inertia[1] = inertia[0];
    inertia[2] = 0.5 * radius * radius;
}

// Writes the inertia of a capsule of mass 1 along z: a cylinder and two half balls, whose centres
// of mass lie 3/8 r outward of its ends.
static void capsule_inertia(double radius, double length, double inertia[6]) {
    double cylinder_volume = PI * radius * radius * length;
    double ball_volume = 4.0 / 3.0 * PI * radius * radius * radius;
    double ball_part = ball_volume / (cylinder_volume + ball_volume);
    double cylinder[6] = {0.0};
    cylinder_inertia(radius, length, cylinder);
    double ball = 0.4 * radius * radius;
    double shift = 0.25 * length * length + 0.375 * radius * length;
    inertia[0] = (1.0 - ball_part) * cylinder[0] + ball_part * (ball + shift);
    inertia[1] = inertia[0];
    inertia[2] = (1.0 - ball_part) * cylinder[2] + ball_part * ball;
}

MassProperties poise__mass_of_shape(const PoiseSceneShape* shape, double density) {
    MassProperties body = {0.0, {0.0, 0.0, 0.0}, {0.0}};
    PoiseVec3 size = shape->size;
    double volume = 0.0;
    switch (shape->kind) {
    case POISE_SHAPE_BOX:
        volume = size.x * size.y * size.z;
        body.inertia[0] = (size.y * size.y + size.z * size.z) / 12.0;
        body.inertia[1] = (size.x * size.x + size.z * size.z) / 12.0;
        body.inertia[2] = (size.x * size.x + size.y * size.y) / 12.0;
        break;
    case POISE_SHAPE_SPHERE:
        volume = 4.0 / 3.0 * PI * size.x * size.x * size.x;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.4 * size.x * size.x;
        break;
    case POISE_SHAPE_CAPSULE:
        volume = PI * size.x * size.x * (size.y + 4.0 / 3.0 * size.x);
        capsule_inertia(size.x, size.y, body.inertia);
        break;
    case POISE_SHAPE_CYLINDER:
        volume = PI * size.x * size.x * size.y;
        cylinder_inertia(size.x, size.y, body.inertia);
        break;
    case POISE_SHAPE_HULL:
        break; // a hull's mass comes from its mesh (mesh.h)
    }
    body.mass = density * volume;
    for (int i = 0; i < 6; i++) {
        body.inertia[i] *= body.mass;
    }
    return body;
}

MassProperties poise__mass_of_ellipsoid(PoiseVec3 size, double density) {
    MassProperties body = {density * PI / 6.0 * size.x * size.y * size.z, {0.0, 0.0, 0.0}, {0.0}};
    body.inertia[0] = body.mass * (size.y * size.y + size.z * size.z) / 20.0;
    body.inertia[1] = body.mass * (size.x * size.x + size.z * size.z) / 20.0;
    body.inertia[2] = body.mass * (size.x * size.x + size.y * size.y) / 20.0;
    return body;
}

static PoiseVec3 column_of(PoiseQuat q, int column) {
    return poise_quat_rotate(q, poise_vec3(column == 0, column == 1, column == 2));
}

MassProperties poise__mass_moved(MassProperties body, PoisePose pose) {
    Matrix full = to_matrix(body.inertia);
    PoiseVec3 axes[3] = {column_of(pose.q, 0), column_of(pose.q, 1), column_of(pose.q, 2)};
    Matrix turned = {0};
    // R I R^T as a sum of outer products of R's columns
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            double a[3] = {axes[k].x, axes[k].y, axes[k].z};
            double b[3] = {axes[l].x, axes[l].y, axes[l].z};
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    turned.m[i][j] += full.m[k][l] * a[i] * b[j];
                }
            }
        }
    }
    body.com = poise_pose_apply(pose, body.com);
    from_matrix(&turned, body.inertia);
    return body;
}

// Adds the inertia that `mass` has at `arm` (m) from the centre, by Steiner's theorem.
static void add_offset(double inertia[6], double mass, PoiseVec3 arm) {
    inertia[0] += mass * (arm.y * arm.y + arm.z * arm.z);
    inertia[1] += mass * (arm.x * arm.x + arm.z * arm.z);
    inertia[2] += mass * (arm.x * arm.x + arm.y * arm.y);
    inertia[3] -= mass * arm.x * arm.y;
    inertia[4] -= mass * arm.x * arm.z;
    inertia[5] -= mass * arm.y * arm.z;
}

MassProperties poise__mass_sum(MassProperties a, MassProperties b) {
    MassProperties sum = {a.mass + b.mass, a.com, {0.0}};
    if (sum.mass > 0.0) {
        PoiseVec3 moment = poise_add_scaled(poise_scale(a.mass, a.com), b.mass, b.com);
        sum.com = poise_scale(1.0 / sum.mass, moment);
    }
    for (int i = 0; i < 6; i++) {
        sum.inertia[i] = a.inertia[i] + b.inertia[i];
    }
    add_offset(sum.inertia, a.mass, poise_sub(a.com, sum.com));
    add_offset(sum.inertia, b.mass, poise_sub(b.com, sum.com));
    return sum;
}

MassProperties poise__mass_stretched(MassProperties body, PoiseVec3 factor) {
    const double f[3] = {factor.x, factor.y, factor.z};
    const double volume = fabs(f[0] * f[1] * f[2]);
    const double half = 0.5 * (body.inertia[0] + body.inertia[1] + body.inertia[2]);
    double second[3]; // moments of mass along the axes: xx, yy, zz
    for (int i = 0; i < 3; i++) {
        second[i] = volume * f[i] * f[i] * (half - body.inertia[i]);
    }
    for (int i = 0; i < 3; i++) {
        body.inertia[i] = second[(i + 1) % 3] + second[(i + 2) % 3];
    }
    body.inertia[3] *= volume * f[0] * f[1];
    body.inertia[4] *= volume * f[0] * f[2];
    body.inertia[5] *= volume * f[1] * f[2];
    body.mass *= volume;
    body.com = poise_vec3(f[0] * body.com.x, f[1] * body.com.y, f[2] * body.com.z);
    return body;
}

MassProperties poise__mass_scaled(MassProperties body, double mass) {
    double scale = body.mass > 0.0 ? mass / body.mass : 0.0;
    for (int i = 0; i < 6; i++) {
        body.inertia[i] *= scale;
    }
    body.mass = mass;
    return body;
}

// --------------------------------------------------------------------------- principal moments

// Applies a Jacobi rotation that makes the entry (p, q) zero.
static void rotate_away(Matrix* a, Matrix* axes, int p, int q) {
    if (a->m[p][q] == 0.0) {
        return;
    }
    double theta = (a->m[q][q] - a->m[p][p]) / (2.0 * a->m[p][q]);
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0);
    double s = t * c;
    for (int i = 0; i < 3; i++) {
        double ip = a->m[i][p];
        double iq = a->m[i][q];
        a->m[i][p] = c * ip - s * iq;
        a->m[i][q] = s * ip + c * iq;
    }
    for (int i = 0; i < 3; i++) {
        double pi = a->m[p][i];
        double qi = a->m[q][i];
        a->m[p][i] = c * pi - s * qi;
        a->m[q][i] = s * pi + c * qi;
        double axis_p = axes->m[p][i];
        double axis_q = axes->m[q][i];
        axes->m[p][i] = c * axis_p - s * axis_q;
        axes->m[q][i] = s * axis_p + c * axis_q;
    }
}

static void swap_rows(double moments[3], Matrix* axes, int a, int b) {
    double moment = moments[a];
    moments[a] = moments[b];
    moments[b] = moment;
    for (int i = 0; i < 3; i++) {
        double axis = axes->m[a][i];
        axes->m[a][i] = axes->m[b][i];
        axes->m[b][i] = axis;
    }
}

void poise__inertia_principal(const double inertia[6], double moments[3], double axes[9]) {
    Matrix a = to_matrix(inertia);
    Matrix rows = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        rotate_away(&a, &rows, 0, 1);
        rotate_away(&a, &rows, 0, 2);
        rotate_away(&a, &rows, 1, 2);
    }
    for (int i = 0; i < 3; i++) {
        moments[i] = a.m[i][i];
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2 - i; j++) {
            if (moments[j] > moments[j + 1]) {
                swap_rows(moments, &rows, j, j + 1);
            }
        }
    }
    if (axes) {
        memcpy(axes, rows.m, sizeof rows.m);
    }
}

PoiseQuat poise__inertia_turn(const double inertia[6]) {
    double moments[3];
    double axes[9];
    poise__inertia_principal(inertia, moments, axes);
    PoiseVec3 z = poise_vec3(axes[0], axes[1], axes[2]);
    PoiseVec3 x = poise_vec3(axes[6], axes[7], axes[8]);
    PoiseVec3 y = poise_cross(z, x);
    const double rows[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    return poise_quat_normalize(poise_quat_from_rows(rows));
}

static void rebuild(const double moments[3], const double axes[9], double inertia[6]) {
    Matrix full = {0};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                full.m[i][j] += moments[k] * axes[3 * k + i] * axes[3 * k + j];
            }
        }
    }
    from_matrix(&full, inertia);
}

const char* poise__inertia_repair(double inertia[6]) {
    double moments[3];
    double axes[9];
    poise__inertia_principal(inertia, moments, axes);
    double largest = fmax(fabs(moments[0]), fabs(moments[2]));
    if (!(largest > 0.0)) {
        return NULL;
    }
    const char* wrong = NULL;
    for (int i = 0; i < 3; i++) {
        if (moments[i] < SMALLEST_MOMENT * largest) {
            wrong = moments[i] < 0.0 ? "a principal moment below 0" : "a principal moment of 0";
            moments[i] = SMALLEST_MOMENT * largest;
        }
    }
    double excess = moments[2] - moments[0] - moments[1];
    if (excess > ROUNDING * largest) {
        wrong = wrong ? wrong : "one principal moment larger than the other two together";
        moments[0] += 0.5 * excess;
        moments[1] += 0.5 * excess;
    }
    if (wrong) {
        rebuild(moments, axes, inertia);
    }
    return wrong;
}
