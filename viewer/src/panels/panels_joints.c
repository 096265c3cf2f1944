// SPDX-License-Identifier: MIT
// Shows each joint's position in its range and the torque of its springs against the limit. Numbers
// pose the joints.
#include <math.h>
#include <string.h>

#include "panels.h"
#include "units.h"

static const double DEGREE = 57.29577951308232;
/// Half the range that is shown for a hinge without limits, degrees, and for a slider, m.
static const double FREE_ANGLE = 180.0;
static const double FREE_LENGTH = 0.5;
/// A joint is at its limit if its distance to it is below this part of its range.
static const double STOPPED = 0.01;
static const double LEAST_PART = 5e-4;

/// Moves the joint while the run is paused; otherwise sets its natural angle.
static void set_joint(PoiseApp* app, int joint, double value, int bits) {
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
    const double least = unit * scene->limits.lower[0];
    const double most = unit * scene->limits.upper[0];
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
    double value = unit * view->q[0];
    const int bits = poise__ui_number(app->ui, &number, &value);
    char tip[256];
    poise__panel_joint_words(view, tip);
    poise__ui_tip(app->ui, tip);
    if (bits != 0) {
        set_joint(app, joint, value / unit, bits);
    }
}

/// Returns the colour of a torque: green, amber above 0.6, red above 0.9 of the limit.
static uint32_t strain_colour(double part) {
    return part > 0.9 ? 0xc94f45ffu : part > 0.6 ? 0xb07a2affu : 0x3f8f5cffu;
}

/// Returns the angle between a ball joint's axis and the axis of its cone, rad.
static double swing_angle(const PoiseSimulation* simulation, const PoiseJointView* view) {
    const PoiseVec3 axis = poise_node_axis(poise_simulation_tree(simulation), view->node);
    PoiseQuat swing;
    const double* q = view->q;
    poise_quat_twist(poise_quat(q[0], q[1], q[2], q[3]), axis, &swing);
    return poise_length(poise_quat_log(swing));
}

/// Shows the joint's position between its limits as a bar from 0, or from the limit nearest to 0. A
/// line marks the position that the springs pull to.
static void show_range(PoiseApp* app, int joint, const PoiseJointView* view) {
    const PoiseSceneJoint* scene = &app->session.scene->joints[joint];
    const bool ball = poise_kind_turns(view->kind);
    const double lower = ball ? 0.0 : scene->limits.lower[0];
    const double upper = scene->limits.upper[0];
    const double now = ball ? swing_angle(app->session.simulation, view) : view->q[0];
    char name[128];
    if (!isfinite(lower) || !isfinite(upper) || !(upper > lower)) {
        poise__ui_align(app->ui);
        poise__ui_text(app->ui, POISE_DIM_INK, "free");
        return;
    }
    const double part = (now - lower) / (upper - lower);
    const double zero = fmin(1.0, fmax(0.0, -lower / (upper - lower)));
    const bool stopped = part < STOPPED || part > 1.0 - STOPPED;
    const PoiseUiMeter meter = {.from = zero,
                                .to = part,
                                .tick = ball ? -1.0 : (view->q_target[0] - lower) / (upper - lower),
                                .colour =
                                    stopped && !(ball && part < 0.5) ? 0xc94f45ffu : 0x3f6ea3ffu,
                                .text = ""};
    snprintf(name, sizeof name, "range/%.100s", view->name);
    poise__ui_meter(app->ui, name, &meter);
    char tip[256];
    char texts[2][POISE_UNIT_TEXT];
    const bool slides = poise_kind_slides(view->kind);
    snprintf(tip, sizeof tip, "%s to %s%s",
             slides ? poise__length_text(lower, texts[0]) : poise__angle_text(lower, texts[0]),
             slides ? poise__length_text(upper, texts[1]) : poise__angle_text(upper, texts[1]),
             ball ? ", angle of its axis" : "; the line is the target of its springs");
    poise__ui_tip(app->ui, tip);
}

/// Shows the torque of the springs, as a part of the limit if there is one.
static void show_torque(PoiseApp* app, const PoiseJointView* view, double limit) {
    const double torque = poise_length(view->torque);
    const bool limited = isfinite(limit) && limit > 0.0;
    char name[128];
    char text[POISE_UNIT_TEXT];
    char tip[128];
    char most[POISE_UNIT_TEXT];
    const char* unit = poise_kind_slides(view->kind) ? "N" : "N m";
    // show 0 if the torque is negligible against the limit
    poise__value_text(limited && torque < LEAST_PART * limit ? 0.0 : torque, unit, text);
    if (!limited) {
        poise__ui_align(app->ui);
        poise__ui_text(app->ui, POISE_DIM_INK, "%s", text);
        return;
    }
    const PoiseUiMeter meter = {
        .to = torque / limit, .tick = -1.0, .colour = strain_colour(torque / limit), .text = text};
    snprintf(name, sizeof name, "torque/%.100s", view->name);
    poise__ui_meter(app->ui, name, &meter);
    snprintf(tip, sizeof tip, "%s of at most %s, %.0f %%", text,
             poise__value_text(limit, unit, most), 100.0 * torque / limit);
    poise__ui_tip(app->ui, tip);
}

static void show_joint(PoiseApp* app, int joint) {
    const PoiseSimulation* simulation = app->session.simulation;
    const PoiseJointView view = poise_simulation_joint(simulation, joint);
    const PoiseJointSprings springs = poise_simulation_joint_springs(simulation, joint);
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
        poise__ui_text(
            app->ui, POISE_DIM_INK, "%s",
            poise__angle_text(poise_length(poise_joint_vector(view.kind, view.q)), text));
    }
    poise__ui_table_next(app->ui);
    show_range(app, joint, &view);
    poise__ui_table_next(app->ui);
    show_torque(app, &view, springs.max_torque);
}

void poise__panel_joints(PoiseApp* app) {
    static const char* const titles[] = {"joint", "deg, m", "range", "springs give"};
    static const double widths[] = {0.0, 62.0, 68.0, 84.0};
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
