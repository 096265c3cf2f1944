// SPDX-License-Identifier: MIT
// Bodies and frames, and the joints that the scene itself writes.
#include <string.h>

#include "builder.h"

int poise__build_find_frame(const Builder* builder, const char* name) {
    return poise__names_find(&builder->frame_names, name);
}

int poise__build_find_joint(const Builder* builder, const char* name) {
    return poise__names_find(&builder->joint_names, name);
}

bool poise__build_is_lost(const Builder* builder, const char* name) {
    for (int i = 0; i < builder->spec->robots.count; i++) {
        const RobotSpec* robot = &builder->spec->robots.items[i];
        size_t length = strlen(robot->header.name);
        if (robot->lost && strncmp(robot->header.name, name, length) == 0 && name[length] == '/') {
            return true;
        }
    }
    for (int i = 0; i < builder->lost_count; i++) {
        if (strcmp(builder->lost[i], name) == 0) {
            return true;
        }
    }
    return false;
}

void poise__build_lose(Builder* builder, const char* name) {
    if (ARENA_GROW(builder->arena, builder, lost, lost)) {
        builder->lost[builder->lost_count++] = name;
    }
}

int poise__build_need_frame(Builder* builder, const char* name, PoiseMark mark) {
    int frame = poise__build_find_frame(builder, name);
    if (frame >= 0 || poise__build_is_lost(builder, name)) {
        return frame;
    }
    Suggestion suggestion = poise__suggestion_for(builder->diagnostics, name);
    for (int i = 0; i < builder->frame_count; i++) {
        poise__suggestion_offer_path(&suggestion, builder->frames[i].name);
    }
    char guess[160];
    REFUSE(builder, mark, "there is no body '%.60s'%s", name,
           poise__suggestion_text(&suggestion, guess, sizeof guess));
    return -1;
}

const PoiseSceneFrame* poise__build_resolve_body(Builder* builder, PoiseRef* body) {
    body->index = -1;
    const int frame = body->name ? poise__build_need_frame(builder, body->name, body->mark) : -1;
    if (frame < 0) {
        return NULL;
    }
    body->index = builder->frames[frame].body;
    return &builder->frames[frame];
}

// Reports an error that the scene has too many bodies or joints, but only once.
static void refuse_more(Builder* builder, PoiseMark mark, const char* what, int most) {
    if (!builder->overfull) {
        REFUSE(builder, mark, "a scene has at most %d %s", most, what);
    }
    builder->overfull = true;
}

int poise__build_add_frame(Builder* builder, const char* name, PoiseMark mark, int body,
                           PoisePose in_body) {
    int taken = poise__build_find_frame(builder, name);
    if (taken >= 0) {
        REFUSE(builder, mark, "a second body is named '%.60s', the first in line %d", name,
               builder->bodies[builder->frames[taken].body].mark.line);
        return -1;
    }
    if (!ARENA_GROW(builder->arena, builder, frames, frame) ||
        !poise__names_add(&builder->frame_names, name, builder->frame_count)) {
        return -1;
    }
    builder->frames[builder->frame_count] = (PoiseSceneFrame){name, body, in_body};
    return builder->frame_count++;
}

int poise__build_add_body(Builder* builder, const PoiseSceneBody* body) {
    if (builder->body_count >= MAX_SCENE_BODIES) {
        refuse_more(builder, body->mark, "bodies, those of robots included", MAX_SCENE_BODIES);
        return -1;
    }
    PoiseSceneBody* bodies = ARENA_GROW(builder->arena, builder, bodies, body);
    if (!bodies) {
        return -1;
    }
    bodies[builder->body_count] = *body;
    bodies[builder->body_count].group = -1;
    bodies[builder->body_count].joint = -1;
    return builder->body_count++;
}

int poise__build_add_joint(Builder* builder, const PoiseSceneJoint* joint) {
    int taken = poise__build_find_joint(builder, joint->name);
    if (taken >= 0) {
        REFUSE(builder, joint->mark, "a second joint is named '%.60s', the first in line %d",
               joint->name, builder->joints[taken].mark.line);
        return -1;
    }
    if (builder->joint_count >= MAX_SCENE_JOINTS) {
        refuse_more(builder, joint->mark, "joints that move, those of robots included",
                    MAX_SCENE_JOINTS);
        return -1;
    }
    if (!ARENA_GROW(builder->arena, builder, joints, joint) ||
        !poise__names_add(&builder->joint_names, joint->name, builder->joint_count)) {
        return -1;
    }
    builder->joints[builder->joint_count] = *joint;
    return builder->joint_count++;
}

ErrorWatch poise__build_begin(Builder* builder, Header* headers, int index) {
    const int origin = headers[index].mirrored_from - 1;
    ErrorWatch watch = {builder->diagnostics, &headers[index], 0};
    watch.errors = poise_diagnostics_count(builder->diagnostics, POISE_ERROR);
    if (origin >= 0 && headers[origin].broken) {
        builder->diagnostics = NULL;
    }
    return watch;
}

void poise__build_end(Builder* builder, const ErrorWatch* watch) {
    bool mute = !builder->diagnostics;
    builder->diagnostics = watch->diagnostics;
    int errors = poise_diagnostics_count(builder->diagnostics, POISE_ERROR);
    watch->header->broken = watch->header->broken || mute || errors > watch->errors;
}

// Makes the items of `bodies:` the first bodies of the scene. Bodies of robots follow later.
void poise__build_bodies(Builder* builder) {
    const SceneSpec* spec = builder->spec;
    builder->bodies = spec->bodies.items;
    builder->body_capacity = spec->bodies.count;
    for (int i = 0; i < spec->bodies.count; i++) {
        const PoiseSceneBody* body = &spec->bodies.items[i];
        ErrorWatch watch = poise__build_begin(builder, spec->bodies.headers, i);
        const int index = poise__build_add_body(builder, body);
        if (index >= 0) {
            poise__build_add_frame(builder, body->name, body->mark, index, poise_pose_identity());
        }
        poise__build_end(builder, &watch);
    }
}
