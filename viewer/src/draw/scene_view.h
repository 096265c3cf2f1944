// SPDX-License-Identifier: MIT
// Turns a simulation into a draw list: bodies, the ground, and the overlays that are switched on.
#ifndef POISE_SCENE_VIEW_H
#define POISE_SCENE_VIEW_H

#include "looks.h"
#include "overlay.h"
#include "timeline.h"
#include "trails.h"

typedef struct PoiseSceneView {
    /// By shape: colour index of its body, -1 for fixed shapes; left_x and right_x have the same
    /// one. Owned.
    int* shape_colours;
    /// By shape: index of its body, fixed ones too; -1: none.
    int* shape_bodies;
    int shape_count;
    /// By body: positions of two of its places when poise__scene_view_see was called, window units.
    vec2s (*bodies_seen)[2];
    PoiseGround ground;
    PoiseGhosts ghosts;
    /// True if `ghosts` has the posture that IK plans while the run is paused.
    bool plans;
    PoiseTrails trails;
    /// Visual meshes; NULL: robots are shown by their collision shapes.
    PoiseLooks* looks;
    /// True if robots are shown by their simplified meshes.
    bool simplified;
    /// Triangles of all models that have been read, and by look the first index of its models,
    /// whole and simplified.
    PoiseTriangles looks_read;
    int (*look_starts)[2];
    int looks_taken;
} PoiseSceneView;

PoiseHighlight poise__no_highlight(void);

/// Chooses colours and ground, which stay while the scene runs. Returns false if memory runs out.
bool poise__scene_view_init(PoiseSceneView* view, const PoiseSimulation* simulation);
/// Starts reading the robots' looks.
void poise__scene_view_read_looks(PoiseSceneView* view, const PoiseSimulation* simulation);
/// True if some looks are still missing in the picture.
bool poise__scene_view_waits(const PoiseSceneView* view);
void poise__scene_view_finish(PoiseSceneView* view);
/// Returns the longest displacement in the picture since the last call of poise__scene_view_see,
/// window units, of two places of each body: its centre of mass and one 0.1 m away. The scene and
/// the camera can move them.
double poise__scene_view_motion(const PoiseSceneView* view, const PoiseSimulation* simulation,
                                const PoiseCamera* camera);
void poise__scene_view_see(PoiseSceneView* view, const PoiseSimulation* simulation,
                           const PoiseCamera* camera);

/// Returns the joint or point whose sets are shown. It is the one under the pointer in a panel,
/// else the dragged goal, else the thing under the pointer in the picture, else the selected
/// target.
PoiseFocus poise__scene_view_focus(const PoiseSimulation* simulation,
                                   const PoiseHighlight* highlight);

/// Clears the overlay's list and fills it. `timeline` NULL: no past run is shown.
void poise__scene_view_draw(PoiseSceneView* view, const PoiseOverlay* overlay,
                            const PoiseTimeline* timeline);

#endif
