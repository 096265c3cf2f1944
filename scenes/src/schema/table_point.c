// SPDX-License-Identifier: MIT
// The table of `control_points:`.
#include <string.h>

#include "spec.h"

static const char* const axes_words[] = {"world", "point", "goal", NULL};
static const char* const yield_words[] = {"yields", "holds", NULL};

#define POINT(member) offsetof(PoiseScenePoint, member)

static const Field force_fields[] = {
    {"push", FIELD_VEC3, POINT(force), .range = BETWEEN(-1e6, 1e6), .unit = "N",
     .help = "on the world, at the point", .live = SLIDER(-100.0, 100.0)},
    {"torque", FIELD_VEC3, POINT(torque), .unit = "N m", .help = "on the world"},
    {"after", FIELD_NUMBER, POINT(force_after), .range = BETWEEN(0.0, 1e9), .unit = "s",
     .fallback = "0", .help = "from then on"},
    {"goal", FIELD_CHOICE, POINT(def.yield), .words = yield_words, .fallback = "yields",
     .help = "what becomes of the goal along the force and about the torque: it does not count "
             "there, or it holds on and the point moves by the force times its compliance"},
};

static const Schema force_schema = {
    .name = "a force",
    .title = "A force",
    .help =
        "What the point presses on the world with, through its joints' springs. A point without a "
        "goal presses and is free otherwise.",
    ROWS(force_fields),
};

static void read_rows(Reader* reader, const Element* element, void* record);

static const Field point_fields[] = {
    {"body", FIELD_REF, POINT(body), .required = true, .form = "body or robot/link",
     .help = "what it is on"},
    {"at", FIELD_VEC3, POINT(in_body.p), .unit = "m", .fallback = "[0, 0, 0]",
     .help = "its place in the body's own frame"},
    {"rotation", FIELD_ROTATION, POINT(in_body.q), .fallback = "(none)",
     .help = "how its frame is turned in the body's"},
    {"uses", FIELD_NAMES, POINT(uses), .form = "names or patterns",
     .fallback = "(every joint between it and the base)",
     .help = "the joints that move to serve it; a pattern skips those that cannot move it, a name "
             "must be able to"},
    {"position", FIELD_CUSTOM, 0, .read = poise__position_read, .schema = &poise__position_schema,
     .form = "[x, y, z] or a position goal", .unit = "m",
     .help = "where it should be, in the world"},
    {"orientation", FIELD_CUSTOM, 0, .read = poise__orientation_read,
     .schema = &poise__orientation_schema, .form = "an orientation goal",
     .help = "how it should be turned, in the world"},
    {"force", FIELD_MAP, 0, .schema = &force_schema, .help = "what it should press with"},
    {"com", FIELD_SWITCH, POINT(com), .fallback = "off",
     .help = "on: the point is the centre of mass of the body and all that hangs on it"},
    {"frame", FIELD_REF, POINT(frame), .form = "body or robot/link", .fallback = "(the world)",
     .help = "in whose frame its goals are given and pursued: the joints of both move for it"},
    {"rows", FIELD_CUSTOM, 0, .read = read_rows,
     .form = "[x, y, z, turn_x, turn_y, turn_z], some of them", .fallback = "(all)",
     .help = "which directions and turns count"},
    {"row_axes", FIELD_CHOICE, POINT(def.row_axes), .words = axes_words, .fallback = "world",
     .help = "what they are along and about: the axes of the world, of the point, of its goal"},
    {"tip_radius", FIELD_NUMBER, POINT(def.tip_radius), .range = BETWEEN(0.0, 1e6), .unit = "m",
     .fallback = "0",
     .help = "of the ball at whose middle the point is: so far before it, it touches what it "
             "presses on, and `force_measured` is what that feels with friction too"},
    {"max_speed", FIELD_NUMBER, POINT(def.max_speed), .range = ANY_ABOVE(0.0), .unit = "m/s",
     .fallback = "inf", .help = "the fastest IK leads it to its goal",
     .live = LOG_SLIDER(0.01, 10.0)},
    {"max_turn_speed", FIELD_TURN_SPEED, POINT(def.max_turn_speed), .range = ANY_ABOVE(0.0),
     .unit = "angle/s", .fallback = "inf", .help = "the fastest IK turns it",
     .live = LOG_SLIDER(0.01, 30.0)},
    {"max_acceleration", FIELD_NUMBER, POINT(def.max_acceleration), .range = ANY_ABOVE(0.0),
     .unit = "m/s^2", .fallback = "inf",
     .help = "IK pursues a goal that speeds up and brakes by this at most, and so without a jump",
     .live = LOG_SLIDER(0.1, 100.0)},
    {"max_turn_acceleration", FIELD_TURN_SPEED, POINT(def.max_turn_acceleration),
     .range = ANY_ABOVE(0.0), .unit = "angle/s^2", .fallback = "inf",
     .help = "the same for its turn; an axis that looks at a place has none",
     .live = LOG_SLIDER(0.1, 300.0)},
    {"max_jerk", FIELD_NUMBER, POINT(def.max_jerk), .range = ANY_ABOVE(0.0), .unit = "m/s^3",
     .fallback = "inf", .help = "the acceleration of that goal changes by this a second at most",
     .live = LOG_SLIDER(1.0, 1000.0)},
    {"max_turn_jerk", FIELD_TURN_SPEED, POINT(def.max_turn_jerk), .range = ANY_ABOVE(0.0),
     .unit = "angle/s^3", .fallback = "inf", .help = "the same for its turn",
     .live = LOG_SLIDER(1.0, 3000.0)},
    {"weight", FIELD_NUMBER, POINT(def.weight), .range = ABOVE(0.0, 1e9), .fallback = "1",
     .help = "of points that cannot all be met, one of weight 2 counts as two of weight 1",
     .live = LOG_SLIDER(0.01, 100.0)},
    {"priority", FIELD_INTEGER, POINT(def.priority), .range = BETWEEN(0.0, 15.0), .fallback = "0",
     .help = "points of a higher number get what those of lower ones leave (solver auto or dual)",
     .live = SLIDER(0.0, 15.0)},
    {"enabled", FIELD_SWITCH, POINT(def.enabled), .fallback = "on",
     .help = "off: it is there, but nothing moves for it", .live = LIVE},
    {"stance", FIELD_NUMBER, POINT(stance), .range = BETWEEN(0.0, 1e6), .fallback = "0",
     .help = "above 0: the ground carries a floating base here, and of two points one of stance 2 "
             "carries twice as much; its goal goes along where it slides"},
    {"sole", FIELD_NUMBER, POINT(sole), .range = BETWEEN(0.0, 1e6), .unit = "m", .fallback = "0",
     .help = "how far from a point with a `stance` the ground's force may well act"},
    {"balance", FIELD_SWITCH, POINT(balance), .fallback = "off",
     .help =
         "on: the goal of a centre of mass is kept over the points that carry; its height stays"},
};

const Schema poise__point_schema = {
    .name = "a control point", .title = "A control point", ROWS(point_fields)};

// --------------------------------------------------------------------------------------- readers

// Reads the words x, y, z, turn_x, turn_y, turn_z as the bits of PoiseRows.
static void read_rows(Reader* reader, const Element* element, void* record) {
    static const char* const words[] = {"x", "y", "z", "turn_x", "turn_y", "turn_z"};
    PoiseScenePoint* point = record;
    PoiseRefs names = {NULL, 0};
    unsigned rows = 0;
    if (!poise__read_names(reader, element, &names)) {
        return;
    }
    for (int i = 0; i < names.count; i++) {
        int row = 0;
        while (row < 6 && strcmp(words[row], names.items[i].name) != 0) {
            row++;
        }
        if (row == 6) {
            REFUSE(reader, names.items[i].mark,
                   "'%.60s' is none of x, y, z, turn_x, turn_y, turn_z", names.items[i].name);
            return;
        }
        rows |= 1u << row;
    }
    point->def.rows = names.count > 0 ? rows : POISE_ROWS_ALL;
}

static void check_goals(Reader* reader, const Element* element) {
    static const char* const goals[] = {"position", "orientation", "force"};
    static const char* const forces[] = {"push", "torque"};
    const Element* force = poise__element_find(element, "force");
    if (poise__written_count(element, goals, 3) == 0) {
        REFUSE(reader, element->key_mark,
               "control point '%.60s' wants nothing: give it a 'position', an "
               "'orientation' or a 'force'",
               element->key);
    }
    if (force && poise__written_count(force, forces, 2) == 0) {
        poise__refuse(reader, force, "a force needs 'push' or 'torque'");
    }
}

// Reports rows without a goal, and goals without rows.
static void check_rows(Reader* reader, const Element* element, const PoiseScenePoint* point) {
    const bool places = (point->def.rows & 7) != 0;
    const bool turns = point->def.rows >> 3 != 0;
    const bool placed = point->position.kind != POISE_GOAL_NONE;
    const bool turned = point->orientation.kind != POISE_GOAL_NONE;
    const char* wrong = placed && !places   ? "leave nothing of its 'position'"
                        : turned && !turns  ? "leave nothing of its 'orientation'"
                        : places && !placed ? "are of a place, and it has no 'position'"
                        : turns && !turned  ? "are of turns, and it has no 'orientation'"
                                            : NULL;
    const Element* rows = poise__element_find(element, "rows");
    if (wrong && rows && (rows->kind != ELEMENT_LIST || rows->child_count > 0)) {
        REFUSE(reader, poise__value_mark(element, "rows"), "the rows of '%.60s' %s", element->key,
               wrong);
    }
}

// Warns of a priority with a solver that ignores it: only AUTO and DUAL use priorities.
static void check_priority(Reader* reader, const Element* element, const PoiseScenePoint* point) {
    const SceneSpec* scene = reader->context;
    const PoiseSolver solver = scene->scene.ik.rig.settings.solve.solver;
    if (point->def.priority != 0 && solver != POISE_SOLVER_AUTO && solver != POISE_SOLVER_DUAL) {
        WARN(reader, poise__value_mark(element, "priority"),
             "the solver goes by weights alone: priorities need auto or dual");
    }
}

// Reports settings that a centre of mass lacks: it has neither a place on the body nor a rotation.
static void check_com(Reader* reader, const Element* element, const PoiseScenePoint* point) {
    static const char* const idle[] = {"at", "rotation", "orientation", "frame", "force"};
    for (int i = 0; point->com && i < 5; i++) {
        if (poise__is_written(element, idle[i])) {
            REFUSE(reader, poise__value_mark(element, idle[i]),
                   "'%.60s' is a centre of mass: it has no '%s'", element->key, idle[i]);
        }
    }
}

PoiseScenePoint poise__default_point(void) {
    PoiseScenePoint point = {
        .body.index = -1, .frame.index = -1, .def = poise_default_position_def()};
    poise__schema_set_fallbacks(&poise__point_schema, &point);
    point.in_body.q = poise_quat_identity();
    point.position.until = (double)INFINITY;
    point.orientation.until = (double)INFINITY;
    point.orientation.at.index = -1;
    return point;
}

static void reflect_place(const Reader* reader, PoisePositionGoal* goal) {
    const size_t count = (size_t)goal->count;
    PoiseVec3* places = poise__arena_allocate(reader->arena, count, sizeof *places);
    for (size_t i = 0; places && i < count; i++) {
        places[i] = poise__reflect(reader->image, goal->places[i]);
    }
    goal->places = places;
    goal->count = places ? goal->count : 0;
    goal->centre = poise__reflect(reader->image, goal->centre);
    goal->start = poise__reflect(reader->image, goal->start);
    goal->normal = poise__reflect_turn(reader->image, goal->normal);
}

static void reflect_turn(const Reader* reader, PoiseOrientationGoal* goal) {
    const size_t count = (size_t)goal->count;
    PoiseQuat* rotations = poise__arena_allocate(reader->arena, count, sizeof *rotations);
    for (size_t i = 0; rotations && i < count; i++) {
        rotations[i] = poise__reflect_quat(reader->image, goal->rotations[i]);
    }
    goal->rotations = rotations;
    goal->count = rotations ? goal->count : 0;
    goal->axis = poise__reflect(reader->image, goal->axis);
    goal->along = poise__reflect(reader->image, goal->along);
    goal->place = poise__reflect(reader->image, goal->place);
}

static void reflect(const Reader* reader, PoiseScenePoint* point) {
    PoisePose* pose = &point->in_body;
    *pose = poise_pose(poise__reflect(reader->image, pose->p),
                       poise__reflect_quat(reader->image, pose->q));
    reflect_place(reader, &point->position);
    reflect_turn(reader, &point->orientation);
    point->force = poise__reflect(reader->image, point->force);
    point->torque = poise__reflect_turn(reader->image, point->torque);
}

static void read_point(Reader* reader, const Element* element, void* item) {
    PoiseScenePoint* point = item;
    *point = poise__default_point();
    point->name = reader->item;
    point->mark = element->key_mark;
    const int errors = poise__reader_errors(reader);
    poise__schema_read(reader, &poise__point_schema, element, point);
    point->has_force = poise__is_written(element, "force");
    check_com(reader, element, point);
    if (poise__reader_errors(reader) == errors) {
        check_goals(reader, element);
        check_rows(reader, element, point);
        check_priority(reader, element, point);
    }
    if (reader->image) {
        reflect(reader, point);
    }
}

const NameMap poise__point_items = {.kind = "a control point",
                                    .item_size = sizeof(PoiseScenePoint),
                                    .mirrored = true,
                                    .most = MAX_SCENE_POINTS,
                                    .read_item = read_point};
