// SPDX-License-Identifier: MIT
// Makes a contact joint at each point where two geoms touch, for one step. poise__world_collide
// comes before dWorldStep, poise__world_drop_contacts after it.
#include <math.h>
#include <string.h>

#include "convert.h"
#include "world_internal.h"

enum {
    /// largest number of contacts of a pair of geoms; boxes of ODE have at most 8
    MAX_PAIR_CONTACTS = 16
};

// Impacts slower than this do not bounce, so that bodies come to rest, m/s.
static const double MIN_BOUNCE_SPEED = 0.05;

static dSurfaceParameters surface(const PoiseWorldDef* def) {
    dSurfaceParameters s = {0};
    // in other modes mu is a force, N, and not a coefficient
    s.mode = dContactApprox1;
    s.mu = isinf(def->friction) ? dInfinity : (dReal)def->friction;
    if (def->restitution > 0.0) {
        s.mode |= dContactBounce;
        s.bounce = (dReal)def->restitution;
        s.bounce_vel = (dReal)MIN_BOUNCE_SPEED;
    }
    return s;
}

// Adds a contact. If memory is short, makes the contact joint without a record in world->contacts.
static void add_contact(PoiseWorld* world, const dContact* contact, dBodyID a, dBodyID b) {
    dJointID joint = dJointCreateContact(world->ode, world->contact_group, contact);
    dJointAttach(joint, a, b);
    if (world->exact) {
        poise__exact_contact(world->exact, joint, contact);
    }
    if (!poise__world_reserve_contact(world)) {
        return;
    }
    // the first body of ODE's feedback is never NULL: beside a geom without a body it is the other
    // geom's body
    Contact* record = &world->contacts[world->contact_count++];
    memset(record, 0, sizeof *record);
    record->joint = joint;
    record->first = a ? a : b;
    record->second = a ? b : NULL;
    record->place = poise__vec3_from(contact->geom.pos);
    // the normal of ODE points into the body of the first geom
    record->normal = poise_scale(a ? 1.0 : -1.0, poise__vec3_from(contact->geom.normal));
}

void poise__world_touch(PoiseWorld* world, dGeomID first, dGeomID second) {
    dContactGeom geoms[MAX_PAIR_CONTACTS];
    int count = dCollide(first, second, MAX_PAIR_CONTACTS, geoms, (int)sizeof geoms[0]);
    dContact contact = {.surface = surface(&world->def)};
    for (int i = 0; i < count; i++) {
        contact.geom = geoms[i];
        add_contact(world, &contact, dGeomGetBody(first), dGeomGetBody(second));
    }
}

void poise__world_drop_contacts(PoiseWorld* world) {
    dJointGroupEmpty(world->contact_group);
    if (world->exact) {
        poise__exact_forget_contacts(world->exact);
    }
}

int poise_world_contact_count(const PoiseWorld* world) {
    return world ? world->contact_count : 0;
}

PoiseStatus poise_world_contact(const PoiseWorld* world, int index, PoiseContact* contact) {
    if (!world || !contact || index < 0 || index >= world->contact_count) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const Contact* record = &world->contacts[index];
    *contact = (PoiseContact){.place = record->place,
                              .normal = record->normal,
                              .force = poise__vec3_from(record->feedback.f1),
                              .first = record->first,
                              .second = record->second};
    return POISE_OK;
}

PoiseStatus poise_world_contact_force(const PoiseWorld* world, dBodyID body, PoiseVec3* force,
                                      PoiseVec3* torque) {
    if (!world || !body) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseVec3 f = poise_vec3(0.0, 0.0, 0.0);
    PoiseVec3 t = f;
    for (int i = 0; i < world->contact_count; i++) {
        const Contact* contact = &world->contacts[i];
        if (contact->first == body) {
            f = poise_add(f, poise__vec3_from(contact->feedback.f1));
            t = poise_add(t, poise__vec3_from(contact->feedback.t1));
        } else if (contact->second == body) {
            f = poise_add(f, poise__vec3_from(contact->feedback.f2));
            t = poise_add(t, poise__vec3_from(contact->feedback.t2));
        }
    }
    if (force) {
        *force = f;
    }
    if (torque) {
        *torque = t;
    }
    return POISE_OK;
}
