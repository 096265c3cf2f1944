// SPDX-License-Identifier: MIT
// Repeats the yoga pose of vnoid's articles. First it computes the forward kinematics of the first
// article's angles and prints them in its format. Then it solves the whole robot in one call, as
// vnoid's IkSolver::Comp does. At last it moves the base until the centre of mass is at its goal.
// Returns 0 if the numbers are the article's.
#include <string.h>

#include "poise/person.h"
#include "table.h"

#define PI 3.14159265358979323846

// vnoid's sample robot
static PoisePersonDef sample_robot(void) {
    static const double arm_mass[POISE_ARM_JOINTS] = {0.5, 0.5, 1.0, 0.5, 1.0, 0.5, 0.5};
    static const double leg_mass[POISE_LEG_JOINTS] = {0.5, 0.5, 1.5, 1.5, 0.5, 0.5};
    PoisePersonDef def = poise_default_person_def();
    for (int side = 0; side < POISE_SIDES; side++) {
        def.arms[side].upper_arm = 0.2;
        def.arms[side].forearm = 0.2;
        def.legs[side].thigh = 0.3;
        def.legs[side].shank = 0.4;
    }
    def.trunk_mass = 24.0;
    def.trunk_com = poise_vec3(0.0, 0.0, 0.166);
    memcpy(def.arm_mass, arm_mass, sizeof arm_mass);
    memcpy(def.leg_mass, leg_mass, sizeof leg_mass);
    def.arm_com[2].z = -0.1;
    def.arm_com[4].z = -0.1;
    def.leg_com[2].z = -0.15;
    def.leg_com[3].z = -0.2;
    return def;
}

// the article's angles, right side first
static PoisePersonPosture yoga_angles(void) {
    PoisePersonPosture posture = {
        {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0, 0.0}},
        {{-PI / 4.0, -PI / 6.0, PI / 2.0, -2.0 * PI / 3.0, PI / 4.0, 0.0, -PI / 2.0},
         {-PI / 4.0, PI / 6.0, -PI / 2.0, -2.0 * PI / 3.0, -PI / 4.0, 0.0, PI / 2.0}},
        {{-PI / 2.0, 0.0, -PI / 3.0, 2.0 * PI / 3.0, PI / 6.0, 0.0}, {0.0}}};
    return posture;
}

// The article's numbers. Its simulated springs sag under the robot's weight by at most 2 mm.
static const PoisePersonEnds printed = {
    {{{0.122560, 0.000257, 1.276572}, {0.002227, -0.000196, -0.999997, 0.001291}},
     {{0.122560, -0.000257, 1.276572}, {0.002227, 0.000196, -0.999997, -0.001291}}},
    {{{0.0, 0.036232, 0.547969}, {0.500898, 0.499100, 0.499100, -0.500898}},
     {{0.0, 0.100000, 0.150000}, {1.0, 0.0, 0.0, 0.0}}},
    {0.017037, -0.005541, 1.056449}};

static void print_end(const char* name, PoisePose pose) {
    printf("%s_pos: %f, %f, %f\n", name, pose.p.x, pose.p.y, pose.p.z);
    printf("%s_ori: %f, %f, %f, %f\n", name, pose.q.w, pose.q.x, pose.q.y, pose.q.z);
}

// Prints the ends in the article's format.
static void print_ends(const PoisePersonEnds* ends) {
    print_end("right hand", ends->hands[POISE_RIGHT]);
    print_end("left hand", ends->hands[POISE_LEFT]);
    print_end("right foot", ends->feet[POISE_RIGHT]);
    print_end("left foot", ends->feet[POISE_LEFT]);
    printf("com: %f, %f, %f\n", ends->com.x, ends->com.y, ends->com.z);
}

static void compare_place(Table* table, const char* what, PoiseVec3 document, PoiseVec3 ours,
                          double tolerance) {
    const double theirs[3] = {document.x, document.y, document.z};
    const double mine[3] = {ours.x, ours.y, ours.z};
    for (int k = 0; k < 3; k++) {
        char name[40];
        snprintf(name, sizeof name, "%s %c, m", what, 'x' + k);
        table_compare(table, name, theirs[k], mine[k], tolerance);
    }
}

static void compare_ends(Table* table, const PoisePersonEnds* ours, double tolerance) {
    compare_place(table, "right hand", printed.hands[0].p, ours->hands[0].p, tolerance);
    compare_place(table, "left hand", printed.hands[1].p, ours->hands[1].p, tolerance);
    compare_place(table, "right foot", printed.feet[0].p, ours->feet[0].p, tolerance);
    compare_place(table, "left foot", printed.feet[1].p, ours->feet[1].p, tolerance);
    compare_place(table, "com", printed.com, ours->com, tolerance);
}

int main(void) {
    Table table = {0};
    const PoisePersonDef robot = sample_robot();
    PoisePersonPosture posture = yoga_angles();
    PoisePersonEnds ends;
    poise_person_forward(&robot, &posture, &ends);
    printf("Forward kinematics of the angles that the article sets\n");
    print_ends(&ends);
    table_head("Beside what it prints: there the springs sag by 2 mm (scene yoga_sag)", "article");
    compare_ends(&table, &ends, 2.2e-3);

    // solve for the article's hands, feet and centre of mass, starting from the angles above
    PoisePersonReport report;
    const PoiseStatus status = poise_person_balance(&robot, &printed, 1e-5, &posture, &report);
    poise_person_forward(&robot, &posture, &ends);
    printf("\nAll joints for the article's hands, feet and centre of mass (%d turns of the base)\n",
           report.turns);
    print_ends(&ends);
    table_head("Beside what was asked for", "article");
    compare_ends(&table, &ends, 4e-5);
    table_claim(&table, "seven turns or fewer", report.turns <= 7);
    // a straight leg misses its goal by the remaining height error of the trunk
    table_claim(&table, "every limb is there to 0.02 mm",
                status == POISE_OK || report.legs[POISE_LEFT].error < 2e-5);
    const double twist = posture.arms[POISE_RIGHT][6] - yoga_angles().arms[POISE_RIGHT][6];
    table_claim(&table, "no arm is twisted (the article's are)", fabs(twist) < 0.05);
    return table_end(&table);
}
