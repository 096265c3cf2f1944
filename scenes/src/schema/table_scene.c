// SPDX-License-Identifier: MIT
// The tables of a scene's top level, of `world:` and of `ik:`.

#include "number.h"
#include "spec.h"

// ----------------------------------------------------------------------------------------- world

#define WORLD(member) offsetof(PoiseSceneWorld, member)

static const Field ground_fields[] = {
    {"height", FIELD_NUMBER, WORLD(ground_height), .unit = "m", .fallback = "0",
     .help = "of the plane, z up"},
    {"friction", FIELD_NUMBER, WORLD(def.friction), .range = ANY_FROM(0.0),
     .fallback = "(the world's)",
     .help = "of every contact: the world's `friction` by another name"},
};

static const Schema ground_schema = {.name = "the ground",
                                     .title = "The ground",
                                     ROWS(ground_fields),
                                     .may_be_off = true,
                                     .on_offset = WORLD(ground)};

static const char* const stepper_words[] = {"exact", "ode", "quick", NULL};

static const Field world_fields[] = {
    {"gravity", FIELD_VEC3, WORLD(def.gravity), .range = BETWEEN(-1e6, 1e6), .unit = "m/s^2",
     .fallback = "[0, 0, -9.81]", .help = "the pull on every body", .live = SLIDER(-20.0, 20.0)},
    {"step", FIELD_NUMBER, WORLD(step), .range = ABOVE(0.0, 1.0), .unit = "s", .fallback = "0.01",
     .help = "of the simulation"},
    {"friction", FIELD_NUMBER, WORLD(def.friction), .range = ANY_FROM(0.0), .fallback = "0.8",
     .help = "Coulomb's coefficient of every contact"},
    {"ground", FIELD_MAP, 0, .schema = &ground_schema, .fallback = "off",
     .help = "a plane to stand on"},
    {"restitution", FIELD_NUMBER, WORLD(def.restitution), .range = BETWEEN(0.0, 1.0),
     .fallback = "0", .help = "how much of a blow comes back"},
    {"contacts", FIELD_SWITCH, WORLD(def.contacts), .fallback = "on",
     .help = "whether bodies touch at all"},
    {"erp", FIELD_NUMBER, WORLD(def.erp), .range = BETWEEN(0.0, 1.0), .fallback = "0.2",
     .help = "the part of a joint's drift that ODE mends in a step"},
    {"cfm", FIELD_NUMBER, WORLD(def.cfm), .range = BETWEEN(0.0, 1.0), .fallback = "1e-10",
     .help = "the compliance of ODE's joints (constraint force mixing)"},
    {"stepper", FIELD_CHOICE, WORLD(def.stepper), .fallback = "exact", .words = stepper_words,
     .help = "exact: linear in the joints; ode: dWorldStep, cubic; quick: dWorldQuickStep"},
    {"quick_iterations", FIELD_INTEGER, WORLD(def.quick_iterations), .range = BETWEEN(0.0, 1e6),
     .fallback = "0", .help = "0: as the stepper; else dWorldQuickStep with so many iterations"},
};

const Schema poise__world_schema = {.name = "the world", .title = "The world", ROWS(world_fields)};

// -------------------------------------------------------------------------------------------- ik

static const char* const solver_words[] = {"auto", "gauss_seidel", "dual", "box", "cgls", NULL};
static const char* const reference_words[] = {"own", "measured", NULL};
static const char* const ball_words[] = {"three", "reduced", NULL};

#define SOLVE(member) offsetof(PoiseSceneIk, rig.settings.solve.member)
#define RIG(member)   offsetof(PoiseSceneIk, rig.settings.member)

static const Field ik_fields[] = {
    {"solver", FIELD_CHOICE, SOLVE(solver), .fallback = "auto",
     .help = "gauss_seidel is the paper's", .words = solver_words, .live = LIVE},
    {"sweeps", FIELD_INTEGER, SOLVE(sweeps), .range = BETWEEN(1.0, POISE_SWEEPS_MOST),
     .fallback = "30", .help = "of Gauss-Seidel, at most", .live = LOG_SLIDER(1.0, 200.0)},
    {"damping", FIELD_NUMBER, SOLVE(damping), .range = BETWEEN(0.0, 1e6),
     .fallback = "(the solver's own)", .help = "eps of the damping, relative",
     .live = SLIDER(-1.0, 1.0)},
    {"damping_floor", FIELD_NUMBER, SOLVE(damping_floor), .range = BETWEEN(0.0, 2.0),
     .fallback = "0.2", .help = "the least the adaptive damping may be", .live = SLIDER(0.0, 2.0)},
    {"adaptive", FIELD_SWITCH, SOLVE(adaptive), .fallback = "on",
     .help = "whether the damping adapts", .live = LIVE},
    {"position_clamp", FIELD_NUMBER, SOLVE(position_clamp), .range = ANY_ABOVE(0.0),
     .unit = "reach", .fallback = "0.4", .help = "of a position's error, used in one step at most",
     .live = LOG_SLIDER(0.01, 2.0)},
    {"angle_clamp", FIELD_NUMBER, SOLVE(angle_clamp), .range = ANY_ABOVE(0.0), .unit = "rad",
     .fallback = "0.4", .help = "of an orientation's error, used in one step at most",
     .live = LOG_SLIDER(0.01, 3.2)},
    {"joint_cap", FIELD_NUMBER, SOLVE(joint_cap), .range = ANY_ABOVE(0.0), .unit = "rad",
     .fallback = "0.5", .help = "the most a joint is asked to move in one step",
     .live = LOG_SLIDER(0.001, 3.2)},
    {"escape", FIELD_SWITCH, SOLVE(escape), .fallback = "on",
     .help = "leaves a straight arm whose goal lies on its line", .live = LIVE},
    {"least_motion", FIELD_NUMBER, SOLVE(least_motion), .range = ANY_FROM(0.0),
     .unit = "tolerances/rad", .fallback = "3",
     .help =
         "joints take no step that moves the points by less than this, so that they rest; 0: off",
     .live = SLIDER(0.0, 10.0)},
    {"position_tolerance", FIELD_NUMBER, SOLVE(position_tolerance), .range = ABOVE(0.0, 1e6),
     .unit = "m", .fallback = "0.0001", .help = "a point nearer to its goal than this has met it",
     .live = LOG_SLIDER(1e-6, 0.1)},
    {"angle_tolerance", FIELD_NUMBER, SOLVE(angle_tolerance), .range = ABOVE(0.0, 1e6),
     .unit = "rad", .fallback = "0.0001", .help = "likewise of an orientation",
     .live = LOG_SLIDER(1e-6, 0.1)},
    {"posture_rate", FIELD_NUMBER, RIG(posture_rate), .range = BETWEEN(0.0, 1.0), .fallback = "0",
     .help = "the part of its distance to the natural posture that a joint goes in a step, as far "
             "as the "
             "points take no notice",
     .live = SLIDER(0.0, 1.0)},
    {"integral", FIELD_NUMBER, RIG(integral), .range = BETWEEN(0.0, 1e6), .unit = "1/s",
     .fallback = "0",
     .help =
         "part of the springs' pull that is added up in a second, so that what stands off under "
         "an unknown load comes back; rings on soft chains",
     .live = SLIDER(0.0, 5.0)},
    {"integral_most", FIELD_NUMBER, RIG(integral_most), .range = ABOVE(0.0, 1e6), .fallback = "0.2",
     .help = "the most the integral may add to a joint, as a part of its torque limit or, without "
             "one, of what its springs give at 1 rad (1 m)",
     .live = LOG_SLIDER(0.01, 1.0)},
    {"reconfigure_speed", FIELD_NUMBER, RIG(reconfigure_speed), .range = BETWEEN(0.0, 1e6),
     .unit = "rad/s", .fallback = "2",
     .help = "joints that are stuck off their goals search another posture and go there at this "
             "speed (slider: m/s); 0: off",
     .live = SLIDER(0.0, 10.0)},
    {"approach_speed", FIELD_NUMBER, RIG(approach_speed), .range = ANY_ABOVE(0.0), .unit = "m/s",
     .fallback = "0.1",
     .help = "a point that presses moves along its force at this speed while nothing is in its "
             "path; inf: as fast as the joints' dampers let it",
     .live = LOG_SLIDER(0.01, 10.0)},
    {"reference", FIELD_CHOICE, RIG(reference), .fallback = "own",
     .help = "what IK counts from: a posture of its own, or the measured one (the paper)",
     .words = reference_words, .live = LIVE},
    {"gravity", FIELD_SWITCH, RIG(gravity), .fallback = "on",
     .help = "whether the springs are relieved of the bodies' weight", .live = LIVE},
    {"finite_rotation", FIELD_SWITCH, offsetof(PoiseSceneIk, rig.finite_rotation),
     .fallback = "off", .help = "for ball springs that turn far in one step"},
    {"ball_axes", FIELD_CHOICE, offsetof(PoiseSceneIk, tree.ball_axes), .fallback = "three",
     .help = "reduced: two for a ball under one position, as in the paper", .words = ball_words},
};

const Schema poise__ik_schema = {.name = "the ik block", .title = "How it solves", ROWS(ik_fields)};

// ------------------------------------------------------------------------------------ keep apart

static const char* const apart_words[] = {"self", "others", NULL};

#define APART(member) offsetof(PoiseSceneApart, member)

static const Field apart_fields[] = {
    {"robots", FIELD_CHOICE, APART(robots), .fallback = "self", .words = apart_words,
     .help = "self: bodies that joints connect are kept from each other too; others: only from the "
             "bodies of `from`"},
    {"from", FIELD_NAMES, APART(from), .form = "[body, ...]", .fallback = "(every other body)",
     .help = "bodies that these are kept off, moving ones too"},
    {"distance", FIELD_NUMBER, APART(distance), .range = BETWEEN(0.0, 1.0), .unit = "m",
     .fallback = "0.01", .help = "the distance that the plan keeps"},
};

static const Schema apart_schema = {.name = "what to keep apart",
                                    .title = "Keep apart",
                                    .help = "The plan of IK stops before bodies touch, or goes "
                                            "round them where a step finds a path. A point that "
                                            "presses may touch what it presses on.",
                                    ROWS(apart_fields),
                                    .may_be_off = true,
                                    .on_offset = APART(on)};

// ----------------------------------------------------------------------------------------- scene

static void read_angle_unit(Reader* reader, const Element* element, void* record);

static const Field defaults_fields[] = {
    {"body", FIELD_MAP, offsetof(DefaultsSpec, body), .schema = &poise__body_defaults_schema,
     .help = "for every body"},
    {"joint", FIELD_MAP, offsetof(DefaultsSpec, joint), .schema = &poise__joint_defaults_schema,
     .help = "for every joint"},
};

static const Schema defaults_schema = {
    .name = "the defaults", .title = "Defaults", ROWS(defaults_fields)};

#define SCENE(member) offsetof(SceneSpec, member)

// The rows are read in this order: units, defaults and mirrors come before the items that use them.
static const Field scene_fields[] = {
    {"poise", FIELD_INTEGER, SCENE(version), .required = true, .help = "version of the format: 1"},
    {"title", FIELD_TEXT, SCENE(scene.title), .help = "one line that says what is to be seen"},
    {"angles", FIELD_CUSTOM, 0, .read = read_angle_unit, .form = "radians or degrees",
     .fallback = "(radians)",
     .help = "the unit of every angle of this file; robots' own files have theirs"},
    {"seconds", FIELD_NUMBER, SCENE(scene.seconds), .range = ABOVE(0.0, 1e6), .unit = "s",
     .fallback = "10", .help = "how long `poise run` runs unless told otherwise"},
    {"world", FIELD_MAP, SCENE(scene.world), .schema = &poise__world_schema, .help = "physics"},
    {"ik", FIELD_MAP, SCENE(scene.ik), .schema = &poise__ik_schema, .help = "the solver"},
    {"defaults", FIELD_MAP, SCENE(defaults), .schema = &defaults_schema,
     .help = "what bodies and joints have in common"},
    {"mirror", FIELD_CUSTOM, 0, .read = poise__mirrors_read, .schema = &poise__mirror_schema,
     .form = "a mirror or a list of them", .help = "makes the other side"},
    {"bodies", FIELD_ITEMS, SCENE(bodies), .items = &poise__body_items,
     .schema = &poise__body_schema, .form = "{name: body, ...}",
     .help = "in world coordinates of the starting pose"},
    {"joints", FIELD_ITEMS, SCENE(joints), .items = &poise__joint_items,
     .schema = &poise__joint_schema, .form = "{name: joint, ...}",
     .help = "what holds the bodies together"},
    {"robots", FIELD_ITEMS, SCENE(robots), .items = &poise__robot_items,
     .schema = &poise__robot_schema, .form = "{name: robot, ...}",
     .help = "bodies and joints from files of their own"},
    {"motion", FIELD_MAP, SCENE(motion), .schema = &poise__motion_schema,
     .help = "what was recorded, for goals and natural postures to follow"},
    {"control_points", FIELD_ITEMS, SCENE(points), .items = &poise__point_items,
     .schema = &poise__point_schema, .form = "{name: control point, ...}",
     .help = "what should be where"},
    {"pushes", FIELD_ITEMS, SCENE(pushes), .items = &poise__push_items,
     .schema = &poise__push_schema, .form = "{name: push, ...}", .help = "blows from outside"},
    {"keep_apart", FIELD_MAP, SCENE(scene.keep_apart), .schema = &apart_schema, .fallback = "off",
     .help = "bodies that do not touch"},
    {"record", FIELD_NAMES, SCENE(records), .form = "[point.error, joint.angle, ...]",
     .help = "figures that `--plot` draws over time, beside the errors: see Figures"},
    {"expect", FIELD_CUSTOM, 0, .read = poise__bounds_read,
     .form = "{point.rms_error: number, ...}", .unit = "as in the report",
     .help = "upper bounds on figures of the report, checked by `--expect`: see Figures"},
};

const Schema poise__scene_schema = {
    .name = "a scene",
    .title = "The scene",
    .help = "Metres, kilograms, seconds, newtons; right-handed, world coordinates. What has a \\* "
            "may change while the scene runs: the viewer has a slider for it, a script its `set`.",
    ROWS(scene_fields),
};

SceneSpec poise__default_scene_spec(void) {
    SceneSpec spec = {.scene.title = "",
                      .scene.world.def = poise_default_world_def(),
                      .scene.ik.rig = poise_default_rig_def(),
                      .scene.ik.tree = poise_default_tree_def(),
                      .defaults.body.body.pose = poise_pose_identity(),
                      .motion.pose = poise_pose_identity(),
                      .defaults.joint = poise__default_scene_joint()};
    poise__schema_set_fallbacks(&poise__scene_schema, &spec);
    return spec;
}

// --------------------------------------------------------------------------------------- readers

static void read_angle_unit(Reader* reader, const Element* element, void* record) {
    static const char* const words[] = {"radians", "degrees", NULL};
    static const double degree = PI / 180.0;
    int choice = 0;
    (void)record;
    reader->angle_unit_given = true;
    // After an error the unit is degrees, so that angles are not reported as too large.
    const bool read = poise__read_choice(reader, element, words, &choice);
    reader->angle_unit = read && choice == 0 ? 1.0 : degree;
}

void poise__bounds_read(Reader* reader, const Element* element, void* scene_spec) {
    BoundList* bounds = &((SceneSpec*)scene_spec)->bounds;
    if (poise__element_is_empty(element)) {
        return;
    }
    if (element->kind != ELEMENT_MAP) {
        poise__refuse_kind(reader, element, "a map of figures and numbers");
        return;
    }
    bounds->items =
        poise__arena_allocate(reader->arena, (size_t)element->child_count, sizeof *bounds->items);
    for (int i = 0; bounds->items && i < element->child_count; i++) {
        const Element* child = element->children[i];
        PoiseSceneFigure* bound = &bounds->items[bounds->count++];
        bound->owner = (PoiseRef){child->key, child->key_mark, -1};
        poise__read_number(reader, child, poise__range_any, &bound->upper);
    }
}
