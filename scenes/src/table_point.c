// SPDX-License-Identifier: MIT
// What `control_points:` may hold: the point, and what its goal is at each time.
#include <math.h>
#include <string.h>

#include "number.h"
#include "spec.h"

static void read_path(Reader* reader, const Element* element, void* value);
static void read_polyline(Reader* reader, const Element* element, void* value);
static void read_turn_path(Reader* reader, const Element* element, void* value);

// ---------------------------------------------------------------------------------------- tables

static const Choice between_choices[] = {
    {"straight", POISE_BETWEEN_STRAIGHT},
    {"hold", POISE_BETWEEN_HOLD},
    {"smooth", POISE_BETWEEN_SMOOTH},
};

static const Field circle_fields[] = {
    {.key = "centre", .type = FIELD_VEC3, .offset = offsetof(CircleSpec, centre), .required = true,
     .unit = "m", .help = "its middle"},
    {.key = "normal", .type = FIELD_AXIS, .offset = offsetof(CircleSpec, normal),
     .fallback = "[0, 0, 1]", .help = "across its plane; the goal turns right-handed about it"},
    {.key = "radius", .type = FIELD_NUMBER, .offset = offsetof(CircleSpec, radius),
     .required = true, .range = {0.0, 1e6, true, false}, .unit = "m", .help = "its radius"},
    {.key = "period", .type = FIELD_NUMBER, .offset = offsetof(CircleSpec, period),
     .required = true, .range = {0.0, 1e9, true, false}, .unit = "s", .help = "time of one turn"},
    {.key = "start", .type = FIELD_AXIS, .offset = offsetof(CircleSpec, start),
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

#define UNTIL(owner)                                                                               \
    {.key = "until", .type = FIELD_NUMBER, .offset = offsetof(owner, until),                        \
     .range = {0.0, (double)INFINITY, true, true}, .fallback = "inf", .unit = "s",                 \
     .help = "from then on the point has no such goal"}

#define PATH_SETTINGS(owner)                                                                       \
    {.key = "between", .type = FIELD_CHOICE, .offset = offsetof(owner, between),                    \
     .choices = between_choices, .choice_count = 3, .fallback = "straight",                        \
     .help = "how a path goes from one to the next: at one speed; stay, then jump; without a jump " \
             "of the velocity"},                                                                   \
        {.key = "repeat", .type = FIELD_SWITCH, .offset = offsetof(owner, repeat),                  \
         .fallback = "off",                                                                        \
         .help = "a path goes on from its last to its first (unless they are the same), in the "   \
                 "mean time of its legs, and over again"}

static const Field place_fields[] = {
    {.key = "at", .type = FIELD_VEC3, .offset = offsetof(PlaceSpec, at), .unit = "m",
     .help = "a place that stands still; `position: [x, y, z]` says the same"},
    {.key = "path", .type = FIELD_CUSTOM, .offset = 0, .read = read_path,
     .form = "[{time, to: [x, y, z]}, ...]", .unit = "s, m",
     .help = "places at given times, which rise from 0 or later"},
    PATH_SETTINGS(PlaceSpec),
    {.key = "polyline", .type = FIELD_CUSTOM, .offset = 0, .read = read_polyline,
     .form = "[[x, y, z], ...]", .unit = "m", .help = "straight lines at `speed`, from time 0"},
    {.key = "speed", .type = FIELD_NUMBER, .offset = offsetof(PlaceSpec, speed),
     .range = {0.0, 1e6, true, false}, .unit = "m/s", .help = "of a polyline"},
    {.key = "closed", .type = FIELD_SWITCH, .offset = offsetof(PlaceSpec, closed),
     .fallback = "off", .help = "a polyline leads back to its first place, and over again"},
    {.key = "circle", .type = FIELD_MAP, .offset = offsetof(PlaceSpec, circle),
     .schema = &poise__circle_schema, .help = "round a circle, from time 0"},
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

static const Field turn_fields[] = {
    {.key = "quaternion", .type = FIELD_CUSTOM, .offset = offsetof(TurnSpec, quaternion),
     .read = poise__rotation_field_read, .form = "[w, x, y, z], {axis, angle} or {rpy}",
     .help = "how the point's frame should be turned in the world"},
    {.key = "path", .type = FIELD_CUSTOM, .offset = 0, .read = read_turn_path,
     .form = "[{time, to: rotation}, ...]", .unit = "s", .help = "rotations at given times"},
    PATH_SETTINGS(TurnSpec),
    {.key = "point", .type = FIELD_AXIS, .offset = offsetof(TurnSpec, point),
     .help = "an axis of the body, to be led `along` a direction or `at` a point; not carried out "
             "yet"},
    {.key = "along", .type = FIELD_AXIS, .offset = offsetof(TurnSpec, along),
     .help = "a direction of the world"},
    {.key = "at", .type = FIELD_TEXT, .offset = offsetof(TurnSpec, at), .form = "control point",
     .help = "the point to look at"},
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

static const Field force_fields[] = {
    {.key = "push", .type = FIELD_VEC3, .offset = offsetof(ForceSpec, push), .unit = "N",
     .help = "on the world, at the point"},
    {.key = "torque", .type = FIELD_VEC3, .offset = offsetof(ForceSpec, torque), .unit = "N m",
     .help = "on the world"},
    {.key = "after", .type = FIELD_NUMBER, .offset = offsetof(ForceSpec, after),
     .range = {0.0, 1e9, false, false}, .fallback = "0", .unit = "s", .help = "from then on"},
};

const Schema poise__force_schema = {
    .name = "a force",
    .title = "A force",
    .help = "Read and checked, not carried out yet.",
    .fields = force_fields,
    .field_count = 3,
    .given_offset = offsetof(ForceSpec, given),
};

static const Field point_fields[] = {
    {.key = "body", .type = FIELD_TEXT, .offset = offsetof(PointSpec, body), .required = true,
     .form = "body or robot/link", .help = "what it is on"},
    {.key = "at", .type = FIELD_VEC3, .offset = offsetof(PointSpec, at), .fallback = "[0, 0, 0]",
     .unit = "m", .help = "its place in the body's own frame"},
    {.key = "rotation", .type = FIELD_CUSTOM, .offset = offsetof(PointSpec, rotation),
     .read = poise__rotation_field_read, .form = "[w, x, y, z], {axis, angle} or {rpy}",
     .fallback = "(none)", .help = "how its frame is turned in the body's"},
    {.key = "uses", .type = FIELD_NAMES, .offset = offsetof(PointSpec, uses),
     .form = "names or patterns",
     .fallback = "(every joint between it and the base)",
     .help = "the joints that move to serve it; a pattern skips those that cannot move it, a name "
             "must be able to"},
    {.key = "position", .type = FIELD_CUSTOM, .offset = offsetof(PointSpec, position),
     .read = poise__place_read, .schema = &poise__place_schema,
     .form = "[x, y, z] or a position goal", .unit = "m", .help = "where it should be, in the world"},
    {.key = "orientation", .type = FIELD_CUSTOM, .offset = offsetof(PointSpec, orientation),
     .read = poise__turn_read, .schema = &poise__turn_schema, .form = "an orientation goal",
     .help = "how it should be turned, in the world"},
    {.key = "force", .type = FIELD_MAP, .offset = offsetof(PointSpec, force),
     .schema = &poise__force_schema, .help = "what it should press with"},
    {.key = "weight", .type = FIELD_NUMBER, .offset = offsetof(PointSpec, weight),
     .range = {0.0, 1e9, true, false}, .fallback = "1",
     .help = "of points that cannot all be met, one of weight 2 counts as two of weight 1"},
    {.key = "priority", .type = FIELD_INTEGER, .offset = offsetof(PointSpec, priority),
     .range = {0.0, 1000.0, false, false}, .fallback = "0", .help = "not carried out yet"},
    {.key = "enabled", .type = FIELD_SWITCH, .offset = offsetof(PointSpec, enabled),
     .fallback = "on", .help = "off: it is there, but nothing moves for it"},
};

const Schema poise__point_schema = {
    .name = "a control point",
    .title = "A control point",
    .fields = point_fields,
    .field_count = (int)(sizeof point_fields / sizeof point_fields[0]),
    .given_offset = offsetof(PointSpec, given),
};

// -------------------------------------------------------------------------------- custom readers

typedef struct Knot {
    uint64_t given;
    double time;
    PoiseVec3 place;
    PoiseQuat turn;
} Knot;

static const Field place_knot_fields[] = {
    {.key = "time", .type = FIELD_NUMBER, .offset = offsetof(Knot, time), .required = true,
     .range = {0.0, 1e9, false, false}},
    {.key = "to", .type = FIELD_VEC3, .offset = offsetof(Knot, place), .required = true},
};

static const Field turn_knot_fields[] = {
    {.key = "time", .type = FIELD_NUMBER, .offset = offsetof(Knot, time), .required = true,
     .range = {0.0, 1e9, false, false}},
    {.key = "to", .type = FIELD_CUSTOM, .offset = offsetof(Knot, turn),
     .read = poise__rotation_field_read, .required = true},
};

static const Schema place_knot_schema = {.name = "a place of a path",
                                         .fields = place_knot_fields,
                                         .field_count = 2,
                                         .given_offset = offsetof(Knot, given)};
static const Schema turn_knot_schema = {.name = "a rotation of a path",
                                        .fields = turn_knot_fields,
                                        .field_count = 2,
                                        .given_offset = offsetof(Knot, given)};

static bool check_list(Reader* reader, const Element* element, int least) {
    if (element->kind == ELEMENT_LIST && element->child_count >= least) {
        return true;
    }
    char found[80];
    poise__refuse(reader, element, "'%s' must be a list of at least %d, not %s", element->key,
                  least, poise__element_describe(element, found, sizeof found));
    return false;
}

// the knots of a path, with rising times; NULL with an error reported
static Knot* read_knots(Reader* reader, const Element* element, const Schema* schema) {
    if (!check_list(reader, element, 1)) {
        return NULL;
    }
    Knot* knots = poise__arena_allocate(reader->arena, (size_t)element->child_count, sizeof *knots);
    int errors = poise_diagnostics_count(reader->diagnostics, POISE_ERROR);
    for (int i = 0; knots && i < element->child_count; i++) {
        const Element* child = element->children[i];
        knots[i].turn = poise_quat_identity();
        poise__schema_read(reader, schema, child, &knots[i]);
        if (i > 0 && poise__schema_given(schema, &knots[i], "time") &&
            !(knots[i].time > knots[i - 1].time)) {
            poise__diagnose(reader->diagnostics, POISE_ERROR, poise__value_mark(child, "time"),
                            "the times of a path must rise: %g comes after %g", knots[i].time,
                            knots[i - 1].time);
        }
    }
    return poise_diagnostics_count(reader->diagnostics, POISE_ERROR) > errors ? NULL : knots;
}

static void read_path(Reader* reader, const Element* element, void* value) {
    PlaceSpec* place = value;
    Knot* knots = read_knots(reader, element, &place_knot_schema);
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

static void read_turn_path(Reader* reader, const Element* element, void* value) {
    TurnSpec* turn = value;
    Knot* knots = read_knots(reader, element, &turn_knot_schema);
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

static void read_polyline(Reader* reader, const Element* element, void* value) {
    PlaceSpec* place = value;
    if (!check_list(reader, element, 2)) {
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

// exactly one of the keys must have been written, and the others only with their own
static int count_given(const Schema* schema, const void* value, const char* const* keys, int count) {
    int given = 0;
    for (int i = 0; i < count; i++) {
        given += poise__schema_given(schema, value, keys[i]) ? 1 : 0;
    }
    return given;
}

static void check_belongs(Reader* reader, const Schema* schema, const Element* element,
                          const void* value, const char* const pair[2]) {
    if (poise__schema_given(schema, value, pair[0]) &&
        !poise__schema_given(schema, value, pair[1])) {
        poise__diagnose(reader->diagnostics, POISE_ERROR, poise__value_mark(element, pair[0]),
                        "'%s' belongs to a %s, and there is none here", pair[0], pair[1]);
    }
}

static void check_place(Reader* reader, const Element* element, const PlaceSpec* place) {
    static const char* const kinds[] = {"at", "path", "polyline", "circle"};
    static const char* const pairs[][2] = {
        {"between", "path"}, {"repeat", "path"}, {"speed", "polyline"}, {"closed", "polyline"}};
    const Schema* schema = &poise__place_schema;
    if (count_given(schema, place, kinds, 4) != 1) {
        poise__refuse(reader, element,
                      "'position' must hold exactly one of 'at', 'path', 'polyline', 'circle'");
    }
    for (int i = 0; i < 4; i++) {
        check_belongs(reader, schema, element, place, pairs[i]);
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
    PoiseVec3 across =
        poise_add_scaled(circle->start, -poise_dot(circle->start, normal), normal);
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
    poise__schema_read(reader, &poise__place_schema, element, place);
    check_place(reader, element, place);
    if (poise__schema_given(&poise__place_schema, place, "circle")) {
        complete_circle(reader, element, &place->circle);
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
        poise__refuse(reader, element, "'orientation' must be a map, as {quaternion: [w, x, y, z]}, "
                                       "not %s",
                      poise__element_describe(element, found, sizeof found));
        return;
    }
    poise__schema_read(reader, schema, element, turn);
    if (count_given(schema, turn, kinds, 3) != 1) {
        poise__refuse(reader, element,
                      "'orientation' must hold exactly one of 'quaternion', 'path', 'point'");
    }
    for (int i = 0; i < 4; i++) {
        check_belongs(reader, schema, element, turn, pairs[i]);
    }
    if (poise__schema_given(schema, turn, "point") && count_given(schema, turn, targets, 2) != 1) {
        poise__refuse(reader, element, "an axis to 'point' needs 'along' or 'at', one of them");
    }
}

static void read_point(Reader* reader, const Element* element, void* item) {
    PointSpec* point = item;
    poise__schema_set_fallbacks(&poise__point_schema, point);
    point->rotation = poise_quat_identity();
    poise__schema_read(reader, &poise__point_schema, element, point);
}

void poise__points_read(Reader* reader, const Element* element, void* list) {
    static const NameMap map = {"a control point", sizeof(PointSpec), false, read_point};
    PointList* points = list;
    points->items = poise__name_map_read(reader, element, &map, &points->count);
}
