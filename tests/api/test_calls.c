// SPDX-License-Identifier: MIT
// Calls every public function with one bad argument at a time: NULL; handles that are null,
// destroyed, foreign or invented; numbers that are not finite, in each member of each struct too;
// invalid counts and enumerators. Each call is refused, or accepted.txt lists it with its reason. A
// refusal changes nothing and has a message.
#include <criterion/criterion.h>
#include <fnmatch.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trial.h"

enum { LABEL = 96, LARGEST_STRUCT = 4096, MOST_ROWS = 400 };

// ------------------------------------------------------------------------------- wrong values

/// A call's argument with a bad value.
typedef struct Wrong {
    char label[LABEL];
    _Alignas(max_align_t) unsigned char bytes[LARGEST_STRUCT];
    const void* pointer;
    const void* argument;
    PoiseStatus status; ///< status of a call that refuses it
    bool is_object;     ///< True for NULL, or a handle that is not valid
} Wrong;

/// A wrong value of one type.
typedef struct Simple {
    const char* type;
    const char* parameter; ///< pattern of the names of parameters that get the value
    const char* label;
    size_t size;
    const void* value;
} Simple;

static const double wrong_numbers[] = {(double)NAN, HUGE_VAL, -HUGE_VAL};
static const int wrong_ints[] = {-1, INT_MIN, INT_MAX, 99};
static const unsigned wrong_bits = 0x80000000u;
static const uint32_t no_cookie = 0;
static const void* const null = NULL;
static const size_t wrong_sizes[] = {0, 8};
// bad texts, as long as the good texts, since other parameters give their sizes
static const char no_text[1024] = "";
static const char no_name[1024] = "no such name";
static const char* const wrong_names[] = {no_text, no_name};

/// Returns wrong value `k` of the type. False past the end.
static bool simple_wrong(const Stage* stage, const char* type, const char* name, int k,
                         Simple* simple) {
    const StageWrong* w = &stage->wrong;
    const Simple rows[] = {
        {"double", "*", "NaN", sizeof(double), &wrong_numbers[0]},
        {"double", "*", "infinity", sizeof(double), &wrong_numbers[1]},
        {"double", "*", "-infinity", sizeof(double), &wrong_numbers[2]},
        {"int", "*", "-1", sizeof(int), &wrong_ints[0]},
        {"int", "*", "INT_MIN", sizeof(int), &wrong_ints[1]},
        {"int", "index", "INT_MAX", sizeof(int), &wrong_ints[2]},
        {"int", "axis", "INT_MAX", sizeof(int), &wrong_ints[2]},
        {"int", "body", "INT_MAX", sizeof(int), &wrong_ints[2]},
        {"int", "joint", "INT_MAX", sizeof(int), &wrong_ints[2]},
        {"int", "owner", "INT_MAX", sizeof(int), &wrong_ints[2]},
        {"enum", "*", "99", sizeof(int), &wrong_ints[3]},
        {"enum", "*", "-1", sizeof(int), &wrong_ints[0]},
        {"unsigned", "*", "no such bit", sizeof(unsigned), &wrong_bits},
        {"uint32_t", "*cookie", "0", sizeof(uint32_t), &no_cookie},
        {"size_t", "size", "0", sizeof(size_t), &wrong_sizes[0]},
        {"size_t", "size", "8", sizeof(size_t), &wrong_sizes[1]},
        {"PoiseNodeId", "*", "null", sizeof(PoiseNodeId), &w->null_node},
        {"PoiseNodeId", "*", "dead", sizeof(PoiseNodeId), &w->dead_node},
        {"PoiseNodeId", "*", "foreign", sizeof(PoiseNodeId), &w->foreign_node},
        {"PoiseNodeId", "*", "made up", sizeof(PoiseNodeId), &w->no_node},
        {"PoisePointId", "*", "null", sizeof(PoisePointId), &w->null_point},
        {"PoisePointId", "*", "dead", sizeof(PoisePointId), &w->dead_point},
        {"PoisePointId", "*", "foreign", sizeof(PoisePointId), &w->foreign_point},
        {"PoisePointId", "*", "made up", sizeof(PoisePointId), &w->no_point},
        {"dBodyID", "*", "NULL", sizeof(dBodyID), &null},
        {"dBodyID", "*", "foreign", sizeof(dBodyID), &w->foreign_body},
        {"dJointID", "*", "NULL", sizeof(dJointID), &null},
        {"dJointID", "*", "foreign", sizeof(dJointID), &w->foreign_joint},
        {"dJointID", "*", "attached to nothing", sizeof(dJointID), &w->open_joint},
        {"dWorldID", "*", "NULL", sizeof(dWorldID), &null},
        {"const double*", "*", "NaN first", sizeof(double*), &w->arrays[0]},
        {"const double*", "*", "infinity first", sizeof(double*), &w->arrays[1]},
        {"const double*", "*", "-infinity first", sizeof(double*), &w->arrays[2]},
        {"double*", "*posture*", "NaN first", sizeof(double*), &w->arrays[0]},
        {"double*", "*posture*", "infinity first", sizeof(double*), &w->arrays[1]},
        {"double*", "*posture*", "-infinity first", sizeof(double*), &w->arrays[2]},
        {"const char*", "*", "empty", sizeof(char*), &wrong_names[0]},
        {"const char*", "*", "no such name", sizeof(char*), &wrong_names[1]},
        {"*[*]", "*", "NULL", sizeof(void*), &null},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool any = strcmp(rows[i].type, "*[*]") == 0;
        if ((any ? type[strlen(type) - 1] == '*' : strcmp(rows[i].type, type) == 0) &&
            fnmatch(rows[i].parameter, name, 0) == 0 && k-- == 0) {
            *simple = rows[i];
            return true;
        }
    }
    return false;
}

/// Sets the status of a refused value.
static void set_status(Wrong* wrong, const Simple* simple) {
    const bool handle =
        strcmp(simple->type, "PoiseNodeId") == 0 || strcmp(simple->type, "PoisePointId") == 0;
    const bool foreign = strcmp(simple->label, "foreign") == 0;
    wrong->status = handle    ? POISE_ERROR_INVALID_HANDLE
                    : foreign ? POISE_ERROR_FOREIGN_WORLD
                              : POISE_ERROR_INVALID_ARGUMENT;
    wrong->is_object = handle || foreign || strcmp(simple->label, "NULL") == 0;
}

/// Returns variant `k` of the good struct, with one wrong member. False past the end.
static bool member_wrong(const Stage* stage, const char* structure, const void* good, int k,
                         Wrong* wrong) {
    for (int i = 0; i < leaf_count; i++) {
        const Leaf* leaf = &leaves[i];
        if (strcmp(leaf->structure, structure) != 0 || strcmp(leaf->type, "void*") == 0) {
            continue;
        }
        Simple simple;
        for (int j = 0; simple_wrong(stage, leaf->type, leaf->path, j, &simple); j++) {
            if (k-- == 0) {
                memcpy(wrong->bytes, good, leaf->size);
                memcpy(wrong->bytes + leaf->offset, simple.value, simple.size);
                snprintf(wrong->label, LABEL, "%s %s", leaf->path, simple.label);
                set_status(wrong, &simple);
                return true;
            }
        }
    }
    return false;
}

/// Returns wrong value `k` of a parameter. False past the end.
static bool wrong_value(const Stage* stage, const CallParameter* parameter, const void* good, int k,
                        Wrong* wrong) {
    Simple simple;
    int simple_count = 0;
    while (simple_wrong(stage, parameter->type, parameter->name, simple_count, &simple)) {
        if (simple_count++ == k) {
            memcpy(wrong->bytes, simple.value, simple.size);
            snprintf(wrong->label, LABEL, "%s", simple.label);
            wrong->argument = wrong->bytes;
            wrong->pointer = NULL;
            set_status(wrong, &simple);
            return true;
        }
    }
    const void* pointed = stage_struct(stage, parameter->type);
    char structure[64];
    snprintf(structure, sizeof structure, "%s", parameter->type);
    if (pointed) {
        snprintf(structure, sizeof structure, "%s", parameter->type + strlen("const "));
        structure[strlen(structure) - 1] = '\0';
        good = *(const void* const*)good;
    }
    if (!member_wrong(stage, structure, good, k - simple_count, wrong)) {
        return false;
    }
    wrong->pointer = wrong->bytes;
    wrong->argument = pointed ? (const void*)&wrong->pointer : wrong->bytes;
    return true;
}

// ------------------------------------------------------------------------------------- the calls

/// Functions that are not called: those of some headers, those that make defs, and those that write
/// to a FILE.
static const char* const left_out[] = {
    "math.h",
    "rotation.h",
    "spring.h",
    "dense.h",
    "qp.h",
    "joint.h",
    "base.h",
    "figures.h",
    "output.h",
    "look.h",
    "*_print",
    "*_json*",
    "poise_default_*",
    "poise_simulation_give_up",
};

static bool is_left_out(const Call* call) {
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (fnmatch(left_out[i], call->function, 0) == 0 ||
            strcmp(left_out[i], call->header) == 0) {
            return true;
        }
    }
    return trial_needs_row(call);
}

/// A row of accepted.txt: the exception, and patterns of function, parameter and value.
typedef struct Accepted {
    char exception[8]; ///< "takes", "gives" or "writes"
    char function[64];
    char parameter[64];
    char value[64];
    bool met;
} Accepted;

typedef struct Tally {
    Trial* trial;
    Accepted accepted[MOST_ROWS];
    int accepted_count;
    FILE* log; ///< all rows, if POISE_CALLS names a file
    int functions;
    int refused;
    int answered;
    int accepted_rows;
} Tally;

/// True if a row allows the exception.
static bool is_accepted(Tally* tally, const Call* call, int index, const char* label,
                        const char* exception) {
    bool found = false;
    for (int i = 0; i < tally->accepted_count; i++) {
        Accepted* row = &tally->accepted[i];
        if (strcmp(row->exception, exception) == 0 &&
            fnmatch(row->function, call->function, 0) == 0 &&
            fnmatch(row->parameter, call->parameters[index].name, 0) == 0 &&
            fnmatch(row->value, label, 0) == 0) {
            row->met = true;
            found = true;
        }
    }
    return found;
}

/// True if a good argument is an owner that can record the refusal.
static bool has_owner(const Call* call, int wrong) {
    for (int i = 0; i < call->count; i++) {
        const char* type = call->parameters[i].type;
        if (i != wrong && (strcmp(type, "PoiseTree*") == 0 || strcmp(type, "PoiseRig*") == 0)) {
            return true;
        }
    }
    return false;
}

/// True if the call returned the value that means "none".
static bool is_answer(const Call* call) {
    return call->gives == CALL_GIVES_VALUE ||
           (call->gives == CALL_GIVES_TEXT && !trial_gives_problem(call));
}

/// True if the bad argument is an index or name of something that the object does not have.
static bool is_missing(const Call* call, int index, const Wrong* wrong) {
    const char* type = call->parameters[index].type;
    return wrong->is_object && !wrong->pointer && call->gives == CALL_GIVES_VALUE &&
           strcmp(call->returns, "void") != 0 && (index == 0 || type[strlen(type) - 1] != '*');
}

/// Writes the row to the log. `result` is NULL before the call.
static void log_row(const Tally* tally, const char* row, const CallResult* result, bool refused,
                    bool unchanged) {
    if (tally->log && !result) {
        fprintf(tally->log, "%s: ", row);
    } else if (tally->log) {
        fprintf(tally->log, "%s%s, %d messages: %s\n", refused ? "refused" : "taken",
                unchanged ? "" : " CHANGED", tally->trial->stage.host.messages,
                tally->trial->stage.host.last_message);
    }
    if (tally->log) {
        fflush(tally->log);
    }
}

static void try_wrong(Tally* tally, const Call* call, const void** arguments, int index,
                      const Wrong* wrong) {
    Trial* trial = tally->trial;
    char row[4 * LABEL];
    snprintf(row, sizeof row, "%s %s: %s", call->function, call->parameters[index].name,
             wrong->label);
    const void* good = arguments[index];
    arguments[index] = wrong->argument;
    log_row(tally, row, NULL, false, false);
    static CallResult result;
    memset(&result, 0, sizeof result);
    trial->stage.host.messages = 0;
    trial->stage.host.last_message[0] = '\0';
    call->call(arguments, &result);
    arguments[index] = good;
    const PoiseStatus status = trial_take_status(trial);
    const bool refused = trial_is_refused(call, &result, status);
    const bool unchanged = trial_is_unchanged(trial);
    const bool written = trial_has_written(trial);
    log_row(tally, row, &result, refused, unchanged);
    if (refused) {
        tally->refused++;
        cr_expect(unchanged, "%s: refused, and something changed", row);
        cr_expect(!written || is_accepted(tally, call, index, wrong->label, "writes"),
                  "%s: refused, and something written", row);
        const PoiseStatus given = call->gives == CALL_GIVES_STATUS ? result.status : status;
        cr_expect(given == POISE_OK || given == wrong->status ||
                      is_accepted(tally, call, index, wrong->label, "gives"),
                  "%s: gave '%s', not '%s'", row, poise_status_name(given),
                  poise_status_name(wrong->status));
        if (has_owner(call, index) && !trial_gives_problem(call)) {
            cr_expect_eq(status, given, "%s: the owner has '%s'", row, poise_status_name(status));
            trial_expect_message(trial, call, row);
        }
    } else if (is_answer(call) && unchanged) {
        tally->answered++;
        cr_expect(!is_missing(call, index, wrong) ||
                      (trial_gives_none(call, &result) && !written) ||
                      is_accepted(tally, call, index, wrong->label, "gives"),
                  "%s: gives a value", row);
    } else {
        tally->accepted_rows++;
        cr_expect(is_accepted(tally, call, index, wrong->label, "takes"),
                  "%s: taken, and accepted.txt does not say why", row);
        trial_renew(trial);
    }
    if (!unchanged || written) {
        trial_renew(trial);
    }
}

static void gather(const Stage* stage, const Call* call, const void** arguments,
                   const void** pointers) {
    for (int i = 0; i < call->count; i++) {
        arguments[i] = stage_good(stage, call, i, &pointers[i]);
        cr_assert_not_null(arguments[i], "%s: no good value of type %s for %s", call->function,
                           call->parameters[i].type, call->parameters[i].name);
    }
}

static void try_call(Tally* tally, const Call* call) {
    Stage* stage = &tally->trial->stage;
    const void* arguments[CALL_MOST_PARAMETERS];
    const void* pointers[CALL_MOST_PARAMETERS] = {NULL};
    gather(stage, call, arguments, pointers);
    static CallResult result;
    memset(&result, 0, sizeof result);
    log_row(tally, call->function, NULL, false, false);
    call->call(arguments, &result);
    const PoiseStatus status = trial_take_status(tally->trial);
    log_row(tally, call->function, &result, status < POISE_OK, true);
    cr_expect(status >= POISE_OK && result.status >= POISE_OK, "%s with good arguments: %s: %s",
              call->function, poise_status_name(result.status), stage->host.last_message);
    trial_renew(tally->trial);

    static Wrong wrong;
    for (int i = 0; i < call->count; i++) {
        for (int k = 0;; k++) {
            gather(stage, call, arguments, pointers);
            if (!wrong_value(stage, &call->parameters[i], arguments[i], k, &wrong)) {
                break;
            }
            try_wrong(tally, call, arguments, i, &wrong);
        }
    }
    tally->functions++;
}

static void read_accepted(Tally* tally) {
    FILE* file = fopen(POISE_SOURCE_DIR "/tests/api/accepted.txt", "r");
    cr_assert_not_null(file);
    char line[300];
    while (fgets(line, sizeof line, file)) {
        Accepted* row = &tally->accepted[tally->accepted_count];
        if (line[0] == '#' || line[0] == '\n') {
            continue;
        }
        cr_assert_lt(tally->accepted_count, MOST_ROWS);
        cr_assert_eq(sscanf(line, "%7s %63s %63s %63[^#]", row->exception, row->function,
                            row->parameter, row->value),
                     4, "accepted.txt: %s", line);
        cr_assert(strchr(line, '#'), "accepted.txt: no reason: %s", line);
        size_t end = strlen(row->value);
        while (end > 0 && row->value[end - 1] == ' ') {
            row->value[--end] = '\0';
        }
        tally->accepted_count++;
    }
    fclose(file);
}

Test(calls, every_function_refuses_every_argument_that_is_no_good, .timeout = 280) {
    static Tally tally;
    tally.trial = trial_create();
    const char* log = getenv("POISE_CALLS");
    tally.log = log ? fopen(log, "w") : NULL;
    read_accepted(&tally);
    for (int i = 0; i < call_count; i++) {
        if (!is_left_out(&calls[i])) {
            try_call(&tally, &calls[i]);
        }
    }
    trial_destroy(tally.trial);
    for (int i = 0; i < tally.accepted_count; i++) {
        cr_expect(tally.accepted[i].met, "accepted.txt: no call %s: %s %s %s",
                  tally.accepted[i].exception, tally.accepted[i].function,
                  tally.accepted[i].parameter, tally.accepted[i].value);
    }
    printf("%d functions: %d calls refused, %d accepted with a reason, %d answered\n",
           tally.functions, tally.refused, tally.accepted_rows, tally.answered);
    cr_expect_geq(tally.functions, 250);
    cr_expect_geq(tally.refused, 2000);
    if (tally.log) {
        fclose(tally.log);
    }
}
