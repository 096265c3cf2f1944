// SPDX-License-Identifier: MIT
// The parts of a picture besides the bodies (overlays), which can be switched on and off. Each is a
// function that reads the state of IK and appends to the draw list.
#ifndef POISE_OVERLAY_H
#define POISE_OVERLAY_H

#include "draw_list.h"
#include "gizmo.h"
#include "pick.h"
#include "yielding.h"

enum {
    POISE_SHOW_POINTS = 1,  ///< goals, points and tethers
    POISE_SHOW_SPRINGS = 2, ///< arcs from theta to theta_new, rings of p_orig : p_ik
    POISE_SHOW_GHOSTS = 4,  ///< copies of the bodies at theta_orig and at theta_ik (ghosts)
    /// joints, of which those related to the thing under the pointer are highlighted
    POISE_SHOW_SETS = 8,
    POISE_SHOW_FORCES = 16, ///< forces, asked and measured
    POISE_SHOW_SOLVER = 32, ///< the panel of J, gamma and sweeps
    POISE_SHOW_LABELS = 64, ///< names and numbers
    POISE_SHOW_PANELS = 128,
    POISE_SHOW_PAST = 256,       ///< the past run, as a ghost
    POISE_SHOW_TRAILS = 512,     ///< recent paths of moving goals and their points
    POISE_SHOW_BY_LINK = 1024,   ///< each body in a colour of its own
    POISE_SHOW_INERTIA = 2048,   ///< a box of the same mass and moments of inertia as each body
    POISE_SHOW_FRAMES = 4096,    ///< the axes of each link
    POISE_SHOW_SHAPES = 8192,    ///< collision shapes in place of a robot's looks
    POISE_SHOW_CONTACTS = 16384, ///< contact points and their forces
    POISE_SHOW_YIELDING = 32768  ///< the ellipsoid of a point's compliance
};

/// Parts that stay switched on or off when another view is selected.
enum {
    POISE_SHOW_KEPT = POISE_SHOW_PANELS | POISE_SHOW_BY_LINK | POISE_SHOW_INERTIA |
                      POISE_SHOW_FRAMES | POISE_SHOW_SHAPES | POISE_SHOW_CONTACTS |
                      POISE_SHOW_YIELDING
};

/// The views that the number keys select, as POISE_SHOW_* bits.
enum {
    POISE_VIEW_CLEAN = POISE_SHOW_POINTS | POISE_SHOW_PAST | POISE_SHOW_TRAILS,
    POISE_VIEW_IK = POISE_VIEW_CLEAN | POISE_SHOW_SPRINGS | POISE_SHOW_GHOSTS | POISE_SHOW_SETS |
                    POISE_SHOW_LABELS,
    POISE_VIEW_FORCES = POISE_VIEW_CLEAN | POISE_SHOW_FORCES | POISE_SHOW_LABELS,
    POISE_VIEW_SOLVER = POISE_VIEW_CLEAN | POISE_SHOW_SETS | POISE_SHOW_SOLVER,
    POISE_VIEW_ALL = POISE_VIEW_IK | POISE_SHOW_FORCES | POISE_SHOW_SOLVER
};

/// Reads "clean", "ik", "forces", "solver", "all", or a list of parts such as
/// "springs,ghosts,labels". Returns false for other text.
bool poise__overlay_parse(const char* text, unsigned* parts);
/// Returns the list of names that poise__overlay_parse reads.
const char* poise__overlay_names(void);

/// A copy of the tree, to compute where the bodies are in other postures. A struct of zeros has no
/// copy yet.
typedef struct PoiseGhosts {
    PoiseTree* tree;
    const PoiseTree* original;
    uint64_t revision;
} PoiseGhosts;

typedef enum PoiseGhostKind { POISE_GHOST_ORIGINAL = 0, POISE_GHOST_IK = 1 } PoiseGhostKind;

void poise__ghosts_finish(PoiseGhosts* ghosts);
/// Sets the copy's posture to theta_orig or theta_ik. Returns false if memory runs out.
bool poise__ghosts_pose(PoiseGhosts* ghosts, const PoiseSimulation* simulation,
                        PoiseGhostKind kind);
/// Sets the copy's posture to the one that IK reaches for the present goals, from the present
/// posture. Returns false if no goal has changed since the last step, or memory runs out.
bool poise__ghosts_plan(PoiseGhosts* ghosts, const PoiseSimulation* simulation);
/// Returns the distance of a point from its goal in the copy, m.
double poise__ghosts_miss(const PoiseGhosts* ghosts, const PoisePointView* point);
/// Computes the pose of a body in the copy. Returns false if no driven joint carries the body.
bool poise__ghosts_body(const PoiseGhosts* ghosts, const PoiseSimulation* simulation, int body,
                        PoisePose* pose);

/// The joint or the point whose sets are shown; -1: none.
typedef struct PoiseFocus {
    int joint;
    int point;
} PoiseFocus;

/// The things that a picture highlights: those under the pointer, dragged or selected.
typedef struct PoiseHighlight {
    PoisePick hover;
    /// Index of the point whose goal is dragged; -1: none.
    int held;
    /// Index of the point that was selected last and has the gizmo; -1: none.
    int selected;
    /// Part of the gizmo that is under the pointer or dragged.
    PoiseGizmoPart part;
    /// True if the gizmo's arrows lie along the target's own axes; otherwise along the world's.
    bool own_axes;
    /// Joint or point whose row in a panel is under the pointer; -1: none.
    PoiseFocus panel;
    /// POISE_SHOW_* bits.
    unsigned parts;
    /// Factor by which the picture enlarges the extension of springs.
    double exaggeration;
    /// Length of the trails, s.
    double trail;
    /// Index of the body that is dragged, or that a press would drag; -1: none.
    int body;
    /// True while the run is paused: the posture that IK plans for moved goals is then shown as a
    /// ghost.
    bool paused;
    /// The ellipsoid of a point's compliance.
    PoiseYielding yielding;
} PoiseHighlight;

/// The state that an overlay reads, and the list that it appends to.
typedef struct PoiseOverlay {
    const PoiseSimulation* simulation;
    const PoiseCamera* camera;
    const PoiseHighlight* highlight;
    PoiseDrawList* list;
} PoiseOverlay;

/// Adds goals, points, tethers, and the selected target's gizmo.
void poise__overlay_points(const PoiseOverlay* overlay);
void poise__overlay_springs(const PoiseOverlay* overlay);
void poise__overlay_sets(const PoiseOverlay* overlay, PoiseFocus focus);
void poise__overlay_forces(const PoiseOverlay* overlay);
/// Adds the spring by which the person pulls a body; no switch hides it.
void poise__overlay_pull(const PoiseOverlay* overlay);
/// Adds boxes of inertia and axes of links, if they are switched on.
void poise__overlay_bodies(const PoiseOverlay* overlay);

/// Adds the contact points of the last step, each with the force on a body of the scene.
void poise__overlay_contacts(const PoiseOverlay* overlay);
/// Adds a line across the gap of each of the nearest pairs that are kept apart.
void poise__overlay_apart(const PoiseOverlay* overlay);
/// Adds the ellipsoid of a point's compliance with its handles.
void poise__overlay_yielding(const PoiseOverlay* overlay);

/// True if one of the parts, POISE_SHOW_* bits, is switched on.
bool poise__overlay_shows(const PoiseOverlay* overlay, unsigned parts);
/// Position of a text, `down` window units below a place; the colour is 0xrrggbbaa.
typedef struct PoiseLabelPlace {
    PoiseVec3 place;
    float down;
    uint32_t colour;
    /// True if the text is shown also far from the pointer.
    bool always;
} PoiseLabelPlace;

/// Adds a text at a place. Does nothing while labels are off.
void poise__overlay_label(const PoiseOverlay* overlay, PoiseLabelPlace at, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// True if a body is highlighted: the one that is dragged or that a press would drag, and while
/// contacts are shown, links that touch another body. `colour` then gets the colour of its veil.
bool poise__overlay_highlights(const PoiseOverlay* overlay, int body, vec4s* colour);
/// Adds a ring that faces the camera.
void poise__overlay_halo(const PoiseOverlay* overlay, PoiseVec3 place, double radius, vec4s colour,
                         uint32_t id);

/// The arc that shows one joint's springs.
typedef struct PoiseSpringArc {
    /// Frame at the joint. z is the axis of the rotation, or a slider's axis; the arc starts at x.
    PoisePose frame;
    /// theta_new - theta, rad; for a slider m.
    double angle;
    bool slides;
    double stiffness;
    /// |torque| / limit. A joint without a limit uses the largest |torque| in the present scene.
    double strain;
    double torque;
    /// p_ik / (p_orig + p_ik), the weight of theta_ik in eq. 24.
    double ik_part;
    /// Distance of the link's centre of mass from the axis, m.
    double reach;
} PoiseSpringArc;

/// Computes the arc. Returns false for a joint without springs.
bool poise__spring_arc(const PoiseSimulation* simulation, int joint, double largest_torque,
                       PoiseSpringArc* arc);

/// Returns the length of an arrow, m, for a force of 1 N.
double poise__force_scale(const PoiseSimulation* simulation, const PoiseCamera* camera);

/// Returns the index of the scene's joint that belongs to a node; -1: none.
int poise__joint_of_node(const PoiseSimulation* simulation, PoiseNodeId node);
/// Returns the index of the point with this handle; -1: none.
int poise__point_of_id(const PoiseSimulation* simulation, PoisePointId id);
/// True if a joint keeps a point from its goal: the point is registered with the joint, and the
/// joint is at its limit.
bool poise__joint_stops(const PoiseSimulation* simulation, int joint, int point);
/// True if both the body and the posture that IK computes are far from the goal; a red tether then
/// shows this.
bool poise__point_out_of_reach(const PoisePointView* point, const PoiseCamera* camera);

#endif
