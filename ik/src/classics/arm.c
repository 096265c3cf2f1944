// SPDX-License-Identifier: MIT
// An arm of seven hinges in closed form. The triangle shoulder, elbow, wrist gives the elbow; the
// line to the wrist and the elbow's axis across it give the shoulder's rotation, what is left is
// the wrist's. The axis is the reference's; where no answer with it is inside the ranges, it is
// turned about the line both ways until one is.
#include "classics.h"
#include "internal.h"

#define DEFAULT_LINK 0.3 // m
#define PI           3.14159265358979323846
// places nearer to a line or to each other than this part of the arm leave a direction open
#define OPEN 1e-9
// an elbow bent less than this does not say to which side it bends, rad
#define STRAIGHT 1e-9
// steps of the swivel to each side, and halvings between the last that did not fit and the first
// that did
enum { COOKIE_ARM = 0x50410001, SWIVELS = 90, HALVINGS = 50 };

PoiseArmDef poise_default_arm_def(void) {
    PoiseArmDef def;
    def.cookie = COOKIE_ARM;
    def.upper_arm = DEFAULT_LINK;
    def.forearm = DEFAULT_LINK;
    for (int i = 0; i < POISE_ARM_JOINTS; i++) {
        def.lower[i] = -HUGE_VAL;
        def.upper[i] = HUGE_VAL;
    }
    return def;
}

const char* poise_arm_def_problem(const PoiseArmDef* def) {
    if (!def || def->cookie != COOKIE_ARM) {
        return "the def was not made by poise_default_arm_def()";
    }
    return poise__limb_problem(def->upper_arm, def->forearm, def->lower, def->upper,
                               POISE_ARM_JOINTS);
}

static PoiseQuat shoulder_turn(const double* angles) {
    const PoiseEuler turns = {angles[0], angles[1], angles[2]};
    return poise_quat_from_euler(POISE_EULER_YXZ, turns);
}

static PoiseQuat elbow_turn(double angle) {
    return poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), angle);
}

// from shoulder to wrist, as the upper arm sees it
static PoiseVec3 folded(double upper_arm, double forearm, double elbow) {
    return poise_vec3(-forearm * sin(elbow), 0.0, -upper_arm - forearm * cos(elbow));
}

PoisePose poise_arm_forward(const PoiseArmDef* def, const double angles[POISE_ARM_JOINTS]) {
    if (poise_arm_def_problem(def) || !angles) {
        return poise_pose_identity();
    }
    const PoiseEuler wrist = {angles[4], angles[5], angles[6]};
    const PoiseQuat upper_arm = shoulder_turn(angles);
    const PoiseQuat hand =
        poise_quat_mul(elbow_turn(angles[3]), poise_quat_from_euler(POISE_EULER_ZYX, wrist));
    const PoiseVec3 way = folded(def->upper_arm, def->forearm, angles[3]);
    return poise_pose(poise_quat_rotate(upper_arm, way), poise_quat_mul(upper_arm, hand));
}

// v without its part along n (length 1)
static PoiseVec3 across(PoiseVec3 v, PoiseVec3 n) {
    return poise_add_scaled(v, -poise_dot(v, n), n);
}

// what of the reference the answers keep
typedef struct Swivel {
    PoiseQuat shoulder; ///< its rotation
    PoiseVec3 line;     ///< from shoulder to wrist, length 1
    PoiseVec3 axis;     ///< of an elbow that bends by a positive angle, across the line, length 1
    bool open;          ///< shoulder and wrist in one place: no line, any rotation does
} Swivel;

// to which side the reference bends its elbow; straight: to where its range lies, or else as people
// do
static double bent_side(const Limb* limb) {
    const double elbow = poise__angle_near(limb->reference[3], 0.0);
    if (fabs(elbow) > STRAIGHT) {
        return elbow > 0.0 ? 1.0 : -1.0;
    }
    return limb->lower[3] + limb->upper[3] > 0.0 ? 1.0 : -1.0;
}

static Swivel swivel_of(const Limb* limb) {
    const double size = limb->near_link + limb->far_link;
    const PoiseVec3 down = poise_vec3(0.0, 0.0, -1.0);
    Swivel swivel = {.shoulder = shoulder_turn(limb->reference)};
    const PoiseVec3 upper_arm = poise_quat_rotate(swivel.shoulder, down);
    if (limb->distance > OPEN * size) {
        swivel.line = poise_scale(1.0 / limb->distance, limb->goal.p);
    } else {
        // folded with the wrist wanted at the shoulder itself: along the reference's upper arm
        swivel.line = poise_scale(limb->near_link >= limb->far_link ? 1.0 : -1.0, upper_arm);
    }
    swivel.open = poise_length(folded(limb->near_link, limb->far_link, limb->bend)) < OPEN * size;
    const PoiseVec3 hinge = poise_quat_rotate(swivel.shoulder, poise_vec3(0.0, 1.0, 0.0));
    PoiseVec3 axis = poise_scale(bent_side(limb), across(hinge, swivel.line));
    if (poise_length(axis) < OPEN) {
        // the goal lies on the elbow's axis: the elbow stays to the side where it is
        axis = poise_cross(upper_arm, swivel.line);
    }
    swivel.axis = poise_scale(1.0 / poise_length(axis), axis);
    return swivel;
}

// the rotation of a frame with y along `hinge` and z along `line`, both of length 1 and across
static PoiseQuat frame_of(PoiseVec3 hinge, PoiseVec3 line) {
    const PoiseVec3 x = poise_cross(hinge, line);
    const double rows[9] = {x.x, hinge.x, line.x, x.y, hinge.y, line.y, x.z, hinge.z, line.z};
    return poise_quat_from_rows(rows);
}

static void offer_wrists(const Limb* limb, PoiseQuat shoulder, double* angles, Choice* choice) {
    const PoiseQuat below = poise_quat_mul(shoulder, elbow_turn(angles[3]));
    const PoiseQuat hand = poise_quat_mul(poise_quat_conjugate(below), limb->goal.q);
    const PoiseEuler near_to = {limb->reference[4], limb->reference[5], limb->reference[6]};
    PoiseEuler both[2];
    poise__euler_both(hand, POISE_EULER_ZYX, near_to, both);
    for (int k = 0; k < 2; k++) {
        angles[4] = both[k].first;
        angles[5] = both[k].second;
        angles[6] = both[k].third;
        poise__limb_offer(limb, angles, choice);
    }
}

// all eight answers with the elbow's axis turned by so much about the line
static void offer_swivel(const Limb* limb, const Swivel* swivel, double turn, Choice* choice) {
    const PoiseVec3 axis =
        poise_quat_rotate(poise_quat_from_axis_angle(swivel->line, turn), swivel->axis);
    const PoiseEuler near_to = {limb->reference[0], limb->reference[1], limb->reference[2]};
    for (int side = -1; side <= 1; side += 2) {
        double angles[LIMB_JOINTS];
        angles[3] = side * limb->bend;
        const PoiseVec3 way = folded(limb->near_link, limb->far_link, angles[3]);
        PoiseQuat shoulder = swivel->shoulder;
        if (!swivel->open) {
            const PoiseVec3 line = poise_scale(1.0 / poise_length(way), way);
            const PoiseQuat inner = frame_of(poise_vec3(0.0, 1.0, 0.0), line);
            const PoiseQuat outer = frame_of(poise_scale(side, axis), swivel->line);
            shoulder = poise_quat_mul(outer, poise_quat_conjugate(inner));
        }
        PoiseEuler both[2];
        poise__euler_both(shoulder, POISE_EULER_YXZ, near_to, both);
        for (int k = 0; k < 2; k++) {
            angles[0] = both[k].first;
            angles[1] = both[k].second;
            angles[2] = both[k].third;
            offer_wrists(limb, shoulder, angles, choice);
        }
    }
}

static Choice choice_at(const Limb* limb, const Swivel* swivel, double turn) {
    Choice choice = {.any = false};
    offer_swivel(limb, swivel, turn, &choice);
    return choice;
}

// the first that fits between a swivel that does not and one, farther on, that does
static Choice nearest_fit(const Limb* limb, const Swivel* swivel, double misfit, double fit) {
    Choice best = choice_at(limb, swivel, fit);
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = 0.5 * (misfit + fit);
        const Choice choice = choice_at(limb, swivel, middle);
        if (choice.outside > 0.0) {
            misfit = middle;
        } else {
            fit = middle;
            best = choice;
        }
    }
    return best;
}

static bool is_better(const Choice* a, const Choice* b) {
    return a->outside < b->outside || (a->outside == b->outside && a->square < b->square);
}

// between two steps on both sides of one that is less outside than either: where it is least, and
// if that fits, the fit nearest to the first
static Choice least_between(const Limb* limb, const Swivel* swivel, double first, double last) {
    double low = first, high = last;
    Choice best = choice_at(limb, swivel, 0.5 * (low + high));
    for (int i = 0; i < HALVINGS && best.outside > 0.0; i++) {
        // by thirds: the slopes on both sides need not be smooth
        const double left = low + (high - low) / 3.0, right = high - (high - low) / 3.0;
        const Choice a = choice_at(limb, swivel, left), b = choice_at(limb, swivel, right);
        if (a.outside <= b.outside) {
            high = right;
            best = a;
        } else {
            low = left;
            best = b;
        }
        if (best.outside == 0.0) {
            return nearest_fit(limb, swivel, first, a.outside <= b.outside ? left : right);
        }
    }
    return best;
}

// no step fits: between the steps, where the ranges are nearest
static Choice search_between(const Limb* limb, const Swivel* swivel, const double* outside,
                             Choice least) {
    const double step = PI / SWIVELS;
    for (int i = 0; i < 2 * SWIVELS; i++) {
        const double before = outside[(i + 2 * SWIVELS - 1) % (2 * SWIVELS)];
        if (outside[i] <= before && outside[i] <= outside[(i + 1) % (2 * SWIVELS)]) {
            // from the side of the reference
            const int k = i < SWIVELS ? i : i - 2 * SWIVELS;
            const double way = k < 0 ? -step : step;
            const Choice choice = least_between(limb, swivel, k * step - way, k * step + way);
            least = is_better(&choice, &least) ? choice : least;
        }
    }
    return least;
}

// to both sides, farther and farther
static Choice swing_round(const Limb* limb, const Swivel* swivel, Choice least) {
    const double step = PI / SWIVELS;
    double outside[2 * SWIVELS] = {least.outside};
    for (int i = 1; i <= SWIVELS && least.outside > 0.0; i++) {
        for (int side = -1; side <= 1; side += 2) {
            Choice found = choice_at(limb, swivel, i * side * step);
            outside[(i * side + 2 * SWIVELS) % (2 * SWIVELS)] = found.outside;
            if (found.outside == 0.0) {
                found = nearest_fit(limb, swivel, (i - 1) * side * step, i * side * step);
            }
            least = is_better(&found, &least) ? found : least;
        }
    }
    return least.outside > 0.0 ? search_between(limb, swivel, outside, least) : least;
}

PoiseStatus poise_arm_solve(const PoiseArmDef* def, PoisePose wrist,
                            const double reference[POISE_ARM_JOINTS],
                            double angles[POISE_ARM_JOINTS], PoiseLimbReport* report) {
    if (poise_arm_def_problem(def) || !angles) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    Limb limb = {.joints = POISE_ARM_JOINTS,
                 .near_link = def->upper_arm,
                 .far_link = def->forearm,
                 .lower = def->lower,
                 .upper = def->upper};
    if (!poise__limb_begin(&limb, wrist, reference)) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    const Swivel swivel = swivel_of(&limb);
    const Choice choice = swing_round(&limb, &swivel, choice_at(&limb, &swivel, 0.0));
    poise__limb_take(&limb, &choice, angles);
    return poise__limb_end(&limb, &choice, poise_arm_forward(def, angles), report);
}
