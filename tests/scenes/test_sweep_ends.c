// SPDX-License-Identifier: MIT
// Tests how `poise sweep` ends with an obstacle: rows of an earlier call, foreign files, a killed
// process, an interrupt, or no place for the table.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poise/study.h"
#include "program.h"

#define SWEEP "$POISE sweep springhead_2balls --quiet --figures tip.error "
#define SHORT SWEEP "--vary defaults.joint.ik.spring=1000,2000,3000,4000 --seconds 0.02 "

static Outcome* outcome;

static void expect_end(const char* command, int code, const char* says) {
    run_shell(outcome, command);
    cr_expect_eq(outcome->code, code, "%s: ends with %d: %s", command, outcome->code, outcome->err);
    cr_expect(strstr(outcome->err, says) || strstr(outcome->out, says), "%s: no '%s' in: %s%s",
              command, says, outcome->err, outcome->out);
}

static char* table(const char* name) {
    char* text = read_scratch(name);
    cr_assert_not_null(text, "there is no %s", name);
    return text;
}

Test(sweep_ends, rows_of_before_are_kept_whatever_lies_beside_them) {
    outcome = outcome_create();
    expect_end(SHORT "--out want.csv", 0, "");
    expect_end(SHORT "--out t.csv --shard 1/2 --jobs 1", 0, "");
    expect_end(SHORT "--out t.csv", 2, "t.csv.parts has 2 rows already: --resume goes on, --again");
    // lines that are no rows; half a line; a file killed before its first line; a link to a missing
    // file; and files that are no part
    run_shell(outcome,
              "cd t.csv.parts && printf 'nonsense\\n-1,x\\n99999,x\\n7\\n3' >> part-1of2-1.csv "
              "&& printf half > part-77.csv && ln -s nowhere part-78.csv && echo > notes "
              "&& echo > part-.txt");
    cr_assert_eq(outcome->code, 0);
    expect_end(SHORT "--out t.csv --resume", 0, "");
    char* want = table("want.csv");
    char* have = table("t.csv");
    cr_expect_str_eq(have, want);
    free(want);
    free(have);
    outcome_destroy(outcome);
}

Test(sweep_ends, what_is_in_the_way_is_said) {
    outcome = outcome_create();
    expect_end(SHORT "--out t.csv --shard 1/2", 0, "");
    expect_end(SHORT "--out t.csv --resume --seed 5", 3, "its rows are of another study");
    run_shell(outcome, "ln -s part-80.csv t.csv.parts/part-80.csv");
    expect_end(SHORT "--out t.csv --resume", 3,
               "cannot be read: Too many levels of symbolic links");
    expect_end(SHORT "--out no/t.csv", 3, "no/t.csv");
    run_shell(outcome, "echo > file.csv.parts; mkdir folder.csv");
    expect_end(SHORT "--out file.csv", 3, "file.csv.parts");
    expect_end(SHORT "--out folder.csv", 3, "folder.csv");
    outcome_destroy(outcome);
}

static void write_robot(const char* name, int mass) {
    char text[400];
    snprintf(text, sizeof text,
             "<robot name='r'><link name='a'/><link name='b'><inertial><mass value='%d'/><inertia "
             "ixx='1' iyy='1' izz='1'/></inertial></link><joint name='j' type='continuous'><parent "
             "link='a'/><child link='b'/></joint></robot>",
             mass);
    write_scratch(name, text);
}

// Rows of two versions of a robot must not make one table.
Test(sweep_ends, rows_of_other_files_are_refused) {
    static const char* const files[] = {"one.urdf", "two.urdf"};
    outcome = outcome_create();
    write_scratch("s.yaml", "poise: 1\nrobots: {r: {urdf: one.urdf}}\n");
    write_scratch("study.yaml",
                  "sweep: 1\nscene: s.yaml\nseconds: 0.02\nfigures: [time]\n"
                  "vary: {robots.r.urdf: [one.urdf, two.urdf], world.step: [0.01]}\n");
    write_robot("one.urdf", 1);
    write_robot("two.urdf", 1);
    expect_end("$POISE sweep study.yaml --out t.csv --quiet --shard 1/2", 0, "");
    for (int i = 0; i < 2; i++) {
        write_robot(files[i], 9);
        expect_end("$POISE sweep study.yaml --out t.csv --quiet --resume", 3,
                   "its rows are of another study, or of this one before it, a file that it reads");
        write_robot(files[i], 1);
    }
    expect_end("$POISE sweep study.yaml --out t.csv --quiet --resume", 0, "");
    outcome_destroy(outcome);
}

// A robot's file is saved during the runs.
Test(sweep_ends, a_file_that_changes_ends_the_study) {
    char setting[200];
    outcome = outcome_create();
    write_robot("one.urdf", 1);
    snprintf(setting, sizeof setting, "scene=%s/s.yaml", scratch_folder());
    write_scratch("s.yaml", "poise: 1\nrobots: {r: {urdf: one.urdf}}\n");
    const char* const settings[] = {setting, "seconds=0.02", "vary.world.step=0.01",
                                    "figures=energy.kinetic"};
    const PoiseStudySource source = {.settings = settings, .setting_count = 4};
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    PoiseStudy* study = poise_study_load(&source, diagnostics);
    PoiseStudyRow row = {.status = ""};
    cr_assert_not_null(study);
    cr_expect_eq(poise_study_run(study, 0, &row), POISE_OK);
    write_robot("one.urdf", 9);
    cr_expect_eq(poise_study_run(study, 0, &row), POISE_ERROR_STALE);
    cr_expect(strstr(row.reason, "one.urdf' was changed after the study was read"), "%s",
              row.reason);
    write_robot("one.urdf", 1);
    cr_expect_eq(poise_study_run(study, 0, &row), POISE_OK);
    poise_study_destroy(study);
    poise_diagnostics_destroy(diagnostics);
    outcome_destroy(outcome);
}

// The run of a killed process becomes a row with the reason. The other runs are made.
Test(sweep_ends, a_process_that_is_killed_costs_its_run_alone, .timeout = 120) {
    outcome = outcome_create();
    run_shell(outcome, SWEEP
              "--vary defaults.joint.ik.spring=1000,2000 --seconds 400 --jobs 1 --out k.csv & "
              "p=$!; c=; while kill -0 $p && [ -z \"$c\" ]; do sleep 0.1; "
              "c=$(awk -v p=$p '$4 == p {print $1}' /proc/[0-9]*/stat 2>/dev/null); done; "
              "kill -KILL $c; wait $p");
    cr_expect_eq(outcome->code, 0, "%d: %s", outcome->code, outcome->err);
    char* rows = table("k.csv");
    cr_expect_not_null(strstr(rows, "\n0,1000,crashed,its process ended by signal 9,,"), "%s",
                       rows);
    cr_expect_not_null(strstr(rows, "\n1,2000,ok,"), "%s", rows);
    free(rows);
    outcome_destroy(outcome);
}

Test(sweep_ends, an_interrupted_sweep_keeps_its_rows, .timeout = 120) {
    outcome = outcome_create();
    expect_end(
        "timeout --preserve-status -s INT 0.7 " SWEEP
        "--vary defaults.joint.ik.spring=1000 --draws 100000 --jobs 2 --seconds 1 --out i.csv",
        130, "interrupted; --resume goes on from here");
    run_shell(outcome, "cat i.csv.parts/part-*.csv; test ! -e i.csv");
    cr_expect_eq(outcome->code, 0);
    cr_expect_not_null(strstr(outcome->out, ",1000,ok,"), "%s", outcome->out);
    outcome_destroy(outcome);
}
