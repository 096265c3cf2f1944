// SPDX-License-Identifier: MIT
// Files that a scene may not name: files that block, have no end or lie elsewhere. Of a foreign
// file only the name is shown.
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program.h"

static const char robot[] =
    "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/><inertia "
    "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' "
    "type='continuous'><parent link='base'/><child link='arm'/></joint></robot>\n";

static void write_scene(const char* name, const char* file) {
    char text[400];
    snprintf(text, sizeof text, "poise: 1\nseconds: 0.01\nrobots: {r: {urdf: %s, base: fixed}}\n",
             file);
    write_scratch(name, text);
}

PROGRAM_TEST(cli_foreign, files_that_are_not_regular_are_refused_at_once) {
    cr_assert(mkfifo("pipe", 0600) == 0);
    static const char* const files[] = {"pipe", "/dev/zero", "/dev/urandom", "/dev/tty", "."};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_scene("scene.yaml", files[i]);
        RUN_PROGRAM(outcome, "check", "--trusted", "scene.yaml");
        expect_calm(outcome, files[i]);
        cr_expect(outcome->code == 3, "%s", files[i]);
        cr_expect(strstr(outcome->out, "cannot be read: ") != NULL, "%s: %s", files[i],
                  outcome->out);
    }
    // a file named by the user may be a pipe, but not a device
    RUN_PROGRAM(outcome, "check", "/dev/zero");
    cr_expect(outcome->code == 3 && strstr(outcome->out, "no regular file") != NULL, "%s",
              outcome->out);
    RUN_PROGRAM(outcome, "solve", "--chain", "/dev/zero", "--targets", "pipe", "--out", "o.csv");
    cr_expect(outcome->code == 3 && strstr(outcome->err, "no regular file") != NULL, "%s",
              outcome->err);
}

PROGRAM_TEST(cli_foreign, a_foreign_file_is_shown_by_its_name_alone) {
    static const char* const texts[] = {
        "secret-word:secret-word\n", "<secret-word/>  ", "<a b='secret-word'><c>", "secret-word: [",
        "<secret-words><!-- and many more -->secret-word</secret-word>"};
    static const char* const keys[] = {"urdf", "mjcf"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (int k = 0; k < 2; k++) {
            char text[200];
            snprintf(text, sizeof text, "poise: 1\nrobots: {r: {%s: other, base: fixed}}\n",
                     keys[k]);
            write_scratch("scene.yaml", text);
            write_scratch("other", texts[i]);
            RUN_PROGRAM(outcome, "check", "--trusted", "scene.yaml");
            cr_expect(outcome->code == 3, "%s", texts[i]);
            cr_expect(count_of(outcome->out, "secret-word") <= 1, "%s", outcome->out);
            RUN_PROGRAM(outcome, "run", "--trusted", "scene.yaml");
            cr_expect(count_of(outcome->err, "secret-word") <= 1, "%s", outcome->err);
        }
    }
    // the line of a robot's file is shown
    write_scene("scene.yaml", "other");
    write_scratch("other",
                  "<robot name='r'>\n<link name='a'/><joint name='j' type='shown'/></robot>\n");
    RUN_PROGRAM(outcome, "check", "scene.yaml");
    cr_expect(outcome->code == 3 && strstr(outcome->out, "'shown'") != NULL, "%s", outcome->out);
}

// Creates a folder with a scene in a folder below it, and files outside of the scene's folder.
static Outcome* outcome_with_yard(void) {
    Outcome* outcome = outcome_create();
    cr_assert(mkdir("in", 0700) == 0 && mkdir("in/parts", 0700) == 0);
    write_scratch("out.urdf", robot);
    write_scratch("in/near.urdf", robot);
    write_scratch("in/parts/below.urdf", robot);
    cr_assert(symlink("../out.urdf", "in/leads-out.urdf") == 0);
    cr_assert(symlink("..", "in/up") == 0);
    cr_assert(symlink("parts/below.urdf", "in/stays-in.urdf") == 0);
    return outcome;
}

OUTCOME_TEST(cli_foreign, an_untrusted_scene_reads_below_its_folder_alone, outcome_with_yard()) {
    char absolute[200];
    snprintf(absolute, sizeof absolute, "%s/in/near.urdf", scratch_folder());
    const struct {
        const char* file;
        bool inside;
    } rows[] = {{"near.urdf", true},       {"parts/below.urdf", true},
                {"./near.urdf", true},     {"stays-in.urdf", true},
                {"../out.urdf", false},    {"parts/../near.urdf", false},
                {"leads-out.urdf", false}, {"up/out.urdf", false},
                {absolute, false},         {"/proc/self/environ", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_scene("in/scene.yaml", rows[i].file);
        const char* says = "outside of the scene's folder";
        RUN_PROGRAM(outcome, "check", "--untrusted", "in/scene.yaml");
        cr_expect(outcome->code == (rows[i].inside ? 0 : 3), "%s: %s", rows[i].file, outcome->out);
        cr_expect((strstr(outcome->out, says) != NULL) == !rows[i].inside, "%s", rows[i].file);
        RUN_PROGRAM(outcome, "check", "in/scene.yaml");
        cr_expect(strstr(outcome->out, says) == NULL, "%s: %s", rows[i].file, outcome->out);
        // an automatic build (CI) trusts a scene only with --trusted
        setenv("CI", "true", 1);
        RUN_PROGRAM(outcome, "run", "in/scene.yaml", "--quiet");
        cr_expect(outcome->code == (rows[i].inside ? 0 : 3), "%s", rows[i].file);
        RUN_PROGRAM(outcome, "run", "in/scene.yaml", "--quiet", "--trusted");
        cr_expect(strstr(outcome->err, says) == NULL, "%s", rows[i].file);
        unsetenv("CI");
    }
}

// Replays name their scene. The program runs beside them, so `..` is another folder.
OUTCOME_TEST(cli_foreign, a_scene_that_a_replay_names_is_a_foreign_file, outcome_with_yard()) {
    const char* scene = "poise: 1\nbodies: {b: {box: [1, 1, 1], at: [0, 0, 2]}}\n";
    write_scratch("far.yaml", scene);
    write_scratch("far-secret", "secret-word:secret-word\n");
    write_scratch("in/scene.yaml", scene);
    write_scratch("in/secret", "secret-word:secret-word\n");
    char far_scene[200], far_secret[200];
    cr_assert(mkfifo("in/pipe", 0600) == 0);
    snprintf(far_scene, sizeof far_scene, "%s/far.yaml", scratch_folder());
    snprintf(far_secret, sizeof far_secret, "%s/far-secret", scratch_folder());
    const char* other = "was recorded of other contents";
    const char* outside = "lies outside of this file's folder";
    const struct {
        const char* file;
        const char* says;
        const char* says_untrusted;
    } rows[] = {{"scene.yaml", other, other},
                {far_scene, other, outside},
                {far_secret, "is no scene", outside},
                {"secret", "is no scene", "is no scene"},
                {"pipe", "it is a pipe", "it is a pipe"},
                {"panda_square.yaml", other, other}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[500];
        snprintf(text, sizeof text,
                 "replay:\n  scene: \"%s\"\n  scene_hash: \"60edecafd9b82e17\"\n  steps: 53\n"
                 "  changes: 0\n  input: \"_06CC3o\"\n  states: \"JDEmrrsI\"\n"
                 "  end: \"4cc96dc1697c5435\"\n",
                 rows[i].file);
        write_scratch("in/a.replay", text);
        for (int untrusted = 0; untrusted < 2; untrusted++) {
            run_shell(outcome, "cd in && $POISE verify a.replay --%s",
                      untrusted ? "untrusted" : "trusted");
            expect_calm(outcome, rows[i].file);
            const char* says = untrusted ? rows[i].says_untrusted : rows[i].says;
            cr_expect(outcome->code == 3 && strstr(outcome->err, says), "%s: %s", rows[i].file,
                      outcome->err);
            cr_expect_null(strstr(outcome->err, "secret-word"), "%s", outcome->err);
        }
    }
    // who names the scene is trusted with it
    run_shell(outcome, "cd in && $POISE verify a.replay --scene ../far.yaml --untrusted");
    cr_expect(outcome->code == 3 && strstr(outcome->err, other), "%s", outcome->err);
}

static const char triangle[] =
    "o t\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\n"
    "f 2 3 4\n";

OUTCOME_TEST(cli_foreign, an_untrusted_robot_takes_parts_and_meshes_from_below_its_folder,
             outcome_with_yard()) {
    write_scratch("mesh.obj", triangle);
    write_scratch("part.xml", "<mujoco><worldbody/></mujoco>");
    static const char* const meshes[] = {"../mesh.obj", "package://in/../mesh.obj",
                                         "package://any/mesh.obj", "file://../mesh.obj"};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='a'><collision><geometry><mesh "
                 "filename='%s'/></geometry></collision></link></robot>",
                 meshes[i]);
        write_scratch("in/r.urdf", text);
        RUN_PROGRAM(outcome, "check", "--untrusted", "in/r.urdf");
        cr_expect(outcome->code == 0, "%s", outcome->out);
        cr_expect(strstr(outcome->out, "is not found below the scene's folder") != NULL, "%s: %s",
                  meshes[i], outcome->out);
    }
    write_scratch("in/m.xml", "<mujoco><include file='../part.xml'/></mujoco>");
    RUN_PROGRAM(outcome, "check", "--untrusted", "in/m.xml");
    cr_expect(outcome->code == 3 && strstr(outcome->out, "below the scene's folder") != NULL, "%s",
              outcome->out);
    RUN_PROGRAM(outcome, "check", "in/m.xml");
    cr_expect(strstr(outcome->out, "there is no file") == NULL, "%s", outcome->out);
}
