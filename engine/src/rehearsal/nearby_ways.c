// SPDX-License-Identifier: MIT
// Ways a little beside a rehearsal's own. With friction the least of differences may decide where a
// point comes to, as where it starts in a posture in which joints that close a loop and the wall
// hold it more than once: what the wall bears in the first step is then left to ODE's rounding.
#include <math.h>

#include "convert.h"
#include "rehearsal.h"

// By how much a way is beside: above what a copy's way differs by there (ODE's rounding over its
// CFM, 1e-8 m/s), below what a forecast may be off.
typedef struct Beside {
    double spin;   // rad/s, of each body
    double rubs;   // part of the coefficient of friction
    double nearer; // m: the wall
    bool other;    // another body touches, where it is not known which does
} Beside;

static const Beside besides[REHEARSAL_BESIDES] = {{1e-5, 1e-4, 1e-7, true},
                                                  {-1e-5, -1e-4, 1e-8, false}};

void poise__rehearsal_go_beside(Rehearsal* rehearsal, int which) {
    const Beside* beside = &besides[which];
    for (int i = 0; i < rehearsal->body_count; i++) {
        dBodyID body = rehearsal->bodies[i].copy;
        // anywhere, not all alike
        const double turn = (double)i + 1.0;
        const PoiseVec3 way = poise_vec3(poise_cos(turn), poise_sin(turn), poise_cos(2.0 * turn));
        const PoiseVec3 spin =
            poise_add_scaled(poise__vec3_from(dBodyGetAngularVel(body)), beside->spin, way);
        if (!dBodyIsKinematic(body)) {
            dBodySetAngularVel(body, spin.x, spin.y, spin.z);
        }
    }
    for (int i = 0; i < rehearsal->wall_count; i++) {
        RehearsalWall* wall = &rehearsal->walls[i];
        if (beside->other && wall->any_body) {
            poise__wall_take_other(rehearsal, wall);
        }
        wall->friction *= 1.0 + beside->rubs;
        wall->at -= beside->nearer;
    }
}
