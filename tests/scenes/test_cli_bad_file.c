// SPDX-License-Identifier: MIT
// Files that are no scene or cannot be read: `poise` ends with 3 and names the place and the
// reason.
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

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
    // root may read the locked file
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
        // a file that cannot be read has no line and column
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
        {"pandaa", "; did you mean 'panda'?\n"},
        {"nothing-like-it", "cannot be read: No such file or directory\n"},
        // names in a scene are relative to the scene's folder
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

// ---------------------------------------------------------------------------- motions and tables

FOLDER_TEST(cli_bad_file, nothing_of_a_foreign_file_is_shown, cli_folder_create()) {
    static CliEnd end;
    cli_write_text(folder, "scene.yaml", "poise: 1\nmotion: {bvh: wave.bvh}\n");
    cli_write_text(folder, "wave.bvh", "secret:x:0:0\nsecret\n");
    CLI_RUN(folder, &end, "check", "scene.yaml");
    cr_expect_eq(end.code, 3);
    cr_expect_null(strstr(end.out, "secret"), "%s", end.out);
    cr_expect_str_empty(end.err);
}

static const char chain[] = "name,type,px,py,pz,roll,pitch,yaw,ax,ay,az,lower,upper\n"
                            "shoulder,revolute,0,0,0,0,0,0,0,0,1,-3,3\n"
                            "elbow,revolute,1,0,0,0,0,0,0,0,1,-2.5,2.5\n"
                            "lift,prismatic,1,0,0,0,0,0,0,0,1,0,0.5\n"
                            "tool,fixed,0,0,0.1,0,0,0,,,,,\n";

// A table may be larger than a block of reading; it has at most 128 columns, and is text.
Test(cli_bad_file, the_bounds_of_a_table) {
    enum { ROWS = 3000 };
    static CliEnd end;
    CliFolder folder = cli_folder_create();
    char* text = malloc(40 * ROWS + 4000);
    cr_assert_not_null(text);
    cli_write_text(&folder, "chain.csv", chain);
    size_t size = (size_t)sprintf(text, "id , px\t,py ,pz\r\n");
    for (int i = 0; i < ROWS; i++) {
        size += (size_t)sprintf(text + size, "row number %d of many , 1.2, 0.5,0.3\r\n", i);
    }
    cli_write(&folder, "targets.csv", text, size);
    CLI_RUN(&folder, &end, "solve", "--chain", "chain.csv", "--targets", "targets.csv", "--out",
            "out.csv");
    cr_expect_eq(end.code, 0, "%s", end.err);
    cr_expect_not_null(strstr(end.out, "3000 targets, 3000 met"), "%s", end.out);
    text[50] = '\0';
    cli_write(&folder, "targets.csv", text, size);
    CLI_RUN(&folder, &end, "solve", "--chain", "chain.csv", "--targets", "targets.csv", "--out",
            "out.csv");
    cr_expect_eq(end.code, 3);
    cr_expect_not_null(strstr(end.err, "is not text: there is a zero byte at byte 51"), "%s",
                       end.err);
    size = 0;
    for (int i = 0; i < 130; i++) {
        size += (size_t)sprintf(text + size, "%sc%d", i > 0 ? "," : "", i);
    }
    cli_write(&folder, "targets.csv", text, size);
    CLI_RUN(&folder, &end, "solve", "--chain", "chain.csv", "--targets", "targets.csv", "--out",
            "out.csv");
    cr_expect_eq(end.code, 3);
    cr_expect_not_null(strstr(end.err, "targets.csv:1:1: error: the head has more than 128"), "%s",
                       end.err);
    free(text);
    cli_folder_destroy(&folder);
}
