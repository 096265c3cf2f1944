// SPDX-License-Identifier: MIT
// Finds bodies' frames, joints and points of a scene by name.
#include <string.h>

#include "poise/scene.h"

// Finds an item by its name, which is its first member.
static int find(const void* items, int count, size_t size, const char* name) {
    for (int i = 0; name && i < count; i++) {
        const char* own;
        memcpy(&own, (const char*)items + (size_t)i * size, sizeof own);
        if (strcmp(own, name) == 0) {
            return i;
        }
    }
    return -1;
}

int poise_scene_find_frame(const PoiseScene* scene, const char* name) {
    return scene ? find(scene->frames, scene->frame_count, sizeof *scene->frames, name) : -1;
}

int poise_scene_find_joint(const PoiseScene* scene, const char* name) {
    return scene ? find(scene->joints, scene->joint_count, sizeof *scene->joints, name) : -1;
}

int poise_scene_find_point(const PoiseScene* scene, const char* name) {
    return scene ? find(scene->points, scene->point_count, sizeof *scene->points, name) : -1;
}
