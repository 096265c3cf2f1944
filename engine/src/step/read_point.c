// SPDX-License-Identifier: MIT
// Reads a point: its measured pose and miss, the plan's miss, and the cause of the miss. Called
// between updates; changes nothing.
//
// At rest p_ik (theta_ik - theta) = p_new (theta_new - theta) - p_orig (theta_orig - theta). The
// first term on the right balances dry friction, contacts and loads; the second is the torque of
// the original spring. At the point, plan and body differ by J (theta_ik - theta): a sum of
// displacements by friction, by loads and contacts, and by the original springs. The largest of
// them is reported as the cause.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "convert.h"
#include "numbers.h"
#include "poise/solve.h"
#include "step.h"

// A point that would need longer than this to cover its miss at its present speed is at rest, s.
#define STILL_FOR 10.0
// A cause that explains less than this fraction of the miss is not reported.
#define EXPLAINS 0.1
// The plan is the cause of a miss if the plan's miss is at least this fraction of it.
#define PLANNED_PART 0.5
// Dry friction can balance torques up to this multiple of PoiseBindDef.friction, since ODE's rows
// yield a little.
#define FRICTION_ROOM 1.05

// ------------------------------------------------------------------------------------ where it is

// Pose and velocity of a point, m/s and rad/s, measured from the bodies.
typedef struct Measured {
    PoisePose pose;
    PoiseVec3 velocity;
    PoiseVec3 spin;
} Measured;

// True if the binding was measured in the last update and its bodies still exist.
static bool is_there(const PoiseRig* rig, const Binding* binding) {
    return rig->state.joints[binding - rig->bindings].ready && poise__motor_alive(&binding->motor);
}

// Returns the binding of a node or of its nearest ancestor whose bodies exist, or NO_BINDING.
static int binding_below(const PoiseRig* rig, PoiseNodeId node) {
    int below = poise__bound_below(rig, rig->state.tree, node);
    while (below != NO_BINDING && !poise__motor_alive(&rig->bindings[below].motor)) {
        below = rig->bindings[below].parent;
    }
    return below;
}

// Returns the transform from the planned to the measured frame of a node's link; the identity for
// the null handle, which is the world.
static PoisePose from_plan(const PoiseRig* rig, PoiseNodeId node) {
    const int below = binding_below(rig, node);
    if (below == NO_BINDING) {
        return poise_pose_identity();
    }
    const Binding* binding = &rig->bindings[below];
    const PoisePose planned = poise_node_link_world(rig->state.tree, binding->node);
    return poise_pose_mul(poise__binding_link(binding), poise_pose_inverse(planned));
}

static bool is_carried_by(const PoiseTree* tree, PoiseNodeId node, PoiseNodeId root) {
    while (node.index1 != 0 && !poise__is_node(node, root)) {
        node = poise_node_parent(tree, node);
    }
    return node.index1 != 0;
}

// Measures the centre of mass of a link and all links that it carries.
static void measure_com(const PoiseRig* rig, PoiseNodeId root, Measured* measured) {
    const PoiseTree* tree = rig->state.tree;
    PoiseVec3 place = poise_vec3(0.0, 0.0, 0.0), velocity = place;
    double sum = 0.0;
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        const PoiseNodeId node = poise_tree_node(tree, i);
        PoiseVec3 com;
        const double mass = poise_node_mass(tree, node, &com);
        if (!(mass > 0.0) || !is_carried_by(tree, node, root)) {
            continue;
        }
        const int below = binding_below(rig, node);
        com = poise_pose_apply(
            poise_pose_mul(from_plan(rig, node), poise_node_link_world(tree, node)), com);
        place = poise_add_scaled(place, mass, com);
        velocity =
            below == NO_BINDING
                ? velocity
                : poise_add_scaled(velocity, mass,
                                   poise__body_velocity_at(rig->bindings[below].motor.child, com));
        sum += mass;
    }
    if (sum > 0.0) {
        measured->pose.p = poise_scale(1.0 / sum, place);
        measured->velocity = poise_scale(1.0 / sum, velocity);
    }
}

static Measured measure(const PoiseRig* rig, PoisePointId point) {
    const PoiseTree* tree = rig->state.tree;
    const PoiseNodeId link = poise_point_link(tree, point);
    const int below = binding_below(rig, link);
    Measured measured = {
        .pose = poise_pose_mul(from_plan(rig, link), poise_point_planned_pose(tree, point))};
    if (below != NO_BINDING) {
        const dBodyID body = rig->bindings[below].motor.child;
        measured.spin = poise__vec3_from(dBodyGetAngularVel(body));
        measured.velocity = poise__body_velocity_at(body, measured.pose.p);
    }
    if (poise_point_kind(tree, point) == POISE_POINT_COM) {
        measure_com(rig, link, &measured);
    }
    return measured;
}

// ------------------------------------------------------------------------------------------ cause

// The point whose miss is explained (POISE_WHY_*), and its measured pose and velocity.
typedef struct Case {
    const PoiseRig* rig;
    PoisePointId point;
    Measured measured;
    double within[2]; ///< tolerances of distance and angle, m and rad
} Case;

static void name_joint(PoisePointReading* reading, PoiseNodeId node) {
    if (reading->joint_count < POISE_READING_JOINTS) {
        reading->joints[reading->joint_count] = node;
    }
    reading->joint_count++;
}

// Lists the joints that move the point and are at their torque limit. True if there are any.
static bool is_at_torque_limit(const Case* at, PoisePointReading* reading) {
    const RigState* state = &at->rig->state;
    for (int b = 0; b < at->rig->binding_count; b++) {
        const Binding* binding = &at->rig->bindings[b];
        if (is_there(at->rig, binding) &&
            (state->joints[b].clamped || poise__binding_is_saturated(binding) ||
             poise__is_fully_loaded(binding, state->joints[b].feed_forward[0])) &&
            (binding->looped || poise_is_registered(state->tree, at->point, binding->node))) {
            name_joint(reading, binding->node);
        }
    }
    return reading->joint_count > 0;
}

// Returns the cause that the solver or the search for another posture reports. POISE_WHY_NONE if
// the plan does not cause the miss.
static PoisePointWhy planned_why(const Case* at, PoisePointReading* reading) {
    static const PoisePointWhy by_state[] = {
        [POISE_POINT_AT_LIMITS] = POISE_WHY_LIMIT,
        [POISE_POINT_OUTWEIGHED] = POISE_WHY_OUTWEIGHED,
        [POISE_POINT_UNREACHABLE] = POISE_WHY_STUCK,
        [POISE_POINT_SINGULAR] = POISE_WHY_SINGULAR,
    };
    const PoiseTree* tree = at->rig->state.tree;
    const PoisePointState state = poise_point_state(tree, at->point);
    if (state < POISE_POINT_AT_LIMITS ||
        (reading->planned_miss < PLANNED_PART * reading->miss &&
         reading->planned_angle_miss < PLANNED_PART * reading->angle_miss)) {
        return POISE_WHY_NONE;
    }
    const int32_t now = at->rig->reconfigure ? at->rig->reconfigure->state.state
                                             : (int32_t)POISE_RECONFIGURATION_NONE;
    const bool caused = state == POISE_POINT_AT_LIMITS || state == POISE_POINT_OUTWEIGHED;
    if (now == POISE_RECONFIGURATION_BLOCKED) {
        return POISE_WHY_BLOCKED;
    }
    if (now == POISE_RECONFIGURATION_UNREACHABLE && !caused) {
        return POISE_WHY_UNREACHABLE;
    }
    if (state == POISE_POINT_AT_LIMITS) {
        reading->joint_count =
            poise_point_limited_by(tree, at->point, reading->joints, POISE_READING_JOINTS);
    }
    return by_state[state];
}

// The causes of a difference between plan and body: original springs, dry friction, loads and
// contacts.
enum { ORIGINAL, DRY, OUTSIDE, CAUSES };

// Fills the rows of the goal in which the miss is above the tolerance, without the yielding
// directions. Returns their number.
static int rows_off(const Case* at, const PoisePointReading* reading,
                    double rows[POISE_MAX_ROWS * POISE_MAX_ROWS]) {
    const PoiseTree* tree = at->rig->state.tree;
    double yields[POISE_MAX_ROWS * POISE_MAX_ROWS];
    const int yield_count = poise_point_yield_rows(tree, at->point, yields);
    const int count = poise_point_goal_rows(tree, at->point, rows);
    int kept = 0;
    for (int r = 0; r < count; r++) {
        double* row = &rows[POISE_MAX_ROWS * r];
        const bool turns = row[0] == 0.0 && row[1] == 0.0 && row[2] == 0.0;
        for (int y = 0; y < yield_count; y++) {
            const double part =
                poise__numbers_dot(row, &yields[POISE_MAX_ROWS * y], POISE_MAX_ROWS);
            for (int i = 0; i < POISE_MAX_ROWS; i++) {
                row[i] -= part * yields[POISE_MAX_ROWS * y + i];
            }
        }
        if ((turns ? reading->angle_miss : reading->miss) > at->within[turns]) {
            memmove(&rows[POISE_MAX_ROWS * kept++], row, POISE_MAX_ROWS * sizeof *row);
        }
    }
    return kept;
}

// Adds to `shifts`, by cause, the displacements of the point that the torques of binding b cause.
// True if dry friction balances a torque of the joint's springs.
static bool add_joint(const Case* at, int b, double shifts[CAUSES][POISE_MAX_ROWS]) {
    const Binding* binding = &at->rig->bindings[b];
    const JointState* joint = &at->rig->state.joints[b];
    double block[POISE_MAX_ROWS * POISE_MAX_DOF], spring[POISE_MAX_NV], posture[POISE_MAX_NV];
    const int dof = poise_point_jacobian(at->rig->state.tree, at->point, binding->node, block);
    if (dof != binding->type->nv || !is_there(at->rig, binding) || !binding->follows_ik) {
        return false;
    }
    bool rubs = false;
    poise__joint_pull(joint, spring, posture);
    for (int d = 0; d < dof; d++) {
        const double p = poise__binding_ik(binding, poise__sort(binding->type, d)).stiffness;
        const bool presses = at->rig->state.pressing;
        // the original springs do not pull pressing points (press.c)
        const double pull = presses ? spring[d] : spring[d] + posture[d];
        const bool dry = binding->friction > 0.0 &&
                         fabs(pull + joint->motion_feed[d]) <= FRICTION_ROOM * binding->friction;
        for (int i = 0; p > 0.0 && i < POISE_MAX_ROWS; i++) {
            const double turn = block[i * dof + d] / p;
            shifts[ORIGINAL][i] -= presses ? 0.0 : turn * posture[d];
            shifts[dry ? DRY : OUTSIDE][i] += turn * pull;
        }
        rubs = rubs || dry;
    }
    return rubs;
}

// Returns the cause that keeps joints farthest from theta_ik, and thus the bodies from the plan.
static PoisePointWhy body_why(const Case* at, PoisePointReading* reading) {
    double shifts[CAUSES][POISE_MAX_ROWS] = {{0.0}}, rows[POISE_MAX_ROWS * POISE_MAX_ROWS],
           most = 0.0;
    const int count = rows_off(at, reading, rows);
    int cause = CAUSES;
    for (int b = 0; b < at->rig->binding_count; b++) {
        if (add_joint(at, b, shifts)) {
            name_joint(reading, at->rig->bindings[b].node);
        }
    }
    for (int c = 0; c < CAUSES; c++) {
        double square = 0.0;
        for (int r = 0; r < count; r++) {
            const double part =
                poise__numbers_dot(shifts[c], &rows[POISE_MAX_ROWS * r], POISE_MAX_ROWS);
            square += part * part;
        }
        cause = sqrt(square) > most ? c : cause;
        most = poise_max(most, sqrt(square));
    }
    if (cause != DRY) {
        reading->joint_count = 0;
        memset(reading->joints, 0, sizeof reading->joints);
    }
    const double miss = poise_max(reading->miss > at->within[0] ? reading->miss : 0.0,
                                  reading->angle_miss > at->within[1] ? reading->angle_miss : 0.0);
    if (most < EXPLAINS * miss) {
        return POISE_WHY_MOVING;
    }
    return cause == DRY        ? POISE_WHY_DRY_FRICTION
           : cause == ORIGINAL ? POISE_WHY_SPRINGS
           : reading->presses  ? POISE_WHY_FRICTION
                               : POISE_WHY_LOAD;
}

// True if the plan cannot reach the goal because two parts are kept apart. Stores the parts and
// their nodes in `reading`.
static bool is_kept_apart(const Case* at, PoisePointReading* reading) {
    if (!at->rig->kept_apart ||
        !poise_apart_held_by(poise_rig_apart(at->rig), at->point, &reading->held_by)) {
        return false;
    }
    const int parts[2] = {reading->held_by.pair.a, reading->held_by.pair.b};
    for (int i = 0; i < 2; i++) {
        const PoiseNodeId node = poise__apart_link(at->rig, parts[i]);
        reading->held_geoms[i] = poise_rig_apart_geom(at->rig, parts[i]);
        if (node.index1 != 0) {
            name_joint(reading, node);
        }
    }
    return true;
}

static PoisePointWhy find_why(const Case* at, PoisePointReading* reading) {
    const PoisePointState state = poise_point_state(at->rig->state.tree, at->point);
    const Reconfigure* reconfigure = at->rig->reconfigure;
    if (state == POISE_POINT_IDLE || !poise_point_enabled(at->rig->state.tree, at->point) ||
        !poise__point_is_served(at->rig, at->point)) {
        return POISE_WHY_IDLE;
    }
    const bool off = reading->miss > at->within[0], turned = reading->angle_miss > at->within[1];
    if (!off && !turned) {
        return POISE_WHY_NONE;
    }
    if (reconfigure && reconfigure->state.state == POISE_RECONFIGURATION_MOVES) {
        return POISE_WHY_RECONFIGURES;
    }
    // the point moves: at its present speed it would cover its miss within STILL_FOR
    if ((off && STILL_FOR * poise_length(at->measured.velocity) >= reading->miss) ||
        (turned && STILL_FOR * poise_length(at->measured.spin) >= reading->angle_miss)) {
        return POISE_WHY_MOVING;
    }
    if (is_kept_apart(at, reading)) {
        return POISE_WHY_APART;
    }
    if (is_at_torque_limit(at, reading)) {
        return POISE_WHY_TORQUE_LIMIT;
    }
    if (reconfigure && reconfigure->state.state == POISE_RECONFIGURATION_SEARCHES) {
        return POISE_WHY_SEARCHES;
    }
    const PoisePointWhy planned = planned_why(at, reading);
    return planned == POISE_WHY_NONE ? body_why(at, reading) : planned;
}

// --------------------------------------------------------------------------------------- reading

static void read_press(const PoiseRig* rig, PoisePointId point, PoisePointReading* reading) {
    for (int p = 0; p < rig->state.press.point_count; p++) {
        const PressPoint* press = &rig->state.press.points[p];
        if (poise__is_point(press->point, point)) {
            reading->presses = true;
            reading->force = press->force;
            reading->torque = press->torque;
            reading->touches = press->touches;
            reading->force_measured = press->force_measured;
            reading->torque_measured = press->torque_measured;
        }
    }
}

PoiseStatus poise_rig_read_point(const PoiseRig* rig, PoisePointId point,
                                 PoisePointReading* reading) {
    if (!rig || !reading) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const PoiseTree* tree = rig->state.tree;
    if (!poise_point_is_valid(tree, point)) {
        return POISE_ERROR_INVALID_HANDLE;
    }
    memset(reading, 0, sizeof *reading);
    const Case at = {
        .rig = rig,
        .point = point,
        .measured = measure(rig, point),
        .within = {rig->settings.solve.position_tolerance, rig->settings.solve.angle_tolerance}};
    reading->pose = at.measured.pose;
    // the tree has a goal on a link at that link's planned pose, so move the measured pose by the
    // same transform
    const PoisePose frame = from_plan(rig, poise_point_frame(tree, point));
    poise_point_miss(tree, point, poise_pose_mul(poise_pose_inverse(frame), reading->pose),
                     &reading->miss, &reading->angle_miss);
    poise_point_miss(tree, point, poise_point_planned_pose(tree, point), &reading->planned_miss,
                     &reading->planned_angle_miss);
    read_press(rig, point, reading);
    reading->why = find_why(&at, reading);
    return POISE_OK;
}

// ------------------------------------------------------------------------------------------ words

// By PoisePointWhy: the name of a cause, and its words in a message if these differ.
// clang-format off
static const char* const words[][2] = {
    [POISE_WHY_NONE] = {"none", "at its goal"},
    [POISE_WHY_IDLE] = {"idle", "idle: it is off, or no driven joint serves it"},
    [POISE_WHY_MOVING] = {"moving"},
    [POISE_WHY_LIMIT] = {"limit"},
    [POISE_WHY_TORQUE_LIMIT] = {"torque limit"},
    [POISE_WHY_OUTWEIGHED] = {"outweighed", "outweighed by other goals"},
    [POISE_WHY_SINGULAR] = {"singular"},
    [POISE_WHY_STUCK] = {"stuck", "stuck: no small motion brings it nearer; it is out of reach, or only "
                                  "another posture meets it"},
    [POISE_WHY_SEARCHES] = {"searches another posture"},
    [POISE_WHY_RECONFIGURES] = {"takes another posture"},
    [POISE_WHY_UNREACHABLE] = {"unreachable"},
    [POISE_WHY_BLOCKED] = {"held on the way to another posture"},
    [POISE_WHY_SPRINGS] = {"springs", "springs share with original"},
    [POISE_WHY_DRY_FRICTION] = {"dry friction"},
    [POISE_WHY_FRICTION] = {"friction", "held by friction"},
    [POISE_WHY_LOAD] = {"load", "held by a load, weight or contact"},
    [POISE_WHY_APART] = {"kept apart"}};
// clang-format on

const char* poise_point_why_name(PoisePointWhy why) {
    return why >= POISE_WHY_NONE && why <= POISE_WHY_APART ? words[why][0] : "?";
}

static size_t add_text(char* text, size_t capacity, size_t used, const char* more) {
    const int count = used < capacity ? snprintf(text + used, capacity - used, "%s", more) : 0;
    return used + (size_t)(count > 0 ? count : 0);
}

// Appends the name of a joint, or its number.
static size_t add_joint_name(char* text, size_t capacity, size_t used, PoiseNodeId node,
                             const PoiseNodeNames* names) {
    char number[24];
    const char* name = names && names->name_of ? names->name_of(names->user, node) : NULL;
    snprintf(number, sizeof number, "joint %u", (unsigned)node.index1);
    return add_text(text, capacity, used, name ? name : number);
}

// Writes the pair of parts that keeps the plan from the goal: "held by A - B, 12 mm".
static void write_apart(const PoisePointReading* reading, const PoiseNodeNames* names, char* text,
                        size_t capacity) {
    char distance[40];
    size_t used = 0;
    for (int i = 0, joint = 0; i < 2; i++) {
        const char* name = names && names->geom_name_of
                               ? names->geom_name_of(names->user, reading->held_geoms[i])
                               : NULL;
        used = add_text(text, capacity, used, i > 0 ? " - " : "held by ");
        used = !name && joint < reading->joint_count
                   ? add_joint_name(text, capacity, used, reading->joints[joint++], names)
                   : add_text(text, capacity, used, name ? name : "obstacle");
    }
    snprintf(distance, sizeof distance, ", %.0f mm", 1e3 * reading->held_by.gap.distance);
    add_text(text, capacity, used, distance);
}

const char* poise_point_why_text(const PoisePointReading* reading, const PoiseNodeNames* names,
                                 char* text, size_t capacity) {
    if (!reading || !text || capacity == 0) {
        return "";
    }
    if (reading->why == POISE_WHY_APART) {
        write_apart(reading, names, text, capacity);
        return text;
    }
    const int listed =
        reading->joint_count < POISE_READING_JOINTS ? reading->joint_count : POISE_READING_JOINTS;
    size_t used = 0;
    for (int i = 0; i < listed; i++) {
        used = add_text(text, capacity, used, i > 0 ? ", " : "held by ");
        used = add_joint_name(text, capacity, used, reading->joints[i], names);
    }
    if (listed > 0) {
        used = add_text(text, capacity, used, reading->joint_count > listed ? ", ...: " : ": ");
    }
    const char* name = poise_point_why_name(reading->why);
    const bool known = reading->why >= POISE_WHY_NONE && reading->why <= POISE_WHY_APART;
    const char* sentence = known ? words[reading->why][1] : NULL;
    add_text(text, capacity, used, sentence ? sentence : name);
    return text;
}
