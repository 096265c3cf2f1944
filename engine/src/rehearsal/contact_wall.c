// SPDX-License-Identifier: MIT
// What a rehearsal's points press on: a plane each, with ODE's contact made anew in every step.
#include <string.h>

#include "convert.h"
#include "rehearsal.h"
#include "support.h"

// ODE's friction gives way by CFM times its force in a step; far from the wall that is more
#define LEVERAGE 10.0
// m: a contact that gives way by more than this in a block of steps does not hold
#define MOST_SLIP 1e-6
// parts of a force: it does not change that changes by less in a block; and it is known to this
#define STEADY_FORCE 1e-5
#define KNOWN_FORCE  5e-3

// Whether what yields at a point is along the force alone.
static bool yields_along(const PoiseTree* tree, PoisePointId point, PoiseVec3 along) {
    double row[36];
    return poise_point_yield_rows(tree, point, row) == 1 && row[3] == 0.0 && row[4] == 0.0 &&
           row[5] == 0.0 &&
           poise_length(poise_cross(poise_vec3(row[0], row[1], row[2]), along)) < 1e-9;
}

static const PoiseWall* known_wall(const PoiseForecastDef* def, PoisePointId point) {
    for (int i = 0; i < def->wall_count; i++) {
        if (def->walls[i].point.index1 == point.index1) {
            return &def->walls[i];
        }
    }
    return NULL;
}

static bool presses(const PoiseTree* tree, PoisePointId point) {
    double rows[36];
    return poise_point_enabled(tree, point) && poise_point_yield_rows(tree, point, rows) > 0;
}

bool poise__walls_rub(const PoiseTree* tree, const PoiseForecastDef* def) {
    bool rub = false;
    for (int i = 0; i < def->wall_count; i++) {
        rub = rub || (def->walls[i].friction > 0.0 && presses(tree, def->walls[i].point));
    }
    return rub;
}

static void take_body(RehearsalWall* wall, dBodyID body, PoiseVec3 in_body) {
    wall->body = body;
    wall->in_body = in_body;
    // the plane goes through the place that the point has in its body, or before it
    wall->at =
        poise_dot(wall->along, poise_pose_apply(poise__body_pose(body), in_body)) + wall->radius;
}

// takes a body that is fixed to the link: this one, or (NULL) any
static void take_fixed(const Rehearsal* rehearsal, RehearsalWall* wall, dBodyID body) {
    const PoiseRig* rig = rehearsal->rig;
    const int below = poise__binding_below(&rig->state, wall->point);
    const PoisePose in_link = poise_pose_mul(
        poise_pose_inverse(poise_node_link_world(rehearsal->tree, rig->bindings[below].node)),
        poise_point_pose(rehearsal->tree, wall->point));
    for (int i = 0; i < rig->weld_count; i++) {
        const Weld* weld = &rig->welds[i];
        if (weld->node.index1 == rig->bindings[below].node.index1 &&
            (!body || weld->body == body)) {
            take_body(wall, weld->body,
                      poise_pose_mul(poise_pose_inverse(weld->body_in_link), in_link).p);
            return;
        }
    }
    if (!body || body == rig->bindings[below].motor.child) {
        take_body(wall, rig->bindings[below].motor.child,
                  poise_pose_mul(rig->bindings[below].link_in_body, in_link).p);
    }
}

// How many fixed joints may lie between a point's body and what stands firm.
enum { MOST_WELDS = 8 };

// The fixed joint to the environment, or to a body that does not move, at the end of at most
// `welds` fixed joints from a body on; NULL where there is none. `by` led to the body.
static dJointID weld_of(dBodyID body, dJointID by, int welds) {
    dJointID found = NULL;
    for (int i = 0; welds > 0 && !found && i < dBodyGetNumJoints(body); i++) {
        dJointID joint = dBodyGetJoint(body, i);
        if (joint != by && dJointGetType(joint) == dJointTypeFixed && dJointIsEnabled(joint)) {
            dBodyID first = dJointGetBody(joint, 0);
            dBodyID other = first == body ? dJointGetBody(joint, 1) : first;
            found = !other || dBodyIsKinematic(other) ? joint : weld_of(other, joint, welds - 1);
        }
    }
    return found;
}

void poise__wall_take_other(const Rehearsal* rehearsal, RehearsalWall* wall) {
    take_fixed(rehearsal, wall, NULL);
    wall->weld = weld_of(wall->body, NULL, MOST_WELDS);
}

static PoiseStatus add_wall(Rehearsal* rehearsal, PoisePointId point, const PoiseWall* known) {
    const PoiseTree* tree = rehearsal->tree;
    const PoiseVec3 force = poise_point_force(tree, point);
    const PoisePointKind kind = poise_point_kind(tree, point);
    const int below = poise__binding_below(&rehearsal->rig->state, point);
    const double size = poise_length(force);
    if (below == NO_BINDING || !(size > 0.0) ||
        !yields_along(tree, point, poise_scale(1.0 / size, force)) ||
        (kind != POISE_POINT_POSITION && kind != POISE_POINT_POSE)) {
        return POISE_ERROR_WRONG_KIND;
    }
    if (!poise__grow(&rehearsal->host, &rehearsal->walls, &rehearsal->wall_capacity,
                     rehearsal->wall_count + 1, sizeof *rehearsal->walls)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    RehearsalWall* wall = &rehearsal->walls[rehearsal->wall_count++];
    *wall = (RehearsalWall){.point = point, .along = poise_scale(1.0 / size, force)};
    if (known) {
        wall->along = poise_scale(-1.0 / poise_length(known->normal), known->normal);
        wall->friction = known->friction;
        wall->radius = known->radius;
    }
    wall->any_body = !known || !known->body;
    take_fixed(rehearsal, wall,
               wall->any_body ? rehearsal->rig->bindings[below].motor.child
                              : poise__copy_of_body(rehearsal, known->body));
    wall->weld = weld_of(wall->body, NULL, MOST_WELDS);
    return POISE_OK;
}

PoiseStatus poise__rehearsal_add_walls(Rehearsal* rehearsal, const PoiseForecastDef* def) {
    PoiseStatus status = POISE_OK;
    for (int i = 0; status == POISE_OK && i < poise_tree_point_count(rehearsal->tree); i++) {
        const PoisePointId point = poise_tree_point(rehearsal->tree, i);
        if (presses(rehearsal->tree, point)) {
            status = add_wall(rehearsal, point, known_wall(def, point));
        }
    }
    return status;
}

// the contact of a step
static void touch(const Rehearsal* rehearsal, RehearsalWall* wall) {
    if (wall->weld) {
        wall->touches = true;
        dJointSetFeedback(wall->weld, &wall->feedback);
        return;
    }
    const PoiseVec3 at = poise_add_scaled(
        poise_pose_apply(poise__body_pose(wall->body), wall->in_body), wall->radius, wall->along);
    const double depth = poise_dot(at, wall->along) - wall->at;
    wall->touches = depth >= 0.0;
    memset(&wall->feedback, 0, sizeof wall->feedback);
    if (!wall->touches) {
        return;
    }
    dContact contact = {.surface = {.mode = dContactApprox1, .mu = (dReal)wall->friction},
                        .geom = {.depth = (dReal)depth}};
    const double place[3] = {at.x, at.y, at.z};
    const double normal[3] = {-wall->along.x, -wall->along.y, -wall->along.z};
    for (int i = 0; i < 3; i++) {
        contact.geom.pos[i] = (dReal)place[i];
        contact.geom.normal[i] = (dReal)normal[i];
    }
    dJointID joint = dJointCreateContact(rehearsal->world, rehearsal->contacts, &contact);
    dJointAttach(joint, wall->body, NULL);
    dJointSetFeedback(joint, &wall->feedback);
}

void poise__rehearsal_touch(Rehearsal* rehearsal) {
    for (int i = 0; i < rehearsal->wall_count; i++) {
        touch(rehearsal, &rehearsal->walls[i]);
    }
}

void poise__rehearsal_forget(Rehearsal* rehearsal) {
    for (int i = 0; i < rehearsal->wall_count; i++) {
        rehearsal->walls[i].felt = poise_vec3(0.0, 0.0, 0.0);
        rehearsal->walls[i].steps = 0;
    }
}

void poise__rehearsal_feel(Rehearsal* rehearsal) {
    for (int i = 0; i < rehearsal->wall_count; i++) {
        RehearsalWall* wall = &rehearsal->walls[i];
        // ODE's first body of a joint to the environment is the one that it holds
        dBodyID second = wall->weld ? dJointGetBody(wall->weld, 1) : NULL;
        dBodyID first = wall->weld ? dJointGetBody(wall->weld, 0) : NULL;
        const bool swapped = first && second && dBodyIsKinematic(first);
        wall->felt = poise_sub(wall->felt,
                               poise__vec3_from(swapped ? wall->feedback.f2 : wall->feedback.f1));
        wall->steps++;
    }
}

static PoiseVec3 mean_of(const RehearsalWall* wall) {
    return poise_scale(1.0 / (wall->steps > 0 ? wall->steps : 1), wall->felt);
}

void poise__rehearsal_note_block(Rehearsal* rehearsal) {
    for (int i = 0; i < rehearsal->wall_count; i++) {
        RehearsalWall* wall = &rehearsal->walls[i];
        memmove(&wall->blocks[1], wall->blocks, 2 * sizeof *wall->blocks);
        wall->blocks[0] = mean_of(wall);
    }
}

// Whether a force will change by more than it is known to, if each of its changes from block to
// block is the same part of the one before.
static bool drifts(const RehearsalWall* wall) {
    const double size = poise_length(wall->blocks[0]);
    const double before = poise_length(poise_sub(wall->blocks[1], wall->blocks[2]));
    const double now = poise_length(poise_sub(wall->blocks[0], wall->blocks[1]));
    if (now <= STEADY_FORCE * size) {
        return false;
    }
    const double part = now / before;
    return !(part < 1.0) || now * part / (1.0 - part) > KNOWN_FORCE * size;
}

bool poise__walls_drift(const Rehearsal* rehearsal) {
    bool some = false;
    for (int i = 0; i < rehearsal->wall_count; i++) {
        some = some || drifts(&rehearsal->walls[i]);
    }
    return some;
}

bool poise__walls_bear_alike(const Rehearsal* a, const Rehearsal* b) {
    bool alike = true;
    for (int i = 0; i < a->wall_count; i++) {
        const PoiseVec3 force = mean_of(&a->walls[i]);
        alike = alike && poise_length(poise_sub(force, mean_of(&b->walls[i]))) <=
                             KNOWN_FORCE * poise_length(force);
    }
    return alike;
}

PoiseVec3 poise__rehearsal_force(const Rehearsal* rehearsal, PoisePointId point) {
    for (int i = 0; i < rehearsal->wall_count; i++) {
        const RehearsalWall* wall = &rehearsal->walls[i];
        if (wall->point.index1 == point.index1) {
            return mean_of(wall);
        }
    }
    return poise_vec3(0.0, 0.0, 0.0);
}

double poise__rehearsal_slip(const Rehearsal* rehearsal) {
    double slip = 0.0;
    for (int i = 0; i < rehearsal->wall_count; i++) {
        const RehearsalWall* wall = &rehearsal->walls[i];
        const double force = wall->friction > 0.0 ? poise_length(wall->felt) : 0.0;
        slip += LEVERAGE * (double)dWorldGetCFM(rehearsal->world) * force;
    }
    return poise_min(slip, MOST_SLIP);
}

bool poise__rehearsal_left(const Rehearsal* rehearsal) {
    bool left = false;
    for (int i = 0; i < rehearsal->wall_count; i++) {
        left = left || !rehearsal->walls[i].touches;
    }
    return left;
}
