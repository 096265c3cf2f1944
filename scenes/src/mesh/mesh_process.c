// SPDX-License-Identifier: MIT
// Reads each mesh in a process of its own, with bounds on memory and time: readers of many formats
// trust the sizes that a broken file states. The reader process opens no file: it asks the program,
// which answers with a descriptor if the robot may name the file. Finally it sends the mesh.
// mesh_seccomp.c forbids all other system calls.
#define _DEFAULT_SOURCE // wait4, CMSG_SPACE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input.h"
#include "mesh.h"
#include "mesh_message.h"

// Bytes that reading may allocate in addition to those that the program already uses.
#define MOST_MEMORY ((rlim_t)1536 * 1024 * 1024)
// Processor time that any file may take, s, and the bytes of a file that add one second. A few
// broken files make their reader loop forever.
#define LEAST_TIME        2
#define BYTES_IN_A_SECOND ((rlim_t)4 * 1024 * 1024)
// Longest time without a message from a reader, s, for each second of processor time that it has. A
// broken file may have taken control of its reader and wait for ever; on a machine so busy that a
// sound reader takes this long, the read fails as a shortage.
#define SILENCE 60

// ------------------------------------------------------------------------------- the messages

// The program's answer to the name of a file. The file's descriptor is sent in the same message.
typedef struct Answer {
    int opened;
    int error; ///< errno if the file was not opened
} Answer;

// Memory for one descriptor in a message.
typedef union Descriptor {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr aligned;
} Descriptor;

// Sends the program's answer to a name, with the descriptor if it is not -1.
static bool send_answer(int socket, Answer answer, int descriptor) {
    Descriptor beside = {{0}};
    struct iovec data = {&answer, sizeof answer};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (descriptor >= 0) {
        message.msg_control = beside.bytes;
        message.msg_controllen = sizeof beside.bytes;
        struct cmsghdr* head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof answer;
}

// ------------------------------------------------------------------------------ in the reader

// Returns the descriptor that came with the answer, or -1.
static int receive_answer(int socket, Answer* answer) {
    Descriptor beside;
    struct iovec data = {answer, sizeof *answer};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = beside.bytes,
                             .msg_controllen = sizeof beside.bytes};
    int descriptor = -1;
    if (recvmsg(socket, &message, 0) != (ssize_t)sizeof *answer) {
        *answer = (Answer){0, EIO};
        return -1;
    }
    const struct cmsghdr* head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_type == SCM_RIGHTS) {
        memcpy(&descriptor, CMSG_DATA(head), sizeof descriptor);
    } else if (answer->opened) {
        // The kernel drops the descriptor if the process has its largest number of open files.
        *answer = (Answer){0, EMFILE};
    }
    return descriptor;
}

// Asks the program for a file of the mesh.
static FILE* ask(int socket, const char* name) {
    char text[MESH_LONGEST_NAME];
    Head head = {.asks = snprintf(text, sizeof text, "%s", name) + 1};
    Answer answer = {0, ENAMETOOLONG};
    int descriptor = -1;
    if (head.asks <= MESH_LONGEST_NAME && poise__transfer(socket, true, &head, sizeof head) &&
        poise__transfer(socket, true, text, (size_t)head.asks)) {
        descriptor = receive_answer(socket, &answer);
    }
    FILE* file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    errno = file ? 0 : descriptor >= 0 ? ENOMEM : answer.error;
    return file;
}

static void set_limit(int what, rlim_t most) {
    struct rlimit limit;
    if (getrlimit(what, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max < most ? limit.rlim_max : most;
        (void)setrlimit(what, &limit);
    }
}

#ifndef __SANITIZE_ADDRESS__ // AddressSanitizer maps far more than it uses
// Returns the address space that the program uses, bytes.
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

// Bounds the reader's time (s) and memory, silences its libraries, and forbids other system calls.
static ShutIn restrain(rlim_t seconds, int socket) {
    static const int signals[] = {SIGXCPU, SIGABRT, SIGSEGV, SIGBUS, SIGHUP,
                                  SIGFPE,  SIGINT,  SIGTERM, SIGPIPE};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        (void)signal(signals[i], SIG_DFL);
    }
    set_limit(RLIMIT_CORE, 0);
    set_limit(RLIMIT_CPU, seconds);
#ifndef __SANITIZE_ADDRESS__
    set_limit(RLIMIT_AS, memory_held() + MOST_MEMORY);
#endif
    int silence = open("/dev/null", O_WRONLY);
    if (silence >= 0) {
        (void)dup2(silence, STDERR_FILENO);
        (void)dup2(silence, STDOUT_FILENO);
        (void)(silence > STDERR_FILENO ? close(silence) : 0);
    }
    return poise__mesh_shut_in(socket);
}

// Reads the mesh and sends it, then ends the process. The exit code is 0 unless memory was short or
// the mesh could not be sent.
static void read_and_send(Arena* arena, const MeshFile* file, rlim_t seconds, int socket) {
    Head head = {0};
    Mesh mesh;
    const char* why = "";
    const ShutIn shut_in = restrain(seconds, socket);
    if (shut_in == SHUT_IN_NO_MEMORY) {
        _exit(1); // if the process ends before its first request, the program reports a shortage
    }
    head.unguarded = shut_in == SHUT_IN_IMPOSSIBLE;
    const bool fine = poise__mesh_import(arena, file, &(MeshOpener){socket, ask}, &mesh, &why);
    if (!fine) {
        head.shortage = mesh.shortage;
        snprintf(head.why, sizeof head.why, "%s", arena->failed ? mesh_wrong_size : why);
    }
    const bool sent = poise__send_mesh(socket, &head, fine ? &mesh : NULL);
    _exit(sent && !arena->failed ? 0 : 1);
}

// ---------------------------------------------------------------------------------- in the program

// Opens only files in the mesh's folder or below it.
FILE* poise__mesh_open_part(Arena* arena, const MeshFile* file, const char* name) {
    const char* slash = strrchr(file->path, '/');
    const int folder = name[0] && slash ? (int)(slash - file->path) + 1 : 0;
    const char* path =
        name[0] ? poise__arena_format(arena, "%.*s%s", folder, file->path, name) : file->path;
    const char* why = NULL;
    errno = path ? EACCES : ENOMEM;
    if (!path || name[0] == '/' || strstr(name, "..") ||
        !poise__input_is_inside(file->fence, name[0] ? name : "mesh", path)) {
        return NULL;
    }
    return poise__input_open(path, INPUT_MESH, false, file->read, &why);
}

// Records a file that the mesh names. The stream is NULL if the file was not opened.
static void add_part(Arena* arena, Mesh* mesh, const char* name, FILE* stream) {
    if (mesh->part_count >= MESH_MOST_PARTS) {
        mesh->part_count++;
        return;
    }
    if (ARENA_GROW(arena, mesh, parts, part)) {
        MeshPart* part = &mesh->parts[mesh->part_count++];
        memset(part, 0, sizeof *part);
        memcpy(part->name, name, strlen(name) + 1);
        poise__digest_file(stream, part->digest);
    }
}

// Receives the name of a file from the reader, and answers with the file. False if the reader has
// ended.
static bool serve(Arena* arena, const MeshFile* file, int socket, int length, Mesh* mesh) {
    char name[MESH_LONGEST_NAME] = "";
    if (length < 0 || length > MESH_LONGEST_NAME ||
        !poise__transfer(socket, false, name, (size_t)length) || name[length - 1] != '\0') {
        return false;
    }
    FILE* stream = poise__mesh_open_part(arena, file, name);
    const Answer answer = {stream != NULL, stream ? 0 : errno};
    if (name[0]) {
        add_part(arena, mesh, name, stream);
    }
    if (!stream && mesh->shortage == 0 && poise__input_is_shortage(answer.error)) {
        mesh->shortage = answer.error;
    }
    const bool sent = send_answer(socket, answer, stream ? fileno(stream) : -1);
    if (stream) {
        (void)fclose(stream);
    }
    return sent;
}

// Serves the reader until it sends a mesh. False if the reader ended before.
static bool receive(Arena* arena, const MeshFile* file, int socket, Mesh* mesh, const char** why) {
    Head head = {0};
    // A reader process that ends before its first request could not get memory.
    mesh->shortage = ENOMEM;
    *why = mesh_wrong_size;
    for (bool first = true; first || head.asks; first = false) {
        if (!poise__transfer(socket, false, &head, sizeof head)) {
            return false;
        }
        mesh->shortage = first ? 0 : mesh->shortage;
        if (head.asks && !serve(arena, file, socket, head.asks, mesh)) {
            return false;
        }
    }
    mesh->unguarded = head.unguarded;
    mesh->shortage = mesh->shortage ? mesh->shortage : head.shortage;
    if (mesh->shortage) {
        return false;
    }
    head.why[sizeof head.why - 1] = '\0';
    if (head.why[0]) {
        *why = poise__arena_copy(arena, head.why, strlen(head.why));
        return false;
    }
    return poise__receive_mesh(arena, socket, &head, mesh);
}

// True if half of the memory that reading a mesh may take can be allocated.
static bool has_room(void) {
    void* volatile room = malloc(MOST_MEMORY / 2);
    free(room);
    return room != NULL;
}

static double seconds_of(struct timeval time) {
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

// Reads the mesh by one process; `ended` gets its wait status.
static bool read_once(Arena* arena, const MeshFile* file, Mesh* mesh, const char** why,
                      int* ended) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        mesh->shortage = errno;
        return false;
    }
    struct stat about;
    const bool known = stat(file->path, &about) == 0 && about.st_size > 0;
    const rlim_t bytes = known ? (rlim_t)about.st_size : 0;
    const rlim_t seconds =
        LEAST_TIME + (bytes < MESH_MOST_BYTES ? bytes : MESH_MOST_BYTES) / BYTES_IN_A_SECOND;
    const struct timeval silence = {.tv_sec = (time_t)(SILENCE * seconds)};
    const bool bounded =
        setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence) == 0;
    pid_t process = bounded ? fork() : -1;
    mesh->shortage = process < 0 ? errno : 0;
    if (process == 0) {
        close(ends[0]);
        read_and_send(arena, file, seconds, ends[1]);
    }
    close(ends[1]);
    errno = 0;
    const bool fine = process > 0 && receive(arena, file, ends[0], mesh, why);
    if (process > 0 && !fine && errno == EAGAIN && kill(process, SIGKILL) == 0) {
        mesh->shortage = EAGAIN;
    }
    close(ends[0]);
    struct rusage used = {0};
    while (process > 0 && wait4(process, ended, 0, &used) < 0 && errno == EINTR) {
    }
    mesh->seconds += seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
    return fine;
}

bool poise__mesh_is_built(void) {
    return true;
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
        mesh->part_count = 0;
        fine = read_once(arena, file, mesh, why, &ended);
        late = WIFSIGNALED(ended) && WTERMSIG(ended) == SIGXCPU;
    }
    if (!fine) {
        *mesh = (Mesh){
            .seconds = mesh->seconds, .shortage = mesh->shortage, .unguarded = mesh->unguarded};
        arena->failed = arena->failed || mesh->shortage == ENOMEM || (ended != 0 && !has_room());
    }
    if (mesh->shortage && !arena->failed) {
        *why = poise__arena_format(arena, "cannot be read: %s",
                                   poise__input_shortage(arena, mesh->shortage));
    }
    return fine;
}
