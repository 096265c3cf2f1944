// SPDX-License-Identifier: MIT
// The viewer without its window: events and time come in, a draw list goes out. Runs the same in a
// window, without a display, and in a test.
#ifndef POISE_APP_H
#define POISE_APP_H

#include "actions.h"
#include "drag.h"
#include "pacing.h"
#include "scene_view.h"
#include "session.h"

/// What the app cannot do by itself and asks of whoever runs it, a bit each.
enum { POISE_REQUEST_QUIT = 1, POISE_REQUEST_SCREENSHOT = 2, POISE_REQUEST_HELP = 4 };

typedef struct PoiseApp {
    PoiseSession session;
    PoiseSceneView view;
    PoiseCamera camera;
    PoisePacing pacing;
    PoiseInput input;
    PoiseDrag drag;
    PoiseHighlight highlight;
    PoiseDrawList list;
    /// Whether each point's goal is in the person's hands.
    bool* held;
    /// What the button that is down does, and which it is.
    PoiseAction gesture;
    int gesture_button;
    double pointer_x;
    double pointer_y;
    /// To be cleared by whoever serves them.
    unsigned requests;
    /// Why the simulation stopped; empty while it runs.
    PoiseNote trouble;
    /// Wall clock, s, to keep a frame from stepping for longer than it takes to show; NULL: no
    /// limit.
    double (*clock)(void* user);
    void* clock_user;
} PoiseApp;

/// Takes over the session. False when memory is short; the session is closed then.
bool poise__app_init(PoiseApp* app, PoiseSession session);
void poise__app_finish(PoiseApp* app);

/// Serves the events of one frame, then steps what is due after `wall_seconds`.
void poise__app_frame(PoiseApp* app, double wall_seconds);
/// Serves one event.
void poise__app_event(PoiseApp* app, const PoiseEvent* event);
void poise__app_act(PoiseApp* app, PoiseAction action);

/// Steps until the simulation's time is `time`, to the nearest step. False when it cannot go on:
/// see `trouble`.
bool poise__app_run_to(PoiseApp* app, double time);

/// The draw list of now; the app keeps it.
const PoiseDrawList* poise__app_draw(PoiseApp* app);
/// One line on what is shown and how, for a window's title.
void poise__app_title(const PoiseApp* app, char text[256]);

#endif
