// SPDX-License-Identifier: MIT
#include "boxes.h"

#include <criterion/criterion.h>

dBodyID add_box(PoiseWorld* world, dSpaceID space, double side, PoiseVec3 place) {
    dMass mass;
    dMassSetBoxTotal(&mass, BOX_MASS, side, side, side);
    dBodyID body = dBodyCreate(poise_world_ode(world));
    dBodySetMass(body, &mass);
    dBodySetPosition(body, place.x, place.y, place.z);
    dGeomSetBody(dCreateBox(space, side, side, side), body);
    return body;
}

PoiseWorld* make_world(void) {
    PoiseWorldDef def = poise_default_world_def();
    PoiseWorld* world = poise_world_create(&def);
    cr_assert(world);
    return world;
}

void run(PoiseWorld* world, int steps) {
    for (int i = 0; i < steps; i++) {
        cr_assert(poise_world_step(world, DT) == POISE_OK);
    }
}
