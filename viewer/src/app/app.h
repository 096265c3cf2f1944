// SPDX-License-Identifier: MIT
// The viewer without its window: events and time are its input, a draw list and panels its output.
// It runs the same in a window, without a display and in a test.
#ifndef POISE_APP_H
#define POISE_APP_H

#include "actions.h"
#include "bookmarks.h"
#include "hand.h"
#include "pacing.h"
#include "scene_view.h"
#include "ui.h"
#include "watched_values.h"

/// Requests that the app makes to the program that runs it, as it cannot carry them out itself; one
/// bit each.
enum {
    POISE_REQUEST_QUIT = 1,
    POISE_REQUEST_SCREENSHOT = 2,
    POISE_REQUEST_HELP = 4,
    POISE_REQUEST_RECORD = 8,
    POISE_REQUEST_SCRIPT = 16,
    POISE_REQUEST_CSV = 32,
    POISE_REQUEST_REPLAY = 64
};

/// The popup that is shown over the panels.
typedef enum PoisePopup {
    POISE_POPUP_NONE = 0,
    POISE_POPUP_HELP,
    POISE_POPUP_SCENES,
    POISE_POPUP_PALETTE,
    POISE_POPUP_WATCH,
    POISE_POPUP_VALUE
} PoisePopup;

/// A joint that a person sets by the sliders of its panel.
typedef struct PoiseJointHand {
    /// Index of the joint that was set last; -1: none.
    int joint;
    /// True while one of its sliders is being dragged.
    bool held;
    /// The coordinates that the sliders have set.
    double q[POISE_MAX_NQ];
    /// The numbers that the panel shows for `q` (poise_joint_vector).
    double shown[3];
    /// Time of the last change, on the app's own clock, s.
    double changed;
    /// True if a message has already named the control point that holds the joint back.
    bool said;
} PoiseJointHand;

/// The slider that moves joints without moving a control point (null space of J).
typedef struct PoiseFreeMotion {
    /// Index of the control point, and of the column of the Jacobian (an axis of one of its joints)
    /// that the slider moves; -1: none.
    int point;
    int column;
    /// Displacement by the slider about that axis, rad or m.
    double turned;
} PoiseFreeMotion;

/// The state of the panels that persists from frame to frame.
typedef struct PoisePanels {
    PoisePopup popup;
    bool popup_opened;
    char filter[POISE_OVERRIDE_LENGTH];
    /// Index of the row in the popup's list that Enter selects.
    int row;
    /// Number of sweeps that the solver's panel shows; `by_hand` is true while a person steps
    /// through them.
    int sweeps;
    bool by_hand;
    PoiseFocus focus;
    /// Files that match the path typed into the list of scenes.
    PoiseSceneList found;
    /// True if the popup's text field must get the keyboard focus again; its text stays.
    bool refocus;
    /// True while the time bar is dragged; `scrub` is the time at the pointer, s.
    bool scrubbing;
    double scrub;
    /// Roll, pitch and yaw of the selected goal, degrees; valid while one of their sliders is
    /// dragged (`turning`).
    PoiseVec3 turn;
    bool turning;
    PoiseJointHand joint;
    PoiseFreeMotion free;
} PoisePanels;

/// The state of the run for which the ellipsoid of a compliance was computed.
typedef struct PoiseYieldingState {
    /// Index of the point whose ellipsoid was computed; -1: none.
    int point;
    /// State of the run at the last forecast: log_done and revision of PoiseTimeline, number of
    /// steps, and time on the app's own clock, s.
    int log;
    long revision;
    long step;
    double wall;
    /// Computing time of the last forecast, s; 0 if PoiseApp.clock is NULL.
    double took;
    /// PoiseApp.wall after the last design of springs, s.
    double designed;
    long answered; ///< PoiseTimeline.revision after the last design
    /// Number of frames, including this one, until the forecast after a design; 0: no forecast is
    /// waited for. A frame has time for only one of both.
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
    /// Scenes that were opened last. They are saved between runs of the program if `keeps_recent`.
    PoiseSceneList recent;
    bool keeps_recent;
    /// True if the app checks the scene's files regularly, and reads them again after a save.
    bool follows_files;
    /// Time of the last check of the files, on the app's own clock, s.
    double last_check;
    /// Why a file could not be opened or read again; empty if reading succeeded.
    PoiseFindings open_error;
    /// The panels and their text, not owned. NULL: neither is shown.
    PoiseUi* ui;
    /// True if the last press was on a panel, which then also gets the following pointer events.
    bool ui_has_pointer;
    /// Gesture of the pressed button, and the button's code.
    PoiseGesture gesture;
    int gesture_button;
    double pointer_x;
    double pointer_y;
    /// True after the first pointer event. Always false in pictures.
    bool has_pointer;
    int mods;
    /// True if the next press on a link adds a control point.
    bool adding;
    /// Time of the last press on the app's own clock, s, and its position in the window. A second
    /// press soon and near is a double click.
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
    /// POISE_REQUEST bits. The program that carries out a request clears its bit.
    unsigned requests;
    /// True while a film is being recorded; set by the program that records.
    bool recording;
    /// True if the picture is part of a film: messages and key hints are then hidden.
    bool filmed;
    /// True if each frame makes all steps that are due, however long that takes.
    bool makes_all_steps;
    /// Path of the script that runs; NULL: none.
    const char* script;
    /// Why the simulation stopped for good; empty while it runs.
    PoiseNote trouble;
    /// A message, shown until `message_until` on the app's own clock.
    PoiseNote message;
    double message_until;
    /// A line of text below the picture. The present value replaces a name in braces. Empty: no
    /// line.
    char caption[POISE_CAPTION];
    /// Returns wall-clock time, s, which limits how long a frame makes steps; NULL: no limit.
    double (*clock)(void* user);
    void* clock_user;
} PoiseApp;

/// Becomes the owner of the session. Returns false, with the session closed, if memory runs out.
bool poise__app_init(PoiseApp* app, PoiseSession session);
void poise__app_finish(PoiseApp* app);
/// Sets up the state that belongs to one scene. Returns false if memory runs out.
bool poise__app_begin_scene(PoiseApp* app);
void poise__app_end_scene(PoiseApp* app);

// app_open.c: opens another scene.
/// Shows a recorded run from its start; all else as in poise__app_open.
bool poise__app_open_replay(PoiseApp* app, const char* path);
/// Shows another scene, or a recorded run. If its file cannot be read, the present one stays, and
/// `open_error` says why. The settings of view and panels stay.
bool poise__app_open(PoiseApp* app, const char* path);

/// Checks, at most four times a second, if the scene's files were saved. If they can be read,
/// starts a new run from them in the same pose. Otherwise the run continues and `open_error` says
/// why. Returns true if a file was read or refused.
bool poise__app_follow_files(PoiseApp* app);
/// Reads the scene's files again, and starts a new run.
bool poise__app_read_again(PoiseApp* app);

/// Starts the scene again with one value replaced, such as "world.step=0.002". If that fails, the
/// present run stays and `note` says why. The camera stays.
bool poise__app_open_with(PoiseApp* app, const char* override, PoiseNote* note);

/// True if a file may be written at the path. Returns false, and `note` says why, if it would
/// replace the running script or a file of the scene.
bool poise__app_may_write(PoiseApp* app, const char* path, PoiseNote* note);

// app_bookmarks.c: views and poses of this scene, which are saved between runs if `keeps_recent`.
/// Saves the present view or pose as a bookmark; `kind` is a PoiseBookmarkKind.
void poise__app_keep(PoiseApp* app, int kind);
/// poise__app_show_bookmark shows the view, or sets the pose, of the bookmark `index`;
/// poise__app_show_next that of the next one.
void poise__app_show_bookmark(PoiseApp* app, PoiseBookmarkKind kind, int index);
void poise__app_show_next(PoiseApp* app, int kind);

/// Handles the events of one frame, then makes the steps that are due after `wall_seconds`.
void poise__app_frame(PoiseApp* app, double wall_seconds);
/// Handles one event.
void poise__app_event(PoiseApp* app, const PoiseEvent* event);
/// Carries out an action; NULL and gestures do nothing.
void poise__app_act(PoiseApp* app, const PoiseAction* action);
/// Carries out the action of this name, if there is such an action.
void poise__app_do(PoiseApp* app, const char* name);

/// Stops the run for good and stores the reason in `trouble`. Returns false.
bool poise__app_stop(PoiseApp* app, const char* reason);
/// Makes one step. Returns false if the simulation cannot continue; `trouble` then says why.
bool poise__app_step(PoiseApp* app);
/// Makes steps until the simulation's time is `time` s, to the nearest step. Returns false if the
/// simulation cannot continue; `trouble` then says why.
bool poise__app_run_to(PoiseApp* app, double time);
/// Goes to a time, s, forward or back. Going back pauses the run. Returns false if the simulation
/// cannot continue.
bool poise__app_go(PoiseApp* app, double time);

/// Applies a change and logs it; shows a message if the change fails. Returns the result of
/// poise_simulation_change.
int poise__app_change(PoiseApp* app, const PoiseChange* change);
/// Applies a change like poise__app_change, and makes it an edit that can be undone.
int poise__app_edit(PoiseApp* app, const PoiseChange* change);
/// Sets the parameter whose key `format` prints, unless it has this value already. Returns the
/// result of poise__app_change, or POISE_ERROR_INVALID_ARGUMENT if the scene has no such parameter.
int poise__app_set(PoiseApp* app, double value, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// Shows a message in the window's corner for a few seconds.
void poise__app_say(PoiseApp* app, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// Writes one line for a window's title: the scene, its time, its speed and its state.
void poise__app_title(const PoiseApp* app, char text[256]);

// app_drag.c: grabs, moves and releases things (hand.h). Each of these functions handles a pointer
// event.
/// Grabs the picked body as `gesture` asks. Returns false if nothing can be grabbed.
bool poise__app_take(PoiseApp* app, PoiseGesture gesture, PoisePick pick, double x, double y);
/// Grabs a part of a target's gizmo. Returns false if the target has no such goal.
bool poise__app_take_target(PoiseApp* app, int point, PoiseGizmoPart part, double x, double y);
void poise__app_move_hand(PoiseApp* app, double x, double y);
void poise__app_drop_hand(PoiseApp* app);
/// Releases the grabbed thing and undoes its changes.
void poise__app_cancel_hand(PoiseApp* app);
// app_yielding.c: the ellipsoid of a compliance.
/// Computes the ellipsoid again if it is shown and springs, goals or bodies have changed; at most
/// four times a second while bodies move.
void poise__app_refresh_yielding(PoiseApp* app);
/// Forecasts the rest of the point `index`. Returns false, with the reason in `why`, if no rest is
/// known.
bool poise__app_foresee(const PoiseApp* app, int index, PoiseForecast* forecast,
                        char why[POISE_FORECAST_WHY]);
/// Returns the end of an axis of the ellipsoid at this position of the window; -1: none.
int poise__app_yielding_end(const PoiseApp* app, double x, double y);
/// Grabs an axis of the ellipsoid at its end `end`. Returns false if the axis points at the eye.
bool poise__app_take_yielding(PoiseApp* app, int end, double x, double y);
/// Asks for another compliance along the grabbed axis, by the pointer's position. The springs
/// follow at most ten times a second.
void poise__app_pull_yielding(PoiseApp* app, double x, double y);
/// Releases the axis. The springs get the compliance that was asked for last.
void poise__app_drop_yielding(PoiseApp* app);

/// Returns the part of the selected target's gizmo at this position of the window;
/// POISE_GIZMO_NONE: none.
PoiseGizmoPart poise__app_gizmo_part(const PoiseApp* app, double x, double y);
/// Adds a control point that stays after the drag. Returns its index, or a negative status.
int poise__app_add_point(PoiseApp* app, PoisePick pick);
/// Returns the index of the body of a pick; -1: none.
int poise__app_picked_body(const PoiseApp* app, const PoisePick* pick);

#endif
