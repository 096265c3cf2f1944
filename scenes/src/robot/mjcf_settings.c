// SPDX-License-Identifier: MIT
// MJCF: reads the compiler's settings, the world's options and the default classes.
#include <string.h>

#include "mjcf.h"
#include "number.h"

// Most levels of nested classes, and most settings of a class. More would make lookups slow.
#define DEEPEST_CLASS 32
#define MOST_SETTINGS 64

// ---------------------------------------------------------------------------- compiler and option

static void read_euler_sequence(MjcfReader* reader, const Element* compiler) {
    const Element* sequence = poise__element_find(compiler, "eulerseq");
    if (!sequence) {
        return;
    }
    bool fine = strlen(sequence->text) == 3;
    for (int i = 0; i < 3 && fine; i++) {
        fine = strchr("xyzXYZ", sequence->text[i]) != NULL;
    }
    if (!fine) {
        poise__mjcf_refuse(reader->base.document, sequence->mark,
                           "'eulerseq' must be three of x, y, z, X, Y, Z, not '%.60s'",
                           sequence->text);
        return;
    }
    memcpy(reader->model->euler, sequence->text, 3);
}

static void read_masses(MjcfReader* reader, const Element* compiler) {
    const Element* inertia = poise__element_find(compiler, "inertiafromgeom");
    reader->model->mass_from_geoms =
        inertia ? strcmp(inertia->text, "true") == 0 : reader->model->mass_from_geoms;
    const Element* balance = poise__element_find(compiler, "balanceinertia");
    reader->model->balance = balance ? strcmp(balance->text, "true") == 0 : reader->model->balance;
    poise__mjcf_numbers((MjcfSource){reader, compiler, -1}, "inertiagrouprange",
                        reader->model->mass_groups, 2);
    poise__mjcf_numbers((MjcfSource){reader, compiler, -1}, "settotalmass",
                        &reader->model->total_mass, 1);
    poise__mjcf_numbers((MjcfSource){reader, compiler, -1}, "boundmass", &reader->model->least_mass,
                        1);
    poise__mjcf_numbers((MjcfSource){reader, compiler, -1}, "boundinertia",
                        &reader->model->least_moment, 1);
}

static void read_compiler(MjcfReader* reader, const Element* compiler) {
    const Element* angle = poise__element_find(compiler, "angle");
    if (angle && strcmp(angle->text, "radian") == 0) {
        reader->model->angle_unit = 1.0;
    } else if (angle && strcmp(angle->text, "degree") == 0) {
        reader->model->angle_unit = PI / 180.0;
    } else if (angle) {
        poise__mjcf_refuse(reader->base.document, angle->mark,
                           "'angle' must be degree or radian, not '%.60s'", angle->text);
    }
    const Element* coordinate = poise__element_find(compiler, "coordinate");
    if (coordinate && strcmp(coordinate->text, "local") != 0) {
        poise__mjcf_refuse(reader->base.document, coordinate->mark,
                           "coordinates must be local, not '%.60s'", coordinate->text);
    }
    const Element* limits = poise__element_find(compiler, "autolimits");
    reader->model->auto_limits =
        limits ? strcmp(limits->text, "false") != 0 : reader->model->auto_limits;
    const Element* folder = poise__element_find(compiler, "meshdir");
    folder = folder ? folder : poise__element_find(compiler, "assetdir");
    reader->model->mesh_folder = folder ? folder->text : reader->model->mesh_folder;
    const Element* strip = poise__element_find(compiler, "strippath");
    reader->model->strip_path =
        strip ? strcmp(strip->text, "true") == 0 : reader->model->strip_path;
    read_masses(reader, compiler);
    read_euler_sequence(reader, compiler);
}

static void read_option(MjcfReader* reader, const Element* option) {
    UrdfWorld* world = &reader->base.robot->world;
    double gravity[3] = {0.0, 0.0, -9.81};
    if (poise__element_find(option, "gravity") &&
        poise__mjcf_numbers((MjcfSource){reader, option, -1}, "gravity", gravity, 3)) {
        world->has_gravity = true;
        world->gravity = poise_vec3(gravity[0], gravity[1], gravity[2]);
    }
    double step = 1.0;
    if (poise__mjcf_numbers((MjcfSource){reader, option, -1}, "timestep", &step, 1) &&
        poise__element_find(option, "timestep")) {
        if (step > 0.0) {
            world->step = step;
        } else {
            poise__mjcf_refuse(reader->base.document, poise__element_find(option, "timestep")->mark,
                               "'timestep' must be above 0, not %g", step);
        }
    }
    const Element* flag = poise__element_find(option, "flag");
    const Element* pull = poise__element_find(flag, "gravity");
    reader->gravity_off = pull ? strcmp(pull->text, "disable") == 0 : reader->gravity_off;
}

// ------------------------------------------------------------------------------- default classes

// Reads a <default> into the class `index`. Each nested <default> becomes a class of its own.
static bool read_class(MjcfReader* reader, const Element* element, int index);

static int add_class(MjcfReader* reader, const char* name, int parent) {
    MjcfClass* classes =
        poise__arena_grow(reader->base.document->arena, &reader->classes, reader->class_count,
                          &reader->class_capacity, sizeof *classes);
    if (!classes || !poise__names_add(&reader->model->class_names, name, reader->class_count)) {
        return -1;
    }
    MjcfClass added = {.name = name, .parent = parent};
    added.depth = parent >= 0 ? classes[parent].depth + 1 : 0;
    classes[reader->class_count] = added;
    return reader->class_count++;
}

static bool read_inner(MjcfReader* reader, const Element* element, int parent) {
    const Element* name = poise__element_find(element, "class");
    if (!name) {
        return poise__mjcf_refuse(reader->base.document, element->mark,
                                  "a <default> inside another lacks its 'class'");
    }
    if (poise__names_find(&reader->model->class_names, name->text) >= 0) {
        return poise__mjcf_refuse(reader->base.document, name->mark,
                                  "a second default class is named '%.60s'", name->text);
    }
    if (reader->classes[parent].depth >= DEEPEST_CLASS) {
        return poise__mjcf_refuse(reader->base.document, name->mark,
                                  "default class '%.60s' stands more than 32 deep in others",
                                  name->text);
    }
    int index = add_class(reader, name->text, parent);
    return index >= 0 && read_class(reader, element, index);
}

static bool add_setting(MjcfReader* reader, int index, const Element* setting) {
    MjcfClass* owner = &reader->classes[index];
    if (owner->setting_count >= MOST_SETTINGS) {
        return poise__mjcf_refuse(reader->base.document, setting->mark,
                                  "default class '%.60s' has more than 64 settings", owner->name);
    }
    const Element** settings =
        poise__arena_grow(reader->base.document->arena, &owner->settings, owner->setting_count,
                          &owner->setting_capacity, sizeof *settings);
    if (!settings) {
        return false;
    }
    settings[owner->setting_count++] = setting;
    return true;
}

static bool read_class(MjcfReader* reader, const Element* element, int index) {
    bool fine = true;
    for (int i = 0; i < element->child_count && fine; i++) {
        const Element* child = element->children[i];
        if (poise__mjcf_is(child, "default")) {
            fine = read_inner(reader, child, index);
        } else if (child->kind == ELEMENT_MAP) {
            fine = add_setting(reader, index, child);
        }
    }
    return fine;
}

// Reads an outermost <default>. All of these form the main class, whatever their names.
static void read_default(MjcfReader* reader, const Element* element) {
    const Element* name = poise__element_find(element, "class");
    if (name && poise__names_find(&reader->model->class_names, name->text) < 0) {
        poise__names_add(&reader->model->class_names, name->text, reader->model->main_class);
    }
    (void)read_class(reader, element, reader->model->main_class);
}

void poise__mjcf_read_settings(MjcfReader* reader) {
    MjcfModel* model = reader->model;
    const Element* root = model->root;
    model->angle_unit = PI / 180.0;
    memcpy(model->euler, "xyz", 4);
    model->auto_limits = true;
    model->mass_groups[1] = 5.0;
    model->total_mass = -1.0;
    model->class_names.arena = reader->base.document->arena;
    model->main_class = add_class(reader, "main", -1);
    const bool fine = model->main_class >= 0;
    for (int i = 0; i < root->child_count && fine; i++) {
        const Element* child = root->children[i];
        if (poise__mjcf_is(child, "compiler")) {
            read_compiler(reader, child);
        } else if (poise__mjcf_is(child, "option") && !model->around) {
            read_option(reader, child);
        } else if (poise__mjcf_is(child, "default")) {
            read_default(reader, child);
        }
    }
    UrdfWorld* world = &reader->base.robot->world;
    if (reader->gravity_off) {
        world->has_gravity = true;
        world->gravity = poise_vec3(0.0, 0.0, 0.0);
    }
}
