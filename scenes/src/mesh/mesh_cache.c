// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700
#include "mesh.h"

#include <assimp/version.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libqhull_r/libqhull_r.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "input.h"

// Largest size of an entry, and of all entries together, bytes. The sum of all sizes is computed
// once for this number of written entries.
#define MAX_ENTRY_BYTES ((size_t)16 * 1024 * 1024)
#define MAX_CACHE_BYTES ((off_t)256 * 1024 * 1024)
#define SWEEP_EACH      64
// Age after which an unfinished entry is left over from a program that has ended, s.
#define LEFT_OVER 3600
// A use sets an entry's modification time to the present if that time is older than this, s.
#define OLD_USE 86400

static const char magic[16] = "poise mesh 2\n";

// The head of an entry's file. Points, triangles and parts of the mesh follow.
typedef struct EntryHead {
    char magic[16];
    unsigned char digest[DIGEST_SIZE]; ///< digest of all bytes that follow
    int point_count;
    int triangle_count;
    int file_triangles;
    int part_count;
    MassProperties mass;
    double margin;
} EntryHead;

#define HEAD_DIGESTED offsetof(EntryHead, point_count)

const char* poise__mesh_cache_folder(Arena* arena) {
    const char* cache = getenv("XDG_CACHE_HOME");
    const char* home = getenv("HOME");
    if (cache && cache[0] == '/') {
        return poise__arena_format(arena, "%s/poise/meshes", cache);
    }
    return home && home[0] == '/' ? poise__arena_format(arena, "%s/.cache/poise/meshes", home)
                                  : NULL;
}

// True if this user owns the file or folder, and no other user may write it.
static bool is_own(const struct stat* about) {
    return about->st_uid == geteuid() && (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Creates the folder and the folders above it, unless they exist.
static void create_folder(const char* folder) {
    char path[1024];
    const size_t length = strlen(folder);
    for (size_t i = 1; i <= length && length < sizeof path; i++) {
        if (folder[i] == '/' || folder[i] == '\0') {
            memcpy(path, folder, i);
            path[i] = '\0';
            if (mkdir(path, S_IRWXU) != 0 && errno != EEXIST) {
                return;
            }
        }
    }
}

// Returns a descriptor of the folder; -1 if it is missing or not this user's.
static int open_folder(const char* folder) {
    struct stat about;
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor >= 0 && (fstat(descriptor, &about) != 0 || !is_own(&about))) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

// ----------------------------------------------------------------------------------- the digests

// Writes the entry's name: the digest of all that the entry depends on, except the mesh's parts.
static bool find_name(const MeshFile* file, char name[2 * DIGEST_SIZE + 1]) {
    const char* why = NULL;
    FILE* stream = poise__input_open(file->path, INPUT_MESH, false, file->read, &why);
    Digest digest;
    unsigned char result[DIGEST_SIZE];
    const unsigned versions[3] = {aiGetVersionMajor(), aiGetVersionMinor(), aiGetVersionRevision()};
    if (!stream) {
        return false;
    }
    poise__digest_begin(&digest);
    poise__digest_add(&digest, magic, sizeof magic);
    poise__digest_add(&digest, versions, sizeof versions);
    poise__digest_add(&digest, qh_version, strlen(qh_version) + 1);
    poise__digest_add(&digest, &file->scale, sizeof file->scale);
    const bool fine = poise__digest_add_file(&digest, stream);
    (void)fclose(stream);
    poise__digest_end(&digest, result);
    for (int i = 0; i < DIGEST_SIZE; i++) {
        snprintf(name + 2 * (size_t)i, 3, "%02x", result[i]);
    }
    return fine;
}

// True if each file that the mesh names still has the digest in the entry. A missing file has the
// digest of 0 bytes.
static bool are_same(Arena* arena, const MeshFile* file, const MeshPart* parts, int count) {
    bool same = true;
    for (int i = 0; i < count && same; i++) {
        unsigned char digest[DIGEST_SIZE];
        FILE* stream = memchr(parts[i].name, 0, sizeof parts[i].name)
                           ? poise__mesh_open_part(arena, file, parts[i].name)
                           : NULL;
        poise__digest_file(stream, digest);
        same = memcmp(digest, parts[i].digest, sizeof digest) == 0;
        if (stream) {
            (void)fclose(stream);
        }
    }
    return same;
}

// ------------------------------------------------------------------------------------- an entry

// Returns the bytes of the entry, and writes their number; NULL if it is missing or not this
// user's.
static unsigned char* read_bytes(Arena* arena, const MeshSlot* slot, size_t* size) {
    struct stat about;
    const int folder = open_folder(slot->folder);
    const int file =
        folder >= 0 ? openat(folder, slot->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
                    : -1;
    const bool fine = file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
                      is_own(&about) && (size_t)about.st_size >= sizeof(EntryHead) &&
                      (size_t)about.st_size <= MAX_ENTRY_BYTES;
    unsigned char* bytes = fine ? poise__arena_allocate(arena, 1, (size_t)about.st_size) : NULL;
    *size = 0;
    for (ssize_t got = 1; bytes && got > 0 && *size < (size_t)about.st_size;) {
        got = read(file, bytes + *size, (size_t)about.st_size - *size);
        *size += got > 0 ? (size_t)got : 0;
    }
    if (bytes && time(NULL) - about.st_mtime > OLD_USE) {
        (void)futimens(file, NULL); // fails in a read-only cache, which is harmless
    }
    if (file >= 0) {
        close(file);
    }
    if (folder >= 0) {
        close(folder);
    }
    return bytes;
}

// True if the corners of the triangles are indices of points, and the points within MESH_FARTHEST.
// A damaged entry must not crash the program.
static bool is_hull(const Mesh* hull) {
    bool fine = hull->point_count >= 4 && hull->triangle_count >= 4;
    for (int i = 0; fine && i < 3 * hull->triangle_count; i++) {
        const int corner = hull->triangles[i / 3][i % 3];
        fine = corner >= 0 && corner < hull->point_count;
    }
    for (int i = 0; fine && i < hull->point_count; i++) {
        fine = poise_length(hull->points[i]) <= MESH_FARTHEST;
    }
    return fine;
}

// Reads the hull and the parts from the bytes. Returns false if the bytes are no valid entry.
static bool read_entry(unsigned char* bytes, size_t size, MeshSummary* summary, MeshPart** parts,
                       int* part_count) {
    EntryHead head;
    unsigned char digest[DIGEST_SIZE];
    Digest own;
    memcpy(&head, bytes, sizeof head);
    poise__digest_begin(&own);
    poise__digest_add(&own, bytes + HEAD_DIGESTED, size - HEAD_DIGESTED);
    poise__digest_end(&own, digest);
    const size_t most = size / sizeof(int);
    if (memcmp(head.magic, magic, sizeof magic) != 0 ||
        memcmp(head.digest, digest, sizeof digest) != 0 || head.point_count < 0 ||
        (size_t)head.point_count > most || head.triangle_count < 0 ||
        (size_t)head.triangle_count > most || head.part_count < 0 ||
        head.part_count > MESH_MOST_PARTS) {
        return false;
    }
    const size_t points = (size_t)head.point_count * sizeof(PoiseVec3);
    const size_t triangles = (size_t)head.triangle_count * sizeof(int[3]);
    if (size != sizeof head + points + triangles + (size_t)head.part_count * sizeof(MeshPart)) {
        return false;
    }
    unsigned char* rest = bytes + sizeof head;
    *summary = (MeshSummary){
        .mass = head.mass, .file_triangles = head.file_triangles, .margin = head.margin};
    summary->hull.points = (PoiseVec3*)(void*)rest;
    summary->hull.point_count = head.point_count;
    summary->hull.triangles = (int(*)[3])(void*)(rest + points);
    summary->hull.triangle_count = head.triangle_count;
    *parts = (MeshPart*)(void*)(rest + points + triangles);
    *part_count = head.part_count;
    return is_hull(&summary->hull) && head.mass.mass > 0.0 && isfinite(head.mass.mass) &&
           head.file_triangles >= 0 && head.file_triangles <= MESH_MOST_TRIANGLES &&
           head.margin >= 0.0 && isfinite(head.margin);
}

bool poise__mesh_cache_read(Arena* arena, const char* folder, const MeshFile* file, MeshSlot* slot,
                            MeshSummary* summary) {
    MeshPart* parts = NULL;
    int part_count = 0;
    size_t size = 0;
    *slot = (MeshSlot){.folder = folder};
    if (!folder || !find_name(file, slot->name)) {
        slot->folder = NULL;
        return false;
    }
    unsigned char* bytes = read_bytes(arena, slot, &size);
    return bytes && read_entry(bytes, size, summary, &parts, &part_count) &&
           are_same(arena, file, parts, part_count);
}

// ---------------------------------------------------------------------------------- writing,
// bounds

typedef struct Entry {
    char name[2 * DIGEST_SIZE + 1];
    off_t size;
    time_t used;
} Entry;

static int by_use(const void* a, const void* b) {
    const Entry* x = a;
    const Entry* y = b;
    return (x->used > y->used) - (x->used < y->used);
}

// Removes what other programs left unfinished; then the entries with the oldest use, until three
// quarters of MAX_CACHE_BYTES are left.
static void sweep(int folder) {
    enum { MOST = 20000 };
    const int again = dup(folder);
    DIR* all = again >= 0 ? fdopendir(again) : NULL;
    Entry* entries = all ? malloc(MOST * sizeof *entries) : NULL;
    int count = 0;
    off_t sum = 0;
    const struct dirent* item = entries ? readdir(all) : NULL;
    for (; item && count < MOST; item = readdir(all)) {
        struct stat about;
        const size_t length = strlen(item->d_name);
        if (fstatat(folder, item->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(about.st_mode)) {
            continue;
        }
        if (length == 2 * DIGEST_SIZE) {
            memcpy(entries[count].name, item->d_name, length + 1);
            entries[count].size = about.st_size;
            entries[count++].used = about.st_mtime;
            sum += about.st_size;
        } else if (time(NULL) - about.st_mtime > LEFT_OVER) {
            (void)unlinkat(folder, item->d_name, 0);
        }
    }
    if (entries && sum > MAX_CACHE_BYTES) {
        qsort(entries, (size_t)count, sizeof *entries, by_use);
        for (int i = 0; i < count && sum > MAX_CACHE_BYTES / 4 * 3; i++) {
            sum -= unlinkat(folder, entries[i].name, 0) == 0 ? entries[i].size : 0;
        }
    }
    free(entries);
    if (all) {
        closedir(all);
    } else if (again >= 0) {
        close(again);
    }
}

static bool write_all(int file, const void* bytes, size_t size) {
    const char* rest = bytes;
    while (size > 0) {
        const ssize_t wrote = write(file, rest, size);
        if (wrote <= 0) {
            return false;
        }
        rest += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

static bool write_entry(int file, const Mesh* mesh, const MeshSummary* summary) {
    EntryHead head;
    Digest digest;
    const Mesh* hull = &summary->hull;
    const struct {
        const void* bytes;
        size_t size;
    } arrays[] = {{hull->points, (size_t)hull->point_count * sizeof *hull->points},
                  {hull->triangles, (size_t)hull->triangle_count * sizeof *hull->triangles},
                  {mesh->parts, (size_t)mesh->part_count * sizeof *mesh->parts}};
    memset(&head, 0, sizeof head);
    memcpy(head.magic, magic, sizeof magic);
    head.point_count = hull->point_count;
    head.triangle_count = hull->triangle_count;
    head.file_triangles = mesh->triangle_count;
    head.part_count = mesh->part_count;
    head.mass = summary->mass;
    head.margin = summary->margin;
    poise__digest_begin(&digest);
    poise__digest_add(&digest, (const char*)&head + HEAD_DIGESTED, sizeof head - HEAD_DIGESTED);
    for (int i = 0; i < 3; i++) {
        poise__digest_add(&digest, arrays[i].bytes, arrays[i].size);
    }
    poise__digest_end(&digest, head.digest);
    bool fine = write_all(file, &head, sizeof head);
    for (int i = 0; i < 3 && fine; i++) {
        fine = write_all(file, arrays[i].bytes, arrays[i].size);
    }
    return fine;
}

void poise__mesh_cache_write(const MeshSlot* slot, const Mesh* mesh, const MeshSummary* summary) {
    static atomic_uint written;
    char name[60];
    if (!slot->folder || mesh->part_count > MESH_MOST_PARTS) {
        return;
    }
    create_folder(slot->folder);
    const int folder = open_folder(slot->folder);
    if (folder < 0) {
        return;
    }
    // The name is unique, so that no other process or thread writes this file. renameat then makes
    // the entry appear at once.
    const unsigned number = atomic_fetch_add(&written, 1);
    snprintf(name, sizeof name, "unfinished.%ld.%u", (long)getpid(), number);
    const int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                            S_IRUSR | S_IWUSR);
    bool fine = file >= 0 && write_entry(file, mesh, summary);
    fine = file >= 0 && close(file) == 0 && fine;
    fine = fine && renameat(folder, name, folder, slot->name) == 0;
    if (file >= 0 && !fine) {
        (void)unlinkat(folder, name, 0);
    }
    if (number % SWEEP_EACH == 0) {
        sweep(folder);
    }
    close(folder);
}
