// SPDX-License-Identifier: MIT
// Tries each kind of joint with each feature of a rig; a cell that is not tried has a reason in
// words. engine/README.md shows the table that this file prints.
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "feature_checks.h"
#include "text.h"

// --------------------------------------------------------------------------------------- the table

typedef struct Feature {
    const char* name;
    void (*check)(const KindCase*);
    /// Why a kind cannot have the feature; NULL: it has it.
    const char* (*reason)(const KindCase*);
} Feature;

static const char* always(const KindCase* kind) {
    (void)kind;
    return NULL;
}

static const char* has_range(const KindCase* kind) {
    if (kind->joint == dJointTypeNone) {
        return "has no range";
    }
    return kind->kind == POISE_NODE_BALL && !kind->cone ? "has no range without a cone" : NULL;
}

static const char* has_range_in_a_chain(const KindCase* kind) {
    return kind->lone ? "ODE passes a wrong moment to a parent that moves" : has_range(kind);
}

static const char* can_wind(const KindCase* kind) {
    if (kind->cone) {
        return "its cone ends before half a turn";
    }
    return kind->winds < 0 ? "does not turn" : NULL;
}

static const char* bounds_step(const KindCase* kind) {
    return poise_joint_type(kind->kind)->nv == 1
               ? NULL
               : "the solver bounds the step of single motions; clamped after it";
}

static const char* has_base(const KindCase* kind) {
    return kind->joint != dJointTypeNone ? NULL
                                         : "stands on the world or on a node, held by no joint";
}

static const Feature features[] = {
    {"clamp in the solve", check_clamp, bounds_step},
    {"clamp after it", check_clamp, always},
    {"null-space pull", check_null_space, always},
    {"on its stop: forces", check_stop_force, has_range_in_a_chain},
    {"on its stop: forecast", check_stop, has_range},
    {"winding past half a turn", check_winding, can_wind},
    {"integral", check_integral, always},
    {"torque limit", check_limit, always},
    {"gravity fed forward", check_gravity, always},
    {"import", check_import, always},
    {"snapshot", check_snapshot, always},
    {"base moved", check_base, has_base},
    {"live natural posture", check_natural, always},
};
enum { FEATURES = sizeof features / sizeof features[0] };

static void check_feature(int f) {
    for (int k = 0; k < KIND_CASES; k++) {
        if (!features[f].reason(&kind_cases[k])) {
            features[f].check(&kind_cases[k]);
        }
    }
}

#define FEATURE_TEST(number, name)                                                                 \
    Test(features, name) {                                                                         \
        check_feature(number);                                                                     \
    }
FEATURE_TEST(1, clamp)
FEATURE_TEST(2, null_space_pull)
FEATURE_TEST(3, force_on_its_stop)
FEATURE_TEST(4, forecast_on_its_stop)
FEATURE_TEST(5, winding)
FEATURE_TEST(6, integral)
FEATURE_TEST(7, torque_limit)
FEATURE_TEST(8, gravity_fed_forward)
FEATURE_TEST(9, import)
FEATURE_TEST(10, snapshot)
FEATURE_TEST(11, base_moved)
FEATURE_TEST(12, live_natural_posture)

enum { TEXT = 8000, REASONS = 16 };

static int add(char* text, int at, const char* before, const char* word, const char* after) {
    const int room = TEXT - at;
    const int length = snprintf(&text[at], (size_t)room, "%s%s%s", before, word, after);
    cr_assert_lt(length, room);
    return at + length;
}

// Prints the table in Markdown, with a letter for each reason.
static void print_table(char text[TEXT]) {
    const char* reasons[REASONS];
    int reason_count = 0;
    int at = add(text, 0, "", "| feature |", "");
    for (int k = 0; k < KIND_CASES; k++) {
        at = add(text, at, " ", kind_cases[k].name, " |");
    }
    at = add(text, at, "\n|", "---|", "");
    for (int k = 0; k < KIND_CASES; k++) {
        at = add(text, at, "", "---|", "");
    }
    for (int f = 0; f < FEATURES; f++) {
        at = add(text, at, "\n| ", features[f].name, " |");
        for (int k = 0; k < KIND_CASES; k++) {
            const char* reason = features[f].reason(&kind_cases[k]);
            int r = 0;
            while (reason && r < reason_count && strcmp(reasons[r], reason) != 0) {
                r++;
            }
            if (reason && r == reason_count) {
                cr_assert_lt(reason_count, REASONS);
                reasons[reason_count++] = reason;
            }
            const char letter[2] = {(char)('a' + r), 0};
            at = add(text, at, " ", reason ? letter : "yes", " |");
        }
    }
    at = add(text, at, "", "\n", "");
    for (int r = 0; r < reason_count; r++) {
        const char letter[2] = {(char)('a' + r), 0};
        at = add(text, at, "\n- ", letter, ": ");
        at = add(text, at, "", reasons[r], ".");
    }
    (void)add(text, at, "", "\n", "");
}

Test(features, the_readme_has_the_table_of_features) {
    char text[TEXT];
    print_table(text);
    char* readme = text_of(POISE_SOURCE_DIR "/engine/README.md");
    cr_expect(strstr(readme, text), "engine/README.md should have\n%s", text);
    free(readme);
}
