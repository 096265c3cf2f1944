// SPDX-License-Identifier: MIT
// Shared by the files of the exact step. dWorldStep solves for a = v_new / h of the bodies:
//     M a = M v / h + f + J' lambda,   J a + C lambda = d,   low <= lambda <= high,
// where J are the joints' rows and lambda their forces; d = the rows' target speed / h, C = their
// CFM / h. The files here solve the same system by eliminating body after body, from the leaves of
// the tree of joints to its roots.
#ifndef POISE_EXACT_H
#define POISE_EXACT_H

#include <ode/ode.h>

#include "convert.h"
#include "exact_step.h"
#include "ode_joint.h"
#include "poise/base.h"

enum {
    /// Largest number of rows between a body and its parent in the tree; further rows go to the
    /// LCP.
    EXACT_TREE_ROWS = 6,
    /// Largest number of rows of a joint.
    EXACT_JOINT_ROWS = 6,
    /// Index that stands for no body, no joint or no row.
    EXACT_NONE = -1,
    /// Least number of rows of joints for which the exact step is faster than ODE's dense step; 7
    /// driven hinges have 42 rows.
    EXACT_LEAST_ROWS = 42,
    /// As EXACT_LEAST_ROWS, for each of two structures in a world; 6 driven hinges have 36 rows.
    EXACT_LEAST_BESIDE = 36
};

/// Numbers of a joint for which ODE has no getter; export_read.c reads them once.
typedef struct ExactHidden {
    bool known;
    double axis2[3]; ///< hinge, piston, PR: axis of rotation in the second body's frame
    /// slider, fixed: offset of the bodies; PR, PU: the anchor in the first body's frame
    double offset[3];
    double turn[4];  ///< slider, fixed: the relative rotation that the joint holds
    double axis1[3]; ///< hinge, slider: axis in the first body's frame at the time of reading
    int relative[3]; ///< LMotor: the body with which each axis turns
} ExactHidden;

/// A joint other than a contact. Its ends have ODE's inner order, in which the first end is a body.
typedef struct ExactJoint {
    dJointID id;
    dJointType type;
    dBodyID ends[2];
    int body[2];    ///< index of the dynamic body at each end, or EXACT_NONE
    bool reversed;  ///< the user attached it as (NULL, body)
    bool supported; ///< joint_rows.c can make its rows; false: its structure is left to ODE
    /// body that this joint connects to its parent in the tree; EXACT_NONE if it closes a loop
    int child;
    ExactHidden hidden;
} ExactJoint;

/// A body with its joints, which must be the same in each step, and its parent in the tree.
typedef struct ExactBody {
    dBodyID id;
    int parent; ///< index of the parent, smaller than that of the body; EXACT_NONE for a root
    int component;
    /// index in `attached` of its first joint; the list has ODE's order, without contacts
    int first_attached;
    int attached_count;
    /// index in `joints` of the first of the joints that are stored with this body
    int first_joint;
    int joint_count;
} ExactBody;

/// A set of bodies that joints connect; their indices are consecutive.
typedef struct ExactComponent {
    int first;
    int count;
    bool seen;      ///< the caller named its first body in this step
    bool supported; ///< joint_rows.c can make the rows of all its joints
    int rows;       ///< estimated upper bound of the number of its joints' rows
    int group; ///< first component of the group, the components that contacts connect in this step
    int next;  ///< next component of the group, or EXACT_NONE
    int contacts; ///< first contact in this step, or EXACT_NONE
    bool left;    ///< ODE solves its group in this step
} ExactComponent;

/// A contact joint that was made through poise_contact_create, for one step.
typedef struct ExactContact {
    dJointID id;
    dContact contact;
    int body[2];
    dBodyID ends[2];
    bool reversed;
    int next; ///< index of the next contact of the same component
} ExactContact;

/// A constraint row in J a + C lambda = d.
typedef struct ExactRow {
    double j[2][6]; ///< Jacobian for the joint's first and second body, each linear, then angular
    double d;
    double softness;
    double low;
    double high;
    double force;
    int body[2]; ///< indices of its bodies; EXACT_NONE: the end does not move
    int normal;  ///< contact row whose force scales the bounds of this row, or EXACT_NONE
    int owner;   ///< index in `owners` of the joint with this row
    int link;    ///< body that the row's joint connects to its parent, or EXACT_NONE
    bool in_tree;
    bool left_tree; ///< a motor's row that the LCP solves, and no longer the tree
    int pin;        ///< 1: the force is fixed at its upper limit; -1: at its lower; 0: not fixed
    double normal_force; ///< normal of a contact: its force in the solution without friction
} ExactRow;

/// Factors and vectors of one body in the elimination (tree.c). Matrices are row-major. Jc and Jp
/// are the rows between body and parent: the parts of the body and of the parent. D is the inertia
/// accumulated at the body.
typedef struct ExactNode {
    double u[6][6]; ///< Cholesky factor of D, upper, by rows
    double w[6][6]; ///< u'^-1 Jc': the rows' part of the body, divided by the factor of its inertia
    double v[6][6]; ///< upper Cholesky factor of C + Jc D^-1 Jc', the rows' matrix
    double y[6][6]; ///< v'^-1 Jp: the rows' part of the parent, divided by the factor v
    double u_inverse[6];
    double v_inverse[6];
    double b[6];
    double x[6];
    double f[6];
    double a[6];
    double mass;
    double inertia[3][3];
    double base[6];   ///< M v / h + f, without the forces of rows
    double before[6]; ///< force and torque on the body before the step
    bool loaded;      ///< the forces of its rows were added to the body's force
    /// force of motors that push against their stops, which ODE also applies to the bodies
    double applied[6];
    int row[EXACT_TREE_ROWS];
    int row_count;
} ExactNode;

/// The effect of a row outside the tree on one body of a path from the row's bodies to their root.
typedef struct ExactHit {
    double part[12]; ///< factors of the products with other rows (poise__exact_walk)
    int row;         ///< index of the row in `extras`
    int next;        ///< index of the hit of an earlier row at the same body, or EXACT_NONE
} ExactHit;

/// A linear complementarity problem with bounds, which lcp.c solves. Matrices are square and
/// row-major.
typedef struct ExactLcp {
    int count;
    double* matrix;
    double* q;
    double* low;
    double* high;
    double* x;
    double* w;
    double* factor;  ///< upper Cholesky factor of the free rows
    double* inverse; ///< 1 / diagonal of `factor`
    double* next_column;
    double* step;
    double* column;
    int* free_rows;
    int free_count;
    signed char* state; ///< by row: free, at a bound, or waiting
    signed char* begin; ///< by row: the state before the guesses
    signed char* next;  ///< by row: the state in the next guess
} ExactLcp;

/// An array that grows.
typedef struct ExactArray {
    void* data;
    size_t size;
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
    EXACT_UNREAD,  ///< a joint whose ExactHidden could not be read
    EXACT_FOREIGN, ///< a contact that was made by dJointCreateContact
    EXACT_ROLLING  ///< a contact with rolling friction
} ExactReason;

/// A joint that has rows in the group being solved.
typedef struct ExactOwner {
    dJointID id;
    dJointFeedback* feedback; ///< NULL: the user reads no feedback of the joint
    bool pair;                ///< the joint joins two bodies, not a body and the environment
} ExactOwner;

struct PoiseExact {
    PoiseHost host;
    dWorldID world;
    ExactArray memory[EXACT_MEMORY_COUNT];
    bool out_of_memory;

    // bodies that poise_stepper_watch named
    dBodyID* watched;
    int watched_count;

    // bodies and contacts named since the last step
    dBodyID* seen;
    int seen_count;
    int known_count;   ///< number of bodies named for the last step
    bool seen_changed; ///< the named bodies differ from those of the last step, or one is kinematic
    bool all_seen;     ///< each body of the structure is named
    ExactContact* contacts;
    int contact_count;

    bool takes_all; ///< also solves groups that ODE solves faster
    unsigned named; ///< reasons that were logged, as bits 1 << ExactReason
    bool checks;    ///< refuses bodies and results that are not finite
    bool lost;      ///< a number that was computed in this step is not finite

    // the named bodies with their joints and components; valid if `structured`
    bool structured;
    bool worth;     ///< a component, or two together, has enough rows for the exact step
    int least_rows; ///< groups with fewer rows are left to ODE in this step
    ExactBody* bodies;
    int body_count;
    int* visits; ///< bodies in the order of discovery: named, or joined to an earlier one
    dJointID* attached;
    ExactJoint* joints;
    int joint_count;
    ExactComponent* components;
    int component_count;
    dBodyID* map_keys; ///< bodies, the keys of a hash map with open addressing
    int* map_values;
    int map_size; ///< number of slots in the map, a power of 2

    // values of the present step
    double h;
    double softness; ///< the world's CFM
    double erp;
    ExactNode* nodes;
    dJointID* off; ///< joints that are disabled while ODE integrates
    int off_count;
    /// by body: number of contact joints made by other functions than poise_contact_create
    int* balance;

    // the group being solved
    int* group_bodies; ///< indices of the group's bodies, ascending
    int group_count;
    ExactRow* rows;
    int row_count;
    ExactOwner* owners;
    int owner_count;
    int* extras; ///< indices of the rows outside the tree
    int extra_count;
    int pinned_count; ///< number of rows pinned to a motor's limit, which are last in `extras`
    int limited_rows; ///< number of rows of the tree with limits
    ExactHit* hits;
    int hit_count;
    int* hit_at; ///< by body: index in `hits` of its last hit, or EXACT_NONE
    ExactLcp lcp;

    PoiseExactReport report;
};

/// memory.c: returns memory for at least `count` elements of `size` bytes, with its earlier
/// contents. Sets `out_of_memory` and returns NULL if memory runs out.
void* poise__exact_reserve(PoiseExact* x, ExactMemory which, size_t count, size_t size);

/// memory.c: logs the reason once, with the type of the joint that caused it.
void poise__exact_name(PoiseExact* x, ExactReason reason, dJointID joint);

/// structure.c: finds bodies, joints and trees from the named bodies. False if memory runs out.
bool poise__exact_structure_make(PoiseExact* x);
/// True if the same joints still connect the same bodies.
bool poise__exact_structure_holds(PoiseExact* x);
/// True if the exact step solves no structure, and each body has as many joints as when the
/// structures were found. Reads the bodies named for the last step, which must all exist.
bool poise__exact_counts_hold(PoiseExact* x);
/// memory.c: returns the index of a dynamic body; EXACT_NONE for other bodies.
int poise__exact_find(const PoiseExact* x, dBodyID body);
/// Stores the index of a body in the map, which must have room for it.
void poise__exact_put(PoiseExact* x, dBodyID body, int index);
/// Builds the map again, with room for at least 2 x `bodies` entries. False if memory runs out.
bool poise__exact_spread_map(PoiseExact* x, int bodies);

/// export_read.c: fills ExactJoint.hidden. A joint that it cannot read becomes unsupported.
void poise__exact_read_hidden(PoiseExact* x);

/// joint_rows.c: appends the rows of a joint, in ODE's order. False if memory runs out, or if axes
/// that it keeps at right angles are parallel.
bool poise__exact_joint_rows(PoiseExact* x, const ExactJoint* joint);
/// contact_rows.c: appends the rows of a contact, in ODE's order. False if memory runs out, or if
/// the contact has rolling friction.
bool poise__exact_contact_rows(PoiseExact* x, const ExactContact* contact);
/// row.c: appends an empty row between two bodies, with ODE's defaults. Its owner is the joint of
/// the last poise__exact_own.
ExactRow* poise__exact_row(PoiseExact* x, const int body[2]);
/// Divides a row's speed and CFM by h, which makes them d and C. Subtracts the velocity of
/// kinematic bodies from d.
void poise__exact_scale_row(const PoiseExact* x, ExactRow* row, const dBodyID ends[2]);
/// Makes the joint the owner of the rows appended next, and reserves memory for them. False if
/// memory runs out.
bool poise__exact_own(PoiseExact* x, dJointID id, const dBodyID ends[2]);

/// tree.c: factors the inertia of the group's bodies and the tree's rows. False if a pivot is not
/// positive.
bool poise__exact_factor(PoiseExact* x);
/// Solves for the accelerations a of the bodies and the forces of the tree's rows, given the forces
/// of the rows outside the tree.
void poise__exact_solve(PoiseExact* x);
/// Eliminates one body under a load: fills `part`, and replaces the load by the load on the parent.
/// Let two rows have parts p and q at the same body: the dot product of their first six numbers,
/// minus that of their last six, is the body's term in S (schur.c).
void poise__exact_walk(const PoiseExact* x, int body, double load[6], double part[12]);
/// Returns J a + C lambda of the row.
double poise__exact_row_speed(const PoiseExact* x, const ExactRow* row);

/// schur.c: fills the matrix S of the rows outside the tree, and sets up the LCP. False if memory
/// runs out.
bool poise__exact_schur(PoiseExact* x);
/// Fills q of the LCP with d - J a of the rows outside the tree, where `a` lacks their forces.
void poise__exact_lacks(PoiseExact* x);

/// lcp.c: makes the row wait: it has no force until poise__exact_lcp_solve adds the row.
void poise__exact_lcp_wait(ExactLcp* lcp, int row);
/// Solves for x, adding the waiting rows. False if the search does not end.
bool poise__exact_lcp_solve(ExactLcp* lcp);
/// Adds to the free rows the forces that change their w by `column`, in the order of `free_rows`.
void poise__exact_lcp_correct(ExactLcp* lcp);

/// group.c: solves the group whose first component is given. False if ODE has to solve the group.
bool poise__exact_group(PoiseExact* x, int component);

#endif
