// SPDX-License-Identifier: MIT
// The table of `pushes:`.
#include "spec.h"

#define PUSH(member) offsetof(PoiseScenePush, member)

static const Field push_fields[] = {
    {"body", FIELD_REF, PUSH(body), .required = true, .form = "body or robot/link",
     .help = "what is pushed"},
    {"at", FIELD_VEC3, PUSH(at), .unit = "m", .fallback = "[0, 0, 0]",
     .help = "where, in the body's own frame"},
    {"force", FIELD_VEC3, PUSH(force), .required = true, .unit = "N", .help = "in the world"},
    {"from", FIELD_NUMBER, PUSH(from), .range = BETWEEN(0.0, 1e9), .unit = "s", .fallback = "0",
     .help = "when it begins"},
    {"seconds", FIELD_NUMBER, PUSH(seconds), .range = ANY_ABOVE(0.0), .unit = "s",
     .fallback = "0.1", .help = "how long it lasts"},
    {"every", FIELD_NUMBER, PUSH(every), .range = ANY_ABOVE(0.0), .unit = "s", .fallback = "inf",
     .help = "it comes again, so long after it began"},
};

const Schema poise__push_schema = {.name = "a push", .title = "A push", ROWS(push_fields)};

static void read_push(Reader* reader, const Element* element, void* item) {
    PoiseScenePush* push = item;
    poise__schema_set_fallbacks(&poise__push_schema, push);
    poise__schema_read(reader, &poise__push_schema, element, push);
    push->name = reader->item;
    push->mark = element->key_mark;
    if (push->every < push->seconds) {
        REFUSE(reader, poise__value_mark(element, "every"),
               "push '%.60s' would come again before it has ended: 'every' must be at "
               "least its 'seconds'",
               element->key);
    }
}

const NameMap poise__push_items = {.kind = "a push",
                                   .item_size = sizeof(PoiseScenePush),
                                   .most = MAX_SCENE_POINTS,
                                   .read_item = read_push};
