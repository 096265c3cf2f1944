// SPDX-License-Identifier: MIT
// A scene of the test's own that runs.
#ifndef POISE_TEST_RUNNING_H
#define POISE_TEST_RUNNING_H

#include "fixture_test.h"
#include "loaded.h"
#include "poise/simulation.h"

typedef struct Running {
    Loaded loaded;
    PoiseSimulation* simulation;
} Running;

/// The scene of the text, in a world; the test ends where it is not good.
Running running_start(const char* text);
/// The same of a file.
Running running_open(const char* path);
void running_finish(Running* running);
/// Steps for so long, s; the test ends where a step fails.
void running_steps(const Running* running, double seconds);

/// By their names; the test ends where there is none. Of a body: its frame, by its first shape.
PoisePose body_pose(const Running* running, const char* name);
PoisePointView point_named(const Running* running, const char* name);
PoiseJointView joint_named(const Running* running, const char* name);

/// A test of a scene that runs.
#define RUNNING_TEST(suite, name, start)                                                           \
    FIXTURE_TEST(suite, name, (Running * running), Running made_ = start, (&made_),                \
                 running_finish(&made_))

#endif
