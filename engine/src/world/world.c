// SPDX-License-Identifier: MIT
// Creates, steps and destroys a world. Between two steps the user may change all ODE objects.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "ode_init.h"
#include "world_internal.h"

enum {
    COOKIE_WORLD = 0x50570001,
    /// iterations of a quick step; ODE's default
    QUICK_ITERATIONS = 20
};

// Largest speed at which overlapping bodies are pushed apart, m/s. A larger value makes bodies
// without restitution bounce, with 0.17 of their speed (measured at h = 0.005 s).
static const double MAX_CORRECTING_SPEED = 0.1;

static void say(const PoiseHost* host, const char* message) {
    if (host->log) {
        host->log(POISE_ERROR, message, host->user);
    }
}

PoiseWorldDef poise_default_world_def(void) {
    return (PoiseWorldDef){.cookie = COOKIE_WORLD,
                           .gravity = poise_vec3(0.0, 0.0, -9.81),
                           .contacts = true,
                           .friction = 0.8,
                           .erp = 0.2,
                           .cfm = 1e-10};
}

// Returns why the def is invalid, or NULL if it is valid.
static const char* def_problem(const PoiseWorldDef* def) {
    if (!poise_is_finite3(def->gravity)) {
        return "gravity is not finite";
    }
    if (!(def->friction >= 0.0)) {
        return "friction is not a number >= 0";
    }
    if (!(def->restitution >= 0.0 && def->restitution <= 1.0)) {
        return "restitution is not a number of 0..1";
    }
    if (!(def->erp >= 0.0 && def->erp <= 1.0)) {
        return "erp is not a number of 0..1";
    }
    if (!(def->cfm >= 0.0) || isinf(def->cfm)) {
        return "cfm is not a finite number >= 0";
    }
    if (def->most_contacts < 0) {
        return "most_contacts is negative; give 0 for any";
    }
    if (def->quick_iterations < 0) {
        return "quick_iterations is negative; give 0 for an exact step";
    }
    if (def->stepper < POISE_STEP_EXACT || def->stepper > POISE_STEP_QUICK) {
        return "stepper is none of PoiseStepKind";
    }
    if (!def->host.allocate != !def->host.release) {
        return "the host has one of allocate and release; give both or none";
    }
    if (!poise__ode_fits()) {
        return "ODE is of another precision than the headers this library was built with";
    }
    return NULL;
}

static bool steps_exactly(const PoiseWorldDef* def) {
    return def->quick_iterations == 0 && def->stepper == POISE_STEP_EXACT;
}

static void make_ode_world(PoiseWorld* world) {
    const PoiseWorldDef* def = &world->def;
    world->ode = dWorldCreate();
    world->threading = dThreadingAllocateSelfThreadedImplementation();
    dWorldSetStepThreadingImplementation(
        world->ode, dThreadingImplementationGetFunctions(world->threading), world->threading);
    // ODE's fastest space from 20 geoms on; it allocates nothing after its first steps, while a
    // hash space allocates 555 blocks in a step with 100 geoms (measured)
    world->space = dSweepAndPruneSpaceCreate(NULL, dSAP_AXES_XYZ);
    world->contact_group = dJointGroupCreate(0);
    PoiseVec3 g = def->gravity;
    dWorldSetGravity(world->ode, (dReal)g.x, (dReal)g.y, (dReal)g.z);
    dWorldSetERP(world->ode, (dReal)def->erp);
    dWorldSetCFM(world->ode, (dReal)def->cfm);
    dWorldSetContactMaxCorrectingVel(world->ode, (dReal)MAX_CORRECTING_SPEED);
    if (def->quick_iterations > 0) {
        dWorldSetQuickStepNumIterations(world->ode, def->quick_iterations);
    } else if (steps_exactly(def)) {
        world->exact = poise__exact_create(world->ode, &world->def.host);
    }
}

PoiseWorld* poise_world_create(const PoiseWorldDef* def) {
    if (!def || def->cookie != COOKIE_WORLD) {
        return NULL; // an invalid def has no log to use
    }
    const char* problem = def_problem(def);
    if (problem) {
        char message[160];
        snprintf(message, sizeof message, "poise_world_create: %s", problem);
        say(&def->host, message);
        return NULL;
    }
    PoiseWorld* world = (PoiseWorld*)poise_host_allocate(&def->host, sizeof *world);
    if (!world) {
        say(&def->host, "poise_world_create: out of memory");
        return NULL;
    }
    memset(world, 0, sizeof *world);
    world->def = *def;
    if (def->stepper == POISE_STEP_QUICK && def->quick_iterations == 0) {
        world->def.quick_iterations = QUICK_ITERATIONS;
    }
    // one way: ODE fails here only if the system has no more thread-local keys
    if (!poise__count_ode_user()) {
        // unreachable: as said above
        say(&def->host, "poise_world_create: ODE cannot be initialised");
        poise_host_release(&def->host, world, sizeof *world); // unreachable: as said above
        return NULL;                                          // unreachable: as said above
    }
    make_ode_world(world);
    if (!world->exact && steps_exactly(&world->def)) {
        say(&def->host, "poise_world_create: out of memory");
        poise_world_destroy(world);
        return NULL;
    }
    // if memory runs out here, the first contact tries again
    poise__world_reserve_contact(world);
    poise__world_reserve_pair(world);
    return world;
}

void poise_world_destroy(PoiseWorld* world) {
    if (!world) {
        return;
    }
    dJointGroupDestroy(world->contact_group);
    // geoms detach from their bodies, which must still exist
    dSpaceDestroy(world->space);
    dWorldSetStepThreadingImplementation(world->ode, NULL, NULL);
    dWorldDestroy(world->ode);
    dThreadingFreeImplementation(world->threading);
    poise__uncount_ode_user();
    poise__exact_destroy(world->exact);
    PoiseHost host = world->def.host;
    poise_host_release(&host, world->contacts, (size_t)world->contact_capacity * sizeof(Contact));
    poise_host_release(&host, world->pairs, (size_t)world->pair_capacity * sizeof(Pair));
    poise_host_release(&host, world->watched, (size_t)world->watched_capacity * sizeof(dBodyID));
    poise_host_release(&host, world, sizeof *world);
}

dWorldID poise_world_ode(const PoiseWorld* world) {
    return world ? world->ode : NULL;
}

dSpaceID poise_world_space(const PoiseWorld* world) {
    return world ? world->space : NULL;
}

dGeomID poise_world_add_ground(PoiseWorld* world, double height) {
    if (!world || !isfinite(height)) {
        return NULL;
    }
    return dCreatePlane(world->space, 0.0, 0.0, 1.0, (dReal)height);
}

dSpaceID poise_world_add_group(PoiseWorld* world) {
    return world ? dSimpleSpaceCreate(world->space) : NULL;
}

// -------------------------------------------------------------------------------------------- step

static PoiseStatus refuse_step(PoiseWorld* world, dBodyID lost) {
    // logs each lost body once, not in each step
    if (lost != world->lost) {
        say(&world->def.host,
            "poise_world_step: a body's pose, velocity, force or torque is not finite or beyond "
            "1e20, so no step was made; see poise_world_lost_body");
    }
    world->lost = lost;
    return POISE_ERROR_INVALID_ARGUMENT;
}

// Makes a quick step. False if ODE has no memory for it; then nothing has moved.
static bool quick_step(PoiseWorld* world, double dt) {
    // ODE shuffles constraints with one seed of the whole process: set this world's seed for this
    // step only
    unsigned long others = dRandGetSeed();
    dRandSetSeed(world->steps + 1);
    const int stepped = dWorldQuickStep(world->ode, (dReal)dt);
    dRandSetSeed(others);
    return stepped != 0;
}

static PoiseStatus lose_step(PoiseWorld* world) {
    if (!world->short_of_memory) {
        say(&world->def.host,
            "poise_world_step: out of memory, no step was made; free some and step again");
    }
    world->short_of_memory = true;
    return POISE_ERROR_OUT_OF_MEMORY;
}

PoiseStatus poise_world_collide(PoiseWorld* world) {
    if (!world) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    dBodyID lost = poise__world_find_lost(world, true);
    if (lost) {
        return refuse_step(world, lost);
    }
    poise__world_drop_contacts(world);
    const bool was_crowded = world->crowded;
    poise__world_collide(world);
    if (world->crowded) {
        poise__world_drop_contacts(world);
        world->contact_count = 0;
        if (!was_crowded) {
            say(&world->def.host, "poise_world_collide: more contacts than most_contacts; no step "
                                  "can be made before there are fewer");
        }
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    world->collided = true;
    return POISE_OK;
}

PoiseStatus poise_world_step(PoiseWorld* world, double dt) {
    if (!world || !isfinite(dt) || !(dt > 0.0)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseStatus status = world->collided ? POISE_OK : poise_world_collide(world);
    if (status < 0) {
        return status;
    }
    world->collided = false;
    bool stepped;
    if (world->exact) {
        poise__world_name_bodies(world);
        stepped = poise__exact_step(world->exact, dt) == POISE_OK;
    } else if (world->def.quick_iterations > 0) {
        stepped = quick_step(world, dt);
    } else {
        stepped = dWorldStep(world->ode, (dReal)dt) != 0;
    }
    poise__world_drop_contacts(world);
    if (!stepped) {
        return lose_step(world);
    }
    world->short_of_memory = false;
    world->steps++;
    world->lost = poise__world_find_lost(world, false);
    if (world->lost) {
        say(&world->def.host,
            "poise_world_step: a body's pose or velocity is not finite or beyond 1e20 after the "
            "step; see poise_world_lost_body, shorten dt or soften what pulls it");
        return POISE_DEGRADED;
    }
    return POISE_OK;
}

bool poise_world_is_crowded(const PoiseWorld* world) {
    return world && world->crowded;
}

// -------------------------------------------------------------------------------------------- hash

static uint64_t hash_double(uint64_t hash, double value) {
    const uint64_t fnv_prime = 0x100000001b3;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int shift = 0; shift < 64; shift += 8) {
        hash = (hash ^ ((bits >> shift) & 0xff)) * fnv_prime;
    }
    return hash;
}

static uint64_t hash_reals(uint64_t hash, const dReal* values, int count) {
    for (int i = 0; i < count; i++) {
        hash = hash_double(hash, (double)values[i]);
    }
    return hash;
}

uint64_t poise_state_hash(const dBodyID* bodies, size_t count) {
    uint64_t hash = 0xcbf29ce484222325; // FNV's offset basis
    for (size_t i = 0; bodies && i < count; i++) {
        if (!bodies[i]) {
            hash = hash_double(hash, 0.0);
            continue;
        }
        hash = hash_reals(hash, dBodyGetPosition(bodies[i]), 3);
        hash = hash_reals(hash, dBodyGetQuaternion(bodies[i]), 4);
        hash = hash_reals(hash, dBodyGetLinearVel(bodies[i]), 3);
        hash = hash_reals(hash, dBodyGetAngularVel(bodies[i]), 3);
    }
    return hash;
}

void poise_world_renew(PoiseWorld* world) {
    if (world && world->exact) {
        poise__exact_renew(world->exact);
    }
}
