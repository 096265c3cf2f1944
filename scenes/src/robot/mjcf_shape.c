// SPDX-License-Identifier: MIT
// MJCF: the geoms of a body and what they weigh, or its inertial.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mjcf.h"

// kg/m^3, of a geom that says neither mass nor density
#define GEOM_DENSITY 1000.0

typedef struct Kind {
    const char* word;
    PoiseShapeKind shape; ///< 0: not read
    int sizes;            ///< without fromto
    bool ellipsoid;       ///< `shape` is what stands for it
} Kind;

static const Kind kinds[] = {
    {"sphere", POISE_SHAPE_SPHERE, 1, false},     {"capsule", POISE_SHAPE_CAPSULE, 2, false},
    {"cylinder", POISE_SHAPE_CYLINDER, 2, false}, {"box", POISE_SHAPE_BOX, 3, false},
    {"ellipsoid", POISE_SHAPE_BOX, 3, true},      {"plane", (PoiseShapeKind)0, 0, false},
    {"hfield", (PoiseShapeKind)0, 0, false},      {"mesh", (PoiseShapeKind)0, 0, false},
    {"sdf", (PoiseShapeKind)0, 0, false},
};

static const Kind* find_kind(MjcfReader* reader, const Element* geom, int class_index) {
    const char* word = poise__mjcf_text(reader, geom, class_index, "type");
    if (!word && poise__mjcf_holder(reader, geom, class_index, "mesh")) {
        word = "mesh";
    }
    word = word ? word : "sphere";
    Suggestion suggestion = poise__suggestion(word);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(word, kinds[i].word) == 0) {
            return &kinds[i];
        }
        poise__suggestion_offer_word(&suggestion, kinds[i].word);
    }
    char guess[80];
    poise__diagnose(reader->base.document->diagnostics, POISE_ERROR, geom->mark,
                    "'%.60s' is no type of geom%s", word,
                    poise__suggestion_text(&suggestion, guess, sizeof guess));
    return NULL;
}

// a geom as it is read
typedef struct Geom {
    MjcfReader* reader;
    const Element* element;
    int class_index;
    const Kind* kind;
} Geom;

// half the length that two ends say, and where they put the shape
static bool read_ends(const Geom* geom, PoiseSceneShape* shape, double* half) {
    double ends[6] = {0.0};
    if (!poise__mjcf_numbers(geom->reader, geom->element, geom->class_index, "fromto", ends, 6)) {
        return false;
    }
    PoiseVec3 from = poise_vec3(ends[0], ends[1], ends[2]);
    PoiseVec3 to = poise_vec3(ends[3], ends[4], ends[5]);
    PoiseVec3 way = poise_sub(to, from);
    *half = 0.5 * poise_length(way);
    shape->in_body = poise_pose(poise_scale(0.5, poise_add(from, to)), poise__mjcf_turn_to(way));
    if (geom->kind->shape == POISE_SHAPE_SPHERE) {
        return poise__mjcf_refuse(geom->reader->base.document, geom->element->mark,
                                  "a sphere has no 'fromto'");
    }
    return *half > 0.0 || poise__mjcf_refuse(geom->reader->base.document, geom->element->mark,
                                             "the two ends of 'fromto' are one place");
}

// half sizes become whole ones, a pair of ends a place and a length. False: there is no shape
static bool read_size(const Geom* geom, PoiseSceneShape* shape) {
    double size[3] = {0.0, 0.0, 0.0};
    PoiseShapeKind kind = geom->kind->shape;
    bool between =
        poise__mjcf_holder(geom->reader, geom->element, geom->class_index, "fromto") != NULL;
    int last = kind == POISE_SHAPE_BOX ? 2 : 1;
    int needed = between ? last : geom->kind->sizes;
    int given =
        poise__mjcf_some_numbers(geom->reader, geom->element, geom->class_index, "size", size, 3);
    if (given >= 0 && given < needed) {
        return poise__mjcf_refuse(geom->reader->base.document, geom->element->mark,
                                  "a geom's 'size' is missing or too short");
    }
    if (given < 0 || (between && !read_ends(geom, shape, &size[last]))) {
        return false;
    }
    for (int i = 0; i < needed; i++) {
        if (!(size[i] > 0.0)) {
            poise__mjcf_note(geom->reader, POISE_NOTE, geom->element,
                             "without a size is left out: it has no volume");
            return false;
        }
    }
    shape->size = kind == POISE_SHAPE_BOX
                      ? poise_vec3(2.0 * size[0], 2.0 * size[1], 2.0 * size[2])
                      : poise_vec3(size[0], kind == POISE_SHAPE_SPHERE ? 0.0 : 2.0 * size[1], 0.0);
    return true;
}

// the body of density 1 that the geom is, in its own frame
static MassProperties solid_of_geom(const Geom* geom, const PoiseSceneShape* shape) {
    return geom->kind->ellipsoid ? poise__mass_of_ellipsoid(shape->size, 1.0)
                                 : poise__mass_of_shape(shape, 1.0);
}

// scaled to its mass, or filled with its density
static MassProperties mass_of_geom(const Geom* geom, const PoiseSceneShape* shape) {
    double density = GEOM_DENSITY;
    double mass = 0.0;
    MassProperties solid = solid_of_geom(geom, shape);
    (void)poise__mjcf_numbers(geom->reader, geom->element, geom->class_index, "density", &density,
                              1);
    (void)poise__mjcf_numbers(geom->reader, geom->element, geom->class_index, "mass", &mass, 1);
    if (density < 0.0 || mass < 0.0) {
        poise__mjcf_refuse(geom->reader->base.document, geom->element->mark,
                           "a geom's 'mass' and 'density' must be at least 0");
        return solid;
    }
    bool weighed =
        poise__mjcf_holder(geom->reader, geom->element, geom->class_index, "mass") != NULL;
    return poise__mass_scaled(solid, weighed ? mass : density * solid.mass);
}

// the ellipsoid's round relative of the same volume: ODE has none
static void stand_for_ellipsoid(PoiseSceneShape* shape) {
    double half[3] = {0.5 * shape->size.x, 0.5 * shape->size.y, 0.5 * shape->size.z};
    int along = half[0] > half[1] ? (half[0] > half[2] ? 0 : 2) : (half[1] > half[2] ? 1 : 2);
    double across = sqrt(half[(along + 1) % 3] * half[(along + 2) % 3]);
    PoiseVec3 axis = poise_vec3(along == 0, along == 1, along == 2);
    shape->in_body.q = poise_quat_mul(shape->in_body.q, poise__mjcf_turn_to(axis));
    bool round = half[along] - across < 1e-9 * across;
    // 4/3 r^2 a = r^2 l + 4/3 r^3
    shape->kind = round ? POISE_SHAPE_SPHERE : POISE_SHAPE_CAPSULE;
    shape->size = poise_vec3(across, round ? 0.0 : 4.0 / 3.0 * (half[along] - across), 0.0);
}

// bits of what it touches, as MuJoCo has them
static uint32_t touch_bits(const Geom* geom, const char* key) {
    double value = 1.0;
    (void)poise__mjcf_numbers(geom->reader, geom->element, geom->class_index, key, &value, 1);
    return value >= 0.0 && value <= (double)UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static bool weighs(const Geom* geom) {
    double group = 0.0;
    (void)poise__mjcf_numbers(geom->reader, geom->element, geom->class_index, "group", &group, 1);
    return group >= geom->reader->mass_groups[0] && group <= geom->reader->mass_groups[1];
}

// a flat plane of the world is its ground
static void read_plane(const Geom* geom, PoisePose pose, int link) {
    UrdfWorld* world = &geom->reader->base.robot->world;
    PoiseVec3 up = poise_quat_rotate(pose.q, poise_vec3(0.0, 0.0, 1.0));
    if (link == 0 && up.z > 1.0 - 1e-9) {
        world->ground_height = world->ground ? fmax(world->ground_height, pose.p.z) : pose.p.z;
        world->ground = true;
    } else {
        poise__mjcf_note(geom->reader, POISE_NOTE, geom->element,
                         "of type plane is no flat ground of the world: not used");
    }
}

static void read_geom(MjcfReader* reader, const MjcfPart* part, int index) {
    Geom geom = {reader, part->element, 0, NULL};
    geom.class_index = poise__mjcf_class(reader, part->element, "class", part->class_index);
    geom.kind = find_kind(reader, part->element, geom.class_index);
    if (!geom.kind) {
        return;
    }
    PoiseSceneShape shape = {.kind = geom.kind->shape,
                             .in_body = poise__mjcf_pose(reader, part->element, geom.class_index)};
    if (strcmp(geom.kind->word, "plane") == 0) {
        read_plane(&geom, poise_pose_mul(part->frame, shape.in_body), index);
        return;
    }
    if (!geom.kind->shape) {
        char why[80];
        snprintf(why, sizeof why, "of type %s is not read", geom.kind->word);
        poise__mjcf_note(reader, POISE_NOTE, part->element, why);
        return;
    }
    if (!read_size(&geom, &shape)) {
        return;
    }
    shape.in_body = poise_pose_mul(part->frame, shape.in_body);
    UrdfLink* link = &reader->base.robot->links[index];
    if (weighs(&geom)) {
        MassProperties mass = poise__mass_moved(mass_of_geom(&geom, &shape), shape.in_body);
        link->mass = poise__mass_sum(link->mass, mass);
    }
    if (geom.kind->ellipsoid) {
        stand_for_ellipsoid(&shape);
        poise__mjcf_note(reader, POISE_NOTE, part->element,
                         "of type ellipsoid touches as a capsule of its volume");
    }
    shape.category = touch_bits(&geom, "contype");
    shape.collide = touch_bits(&geom, "conaffinity");
    link->shapes[link->shape_count++] = shape;
}

static void read_inertial(MjcfReader* reader, const MjcfPart* part, UrdfLink* link) {
    const Element* element = part->element;
    PoisePose pose = poise_pose_mul(part->frame, poise__mjcf_pose(reader, element, -1));
    double mass = 0.0;
    double full[6] = {0.0};
    if (!poise__urdf_number(&reader->base, element, "mass", &mass)) {
        return;
    }
    bool diagonal = poise__element_find(element, "diaginertia") != NULL;
    bool fine = poise__mjcf_numbers(reader, element, -1, diagonal ? "diaginertia" : "fullinertia",
                                    full, diagonal ? 3 : 6);
    if (!fine || !(mass >= 0.0)) {
        poise__mjcf_refuse(reader->base.document, element->mark,
                           "an inertial's mass must be at least 0");
        return;
    }
    MassProperties body = {mass, {0.0, 0.0, 0.0}, {0.0}};
    memcpy(body.inertia, full, sizeof full);
    poise__urdf_mend_inertia(&reader->base, element, link->name, &body);
    link->mass = poise__mass_moved(body, pose);
}

void poise__mjcf_read_shapes(MjcfReader* reader, const MjcfParts* parts, int index) {
    UrdfLink* link = &reader->base.robot->links[index];
    const MjcfPart* inertial = NULL;
    int geoms = 0;
    for (int i = 0; i < parts->count; i++) {
        geoms += poise__mjcf_is(parts->items[i].element, "geom") ? 1 : 0;
    }
    link->shapes =
        poise__arena_allocate(reader->base.document->arena, (size_t)geoms, sizeof *link->shapes);
    for (int i = 0; link->shapes && i < parts->count; i++) {
        const MjcfPart* part = &parts->items[i];
        if (poise__mjcf_is(part->element, "geom")) {
            read_geom(reader, part, index);
        } else if (poise__mjcf_is(part->element, "inertial")) {
            inertial = part;
        }
    }
    if (inertial && !reader->mass_from_geoms) {
        read_inertial(reader, inertial, link);
    }
    link->has_inertial = link->mass.mass > 0.0;
}
