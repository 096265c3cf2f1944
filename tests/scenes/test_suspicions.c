// SPDX-License-Identifier: MIT
// What is allowed and seldom meant: each slip is named where it stands, and the same scene without
// it has no finding.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "loaded.h"

// two links on a post; what the slips change stands in the arguments
static const char scene[] = "poise: %s\n"
                            "bodies:\n"
                            "  upper: {mass: 1, at: [0.2, 0, 1], box: [0.4, 0.05, 0.05]}\n"
                            "  fore: {mass: 1, at: [0.6, 0, 1], box: [0.4, 0.05, 0.05]}\n"
                            "joints:\n"
                            "  shoulder: {hinge: [0, 0, 1], axis: [0, 1, 0], between: %s}\n"
                            "  elbow: {axis: [0, 1, 0], between: %s, hinge: %s}\n"
                            "control_points:\n"
                            "  hand: {body: fore, at: %s, uses: %s, position: [0.5, 0, 1.2]}\n";

typedef struct Slip {
    const char* version;
    const char* shoulder;
    const char* elbow;
    const char* anchor;
    const char* at;
    const char* uses;
    PoiseSeverity severity;
    int line;
    const char* says;
} Slip;

#define FINE "1", "[world, upper]", "[upper, fore]", "[0.4, 0, 1]", "[0.2, 0, 0]", "['*']"

static Loaded load_slip(const Slip* slip) {
    char text[1200];
    snprintf(text, sizeof text, scene, slip->version, slip->shoulder, slip->elbow, slip->anchor,
             slip->at, slip->uses);
    return load_text("slip.yaml", text);
}

Test(suspicions, each_slip_is_named_in_its_place) {
    static const Slip slips[] = {
        {"2", "[world, upper]", "[upper, fore]", "[0.4, 0, 1]", "[0.2, 0, 0]", "['*']", POISE_ERROR,
         1, "version 2 of the format; this program reads version 1: a newer one may read it"},
        {"1", "[world, upper]", "[upper, fore]", "[0.4, 0, 4]", "[0.2, 0, 0]", "['*']",
         POISE_WARNING, 7, "'elbow' is at (0.4, 0, 4)"},
        {"1", "[world, upper]", "[fore, upper]", "[0.4, 0, 1]", "[0.2, 0, 0]", "['*']",
         POISE_WARNING, 7, "'upper' is carried already, and nothing carries 'fore'"},
        {"1", "[upper, fore]", "[upper, fore]", "[0.4, 0, 1]", "[0.2, 0, 0]", "['*']",
         POISE_WARNING, 3, "'upper' is tied to nothing and falls"},
        {"1", "[world, upper]", "[upper, fore]", "[0.4, 0, 1]", "[3.2, 0, 0]", "['*']",
         POISE_WARNING, 9, "'hand' is 3.2 m off 'fore'"},
        {"1", "[world, upper]", "[upper, fore]", "[0.4, 0, 1]", "[0.2, 0, 0]", "[shoulder]",
         POISE_NOTE, 7, "joint 'elbow' moves no control point and hangs freely"},
    };
    for (size_t i = 0; i < sizeof slips / sizeof slips[0]; i++) {
        Loaded loaded = load_slip(&slips[i]);
        char all[2000];
        cr_expect(found(&loaded, slips[i].severity, slips[i].line, 0, slips[i].says), "%s:\n%s",
                  slips[i].says, findings(&loaded, all, sizeof all));
        unload(&loaded);
    }
}

Test(suspicions, without_a_slip_nothing_is_said) {
    const Slip fine = {FINE, POISE_NOTE, 0, ""};
    Loaded loaded = load_slip(&fine);
    char all[2000];
    REQUIRE_SCENE(loaded);
    cr_expect_str_eq(findings(&loaded, all, sizeof all), "");
    unload(&loaded);
}
