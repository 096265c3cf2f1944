// SPDX-License-Identifier: MIT
#include "fork.h"

#include <criterion/criterion.h>
#include <math.h>

#include "random.h"

static const double STEP = 0.01;
static const double LENGTH = 0.4;
// The fork is at rest below this kinetic energy, J.
static const double AT_REST = 1e-23;
// Load to measure compliances, N. It is small, since some tips have little stiffness.
static const double LOAD = 0.05;

enum { JOINTS = 7, TRUNK = 3, SETTLE = 12000 };

static PoiseVec3 place_of(const ForkTip* tip) {
    return body_point(tip->body, tip->in_body);
}

static PoiseBindDef random_springs(Random* random, PoiseNodeKind kind) {
    const double p = 200.0 * pow(10.0, random_between(random, 0.0, 1.0));
    PoiseBindDef like = mechanism_springs(p, 0.1 * p);
    like.original.stiffness = random_between(random, 0.05, 0.6) * p;
    const double natural = random_between(random, -0.4, 0.4);
    const PoiseQuat turn = poise_quat_exp(random_vec3(random, 0.4));
    if (kind == POISE_NODE_BALL) {
        set_natural_rotation(&like, turn);
    } else {
        like.natural[0] = natural;
    }
    return like;
}

static dBodyID add_link(Fork* fork, Random* random, dBodyID parent, PoiseVec3 from, PoiseVec3 to) {
    LinkDef link = {.parent = parent, .at = poise_scale(0.5, poise_add(from, to))};
    link.size = poise_vec3(0.1, poise_length(poise_sub(to, from)), 0.12);
    link.mass = random_between(random, 0.5, 2.0);
    link.kind = random_between(random, 0.0, 1.0) < 0.5 ? POISE_NODE_HINGE : POISE_NODE_BALL;
    link.pivot = pivot(from, poise_add(random_vec3(random, 1.0), poise_vec3(0.0, 0.0, 0.3)));
    const PoiseBindDef like = random_springs(random, link.kind);
    link.like = &like;
    return mechanism_link(&fork->m, &link);
}

static void add_tip(Fork* fork, ForkTip* tip, dBodyID body, PoiseVec3 at, bool partial) {
    Mechanism* m = &fork->m;
    PoisePointDef def = partial ? poise_default_pose_def() : poise_default_position_def();
    const PoiseNodeId link = poise_rig_node_of_body(m->rig, body);
    def.rows = tip->rows;
    def.row_axes = tip->axes;
    tip->body = body;
    tip->in_body = poise_sub(at, body_place(body));
    tip->point = mechanism_add_point(m, def, body, poise_rig_place_in_link(m->rig, link, at));
}

static void put_wall(Fork* fork, ForkTip* tip, Random* random) {
    // let the goals bend the mechanism first
    mechanism_run(&fork->m, STEP, 300);
    tip->on_wall = true;
    tip->into_wall = random_direction(random);
    tip->wall = poise_dot(tip->into_wall, place_of(tip));
    const PoiseVec3 force = poise_scale(15.0, tip->into_wall);
    cr_assert_eq(poise_point_set_force(fork->m.tree, tip->point, force), POISE_OK);
    // a goal that the tip can reach along the wall
    const PoiseVec3 goal = poise_add(place_of(tip), random_vec3(random, 0.1));
    cr_assert_eq(poise_point_set_position(fork->m.tree, tip->point, goal), POISE_OK);
}

static void set_up(Fork* fork, const ForkDef* def) {
    Mechanism* m = &fork->m;
    PoisePointId point = fork->tips[0].point;
    Random random = random_from(1000 + def->seed);
    RIG_SET(m->rig, gravity, !def->unfed);
    if (def->integral > 0.0) {
        RIG_SET(m->rig, integral, def->integral);
        RIG_SET(m->rig, integral_most, def->integral_most);
    }
    if (def->presses) {
        cr_assert_eq(poise_point_set_yield(m->tree, point, POISE_YIELD_NONE, 0), POISE_OK);
        cr_assert_eq(poise_point_set_force(m->tree, point, random_vec3(&random, 10.0)), POISE_OK);
    }
    if (def->wall) {
        put_wall(fork, &fork->tips[0], &random);
    }
}

// Makes the fork with goals near its tips.
void fork_open(Fork* fork, const ForkDef* def) {
    Random random = random_from(def->seed);
    Mechanism* m = &fork->m;
    fork->contacts = dJointGroupCreate(0);
    mechanism_open(m, poise_vec3(1.0, def->hangs ? 9.0 : -9.0, 2.0), def->reference);
    dBodyID parent = NULL;
    PoiseVec3 at = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < TRUNK; i++) {
        PoiseVec3 next = poise_add(at, poise_vec3(0.0, LENGTH, 0.0));
        parent = add_link(fork, &random, parent, at, next);
        at = next;
    }
    for (int t = 0; t < FORK_POINTS; t++) {
        ForkTip* tip = &fork->tips[t];
        tip->rows = POISE_ROWS_ALL;
        tip->axes = POISE_ROW_AXES_WORLD;
        tip->on_wall = false;
        dBodyID link = parent;
        PoiseVec3 from = at;
        for (int i = 0; i < (JOINTS - TRUNK) / FORK_POINTS; i++) {
            PoiseVec3 to = poise_add(from, poise_vec3(0.0, LENGTH, 0.0));
            link = add_link(fork, &random, link, from, to);
            from = to;
        }
        if (def->partial) {
            // Chooses some of a point's rows, at least one and not all.
            tip->rows = 1u + (unsigned)random_index(&random, (int)POISE_ROWS_ALL - 1);
            tip->axes = (PoiseRowAxes)random_index(&random, 3);
        }
        add_tip(fork, tip, link, from, def->partial);
    }
    for (int t = 0; t < FORK_POINTS; t++) {
        PoiseVec3 goal = poise_add(at, poise_vec3(t == 0 ? -0.3 : 0.3, 0.5, 0.0));
        goal = poise_add(goal, random_vec3(&random, 0.3));
        const PoisePointId point = fork->tips[t].point;
        cr_assert_eq(poise_point_set_position(m->tree, point, goal), POISE_OK);
        if (def->partial) {
            const PoiseQuat turn = random_turn(&random, 0.6);
            cr_assert_eq(poise_point_set_orientation(m->tree, point, turn), POISE_OK);
        }
    }
    set_up(fork, def);
}

void fork_close(Fork* fork) {
    dJointGroupDestroy(fork->contacts);
    mechanism_close(&fork->m);
}

// Makes ODE's contact of a tip that is in its wall.
static void touch(Fork* fork, const ForkTip* tip) {
    const Plane wall = {tip->into_wall, tip->wall, 0.0, fork->contacts};
    if (tip->on_wall) {
        (void)mechanism_touch(&fork->m, &wall, tip->body, place_of(tip));
    }
}

bool fork_rests(const Fork* fork) {
    bool rests = mechanism_kinetic_energy(&fork->m) < AT_REST;
    for (int t = 0; t < FORK_POINTS; t++) {
        const ForkTip* tip = &fork->tips[t];
        rests = rests && (!tip->on_wall || poise_dot(place_of(tip), tip->into_wall) >= tip->wall);
    }
    return rests;
}

PoiseVec3 fork_settle(Fork* fork, const ForkTip* tip, PoiseVec3 load) {
    for (int i = 0; i < SETTLE; i++) {
        PoiseVec3 p = tip->in_body;
        dBodyAddForceAtRelPos(tip->body, load.x, load.y, load.z, p.x, p.y, p.z);
        touch(fork, &fork->tips[0]);
        touch(fork, &fork->tips[1]);
        mechanism_step(&fork->m, STEP);
        dJointGroupEmpty(fork->contacts);
        if (i > 200 && mechanism_kinetic_energy(&fork->m) < AT_REST) {
            break;
        }
    }
    return place_of(tip);
}

// Returns the length of `off` in its active rows. The bits of its three rows begin with `first`.
static double active_length(const Fork* fork, const ForkTip* tip, PoiseVec3 off, unsigned first) {
    PoiseQuat axes = poise_quat_identity();
    if (tip->axes == POISE_ROW_AXES_POINT) {
        axes = body_turn(tip->body);
    } else if (tip->axes == POISE_ROW_AXES_GOAL) {
        axes = poise_point_goal(fork->m.tree, tip->point).q;
    }
    const PoiseVec3 in_axes = poise_quat_unrotate(axes, off);
    const double parts[3] = {in_axes.x, in_axes.y, in_axes.z};
    double square = 0.0;
    for (int i = 0; i < 3; i++) {
        square += (tip->rows & (first << i)) != 0 ? parts[i] * parts[i] : 0.0;
    }
    return sqrt(square);
}

static PoiseVec3 displacement_to_goal(const Fork* fork, const ForkTip* tip) {
    const PoiseVec3 displacement =
        poise_sub(poise_point_goal(fork->m.tree, tip->point).p, place_of(tip));
    const double deep = tip->on_wall ? poise_dot(displacement, tip->into_wall) : 0.0;
    return poise_add_scaled(displacement, -deep, tip->into_wall);
}

static PoiseVec3 turn_to_goal(const Fork* fork, const ForkTip* tip) {
    const PoiseQuat goal = poise_point_goal(fork->m.tree, tip->point).q;
    return poise_quat_log(poise_quat_mul(goal, poise_quat_conjugate(body_turn(tip->body))));
}

double fork_miss(const Fork* fork, const ForkTip* tip) {
    return poise_length(displacement_to_goal(fork, tip));
}

double fork_angle_miss(const Fork* fork, const ForkTip* tip) {
    return poise_length(turn_to_goal(fork, tip));
}

double fork_row_miss(const Fork* fork, const ForkTip* tip) {
    return active_length(fork, tip, displacement_to_goal(fork, tip), POISE_ROW_X);
}

double fork_row_angle_miss(const Fork* fork, const ForkTip* tip) {
    return active_length(fork, tip, turn_to_goal(fork, tip), POISE_ROW_TURN_X);
}

void fork_compliance(Fork* fork, const ForkTip* tip, double compliance[9]) {
    for (int axis = 0; axis < 3; axis++) {
        PoiseVec3 load = poise_scale(LOAD, poise_vec3(axis == 0, axis == 1, axis == 2));
        PoiseVec3 there = fork_settle(fork, tip, load);
        PoiseVec3 back = fork_settle(fork, tip, poise_scale(-1.0, load));
        PoiseVec3 moved = poise_sub(there, back);
        compliance[axis] = moved.x / (2.0 * LOAD);
        compliance[3 + axis] = moved.y / (2.0 * LOAD);
        compliance[6 + axis] = moved.z / (2.0 * LOAD);
    }
}
