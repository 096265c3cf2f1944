// SPDX-License-Identifier: MIT
// What is drawn besides the bodies, as parts that are switched on and off; each is a function from
// the state of IK to the draw list.
#ifndef POISE_OVERLAY_H
#define POISE_OVERLAY_H

#include "draw_list.h"
#include "gizmo.h"
#include "pick.h"

enum {
    POISE_SHOW_POINTS = 1,  ///< goals, points and tethers
    POISE_SHOW_SPRINGS = 2, ///< arcs from theta to theta_new, rings of p_orig : p_ik
    POISE_SHOW_GHOSTS = 4,  ///< bodies where theta_orig and theta_ik have them
    POISE_SHOW_SETS = 8,    ///< joints; those of what the pointer is on glow
    POISE_SHOW_FORCES = 16, ///< asked and measured
    POISE_SHOW_SOLVER = 32, ///< the panel of J, gamma and sweeps
    POISE_SHOW_LABELS = 64, ///< names and numbers
    POISE_SHOW_PANELS = 128,
    POISE_SHOW_PAST = 256,        ///< the run that was left
    POISE_SHOW_TRAILS = 512,      ///< where goals that move, and their points, were
    POISE_SHOW_BY_LINK = 1024,    ///< each body in a colour of its own
    POISE_SHOW_INERTIA = 2048,    ///< a box that weighs and turns as each body does
    POISE_SHOW_FRAMES = 4096,     ///< the axes of each link
    POISE_SHOW_SHAPES = 8192,     ///< what touches, where a robot has a look of its own
    POISE_SHOW_CONTACTS = 16384,  ///< where bodies touch, and the force there
    POISE_SHOW_ELLIPSOIDS = 32768 ///< how fast points move each way while their joints turn
};

/// What stays as it is when another view is chosen.
enum {
    POISE_SHOW_KEPT = POISE_SHOW_PANELS | POISE_SHOW_BY_LINK | POISE_SHOW_INERTIA |
                      POISE_SHOW_FRAMES | POISE_SHOW_SHAPES | POISE_SHOW_CONTACTS |
                      POISE_SHOW_ELLIPSOIDS
};

/// The five views of the number keys.
enum {
    POISE_VIEW_CLEAN = POISE_SHOW_POINTS | POISE_SHOW_PAST | POISE_SHOW_TRAILS,
    POISE_VIEW_IK = POISE_VIEW_CLEAN | POISE_SHOW_SPRINGS | POISE_SHOW_GHOSTS | POISE_SHOW_SETS |
                    POISE_SHOW_LABELS,
    POISE_VIEW_FORCES = POISE_VIEW_CLEAN | POISE_SHOW_FORCES | POISE_SHOW_LABELS,
    POISE_VIEW_SOLVER = POISE_VIEW_CLEAN | POISE_SHOW_SETS | POISE_SHOW_SOLVER,
    POISE_VIEW_ALL = POISE_VIEW_IK | POISE_SHOW_FORCES | POISE_SHOW_SOLVER
};

/// "clean", "ik", "forces", "solver", "all", or parts: "springs,ghosts,labels"; false for others.
bool poise__overlay_parse(const char* text, unsigned* parts);
/// What may be written there.
const char* poise__overlay_names(void);

/// A copy of the tree, to ask where other postures would have the bodies. All zero is none yet.
typedef struct PoiseGhosts {
    PoiseTree* tree;
    const PoiseTree* original;
    uint64_t revision;
} PoiseGhosts;

typedef enum PoiseGhostKind { POISE_GHOST_ORIGINAL = 0, POISE_GHOST_IK = 1 } PoiseGhostKind;

void poise__ghosts_finish(PoiseGhosts* ghosts);
/// Sets the copy's posture; false when memory is short.
bool poise__ghosts_pose(PoiseGhosts* ghosts, const PoiseSimulation* simulation,
                        PoiseGhostKind kind);
/// Where it has a body; false for one that no driven joint carries.
bool poise__ghosts_body(const PoiseGhosts* ghosts, const PoiseSimulation* simulation, int body,
                        PoisePose* pose);

/// What the pointer is on, as joint and point of the sets; -1 for none.
typedef struct PoiseFocus {
    int joint;
    int point;
} PoiseFocus;

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
    /// Springs are drawn so many times as long as they are pulled.
    double exaggeration;
    /// Of trails, s.
    double trail;
    /// Body in the hand or that a drag would take, -1: none.
    int body;
} PoiseHighlight;

/// What an overlay is drawn from, and into.
typedef struct PoiseOverlay {
    const PoiseSimulation* simulation;
    const PoiseCamera* camera;
    const PoiseHighlight* highlight;
    PoiseDrawList* list;
} PoiseOverlay;

/// Goals, points, tethers, and the chosen target's gizmo.
void poise__overlay_points(const PoiseOverlay* overlay);
void poise__overlay_springs(const PoiseOverlay* overlay);
void poise__overlay_sets(const PoiseOverlay* overlay, PoiseFocus focus);
void poise__overlay_forces(const PoiseOverlay* overlay);
/// The spring of a hand that pulls, whatever else is shown.
void poise__overlay_pull(const PoiseOverlay* overlay);
/// Boxes of inertia, and the axes of links, as far as they are switched on.
void poise__overlay_bodies(const PoiseOverlay* overlay);

/// Contact points of the last step; each with the force that the body on it is given.
void poise__overlay_contacts(const PoiseOverlay* overlay);
/// The ellipsoid of the chosen point, or of all of them.
void poise__overlay_ellipsoids(const PoiseOverlay* overlay);

/// The velocities that a point's place has while the velocities of the joints registered with it
/// are of length 1 together: an ellipsoid. Its half axes in `half`, the largest first, along the
/// axes of `turn`, m for a rad (or m) a second.
typedef struct PoiseEllipsoid {
    PoiseVec3 half;
    PoiseQuat turn;
} PoiseEllipsoid;
/// False for a point without a place, or that nothing moves.
bool poise__ellipsoid_of(const PoiseSimulation* simulation, int point, PoiseEllipsoid* ellipsoid);

/// Whether a part is switched on: POISE_SHOW_* bits.
bool poise__overlay_shows(const PoiseOverlay* overlay, unsigned parts);
/// Where letters stand: `down` window units below a place; the colour is 0xrrggbbaa.
typedef struct PoiseLabelPlace {
    PoiseVec3 place;
    float down;
    uint32_t colour;
} PoiseLabelPlace;

/// Letters at a place. Nothing while labels are off.
void poise__overlay_label(const PoiseOverlay* overlay, PoiseLabelPlace at, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// A ring that faces the camera.
void poise__overlay_halo(const PoiseOverlay* overlay, PoiseVec3 place, double radius, vec4s colour,
                         uint32_t id);

/// One joint's arc, in numbers.
typedef struct PoiseSpringArc {
    /// At the joint; z along the axis the spring turns about, x where the arc begins. A slider's:
    /// along its axis.
    PoisePose frame;
    /// theta_new - theta: rad, a slider's m.
    double angle;
    bool slides;
    double stiffness;
    /// |torque| / limit; without a limit of |torque| to the largest in the scene now.
    double strain;
    double torque;
    /// p_ik / (p_orig + p_ik): eq. 24's weight.
    double ik_part;
} PoiseSpringArc;

/// False for a joint without springs.
bool poise__spring_arc(const PoiseSimulation* simulation, int joint, double largest_torque,
                       PoiseSpringArc* arc);

/// m of arrow for a newton.
double poise__force_scale(const PoiseSimulation* simulation, const PoiseCamera* camera);

/// The scene's joint that a node stands for, -1 for none.
int poise__joint_of_node(const PoiseSimulation* simulation, PoiseNodeId node);
/// The point's index, by its handle; -1 for none.
int poise__point_of_id(const PoiseSimulation* simulation, PoisePointId id);
/// Whether a joint is one of those that hold an unmet point back: it serves it and stands on its
/// limit.
bool poise__joint_stops(const PoiseSimulation* simulation, int joint, int point);
/// Neither the body nor the posture that IK wants is near the goal: what a red tether shows.
bool poise__point_out_of_reach(const PoisePointView* point, const PoiseCamera* camera);

#endif
