// SPDX-License-Identifier: MIT
// Prepares the problem of one group: checks the caller's settings and targets, converts targets and
// start to the group's frame and units, and proves that targets are out of reach. Adds the result
// to the report.
#include "body.h"

// a descent ends if its last iterations reduced E by less than this fraction
#define FALL_ZERO 1e-12
enum { DEFAULT_ITERATIONS = 2000, MOST_DESCENTS = 2000 };

PoiseBodySolveDef poise_default_body_solve_def(void) {
    return (PoiseBodySolveDef){.cookie = COOKIE_BODY_SOLVE,
                               .iterations = DEFAULT_ITERATIONS,
                               .answers = 1,
                               .threads = 1,
                               .position_tolerance = CHAIN_TOLERANCE,
                               .angle_tolerance = CHAIN_TOLERANCE};
}

PoiseBodyTarget poise_default_body_target(PoisePose pose) {
    return (PoiseBodyTarget){.cookie = COOKIE_BODY_TARGET,
                             .pose = pose,
                             .goal = POISE_BODY_POSE,
                             .weights = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0}};
}

const char* poise_body_solve_def_problem(const PoiseBodySolveDef* def) {
    if (!def || def->cookie != COOKIE_BODY_SOLVE) {
        return "the def was not made by poise_default_body_solve_def()";
    }
    if (def->iterations < 1 || def->answers < 1) {
        return "iterations and answers must be at least 1";
    }
    if (def->threads < 1 || def->threads > BODY_MOST_THREADS) {
        return "threads must be 1 to 256";
    }
    if (!(def->position_tolerance > 0.0) || !(def->angle_tolerance > 0.0)) {
        return "position_tolerance and angle_tolerance must be above 0";
    }
    if (def->path > POISE_BODY_FUSED) {
        return "path must be POISE_BODY_EXACT, _PLAIN or _FUSED";
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
    if (target->goal != POISE_BODY_POSE && target->goal != POISE_BODY_POSITION &&
        target->goal != POISE_BODY_ORIENTATION) {
        return "has a goal other than POISE_BODY_POSE, _POSITION and _ORIENTATION";
    }
    if (target->axes != POISE_ROW_AXES_WORLD && target->axes != POISE_ROW_AXES_GOAL) {
        return "has axes other than POISE_ROW_AXES_WORLD and _GOAL";
    }
    if (target->priority < POISE_PRIORITY_CLOSURE || target->priority >= POISE_PRIORITIES) {
        return "has a priority outside of POISE_PRIORITY_CLOSURE (-1) to 15";
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
        if (body->apart && targets[i].priority != targets[0].priority) {
            *tip = i;
            return "has another priority than the first, and the body keeps parts apart";
        }
    }
    return NULL;
}

// ---------------------------------------------------------------------------------------- problems

// Fills axes and weights of the rows. `frame`: rotation of the frame that the target is given in.
static void set_weights(PoiseQuat frame, const PoiseBodyTarget* target, PoiseQuat pose,
                        BodyTarget* out) {
    const PoiseQuat axes =
        target->axes == POISE_ROW_AXES_GOAL ? poise_quat_mul(frame, pose) : frame;
    out->weighted = false;
    for (int k = 0; k < 6; k++) {
        const bool counts =
            out->goal == POISE_BODY_POSE || (k < 3) == (out->goal == POISE_BODY_POSITION);
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
    const PoisePose frame =
        tip->kind == BODY_TIP_FRAME ? tip->other_frame : poise_pose_inverse(group->base);
    poise__chain_make_unit(&pose.q);
    out->goal = tip->kind == BODY_TIP_CENTRE ? POISE_BODY_POSITION : target->goal;
    set_weights(frame.q, target, pose.q, out);
    const PoisePose here = poise_pose_mul(frame, pose);
    const PoiseQuat q = poise_quat_mul(here.q, poise_quat_conjugate(tip->frame.q));
    const PoiseVec3 p = poise_scale(1.0 / group->unit, here.p);
    out->target.position[0] = p.x;
    out->target.position[1] = p.y;
    out->target.position[2] = p.z;
    out->target.rotation = q;
    poise__chain_rows(q, out->target.matrix);
}

// True if all three position rows are active.
static bool has_place(const BodyTarget* target) {
    return target->goal != POISE_BODY_ORIENTATION &&
           (!target->weighted ||
            (target->weights[0] > 0.0 && target->weights[1] > 0.0 && target->weights[2] > 0.0));
}

// Proves by the lengths of the links, if possible, that no posture meets the targets. The ranges of
// hinges do not matter.
static void measure_lengths(BodyProblem* problem) {
    const BodyGroup* group = problem->group;
    for (int t = 0; t < group->tip_count; t++) {
        const double* p = problem->targets[t].target.position;
        const double off =
            has_place(&problem->targets[t]) ? poise_length(poise_vec3(p[0], p[1], p[2])) : 0.0;
        const double beyond = group->unit * (off - group->tips[t].reach * (1.0 + 1e-9));
        if (beyond > problem->def->position_tolerance) {
            problem->too_far = true;
            problem->beyond = fmax(problem->beyond, beyond);
        }
    }
}

// Fills targets and start as the chain of a limb does. Proves by its shells, if possible, that no
// posture meets the target. False if the start is invalid.
static bool begin_limb(const double* posture, BodyProblem* problem) {
    const Limb* limb = &problem->limb;
    ChainProblem chain;
    const double* own = &posture[limb->part->number];
    if (!poise__chain_begin(&limb->search, &limb->target, own, &chain)) {
        return false;
    }
    problem->targets[0].goal = limb->search.goal;
    problem->targets[0].weighted = false;
    problem->targets[0].target = chain.target;
    problem->too_far = chain.is_beyond;
    problem->beyond = problem->group->unit * chain.beyond;
    poise__group_put(problem->group, limb->part, chain.start, problem->start);
    return true;
}

// Fills targets and start of any other group. False if the start is invalid.
static bool begin_tips(const PoiseBodyTarget* targets, const double* posture,
                       BodyProblem* problem) {
    const BodyGroup* group = problem->group;
    for (int t = 0; t < group->tip_count + group->dense_count; t++) {
        const BodyTip* tip = &group->tips[t];
        set_target(group, tip, &targets[tip->number], &problem->targets[t]);
    }
    measure_lengths(problem);
    return poise__group_load(group, posture, problem->start);
}

bool poise__body_begin(const BodyGroup* group, const PoiseBodySolveDef* def,
                       const PoiseBodyTarget* targets, const double* posture,
                       BodyProblem* problem) {
    const double position = CHAIN_TOLERANCE_PART * def->position_tolerance / group->unit;
    const double angle = CHAIN_TOLERANCE_PART * def->angle_tolerance;
    problem->group = group;
    problem->def = def;
    problem->position_tolerance2 = position * position;
    problem->angle_tolerance2 = angle * angle;
    problem->least = HUGE_VAL;
    problem->counter = poise__mix_bits(def->seed);
    problem->too_far = false;
    problem->beyond = 0.0;
    problem->wanted = 1;
    problem->take = NULL;
    problem->iterations = 0;
    problem->starts = 0;
    problem->answers = 0;
    problem->descents = MOST_DESCENTS;
    problem->fall = FALL_ZERO;
    problem->reason = POISE_REACH_BUDGET;
    problem->limiting = -1;
    problem->is_limb = poise__limb_of(group, def, targets, &problem->limb);
    const bool valid =
        problem->is_limb ? begin_limb(posture, problem) : begin_tips(targets, posture, problem);
    if (valid) {
        memcpy(problem->best, problem->start, poise__group_size(group));
    }
    return valid;
}

void poise__group_solve(const BodyKernel* kernel, BodyProblem* problem) {
    kernel->search(problem);
    if (problem->answers == 0) {
        kernel->descend(problem);
    }
}

// --------------------------------------------------------------------------------------- distances

double poise__group_distance2(const BodyGroup* group, const double* a, const double* b) {
    double sum = 0.0;
    for (int p = 0; p < group->part_count; p++) {
        double from[CHAIN_MOST_Q];
        double to[CHAIN_MOST_Q];
        poise__group_get(group, &group->parts[p], a, from);
        poise__group_get(group, &group->parts[p], b, to);
        sum += poise__chain_distance2(group->parts[p].chain, from, to);
    }
    return sum;
}

// Adds whole turns to the hinges, toward the start.
static void unwind(const BodyProblem* problem, double* q) {
    const BodyGroup* group = problem->group;
    for (int p = 0; p < group->part_count; p++) {
        double from[CHAIN_MOST_Q];
        double own[CHAIN_MOST_Q];
        poise__group_get(group, &group->parts[p], problem->start, from);
        poise__group_get(group, &group->parts[p], q, own);
        poise__chain_unwind(group->parts[p].chain, from, own);
        poise__group_put(group, &group->parts[p], own, q);
    }
}

// ----------------------------------------------------------------------------------------- reports

void poise__tip_rows(const PoiseBodyTarget* target, PoiseBodyGoal goal, PoisePose pose,
                     double rows[6]) {
    const PoiseQuat axes =
        target->axes == POISE_ROW_AXES_GOAL ? target->pose.q : poise_quat_identity();
    const PoiseVec3 off =
        poise_quat_unrotate(poise_quat_normalize(axes), poise_sub(target->pose.p, pose.p));
    const PoiseQuat rotation =
        poise_quat_mul(poise_quat_normalize(target->pose.q), poise_quat_conjugate(pose.q));
    const PoiseVec3 turn =
        poise_quat_unrotate(poise_quat_normalize(axes), poise_quat_log(rotation));
    const double all[6] = {off.x, off.y, off.z, turn.x, turn.y, turn.z};
    for (int k = 0; k < 6; k++) {
        const bool counts = goal == POISE_BODY_POSE || (k < 3) == (goal == POISE_BODY_POSITION);
        rows[k] = counts && target->weights[k] > 0.0 ? all[k] : 0.0;
    }
}

// Returns the index in the body's posture of the number of a joint.
static int number_of(const BodyGroup* group, int joint) {
    int p = 0;
    while (joint >= group->parts[p].end) {
        p++;
    }
    const BodyPart* part = &group->parts[p];
    return part->number + part->chain->joints[joint - part->begin].number;
}

void poise__body_add_report(const PoiseBodyReport* group, PoiseBodyReport* report) {
    report->iterations += group->iterations;
    report->starts += group->starts;
    report->answers += group->answers;
    report->error = fmax(report->error, group->error);
    report->angle_error = fmax(report->angle_error, group->angle_error);
    if (report->reason == POISE_REACH_MET) {
        report->reason = group->reason;
        report->beyond = group->beyond;
        report->limit = group->limit;
    }
}

void poise__body_add_group(const BodyProblem* problem, PoiseBodyReport* report) {
    PoiseBodyReport group = {.reason = problem->reason,
                             .iterations = problem->iterations,
                             .starts = problem->starts,
                             .answers = problem->answers,
                             .limit = -1};
    if (problem->reason != POISE_REACH_MET && problem->too_far) {
        group.reason = POISE_REACH_OUT_OF_REACH;
        group.beyond = problem->beyond;
    } else if (problem->reason == POISE_REACH_AT_LIMITS) {
        group.limit = number_of(problem->group, problem->limiting);
    }
    poise__body_add_report(&group, report);
}

double poise__group_near(const BodyProblem* problem, const double* q, double* own) {
    memcpy(own, q, poise__group_size(problem->group));
    unwind(problem, own);
    return poise__group_distance2(problem->group, problem->start, own);
}

int poise__nearest_take(void* user, const double* q) {
    NearestAnswer* nearest = user;
    double own[BODY_MOST_Q];
    const double merit = poise__group_near(nearest->problem, q, own);
    if (merit < nearest->least) {
        nearest->least = merit;
        memcpy(nearest->q, own, poise__group_size(nearest->problem->group));
    }
    return 1;
}
