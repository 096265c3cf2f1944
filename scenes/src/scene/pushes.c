// SPDX-License-Identifier: MIT
// Blows from outside: whom they hit.
#include <math.h>

#include "builder.h"

static void build_push(Builder* builder, const PushSpec* spec, PoiseScenePush* push) {
    push->name = spec->header.name;
    push->mark = spec->header.mark;
    push->body = -1;
    push->force = spec->force;
    push->from = spec->from;
    push->seconds = spec->seconds;
    push->every = spec->every;
    const Element* element = spec->header.element;
    if (spec->every < spec->seconds) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, poise__value_mark(element, "every"),
                        "push '%.60s' would come again before it has ended: 'every' must be at "
                        "least its 'seconds'",
                        push->name);
    }
    if (!spec->body) {
        return;
    }
    PoiseMark mark = poise__value_mark(element, "body");
    int frame = poise__build_need_frame(builder, spec->body, mark);
    if (frame < 0) {
        return;
    }
    push->body = builder->frames[frame].body;
    push->at = poise_pose_apply(builder->frames[frame].in_body, spec->at);
    if (builder->bodies[push->body].fixed) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, mark,
                        "push '%.60s': '%.60s' is fixed, nothing moves it", push->name, spec->body);
    }
}

void poise__build_pushes(Builder* builder) {
    int count = builder->spec->pushes.count;
    builder->pushes = poise__arena_allocate(builder->arena, (size_t)count, sizeof *builder->pushes);
    for (int i = 0; builder->pushes && i < count; i++) {
        build_push(builder, &builder->spec->pushes.items[i], &builder->pushes[i]);
        builder->push_count++;
    }
}
