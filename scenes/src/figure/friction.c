// SPDX-License-Identifier: MIT
// Forecasts points that press, with friction. Their walls are what their bodies touched in the last
// step.
#include "friction.h"

#include <math.h>

// A contact counts as straight ahead of the point if its lateral offset is below this part of its
// distance.
#define MOST_LATERAL 0.05

// Returns the distance (m) from the point to a contact straight ahead: the radius of the ball that
// touches. 0 if the contact is elsewhere.
static double radius_of(PoiseVec3 point, PoiseVec3 place, PoiseVec3 normal) {
    const PoiseVec3 arm = poise_sub(place, point);
    const double before = -poise_dot(arm, normal);
    const double lateral = poise_length(poise_add_scaled(arm, before, normal));
    return before > 0.0 && lateral < MOST_LATERAL * before ? before : 0.0;
}

// Fills the wall of a contact of the point's link. Returns the dot product of the force asked for
// and the force that the contact takes; 0 for contacts of other links.
static double presses(const PoiseSimulation* simulation, const PoisePointView* view,
                      const PoiseContact* contact, PoiseWall* wall) {
    const PoiseRig* rig = poise_simulation_rig(simulation);
    const uint32_t link = poise_point_link(poise_simulation_tree(simulation), view->point).index1;
    const bool first = poise_rig_node_of_body(rig, contact->first).index1 == link;
    if (link == 0 || (!first && poise_rig_node_of_body(rig, contact->second).index1 != link)) {
        return 0.0;
    }
    const double sign = first ? 1.0 : -1.0;
    wall->point = view->point;
    wall->normal = poise_scale(sign, contact->normal);
    wall->friction = poise_simulation_scene(simulation)->world.def.friction;
    wall->body = first ? contact->first : contact->second;
    wall->radius = radius_of(view->pose_world.p, contact->place, wall->normal);
    return -sign * poise_dot(contact->force, view->force);
}

// Finds the wall whose contact takes the largest part of the force. False if no contact takes any.
static bool find_wall(const PoiseSimulation* simulation, const PoisePointView* view,
                      PoiseWall* wall) {
    const PoiseWorld* world = poise_simulation_world(simulation);
    double most = 0.0;
    for (int i = 0; i < poise_world_contact_count(world); i++) {
        PoiseContact contact;
        PoiseWall found;
        const bool read = poise_world_contact(world, i, &contact) == POISE_OK;
        const double taken = read ? presses(simulation, view, &contact, &found) : 0.0;
        if (taken > most) {
            most = taken;
            *wall = found;
        }
    }
    return most > 0.0;
}

PoiseStatus poise__statistics_add_friction(PoisePointStatistics* points,
                                           const PoiseSimulation* simulation,
                                           const FrictionRoom* room) {
    int count = 0;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        if (view.presses && find_wall(simulation, &view, &room->walls[count]) &&
            room->walls[count].friction > 0.0) {
            room->asked[count++] = view.point;
        }
    }
    const PoiseForecastDef def = {.points = room->asked,
                                  .count = count,
                                  .walls = room->walls,
                                  .wall_count = count,
                                  .step = poise_simulation_step_length(simulation),
                                  .budget = FORECAST_BUDGET};
    const PoiseStatus status =
        count > 0 ? poise_rig_forecast(poise_simulation_rig(simulation), &def, room->forecasts)
                  : POISE_OK;
    if (count == 0 || status < 0) {
        return status;
    }
    for (int i = 0, next = 0; i < poise_simulation_point_count(simulation) && next < count; i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        if (view.point.index1 == room->asked[next].index1) {
            points[i].with_friction = room->forecasts[next++];
            points[i].friction_miss = poise_forecast_rests(&points[i].with_friction)
                                          ? points[i].with_friction.row_miss
                                          : (double)NAN;
        }
    }
    return POISE_OK;
}
