// SPDX-License-Identifier: MIT
// Makes the rig of a copy, in the world that copy_bodies.c made. Steps the copy in blocks of steps;
// after each block compares the bodies' poses with those at its start.
#include "copy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ode_init.h"
#include "statics.h"

enum { POSE_NUMBERS = 7, LEAST_BLOCK = 20 };

// Simulated time of a block, s.
#define BLOCK 0.2
// The copy is still if no body moves by more than this in a block: m, and quaternion components. A
// creep of this speed takes 10 minutes for 12 um; a forecast may be 10 um off.
#define AT_REST 4e-9
// poise__creep_end is first called after a block that moved no body farther than NEARER times
// FIRST_MOVED, m. It is called again after each block whose movement is at most NEARER times that
// before the last call, or times that of a later block that moved farther than the one before.
#define FIRST_MOVED 0.4
#define NEARER      0.5
// A copy whose bodies moved by at most CALM in a block, m, and by at most FALLS times the block
// before, relaxes: its steps become longer until it is still. After true steps it relaxes again
// only if they moved it by less than CALMER times the block before the first relaxation: forces
// that depend on the length of a step may give longer steps another rest.
// Loops never relax: longer steps damp an oscillation that amplifies itself in true steps. Nor do
// joints at their torque limits: longer steps move a clamped theta_ik elsewhere.
#define CALM   4e-3
#define FALLS  0.76
#define CALMER 0.1
// A longer step is this factor times Copy.step; a power of 2 restores CFM to the bit. A spring with
// a time constant of 0.16 s relaxes by a factor of 1,000 in 10 steps of 0.16 s, or in 110 of 0.01
// s.
#define LONGER 16.0
// Copy.growth ignores movements in a block below this, m: such small swings are linear.
#define GROWS 4e-4
// Longest displacement of the own posture that the first poise__creep_end may make, rad or m.
#define FARTHEST 1.0

// ------------------------------------------------------------------------------------------ rig

static bool bind(Copy* copy, const PoiseRig* rig) {
    for (int b = 0; b < rig->binding_count; b++) {
        const Motor* motor = &rig->bindings[b].motor;
        PoiseBindDef def = poise_default_bind_def();
        def.node = rig->bindings[b].node;
        def.joint = poise__copy_of_joint(copy, motor->joint);
        def.body = poise__copy_of_body(copy, motor->child);
        def.friction = rig->bindings[b].friction;
        if ((motor->joint && !def.joint) || poise_rig_bind(copy->rig, &def) < 0) {
            return false;
        }
    }
    for (int i = 0; i < copy->joint_count; i++) {
        if (!dJointIsEnabled(copy->joints[i].of)) {
            dJointDisable(copy->joints[i].copy);
        }
    }
    return true;
}

// Adds to the copied rig the closures (joints that close loops) and the welded bodies.
static bool copy_closures(Copy* copy, const PoiseRig* rig) {
    PoiseRig* to = copy->rig;
    if (!poise__grow(&to->host, &to->closures, &to->closure_capacity, rig->closure_count,
                     sizeof *to->closures) ||
        !poise__grow(&to->host, &to->welds, &to->weld_capacity, rig->weld_count,
                     sizeof *to->welds)) {
        return false;
    }
    for (int i = 0; i < rig->closure_count; i++) {
        Closure* closure = &to->closures[i];
        *closure = rig->closures[i];
        closure->joint = poise__copy_of_joint(copy, closure->joint);
        for (int side = 0; side < 2; side++) {
            closure->bodies[side] = poise__copy_of_body(copy, closure->bodies[side]);
        }
    }
    to->closure_count = rig->closure_count;
    for (int i = 0; i < rig->weld_count; i++) {
        if (poise__weld_holds(rig, &rig->welds[i])) {
            Weld* weld = &to->welds[to->weld_count++];
            *weld = rig->welds[i];
            weld->body = poise__copy_of_body(copy, weld->body);
            weld->holder = poise__copy_of_body(copy, weld->holder);
        }
    }
    return true;
}

static bool copy_stances(Copy* copy, const PoiseRig* rig) {
    RigState* to = &copy->rig->state;
    if (!poise__stances_reserve(to, rig->state.stance_count)) {
        return false;
    }
    for (; to->stance_count < rig->state.stance_count; to->stance_count++) {
        to->stances[to->stance_count] = rig->state.stances[to->stance_count];
    }
    to->balance = rig->state.balance;
    return true;
}

// Fixes each foot that carries weight to the ground by a fixed joint if its stance can carry
// moments, else by a ball joint.
static void hold_feet(const Copy* copy, const RigState* state) {
    for (int i = 0; i < state->stance_count; i++) {
        const Stance* stance = &state->stances[i];
        if (!stance->carries) {
            continue;
        }
        const bool turns = poise__foot_rows(stance) < 6;
        dJointID joint =
            turns ? dJointCreateBall(copy->world, NULL) : dJointCreateFixed(copy->world, NULL);
        dBodyID body = state->rig->bindings[stance->binding].motor.child;
        dJointAttach(joint, poise__copy_of_body(copy, body), NULL);
        if (turns) {
            dJointSetBallAnchor(joint, stance->place.x, stance->place.y, stance->place.z);
        } else {
            dJointSetFixed(joint);
        }
    }
}

// Sets the velocities of all goals to 0.
static PoiseStatus stop_goals(PoiseTree* tree) {
    const PoiseVec3 none = {0.0, 0.0, 0.0};
    PoiseStatus status = POISE_OK;
    for (int i = 0; status >= 0 && i < poise_tree_point_count(tree); i++) {
        const PoisePointId point = poise_tree_point(tree, i);
        PoiseVec3 velocity, angular;
        status = poise_point_estimate_velocity(tree, point, false);
        poise_point_goal_velocity(tree, point, &velocity, &angular);
        if (status >= 0 && poise_length(velocity) > 0.0) {
            status = poise_point_set_velocity(tree, point, none);
        }
        if (status >= 0 && poise_length(angular) > 0.0) {
            status = poise_point_set_angular_velocity(tree, point, none);
        }
    }
    return status;
}

// Copies the search for another posture, which then starts from its beginning. False if memory runs
// out.
static bool resume_search(PoiseRig* copy, const PoiseRig* rig) {
    if (!rig->reconfigure || rig->reconfigure->binding_count != rig->binding_count) {
        return true;
    }
    if (!poise__reconfigure_make(copy)) {
        return false;
    }
    copy->reconfigure->state = rig->reconfigure->state;
    memcpy(copy->reconfigure->postures, rig->reconfigure->postures,
           POISE_MAX_NQ * (size_t)rig->binding_count * sizeof(double));
    return true;
}

// Copies the state of the bindings, and the tree with its goals at rest. POISE_ERROR_OUT_OF_MEMORY.
static PoiseStatus resume(Copy* copy, const PoiseRig* rig) {
    for (int b = 0; b < rig->binding_count; b++) {
        Piece pieces[JOINT_PIECES];
        poise__joint_pieces(rig, b, pieces);
        const void* from[JOINT_PIECES];
        for (int k = 0; k < JOINT_PIECES; k++) {
            from[k] = pieces[k].at;
        }
        const Motor* motor = &copy->rig->bindings[b].motor;
        for (int d = 0; d < motor->axis_count; d++) {
            motor->sent[d].fixed = rig->bindings[b].motor.sent[d].fixed;
        }
        poise__joint_take(copy->rig, b, from);
    }
    PoiseStatus status = poise_tree_copy(copy->tree, rig->state.tree);
    status = status < 0 ? status : stop_goals(copy->tree);
    status = status < 0 ? status : poise_forward(copy->tree);
    if (status >= 0 &&
        (!resume_search(copy->rig, rig) || !poise__kept_apart_copy(copy->rig, rig))) {
        status = POISE_ERROR_OUT_OF_MEMORY;
    }
    return status;
}

static PoiseStatus make_rig(Copy* copy, const PoiseRig* rig) {
    PoiseRigDef def = poise_default_rig_def();
    copy->tree = poise_tree_clone(rig->state.tree);
    def.tree = copy->tree;
    def.world = copy->world;
    def.settings = rig->settings;
    def.finite_rotation = rig->finite_rotation;
    def.host = copy->host;
    copy->rig = copy->tree ? poise_rig_create(&def) : NULL;
    if (!copy->rig || !bind(copy, rig) || !copy_closures(copy, rig) || !copy_stances(copy, rig)) {
        return POISE_ERROR_OUT_OF_MEMORY;
    }
    copy->rig->advised_step = rig->advised_step;
    copy->rig->advised_bindings = rig->advised_bindings;
    return resume(copy, rig);
}

// ------------------------------------------------------------------------------------------ whole

// True if ODE has a contact joint on the body of binding b, and no stance or yielding point of the
// rig explains the contact.
static bool touches(const RigState* state, int b) {
    dBodyID body = state->rig->bindings[b].motor.child;
    bool some = false, known = false;
    for (int i = 0; i < dBodyGetNumJoints(body); i++) {
        some = some || dJointGetType(dBodyGetJoint(body, i)) == dJointTypeContact;
    }
    for (int i = 0; i < state->stance_count; i++) {
        known = known || (state->stances[i].carries && state->stances[i].binding == b);
    }
    for (int i = 0; i < poise_tree_point_count(state->tree); i++) {
        const PoisePointId point = poise_tree_point(state->tree, i);
        double rows[36];
        known = known || (poise_point_yield_rows(state->tree, point, rows) > 0 &&
                          poise__binding_below(state, point) == b);
    }
    return some && !known;
}

// True if a base would fall in the copy: it has weight, and is neither fixed nor held by a stance
// or by a joint of the user.
static bool is_carried_by_nothing(const Statics* statics) {
    const RigState* state = &statics->state;
    bool falls = false;
    for (int b = 0; b < state->rig->binding_count; b++) {
        falls = falls ||
                (state->joints[b].ready && state->rig->bindings[b].parent == NO_BINDING &&
                 !state->joints[b].anchored && state->joints[b].weighs && !poise__stands(state, b));
    }
    return falls && poise_length(statics->gravity) > 0.0 && !poise__rig_is_tied(state->rig);
}

static const char* lost_binding(const PoiseRig* rig) {
    for (int b = 0; b < rig->binding_count; b++) {
        if (!poise__motor_alive(&rig->bindings[b].motor)) {
            return "a bound joint is gone, or its body";
        }
    }
    return NULL;
}

static bool reserve(Copy* copy) {
    copy->poses_size = (size_t)(POSE_NUMBERS * copy->body_count) * sizeof *copy->poses;
    copy->poses = (double*)poise_host_allocate(&copy->host, copy->poses_size);
    return copy->poses != NULL;
}

static PoiseStatus refuse(Copy* copy, const char* why) {
    snprintf(copy->why, sizeof copy->why, "%s", why);
    return POISE_ERROR_WRONG_KIND;
}

// Fixes the feet to the ground. Sets copy->touches if a contact or load that the rig does not know
// holds a body.
static PoiseStatus look_at_ground(Copy* copy, PoiseRig* rig) {
    Statics statics;
    PoiseStatus status = poise__statics_open(&statics, rig);
    if (status >= 0) {
        poise__statics_torques(&statics, false);
        poise__stance_find(&statics.state);
        hold_feet(copy, &statics.state);
        copy->touches = poise__statics_is_supported(&statics);
        for (int b = 0; b < rig->binding_count; b++) {
            copy->touches =
                copy->touches || (statics.state.joints[b].ready && touches(&statics.state, b));
        }
        if (is_carried_by_nothing(&statics)) {
            status = refuse(copy, "its base floats, and nothing that the rig knows carries it");
        }
    }
    poise__statics_close(&statics);
    return status;
}

PoiseStatus poise__copy_open(Copy* copy, PoiseRig* rig, const PoiseForecastDef* def) {
    *copy = (Copy){.host = rig->host, .step = def->step};
    poise__copy_restart(copy);
    copy->host.log = NULL;
    const char* lost = lost_binding(rig);
    if (lost) {
        return refuse(copy, lost);
    }
    PoiseStatus status = poise__copy_bodies(copy, rig);
    status = status < 0 ? status : make_rig(copy, rig);
    status = status < 0 ? status : look_at_ground(copy, rig);
    status = status < 0 ? status : poise__copy_add_walls(copy, def);
    if (status >= 0) {
        copy->exact = poise__exact_create(copy->world, &copy->host);
        status = copy->exact && reserve(copy) ? POISE_OK : POISE_ERROR_OUT_OF_MEMORY;
    }
    if (status >= 0) {
        poise__exact_take_all(copy->exact);
        poise__exact_check_bodies(copy->exact);
    }
    return status;
}

void poise__copy_close(Copy* copy) {
    const PoiseHost* host = &copy->host;
    poise_rig_destroy(copy->rig);
    poise_tree_destroy(copy->tree);
    poise__exact_destroy(copy->exact);
    if (copy->world) {
        dJointGroupDestroy(copy->contacts);
        dWorldDestroy(copy->world);
        poise__uncount_ode_user();
    }
    poise_host_release(host, copy->poses, copy->poses_size);
    poise_host_release(host, copy->walls, (size_t)copy->wall_capacity * sizeof *copy->walls);
    poise_host_release(host, copy->joints, (size_t)copy->joint_capacity * sizeof *copy->joints);
    poise_host_release(host, copy->bodies, (size_t)copy->body_capacity * sizeof *copy->bodies);
    memset(copy, 0, sizeof *copy);
}

// ------------------------------------------------------------------------------------------ steps

// Largest speed of a body, m/s and rad/s; above it Copy.flies is set.
#define MOST_SPEED 1e6

// Stores the poses of the bodies. Returns the largest change since the last call of a coordinate
// (m) or quaternion component; infinite if a number is NaN.
static double moved_since(Copy* copy) {
    double largest = 0.0;
    for (int i = 0; i < copy->body_count; i++) {
        double* was = &copy->poses[POSE_NUMBERS * i];
        const dReal* p = dBodyGetPosition(copy->bodies[i].copy);
        const dReal* q = dBodyGetQuaternion(copy->bodies[i].copy);
        for (int k = 0; k < POSE_NUMBERS; k++) {
            const double is = (double)(k < 3 ? p[k] : q[k - 3]);
            const double off = fabs(is - was[k]);
            // NaN counts as moving
            largest = off <= largest ? largest : isfinite(off) ? off : HUGE_VAL;
            was[k] = is;
        }
    }
    return largest;
}

// Returns the largest component of a body's velocity, m/s and rad/s; infinite if a number is NaN.
static double top_speed(const Copy* copy) {
    double top = 0.0;
    for (int i = 0; i < copy->body_count; i++) {
        const dReal* v = dBodyGetLinearVel(copy->bodies[i].copy);
        const dReal* w = dBodyGetAngularVel(copy->bodies[i].copy);
        for (int k = 0; k < 3; k++) {
            const double larger = poise_max(fabs((double)v[k]), fabs((double)w[k]));
            const bool known = isfinite((double)v[k]) && isfinite((double)w[k]);
            top = known ? poise_max(top, larger) : HUGE_VAL;
        }
    }
    return top;
}

static PoiseStatus step(Copy* copy) {
    const double length = copy->relaxes ? LONGER * copy->step : copy->step;
    poise__walls_touch(copy);
    PoiseStatus status = poise_rig_update(copy->rig, length, &copy->report);
    if (status >= 0) {
        copy->searches = poise__copy_reconfigures(copy) ||
                         copy->report.reconfiguration == POISE_RECONFIGURATION_SEARCHES;
        for (int i = 0; i < copy->body_count; i++) {
            poise__exact_see(copy->exact, copy->bodies[i].copy);
        }
        status = poise__exact_step(copy->exact, length);
        copy->seconds += copy->step;
        // the quaternion of a fast body overflows in a step, and ODE then ends the process
        copy->flies = status == POISE_ERROR_INVALID_ARGUMENT || !(top_speed(copy) < MOST_SPEED);
        status = copy->flies ? POISE_OK : status;
        poise__walls_measure(copy);
    }
    dJointGroupEmpty(copy->contacts);
    return status;
}

// True if joints or points have dry friction: then the rest depends on the length of the steps.
static bool rubs(const Copy* copy) {
    bool some = poise__walls_have_friction(copy);
    for (int b = 0; b < copy->rig->binding_count; b++) {
        some = some || copy->rig->bindings[b].friction > 0.0;
    }
    return some;
}

static bool is_limited(const Copy* copy) {
    return copy->report.clamped > 0 || copy->report.saturated > 0;
}

// Starts or ends longer steps. CFM is divided by the factor of the steps, since the displacement of
// an ODE joint under load is CFM times the length of a step.
static void relax(Copy* copy, bool relaxes) {
    if (relaxes != copy->relaxes) {
        const double factor = relaxes ? 1.0 / LONGER : LONGER;
        dWorldSetCFM(copy->world, dWorldGetCFM(copy->world) * (dReal)factor);
        copy->relaxes = relaxes;
    }
}

void poise__copy_restart(Copy* copy) {
    relax(copy, false);
    copy->still = copy->fell = copy->swings = copy->searched = false;
    copy->begins = true;
    copy->block_steps = 0;
    copy->last = HUGE_VAL;
    copy->growth = 1.0;
    copy->seconds = 0.0;
    copy->farthest = FARTHEST;
    copy->moved = FIRST_MOVED;
    copy->calm = CALM;
}

bool poise__copy_ends(const Copy* copy, double seconds) {
    return copy->still || copy->flies || copy->seconds > seconds - 0.5 * copy->step;
}

PoiseStatus poise__copy_run(Copy* copy, double seconds, long* steps) {
    const int block = (int)poise_max(ceil(BLOCK / copy->step), LEAST_BLOCK);
    PoiseStatus status = POISE_OK;
    long i = 0;
    for (; i < *steps && status >= 0 && !poise__copy_ends(copy, seconds); i++) {
        if (copy->block_steps == 0) {
            (void)moved_since(copy);
            poise__walls_forget(copy);
        }
        status = step(copy);
        copy->block_steps++;
        // a copy that does not move at its start only creeps, so the end of the creep is found at
        // once
        if (status >= 0 && copy->block_steps == LEAST_BLOCK && copy->begins && !copy->flies) {
            status = poise__creep_end(copy, &i);
        }
        const bool limited = is_limited(copy);
        if (copy->relaxes && (limited || copy->block_steps == LEAST_BLOCK)) {
            const double moved = moved_since(copy);
            relax(copy, !limited && moved > AT_REST && moved <= NEARER * copy->last);
            copy->last = copy->relaxes ? moved : HUGE_VAL;
            copy->block_steps = 0;
        } else if (copy->block_steps == block) {
            // a copy that oscillates with the period of a block returns to its poses, but has a
            // speed
            const double moved = poise_max(moved_since(copy), top_speed(copy) * copy->step);
            const bool calms = moved <= copy->calm && moved <= FALLS * copy->last;
            const bool grows = moved > copy->last;
            // a move to another posture begins slowly, so its growth is no sign of instability
            copy->growth *= grows && moved > GROWS && !copy->searched ? moved / copy->last : 1.0;
            copy->swings = copy->swings || (grows && copy->fell);
            copy->moved = grows ? poise_max(copy->moved, moved) : copy->moved;
            copy->fell = copy->fell || (isfinite(copy->last) && moved < copy->last);
            copy->last = moved;
            copy->searched = copy->searches;
            const bool rests = !(moved > AT_REST + poise__walls_slip(copy));
            copy->still = rests && !copy->searches;
            copy->block_steps = 0;
            copy->begins = false;
            if (status >= 0 && !rests && !copy->flies && moved <= NEARER * copy->moved) {
                copy->moved = moved;
                status = poise__creep_end(copy, &i);
                copy->swings = false;
            }
            if (calms && !copy->still && copy->last == moved && !copy->searches && !limited &&
                !rubs(copy) && copy->rig->closure_count == 0) {
                copy->calm = CALMER * moved;
                relax(copy, true);
            }
        }
    }
    *steps -= i;
    return status < 0 ? status : POISE_OK;
}
