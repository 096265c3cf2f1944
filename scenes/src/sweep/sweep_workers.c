// SPDX-License-Identifier: MIT
// The processes of a study. Each takes the next run from shared memory, and appends its row to a
// file of its own. If a process dies within a run, the parent writes a row about that and starts
// another process.
#define _DEFAULT_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "poise/ode_memory.h"
#include "sweep.h"

enum { ROW = 65536, MOST_JOBS = 1024, NAP = 50000000, BLEW_UP = 75, NO_RUN = -1 };

// Longest time between two syncs of the rows to the disk, s.
#define SYNC_EVERY 1.0

typedef struct Shared {
    atomic_int next; ///< index of the next run in `todo`
    atomic_int made;
    atomic_int at[MOST_JOBS]; ///< each worker's run; NO_RUN: none
} Shared;

typedef struct Worker {
    const Sweep* sweep;
    Shared* shared;
    const int* todo;
    int todo_count;
    int file;
    int number;
    pid_t parent;
    double synced;
    char* row;
} Worker;

static bool write_whole(int file, const char* text, size_t size) {
    while (size > 0) {
        const ssize_t written = write(file, text, size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        text += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

// The worker, for ODE's error handlers, which get no pointer.
static Worker* in_run;

static void end_in_order(int number, const char* text, va_list arguments) {
    (void)number, (void)text, (void)arguments;
    const Worker* worker = in_run;
    if (worker) {
        const int run = worker->shared->at[worker->number];
        const long size = poise__sweep_row_of(worker->sweep->study, run,
                                              (SweepEnd){"blew_up", "Open Dynamics Engine gave up"},
                                              worker->row, ROW);
        (void)write_whole(worker->file, worker->row, (size_t)size);
    }
    _exit(BLEW_UP);
}

static void keep_row(Worker* worker) {
    if (!write_whole(worker->file, worker->row, strlen(worker->row))) {
        fprintf(stderr, "poise: a row cannot be written: %s\n", strerror(errno));
        _exit(EXIT_INPUT);
    }
    if (poise__now() - worker->synced > SYNC_EVERY) {
        fdatasync(worker->file);
        worker->synced = poise__now();
    }
}

static void work(Worker* worker) {
    signal(SIGINT, SIG_IGN); // the parent handles interrupts
    in_run = worker;
    dSetDebugHandler(end_in_order);
    dSetErrorHandler(end_in_order);
    worker->synced = poise__now();
    // Ends if the parent has died.
    while (getppid() == worker->parent) {
        const int taken = atomic_fetch_add(&worker->shared->next, 1);
        if (taken >= worker->todo_count) {
            break;
        }
        const int run = worker->todo[taken];
        worker->shared->at[worker->number] = run;
        const bool made = poise__sweep_row(worker->sweep->study, run, worker->row, ROW);
        if (!made || poise_ode_memory_was_short()) {
            fprintf(stderr, "poise: %s\n", made ? "memory is short" : worker->row);
            _exit(EXIT_INPUT);
        }
        keep_row(worker);
        worker->shared->at[worker->number] = NO_RUN;
        atomic_fetch_add(&worker->shared->made, 1);
    }
    fdatasync(worker->file);
    _exit(EXIT_DONE);
}

static pid_t start(Worker* worker, int number) {
    worker->number = number;
    worker->shared->at[number] = NO_RUN;
    worker->parent = getpid();
    worker->file = poise__parts_open(worker->sweep);
    fflush(NULL);
    const pid_t child = worker->file >= 0 ? fork() : -1;
    if (child == 0) {
        work(worker);
    }
    if (child < 0 && worker->file >= 0) {
        fprintf(stderr, "poise: a process cannot be started: %s\n", strerror(errno));
    }
    if (worker->file >= 0) {
        close(worker->file);
    }
    return child;
}

static volatile sig_atomic_t interrupted;

static void take_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

// Writes a row for a run whose worker was ended by a signal. Returns false if that fails.
static bool note_crash(Worker* worker, int number, int status) {
    const int run = worker->shared->at[number];
    if (run == NO_RUN || !WIFSIGNALED(status)) {
        return true;
    }
    char reason[60];
    snprintf(reason, sizeof reason, "its process ended by signal %d", WTERMSIG(status));
    const long size = poise__sweep_row_of(worker->sweep->study, run, (SweepEnd){"crashed", reason},
                                          worker->row, ROW);
    const int file = poise__parts_open(worker->sweep);
    const bool fine = file >= 0 && write_whole(file, worker->row, (size_t)size);
    if (file >= 0) {
        close(file);
    }
    return fine;
}

static void show(const Worker* worker, Progress* progress, bool last) {
    const double made = (double)worker->shared->made;
    const double left = (double)worker->todo_count - made;
    const double passed = poise__now() - progress->start;
    poise__progress_show(progress, made / (double)worker->todo_count, last,
                         "%.0f of %d runs, %.0f s left ", made, worker->todo_count,
                         made > 0.0 ? passed / made * left : 0.0);
}

// Waits until all workers have ended. Returns false if one could not continue.
static bool watch(Worker* worker, pid_t* children) {
    Progress progress = poise__progress_start(worker->sweep->quiet);
    int alive = worker->sweep->jobs;
    bool fine = true;
    while (alive > 0) {
        int status = 0;
        const pid_t ended = waitpid(-1, &status, WNOHANG);
        for (int i = 0; ended > 0 && i < worker->sweep->jobs; i++) {
            if (children[i] != ended) {
                continue;
            }
            const int code = WIFEXITED(status) ? WEXITSTATUS(status) : BLEW_UP;
            children[i] = 0;
            alive--;
            fine = note_crash(worker, i, status) && fine && (code == EXIT_DONE || code == BLEW_UP);
            if (code == BLEW_UP && fine && !interrupted) {
                worker->shared->made++;
                children[i] = start(worker, i);
                alive += children[i] > 0 ? 1 : 0;
                fine = children[i] > 0;
            }
        }
        if (interrupted || !fine) {
            // each worker ends after its run
            worker->shared->next = worker->todo_count;
        }
        show(worker, &progress, alive == 0);
        if (ended <= 0) {
            nanosleep(&(struct timespec){0, NAP}, NULL);
        }
    }
    return fine;
}

int poise__workers_run(Sweep* sweep) {
    const PoiseStudy* study = sweep->study;
    int* todo = calloc((size_t)poise_study_run_count(study) + 1, sizeof *todo);
    char* row = malloc(ROW);
    Shared* shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!todo || !row || shared == MAP_FAILED) {
        fputs("poise: memory is short\n", stderr);
        free(todo);
        free(row);
        return EXIT_INPUT;
    }
    Worker worker = {.sweep = sweep, .shared = shared, .todo = todo, .row = row};
    for (int i = sweep->shard - 1; i < poise_study_run_count(study); i += sweep->shards) {
        if (!sweep->done[i]) {
            todo[worker.todo_count++] = i;
        }
    }
    sweep->jobs = worker.todo_count < sweep->jobs ? (int)worker.todo_count : sweep->jobs;
    signal(SIGINT, take_interrupt);
    signal(SIGTERM, take_interrupt);
    pid_t children[MOST_JOBS];
    int started = 0;
    for (; started < sweep->jobs; started++) {
        children[started] = start(&worker, started);
        if (children[started] <= 0) {
            break;
        }
    }
    const bool fine = started == sweep->jobs;
    sweep->jobs = started;
    const bool watched = watch(&worker, children);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    munmap(shared, sizeof *shared);
    free(todo);
    free(row);
    if (interrupted) {
        fputs("poise: interrupted; --resume goes on from here\n", stderr);
    }
    return interrupted ? EXIT_INTERRUPTED : fine && watched ? EXIT_DONE : EXIT_INPUT;
}
