// SPDX-License-Identifier: MIT
#include "viewpoint.h"

#include "pick.h"

static const double SIDE = 3.14159265358979323846 / 4.0;

static bool is_seen(const PoiseSimulation* simulation, PoiseVec3 eye, PoiseVec3 place) {
    PoiseVec3 offset = poise_sub(place, eye);
    PoiseRay ray = {eye, poise__unit(offset, offset)};
    double length = poise_length(offset);
    for (int i = 0; i < poise_simulation_shape_count(simulation); i++) {
        PoiseShapeView shape = poise_simulation_shape(simulation, i);
        double distance = 0.0;
        if (shape.fixed && poise__ray_shape(ray, &shape, &distance) && distance < length) {
            return false;
        }
    }
    return true;
}

int poise__viewpoint_seen(const PoiseCamera* camera, const PoiseSimulation* simulation) {
    PoiseVec3 eye = poise__camera_eye(camera);
    int seen = 0;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        if (point.enabled) {
            PoiseVec3 body = poise_simulation_body(simulation, point.body).com_world;
            seen += is_seen(simulation, eye, point.pose_world.p);
            seen += is_seen(simulation, eye, body);
        }
    }
    return seen;
}

void poise__viewpoint_choose(PoiseCamera* camera, const PoiseSimulation* simulation,
                             double goal_margin) {
    PoiseCamera best = *camera;
    int best_count = -1;
    for (int i = 0; i < 8; i++) {
        // tries the present azimuth, then those next to it on both sides, and so on
        int steps = i % 2 == 1 ? -(i + 1) / 2 : i / 2;
        PoiseCamera turned = *camera;
        turned.azimuth = remainder(camera->azimuth + steps * SIDE, 8.0 * SIDE);
        poise__camera_frame_simulation(&turned, simulation, goal_margin);
        int seen = poise__viewpoint_seen(&turned, simulation);
        if (seen > best_count) {
            best_count = seen;
            best = turned;
        }
    }
    *camera = best;
}
