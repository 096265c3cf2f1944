// SPDX-License-Identifier: MIT
// Finds bodies that ODE cannot step, since ODE ends the process at a NaN. ODE has no list of a
// world's bodies, so these are the bodies of the space's geoms and the watched bodies.
#include <string.h>

#include "world_internal.h"

// Largest accepted number in SI units: beyond it ODE's squares and fourth powers overflow.
static const double MOST = 1e20;

static inline double size_of(const dReal* v) {
    return fabs((double)v[0]) + fabs((double)v[1]) + fabs((double)v[2]);
}

static bool is_moderate(const dReal* v, int count) {
    for (int i = 0; i < count; i++) {
        if (!(fabs((double)v[i]) <= MOST)) {
            return false;
        }
    }
    return true;
}

static bool is_lost(dBodyID body, bool forces) {
    const dReal* position = dBodyGetPosition(body);
    const dReal* q = dBodyGetQuaternion(body);
    const dReal* linear = dBodyGetLinearVel(body);
    const dReal* angular = dBodyGetAngularVel(body);
    double size =
        size_of(position) + size_of(q) + fabs((double)q[3]) + size_of(linear) + size_of(angular);
    if (forces) {
        size += size_of(dBodyGetForce(body)) + size_of(dBodyGetTorque(body));
    }
    // usually the sum of all numbers is in range, and one test suffices (a NaN fails it)
    if (size <= MOST) {
        return false;
    }
    return !is_moderate(position, 3) || !is_moderate(q, 4) || !is_moderate(linear, 3) ||
           !is_moderate(angular, 3) ||
           (forces &&
            (!is_moderate(dBodyGetForce(body), 3) || !is_moderate(dBodyGetTorque(body), 3)));
}

static dBodyID find_lost_in(dSpaceID space, bool forces) {
    int count = dSpaceGetNumGeoms(space);
    // the last body that was checked, since geoms of one body are mostly adjacent
    dBodyID sound = NULL;
    for (int i = 0; i < count; i++) {
        dGeomID geom = dSpaceGetGeom(space, i);
        dBodyID lost = NULL;
        if (dGeomIsSpace(geom)) {
            lost = find_lost_in((dSpaceID)geom, forces);
        } else {
            dBodyID body = dGeomGetBody(geom);
            lost = body && body != sound && is_lost(body, forces) ? body : NULL;
            sound = body;
        }
        if (lost) {
            return lost;
        }
    }
    return NULL;
}

dBodyID poise__world_find_lost(const PoiseWorld* world, bool forces) {
    for (int i = 0; i < world->watched_count; i++) {
        if (is_lost(world->watched[i], forces)) {
            return world->watched[i];
        }
    }
    return find_lost_in(world->space, forces);
}

static void name_bodies_of(PoiseExact* exact, dSpaceID space) {
    const int count = dSpaceGetNumGeoms(space);
    // the last body that was named, since geoms of one body are mostly adjacent
    dBodyID last = NULL;
    for (int i = 0; i < count; i++) {
        dGeomID geom = dSpaceGetGeom(space, i);
        if (dGeomIsSpace(geom)) {
            name_bodies_of(exact, (dSpaceID)geom);
            continue;
        }
        dBodyID body = dGeomGetBody(geom);
        if (body && body != last) {
            poise__exact_see(exact, body);
        }
        last = body;
    }
}

void poise__world_name_bodies(const PoiseWorld* world) {
    for (int i = 0; i < world->watched_count; i++) {
        poise__exact_see(world->exact, world->watched[i]);
    }
    name_bodies_of(world->exact, world->space);
}

dBodyID poise_world_lost_body(const PoiseWorld* world) {
    return world ? world->lost : NULL;
}

PoiseStatus poise_world_watch(PoiseWorld* world, dBodyID body) {
    if (!world || !body) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (dBodyGetWorld(body) != world->ode) {
        return POISE_ERROR_FOREIGN_WORLD;
    }
    for (int i = 0; i < world->watched_count; i++) {
        if (world->watched[i] == body) {
            return POISE_OK;
        }
    }
    if (!poise__world_grow(world, &world->watched, &world->watched_capacity, world->watched_count,
                           sizeof(dBodyID))) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    world->watched[world->watched_count++] = body;
    return POISE_OK;
}

void poise_world_unwatch(PoiseWorld* world, dBodyID body) {
    for (int i = 0; world && i < world->watched_count; i++) {
        if (world->watched[i] == body) {
            world->watched_count--;
            // keeps the order, on which it depends which lost body is found first
            memmove(&world->watched[i], &world->watched[i + 1],
                    (size_t)(world->watched_count - i) * sizeof(dBodyID));
            return;
        }
    }
}
