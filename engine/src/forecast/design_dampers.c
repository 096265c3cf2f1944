// SPDX-License-Identifier: MIT
// Finds dampers for a damping ratio z or a settling time T, after design.c has found the springs.
// The modes of M x'' + D x' + K x = 0 have shapes phi_j (columns of Phi) and frequencies w_j:
// phi_j^T M phi_j = 1, K phi_j = w_j^2 M phi_j. If Phi^T D Phi = diag(2 z_j w_j), mode j has the
// damping ratio z_j, and the modes are decoupled. A settling time requires z_j = log(50) / (T w_j),
// at least z, at most 1.
// Least squares fit a diagonal D >= 0 of dampers d_k. Element (j, k) of Phi^T D Phi has the weight
// 1 / sqrt(2 z_j w_j 2 z_k w_k). The normal equations, summed over the rests, are
//     sum over k of G_ik^2 d_k = G_ii, G = Phi diag(1 / 2 z_j w_j) Phi^T.
// Since the fitted D couples the modes, the settling time is computed from exp(A t), where A is the
// matrix of the first-order system. Changing one damper after another shortens it to T.
// Rigs with feet, loops or active stops keep the dampers of design.c, as they lack such modes.
#include <string.h>

#include "convert.h"
#include "design_search.h"
#include "numbers.h"

enum { ROTATIONS = 60 };
// Largest number of squarings of exp(A t). The first t is SHORT / |A|, where the series up to the
// square of A t is right to 1e-8.
enum { SQUARINGS = 66 };
#define SHORT (1.0 / 256)
// Bounds of the search for a settling time: largest number of passes over the dampers, and of
// velocities of the rig; first and last factor by which a damper changes; least damper, as a
// fraction of stiffness times settling time.
enum { PASSES = 30, MOST_TRIED = 30 };
#define FACTOR       2.0
#define LEAST_FACTOR 1.02
#define LEAST_DAMPER 1e-2
// A displacement has settled when at most this fraction of it remains.
#define SETTLED 0.02
// The joints have no modes if an eigenvalue of M is below this fraction of the largest.
#define MASSLESS 1e-13
// The Jacobi rotations end when all numbers off the diagonal are below this fraction of the trace.
#define DIAGONAL 1e-14

/// The motion of a link per unit velocity of a joint: `move`, the velocity of its centre of mass,
/// world; `turn`, its angular velocity, in the frame of Binding.inertia.
typedef struct Screw {
    PoiseVec3 move;
    PoiseVec3 turn;
} Screw;

/// The modes of a rest with n velocities: n x n matrices, or n numbers "by velocity".
typedef struct Modes {
    int n;
    double* mass;   ///< the inertia matrix M, later scratch
    double* matrix; ///< the stiffness matrix K, then the diagonal matrix of w_j^2
    double* shapes; ///< the modes' shapes: column j is phi_j
    double* damper; ///< by velocity: the diagonal of D
    double* g;      ///< the matrix G of the normal equations (see the head)
    double* power;  ///< the matrices A, exp(A t) and its square: 2 n x 2 n each
    Screw* screws;  ///< by velocity: motion of the link whose inertia add_link adds
    Arrays arrays;
} Modes;

// Fills `screws` for the link of binding b; 0 for joints that do not move the link.
static void fill_screws(const Statics* statics, int b, Modes* modes) {
    const RigState* state = &statics->state;
    const JointState* link = &state->joints[b];
    const PoiseVec3 centre = poise_pose_apply(link->link_world, link->of->com_link);
    // take frames from the statics' state: the copy's bodies may be at another rest
    const PoiseQuat to_inertia =
        poise_quat_mul(link->of->link_in_body.q, poise_quat_conjugate(link->link_world.q));
    memset(modes->screws, 0, (size_t)modes->n * sizeof *modes->screws);
    for (int at = b; at != NO_BINDING; at = state->rig->bindings[at].parent) {
        const JointState* joint = &state->joints[at];
        const PoiseVec3 arm = poise_sub(centre, poise__joint_pivot(joint));
        PoiseVec3 axes[POISE_MAX_NV];
        poise__joint_axes(joint, axes);
        for (int d = 0; d < joint->of->type->nv; d++) {
            Screw* screw = &modes->screws[state->press.first[at] + d];
            const bool about = poise__sort(joint->of->type, d) == ABOUT;
            screw->move = about ? poise_cross(axes[d], arm) : axes[d];
            screw->turn = about ? poise_quat_rotate(to_inertia, axes[d]) : screw->turn;
        }
    }
}

// Adds the inertia of the link of binding b to M = sum of J^T (m, I) J.
static void add_link(const Statics* statics, int b, Modes* modes) {
    const Binding* binding = statics->state.joints[b].of;
    fill_screws(statics, b, modes);
    for (int k = 0; k < modes->n; k++) {
        const Screw* screw = &modes->screws[k];
        const PoiseVec3 force = poise_scale(binding->mass, screw->move);
        const PoiseVec3 torque = poise__symmetric_times(binding->inertia, screw->turn);
        for (int row = 0; row < modes->n; row++) {
            modes->mass[row * modes->n + k] += poise_dot(modes->screws[row].move, force) +
                                               poise_dot(modes->screws[row].turn, torque);
        }
    }
}

static bool open_modes(Modes* modes, const Design* d) {
    const int n = modes->n = d->rests[0].statics.count;
    const BlockArray list[] = {
        BLOCK_ARRAY(modes->mass, n * n),      BLOCK_ARRAY(modes->matrix, n * n),
        BLOCK_ARRAY(modes->shapes, n * n),    BLOCK_ARRAY(modes->damper, n),
        BLOCK_ARRAY(modes->screws, n),        BLOCK_ARRAY(modes->g, n * n),
        BLOCK_ARRAY(modes->power, 12 * n * n)};
    return poise__arrays_open(&modes->arrays, d->arrays.host, list, sizeof list / sizeof *list);
}

// Rotates rows and columns p and q of the symmetric matrix a so that a_pq becomes 0, and the
// columns of the eigenvectors v (a Jacobi rotation).
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

// Fills the shapes and, on the diagonal of `matrix`, w_j^2. False if the joints have no modes.
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
    bool free = status == POISE_OK && tangent.fixed == 0;
    for (int i = 0; free && i < n; i++) {
        for (int k = 0; k < n; k++) {
            const double sum =
                tangent.matrix[i * tangent.size + k] + tangent.matrix[k * tangent.size + i];
            modes->matrix[i * n + k] = 0.5 * sum / (tangent.scale[i] * tangent.scale[k]);
        }
    }
    poise__tangent_close(&tangent);
    // V, m: eigenvectors, eigenvalues of M; W, w^2: those of S^T K S, where S = V diag(1 /
    // sqrt(m)); Phi = S W
    diagonalise(modes->mass, modes->shapes, n);
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = poise_max(most, modes->mass[i * n + i]);
    }
    for (int k = 0; k < n; k++) {
        const double mass = modes->mass[k * n + k];
        free = free && mass > MASSLESS * most;
        for (int i = 0; i < n && free; i++) {
            modes->shapes[i * n + k] /= sqrt(mass);
        }
    }
    if (!free) {
        return false;
    }
    poise__numbers_multiply(modes->matrix, modes->shapes, modes->g, n);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int m = 0; m < n; m++) {
                sum += modes->shapes[m * n + i] * modes->g[m * n + k];
            }
            modes->matrix[i * n + k] = sum;
        }
    }
    diagonalise(modes->matrix, modes->mass, n);
    poise__numbers_multiply(modes->shapes, modes->mass, modes->g, n);
    memcpy(modes->shapes, modes->g, (size_t)(n * n) * sizeof *modes->shapes);
    return true;
}

// Returns the wished damping ratio z_j of a mode of frequency w, rad/s.
static double ratio_of(const PoiseDesignDef* def, double w) {
    const double rate = def->settling_time > 0.0 ? -poise_log(SETTLED) / def->settling_time : 0.0;
    return poise_max(def->damping_ratio, poise_min(1.0, rate / w));
}

// Fills the matrix G of the normal equations. A mode without stiffness (w = 0) is left out.
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

// Adds the terms of a rest to the normal equations of the dampers.
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

// ------------------------------------------------------------------------------------------- decay

// Fills `damper` of all joints; unknowns take theirs from `dampers`, at least the natural spring's.
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

// Divides a matrix by its largest row sum of absolute values, and returns this norm.
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

// Fills A of the first-order system (W y, y')' = A (W y, y'), where y are the coordinates of the
// modes and W = diag(w_j): A = (0, W; -W, -Phi^T D Phi).
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

// Returns the slowest rate of decay, 1/s. Squares exp(A t), from a short t on, until its norm falls
// at a constant rate.
static double slowest_rate(Modes* modes) {
    const int n = 2 * modes->n;
    double *a = modes->power, *e = a + n * n, *other = e + n * n;
    fill_system(modes, a);
    double t = SHORT / poise_max(normalise(a, n), 1e-12);
    poise__numbers_multiply(a, a, e, n);
    for (int i = 0; i < n * n; i++) {
        e[i] = (i % (n + 1) == 0) + SHORT * a[i] + 0.5 * SHORT * SHORT * e[i];
    }
    double before = poise_log(normalise(e, n)); // log of the norm of exp(A t) at time t
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
        if (k > 14 && fabs(rate - was) <= 1e-4 * fabs(rate)) {
            break;
        }
    }
    return rate;
}

// Returns the settling time of the slowest mode at all rests, s; infinity if a rest has no modes.
static double settling_time(Design* d, const double* dampers, Modes* modes) {
    double slowest = HUGE_VAL;
    for (int r = 0; r < d->rest_count; r++) {
        // `modes` already has the modes of a single rest
        const bool known = d->rest_count == 1 || find_modes(d, r, modes);
        fill_dampers(d, dampers, modes);
        slowest = known ? poise_min(slowest, slowest_rate(modes)) : 0.0;
    }
    return slowest > 0.0 ? -poise_log(SETTLED) / slowest : HUGE_VAL;
}

// Multiplies and divides one damper after another by a factor, and keeps each change that lowers
// the settling time, until the wished time is met. Returns the settling time, s.
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
        memset(d->trial, 0, (size_t)d->count * sizeof *d->trial);
        poise__design_descend(d, 0.0, HUGE_VAL, d->trial);
        result->settling_time = shorten(d, d->trial, &modes);
        for (int i = 0; i < d->count; i++) {
            const Binding* binding = d->unknowns[i].binding;
            const double original = binding->original[poise__binding_main_sort(binding)].damping;
            springs[i].ik.damping = poise_max(d->trial[i] - original, 0.0);
        }
    }
    poise__arrays_close(&modes.arrays);
    return POISE_OK;
}
