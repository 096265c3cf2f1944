// SPDX-License-Identifier: MIT
// A program of poise::engine and poise::ode_elementary: a rig swings a door to and fro, and the
// rotations and joint angles that ODE computes have the bits of Poise's functions. Linked without
// poise::ode_elementary the program ends with 1.
#include <math.h>
#include <ode/ode.h>
#include <poise/rig.h>
#include <stdio.h>

enum { STEPS = 2000 };

int main(void) {
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    dBodyID door = dBodyCreate(world);
    dJointID hinge = dJointCreateHinge(world, 0);
    dJointAttach(hinge, door, 0);
    dJointSetHingeAxis(hinge, 0.0, 0.0, 1.0);

    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseRigDef rig_def = poise_default_rig_def();
    rig_def.tree = tree;
    rig_def.world = world;
    PoiseRig* rig = poise_rig_create(&rig_def);
    PoiseBindDef bind_def = poise_default_bind_def();
    PoisePointDef point_def = poise_default_position_def();
    point_def.link = poise_rig_add(rig, hinge, door, &bind_def);
    point_def.in_link.p = poise_vec3(1.0, 0.0, 0.0);
    PoisePointId edge = poise_point_create(tree, &point_def);
    PoiseStatus status = poise_register_chain(tree, edge, poise_null_node());

    int other_turns = 0;
    int other_angles = 0;
    double widest = 0.0;
    for (int step = 0; step < STEPS && status >= POISE_OK; step++) {
        const double angle = poise_cos(0.01 * step) - 1.0;
        const PoiseVec3 goal = poise_vec3(poise_cos(angle), poise_sin(angle), 0.0);
        status = poise_point_set_position(tree, edge, goal);
        status = status >= POISE_OK ? poise_rig_update(rig, 0.01, NULL) : status;
        dWorldStep(world, 0.01);
        const dReal* q = dBodyGetQuaternion(door);
        // compare angles below 0 alone: ODE rounds the others once more, as it takes 2 pi off
        const double read = dJointGetHingeAngle(hinge);
        other_angles += read < 0.0 && -read != 2.0 * poise_atan2(fabs(q[3]), fabs(q[0]));
        widest = fmax(widest, -read);
        dQuaternion turn;
        dQFromAxisAndAngle(turn, 0.0, 0.0, 1.0, angle);
        other_turns += turn[0] != poise_cos(0.5 * angle) || turn[3] != poise_sin(0.5 * angle);
    }
    printf("%s, up to %.3f rad; of %d steps %d turns and %d angles are not Poise's\n",
           poise_status_name(status), widest, STEPS, other_turns, other_angles);
    poise_rig_destroy(rig);
    poise_tree_destroy(tree);
    dWorldDestroy(world);
    dCloseODE();
    return status >= POISE_OK && widest > 1.9 && other_turns == 0 && other_angles == 0 ? 0 : 1;
}
