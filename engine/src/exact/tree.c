// SPDX-License-Identifier: MIT
// Eliminates the bodies from the leaves to the roots (Baraff 1996). J_c and J_p are the rows
// between a body (child) and its parent, D is the inertia accumulated at the body:
//     D = M + sum over children of Y'Y,   K = C + J_c D^-1 J_c',   Y = K^-1/2 J_p.
// group.c makes the rows before; schur.c adds the rows outside the tree.
#include <math.h>
#include <string.h>

#include "exact.h"
#include "lanes.h"
#include "shared/clones.h"

typedef double Six[6];

// matrices of 6 x 6 stay in registers only if the loops are unrolled
#ifdef __clang__
#define UNROLLED _Pragma("unroll")
#else
#define UNROLLED _Pragma("GCC unroll 6")
#endif

/// Replaces the upper half of A by the upper triangular factor U of A = U'U; does not read the
/// lower half. `inverse` gets 1 / U[k][k]. False if a pivot is not positive.
static inline bool factor_six(Six* a, double* inverse) {
    bool positive = true;
    UNROLLED
    for (int k = 0; k < 6; k++) {
        Two row[3] = {twos(a[k])[0], twos(a[k])[1], twos(a[k])[2]};
        UNROLLED
        for (int m = 0; m < k; m++) {
            const Two t = {a[m][k], a[m][k]};
            UNROLLED
            for (int c = k / 2; c < 3; c++) {
                row[c] -= t * twos(a[m])[c];
            }
        }
        const double pivot = row[k / 2][k % 2];
        positive = positive && pivot > 0.0;
        inverse[k] = 1.0 / sqrt(pivot);
        const Two s = {inverse[k], inverse[k]};
        UNROLLED
        for (int c = k / 2; c < 3; c++) {
            twos(a[k])[c] = row[c] * s;
        }
    }
    return positive;
}

/// Replaces the six columns of X by those of U'^-1 X, two at once (U from factor_six).
static inline void forward_six(const Six* u, const double* inverse, Six* x) {
    UNROLLED
    for (int c = 0; c < 3; c++) {
        Two column[6];
        UNROLLED
        for (int k = 0; k < 6; k++) {
            column[k] = twos(x[k])[c];
        }
        UNROLLED
        for (int k = 0; k < 6; k++) {
            column[k] *= (Two){inverse[k], inverse[k]};
            UNROLLED
            for (int j = k + 1; j < 6; j++) {
                column[j] -= (Two){u[k][j], u[k][j]} * column[k];
            }
        }
        UNROLLED
        for (int k = 0; k < 6; k++) {
            twos(x[k])[c] = column[k];
        }
    }
}

/// Adds X'X to the upper half of the symmetric matrix A.
static inline void add_square(Six* a, const Six* x) {
    UNROLLED
    for (int r = 0; r < 6; r++) {
        Two sum[3] = {twos(a[r])[0], twos(a[r])[1], twos(a[r])[2]};
        UNROLLED
        for (int k = 0; k < 6; k++) {
            const Two t = {x[k][r], x[k][r]};
            UNROLLED
            for (int c = r / 2; c < 3; c++) {
                sum[c] += t * const_twos(x[k])[c];
            }
        }
        UNROLLED
        for (int c = r / 2; c < 3; c++) {
            twos(a[r])[c] = sum[c];
        }
    }
}

/// Replaces the vector x by U'^-1 x (U from factor_six).
static inline void forward(const Six* u, const double* inverse, double* x) {
    UNROLLED
    for (int k = 0; k < 6; k++) {
        x[k] *= inverse[k];
        UNROLLED
        for (int j = k + 1; j < 6; j++) {
            x[j] -= u[k][j] * x[k];
        }
    }
}

/// Replaces the vector x by U^-1 x (U from factor_six).
static inline void backward(const Six* u, const double* inverse, double* x) {
    UNROLLED
    for (int k = 5; k >= 0; k--) {
        UNROLLED
        for (int j = k + 1; j < 6; j++) {
            x[k] -= u[k][j] * x[j];
        }
        x[k] *= inverse[k];
    }
}

/// Adds s A'x to the vector y.
static inline void add_transposed(const Six* a, const double* x, double s, double* y) {
    Two sum[3] = {twos(y)[0], twos(y)[1], twos(y)[2]};
    UNROLLED
    for (int k = 0; k < 6; k++) {
        const Two factor = {s * x[k], s * x[k]};
        UNROLLED
        for (int c = 0; c < 3; c++) {
            sum[c] += factor * const_twos(a[k])[c];
        }
    }
    UNROLLED
    for (int c = 0; c < 3; c++) {
        twos(y)[c] = sum[c];
    }
}

static inline double dot(const double* a, const double* b) {
    const Two sum = const_twos(a)[0] * const_twos(b)[0] + const_twos(a)[1] * const_twos(b)[1] +
                    const_twos(a)[2] * const_twos(b)[2];
    return sum[0] + sum[1];
}

/// Fills the rows between the body and its parent: J_c' in w, J_p in y. A missing row has J = 0 and
/// softness 1.
static void gather_rows(const PoiseExact* x, int body, double* softness) {
    ExactNode* node = &x->nodes[body];
    memset(node->w, 0, sizeof node->w);
    memset(node->y, 0, sizeof node->y);
    for (int k = 0; k < 6; k++) {
        softness[k] = 1.0;
    }
    for (int k = 0; k < node->row_count; k++) {
        const ExactRow* row = &x->rows[node->row[k]];
        const int side = row->body[0] == body ? 0 : 1;
        for (int c = 0; c < 6; c++) {
            node->w[c][k] = row->j[side][c];
        }
        if (row->body[!side] != EXACT_NONE) {
            memcpy(node->y[k], row->j[!side], sizeof node->y[k]);
        }
        softness[k] = row->softness;
    }
}

static void add_inertia(ExactNode* node) {
    for (int r = 0; r < 3; r++) {
        node->u[r][r] += node->mass;
        for (int c = 0; c < 3; c++) {
            node->u[3 + r][3 + c] += node->inertia[r][c];
        }
    }
}

POISE_CLONES bool poise__exact_factor(PoiseExact* x) {
    for (int i = 0; i < x->group_count; i++) {
        ExactNode* node = &x->nodes[x->group_bodies[i]];
        memset(node->u, 0, sizeof node->u);
        add_inertia(node);
    }
    for (int i = x->group_count - 1; i >= 0; i--) {
        const int body = x->group_bodies[i];
        ExactNode* node = &x->nodes[body];
        if (!factor_six(node->u, node->u_inverse)) {
            return false;
        }
        if (node->row_count == 0) {
            continue;
        }
        double softness[6];
        gather_rows(x, body, softness);
        forward_six((const Six*)node->u, node->u_inverse, node->w);
        memset(node->v, 0, sizeof node->v);
        for (int k = 0; k < 6; k++) {
            node->v[k][k] = softness[k];
        }
        add_square(node->v, (const Six*)node->w);
        if (!factor_six(node->v, node->v_inverse)) {
            return false;
        }
        const int parent = x->bodies[body].parent;
        if (parent != EXACT_NONE) {
            forward_six((const Six*)node->v, node->v_inverse, node->y);
            add_square(x->nodes[parent].u, (const Six*)node->y);
        }
    }
    return true;
}

/// Fills the load of each body: its own forces, and the forces of the rows outside the tree.
static void load_bodies(PoiseExact* x) {
    for (int i = 0; i < x->group_count; i++) {
        ExactNode* node = &x->nodes[x->group_bodies[i]];
        for (int c = 0; c < 6; c++) {
            node->b[c] = node->base[c] + node->applied[c];
        }
    }
    for (int e = 0; e < x->extra_count + x->pinned_count; e++) {
        const ExactRow* row = &x->rows[x->extras[e]];
        for (int side = 0; side < 2 && row->force != 0.0; side++) {
            if (row->body[side] != EXACT_NONE) {
                double* b = x->nodes[row->body[side]].b;
                for (int c = 0; c < 6; c++) {
                    b[c] += row->force * row->j[side][c];
                }
            }
        }
    }
}

static void eliminate(PoiseExact* x, int body) {
    ExactNode* node = &x->nodes[body];
    memcpy(node->x, node->b, sizeof node->x);
    forward((const Six*)node->u, node->u_inverse, node->x);
    if (node->row_count == 0) {
        return;
    }
    for (int k = 0; k < 6; k++) {
        node->f[k] = k < node->row_count ? x->rows[node->row[k]].d : 0.0;
    }
    add_transposed((const Six*)node->w, node->x, -1.0, node->f);
    forward((const Six*)node->v, node->v_inverse, node->f);
    const int parent = x->bodies[body].parent;
    if (parent != EXACT_NONE) {
        add_transposed((const Six*)node->y, node->f, 1.0, x->nodes[parent].b);
    }
}

static void substitute(PoiseExact* x, int body) {
    ExactNode* node = &x->nodes[body];
    memcpy(node->a, node->x, sizeof node->a);
    if (node->row_count > 0) {
        double force[6];
        memcpy(force, node->f, sizeof force);
        const int parent = x->bodies[body].parent;
        if (parent != EXACT_NONE) {
            for (int k = 0; k < 6; k++) {
                force[k] -= dot(node->y[k], x->nodes[parent].a);
            }
        }
        backward((const Six*)node->v, node->v_inverse, force);
        for (int k = 0; k < 6; k++) {
            node->a[k] += dot(node->w[k], force);
        }
        for (int k = 0; k < node->row_count; k++) {
            x->rows[node->row[k]].force = force[k];
        }
    }
    backward((const Six*)node->u, node->u_inverse, node->a);
}

POISE_CLONES void poise__exact_solve(PoiseExact* x) {
    load_bodies(x);
    for (int i = x->group_count - 1; i >= 0; i--) {
        eliminate(x, x->group_bodies[i]);
    }
    for (int i = 0; i < x->group_count; i++) {
        substitute(x, x->group_bodies[i]);
    }
}

double poise__exact_row_speed(const PoiseExact* x, const ExactRow* row) {
    double speed = row->softness * row->force;
    for (int side = 0; side < 2; side++) {
        if (row->body[side] != EXACT_NONE) {
            speed += dot(row->j[side], x->nodes[row->body[side]].a);
        }
    }
    return speed;
}

void poise__exact_walk(const PoiseExact* x, int body, double load[6], double part[12]) {
    const ExactNode* node = &x->nodes[body];
    double* f = part + 6;
    memcpy(part, load, 6 * sizeof *part);
    memset(f, 0, 6 * sizeof *f);
    memset(load, 0, 6 * sizeof *load);
    forward((const Six*)node->u, node->u_inverse, part);
    if (node->row_count > 0) {
        add_transposed((const Six*)node->w, part, -1.0, f);
        forward((const Six*)node->v, node->v_inverse, f);
        add_transposed((const Six*)node->y, f, 1.0, load);
    }
}
