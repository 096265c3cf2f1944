// SPDX-License-Identifier: MIT
// Runs a scene: builds it in stages (bodies, joints and rig, points), then steps it.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "running.h"

// A body has diverged above these speeds, m/s and rad/s. Springs cause far smaller speeds.
#define DIVERGED_SPEED 1e4
#define DIVERGED_SPIN  1e6
// Costs of the steps before this simulated time are discarded, s.
#define WARM_UP 1.0

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ------------------------------------------------------------------------------------------ making

static void* count_allocation(size_t size, size_t alignment, void* user) {
    (void)alignment; // malloc's alignment suffices: that of max_align_t
    ++*(long*)user;
    return malloc(size);
}

static void release(void* memory, size_t size, void* user) {
    (void)size;
    (void)user;
    free(memory);
}

static PoiseHost counting_host(PoiseSimulation* simulation) {
    return (PoiseHost){count_allocation, release, NULL, &simulation->allocations};
}

static bool make_rig(PoiseSimulation* simulation) {
    PoiseTreeDef tree = simulation->now.ik.tree;
    tree.host = counting_host(simulation);
    simulation->tree = poise_tree_create(&tree);
    PoiseRigDef rig = simulation->now.ik.rig;
    rig.tree = simulation->tree;
    rig.world = poise_world_ode(simulation->world);
    rig.host = counting_host(simulation);
    simulation->rig = simulation->tree ? poise_rig_create(&rig) : NULL;
    // A force may be set in any step, and a step must not allocate, so its memory is reserved here.
    return simulation->rig && poise_rig_reserve_forces(simulation->rig) >= POISE_OK;
}

static bool make_room(PoiseSimulation* simulation) {
    const PoiseScene* scene = simulation->scene;
    size_t bodies = (size_t)scene->body_count + 1;
    size_t joints = (size_t)scene->joint_count + 1;
    size_t points = (size_t)scene->point_count + 1;
    size_t shapes = 1;
    for (int i = 0; i < scene->body_count; i++) {
        shapes += (size_t)scene->bodies[i].shape_count;
    }
    simulation->bodies = calloc(bodies, sizeof *simulation->bodies);
    simulation->moving = calloc(bodies, sizeof *simulation->moving);
    simulation->to_visit = calloc(bodies, sizeof *simulation->to_visit);
    simulation->visited = calloc(bodies, sizeof *simulation->visited);
    simulation->spaces = calloc(bodies, sizeof *simulation->spaces);
    simulation->joints = calloc(joints, sizeof *simulation->joints);
    simulation->nodes = calloc(joints, sizeof *simulation->nodes);
    simulation->running_joints = calloc(joints, sizeof *simulation->running_joints);
    simulation->now.joints = simulation->running_joints;
    simulation->points = calloc(points, sizeof *simulation->points);
    simulation->point_capacity = (int)points;
    simulation->shapes = calloc(shapes, sizeof *simulation->shapes);
    return simulation->bodies && simulation->moving && simulation->to_visit &&
           simulation->visited && simulation->spaces && simulation->joints && simulation->nodes &&
           simulation->running_joints && simulation->points && simulation->shapes;
}

static bool is_made(const PoiseScene* scene, bool made, PoiseDiagnostics* diagnostics) {
    if (!made) {
        poise__diagnose(diagnostics, POISE_ERROR, (PoiseMark){scene->file, 0, 0},
                        "the world cannot be made: memory is short");
    }
    return made;
}

PoiseSimulation* poise_simulation_create(const PoiseScene* scene, PoiseDiagnostics* diagnostics) {
    if (!scene) {
        return NULL;
    }
    PoiseSimulation* simulation = calloc(1, sizeof *simulation);
    bool made = simulation != NULL;
    if (made) {
        simulation->scene = scene;
        simulation->now = *scene;
        PoiseWorldDef world = scene->world.def;
        world.host = counting_host(simulation);
        world.most_contacts = MOST_CONTACTS;
        simulation->world = make_room(simulation) ? poise_world_create(&world) : NULL;
        made =
            simulation->world && make_rig(simulation) && poise__simulation_make_bodies(simulation);
    }
    // Search memory is reserved last: the search for a goal out of reach needs compiled bodies,
    // which a step must not make.
    if (is_made(scene, made, diagnostics) &&
        poise__simulation_make_joints(simulation, diagnostics) &&
        poise__simulation_make_points(simulation, diagnostics) &&
        poise__simulation_keep_apart(simulation, diagnostics) &&
        poise__simulation_check_rows(simulation, diagnostics) &&
        is_made(scene, poise_rig_reserve_search(simulation->rig) >= POISE_OK, diagnostics)) {
        return simulation;
    }
    poise_simulation_destroy(simulation);
    return NULL;
}

void poise_simulation_destroy(PoiseSimulation* simulation) {
    if (!simulation) {
        return;
    }
    poise_rig_destroy(simulation->rig);
    poise_tree_destroy(simulation->tree);
    poise_world_destroy(simulation->world);
    free(simulation->bodies);
    free(simulation->moving);
    free(simulation->to_visit);
    free(simulation->visited);
    free(simulation->spaces);
    free(simulation->joints);
    free(simulation->nodes);
    free(simulation->running_joints);
    free(simulation->points);
    for (int i = 0; simulation->shapes && i < simulation->shape_count; i++) {
        poise__simulation_drop_hull(&simulation->shapes[i].hull);
    }
    free(simulation->shapes);
    free(simulation);
}

// ---------------------------------------------------------------------------------------- stepping

static bool has_diverged(dBodyID body) {
    const dReal* v = dBodyGetLinearVel(body);
    const dReal* w = dBodyGetAngularVel(body);
    for (int i = 0; i < 3; i++) {
        // A comparison with NaN is false, so its negation finds NaN too.
        if (!(fabs((double)v[i]) <= DIVERGED_SPEED) || !(fabs((double)w[i]) <= DIVERGED_SPIN)) {
            return true;
        }
    }
    return false;
}

static dBodyID find_diverged(const PoiseSimulation* simulation) {
    for (int i = 0; i < simulation->moving_count; i++) {
        if (has_diverged(simulation->moving[i])) {
            return simulation->moving[i];
        }
    }
    return NULL;
}

static void report_divergence(PoiseSimulation* simulation, dBodyID body) {
    const PoiseScene* scene = simulation->scene;
    const char* kind = "the simulation";
    const char* name = "";
    for (int i = 0; body && i < scene->body_count; i++) {
        if (simulation->bodies[i] == body) {
            int joint = scene->bodies[i].joint;
            kind = joint >= 0 ? "joint " : "body ";
            name = joint >= 0 ? scene->joints[joint].name : scene->bodies[i].name;
        }
    }
    simulation->failed = true;
    snprintf(simulation->trouble, sizeof simulation->trouble, "%s%.100s blew up at %.6g s", kind,
             name, poise_simulation_time(simulation));
}

void poise_simulation_give_up(PoiseSimulation* simulation) {
    if (simulation && !simulation->failed) {
        simulation->step_count++;
        report_divergence(simulation, find_diverged(simulation));
    }
}

// Writes the reason of a failed step to `trouble`. Returns an error status.
static PoiseStatus fail(PoiseSimulation* simulation, dBodyID body, PoiseStatus status) {
    if (status == POISE_ERROR_OUT_OF_MEMORY) {
        simulation->failed = true;
    }
    if (status == POISE_ERROR_OUT_OF_MEMORY && poise_world_is_crowded(simulation->world)) {
        snprintf(simulation->trouble, sizeof simulation->trouble,
                 "more than %d contacts at once at %.6g s", MOST_CONTACTS,
                 poise_simulation_time(simulation));
    } else if (status == POISE_ERROR_OUT_OF_MEMORY && simulation->trouble[0] == '\0') {
        snprintf(simulation->trouble, sizeof simulation->trouble,
                 "memory is short: no step was made after %.6g s",
                 poise_simulation_time(simulation));
    } else {
        report_divergence(simulation, body);
    }
    return status < 0 ? status : POISE_ERROR_INVALID_ARGUMENT;
}

// Adds the durations of a step's stages to the costs. `times`: start of the solve, of the collision
// and of ODE's step, and the end, s.
static void count_cost(PoiseSimulation* simulation, const double times[4]) {
    PoiseSimulationCost* spent = &simulation->spent;
    if (!simulation->warm && poise_simulation_time(simulation) >= WARM_UP) {
        simulation->warm = true;
        spent->ik_us = spent->collision_us = spent->ode_us = 0.0;
        simulation->timed_steps = 0;
    }
    spent->ik_us += 1e6 * (times[1] - times[0]);
    spent->collision_us += 1e6 * (times[2] - times[1]);
    spent->ode_us += 1e6 * (times[3] - times[2]);
    simulation->timed_steps++;
}

PoiseStatus poise_simulation_step(PoiseSimulation* simulation) {
    if (!simulation || simulation->failed) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    double h = simulation->scene->world.step;
    long allocations = simulation->allocations;
    // The step should end at its goals, so they are those of the time at its end.
    PoiseStatus status =
        poise__simulation_set_goals(simulation, (double)(simulation->step_count + 1) * h);
    status = poise__first_error(status, poise__simulation_follow_motion(
                                            simulation, (double)(simulation->step_count + 1) * h));
    status = poise__first_error(status, poise__simulation_follow_leaders(simulation));
    const double start = now();
    if (status >= 0) {
        status = poise_rig_update(simulation->rig, h, &simulation->report);
    }
    const double solved = now();
    if (status < 0) {
        return fail(simulation, find_diverged(simulation), status);
    }
    poise__simulation_apply_pull(simulation);
    poise__simulation_apply_pushes(simulation);
    PoiseStatus stepped = poise_world_collide(simulation->world);
    const double collided = now();
    if (stepped == POISE_OK && !poise__simulation_fits_step(simulation)) {
        stepped = POISE_ERROR_OUT_OF_MEMORY;
    }
    stepped = stepped == POISE_OK ? poise_world_step(simulation->world, h) : stepped;
    if (stepped == POISE_ERROR_OUT_OF_MEMORY) {
        return fail(simulation, NULL, stepped);
    }
    count_cost(simulation, (const double[]){start, solved, collided, now()});
    if (simulation->step_count > 0) {
        simulation->spent.allocations += simulation->allocations - allocations;
    }
    simulation->step_count++;
    dBodyID diverged =
        stepped != POISE_OK ? poise_world_lost_body(simulation->world) : find_diverged(simulation);
    if (stepped != POISE_OK || diverged) {
        return fail(simulation, diverged, stepped);
    }
    return status;
}

// ------------------------------------------------------------------------------------------ asking

const char* poise_simulation_trouble(const PoiseSimulation* simulation) {
    return simulation ? simulation->trouble : "";
}

double poise_simulation_time(const PoiseSimulation* simulation) {
    return simulation ? poise__simulation_now(simulation) : 0.0;
}

long poise_simulation_step_count(const PoiseSimulation* simulation) {
    return simulation ? (long)simulation->step_count : 0;
}

double poise_simulation_step_length(const PoiseSimulation* simulation) {
    return simulation ? simulation->scene->world.step : 0.0;
}

const PoiseScene* poise_simulation_scene(const PoiseSimulation* simulation) {
    return simulation ? simulation->scene : NULL;
}

PoiseWorld* poise_simulation_world(const PoiseSimulation* simulation) {
    return simulation ? simulation->world : NULL;
}

PoiseRig* poise_simulation_rig(const PoiseSimulation* simulation) {
    return simulation ? simulation->rig : NULL;
}

PoiseTree* poise_simulation_tree(const PoiseSimulation* simulation) {
    return simulation ? simulation->tree : NULL;
}

uint64_t poise_simulation_state_hash(const PoiseSimulation* simulation) {
    return simulation ? poise_state_hash(simulation->moving, (size_t)simulation->moving_count) : 0;
}

const PoiseRigReport* poise_simulation_report(const PoiseSimulation* simulation) {
    return simulation ? &simulation->report : NULL;
}

PoiseSimulationCost poise_simulation_cost(const PoiseSimulation* simulation) {
    PoiseSimulationCost cost = {.ik_us = 0.0};
    if (simulation && simulation->timed_steps > 0) {
        const double scale = 1.0 / (double)simulation->timed_steps;
        cost = simulation->spent;
        cost.ik_us *= scale;
        cost.collision_us *= scale;
        cost.ode_us *= scale;
    }
    return cost;
}
