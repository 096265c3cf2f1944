// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700
#include "cli.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// s; more than any call takes on a busy machine with a sanitizer
#define SECONDS_LEFT      60.0
#define POLL_MILLISECONDS 5

// -------------------------------------------------------------------------------------- folders

CliFolder cli_folder_create(void) {
    CliFolder folder = {"/tmp/poise-test-XXXXXX"};
    cr_assert_not_null(mkdtemp(folder.path));
    return folder;
}

static int remove_entry(const char* path, const struct stat* status, int type, struct FTW* walk) {
    (void)status, (void)type, (void)walk;
    return remove(path);
}

void cli_folder_destroy(const CliFolder* folder) {
    cr_expect_eq(nftw(folder->path, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void join(char* path, size_t capacity, const CliFolder* folder, const char* name) {
    snprintf(path, capacity, "%s/%s", folder->path, name);
}

void cli_write(const CliFolder* folder, const char* name, const char* bytes, size_t size) {
    char path[256];
    join(path, sizeof path, folder, name);
    FILE* file = fopen(path, "wb");
    cr_assert_not_null(file, "%s cannot be written", path);
    cr_assert_eq(fwrite(bytes, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

void cli_write_text(const CliFolder* folder, const char* name, const char* text) {
    cli_write(folder, name, text, strlen(text));
}

int cli_file_count(const CliFolder* folder) {
    char pattern[128];
    glob_t found;
    join(pattern, sizeof pattern, folder, "*");
    const int count = glob(pattern, 0, NULL, &found) == 0 ? (int)found.gl_pathc : 0;
    globfree(&found);
    return count;
}

static char* read_file(const char* path) {
    struct stat status;
    FILE* file = fopen(path, "rb");
    size_t size = file && fstat(fileno(file), &status) == 0 ? (size_t)status.st_size : 0;
    char* text = calloc(size + 1, 1);
    cr_assert_not_null(text);
    if (file) {
        text[fread(text, 1, size, file)] = '\0';
        fclose(file);
    }
    return text;
}

char* cli_read(const CliFolder* folder, const char* name) {
    char path[256];
    join(path, sizeof path, folder, name);
    return read_file(path);
}

char* cli_source(const char* name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/scenes/%s", POISE_SOURCE_DIR, name);
    char* text = read_file(path);
    cr_assert_str_not_empty(text, "%s cannot be read", path);
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
static void become_program(const CliCall* call, const int out[2], const int err[2]) {
    static char program[] = POISE_BINARY_DIR "/poise";
    char* arguments[32] = {program};
    for (int i = 0; call->arguments[i] && i < 30; i++) {
        arguments[i + 1] = (char*)call->arguments[i];
    }
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
    if (in < 0 || chdir(call->folder->path) != 0) {
        _exit(127);
    }
    dup2(in, STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    close(out[0]), close(out[1]), close(err[0]), close(err[1]);
    limit(RLIMIT_AS, call->memory);
    limit(RLIMIT_FSIZE, call->file_size);
    execv(program, arguments);
    _exit(127);
}

// Reads into the text, drops what exceeds its room, and closes the stream at its end.
static void drain(int* stream, char* text, size_t* used) {
    char nowhere[4096];
    bool room = *used < CLI_TEXT - 1;
    ssize_t count = room ? read(*stream, text + *used, CLI_TEXT - 1 - *used)
                         : read(*stream, nowhere, sizeof nowhere);
    if (count <= 0) {
        close(*stream);
        *stream = -1;
    } else if (room) {
        *used += (size_t)count;
        text[*used] = '\0';
    }
}

static bool is_time_to_interrupt(const CliCall* call) {
    char pattern[256];
    glob_t found;
    struct stat status;
    bool due = false;
    snprintf(pattern, sizeof pattern, "%s/%s*", call->folder->path, call->interrupt_when);
    if (glob(pattern, 0, NULL, &found) == 0) {
        due = stat(found.gl_pathv[0], &status) == 0 && (long)status.st_size >= call->interrupt_at;
        globfree(&found);
    }
    return due;
}

static void interrupt(const CliCall* call, pid_t child) {
    const int by = call->interrupt_by ? call->interrupt_by : SIGINT;
    const struct timespec a_little = {0, 50000000};
    kill(child, by);
    if (call->twice) {
        nanosleep(&a_little, NULL);
        kill(child, by);
    }
}

static void listen_to(const CliCall* call, pid_t child, int out, int err, CliEnd* end) {
    size_t out_used = 0, err_used = 0;
    bool interrupted = call->interrupt_when == NULL;
    double start = now();
    while (out >= 0 || err >= 0) {
        struct pollfd streams[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
        poll(streams, 2, POLL_MILLISECONDS);
        if (out >= 0 && streams[0].revents) {
            drain(&out, end->out, &out_used);
        }
        if (err >= 0 && streams[1].revents) {
            drain(&err, end->err, &err_used);
        }
        if (!interrupted && is_time_to_interrupt(call)) {
            interrupt(call, child);
            interrupted = true;
        }
        if (!end->late && now() - start > SECONDS_LEFT) {
            kill(child, SIGKILL);
            end->late = true;
        }
    }
}

void cli_call(const CliCall* call, CliEnd* end) {
    memset(end, 0, sizeof *end);
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
    listen_to(call, child, out[0], err[0], end);
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    end->code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    cr_assert_neq(end->code, 127, POISE_BINARY_DIR "/poise does not start");
}

void cli_run(const CliFolder* folder, const char* const* arguments, CliEnd* end) {
    CliCall call = {.folder = folder, .arguments = arguments};
    cli_call(&call, end);
}

int cli_count(const char* text, const char* word) {
    int count = 0;
    for (const char* at = strstr(text, word); at; at = strstr(at + 1, word)) {
        count++;
    }
    return count;
}

void cli_expect_calm(const CliEnd* end, const char* row) {
    cr_expect_not(end->late, "%s: did not end", row);
    cr_expect_eq(end->signal, 0, "%s: ended by signal %d; stderr: %s", row, end->signal, end->err);
    static const char* const cries[] = {"ODE INTERNAL ERROR", "ODE Message", "Assertion",
                                        "AddressSanitizer", "runtime error"};
    for (size_t i = 0; i < sizeof cries / sizeof cries[0]; i++) {
        cr_expect_null(strstr(end->err, cries[i]), "%s: %s", row, end->err);
    }
}
