// SPDX-License-Identifier: MIT
// The panels, one function for each. They show the state of the app, and change it by changes
// (change.h) and actions.
#ifndef POISE_PANELS_H
#define POISE_PANELS_H

#include "app.h"

#define POISE_INK      0xe8ecf1ffu
#define POISE_DIM_INK  0x93a0aeffu
#define POISE_WARM_INK 0xffb4acffu

// the parts of the side panel
void poise__panel_run(PoiseApp* app);
void poise__panel_view(PoiseApp* app);
void poise__panel_solver(PoiseApp* app);
void poise__panel_springs(PoiseApp* app);
void poise__panel_points(PoiseApp* app);
void poise__panel_joints(PoiseApp* app);
/// Returns true, and the change, if IK needs a higher posture rate to pull joints to their natural
/// postures.
bool poise__panel_posture_rate(const PoiseSimulation* simulation, PoiseChange* change);
/// Shows the slider that moves the joints of a control point while all control points stay.
void poise__panel_freedom(PoiseApp* app, int point);
/// Returns the largest displacement of a control point per force on it against the springs of its
/// joints, m/N; 0 if the point is on a floating base or a joint has no spring.
double poise__panel_softness(const PoiseSimulation* simulation, int point);
/// Shows how far 10 N move the selected control point.
void poise__panel_show_softness(PoiseApp* app);
/// Applies the change of a number widget. All changes from POISE_UI_BEGAN to POISE_UI_ENDED in
/// `bits` are one edit for undo.
void poise__panel_track(PoiseApp* app, const PoiseChange* change, int bits);
/// Applies the up to POISE_UNDO_CHANGES changes that a number widget makes at once, like
/// poise__panel_track.
void poise__panel_track_all(PoiseApp* app, const PoiseChange* changes, int count, int bits);
void poise__panel_plots(PoiseApp* app);
/// Shows the matrices J and gamma, and the residual of the solver after each sweep.
void poise__panel_matrices(PoiseApp* app);

/// Shows the time bar, and below it a plot of the watched values.
void poise__panel_time(PoiseApp* app, PoiseUiPlace place);
/// Returns the height of the plot below the time bar, window units; 0 if no value is watched or the
/// window is too low.
double poise__panel_plot_height(const PoiseApp* app);

/// Shows a button for the action `name`, with its help and keys as a tip. `on`: the button looks
/// pressed.
void poise__panel_act_button(PoiseApp* app, const char* text, const char* name, bool on);

/// Describes a joint in words: its position, the position to which its springs pull it, and their
/// torque or force, in the joint's units.
void poise__panel_joint_words(const PoiseJointView* view, char text[256]);

/// Shows the open popup over the panels: help, scenes, commands or values.
void poise__popups(PoiseApp* app);

/// Shows the slider, switch or choice of the parameter `index`. If `text` is NULL, its key is the
/// text. A drag of a slider is one edit for undo.
void poise__panel_parameter(PoiseApp* app, int index, const char* text, double width);

/// Shows the parameter whose key `format` prints, if the scene has such a parameter.
void poise__panel_value(PoiseApp* app, const char* text, double width, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

/// Runs sweeps of the solver on a copy of the present state, for the panel and for tests. Writes |v
/// - J omega| of each enabled point after 0 .. `sweeps` sweeps, [point of the scene][sweep].
/// Returns the number of sweeps; 0 on failure.
enum { POISE_SWEEPS_SHOWN = 200 };
typedef struct PoiseSweeps {
    float points[16][POISE_SWEEPS_SHOWN + 1];
    float whole[POISE_SWEEPS_SHOWN + 1];
    /// objective: the sum that the sweeps minimise, with weights and lambda, after each sweep from
    /// the first on. above: its distance from its final value, as a fraction of that distance after
    /// the first sweep.
    double objective[POISE_SWEEPS_SHOWN + 1];
    float above[POISE_SWEEPS_SHOWN + 1];
    int point_count;
} PoiseSweeps;
int poise__panel_sweeps(const PoiseSimulation* simulation, int sweeps, PoiseSweeps* result);

#endif
