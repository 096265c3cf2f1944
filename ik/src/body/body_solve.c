// SPDX-License-Identifier: MIT
// poise_body_solve, poise_body_track: check the arguments, solve each group and fill the report.
#include "body_apart.h"

// ----------------------------------------------------------------------------------------- reports

// Returns the distance and the angle of a tip to its target in the rows that count.
static void measure(const PoiseBodyTarget* target, PoiseChainGoal goal, PoisePose pose,
                    double* distance, double* angle) {
    const PoiseQuat axes =
        target->axes == POISE_ROW_AXES_GOAL ? target->pose.q : poise_quat_identity();
    const PoiseVec3 off =
        poise_quat_unrotate(poise_quat_normalize(axes), poise_sub(target->pose.p, pose.p));
    const PoiseQuat rotation =
        poise_quat_mul(poise_quat_normalize(target->pose.q), poise_quat_conjugate(pose.q));
    const PoiseVec3 turn =
        poise_quat_unrotate(poise_quat_normalize(axes), poise_quat_log(rotation));
    const double rows[6] = {off.x, off.y, off.z, turn.x, turn.y, turn.z};
    double sums[2] = {0.0, 0.0};
    for (int k = 0; k < 6; k++) {
        const bool counts = goal == POISE_CHAIN_POSE || (k < 3) == (goal == POISE_CHAIN_POSITION);
        sums[k / 3] += counts && target->weights[k] > 0.0 ? rows[k] * rows[k] : 0.0;
    }
    *distance = sqrt(sums[0]);
    *angle = sqrt(sums[1]);
}

void poise__body_measure(const PoiseBody* body, const PoiseBodySolveDef* def,
                         const PoiseBodyTarget* targets, const double* posture,
                         PoiseBodyReport* report) {
    double worst = -1.0;
    report->error = 0.0;
    report->angle_error = 0.0;
    for (int i = 0; i < body->tip_count; i++) {
        double distance;
        double angle;
        const BodyTip* tip = &body->groups[body->tip_group[i]]->tips[body->tip_index[i]];
        const PoiseChainGoal goal =
            tip->kind == BODY_TIP_CENTRE ? POISE_CHAIN_POSITION : targets[i].goal;
        measure(&targets[i], goal, poise_body_forward(body, posture, i), &distance, &angle);
        report->error = fmax(report->error, distance);
        report->angle_error = fmax(report->angle_error, angle);
        const double part = fmax(distance / def->position_tolerance, angle / def->angle_tolerance);
        if (part > worst) {
            worst = part;
            report->worst_tip = i;
        }
    }
}

// ----------------------------------------------------------------------------------------- solving

bool poise__body_solve(const PoiseBody* body, const PoiseBodySolveDef* def,
                       const PoiseBodyTarget* targets, double* posture, PoiseBodyReport* report) {
    if (body->apart) {
        return poise__body_solve_free(body, def, targets, posture, report);
    }
    double answer[POISE_BODY_MOST_POSTURE];
    PoiseBodyReport found = {.reason = POISE_REACH_MET, .limit = -1};
    const BodyKernel* kernel = poise__body_kernel(def->path);
    memcpy(answer, posture, (size_t)body->posture_size * sizeof answer[0]);
    for (int g = 0; g < body->group_count; g++) {
        BodyProblem problem;
        if (!poise__body_begin(body->groups[g], def, targets, answer, &problem)) {
            return false;
        }
        problem.wanted = def->answers;
        if (def->answers > 1) {
            poise__group_solve_nearest(kernel, &problem);
        } else {
            kernel->solve(&problem);
        }
        poise__group_store(body->groups[g], problem.start, problem.best, answer);
        poise__body_add_group(&problem, &found);
    }
    found.status = found.reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED;
    memcpy(posture, answer, (size_t)body->posture_size * sizeof answer[0]);
    *report = found;
    return true;
}

bool poise__body_track(const PoiseBody* body, const PoiseBodySolveDef* def,
                       const PoiseBodyTarget* targets, double* posture, PoiseBodyReport* report) {
    if (body->apart) {
        return poise__body_track_free(body, def, targets, posture, report);
    }
    double answer[POISE_BODY_MOST_POSTURE];
    PoiseBodyReport found = {.reason = POISE_REACH_MET, .limit = -1};
    memcpy(answer, posture, (size_t)body->posture_size * sizeof answer[0]);
    for (int g = 0; g < body->group_count; g++) {
        BodyProblem problem;
        if (!poise__body_begin(body->groups[g], def, targets, answer, &problem)) {
            return false;
        }
        problem.too_far = false;
        problem.reason = POISE_REACH_MET;
        problem.answers = 1;
        if (!poise__body_kernel(def->path)->track(&problem)) {
            problem.reason = POISE_REACH_BUDGET;
            problem.answers = 0;
            poise__group_store(body->groups[g], problem.start, problem.best, answer);
        }
        poise__body_add_group(&problem, &found);
    }
    found.status = found.reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED;
    memcpy(posture, answer, (size_t)body->posture_size * sizeof answer[0]);
    *report = found;
    return true;
}

PoiseStatus poise_body_solve(const PoiseBody* body, const PoiseBodySolveDef* def,
                             const PoiseBodyTarget* targets, double* posture,
                             PoiseBodyReport* report) {
    const PoiseBodySolveDef defaults = poise_default_body_solve_def();
    PoiseBodyReport found;
    def = def ? def : &defaults;
    if (!posture || poise_body_targets_problem(body, targets, NULL) ||
        poise_body_solve_def_problem(def) ||
        !poise__body_solve(body, def, targets, posture, &found)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (report) {
        poise__body_measure(body, def, targets, posture, &found);
        *report = found;
    }
    return found.status;
}

PoiseStatus poise_body_track(const PoiseBody* body, const PoiseBodySolveDef* def,
                             const PoiseBodyTarget* targets, double* posture,
                             PoiseBodyReport* report) {
    const PoiseBodySolveDef defaults = poise_default_body_solve_def();
    double before[POISE_BODY_MOST_POSTURE];
    PoiseBodyReport found;
    def = def ? def : &defaults;
    if (!posture || poise_body_targets_problem(body, targets, NULL) ||
        poise_body_solve_def_problem(def)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    memcpy(before, posture, (size_t)body->posture_size * sizeof before[0]);
    if (!poise__body_track(body, def, targets, posture, &found)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (report) {
        poise__body_measure(body, def, targets, before, &found);
        *report = found;
    }
    return found.status;
}
