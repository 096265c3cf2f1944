// SPDX-License-Identifier: MIT
// Worlds in different threads give the same bits as one after the other. A plain program, so that
// thread and leak checkers can follow it. Exit 0: all equal.
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "poise/rig.h"
#include "poise/world.h"

enum { WORLDS = 4, ROUNDS = 5, BOXES = 6, LINKS = 5, STEPS = 400 };

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

// Makes an arm of balls and hinges that follows a circling goal, with a world, a tree and a rig of
// its own.
static PoiseRig* make_arm(PoiseWorld* world, PoiseTree* tree, dBodyID* bodies) {
    for (int i = 0; i < LINKS; i++) {
        dMass mass;
        dMassSetBoxTotal(&mass, 1.0, 0.1, 0.1, 0.3);
        bodies[i] = dBodyCreate(poise_world_ode(world));
        dBodySetMass(bodies[i], &mass);
        dBodySetPosition(bodies[i], 0.0, 0.0, 0.15 + 0.3 * i);
        dJointID joint = i % 2 ? dJointCreateHinge(poise_world_ode(world), NULL)
                               : dJointCreateBall(poise_world_ode(world), NULL);
        dJointAttach(joint, bodies[i], i > 0 ? bodies[i - 1] : NULL);
        if (i % 2) {
            dJointSetHingeAnchor(joint, 0.0, 0.0, 0.3 * i);
            dJointSetHingeAxis(joint, 0.0, 1.0, 0.0);
        } else {
            dJointSetBallAnchor(joint, 0.0, 0.0, 0.3 * i);
        }
    }
    PoiseRigDef def = poise_default_rig_def();
    def.tree = tree;
    def.world = poise_world_ode(world);
    PoiseRig* rig = poise_rig_create(&def);
    PoiseBindDef like = poise_default_bind_def();
    like.ik = (PoiseSpring){1000.0, 50.0};
    return rig && poise_rig_import(rig, bodies[0], &like) == LINKS ? rig : NULL;
}

static uint64_t reach(int which) {
    PoiseWorldDef def = poise_default_world_def();
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseWorld* world = poise_world_create(&def);
    PoiseTree* tree = poise_tree_create(&tree_def);
    dBodyID bodies[LINKS];
    PoiseRig* rig = make_arm(world, tree, bodies);
    if (!rig) {
        return 0;
    }
    PoisePointDef point_def = poise_default_position_def();
    point_def.link = poise_rig_node_of_body(rig, bodies[LINKS - 1]);
    PoisePointId point = poise_point_create(tree, &point_def);
    bool sound = poise_register_chain(tree, point, poise_null_node()) == POISE_OK;
    for (int i = 0; i < STEPS; i++) {
        double t = 0.01 * i + which;
        PoiseVec3 goal = poise_vec3(0.5 * cos(t), 0.5 * sin(t), 0.9);
        sound = poise_point_set_position(tree, point, goal) == POISE_OK && sound;
        sound = poise_rig_update(rig, 0.01, NULL) == POISE_OK && sound;
        sound = poise_world_step(world, 0.01) == POISE_OK && sound;
    }
    uint64_t hash = sound ? poise_state_hash(bodies, LINKS) : 0;
    poise_rig_destroy(rig);
    poise_tree_destroy(tree);
    poise_world_destroy(world);
    return hash;
}

typedef struct Task {
    uint64_t (*run)(int which);
    int which;
    uint64_t hash;
} Task;

static void* run_task(void* data) {
    Task* task = (Task*)data;
    task->hash = task->run(task->which);
    return NULL;
}

// Returns 0 if the threads give the same hashes as serial runs.
static int compare(const char* name, uint64_t (*run)(int which)) {
    uint64_t serial[WORLDS];
    for (int i = 0; i < WORLDS; i++) {
        serial[i] = run(i);
        if (serial[i] == 0 || (i > 0 && serial[i] == serial[0])) {
            fprintf(stderr, "%s: world %d did not run as it should\n", name, i);
            return 1;
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t threads[WORLDS];
        Task tasks[WORLDS];
        for (int i = 0; i < WORLDS; i++) {
            tasks[i] = (Task){run, i, 0};
            if (pthread_create(&threads[i], NULL, run_task, &tasks[i]) != 0) {
                fprintf(stderr, "no thread\n");
                return 1;
            }
        }
        for (int i = 0; i < WORLDS; i++) {
            pthread_join(threads[i], NULL);
            if (tasks[i].hash != serial[i]) {
                fprintf(stderr, "%s: round %d, world %d: other bits than alone\n", name, round, i);
                return 1;
            }
        }
    }
    return 0;
}

int main(void) {
    return compare("tumbling boxes", tumble) | compare("reaching arms", reach);
}
