// SPDX-License-Identifier: MIT
// Maps of names: bodies, joints, robots, control points, pushes.
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

static bool check_name(Reader* reader, const Element* element, const NameMap* map) {
    const char* name = element->key;
    bool fine = name[0] != '\0';
    for (const char* letter = name; *letter; letter++) {
        fine = fine && is_name_letter(*letter, map->patterns);
    }
    if (!fine) {
        poise__diagnose(reader->diagnostics, POISE_ERROR, element->key_mark,
                        "'%.60s' cannot be the name of %s: write letters, digits, _ and -", name,
                        map->kind);
    } else if (strcmp(name, "world") == 0) {
        poise__diagnose(reader->diagnostics, POISE_ERROR, element->key_mark,
                        "'world' cannot be the name of %s: it names what does not move", map->kind);
        fine = false;
    }
    return fine;
}

void* poise__name_map_read(Reader* reader, const Element* element, const NameMap* map, int* count) {
    *count = 0;
    if (poise__element_is_empty(element)) {
        return NULL;
    }
    if (element->kind != ELEMENT_MAP) {
        char found[80];
        poise__refuse(reader, element, "'%s' must be a map of names, not %s", element->key,
                      poise__element_describe(element, found, sizeof found));
        return NULL;
    }
    if (element->child_count > map->most) {
        poise__refuse(reader, element, "'%s' holds %d items: a scene has at most %d", element->key,
                      element->child_count, map->most);
        reader->overfull = true;
        return NULL;
    }
    char* items =
        poise__arena_allocate(reader->arena, (size_t)element->child_count, map->item_size);
    if (!items) {
        return NULL;
    }
    for (int i = 0; i < element->child_count; i++) {
        const Element* child = element->children[i];
        char* item = items + (size_t)i * map->item_size;
        Header header = {child->key, child->key_mark, child, false, 0};
        int errors = poise__reader_errors(reader);
        (void)check_name(reader, child, map);
        reader->item = child->key;
        map->read_item(reader, child, item);
        header.broken = poise__reader_errors(reader) > errors;
        memcpy(item + map->header_offset, &header, sizeof header);
    }
    *count = element->child_count;
    return items;
}
