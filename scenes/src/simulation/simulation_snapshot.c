// SPDX-License-Identifier: MIT
// Snapshot of a running scene: the engine's snapshot, then goals held by hands, added points,
// settings, natural postures and the hand's pull.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "poise/snapshot.h"
#include "running.h"

/// Header before the engine's part; points, settings and natural postures follow that part.
typedef struct Head {
    uint64_t step_count;
    size_t engine_size;
    int point_count;
    int points_added;
    Pull pull;
    bool failed;
    char trouble[200];
} Head;

static PoiseSnapshotDef engine_def(PoiseSimulation* simulation) {
    PoiseSnapshotDef def = poise_default_snapshot_def();
    def.world = simulation->world;
    def.bodies = simulation->moving;
    def.body_count = simulation->moving_count;
    def.rigs = &simulation->rig;
    def.rig_count = 1;
    return def;
}

static size_t naturals_size(const PoiseSimulation* simulation) {
    return (size_t)simulation->scene->joint_count * POISE_MAX_NQ * sizeof(double);
}

// Returns the size of a snapshot with `point_count` points, without the engine's part, bytes.
static size_t own_size(const PoiseSimulation* simulation, int point_count) {
    return sizeof(Head) + (size_t)point_count * sizeof(RunningPoint) +
           (size_t)poise__parameters_count(simulation, point_count) * sizeof(double) +
           naturals_size(simulation);
}

size_t poise_simulation_snapshot_size(PoiseSimulation* simulation) {
    if (!simulation) {
        return 0;
    }
    PoiseSnapshotDef def = engine_def(simulation);
    size_t engine = poise_snapshot_size(&def);
    return engine > 0 ? engine + own_size(simulation, simulation->point_count) : 0;
}

static void save_points(const PoiseSimulation* simulation, unsigned char* memory) {
    for (int i = 0; i < simulation->point_count; i++) {
        RunningPoint saved;
        memcpy(&saved, &simulation->points[i], sizeof saved);
        // The scene's definition has pointers, which are not saved: body and place suffice to
        // create an added point again.
        memset(&saved.scene, 0, sizeof saved.scene);
        saved.scene.body.index = simulation->points[i].scene.body.index;
        saved.scene.in_body = simulation->points[i].scene.in_body;
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
    head.failed = simulation->failed;
    memcpy(head.trouble, simulation->trouble, sizeof head.trouble);
    unsigned char* next = memory;
    memcpy(next, &head, sizeof head);
    next += sizeof head;
    PoiseStatus status = poise_snapshot_save(&def, next, head.engine_size);
    if (status < 0) {
        return status;
    }
    next += head.engine_size;
    save_points(simulation, next);
    next += (size_t)head.point_count * sizeof(RunningPoint);
    poise__parameters_save(simulation, next);
    next += (size_t)poise__parameters_count(simulation, head.point_count) * sizeof(double);
    for (int i = 0; i < simulation->scene->joint_count; i++) {
        const double* natural = simulation->running_joints[i].bind.natural;
        memcpy(next, natural, POISE_MAX_NQ * sizeof *natural);
        next += POISE_MAX_NQ * sizeof *natural;
    }
    return POISE_OK;
}

// ------------------------------------------------------------------------------------------ checks

// True if the bytes at these offsets are 0 or 1. Reading another byte as a bool is undefined.
static bool are_flags(const unsigned char* part, const size_t* places, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (part[places[i]] > 1) {
            return false;
        }
    }
    return true;
}

static bool is_head(const PoiseSimulation* simulation, const Head* head, size_t size) {
    static const size_t flags[] = {offsetof(Head, failed), offsetof(Head, pull.active)};
    if (!are_flags((const unsigned char*)head, flags, sizeof flags / sizeof flags[0]) ||
        head->point_count < simulation->scene->point_count ||
        head->point_count > simulation->point_capacity || head->points_added < 0 ||
        head->pull.body < 0 || head->pull.body >= simulation->scene->body_count) {
        return false;
    }
    const size_t own = own_size(simulation, head->point_count);
    return own <= size && head->engine_size <= size - own &&
           memchr(head->trouble, '\0', sizeof head->trouble);
}

// True if the saved point at index `place` is valid. Points of the scene come first, then added
// points.
static bool is_point(const PoiseSimulation* simulation, const unsigned char* memory, int place) {
    static const size_t flags[] = {
        offsetof(RunningPoint, has_position), offsetof(RunningPoint, has_orientation),
        offsetof(RunningPoint, pushes),       offsetof(RunningPoint, has_aim),
        offsetof(RunningPoint, held),         offsetof(RunningPoint, turn_held),
        offsetof(RunningPoint, moved),        offsetof(RunningPoint, has_force),
        offsetof(RunningPoint, added),        offsetof(RunningPoint, removed)};
    const unsigned char* part = memory + (size_t)place * sizeof(RunningPoint);
    if (!are_flags(part, flags, sizeof flags / sizeof flags[0])) {
        return false;
    }
    RunningPoint saved;
    memcpy(&saved, part, sizeof saved);
    const int body = saved.scene.body.index;
    const bool added = place >= simulation->scene->point_count;
    return saved.added == added && (added || !saved.removed) &&
           poise__point_may_be(&saved, added ? NULL : &simulation->scene->points[place]) &&
           body >= 0 && body < simulation->scene->body_count &&
           memchr(saved.added_name, '\0', sizeof saved.added_name);
}

// True if all numbers are finite; `memory` has the natural postures.
static bool are_naturals(const unsigned char* memory, size_t size) {
    bool finite = true;
    for (size_t i = 0; i < size; i += sizeof(double)) {
        double number;
        memcpy(&number, memory + i, sizeof number);
        finite = finite && isfinite(number);
    }
    return finite;
}

// True if the memory holds a snapshot of the simulation; the engine's part is not checked.
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
    const unsigned char* settings = points + (size_t)head.point_count * sizeof(RunningPoint);
    const size_t settings_size =
        (size_t)poise__parameters_count(simulation, head.point_count) * sizeof(double);
    return poise__parameters_may_be(simulation, head.point_count, settings) &&
           are_naturals(settings + settings_size, naturals_size(simulation));
}

// ----------------------------------------------------------------------------------------- restore

static void restore_points(PoiseSimulation* simulation, int count, const unsigned char* memory) {
    for (int i = 0; i < count; i++) {
        RunningPoint* point = &simulation->points[i];
        memcpy(point, memory + (size_t)i * sizeof *point, sizeof *point);
        point->scene = i < simulation->scene->point_count
                           ? simulation->scene->points[i]
                           : poise__added_point(point->scene.body.index, point->scene.in_body);
    }
    // Points added after the snapshot cease to exist; new points use their entries.
    simulation->point_count = count;
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
    const PoiseStatus status = poise_snapshot_restore(&def, engine, head.engine_size);
    if (status < 0) {
        return status;
    }
    restore_points(simulation, head.point_count, points);
    const unsigned char* settings = points + (size_t)head.point_count * sizeof(RunningPoint);
    // The engine has restored the rig's natural postures; here the scene's copies are restored.
    const unsigned char* naturals =
        settings + (size_t)poise__parameters_count(simulation, head.point_count) * sizeof(double);
    for (int i = 0; i < simulation->scene->joint_count; i++) {
        double* natural = simulation->running_joints[i].bind.natural;
        memcpy(natural, naturals + (size_t)i * POISE_MAX_NQ * sizeof *natural,
               POISE_MAX_NQ * sizeof *natural);
    }
    poise__parameters_restore(simulation, settings);
    simulation->step_count = head.step_count;
    simulation->points_added = head.points_added;
    simulation->pull = head.pull;
    simulation->failed = head.failed;
    memcpy(simulation->trouble, head.trouble, sizeof simulation->trouble);
    return POISE_OK;
}
