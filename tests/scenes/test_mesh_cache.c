// SPDX-License-Identifier: MIT
// Tests the cache of meshes. Whatever is in its folder, a robot has the same bodies as without it.
#define _DEFAULT_SOURCE // utimes
#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diagnostics.h"
#include "digest.h"
#include "loaded.h"
#include "mesh.h"
#include "program.h"

// A wedge, and a pyramid of the same file without one of its faces: it encloses no volume.
static const char wedge[] = "mtllib wedge.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                            "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
static const char robot[] =
    "<robot name='r'><link name='a'><collision><geometry><mesh filename='wedge.obj' "
    "scale='0.1 0.2 0.3'/></geometry></collision><collision><geometry>"
    "<mesh filename='wedge.obj' scale='-0.1 0.2 0.1'/></geometry></collision></link></robot>";

static char folder[400]; // of the entries

// Starts with an empty cache in the scratch folder.
static void start(void) {
    write_scratch("wedge.obj", wedge);
    write_scratch("wedge.mtl", "newmtl red\nKd 1 0 0\n");
    char home[300];
    snprintf(home, sizeof home, "%s/cache", scratch_folder());
    snprintf(folder, sizeof folder, "%s/poise/meshes", home);
    setenv("XDG_CACHE_HOME", home, 1);
}

// The physics of a robot, with the files that were read.
typedef struct Read {
    double numbers[60];
    int files;
    bool asked; ///< True if a process read the mesh
} Read;

static double children(void) {
    struct rusage used;
    cr_assert_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
    return (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static Read read_robot(void) {
    Read read;
    memset(&read, 0, sizeof read);
    const double before = children();
    Loaded loaded = required(load_text("r.urdf", robot));
    read.asked = children() > before;
    const PoiseSceneBody* body = &loaded.scene->bodies[0];
    cr_assert_eq(body->shape_count, 2);
    double* next = read.numbers;
    *next++ = body->mass;
    memcpy(next, &body->com, sizeof body->com);
    memcpy(next + 3, body->inertia, sizeof body->inertia);
    next += 9;
    for (int i = 0; i < 2; i++) {
        *next++ = (double)body->shapes[i].kind;
        memcpy(next, &body->shapes[i].size, sizeof(PoiseVec3));
        memcpy(next + 3, &body->shapes[i].in_body, sizeof(PoisePose));
        next += 10;
    }
    while (poise__diagnostics_read(loaded.diagnostics, read.files)) {
        read.files++;
    }
    return read;
}

// Writes the path of the only entry; "" if the cache is empty.
static void find_entry(char path[700]) {
    DIR* all = opendir(folder);
    path[0] = '\0';
    for (const struct dirent* item = all ? readdir(all) : NULL; item; item = readdir(all)) {
        if (item->d_name[0] != '.') {
            cr_expect(!path[0], "%s and %s", path, item->d_name);
            snprintf(path, 700, "%s/%s", folder, item->d_name);
        }
    }
    if (all) {
        closedir(all);
    }
}

static void expect_same(const Read* a, const Read* b, const char* row) {
    cr_expect_eq(memcmp(a->numbers, b->numbers, sizeof a->numbers), 0, "%s: other numbers", row);
    cr_expect_eq(a->files, b->files, "%s: %d files, %d before", row, b->files, a->files);
}

Test(mesh_cache, the_digest_is_blake2b) {
    static const unsigned char abc[DIGEST_SIZE] = {0xbd, 0xdd, 0x81, 0x3c, 0x63, 0x42, 0x39, 0x72,
                                                   0x31, 0x71, 0xef, 0x3f, 0xee, 0x98, 0x57, 0x9b,
                                                   0x94, 0x96, 0x4e, 0x3b, 0xb1, 0xcb, 0x3e, 0x42,
                                                   0x72, 0x62, 0xc8, 0xc0, 0x68, 0xd5, 0x23, 0x19};
    unsigned char result[DIGEST_SIZE], parts[DIGEST_SIZE];
    Digest digest;
    poise__digest_begin(&digest);
    poise__digest_add(&digest, "abc", 3);
    poise__digest_end(&digest, result);
    cr_expect_eq(memcmp(result, abc, sizeof abc), 0);
    // The digest of three blocks is the same for one call as for several.
    unsigned char bytes[3 * DIGEST_BLOCK];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (unsigned char)(7 * i);
    }
    poise__digest_begin(&digest);
    poise__digest_add(&digest, bytes, sizeof bytes);
    poise__digest_end(&digest, result);
    poise__digest_begin(&digest);
    poise__digest_add(&digest, bytes, 200);
    poise__digest_add(&digest, bytes + 200, sizeof bytes - 200);
    poise__digest_end(&digest, parts);
    cr_expect_eq(memcmp(result, parts, sizeof parts), 0);
}

SCRATCH_TEST(mesh_cache, a_second_import_reads_no_mesh) {
    start();
    if (has_meshes()) {
        const Read first = read_robot();
        const Read second = read_robot();
        expect_same(&first, &second, "second");
        cr_expect(first.asked && !second.asked);
        // A changed part makes the entry invalid.
        write_scratch("wedge.mtl", "newmtl red\nKd 0 1 0\n");
        const Read third = read_robot();
        expect_same(&first, &third, "another part");
        cr_expect(third.asked);
        cr_expect_not(read_robot().asked);
        // Each file has an entry of its own.
        write_scratch("wedge.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\n"
                                   "f 2 3 4\n");
        const Read other = read_robot();
        cr_expect(other.asked && other.numbers[0] > 1.5 * first.numbers[0]);
    }
}

SCRATCH_TEST(mesh_cache, a_kinematic_solve_reads_no_mesh) {
    start();
    PoiseDiagnostics* diagnostics = kept_diagnostics();
    const PoiseSceneSource source = {
        .path = "r.urdf", .text = robot, .text_size = strlen(robot), .without_meshes = true};
    const double before = children();
    PoiseScene* scene = poise_scene_load_source(&source, diagnostics);
    cr_assert_not_null(scene);
    cr_expect_eq(children(), before);
    cr_expect_eq(poise_diagnostics_size(diagnostics), 0);
    poise_scene_destroy(scene);
}

static void cut(const char* entry) {
    struct stat about;
    cr_assert_eq(stat(entry, &about), 0);
    cr_assert_eq(truncate(entry, about.st_size - 1), 0);
}

// Changes a byte of a corner of the hull.
static void change(const char* entry) {
    FILE* file = fopen(entry, "r+b");
    cr_assert(file && fseek(file, 160, SEEK_SET) == 0);
    const int byte = fgetc(file);
    cr_assert(fseek(file, 160, SEEK_SET) == 0 && fputc(byte ^ 1, file) != EOF);
    cr_assert_eq(fclose(file), 0);
}

static void open_to_others(const char* entry) {
    cr_assert_eq(chmod(entry, 0666), 0);
}

static void give_away(const char* entry) {
    // Only root may.
    if (chown(entry, 12345, (gid_t)-1) != 0) {
        open_to_others(entry);
    }
}

static void empty(const char* entry) {
    cr_assert_eq(truncate(entry, 0), 0);
}

static void link_away(const char* entry) {
    char other[800];
    snprintf(other, sizeof other, "%s.link", entry);
    cr_assert(rename(entry, other) == 0 && symlink(other, entry) == 0);
}

static void open_folder_to_others(const char* entry) {
    (void)entry;
    cr_assert_eq(chmod(folder, 0777), 0);
}

static void put_folder(const char* entry) {
    cr_assert(unlink(entry) == 0 && mkdir(entry, 0700) == 0);
}

static void put_pipe(const char* entry) {
    cr_assert(unlink(entry) == 0 && mkfifo(entry, 0600) == 0);
}

static void forbid_writing(const char* entry) {
    cr_assert(unlink(entry) == 0 && chmod(folder, 0500) == 0);
}

static void go_without_home(const char* entry) {
    (void)entry;
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
}

static void go_to_no_folder(const char* entry) {
    (void)entry;
    setenv("XDG_CACHE_HOME", "/dev/null", 1);
}

// Removes the entry, and limits files to 10 bytes: writing a new entry fails, as on a full disk.
static void fill_disk(const char* entry) {
    struct rlimit most;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &most), 0);
    most.rlim_cur = 10;
    cr_assert(unlink(entry) == 0 && signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &most), 0);
}

static const struct {
    const char* name;
    void (*spoil)(const char* entry);
} rows[] = {{"cut", cut},
            {"changed", change},
            {"empty", empty},
            {"of another user", give_away},
            {"writable by others", open_to_others},
            {"a link", link_away},
            {"in a folder that others may write", open_folder_to_others},
            {"a folder", put_folder},
            {"a pipe", put_pipe},
            {"read-only", forbid_writing},
            {"without a home", go_without_home},
            {"no folder", go_to_no_folder},
            {"on a full disk", fill_disk}};

SCRATCH_TEST(mesh_cache, an_entry_that_may_be_wrong_is_not_used) {
    struct rlimit most;
    const char* home = getenv("HOME");
    start();
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &most), 0);
    for (size_t i = 0; has_meshes() && i < sizeof rows / sizeof rows[0]; i++) {
        char entry[700], cache[300];
        snprintf(cache, sizeof cache, "%s/cache%zu", scratch_folder(), i);
        snprintf(folder, sizeof folder, "%s/poise/meshes", cache);
        setenv("XDG_CACHE_HOME", cache, 1);
        const Read first = read_robot();
        find_entry(entry);
        cr_assert(entry[0], "%s", rows[i].name);
        rows[i].spoil(entry);
        const Read second = read_robot();
        cr_assert_eq(setrlimit(RLIMIT_FSIZE, &most), 0);
        setenv("HOME", home ? home : "/", 1);
        chmod(folder, 0700);
        expect_same(&first, &second, rows[i].name);
        cr_expect(second.asked, "%s: the entry was used", rows[i].name);
        if (rows[i].spoil == change) {
            const Read third = read_robot();
            cr_expect_not(third.asked, "it is written again");
            expect_same(&first, &third, "again");
        }
    }
}

// Starts `poise check` of the robot in a process of its own.
static pid_t start_check(void) {
    const pid_t process = fork();
    if (process == 0) {
        const int silence = open("/dev/null", O_WRONLY);
        dup2(silence, STDOUT_FILENO);
        dup2(silence, STDERR_FILENO);
        execl(POISE_BINARY_DIR "/poise", "poise", "check", "r.urdf", (char*)NULL);
        _exit(127);
    }
    return process;
}

static void expect_end(pid_t process) {
    int status = -1;
    cr_assert_eq(waitpid(process, &status, 0), process);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
}

SCRATCH_TEST(mesh_cache, processes_share_the_cache) {
    enum { PROCESSES = 8, ROUNDS = 3 };
    start();
    write_scratch("r.urdf", robot);
    for (int round = 0; round < ROUNDS && has_meshes(); round++) {
        pid_t processes[PROCESSES];
        for (int i = 0; i < PROCESSES; i++) {
            processes[i] = start_check();
        }
        for (int i = 0; i < PROCESSES; i++) {
            expect_end(processes[i]);
        }
        char entry[700];
        find_entry(entry);
        const Read shared = read_robot();
        cr_expect_not(shared.asked);
        cr_assert_eq(unlink(entry), 0);
        const Read alone = read_robot();
        cr_expect(alone.asked);
        expect_same(&alone, &shared, "shared");
        find_entry(entry);
        cr_assert_eq(unlink(entry), 0);
    }
}

// The entries that were used longest ago are removed first. The files of this test are sparse: they
// occupy no space on the disk.
SCRATCH_TEST(mesh_cache, the_size_of_the_cache_is_bounded) {
    enum { FILES = 30 };
    start();
    if (has_meshes()) {
        char path[700];
        struct stat about;
        (void)read_robot();
        find_entry(path);
        unlink(path);
        for (int i = 0; i < FILES; i++) {
            const struct timeval times[2] = {{1000000 + 1000 * i, 0}, {1000000 + 1000 * i, 0}};
            snprintf(path, sizeof path, "%s/%064d", folder, i);
            const int file = open(path, O_WRONLY | O_CREAT, 0600);
            cr_assert(file >= 0 && ftruncate(file, 16 * 1024 * 1024) == 0 && close(file) == 0);
            cr_assert_eq(utimes(path, times), 0);
        }
        snprintf(path, sizeof path, "%s/unfinished.1.1", folder);
        const int file = open(path, O_WRONLY | O_CREAT, 0600);
        const struct timeval old[2] = {{1000000, 0}, {1000000, 0}};
        cr_assert(file >= 0 && close(file) == 0 && utimes(path, old) == 0);
        // A new process sums up the sizes at its first entry.
        write_scratch("r.urdf", robot);
        expect_end(start_check());
        cr_expect_neq(stat(path, &about), 0);
        int left = 0;
        for (int i = 0; i < FILES; i++) {
            snprintf(path, sizeof path, "%s/%064d", folder, i);
            left += stat(path, &about) == 0 ? 1 : 0;
        }
        // 192 MB are left: 12 files, or 11 beside the entry of this robot.
        cr_expect(left >= 11 && left <= 12, "%d", left);
        cr_expect_eq(stat(path, &about), 0, "the newest");
        cr_expect_not(read_robot().asked);
    }
}
