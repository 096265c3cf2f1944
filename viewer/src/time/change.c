// SPDX-License-Identifier: MIT
#include "change.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// By kind of change: its word in scripts; the kind of thing that it names; letters for the numbers
/// after the name: p: `place`, t: "to" and `to`, q: `turn` as w x y z, v: `value`, j: `q`.
static const struct {
    const char* word;
    PoiseOwner owner;
    const char* numbers;
} ROWS[] = {
    [POISE_CHANGE_NONE] = {"", POISE_OWNER_NONE, ""},
    [POISE_CHANGE_HOLD] = {"hold", POISE_OWNER_TARGET, "p"},
    [POISE_CHANGE_TURN] = {"turn", POISE_OWNER_TARGET, "q"},
    [POISE_CHANGE_RELEASE] = {"release", POISE_OWNER_TARGET, ""},
    [POISE_CHANGE_SET] = {"set", POISE_OWNER_PARAMETER, "v"},
    [POISE_CHANGE_ADD] = {"add", POISE_OWNER_LINK, "p"},
    [POISE_CHANGE_REMOVE] = {"remove", POISE_OWNER_TARGET, ""},
    [POISE_CHANGE_PULL] = {"pull", POISE_OWNER_LINK, "pt"},
    [POISE_CHANGE_LET_GO] = {"let_go", POISE_OWNER_NONE, ""},
    [POISE_CHANGE_POSE] = {"pose", POISE_OWNER_JOINT, "j"},
    [POISE_CHANGE_NATURAL] = {"natural", POISE_OWNER_JOINT, "j"},
    [POISE_CHANGE_PLACE] = {"place", POISE_OWNER_LINK, "pq"},
};
enum { ROW_COUNT = (int)(sizeof ROWS / sizeof *ROWS), TEXT = 512 };

/// By owner: the prefix of its names in scripts, and the word for it in messages.
static const struct {
    const char* prefix;
    const char* words;
} OWNERS[] = {
    [POISE_OWNER_NONE] = {"", ""},
    [POISE_OWNER_TARGET] = {"target:", "a target"},
    [POISE_OWNER_LINK] = {"link:", "a link"},
    [POISE_OWNER_JOINT] = {"joint:", "a joint"},
    [POISE_OWNER_PARAMETER] = {"", "a parameter"},
};

PoiseOwner poise__change_owner(PoiseChangeKind kind) {
    return ROWS[kind].owner;
}

// ------------------------------------------------------------------------------------------- names

/// The targets, links, joints or parameters of a simulation.
typedef struct Names {
    const PoiseSimulation* simulation;
    PoiseOwner owner;
} Names;

static const char* name_at(const void* user, int index, char text[POISE_SUGGESTION_LENGTH]) {
    const Names* names = user;
    PoiseParameter parameter;
    PoisePointView point;
    switch (names->owner) {
    case POISE_OWNER_TARGET:
        point = poise_simulation_point(names->simulation, index);
        return point.removed ? "" : point.name;
    case POISE_OWNER_LINK:
        return poise_simulation_body(names->simulation, index).name;
    case POISE_OWNER_JOINT:
        return poise_simulation_joint(names->simulation, index).name;
    case POISE_OWNER_PARAMETER:
        snprintf(text, POISE_SUGGESTION_LENGTH, "%s",
                 poise_simulation_parameter(names->simulation, index, &parameter) ? parameter.key
                                                                                  : "");
        return text;
    case POISE_OWNER_NONE:
        break;
    }
    return "";
}

static int count_of(Names names) {
    switch (names.owner) {
    case POISE_OWNER_TARGET:
        return poise_simulation_point_count(names.simulation);
    case POISE_OWNER_LINK:
        return poise_simulation_body_count(names.simulation);
    case POISE_OWNER_JOINT:
        return poise_simulation_joint_count(names.simulation);
    case POISE_OWNER_PARAMETER:
        return poise_simulation_parameter_count(names.simulation);
    case POISE_OWNER_NONE:
        break;
    }
    return 0;
}

int poise__find(const PoiseSimulation* simulation, PoiseOwner owner, const char* name) {
    const Names names = {simulation, owner};
    char text[POISE_SUGGESTION_LENGTH];
    if (owner == POISE_OWNER_PARAMETER) { // parameters have a table that is faster
        return poise_simulation_find_parameter(simulation, name);
    }
    for (int i = 0; i < count_of(names); i++) {
        const char* other = name_at(&names, i, text);
        if (other && other[0] != '\0' && strcmp(other, name) == 0) {
            return i;
        }
    }
    return -1;
}

const char* poise__suggest_name_of(const PoiseSimulation* simulation, PoiseOwner owner,
                                   const char* written, char text[POISE_SUGGESTION_LENGTH]) {
    const Names names = {simulation, owner};
    return poise__suggest_name(written, name_at, &names, count_of(names), text);
}

// ----------------------------------------------------------------------------------------- changes

PoiseChange poise__pose_of_joint(const PoiseSimulation* simulation, int joint) {
    PoiseChange change = {.kind = POISE_CHANGE_POSE, .index = joint};
    const PoiseJointSprings springs = poise_simulation_joint_springs(simulation, joint);
    const PoiseJointView now = poise_simulation_joint(simulation, joint);
    // The springs have the coordinates at the start of the last step, the joint those after it.
    // Both have those at the start for a floating base.
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
        // return to the scene's goal; then hold its position or orientation, if these were held
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

/// Returns the address and the number of those numbers of a change that a letter of ROWS denotes.
static double* numbers_of(PoiseChange* change, char letter, int* count) {
    static const struct {
        char letter;
        int count;
        size_t offset;
    } fields[] = {{'p', 3, offsetof(PoiseChange, place)},
                  {'t', 3, offsetof(PoiseChange, to)},
                  {'q', 4, offsetof(PoiseChange, turn)},
                  {'v', 1, offsetof(PoiseChange, value)}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].letter == letter) {
            *count = fields[i].count;
            return (double*)((char*)change + fields[i].offset);
        }
    }
    *count = change->q_count;
    return change->q;
}

/// Appends the shortest text that reads back as the same number.
static void append_number(char text[TEXT], double value) {
    char number[32];
    const size_t used = strlen(text);
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(number, sizeof number, "%.*g", digits, value);
        if (strtod(number, NULL) == value) {
            break;
        }
    }
    snprintf(text + used, TEXT - used, " %s", number);
}

void poise__change_print(const PoiseChange* change, const PoiseSimulation* simulation,
                         char text[TEXT]) {
    const PoiseOwner owner = ROWS[change->kind].owner;
    const Names names = {simulation, owner};
    PoiseChange copy = *change;
    char buffer[POISE_SUGGESTION_LENGTH];
    const char* name = name_at(&names, change->index, buffer);
    snprintf(text, TEXT, "%s%s%s%s", ROWS[change->kind].word, owner == POISE_OWNER_NONE ? "" : " ",
             OWNERS[owner].prefix, name ? name : "");
    for (const char* letter = ROWS[change->kind].numbers; *letter != '\0'; letter++) {
        int count = 0;
        const double* numbers = numbers_of(&copy, *letter, &count);
        if (*letter == 't') {
            const size_t used = strlen(text);
            snprintf(text + used, TEXT - used, " to");
        }
        for (int i = 0; i < count; i++) {
            append_number(text, numbers[i]);
        }
    }
}

static PoiseChangeKind kind_of(const char* text) {
    size_t length = strcspn(text, " \t");
    for (int i = 1; i < ROW_COUNT; i++) {
        if (strlen(ROWS[i].word) == length && strncmp(ROWS[i].word, text, length) == 0) {
            return (PoiseChangeKind)i;
        }
    }
    return POISE_CHANGE_NONE;
}

bool poise__change_is_one(const char* text) {
    return kind_of(text) != POISE_CHANGE_NONE;
}

/// Reads the second word, the name, without "target:", "link:" or "joint:"; moves `text` past it.
static void read_name(const char** text, char name[160]) {
    *text += strcspn(*text, " \t");
    *text += strspn(*text, " \t");
    const size_t length = strcspn(*text, " \t");
    size_t skipped = 0;
    for (size_t i = 0; i < sizeof OWNERS / sizeof *OWNERS && skipped == 0; i++) {
        const size_t prefix = strlen(OWNERS[i].prefix);
        skipped = prefix <= length && strncmp(*text, OWNERS[i].prefix, prefix) == 0 ? prefix : 0;
    }
    snprintf(name, 160, "%.*s", (int)(length - skipped), *text + skipped);
    *text += length;
}

/// Reads the numbers of a change, which its row in ROWS lists. Returns false if one is missing or
/// not finite.
static bool read_numbers(const char* text, PoiseChange* change) {
    for (const char* letter = ROWS[change->kind].numbers; *letter != '\0'; letter++) {
        int count = 0;
        double* numbers = numbers_of(change, *letter, &count);
        text += strspn(text, " \t");
        if (*letter == 't' && strncmp(text, "to", 2) != 0) {
            return false;
        }
        text += *letter == 't' ? 2 : 0;
        for (int i = 0; i < count; i++) {
            char* end = NULL;
            numbers[i] = strtod(text, &end);
            if (end == text || !isfinite(numbers[i])) {
                return false;
            }
            text = end;
        }
    }
    return text[strspn(text, " \t")] == '\0';
}

bool poise__change_parse(const char* text, const PoiseSimulation* simulation, PoiseChange* change,
                         PoiseNote* note) {
    char name[160] = "";
    char guess[POISE_SUGGESTION_LENGTH] = "";
    const char* rest = text;
    *change = (PoiseChange){.kind = kind_of(text), .turn = {1.0, 0.0, 0.0, 0.0}};
    if (change->kind == POISE_CHANGE_NONE) {
        return poise__note_fail(note, "'%s' is no change", text);
    }
    const PoiseOwner owner = ROWS[change->kind].owner;
    read_name(&rest, name);
    change->index = owner == POISE_OWNER_NONE ? 0 : poise__find(simulation, owner, name);
    if (change->index < 0) {
        return poise__note_fail(note, "'%s' is not %s of this scene%s", name, OWNERS[owner].words,
                                poise__suggest_name_of(simulation, owner, name, guess));
    }
    if (owner == POISE_OWNER_JOINT) {
        change->q_count = poise_simulation_joint_springs(simulation, change->index).count;
    }
    return read_numbers(rest, change) ||
           poise__note_fail(note, "'%s': the numbers cannot be read", text);
}
