// SPDX-License-Identifier: MIT
// poise_body_solve, poise_body_track: checks the arguments, solves each group, fills the report.
#include "body_apart.h"

// ----------------------------------------------------------------------------------------- reports

void poise__body_measure(const PoiseBody* body, const PoiseBodySolveDef* def,
                         const PoiseBodyTarget* targets, const double* posture,
                         PoiseBodyReport* report) {
    double worst = -1.0;
    report->error = 0.0;
    report->angle_error = 0.0;
    for (int i = 0; i < body->tip_count; i++) {
        double rows[6];
        const BodyTip* tip = &body->groups[body->tip_group[i]]->tips[body->tip_index[i]];
        const PoiseBodyGoal goal =
            tip->kind == BODY_TIP_CENTRE ? POISE_BODY_POSITION : targets[i].goal;
        poise__tip_rows(&targets[i], goal, poise_body_forward(body, posture, i), rows);
        const double distance = sqrt(rows[0] * rows[0] + rows[1] * rows[1] + rows[2] * rows[2]);
        const double angle = sqrt(rows[3] * rows[3] + rows[4] * rows[4] + rows[5] * rows[5]);
        report->error = fmax(report->error, distance);
        report->angle_error = fmax(report->angle_error, angle);
        const double part = fmax(distance / def->position_tolerance, angle / def->angle_tolerance);
        if (part > worst) {
            worst = part;
            report->worst_tip = i;
        }
    }
}

int poise__body_count_limited(const PoiseBody* body, const double* posture) {
    int count = 0;
    for (int p = 0; p < body->part_count; p++) {
        const BodyPart* part = body->parts[p];
        count += poise__chain_count_limited(part->chain, &posture[part->number]);
    }
    return count;
}

// ----------------------------------------------------------------------------------------- solving

/// The arguments of a solve, or of one step.
typedef struct Call {
    const PoiseBody* body;
    const PoiseBodySolveDef* def;
    const PoiseBodyTarget* targets;
    bool tracks;  ///< true: one tracking step; false: a solve
    bool reports; ///< true: the caller wants a report, so a limb computes its errors
} Call;

// Solves a limb, or makes one tracking step. False if the start is invalid.
static bool run_limb(const Call* call, const Limb* limb, double* posture, PoiseBodyReport* report) {
    PoiseBodyReport found = {.reason = POISE_REACH_MET, .limit = -1};
    double* own = &posture[limb->part->number];
    const PoiseStatus status =
        call->tracks
            ? poise__chain_track(&limb->search, &limb->target, own, call->reports ? &found : NULL)
            : poise__chain_solve(&limb->search, &limb->target, own, &found);
    if (status == POISE_NOT_CONVERGED && call->tracks) {
        found.reason = POISE_REACH_BUDGET;
    }
    found.limit += found.limit >= 0 ? limb->part->number : 0;
    poise__body_add_report(&found, report);
    return status >= POISE_OK;
}

// Solves a group of several parts, or makes one tracking step. False if the start is invalid.
static bool run_group(const Call* call, const BodyGroup* group, double* posture,
                      PoiseBodyReport* report) {
    const BodyKernel* kernel = poise__body_kernel(call->def->path);
    BodyProblem problem;
    if (poise__group_level_count(group, call->targets) > 1) {
        const LevelsCall levels = {call->body, group, call->def, call->targets};
        const bool valid = call->tracks ? poise__group_track_levels(&levels, posture, &problem)
                                        : poise__group_solve_levels(&levels, posture, &problem);
        if (valid) {
            poise__body_add_group(&problem, report);
        }
        return valid;
    }
    if (!poise__body_begin(group, call->def, call->targets, posture, &problem)) {
        return false;
    }
    problem.wanted = call->def->answers;
    bool moves = true;
    if (call->tracks) {
        moves = !kernel->track(&problem);
        problem.too_far = false;
        problem.reason = moves ? POISE_REACH_BUDGET : POISE_REACH_MET;
        problem.answers = !moves;
    } else if (call->def->answers > 1) {
        poise__group_solve_nearest(kernel, &problem);
    } else {
        poise__group_solve(kernel, &problem);
    }
    if (moves) {
        poise__group_store(group, problem.start, problem.best, posture);
    }
    poise__body_add_group(&problem, report);
    return true;
}

// Solves all groups, or makes a tracking step of each. Nothing changes if the start is invalid:
// false.
static bool run_groups(const Call* call, double* posture, PoiseBodyReport* report) {
    const PoiseBody* body = call->body;
    const size_t size = (size_t)body->posture_size * sizeof posture[0];
    double answer[POISE_BODY_MOST_POSTURE];
    PoiseBodyReport found = {.reason = POISE_REACH_MET, .limit = -1};
    memcpy(answer, posture, size);
    for (int g = 0; g < body->group_count; g++) {
        const BodyGroup* group = body->groups[g];
        Limb limb;
        if (!(poise__limb_of(group, call->def, call->targets, &limb)
                  ? run_limb(call, &limb, answer, &found)
                  : run_group(call, group, answer, &found))) {
            return false;
        }
    }
    found.status = found.reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED;
    memcpy(posture, answer, size);
    *report = found;
    return true;
}

bool poise__body_solve(const PoiseBody* body, const PoiseBodySolveDef* def,
                       const PoiseBodyTarget* targets, double* posture, PoiseBodyReport* report) {
    const Call call = {body, def, targets, false, true};
    return body->apart ? poise__body_solve_free(body, def, targets, posture, report)
                       : run_groups(&call, posture, report);
}

bool poise__body_track(const PoiseBody* body, const PoiseBodySolveDef* def,
                       const PoiseBodyTarget* targets, double* posture, PoiseBodyReport* report) {
    const Call call = {body, def, targets, true, true};
    return body->apart ? poise__body_track_free(body, def, targets, posture, report)
                       : run_groups(&call, posture, report);
}

// Runs a call for a body that is one limb. False if the start is invalid.
static bool run_only_limb(const Call* call, const Limb* limb, double* posture,
                          PoiseBodyReport* report) {
    *report = (PoiseBodyReport){.reason = POISE_REACH_MET, .limit = -1};
    const bool valid = run_limb(call, limb, posture, report);
    report->status = report->reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED;
    return valid;
}

// Runs a call for any other body. False if the start is invalid.
static bool run_body(const Call* call, double* posture, PoiseBodyReport* report) {
    double before[POISE_BODY_MOST_POSTURE];
    memcpy(before, posture, (size_t)call->body->posture_size * sizeof before[0]);
    if (!(call->tracks ? poise__body_track : poise__body_solve)(call->body, call->def,
                                                                call->targets, posture, report)) {
        return false;
    }
    if (call->reports) {
        // the report of a tracking step has the errors before the step
        poise__body_measure(call->body, call->def, call->targets, call->tracks ? before : posture,
                            report);
    }
    return true;
}

// Checks the arguments and runs a public call.
static PoiseStatus run(Call call, double* posture, PoiseBodyReport* report) {
    const PoiseBodySolveDef defaults = poise_default_body_solve_def();
    PoiseBodyReport found;
    Limb limb;
    call.def = call.def ? call.def : &defaults;
    if (!posture || poise_body_targets_problem(call.body, call.targets, NULL) ||
        poise_body_solve_def_problem(call.def)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const bool only = call.body->tip_count == 1 && !call.body->apart &&
                      poise__limb_of(call.body->groups[0], call.def, call.targets, &limb);
    if (!(only ? run_only_limb(&call, &limb, posture, &found) : run_body(&call, posture, &found))) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (report) {
        *report = found;
        report->limited_dofs = poise__body_count_limited(call.body, posture);
    }
    return found.status;
}

PoiseStatus poise_body_solve(const PoiseBody* body, const PoiseBodySolveDef* def,
                             const PoiseBodyTarget* targets, double* posture,
                             PoiseBodyReport* report) {
    const Call call = {body, def, targets, false, report != NULL};
    return run(call, posture, report);
}

PoiseStatus poise_body_track(const PoiseBody* body, const PoiseBodySolveDef* def,
                             const PoiseBodyTarget* targets, double* posture,
                             PoiseBodyReport* report) {
    const Call call = {body, def, targets, true, report != NULL};
    return run(call, posture, report);
}
