// SPDX-License-Identifier: MIT
// Makes the calls of refused.txt on a stage. The status, the message and the results are those of
// the row, and nothing changes.
#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

enum { LINE = 512, LARGEST_STRUCT = 4096, LIST = 32, LEAST_ROWS = 700, MOST_FUNCTIONS = 1024 };

/// True for the functions that have a row.
static bool has_row[MOST_FUNCTIONS];

/// A call with the arguments of a row of refused.txt. Other arguments are the stage's good values.
typedef struct Attempt {
    Stage* stage;
    const Call* call;
    const char* row;
    const void* arguments[CALL_MOST_PARAMETERS];
    const void* pointers[CALL_MOST_PARAMETERS];
    _Alignas(max_align_t) unsigned char bytes[CALL_MOST_PARAMETERS][LARGEST_STRUCT];
    double numbers[CALL_MOST_PARAMETERS][LIST];
    bool on_stage; ///< a member of the stage was changed
    CallResult result;
} Attempt;

/// Returns the type without `const ` at its head.
static const char* bare(const char* type) {
    return strncmp(type, "const ", 6) == 0 ? type + 6 : type;
}

static bool is_pointer(const char* type) {
    return type[strlen(type) - 1] == '*';
}

/// True if `type` is a pointer to `pointed`.
static bool points_to(const char* type, const char* pointed) {
    const size_t length = strlen(pointed);
    return strncmp(bare(type), pointed, length) == 0 && strcmp(bare(type) + length, "*") == 0;
}

/// Finds a member of the stage, `name` or `name[i]`. Returns its memory, or NULL.
static unsigned char* find_thing(Stage* stage, const char* name, const Thing** thing) {
    const size_t length = strcspn(name, "[.");
    const long index = name[length] == '[' ? strtol(name + length + 1, NULL, 10) : 0;
    for (int i = 0; i < thing_count; i++) {
        if (strlen(things[i].name) == length && strncmp(things[i].name, name, length) == 0) {
            *thing = &things[i];
            return (unsigned char*)stage + things[i].offset + (size_t)index * things[i].size;
        }
    }
    return NULL;
}

/// Writes a number of the type. False if the text or the type is no number.
static bool put_number(const char* type, const char* text, void* to) {
    char* end = NULL;
    const double number = strtod(text, &end);
    if (end == text || *end != '\0') {
        return false;
    }
    const long long whole = fabs(number) < 1e18 ? (long long)number : 0;
    const int small = (int)whole;
    const size_t size = (size_t)whole;
    const bool yes = whole != 0;
    if (strcmp(type, "double") == 0) {
        memcpy(to, &number, sizeof number);
    } else if (strcmp(type, "size_t") == 0) {
        memcpy(to, &size, sizeof size);
    } else if (strcmp(type, "bool") == 0) {
        memcpy(to, &yes, sizeof yes);
    } else if (strcmp(type, "int") == 0 || strcmp(type, "enum") == 0 ||
               strcmp(type, "unsigned") == 0 || strcmp(type, "uint32_t") == 0) {
        memcpy(to, &small, sizeof small);
    } else {
        return false;
    }
    return true;
}

/// Writes a value: a number, NULL, or a member of the stage. False if it is none of the type.
static bool put_value(Stage* stage, const char* type, const char* text, void* to) {
    if (put_number(type, text, to)) {
        return true;
    }
    if (strcmp(text, "NULL") == 0) {
        memset(to, 0, sizeof(void*));
        return true;
    }
    const Thing* thing = NULL;
    const unsigned char* found = find_thing(stage, text, &thing);
    if (found && strcmp(bare(thing->type), bare(type)) == 0) {
        memcpy(to, found, thing->size);
        return true;
    }
    if (found && points_to(type, thing->type)) {
        memcpy(to, &found, sizeof found);
        return true;
    }
    return false;
}

/// Returns the offset of the element in the path `name[i]` from that of `name[0]`, and writes the
/// path of the latter.
static size_t first_element(const char* path, char* first) {
    snprintf(first, LINE, "%s", path);
    const size_t length = strlen(first);
    if (length < 3 || first[length - 1] != ']' || first[length - 3] != '[') {
        return 0;
    }
    const size_t index = (size_t)(first[length - 2] - '0');
    first[length - 2] = '0';
    return index * sizeof(double);
}

/// Writes the members at the path of a struct: one, or those of an inner struct in their order.
static bool put_members(Stage* stage, const char* structure, const char* path, char* text,
                        unsigned char* to) {
    char first[LINE];
    const size_t offset = first_element(path, first);
    const size_t length = strlen(first);
    int written = 0;
    for (int i = 0; i < leaf_count && text; i++) {
        const Leaf* leaf = &leaves[i];
        const bool inner =
            length == 0 || (strncmp(leaf->path, first, length) == 0 && leaf->path[length] == '.');
        if (strcmp(leaf->structure, structure) != 0 || !(inner || strcmp(leaf->path, first) == 0)) {
            continue;
        }
        char* next = strchr(text, ',');
        if (next) {
            *next++ = '\0';
        }
        if (!put_value(stage, leaf->type, text, to + leaf->offset + offset)) {
            return false;
        }
        text = next;
        written++;
    }
    return written > 0 && !text;
}

/// Returns the size of a struct; 0: it has no members.
static size_t structure_size(const char* structure) {
    for (int i = 0; i < leaf_count; i++) {
        if (strcmp(leaves[i].structure, structure) == 0) {
            return leaves[i].size;
        }
    }
    return 0;
}

/// Copies the struct that a parameter points to, so that a row can change its members. Returns the
/// type's name.
static const char* own_struct(Attempt* attempt, int index, char* structure) {
    const char* type = attempt->call->parameters[index].type;
    snprintf(structure, LINE, "%s", bare(type));
    const void* from = attempt->arguments[index];
    if (is_pointer(type)) {
        structure[strlen(structure) - 1] = '\0';
        from = *(const void* const*)from;
    }
    const size_t size = structure_size(structure);
    if (size == 0 || size > LARGEST_STRUCT || !from) {
        return NULL;
    }
    memmove(attempt->bytes[index], from, size);
    attempt->pointers[index] = attempt->bytes[index];
    attempt->arguments[index] =
        is_pointer(type) ? (const void*)&attempt->pointers[index] : attempt->bytes[index];
    return structure;
}

/// Reads a list of numbers for a parameter that is an array.
static void put_list(Attempt* attempt, int index, char* text) {
    int count = 0;
    for (char* end = text; count < LIST && text; text = *end == ',' ? end + 1 : NULL) {
        attempt->numbers[index][count++] = strtod(text, &end);
    }
    attempt->pointers[index] = attempt->numbers[index];
    attempt->arguments[index] = &attempt->pointers[index];
}

static bool put_argument(Attempt* attempt, int index, const char* path, char* text) {
    const char* type = attempt->call->parameters[index].type;
    char structure[LINE];
    if (path[0] == '\0' && strcmp(bare(type), "double*") == 0 && strpbrk(text, "0123456789")) {
        put_list(attempt, index, text);
        return true;
    }
    if (path[0] == '\0' && !strchr(text, ',')) {
        attempt->arguments[index] = attempt->bytes[index];
        return put_value(attempt->stage, type, text, attempt->bytes[index]);
    }
    return own_struct(attempt, index, structure) &&
           put_members(attempt->stage, structure, path, text, attempt->bytes[index]);
}

/// Applies `name=value` or `name.member=value` to the parameter of this name, or else to the
/// stage's member of this name.
static bool assign(Attempt* attempt, char* token) {
    char* text = strchr(token, '=');
    if (!text) {
        return false;
    }
    *text++ = '\0';
    const size_t length = strcspn(token, ".");
    const char* path = token[length] == '.' ? token + length + 1 : "";
    for (int i = 0; i < attempt->call->count; i++) {
        const char* name = attempt->call->parameters[i].name;
        if (strlen(name) == length && strncmp(name, token, length) == 0) {
            return put_argument(attempt, i, path, text);
        }
    }
    const Thing* thing = NULL;
    unsigned char* found = find_thing(attempt->stage, token, &thing);
    attempt->on_stage = true;
    return found && (path[0] != '\0' ? put_members(attempt->stage, thing->type, path, text, found)
                                     : put_value(attempt->stage, thing->type, text, found));
}

/// Reads `function name=value ...`.
static void prepare(Attempt* attempt, char* text) {
    Stage* stage = attempt->stage;
    char* rest = NULL;
    const char* function = strtok_r(text, " ", &rest);
    attempt->call = NULL;
    for (int i = 0; i < call_count; i++) {
        if (strcmp(calls[i].function, function) == 0) {
            attempt->call = &calls[i];
            has_row[i] = true;
        }
    }
    cr_assert_not_null(attempt->call, "refused.txt: no function %s: %s", function, attempt->row);
    for (int i = 0; i < attempt->call->count; i++) {
        attempt->arguments[i] = stage_good(stage, attempt->call, i, &attempt->pointers[i]);
        cr_assert_not_null(attempt->arguments[i], "%s", attempt->row);
    }
    for (char* token = NULL; (token = strtok_r(NULL, " ", &rest));) {
        char copy[LINE];
        snprintf(copy, sizeof copy, "%s", token);
        cr_expect(assign(attempt, token), "refused.txt: not understood: %s: %s", copy,
                  attempt->row);
    }
}

static void make_call(Attempt* attempt) {
    memset(&attempt->result, 0, sizeof attempt->result);
    attempt->call->call(attempt->arguments, &attempt->result);
}

/// Stores what a call has made for later calls of the same row.
static void keep_made(Attempt* attempt) {
    const char* returns = attempt->call->returns;
    if (strcmp(returns, "PoiseNodeId") == 0) {
        memcpy(&attempt->stage->made_node, attempt->result.bytes, sizeof(PoiseNodeId));
    } else if (strcmp(returns, "PoisePointId") == 0) {
        memcpy(&attempt->stage->made_point, attempt->result.bytes, sizeof(PoisePointId));
    }
}

/// Returns the status that the text begins with, and the text behind it. POISE_OK if the text
/// begins with another word.
static PoiseStatus read_status(const char** text) {
    static const char* const names[] = {"OUT_OF_MEMORY", "INVALID_ARGUMENT", "INVALID_HANDLE",
                                        "STALE",         "CANNOT_MOVE",      "WRONG_KIND",
                                        "ALREADY_BOUND", "FOREIGN_WORLD",    "GONE"};
    for (int i = 0; i < 9; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(*text, names[i], length) == 0) {
            *text += length + ((*text)[length] == ' ');
            return (PoiseStatus)(-1 - i);
        }
    }
    return POISE_OK;
}

static bool gives(const Attempt* attempt, const char* value) {
    const CallResult* result = &attempt->result;
    const char* returns = attempt->call->returns;
    unsigned char number[sizeof(double)] = {0};
    if (attempt->call->gives == CALL_GIVES_TEXT && trial_gives_problem(attempt->call)) {
        return !result->pointer;
    }
    if (attempt->call->gives == CALL_GIVES_STATUS) {
        return put_number("int", value, number) &&
               memcmp(number, &result->status, sizeof result->status) == 0;
    }
    if (attempt->call->gives == CALL_GIVES_TEXT) {
        return result->pointer && strcmp(result->pointer, value) == 0;
    }
    return strcmp(value, "none") == 0 ? trial_gives_none(attempt->call, result)
                                      : put_number(returns, value, number) &&
                                            memcmp(number, result->bytes, result->size) == 0;
}

/// True if the call has an argument that keeps its last error message.
static bool has_owner(const Attempt* attempt) {
    for (int i = 0; i < attempt->call->count; i++) {
        const char* type = attempt->call->parameters[i].type;
        if ((strcmp(type, "PoiseTree*") == 0 || strcmp(type, "PoiseRig*") == 0) &&
            *(const void* const*)attempt->arguments[i]) {
            return true;
        }
    }
    return false;
}

static void expect_refused(Trial* trial, const Attempt* attempt, PoiseStatus expected,
                           const char* words) {
    const Call* call = attempt->call;
    const PoiseStatus status = trial_take_status(trial);
    cr_expect(trial_is_refused(call, &attempt->result, status), "taken: %s", attempt->row);
    const PoiseStatus given = call->gives == CALL_GIVES_STATUS ? attempt->result.status : status;
    if (call->gives == CALL_GIVES_STATUS || has_owner(attempt)) {
        cr_expect_eq(given, expected, "%s: gave '%s'", attempt->row, poise_status_name(given));
    }
    const char* said = trial_gives_problem(call) ? (const char*)attempt->result.pointer
                                                 : trial->stage.host.last_message;
    cr_expect(said && strstr(said, words), "%s: said '%s'", attempt->row, said ? said : "");
    if (has_owner(attempt) && !trial_gives_problem(call)) {
        cr_expect_eq(status, expected, "%s: the owner has '%s'", attempt->row,
                     poise_status_name(status));
        trial_expect_message(trial, call, attempt->row);
    }
}

/// Tests a row without alternatives: `call; call -> outcome`. All calls but the last succeed.
static void try_row(Trial* trial, const char* row) {
    static Attempt attempt;
    attempt.stage = &trial->stage;
    attempt.row = row;
    attempt.on_stage = false;
    char text[LINE];
    snprintf(text, sizeof text, "%s", row);
    char* arrow = strstr(text, " -> ");
    cr_assert_not_null(arrow, "refused.txt: no outcome: %s", row);
    *arrow = '\0';
    char* call = text;
    bool first = true;
    for (char* end = strchr(call, ';'); end; end = strchr(call, ';')) {
        *end = '\0';
        prepare(&attempt, call);
        make_call(&attempt);
        const PoiseStatus status = trial_take_status(trial);
        cr_expect(!trial_is_refused(attempt.call, &attempt.result, status), "%s: %s: %s", row,
                  attempt.call->function, trial->stage.host.last_message);
        keep_made(&attempt);
        call = end + 1;
        first = false;
    }
    prepare(&attempt, call);
    trial_mark(trial);
    make_call(&attempt);
    const char* words = arrow + strlen(" -> ");
    const PoiseStatus expected = read_status(&words);
    if (expected != POISE_OK) {
        expect_refused(trial, &attempt, expected, words);
    } else {
        cr_expect(strncmp(words, "gives", 5) == 0 && gives(&attempt, words + 5 + (words[5] == ' ')),
                  "%s", row);
        trial_take_status(trial);
    }
    const bool unchanged = trial_is_unchanged(trial) && !trial_has_written(trial);
    cr_expect(unchanged, "something changed: %s", row);
    if (!unchanged || !first || attempt.on_stage) {
        trial_renew(trial);
    }
}

/// Tests a row for each of its alternatives `a|b`. Returns their number.
static int try_alternatives(Trial* trial, const char* row) {
    const char* bar = strchr(row, '|');
    if (!bar) {
        try_row(trial, row);
        return 1;
    }
    const char* from = bar;
    while (from > row && from[-1] != ' ' && from[-1] != '=') {
        from--;
    }
    const size_t length = strcspn(from, " ;=");
    int count = 0;
    for (const char* value = from; value < from + length; value++) {
        const size_t size = strcspn(value, "| ;=");
        char text[LINE];
        snprintf(text, sizeof text, "%.*s%.*s%s", (int)(from - row), row, (int)size, value,
                 from + length);
        count += try_alternatives(trial, text);
        value += size;
    }
    return count;
}

Test(refused, every_row, .timeout = 280) {
    cr_assert_leq(call_count, MOST_FUNCTIONS);
    FILE* file = fopen(POISE_SOURCE_DIR "/tests/api/refused.txt", "r");
    cr_assert_not_null(file);
    Trial* trial = trial_create();
    char line[LINE];
    int count = 0;
    while (fgets(line, sizeof line, file)) {
        size_t end = strlen(line);
        while (end > 0 && isspace((unsigned char)line[end - 1])) {
            line[--end] = '\0';
        }
        if (end > 0 && line[0] != '#') {
            count += try_alternatives(trial, line);
        }
    }
    fclose(file);
    trial_destroy(trial);
    for (int i = 0; i < call_count; i++) {
        cr_expect(has_row[i] || !trial_needs_row(&calls[i]), "refused.txt: no row of %s",
                  calls[i].function);
    }
    printf("%d calls\n", count);
    cr_expect_geq(count, LEAST_ROWS);
}
