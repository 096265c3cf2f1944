// SPDX-License-Identifier: MIT
// What keys and mouse do: events become actions through the table, actions change the app.
#include <string.h>

#include "app.h"

static void move_held_goal(PoiseApp* app, double x, double y) {
    if (!app->drag.active) {
        return;
    }
    PoiseVec3 place = poise__drag_place(&app->drag, &app->camera, x, y);
    if (poise_simulation_hold_goal(app->session.simulation, app->drag.point, place) >= 0) {
        app->held[app->drag.point] = true;
    }
}

static void begin_drag(PoiseApp* app, int index, double x, double y) {
    PoisePointView point = poise_simulation_point(app->session.simulation, index);
    if (!poise__drag_begin(&app->drag, &app->camera, index, point.goal_world.p, x, y)) {
        return;
    }
    app->drag.was_held = app->held[index];
    app->highlight.held = index;
    // a goal that moves by itself stops in the hand at once
    move_held_goal(app, x, y);
}

static void end_drag(PoiseApp* app) {
    app->drag.active = false;
    app->highlight.held = -1;
    app->gesture = POISE_ACTION_NONE;
}

static void cancel_drag(PoiseApp* app) {
    int point = app->drag.point;
    if (app->drag.was_held) {
        poise_simulation_hold_goal(app->session.simulation, point, app->drag.start);
    } else {
        poise_simulation_release_goal(app->session.simulation, point);
        app->held[point] = false;
    }
    end_drag(app);
}

static void release_goals(PoiseApp* app) {
    if (app->drag.active) {
        end_drag(app);
    }
    for (int i = 0; i < poise_simulation_point_count(app->session.simulation); i++) {
        if (app->held[i]) {
            poise_simulation_release_goal(app->session.simulation, i);
            app->held[i] = false;
        }
    }
}

static void restart(PoiseApp* app) {
    if (!poise__session_restart(&app->session, &app->trouble)) {
        app->pacing.paused = true;
        return;
    }
    if (app->drag.active) {
        end_drag(app);
    }
    memset(app->held, 0,
           (size_t)poise_simulation_point_count(app->session.simulation) * sizeof *app->held);
    poise__pacing_drop_backlog(&app->pacing);
    app->trouble.text[0] = '\0';
}

/// Pauses or goes on, or steps once; not after the simulation has stopped.
static void change_pace(PoiseApp* app, PoiseAction action) {
    if (app->trouble.text[0] != '\0') {
        return;
    }
    if (action == POISE_ACTION_STEP) {
        poise__pacing_step(&app->pacing);
    } else {
        poise__pacing_toggle_pause(&app->pacing);
    }
}

static void quit_or_cancel(PoiseApp* app) {
    if (app->drag.active) {
        cancel_drag(app);
    } else {
        app->requests |= POISE_REQUEST_QUIT;
    }
}

void poise__app_act(PoiseApp* app, PoiseAction action) {
    switch (action) {
    case POISE_ACTION_PAUSE:
    case POISE_ACTION_STEP:
        change_pace(app, action);
        break;
    case POISE_ACTION_RESTART:
        restart(app);
        break;
    case POISE_ACTION_FASTER:
        poise__pacing_change_speed(&app->pacing, 1);
        break;
    case POISE_ACTION_SLOWER:
        poise__pacing_change_speed(&app->pacing, -1);
        break;
    case POISE_ACTION_RELEASE:
        release_goals(app);
        break;
    case POISE_ACTION_FRAME:
        poise__camera_frame(&app->camera, poise__bounds_of_simulation(app->session.simulation));
        break;
    case POISE_ACTION_SCREENSHOT:
        app->requests |= POISE_REQUEST_SCREENSHOT;
        break;
    case POISE_ACTION_HELP:
        app->requests |= POISE_REQUEST_HELP;
        break;
    case POISE_ACTION_QUIT:
        quit_or_cancel(app);
        break;
    case POISE_ACTION_NONE:
    case POISE_ACTION_DRAG_GOAL:
    case POISE_ACTION_ORBIT:
    case POISE_ACTION_PAN:
    case POISE_ACTION_ZOOM:
    case POISE_ACTION_COUNT:
        break; // gestures: see on_pointer and on_wheel
    }
}

/// The action of a gesture with these modifiers, or without where none is bound with them.
static PoiseAction gesture_action(int gesture, int mods) {
    PoiseAction action = poise__action_for(gesture, mods);
    return action != POISE_ACTION_NONE ? action : poise__action_for(gesture, 0);
}

static void on_press(PoiseApp* app, const PoiseEvent* event) {
    static const int gestures[] = {[POISE_BUTTON_LEFT] = POISE_MOUSE_LEFT,
                                   [POISE_BUTTON_RIGHT] = POISE_MOUSE_RIGHT,
                                   [POISE_BUTTON_MIDDLE] = POISE_MOUSE_MIDDLE};
    if (app->gesture != POISE_ACTION_NONE || event->code < 0 || event->code > POISE_BUTTON_MIDDLE) {
        return; // one gesture at a time
    }
    PoisePick pick = {.kind = POISE_PICK_NONE};
    int gesture = gestures[event->code];
    if (event->code == POISE_BUTTON_LEFT) {
        pick = poise__pick(app->session.simulation, &app->camera, event->x, event->y);
        gesture = pick.kind == POISE_PICK_GOAL ? POISE_MOUSE_LEFT_ON_GOAL : gesture;
    }
    app->gesture = gesture_action(gesture, event->mods);
    app->gesture_button = event->code;
    if (app->gesture == POISE_ACTION_DRAG_GOAL) {
        begin_drag(app, pick.index, event->x, event->y);
    }
}

static void on_pointer(PoiseApp* app, double x, double y) {
    double dx = x - app->pointer_x;
    double dy = y - app->pointer_y;
    app->pointer_x = x;
    app->pointer_y = y;
    if (app->gesture == POISE_ACTION_DRAG_GOAL) {
        move_held_goal(app, x, y);
    } else if (app->gesture == POISE_ACTION_ORBIT) {
        poise__camera_orbit(&app->camera, dx, dy);
    } else if (app->gesture == POISE_ACTION_PAN) {
        poise__camera_pan(&app->camera, dx, dy);
    }
}

static void on_button(PoiseApp* app, const PoiseEvent* event) {
    on_pointer(app, event->x, event->y);
    if (event->pressed) {
        on_press(app, event);
    } else if (app->gesture != POISE_ACTION_NONE && app->gesture_button == event->code) {
        end_drag(app);
    }
}

static void on_key(PoiseApp* app, const PoiseEvent* event) {
    PoiseAction action = poise__action_for(event->code, event->mods);
    if (event->pressed && (!event->repeated || action == POISE_ACTION_STEP)) {
        poise__app_act(app, action);
    }
}

static void on_wheel(PoiseApp* app, double notches) {
    if (poise__action_for(POISE_MOUSE_WHEEL, 0) == POISE_ACTION_ZOOM) {
        poise__camera_zoom(&app->camera, notches);
        move_held_goal(app, app->pointer_x, app->pointer_y);
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
        on_wheel(app, event->y);
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
    }
}
