// SPDX-License-Identifier: MIT
// A running scene as it is at one moment: the engine's snapshot of world and rig, and what the
// simulation itself keeps (goals in hands, added points, springs, the hand's pull).
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "poise/snapshot.h"
#include "simulation_internal.h"

/// What stands before the engine's part; after it come the points, then the springs.
typedef struct Head {
    uint64_t step_count;
    size_t engine_size;
    int point_count;
    int points_added;
    Pull pull;
    PoiseSolveDef solve;
    PoiseReference reference;
    bool gravity;
    bool failed;
    char trouble[200];
    dVector3 world_gravity;
} Head;

/// A point, and where it was added what its description is made of.
typedef struct SavedPoint {
    RunningPoint running; ///< without `scene`: an address means nothing elsewhere
    char name[sizeof((AddedPoint*)NULL)->name];
    int body;
    PoisePose in_body;
} SavedPoint;

static PoiseSnapshotDef engine_def(PoiseSimulation* simulation) {
    PoiseSnapshotDef def = poise_default_snapshot_def();
    def.world = simulation->world;
    def.bodies = simulation->moving;
    def.body_count = simulation->moving_count;
    def.rigs = &simulation->rig;
    def.rig_count = 1;
    return def;
}

static size_t springs_size(const PoiseSimulation* simulation) {
    return ((size_t)simulation->scene->joint_count + 1) * sizeof(RunningJoint);
}

size_t poise_simulation_snapshot_size(PoiseSimulation* simulation) {
    if (!simulation) {
        return 0;
    }
    PoiseSnapshotDef def = engine_def(simulation);
    size_t engine = poise_snapshot_size(&def);
    size_t points = (size_t)simulation->point_count * sizeof(SavedPoint);
    return engine > 0 ? sizeof(Head) + engine + points + springs_size(simulation) : 0;
}

static void save_points(const PoiseSimulation* simulation, unsigned char* memory) {
    for (int i = 0; i < simulation->point_count; i++) {
        SavedPoint saved;
        memset(&saved, 0, sizeof saved);
        saved.running = simulation->points[i];
        const PoiseScenePoint* scene = saved.running.scene;
        if (saved.running.added && !saved.running.removed) {
            strncpy(saved.name, scene->name, sizeof saved.name - 1);
            saved.body = scene->body;
            saved.in_body = scene->in_body;
        }
        saved.running.scene = NULL;
        memcpy(memory + (size_t)i * sizeof saved, &saved, sizeof saved);
    }
}

PoiseStatus poise_simulation_snapshot_save(PoiseSimulation* simulation, void* memory, size_t size) {
    if (!simulation || !memory || size < poise_simulation_snapshot_size(simulation)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    PoiseSnapshotDef def = engine_def(simulation);
    Head head;
    memset(&head, 0, sizeof head);
    head.step_count = simulation->step_count;
    head.engine_size = poise_snapshot_size(&def);
    head.point_count = simulation->point_count;
    head.points_added = simulation->points_added;
    head.pull = simulation->pull;
    head.solve = simulation->solve;
    head.reference = simulation->reference;
    head.gravity = simulation->gravity;
    head.failed = simulation->failed;
    memcpy(head.trouble, simulation->trouble, sizeof head.trouble);
    dWorldGetGravity(poise_world_ode(simulation->world), head.world_gravity);
    unsigned char* next = memory;
    memcpy(next, &head, sizeof head);
    next += sizeof head;
    PoiseStatus status = poise_snapshot_save(&def, next, head.engine_size);
    if (status < 0) {
        return status;
    }
    next += head.engine_size;
    save_points(simulation, next);
    next += (size_t)head.point_count * sizeof(SavedPoint);
    memcpy(next, simulation->running_joints, springs_size(simulation));
    return POISE_OK;
}

// ------------------------------------------------------------------------------------------ checks

// whether the bytes at these places are 0 or 1, before they are read as a bool
static bool are_flags(const unsigned char* part, const size_t* places, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (part[places[i]] > 1) {
            return false;
        }
    }
    return true;
}

static bool is_head(const PoiseSimulation* simulation, const Head* head, size_t size) {
    static const size_t flags[] = {offsetof(Head, gravity), offsetof(Head, failed),
                                   offsetof(Head, pull.active), offsetof(Head, solve.adaptive),
                                   offsetof(Head, solve.escape)};
    if (!are_flags((const unsigned char*)head, flags, sizeof flags / sizeof flags[0]) ||
        head->point_count < simulation->scene->point_count ||
        head->point_count > simulation->point_capacity || head->points_added < 0 ||
        head->pull.body < 0 || head->pull.body >= simulation->scene->body_count ||
        head->reference < POISE_REFERENCE_OWN || head->reference > POISE_REFERENCE_MEASURED ||
        poise_solve_def_problem(&head->solve)) {
        return false;
    }
    const size_t others =
        sizeof *head + (size_t)head->point_count * sizeof(SavedPoint) + springs_size(simulation);
    return others <= size && head->engine_size <= size - others &&
           memchr(head->trouble, '\0', sizeof head->trouble);
}

// whether the point may stand at the place: the scene's own first, then those that were added
static bool is_point(const PoiseSimulation* simulation, const unsigned char* memory, int place) {
    static const size_t flags[] = {
        offsetof(RunningPoint, has_position), offsetof(RunningPoint, has_orientation),
        offsetof(RunningPoint, pushes),       offsetof(RunningPoint, has_aim),
        offsetof(RunningPoint, framed),       offsetof(RunningPoint, held),
        offsetof(RunningPoint, turn_held),    offsetof(RunningPoint, enabled),
        offsetof(RunningPoint, has_force),    offsetof(RunningPoint, added),
        offsetof(RunningPoint, removed)};
    const unsigned char* part = memory + (size_t)place * sizeof(SavedPoint);
    if (!are_flags(part, flags, sizeof flags / sizeof flags[0])) {
        return false;
    }
    SavedPoint saved;
    memcpy(&saved, part, sizeof saved);
    const bool added = place >= simulation->scene->point_count;
    return saved.running.added == added && (added || !saved.running.removed) &&
           poise__point_may_be(&saved.running, added ? NULL : &simulation->scene->points[place]) &&
           saved.body >= 0 && saved.body < simulation->scene->body_count &&
           memchr(saved.name, '\0', sizeof saved.name);
}

// whether the memory holds a snapshot of the simulation, but for the engine's part
static bool is_snapshot(const PoiseSimulation* simulation, const void* memory, size_t size) {
    Head head;
    memcpy(&head, memory, sizeof head);
    if (!is_head(simulation, &head, size)) {
        return false;
    }
    const unsigned char* points = (const unsigned char*)memory + sizeof head + head.engine_size;
    for (int i = 0; i < head.point_count; i++) {
        if (!is_point(simulation, points, i)) {
            return false;
        }
    }
    return true;
}

// ----------------------------------------------------------------------------------------- restore

// descriptions for the points that were added then, before anything is changed; false without
// memory
static bool make_descriptions(const Head* head, const unsigned char* memory, AddedPoint** made) {
    for (int i = 0; i < head->point_count; i++) {
        SavedPoint saved;
        memcpy(&saved, memory + (size_t)i * sizeof saved, sizeof saved);
        if (!saved.running.added || saved.running.removed) {
            continue;
        }
        made[i] = poise__added_point(saved.name, saved.body, saved.in_body);
        if (!made[i]) {
            return false;
        }
    }
    return true;
}

static void restore_points(PoiseSimulation* simulation, const Head* head,
                           const unsigned char* memory, AddedPoint** made) {
    poise__simulation_drop_points(simulation);
    for (int i = 0; i < head->point_count; i++) {
        SavedPoint saved;
        memcpy(&saved, memory + (size_t)i * sizeof saved, sizeof saved);
        saved.running.scene = i < simulation->scene->point_count ? &simulation->scene->points[i]
                              : made[i]                          ? &made[i]->scene
                                                                 : NULL;
        simulation->points[i] = saved.running;
    }
    // those that came later wait to be used again: their number has gone with them
    simulation->point_count = head->point_count;
}

PoiseStatus poise_simulation_snapshot_restore(PoiseSimulation* simulation, const void* memory,
                                              size_t size) {
    Head head;
    if (!simulation || !memory || size < sizeof head || !is_snapshot(simulation, memory, size)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    memcpy(&head, memory, sizeof head);
    const unsigned char* engine = (const unsigned char*)memory + sizeof head;
    const unsigned char* points = engine + head.engine_size;
    PoiseSnapshotDef def = engine_def(simulation);
    AddedPoint** made = calloc((size_t)head.point_count + 1, sizeof *made);
    PoiseStatus status = POISE_ERROR_OUT_OF_MEMORY;
    if (made && make_descriptions(&head, points, made)) {
        status = poise_snapshot_restore(&def, engine, head.engine_size);
    }
    if (status < 0) {
        for (int i = 0; made && i < head.point_count; i++) {
            free(made[i]);
        }
        free(made);
        return status;
    }
    restore_points(simulation, &head, points, made);
    free(made);
    memcpy(simulation->running_joints, points + (size_t)head.point_count * sizeof(SavedPoint),
           springs_size(simulation));
    simulation->step_count = head.step_count;
    simulation->points_added = head.points_added;
    simulation->pull = head.pull;
    simulation->solve = head.solve;
    simulation->reference = head.reference;
    simulation->gravity = head.gravity;
    simulation->failed = head.failed;
    memcpy(simulation->trouble, head.trouble, sizeof simulation->trouble);
    // what is a setting of ODE's, or of the rig's as a whole, is no state to the engine
    dWorldSetGravity(poise_world_ode(simulation->world), head.world_gravity[0],
                     head.world_gravity[1], head.world_gravity[2]);
    (void)poise_rig_set_solve(simulation->rig, &head.solve);
    (void)poise_rig_set_reference(simulation->rig, head.reference);
    (void)poise_rig_set_gravity(simulation->rig, head.gravity);
    return POISE_OK;
}
