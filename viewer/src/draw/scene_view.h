// SPDX-License-Identifier: MIT
// From a simulation to a draw list: bodies, goals, points, tethers and the ground, and whatever
// overlays are on.
#ifndef POISE_SCENE_VIEW_H
#define POISE_SCENE_VIEW_H

#include "draw_list.h"
#include "overlay.h"
#include "see/gizmo.h"
#include "see/pick.h"
#include "time/timeline.h"

typedef struct PoiseSceneView {
    /// A colour for each shape's body; left_x and right_x share theirs. Borrowed from nobody.
    int* shape_colours;
    int shape_count;
    PoiseGround ground;
    PoiseGhosts ghosts;
} PoiseSceneView;

/// What the person's hand does, as far as it shows.
typedef struct PoiseHighlight {
    PoisePick hover;
    /// Index of the point whose goal is dragged, -1 for none.
    int held;
    /// Of the point that was taken last and has the gizmo, -1 for none.
    int selected;
    /// Of its gizmo: under the pointer or in the hand.
    PoiseGizmoPart part;
    /// Its arrows lie along the target's own axes, not the world's.
    bool own_axes;
    /// Pointed at in a panel; -1: none.
    PoiseFocus panel;
    /// POISE_SHOW_* bits.
    unsigned parts;
} PoiseHighlight;

PoiseHighlight poise__no_highlight(void);

/// Settles what does not change while the scene runs: colours and the ground. False when memory is
/// short.
bool poise__scene_view_init(PoiseSceneView* view, const PoiseSimulation* simulation);
void poise__scene_view_finish(PoiseSceneView* view);

/// What the sets are shown of: what a panel points at, else the pointer, else the hand.
PoiseFocus poise__scene_view_focus(const PoiseSimulation* simulation,
                                   const PoiseHighlight* highlight);

/// overlay_points.c: goals, points, tethers, and the chosen target's gizmo.
void poise__overlay_points(const PoiseSimulation* simulation, const PoiseCamera* camera,
                           const PoiseHighlight* highlight, PoiseDrawList* list);

/// Clears the list and fills it. `timeline` NULL: there is no past to show.
void poise__scene_view_draw(PoiseSceneView* view, const PoiseSimulation* simulation,
                            const PoiseCamera* camera, const PoiseHighlight* highlight,
                            const PoiseTimeline* timeline, PoiseDrawList* list);

#endif
