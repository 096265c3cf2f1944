// SPDX-License-Identifier: MIT
// Step 8 of the tutorial: a world of your own with a goal that moves. An arm of two links, built in
// ODE, follows a circle; Poise computes the goal's velocity, so the arm does not lag. Ends with 0
// if the tip stays within a millimetre after the first second.
#include <math.h>
#include <stdio.h>

#include "poise/rig.h"

#define STEP 0.005

static dBodyID add_link(dWorldID world, double z) {
    dBodyID body = dBodyCreate(world);
    dMass mass;
    dMassSetBoxTotal(&mass, 1.0, 0.05, 0.05, 0.5);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, 0.0, 0.0, z);
    return body;
}

static void add_ball(dWorldID world, dBodyID link, dBodyID below, double z) {
    dJointID joint = dJointCreateBall(world, NULL);
    dJointAttach(joint, link, below);
    dJointSetBallAnchor(joint, 0.0, 0.0, z);
}

int main(void) {
    // the part that your program has already: world, bodies, joints
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0.0, 0.0, -9.81);
    dBodyID lower = add_link(world, 0.25);
    dBodyID upper = add_link(world, 0.75);
    add_ball(world, lower, NULL, 0.0);
    add_ball(world, upper, lower, 0.5);

    // the part that Poise adds: a tree, a rig, springs on every joint from the lower link on, a
    // point
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.host = poise_host_stderr();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseRigDef rig_def = poise_default_rig_def();
    rig_def.host = tree_def.host;
    rig_def.tree = tree;
    rig_def.world = world;
    PoiseRig* rig = poise_rig_create(&rig_def);
    PoiseBindDef like = poise_default_bind_def();
    like.ik = (PoiseSpring){2000.0, 40.0};
    poise_rig_import(rig, lower, &like);
    PoisePointDef point = poise_default_position_def();
    point.link = poise_rig_node_of_body(rig, upper);
    point.in_link.p = poise_vec3(0.0, 0.0, 0.25);
    PoisePointId tip = poise_point_create(tree, &point);
    poise_register_chain(tree, tip, poise_null_node());
    if (poise_rig_problem(rig)) {
        printf("%s\n", poise_rig_problem(rig));
        return 1;
    }

    double farthest = 0.0;
    for (int i = 0; i * STEP < 4.0; i++) {
        double angle = 2.0 * i * STEP;
        PoiseVec3 goal = poise_vec3(0.4 + 0.1 * cos(angle), 0.1 * sin(angle), 0.7);
        poise_point_set_position(tree, tip, goal);
        poise_rig_update(rig, STEP, NULL);
        dWorldStep(world, STEP);

        dVector3 at;
        dBodyGetRelPointPos(upper, 0.0, 0.0, 0.25, at);
        double off = poise_length(poise_sub(poise_vec3(at[0], at[1], at[2]), goal));
        farthest = i * STEP >= 1.0 ? fmax(farthest, off) : farthest;
    }
    printf("a goal at 0.2 m/s: at most %.2f mm off\n", 1e3 * farthest);
    poise_rig_destroy(rig);
    poise_tree_destroy(tree);
    dWorldDestroy(world);
    dCloseODE();
    return farthest < 0.001 ? 0 : 1;
}
