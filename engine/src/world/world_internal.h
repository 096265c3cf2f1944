// SPDX-License-Identifier: MIT
// What the files of an owned world share.
#ifndef POISE_WORLD_INTERNAL_H
#define POISE_WORLD_INTERNAL_H

#include "exact_step.h"
#include "poise/world.h"

/// A contact point of this step or the last one.
typedef struct Contact {
    dJointID joint; ///< in the world's contact group; gone after the step
    dBodyID first;  ///< never NULL
    dBodyID second; ///< NULL: the static environment
    PoiseVec3 place;
    PoiseVec3 normal; ///< into `first`
    dJointFeedback feedback;
} Contact;

/// Two geoms whose boxes overlap, in an order that follows from where they are.
typedef struct Pair {
    dGeomID first;
    dGeomID second;
    double least_first; ///< x where its box begins
    double least_second;
} Pair;

struct PoiseWorld {
    PoiseWorldDef def;
    dWorldID ode;
    dSpaceID space;
    dThreadingImplementationID threading;
    dJointGroupID contact_group;
    PoiseExact* exact; ///< NULL: ODE steps alone
    Pair* pairs;
    int pair_count;
    int pair_capacity;
    Contact* contacts;
    int contact_count;
    int contact_capacity;
    dBodyID* watched;
    int watched_count;
    int watched_capacity;
    bool crowded;  ///< more pairs or contacts were found than may be
    bool collided; ///< the contacts of the coming step have been found
    dBodyID lost;
    bool short_of_memory; ///< the last step was lost for want of it, and the log told
    unsigned long steps;  ///< done; seeds ODE's random order of quick steps
};

/// Room for one more element of `size` in an array of `capacity` that holds `count`; false, and
/// nothing changed, without memory.
bool poise__world_grow(const PoiseHost* host, void** data, size_t size, int count, int* capacity);
/// world_contact.c: room for one more contact; the capacity stays as it is without memory.
void poise__world_reserve_contacts(PoiseWorld* world);

/// Room in `pairs` for one more.
void poise__world_reserve_pairs(PoiseWorld* world);
/// world_contact.c: the contacts of two geoms.
void poise__world_touch(PoiseWorld* world, dGeomID first, dGeomID second);

/// Makes the contact joints of the step that follows.
void poise__world_collide(PoiseWorld* world);
/// Destroys them; their feedback stays.
void poise__world_drop_contacts(PoiseWorld* world);

/// world_watch.c: names the bodies of the space and the watched ones for the exact step.
void poise__world_name_bodies(const PoiseWorld* world);

/// The first body whose state ODE could not step from, NULL if there is none. `forces`: what was
/// added for the next step counts too.
dBodyID poise__world_find_lost(const PoiseWorld* world, bool forces);

#endif
