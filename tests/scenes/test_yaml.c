// SPDX-License-Identifier: MIT
// Reads YAML as a document tree: places, aliases, merges. Files with a fault: bad/scene.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "document.h"
#include "read_text.h"

static PoiseDiagnostic first(const Read* read) {
    return poise_diagnostics_at(read->document.diagnostics, 0);
}

Test(yaml, values_know_their_places) {
    const Read* read = read_text("t.yaml", "a: 1\nb:\n  - x\n  - {c: 'two words'}\n");
    cr_assert_not_null(read->root);
    const Element* b = poise__element_find(read->root, "b");
    cr_assert(b && b->kind == ELEMENT_LIST && b->child_count == 2);
    cr_expect(b->key_mark.line == 2 && b->key_mark.column == 1);
    cr_expect(b->children[0]->mark.line == 3 && b->children[0]->mark.column == 5);
    const Element* c = poise__element_find(b->children[1], "c");
    cr_assert_not_null(c);
    cr_expect(c->quoted && strcmp(c->text, "two words") == 0);
    cr_expect(c->mark.line == 4 && c->mark.column == 9);
}

Test(yaml, an_alias_is_the_anchor_s_content) {
    const Read* read = read_text("t.yaml", "a: &s {spring: 1}\nb: *s\nc: [*s, *s]\n");
    cr_assert_not_null(read->root);
    const Element* b = poise__element_find(read->root, "b");
    cr_assert_not_null(poise__element_find(b, "spring"));
    cr_expect_str_eq(b->key, "b");
    cr_expect_str_eq(poise__element_find(read->root, "a")->key, "a");
}

Test(yaml, merged_maps_keep_their_own_values) {
    const Read* read =
        read_text("t.yaml", "base: &s {spring: 1, damper: 2}\nj: {<<: *s, damper: 5}\n"
                            "k: {<<: [{a: 1}, *s]}\n");
    cr_assert_not_null(read->root);
    const Element* j = poise__element_find(read->root, "j");
    cr_expect_str_eq(poise__element_find(j, "spring")->text, "1");
    cr_expect_str_eq(poise__element_find(j, "damper")->text, "5");
    const Element* k = poise__element_find(read->root, "k");
    cr_expect(k->child_count == 3);
}

// Each control character is an error of its own, and reading continues.
Test(yaml, a_control_character_is_an_error_in_its_place) {
    const Read* read = read_text(
        "t.yaml", "a: \"x\\ny\"\nb: \"\\e[2J\"\n\"c\\0\": 1\nd: \"\\x9b\"\ne: |\n  1\n  2\n"
                  "f: >\n  two\n  words\ng: \"\\u202e\"\n");
    static const struct {
        int line;
        int column;
        const char* letter;
    } rows[] = {{1, 4, "U+000A"}, {2, 4, "U+001B"}, {3, 1, "U+0000"},
                {4, 4, "U+009B"}, {5, 4, "U+000A"}, {11, 4, "U+202E"}};
    cr_expect_eq(poise_diagnostics_count(read->document.diagnostics, POISE_ERROR), 6);
    for (int i = 0; i < 6; i++) {
        PoiseDiagnostic found = poise_diagnostics_at(read->document.diagnostics, i);
        cr_expect(found.mark.line == rows[i].line && found.mark.column == rows[i].column &&
                      strstr(found.text, rows[i].letter),
                  "%d:%d %s", found.mark.line, found.mark.column, found.text);
    }
    cr_assert_not_null(read->root);
    cr_expect_str_eq(poise__element_find(read->root, "b")->text, "?[2J");
    cr_expect_str_eq(poise__element_find(read->root, "d")->text, "??");
    cr_expect_str_eq(poise__element_find(read->root, "f")->text, "two words");
}

Test(yaml, a_bomb_of_aliases_is_stopped) {
    char text[4000] = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
    for (char letter = 'b'; letter < 'k'; letter++) {
        char line[200];
        char before = (char)(letter - 1);
        snprintf(line, sizeof line, "%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n",
                 letter, letter, before, before, before, before, before, before, before, before,
                 before, before);
        strcat(text, line);
    }
    const Read* read = read_text("t.yaml", text);
    cr_expect_null(read->root);
    cr_expect(strstr(first(read).text, "unfold") != NULL, "%s", first(read).text);
}

Test(yaml, lists_nested_too_deep_are_refused) {
    char text[5001];
    memset(text, '[', 5000);
    text[5000] = '\0';
    const Read* read = read_text("t.yaml", text);
    cr_expect_null(read->root);
    cr_expect(strstr(first(read).text, "64 deep") != NULL, "%s", first(read).text);
}
