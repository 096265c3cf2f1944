// SPDX-License-Identifier: MIT
// poise_body_solve: checks the arguments, solves each group and fills the report.
#include "body.h"
#include "chain_unit.h"

// default tolerance: answers of two searches then agree within 1e-9
#define DEFAULT_TOLERANCE 5e-10
// the search uses smaller tolerances, so that rounding cannot make a met target unmet
#define TOLERANCE_PART 0.999

enum { DEFAULT_ITERATIONS = 2000 };

PoiseBodySolveDef poise_default_body_solve_def(void) {
    return (PoiseBodySolveDef){.cookie = COOKIE_BODY_SOLVE,
                               .iterations = DEFAULT_ITERATIONS,
                               .position_tolerance = DEFAULT_TOLERANCE,
                               .angle_tolerance = DEFAULT_TOLERANCE};
}

PoiseBodyTarget poise_default_body_target(PoisePose pose) {
    return (PoiseBodyTarget){.cookie = COOKIE_BODY_TARGET,
                             .pose = pose,
                             .goal = POISE_CHAIN_POSE,
                             .weights = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}};
}

const char* poise_body_solve_def_problem(const PoiseBodySolveDef* def) {
    if (!def || def->cookie != COOKIE_BODY_SOLVE) {
        return "the def was not made by poise_default_body_solve_def()";
    }
    if (def->iterations < 1) {
        return "iterations must be at least 1";
    }
    if (!(def->position_tolerance > 0.0) || !(def->angle_tolerance > 0.0)) {
        return "position_tolerance and angle_tolerance must be above 0";
    }
    if (def->path > POISE_CHAIN_AVX2 || !poise_chain_path_available(def->path)) {
        return "path must be POISE_CHAIN_AUTO, _SCALAR or _AVX2, and this processor must have it";
    }
    return NULL;
}

static const char* target_problem(const PoiseBodyTarget* target) {
    if (target->cookie != COOKIE_BODY_TARGET) {
        return "was not made by poise_default_body_target()";
    }
    if (!poise__is_frame(target->pose)) {
        return "is not finite, or its rotation 0";
    }
    if (target->goal != POISE_CHAIN_POSE && target->goal != POISE_CHAIN_POSITION &&
        target->goal != POISE_CHAIN_ORIENTATION) {
        return "has a goal other than POISE_CHAIN_POSE, _POSITION and _ORIENTATION";
    }
    if (target->axes != POISE_ROW_AXES_WORLD && target->axes != POISE_ROW_AXES_GOAL) {
        return "has axes other than POISE_ROW_AXES_WORLD and _GOAL";
    }
    for (int k = 0; k < 6; k++) {
        if (!(target->weights[k] >= 0.0) || !isfinite(target->weights[k])) {
            return "has a weight that is below 0 or not finite";
        }
    }
    return NULL;
}

const char* poise_body_targets_problem(const PoiseBody* body, const PoiseBodyTarget* targets,
                                       int* tip) {
    int unused;
    tip = tip ? tip : &unused;
    *tip = -1;
    if (!body || !targets) {
        return "the body or the targets are missing";
    }
    for (int i = 0; i < body->tip_count; i++) {
        const char* problem = target_problem(&targets[i]);
        if (problem) {
            *tip = i;
            return problem;
        }
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------- problems

static void set_weights(const BodyGroup* group, const PoiseBodyTarget* target, PoiseQuat pose,
                        BodyTarget* out) {
    const PoiseQuat axes = target->axes == POISE_ROW_AXES_GOAL
                               ? poise_quat_mul(poise_quat_conjugate(group->base.q), pose)
                               : poise_quat_conjugate(group->base.q);
    out->weighted = false;
    for (int k = 0; k < 6; k++) {
        const bool counts =
            target->goal == POISE_CHAIN_POSE || (k < 3) == (target->goal == POISE_CHAIN_POSITION);
        out->weighted = out->weighted || (counts && target->weights[k] != 1.0);
        out->weights[k] = sqrt(target->weights[k]);
    }
    for (int k = 0; k < 3; k++) {
        const PoiseVec3 axis = poise_quat_rotate(axes, poise_vec3(k == 0, k == 1, k == 2));
        out->axes[3 * k] = axis.x;
        out->axes[3 * k + 1] = axis.y;
        out->axes[3 * k + 2] = axis.z;
    }
}

static void set_target(const BodyGroup* group, const BodyTip* tip, const PoiseBodyTarget* target,
                       BodyTarget* out) {
    PoisePose pose = target->pose;
    poise__chain_make_unit(&pose.q);
    set_weights(group, target, pose.q, out);
    const PoisePose here = poise_pose_mul(poise_pose_inverse(group->base), pose);
    const PoiseQuat q = poise_quat_mul(here.q, poise_quat_conjugate(tip->frame.q));
    const PoiseVec3 p = poise_scale(1.0 / group->unit, here.p);
    const PoiseVec3 x = poise_quat_rotate(q, poise_vec3(1.0, 0.0, 0.0));
    const PoiseVec3 y = poise_quat_rotate(q, poise_vec3(0.0, 1.0, 0.0));
    const PoiseVec3 z = poise_quat_rotate(q, poise_vec3(0.0, 0.0, 1.0));
    const double rows[9] = {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
    out->goal = target->goal;
    out->target.position[0] = p.x;
    out->target.position[1] = p.y;
    out->target.position[2] = p.z;
    out->target.rotation = q;
    memcpy(out->target.matrix, rows, sizeof rows);
}

// True if no posture brings the tip to its target, whatever the ranges.
static bool is_too_far(const BodyTip* tip, const BodyTarget* target) {
    const double* p = target->target.position;
    return target->goal != POISE_CHAIN_ORIENTATION && !target->weighted &&
           poise_length(poise_vec3(p[0], p[1], p[2])) > tip->reach * (1.0 + 1e-9);
}

// Prepares the problem of a group. False for an invalid start.
static bool begin(const BodyGroup* group, const PoiseBodySolveDef* def,
                  const PoiseBodyTarget* targets, const double* posture, BodyProblem* problem) {
    const double position = TOLERANCE_PART * def->position_tolerance / group->unit;
    const double angle = TOLERANCE_PART * def->angle_tolerance;
    problem->group = group;
    problem->def = def;
    problem->position_tolerance2 = position * position;
    problem->angle_tolerance2 = angle * angle;
    problem->least = HUGE_VAL;
    problem->counter = poise__chain_mix(def->seed);
    problem->too_far = false;
    problem->iterations = 0;
    problem->starts = 0;
    problem->answers = 0;
    problem->reason = POISE_REACH_BUDGET;
    problem->limiting = -1;
    for (int t = 0; t < group->tip_count; t++) {
        const BodyTip* tip = &group->tips[t];
        set_target(group, tip, &targets[tip->number], &problem->targets[t]);
        problem->too_far = problem->too_far || is_too_far(tip, &problem->targets[t]);
    }
    if (!poise__group_load(group, posture, problem->start)) {
        return false;
    }
    memcpy(problem->best, problem->start, sizeof problem->best);
    return true;
}

// Returns the number of the body's posture that belongs to a joint of a group.
static int number_of(const BodyGroup* group, int joint) {
    int p = 0;
    while (joint >= group->parts[p].end) {
        p++;
    }
    const BodyPart* part = &group->parts[p];
    return part->number + part->chain->joints[joint - part->begin].number;
}

// Returns the distance and the angle of a tip to its target in the rows that count.
static void measure(const PoiseBodyTarget* target, PoisePose pose, double* distance,
                    double* angle) {
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
        const bool counts =
            target->goal == POISE_CHAIN_POSE || (k < 3) == (target->goal == POISE_CHAIN_POSITION);
        sums[k / 3] += counts && target->weights[k] > 0.0 ? rows[k] * rows[k] : 0.0;
    }
    *distance = sqrt(sums[0]);
    *angle = sqrt(sums[1]);
}

static void measure_tips(const PoiseBody* body, const PoiseBodySolveDef* def,
                         const PoiseBodyTarget* targets, const double* posture,
                         PoiseBodyReport* report) {
    double worst = -1.0;
    for (int i = 0; i < body->tip_count; i++) {
        double distance;
        double angle;
        measure(&targets[i], poise_body_forward(body, posture, i), &distance, &angle);
        report->error = fmax(report->error, distance);
        report->angle_error = fmax(report->angle_error, angle);
        const double part = fmax(distance / def->position_tolerance, angle / def->angle_tolerance);
        if (part > worst) {
            worst = part;
            report->worst_tip = i;
        }
    }
}

PoiseStatus poise_body_solve(const PoiseBody* body, const PoiseBodySolveDef* def,
                             const PoiseBodyTarget* targets, double* posture,
                             PoiseBodyReport* report) {
    const PoiseBodySolveDef defaults = poise_default_body_solve_def();
    double answer[POISE_BODY_MOST_POSTURE];
    PoiseBodyReport local;
    PoiseBodyReport* out = report ? report : &local;
    def = def ? def : &defaults;
    if (!posture || poise_body_targets_problem(body, targets, NULL) ||
        poise_body_solve_def_problem(def)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    memcpy(answer, posture, (size_t)body->posture_size * sizeof answer[0]);
    PoiseBodyReport found = {.reason = POISE_REACH_MET, .limit = -1};
    const BodyKernel* kernel = poise__body_kernel(def->path);
    for (int g = 0; g < body->group_count; g++) {
        BodyProblem problem;
        if (!begin(body->groups[g], def, targets, answer, &problem)) {
            return POISE_ERROR_INVALID_ARGUMENT;
        }
        kernel->solve(&problem);
        poise__group_store(body->groups[g], problem.start, problem.best, answer);
        found.iterations += problem.iterations;
        found.starts += problem.starts;
        if (found.reason == POISE_REACH_MET && problem.reason != POISE_REACH_MET) {
            found.reason = problem.reason;
            found.out_of_reach = problem.too_far;
            found.limit = problem.limiting < 0 ? -1 : number_of(body->groups[g], problem.limiting);
        }
    }
    found.status = found.reason == POISE_REACH_MET ? POISE_OK : POISE_NOT_CONVERGED;
    if (report) {
        measure_tips(body, def, targets, answer, &found);
    }
    memcpy(posture, answer, (size_t)body->posture_size * sizeof answer[0]);
    *out = found;
    return found.status;
}
