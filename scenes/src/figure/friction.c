// SPDX-License-Identifier: MIT
// The walls that points press on are what their bodies touched in the last step.
#include "friction.h"

#include <math.h>
#include <stddef.h>

// how much of the force asked the contact takes, where it is one of the point's link
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
    return -sign * poise_dot(contact->force, view->force);
}

// the contact that takes the most of it; false where none does
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

void poise__statistics_add_friction(PoisePointStatistics* points, const PoiseSimulation* simulation,
                                    const FrictionRoom* room) {
    int count = 0;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        if (view.presses && find_wall(simulation, &view, &room->walls[count]) &&
            room->walls[count].friction > 0.0) {
            room->asked[count++] = view.point;
        }
    }
    const PoiseForecastDef def = {room->asked, count, room->walls, count};
    if (count == 0 ||
        poise_rig_foresee(poise_simulation_rig(simulation), &def, room->forecasts) < 0) {
        return;
    }
    for (int i = 0, next = 0; i < poise_simulation_point_count(simulation) && next < count; i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        if (view.point.index1 == room->asked[next].index1) {
            const PoiseForecast* forecast = &room->forecasts[next++];
            points[i].friction_doubt = poise_forecast_doubt(forecast);
            points[i].friction_miss = points[i].friction_doubt ? (double)NAN : forecast->row_miss;
        }
    }
}
