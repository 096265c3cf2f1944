// SPDX-License-Identifier: MIT
// Joints: where each is in its range, what its springs give of their limit; posed by hand.
#include <math.h>
#include <string.h>

#include "panels.h"
#include "units.h"

static const double DEGREE = 57.29577951308232;
/// Without a range a hinge is shown over a whole turn, and a slider over a metre.
static const double FREE_ANGLE = 180.0;
static const double FREE_LENGTH = 0.5;

/// Paused, the joint is put there; while the run goes on its natural angle is.
static void pose(PoiseApp* app, int joint, double value, int bits) {
    const PoiseSimulation* simulation = app->session.simulation;
    const PoiseJointView view = poise_simulation_joint(simulation, joint);
    PoiseChange change = {.kind = POISE_CHANGE_POSE, .index = joint, .q = {value}, .q_count = 1};
    if (!app->pacing.paused) {
        char key[160];
        snprintf(key, sizeof key, "joints.%.100s.natural", view.name);
        change = (PoiseChange){.kind = POISE_CHANGE_SET,
                               .index = poise_simulation_find_parameter(simulation, key),
                               .value = value};
    }
    if (change.index >= 0) {
        poise__panel_track(app, &change, bits);
    }
}

static void show_angle(PoiseApp* app, int joint, const PoiseJointView* view) {
    const PoiseSceneJoint* scene = &app->session.scene->joints[joint];
    const bool slides = poise_kind_slides(view->kind);
    const double unit = slides ? 1.0 : DEGREE;
    const double least = unit * scene->lower;
    const double most = unit * scene->upper;
    char name[128];
    snprintf(name, sizeof name, "angle/%.100s", view->name);
    const PoiseUiNumber number = {.name = name,
                                  .text = "",
                                  .lower = isfinite(least) ? least
                                           : slides        ? -FREE_LENGTH
                                                           : -FREE_ANGLE,
                                  .upper = isfinite(most) ? most
                                           : slides       ? FREE_LENGTH
                                                          : FREE_ANGLE,
                                  .digits = slides ? 3 : 1};
    double value = unit * view->angle;
    const int bits = poise__ui_number(app->ui, &number, &value);
    char tip[256];
    poise__panel_joint_words(view, tip);
    poise__ui_tip(app->ui, tip);
    if (bits != 0) {
        pose(app, joint, value / unit, bits);
    }
}

static void show_joint(PoiseApp* app, int joint) {
    const PoiseSimulation* simulation = app->session.simulation;
    const PoiseJointView view = poise_simulation_joint(simulation, joint);
    const PoiseJointSprings springs = poise_simulation_joint_springs(simulation, joint);
    const double torque = poise_length(view.torque);
    const char* slash = strrchr(view.name, '/');
    char text[POISE_UNIT_TEXT];
    poise__ui_table_next(app->ui);
    poise__ui_name(app->ui, POISE_INK, slash ? slash + 1 : view.name);
    if (poise__ui_hovered(app->ui)) {
        app->panels.focus.joint = joint;
    }
    poise__ui_table_next(app->ui);
    if (springs.count == 1) {
        show_angle(app, joint, &view);
    } else {
        poise__ui_align(app->ui);
        poise__ui_text(app->ui, POISE_DIM_INK, "%s",
                       poise__angle_text(poise_length(view.rotation), text));
    }
    poise__ui_table_next(app->ui);
    poise__ui_align(app->ui);
    const bool limited = isfinite(springs.max_torque);
    poise__ui_text(
        app->ui, limited && torque > 0.9 * springs.max_torque ? POISE_WARM_INK : POISE_DIM_INK,
        "%s", poise__value_text(torque, poise_kind_slides(view.kind) ? "N" : "N m", text));
    poise__ui_table_next(app->ui);
    poise__ui_align(app->ui);
    if (limited) {
        poise__ui_text(app->ui, POISE_DIM_INK, "%.0f %%", 100.0 * torque / springs.max_torque);
    }
}

void poise__panel_joints(PoiseApp* app) {
    static const char* const titles[] = {"joint", "deg, m", "springs give", "limit"};
    static const double widths[] = {0.0, 74.0, 80.0, 42.0};
    if (!poise__ui_section(app->ui, "section/joints", "Joints", false) ||
        !poise__ui_table_begin(app->ui, "joints", titles, widths, 4)) {
        return;
    }
    for (int i = 0; i < poise_simulation_joint_count(app->session.simulation); i++) {
        if (poise_simulation_joint_node(app->session.simulation, i).index1 != 0) {
            show_joint(app, i);
        }
    }
    poise__ui_table_end(app->ui);
}
