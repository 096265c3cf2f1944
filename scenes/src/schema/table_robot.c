// SPDX-License-Identifier: MIT
// The tables of `robots:` and `mirror:`.
#include <string.h>

#include "spec.h"

static void read_pose(Reader* reader, const Element* element, void* record);
static void try_override(Reader* reader, const Element* element, void* item);

static const char* const base_words[] = {"fixed", "free", NULL};
static const char* const spring_words[] = {"auto", "defaults", NULL};

static const char* const collision_words[] = {"fit", "hull", NULL};

#define ROBOT(member) offsetof(RobotSpec, member)

static const NameMap override_items = {.kind = "a joint",
                                       .item_size = 1,
                                       .patterns = true,
                                       .most = MAX_SCENE_JOINTS,
                                       .read_item = try_override};

static const Field robot_fields[] = {
    {"urdf", FIELD_TEXT, ROBOT(urdf), .form = "path",
     .help = "the robot's file, seen from the scene's folder"},
    {"mjcf", FIELD_TEXT, ROBOT(mjcf), .form = "path", .help = "the same in MuJoCo's format"},
    {"dh", FIELD_TEXT, ROBOT(dh), .form = "path",
     .help = "the same as a table of Denavit and Hartenberg (CSV)"},
    {"at", FIELD_VEC3, ROBOT(pose_world.p), .unit = "m", .fallback = "[0, 0, 0]",
     .help = "where the frame of its root link stands"},
    {"rotation", FIELD_ROTATION, ROBOT(pose_world.q), .fallback = "(none)",
     .help = "how it is turned there"},
    {"base", FIELD_CHOICE, ROBOT(base), .words = base_words, .fallback = "fixed",
     .help = "whether the root link is part of the world"},
    {"springs", FIELD_CHOICE, ROBOT(springs), .words = spring_words, .fallback = "auto",
     .help = "auto: joints whose `ik` is not written, here or in `defaults`, get springs that suit "
             "the inertia that they move, the step and their torque limit: critically damped, they "
             "settle in half a second; defaults: they get those of joints"},
    {"collision", FIELD_CHOICE, ROBOT(collision), .words = collision_words, .fallback = "fit",
     .help =
         "what meshes touch as. fit: the box, capsule, cylinder or sphere round each that holds "
         "the least volume; hull: its convex hull, of at most 256 corners"},
    {"pose", FIELD_CUSTOM, 0, .read = read_pose, .form = "{joint: number, ...}",
     .unit = "angle (prismatic: m)", .fallback = "(0, or the limit nearest to 0)",
     .help = "the joints' natural angles, where it also starts"},
    {"joints", FIELD_ITEMS, ROBOT(joints), .items = &override_items,
     .schema = &poise__joint_settings_schema, .form = "{name or pattern: {...}, ...}",
     .help = "patterns hold `*` and `?` and skip joints that cannot move; later entries win"},
};

const Schema poise__robot_schema = {
    .name = "a robot",
    .title = "A robot",
    .help = "Its links are bodies named `robot/link`, its joints `robot/joint`.",
    ROWS(robot_fields),
};

static const char* const across_words[] = {"x", "y", "z", NULL};

#define MIRROR(member) offsetof(MirrorSpec, member)

static const Field mirror_fields[] = {
    {"from", FIELD_TEXT, MIRROR(from), .required = true, .form = "prefix",
     .help = "what the names of the side that is written begin with"},
    {"to", FIELD_TEXT, MIRROR(to), .required = true, .form = "prefix",
     .help = "what the names of the other side begin with"},
    {"across", FIELD_CHOICE, MIRROR(across), .words = across_words, .fallback = "y",
     .help = "the axis whose sign changes"},
};

const Schema poise__mirror_schema = {
    .name = "a mirror",
    .title = "A mirror",
    .help =
        "Makes the other side of every body, joint and control point whose name begins with "
        "`from`, unless the other side is written out. Places are reflected as vectors, axes of "
        "turning as pseudovectors: an elbow's axis along y stays as it is across y, and its "
        "limits with it. Names in `between`, `uses`, `body` and "
        "`motion` follow.",
    ROWS(mirror_fields),
};

static void read_pose(Reader* reader, const Element* element, void* record) {
    PoseList* pose = &((RobotSpec*)record)->pose;
    if (element->kind != ELEMENT_MAP) {
        poise__refuse_kind(reader, element, "a map of joints and numbers");
        return;
    }
    pose->items =
        poise__arena_allocate(reader->arena, (size_t)element->child_count, sizeof *pose->items);
    for (int i = 0; pose->items && i < element->child_count; i++) {
        const Element* child = element->children[i];
        PoseEntry entry = {child->key, child->key_mark, child->mark, 0.0};
        poise__read_number(reader, child, poise__range_any, &entry.number);
        pose->items[pose->count++] = entry;
    }
}

// Checks the settings of a robot's joints on a scratch joint, since the robot's file is read later.
static void try_override(Reader* reader, const Element* element, void* item) {
    PoiseSceneJoint joint = poise__default_scene_joint();
    (void)item;
    poise__schema_read(reader, &poise__joint_settings_schema, element, &joint);
}

RobotSpec poise__default_robot_spec(void) {
    RobotSpec spec = {.pose_world = poise_pose_identity()};
    poise__schema_set_fallbacks(&poise__robot_schema, &spec);
    return spec;
}

static void read_robot(Reader* reader, const Element* element, void* item) {
    RobotSpec* robot = item;
    *robot = poise__default_robot_spec();
    poise__schema_read(reader, &poise__robot_schema, element, robot);
}

const NameMap poise__robot_items = {.kind = "a robot",
                                    .item_size = sizeof(RobotSpec),
                                    .most = MAX_SCENE_ROBOTS,
                                    .read_item = read_robot};

static void read_mirror(Reader* reader, const Element* element, MirrorSpec* mirror) {
    poise__schema_set_fallbacks(&poise__mirror_schema, mirror);
    mirror->element = element;
    poise__schema_read(reader, &poise__mirror_schema, element, mirror);
    if (mirror->from && mirror->to && strcmp(mirror->from, mirror->to) == 0) {
        poise__refuse(reader, element, "'from' and 'to' are the same: '%s'", mirror->from);
    }
}

void poise__mirrors_read(Reader* reader, const Element* element, void* scene_spec) {
    MirrorList* mirrors = &((SceneSpec*)scene_spec)->mirrors;
    bool many = element->kind == ELEMENT_LIST;
    int count = many ? element->child_count : 1;
    mirrors->items = poise__arena_allocate(reader->arena, (size_t)count, sizeof *mirrors->items);
    for (int i = 0; mirrors->items && i < count; i++) {
        read_mirror(reader, many ? element->children[i] : element, &mirrors->items[i]);
        mirrors->count++;
    }
}
