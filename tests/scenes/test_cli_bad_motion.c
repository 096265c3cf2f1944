// SPDX-License-Identifier: MIT
// Recorded motions (BVH) with one fault each: an error where it is. The first one ends the reading,
// since each word of a BVH says what the next is.
#include <criterion/criterion.h>
#include <string.h>

#include "cli.h"

#define SCENE(joint)                                                                               \
    "poise: 1\n"                                                                                   \
    "motion: {bvh: wave.bvh}\n"                                                                    \
    "bodies:\n"                                                                                    \
    "  stand: {box: [0.1, 0.1, 0.1], at: [0, 0, 1], fixed: true}\n"                                \
    "  arm: {box: [0.1, 0.1, 0.5], at: [0, 0, 0.75]}\n"                                            \
    "joints:\n"                                                                                    \
    "  shoulder: {" joint ", between: [stand, arm]}\n"                                             \
    "control_points:\n"                                                                            \
    "  hand: {body: arm, at: [0, 0, 0.5], position: {motion: Elbow_end}}\n"
static const char scene[] = SCENE("ball: [0, 0, 1]");
static const char hinged[] = SCENE("hinge: [0, 0, 1], axis: [0, 1, 0]");

static const char good[] = "HIERARCHY\n"
                           "ROOT Shoulder\n"
                           "{\n"
                           "  OFFSET 0 0 0\n"
                           "  CHANNELS 3 Xrotation Yrotation Zrotation\n"
                           "  JOINT Elbow\n"
                           "  {\n"
                           "    OFFSET 0 -0.3 0\n"
                           "    CHANNELS 1 Xrotation\n"
                           "    End Site\n"
                           "    {\n"
                           "      OFFSET 0 -0.25 0.1\n"
                           "    }\n"
                           "  }\n"
                           "}\n"
                           "MOTION\n"
                           "Frames: 2\n"
                           "Frame Time: 0.1\n"
                           "1 2 3 4\n"
                           "5 6 7 8\n";

static void expect_motions_refused(const CliFault* faults, size_t count) {
    CliFolder folder = cli_folder_create();
    cli_write_text(&folder, "scene.yaml", scene);
    for (size_t i = 0; i < count; i++) {
        cli_expect_refused(&folder, "wave.bvh", "scene.yaml", good, &faults[i]);
    }
    cli_folder_destroy(&folder);
}

#define EXPECT_REFUSED(faults) expect_motions_refused(faults, sizeof(faults) / sizeof *(faults))

FOLDER_TEST(cli_bad_motion, without_a_fault_it_is_read, cli_folder_create()) {
    static CliEnd end;
    cli_write_text(folder, "scene.yaml", scene);
    cli_write_text(folder, "wave.bvh", good);
    CLI_RUN(folder, &end, "check", "scene.yaml");
    cr_expect_eq(end.code, 0, "%s", end.out);
}

Test(cli_bad_motion, skeleton) {
    static const CliFault faults[] = {
        FAULT("a letter that steers the terminal", "ROOT Shoulder", "ROOT @Shou\xc2\x9blder",
              "the control character U+009B in a word"),
        FAULT("no root", "ROOT Shoulder", "@JOINT Shoulder", "'ROOT' is due here, not 'JOINT'"),
        FAULT("a root without a name", "ROOT Shoulder", "ROOT", "a joint without a name"),
        FAULT("a joint without a name", "JOINT Elbow", "JOINT", "a joint without a name"),
        FAULT("a root without its brace",
              "ROOT Shoulder\n"
              "{",
              "ROOT Shoulder\n", "'{' is due here, not 'OFFSET'"),
        FAULT("a joint without its brace",
              "JOINT Elbow\n"
              "  {",
              "JOINT Elbow\n", "'{' is due here, not 'OFFSET'"),
        FAULT("an end site without its brace",
              "End Site\n"
              "    {",
              "End Site\n", "'{' is due here, not 'OFFSET'"),
        FAULT("an end of something else", "End Site", "End @Sit", "'Site' is due here, not 'Sit'"),
        FAULT("a brace too many",
              "}\n"
              "MOTION",
              "}\n"
              "@}\n"
              "MOTION",
              "'MOTION' is due here, not '}'"),
        FAULT("a brace too few",
              "}\n"
              "MOTION",
              "@MOTION", "OFFSET, CHANNELS, JOINT, End Site or } is due here, not 'MOTION'"),
        FAULT("a joint twice", "JOINT Elbow", "JOINT @Shoulder",
              "a second joint is named 'Shoulder'"),
        FAULT("a second root",
              "}\n"
              "MOTION",
              "}\n"
              "ROOT @Other\n"
              "{\n"
              "}\n"
              "MOTION",
              "a second root, 'Other', beside 'Shoulder': a motion of one skeleton is read; write "
              "each into a file of its own"),
        FAULT("no motion", "MOTION", "@MOTOIN", "'MOTION' is due here, not 'MOTOIN'"),
        FAULT("a letter of a bell", "ROOT Shoulder", "ROOT @Shou\alder",
              "the control character U+0007 in a word"),
        FAULT("a letter that is deleted", "JOINT Elbow", "JOINT @El\x7f",
              "the control character U+007F in a word"),
        FAULT("a long name", "JOINT Elbow",
              "JOINT @1234567890123456789012345678901234567890123456789012345678901234",
              "a word of 64 letters: the longest has 63"),
    };
    EXPECT_REFUSED(faults);
}

Test(cli_bad_motion, beginnings) {
    static const CliFault faults[] = {
        FAULT("another beginning", "HIERARCHY", "@HIERACHY",
              "'HIERARCHY' is due here, as every BVH begins"),
        FAULT("another kind of file", NULL, "@root:x:0:0:root:/root:/bin/bash\n",
              "error: 'HIERARCHY' is due here, as every BVH begins"),
        FAULT("a first word that is longer", "HIERARCHY", "@HIERARCHYs",
              "'HIERARCHY' is due here, as every BVH begins"),
        FAULT("an empty file", NULL, "", "'HIERARCHY' is due here, as every BVH begins"),
        FAULT("a file of blanks", NULL,
              " \n"
              "\n",
              "'HIERARCHY' is due here, as every BVH begins"),
    };
    EXPECT_REFUSED(faults);
}

FOLDER_TEST(cli_bad_motion, nothing_of_a_foreign_file_is_shown, cli_folder_create()) {
    static CliEnd end;
    cli_write_text(folder, "scene.yaml", scene);
    cli_write_text(folder, "wave.bvh", "secret:x:0:0\nsecret\n");
    CLI_RUN(folder, &end, "check", "scene.yaml");
    cr_expect_eq(end.code, 3);
    cr_expect_null(strstr(end.out, "secret"), "%s", end.out);
    cr_expect_str_empty(end.err);
}

Test(cli_bad_motion, offsets_and_channels) {
    static const CliFault faults[] = {
        FAULT("a word that is not known", "OFFSET 0 -0.3 0", "@OFSET 0 -0.3 0",
              "OFFSET, CHANNELS, JOINT, End Site or } is due here, not 'OFSET'"),
        FAULT("an offset of two numbers", "OFFSET 0 -0.3 0", "OFFSET 0 -0.3",
              "a number is due here, not 'CHANNELS'"),
        FAULT("an offset of four numbers", "OFFSET 0 -0.3 0", "OFFSET 0 -0.3 0 @1",
              "OFFSET, CHANNELS, JOINT, End Site or } is due here, not '1'"),
        FAULT("an offset that is a word", "OFFSET 0 -0.3 0", "OFFSET 0 @down 0",
              "a number is due here, not 'down'"),
        FAULT("an offset that is NaN", "OFFSET 0 -0.3 0", "OFFSET 0 @nan 0",
              "a number is due here, not 'nan'"),
        FAULT("an offset that is infinite", "OFFSET 0 -0.3 0", "OFFSET 0 @-inf 0",
              "a number is due here, not '-inf'"),
        FAULT("an offset too large for a number", "OFFSET 0 -0.3 0", "OFFSET 0 @1e999 0",
              "a number is due here, not '1e999'"),
        FAULT("channels twice", "    CHANNELS 1 Xrotation\n",
              "    CHANNELS 1 Xrotation\n"
              "    @CHANNELS 1 Xrotation\n",
              "joint 'Elbow' has CHANNELS already"),
        FAULT("seven channels", "CHANNELS 1 Xrotation", "CHANNELS @7 Xrotation",
              "CHANNELS: a whole number from 0 to 6 is due, not '7'"),
        FAULT("channels below 0", "CHANNELS 1 Xrotation", "CHANNELS @-1 Xrotation",
              "CHANNELS: a whole number from 0 to 6 is due, not '-1'"),
        FAULT("half a channel", "CHANNELS 1 Xrotation", "CHANNELS @1.5 Xrotation",
              "CHANNELS: a whole number from 0 to 6 is due, not '1.5'"),
        FAULT("channels without a count", "CHANNELS 1 Xrotation", "CHANNELS @Xrotation",
              "a number is due here, not 'Xrotation'"),
        FAULT("a channel that is not known", "CHANNELS 1 Xrotation", "CHANNELS 1 @Wrotation",
              "a channel is due here, Xposition to Zrotation, not 'Wrotation'"),
        FAULT("a channel twice", "CHANNELS 1 Xrotation", "CHANNELS 2 Xrotation @Xrotation",
              "the channel Xrotation is there twice"),
        FAULT("a channel too few", "CHANNELS 3 Xrotation Yrotation Zrotation",
              "CHANNELS 3 Xrotation Yrotation",
              "a channel is due here, Xposition to Zrotation, not 'JOINT'"),
        FAULT("a channel too many", "CHANNELS 1 Xrotation", "CHANNELS 1 Xrotation @Yrotation",
              "OFFSET, CHANNELS, JOINT, End Site or } is due here, not 'Yrotation'"),
        FAULT("channels of an end site", "OFFSET 0 -0.25 0.1",
              "OFFSET 0 -0.25 0.1 @CHANNELS 1 Xrotation",
              "OFFSET, CHANNELS, JOINT, End Site or } is due here, not 'CHANNELS'"),
        FAULT("a joint in an end site", "OFFSET 0 -0.25 0.1", "OFFSET 0 -0.25 0.1 @JOINT Hand {}",
              "OFFSET, CHANNELS, JOINT, End Site or } is due here, not 'JOINT'"),
    };
    EXPECT_REFUSED(faults);
}

Test(cli_bad_motion, frames) {
    static const CliFault faults[] = {
        FAULT("frames without a count", "Frames: 2", "Frames: @many",
              "a number is due here, not 'many'"),
        FAULT("no frames", "Frames: 2", "Frames: @0",
              "Frames: a whole number from 1 to 1000000 is due, not '0'"),
        FAULT("frames below 0", "Frames: 2", "Frames: @-2",
              "Frames: a whole number from 1 to 1000000 is due, not '-2'"),
        FAULT("frames without a colon", "Frames: 2", "Frames @2", "':' is due here, not '2'"),
        FAULT("more frames than there are", "Frames: 2", "Frames: 3",
              "3 frames of 4 numbers are more than the file holds"),
        FAULT("many more frames than there are", "Frames: 2", "Frames: 1000000",
              "1000000 frames of 4 numbers are more than the file holds"),
        FAULT("more frames than anybody has", "Frames: 2", "Frames: @99999999999",
              "Frames: a whole number from 1 to 1000000 is due, not '99999999999'"),
        FAULT("fewer frames than there are", "Frames: 2", "Frames: 1",
              "'5' stands behind the last of 1 frames of 4 numbers"),
        FAULT("a frame time of 0", "Frame Time: 0.1", "Frame Time: @0",
              "Frame Time: seconds from 1e-5 to 1000 are due, not '0'"),
        FAULT("a frame time below 0", "Frame Time: 0.1", "Frame Time: @-0.1",
              "Frame Time: seconds from 1e-5 to 1000 are due, not '-0.1'"),
        FAULT("a frame time that is a word", "Frame Time: 0.1", "Frame Time: @soon",
              "a number is due here, not 'soon'"),
        FAULT("a frame time of days", "Frame Time: 0.1", "Frame Time: @1e6",
              "Frame Time: seconds from 1e-5 to 1000 are due, not '1e6'"),
        FAULT("no frame time", "Frame Time: 0.1\n", "", "'Frame' is due here, not '1'"),
        FAULT("a number too few", "5 6 7 8", "5 6 7", "a number is due here, not 'the end'"),
        FAULT("a number too many", "5 6 7 8", "5 6 7 8 @9",
              "'9' stands behind the last of 2 frames of 4 numbers"),
        FAULT("a word among the numbers", "5 6 7 8", "5 @six 7 8",
              "a number is due here, not 'six'"),
        FAULT("a number that is NaN", "5 6 7 8", "5 @nan 7 8", "a number is due here, not 'nan'"),
        FAULT("a comma for a point", "5 6 7 8", "@5,5 6 7 8", "a number is due here, not '5,5'"),
        FAULT("a word behind the end", "5 6 7 8\n",
              "5 6 7 8\n"
              "@end\n",
              "'end' stands behind the last of 2 frames of 4 numbers"),
    };
    EXPECT_REFUSED(faults);
}

// bodies that are to stand as joints of the motion do
Test(cli_bad_motion, posture) {
    static const char from[] = "{bvh: wave.bvh}";
    static const CliFault faults[] = {
        FAULT("no map", from, "{bvh: wave.bvh, posture: @[arm, Elbow]}",
              "'posture' must be a map of bodies and joints of the motion, not a list"),
        FAULT("no such body", from, "{bvh: wave.bvh, posture: {@am: Elbow}}", "'am'"),
        FAULT("no such joint", from, "{bvh: wave.bvh, posture: {arm: @Elbo}}",
              "the motion has no joint 'Elbo'; did you mean 'Elbow'?"),
        FAULT("what stands fast", from, "{bvh: wave.bvh, posture: {@stand: Elbow}}",
              "'stand' hangs on no hinge, ball or floating base: it cannot follow a motion"),
        FAULT("a blend above 1", from, "{bvh: wave.bvh, blend: @1.5}",
              "'blend' must be at most 1, not 1.5"),
    };
    CliFolder folder = cli_folder_create();
    cli_write_text(&folder, "wave.bvh", good);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        cli_expect_refused(&folder, "scene.yaml", "scene.yaml", scene, &faults[i]);
    }
    const CliFault below =
        FAULT("what stands fast, below a hinge", from,
              "{bvh: wave.bvh, posture: {@stand: Shoulder, arm: Elbow}}",
              "'stand' hangs on no hinge, ball or floating base: it cannot follow a motion");
    cli_expect_refused(&folder, "scene.yaml", "scene.yaml", hinged, &below);
    cli_folder_destroy(&folder);
}
