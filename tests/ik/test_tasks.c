// SPDX-License-Identifier: MIT
// Tests tasks: their rows against central differences, their answers by the frames of the tree,
// their bounds, and their memory.
#include <criterion/criterion.h>

#include "host.h"
#include "models.h"
#include "near.h"
#include "poise/task.h"
#include "works.h"

enum { MOST_COLUMNS = 80, TREES = 20 };

// Makes a point of a kind on a random node and enables it. Its goal is in the world or in a link.
static PoisePointId draw_point(Model* model, Random* random, PoisePointKind kind, bool framed) {
    PoisePointDef def = model_point_def(kind);
    def.link = model->nodes[model->node_count - 1];
    def.in_link = random_pose(random, 0.3, 2.0);
    def.has_goal = true;
    def.goal = random_pose(random, 0.5, 2.0);
    def.direction = random_direction(random);
    def.axis = random_direction(random);
    def.row_axes = framed ? POISE_ROW_AXES_GOAL : (PoiseRowAxes)random_index(random, 3);
    if (framed) {
        def.frame = model->nodes[0];
    }
    return poise_point_create(model->tree, &def);
}

static PoiseTaskDef draw_task(Model* model, Random* random, PoiseTaskKind kind, int trial) {
    static const PoisePointKind kinds[] = {POISE_POINT_POSITION, POISE_POINT_ORIENTATION,
                                           POISE_POINT_POSE,     POISE_POINT_DIRECTION,
                                           POISE_POINT_LOOK_AT,  POISE_POINT_COM};
    PoiseTaskDef def = poise_default_task_def(kind);
    const PoisePointKind of = kind == POISE_TASK_POINT ? kinds[trial % 6]
                              : kind == POISE_TASK_MANIPULABILITY && trial % 2 == 1
                                  ? POISE_POINT_POSE
                                  : POISE_POINT_POSITION;
    def.point = draw_point(model, random, of, kind == POISE_TASK_POINT && trial % 4 == 2);
    if (kind == POISE_TASK_DISTANCE) {
        PoisePointDef other = poise_default_position_def();
        other.link = model->nodes[model->node_count / 2];
        def.other = poise_point_create(model->tree, &other);
        def.lower = def.upper = 0.7;
    }
    def.normal = random_direction(random);
    def.upper = kind == POISE_TASK_HALF_SPACE || kind == POISE_TASK_CONE ? -5.0 : def.upper;
    def.angle = random_between(random, 0.2, 1.5);
    return def;
}

// Writes 1/2 |e|^2, the error of a value, or log m.
static double potential(PoiseTasks* tasks, PoiseTaskKind kind) {
    double e[MOST_COLUMNS], j[6 * MOST_COLUMNS];
    const int rows = poise_tasks_rows(tasks, 0, e, j, 6);
    if (kind == POISE_TASK_MANIPULABILITY) {
        return -log(poise_tasks_read(tasks, 0).value);
    }
    double sum = 0.0;
    for (int r = 0; r < rows; r++) {
        sum += 0.5 * e[r] * e[r];
    }
    return sum;
}

// Compares the gradient -J^T e, and the rows of points that have exact ones, with central
// differences.
static void compare(Model* model, PoiseTasks* tasks, PoiseTaskKind kind, bool exact) {
    const double h = 1e-6;
    double e[6], j[6 * MOST_COLUMNS], plus[6], minus[6], unused[6 * MOST_COLUMNS];
    const int n = poise_tasks_columns(tasks);
    const int rows = poise_tasks_rows(tasks, 0, e, j, 6);
    cr_assert(n <= MOST_COLUMNS && rows > 0);
    int column = 0;
    for (int i = 0; i < model->node_count; i++) {
        for (int d = 0; d < model_dof(model, i); d++, column++) {
            double ends[2];
            for (int side = 0; side < 2; side++) {
                model_nudge(model, model->nodes[i], d, side == 0 ? h : -2.0 * h);
                ends[side] = potential(tasks, kind);
                poise_tasks_rows(tasks, 0, side == 0 ? plus : minus, unused, 6);
            }
            model_nudge(model, model->nodes[i], d, h);
            double slope = 0.0;
            for (int r = 0; r < rows; r++) {
                slope -= j[r * n + column] * e[r];
                const double row = -(plus[r] - minus[r]) / (2.0 * h);
                cr_expect(!exact || fabs(row - j[r * n + column]) <= 2e-8 * (1.0 + fabs(row)),
                          "row %d, column %d: %g, by differences %g", r, column, j[r * n + column],
                          row);
            }
            const double measured = (ends[0] - ends[1]) / (2.0 * h);
            cr_expect(fabs(measured - slope) <= 1e-7 * (1.0 + fabs(slope)),
                      "kind %d, column %d: %.12g, by differences %.12g", (int)kind, column, slope,
                      measured);
        }
    }
    cr_expect(column == n);
}

Test(tasks, rows_are_the_derivatives_of_the_errors) {
    Random random = random_from(39);
    const RandomTree form = {.nodes = 7, .hinges = true, .sliders = true, .balls = true};
    int singular_count = 0;
    for (int trial = 0; trial < 15 * TREES; trial++) {
        static const PoiseTaskKind kinds[] = {POISE_TASK_POINT, POISE_TASK_DISTANCE,
                                              POISE_TASK_HALF_SPACE, POISE_TASK_MANIPULABILITY,
                                              POISE_TASK_CONE};
        const PoiseTaskKind kind = kinds[trial % 5];
        Model model = model_random(&random, &form);
        PoiseTasks* tasks = poise_tasks_create(model.tree);
        const int part = trial / 5;
        const PoiseTaskDef def = draw_task(&model, &random, kind, part);
        cr_assert(poise_tasks_add(tasks, &def) == 0, "%s", poise_tree_message(model.tree));
        const PoisePointKind of = poise_point_kind(model.tree, def.point);
        const bool aims = of == POISE_POINT_DIRECTION || of == POISE_POINT_LOOK_AT;
        // near a singular posture differences of log m are noise
        const bool measure = kind == POISE_TASK_MANIPULABILITY;
        const bool singular = measure && poise_tasks_read(tasks, 0).value < 1e-3;
        singular_count += singular;
        if (!singular) {
            compare(&model, tasks, kind, !aims && !measure);
        }
        poise_tasks_destroy(tasks);
        model_finish(&model);
    }
    cr_expect(singular_count < 2 * TREES, "%d of %d are singular", singular_count, 3 * TREES);
}

// ---------------------------------------------------------------------------------- an arm of
// hinges

/// A planar arm of four hinges of 0.3 m with a place at its end.
typedef struct Arm {
    Model model;
    PoiseTasks* tasks;
    PoisePointId tip;
} Arm;

static Arm arm_of(const double* angles) {
    Arm arm = {.model = model_chain(POISE_NODE_HINGE, 4, 0.3, POISE_POINT_POSITION)};
    for (int i = 0; i < 4; i++) {
        WORKS(poise_node_set_angle(arm.model.tree, arm.model.nodes[i], angles[i]));
        WORKS(poise_node_set_limits(arm.model.tree, arm.model.nodes[i], poise_range(-2.0, 2.0)));
    }
    arm.tip = arm.model.points[0];
    arm.tasks = poise_tasks_create(arm.model.tree);
    return arm;
}

static void arm_finish(Arm* arm) {
    poise_tasks_destroy(arm->tasks);
    model_finish(&arm->model);
}

static PoiseVec3 tip_of(Arm* arm) {
    WORKS(poise_forward(arm->model.tree));
    return poise_point_planned_pose(arm->model.tree, arm->tip).p;
}

static const double bent[4] = {0.3, 0.4, 0.5, 0.2};

Test(tasks, a_solve_brings_the_point_to_its_goal) {
    Arm arm = arm_of(bent);
    PoiseTaskDef def = poise_default_task_def(POISE_TASK_POINT);
    def.point = arm.tip;
    GETS(poise_tasks_add(arm.tasks, &def) == 0);
    const PoiseVec3 goal = poise_vec3(-0.5, 0.6, 0.0);
    WORKS(poise_point_set_position(arm.model.tree, arm.tip, goal));
    PoiseTasksReport report;
    cr_expect(poise_tasks_solve(arm.tasks, NULL, &report) == POISE_OK);
    cr_expect(report.reason == POISE_REACH_MET && report.unmet == -1);
    EXPECT_NEAR3(tip_of(&arm), goal, 1e-6);
    arm_finish(&arm);
}

// The gradient of a straight arm toward a goal on its line is 0: a small step to one side folds it.
// A goal on the axis of a hinge leaves the hinge where it is.
Test(tasks, one_start_folds_a_straight_arm_or_calls_it_singular) {
    for (int count = 1; count <= 4; count++) {
        Model model = model_chain(POISE_NODE_HINGE, count, 0.4, POISE_POINT_POSITION);
        PoiseTasks* tasks = poise_tasks_create(model.tree);
        PoiseTaskDef task = poise_default_task_def(POISE_TASK_POINT);
        PoiseTasksDef def = poise_default_tasks_def();
        PoiseTasksReport report;
        def.starts = 1;
        task.point = model.points[0];
        cr_assert_eq(poise_tasks_add(tasks, &task), 0);
        const PoiseVec3 goal = poise_vec3(count == 1 ? 0.0 : 0.2 * count, 0.0, 0.0);
        WORKS(poise_point_set_position(model.tree, model.points[0], goal));
        const PoiseStatus status = poise_tasks_solve(tasks, &def, &report);
        cr_expect_eq(status, count == 1 ? POISE_NOT_CONVERGED : POISE_OK, "%d links", count);
        cr_expect_eq(report.reason, count == 1 ? POISE_REACH_SINGULAR : POISE_REACH_MET, "%d: %s",
                     count, poise_reach_reason_name(report.reason));
        poise_tasks_destroy(tasks);
        model_finish(&model);
    }
}

// The third link is tied to where it starts, as by a closed loop; the tip has one degree of freedom
// left.
Test(tasks, steps_and_answers_keep_loops_closed) {
    Arm arm = arm_of(bent);
    PoiseTree* tree = arm.model.tree;
    PoisePointDef loop = poise_default_position_def();
    loop.link = arm.model.nodes[2];
    loop.in_link.p = poise_vec3(0.1, 0.0, 0.0);
    loop.priority = POISE_PRIORITY_CLOSURE;
    loop.has_goal = true;
    WORKS(poise_forward(tree));
    loop.goal.p = poise_pose_apply(poise_node_link_world(tree, loop.link), loop.in_link.p);
    const PoisePointId closure = poise_point_create(tree, &loop);
    cr_assert(poise_point_is_valid(tree, closure));
    PoiseTaskDef def = poise_default_task_def(POISE_TASK_POINT);
    PoiseTasksReport report;
    def.point = arm.tip;
    GETS(poise_tasks_add(arm.tasks, &def) == 0);
    const PoiseVec3 begun = tip_of(&arm);
    for (int whole = 0; whole < 2; whole++) {
        WORKS(poise_point_set_position(tree, arm.tip, poise_vec3(-0.2, whole ? 0.8 : 0.3, 0.0)));
        for (int s = 0; s < 50 && !whole; s++) {
            WORKS(poise_tasks_step(arm.tasks, NULL, &report));
        }
        cr_expect(!whole || poise_tasks_solve(arm.tasks, NULL, &report) >= 0);
        cr_expect(poise_length(poise_sub(tip_of(&arm), begun)) > 0.01);
        cr_expect_lt(poise_point_planned_error(tree, closure), 1e-6, "%g",
                     poise_point_planned_error(tree, closure));
    }
    // a task of a destroyed point is refused, and named
    WORKS(poise_point_destroy(tree, arm.tip));
    cr_expect(poise_tasks_step(arm.tasks, NULL, &report) == POISE_ERROR_INVALID_HANDLE);
    poise_tree_clear_status(tree);
    // a damping task with a weight below 0 is refused
    PoiseTaskDef damping = poise_default_task_def(POISE_TASK_DAMPING);
    double weights[] = {1.0, 0.0, -1.0, 1.0};
    damping.node_weights = weights;
    cr_expect(poise_tasks_add(arm.tasks, &damping) == POISE_ERROR_INVALID_ARGUMENT);
    cr_expect_not_null(strstr(poise_tree_message(tree), "node_weights"));
    arm_finish(&arm);
}

// Two sliders move along x at y = 1 and 2 on a link of the same mass, which stays. The distance of
// the link is first that to a slider, then that to the centre of mass of the three.
Test(tasks, a_distance_can_be_set_to_that_of_a_centre_of_mass) {
    Model model = model_empty(POISE_BALL_THREE_AXES);
    for (int i = 0; i < 3; i++) {
        PoiseNodeDef node = poise_default_slider_def();
        node.axis = poise_vec3(1.0, 0.0, 0.0);
        node.parent = i == 0 ? poise_null_node() : model.nodes[0];
        node.joint_in_parent.p = poise_vec3(0.0, i, 0.0);
        node.lower = i == 0 ? 0.0 : -HUGE_VAL;
        node.upper = i == 0 ? 0.0 : HUGE_VAL;
        node.mass = 1.0;
        (void)model_add_node(&model, &node);
    }
    PoisePointDef point = poise_default_position_def();
    PoiseTaskDef def = poise_default_task_def(POISE_TASK_DISTANCE);
    point.link = model.nodes[0];
    def.point = poise_point_create(model.tree, &point);
    point.link = model.nodes[1];
    def.other = poise_point_create(model.tree, &point);
    def.lower = def.upper = 1.5;
    PoisePointDef centre = poise_default_com_def();
    centre.link = model.nodes[0];
    const PoisePointId middle = poise_point_create(model.tree, &centre);
    PoiseTasks* tasks = poise_tasks_create(model.tree);
    GETS(poise_tasks_add(tasks, &def) == 0);
    WORKS(poise_node_set_angle(model.tree, model.nodes[1], 0.5));
    cr_expect(poise_tasks_solve(tasks, NULL, NULL) == POISE_OK);
    EXPECT_NEAR(poise_node_angle(model.tree, model.nodes[1]), sqrt(1.25), 1e-5);
    def.other = middle;
    WORKS(poise_tasks_set(tasks, 0, &def));
    cr_expect(poise_tasks_solve(tasks, NULL, NULL) == POISE_OK);
    const double x = (poise_node_angle(model.tree, model.nodes[1]) +
                      poise_node_angle(model.tree, model.nodes[2])) /
                     3.0;
    EXPECT_NEAR(x, sqrt(1.25), 1e-5);
    poise_tasks_destroy(tasks);
    model_finish(&model);
}

// Without the first goal the second could be met. The first must be met as if it were alone.
Test(tasks, a_later_priority_leaves_the_first_alone) {
    Arm arm = arm_of(bent);
    PoiseTaskDef def = poise_default_task_def(POISE_TASK_POINT);
    def.point = arm.tip;
    def.tolerance = 1e-9; // the posture may use this part
    GETS(poise_tasks_add(arm.tasks, &def) == 0);
    PoiseTaskDef posture = poise_default_task_def(POISE_TASK_POSTURE);
    const double far[4] = {-1.0, 1.5, 1.5, -1.5};
    posture.posture = far;
    posture.priority = 1;
    GETS(poise_tasks_add(arm.tasks, &posture) == 1);
    const PoiseVec3 goal = poise_vec3(0.4, 0.5, 0.0);
    WORKS(poise_point_set_position(arm.model.tree, arm.tip, goal));
    cr_expect(poise_tasks_solve(arm.tasks, NULL, NULL) == POISE_OK);
    EXPECT_NEAR3(tip_of(&arm), goal, 1e-6);
    // along motions that do not move the tip, the distance to the posture has no gradient
    double e[4], j[16], rows[3], of_tip[12];
    poise_tasks_rows(arm.tasks, 1, e, j, 4);
    poise_tasks_rows(arm.tasks, 0, rows, of_tip, 3);
    for (int c = 0; c < 2; c++) { // null vectors of a 2 x 4 matrix by its minors
        const double* x = of_tip;
        const double* y = of_tip + 4;
        const int a = 0, b = 1, d = 2 + c;
        double null[4] = {0.0};
        null[a] = x[b] * y[d] - x[d] * y[b];
        null[b] = x[d] * y[a] - x[a] * y[d];
        null[d] = x[a] * y[b] - x[b] * y[a];
        double slope = 0.0;
        for (int i = 0; i < 4; i++) {
            slope += null[i] * e[i];
        }
        EXPECT_NEAR(slope, 0.0, 1e-5);
    }
    arm_finish(&arm);
}

Test(tasks, a_half_space_holds_the_tip_back_and_says_so) {
    Arm arm = arm_of(bent);
    PoiseTaskDef def = poise_default_task_def(POISE_TASK_POINT);
    def.point = arm.tip;
    GETS(poise_tasks_add(arm.tasks, &def) == 0);
    PoiseTaskDef wall = poise_default_task_def(POISE_TASK_HALF_SPACE);
    wall.point = arm.tip;
    wall.normal = poise_vec3(2.0, 0.0, 0.0);
    wall.upper = 1.0; // x <= 0.5
    GETS(poise_tasks_add(arm.tasks, &wall) == 1);
    WORKS(poise_point_set_position(arm.model.tree, arm.tip, poise_vec3(0.8, 0.4, 0.0)));
    PoiseTasksReport report;
    cr_expect(poise_tasks_solve(arm.tasks, NULL, &report) == POISE_NOT_CONVERGED);
    EXPECT_NEAR3(tip_of(&arm), poise_vec3(0.5, 0.4, 0.0), 1e-6);
    cr_expect(report.unmet == 0 && report.outweighed);
    EXPECT_NEAR(report.error, 0.3, 1e-6);
    arm_finish(&arm);
}

// Speeds stay in their bound, and so do differences of speeds; the joint stops at its end.
Test(tasks, steps_keep_speeds_accelerations_and_ranges) {
    Arm arm = arm_of(bent);
    const double dt = 0.01, fastest = 1.5, hardest = 4.0;
    double accelerations[4], was[4], speed[4] = {0.0};
    PoiseTaskDef def = poise_default_task_def(POISE_TASK_POINT);
    PoiseTasksDef step = poise_default_tasks_def();
    def.point = arm.tip;
    GETS(poise_tasks_add(arm.tasks, &def) == 0);
    for (int i = 0; i < 4; i++) {
        accelerations[i] = hardest;
        was[i] = bent[i];
        WORKS(poise_node_set_max_speed(arm.model.tree, arm.model.nodes[i], fastest));
    }
    step.dt = dt;
    step.acceleration = accelerations;
    for (int k = 0; k < 600; k++) {
        const double side = k < 200 ? -1.0 : 1.0;
        WORKS(poise_point_set_position(arm.model.tree, arm.tip, poise_vec3(0.6, side * 0.7, 0.0)));
        WORKS(poise_tasks_step(arm.tasks, &step, NULL));
        for (int i = 0; i < 4; i++) {
            const double q = poise_node_angle(arm.model.tree, arm.model.nodes[i]);
            const double v = (q - was[i]) / dt;
            cr_expect(fabs(q) <= 2.0, "joint %d at %g", i, q);
            cr_expect(fabs(v) <= fastest + 1e-9, "step %d, joint %d: %g rad/s", k, i, v);
            cr_expect(fabs(v - speed[i]) <= hardest * dt + 1e-9,
                      "step %d, joint %d: %g rad/s after %g", k, i, v, speed[i]);
            was[i] = q;
            speed[i] = v;
        }
    }
    EXPECT_NEAR3(tip_of(&arm), poise_vec3(0.6, 0.7, 0.0), 1e-6);
    arm_finish(&arm);
}

// ------------------------------------------------------------------------------- parts kept apart

// Keeps balls on the links of the arm apart from a ball, and from each other.
static PoiseApart* keep_apart(const Arm* arm, PoiseVec3 place, double radius) {
    PoiseApartPart parts[5] = {{.place = {.p = place}}};
    PoiseApartDef def = poise_default_apart_def();
    parts[0].shape = poise_convex_sphere(radius);
    for (int i = 0; i < 4; i++) {
        parts[1 + i] = (PoiseApartPart){.link = arm->model.nodes[i]};
        parts[1 + i].shape = poise_convex_sphere(poise_min(radius, 0.06));
    }
    def.parts = parts;
    def.part_count = 5;
    PoiseApart* apart = poise_apart_create(arm->model.tree, &def);
    cr_assert_not_null(apart, "%s", poise_tree_message(arm->model.tree));
    return apart;
}

static double gap_of(const Arm* arm, PoiseApart* apart) {
    PoiseApartNear nearest;
    WORKS(poise_forward(arm->model.tree));
    GETS(poise_apart_measure(apart, &nearest) >= 0);
    return nearest.gap.distance;
}

static void expect_free(const Arm* arm, PoiseApart* apart, const PoiseTasksReport* report) {
    const double gap = gap_of(arm, apart);
    cr_expect(gap >= 0.01 - 1e-9, "%g m", gap);
    cr_expect(!report->held || (report->reason == POISE_REACH_HELD && report->held_gap < 0.08 &&
                                report->held_by.a != report->held_by.b));
}

// Goals at both sides of the post: no step comes nearer than the distance, and some end at that
// distance.
static int count_held(Arm* arm, PoiseApart* apart, const PoiseTasksDef* def) {
    Random random = random_from(35);
    int held = 0;
    for (int k = 0; k < 20; k++) {
        PoiseTasksReport report;
        const double x = random_between(&random, -0.9, 0.9);
        const double y = random_between(&random, -0.9, 0.9);
        WORKS(poise_point_set_position(arm->model.tree, arm->tip, poise_vec3(x, y, 0.0)));
        for (int s = 0; s < 60; s++) {
            WORKS(poise_tasks_step(arm->tasks, def, &report));
            expect_free(arm, apart, &report);
            held += report.held && report.held_gap < 0.01001;
        }
    }
    return held;
}

Test(tasks, steps_and_answers_keep_parts_apart) {
    const double start[4] = {-1.2, 0.4, 0.5, 0.2}, acceleration[4] = {20.0, 20.0, 20.0, 20.0};
    Arm arm = arm_of(start);
    PoiseTaskDef def = poise_default_task_def(POISE_TASK_POINT);
    PoiseTasksDef step = poise_default_tasks_def();
    step.dt = 0.05;
    def.point = arm.tip;
    GETS(poise_tasks_add(arm.tasks, &def) == 0);
    for (int i = 0; i < 4; i++) {
        WORKS(poise_node_set_max_speed(arm.model.tree, arm.model.nodes[i], 3.0));
    }
    PoiseApart* apart = keep_apart(&arm, poise_vec3(0.45, 0.35, 0.0), 0.1);
    cr_expect(gap_of(&arm, apart) > 0.01);
    cr_expect(count_held(&arm, apart, &step) > 20);
    step.acceleration = acceleration;
    cr_expect(count_held(&arm, apart, &step) > 20);
    Random random = random_from(36);
    int met = 0;
    for (int k = 0; k < 60; k++) {
        PoiseTasksReport report;
        const double x = random_between(&random, 0.0, 0.8), y = random_between(&random, 0.0, 0.8);
        WORKS(poise_point_set_position(arm.model.tree, arm.tip, poise_vec3(x, y, 0.0)));
        met += poise_tasks_solve(arm.tasks, NULL, &report) == POISE_OK;
        expect_free(&arm, apart, &report);
    }
    cr_expect(met > 30, "%d of 60 met", met);
    poise_apart_destroy(apart);
    cr_expect(poise_tasks_step(arm.tasks, &step, NULL) >= 0);
    arm_finish(&arm);
}

// The second arm is solved with a far goal before each step, and its posture stays.
Test(tasks, steps_do_not_depend_on_the_speeds_of_solves) {
    const double start[4] = {-1.2, 0.4, 0.5, 0.2};
    PoiseTasksDef step = poise_default_tasks_def();
    Arm arms[2];
    PoiseApart* aparts[2];
    step.dt = 0.01;
    for (int k = 0; k < 2; k++) {
        PoiseTaskDef def = poise_default_task_def(POISE_TASK_POINT);
        arms[k] = arm_of(start);
        def.point = arms[k].tip;
        GETS(poise_tasks_add(arms[k].tasks, &def) == 0);
        aparts[k] = keep_apart(&arms[k], poise_vec3(0.45, 0.35, 0.0), 0.1);
    }
    Random random = random_from(37);
    PoiseVec3 goal = poise_vec3(0, 0, 0);
    for (int s = 0; s < 1200; s++) {
        if (s % 60 == 0) {
            goal.x = random_between(&random, -0.9, 0.9);
            goal.y = random_between(&random, -0.9, 0.9);
        }
        WORKS(poise_point_set_position(arms[1].model.tree, arms[1].tip, poise_vec3(-0.8, 0.5, 0)));
        WORKS(poise_forward(arms[1].model.tree));
        WORKS(poise_solve(arms[1].model.tree, NULL, NULL));
        for (int k = 0; k < 2; k++) {
            WORKS(poise_point_set_position(arms[k].model.tree, arms[k].tip, goal));
            cr_assert(poise_tasks_step(arms[k].tasks, &step, NULL) >= 0);
        }
        for (int i = 0; i < 4; i++) {
            const double q = poise_node_angle(arms[0].model.tree, arms[0].model.nodes[i]);
            const double p = poise_node_angle(arms[1].model.tree, arms[1].model.nodes[i]);
            cr_assert(p == q, "step %d, joint %d: %.17g and %.17g", s, i, p, q);
        }
    }
    for (int k = 0; k < 2; k++) {
        poise_apart_destroy(aparts[k]);
        arm_finish(&arms[k]);
    }
}

// A post stops some solves. A solve whose iterations end before it reaches the post names no pair.
Test(tasks, a_solve_out_of_iterations_names_no_pair) {
    const double start[4] = {-1.2, 0.4, 0.5, 0.2};
    PoiseTaskDef def = poise_default_task_def(POISE_TASK_POINT);
    Random random = random_from(36);
    int budget = 0;
    for (int k = 0; k < 100; k++) {
        Arm arm = arm_of(start);
        PoiseTasksDef solve = poise_default_tasks_def();
        PoiseTasksReport report;
        def.point = arm.tip;
        GETS(poise_tasks_add(arm.tasks, &def) == 0);
        PoiseApart* apart = keep_apart(&arm, poise_vec3(0.45, 0.35, 0.0), 0.1);
        const double x = random_between(&random, 0.0, 0.8), y = random_between(&random, 0.0, 0.8);
        WORKS(poise_point_set_position(arm.model.tree, arm.tip, poise_vec3(x, y, 0.0)));
        solve.iterations = 1 + k;
        solve.starts = 1;
        GETS(poise_tasks_solve(arm.tasks, &solve, &report) >= 0);
        cr_expect(report.held == (report.reason == POISE_REACH_HELD), "%d iterations: %s", k,
                  poise_reach_reason_name(report.reason));
        budget += report.reason == POISE_REACH_BUDGET;
        poise_apart_destroy(apart);
        arm_finish(&arm);
    }
    cr_expect(budget > 10, "%d", budget);
}

// Steps of a second turn each joint by up to half a radian, further than the ball is wide. No
// posture between two of them touches the ball.
Test(tasks, no_long_step_jumps_over_a_ball) {
    enum { GOALS = 40, STEPS = 4, BETWEEN = 20 };
    const double start[4] = {-1.2, 0.4, 0.5, 0.2};
    Arm arm = arm_of(start);
    PoiseTaskDef def = poise_default_task_def(POISE_TASK_POINT);
    PoiseTasksDef step = poise_default_tasks_def();
    step.dt = 1.0;
    def.point = arm.tip;
    GETS(poise_tasks_add(arm.tasks, &def) == 0);
    PoiseApart* apart = keep_apart(&arm, poise_vec3(0.45, 0.35, 0.0), 0.02);
    Random random = random_from(37);
    double least = HUGE_VAL;
    for (int k = 0; k < GOALS * STEPS; k++) {
        double was[4], is[4];
        if (k % STEPS == 0) {
            const double x = random_between(&random, -0.9, 0.9);
            const double y = random_between(&random, -0.9, 0.9);
            WORKS(poise_point_set_position(arm.model.tree, arm.tip, poise_vec3(x, y, 0.0)));
        }
        WORKS(poise_tasks_posture(arm.tasks, was));
        WORKS(poise_tasks_step(arm.tasks, &step, NULL));
        WORKS(poise_tasks_posture(arm.tasks, is));
        for (int s = 1; s <= BETWEEN; s++) {
            double q[4];
            for (int i = 0; i < 4; i++) {
                q[i] = was[i] + (double)s / BETWEEN * (is[i] - was[i]);
            }
            WORKS(poise_tasks_set_posture(arm.tasks, q));
            least = fmin(least, gap_of(&arm, apart));
        }
    }
    cr_expect(least > 0.0, "%g m", least);
    cr_expect(least < 0.011, "no goal leads past the ball");
    poise_apart_destroy(apart);
    arm_finish(&arm);
}

// The tip keeps its goal, and no motion along the null space raises the measure any more.
Test(tasks, manipulability_grows_in_the_null_space) {
    Random random = random_from(7);
    const RandomTree form = {.nodes = 7, .hinges = true};
    Model model = model_random(&random, &form);
    PoisePointDef point = poise_default_position_def();
    point.link = model.nodes[6];
    point.in_link.p = poise_vec3(0.1, 0.2, 0.1);
    PoiseTaskDef def = poise_default_task_def(POISE_TASK_POINT);
    def.point = poise_point_create(model.tree, &point);
    PoiseTaskDef measure = poise_default_task_def(POISE_TASK_MANIPULABILITY);
    measure.point = def.point;
    measure.priority = 1;
    PoiseTasks* tasks = poise_tasks_create(model.tree);
    GETS(poise_tasks_add(tasks, &def) == 0);
    GETS(poise_tasks_add(tasks, &measure) == 1);
    const double before = poise_tasks_read(tasks, 1).value;
    cr_expect(poise_tasks_solve(tasks, NULL, NULL) == POISE_OK);
    const PoiseTaskReading after = poise_tasks_read(tasks, 1);
    cr_expect(after.value > 1.05 * before, "%g, then %g", before, after.value);
    cr_expect(poise_tasks_read(tasks, 0).met);
    poise_tasks_destroy(tasks);
    model_finish(&model);
}

Test(tasks, a_step_allocates_nothing_and_gives_its_memory_back) {
    TestHost host = {0};
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.host = test_host(&host);
    PoiseTree* tree = poise_tree_create(&tree_def);
    PoiseNodeDef node = poise_default_hinge_def();
    for (int i = 0; i < 3; i++) {
        node.parent = poise_node_create(tree, &node);
        node.joint_in_parent.p = poise_vec3(0.3, 0.0, 0.0);
    }
    PoisePointDef point = poise_default_position_def();
    point.link = node.parent;
    PoiseTaskDef def = poise_default_task_def(POISE_TASK_POINT);
    def.point = poise_point_create(tree, &point);
    PoiseTasks* tasks = poise_tasks_create(tree);
    GETS(poise_tasks_add(tasks, &def) == 0);
    const PoiseTaskDef posture = poise_default_task_def(POISE_TASK_POSTURE);
    GETS(poise_tasks_add(tasks, &posture) == 1);
    WORKS(poise_tasks_step(tasks, NULL, NULL));
    WORKS(poise_tasks_solve(tasks, NULL, NULL));
    const long before = host.allocations;
    WORKS(poise_point_set_position(tree, def.point, poise_vec3(0.2, 0.4, 0.0)));
    WORKS(poise_tasks_step(tasks, NULL, NULL));
    WORKS(poise_tasks_solve(tasks, NULL, NULL));
    cr_expect(host.allocations == before);
    poise_tasks_destroy(tasks);
    poise_tree_destroy(tree);
    cr_expect(host.live_blocks == 0, "%ld blocks are left", host.live_blocks);
}
