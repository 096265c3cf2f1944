// SPDX-License-Identifier: MIT
// Adds a spring to one hinge of a world without a rig: a pendulum is held at 30 degrees by a spring
// of 200,000 N m/rad, at 50 steps a second. The same torque added by hand with dJointAddHingeTorque
// diverges at this stiffness.
//
// Prints both angles each tenth of a second. Ends with 0 if the spring holds within 0.01 degrees of
// the balance of weight and spring.
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>

#include "poise/joint_spring.h"

static const double STEP = 0.02;
static const double STIFFNESS = 2e5; // N m/rad
static const double DAMPING = 2e3;   // N m s/rad
static const double TARGET = 0.5235987755982988;
static const double DEGREES = 57.29577951308232;

// Makes a pendulum: 1 kg at the end of a massless rod of 1 m, on a hinge about y.
static dJointID add_pendulum(dWorldID world) {
    dMass mass;
    dMassSetSphereTotal(&mass, 1.0, 0.1);
    dBodyID body = dBodyCreate(world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, 0.0, 0.0, -1.0);
    dJointID hinge = dJointCreateHinge(world, NULL);
    dJointAttach(hinge, body, NULL);
    dJointSetHingeAnchor(hinge, 0.0, 0.0, 0.0);
    dJointSetHingeAxis(hinge, 0.0, 1.0, 0.0);
    return hinge;
}

int main(void) {
    dInitODE2(0);
    dWorldID world = dWorldCreate();
    dWorldSetGravity(world, 0.0, 0.0, -9.81);
    dJointID held = add_pendulum(world);
    dJointID thrown = add_pendulum(world);

    PoiseJointSpring* spring = poise_spring_on_joint(held, NULL);
    const PoiseHingeDrive drive = {
        .spring = {.stiffness = STIFFNESS, .damping = DAMPING}, .target = TARGET, .velocity = 0.0};
    PoiseStatus status = poise_joint_spring_set(spring, 0, drive);
    printf("   s  spring, deg  by hand, deg\n");
    for (int step = 0; step < 100 && status >= POISE_OK; step++) {
        // adds the torque by hand, as long as its numbers stay in range
        const double angle = dJointGetHingeAngle(thrown);
        const double rate = dJointGetHingeAngleRate(thrown);
        if (fabs(rate) < 1e3) {
            dJointAddHingeTorque(thrown, STIFFNESS * (TARGET - angle) - DAMPING * rate);
        }
        status = poise_joint_spring_update(spring, STEP);
        dWorldStep(world, STEP);
        if (step % 5 == 4) {
            printf("%4.1f  %11.4f  %12.4f\n", (step + 1) * STEP,
                   dJointGetHingeAngle(held) * DEGREES, dJointGetHingeAngle(thrown) * DEGREES);
        }
    }
    // at rest: p (target - angle) = m g l sin(angle)
    const double rest = TARGET - 9.81 * sin(TARGET) / STIFFNESS;
    const double off = fabs(dJointGetHingeAngle(held) - rest) * DEGREES;
    printf("%.2g degrees from where weight and spring balance\n", off);
    poise_joint_spring_destroy(spring);
    dWorldDestroy(world);
    dCloseODE();
    return status >= POISE_OK && off < 0.01 ? 0 : 1;
}
