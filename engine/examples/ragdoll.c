// SPDX-License-Identifier: MIT
// A ragdoll in a world of your own: bodies, joints, contacts and steps are plain ODE, as in a game.
// Poise makes its left hand reach for a position while pushes knock the ragdoll about. No joint
// holds the ragdoll to the world, and no force of Poise acts on it from outside.
//
// Prints the distance of the hand from the position each half second. Ends with 0 if the hand is
// back within 2 cm after every push.
#include <ode/ode.h>
#include <stdio.h>

#include "poise/rig.h"

enum { MOST_BODIES = 16, MOST_CONTACTS = 8 };

static const double STEP = 0.005;

typedef struct Game {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID bodies[MOST_BODIES];
    int body_count;
} Game;

// ----------------------------------------------------------------------- the game, without Poise

static void touch(void* data, dGeomID a, dGeomID b) {
    Game* game = (Game*)data;
    dBodyID first = dGeomGetBody(a);
    dBodyID second = dGeomGetBody(b);
    if (first && second) {
        return; // limbs do not collide with each other, as in many games
    }
    dContact contact[MOST_CONTACTS];
    int count = dCollide(a, b, MOST_CONTACTS, &contact[0].geom, (int)sizeof contact[0]);
    for (int i = 0; i < count; i++) {
        contact[i].surface.mode = dContactApprox1;
        contact[i].surface.mu = 0.8;
        dJointAttach(dJointCreateContact(game->world, game->contacts, &contact[i]), first, second);
    }
}

static PoiseVec3 v(double x, double y, double z) {
    return poise_vec3(x, y, z);
}

static dBodyID add_box(Game* game, PoiseVec3 at, PoiseVec3 size) {
    dMass mass;
    dMassSetBox(&mass, 985.0, size.x, size.y, size.z);
    dBodyID body = dBodyCreate(game->world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, at.x, at.y, at.z);
    dGeomSetBody(dCreateBox(game->space, size.x, size.y, size.z), body);
    game->bodies[game->body_count++] = body;
    return body;
}

static void add_ball(Game* game, dBodyID a, dBodyID b, PoiseVec3 at) {
    dJointID joint = dJointCreateBall(game->world, NULL);
    dJointAttach(joint, a, b);
    dJointSetBallAnchor(joint, at.x, at.y, at.z);
}

static void add_hinge(Game* game, dBodyID a, dBodyID b, PoiseVec3 at) {
    dJointID joint = dJointCreateHinge(game->world, NULL);
    dJointAttach(joint, a, b);
    dJointSetHingeAnchor(joint, at.x, at.y, at.z);
    dJointSetHingeAxis(joint, 0.0, 1.0, 0.0);
}

typedef struct Ragdoll {
    dBodyID pelvis;
    dBodyID chest;
    dBodyID upper_arm;
    dBodyID forearm;
    dBodyID hand;
} Ragdoll;

// Builds the ragdoll on its back, its head along x.
static Ragdoll add_ragdoll(Game* game) {
    Ragdoll doll = {0};
    doll.pelvis = add_box(game, v(0.0, 0.0, 0.085), v(0.16, 0.28, 0.16));
    doll.chest = add_box(game, v(0.30, 0.0, 0.095), v(0.36, 0.30, 0.18));
    dBodyID head = add_box(game, v(0.62, 0.0, 0.105), v(0.20, 0.18, 0.20));
    add_ball(game, doll.pelvis, doll.chest, v(0.10, 0.0, 0.09));
    add_ball(game, doll.chest, head, v(0.50, 0.0, 0.10));
    for (int side = -1; side <= 1; side += 2) {
        double arm = 0.21 * side;
        double leg = 0.10 * side;
        dBodyID upper = add_box(game, v(0.31, arm, 0.10), v(0.26, 0.08, 0.08));
        dBodyID fore = add_box(game, v(0.06, arm, 0.10), v(0.24, 0.07, 0.07));
        dBodyID hand = add_box(game, v(-0.14, arm, 0.10), v(0.16, 0.08, 0.03));
        add_ball(game, doll.chest, upper, v(0.44, arm, 0.10));
        add_hinge(game, upper, fore, v(0.18, arm, 0.10));
        add_ball(game, fore, hand, v(-0.06, arm, 0.10));
        dBodyID thigh = add_box(game, v(-0.26, leg, 0.075), v(0.40, 0.12, 0.12));
        dBodyID shank = add_box(game, v(-0.66, leg, 0.065), v(0.40, 0.09, 0.09));
        add_ball(game, doll.pelvis, thigh, v(-0.06, leg, 0.075));
        add_hinge(game, thigh, shank, v(-0.46, leg, 0.075));
        if (side == 1) {
            doll.upper_arm = upper;
            doll.forearm = fore;
            doll.hand = hand;
        }
    }
    return doll;
}

static void step_game(Game* game) {
    dSpaceCollide(game->space, game, touch);
    dWorldStep(game->world, STEP);
    dJointGroupEmpty(game->contacts);
}

// --------------------------------------------------------------------------------- what Poise adds

typedef struct Reach {
    PoiseTree* tree;
    PoiseRig* rig;
    PoisePointId hand;
} Reach;

// Adds the ragdoll's rig. After an error prints a message and returns false.
static bool add_reach(Reach* reach, const Game* game, const Ragdoll* doll) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.host = poise_host_stderr();
    reach->tree = poise_tree_create(&tree_def);
    PoiseRigDef rig_def = poise_default_rig_def();
    rig_def.host = tree_def.host;
    rig_def.tree = reach->tree;
    rig_def.world = game->world;
    reach->rig = poise_rig_create(&rig_def);
    if (!reach->rig) {
        fprintf(stderr, "no rig\n");
        return false;
    }
    // no spring drives the pelvis; every other joint keeps its posture softly
    PoiseBindDef none = poise_default_bind_def();
    none.ik = (PoiseSpring){0.0, 0.0};
    poise_rig_add_base(reach->rig, doll->pelvis, &none);
    PoiseBindDef limb = poise_default_bind_def();
    limb.original = (PoiseSpring){40.0, 3.0};
    limb.ik = (PoiseSpring){400.0, 20.0};
    poise_rig_import(reach->rig, doll->pelvis, &limb);
    // only the joints of the arm move the hand to its goal
    PoisePointDef point = poise_default_position_def();
    point.link = poise_rig_node_of_body(reach->rig, doll->hand);
    point.in_link.p = poise_vec3(-0.08, 0.0, 0.0);
    point.has_goal = true;
    point.goal.p = poise_vec3(0.20, 0.10, 0.50);
    point.max_speed = 2.0;
    reach->hand = poise_point_create(reach->tree, &point);
    const dBodyID arm[] = {doll->upper_arm, doll->forearm, doll->hand};
    const PoiseSpring off = {0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        PoiseNodeId node = poise_rig_node_of_body(reach->rig, arm[i]);
        poise_register(reach->tree, reach->hand, node);
        poise_rig_set_original(reach->rig, node, off);
    }
    if (poise_rig_status(reach->rig) < 0 || poise_tree_status(reach->tree) < 0) {
        fprintf(stderr, "%s%s\n", poise_rig_message(reach->rig), poise_tree_message(reach->tree));
        return false;
    }
    return true;
}

static double distance(const Ragdoll* doll, const Reach* reach) {
    dVector3 palm;
    dBodyGetRelPointPos(doll->hand, -0.08, 0.0, 0.0, palm);
    PoiseVec3 goal = poise_point_goal(reach->tree, reach->hand).p;
    return poise_length(poise_sub(poise_vec3(palm[0], palm[1], palm[2]), goal));
}

static bool run(Game* game, const Ragdoll* doll, const Reach* reach) {
    const int second = (int)(1.0 / STEP + 0.5);
    bool came_back = true;
    for (int i = 0; i < 12 * second; i++) {
        // pushes the chest every two seconds, from alternate sides
        int since = i % (2 * second);
        if (i >= 2 * second && since < second / 10) {
            double way = i / (2 * second) % 2 ? 1.0 : -1.0;
            dBodyAddForce(doll->chest, 0.0, 800.0 * way, 250.0);
        }
        if (poise_rig_update(reach->rig, STEP, NULL) < 0) {
            fprintf(stderr, "%s\n", poise_rig_message(reach->rig));
            return false;
        }
        step_game(game);
        if (i % (second / 2) == 0) {
            printf("%5.1f s: hand %6.1f mm off\n", i * STEP, 1e3 * distance(doll, reach));
        }
        // measures just before the next push
        if (since == 2 * second - 1) {
            came_back = came_back && distance(doll, reach) < 0.02;
        }
    }
    return came_back;
}

int main(void) {
    dInitODE2(0);
    Game game = {0};
    game.world = dWorldCreate();
    dWorldSetGravity(game.world, 0.0, 0.0, -9.81);
    game.space = dSimpleSpaceCreate(NULL);
    game.contacts = dJointGroupCreate(0);
    dCreatePlane(game.space, 0.0, 0.0, 1.0, 0.0);
    Ragdoll doll = add_ragdoll(&game);

    Reach reach = {0};
    bool held = add_reach(&reach, &game, &doll) && run(&game, &doll, &reach);
    printf("%s\n", held ? "the hand came back after every blow" : "the hand stayed away");

    // destroys the rig, then the tree, then the world
    poise_rig_destroy(reach.rig);
    poise_tree_destroy(reach.tree);
    dJointGroupDestroy(game.contacts);
    dSpaceDestroy(game.space);
    dWorldDestroy(game.world);
    dCloseODE();
    return held ? 0 : 1;
}
