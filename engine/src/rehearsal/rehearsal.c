// SPDX-License-Identifier: MIT
// The rig of a rehearsal on the world that copy_bodies.c made, and its steps.
#include "rehearsal.h"

#include <math.h>
#include <string.h>

#include "support.h"

enum { LEAST_STEPS = 200, MOST_STEPS = 1000, BLOCK = 100, BLOCKS = 3, LOOK = 5, POSE_NUMBERS = 7 };

// s: how long a while is
#define WHILE 5.0

// rest is when no body moves by more than this in a block of steps, m, and its quaternion's numbers
#define AT_REST 1e-8
// m, rad: an error that changes by no more is steady in any case
#define STEADY 1e-5

// ------------------------------------------------------------------------------------------ rig

static bool bind(Rehearsal* rehearsal, const PoiseRig* rig) {
    for (int b = 0; b < rig->binding_count; b++) {
        const Motor* motor = &rig->bindings[b].motor;
        PoiseBindDef def = poise_default_bind_def();
        def.node = rig->bindings[b].node;
        def.joint = poise__copy_of_joint(rehearsal, motor->joint);
        def.body = poise__copy_of_body(rehearsal, motor->child);
        if ((motor->joint && !def.joint) || poise_rig_bind(rehearsal->rig, &def) < 0) {
            return false;
        }
    }
    return true;
}

// the joints that close loops, and the welds
static bool copy_closures(Rehearsal* rehearsal, const PoiseRig* rig) {
    PoiseRig* to = rehearsal->rig;
    if (!poise__grow(&to->host, &to->closures, &to->closure_capacity, rig->closure_count,
                     sizeof *to->closures) ||
        !poise__grow(&to->host, &to->welds, &to->weld_capacity, rig->weld_count,
                     sizeof *to->welds)) {
        return false;
    }
    for (int i = 0; i < rig->closure_count; i++) {
        Closure* closure = &to->closures[i];
        *closure = rig->closures[i];
        closure->joint = poise__copy_of_joint(rehearsal, closure->joint);
        for (int side = 0; side < 2; side++) {
            closure->bodies[side] = poise__copy_of_body(rehearsal, closure->bodies[side]);
        }
    }
    to->closure_count = rig->closure_count;
    for (int i = 0; i < rig->weld_count; i++) {
        Weld* weld = &to->welds[i];
        *weld = rig->welds[i];
        weld->body = poise__copy_of_body(rehearsal, weld->body);
        weld->holder = poise__copy_of_body(rehearsal, weld->holder);
    }
    to->weld_count = rig->weld_count;
    return true;
}

static bool copy_stances(Rehearsal* rehearsal, const PoiseRig* rig) {
    RigState* to = &rehearsal->rig->state;
    if (!poise__stances_reserve(to, rig->state.stance_count)) {
        return false;
    }
    for (; to->stance_count < rig->state.stance_count; to->stance_count++) {
        to->stances[to->stance_count] = rig->state.stances[to->stance_count];
    }
    to->balance = rig->state.balance;
    return true;
}

// the feet stay where they are, as those of a posture of rest do: by what they carry moments with,
// turned as they are
static void hold_feet(Rehearsal* rehearsal) {
    const RigState* state = &rehearsal->rig->state;
    for (int i = 0; i < state->stance_count; i++) {
        const Stance* stance = &state->stances[i];
        if (!stance->carries) {
            continue;
        }
        const bool turns = poise__foot_rows(stance) < 6;
        dJointID joint = turns ? dJointCreateBall(rehearsal->world, NULL)
                               : dJointCreateFixed(rehearsal->world, NULL);
        dJointAttach(joint, state->rig->bindings[stance->binding].motor.child, NULL);
        if (turns) {
            dJointSetBallAnchor(joint, stance->place.x, stance->place.y, stance->place.z);
        } else {
            dJointSetFixed(joint);
        }
    }
}

// the goals stand where they are
static PoiseStatus stop_goals(PoiseTree* tree) {
    const PoiseVec3 none = {0.0, 0.0, 0.0};
    PoiseStatus status = POISE_OK;
    for (int i = 0; status >= 0 && i < poise_tree_point_count(tree); i++) {
        const PoisePointId point = poise_tree_point(tree, i);
        PoiseVec3 velocity, angular;
        poise_point_goal_velocity(tree, point, &velocity, &angular);
        if (poise_length(velocity) > 0.0) {
            status = poise_point_set_velocity(tree, point, none);
        }
        if (status >= 0 && poise_length(angular) > 0.0) {
            status = poise_point_set_angular_velocity(tree, point, none);
        }
    }
    return status;
}

// what the bindings have come to, and the tree; POISE_ERROR_OUT_OF_MEMORY
static PoiseStatus resume(Rehearsal* rehearsal, const PoiseRig* rig) {
    for (int b = 0; b < rig->binding_count; b++) {
        Binding* binding = &rehearsal->rig->bindings[b];
        const Binding* from = &rig->bindings[b];
        JointState* joint = &rehearsal->rig->state.joints[b];
        poise__binding_resume(binding, from, from->natural);
        poise__joint_resume(joint, &rig->state.joints[b], rig->state.joints[b].lag);
        for (int d = 0; d < binding->motor.axis_count; d++) {
            binding->motor.told[d].fixed = from->motor.told[d].fixed;
        }
        // what ODE was told of the other's motor, it is told of this one
        poise__motor_put_rows(&binding->motor);
        poise__motor_moved(&binding->motor);
        if (binding->motor.has_stop) {
            binding->motor.stop_rests = false;
            poise__binding_hold_cone(binding, joint);
        }
    }
    PoiseStatus status = poise_tree_copy(rehearsal->tree, rig->state.tree);
    status = status < 0 ? status : stop_goals(rehearsal->tree);
    return status < 0 ? status : poise_forward(rehearsal->tree);
}

static PoiseStatus make_rig(Rehearsal* rehearsal, const PoiseRig* rig) {
    PoiseRigDef def = poise_default_rig_def();
    rehearsal->tree = poise_tree_clone(rig->state.tree);
    def.tree = rehearsal->tree;
    def.world = rehearsal->world;
    def.settings = rig->settings;
    def.finite_rotation = rig->finite_rotation;
    def.host = rehearsal->host;
    rehearsal->rig = rehearsal->tree ? poise_rig_create(&def) : NULL;
    if (!rehearsal->rig || !bind(rehearsal, rig) || !copy_closures(rehearsal, rig) ||
        !copy_stances(rehearsal, rig)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    hold_feet(rehearsal);
    rehearsal->rig->advised_step = rig->advised_step;
    rehearsal->rig->advised_bindings = rig->advised_bindings;
    return resume(rehearsal, rig);
}

// ------------------------------------------------------------------------------------------ whole

// whether what it hangs on stands, and nothing but joints carries it; with friction, its feet may
static bool is_held(const PoiseRig* rig, bool on_feet) {
    for (int b = 0; b < rig->binding_count; b++) {
        const JointState* joint = &rig->state.joints[b];
        const bool root = joint->of->parent == NO_BINDING;
        const bool stands = on_feet && root && poise__stands(&rig->state, b);
        if (joint->lost || joint->cut ||
            (root && !stands && (!joint->anchored || poise__base_floats(joint->of)))) {
            return false;
        }
    }
    return (on_feet || rig->state.stance_count == 0) && rig->binding_count > 0;
}

PoiseStatus poise__rehearsal_open(Rehearsal* rehearsal, PoiseRig* rig,
                                  const PoiseForecastDef* def) {
    *rehearsal = (Rehearsal){.host = rig->host};
    rehearsal->host.log = NULL;
    if (!is_held(rig, poise__walls_rub(rig->state.tree, def))) {
        return POISE_ERROR_WRONG_KIND;
    }
    PoiseStatus status = poise__copy_bodies(rehearsal, rig);
    status = status < 0 ? status : make_rig(rehearsal, rig);
    status = status < 0 ? status : poise__rehearsal_add_walls(rehearsal, def);
    if (status < 0) {
        return status;
    }
    const size_t points = (size_t)poise_tree_point_count(rehearsal->tree);
    rehearsal->poses_size =
        (size_t)(POSE_NUMBERS * rehearsal->body_count) * sizeof *rehearsal->poses;
    rehearsal->sights_size = (points + 1) * sizeof *rehearsal->sights;
    rehearsal->poses = (double*)poise_host_allocate(&rehearsal->host, rehearsal->poses_size);
    rehearsal->sights =
        (RehearsalSight*)poise_host_allocate(&rehearsal->host, rehearsal->sights_size);
    rehearsal->seen = poise_tree_clone(rehearsal->tree);
    return rehearsal->poses && rehearsal->sights && rehearsal->seen ? POISE_OK
                                                                    : POISE_ERROR_OUT_OF_MEMORY;
}

void poise__rehearsal_finish(Rehearsal* rehearsal) {
    const PoiseHost* host = &rehearsal->host;
    poise_rig_destroy(rehearsal->rig);
    poise_tree_destroy(rehearsal->tree);
    if (rehearsal->world) {
        dJointGroupDestroy(rehearsal->contacts);
        dWorldDestroy(rehearsal->world);
    }
    poise_tree_destroy(rehearsal->seen);
    poise_host_release(host, rehearsal->poses, rehearsal->poses_size);
    poise_host_release(host, rehearsal->sights, rehearsal->sights_size);
    poise_host_release(host, rehearsal->walls,
                       (size_t)rehearsal->wall_capacity * sizeof *rehearsal->walls);
    poise_host_release(host, rehearsal->joints,
                       (size_t)rehearsal->joint_capacity * sizeof *rehearsal->joints);
    poise_host_release(host, rehearsal->bodies,
                       (size_t)rehearsal->body_capacity * sizeof *rehearsal->bodies);
    memset(rehearsal, 0, sizeof *rehearsal);
}

// where the bodies are now, beside where they were; the largest difference
static double moved_since(Rehearsal* rehearsal) {
    double largest = 0.0;
    for (int i = 0; i < rehearsal->body_count; i++) {
        double* was = &rehearsal->poses[POSE_NUMBERS * i];
        const dReal* p = dBodyGetPosition(rehearsal->bodies[i].copy);
        const dReal* q = dBodyGetQuaternion(rehearsal->bodies[i].copy);
        for (int k = 0; k < POSE_NUMBERS; k++) {
            const double is = (double)(k < 3 ? p[k] : q[k - 3]);
            const double off = fabs(is - was[k]);
            // a number that is none has not come to rest
            largest = off <= largest ? largest : isfinite(off) ? off : HUGE_VAL;
            was[k] = is;
        }
    }
    return largest;
}

static bool step(Rehearsal* rehearsal, double dt) {
    poise__rehearsal_touch(rehearsal);
    const PoiseStatus status = poise_rig_update(rehearsal->rig, dt, NULL);
    const bool driven = status >= 0;
    rehearsal->short_of_memory = rehearsal->short_of_memory || status == POISE_ERROR_OUT_OF_MEMORY;
    if (driven) {
        dWorldStep(rehearsal->world, (dReal)dt);
        poise__rehearsal_feel(rehearsal);
    }
    dJointGroupEmpty(rehearsal->contacts);
    return driven;
}

static void widen(Range* range, double value) {
    range->low = poise_min(range->low, value);
    range->high = poise_max(range->high, value);
}

// the errors of the points as the bodies are
static bool look(Rehearsal* rehearsal) {
    PoiseTree* seen = rehearsal->seen;
    PoiseStatus status = POISE_OK;
    for (int b = 0; status >= 0 && b < rehearsal->rig->binding_count; b++) {
        status = poise__joint_to_tree(&rehearsal->rig->state.joints[b], seen);
    }
    status = status < 0 ? status : poise_forward(seen);
    for (int i = 0; status >= 0 && i < poise_tree_point_count(seen); i++) {
        const PoisePointId point = poise_tree_point(seen, i);
        if (poise__is_goal(seen, point)) {
            widen(&rehearsal->sights[i].miss, poise_point_error(seen, point));
            widen(&rehearsal->sights[i].angle_miss, poise_point_angle_error(seen, point));
        }
    }
    rehearsal->short_of_memory = rehearsal->short_of_memory || status == POISE_ERROR_OUT_OF_MEMORY;
    return status >= 0;
}

static bool is_steady(Range range, double part) {
    // that of a point without a goal is empty
    return !(range.high - range.low > poise_max(part * range.high, STEADY));
}

RehearsalMotion poise__rehearsal_run(Rehearsal* rehearsal, double dt, double part) {
    const double wanted = poise_min(poise_max(WHILE / dt, LEAST_STEPS), MOST_STEPS);
    const int blocks = (int)ceil(wanted / BLOCK);
    const int points = poise_tree_point_count(rehearsal->tree);
    for (int i = 0; i < points; i++) {
        const Range none = {HUGE_VAL, -HUGE_VAL};
        rehearsal->sights[i] = (RehearsalSight){none, none};
    }
    bool still = false, driven = true;
    (void)moved_since(rehearsal);
    for (int block = 0; driven && !still && block < blocks; block++) {
        poise__rehearsal_forget(rehearsal);
        for (int i = 0; driven && i < BLOCK; i++) {
            driven = step(rehearsal, dt) && (i % LOOK != 0 || look(rehearsal));
        }
        still = driven && moved_since(rehearsal) <= AT_REST + poise__rehearsal_slip(rehearsal);
    }
    bool steady = true;
    for (int i = 0; i < points; i++) {
        steady = steady && is_steady(rehearsal->sights[i].miss, part) &&
                 is_steady(rehearsal->sights[i].angle_miss, part);
    }
    return !driven  ? REHEARSAL_ENDS
           : still  ? REHEARSAL_STILL
           : steady ? REHEARSAL_STEADY
                    : REHEARSAL_MOVES;
}

bool poise__rehearsal_drifts(Rehearsal* rehearsal, double dt) {
    bool driven = true;
    for (int block = 0; driven && block < BLOCKS; block++) {
        poise__rehearsal_forget(rehearsal);
        for (int i = 0; driven && i < BLOCK; i++) {
            driven = step(rehearsal, dt);
        }
        poise__rehearsal_note_block(rehearsal);
    }
    driven = driven && look(rehearsal);
    return !driven || poise__walls_drift(rehearsal);
}

static bool is_inside(Range range, double value) {
    const double more = 0.5 * (range.high - range.low) + STEADY;
    return value >= range.low - more && value <= range.high + more;
}

bool poise__rehearsal_passed(const Rehearsal* rehearsal, const PoiseTree* posture) {
    bool passed = true;
    for (int i = 0; i < poise_tree_point_count(posture); i++) {
        const PoisePointId point = poise_tree_point(posture, i);
        const RehearsalSight* sight = &rehearsal->sights[i];
        passed =
            passed && (!poise__is_goal(posture, point) ||
                       (is_inside(sight->miss, poise_point_error(posture, point)) &&
                        is_inside(sight->angle_miss, poise_point_angle_error(posture, point))));
    }
    return passed;
}
