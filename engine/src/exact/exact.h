// SPDX-License-Identifier: MIT
// Shared by the files of the exact step. dWorldStep solves for a = v_new / h of the bodies:
//     M a = M v / h + f + J' lambda,   J a + C lambda = d,   low <= lambda <= high,
// where d = the rows' target speed / h and C = their CFM / h. Here the same system is factored body
// by body, from the leaves of the tree of joints to its roots.
#ifndef POISE_EXACT_H
#define POISE_EXACT_H

#include <ode/ode.h>

#include "convert.h"
#include "exact_step.h"
#include "ode_joint.h"
#include "poise/base.h"

enum {
    /// Largest number of rows of a body with its parent in the tree; further rows go to the LCP.
    EXACT_TREE_ROWS = 6,
    /// Largest number of rows of a joint.
    EXACT_JOINT_ROWS = 6,
    /// No body, joint or row.
    EXACT_NONE = -1,
    /// Least number of rows of joints for which the exact step is faster than ODE's dense step: 7
    /// driven hinges.
    EXACT_LEAST_ROWS = 42,
    /// This number if a world has two such structures: 6 driven hinges each.
    EXACT_LEAST_BESIDE = 36
};

/// Numbers of a joint for which ODE has no getter; hidden.c reads them once.
typedef struct ExactHidden {
    bool known;
    double axis2[3];  ///< hinge, piston, PR: axis of rotation in the second body's frame
    double offset[3]; ///< slider, fixed; PR, PU: the anchor in the first body's frame
    double turn[4];   ///< slider, fixed: the relative rotation that the joint holds
    double axis1[3];  ///< hinge, slider: axis in the first body's frame at the time of reading
    int relative[3];  ///< linear motor: the body that each axis turns with
} ExactHidden;

/// A joint other than a contact. Its ends are in ODE's inner order, in which the first is a body.
typedef struct ExactJoint {
    dJointID id;
    dJointType type;
    dBodyID ends[2];
    int body[2];    ///< index of a dynamic body, EXACT_NONE
    bool reversed;  ///< attached (NULL, body)
    bool supported; ///< joint_rows.c can make its rows; false: its structure is left to ODE
    int child;      ///< body that this joint connects to its parent in the tree, or EXACT_NONE: it
                    ///< closes a loop
    ExactHidden hidden;
} ExactJoint;

/// A body: its joints, which a step must find unchanged, and its parent in the tree.
typedef struct ExactBody {
    dBodyID id;
    int parent; ///< has a smaller index; EXACT_NONE for a root
    int component;
    int first_attached; ///< index in `attached` of its first joint; the list has no contacts and
                        ///< ODE's order
    int attached_count;
    int first_joint; ///< index in `joints` of the first joint that is listed with this body
    int joint_count;
} ExactBody;

/// Bodies that joints connect; their indices are consecutive.
typedef struct ExactComponent {
    int first;
    int count;
    bool seen;      ///< the caller named its first body in this step
    bool supported; ///< joint_rows.c can make the rows of all its joints
    int rows;       ///< estimated upper bound of its joints' rows
    int group;      ///< first component of the group that contacts connect in this step
    int next;       ///< next component of the group, or EXACT_NONE
    int contacts;   ///< first contact in this step, or EXACT_NONE
    bool left;      ///< ODE solves its group in this step
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

/// A row of the constraints, in J a + C lambda = d.
typedef struct ExactRow {
    double j[2][6]; ///< J of the joint's first and second body, each linear, then angular
    double d;
    double softness;
    double low;
    double high;
    double force;
    int body[2]; ///< EXACT_NONE: fixed
    int normal;  ///< row whose force scales the bounds, or EXACT_NONE
    int owner;   ///< index in `owners` of the joint with this row
    int link;    ///< body that the row's joint connects to its parent, or EXACT_NONE
    bool in_tree;
    bool left_tree; ///< a motor's row that the LCP solves, not the tree
    int pin;        ///< 1: the force is fixed at its upper limit; -1: at its lower; 0: not fixed
    double normal_force; ///< contact normals: the force in the solution without friction
} ExactRow;

/// Factors and vectors of one body in the elimination (tree.c). Matrices are row-major; Jc and Jp
/// are the rows between the body and its parent.
typedef struct ExactNode {
    double u[6][6]; ///< Cholesky factor of the accumulated inertia, upper, by rows
    double w[6][6]; ///< u'^-1 Jc'
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
    double applied[6]; ///< force of motors that push against their stops, which ODE applies to
                       ///< bodies too
    int row[EXACT_TREE_ROWS];
    int row_count;
} ExactNode;

/// The effect of a row outside the tree on one body of the path from the row's bodies to the root.
typedef struct ExactHit {
    double part[12]; ///< factors of the products with other rows; see poise__exact_walk
    int row;         ///< index in `extras`
    int next;        ///< hit of an earlier row at the same body, or EXACT_NONE
} ExactHit;

/// A linear complementarity problem with bounds; see lcp.c. Matrices are square and row-major.
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
    signed char* begin; ///< the states before the guesses
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

/// The reason why ODE solves a structure for which the exact step would be faster.
typedef enum ExactReason {
    EXACT_KIND,    ///< a kind of joint for which joint_rows.c makes no rows
    EXACT_UNREAD,  ///< a joint whose hidden numbers could not be read
    EXACT_FOREIGN, ///< a contact that was made by dJointCreateContact
    EXACT_ROLLING  ///< a contact with rolling friction
} ExactReason;

/// A joint that has rows in the group being solved.
typedef struct ExactOwner {
    dJointID id;
    dJointFeedback* feedback; ///< NULL: not asked for
    bool pair;                ///< the joint has two bodies
} ExactOwner;

struct PoiseExact {
    PoiseHost host;
    dWorldID world;
    ExactArray memory[EXACT_MEMORY_COUNT];
    bool out_of_memory;

    // bodies of poise_stepper_watch
    dBodyID* watched;
    int watched_count;

    // bodies and contacts named since the last step
    dBodyID* seen;
    int seen_count;
    int known_count;   ///< number of bodies named for the last step
    bool seen_changed; ///< they differ from those of the last step, or one is kinematic
    bool all_seen;     ///< each body of the structure was named
    ExactContact* contacts;
    int contact_count;

    bool takes_all; ///< also solves groups that ODE solves faster
    unsigned named; ///< logged reasons, as bits 1 << ExactReason
    bool checks;    ///< refuses bodies and results that are not finite
    bool lost;      ///< something solved in this step is not finite

    // structure of the named bodies
    bool structured;
    bool worth;     ///< a component, or two together, have enough rows
    int least_rows; ///< groups with fewer rows are left to ODE in this step
    ExactBody* bodies;
    int body_count;
    int* visits; ///< bodies in the order of discovery: each has a joint to an earlier one, or was
                 ///< named
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
    int* balance; ///< by body: number of its contact joints that poise_contact_create did not make

    // the group being solved
    int* group_bodies; ///< indices of the group's bodies, ascending
    int group_count;
    ExactRow* rows;
    int row_count;
    ExactOwner* owners;
    int owner_count;
    int* extras; ///< rows outside the tree
    int extra_count;
    int pinned_count; ///< number of rows at a motor's limit; `extras` has them after the others
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

/// memory.c: logs the reason once, with the type of the joint that caused it.
void poise__exact_name(PoiseExact* x, ExactReason reason, dJointID joint);

/// structure.c: finds bodies, joints and trees from the named bodies. False without memory.
bool poise__exact_structure_make(PoiseExact* x);
/// True if the same joints still connect the same bodies.
bool poise__exact_structure_holds(PoiseExact* x);
/// True if the exact step solves no structure, and each body has as many joints as when the
/// structures were found. Needs the named bodies of the step before, so that all of them exist.
bool poise__exact_counts_hold(PoiseExact* x);
/// memory.c: returns the index of a dynamic body; EXACT_NONE for other bodies.
int poise__exact_find(const PoiseExact* x, dBodyID body);
/// Stores the index of a body in the map, which must have room.
void poise__exact_put(PoiseExact* x, dBodyID body, int index);
/// Makes the map again, with room for at least 2 x `bodies`. False if memory is short.
bool poise__exact_spread_map(PoiseExact* x, int bodies);

/// hidden.c: fills ExactJoint.hidden. Joints that it cannot read are not supported.
void poise__exact_read_hidden(PoiseExact* x);

/// joint_rows.c: appends the rows of a joint, in ODE's order. False if it cannot.
bool poise__exact_joint_rows(PoiseExact* x, const ExactJoint* joint);
/// contact_rows.c: appends the rows of a contact, in ODE's order. False if it cannot.
bool poise__exact_contact_rows(PoiseExact* x, const ExactContact* contact);
/// row.c: appends an empty row with ODE's defaults, between two bodies. Its owner is the joint of
/// the last poise__exact_own.
ExactRow* poise__exact_row(PoiseExact* x, const int body[2]);
/// Divides speed and CFM by h, to d and C. Subtracts the velocity of kinematic bodies from d.
void poise__exact_scale_row(const PoiseExact* x, ExactRow* row, const dBodyID ends[2]);
/// Makes the joint the owner of the next rows, and reserves memory for them. False without memory.
bool poise__exact_own(PoiseExact* x, dJointID id, const dBodyID ends[2]);

/// tree.c: factors the group's bodies. False where a pivot is not positive.
bool poise__exact_factor(PoiseExact* x);
/// Solves for the bodies' a and the forces of the tree's rows, with the forces of the rows outside
/// the tree.
void poise__exact_solve(PoiseExact* x);
/// Eliminates one body under a load: fills `part`, and replaces the load by that on the parent. Let
/// two rows have parts p and q at the same body. The dot product of their first six numbers, minus
/// that of their last six, is the body's summand of S (schur.c).
void poise__exact_walk(const PoiseExact* x, int body, double load[6], double part[12]);
/// Returns J a + C lambda of the row.
double poise__exact_row_speed(const PoiseExact* x, const ExactRow* row);

/// schur.c: fills the matrix S of the rows outside the tree, and sets up the LCP. False if memory
/// is short.
bool poise__exact_schur(PoiseExact* x);
/// Fills q of the LCP: d - J a of the rows outside the tree, for `a` without their forces.
void poise__exact_lacks(PoiseExact* x);

/// lcp.c: sets the row to waiting: it has no force until poise__exact_lcp_solve adds it.
void poise__exact_lcp_wait(ExactLcp* lcp, int row);
/// Solves for x with the waiting rows. False if the search does not end.
bool poise__exact_lcp_solve(ExactLcp* lcp);
/// Adds the forces that change the w of the free rows by `column`, in the order of `free_rows`.
void poise__exact_lcp_correct(ExactLcp* lcp);

/// group.c: solves the group whose first component is given; false: left to ODE.
bool poise__exact_group(PoiseExact* x, int component);

#endif
