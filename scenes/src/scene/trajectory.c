// SPDX-License-Identifier: MIT
// Computes a goal and its velocity at a time, as pure functions.
#include <math.h>

#include "number.h"
#include "poise/scene.h"

// Maps the time of a repeated path to its first round.
static double fold(double time, double first, double last) {
    double round = last - first;
    if (time <= last || !(round > 0.0)) {
        return time;
    }
    double folded = first + fmod(time - first, round);
    // The end of a round is the start of the next round.
    return folded >= last ? first : folded;
}

// Returns the index of the leg that contains the value: 0 .. count - 2.
static int find_leg(const double* stations, int count, double value) {
    int low = 0;
    int high = count - 2;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (stations[middle] <= value) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

// A position on a path: the leg, the part of the leg (0..1), and the leg's duration, s.
typedef struct Progress {
    int leg;
    double part;
    double duration;
    bool moving; ///< False before the first and after the last station
} Progress;

static Progress find_progress(const double* times, int count, bool repeat, double time) {
    double first = times[0];
    double last = times[count - 1];
    if (repeat) {
        time = fold(time, first, last);
    }
    Progress progress = {0, 0.0, times[1] - times[0], false};
    if (time < first) {
        return progress;
    }
    progress.leg = find_leg(times, count, time);
    progress.duration = times[progress.leg + 1] - times[progress.leg];
    progress.part = (time - times[progress.leg]) / progress.duration;
    progress.moving = time < last;
    if (!progress.moving) {
        progress.part = 1.0;
    }
    return progress;
}

// --------------------------------------------------------------------------------------- places

// Returns the velocity at a station of a smooth path, m/s: the derivative of the parabola through
// the station and its neighbours. 0 at the ends of a path that does not repeat.
static PoiseVec3 station_velocity(const PoisePositionGoal* goal, int station) {
    int last = goal->count - 1;
    // A repeated path ends at its first place.
    bool closed = goal->repeat;
    PoiseVec3 zero = {0.0, 0.0, 0.0};
    if ((station == 0 || station == last) && (!closed || last < 2)) {
        return zero;
    }
    int before = station == 0 ? last - 1 : station - 1;
    int after = station == last ? 1 : station + 1;
    int start = station == 0 ? last : station;
    int from = station == last ? 0 : station;
    double h0 = goal->stations[start] - goal->stations[before];
    double h1 = goal->stations[after] - goal->stations[from];
    PoiseVec3 v0 = poise_scale(1.0 / h0, poise_sub(goal->places[start], goal->places[before]));
    PoiseVec3 v1 = poise_scale(1.0 / h1, poise_sub(goal->places[after], goal->places[from]));
    return poise_scale(1.0 / (h0 + h1), poise_add_scaled(poise_scale(h1, v0), h0, v1));
}

// Interpolates between two stations by a cubic with given velocities (Hermite).
static PoiseVec3 smooth_place(const PoisePositionGoal* goal, Progress progress,
                              PoiseVec3* velocity) {
    PoiseVec3 a = goal->places[progress.leg];
    PoiseVec3 b = goal->places[progress.leg + 1];
    double h = progress.duration;
    PoiseVec3 m0 = poise_scale(h, station_velocity(goal, progress.leg));
    PoiseVec3 m1 = poise_scale(h, station_velocity(goal, progress.leg + 1));
    double s = progress.part;
    PoiseVec3 ab = poise_sub(b, a);
    PoiseVec3 place = poise_add_scaled(a, s * s * (3.0 - 2.0 * s), ab);
    place = poise_add_scaled(place, s * (1.0 - s) * (1.0 - s), m0);
    place = poise_add_scaled(place, s * s * (s - 1.0), m1);
    PoiseVec3 rate = poise_scale(6.0 * s * (1.0 - s), ab);
    rate = poise_add_scaled(rate, (1.0 - s) * (1.0 - 3.0 * s), m0);
    rate = poise_add_scaled(rate, s * (3.0 * s - 2.0), m1);
    *velocity = progress.moving ? poise_scale(1.0 / h, rate) : poise_vec3(0.0, 0.0, 0.0);
    return place;
}

static PoiseVec3 path_place(const PoisePositionGoal* goal, double time, PoiseVec3* velocity) {
    Progress progress = find_progress(goal->stations, goal->count, goal->repeat, time);
    PoiseVec3 a = goal->places[progress.leg];
    PoiseVec3 b = goal->places[progress.leg + 1];
    *velocity = poise_vec3(0.0, 0.0, 0.0);
    switch (goal->between) {
    case POISE_BETWEEN_HOLD:
        return progress.part < 1.0 ? a : b;
    case POISE_BETWEEN_SMOOTH:
        return smooth_place(goal, progress, velocity);
    case POISE_BETWEEN_STRAIGHT:
        break;
    }
    if (progress.moving) {
        *velocity = poise_scale(1.0 / progress.duration, poise_sub(b, a));
    }
    return poise_add_scaled(a, progress.part, poise_sub(b, a));
}

static PoiseVec3 polyline_place(const PoisePositionGoal* goal, double time, PoiseVec3* velocity) {
    double length = goal->stations[goal->count - 1];
    double arc = goal->speed * time;
    *velocity = poise_vec3(0.0, 0.0, 0.0);
    if (!(length > 0.0) || (!goal->repeat && arc >= length)) {
        return goal->places[goal->count - 1];
    }
    arc = fmod(arc, length);
    int leg = find_leg(goal->stations, goal->count, arc);
    PoiseVec3 ab = poise_sub(goal->places[leg + 1], goal->places[leg]);
    double leg_length = goal->stations[leg + 1] - goal->stations[leg];
    if (!(leg_length > 0.0)) {
        return goal->places[leg];
    }
    *velocity = poise_scale(goal->speed / leg_length, ab);
    return poise_add_scaled(goal->places[leg], (arc - goal->stations[leg]) / leg_length, ab);
}

static PoiseVec3 circle_place(const PoisePositionGoal* goal, double time, PoiseVec3* velocity) {
    double rate = 2.0 * PI / goal->period;
    const PoiseSinCos turn = poise_sincos(2.0 * PI * fmod(time / goal->period, 1.0));
    PoiseVec3 ahead = poise_cross(goal->normal, goal->start);
    PoiseVec3 out = poise_add_scaled(poise_scale(turn.cosine, goal->start), turn.sine, ahead);
    PoiseVec3 along = poise_add_scaled(poise_scale(-turn.sine, goal->start), turn.cosine, ahead);
    *velocity = poise_scale(rate * goal->radius, along);
    return poise_add_scaled(goal->centre, goal->radius, out);
}

PoiseVec3 poise_position_goal_at(const PoisePositionGoal* goal, double time, PoiseVec3* velocity) {
    PoiseVec3 rate = {0.0, 0.0, 0.0};
    PoiseVec3 place = {0.0, 0.0, 0.0};
    const bool has_places = goal && goal->places && goal->count > 0;
    switch (goal && (has_places || goal->kind == POISE_GOAL_CIRCLE) ? goal->kind
                                                                    : POISE_GOAL_NONE) {
    case POISE_GOAL_FIXED:
        place = goal->places[0];
        break;
    case POISE_GOAL_PATH:
        place = path_place(goal, time, &rate);
        break;
    case POISE_GOAL_POLYLINE:
        place = polyline_place(goal, time, &rate);
        break;
    case POISE_GOAL_CIRCLE:
        place = circle_place(goal, time, &rate);
        break;
    case POISE_GOAL_NONE:
    case POISE_GOAL_ALONG:
    case POISE_GOAL_AT:
    case POISE_GOAL_AT_PLACE:
        break;
    }
    if (velocity) {
        *velocity = rate;
    }
    return place;
}

// ---------------------------------------------------------------------------------- orientations

static PoiseQuat path_turn(const PoiseOrientationGoal* goal, double time, PoiseVec3* velocity) {
    Progress progress = find_progress(goal->stations, goal->count, goal->repeat, time);
    PoiseQuat a = goal->rotations[progress.leg];
    PoiseQuat b = goal->rotations[progress.leg + 1];
    double part = progress.part;
    double rate = 1.0;
    *velocity = poise_vec3(0.0, 0.0, 0.0);
    if (goal->between == POISE_BETWEEN_HOLD) {
        return part < 1.0 ? a : b;
    }
    if (goal->between == POISE_BETWEEN_SMOOTH) {
        // s(t) = 3 t^2 - 2 t^3: the angular velocity is 0 at each station.
        rate = 6.0 * part * (1.0 - part);
        part = part * part * (3.0 - 2.0 * part);
    }
    // Rotation and velocity use the same rotation vector, so that half a turn has one direction.
    PoiseVec3 turn = poise_quat_log(poise_quat_mul(b, poise_quat_conjugate(a)));
    if (progress.moving) {
        *velocity = poise_scale(rate / progress.duration, turn);
    }
    return poise_quat_mul(poise_quat_exp(poise_scale(part, turn)), a);
}

PoiseQuat poise_orientation_goal_at(const PoiseOrientationGoal* goal, double time,
                                    PoiseVec3* velocity) {
    PoiseVec3 rate = {0.0, 0.0, 0.0};
    PoiseQuat turn = poise_quat_identity();
    const bool has_turns = goal && goal->rotations && goal->count > 0;
    if (has_turns && goal->kind == POISE_GOAL_FIXED) {
        turn = goal->rotations[0];
    } else if (has_turns && goal->kind == POISE_GOAL_PATH) {
        turn = path_turn(goal, time, &rate);
    }
    if (velocity) {
        *velocity = rate;
    }
    return turn;
}
