// SPDX-License-Identifier: MIT
// Tests that errors by which ODE ends the process in the middle of a step are reported first.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "works.h"

/// Bounds of a geom that make ODE report an error.
static void complain(dGeomID geom, dReal bounds[6]) {
    (void)geom;
    for (int i = 0; i < 6; i++) {
        bounds[i] = i % 2 == 0 ? -1 : 1;
    }
    dDebug(d_ERR_IASSERT, "the bounds of %s", "nothing");
}

static dColliderFn* no_collider(int number) {
    (void)number;
    return NULL;
}

static void step_into_trouble(void) {
    PoiseSceneSource source = {.path = POISE_SOURCE_DIR "/scenes/press_wall.yaml"};
    PoiseSession session;
    if (!poise__session_open(&session, &source, stderr)) {
        _exit(1);
    }
    for (int i = 0; i < 10; i++) {
        if (poise__session_step(&session) < 0) {
            _exit(2);
        }
    }
    dGeomClass kind = {.collider = no_collider, .aabb = complain};
    dGeomID geom = dCreateGeom(dCreateGeomClass(&kind));
    dSpaceAdd(poise_world_space(poise_simulation_world(session.simulation)), geom);
    WORKS(poise__session_step(&session));
    _exit(3);
}

Test(session, an_assertion_of_odes_in_a_step_is_reported_with_its_time_and_exit_4) {
    int ends[2];
    char output[1024] = "";
    cr_assert_eq(pipe(ends), 0);
    fflush(stderr);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        step_into_trouble();
    }
    close(ends[1]);
    size_t length = 0;
    ssize_t got = 0;
    while (length < sizeof output - 1 &&
           (got = read(ends[0], output + length, sizeof output - 1 - length)) > 0) {
        length += (size_t)got;
    }
    close(ends[0]);
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 4, "status %x: %s", (unsigned)status,
              output);
    cr_expect_not_null(strstr(output, "blew up at 0.055 s"), "%s", output);
    cr_expect_not_null(strstr(output, "the bounds of nothing"), "%s", output);
}

Test(session, scenes_are_listed_once_and_by_name) {
    static PoiseSceneList files;
    files.count = 0;
    poise__scene_list_add(&files, POISE_SOURCE_DIR "/scenes");
    int count = files.count;
    poise__scene_list_add(&files, POISE_SOURCE_DIR "/scenes");
    cr_expect_eq(files.count, count);
    for (int i = 1; i < count; i++) {
        cr_expect_lt(strcmp(files.files[i - 1].path, files.files[i].path), 0);
    }
    bool titled = false;
    for (int i = 0; i < count; i++) {
        titled = titled || strcmp(files.files[i].title, "Panda draws a square") == 0;
    }
    cr_expect(titled);
    poise__scene_list_add(&files, "/nowhere");
    cr_expect_eq(files.count, count);
}

Test(session, an_empty_list_of_scenes_gets_a_message) {
    static PoiseSceneList files;
    files.count = 0;
    char* text[2] = {NULL, NULL};
    size_t size[2];
    FILE* out = open_memstream(&text[0], &size[0]);
    FILE* messages = open_memstream(&text[1], &size[1]);
    cr_assert(out && messages);
    cr_expect_not(poise__scene_list_print(&files, out, messages));
    fclose(out);
    fclose(messages);
    cr_expect_str_empty(text[0]);
    cr_expect_not_null(strstr(text[1], "there are no scenes"), "%s", text[1]);
    free(text[0]);
    free(text[1]);
}
