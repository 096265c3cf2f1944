// SPDX-License-Identifier: MIT
// What a scene may hold at its top, and its `world:` and `ik:`.
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "spec.h"

static void read_angle_unit(Reader* reader, const Element* element, void* value);

// ----------------------------------------------------------------------------------------- world

static const Field ground_fields[] = {
    {.key = "height",
     .type = FIELD_NUMBER,
     .offset = offsetof(GroundSpec, height),
     .fallback = "0",
     .unit = "m",
     .help = "of the plane, z up"},
    {.key = "friction",
     .type = FIELD_NUMBER,
     .offset = offsetof(GroundSpec, friction),
     .range = {0.0, (double)INFINITY, false, true},
     .fallback = "(the world's)",
     .help = "of every contact: the world's `friction` by another name"},
};

const Schema poise__ground_schema = {
    .name = "the ground",
    .title = "The ground",
    .fields = ground_fields,
    .field_count = 2,
    .given_offset = offsetof(GroundSpec, given),
    .off_offset = offsetof(GroundSpec, off),
};

static const Field world_fields[] = {
    {.key = "gravity",
     .type = FIELD_VEC3,
     .offset = offsetof(WorldSpec, world.gravity),
     .range = {-1e6, 1e6, false, false},
     .fallback = "[0, 0, -9.81]",
     .unit = "m/s^2",
     .help = "the pull on every body"},
    {.key = "step",
     .type = FIELD_NUMBER,
     .offset = offsetof(WorldSpec, world.step),
     .range = {0.0, 1.0, true, false},
     .fallback = "0.01",
     .unit = "s",
     .help = "of the simulation"},
    {.key = "ground",
     .type = FIELD_MAP,
     .offset = offsetof(WorldSpec, ground),
     .schema = &poise__ground_schema,
     .fallback = "off",
     .help = "a plane to stand on"},
    {.key = "friction",
     .type = FIELD_NUMBER,
     .offset = offsetof(WorldSpec, world.friction),
     .range = {0.0, (double)INFINITY, false, true},
     .fallback = "0.8",
     .help = "Coulomb's coefficient of every contact"},
    {.key = "restitution",
     .type = FIELD_NUMBER,
     .offset = offsetof(WorldSpec, world.restitution),
     .range = {0.0, 1.0, false, false},
     .fallback = "0",
     .help = "how much of a blow comes back"},
    {.key = "contacts",
     .type = FIELD_SWITCH,
     .offset = offsetof(WorldSpec, world.contacts),
     .fallback = "on",
     .help = "whether bodies touch at all"},
    {.key = "erp",
     .type = FIELD_NUMBER,
     .offset = offsetof(WorldSpec, world.erp),
     .range = {0.0, 1.0, false, false},
     .fallback = "0.2",
     .help = "the part of a joint's drift that ODE mends in a step"},
    {.key = "cfm",
     .type = FIELD_NUMBER,
     .offset = offsetof(WorldSpec, world.cfm),
     .range = {0.0, 1.0, false, false},
     .fallback = "1e-10",
     .help = "the give of ODE's joints"},
    {.key = "quick_iterations",
     .type = FIELD_INTEGER,
     .offset = offsetof(WorldSpec, world.quick_iterations),
     .range = {0.0, 1e6, false, false},
     .fallback = "0",
     .help = "0: dWorldStep, exact; else dWorldQuickStep with so many iterations"},
};

const Schema poise__world_schema = {
    .name = "the world",
    .title = "The world",
    .fields = world_fields,
    .field_count = (int)(sizeof world_fields / sizeof world_fields[0]),
    .given_offset = offsetof(WorldSpec, given),
};

// -------------------------------------------------------------------------------------------- ik

static const Choice solver_choices[] = {
    {"auto", POISE_SOLVER_AUTO}, {"gauss_seidel", POISE_SOLVER_GAUSS_SEIDEL},
    {"dual", POISE_SOLVER_DUAL}, {"box", POISE_SOLVER_BOX},
    {"cgls", POISE_SOLVER_CGLS},
};
static const Choice reference_choices[] = {
    {"own", POISE_REFERENCE_OWN},
    {"measured", POISE_REFERENCE_MEASURED},
};
static const Choice ball_choices[] = {
    {"three", POISE_BALL_THREE_AXES},
    {"reduced", POISE_BALL_REDUCED},
};

#define CLAMP(name, fall, of, words)                                                               \
    {                                                                                              \
        .key = #name, .type = FIELD_NUMBER, .offset = offsetof(IkSpec, ik.name),                   \
        .range = {0.0, (double)INFINITY, true, true}, .fallback = fall, .unit = of, .help = words  \
    }

static const Field ik_fields[] = {
    {.key = "solver",
     .type = FIELD_CHOICE,
     .offset = offsetof(IkSpec, ik.solver),
     .choices = solver_choices,
     .choice_count = 5,
     .fallback = "auto",
     .help = "gauss_seidel is the paper's"},
    {.key = "sweeps",
     .type = FIELD_INTEGER,
     .offset = offsetof(IkSpec, ik.sweeps),
     .range = {1.0, 1e6, false, false},
     .fallback = "30",
     .help = "of Gauss-Seidel, at most"},
    {.key = "damping",
     .type = FIELD_NUMBER,
     .offset = offsetof(IkSpec, ik.damping),
     .range = {0.0, 1e6, false, false},
     .fallback = "(the solver's own)",
     .help = "eps of the damping, relative"},
    {.key = "damping_floor",
     .type = FIELD_NUMBER,
     .offset = offsetof(IkSpec, ik.damping_floor),
     .range = {0.0, 2.0, false, false},
     .fallback = "0.2",
     .help = "the least the adaptive damping may be"},
    {.key = "adaptive",
     .type = FIELD_SWITCH,
     .offset = offsetof(IkSpec, ik.adaptive),
     .fallback = "on",
     .help = "whether the damping adapts"},
    CLAMP(position_clamp, "0.4", "reach", "of a position's error, used in one step at most"),
    CLAMP(angle_clamp, "0.4", "rad", "of an orientation's error, used in one step at most"),
    CLAMP(joint_cap, "0.5", "rad", "the most a joint is asked to move in one step"),
    {.key = "escape",
     .type = FIELD_SWITCH,
     .offset = offsetof(IkSpec, ik.escape),
     .fallback = "on",
     .help = "leaves a straight arm whose goal lies on its line"},
    {.key = "posture_rate",
     .type = FIELD_NUMBER,
     .offset = offsetof(IkSpec, ik.posture_rate),
     .range = {0.0, 1.0, false, false},
     .fallback = "0",
     .help = "part of the way to its natural posture that a joint goes in a step, as far as the "
             "points take no notice"},
    {.key = "reference",
     .type = FIELD_CHOICE,
     .offset = offsetof(IkSpec, ik.reference),
     .choices = reference_choices,
     .choice_count = 2,
     .fallback = "own",
     .help = "what IK counts from: a posture of its own, or the measured one (the paper)"},
    {.key = "gravity",
     .type = FIELD_SWITCH,
     .offset = offsetof(IkSpec, ik.gravity),
     .fallback = "on",
     .help = "whether the springs are relieved of the bodies' weight"},
    {.key = "finite_rotation",
     .type = FIELD_SWITCH,
     .offset = offsetof(IkSpec, ik.finite_rotation),
     .fallback = "off",
     .help = "for ball springs that turn far in one step"},
    {.key = "ball_axes",
     .type = FIELD_CHOICE,
     .offset = offsetof(IkSpec, ik.ball_axes),
     .choices = ball_choices,
     .choice_count = 2,
     .fallback = "three",
     .help = "reduced: two for a ball under one position, as in the paper"},
};

const Schema poise__ik_schema = {
    .name = "the ik block",
    .title = "How it solves",
    .fields = ik_fields,
    .field_count = (int)(sizeof ik_fields / sizeof ik_fields[0]),
    .given_offset = offsetof(IkSpec, given),
};

// ----------------------------------------------------------------------------------------- scene

static const Field defaults_fields[] = {
    {.key = "body",
     .type = FIELD_MAP,
     .offset = offsetof(DefaultsSpec, body),
     .schema = &poise__body_defaults_schema,
     .help = "for every body"},
    {.key = "joint",
     .type = FIELD_MAP,
     .offset = offsetof(DefaultsSpec, joint),
     .schema = &poise__joint_defaults_schema,
     .help = "for every joint"},
};

const Schema poise__defaults_schema = {
    .name = "the defaults",
    .title = "Defaults",
    .fields = defaults_fields,
    .field_count = 2,
    .given_offset = offsetof(DefaultsSpec, given),
};

// in the order they are read in: units and defaults before what uses them
static const Field scene_fields[] = {
    {.key = "poise",
     .type = FIELD_INTEGER,
     .offset = offsetof(SceneSpec, version),
     .required = true,
     .range = {1.0, 1.0, false, false},
     .help = "version of the format: 1"},
    {.key = "title",
     .type = FIELD_TEXT,
     .offset = offsetof(SceneSpec, title),
     .help = "one line that says what is to be seen"},
    {.key = "angles",
     .type = FIELD_CUSTOM,
     .offset = offsetof(SceneSpec, angle_unit),
     .read = read_angle_unit,
     .form = "radians or degrees",
     .fallback = "(radians)",
     .help = "the unit of every angle of this file; robots' own files have theirs"},
    {.key = "seconds",
     .type = FIELD_NUMBER,
     .offset = offsetof(SceneSpec, seconds),
     .range = {0.0, 1e6, true, false},
     .fallback = "10",
     .unit = "s",
     .help = "how long `poise run` runs unless told otherwise"},
    {.key = "world",
     .type = FIELD_MAP,
     .offset = offsetof(SceneSpec, world),
     .schema = &poise__world_schema,
     .help = "physics"},
    {.key = "ik",
     .type = FIELD_MAP,
     .offset = offsetof(SceneSpec, ik),
     .schema = &poise__ik_schema,
     .help = "the solver"},
    {.key = "defaults",
     .type = FIELD_MAP,
     .offset = offsetof(SceneSpec, defaults),
     .schema = &poise__defaults_schema,
     .help = "what bodies and joints have in common"},
    {.key = "bodies",
     .type = FIELD_CUSTOM,
     .offset = offsetof(SceneSpec, bodies),
     .read = poise__bodies_read,
     .schema = &poise__body_schema,
     .form = "{name: body, ...}",
     .help = "in world coordinates of the starting pose"},
    {.key = "joints",
     .type = FIELD_CUSTOM,
     .offset = offsetof(SceneSpec, joints),
     .read = poise__joints_read,
     .schema = &poise__joint_schema,
     .form = "{name: joint, ...}",
     .help = "what holds the bodies together"},
    {.key = "robots",
     .type = FIELD_CUSTOM,
     .offset = offsetof(SceneSpec, robots),
     .read = poise__robots_read,
     .schema = &poise__robot_schema,
     .form = "{name: robot, ...}",
     .help = "bodies and joints from files of their own"},
    {.key = "mirror",
     .type = FIELD_CUSTOM,
     .offset = offsetof(SceneSpec, mirrors),
     .read = poise__mirrors_read,
     .schema = &poise__mirror_schema,
     .form = "a mirror or a list of them",
     .help = "makes the other side"},
    {.key = "control_points",
     .type = FIELD_CUSTOM,
     .offset = offsetof(SceneSpec, points),
     .read = poise__points_read,
     .schema = &poise__point_schema,
     .form = "{name: control point, ...}",
     .help = "what should be where"},
    {.key = "pushes",
     .type = FIELD_CUSTOM,
     .offset = offsetof(SceneSpec, pushes),
     .read = poise__pushes_read,
     .schema = &poise__push_schema,
     .form = "{name: push, ...}",
     .help = "blows from outside"},
    {.key = "record",
     .type = FIELD_NAMES,
     .offset = offsetof(SceneSpec, records),
     .form = "[point.error, joint.angle, ...]",
     .help = "figures that `--plot` draws over time, beside the errors: see Figures"},
    {.key = "expect",
     .type = FIELD_CUSTOM,
     .offset = offsetof(SceneSpec, bounds),
     .read = poise__bounds_read,
     .form = "{point.rms_error: number, ...}",
     .unit = "as in the report",
     .help = "upper bounds on figures of the report, checked by `--expect`: see Figures"},
};

const Schema poise__scene_schema = {
    .name = "a scene",
    .title = "The scene",
    .help = "Metres, kilograms, seconds, newtons; right-handed, world coordinates.",
    .fields = scene_fields,
    .field_count = (int)(sizeof scene_fields / sizeof scene_fields[0]),
    .given_offset = offsetof(SceneSpec, given),
};

static void read_angle_unit(Reader* reader, const Element* element, void* value) {
    static const Choice choices[] = {{"radians", 0}, {"degrees", 1}};
    static const Field field = {.choices = choices, .choice_count = 2};
    static const double degree = PI / 180.0;
    int choice = 0;
    int errors = poise_diagnostics_count(reader->diagnostics, POISE_ERROR);
    reader->angle_unit_given = true;
    if (poise__read_choice(reader, element, &field, &choice)) {
        reader->angle_unit = choice == 1 ? degree : 1.0;
    }
    if (errors < poise_diagnostics_count(reader->diagnostics, POISE_ERROR)) {
        // of the two the one that makes no angle look too large
        reader->angle_unit = degree;
    }
    *(double*)value = reader->angle_unit;
}

// `owner.field: number`, split at the last dot
static void read_bound(Reader* reader, const Element* child, PoiseSceneBound* bound) {
    const char* dot = strrchr(child->key, '.');
    bound->mark = child->key_mark;
    bound->owner = "";
    bound->field = child->key;
    (void)poise__read_number(reader, child, poise__range_any, &bound->upper);
    if (!dot || dot == child->key || !dot[1]) {
        poise__diagnose(reader->diagnostics, POISE_ERROR, child->key_mark,
                        "'%.60s' names no figure: write POINT.rms_error, JOINT.torque or "
                        "cost.allocations",
                        child->key);
        return;
    }
    bound->owner = poise__arena_copy(reader->arena, child->key, (size_t)(dot - child->key));
    bound->field = dot + 1;
}

void poise__bounds_read(Reader* reader, const Element* element, void* list) {
    BoundList* bounds = list;
    if (poise__element_is_empty(element)) {
        return;
    }
    if (element->kind != ELEMENT_MAP) {
        char found[80];
        poise__refuse(reader, element, "'expect' must be a map of figures and numbers, not %s",
                      poise__element_describe(element, found, sizeof found));
        return;
    }
    bounds->items =
        poise__arena_allocate(reader->arena, (size_t)element->child_count, sizeof *bounds->items);
    for (int i = 0; bounds->items && i < element->child_count; i++) {
        read_bound(reader, element->children[i], &bounds->items[i]);
        bounds->count++;
    }
}
