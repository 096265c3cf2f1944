// SPDX-License-Identifier: MIT
// Chooses an answer of an arm among all swivels, if possible one that moves no joint beyond LEAP.
#include "arm7_swivel.h"

// rad; a joint leaps if its distance from the reference exceeds LEAP. Other swivels are not tried
// if all joints at the reference's swivel are within SMALL_MOTION.
#define LEAP         0.5
#define SMALL_MOTION 0.1
// rad; the smallest change of the swivel that is tried if the reference's has no answer
#define FIRST_SWIVEL 1e-5
// ratio between successive changes of the swivel
#define GROWTH 1.3
// Swivels tried to each side; best places that are refined; iterations of a refinement.
enum { SWIVELS = 90, PLACES = 4, NARROWINGS = 40 };

static Choice answer_at(const Limb* limb, const Swivel* swivel, double turn, int branch) {
    Choice answers[BRANCHES];
    poise__swivel_answers(limb, swivel, turn, answers);
    return answers[branch];
}

// Finds the best answer of a branch between the swivels `low` and `high`, rad. It must be better
// than the answers at both ends.
static Choice best_between(const Limb* limb, const Swivel* swivel, double low, double high,
                           int branch) {
    Choice best = answer_at(limb, swivel, 0.5 * (low + high), branch);
    for (int i = 0; i < NARROWINGS; i++) {
        // ternary search, because the cost has corners at the ends of ranges
        const double left = low + (high - low) / 3.0, right = high - (high - low) / 3.0;
        const Choice a = answer_at(limb, swivel, left, branch);
        const Choice b = answer_at(limb, swivel, right, branch);
        if (poise__limb_is_better(&a, &b)) {
            high = right;
            best = poise__limb_is_better(&a, &best) ? a : best;
        } else {
            low = left;
            best = poise__limb_is_better(&b, &best) ? b : best;
        }
    }
    return best;
}

// Returns the cost of an answer. A small violation of a range costs little, because a nearby swivel
// may avoid it.
static double cost(const Choice* answer) {
    return sqrt(answer->square) + 10.0 * answer->outside;
}

typedef struct Place {
    double turn;
    int branch;
    double cost; ///< cost of the place's answer
} Place;

// Keeps the PLACES places with the lowest costs, sorted.
static void keep_place(Place* places, Place place) {
    for (int i = 0; i < PLACES; i++) {
        if (place.cost < places[i].cost) {
            const Place worse = places[i];
            places[i] = place;
            place = worse;
        }
    }
}

// Finds the best answer over all branches with a swivel within `most` of the reference's, rad.
static Choice best_of_all(const Limb* limb, const Swivel* swivel, double most) {
    const double step = POISE_PI / SWIVELS;
    const int steps = (int)ceil(most / step) + 1;
    Place places[PLACES];
    for (int i = 0; i < PLACES; i++) {
        places[i] = (Place){0.0, 0, HUGE_VAL};
    }
    Choice three[3][BRANCHES];
    for (int i = -steps; i <= steps; i++) {
        Choice* const after = three[(i + steps) % 3];
        const Choice* const middle = three[(i + steps + 2) % 3];
        const Choice* const before = three[(i + steps + 1) % 3];
        poise__swivel_answers(limb, swivel, i * step, after);
        for (int k = 0; i >= 2 - steps && k < BRANCHES; k++) {
            if (!poise__limb_is_better(&before[k], &middle[k]) &&
                !poise__limb_is_better(&after[k], &middle[k])) {
                keep_place(places, (Place){(i - 1) * step, k, cost(&middle[k])});
            }
        }
    }
    Choice best = {.outside = HUGE_VAL, .square = HUGE_VAL};
    for (int i = 0; i < PLACES && places[i].cost < HUGE_VAL; i++) {
        const double turn = places[i].turn;
        const Choice found = best_between(limb, swivel, turn - step, turn + step, places[i].branch);
        best = poise__limb_is_better(&found, &best) ? found : best;
    }
    return best;
}

// Bisects between the swivel `misfit`, whose answer is outside the ranges, and the larger swivel
// `fit`, whose answer is inside. Returns the answer at the least swivel inside.
static Choice first_fit(const Limb* limb, const Swivel* swivel, double misfit, double fit,
                        int branch) {
    Choice first = answer_at(limb, swivel, fit, branch);
    for (int i = 0; i < NARROWINGS; i++) {
        const double middle = 0.5 * (misfit + fit);
        const Choice answer = answer_at(limb, swivel, middle, branch);
        if (answer.outside > 0.0) {
            misfit = middle;
        } else {
            fit = middle;
            first = answer;
        }
    }
    return first;
}

// Finds the branch's first answer inside the ranges, by growing swivels to one side.
static Choice first_to_side(const Limb* limb, const Swivel* swivel, double side, int branch) {
    double before = -FIRST_SWIVEL, here = 0.0;
    double outside_before = HUGE_VAL;
    double outside_here = answer_at(limb, swivel, 0.0, branch).outside;
    for (double next = FIRST_SWIVEL; next < 3.0 * LEAP; next *= GROWTH) {
        const Choice answer = answer_at(limb, swivel, side * next, branch);
        if (answer.outside == 0.0) {
            return first_fit(limb, swivel, side * here, side * next, branch);
        }
        if (outside_here <= outside_before && outside_here <= answer.outside) {
            // `outside` has a local minimum here: nearby swivels may be inside the ranges.
            const Choice least = best_between(limb, swivel, side * before, side * next, branch);
            if (least.outside == 0.0) {
                return least;
            }
        }
        before = here;
        here = next;
        outside_before = outside_here;
        outside_here = answer.outside;
    }
    return (Choice){.outside = HUGE_VAL};
}

static double largest_motion(const Limb* limb, const Choice* choice) {
    double largest = 0.0;
    for (int i = 0; i < limb->joints; i++) {
        largest = fmax(largest, fabs(choice->angles[i] - limb->reference[i]));
    }
    return largest;
}

static bool leaps(const Limb* limb, const Choice* choice) {
    return choice->outside > 0.0 || largest_motion(limb, choice) > LEAP;
}

// Finds an answer at another swivel, because the one at the reference's swivel leaps or is outside
// the ranges. Takes the least swivel at which the reference's branch is inside and does not leap,
// else the nearest of all answers.
static Choice bring_inside(const Limb* limb, const Swivel* swivel) {
    Limb same_turn = *limb;
    same_turn.same_turn = true;
    Choice answers[BRANCHES];
    poise__swivel_answers(&same_turn, swivel, 0.0, answers);
    int branch = 0;
    for (int k = 1; k < BRANCHES; k++) {
        branch = answers[k].square < answers[branch].square ? k : branch;
    }
    const Choice left = first_to_side(&same_turn, swivel, -1.0, branch);
    const Choice right = first_to_side(&same_turn, swivel, 1.0, branch);
    const Choice near_it = poise__limb_is_better(&left, &right) ? left : right;
    return leaps(limb, &near_it) ? best_of_all(limb, swivel, POISE_PI) : near_it;
}

Choice poise__arm_choose(const Limb* limb, const Swivel* swivel) {
    Choice answers[BRANCHES];
    poise__swivel_answers(limb, swivel, 0.0, answers);
    Choice kept = answers[0];
    for (int k = 1; k < BRANCHES; k++) {
        kept = poise__limb_is_better(&answers[k], &kept) ? answers[k] : kept;
    }
    if (!leaps(limb, &kept) && largest_motion(limb, &kept) <= SMALL_MOTION) {
        return kept;
    }
    const double elbow = fabs(poise__angle_near(limb->reference[3], 0.0));
    if (kept.outside == 0.0 && (swivel->open || fabs(limb->bend - elbow) > LEAP)) {
        return kept;
    }
    const Choice other = bring_inside(limb, swivel);
    const bool is_nearer =
        !leaps(limb, &other) && (leaps(limb, &kept) || 4.0 * other.square < kept.square);
    return kept.outside > 0.0 || is_nearer ? other : kept;
}
