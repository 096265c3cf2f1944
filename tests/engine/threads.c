// SPDX-License-Identifier: MIT
// Worlds in different threads: the same bits as one after the other. A plain program, so that
// thread and leak checkers can follow it. Exit 0: all equal.
#include <pthread.h>
#include <stdio.h>

#include "poise/world.h"

enum { WORLDS = 4, ROUNDS = 5, BOXES = 6, STEPS = 400 };

static uint64_t tumble(int which) {
    PoiseWorldDef def = poise_default_world_def();
    def.restitution = 0.2;
    PoiseWorld* world = poise_world_create(&def);
    if (!world) {
        return 0;
    }
    poise_world_add_ground(world, 0.0);
    dBodyID bodies[BOXES];
    for (int i = 0; i < BOXES; i++) {
        dMass mass;
        dMassSetBoxTotal(&mass, 1.0 + 0.1 * which, 0.3, 0.3, 0.3);
        bodies[i] = dBodyCreate(poise_world_ode(world));
        dBodySetMass(bodies[i], &mass);
        dBodySetPosition(bodies[i], 0.05 * i + 0.01 * which, 0.04 * (i % 3), 0.4 + 0.45 * i);
        dBodySetAngularVel(bodies[i], 0.3 * i, 1.0, 0.1 * which);
        dGeomSetBody(dCreateBox(poise_world_space(world), 0.3, 0.3, 0.3), bodies[i]);
    }
    bool sound = true;
    for (int i = 0; i < STEPS; i++) {
        sound = poise_world_step(world, 0.005) == POISE_OK && sound;
    }
    uint64_t hash = sound ? poise_state_hash(bodies, BOXES) : 0;
    poise_world_destroy(world);
    return hash;
}

typedef struct Task {
    int which;
    uint64_t hash;
} Task;

static void* run_task(void* data) {
    Task* task = (Task*)data;
    task->hash = tumble(task->which);
    return NULL;
}

int main(void) {
    uint64_t serial[WORLDS];
    for (int i = 0; i < WORLDS; i++) {
        serial[i] = tumble(i);
        if (serial[i] == 0 || (i > 0 && serial[i] == serial[0])) {
            fprintf(stderr, "world %d did not run as it should\n", i);
            return 1;
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[WORLDS];
        Task tasks[WORLDS];
        for (int i = 0; i < WORLDS; i++) {
            tasks[i].which = i;
            tasks[i].hash = 0;
            if (pthread_create(&threads[i], NULL, run_task, &tasks[i]) != 0) {
                fprintf(stderr, "no thread\n");
                return 1;
            }
        }
        for (int i = 0; i < WORLDS; i++) {
            pthread_join(threads[i], NULL);
            if (tasks[i].hash != serial[i]) {
                fprintf(stderr, "round %d, world %d: other bits than alone\n", round, i);
                return 1;
            }
        }
    }
    return 0;
}
