// SPDX-License-Identifier: MIT
// From a simulation to a draw list: bodies, goals, points, tethers and the ground, and whatever
// overlays are on.
#ifndef POISE_SCENE_VIEW_H
#define POISE_SCENE_VIEW_H

#include "looks.h"
#include "overlay.h"
#include "timeline.h"
#include "trails.h"

typedef struct PoiseSceneView {
    /// A colour for each shape's body; left_x and right_x share theirs. Borrowed from nobody.
    int* shape_colours;
    /// The body of each shape, one that is fixed too; -1: none.
    int* shape_bodies;
    int shape_count;
    /// Where the centre of mass of each body was last seen, window units.
    vec2s* bodies_seen;
    PoiseGround ground;
    PoiseGhosts ghosts;
    PoiseTrails trails;
    /// NULL: the robots look like their shapes.
    PoiseLooks* looks;
    /// All models that have come, one after the other; where each look's begin.
    PoiseMeshVertex* look_vertices;
    int look_vertex_count;
    int* look_starts;
    int looks_taken;
    unsigned look_revision;
} PoiseSceneView;

PoiseHighlight poise__no_highlight(void);

/// Settles what does not change while the scene runs: colours and the ground. False when memory is
/// short.
bool poise__scene_view_init(PoiseSceneView* view, const PoiseSimulation* simulation);
/// Begins to read how the robots look, of at most so many triangles.
void poise__scene_view_read_looks(PoiseSceneView* view, const PoiseSimulation* simulation,
                                  int most_triangles);
/// Whether something of them has still to come into the picture.
bool poise__scene_view_waits(const PoiseSceneView* view);
void poise__scene_view_finish(PoiseSceneView* view);
/// Returns the longest way of a body's centre of mass in the picture since the last call, window
/// units, because of the scene or of the camera.
double poise__scene_view_motion(PoiseSceneView* view, const PoiseSimulation* simulation,
                                const PoiseCamera* camera);

/// What the sets are shown of: what a panel points at, else the pointer, else the hand.
PoiseFocus poise__scene_view_focus(const PoiseSimulation* simulation,
                                   const PoiseHighlight* highlight);

/// Clears the overlay's list and fills it. `timeline` NULL: there is no past to show.
void poise__scene_view_draw(PoiseSceneView* view, const PoiseOverlay* overlay,
                            const PoiseTimeline* timeline);

#endif
