// SPDX-License-Identifier: MIT
// Checks whether the springs suit the inertia of their links and the length of the steps
// (poise_rig_advise), and warns once in the log if they do not. Also warns of goals whose unit is
// not metres, and of steps that are too long for the weight of a link.
//
// The inertia I of a joint is that of all links from the joint on, as one rigid body, with the
// joint's parent fixed: omega = sqrt(p / I), damping ratio = d / (2 sqrt(p I)).
#include <math.h>
#include <stdio.h>

#include "convert.h"
#include "step.h"

// Largest omega h of a spring that steps of h can follow: a faster oscillation takes one or two
// steps, and implicit Euler damps it by p h. A warning also needs p h > d.
#define MAX_SWING 2.0
// omega h of the spring that the advice proposes instead.
#define GOOD_SWING 0.5
// Least omega, 1/s: below it a joint takes seconds to reach its target. GOOD_OMEGA is the proposed
// value.
#define MIN_OMEGA  2.0
#define GOOD_OMEGA 10.0
// Damping ratios between which a joint neither oscillates nor creeps. A joint creeps only if d / p
// is also above LONG, s.
#define MIN_RATIO 0.2
#define MAX_RATIO 5.0
#define LONG      0.5
// A goal whose distance from its point exceeds this many times that of the farthest joint is not in
// metres.
#define FAR_GOAL 100.0
// Largest g h^2 / L sqrt(M / m), for a step h and a link of length L and mass M whose parent link
// has the mass m. Beyond it weight may open joints within a step, and a falling chain gains energy,
// with springs or without. In 20,000 random chains no value below 0.49 gained energy
// (engine/README.md).
#define MAX_FALL 0.3

typedef struct Inertia {
    double mass;
    double about[3][3]; ///< inertia about the anchor, world axes, kg m^2
} Inertia;

static void add_body(Inertia* sum, dBodyID body, PoiseVec3 anchor) {
    dMass mass;
    dBodyGetMass(body, &mass);
    const double m = (double)mass.mass;
    const dReal* place = dBodyGetPosition(body);
    const dReal* r = dBodyGetRotation(body);
    const PoiseVec3 c = poise_sub(poise__vec3_from(place), anchor);
    const double offset[3] = {c.x, c.y, c.z};
    sum->mass += m;
    for (int j = 0; j < 3; j++) {
        // column j of R I R^T: the inertia in world axes
        double moment[3];
        for (int k = 0; k < 3; k++) {
            moment[k] = 0.0;
            for (int l = 0; l < 3; l++) {
                moment[k] += (double)mass.I[4 * k + l] * (double)r[4 * j + l];
            }
        }
        for (int i = 0; i < 3; i++) {
            const double square = i == j ? poise_dot(c, c) : 0.0;
            sum->about[i][j] += m * (square - offset[i] * offset[j]);
            for (int k = 0; k < 3; k++) {
                sum->about[i][j] += (double)r[4 * i + k] * moment[k];
            }
        }
    }
}

static bool stands_on(const PoiseRig* rig, int binding, int root) {
    while (binding != root && binding != NO_BINDING) {
        binding = rig->bindings[binding].parent;
    }
    return binding == root;
}

static Inertia gather(const RigState* state, int root) {
    Inertia sum = {0};
    const PoiseRig* rig = state->rig;
    const PoiseVec3 anchor = state->joints[root].joint_world.p;
    for (int b = root; b < rig->binding_count; b++) {
        const Binding* binding = &rig->bindings[b];
        if (stands_on(rig, b, root) && poise__motor_alive(&binding->motor)) {
            add_body(&sum, binding->motor.child, anchor);
        }
    }
    for (int w = 0; w < rig->weld_count; w++) {
        const Weld* weld = &rig->welds[w];
        const Binding* holder = poise__binding(rig, weld->node);
        if (stands_on(rig, (int)(holder - rig->bindings), root) && poise__weld_holds(rig, weld)) {
            add_body(&sum, weld->body, anchor);
        }
    }
    return sum;
}

// Computes the least and largest eigenvalue of a symmetric 3 x 3 matrix, in closed form.
static void extremes(double a[3][3], double* least, double* most) {
    const double q = (a[0][0] + a[1][1] + a[2][2]) / 3.0;
    double off = 0.0, on = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            off += i == j ? 0.0 : a[i][j] * a[i][j];
        }
        on += (a[i][i] - q) * (a[i][i] - q);
    }
    const double p = sqrt((on + off) / 6.0);
    if (!(p > 0.0)) {
        *least = q;
        *most = q;
        return;
    }
    double b[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            b[i][j] = (a[i][j] - (i == j ? q : 0.0)) / p;
        }
    }
    const double determinant = b[0][0] * (b[1][1] * b[2][2] - b[1][2] * b[2][1]) -
                               b[0][1] * (b[1][0] * b[2][2] - b[1][2] * b[2][0]) +
                               b[0][2] * (b[1][0] * b[2][1] - b[1][1] * b[2][0]);
    const double phi = poise_acos(poise_min(poise_max(0.5 * determinant, -1.0), 1.0)) / 3.0;
    *most = q + 2.0 * p * poise_cos(phi);
    *least = q + 2.0 * p * poise_cos(phi + 2.0 * POISE_PI / 3.0);
}

static double about_axis(double a[3][3], PoiseVec3 axis) {
    const double e[3] = {axis.x, axis.y, axis.z};
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            sum += e[i] * a[i][j] * e[j];
        }
    }
    return sum;
}

double poise__inertia_about(const RigState* state, const JointState* joint, PoiseVec3 axis) {
    Inertia behind = gather(state, (int)(joint - state->joints));
    return about_axis(behind.about, axis);
}

// Computes the least and the largest inertia of a joint: its mass if it only slides; else the
// inertia about its axis, or the extremes over all axes.
static void inertias(const RigState* state, int at, double* least, double* most) {
    const JointState* joint = &state->joints[at];
    const Binding* binding = joint->of;
    Inertia inertia = gather(state, at);
    if (binding->motor.count[ABOUT] == 0) {
        *least = inertia.mass;
        *most = inertia.mass;
    } else if (binding->motor.count[ABOUT] == 1) {
        PoiseVec3 axes[POISE_MAX_NV];
        poise__joint_axes(joint, axes);
        *least = about_axis(inertia.about, axes[binding->motor.first[ABOUT]]);
        *most = *least;
    } else {
        extremes(inertia.about, least, most);
    }
}

// Returns the length of a link, m: twice the distance of its centre of mass from its joint, or if
// longer, the length of a rod with its mass and inertia.
static double link_length(const JointState* joint, const dMass* mass) {
    const PoiseVec3 centre = poise_pose_apply(joint->link_world, joint->of->com_link);
    const double most =
        poise_max((double)mass->I[0], poise_max((double)mass->I[5], (double)mass->I[10]));
    return poise_max(2.0 * poise_length(poise_sub(centre, poise__joint_pivot(joint))),
                     sqrt(12.0 * most / (double)mass->mass));
}

// Returns the longest step in which the weight of a link does not open joints (MAX_FALL), s;
// infinity without weight.
static double longest_step(const RigState* state, int at) {
    const PoiseRig* rig = state->rig;
    const JointState* joint = &state->joints[at];
    const double g = poise_length(poise__gravity(rig->world));
    // before the first update joint->ready is not set
    dBodyID body = poise__motor_alive(&joint->of->motor) ? joint->of->motor.child : NULL;
    if (!body || dBodyIsKinematic(body) || !dBodyGetGravityMode(body) || !(g > 0.0)) {
        return HUGE_VAL;
    }
    dMass mass;
    dBodyGetMass(body, &mass);
    double ratio = 1.0;
    if (joint->of->parent != NO_BINDING &&
        poise__motor_alive(&rig->bindings[joint->of->parent].motor)) {
        dMass before;
        dBodyGetMass(rig->bindings[joint->of->parent].motor.child, &before);
        ratio = poise_max(1.0, (double)mass.mass / (double)before.mass);
    }
    return sqrt(MAX_FALL * link_length(joint, &mass) / (g * sqrt(ratio)));
}

static unsigned verdict_of(const PoiseSpringAdvice* advice, PoiseSpring spring, double dt) {
    unsigned verdict = 0;
    const double swing = sqrt(spring.stiffness / advice->least_inertia) * dt;
    if (swing > MAX_SWING && spring.stiffness * dt > spring.damping) {
        verdict |= POISE_SPRING_TOO_STIFF;
    } else if (advice->omega < MIN_OMEGA) {
        verdict |= POISE_SPRING_TOO_SOFT;
    }
    if (advice->damping_ratio < MIN_RATIO) {
        verdict |= POISE_SPRING_RINGS;
    } else if (advice->damping_ratio > MAX_RATIO && spring.damping > LONG * spring.stiffness) {
        verdict |= POISE_SPRING_CRAWLS;
    }
    return verdict;
}

PoiseStatus poise_rig_advise(const PoiseRig* rig, PoiseNodeId node, double dt,
                             PoiseSpringAdvice* advice) {
    const Binding* binding = rig && advice ? poise__binding(rig, node) : NULL;
    if (!rig || !advice || !(dt > 0.0) || isinf(dt)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!binding || !poise__motor_alive(&binding->motor)) {
        return binding ? POISE_ERROR_GONE : POISE_ERROR_INVALID_HANDLE;
    }
    *advice = (PoiseSpringAdvice){0};
    const int at = (int)(binding - rig->bindings);
    double least = 0.0, most = 0.0;
    inertias(&rig->state, at, &least, &most);
    const Sort sort = poise__binding_main_sort(binding);
    const bool solved = binding->ik[sort].stiffness > 0.0;
    PoiseSpring spring = binding->original[sort];
    spring.stiffness += solved ? binding->ik[sort].stiffness : 0.0;
    spring.damping += solved ? binding->ik[sort].damping : 0.0;
    advice->spring = spring;
    advice->inertia = most;
    advice->least_inertia = least;
    advice->longest_step = longest_step(&rig->state, at);
    if (!(spring.stiffness > 0.0)) {
        return POISE_OK;
    }
    advice->omega = sqrt(spring.stiffness / most);
    advice->damping_ratio = 0.5 * spring.damping / sqrt(spring.stiffness * most);
    advice->verdict = verdict_of(advice, spring, dt);
    advice->proposed = spring;
    if ((advice->verdict & POISE_SPRING_TOO_STIFF) != 0) {
        advice->proposed.stiffness = most * GOOD_SWING * GOOD_SWING / (dt * dt);
    } else if ((advice->verdict & POISE_SPRING_TOO_SOFT) != 0) {
        advice->proposed.stiffness = most * GOOD_OMEGA * GOOD_OMEGA;
    }
    if (advice->verdict != 0) {
        // critical damping
        advice->proposed.damping = 2.0 * sqrt(advice->proposed.stiffness * most);
    }
    return POISE_OK;
}

const char* poise_spring_verdict_name(unsigned verdict) {
    if ((verdict & POISE_SPRING_TOO_STIFF) != 0) {
        return "too stiff";
    }
    if ((verdict & POISE_SPRING_TOO_SOFT) != 0) {
        return "too soft";
    }
    return (verdict & POISE_SPRING_RINGS) != 0    ? "hardly damped"
           : (verdict & POISE_SPRING_CRAWLS) != 0 ? "damped too much"
                                                  : "fine";
}

// Returns the largest distance of a joint of the rig from a position, m.
static double reach_about(const PoiseRig* rig, PoiseVec3 place) {
    double most = 0.0;
    for (int b = 0; b < rig->binding_count; b++) {
        const PoisePose joint = poise_node_joint_world(rig->state.tree, rig->bindings[b].node);
        most = poise_max(most, poise_length(poise_sub(joint.p, place)));
    }
    return most;
}

// Warns of a goal whose distance shows that its unit is wrong.
static void warn_of_far_goals(PoiseRig* rig) {
    for (int i = 0; i < poise_tree_point_count(rig->state.tree); i++) {
        const PoisePointId point = poise_tree_point(rig->state.tree, i);
        const double reach = reach_about(rig, poise_point_planned_pose(rig->state.tree, point).p);
        const double off = poise_point_planned_error(rig->state.tree, point);
        if (poise_point_enabled(rig->state.tree, point) && off > FAR_GOAL * reach && reach > 0.0) {
            poise__rig_warn(rig,
                            "poise_rig_update: the goal of point %u is %.3g m away, all joints are "
                            "within %.3g m of it: goals are in metres",
                            (unsigned)point.index1, off, reach);
            return;
        }
    }
}

// Warns of steps that are too long for the weight of a link.
static void warn_of_falls(PoiseRig* rig, double dt) {
    double least = HUGE_VAL;
    PoiseNodeId node = poise_null_node();
    for (int b = 0; b < rig->binding_count; b++) {
        const double longest = longest_step(&rig->state, b);
        node = longest < least ? rig->bindings[b].node : node;
        least = poise_min(least, longest);
    }
    if (dt > least) {
        poise__rig_warn(rig,
                        "poise_rig_update: a step of %g s is too long for the weight of node %u: "
                        "joints may open and the rig fly apart; take %.2g s or less",
                        dt, (unsigned)node.index1, least);
    }
}

void poise__watch_springs(PoiseRig* rig, double dt) {
    if (rig->advised_step == dt && rig->advised_bindings == rig->binding_count) {
        return;
    }
    rig->advised_step = dt;
    rig->advised_bindings = rig->binding_count;
    const char* problem = poise_rig_problem(rig);
    const bool is_logged = rig->binding_count > 0 && poise_tree_status(rig->state.tree) < 0;
    if (problem && !is_logged) {
        poise__rig_warn(rig, "poise_rig_update: %s", problem);
    } else {
        warn_of_far_goals(rig);
    }
    warn_of_falls(rig, dt);
    int count = 0;
    PoiseSpringAdvice worst = {0};
    PoiseNodeId node = poise_null_node();
    for (int b = 0; rig->host.log && b < rig->binding_count; b++) {
        PoiseSpringAdvice advice;
        if (poise_rig_advise(rig, rig->bindings[b].node, dt, &advice) == POISE_OK &&
            advice.verdict != 0) {
            worst = count == 0 ? advice : worst;
            node = count == 0 ? rig->bindings[b].node : node;
            count++;
        }
    }
    if (count == 0) {
        return;
    }
    char text[256];
    snprintf(text, sizeof text,
             "poise_rig_update: the springs of %d of %d nodes do not suit what hangs on them at a "
             "step of %g s, node %u first: %s (p %g, d %g, inertia %g); try p %.3g, d %.3g, see "
             "poise_rig_advise",
             count, rig->binding_count, dt, (unsigned)node.index1,
             poise_spring_verdict_name(worst.verdict), worst.spring.stiffness, worst.spring.damping,
             worst.inertia, worst.proposed.stiffness, worst.proposed.damping);
    rig->host.log(POISE_WARNING, text, rig->host.user);
}
