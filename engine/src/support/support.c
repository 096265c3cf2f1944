// SPDX-License-Identifier: MIT
// Reports whether the ground can carry a floating base, why not, and which multiple of the asked
// forces it could carry. Uses RigState.supports, which stance_forces.c has filled in the last
// update. Warns of bases that the ground cannot carry.
#include <string.h>

#include "numbers.h"
#include "poise/stance.h"
#include "support.h"

// The base slides or tips if the square of the corresponding part of the missing load exceeds this
// fraction of the whole square.
#define TAKES_PART 0.1

static PoiseVec3 support_force(const double load[WRENCH]) {
    return poise_vec3(load[0], load[1], load[2]);
}

static PoiseVec3 support_moment(const double load[WRENCH]) {
    return poise_vec3(load[3], load[4], load[5]);
}

// Returns the verdict on the missing load. Force along the ground and moment about its normal need
// friction, so without them the base slides. Force along the normal and moment about axes in the
// ground need normal force, so without them it tips.
static unsigned verdict_of(const Support* support, PoiseVec3 normal) {
    const PoiseVec3 f = support_force(support->missing);
    const PoiseVec3 m = support_moment(support->missing);
    const double up = poise_dot(f, normal);
    const double twist = poise_dot(m, normal);
    const double all = poise_dot(f, f) + poise_dot(m, m);
    const double along = poise_dot(f, f) - up * up + twist * twist;
    unsigned verdict = 0;
    verdict |= along > TAKES_PART * all ? (unsigned)POISE_SUPPORT_SLIDES : 0u;
    verdict |= all - along > TAKES_PART * all ? (unsigned)POISE_SUPPORT_TIPS : 0u;
    return verdict;
}

// Returns the mean of the normals at all stance points of the base, length 1.
static PoiseVec3 normal_of(const PoiseRig* rig, const Support* support) {
    PoiseVec3 sum = poise_vec3(0.0, 0.0, 0.0);
    for (int i = 0; i < rig->state.stance_count; i++) {
        const Stance* stance = &rig->state.stances[i];
        if (poise__stands_on(stance, support->root)) {
            sum = poise_add(sum, poise_length(stance->def.normal) > 0.0 ? stance->def.normal
                                                                        : support->up);
        }
    }
    const double length = poise_length(sum);
    return length > 0.0 ? poise_scale(1.0 / length, sum) : sum;
}

// Returns the largest multiple of the asked forces that the ground can carry, by bisection.
static double find_part(PoiseRig* rig, const Support* support) {
    enum { HALVINGS = 40 };
    const double most = 1e3;
    double missing[WRENCH];
    const int contacts = poise__support_contacts(&rig->state, support);
    if (poise__numbers_dot(support->pressed, support->pressed, WRENCH) == 0.0 ||
        poise__support_share(&rig->state, support, contacts, most, missing)) {
        return HUGE_VAL;
    }
    if (!support->carried && !poise__support_share(&rig->state, support, contacts, 0.0, missing)) {
        return 0.0;
    }
    double lower = support->carried ? 1.0 : 0.0;
    double upper = support->carried ? most : 1.0;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (lower + upper);
        if (poise__support_share(&rig->state, support, contacts, middle, missing)) {
            lower = middle;
        } else {
            upper = middle;
        }
    }
    return lower;
}

// Fills out->friction: the largest friction force of a stance point, as a fraction of the point's
// limit.
static void find_use(const PoiseRig* rig, const Support* support, PoiseSupport* out) {
    for (int i = 0; i < rig->state.stance_count; i++) {
        const Stance* stance = &rig->state.stances[i];
        if (stance->root != support->root || !stance->carries) {
            continue;
        }
        SupportContact contact;
        poise__stance_contact(stance, support->centre, support->up, &contact);
        const double* n = contact.axes[0];
        const PoiseVec3 normal = poise_vec3(n[0], n[1], n[2]);
        const double push = poise_dot(stance->force, normal);
        const PoiseVec3 friction = poise_add_scaled(stance->force, -push, normal);
        const double most = poise__stance_friction(stance) * push;
        if (most > 0.0 && !contact.cone.open) {
            out->friction = poise_max(out->friction, poise_length(friction) / most);
        }
    }
}

static void read_support(PoiseRig* rig, const Support* found, PoiseSupport* support) {
    memset(support, 0, sizeof *support);
    const double* w = found->weight;
    const double* p = found->pressed;
    support->centre = found->centre;
    support->force = poise_vec3(w[0] + p[0], w[1] + p[1], w[2] + p[2]);
    support->moment = poise_vec3(w[3] + p[3], w[4] + p[4], w[5] + p[5]);
    if (!found->carried) {
        support->missing_force = support_force(found->missing);
        support->missing_moment = support_moment(found->missing);
        support->verdict = verdict_of(found, normal_of(rig, found));
    }
    find_use(rig, found, support);
    support->part = find_part(rig, found);
}

PoiseStatus poise_rig_read_support(PoiseRig* rig, PoiseNodeId base, PoiseSupport* support) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!support) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_rig_read_support: support is NULL");
    }
    const Binding* binding = poise__binding(rig, base);
    const Support* found = NULL;
    for (int i = 0; i < rig->state.support_count; i++) {
        if (base.index1 == 0 || &rig->bindings[rig->state.supports[i].root] == binding) {
            found = found ? found : &rig->state.supports[i];
        }
    }
    if (!found) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_HANDLE,
                               "poise_rig_read_support: node %u is no floating base that stood on "
                               "a point in the last update",
                               (unsigned)base.index1);
    }
    read_support(rig, found, support);
    return found->carried ? POISE_OK : POISE_DEGRADED;
}

int poise__support_watch(PoiseRig* rig) {
    int count = 0;
    const Support* first = NULL;
    for (int i = rig->state.support_count - 1; i >= 0; i--) {
        const Support* support = &rig->state.supports[i];
        count += !support->carried;
        first = support->carried ? first : support;
    }
    if (first && !rig->logged_support && rig->host.log) {
        PoiseSupport support;
        read_support(rig, first, &support);
        poise__rig_warn(
            rig,
            "poise_rig_update: the base of node %u %s: its points cannot give %.3g N and "
            "%.3g N m of what its weight and forces ask of the ground; ask for less (%.2g of "
            "the forces could be carried), or give it more points, sole or friction",
            (unsigned)rig->bindings[first->root].node.index1,
            poise_support_verdict_name(support.verdict), poise_length(support.missing_force),
            poise_length(support.missing_moment), support.part);
    }
    rig->logged_support = count > 0;
    return count;
}

const char* poise_support_verdict_name(unsigned verdict) {
    if ((verdict & POISE_SUPPORT_SLIDES) != 0 && (verdict & POISE_SUPPORT_TIPS) != 0) {
        return "slides and tips over";
    }
    if ((verdict & POISE_SUPPORT_SLIDES) != 0) {
        return "slides";
    }
    return (verdict & POISE_SUPPORT_TIPS) != 0 ? "tips over" : "stands";
}
