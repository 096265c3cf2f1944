// SPDX-License-Identifier: MIT
// Runs each file of bad/ (it has a fault) and of odd/ (it is unusual and right).
// The comments at the head of a file list its findings: LINE:COLUMN and the beginning of the
// message. A format without comments has them in the table `expected` of its folder.
// The library, `poise check` and `poise run` must find the same in that order, and no other error.
// `poise check` and `poise run` are each tried with every eighth file, with POISE_WHOLE with all.
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loaded.h"
#include "program.h"
#include "text.h"

#define HERE POISE_SOURCE_DIR "/tests/scenes/"

typedef struct Finding {
    char place[200]; ///< FILE:LINE:COLUMN
    char text[200];
    PoiseSeverity severity;
} Finding;

typedef struct Case {
    const char* folder; ///< below tests/scenes
    char name[80];
    Finding findings[16];
    int count;
    int errors;
} Case;

typedef struct Folder {
    const char* path;   ///< below tests/scenes
    const char* ending; ///< ending of the files with a case
    const char* key;    ///< key of scene.yaml there that names the file; NULL: none
    bool alone;         ///< the program reads the file without a scene
    int least;          ///< number of cases: a folder that is not found has none
} Folder;

static const char* severity_name(PoiseSeverity severity) {
    return severity == POISE_ERROR ? "error" : severity == POISE_WARNING ? "warning" : "note";
}

// ------------------------------------------------------------------------------ what is expected

// Skips the word at the beginning of the text; true if it was there.
static bool skip(const char** text, const char* word) {
    const bool there = strncmp(*text, word, strlen(word)) == 0;
    *text += there ? strlen(word) : 0;
    return there;
}

// Adds the finding in "[FILE:]LINE:COLUMN [SEVERITY: ]TEXT"; false if the line holds none.
static bool add_finding(Case* item, const char* line) {
    Finding* finding = &item->findings[item->count];
    char place[100] = "";
    char file[80] = "";
    int row = 0, column = 0, end = 0;
    if (sscanf(line, "%99s%n", place, &end) != 1) {
        return false;
    }
    if (sscanf(place, "%79[^:]:%d:%d", file, &row, &column) != 3) {
        snprintf(file, sizeof file, "%s", item->name);
        if (sscanf(place, "%d:%d", &row, &column) != 2) {
            return false;
        }
    }
    const char* text = line + end + 1;
    finding->severity = skip(&text, "warning: ") ? POISE_WARNING
                        : skip(&text, "note: ")  ? POISE_NOTE
                                                 : POISE_ERROR;
    const char* comment_end = strstr(text, " -->");
    const size_t length = strcspn(text, "\n");
    const int shown = (int)(comment_end ? (size_t)(comment_end - text) : length);
    snprintf(finding->place, sizeof finding->place, "%s:%d:%d", file, row, column);
    snprintf(finding->text, sizeof finding->text, "%.*s", shown, text);
    item->errors += finding->severity == POISE_ERROR ? 1 : 0;
    item->count++;
    cr_assert(item->count < 16, "%s lists too many findings", item->name);
    return true;
}

static void read_head(Case* item, const char* text) {
    char line[400];
    while (sscanf(text, "%399[^\n]", line) == 1) {
        const char* rest = line;
        const bool commented = skip(&rest, "# ") || skip(&rest, "<!-- ");
        if (!(commented && add_finding(item, rest)) && !skip(&rest, "<?xml")) {
            break;
        }
        text = strchr(text, '\n');
        text += text ? 1 : 0;
    }
}

static void read_table(Case* item, const char* table) {
    for (const char* line = table; line && *line; line = strchr(line, '\n')) {
        line += *line == '\n' ? 1 : 0;
        const char* rest = line;
        if (skip(&rest, item->name) && skip(&rest, " ")) {
            cr_assert(add_finding(item, rest), "%s", line);
        }
    }
}

static Case case_of(const char* folder, const char* name) {
    Case item = {.folder = folder};
    char path[400];
    snprintf(item.name, sizeof item.name, "%s", name);
    snprintf(path, sizeof path, HERE "%s/%s", folder, name);
    char* text = text_of(path);
    read_head(&item, text);
    free(text);
    snprintf(path, sizeof path, HERE "%s/expected", folder);
    if (access(path, R_OK) == 0) {
        char* table = text_of(path);
        read_table(&item, table);
        free(table);
    }
    return item;
}

// --------------------------------------------------------------------------------- what is found

// Expects in the text the findings of the case, in their order, and no other error.
static void expect_listed(const Case* item, const char* text) {
    const char* at = text;
    for (int i = 0; i < item->count; i++) {
        const Finding* finding = &item->findings[i];
        char line[500];
        snprintf(line, sizeof line, "%s: %s: %s", finding->place, severity_name(finding->severity),
                 finding->text);
        const char* there = strstr(at, line);
        cr_expect_not_null(there, "%s/%s: '%s' is not said, or not in its order:\n%s", item->folder,
                           item->name, line, text);
        at = there ? there : at;
    }
    cr_expect_eq(count_of(text, ": error: "), item->errors, "%s/%s: %d errors are expected:\n%s",
                 item->folder, item->name, item->errors, text);
}

// Expects the findings of the library in the file, or in the scene with the override (NULL: none).
static void expect_by_library(const Case* item, const char* file, const char* override) {
    static char text[8000];
    const PoiseSceneSource source = {
        .path = file, .overrides = &override, .override_count = override ? 1 : 0};
    Loaded loaded = load_source(&source);
    text[0] = '\0';
    for (int i = 0; i < poise_diagnostics_size(loaded.diagnostics); i++) {
        const PoiseDiagnostic found = poise_diagnostics_at(loaded.diagnostics, i);
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s:%d:%d: %s: %s\n", found.mark.file,
                 found.mark.line, found.mark.column, severity_name(found.severity), found.text);
    }
    if (item->errors > 0) {
        expect_listed(item, text);
    }
    cr_expect_eq(loaded.scene == NULL, item->errors > 0, "%s/%s", item->folder, item->name);
}

static void run_in(const Case* item, const char* arguments, Outcome* outcome) {
    run_shell(outcome, "cd '" HERE "%s' && \"$POISE\" %s", item->folder, arguments);
    const int code = item->errors > 0 ? 3 : 0;
    cr_expect_eq(outcome->code, code, "%s/%s: `%s` ends with %d: %s", item->folder, item->name,
                 arguments, outcome->code, outcome->err);
}

static void expect_checked(const Case* item, Outcome* outcome) {
    char text[200];
    snprintf(text, sizeof text, "check '%s'", item->name);
    run_in(item, text, outcome);
    expect_listed(item, outcome->out);
    snprintf(text, sizeof text, "%s: %d error%s, ", item->name, item->errors,
             item->errors == 1 ? "" : "s");
    cr_expect_not_null(strstr(outcome->out, text), "no '%s' in %s", text, outcome->out);
    cr_expect_str_empty(outcome->err, "%s: %s", item->name, outcome->err);
    if (item->errors == 0) {
        const int said = count_of(outcome->out, ": warning: ") + count_of(outcome->out, ": note: ");
        cr_expect_eq(said, item->count, "%s/%s: %s", item->folder, item->name, outcome->out);
    }
}

// Reads the folder's `count`-th file alone, and as the value of a key of scene.yaml in its folder
// (key NULL: not there).
static void expect_case(const Case* item, const Folder* folder, int count, Outcome* outcome) {
    const char* key = folder->key;
    char override[200];
    char text[400];
    cr_assert_eq(chdir(HERE), 0);
    cr_assert_eq(chdir(item->folder), 0);
    const bool whole = getenv("POISE_WHOLE") != NULL;
    const bool checks = whole || count % 8 == 4;
    const bool runs = whole || count % 8 == 0;
    if (folder->alone) {
        expect_by_library(item, item->name, NULL);
    }
    if (folder->alone && checks) {
        expect_checked(item, outcome);
    }
    if (folder->alone && runs) {
        snprintf(text, sizeof text, "run '%s' --seconds 0.02 --json", item->name);
        run_in(item, text, outcome);
        if (item->errors > 0) {
            expect_listed(item, outcome->err);
            cr_expect_str_empty(outcome->out, "%s: %s", item->name, outcome->out);
        }
        cr_expect_null(strstr(outcome->out, "nan"), "%s: %s", item->name, outcome->out);
    }
    if (key) {
        snprintf(override, sizeof override, "%s=%s", key, item->name);
        expect_by_library(item, "scene.yaml", override);
    }
    if (key && runs) {
        snprintf(text, sizeof text, "run scene.yaml --set '%s'", override);
        run_in(item, text, outcome);
        expect_listed(item, outcome->err);
        cr_expect_str_empty(outcome->out, "%s: %s", item->name, outcome->out);
    }
}

// ------------------------------------------------------------------------------------- each file

static bool ends_with(const char* name, const char* ending) {
    const size_t length = strlen(name);
    return length > strlen(ending) && strcmp(name + length - strlen(ending), ending) == 0;
}

static void expect_folder(const Folder* folder) {
    Outcome* outcome = outcome_create();
    char path[400];
    int count = 0;
    // the cases name files of the folder above them
    unsetenv("CI");
    snprintf(path, sizeof path, HERE "%s", folder->path);
    // sorted, so that the sample does not depend on the file system
    struct dirent** all = NULL;
    const int names = scandir(path, &all, NULL, alphasort);
    cr_assert_gt(names, 0, "%s", path);
    for (int i = 0; i < names; i++) {
        const char* name = all[i]->d_name;
        if (ends_with(name, folder->ending) && strcmp(name, "scene.yaml") != 0) {
            const Case item = case_of(folder->path, name);
            cr_expect_eq(item.errors > 0, strncmp(folder->path, "bad", 3) == 0, "%s/%s",
                         folder->path, item.name);
            expect_case(&item, folder, count, outcome);
            count++;
        }
        free(all[i]);
    }
    free(all);
    cr_expect_geq(count, folder->least, "%d cases in %s", count, folder->path);
    outcome_destroy(outcome);
}

Test(bad_input, scenes) {
    expect_folder(&(Folder){"bad/scene", ".yaml", NULL, true, 370});
}

Test(bad_input, urdf) {
    expect_folder(&(Folder){"bad/urdf", ".urdf", "robots.arm.urdf", true, 70});
}

Test(bad_input, mjcf) {
    expect_folder(&(Folder){"bad/mjcf", ".xml", "robots.arm.mjcf", true, 110});
}

Test(bad_input, recorded_motions) {
    expect_folder(&(Folder){"bad/bvh", ".bvh", "motion.bvh", false, 55});
}

Test(bad_input, denavit_hartenberg_tables) {
    expect_folder(&(Folder){"bad/dh", ".csv", NULL, true, 15});
}

Test(bad_input, odd_scenes_are_read) {
    expect_folder(&(Folder){"odd/scene", ".yaml", NULL, true, 15});
}

Test(bad_input, odd_robots_are_read) {
    expect_folder(&(Folder){"odd/urdf", ".urdf", NULL, true, 27});
}

Test(bad_input, odd_models_are_read) {
    expect_folder(&(Folder){"odd/mjcf", ".xml", NULL, true, 31});
}

// Runs the tables of `poise solve`: a chain or targets, with a good file of the other kind.
PROGRAM_TEST(bad_input, tables) {
    DIR* all = opendir(HERE "bad/csv");
    cr_assert_not_null(all);
    int count = 0;
    for (struct dirent* entry = readdir(all); entry; entry = readdir(all)) {
        if (ends_with(entry->d_name, ".csv")) {
            const Case item = case_of("bad/csv", entry->d_name);
            const bool chain = strncmp(item.name, "chain", 5) == 0;
            char text[400];
            snprintf(text, sizeof text,
                     "solve --chain %s --targets %s --out \"$OLDPWD/answer.csv\"",
                     chain ? item.name : "good.chain", chain ? "good.targets" : item.name);
            run_in(&item, text, outcome);
            expect_listed(&item, outcome->err);
            cr_expect_str_empty(outcome->out, "%s: %s", item.name, outcome->out);
            cr_expect_eq(count_scratch(), 0, "%s: an answer was written", item.name);
            count++;
        }
    }
    closedir(all);
    cr_expect_geq(count, 41, "%d tables", count);
}
