// SPDX-License-Identifier: MIT
// From a simulation to a draw list: bodies, goals, points, tethers and the ground, and whatever
// overlays are on.
#ifndef POISE_SCENE_VIEW_H
#define POISE_SCENE_VIEW_H

#include "overlay.h"
#include "timeline.h"
#include "trails.h"

typedef struct PoiseSceneView {
    /// A colour for each shape's body; left_x and right_x share theirs. Borrowed from nobody.
    int* shape_colours;
    int shape_count;
    PoiseGround ground;
    PoiseGhosts ghosts;
    PoiseTrails trails;
} PoiseSceneView;

PoiseHighlight poise__no_highlight(void);

/// Settles what does not change while the scene runs: colours and the ground. False when memory is
/// short.
bool poise__scene_view_init(PoiseSceneView* view, const PoiseSimulation* simulation);
void poise__scene_view_finish(PoiseSceneView* view);

/// What the sets are shown of: what a panel points at, else the pointer, else the hand.
PoiseFocus poise__scene_view_focus(const PoiseSimulation* simulation,
                                   const PoiseHighlight* highlight);

/// Clears the overlay's list and fills it. `timeline` NULL: there is no past to show.
void poise__scene_view_draw(PoiseSceneView* view, const PoiseOverlay* overlay,
                            const PoiseTimeline* timeline);

#endif
