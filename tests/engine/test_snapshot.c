// SPDX-License-Identifier: MIT
// Snapshots of worlds and rigs: the steps after a restore have the bits of the steps after the
// save.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanism.h"
#include "poise/snapshot.h"

enum { LINKS = 7, BOXES = 8, BODIES = LINKS + BOXES, BEFORE = 300, AFTER = 1000 };

static const double DT = 0.01;

// The options of a scene.
typedef struct Kind {
    const char* name;
    bool own_world;
    int quick_iterations;
    PoiseReference reference;
    bool sleepy;
} Kind;

static const Kind KINDS[] = {
    {"world of ours, dWorldStep", true, 0, POISE_REFERENCE_OWN, false},
    {"world of ours, dWorldQuickStep", true, 30, POISE_REFERENCE_OWN, false},
    {"world of ours, measured", true, 0, POISE_REFERENCE_MEASURED, false},
    {"world of ours, bodies fall asleep", true, 0, POISE_REFERENCE_OWN, true},
    {"world of the user's, dWorldStep", false, 0, POISE_REFERENCE_OWN, false},
    {"world of the user's, dWorldQuickStep", false, 30, POISE_REFERENCE_OWN, false},
    {"world of the user's, dWorldQuickStep, measured", false, 20, POISE_REFERENCE_MEASURED, false},
    {"world of the user's, bodies fall asleep", false, 0, POISE_REFERENCE_OWN, true},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

// An arm of hinges, balls and a slider that moves among falling boxes. A joint of the user ties two
// boxes until it is broken.
typedef struct Scene {
    Mechanism m;
    Kind kind;
    dJointID tie;
    PoisePointId hand;
    PoisePointId elbow;
    PoiseSnapshotDef def;
    long step;
} Scene;

static dBodyID add_box(Scene* scene, PoiseVec3 at, PoiseVec3 size) {
    dBodyID body = mechanism_box(&scene->m, at, size, 1.0 + size.x);
    dBodySetAutoDisableFlag(body, scene->kind.sleepy);
    dBodySetAutoDisableLinearThreshold(body, 0.05);
    dBodySetAutoDisableAngularThreshold(body, 0.05);
    dBodySetAutoDisableAverageSamplesCount(body, 3);
    dBodySetAutoDisableSteps(body, 25);
    return body;
}

static void add_links(Scene* scene) {
    dBodyID below = NULL;
    for (int i = 0; i < LINKS; i++) {
        double z = 0.1 + 0.3 * i;
        dBodyID body = add_box(scene, poise_vec3(0.0, 0.0, z + 0.15), poise_vec3(0.1, 0.12, 0.28));
        JointDef def = {dJointTypeHinge, below, body, {0.0, 0.0, z}, {{1.0, 0.3, 0.0}}};
        if (i % 3 == 1) {
            def.type = dJointTypeBall;
        } else if (i == 3) {
            def.type = dJointTypeUniversal;
            def.axes[0] = poise_vec3(1.0, 0.0, 0.0);
            def.axes[1] = poise_vec3(0.0, 1.0, 0.0);
        } else if (i == LINKS - 1) {
            def = (JointDef){dJointTypeSlider, body, below, {0.0, 0.0, 0.0}, {{0.0, 0.6, 0.8}}};
        } else {
            def.first = i % 2 ? body : below;
            def.second = i % 2 ? below : body;
            def.axes[0] = i == 0 ? poise_vec3(0.0, 0.3, 1.0) : def.axes[0];
        }
        dJointID joint = joint_make(scene->m.world, &def);
        if (i == LINKS - 1) {
            joint_set_stops(joint, -0.2, 0.2);
        }
        below = body;
    }
}

static void bind_links(Scene* scene) {
    RIG_SET(scene->m.rig, integral, scene->kind.sleepy ? 0.0 : 2.0);
    PoiseBindDef like = poise_default_bind_def();
    like.ik = (PoiseSpring){2000.0, 60.0};
    like.original = (PoiseSpring){50.0, 2.0};
    like.torque_limit = 150.0;
    cr_assert_eq(poise_rig_import(scene->m.rig, scene->m.bodies[0], &like), LINKS, "%s",
                 poise_rig_message(scene->m.rig));
    // a cone that the motion reaches
    cr_assert_eq(poise_node_set_limits(scene->m.tree, poise_tree_node(scene->m.tree, 4),
                                       poise_cone(0.3, -0.2, 0.2)),
                 POISE_OK);
    // a box held by springs to the world, without a point
    like.original_linear = (PoiseSpring){300.0, 20.0};
    like.natural[0] = -1.0;
    like.natural[2] = 1.0;
    cr_assert_neq(poise_rig_add_base(scene->m.rig, scene->m.bodies[BODIES - 1], &like).index1, 0);
    scene->hand = mechanism_add_point(&scene->m, poise_default_pose_def(),
                                      scene->m.bodies[LINKS - 1], poise_vec3(0.0, 0.0, 0.15));
    PoisePointDef point = poise_default_position_def();
    point.weight = 0.2;
    scene->elbow =
        mechanism_add_point(&scene->m, point, scene->m.bodies[3], poise_vec3(0.0, 0.0, 0.0));
}

static void open_scene(Scene* scene, Kind kind) {
    memset(scene, 0, sizeof *scene);
    scene->kind = kind;
    if (kind.own_world) {
        PoiseWorldDef def = poise_default_world_def();
        def.quick_iterations = kind.quick_iterations;
        mechanism_open_world(&scene->m, &def, kind.reference);
        scene->m.space = poise_world_space(scene->m.own);
        cr_assert(poise_world_add_ground(scene->m.own, 0.0));
    } else {
        mechanism_open(&scene->m, poise_vec3(0.0, 0.0, -9.81), kind.reference);
        dWorldSetQuickStepNumIterations(scene->m.world, kind.quick_iterations + 1);
    }
    add_links(scene);
    for (int i = 0; i < BOXES; i++) {
        double angle = 0.7 * i;
        (void)add_box(scene, poise_vec3(0.8 * cos(angle), 0.8 * sin(angle), 0.3 + 0.15 * i),
                      poise_vec3(0.2, 0.15, 0.1 + 0.02 * i));
        dBodySetAngularVel(scene->m.bodies[LINKS + i], 0.3 * i, 1.0, 0.2);
    }
    scene->tie = mechanism_join(&scene->m, POISE_NODE_BALL, scene->m.bodies[LINKS],
                                scene->m.bodies[LINKS + 1],
                                pivot(poise_vec3(0.8, 0.3, 0.4), poise_vec3(0.0, 0.0, 1.0)));
    bind_links(scene);
    scene->def = poise_default_snapshot_def();
    scene->def.world = scene->m.own;
    // the bodies of the arm belong to the rig
    scene->def.bodies = &scene->m.bodies[LINKS];
    scene->def.body_count = BOXES;
    scene->def.joints = &scene->tie;
    scene->def.joint_count = 1;
    scene->def.rigs = &scene->m.rig;
    scene->def.rig_count = 1;
}

static void close_scene(Scene* scene) {
    mechanism_close(&scene->m);
}

// Makes the user's calls, which depend on the step's number alone.
static void steer(Scene* scene) {
    double t = DT * (double)scene->step;
    // stop after a while, so that bodies can fall asleep
    t = fmin(t, 5.0);
    PoiseVec3 goal = poise_vec3(0.9 * sin(t), 0.7 * sin(1.7 * t), 1.1 + 0.4 * cos(2.3 * t));
    cr_assert_eq(poise_point_set_position(scene->m.tree, scene->hand, goal), POISE_OK);
    PoiseVec3 force = poise_vec3(0.0, 0.0, t < 5.0 ? -20.0 * sin(t) : 0.0);
    cr_assert_eq(poise_point_set_force(scene->m.tree, scene->elbow, force), POISE_OK);
    if (scene->step == BEFORE + 100) {
        dJointDisable(scene->tie);
        cr_assert_eq(poise_point_set_enabled(scene->m.tree, scene->elbow, false), POISE_OK);
    }
    if (scene->step % 50 == 0 && t < 5.0) {
        dBodyAddForce(scene->m.bodies[LINKS + 2], 30.0, 0.0, 100.0);
        dBodyEnable(scene->m.bodies[LINKS + 2]);
    }
}

static void update(Scene* scene) {
    steer(scene);
    PoiseStatus status = poise_rig_update(scene->m.rig, DT, NULL);
    cr_assert_geq(status, POISE_OK, "%s", poise_rig_message(scene->m.rig));
}

static void step_world(Scene* scene) {
    if (scene->m.own) {
        cr_assert_eq(poise_world_step(scene->m.own, DT), POISE_OK);
    } else if (scene->kind.quick_iterations > 0) {
        dWorldQuickStep(scene->m.world, DT);
    } else {
        dWorldStep(scene->m.world, DT);
    }
    scene->step++;
}

static void step(Scene* scene) {
    update(scene);
    step_world(scene);
}

static uint64_t mix(uint64_t hash, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (hash ^ bits) * 0x100000001b3;
}

// Hashes the bodies, their sleep, and the rig's readings of all joints.
static uint64_t hash_of(const Scene* scene) {
    uint64_t hash = poise_state_hash(scene->m.bodies, BODIES);
    for (int i = 0; i < BODIES; i++) {
        hash = mix(hash, dBodyIsEnabled(scene->m.bodies[i]));
    }
    for (int i = 0; i <= LINKS; i++) {
        PoiseJointReading reading;
        PoiseNodeId node = poise_tree_node(scene->m.tree, i);
        cr_assert_eq(poise_rig_read_joint(scene->m.rig, node, &reading), POISE_OK);
        for (int k = 0; k < POISE_MAX_NQ; k++) {
            hash = mix(mix(hash, reading.q[k]), reading.q_ik[k]);
        }
        hash = mix(mix(hash, reading.torque[0]), reading.torque[1]);
    }
    return hash;
}

static char* save(const Scene* scene, size_t* size) {
    *size = poise_snapshot_size(&scene->def);
    cr_assert_gt(*size, 0);
    char* memory = malloc(*size + 1);
    cr_assert_eq(poise_snapshot_save(&scene->def, memory + 1, *size), POISE_OK, "%s",
                 poise_rig_message(scene->m.rig));
    return memory;
}

static int sleepers(const Scene* scene) {
    int count = 0;
    for (int i = 0; i < BODIES; i++) {
        count += !dBodyIsEnabled(scene->m.bodies[i]);
    }
    return count;
}

// Runs a scene, and saves it after `before` steps, or between an update and its step. Continues
// from there in a fresh world, and again in the same world.
static void expect_same_hashes(Kind kind, int before, int after, bool between) {
    uint64_t* hashes = malloc((size_t)after * sizeof *hashes);
    Scene scene;
    open_scene(&scene, kind);
    for (int i = 0; i < before; i++) {
        step(&scene);
    }
    if (between) {
        update(&scene);
    }
    size_t size;
    char* memory = save(&scene, &size);
    const uint64_t then = hash_of(&scene);
    const long step_then = scene.step;
    for (int i = 0; i < after; i++) {
        if (i > 0 || !between) {
            update(&scene);
        }
        step_world(&scene);
        hashes[i] = hash_of(&scene);
    }
    cr_expect(!kind.sleepy || after < 900 || sleepers(&scene) > 0, "%s: none fell asleep",
              kind.name);
    Scene fresh;
    open_scene(&fresh, kind);
    cr_assert_neq(hash_of(&fresh), then, "it has moved");
    const long allocations = scene.m.host.allocations;
    Scene* const scenes[] = {&fresh, &scene};
    for (int s = 0; s < 2; s++) {
        Scene* again = scenes[s];
        cr_assert_eq(poise_snapshot_restore(&again->def, memory + 1, size), POISE_OK, "%s",
                     poise_rig_message(again->m.rig));
        cr_expect_eq(hash_of(again), then, "%s, world %d: at once", kind.name, s);
        again->step = step_then;
        for (int i = 0; i < after; i++) {
            if (i > 0 || !between) {
                update(again);
            }
            step_world(again);
            cr_assert_eq(hash_of(again), hashes[i], "%s, world %d: saved at %d, step %d after it",
                         kind.name, s, before, i);
        }
    }
    cr_expect_eq(scene.m.host.allocations, allocations, "a restore allocates");
    free(memory);
    free(hashes);
    close_scene(&fresh);
    close_scene(&scene);
}

Test(snapshot, both_worlds_go_on_bit_for_bit_from_any_moment) {
    static const struct {
        int before, after;
        bool between; ///< saved between the update and its step
    } rows[] = {{BEFORE, AFTER, false}, {1, 60, false},   {299, 60, false},
                {597, 60, false},       {895, 60, false}, {BEFORE, 200, true}};
    for (int k = 0; k < KIND_COUNT; k++) {
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            expect_same_hashes(KINDS[k], rows[i].before, rows[i].after, rows[i].between);
        }
    }
}

// Expects that a restore is refused with a message, and that nothing has changed.
static void expect_refused(Scene* scene, const PoiseSnapshotDef* def, const char* memory,
                           size_t size, const char* word) {
    const uint64_t hash = poise_state_hash(scene->m.bodies, BODIES);
    const uint64_t revision = poise_tree_revision(scene->m.tree);
    const char* problem = poise_snapshot_problem(def, memory, size);
    cr_expect(problem && strstr(problem, word), "%s: %s", word, problem ? problem : "no problem");
    cr_expect_lt(poise_snapshot_restore(def, memory, size), 0, "%s", word);
    cr_expect_eq(poise_state_hash(scene->m.bodies, BODIES), hash, "%s: nothing changed", word);
    cr_expect_eq(poise_tree_revision(scene->m.tree), revision, "%s: nothing changed", word);
}

Test(snapshot, states_of_other_objects_are_refused_by_name) {
    Scene scene;
    open_scene(&scene, KINDS[0]);
    for (int i = 0; i < 50; i++) {
        step(&scene);
    }
    size_t size;
    char* memory = save(&scene, &size);
    char* state = memory + 1;
    step(&scene);
    PoiseSnapshotDef def = scene.def;
    cr_expect_null(poise_snapshot_problem(&def, state, size));
    expect_refused(&scene, &def, NULL, size, "NULL");
    expect_refused(&scene, &def, state, 20, "too small");
    expect_refused(&scene, &def, state, size - 1, "damaged");
    for (size_t at = 0; at < size; at += 1 + size / 300) {
        state[at] ^= 16;
        expect_refused(&scene, &def, state, size, at < 8 ? "not filled" : "damaged");
        state[at] ^= 16;
    }
    def.body_count--;
    expect_refused(&scene, &def, state, size, "another number");
    def = scene.def;
    def.rig_count = 0;
    expect_refused(&scene, &def, state, size, "another number");
    def = scene.def;
    def.world = NULL;
    expect_refused(&scene, &def, state, size, "ours");
    def = scene.def;
    def.cookie = 0;
    expect_refused(&scene, &def, state, size, "poise_default_snapshot_def");
    cr_expect_eq(poise_snapshot_size(&def), 0);
    cr_expect_eq(poise_snapshot_size(NULL), 0);
    cr_expect_eq(poise_snapshot_save(&scene.def, state, size - 1), POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_eq(poise_snapshot_save(NULL, state, size), POISE_ERROR_INVALID_ARGUMENT);
    def = scene.def;
    def.body_count = -1;
    cr_expect_eq(poise_snapshot_save(&def, state, size), POISE_ERROR_INVALID_ARGUMENT);
    Scene other;
    open_scene(&other, KINDS[0]);
    def = scene.def;
    def.bodies = other.def.bodies;
    cr_expect_eq(poise_snapshot_save(&def, state, size), POISE_ERROR_FOREIGN_WORLD);
    // a rig that lacks one binding
    cr_assert_eq(poise_rig_unbind(other.m.rig, poise_tree_node(other.m.tree, 2)), POISE_OK);
    expect_refused(&other, &other.def, state, size, "other joints bound");
    free(memory);
    close_scene(&other);
    close_scene(&scene);
}

Test(snapshot, snapshots_of_destroyed_objects_are_refused) {
    Scene scene, other;
    open_scene(&other, KINDS[0]);
    open_scene(&scene, KINDS[0]);
    PoiseSnapshotDef def = scene.def;
    def.rigs = other.def.rigs;
    cr_expect_str_eq(poise_snapshot_problem(&def, NULL, 0), "a rig is of another world");
    close_scene(&other);
    close_scene(&scene);
    open_scene(&scene, KINDS[4]);
    step(&scene);
    size_t size;
    char* memory = save(&scene, &size);
    dBodyDestroy(scene.m.bodies[LINKS - 1]);
    cr_expect_eq(poise_snapshot_save(&scene.def, memory, size), POISE_ERROR_GONE);
    cr_expect_eq(poise_snapshot_restore(&scene.def, memory + 1, size), POISE_ERROR_GONE);
    dBodySetPosition(scene.m.bodies[LINKS], (double)NAN, 0.0, 0.0);
    scene.def.rig_count = 0;
    cr_expect_eq(poise_snapshot_save(&scene.def, memory, size), POISE_ERROR_INVALID_ARGUMENT);
    free(memory);
    close_scene(&scene);
}
