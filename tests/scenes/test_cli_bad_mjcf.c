// SPDX-License-Identifier: MIT
// MJCF models of two files with one fault each: an error in the file where it is; and with many,
// all of which are told in one run.
#define _XOPEN_SOURCE 700
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define GOOD                                                                                       \
    "<mujoco model=\"arm\">\n"                                                                     \
    "  <compiler angle=\"radian\" eulerseq=\"xyz\"/>\n"                                            \
    "  <option timestep=\"0.002\" gravity=\"0 0 -9.81\"/>\n"                                       \
    "  <default>\n"                                                                                \
    "    <joint damping=\"1\"/>\n"                                                                 \
    "    <default class=\"tool\"><geom density=\"500\"/></default>\n"                              \
    "  </default>\n"                                                                               \
    "  <asset><mesh name=\"wedge\" file=\"wedge.obj\" scale=\"0.1 0.1 0.1\"/></asset>\n"           \
    "  <worldbody>\n"                                                                              \
    "    <geom name=\"floor\" type=\"plane\" size=\"0 0 1\"/>\n"                                   \
    "    <body name=\"base\" pos=\"0 0 0.1\">\n"                                                   \
    "      <geom type=\"box\" size=\"0.1 0.1 0.1\"/>\n"                                            \
    "      <body name=\"upper\" pos=\"0 0 0.1\" euler=\"0 0 0.1\">\n"                              \
    "        <joint name=\"shoulder\" type=\"hinge\" axis=\"0 1 0\" range=\"-2 2\" "               \
    "armature=\"0.1\"/>\n"                                                                         \
    "        <geom type=\"capsule\" fromto=\"0 0 0 0 0 0.4\" size=\"0.04\"/>\n"                    \
    "        <body name=\"lower\" pos=\"0 0 0.4\" quat=\"1 0 0 0\">\n"                             \
    "          <joint name=\"elbow\" axis=\"0 1 0\" range=\"-2 2\" stiffness=\"3\" "               \
    "springref=\"0.1\"/>\n"                                                                        \
    "          <inertial pos=\"0 0 0.2\" mass=\"1\" diaginertia=\"0.01 0.01 0.001\"/>\n"           \
    "          <geom class=\"tool\" type=\"mesh\" mesh=\"wedge\"/>\n"                              \
    "          <site name=\"tip\" pos=\"0 0 0.3\"/>\n"                                             \
    "        </body>\n"                                                                            \
    "        <include file=\"part.xml\"/>\n"                                                       \
    "      </body>\n"                                                                              \
    "    </body>\n"                                                                                \
    "  </worldbody>\n"                                                                             \
    "  <actuator><position name=\"m\" joint=\"shoulder\" kp=\"100\" kv=\"10\" forcerange=\"-50 "   \
    "50\"/></actuator>\n"                                                                          \
    "  <equality><joint joint1=\"finger\" joint2=\"elbow\" polycoef=\"0 0.5 0 0 "                  \
    "0\"/></equality>\n"                                                                           \
    "  <keyframe><key name=\"home\" qpos=\"0.1 0.2 0.1\"/></keyframe>\n"                           \
    "</mujoco>\n"

static const char good[] = GOOD;

static const char part[] = "<mujoco>\n"
                           "  <body name=\"hand\" pos=\"0 0 0.2\">\n"
                           "    <joint name=\"finger\" type=\"hinge\" axis=\"1 0 0\"/>\n"
                           "    <geom type=\"sphere\" size=\"0.03\"/>\n"
                           "  </body>\n"
                           "</mujoco>\n";

static CliFolder folder_with_model(void) {
    CliFolder folder = cli_folder_create();
    char* wedge = cli_source("models/parts/wedge.obj");
    cli_write_text(&folder, "wedge.obj", wedge);
    free(wedge);
    cli_write_text(&folder, "robot.xml", good);
    cli_write_text(&folder, "part.xml", part);
    return folder;
}

static void expect_refused(const char* file, const char* text, const CliFault* faults,
                           size_t count) {
    CliFolder folder = folder_with_model();
    for (size_t i = 0; i < count; i++) {
        cli_expect_refused(&folder, file, "robot.xml", text, &faults[i]);
    }
    cli_folder_destroy(&folder);
}

#define EXPECT_REFUSED(faults)                                                                     \
    expect_refused("robot.xml", good, faults, sizeof(faults) / sizeof *(faults))

FOLDER_TEST(cli_bad_mjcf, without_a_fault_it_is_read, folder_with_model()) {
    static CliEnd end;
    CLI_RUN(folder, &end, "check", "robot.xml");
    cr_expect_not_null(strstr(end.out, "robot.xml: 0 errors, 0 warnings, 0 notes"), "%s", end.out);
}

Test(cli_bad_mjcf, settings_and_defaults) {
    static const CliFault faults[] = {
        FAULT("an angle unit", "angle=\"radian\"", "@angle=\"grad\"",
              "'angle' must be degree or radian, not 'grad'"),
        FAULT("an euler sequence of two", "eulerseq=\"xyz\"", "@eulerseq=\"xy\"",
              "'eulerseq' must be three of x, y, z, X, Y, Z, not 'xy'"),
        FAULT("an euler sequence of others", "eulerseq=\"xyz\"", "@eulerseq=\"abc\"",
              "'eulerseq' must be three of x, y, z, X, Y, Z, not 'abc'"),
        FAULT("global coordinates", "angle=\"radian\"", "@coordinate=\"global\" angle=\"radian\"",
              "coordinates must be local, not 'global'"),
        FAULT("a step of 0", "timestep=\"0.002\"", "@timestep=\"0\"",
              "'timestep' must be above 0, not 0"),
        FAULT("a negative step", "timestep=\"0.002\"", "@timestep=\"-0.1\"",
              "'timestep' must be above 0, not -0.1"),
        FAULT("a step that is a word", "timestep=\"0.002\"", "@timestep=\"fast\"",
              "'timestep' must be 1 finite number, not 'fast'"),
        FAULT("a step that is NaN", "timestep=\"0.002\"", "@timestep=\"nan\"",
              "'timestep' must be 1 finite number, not 'nan'"),
        FAULT("gravity of two numbers", "gravity=\"0 0 -9.81\"", "@gravity=\"0 -9.81\"",
              "'gravity' must be 3 finite numbers, not '0 -9.81'"),
        FAULT("gravity of four numbers", "gravity=\"0 0 -9.81\"", "@gravity=\"0 0 0 -9.81\"",
              "'gravity' must be 3 finite numbers, not '0 0 0 -9.81'"),
        FAULT("gravity infinite", "gravity=\"0 0 -9.81\"", "@gravity=\"0 0 -inf\"",
              "'gravity' must be 3 finite numbers, not '0 0 -inf'"),
        FAULT("a default's damping a word", "<joint damping=\"1\"/>", "<joint @damping=\"soft\"/>",
              "'damping' must be 1 finite number, not 'soft'"),
        FAULT("a default class twice", "<default class=\"tool\"><geom density=\"500\"/></default>",
              "<default class=\"tool\"/><default @class=\"tool\"/>",
              "a second default class is named 'tool'"),
        FAULTS(2, "a default without a class",
               "<default class=\"tool\"><geom density=\"500\"/></default>",
               "@<default><geom density=\"500\"/></default>",
               "a <default> inside another lacks its 'class'"),
        FAULT("an unknown default class", "<geom class=\"tool\"", "<geom @class=\"tol\"",
              "there is no default class 'tol'; did you mean 'tool'?"),
        FAULT("a mesh of no name in the assets", "mesh=\"wedge\"/>", "mesh=\"wedgy\"/>",
              "there is no mesh 'wedgy'; did you mean 'wedge'?"),
        FAULTS(2, "a scale of two numbers", "scale=\"0.1 0.1 0.1\"", "@scale=\"0.1 0.1\"",
               "'scale' must be 3 finite numbers, not '0.1 0.1'"),
        FAULT("a mesh twice", "<asset>", "<asset><mesh name=\"wedge\" file=\"wedge.obj\"/>",
              "a second mesh is named 'wedge'"),
    };
    EXPECT_REFUSED(faults);
}

Test(cli_bad_mjcf, bodies_and_joints) {
    static const CliFault faults[] = {
        FAULT("a body twice", "<body name=\"lower\"", "@<body name=\"upper\"",
              "a second body is named 'upper', the first in line 13"),
        FAULT("a joint twice", "name=\"elbow\"", "name=\"shoulder\"",
              "a second joint is named 'shoulder', the first in line 14"),
        FAULT("a place of two numbers", "pos=\"0 0 0.4\" quat", "@pos=\"0 0.4\" quat",
              "'pos' must be 3 finite numbers, not '0 0.4'"),
        FAULT("a place that is a word", "pos=\"0 0 0.4\" quat", "@pos=\"here\" quat",
              "'pos' must be 3 finite numbers, not 'here'"),
        FAULT("a place too far", "pos=\"0 0 0.4\" quat", "@pos=\"0 0 1e30\" quat",
              "'pos' must be 3 finite numbers, not '0 0 1e30'"),
        FAULT("a rotation of 0", "quat=\"1 0 0 0\"", "@quat=\"0 0 0 0\"",
              "'quat' names no rotation"),
        FAULT("a rotation of three numbers", "quat=\"1 0 0 0\"", "@quat=\"1 0 0\"",
              "'quat' must be 4 finite numbers, not '1 0 0'"),
        FAULT("two rotations", "quat=\"1 0 0 0\"", "@quat=\"1 0 0 0\" euler=\"0 0 1\"",
              "a second rotation, 'quat', beside 'euler'"),
        FAULT("an axisangle about nothing", "quat=\"1 0 0 0\"", "@axisangle=\"0 0 0 1\"",
              "'axisangle' names no rotation"),
        FAULT("xyaxes that are parallel", "quat=\"1 0 0 0\"", "@xyaxes=\"1 0 0 1 0 0\"",
              "'xyaxes' names no rotation"),
        FAULT("a zaxis of 0", "quat=\"1 0 0 0\"", "@zaxis=\"0 0 0\"", "'zaxis' names no rotation"),
        FAULT("an unknown type of joint", "type=\"hinge\" axis=\"0 1 0\" range",
              "type=\"hing\" axis=\"0 1 0\" range",
              "'hing' is no type of joint; did you mean 'hinge'?"),
        FAULT("an axis of 0", "type=\"hinge\" axis=\"0 1 0\" range",
              "type=\"hinge\" axis=\"0 0 0\" range", "the axis of joint 'shoulder' is zero"),
        FAULT("an axis of two numbers", "type=\"hinge\" axis=\"0 1 0\" range",
              "type=\"hinge\" @axis=\"0 1\" range", "'axis' must be 3 finite numbers, not '0 1'"),
        FAULT("a range upside down", "range=\"-2 2\" armature", "range=\"2 -2\" armature",
              "the lower limit 2 of joint 'shoulder' is above its upper limit -2"),
        FAULT("a range of one number", "range=\"-2 2\" armature", "@range=\"2\" armature",
              "'range' must be 2 finite numbers, not '2'"),
        FAULT("a range that is NaN", "range=\"-2 2\" armature", "@range=\"nan 2\" armature",
              "'range' must be 2 finite numbers, not 'nan 2'"),
        FAULT("an armature below 0", "armature=\"0.1\"", "armature=\"-0.1\"",
              "'armature' of a joint must be at least 0, not -0.1"),
        FAULT("a stiffness below 0", "stiffness=\"3\"", "stiffness=\"-3\"",
              "'stiffness' of a joint must be at least 0, not -3"),
        FAULT("a stiffness infinite", "stiffness=\"3\"", "@stiffness=\"inf\"",
              "'stiffness' must be 1 finite number, not 'inf'"),
        FAULT("a springref that is a word", "springref=\"0.1\"", "@springref=\"rest\"",
              "'springref' must be 1 finite number, not 'rest'"),
        FAULT("a free joint inside",
              "<joint name=\"elbow\" axis=\"0 1 0\" range=\"-2 2\" stiffness=\"3\" "
              "springref=\"0.1\"/>",
              "@<freejoint name=\"elbow\"/>",
              "a free joint must be the only one of its body, and its body stand in <worldbody>"),
    };
    EXPECT_REFUSED(faults);
}

Test(cli_bad_mjcf, geoms_and_inertials) {
    static const CliFault faults[] = {
        FAULT("an unknown type of geom", "type=\"capsule\"", "type=\"capsul\"",
              "'capsul' is no type of geom; did you mean 'capsule'?"),
        FAULT("a fromto of five numbers", "fromto=\"0 0 0 0 0 0.4\"", "@fromto=\"0 0 0 0 0.4\"",
              "'fromto' must be 6 finite numbers, not '0 0 0 0 0.4'"),
        FAULT("a fromto without a length", "fromto=\"0 0 0 0 0 0.4\"", "fromto=\"0 0 0 0 0 0\"",
              "the two ends of 'fromto' are one place"),
        FAULT("a box without a size", "<geom type=\"box\" size=\"0.1 0.1 0.1\"/>",
              "@<geom type=\"box\"/>", "a geom's 'size' is missing or too short"),
        FAULT("a box with a side below 0", "size=\"0.1 0.1 0.1\"", "size=\"0.1 -0.1 0.1\"",
              "a geom's 'size' must be above 0, not -0.1"),
        FAULT("a box of one number", "type=\"box\" size=\"0.1 0.1 0.1\"",
              "type=\"box\" size=\"0.1\"", "a geom's 'size' is missing or too short"),
        FAULT("a geom's mass below 0", "type=\"capsule\"", "type=\"capsule\" @mass=\"-1\"",
              "'mass' of a geom must be at least 0, not -1"),
        FAULT("a geom's density below 0, which an inertial weighs", "class=\"tool\" type=\"mesh\"",
              "class=\"tool\" @density=\"-7800\" type=\"mesh\"",
              "'density' of a geom must be at least 0, not -7800"),
        FAULT("a default's density below 0", "density=\"500\"", "@density=\"-500\"",
              "'density' of a geom must be at least 0, not -500"),
        FAULT("an inertial mass below 0", "mass=\"1\" diag", "mass=\"-1\" diag",
              "an inertial's mass must be at least 0"),
        FAULT("an inertial mass that is a word", "mass=\"1\" diag", "@mass=\"heavy\" diag",
              "'mass' must be 1 finite number, not 'heavy'"),
        FAULT("an inertia of two numbers", "diaginertia=\"0.01 0.01 0.001\"",
              "@diaginertia=\"0.01 0.01\"",
              "'diaginertia' must be 3 finite numbers, not '0.01 0.01'"),
        FAULT("two inertials", "<site name=\"tip\"",
              "@<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 1\"/><site name=\"tip\"",
              "a second <inertial> of one body, the first in line 18"),
        FAULT("a composite", "<site name=\"tip\" pos=\"0 0 0.3\"/>",
              "@<composite type=\"grid\" count=\"3 3 1\"/>",
              "<composite> is not read, and the robot is not whole without it: save the compiled "
              "model from MuJoCo and read t"),
    };
    EXPECT_REFUSED(faults);
}

Test(cli_bad_mjcf, sections) {
    static const CliFault faults[] = {
        FAULT("an actuator of no such joint", "joint=\"shoulder\" kp", "@joint=\"shouder\" kp",
              "there is no joint 'shouder'; did you mean 'shoulder'?"),
        FAULT("an actuator's kp a word", "kp=\"100\"", "@kp=\"stiff\"",
              "'kp' must be 1 finite number, not 'stiff'"),
        FAULT("an actuator's kp below 0", "kp=\"100\"", "@kp=\"-100\"",
              "'kp' of an actuator must be at least 0, not -100"),
        FAULT("an actuator's kv below 0", "kv=\"10\"", "@kv=\"-10\"",
              "'kv' of an actuator must be at least 0, not -10"),
        FAULT("a forcerange upside down", "forcerange=\"-50 50\"", "@forcerange=\"50 -50\"",
              "'forcerange' begins at 50, above its end -50"),
        FAULT("a forcerange of three", "forcerange=\"-50 50\"", "@forcerange=\"-50 0 50\"",
              "'forcerange' must be 2 finite numbers, not '-50 0 50'"),
        FAULT("an equality of two polynomials", "polycoef=\"0 0.5 0 0 0\"",
              "@polycoef=\"0 a 0 0 0\"", "'polycoef' must be 5 finite numbers, not '0 a 0 0 0'"),
    };
    EXPECT_REFUSED(faults);
}

Test(cli_bad_mjcf, xml) {
    static const CliFault faults[] = {
        FAULT("another root", NULL, "@<robots/>\n",
              "the root element must be <robot> or <mujoco>, not <robots>"),
        FAULT("a tag that is not closed", "</worldbody>", "",
              "not XML: mismatched tag; the file may be cut off"),
        FAULT("a tag closed by another", "</worldbody>", "</@world>",
              "not XML: mismatched tag; the file may be cut off"),
        FAULT("an attribute twice", "kp=\"100\"", "kp=\"100\" @kp=\"50\"",
              "not XML: duplicate attribute; the file may be cut off"),
        FAULT("an attribute without quotes", "kp=\"100\"", "kp=@100",
              "not XML: not well-formed (invalid token); the file may be cut off"),
        FAULT("an entity that is not known", "name=\"tip\"", "name=\"&tip;\"",
              "not XML: undefined entity; the file may be cut off"),
        FAULT("an ampersand", "name=\"tip\"", "name=\"a &@ b\"",
              "not XML: not well-formed (invalid token); the file may be cut off"),
        FAULT("text behind the end", NULL, GOOD "@<mujoco/>\n",
              "not XML: junk after document element"),
        FAULT("nothing", NULL, "", "not XML: no element found"),
        FAULT("a worldbody that is not there", NULL, "@<mujoco model=\"m\"></mujoco>\n",
              "a model without <worldbody>"),
    };
    EXPECT_REFUSED(faults);
}

Test(cli_bad_mjcf, includes_and_names) {
    static const CliFault faults[] = {
        FAULT("an include without a file", "<include file=\"part.xml\"/>", "@<include/>",
              "<include>: there is no file ''"),
        FAULT("an include of nothing", "file=\"part.xml\"", "file=\"prt.xml\"",
              "<include>: there is no file 'prt.xml'"),
        FAULT("an include of itself", "file=\"part.xml\"", "file=\"robot.xml\"",
              "'robot.xml' is included already: a model has a file once"),
        FAULT("an include of a folder", "file=\"part.xml\"", "file=\".\"",
              "<include>: there is no file '.'"),
        FAULT("a line feed in a name", "name=\"tip\"", "@name=\"a&#10;b\"",
              "the control character U+000A in a text: a text is one line of letters"),
    };
    EXPECT_REFUSED(faults);
}

Test(cli_bad_mjcf, an_included_file) {
    static const CliFault faults[] = {
        FAULT("a part that is no XML", NULL, "@hello\n", "not XML: syntax error"),
        FAULT("a part that is empty", NULL, "", "not XML: no element found"),
        FAULT("a part cut in the middle", "</body>\n", "",
              "not XML: mismatched tag; the file may be cut off"),
        FAULT("a part's joint of an unknown type", "type=\"hinge\"", "type=\"hnge\"",
              "'hnge' is no type of joint; did you mean 'hinge'?"),
        FAULT("a part's joint about nothing", "axis=\"1 0 0\"", "axis=\"0 0 0\"",
              "the axis of joint 'finger' is zero"),
        FAULT("a part's geom of radius NaN", "size=\"0.03\"", "@size=\"nan\"",
              "'size' must be 1 finite number, not 'nan'"),
        FAULT("a part's body with a name that there is", "name=\"hand\"", "name=\"upper\"",
              "a second body is named 'upper', the first in line 13"),
        FAULT("a part's joint with a name that there is", "name=\"finger\"", "name=\"elbow\"",
              "a second joint is named 'elbow', the first in line 17"),
        FAULT("a part that includes itself", "<geom", "@<include file=\"part.xml\"/><geom",
              "'part.xml' is included already: a model has a file once"),
        FAULT("a part that includes nothing", "<geom", "@<include file=\"no.xml\"/><geom",
              "<include>: there is no file 'no.xml'"),
        FAULT("a part's unknown class", "<geom type", "<geom @class=\"tol\" type",
              "there is no default class 'tol'; did you mean 'tool'?"),
        FAULT("a part's place of two numbers", "pos=\"0 0 0.2\"", "@pos=\"0 0.2\"",
              "'pos' must be 3 finite numbers, not '0 0.2'"),
    };
    expect_refused("part.xml", part, faults, sizeof faults / sizeof *faults);
}

// the text with each fault of a list in it
static char* with_faults(const char* text, const char* const (*faults)[2], size_t count) {
    char* bad = strdup(text);
    for (size_t i = 0; i < count; i++) {
        const CliFault fault = {"many", faults[i][0], faults[i][1], {NULL}, 0};
        CliBadText next = cli_bad_text(bad, &fault);
        free(bad);
        bad = next.text;
    }
    return bad;
}

Test(cli_bad_mjcf, all_faults_of_two_files_are_told_in_one_run) {
    static const char* const faults[][2] = {
        {"angle=\"radian\"", "angle=\"grad\""},
        {"timestep=\"0.002\"", "timestep=\"fast\""},
        {"type=\"hinge\" axis=\"0 1 0\" range", "type=\"hing\" axis=\"0 1 0\" range"},
        {"type=\"capsule\"", "type=\"capsul\""},
        {"quat=\"1 0 0 0\"", "quat=\"0 0 0 0\""},
        {"kp=\"100\"", "kp=\"stiff\""},
        {"polycoef=\"0 0.5 0 0 0\"", "polycoef=\"0 a 0 0 0\""},
    };
    static const char* const part_faults[][2] = {
        {"axis=\"1 0 0\"", "axis=\"0 0 0\""},
        {"size=\"0.03\"", "size=\"nan\""},
    };
    static const char* const places[] = {
        "robot.xml:2:13: error: ", "robot.xml:3:11: error: ",  "robot.xml:14:9: error: ",
        "robot.xml:15:9: error: ", "robot.xml:16:42: error: ", "robot.xml:26:49: error: ",
        "robot.xml:27:",           "part.xml:3:5: error: ",    "part.xml:4:25: error: "};
    CliFolder folder = folder_with_model();
    char* bad = with_faults(good, faults, sizeof faults / sizeof *faults);
    char* bad_part = with_faults(part, part_faults, sizeof part_faults / sizeof *part_faults);
    cli_write_text(&folder, "robot.xml", bad);
    cli_write_text(&folder, "part.xml", bad_part);
    static CliEnd end;
    CLI_RUN(&folder, &end, "check", "robot.xml");
    cr_expect_eq(end.code, 3);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        cr_expect_not_null(strstr(end.out, places[i]), "no %s in: %s", places[i], end.out);
    }
    cr_expect_eq(cli_count(end.out, ": error: "), 9, "%s", end.out);
    free(bad);
    free(bad_part);
    cli_folder_destroy(&folder);
}
