// SPDX-License-Identifier: MIT
// MJCF: applies <default> classes: finds an attribute that an element lacks in the settings of its
// class. mjcf_model.c reads the classes, mjcf_element.c picks the class of an element.
#include <string.h>

#include "robot.h"

bool poise__tag_is_actuator(const char* tag) {
    static const char* const tags[] = {"general", "motor",    "position", "velocity", "intvelocity",
                                       "damper",  "cylinder", "muscle",   "adhesion"};
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        if (strcmp(tag, tags[i]) == 0) {
            return true;
        }
    }
    return false;
}

// Searches the settings of the class, then of the classes around it. All actuators share their
// settings.
const Element* poise__tag_holder(Source from, const char* key) {
    if (poise__element_find(from.element, key)) {
        return from.element;
    }
    for (const RobotClass* class = from.class; class; class = class->parent) {
        for (int k = class->setting_count - 1; k >= 0; k--) {
            const Element* setting = class->settings[k];
            if (poise__element_find(setting, key) &&
                (strcmp(setting->key, from.element->key) == 0 ||
                 (poise__tag_is_actuator(setting->key) &&
                  poise__tag_is_actuator(from.element->key)))) {
                return setting;
            }
        }
    }
    return NULL;
}
