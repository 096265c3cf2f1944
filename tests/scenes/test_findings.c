// SPDX-License-Identifier: MIT
// Findings: order, places, carets, suggestions.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "diagnostics.h"
#include "host.h"
#include "loaded.h"

static void print_to(const PoiseDiagnostics* diagnostics, char* text, size_t capacity) {
    FILE* file = tmpfile();
    cr_assert_not_null(file);
    poise_diagnostics_print(diagnostics, POISE_NOTE, file);
    rewind(file);
    size_t size = fread(text, 1, capacity - 1, file);
    text[size] = '\0';
    fclose(file);
}

Test(findings, a_caret_stands_below_the_place) {
    const char* text = "first\n  wrong: 1\nlast\n";
    PoiseDiagnostics* diagnostics = kept_diagnostics();
    poise_diagnostics_add_source(diagnostics, "a.yaml", text, strlen(text));
    PoiseMark mark = {"a.yaml", 2, 3};
    poise__diagnose(diagnostics, POISE_ERROR, mark, "unknown key '%s'", "wrong");
    char printed[400];
    print_to(diagnostics, printed, sizeof printed);
    cr_expect_str_eq(printed, "a.yaml:2:3: error: unknown key 'wrong'\n"
                              "      wrong: 1\n"
                              "      ^\n");
}

Test(findings, columns_count_letters_not_bytes) {
    const char* text = "gr\xc3\xb6\xc3\x9f"
                       "e: x\n";
    PoiseDiagnostics* diagnostics = kept_diagnostics();
    poise_diagnostics_add_source(diagnostics, "a.yaml", text, strlen(text));
    PoiseMark mark = {"a.yaml", 1, 8};
    poise__diagnose(diagnostics, POISE_NOTE, mark, "here");
    char printed[400];
    print_to(diagnostics, printed, sizeof printed);
    cr_expect(strstr(printed, "           ^\n") != NULL, "%s", printed);
}

Test(findings, stand_in_the_order_of_the_file) {
    PoiseDiagnostics* diagnostics = kept_diagnostics();
    static const int lines[] = {5, 2, 9, 2};
    static const int columns[] = {1, 7, 1, 3};
    for (int i = 0; i < 4; i++) {
        PoiseMark mark = {"a.yaml", lines[i], columns[i]};
        poise__diagnose(diagnostics, POISE_WARNING, mark, "finding %d", i);
    }
    static const char* const order[] = {"finding 3", "finding 1", "finding 0", "finding 2"};
    for (int i = 0; i < 4; i++) {
        cr_expect_str_eq(poise_diagnostics_at(diagnostics, i).text, order[i]);
    }
    cr_expect(poise_diagnostics_count(diagnostics, POISE_WARNING) == 4);
    cr_expect(poise_diagnostics_count(diagnostics, POISE_ERROR) == 0);
}

// escapes, control characters of one byte in other code pages, and characters that change the
// direction of writing
static const char* const controls[] = {
    "\x1b",         "\x7f",         "\xc2\x80",     "\xc2\x9b",     "\xc2\x9f",     "\xd8\x9c",
    "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xaa", "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9"};
// neighbours of these characters, which are printable
static const char* const letters[] = {"~",
                                      "\xc2\xa0",
                                      "\xd8\x9b",
                                      "\xd8\x9d",
                                      "\xdb\xbf",
                                      "\xe2\x80\x8d",
                                      "\xe2\x80\x90",
                                      "\xe2\x80\xa9",
                                      "\xe2\x80\xaf",
                                      "\xe2\x81\xa5",
                                      "\xe2\x81\xaa",
                                      "\xf0\x9f\x98\x80"};

// Prints a finding whose text and line contain the letter.
static void print_letter(const char* letter, char* printed, size_t capacity) {
    PoiseDiagnostics* diagnostics = kept_diagnostics();
    PoiseMark mark = {"a.yaml", 1, 3};
    char line[40];
    snprintf(line, sizeof line, "a%s[31mred\n", letter);
    poise_diagnostics_add_source(diagnostics, "a.yaml", line, strlen(line));
    poise__diagnose(diagnostics, POISE_ERROR, mark, "key '%s'", letter);
    print_to(diagnostics, printed, capacity);
}

Test(findings, control_characters_do_not_reach_the_terminal) {
    char printed[400];
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        print_letter(controls[i], printed, sizeof printed);
        cr_expect_null(strstr(printed, controls[i]), "%zu: %s", i, printed);
        cr_expect(strstr(printed, "key '?") && strstr(printed, "    a [31mred\n      ^\n"), "%s",
                  printed);
    }
    for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
        print_letter(letters[i], printed, sizeof printed);
        const char* text = strstr(printed, letters[i]);
        cr_expect(text && strstr(text + 1, letters[i]), "%zu: %s", i, printed);
    }
}

Test(findings, findings_beyond_the_bound_are_counted) {
    PoiseDiagnostics* diagnostics = kept_diagnostics();
    for (int i = 0; i < 6000; i++) {
        PoiseMark mark = {"a.yaml", i + 1, 1};
        poise__diagnose(diagnostics, i < 3000 ? POISE_NOTE : POISE_ERROR, mark, "wrong");
    }
    cr_expect(poise_diagnostics_count(diagnostics, POISE_ERROR) == 3000);
    cr_expect_eq(poise_diagnostics_size(diagnostics), 1000);
    cr_expect_eq(poise_diagnostics_at(diagnostics, 999).severity, POISE_ERROR);
}

Test(findings, edit_distance_counts_swaps_as_one) {
    cr_expect(poise__edit_distance("spring", "spring") == 0);
    cr_expect(poise__edit_distance("sping", "spring") == 1);
    cr_expect(poise__edit_distance("srping", "spring") == 1);
    cr_expect(poise__edit_distance("Spring", "spring") == 0);
    cr_expect(poise__edit_distance("", "abc") == 3);
    cr_expect(poise__edit_distance("kitten", "sitting") == 3);
}

Test(findings, far_names_are_not_suggested) {
    Suggestion suggestion = poise__suggestion("damper");
    poise__suggestion_offer(&suggestion, "gravity");
    cr_expect_null(suggestion.best);
    poise__suggestion_offer(&suggestion, "dampr");
    cr_expect_str_eq(suggestion.best, "dampr");
    poise__suggestion_offer(&suggestion, "damper");
    cr_expect_str_eq(suggestion.best, "damper");
}

static const char* suggested(const char* written, const char* const* candidates, int count,
                             bool* synonym) {
    Suggestion suggestion = poise__suggestion(written);
    for (int i = 0; i < count; i++) {
        poise__suggestion_offer_word(&suggestion, candidates[i]);
    }
    *synonym = suggestion.synonym;
    return suggestion.best ? suggestion.best : "";
}

Test(findings, words_of_other_formats_suggest_ours) {
    static const char* const keys[] = {"at", "hinge", "orientation", "position", "spring"};
    static const struct {
        const char* written;
        const char* best;
        bool synonym;
    } rows[] = {
        {"stiffness", "spring", true},
        {"Revolute", "hinge", true},
        {"goal-position", "position", true},
        // the earlier line of the table wins if two words fit
        {"target", "position", true},
        {"sprng", "spring", false},
        {"spherical", "", false},
        {"", "", false},
        // a beginning of a word does not count as the word
        {"stiff", "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int turned = 0; turned < 2; turned++) {
            const char* order[5];
            for (int j = 0; j < 5; j++) {
                order[j] = keys[turned ? 4 - j : j];
            }
            bool synonym = false;
            cr_expect_str_eq(suggested(rows[i].written, order, 5, &synonym), rows[i].best, "%s",
                             rows[i].written);
            cr_expect(synonym == rows[i].synonym, "%s", rows[i].written);
        }
    }
}

Test(findings, a_word_of_a_path_suggests_the_path) {
    Suggestion suggestion = poise__suggestion("hand");
    poise__suggestion_offer_path(&suggestion, "arm/handicap");
    cr_expect_null(suggestion.best);
    poise__suggestion_offer_path(&suggestion, "arm/upper_hand_7");
    cr_expect_str_eq(suggestion.best, "arm/upper_hand_7");
    poise__suggestion_offer_path(&suggestion, "left_Hand");
    cr_expect_str_eq(suggestion.best, "left_Hand");
    poise__suggestion_offer_path(&suggestion, "arm/hadn");
    cr_expect_str_eq(suggestion.best, "arm/hadn");
}

Test(findings, memory_comes_from_the_host_and_goes_back) {
    TestHost counter = {0};
    PoiseHost host = test_host(&counter);
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(&host);
    PoiseMark mark = {"a.yaml", 1, 1};
    poise__diagnose(diagnostics, POISE_ERROR, mark, "wrong");
    cr_expect(counter.live_blocks > 0);
    poise_diagnostics_destroy(diagnostics);
    cr_expect(counter.live_blocks == 0 && counter.live_bytes == 0);
}

// A goal beyond reach gives a warning. If its number would be in reach as millimetres, the warning
// asks for the unit.
Test(findings, a_goal_beyond_reach_is_a_warning_with_the_reach) {
    static const char scene[] =
        "poise: 1\nbodies: {a: {capsule: 0.02, from: [0, 0, 0], to: [0.3, 0, 0]}}\njoints: {j: "
        "{hinge: [0, 0, 0], axis: [0, 1, 0], between: [world, a]}}\ncontrol_points:\n"
        "  p: {body: a, at: [0, 0, 0.15], position: [%s, 0, 0]}\n";
    static const struct {
        const char* x;
        const char* text;
    } rows[] = {{"0.3", NULL},
                {"0.4", "is 0.4 m from its first joint, and its joints reach 0.3 m"},
                {"250", "reach 0.3 m: is it in millimetres?"}};
    for (int i = 0; i < 3; i++) {
        char text[600];
        snprintf(text, sizeof text, scene, rows[i].x);
        Loaded loaded = required(load_text("s.yaml", text));
        cr_expect(rows[i].text ? found(&loaded, POISE_WARNING, 5, 0, rows[i].text)
                               : !found(&loaded, POISE_WARNING, 0, 0, "reach"),
                  "%s", rows[i].x);
    }
}

// Elements of a model that the scene does not support are listed in one sentence with their counts.
Test(findings, unsupported_elements_are_listed_in_one_sentence) {
    Loaded loaded = required(load_text(
        "m.xml", "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='0.1'/>"
                 "<site name='s'/></body></worldbody><tendon><spatial name='t'><site site='s'/>"
                 "</spatial><spatial name='u'><site site='s'/></spatial></tendon><actuator>"
                 "<motor tendon='t'/></actuator></mujoco>"));
    char text[200];
    const char* sentence = poise_diagnostics_left_out(loaded.diagnostics, text, sizeof text);
    cr_expect(strstr(sentence, "left out: ") == sentence &&
                  strstr(sentence, "<spatial> of <tendon> (2)") &&
                  strstr(sentence, "<actuator> of no joint (1)"),
              "%s", sentence);
    loaded = load_text("m.xml", "<mujoco><worldbody><body><joint/><geom size='0.1'/></body>"
                                "</worldbody></mujoco>");
    cr_expect_str_empty(poise_diagnostics_left_out(loaded.diagnostics, text, sizeof text));
}
