// SPDX-License-Identifier: MIT
// The viewer without its window: events and time come in, a draw list and panels go out. Runs the
// same in a window, without a display, and in a test.
#ifndef POISE_APP_H
#define POISE_APP_H

#include "actions.h"
#include "bookmarks.h"
#include "edits.h"
#include "hand.h"
#include "pacing.h"
#include "scene_view.h"
#include "ui.h"
#include "watch.h"

/// What the app cannot do by itself and asks of whoever runs it, a bit each.
enum {
    POISE_REQUEST_QUIT = 1,
    POISE_REQUEST_SCREENSHOT = 2,
    POISE_REQUEST_HELP = 4,
    POISE_REQUEST_RECORD = 8,
    POISE_REQUEST_SCRIPT = 16,
    POISE_REQUEST_CSV = 32
};

/// What is open over the panels.
typedef enum PoisePopup {
    POISE_POPUP_NONE = 0,
    POISE_POPUP_HELP,
    POISE_POPUP_SCENES,
    POISE_POPUP_PALETTE,
    POISE_POPUP_WATCH,
    POISE_POPUP_VALUE
} PoisePopup;

/// What the panels remember from frame to frame.
typedef struct PoisePanels {
    PoisePopup popup;
    bool popup_opened;
    char filter[POISE_OVERRIDE_LENGTH];
    /// Of a list: the row that Enter takes.
    int row;
    /// Of a slider that is being moved: what takes it back.
    PoiseEdit edit;
    /// Sweeps shown in the solver's panel, and whether they are taken one at a time.
    int sweeps;
    bool by_hand;
    PoiseFocus focus;
    /// What a path that is being typed in the list of scenes may become.
    PoiseSceneFiles found;
    /// The field of the popup gets what is typed again, its text as it is.
    bool refocus;
    /// While the time bar is held: where it is, s.
    bool scrubbing;
    double scrub;
    /// Roll, pitch and yaw of the chosen goal, degrees, while one of them is in the hand.
    PoiseVec3 turn;
    bool turning;
} PoisePanels;

typedef struct PoiseApp {
    PoiseSession session;
    PoiseTimeline timeline;
    PoiseEdits edits;
    PoiseSceneView view;
    PoiseCamera camera;
    PoisePacing pacing;
    PoiseInput input;
    PoiseHand hand;
    PoiseHighlight highlight;
    PoiseDrawList list;
    PoiseWatch watch;
    PoiseBookmarks kept_here;
    PoisePanels panels;
    PoiseSceneFiles scenes;
    /// Opened last; kept from run to run where `keeps_recent`.
    PoiseSceneFiles recent;
    bool keeps_recent;
    /// The scene's files are looked at now and then, and read again when one was saved.
    bool follows_files;
    /// On the app's own clock.
    double last_look;
    /// Why a file that was to be opened or read again was not; empty: none.
    PoiseSaid refused;
    /// NULL: neither panels nor letters. Borrowed.
    PoiseUi* ui;
    /// The pointer's press went to a panel, which has the rest of it too.
    bool ui_has_pointer;
    /// What the button that is down does, and which it is.
    PoiseAction gesture;
    int gesture_button;
    double pointer_x;
    double pointer_y;
    /// It has been seen: not in pictures.
    bool has_pointer;
    int mods;
    /// The next press on a link adds a control point.
    bool adding;
    /// Of the last press, to tell a double click: when, on the app's own clock, and where.
    double last_press;
    double last_press_x;
    double last_press_y;
    double wall;
    /// How fast time really goes: simulated by wall clock, over the last half second;
    /// 0: not measured yet.
    double kept;
    /// Robots are shown as they look, by so many triangles; 0: by their shapes.
    int most_triangles;
    /// Body that the camera goes with, -1: none; and where it was.
    int followed;
    PoiseVec3 followed_at;
    /// To be cleared by whoever serves them.
    unsigned requests;
    /// A film is being taken. Set by whoever takes it.
    bool recording;
    /// What is drawn goes into a film: nothing is said in it.
    bool filmed;
    /// Time goes by the frame: every step that is due is made, however long that takes.
    bool unhurried;
    /// The script that was read; NULL: none.
    const char* script;
    /// Why the simulation stopped; empty while it runs.
    PoiseNote trouble;
    /// What there is to say: shown for a while.
    PoiseNote message;
    double message_until;
    /// Wall clock, s, to keep a frame from stepping for longer than it takes to show; NULL: no
    /// limit.
    double (*clock)(void* user);
    void* clock_user;
} PoiseApp;

/// Takes over the session. False when memory is short; the session is closed then.
bool poise__app_init(PoiseApp* app, PoiseSession session);
void poise__app_finish(PoiseApp* app);
/// All that belongs to one scene; false when memory is short.
bool poise__app_begin_scene(PoiseApp* app);
void poise__app_end_scene(PoiseApp* app);

// app_open.c: another scene.
/// Shows another scene; what was stays when it cannot be read, and `refused` says why. The view,
/// the panels and what is shown stay.
bool poise__app_open(PoiseApp* app, const char* path);

/// Looks, at most four times a second, whether the scene's files were saved. One that can be read
/// takes the run's place, at the same pose; of one that cannot, `refused` says why and the run goes
/// on. Whether something was read.
bool poise__app_follow_files(PoiseApp* app);
/// Reads the scene's files again, as they are now.
bool poise__app_read_again(PoiseApp* app);

/// Starts the scene again with any of its values replaced, "world.step=0.002"; what was stays, and
/// `note` says why, when that cannot be. The camera stays.
bool poise__app_open_with(PoiseApp* app, const char* override, PoiseNote* note);

/// True if a file may be written at the path. False, and why, where it would replace the script or
/// a file that the scene was read from.
bool poise__app_may_write(PoiseApp* app, const char* path, PoiseNote* note);

// app_bookmarks.c: views and poses of this scene, from run to run where `keeps_recent`.
/// One more; of too many the oldest goes.
void poise__app_keep_view(PoiseApp* app, int unused);
void poise__app_keep_pose(PoiseApp* app, int unused);
/// Shows the view, or puts the pose, at this index, or POISE_NEXT_BOOKMARK.
void poise__app_show_view(PoiseApp* app, int index);
void poise__app_put_pose(PoiseApp* app, int index);

/// Serves the events of one frame, then steps what is due after `wall_seconds`.
void poise__app_frame(PoiseApp* app, double wall_seconds);
/// Serves one event.
void poise__app_event(PoiseApp* app, const PoiseEvent* event);
void poise__app_act(PoiseApp* app, PoiseAction action);

/// Stops the run for good, and says why. False.
bool poise__app_stop(PoiseApp* app, const char* reason);
/// One step; false when it cannot go on: see `trouble`.
bool poise__app_step(PoiseApp* app);
/// Steps until the simulation's time is `time`, to the nearest step. False when it cannot go on:
/// see `trouble`.
bool poise__app_run_to(PoiseApp* app, double time);
/// Goes to a time, back or forth; pauses when back.
bool poise__app_go(PoiseApp* app, double time);

/// Carries a change out and writes it down; what could not be done is said. As
/// poise__change_apply.
int poise__app_change(PoiseApp* app, const PoiseChange* change);
/// The same, and it can be undone.
int poise__app_edit(PoiseApp* app, const PoiseChange* change);
/// Says something for a few seconds, in the window's corner.
void poise__app_say(PoiseApp* app, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// One line on what is shown and how, for a window's title.
void poise__app_title(const PoiseApp* app, char text[256]);

// app_hand.c: the hand. Each goes on from an event of the pointer.
/// Takes what is under the pointer as `action` says; false when there is nothing to take so.
bool poise__app_take(PoiseApp* app, PoiseAction action, PoisePick pick, double x, double y);
/// Takes a part of a target's gizmo.
bool poise__app_take_target(PoiseApp* app, int point, PoiseGizmoPart part, double x, double y);
void poise__app_move_hand(PoiseApp* app, double x, double y);
void poise__app_drop_hand(PoiseApp* app);
/// Puts back what the hand took.
void poise__app_cancel_hand(PoiseApp* app);
/// The part of the chosen target's gizmo that is there.
PoiseGizmoPart poise__app_gizmo_part(const PoiseApp* app, double x, double y);
/// Adds a control point that stays; its index, or a negative status.
int poise__app_add_point(PoiseApp* app, PoisePick pick);
/// The body of a pick, -1: none.
int poise__app_picked_body(const PoiseApp* app, const PoisePick* pick);

#endif
