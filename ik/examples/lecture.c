// SPDX-License-Identifier: MIT
// Compares Poise with the lecture "forward and inverse kinematics" (Kushinada Kiko, 2021). It
// treats an arm of six hinges from a Denavit-Hartenberg table, a singular posture, and three
// methods, compared iteration by iteration. Returns 0 if every number equals the lecture's.
#include <string.h>

#include "poise/dh.h"
#include "poise/ik.h"
#include "table.h"

enum { JOINTS = 6, ITERATIONS = 12, METHODS = 3 };

#define PI 3.14159265358979323846

// links of 0.3, 0.25 and 0.1 m: a, alpha, d, theta
static const PoiseDhRow rows[JOINTS] = {
    {POISE_NODE_HINGE, 0.0, 0.0, 0.0, 0.0},       {POISE_NODE_HINGE, 0.0, -0.5 * PI, 0.0, 0.0},
    {POISE_NODE_HINGE, 0.3, 0.0, 0.0, 0.0},       {POISE_NODE_HINGE, 0.0, 0.5 * PI, 0.25, 0.0},
    {POISE_NODE_HINGE, 0.0, -0.5 * PI, 0.0, 0.0}, {POISE_NODE_HINGE, 0.0, 0.5 * PI, 0.1, 0.0}};

// The singular posture of the lecture: the forearm is folded back onto the upper arm, and axes 2, 3
// and 5 lie in one plane.
static const double singular[JOINTS] = {0.0, -0.25 * PI, -0.5 * PI, 0.0, 0.25 * PI, 0.0};
// a posture without special angles: 20, -50, -70, 35, 60, -25 degrees
static const double general[JOINTS] = {PI / 9.0,        -5.0 * PI / 18.0, -7.0 * PI / 18.0,
                                       7.0 * PI / 36.0, PI / 3.0,         -5.0 * PI / 36.0};

typedef struct LectureArm {
    PoiseTree* tree;
    PoiseNodeId nodes[JOINTS];
    PoisePointId hand;  ///< pose
    PoisePointId place; ///< position point at the place of `hand`
} LectureArm;

static bool make_arm(LectureArm* arm) {
    PoiseTreeDef tree_def = poise_default_tree_def();
    arm->tree = poise_tree_create(&tree_def);
    if (poise_dh_create_nodes(arm->tree, poise_null_node(), rows, JOINTS, arm->nodes) != POISE_OK) {
        return false;
    }
    PoisePointDef hand = poise_default_pose_def();
    hand.link = arm->nodes[JOINTS - 1];
    arm->hand = poise_point_create(arm->tree, &hand);
    PoisePointDef place = poise_default_position_def();
    place.link = hand.link;
    place.enabled = false;
    arm->place = poise_point_create(arm->tree, &place);
    poise_register_chain(arm->tree, arm->hand, poise_null_node());
    poise_register_chain(arm->tree, arm->place, poise_null_node());
    return poise_tree_status(arm->tree) == POISE_OK;
}

static void set_posture(const LectureArm* arm, const double* q) {
    for (int i = 0; i < JOINTS; i++) {
        poise_node_set_angle(arm->tree, arm->nodes[i], q[i]);
    }
    poise_forward(arm->tree);
}

static void set_goal(const LectureArm* arm, PoisePose goal) {
    poise_point_set_position(arm->tree, arm->hand, goal.p);
    poise_point_set_orientation(arm->tree, arm->hand, goal.q);
}

// Returns the lecture's error E = 1/2 (p_e - p)^T W_E (p_e - p), m and rad, with W_E = 1.
static double error_of(const LectureArm* arm) {
    const double distance = poise_point_planned_error(arm->tree, arm->hand);
    const double angle = poise_point_planned_angle_error(arm->tree, arm->hand);
    return 0.5 * (distance * distance + angle * angle);
}

// --------------------------------------------------------------------------------- the figures

static double manipulability(const LectureArm* arm, const double* q, bool turns) {
    set_posture(arm, q);
    poise_point_set_enabled(arm->tree, arm->place, !turns);
    const double w = poise_manipulability(arm->tree, turns ? arm->hand : arm->place);
    poise_point_set_enabled(arm->tree, arm->place, false);
    return w;
}

static void print_poses(const LectureArm* arm, Table* table) {
    table_head("The hand at q = (0, -45, -90, 0, 45, 0) degrees, by the table", "by hand");
    set_posture(arm, singular);
    const PoisePose pose = poise_point_planned_pose(arm->tree, arm->hand);
    // the links in the drawing: upward at 45 degrees, back at 45 degrees, then level
    const double root = sqrt(0.5);
    table_compare(table, "x, m", 0.3 * root - 0.25 * root - 0.1, pose.p.x, 1e-12);
    table_compare(table, "z, m", 0.3 * root - 0.25 * root, pose.p.z, 1e-12);
    table_head("Manipulability sqrt(det(J J^T)); 0: singular", "reference");
    table_compare(table, "the slide's posture", 0.0, manipulability(arm, singular, true), 1e-13);
    table_compare(table, "a general posture", 5.258272466e-4, manipulability(arm, general, true),
                  1e-13);
    table_compare(table, "the same, of the place alone", 7.068134260e-3,
                  manipulability(arm, general, false), 1e-12);
}

// ------------------------------------------------------------------------------ three methods

typedef struct Method {
    const char* name;
    double bias;     ///< epsilon in J J^T + epsilon 1
    bool adds_error; ///< Levenberg-Marquardt: epsilon is bias + E
    double errors[ITERATIONS + 1];
    double longest; ///< largest step of a joint, rad
} Method;

static void iterate(const LectureArm* arm, Method* method, const double* start) {
    PoiseSolveDef def = poise_default_solve_def();
    // the bare formula, without clamps, joint cap and kicks
    def.solver = POISE_SOLVER_DUAL;
    def.position_clamp = HUGE_VAL;
    def.angle_clamp = HUGE_VAL;
    def.joint_cap = HUGE_VAL;
    def.escape = false;
    set_posture(arm, start);
    method->longest = 0.0;
    for (int k = 0; k < ITERATIONS; k++) {
        method->errors[k] = error_of(arm);
        def.lambda = method->bias + (method->adds_error ? method->errors[k] : 0.0);
        poise_solve(arm->tree, &def, NULL);
        for (int i = 0; i < JOINTS; i++) {
            double omega[POISE_MAX_DOF];
            poise_node_omega(arm->tree, arm->nodes[i], omega);
            method->longest = fmax(method->longest, fabs(omega[0]));
        }
        poise_advance(arm->tree);
        poise_forward(arm->tree);
    }
    method->errors[ITERATIONS] = error_of(arm);
}

static void run_methods(const LectureArm* arm, const char* title, PoisePose goal,
                        Method methods[METHODS]) {
    set_goal(arm, goal);
    printf("\n%s\n  iteration", title);
    for (int m = 0; m < METHODS; m++) {
        iterate(arm, &methods[m], singular);
        printf(" %20s", methods[m].name);
    }
    for (int k = 0; k <= ITERATIONS; k++) {
        printf("\n  E %7d", k);
        for (int m = 0; m < METHODS; m++) {
            printf(" %20.6e", methods[m].errors[k]);
        }
    }
    printf("\n  %-9s", "largest");
    for (int m = 0; m < METHODS; m++) {
        printf(" %12.4g rad step", methods[m].longest);
    }
    putchar('\n');
}

static bool falls(const Method* method) {
    for (int k = 0; k < ITERATIONS; k++) {
        if (method->errors[k + 1] > method->errors[k] * (1.0 + 1e-12) + 1e-28) {
            return false;
        }
    }
    return true;
}

static void compare_methods(const LectureArm* arm, Table* table) {
    Method methods[METHODS] = {{.name = "Gauss-Newton", .bias = 1e-12},
                               {.name = "SR-inverse 1e-4", .bias = 1e-4},
                               {.name = "Levenberg-Marquardt", .bias = 1e-4, .adds_error = true}};
    // the goal is the pose of a posture that differs by 0.6 rad in each joint
    double q[JOINTS];
    for (int i = 0; i < JOINTS; i++) {
        q[i] = singular[i] + (i % 2 == 0 ? 0.6 : -0.6);
    }
    set_posture(arm, q);
    const PoisePose within = poise_point_planned_pose(arm->tree, arm->hand);
    run_methods(arm, "E from the singular posture to a pose within reach", within, methods);
    table_claim(table, "Levenberg-Marquardt falls at every iteration", falls(&methods[2]));
    table_claim(table, "and meets the pose (E < 1e-12)", methods[2].errors[ITERATIONS] < 1e-12);
    table_claim(table, "Gauss-Newton leaves the singular posture by a leap",
                methods[0].longest > 3.0 * methods[2].longest);
    const PoisePose beyond = poise_pose(poise_vec3(1.0, 0.0, 0.0), poise_quat_identity());
    run_methods(arm, "E from the same to (1, 0, 0), 0.35 m beyond reach", beyond, methods);
    table_claim(table, "Levenberg-Marquardt falls at every iteration", falls(&methods[2]));
    table_claim(table, "Gauss-Newton does not", !falls(&methods[0]));
    table_head("Beyond reach, led to its end (poise_reach)", "reference");
    PoiseReachReport report;
    set_posture(arm, singular);
    poise_reach(arm->tree, NULL, &report);
    table_compare(table, "E", 0.102488252, report.error, 1e-9);
    table_compare(table, "x, m", 0.551748, poise_point_planned_pose(arm->tree, arm->hand).p.x,
                  1e-6);
    printf("  poise_reach ends by itself and says why: %s\n",
           poise_reach_reason_name(report.reason));
}

// ------------------------------------------------------------------------------- all postures

enum { MOST_POSTURES = 16 };

typedef struct Postures {
    double q[MOST_POSTURES][JOINTS];
    int count;
} Postures;

static bool same_posture(const double* a, const double* b) {
    double most = 0.0;
    for (int i = 0; i < JOINTS; i++) {
        most = fmax(most, fabs(remainder(a[i] - b[i], 2.0 * PI)));
    }
    return most < 1e-4;
}

static void keep_posture(Postures* postures, const double* q) {
    for (int i = 0; i < postures->count; i++) {
        if (same_posture(postures->q[i], q)) {
            return;
        }
    }
    if (postures->count < MOST_POSTURES) {
        memcpy(postures->q[postures->count++], q, sizeof postures->q[0]);
    }
}

// Lists the eight postures with the same pose: shoulder in front or behind, elbow up or down, wrist
// turned over or not. Each start of a search ends at one of them.
static void list_postures(const LectureArm* arm, Table* table) {
    set_posture(arm, general);
    const PoisePose pose = poise_point_planned_pose(arm->tree, arm->hand);
    set_goal(arm, pose);
    Postures postures = {.count = 0};
    for (uint64_t start = 0; start < 300; start++) {
        double q[JOINTS];
        for (int i = 0; i < JOINTS; i++) {
            // steps of the golden ratio spread the starts evenly
            q[i] = 2.0 * PI *
                   (fmod((double)(start * (uint64_t)(i + 1)) * 0.6180339887 +
                             0.31 * (double)i * (double)start,
                         1.0) -
                    0.5);
        }
        set_posture(arm, q);
        if (poise_reach(arm->tree, NULL, NULL) != POISE_OK) {
            continue;
        }
        for (int i = 0; i < JOINTS; i++) {
            q[i] = remainder(poise_node_angle(arm->tree, arm->nodes[i]), 2.0 * PI);
        }
        keep_posture(&postures, q);
    }
    printf("\nAll postures that have the pose of the general one, degrees\n");
    for (int k = 0; k < postures.count; k++) {
        printf("  ");
        for (int i = 0; i < JOINTS; i++) {
            printf(" %9.3f", postures.q[k][i] * 180.0 / PI);
        }
        putchar('\n');
    }
    table_claim(table, "eight of them, as a wrist of three meeting axes has", postures.count == 8);
}

int main(void) {
    LectureArm arm;
    Table table = {0};
    if (!make_arm(&arm)) {
        fprintf(stderr, "%s\n", poise_tree_message(arm.tree));
        return 1;
    }
    printf("An arm from a table of Denavit and Hartenberg (modified): a, alpha, d, theta\n");
    for (int i = 0; i < JOINTS; i++) {
        printf("  %d %6.3f m %6.1f deg %6.3f m  q%d\n", i + 1, rows[i].a,
               rows[i].alpha * 180.0 / PI, rows[i].d, i + 1);
    }
    print_poses(&arm, &table);
    compare_methods(&arm, &table);
    list_postures(&arm, &table);
    poise_tree_destroy(arm.tree);
    return table_end(&table);
}
