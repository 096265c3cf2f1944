// SPDX-License-Identifier: MIT
// Drags targets, links and bodies with the pointer: grabs, moves and releases them.
#include <math.h>
#include <string.h>

#include "app.h"

/// A press becomes a drag after the pointer has moved by this distance, window units. A press
/// without a drag selects.
static const double DRAG_THRESHOLD = 3.0;

/// Weight of the control point by which a link is dragged. Points of scenes mostly have 1, feet 10.
static const double HAND_WEIGHT = 10.0;

/// A goal that is dragged along an arrow is rounded to this fraction of a pixel, so that it stays
/// on the arrow's line.
static const double ARROW_PART = 1.0 / 128.0;

static bool snaps(const PoiseApp* app) {
    return (app->mods & POISE_MOD_CTRL) != 0;
}

int poise__app_picked_body(const PoiseApp* app, const PoisePick* pick) {
    const PoiseSimulation* simulation = app->session.simulation;
    if (pick->kind == POISE_PICK_POINT) {
        return poise_simulation_point(simulation, pick->index).body;
    }
    return pick->kind == POISE_PICK_SHAPE
               ? poise_simulation_shape(simulation, pick->index).body_index
               : -1;
}

static PoisePointer pointer_at(const PoiseApp* app, double x, double y) {
    return (PoisePointer){&app->camera, x, y};
}

/// Returns the cell of a grid for positions, m: a power of 2, at most `part` of a pixel at `place`;
/// 0 behind the eye. A replay of positions on a grid is short (poise/replay.h).
static double grid_at(const PoiseApp* app, PoiseVec3 place, double part) {
    const double unit = part * poise__camera_unit_at(&app->camera, place);
    return unit > 1e-9 && unit < 1e9 ? ldexp(1.0, ilogb(unit)) : 0.0;
}

/// Rounds a coordinate to the grid. Adds 0, because a replay writes -0 in full length.
static double rounded(double value, double grid) {
    return grid * round(value / grid) + 0.0;
}

/// Rounds the coordinates that a drag along an arrow moved.
static PoiseVec3 round_on_arrow(const PoiseApp* app, PoiseVec3 place, PoiseVec3 start) {
    const double grid = grid_at(app, place, ARROW_PART);
    if (!(grid > 0.0)) {
        return place;
    }
    return poise_vec3(place.x == start.x ? place.x : rounded(place.x, grid),
                      place.y == start.y ? place.y : rounded(place.y, grid),
                      place.z == start.z ? place.z : rounded(place.z, grid));
}

/// Rounds a position in the plane of a drag. The coordinate that is nearest to the plane's normal
/// is computed from the two others, so that a replay can predict it.
static PoiseVec3 round_in_plane(const PoiseApp* app, PoiseVec3 place, const PoiseDrag* plane) {
    const double grid = grid_at(app, place, 1.0);
    const double start[3] = {plane->start.x, plane->start.y, plane->start.z};
    const double normal[3] = {plane->normal.x, plane->normal.y, plane->normal.z};
    double at[3] = {place.x, place.y, place.z};
    if (!(grid > 0.0) || poise_length(poise_sub(place, plane->start)) <= 0.0) {
        return place;
    }
    int third = 0;
    for (int i = 1; i < 3; i++) {
        third = fabs(normal[i]) > fabs(normal[third]) ? i : third;
    }
    double along = 0.0;
    for (int i = 0; i < 3; i++) {
        if (i != third) {
            at[i] = rounded(at[i], grid);
            along += normal[i] * (at[i] - start[i]);
        }
    }
    at[third] = rounded(start[third] - along / normal[third], grid);
    return poise_vec3(at[0], at[1], at[2]);
}

/// Returns the position to which the pointer drags a point of a link.
static PoiseVec3 dragged_place(const PoiseApp* app, double x, double y) {
    const PoiseDrag* plane = &app->hand.plane;
    return round_in_plane(app, poise__drag_place(plane, pointer_at(app, x, y)), plane);
}

static PoiseVec3 in_body(const PoiseApp* app, int body, PoiseVec3 place) {
    PoisePose pose = poise_simulation_body(app->session.simulation, body).pose_world;
    return poise_quat_unrotate(pose.q, poise_sub(place, pose.p));
}

/// True if IK can move the body, because a joint of the tree carries it.
static bool is_moved_by_ik(const PoiseApp* app, int body) {
    int joint = poise_simulation_body(app->session.simulation, body).joint;
    return poise_simulation_joint_node(app->session.simulation, joint).index1 != 0;
}

PoiseGizmoPart poise__app_gizmo_part(const PoiseApp* app, double x, double y) {
    if (app->highlight.selected < 0) {
        return POISE_GIZMO_NONE;
    }
    PoisePointView point = poise_simulation_point(app->session.simulation, app->highlight.selected);
    if (point.removed || !point.enabled) {
        return POISE_GIZMO_NONE;
    }
    return poise__gizmo_pick(&app->camera, poise__gizmo_frame(&point, app->highlight.own_axes),
                             point.turns, x, y);
}

// ----------------------------------------------------------------------------------------- targets

static void move_target(PoiseApp* app, double x, double y) {
    PoiseHand* hand = &app->hand;
    PoisePose pose = poise__gizmo_pose(&hand->gizmo, pointer_at(app, x, y), snaps(app));
    const bool turns = poise__gizmo_is_ring(hand->gizmo.part);
    if (!turns && !snaps(app)) {
        pose.p = poise__gizmo_is_arrow(hand->gizmo.part)
                     ? round_on_arrow(app, pose.p, hand->gizmo.start.p)
                     : round_in_plane(app, pose.p, &hand->gizmo.plane);
    }
    PoiseChange change = {.kind = turns ? POISE_CHANGE_TURN : POISE_CHANGE_HOLD,
                          .index = hand->point,
                          .place = pose.p,
                          .turn = pose.q};
    poise__app_change(app, &change);
}

bool poise__app_take_target(PoiseApp* app, int index, PoiseGizmoPart part, double x, double y) {
    PoisePointView point = poise_simulation_point(app->session.simulation, index);
    bool turns = poise__gizmo_is_ring(part);
    if (turns ? !point.turns : !point.has_position) {
        return false;
    }
    PoiseHand hand = {.grip = POISE_GRIP_TARGET, .point = index, .press_x = x, .press_y = y};
    if (!poise__gizmo_begin(&hand.gizmo, pointer_at(app, x, y), point.goal_world,
                            poise__gizmo_frame(&point, app->highlight.own_axes).q, part)) {
        return false;
    }
    app->hand = hand;
    poise__timeline_edit_begin(&app->timeline);
    app->highlight.held = index;
    app->highlight.selected = index;
    app->highlight.part = part;
    return true;
}

// ------------------------------------------------------------------------------------------- links

int poise__app_add_point(PoiseApp* app, PoisePick pick) {
    int body = poise__app_picked_body(app, &pick);
    if (body < 0 || !is_moved_by_ik(app, body)) {
        poise__app_say(app, "no joint of IK carries this body: a control point could not move it");
        return POISE_ERROR_CANNOT_MOVE;
    }
    PoiseChange change = {
        .kind = POISE_CHANGE_ADD, .index = body, .place = in_body(app, body, pick.place)};
    int point = poise__app_edit(app, &change);
    if (point >= 0) {
        app->highlight.selected = point;
    }
    return point;
}

/// Sets the weight of a control point that the drag has added.
static void set_weight(PoiseApp* app, int point, double weight) {
    poise__app_set(app, weight, "control_points.%.100s.weight",
                   poise_simulation_point(app->session.simulation, point).name);
}

/// Adds a control point to the pressed link, because the press has become a drag.
static void hold_link(PoiseApp* app) {
    PoiseHand* hand = &app->hand;
    PoiseChange change = {.kind = POISE_CHANGE_ADD, .index = hand->body, .place = hand->in_body};
    if (hand->pinned) {
        poise__timeline_edit_begin(&app->timeline);
    }
    int point = poise__app_change(app, &change);
    if (point < 0) {
        app->hand.grip = POISE_GRIP_NONE;
        return;
    }
    set_weight(app, point, HAND_WEIGHT);
    hand->grip = POISE_GRIP_LINK;
    hand->point = point;
    app->highlight.held = point;
    if (hand->pinned) {
        app->highlight.selected = point;
    }
}

static void move_link(PoiseApp* app, double x, double y) {
    PoiseChange change = {
        .kind = POISE_CHANGE_HOLD, .index = app->hand.point, .place = dragged_place(app, x, y)};
    poise__app_change(app, &change);
}

static void move_pull(PoiseApp* app, double x, double y) {
    PoiseChange change = {.kind = POISE_CHANGE_PULL,
                          .index = app->hand.body,
                          .place = app->hand.in_body,
                          .to = dragged_place(app, x, y)};
    poise__app_change(app, &change);
}

bool poise__app_take(PoiseApp* app, PoiseGesture gesture, PoisePick pick, double x, double y) {
    int body = poise__app_picked_body(app, &pick);
    if (body < 0) {
        return false; // the environment cannot move
    }
    PoiseHand hand = {.grip = POISE_GRIP_WAITING,
                      .body = body,
                      .in_body = in_body(app, body, pick.place),
                      .pinned = gesture == POISE_GESTURE_PIN,
                      .press_x = x,
                      .press_y = y};
    if (!poise__drag_begin(&hand.plane, pointer_at(app, x, y), pick.place)) {
        return false;
    }
    app->hand = hand;
    // a body that no joint of IK carries can only be pulled by a spring
    if (gesture == POISE_GESTURE_PULL || !is_moved_by_ik(app, body)) {
        app->hand.grip = POISE_GRIP_PULL;
        move_pull(app, x, y);
    } else if (hand.pinned) {
        hold_link(app);
    }
    return true;
}

/// Turns the press into a drag. A goal that moves by itself is grabbed at its present position.
static void begin_drag(PoiseApp* app, double x, double y) {
    PoiseHand* hand = &app->hand;
    hand->drags = true;
    if (hand->grip == POISE_GRIP_WAITING) {
        hold_link(app);
    } else if (hand->grip == POISE_GRIP_TARGET) {
        const PoisePointView point = poise_simulation_point(app->session.simulation, hand->point);
        const PoisePose frame = poise__gizmo_frame(&point, app->highlight.own_axes);
        if (memcmp(&point.goal_world, &hand->gizmo.start, sizeof point.goal_world) != 0) {
            PoiseGizmoDrag again;
            if (poise__gizmo_begin(&again, pointer_at(app, x, y), point.goal_world, frame.q,
                                   hand->gizmo.part)) {
                hand->gizmo = again;
            }
        }
    }
}

void poise__app_move_hand(PoiseApp* app, double x, double y) {
    PoiseHand* hand = &app->hand;
    if (!hand->drags && hypot(x - hand->press_x, y - hand->press_y) >= DRAG_THRESHOLD) {
        begin_drag(app, x, y);
    }
    switch (hand->grip) {
    case POISE_GRIP_TARGET:
        if (hand->drags) {
            move_target(app, x, y);
        }
        break;
    case POISE_GRIP_LINK:
        move_link(app, x, y);
        break;
    case POISE_GRIP_PULL:
        move_pull(app, x, y);
        break;
    case POISE_GRIP_YIELDING:
        if (hand->drags) {
            poise__app_pull_yielding(app, x, y);
        }
        break;
    case POISE_GRIP_WAITING:
    case POISE_GRIP_NONE:
        break;
    }
}

static void empty_hand(PoiseApp* app) {
    app->hand.grip = POISE_GRIP_NONE;
    app->highlight.held = -1;
    app->highlight.part = POISE_GIZMO_NONE;
    app->gesture = POISE_GESTURE_NONE;
}

static PoiseVec3 goal_of_hand(const PoiseApp* app) {
    return poise_simulation_point(app->session.simulation, app->hand.point).goal_world.p;
}

void poise__app_drop_hand(PoiseApp* app) {
    PoiseChange change = {.kind = POISE_CHANGE_NONE};
    switch (app->hand.grip) {
    case POISE_GRIP_TARGET:
        if (app->hand.drags) {
            poise__camera_show(&app->camera, goal_of_hand(app));
        }
        break;
    case POISE_GRIP_LINK:
        if (app->hand.pinned) {
            set_weight(app, app->hand.point, 1.0);
            poise__camera_show(&app->camera, goal_of_hand(app));
        } else {
            change = (PoiseChange){.kind = POISE_CHANGE_REMOVE, .index = app->hand.point};
        }
        break;
    case POISE_GRIP_PULL:
        change.kind = POISE_CHANGE_LET_GO;
        break;
    case POISE_GRIP_YIELDING:
        poise__app_drop_yielding(app);
        break;
    case POISE_GRIP_WAITING:
    case POISE_GRIP_NONE:
        break;
    }
    // a point that is removed when it is released leaves nothing to undo
    if (app->hand.grip != POISE_GRIP_NONE) {
        poise__timeline_edit_end(&app->timeline, change.kind == POISE_CHANGE_NONE);
    }
    if (change.kind != POISE_CHANGE_NONE) {
        poise__app_change(app, &change);
    }
    empty_hand(app);
}

void poise__app_cancel_hand(PoiseApp* app) {
    if (app->hand.grip == POISE_GRIP_TARGET) {
        if (poise__timeline_edit_end(&app->timeline, true)) {
            poise__timeline_take_back(&app->timeline);
        }
        empty_hand(app);
        return;
    }
    if (app->hand.grip == POISE_GRIP_LINK && app->hand.pinned) {
        app->hand.pinned = false;
        app->highlight.selected = -1;
    }
    poise__app_drop_hand(app);
}
