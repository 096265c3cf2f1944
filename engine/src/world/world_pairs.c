// SPDX-License-Identifier: MIT
// Finds the pairs of geoms that may touch, and sorts them by the geoms' present poses: ODE's space
// lists pairs in an order that depends on all earlier motions, and the order of contacts decides
// the last bits of a step. world_contact.c comes next.
#include <string.h>

#include "convert.h"
#include "world_internal.h"

// Returns -1, 0 or 1 for a < b, a = b, a > b.
static int compare(double a, double b) {
    return (a > b) - (a < b);
}

// Numbers of a sort key: the geom's box; its class; 1 if it has a body; the body's position,
// quaternion, velocity and angular velocity.
enum { KEY = 6 + 1 + 1 + 3 + 4 + 3 + 3 };

static double* append(double* at, const dReal* from, int count) {
    for (int i = 0; i < count; i++) {
        *at++ = (double)from[i];
    }
    return at;
}

static void fill_key(dGeomID geom, double key[KEY]) {
    dReal box[6];
    const dBodyID body = dGeomGetBody(geom);
    memset(key, 0, KEY * sizeof *key);
    dGeomGetAABB(geom, box);
    key = append(key, box, 6);
    *key++ = (double)dGeomGetClass(geom);
    if (body) {
        *key++ = 1.0;
        key = append(key, dBodyGetPosition(body), 3);
        key = append(key, dBodyGetQuaternion(body), 4);
        key = append(key, dBodyGetLinearVel(body), 3);
        (void)append(key, dBodyGetAngularVel(body), 3);
    }
}

// Compares the keys of two geoms. Returns 0 only for geoms with the same class, box and motion.
static int compare_geoms(dGeomID a, dGeomID b) {
    double key_a[KEY];
    double key_b[KEY];
    int order = 0;
    fill_key(a, key_a);
    fill_key(b, key_b);
    for (int i = 0; order == 0 && i < KEY; i++) {
        order = compare(key_a[i], key_b[i]);
    }
    return order;
}

static bool comes_before(const Pair* a, const Pair* b) {
    int order = compare(a->least_first, b->least_first);
    order = order ? order : compare(a->least_second, b->least_second);
    order = order ? order : compare_geoms(a->first, b->first);
    order = order ? order : compare_geoms(a->second, b->second);
    return order < 0;
}

// Sorts in place: a shell sort with Ciura's gaps.
static void sort(Pair* pairs, int count) {
    static const int gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++) {
        const int gap = gaps[g];
        for (int i = gap; i < count; i++) {
            const Pair pair = pairs[i];
            int at = i;
            while (at >= gap && comes_before(&pair, &pairs[at - gap])) {
                pairs[at] = pairs[at - gap];
                at -= gap;
            }
            pairs[at] = pair;
        }
    }
}

static bool may_touch(dBodyID a, dBodyID b) {
    if (a == b || (!poise__body_is_dynamic(a) && !poise__body_is_dynamic(b))) {
        return false;
    }
    return !a || !b || !dAreConnectedExcluding(a, b, dJointTypeContact);
}

static bool is_full(const PoiseWorld* world, int count) {
    return world->def.most_contacts > 0 && count >= world->def.most_contacts;
}

static void add_pair(void* data, dGeomID a, dGeomID b) {
    PoiseWorld* world = (PoiseWorld*)data;
    if (world->crowded) {
        return;
    }
    if (dGeomIsSpace(a) || dGeomIsSpace(b)) {
        // collides the geoms of different spaces, never two of one inner space
        dSpaceCollide2(a, b, data, add_pair);
        return;
    }
    // skips two closed meshes, whose contacts in ODE diverge: the deeper the overlap, the larger
    // the force
    const bool meshes = dGeomGetClass(a) == dTriMeshClass && dGeomGetClass(b) == dTriMeshClass;
    if (meshes || !may_touch(dGeomGetBody(a), dGeomGetBody(b))) {
        return;
    }
    if (is_full(world, world->pair_count)) {
        world->crowded = true;
        return;
    }
    if (!poise__world_reserve_pair(world)) {
        // the list cannot grow: makes the contact now, in ODE's order
        poise__world_touch(world, a, b);
        return;
    }
    bool swapped = compare_geoms(a, b) > 0;
    Pair* pair = &world->pairs[world->pair_count++];
    pair->first = swapped ? b : a;
    pair->second = swapped ? a : b;
    dReal box[6];
    dGeomGetAABB(pair->first, box);
    pair->least_first = (double)box[0];
    dGeomGetAABB(pair->second, box);
    pair->least_second = (double)box[0];
}

void poise__world_collide(PoiseWorld* world) {
    world->contact_count = 0;
    world->crowded = false;
    if (!world->def.contacts) {
        return;
    }
    world->pair_count = 0;
    dSpaceCollide(world->space, world, add_pair);
    if (!world->crowded) {
        sort(world->pairs, world->pair_count);
    }
    for (int i = 0; i < world->pair_count && !world->crowded; i++) {
        poise__world_touch(world, world->pairs[i].first, world->pairs[i].second);
        world->crowded = is_full(world, world->contact_count - 1);
    }
    // sets the feedback last, because the records move while their array grows
    for (int i = 0; i < world->contact_count; i++) {
        dJointSetFeedback(world->contacts[i].joint, &world->contacts[i].feedback);
    }
}
