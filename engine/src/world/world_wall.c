// SPDX-License-Identifier: MIT
// Finds the wall that a point presses on, from the contacts of a world's last step.

#include "poise/forecast.h"
#include "world_internal.h"

// A contact is straight ahead of the point if its lateral offset is below this fraction of its
// distance from the point along the normal.
#define MAX_LATERAL 0.05

// Returns the distance from the point to a contact straight ahead along the normal, m: the radius
// of the tip, a ball around the point. 0 if the contact is elsewhere.
static double radius_of(PoiseVec3 point, PoiseVec3 place, PoiseVec3 normal) {
    const PoiseVec3 arm = poise_sub(place, point);
    const double before = -poise_dot(arm, normal);
    const double lateral = poise_length(poise_add_scaled(arm, before, normal));
    return before > 0.0 && lateral < MAX_LATERAL * before ? before : 0.0;
}

bool poise_world_find_wall(const PoiseWorld* world, const PoiseRig* rig, PoisePointId point,
                           PoiseWall* wall) {
    PoisePointReading reading;
    if (!world || !wall || poise_rig_read_point(rig, point, &reading) != POISE_OK) {
        return false;
    }
    const uint32_t link = poise_point_link(poise_rig_tree(rig), point).index1;
    double most = 0.0;
    for (int i = 0; i < world->contact_count; i++) {
        const Contact* contact = &world->contacts[i];
        const bool first = poise_rig_node_of_body(rig, contact->first).index1 == link;
        const bool second = poise_rig_node_of_body(rig, contact->second).index1 == link;
        PoiseContact read;
        if (link == 0 || first == second || poise_world_contact(world, i, &read) != POISE_OK) {
            continue;
        }
        const double sign = first ? 1.0 : -1.0;
        const double taken = -sign * poise_dot(read.force, reading.force);
        if (taken > most) {
            const PoiseVec3 normal = poise_scale(sign, read.normal);
            most = taken;
            *wall = (PoiseWall){.point = point,
                                .normal = normal,
                                .friction = world->def.friction,
                                .body = first ? read.first : read.second,
                                .radius = radius_of(reading.pose.p, read.place, normal)};
        }
    }
    return most > 0.0;
}
