// SPDX-License-Identifier: MIT
#include "actions.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "text.h"

Test(actions, no_key_is_bound_twice_and_no_name_given_twice) {
    for (int i = 0; i < poise__action_count; i++) {
        const PoiseAction* action = &poise__actions[i];
        cr_expect_neq(action->keys[0].key, 0, "%s has no key", action->name);
        cr_expect_eq(poise__action_named(action->name), action, "two are named %s", action->name);
        for (int k = 0; k < POISE_ACTION_KEYS && action->keys[k].key != 0; k++) {
            cr_expect_eq(poise__action_for(action->keys[k].key, action->keys[k].mods), action,
                         "%s shares a key", action->name);
        }
    }
}

Test(actions, each_is_a_gesture_or_has_one_function) {
    for (int i = 0; i < poise__action_count; i++) {
        const PoiseAction* action = &poise__actions[i];
        cr_expect_eq((action->gesture != POISE_GESTURE_NONE) + (action->act != NULL) +
                         (action->plain != NULL),
                     1, "%s", action->name);
    }
}

Test(actions, modifiers_count) {
    cr_expect_str_eq(poise__action_for('P', POISE_MOD_CTRL)->name, "screenshot");
    cr_expect_null(poise__action_for('Z', 0));
    cr_expect_null(poise__action_for(0, 0));
    cr_expect_str_eq(poise__action_for(POISE_KEY_SPACE, 0)->name, "pause");
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
