// SPDX-License-Identifier: MIT
// What `robots:` and `mirror:` may hold.
#include <string.h>

#include "spec.h"

static void read_pose(Reader* reader, const Element* element, void* value);
static void read_overrides(Reader* reader, const Element* element, void* value);

static const Choice base_choices[] = {{"fixed", ROBOT_BASE_FIXED}, {"free", ROBOT_BASE_FREE}};

static const Field robot_fields[] = {
    {.key = "urdf",
     .type = FIELD_TEXT,
     .offset = offsetof(RobotSpec, urdf),
     .form = "path",
     .help = "the robot's file, seen from the scene's folder"},
    {.key = "mjcf",
     .type = FIELD_TEXT,
     .offset = offsetof(RobotSpec, mjcf),
     .form = "path",
     .help = "the same in MuJoCo's format"},
    {.key = "at",
     .type = FIELD_VEC3,
     .offset = offsetof(RobotSpec, at),
     .fallback = "[0, 0, 0]",
     .unit = "m",
     .help = "where the frame of its root link stands"},
    {.key = "rotation",
     .type = FIELD_CUSTOM,
     .offset = offsetof(RobotSpec, rotation),
     .read = poise__rotation_field_read,
     .form = "[w, x, y, z], {axis, angle} or {rpy}",
     .fallback = "(none)",
     .help = "how it is turned there"},
    {.key = "base",
     .type = FIELD_CHOICE,
     .offset = offsetof(RobotSpec, base),
     .choices = base_choices,
     .choice_count = 2,
     .fallback = "fixed",
     .help = "whether the root link is part of the world"},
    {.key = "pose",
     .type = FIELD_CUSTOM,
     .offset = offsetof(RobotSpec, pose),
     .read = read_pose,
     .form = "{joint: number, ...}",
     .unit = "angle (prismatic: m)",
     .fallback = "(0, or the limit nearest to 0)",
     .help = "the joints' natural angles, where it also starts"},
    {.key = "joints",
     .type = FIELD_CUSTOM,
     .offset = offsetof(RobotSpec, joints),
     .read = read_overrides,
     .schema = &poise__joint_override_schema,
     .form = "{name or pattern: {...}, ...}",
     .help = "patterns hold `*` and `?` and skip joints that cannot move; later entries win"},
};

const Schema poise__robot_schema = {
    .name = "a robot",
    .title = "A robot",
    .help = "Its links are bodies named `robot/link`, its joints `robot/joint`.",
    .fields = robot_fields,
    .field_count = (int)(sizeof robot_fields / sizeof robot_fields[0]),
    .given_offset = offsetof(RobotSpec, given),
};

static const Choice across_choices[] = {{"x", ACROSS_X}, {"y", ACROSS_Y}, {"z", ACROSS_Z}};

static const Field mirror_fields[] = {
    {.key = "from",
     .type = FIELD_TEXT,
     .offset = offsetof(MirrorSpec, from),
     .required = true,
     .form = "prefix",
     .help = "what the names of the side that is written begin with"},
    {.key = "to",
     .type = FIELD_TEXT,
     .offset = offsetof(MirrorSpec, to),
     .required = true,
     .form = "prefix",
     .help = "what the names of the other side begin with"},
    {.key = "across",
     .type = FIELD_CHOICE,
     .offset = offsetof(MirrorSpec, across),
     .choices = across_choices,
     .choice_count = 3,
     .fallback = "y",
     .help = "the axis whose sign changes"},
};

const Schema poise__mirror_schema = {
    .name = "a mirror",
    .title = "A mirror",
    .help =
        "Makes the other side of every body, joint and control point whose name begins with "
        "`from`, unless the other side is written out. Places are reflected as vectors, axes of "
        "turning as pseudovectors: an elbow's axis along y stays as it is across y, and its "
        "limits with it. Names in `between`, `uses` and `body` follow.",
    .fields = mirror_fields,
    .field_count = 3,
    .given_offset = offsetof(MirrorSpec, given),
};

static void read_pose(Reader* reader, const Element* element, void* value) {
    PoseList* pose = value;
    if (element->kind != ELEMENT_MAP) {
        char found[80];
        poise__refuse(reader, element, "'pose' must be a map of joints and numbers, not %s",
                      poise__element_describe(element, found, sizeof found));
        return;
    }
    pose->items =
        poise__arena_allocate(reader->arena, (size_t)element->child_count, sizeof *pose->items);
    for (int i = 0; pose->items && i < element->child_count; i++) {
        const Element* child = element->children[i];
        PoseEntry entry = {child->key, child->key_mark, child->mark, 0.0};
        (void)poise__read_number(reader, child, poise__range_any, &entry.number);
        pose->items[pose->count++] = entry;
    }
}

static void read_override(Reader* reader, const Element* element, void* item) {
    JointSpec* joint = item;
    poise__schema_set_fallbacks(&poise__joint_override_schema, joint);
    poise__schema_read(reader, &poise__joint_override_schema, element, joint);
}

static void read_overrides(Reader* reader, const Element* element, void* value) {
    static const NameMap map = {"a joint", sizeof(JointSpec), true, read_override};
    JointList* joints = value;
    joints->items = poise__name_map_read(reader, element, &map, &joints->count);
}

static void read_robot(Reader* reader, const Element* element, void* item) {
    RobotSpec* robot = item;
    poise__schema_set_fallbacks(&poise__robot_schema, robot);
    robot->rotation = poise_quat_identity();
    poise__schema_read(reader, &poise__robot_schema, element, robot);
}

void poise__robots_read(Reader* reader, const Element* element, void* list) {
    static const NameMap map = {"a robot", sizeof(RobotSpec), false, read_robot};
    RobotList* robots = list;
    robots->items = poise__name_map_read(reader, element, &map, &robots->count);
}

static void read_mirror(Reader* reader, const Element* element, MirrorSpec* mirror) {
    poise__schema_set_fallbacks(&poise__mirror_schema, mirror);
    mirror->element = element;
    poise__schema_read(reader, &poise__mirror_schema, element, mirror);
    if (mirror->from && mirror->to && strcmp(mirror->from, mirror->to) == 0) {
        poise__refuse(reader, element, "'from' and 'to' are the same: '%s'", mirror->from);
    }
}

void poise__mirrors_read(Reader* reader, const Element* element, void* list) {
    MirrorList* mirrors = list;
    bool many = element->kind == ELEMENT_LIST;
    int count = many ? element->child_count : 1;
    mirrors->items = poise__arena_allocate(reader->arena, (size_t)count, sizeof *mirrors->items);
    for (int i = 0; mirrors->items && i < count; i++) {
        read_mirror(reader, many ? element->children[i] : element, &mirrors->items[i]);
        mirrors->count++;
    }
}
