// SPDX-License-Identifier: MIT
#include "running.h"
#include "kept.h"

#include <string.h>

static void destroy_simulation(void* simulation) {
    poise_simulation_destroy(simulation);
}

Running run(Loaded loaded) {
    char text[1000];
    Running running = {required(loaded), NULL};
    running.simulation =
        kept(poise_simulation_create(loaded.scene, loaded.diagnostics), destroy_simulation);
    cr_assert_not_null(running.simulation, "%s", findings(&loaded, text, sizeof text));
    return running;
}

Running running_start(const char* text) {
    return running_text("t.yaml", text);
}

Running running_text(const char* path, const char* text) {
    return run(load_text(path, text));
}

Running running_open(const char* path) {
    return run(load_file(path));
}

void running_steps(const Running* running, double seconds) {
    double h = poise_simulation_step_length(running->simulation);
    for (int i = 0; i < (int)(seconds / h + 0.5); i++) {
        cr_assert(poise_simulation_step(running->simulation) >= 0, "%s",
                  poise_simulation_trouble(running->simulation));
        // each update must be followed by a step
        cr_assert_eq(poise_simulation_report(running->simulation)->unstepped, 0);
    }
}

PoisePose body_pose(const Running* running, const char* name) {
    for (int i = 0; i < poise_simulation_shape_count(running->simulation); i++) {
        PoiseShapeView shape = poise_simulation_shape(running->simulation, i);
        if (strcmp(shape.body, name) == 0) {
            return shape.pose_world;
        }
    }
    cr_assert_fail("no body %s", name);
    return poise_pose_identity();
}

PoisePointView point_named(const Running* running, const char* name) {
    for (int i = 0; i < poise_simulation_point_count(running->simulation); i++) {
        PoisePointView view = poise_simulation_point(running->simulation, i);
        if (strcmp(view.name, name) == 0) {
            return view;
        }
    }
    cr_assert_fail("no point %s", name);
    return poise_simulation_point(running->simulation, -1);
}

PoiseJointView joint_named(const Running* running, const char* name) {
    return poise_simulation_joint(running->simulation,
                                  poise_scene_find_joint(running->loaded.scene, name));
}
