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

#include "program.h"

// ------------------------------------------------------------------------------------------ files

PROGRAM_TEST(cli_bad_file, files_that_cannot_be_read) {
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
    write_scratch_bytes("file.yaml", "poise: 1\n", 9);
    write_scratch_bytes("locked.yaml", "poise: 1\n", 9);
    cr_assert_eq(chmod("locked.yaml", 0), 0);
    cr_assert_eq(symlink("loop.yaml", "loop.yaml"), 0);
    cr_assert_eq(mkdir("folder", 0700), 0);
    // root may read the locked file
    size_t count = sizeof rows / sizeof rows[0] - (geteuid() == 0 ? 1 : 0);
    for (size_t i = 0; i < 3 * count; i++) {
        const char* command = commands[i % 3];
        const char* file = rows[i / 3].file;
        RUN_PROGRAM(outcome, command, file);
        expect_calm(outcome, file);
        const char* said = strcmp(command, "check") == 0 ? outcome->out : outcome->err;
        const char* silent = strcmp(command, "check") == 0 ? outcome->err : outcome->out;
        cr_expect_eq(outcome->code, 3, "%s '%s': %d", command, file, outcome->code);
        cr_expect_not_null(strstr(said, rows[i / 3].says), "%s '%s': %s", command, file, said);
        // a file that cannot be read has no line and column
        char begin[64];
        snprintf(begin, sizeof begin, "%s%serror: ", file, file[0] ? ": " : "");
        cr_expect_eq(strncmp(said, begin, strlen(begin)), 0, "%s '%s': %s", command, file, said);
        cr_expect_str_empty(silent, "%s '%s': %s", command, file, silent);
    }
}

PROGRAM_TEST(cli_bad_file, a_name_that_is_nearly_a_file_is_guessed) {
    // clang-format off
    static const CallRow calls[] = {
        {"> good.yaml", 0, {"poise: 1\n"}},
        {"> folder/arm.urdf", 0, {"<robot/>"}},
        {"> folder/arms.txt", 0, {"none"}},
        {"> bad.yaml", 0, {"poise: 1\nrobots: {arm: {urdf: reech.urdf}}\n"}},
        {"> near.yaml", 0, {"poise: 1\nrobots: {arm: {urdf: folder/amr.urdf}}\n"}},
        {"run gaod.yaml", 3, {"gaod.yaml: error: cannot be read: No such file or directory; did "
                              "you mean 'good.yaml'?\n"}},
        {"run gaod", 3, {"did you mean 'good'?\n"}},
        {"run folder/amr.urdf", 3, {"folder/amr.urdf: error: cannot be read: No such file or "
                                    "directory; did you mean 'folder/arm.urdf'?\n"}},
        {"run nofolder/arm.urdf", 3, {"cannot be read: No such file or directory\n"}},
        {"run reech", 3, {"; did you mean 'reach'?\n"}},
        {"run reech.yaml", 3, {"; did you mean 'reach.yaml'?\n"}},
        {"run pandaa", 3, {"; did you mean 'panda'?\n"}},
        {"run nothing-like-it", 3, {"cannot be read: No such file or directory\n"}},
        // names in a scene are relative to the scene's folder
        {"run bad.yaml", 3, {"bad.yaml:2:22: error: reech.urdf cannot be read: No such file or "
                             "directory\n"}},
        {"run near.yaml", 3, {"folder/amr.urdf cannot be read: No such file or directory; did you "
                              "mean 'folder/arm.urdf'?\n"}},
    };
    // clang-format on
    cr_assert_eq(mkdir("folder", 0700), 0);
    EXPECT_CALLS(outcome, calls);
}

// ---------------------------------------------------------------------------- motions and tables

PROGRAM_TEST(cli_bad_file, nothing_of_a_foreign_file_is_shown) {
    write_scratch("scene.yaml", "poise: 1\nmotion: {bvh: wave.bvh}\n");
    write_scratch("wave.bvh", "secret:x:0:0\nsecret\n");
    RUN_PROGRAM(outcome, "check", "scene.yaml");
    cr_expect_eq(outcome->code, 3);
    cr_expect_null(strstr(outcome->out, "secret"), "%s", outcome->out);
    cr_expect_str_empty(outcome->err);
}

static const char chain[] = "name,type,px,py,pz,roll,pitch,yaw,ax,ay,az,lower,upper\n"
                            "shoulder,revolute,0,0,0,0,0,0,0,0,1,-3,3\n"
                            "elbow,revolute,1,0,0,0,0,0,0,0,1,-2.5,2.5\n"
                            "lift,prismatic,1,0,0,0,0,0,0,0,1,0,0.5\n"
                            "tool,fixed,0,0,0.1,0,0,0,,,,,\n";

#define SOLVE "solve --chain chain.csv --targets targets.csv --out out.csv"

// A table may be larger than a block of reading; it has at most 128 columns, and is text.
PROGRAM_TEST(cli_bad_file, the_bounds_of_a_table) {
    enum { ROWS = 3000 };
    char* text = malloc(40 * ROWS + 4000);
    cr_assert_not_null(text);
    write_scratch("chain.csv", chain);
    size_t size = (size_t)sprintf(text, "id , px\t,py ,pz\r\n");
    for (int i = 0; i < ROWS; i++) {
        size += (size_t)sprintf(text + size, "row number %d of many , 1.2, 0.5,0.3\r\n", i);
    }
    write_scratch_bytes("targets.csv", text, size);
    EXPECT_CALLS(outcome, ((const CallRow[]){{SOLVE, 0, {"3000 targets, 3000 met"}}}));
    text[50] = '\0';
    write_scratch_bytes("targets.csv", text, size);
    EXPECT_CALLS(outcome,
                 ((const CallRow[]){{SOLVE, 3, {"is not text: there is a zero byte at byte 51"}}}));
    size = 0;
    for (int i = 0; i < 130; i++) {
        size += (size_t)sprintf(text + size, "%sc%d", i > 0 ? "," : "", i);
    }
    write_scratch_bytes("targets.csv", text, size);
    EXPECT_CALLS(outcome, ((const CallRow[]){
                              {SOLVE, 3, {"targets.csv:1:1: error: the head has more than 128"}}}));
    free(text);
}
