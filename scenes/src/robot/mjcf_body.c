// SPDX-License-Identifier: MIT
// MJCF: turns nested bodies into links of the robot tree, and sites into links welded to them.
#include <math.h>
#include <string.h>

#include "mjcf.h"

// Returns the site's name, or NAME.site if a body has the same name.
static const char* name_of_site(MjcfReader* reader, const char* name) {
    bool taken = poise__names_find(&reader->body_names, name) >= 0;
    const char* own =
        taken ? poise__arena_format(reader->base.document->arena, "%s.site", name) : name;
    return own ? own : name;
}

static void read_site(MjcfReader* reader, const MjcfPart* part, int link, int number) {
    int class_index = poise__mjcf_class(reader, part->element, "class", part->class_index);
    const char* owner = reader->base.robot->links[link].name;
    const char* name = name_of_site(reader, poise__mjcf_name(reader, part, owner, "site", number));
    const char* weld = poise__arena_format(reader->base.document->arena, "%s.weld", name);
    int added = poise__mjcf_add_link(reader, name, part->element);
    if (added >= 0 && weld) {
        UrdfJoint joint = poise__mjcf_joint(part->element, weld, link, added);
        PoisePose pose = poise__mjcf_pose((MjcfSource){reader, part->element, class_index});
        joint.origin = poise_pose_mul(part->frame, pose);
        poise__mjcf_add_joint(reader, &joint);
    }
}

// Reports the elements of a body that are not used. An element that would change the robot is an
// error.
static void note_unused(MjcfReader* reader, const MjcfParts* parts) {
    static const char* const used[] = {"body", "joint",    "freejoint", "geom",
                                       "site", "inertial", "light",     "camera"};
    static const char* const vital[] = {"composite", "flexcomp"};
    for (int i = 0; i < parts->count; i++) {
        const Element* child = parts->items[i].element;
        bool known = false;
        for (size_t k = 0; k < sizeof used / sizeof used[0] && !known; k++) {
            known = strcmp(child->key, used[k]) == 0;
        }
        bool needed = false;
        for (size_t k = 0; k < sizeof vital / sizeof vital[0]; k++) {
            needed = needed || strcmp(child->key, vital[k]) == 0;
        }
        if (needed) {
            poise__diagnose(poise__mjcf_diagnostics(reader), POISE_ERROR, child->mark,
                            "<%.60s> is not read, and the robot is not whole without it: save the "
                            "compiled model from MuJoCo and read that",
                            child->key);
        } else if (!known) {
            poise__mjcf_note(reader, POISE_NOTE, child, "is not used");
        }
    }
}

static void read_body(MjcfReader* reader, const MjcfPart* body, int parent, int number);

static void read_inside(MjcfReader* reader, const MjcfParts* parts, int link) {
    note_unused(reader, parts);
    poise__mjcf_read_shapes(reader, parts, link);
    int bodies = 0, sites = 0;
    for (int i = 0; i < parts->count; i++) {
        const MjcfPart* part = &parts->items[i];
        poise__mjcf_enter(reader, part->model);
        if (poise__mjcf_is(part->element, "site")) {
            read_site(reader, part, link, ++sites);
        } else if (poise__mjcf_is(part->element, "body")) {
            read_body(reader, part, link, ++bodies);
        }
    }
}

static void read_body(MjcfReader* reader, const MjcfPart* body, int parent, int number) {
    const char* owner = reader->base.robot->links[parent].name;
    const char* name = poise__mjcf_name(reader, body, owner, "body", number);
    int link = poise__mjcf_add_link(reader, name, body->element);
    if (link < 0) {
        return;
    }
    MjcfPart own = *body;
    own.class_index = poise__mjcf_class(reader, body->element, "childclass", body->class_index);
    MjcfParts parts = poise__mjcf_parts(reader, &own);
    poise__mjcf_read_joints(reader, body, &parts, parent, link);
    read_inside(reader, &parts, link);
}

// ------------------------------------------------------------------------------------- the masses

// Applies boundmass, boundinertia and settotalmass of the compiler.
static void bound_masses(MjcfReader* reader) {
    UrdfRobot* robot = reader->base.robot;
    double total = 0.0;
    for (int i = 1; i < robot->link_count; i++) {
        UrdfLink* link = &robot->links[i];
        bool body = poise__mjcf_is(link->element, "body");
        if (body && link->mass.mass < reader->model->least_mass) {
            link->mass.mass = reader->model->least_mass;
            link->has_inertial = true;
        }
        for (int k = 0; k < 3 && body; k++) {
            link->mass.inertia[k] = fmax(link->mass.inertia[k], reader->model->least_moment);
        }
        total += link->mass.mass;
    }
    if (reader->model->total_mass > 0.0 && total > 0.0) {
        for (int i = 1; i < robot->link_count; i++) {
            MassProperties* mass = &robot->links[i].mass;
            *mass = poise__mass_scaled(*mass, mass->mass * reader->model->total_mass / total);
        }
    }
    // The world itself has no mass.
    MassProperties nothing = {0.0, {0.0, 0.0, 0.0}, {0.0}};
    robot->links[0].mass = nothing;
    robot->links[0].has_inertial = false;
}

void poise__mjcf_read_bodies(MjcfReader* reader) {
    MjcfModel* model = reader->model;
    const Element* world = poise__mjcf_world(reader);
    reader->body_names.arena = reader->base.document->arena;
    MjcfPart body = {.element = world,
                     .frame = poise_pose_identity(),
                     .class_index = model->main_class,
                     .suffix = "",
                     .model = model,
                     .prefix = ""};
    if (!world) {
        return;
    }
    poise__mjcf_collect_names(reader, world, "");
    if (poise__mjcf_add_link(reader, "world", world) == 0) {
        MjcfParts parts = poise__mjcf_parts(reader, &body);
        read_inside(reader, &parts, 0);
        poise__mjcf_enter(reader, model);
        bound_masses(reader);
    }
}
