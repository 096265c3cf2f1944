// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700
#include "program.h"
#include "kept.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// s; more than any call takes on a busy machine with a sanitizer
#define SECONDS_LEFT      200.0
#define PROGRAM           POISE_BINARY_DIR "/poise"
#define POLL_MILLISECONDS 5

// -------------------------------------------------------------------------------------- folders

static char folder[64];

const char* scratch_folder(void) {
    // each test is a process, so each test makes a folder
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/poise-test-XXXXXX");
        cr_assert(mkdtemp(folder) && chdir(folder) == 0, "cannot make %s", folder);
    }
    return folder;
}

void write_scratch_bytes(const char* name, const char* bytes, size_t size) {
    scratch_folder();
    FILE* file = fopen(name, "wb");
    cr_assert_not_null(file, "%s cannot be written", name);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

void write_scratch(const char* name, const char* text) {
    write_scratch_bytes(name, text, strlen(text));
}

int count_scratch(void) {
    glob_t found;
    const int count = glob("*", 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    globfree(&found);
    return count;
}

char* read_scratch(const char* name) {
    struct stat status;
    FILE* file = fopen(name, "rb");
    size_t size = file && fstat(fileno(file), &status) == 0 ? (size_t)status.st_size : 0;
    char* text = kept(calloc(size + 1, 1), free);
    cr_assert_not_null(text);
    if (file) {
        text[fread(text, 1, size, file)] = '\0';
        fclose(file);
    }
    return text;
}

// ----------------------------------------------------------------------------------------- calls

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void limit(int resource, long most) {
    const struct rlimit both = {(rlim_t)most, (rlim_t)most};
    if (most > 0) {
        setrlimit(resource, &both);
    }
}

// Runs in the child process and never returns.
static void become_program(const ProgramCall* call, const int out[2], const int err[2]) {
    const char* const command[] = {"-c", call->shell, NULL};
    const char* const* words = call->shell ? command : call->arguments;
    const char* arguments[32] = {call->shell ? "/bin/sh" : PROGRAM};
    for (int i = 0; words[i] && i < 30; i++) {
        arguments[i + 1] = words[i];
    }
    setenv("POISE", PROGRAM, 1);
    // Restores what a shell would have set, after the test runner.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    int in = open("/dev/null", O_RDONLY);
    if (in < 0) {
        _exit(127);
    }
    dup2(in, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    close(out[0]), close(out[1]), close(err[0]), close(err[1]);
    limit(RLIMIT_AS, call->memory);
    limit(RLIMIT_FSIZE, call->file_size);
    execv(arguments[0], (char* const*)arguments);
    _exit(127);
}

// Reads into the text, drops what exceeds its room, and closes the stream at its end.
static void drain(int* stream, char* text, size_t* used) {
    char nowhere[4096];
    bool room = *used < OUTCOME_TEXT - 1;
    ssize_t count = room ? read(*stream, text + *used, OUTCOME_TEXT - 1 - *used)
                         : read(*stream, nowhere, sizeof nowhere);
    if (count <= 0) {
        close(*stream);
        *stream = -1;
    } else if (room) {
        *used += (size_t)count;
        text[*used] = '\0';
    }
}

static bool is_time_to_interrupt(const ProgramCall* call) {
    char pattern[64];
    glob_t found;
    struct stat status;
    bool due = false;
    snprintf(pattern, sizeof pattern, "%s*", call->interrupt_when);
    if (glob(pattern, 0, NULL, &found) == 0) {
        due = stat(found.gl_pathv[0], &status) == 0 && (long)status.st_size >= call->interrupt_at;
        globfree(&found);
    }
    return due;
}

static void interrupt(const ProgramCall* call, pid_t child) {
    const int by = call->interrupt_by ? call->interrupt_by : SIGINT;
    const struct timespec a_little = {0, 50000000};
    kill(child, by);
    if (call->twice) {
        nanosleep(&a_little, NULL);
        kill(child, by);
    }
}

static void listen_to(const ProgramCall* call, pid_t child, int out, int err, Outcome* outcome) {
    size_t out_used = 0, err_used = 0;
    bool interrupted = call->interrupt_when == NULL;
    double start = now();
    while (out >= 0 || err >= 0) {
        struct pollfd streams[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
        poll(streams, 2, POLL_MILLISECONDS);
        if (out >= 0 && streams[0].revents) {
            drain(&out, outcome->out, &out_used);
        }
        if (err >= 0 && streams[1].revents) {
            drain(&err, outcome->err, &err_used);
        }
        if (!interrupted && is_time_to_interrupt(call)) {
            interrupt(call, child);
            interrupted = true;
        }
        if (!outcome->late && now() - start > SECONDS_LEFT) {
            kill(child, SIGKILL);
            outcome->late = true;
        }
    }
}

void call_program(Outcome* outcome, const ProgramCall* call) {
    memset(outcome, 0, sizeof *outcome);
    int out[2];
    int err[2];
    cr_assert(pipe(out) == 0 && pipe(err) == 0);
    if (call->deaf) {
        close(out[0]);
        out[0] = -1;
    }
    fflush(NULL);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        become_program(call, out, err);
    }
    close(out[1]);
    close(err[1]);
    listen_to(call, child, out[0], err[0], outcome);
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    outcome->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    outcome->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    cr_assert_neq(outcome->code, 127, PROGRAM " does not start");
}

void run_shell(Outcome* outcome, const char* format, ...) {
    char command[4096];
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(command, sizeof command, format, values);
    va_end(values);
    cr_assert_lt((size_t)length, sizeof command);
    call_program(outcome, &(ProgramCall){.shell = command});
}

double figure_of(const Outcome* outcome, const char* point, const char* name) {
    char key[80];
    snprintf(key, sizeof key, "\"%s\": {", point);
    const char* at = strstr(outcome->out, key);
    snprintf(key, sizeof key, "\"%s\": ", name);
    at = at ? strstr(at, key) : NULL;
    const char* text = at ? at + strlen(key) : "null";
    char* end;
    const double value = strtod(text, &end);
    return end == text ? (double)NAN : value;
}

int count_of(const char* text, const char* word) {
    int count = 0;
    for (const char* at = strstr(text, word); at; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

void expect_calm(const Outcome* outcome, const char* row) {
    cr_expect_not(outcome->late, "%s: did not end", row);
    cr_expect_eq(outcome->signal, 0, "%s: ended by signal %d; stderr: %s", row, outcome->signal,
                 outcome->err);
    static const char* const cries[] = {"ODE INTERNAL ERROR", "ODE Message", "Assertion",
                                        "AddressSanitizer", "runtime error"};
    for (size_t i = 0; i < sizeof cries / sizeof cries[0]; i++) {
        cr_expect_null(strstr(outcome->err, cries[i]), "%s: %s", row, outcome->err);
    }
}

void expect_calls(Outcome* outcome, const CallRow* rows, size_t count) {
    for (const CallRow* row = rows; row < rows + count; row++) {
        if (row->call[0] == '>') {
            write_scratch(row->call + 2, row->says[0]);
            continue;
        }
        run_program(outcome, "%s", row->call);
        expect_calm(outcome, row->call);
        cr_expect_eq(outcome->code, row->code, "%s: ends with %d: %s", row->call, outcome->code,
                     outcome->err);
        if (row->code < 2 ? strstr(row->call, "--quiet") != NULL : strncmp(row->call, "check", 5)) {
            cr_expect_str_empty(outcome->out, "%s: wrote to stdout: %s", row->call, outcome->out);
        }
        for (int k = 0; k < 5 && row->says[k]; k++) {
            cr_expect(strstr(outcome->out, row->says[k]) || strstr(outcome->err, row->says[k]),
                      "%s: no '%s' in\n%s%s", row->call, row->says[k], outcome->out, outcome->err);
        }
    }
}

// -----------------------------------------------------------------------------------------
// outcomes

Outcome* outcome_create(void) {
    Outcome* outcome = calloc(1, sizeof *outcome);
    cr_assert_not_null(outcome);
    scratch_folder();
    return outcome;
}

static int remove_entry(const char* path, const struct stat* status, int type, struct FTW* walk) {
    (void)status, (void)type, (void)walk;
    return remove(path);
}

void outcome_destroy(Outcome* outcome) {
    cr_expect_eq(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
    folder[0] = '\0';
    free(outcome);
}

// a ball and a hinge that reach the goal
static const char arm[] =
    "poise: 1\ntitle: An arm\nseconds: 2\nworld: {gravity: [0, 0, 0]}\n"
    "bodies: {a: {capsule: 0.05, from: [0, 0, 0], to: [0, 0, 1]}, b: {capsule: 0.05, from: [0, 0, "
    "1], "
    "to: [0, 0, 2]}}\n"
    "joints: {j: {ball: [0, 0, 0], between: [world, a], ik: {spring: 5000, damper: 300}}, k: "
    "{hinge: "
    "[0, 0, 1], axis: [0, 1, 0], between: [a, b], ik: {spring: 5000, damper: 300}}}\n"
    "control_points: {tip: {body: b, at: [0, 0, 0.5], position: [0.8, 0.3, 1.1]}}\n"
    "expect: {tip.error: 0.01}\n";

// two links of 1 m in the plane, whose elbow bends to one side only
static const char bent[] =
    "<robot name='bent'>\n"
    "<link name='base'/><link name='upper'/><link name='lower'/>\n"
    "<joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/>"
    "<axis xyz='0 0 1'/><limit lower='-0.5' upper='0.4' effort='9' velocity='9'/></joint>\n"
    "<joint name='elbow' type='revolute'><parent link='upper'/><child link='lower'/>"
    "<origin xyz='1 0 0'/><axis xyz='0 0 1'/>"
    "<limit lower='0.1' upper='2.5' effort='9' velocity='9'/></joint>\n"
    "</robot>\n";

Outcome* outcome_with_arms(void) {
    Outcome* outcome = outcome_create();
    write_scratch("arm.yaml", arm);
    write_scratch("bent.urdf", bent);
    return outcome;
}
