// SPDX-License-Identifier: MIT
// The table of `orientation:`: a rotation, a path of rotations, an axis to point.

#include "goal_paths.h"

static void read_quaternion(Reader* reader, const Element* element, void* record);
static void read_path(Reader* reader, const Element* element, void* record);
static void read_at(Reader* reader, const Element* element, void* record);

#define ORIENTATION(member) offsetof(PoiseScenePoint, orientation.member)
#define FORMS               "[w, x, y, z], {axis, angle} or {rpy}"

static const Field orientation_fields[] = {
    {"quaternion", FIELD_CUSTOM, 0, .read = read_quaternion, .form = FORMS,
     .help = "how the point's frame should be turned in the world"},
    {"path", FIELD_CUSTOM, 0, .read = read_path, .form = "[{time, to: rotation}, ...]", .unit = "s",
     .help = "rotations at given times"},
    PATH_ROWS(ORIENTATION),
    {"point", FIELD_AXIS, ORIENTATION(axis),
     .help = "an axis of the body, to be led `along` a direction or `at` a point"},
    {"along", FIELD_AXIS, ORIENTATION(along), .help = "a direction of the world"},
    {"at", FIELD_CUSTOM, 0, .read = read_at,
     .form = "control point, its goal as `hand.goal`, or [x, y, z]", .unit = "m",
     .help = "what to look at: where a point is, where it should be, or a place"},
    {"motion", FIELD_REF, ORIENTATION(motion), .form = "joint",
     .help = "turned from where it is with every joint at 0 as that joint of the scene's motion is "
             "from its rest pose"},
    UNTIL_ROW(ORIENTATION),
};

const Schema poise__orientation_schema = {
    .name = "an orientation goal",
    .title = "An orientation goal",
    .help = "One of `quaternion`, `path`, `point`, `motion`.",
    ROWS(orientation_fields),
};

static const Field knot_fields[] = {
    {"time", FIELD_NUMBER, offsetof(Knot, time), .required = true, .range = BETWEEN(0.0, 1e9)},
    {"to", FIELD_ROTATION, offsetof(Knot, turn), .required = true},
};

static const Schema knot_schema = {.name = "a rotation of a path", ROWS(knot_fields)};

// --------------------------------------------------------------------------------------- readers

static void set_rotations(PoiseOrientationGoal* goal, PoiseGoalKind kind,
                          const PoiseQuat* rotations, int count) {
    goal->kind = kind;
    goal->rotations = rotations;
    goal->count = count;
}

static void read_quaternion(Reader* reader, const Element* element, void* record) {
    PoiseScenePoint* point = record;
    PoiseQuat* turn = poise__arena_allocate(reader->arena, 1, sizeof *turn);
    if (turn && poise__read_rotation(reader, element, turn)) {
        set_rotations(&point->orientation, POISE_GOAL_FIXED, turn, 1);
    }
}

static void read_path(Reader* reader, const Element* element, void* record) {
    PoiseOrientationGoal* goal = &((PoiseScenePoint*)record)->orientation;
    const Knot* knots = poise__knots_read(reader, element, &knot_schema);
    const int count = element->child_count;
    // One more rotation than stations, because a repeated path returns to its first station.
    PoiseQuat* rotations =
        poise__arena_allocate(reader->arena, (size_t)count + 1, sizeof *rotations);
    double* times = poise__arena_allocate(reader->arena, (size_t)count + 1, sizeof *times);
    if (!knots || !rotations || !times) {
        return;
    }
    for (int i = 0; i < count; i++) {
        rotations[i] = knots[i].turn;
        times[i] = knots[i].time;
    }
    rotations[count] = rotations[0];
    goal->stations = times;
    set_rotations(goal, POISE_GOAL_PATH, rotations, count);
}

static void read_at(Reader* reader, const Element* element, void* record) {
    PoiseOrientationGoal* goal = &((PoiseScenePoint*)record)->orientation;
    goal->kind = element->kind == ELEMENT_LIST ? POISE_GOAL_AT_PLACE : POISE_GOAL_AT;
    if (goal->kind == POISE_GOAL_AT_PLACE) {
        poise__read_vec3(reader, element, poise__range_any, &goal->place);
    } else {
        poise__read_ref(reader, element, &goal->at);
        poise__reflect_names(reader, &(PoiseRefs){&goal->at, 1});
    }
}

static void check_orientation(Reader* reader, const Element* element) {
    static const char* const kinds[] = {"quaternion", "path", "point", "motion"};
    static const char* const targets[] = {"along", "at"};
    static const char* const pairs[][2] = {
        {"between", "path"}, {"repeat", "path"}, {"along", "point"}, {"at", "point"}};
    if (poise__written_count(element, kinds, 4) != 1) {
        poise__refuse(reader, element,
                      "'orientation' must hold exactly one of 'quaternion', 'path', 'point', "
                      "'motion'");
    }
    poise__pairs_check(reader, element, pairs, 4);
    if (poise__is_written(element, "point") && poise__written_count(element, targets, 2) != 1) {
        poise__refuse(reader, element, "an axis to 'point' needs 'along' or 'at', one of them");
    }
}

static void complete_path(Reader* reader, PoiseOrientationGoal* goal) {
    const PoiseQuat back =
        poise_quat_mul(poise_quat_conjugate(goal->rotations[goal->count - 1]), goal->rotations[0]);
    const bool closes = goal->repeat && goal->count > 1 && poise_length(poise_quat_log(back)) > 0.0;
    goal->stations = poise__path_times(reader, goal->stations, goal->count, closes);
    goal->count += closes ? 1 : 0;
    goal->kind = goal->count > 1 ? POISE_GOAL_PATH : POISE_GOAL_FIXED;
    goal->repeat = goal->repeat && goal->count > 1;
}

void poise__orientation_read(Reader* reader, const Element* element, void* scene_point) {
    PoiseScenePoint* point = scene_point;
    PoiseOrientationGoal* goal = &point->orientation;
    poise__schema_set_fallbacks(&poise__orientation_schema, point);
    if (element->kind != ELEMENT_MAP) {
        poise__refuse_kind(reader, element, "a map, as {quaternion: [w, x, y, z]}");
        return;
    }
    const int errors = poise__reader_errors(reader);
    poise__schema_read(reader, &poise__orientation_schema, element, point);
    if (poise__reader_errors(reader) == errors) {
        check_orientation(reader, element);
    }
    if (poise__reader_errors(reader) > errors) {
        return;
    }
    if (goal->kind == POISE_GOAL_PATH) {
        complete_path(reader, goal);
    } else if (goal->kind == POISE_GOAL_NONE && !goal->motion.name) {
        goal->kind = POISE_GOAL_ALONG;
    }
}
