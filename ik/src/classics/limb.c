// SPDX-License-Identifier: MIT
// Functions that leg.c and arm7.c share: the triangle of the links, the choice of answers.
#include "classics.h"

#include "tree.h"

// rad; smaller violations of a range are rounding errors
#define RANGE_ROUNDING 1e-12

const char* poise__limb_problem(double near_link, double far_link, const double* lower,
                                const double* upper, int joints) {
    if (!(near_link > 0.0) || !isfinite(near_link) || !(far_link > 0.0) || !isfinite(far_link)) {
        return "both links must be finite and longer than 0";
    }
    for (int i = 0; i < joints; i++) {
        if (!poise__is_range(lower[i], upper[i])) {
            return "lower must be at most upper";
        }
    }
    return NULL;
}

const char* poise_limb_reason_name(PoiseLimbReason reason) {
    static const char* const names[] = {"met", "too far", "too near", "at limits"};
    return reason >= POISE_LIMB_MET && reason <= POISE_LIMB_AT_LIMITS ? names[reason] : "unknown";
}

// Computes the angle between the links. The tangent of its half is exact both for a straight and
// for a folded limb.
static void close_triangle(Limb* limb) {
    const double a = limb->near_link, b = limb->far_link, d = limb->distance;
    const double to_straight = (a + b - d) * (a + b + d);
    const double to_folded = (d - fabs(a - b)) * (d + fabs(a - b));
    limb->reason = to_straight < 0.0 ? POISE_LIMB_TOO_FAR
                   : to_folded < 0.0 ? POISE_LIMB_TOO_NEAR
                                     : POISE_LIMB_MET;
    limb->bend = 2.0 * poise_atan2(sqrt(fmax(to_straight, 0.0)), sqrt(fmax(to_folded, 0.0)));
}

bool poise__limb_begin(Limb* limb, PoisePose goal, const double* reference) {
    if (!poise__is_frame(goal)) {
        return false;
    }
    limb->goal = poise_pose(goal.p, poise_quat_normalize(goal.q));
    for (int i = 0; i < limb->joints; i++) {
        limb->reference[i] = reference ? reference[i] : 0.0;
        if (!isfinite(limb->reference[i])) {
            return false;
        }
    }
    // hypot, because the squares could overflow
    limb->distance = poise_hypot(poise_hypot(goal.p.x, goal.p.y), goal.p.z);
    close_triangle(limb);
    return isfinite(limb->bend);
}

static double outside(const Limb* limb, int joint, double angle) {
    const double off = fmax(limb->lower[joint] - angle, angle - limb->upper[joint]);
    return off > RANGE_ROUNDING ? off : 0.0;
}

// Returns the angle plus the whole turns that bring it nearest to the reference inside the range.
// If no such angle is inside, returns the one with the least violation.
static double place_turn(const Limb* limb, int joint, double angle) {
    const double near_it = poise__angle_near(angle, limb->reference[joint]);
    if (limb->same_turn || outside(limb, joint, near_it) == 0.0) {
        return near_it;
    }
    // the first angle beyond the violated end of the range, and the angle one turn before it, are
    // candidates
    const bool above = near_it > limb->upper[joint];
    const double beyond = above ? near_it - limb->upper[joint] : limb->lower[joint] - near_it;
    const double turns = 2.0 * POISE_PI * ceil((beyond - RANGE_ROUNDING) / (2.0 * POISE_PI));
    const double inside = above ? near_it - turns : near_it + turns;
    const double before = above ? inside + 2.0 * POISE_PI : inside - 2.0 * POISE_PI;
    return outside(limb, joint, inside) <= outside(limb, joint, before) ? inside : before;
}

Choice poise__limb_judge(const Limb* limb, const double* angles) {
    Choice answer = {0.0, 0.0, {0.0}};
    for (int i = 0; i < limb->joints; i++) {
        answer.angles[i] = place_turn(limb, i, angles[i]);
        const double change = answer.angles[i] - limb->reference[i];
        answer.outside += outside(limb, i, answer.angles[i]);
        answer.square += change * change;
    }
    return answer;
}

bool poise__limb_is_better(const Choice* a, const Choice* b) {
    return a->outside < b->outside || (a->outside == b->outside && a->square < b->square);
}

void poise__limb_write(const Limb* limb, const Choice* choice, double* angles) {
    for (int i = 0; i < limb->joints; i++) {
        angles[i] = fmin(fmax(choice->angles[i], limb->lower[i]), limb->upper[i]);
    }
}

PoiseStatus poise__limb_end(const Limb* limb, const Choice* choice, PoisePose reached,
                            PoiseLimbReport* report) {
    const PoiseLimbReason reason = choice->outside > 0.0 ? POISE_LIMB_AT_LIMITS : limb->reason;
    if (report) {
        const PoiseQuat off = poise_quat_mul(limb->goal.q, poise_quat_conjugate(reached.q));
        report->reason = reason;
        report->error = poise_length(poise_sub(limb->goal.p, reached.p));
        report->angle_error = poise_length(poise_quat_log(off));
    }
    return reason == POISE_LIMB_MET ? POISE_OK : POISE_NOT_CONVERGED;
}
