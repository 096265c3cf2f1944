// SPDX-License-Identifier: MIT
// The table of a scene's recorded motion.
#include "spec.h"

static void read_posture(Reader* reader, const Element* element, void* record);

static const char* const up_words[] = {"y", "z", NULL};

#define MOTION(member) offsetof(MotionSpec, member)

static const Field motion_fields[] = {
    {"bvh", FIELD_TEXT, MOTION(bvh), .required = true, .form = "path",
     .help = "its file, seen from the scene's folder"},
    {"up", FIELD_CHOICE, MOTION(up), .words = up_words, .fallback = "y",
     .help = "the axis of the file that is up; of y, z is ahead and becomes the scene's x"},
    {"scale", FIELD_NUMBER, MOTION(scale), .range = ABOVE(0.0, 1e6), .fallback = "1",
     .help = "m of the scene for a unit of the file, 0.01 for centimetres; times the figure's size "
             "over the actor's"},
    {"at", FIELD_VEC3, MOTION(pose.p), .unit = "m", .fallback = "[0, 0, 0]",
     .help = "where the file's origin stands"},
    {"rotation", FIELD_ROTATION, MOTION(pose.q), .fallback = "(none)",
     .help = "how it is turned there, after `up`"},
    {"start", FIELD_NUMBER, MOTION(start), .range = BETWEEN(0.0, 1e6), .unit = "s", .fallback = "0",
     .help = "the time of the file that is 0 in the scene"},
    {"repeat", FIELD_SWITCH, MOTION(repeat), .fallback = "off",
     .help = "on: it begins again where it ends; its last frame is to be like its first"},
    {"posture", FIELD_CUSTOM, 0, .read = read_posture, .form = "{body: joint of the motion, ...}",
     .help = "bodies that stand as joints of the motion do: the natural posture of each joint "
             "between two of them follows, and a floating base's place. Both rest poses are laid "
             "over one another, arms that hang down and arms that are spread"},
    {"blend", FIELD_NUMBER, MOTION(motion.blend), .range = BETWEEN(0.0, 1.0), .fallback = "1",
     .help = "how far natural postures go from the joints' own (0) to the motion's (1)",
     .live = SLIDER(0.0, 1.0)},
    {"stance_height", FIELD_NUMBER, MOTION(stance_height), .range = BETWEEN(0.0, 1e6), .unit = "m",
     .fallback = "0.05",
     .help = "a `planted` goal stands where it is at most so much above its lowest place"},
    {"stance_speed", FIELD_NUMBER, MOTION(stance_speed), .range = BETWEEN(0.0, 1e6), .unit = "m/s",
     .fallback = "0.4", .help = "and is slower than this"},
};

const Schema poise__motion_schema = {
    .name = "a motion",
    .title = "A motion",
    .help =
        "A recorded motion (BVH), which goals and natural postures follow by its joints' names; "
        "end sites are `NAME_end`. Its rest pose has all turns 0.",
    ROWS(motion_fields),
};

static void read_posture(Reader* reader, const Element* element, void* record) {
    PostureList* posture = &((MotionSpec*)record)->posture;
    if (element->kind != ELEMENT_MAP) {
        poise__refuse_kind(reader, element, "a map of bodies and joints of the motion");
        return;
    }
    posture->items =
        poise__arena_allocate(reader->arena, (size_t)element->child_count, sizeof *posture->items);
    for (int i = 0; posture->items && i < element->child_count; i++) {
        const Element* child = element->children[i];
        PostureEntry entry = {.body = {child->key, child->key_mark, -1}};
        if (poise__read_ref(reader, child, &entry.joint)) {
            posture->items[posture->count++] = entry;
        }
    }
}
