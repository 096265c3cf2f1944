// SPDX-License-Identifier: MIT
// Runs a scene in a test.
#ifndef POISE_TEST_RUNNING_H
#define POISE_TEST_RUNNING_H

#include "fixture_test.h"
#include "loaded.h"
#include "poise/simulation.h"

typedef struct Running {
    Loaded loaded;
    PoiseSimulation* simulation;
} Running;

/// Starts the scene in a world, both of which live until the end of the test's process. The test
/// fails if the scene has an error.
Running run(Loaded loaded);
/// Starts the scene of the text.
Running running_start(const char* text);
/// Starts the scene or the robot of the text; the end of `path` selects the format.
Running running_text(const char* path, const char* text);
/// Starts the scene of a file, as running_start.
Running running_open(const char* path);
/// Steps for `seconds`, s. The test fails if a step fails.
void running_steps(const Running* running, double seconds);

/// Find a body, point or joint by its name. The test fails if the name is unknown. The pose of a
/// body is that of its first shape, world.
PoisePose body_pose(const Running* running, const char* name);
PoisePointView point_named(const Running* running, const char* name);
PoiseJointView joint_named(const Running* running, const char* name);

/// Defines a test of a running scene.
#define RUNNING_TEST(suite, name, start)                                                           \
    FIXTURE_TEST(suite, name, (Running * running), Running made_ = start, (&made_), (void)0)

#endif
