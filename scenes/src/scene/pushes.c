// SPDX-License-Identifier: MIT
// Resolves the bodies of external pushes and of `keep_apart`.
#include "builder.h"

static void resolve(Builder* builder, PoiseScenePush* push) {
    const PoiseSceneFrame* frame = poise__build_resolve_body(builder, &push->body);
    if (!frame) {
        return;
    }
    push->at = poise_pose_apply(frame->in_body, push->at);
    if (builder->bodies[push->body.index].fixed) {
        REFUSE(builder, push->body.mark, "push '%.60s': '%.60s' is fixed, nothing moves it",
               push->name, push->body.name);
    }
}

void poise__build_apart(Builder* builder, PoiseMark mark) {
    PoiseSceneApart* apart = &builder->spec->scene.keep_apart;
    apart->mark = mark;
    for (int i = 0; i < apart->from.count; i++) {
        poise__build_resolve_body(builder, &apart->from.items[i]);
    }
}

void poise__build_pushes(Builder* builder) {
    for (int i = 0; i < builder->spec->pushes.count; i++) {
        resolve(builder, &builder->spec->pushes.items[i]);
    }
}
