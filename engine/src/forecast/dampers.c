// SPDX-License-Identifier: MIT
// Dampers for a wished damping ratio z. The modes of M x'' + D x' + K x = 0 have M-orthonormal
// shapes phi_j with K phi_j = w_j^2 M phi_j. They stay apart and have the ratio z if Phi^T D Phi =
// diag(2 z w_j). A diagonal D >= 0 is fitted to that by least squares, each number over the root of
// its 2 z w_j and 2 z w_k. With G = Phi diag(1 / 2 z w_j) Phi^T the normal equations are
//     sum over k of G_ik^2 d_k = G_ii.
// Rigs with feet, loops or stops have no such modes: their dampers keep to the springs.
#include <string.h>

#include "convert.h"
#include "design_search.h"
#include "numbers.h"

enum { ROTATIONS = 60, SWEEPS = 400 };
// The rotations end when the largest number off the diagonal is this part of the trace.
#define DIAGONAL 1e-14

/// Memory of the modes: n x n matrices and n numbers.
typedef struct Modes {
    int n;
    double* mass;   ///< then its factor L
    double* matrix; ///< L^-1 K L^-T, then diagonal
    double* shapes; ///< column j is phi_j
    double* damper; ///< by unknown
    double* g;      ///< n x n
    double* screw;  ///< 6 x n: motion of the present link
    void* memory;
    size_t size;
} Modes;

// Fills the motion of a link's centre of mass, and its rotation, per velocity of each joint that
// carries the link.
static void fill_screws(const Statics* statics, int b, PoiseVec3 centre, Modes* modes) {
    const RigState* state = &statics->state;
    memset(modes->screw, 0, 6 * (size_t)modes->n * sizeof *modes->screw);
    for (int at = b; at != NO_BINDING; at = state->rig->bindings[at].parent) {
        const JointState* joint = &state->joints[at];
        const PoiseVec3 pivot = poise__joint_pivot(joint);
        PoiseVec3 axes[POISE_MAX_NV];
        poise__joint_axes(joint, axes);
        for (int d = 0; d < joint->of->type->nv; d++) {
            const bool about = poise__sort(joint->of->type, d) == ABOUT;
            const PoiseVec3 none = {0.0, 0.0, 0.0};
            const PoiseVec3 turn = about ? axes[d] : none;
            const PoiseVec3 move = about ? poise_cross(axes[d], poise_sub(centre, pivot)) : axes[d];
            const double rows[6] = {move.x, move.y, move.z, turn.x, turn.y, turn.z};
            for (int r = 0; r < 6; r++) {
                modes->screw[r * modes->n + state->press.first[at] + d] = rows[r];
            }
        }
    }
}

// Adds a link's part of M = sum of J^T (m, I) J.
static void add_link(const Statics* statics, int b, Modes* modes) {
    const JointState* joint = &statics->state.joints[b];
    const Binding* binding = joint->of;
    const int n = modes->n;
    const PoiseVec3 centre = poise_pose_apply(joint->link_world, binding->com_link);
    const dReal* r = dBodyGetRotation(binding->motor.child);
    const double* i = binding->inertia;
    const double inertia[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
    fill_screws(statics, b, centre, modes);
    for (int k = 0; k < n; k++) {
        double force[6];
        double about[3] = {0.0, 0.0, 0.0};
        for (int a = 0; a < 3; a++) {
            force[a] = binding->mass * modes->screw[a * n + k];
            for (int c = 0; c < 3; c++) {
                about[a] += (double)r[4 * c + a] * modes->screw[(3 + c) * n + k];
            }
        }
        for (int a = 0; a < 3; a++) {
            double sum = 0.0;
            for (int c = 0; c < 3; c++) {
                const double turned = inertia[3 * c] * about[0] + inertia[3 * c + 1] * about[1] +
                                      inertia[3 * c + 2] * about[2];
                sum += (double)r[4 * a + c] * turned;
            }
            force[3 + a] = sum;
        }
        for (int row = 0; row < n; row++) {
            for (int a = 0; a < 6; a++) {
                modes->mass[row * n + k] += modes->screw[a * n + row] * force[a];
            }
        }
    }
}

static bool open_modes(Modes* modes, const Design* d) {
    const size_t n = (size_t)d->rest.statics.count;
    memset(modes, 0, sizeof *modes);
    modes->n = (int)n;
    modes->size = (4 * n * n + 7 * n) * sizeof(double);
    modes->memory = poise_host_allocate(d->host, modes->size);
    if (!modes->memory) {
        return false;
    }
    memset(modes->memory, 0, modes->size);
    modes->mass = (double*)modes->memory;
    modes->matrix = modes->mass + n * n;
    modes->shapes = modes->matrix + n * n;
    modes->damper = modes->shapes + n * n;
    modes->screw = modes->damper + n;
    modes->g = modes->screw + 6 * n;
    return true;
}

// M = L L^T in the lower triangle. False if M is singular: some motion moves no mass.
static bool factor(double* m, int n) {
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = m[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= m[i * n + k] * m[j * n + k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            m[i * n + j] = i == j ? sqrt(sum) : sum / m[j * n + j];
        }
    }
    return true;
}

// Solves L y = x for each column of a row-major matrix.
static void forward_columns(const double* l, double* a, int n) {
    for (int c = 0; c < n; c++) {
        for (int i = 0; i < n; i++) {
            double sum = a[i * n + c];
            for (int k = 0; k < i; k++) {
                sum -= l[i * n + k] * a[k * n + c];
            }
            a[i * n + c] = sum / l[i * n + i];
        }
    }
}

static void transpose(double* a, int n) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) {
            const double kept = a[i * n + k];
            a[i * n + k] = a[k * n + i];
            a[k * n + i] = kept;
        }
    }
}

// Rotates rows and columns p and q of a symmetric matrix so that a_pq becomes 0, and the columns of
// the shapes (Jacobi).
static void rotate(double* a, double* v, int n, int p, int q) {
    const double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
    const double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < n; k++) {
        const double x = a[k * n + p], y = a[k * n + q];
        a[k * n + p] = c * x - s * y;
        a[k * n + q] = s * x + c * y;
    }
    for (int k = 0; k < n; k++) {
        const double x = a[p * n + k], y = a[q * n + k];
        a[p * n + k] = c * x - s * y;
        a[q * n + k] = s * x + c * y;
        const double vx = v[k * n + p], vy = v[k * n + q];
        v[k * n + p] = c * vx - s * vy;
        v[k * n + q] = s * vx + c * vy;
    }
}

static void diagonalise(double* a, double* v, int n) {
    double trace = 0.0;
    for (int i = 0; i < n; i++) {
        trace += fabs(a[i * n + i]);
        for (int k = 0; k < n; k++) {
            v[i * n + k] = i == k;
        }
    }
    double most = HUGE_VAL;
    for (int sweep = 0; sweep < ROTATIONS && most > DIAGONAL * trace; sweep++) {
        most = 0.0;
        for (int p = 0; p < n; p++) {
            for (int q = p + 1; q < n; q++) {
                most = poise_max(most, fabs(a[p * n + q]));
                if (fabs(a[p * n + q]) > 0.0) {
                    rotate(a, v, n, p, q);
                }
            }
        }
    }
}

// Fills the shapes and, on the diagonal of `matrix`, w^2. False if the joints have no modes.
static bool find_modes(Design* d, Modes* modes) {
    Statics* statics = &d->rest.statics;
    const int n = modes->n;
    Tangent tangent;
    for (int b = 0; b < statics->state.rig->binding_count; b++) {
        add_link(statics, b, modes);
    }
    const PoiseStatus status =
        poise__tangent_open(&tangent, statics, d->points, d->def->wish_count, 0);
    const bool free = status == POISE_OK && tangent.held == 0;
    for (int i = 0; free && i < n; i++) {
        for (int k = 0; k < n; k++) {
            const double sum =
                tangent.matrix[i * tangent.size + k] + tangent.matrix[k * tangent.size + i];
            modes->matrix[i * n + k] = 0.5 * sum / (tangent.scale[i] * tangent.scale[k]);
        }
    }
    poise__tangent_close(&tangent);
    if (!free || !factor(modes->mass, n)) {
        return false;
    }
    forward_columns(modes->mass, modes->matrix, n);
    transpose(modes->matrix, n);
    forward_columns(modes->mass, modes->matrix, n);
    diagonalise(modes->matrix, modes->shapes, n);
    // phi = L^-T v
    for (int c = 0; c < n; c++) {
        for (int i = n - 1; i >= 0; i--) {
            double sum = modes->shapes[i * n + c];
            for (int k = i + 1; k < n; k++) {
                sum -= modes->mass[k * n + i] * modes->shapes[k * n + c];
            }
            modes->shapes[i * n + c] = sum / modes->mass[i * n + i];
        }
    }
    return true;
}

// Fills G. A mode without stiffness counts with no weight.
static void fill_g(const Design* d, Modes* modes) {
    const int n = modes->n;
    for (int j = 0; j < n; j++) {
        const double square = modes->matrix[j * n + j];
        const double weight =
            square > 0.0 ? 1.0 / (2.0 * d->def->damping_ratio * sqrt(square)) : 0.0;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++) {
                modes->g[i * n + k] += weight * modes->shapes[i * n + j] * modes->shapes[k * n + j];
            }
        }
    }
}

// Returns the sum of G_ik^2 over the velocities of two unknowns.
static double coupling(const Modes* modes, const Unknown* a, const Unknown* b) {
    double sum = 0.0;
    for (int i = a->first; i < a->first + a->velocities; i++) {
        for (int k = b->first; k < b->first + b->velocities; k++) {
            sum += modes->g[i * modes->n + k] * modes->g[i * modes->n + k];
        }
    }
    return sum;
}

// Solves the normal equations for dampers >= 0 by descent along one after another.
static void fit(const Design* d, const Modes* modes, double* dampers) {
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = 0; i < d->count; i++) {
            const Unknown* unknown = &d->unknowns[i];
            double left = 0.0;
            for (int v = unknown->first; v < unknown->first + unknown->velocities; v++) {
                left += modes->g[v * modes->n + v];
            }
            for (int k = 0; k < d->count; k++) {
                left -= k == i ? 0.0 : coupling(modes, unknown, &d->unknowns[k]) * dampers[k];
            }
            const double own = coupling(modes, unknown, unknown);
            dampers[i] = own > 0.0 ? poise_max(left / own, 0.0) : dampers[i];
        }
    }
}

PoiseStatus poise__design_dampers(Design* d, PoiseDesignedSpring* springs) {
    Modes modes;
    if (!open_modes(&modes, d)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    if (find_modes(d, &modes)) {
        fill_g(d, &modes);
        fit(d, &modes, modes.damper);
        for (int i = 0; i < d->count; i++) {
            const Binding* binding = d->unknowns[i].binding;
            const double original = binding->original[poise__binding_main_sort(binding)].damping;
            springs[i].ik.damping = poise_max(modes.damper[i] - original, 0.0);
        }
    }
    poise_host_release(d->host, modes.memory, modes.size);
    return POISE_OK;
}
