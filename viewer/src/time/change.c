// SPDX-License-Identifier: MIT
#include "change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const WORDS[] = {
    [POISE_CHANGE_NONE] = "",           [POISE_CHANGE_HOLD] = "hold",
    [POISE_CHANGE_TURN] = "turn",       [POISE_CHANGE_RELEASE] = "release",
    [POISE_CHANGE_SET] = "set",         [POISE_CHANGE_ADD] = "add",
    [POISE_CHANGE_REMOVE] = "remove",   [POISE_CHANGE_PULL] = "pull",
    [POISE_CHANGE_LET_GO] = "let_go",   [POISE_CHANGE_POSE] = "pose",
    [POISE_CHANGE_NATURAL] = "natural", [POISE_CHANGE_PLACE] = "place",
};
enum { WORD_COUNT = (int)(sizeof WORDS / sizeof *WORDS) };

int poise__find_point(const PoiseSimulation* simulation, const char* name) {
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        if (!point.removed && strcmp(point.name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int poise__find_body(const PoiseSimulation* simulation, const char* name) {
    for (int i = 0; i < poise_simulation_body_count(simulation); i++) {
        if (strcmp(poise_simulation_body(simulation, i).name, name) == 0) {
            return i;
        }
    }
    return -1;
}

int poise__find_joint(const PoiseSimulation* simulation, const char* name) {
    return poise_scene_find_joint(poise_simulation_scene(simulation), name);
}

static const char* joint_name(const void* user, int index, char text[POISE_GUESS_LENGTH]) {
    (void)text;
    return poise_simulation_joint(user, index).name;
}

static const char* point_name(const void* user, int index, char text[POISE_GUESS_LENGTH]) {
    PoisePointView point = poise_simulation_point(user, index);
    (void)text;
    return point.removed ? "" : point.name;
}

static const char* body_name(const void* user, int index, char text[POISE_GUESS_LENGTH]) {
    (void)text;
    return poise_simulation_body(user, index).name;
}

static const char* parameter_key(const void* user, int index, char text[POISE_GUESS_LENGTH]) {
    PoiseParameter parameter;
    bool there = poise_simulation_parameter(user, index, &parameter);
    snprintf(text, POISE_GUESS_LENGTH, "%s", there ? parameter.key : "");
    return text;
}

const char* poise__guess_point(const PoiseSimulation* simulation, const char* written,
                               char text[POISE_GUESS_LENGTH]) {
    return poise__guess(written, point_name, simulation, poise_simulation_point_count(simulation),
                        text);
}

const char* poise__guess_body(const PoiseSimulation* simulation, const char* written,
                              char text[POISE_GUESS_LENGTH]) {
    return poise__guess(written, body_name, simulation, poise_simulation_body_count(simulation),
                        text);
}

const char* poise__guess_parameter(const PoiseSimulation* simulation, const char* written,
                                   char text[POISE_GUESS_LENGTH]) {
    return poise__guess(written, parameter_key, simulation,
                        poise_simulation_parameter_count(simulation), text);
}

PoiseChange poise__pose_of_joint(const PoiseSimulation* simulation, int joint) {
    PoiseChange change = {.kind = POISE_CHANGE_POSE, .index = joint};
    const PoiseJointSprings springs = poise_simulation_joint_springs(simulation, joint);
    const PoiseJointView now = poise_simulation_joint(simulation, joint);
    // The springs hold the coordinates at the start of the last step, the joint those of now. Both
    // hold the start for a floating base.
    const double* from = poise_kind_floats(now.kind) ? springs.q : now.q;
    change.q_count = springs.count;
    memcpy(change.q, from, (size_t)change.q_count * sizeof *change.q);
    return change;
}

PoiseChange poise__natural_of_joint(const PoiseSimulation* simulation, int joint) {
    PoiseChange change = {.kind = POISE_CHANGE_NATURAL, .index = joint};
    const PoiseJointSprings springs = poise_simulation_joint_springs(simulation, joint);
    change.q_count = springs.count;
    memcpy(change.q, springs.q_natural, (size_t)change.q_count * sizeof *change.q);
    return change;
}

PoiseChange poise__place_of_body(const PoiseSimulation* simulation, int body) {
    PoisePose pose = poise_simulation_body(simulation, body).pose_world;
    return (PoiseChange){
        .kind = POISE_CHANGE_PLACE, .index = body, .place = pose.p, .turn = pose.q};
}

static PoiseChange hold_present_goal(int index, const PoisePointView* point) {
    PoiseChange change = {.kind = POISE_CHANGE_HOLD, .index = index, .place = point->goal_world.p};
    return change;
}

void poise__change_undo(const PoiseChange* change, const PoiseSimulation* simulation,
                        PoiseChange undo[POISE_UNDO_CHANGES]) {
    PoisePointView point = poise_simulation_point(simulation, change->index);
    PoiseParameter parameter;
    memset(undo, 0, POISE_UNDO_CHANGES * sizeof *undo);
    switch (change->kind) {
    case POISE_CHANGE_HOLD:
    case POISE_CHANGE_TURN:
    case POISE_CHANGE_RELEASE:
        // return to the scene's goal, then hold its position or orientation if they were held
        undo[0] = (PoiseChange){.kind = POISE_CHANGE_RELEASE, .index = change->index};
        if (point.held) {
            undo[1] = hold_present_goal(change->index, &point);
        }
        if (point.turn_held) {
            undo[2] = (PoiseChange){
                .kind = POISE_CHANGE_TURN, .index = change->index, .turn = point.goal_world.q};
        }
        break;
    case POISE_CHANGE_SET:
        if (poise_simulation_parameter(simulation, change->index, &parameter)) {
            undo[0] = *change;
            undo[0].value = parameter.value;
        }
        break;
    case POISE_CHANGE_REMOVE:
        undo[0] =
            (PoiseChange){.kind = POISE_CHANGE_ADD, .index = point.body, .place = point.in_body.p};
        undo[1] = hold_present_goal(POISE_JUST_ADDED, &point);
        break;
    case POISE_CHANGE_POSE:
        undo[0] = poise__pose_of_joint(simulation, change->index);
        break;
    case POISE_CHANGE_NATURAL:
        undo[0] = poise__natural_of_joint(simulation, change->index);
        break;
    case POISE_CHANGE_PLACE:
        undo[0] = poise__place_of_body(simulation, change->index);
        break;
    case POISE_CHANGE_NONE:
    case POISE_CHANGE_ADD:
    case POISE_CHANGE_PULL:
    case POISE_CHANGE_LET_GO:
        break;
    }
}

// ----------------------------------------------------------------------------------------- as text

// Prints the shortest text that reads back as the same number.
static const char* number(double value, char text[32]) {
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return text;
}

static const char* place(PoiseVec3 v, char text[128]) {
    char part[3][32];
    snprintf(text, 128, "%s %s %s", number(v.x, part[0]), number(v.y, part[1]),
             number(v.z, part[2]));
    return text;
}

static const char* quaternion(PoiseQuat q, char text[160]) {
    char part[4][32];
    snprintf(text, 160, "%s %s %s %s", number(q.w, part[0]), number(q.x, part[1]),
             number(q.y, part[2]), number(q.z, part[3]));
    return text;
}

static void print_pose(const PoiseChange* change, const PoiseSimulation* simulation,
                       char text[512]) {
    char part[32];
    snprintf(text, 512, "%s joint:%s", WORDS[change->kind],
             poise_simulation_joint(simulation, change->index).name);
    for (int i = 0; i < change->q_count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, 512 - used, " %s", number(change->q[i], part));
    }
}

void poise__change_print(const PoiseChange* change, const PoiseSimulation* simulation,
                         char text[512]) {
    char a[160];
    char b[128];
    const char* word = WORDS[change->kind];
    const char* point = poise_simulation_point(simulation, change->index).name;
    const char* body = poise_simulation_body(simulation, change->index).name;
    PoiseParameter parameter;
    text[0] = '\0';
    switch (change->kind) {
    case POISE_CHANGE_HOLD:
        snprintf(text, 512, "%s target:%s %s", word, point, place(change->place, a));
        break;
    case POISE_CHANGE_TURN:
        snprintf(text, 512, "%s target:%s %s", word, point, quaternion(change->turn, a));
        break;
    case POISE_CHANGE_RELEASE:
    case POISE_CHANGE_REMOVE:
        snprintf(text, 512, "%s target:%s", word, point);
        break;
    case POISE_CHANGE_SET:
        if (poise_simulation_parameter(simulation, change->index, &parameter)) {
            snprintf(text, 512, "%s %s %s", word, parameter.key, number(change->value, a));
        }
        break;
    case POISE_CHANGE_ADD:
        snprintf(text, 512, "%s link:%s %s", word, body, place(change->place, a));
        break;
    case POISE_CHANGE_PULL:
        snprintf(text, 512, "%s link:%s %s to %s", word, body, place(change->place, a),
                 place(change->to, b));
        break;
    case POISE_CHANGE_LET_GO:
        snprintf(text, 512, "%s", word);
        break;
    case POISE_CHANGE_POSE:
    case POISE_CHANGE_NATURAL:
        print_pose(change, simulation, text);
        break;
    case POISE_CHANGE_PLACE:
        snprintf(text, 512, "%s link:%s %s %s", word, body, place(change->place, b),
                 quaternion(change->turn, a));
        break;
    case POISE_CHANGE_NONE:
        break;
    }
}

static PoiseChangeKind kind_of(const char* text) {
    size_t length = strcspn(text, " \t");
    for (int i = 1; i < WORD_COUNT; i++) {
        if (strlen(WORDS[i]) == length && strncmp(WORDS[i], text, length) == 0) {
            return (PoiseChangeKind)i;
        }
    }
    return POISE_CHANGE_NONE;
}

bool poise__change_is_one(const char* text) {
    return kind_of(text) != POISE_CHANGE_NONE;
}

static bool read_numbers(const char** text, double* numbers, int count) {
    for (int i = 0; i < count; i++) {
        char* end = NULL;
        numbers[i] = strtod(*text, &end);
        if (end == *text || !isfinite(numbers[i])) {
            return false;
        }
        *text = end;
    }
    return true;
}

static bool read_place(const char** text, PoiseVec3* v) {
    double numbers[3];
    if (!read_numbers(text, numbers, 3)) {
        return false;
    }
    *v = poise_vec3(numbers[0], numbers[1], numbers[2]);
    return true;
}

static bool read_turn(const char** text, PoiseQuat* turn) {
    double q[4];
    if (!read_numbers(text, q, 4)) {
        return false;
    }
    *turn = poise_quat(q[0], q[1], q[2], q[3]);
    return true;
}

// Reads the second word without its "target:", "link:" or "joint:"; moves `text` past it.
static void read_name(const char** text, char name[160]) {
    *text += strcspn(*text, " \t");
    *text += strspn(*text, " \t");
    size_t length = strcspn(*text, " \t");
    snprintf(name, 160, "%.*s", (int)length, *text);
    *text += length;
    static const char* const prefixes[] = {"target:", "link:", "joint:"};
    for (int i = 0; i < 3; i++) {
        const char* prefix = prefixes[i];
        if (strncmp(name, prefix, strlen(prefix)) == 0) {
            memmove(name, name + strlen(prefix), strlen(name) - strlen(prefix) + 1);
            return;
        }
    }
}

static bool find_owner(PoiseChange* change, const PoiseSimulation* simulation, const char* name,
                       PoiseNote* note) {
    const char* what = "a target";
    char guess[POISE_GUESS_LENGTH] = "";
    switch (change->kind) {
    case POISE_CHANGE_SET:
        what = "a parameter";
        poise__guess_parameter(simulation, name, guess);
        change->index = poise_simulation_find_parameter(simulation, name);
        break;
    case POISE_CHANGE_POSE:
    case POISE_CHANGE_NATURAL:
        what = "a joint";
        poise__guess(name, joint_name, simulation, poise_simulation_joint_count(simulation), guess);
        change->index = poise__find_joint(simulation, name);
        break;
    case POISE_CHANGE_ADD:
    case POISE_CHANGE_PULL:
    case POISE_CHANGE_PLACE:
        what = "a link";
        poise__guess_body(simulation, name, guess);
        change->index = poise__find_body(simulation, name);
        break;
    case POISE_CHANGE_LET_GO:
        change->index = 0;
        break;
    default:
        poise__guess_point(simulation, name, guess);
        change->index = poise__find_point(simulation, name);
        break;
    }
    return change->index >= 0 ||
           poise__note_fail(note, "'%s' is not %s of this scene%s", name, what, guess);
}

bool poise__change_parse(const char* text, const PoiseSimulation* simulation, PoiseChange* change,
                         PoiseNote* note) {
    char name[160] = "";
    const char* rest = text;
    *change = (PoiseChange){.kind = kind_of(text), .turn = {1.0, 0.0, 0.0, 0.0}};
    if (change->kind == POISE_CHANGE_NONE) {
        return poise__note_fail(note, "'%s' is no change", text);
    }
    read_name(&rest, name);
    if (!find_owner(change, simulation, name, note)) {
        return false;
    }
    bool good = true;
    switch (change->kind) {
    case POISE_CHANGE_HOLD:
    case POISE_CHANGE_ADD:
        good = read_place(&rest, &change->place);
        break;
    case POISE_CHANGE_TURN:
        good = read_turn(&rest, &change->turn);
        break;
    case POISE_CHANGE_POSE:
    case POISE_CHANGE_NATURAL:
        change->q_count = poise_simulation_joint_springs(simulation, change->index).count;
        good = read_numbers(&rest, change->q, change->q_count);
        break;
    case POISE_CHANGE_PLACE:
        good = read_place(&rest, &change->place) && read_turn(&rest, &change->turn);
        break;
    case POISE_CHANGE_SET:
        good = read_numbers(&rest, &change->value, 1);
        break;
    case POISE_CHANGE_PULL:
        good = read_place(&rest, &change->place);
        rest += strspn(rest, " \t");
        good = good && strncmp(rest, "to", 2) == 0;
        rest += good ? 2 : 0;
        good = good && read_place(&rest, &change->to);
        break;
    default:
        break;
    }
    good = good && rest[strspn(rest, " \t")] == '\0';
    return good || poise__note_fail(note, "'%s': the numbers cannot be read", text);
}
