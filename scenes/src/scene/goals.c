// SPDX-License-Identifier: MIT
// Goals of control points: places and rotations over time, what is pointed at.
#include <math.h>
#include <string.h>

#include "builder.h"

// behind the name of a control point: where it should be
#define GOAL_OF ".goal"

static void set_polyline(Builder* builder, const PointSpec* spec, PlaceSpec* place,
                         PoisePlaceGoal* goal) {
    // a closed one comes back to its first place as its last
    int count = place->count + (place->closed ? 1 : 0);
    PoiseVec3* places = poise__arena_allocate(builder->arena, (size_t)count, sizeof *places);
    double* stations = poise__arena_allocate(builder->arena, (size_t)count, sizeof *stations);
    if (!places || !stations || place->count == 0) {
        return;
    }
    for (int i = 0; i < count; i++) {
        places[i] = place->places[i % place->count];
        stations[i] =
            i == 0 ? 0.0 : stations[i - 1] + poise_length(poise_sub(places[i], places[i - 1]));
    }
    if (!(stations[count - 1] > 0.0)) {
        poise__diagnose(builder->diagnostics, POISE_ERROR,
                        poise__value_mark(place->element, "polyline"),
                        "the polyline of '%.60s' has no length", spec->header.name);
    }
    goal->kind = POISE_GOAL_POLYLINE;
    goal->places = places;
    goal->stations = stations;
    goal->count = count;
    goal->repeat = place->closed;
    goal->speed = place->speed;
}

// The times of a path. One that is repeated gets its way back: a last leg to the first place, in
// the mean time of the legs.
typedef struct PathTimes {
    double* times; ///< NULL when memory is short
    int total;
    bool closes;
} PathTimes;

static PathTimes path_times(Builder* builder, const double* given, int count, bool closes) {
    PathTimes path = {NULL, count + (closes ? 1 : 0), closes};
    path.times = poise__arena_allocate(builder->arena, (size_t)path.total, sizeof *path.times);
    if (path.times) {
        memcpy(path.times, given, (size_t)count * sizeof *given);
    }
    if (path.times && closes) {
        double mean_leg = (given[count - 1] - given[0]) / (double)(count - 1);
        path.times[count] = given[count - 1] + mean_leg;
    }
    return path;
}

static void set_path(Builder* builder, PlaceSpec* place, PoisePlaceGoal* goal) {
    int count = place->count;
    if (count == 0) {
        return;
    }
    PoiseVec3 back = poise_sub(place->places[0], place->places[count - 1]);
    bool closes = place->repeat && count > 1 && poise_length(back) > 0.0;
    PathTimes path = path_times(builder, place->times, count, closes);
    PoiseVec3* places = poise__arena_allocate(builder->arena, (size_t)path.total, sizeof *places);
    if (!places || !path.times) {
        return;
    }
    memcpy(places, place->places, (size_t)count * sizeof *places);
    if (path.closes) {
        places[count] = place->places[0];
    }
    goal->kind = path.total > 1 ? POISE_GOAL_PATH : POISE_GOAL_FIXED;
    goal->places = places;
    goal->stations = path.times;
    goal->count = path.total;
    goal->between = place->between;
    goal->repeat = place->repeat && path.total > 1;
}

PoisePlaceGoal poise__build_place_goal(Builder* builder, PointSpec* spec) {
    const Schema* schema = &poise__place_schema;
    PlaceSpec* place = &spec->position;
    PoisePlaceGoal goal = {.kind = POISE_GOAL_NONE, .until = (double)INFINITY};
    if (!poise__schema_given(&poise__point_schema, spec, "position") || !place->element) {
        return goal;
    }
    goal.until = place->until;
    if (poise__schema_given(schema, place, "at")) {
        PoiseVec3* at = poise__arena_allocate(builder->arena, 1, sizeof *at);
        if (at) {
            *at = place->at;
            goal.kind = POISE_GOAL_FIXED;
            goal.places = at;
            goal.count = 1;
        }
    } else if (poise__schema_given(schema, place, "path")) {
        set_path(builder, place, &goal);
    } else if (poise__schema_given(schema, place, "polyline")) {
        set_polyline(builder, spec, place, &goal);
    } else if (poise__schema_given(schema, place, "circle")) {
        goal.kind = POISE_GOAL_CIRCLE;
        goal.centre = place->circle.centre;
        goal.normal = place->circle.normal;
        goal.start = place->circle.start;
        goal.radius = place->circle.radius;
        goal.period = place->circle.period;
    }
    return goal;
}

static void set_turn_path(Builder* builder, TurnSpec* turn, PoiseTurnGoal* goal) {
    int count = turn->count;
    if (count == 0) {
        return;
    }
    PoiseQuat back = poise_quat_mul(poise_quat_conjugate(turn->turns[count - 1]), turn->turns[0]);
    bool closes = turn->repeat && count > 1 && poise_length(poise_quat_log(back)) > 0.0;
    PathTimes path = path_times(builder, turn->times, count, closes);
    PoiseQuat* turns = poise__arena_allocate(builder->arena, (size_t)path.total, sizeof *turns);
    if (!turns || !path.times) {
        return;
    }
    memcpy(turns, turn->turns, (size_t)count * sizeof *turns);
    if (path.closes) {
        turns[count] = turn->turns[0];
    }
    goal->kind = path.total > 1 ? POISE_GOAL_PATH : POISE_GOAL_FIXED;
    goal->turns = turns;
    goal->stations = path.times;
    goal->count = path.total;
    goal->between = turn->between;
    goal->repeat = turn->repeat && path.total > 1;
}

static int find_point(const Builder* builder, const char* name, size_t length) {
    for (int i = 0; i < builder->spec->points.count; i++) {
        const char* other = builder->spec->points.items[i].header.name;
        if (strlen(other) == length && strncmp(other, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

// `hand`: where the point is; `hand.goal`: where it should be
static int find_looked_at(const Builder* builder, const char* name, bool* goal) {
    size_t length = strlen(name);
    int point = find_point(builder, name, length);
    *goal = point < 0 && length > strlen(GOAL_OF) &&
            strcmp(name + length - strlen(GOAL_OF), GOAL_OF) == 0;
    return *goal ? find_point(builder, name, length - strlen(GOAL_OF)) : point;
}

static void set_point_at(Builder* builder, const PointSpec* spec, PoiseTurnGoal* goal) {
    const TurnSpec* turn = &spec->orientation;
    PoiseMark mark = poise__value_mark(turn->element, "at");
    goal->kind = POISE_GOAL_AT;
    goal->at = find_looked_at(builder, turn->at, &goal->at_goal);
    const PointSpec* other = goal->at >= 0 ? &builder->spec->points.items[goal->at] : NULL;
    if (other == spec) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, mark,
                        "control point '%.60s' cannot look at itself", spec->header.name);
    } else if (other && goal->at_goal &&
               !poise__schema_given(&poise__point_schema, other, "position")) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, mark,
                        "control point '%.60s' has no 'position' whose goal could be looked at",
                        other->header.name);
    } else if (!other) {
        Suggestion suggestion = poise__suggestion(turn->at);
        for (int i = 0; i < builder->spec->points.count; i++) {
            poise__suggestion_offer(&suggestion, builder->spec->points.items[i].header.name);
        }
        char guess[160];
        poise__diagnose(builder->diagnostics, POISE_ERROR, mark,
                        "there is no control point '%.60s'%s", turn->at,
                        poise__suggestion_text(&suggestion, guess, sizeof guess));
    }
}

PoiseTurnGoal poise__build_turn_goal(Builder* builder, PointSpec* spec) {
    const Schema* schema = &poise__turn_schema;
    TurnSpec* turn = &spec->orientation;
    PoiseTurnGoal goal = {.kind = POISE_GOAL_NONE, .until = (double)INFINITY, .at = -1};
    if (!poise__schema_given(&poise__point_schema, spec, "orientation") || !turn->element) {
        return goal;
    }
    goal.until = turn->until;
    // written in the body's axes, kept in the point's
    goal.axis = poise_quat_unrotate(spec->rotation, turn->point);
    goal.along = turn->along;
    goal.place = turn->place;
    if (poise__schema_given(schema, turn, "quaternion")) {
        PoiseQuat* quaternion = poise__arena_allocate(builder->arena, 1, sizeof *quaternion);
        if (quaternion) {
            *quaternion = turn->quaternion;
            goal.kind = POISE_GOAL_FIXED;
            goal.turns = quaternion;
            goal.count = 1;
        }
    } else if (poise__schema_given(schema, turn, "path")) {
        set_turn_path(builder, turn, &goal);
    } else if (turn->has_place) {
        goal.kind = POISE_GOAL_AT_PLACE;
    } else if (turn->at) {
        set_point_at(builder, spec, &goal);
    } else {
        goal.kind = POISE_GOAL_ALONG;
    }
    return goal;
}
