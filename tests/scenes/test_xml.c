// SPDX-License-Identifier: MIT
// Reads XML as a document tree.
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "read_text.h"

Test(xml, attributes_know_their_places) {
    const Read* read = read_text(
        "t.urdf", "<robot name='r'>\n  <link\n    name=\"a\"\n    size = '1 > 2 name=3'/>\n"
                  "</robot>");
    cr_assert_not_null(read->root);
    const Element* link = poise__element_find(read->root, "link");
    cr_assert_not_null(link);
    cr_expect(link->mark.line == 2 && link->mark.column == 3);
    const Element* name = poise__element_find(link, "name");
    cr_expect(name->mark.line == 3 && name->mark.column == 5);
    const Element* size = poise__element_find(link, "size");
    cr_expect_str_eq(size->text, "1 > 2 name=3");
    cr_expect(size->mark.line == 4 && size->mark.column == 5);
}

Test(xml, blank_space_before_the_declaration_moves_no_place) {
    const Read* read = read_text("t.urdf", "\n \n  <?xml version='1.0'?><r a='1'/>");
    cr_assert_not_null(read->root);
    cr_expect(read->root->mark.line == 3 && read->root->mark.column == 24);
    const Element* a = poise__element_find(read->root, "a");
    cr_expect(a->mark.line == 3 && a->mark.column == 27);
}

// Other programs read such comments. The places of later elements stay right.
Test(xml, comments_may_hold_dashes) {
    static const char* const texts[] = {
        "<!-- ---- base ---- --><r a='1'/>", "<r><!--------- joints ----------><b a='1'/></r>",
        "<?xml version='1.0'?><!-- x --- --><r a='1'/>", "<r><!--> <b/> --><b a='1'/></r>"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const Read* read = read_text("t.urdf", texts[i]);
        cr_assert_not_null(read->root, "%s", texts[i]);
        const Element* child = poise__element_find(read->root, "b");
        const Element* a = poise__element_find(child ? child : read->root, "a");
        cr_assert_not_null(a, "%s", texts[i]);
        cr_expect_eq(a->mark.column, (int)(strstr(texts[i], "a='1'") - texts[i]) + 1, "%s: %d",
                     texts[i], a->mark.column);
    }
    const Read* read = read_text("t.urdf", "<r><!-- no end -- </r>");
    cr_expect_null(read->root);
}

// The declared encoding is often wrong, and expat knows four encodings.
Test(xml, letters_of_any_encoding_are_read) {
    static const struct {
        const char* text;
        const char* name;
    } rows[] = {
        {"<?xml version='1.0' encoding='utf-8'?><!-- \xbb\xfa\xc6\xf7 --><r a='1'/>", "1"},
        {"<?xml version='1.0' encoding='gb2312'?><!-- \xbb\xfa --><r a='1'/>", "1"},
        {"<?xml version='1.0' encoding='windows-1252'?><r a='\xe9'/>", "\xc3\xa9"},
        {"<?xml version='1.0' encoding='ISO-8859-1'?><r a='\xe9'/>", "\xc3\xa9"},
        {"<?xml version='1.0' encoding='Shift_JIS'?><r a='\xe8\x85\x95'/>", "\xe8\x85\x95"},
        {"<r a='\xf0\x9f\xa4\x96'/>", "\xf0\x9f\xa4\x96"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const Read* read = read_text("t.urdf", rows[i].text);
        cr_assert_not_null(read->root, "row %zu", i);
        cr_expect_str_eq(poise__element_find(read->root, "a")->text, rows[i].name, "row %zu", i);
    }
}

Test(xml, one_element_of_many_attributes_is_refused_at_once) {
    enum { COUNT = 100000 };
    char* text = malloc(COUNT * 16);
    cr_assert_not_null(text);
    size_t used = (size_t)sprintf(text, "<r\n");
    for (int i = 0; i < COUNT; i++) {
        used += (size_t)sprintf(text + used, "a%d='1' ", i);
    }
    sprintf(text + used, "/>");
    const Read* read = read_text("t.urdf", text);
    cr_expect_null(read->root);
    cr_expect_not_null(strstr(poise_diagnostics_at(read->document.diagnostics, 0).text,
                              "more than 256 attributes"));
    free(text);
}

Test(xml, elements_of_one_name_are_all_kept) {
    const Read* read = read_text("t.urdf", "<r><a i='1'/><b/><a i='2'/></r>");
    const Element* a = poise__element_find(read->root, "a");
    cr_assert_not_null(a);
    cr_expect_str_eq(poise__element_find(a, "i")->text, "1");
    cr_assert_eq(read->root->child_count, 3);
    cr_expect_str_eq(poise__element_find(read->root->children[2], "i")->text, "2");
}

// A tab or a line end in an attribute is a space in XML. Written as a number, the character stays.
Test(xml, a_control_character_is_an_error_in_its_place) {
    const Read* read = read_text("t.urdf", "<r a='1&#10;2'\n  b='x\ty' c='&#x9b;'/>");
    cr_assert_not_null(read->root);
    cr_expect_eq(poise_diagnostics_count(read->document.diagnostics, POISE_ERROR), 2);
    PoiseDiagnostic first = poise_diagnostics_at(read->document.diagnostics, 0);
    PoiseDiagnostic second = poise_diagnostics_at(read->document.diagnostics, 1);
    cr_expect(first.mark.line == 1 && first.mark.column == 4 && strstr(first.text, "U+000A"), "%s",
              first.text);
    cr_expect(second.mark.line == 2 && second.mark.column == 11 && strstr(second.text, "U+009B"),
              "%d:%d %s", second.mark.line, second.mark.column, second.text);
    cr_expect_str_eq(poise__element_find(read->root, "b")->text, "x y");
    cr_expect_str_eq(poise__element_find(read->root, "c")->text, "??");
}

Test(xml, elements_too_deep_are_refused) {
    char text[3000] = "";
    for (int i = 0; i < 500; i++) {
        strcat(text, "<a>");
    }
    const Read* read = read_text("t.urdf", text);
    cr_expect_null(read->root);
    PoiseDiagnostic finding = poise_diagnostics_at(read->document.diagnostics, 0);
    cr_expect(strstr(finding.text, "deep") != NULL, "%s", finding.text);
}
