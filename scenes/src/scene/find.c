// SPDX-License-Identifier: MIT
// Finds bodies' frames, joints and points of a scene by name.
#include <string.h>

#include "poise/scene.h"

int poise_scene_find_frame(const PoiseScene* scene, const char* name) {
    for (int i = 0; scene && name && i < scene->frame_count; i++) {
        if (strcmp(scene->frames[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int poise_scene_find_joint(const PoiseScene* scene, const char* name) {
    for (int i = 0; scene && name && i < scene->joint_count; i++) {
        if (strcmp(scene->joints[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int poise_scene_find_point(const PoiseScene* scene, const char* name) {
    for (int i = 0; scene && name && i < scene->point_count; i++) {
        if (strcmp(scene->points[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}
