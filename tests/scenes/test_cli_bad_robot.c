// SPDX-License-Identifier: MIT
// Robots with one fault each: an error where it is wrong, a note where it is only odd.
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

static const char scene[] = "poise: 1\n"
                            "seconds: 0.05\n"
                            "robots:\n"
                            "  arm:\n"
                            "    urdf: robot.urdf\n"
                            "    base: fixed\n"
                            "    pose: {elbow: 0.5}\n"
                            "    joints:\n"
                            "      \"*\": {ik: {spring: 400, damper: 8}}\n"
                            "control_points:\n"
                            "  tip: {body: arm/tool, uses: arm/*, position: [0.2, 0, 0.6]}\n";

static CliFolder folder_with_scene(void) {
    CliFolder folder = cli_folder_create();
    cli_write_text(&folder, "scene.yaml", scene);
    return folder;
}

static void expect_robots_refused(const CliFault* faults, size_t count) {
    CliFolder folder = folder_with_scene();
    char* good = cli_source("good.urdf");
    for (size_t i = 0; i < count; i++) {
        cli_expect_refused(&folder, "robot.urdf", "scene.yaml", good, &faults[i]);
        cli_expect_refused(&folder, "robot.urdf", "robot.urdf", good, &faults[i]);
    }
    free(good);
    cli_folder_destroy(&folder);
}

#define EXPECT_REFUSED(faults) expect_robots_refused(faults, sizeof(faults) / sizeof *(faults))

FOLDER_TEST(cli_bad_robot, without_a_fault_it_runs, folder_with_scene()) {
    CliEnd end;
    char* good = cli_source("good.urdf");
    cli_write_text(folder, "robot.urdf", good);
    free(good);
    CLI_RUN(folder, &end, "check", "robot.urdf");
    cr_expect_eq(end.code, 0, "%s", end.out);
    cr_expect_not_null(strstr(end.out, "robot.urdf: 0 errors, 0 warnings, 0 notes"), "%s", end.out);
    CLI_RUN(folder, &end, "run", "scene.yaml");
    cr_expect_eq(end.code, 0, "%s", end.err);
    cr_expect_str_empty(end.err);
}

// ----------------------------------------------------------------------------------- links, joints

Test(cli_bad_robot, tree) {
#define BASE     "  <link name=\"base\">"
#define SHOULDER "<joint name=\"shoulder\" type=\"revolute\">"
#define TOOL     "  <link name=\"tool\"/>"
    static const CliFault faults[] = {
        FAULT("another root", NULL, "@<model name=\"arm\"/>\n", "<robot>", "<model>"),
        FAULT("a link twice", TOOL, TOOL "\n  @<link name=\"upper\"/>", "second link", "'upper'",
              "line 15"),
        FAULT("a joint twice", "<joint name=\"elbow\"", "@<joint name=\"shoulder\"", "second joint",
              "'shoulder'", "line 7"),
        FAULT("an unknown parent", "<parent link=\"upper\"/>", "<parent @link=\"uper\"/>",
              "no link 'uper'", "did you mean 'upper'"),
        FAULT("an unknown child", "<child link=\"tool\"/>", "<child @link=\"tol\"/>",
              "no link 'tol'", "did you mean 'tool'"),
        FAULT("no parent", SHOULDER "\n    <parent link=\"base\"/>", "@" SHOULDER, "parent"),
        FAULT("no child", SHOULDER "\n    <parent link=\"base\"/>\n    <child link=\"upper\"/>",
              "@" SHOULDER "\n    <parent link=\"base\"/>", "child"),
        FAULT("a parent without a name", "<parent link=\"upper\"/>", "@<parent/>", "'link'",
              "parent"),
        FAULT("its own parent",
              "<joint name=\"flange\" type=\"fixed\">\n    <parent link=\"fore\"/>",
              "@<joint name=\"flange\" type=\"fixed\">\n    <parent link=\"tool\"/>", "flange",
              "loop"),
        FAULT("two parents", TOOL,
              TOOL "\n  @<joint name=\"again\" type=\"fixed\"><parent link=\"base\"/>"
                   "<child link=\"fore\"/></joint>",
              "'fore'", "two joints", "again"),
        FAULT("a loop", "<parent link=\"base\"/>", "<parent link=\"tool\"/>", "joint"),
        FAULT("a link that hangs on nothing", TOOL, TOOL "\n  @<link name=\"cup\"/>", "'cup'",
              "no joint"),
        FAULT("a link without a name", TOOL, TOOL "\n  @<link/>", "'name'"),
        FAULT("a joint without a name", "<joint name=\"flange\" type", "@<joint type", "'name'"),
        FAULT("a joint without a type", "<joint name=\"flange\" type=\"fixed\">",
              "@<joint name=\"flange\">", "'type'"),
        FAULT("a type misspelt", SHOULDER, "<joint name=\"shoulder\" @type=\"revolut\">",
              "'revolut'", "did you mean 'revolute'"),
        FAULT("no links", NULL, "<?xml version=\"1.0\"?>\n@<robot name=\"none\">\n</robot>\n",
              "without links"),
    };
    EXPECT_REFUSED(faults);
}

Test(cli_bad_robot, numbers) {
#define AXIS    "<axis xyz=\"0 1 0\"/>\n    <limit"
#define LIMIT   "<limit lower=\"-1.5\" upper=\"1.2\" effort=\"50\" velocity=\"2\"/>"
#define ORIGIN  "<origin xyz=\"0 0 0.1\" rpy=\"0 0 0\"/>"
#define MASS    "<mass value=\"2\"/>"
#define INERTIA "<inertia ixx=\"0.03\" ixy=\"0\" ixz=\"0\" iyy=\"0.031\" iyz=\"0\" izz=\"0.002\"/>"
#define ROUND   "<cylinder radius=\"0.04\" length=\"0.4\"/>"
    static const CliFault faults[] = {
        FAULT("a limit that is not a number", LIMIT, "<limit @lower=\"nan\" upper=\"1\"/>",
              "'lower'", "number", "nan"),
        FAULT("a negative effort", LIMIT, "<limit lower=\"-1\" upper=\"1\" @effort=\"-50\"/>",
              "'effort'", "at least 0", "-50"),
        FAULT("negative damping", "<dynamics damping=\"0.3\"/>", "<dynamics @damping=\"-0.3\"/>",
              "'damping'", "at least 0", "-0.3"),
        FAULT("damping that is not a number", "<dynamics damping=\"0.3\"/>",
              "<dynamics @damping=\"inf\"/>", "'damping'", "finite", "inf"),
        FAULT("an axis of zero", AXIS, "<axis @xyz=\"0 0 0\"/>\n    <limit", "shoulder", "axis",
              "zero"),
        FAULT("an axis of two numbers", AXIS, "<axis @xyz=\"0 1\"/>\n    <limit", "'xyz'",
              "3 finite numbers", "0 1"),
        FAULT("an axis that is not a number", AXIS, "<axis @xyz=\"0 nan 0\"/>\n    <limit", "'xyz'",
              "number", "nan"),
        FAULT("an origin that is infinite", ORIGIN, "<origin @xyz=\"0 0 1e999\"/>", "'xyz'",
              "number", "1e999"),
        FAULT("an origin in words", ORIGIN, "<origin @xyz=\"0 0 up\"/>", "'xyz'", "number", "up"),
        FAULT("an origin in hexadecimal", ORIGIN, "<origin @xyz=\"0 0 0x1\"/>", "'xyz'", "number",
              "0x1"),
        FAULT("a turn that is not a number", ORIGIN, "<origin @rpy=\"nan 0 0\"/>", "'rpy'",
              "number", "nan"),
        FAULT("a negative mass", MASS, "@<mass value=\"-2\"/>", "upper", "at least 0", "-2"),
        FAULT("a mass that is not a number", MASS, "<mass @value=\"nan\"/>", "'value'", "number",
              "nan"),
        FAULT("a mass without a value", MASS, "@<mass/>", "'value'"),
        FAULT("an inertia that is not a number", INERTIA,
              "<inertia @ixx=\"nan\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>", "'ixx'",
              "number", "nan"),
        FAULT("an inertia that lacks a part", INERTIA, "@<inertia ixx=\"1\" iyy=\"1\"/>", "'izz'"),
        FAULT("a negative radius", ROUND, "<cylinder @radius=\"-0.04\" length=\"0.4\"/>",
              "'radius'", "above 0", "-0.04"),
        FAULT("a cylinder without a length", ROUND, "@<cylinder radius=\"0.04\"/>", "'length'"),
        FAULT("a box of two numbers", "<box size=\"0.2 0.2 0.1\"/>", "<box @size=\"0.2 0.2\"/>",
              "'size'", "3 finite numbers", "0.2 0.2"),
    };
    EXPECT_REFUSED(faults);
}

// -------------------------------------------------------------------------------------------- XML

Test(cli_bad_robot, xml) {
#define FOUR(name)    "&" name ";&" name ";&" name ";&" name ";"
#define SIXTEEN(name) FOUR(name) FOUR(name) FOUR(name) FOUR(name)
    static const CliFault faults[] = {
        FAULT("an empty file", NULL, "", "not XML"),
        FAULT("a text", NULL, "@hello\n", "not XML"),
        FAULT("a scene", NULL, "@poise: 1\n", "not XML"),
        FAULT("a tag left open", TOOL, "  <link name=\"tool\">", "not XML"),
        FAULT("a tag that closes another", "</inertial>\n    <collision>\n",
              "</inertia>\n    <collision>\n", "not XML"),
        FAULT("a quote left open", "<mass value=\"2\"/>", "<mass value=\"2/>", "not XML"),
        FAULT("an attribute twice", "<mass value=\"2\"/>", "<mass value=\"2\" value=\"3\"/>",
              "not XML"),
        FAULT("two roots", "</robot>\n", "</robot>\n<robot/>\n", "not XML"),
        FAULT("an entity that there is not", "<mass value=\"2\"/>", "<mass value=\"&two;\"/>",
              "not XML"),
        FAULT("a bomb of entities", NULL,
              "<?xml version=\"1.0\"?>\n<!DOCTYPE robot [\n<!ENTITY a \"aaaaaaaaaaaaaaaa\">\n"
              "<!ENTITY b \"" SIXTEEN("a") "\">\n<!ENTITY c \"" SIXTEEN(
                  "b") "\">\n"
                       "<!ENTITY d \"" SIXTEEN("c") "\">\n<!ENTITY e \"" SIXTEEN(
                           "d") "\">\n"
                                "<!ENTITY f \"" SIXTEEN("e") "\">\n<!ENTITY g \"" SIXTEEN(
                                    "f") "\">\n"
                                         "]>\n<robot name=\"&g;\"/>\n",
              "not XML"),
        FAULT("an entity of itself", NULL,
              "<!DOCTYPE robot [<!ENTITY a \"&b;\"><!ENTITY b \"&a;\">]>\n<robot name=\"&a;\"/>\n",
              "not XML"),
        FAULT("a byte of zero in its place", "<mass value=\"2\"/>", "<mass value=\"\x01\"/>",
              "not XML"),
    };
    EXPECT_REFUSED(faults);
}

FOLDER_TEST(cli_bad_robot, cut_anywhere_it_is_refused, folder_with_scene()) {
    CliEnd end;
    char* good = cli_source("good.urdf");
    size_t whole = (size_t)(strstr(good, "</robot>") - good);
    for (size_t size = 0; size <= whole; size += 61) {
        char row[32];
        snprintf(row, sizeof row, "cut after %zu", size);
        cli_write(folder, "robot.urdf", good, size);
        CLI_RUN(folder, &end, "run", "scene.yaml");
        cli_expect_calm(&end, row);
        cr_expect_eq(end.code, 3, "%s: %d", row, end.code);
        cr_expect_str_empty(end.out);
        cr_expect_eq(strncmp(end.err, "robot.urdf:", 11), 0, "%s: %s", row, end.err);
        cr_expect_eq(cli_count(end.err, ": error: "), 1, "%s: %s", row, end.err);
    }
    free(good);
}

FOLDER_TEST(cli_bad_robot, elements_without_end_are_refused, folder_with_scene()) {
    CliEnd end;
    size_t depth = 20000;
    char* text = calloc(depth + 1, 7);
    cr_assert_not_null(text);
    strcpy(text, "<robot>");
    for (size_t i = 1; i < depth; i++) {
        memcpy(text + 7 * i, "<robot>", 7);
    }
    cli_write(folder, "robot.urdf", text, 7 * depth);
    free(text);
    CLI_RUN(folder, &end, "run", "scene.yaml");
    cli_expect_calm(&end, "20000 elements deep");
    cr_expect_eq(end.code, 3);
    cr_expect_not_null(strstr(end.err, "deep"), "%s", end.err);
}

// ------------------------------------------------------------------------------- odd, not wrong

Test(cli_bad_robot, what_is_odd_is_said_and_runs) {
#define MESH "<mesh filename=\"package://nowhere/hand.stl\"/>"
    static const CliFault faults[] = {
        FAULT("an inertia that no body can have", INERTIA,
              "@<inertia ixx=\"0.03\" ixy=\"0\" ixz=\"0\" iyy=\"0.001\" iyz=\"0\" izz=\"0.002\"/>",
              "inertia", "upper", "mended"),
        FAULT("a negative inertia", INERTIA,
              "@<inertia ixx=\"-1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>", "inertia",
              "upper", "mended"),
        FAULT("a mesh that is not there", "<sphere radius=\"0.05\"/>", "@" MESH, "mesh", "box",
              "fore"),
        FAULT("an axis that is not of length one", AXIS, "<axis @xyz=\"0 2 0\"/>\n    <limit",
              "shoulder", "axis", "2"),
        FAULT("a link that weighs nothing", "<mass value=\"2\"/>", "<mass value=\"0\"/>", "upper",
              "mass"),
        FAULT("a tag outside the standard", TOOL, TOOL "\n  @<gazebo reference=\"tool\"/>",
              "gazebo"),
        FAULT("a key of a joint outside the standard", ORIGIN, ORIGIN "\n    @<safety/>", "safety"),
        FAULT("a base that floats", SHOULDER, "@<joint name=\"shoulder\" type=\"floating\">",
              "shoulder", "base"),
        FAULT("no limits", LIMIT, "", "shoulder", "<limit>"),
        FAULT("an effort of zero", LIMIT,
              "@<limit lower=\"-1\" upper=\"1\" effort=\"0\" velocity=\"2\"/>", "shoulder",
              "effort"),
    };
    CliFolder folder = folder_with_scene();
    CliEnd end;
    char* good = cli_source("good.urdf");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        CliBadText odd = cli_bad_text(good, &faults[i]);
        cli_write_text(&folder, "robot.urdf", odd.text);
        CLI_RUN(&folder, &end, "check", "scene.yaml");
        cli_expect_calm(&end, faults[i].name);
        cr_expect_eq(end.code, 0, "%s: check ends with %d", faults[i].name, end.code);
        // what changes the physics is a warning
        bool said = cli_find_message(end.out, "robot.urdf", "note", &odd, &faults[i]) ||
                    cli_find_message(end.out, "robot.urdf", "warning", &odd, &faults[i]);
        cr_expect(said, "%s: no such finding at line %d:\n%s", faults[i].name, odd.line, end.out);
        CLI_RUN(&folder, &end, "run", "scene.yaml", "--json");
        cli_expect_calm(&end, faults[i].name);
        cr_expect_eq(end.code, 0, "%s: run ends with %d: %s", faults[i].name, end.code, end.err);
        cr_expect_null(strstr(end.out, "nan"), "%s: %s", faults[i].name, end.out);
        free(odd.text);
    }
    free(good);
    cli_folder_destroy(&folder);
}

// --------------------------------------------------------------------------- robots in scenes

Test(cli_bad_robot, scenes) {
#define URDF "    urdf: robot.urdf\n"
    static const CliFault faults[] = {
        FAULT("a robot that is not there", URDF, "    urdf: @missing.urdf\n", "missing.urdf",
              "No such file"),
        FAULT("a robot that is a folder", URDF, "    urdf: @folder\n", "folder", "directory"),
        FAULT("a robot without a file", "  arm:\n" URDF, "  @arm:\n", "'urdf'", "missing"),
        FAULT("a robot in a list", URDF, "    urdf: @[robot.urdf]\n", "'urdf'", "text", "list"),
        FAULT("a base that there is not", "base: fixed", "base: @flying", "'base'", "flying",
              "fixed"),
        FAULT("a key misspelt", "base: fixed", "@bass: fixed", "unknown key 'bass'", "a robot",
              "did you mean 'base'"),
        FAULT("a posture of an unknown joint", "{elbow: 0.5}", "{@elbwo: 0.5}", "no joint 'elbwo'",
              "did you mean 'elbow'"),
        FAULT("a posture of a fixed joint", "{elbow: 0.5}", "{@flange: 0.5}", "flange", "fixed"),
        FAULT("a posture past the limits", "{elbow: 0.5}", "{shoulder: @1.3}", "shoulder", "1.3",
              "-1.5 to 1.2"),
        FAULT("a posture that is not a number", "{elbow: 0.5}", "{elbow: @nan}", "'elbow'",
              "finite", "nan"),
        FAULT("an unknown joint", "\"*\": {", "@shulder: {", "no joint 'shulder'",
              "did you mean 'shoulder'"),
        FAULT("a negative spring", "spring: 400", "spring: @-400", "'spring'", "at least 0",
              "-400"),
        FAULT("an unknown link", "body: arm/tool", "body: @arm/tol", "no body 'arm/tol'",
              "did you mean 'arm/tool'"),
        FAULT("an unknown robot", "body: arm/tool", "body: @amr/tool", "no body 'amr/tool'",
              "did you mean 'arm/tool'"),
        FAULT("an unknown joint of the robot", "uses: arm/*", "uses: [@arm/elbo]", "arm/elbo",
              "did you mean 'arm/elbow'"),
    };
    CliFolder folder = cli_folder_create();
    char* good = cli_source("good.urdf");
    char path[128];
    cli_write_text(&folder, "robot.urdf", good);
    snprintf(path, sizeof path, "%s/folder", folder.path);
    cr_assert_eq(mkdir(path, 0700), 0);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        cli_expect_refused(&folder, "bad.yaml", "bad.yaml", scene, &faults[i]);
    }
    free(good);
    cli_folder_destroy(&folder);
}

Test(cli_bad_robot, a_link_without_its_robot_is_found) {
    static const CliFault fault = FAULT("a link without its robot", "body: arm/tool", "body: @tool",
                                        "no body 'tool'", "did you mean 'arm/tool'");
    CliFolder folder = cli_folder_create();
    char* good = cli_source("good.urdf");
    cli_write_text(&folder, "robot.urdf", good);
    cli_expect_refused(&folder, "bad.yaml", "bad.yaml", scene, &fault);
    free(good);
    cli_folder_destroy(&folder);
}

// a pattern of no joint is an error here as it is in `uses`
Test(cli_bad_robot, a_pattern_of_no_joint_is_refused) {
    static const CliFault fault =
        FAULT("a pattern of no joint", "\"*\": {", "@\"leg_*\": {", "arm", "leg_*");
    CliFolder folder = cli_folder_create();
    char* good = cli_source("good.urdf");
    cli_write_text(&folder, "robot.urdf", good);
    cli_expect_refused(&folder, "bad.yaml", "bad.yaml", scene, &fault);
    free(good);
    cli_folder_destroy(&folder);
}
