// SPDX-License-Identifier: MIT
// Pairs of links that may touch, as a robot's maker states: <disable_collisions> of an SRDF, and
// <exclude> of an MJCF. A scene that keeps the robot's links apart ignores these pairs.
#include <stdio.h>
#include <string.h>

#include "file_path.h"
#include "input.h"
#include "robot.h"

// Largest size of an SRDF, bytes.
#define MAX_SRDF_BYTES ((size_t)32 * 1024 * 1024)

// Returns the link that the attribute names; -1 if the name is missing or unknown.
static int link_named(RobotReader* reader, const Element* element, const char* key,
                      const char* prefix, bool whole) {
    const Element* given = poise__element_find(element, key);
    if (!given || !given->text || !given->text[0]) {
        char kind[160];
        snprintf(kind, sizeof kind, "no %s of %.60s", key, element->key);
        WARN_KIND(reader, kind, element->mark, "<%.60s> lacks its '%s': not used", element->key,
                  key);
        return -1;
    }
    const char* name =
        prefix[0] ? poise__arena_format(reader->arena, "%s%s", prefix, given->text) : given->text;
    const int link = name ? poise__names_find(&reader->links, name) : -1;
    if (name && link < 0 && whole) {
        char guess[160], kind[160];
        snprintf(kind, sizeof kind, "excluded %.100s", name);
        WARN_KIND(reader, kind, given->mark, "<%.60s>: there is no link '%.60s'%s", element->key,
                  name, poise__robot_guess(reader, name, &reader->links, guess, sizeof guess));
    }
    return link;
}

void poise__robot_exclude(RobotReader* reader, const Element* element, const char* const keys[2],
                          const char* prefix, bool whole) {
    Robot* robot = reader->robot;
    const int a = link_named(reader, element, keys[0], prefix, whole);
    const int b = link_named(reader, element, keys[1], prefix, whole);
    if (a < 0 || b < 0) {
        return;
    }
    if (ARENA_GROW(reader->arena, robot, exclusions, exclusion)) {
        robot->exclusions[robot->exclusion_count++] = (RobotExclusion){a, b};
    }
}

// Returns the path of the SRDF: the URDF's path with the ending .srdf. NULL if there is no file.
static const char* srdf_path(const RobotReader* reader) {
    const Document* document = reader->document;
    const char* urdf = document->file;
    const char* slash = strrchr(urdf, '/');
    const char* name = slash ? slash + 1 : urdf;
    const char* dot = strrchr(name, '.');
    if (!dot || dot == name || dot - name > 1000) {
        return NULL;
    }
    const char* own = poise__arena_format(document->arena, "%.*s.srdf", (int)(dot - name), name);
    const char* path = own ? poise__path_beside(document->arena, urdf, own) : NULL;
    return path && poise__path_is_file(path) && poise__input_is_inside(document->fence, own, path)
               ? path
               : NULL;
}

bool poise__srdf_read(RobotReader* reader) {
    static const char* const keys[2] = {"link1", "link2"};
    const char* path = srdf_path(reader);
    if (!path) {
        return true;
    }
    Document document = *reader->document;
    document.file = path;
    size_t size = 0;
    const char* text =
        poise__file_read(document.arena, path, &size, reader->root->mark, reader->diagnostics);
    if (text && size > MAX_SRDF_BYTES) {
        return poise__robot_refuse(reader, (PoiseMark){path, 1, 1}, "an SRDF larger than 32 MB");
    }
    const Element* root = text ? poise__xml_read(&document, text, size) : NULL;
    if (root && !poise__tag_is(root, "robot")) {
        return poise__robot_refuse(reader, root->mark,
                                   "the root element of an SRDF must be <robot>, not <%.60s>",
                                   root->key);
    }
    const Element* element;
    for (int i = 0; root && (element = poise__tag_next(root, "disable_collisions", &i));) {
        poise__robot_exclude(reader, element, keys, "", true);
    }
    return root != NULL;
}
