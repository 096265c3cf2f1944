// SPDX-License-Identifier: MIT
// ragdolls [COUNT [STEPS]]: drops COUNT (1,000) damped ragdolls of 15 bodies on the ground, far
// apart, in one world made by Poise. Prints the CPU time of a step with its collision detection,
// ms, for each stepper, and that of the slower of two threads with half of the ragdolls each.
#define _POSIX_C_SOURCE 200809L
#include <ode/ode.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "poise/world.h"

static const double H = 0.005;       ///< length of a step, s
static const double SPACING = 3.0;   ///< distance of two ragdolls, m
static const double DENSITY = 985.0; ///< density of the boxes, kg/m^3
static const double DAMPER = 3.0;    ///< damping of each joint, N m s/rad

enum { PARTS = 15, SETTLING = 150 };

/// A box of the ragdoll, and the ball or hinge that connects it to its parent.
typedef struct Part {
    int parent;
    double place[3];  ///< centre of the box, m
    double size[3];   ///< side lengths of the box, m
    double anchor[3]; ///< place of the joint, m
    bool hinge;       ///< True for a hinge about y
} Part;

// A ragdoll on its back along x. The parts of the left side come first, then those of the right.
static const Part parts[] = {
    {-1, {0.0, 0.0, 0.1}, {0.16, 0.28, 0.16}, {0.0, 0.0, 0.0}, false},
    {0, {0.3, 0.0, 0.1}, {0.36, 0.3, 0.18}, {0.1, 0.0, 0.1}, false},
    {1, {0.62, 0.0, 0.1}, {0.2, 0.18, 0.2}, {0.5, 0.0, 0.1}, false},
    {1, {0.31, 0.21, 0.1}, {0.24, 0.08, 0.08}, {0.44, 0.21, 0.1}, false},
    {3, {0.06, 0.21, 0.1}, {0.22, 0.07, 0.07}, {0.18, 0.21, 0.1}, true},
    {4, {-0.14, 0.21, 0.1}, {0.16, 0.08, 0.03}, {-0.06, 0.21, 0.1}, false},
    {0, {-0.26, 0.1, 0.1}, {0.38, 0.13, 0.13}, {-0.06, 0.1, 0.1}, false},
    {6, {-0.66, 0.1, 0.1}, {0.38, 0.1, 0.1}, {-0.46, 0.1, 0.1}, true},
    {7, {-0.9, 0.1, 0.14}, {0.06, 0.09, 0.24}, {-0.87, 0.1, 0.1}, true},
    {1, {0.31, -0.21, 0.1}, {0.24, 0.08, 0.08}, {0.44, -0.21, 0.1}, false},
    {9, {0.06, -0.21, 0.1}, {0.22, 0.07, 0.07}, {0.18, -0.21, 0.1}, true},
    {10, {-0.14, -0.21, 0.1}, {0.16, 0.08, 0.03}, {-0.06, -0.21, 0.1}, false},
    {0, {-0.26, -0.1, 0.1}, {0.38, 0.13, 0.13}, {-0.06, -0.1, 0.1}, false},
    {12, {-0.66, -0.1, 0.1}, {0.38, 0.1, 0.1}, {-0.46, -0.1, 0.1}, true},
    {13, {-0.9, -0.1, 0.14}, {0.06, 0.09, 0.24}, {-0.87, -0.1, 0.1}, true}};
_Static_assert(sizeof parts / sizeof *parts == PARTS, "count the parts");

/// A stepper, and its number of iterations.
typedef struct Way {
    const char* name;
    PoiseStepKind stepper;
    int iterations;
} Way;

static const Way ways[] = {{"exact", POISE_STEP_EXACT, 0},
                           {"dWorldStep", POISE_STEP_ODE, 0},
                           {"dWorldQuickStep, 20", POISE_STEP_QUICK, 20},
                           {"dWorldQuickStep, 50", POISE_STEP_QUICK, 50}};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static void require(bool holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "ragdolls: %s\n", what);
        exit(1);
    }
}

static void damp(dWorldID world, dBodyID body, dBodyID parent, int axes) {
    dJointID motor = dJointCreateAMotor(world, NULL);
    dJointAttach(motor, body, parent);
    dJointSetAMotorNumAxes(motor, axes);
    for (int k = 0; k < axes; k++) {
        // a hinge turns about y
        const int axis = axes == 1 ? 1 : k;
        dJointSetAMotorAxis(motor, k, 1, axis == 0, axis == 1, axis == 2);
        dJointSetAMotorParam(motor, dParamFMax + k * dParamGroup, dInfinity);
        dJointSetAMotorParam(motor, dParamCFM + k * dParamGroup, 1.0 / DAMPER);
    }
}

static void add_ragdoll(PoiseWorld* world, double x, double y) {
    dWorldID ode = poise_world_ode(world);
    dSpaceID space = poise_world_add_group(world);
    dBodyID bodies[PARTS];
    for (int i = 0; i < PARTS; i++) {
        const Part* part = &parts[i];
        const double* size = part->size;
        dMass mass;
        dMassSetBox(&mass, DENSITY, size[0], size[1], size[2]);
        bodies[i] = dBodyCreate(ode);
        dBodySetMass(bodies[i], &mass);
        dBodySetPosition(bodies[i], x + part->place[0], y + part->place[1], part->place[2]);
        dGeomSetBody(dCreateBox(space, size[0], size[1], size[2]), bodies[i]);
        if (part->parent < 0) {
            continue;
        }
        dBodyID parent = bodies[part->parent];
        dJointID joint = part->hinge ? dJointCreateHinge(ode, NULL) : dJointCreateBall(ode, NULL);
        dJointAttach(joint, bodies[i], parent);
        (part->hinge ? dJointSetHingeAnchor : dJointSetBallAnchor)(
            joint, x + part->anchor[0], y + part->anchor[1], part->anchor[2]);
        if (part->hinge) {
            dJointSetHingeAxis(joint, 0.0, 1.0, 0.0);
        }
        damp(ode, bodies[i], parent, part->hinge ? 1 : 3);
    }
}

static PoiseWorld* make_world(const Way* way, int count) {
    PoiseWorldDef def = poise_default_world_def();
    def.stepper = way->stepper;
    def.quick_iterations = way->iterations;
    PoiseWorld* world = poise_world_create(&def);
    require(world && poise_world_add_ground(world, 0.0), "no world");
    for (int i = 0; i < count; i++) {
        add_ragdoll(world, SPACING * (i % 32), SPACING * (double)(i / 32));
    }
    return world;
}

static void run(PoiseWorld* world, int steps) {
    for (int k = 0; k < steps; k++) {
        require(poise_world_step(world, H) >= POISE_OK, "a step failed");
    }
}

/// The ragdolls that one thread simulates, and the time that this takes.
typedef struct Share {
    PoiseWorld* world;
    int steps;
    double time; ///< CPU time of a step of this thread, ms
} Share;

static void* run_share(void* user) {
    Share* share = user;
    require(dAllocateODEDataForThread((unsigned)dAllocateMaskAll) != 0, "no memory for a thread");
    const double begun = now();
    run(share->world, share->steps);
    share->time = (now() - begun) / share->steps;
    dCleanupODEAllDataForThread();
    return NULL;
}

/// Returns the CPU time of a step, ms, of the slower of two worlds, each on its own thread.
static double time_threads(const Way* way, int count, int steps) {
    Share shares[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        shares[i] = (Share){make_world(way, count / 2), steps, 0.0};
        run(shares[i].world, SETTLING);
    }
    for (int i = 0; i < 2; i++) {
        require(pthread_create(&threads[i], NULL, run_share, &shares[i]) == 0, "no thread");
    }
    for (int i = 0; i < 2; i++) {
        require(pthread_join(threads[i], NULL) == 0, "a thread is lost");
    }
    poise_world_destroy(shares[0].world);
    poise_world_destroy(shares[1].world);
    return shares[0].time > shares[1].time ? shares[0].time : shares[1].time;
}

static void time_way(const Way* way, int count, int steps) {
    PoiseWorld* world = make_world(way, count);
    run(world, SETTLING);
    double least = 1e300;
    double collisions = 1e300;
    for (int k = 0; k < steps; k++) {
        const double begun = now();
        require(poise_world_collide(world) >= POISE_OK, "no contacts");
        const double collided = now();
        run(world, 1);
        const double ended = now();
        collisions = collided - begun < collisions ? collided - begun : collisions;
        least = ended - begun < least ? ended - begun : least;
    }
    const double contacts = (double)poise_world_contact_count(world) / count;
    poise_world_destroy(world);
    printf("%-20s %10.1f %10.1f %10.1f %12.1f\n", way->name, least, collisions,
           time_threads(way, count, steps), contacts);
}

int main(int argc, char** argv) {
    const int count = argc > 1 ? atoi(argv[1]) : 1000;
    const int steps = argc > 2 ? atoi(argv[2]) : 20;
    if (count < 2 || steps < 1) {
        fprintf(stderr, "usage: ragdolls [COUNT [STEPS]]\n");
        return 2;
    }
    dInitODE2(0);
    printf("%-20s %10s %10s %10s %12s\n", "ms a step", "1 thread", "collisions", "2 threads",
           "contacts");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        time_way(&ways[i], count, steps);
    }
    dCloseODE();
    return 0;
}
