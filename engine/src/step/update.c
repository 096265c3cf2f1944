// SPDX-License-Identifier: MIT
// Updates a rig: calls the stages of step.h in their order.
#include <string.h>

#include "convert.h"
#include "press.h"
#include "step.h"

// Computes the forces and weights to feed forward. `pressed`: some point pressed in the last step.
static void feed_forward(PoiseRig* rig, double dt, bool pressed) {
    poise__stance_follow(&rig->state, dt);
    poise__closures_follow(rig);
    poise__note(&rig->state, poise_forces(rig->state.tree));
    // the springs' forces are measured as torque minus weight, even if weight is not fed forward
    if (rig->settings.gravity || rig->state.pressing || rig->state.stance_count > 0) {
        const PoiseVec3 gravity = poise__gravity(rig->world);
        poise__note(&rig->state, poise_gravity(rig->state.tree, gravity));
        poise__stance_share(&rig->state, gravity);
    }
    for (int i = 0; (pressed || rig->state.pressing) && i < rig->binding_count; i++) {
        poise__joint_clear(&rig->state.joints[i], rig->state.joints[i].pressing);
    }
    rig->state.press.point_count = 0;
    if (rig->state.pressing) {
        poise__force_measure(&rig->state);
    }
    poise__closures_share(&rig->state);
}

// Fills the largest difference between the asked force or torque of a point and that of the springs
// in the last step.
static void report_forces(const PoiseRig* rig, PoiseRigReport* report) {
    report->pressing = rig->state.press.point_count;
    for (int p = 0; p < rig->state.press.point_count; p++) {
        const PressPoint* point = &rig->state.press.points[p];
        PoiseVec3 force = poise_sub(point->force_measured, point->force);
        PoiseVec3 torque = poise_sub(point->torque_measured, point->torque);
        const double asked = poise_length(point->force);
        const double asked_torque = poise_length(point->torque);
        double off = asked > 0.0 ? fabs(poise_dot(force, point->force)) / asked : 0.0;
        double torque_off =
            asked_torque > 0.0 ? fabs(poise_dot(torque, point->torque)) / asked_torque : 0.0;
        report->force_error = poise_max(report->force_error, off);
        report->torque_error = poise_max(report->torque_error, torque_off);
    }
}

// True if pressing points, stances, closures, weight or the measured reference need measured
// frames. Otherwise the frames of the reference posture suffice.
static bool needs_measured_frames(const PoiseRig* rig) {
    const PoiseVec3 g = poise__gravity(rig->world);
    const bool weighs = g.x != 0.0 || g.y != 0.0 || g.z != 0.0;
    return rig->settings.reference == POISE_REFERENCE_MEASURED || rig->state.pressing ||
           rig->state.stance_count > 0 || rig->closure_count > 0 ||
           (rig->settings.gravity && weighs);
}

// Solves for omega, the joints' steps. `measured`: the tree has the bodies' frames.
static PoiseStatus find_reference(PoiseRig* rig, double dt, bool measured,
                                  PoiseSolveReport* report) {
    PoiseSolveDef solve = rig->settings.solve;
    solve.step = dt;
    if (measured) {
        poise__reference_frames(rig);
    }
    poise__force_follow(&rig->state);
    poise__reference_bound(&rig->state, dt);
    poise__reference_pull(&rig->state, rig->state.tree, &solve);
    if (rig->kept_apart) {
        poise__obstacles_follow(rig);
    }
    return rig->state.noted < 0 ? rig->state.noted : poise_solve(rig->state.tree, &solve, report);
}

// Advances theta_ik, and computes the distance of pressing points to their places in the own
// posture. Returns how many joints the clamp held.
static int advance(PoiseRig* rig, double dt) {
    const int clamped =
        rig->reconfigure && rig->reconfigure->state.state == POISE_RECONFIGURATION_MOVES
            ? poise__reconfigure_advance(rig, dt)
            : poise__reference_advance(rig, dt);
    if (rig->state.press.point_count > 0) {
        poise__reference_frames(rig);
        poise__force_place(&rig->state);
    }
    return clamped;
}

// Fails because no joint can be driven; logs this once, not in each step.
static PoiseStatus gone(PoiseRig* rig, const char* what) {
    if (!rig->logged_gone) {
        rig->logged_gone = true;
        poise__rig_fail(rig, POISE_ERROR_GONE, "poise_rig_update: %s", what);
    }
    return POISE_ERROR_GONE;
}

// Copies the first error of the tree, such as a goal that is not finite, to the rig.
static void copy_tree_status(PoiseRig* rig, PoiseRigReport* report) {
    report->tree_status = poise_tree_status(rig->state.tree);
    if (report->tree_status < 0 && rig->status == POISE_OK) {
        poise__rig_fail(rig, report->tree_status, "poise_rig_update: %s",
                        poise_tree_message(rig->state.tree));
    }
}

// Warns once why joints are left out.
static void warn_skipped(PoiseRig* rig, int skipped) {
    const char* problem = skipped > 0 && !rig->logged_skipped ? poise_rig_problem(rig) : NULL;
    rig->logged_skipped = skipped > 0;
    if (problem) {
        poise__rig_warn(rig, "poise_rig_update: %s", problem);
    }
}

// Distributes the load over springs and ground, and fills the feed-forward.
static void share_load(PoiseRig* rig, double dt, PoiseRigReport* report) {
    // contacts and loops carry a part of the inertia, and a clamp changes the motion: feed no
    // inertia
    const bool shared = rig->state.pressing || rig->closure_count > 0 ||
                        rig->state.stance_count > 0 || report->clamped > 0;
    poise__watch_springs(rig, dt);
    poise__integral_add(rig, dt);
    if (!shared && poise_tree_smoothness(rig->state.tree) > 0.0) {
        poise__inertia_feed(rig, dt);
    }
    poise__force_share(&rig->state);
    poise__approach_fill(&rig->state);
    report_forces(rig, report);
    report->unsupported = poise__support_watch(rig);
}

PoiseStatus poise_rig_update(PoiseRig* rig, double dt, PoiseRigReport* report) {
    if (!rig) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (!(dt > 0.0) || isinf(dt)) {
        return poise__rig_fail(rig, POISE_ERROR_INVALID_ARGUMENT,
                               "poise_rig_update: dt is %g s, it must be finite and above 0", dt);
    }
    PoiseRigReport local;
    PoiseRigReport* out = report ? report : &local;
    memset(out, 0, sizeof *out);
    if (!rig->state.tree) {
        return out->status = gone(rig, "the rig's tree has been destroyed");
    }
    rig->state.noted = POISE_OK;
    const bool pressed = rig->state.pressing;
    rig->state.pressing = poise_tree_presses(rig->state.tree);
    PoiseStatus status = poise__read_sets(rig);
    if (status < 0) {
        return out->status = status;
    }
    if (rig->binding_count == 0) {
        poise__watch_springs(rig, dt);
        return out->status = POISE_DEGRADED;
    }
    poise__watch_steps(rig);
    out->unstepped = rig->watch.unstepped;
    // ODE -> measured frames -> J^T F and gravity
    if (poise__read_bodies(rig) == 0) {
        // leave the world alone: it may be destroyed
        return out->status = gone(rig, "none of the bound joints can be driven: their bodies or "
                                       "joints are gone, disabled or not finite");
    }
    rig->logged_gone = false;
    poise__watch_lengths(rig, dt);
    const bool measured = needs_measured_frames(rig);
    poise__fill_measured(rig, rig->settings.reference == POISE_REFERENCE_MEASURED, measured);
    feed_forward(rig, dt, pressed);
    // reference frames -> omega -> theta_ik
    const bool searches = rig->settings.reconfigure_speed > 0.0;
    status = find_reference(rig, dt, measured, report || searches ? &out->solve : NULL);
    poise__note(&rig->state, status);
    if (status >= 0) {
        poise__reconfigure_watch(rig, dt, out);
        out->clamped = advance(rig, dt);
    }
    if (rig->state.noted < 0) {
        out->status = poise__rig_fail(rig, rig->state.noted, "poise_rig_update: %s",
                                      poise_tree_message(rig->state.tree));
        return out->status;
    }
    share_load(rig, dt, out);
    // theta_ik and theta_orig -> one spring per joint -> motors
    poise__drive(rig, dt, out);
    warn_skipped(rig, out->skipped);
    out->status = out->skipped > 0 || out->unstepped > 1 ? POISE_DEGRADED : status;
    copy_tree_status(rig, out);
    return out->status;
}
