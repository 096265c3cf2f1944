// SPDX-License-Identifier: MIT
// Resolves the figures of `record:` and `expect:`.
#include <stdio.h>
#include <string.h>

#include "record_expect.h"

#include "poise/figures.h"

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
    REFUSE(builder, mark, "there is no control point or joint '%.60s'%s", owner,
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
    REFUSE(builder, mark, "there is no figure '%.60s'%s", field,
           poise__suggestion_text(&suggestion, guess, sizeof guess));
}

// Reports a figure that needs a force or a goal which the point does not have.
static void check_need(Builder* builder, const PoiseSceneFigure* bound) {
    const PoiseScenePoint* point = &builder->spec->points.items[bound->owner.index];
    const PoiseFigureNeed need = bound->figure->need;
    if (need == POISE_NEEDS_FORCE && !(poise_length(point->force) > 0.0)) {
        REFUSE(builder, bound->owner.mark,
               "control point '%.60s' is asked for no force that '%.60s' could be "
               "measured against",
               bound->owner.name, bound->field);
    }
    if ((need == POISE_NEEDS_POSITION && point->position.kind == POISE_GOAL_NONE) ||
        (need == POISE_NEEDS_ORIENTATION && point->orientation.kind == POISE_GOAL_NONE)) {
        REFUSE(builder, bound->owner.mark,
               "control point '%.60s' has no goal that '%.60s' could be measured against",
               bound->owner.name, bound->field);
    }
}

// Splits the name as written at its last dot; false after an error.
static bool split(Builder* builder, PoiseSceneFigure* named, PoiseFigureUse use) {
    const char* text = named->owner.name;
    const char* dot = strrchr(text, '.');
    if (!dot || dot == text || !dot[1]) {
        REFUSE(builder, named->owner.mark, "'%.60s' names no figure: write %s", text,
               use == POISE_FIGURE_EXPECT ? "POINT.rms_error, JOINT.torque or cost.allocations"
                                          : "POINT.error or JOINT.angle");
        return false;
    }
    named->owner.name = poise__arena_copy(builder->arena, text, (size_t)(dot - text));
    named->field = dot + 1;
    return named->owner.name != NULL;
}

// Finds the owner of the name, and stores its index: a point, the run's cost, which only `expect`
// bounds, or a joint.
static PoiseFigureOwner find_owner(const Builder* builder, PoiseRef* owner, PoiseFigureUse use) {
    const PointList* points = &builder->spec->points;
    for (owner->index = 0; owner->index < points->count; owner->index++) {
        if (strcmp(points->items[owner->index].name, owner->name) == 0) {
            return POISE_FIGURE_OF_POINT;
        }
    }
    owner->index = 0;
    if (use == POISE_FIGURE_EXPECT && strcmp(owner->name, "cost") == 0) {
        return POISE_FIGURE_OF_RUN;
    }
    owner->index = poise__build_find_joint(builder, owner->name);
    return POISE_FIGURE_OF_JOINT;
}

static void resolve(Builder* builder, PoiseSceneFigure* named, PoiseFigureUse use) {
    char name[80];
    if (!split(builder, named, use)) {
        return;
    }
    const PoiseFigureOwner kind = find_owner(builder, &named->owner, use);
    const int index = named->owner.index;
    if (index < 0) {
        refuse_owner(builder, named->owner.name, named->owner.mark);
        return;
    }
    const bool bounded = kind == POISE_FIGURE_OF_POINT && use == POISE_FIGURE_EXPECT;
    if (bounded && builder->spec->points.headers[index].broken) {
        return;
    }
    snprintf(name, sizeof name, "%s%.60s", kind == POISE_FIGURE_OF_RUN ? "cost." : "",
             named->field);
    named->figure = poise_figure_find(kind, use, name);
    if (!named->figure) {
        refuse_field(builder, kind, use, named->field, named->owner.mark);
    } else if (bounded) {
        check_need(builder, named);
    }
}

void poise__build_records(Builder* builder, PoiseScene* scene) {
    const PoiseRefs* names = &builder->spec->records;
    const BoundList* bounds = &builder->spec->bounds;
    PoiseSceneFigure* records =
        poise__arena_allocate(builder->arena, (size_t)names->count, sizeof *records);
    for (int i = 0; i < bounds->count; i++) {
        resolve(builder, &bounds->items[i], POISE_FIGURE_EXPECT);
    }
    for (int i = 0; records && i < names->count; i++) {
        records[i].owner = names->items[i];
        resolve(builder, &records[i], POISE_FIGURE_RECORD);
    }
    scene->bounds = bounds->items;
    scene->bound_count = bounds->count;
    scene->records = records;
    scene->record_count = records ? names->count : 0;
}
