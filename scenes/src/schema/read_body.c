// SPDX-License-Identifier: MIT
// Reads a body of the scene: its shape and pose, and the mass that follows from them.
#include <string.h>

#include "coordinates.h"
#include "inertia.h"
#include "spec.h"

static void refuse(Reader* reader, const Element* element, const char* key, const char* text) {
    PoiseMark mark = key ? poise__value_mark(element, key) : element->key_mark;
    REFUSE(reader, mark, "body '%.60s': %s", element->key, text);
}

// Computes a capsule's or cylinder's length and pose from its ends, or keeps its length and middle.
static void place_round(Reader* reader, const Element* element, BodySpec* spec) {
    bool from = poise__is_written(element, "from");
    bool to = poise__is_written(element, "to");
    bool length = poise__is_written(element, "length");
    bool at = poise__is_written(element, "at");
    if (from != to || from == length) {
        refuse(reader, element, NULL, "a capsule or cylinder has 'from' and 'to', or 'length'");
        return;
    }
    if (length) {
        return;
    }
    if (at || poise__is_written(element, "rotation")) {
        refuse(reader, element, at ? "at" : "rotation",
               "with 'from' and 'to' its place is known: leave out 'at' and 'rotation'");
        return;
    }
    PoiseVec3 along = poise_sub(spec->to, spec->from);
    spec->shape.size.y = poise_length(along);
    if (!(spec->shape.size.y > 0.0)) {
        refuse(reader, element, "to", "'from' and 'to' are the same place");
    }
    spec->body.pose.p = poise_scale(0.5, poise_add(spec->from, spec->to));
    spec->body.pose.q = poise__turn_z_to(along);
}

// Returns the kind of shape; 0, after an error, if no key or more than one key names a shape.
static PoiseShapeKind shape_kind(Reader* reader, const Element* element) {
    static const char* const keys[] = {"box", "sphere", "capsule", "cylinder"};
    static const PoiseShapeKind kinds[] = {POISE_SHAPE_BOX, POISE_SHAPE_SPHERE, POISE_SHAPE_CAPSULE,
                                           POISE_SHAPE_CYLINDER};
    const int given = poise__written_count(element, keys, 4);
    for (int i = 0; i < 4 && given == 1; i++) {
        if (poise__is_written(element, keys[i])) {
            return kinds[i];
        }
    }
    refuse(reader, element, NULL,
           given == 0 ? "one of 'box', 'sphere', 'capsule', 'cylinder' must say what it is"
                      : "only one of 'box', 'sphere', 'capsule', 'cylinder' may be there");
    return (PoiseShapeKind)0;
}

static void complete_shape(Reader* reader, const Element* element, BodySpec* spec) {
    static const char* const round_keys[] = {"from", "to", "length"};
    PoiseSceneShape* shape = &spec->shape;
    shape->kind = shape_kind(reader, element);
    if (shape->kind == POISE_SHAPE_CAPSULE || shape->kind == POISE_SHAPE_CYLINDER) {
        place_round(reader, element, spec);
        return;
    }
    for (int i = 0; i < 3 && shape->kind; i++) {
        if (poise__is_written(element, round_keys[i])) {
            refuse(reader, element, round_keys[i],
                   "'from', 'to' and 'length' belong to capsules and cylinders");
        }
    }
}

// Computes the body's mass, centre of mass and inertia from its only shape.
static void weigh(BodySpec* spec, PoiseSceneShape* shape) {
    PoiseSceneBody* body = &spec->body;
    MassProperties mass = poise__mass_of_shape(shape, spec->density);
    if (body->mass > 0.0) {
        mass = poise__mass_scaled(mass, body->mass);
    }
    poise__inertia_repair(mass.inertia);
    body->mass = mass.mass;
    body->com = mass.com;
    memcpy(body->inertia, mass.inertia, sizeof body->inertia);
    body->shapes = shape;
    body->shape_count = 1;
}

static void read_body(Reader* reader, const Element* element, void* item) {
    static const char* const weights[] = {"mass", "density"};
    const SceneSpec* scene = reader->context;
    PoiseSceneBody* body = item;
    BodySpec spec = scene->defaults.body;
    PoiseSceneShape* shape = poise__arena_allocate(reader->arena, 1, sizeof *shape);
    spec.body.name = reader->item;
    spec.body.mark = element->key_mark;
    *body = spec.body;
    if (!shape) {
        return;
    }
    // A density of the body itself replaces the mass of the defaults.
    if (poise__is_written(element, "density")) {
        spec.body.mass = 0.0;
    }
    const int errors = poise__reader_errors(reader);
    poise__schema_read(reader, &poise__body_schema, element, &spec);
    PoisePose* pose = &spec.body.pose;
    spec.from = poise__reflect(reader->image, spec.from);
    spec.to = poise__reflect(reader->image, spec.to);
    *pose = poise_pose(poise__reflect(reader->image, pose->p),
                       poise__reflect_quat(reader->image, pose->q));
    spec.shape.in_body = poise_pose_identity();
    spec.shape.category = UINT32_MAX;
    spec.shape.collide = UINT32_MAX;
    if (poise__reader_errors(reader) == errors) {
        complete_shape(reader, element, &spec);
        if (poise__written_count(element, weights, 2) == 2) {
            refuse(reader, element, "density", "'mass' and 'density' say the same thing twice");
        }
    }
    *shape = spec.shape;
    weigh(&spec, shape);
    *body = spec.body;
}

const NameMap poise__body_items = {.kind = "a body",
                                   .item_size = sizeof(PoiseSceneBody),
                                   .mirrored = true,
                                   .most = MAX_SCENE_BODIES,
                                   .read_item = read_body};
