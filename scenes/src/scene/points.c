// SPDX-License-Identifier: MIT
// Resolves the bodies, joints and goals of control points, and checks that they fit together.
#include <math.h>
#include <string.h>

#include "builder.h"

// ----------------------------------------------------------------------------------------- uses

bool poise__build_carries(const Builder* builder, int body, int other) {
    while (other >= 0 && other != body) {
        other = poise__build_parent(builder, other);
    }
    return other == body;
}

bool* poise__build_outward(const Builder* builder, int root) {
    enum { UNKNOWN, OUTWARD, ELSEWHERE };
    const size_t count = (size_t)builder->body_count;
    bool* outward = poise__arena_allocate(builder->arena, count, sizeof *outward);
    unsigned char* sides = poise__arena_allocate(builder->arena, count, sizeof *sides);
    if (!outward || !sides) {
        return NULL;
    }
    sides[root] = OUTWARD;
    for (int i = 0; i < builder->body_count; i++) {
        int end = i;
        while (end >= 0 && sides[end] == UNKNOWN) {
            end = poise__build_parent(builder, end);
        }
        const unsigned char side = end >= 0 ? sides[end] : ELSEWHERE;
        for (int body = i; body != end; body = poise__build_parent(builder, body)) {
            sides[body] = side;
        }
        outward[i] = side == OUTWARD;
    }
    return outward;
}

// Inverts the mark of each joint on the path from the body to the base: a joint on two such paths
// is unmarked.
static void invert_carriers(const Builder* builder, int body, bool* marks) {
    const PoiseSceneJoint* joint;
    for (; (joint = poise__build_carrier(builder, body)); body = joint->parent.index) {
        marks[joint - builder->joints] = !marks[joint - builder->joints];
    }
}

// The joints that can move a point, and those that the scene lets it use.
typedef struct Uses {
    PoiseScenePoint* point;
    int* joints; ///< indices of the joints that the point uses
    bool* moves; ///< true for each joint that moves the point
    bool* used;  ///< true for each joint that the point uses
} Uses;

// Fills `moves`. A joint moves the point relative to its goal if it carries either the point's body
// or the body of the goal's frame. A centre of mass also moves with joints farther out.
static bool open_uses(const Builder* builder, PoiseScenePoint* point, Uses* uses) {
    const size_t count = (size_t)builder->joint_count;
    *uses = (Uses){.point = point,
                   .joints = poise__arena_allocate(builder->arena, count, sizeof *uses->joints),
                   .moves = poise__arena_allocate(builder->arena, count, sizeof *uses->moves),
                   .used = poise__arena_allocate(builder->arena, count, sizeof *uses->used)};
    if (!uses->joints || !uses->moves || !uses->used) {
        return false;
    }
    point->joints = uses->joints;
    invert_carriers(builder, point->body.index, uses->moves);
    if (point->frame.index >= 0) {
        invert_carriers(builder, point->frame.index, uses->moves);
    }
    const bool farther = point->com && point->frame.index < 0 && point->body.index >= 0;
    const bool* outward = farther ? poise__build_outward(builder, point->body.index) : NULL;
    for (int i = 0; outward && i < builder->joint_count; i++) {
        const PoiseSceneJoint* joint = &builder->joints[i];
        uses->moves[i] = uses->moves[i] || (joint->driven && outward[joint->child.index]);
    }
    return !farther || outward;
}

static void add_use(Uses* uses, int joint) {
    if (!uses->used[joint]) {
        uses->used[joint] = true;
        uses->joints[uses->point->joint_count++] = joint;
    }
}

static int use_pattern(const Builder* builder, const char* pattern, Uses* uses) {
    int fitting = 0;
    for (int i = 0; i < builder->joint_count; i++) {
        if (uses->moves[i] && poise__pattern_fits(pattern, builder->joints[i].name)) {
            add_use(uses, i);
            fitting++;
        }
    }
    return fitting;
}

static void refuse_use(Builder* builder, const PoiseRef* use) {
    if (poise__build_is_lost(builder, use->name)) {
        return;
    }
    for (int i = 0; i < builder->weld_count; i++) {
        if (strcmp(builder->welds[i], use->name) == 0) {
            REFUSE(builder, use->mark, "joint '%.60s' is fixed: it cannot move anything",
                   use->name);
            return;
        }
    }
    Suggestion suggestion = poise__suggestion_for(builder->diagnostics, use->name);
    for (int i = 0; i < builder->joint_count; i++) {
        poise__suggestion_offer_path(&suggestion, builder->joints[i].name);
    }
    char guess[160];
    REFUSE(builder, use->mark, "there is no joint '%.60s'%s", use->name,
           poise__suggestion_text(&suggestion, guess, sizeof guess));
}

// Reports a pattern that matches none of the joints that can move the point.
static void refuse_pattern(Builder* builder, const PoiseRef* use, const PoiseScenePoint* point) {
    char guess[160];
    const JointNames all = {0, 0};
    if (poise__build_fits_any(builder, use->name, all)) {
        REFUSE(builder, use->mark, "no joint that fits '%.60s' can move '%.60s'", use->name,
               point->name);
        return;
    }
    REFUSE(builder, use->mark, "no joint fits '%.60s'%s", use->name,
           poise__build_guess_pattern(builder, use->name, all, guess, sizeof guess));
}

// Reports a joint that does not lie between the point and the base. Reports nothing if some joint
// could not be read, since this joint may then lie there.
static void refuse_carrier(Builder* builder, const PoiseRef* use, const PoiseScenePoint* point) {
    if (builder->lost_count == 0) {
        const char* base =
            point->frame.index >= 0 ? builder->bodies[point->frame.index].name : "the base";
        REFUSE(builder, use->mark,
               "joint '%.60s' cannot move '%.60s': it does not lie between '%.60s' and "
               "%.60s%s",
               use->name, point->name, builder->bodies[point->body.index].name, base,
               point->com ? ", nor farther out" : "");
    }
}

static void use_name(Builder* builder, const PoiseRef* use, Uses* uses) {
    int joint = poise__build_find_joint(builder, use->name);
    if (joint < 0) {
        refuse_use(builder, use);
    } else if (!builder->joints[joint].driven) {
        REFUSE(builder, use->mark, "joint '%.60s' closes a loop: it follows the others", use->name);
    } else if (!uses->moves[joint]) {
        refuse_carrier(builder, use, uses->point);
    } else {
        add_use(uses, joint);
    }
}

static void resolve_uses(Builder* builder, const Header* header, PoiseScenePoint* point) {
    Uses uses;
    if (!open_uses(builder, point, &uses)) {
        return;
    }
    bool given = poise__is_written(header->element, "uses");
    if (!given) {
        (void)use_pattern(builder, "*", &uses);
    }
    for (int i = 0; i < point->uses.count; i++) {
        const PoiseRef* use = &point->uses.items[i];
        if (!poise__pattern_is(use->name)) {
            use_name(builder, use, &uses);
        } else if (use_pattern(builder, use->name, &uses) == 0 && builder->lost_count == 0) {
            refuse_pattern(builder, use, point);
        }
    }
    bool empty = point->joint_count == 0 && point->uses.count == 0;
    if (empty && builder->lost_count == 0 && !header->broken) {
        REFUSE(builder, given ? poise__value_mark(header->element, "uses") : header->mark,
               "no joint can move control point '%.60s'", point->name);
    }
}

// Reports a centre of mass whose body no joint carries.
static void check_com(Builder* builder, const PoiseScenePoint* point) {
    if (point->com && builder->bodies[point->body.index].joint < 0 && builder->lost_count == 0) {
        REFUSE(builder, point->body.mark,
               "the centre of mass of '%.60s' and what hangs on it: no joint carries it; "
               "name a body that one does",
               builder->bodies[point->body.index].name);
    }
}

// Reports a point with a goal in another body's frame if no joint carries the point's body.
static void check_carried(Builder* builder, const PoiseScenePoint* point) {
    if (point->frame.index >= 0 && builder->bodies[point->body.index].joint < 0 &&
        builder->lost_count == 0) {
        REFUSE(builder, point->body.mark,
               "no joint carries '%.60s': name it as the 'frame', and the other body as "
               "the 'body'",
               builder->bodies[point->body.index].name);
    }
}

// True if the driven joint nearest to the world, on the path to the body, is a floating base.
static bool floats(const Builder* builder, int body) {
    while (poise__build_carrier(builder, poise__build_parent(builder, body))) {
        body = poise__build_parent(builder, body);
    }
    const PoiseSceneJoint* joint = poise__build_carrier(builder, body);
    return joint && poise_kind_floats(joint->kind);
}

static void check_stance(Builder* builder, const Header* header, const PoiseScenePoint* point) {
    const char* wrong = NULL;
    if (point->stance > 0.0 && (point->com || point->position.kind != POISE_GOAL_FIXED)) {
        wrong = "a point with a 'stance' stands at a place: give it a 'position' that stays";
    } else if (point->stance > 0.0 && builder->lost_count == 0 &&
               !floats(builder, point->body.index)) {
        wrong = "a 'stance' carries a floating base, and this point's body hangs on none: see "
                "'floating' of joints";
    }
    if (wrong) {
        REFUSE(builder, poise__value_mark(header->element, "stance"), "'%.60s': %s", point->name,
               wrong);
    }
    if (point->balance && (!point->com || point->position.kind != POISE_GOAL_FIXED)) {
        REFUSE(builder, poise__value_mark(header->element, "balance"),
               "'%.60s': only a centre of mass ('com: on') with a 'position' that stays "
               "is kept in balance",
               point->name);
    }
}

// Largest distance of a point from its body, as a multiple of the extent of the scene.
#define FAR_OFF 10.0
// Extent that is assumed for smaller bodies, m.
#define LEAST_EXTENT 0.1

// Returns the largest distance of bodies, their shapes and joints from the body's frame, m.
static double extent_from(const Builder* builder, int body) {
    const PoiseVec3 origin = builder->bodies[body].pose.p;
    double extent = LEAST_EXTENT;
    for (int i = 0; i < builder->body_count; i++) {
        const PoiseSceneBody* other = &builder->bodies[i];
        double distance = poise_length(poise_sub(other->pose.p, origin));
        extent = fmax(extent, distance);
        for (int j = 0; j < other->shape_count; j++) {
            const PoiseSceneShape* shape = &other->shapes[j];
            extent =
                fmax(extent, distance + poise_length(shape->in_body.p) + poise_length(shape->size));
        }
    }
    for (int i = 0; i < builder->joint_count; i++) {
        extent = fmax(extent, poise_length(poise_sub(builder->joints[i].anchor, origin)));
    }
    return extent;
}

// Returns the largest distance of the body's own shapes and joints from its frame, m; 0 if there
// are none.
static double extent_of(const Builder* builder, int body) {
    const PoiseSceneBody* own = &builder->bodies[body];
    double extent = 0.0;
    for (int i = 0; i < own->shape_count; i++) {
        const PoiseSceneShape* shape = &own->shapes[i];
        extent = fmax(extent, poise_length(shape->in_body.p) + poise_length(shape->size));
    }
    for (int i = 0; i < builder->joint_count; i++) {
        const PoiseSceneJoint* joint = &builder->joints[i];
        if (joint->parent.index == body || joint->child.index == body) {
            extent = fmax(extent, poise_length(poise_sub(joint->anchor, own->pose.p)));
        }
    }
    return extent;
}

// Largest distance of a point, as a multiple of the extent of its body: a tool or probe may reach
// this far.
#define OFF_BODY 5.0

// Warns if a place is far from the body, which is often a wrong decimal point: 103 instead of
// 0.103.
static void check_place(Builder* builder, const Header* header, int body, PoiseVec3 at) {
    const double extent = extent_from(builder, body);
    const double own = extent_of(builder, body);
    const double off = poise_length(at);
    if (own > 0.0 && off > OFF_BODY * fmax(own, LEAST_EXTENT) && off <= FAR_OFF * extent) {
        WARN(builder, poise__value_mark(header->element, "at"),
             "'%.60s' is %.3g m off '%.60s', whose shapes and joints reach %.3g m: 'at' "
             "is in the body's own frame",
             header->name, off, builder->bodies[body].name, own);
    }
    if (off > FAR_OFF * extent) {
        WARN(builder, poise__value_mark(header->element, "at"),
             "'%.60s' is %.3g m off its body, and the whole scene reaches %.3g m: "
             "places are in metres",
             header->name, off, extent);
    }
}

// Returns the place of the innermost joint that moves the point, and sums the distances from the
// point over all its joints, m. In no posture does the point reach farther from this place than the
// sum.
static PoiseVec3 innermost(const Builder* builder, const PoiseScenePoint* point, double* reach) {
    PoiseVec3 place = poise_pose_apply(builder->bodies[point->body.index].pose, point->in_body.p);
    const PoiseSceneJoint* joint;
    *reach = 0.0;
    for (int body = point->body.index; (joint = poise__build_carrier(builder, body));
         body = joint->parent.index) {
        const PoiseJointType* type = poise_joint_type(joint->kind);
        *reach += poise_length(poise_sub(place, joint->anchor));
        if (type && (type->linear & 1u) != 0) {
            *reach += type->nv == 1
                          ? fmax(fabs(joint->limits.lower[0]), fabs(joint->limits.upper[0]))
                          : (double)INFINITY;
        }
        place = joint->anchor;
    }
    return place;
}

// Millimetres in a metre: many drawings are in millimetres.
#define MILLIMETRES 1000.0
// Largest distance of a goal without a warning, as a fraction of the reach. A goal slightly beyond
// the reach may be intended, to stretch the joints.
#define BEYOND 1.05

static void check_reach(Builder* builder, const Header* header, const PoiseScenePoint* point) {
    if (point->frame.index >= 0 || point->com || builder->lost_count > 0) {
        return;
    }
    double reach = 0.0;
    const PoiseVec3 from = innermost(builder, point, &reach);
    double farthest = 0.0, in_metres = 0.0;
    for (int i = 0; i < point->position.count; i++) {
        const PoiseVec3 place = point->position.places[i];
        const double distance = poise_length(poise_sub(place, from));
        if (distance > farthest) {
            farthest = distance;
            in_metres = poise_length(poise_sub(poise_scale(1.0 / MILLIMETRES, place), from));
        }
    }
    if (farthest > BEYOND * reach && reach > 0.0) {
        WARN(builder, poise__value_mark(header->element, "position"),
             "the goal of '%.60s' is %.3g m from its first joint, and its joints reach "
             "%.3g m%s",
             point->name, farthest, reach,
             farthest > FAR_OFF * reach && in_metres <= reach
                 ? ": is it in millimetres? Places are in metres"
                 : "");
    }
}

// ---------------------------------------------------------------------------------------- goals

// Suffix of a control point's name for its goal's place.
#define GOAL_OF ".goal"

static int find_point(const Builder* builder, const char* name, size_t length) {
    for (int i = 0; i < builder->spec->points.count; i++) {
        const char* other = builder->spec->points.items[i].name;
        if (strlen(other) == length && strncmp(other, name, length) == 0) {
            return i;
        }
    }
    return -1;
}

// Resolves `hand`, the point's place, or `hand.goal`, its goal's place.
static int find_looked_at(const Builder* builder, const char* name, bool* goal) {
    size_t length = strlen(name);
    int point = find_point(builder, name, length);
    *goal = point < 0 && length > strlen(GOAL_OF) &&
            strcmp(name + length - strlen(GOAL_OF), GOAL_OF) == 0;
    return *goal ? find_point(builder, name, length - strlen(GOAL_OF)) : point;
}

static void resolve_looked_at(Builder* builder, const PoiseScenePoint* point,
                              PoiseOrientationGoal* goal) {
    const PointList* points = &builder->spec->points;
    goal->at.index = find_looked_at(builder, goal->at.name, &goal->at_goal);
    const PoiseScenePoint* other = goal->at.index >= 0 ? &points->items[goal->at.index] : NULL;
    if (other == point) {
        REFUSE(builder, goal->at.mark, "control point '%.60s' cannot look at itself", point->name);
    } else if (other && goal->at_goal &&
               !poise__is_written(points->headers[goal->at.index].element, "position")) {
        REFUSE(builder, goal->at.mark,
               "control point '%.60s' has no 'position' whose goal could be looked at",
               other->name);
    } else if (!other) {
        Suggestion suggestion = poise__suggestion_for(builder->diagnostics, goal->at.name);
        for (int i = 0; i < points->count; i++) {
            poise__suggestion_offer(&suggestion, points->items[i].name);
        }
        char guess[160];
        REFUSE(builder, goal->at.mark, "there is no control point '%.60s'%s", goal->at.name,
               poise__suggestion_text(&suggestion, guess, sizeof guess));
    }
}

static void resolve_point(Builder* builder, const Header* header, PoiseScenePoint* point) {
    const PoiseVec3 at = point->in_body.p;
    PoiseOrientationGoal* turn = &point->orientation;
    if (!header->broken) {
        // The scene has the axis in the body's frame; the control point needs it in its own frame.
        turn->axis = poise_quat_unrotate(point->in_body.q, turn->axis);
        if (turn->kind == POISE_GOAL_AT) {
            resolve_looked_at(builder, point, turn);
        }
    }
    const bool world = !point->frame.name || strcmp(point->frame.name, "world") == 0;
    const PoiseSceneFrame* of = world ? NULL : poise__build_resolve_body(builder, &point->frame);
    point->frame_in_body = of ? of->in_body : poise_pose_identity();
    const PoiseSceneFrame* frame = poise__build_resolve_body(builder, &point->body);
    if (!frame) {
        return;
    }
    point->in_body = poise_pose_mul(frame->in_body, point->in_body);
    check_com(builder, point);
    check_place(builder, header, point->body.index, at);
    check_carried(builder, point);
    resolve_uses(builder, header, point);
    if (!header->broken) {
        check_stance(builder, header, point);
        check_reach(builder, header, point);
    }
}

void poise__build_points(Builder* builder) {
    const PointList* points = &builder->spec->points;
    for (int i = 0; i < points->count; i++) {
        ErrorWatch watch = poise__build_begin(builder, points->headers, i);
        resolve_point(builder, &points->headers[i], &points->items[i]);
        poise__build_end(builder, &watch);
    }
}
