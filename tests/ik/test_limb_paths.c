// SPDX-License-Identifier: MIT
// Tests legs and arms in closed form against poise_reach on the same limb as a tree: the nearest
// answer, and answers along paths, each the reference of the next. 15 paths, or POISE_LIMB_PATHS
// (tests/nightly: 400).
#include <criterion/criterion.h>
#include <stdlib.h>

#include "models.h"
#include "person.h"
#include "poise/limb.h"

#define PI 3.14159265358979323846
// rad; a joint that moves by more in one step of a path leaps
#define LEAP 0.5

enum { PATHS = 15, STEPS = 400 };

static const char leg_axes[] = "ZXYYYX";
static const char arm_axes[] = "YXZYZYX";

static int path_count(void) {
    const char* const asked = getenv("POISE_LIMB_PATHS");
    return asked ? atoi(asked) : PATHS;
}

// Makes a limb as a tree of hinges with a pose point at its end. Ranges NULL: none.
static Model tree_of(const char* axes, double upper, double lower, const double* lowest,
                     const double* highest) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    for (int i = 0; axes[i]; i++) {
        PoiseNodeDef def = poise_default_hinge_def();
        def.axis = poise_vec3(axes[i] == 'X' ? 1.0 : 0.0, axes[i] == 'Y' ? 1.0 : 0.0,
                              axes[i] == 'Z' ? 1.0 : 0.0);
        def.joint_in_parent.p.z = i == 3 ? -upper : i == 4 ? -lower : 0.0;
        def.parent = i > 0 ? model.nodes[i - 1] : poise_null_node();
        def.lower = lowest ? lowest[i] : def.lower;
        def.upper = highest ? highest[i] : def.upper;
        model_add_node(&model, &def);
    }
    PoisePointDef point = poise_default_pose_def();
    point.link = model.nodes[model.node_count - 1];
    model_add_point(&model, &point);
    return model;
}

// Returns the squared distance of a reach's angles from the reference, rad^2, modulo whole turns.
static double square_of_reach(const Model* model, const double* start, const double* reference,
                              PoisePose pose) {
    for (int i = 0; i < model->node_count; i++) {
        cr_assert(poise_node_set_angle(model->tree, model->nodes[i], start[i]) == POISE_OK);
    }
    cr_assert(poise_point_set_position(model->tree, model->points[0], pose.p) == POISE_OK);
    cr_assert(poise_point_set_orientation(model->tree, model->points[0], pose.q) == POISE_OK);
    PoiseReachDef def = poise_default_reach_def();
    def.position_tolerance = def.angle_tolerance = 1e-12;
    if (poise_reach(model->tree, &def, NULL) != POISE_OK) {
        return HUGE_VAL;
    }
    double square = 0.0;
    for (int i = 0; i < model->node_count; i++) {
        const double angle = poise_node_angle(model->tree, model->nodes[i]);
        square += pow(remainder(angle - reference[i], 2.0 * PI), 2.0);
    }
    return square;
}

// A leg has eight answers: a reach from 40 starts finds no nearer answer.
Test(limb_paths, a_leg_takes_the_answer_nearest_to_the_reference) {
    Model model = tree_of(leg_axes, 0.4, 0.4, NULL, NULL);
    const PoiseLegDef def = poise_default_leg_def();
    Random random = random_from(63);
    int as_near = 0;
    for (int i = 0; i < 50; i++) {
        double q[6], reference[6], out[6], start[6], lower[6], upper[6], square = 0.0;
        for (int k = 0; k < 6; k++) {
            lower[k] = -PI;
            upper[k] = PI;
        }
        random_inside(&random, lower, upper, 6, q);
        random_inside(&random, lower, upper, 6, reference);
        const PoisePose pose = poise_leg_forward(&def, q);
        cr_assert(poise_leg_solve(&def, pose, reference, out, NULL) == POISE_OK);
        for (int k = 0; k < 6; k++) {
            square += pow(out[k] - reference[k], 2.0);
            cr_expect(fabs(out[k] - reference[k]) <= PI + 1e-12);
        }
        double least = HUGE_VAL;
        for (int attempt = 0; attempt < 40; attempt++) {
            random_inside(&random, lower, upper, 6, start);
            least = fmin(least, square_of_reach(&model, start, reference, pose));
        }
        cr_expect(square <= least + 1e-6, "leg %d: %g, a reach found %g", i, square, least);
        as_near += fabs(square - least) < 1e-6;
    }
    cr_expect(as_near >= 40, "only %d compared", as_near);
    model_finish(&model);
}

// A smooth path inside the ranges: each joint oscillates.
typedef struct Path {
    double middle[7], amplitude[7], phase[7];
    int rounds[7];
} Path;

static Path random_path(Random* random, const double* lower, const double* upper, int joints) {
    Path path;
    for (int i = 0; i < joints; i++) {
        const double range = upper[i] - lower[i];
        path.amplitude[i] = range * random_between(random, 0.15, 0.45);
        path.middle[i] =
            random_between(random, lower[i] + path.amplitude[i], upper[i] - path.amplitude[i]);
        path.phase[i] = random_between(random, 0.0, 2.0 * PI);
        path.rounds[i] = 1 + i % 3;
    }
    return path;
}

static void path_at(const Path* path, double t, int joints, double* q) {
    for (int i = 0; i < joints; i++) {
        q[i] = path->middle[i] +
               path->amplitude[i] * sin(path->phase[i] + path->rounds[i] * 2.0 * PI * t);
    }
}

static double largest_move(const double* a, const double* b, int joints) {
    double largest = 0.0;
    for (int i = 0; i < joints; i++) {
        largest = fmax(largest, fabs(a[i] - b[i]));
    }
    return largest;
}

// True if a reach inside the ranges, from the reference or near it, meets the pose without a leap.
static bool reach_needs_no_leap(const Model* model, Random* random, const double* reference,
                                PoisePose pose) {
    double start[7], q[7];
    for (int attempt = 0; attempt < 10; attempt++) {
        for (int i = 0; i < model->node_count; i++) {
            start[i] = reference[i] + (attempt > 0 ? random_between(random, -0.3, 0.3) : 0.0);
        }
        if (square_of_reach(model, start, reference, pose) < HUGE_VAL) {
            for (int i = 0; i < model->node_count; i++) {
                q[i] = poise_node_angle(model->tree, model->nodes[i]);
            }
            if (largest_move(q, reference, model->node_count) <= LEAP) {
                return true;
            }
        }
    }
    return false;
}

Test(limb_paths, an_arm_leaps_only_where_no_near_answer_exists) {
    const PoiseArmDef def = person_arm(0);
    Model model = tree_of(arm_axes, def.upper_arm, def.forearm, def.lower, def.upper);
    Random random = random_from(66);
    const int paths = path_count();
    int leaps = 0;
    for (int p = 0; p < paths; p++) {
        const Path path = random_path(&random, def.lower, def.upper, 7);
        double reference[7], q[7], target[7];
        path_at(&path, 0.0, 7, reference);
        for (int k = 1; k <= STEPS; k++) {
            path_at(&path, (double)k / STEPS, 7, target);
            const PoisePose pose = poise_arm_forward(&def, target);
            cr_expect(poise_arm_solve(&def, pose, reference, q, NULL) == POISE_OK,
                      "path %d, step %d", p, k);
            if (largest_move(q, reference, 7) > LEAP) {
                leaps++;
                cr_expect(!reach_needs_no_leap(&model, &random, reference, pose),
                          "path %d, step %d: a joint moves by %g, and need not", p, k,
                          largest_move(q, reference, 7));
            }
            for (int i = 0; i < 7; i++) {
                reference[i] = q[i];
            }
        }
    }
    // Ranges have ends, so some paths need a leap.
    cr_expect(leaps > 0 && leaps < 2 * paths, "%d leaps", leaps);
    model_finish(&model);
}

// The wrist is near its gimbal lock and at the end of its range. The only answer without a leap is
// a swivel by 0.25 rad into an interval 0.016 rad wide.
Test(limb_paths, a_narrow_interval_inside_the_ranges_is_found) {
    const PoiseArmDef def = person_arm(0);
    const double target[7] = {3.1074886738900651,  0.72500406029736375,  -0.5915078724865912,
                              -1.1888437995790266, -0.77334542111328175, -0.78403346089344617,
                              -0.68509649412706397};
    const double reference[7] = {3.0240572022585952,  -0.040306644289637816, 0.70775084672877031,
                                 -1.1728464911022329, -1.1741790459188186,   -1.3996871814010927,
                                 -1.5707963253587405};
    double q[7];
    cr_assert(poise_arm_solve(&def, poise_arm_forward(&def, target), reference, q, NULL) ==
              POISE_OK);
    cr_expect(largest_move(q, reference, 7) < 0.25, "%g", largest_move(q, reference, 7));
}

Test(limb_paths, a_leg_never_leaps) {
    const PoiseLegDef def = person_leg(0);
    Random random = random_from(67);
    const int paths = path_count();
    for (int p = 0; p < paths; p++) {
        const Path path = random_path(&random, def.lower, def.upper, 6);
        double reference[6], q[6], target[6];
        path_at(&path, 0.0, 6, reference);
        for (int k = 1; k <= STEPS; k++) {
            path_at(&path, (double)k / STEPS, 6, target);
            const PoisePose pose = poise_leg_forward(&def, target);
            cr_expect(poise_leg_solve(&def, pose, reference, q, NULL) == POISE_OK);
            cr_expect(largest_move(q, reference, 6) <= LEAP, "path %d, step %d", p, k);
            for (int i = 0; i < 6; i++) {
                reference[i] = q[i];
            }
        }
    }
}
