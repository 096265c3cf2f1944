// SPDX-License-Identifier: MIT
// Closed forms of six hinges, on random arms of each class: all answers, compared with descents
// from random starts; singular postures, ranges with whole turns, rounded files.
#include <criterion/criterion.h>
#include <string.h>

#include "chains.h"
#include "near.h"
#include "works.h"

#define PI 3.14159265358979323846

enum { CLASSES = 5, ARMS = 6, TARGETS = 30, JOINTS = 6, MOST = 8 };

static PoiseQuat about(double x, double z, double angle) {
    return poise_quat_from_axis_angle(poise_vec3(x, 0.0, z), angle);
}

// Makes an arm of six hinges about z. The axes 4, 5 and 6 of classes 0 to 3 meet. In class 0 axes 2
// and 3 are parallel, in 1 axes 1 and 2; in 2 axes 1 and 2 meet, in 3 axes 2 and 3. In class 4 axes
// 2, 3 and 4 are parallel, and 5 and 6 meet. `bend` rounds the angles between parallel axes.
static Model draw_arm(Random* random, int which, double range, double bend) {
    static const int parallel[CLASSES] = {1 << 2, 1 << 1, 0, 0, 1 << 2 | 1 << 3};
    static const int meet[CLASSES] = {3 << 4, 3 << 4, 3 << 4 | 1 << 1, 3 << 4 | 1 << 2, 1 << 5};
    Model model = model_empty(POISE_BALL_THREE_AXES);
    PoiseNodeDef def = poise_default_hinge_def();
    for (int i = 0; i < JOINTS; i++) {
        const bool is_parallel = (parallel[which] >> i & 1) != 0;
        const double twist = random_between(random, 0.4, 2.7);
        const double turn = random_between(random, -1.0, 1.0);
        const PoiseVec3 place = random_vec3(random, 0.4);
        def.joint_in_parent.q = is_parallel
                                    ? about(1.0, 0.0, bend)
                                    : poise_quat_mul(about(0.0, 1.0, turn), about(1.0, 0.0, twist));
        def.joint_in_parent.p = (meet[which] >> i & 1) != 0 ? poise_vec3(0.0, 0.0, 0.0) : place;
        def.lower = -range;
        def.upper = range;
        def.parent = model_add_node(&model, &def);
    }
    model_add_pose(&model, def.parent, random_pose(random, 0.3, 3.0));
    return model;
}

static void expect_met(Chain chain, const double* posture, PoisePose target, const char* what) {
    double distance;
    double angle;
    chain_miss(chain, posture, target, &distance, &angle);
    cr_expect(distance <= 1e-9 && angle <= 1e-9, "%s: %g m, %g rad off", what, distance, angle);
    cr_expect(chain_is_inside(chain, posture, 0.0), "%s: outside", what);
}

// Returns the largest difference of two postures.
static double gap(const double* a, const double* b) {
    double most = 0.0;
    for (int i = 0; i < JOINTS; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

static double distance2(const double* a, const double* b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sum;
}

// True if the answers contain the posture, within `within` rad.
static bool has(const PoiseBodyAnswers* answers, const double* posture, double within) {
    for (int k = 0; k < answers->count; k++) {
        if (gap(&answers->postures[k * JOINTS], posture) < within) {
            return true;
        }
    }
    return false;
}

// Expects that every answer meets the target, and that the answers differ and are in order.
static void expect_answers(Chain chain, PoisePose target, const double* start,
                           const PoiseBodyAnswers* answers) {
    for (int k = 0; k < answers->count; k++) {
        const double* posture = &answers->postures[k * JOINTS];
        const PoiseBodyAnswers before = {k, answers->postures, k, false};
        expect_met(chain, posture, target, "answer");
        cr_expect(!has(&before, posture, 1e-6), "answer %d is there twice", k);
        cr_expect(k == 0 || distance2(posture - JOINTS, start, JOINTS) <=
                                distance2(posture, start, JOINTS) + 1e-9);
    }
}

Test(chain_closed, gives_all_answers_of_every_class) {
    Random random = random_from(51);
    int answer_count = 0;
    int compared = 0;
    for (int a = 0; a < CLASSES * ARMS; a++) {
        Model model = draw_arm(&random, a % CLASSES, 2.9, 0.0);
        Chain chain = chain_of(&model, a % 2 == 0 ? POISE_BODY_EXACT : POISE_BODY_FUSED);
        cr_expect(poise_body_closed(chain.body, 0), "arm %d", a);
        for (int t = 0; t < TARGETS; t++) {
            double postures[MOST * JOINTS];
            double drawn[JOINTS];
            double start[JOINTS];
            double nearest[JOINTS];
            PoiseBodyAnswers answers = {MOST, postures, 0, false};
            chain_draw(chain, &random, drawn);
            chain_draw(chain, &random, start);
            const PoisePose target = poise_body_forward(chain.body, drawn, 0);
            cr_expect(chain_answers(chain, target, start, &answers) == POISE_OK);
            cr_expect(answers.all);
            cr_expect(has(&answers, drawn, 1e-6), "arm %d, target %d", a, t);
            expect_answers(chain, target, start, &answers);
            answer_count += answers.count;
            memcpy(nearest, start, sizeof start);
            cr_expect(chain_solve(chain, NULL, target, nearest, NULL) == POISE_OK);
            cr_expect_eq(gap(nearest, postures), 0.0);
            // Descents find no other answer. They end within 5e-10 of the target; at a double root
            // that is sqrt(5e-10) = 2.3e-5 rad.
            for (int d = 0; d < 10; d++) {
                double posture[JOINTS];
                chain_draw(chain, &random, posture);
                if (chain_descend(chain, NULL, target, 40, posture)) {
                    compared++;
                    cr_expect(has(&answers, posture, 1e-4), "arm %d, target %d, descent %d", a, t,
                              d);
                }
            }
        }
        chain_destroy(chain);
        model_finish(&model);
    }
    cr_expect_gt(answer_count, 3 * CLASSES * ARMS * TARGETS, "%d", answer_count);
    cr_expect_gt(compared, 3 * CLASSES * ARMS * TARGETS, "%d", compared);
}

// Axes that turn together, a stretched arm, and a hand above the first axis.
Test(chain_closed, singular_postures_are_met) {
    Random random = random_from(52);
    for (int a = 0; a < CLASSES * ARMS; a++) {
        Model model = draw_arm(&random, a % CLASSES, 2.9, 0.0);
        Chain chain = chain_of(&model, POISE_BODY_FUSED);
        for (int t = 0; t < TARGETS; t++) {
            double drawn[JOINTS];
            double posture[JOINTS];
            chain_draw(chain, &random, drawn);
            const double ends[] = {0.0, PI / 2.0, -PI / 2.0, 1e-9, 1e-5};
            drawn[t % JOINTS] = ends[t % 5];
            drawn[(t + 1 + t / JOINTS) % JOINTS] = 0.0;
            const PoisePose target = poise_body_forward(chain.body, drawn, 0);
            WORKS(poise_body_middle(chain.body, posture));
            cr_expect(chain_solve(chain, NULL, target, posture, NULL) == POISE_OK,
                      "arm %d, target %d", a, t);
            expect_met(chain, posture, target, "singular");
        }
        chain_destroy(chain);
        model_finish(&model);
    }
}

// Axes 4 and 6 of a wrist are in line, so that only the sum of q4 and q6 has an effect. The start
// decides how the two share it.
Test(chain_closed, a_wrist_in_line_keeps_the_start) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    static const double axes[JOINTS][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0},
                                           {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    static const double lengths[JOINTS][3] = {{0, 0, 0},        {0, 0, 0.3}, {0, 0, 0.27},
                                              {0.302, 0, 0.07}, {0, 0, 0},   {0, 0, 0}};
    PoiseNodeDef def = poise_default_hinge_def();
    for (int i = 0; i < JOINTS; i++) {
        def.axis = poise_vec3(axes[i][0], axes[i][1], axes[i][2]);
        def.joint_in_parent.p = poise_vec3(lengths[i][0], lengths[i][1], lengths[i][2]);
        def.lower = -2.8;
        def.upper = 2.8;
        def.parent = model_add_node(&model, &def);
    }
    model_add_pose(&model, def.parent, poise_pose(poise_vec3(0.1, 0, 0), poise_quat_identity()));
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    cr_expect(poise_body_closed(chain.body, 0));
    const double drawn[JOINTS] = {0.3, 0.4, -0.2, 0.5, 0.0, 0.7};
    double posture[JOINTS] = {0.3, 0.4, -0.2, 1.1, 0.01, 0.0};
    const PoisePose target = poise_body_forward(chain.body, drawn, 0);
    cr_expect(chain_solve(chain, NULL, target, posture, NULL) == POISE_OK);
    expect_met(chain, posture, target, "in line");
    EXPECT_NEAR(posture[3], 1.1, 1e-6);
    EXPECT_NEAR(posture[5], 0.1, 1e-6);
    chain_destroy(chain);
    model_finish(&model);
}

// Ranges of more than a turn: the nearest whole turn of each angle. Ranges of less: answers outside
// are left out, and a target whose answers are all outside is not met.
Test(chain_closed, answers_are_inside_ranges_by_whole_turns) {
    Random random = random_from(53);
    int outside = 0;
    for (int a = 0; a < 2 * CLASSES; a++) {
        const bool wide = a < CLASSES;
        Model model = draw_arm(&random, a % CLASSES, wide ? 6.2 : 0.8, 0.0);
        Chain chain = chain_of(&model, POISE_BODY_FUSED);
        cr_expect(poise_body_closed(chain.body, 0));
        for (int t = 0; t < TARGETS; t++) {
            double drawn[JOINTS];
            double posture[JOINTS];
            double start[JOINTS];
            PoiseBodyReport report;
            random_fill(&random, drawn, JOINTS);
            for (int i = 0; i < JOINTS; i++) {
                drawn[i] *= wide ? 6.0 : 1.5;
                posture[i] = fmin(fmax(drawn[i] + 0.01, -0.8), 0.8);
                posture[i] = wide ? drawn[i] + 0.01 : posture[i];
            }
            memcpy(start, posture, sizeof posture);
            const PoisePose target = poise_body_forward(chain.body, drawn, 0);
            WORKS(chain_solve(chain, NULL, target, posture, &report));
            if (report.status == POISE_OK) {
                expect_met(chain, posture, target, "turned");
            }
            cr_expect(!wide ||
                      (report.status == POISE_OK && distance2(posture, start, JOINTS) <=
                                                        distance2(drawn, start, JOINTS) + 1e-9));
            outside += report.status != POISE_OK;
        }
        chain_destroy(chain);
        model_finish(&model);
    }
    cr_expect_gt(outside, TARGETS / 2, "%d", outside);
}

// A file with rounded angles: the axes are nearly parallel.
Test(chain_closed, rounded_axes_are_met_exactly) {
    Random random = random_from(54);
    for (int b = 0; b < 2; b++) {
        Model model = draw_arm(&random, 0, 2.9, b == 0 ? 4e-6 : 1e-3);
        Chain chain = chain_of(&model, POISE_BODY_FUSED);
        cr_expect_eq(poise_body_closed(chain.body, 0), b == 0);
        for (int t = 0; t < TARGETS; t++) {
            double posture[JOINTS];
            chain_draw(chain, &random, posture);
            const PoisePose target = poise_body_forward(chain.body, posture, 0);
            WORKS(poise_body_middle(chain.body, posture));
            cr_expect(chain_solve(chain, NULL, target, posture, NULL) == POISE_OK);
            expect_met(chain, posture, target, "rounded");
        }
        chain_destroy(chain);
        model_finish(&model);
    }
}

// A chain of seven hinges has no closed form here: the answers are ends of the search.
Test(chain_closed, other_chains_give_different_answers_in_order) {
    Arm arm;
    enum { ASKED = 5 };
    static ArmTarget targets[TARGETS];
    ARM_OR_SKIP(&arm, "panda");
    const int count = arm_read_targets(&arm, "panda", targets, TARGETS);
    Model model = arm_model(&arm);
    Chain chain = chain_of(&model, POISE_BODY_FUSED);
    double sums[3] = {0.0, 0.0, 0.0};
    cr_expect(!poise_body_closed(chain.body, 0) && !poise_body_closed(NULL, 0));
    for (int t = 0; t < count; t++) {
        double start[ARM_MOST];
        double postures[ASKED * ARM_MOST];
        double last = 0.0;
        PoiseBodyAnswers answers = {ASKED, postures, 0, true};
        arm_middle(&arm, start);
        cr_expect(chain_answers(chain, targets[t].pose, start, &answers) == POISE_OK);
        cr_expect(answers.count == ASKED && !answers.all, "%d", answers.count);
        for (int k = 0; k < answers.count; k++) {
            const double* posture = &postures[k * arm.count];
            const double sum = distance2(posture, start, arm.count);
            expect_met(chain, posture, targets[t].pose, "panda");
            cr_expect_geq(sum, last - 1e-9);
            last = sum;
        }
        sums[2] += sqrt(distance2(postures, start, arm.count));
        // the first answer of a solve, and the nearest of 24
        for (int k = 0; k < 2; k++) {
            ChainSolveDef def = chain_goal_def(POISE_BODY_POSE);
            def.all.answers = k == 0 ? 1 : 24;
            memcpy(postures, start, sizeof start);
            cr_expect(chain_solve(chain, &def, targets[t].pose, postures, NULL) == POISE_OK);
            expect_met(chain, postures, targets[t].pose, "panda");
            sums[k] += sqrt(distance2(postures, start, arm.count));
        }
    }
    // The nearest of 24 is at least as near as the nearest of the list.
    cr_expect_leq(sums[1], sums[2], "%g against %g rad", sums[1], sums[2]);
    cr_expect_lt(sums[2], sums[0], "%g against %g rad", sums[2], sums[0]);
    const PoisePose far = poise_pose(poise_vec3(9.0, 9.0, 9.0), poise_quat_identity());
    double start[ARM_MOST];
    double postures[ASKED * ARM_MOST];
    PoiseBodyAnswers answers = {ASKED, postures, 7, false};
    arm_middle(&arm, start);
    cr_expect(chain_answers(chain, far, start, &answers) == POISE_NOT_CONVERGED);
    cr_expect(answers.count == 0 && answers.all);
    chain_destroy(chain);
    model_finish(&model);
}
