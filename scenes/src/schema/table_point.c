// SPDX-License-Identifier: MIT
// What `control_points:` may hold.
#include <math.h>

#include "spec.h"

static const Choice axes_choices[] = {
    {"world", POISE_ROW_AXES_WORLD},
    {"point", POISE_ROW_AXES_POINT},
    {"goal", POISE_ROW_AXES_GOAL},
};

static const Choice yield_choices[] = {
    {"yields", POISE_YIELD_ALONG},
    {"holds", POISE_YIELD_NONE},
};

static const Field force_fields[] = {
    {.key = "push",
     .type = FIELD_VEC3,
     .offset = offsetof(ForceSpec, push),
     .unit = "N",
     .help = "on the world, at the point"},
    {.key = "torque",
     .type = FIELD_VEC3,
     .offset = offsetof(ForceSpec, torque),
     .unit = "N m",
     .help = "on the world"},
    {.key = "after",
     .type = FIELD_NUMBER,
     .offset = offsetof(ForceSpec, after),
     .range = {0.0, 1e9, false, false},
     .fallback = "0",
     .unit = "s",
     .help = "from then on"},
    {.key = "goal",
     .type = FIELD_CHOICE,
     .offset = offsetof(ForceSpec, yield),
     .choices = yield_choices,
     .choice_count = 2,
     .fallback = "yields",
     .help = "what becomes of the goal along the force and about the torque: it does not count "
             "there, or it holds on and the point moves by the force times its compliance"},
};

const Schema poise__force_schema = {
    .name = "a force",
    .title = "A force",
    .help =
        "What the point presses on the world with, through its joints' springs. A point without a "
        "goal presses and is free otherwise.",
    .fields = force_fields,
    .field_count = 4,
    .given_offset = offsetof(ForceSpec, given),
};

static const Field point_fields[] = {
    {.key = "body",
     .type = FIELD_TEXT,
     .offset = offsetof(PointSpec, body),
     .required = true,
     .form = "body or robot/link",
     .help = "what it is on"},
    {.key = "at",
     .type = FIELD_VEC3,
     .offset = offsetof(PointSpec, at),
     .fallback = "[0, 0, 0]",
     .unit = "m",
     .help = "its place in the body's own frame"},
    {.key = "rotation",
     .type = FIELD_CUSTOM,
     .offset = offsetof(PointSpec, rotation),
     .read = poise__rotation_field_read,
     .form = "[w, x, y, z], {axis, angle} or {rpy}",
     .fallback = "(none)",
     .help = "how its frame is turned in the body's"},
    {.key = "uses",
     .type = FIELD_NAMES,
     .offset = offsetof(PointSpec, uses),
     .form = "names or patterns",
     .fallback = "(every joint between it and the base)",
     .help = "the joints that move to serve it; a pattern skips those that cannot move it, a name "
             "must be able to"},
    {.key = "position",
     .type = FIELD_CUSTOM,
     .offset = offsetof(PointSpec, position),
     .read = poise__place_read,
     .schema = &poise__place_schema,
     .form = "[x, y, z] or a position goal",
     .unit = "m",
     .help = "where it should be, in the world"},
    {.key = "orientation",
     .type = FIELD_CUSTOM,
     .offset = offsetof(PointSpec, orientation),
     .read = poise__turn_read,
     .schema = &poise__turn_schema,
     .form = "an orientation goal",
     .help = "how it should be turned, in the world"},
    {.key = "force",
     .type = FIELD_MAP,
     .offset = offsetof(PointSpec, force),
     .schema = &poise__force_schema,
     .help = "what it should press with"},
    {.key = "com",
     .type = FIELD_SWITCH,
     .offset = offsetof(PointSpec, com),
     .fallback = "off",
     .help = "on: the point is the centre of mass of the body and all that hangs on it"},
    {.key = "frame",
     .type = FIELD_TEXT,
     .offset = offsetof(PointSpec, frame),
     .form = "body or robot/link",
     .fallback = "(the world)",
     .help = "in whose frame its goals are given and pursued: the joints of both move for it"},
    {.key = "rows",
     .type = FIELD_NAMES,
     .offset = offsetof(PointSpec, rows),
     .form = "[x, y, z, turn_x, turn_y, turn_z], some of them",
     .fallback = "(all)",
     .help = "which directions and turns count"},
    {.key = "row_axes",
     .type = FIELD_CHOICE,
     .offset = offsetof(PointSpec, row_axes),
     .choices = axes_choices,
     .choice_count = 3,
     .fallback = "world",
     .help = "what they are along and about: the axes of the world, of the point, of its goal"},
    {.key = "max_speed",
     .type = FIELD_NUMBER,
     .offset = offsetof(PointSpec, max_speed),
     .range = {0.0, (double)INFINITY, true, true},
     .fallback = "inf",
     .unit = "m/s",
     .help = "the fastest IK leads it to its goal"},
    {.key = "max_turn_speed",
     .type = FIELD_ANGLE,
     .offset = offsetof(PointSpec, max_turn_speed),
     .range = {0.0, (double)INFINITY, true, true},
     .fallback = "inf",
     .unit = "angle/s",
     .help = "the fastest IK turns it"},
    {.key = "weight",
     .type = FIELD_NUMBER,
     .offset = offsetof(PointSpec, weight),
     .range = {0.0, 1e9, true, false},
     .fallback = "1",
     .help = "of points that cannot all be met, one of weight 2 counts as two of weight 1"},
    {.key = "priority",
     .type = FIELD_INTEGER,
     .offset = offsetof(PointSpec, priority),
     .range = {0.0, 15.0, false, false},
     .fallback = "0",
     .help = "points of a higher number get what those of lower ones leave (solver auto or dual)"},
    {.key = "enabled",
     .type = FIELD_SWITCH,
     .offset = offsetof(PointSpec, enabled),
     .fallback = "on",
     .help = "off: it is there, but nothing moves for it"},
    {.key = "stance",
     .type = FIELD_NUMBER,
     .offset = offsetof(PointSpec, stance),
     .range = {0.0, 1e6, false, false},
     .fallback = "0",
     .help = "above 0: the ground carries a floating base here, and of two points one of stance 2 "
             "carries twice as much; its goal goes along where it slides"},
    {.key = "sole",
     .type = FIELD_NUMBER,
     .offset = offsetof(PointSpec, sole),
     .range = {0.0, 1e6, false, false},
     .fallback = "0",
     .unit = "m",
     .help = "how far from a point with a `stance` the ground's force may well act"},
    {.key = "balance",
     .type = FIELD_SWITCH,
     .offset = offsetof(PointSpec, balance),
     .fallback = "off",
     .help =
         "on: the goal of a centre of mass is kept over the points that carry; its height stays"},
};

const Schema poise__point_schema = {
    .name = "a control point",
    .title = "A control point",
    .fields = point_fields,
    .field_count = (int)(sizeof point_fields / sizeof point_fields[0]),
    .given_offset = offsetof(PointSpec, given),
};

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
