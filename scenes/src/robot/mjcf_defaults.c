// SPDX-License-Identifier: MIT
// MJCF: applies <default> classes to elements: picks the class of an element, and finds the
// attributes that the element lacks in the settings of the class. mjcf_model.c reads the classes.
#include <string.h>

#include "mjcf.h"

const RobotClass* poise__mjcf_class(MjcfReader* reader, const Element* element, const char* key,
                                    const RobotClass* inherited) {
    const MjcfModel* model = reader->model;
    const Element* name = poise__element_find(element, key);
    const int found = name ? poise__robot_find(&reader->base, &model->class_names, name->mark,
                                               "default class", name->text)
                           : -1;
    return found >= 0 ? model->classes[found] : inherited;
}

Source poise__mjcf_source(MjcfReader* reader, const Element* element) {
    // If memory was short the model has no class at all.
    const MjcfModel* model = reader->model;
    const RobotClass* main = model->class_count > 0 ? model->classes[0] : NULL;
    return (Source){&reader->base, element, poise__mjcf_class(reader, element, "class", main)};
}

Source poise__mjcf_part_source(MjcfReader* reader, const MjcfPart* part) {
    return (Source){&reader->base, part->element,
                    poise__mjcf_class(reader, part->element, "class", part->class)};
}

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
