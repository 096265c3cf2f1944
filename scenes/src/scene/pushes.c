// SPDX-License-Identifier: MIT
// Blows from outside: whom they hit.
#include "builder.h"

static void build_push(Builder* builder, const PushSpec* spec, PoiseScenePush* push) {
    *push = spec->push;
    push->body = -1;
    if (!spec->body) {
        return;
    }
    PoiseMark mark = poise__value_mark(spec->header.element, "body");
    int frame = poise__build_need_frame(builder, spec->body, mark);
    if (frame < 0) {
        return;
    }
    push->body = builder->frames[frame].body;
    push->at = poise_pose_apply(builder->frames[frame].in_body, push->at);
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
