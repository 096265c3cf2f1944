// SPDX-License-Identifier: MIT
// Checks that the figures of `record:` and `expect:` exist.
#include <stdio.h>
#include <string.h>

#include "records.h"

#include "poise/figures.h"

static const PoiseScenePoint* find_point(const Builder* builder, const char* name) {
    const PointList* points = &builder->spec->points;
    for (int i = 0; i < points->count; i++) {
        if (strcmp(points->items[i].name, name) == 0) {
            return &points->items[i];
        }
    }
    return NULL;
}

static void refuse_owner(Builder* builder, const char* owner, PoiseMark mark) {
    if (poise__build_is_lost(builder, owner)) {
        return;
    }
    Suggestion suggestion = poise__suggestion_for(builder->diagnostics, owner);
    for (int i = 0; i < builder->spec->points.count; i++) {
        poise__suggestion_offer(&suggestion, builder->spec->points.items[i].name);
    }
    for (int i = 0; i < builder->joint_count; i++) {
        poise__suggestion_offer_path(&suggestion, builder->joints[i].name);
    }
    char guess[160];
    poise__diagnose(builder->diagnostics, POISE_ERROR, mark,
                    "there is no control point or joint '%.60s'%s", owner,
                    poise__suggestion_text(&suggestion, guess, sizeof guess));
}

static void refuse_field(Builder* builder, PoiseFigureOwner owner, PoiseFigureUse use,
                         const char* field, PoiseMark mark) {
    Suggestion suggestion = poise__suggestion_for(builder->diagnostics, field);
    const PoiseFigure* figure = NULL;
    for (int i = 0; (figure = poise_figure_at(i)) != NULL; i++) {
        if (figure->owner == owner && (figure->uses & (unsigned)use) != 0) {
            const char* dot = strchr(figure->name, '.');
            poise__suggestion_offer(&suggestion, dot ? dot + 1 : figure->name);
        }
    }
    char guess[160];
    poise__diagnose(builder->diagnostics, POISE_ERROR, mark, "there is no figure '%.60s'%s", field,
                    poise__suggestion_text(&suggestion, guess, sizeof guess));
}

// Reports a figure whose goal the point does not have.
static void check_need(Builder* builder, const PoiseScenePoint* point, PoiseFigureNeed need,
                       const PoiseSceneBound* bound) {
    if (need == POISE_NEEDS_FORCE && !(poise_length(point->force) > 0.0)) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, bound->mark,
                        "control point '%.60s' is asked for no force that '%.60s' could be "
                        "measured against",
                        bound->owner, bound->field);
    }
    if ((need == POISE_NEEDS_POSITION && point->position.kind == POISE_GOAL_NONE) ||
        (need == POISE_NEEDS_ORIENTATION && point->orientation.kind == POISE_GOAL_NONE)) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, bound->mark,
                        "control point '%.60s' has no goal that '%.60s' could be measured against",
                        bound->owner, bound->field);
    }
}

static bool is_broken(const Builder* builder, const PoiseScenePoint* point) {
    const PointList* points = &builder->spec->points;
    return points->headers[point - points->items].broken;
}

// the figure of a point or a joint of that name; NULL after a finding
static const PoiseFigure* find_figure(Builder* builder, const PoiseSceneRecord* named,
                                      PoiseFigureUse use) {
    PoiseFigureOwner owner = POISE_FIGURE_OF_JOINT;
    if (find_point(builder, named->owner)) {
        owner = POISE_FIGURE_OF_POINT;
    } else if (poise__build_find_joint(builder, named->owner) < 0) {
        refuse_owner(builder, named->owner, named->mark);
        return NULL;
    }
    const PoiseFigure* figure = poise_figure_find(owner, use, named->field);
    if (!figure) {
        refuse_field(builder, owner, use, named->field, named->mark);
    }
    return figure;
}

static void check_bound(Builder* builder, const PoiseSceneBound* bound) {
    const PoiseScenePoint* point = find_point(builder, bound->owner);
    if (point && is_broken(builder, point)) {
        return;
    }
    if (!point && strcmp(bound->owner, "cost") == 0) {
        char name[80];
        snprintf(name, sizeof name, "cost.%.60s", bound->field);
        if (!poise_figure_find(POISE_FIGURE_OF_RUN, POISE_FIGURE_EXPECT, name)) {
            refuse_field(builder, POISE_FIGURE_OF_RUN, POISE_FIGURE_EXPECT, bound->field,
                         bound->mark);
        }
        return;
    }
    const PoiseSceneRecord named = {bound->owner, bound->field, bound->mark};
    const PoiseFigure* figure = find_figure(builder, &named, POISE_FIGURE_EXPECT);
    if (figure && point) {
        check_need(builder, point, figure->need, bound);
    }
}

static void build_records(Builder* builder, PoiseScene* scene) {
    const PoiseRefs* names = &builder->spec->records;
    PoiseSceneRecord* records =
        poise__arena_allocate(builder->arena, (size_t)names->count, sizeof *records);
    for (int i = 0; records && i < names->count; i++) {
        const char* text = names->items[i].name;
        const char* dot = strrchr(text, '.');
        PoiseSceneRecord record = {"", text, names->items[i].mark};
        if (!dot || dot == text || !dot[1]) {
            poise__diagnose(builder->diagnostics, POISE_ERROR, record.mark,
                            "'%.60s' names no figure: write POINT.error or JOINT.angle", text);
            continue;
        }
        record.owner = poise__arena_copy(builder->arena, text, (size_t)(dot - text));
        record.field = dot + 1;
        if (record.owner && find_figure(builder, &record, POISE_FIGURE_RECORD)) {
            records[scene->record_count++] = record;
        }
    }
    scene->records = records;
}

void poise__build_records(Builder* builder, PoiseScene* scene) {
    const BoundList* bounds = &builder->spec->bounds;
    for (int i = 0; i < bounds->count; i++) {
        if (bounds->items[i].owner && bounds->items[i].owner[0]) {
            check_bound(builder, &bounds->items[i]);
        }
    }
    scene->bounds = bounds->items;
    scene->bound_count = bounds->count;
    build_records(builder, scene);
}
