// SPDX-License-Identifier: MIT
// Where a rig rests. By balance alone where nothing is in its way; where torque limits hold joints
// back, or a weight sinks, or no balance is found, by what a rehearsal comes to.
#include "statics.h"

enum { MOST_WHILES = 20, MOST_SLIPS = 4 };

// the parts of a point's error that it may change by in a while, and in the second half of all
#define BY_LITTLE 0.01
#define HARDLY    0.001
// a rest found again: its misses differ by no more than this part
#define AGAIN 0.0005
// rad, m: so far apart two postures give way alike, to well below 1 %
#define SAME_POSTURE 2e-3
#define SAME_PRESS   1e-4 // and press alike
// and so far apart what is between them is alike
#define NEAR_POSTURE 0.1

// by the first way that leads to a rest
static PoiseStatus balance(Rest* rest, PoiseRig* rig) {
    Equilibrium* equilibrium = &rest->equilibrium;
    PoiseStatus status = POISE_OK;
    for (int way = WAY_DIRECT;
         status >= 0 && !rest->common.rests && equilibrium->clamps && way < WAYS; way++) {
        poise__equilibrium_finish(equilibrium);
        status = poise__equilibrium_open(equilibrium, rig, rest->dt);
        rest->common.rests =
            status >= 0 && poise__equilibrium_rest(equilibrium, (Way)way, LEAD_OUT);
        status = status < 0 ? status : poise__equilibrium_memory(equilibrium);
    }
    rest->common.held_back = equilibrium->touched;
    if (status >= 0 && rest->common.rests) {
        status = poise__equilibrium_ways(rig, equilibrium, &rest->common);
    }
    return status;
}

static PoiseStatus keep(PoiseTree** kept, const PoiseTree* tree) {
    poise_tree_destroy(*kept);
    *kept = poise_tree_clone(tree);
    return *kept ? POISE_OK : POISE_ERROR_OUT_OF_MEMORY;
}

// Where the springs balance near where the rehearsal has come to. Whether it is there: no body
// moves any more; or its points swing about it; or it was found before, and they have come nearer
// since.
static PoiseStatus look_around(Rest* rest, bool still, bool* there) {
    Equilibrium* equilibrium = &rest->equilibrium;
    poise__equilibrium_finish(equilibrium);
    PoiseStatus status = poise__equilibrium_open(equilibrium, rest->rehearsal.rig, rest->dt);
    status = status < 0 ? status : keep(&rest->came, equilibrium->state.tree);
    if (status < 0) {
        return status;
    }
    const PoiseTree* tree = equilibrium->state.tree;
    if (rest->common.rubs) {
        // friction is in no balance: which joints are at their limits where the bodies are
        *there = rest->stays = still;
        poise__equilibrium_torques(equilibrium, false);
        for (int b = 0; b < equilibrium->state.rig->binding_count; b++) {
            JointState* joint = &equilibrium->state.joints[b];
            joint->clamped = joint->clamped || rest->rehearsal.rig->state.joints[b].clamped ||
                             poise__binding_is_saturated(&rest->rehearsal.rig->bindings[b]);
        }
        return equilibrium->state.noted;
    }
    const bool balances = poise__equilibrium_rest(equilibrium, WAY_DIRECT, LEAD_OUT);
    if (poise__equilibrium_memory(equilibrium) < 0) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    rest->comes_to_limit = equilibrium->comes_to_limit;
    // it may creep to there with its points at rest, and touch a limit on the way
    const bool near = balances && poise__postures_alike(tree, rest->came, NEAR_POSTURE);
    const bool again = near && rest->balanced && poise__misses_alike(tree, rest->balanced, AGAIN) &&
                       poise__misses_approach(rest->came, rest->seen, tree);
    const bool passed = near && poise__rehearsal_passed(&rest->rehearsal, tree);
    // what a point presses with changes by more than its place
    const bool same = equilibrium->state.press.point_count == 0 ||
                      poise__postures_alike(tree, rest->came, SAME_PRESS);
    rest->stays =
        same && (still ? balances && poise__misses_alike(tree, rest->came, POISE_SAME_MISS)
                       : again || passed);
    // what has not come there may do so in another posture
    rest->firm =
        rest->stays && (passed || poise__postures_alike(tree, rest->came, SAME_POSTURE) ||
                        (again && poise__postures_alike(tree, rest->balanced, SAME_POSTURE)));
    rest->common.held_back = rest->common.held_back || equilibrium->touched;
    *there = still || rest->stays;
    if (!still && rest->stays) {
        poise_tree_destroy(rest->came);
        rest->came = NULL;
    } else if (balances) {
        status = keep(&rest->balanced, tree);
        status = status < 0 ? status : keep(&rest->seen, rest->came);
    }
    return status;
}

// Whether what moved little for long is there: no error has changed by more than hardly anything
// since half-way. What creeps on like that, by 0.1 % in each time twice as long, is within 1 % for
// a thousand times as long.
static bool stands_long(const Rest* rest) {
    return rest->half && poise__misses_alike(rest->half, rest->rehearsal.seen, HARDLY);
}

// Goes on until it is still, or its points hardly move and it is seen where to: that is tried now
// and then, more and more seldom. Where they still move little at last, it goes on for as long
// again.
static PoiseStatus go_on(Rest* rest) {
    PoiseStatus status = POISE_OK;
    RehearsalMotion motion = REHEARSAL_MOVES;
    bool there = false, stood = false;
    int next = 1, most = MOST_WHILES;
    for (int i = 0; status >= 0 && !there && i < most && motion != REHEARSAL_ENDS; i++) {
        motion = poise__rehearsal_run(&rest->rehearsal, rest->dt, BY_LITTLE);
        const bool still = motion == REHEARSAL_STILL, steady = motion == REHEARSAL_STEADY;
        const bool last = i == most - 1;
        if (still || (steady && ((i >= next && !rest->comes_to_limit) || last))) {
            status = look_around(rest, still, &there);
            next = i + 1 + i / 2;
        }
        if (status >= 0 && !there && i == most / 2) {
            status = keep(&rest->half, rest->rehearsal.seen);
            stood = true;
        }
        stood = stood && stands_long(rest);
        most = last && steady && !stood && !rest->comes_to_limit ? 2 * MOST_WHILES : most;
    }
    if (rest->rehearsal.short_of_memory) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    rest->rehearsed =
        there || (motion == REHEARSAL_STEADY && !rest->comes_to_limit && stood && rest->came);
    return status;
}

// whether it could be rehearsed
static PoiseStatus rehearse(Rest* rest, PoiseRig* rig, bool* could) {
    PoiseStatus status = poise__rehearsal_open(&rest->rehearsal, rig, rest->def);
    *could = status >= 0;
    if (*could && rest->beside > 0) {
        poise__rehearsal_go_beside(&rest->rehearsal, rest->beside - 1);
    }
    if (!*could) {
        return status == POISE_ERROR_OUT_OF_MEMORY ? status : POISE_OK;
    }
    rest->common.held_back = rest->equilibrium.touched;
    // a tip that sticks for a while may slip again
    bool slips = true;
    for (int i = 0; status >= 0 && slips && i < MOST_SLIPS; i++) {
        status = go_on(rest);
        const bool sticks = rest->rehearsed && rest->common.rubs;
        rest->common.force_drifts = sticks && poise__rehearsal_drifts(&rest->rehearsal, rest->dt);
        slips = sticks && !poise__misses_alike(rest->came, rest->rehearsal.seen, HARDLY);
    }
    rest->rehearsed = rest->rehearsed && !slips;
    rest->common.leaves = rest->rehearsed && poise__rehearsal_left(&rest->rehearsal);
    // where joints go on behind a tip that sticks, it slips again minutes later
    rest->common.swings =
        !rest->rehearsed || (status >= 0 && rest->common.force_drifts &&
                             (!rest->stays || poise__equilibrium_is_free(&rest->equilibrium)));
    rest->common.rests = rest->common.rests || rest->rehearsed;
    return status;
}

// Where it presses a way may be such that the least of differences leads elsewhere: it is gone
// again from a little beside.
static PoiseStatus rehearse_beside(Rest* rest, PoiseRig* rig, int which) {
    const bool rubs = rest->common.rubs;
    Rest other = {.def = rest->def, .dt = rest->dt, .beside = which, .common = {.rubs = rubs}};
    bool could;
    const PoiseStatus status = rehearse(&other, rig, &could);
    PoiseForecast* common = &rest->common;
    if (status >= 0) {
        common->several = !(other.rehearsed && poise__ways_end_alike(poise__rest_tree(rest),
                                                                     poise__rest_tree(&other)));
        common->force_drifts =
            rubs && (common->force_drifts || common->several ||
                     !poise__walls_bear_alike(&rest->rehearsal, &other.rehearsal));
    }
    poise__rest_finish(&other);
    return status;
}

// rad, m: a joint that goes farther may go the other way round
#define FAR 1.0

// Whether a joint goes far. Measured, where it comes to then depends on how the bodies swing.
static bool goes_far(const Rest* rest) {
    const RigState* state = &rest->equilibrium.state;
    bool far = false;
    for (int b = 0; !rest->equilibrium.reference && b < state->rig->binding_count; b++) {
        const JointState* joint = &state->joints[b];
        double was[POISE_MAX_POSTURE], displacement[POISE_MAX_NV];
        poise_node_posture(rest->came, joint->of->node, was);
        poise_joint_difference(joint->of->type, joint->q, was, displacement);
        for (int d = 0; d < joint->of->type->nv; d++) {
            far = far || fabs(displacement[d]) > FAR;
        }
    }
    return far;
}

// Whether a way there decides what is found without it. Where a point yields, the own posture
// follows the bodies on their way, if there is one.
static bool is_to_be_rehearsed(Rest* rest) {
    Equilibrium* equilibrium = &rest->equilibrium;
    const Press* press = &equilibrium->state.press;
    const bool follows = equilibrium->reference && press->point_count > 0 &&
                         press->yield_rows > 0 &&
                         !poise__misses_alike(equilibrium->state.tree, rest->came, POISE_SAME_MISS);
    return !rest->common.rests || equilibrium->touched || follows || rest->common.rubs ||
           rest->tied || goes_far(rest) || poise__press_is_stiff(press) ||
           poise__equilibrium_creeps(equilibrium);
}

// to what was found without a rehearsal
static PoiseStatus return_to_first(Rest* rest, PoiseRig* rig) {
    poise__equilibrium_finish(&rest->equilibrium);
    poise_tree_destroy(rest->came);
    rest->came = NULL;
    const PoiseStatus status = poise__equilibrium_open(&rest->equilibrium, rig, rest->dt);
    rest->stays =
        status >= 0 && poise__equilibrium_rest(&rest->equilibrium, WAY_OF_BODIES, LEAD_OUT);
    rest->firm = rest->stays;
    rest->common.swings = rest->equilibrium.comes_to_limit;
    return status < 0 ? status : poise__equilibrium_memory(&rest->equilibrium);
}

// how what presses gives way where the bodies came to
static void see_press(Rest* rest) {
    RigState* state = &rest->equilibrium.state;
    poise__press_fill(state, poise__rest_tree(rest), &state->press);
    rest->common.wedged = poise__press_is_stiff(&state->press);
    rest->common.softening = poise__press_softening(&state->press);
    poise__press_fill(state, state->tree, &state->press);
}

PoiseStatus poise__rest_find(Rest* rest, PoiseRig* rig, const PoiseForecastDef* def) {
    *rest = (Rest){.def = def};
    Equilibrium* equilibrium = &rest->equilibrium;
    PoiseStatus status = poise__equilibrium_open(equilibrium, rig, def->step);
    status = status < 0 ? status : keep(&rest->came, equilibrium->state.tree);
    if (status < 0) {
        return status;
    }
    rest->dt = equilibrium->dt;
    rest->common.rubs = poise__walls_rub(rig->state.tree, def);
    rest->common.rests = poise__equilibrium_rest(equilibrium, WAY_OF_BODIES, LEAD_UNTOUCHED);
    rest->tied = poise__rig_is_tied(rig);
    bool could = false;
    const bool rehearsed = is_to_be_rehearsed(rest);
    // without clamps and simulated ways a rest has nothing of the step
    rest->common.step_unknown =
        !(def->step > 0.0) && !(rig->advised_step > 0.0) && (equilibrium->clamps || rehearsed);
    poise_tree_destroy(rest->came);
    rest->came = NULL;
    if (poise__equilibrium_memory(equilibrium) < 0) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    if (rehearsed) {
        const bool plain = rest->common.rests && !rest->common.rubs && !rest->tied;
        const bool sure = plain && !equilibrium->touched &&
                          !poise__press_is_stiff(&equilibrium->state.press) &&
                          !poise__equilibrium_creeps(equilibrium);
        status = rest->common.rests ? keep(&rest->first, equilibrium->state.tree) : POISE_OK;
        status = status < 0 ? status : rehearse(rest, rig, &could);
        const int most = rest->rehearsal.wall_count > 0 ? REHEARSAL_BESIDES : 0;
        for (int i = 1; status >= 0 && rest->rehearsed && !rest->common.several && i <= most; i++) {
            status = rehearse_beside(rest, rig, i);
        }
        const bool alike = plain && rest->rehearsed && !rest->stays && rest->came &&
                           poise__misses_alike(rest->first, rest->came, POISE_SAME_MISS);
        const bool elsewhere = rest->balanced && rest->first &&
                               !poise__misses_alike(rest->first, rest->balanced, POISE_SAME_MISS);
        // what slides on along its wall for ever is held there by the least friction
        const bool slides = !rest->rehearsed && !poise__rehearsal_left(&rest->rehearsal);
        if (status >= 0 && could && (alike || (sure && slides && !elsewhere))) {
            status = return_to_first(rest, rig);
        }
    }
    rest->common.unrehearsed = rest->common.rubs && !could;
    // how a tie gives way is in no balance
    rest->firm = rest->firm && !rest->tied;
    if (status >= 0 && !could) {
        rest->stays = rest->firm = true;
        status = balance(rest, rig);
    }
    if (status >= 0) {
        see_press(rest);
    }
    // a rest on feet that the ground cannot hold is none
    rest->common.falls = status >= 0 && !poise__equilibrium_is_carried(equilibrium);
    rest->common.rests = rest->common.rests && !rest->common.falls;
    return status;
}

void poise__rest_finish(Rest* rest) {
    // the equilibrium is of the rehearsal's rig
    poise__equilibrium_finish(&rest->equilibrium);
    poise__rehearsal_finish(&rest->rehearsal);
    PoiseTree* const trees[] = {rest->came, rest->seen, rest->first, rest->half, rest->balanced};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        poise_tree_destroy(trees[i]);
    }
}
