// SPDX-License-Identifier: MIT
// Solves the tips of robots of files as compiled bodies, and prints a row for each:
//     robot-bodies [--targets N] FILE...
// The tips are the links that carry no other link. A tip's goal is its pose if at least 6 degrees
// of freedom are in its limb, else its position. Every answer is checked by the frames of the tree
// and by the ranges. Ends with 1 if a target of a random posture is not met.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies.h"
#include "poise/simulation.h"
#include "times.h"
#include "works.h"

#define MOST_ERROR 1e-9
#define BASE_SHIFT 0.3

static bool is_parent(const PoiseTree* tree, PoiseNodeId node) {
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        if (poise_node_parent(tree, poise_tree_node(tree, i)).index1 == node.index1) {
            return true;
        }
    }
    return false;
}

// Makes the tips of a tree: the nodes without children.
static BodyModel tips_of(PoiseTree* tree) {
    BodyModel body = {.model = {.tree = tree}, .goal = POISE_BODY_POSE};
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        const PoiseNodeId node = poise_tree_node(tree, i);
        if (!is_parent(tree, node) && body.tip_count < POISE_BODY_MOST_TIPS) {
            body.tips[body.tip_count].link = node;
            body.tips[body.tip_count++].in_link =
                poise_pose(poise_vec3(0.01, 0.02, 0.03), poise_quat_identity());
        }
    }
    return body;
}

// Returns the number of degrees of freedom from a tip to the last node that carries two of them.
static int limb_dof(const BodyModel* body, int tip) {
    PoiseTree* tree = body->model.tree;
    int dof = 0;
    for (PoiseNodeId at = body->tips[tip].link; at.index1 != 0; at = poise_node_parent(tree, at)) {
        int carried = 0;
        for (int t = 0; t < body->tip_count; t++) {
            PoiseNodeId up = body->tips[t].link;
            while (up.index1 != 0 && up.index1 != at.index1) {
                up = poise_node_parent(tree, up);
            }
            carried += up.index1 == at.index1;
        }
        if (carried > 1) {
            break;
        }
        dof += poise_node_dof(tree, at);
    }
    return dof;
}

// Solves the targets of one tree. True if all are met.
static bool solve_tree(const char* name, PoiseTree* tree, int count) {
    BodyModel body = tips_of(tree);
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    Random random = random_from(20261127);
    double worst = 0.0, sum = 0.0, most = 0.0;
    int met = 0;
    PoiseBodyDef def = poise_default_body_def();
    def.tip_count = body.tip_count;
    def.tips = body.tips;
    const double begun = time_us(CLOCK_PROCESS_CPUTIME_ID);
    PoiseBody* compiled = poise_body_compile(tree, &def);
    const double compile_time = time_us(CLOCK_PROCESS_CPUTIME_ID) - begun;
    if (!compiled) {
        printf("| %s | not compiled: %s |\n", name, poise_tree_message(tree));
        return false;
    }
    for (int t = 0; t < count; t++) {
        double posture[POISE_BODY_MOST_POSTURE];
        body_draw(&body, compiled, &random, BASE_SHIFT, targets);
        for (int i = 0; i < body.tip_count; i++) {
            targets[i].goal = limb_dof(&body, i) >= 6 ? POISE_BODY_POSE : POISE_BODY_POSITION;
        }
        WORKS(poise_body_middle(compiled, posture));
        const double start = time_us(CLOCK_PROCESS_CPUTIME_ID);
        const PoiseStatus status = poise_body_solve(compiled, NULL, targets, posture, NULL);
        const double time = time_us(CLOCK_PROCESS_CPUTIME_ID) - start;
        const double miss = body_miss(&body, compiled, posture, targets);
        met += status == POISE_OK && miss <= MOST_ERROR && body_is_inside(&body, compiled, posture);
        worst = status == POISE_OK ? fmax(worst, miss) : worst;
        sum += time;
        most = fmax(most, time);
    }
    printf("| %s | %d tips, %d dof | %.2f %% | %.1f us | %.0f us | %.1e | %.1f ms |\n", name,
           body.tip_count, poise_body_dof(compiled), 100.0 * met / count, sum / count, most, worst,
           1e-3 * compile_time);
    poise_body_destroy(compiled);
    return met == count;
}

// Reads one robot's file. True if all its targets are met.
static bool solve_file(const char* file, int count) {
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    PoiseScene* scene = poise_scene_load(file, diagnostics);
    PoiseSimulation* simulation = scene ? poise_simulation_create(scene, diagnostics) : NULL;
    bool whole = false;
    const char* name = strrchr(file, '/');
    if (simulation) {
        PoiseTree* tree = poise_tree_clone(poise_simulation_tree(simulation));
        poise_tree_clear_status(tree);
        whole = solve_tree(name ? name + 1 : file, tree, count);
        poise_tree_destroy(tree);
    } else {
        fprintf(stderr, "robot-bodies: cannot read %s\n", file);
    }
    poise_simulation_destroy(simulation);
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(diagnostics);
    return whole;
}

int main(int count, char** words) {
    int targets = 200;
    bool whole = true;
    printf("| robot | body | met | mean | largest | error | compiled in "
           "|\n|---|---|---|---|---|---|---|\n");
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--targets") == 0 && i + 1 < count && atoi(words[i + 1]) > 0) {
            targets = atoi(words[++i]);
        } else {
            whole &= solve_file(words[i], targets);
        }
    }
    return whole ? 0 : 1;
}
