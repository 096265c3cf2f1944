// SPDX-License-Identifier: MIT
// Step 9 of the tutorial: a closed chain. Four bars form an arch with both ends on the ground, so
// one joint closes a loop. Poise finds it and keeps the loop closed while the top moves to a goal.
// Ends with 0 if the top reaches the goal and the loop is closed.
#include <math.h>
#include <stdio.h>

#include "poise/closure.h"

enum { BARS = 4 };

#define STEP 0.005

// The corners of the arch, x and z, m.
static const double corners[BARS + 1][2] = {
    {0.0, 0.0}, {-0.3, 0.4}, {0.2, 0.8}, {0.7, 0.4}, {0.4, 0.0}};

static dBodyID add_bar(dWorldID world, const double from[2], const double to[2]) {
    double x = to[0] - from[0], z = to[1] - from[1];
    dBodyID body = dBodyCreate(world);
    dMass mass;
    dMassSetBoxTotal(&mass, 1.0, 0.05, 0.05, hypot(x, z));
    dBodySetMass(body, &mass);
    dBodySetPosition(body, 0.5 * (from[0] + to[0]), 0.0, 0.5 * (from[1] + to[1]));
    dQuaternion q;
    dQFromAxisAndAngle(q, 0.0, 1.0, 0.0, atan2(x, z));
    dBodySetQuaternion(body, q);
    return body;
}

static dJointID add_hinge(dWorldID world, dBodyID bar, dBodyID other, const double at[2]) {
    dJointID joint = dJointCreateHinge(world, NULL);
    dJointAttach(joint, bar, other);
    dJointSetHingeAnchor(joint, at[0], 0.0, at[1]);
    dJointSetHingeAxis(joint, 0.0, 1.0, 0.0);
    return joint;
}

int main(void) {
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0.0, 0.0, -9.81);
    dBodyID bars[BARS];
    for (int i = 0; i < BARS; i++) {
        bars[i] = add_bar(world, corners[i], corners[i + 1]);
        add_hinge(world, bars[i], i > 0 ? bars[i - 1] : NULL, corners[i]);
    }
    dJointID last = add_hinge(world, bars[BARS - 1], NULL, corners[BARS]);

    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.host = poise_host_stderr();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseRigDef rig_def = poise_default_rig_def();
    rig_def.host = tree_def.host;
    rig_def.tree = tree;
    rig_def.world = world;
    PoiseRig* rig = poise_rig_create(&rig_def);
    PoiseBindDef like = poise_default_bind_def();
    like.ik = (PoiseSpring){1000.0, 40.0};
    int driven = poise_rig_import(rig, bars[0], &like);
    printf("%d joints are driven, %d closes the loop\n", driven, poise_rig_closure_count(rig));

    // the top corner of the arch is the upper end of the second bar
    PoisePointDef point = poise_default_position_def();
    point.link = poise_rig_node_of_body(rig, bars[1]);
    point.in_link.p = poise_vec3(0.0, 0.0, 0.5 * hypot(0.5, 0.4));
    PoisePointId top = poise_point_create(tree, &point);
    poise_register_chain(tree, top, poise_null_node());
    PoiseVec3 goal = poise_vec3(0.3, 0.0, 0.75);
    poise_point_set_position(tree, top, goal);
    for (int i = 0; i * STEP < 3.0; i++) {
        poise_rig_update(rig, STEP, NULL);
        dWorldStep(world, STEP);
    }

    dVector3 at, foot, here;
    dBodyGetRelPointPos(bars[1], 0.0, 0.0, point.in_link.p.z, at);
    dJointGetHingeAnchor(last, foot);
    dJointGetHingeAnchor2(last, here);
    double off = poise_length(poise_sub(poise_vec3(at[0], at[1], at[2]), goal));
    double gap = hypot(foot[0] - here[0], foot[2] - here[2]);
    printf("the top is %.3f mm off, the loop %.4f mm open\n", 1e3 * off, 1e3 * gap);
    poise_rig_destroy(rig);
    poise_tree_destroy(tree);
    dWorldDestroy(world);
    dCloseODE();
    return off < 1e-4 && gap < 1e-4 ? 0 : 1;
}
