// SPDX-License-Identifier: MIT
// From a simulation to a draw list: bodies, goals, points, tethers and the ground.
#ifndef POISE_SCENE_VIEW_H
#define POISE_SCENE_VIEW_H

#include "draw_list.h"
#include "pick.h"

typedef struct PoiseSceneView {
    /// A colour for each shape's body; left_x and right_x share theirs. Borrowed from nobody.
    int* shape_colours;
    int shape_count;
    PoiseGround ground;
} PoiseSceneView;

/// What the person's hand does, as far as it shows.
typedef struct PoiseHighlight {
    PoisePick hover;
    /// Index of the point whose goal is dragged, -1 for none.
    int held;
} PoiseHighlight;

PoiseHighlight poise__no_highlight(void);

/// Settles what does not change while the scene runs: colours and the ground. False when memory is
/// short.
bool poise__scene_view_init(PoiseSceneView* view, const PoiseSimulation* simulation);
void poise__scene_view_finish(PoiseSceneView* view);

/// Clears the list and fills it.
void poise__scene_view_draw(const PoiseSceneView* view, const PoiseSimulation* simulation,
                            const PoiseCamera* camera, const PoiseHighlight* highlight,
                            PoiseDrawList* list);

#endif
