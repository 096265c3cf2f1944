// SPDX-License-Identifier: MIT
// What a rehearsal's points press on: a plane each, with ODE's contact made anew in every step.
#include <math.h>
#include <string.h>

#include "convert.h"
#include "rehearsal.h"
#include "support.h"

// ODE's friction gives way by CFM times its force in a step; far from the wall that is more
#define LEVERAGE 10.0
// m: a contact that gives way by more than this in a block of steps does not hold
#define MOST_SLIP 1e-6

// Whether what yields at a point is along the force alone.
static bool yields_along(const PoiseTree* tree, PoisePointId point, PoiseVec3 along) {
    double row[36];
    return poise_point_yield_rows(tree, point, row) == 1 && row[3] == 0.0 && row[4] == 0.0 &&
           row[5] == 0.0 &&
           poise_length(poise_cross(poise_vec3(row[0], row[1], row[2]), along)) < 1e-9;
}

static const PoiseWall* known_wall(const PoiseForecastDef* def, PoisePointId point) {
    for (int i = 0; i < def->wall_count; i++) {
        const PoisePointId of = def->walls[i].point;
        if (of.index1 == point.index1 && of.generation == point.generation) {
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

// the plane goes through the place that the point has in its body
static void place_wall(const Rehearsal* rehearsal, const Binding* binding, RehearsalWall* wall) {
    const PoisePose in_link =
        poise_pose_mul(poise_pose_inverse(poise_node_link_world(rehearsal->tree, binding->node)),
                       poise_point_pose(rehearsal->tree, wall->point));
    wall->body = binding->motor.child;
    wall->in_body = poise_pose_mul(binding->link_in_body, in_link).p;
    wall->at =
        poise_dot(wall->along, poise_pose_apply(poise__body_pose(wall->body), wall->in_body));
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
    memset(wall, 0, sizeof *wall);
    wall->point = point;
    wall->along = poise_scale(1.0 / size, force);
    if (known) {
        wall->along = poise_scale(-1.0 / poise_length(known->normal), known->normal);
        wall->friction = known->friction;
    }
    place_wall(rehearsal, &rehearsal->rig->bindings[below], wall);
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
    const PoiseVec3 at = poise_pose_apply(poise__body_pose(wall->body), wall->in_body);
    const double depth = poise_dot(at, wall->along) - wall->at;
    wall->touches = depth >= 0.0;
    memset(&wall->feedback, 0, sizeof wall->feedback);
    if (!wall->touches) {
        return;
    }
    dContact contact;
    memset(&contact, 0, sizeof contact);
    const double place[3] = {at.x, at.y, at.z};
    const double normal[3] = {-wall->along.x, -wall->along.y, -wall->along.z};
    contact.surface.mode = dContactApprox1;
    contact.surface.mu = (dReal)wall->friction;
    contact.geom.depth = (dReal)depth;
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
        wall->felt = poise_sub(wall->felt, poise__vec3_from(wall->feedback.f1));
        wall->steps++;
    }
}

PoiseVec3 poise__rehearsal_force(const Rehearsal* rehearsal, PoisePointId point) {
    for (int i = 0; i < rehearsal->wall_count; i++) {
        const RehearsalWall* wall = &rehearsal->walls[i];
        if (wall->point.index1 == point.index1 && wall->steps > 0) {
            return poise_scale(1.0 / wall->steps, wall->felt);
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
