// SPDX-License-Identifier: MIT
// Handles events of keys and mouse: looks up their actions in the table of action_table.c, and
// starts gestures.
#include "app.h"

/// Largest time (s) and distance (window units) between the two presses of a double click.
static const double DOUBLE_TIME = 0.4;
static const double DOUBLE_UNITS = 5.0;

/// Returns the gesture of a part of the mouse with these modifiers, or without them if none is
/// bound.
static PoiseGesture gesture_at(int place, int mods) {
    const PoiseAction* action = poise__action_for(place, mods);
    action = action ? action : poise__action_for(place, 0);
    return action ? action->gesture : POISE_GESTURE_NONE;
}

static bool is_double(PoiseApp* app, const PoiseEvent* event) {
    bool near = hypot(event->x - app->last_press_x, event->y - app->last_press_y) < DOUBLE_UNITS;
    bool soon = app->wall - app->last_press < DOUBLE_TIME && app->last_press > 0.0;
    app->last_press = near && soon ? 0.0 : app->wall;
    app->last_press_x = event->x;
    app->last_press_y = event->y;
    return near && soon;
}

/// Grabs the thing under the left button. Returns the gesture; POISE_GESTURE_NONE if only the view
/// can move.
static PoiseGesture begin_left_gesture(PoiseApp* app, const PoiseEvent* event) {
    PoisePick pick = poise__pick(app->session.simulation, &app->camera, event->x, event->y);
    PoiseGizmoPart part = POISE_GIZMO_MIDDLE;
    int target = pick.kind == POISE_PICK_GOAL ? pick.index : -1;
    if (is_double(app, event)) {
        if (pick.kind != POISE_PICK_NONE) {
            app->camera.focus = pick.place;
        }
        return POISE_GESTURE_LOOK_AT;
    }
    if (app->adding) {
        if (poise__app_picked_body(app, &pick) >= 0) {
            app->adding = false;
            poise__app_add_point(app, pick);
        } else {
            poise__app_say(app, "no link is there: press on one (Esc cancels)");
        }
        return POISE_GESTURE_LOOK_AT; // the further motion of this press does nothing
    }
    const int end = poise__app_yielding_end(app, event->x, event->y);
    if (end >= 0 && poise__app_take_yielding(app, end, event->x, event->y)) {
        return gesture_at(POISE_MOUSE_LEFT_ON_GOAL, event->mods);
    }
    if (target < 0) {
        part = poise__app_gizmo_part(app, event->x, event->y);
        target = part != POISE_GIZMO_NONE ? app->highlight.selected : -1;
    }
    if (target >= 0) {
        PoiseGesture gesture = gesture_at(POISE_MOUSE_LEFT_ON_GOAL, event->mods);
        return poise__app_take_target(app, target, part, event->x, event->y) ? gesture
                                                                             : POISE_GESTURE_NONE;
    }
    if (pick.kind != POISE_PICK_NONE && !(event->mods & POISE_MOD_ALT)) {
        PoiseGesture gesture = gesture_at(POISE_MOUSE_LEFT_ON_LINK, event->mods);
        if (poise__app_take(app, gesture, pick, event->x, event->y)) {
            return gesture;
        }
    }
    return POISE_GESTURE_NONE;
}

static void on_press(PoiseApp* app, const PoiseEvent* event) {
    static const int places[] = {[POISE_BUTTON_LEFT] = POISE_MOUSE_LEFT,
                                 [POISE_BUTTON_RIGHT] = POISE_MOUSE_RIGHT,
                                 [POISE_BUTTON_MIDDLE] = POISE_MOUSE_MIDDLE};
    if (app->gesture != POISE_GESTURE_NONE || event->code < 0 ||
        event->code > POISE_BUTTON_MIDDLE) {
        return; // a second gesture has to wait for the end of the first
    }
    app->gesture_button = event->code;
    PoiseGesture gesture = POISE_GESTURE_NONE;
    if (event->code == POISE_BUTTON_LEFT) {
        gesture = begin_left_gesture(app, event);
    }
    app->gesture =
        gesture != POISE_GESTURE_NONE ? gesture : gesture_at(places[event->code], event->mods);
}

static void on_pointer(PoiseApp* app, double x, double y) {
    double dx = x - app->pointer_x;
    double dy = y - app->pointer_y;
    app->pointer_x = x;
    app->pointer_y = y;
    app->has_pointer = true;
    if (dx == 0.0 && dy == 0.0) {
        return;
    }
    if (app->hand.grip != POISE_GRIP_NONE) {
        poise__app_move_hand(app, x, y);
    } else if (app->gesture == POISE_GESTURE_ORBIT) {
        poise__camera_orbit(&app->camera, dx, dy);
    } else if (app->gesture == POISE_GESTURE_PAN) {
        poise__camera_pan(&app->camera, dx, dy);
    }
}

static void on_button(PoiseApp* app, const PoiseEvent* event) {
    app->mods = event->mods;
    on_pointer(app, event->x, event->y);
    if (event->pressed) {
        on_press(app, event);
    } else if (app->gesture != POISE_GESTURE_NONE && app->gesture_button == event->code) {
        poise__app_drop_hand(app);
    }
}

static void on_key(PoiseApp* app, const PoiseEvent* event) {
    // Starts or ends snapping at once when Ctrl changes during a drag.
    int before = app->mods;
    app->mods = poise__mods_after(event);
    if (((before ^ app->mods) & POISE_MOD_CTRL) && app->hand.grip == POISE_GRIP_TARGET) {
        poise__app_move_hand(app, app->pointer_x, app->pointer_y);
    }
    const PoiseAction* action = poise__action_for(event->code, event->mods);
    if (!action && app->hand.grip != POISE_GRIP_NONE) {
        // Ctrl and Shift modify a drag, so they do not modify keys during it
        action = poise__action_for(event->code, event->mods & ~(POISE_MOD_CTRL | POISE_MOD_SHIFT));
    }
    if (event->pressed && (!event->repeated || (action && action->repeats))) {
        poise__app_act(app, action);
    }
}

void poise__app_event(PoiseApp* app, const PoiseEvent* event) {
    switch (event->kind) {
    case POISE_EVENT_POINTER:
        on_pointer(app, event->x, event->y);
        break;
    case POISE_EVENT_BUTTON:
        on_button(app, event);
        break;
    case POISE_EVENT_WHEEL:
        if (gesture_at(POISE_MOUSE_WHEEL, 0) == POISE_GESTURE_ZOOM) {
            poise__camera_zoom(&app->camera, event->y);
            poise__app_move_hand(app, app->pointer_x, app->pointer_y);
        }
        break;
    case POISE_EVENT_KEY:
        on_key(app, event);
        break;
    case POISE_EVENT_RESIZE:
        poise__camera_resize(&app->camera, event->x, event->y);
        break;
    case POISE_EVENT_CLOSE:
        app->requests |= POISE_REQUEST_QUIT;
        break;
    case POISE_EVENT_DROP:
        app->panels.popup = POISE_POPUP_NONE;
        poise__app_open(app, app->input.dropped);
        break;
    case POISE_EVENT_TEXT:
        break; // only text fields use text events
    }
}
