// SPDX-License-Identifier: MIT
// What `pushes:` may hold.
#include <math.h>

#include "spec.h"

static const Field push_fields[] = {
    {.key = "body",
     .type = FIELD_TEXT,
     .offset = offsetof(PushSpec, body),
     .required = true,
     .form = "body or robot/link",
     .help = "what is pushed"},
    {.key = "at",
     .type = FIELD_VEC3,
     .offset = offsetof(PushSpec, at),
     .fallback = "[0, 0, 0]",
     .unit = "m",
     .help = "where, in the body's own frame"},
    {.key = "force",
     .type = FIELD_VEC3,
     .offset = offsetof(PushSpec, force),
     .required = true,
     .unit = "N",
     .help = "in the world"},
    {.key = "from",
     .type = FIELD_NUMBER,
     .offset = offsetof(PushSpec, from),
     .range = {0.0, 1e9, false, false},
     .fallback = "0",
     .unit = "s",
     .help = "when it begins"},
    {.key = "seconds",
     .type = FIELD_NUMBER,
     .offset = offsetof(PushSpec, seconds),
     .range = {0.0, (double)INFINITY, true, true},
     .fallback = "0.1",
     .unit = "s",
     .help = "how long it lasts"},
    {.key = "every",
     .type = FIELD_NUMBER,
     .offset = offsetof(PushSpec, every),
     .range = {0.0, (double)INFINITY, true, true},
     .fallback = "inf",
     .unit = "s",
     .help = "it comes again, so long after it began"},
};

const Schema poise__push_schema = {
    .name = "a push",
    .title = "A push",
    .fields = push_fields,
    .field_count = (int)(sizeof push_fields / sizeof push_fields[0]),
    .given_offset = offsetof(PushSpec, given),
};

static void read_push(Reader* reader, const Element* element, void* item) {
    PushSpec* push = item;
    poise__schema_set_fallbacks(&poise__push_schema, push);
    poise__schema_read(reader, &poise__push_schema, element, push);
}

void poise__pushes_read(Reader* reader, const Element* element, void* list) {
    static const NameMap map = {"a push", sizeof(PushSpec), false, read_push};
    PushList* pushes = list;
    pushes->items = poise__name_map_read(reader, element, &map, &pushes->count);
}
