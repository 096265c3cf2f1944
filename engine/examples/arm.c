// SPDX-License-Identifier: MIT
// Adds an arm to an existing machine: a turntable that its own motor turns to and fro, without
// Poise. The arm on the table keeps its tip at one position in the world.
//
// Prints the distance of the tip from that position each half second. Ends with 0 if the tip stays
// within 1 cm, and the machine turns as it would without the arm's rig.
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>

#include "poise/rig.h"

enum { LINKS = 4 };

static const double STEP = 0.005;
static const double LENGTH = 0.3;

typedef struct Machine {
    dWorldID world;
    dBodyID table;
    dJointID bearing;
    dBodyID links[LINKS];
    dJointID joints[LINKS];
} Machine;

// ------------------------------------------------------------------- the machine, without Poise

static dBodyID add_box(dWorldID world, PoiseVec3 at, PoiseVec3 size) {
    dMass mass;
    dMassSetBox(&mass, 1000.0, size.x, size.y, size.z);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, at.x, at.y, at.z);
    return body;
}

static dJointID add_hinge(dBodyID child, dBodyID parent, PoiseVec3 at, bool upright) {
    dJointID joint = dJointCreateHinge(dBodyGetWorld(child), NULL);
    dJointAttach(joint, child, parent);
    dJointSetHingeAnchor(joint, at.x, at.y, at.z);
    dJointSetHingeAxis(joint, 0.0, upright ? 0.0 : 1.0, upright ? 1.0 : 0.0);
    return joint;
}

static Machine make_machine(void) {
    Machine machine = {0};
    machine.world = dWorldCreate();
    dWorldSetGravity(machine.world, 0.0, 0.0, -9.81);
    machine.table = add_box(machine.world, poise_vec3(0.0, 0.0, 0.05), poise_vec3(1.0, 1.0, 0.1));
    machine.bearing = add_hinge(machine.table, NULL, poise_vec3(0.0, 0.0, 0.0), true);
    // the machine's own motor, which Poise does not change
    dJointSetHingeParam(machine.bearing, dParamFMax, 500.0);
    dBodyID below = machine.table;
    for (int i = 0; i < LINKS; i++) {
        double z = 0.1 + LENGTH * i;
        dBodyID link = add_box(machine.world, poise_vec3(0.2, 0.0, z + 0.5 * LENGTH),
                               poise_vec3(0.05, 0.05, LENGTH - 0.02));
        machine.links[i] = link;
        machine.joints[i] = add_hinge(link, below, poise_vec3(0.2, 0.0, z), i == 0);
        below = link;
    }
    return machine;
}

// Turns the table by 0.3 rad to either side, with a period of four seconds.
static void drive_machine(const Machine* machine, double time) {
    double speed = 0.3 * 1.57 * cos(1.57 * time);
    dJointSetHingeParam(machine->bearing, dParamVel, speed);
}

// --------------------------------------------------------------------------------- what Poise adds

typedef struct Arm {
    PoiseTree* tree;
    PoiseRig* rig;
    PoisePointId tip;
} Arm;

// Adds the arm's rig. After an error prints a message and returns false.
static bool add_arm(Arm* arm, const Machine* machine) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.host = poise_host_stderr();
    arm->tree = poise_tree_create(&tree_def);
    PoiseRigDef rig_def = poise_default_rig_def();
    rig_def.host = tree_def.host;
    rig_def.tree = arm->tree;
    rig_def.world = machine->world;
    arm->rig = poise_rig_create(&rig_def);
    if (!arm->rig) {
        fprintf(stderr, "no rig\n");
        return false;
    }
    // the bearing is a node without springs: Poise does not drive the bearing, but knows through it
    // that the table can carry the arm's weight
    PoiseBindDef passive = poise_default_bind_def();
    passive.ik = (PoiseSpring){0.0, 0.0};
    poise_rig_add(arm->rig, machine->bearing, machine->table, &passive);
    PoiseBindDef driven = poise_default_bind_def();
    driven.ik = (PoiseSpring){4000.0, 40.0};
    driven.torque_limit = 300.0;
    for (int i = 0; i < LINKS; i++) {
        poise_rig_add(arm->rig, machine->joints[i], machine->links[i], &driven);
    }
    PoisePointDef point = poise_default_position_def();
    point.link = poise_rig_node_of_body(arm->rig, machine->links[LINKS - 1]);
    point.in_link.p = poise_vec3(0.0, 0.0, 0.5 * LENGTH);
    point.has_goal = true;
    point.goal.p = poise_vec3(0.7, 0.1, 0.6);
    arm->tip = poise_point_create(arm->tree, &point);
    poise_register_chain(arm->tree, arm->tip, poise_null_node());
    if (poise_rig_status(arm->rig) < 0 || poise_tree_status(arm->tree) < 0) {
        fprintf(stderr, "%s%s\n", poise_rig_message(arm->rig), poise_tree_message(arm->tree));
        return false;
    }
    return true;
}

static double distance(const Machine* machine, const Arm* arm) {
    dVector3 tip;
    dBodyGetRelPointPos(machine->links[LINKS - 1], 0.0, 0.0, 0.5 * LENGTH, tip);
    PoiseVec3 goal = poise_point_goal(arm->tree, arm->tip).p;
    return poise_length(poise_sub(poise_vec3(tip[0], tip[1], tip[2]), goal));
}

static bool run(const Machine* machine, const Arm* arm) {
    const int second = (int)(1.0 / STEP + 0.5);
    double farthest = 0.0, turned = 0.0;
    for (int i = 0; i < 10 * second; i++) {
        drive_machine(machine, i * STEP);
        if (poise_rig_update(arm->rig, STEP, NULL) < 0) {
            fprintf(stderr, "%s\n", poise_rig_message(arm->rig));
            return false;
        }
        dWorldStep(machine->world, STEP);
        double off = distance(machine, arm);
        turned = fmax(turned, (double)dJointGetHingeAngle(machine->bearing));
        farthest = i >= 2 * second ? fmax(farthest, off) : farthest;
        if (i % (second / 2) == 0) {
            printf("%5.1f s: table at %6.3f rad, tip %6.2f mm off\n", i * STEP,
                   (double)dJointGetHingeAngle(machine->bearing), 1e3 * off);
        }
    }
    printf("farthest after two seconds: %.2f mm; the table went to %.3f rad\n", 1e3 * farthest,
           turned);
    return farthest < 0.01 && fabs(turned - 0.3) < 0.01;
}

int main(void) {
    dInitODE2(0);
    Machine machine = make_machine();
    Arm arm = {0};
    bool held = add_arm(&arm, &machine) && run(&machine, &arm);
    printf("%s\n", held ? "the tip kept its place" : "the tip did not keep its place");
    poise_rig_destroy(arm.rig);
    poise_tree_destroy(arm.tree);
    dWorldDestroy(machine.world);
    dCloseODE();
    return held ? 0 : 1;
}
