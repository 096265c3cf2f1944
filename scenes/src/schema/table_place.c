// SPDX-License-Identifier: MIT
// What a `position:` may hold: a place, a path, a polyline, a circle.
#include "goal_tables.h"

static void read_path(Reader* reader, const Element* element, void* value);
static void read_polyline(Reader* reader, const Element* element, void* value);

static const Field circle_fields[] = {
    {.key = "centre",
     .type = FIELD_VEC3,
     .offset = offsetof(CircleSpec, centre),
     .required = true,
     .unit = "m",
     .help = "its middle"},
    {.key = "normal",
     .type = FIELD_AXIS,
     .offset = offsetof(CircleSpec, normal),
     .fallback = "[0, 0, 1]",
     .help = "across its plane; the goal turns right-handed about it"},
    {.key = "radius",
     .type = FIELD_NUMBER,
     .offset = offsetof(CircleSpec, radius),
     .required = true,
     .range = {0.0, 1e6, true, false},
     .unit = "m",
     .help = "its radius"},
    {.key = "period",
     .type = FIELD_NUMBER,
     .offset = offsetof(CircleSpec, period),
     .required = true,
     .range = {0.0, 1e9, true, false},
     .unit = "s",
     .help = "time of one turn"},
    {.key = "start",
     .type = FIELD_AXIS,
     .offset = offsetof(CircleSpec, start),
     .fallback = "(the world axis most across the normal)",
     .help = "the direction from the centre in which it begins"},
};

const Schema poise__circle_schema = {
    .name = "a circle",
    .title = "A circle",
    .fields = circle_fields,
    .field_count = (int)(sizeof circle_fields / sizeof circle_fields[0]),
    .given_offset = offsetof(CircleSpec, given),
};

static const Field place_fields[] = {
    {.key = "at",
     .type = FIELD_VEC3,
     .offset = offsetof(PlaceSpec, at),
     .unit = "m",
     .help = "a place that stands still; `position: [x, y, z]` says the same"},
    {.key = "path",
     .type = FIELD_CUSTOM,
     .offset = 0,
     .read = read_path,
     .form = "[{time, to: [x, y, z]}, ...]",
     .unit = "s, m",
     .help = "places at given times, which rise from 0 or later"},
    PATH_SETTINGS(PlaceSpec),
    {.key = "polyline",
     .type = FIELD_CUSTOM,
     .offset = 0,
     .read = read_polyline,
     .form = "[[x, y, z], ...]",
     .unit = "m",
     .help = "straight lines at `speed`, from time 0"},
    {.key = "speed",
     .type = FIELD_NUMBER,
     .offset = offsetof(PlaceSpec, speed),
     .range = {0.0, 1e6, true, false},
     .unit = "m/s",
     .help = "of a polyline"},
    {.key = "closed",
     .type = FIELD_SWITCH,
     .offset = offsetof(PlaceSpec, closed),
     .fallback = "off",
     .help = "a polyline leads back to its first place, and over again"},
    {.key = "circle",
     .type = FIELD_MAP,
     .offset = offsetof(PlaceSpec, circle),
     .schema = &poise__circle_schema,
     .help = "round a circle, from time 0"},
    UNTIL(PlaceSpec),
};

const Schema poise__place_schema = {
    .name = "a position goal",
    .title = "A position goal",
    .help = "One of `at`, `path`, `polyline`, `circle`. The goal's own velocity is known from it.",
    .fields = place_fields,
    .field_count = (int)(sizeof place_fields / sizeof place_fields[0]),
    .given_offset = offsetof(PlaceSpec, given),
};

static const Field place_knot_fields[] = {
    {.key = "time",
     .type = FIELD_NUMBER,
     .offset = offsetof(Knot, time),
     .required = true,
     .range = {0.0, 1e9, false, false}},
    {.key = "to", .type = FIELD_VEC3, .offset = offsetof(Knot, place), .required = true},
};

static const Schema place_knot_schema = {.name = "a place of a path",
                                         .fields = place_knot_fields,
                                         .field_count = 2,
                                         .given_offset = offsetof(Knot, given)};
// --------------------------------------------------------------------------------------- readers

static void read_path(Reader* reader, const Element* element, void* value) {
    PlaceSpec* place = value;
    Knot* knots = poise__knots_read(reader, element, &place_knot_schema);
    if (!knots) {
        return;
    }
    size_t count = (size_t)element->child_count;
    place->places = poise__arena_allocate(reader->arena, count, sizeof *place->places);
    place->times = poise__arena_allocate(reader->arena, count, sizeof *place->times);
    for (size_t i = 0; place->places && place->times && i < count; i++) {
        place->places[i] = knots[i].place;
        place->times[i] = knots[i].time;
        place->count = (int)count;
    }
}

static void read_polyline(Reader* reader, const Element* element, void* value) {
    PlaceSpec* place = value;
    if (!poise__list_check(reader, element, 2)) {
        return;
    }
    size_t count = (size_t)element->child_count;
    place->places = poise__arena_allocate(reader->arena, count, sizeof *place->places);
    for (size_t i = 0; place->places && i < count; i++) {
        Element item = *element->children[i];
        item.key = element->key;
        (void)poise__read_vec3(reader, &item, poise__range_any, &place->places[i]);
        place->count = (int)count;
    }
}

static void check_place(Reader* reader, const Element* element, const PlaceSpec* place) {
    static const char* const kinds[] = {"at", "path", "polyline", "circle"};
    static const char* const pairs[][2] = {
        {"between", "path"}, {"repeat", "path"}, {"speed", "polyline"}, {"closed", "polyline"}};
    const Schema* schema = &poise__place_schema;
    if (poise__given_count(schema, place, kinds, 4) != 1) {
        poise__refuse(reader, element,
                      "'position' must hold exactly one of 'at', 'path', 'polyline', 'circle'");
    }
    for (int i = 0; i < 4; i++) {
        poise__pair_check(reader, schema, element, place, pairs[i]);
    }
    if (poise__schema_given(schema, place, "polyline") &&
        !poise__schema_given(schema, place, "speed")) {
        poise__refuse(reader, element, "a polyline needs its 'speed', in m/s");
    }
}

// the direction a circle begins in, made to lie in its plane
static void complete_circle(Reader* reader, const Element* element, CircleSpec* circle) {
    PoiseVec3 normal = circle->normal;
    if (!poise__schema_given(&poise__circle_schema, circle, "start")) {
        bool x = fabs(normal.x) <= fabs(normal.y) && fabs(normal.x) <= fabs(normal.z);
        bool y = !x && fabs(normal.y) <= fabs(normal.z);
        circle->start = poise_vec3(x, y, !x && !y);
    }
    PoiseVec3 across = poise_add_scaled(circle->start, -poise_dot(circle->start, normal), normal);
    double length = poise_length(across);
    // 1e-6: nearer to the normal than that it names no direction in the plane
    if (!(length > 1e-6)) {
        const Element* map = poise__element_find(element, "circle");
        poise__diagnose(reader->diagnostics, POISE_ERROR, poise__value_mark(map, "start"),
                        "a circle's 'start' must not lie along its 'normal'");
        return;
    }
    circle->start = poise_scale(1.0 / length, across);
}

void poise__place_read(Reader* reader, const Element* element, void* value) {
    PlaceSpec* place = value;
    poise__schema_set_fallbacks(&poise__place_schema, place);
    place->element = element;
    if (element->kind == ELEMENT_LIST) {
        (void)poise__read_vec3(reader, element, poise__range_any, &place->at);
        place->given = 1; // as if `at` had been written
        return;
    }
    if (element->kind != ELEMENT_MAP) {
        poise__refuse(reader, element, "'position' must be [x, y, z] or a map, not '%.60s'",
                      element->text);
        return;
    }
    int errors = poise_diagnostics_count(reader->diagnostics, POISE_ERROR);
    poise__schema_read(reader, &poise__place_schema, element, place);
    if (poise_diagnostics_count(reader->diagnostics, POISE_ERROR) > errors) {
        return;
    }
    check_place(reader, element, place);
    if (poise__schema_given(&poise__place_schema, place, "circle")) {
        complete_circle(reader, element, &place->circle);
    }
}
