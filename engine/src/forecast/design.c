// SPDX-License-Identifier: MIT
// Finds IK stiffnesses p_i that give points a wished compliance C (m/N, rad/(N m)) along axes a, b.
// Let u_i = log p_i and X = K^-1 J^T, the displacements under unit loads: dC_ab/du_i = -p_i X_ia
// X_ib at a fixed posture. Gauss-Newton steps with Levenberg's damping and bounds minimise
//     sum log^2(C_aa / wish_a) + CROSS^2 sum C_ab^2 / (wish_a wish_b) + CHANGE^2 sum (u - u_0)^2.
#include "design_search.h"

#include <stdio.h>
#include <string.h>

#include "numbers.h"

// Weights of the sum's terms C_ab (two different axes) and u - u_0 (change of the springs).
#define CROSS  0.02
#define CHANGE 2e-3
// A compliance is met within this fraction of the wished one.
#define MET 0.01
// Default range of a stiffness, N m/rad or N/m.
#define LOWER 1.0
#define UPPER 1e6
// Largest number of steps of a descent, and of starts of the search.
enum { STEPS = 60, STARTS = 12 };
// Starts differ from the answer of the linear problem (solve_linear) by at most the factor e^SPREAD
// in each stiffness. They are points of a sequence with the golden ratio.
#define SPREAD 2.0
#define GOLDEN 0.6180339887498949
// A change of u moves the rest, which changes C. Motions below UNMOVED (rad or m) per unit of u are
// neglected; otherwise C is evaluated at the displacements -DISPLACED and DISPLACED, rad or m.
#define UNMOVED   1e-4
#define DISPLACED 1e-3
// Levenberg's damping at the start, and the damping at which a descent ends. A descent also ends
// with a step below SMALL_STEP in u, and after a step that lowers the sum by less than the fraction
// SMALL_GAIN.
#define DAMPING      1e-3
#define MOST_DAMPING 1e9
#define SMALL_STEP   1e-5
#define SMALL_GAIN   3e-3

PoiseComplianceWish poise_default_compliance_wish(void) {
    PoiseComplianceWish wish = {.axes = poise_quat_identity(),
                                .goal = {{0.0, 0.0, 0.0}, poise_quat_identity()}};
    for (int i = 0; i < 3; i++) {
        wish.along[i] = wish.about[i] = (double)NAN;
    }
    return wish;
}

// ------------------------------------------------------------------------------------------ checks

static bool is_rotation(PoiseQuat q) {
    const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    return square > 0.0 && !isinf(square);
}

static const char* wish_problem(const PoiseComplianceWish* wish) {
    int wishes = 0;
    for (int i = 0; i < LOADS; i++) {
        const double value = i < 3 ? wish->along[i] : wish->about[i - 3];
        const double most = i < 3 ? 1.0 : 100.0;
        wishes += !isnan(value);
        if (!isnan(value) && !(value > 0.0 && value < most)) {
            return i < 3 ? "a compliance along an axis is above 0 and below 1 m/N"
                         : "a compliance about an axis is above 0 and below 100 rad/(N m)";
        }
    }
    const PoiseVec3 p = wish->goal.p;
    return wishes == 0                ? "it wishes for nothing: set along or about"
           : !is_rotation(wish->axes) ? "its axes are no rotation"
           : wish->elsewhere && !(isfinite(p.x + p.y + p.z) && is_rotation(wish->goal.q))
               ? "its goal is no pose"
               : NULL;
}

static PoiseStatus check(PoiseRig* rig, const PoiseDesignDef* def,
                         const PoiseDesignedSpring* springs, const PoiseDesign* design) {
    const char* call = "poise_rig_design";
    if (!def || !design || !springs || !def->wishes || def->wish_count < 1 || def->node_count < 0 ||
        (def->node_count > 0 && !def->nodes)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: give it wishes, springs and a design", call);
    }
    for (int i = 0; i < def->wish_count; i++) {
        if (!poise_point_is_valid(rig->state.tree, def->wishes[i].point)) {
            return poise__rig_fail(
                rig, POISE_ERROR_INVALID_HANDLE,
                "%s: the point of wish %d is null, destroyed, or of another tree", call, i);
        }
        const char* wrong = wish_problem(&def->wishes[i]);
        if (wrong) {
            return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT, "%s: wish %d: %s", call, i,
                                   wrong);
        }
    }
    const double lower = def->lower > 0.0 || isnan(def->lower) ? def->lower : LOWER;
    const double upper = def->upper > 0.0 || isnan(def->upper) ? def->upper : UPPER;
    const bool numbers = def->lower >= 0.0 && def->upper >= 0.0 && lower < upper && isfinite(upper);
    const double others = poise_min(poise_min(def->damping_ratio, def->settling_time), def->step);
    const double sum = def->damping_ratio + def->settling_time + def->step;
    if (!numbers || !(others >= 0.0) || !isfinite(sum)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "%s: stiffnesses from %g to %g, a damping ratio of %g, a settling "
                               "time of %g s and a step of %g s; all are finite and not negative, "
                               "and the range is not empty",
                               call, lower, upper, def->damping_ratio, def->settling_time,
                               def->step);
    }
    return POISE_OK;
}

// ---------------------------------------------------------------------------------------- unknowns

static bool is_driven(const Binding* binding) {
    return binding->follows_ik && binding->ik[poise__binding_main_sort(binding)].stiffness > 0.0;
}

static bool is_unknown(const PoiseRig* rig, const PoiseDesignDef* def, const Binding* binding) {
    bool listed = false;
    for (int i = 0; i < def->wish_count && def->node_count == 0; i++) {
        listed = listed || poise__moves_point(rig->state.tree, def->wishes[i].point, binding->node);
    }
    for (int i = 0; i < def->node_count; i++) {
        listed = listed || poise__is_node(def->nodes[i], binding->node);
    }
    return listed && is_driven(binding);
}

static PoiseStatus check_nodes(PoiseRig* rig, const PoiseDesignDef* def, int capacity) {
    PoiseStatus status = poise__read_sets(rig);
    for (int i = 0; i < def->node_count && status >= 0; i++) {
        const Binding* binding = poise__binding(rig, def->nodes[i]);
        if (!binding || !is_driven(binding)) {
            status = poise__rig_fail(
                rig, binding ? POISE_ERROR_WRONG_KIND : POISE_ERROR_INVALID_HANDLE,
                "poise_rig_design: node %u %s", (unsigned)def->nodes[i].index1,
                binding ? "has no IK spring that the solver drives" : "is not bound");
        }
    }
    int count = 0;
    for (int b = 0; b < rig->binding_count && status >= 0; b++) {
        count += is_unknown(rig, def, &rig->bindings[b]);
    }
    return status < 0 || count <= capacity
               ? status
               : poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                                 "poise_rig_design: %d springs, and room for %d", count, capacity);
}

// Lists the springs to design, in the copied rig.
static void find_unknowns(Design* d, PoiseRig* rig) {
    for (int b = 0; b < rig->binding_count; b++) {
        Binding* binding = &rig->bindings[b];
        if (is_unknown(rig, d->def, binding)) {
            const Sort sort = poise__binding_main_sort(binding);
            d->variables[d->count] =
                (PoiseVariable){.kind = POISE_VARIABLE_IK_STIFFNESS, .node = binding->node};
            Unknown* unknown = &d->unknowns[d->count++];
            unknown->binding = binding;
            unknown->spring = &binding->ik[sort];
            unknown->was = *unknown->spring;
            for (int v = binding->type->nv - 1; v >= 0; v--) {
                if (poise__sort(binding->type, v) == sort) {
                    unknown->first = d->rests[0].statics.state.press.first[b] + v;
                    unknown->velocities++;
                }
            }
        }
    }
}

// ---------------------------------------------------------------------------------------- residual

static double wish_at(const PoiseComplianceWish* wish, int axis) {
    return axis < 3 ? wish->along[axis] : wish->about[axis - 3];
}

static PoiseVec3 axis_of(const PoiseComplianceWish* wish, int axis) {
    return poise_quat_rotate(wish->axes, poise_vec3(axis % 3 == 0, axis % 3 == 1, axis % 3 == 2));
}

// Lists the entries of C in the sum: all pairs a <= b of wished axes of a point, both translations
// or both rotations.
static void find_pairs(Design* d) {
    for (int w = 0; w < d->def->wish_count; w++) {
        for (int a = 0; a < LOADS; a++) {
            for (int b = a; b < (a < 3 ? 3 : LOADS); b++) {
                const PoiseComplianceWish* wish = &d->def->wishes[w];
                const double product = wish_at(wish, a) * wish_at(wish, b);
                if (!isnan(product)) {
                    d->pairs[d->entry_count++] = (Pair){w, a, b, sqrt(product)};
                }
            }
        }
    }
}

// True if the entry is C_aa, on the diagonal, whose scaled value should be 1.
static bool is_wished(const Design* d, int entry) {
    return d->pairs[entry].a == d->pairs[entry].b;
}

// Fills the displacements of all velocities under a unit force along, or torque about, a wished
// axis.
static void fill_moved(const Tangent* tangent, const PoiseComplianceWish* wish, int point, int axis,
                       double* moved) {
    const PoiseVec3 a = axis_of(wish, axis);
    const int column = point * LOADS + (axis < 3 ? 0 : 3);
    for (int v = 0; v < tangent->count; v++) {
        moved[v] = a.x * poise__tangent_moved(tangent, column, v) +
                   a.y * poise__tangent_moved(tangent, column + 1, v) +
                   a.z * poise__tangent_moved(tangent, column + 2, v);
    }
}

// Returns a^T C b for two wished axes a and b, both translations or both rotations.
static double compliance(const double c[9], const PoiseComplianceWish* wish, int a, int b) {
    const PoiseVec3 x = axis_of(wish, a), y = axis_of(wish, b);
    const double r[3] = {x.x, x.y, x.z}, s[3] = {y.x, y.y, y.z};
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            sum += r[i] * c[3 * i + k] * s[k];
        }
    }
    return sum;
}

// Fills the entries of the wishes at this rest from the compliances of their points.
static void fill_entries(const Design* d, int rest, double* entries) {
    for (int e = 0; e < d->entry_count; e++) {
        const Pair* pair = &d->pairs[e];
        const PoiseForecast* forecast = &d->forecasts[pair->wish];
        const double* c = pair->a < 3 ? forecast->compliance : forecast->turn_compliance;
        if (d->rest_of[pair->wish] == rest) {
            entries[e] = compliance(c, &d->def->wishes[pair->wish], pair->a, pair->b) / pair->scale;
        }
    }
}

// Fills the derivatives of a rest's entries at a fixed posture: dC_ab/du_i = -p_i X_ia X_ib.
static void fill_slopes(Design* d, int rest, const Tangent* tangent) {
    const int n = tangent->count;
    int filled = -1;
    for (int entry = 0; entry < d->entry_count; entry++) {
        const Pair* pair = &d->pairs[entry];
        if (d->rest_of[pair->wish] != rest) {
            continue;
        }
        for (int axis = 0; filled != pair->wish && axis < LOADS; axis++) {
            fill_moved(tangent, &d->def->wishes[pair->wish], pair->wish, axis, &d->moved[axis * n]);
        }
        filled = pair->wish;
        for (int i = 0; i < d->count; i++) {
            const Unknown* unknown = &d->unknowns[i];
            const double product =
                poise__numbers_dot(&d->moved[pair->a * n + unknown->first],
                                   &d->moved[pair->b * n + unknown->first], unknown->velocities);
            d->next.slopes[entry * d->count + i] =
                -unknown->spring->stiffness * product / pair->scale;
        }
    }
}

static void set_springs(Design* d, const double* u) {
    for (int i = 0; i < d->count; i++) {
        d->unknowns[i].spring->stiffness = poise_exp(u[i]);
    }
    for (int r = 0; r < d->rest_count; r++) {
        poise__statics_read_springs(&d->rests[r].statics);
    }
}

// Moves a rest to the equilibrium of its springs, and fills entries, slopes and dx/du there.
static PoiseStatus find_rest(Design* d, int rest) {
    const int velocities = d->rests[rest].statics.count;
    const int wishes = d->def->wish_count;
    Tangent tangent = {0};
    const Derived derived = {d->points, wishes, d->variables, d->count, d->shifts};
    const PoiseStatus status = poise__variables_solve(&d->rests[rest], &tangent, &derived);
    if (status == POISE_OK) {
        for (int w = 0; w < wishes; w++) {
            poise__tangent_block(&tangent, w * LOADS, d->forecasts[w].compliance);
            poise__tangent_block(&tangent, w * LOADS + 3, d->forecasts[w].turn_compliance);
        }
        fill_entries(d, rest, d->next.entries);
        fill_slopes(d, rest, &tangent);
        for (int i = 0; i < d->count * velocities; i++) {
            d->shifts[i] *= d->unknowns[i / velocities].spring->stiffness;
        }
    }
    poise__tangent_close(&tangent);
    return status;
}

// Returns the number of joints at their torque limit.
static int count_limited(const RigState* state) {
    int count = 0;
    for (int b = 0; b < state->rig->binding_count; b++) {
        count += state->joints[b].clamped;
    }
    return count;
}

// Fills the derivatives of the entries by unknown i that are due to the motion of the rest: the
// mean over displacements to both sides. Omits a side on which the number of joints at their torque
// limits is not `limited`: the compliance jumps there.
static PoiseStatus fill_motion(Design* d, int rest, int i, int limited, double* change) {
    Rest* at = &d->rests[rest];
    const double* shift = &d->shifts[i * at->statics.count];
    const double moves = poise__numbers_largest(shift, at->statics.count);
    int sides = 0;
    PoiseStatus status = POISE_OK;
    memset(change, 0, (size_t)d->entry_count * sizeof *change);
    for (int side = 0; moves > UNMOVED && side < 2 && status >= 0; side++) {
        const double part = (side == 0 ? 1.0 : -1.0) * DISPLACED / moves;
        poise__rest_displace(at, shift, part, false);
        status =
            poise__tangent_compliances(&at->statics, d->points, d->def->wish_count, d->forecasts);
        fill_entries(d, rest, d->side);
        const bool counts = count_limited(&at->statics.state) == limited;
        sides += counts;
        for (int e = 0; e < d->entry_count && counts; e++) {
            change[e] += (d->side[e] - d->next.entries[e]) / part;
        }
    }
    for (int e = 0; e < d->entry_count; e++) {
        // if no side has a finite compliance, only the slope at a fixed posture counts
        change[e] = sides > 0 && isfinite(change[e]) ? change[e] / sides : 0.0;
    }
    poise__rest_return(at);
    return status;
}

// Fills entries, slopes and `jacobian` (the derivatives of the entries) for one rest.
static PoiseStatus derive(Design* d, int rest) {
    double* change = d->side + d->entry_count;
    PoiseStatus status = find_rest(d, rest);
    const int limited = count_limited(&d->rests[rest].statics.state);
    for (int i = 0; i < d->count && status == POISE_OK; i++) {
        const PoiseStatus moved = fill_motion(d, rest, i, limited, change);
        status = moved < 0 ? moved : status;
        for (int e = 0; e < d->entry_count; e++) {
            if (d->rest_of[d->pairs[e].wish] == rest) {
                d->next.jacobian[e * d->count + i] = d->next.slopes[e * d->count + i] + change[e];
            }
        }
    }
    return status;
}

// Fills the residual from the entries at u, and scales `jacobian` to the residual's derivatives.
// Returns the sum of squares.
static double fill_equations(Design* d, const double* u) {
    Equations* to = &d->next;
    double sum = 0.0;
    for (int e = 0; e < d->entry_count; e++) {
        const double inside = poise_max(to->entries[e], 1e-9);
        to->residual[e] = is_wished(d, e) ? poise_log(inside) : CROSS * to->entries[e];
        for (int i = 0; i < d->count; i++) {
            to->jacobian[e * d->count + i] *= is_wished(d, e) ? 1.0 / inside : CROSS;
        }
    }
    for (int i = 0; i < d->count; i++) {
        double* row = &to->jacobian[(d->entry_count + i) * d->count];
        memset(row, 0, (size_t)d->count * sizeof *row);
        row[i] = CHANGE;
        to->residual[d->entry_count + i] =
            CHANGE * (u[i] - poise_log(d->unknowns[i].was.stiffness));
    }
    for (int r = 0; r < d->rows; r++) {
        sum += to->residual[r] * to->residual[r];
    }
    return isfinite(sum) ? sum : HUGE_VAL;
}

// Evaluates the equations at u into `next`, and the sum of squares into `value`: infinity if the
// rig does not come to rest.
static PoiseStatus evaluate(Design* d, const double* u, double* value) {
    PoiseStatus status = POISE_OK;
    set_springs(d, u);
    for (int r = 0; r < d->rest_count && status == POISE_OK; r++) {
        status = derive(d, r);
    }
    *value = status == POISE_OK ? fill_equations(d, u) : HUGE_VAL;
    return status < 0 ? status : POISE_OK;
}

// ------------------------------------------------------------------------------------------ search

// Solves the damped normal equations for the unknowns that are not held at a bound. Sets `trial` to
// u plus this step, within the bounds.
static void make_trial(Design* d, const double* u, double damping, double* trial) {
    const int n = d->count;
    for (int i = 0; i < n; i++) {
        double slope = 0.0;
        for (int r = 0; r < d->rows; r++) {
            slope += d->at.jacobian[r * n + i] * d->at.residual[r];
        }
        d->right[i] = -slope;
        d->held[i] = (u[i] <= d->lower && slope > 0.0) || (u[i] >= d->upper && slope < 0.0);
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int r = 0; r < d->rows; r++) {
                sum += d->at.jacobian[r * n + i] * d->at.jacobian[r * n + k];
            }
            d->normal[i * n + k] = d->held[i] || d->held[k] ? (i == k) : sum;
        }
        d->normal[i * n + i] += d->held[i] ? 0.0 : damping * (d->normal[i * n + i] + damping);
        d->right[i] = d->held[i] ? 0.0 : d->right[i];
    }
    const PoiseCholesky shape = {.rows = n, .stride = n, .zero = 1e-15};
    poise_cholesky_factor(&shape, d->normal);
    poise_cholesky_solve(&shape, d->normal, d->right);
    for (int i = 0; i < n; i++) {
        trial[i] = poise_min(poise_max(u[i] + d->right[i], d->lower), d->upper);
    }
}

static double distance(const double* a, const double* b, int count) {
    double most = 0.0;
    for (int i = 0; i < count; i++) {
        most = poise_max(most, fabs(a[i] - b[i]));
    }
    return most;
}

static void take_next(Design* d) {
    const Equations kept = d->at;
    d->at = d->next;
    d->next = kept;
}

// Returns the largest error |entry - 1| on the diagonal; `worst` becomes the entry's index.
static double error_of(const Design* d, int* worst) {
    double most = 0.0;
    for (int e = 0; e < d->entry_count; e++) {
        const double error = fabs(d->at.entries[e] - 1.0);
        if (is_wished(d, e) && !(error <= most)) {
            most = error;
            *worst = e;
        }
    }
    return most;
}

// Minimises the sum from u. `u` becomes the best one found, `best` its sum, `at` the equations
// there.
static PoiseStatus descend(Design* d, double* u, double* best) {
    double damping = DAMPING;
    PoiseStatus status = evaluate(d, u, best);
    take_next(d);
    for (int i = 0; i < STEPS && status >= 0 && damping < MOST_DAMPING && isfinite(*best); i++) {
        double value;
        make_trial(d, u, damping, d->trial);
        if (distance(d->trial, u, d->count) < SMALL_STEP) {
            break;
        }
        status = evaluate(d, d->trial, &value);
        if (status >= 0 && value < *best) {
            const double gain = (*best - value) / *best;
            memcpy(u, d->trial, (size_t)d->count * sizeof *u);
            *best = value;
            take_next(d);
            damping *= 0.2;
            if (gain < SMALL_GAIN) {
                break;
            }
        } else {
            damping *= 8.0;
        }
    }
    return status;
}

// Moves u to the minimum of a linear problem. At a fixed posture an entry is nearly linear in the
// compliances c_i = 1 / p_i of the springs: entry = constant + sum c_i A_i. The constant and the
// A_i come from the equations `d->at`, which must be those at u.
static void solve_linear(Design* d, double* u) {
    const int n = d->count;
    double* c = d->trial;
    memset(d->normal, 0, (size_t)(n * n) * sizeof *d->normal);
    memset(d->right, 0, (size_t)n * sizeof *d->right);
    for (int i = 0; i < n; i++) {
        c[i] = poise_exp(-u[i]);
    }
    for (int e = 0; e < d->entry_count; e++) {
        const double* slope = &d->at.slopes[e * n]; // the derivatives by u_i, which are -c_i A_i
        const double weight = is_wished(d, e) ? 1.0 : CROSS * CROSS;
        double left = (is_wished(d, e) ? 1.0 : 0.0) - d->at.entries[e];
        for (int i = 0; i < n; i++) {
            left -= slope[i];
        }
        for (int i = 0; i < n; i++) {
            d->right[i] -= weight * left * slope[i] / c[i];
            for (int k = 0; k < n; k++) {
                d->normal[i * n + k] += weight * slope[i] * slope[k] / (c[i] * c[k]);
            }
        }
    }
    poise__design_descend(d, poise_exp(-d->upper), poise_exp(-d->lower), c);
    for (int i = 0; i < n; i++) {
        u[i] = poise_min(poise_max(-poise_log(c[i]), d->lower), d->upper);
    }
}

// Moves u from the linear answer to start number `start`, a point of a low-discrepancy sequence.
static void spread(const Design* d, int start, double* u) {
    double turn = 0.0;
    for (int i = 0; i < d->count; i++) {
        turn = fmod(turn + GOLDEN, 1.0);
        const double at = fmod(turn * (start + 1) + 0.5 * start * GOLDEN, 1.0);
        u[i] = poise_min(poise_max(u[i] + SPREAD * (2.0 * at - 1.0), d->lower), d->upper);
    }
}

// Finds the best u over all starts; `at` becomes the equations there.
static PoiseStatus search(Design* d) {
    const size_t bytes = (size_t)d->count * sizeof *d->u;
    double best, value;
    for (int i = 0; i < d->count; i++) {
        d->u[i] = poise_min(poise_max(poise_log(d->unknowns[i].was.stiffness), d->lower), d->upper);
    }
    PoiseStatus status = evaluate(d, d->u, &best);
    if (status < 0 || !isfinite(best)) {
        return status < 0 ? status : POISE_DEGRADED;
    }
    take_next(d);
    memcpy(d->linear, d->u, bytes);
    memcpy(d->present, d->u, bytes);
    solve_linear(d, d->linear);
    best = HUGE_VAL;
    // first start: the linear answer; second: the present springs; then spread points
    for (int start = 0; start < STARTS && status >= 0; start++) {
        memcpy(d->other, start == 1 ? d->present : d->linear, bytes);
        if (start > 1) {
            spread(d, start, d->other);
        }
        status = descend(d, d->other, &value);
        if (status >= 0 && value < best) {
            best = value;
            memcpy(d->u, d->other, bytes);
        }
        int worst;
        if (error_of(d, &worst) <= MET) {
            break;
        }
    }
    if (status >= 0) {
        status = evaluate(d, d->u, &best);
        take_next(d);
    }
    return status;
}

// ------------------------------------------------------------------------------------------ result

static void fill_result(Design* d, PoiseDesignedSpring* springs, PoiseDesign* design) {
    int ends = 0, worst = 0;
    design->error = error_of(d, &worst);
    design->worst_wish = d->pairs[worst].wish;
    design->worst_axis = d->pairs[worst].a;
    design->worst_compliance = d->at.entries[worst] * d->pairs[worst].scale;
    design->spring_count = d->count;
    for (int i = 0; i < d->count; i++) {
        const Unknown* unknown = &d->unknowns[i];
        PoiseDesignedSpring* spring = &springs[i];
        spring->node = unknown->binding->node;
        spring->ik.stiffness = unknown->spring->stiffness;
        // keeps the damping ratio that the joint has if the other joints are fixed
        spring->ik.damping =
            unknown->was.damping * sqrt(spring->ik.stiffness / unknown->was.stiffness);
        spring->at_lower = d->u[i] <= d->lower;
        spring->at_upper = d->u[i] >= d->upper;
        ends += spring->at_lower || spring->at_upper;
    }
    if (design->error > MET) {
        static const char* const axes[] = {"along x", "along y", "along z",
                                           "about x", "about y", "about z"};
        design->end = POISE_DESIGN_NEAREST;
        snprintf(design->why, sizeof design->why,
                 "%s it yields by %.3g %s, not %.3g: no springs of these joints do; %d of %d are "
                 "at an end of their range",
                 axes[design->worst_axis], design->worst_compliance,
                 design->worst_axis < 3 ? "m/N" : "rad/(N m)",
                 wish_at(&d->def->wishes[design->worst_wish], design->worst_axis), ends, d->count);
    }
}

// Writes why there is no rest into the result, whose end is POISE_DESIGN_NO_REST. Returns
// POISE_DEGRADED.
static PoiseStatus has_no_rest(PoiseDesign* design, const char* why) {
    snprintf(design->why, sizeof design->why, "%s", why);
    return POISE_DEGRADED;
}

static bool is_same_goal(const PoiseComplianceWish* a, const PoiseComplianceWish* b) {
    return a->elsewhere == b->elsewhere &&
           (!a->elsewhere || (a->point.index1 == b->point.index1 &&
                              memcmp(&a->goal, &b->goal, sizeof a->goal) == 0));
}

// Opens the copy's present rest if some wished compliance has no goal of its own. Then steps the
// copy to each goal of def->wishes, and opens the rest there. POISE_DEGRADED: the copy does not
// come to rest at a goal.
static PoiseStatus open_rests(PoiseRig* rig, Design* d, PoiseDesign* design) {
    const PoiseDesignDef* def = d->def;
    PoiseStatus status = POISE_OK;
    for (int pass = 0; pass < 2; pass++) {
        for (int w = 0; w < def->wish_count && status == POISE_OK; w++) {
            const PoiseComplianceWish* wish = &def->wishes[w];
            int like = 0;
            while (!is_same_goal(&def->wishes[like], wish)) {
                like++;
            }
            if (wish->elsewhere != (pass == 1)) {
                continue;
            }
            if (like < w) {
                d->rest_of[w] = d->rest_of[like];
                continue;
            }
            if (wish->elsewhere) {
                status = poise__rest_settle(rig, wish->point, &wish->goal, def->step, design->why);
            }
            if (status == POISE_OK) {
                d->rest_of[w] = d->rest_count;
                status = poise__rest_open(&d->rests[d->rest_count++], poise__rest_rig(rig));
            }
        }
    }
    return status;
}

// Finds the unknowns and the entries, and searches for the springs.
static PoiseStatus work(PoiseRig* rig, Design* d, PoiseDesignedSpring* springs,
                        PoiseDesign* design) {
    find_unknowns(d, poise__rest_rig(rig));
    find_pairs(d);
    d->rows = d->entry_count + d->count;
    if (poise__rig_is_tied(rig)) {
        return has_no_rest(design, "the compliance of joints that mimic others is not known");
    }
    if (d->count == 0) {
        return has_no_rest(design, "no IK spring moves a point of the wishes");
    }
    PoiseStatus status = search(d);
    if (status == POISE_DEGRADED) {
        return has_no_rest(design, "some motion of a point meets no stiffness");
    }
    if (status >= 0) {
        fill_result(d, springs, design);
        if (d->def->damping_ratio > 0.0 || d->def->settling_time > 0.0) {
            status = poise__design_dampers(d, springs, design);
        }
    }
    for (int r = 0; r < d->rest_count && status >= 0; r++) {
        status = d->rests[r].statics.state.noted;
    }
    return status;
}

PoiseStatus poise_rig_design(PoiseRig* rig, const PoiseDesignDef* def, PoiseDesignedSpring* springs,
                             int capacity, PoiseDesign* design) {
    PoiseStatus status = rig ? check(rig, def, springs, design) : POISE_ERROR_INVALID_ARGUMENT;
    status = status < 0 ? status : check_nodes(rig, def, capacity);
    if (status < 0) {
        return status;
    }
    memset(design, 0, sizeof *design);
    Design d = {.def = def,
                .lower = poise_log(def->lower > 0.0 ? def->lower : LOWER),
                .upper = poise_log(def->upper > 0.0 ? def->upper : UPPER)};
    status = poise__rest_settle(rig, def->wishes[0].point, NULL, def->step, design->why);
    status = status == POISE_OK ? poise__design_reserve(&d, poise__rest_rig(rig)) : status;
    status = status == POISE_OK ? open_rests(rig, &d, design) : status;
    status = status == POISE_OK ? work(rig, &d, springs, design) : status;
    design->end = status == POISE_DEGRADED ? POISE_DESIGN_NO_REST : design->end;
    poise__design_release(&d);
    poise__rest_forget(rig);
    return status < 0
               ? poise__rig_fail(rig, status, "poise_rig_design: %s", poise_status_name(status))
               : POISE_OK;
}
