// SPDX-License-Identifier: MIT
// The arrays of a stepper, which only grow; the map from ODE's bodies to their indices; the log of
// reasons.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "exact.h"

void* poise__exact_reserve(PoiseExact* x, ExactMemory which, size_t count, size_t size) {
    ExactArray* array = &x->memory[which];
    if (count > SIZE_MAX / 2 / size) {
        x->out_of_memory = true;
        return NULL;
    }
    if (count * size <= array->size) {
        return array->data;
    }
    // half as much again, so that arrays that grow by single rows are rarely moved
    const size_t wanted = count * size + count * size / 2 + 64 * size;
    void* data = poise_host_allocate(&x->host, wanted);
    if (!data) {
        x->out_of_memory = true;
        return NULL;
    }
    if (array->size > 0) {
        memcpy(data, array->data, array->size);
    }
    poise_host_release(&x->host, array->data, array->size);
    *array = (ExactArray){data, wanted};
    return data;
}

static size_t slot_of(const PoiseExact* x, dBodyID body) {
    size_t slot = ((size_t)body >> 4) * (size_t)0x9e3779b97f4a7c15u;
    slot ^= slot >> 29;
    const size_t mask = (size_t)x->map_size - 1;
    for (slot &= mask; x->map_keys[slot] && x->map_keys[slot] != body;) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

int poise__exact_find(const PoiseExact* x, dBodyID body) {
    if (!body || x->map_size == 0) {
        return EXACT_NONE;
    }
    const size_t slot = slot_of(x, body);
    return x->map_keys[slot] ? x->map_values[slot] : EXACT_NONE;
}

void poise__exact_put(PoiseExact* x, dBodyID body, int index) {
    const size_t slot = slot_of(x, body);
    x->map_keys[slot] = body;
    x->map_values[slot] = index;
}

bool poise__exact_spread_map(PoiseExact* x, int bodies) {
    int size = 64;
    while (size < 4 * bodies) {
        size *= 2;
    }
    const size_t entry = sizeof(dBodyID) + sizeof(int);
    char* memory = (char*)poise__exact_reserve(x, EXACT_MAP, (size_t)size, entry);
    if (!memory) {
        return false;
    }
    x->map_size = size;
    x->map_keys = (dBodyID*)(void*)memory;
    x->map_values = (int*)(void*)(memory + (size_t)size * sizeof(dBodyID));
    memset(memory, 0, (size_t)size * entry);
    for (int i = 0; i < x->body_count; i++) {
        poise__exact_put(x, x->bodies[i].id, i);
    }
    return true;
}

void poise__exact_name(PoiseExact* x, ExactReason reason, dJointID joint) {
    static const char* const reasons[] = {
        [EXACT_KIND] = "a joint of this kind",
        [EXACT_UNREAD] = "a joint whose offsets could not be read from ODE's export",
        [EXACT_FOREIGN] = "a contact that dJointCreateContact made; poise_contact_create makes one",
        [EXACT_ROLLING] = "a contact with rolling friction"};
    if (x->host.log && !(x->named & (1U << reason))) {
        char text[240];
        snprintf(text, sizeof text,
                 "the exact step leaves a structure to dWorldStep, whose time grows with the "
                 "third power of its joints: it has %s (%s)",
                 reasons[reason], poise__ode_joint_name(dJointGetType(joint)));
        x->host.log(POISE_WARNING, text, x->host.user);
    }
    x->named |= 1U << reason;
}
