// SPDX-License-Identifier: MIT
// `mirror:` makes the other side of what is written, before names are resolved. A place x becomes
// M x; what turns (axes, rotations, torques) is a pseudovector and becomes -M x.
#include <string.h>

#include "builder.h"

typedef struct Mirror {
    Builder* builder;
    const MirrorSpec* spec;
    size_t from_length;
} Mirror;

static PoiseVec3 reflect(const Mirror* mirror, PoiseVec3 v) {
    switch (mirror->spec->across) {
    case ACROSS_X:
        return poise_vec3(-v.x, v.y, v.z);
    case ACROSS_Y:
        return poise_vec3(v.x, -v.y, v.z);
    case ACROSS_Z:
        return poise_vec3(v.x, v.y, -v.z);
    }
    return v;
}

static PoiseVec3 reflect_turn(const Mirror* mirror, PoiseVec3 v) {
    return poise_scale(-1.0, reflect(mirror, v));
}

static PoiseQuat reflect_quat(const Mirror* mirror, PoiseQuat q) {
    PoiseVec3 v = reflect_turn(mirror, poise_vec3(q.x, q.y, q.z));
    return poise_quat(q.w, v.x, v.y, v.z);
}

static bool is_side(const Mirror* mirror, const char* name) {
    return strncmp(name, mirror->spec->from, mirror->from_length) == 0;
}

// the name on the other side; names of neither side stay
static const char* other_side(const Mirror* mirror, const char* name) {
    if (!name || !is_side(mirror, name)) {
        return name;
    }
    const char* other = poise__arena_format(mirror->builder->arena, "%s%s", mirror->spec->to,
                                            name + mirror->from_length);
    return other ? other : name;
}

static Names rename_all(const Mirror* mirror, Names names) {
    Names other = names;
    other.items =
        poise__arena_allocate(mirror->builder->arena, (size_t)names.count, sizeof *other.items);
    if (!other.items) {
        other.count = 0;
        return other;
    }
    for (int i = 0; i < names.count; i++) {
        other.items[i].text = other_side(mirror, names.items[i].text);
        other.items[i].mark = names.items[i].mark;
    }
    return other;
}

static Header mirror_header(const Mirror* mirror, const Header* header, int index) {
    Header other = *header;
    other.mirrored_from = index + 1;
    other.name = other_side(mirror, header->name);
    return other;
}

// ---------------------------------------------------------------------------------------- items

static void mirror_body(const Mirror* mirror, void* item) {
    BodySpec* body = item;
    body->from = reflect(mirror, body->from);
    body->to = reflect(mirror, body->to);
    body->at = reflect(mirror, body->at);
    body->rotation = reflect_quat(mirror, body->rotation);
}

static void mirror_joint(const Mirror* mirror, void* item) {
    JointSpec* joint = item;
    // what it slides along or, a ball, what its cone is about is a direction
    bool directed = poise__schema_given(&poise__joint_schema, joint, "slider") ||
                    poise__schema_given(&poise__joint_schema, joint, "ball");
    joint->hinge = reflect(mirror, joint->hinge);
    joint->slider = reflect(mirror, joint->slider);
    joint->ball = reflect(mirror, joint->ball);
    joint->universal = reflect(mirror, joint->universal);
    joint->axis2 = reflect_turn(mirror, joint->axis2);
    joint->axis = directed ? reflect(mirror, joint->axis) : reflect_turn(mirror, joint->axis);
    joint->between = rename_all(mirror, joint->between);
    joint->natural.rotation = reflect_quat(mirror, joint->natural.rotation);
}

static void mirror_place(const Mirror* mirror, PlaceSpec* place) {
    place->at = reflect(mirror, place->at);
    place->circle.centre = reflect(mirror, place->circle.centre);
    place->circle.start = reflect(mirror, place->circle.start);
    place->circle.normal = reflect_turn(mirror, place->circle.normal);
    const PoiseVec3* places = place->places;
    place->places =
        poise__arena_allocate(mirror->builder->arena, (size_t)place->count, sizeof *place->places);
    for (int i = 0; place->places && i < place->count; i++) {
        place->places[i] = reflect(mirror, places[i]);
    }
}

static void mirror_turn(const Mirror* mirror, TurnSpec* turn) {
    turn->quaternion = reflect_quat(mirror, turn->quaternion);
    turn->point = reflect(mirror, turn->point);
    turn->along = reflect(mirror, turn->along);
    turn->at = other_side(mirror, turn->at);
    turn->place = reflect(mirror, turn->place);
    const PoiseQuat* turns = turn->turns;
    turn->turns =
        poise__arena_allocate(mirror->builder->arena, (size_t)turn->count, sizeof *turn->turns);
    for (int i = 0; turn->turns && i < turn->count; i++) {
        turn->turns[i] = reflect_quat(mirror, turns[i]);
    }
}

static void mirror_point(const Mirror* mirror, void* item) {
    PointSpec* point = item;
    point->body = other_side(mirror, point->body);
    point->frame = other_side(mirror, point->frame);
    point->at = reflect(mirror, point->at);
    point->rotation = reflect_quat(mirror, point->rotation);
    point->uses = rename_all(mirror, point->uses);
    mirror_place(mirror, &point->position);
    mirror_turn(mirror, &point->orientation);
    point->force.push = reflect(mirror, point->force.push);
    point->force.torque = reflect_turn(mirror, point->force.torque);
}

// ---------------------------------------------------------------------------------------- lists

// a list of items that each begin with a Header
typedef struct ItemList {
    void** items;
    int* count;
    size_t size;
    void (*mirror)(const Mirror* mirror, void* item);
} ItemList;

static Header* header_at(const ItemList* list, int index) {
    return (Header*)((char*)*list->items + (size_t)index * list->size);
}

static bool is_written(const ItemList* list, int count, const char* name) {
    for (int i = 0; i < count; i++) {
        if (strcmp(header_at(list, i)->name, name) == 0) {
            return true;
        }
    }
    return false;
}

// appends the other sides; returns how many items had this side's prefix
static int mirror_list(const Mirror* mirror, const ItemList* list) {
    int written = *list->count;
    char* doubled = poise__arena_allocate(mirror->builder->arena, 2 * (size_t)written, list->size);
    if (!doubled || written == 0) {
        return 0;
    }
    memcpy(doubled, *list->items, (size_t)written * list->size);
    *list->items = doubled;
    int sides = 0;
    for (int i = 0; i < written; i++) {
        const Header* header = header_at(list, i);
        if (!is_side(mirror, header->name)) {
            continue;
        }
        sides++;
        Header other = mirror_header(mirror, header, i);
        if (is_written(list, written, other.name)) {
            continue;
        }
        void* item = doubled + (size_t)*list->count * list->size;
        memcpy(item, header, list->size);
        memcpy(item, &other, sizeof other);
        list->mirror(mirror, item);
        (*list->count)++;
    }
    return sides;
}

static void apply(Builder* builder, const MirrorSpec* spec) {
    Mirror mirror = {builder, spec, strlen(spec->from)};
    SceneSpec* scene = builder->spec;
    void* bodies = scene->bodies.items;
    void* joints = scene->joints.items;
    void* points = scene->points.items;
    const ItemList lists[] = {
        {&bodies, &scene->bodies.count, sizeof(BodySpec), mirror_body},
        {&joints, &scene->joints.count, sizeof(JointSpec), mirror_joint},
        {&points, &scene->points.count, sizeof(PointSpec), mirror_point},
    };
    int sides = 0;
    for (int i = 0; i < 3; i++) {
        sides += mirror_list(&mirror, &lists[i]);
    }
    scene->bodies.items = bodies;
    scene->joints.items = joints;
    scene->points.items = points;
    if (sides == 0) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, poise__value_mark(spec->element, "from"),
                        "nothing here has a name that begins with '%.60s'", spec->from);
    }
}

void poise__build_mirror(Builder* builder) {
    for (int i = 0; i < builder->spec->mirrors.count; i++) {
        const MirrorSpec* spec = &builder->spec->mirrors.items[i];
        if (spec->from && spec->to) {
            apply(builder, spec);
        }
    }
}
