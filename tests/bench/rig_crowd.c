// SPDX-License-Identifier: MIT
// rig-crowd: measures 10 to 1,000 rigs of seven joints in one world. It prints the cost of a rig in
// set-up, memory and updates, one by one and in one call: the median and the least of many steps,
// and the ratio to the cost of a rig among ten. rig-crowd --memory prints only the memory, which is
// the same in every run.
#define _POSIX_C_SOURCE 200809L
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "poise/rig.h"
#include "times.h"
#include "works.h"

// the two readings of the clock would distort the time of an update of fewer than 10 rigs
enum { JOINTS = 7, FEWEST_RIGS = 10, MOST_RIGS = 1000 };
enum { UPDATES = 20000, LEAST_ROUNDS = 40, MOST_ROUNDS = UPDATES / FEWEST_RIGS };
enum { ALONE, TOGETHER, MODES };

static const double DT = 0.005;
static const double LINK = 0.3; ///< length of a link, m

typedef struct Arm {
    dBodyID bodies[JOINTS];
    PoiseTree* tree;
    PoiseRig* rig;
    PoisePointId tip;
} Arm;

typedef struct Crowd {
    TestHost host;
    dWorldID world;
    int count;
    Arm arms[MOST_RIGS];
} Crowd;

typedef struct Cost {
    double setup; ///< time to create a rig, us
    /// Median time of an update, us, for each mode: separate calls, one call for all rigs.
    double median[MODES];
    double best[MODES];
    double bytes;       ///< memory of a rig, bytes
    double blocks;      ///< memory blocks of a rig
    double step_blocks; ///< allocations in all updates after the first step
} Cost;

static void require(bool holds, const char* what) {
    if (!holds) {
        fprintf(stderr, "rig-crowd: %s\n", what);
        exit(1);
    }
}

// Stacks seven boxes on hinges, alternately about y and x.
static void build_arm(dWorldID world, double x, Arm* arm) {
    dBodyID below = NULL;
    for (int i = 0; i < JOINTS; i++) {
        dMass mass;
        dMassSetBoxTotal(&mass, 1.0, 0.1, 0.1, LINK);
        arm->bodies[i] = dBodyCreate(world);
        dBodySetMass(arm->bodies[i], &mass);
        dBodySetPosition(arm->bodies[i], x, 0.0, (i + 0.5) * LINK);
        dJointID joint = dJointCreateHinge(world, NULL);
        dJointAttach(joint, arm->bodies[i], below);
        dJointSetHingeAnchor(joint, x, 0.0, i * LINK);
        dJointSetHingeAxis(joint, i % 2, 1 - i % 2, 0.0);
        below = arm->bodies[i];
    }
}

static void add_rig(Crowd* crowd, Arm* arm) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.host = test_host(&crowd->host);
    arm->tree = poise_tree_create(&tree_def);
    PoiseRigDef rig_def = poise_default_rig_def();
    rig_def.tree = arm->tree;
    rig_def.world = crowd->world;
    rig_def.host = test_host(&crowd->host);
    arm->rig = poise_rig_create(&rig_def);
    PoiseBindDef like = poise_default_bind_def();
    like.ik = (PoiseSpring){2000.0, 60.0};
    require(poise_rig_import(arm->rig, arm->bodies[0], &like) == JOINTS, "joints not bound");
    PoisePointDef point = poise_default_position_def();
    point.link = poise_rig_node_of_body(arm->rig, arm->bodies[JOINTS - 1]);
    point.in_link.p = poise_vec3(0.0, 0.0, 0.5 * LINK);
    arm->tip = poise_point_create(arm->tree, &point);
    require(poise_register_chain(arm->tree, arm->tip, poise_null_node()) == POISE_OK,
            "point not registered");
}

static void update_all(Crowd* crowd, int round, bool together) {
    static PoiseRig* rigs[MOST_RIGS];
    const double reach = JOINTS * LINK;
    for (int i = 0; i < crowd->count; i++) {
        const double phase = 0.02 * round + i;
        const PoiseVec3 goal =
            poise_vec3(i + 0.2 * reach * sin(phase), 0.1 * reach * cos(phase), 0.8 * reach);
        WORKS(poise_point_set_position(crowd->arms[i].tree, crowd->arms[i].tip, goal));
        rigs[i] = crowd->arms[i].rig;
        require(together || poise_rig_update(rigs[i], DT, NULL) >= POISE_OK, "update failed");
    }
    require(!together || poise_rigs_update(rigs, crowd->count, DT, NULL) >= POISE_OK,
            "update failed");
}

// Measures the time per update, us, of both modes by turns, with steps of the world between them.
static void time_updates(Crowd* crowd, int rounds, Cost* cost) {
    static double times[MODES][MOST_ROUNDS];
    for (int round = 0; round < MODES * rounds; round++) {
        const int mode = round % MODES;
        const double begun = time_us(CLOCK_THREAD_CPUTIME_ID);
        update_all(crowd, round + 1, mode == TOGETHER);
        times[mode][round / MODES] = (time_us(CLOCK_THREAD_CPUTIME_ID) - begun) / crowd->count;
        dWorldStep(crowd->world, DT);
    }
    for (int mode = 0; mode < MODES; mode++) {
        qsort(times[mode], (size_t)rounds, sizeof *times[mode], by_size);
        cost->median[mode] = times[mode][rounds / 2];
        cost->best[mode] = times[mode][0];
    }
}

static Cost measure(int count, bool timed) {
    static Crowd crowd;
    memset(&crowd, 0, sizeof crowd);
    crowd.count = count;
    crowd.world = dWorldCreate();
    for (int i = 0; i < count; i++) {
        build_arm(crowd.world, i, &crowd.arms[i]);
    }
    Cost cost = {0};
    const double begun = time_us(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < count; i++) {
        add_rig(&crowd, &crowd.arms[i]);
    }
    cost.setup = (time_us(CLOCK_THREAD_CPUTIME_ID) - begun) / count;
    update_all(&crowd, 0, false);
    dWorldStep(crowd.world, DT);
    cost.bytes = (double)crowd.host.live_bytes / count;
    cost.blocks = (double)crowd.host.live_blocks / count;
    const long allocations = crowd.host.allocations;
    int rounds = timed ? UPDATES / count : 1;
    rounds = timed && rounds < LEAST_ROUNDS ? LEAST_ROUNDS : rounds;
    time_updates(&crowd, rounds, &cost);
    cost.step_blocks = (double)(crowd.host.allocations - allocations);
    for (int i = 0; i < count; i++) {
        poise_rig_destroy(crowd.arms[i].rig);
        poise_tree_destroy(crowd.arms[i].tree);
    }
    dWorldDestroy(crowd.world);
    require(crowd.host.live_blocks == 0, "memory not given back");
    return cost;
}

int main(int argc, char** argv) {
    const bool memory = argc == 2 && strcmp(argv[1], "--memory") == 0;
    if (argc > 1 && !memory) {
        fprintf(stderr, "usage: rig-crowd [--memory]\n");
        return 2;
    }
    dInitODE2(0);
    if (memory) {
        const Cost cost = measure(MOST_RIGS / 10, false);
        printf("crowd.bytes_a_rig %.0f\n", cost.bytes);
        printf("crowd.blocks_a_rig %.0f\n", cost.blocks);
        printf("crowd.blocks_in_updates %.0f\n", cost.step_blocks);
        dCloseODE();
        return 0;
    }
    Cost few = {0};
    printf("%6s %10s %8s %7s %19s %19s\n", "rigs", "set-up us", "bytes", "blocks",
           "update us (best)", "in one call");
    for (int count = FEWEST_RIGS; count <= MOST_RIGS; count *= 10) {
        const Cost cost = measure(count, true);
        few = count == FEWEST_RIGS ? cost : few;
        printf("%6d %10.1f %8.0f %7.1f %10.2f (%6.2f) %10.2f (%6.2f)\n", count, cost.setup,
               cost.bytes, cost.blocks, cost.median[ALONE], cost.best[ALONE], cost.median[TOGETHER],
               cost.best[TOGETHER]);
        printf("%6s %10s %8s %7s %10.2f (%6.2f) %10.2f (%6.2f)\n", "", "", "", "of one",
               cost.median[ALONE] / few.median[ALONE], cost.best[ALONE] / few.best[ALONE],
               cost.median[TOGETHER] / few.median[ALONE], cost.best[TOGETHER] / few.best[ALONE]);
    }
    dCloseODE();
    return 0;
}
