// SPDX-License-Identifier: MIT
// Makes the walls of a copy's points: planes, each with a new ODE contact in every step, that stand
// for the surfaces on which the points press.
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "copy.h"
#include "support.h"

// ODE's friction slips by CFM times its force in each step. A body far from the wall moves by at
// most this factor more than the contact.
#define LEVERAGE 10.0
// Largest result of poise__walls_slip in a block, m: a contact that moves farther slides
// physically.
#define MOST_SLIP 1e-6

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

static void take_body(Wall* wall, dBodyID body, PoiseVec3 in_body) {
    wall->body = body;
    wall->in_body = in_body;
    // the plane touches the tip, a ball of the wall's radius around the point
    wall->at =
        poise_dot(wall->along, poise_pose_apply(poise__body_pose(body), in_body)) + wall->radius;
}

// Sets the wall's body and the point's position in it. `body` is the body of the link or one welded
// to the link; NULL: either.
static void take_fixed(const Copy* copy, Wall* wall, dBodyID body) {
    const PoiseRig* rig = copy->rig;
    const int below = poise__binding_below(&rig->state, wall->point);
    const PoisePose in_link = poise_pose_mul(
        poise_pose_inverse(poise_node_link_world(copy->tree, rig->bindings[below].node)),
        poise_point_planned_pose(copy->tree, wall->point));
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

// Largest number of fixed joints in a row between a point's body and the ground.
enum { MOST_WELDS = 8 };

// Follows at most `welds` fixed joints from `body`, without `by`, by which the path reached it.
// Returns the joint that ends at the environment or at a kinematic body, or NULL.
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

// Fixes the body's rotation about the direction of the torque, as a contact that exerts the torque
// would.
static void hold_turn(const Copy* copy, const Wall* wall, PoiseVec3 torque) {
    dJointID motor = dJointCreateAMotor(copy->world, NULL);
    dJointAttach(motor, wall->body, NULL);
    dJointSetAMotorNumAxes(motor, 1);
    dJointSetAMotorAxis(motor, 0, 0, torque.x, torque.y, torque.z);
    dJointSetAMotorParam(motor, dParamFMax, dInfinity);
}

static PoiseStatus add_wall(Copy* copy, PoisePointId point, const PoiseWall* known) {
    const PoiseTree* tree = copy->tree;
    const PoiseVec3 force = poise_point_force(tree, point);
    const PoiseVec3 torque = poise_point_torque(tree, point);
    const PoisePointKind kind = poise_point_kind(tree, point);
    const int below = poise__binding_below(&copy->rig->state, point);
    const double size = poise_length(force);
    if (below == NO_BINDING || (kind != POISE_POINT_POSITION && kind != POISE_POINT_POSE)) {
        snprintf(copy->why, sizeof copy->why, "point %u is asked for a force, and has no place",
                 (unsigned)point.index1);
        return POISE_ERROR_WRONG_KIND;
    }
    if (!poise__grow(&copy->host, &copy->walls, &copy->wall_capacity, copy->wall_count + 1,
                     sizeof *copy->walls)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    Wall* wall = &copy->walls[copy->wall_count++];
    *wall = (Wall){.point = point};
    if (known) {
        wall->along = poise_scale(-1.0 / poise_length(known->normal), known->normal);
        wall->friction = known->friction;
        wall->radius = known->radius;
    } else if (size > 0.0) {
        wall->along = poise_scale(1.0 / size, force);
    }
    take_fixed(copy, wall,
               known && known->body ? poise__copy_of_body(copy, known->body)
                                    : copy->rig->bindings[below].motor.child);
    wall->weld = weld_of(wall->body, NULL, MOST_WELDS);
    if (!wall->weld && poise_length(torque) > 0.0) {
        hold_turn(copy, wall, torque);
    }
    // a point that exerts a torque alone needs no contact
    copy->wall_count -= !wall->weld && !(size > 0.0);
    return POISE_OK;
}

PoiseStatus poise__copy_add_walls(Copy* copy, const PoiseForecastDef* def) {
    PoiseStatus status = POISE_OK;
    for (int i = 0; status == POISE_OK && i < poise_tree_point_count(copy->tree); i++) {
        const PoisePointId point = poise_tree_point(copy->tree, i);
        if (presses(copy->tree, point)) {
            status = add_wall(copy, point, known_wall(def, point));
        }
    }
    return status;
}

// Makes the contact of a point with its wall for one step.
static void touch(const Copy* copy, Wall* wall) {
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
    dJointID joint = dJointCreateContact(copy->world, copy->contacts, &contact);
    dJointAttach(joint, wall->body, NULL);
    dJointSetFeedback(joint, &wall->feedback);
    poise__exact_contact(copy->exact, joint, &contact);
}

void poise__walls_touch(Copy* copy) {
    for (int i = 0; i < copy->wall_count; i++) {
        touch(copy, &copy->walls[i]);
    }
}

void poise__walls_forget(Copy* copy) {
    for (int i = 0; i < copy->wall_count; i++) {
        copy->walls[i].force_sum = poise_vec3(0.0, 0.0, 0.0);
        copy->walls[i].steps = 0;
    }
}

void poise__walls_measure(Copy* copy) {
    for (int i = 0; i < copy->wall_count; i++) {
        Wall* wall = &copy->walls[i];
        // the wall's force is the feedback of the body that is not kinematic, which may be the
        // second
        dBodyID second = wall->weld ? dJointGetBody(wall->weld, 1) : NULL;
        dBodyID first = wall->weld ? dJointGetBody(wall->weld, 0) : NULL;
        const bool swapped = first && second && dBodyIsKinematic(first);
        wall->force_sum = poise_sub(
            wall->force_sum, poise__vec3_from(swapped ? wall->feedback.f2 : wall->feedback.f1));
        wall->steps++;
    }
}

static PoiseVec3 mean_of(const Wall* wall) {
    return poise_scale(1.0 / (wall->steps > 0 ? wall->steps : 1), wall->force_sum);
}

PoiseVec3 poise__wall_force(const Copy* copy, PoisePointId point) {
    for (int i = 0; i < copy->wall_count; i++) {
        const Wall* wall = &copy->walls[i];
        if (wall->point.index1 == point.index1) {
            return mean_of(wall);
        }
    }
    return poise_vec3(0.0, 0.0, 0.0);
}

double poise__walls_slip(const Copy* copy) {
    double slip = 0.0;
    for (int i = 0; i < copy->wall_count; i++) {
        const Wall* wall = &copy->walls[i];
        const double force = wall->friction > 0.0 ? poise_length(wall->force_sum) : 0.0;
        slip += LEVERAGE * (double)dWorldGetCFM(copy->world) * force;
    }
    return poise_min(slip, MOST_SLIP);
}

bool poise__walls_left(const Copy* copy) {
    bool left = false;
    for (int i = 0; i < copy->wall_count; i++) {
        left = left || !copy->walls[i].touches;
    }
    return left;
}

bool poise__walls_have_friction(const Copy* copy) {
    bool has_friction = false;
    for (int i = 0; i < copy->wall_count; i++) {
        has_friction = has_friction || (copy->walls[i].friction > 0.0 && !copy->walls[i].weld);
    }
    return has_friction;
}
