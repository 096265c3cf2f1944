// SPDX-License-Identifier: MIT
// Control points: what they are on, which joints serve them, what their goals are.
#include <math.h>
#include <string.h>

#include "build.h"

static PoiseMark mark_in(const PointSpec* spec, const char* key) {
    return poise__value_mark(spec->header.element, key);
}

// ----------------------------------------------------------------------------------------- uses

// whether the joint lies between the body and the base
static bool carries(const Builder* builder, int joint, int body) {
    // loops have no driven joints, so this ends
    while (body >= 0 && builder->bodies[body].joint >= 0) {
        int carrier = builder->bodies[body].joint;
        if (carrier == joint) {
            return true;
        }
        body = builder->joints[carrier].parent;
    }
    return false;
}

static bool add_use(PoiseScenePoint* point, int* joints, int joint) {
    for (int i = 0; i < point->joint_count; i++) {
        if (joints[i] == joint) {
            return false;
        }
    }
    joints[point->joint_count++] = joint;
    return true;
}

static int use_pattern(const Builder* builder, const char* pattern, PoiseScenePoint* point,
                       int* joints) {
    int fitting = 0;
    for (int i = 0; i < builder->joint_count; i++) {
        if (poise__pattern_fits(pattern, builder->joints[i].name) &&
            carries(builder, i, point->body)) {
            (void)add_use(point, joints, i);
            fitting++;
        }
    }
    return fitting;
}

static void refuse_use(Builder* builder, const Name* use) {
    if (poise__build_is_lost(builder, use->text)) {
        return;
    }
    for (int i = 0; i < builder->weld_count; i++) {
        if (strcmp(builder->welds[i], use->text) == 0) {
            poise__diagnose(builder->diagnostics, POISE_ERROR, use->mark,
                            "joint '%.60s' is fixed: it cannot move anything", use->text);
            return;
        }
    }
    Suggestion suggestion = poise__suggestion(use->text);
    for (int i = 0; i < builder->joint_count; i++) {
        poise__suggestion_offer_path(&suggestion, builder->joints[i].name);
    }
    char guess[160];
    poise__diagnose(builder->diagnostics, POISE_ERROR, use->mark, "there is no joint '%.60s'%s",
                    use->text, poise__suggestion_text(&suggestion, guess, sizeof guess));
}

// where a joint is lost it cannot be known what lies between the point and the base
static void refuse_carrier(Builder* builder, const Name* use, const PoiseScenePoint* point) {
    if (builder->lost_count == 0) {
        poise__diagnose(
            builder->diagnostics, POISE_ERROR, use->mark,
            "joint '%.60s' cannot move '%.60s': it does not lie between '%.60s' and the "
            "base",
            use->text, point->name, builder->bodies[point->body].name);
    }
}

static void use_name(Builder* builder, const Name* use, PoiseScenePoint* point, int* joints) {
    int joint = poise__build_find_joint(builder, use->text);
    if (joint < 0) {
        refuse_use(builder, use);
    } else if (!builder->joints[joint].driven) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, use->mark,
                        "joint '%.60s' closes a loop: IK does not move it", use->text);
    } else if (!carries(builder, joint, point->body)) {
        refuse_carrier(builder, use, point);
    } else {
        (void)add_use(point, joints, joint);
    }
}

static void resolve_uses(Builder* builder, const PointSpec* spec, PoiseScenePoint* point) {
    int* joints =
        poise__arena_allocate(builder->arena, (size_t)builder->joint_count, sizeof *joints);
    if (!joints) {
        return;
    }
    point->joints = joints;
    bool given = poise__schema_given(&poise__point_schema, spec, "uses");
    if (!given) {
        (void)use_pattern(builder, "*", point, joints);
    }
    for (int i = 0; i < spec->uses.count; i++) {
        const Name* use = &spec->uses.items[i];
        if (!poise__pattern_is(use->text)) {
            use_name(builder, use, point, joints);
        } else if (use_pattern(builder, use->text, point, joints) == 0 &&
                   builder->lost_count == 0) {
            poise__diagnose(builder->diagnostics, POISE_ERROR, use->mark,
                            "no joint that fits '%.60s' can move '%.60s'", use->text, point->name);
        }
    }
    bool empty = point->joint_count == 0 && spec->uses.count == 0;
    if (empty && builder->lost_count == 0 && !spec->header.broken) {
        poise__diagnose(builder->diagnostics, POISE_ERROR,
                        given ? mark_in(spec, "uses") : spec->header.mark,
                        "no joint can move control point '%.60s'", point->name);
    }
}

// ---------------------------------------------------------------------------------------- goals

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

// a repeated path gets its way back: a last leg to the first place, in the mean time of the legs
static double mean_leg(const double* times, int count) {
    return count > 1 ? (times[count - 1] - times[0]) / (double)(count - 1) : 0.0;
}

static void set_path(Builder* builder, PlaceSpec* place, PoisePlaceGoal* goal) {
    int count = place->count;
    if (count == 0) {
        return;
    }
    PoiseVec3 back = poise_sub(place->places[0], place->places[count - 1]);
    bool closes = place->repeat && count > 1 && poise_length(back) > 0.0;
    int total = count + (closes ? 1 : 0);
    PoiseVec3* places = poise__arena_allocate(builder->arena, (size_t)total, sizeof *places);
    double* times = poise__arena_allocate(builder->arena, (size_t)total, sizeof *times);
    if (!places || !times) {
        return;
    }
    memcpy(places, place->places, (size_t)count * sizeof *places);
    memcpy(times, place->times, (size_t)count * sizeof *times);
    if (closes) {
        places[count] = place->places[0];
        times[count] = times[count - 1] + mean_leg(times, count);
    }
    goal->kind = total > 1 ? POISE_GOAL_PATH : POISE_GOAL_FIXED;
    goal->places = places;
    goal->stations = times;
    goal->count = total;
    goal->between = place->between;
    goal->repeat = place->repeat && total > 1;
}

static PoisePlaceGoal place_goal(Builder* builder, PointSpec* spec) {
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
    int total = count + (closes ? 1 : 0);
    PoiseQuat* turns = poise__arena_allocate(builder->arena, (size_t)total, sizeof *turns);
    double* times = poise__arena_allocate(builder->arena, (size_t)total, sizeof *times);
    if (!turns || !times) {
        return;
    }
    memcpy(turns, turn->turns, (size_t)count * sizeof *turns);
    memcpy(times, turn->times, (size_t)count * sizeof *times);
    if (closes) {
        turns[count] = turn->turns[0];
        times[count] = times[count - 1] + mean_leg(times, count);
    }
    goal->kind = total > 1 ? POISE_GOAL_PATH : POISE_GOAL_FIXED;
    goal->turns = turns;
    goal->stations = times;
    goal->count = total;
    goal->between = turn->between;
    goal->repeat = turn->repeat && total > 1;
}

static int find_point(const Builder* builder, const char* name) {
    for (int i = 0; i < builder->spec->points.count; i++) {
        if (strcmp(builder->spec->points.items[i].header.name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static void set_point_at(Builder* builder, const PointSpec* spec, PoiseTurnGoal* goal) {
    const TurnSpec* turn = &spec->orientation;
    PoiseMark mark = poise__value_mark(turn->element, "at");
    goal->kind = POISE_GOAL_AT;
    goal->at = find_point(builder, turn->at);
    if (goal->at >= 0 && &builder->spec->points.items[goal->at] == spec) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, mark,
                        "control point '%.60s' cannot look at itself", spec->header.name);
    } else if (goal->at < 0) {
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

static PoiseTurnGoal turn_goal(Builder* builder, PointSpec* spec) {
    const Schema* schema = &poise__turn_schema;
    TurnSpec* turn = &spec->orientation;
    PoiseTurnGoal goal = {.kind = POISE_GOAL_NONE, .until = (double)INFINITY, .at = -1};
    if (!poise__schema_given(&poise__point_schema, spec, "orientation") || !turn->element) {
        return goal;
    }
    goal.until = turn->until;
    goal.axis = turn->point;
    goal.along = turn->along;
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
    } else if (turn->at) {
        set_point_at(builder, spec, &goal);
    } else {
        goal.kind = POISE_GOAL_ALONG;
    }
    return goal;
}

// --------------------------------------------------------------------------------------- points

static void note_later(Builder* builder, const PointSpec* spec, const PoiseScenePoint* point) {
    PoiseDiagnostics* diagnostics = builder->diagnostics;
    if (point->orientation.kind == POISE_GOAL_ALONG || point->orientation.kind == POISE_GOAL_AT) {
        poise__diagnose(diagnostics, POISE_NOTE, mark_in(spec, "orientation"),
                        "pointing an axis, as '%.60s' does, is not carried out yet", point->name);
    }
    if (point->has_force) {
        poise__diagnose(diagnostics, POISE_NOTE, mark_in(spec, "force"),
                        "the force of '%.60s' is not carried out yet", point->name);
    }
    if (point->priority != 0) {
        poise__diagnose(diagnostics, POISE_NOTE, mark_in(spec, "priority"),
                        "the priority of '%.60s' is not carried out yet", point->name);
    }
}

static void check_has_goal(Builder* builder, const PointSpec* spec) {
    const Schema* schema = &poise__point_schema;
    if (!poise__schema_given(schema, spec, "position") &&
        !poise__schema_given(schema, spec, "orientation") &&
        !poise__schema_given(schema, spec, "force")) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, spec->header.mark,
                        "control point '%.60s' wants nothing: give it a 'position' or an "
                        "'orientation'",
                        spec->header.name);
    }
    if (poise__schema_given(schema, spec, "force") &&
        !poise__schema_given(&poise__force_schema, &spec->force, "push") &&
        !poise__schema_given(&poise__force_schema, &spec->force, "torque")) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, mark_in(spec, "force"),
                        "a force needs 'push' or 'torque'");
    }
}

static void build_point(Builder* builder, PointSpec* spec, PoiseScenePoint* point) {
    PoisePose own = poise_pose(spec->at, spec->rotation);
    point->name = spec->header.name;
    point->mark = spec->header.mark;
    point->body = -1;
    point->weight = spec->weight;
    point->priority = spec->priority;
    point->enabled = spec->enabled;
    point->has_force = poise__schema_given(&poise__point_schema, spec, "force");
    point->force = spec->force.push;
    point->torque = spec->force.torque;
    point->force_after = spec->force.after;
    if (!spec->header.broken) {
        check_has_goal(builder, spec);
        point->position = place_goal(builder, spec);
        point->orientation = turn_goal(builder, spec);
    }
    int frame =
        spec->body ? poise__build_need_frame(builder, spec->body, mark_in(spec, "body")) : -1;
    if (frame >= 0) {
        point->body = builder->frames[frame].body;
        point->in_body = poise_pose_mul(builder->frames[frame].in_body, own);
        resolve_uses(builder, spec, point);
    }
    note_later(builder, spec, point);
}

void poise__build_points(Builder* builder) {
    int count = builder->spec->points.count;
    builder->points = poise__arena_allocate(builder->arena, (size_t)count, sizeof *builder->points);
    for (int i = 0; builder->points && i < count; i++) {
        PointSpec* spec = &builder->spec->points.items[i];
        int origin = spec->header.mirrored_from - 1;
        bool mute = origin >= 0 && builder->spec->points.items[origin].header.broken;
        Silence silence = poise__build_begin(builder, &spec->header, mute);
        build_point(builder, spec, &builder->points[i]);
        poise__build_end(builder, &silence);
        builder->point_count++;
    }
}
