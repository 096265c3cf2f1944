// SPDX-License-Identifier: MIT
// A program that uses poise::engine in its own ODE world, compiled as C and as C++. A spring pulls
// a bar on a hinge until its end is at its goal.
#include <ode/ode.h>
#include <poise/rig.h>
#include <stdio.h>

static dJointID hinged_bar(dWorldID world, dBodyID* bar) {
    dMass mass;
    dMassSetBoxTotal(&mass, 1.0, 1.0, 0.1, 0.1);
    *bar = dBodyCreate(world);
    dBodySetMass(*bar, &mass);
    dBodySetPosition(*bar, 0.5, 0.0, 0.0);
    dJointID hinge = dJointCreateHinge(world, 0);
    dJointAttach(hinge, *bar, 0);
    dJointSetHingeAnchor(hinge, 0.0, 0.0, 0.0);
    dJointSetHingeAxis(hinge, 0.0, 0.0, 1.0);
    return hinge;
}

int main(void) {
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    dBodyID bar;
    dJointID hinge = hinged_bar(world, &bar);

    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseRigDef rig_def = poise_default_rig_def();
    rig_def.tree = tree;
    rig_def.world = world;
    PoiseRig* rig = poise_rig_create(&rig_def);
    PoiseBindDef bind_def = poise_default_bind_def();
    PoiseNodeId node = poise_rig_add(rig, hinge, bar, &bind_def);
    PoisePointDef point_def = poise_default_position_def();
    point_def.link = node;
    point_def.in_link.p = poise_rig_place_in_link(rig, node, poise_vec3(1.0, 0.0, 0.0));
    point_def.has_goal = true;
    point_def.goal.p = poise_vec3(0.6, 0.8, 0.0);
    PoisePointId point = poise_point_create(tree, &point_def);
    PoiseStatus status = poise_register_chain(tree, point, poise_null_node());
    for (int step = 0; step < 500 && status >= POISE_OK; step++) {
        status = poise_rig_update(rig, 0.01, NULL);
        dWorldStep(world, 0.01);
    }
    status = status >= POISE_OK ? poise_rig_update(rig, 0.01, NULL) : status;
    double error = poise_point_planned_error(tree, point);
    printf("%s, %.3g m from the goal\n", poise_status_name(status), error);
    poise_rig_destroy(rig);
    poise_tree_destroy(tree);
    dWorldDestroy(world);
    dCloseODE();
    return status >= POISE_OK && error < 1e-3 ? 0 : 1;
}
