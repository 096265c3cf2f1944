// SPDX-License-Identifier: MIT
// Shared by the files of the exact step. dWorldStep solves, for the bodies' accelerations,
//     M a = M v / h + f + J' lambda,   J a + C lambda = d,   low <= lambda <= high,
// where a = v_new / h, d = the rows' speed / h and C = their CFM / h. Here the same system is
// factored body by body, from the leaves of the tree of joints to its roots.
#ifndef POISE_EXACT_H
#define POISE_EXACT_H

#include <ode/ode.h>

#include "convert.h"
#include "exact_step.h"
#include "ode_joint.h"
#include "poise/base.h"

enum {
    /// Rows that a body has with its parent inside the tree; the others go to the LCP.
    EXACT_TREE_ROWS = 6,
    /// Rows of a joint at most.
    EXACT_JOINT_ROWS = 6,
    /// No body, joint or row.
    EXACT_NONE = -1,
    /// Rows of joints from which on this is faster than ODE's dense step: 7 driven hinges.
    EXACT_LEAST_ROWS = 42,
    /// The same for each of two structures in a world: 6 driven hinges.
    EXACT_LEAST_BESIDE = 36
};

/// Numbers of a joint that ODE has no getter for; read once, see hidden.c.
typedef struct ExactHidden {
    bool known;
    double axis2[3];  ///< hinge, piston, PR: the axis they turn about, in the second body's frame
    double offset[3]; ///< slider, fixed; PR, PU: the anchor in the first body's frame
    double turn[4];   ///< slider, fixed: the relative rotation that the joint holds
    double axis1[3];  ///< hinge, slider: its axis in the first body's frame when this was read
    int relative[3];  ///< linear motor: the body that each axis turns with
} ExactHidden;

/// A joint other than a contact; its ends in ODE's inner order, where the first is a body.
typedef struct ExactJoint {
    dJointID id;
    dJointType type;
    dBodyID ends[2];
    int body[2];    ///< index of a dynamic body, EXACT_NONE
    bool reversed;  ///< attached (NULL, body)
    bool supported; ///< has rows here; false: its island is left to ODE
    int child;      ///< body whose link to its parent this joint is, EXACT_NONE: closes a loop
    ExactHidden hidden;
} ExactJoint;

/// The properties of a body that a step must find unchanged, and its place in the tree.
typedef struct ExactBody {
    dBodyID id;
    int parent; ///< smaller index, EXACT_NONE: a root
    int component;
    int first_attached; ///< index in `attached` of its joints but contacts, in ODE's order
    int attached_count;
    int first_joint; ///< index in `joints` of the joints whose first dynamic end it is
    int joint_count;
} ExactBody;

/// Bodies that joints hold together: consecutive indices.
typedef struct ExactComponent {
    int first;
    int count;
    bool seen;      ///< the caller named its first body in this step
    bool supported; ///< all its joints have rows here
    int rows;       ///< estimated upper bound of its joints' rows
    int group;      ///< first component of those that contacts hold together in this step
    int next;       ///< next component of the group, or EXACT_NONE
    int contacts;   ///< first contact in this step, or EXACT_NONE
    bool left;      ///< ODE solves it in this step, with its group
} ExactComponent;

/// A contact joint that was made through poise_contact_create, for one step.
typedef struct ExactContact {
    dJointID id;
    dContact contact;
    int body[2];
    dBodyID ends[2];
    bool reversed;
    int next; ///< contact of the same component
} ExactContact;

/// One row of the constraints; j is its velocity per unit velocity of the bodies.
typedef struct ExactRow {
    double j[2][6]; ///< for the joint's first and second body: linear, then angular
    double d;
    double softness;
    double low;
    double high;
    double force;
    int body[2]; ///< EXACT_NONE: fixed
    int normal;  ///< row whose force scales the bounds, or EXACT_NONE
    int owner;   ///< index in `owners` of the joint with this row
    int link;    ///< body whose link to its parent has the row, or EXACT_NONE
    bool in_tree;
    bool left_tree;      ///< True if it is a motor's row that the LCP solves
    int pin;             ///< 1 at its upper limit, -1 at its lower, 0
    double normal_force; ///< a normal's force in the solution without friction
} ExactRow;

/// Factors and vectors of one body in the elimination; arrays of 6 rows of 6.
typedef struct ExactNode {
    double u[6][6]; ///< Cholesky factor of the accumulated inertia, upper, by rows
    double w[6][6]; ///< u'^-1 Jc', a column per row of the link
    double v[6][6]; ///< Cholesky factor of C + Jc D^-1 Jc'
    double y[6][6]; ///< v'^-1 Jp
    double u_inverse[6];
    double v_inverse[6];
    double b[6];
    double x[6];
    double f[6];
    double a[6];
    double mass;
    double inertia[3][3];
    double base[6];    ///< M v / h + f, without rows
    double before[6];  ///< force and torque before the step
    bool loaded;       ///< the rows' forces were added to the body's
    double applied[6]; ///< force that motors driven into their stops add, in ODE too
    int row[EXACT_TREE_ROWS];
    int row_count;
} ExactNode;

/// A row outside the tree at a body on the path from its own to the root.
typedef struct ExactHit {
    double part[12]; ///< factors of the products with other rows; see poise__exact_walk
    int row;         ///< index in `extras`
    int next;        ///< hit of an earlier row at the same body, or EXACT_NONE
} ExactHit;

/// A linear complementarity problem with bounds; see lcp.c. Matrices are square, by rows.
typedef struct ExactLcp {
    int count;
    double* matrix;
    double* q;
    double* low;
    double* high;
    double* x;
    double* w;
    double* factor;  ///< upper Cholesky factor of the free rows
    double* inverse; ///< 1 / its pivots
    double* next_column;
    double* step;
    double* column;
    int* free_rows;
    int free_count;
    signed char* state; ///< free, at a bound, or waiting
    signed char* begin; ///< the states when the search began
    signed char* next;  ///< the states of the next guess
} ExactLcp;

/// An array that grows.
typedef struct ExactArray {
    void* data;
    size_t size; ///< bytes
} ExactArray;

typedef enum ExactMemory {
    EXACT_SEEN,
    EXACT_VISITS,
    EXACT_BODIES,
    EXACT_ORDER,
    EXACT_ATTACHED,
    EXACT_JOINTS,
    EXACT_COMPONENTS,
    EXACT_MAP,
    EXACT_CONTACTS,
    EXACT_NODES,
    EXACT_ROWS,
    EXACT_OWNERS,
    EXACT_EXTRAS,
    EXACT_HITS,
    EXACT_NUMBERS,
    EXACT_INTEGERS,
    EXACT_STATES,
    EXACT_PLACES,
    EXACT_OFF,
    EXACT_MARKED,
    EXACT_MARKS,
    EXACT_WATCHED,
    EXACT_MEMORY_COUNT
} ExactMemory;

/// The reason why a structure is left to ODE that could be solved faster here.
typedef enum ExactReason {
    EXACT_KIND,    ///< a kind of joint without rows here
    EXACT_UNREAD,  ///< a joint whose hidden numbers could not be read
    EXACT_FOREIGN, ///< a contact that was made by dJointCreateContact
    EXACT_ROLLING  ///< a contact with rolling friction
} ExactReason;

/// A joint that owns rows of the group being solved.
typedef struct ExactOwner {
    dJointID id;
    dJointFeedback* feedback; ///< NULL: not asked for
    bool pair;                ///< it has two bodies
} ExactOwner;

struct PoiseExact {
    PoiseHost host;
    dWorldID world;
    ExactArray memory[EXACT_MEMORY_COUNT];
    bool out_of_memory;

    // poise_stepper_watch's
    dBodyID* watched;
    int watched_count;

    // named since the last step
    dBodyID* seen;
    int seen_count;
    int known_count;   ///< bodies that the last step was named
    bool seen_changed; ///< they are others than those of the last step, or one is kinematic
    bool all_seen;     ///< each body of the structure was named
    ExactContact* contacts;
    int contact_count;

    bool takes_all; ///< True: also solves groups that ODE solves faster
    unsigned named; ///< reasons that the log has been given, 1 << ExactReason
    bool checks;    ///< refuses bodies and results that are not finite
    bool lost;      ///< something solved in this step is not finite

    // structure
    bool structured;
    bool worth;     ///< one component, or two together, have enough rows
    int least_rows; ///< groups with fewer rows are left to ODE in this step
    ExactBody* bodies;
    int body_count;
    int* visits; ///< bodies by component, each reached by a joint of one before it
    dJointID* attached;
    ExactJoint* joints;
    int joint_count;
    ExactComponent* components;
    int component_count;
    dBodyID* map_keys; ///< open addressing
    int* map_values;
    int map_size; ///< a power of 2

    // the step
    double h;
    double softness; ///< the world's CFM
    double erp;
    ExactNode* nodes;
    dJointID* off; ///< joints that are disabled while ODE integrates
    int off_count;
    int* balance; ///< by body: number of contact joints that poise_contact_create did not make

    // the group being solved
    int* group_bodies; ///< indices of its bodies, ascending
    int group_count;
    ExactRow* rows;
    int row_count;
    ExactOwner* owners;
    int owner_count;
    int* extras; ///< rows outside the tree
    int extra_count;
    int pinned_count; ///< rows at a motor's limit, behind the extras
    int limited_rows; ///< rows of the tree with limits
    ExactHit* hits;
    int hit_count;
    int* hit_at; ///< by body: its last hit
    ExactLcp lcp;

    PoiseExactReport report;
};

/// memory.c: returns memory for at least `count` elements of `size`, with its earlier contents.
/// Sets `out_of_memory` and returns NULL if memory is short.
void* poise__exact_reserve(PoiseExact* x, ExactMemory which, size_t count, size_t size);

/// memory.c: logs the reason once; `joint` has it.
void poise__exact_name(PoiseExact* x, ExactReason reason, dJointID joint);

/// structure.c: finds bodies, joints and trees anew. False without memory.
bool poise__exact_structure_make(PoiseExact* x);
/// True if the same joints still connect the same bodies.
bool poise__exact_structure_holds(PoiseExact* x);
/// True if nothing is solved here, and no body has more or fewer joints than when the structure was
/// found. The bodies named are those of the step before, so all of them live.
bool poise__exact_counts_hold(PoiseExact* x);
/// memory.c: index of a dynamic body, EXACT_NONE for others.
int poise__exact_find(const PoiseExact* x, dBodyID body);
/// Names the body's index; there must be room.
void poise__exact_put(PoiseExact* x, dBodyID body, int index);
/// Makes the map anew with room for at least 2 x `bodies`. False if memory is short.
bool poise__exact_spread_map(PoiseExact* x, int bodies);

/// hidden.c: reads what ODE has no getters for. Joints that stay unknown are not supported.
void poise__exact_read_hidden(PoiseExact* x);

/// joint_rows.c: appends the rows of a joint, in ODE's order. False if it cannot.
bool poise__exact_joint_rows(PoiseExact* x, const ExactJoint* joint);
/// contact_rows.c: appends the rows of a contact, in ODE's order. False if it cannot.
bool poise__exact_contact_rows(PoiseExact* x, const ExactContact* contact);
/// row.c: an empty row of ODE's defaults between two bodies, for the joint that owns it.
ExactRow* poise__exact_row(PoiseExact* x, const int body[2]);
/// Turns speed and CFM into d and C; the motion of bodies that are not moved goes into d.
void poise__exact_scale_row(const PoiseExact* x, ExactRow* row, const dBodyID ends[2]);
/// Makes the joint the owner of the rows that follow, with room for them. False without memory.
bool poise__exact_own(PoiseExact* x, dJointID id, const dBodyID ends[2]);

/// tree.c: factors the group's bodies. False where a pivot is not positive.
bool poise__exact_factor(PoiseExact* x);
/// Solves for the accelerations and the forces of the tree's rows, with the forces of the rows
/// outside it.
void poise__exact_solve(PoiseExact* x);
/// Eliminates one body under a load: fills the body's part in the row's products, and turns the
/// load into that on the parent. For the parts of two rows at the same body, the
/// product of the first six numbers less that of the last six is the velocity of one row per load
/// of the other.
void poise__exact_walk(const PoiseExact* x, int body, double load[6], double part[12]);
/// J a + C lambda of the row.
double poise__exact_row_speed(const PoiseExact* x, const ExactRow* row);

/// schur.c: fills the matrix of the rows outside the tree, and their missing velocities. False if
/// memory is short.
bool poise__exact_schur(PoiseExact* x);
/// Fills q of the LCP from the accelerations without extra forces.
void poise__exact_lacks(PoiseExact* x);

/// lcp.c: gives the row no force until poise__exact_lcp_solve adds it to the solution.
void poise__exact_lcp_wait(ExactLcp* lcp, int row);
/// Fills x: lets the waiting rows in. False where it does not end.
bool poise__exact_lcp_solve(ExactLcp* lcp);
/// Adds the forces that change the w of the free rows by `column`, in the order of `free_rows`.
void poise__exact_lcp_correct(ExactLcp* lcp);

/// group.c: solves the group whose first component is given; false: left to ODE.
bool poise__exact_group(PoiseExact* x, int component);

#endif
