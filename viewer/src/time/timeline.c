// SPDX-License-Identifier: MIT
#include "timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

/// Frames of a track per second; largest number of frames: those of ten minutes.
static const double TRACK_RATE = 60.0;
enum { MAX_FRAMES = 36000 };
/// Time between two snapshots at the start of a run, s.
static const double MOMENT_TIME = 0.5;

// ------------------------------------------------------------------------------------------ tracks

static void track_finish(PoiseTrack* track) {
    free(track->poses);
    *track = (PoiseTrack){.stride = track->stride, .body_count = track->body_count};
}

static void track_start(PoiseTrack* track, const PoiseSimulation* simulation) {
    double frame = 1.0 / TRACK_RATE;
    long stride = lround(frame / poise_simulation_step_length(simulation));
    *track = (PoiseTrack){.body_count = poise_simulation_body_count(simulation),
                          .stride = stride > 1 ? stride : 1};
}

/// Adds a frame if the step is a multiple of the stride. The track ends if memory runs out or it
/// has its largest length.
static void track_add(PoiseTrack* track, const PoiseSimulation* simulation) {
    long step = poise_simulation_step_count(simulation);
    if (step % track->stride != 0 || step / track->stride != track->frame_count ||
        track->frame_count >= MAX_FRAMES) {
        return;
    }
    if (!poise__array_grow(&track->poses, track->frame_count, &track->frame_capacity,
                           (size_t)track->body_count * sizeof *track->poses)) {
        return;
    }
    float(*frame)[7] = track->poses + (size_t)track->frame_count * (size_t)track->body_count;
    for (int i = 0; i < track->body_count; i++) {
        PoisePose pose = poise_simulation_body(simulation, i).pose_world;
        const double numbers[7] = {pose.p.x, pose.p.y, pose.p.z, pose.q.x,
                                   pose.q.y, pose.q.z, pose.q.w};
        for (int k = 0; k < 7; k++) {
            frame[i][k] = (float)numbers[k];
        }
    }
    track->frame_count++;
}

static void track_copy(PoiseTrack* to, const PoiseTrack* from) {
    track_finish(to);
    size_t size = (size_t)from->frame_count * (size_t)from->body_count * sizeof *from->poses;
    *to = *from;
    to->poses = malloc(size + 1);
    to->frame_capacity = from->frame_count;
    if (to->poses && size > 0) {
        memcpy(to->poses, from->poses, size);
    } else {
        to->frame_count = 0;
        to->frame_capacity = to->poses ? to->frame_capacity : 0;
    }
}

// ----------------------------------------------------------------------------------------- moments

static void forget_moments_from(PoiseTimeline* timeline, int first) {
    for (int i = first; i < timeline->moment_count; i++) {
        free(timeline->moments[i].memory);
    }
    timeline->moment_count = first < timeline->moment_count ? first : timeline->moment_count;
}

/// Removes every other snapshot, which doubles the distance between the remaining ones.
static void thin_moments(PoiseTimeline* timeline) {
    int kept = 0;
    for (int i = 0; i < timeline->moment_count; i++) {
        if (i % 2 == 0) {
            timeline->moments[kept++] = timeline->moments[i];
        } else {
            free(timeline->moments[i].memory);
        }
    }
    timeline->moment_count = kept;
    timeline->moment_stride *= 2;
}

/// Saves a snapshot before the next step, if the step is a multiple of the stride and there is
/// memory.
static void keep_moment(PoiseTimeline* timeline) {
    PoiseSimulation* simulation = timeline->session->simulation;
    PoiseMoment moment = {.step = poise_simulation_step_count(simulation),
                          .log_done = timeline->log_done};
    int last = timeline->moment_count - 1;
    if (timeline->moment_stride <= 0 || moment.step % timeline->moment_stride != 0 ||
        (last >= 0 && timeline->moments[last].step >= moment.step)) {
        return;
    }
    moment.size = poise_simulation_snapshot_size(simulation);
    moment.memory = moment.size > 0 ? malloc(moment.size) : NULL;
    if (!moment.memory ||
        poise_simulation_snapshot_save(simulation, moment.memory, moment.size) < 0) {
        free(moment.memory);
        return;
    }
    timeline->moments[timeline->moment_count++] = moment;
    if (timeline->moment_count == POISE_TIMELINE_SNAPSHOTS) {
        thin_moments(timeline);
    }
}

/// Removes snapshots after `step`, and those with changes that were cut off, since they belong to
/// another run.
static void cut_moments(PoiseTimeline* timeline, long step) {
    int first = 0;
    while (first < timeline->moment_count && timeline->moments[first].step <= step &&
           timeline->moments[first].log_done <= timeline->log_done) {
        first++;
    }
    forget_moments_from(timeline, first);
}

// ----------------------------------------------------------------------------------------- the run

static long now_step(const PoiseTimeline* timeline) {
    return poise_simulation_step_count(timeline->session->simulation);
}

/// Records the state at each full second, or compares the state with the recorded one.
static void note_state(PoiseTimeline* timeline) {
    const PoiseSimulation* simulation = timeline->session->simulation;
    const long step = now_step(timeline);
    const long second = poise_replay_second(poise_simulation_step_length(simulation));
    const long index = step / second;
    if (step % second != 0 || index > timeline->state_count) {
        return;
    }
    const uint16_t mark = poise_replay_mark(simulation);
    if (index < timeline->state_count) {
        if (timeline->states[index] != mark && timeline->first_different == 0) {
            timeline->first_different = step > 0 ? step : 1;
        }
        return;
    }
    // if memory runs out, a replay lacks all later states
    if (poise__array_grow(&timeline->states, timeline->state_count, &timeline->state_capacity,
                          sizeof mark)) {
        timeline->states[timeline->state_count++] = mark;
    }
}

bool poise__timeline_init(PoiseTimeline* timeline, PoiseSession* session) {
    *timeline = (PoiseTimeline){.session = session};
    double length = poise_simulation_step_length(session->simulation);
    timeline->moment_stride = lround(fmax(1.0, MOMENT_TIME / length));
    track_start(&timeline->track, session->simulation);
    track_add(&timeline->track, session->simulation);
    note_state(timeline);
    return true;
}

static void cut_log(PoiseTimeline* timeline, int first) {
    for (int i = first; i < timeline->log_count; i++) {
        free(timeline->log[i].text);
        free(timeline->log[i].undo);
    }
    timeline->log_count = first < timeline->log_count ? first : timeline->log_count;
    timeline->log_done =
        timeline->log_done < timeline->log_count ? timeline->log_done : timeline->log_count;
    timeline->log_sealed =
        timeline->log_sealed < timeline->log_count ? timeline->log_sealed : timeline->log_count;
}

void poise__timeline_finish(PoiseTimeline* timeline) {
    forget_moments_from(timeline, 0);
    cut_log(timeline, 0);
    free(timeline->log);
    free(timeline->undone);
    free(timeline->states);
    track_finish(&timeline->track);
    track_finish(&timeline->ghost);
    *timeline = (PoiseTimeline){.session = NULL};
}

void poise__timeline_cut(PoiseTimeline* timeline, long step, int log_first) {
    if (timeline->end_step > 0) {
        track_copy(&timeline->ghost, &timeline->track);
        timeline->ghost_end = timeline->end_step;
    }
    // Removes the frames after `step`.
    PoiseTrack* track = &timeline->track;
    const long frames = step / track->stride + 1;
    track->frame_count = frames < track->frame_count ? (int)frames : track->frame_count;
    cut_log(timeline, log_first);
    cut_moments(timeline, step);
    // Removes the states after `step`.
    const long kept =
        step / poise_replay_second(poise_simulation_step_length(timeline->session->simulation)) + 1;
    timeline->state_count = kept < timeline->state_count ? (int)kept : timeline->state_count;
    timeline->end_step = step;
}

/// Cuts off the changes after the present step. The run with these changes becomes the ghost.
static void branch(PoiseTimeline* timeline) {
    long step = now_step(timeline);
    if (timeline->log_done == timeline->log_count && step == timeline->end_step) {
        return; // there is no future to cut off
    }
    poise__timeline_cut(timeline, step, timeline->log_done);
}

/// True for changes that set a value. The order of two of them does not matter, unless both set the
/// same value.
static bool sets_value(PoiseChangeKind kind) {
    return kind == POISE_CHANGE_HOLD || kind == POISE_CHANGE_TURN || kind == POISE_CHANGE_SET ||
           kind == POISE_CHANGE_POSE || kind == POISE_CHANGE_NATURAL;
}

/// Returns the entry of the log that the new one replaces, or NULL. A drag sets the same values
/// many times between two steps, and only the last ones have an effect.
static PoiseLogEntry* replaced(PoiseTimeline* timeline, const PoiseLogEntry* entry) {
    for (int i = timeline->log_count - 1; i >= timeline->log_sealed; i--) {
        PoiseLogEntry* old = &timeline->log[i];
        if (old->step != entry->step || !sets_value(old->change.kind)) {
            return NULL;
        }
        if (old->change.kind == entry->change.kind && old->change.index == entry->change.index) {
            return old;
        }
    }
    return NULL;
}

/// True if an earlier entry of the present edit sets the same value, so that its undo also undoes
/// this change.
static bool is_undone_before(const PoiseTimeline* timeline, const PoiseChange* change) {
    for (int i = timeline->log_done - 1; i >= 0 && timeline->log[i].edit == timeline->edit; i--) {
        const PoiseChange* old = &timeline->log[i].change;
        if (sets_value(change->kind) && old->kind == change->kind && old->index == change->index) {
            return true;
        }
    }
    return false;
}

/// Adds a change to the log. The entry becomes the owner of `undo`, which is freed if memory runs
/// out.
static bool add_to_log(PoiseTimeline* timeline, const PoiseChange* change, const char* words,
                       PoiseChange* undo) {
    PoiseLogEntry entry = {now_step(timeline), *change, strdup(words), timeline->edit, undo};
    if (!entry.text) {
        free(undo);
        return false;
    }
    PoiseLogEntry* old = replaced(timeline, &entry);
    if (old) {
        free(old->text);
        entry.undo = old->undo;
        *old = entry;
        return true;
    }
    if (!poise__array_grow(&timeline->log, timeline->log_count, &timeline->log_capacity,
                           sizeof entry)) {
        free(entry.text);
        free(undo);
        return false;
    }
    timeline->log[timeline->log_count++] = entry;
    timeline->log_done = timeline->log_count;
    return true;
}

int poise__timeline_change(PoiseTimeline* timeline, const PoiseChange* change) {
    char words[512];
    PoiseChange* undo = NULL;
    // prints the change first, because it may remove the point that it names
    poise__change_print(change, timeline->session->simulation, words);
    if (timeline->edit != 0 && !is_undone_before(timeline, change)) {
        undo = calloc(POISE_UNDO_CHANGES, sizeof *undo);
        if (!undo) {
            return POISE_ERROR_OUT_OF_MEMORY;
        }
        poise__change_undo(change, timeline->session->simulation, undo);
    }
    int result = poise_simulation_change(timeline->session->simulation, change);
    if (result < 0) {
        free(undo);
        return result;
    }
    if (undo && change->kind == POISE_CHANGE_ADD) {
        undo[0] = (PoiseChange){.kind = POISE_CHANGE_REMOVE, .index = result};
    }
    timeline->revision++;
    branch(timeline);
    return add_to_log(timeline, change, words, undo) ? result : POISE_ERROR_OUT_OF_MEMORY;
}

/// Applies the changes of the log that are due at this step. Returns the first error.
static PoiseStatus repeat_changes(PoiseTimeline* timeline) {
    int result = POISE_OK;
    while (result >= 0 && timeline->log_done < timeline->log_count &&
           timeline->log[timeline->log_done].step <= now_step(timeline)) {
        PoiseLogEntry* entry = &timeline->log[timeline->log_done++];
        if (!entry->text) {
            char words[512];
            poise__change_print(&entry->change, timeline->session->simulation, words);
            entry->text = strdup(words);
            if (!entry->text) {
                return POISE_ERROR_OUT_OF_MEMORY;
            }
        }
        result = poise_simulation_change(timeline->session->simulation, &entry->change);
    }
    return result < 0 ? (PoiseStatus)result : POISE_OK;
}

PoiseStatus poise__timeline_step(PoiseTimeline* timeline) {
    PoiseStatus status = repeat_changes(timeline);
    if (status < 0) {
        return status;
    }
    keep_moment(timeline);
    status = poise__session_step(timeline->session);
    long step = now_step(timeline);
    if (status >= 0) {
        track_add(&timeline->track, timeline->session->simulation);
        note_state(timeline);
    }
    timeline->end_step = step > timeline->end_step ? step : timeline->end_step;
    return status;
}

static bool run_to(PoiseTimeline* timeline, long step, PoiseNote* note) {
    PoiseStatus status = POISE_OK;
    while (status >= 0 && now_step(timeline) < step) {
        status = poise__timeline_step(timeline);
    }
    // the state at a step includes its changes
    status = status < 0 ? status : repeat_changes(timeline);
    if (status < 0) {
        const char* trouble = poise_simulation_trouble(timeline->session->simulation);
        return poise__note_fail(note, "%s", trouble[0] ? trouble : poise_status_name(status));
    }
    return true;
}

bool poise__timeline_restore(PoiseTimeline* timeline, long step, PoiseNote* note) {
    // finds the last snapshot at or before `step`
    const PoiseMoment* moment = NULL;
    for (int i = 0; i < timeline->moment_count && timeline->moments[i].step <= step; i++) {
        moment = &timeline->moments[i];
    }
    timeline->revision++;
    if (moment && poise_simulation_snapshot_restore(timeline->session->simulation, moment->memory,
                                                    moment->size) >= 0) {
        timeline->log_done = moment->log_done;
    } else if (poise__session_restart(timeline->session, note)) {
        timeline->log_done = 0;
    } else {
        return false;
    }
    return run_to(timeline, step, note);
}

bool poise__timeline_go(PoiseTimeline* timeline, long step, PoiseNote* note) {
    step = step < 0 ? 0 : step;
    bool back = step < now_step(timeline) ||
                poise_simulation_trouble(timeline->session->simulation)[0] != '\0';
    timeline->undone_count = back ? 0 : timeline->undone_count;
    return back ? poise__timeline_restore(timeline, step, note) : run_to(timeline, step, note);
}

bool poise__timeline_restart(PoiseTimeline* timeline, PoiseNote* note) {
    if (!poise__session_restart(timeline->session, note)) {
        return false;
    }
    timeline->edit = timeline->undone_count = 0;
    poise__timeline_cut(timeline, 0, 0);
    return true;
}

bool poise__timeline_ghost_pose(const PoiseTimeline* timeline, double time, int body,
                                PoisePose* pose) {
    const PoiseTrack* ghost = &timeline->ghost;
    double length = poise_simulation_step_length(timeline->session->simulation);
    double at = time / (length * (double)(ghost->stride > 0 ? ghost->stride : 1));
    int frame = (int)floor(at);
    if (timeline->ghost_end == 0 || body < 0 || body >= ghost->body_count || frame < 0 ||
        frame + 1 >= ghost->frame_count) {
        return false;
    }
    const float* a = ghost->poses[(size_t)frame * (size_t)ghost->body_count + (size_t)body];
    const float* b = ghost->poses[(size_t)(frame + 1) * (size_t)ghost->body_count + (size_t)body];
    double part = at - (double)frame;
    PoiseVec3 from = poise_vec3((double)a[0], (double)a[1], (double)a[2]);
    PoiseVec3 to = poise_vec3((double)b[0], (double)b[1], (double)b[2]);
    pose->p = poise_add_scaled(from, part, poise_sub(to, from));
    pose->q =
        poise_quat_slerp(poise_quat((double)a[6], (double)a[3], (double)a[4], (double)a[5]),
                         poise_quat((double)b[6], (double)b[3], (double)b[4], (double)b[5]), part);
    return true;
}
