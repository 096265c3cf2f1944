// SPDX-License-Identifier: MIT
// `record:` and `expect:`: that the figures they name exist.
#include <string.h>

#include "builder.h"

static const char* const place_fields[] = {"error",     "settled_error",  "rms_error",
                                           "max_error", "predicted_miss", NULL};
static const char* const turn_fields[] = {"angle_error", "rms_angle_error", "max_angle_error",
                                          "predicted_angle_miss", NULL};
static const char* const force_fields[] = {"force_error", NULL};
static const char* const point_fields[] = {
    "error",       "settled_error",   "rms_error",       "max_error",   "predicted_miss",
    "angle_error", "rms_angle_error", "max_angle_error", "force_error", NULL};
static const char* const joint_fields[] = {"angle", "target", "torque", NULL};
static const char* const cost_fields[] = {"ik_us", "ode_us", "allocations", NULL};
static const char* const point_records[] = {"error", "angle_error", "position",
                                            "goal",  "force",       NULL};
static const char* const joint_records[] = {"angle", "target", "torque", NULL};

static bool is_listed(const char* const* fields, const char* field) {
    for (int i = 0; fields[i]; i++) {
        if (strcmp(fields[i], field) == 0) {
            return true;
        }
    }
    return false;
}

static const PoiseScenePoint* find_point(const Builder* builder, const char* name) {
    for (int i = 0; i < builder->point_count; i++) {
        if (strcmp(builder->points[i].name, name) == 0) {
            return &builder->points[i];
        }
    }
    return NULL;
}

static void refuse_owner(Builder* builder, const char* owner, PoiseMark mark) {
    if (poise__build_is_lost(builder, owner)) {
        return;
    }
    Suggestion suggestion = poise__suggestion(owner);
    for (int i = 0; i < builder->point_count; i++) {
        poise__suggestion_offer(&suggestion, builder->points[i].name);
    }
    for (int i = 0; i < builder->joint_count; i++) {
        poise__suggestion_offer_path(&suggestion, builder->joints[i].name);
    }
    char guess[160];
    poise__diagnose(builder->diagnostics, POISE_ERROR, mark,
                    "there is no control point or joint '%.60s'%s", owner,
                    poise__suggestion_text(&suggestion, guess, sizeof guess));
}

static void refuse_field(Builder* builder, const char* const* fields, const char* field,
                         PoiseMark mark) {
    Suggestion suggestion = poise__suggestion(field);
    for (int i = 0; fields[i]; i++) {
        poise__suggestion_offer(&suggestion, fields[i]);
    }
    char guess[160];
    poise__diagnose(builder->diagnostics, POISE_ERROR, mark, "there is no figure '%.60s'%s", field,
                    poise__suggestion_text(&suggestion, guess, sizeof guess));
}

// whether the point has a goal that the figure is measured against
static bool check_point_bound(Builder* builder, const PoiseScenePoint* point,
                              const PoiseSceneBound* bound) {
    bool turned = point->orientation.kind != POISE_GOAL_NONE;
    bool placed = point->position.kind != POISE_GOAL_NONE;
    if (is_listed(force_fields, bound->field)) {
        if (poise_length(point->force) > 0.0) {
            return true;
        }
        poise__diagnose(builder->diagnostics, POISE_ERROR, bound->mark,
                        "control point '%.60s' is asked for no force that '%.60s' could be "
                        "measured against",
                        bound->owner, bound->field);
    } else if (!is_listed(place_fields, bound->field) && !is_listed(turn_fields, bound->field)) {
        refuse_field(builder, point_fields, bound->field, bound->mark);
    } else if (is_listed(place_fields, bound->field) ? !placed : !turned) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, bound->mark,
                        "control point '%.60s' has no goal that '%.60s' could be measured against",
                        bound->owner, bound->field);
    } else {
        return true;
    }
    return false;
}

static bool is_broken(const Builder* builder, const PoiseScenePoint* point) {
    return builder->spec->points.items[point - builder->points].header.broken;
}

static bool check_bound(Builder* builder, const PoiseSceneBound* bound) {
    const PoiseScenePoint* point = find_point(builder, bound->owner);
    if (point && is_broken(builder, point)) {
        return false;
    }
    if (point) {
        return check_point_bound(builder, point, bound);
    }
    bool cost = strcmp(bound->owner, "cost") == 0;
    if (!cost && poise__build_find_joint(builder, bound->owner) < 0) {
        refuse_owner(builder, bound->owner, bound->mark);
        return false;
    }
    const char* const* fields = cost ? cost_fields : joint_fields;
    if (!is_listed(fields, bound->field)) {
        refuse_field(builder, fields, bound->field, bound->mark);
        return false;
    }
    return true;
}

static bool check_record(Builder* builder, const PoiseSceneRecord* record) {
    const char* const* fields = joint_records;
    if (find_point(builder, record->owner)) {
        fields = point_records;
    } else if (poise__build_find_joint(builder, record->owner) < 0) {
        refuse_owner(builder, record->owner, record->mark);
        return false;
    }
    if (!is_listed(fields, record->field)) {
        refuse_field(builder, fields, record->field, record->mark);
        return false;
    }
    return true;
}

static void build_records(Builder* builder, PoiseScene* scene) {
    const Names* names = &builder->spec->records;
    PoiseSceneRecord* records =
        poise__arena_allocate(builder->arena, (size_t)names->count, sizeof *records);
    for (int i = 0; records && i < names->count; i++) {
        const char* text = names->items[i].text;
        const char* dot = strrchr(text, '.');
        PoiseSceneRecord record = {"", text, names->items[i].mark};
        if (!dot || dot == text || !dot[1]) {
            poise__diagnose(builder->diagnostics, POISE_ERROR, record.mark,
                            "'%.60s' names no figure: write POINT.error or JOINT.angle", text);
            continue;
        }
        record.owner = poise__arena_copy(builder->arena, text, (size_t)(dot - text));
        record.field = dot + 1;
        if (record.owner && check_record(builder, &record)) {
            records[scene->record_count++] = record;
        }
    }
    scene->records = records;
}

void poise__build_records(Builder* builder, PoiseScene* scene) {
    const BoundList* bounds = &builder->spec->bounds;
    for (int i = 0; i < bounds->count; i++) {
        if (bounds->items[i].owner && bounds->items[i].owner[0]) {
            (void)check_bound(builder, &bounds->items[i]);
        }
    }
    scene->bounds = bounds->items;
    scene->bound_count = bounds->count;
    build_records(builder, scene);
}
