// SPDX-License-Identifier: MIT
// `mirror:` makes the other side of what is written, before names are resolved. A place x becomes
// M x; what turns (axes, rotations, torques) is a pseudovector and becomes -M x.
#include <string.h>

#include "builder.h"
#include "coordinates.h"

typedef struct Mirror {
    Builder* builder;
    const MirrorSpec* spec;
    size_t from_length;
} Mirror;

static PoiseVec3 reflect(const Mirror* mirror, PoiseVec3 v) {
    const int across = (int)mirror->spec->across;
    return poise_vec3(across == ACROSS_X ? -v.x : v.x, across == ACROSS_Y ? -v.y : v.y,
                      across == ACROSS_Z ? -v.z : v.z);
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
    BodySpec* spec = item;
    PoisePose* pose = &spec->body.pose;
    spec->from = reflect(mirror, spec->from);
    spec->to = reflect(mirror, spec->to);
    *pose = poise_pose(reflect(mirror, pose->p), reflect_quat(mirror, pose->q));
}

static void mirror_joint(const Mirror* mirror, void* item) {
    JointSpec* spec = item;
    PoiseSceneJoint* joint = &spec->joint;
    joint->anchor = reflect(mirror, joint->anchor);
    joint->axis2 = reflect_turn(mirror, joint->axis2);
    joint->axis = spec->directed ? reflect(mirror, joint->axis) : reflect_turn(mirror, joint->axis);
    if (poise_kind_turns(joint->kind)) {
        const PoiseQuat turn = reflect_quat(mirror, poise__quat_read(joint->bind.natural));
        poise__quat_write(turn, joint->bind.natural);
    }
    spec->between = rename_all(mirror, spec->between);
}

static void mirror_place(const Mirror* mirror, PoisePositionGoal* goal) {
    const size_t count = (size_t)goal->count;
    PoiseVec3* places = poise__arena_allocate(mirror->builder->arena, count, sizeof *places);
    for (size_t i = 0; places && i < count; i++) {
        places[i] = reflect(mirror, goal->places[i]);
    }
    goal->places = places;
    goal->count = places ? goal->count : 0;
    goal->centre = reflect(mirror, goal->centre);
    goal->start = reflect(mirror, goal->start);
    goal->normal = reflect_turn(mirror, goal->normal);
}

static void mirror_turn(const Mirror* mirror, PoiseOrientationGoal* goal) {
    const size_t count = (size_t)goal->count;
    PoiseQuat* rotations = poise__arena_allocate(mirror->builder->arena, count, sizeof *rotations);
    for (size_t i = 0; rotations && i < count; i++) {
        rotations[i] = reflect_quat(mirror, goal->rotations[i]);
    }
    goal->rotations = rotations;
    goal->count = rotations ? goal->count : 0;
    goal->axis = reflect(mirror, goal->axis);
    goal->along = reflect(mirror, goal->along);
    goal->place = reflect(mirror, goal->place);
}

static void mirror_point(const Mirror* mirror, void* item) {
    PointSpec* spec = item;
    PoiseScenePoint* point = &spec->point;
    PoisePose* pose = &point->in_body;
    spec->body = other_side(mirror, spec->body);
    spec->frame = other_side(mirror, spec->frame);
    spec->looks_at = other_side(mirror, spec->looks_at);
    spec->uses = rename_all(mirror, spec->uses);
    *pose = poise_pose(reflect(mirror, pose->p), reflect_quat(mirror, pose->q));
    mirror_place(mirror, &point->position);
    mirror_turn(mirror, &point->orientation);
    point->force = reflect(mirror, point->force);
    point->torque = reflect_turn(mirror, point->torque);
}

// ---------------------------------------------------------------------------------------- lists

// a list of items that each have a Header
typedef struct ItemList {
    void** items;
    int* count;
    size_t size;
    size_t header;
    void (*mirror)(const Mirror* mirror, void* item);
} ItemList;

static Header* header_at(const ItemList* list, int index) {
    return (Header*)((char*)*list->items + (size_t)index * list->size + list->header);
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
        char* item = doubled + (size_t)*list->count * list->size;
        memcpy(item, doubled + (size_t)i * list->size, list->size);
        memcpy(item + list->header, &other, sizeof other);
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
        {&bodies, &scene->bodies.count, sizeof(BodySpec), offsetof(BodySpec, header), mirror_body},
        {&joints, &scene->joints.count, sizeof(JointSpec), offsetof(JointSpec, header),
         mirror_joint},
        {&points, &scene->points.count, sizeof(PointSpec), offsetof(PointSpec, header),
         mirror_point},
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
    for (int i = 0; i < builder->spec->mirrors.count && builder->spec->bodies.count <= MOST_BODIES;
         i++) {
        const MirrorSpec* spec = &builder->spec->mirrors.items[i];
        if (spec->from && spec->to) {
            apply(builder, spec);
        }
    }
}
