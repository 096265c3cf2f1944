// SPDX-License-Identifier: MIT
// Finds a tip's frame by name, and names the numbers of postures.
#include "poise/tip.h"

#include "diagnostics.h"

// Largest number of existing names that a message about a missing name lists.
#define NAMES_SHOWN 20

// Writes that there is no link `name`, with the most similar name, else with a list of links.
static const char* refuse_name(const PoiseScene* scene, const char* name, char* text,
                               size_t capacity) {
    Suggestion suggestion = poise__suggestion(name);
    for (int i = 0; i < scene->frame_count; i++) {
        poise__suggestion_offer_path(&suggestion, scene->frames[i].name);
    }
    for (int i = 0; i < scene->point_count; i++) {
        poise__suggestion_offer(&suggestion, scene->points[i].name);
    }
    char guess[200];
    int used = snprintf(text, capacity, "there is no link '%s'%s", name,
                        poise__suggestion_text(&suggestion, guess, sizeof guess));
    for (int i = 0; !suggestion.best && i < scene->frame_count && i < NAMES_SHOWN; i++) {
        if (used > 0 && (size_t)used < capacity) {
            used += snprintf(text + used, capacity - (size_t)used, "%s%s",
                             i > 0 ? ", " : "; there are ", scene->frames[i].name);
        }
    }
    if (!suggestion.best && scene->frame_count > NAMES_SHOWN && (size_t)used < capacity) {
        snprintf(text + used, capacity - (size_t)used, ", ...");
    }
    return text;
}

const char* poise_tip_find(const PoiseSimulation* simulation, const char* name, PoiseTip* tip,
                           char* text, size_t capacity) {
    if (!text || capacity == 0) {
        return "there is no room for a message";
    }
    if (!simulation || !name || !tip) {
        snprintf(text, capacity, "the simulation, the name or the tip is NULL");
        return text;
    }
    const PoiseScene* scene = poise_simulation_scene(simulation);
    const int frame = poise_scene_find_frame(scene, name);
    const int point = frame < 0 ? poise_scene_find_point(scene, name) : -1;
    if (frame < 0 && point < 0) {
        return refuse_name(scene, name, text, capacity);
    }
    if (point >= 0 && scene->points[point].com) {
        snprintf(text, capacity, "'%s' is a centre of mass, of no one link", name);
        return text;
    }
    const PoiseSceneBody* body =
        &scene->bodies[point >= 0 ? scene->points[point].body.index : scene->frames[frame].body];
    if (body->joint < 0) {
        snprintf(text, capacity, "no joint can move '%s'", name);
        return text;
    }
    tip->node = poise_simulation_joint(simulation, body->joint).node;
    tip->in_link = point >= 0 ? scene->points[point].in_body : scene->frames[frame].in_body;
    // The frame of a node's link has its origin at the centre of mass.
    tip->in_link.p = poise_sub(tip->in_link.p, body->com);
    return NULL;
}

static bool floats(const PoiseSimulation* simulation, int index) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    return index >= 0 && index < poise_simulation_joint_count(simulation) &&
           poise_kind_floats(scene->joints[index].kind) &&
           poise_simulation_joint_node(simulation, index).index1 != 0;
}

PoiseStatus poise_simulation_free_base(PoiseSimulation* simulation, bool moves) {
    PoiseStatus status = simulation ? POISE_OK : POISE_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < poise_simulation_joint_count(simulation) && status >= 0; i++) {
        if (floats(simulation, i)) {
            status = poise_node_set_enabled(poise_simulation_tree(simulation),
                                            poise_simulation_joint_node(simulation, i), moves);
        }
    }
    return status;
}

PoisePose poise_simulation_base(const PoiseSimulation* simulation, int index) {
    if (!floats(simulation, index)) {
        return poise_pose_identity();
    }
    const PoiseScene* scene = poise_simulation_scene(simulation);
    const int body = scene->joints[index].child.index;
    PoisePose in_body = poise_pose_identity();
    for (int i = scene->frame_count - 1; i >= 0; i--) {
        in_body = scene->frames[i].body == body ? scene->frames[i].in_body : in_body;
    }
    // The frame of a node's link has its origin at the centre of mass.
    in_body.p = poise_sub(in_body.p, scene->bodies[body].com);
    const PoiseNodeId node = poise_simulation_joint_node(simulation, index);
    const PoiseTree* tree = poise_simulation_tree(simulation);
    return poise_pose_mul(poise_node_link_world(tree, node), in_body);
}

const char* poise_tip_column(const PoiseSimulation* simulation, const PoiseBody* body, int index,
                             char* text, size_t capacity) {
    if (!text || capacity == 0) {
        return "";
    }
    text[0] = '\0';
    if (!simulation || index < 0 || index >= poise_body_posture_size(body)) {
        return text;
    }
    const PoiseNodeId node = poise_body_node(body, index);
    int part = 1;
    while (index - part >= 0 && poise_body_node(body, index - part).index1 == node.index1) {
        part++;
    }
    const char* joint = "";
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const bool own = poise_simulation_joint_node(simulation, i).index1 == node.index1;
        joint = own ? poise_simulation_scene(simulation)->joints[i].name : joint;
    }
    if (part > 1) {
        snprintf(text, capacity, "%s.%d", joint, part);
    } else {
        snprintf(text, capacity, "%s", joint);
    }
    return text;
}
