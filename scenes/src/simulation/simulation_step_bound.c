// SPDX-License-Identifier: MIT
// Bounds the work of dWorldStep, which factors a matrix for each island in a time that grows with
// the third power of the island's rows. Refuses a step that would take minutes.
#include <stdio.h>
#include <string.h>

#include "running.h"

// Returns an upper bound of the rows of one of ODE's joints.
static int rows_of(dJointID joint) {
    switch (dJointGetType(joint)) {
    case dJointTypeAMotor:
        return dJointGetAMotorNumAxes(joint);
    case dJointTypeLMotor:
        return dJointGetLMotorNumAxes(joint);
    case dJointTypeContact:
    case dJointTypeBall:
        return 3;
    case dJointTypeUniversal:
        return 4;
    case dJointTypeHinge:
    case dJointTypeSlider:
        return 5;
    default:
        return 6;
    }
}

// Returns twice the number of rows of the island that contains the body, and marks its bodies as
// visited. A joint between two bodies is added once at each of them.
static long double_rows(PoiseSimulation* simulation, int first) {
    int count = 0;
    long rows = 0;
    simulation->to_visit[count++] = first;
    simulation->visited[first] = true;
    while (count > 0) {
        const dBodyID body = simulation->moving[simulation->to_visit[--count]];
        const int joints = dBodyGetNumJoints(body);
        for (int i = 0; i < joints; i++) {
            const dJointID joint = dBodyGetJoint(body, i);
            dBodyID end = dJointGetBody(joint, 0);
            end = end == body ? dJointGetBody(joint, 1) : end;
            // The index of the other body; -1: the world.
            const int other =
                end ? (int)((const dBodyID*)dBodyGetData(end) - simulation->moving) : -1;
            // A joint to the world is found at one body only, so it is added twice here.
            rows += (other < 0 ? 2 : 1) * rows_of(joint);
            if (other >= 0 && !simulation->visited[other]) {
                simulation->visited[other] = true;
                simulation->to_visit[count++] = other;
            }
        }
    }
    return rows;
}

// Returns the number of rows of the largest island.
static int most_rows(PoiseSimulation* simulation) {
    long most = 0;
    memset(simulation->visited, 0, (size_t)simulation->moving_count * sizeof(bool));
    for (int i = 0; i < simulation->moving_count; i++) {
        const long rows = simulation->visited[i] ? 0 : double_rows(simulation, i) / 2;
        most = rows > most ? rows : most;
    }
    return (int)most;
}

static bool is_exact(const PoiseSimulation* simulation) {
    const PoiseWorldDef* def = &simulation->now.world.def;
    return def->quick_iterations == 0 && def->stepper != POISE_STEP_QUICK;
}

bool poise__simulation_check_rows(PoiseSimulation* simulation, PoiseDiagnostics* diagnostics) {
    const int rows = most_rows(simulation);
    const PoiseMark mark = {simulation->scene->file, 0, 0};
    simulation->joint_rows = 0;
    for (int i = 0; i < simulation->moving_count; i++) {
        const int joints = dBodyGetNumJoints(simulation->moving[i]);
        for (int k = 0; k < joints; k++) {
            simulation->joint_rows += rows_of(dBodyGetJoint(simulation->moving[i], k));
        }
    }
    if (rows <= MOST_ROWS_TOGETHER || !is_exact(simulation)) {
        return true;
    }
    poise__diagnose(diagnostics, POISE_ERROR, mark,
                    "joints that hang together are %d rows of constraints, and an exact step takes "
                    "%d at most: a scene with world.quick_iterations takes more",
                    rows, MOST_ROWS_TOGETHER);
    return false;
}

bool poise__simulation_fits_step(PoiseSimulation* simulation) {
    const int contact_rows = 3 * poise_world_contact_count(simulation->world);
    if (!is_exact(simulation) || simulation->joint_rows + contact_rows <= MOST_ROWS_TOGETHER) {
        return true;
    }
    const int rows = most_rows(simulation);
    if (rows > MOST_ROWS_TOGETHER) {
        snprintf(simulation->trouble, sizeof simulation->trouble,
                 "contacts and joints that hang together are %d rows of constraints at %.6g s, and "
                 "an exact step takes %d at most: set world.quick_iterations",
                 rows, poise__simulation_now(simulation), MOST_ROWS_TOGETHER);
    }
    return rows <= MOST_ROWS_TOGETHER;
}
