// SPDX-License-Identifier: MIT
// Tests the tables of the format. They must print the reference in the README. Their defaults must
// equal the engine's own.
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loaded.h"
#include "near.h"
#include "poise/reading.h"
#include "poise/world.h"
#include "spec.h"
#include "text.h"

Test(schema, the_readme_s_tables_are_those_that_read) {
    char* readme = text_of(POISE_SOURCE_DIR "/scenes/README.md");
    FILE* file = tmpfile();
    poise_format_print(file);
    rewind(file);
    char* printed = text_of_file(file);

    static const char begin[] = "<!-- poise format -->\n";
    char* start = strstr(readme, begin);
    char* end = strstr(readme, "<!-- end of poise format -->");
    cr_assert(start && end, "the README has no marks round the reference");
    *end = '\0';
    cr_expect(strcmp(start + strlen(begin), printed) == 0,
              "scenes/README.md is not what `poise format` prints: replace what stands between its "
              "marks");
    free(readme);
    free(printed);
}

// The target of a synonym must be a word of the reference, of a robot's file or of the command
// line.
Test(schema, every_synonym_suggests_a_word_of_the_format) {
    static const char* const others[] = {"revolute", "prismatic", "slide", "run",
                                         "check",    "info",      "solve", "format"};
    FILE* file = tmpfile();
    poise_format_print(file);
    rewind(file);
    char* printed = text_of_file(file);
    int count = 0;
    for (; poise__synonyms(count); count++) {
        const char* line = poise__synonyms(count);
        int length = (int)strcspn(line, " ");
        char word[64];
        snprintf(word, sizeof word, "`%.*s`", length, line);
        bool known = strstr(printed, word) != NULL;
        snprintf(word, sizeof word, " %.*s ", length, line); // "radians or degrees"
        known = known || strstr(printed, word) != NULL;
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            known = known ||
                    (strncmp(line, others[i], (size_t)length) == 0 && others[i][length] == '\0');
        }
        cr_expect(known, "'%.*s' is no word of any format", length, line);
    }
    cr_expect(count > 50);
    free(printed);
}

static void expect_documented(const Schema* schema) {
    for (int i = 0; i < schema->field_count; i++) {
        const Field* field = &schema->fields[i];
        cr_expect(field->help && field->help[0], "%s: '%s' has no help", schema->name, field->key);
        cr_expect(field->type != FIELD_CUSTOM || field->form, "%s: '%s' has no form", schema->name,
                  field->key);
        if (field->schema && field->schema != schema) {
            expect_documented(field->schema);
        }
    }
    cr_expect(schema->title && schema->field_count <= 64, "%s", schema->name);
}

Test(schema, every_key_is_documented) {
    expect_documented(&poise__scene_schema);
}

Test(schema, the_reference_gives_the_engine_s_defaults) {
    PoiseSceneIk ik;
    PoiseSceneWorld world;
    memset(&ik, 0, sizeof ik);
    memset(&world, 0, sizeof world);
    poise__schema_set_fallbacks(&poise__ik_schema, &ik);
    poise__schema_set_fallbacks(&poise__world_schema, &world);
    const PoiseSolveDef* solve = &ik.rig.settings.solve;
    PoiseRigDef rig = poise_default_rig_def();
    PoiseWorldDef own = poise_default_world_def();
    cr_expect(solve->solver == rig.settings.solve.solver &&
              solve->sweeps == rig.settings.solve.sweeps);
    EXPECT_NEAR(solve->damping_floor, rig.settings.solve.damping_floor, 0.0);
    EXPECT_NEAR(solve->position_clamp, rig.settings.solve.position_clamp, 0.0);
    EXPECT_NEAR(solve->angle_clamp, rig.settings.solve.angle_clamp, 0.0);
    EXPECT_NEAR(solve->joint_cap, rig.settings.solve.joint_cap, 0.0);
    cr_expect(solve->adaptive == rig.settings.solve.adaptive &&
              solve->escape == rig.settings.solve.escape);
    EXPECT_NEAR(ik.rig.settings.posture_rate, rig.settings.posture_rate, 0.0);
    cr_expect(ik.rig.settings.reference == rig.settings.reference &&
              ik.rig.settings.gravity == rig.settings.gravity);
    cr_expect(ik.rig.finite_rotation == rig.finite_rotation);
    cr_expect(ik.tree.ball_axes == poise_default_tree_def().ball_axes);
    EXPECT_NEAR3(world.def.gravity, own.gravity, 0.0);
    EXPECT_NEAR(world.def.friction, own.friction, 0.0);
    EXPECT_NEAR(world.def.restitution, own.restitution, 0.0);
    EXPECT_NEAR(world.def.erp, own.erp, 0.0);
    EXPECT_NEAR(world.def.cfm, own.cfm, 0.0);
    cr_expect(world.def.contacts == own.contacts);
    cr_expect(world.def.quick_iterations == own.quick_iterations);
}

Test(schema, an_empty_scene_is_the_engine_s_defaults) {
    Loaded loaded = required(load_text("t.yaml", "poise: 1\n"));
    const PoiseScene* scene = loaded.scene;
    PoiseRigDef rig = poise_default_rig_def();
    EXPECT_NEAR(scene->ik.rig.settings.solve.damping, rig.settings.solve.damping, 0.0);
    EXPECT_NEAR(scene->ik.rig.settings.solve.joint_cap, rig.settings.solve.joint_cap, 0.0);
    EXPECT_NEAR3(scene->world.def.gravity, poise_default_world_def().gravity, 0.0);
    cr_expect(!scene->world.ground && scene->body_count == 0);
}

Test(schema, a_joint_without_springs_has_the_engine_s_defaults) {
    Loaded loaded =
        required(load_text("t.yaml", "poise: 1\nbodies: {a: {sphere: 0.1}}\n"
                                     "joints: {j: {ball: [0, 0, 0], between: [world, a]}}\n"));
    const PoiseSceneJoint* joint = &loaded.scene->joints[0];
    PoiseBindDef bind = poise_default_bind_def();
    EXPECT_NEAR(joint->bind.ik.stiffness, bind.ik.stiffness, 0.0);
    EXPECT_NEAR(joint->bind.ik.damping, bind.ik.damping, 0.0);
    EXPECT_NEAR(joint->bind.original.stiffness, bind.original.stiffness, 0.0);
    EXPECT_NEAR(joint->bind.original.damping, bind.original.damping, 0.0);
    cr_expect(isinf(joint->bind.torque_limit) && isinf(bind.torque_limit));
    EXPECT_NEAR(joint->bias, 1.0, 0.0);
}
