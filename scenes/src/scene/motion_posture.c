// SPDX-License-Identifier: MIT
// Builds natural postures that follow a recorded motion. First aligns both rest poses, then
// computes each joint's rotation in each frame.
#include <math.h>

#include "motions.h"
#include "number.h"

// Length up to which a line is too short to define a direction, m.
#define SHORTEST_LINE 1e-6
// A limb may be rotated at rest between the scene and the motion, such as hanging and spread arms.
// Above this angle, rad, the limb's last body is rotated with it; below, the last body keeps its
// own rest pose: a foot stays level on a slightly spread leg.
#define FAR_LIMB (PI / 4.0)

// Bend of a hinge at which a limb is nearly straight, rad: the rotation about its own line is then
// poorly defined, and is faded out below this bend.
#define STRAIGHT 0.03

/// The joint of the motion that a body follows, and the bodies next to it.
typedef struct Guide {
    int joint;                ///< index of the joint in the motion; -1: the body follows none
    int before;               ///< nearest body toward the base that also follows a joint; -1: none
    int after;                ///< the only body outward that follows a joint; -1: none, or several
    PoiseQuat rest_alignment; ///< rotation of the body from the scene's to the motion's rest pose
    PoiseQuat* turns;         ///< rotation since the scene's rest pose, one for each frame
} Guide;

typedef struct Posture {
    const Tracks* tracks;
    const Builder* builder;
    Guide* guides;   ///< joint of the motion that each body follows
    PoisePose* rest; ///< pose of each joint of the motion, in the motion's axes and unit
} Posture;

// Returns the first body that follows a joint of the motion, on the path from `body` to the base;
// -1: none.
static int guided(const Posture* posture, int body) {
    while (body >= 0 && posture->guides[body].joint < 0) {
        body = poise__build_parent(posture->builder, body);
    }
    return body;
}

static void assign(Posture* posture, const PostureList* list) {
    const Builder* builder = posture->builder;
    for (int b = 0; b < builder->body_count; b++) {
        posture->guides[b] = (Guide){-1, -1, -1, poise_quat_identity(), NULL};
    }
    for (int i = 0; i < list->count; i++) {
        PostureEntry* entry = &list->items[i];
        const PoiseSceneFrame* frame =
            poise__build_resolve_body(posture->tracks->builder, &entry->body);
        const int joint = poise__tracks_need_joint(posture->tracks, &entry->joint);
        if (frame && joint >= 0) {
            posture->guides[frame->body].joint = joint;
        }
    }
    for (int b = 0; b < builder->body_count; b++) {
        Guide* guide = &posture->guides[b];
        guide->before = guide->joint >= 0 ? guided(posture, poise__build_parent(builder, b)) : -1;
    }
}

static int count_after(const Posture* posture, int body, int* last) {
    int count = 0;
    for (int b = 0; b < posture->builder->body_count; b++) {
        if (posture->guides[b].joint >= 0 && posture->guides[b].before == body) {
            *last = b;
            count++;
        }
    }
    return count;
}

// Returns the smallest rotation from one direction to another.
static PoiseQuat turn_between(PoiseVec3 from, PoiseVec3 to) {
    const PoiseVec3 across = poise_cross(from, to);
    const double angle = poise_atan2(poise_length(across), poise_dot(from, to));
    if (poise_length(across) > 0.0) {
        return poise_quat_from_axis_angle(across, angle);
    }
    // The directions are parallel or opposite, so any axis perpendicular to them will do.
    const PoiseVec3 other = fabs(from.x) < fabs(from.z) ? poise_vec3(1, 0, 0) : poise_vec3(0, 0, 1);
    return poise_quat_from_axis_angle(poise_cross(from, other), angle);
}

// Returns the direction, at rest, from the body's joint to that of the body Guide.after; 0 if the
// joints coincide.
static PoiseVec3 line_of(const Posture* posture, int body) {
    const Builder* builder = posture->builder;
    const int here = builder->bodies[body].joint;
    const int next = builder->bodies[posture->guides[body].after].joint;
    const PoiseVec3 line = poise_sub(builder->joints[next].anchor, builder->joints[here].anchor);
    const double length = poise_length(line);
    return poise_scale(length > SHORTEST_LINE ? 1.0 / length : 0.0, line);
}

// Returns the smallest rotation that turns the body's line (line_of), at rest in the scene, onto
// the line between the same joints of the motion at rest.
static PoiseQuat align_line(const Posture* posture, int body) {
    const Builder* builder = posture->builder;
    const Guide* guide = &posture->guides[body];
    const int here = builder->bodies[body].joint;
    const PoiseVec3 line = line_of(posture, body);
    const PoiseVec3 wanted = poise__motion_direction(
        &posture->tracks->place, poise_sub(posture->rest[posture->guides[guide->after].joint].p,
                                           posture->rest[guide->joint].p));
    const bool has_line = poise_length(line) > 0.0 && poise_length(wanted) > SHORTEST_LINE &&
                          !poise_kind_floats(builder->joints[here].kind);
    return has_line ? turn_between(line, wanted) : poise_quat_identity();
}

// Computes the rotation from the body's rest pose in the scene to its rest pose in the motion.
static void align_body(Posture* posture, int body) {
    Guide* guide = &posture->guides[body];
    int after = -1;
    const int count = count_after(posture, body, &after);
    guide->after = count == 1 ? after : -1;
    if (guide->after >= 0 && posture->builder->bodies[body].joint >= 0) {
        guide->rest_alignment = align_line(posture, body);
    } else if (count == 0 && guide->before >= 0) {
        const PoiseQuat limb = posture->guides[guide->before].rest_alignment;
        const bool far = poise_length(poise_quat_log(limb)) > FAR_LIMB;
        guide->rest_alignment = far ? limb : poise_quat_identity();
    }
}

static bool follow(Posture* posture, int body) {
    const Tracks* tracks = posture->tracks;
    Guide* guide = &posture->guides[body];
    const int count = poise__tracks_count(tracks);
    guide->turns =
        poise__arena_allocate(tracks->builder->arena, (size_t)count, sizeof *guide->turns);
    if (!guide->turns) {
        return false;
    }
    poise__motion_track(tracks->motion, guide->joint, &tracks->place, tracks->poses, tracks->track);
    for (int f = 0; f < count; f++) {
        guide->turns[f] = poise_quat_mul(tracks->track[tracks->first + f].q, guide->rest_alignment);
    }
    return true;
}

// Makes the base's position follow the position of its joint of the motion.
static void track_base(const Tracks* tracks, int joint, PoiseSceneTrack* track) {
    poise__motion_track(tracks->motion, joint, &tracks->place, tracks->poses, tracks->track);
    const int count = poise__tracks_count(tracks);
    PoiseVec3* places =
        poise__arena_allocate(tracks->builder->arena, (size_t)count, sizeof *places);
    for (int f = 0; places && f < count; f++) {
        places[f] = tracks->track[tracks->first + f].p;
    }
    if (places) {
        poise__tracks_lead_place(tracks, places, &track->place);
    }
}

static PoiseQuat turn_of(PoiseVec3 axis, double angle) {
    return poise_quat_from_axis_angle(axis, angle);
}

static PoiseVec3 across(PoiseVec3 v, PoiseVec3 axis) {
    return poise_add_scaled(v, -poise_dot(v, axis), axis);
}

// Returns the angle about the axis from one direction to another.
static double angle_about(PoiseVec3 axis, PoiseVec3 from, PoiseVec3 to) {
    const PoiseVec3 a = across(from, axis), b = across(to, axis);
    return poise_atan2(poise_dot(axis, poise_cross(a, b)), poise_dot(a, b));
}

/// A limb at rest: two bodies with a hinge between them, and their directions (length 1).
typedef struct Limb {
    const PoiseSceneJoint* hinge;
    PoiseVec3 upper; ///< direction from the ball to the hinge
    PoiseVec3 lower; ///< direction from the hinge to the next joint
} Limb;

// Returns the angle, rad, by which the upper body must turn about limb->upper. The hinge can then
// bring limb->lower to the direction `to`, recorded, in the upper body's axes.
static double twist_of(const Limb* limb, PoiseVec3 to) {
    const PoiseVec3 axis = limb->hinge->axis;
    const double bent = poise_length(across(to, limb->upper));
    const double most = bent * poise_length(across(axis, limb->upper));
    if (!(most > 0.0)) {
        return 0.0;
    }
    // A rotation about the hinge's axis keeps the component of `lower` along the axis.
    const double along =
        poise_dot(limb->lower, axis) - poise_dot(axis, limb->upper) * poise_dot(to, limb->upper);
    const double open = poise_acos(fmin(fmax(along / most, -1.0), 1.0));
    const double now = angle_about(limb->upper, axis, to);
    double best = 0.0, least = HUGE_VAL;
    for (int side = -1; side <= 1; side += 2) {
        const double twist = remainder(side * open - now, 2.0 * PI);
        const PoiseVec3 there = poise_quat_rotate(turn_of(limb->upper, twist), to);
        const double angle = angle_about(axis, limb->lower, there);
        const double outside = fmax(
            0.0, fmax(limb->hinge->limits.lower[0] - angle, angle - limb->hinge->limits.upper[0]));
        if (fabs(twist) + 2.0 * PI * outside < least) {
            least = fabs(twist) + 2.0 * PI * outside;
            best = twist;
        }
    }
    return best * bent * bent / (bent * bent + STRAIGHT * STRAIGHT);
}

// Computes the rotations of a limb whose hinge can only rotate about its axis. A rotation of the
// upper body about its own line makes up for the missing directions.
static void bend_at_hinge(Posture* posture, int body) {
    const Builder* builder = posture->builder;
    Guide* lower = &posture->guides[body];
    const PoiseSceneJoint* hinge = &builder->joints[builder->bodies[body].joint];
    if (lower->before < 0 || poise_kind_axes(hinge->kind) != 1) {
        return;
    }
    Guide* upper = &posture->guides[lower->before];
    const bool limb_there = upper->after == body && lower->after >= 0;
    const Limb limb = {hinge, limb_there ? line_of(posture, lower->before) : hinge->axis,
                       limb_there ? line_of(posture, body) : hinge->axis};
    for (int f = 0; f < poise__tracks_count(posture->tracks); f++) {
        const PoiseQuat seen =
            poise_quat_mul(poise_quat_conjugate(upper->turns[f]), lower->turns[f]);
        double angle = poise_quat_twist(seen, hinge->axis, NULL);
        if (limb_there) {
            const PoiseVec3 to = poise_quat_rotate(seen, limb.lower);
            const double twist = twist_of(&limb, to);
            upper->turns[f] = poise_quat_mul(upper->turns[f], turn_of(limb.upper, -twist));
            angle = angle_about(hinge->axis, limb.lower,
                                poise_quat_rotate(turn_of(limb.upper, twist), to));
        }
        lower->turns[f] = poise_quat_mul(upper->turns[f], turn_of(hinge->axis, angle));
    }
}

static void track_joint(const Posture* posture, int body) {
    const Tracks* tracks = posture->tracks;
    Builder* builder = tracks->builder;
    const Guide* guide = &posture->guides[body];
    PoiseSceneJoint* joint = &builder->joints[builder->bodies[body].joint];
    const int count = poise__tracks_count(tracks);
    PoiseSceneTrack* track = poise__arena_allocate(builder->arena, 1, sizeof *track);
    PoiseQuat* turns = poise__arena_allocate(builder->arena, (size_t)count, sizeof *turns);
    if (!track || !turns) {
        return;
    }
    const PoiseQuat* parent = guide->before >= 0 ? posture->guides[guide->before].turns : NULL;
    for (int f = 0; f < count; f++) {
        turns[f] = parent ? poise_quat_mul(poise_quat_conjugate(parent[f]), guide->turns[f])
                          : guide->turns[f];
    }
    *track = (PoiseSceneTrack){0};
    poise__tracks_lead_turn(tracks, turns, &track->turn);
    if (poise_kind_floats(joint->kind)) {
        track_base(tracks, guide->joint, track);
    }
    joint->track = track;
}

// Reports a body whose joint cannot follow the motion.
static bool can_follow(const Posture* posture, int body, PoiseMark mark) {
    const Builder* builder = posture->builder;
    const PoiseSceneJoint* joint = poise__build_carrier(builder, body);
    const bool hinge =
        joint && poise_kind_axes(joint->kind) == 1 && !poise_kind_slides(joint->kind);
    if (joint && (hinge || poise_kind_turns(joint->kind) || poise_kind_floats(joint->kind))) {
        return true;
    }
    REFUSE(builder, mark,
           "'%.60s' hangs on no hinge, ball or floating base: it cannot follow a motion",
           builder->bodies[body].name);
    return false;
}

static bool all_can_follow(const Posture* posture, const PostureList* list) {
    bool can = true;
    for (int i = 0; i < list->count; i++) {
        const int body = list->items[i].body.index;
        if (body >= 0 && posture->guides[body].joint >= 0) {
            can = can_follow(posture, body, list->items[i].body.mark) && can;
        }
    }
    return can;
}

static bool make(Posture* posture) {
    const Builder* builder = posture->builder;
    // Each of the three stages goes outward from the base, since a body's rotation depends on the
    // bodies before it.
    for (int stage = 0; stage < 3; stage++) {
        for (int i = 0; i < builder->driven_count; i++) {
            const int body = builder->joints[builder->joint_order[i]].child.index;
            if (posture->guides[body].joint < 0) {
                continue;
            }
            if (stage == 0) {
                align_body(posture, body);
                if (!follow(posture, body)) {
                    return false;
                }
            } else if (stage == 1) {
                bend_at_hinge(posture, body);
            } else {
                track_joint(posture, body);
            }
        }
    }
    return true;
}

void poise__build_motion_posture(const Tracks* tracks, const PostureList* list) {
    Builder* builder = tracks->builder;
    Posture posture = {tracks, builder, NULL, NULL};
    posture.guides = poise__arena_allocate(builder->arena, (size_t)builder->body_count + 1,
                                           sizeof *posture.guides);
    posture.rest = poise__arena_allocate(builder->arena, (size_t)tracks->motion->joint_count,
                                         sizeof *posture.rest);
    if (posture.guides && posture.rest && builder->joint_order) {
        poise__motion_poses(tracks->motion, -1, posture.rest);
        assign(&posture, list);
        if (all_can_follow(&posture, list)) {
            (void)make(&posture);
        }
    }
}
