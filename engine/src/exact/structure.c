// SPDX-License-Identifier: MIT
// Finds the bodies that joints connect, and orders them in trees. The root of a tree is a body with
// a joint to the ground, if any. A tree follows the joints with the most rows, so that joints
// outside it have the fewest. ODE lists the joints of a body, but not the bodies of a world, so the
// search starts at the named bodies. Later steps only check that nothing has changed.
#include <string.h>

#include "exact.h"

// --------------------------------------------------------------------------------------- discovery

static bool discover(PoiseExact* x, dBodyID body) {
    if (!poise__body_is_dynamic(body) || poise__exact_find(x, body) != EXACT_NONE) {
        return true;
    }
    x->bodies = (ExactBody*)poise__exact_reserve(x, EXACT_BODIES, (size_t)x->body_count + 1,
                                                 sizeof *x->bodies);
    if (x->out_of_memory ||
        (2 * x->body_count >= x->map_size && !poise__exact_spread_map(x, x->body_count))) {
        return false;
    }
    x->bodies[x->body_count] = (ExactBody){.id = body};
    poise__exact_put(x, body, x->body_count++);
    return true;
}

/// Appends all bodies that joints connect to the bodies from `first` on.
static bool discover_neighbours(PoiseExact* x, int first) {
    for (int i = first; i < x->body_count; i++) {
        const dBodyID body = x->bodies[i].id;
        const int count = dBodyGetNumJoints(body);
        for (int k = 0; k < count; k++) {
            const dJointID joint = dBodyGetJoint(body, k);
            if (dJointGetType(joint) != dJointTypeContact &&
                !discover(x, poise__ode_joint_other(joint, body))) {
                return false;
            }
        }
    }
    return true;
}

static bool discover_components(PoiseExact* x) {
    x->body_count = 0;
    x->component_count = 0;
    if (!poise__exact_spread_map(x, 0)) {
        return false;
    }
    for (int r = 0; r < x->seen_count; r++) {
        const int first = x->body_count;
        if (!discover(x, x->seen[r]) || !discover_neighbours(x, first)) {
            return false;
        }
        if (x->body_count == first) {
            continue;
        }
        x->components = (ExactComponent*)poise__exact_reserve(
            x, EXACT_COMPONENTS, (size_t)x->component_count + 1, sizeof *x->components);
        if (x->out_of_memory) {
            return false;
        }
        x->components[x->component_count++] =
            (ExactComponent){.first = first, .count = x->body_count - first, .supported = true};
    }
    return true;
}

// -------------------------------------------------------------------------------------------- tree

/// Returns the likely number of rows of a joint.
static int likely_rows(dJointID joint) {
    switch (dJointGetType(joint)) {
    case dJointTypeBall:
        return 3;
    case dJointTypeUniversal:
        return 4;
    case dJointTypeFixed:
        return 6;
    case dJointTypeAMotor:
        return dJointGetAMotorNumAxes(joint);
    case dJointTypeLMotor:
        return dJointGetLMotorNumAxes(joint);
    default:
        return 5;
    }
}

/// The state of a body while a tree is built.
typedef struct Reach {
    int parent; ///< index of the parent body in the order of discovery
    int weight; ///< number of rows of the joints to `parent`; -1: the body is in the tree
    int sum;
    int place; ///< index in the order of the tree
    int offer; ///< serial number of the offer of a parent; the earliest of equal weights wins
} Reach;

/// Criteria for the root of a tree, compared in this order; the largest wins. They depend neither
/// on the motion nor on the order of the named bodies, so that a restored world has the trees of
/// the saved one.
typedef struct Claim {
    double ground; ///< number of rows of its joints to the ground
    double joints;
    double seconds; ///< number of joints whose second body it is
    double mass;
} Claim;

static Claim claim_of(dBodyID body) {
    Claim claim = {0.0, 0.0, 0.0, 0.0};
    dMass mass;
    dBodyGetMass(body, &mass);
    claim.mass = (double)mass.mass;
    for (int k = 0; k < dBodyGetNumJoints(body); k++) {
        const dJointID joint = dBodyGetJoint(body, k);
        if (dJointGetType(joint) == dJointTypeContact) {
            continue;
        }
        claim.joints += 1.0;
        claim.seconds += dJointGetBody(joint, 1) == body;
        if (!poise__body_is_dynamic(poise__ode_joint_other(joint, body))) {
            claim.ground += likely_rows(joint);
        }
    }
    return claim;
}

static bool is_better(Claim a, Claim b) {
    const double firsts[4] = {a.ground, a.joints, a.seconds, a.mass};
    const double others[4] = {b.ground, b.joints, b.seconds, b.mass};
    int k = 0;
    while (k < 3 && firsts[k] == others[k]) {
        k++;
    }
    return firsts[k] > others[k];
}

static int find_root(const PoiseExact* x, const ExactComponent* component) {
    int best = component->first;
    Claim most = claim_of(x->bodies[best].id);
    for (int i = component->first + 1; i < component->first + component->count; i++) {
        const Claim claim = claim_of(x->bodies[i].id);
        if (is_better(claim, most)) {
            most = claim;
            best = i;
        }
    }
    return best;
}

/// Offers a body that was just added to the tree as a parent to its neighbours. A neighbour accepts
/// the parent to which its joints have the most rows.
static void offer(const PoiseExact* x, Reach* reach, int body, int* offers) {
    const dBodyID id = x->bodies[body].id;
    const int count = dBodyGetNumJoints(id);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < count; k++) {
            const dJointID joint = dBodyGetJoint(id, k);
            const int other = dJointGetType(joint) == dJointTypeContact
                                  ? EXACT_NONE
                                  : poise__exact_find(x, poise__ode_joint_other(joint, id));
            if (other == EXACT_NONE || reach[other].weight < 0) {
                continue;
            }
            if (pass == 0) {
                reach[other].sum += likely_rows(joint);
                continue;
            }
            const int rows =
                reach[other].sum > EXACT_TREE_ROWS ? EXACT_TREE_ROWS : reach[other].sum;
            reach[other].sum = 0;
            if (rows > reach[other].weight) {
                reach[other].weight = rows;
                reach[other].parent = body;
                reach[other].offer = ++*offers;
            }
        }
    }
}

/// Orders the component's bodies, parents first, by Prim's algorithm for the tree of the most rows.
static void order_component(PoiseExact* x, const ExactComponent* component, Reach* reach,
                            ExactBody* ordered) {
    const int end = component->first + component->count;
    int next = find_root(x, component);
    int offers = 0;
    reach[next].parent = EXACT_NONE;
    for (int place = component->first; place < end; place++) {
        const int parent = reach[next].parent;
        ordered[place] = x->bodies[next];
        ordered[place].parent = parent == EXACT_NONE ? EXACT_NONE : reach[parent].place;
        ordered[place].component = (int)(component - x->components);
        reach[next].place = place;
        reach[next].weight = -1;
        offer(x, reach, next, &offers);
        int most = 0;
        for (int i = component->first; i < end; i++) {
            if (reach[i].weight > most ||
                (reach[i].weight == most && most > 0 && reach[i].offer < reach[next].offer)) {
                most = reach[i].weight;
                next = i;
            }
        }
    }
}

static bool hang_trees(PoiseExact* x) {
    const size_t count = (size_t)x->body_count;
    char* memory =
        (char*)poise__exact_reserve(x, EXACT_ORDER, count + 1, sizeof(Reach) + sizeof(ExactBody));
    x->visits = (int*)poise__exact_reserve(x, EXACT_VISITS, count + 1, sizeof(int));
    if (x->out_of_memory) {
        return false;
    }
    ExactBody* ordered = (ExactBody*)(void*)memory;
    Reach* reach = (Reach*)(void*)(memory + count * sizeof(ExactBody));
    memset(reach, 0, count * sizeof(Reach));
    for (int c = 0; c < x->component_count; c++) {
        order_component(x, &x->components[c], reach, ordered);
    }
    for (size_t i = 0; i < count; i++) {
        x->visits[i] = reach[i].place;
    }
    if (count > 0) {
        memcpy(x->bodies, ordered, count * sizeof(ExactBody));
    }
    return poise__exact_spread_map(x, x->body_count);
}

// ------------------------------------------------------------------------------------------ joints

static bool is_supported(dJointID joint) {
    switch (dJointGetType(joint)) {
    case dJointTypePiston:
    case dJointTypePR:
    case dJointTypePU:
        // ODE lets the body of a joint attached as (0, body) fly off
        return dJointGetBody(joint, 0) != NULL;
    case dJointTypeHinge2:
        return dJointGetBody(joint, 0) && dJointGetBody(joint, 1);
    case dJointTypeBall:
    case dJointTypeHinge:
    case dJointTypeSlider:
    case dJointTypeFixed:
    case dJointTypeUniversal:
    case dJointTypeLMotor:
    case dJointTypeNull:
        return true;
    case dJointTypeAMotor:
        return dJointGetAMotorMode(joint) == dAMotorUser;
    default:
        return false;
    }
}

static void find_child(const PoiseExact* x, ExactJoint* joint) {
    joint->child = EXACT_NONE;
    for (int side = 0; side < 2; side++) {
        const int body = joint->body[side];
        if (body != EXACT_NONE && x->bodies[body].parent == joint->body[!side]) {
            joint->child = body;
        }
    }
}

static bool add_joint(PoiseExact* x, dJointID id) {
    x->joints = (ExactJoint*)poise__exact_reserve(x, EXACT_JOINTS, (size_t)x->joint_count + 1,
                                                  sizeof *x->joints);
    if (x->out_of_memory) {
        return false;
    }
    ExactJoint* joint = &x->joints[x->joint_count++];
    memset(joint, 0, sizeof *joint);
    joint->id = id;
    joint->type = dJointGetType(id);
    joint->reversed = !dJointGetBody(id, 0);
    for (int side = 0; side < 2; side++) {
        joint->ends[side] = dJointGetBody(id, joint->reversed ? !side : side);
        joint->body[side] = poise__exact_find(x, joint->ends[side]);
    }
    joint->supported = is_supported(id);
    find_child(x, joint);
    return true;
}

static bool list_joints(PoiseExact* x) {
    x->joint_count = 0;
    int attached = 0;
    for (int i = 0; i < x->body_count; i++) {
        ExactBody* body = &x->bodies[i];
        body->first_joint = x->joint_count;
        body->first_attached = attached;
        for (int k = 0; k < dBodyGetNumJoints(body->id); k++) {
            const dJointID joint = dBodyGetJoint(body->id, k);
            if (dJointGetType(joint) == dJointTypeContact) {
                continue;
            }
            x->attached = (dJointID*)poise__exact_reserve(x, EXACT_ATTACHED, (size_t)attached + 1,
                                                          sizeof(dJointID));
            if (x->out_of_memory) {
                return false;
            }
            x->attached[attached++] = joint;
            const int other = poise__exact_find(x, poise__ode_joint_other(joint, body->id));
            if ((other == EXACT_NONE || other > i) && !add_joint(x, joint)) {
                return false;
            }
        }
        body->attached_count = attached - body->first_attached;
        body->joint_count = x->joint_count - body->first_joint;
    }
    return true;
}

static ExactComponent* component_of(const PoiseExact* x, const ExactJoint* joint) {
    const int body = joint->body[joint->body[0] == EXACT_NONE];
    return &x->components[x->bodies[body].component];
}

/// True if a structure, or two together, has enough rows for the exact step. Otherwise the export
/// of export_read.c is not needed.
static bool is_worth(const PoiseExact* x) {
    bool worth = x->takes_all;
    int rows = 0;
    for (int c = 0; c < x->component_count; c++) {
        const int own = x->components[c].rows;
        worth = worth || own >= EXACT_LEAST_ROWS;
        rows += own >= EXACT_LEAST_BESIDE ? own : 0;
    }
    return worth || rows >= 2 * EXACT_LEAST_BESIDE;
}

bool poise__exact_structure_make(PoiseExact* x) {
    x->structured = false;
    x->seen_changed = true;
    if (!discover_components(x) || !hang_trees(x) || !list_joints(x)) {
        return false;
    }
    for (int j = 0; j < x->joint_count; j++) {
        component_of(x, &x->joints[j])->rows += likely_rows(x->joints[j].id);
    }
    x->worth = is_worth(x);
    if (x->worth) {
        poise__exact_read_hidden(x);
    }
    for (int j = 0; j < x->joint_count; j++) {
        const ExactJoint* joint = &x->joints[j];
        ExactComponent* component = component_of(x, joint);
        component->supported = component->supported && x->worth && joint->supported;
        if (!joint->supported && component->rows >= EXACT_LEAST_ROWS) {
            poise__exact_name(x, is_supported(joint->id) ? EXACT_UNREAD : EXACT_KIND, joint->id);
        }
    }
    x->structured = !x->out_of_memory;
    return x->structured;
}

// --------------------------------------------------------------------------------------- comparing

/// True if the body still has the joints of the structure. Adds the number of its contacts to
/// `contacts`.
static bool body_holds(const PoiseExact* x, const ExactBody* body, int* contacts) {
    if (dBodyIsKinematic(body->id)) {
        return false;
    }
    const int count = dBodyGetNumJoints(body->id);
    int place = 0;
    for (int k = 0; k < count; k++) {
        const dJointID joint = dBodyGetJoint(body->id, k);
        if (place < body->attached_count && x->attached[body->first_attached + place] == joint) {
            place++;
        } else if (dJointGetType(joint) == dJointTypeContact) {
            ++*contacts;
        } else {
            return false;
        }
    }
    return place == body->attached_count;
}

static bool joint_holds(const ExactJoint* joint) {
    for (int side = 0; side < 2; side++) {
        const dBodyID end = dJointGetBody(joint->id, joint->reversed ? !side : side);
        if (end != joint->ends[side] ||
            (joint->body[side] == EXACT_NONE && poise__body_is_dynamic(end))) {
            return false;
        }
    }
    return dJointGetType(joint->id) == joint->type;
}

/// True if all named bodies are in the structure, and the first body of each component is named.
static bool seen_hold(PoiseExact* x) {
    for (int c = 0; c < x->component_count; c++) {
        x->components[c].seen = false;
    }
    for (int i = 0; i < x->body_count; i++) {
        x->balance[i] = 0;
    }
    int distinct = 0;
    x->seen_changed = false;
    for (int k = 0; k < x->seen_count; k++) {
        if (!poise__body_is_dynamic(x->seen[k])) {
            // a kinematic body may become dynamic, so that forces move it in the next step
            x->seen_changed = true;
            continue;
        }
        const int body = poise__exact_find(x, x->seen[k]);
        if (body == EXACT_NONE) {
            return false;
        }
        distinct += x->balance[body]++ == 0;
        ExactComponent* component = &x->components[x->bodies[body].component];
        component->seen = component->seen || x->visits[component->first] == body;
    }
    x->all_seen = distinct == x->body_count;
    for (int c = 0; c < x->component_count; c++) {
        if (!x->components[c].seen) {
            return false;
        }
    }
    return true;
}

bool poise__exact_counts_hold(PoiseExact* x) {
    if (!x->structured || x->worth || x->seen_changed || !x->all_seen ||
        x->seen_count != x->known_count) {
        return false;
    }
    // number of contact joints at the bodies, minus those that poise_contact_create made
    int contacts = 0;
    for (int i = 0; i < x->body_count; i++) {
        contacts += dBodyGetNumJoints(x->bodies[i].id) - x->bodies[i].attached_count;
    }
    for (int k = 0; k < x->contact_count; k++) {
        for (int side = 0; side < 2; side++) {
            contacts -= poise__body_is_dynamic(dJointGetBody(x->contacts[k].id, side));
        }
    }
    return contacts == 0;
}

bool poise__exact_structure_holds(PoiseExact* x) {
    const bool same = !x->seen_changed && x->seen_count == x->known_count;
    if (!x->structured || (!same && !seen_hold(x))) {
        return false;
    }
    x->known_count = x->seen_count;
    // the body exists, because an earlier body's joint has it or the caller named it
    for (int k = 0; k < x->body_count; k++) {
        const int i = x->visits[k];
        const ExactBody* body = &x->bodies[i];
        x->balance[i] = 0;
        if (!body_holds(x, body, &x->balance[i])) {
            return false;
        }
        for (int j = body->first_joint; j < body->first_joint + body->joint_count; j++) {
            if (!joint_holds(&x->joints[j])) {
                return false;
            }
        }
    }
    return true;
}
