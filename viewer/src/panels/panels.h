// SPDX-License-Identifier: MIT
// The panels, one function each: what they show comes from the app, what is done in them goes to it
// as changes and actions.
#ifndef POISE_PANELS_H
#define POISE_PANELS_H

#include "app.h"

#define POISE_INK      0xe8ecf1ffu
#define POISE_DIM_INK  0x93a0aeffu
#define POISE_WARM_INK 0xffb4acffu

// parts of the side panel
void poise__panel_run(PoiseApp* app);
void poise__panel_view(PoiseApp* app);
void poise__panel_solver(PoiseApp* app);
void poise__panel_springs(PoiseApp* app);
void poise__panel_points(PoiseApp* app);
void poise__panel_joints(PoiseApp* app);
/// A widget's whole way is one thing to undo: `bits` say whether it begins, changes, ends.
void poise__panel_track(PoiseApp* app, const PoiseChange* change, int bits);
void poise__panel_plots(PoiseApp* app);
/// J, gamma and the residual sweep by sweep.
void poise__panel_matrices(PoiseApp* app);

/// The bar of time, and below it a plot of what is watched.
void poise__panel_time(PoiseApp* app, PoiseUiPlace place);
/// Of that plot, window units; 0: there is none.
double poise__panel_plot_height(const PoiseApp* app);

/// A button for an action, with its help and keys as a tip; `on`: it stays down.
void poise__panel_act_button(PoiseApp* app, const char* text, PoiseAction action, bool on);

/// A joint in words: where it is, where its springs pull it, with what; units are its own.
void poise__panel_joint_words(const PoiseJointView* view, char text[256]);

/// What is open over all: help, scenes, commands, values.
void poise__popups(PoiseApp* app);

/// A parameter's slider, switch or choice, by its index; `text` NULL: its key. A slider's whole
/// way is one thing to undo.
void poise__panel_parameter(PoiseApp* app, int index, const char* text, double width);

/// Numbers of the solver, for the panel and for tests. Writes |v - J omega| of each enabled point
/// after 0 .. `sweeps` sweeps, [point of the scene][sweep], from the state now; returns how many
/// sweeps were made (0 when the stages cannot be run).
enum { POISE_SWEEPS_SHOWN = 200 };
typedef struct PoiseSweeps {
    float points[16][POISE_SWEEPS_SHOWN + 1];
    float whole[POISE_SWEEPS_SHOWN + 1];
    /// What each sweep from the first on leaves of what they make least, with weights and lambda;
    /// and how far that is above its end, as part of what the first left.
    double objective[POISE_SWEEPS_SHOWN + 1];
    float above[POISE_SWEEPS_SHOWN + 1];
    int point_count;
} PoiseSweeps;
int poise__panel_sweeps(const PoiseSimulation* simulation, int sweeps, PoiseSweeps* result);

#endif
