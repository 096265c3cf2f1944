// SPDX-License-Identifier: MIT
// Derivatives of the rest of random arms, chains of balls and five-bars. Oracle: the torques of
// springs, weight and load at any posture, written here. Newton steps find the rest, with the
// multipliers of a loop; differences give the stiffness and the derivatives.
#include <criterion/criterion.h>
#include <string.h>

#include "dense.h"
#include "linkage.h"
#include "poise/design.h"
#include "random.h"
#include "sample.h"
#include "size.h"

enum { LINKS = 6, MOST = 9, ROWS = 3, MOST_SIZE = MOST + ROWS, BARS = 4, BALLS = 3, KINDS = 5 };

// Bound of the derivatives' error, relative to the largest derivative of the kind.
static const double WITHIN = 1e-6;
// Joints that move farther per displacement of the goal, rad/m or m/m, are near a singular posture:
// there the error is 1.3e-6.
static const double SINGULAR = 50.0;

/// The coordinate of a hinge or a slider, or the rotation of a ball in its parent's frame.
typedef struct Coordinate {
    double q;
    PoiseQuat turn;
} Coordinate;

/// Hinges and sliders, or balls, in a row. Places and axes are those at coordinates of 0.
typedef struct Arm {
    PoiseNodeKind kind[LINKS];
    int count;   ///< of links
    int numbers; ///< velocities: 3 for a ball
    PoiseVec3 anchor[LINKS];
    PoiseVec3 axis[LINKS];
    PoiseVec3 centre[LINKS]; ///< centres of mass, 1 kg each
    PoiseVec3 tip;           ///< on the link `tip_link`
    int tip_link;
    bool loop; ///< `end`, on the last link, stays where it is at coordinates of 0
    PoiseVec3 end;
    double ik[LINKS], original[LINKS];
    Coordinate natural[LINKS], target[LINKS];
    PoiseVec3 gravity, force;
} Arm;

/// A posture of the arm, and all that follows from it.
typedef struct Place {
    Coordinate q[LINKS];
    PoisePose link[LINKS]; ///< displacement of the link from its pose at coordinates of 0
    PoiseVec3 tip, end;
    double torque[MOST]; ///< by velocity (a ball's in its parent's frame); 0 at rest
} Place;

typedef struct ArmRest {
    Coordinate q[LINKS];
    PoiseVec3 tip;
    double c[9];
} ArmRest;

// ------------------------------------------------------------------------------------------ oracle

static double component(PoiseVec3 v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

static PoiseVec3 unit(int i) {
    return poise_vec3(i == 0, i == 1, i == 2);
}

static int width(const Arm* arm, int joint) {
    return arm->kind[joint] == POISE_NODE_BALL ? 3 : 1;
}

// Moves a coordinate by an amount along its velocity d.
static void move(const Arm* arm, int joint, int d, double by, Coordinate* at) {
    if (arm->kind[joint] == POISE_NODE_BALL) {
        at->turn = poise_quat_mul(poise_quat_exp(poise_scale(by, unit(d))), at->turn);
    } else {
        at->q += by;
    }
}

// Returns the displacement by the joint alone, of a frame that is given at coordinates of 0.
static PoisePose motion_of(const Arm* arm, int joint, const Coordinate* at) {
    const PoiseVec3 along = poise_scale(at->q, arm->axis[joint]);
    if (arm->kind[joint] == POISE_NODE_SLIDER) {
        return poise_pose(along, poise_quat_identity());
    }
    const PoiseQuat turn = arm->kind[joint] == POISE_NODE_BALL ? at->turn : poise_quat_exp(along);
    const PoiseVec3 anchor = arm->anchor[joint];
    return poise_pose(poise_sub(anchor, poise_quat_rotate(turn, anchor)), turn);
}

// Returns the springs' torque along velocity d.
static double spring_torque(const Arm* arm, int joint, int d, const Coordinate* at) {
    const Coordinate* target = &arm->target[joint];
    const Coordinate* natural = &arm->natural[joint];
    if (arm->kind[joint] != POISE_NODE_BALL) {
        return arm->ik[joint] * (target->q - at->q) + arm->original[joint] * (natural->q - at->q);
    }
    const PoiseBallDrive original = {{arm->original[joint], 0.0}, natural->turn, {0.0, 0.0, 0.0}};
    const PoiseBallDrive ik = {{arm->ik[joint], 0.0}, target->turn, {0.0, 0.0, 0.0}};
    const PoiseQuat blended = poise_blend_ball(original, ik).target;
    const PoiseVec3 off = poise_quat_log(poise_quat_mul(blended, poise_quat_conjugate(at->turn)));
    return (arm->ik[joint] + arm->original[joint]) * component(off, d);
}

// Fills what follows from `q`; `held`: the force that closes the loop.
static void fill_place(const Arm* arm, PoiseVec3 held, Place* at) {
    PoisePose parent[LINKS];
    for (int i = 0; i < arm->count; i++) {
        parent[i] = i > 0 ? at->link[i - 1] : poise_pose_identity();
        at->link[i] = poise_pose_mul(parent[i], motion_of(arm, i, &at->q[i]));
    }
    at->tip = poise_pose_apply(at->link[arm->tip_link], arm->tip);
    at->end = poise_pose_apply(at->link[arm->count - 1], arm->end);
    for (int i = 0, n = 0; i < arm->count; i++) {
        const PoiseVec3 anchor = poise_pose_apply(parent[i], arm->anchor[i]);
        const PoiseVec3 tip_force = i <= arm->tip_link ? arm->force : poise_vec3(0.0, 0.0, 0.0);
        PoiseVec3 force = poise_add(tip_force, held);
        PoiseVec3 moment = poise_add(poise_cross(poise_sub(at->tip, anchor), tip_force),
                                     poise_cross(poise_sub(at->end, anchor), held));
        for (int k = i; k < arm->count; k++) {
            const PoiseVec3 centre = poise_pose_apply(at->link[k], arm->centre[k]);
            force = poise_add(force, arm->gravity);
            moment = poise_add(moment, poise_cross(poise_sub(centre, anchor), arm->gravity));
        }
        for (int d = 0; d < width(arm, i); d++, n++) {
            const PoiseVec3 axis = poise_quat_rotate(
                parent[i].q, arm->kind[i] == POISE_NODE_BALL ? unit(d) : arm->axis[i]);
            at->torque[n] = spring_torque(arm, i, d, &at->q[i]) +
                            poise_dot(axis, arm->kind[i] == POISE_NODE_SLIDER ? force : moment);
        }
    }
}

/// The stiffness at a place, and the Jacobians of the tip and of the loop's end.
typedef struct Tangent {
    double k[MOST][MOST];
    double tip[ROWS][MOST];
    double end[ROWS][MOST];
} Tangent;

// Fills the tangent: differences of fourth order.
static void fill_tangent(const Arm* arm, PoiseVec3 held, const Place* at, Tangent* tangent) {
    static const double weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const double steps[4] = {-2e-3, -1e-3, 1e-3, 2e-3};
    memset(tangent, 0, sizeof *tangent);
    for (int joint = 0, n = 0; joint < arm->count; joint++) {
        for (int d = 0; d < width(arm, joint); d++, n++) {
            for (int s = 0; s < 4; s++) {
                const double weight = weights[s] / steps[2];
                Place moved = *at;
                move(arm, joint, d, steps[s], &moved.q[joint]);
                fill_place(arm, held, &moved);
                for (int i = 0; i < arm->numbers; i++) {
                    tangent->k[i][n] -= weight * moved.torque[i];
                }
                for (int r = 0; r < ROWS; r++) {
                    tangent->tip[r][n] += weight * component(moved.tip, r);
                    tangent->end[r][n] += arm->loop ? weight * component(moved.end, r) : 0.0;
                }
            }
        }
    }
}

// Solves K x - J_end^T y = right, J_end x = the rest of `right`. A row that no velocity moves, such
// as that of a loop across its plane, becomes the equation that its multiplier is 0.
static void solve_tangent(const Arm* arm, const Tangent* tangent, long double right[MOST_SIZE]) {
    long double matrix[MOST_SIZE * MOST_SIZE] = {0.0L};
    for (int i = 0; i < MOST_SIZE; i++) {
        const int row = i - MOST;
        const bool free = i < arm->numbers || (arm->loop && (row == 0 || row == 2));
        matrix[i * MOST_SIZE + i] = free ? 0.0L : 1.0L;
        for (int n = 0; n < arm->numbers && free; n++) {
            if (row < 0) {
                matrix[i * MOST_SIZE + n] = tangent->k[i][n];
            } else {
                matrix[i * MOST_SIZE + n] = tangent->end[row][n];
                matrix[n * MOST_SIZE + i] = -tangent->end[row][n];
            }
        }
    }
    cr_assert(dense_solve(matrix, right, MOST_SIZE));
}

static void move_all(const Arm* arm, Coordinate* q, const long double* by) {
    for (int joint = 0, n = 0; joint < arm->count; joint++) {
        if (arm->kind[joint] == POISE_NODE_BALL) {
            const PoiseVec3 turn = poise_vec3((double)by[n], (double)by[n + 1], (double)by[n + 2]);
            q[joint].turn =
                poise_quat_normalize(poise_quat_mul(poise_quat_exp(turn), q[joint].turn));
        } else {
            q[joint].q += (double)by[n];
        }
        n += width(arm, joint);
    }
}

static ArmRest rest_of(const Arm* arm) {
    PoiseVec3 held = {0.0, 0.0, 0.0};
    Tangent tangent;
    Place at;
    ArmRest rest = {.tip = {0.0, 0.0, 0.0}};
    memcpy(at.q, arm->target, sizeof at.q);
    for (int n = 0; n < 12; n++) {
        long double right[MOST_SIZE] = {0.0L};
        fill_place(arm, held, &at);
        fill_tangent(arm, held, &at, &tangent);
        for (int i = 0; i < arm->numbers; i++) {
            right[i] = at.torque[i];
        }
        for (int r = 0; r < ROWS && arm->loop; r += 2) {
            right[MOST + r] = component(poise_sub(arm->end, at.end), r);
        }
        solve_tangent(arm, &tangent, right);
        move_all(arm, at.q, right);
        held = poise_add(held, poise_vec3((double)right[MOST], 0.0, (double)right[MOST + 2]));
    }
    fill_place(arm, held, &at);
    fill_tangent(arm, held, &at, &tangent);
    memcpy(rest.q, at.q, sizeof rest.q);
    rest.tip = at.tip;
    for (int c = 0; c < 3; c++) {
        long double right[MOST_SIZE] = {0.0L};
        for (int i = 0; i < arm->numbers; i++) {
            right[i] = tangent.tip[c][i];
        }
        solve_tangent(arm, &tangent, right);
        for (int i = 0; i < arm->numbers; i++) {
            for (int r = 0; r < 3; r++) {
                rest.c[3 * r + c] += tangent.tip[r][i] * (double)right[i];
            }
        }
    }
    return rest;
}

// Moves the targets by the least-norm steps that move the tip by `by`, and keep the loop closed.
static void move_goal(Arm* arm, PoiseVec3 by) {
    const PoiseVec3 none = {0.0, 0.0, 0.0};
    Place at;
    PoiseVec3 goal = none;
    for (int step = 0; step < 8; step++) {
        Tangent tangent;
        long double matrix[4 * ROWS * ROWS], right[2 * ROWS], moved[MOST] = {0.0L};
        memcpy(at.q, arm->target, sizeof at.q);
        fill_place(arm, none, &at);
        fill_tangent(arm, none, &at, &tangent);
        goal = step == 0 ? poise_add(at.tip, by) : goal;
        for (int r = 0; r < 2 * ROWS; r++) {
            const double* row = r < ROWS ? tangent.tip[r] : tangent.end[r - ROWS];
            right[r] = r < ROWS    ? component(poise_sub(goal, at.tip), r)
                       : arm->loop ? component(poise_sub(arm->end, at.end), r - ROWS)
                                   : 0.0;
            for (int c = 0; c < 2 * ROWS; c++) {
                const double* other = c < ROWS ? tangent.tip[c] : tangent.end[c - ROWS];
                double sum = 0.0;
                for (int i = 0; i < arm->numbers; i++) {
                    sum += row[i] * other[i];
                }
                // a row that no velocity moves: its multiplier is 0
                matrix[r * 2 * ROWS + c] = c == r && sum <= 1e-12 ? 1.0 : sum;
            }
        }
        cr_assert(dense_solve(matrix, right, 2 * ROWS));
        for (int i = 0; i < arm->numbers; i++) {
            for (int r = 0; r < 2 * ROWS; r++) {
                moved[i] += (r < ROWS ? tangent.tip[r][i] : tangent.end[r - ROWS][i]) * right[r];
            }
        }
        move_all(arm, arm->target, moved);
    }
}

// ------------------------------------------------------------------------------------------- rigs

static void draw_springs(Random* random, Arm* arm) {
    for (int i = 0; i < arm->count; i++) {
        arm->ik[i] = 60.0 * pow(10.0, random_unit(random));
        arm->original[i] = i % 2 == 0 ? 0.3 * arm->ik[i] : 0.0;
        arm->natural[i].q = random_between(random, -0.2, 0.2);
        const PoiseVec3 turn = random_direction(random);
        arm->natural[i].turn = poise_quat_exp(poise_scale(0.4 * random_unit(random), turn));
    }
}

// Returns how many numbers of a posture the coordinate has in the rig.
static int posture_of(const Arm* arm, int joint, const Coordinate* at, double posture[4]) {
    const PoiseQuat q = at->turn;
    const bool ball = arm->kind[joint] == POISE_NODE_BALL;
    const double numbers[4] = {ball ? q.w : at->q, q.x, q.y, q.z};
    memcpy(posture, numbers, sizeof numbers);
    return ball ? 4 : 1;
}

// Gives the joints of the rig the springs of the arm.
static void set_springs(const Mechanism* m, const Arm* arm) {
    for (int i = 0; i < arm->count; i++) {
        const PoiseNodeId node = poise_rig_node_of_body(m->rig, m->bodies[i]);
        const PoiseSpring ik = {arm->ik[i], 0.1 * arm->ik[i]};
        const PoiseSpring original = {arm->original[i], 0.1 * arm->original[i]};
        double natural[4];
        const int count = posture_of(arm, i, &arm->natural[i], natural);
        cr_assert_eq(poise_rig_set_ik(m->rig, node, ik), POISE_OK);
        cr_assert_eq(poise_rig_set_original(m->rig, node, original), POISE_OK);
        cr_assert_eq(poise_rig_set_natural_posture(m->rig, node, natural, count), POISE_OK);
    }
}

// Makes joints in a row, whose weight is not fed forward: balls, or hinges and sliders about and
// along any axes.
static void open_arm(Mechanism* m, Arm* arm, bool balls, Random* random) {
    const PoiseBindDef like = mechanism_springs(100.0, 10.0);
    dBodyID before = NULL;
    memset(arm, 0, sizeof *arm);
    arm->count = balls ? BALLS : 3 + random_index(random, 4);
    arm->gravity = poise_vec3(2.0, -3.0, -8.0);
    mechanism_open(m, arm->gravity, POISE_REFERENCE_OWN);
    RIG_SET(m->rig, gravity, false);
    for (int i = 0; i < arm->count; i++) {
        const bool slides = random_index(random, 5) == 0;
        arm->kind[i] = balls ? POISE_NODE_BALL : slides ? POISE_NODE_SLIDER : POISE_NODE_HINGE;
        arm->numbers += width(arm, i);
        arm->axis[i] = random_direction(random);
        arm->anchor[i] = i == 0
                             ? poise_vec3(0.0, 0.0, 0.0)
                             : poise_add_scaled(arm->anchor[i - 1], 0.4, random_direction(random));
        arm->centre[i] = poise_add_scaled(arm->anchor[i], 0.2, random_direction(random));
        const LinkDef link = {.parent = before,
                              .kind = arm->kind[i],
                              .pivot = pivot(arm->anchor[i], arm->axis[i]),
                              .at = arm->centre[i],
                              .like = &like};
        before = mechanism_link(m, &link);
        const PoiseVec3 turn = random_direction(random);
        arm->target[i].q = random_between(random, -0.4, 0.4);
        arm->target[i].turn = poise_quat_exp(poise_scale(0.4 * random_unit(random), turn));
        double posture[4];
        const int count = posture_of(arm, i, &arm->target[i], posture);
        cr_assert_eq(
            poise_node_set_posture(m->tree, poise_rig_node_of_body(m->rig, before), posture, count),
            POISE_OK);
    }
    arm->tip_link = arm->count - 1;
    arm->tip = poise_add_scaled(arm->centre[arm->tip_link], 0.3, random_direction(random));
    draw_springs(random, arm);
    cr_assert_eq(poise_rig_place_bodies(m->rig), POISE_OK);
    Place at;
    memcpy(at.q, arm->target, sizeof at.q);
    fill_place(arm, poise_vec3(0.0, 0.0, 0.0), &at);
    (void)mechanism_point(m, poise_rig_node_of_body(m->rig, before), before, at.tip);
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
    arm->count = arm->numbers = BARS;
    arm->gravity = def.gravity;
    arm->loop = true;
    for (int i = 0; i < BARS; i++) {
        arm->kind[i] = POISE_NODE_HINGE;
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

// Changes a variable of the arm: a stiffness of either spring, a natural posture along a velocity,
// the goal along an axis, the load along one.
static void change(Arm* arm, const PoiseVariable* variable, int joint, double by) {
    const PoiseVec3 along = poise_scale(by, unit(variable->axis));
    switch (variable->kind) {
    case POISE_VARIABLE_IK_STIFFNESS:
        arm->ik[joint] += by;
        break;
    case POISE_VARIABLE_ORIGINAL_STIFFNESS:
        arm->original[joint] += by;
        break;
    case POISE_VARIABLE_NATURAL:
        move(arm, joint, variable->axis, by, &arm->natural[joint]);
        break;
    case POISE_VARIABLE_GOAL:
        move_goal(arm, along);
        break;
    case POISE_VARIABLE_LOAD:
        arm->force = poise_add(arm->force, along);
        break;
    }
}

/// Derivatives of the coordinates of hinges and sliders, of the tip, and of its compliance.
typedef struct Known {
    double q[LINKS];
    double tip[3];
    double c[9];
} Known;

// Returns the derivatives: central differences, extrapolated from two steps.
static Known differentiate(const Arm* arm, const PoiseVariable* variable, int joint) {
    static const double sizes[KINDS] = {0.05, 0.05, 1e-3, 1e-4, 1e-2};
    const double size = sizes[variable->kind];
    Known known = {{0.0}, {0.0}, {0.0}};
    for (int n = 1; n <= 2; n++) {
        for (int side = -1; side <= 1; side += 2) {
            Arm changed = *arm;
            change(&changed, variable, joint, side * n * size);
            const ArmRest rest = rest_of(&changed);
            const double part = side * (n == 1 ? 4.0 : -1.0) / (6.0 * n * size);
            for (int i = 0; i < arm->count; i++) {
                known.q[i] += part * rest.q[i].q;
            }
            for (int i = 0; i < 9; i++) {
                known.c[i] += part * rest.c[i];
                known.tip[i / 3] += i % 3 == 0 ? part * component(rest.tip, i / 3) : 0.0;
            }
        }
    }
    return known;
}

static void expect_block(const double* found, const double* known, int count, int kind) {
    static const char* const names[KINDS] = {"ik", "original", "natural", "goal", "load"};
    // rounding of a derivative that is 0
    static const double least[KINDS] = {1e-10, 1e-10, 1e-5, 1e-5, 1e-7};
    const double most = fmax(least[kind], largest_of(known, count));
    for (int i = 0; i < count; i++) {
        cr_expect(fabs(found[i] - known[i]) <= WITHIN * most, "%s: %.12g, %.12g: off by %.2g of %g",
                  names[kind], found[i], known[i], fabs(found[i] - known[i]) / most, most);
    }
}

static void expect_derivatives(const Mechanism* m, const Arm* arm, int joint, int kind, int axis) {
    const bool ball = arm->kind[joint] == POISE_NODE_BALL;
    const PoiseVariable variable = {.kind = (PoiseVariableKind)kind,
                                    .point = m->point,
                                    .node = poise_rig_node_of_body(m->rig, m->bodies[joint]),
                                    .axis = axis};
    double numbers[MOST];
    double* joints[1] = {numbers};
    PoiseSensitivityDef def = mechanism_derivatives(m, &variable);
    def.joints = joints;
    PoiseForecast forecast;
    PoiseSensitivity found;
    cr_assert_eq(poise_rig_sensitivity(m->rig, &def, &forecast, &found), POISE_OK, "%s",
                 forecast.why);
    const Known known = differentiate(arm, &variable, joint);
    if (!ball && kind == POISE_VARIABLE_GOAL && largest_of(known.q, arm->count) > SINGULAR) {
        return;
    }
    if (!ball) {
        expect_block(numbers, known.q, arm->count, kind);
    }
    expect_block(found.pose, known.tip, 3, kind);
    expect_block(found.compliance, known.c, 9, kind);
}

static void expect_rig(const Mechanism* m, const Arm* arm) {
    for (int joint = 0; joint < arm->count; joint++) {
        expect_derivatives(m, arm, joint, POISE_VARIABLE_IK_STIFFNESS, 0);
        expect_derivatives(m, arm, joint, POISE_VARIABLE_ORIGINAL_STIFFNESS, 0);
        for (int d = 0; d < width(arm, joint); d++) {
            expect_derivatives(m, arm, joint, POISE_VARIABLE_NATURAL, d);
        }
    }
    // a five-bar does not move across its plane
    for (int axis = 0; axis < 3; axis += arm->loop ? 2 : 1) {
        expect_derivatives(m, arm, 0, POISE_VARIABLE_GOAL, axis);
        expect_derivatives(m, arm, 0, POISE_VARIABLE_LOAD, axis);
    }
}

static void compare(void (*open)(Mechanism*, Arm*, Random*), int rigs) {
    for (int seed = 0; seed < rigs; seed++) {
        Random random = random_from((uint64_t)seed + 1);
        Mechanism m;
        Arm arm;
        open(&m, &arm, &random);
        expect_rig(&m, &arm);
        mechanism_close(&m);
    }
}

static void open_random_arm(Mechanism* m, Arm* arm, Random* random) {
    open_arm(m, arm, false, random);
}

static void open_balls(Mechanism* m, Arm* arm, Random* random) {
    open_arm(m, arm, true, random);
}

Test(sensitivity, derivatives_of_random_arms) {
    compare(open_random_arm, sample_of(4, 12));
}

Test(sensitivity, derivatives_of_five_bars) {
    compare(open_five_bar, 3);
}

Test(sensitivity, derivatives_of_balls) {
    compare(open_balls, 3);
}
