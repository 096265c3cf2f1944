// SPDX-License-Identifier: MIT
// Dampers for a wished damping ratio z or settling time T. The modes of M x'' + D x' + K x = 0 have
// M-orthonormal shapes phi_j with K phi_j = w_j^2 M phi_j. They stay apart and have the ratios z_j
// if Phi^T D Phi = diag(2 z_j w_j). With a time T, z_j = log(50) / (T w_j), at least z and at
// most 1. A diagonal D >= 0 is fitted to that by least squares, each number over the root of its 2
// z_j w_j and 2 z_k w_k. With G = Phi diag(1 / 2 z_j w_j) Phi^T the normal equations, summed over
// the rests of the design, are
//     sum over k of G_ik^2 d_k = G_ii.
// The fitted D couples the modes. Its slowest decay is that of exp(A t), with A of the modes; a
// search along one damper after another shortens the decay to T.
// Rigs with feet, loops or stops have no such modes: their dampers keep to the springs.
#include <string.h>

#include "convert.h"
#include "design_search.h"
#include "numbers.h"

enum { ROTATIONS = 60, SWEEPS = 400 };
// Squarings of exp(A t), and terms of its series.
enum { SQUARINGS = 60, TERMS = 12 };
// The search for a settling time: passes over the dampers; first and last factor of a damper; least
// damper, as a part of stiffness times time; largest number of velocities.
enum { PASSES = 30, MOST_TRIED = 30 };
#define FACTOR       2.0
#define LEAST_FACTOR 1.02
#define LEAST_DAMPER 1e-2
// A displacement has settled when at most this part of it remains.
#define SETTLED 0.02
// The rotations end when the largest number off the diagonal is this part of the trace.
#define DIAGONAL 1e-14

/// Memory of the modes: n x n matrices and n numbers.
typedef struct Modes {
    int n;
    double* mass;   ///< mass matrix, later its factor L
    double* matrix; ///< L^-1 K L^-T, then diagonal
    double* shapes; ///< column j is phi_j
    double* damper; ///< by velocity, all joints
    double* g;      ///< n x n
    double* power;  ///< three matrices of 2 n x 2 n
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
    // the copy's bodies may be at another rest
    const PoiseQuat turn =
        poise_quat_mul(joint->link_world.q, poise_quat_conjugate(binding->link_in_body.q));
    const PoiseVec3 columns[3] = {poise_quat_rotate(turn, poise_vec3(1.0, 0.0, 0.0)),
                                  poise_quat_rotate(turn, poise_vec3(0.0, 1.0, 0.0)),
                                  poise_quat_rotate(turn, poise_vec3(0.0, 0.0, 1.0))};
    const double r[9] = {columns[0].x, columns[1].x, columns[2].x, columns[0].y, columns[1].y,
                         columns[2].y, columns[0].z, columns[1].z, columns[2].z};
    const double* i = binding->inertia;
    const double inertia[9] = {i[0], i[3], i[4], i[3], i[1], i[5], i[4], i[5], i[2]};
    fill_screws(statics, b, centre, modes);
    for (int k = 0; k < n; k++) {
        double force[6];
        double about[3] = {0.0, 0.0, 0.0};
        for (int a = 0; a < 3; a++) {
            force[a] = binding->mass * modes->screw[a * n + k];
            for (int c = 0; c < 3; c++) {
                about[a] += r[3 * c + a] * modes->screw[(3 + c) * n + k];
            }
        }
        for (int a = 0; a < 3; a++) {
            double sum = 0.0;
            for (int c = 0; c < 3; c++) {
                const double turned = inertia[3 * c] * about[0] + inertia[3 * c + 1] * about[1] +
                                      inertia[3 * c + 2] * about[2];
                sum += r[3 * a + c] * turned;
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
    const size_t n = (size_t)d->rests[0].statics.count;
    memset(modes, 0, sizeof *modes);
    modes->n = (int)n;
    modes->size = (16 * n * n + 7 * n) * sizeof(double);
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
    modes->power = modes->g + n * n;
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
static bool find_modes(Design* d, int rest, Modes* modes) {
    Statics* statics = &d->rests[rest].statics;
    const int n = modes->n;
    Tangent tangent;
    memset(modes->mass, 0, (size_t)(n * n) * sizeof *modes->mass);
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

// Returns the damping ratio that a mode should have.
static double ratio_of(const PoiseDesignDef* def, double w) {
    const double rate = def->settling_time > 0.0 ? -poise_log(SETTLED) / def->settling_time : 0.0;
    return poise_max(def->damping_ratio, poise_min(1.0, rate / w));
}

// Fills G. A mode without stiffness counts with no weight.
static void fill_g(const Design* d, Modes* modes) {
    const int n = modes->n;
    memset(modes->g, 0, (size_t)(n * n) * sizeof *modes->g);
    for (int j = 0; j < n; j++) {
        const double square = modes->matrix[j * n + j];
        const double w = square > 0.0 ? sqrt(square) : 0.0;
        const double weight = w > 0.0 ? 1.0 / (2.0 * ratio_of(d->def, w) * w) : 0.0;
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < n; k++) {
                modes->g[i * n + k] += weight * modes->shapes[i * n + j] * modes->shapes[k * n + j];
            }
        }
    }
}

// Adds a rest's part of the normal equations.
static void add_normal(Design* d, const Modes* modes) {
    for (int i = 0; i < d->count; i++) {
        const Unknown* a = &d->unknowns[i];
        for (int v = a->first; v < a->first + a->velocities; v++) {
            d->right[i] += modes->g[v * modes->n + v];
            for (int k = 0; k < d->count; k++) {
                const Unknown* b = &d->unknowns[k];
                for (int w = b->first; w < b->first + b->velocities; w++) {
                    const double g = modes->g[v * modes->n + w];
                    d->normal[i * d->count + k] += g * g;
                }
            }
        }
    }
}

// Solves the normal equations for dampers >= 0 by descent along one after another.
static void fit(const Design* d, double* dampers) {
    memset(dampers, 0, (size_t)d->count * sizeof *dampers);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int i = 0; i < d->count; i++) {
            double left = d->right[i];
            for (int k = 0; k < d->count; k++) {
                left -= k == i ? 0.0 : d->normal[i * d->count + k] * dampers[k];
            }
            const double own = d->normal[i * d->count + i];
            dampers[i] = own > 0.0 ? poise_max(left / own, 0.0) : dampers[i];
        }
    }
}

// ------------------------------------------------------------------------------------------- decay

// Fills the dampers of all joints, those of the unknowns as given.
static void fill_dampers(const Design* d, const double* dampers, Modes* modes) {
    const RigState* state = &d->rests[0].statics.state;
    for (int b = 0; b < state->rig->binding_count; b++) {
        const Binding* binding = &state->rig->bindings[b];
        for (int v = 0; v < binding->type->nv; v++) {
            modes->damper[state->press.first[b] + v] =
                poise__binding_spring(binding, poise__sort(binding->type, v)).damping;
        }
    }
    for (int i = 0; i < d->count; i++) {
        const Unknown* unknown = &d->unknowns[i];
        const Binding* binding = unknown->binding;
        const double original = binding->original[poise__binding_main_sort(binding)].damping;
        for (int v = unknown->first; v < unknown->first + unknown->velocities; v++) {
            modes->damper[v] = poise_max(original, dampers[i]);
        }
    }
}

// Divides a matrix by its largest row sum and returns that.
static double normalise(double* a, int n) {
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int k = 0; k < n; k++) {
            sum += fabs(a[i * n + k]);
        }
        most = poise_max(most, sum);
    }
    for (int i = 0; most > 0.0 && i < n * n; i++) {
        a[i] /= most;
    }
    return most;
}

// Fills A of (W y, y')' = A (W y, y') in the modes: A = (0, W; -W, -Phi^T D Phi).
static void fill_system(const Modes* modes, double* a) {
    const int n = modes->n;
    memset(a, 0, (size_t)(4 * n * n) * sizeof *a);
    for (int i = 0; i < n; i++) {
        const double square = modes->matrix[i * n + i];
        const double w = square > 0.0 ? sqrt(square) : 0.0;
        a[i * 2 * n + n + i] = w;
        a[(n + i) * 2 * n + i] = -w;
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int v = 0; v < n; v++) {
                sum += modes->shapes[v * n + i] * modes->damper[v] * modes->shapes[v * n + k];
            }
            a[(n + i) * 2 * n + n + k] = -sum;
        }
    }
}

// Returns the rate of the slowest decay, 1/s: exp(A t) by its series for a short time, then squared
// until its norm falls at one rate.
static double slowest_rate(Modes* modes) {
    const int n = 2 * modes->n;
    double *a = modes->power, *e = a + n * n, *other = e + n * n;
    fill_system(modes, a);
    double t = 0.25 / poise_max(normalise(a, n), 1e-12);
    memset(e, 0, (size_t)(n * n) * sizeof *e);
    for (int term = TERMS; term > 0; term--) { // e = 1 + 0.25 a / term * e
        for (int i = 0; i < n; i++) {
            e[i * n + i] += 1.0;
        }
        poise__numbers_multiply(a, e, other, n);
        for (int i = 0; i < n * n; i++) {
            e[i] = 0.25 / term * other[i];
        }
    }
    for (int i = 0; i < n; i++) {
        e[i * n + i] += 1.0;
    }
    double before = poise_log(normalise(e, n)); // log of the norm at t
    double rate = 0.0;
    for (int k = 0; k < SQUARINGS; k++) {
        poise__numbers_multiply(e, e, other, n);
        double* kept = e;
        e = other;
        other = kept;
        const double size = normalise(e, n);
        if (!(size > 0.0)) {
            break;
        }
        const double after = 2.0 * before + poise_log(size);
        const double was = rate;
        rate = (before - after) / t;
        before = after;
        t *= 2.0;
        if (k > 8 && fabs(rate - was) <= 1e-4 * fabs(rate)) {
            break;
        }
    }
    return rate;
}

// Returns the settling time of the slowest mode of all rests; infinity if one has no modes.
static double settling_time(Design* d, const double* dampers, Modes* modes) {
    double slowest = HUGE_VAL;
    for (int r = 0; r < d->rest_count; r++) {
        // the modes of the only rest are known
        const bool known = d->rest_count == 1 || find_modes(d, r, modes);
        fill_dampers(d, dampers, modes);
        slowest = known ? poise_min(slowest, slowest_rate(modes)) : 0.0;
    }
    return slowest > 0.0 ? -poise_log(SETTLED) / slowest : HUGE_VAL;
}

// Multiplies one damper after another while the slowest mode settles sooner, until all modes settle
// in the wished time. Returns the settling time.
static double shorten(Design* d, double* dampers, Modes* modes) {
    const double wished = d->def->settling_time;
    double best = settling_time(d, dampers, modes);
    if (!(wished > 0.0)) {
        return best;
    }
    for (int i = 0; i < d->count; i++) {
        dampers[i] =
            poise_max(dampers[i], LEAST_DAMPER * wished * d->unknowns[i].spring->stiffness);
    }
    double factor = FACTOR;
    for (int pass = 0; pass < PASSES && modes->n <= MOST_TRIED && best > wished; pass++) {
        const double before = best;
        for (int i = 0; i < 2 * d->count && best > wished; i++) {
            const double kept = dampers[i / 2];
            dampers[i / 2] *= i % 2 == 0 ? factor : 1.0 / factor;
            const double time = settling_time(d, dampers, modes);
            dampers[i / 2] = time < best ? dampers[i / 2] : kept;
            best = poise_min(best, time);
        }
        if (best > 0.98 * before) {
            factor = sqrt(factor);
        }
        if (factor < LEAST_FACTOR) {
            break;
        }
    }
    return best;
}

PoiseStatus poise__design_dampers(Design* d, PoiseDesignedSpring* springs, PoiseDesign* result) {
    Modes modes;
    if (!open_modes(&modes, d)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    bool known = true;
    memset(d->normal, 0, (size_t)(d->count * d->count) * sizeof *d->normal);
    memset(d->right, 0, (size_t)d->count * sizeof *d->right);
    for (int r = 0; r < d->rest_count && known; r++) {
        known = find_modes(d, r, &modes);
        if (known) {
            fill_g(d, &modes);
            add_normal(d, &modes);
        }
    }
    if (known) {
        fit(d, d->trial);
        result->settling_time = shorten(d, d->trial, &modes);
        for (int i = 0; i < d->count; i++) {
            const Binding* binding = d->unknowns[i].binding;
            const double original = binding->original[poise__binding_main_sort(binding)].damping;
            springs[i].ik.damping = poise_max(d->trial[i] - original, 0.0);
        }
    }
    poise_host_release(d->host, modes.memory, modes.size);
    return POISE_OK;
}
