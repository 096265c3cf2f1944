// SPDX-License-Identifier: MIT
// MJCF: the geoms of a body and what they weigh, or its inertial.
#include <math.h>
#include <string.h>

#include "mjcf.h"

// kg/m^3, of a geom that says neither mass nor density
#define GEOM_DENSITY 1000.0

typedef struct Kind {
    const char* word;
    PoiseShapeKind shape; ///< 0: not read
    int sizes;            ///< without fromto
} Kind;

static const Kind kinds[] = {
    {"sphere", POISE_SHAPE_SPHERE, 1},     {"capsule", POISE_SHAPE_CAPSULE, 2},
    {"cylinder", POISE_SHAPE_CYLINDER, 2}, {"box", POISE_SHAPE_BOX, 3},
    {"plane", (PoiseShapeKind)0, 0},       {"hfield", (PoiseShapeKind)0, 0},
    {"ellipsoid", (PoiseShapeKind)0, 0},   {"mesh", (PoiseShapeKind)0, 0},
    {"sdf", (PoiseShapeKind)0, 0},
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

static bool refuse_size(MjcfReader* reader, const Element* geom, const char* text) {
    poise__diagnose(reader->base.document->diagnostics, POISE_ERROR, geom->mark, "%s", text);
    return false;
}

// half sizes become whole ones, a pair of ends a place and a length
static bool read_size(MjcfReader* reader, const Element* geom, int class_index, const Kind* kind,
                      PoiseSceneShape* shape) {
    double size[3] = {0.0, 0.0, 0.0};
    double ends[6] = {0.0};
    bool between = poise__mjcf_holder(reader, geom, class_index, "fromto") != NULL;
    if (between && !poise__mjcf_numbers(reader, geom, class_index, "fromto", ends, 6)) {
        return false;
    }
    if (between && kind->shape == POISE_SHAPE_SPHERE) {
        return refuse_size(reader, geom, "a sphere has no 'fromto'");
    }
    int needed = between ? (kind->shape == POISE_SHAPE_BOX ? 2 : 1) : kind->sizes;
    int given = poise__mjcf_some_numbers(reader, geom, class_index, "size", size, 3);
    if (given < 0) {
        return false;
    }
    bool large = given >= needed;
    for (int i = 0; i < needed; i++) {
        large = large && size[i] > 0.0;
    }
    if (!large) {
        return refuse_size(reader, geom, "a geom's 'size' is missing, too short, or not above 0");
    }
    double half = size[kind->shape == POISE_SHAPE_BOX ? 2 : 1];
    if (between) {
        PoiseVec3 from = poise_vec3(ends[0], ends[1], ends[2]);
        PoiseVec3 to = poise_vec3(ends[3], ends[4], ends[5]);
        PoiseVec3 way = poise_sub(to, from);
        half = 0.5 * poise_length(way);
        if (!(half > 0.0)) {
            return refuse_size(reader, geom, "the two ends of 'fromto' are one place");
        }
        shape->in_body =
            poise_pose(poise_scale(0.5, poise_add(from, to)), poise__mjcf_turn_to(way));
    }
    shape->size =
        kind->shape == POISE_SHAPE_BOX
            ? poise_vec3(2.0 * size[0], 2.0 * size[1], 2.0 * half)
            : poise_vec3(size[0], kind->shape == POISE_SHAPE_SPHERE ? 0.0 : 2.0 * half, 0.0);
    return true;
}

// a shape scaled to its mass, or filled with its density
static MassProperties mass_of_geom(MjcfReader* reader, const Element* geom, int class_index,
                                   const PoiseSceneShape* shape) {
    double density = GEOM_DENSITY;
    double mass = -1.0;
    (void)poise__mjcf_numbers(reader, geom, class_index, "density", &density, 1);
    (void)poise__mjcf_numbers(reader, geom, class_index, "mass", &mass, 1);
    if (density < 0.0) {
        refuse_size(reader, geom, "a geom's 'density' must be at least 0");
        density = GEOM_DENSITY;
    }
    if (mass >= 0.0) {
        return poise__mass_scaled(poise__mass_of_shape(shape, GEOM_DENSITY), mass);
    }
    if (poise__mjcf_holder(reader, geom, class_index, "mass")) {
        refuse_size(reader, geom, "a geom's 'mass' must be at least 0");
    }
    return poise__mass_of_shape(shape, density);
}

static void read_geom(MjcfReader* reader, const Element* geom, int inherited, UrdfLink* link) {
    int class_index = poise__mjcf_class(reader, geom, "class", inherited);
    const Kind* kind = find_kind(reader, geom, class_index);
    if (!kind) {
        return;
    }
    if (!kind->shape) {
        char why[80];
        snprintf(why, sizeof why, "of type %s is not read", kind->word);
        poise__mjcf_note(reader, geom, why);
        return;
    }
    PoiseSceneShape shape = {.kind = kind->shape,
                             .in_body = poise__mjcf_pose(reader, geom, class_index)};
    if (!read_size(reader, geom, class_index, kind, &shape)) {
        return;
    }
    link->shapes[link->shape_count++] = shape;
    MassProperties mass = mass_of_geom(reader, geom, class_index, &shape);
    link->mass = poise__mass_sum(link->mass, poise__mass_moved(mass, shape.in_body));
}

static void read_inertial(MjcfReader* reader, const Element* element, UrdfLink* link) {
    PoisePose pose = poise__mjcf_pose(reader, element, -1);
    double mass = 0.0;
    double full[6] = {0.0};
    if (!poise__urdf_number(&reader->base, element, "mass", &mass)) {
        return;
    }
    bool diagonal = poise__element_find(element, "diaginertia") != NULL;
    bool fine = poise__mjcf_numbers(reader, element, -1, diagonal ? "diaginertia" : "fullinertia",
                                    full, diagonal ? 3 : 6);
    if (!fine || !(mass >= 0.0)) {
        refuse_size(reader, element, "an inertial's mass must be at least 0");
        return;
    }
    MassProperties body = {mass, {0.0, 0.0, 0.0}, {0.0}};
    memcpy(body.inertia, full, sizeof full);
    const char* wrong = poise__inertia_repair(body.inertia);
    if (wrong && mass > 0.0) {
        poise__diagnose(reader->base.document->diagnostics, POISE_NOTE, element->mark,
                        "no body can have the inertia of '%s': %s; mended", link->name, wrong);
    }
    link->mass = poise__mass_moved(body, pose);
}

void poise__mjcf_read_shapes(MjcfReader* reader, const Element* body, int class_index,
                             UrdfLink* link) {
    link->shapes = poise__arena_allocate(reader->base.document->arena,
                                         (size_t)body->child_count + 1, sizeof *link->shapes);
    const Element* inertial = NULL;
    for (int i = 0; link->shapes && i < body->child_count; i++) {
        const Element* child = body->children[i];
        if (child->kind == ELEMENT_MAP && strcmp(child->key, "geom") == 0) {
            read_geom(reader, child, class_index, link);
        } else if (child->kind == ELEMENT_MAP && strcmp(child->key, "inertial") == 0) {
            inertial = child;
        }
    }
    if (inertial && !reader->mass_from_geoms) {
        read_inertial(reader, inertial, link);
    }
    link->has_inertial = link->mass.mass > 0.0;
}
