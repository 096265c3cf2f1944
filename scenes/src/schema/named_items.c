// SPDX-License-Identifier: MIT
// Reads maps of named items, such as bodies, joints or control points.
#include <string.h>

#include "spec.h"

static bool is_name_letter(char letter, bool patterns) {
    static const char refused[] = "/*?.[]{}\"'=,:;#&!|<>%@`\\$";
    unsigned char byte = (unsigned char)letter;
    if (byte <= 0x20 || byte == 0x7f) {
        return false;
    }
    return (patterns && strchr("*?./", letter)) || !strchr(refused, letter);
}

static void check_name(Reader* reader, const Element* element, const NameMap* map) {
    const char* name = element->key;
    bool fine = name[0] != '\0';
    for (const char* letter = name; *letter; letter++) {
        fine = fine && is_name_letter(*letter, map->patterns);
    }
    if (!fine) {
        REFUSE(reader, element->key_mark,
               "'%.60s' cannot be the name of %s: write letters, digits, _ and -", name, map->kind);
    } else if (strcmp(name, "world") == 0) {
        REFUSE(reader, element->key_mark,
               "'world' cannot be the name of %s: it names what does not move", map->kind);
    }
}

static bool check_map(Reader* reader, const Element* element, const NameMap* map) {
    if (element->kind != ELEMENT_MAP) {
        return poise__refuse_kind(reader, element, "a map of names");
    }
    if (element->child_count > map->most) {
        poise__refuse(reader, element, "'%s' holds %d items: a scene has at most %d", element->key,
                      element->child_count, map->most);
        reader->overfull = true;
        return false;
    }
    return true;
}

static void read_item(Reader* reader, const Element* element, const NameMap* map, NameItems* list) {
    Header header = {.name = element->key, .mark = element->key_mark, .element = element};
    const int errors = poise__reader_errors(reader);
    check_name(reader, element, map);
    reader->item = element->key;
    map->read_item(reader, element, (char*)list->items + (size_t)list->count * map->item_size);
    header.broken = poise__reader_errors(reader) > errors;
    list->headers[list->count++] = header;
}

NameItems poise__name_map_read(Reader* reader, const Element* element, const NameMap* map) {
    NameItems list = {NULL, NULL, 0};
    if (poise__element_is_empty(element) || !check_map(reader, element, map)) {
        return list;
    }
    const size_t count = (size_t)element->child_count;
    list.items = poise__arena_allocate(reader->arena, count, map->item_size);
    list.headers = poise__arena_allocate(reader->arena, count, sizeof *list.headers);
    for (int i = 0; list.items && list.headers && i < element->child_count; i++) {
        read_item(reader, element->children[i], map, &list);
    }
    if (map->mirrored) {
        poise__mirror_items(reader, map, &list);
    }
    return list;
}
