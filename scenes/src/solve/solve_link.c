// SPDX-License-Identifier: MIT
// Reads --point and --base of `poise solve`, and finds the link.
#include <string.h>

#include "poise/tip.h"
#include "solve.h"

// Returns the last colon of LINK:x,y,z if only numbers follow it, else NULL: a name of a link may
// have colons (robot0:grip).
static const char* place_in(const char* text) {
    const char* colon = strrchr(text, ':');
    return colon && !colon[1 + strspn(colon + 1, "0123456789+-.eE, ")] ? colon : NULL;
}

bool poise__link_read(SolveLink* link, const char* text) {
    const char* colon = place_in(text);
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length == 0 || length >= sizeof link->name) {
        fprintf(stderr, "poise: --point: LINK or LINK:x,y,z is due, not '%s'\n", text);
        return false;
    }
    memcpy(link->name, text, length);
    link->name[length] = '\0';
    double place[3] = {0.0, 0.0, 0.0};
    if (colon && !poise__parse_numbers("--point", colon + 1, place, 3)) {
        return false;
    }
    link->place = poise_vec3(place[0], place[1], place[2]);
    link->given = true;
    return true;
}

bool poise__base_read(SolveBase* base, const char* text) {
    *base = strcmp(text, "fixed") == 0  ? BASE_FIXED
            : strcmp(text, "free") == 0 ? BASE_FREE
                                        : BASE_DEFAULT;
    if (*base == BASE_DEFAULT) {
        fprintf(stderr, "poise: --base: fixed or free is due, not '%s'\n", text);
    }
    return *base != BASE_DEFAULT;
}

// Distance of --keep-apart for scenes without `keep_apart`, m.
#define APART_DISTANCE 0.01

bool poise__keep_apart(PoiseSimulation* simulation, bool wanted) {
    PoiseRig* rig = poise_simulation_rig(simulation);
    if (!wanted || poise_rig_apart(rig)) {
        return true;
    }
    const PoiseStatus status = poise_simulation_keep_apart(simulation, APART_DISTANCE);
    if (status < 0) {
        const char* why = strstr(poise_rig_message(rig), ": ");
        fprintf(stderr, "poise: --keep-apart%s\n",
                why ? why : ": no body has a shape that collides");
    }
    return status >= 0;
}

bool poise__link_find(const PoiseSimulation* simulation, const SolveLink* link, PoiseNodeId* node,
                      PoisePose* in_link) {
    PoiseTip tip;
    char text[2000];
    const char* problem = poise_tip_find(simulation, link->name, &tip, text, sizeof text);
    if (problem) {
        fprintf(stderr, "poise: --point: %s\n", problem);
        return false;
    }
    tip = poise_tip_at(tip, link->place);
    *node = tip.node;
    *in_link = tip.in_link;
    return true;
}
