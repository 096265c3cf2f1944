// SPDX-License-Identifier: MIT
// Solves a group of bodies that joints and contacts connect: makes rows, factors, solves for motors
// at their limits and for contacts, and adds the forces to the bodies. A motor's row begins in the
// tree. If its force exceeds its limit, the row is pinned: its force is the limit until the row's
// speed shows that less force is enough. Rows still pinned after PIN_ROUNDS rounds become bounded
// rows of the LCP for the rest of the step, so that the rounds end.
#include <math.h>
#include <string.h>

#include "exact.h"
#include "lanes.h"
#include "shared/clones.h"

// rounding error by which a motor's force may exceed its limits, as a fraction of their difference
static const double BEYOND = 1e-11;
// relative rounding error of a pinned row's speed
static const double ROUNDING = 1e-12;
// largest |d - J a - C lambda| of a row, as a fraction of the row's terms; typical values are 1e-14
static const double LEFT_OVER = 1e-10;

enum {
    /// Largest number of rounds in which motors are pinned and freed; most steps need one or two.
    PIN_ROUNDS = 8
};

// ------------------------------------------------------------------------------------------ bodies

/// Fills node->base with M v / h + f, the right side without forces of rows.
static void set_base(ExactNode* node, dBodyID body, const double* spin, double h) {
    const dReal* v = dBodyGetLinearVel(body);
    const dReal* force = dBodyGetForce(body);
    const dReal* torque = dBodyGetTorque(body);
    for (int k = 0; k < 3; k++) {
        node->before[k] = (double)force[k];
        node->before[3 + k] = (double)torque[k];
        node->base[k] = node->mass * (double)v[k] / h + node->before[k];
        node->base[3 + k] = spin[k] / h + node->before[3 + k];
    }
}

/// Adds ODE's implicit gyroscopic torque (I (I - h [L x])^-1 L - L) / h, with the angular momentum
/// L = I w in `spin`.
static void add_gyroscopic(ExactNode* node, const double* spin, double h) {
    double column[3][3]; // columns of I - h [L x]
    for (int c = 0; c < 3; c++) {
        double unit[3] = {0.0, 0.0, 0.0};
        double turned[3];
        unit[c] = 1.0;
        cross(spin, unit, turned);
        for (int r = 0; r < 3; r++) {
            column[c][r] = node->inertia[r][c] - h * turned[r];
        }
    }
    // solves by Cramer's rule
    double minor[3][3];
    for (int c = 0; c < 3; c++) {
        cross(column[(c + 1) % 3], column[(c + 2) % 3], minor[c]);
    }
    const double determinant =
        column[0][0] * minor[0][0] + column[0][1] * minor[0][1] + column[0][2] * minor[0][2];
    if (!(fabs(determinant) > 0.0)) {
        return;
    }
    double speed[3];
    for (int c = 0; c < 3; c++) {
        speed[c] =
            (minor[c][0] * spin[0] + minor[c][1] * spin[1] + minor[c][2] * spin[2]) / determinant;
    }
    for (int r = 0; r < 3; r++) {
        const double* row = node->inertia[r];
        node->base[3 + r] +=
            (row[0] * speed[0] + row[1] * speed[1] + row[2] * speed[2] - spin[r]) / h;
    }
}

static void prepare_body(PoiseExact* x, int body, const dReal* gravity) {
    ExactNode* node = &x->nodes[body];
    const dBodyID id = x->bodies[body].id;
    dMass mass;
    dMatrix3 half;
    dMatrix3 inertia;
    dBodyGetMass(id, &mass);
    const dReal* rotation = dBodyGetRotation(id);
    dMultiply2_333(half, mass.I, rotation);
    dMultiply0_333(inertia, rotation, half);
    const dReal* w = dBodyGetAngularVel(id);
    double spin[3];
    node->mass = (double)mass.mass;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            node->inertia[r][c] = (double)inertia[4 * r + c];
        }
        const double* row = node->inertia[r];
        spin[r] = row[0] * (double)w[0] + row[1] * (double)w[1] + row[2] * (double)w[2];
    }
    memset(node->applied, 0, sizeof node->applied);
    set_base(node, id, spin, x->h);
    if (dBodyGetGyroscopicMode(id)) {
        add_gyroscopic(node, spin, x->h);
    }
    for (int k = 0; k < 3 && dBodyGetGravityMode(id); k++) {
        node->base[k] += node->mass * (double)gravity[k];
    }
}

static void list_bodies(PoiseExact* x, int component) {
    x->group_count = 0;
    for (int c = component; c != EXACT_NONE; c = x->components[c].next) {
        for (int i = 0; i < x->components[c].count; i++) {
            x->group_bodies[x->group_count++] = x->components[c].first + i;
        }
    }
}

// -------------------------------------------------------------------------------------------- rows

static bool make_rows(PoiseExact* x, int component) {
    x->row_count = 0;
    x->owner_count = 0;
    for (int i = 0; i < x->group_count; i++) {
        const ExactBody* body = &x->bodies[x->group_bodies[i]];
        for (int j = body->first_joint; j < body->first_joint + body->joint_count; j++) {
            if (dJointIsEnabled(x->joints[j].id) && !poise__exact_joint_rows(x, &x->joints[j])) {
                return false;
            }
        }
    }
    for (int c = component; c != EXACT_NONE; c = x->components[c].next) {
        for (int k = x->components[c].contacts; k != EXACT_NONE; k = x->contacts[k].next) {
            if (dJointIsEnabled(x->contacts[k].id) &&
                !poise__exact_contact_rows(x, &x->contacts[k])) {
                return false;
            }
        }
    }
    return true;
}

/// Appends rows outside the tree, from row `first` on, to the extras: rows of friction or other
/// rows, pinned or not. Returns their number.
static int list_extras(PoiseExact* x, int first, bool friction, bool pinned) {
    int end = first;
    for (int k = 0; k < x->row_count; k++) {
        ExactRow* row = &x->rows[k];
        if (!row->in_tree && (row->normal != EXACT_NONE) == friction && (row->pin != 0) == pinned) {
            x->extras[end++] = k;
            row->force = row->pin == 0 ? 0.0 : row->pin > 0 ? row->high : row->low;
        }
    }
    return end - first;
}

/// Assigns each row to the tree or to the extras: rows of the LCP, then pinned rows. Friction is
/// last in the LCP: its bounds follow from the normal forces, and the factor of the rows before it
/// is reused.
static void sort_rows(PoiseExact* x) {
    x->limited_rows = 0;
    for (int i = 0; i < x->group_count; i++) {
        x->nodes[x->group_bodies[i]].row_count = 0;
    }
    for (int k = 0; k < x->row_count; k++) {
        ExactRow* row = &x->rows[k];
        ExactNode* node = row->link == EXACT_NONE ? NULL : &x->nodes[row->link];
        row->in_tree = node && !row->left_tree && row->pin == 0 && row->low < 0.0 &&
                       row->high > 0.0 && node->row_count < EXACT_TREE_ROWS;
        if (row->in_tree) {
            node->row[node->row_count++] = k;
            x->limited_rows += row->low > -HUGE_VAL || row->high < HUGE_VAL;
        }
    }
    x->extra_count = list_extras(x, 0, false, false);
    x->extra_count += list_extras(x, x->extra_count, true, false);
    x->pinned_count = list_extras(x, x->extra_count, false, true);
}

/// Pins the tree's rows whose forces exceed their limits. Frees pinned rows whose speed exceeds the
/// target in the direction of their force. True if it pinned or freed a row.
static bool revise_pins(PoiseExact* x) {
    bool any = false;
    for (int k = 0; k < x->row_count; k++) {
        ExactRow* row = &x->rows[k];
        if (row->pin != 0) {
            const double speed = poise__exact_row_speed(x, row) - row->d;
            const double margin = ROUNDING * (fabs(row->d) + fabs(row->softness * row->force));
            if (row->pin * speed > margin) {
                row->pin = 0;
                any = true;
            }
            continue;
        }
        const double margin = BEYOND * (row->high - row->low);
        if (row->in_tree && row->force > row->high + margin) {
            row->pin = 1;
            any = true;
        } else if (row->in_tree && row->force < row->low - margin) {
            row->pin = -1;
            any = true;
        }
    }
    return any;
}

// ----------------------------------------------------------------------------------------- solving

/// Sets the LCP's bounds. If `friction` is false, rows of friction have the bounds 0; otherwise
/// those that the normal forces allow.
static void set_bounds(PoiseExact* x, bool friction) {
    for (int e = 0; e < x->extra_count; e++) {
        const ExactRow* row = &x->rows[x->extras[e]];
        x->lcp.low[e] = row->low;
        x->lcp.high[e] = row->high;
        if (row->normal != EXACT_NONE) {
            const double force = friction ? x->rows[row->normal].normal_force : 0.0;
            x->lcp.high[e] = force == 0.0 ? 0.0 : fabs(row->high * force);
            x->lcp.low[e] = -x->lcp.high[e];
            poise__exact_lcp_wait(&x->lcp, e);
        }
    }
}

/// Factors the tree and sets up the LCP for it.
static bool begin_round(PoiseExact* x) {
    for (int e = 0; e < x->extra_count; e++) {
        x->rows[x->extras[e]].force = 0.0;
    }
    if (!poise__exact_factor(x) || (x->extra_count > 0 && !poise__exact_schur(x))) {
        return false;
    }
    poise__exact_solve(x);
    if (x->extra_count > 0) {
        poise__exact_lacks(x);
    }
    for (int e = 0; e < x->extra_count; e++) {
        poise__exact_lcp_wait(&x->lcp, e);
    }
    return true;
}

/// Solves for the tree's bodies and rows, given the LCP's forces.
static void apply_forces(PoiseExact* x) {
    bool any = false;
    for (int e = 0; e < x->extra_count; e++) {
        x->rows[x->extras[e]].force = x->lcp.x[e];
        any = any || x->lcp.x[e] != 0.0;
    }
    if (any) {
        poise__exact_solve(x);
    }
}

/// Fills the LCP's column with the residuals d - J a - C lambda of its free rows. True if a
/// residual is above rounding.
static bool find_rest(PoiseExact* x) {
    bool lacks = false;
    for (int k = 0; k < x->lcp.free_count; k++) {
        const int e = x->lcp.free_rows[k];
        const ExactRow* row = &x->rows[x->extras[e]];
        const double rest = row->d - poise__exact_row_speed(x, row);
        const double own = x->lcp.matrix[(size_t)e * (size_t)(x->extra_count + 1)] * row->force;
        x->lcp.column[k] = rest;
        lacks = lacks || fabs(rest) > LEFT_OVER * (fabs(x->lcp.q[e]) + fabs(own));
    }
    return lacks;
}

static bool solve_rows(PoiseExact* x) {
    bool friction = false;
    for (int k = 0; k < x->row_count; k++) {
        friction = friction || x->rows[k].normal != EXACT_NONE;
    }
    bool with_friction = false;
    bool fresh = false; // the LCP is set up for the present division of rows
    for (int rounds = 0;; rounds++) {
        if (!fresh) {
            // after PIN_ROUNDS rounds, move all pinned rows to the LCP for the rest of this step
            for (int k = 0; rounds >= PIN_ROUNDS && k < x->row_count; k++) {
                ExactRow* row = &x->rows[k];
                row->left_tree = row->left_tree || row->pin != 0;
                row->pin = 0;
            }
            sort_rows(x);
            if (!begin_round(x)) {
                return false;
            }
            fresh = true;
        }
        if (x->extra_count > 0) {
            set_bounds(x, with_friction);
            if (!poise__exact_lcp_solve(&x->lcp)) {
                return false;
            }
            if (with_friction || !friction || x->limited_rows + x->pinned_count > 0) {
                apply_forces(x);
                // corrects once: in loops near a singular posture forces nearly cancel
                if (find_rest(x)) {
                    poise__exact_lcp_correct(&x->lcp);
                    apply_forces(x);
                }
            }
        }
        if (revise_pins(x)) {
            fresh = false;
            continue;
        }
        if (!friction || with_friction) {
            return true;
        }
        // now that the normal forces are final, ODE's bounds of friction follow from them
        for (int e = 0; e < x->extra_count; e++) {
            x->rows[x->extras[e]].normal_force = x->lcp.x[e];
        }
        with_friction = true;
    }
}

// --------------------------------------------------------------------------------------- hand over

static void add_feedback(const PoiseExact* x, const ExactRow* row) {
    const ExactOwner* owner = &x->owners[row->owner];
    dJointFeedback* feedback = owner->feedback;
    for (int c = 0; feedback && c < 3; c++) {
        feedback->f1[c] += (dReal)(row->force * row->j[0][c]);
        feedback->t1[c] += (dReal)(row->force * row->j[0][3 + c]);
        if (owner->pair) {
            feedback->f2[c] += (dReal)(row->force * row->j[1][c]);
            feedback->t2[c] += (dReal)(row->force * row->j[1][3 + c]);
        }
    }
}

static void clear_feedback(const ExactOwner* owner) {
    dJointFeedback* feedback = owner->feedback;
    for (int c = 0; feedback && c < 4; c++) {
        feedback->f1[c] = feedback->t1[c] = 0.0;
        if (owner->pair) {
            feedback->f2[c] = feedback->t2[c] = 0.0;
        }
    }
}

/// Fills the force to add to the body: M a - base, where ODE itself applies `base`. The body's
/// velocity then becomes h a. Adding the forces of the rows instead would also add their rounding
/// errors, which move a light body far.
static void find_force(const ExactNode* node, double* force) {
    for (int c = 0; c < 3; c++) {
        const double* row = node->inertia[c];
        const double* turn = node->a + 3;
        force[c] = node->mass * node->a[c] - node->base[c];
        force[3 + c] = row[0] * turn[0] + row[1] * turn[1] + row[2] * turn[2] - node->base[3 + c];
    }
}

/// Adds the rows' forces to the bodies and to the joints' feedback, and lists the joints that are
/// disabled during dWorldStep.
static void hand_over(PoiseExact* x) {
    for (int i = 0; i < x->group_count; i++) {
        double f[6];
        const dBodyID body = x->bodies[x->group_bodies[i]].id;
        ExactNode* node = &x->nodes[x->group_bodies[i]];
        find_force(node, f);
        node->loaded = true;
        dBodyAddForce(body, (dReal)f[0], (dReal)f[1], (dReal)f[2]);
        dBodyAddTorque(body, (dReal)f[3], (dReal)f[4], (dReal)f[5]);
    }
    for (int k = 0; k < x->owner_count; k++) {
        clear_feedback(&x->owners[k]);
        x->off[x->off_count++] = x->owners[k].id;
    }
    for (int k = 0; k < x->row_count; k++) {
        add_feedback(x, &x->rows[k]);
    }
}

static bool is_finite_result(const PoiseExact* x) {
    double sum = 0.0;
    for (int i = 0; i < x->group_count; i++) {
        for (int c = 0; c < 6; c++) {
            sum += x->nodes[x->group_bodies[i]].a[c];
        }
    }
    return isfinite(sum);
}

POISE_CLONES bool poise__exact_group(PoiseExact* x, int component) {
    list_bodies(x, component);
    dVector3 gravity;
    dWorldGetGravity(x->world, gravity);
    for (int i = 0; i < x->group_count; i++) {
        prepare_body(x, x->group_bodies[i], gravity);
    }
    if (!make_rows(x, component)) {
        return false;
    }
    x->extras = (int*)poise__exact_reserve(x, EXACT_EXTRAS, (size_t)x->row_count + 1, sizeof(int));
    x->off = (dJointID*)poise__exact_reserve(
        x, EXACT_OFF, (size_t)(x->off_count + x->owner_count) + 1, sizeof(dJointID));
    if (x->out_of_memory || !solve_rows(x)) {
        return false;
    }
    if (!is_finite_result(x)) {
        x->lost = true;
        return false;
    }
    hand_over(x);
    return true;
}
