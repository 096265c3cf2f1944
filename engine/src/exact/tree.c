// SPDX-License-Identifier: MIT
// Eliminates the bodies from the leaves to the roots (Baraff 1996). With J_c, J_p the rows between
// a body and its parent and D the inertia accumulated at the body:
//     D = M + sum over children of Y'Y,   K = C + J_c D^-1 J_c',   Y = K^-1/2 J_p.
// The rows of the group come before it; schur.c adds the rows that are not in the tree.
#include <math.h>
#include <string.h>

#include "exact.h"

typedef double Six[6];

/// A := U, upper, with A = U'U, by rows; `inverse` gets 1 / U[k][k]. Returns the least pivot; NaN
/// is returned as -1.
static double factor_six(Six* a, double* inverse) {
    double least = HUGE_VAL;
    for (int k = 0; k < 6; k++) {
        const double pivot = a[k][k];
        least = pivot < least ? pivot : least;
        if (!(pivot > 0.0)) {
            return -1.0;
        }
        const double s = 1.0 / sqrt(pivot);
        inverse[k] = s;
        for (int c = 0; c < 6; c++) {
            a[k][c] *= s;
        }
        for (int j = k + 1; j < 6; j++) {
            const double t = a[k][j];
            for (int c = 0; c < 6; c++) {
                a[j][c] -= t * a[k][c];
            }
        }
    }
    return least;
}

/// X := U'^-1 X for six columns at once.
static void forward_six(const Six* restrict u, const double* restrict inverse, Six* restrict x) {
    for (int k = 0; k < 6; k++) {
        for (int c = 0; c < 6; c++) {
            x[k][c] *= inverse[k];
        }
        for (int j = k + 1; j < 6; j++) {
            const double t = u[k][j];
            for (int c = 0; c < 6; c++) {
                x[j][c] -= t * x[k][c];
            }
        }
    }
}

/// A += X'X.
static void add_square(Six* restrict a, const Six* restrict x) {
    for (int r = 0; r < 6; r++) {
        for (int k = 0; k < 6; k++) {
            const double t = x[k][r];
            for (int c = 0; c < 6; c++) {
                a[r][c] += t * x[k][c];
            }
        }
    }
}

/// x := U'^-1 x.
static void forward(const Six* restrict u, const double* restrict inverse, double* restrict x) {
    for (int k = 0; k < 6; k++) {
        x[k] *= inverse[k];
        for (int j = k + 1; j < 6; j++) {
            x[j] -= u[k][j] * x[k];
        }
    }
}

/// x := U^-1 x.
static void backward(const Six* restrict u, const double* restrict inverse, double* restrict x) {
    for (int k = 5; k >= 0; k--) {
        for (int j = k + 1; j < 6; j++) {
            x[k] -= u[k][j] * x[j];
        }
        x[k] *= inverse[k];
    }
}

/// y += s A'x.
static void add_transposed(const Six* restrict a, const double* restrict x, double s,
                           double* restrict y) {
    for (int k = 0; k < 6; k++) {
        const double t = s * x[k];
        for (int c = 0; c < 6; c++) {
            y[c] += t * a[k][c];
        }
    }
}

static double dot(const double* restrict a, const double* restrict b) {
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
}

/// Fills the link's rows: the body's side transposed in w, the parent's in y. A missing row is
/// one of softness 1 that nothing moves.
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

bool poise__exact_factor(PoiseExact* x) {
    for (int i = 0; i < x->group_count; i++) {
        ExactNode* node = &x->nodes[x->group_bodies[i]];
        memset(node->u, 0, sizeof node->u);
        add_inertia(node);
    }
    for (int i = x->group_count - 1; i >= 0; i--) {
        const int body = x->group_bodies[i];
        ExactNode* node = &x->nodes[body];
        if (!(factor_six(node->u, node->u_inverse) > 0.0)) {
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
        if (!(factor_six(node->v, node->v_inverse) > 0.0)) {
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

/// Loads each body: its own forces, and those of the rows outside the tree.
static void load_bodies(PoiseExact* x) {
    for (int i = 0; i < x->group_count; i++) {
        ExactNode* node = &x->nodes[x->group_bodies[i]];
        for (int c = 0; c < 6; c++) {
            node->b[c] = node->base[c] + node->applied[c];
        }
    }
    for (int e = 0; e < x->extra_count; e++) {
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

void poise__exact_solve(PoiseExact* x) {
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

void poise__exact_walk(const PoiseExact* x, int body, ExactHit* hit, double (*column)[6]) {
    const ExactNode* node = &x->nodes[body];
    memcpy(hit->u, column, sizeof hit->u);
    forward_six((const Six*)node->u, node->u_inverse, hit->u);
    memset(hit->f, 0, sizeof hit->f);
    memset(column, 0, sizeof hit->f);
    if (node->row_count == 0) {
        return;
    }
    for (int r = 0; r < 6; r++) {
        for (int k = 0; k < 6; k++) {
            const double t = node->w[k][r];
            for (int c = 0; c < 6; c++) {
                hit->f[r][c] -= t * hit->u[k][c];
            }
        }
    }
    forward_six((const Six*)node->v, node->v_inverse, hit->f);
    if (x->bodies[body].parent == EXACT_NONE) {
        return;
    }
    for (int r = 0; r < 6; r++) {
        for (int k = 0; k < 6; k++) {
            const double t = node->y[k][r];
            for (int c = 0; c < 6; c++) {
                column[r][c] += t * hit->f[k][c];
            }
        }
    }
}
