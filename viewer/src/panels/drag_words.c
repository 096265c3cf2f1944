// SPDX-License-Identifier: MIT
#include "drag_words.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "suggest_name.h"
#include "units.h"

/// Least distance of a body from its goal that is mentioned, m.
static const double LEAST_BEHIND = 5e-4;
enum { WHY_WORDS = 128 };

/// Writes " along x" or " about z" for a part of the gizmo; "" for its middle.
static const char* part_words(PoiseGizmoPart part, char text[16]) {
    text[0] = '\0';
    if (poise__gizmo_is_arrow(part) || poise__gizmo_is_ring(part)) {
        snprintf(text, 16, " %s %c", poise__gizmo_is_ring(part) ? "about" : "along",
                 "xyz"[poise__gizmo_axis(part)]);
    }
    return text;
}

static const char* bare_name_of(void* user, PoiseNodeId node) {
    const PoiseNodeNames names = poise_simulation_node_names((const PoiseSimulation*)user);
    const char* name = names.name_of(names.user, node);
    return name ? poise__bare_name(name) : NULL;
}

/// True if some joint moves both points.
static bool share_joint(const PoiseSimulation* simulation, const PoisePointView* a,
                        const PoisePointView* b) {
    enum { MANY = 64 };
    PoiseNodeId nodes[MANY];
    PoiseTree* tree = poise_simulation_tree(simulation);
    const int count = poise_point_nodes(tree, a->point, nodes, MANY);
    for (int i = 0; i < count && i < MANY; i++) {
        if (poise_is_registered(tree, b->point, nodes[i])) {
            return true;
        }
    }
    return false;
}

static double weight_of(const PoiseSimulation* simulation, const char* point) {
    PoiseParameter parameter = {.value = 0.0};
    char key[160];
    snprintf(key, sizeof key, "control_points.%.100s.weight", point);
    poise_simulation_parameter(simulation, poise_simulation_find_parameter(simulation, key),
                               &parameter);
    return parameter.value;
}

/// Writes the name of the heaviest point that shares a joint with this one and outweighs it, and
/// the number of further such points.
static void name_heaviest(const PoiseSimulation* simulation, const PoisePointView* point,
                          char* text, size_t capacity) {
    PoisePointView heaviest = {.name = ""};
    double most = 0.0;
    int others = -1;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView other = poise_simulation_point(simulation, i);
        const bool counts = other.enabled && !other.removed &&
                            other.point.index1 != point->point.index1 &&
                            share_joint(simulation, point, &other);
        const double weight = counts ? weight_of(simulation, other.name) : 0.0;
        others += counts;
        if (weight > most) {
            most = weight;
            heaviest = other;
        }
    }
    if (others > 0) {
        snprintf(text, capacity, "outweighed by %.40s and %d more", poise__bare_name(heaviest.name),
                 others);
    } else if (others == 0) {
        snprintf(text, capacity, "outweighed by %.40s", poise__bare_name(heaviest.name));
    }
}

const char* poise__why_text(const PoiseSimulation* simulation, const PoisePointView* point,
                            char* text, size_t capacity) {
    const PoiseNodeNames names = {bare_name_of, (void*)(uintptr_t)simulation,
                                  poise_simulation_node_names(simulation).geom_name_of};
    poise_point_why_text(&point->reading, &names, text, capacity);
    if (point->reading.why == POISE_WHY_OUTWEIGHED && point->reading.joint_count == 0) {
        name_heaviest(simulation, point, text, capacity);
    }
    return text;
}

/// Writes the cause of a point's distance from its goal, such as ", held by panda_joint4: limit";
/// "" at the goal, or while the point moves towards it.
static const char* why_words(const PoisePointView* point, const PoiseSimulation* simulation,
                             char text[WHY_WORDS]) {
    char sentence[POISE_WHY_TEXT];
    text[0] = '\0';
    if (point->reading.why != POISE_WHY_NONE && point->reading.why != POISE_WHY_MOVING) {
        snprintf(text, WHY_WORDS, ", %.120s",
                 poise__why_text(simulation, point, sentence, sizeof sentence));
    }
    return text;
}

/// Writes how far the point is from its goal and why; while the run is paused, how far from it IK
/// plans to bring the point.
static void behind_words(const PoiseApp* app, const PoisePointView* point, double behind,
                         char text[WHY_WORDS + 64]) {
    char number[POISE_UNIT_TEXT];
    char why[WHY_WORDS];
    text[0] = '\0';
    if (app->pacing.paused && app->view.plans) {
        const double miss = poise__ghosts_miss(&app->view.ghosts, point);
        snprintf(text, WHY_WORDS + 64, miss > LEAST_BEHIND ? ", planned: %s short" : ", planned",
                 poise__length_text(miss, number));
    } else if (behind > LEAST_BEHIND) {
        snprintf(text, WHY_WORDS + 64, ", %s behind%s", poise__length_text(behind, number),
                 why_words(point, app->session.simulation, why));
    }
}

/// Describes how far the drag has moved the goal, and how far the body is from it.
static void describe_target_drag(const PoiseApp* app, char words[POISE_WORDS_CAPACITY]) {
    const PoiseHand* hand = &app->hand;
    const PoisePointView point = poise_simulation_point(app->session.simulation, hand->point);
    const PoisePose start = hand->gizmo.start;
    char distance[POISE_UNIT_TEXT];
    char behind[WHY_WORDS + 64];
    char part[16];
    if (poise__gizmo_is_ring(hand->gizmo.part)) {
        const PoiseVec3 turn =
            poise_quat_log(poise_quat_mul(point.goal_world.q, poise_quat_conjugate(start.q)));
        poise__angle_text(poise_dot(turn, hand->gizmo.axis), distance);
    } else {
        const PoiseVec3 moved = poise_sub(point.goal_world.p, start.p);
        const bool arrow = poise__gizmo_is_arrow(hand->gizmo.part);
        poise__length_text(arrow ? poise_dot(moved, hand->gizmo.axis) : poise_length(moved),
                           distance);
    }
    behind_words(app, &point, point.reading.miss, behind);
    snprintf(words, POISE_WORDS_CAPACITY, "%.40s %s%s%s", poise__bare_name(point.name), distance,
             part_words(hand->gizmo.part, part), behind);
}

static void describe_link_drag(const PoiseApp* app, char words[POISE_WORDS_CAPACITY]) {
    const PoisePointView point = poise_simulation_point(app->session.simulation, app->hand.point);
    char distance[POISE_UNIT_TEXT];
    char behind[WHY_WORDS + 64];
    behind_words(app, &point, point.reading.miss, behind);
    snprintf(words, POISE_WORDS_CAPACITY, "%.40s by IK: %s%s",
             poise__bare_name(poise_simulation_body(app->session.simulation, app->hand.body).name),
             poise__length_text(poise_length(poise_sub(point.goal_world.p, app->hand.plane.start)),
                                distance),
             behind);
}

static void describe_pull(const PoiseApp* app, char words[POISE_WORDS_CAPACITY]) {
    PoiseVec3 from = {0.0, 0.0, 0.0};
    PoiseVec3 to = from;
    PoiseVec3 newtons = from;
    char length[POISE_UNIT_TEXT];
    char force[POISE_UNIT_TEXT];
    poise_simulation_pulled(app->session.simulation, &from, &to, &newtons);
    snprintf(words, POISE_WORDS_CAPACITY, "%.40s by a spring: %s, %s",
             poise__bare_name(poise_simulation_body(app->session.simulation, app->hand.body).name),
             poise__length_text(poise_length(poise_sub(to, from)), length),
             poise__value_text(poise_length(newtons), "N", force));
}

/// Writes the compliance along the dragged axis: the present one and the asked one.
static void describe_yielding(const PoiseApp* app, char words[POISE_WORDS_CAPACITY]) {
    const PoiseYielding* yielding = &app->highlight.yielding;
    const double has =
        poise__ellipsoid_along(&yielding->has, poise__yielding_direction(yielding, app->hand.end));
    const double asked =
        (yielding->asks ? &yielding->asked : &yielding->has)->half[app->hand.end / 2];
    snprintf(
        words, POISE_WORDS_CAPACITY, "%.40s: %.3g mm/N asked, %.3g mm/N with these springs",
        poise__bare_name(poise_simulation_point(app->session.simulation, app->hand.point).name),
        1e3 * asked, 1e3 * has);
}

/// Describes what a drag that begins at the pointer would do. Returns false if it would do nothing.
static bool describe_possible_drag(const PoiseApp* app, char words[POISE_WORDS_CAPACITY]) {
    const PoiseSimulation* simulation = app->session.simulation;
    const PoisePick* hover = &app->highlight.hover;
    const int body = poise__app_picked_body(app, hover);
    char part[16];
    if (app->gesture != POISE_GESTURE_NONE && app->hand.grip == POISE_GRIP_NONE) {
        return false; // such a drag moves the camera
    }
    if (app->highlight.yielding.end >= 0) {
        snprintf(words, POISE_WORDS_CAPACITY, "drag: finds springs for another compliance");
        return true;
    }
    if (app->highlight.part != POISE_GIZMO_NONE && app->highlight.selected >= 0) {
        snprintf(words, POISE_WORDS_CAPACITY, "drag: %s %.40s%s",
                 poise__gizmo_is_ring(app->highlight.part) ? "turns" : "moves",
                 poise__bare_name(poise_simulation_point(simulation, app->highlight.selected).name),
                 part_words(app->highlight.part, part));
        return true;
    }
    if (hover->kind == POISE_PICK_GOAL) {
        snprintf(words, POISE_WORDS_CAPACITY, "drag: moves the target of %.40s",
                 poise__bare_name(poise_simulation_point(simulation, hover->index).name));
        return true;
    }
    if (body >= 0 && !poise_simulation_body(simulation, body).fixed) {
        const bool moved_by_ik =
            poise_simulation_joint_node(simulation, poise_simulation_body(simulation, body).joint)
                .index1 != 0;
        const bool pulls = !moved_by_ik || (app->mods & POISE_MOD_CTRL);
        snprintf(words, POISE_WORDS_CAPACITY, "drag: %s %.40s%s", pulls ? "pulls" : "moves",
                 poise__bare_name(poise_simulation_body(simulation, body).name),
                 pulls ? " by a spring" : " by IK");
        return true;
    }
    return false;
}

bool poise__words_of_hand(const PoiseApp* app, char words[POISE_WORDS_CAPACITY]) {
    switch (app->hand.grip) {
    case POISE_GRIP_TARGET:
        if (!app->hand.drags) {
            break;
        }
        describe_target_drag(app, words);
        return true;
    case POISE_GRIP_LINK:
        describe_link_drag(app, words);
        return true;
    case POISE_GRIP_PULL:
        describe_pull(app, words);
        return true;
    case POISE_GRIP_YIELDING:
        describe_yielding(app, words);
        return true;
    case POISE_GRIP_WAITING:
    case POISE_GRIP_NONE:
        break;
    }
    return describe_possible_drag(app, words);
}

void poise__words_of_caption(const PoiseApp* app, char text[POISE_WORDS_CAPACITY]) {
    const PoiseSimulation* simulation = app->session.simulation;
    text[0] = '\0';
    for (const char* rest = app->caption; *rest != '\0';) {
        const size_t plain = strcspn(rest, "{");
        const size_t used = strlen(text);
        char name[POISE_CAPTION];
        char number[POISE_UNIT_TEXT] = "";
        double value = 0.0;
        snprintf(text + used, POISE_WORDS_CAPACITY - used, "%.*s", (int)plain, rest);
        rest += plain;
        const size_t length = strcspn(rest, "}");
        if (*rest == '{') {
            snprintf(name, sizeof name, "%.*s", (int)length - 1, rest + 1);
            const bool known = poise__value_of(simulation, name, &value);
            poise__value_text(known ? value : (double)NAN, poise__value_unit(simulation, name),
                              number);
            rest += length + (rest[length] == '}');
        }
        const size_t end = strlen(text);
        snprintf(text + end, POISE_WORDS_CAPACITY - end, "%s", number);
    }
}
