// SPDX-License-Identifier: MIT
// The tables of `position:` and its forms, from a place to a recorded motion.

#include "goal_paths.h"

static void read_at(Reader* reader, const Element* element, void* record);
static void read_path(Reader* reader, const Element* element, void* record);
static void read_polyline(Reader* reader, const Element* element, void* record);

#define POSITION(member) offsetof(PoiseScenePoint, position.member)

static const Field circle_fields[] = {
    {"centre", FIELD_VEC3, POSITION(centre), .required = true, .unit = "m", .help = "its middle"},
    {"normal", FIELD_AXIS, POSITION(normal), .fallback = "[0, 0, 1]",
     .help = "across its plane; the goal turns right-handed about it"},
    {"radius", FIELD_NUMBER, POSITION(radius), .required = true, .range = ABOVE(0.0, 1e6),
     .unit = "m", .help = "its radius"},
    {"period", FIELD_NUMBER, POSITION(period), .required = true, .range = ABOVE(0.0, 1e9),
     .unit = "s", .help = "time of one turn"},
    {"start", FIELD_AXIS, POSITION(start), .fallback = "(the world axis most across the normal)",
     .help = "the direction from the centre in which it begins"},
};

static const Schema circle_schema = {.name = "a circle", .title = "A circle", ROWS(circle_fields)};

static const Field position_fields[] = {
    {"at", FIELD_CUSTOM, 0, .read = read_at, .form = "[x, y, z]", .unit = "m",
     .help = "a place that stands still; `position: [x, y, z]` says the same"},
    {"path", FIELD_CUSTOM, 0, .read = read_path, .form = "[{time, to: [x, y, z]}, ...]",
     .unit = "s, m", .help = "places at given times, which rise from 0 or later"},
    PATH_ROWS(POSITION),
    {"polyline", FIELD_CUSTOM, 0, .read = read_polyline, .form = "[[x, y, z], ...]", .unit = "m",
     .help = "straight lines at `speed`, from time 0"},
    {"speed", FIELD_NUMBER, POSITION(speed), .range = ABOVE(0.0, 1e6), .unit = "m/s",
     .help = "of a polyline"},
    {"closed", FIELD_SWITCH, POSITION(repeat), .fallback = "off",
     .help = "a polyline leads back to its first place, and over again"},
    {"circle", FIELD_MAP, 0, .schema = &circle_schema, .help = "round a circle, from time 0"},
    {"motion", FIELD_REF, POSITION(motion), .form = "joint",
     .help = "where that joint of the scene's motion is"},
    {"planted", FIELD_SWITCH, POSITION(planted), .fallback = "off",
     .help = "a foot: the goal stays in place while the joint is low and slow"},
    UNTIL_ROW(POSITION),
};

const Schema poise__position_schema = {
    .name = "a position goal",
    .title = "A position goal",
    .help = "One of `at`, `path`, `polyline`, `circle`, `motion`. The goal's own velocity is known "
            "from it.",
    ROWS(position_fields),
};

static const Field knot_fields[] = {
    {"time", FIELD_NUMBER, offsetof(Knot, time), .required = true, .range = BETWEEN(0.0, 1e9)},
    {"to", FIELD_VEC3, offsetof(Knot, place), .required = true},
};

static const Schema knot_schema = {.name = "a place of a path", ROWS(knot_fields)};

// --------------------------------------------------------------------------------------- readers

static void set_places(PoisePositionGoal* goal, PoiseGoalKind kind, const PoiseVec3* places,
                       int count) {
    goal->kind = places ? kind : POISE_GOAL_NONE;
    goal->places = places;
    goal->count = places ? count : 0;
}

static void read_at(Reader* reader, const Element* element, void* record) {
    PoiseScenePoint* point = record;
    PoiseVec3* at = poise__arena_allocate(reader->arena, 1, sizeof *at);
    if (at && poise__read_vec3(reader, element, poise__range_any, at)) {
        set_places(&point->position, POISE_GOAL_FIXED, at, 1);
    }
}

static void read_path(Reader* reader, const Element* element, void* record) {
    PoisePositionGoal* goal = &((PoiseScenePoint*)record)->position;
    const Knot* knots = poise__knots_read(reader, element, &knot_schema);
    const int count = element->child_count;
    // One more place than stations, because a repeated path returns to its first station.
    PoiseVec3* places = poise__arena_allocate(reader->arena, (size_t)count + 1, sizeof *places);
    double* times = poise__arena_allocate(reader->arena, (size_t)count + 1, sizeof *times);
    if (!knots || !places || !times) {
        return;
    }
    for (int i = 0; i < count; i++) {
        places[i] = knots[i].place;
        times[i] = knots[i].time;
    }
    places[count] = places[0];
    goal->stations = times;
    set_places(goal, POISE_GOAL_PATH, places, count);
}

static void read_polyline(Reader* reader, const Element* element, void* record) {
    PoisePositionGoal* goal = &((PoiseScenePoint*)record)->position;
    if (!poise__list_check(reader, element, 2)) {
        return;
    }
    const int count = element->child_count;
    PoiseVec3* places = poise__arena_allocate(reader->arena, (size_t)count + 1, sizeof *places);
    for (int i = 0; places && i < count; i++) {
        Element item = *element->children[i];
        item.key = element->key;
        poise__read_vec3(reader, &item, poise__range_any, &places[i]);
    }
    if (places) {
        places[count] = places[0];
    }
    set_places(goal, POISE_GOAL_POLYLINE, places, count);
}

static void check_position(Reader* reader, const Element* element) {
    static const char* const kinds[] = {"at", "path", "polyline", "circle", "motion"};
    static const char* const pairs[][2] = {{"between", "path"},
                                           {"repeat", "path"},
                                           {"speed", "polyline"},
                                           {"closed", "polyline"},
                                           {"planted", "motion"}};
    if (poise__written_count(element, kinds, 5) != 1) {
        poise__refuse(reader, element,
                      "'position' must hold exactly one of 'at', 'path', 'polyline', 'circle', "
                      "'motion'");
    }
    poise__pairs_check(reader, element, pairs, 5);
    if (poise__is_written(element, "polyline") && !poise__is_written(element, "speed")) {
        poise__refuse(reader, element, "a polyline needs its 'speed', in m/s");
    }
}

// ------------------------------------------------------------------------------- completion

static void complete_path(Reader* reader, PoisePositionGoal* goal) {
    const PoiseVec3 back = poise_sub(goal->places[0], goal->places[goal->count - 1]);
    const bool closes = goal->repeat && goal->count > 1 && poise_length(back) > 0.0;
    goal->stations = poise__path_times(reader, goal->stations, goal->count, closes);
    goal->count += closes ? 1 : 0;
    goal->kind = goal->count > 1 ? POISE_GOAL_PATH : POISE_GOAL_FIXED;
    goal->repeat = goal->repeat && goal->count > 1;
}

// Closes a polyline by its first place; sets its stations, the length up to each place.
static void complete_polyline(Reader* reader, const Element* element, PoisePositionGoal* goal) {
    goal->count += goal->repeat ? 1 : 0;
    double* stations = poise__arena_allocate(reader->arena, (size_t)goal->count, sizeof *stations);
    for (int i = 1; stations && i < goal->count; i++) {
        stations[i] =
            stations[i - 1] + poise_length(poise_sub(goal->places[i], goal->places[i - 1]));
    }
    if (stations && !(stations[goal->count - 1] > 0.0)) {
        REFUSE(reader, poise__value_mark(element, "polyline"),
               "the polyline of '%.60s' has no length", reader->item);
    }
    goal->stations = stations;
}

// Projects the start direction of the circle onto its plane.
static void complete_circle(Reader* reader, const Element* element, PoisePositionGoal* goal) {
    const PoiseVec3 normal = goal->normal;
    const Element* map = poise__element_find(element, "circle");
    if (!poise__is_written(map, "start")) {
        bool x = fabs(normal.x) <= fabs(normal.y) && fabs(normal.x) <= fabs(normal.z);
        bool y = !x && fabs(normal.y) <= fabs(normal.z);
        goal->start = poise_vec3(x, y, !x && !y);
    }
    PoiseVec3 across = poise_add_scaled(goal->start, -poise_dot(goal->start, normal), normal);
    double length = poise_length(across);
    // The start has no direction in the plane if it lies within 1e-6 of the normal.
    if (!(length > 1e-6)) {
        REFUSE(reader, poise__value_mark(map, "start"),
               "a circle's 'start' must not lie along its 'normal'");
        return;
    }
    goal->kind = POISE_GOAL_CIRCLE;
    goal->start = poise_scale(1.0 / length, across);
}

void poise__position_read(Reader* reader, const Element* element, void* scene_point) {
    PoiseScenePoint* point = scene_point;
    PoisePositionGoal* goal = &point->position;
    poise__schema_set_fallbacks(&poise__position_schema, point);
    if (element->kind == ELEMENT_LIST) {
        read_at(reader, element, point);
        return;
    }
    if (element->kind != ELEMENT_MAP) {
        poise__refuse(reader, element, "'position' must be [x, y, z] or a map, not '%.60s'",
                      element->text);
        return;
    }
    const int errors = poise__reader_errors(reader);
    poise__schema_read(reader, &poise__position_schema, element, point);
    if (poise__reader_errors(reader) == errors) {
        check_position(reader, element);
    }
    if (poise__reader_errors(reader) > errors) {
        return;
    }
    if (goal->kind == POISE_GOAL_PATH) {
        complete_path(reader, goal);
    } else if (goal->kind == POISE_GOAL_POLYLINE) {
        complete_polyline(reader, element, goal);
    } else if (goal->kind == POISE_GOAL_NONE && !goal->motion.name) {
        complete_circle(reader, element, goal);
    }
}
