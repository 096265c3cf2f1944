// SPDX-License-Identifier: MIT
// Reads meshes in a separate process with bounded memory and time: the readers of many formats
// trust the sizes that a broken file states.
#define _DEFAULT_SOURCE // wait4
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input.h"
#include "mesh.h"

// Bytes that reading may take in addition to what the program already holds.
#define MOST_MEMORY ((rlim_t)1536 * 1024 * 1024)
// Processor time that any file may take, s, and the bytes of a file that add one second. A few
// broken files make their reader loop forever.
#define LEAST_TIME        2
#define BYTES_IN_A_SECOND ((rlim_t)4 * 1024 * 1024)

// The first message of the process. Points and triangles follow.
typedef struct Head {
    int point_count;
    int triangle_count;
    int shortage;
    char why[120]; ///< "" if the mesh was read
} Head;

static const char wrong_size[] =
    "cannot be read: what it says of its size is wrong, or it takes too long";

// No signal is handled in the new process, so nothing interrupts write.
static bool send_bytes(int pipe, const void* bytes, size_t size) {
    return write(pipe, bytes, size) == (ssize_t)size;
}

static bool receive_bytes(int pipe, void* bytes, size_t size) {
    char* rest = bytes;
    while (size > 0) {
        ssize_t got = read(pipe, rest, size);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        rest += got;
        size -= (size_t)got;
    }
    return true;
}

// ------------------------------------------------------------------------------ in the new process

static void set_limit(int what, rlim_t most) {
    struct rlimit limit;
    if (getrlimit(what, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max < most ? limit.rlim_max : most;
        (void)setrlimit(what, &limit);
    }
}

#ifndef __SANITIZE_ADDRESS__ // AddressSanitizer maps far more than it uses
// Address space that the program has, bytes.
static rlim_t memory_held(void) {
    unsigned long long pages = 0;
    FILE* file = fopen("/proc/self/statm", "r");
    bool read = file && fscanf(file, "%llu", &pages) == 1;
    if (file) {
        fclose(file);
    }
    return read ? (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) : MOST_MEMORY;
}
#endif

static rlim_t time_for(const char* path) {
    struct stat about;
    const bool known = stat(path, &about) == 0 && about.st_size > 0;
    const rlim_t bytes = known ? (rlim_t)about.st_size : 0;
    return LEAST_TIME + (bytes < MESH_MOST_BYTES ? bytes : MESH_MOST_BYTES) / BYTES_IN_A_SECOND;
}

static void restrain(const char* path) {
    static const int signals[] = {SIGXCPU, SIGABRT, SIGSEGV, SIGBUS, SIGHUP,
                                  SIGFPE,  SIGINT,  SIGTERM, SIGPIPE};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        (void)signal(signals[i], SIG_DFL);
    }
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_CPU, time_for(path));
#ifndef __SANITIZE_ADDRESS__
    set_limit(RLIMIT_AS, memory_held() + MOST_MEMORY);
#endif
    // Discards what a library prints as it ends.
    int silence = open("/dev/null", O_WRONLY);
    if (silence >= 0) {
        (void)dup2(silence, STDERR_FILENO);
        (void)dup2(silence, STDOUT_FILENO);
        // frees the third descriptor
        (void)(silence > STDERR_FILENO ? close(silence) : 0);
    }
}

// Ends the process: with 0 unless memory was short or the pipe broke.
static void read_and_send(Arena* arena, const MeshFile* file, int pipe) {
    Head head = {0, 0, 0, ""};
    Mesh mesh;
    const char* why = "";
    restrain(file->path);
    if (poise__mesh_import(arena, file, &mesh, &why)) {
        head.point_count = mesh.point_count;
        head.triangle_count = mesh.triangle_count;
    } else {
        head.shortage = mesh.shortage;
        memset(&mesh, 0, sizeof mesh);
        snprintf(head.why, sizeof head.why, "%s", arena->failed ? wrong_size : why);
    }
    bool sent =
        send_bytes(pipe, &head, sizeof head) &&
        send_bytes(pipe, mesh.points, (size_t)mesh.point_count * sizeof *mesh.points) &&
        send_bytes(pipe, mesh.triangles, (size_t)mesh.triangle_count * sizeof *mesh.triangles) &&
        send_bytes(pipe, mesh.tints, (size_t)mesh.triangle_count * sizeof *mesh.tints);
    _exit(sent && !arena->failed ? 0 : 1);
}

// ---------------------------------------------------------------------------------- in the program

// Receives the mesh. Returns false if the process ended before it had sent one.
static bool receive(Arena* arena, int pipe, Mesh* mesh, const char** why) {
    Head head;
    *why = wrong_size;
    if (!receive_bytes(pipe, &head, sizeof head)) {
        return false;
    }
    mesh->shortage = head.shortage;
    if (head.shortage) {
        return false;
    }
    if (head.why[0]) {
        *why = poise__arena_copy(arena, head.why, strlen(head.why));
        return false;
    }
    mesh->point_count = head.point_count;
    mesh->triangle_count = head.triangle_count;
    mesh->points = poise__arena_allocate(arena, (size_t)head.point_count, sizeof *mesh->points);
    mesh->triangles =
        poise__arena_allocate(arena, (size_t)head.triangle_count, sizeof *mesh->triangles);
    mesh->tints = poise__arena_allocate(arena, (size_t)head.triangle_count, sizeof *mesh->tints);
    return mesh->points && mesh->triangles && mesh->tints &&
           receive_bytes(pipe, mesh->points, (size_t)head.point_count * sizeof *mesh->points) &&
           receive_bytes(pipe, mesh->triangles,
                         (size_t)head.triangle_count * sizeof *mesh->triangles) &&
           receive_bytes(pipe, mesh->tints, (size_t)head.triangle_count * sizeof *mesh->tints);
}

// True if half of the memory that a mesh may take is available.
static bool has_room(void) {
    void* volatile room = malloc(MOST_MEMORY / 2);
    free(room);
    return room != NULL;
}

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

// Reads the mesh in one process. `ended` gets its exit status.
static bool read_once(Arena* arena, const MeshFile* file, Mesh* mesh, const char** why,
                      int* ended) {
    int ends[2];
    if (pipe(ends) != 0) {
        mesh->shortage = errno;
        return false;
    }
    pid_t process = fork();
    mesh->shortage = process < 0 ? errno : 0;
    if (process == 0) {
        close(ends[0]);
        read_and_send(arena, file, ends[1]);
    }
    close(ends[1]);
    const bool fine = process > 0 && receive(arena, ends[0], mesh, why);
    close(ends[0]);
    struct rusage used = {0};
    while (process > 0 && wait4(process, ended, 0, &used) < 0 && errno == EINTR) {
    }
    mesh->seconds += seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    return fine;
}

bool poise__mesh_read(Arena* arena, const MeshFile* file, Mesh* mesh, const char** why) {
    *mesh = (Mesh){0};
    bool fine = false, late = false;
    int ended = 0;
    FILE* stream = poise__input_open(file->path, INPUT_MESH, false, file->read, why);
    mesh->shortage = !stream && poise__input_is_shortage(errno) ? errno : 0;
    if (stream) {
        (void)fclose(stream);
    }
    // Tries twice: some readers do not report that memory was short, and some end the process. A
    // broken file, or one that needs too much memory, fails again.
    for (int i = 0; i < 2 && !fine && !late && !mesh->shortage && !arena->failed; i++) {
        fine = read_once(arena, file, mesh, why, &ended);
        late = WIFSIGNALED(ended) && WTERMSIG(ended) == SIGXCPU;
    }
    if (!fine) {
        *mesh = (Mesh){.seconds = mesh->seconds, .shortage = mesh->shortage};
        arena->failed = arena->failed || mesh->shortage == ENOMEM || (ended != 0 && !has_room());
    }
    if (mesh->shortage && !arena->failed) {
        *why = poise__arena_format(arena, "cannot be read: %s",
                                   poise__input_shortage(arena, mesh->shortage));
    }
    return fine;
}
