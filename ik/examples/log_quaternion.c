// SPDX-License-Identifier: MIT
// Repeats the experiment of the article on inverse kinematics by log-quaternions. Two arms of five
// links of 1 m use log-quaternions and Euler angles, in float as in the article and in double. Each
// moves its tip through the base to the opposite side in steps of 1 mm, and the excess steps are
// counted. The argument is the number of walks, at most 100, which is the default. Returns 0 if the
// counts support the printed statements.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "poise/body.h"
#include "poise/rotation.h"
#include "table.h"

enum { LINKS = 5, TRIALS = 100, RUNS = 3 };

#define PI   3.14159265358979323846
#define STEP 1e-3

typedef enum Method { METHOD_LOG, METHOD_EULER_ASIN, METHOD_EULER_ATAN } Method;

static int walks = TRIALS;

// Returns the next random number in 0..1.
static double random_part(uint64_t* state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static double microseconds(clock_t begin, double updates) {
    return 1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC / fmax(updates, 1.0);
}

static int by_size(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static double median(double times[TRIALS]) {
    qsort(times, (size_t)walks, sizeof *times, by_size);
    return 0.5 * (times[(walks - 1) / 2] + times[walks / 2]);
}

// Computes the least step J (J^T J)^-1 v for a tip motion v of 1 mm along the remaining error.
// False if the error is below 1 mm.
static bool least_step(double (*j)[3], const double left[3], double* step) {
    const double length = sqrt(left[0] * left[0] + left[1] * left[1] + left[2] * left[2]);
    if (length < STEP) {
        return false;
    }
    double a[3][4];
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            a[r][c] = 0.0;
            for (int i = 0; i < 3 * LINKS; i++) {
                a[r][c] += j[i][r] * j[i][c];
            }
        }
        a[r][3] = left[r] * STEP / length;
    }
    // J^T J is positive definite except at singular postures
    for (int r = 0; r < 3; r++) {
        for (int below = 0; below < 3; below++) {
            const double part = below == r ? 0.0 : a[below][r] / a[r][r];
            for (int c = r; c < 4; c++) {
                a[below][c] -= part * a[r][c];
            }
        }
    }
    for (int i = 0; i < 3 * LINKS; i++) {
        step[i] = 0.0;
        for (int r = 0; r < 3; r++) {
            step[i] += j[i][r] * a[r][3] / a[r][r];
        }
    }
    return true;
}

#define REAL       float
#define WALK(name) float_##name
#include "log_quaternion_walk.h"
#undef REAL
#undef WALK
#define REAL       double
#define WALK(name) double_##name
#include "log_quaternion_walk.h"

// ------------------------------------------------------------------------------ the same by Poise

static PoiseBody* make_chain(void) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeDef ball = poise_default_ball_def();
    for (int i = 0; i < LINKS; i++) {
        ball.joint_in_parent.p.z = i > 0 ? 1.0 : 0.0;
        ball.parent = poise_node_create(tree, &ball);
    }
    PoiseBodyTip tip = {.link = ball.parent, .in_link = poise_pose_identity()};
    tip.in_link.p.z = 1.0;
    PoiseBodyDef def = poise_default_body_def();
    def.tips = &tip;
    def.tip_count = 1;
    PoiseBody* chain = poise_body_compile(tree, &def);
    poise_tree_destroy(tree);
    return chain;
}

static double chain_trials(const PoiseBody* chain, uint64_t seed, double times[TRIALS]) {
    PoiseBodySolveDef def = poise_default_body_solve_def();
    def.path = POISE_BODY_FUSED;
    double sum = 0.0;
    for (int trial = 0; trial < walks; trial++) {
        double posture[4 * LINKS];
        for (int i = 0; i < LINKS; i++) {
            const double first = PI * random_part(&seed), second = PI * random_part(&seed);
            const PoiseEuler turns = {first, second, PI * random_part(&seed)};
            const PoiseQuat q = poise_quat_from_euler(POISE_EULER_YXZ, turns);
            memcpy(&posture[4 * i], &(double[4]){q.w, q.x, q.y, q.z}, 4 * sizeof(double));
        }
        PoiseVec3 tip = poise_body_forward(chain, posture, 0).p;
        const PoiseVec3 goal = poise_scale(-1.0, tip);
        const double ideal = floor(2.0 * poise_length(tip) / STEP);
        double steps = 0.0;
        const clock_t begin = clock();
        for (double left = poise_length(poise_sub(goal, tip)); left >= STEP && steps < 1e4;
             left = poise_length(poise_sub(goal, tip))) {
            PoiseBodyTarget next = poise_default_body_target(poise_pose_identity());
            next.goal = POISE_BODY_POSITION;
            next.pose.p = poise_add_scaled(tip, STEP / left, poise_sub(goal, tip));
            poise_body_track(chain, &def, &next, posture, NULL);
            tip = poise_body_forward(chain, posture, 0).p;
            steps += 1.0;
        }
        times[trial] = microseconds(begin, steps);
        sum += (steps - ideal) * (steps - ideal);
    }
    return sqrt(sum / walks);
}

// ------------------------------------------------------------------------------------ the tables

static void print_float(Table* table) {
    // excess steps that the article reports for its three runs of 100 walks, in float
    static const double article_log[RUNS] = {0.678, 0.854, 0.656};
    static const double article_euler[RUNS] = {52.341, 99.646, 98.148};
    printf("Steps of 1 mm off the number there should be (root of the mean square of %d walks)\n",
           walks);
    printf("  %-4s %17s | %26s\n", "", "article, float", "ours, float");
    printf("  %-4s %8s %8s | %8s %8s %8s\n", "run", "log", "Euler", "log", "Euler", "by atan");
    double times[TRIALS];
    bool tens = true, stable = true, logs = true;
    for (int run = 0; run < RUNS; run++) {
        const uint64_t seed = 100 + (uint64_t)run;
        const double by_log = float_trials(METHOD_LOG, seed, times);
        const double by_asin = float_trials(METHOD_EULER_ASIN, seed, times);
        const double by_atan = float_trials(METHOD_EULER_ATAN, seed, times);
        printf("  %-4c %8.3f %8.3f | %8.3f %8.3f %8.3f\n", 'A' + run, article_log[run],
               article_euler[run], by_log, by_asin, by_atan);
        tens = tens && by_asin > 20.0 && by_asin < 200.0;
        stable = stable && by_atan < 1.5;
        logs = logs && by_log < 1.5;
    }
    table_claim(table, "log-quaternions are right to a step", logs);
    table_claim(table, "Euler angles by the arcsine cost tens of steps, as the article found",
                tens);
    table_claim(table, "by an arctangent they are right to a step", stable);
}

static void print_double(Table* table) {
    double times[4][TRIALS];
    const double by_log = double_trials(METHOD_LOG, 100, times[0]);
    const double by_asin = double_trials(METHOD_EULER_ASIN, 100, times[1]);
    const double by_atan = double_trials(METHOD_EULER_ATAN, 100, times[2]);
    PoiseBody* chain = make_chain();
    const double by_chain = chain_trials(chain, 100, times[3]);
    poise_body_destroy(chain);
    printf("\nThe same in double, run A, and by poise_body_track\n");
    printf("  %8s %8s %8s %8s\n", "log", "Euler", "by atan", "Poise");
    printf("  %8.3f %8.3f %8.3f %8.3f\n", by_log, by_asin, by_atan, by_chain);
    printf("  %8.3f %8.3f %8.3f %8.3f  us an update here, the median of %d walks by the "
           "processor's clock\n  %8.3f %8.3f %17s  the article's, in float on its machine\n",
           median(times[0]), median(times[1]), median(times[2]), median(times[3]), walks, 20.0,
           24.0, "");
    table_claim(table, "all are right to a step", fmax(by_log, fmax(by_asin, by_atan)) < 1.5);
    table_claim(table, "Poise's tracking to half of one", by_chain <= 0.45);
    printf("\nSo it is not the Euler angles that lose, but the arcsine in float: the float next to "
           "sin = 1 is\n%.2e rad from a quarter turn, and a step turns a joint by some 1e-4.\n",
           0.5 * PI - asin((double)nextafterf(1.0f, 0.0f)));
}

// Checks Poise's conversions by the article's rotation of 90 degrees about y: axis and angle, row
// vectors, left-handed frames.
static void print_conversions(Table* table) {
    const PoiseQuat q = poise_quat_from_axis_angle(poise_vec3(0.0, 1.0, 0.0), 0.5 * PI);
    PoiseVec3 axis;
    table_head("A quarter turn about y in the article's words", "article");
    table_compare(table, "angle (axis-angle)", 0.5 * PI, poise_quat_to_axis_angle(q, &axis), 1e-15);
    table_compare(table, "axis y", 1.0, axis.y, 1e-15);
    table_compare(table, "log-quaternion u_y (half angle)", 0.25 * PI, poise_quat_log_half(q).y,
                  1e-15);
    double m[9];
    poise_quat_to_columns(q, m);
    // elements of DirectX's D3DXMatrixRotationY: _13 = -sin, _31 = sin
    table_compare(table, "_13 of the row-vector matrix", -1.0, m[2], 1e-15);
    table_compare(table, "_31", 1.0, m[6], 1e-15);
    const PoisePose pose = poise_pose(poise_vec3(1.0, 2.0, 3.0), q);
    const PoisePose left = poise_pose_other_hand(pose);
    table_compare(table, "z of (1, 2, 3) in a left-handed frame", -3.0, left.p.z, 0.0);
    table_compare(table, "y of the quaternion there", -sqrt(0.5), left.q.y, 1e-15);
}

int main(int argc, char** argv) {
    Table table = {0};
    const int asked = argc > 1 ? atoi(argv[1]) : TRIALS;
    walks = asked > 0 && asked < TRIALS ? asked : TRIALS;
    print_float(&table);
    print_double(&table);
    print_conversions(&table);
    return table_end(&table);
}
