// SPDX-License-Identifier: MIT
// A body of one limb: the same bits with scalar and vector code and on any number of threads, the
// joints at their limits that a report names, weighted rows.
#include <criterion/criterion.h>
#include <string.h>

#include "chains.h"
#include "near.h"
#include "works.h"

enum { TARGETS = 60 };

/// An arm, its targets and their starts.
typedef struct Job {
    Model model;
    PoiseBody* body;
    int size;
    double starts[TARGETS * ARM_MOST];
    PoiseBodyTarget targets[TARGETS];
} Job;

// Makes the job of an arm. Every fifth target is far away, and every fifth one just out of reach.
static Job job_of(const Arm* arm) {
    Job job = {.model = arm_model(arm)};
    const Chain chain = chain_of(&job.model, POISE_BODY_EXACT);
    Random random = random_from(31);
    job.body = chain.body;
    job.size = poise_body_posture_size(job.body);
    for (int t = 0; t < TARGETS; t++) {
        double posture[ARM_MOST];
        chain_draw(chain, &random, posture);
        PoisePose target = poise_body_forward(job.body, posture, 0);
        target.p = poise_scale(t % 5 == 3 ? 20.0 : t % 5 == 4 ? 1.5 : 1.0, target.p);
        job.targets[t] = poise_default_body_target(target);
        WORKS(poise_body_middle(job.body, &job.starts[t * job.size]));
    }
    return job;
}

static void finish(Job* job) {
    poise_body_destroy(job->body);
    model_finish(&job->model);
}

// Expects that the coordinate named by the report is on its limit.
static void expect_limit(const Job* job, const PoiseBodyReport* report, const double* posture) {
    const int limit = report->limit;
    cr_expect_eq(limit >= 0, report->reason == POISE_REACH_AT_LIMITS);
    cr_expect(limit < 0 || posture[limit] == poise_body_lower(job->body, limit) ||
              posture[limit] == poise_body_upper(job->body, limit));
    cr_expect(limit < 0 || report->limited_dofs > 0);
}

// Solves all targets one by one, then as a batch, into two arrays.
static void solve_all(const Job* job, const PoiseBodySolveDef* def, double* singles,
                      double* batch) {
    PoiseBodyReport reports[TARGETS];
    memcpy(singles, job->starts, sizeof job->starts);
    memcpy(batch, job->starts, sizeof job->starts);
    const PoiseBodyBatch all = {TARGETS, job->targets, batch, reports};
    cr_expect_eq(poise_body_solve_batch(job->body, def, &all), POISE_NOT_CONVERGED);
    for (int t = 0; t < TARGETS; t++) {
        PoiseBodyReport report;
        MAY_FAIL(
            poise_body_solve(job->body, def, &job->targets[t], &singles[t * job->size], &report));
        // the lanes of a batch can end at another of two nearest postures
        cr_expect_eq(reports[t].status, report.status);
        expect_limit(job, &reports[t], &batch[t * job->size]);
        expect_limit(job, &report, &singles[t * job->size]);
        EXPECT_NEAR(reports[t].beyond, report.beyond, 1e-12);
        cr_expect(t % 5 > 2 || report.reason == POISE_REACH_MET);
    }
}

Test(body_limb, answers_have_the_same_bits_without_vectors_and_on_any_number_of_threads) {
    static double singles[2][TARGETS * ARM_MOST], batches[2][TARGETS * ARM_MOST];
    static const char* const names[] = {"panda", "ur5"};
    for (int a = 0; a < 2; a++) {
        Arm arm;
        ARM_OR_SKIP(&arm, names[a]);
        Job job = job_of(&arm);
        PoiseBodySolveDef def = poise_default_body_solve_def();
        solve_all(&job, &def, singles[0], batches[0]);
        def.path = POISE_BODY_PLAIN;
        def.threads = 3;
        solve_all(&job, &def, singles[1], batches[1]);
        cr_expect_arr_eq(singles[0], singles[1], sizeof singles[0]);
        cr_expect_arr_eq(batches[0], batches[1], sizeof batches[0]);
        finish(&job);
    }
}

// A row whose weight is not 1 is solved by the search of bodies, not by that of chains.
Test(body_limb, a_limb_with_a_weighted_row_is_met) {
    Arm arm;
    ARM_OR_SKIP(&arm, "panda");
    Job job = job_of(&arm);
    for (int t = 0; t < 3; t++) {
        PoiseBodyReport report;
        job.targets[t].weights[t] = 0.0;
        cr_expect_eq(
            poise_body_solve(job.body, NULL, &job.targets[t], &job.starts[t * job.size], &report),
            POISE_OK);
        cr_expect(report.error <= 5e-10 && report.angle_error <= 5e-10);
    }
    finish(&job);
}
