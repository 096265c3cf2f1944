// SPDX-License-Identifier: MIT
// The viewer without its window. Events and time come in; a draw list and panels go out. It runs
// the same in a window, without a display and in a test.
#ifndef POISE_APP_H
#define POISE_APP_H

#include "actions.h"
#include "bookmarks.h"
#include "hand.h"
#include "pacing.h"
#include "scene_view.h"
#include "ui.h"
#include "watch.h"

/// Requests to the program that runs the app, one bit each. The app cannot serve them by itself.
enum {
    POISE_REQUEST_QUIT = 1,
    POISE_REQUEST_SCREENSHOT = 2,
    POISE_REQUEST_HELP = 4,
    POISE_REQUEST_RECORD = 8,
    POISE_REQUEST_SCRIPT = 16,
    POISE_REQUEST_CSV = 32,
    POISE_REQUEST_REPLAY = 64
};

/// The popup that is open over the panels.
typedef enum PoisePopup {
    POISE_POPUP_NONE = 0,
    POISE_POPUP_HELP,
    POISE_POPUP_SCENES,
    POISE_POPUP_PALETTE,
    POISE_POPUP_WATCH,
    POISE_POPUP_VALUE
} PoisePopup;

/// A joint that is set by its sliders.
typedef struct PoiseJointHand {
    /// Index of the joint that was set last; -1: none.
    int joint;
    /// True while one of its numbers is being changed.
    bool held;
    /// The coordinates that were set.
    double q[POISE_MAX_NQ];
    /// The numbers that the panel shows for `q`; see poise_joint_vector.
    double shown[3];
    /// Time of the last change, on the app's own clock, s.
    double changed;
    /// True if a message has named the control point that holds the joint back.
    bool said;
} PoiseJointHand;

/// The slider that moves joints without moving any control point (null space of J).
typedef struct PoiseFreeMotion {
    /// Index of the control point whose joints move, and the column of the Jacobian that the slider
    /// moves; -1: none.
    int point;
    int column;
    /// Displacement of this column's joint by the slider, rad or m.
    double turned;
} PoiseFreeMotion;

/// The state of the panels that lasts from frame to frame.
typedef struct PoisePanels {
    PoisePopup popup;
    bool popup_opened;
    char filter[POISE_OVERRIDE_LENGTH];
    /// Index of the row in the popup's list that Enter selects.
    int row;
    /// Number of sweeps in the solver's panel; `by_hand` is true while a person steps through them.
    int sweeps;
    bool by_hand;
    PoiseFocus focus;
    /// Files that match the path typed into the list of scenes.
    PoiseSceneList found;
    /// True if the text field of the popup gets the keyboard again; its text stays.
    bool refocus;
    /// True while the time bar is held; `scrub` is its time, s.
    bool scrubbing;
    double scrub;
    /// Roll, pitch and yaw of the selected goal, degrees. Valid while one of them is being dragged.
    PoiseVec3 turn;
    bool turning;
    PoiseJointHand joint;
    PoiseFreeMotion free;
} PoisePanels;

/// The state for which the ellipsoid of a compliance was computed.
typedef struct PoiseYieldingState {
    /// Index of the point; -1: none was computed.
    int point;
    /// State of the run: log_done and revision of PoiseTimeline, number of steps, and time on the
    /// app's own clock, s.
    int log;
    long revision;
    long step;
    double wall;
    /// Computing time of the last forecast, s; 0 if PoiseApp.clock is NULL.
    double took;
    /// Time of the last design on the app's own clock, s, and PoiseTimeline.revision after it.
    double designed;
    long answered;
    /// Number of frames, with this one, until the forecast after a design; 0: none is due. A frame
    /// has time for either the design or the forecast.
    int frames_to_forecast;
} PoiseYieldingState;

enum { POISE_CAPTION = 256 };

typedef struct PoiseApp {
    PoiseSession session;
    PoiseTimeline timeline;
    PoiseSceneView view;
    PoiseCamera camera;
    PoisePacing pacing;
    PoiseInput input;
    PoiseHand hand;
    PoiseHighlight highlight;
    PoiseDrawList list;
    PoiseWatch watch;
    PoiseBookmarks bookmarks;
    PoisePanels panels;
    PoiseYieldingState yielding;
    PoiseSceneList scenes;
    /// Scenes opened last. They are saved between runs if `keeps_recent`.
    PoiseSceneList recent;
    bool keeps_recent;
    /// True if the app checks the scene's files regularly, and reads them again after a save.
    bool follows_files;
    /// Time of the last check of the files, on the app's own clock, s.
    double last_check;
    /// Why a file could not be opened or read again; empty if the last one could.
    PoiseFindings open_error;
    /// Panels and letters, borrowed. NULL: neither is shown.
    PoiseUi* ui;
    /// True if a panel took the last press; the panel gets the following pointer events too.
    bool ui_has_pointer;
    /// Action of the pressed button, and the button's code.
    PoiseGesture gesture;
    int gesture_button;
    double pointer_x;
    double pointer_y;
    /// True after the first pointer event. Always false in pictures.
    bool has_pointer;
    int mods;
    /// True if the next press on a link adds a control point.
    bool adding;
    /// The last press: its time on the app's own clock, s, and its position. A second press near it
    /// is a double click.
    double last_press;
    double last_press_x;
    double last_press_y;
    double wall;
    /// Simulated seconds per second of wall clock, averaged over half a second; 0: not measured
    /// yet.
    double measured_speed;
    /// True if robots are shown by the meshes of their files, in place of their collision shapes.
    bool shows_looks;
    /// Body that the camera follows, and its centre of mass in the frame before, world, m; -1: no
    /// body.
    int followed;
    PoiseVec3 followed_at;
    /// POISE_REQUEST bits. The program that serves a request clears its bit.
    unsigned requests;
    /// True while a film is being recorded. The program that records sets it.
    bool recording;
    /// True if the picture goes into a film: messages and key hints are not shown then.
    bool filmed;
    /// True if each frame makes all steps that are due, however long that takes.
    bool makes_all_steps;
    /// Path of the script that runs; NULL: none.
    const char* script;
    /// Why the simulation stopped; empty while it runs.
    PoiseNote trouble;
    /// A message, shown until `message_until` on the app's own clock.
    PoiseNote message;
    double message_until;
    /// A line below the picture; names in braces are shown as their present values; empty: none.
    char caption[POISE_CAPTION];
    /// Returns wall-clock time, s. Limits how long a frame makes steps; NULL: no limit.
    double (*clock)(void* user);
    void* clock_user;
} PoiseApp;

/// Takes ownership of the session. Returns false, with the session closed, when memory is short.
bool poise__app_init(PoiseApp* app, PoiseSession session);
void poise__app_finish(PoiseApp* app);
/// Sets up all that belongs to one scene. Returns false when memory is short.
bool poise__app_begin_scene(PoiseApp* app);
void poise__app_end_scene(PoiseApp* app);

// app_open.c: opens another scene.
/// Shows a recorded run from its start; otherwise as poise__app_open.
bool poise__app_open_replay(PoiseApp* app, const char* path);
/// Shows another scene, or a recorded run. If it cannot be read the present one stays, and
/// `open_error` says why. The settings of view and panels stay.
bool poise__app_open(PoiseApp* app, const char* path);

/// Checks, at most four times a second, if the scene's files were saved. A file that can be read
/// replaces the run, at the same pose. Otherwise the run continues and `open_error` says why.
/// Returns true if a file was read or refused.
bool poise__app_follow_files(PoiseApp* app);
/// Reads the scene's files again, in their present state.
bool poise__app_read_again(PoiseApp* app);

/// Starts the scene again with one value replaced, "world.step=0.002". If that fails, the present
/// run stays and `note` says why. The camera stays.
bool poise__app_open_with(PoiseApp* app, const char* override, PoiseNote* note);

/// True if a file may be written at the path. False, and `note` says why, if it would replace the
/// script or a file that the scene was read from.
bool poise__app_may_write(PoiseApp* app, const char* path, PoiseNote* note);

// app_bookmarks.c: views and poses of this scene. They are saved between runs if `keeps_recent`.
/// Saves the present view or pose as a bookmark; `kind` is a PoiseBookmarkKind.
void poise__app_keep(PoiseApp* app, int kind);
/// Shows the view, or sets the pose, of this index; poise__app_show_next: the next index.
void poise__app_show_bookmark(PoiseApp* app, PoiseBookmarkKind kind, int index);
void poise__app_show_next(PoiseApp* app, int kind);

/// Serves the events of one frame, then makes the steps that are due after `wall_seconds`.
void poise__app_frame(PoiseApp* app, double wall_seconds);
/// Serves one event.
void poise__app_event(PoiseApp* app, const PoiseEvent* event);
/// Carries an action out; NULL and gestures do nothing.
void poise__app_act(PoiseApp* app, const PoiseAction* action);
/// Carries the action of this name out; does nothing if there is none.
void poise__app_do(PoiseApp* app, const char* name);

/// Stops the run for good and stores the reason in `trouble`. Returns false.
bool poise__app_stop(PoiseApp* app, const char* reason);
/// Makes one step. Returns false when the simulation cannot continue; `trouble` then says why.
bool poise__app_step(PoiseApp* app);
/// Makes steps until the simulation's time is `time` s, to the nearest step. Returns false when the
/// simulation cannot continue; `trouble` then says why.
bool poise__app_run_to(PoiseApp* app, double time);
/// Goes to a time, s, forward or back. Going back pauses the run.
bool poise__app_go(PoiseApp* app, double time);

/// Applies a change and logs it; shows a message if the change fails. Returns the result of
/// poise_simulation_change.
int poise__app_change(PoiseApp* app, const PoiseChange* change);
/// Applies a change like poise__app_change; the change can be undone.
int poise__app_edit(PoiseApp* app, const PoiseChange* change);
/// Sets the parameter whose key is printed by `format`, unless it has this value already. Returns
/// the result of poise__app_change, or POISE_ERROR_INVALID_ARGUMENT if the scene has no such
/// parameter.
int poise__app_set(PoiseApp* app, double value, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// Shows a message in the window's corner for a few seconds.
void poise__app_say(PoiseApp* app, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// Writes one line for a window's title: the scene, its time, its speed and its state.
void poise__app_title(const PoiseApp* app, char text[256]);

// app_drag.c: the hand (hand.h). Each of these functions serves an event of the pointer.
/// Takes the picked body in the manner of `gesture`. Returns false if nothing can be taken.
bool poise__app_take(PoiseApp* app, PoiseGesture gesture, PoisePick pick, double x, double y);
/// Takes a part of a target's gizmo. Returns false if the target has no such goal.
bool poise__app_take_target(PoiseApp* app, int point, PoiseGizmoPart part, double x, double y);
void poise__app_move_hand(PoiseApp* app, double x, double y);
void poise__app_drop_hand(PoiseApp* app);
/// Releases the hand and undoes its changes.
void poise__app_cancel_hand(PoiseApp* app);
// app_yielding.c: the ellipsoid of a compliance.
/// Computes the ellipsoid again if it is shown and springs, goals or bodies have changed; while the
/// bodies move at most four times a second.
void poise__app_refresh_yielding(PoiseApp* app);
/// Forecasts the rest of a point. Returns false, with the reason in `why`, if none is known.
bool poise__app_foresee(const PoiseApp* app, int index, PoiseForecast* forecast,
                        char why[POISE_FORECAST_WHY]);
/// Returns the end of the ellipsoid at this position; -1: none.
int poise__app_yielding_end(const PoiseApp* app, double x, double y);
/// Takes an axis at one of its ends. Returns false if the axis points at the eye.
bool poise__app_take_yielding(PoiseApp* app, int end, double x, double y);
/// Asks for another compliance along the held axis. The springs follow at most ten times a second.
void poise__app_pull_yielding(PoiseApp* app, double x, double y);
/// Releases the axis. The springs get the compliance that was asked for last.
void poise__app_drop_yielding(PoiseApp* app);

/// Returns the part of the selected target's gizmo at this position; POISE_GIZMO_NONE: none.
PoiseGizmoPart poise__app_gizmo_part(const PoiseApp* app, double x, double y);
/// Adds a control point that stays. Returns its index, or a negative status.
int poise__app_add_point(PoiseApp* app, PoisePick pick);
/// Returns the body of a pick; -1: none.
int poise__app_picked_body(const PoiseApp* app, const PoisePick* pick);

#endif
