// SPDX-License-Identifier: MIT
// `mirror:` adds the items of the other side: each item of the first side is read again, reflected
// by M. A place x becomes M x; rotations, their axes and torques become -M x.
#include <string.h>

#include "spec.h"

static PoiseVec3 reflect_once(const MirrorSpec* mirror, PoiseVec3 v) {
    const int across = (int)mirror->across;
    return poise_vec3(across == ACROSS_X ? -v.x : v.x, across == ACROSS_Y ? -v.y : v.y,
                      across == ACROSS_Z ? -v.z : v.z);
}

PoiseVec3 poise__reflect(const Image* image, PoiseVec3 v) {
    return image ? reflect_once(image->mirror, poise__reflect(image->of, v)) : v;
}

PoiseVec3 poise__reflect_turn(const Image* image, PoiseVec3 v) {
    return image ? poise_scale(-1.0, reflect_once(image->mirror, poise__reflect_turn(image->of, v)))
                 : v;
}

PoiseQuat poise__reflect_quat(const Image* image, PoiseQuat q) {
    const PoiseVec3 v = poise__reflect_turn(image, poise_vec3(q.x, q.y, q.z));
    return poise_quat(q.w, v.x, v.y, v.z);
}

static bool is_side(const MirrorSpec* mirror, const char* name) {
    return strncmp(name, mirror->from, strlen(mirror->from)) == 0;
}

const char* poise__reflect_name(const Reader* reader, const Image* image, const char* name) {
    const char* written = image ? poise__reflect_name(reader, image->of, name) : name;
    if (!image || !written || !is_side(image->mirror, written)) {
        return written;
    }
    const char* other = poise__arena_format(reader->arena, "%s%s", image->mirror->to,
                                            written + strlen(image->mirror->from));
    return other ? other : written;
}

void poise__reflect_names(const Reader* reader, PoiseRefs* names) {
    for (int i = 0; i < names->count; i++) {
        names->items[i].name = poise__reflect_name(reader, reader->image, names->items[i].name);
    }
}

// ------------------------------------------------------------------------------- images of items

static bool is_written(const NameItems* list, int count, const char* name) {
    for (int i = 0; i < count; i++) {
        if (strcmp(list->headers[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void* item_at(const NameItems* list, const NameMap* map, int index) {
    return (char*)list->items + (size_t)index * map->item_size;
}

// Appends the mirror image of an item. Its errors are those of the original, which were reported.
static void add_image(const Reader* reader, const NameMap* map, NameItems* list,
                      const Header* header) {
    Reader through = *reader;
    through.diagnostics = NULL;
    through.image = header->image;
    through.item = header->name;
    void* item = item_at(list, map, list->count);
    if (!header->broken) {
        map->read_item(&through, header->element, item);
    } else {
        memcpy(item, item_at(list, map, header->mirrored_from - 1), map->item_size);
        memcpy(item, &header->name, sizeof header->name); // each item begins with its name
    }
    list->headers[list->count++] = *header;
}

// Doubles the capacity of the list; false when memory is short.
static bool make_room(const Reader* reader, const NameMap* map, NameItems* list) {
    const size_t room = 2 * (size_t)list->count;
    void* items = poise__arena_allocate(reader->arena, room, map->item_size);
    Header* headers = poise__arena_allocate(reader->arena, room, sizeof *headers);
    if (!items || !headers) {
        return false;
    }
    memcpy(items, list->items, (size_t)list->count * map->item_size);
    memcpy(headers, list->headers, (size_t)list->count * sizeof *headers);
    list->items = items;
    list->headers = headers;
    return true;
}

static void mirror_items(const Reader* reader, const NameMap* map, NameItems* list,
                         MirrorSpec* mirror) {
    const int written = list->count;
    if (written == 0 || !make_room(reader, map, list)) {
        return;
    }
    for (int i = 0; i < written; i++) {
        Header other = list->headers[i];
        Image* image = poise__arena_allocate(reader->arena, 1, sizeof *image);
        if (!image || !is_side(mirror, other.name)) {
            continue;
        }
        *image = (Image){mirror, other.image};
        mirror->sides++;
        other.image = image;
        other.mirrored_from = i + 1;
        other.name = poise__reflect_name(reader, &(Image){mirror, NULL}, other.name);
        if (!is_written(list, written, other.name)) {
            add_image(reader, map, list, &other);
        }
    }
}

void poise__mirror_items(const Reader* reader, const NameMap* map, NameItems* list) {
    SceneSpec* scene = reader->context;
    for (int i = 0; i < scene->mirrors.count && list->count <= map->most; i++) {
        MirrorSpec* mirror = &scene->mirrors.items[i];
        if (mirror->from && mirror->to) {
            mirror_items(reader, map, list, mirror);
        }
    }
}

void poise__mirrors_check(Reader* reader, const MirrorList* mirrors) {
    for (int i = 0; i < mirrors->count; i++) {
        const MirrorSpec* mirror = &mirrors->items[i];
        if (mirror->from && mirror->to && mirror->sides == 0) {
            REFUSE(reader, poise__value_mark(mirror->element, "from"),
                   "nothing here has a name that begins with '%.60s'", mirror->from);
        }
    }
}
