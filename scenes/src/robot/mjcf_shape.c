// SPDX-License-Identifier: MIT
// MJCF: reads the geoms of a body and their mass, or the body's inertial.
#include <math.h>
#include <string.h>

#include "mjcf.h"

// Density of a geom without mass and density, kg/m^3.
#define GEOM_DENSITY 1000.0

// Returns a number of the geom.
static double number(const MjcfGeom* geom, const char* key, double fallback) {
    double value = fallback;
    poise__mjcf_numbers(geom->from, key, &value, 1);
    return value;
}

// Returns the geom's mass properties: scaled to its mass, or filled with its density.
static MassProperties mass_of_geom(const MjcfGeom* geom) {
    double density = number(geom, "density", GEOM_DENSITY);
    double mass = number(geom, "mass", 0.0);
    bool weighed = poise__mjcf_holder(geom->from, "mass") != NULL;
    return poise__mass_scaled(geom->solid, weighed ? mass : density * geom->solid.mass);
}

// Returns the bits for collision, as in MuJoCo: contype or conaffinity.
static uint32_t touch_bits(const MjcfGeom* geom, const char* key) {
    double value = number(geom, key, 1.0);
    return value >= 0.0 && value <= (double)UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static bool weighs(const MjcfGeom* geom) {
    double group = number(geom, "group", 0.0);
    return group >= geom->from.reader->model->mass_groups[0] &&
           group <= geom->from.reader->model->mass_groups[1];
}

// Makes a horizontal plane of the world its ground.
static void read_plane(const MjcfGeom* geom, PoisePose frame, int link) {
    UrdfWorld* world = &geom->from.reader->base.robot->world;
    PoisePose pose = poise_pose_mul(frame, poise__mjcf_pose(geom->from));
    if (link == 0 && poise_quat_rotate(pose.q, poise_vec3(0.0, 0.0, 1.0)).z > 1.0 - 1e-9) {
        world->ground_height = world->ground ? fmax(world->ground_height, pose.p.z) : pose.p.z;
        world->ground = true;
    } else {
        poise__mjcf_note(geom->from.reader, POISE_NOTE, geom->from.element,
                         "of type plane is no flat ground of the world: not used");
    }
}

// Adds the geom to what is drawn, in the colour of the model. Skips geoms of group 3 and above,
// which by custom only collide. A primitive has its shape already.
static void read_look(MjcfGeom* geom, const MjcfPart* part, UrdfLink* link) {
    enum { TOUCHED_GROUP = 3 };
    MjcfReader* reader = geom->from.reader;
    const char* name = poise__mjcf_text(geom->from, "mesh");
    const MjcfMesh* mesh = name ? poise__mjcf_find_mesh(reader, name) : NULL;
    PoiseSceneLook look = {.plain = true};
    double colour[4] = {0.0};
    if (number(geom, "group", 0.0) >= TOUCHED_GROUP || (name && (!mesh || !mesh->file))) {
        return;
    }
    poise__mjcf_colour(geom->from, colour);
    memcpy(look.colour, colour, sizeof look.colour);
    if (geom->kind->shape) {
        look.kind = geom->shape.kind;
        look.size = geom->shape.size;
        look.in_body = geom->shape.in_body;
        link->looks[link->look_count++] = look;
    } else if (mesh) {
        look.scale = mesh->scale;
        look.in_body =
            poise_pose_mul(poise_pose_mul(part->frame, poise__mjcf_pose(geom->from)), mesh->frame);
        poise__robot_add_look(&reader->base, link, &look, poise__mjcf_mesh_path(reader, mesh));
    }
}

// Reads a geom. `weighed`: an inertial gives the link's mass.
static void read_geom(MjcfReader* reader, const MjcfPart* part, int index, bool weighed) {
    MjcfGeom geom = {.from = {.reader = reader, .element = part->element}};
    geom.from.class_index = poise__mjcf_class(reader, part->element, "class", part->class_index);
    if (!poise__mjcf_geom_kind(&geom) || !poise__mjcf_not_negative(geom.from, "mass", "a geom") ||
        !poise__mjcf_not_negative(geom.from, "density", "a geom")) {
        return;
    }
    if (strcmp(geom.kind->word, "plane") == 0) {
        read_plane(&geom, part->frame, index);
        return;
    }
    UrdfLink* link = &reader->base.robot->links[index];
    if (!geom.kind->shape) {
        read_look(&geom, part, link);
    }
    geom.shape.category = touch_bits(&geom, "contype");
    geom.shape.collide = touch_bits(&geom, "conaffinity");
    bool heavy = !weighed && index > 0 && weighs(&geom);
    bool seen_only = geom.shape.category == 0 && geom.shape.collide == 0;
    // A visual mesh is read later, when the robot is drawn.
    if ((seen_only && !heavy && !geom.kind->shape) || !poise__mjcf_geom_shape(&geom, part->frame)) {
        return;
    }
    if (geom.kind->shape) {
        read_look(&geom, part, link);
    }
    if (heavy) {
        link->mass = poise__mass_sum(link->mass, mass_of_geom(&geom));
    }
    poise__urdf_add_shape(link, geom.shape, geom.solid);
}

// Applies `balanceinertia`, as MuJoCo does.
static void balance(double inertia[6]) {
    double moments[3];
    poise__inertia_principal(inertia, moments, NULL);
    if (moments[0] + moments[1] < moments[2]) {
        const double mean = (moments[0] + moments[1] + moments[2]) / 3.0;
        const double round[6] = {mean, mean, mean, 0.0, 0.0, 0.0};
        memcpy(inertia, round, sizeof round);
    }
}

static void read_inertial(MjcfReader* reader, const MjcfPart* part, UrdfLink* link) {
    const Element* element = part->element;
    PoisePose pose =
        poise_pose_mul(part->frame, poise__mjcf_pose((MjcfSource){reader, element, -1}));
    double mass = 0.0;
    double full[6] = {0.0};
    if (!poise__urdf_number(&reader->base, element, "mass", &mass)) {
        return;
    }
    bool diagonal = poise__element_find(element, "diaginertia") != NULL;
    bool fine =
        poise__mjcf_numbers((MjcfSource){reader, element, -1},
                            diagonal ? "diaginertia" : "fullinertia", full, diagonal ? 3 : 6);
    if (!(mass >= 0.0)) {
        poise__mjcf_refuse(reader->base.document, element->mark,
                           "an inertial's mass must be at least 0");
    }
    if (!fine || !(mass >= 0.0)) {
        return;
    }
    MassProperties body = {mass, {0.0, 0.0, 0.0}, {0.0}};
    memcpy(body.inertia, full, sizeof full);
    if (reader->model->balance) {
        balance(body.inertia);
    }
    poise__urdf_repair_inertia(&reader->base, element, link->name, &body);
    link->mass = poise__mass_moved(body, pose);
}

void poise__mjcf_read_shapes(MjcfReader* reader, const MjcfParts* parts, int index) {
    UrdfLink* link = &reader->base.robot->links[index];
    const MjcfPart* inertial = NULL;
    int geoms = 0;
    for (int i = 0; i < parts->count; i++) {
        poise__mjcf_enter(reader, parts->items[i].model);
        geoms += poise__mjcf_is(parts->items[i].element, "geom") ? 1 : 0;
        bool found = poise__mjcf_is(parts->items[i].element, "inertial");
        if (found && inertial) {
            poise__mjcf_refuse(reader->base.document, parts->items[i].element->mark,
                               "a second <inertial> of one body, the first in line %d",
                               inertial->element->mark.line);
        }
        inertial = found && !reader->model->mass_from_geoms ? &parts->items[i] : inertial;
    }
    link->shapes =
        poise__arena_allocate(reader->base.document->arena, (size_t)geoms, sizeof *link->shapes);
    link->looks =
        poise__arena_allocate(reader->base.document->arena, (size_t)geoms, sizeof *link->looks);
    for (int i = 0; link->shapes && link->looks && i < parts->count; i++) {
        const MjcfPart* part = &parts->items[i];
        poise__mjcf_enter(reader, part->model);
        if (poise__mjcf_is(part->element, "geom")) {
            read_geom(reader, part, index, inertial != NULL);
        }
    }
    if (inertial) {
        poise__mjcf_enter(reader, inertial->model);
        read_inertial(reader, inertial, link);
    }
    link->has_inertial = link->mass.mass > 0.0;
}
