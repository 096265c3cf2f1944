// SPDX-License-Identifier: MIT
#include "cell.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Ratio of damping to stiffness of the springs, s.
#define DAMPED 0.15
// PoiseRigSettings.posture_rate of rigs with a torque limit.
#define POSTURE_RATE 0.01
// Fraction of its speed that a body loses in a step, as by drag of the air.
#define AIR 0.02
// Depth of the point in the wall at the start, m, so that rounding does not part them.
#define TOUCHES 1e-9

static const double naturals[CELL_NATURALS] = {0.0, 0.1, 1.0};
static const PoiseSolver solvers[CELL_SOLVERS] = {POISE_SOLVER_AUTO, POISE_SOLVER_GAUSS_SEIDEL,
                                                  POISE_SOLVER_DUAL, POISE_SOLVER_BOX,
                                                  POISE_SOLVER_CGLS};

// Returns the index modulo `choices`, and divides the index by it.
static int take(int* index, int choices) {
    const int choice = *index % choices;
    *index /= choices;
    return choice;
}

Cell cell_of(int index) {
    Cell cell;
    cell.fed = take(&index, 2) == 1;
    cell.natural = take(&index, CELL_NATURALS);
    cell.solver = take(&index, CELL_SOLVERS);
    cell.reference = take(&index, 2) == 0 ? POISE_REFERENCE_OWN : POISE_REFERENCE_MEASURED;
    cell.limit = (CellLimit)take(&index, CELL_LIMITS);
    cell.friction = take(&index, 2) == 1;
    cell.loop = (CellLoop)take(&index, CELL_LOOPS);
    return cell;
}

void cell_name(const Cell* cell, char name[96]) {
    static const char* const limits[CELL_LIMITS] = {"none", "binding", "biting"};
    static const char* const loops[CELL_LOOPS] = {"open", "five-bar", "parallel"};
    static const char* const names[CELL_SOLVERS] = {"auto", "gauss-seidel", "dual", "box", "cgls"};
    snprintf(name, 96, "%s, limits %s, friction %s, %s, %s, natural %g, weight %s",
             loops[cell->loop], limits[cell->limit], cell->friction ? "0.8" : "0",
             cell->reference == POISE_REFERENCE_OWN ? "own" : "measured", names[cell->solver],
             naturals[cell->natural], cell->fed ? "fed" : "not fed");
}

// ------------------------------------------------------------------------------------- mechanisms

// Builds two to five bars in random directions, on hinges, universals and balls.
static void build_open(CellRig* rig, Random* random, const PoiseBindDef* like) {
    Mechanism* m = &rig->m;
    // A force would leave no degree of freedom across it to fewer than three bars.
    const int count = (rig->presses ? 3 : 2) + random_index(random, 3);
    PoiseVec3 at = poise_vec3(0.0, 0.0, 1.0);
    dBodyID before = NULL;
    for (int i = 0; i < count; i++) {
        const double x = random_between(random, -1.0, 1.0), y = random_between(random, -1.0, 1.0);
        const double z = random_between(random, -1.0, 1.0);
        const PoiseVec3 displacement = poise_vec3(x, y, z);
        const double length = random_between(random, 0.25, 0.5);
        const PoiseVec3 next =
            poise_add_scaled(at, length / poise_length(displacement), displacement);
        dBodyID body =
            mechanism_box(m, poise_scale(0.5, poise_add(at, next)), poise_vec3(0.15, 0.15, 0.15),
                          random_between(random, 0.5, 1.5));
        const int kind = random_index(random, 4);
        if (kind == 0) {
            (void)mechanism_join(m, POISE_NODE_BALL, body, before, pivot(at, displacement));
        } else {
            const double a = random_between(random, -1.0, 1.0);
            const double b = random_between(random, -1.0, 1.0);
            const PoiseVec3 across = poise_cross(displacement, poise_vec3(a, b, 0.7));
            const PoiseVec3 axis = poise_scale(1.0 / poise_length(across), across);
            (void)mechanism_join(m, POISE_NODE_HINGE, body, before, pivot(at, axis));
        }
        before = body;
        at = next;
    }
    cr_assert_eq(poise_rig_import(m->rig, m->bodies[0], like), count);
    (void)linkage_point(m, count - 1, at);
}

// Joins random places in the plane, each within 8 cm of its nominal place, by bars and hinges.
static void build_polygon(CellRig* rig, Random* random, const LinkageDef* def,
                          const double (*at)[2], int bars) {
    double places[6][2];
    for (int i = 0; i <= bars; i++) {
        places[i][0] = at[i][0] + random_between(random, -0.08, 0.08);
        places[i][1] = at[i][1] + random_between(random, -0.08, 0.08);
    }
    linkage_polygon_open(&rig->m, def, (const double(*)[2])places, bars);
    rig->plane = true;
    // the middle place of five has two degrees of freedom, the others one
    const int tip = rig->presses ? 2 : 1 + random_index(random, bars - 1);
    (void)linkage_point(&rig->m, tip - 1, poise_vec3(places[tip][0], 0.0, places[tip][1]));
}

// Builds four bars, two arms that hold one bar, or a platform on six legs.
static void build_parallel(CellRig* rig, Random* random, const LinkageDef* def) {
    static const double four[4][2] = {{0.0, 1.0}, {0.1, 1.4}, {0.7, 1.5}, {0.6, 1.0}};
    // Four bars would leave no degree of freedom across a force.
    const int which = rig->presses ? 1 + random_index(random, 2) : random_index(random, 3);
    if (which == 0) {
        build_polygon(rig, random, def, four, 3);
    } else if (which == 1) {
        two_arms_open(&rig->m, def);
        (void)linkage_point(&rig->m, rig->m.body_count - 1, poise_vec3(0.0, 0.0, 0.7));
    } else {
        stewart_open(&rig->m, def);
        (void)linkage_point(&rig->m, 0, poise_vec3(0.1, 0.05, 0.6));
        rig->legs = true;
    }
}

static void build(CellRig* rig, Random* random, const Cell* cell) {
    static const double five[5][2] = {{0.0, 1.0}, {-0.3, 1.4}, {0.2, 1.8}, {0.7, 1.4}, {0.4, 1.0}};
    LinkageDef def = linkage_def(1000.0, 100.0);
    def.reference = cell->reference;
    def.gravity = poise_vec3(0.0, 0.0, -9.81);
    if (cell->loop == CELL_OPEN) {
        mechanism_open(&rig->m, def.gravity, def.reference);
        build_open(rig, random, &def.like);
    } else if (cell->loop == CELL_FIVE_BAR) {
        build_polygon(rig, random, &def, five, 4);
    } else {
        build_parallel(rig, random, &def);
    }
}

// ---------------------------------------------------------------------------------------- springs

// Fills a posture within 0.2 rad (6 cm) of a joint's present one. Returns its number of
// coordinates.
static int natural_near(const Mechanism* m, PoiseNodeId node, Random* random, double* natural) {
    const double size = poise_node_kind(m->tree, node) == POISE_NODE_SLIDER ? 0.06 : 0.2;
    const int count = poise_node_posture(m->tree, node, natural);
    double turn[3];
    for (int d = 0; d < 3; d++) {
        turn[d] = random_between(random, -size, size);
    }
    if (poise_node_kind(m->tree, node) != POISE_NODE_BALL) {
        natural[0] += turn[0];
        return count;
    }
    const PoiseQuat q =
        poise_quat_mul(poise_quat_exp(poise_vec3(turn[0], turn[1], turn[2])), quat_of(natural));
    natural[0] = q.w;
    natural[1] = q.x;
    natural[2] = q.y;
    natural[3] = q.z;
    return count;
}

bool cell_drives(const CellRig* rig, PoiseNodeId node) {
    return !rig->legs || poise_node_kind(rig->m.tree, node) == POISE_NODE_SLIDER;
}

// Sets random springs of different stiffness.
static void set_springs(CellRig* rig, Random* random, const Cell* cell) {
    const Mechanism* m = &rig->m;
    for (int i = 0; i < poise_tree_node_count(m->tree); i++) {
        const PoiseNodeId node = poise_tree_node(m->tree, i);
        if (!cell_drives(rig, node)) {
            continue;
        }
        const double unit = poise_node_kind(m->tree, node) == POISE_NODE_SLIDER ? 10.0 : 1.0;
        const double p = unit * 200.0 * pow(10.0, random_between(random, 0.0, 1.0));
        const double o = naturals[cell->natural] * p;
        double natural[POISE_MAX_POSTURE];
        const int count = natural_near(m, node, random, natural);
        cr_assert_eq(poise_rig_set_ik(m->rig, node, (PoiseSpring){p, DAMPED * p}), POISE_OK);
        cr_assert_eq(poise_rig_set_original(m->rig, node, (PoiseSpring){o, DAMPED * o}), POISE_OK);
        cr_assert_eq(poise_rig_set_natural_posture(m->rig, node, natural, count), POISE_OK);
    }
}

// Returns a random direction in which the mechanism can move.
static PoiseVec3 direction(const CellRig* rig, Random* random) {
    const double x = random_between(random, -1.0, 1.0);
    const double y = random_between(random, -1.0, 1.0);
    const double z = random_between(random, -1.0, 1.0);
    const PoiseVec3 displacement = poise_vec3(x, rig->plane ? 0.0 : y, z);
    return poise_scale(1.0 / fmax(poise_length(displacement), 1e-3), displacement);
}

// Sets a random goal. If the rig presses, makes the wall, and moves the goal parallel to it.
static void set_goal(CellRig* rig, Random* random, const Cell* cell) {
    Mechanism* m = &rig->m;
    const PoiseVec3 towards = direction(rig, random);
    PoiseVec3 displacement = poise_scale(random_between(random, 0.02, 0.2), towards);
    const PoiseVec3 along = direction(rig, random);
    if (rig->presses) {
        rig->wall = wall_before(m, along, -TOUCHES);
        rig->wall.friction = cell->friction ? CELL_FRICTION : 0.0;
        displacement = poise_add_scaled(displacement, -poise_dot(displacement, along), along);
        cr_assert_eq(poise_point_set_force(m->tree, m->point, poise_scale(CELL_FORCE, along)),
                     POISE_OK);
    }
    mechanism_goal(m, poise_add(mechanism_tip(m), displacement));
}

void cell_open(CellRig* rig, const Cell* cell, uint64_t seed) {
    memset(rig, 0, sizeof *rig);
    Random random = random_from(seed);
    rig->presses = cell->friction || (cell->fed && seed % 2 == 1);
    build(rig, &random, cell);
    set_springs(rig, &random, cell);
    set_goal(rig, &random, cell);
    // a joint at its torque limit has no damper of its own: let the air damp it
    for (int i = 0; i < rig->m.body_count; i++) {
        dBodySetLinearDamping(rig->m.bodies[i], AIR);
        dBodySetAngularDamping(rig->m.bodies[i], AIR);
        dBodySetLinearDampingThreshold(rig->m.bodies[i], 0.0);
        dBodySetAngularDampingThreshold(rig->m.bodies[i], 0.0);
    }
    // The end of a redundant tree's own posture can be forecast if no torque limit acts. A limit
    // makes it depend on the earlier motion, unless the posture is pulled to a natural one.
    const double rate = cell->limit == CELL_LIMIT_NONE ? 0.0 : POSTURE_RATE;
    RIG_SET(rig->m.rig, posture_rate, rate);
    PoiseSolveDef solve = poise_default_rig_def().settings.solve;
    solve.solver = solvers[cell->solver];
    RIG_SET(rig->m.rig, solve, solve);
    RIG_SET(rig->m.rig, gravity, cell->fed);
}

void cell_close(CellRig* rig) {
    mechanism_close(&rig->m);
}
