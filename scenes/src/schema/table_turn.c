// SPDX-License-Identifier: MIT
// What an `orientation:` may hold: a rotation, a path of them, an axis to point.
#include "goal_tables.h"

static void read_turn_path(Reader* reader, const Element* element, void* value);
static void read_at(Reader* reader, const Element* element, void* value);

static const Field turn_fields[] = {
    {.key = "quaternion",
     .type = FIELD_CUSTOM,
     .offset = offsetof(TurnSpec, quaternion),
     .read = poise__rotation_field_read,
     .form = "[w, x, y, z], {axis, angle} or {rpy}",
     .help = "how the point's frame should be turned in the world"},
    {.key = "path",
     .type = FIELD_CUSTOM,
     .offset = 0,
     .read = read_turn_path,
     .form = "[{time, to: rotation}, ...]",
     .unit = "s",
     .help = "rotations at given times"},
    PATH_SETTINGS(TurnSpec),
    {.key = "point",
     .type = FIELD_AXIS,
     .offset = offsetof(TurnSpec, point),
     .help = "an axis of the body, to be led `along` a direction or `at` a point"},
    {.key = "along",
     .type = FIELD_AXIS,
     .offset = offsetof(TurnSpec, along),
     .help = "a direction of the world"},
    {.key = "at",
     .type = FIELD_CUSTOM,
     .offset = 0,
     .read = read_at,
     .form = "control point, its goal as `hand.goal`, or [x, y, z]",
     .unit = "m",
     .help = "what to look at: where a point is, where it should be, or a place"},
    UNTIL(TurnSpec),
};

const Schema poise__turn_schema = {
    .name = "an orientation goal",
    .title = "An orientation goal",
    .help = "One of `quaternion`, `path`, `point`.",
    .fields = turn_fields,
    .field_count = (int)(sizeof turn_fields / sizeof turn_fields[0]),
    .given_offset = offsetof(TurnSpec, given),
};

static const Field turn_knot_fields[] = {
    {.key = "time",
     .type = FIELD_NUMBER,
     .offset = offsetof(Knot, time),
     .required = true,
     .range = {0.0, 1e9, false, false}},
    {.key = "to",
     .type = FIELD_CUSTOM,
     .offset = offsetof(Knot, turn),
     .read = poise__rotation_field_read,
     .required = true},
};

static const Schema turn_knot_schema = {.name = "a rotation of a path",
                                        .fields = turn_knot_fields,
                                        .field_count = 2,
                                        .given_offset = offsetof(Knot, given)};

// --------------------------------------------------------------------------------------- readers

static void read_at(Reader* reader, const Element* element, void* value) {
    TurnSpec* turn = value;
    if (element->kind == ELEMENT_LIST) {
        turn->has_place = poise__read_vec3(reader, element, poise__range_any, &turn->place);
    } else {
        (void)poise__read_text(reader, element, &turn->at);
    }
}

static void read_turn_path(Reader* reader, const Element* element, void* value) {
    TurnSpec* turn = value;
    Knot* knots = poise__knots_read(reader, element, &turn_knot_schema);
    if (!knots) {
        return;
    }
    size_t count = (size_t)element->child_count;
    turn->turns = poise__arena_allocate(reader->arena, count, sizeof *turn->turns);
    turn->times = poise__arena_allocate(reader->arena, count, sizeof *turn->times);
    for (size_t i = 0; turn->turns && turn->times && i < count; i++) {
        turn->turns[i] = knots[i].turn;
        turn->times[i] = knots[i].time;
        turn->count = (int)count;
    }
}

void poise__turn_read(Reader* reader, const Element* element, void* value) {
    static const char* const kinds[] = {"quaternion", "path", "point"};
    static const char* const targets[] = {"along", "at"};
    static const char* const pairs[][2] = {
        {"between", "path"}, {"repeat", "path"}, {"along", "point"}, {"at", "point"}};
    TurnSpec* turn = value;
    const Schema* schema = &poise__turn_schema;
    poise__schema_set_fallbacks(schema, turn);
    turn->element = element;
    turn->quaternion = poise_quat_identity();
    if (element->kind != ELEMENT_MAP) {
        char found[80];
        poise__refuse(reader, element,
                      "'orientation' must be a map, as {quaternion: [w, x, y, z]}, "
                      "not %s",
                      poise__element_describe(element, found, sizeof found));
        return;
    }
    int errors = poise_diagnostics_count(reader->diagnostics, POISE_ERROR);
    poise__schema_read(reader, schema, element, turn);
    if (poise_diagnostics_count(reader->diagnostics, POISE_ERROR) > errors) {
        return;
    }
    if (poise__given_count(schema, turn, kinds, 3) != 1) {
        poise__refuse(reader, element,
                      "'orientation' must hold exactly one of 'quaternion', 'path', 'point'");
    }
    for (int i = 0; i < 4; i++) {
        poise__pair_check(reader, schema, element, turn, pairs[i]);
    }
    if (poise__schema_given(schema, turn, "point") &&
        poise__given_count(schema, turn, targets, 2) != 1) {
        poise__refuse(reader, element, "an axis to 'point' needs 'along' or 'at', one of them");
    }
}
