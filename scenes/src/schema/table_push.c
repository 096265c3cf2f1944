// SPDX-License-Identifier: MIT
// What `pushes:` may hold.
#include "spec.h"

#define PUSH(member) offsetof(PushSpec, member)

static const Field push_fields[] = {
    {"body", FIELD_TEXT, PUSH(body), .required = true, .form = "body or robot/link",
     .help = "what is pushed"},
    {"at", FIELD_VEC3, PUSH(push.at), .unit = "m", .fallback = "[0, 0, 0]",
     .help = "where, in the body's own frame"},
    {"force", FIELD_VEC3, PUSH(push.force), .required = true, .unit = "N", .help = "in the world"},
    {"from", FIELD_NUMBER, PUSH(push.from), .range = BETWEEN(0.0, 1e9), .unit = "s",
     .fallback = "0", .help = "when it begins"},
    {"seconds", FIELD_NUMBER, PUSH(push.seconds), .range = ANY_ABOVE(0.0), .unit = "s",
     .fallback = "0.1", .help = "how long it lasts"},
    {"every", FIELD_NUMBER, PUSH(push.every), .range = ANY_ABOVE(0.0), .unit = "s",
     .fallback = "inf", .help = "it comes again, so long after it began"},
};

const Schema poise__push_schema = {.name = "a push", .title = "A push", ROWS(push_fields)};

static void read_push(Reader* reader, const Element* element, void* item) {
    PushSpec* spec = item;
    poise__schema_set_fallbacks(&poise__push_schema, spec);
    poise__schema_read(reader, &poise__push_schema, element, spec);
    spec->push.name = element->key;
    spec->push.mark = element->key_mark;
    if (spec->push.every < spec->push.seconds) {
        poise__diagnose(reader->diagnostics, POISE_ERROR, poise__value_mark(element, "every"),
                        "push '%.60s' would come again before it has ended: 'every' must be at "
                        "least its 'seconds'",
                        element->key);
    }
}

void poise__pushes_read(Reader* reader, const Element* element, void* scene_spec) {
    static const NameMap map = {"a push", sizeof(PushSpec), offsetof(PushSpec, header),
                                false,    MOST_POINTS,      read_push};
    PushList* pushes = &((SceneSpec*)scene_spec)->pushes;
    pushes->items = poise__name_map_read(reader, element, &map, &pushes->count);
}
