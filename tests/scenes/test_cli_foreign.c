// SPDX-License-Identifier: MIT
// Files that a scene may not name: files that block, have no end or lie elsewhere. Only the name of
// a foreign file is shown.
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

static const char robot[] =
    "<robot name='r'><link name='base'/><link name='arm'><inertial><mass value='1'/><inertia "
    "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><joint name='j' "
    "type='continuous'><parent link='base'/><child link='arm'/></joint></robot>\n";

static void write_scene(const CliFolder* folder, const char* name, const char* file) {
    char text[400];
    snprintf(text, sizeof text, "poise: 1\nseconds: 0.01\nrobots: {r: {urdf: %s, base: fixed}}\n",
             file);
    cli_write_text(folder, name, text);
}

static CliEnd* new_end(void) {
    CliEnd* end = calloc(1, sizeof *end);
    cr_assert_not_null(end);
    return end;
}

Test(cli_foreign, what_is_no_regular_file_is_refused_at_once, .timeout = 200) {
    const CliFolder folder = cli_folder_create();
    CliEnd* end = new_end();
    char pipe[100];
    snprintf(pipe, sizeof pipe, "%s/pipe", folder.path);
    cr_assert(mkfifo(pipe, 0600) == 0);
    static const char* const files[] = {"pipe", "/dev/zero", "/dev/urandom", "/dev/tty", "."};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        write_scene(&folder, "scene.yaml", files[i]);
        CLI_RUN(&folder, end, "check", "--trusted", "scene.yaml");
        cli_expect_calm(end, files[i]);
        cr_expect(end->code == 3, "%s", files[i]);
        cr_expect(strstr(end->out, "cannot be read: ") != NULL, "%s: %s", files[i], end->out);
    }
    // a file named by the user may be a pipe, but not a device
    CLI_RUN(&folder, end, "check", "/dev/zero");
    cr_expect(end->code == 3 && strstr(end->out, "no regular file") != NULL, "%s", end->out);
    CLI_RUN(&folder, end, "solve", "--chain", "/dev/zero", "--targets", "pipe", "--out", "o.csv");
    cr_expect(end->code == 3 && strstr(end->err, "no regular file") != NULL, "%s", end->err);
    free(end);
    cli_folder_destroy(&folder);
}

FOLDER_TEST(cli_foreign, a_foreign_file_is_shown_by_its_name_alone, cli_folder_create()) {
    CliEnd* end = new_end();
    static const char* const texts[] = {
        "secret-word:secret-word\n", "<secret-word/>  ", "<a b='secret-word'><c>", "secret-word: [",
        "<secret-words><!-- and many more -->secret-word</secret-word>"};
    static const char* const keys[] = {"urdf", "mjcf"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        for (int k = 0; k < 2; k++) {
            char text[200];
            snprintf(text, sizeof text, "poise: 1\nrobots: {r: {%s: other, base: fixed}}\n",
                     keys[k]);
            cli_write_text(folder, "scene.yaml", text);
            cli_write_text(folder, "other", texts[i]);
            CLI_RUN(folder, end, "check", "--trusted", "scene.yaml");
            cr_expect(end->code == 3, "%s", texts[i]);
            cr_expect(cli_count(end->out, "secret-word") <= 1, "%s", end->out);
            CLI_RUN(folder, end, "run", "--trusted", "scene.yaml");
            cr_expect(cli_count(end->err, "secret-word") <= 1, "%s", end->err);
        }
    }
    // the line of a robot's file is shown
    write_scene(folder, "scene.yaml", "other");
    cli_write_text(folder, "other",
                   "<robot name='r'>\n<link name='a'/><joint name='j' type='shown'/></robot>\n");
    CLI_RUN(folder, end, "check", "scene.yaml");
    cr_expect(end->code == 3 && strstr(end->out, "'shown'") != NULL, "%s", end->out);
    free(end);
}

// a folder with a scene in a folder below it, and files outside of the scene's folder
typedef struct Yard {
    CliFolder folder;
    char inside[100];
    CliEnd* end;
} Yard;

static void link_in_yard(const Yard* yard, const char* target, const char* name) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", yard->folder.path, name);
    cr_assert(symlink(target, path) == 0);
}

static Yard yard_create(void) {
    Yard yard = {.folder = cli_folder_create(), .end = new_end()};
    snprintf(yard.inside, sizeof yard.inside, "%s/in", yard.folder.path);
    char parts[110];
    snprintf(parts, sizeof parts, "%s/parts", yard.inside);
    cr_assert(mkdir(yard.inside, 0700) == 0 && mkdir(parts, 0700) == 0);
    cli_write_text(&yard.folder, "out.urdf", robot);
    cli_write_text(&yard.folder, "in/near.urdf", robot);
    cli_write_text(&yard.folder, "in/parts/below.urdf", robot);
    link_in_yard(&yard, "../out.urdf", "in/leads-out.urdf");
    link_in_yard(&yard, "..", "in/up");
    link_in_yard(&yard, "parts/below.urdf", "in/stays-in.urdf");
    return yard;
}

static void yard_destroy(Yard* yard) {
    free(yard->end);
    cli_folder_destroy(&yard->folder);
}

Test(cli_foreign, an_untrusted_scene_reads_below_its_folder_alone, .timeout = 200) {
    Yard yard = yard_create();
    char absolute[200];
    snprintf(absolute, sizeof absolute, "%s/near.urdf", yard.inside);
    const struct {
        const char* file;
        bool inside;
    } rows[] = {{"near.urdf", true},       {"parts/below.urdf", true},
                {"./near.urdf", true},     {"stays-in.urdf", true},
                {"../out.urdf", false},    {"parts/../near.urdf", false},
                {"leads-out.urdf", false}, {"up/out.urdf", false},
                {absolute, false},         {"/proc/self/environ", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_scene(&yard.folder, "in/scene.yaml", rows[i].file);
        const char* says = "outside of the scene's folder";
        CLI_RUN(&yard.folder, yard.end, "check", "--untrusted", "in/scene.yaml");
        cr_expect(yard.end->code == (rows[i].inside ? 0 : 3), "%s: %s", rows[i].file,
                  yard.end->out);
        cr_expect((strstr(yard.end->out, says) != NULL) == !rows[i].inside, "%s", rows[i].file);
        CLI_RUN(&yard.folder, yard.end, "check", "in/scene.yaml");
        cr_expect(strstr(yard.end->out, says) == NULL, "%s: %s", rows[i].file, yard.end->out);
        // an automatic build (CI) trusts a scene only with --trusted
        setenv("CI", "true", 1);
        CLI_RUN(&yard.folder, yard.end, "run", "in/scene.yaml", "--quiet");
        cr_expect(yard.end->code == (rows[i].inside ? 0 : 3), "%s", rows[i].file);
        CLI_RUN(&yard.folder, yard.end, "run", "in/scene.yaml", "--quiet", "--trusted");
        cr_expect(strstr(yard.end->err, says) == NULL, "%s", rows[i].file);
        unsetenv("CI");
    }
    yard_destroy(&yard);
}

// Replays name their scene. `far` is another folder.
Test(cli_foreign, a_scene_that_a_replay_names_is_a_foreign_file, .timeout = 200) {
    Yard yard = yard_create();
    const CliFolder far = cli_folder_create();
    const char* scene = "poise: 1\nbodies: {b: {box: [1, 1, 1], at: [0, 0, 2]}}\n";
    cli_write_text(&far, "scene.yaml", scene);
    cli_write_text(&far, "secret", "secret-word:secret-word\n");
    cli_write_text(&yard.folder, "in/scene.yaml", scene);
    cli_write_text(&yard.folder, "in/secret", "secret-word:secret-word\n");
    char pipe[200], far_scene[200], far_secret[200];
    snprintf(pipe, sizeof pipe, "%s/in/pipe", yard.folder.path);
    cr_assert(mkfifo(pipe, 0600) == 0);
    snprintf(far_scene, sizeof far_scene, "%s/scene.yaml", far.path);
    snprintf(far_secret, sizeof far_secret, "%s/secret", far.path);
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
        cli_write_text(&yard.folder, "in/a.replay", text);
        for (int untrusted = 0; untrusted < 2; untrusted++) {
            CLI_RUN(&yard.folder, yard.end, "verify", "in/a.replay",
                    untrusted ? "--untrusted" : "--trusted");
            cli_expect_calm(yard.end, rows[i].file);
            const char* says = untrusted ? rows[i].says_untrusted : rows[i].says;
            cr_expect(yard.end->code == 3 && strstr(yard.end->err, says), "%s: %s", rows[i].file,
                      yard.end->err);
            cr_expect_null(strstr(yard.end->err, "secret-word"), "%s", yard.end->err);
        }
    }
    // who names the scene is trusted with it
    CLI_RUN(&yard.folder, yard.end, "verify", "in/a.replay", "--scene", far_scene, "--untrusted");
    cr_expect(yard.end->code == 3 && strstr(yard.end->err, other), "%s", yard.end->err);
    cli_folder_destroy(&far);
    yard_destroy(&yard);
}

static const char triangle[] =
    "o t\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\n"
    "f 2 3 4\n";

Test(cli_foreign, an_untrusted_robot_takes_parts_and_meshes_from_below_its_folder) {
    Yard yard = yard_create();
    cli_write_text(&yard.folder, "mesh.obj", triangle);
    cli_write_text(&yard.folder, "part.xml", "<mujoco><worldbody/></mujoco>");
    static const char* const meshes[] = {"../mesh.obj", "package://in/../mesh.obj",
                                         "package://any/mesh.obj", "file://../mesh.obj"};
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++) {
        char text[400];
        snprintf(text, sizeof text,
                 "<robot name='r'><link name='a'><collision><geometry><mesh "
                 "filename='%s'/></geometry></collision></link></robot>",
                 meshes[i]);
        cli_write_text(&yard.folder, "in/r.urdf", text);
        CLI_RUN(&yard.folder, yard.end, "check", "--untrusted", "in/r.urdf");
        cr_expect(yard.end->code == 0, "%s", yard.end->out);
        cr_expect(strstr(yard.end->out, "is not found below the scene's folder") != NULL, "%s: %s",
                  meshes[i], yard.end->out);
    }
    cli_write_text(&yard.folder, "in/m.xml", "<mujoco><include file='../part.xml'/></mujoco>");
    CLI_RUN(&yard.folder, yard.end, "check", "--untrusted", "in/m.xml");
    cr_expect(yard.end->code == 3 && strstr(yard.end->out, "below the scene's folder") != NULL,
              "%s", yard.end->out);
    CLI_RUN(&yard.folder, yard.end, "check", "in/m.xml");
    cr_expect(strstr(yard.end->out, "there is no file") == NULL, "%s", yard.end->out);
    yard_destroy(&yard);
}
