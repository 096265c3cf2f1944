// SPDX-License-Identifier: MIT
// MJCF: collects the elements of a body, and resolves the frames and replicates around them.

#include "mjcf.h"

// Most bodies, joints, geoms and sites of a robot.
#define MOST_PARTS 10000

static bool count_part(MjcfReader* reader, const Element* element) {
    reader->part_count++;
    if (reader->part_count == MOST_PARTS) {
        poise__diagnose(reader->base.document->diagnostics, POISE_ERROR, element->mark,
                        "more parts than a robot has: %d", MOST_PARTS);
    }
    return reader->part_count < MOST_PARTS;
}

static void collect(MjcfReader* reader, const MjcfPart* around, MjcfParts* parts);

static void collect_frame(MjcfReader* reader, const MjcfPart* part, MjcfParts* parts) {
    MjcfPart inside = *part;
    inside.frame =
        poise_pose_mul(part->frame, poise__mjcf_pose((MjcfSource){reader, part->element, -1}));
    inside.class_index = poise__mjcf_class(reader, part->element, "childclass", part->class_index);
    collect(reader, &inside, parts);
}

static int digits(int count) {
    int needed = 1;
    for (; count >= 10; count /= 10) {
        needed++;
    }
    return needed;
}

// Collects the copies of a replicate. Each is moved and rotated relative to the copy before.
static void collect_replicate(MjcfReader* reader, const MjcfPart* part, MjcfParts* parts) {
    const Element* element = part->element;
    double count = 0.0;
    double offset[3] = {0.0, 0.0, 0.0};
    if (!poise__urdf_number(&reader->base, element, "count", &count) ||
        !poise__mjcf_numbers((MjcfSource){reader, element, -1}, "offset", offset, 3)) {
        return;
    }
    PoisePose step = poise__mjcf_pose((MjcfSource){reader, element, -1});
    step.p = poise_vec3(offset[0], offset[1], offset[2]);
    const Element* separator = poise__element_find(element, "sep");
    PoisePose moved = poise_pose_identity();
    int copies = count < MOST_PARTS ? (int)count : MOST_PARTS;
    for (int i = 0; i < copies && count_part(reader, element); i++) {
        MjcfPart inside = *part;
        inside.frame = poise_pose_mul(part->frame, moved);
        // An inner replicate appends its number first, as in MuJoCo.
        inside.suffix = poise__arena_format(reader->base.document->arena, "%.30s%0*d%s",
                                            separator ? separator->text : "", digits(copies - 1), i,
                                            part->suffix);
        if (!inside.suffix) {
            return;
        }
        collect(reader, &inside, parts);
        moved = poise_pose_mul(moved, step);
    }
}

static void add_part(MjcfReader* reader, const MjcfPart* part, MjcfParts* parts);

static void collect_attached(MjcfReader* reader, const MjcfPart* part, MjcfParts* parts) {
    MjcfModel* around = reader->model;
    const MjcfPart added = poise__mjcf_attach(reader, part);
    if (added.element && poise__mjcf_is(added.element, "body")) {
        add_part(reader, &added, parts);
    } else if (added.element) {
        collect(reader, &added, parts);
    }
    poise__mjcf_enter(reader, around);
}

static void add_part(MjcfReader* reader, const MjcfPart* part, MjcfParts* parts) {
    MjcfPart* items = poise__arena_grow(reader->base.document->arena, &parts->items, parts->count,
                                        &parts->capacity, sizeof *items);
    if (items && count_part(reader, part->element)) {
        items[parts->count++] = *part;
    }
}

static void collect(MjcfReader* reader, const MjcfPart* around, MjcfParts* parts) {
    for (int i = 0; i < around->element->child_count; i++) {
        MjcfPart part = *around;
        part.element = around->element->children[i];
        if (part.element->kind != ELEMENT_MAP || reader->part_count >= MOST_PARTS) {
            continue;
        }
        if (poise__mjcf_is(part.element, "frame")) {
            collect_frame(reader, &part, parts);
        } else if (poise__mjcf_is(part.element, "replicate")) {
            collect_replicate(reader, &part, parts);
        } else if (poise__mjcf_is(part.element, "attach")) {
            collect_attached(reader, &part, parts);
        } else {
            add_part(reader, &part, parts);
        }
    }
}

MjcfParts poise__mjcf_parts(MjcfReader* reader, const MjcfPart* body) {
    MjcfParts parts = {NULL, 0, 0};
    MjcfPart inside = *body;
    inside.frame = poise_pose_identity();
    collect(reader, &inside, &parts);
    return parts;
}

const char* poise__mjcf_name(MjcfReader* reader, const MjcfPart* part, const char* owner,
                             const char* what, int number) {
    Arena* arena = reader->base.document->arena;
    const Element* name = poise__element_find(part->element, "name");
    const bool changed = part->suffix[0] || part->prefix[0];
    const char* made = name && name->text[0] ? name->text : NULL;
    if (!made) {
        made = poise__arena_format(arena, "%s.%s%d", owner, what, number);
    } else if (changed) {
        made = poise__arena_format(arena, "%s%s%s", part->prefix, made, part->suffix);
    }
    return made ? made : "";
}
