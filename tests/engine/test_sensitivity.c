// SPDX-License-Identifier: MIT
// Derivatives of the rest of random arms, chains of balls and five-bars. Oracle: statics of their
// own, from the energy E(q) of springs, weight and load with its exact first and second
// derivatives. Newton steps find the rest, with the multipliers of a loop; central differences give
// the derivatives.
#include <criterion/criterion.h>
#include <string.h>

#include "dense.h"
#include "linkage.h"
#include "near.h"
#include "poise/design.h"
#include "random.h"
#include "sample.h"

enum { MOST = 6, ROWS = 3, MOST_SIZE = MOST + ROWS, BARS = 4, RANDOM_RIGS = 12 };

// A relative error of the derivatives, of the largest of a kind.
static const double WITHIN = 1e-6;
// Joints that move farther per displacement of the goal, rad/m or m/m, are near a singular posture:
// there the error is 1.3e-6.
static const double SINGULAR = 50.0;

/// Hinges and sliders in a row. Places and axes are those at q = 0.
typedef struct Arm {
    int count;
    bool slides[MOST];
    PoiseVec3 anchor[MOST];
    PoiseVec3 axis[MOST];
    PoiseVec3 centre[MOST]; ///< centres of mass, 1 kg each
    PoiseVec3 tip;          ///< on the link `tip_link`
    int tip_link;
    bool loop; ///< `end`, on the last link, stays where it is at q = 0
    PoiseVec3 end;
    double ik[MOST], original[MOST], natural[MOST], target[MOST];
    PoiseVec3 gravity;
    double force[3];
} Arm;

typedef struct ArmRest {
    double q[MOST];
    PoiseVec3 tip;
    double c[9];
} ArmRest;

// ------------------------------------------------------------------------------------------ oracle

static PoiseVec3 move(const Arm* arm, int joint, double q, PoiseVec3 p) {
    const PoiseVec3 axis = arm->axis[joint];
    return arm->slides[joint] ? poise_add_scaled(p, q, axis)
                              : poise_add(arm->anchor[joint],
                                          poise_quat_rotate(poise_quat_exp(poise_scale(q, axis)),
                                                            poise_sub(p, arm->anchor[joint])));
}

// Returns a place of a link, which is at `p` for q = 0.
static PoiseVec3 place_of(const Arm* arm, const double* q, int link, PoiseVec3 p) {
    for (int i = link; i >= 0; i--) {
        p = move(arm, i, q[i], p);
    }
    return p;
}

/// A place with its derivatives; h is symmetric.
typedef struct Place {
    PoiseVec3 at;
    PoiseVec3 j[MOST];
    PoiseVec3 h[MOST][MOST];
} Place;

static Place derive_place(const Arm* arm, const double* q, int link, PoiseVec3 p) {
    Place place = {.at = place_of(arm, q, link, p)};
    PoiseVec3 axes[MOST];
    for (int i = 0; i <= link; i++) {
        const PoiseVec3 anchor = place_of(arm, q, i - 1, arm->anchor[i]);
        axes[i] =
            poise_sub(place_of(arm, q, i - 1, poise_add(arm->anchor[i], arm->axis[i])), anchor);
        place.j[i] = arm->slides[i] ? axes[i] : poise_cross(axes[i], poise_sub(place.at, anchor));
    }
    for (int i = 0; i <= link; i++) {
        for (int k = i; k <= link && !arm->slides[i]; k++) {
            place.h[i][k] = place.h[k][i] = poise_cross(axes[i], place.j[k]);
        }
    }
    return place;
}

static double component(PoiseVec3 v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

// Adds a force at a place to the gradient and the second derivatives of the energy.
static void add_force(const Arm* arm, const Place* place, PoiseVec3 force, double* gradient,
                      long double* second) {
    for (int i = 0; i < arm->count; i++) {
        gradient[i] -= poise_dot(force, place->j[i]);
        for (int k = 0; k < arm->count; k++) {
            second[i * MOST_SIZE + k] -= poise_dot(force, place->h[i][k]);
        }
    }
}

// Fills the equations of a Newton step at q with the loop's multipliers. Rows of the loop across
// its plane say that their multiplier is 0.
static void fill_equations(const Arm* arm, const double* q, const double* multipliers,
                           long double* matrix, long double* right) {
    double gradient[MOST] = {0.0};
    const PoiseVec3 force = poise_vec3(arm->force[0], arm->force[1], arm->force[2]);
    memset(matrix, 0, MOST_SIZE * MOST_SIZE * sizeof *matrix);
    memset(right, 0, MOST_SIZE * sizeof *right);
    for (int i = 0; i < MOST_SIZE; i++) {
        matrix[i * MOST_SIZE + i] = i < arm->count ? arm->ik[i] + arm->original[i] : 1.0;
    }
    for (int i = 0; i < arm->count; i++) {
        gradient[i] =
            arm->ik[i] * (q[i] - arm->target[i]) + arm->original[i] * (q[i] - arm->natural[i]);
        const Place centre = derive_place(arm, q, i, arm->centre[i]);
        add_force(arm, &centre, arm->gravity, gradient, matrix);
    }
    const Place tip = derive_place(arm, q, arm->tip_link, arm->tip);
    add_force(arm, &tip, force, gradient, matrix);
    if (arm->loop) {
        const Place end = derive_place(arm, q, arm->count - 1, arm->end);
        add_force(arm, &end, poise_vec3(multipliers[0], 0.0, multipliers[2]), gradient, matrix);
        for (int r = 0; r < ROWS; r += 2) {
            const int row = MOST + r;
            matrix[row * MOST_SIZE + row] = 0.0;
            right[row] = component(poise_sub(arm->end, end.at), r);
            for (int i = 0; i < arm->count; i++) {
                const double j = component(end.j[i], r);
                matrix[row * MOST_SIZE + i] = j;
                matrix[i * MOST_SIZE + row] = -j;
            }
        }
    }
    for (int i = 0; i < arm->count; i++) {
        right[i] = -gradient[i];
    }
}

static ArmRest rest_of(const Arm* arm) {
    long double matrix[MOST_SIZE * MOST_SIZE], right[MOST_SIZE];
    double multipliers[ROWS] = {0.0};
    ArmRest rest = {{0.0}, {0.0, 0.0, 0.0}, {0.0}};
    memcpy(rest.q, arm->target, sizeof rest.q);
    for (int n = 0; n < 30; n++) {
        fill_equations(arm, rest.q, multipliers, matrix, right);
        cr_assert(dense_solve(matrix, right, MOST_SIZE));
        for (int i = 0; i < arm->count; i++) {
            rest.q[i] += (double)right[i];
        }
        for (int r = 0; r < ROWS; r++) {
            multipliers[r] += (double)right[MOST + r];
        }
    }
    const Place tip = derive_place(arm, rest.q, arm->tip_link, arm->tip);
    rest.tip = tip.at;
    for (int c = 0; c < 3; c++) {
        fill_equations(arm, rest.q, multipliers, matrix, right);
        memset(right, 0, sizeof right);
        for (int i = 0; i < arm->count; i++) {
            right[i] = component(tip.j[i], c);
        }
        cr_assert(dense_solve(matrix, right, MOST_SIZE));
        for (int i = 0; i < arm->count; i++) {
            for (int r = 0; r < 3; r++) {
                rest.c[3 * r + c] += component(tip.j[i], r) * (double)right[i];
            }
        }
    }
    return rest;
}

// Moves the targets by the least-norm steps that bring the tip by `by`, and keep the loop closed.
static void move_goal(Arm* arm, PoiseVec3 by) {
    const PoiseVec3 goal = poise_add(place_of(arm, arm->target, arm->tip_link, arm->tip), by);
    for (int n = 0; n < 8; n++) {
        const Place tip = derive_place(arm, arm->target, arm->tip_link, arm->tip);
        const Place end = derive_place(arm, arm->target, arm->count - 1, arm->end);
        double j[2 * ROWS][MOST];
        long double matrix[4 * ROWS * ROWS], right[2 * ROWS];
        for (int r = 0; r < 2 * ROWS; r++) {
            const bool of_end = r >= ROWS;
            right[r] = of_end && !arm->loop ? 0.0
                       : of_end             ? component(poise_sub(arm->end, end.at), r - ROWS)
                                            : component(poise_sub(goal, tip.at), r);
            for (int i = 0; i < arm->count; i++) {
                j[r][i] = of_end && !arm->loop ? 0.0
                          : of_end             ? component(end.j[i], r - ROWS)
                                               : component(tip.j[i], r);
            }
        }
        for (int r = 0; r < 2 * ROWS; r++) {
            double own = 0.0;
            for (int c = 0; c < 2 * ROWS; c++) {
                double sum = 0.0;
                for (int i = 0; i < arm->count; i++) {
                    sum += j[r][i] * j[c][i];
                }
                matrix[r * 2 * ROWS + c] = sum;
                own = c == r ? sum : own;
            }
            // a row that nothing moves
            matrix[r * 2 * ROWS + r] = own > 1e-12 ? own : 1.0;
        }
        cr_assert(dense_solve(matrix, right, 2 * ROWS));
        for (int i = 0; i < arm->count; i++) {
            for (int r = 0; r < 2 * ROWS; r++) {
                arm->target[i] += j[r][i] * (double)right[r];
            }
        }
    }
}

// ------------------------------------------------------------------------------------------- rigs

static void draw_springs(Random* random, Arm* arm) {
    for (int i = 0; i < arm->count; i++) {
        arm->ik[i] = 60.0 * pow(10.0, random_unit(random));
        arm->original[i] = i % 2 == 0 ? 0.3 * arm->ik[i] : 0.0;
        arm->natural[i] = random_between(random, -0.2, 0.2);
    }
}

// Gives the joints of the rig the springs of the arm.
static void set_springs(const Mechanism* m, const Arm* arm) {
    for (int i = 0; i < arm->count; i++) {
        const PoiseNodeId node = poise_rig_node_of_body(m->rig, m->bodies[i]);
        const PoiseSpring ik = {arm->ik[i], 0.1 * arm->ik[i]};
        const PoiseSpring original = {arm->original[i], 0.1 * arm->original[i]};
        cr_assert_eq(poise_rig_set_ik(m->rig, node, ik), POISE_OK);
        cr_assert_eq(poise_rig_set_original(m->rig, node, original), POISE_OK);
        cr_assert_eq(poise_rig_set_natural_posture(m->rig, node, &arm->natural[i], 1), POISE_OK);
    }
}

// Makes three to six hinges and sliders about and along any axes, whose weight is not fed forward.
static void open_arm(Mechanism* m, Arm* arm, Random* random) {
    const PoiseBindDef like = mechanism_springs(100.0, 10.0);
    dBodyID before = NULL;
    memset(arm, 0, sizeof *arm);
    arm->count = 3 + random_index(random, 4);
    arm->gravity = poise_vec3(2.0, -3.0, -8.0);
    mechanism_open(m, arm->gravity, POISE_REFERENCE_OWN);
    RIG_SET(m->rig, gravity, false);
    for (int i = 0; i < arm->count; i++) {
        arm->slides[i] = random_index(random, 5) == 0;
        arm->axis[i] = random_direction(random);
        arm->anchor[i] = i == 0
                             ? poise_vec3(0.0, 0.0, 0.0)
                             : poise_add_scaled(arm->anchor[i - 1], 0.4, random_direction(random));
        arm->centre[i] = poise_add_scaled(arm->anchor[i], 0.2, random_direction(random));
        const LinkDef link = {.parent = before,
                              .kind = arm->slides[i] ? POISE_NODE_SLIDER : POISE_NODE_HINGE,
                              .pivot = pivot(arm->anchor[i], arm->axis[i]),
                              .at = arm->centre[i],
                              .like = &like};
        before = mechanism_link(m, &link);
        arm->target[i] = random_between(random, -0.4, 0.4);
        const PoiseNodeId node = poise_rig_node_of_body(m->rig, before);
        cr_assert_eq(poise_node_set_posture(m->tree, node, &arm->target[i], 1), POISE_OK);
    }
    arm->tip_link = arm->count - 1;
    arm->tip = poise_add_scaled(arm->centre[arm->tip_link], 0.3, random_direction(random));
    draw_springs(random, arm);
    cr_assert_eq(poise_rig_place_bodies(m->rig), POISE_OK);
    (void)mechanism_point(m, poise_rig_node_of_body(m->rig, before), before,
                          place_of(arm, arm->target, arm->tip_link, arm->tip));
    set_springs(m, arm);
}

// Makes a five-bar with other springs and a point on its second bar.
static void open_five_bar(Mechanism* m, Arm* arm, Random* random) {
    static const double places[BARS + 1][2] = {
        {0.0, 1.0}, {-0.3, 1.4}, {0.2, 1.8}, {0.7, 1.4}, {0.4, 1.0}};
    LinkageDef def = linkage_def(300.0, 30.0);
    def.gravity = poise_vec3(2.0, 0.0, -5.0);
    five_bar_open(m, &def);
    RIG_SET(m->rig, gravity, false);
    memset(arm, 0, sizeof *arm);
    arm->count = BARS;
    arm->gravity = def.gravity;
    arm->loop = true;
    for (int i = 0; i < BARS; i++) {
        arm->axis[i] = poise_vec3(0.0, 1.0, 0.0);
        arm->anchor[i] = poise_vec3(places[i][0], 0.0, places[i][1]);
        arm->centre[i] = body_place(m->bodies[i]);
    }
    arm->end = poise_vec3(places[BARS][0], 0.0, places[BARS][1]);
    arm->tip_link = 1;
    arm->tip = poise_vec3(0.1, 0.0, 1.9);
    draw_springs(random, arm);
    (void)linkage_point(m, 1, arm->tip);
    set_springs(m, arm);
}

// ------------------------------------------------------------------------------------- comparison

enum { KINDS = 5 };

// Changes a variable of the arm: a stiffness of either spring, a natural posture, the goal along an
// axis, the load along one.
static void change(Arm* arm, PoiseVariableKind kind, int index, double by) {
    const PoiseVec3 along = poise_vec3(index == 0, index == 1, index == 2);
    switch (kind) {
    case POISE_VARIABLE_IK_STIFFNESS:
        arm->ik[index] += by;
        break;
    case POISE_VARIABLE_ORIGINAL_STIFFNESS:
        arm->original[index] += by;
        break;
    case POISE_VARIABLE_NATURAL:
        arm->natural[index] += by;
        break;
    case POISE_VARIABLE_GOAL:
        move_goal(arm, poise_scale(by, along));
        break;
    case POISE_VARIABLE_LOAD:
        arm->force[index] += by;
        break;
    }
}

// Fills the derivatives of q, tip and C: central differences, extrapolated from two steps.
static void differentiate(const Arm* arm, PoiseVariableKind kind, int index, double* out) {
    static const double sizes[KINDS] = {0.05, 0.05, 1e-3, 1e-4, 1e-2};
    const double size = sizes[kind];
    memset(out, 0, (MOST + 12) * sizeof *out);
    for (int n = 1; n <= 2; n++) {
        for (int side = -1; side <= 1; side += 2) {
            Arm changed = *arm;
            change(&changed, kind, index, side * n * size);
            const ArmRest rest = rest_of(&changed);
            const double part = side * (n == 1 ? 4.0 : -1.0) / (6.0 * n * size);
            for (int i = 0; i < arm->count; i++) {
                out[i] += part * rest.q[i];
            }
            for (int i = 0; i < 3; i++) {
                out[MOST + i] += part * component(rest.tip, i);
            }
            for (int i = 0; i < 9; i++) {
                out[MOST + 3 + i] += part * rest.c[i];
            }
        }
    }
}

static int largest(const double* numbers, int count) {
    int most = 0;
    for (int i = 1; i < count; i++) {
        most = fabs(numbers[i]) > fabs(numbers[most]) ? i : most;
    }
    return most;
}

static void expect_block(const double* found, const double* known, int count, int kind) {
    static const char* const names[KINDS] = {"ik", "original", "natural", "goal", "load"};
    // rounding of a derivative that is 0
    static const double least[KINDS] = {1e-10, 1e-10, 1e-5, 1e-5, 1e-7};
    const char* what = names[kind];
    const double most = fmax(least[kind], fabs(known[largest(known, count)]));
    for (int i = 0; i < count; i++) {
        cr_expect(fabs(found[i] - known[i]) <= WITHIN * most, "%s: %.12g, %.12g: off by %.2g of %g",
                  what, found[i], known[i], fabs(found[i] - known[i]) / most, most);
    }
}

static void expect_rig(const Mechanism* m, const Arm* arm) {
    for (int kind = 0; kind < KINDS; kind++) {
        const int count = kind < POISE_VARIABLE_GOAL ? arm->count : ROWS;
        for (int i = 0; i < count; i++) {
            if (kind >= POISE_VARIABLE_GOAL && arm->loop && i == 1) {
                continue; // across the plane
            }
            PoiseVariable variable = {.kind = (PoiseVariableKind)kind, .point = m->point};
            if (kind < POISE_VARIABLE_GOAL) {
                variable.node = poise_rig_node_of_body(m->rig, m->bodies[i]);
            } else {
                variable.axis = i;
            }
            double numbers[MOST], known[MOST + 12];
            double* joints[1] = {numbers};
            PoiseSensitivityDef def = mechanism_derivatives(m, &variable);
            def.joints = joints;
            PoiseForecast forecast;
            PoiseSensitivity found;
            cr_assert_eq(poise_rig_sensitivity(m->rig, &def, &forecast, &found), POISE_OK, "%s",
                         forecast.why);
            differentiate(arm, (PoiseVariableKind)kind, i, known);
            if (kind == POISE_VARIABLE_GOAL && fabs(known[largest(known, arm->count)]) > SINGULAR) {
                continue;
            }
            expect_block(numbers, known, arm->count, kind);
            expect_block(found.pose, &known[MOST], 3, kind);
            expect_block(found.compliance, &known[MOST + 3], 9, kind);
        }
    }
}

Test(sensitivity, derivatives_of_random_arms) {
    for (int seed = 0; seed < sample_of(4, RANDOM_RIGS); seed++) {
        Random random = random_from((uint64_t)seed + 1);
        Mechanism m;
        Arm arm;
        open_arm(&m, &arm, &random);
        expect_rig(&m, &arm);
        mechanism_close(&m);
    }
}

Test(sensitivity, derivatives_of_five_bars) {
    for (int seed = 0; seed < 3; seed++) {
        Random random = random_from((uint64_t)seed + 1);
        Mechanism m;
        Arm arm;
        open_five_bar(&m, &arm, &random);
        expect_rig(&m, &arm);
        mechanism_close(&m);
    }
}

// --------------------------------------------------------------------------------------- balls

enum { BALLS = 3, TURNS = 3 * BALLS };

/// Balls in a row. Places are those at rotations of 0.
typedef struct BallArm {
    PoiseVec3 anchor[BALLS];
    PoiseVec3 centre[BALLS]; ///< centres of mass, 1 kg each
    PoiseVec3 tip;
    PoiseQuat target[BALLS]; ///< in the parent's frame
    PoiseQuat natural[BALLS];
    double ik[BALLS], original[BALLS];
    PoiseVec3 gravity, force;
} BallArm;

/// A place of the arm: rotations in the parent's frame, and all that follows from them.
typedef struct BallPlace {
    PoiseQuat q[BALLS];
    PoiseQuat parent[BALLS]; ///< in the world
    PoiseVec3 anchor[BALLS], centre[BALLS], tip;
    double torque[TURNS]; ///< in the parents' frames; 0 at rest
} BallPlace;

static void fill_place(const BallArm* arm, BallPlace* at) {
    PoiseQuat turn = {1.0, 0.0, 0.0, 0.0};
    at->anchor[0] = arm->anchor[0];
    for (int i = 0; i < BALLS; i++) {
        at->parent[i] = turn;
        turn = poise_quat_mul(turn, at->q[i]);
        const PoiseVec3 next = i + 1 < BALLS ? arm->anchor[i + 1] : arm->tip;
        const PoiseVec3 end =
            poise_add(at->anchor[i], poise_quat_rotate(turn, poise_sub(next, arm->anchor[i])));
        at->centre[i] = poise_add(
            at->anchor[i], poise_quat_rotate(turn, poise_sub(arm->centre[i], arm->anchor[i])));
        if (i + 1 < BALLS) {
            at->anchor[i + 1] = end;
        } else {
            at->tip = end;
        }
    }
    for (int i = 0; i < BALLS; i++) {
        PoiseVec3 load = poise_cross(poise_sub(at->tip, at->anchor[i]), arm->force);
        for (int k = i; k < BALLS; k++) {
            load =
                poise_add(load, poise_cross(poise_sub(at->centre[k], at->anchor[i]), arm->gravity));
        }
        const PoiseBallDrive original = {{arm->original[i], 0.0}, arm->natural[i], {0.0, 0.0, 0.0}};
        const PoiseBallDrive ik = {{arm->ik[i], 0.0}, arm->target[i], {0.0, 0.0, 0.0}};
        const PoiseQuat blended = poise_blend_ball(original, ik).target;
        const PoiseVec3 off =
            poise_quat_log(poise_quat_mul(blended, poise_quat_conjugate(at->q[i])));
        load = poise_quat_rotate(poise_quat_conjugate(at->parent[i]), load);
        for (int d = 0; d < 3; d++) {
            at->torque[3 * i + d] =
                (arm->ik[i] + arm->original[i]) * component(off, d) + component(load, d);
        }
    }
}

static void turn_balls(BallPlace* at, const BallArm* arm, const BallPlace* from, int number,
                       double by) {
    double turn[TURNS] = {0.0};
    turn[number] = by;
    for (int i = 0; i < BALLS; i++) {
        const double* t = &turn[3 * i];
        at->q[i] = poise_quat_mul(poise_quat_exp(poise_vec3(t[0], t[1], t[2])), from->q[i]);
    }
    fill_place(arm, at);
}

// Fills K and the Jacobian of the tip at a place: differences of fourth order.
static void fill_ball_tangent(const BallArm* arm, const BallPlace* at, long double* matrix,
                              double j[3][TURNS]) {
    static const double weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const double steps[4] = {-2e-3, -1e-3, 1e-3, 2e-3};
    memset(matrix, 0, TURNS * TURNS * sizeof *matrix);
    memset(j, 0, 3 * sizeof *j);
    for (int n = 0; n < TURNS; n++) {
        for (int k = 0; k < 4; k++) {
            BallPlace moved;
            turn_balls(&moved, arm, at, n, steps[k]);
            for (int i = 0; i < TURNS; i++) {
                matrix[i * TURNS + n] -= weights[k] * moved.torque[i] / steps[2];
            }
            for (int r = 0; r < 3; r++) {
                j[r][n] += weights[k] * component(moved.tip, r) / steps[2];
            }
        }
    }
}

static ArmRest rest_of_balls(const BallArm* arm) {
    long double matrix[TURNS * TURNS], right[TURNS];
    double j[3][TURNS];
    BallPlace at;
    ArmRest rest = {{0.0}, {0.0, 0.0, 0.0}, {0.0}};
    memcpy(at.q, arm->target, sizeof at.q);
    for (int n = 0; n < 12; n++) {
        fill_place(arm, &at);
        fill_ball_tangent(arm, &at, matrix, j);
        for (int i = 0; i < TURNS; i++) {
            right[i] = at.torque[i];
        }
        cr_assert(dense_solve(matrix, right, TURNS));
        for (int i = 0; i < BALLS; i++) {
            const PoiseVec3 turn = poise_vec3((double)right[3 * i], (double)right[3 * i + 1],
                                              (double)right[3 * i + 2]);
            at.q[i] = poise_quat_normalize(poise_quat_mul(poise_quat_exp(turn), at.q[i]));
        }
    }
    fill_place(arm, &at);
    rest.tip = at.tip;
    for (int c = 0; c < 3; c++) {
        fill_ball_tangent(arm, &at, matrix, j);
        for (int i = 0; i < TURNS; i++) {
            right[i] = j[c][i];
        }
        cr_assert(dense_solve(matrix, right, TURNS));
        for (int i = 0; i < TURNS; i++) {
            for (int r = 0; r < 3; r++) {
                rest.c[3 * r + c] += j[r][i] * (double)right[i];
            }
        }
    }
    return rest;
}

// Turns the targets by the least-norm turn that brings the tip by `by`.
static void move_ball_goal(BallArm* arm, PoiseVec3 by) {
    double j[3][TURNS];
    long double ignored[TURNS * TURNS], square[9], right[3];
    BallPlace at;
    memcpy(at.q, arm->target, sizeof at.q);
    fill_place(arm, &at);
    fill_ball_tangent(arm, &at, ignored, j);
    for (int r = 0; r < 3; r++) {
        right[r] = component(by, r);
        for (int c = 0; c < 3; c++) {
            square[3 * r + c] = 0.0;
            for (int i = 0; i < TURNS; i++) {
                square[3 * r + c] += j[r][i] * j[c][i];
            }
        }
    }
    cr_assert(dense_solve(square, right, 3));
    for (int i = 0; i < BALLS; i++) {
        double t[3] = {0.0, 0.0, 0.0};
        for (int d = 0; d < 3; d++) {
            for (int r = 0; r < 3; r++) {
                t[d] += j[r][3 * i + d] * (double)right[r];
            }
        }
        arm->target[i] =
            poise_quat_mul(poise_quat_exp(poise_vec3(t[0], t[1], t[2])), arm->target[i]);
    }
}

static void open_balls(Mechanism* m, BallArm* arm, Random* random) {
    const PoiseBindDef like = mechanism_springs(100.0, 10.0);
    dBodyID before = NULL;
    memset(arm, 0, sizeof *arm);
    arm->gravity = poise_vec3(2.0, -3.0, -8.0);
    mechanism_open(m, arm->gravity, POISE_REFERENCE_OWN);
    RIG_SET(m->rig, gravity, false);
    for (int i = 0; i < BALLS; i++) {
        arm->anchor[i] = i == 0
                             ? poise_vec3(0.0, 0.0, 0.0)
                             : poise_add_scaled(arm->anchor[i - 1], 0.4, random_direction(random));
        arm->centre[i] = poise_add_scaled(arm->anchor[i], 0.2, random_direction(random));
        const LinkDef link = {.parent = before,
                              .kind = POISE_NODE_BALL,
                              .pivot = pivot(arm->anchor[i], poise_vec3(0.0, 0.0, 1.0)),
                              .at = arm->centre[i],
                              .like = &like};
        before = mechanism_link(m, &link);
        const PoiseVec3 turn = random_direction(random);
        const PoiseVec3 natural = random_direction(random);
        arm->target[i] = poise_quat_exp(poise_scale(random_unit(random) * 0.4, turn));
        arm->natural[i] = poise_quat_exp(poise_scale(random_unit(random) * 0.4, natural));
        arm->ik[i] = 60.0 * pow(10.0, random_unit(random));
        arm->original[i] = i % 2 == 0 ? 0.3 * arm->ik[i] : 0.0;
        const PoiseNodeId node = poise_rig_node_of_body(m->rig, before);
        const PoiseQuat q = arm->target[i], n = arm->natural[i];
        cr_assert_eq(poise_node_set_posture(m->tree, node, (double[]){q.w, q.x, q.y, q.z}, 4),
                     POISE_OK);
        cr_assert_eq(poise_rig_set_ik(m->rig, node, (PoiseSpring){arm->ik[i], 0.1 * arm->ik[i]}),
                     POISE_OK);
        cr_assert_eq(poise_rig_set_original(
                         m->rig, node, (PoiseSpring){arm->original[i], 0.1 * arm->original[i]}),
                     POISE_OK);
        cr_assert_eq(poise_rig_set_natural_posture(m->rig, node, (double[]){n.w, n.x, n.y, n.z}, 4),
                     POISE_OK);
    }
    arm->tip = poise_add_scaled(arm->centre[BALLS - 1], 0.3, random_direction(random));
    BallPlace at;
    memcpy(at.q, arm->target, sizeof at.q);
    fill_place(arm, &at);
    cr_assert_eq(poise_rig_place_bodies(m->rig), POISE_OK);
    (void)mechanism_point(m, poise_rig_node_of_body(m->rig, before), before, at.tip);
}

static void change_balls(BallArm* arm, PoiseVariableKind kind, int index, double by) {
    const int d = index % 3;
    const PoiseVec3 along = poise_scale(by, poise_vec3(d == 0, d == 1, d == 2));
    switch (kind) {
    case POISE_VARIABLE_IK_STIFFNESS:
        arm->ik[index] += by;
        break;
    case POISE_VARIABLE_ORIGINAL_STIFFNESS:
        arm->original[index] += by;
        break;
    case POISE_VARIABLE_NATURAL:
        arm->natural[index / 3] = poise_quat_mul(poise_quat_exp(along), arm->natural[index / 3]);
        break;
    case POISE_VARIABLE_GOAL:
        move_ball_goal(arm, along);
        break;
    case POISE_VARIABLE_LOAD:
        arm->force = poise_add(arm->force, along);
        break;
    }
}

// Fills the derivatives of tip and C as differentiate does.
static void differentiate_balls(const BallArm* arm, PoiseVariableKind kind, int index,
                                double* out) {
    static const double sizes[KINDS] = {0.05, 0.05, 1e-3, 1e-4, 1e-2};
    memset(out, 0, 12 * sizeof *out);
    for (int n = 1; n <= 2; n++) {
        for (int side = -1; side <= 1; side += 2) {
            BallArm changed = *arm;
            change_balls(&changed, kind, index, side * n * sizes[kind]);
            const ArmRest rest = rest_of_balls(&changed);
            const double part = side * (n == 1 ? 4.0 : -1.0) / (6.0 * n * sizes[kind]);
            for (int i = 0; i < 3; i++) {
                out[i] += part * component(rest.tip, i);
            }
            for (int i = 0; i < 9; i++) {
                out[3 + i] += part * rest.c[i];
            }
        }
    }
}

Test(sensitivity, derivatives_of_balls) {
    static const int counts[KINDS] = {BALLS, BALLS, TURNS, ROWS, ROWS};
    for (int seed = 0; seed < 3; seed++) {
        Random random = random_from((uint64_t)seed + 1);
        Mechanism m;
        BallArm arm;
        open_balls(&m, &arm, &random);
        for (int kind = 0; kind < KINDS; kind++) {
            for (int i = 0; i < counts[kind]; i++) {
                const int ball = kind == POISE_VARIABLE_NATURAL ? i / 3 : i;
                const PoiseVariable variable = {.kind = (PoiseVariableKind)kind,
                                                .point = m.point,
                                                .node =
                                                    poise_rig_node_of_body(m.rig, m.bodies[ball]),
                                                .axis = i % 3};
                const PoiseSensitivityDef def = mechanism_derivatives(&m, &variable);
                PoiseForecast forecast;
                PoiseSensitivity found;
                double known[12];
                cr_assert_eq(poise_rig_sensitivity(m.rig, &def, &forecast, &found), POISE_OK, "%s",
                             forecast.why);
                differentiate_balls(&arm, (PoiseVariableKind)kind, i, known);
                expect_block(found.pose, known, 3, kind);
                expect_block(found.compliance, &known[3], 9, kind);
            }
        }
        mechanism_close(&m);
    }
}
