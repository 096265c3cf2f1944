// SPDX-License-Identifier: MIT
// Computes the energy of the moving bodies.
#include "running.h"

// Returns 1/2 m v^2 + 1/2 w I w, J, with I about the centre of mass in the body's axes.
static double kinetic_energy(dBodyID body) {
    dMass mass;
    dVector3 turning;
    dBodyGetMass(body, &mass);
    dBodyVectorFromWorld(body, dBodyGetAngularVel(body)[0], dBodyGetAngularVel(body)[1],
                         dBodyGetAngularVel(body)[2], turning);
    PoiseVec3 v = poise__from_ode(dBodyGetLinearVel(body));
    double spin = 0.0;
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            spin +=
                (double)turning[row] * (double)mass.I[4 * row + column] * (double)turning[column];
        }
    }
    return 0.5 * (double)mass.mass * poise_dot(v, v) + 0.5 * spin;
}

void poise_simulation_energy(const PoiseSimulation* simulation, double* kinetic,
                             double* potential) {
    double moving = 0.0, lifted = 0.0;
    if (simulation) {
        dVector3 gravity;
        dWorldGetGravity(poise_world_ode(simulation->world), gravity);
        for (int i = 0; i < simulation->moving_count; i++) {
            dBodyID body = simulation->moving[i];
            dMass mass;
            dBodyGetMass(body, &mass);
            moving += kinetic_energy(body);
            if (dBodyGetGravityMode(body)) {
                lifted -= (double)mass.mass * poise_dot(poise__from_ode(gravity),
                                                        poise__from_ode(dBodyGetPosition(body)));
            }
        }
    }
    if (kinetic) {
        *kinetic = moving;
    }
    if (potential) {
        *potential = lifted;
    }
}
