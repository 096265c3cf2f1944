// SPDX-License-Identifier: MIT
#include "options.h"

#include <criterion/criterion.h>
#include <string.h>

/// Splits a line at its spaces and parses it.
static bool parse(PoiseOptions* options, PoiseNote* note, char* line) {
    char* words[32] = {(char[]){"poise-view"}};
    int count = 1;
    for (char* word = strtok(line, " "); word && count < 32; word = strtok(NULL, " ")) {
        words[count++] = word;
    }
    note->text[0] = '\0';
    return poise__options_parse(options, count, words, note);
}

Test(options, a_full_line_is_understood) {
    char line[] = "a.yaml --headless --screenshot f.png --at 2.5s --size 640x360 --quality fast "
                  "--camera -30,20,2.5,0.1,-0.2,0.9 --set world.step=0.005 --set=ik.sweeps=3";
    PoiseOptions options;
    PoiseNote note;
    cr_assert(parse(&options, &note, line), "%s", note.text);
    cr_expect_str_eq(options.scene, "a.yaml");
    cr_expect_str_eq(options.screenshot, "f.png");
    cr_expect(options.headless);
    cr_expect_eq(options.at, 2.5);
    cr_expect_eq(options.width, 640);
    cr_expect_eq(options.height, 360);
    cr_expect_eq(options.quality, POISE_QUALITY_FAST);
    cr_expect_eq(options.azimuth, -30.0);
    cr_expect_eq(options.elevation, 20.0);
    cr_expect_eq(options.distance, 2.5);
    cr_expect(options.has_focus && options.focus[0] == 0.1 && options.focus[1] == -0.2 &&
              options.focus[2] == 0.9);
    cr_expect_eq(options.override_count, 2);
    cr_expect_str_eq(options.overrides[1], "ik.sweeps=3");
}

Test(options, pictures_and_films_need_no_window) {
    char picture[] = "a.yaml --screenshot f.png";
    char film[] = "a.yaml --record=f.mp4 --seconds 3 --fps 25";
    PoiseOptions options;
    PoiseNote note;
    cr_assert(parse(&options, &note, picture));
    cr_expect(options.headless);
    cr_assert(parse(&options, &note, film));
    cr_expect(options.headless);
    cr_expect_eq(options.seconds, 3.0);
    cr_expect_eq(options.frames_per_second, 25);
}

Test(options, mistakes_are_named) {
    static const char* const lines[] = {
        "a.yaml b.yaml",
        "--headless --screenshot f.png",
        "a.yaml --target hand",
        "a.yaml --target =1,2,3",
        "a.yaml --target hand=1,2",
        "a.yaml --target hand=1,2,3,4",
        "a.yaml --overlay nonsense",
        "a.yaml --overlay ik,",
        "a.yaml --script",
        "a.yaml --headless",
        "a.yaml --frobnicate",
        "a.yaml --screenshot",
        "a.yaml --screenshot=",
        "a.yaml --screenshot f.jpg",
        "a.yaml --screenshot .png",
        "a.yaml --size 640",
        "a.yaml --size 640x",
        "a.yaml --size 0x5",
        "a.yaml --size 640x99999",
        "a.yaml --size x360",
        "a.yaml --size 6.5x360",
        "a.yaml --at soon",
        "a.yaml --at -1",
        "a.yaml --at nan",
        "a.yaml --at 1h",
        "a.yaml --seconds 0",
        "a.yaml --fps 0",
        "a.yaml --fps 1.5",
        "a.yaml --quality best",
        "a.yaml --camera 1",
        "a.yaml --camera 1,2,3,4",
        "a.yaml --camera 1,2,3,4,5",
        "a.yaml --camera 1,2,3,4,5,6,7",
        "a.yaml --camera 1,2,-3",
        "a.yaml --camera a,b",
        "a.yaml --set nothing",
        "a.yaml --headless=yes",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        PoiseOptions options;
        PoiseNote note;
        char line[128];
        snprintf(line, sizeof line, "%s", lines[i]);
        cr_expect_not(parse(&options, &note, line), "'%s' was understood", lines[i]);
        cr_expect_neq(note.text[0], '\0', "'%s' is not explained", lines[i]);
    }
}

Test(options, help_needs_no_scene) {
    char line[] = "--help";
    char keys[] = "--help-keys";
    PoiseOptions options;
    PoiseNote note;
    cr_expect(parse(&options, &note, line));
    cr_expect(options.help);
    cr_expect(parse(&options, &note, keys));
    cr_expect(options.help_keys);
}
