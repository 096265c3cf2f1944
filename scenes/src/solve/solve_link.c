// SPDX-License-Identifier: MIT
// The link and place that `poise solve --point` names.
#include <string.h>

#include "diagnostics.h"
#include "solve.h"

// names of links that a message lists
#define LINKS_SHOWN 20

bool poise__link_read(SolveLink* link, const char* text) {
    const char* colon = strrchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length == 0 || length >= sizeof link->name) {
        fprintf(stderr, "poise: --point: LINK or LINK:x,y,z is due, not '%s'\n", text);
        return false;
    }
    memcpy(link->name, text, length);
    link->name[length] = '\0';
    double place[3] = {0.0, 0.0, 0.0};
    if (colon && !poise__parse_numbers("--point", colon + 1, place, 3)) {
        return false;
    }
    link->place = poise_vec3(place[0], place[1], place[2]);
    link->given = true;
    return true;
}

// a name that is nearly one, or else the links there are
static void refuse_name(const PoiseScene* scene, const char* name) {
    Suggestion suggestion = poise__suggestion(name);
    for (int i = 0; i < scene->frame_count; i++) {
        poise__suggestion_offer_path(&suggestion, scene->frames[i].name);
    }
    for (int i = 0; i < scene->point_count; i++) {
        poise__suggestion_offer(&suggestion, scene->points[i].name);
    }
    char guess[200];
    fprintf(stderr, "poise: --point: there is no link '%s'%s\n", name,
            poise__suggestion_text(&suggestion, guess, sizeof guess));
    if (suggestion.best) {
        return;
    }
    fprintf(stderr, "poise: there are");
    for (int i = 0; i < scene->frame_count && i < LINKS_SHOWN; i++) {
        fprintf(stderr, "%s %s", i > 0 ? "," : "", scene->frames[i].name);
    }
    fprintf(stderr, "%s\n", scene->frame_count > LINKS_SHOWN ? ", ..." : "");
}

bool poise__link_find(const PoiseSimulation* simulation, const SolveLink* link, PoiseNodeId* node,
                      PoisePose* in_link) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    int frame = poise_scene_find_frame(scene, link->name);
    int point = frame < 0 ? poise_scene_find_point(scene, link->name) : -1;
    if (frame < 0 && point < 0) {
        refuse_name(scene, link->name);
        return false;
    }
    if (point >= 0 && scene->points[point].com) {
        fprintf(stderr, "poise: --point: '%s' is a centre of mass, of no one link\n", link->name);
        return false;
    }
    const PoiseSceneBody* body =
        &scene->bodies[point >= 0 ? scene->points[point].body : scene->frames[frame].body];
    if (body->joint < 0) {
        fprintf(stderr, "poise: --point: no joint can move '%s'\n", link->name);
        return false;
    }
    *node = poise_simulation_joint(simulation, body->joint).node;
    *in_link =
        poise_pose_mul(point >= 0 ? scene->points[point].in_body : scene->frames[frame].in_body,
                       poise_pose(link->place, poise_quat_identity()));
    // the node's link stands at the centre of mass
    in_link->p = poise_sub(in_link->p, body->com);
    return true;
}
