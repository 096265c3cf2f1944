// SPDX-License-Identifier: MIT
// Tests the calls of compiled bodies other than the solve: J, tracking, paths, batches, several
// answers, and proofs that targets are out of reach.
#include <criterion/criterion.h>
#include <string.h>

#include "bodies.h"
#include "near.h"
#include "works.h"

enum { SETS = 40, PATH = 60, MOST = POISE_BODY_MOST_POSTURE };

/// A body, and targets that a drawn posture meets.
typedef struct Case {
    BodyModel model;
    PoiseBody* body;
    Random random;
    int size;
    double posture[MOST];
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
} Case;

static void draw(Case* c) {
    body_draw(&c->model, c->body, &c->random, 0.2, c->targets);
    WORKS(poise_body_read(c->body, c->model.model.tree, c->posture));
}

// Begins a case. `joined`: the target of the second tip is in the frame of the first, and a centre
// of mass is a tip.
static void begin_joined(Case* c, BodyKind kind, uint64_t seed, bool joined) {
    c->model = body_model(kind);
    if (joined) {
        body_join(&c->model, true, true);
    }
    c->body = body_of(&c->model);
    c->random = random_from(seed);
    c->size = poise_body_posture_size(c->body);
    draw(c);
}

static void begin(Case* c, BodyKind kind, uint64_t seed) {
    begin_joined(c, kind, seed, false);
}

static void finish(Case* c) {
    poise_body_destroy(c->body);
    body_model_finish(&c->model);
}

static double largest_step(const Case* c, const double* a, const double* b) {
    double most = 0.0;
    for (int i = 0; i < c->size; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

// ----------------------------------------------------------------------------------------------- J

Test(body_calls, columns_of_j_are_differences_of_the_frames) {
    static const BodyKind kinds[] = {BODY_HUMANOID, BODY_ARM_AND_HAND, BODY_TWO_ARMS,
                                     BODY_TWO_ARMS};
    const double step = 1e-6;
    for (int k = 0; k < 4; k++) {
        Case c;
        begin_joined(&c, kinds[k], 21, k == 3);
        cr_assert_eq(poise_body_dof(c.body), c.size);
        for (int tip = 0; tip < c.model.tip_count; tip++) {
            double jacobian[6 * MOST];
            if (c.model.tips[tip].centre_of_mass) {
                cr_expect_eq(poise_body_jacobian(c.body, c.posture, tip, jacobian),
                             POISE_ERROR_INVALID_ARGUMENT);
                continue;
            }
            cr_assert_eq(poise_body_jacobian(c.body, c.posture, tip, jacobian), POISE_OK);
            for (int i = 0; i < c.size; i++) {
                double moved[MOST];
                memcpy(moved, c.posture, sizeof moved);
                moved[i] += step;
                const PoisePose up = poise_body_forward(c.body, moved, tip);
                moved[i] -= 2.0 * step;
                const PoisePose down = poise_body_forward(c.body, moved, tip);
                double column[6];
                pose_rates(down, up, 2.0 * step, column);
                for (int row = 0; row < 6; row++) {
                    EXPECT_NEAR(jacobian[row * c.size + i], column[row], 1e-8);
                }
            }
        }
        finish(&c);
    }
}

// The columns of a ball are about the axes of the frame that carries its limb: here the world's.
Test(body_calls, a_floating_base_turns_a_tip_about_the_axes_of_the_world) {
    Case c;
    begin(&c, BODY_HUMANOID_FREE, 22);
    const int dof = poise_body_dof(c.body);
    double jacobian[6 * POISE_BODY_MOST_DOF];
    cr_assert_eq(poise_body_jacobian(c.body, c.posture, 1, jacobian), POISE_OK);
    const PoiseVec3 base = poise_vec3(c.posture[0], c.posture[1], c.posture[2]);
    const PoiseVec3 arm = poise_sub(c.targets[1].pose.p, base);
    for (int k = 0; k < 3; k++) {
        const PoiseVec3 axis = poise_vec3(k == 0, k == 1, k == 2);
        const PoiseVec3 v = poise_cross(axis, arm);
        const double turn[6] = {v.x, v.y, v.z, axis.x, axis.y, axis.z};
        const double shift[6] = {axis.x, axis.y, axis.z, 0.0, 0.0, 0.0};
        for (int row = 0; row < 6; row++) {
            EXPECT_NEAR(jacobian[row * dof + k], shift[row], 1e-12);
            EXPECT_NEAR(jacobian[row * dof + 3 + k], turn[row], 1e-12);
        }
    }
    finish(&c);
}

// ---------------------------------------------------------------------------------------- tracking

Test(body_calls, tracking_meets_near_targets_in_a_few_small_steps) {
    for (int kind = 0; kind <= BODY_KINDS; kind++) {
        Case c;
        begin_joined(&c, kind == BODY_KINDS ? BODY_TWO_ARMS : (BodyKind)kind, 23,
                     kind == BODY_KINDS);
        for (int set = 0; set < SETS; set++) {
            double posture[MOST];
            PoiseBodyReport report = {.status = POISE_NOT_CONVERGED};
            int steps = 0;
            draw(&c);
            memcpy(posture, c.posture, sizeof posture);
            for (int i = 0; i < c.size; i++) {
                const double moved = posture[i] + random_between(&c.random, -0.02, 0.02);
                posture[i] =
                    fmin(fmax(moved, poise_body_lower(c.body, i)), poise_body_upper(c.body, i));
            }
            for (; steps < 50 && report.status != POISE_OK; steps++) {
                double before[MOST];
                memcpy(before, posture, sizeof before);
                MAY_FAIL(poise_body_track(c.body, NULL, c.targets, posture, &report));
                cr_expect_leq(largest_step(&c, before, posture), 0.5);
            }
            cr_expect(report.status == POISE_OK && report.reason == POISE_REACH_MET,
                      "kind %d, set %d: %d steps, %g m off", kind, set, steps, report.error);
            cr_expect_leq(body_miss(&c.model, c.body, posture, c.targets), 1e-9);
            cr_expect(body_is_inside(&c.model, c.body, posture));
        }
        finish(&c);
    }
}

Test(body_calls, tracking_leaves_a_posture_that_meets_the_targets) {
    Case c;
    begin(&c, BODY_HUMANOID_FREE, 24);
    double posture[MOST];
    memcpy(posture, c.posture, sizeof posture);
    PoiseBodyReport report;
    cr_expect_eq(poise_body_track(c.body, NULL, c.targets, posture, &report), POISE_OK);
    cr_expect_arr_eq(posture, c.posture, (size_t)c.size * sizeof posture[0]);
    cr_expect_eq(report.answers, 1);
    cr_expect_lt(report.error, 1e-12);
    finish(&c);
}

// ------------------------------------------------------------------------------------------- paths

// Writes the sets of a path from the present posture toward a random one, `part` of its length.
static void make_path(Case* c, double part, PoiseBodyTarget* targets) {
    double from[MOST];
    double to[MOST];
    memcpy(from, c->posture, sizeof from);
    draw(c);
    memcpy(to, c->posture, sizeof to);
    for (int i = 0; i < PATH; i++) {
        double posture[MOST];
        for (int k = 0; k < c->size; k++) {
            posture[k] = from[k] + part * i / PATH * (to[k] - from[k]);
        }
        for (int t = 0; t < c->model.tip_count; t++) {
            PoiseBodyTarget* target = &targets[i * c->model.tip_count + t];
            *target = poise_default_body_target(poise_body_forward(c->body, posture, t));
            target->goal = c->model.goal;
        }
    }
    memcpy(c->posture, from, sizeof from);
}

Test(body_calls, a_path_is_followed_without_leaps) {
    static PoiseBodyTarget targets[PATH * POISE_BODY_MOST_TIPS];
    static double postures[PATH * MOST];
    static PoiseBodyReport reports[PATH];
    static const BodyKind kinds[] = {BODY_HUMANOID, BODY_HAND, BODY_TWO_ARMS};
    for (int k = 0; k < 3; k++) {
        Case c;
        begin(&c, kinds[k], 25);
        make_path(&c, 0.5, targets);
        memcpy(postures, c.posture, sizeof c.posture);
        const PoiseBodyBatch batch = {PATH, targets, postures, reports};
        cr_expect_eq(poise_body_follow_batch(c.body, NULL, &batch), POISE_OK);
        for (int i = 0; i < PATH; i++) {
            const double* posture = &postures[i * c.size];
            cr_expect_eq(reports[i].reason, POISE_REACH_MET, "%d", i);
            cr_expect_leq(body_miss(&c.model, c.body, posture, &targets[i * c.model.tip_count]),
                          1e-9);
            cr_expect(i == 0 || largest_step(&c, posture, posture - c.size) < 0.3);
        }
        finish(&c);
    }
}

Test(body_calls, a_path_stops_where_a_joint_would_leap_unless_leaps_are_allowed) {
    static PoiseBodyTarget targets[PATH * POISE_BODY_MOST_TIPS];
    static double postures[PATH * MOST];
    static PoiseBodyReport reports[PATH];
    Case c;
    begin(&c, BODY_HUMANOID, 26);
    make_path(&c, 0.2, targets);
    // the targets of set 30 and later are those of a distant posture
    Case far;
    begin(&far, BODY_HUMANOID, 27);
    for (int i = 30; i < PATH; i++) {
        memcpy(&targets[i * c.model.tip_count], far.targets,
               (size_t)c.model.tip_count * sizeof targets[0]);
    }
    for (int leap = 0; leap < 2; leap++) {
        PoiseBodySolveDef def = poise_default_body_solve_def();
        const PoiseBodyBatch batch = {PATH, targets, postures, reports};
        def.leap = leap == 1;
        memcpy(postures, c.posture, sizeof c.posture);
        cr_expect_eq(poise_body_follow_batch(c.body, &def, &batch),
                     leap == 1 ? POISE_OK : POISE_NOT_CONVERGED);
        for (int i = 0; i < PATH; i++) {
            const bool stopped = leap == 0 && i >= 30;
            cr_expect_eq(reports[i].reason, stopped ? POISE_REACH_LEAP : POISE_REACH_MET, "%d", i);
            cr_expect(!stopped ||
                      largest_step(&c, &postures[i * c.size], &postures[29 * c.size]) == 0.0);
        }
    }
    finish(&far);
    finish(&c);
}

// ----------------------------------------------------------------------------------------- batches

Test(body_calls, a_batch_has_the_bits_of_its_single_solves_on_any_number_of_threads) {
    static PoiseBodyTarget targets[SETS * POISE_BODY_MOST_TIPS];
    static double starts[SETS * MOST];
    static double postures[SETS * MOST];
    static PoiseBodyReport reports[SETS];
    Case c;
    begin(&c, BODY_HUMANOID, 28);
    for (int i = 0; i < SETS; i++) {
        draw(&c);
        memcpy(&targets[i * c.model.tip_count], c.targets,
               (size_t)c.model.tip_count * sizeof targets[0]);
        WORKS(poise_body_middle(c.body, &starts[i * c.size]));
    }
    // one set is out of reach
    targets[7 * c.model.tip_count].pose.p.x += 9.0;
    for (int threads = 1; threads <= 3; threads += 2) {
        PoiseBodySolveDef def = poise_default_body_solve_def();
        const PoiseBodyBatch batch = {SETS, targets, postures, reports};
        def.threads = threads;
        memcpy(postures, starts, sizeof postures);
        cr_expect_eq(poise_body_solve_batch(c.body, &def, &batch), POISE_NOT_CONVERGED);
        for (int i = 0; i < SETS; i++) {
            double one[MOST];
            PoiseBodyReport report;
            memcpy(one, &starts[i * c.size], sizeof one);
            MAY_FAIL(poise_body_solve(c.body, &def, &targets[i * c.model.tip_count], one, &report));
            cr_expect_arr_eq(one, &postures[i * c.size], (size_t)c.size * sizeof one[0]);
            cr_expect_eq(reports[i].reason, i == 7 ? POISE_REACH_OUT_OF_REACH : POISE_REACH_MET);
            cr_expect(reports[i].error == report.error);
        }
    }
    finish(&c);
}

Test(body_calls, an_invalid_set_is_named_and_changes_no_posture) {
    PoiseBodyTarget targets[3 * POISE_BODY_MOST_TIPS];
    double postures[3 * MOST];
    double before[3 * MOST];
    Case c;
    begin(&c, BODY_TWO_ARMS, 29);
    const PoiseBodyBatch batch = {3, targets, postures, NULL};
    for (int i = 0; i < 3; i++) {
        memcpy(&targets[2 * i], c.targets, 2 * sizeof targets[0]);
        WORKS(poise_body_middle(c.body, &postures[i * c.size]));
    }
    int index = 5;
    cr_expect_null(poise_body_batch_problem(c.body, &batch, &index));
    cr_expect_eq(index, -1);
    targets[5].pose.q = poise_quat(0.0, 0.0, 0.0, 0.0);
    postures[c.size + 3] = (double)NAN;
    memcpy(before, postures, sizeof before);
    for (int bad = 1; bad <= 2; bad++) {
        cr_expect_not_null(poise_body_batch_problem(c.body, &batch, &index));
        cr_expect_eq(index, bad);
        cr_expect_eq(poise_body_solve_batch(c.body, NULL, &batch), POISE_ERROR_INVALID_ARGUMENT);
        cr_expect_arr_eq(postures, before, 3 * (size_t)c.size * sizeof postures[0]);
        postures[c.size + 3] = before[c.size + 3] = 0.0;
    }
    // a path begins with its first posture alone
    targets[5] = targets[3];
    memcpy(postures, c.posture, sizeof c.posture);
    postures[c.size + 3] = (double)NAN;
    cr_expect_eq(poise_body_follow_batch(c.body, NULL, &batch), POISE_OK);
    finish(&c);
}

// ----------------------------------------------------------------------------------------- answers

static double distance_to(const Case* c, const double* a, const double* b) {
    double sum = 0.0;
    for (int i = 0; i < c->size; i++) {
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    }
    return sqrt(sum);
}

Test(body_calls, answers_differ_meet_the_targets_and_are_sorted_by_their_distance) {
    static double postures[12 * MOST];
    for (int kind = 0; kind <= BODY_TWO_ARMS; kind += 2) {
        Case c;
        begin(&c, (BodyKind)kind, 30);
        for (int set = 0; set < 6; set++) {
            double start[MOST];
            double last = 0.0;
            draw(&c);
            WORKS(poise_body_middle(c.body, start));
            PoiseBodyAnswers answers = {.capacity = 12, .postures = postures};
            cr_expect_eq(poise_body_answers(c.body, NULL, c.targets, start, &answers), POISE_OK);
            cr_expect_eq(answers.count, 12);
            for (int i = 0; i < answers.count; i++) {
                const double* answer = &postures[i * c.size];
                cr_expect_leq(body_miss(&c.model, c.body, answer, c.targets), 1e-9);
                cr_expect(body_is_inside(&c.model, c.body, answer));
                const double distance = distance_to(&c, answer, start);
                cr_expect_geq(distance, last - 1e-12);
                last = distance;
                for (int j = 0; j < i; j++) {
                    cr_expect_geq(distance_to(&c, answer, &postures[j * c.size]), 9e-7);
                }
            }
        }
        finish(&c);
    }
}

// Legs of six hinges have few answers, so a body of three groups has few combinations.
Test(body_calls, groups_with_few_answers_are_combined) {
    static double postures[POISE_BODY_MOST_ANSWERS * MOST];
    Case c;
    begin(&c, BODY_QUADRUPED, 31);
    // the feet alone, on a base that stays: four groups of three hinges
    const PoiseNodeId base = poise_body_node(c.body, 0);
    WORKS(poise_body_write(c.body, c.model.model.tree, c.posture));
    WORKS(poise_node_set_enabled(c.model.model.tree, base, false));
    poise_body_destroy(c.body);
    c.body = body_of(&c.model);
    c.size = poise_body_posture_size(c.body);
    cr_assert_eq(poise_body_group_count(c.body), 4);
    double start[MOST];
    WORKS(poise_body_middle(c.body, start));
    PoiseBodyAnswers answers = {.capacity = POISE_BODY_MOST_ANSWERS, .postures = postures};
    cr_assert_eq(poise_body_answers(c.body, NULL, c.targets, start, &answers), POISE_OK);
    int product = 1;
    for (int leg = 0; leg < 4; leg++) {
        int different = 0;
        for (int i = 0; i < answers.count; i++) {
            bool seen = false;
            for (int j = 0; j < i && !seen; j++) {
                seen = fabs(postures[i * c.size + 3 * leg + 1] -
                            postures[j * c.size + 3 * leg + 1]) < 1e-7 &&
                       fabs(postures[i * c.size + 3 * leg] - postures[j * c.size + 3 * leg]) < 1e-7;
            }
            different += !seen;
        }
        product *= different;
    }
    cr_expect_eq(answers.count, product);
    for (int i = 0; i < answers.count; i++) {
        cr_expect_leq(body_miss(&c.model, c.body, &postures[i * c.size], c.targets), 1e-9);
    }
    finish(&c);
}

Test(body_calls, the_nearest_of_several_answers_is_nearer_than_the_first) {
    double first_sum = 0.0;
    double nearest_sum = 0.0;
    Case c;
    begin(&c, BODY_TWO_ARMS, 32);
    for (int set = 0; set < SETS; set++) {
        PoiseBodySolveDef def = poise_default_body_solve_def();
        double start[MOST];
        double posture[MOST];
        draw(&c);
        WORKS(poise_body_middle(c.body, start));
        for (int several = 0; several < 2; several++) {
            def.answers = several == 1 ? 16 : 1;
            memcpy(posture, start, sizeof posture);
            cr_expect_eq(poise_body_solve(c.body, &def, c.targets, posture, NULL), POISE_OK);
            cr_expect_leq(body_miss(&c.model, c.body, posture, c.targets), 1e-9);
            *(several == 1 ? &nearest_sum : &first_sum) += distance_to(&c, posture, start);
        }
    }
    cr_expect_lt(nearest_sum, 0.9 * first_sum, "%g, %g", nearest_sum, first_sum);
    finish(&c);
}

// -------------------------------------------------------------------------------------- the
// reasons

Test(body_calls, out_of_reach_is_proven_with_a_distance_and_never_of_what_is_reachable) {
    for (int kind = 0; kind < BODY_KINDS; kind++) {
        Case c;
        begin(&c, (BodyKind)kind, 34);
        const bool floats = poise_body_node(c.body, 6).index1 == poise_body_node(c.body, 0).index1;
        for (int set = 0; set < SETS; set++) {
            PoiseBodySolveDef def = poise_default_body_solve_def();
            PoiseBodyReport report;
            double posture[MOST];
            def.iterations = 1;
            draw(&c);
            WORKS(poise_body_middle(c.body, posture));
            MAY_FAIL(poise_body_solve(c.body, &def, c.targets, posture, &report));
            cr_expect_neq(report.reason, POISE_REACH_OUT_OF_REACH, "%d of %d", set, kind);
            cr_expect(report.beyond == 0.0);
            // 40 m away, unless sliders or a base have no limits
            c.targets[0].pose.p.x += 40.0;
            MAY_FAIL(poise_body_solve(c.body, &def, c.targets, posture, &report));
            cr_expect(report.reason == POISE_REACH_OUT_OF_REACH || floats, "%d: %s", kind,
                      poise_reach_reason_name(report.reason));
            cr_expect(floats || (report.beyond > 30.0 && report.beyond <= report.error));
        }
        finish(&c);
    }
}
