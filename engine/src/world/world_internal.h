// SPDX-License-Identifier: MIT
// Structs and functions that the files of the folder world share.
#ifndef POISE_WORLD_INTERNAL_H
#define POISE_WORLD_INTERNAL_H

#include "block_arrays.h"
#include "exact_step.h"
#include "poise/world.h"

/// A contact point of the next step or of the last step.
typedef struct Contact {
    dJointID joint; ///< contact joint, in the world's contact group; destroyed after the step
    dBodyID first;  ///< the body on which the feedback's first force acts, never NULL
    dBodyID second; ///< the other body, or NULL for the environment
    PoiseVec3 place;
    PoiseVec3 normal; ///< unit vector into `first`
    dJointFeedback feedback;
} Contact;

/// Two geoms whose bounding boxes overlap. Their poses alone decide which of them is first.
typedef struct Pair {
    dGeomID first;
    dGeomID second;
    double least_first; ///< smallest x of the first geom's bounding box
    double least_second;
} Pair;

struct PoiseWorld {
    PoiseWorldDef def;
    dWorldID ode;
    dSpaceID space;
    dThreadingImplementationID threading;
    dJointGroupID contact_group;
    PoiseExact* exact; ///< exact stepper; NULL if ODE makes the steps
    Pair* pairs;
    int pair_count;
    int pair_capacity;
    Contact* contacts;
    int contact_count;
    int contact_capacity;
    dBodyID* watched;
    int watched_count;
    int watched_capacity;
    bool crowded; ///< the last search found more pairs or contacts than PoiseWorldDef.most_contacts
    bool collided; ///< the contacts of the next step have been made
    dBodyID lost;
    bool short_of_memory; ///< the last step failed for lack of memory, which was logged
    unsigned long steps;  ///< number of steps made; it seeds ODE's random order in quick steps
};

/// Makes room for one more element in an array of `capacity` with `count` elements; the least
/// capacity is 256. False, with nothing changed, if memory runs out.
static inline bool poise__world_grow(const PoiseWorld* world, void* pointer, int* capacity,
                                     int count, size_t element) {
    enum { LEAST_CAPACITY = 256 };
    return poise__grow(&world->def.host, pointer, capacity,
                       count < LEAST_CAPACITY ? LEAST_CAPACITY : count + 1, element);
}
/// Make room for one more contact, or pair of geoms. If memory runs out, the capacity stays.
static inline bool poise__world_reserve_contact(PoiseWorld* world) {
    return poise__world_grow(world, &world->contacts, &world->contact_capacity,
                             world->contact_count, sizeof(Contact));
}
static inline bool poise__world_reserve_pair(PoiseWorld* world) {
    return poise__world_grow(world, &world->pairs, &world->pair_capacity, world->pair_count,
                             sizeof(Pair));
}
/// world_contact.c: makes the contacts of two geoms.
void poise__world_touch(PoiseWorld* world, dGeomID first, dGeomID second);

/// world_pairs.c: makes the contact joints of the next step.
void poise__world_collide(PoiseWorld* world);
/// Destroys the contact joints; their feedback stays.
void poise__world_drop_contacts(PoiseWorld* world);

/// world_lost.c: passes the bodies of the space and the watched ones to the exact stepper.
void poise__world_name_bodies(const PoiseWorld* world);

/// Returns the first body whose state would make ODE fail, or NULL. `forces`: also checks the
/// forces that were added for the next step.
dBodyID poise__world_find_lost(const PoiseWorld* world, bool forces);

#endif
