// SPDX-License-Identifier: MIT
// The table of `bodies:`.
#include "spec.h"

#define BODY(member) offsetof(BodySpec, member)

// The radius of a round shape is stored in size.x.
#define RADIUS  BODY(shape.size.x)
#define LENGTH  BODY(shape.size.y)
#define EXTENTS .range = ABOVE(0.0, 1e6), .unit = "m"

// clang-format off
#define SETTINGS \
    {"density", FIELD_NUMBER, BODY(density), .range = ABOVE(0.0, 1e9), .unit = "kg/m^3", \
     .fallback = "1000", .help = "mass and inertia follow from the shape"}, \
    {"mass", FIELD_NUMBER, BODY(body.mass), .range = ABOVE(0.0, 1e12), .unit = "kg", \
     .fallback = "(from the density)", .help = "instead of a density"}, \
    {"gravity", FIELD_SWITCH, BODY(body.gravity), .fallback = "on", \
     .help = "whether gravity pulls at it"}, \
    {"collides", FIELD_SWITCH, BODY(body.collides), .fallback = "on", \
     .help = "whether it touches others; bodies that joints hold together " \
             "never touch one another"}
// clang-format on

static const Field body_fields[] = {
    {"box", FIELD_VEC3, BODY(shape.size), EXTENTS, .help = "the full side lengths"},
    {"sphere", FIELD_NUMBER, RADIUS, EXTENTS, .help = "the radius"},
    {"capsule", FIELD_NUMBER, RADIUS, EXTENTS,
     .help = "the radius; `from` and `to` are the centres of its two ends"},
    {"cylinder", FIELD_NUMBER, RADIUS, EXTENTS,
     .help = "the radius; `from` and `to` are the middles of its two ends"},
    {"from", FIELD_VEC3, BODY(from), .unit = "m", .help = "one end of a capsule or cylinder"},
    {"to", FIELD_VEC3, BODY(to), .unit = "m",
     .help = "the other; the body's z axis points there, its frame is in the middle"},
    {"length", FIELD_NUMBER, LENGTH, EXTENTS,
     .help = "of a capsule (without its caps) or cylinder that has `at` instead of ends; it lies "
             "along the body's z axis"},
    {"at", FIELD_VEC3, BODY(body.pose.p), .unit = "m", .fallback = "[0, 0, 0]",
     .help = "the body's middle"},
    {"rotation", FIELD_ROTATION, BODY(body.pose.q), .fallback = "(none)",
     .help = "how it is turned there"},
    {"fixed", FIELD_SWITCH, BODY(body.fixed), .fallback = "off",
     .help = "part of the world: it does not move"},
    SETTINGS,
};

static const Field settings_fields[] = {SETTINGS};

const Schema poise__body_schema = {
    .name = "a body",
    .title = "A body",
    .help = "One of `box`, `sphere`, `capsule`, `cylinder` says what it is.",
    ROWS(body_fields),
};

const Schema poise__body_defaults_schema = {
    .name = "the defaults of bodies",
    .title = "Defaults of bodies",
    .help = "What bodies have that do not say otherwise.",
    ROWS(settings_fields),
};
