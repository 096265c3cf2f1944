// SPDX-License-Identifier: MIT
// Files that are no scene, or none that can be read: `poise` ends with 3 and says where and why.
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

// ------------------------------------------------------------------------------------------ YAML

Test(cli_bad_file, yaml) {
#define NEST_4   "[[[["
#define NEST_16  NEST_4 NEST_4 NEST_4 NEST_4
#define NEST_64  NEST_16 NEST_16 NEST_16 NEST_16
#define NEST_256 NEST_64 NEST_64 NEST_64 NEST_64
#define TEN(name)                                                                                  \
    "[*" name ", *" name ", *" name ", *" name ", *" name ", *" name ", *" name ", *" name         \
    ", *" name ", *" name "]\n"
    static const CliFault faults[] = {
        FAULT("an empty file", NULL, "", "empty"),
        FAULT("comments only", NULL, "# nothing\n\n# at all\n", "empty"),
        FAULT("a list for a scene", NULL, "@[1, 2]\n", "a scene", "map", "list of 2"),
        FAULT("a word for a scene", NULL, "@hello\n", "a scene", "map", "hello"),
        FAULT("a loop of aliases", NULL, "poise: 1\nbodies: &a [@*a]\n", "'*a'", "loop"),
        FAULT("a loop of aliases through a map", NULL, "poise: 1\nbodies: &a {b: {c: @*a}}\n",
              "'*a'", "loop"),
        FAULT("an alias of nothing", NULL, "poise: 1\nworld: @*earth\n", "earth", "anchor"),
        FAULT("aliases that unfold without end", NULL,
              "poise: 1\na: &a [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\nb: &b " TEN("a") "c: &c " TEN(
                  "b") "d: &d " TEN("c") "e: &e " TEN("d") "f: &f " TEN("e") "g: &g " TEN("f"),
              "unfold", "200000"),
        FAULT("lists 256 deep", NULL, "poise: 1\nbodies: " NEST_256 "\n", "64 deep"),
        FAULT("a key twice", "step: 0.01", "step: 0.01, @step: 0.02", "'step'", "second time"),
        FAULT("a key of the top twice", "title: A little of everything\n",
              "title: A little of everything\n@poise: 1\n", "'poise'", "second time", "line 2"),
        FAULT("a key that is a list", "title: A little of everything\n", "@[a, b]: 1\n", "key"),
        FAULT("a merge of a number", "step: 0.01", "@<<: 7", "'<<'", "map"),
        FAULT("a bracket left open", "between: [trunk, tail]}", "between: [trunk, tail}", "YAML"),
        FAULT("a brace left open", "expect: {round.error: 9}\n", "expect: {round.error: 9\n",
              "YAML"),
        FAULT("a quote left open", "title: A little of everything", "title: \"A little", "YAML"),
        FAULT("a colon left out", "seconds: 0.1\n", "seconds 0.1\n", "YAML"),
        FAULT("a second scene", "expect: {round.error: 9}\n",
              "expect: {round.error: 9}\n@---\npoise: 1\n", "second document"),
        FAULTS(1, "letters of two bytes before the fault", "title: A little of everything\n",
               "title: \"\xc3\xa4\xc3\xb6\xc3\xbc\"\nrobots: {x\xc3\xa4: {@urdff: a}}\n",
               "unknown key 'urdff'", "did you mean 'urdf'"),
        FAULT("bytes that are no letters", "title: A little of everything",
              "title: \"\xff\xfe\xfd\"", "YAML"),
        FAULT("an XML file", NULL, "<?xml version=\"1.0\"?>\n@<robot name=\"r\"/>\n",
              "without links"),
    };
    cli_expect_all_refused("good.yaml", faults, sizeof faults / sizeof *faults);
}

// what stands there cannot be seen, so it must be said
Test(cli_bad_file, a_tab_is_called_a_tab) {
    static const CliFault faults[] = {
        FAULT("a tab for spaces", "  body: {density: 900}", "@\tbody: {density: 900}", "tab"),
    };
    cli_expect_all_refused("good.yaml", faults, 1);
}

// noise, zero bytes and all; the same on every run
FOLDER_TEST(cli_bad_file, binary_files_are_refused, cli_folder_create()) {
    CliEnd end;
    unsigned int state = 1;
    for (int file = 0; file < 8; file++) {
        char noise[4096];
        char row[32];
        for (size_t i = 0; i < sizeof noise; i++) {
            state = state * 1664525u + 1013904223u;
            noise[i] = (char)(state >> 24);
        }
        snprintf(row, sizeof row, "noise %d", file);
        cli_write(folder, "bad.yaml", noise, sizeof noise);
        CLI_RUN(folder, &end, "run", "bad.yaml");
        cli_expect_calm(&end, row);
        cr_expect_eq(end.code, 3, "%s: %d", row, end.code);
        cr_expect_str_empty(end.out);
        cr_expect_eq(strncmp(end.err, "bad.yaml:", 9), 0, "%s: %s", row, end.err);
        for (const char* byte = end.err; *byte; byte++) {
            cr_expect_neq(*byte, '\x1b', "%s: an escape sequence reaches the terminal", row);
        }
    }
}

// wherever it is cut it runs or is refused: never more
FOLDER_TEST(cli_bad_file, cut_anywhere_it_runs_or_is_refused, cli_folder_create()) {
    char* good = cli_source("good.yaml");
    CliEnd end;
    for (size_t size = 0; size < strlen(good); size += 41) {
        char row[32];
        snprintf(row, sizeof row, "cut after %zu", size);
        cli_write(folder, "bad.yaml", good, size);
        CLI_RUN(folder, &end, "run", "bad.yaml", "--seconds", "0.01");
        cli_expect_calm(&end, row);
        cr_expect(end.code == 0 || end.code == 3, "%s: %d", row, end.code);
        bool placed = strncmp(end.err, "bad.yaml:", 9) == 0;
        cr_expect(end.code == 0 || placed, "%s: %s", row, end.err);
        cr_expect(end.code == 0 || end.out[0] == '\0', "%s: %s", row, end.out);
    }
    free(good);
}

// ------------------------------------------------------------------------------------------ files

Test(cli_bad_file, files_that_cannot_be_read) {
    static const char* const commands[] = {"run", "check", "info"};
    static const struct {
        const char* file;
        const char* says;
    } rows[] = {
        {"missing.yaml", "No such file"},
        {"folder", "directory"},
        {"folder/", "directory"},
        {"file.yaml/inside.yaml", "Not a directory"},
        {"", "No such file"},
        {"/dev/null", "no regular file"},
        {"/dev/zero", "no regular file"},
        {"loop.yaml", "symbolic links"},
        {"locked.yaml", "Permission denied"},
    };
    CliFolder folder = cli_folder_create();
    CliEnd end;
    char path[128];
    cli_write(&folder, "file.yaml", "poise: 1\n", 9);
    cli_write(&folder, "locked.yaml", "poise: 1\n", 9);
    snprintf(path, sizeof path, "%s/locked.yaml", folder.path);
    cr_assert_eq(chmod(path, 0), 0);
    snprintf(path, sizeof path, "%s/loop.yaml", folder.path);
    cr_assert_eq(symlink("loop.yaml", path), 0);
    snprintf(path, sizeof path, "%s/folder", folder.path);
    cr_assert_eq(mkdir(path, 0700), 0);
    // root reads what is locked
    size_t count = sizeof rows / sizeof rows[0] - (geteuid() == 0 ? 1 : 0);
    for (size_t i = 0; i < 3 * count; i++) {
        const char* command = commands[i % 3];
        const char* file = rows[i / 3].file;
        CLI_RUN(&folder, &end, command, file);
        cli_expect_calm(&end, file);
        const char* said = strcmp(command, "check") == 0 ? end.out : end.err;
        const char* silent = strcmp(command, "check") == 0 ? end.err : end.out;
        cr_expect_eq(end.code, 3, "%s '%s': %d", command, file, end.code);
        cr_expect_not_null(strstr(said, rows[i / 3].says), "%s '%s': %s", command, file, said);
        // without a place: there is none in a file that cannot be read
        char begin[64];
        snprintf(begin, sizeof begin, "%s%serror: ", file, file[0] ? ": " : "");
        cr_expect_eq(strncmp(said, begin, strlen(begin)), 0, "%s '%s': %s", command, file, said);
        cr_expect_str_empty(silent, "%s '%s': %s", command, file, silent);
    }
    cli_folder_destroy(&folder);
}

Test(cli_bad_file, a_name_that_is_nearly_a_file_is_guessed) {
    static const struct {
        const char* file;
        const char* says;
    } rows[] = {
        {"gaod.yaml", "gaod.yaml: error: cannot be read: No such file or directory; did you mean "
                      "'good.yaml'?\n"},
        {"gaod", "did you mean 'good'?\n"},
        {"folder/amr.urdf", "folder/amr.urdf: error: cannot be read: No such file or directory; "
                            "did you mean 'folder/arm.urdf'?\n"},
        {"nofolder/arm.urdf", "cannot be read: No such file or directory\n"},
        {"reech", "; did you mean 'reach'?\n"},
        {"reech.yaml", "; did you mean 'reach.yaml'?\n"},
        {"nothing-like-it", "cannot be read: No such file or directory\n"},
        // what a scene names is beside it
        {"bad.yaml", "bad.yaml:2:22: error: reech.urdf cannot be read: No such file or "
                     "directory\n"},
        {"near.yaml", "folder/amr.urdf cannot be read: No such file or directory; did you mean "
                      "'folder/arm.urdf'?\n"},
    };
    CliFolder folder = cli_folder_create();
    char path[128];
    snprintf(path, sizeof path, "%s/folder", folder.path);
    cr_assert_eq(mkdir(path, 0700), 0);
    cli_write(&folder, "good.yaml", "poise: 1\n", 9);
    cli_write(&folder, "folder/arm.urdf", "<robot/>", 8);
    cli_write(&folder, "folder/arms.txt", "none", 4);
    static const char bad[] = "poise: 1\nrobots: {arm: {urdf: reech.urdf}}\n";
    static const char near[] = "poise: 1\nrobots: {arm: {urdf: folder/amr.urdf}}\n";
    cli_write(&folder, "bad.yaml", bad, sizeof bad - 1);
    cli_write(&folder, "near.yaml", near, sizeof near - 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CliEnd end;
        CLI_RUN(&folder, &end, "run", rows[i].file);
        cli_expect_calm(&end, rows[i].file);
        cr_expect_eq(end.code, 3, "%s: %d", rows[i].file, end.code);
        cr_expect_not_null(strstr(end.err, rows[i].says), "%s: %s", rows[i].file, end.err);
    }
    cli_folder_destroy(&folder);
}
