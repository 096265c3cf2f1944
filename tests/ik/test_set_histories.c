// SPDX-License-Identifier: MIT
// Tests the sets Cp and Nd after any history of registering, unregistering and switching, against a
// table of the registrations.
#include <criterion/criterion.h>

#include "models.h"

enum { TABLE_NODES = 14, TABLE_POINTS = 5 };

// The registrations as a plain table.
typedef struct Table {
    bool registered[TABLE_NODES][TABLE_POINTS];
    bool enabled[TABLE_POINTS];
} Table;

static bool lies_between(PoiseTree* tree, PoiseNodeId node, PoisePointId point) {
    PoiseNodeId at = poise_point_link(tree, point);
    while (at.index1 != 0) {
        if (at.index1 == node.index1) {
            return true;
        }
        at = poise_node_parent(tree, at);
    }
    return false;
}

static bool shares(const Table* table, int a, int b) {
    for (int p = 0; p < TABLE_POINTS; p++) {
        if (table->enabled[p] && table->registered[a][p] && table->registered[b][p]) {
            return true;
        }
    }
    return false;
}

static void expect_sets(const Model* model, const Table* table, int step) {
    PoiseTree* tree = model->tree;
    for (int n = 0; n < TABLE_NODES; n++) {
        PoisePointId points[TABLE_POINTS];
        int expected = 0;
        int count = poise_node_points(tree, model->nodes[n], points, TABLE_POINTS);
        for (int p = 0; p < TABLE_POINTS; p++) {
            if (table->registered[n][p]) {
                cr_assert(expected < count && points[expected].index1 == model->points[p].index1,
                          "step %d: Cp(%d)", step, n);
                expected++;
            }
        }
        cr_assert(count == expected, "step %d: Cp(%d)", step, n);
        PoiseNodeId nodes[TABLE_NODES];
        count = poise_node_neighbours(tree, model->nodes[n], nodes, TABLE_NODES);
        expected = 0;
        for (int m = 0; m < TABLE_NODES; m++) {
            if (shares(table, n, m)) {
                cr_assert(expected < count && nodes[expected].index1 == model->nodes[m].index1,
                          "step %d: Nd(%d)", step, n);
                expected++;
            }
        }
        cr_assert(count == expected, "step %d: Nd(%d)", step, n);
    }
    for (int p = 0; p < TABLE_POINTS; p++) {
        PoiseNodeId nodes[TABLE_NODES];
        int count = poise_point_nodes(tree, model->points[p], nodes, TABLE_NODES);
        int expected = 0;
        for (int n = 0; n < TABLE_NODES; n++) {
            if (table->registered[n][p]) {
                cr_assert(expected < count && nodes[expected].index1 == model->nodes[n].index1,
                          "step %d: Nd(point %d)", step, p);
                expected++;
            }
        }
        cr_assert(count == expected, "step %d: Nd(point %d)", step, p);
    }
}

// Checks that blocks and gammas exist exactly where the table says.
static void expect_blocks(const Model* model, const Table* table, int step) {
    cr_assert(poise_stage_jacobians(model->tree) == POISE_OK);
    cr_assert(poise_stage_blocks(model->tree) == POISE_OK);
    for (int n = 0; n < TABLE_NODES; n++) {
        for (int m = 0; m < TABLE_NODES; m++) {
            int size = model_dof(model, n) * model_dof(model, m);
            cr_assert(poise_block_gamma(model->tree, model->nodes[n], model->nodes[m], NULL) ==
                          (shares(table, n, m) ? size : 0),
                      "step %d: gamma(%d, %d)", step, n, m);
        }
        for (int p = 0; p < TABLE_POINTS; p++) {
            int rows = poise_point_kind(model->tree, model->points[p]) == POISE_POINT_POSE ? 6 : 3;
            bool there = table->registered[n][p] && table->enabled[p];
            cr_assert(poise_jacobian(model->tree, model->points[p], model->nodes[n], NULL) ==
                          (there ? rows * model_dof(model, n) : 0),
                      "step %d: J(%d, %d)", step, p, n);
        }
    }
}

// Registers the nodes from the link down to `last`, or to the base, without the ancestors of
// `last`.
static void register_chain(const Model* model, Table* table, int p, PoiseNodeId last) {
    cr_assert(poise_register_chain(model->tree, model->points[p], last) == POISE_OK);
    for (int k = 0; k < TABLE_NODES; k++) {
        bool below = lies_between(model->tree, model->nodes[k], model->points[p]);
        PoiseNodeId up =
            last.index1 != 0 ? poise_node_parent(model->tree, last) : poise_null_node();
        while (below && up.index1 != 0) {
            below = up.index1 != model->nodes[k].index1;
            up = poise_node_parent(model->tree, up);
        }
        table->registered[k][p] = table->registered[k][p] || below;
    }
}

static void change(const Model* model, Table* table, Random* random) {
    const int n = random_index(random, TABLE_NODES);
    const int p = random_index(random, TABLE_POINTS);
    const bool can = lies_between(model->tree, model->nodes[n], model->points[p]);
    switch (random_index(random, 4)) {
    case 0:
        cr_assert(poise_register(model->tree, model->points[p], model->nodes[n]) ==
                  (can ? POISE_OK : POISE_ERROR_CANNOT_MOVE));
        table->registered[n][p] = table->registered[n][p] || can;
        break;
    case 1:
        cr_assert(poise_unregister(model->tree, model->points[p], model->nodes[n]) == POISE_OK);
        table->registered[n][p] = false;
        break;
    case 2:
        table->enabled[p] = random_index(random, 3) > 0;
        cr_assert(poise_point_set_enabled(model->tree, model->points[p], table->enabled[p]) ==
                  POISE_OK);
        break;
    default:
        register_chain(model, table, p, can ? model->nodes[n] : poise_null_node());
        break;
    }
}

// Row 0.7 of DOCUMENTS.md: any history
Test(set_histories, random_histories_agree_with_a_table) {
    for (uint64_t seed = 0; seed < 8; seed++) {
        Random random = random_from(100 + seed);
        RandomTree kinds = {TABLE_NODES, 0, true, true, true, true, false, POISE_BALL_THREE_AXES};
        Model model = model_random(&random, &kinds);
        for (int p = 0; p < TABLE_POINTS; p++) {
            PoisePointDef def = model_point_def((PoisePointKind)(1 + random_index(&random, 3)));
            def.link = model.nodes[random_index(&random, TABLE_NODES)];
            def.in_link.p = random_vec3(&random, 0.3);
            model.points[model.point_count++] = poise_point_create(model.tree, &def);
        }
        Table table = {0};
        for (int p = 0; p < TABLE_POINTS; p++) {
            table.enabled[p] = true;
        }
        for (int step = 0; step < 500; step++) {
            change(&model, &table, &random);
            expect_sets(&model, &table, step);
            if (step % 10 == 0) {
                expect_blocks(&model, &table, step);
            }
        }
        model_finish(&model);
    }
}
