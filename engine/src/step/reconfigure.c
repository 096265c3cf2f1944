// SPDX-License-Identifier: MIT
// Moves the joints to another posture if the goals cannot be reached from the present one and the
// motors can hold the weight in the other. Joints that are stuck away from constant goals search
// with poise_reach on a clone of the tree, one iteration an update. If the search finds a posture
// that meets the goals, the joints move straight in joint space, at bounded speed; then the
// ordinary solve takes over. Runs between the solve and the advance of theta_ik.
#include <math.h>
#include <string.h>

#include "convert.h"
#include "poise/reach.h"
#include "step.h"

// A point that rests away from its goal for this time is stuck, s. Escapes from straight arms take
// less.
#define STUCK_TIME 0.3
// Largest speed of a joint that stands still, rad/s or m/s. Joints at their torque limits that move
// faster may still arrive.
#define STANDING 1e-2
// A move speeds up in this time, s, and slows down in it: a start at full speed would make a
// Panda's hinges accelerate by 950 rad/s^2.
#define RAMP 0.1
// A move counts as blocked after PATIENCE times its planned time plus PATIENCE_MORE, s.
#define PATIENCE      2.0
#define PATIENCE_MORE 1.0
// Starts of the search, the given posture included, and iterations of each start. 40 iterations met
// all positions that 300 met, among 18,000 that nine robots can reach.
enum { STARTS = 4, ITERATIONS = 60 };
// Values of Reconfigure.searched before the search begins: the second tree is out of date
// (NOT_COPIED), or is a copy of the rig's (COPIED).
enum { NOT_COPIED = -1, COPIED = -2 };

// True if the solve does not bring a point in this state nearer to its goal. A point that moves
// very slowly counts as outweighed.
static bool is_stuck(PoisePointState state) {
    return state == POISE_POINT_AT_LIMITS || state == POISE_POINT_UNREACHABLE ||
           state == POISE_POINT_SINGULAR || state == POISE_POINT_OUTWEIGHED;
}

// True if this rig may search (PoiseRigSettings.reconfigure_speed has the conditions).
static bool may_search(const PoiseRig* rig) {
    if (!(rig->settings.reconfigure_speed > 0.0) || rig->state.pressing || rig->closure_count > 0 ||
        rig->state.stance_count > 0 || rig->kept_apart) {
        return false;
    }
    for (int i = 0; i < rig->binding_count; i++) {
        if (poise__base_floats(&rig->bindings[i])) {
            return false;
        }
    }
    return true;
}

static uint64_t add_pose(uint64_t sum, PoisePose pose) {
    const double numbers[7] = {pose.p.x, pose.p.y, pose.p.z, pose.q.w,
                               pose.q.x, pose.q.y, pose.q.z};
    for (int i = 0; i < 7; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        sum = (sum ^ bits) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    }
    return sum;
}

// Returns a checksum of the goals and bases, on which the search depends.
static uint64_t sum_of_goals(const RigState* state) {
    uint64_t sum = 1;
    for (int i = 0; i < poise_tree_point_count(state->tree); i++) {
        const PoisePointId point = poise_tree_point(state->tree, i);
        if (poise_point_enabled(state->tree, point)) {
            sum = add_pose(sum + point.index1, poise_point_goal(state->tree, point));
        }
    }
    for (int i = 0; i < state->rig->binding_count; i++) {
        const Binding* binding = &state->rig->bindings[i];
        if (binding->on_base) {
            sum = add_pose(sum, poise_node_base(state->tree, binding->node));
        }
    }
    return sum;
}

// Returns the joint's posture at the start of the search; after it, the posture found.
static double* posture_of(const PoiseRig* rig, const JointState* joint) {
    return &rig->reconfigure->postures[POISE_MAX_NQ * (joint - rig->state.joints)];
}

// True if the motor of a joint that IK drives cannot hold the joint's links in the posture of the
// second tree. Needs that tree's frames.
static bool is_too_heavy(const PoiseRig* rig, const Binding* binding) {
    double load[POISE_MAX_DOF] = {0.0};
    poise_node_gravity_torque(rig->reconfigure->search, binding->node, load);
    return binding->follows_ik && poise__is_fully_loaded(binding, load[0]);
}

// True if fix_heavy has fixed the joint by narrowing its range in the second tree.
static bool is_fixed(const PoiseRig* rig, const Binding* binding) {
    const PoiseLimits fixed = poise_node_limits(rig->reconfigure->search, binding->node);
    const PoiseLimits free = poise_node_limits(rig->state.tree, binding->node);
    return fixed.lower[0] > free.lower[0] || fixed.upper[0] < free.upper[0];
}

// Fixes, in the second tree, the joints whose motors cannot hold their links in the present
// posture, since these joints cannot move to another one.
static PoiseStatus fix_heavy(PoiseRig* rig) {
    PoiseTree* search = rig->reconfigure->search;
    PoiseStatus status = poise_forward(search);
    if (status >= 0) {
        status = poise_gravity(search, poise__gravity(rig->world));
    }
    for (int i = 0; status >= 0 && i < rig->binding_count; i++) {
        const Binding* binding = &rig->bindings[i];
        if (is_too_heavy(rig, binding)) {
            PoiseLimits limits = poise_node_limits(search, binding->node);
            limits.lower[0] = limits.upper[0] = *posture_of(rig, &rig->state.joints[i]);
            status = poise_node_set_limits(search, binding->node, limits);
        }
    }
    return status;
}

// Starts poise_reach in the second tree, from the posture of that tree.
static PoiseStatus begin_reach(PoiseRig* rig) {
    const PoiseSolveDef* solve = &rig->settings.solve;
    PoiseReachDef def = poise_default_reach_def();
    def.starts = STARTS;
    def.iterations = ITERATIONS;
    def.position_tolerance = solve->position_tolerance;
    def.angle_tolerance = solve->angle_tolerance;
    return poise_reach_begin(rig->reconfigure->search, &def);
}

// Makes the second tree if it is missing.
static PoiseStatus make_tree(PoiseRig* rig) {
    if (!rig->reconfigure->search) {
        rig->reconfigure->search = poise_tree_create_like(rig->state.tree);
        rig->reconfigure->searched = NOT_COPIED;
    }
    return rig->reconfigure->search ? POISE_OK : POISE_ERROR_OUT_OF_MEMORY;
}

PoiseStatus poise__reconfigure_fit(PoiseRig* rig) {
    const Reconfigure* now = rig->reconfigure;
    const bool fits = now && now->binding_count == rig->binding_count &&
                      (now->fits_revision == rig->tree_revision ||
                       now->state.state == POISE_RECONFIGURATION_SEARCHES);
    if (fits || !may_search(rig)) {
        return POISE_OK;
    }
    PoiseStatus status = poise__reconfigure_make(rig) ? make_tree(rig) : POISE_ERROR_OUT_OF_MEMORY;
    status = status < 0 ? status : poise_tree_copy(rig->reconfigure->search, rig->state.tree);
    status = status < 0 ? status : begin_reach(rig);
    if (status == POISE_ERROR_OUT_OF_MEMORY) {
        return status;
    }
    rig->reconfigure->searched = NOT_COPIED;
    rig->reconfigure->fits_revision = rig->tree_revision;
    return POISE_OK;
}

// Copies the rig's tree to the second tree, at the posture where the search started.
static PoiseStatus copy_tree(PoiseRig* rig) {
    PoiseStatus status = poise_tree_copy(rig->reconfigure->search, rig->state.tree);
    for (int i = 0; status >= 0 && i < rig->binding_count; i++) {
        const Binding* binding = &rig->bindings[i];
        if (binding->follows_ik) {
            poise__note(&rig->state, poise_node_set_posture(rig->reconfigure->search, binding->node,
                                                            posture_of(rig, &rig->state.joints[i]),
                                                            binding->type->nq));
        }
    }
    rig->reconfigure->searched = COPIED;
    status = status < 0 ? status : fix_heavy(rig);
    if (status >= 0 && rig->binding_count > 0) {
        // lays out the columns now, since the next step has more to do
        poise_node_dof(rig->reconfigure->search, rig->bindings[0].node);
    }
    return status;
}

// True if the found posture meets the goal of some point that missed it, and no point gets worse.
static bool is_better(const PoiseRig* rig) {
    const PoiseSolveDef* solve = &rig->settings.solve;
    const PoiseTree* tree = rig->state.tree;
    bool gains = false, loses = false;
    for (int i = 0; i < poise_tree_point_count(tree); i++) {
        const PoisePointId point = poise_tree_point(tree, i);
        if (!poise_point_enabled(tree, point)) {
            continue;
        }
        const double here = poise_point_planned_error(tree, point);
        const double angle_here = poise_point_planned_angle_error(tree, point);
        const double there = poise_point_planned_error(rig->reconfigure->search, point);
        const double angle_there = poise_point_planned_angle_error(rig->reconfigure->search, point);
        const double place = solve->position_tolerance, angle = solve->angle_tolerance;
        gains = gains ||
                ((here > place || angle_here > angle) && there <= place && angle_there <= angle);
        loses = loses || (there > poise_max(here, place)) ||
                (angle_there > poise_max(angle_here, angle));
    }
    return gains && !loses;
}

// Stores the joint's posture of the second tree, moved by whole turns to be nearest to the present
// one within the range.
static void store_found(const PoiseRig* rig, const JointState* joint) {
    const Binding* binding = joint->of;
    double ratio, offset;
    const PoiseNodeId leader =
        poise_node_leader(rig->reconfigure->search, binding->node, &ratio, &offset);
    const Binding* leader_binding = poise__binding(rig, leader);
    double* q = posture_of(rig, joint);
    poise__binding_read_posture(binding, rig->reconfigure->search, q);
    if (leader_binding) {
        // the leader of a mimic joint comes before it
        q[0] =
            ratio * *posture_of(rig, &rig->state.joints[leader_binding - rig->bindings]) + offset;
        return;
    }
    for (int d = 0; d < poise__binding_range_count(binding->type); d++) {
        if (binding->type->nq != binding->type->nv || (binding->type->linear >> d & 1u) != 0) {
            continue;
        }
        const double near = poise__on_turn_of(q[d], joint->q_ik[d]);
        if (near >= binding->lower[d] && near <= binding->upper[d]) {
            q[d] = near;
        }
    }
}

// Returns the time that the joint needs for a displacement at its largest speed, s.
static double time_for(const PoiseRig* rig, const JointState* joint,
                       const double off[POISE_MAX_NV]) {
    const Binding* binding = joint->of;
    double square[SORTS] = {0.0};
    for (int d = 0; d < binding->type->nv; d++) {
        square[poise__sort(binding->type, d)] += off[d] * off[d];
    }
    const double speed = poise_min(rig->settings.reconfigure_speed,
                                   poise_min(binding->motor.speed_limit,
                                             poise_node_max_speed(rig->state.tree, binding->node)));
    return sqrt(poise_max(square[ABOUT], square[ALONG])) / speed;
}

// Returns the time that the joint needs to the posture found, s; fills the difference `off`.
static double time_of(const PoiseRig* rig, const JointState* joint, double off[POISE_MAX_NV]) {
    poise_joint_difference(joint->of->type, posture_of(rig, joint), joint->q_ik, off);
    return time_for(rig, joint, off);
}

static double time_of_all(const PoiseRig* rig) {
    double most = 0.0;
    for (int i = 0; i < rig->binding_count; i++) {
        double off[POISE_MAX_NV];
        if (rig->bindings[i].follows_ik) {
            most = poise_max(most, time_of(rig, &rig->state.joints[i], off));
        }
    }
    return most;
}

// Copies the tree in one step and begins the search in the next; a restored rig does both at once.
// True once the search has begun. `status`: an error of copy or search.
static bool has_begun(PoiseRig* rig, PoiseStatus* status) {
    ReconfigureState* state = &rig->reconfigure->state;
    *status = make_tree(rig);
    if (*status >= 0 && rig->reconfigure->searched == NOT_COPIED) {
        *status = copy_tree(rig);
    }
    if (*status >= 0 && state->iterations > RECONFIGURE_FIRST &&
        rig->reconfigure->searched == COPIED) {
        *status = begin_reach(rig);
        rig->reconfigure->searched = 0;
    }
    const bool begun = state->iterations >= 0;
    state->iterations += begun ? 0 : 1;
    return begun && *status >= 0;
}

// Reads the result of the search: a posture to move to, or the nearest one.
static void read_result(PoiseRig* rig, const PoiseReachReport* report, PoisePointState points) {
    ReconfigureState* state = &rig->reconfigure->state;
    PoiseTree* tree = rig->reconfigure->search;
    state->asked = 1;
    state->state = POISE_RECONFIGURATION_UNREACHABLE;
    state->nearest = report->largest_error;
    state->nearest_angle = report->largest_angle_error;
    // The search kept fixed joints, and left out postures that the motors cannot hold. Such joints
    // and postures might reach the goal.
    bool fixed = false, heavy = poise_gravity(tree, poise__gravity(rig->world)) < 0;
    for (int i = 0; i < rig->binding_count; i++) {
        const bool stays = is_fixed(rig, &rig->bindings[i]);
        fixed = fixed || stays;
        heavy = heavy || (!stays && is_too_heavy(rig, &rig->bindings[i]));
    }
    const bool better = is_better(rig) && !heavy;
    const bool direct = report->other_postures == 0 && report->starts == 1;
    if ((direct && report->reason == POISE_REACH_MET && points == POISE_POINT_OUTWEIGHED) ||
        ((fixed || heavy) && !better)) {
        // the solve reaches the goal from here, or references or torque limits prevent it
        state->state = POISE_RECONFIGURATION_NONE;
    } else if (better) {
        for (int i = 0; i < rig->binding_count; i++) {
            store_found(rig, &rig->state.joints[i]);
        }
        state->state = POISE_RECONFIGURATION_MOVES;
        state->clock = PATIENCE * time_of_all(rig) + PATIENCE_MORE;
    }
}

static void continue_search(PoiseRig* rig, PoisePointState points) {
    ReconfigureState* state = &rig->reconfigure->state;
    PoiseStatus status = POISE_OK;
    PoiseReachReport report = {.reason = POISE_REACH_SEARCHING};
    if (has_begun(rig, &status)) {
        // a single iteration takes less time than the rest of an update
        state->iterations++;
        status = poise_reach_continue(rig->reconfigure->search,
                                      state->iterations - rig->reconfigure->searched, &report);
        rig->reconfigure->searched = state->iterations;
    }
    if (status < 0) {
        poise__rig_warn(rig,
                        "poise_rig_update: another posture, from which the goals could be met, "
                        "is not searched: %s",
                        poise_status_name(status));
        *state = (ReconfigureState){.goals = state->goals, .asked = 1};
    } else if (report.reason != POISE_REACH_SEARCHING) {
        read_result(rig, &report, points);
    }
}

static void start_search(PoiseRig* rig) {
    rig->reconfigure->state.state = POISE_RECONFIGURATION_SEARCHES;
    rig->reconfigure->state.iterations = RECONFIGURE_FIRST;
    rig->reconfigure->searched = NOT_COPIED;
    for (int i = 0; i < rig->binding_count; i++) {
        poise__binding_read_posture(&rig->bindings[i], rig->state.tree,
                                    posture_of(rig, &rig->state.joints[i]));
    }
}

// True if all joints stand still.
static bool stands(const PoiseRig* rig, double dt) {
    bool still = true;
    for (int i = 0; still && i < rig->binding_count; i++) {
        const JointState* joint = &rig->state.joints[i];
        double moved[POISE_MAX_NV];
        poise_joint_difference(joint->of->type, joint->q, joint->q_last, moved);
        for (int d = 0; joint->has_last && d < joint->of->type->nv; d++) {
            still = still && fabs(moved[d]) <= STANDING * dt;
        }
    }
    return still;
}

static void watch(PoiseRig* rig, double dt, const PoiseSolveReport* solve) {
    ReconfigureState* state = &rig->reconfigure->state;
    const bool stuck =
        is_stuck(solve->state) && (!poise__reference_is_clamped(rig) || stands(rig, dt));
    const bool searches = state->state == POISE_RECONFIGURATION_SEARCHES;
    if (solve->state == POISE_POINT_MET && state->state != POISE_RECONFIGURATION_MOVES) {
        state->state = POISE_RECONFIGURATION_NONE;
    }
    if (!stuck && (state->state == POISE_RECONFIGURATION_NONE || searches)) {
        state->state = POISE_RECONFIGURATION_NONE;
        state->clock = 0.0;
        return;
    }
    const uint64_t goals = sum_of_goals(&rig->state);
    if (goals != state->goals) {
        *state = (ReconfigureState){.goals = goals};
    }
    if (state->state == POISE_RECONFIGURATION_SEARCHES) {
        continue_search(rig, solve->state);
    } else if (state->state == POISE_RECONFIGURATION_NONE && state->asked == 0) {
        state->clock += dt;
        if (state->clock >= STUCK_TIME) {
            start_search(rig);
        }
    }
}

void poise__reconfigure_watch(PoiseRig* rig, double dt, PoiseRigReport* report) {
    if (rig->reconfigure && rig->reconfigure->binding_count != rig->binding_count) {
        poise__reconfigure_release(rig);
    }
    const bool active =
        rig->reconfigure && rig->reconfigure->state.state != POISE_RECONFIGURATION_NONE;
    // if memory runs out, the next step tries again
    if ((!active && !is_stuck(report->solve.state)) || !may_search(rig) ||
        !poise__reconfigure_make(rig)) {
        if (rig->reconfigure) {
            rig->reconfigure->state.state = POISE_RECONFIGURATION_NONE;
            rig->reconfigure->state.clock = 0.0;
        }
        return;
    }
    watch(rig, dt, &report->solve);
    const ReconfigureState* state = &rig->reconfigure->state;
    report->reconfiguration = (PoiseReconfiguration)state->state;
    if (report->reconfiguration == POISE_RECONFIGURATION_UNREACHABLE) {
        report->nearest = state->nearest;
        report->nearest_angle = state->nearest_angle;
    }
}

// Moves theta_ik of all joints by the fraction `part` of their displacement to the found posture.
static void step_postures(PoiseRig* rig, double part) {
    for (int i = 0; i < rig->binding_count; i++) {
        const Binding* binding = &rig->bindings[i];
        double off[POISE_MAX_NV], q[POISE_MAX_NQ];
        if (binding->follows_ik) {
            (void)time_of(rig, &rig->state.joints[i], off);
            for (int d = 0; d < binding->type->nv; d++) {
                off[d] *= part;
            }
            poise__numbers_copy(q, rig->state.joints[i].q_ik, binding->type->nq);
            poise_joint_integrate(binding->type, q, off);
            poise__note(&rig->state, poise_node_set_posture(rig->state.tree, binding->node, q,
                                                            binding->type->nq));
        }
    }
}

// Returns the mean speed of the next step of the move, as a fraction of the largest: constant
// acceleration to it, and constant deceleration to the end. `time`: to the end at the largest
// speed, s.
static double next_speed(const PoiseRig* rig, double time, double dt) {
    double last = 0.0;
    for (int i = 0; i < rig->binding_count; i++) {
        const JointState* joint = &rig->state.joints[i];
        last =
            joint->of->follows_ik ? poise_max(last, time_for(rig, joint, joint->velocity)) : last;
    }
    const double half = 0.5 * dt / RAMP;
    const double slowed = poise_max(sqrt(2.0 * time / RAMP) - half, half);
    return poise_min(1.0, poise_min(last + 2.0 * half, slowed));
}

int poise__reconfigure_advance(PoiseRig* rig, double dt) {
    ReconfigureState* state = &rig->reconfigure->state;
    // discards the step of the solve
    poise__note(&rig->state, poise_advance(rig->state.tree));
    const double time = time_of_all(rig);
    const double speed = next_speed(rig, time, dt);
    const double part = time > speed * dt ? speed * dt / time : 1.0;
    step_postures(rig, part);
    const int clamped = poise__reference_advance(rig, dt);
    for (int i = 0; i < rig->binding_count && part < 1.0; i++) {
        JointState* joint = &rig->state.joints[i];
        double off[POISE_MAX_NV];
        (void)time_of(rig, joint, off);
        for (int d = 0; d < rig->bindings[i].type->nv && rig->bindings[i].follows_ik; d++) {
            joint->velocity[d] = speed * off[d] / (time - speed * dt);
        }
    }
    state->clock -= dt;
    if (part == 1.0) {
        state->state = POISE_RECONFIGURATION_NONE;
    } else if (state->clock < 0.0) {
        state->state = POISE_RECONFIGURATION_BLOCKED;
    }
    return clamped;
}
