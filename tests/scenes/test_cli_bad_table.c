// SPDX-License-Identifier: MIT
// Tables of `poise solve` with one fault each, and with several: all of them are told in one run.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const char chain[] = "name,type,px,py,pz,roll,pitch,yaw,ax,ay,az,lower,upper\n"
                            "shoulder,revolute,0,0,0,0,0,0,0,0,1,-3,3\n"
                            "elbow,revolute,1,0,0,0,0,0,0,0,1,-2.5,2.5\n"
                            "lift,prismatic,1,0,0,0,0,0,0,0,1,0,0.5\n"
                            "tool,fixed,0,0,0.1,0,0,0,,,,,\n";
static const char targets[] = "id,px,py,pz\n"
                              "first,1.2,0.5,0.3\n"
                              "second,-0.4,1.1,0.6\n";

typedef struct BadTable {
    const char* name;
    int errors;
    const char* from; ///< NULL: `to` is the whole file
    const char* to;
    const char* says; ///< the first, with its place
} BadTable;

static void expect_refused(const char* file, const char* good, const BadTable* bad) {
    static CliEnd end;
    CliFolder folder = cli_folder_create();
    cli_write_text(&folder, "chain.csv", chain);
    cli_write_text(&folder, "targets.csv", targets);
    const CliFault fault = {bad->name, bad->from, bad->to, {NULL}, bad->errors};
    CliBadText text = cli_bad_text(good, &fault);
    cli_write_text(&folder, file, text.text);
    free(text.text);
    CLI_RUN(&folder, &end, "solve", "--chain", "chain.csv", "--targets", "targets.csv", "--out",
            "out.csv");
    cli_expect_calm(&end, bad->name);
    cr_expect_eq(end.code, 3, "%s: ends with %d: %s", bad->name, end.code, end.err);
    cr_expect_str_empty(end.out, "%s: %s", bad->name, end.out);
    cr_expect_eq(cli_count(end.err, ": error: "), bad->errors, "%s: %s", bad->name, end.err);
    cr_expect_not_null(strstr(end.err, bad->says), "%s: no '%s' in: %s", bad->name, bad->says,
                       end.err);
    cr_expect_eq(cli_file_count(&folder), 2, "%s: an answer was written", bad->name);
    cli_folder_destroy(&folder);
}

static const BadTable bad_chains[] = {
    {"a column without a name", 1, "name,type,px", "name,,px",
     "chain.csv:1:1: error: the head has no column 'type'"},
    {"a column twice", 1, "pz,roll", "py,roll",
     "chain.csv:1:1: error: columns 4 and 5 are both named 'py'"},
    {"no column of types", 1, "name,type,", "name,kind,",
     "chain.csv:1:1: error: the head has no column 'type'"},
    {"an axis of 0", 1, "shoulder,revolute,0,0,0,0,0,0,0,0,1",
     "shoulder,revolute,0,0,0,0,0,0,0,0,0", "chain.csv:2:31: error: the axis is 0"},
    {"an axis without one number", 1, "shoulder,revolute,0,0,0,0,0,0,0,0,1",
     "shoulder,revolute,0,0,0,0,0,0,0,,1", "chain.csv:2:33: error: ay: a number is due, not ''"},
    {"an axis that is NaN", 1, "shoulder,revolute,0,0,0,0,0,0,0,0,1",
     "shoulder,revolute,0,0,0,0,0,0,0,nan,1",
     "chain.csv:2:33: error: ay: a number is due, not 'nan'"},
    {"a range upside down", 1, "-3,3", "3,-3", "chain.csv:2:37: error: lower 3 is above upper -3"},
    {"a range that is a word", 1, "-3,3", "low,3",
     "chain.csv:2:37: error: lower: a number is due, not 'low'"},
    {"half a range", 1, "-3,3", "-3,", "chain.csv:2:40: error: upper: a number is due, not ''"},
    {"an infinite place", 1, "elbow,revolute,1", "elbow,revolute,inf",
     "chain.csv:3:16: error: px: a finite number is due, not 'inf'"},
    {"a place that is a word", 1, "elbow,revolute,1", "elbow,revolute,one",
     "chain.csv:3:16: error: px: a number is due, not 'one'"},
    {"a place beyond all numbers", 1, "elbow,revolute,1", "elbow,revolute,1e999",
     "chain.csv:3:16: error: px: a number is due, not '1e999'"},
    {"a comma as a point", 1, "elbow,revolute,1,0", "elbow,revolute,\"1,0\",0",
     "chain.csv:3:1: error: the row has 14 cells, the head has 13"},
    {"a row too short", 1, "lift,prismatic,1,0,0,0,0,0,0,0,1,0,0.5", "lift,prismatic,1,0",
     "chain.csv:4:1: error: the row has 4 cells, the head has 13"},
    {"a row too long", 1, "0,0.5\n", "0,0.5,7,8\n",
     "chain.csv:4:1: error: the row has 15 cells, the head has 13"},
    {"a type that is none", 1, "prismatic", "prism",
     "chain.csv:4:6: error: type: revolute, continuous, prismatic, ball or fixed is due, not "
     "'prism'"},
    {"an empty type", 1, "prismatic", "",
     "chain.csv:4:6: error: type: revolute, continuous, prismatic, ball or fixed is due, not ''"},
    {"a second rotation", 2, "roll,pitch,yaw", "qw,qx,yaw",
     "chain.csv:1:1: error: the head has no column 'roll'"},
    {"a semicolon between", 13, "name,type,px,py,pz,roll,pitch,yaw,ax,ay,az,lower,upper",
     "name;type;px;py;pz;roll;pitch;yaw;ax;ay;az;lower;upper",
     "chain.csv:1:1: error: the head has no column 'name'"},
    {"a head alone", 1, NULL, "name,type,px,py,pz,roll,pitch,yaw,ax,ay,az,lower,upper\n",
     "chain.csv:1:1: error: no joint of the chain moves"},
    {"nothing", 1, NULL, "",
     "chain.csv:1:1: error: is empty: a head with the names of the columns is due"},
};

Test(cli_bad_table, chains) {
    for (size_t i = 0; i < sizeof bad_chains / sizeof *bad_chains; i++) {
        expect_refused("chain.csv", chain, &bad_chains[i]);
    }
}

static const BadTable bad_targets[] = {
    {"a column twice", 1, "id,px,py,pz", "id,px,px,pz",
     "targets.csv:1:1: error: columns 2 and 3 are both named 'px'"},
    {"two columns twice", 2, "id,px,py,pz", "id,px,px,id",
     "targets.csv:1:1: error: columns 2 and 3 are both named 'px'"},
    {"a column twice at the end", 1, NULL, "id,px,py,pz,px\nfirst,1.2,0.5,0.3,9\n",
     "targets.csv:1:1: error: columns 2 and 5 are both named 'px'"},
    {"a column missing", 1, "id,px,py,pz", "id,px,py",
     "targets.csv:1:1: error: the head has no column 'pz'"},
    {"an unknown column", 2, "id,px,py,pz", "id,px,py,pz,w",
     "targets.csv:2:1: error: the row has 4 cells, the head has 5"},
    {"half a quaternion", 2, "id,px,py,pz", "id,px,py,pz,qw,qx",
     "targets.csv:1:1: error: the head has no column 'qy'"},
    {"a number missing", 1, "first,1.2,0.5,0.3", "first,1.2,,0.3",
     "targets.csv:2:11: error: py: a number is due, not ''"},
    {"a word", 1, "first,1.2,0.5,0.3", "first,1.2,far,0.3",
     "targets.csv:2:11: error: py: a number is due, not 'far'"},
    {"NaN", 1, "first,1.2,0.5,0.3", "first,1.2,nan,0.3",
     "targets.csv:2:11: error: py: a number is due, not 'nan'"},
    {"infinity", 1, "first,1.2,0.5,0.3", "first,1.2,-inf,0.3",
     "targets.csv:2:11: error: py: a finite number is due, not '-inf'"},
    {"beyond all numbers", 1, "first,1.2,0.5,0.3", "first,1.2,1e400,0.3",
     "targets.csv:2:11: error: py: a number is due, not '1e400'"},
    {"hexadecimal", 1, "first,1.2,0.5,0.3", "first,1.2,0x1p3,0.3",
     "targets.csv:2:11: error: py: a number is due, not '0x1p3'"},
    {"a row too short", 1, "first,1.2,0.5,0.3", "first,1.2,0.5",
     "targets.csv:2:1: error: the row has 3 cells, the head has 4"},
    {"a row too long", 1, "first,1.2,0.5,0.3", "first,1.2,0.5,0.3,9",
     "targets.csv:2:1: error: the row has 5 cells, the head has 4"},
    {"no text", 3, NULL, "ELF", "targets.csv:1:1: error: the head has no column 'px'"},
    {"two errors in two rows", 2,
     "first,1.2,0.5,0.3\n"
     "second,-0.4",
     "first,x,0.5,0.3\n"
     "second,y",
     "targets.csv:2:7: error: px: a number is due, not 'x'"},
    {"three errors in one row", 3, "first,1.2,0.5,0.3", "first,x,y,z",
     "targets.csv:2:7: error: px: a number is due, not 'x'"},
    {"a quaternion of 0", 1, NULL,
     "px,py,pz,qw,qx,qy,qz\n"
     "1,0,0.3,0,0,0,0\n",
     "targets.csv:2:9: error: the quaternion is 0"},
    {"both rotations", 1, NULL,
     "px,py,pz,qw,qx,qy,qz,roll,pitch,yaw\n"
     "1,0,0.3,1,0,0,0,0,0,0\n",
     "targets.csv:1:1: error: a rotation is qw,qx,qy,qz or roll,pitch,yaw, not both"},
    {"a rotation of two angles", 1, NULL,
     "px,py,pz,roll,pitch\n"
     "1,0,0.3,0,0\n",
     "targets.csv:1:1: error: the head has no column 'yaw'"},
};

Test(cli_bad_table, targets) {
    for (size_t i = 0; i < sizeof bad_targets / sizeof *bad_targets; i++) {
        expect_refused("targets.csv", targets, &bad_targets[i]);
    }
}

// a table may be larger than what is read at once, has so many columns, and is text
Test(cli_bad_table, the_bounds_of_a_table) {
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
