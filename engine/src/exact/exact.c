// SPDX-License-Identifier: MIT
// Steps a world: finds the groups of bodies that joints and contacts connect, and solves each
// supported group. dWorldStep then integrates with the forces found, and solves the remaining
// groups itself.
#include <string.h>

#include "convert.h"
#include "exact.h"
#include "exact_step.h"

enum { FIRST_CONTACTS = 64 };

PoiseExact* poise__exact_create(dWorldID world, const PoiseHost* host) {
    PoiseExact* x = (PoiseExact*)poise_host_allocate(host, sizeof *x);
    if (x) {
        memset(x, 0, sizeof *x);
        x->host = *host;
        x->world = world;
        // allocates memory for the first contacts now, so that their step allocates nothing
        x->contacts = (ExactContact*)poise__exact_reserve(x, EXACT_CONTACTS, FIRST_CONTACTS,
                                                          sizeof *x->contacts);
        if (x->out_of_memory) {
            poise__exact_destroy(x);
            return NULL;
        }
    }
    return x;
}

void poise__exact_destroy(PoiseExact* x) {
    if (!x) {
        return;
    }
    PoiseHost host = x->host;
    for (int i = 0; i < EXACT_MEMORY_COUNT; i++) {
        poise_host_release(&host, x->memory[i].data, x->memory[i].size);
    }
    poise_host_release(&host, x, sizeof *x);
}

void poise__exact_see(PoiseExact* x, dBodyID body) {
    x->seen = (dBodyID*)poise__exact_reserve(x, EXACT_SEEN, (size_t)x->seen_count + 1, sizeof body);
    if (!x->out_of_memory) {
        x->seen_changed =
            x->seen_changed || x->seen_count >= x->known_count || x->seen[x->seen_count] != body;
        x->seen[x->seen_count++] = body;
    }
}

void poise__exact_contact(PoiseExact* x, dJointID joint, const dContact* contact) {
    x->contacts = (ExactContact*)poise__exact_reserve(
        x, EXACT_CONTACTS, (size_t)x->contact_count + 1, sizeof *x->contacts);
    if (!x->out_of_memory) {
        x->contacts[x->contact_count++] = (ExactContact){.id = joint, .contact = *contact};
    }
}

void poise__exact_forget_contacts(PoiseExact* x) {
    x->contact_count = 0;
}

void poise__exact_take_all(PoiseExact* x) {
    x->takes_all = true;
}

void poise__exact_check_bodies(PoiseExact* x) {
    x->checks = true;
}

void poise__exact_renew(PoiseExact* x) {
    x->structured = false;
}

PoiseExactReport poise__exact_report(const PoiseExact* x) {
    return x->report;
}

// ------------------------------------------------------------------------------------------ groups

static int group_of(PoiseExact* x, int component) {
    while (x->components[component].group != component) {
        component = x->components[component].group;
    }
    return component;
}

static void join(PoiseExact* x, int a, int b) {
    a = group_of(x, a);
    b = group_of(x, b);
    if (a < b) {
        x->components[b].group = a;
    } else {
        x->components[a].group = b;
    }
}

static void read_contact(PoiseExact* x, ExactContact* contact) {
    contact->reversed = !dJointGetBody(contact->id, 0);
    for (int side = 0; side < 2; side++) {
        contact->ends[side] = dJointGetBody(contact->id, contact->reversed ? !side : side);
        contact->body[side] = poise__exact_find(x, contact->ends[side]);
        if (contact->body[side] != EXACT_NONE) {
            x->balance[contact->body[side]]--;
        }
    }
}

/// Adds the contact to the list of a component, and joins the groups of its two bodies.
static void place_contact(PoiseExact* x, int place) {
    ExactContact* contact = &x->contacts[place];
    int component = EXACT_NONE;
    for (int side = 0; side < 2; side++) {
        const int body = contact->body[side];
        if (body == EXACT_NONE) {
            continue;
        }
        const int other = x->bodies[body].component;
        if (component != EXACT_NONE) {
            join(x, component, other);
        }
        component = component == EXACT_NONE ? other : component;
        if (poise__body_is_dynamic(contact->ends[!side]) && contact->body[!side] == EXACT_NONE) {
            x->components[other].left = true;
        }
    }
    if (component != EXACT_NONE) {
        contact->next = x->components[component].contacts;
        x->components[component].contacts = place;
    }
}

static void form_groups(PoiseExact* x) {
    for (int c = 0; c < x->component_count; c++) {
        ExactComponent* component = &x->components[c];
        component->group = c;
        component->next = EXACT_NONE;
        component->contacts = EXACT_NONE;
        component->left = !component->supported;
    }
    for (int k = 0; k < x->contact_count; k++) {
        read_contact(x, &x->contacts[k]);
    }
    // each contact becomes the first of its list: goes backwards, so that the lists have the order
    // of creation
    for (int k = x->contact_count - 1; k >= 0; k--) {
        place_contact(x, k);
    }
    for (int i = 0; i < x->body_count; i++) {
        ExactComponent* component = &x->components[x->bodies[i].component];
        x->nodes[i].loaded = false;
        if (x->balance[i] != 0) {
            component->left = true;
            // ODE lists the newest joint first
            if (component->supported && component->rows >= EXACT_LEAST_ROWS) {
                poise__exact_name(x, EXACT_FOREIGN, dBodyGetJoint(x->bodies[i].id, 0));
            }
        }
    }
    for (int c = x->component_count - 1; c >= 0; c--) {
        const int first = group_of(x, c);
        ExactComponent* component = &x->components[c];
        if (first != c) {
            component->next = x->components[first].next;
            x->components[first].next = c;
            x->components[first].left = x->components[first].left || component->left;
        }
    }
}

/// How many of a group's bodies sleep, and whether some may fall asleep.
typedef struct Activity {
    int awake;
    int asleep;
    bool drowsy; ///< ODE may disable one of the bodies in the step, because it moves slowly
} Activity;

/// True if ODE may disable (put to sleep) the body at the start of dWorldStep. ODE counts the steps
/// in which a body was slow, but has no getter for the count. It does not disable a fast body.
static bool is_drowsy(dBodyID body) {
    const int samples =
        dBodyGetAutoDisableFlag(body) ? dBodyGetAutoDisableAverageSamplesCount(body) : 0;
    if (samples != 1) {
        return samples > 1; // ODE has no getter for velocities averaged over samples
    }
    const dReal* v = dBodyGetLinearVel(body);
    const dReal* w = dBodyGetAngularVel(body);
    const double linear = (double)dBodyGetAutoDisableLinearThreshold(body);
    const double angular = (double)dBodyGetAutoDisableAngularThreshold(body);
    // ODE stores the squares of the thresholds, so their roots have rounding errors
    const double rounding = 1.0 + 1e-9;
    return (double)dCalcVectorDot3(v, v) <= linear * linear * rounding &&
           (double)dCalcVectorDot3(w, w) <= angular * angular * rounding;
}

static Activity activity_of(const PoiseExact* x, int component) {
    Activity activity = {0};
    for (int c = component; c != EXACT_NONE; c = x->components[c].next) {
        const int end = x->components[c].first + x->components[c].count;
        for (int i = x->components[c].first; i < end; i++) {
            const dBodyID body = x->bodies[i].id;
            const bool awake = dBodyIsEnabled(body) != 0;
            activity.awake += awake;
            activity.asleep += !awake;
            activity.drowsy = activity.drowsy || is_drowsy(body);
        }
    }
    return activity;
}

/// Returns the number of rows of the component without rows of motors that are off.
static int count_live_rows(const PoiseExact* x, const ExactComponent* component) {
    int rows = component->rows;
    // a large component has enough rows without looking at its motors
    const int end =
        component->rows < 2 * EXACT_LEAST_ROWS ? component->first + component->count : 0;
    for (int i = component->first; i < end; i++) {
        const ExactBody* body = &x->bodies[i];
        for (int j = body->first_joint; j < body->first_joint + body->joint_count; j++) {
            const dJointID joint = x->joints[j].id;
            const int axes =
                x->joints[j].type == dJointTypeAMotor ? dJointGetAMotorNumAxes(joint) : 0;
            for (int k = 0; k < axes; k++) {
                const dReal most = dJointGetAMotorParam(joint, dParamFMax + k * dParamGroup);
                rows -= !(most > 0.0);
            }
        }
    }
    return rows;
}

/// True if some group may have enough rows for the exact step. Sets x->least_rows.
static bool is_any_worth(PoiseExact* x) {
    if (!x->worth || x->takes_all) {
        return x->takes_all;
    }
    const int two = 2 * EXACT_LEAST_BESIDE;
    int rows = 0;
    for (int c = 0; c < x->component_count && rows < two; c++) {
        rows += count_live_rows(x, &x->components[c]);
    }
    x->least_rows = rows < two ? EXACT_LEAST_ROWS : EXACT_LEAST_BESIDE;
    return rows >= EXACT_LEAST_ROWS;
}

/// True if the exact step of a group is faster than ODE's own: the group has enough rows of joints,
/// and at most a third as many contacts.
static bool is_worth(const PoiseExact* x, int component) {
    int rows = 0;
    int contacts = 0;
    for (int c = component; c != EXACT_NONE; c = x->components[c].next) {
        rows += count_live_rows(x, &x->components[c]);
        for (int k = x->components[c].contacts; k != EXACT_NONE; k = x->contacts[k].next) {
            contacts++;
        }
    }
    return x->takes_all || (rows >= x->least_rows && 3 * contacts <= rows);
}

static void solve_groups(PoiseExact* x) {
    for (int c = 0; c < x->component_count; c++) {
        const ExactComponent* component = &x->components[c];
        if (component->group != c) {
            continue;
        }
        const Activity activity = activity_of(x, c);
        if (activity.awake == 0) {
            continue;
        }
        const bool tried = !component->left && is_worth(x, c) && !activity.drowsy;
        if (!tried || !poise__exact_group(x, c)) {
            x->report.left++;
            x->report.failed += tried;
            continue;
        }
        x->report.solved++;
        // ODE wakes a sleeping body that is connected to an awake one
        for (int k = activity.asleep > 0 ? c : EXACT_NONE; k != EXACT_NONE;) {
            for (int i = 0; i < x->components[k].count; i++) {
                dBodyEnable(x->bodies[x->components[k].first + i].id);
            }
            k = x->components[k].next;
        }
    }
}

// -------------------------------------------------------------------------------------------- step

/// Reserves memory for later contacts and stops, so that steps with them allocate nothing: 64
/// contacts, and 128 rows outside the trees on paths of 8 bodies to the root.
static void reserve_ahead(PoiseExact* x) {
    enum { CONTACTS = FIRST_CONTACTS, ROWS = 128, PATHS = 8 * ROWS };
    const size_t joints = (size_t)x->joint_count + CONTACTS;
    const size_t rows = 6 * joints;
    poise__exact_reserve(x, EXACT_ROWS, rows, sizeof(ExactRow));
    poise__exact_reserve(x, EXACT_OWNERS, joints, sizeof(ExactOwner));
    poise__exact_reserve(x, EXACT_OFF, joints, sizeof(dJointID));
    poise__exact_reserve(x, EXACT_EXTRAS, rows, sizeof(int));
    poise__exact_reserve(x, EXACT_HITS, PATHS, sizeof(ExactHit));
    poise__exact_reserve(x, EXACT_NUMBERS, (2 * ROWS + 9) * ROWS, sizeof(double));
    poise__exact_reserve(x, EXACT_STATES, 3 * ROWS, 1);
    poise__exact_reserve(x, EXACT_INTEGERS, ROWS, sizeof(int));
    x->off = (dJointID*)x->memory[EXACT_OFF].data;
    x->out_of_memory = false; // no error yet: a step that needs this memory reserves it again
}

static bool reserve_step(PoiseExact* x) {
    const size_t n = (size_t)x->body_count + 1;
    x->nodes = (ExactNode*)poise__exact_reserve(x, EXACT_NODES, n, sizeof(ExactNode));
    int* places = (int*)poise__exact_reserve(x, EXACT_PLACES, 3 * n, sizeof(int));
    if (x->out_of_memory) {
        return false;
    }
    if (x->worth) {
        reserve_ahead(x);
    }
    x->group_bodies = places;
    x->hit_at = places + n;
    x->balance = places + 2 * n;
    return true;
}

/// Restores the bodies' forces from before the step.
static void restore_forces(const PoiseExact* x) {
    for (int i = 0; i < x->body_count; i++) {
        const double* f = x->nodes[i].before;
        if (x->nodes[i].loaded) {
            dBodySetForce(x->bodies[i].id, (dReal)f[0], (dReal)f[1], (dReal)f[2]);
            dBodySetTorque(x->bodies[i].id, (dReal)f[3], (dReal)f[4], (dReal)f[5]);
        }
    }
}

/// Updates the structure of joints and the memory for a step of h. False if memory runs out.
static bool prepare(PoiseExact* x, double h) {
    x->off_count = 0;
    x->report = (PoiseExactReport){0};
    if (poise__exact_counts_hold(x)) {
        return true;
    }
    x->h = h;
    x->softness = (double)dWorldGetCFM(x->world);
    x->erp = (double)dWorldGetERP(x->world);
    return poise__exact_structure_holds(x) ||
           (poise__exact_structure_make(x) && reserve_step(x) && poise__exact_structure_holds(x));
}

static bool are_finite(const PoiseExact* x) {
    double sum = 0.0;
    for (int i = 0; i < x->body_count; i++) {
        const dReal* force = dBodyGetForce(x->bodies[i].id);
        const dReal* torque = dBodyGetTorque(x->bodies[i].id);
        for (int k = 0; k < 3; k++) {
            sum += 0.0 * ((double)force[k] + (double)torque[k]);
        }
        if (!poise__body_is_finite(x->bodies[i].id)) {
            return false;
        }
    }
    return sum == 0.0;
}

PoiseStatus poise__exact_step(PoiseExact* x, double h) {
    x->lost = false;
    // memory may have run out when a body or contact was named
    const bool ready = !x->out_of_memory && prepare(x, h);
    bool refused = ready && x->checks && !are_finite(x);
    const bool solves = ready && !refused && is_any_worth(x);
    if (solves) {
        form_groups(x);
        solve_groups(x);
        refused = x->checks && x->lost;
    } else {
        x->report.left = x->component_count;
    }
    const bool is_short = x->out_of_memory;
    bool stepped = false;
    if (!refused && !is_short) {
        for (int k = 0; k < x->off_count; k++) {
            dJointDisable(x->off[k]);
        }
        stepped = dWorldStep(x->world, (dReal)h) != 0;
        for (int k = 0; k < x->off_count; k++) {
            dJointEnable(x->off[k]);
        }
    }
    if (!stepped && solves) {
        restore_forces(x);
    }
    if (is_short) {
        poise__exact_renew(x);
    }
    x->out_of_memory = false;
    x->seen_count = 0;
    x->contact_count = 0;
    return refused ? POISE_ERROR_INVALID_ARGUMENT : stepped ? POISE_OK : POISE_ERROR_OUT_OF_MEMORY;
}
