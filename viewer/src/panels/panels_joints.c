// SPDX-License-Identifier: MIT
// Shows each joint's position in its range, and the torque of its springs relative to the limit.
// The person can set joints by the numbers.
#include <math.h>
#include <string.h>

#include "panels.h"
#include "suggest_name.h"
#include "units.h"

static const double DEGREE = 57.29577951308232;
/// Half the range that is shown: FREE_ANGLE for a hinge without limits, degrees; FREE_LENGTH for a
/// slider, m.
static const double FREE_ANGLE = 180.0;
static const double FREE_LENGTH = 0.5;
/// A joint is at its limit if it is nearer to it than this fraction of its range.
static const double STOPPED = 0.01;
static const double MIN_TORQUE_PART = 5e-4;
/// Control points hold a joint back if, SETTLING_TIME s after a position was set, the joint is more
/// than MIN_OFF (rad or m) away from that position.
static const double MIN_OFF = 0.02;
static const double SETTLING_TIME = 1.5;

/// Sets the joint's natural posture; while the run is paused, also moves the joint there. IK pulls
/// the joint there if the control points allow it, at its posture rate, which must be above 0.
static void set_joint(PoiseApp* app, int joint, const double* q, int count, int bits) {
    const PoiseSimulation* simulation = app->session.simulation;
    PoiseChange changes[POISE_UNDO_CHANGES] = {{.kind = POISE_CHANGE_NATURAL}};
    int change_count = 0;
    PoiseChange set = {.kind = POISE_CHANGE_NATURAL, .index = joint, .q_count = count};
    memcpy(set.q, q, (size_t)count * sizeof *q);
    changes[change_count++] = set;
    if (app->pacing.paused) {
        set.kind = POISE_CHANGE_POSE;
        changes[change_count++] = set;
    }
    change_count += poise__panel_posture_rate(simulation, &changes[change_count]);
    poise__panel_track_all(app, changes, change_count, bits);
}

/// Converts the numbers that the panel shows, rad or m, to the joint's coordinates.
static void coordinates_of(PoiseNodeKind kind, const double shown[3], double q[POISE_MAX_NQ]) {
    if (poise_kind_turns(kind)) {
        const PoiseQuat turn = poise_quat_exp(poise_vec3(shown[0], shown[1], shown[2]));
        const double numbers[4] = {turn.w, turn.x, turn.y, turn.z};
        memcpy(q, numbers, sizeof numbers);
    } else {
        memcpy(q, shown, 2 * sizeof *shown);
    }
}

/// Returns the number widget of a joint's coordinate. Its range is a turn, or 1 m, if it has no
/// finite limits.
static PoiseUiNumber number_of(const PoiseApp* app, int joint, const char* name,
                               const PoiseJointView* view) {
    const PoiseSceneJoint* scene = &app->session.scene->joints[joint];
    const bool slides = poise_kind_slides(view->kind);
    const bool limited = !poise_kind_turns(view->kind) && poise_kind_axes(view->kind) == 1;
    const double unit = slides ? 1.0 : DEGREE;
    const double free = slides ? FREE_LENGTH : FREE_ANGLE;
    const double least = unit * scene->limits.lower[0];
    const double most = unit * scene->limits.upper[0];
    return (PoiseUiNumber){.name = name,
                           .text = "",
                           .lower = limited && isfinite(least) ? least : -free,
                           .upper = limited && isfinite(most) ? most : free,
                           .digits = slides ? 3 : 1};
}

/// Shows a coordinate as a number that can be changed; during a change the set value, not the
/// measured one.
static void show_number(PoiseApp* app, int joint, const PoiseJointView* view, int axis) {
    PoiseJointHand* hand = &app->panels.joint;
    const bool turns = poise_kind_turns(view->kind);
    const int axes = turns ? 3 : poise_kind_axes(view->kind);
    const double unit = poise_kind_slides(view->kind) ? 1.0 : DEGREE;
    const PoiseVec3 measured = poise_joint_vector(view->kind, view->q);
    double shown[3] = {measured.x, measured.y, measured.z};
    char name[128];
    char tip[256];
    snprintf(name, sizeof name, axes > 1 ? "angle/%.100s.%c" : "angle/%.100s", view->name,
             "xyz"[axis]);
    const PoiseUiNumber number = number_of(app, joint, name, view);
    if (hand->held && hand->joint == joint) {
        memcpy(shown, hand->shown, sizeof shown);
    }
    double value = unit * shown[axis];
    const int bits = poise__ui_number(app->ui, &number, &value);
    poise__panel_joint_words(view, tip);
    poise__ui_tip(app->ui, tip);
    if (bits == 0) {
        return;
    }
    shown[axis] = value / unit;
    hand->held = ((hand->held && hand->joint == joint) || (bits & POISE_UI_BEGAN)) &&
                 !(bits & POISE_UI_ENDED);
    hand->joint = joint;
    hand->changed = app->wall;
    hand->said = false;
    memcpy(hand->shown, shown, sizeof shown);
    coordinates_of(view->kind, shown, hand->q);
    set_joint(app, joint, hand->q, turns ? 4 : axes, bits);
}

/// Writes "held by pen" if the control point "pen" keeps the joint from its set position, otherwise
/// "". Shows this also once as a message.
static void held_words(PoiseApp* app, int joint, const PoiseJointView* view, char text[64]) {
    enum { MANY = 32 };
    const PoiseSimulation* simulation = app->session.simulation;
    PoiseJointHand* hand = &app->panels.joint;
    PoisePointId points[MANY];
    text[0] = '\0';
    if (joint != hand->joint || app->pacing.paused || app->wall - hand->changed < SETTLING_TIME) {
        return;
    }
    const PoiseVec3 off =
        poise_sub(poise_joint_vector(view->kind, hand->q), poise_joint_vector(view->kind, view->q));
    const int count =
        poise_node_points(poise_simulation_tree(simulation), view->node, points, MANY);
    for (int i = 0; poise_length(off) > MIN_OFF && i < count && i < MANY; i++) {
        const int index = poise__point_of_id(simulation, points[i]);
        const PoisePointView point = poise_simulation_point(simulation, index);
        if (index >= 0 && point.enabled) {
            snprintf(text, 64, "held by %.40s", poise__bare_name(point.name));
            if (!hand->said) {
                poise__app_say(app, "%.60s is %s", poise__bare_name(view->name), text);
                hand->said = true;
            }
            return;
        }
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

/// Shows the joint's position between its limits as a bar from 0, or from the limit that is nearest
/// to 0. A line marks the position to which the springs pull.
static void show_range(PoiseApp* app, int joint, const PoiseJointView* view) {
    const PoiseSceneJoint* scene = &app->session.scene->joints[joint];
    const bool ball = poise_kind_turns(view->kind);
    const double lower = ball ? 0.0 : scene->limits.lower[0];
    const double upper = scene->limits.upper[0];
    const double now = ball ? swing_angle(app->session.simulation, view) : view->q[0];
    char name[128];
    char held[64];
    held_words(app, joint, view, held);
    if (!isfinite(lower) || !isfinite(upper) || !(upper > lower)) {
        poise__ui_align(app->ui);
        poise__ui_text(app->ui, POISE_DIM_INK, "%s", held[0] != '\0' ? held : "free");
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
                                .text = held};
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

/// Shows the torque of the springs, relative to the limit if there is one.
static void show_torque(PoiseApp* app, const PoiseJointView* view, double limit) {
    const double torque = poise_length(view->torque);
    const bool limited = isfinite(limit) && limit > 0.0;
    char name[128];
    char text[POISE_UNIT_TEXT];
    char tip[128];
    char most[POISE_UNIT_TEXT];
    const char* unit = poise_kind_slides(view->kind) ? "N" : "N m";
    // shows 0 if the torque is negligible relative to the limit
    poise__value_text(limited && torque < MIN_TORQUE_PART * limit ? 0.0 : torque, unit, text);
    if (!limited) {
        poise__ui_figure(app->ui, text);
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
    char text[POISE_UNIT_TEXT];
    poise__ui_table_next(app->ui);
    poise__ui_name(app->ui, POISE_INK, poise__bare_name(view.name));
    if (poise__ui_hovered(app->ui)) {
        app->panels.focus.joint = joint;
    }
    poise__ui_table_next(app->ui);
    const bool floats = poise_kind_floats(view.kind);
    if (floats) {
        poise__ui_figure(
            app->ui, poise__angle_text(poise_length(poise_joint_vector(view.kind, view.q)), text));
    } else {
        show_number(app, joint, &view, 0);
    }
    poise__ui_table_next(app->ui);
    show_range(app, joint, &view);
    poise__ui_table_next(app->ui);
    show_torque(app, &view, springs.max_torque);
    // further numbers of a ball or universal joint are in lines of their own
    const int axes = poise_kind_turns(view.kind) ? 3 : poise_kind_axes(view.kind);
    for (int axis = 1; !floats && axis < axes; axis++) {
        poise__ui_table_next(app->ui);
        poise__ui_align(app->ui);
        poise__ui_text(app->ui, POISE_DIM_INK, "   about %c", "xyz"[axis]);
        poise__ui_table_next(app->ui);
        show_number(app, joint, &view, axis);
        poise__ui_table_next(app->ui);
        poise__ui_table_next(app->ui);
    }
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
