// SPDX-License-Identifier: MIT
#include "actions.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "text.h"

Test(actions, no_key_is_bound_twice) {
    for (int i = 0; i < poise__binding_count(); i++) {
        for (int j = 0; j < i; j++) {
            const PoiseBinding* a = poise__key_binding(i);
            const PoiseBinding* b = poise__key_binding(j);
            cr_expect(a->key != b->key || a->mods != b->mods, "%s and %s share a key", a->name,
                      b->name);
        }
    }
}

Test(actions, every_action_has_a_key_and_one_name) {
    for (int action = 1; action < POISE_ACTION_COUNT; action++) {
        const PoiseBinding* first = NULL;
        for (int i = 0; i < poise__binding_count(); i++) {
            const PoiseBinding* binding = poise__key_binding(i);
            if ((int)binding->action != action) {
                continue;
            }
            first = first ? first : binding;
            cr_expect_str_eq(binding->name, first->name);
            cr_expect_str_eq(binding->help, first->help);
        }
        cr_expect_not_null(first, "action %d has no key", action);
    }
}

Test(actions, names_differ_from_action_to_action) {
    for (int i = 0; i < poise__binding_count(); i++) {
        for (int j = 0; j < i; j++) {
            const PoiseBinding* a = poise__key_binding(i);
            const PoiseBinding* b = poise__key_binding(j);
            cr_expect(a->action == b->action || strcmp(a->name, b->name) != 0, "two are named %s",
                      a->name);
        }
    }
}

Test(actions, modifiers_count) {
    cr_expect_eq(poise__action_for('P', POISE_MOD_CTRL), POISE_ACTION_SCREENSHOT);
    cr_expect_eq(poise__action_for('Z', 0), POISE_ACTION_NONE);
    cr_expect_eq(poise__action_for(POISE_KEY_SPACE, 0), POISE_ACTION_PAUSE);
}

Test(actions, the_readme_has_the_table_and_every_option) {
    char* readme = text_of(POISE_SOURCE_DIR "/viewer/README.md");
    char table[1 << 14] = "";
    FILE* out = tmpfile();
    cr_assert_not_null(out);
    poise__actions_print(out, true);
    rewind(out);
    table[fread(table, 1, sizeof table - 1, out)] = '\0';
    fclose(out);
    cr_expect(strstr(readme, table) != NULL,
              "viewer/README.md should hold what the table of actions gives:\n%s", table);
    for (int i = 0; i < poise__option_count(); i++) {
        cr_expect(strstr(readme, poise__option_name(i)) != NULL, "viewer/README.md leaves out %s",
                  poise__option_name(i));
    }
    free(readme);
}
