// SPDX-License-Identifier: MIT
// Shows the solver: the blocks of J and gamma, and the residual of each point after each sweep
// (eqs. 18-23). It is run on a copy of the tree, so that the run does not change.
#include <math.h>
#include <string.h>

#include "panels.h"

enum { MAX_NODES = 96, MAX_POINTS = 16, EXTRA_SWEEPS = 100 };

static const uint32_t POINT_CURVES[] = {0x6fb1ffff, 0xffb866ff, 0x7fe0a0ff, 0xff8f87ff,
                                        0xd6a5f5ff, 0xffe28aff, 0x8fe3e0ff, 0xc8d0daff};

/// Opacity of the cells outside of the marked row and column, 0 to 255.
static const uint32_t DIM_ALPHA = 80;

/// Returns a copy of the tree on which the paper's stages have run; NULL on failure.
static PoiseTree* copy_with_blocks(const PoiseSimulation* simulation) {
    PoiseTree* tree = poise_tree_clone(poise_simulation_tree(simulation));
    if (tree && (poise_forward(tree) < 0 || poise_stage_jacobians(tree) < 0 ||
                 poise_stage_blocks(tree) < 0)) {
        poise_tree_destroy(tree);
        tree = NULL;
    }
    return tree;
}

// ------------------------------------------------------------------------------------------ sweeps

/// Writes the error of a point before the first sweep, by row. Returns the number of rows.
static int goal_rows(PoiseTree* tree, PoisePointId point, double rows[POISE_MAX_ROWS]) {
    PoisePose now = poise_point_planned_pose(tree, point);
    PoisePose goal = poise_point_goal(tree, point);
    PoisePointKind kind = poise_point_kind(tree, point);
    int count = 0;
    if (kind == POISE_POINT_POSITION || kind == POISE_POINT_POSE || kind == POISE_POINT_COM) {
        PoiseVec3 offset = poise_sub(goal.p, now.p);
        rows[count++] = offset.x;
        rows[count++] = offset.y;
        rows[count++] = offset.z;
    }
    if (kind == POISE_POINT_ORIENTATION || kind == POISE_POINT_POSE) {
        PoiseVec3 turn = poise_quat_log(poise_quat_mul(goal.q, poise_quat_conjugate(now.q)));
        rows[count++] = turn.x;
        rows[count++] = turn.y;
        rows[count++] = turn.z;
    }
    return count;
}

/// Returns the residual |v - J omega| of one point.
static double point_residual(PoiseTree* tree, PoisePointId point) {
    double rows[POISE_MAX_ROWS] = {0.0};
    int row_count = goal_rows(tree, point, rows);
    int nodes = poise_tree_node_count(tree);
    for (int i = 0; i < nodes; i++) {
        PoiseNodeId node = poise_tree_node(tree, i);
        double block[POISE_MAX_ROWS * POISE_MAX_DOF];
        double omega[POISE_MAX_DOF] = {0.0};
        int size = poise_jacobian(tree, point, node, block);
        int dof = size > 0 && row_count > 0 ? size / row_count : 0;
        if (dof == 0 || poise_node_omega(tree, node, omega) < dof) {
            continue;
        }
        for (int row = 0; row < row_count; row++) {
            for (int k = 0; k < dof; k++) {
                rows[row] -= block[row * dof + k] * omega[k];
            }
        }
    }
    double sum = 0.0;
    for (int row = 0; row < row_count; row++) {
        sum += rows[row] * rows[row];
    }
    return sqrt(sum);
}

/// Returns the sum of bias omega^2 over all joints.
static double biased_square(const PoiseSimulation* simulation, PoiseTree* tree) {
    double sum = 0.0;
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        const PoiseNodeId node = poise_tree_node(tree, i);
        const int joint = poise__joint_of_node(simulation, node);
        double omega[POISE_MAX_DOF] = {0.0};
        const int dof = poise_node_omega(tree, node, omega);
        char key[160];
        PoiseParameter bias = {.value = 1.0};
        snprintf(key, sizeof key, "joints.%.100s.bias",
                 poise_simulation_joint(simulation, joint).name);
        poise_simulation_parameter(simulation, poise_simulation_find_parameter(simulation, key),
                                   &bias);
        for (int d = 0; d < dof; d++) {
            sum += bias.value * omega[d] * omega[d];
        }
    }
    return sum;
}

/// Makes one more sweep. `left` becomes the sum that the sweeps minimise (eqs. 18-23): 1/2 (sum of
/// weight |v - J omega|^2 + lambda sum of bias omega^2).
static bool sweep_once(const PoiseSimulation* simulation, PoiseTree* tree, double lambda,
                       double* left) {
    double residual = 0.0;
    if (poise_stage_sweep(tree, lambda, &residual) < 0) {
        return false;
    }
    *left = 0.5 *
            (residual * residual + (lambda > 0.0 ? lambda * biased_square(simulation, tree) : 0.0));
    return true;
}

/// Computes how far the sum is above its final value, as a fraction of that distance after the
/// first sweep. Uses the sum after EXTRA_SWEEPS more sweeps as the final one.
static void measure_above(const PoiseSimulation* simulation, PoiseTree* tree, double lambda,
                          int done, PoiseSweeps* result) {
    double least = done > 0 ? result->objective[done] : 0.0;
    for (int i = 0; done > 0 && i < EXTRA_SWEEPS; i++) {
        double left = least;
        if (!sweep_once(simulation, tree, lambda, &left)) {
            break;
        }
        least = fmin(least, left);
    }
    const double first = done > 0 ? result->objective[1] - least : 0.0;
    result->objective[0] = (double)NAN;
    result->above[0] = NAN;
    for (int sweep = 1; sweep <= done; sweep++) {
        const double above = result->objective[sweep] - least;
        result->above[sweep] = first > 0.0 && above > 0.0 ? (float)(above / first) : NAN;
    }
}

int poise__panel_sweeps(const PoiseSimulation* simulation, int sweeps, PoiseSweeps* result) {
    PoiseTree* tree = copy_with_blocks(simulation);
    int done = 0;
    memset(result, 0, sizeof *result);
    if (!tree) {
        return 0;
    }
    sweeps = sweeps < POISE_SWEEPS_SHOWN ? sweeps : POISE_SWEEPS_SHOWN;
    double lambda = fmax(0.0, poise_simulation_report(simulation)->solve.lambda);
    int count = poise_simulation_point_count(simulation);
    result->point_count = count < MAX_POINTS ? count : MAX_POINTS;
    for (int sweep = 0; sweep <= sweeps; sweep++) {
        double whole = 0.0;
        if (sweep > 0 && !sweep_once(simulation, tree, lambda, &result->objective[sweep])) {
            break;
        }
        for (int i = 0; i < result->point_count; i++) {
            PoisePointView point = poise_simulation_point(simulation, i);
            double off = point.enabled ? point_residual(tree, point.point) : 0.0;
            result->points[i][sweep] = point.enabled ? (float)off : NAN;
            whole += off * off;
        }
        result->whole[sweep] = (float)sqrt(whole);
        done = sweep;
    }
    measure_above(simulation, tree, lambda, done, result);
    poise_tree_destroy(tree);
    return done;
}

/// Writes the decimal logarithms of values, NAN if a value has none. Returns `logs`.
static const float* write_logs(const float* values, int count, float* logs) {
    for (int i = 0; i < count; i++) {
        logs[i] = values[i] > 0.0f ? log10f(values[i]) : NAN;
    }
    return logs;
}

/// Plots the sum that the sweeps minimise.
static void plot_objective(PoiseApp* app, const PoiseSweeps* sweeps, int made, int mark) {
    float logs[POISE_SWEEPS_SHOWN + 1];
    const PoiseUiCurve curve = {write_logs(sweeps->above, made + 1, logs), 0xffffffffu, 0};
    char title[64];
    snprintf(title, sizeof title, "after %d: %.2g of that after 1", mark,
             (double)sweeps->above[mark]);
    const PoiseUiPlot plot = {.curves = &curve,
                              .curve_count = 1,
                              .sample_count = made + 1,
                              .height = 64.0,
                              .title = title,
                              .mark = mark};
    poise__ui_text(app->ui, POISE_INK, "minimised sum, above its final value");
    poise__ui_plot(app->ui, "solver/objective", &plot);
    poise__ui_tip(app->ui,
                  "The sum of weight |v - J omega|^2 of all points and of lambda |omega|^2. "
                  "Every sweep lowers the sum; the residual of one point may grow.");
}

static void plot_sweeps(PoiseApp* app) {
    PoiseSweeps sweeps;
    static float logs[MAX_POINTS][POISE_SWEEPS_SHOWN + 1];
    PoiseUiCurve curves[MAX_POINTS];
    int made = poise__panel_sweeps(app->session.simulation, POISE_SWEEPS_SHOWN / 4, &sweeps);
    if (made == 0) {
        poise__ui_text(app->ui, POISE_DIM_INK, "no point is enabled");
        return;
    }
    for (int i = 0; i < sweeps.point_count; i++) {
        curves[i] =
            (PoiseUiCurve){write_logs(sweeps.points[i], made + 1, logs[i]), POINT_CURVES[i % 8], 0};
    }
    int mark = app->panels.sweeps <= made ? app->panels.sweeps : made;
    char title[64];
    snprintf(title, sizeof title, "after %d: %.3g", mark, (double)sweeps.whole[mark]);
    PoiseUiPlot plot = {.curves = curves,
                        .curve_count = sweeps.point_count,
                        .sample_count = made + 1,
                        .height = 84.0,
                        .title = title,
                        .mark = mark};
    plot_objective(app, &sweeps, made, mark);
    poise__ui_text(app->ui, POISE_INK, "|v - J omega| of each point, which may grow");
    poise__ui_plot(app->ui, "solver/residual", &plot);
    if (poise__ui_button(app->ui, "solver/sweep_back", "<")) {
        app->panels.sweeps -= app->panels.sweeps > 0 ? 1 : 0;
    }
    poise__ui_same_line(app->ui);
    if (poise__ui_button(app->ui, "solver/sweep", "Sweep >")) {
        app->panels.sweeps += app->panels.sweeps < made ? 1 : 0;
    }
    poise__ui_tip(app->ui, "makes one sweep; the line in the plot is at this sweep");
    poise__ui_same_line(app->ui);
    if (poise__ui_button(app->ui, "solver/sweep_none", "0")) {
        app->panels.sweeps = 0;
    }
    poise__ui_same_line(app->ui);
    poise__ui_text(app->ui, POISE_DIM_INK, "%d of %d sweeps", mark, made);
}

// ---------------------------------------------------------------------------------------- matrices

/// Returns a colour from dark to bright over four powers of ten.
static uint32_t heat(double part) {
    double t = part > 0.0 ? 1.0 + log10(part) / 4.0 : 0.0;
    t = fmax(0.12, fmin(1.0, t));
    uint32_t r = (uint32_t)(40.0 + 215.0 * t * t);
    uint32_t g = (uint32_t)(60.0 + 150.0 * t);
    return r << 24 | g << 16 | (uint32_t)(110.0 + 60.0 * (1.0 - t)) << 8 | 255u;
}

/// Shows the scale of the cells' colours.
static void show_scale(PoiseApp* app) {
    uint32_t colours[5];
    for (int i = 0; i < 5; i++) {
        colours[i] = heat(pow(10.0, i - 4));
    }
    poise__ui_text(app->ui, POISE_DIM_INK, "1e-4");
    poise__ui_same_line(app->ui);
    const PoiseUiCells cells = {colours, 1, 5, 14.0, NULL, NULL};
    poise__ui_cells(app->ui, "solver/scale", &cells);
    poise__ui_same_line(app->ui);
    poise__ui_text(app->ui, POISE_DIM_INK, "1 of the largest");
}

static double norm(const double* numbers, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += numbers[i] * numbers[i];
    }
    return sqrt(sum);
}

/// Converts norms to colours; a norm of -1 makes the cell empty.
static void colour_cells(const double* norms, int count, uint32_t* colours) {
    double largest = 1e-300;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, norms[i]);
    }
    for (int i = 0; i < count; i++) {
        colours[i] = norms[i] >= 0.0 ? heat(norms[i] / largest) : 0u;
    }
}

typedef struct Axes {
    PoiseNodeId nodes[MAX_NODES];
    int node_count;
    const char* node_names[MAX_NODES];
    int points[MAX_POINTS];
    const char* point_names[MAX_POINTS];
    int point_count;
} Axes;

static void list_axes(const PoiseSimulation* simulation, PoiseTree* tree, Axes* axes) {
    memset(axes, 0, sizeof *axes);
    for (int i = 0; i < poise_tree_node_count(tree) && axes->node_count < MAX_NODES; i++) {
        PoiseNodeId node = poise_tree_node(tree, i);
        if (poise_node_dof(tree, node) > 0) {
            const int joint = poise__joint_of_node(simulation, node);
            axes->node_names[axes->node_count] = poise_simulation_joint(simulation, joint).name;
            axes->nodes[axes->node_count++] = node;
        }
    }
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        if (poise_simulation_point(simulation, i).enabled && axes->point_count < MAX_POINTS) {
            axes->point_names[axes->point_count] = poise_simulation_point(simulation, i).name;
            axes->points[axes->point_count++] = i;
        }
    }
}

static double cell_side(const PoiseApp* app, int columns) {
    // the remaining width is for the names
    double width = fmin(250.0, 0.32 * app->camera.width - 90.0);
    return fmax(2.0, fmin(16.0, width / fmax(1, columns)));
}

/// Row and column of the thing that is under the pointer, dragged, or marked in a panel; -1: none.
typedef struct Mark {
    int point;
    int joint;
} Mark;

static Mark find_mark(const PoiseApp* app, const Axes* axes) {
    const PoiseSimulation* simulation = app->session.simulation;
    PoiseHighlight highlight = app->highlight;
    highlight.selected = -1; // a selection alone marks no row
    highlight.panel = app->panels.focus;
    PoiseFocus focus = poise__scene_view_focus(simulation, &highlight);
    Mark mark = {-1, -1};
    for (int i = 0; focus.point >= 0 && i < axes->point_count; i++) {
        mark.point = axes->points[i] == focus.point ? i : mark.point;
    }
    for (int i = 0; focus.joint >= 0 && i < axes->node_count; i++) {
        bool same = poise__joint_of_node(simulation, axes->nodes[i]) == focus.joint;
        mark.joint = same ? i : mark.joint;
    }
    return mark;
}

/// Dims the cells outside of the marked row and column.
static void dim_others(uint32_t* colours, int rows, int columns, int row, int column) {
    for (int i = 0; (row >= 0 || column >= 0) && i < rows * columns; i++) {
        if (i / columns != row && i % columns != column && (colours[i] & 255u) != 0) {
            colours[i] = (colours[i] & 0xffffff00u) | DIM_ALPHA;
        }
    }
}

static void show_jacobian(PoiseApp* app, PoiseTree* tree, const Axes* axes) {
    static double norms[MAX_POINTS * MAX_NODES];
    static uint32_t colours[MAX_POINTS * MAX_NODES];
    const PoiseSimulation* simulation = app->session.simulation;
    int blocks = 0;
    for (int row = 0; row < axes->point_count; row++) {
        PoisePointId point = poise_simulation_point(simulation, axes->points[row]).point;
        for (int column = 0; column < axes->node_count; column++) {
            double block[POISE_MAX_ROWS * POISE_MAX_DOF];
            int size = poise_jacobian(tree, point, axes->nodes[column], block);
            norms[row * axes->node_count + column] = size > 0 ? norm(block, size) : -1.0;
            blocks += size > 0;
        }
    }
    int count = axes->point_count * axes->node_count;
    colour_cells(norms, count, colours);
    Mark mark = find_mark(app, axes);
    dim_others(colours, axes->point_count, axes->node_count, mark.point, mark.joint);
    poise__ui_text(app->ui, POISE_INK, "J, points by joints: %d of %d blocks", blocks, count);
    const PoiseUiCells cells = {colours,           axes->point_count,
                                axes->node_count,  cell_side(app, axes->node_count),
                                axes->point_names, axes->node_names};
    int cell = poise__ui_cells(app->ui, "solver/J", &cells);
    if (cell >= 0) {
        int joint = poise__joint_of_node(simulation, axes->nodes[cell % axes->node_count]);
        app->panels.focus.point = axes->points[cell / axes->node_count];
        app->panels.focus.joint = joint;
        poise__ui_tip(app->ui, poise_simulation_joint(simulation, joint).name);
    }
}

static void show_gamma(PoiseApp* app, PoiseTree* tree, const Axes* axes) {
    static double norms[MAX_NODES * MAX_NODES];
    static uint32_t colours[MAX_NODES * MAX_NODES];
    int n = axes->node_count;
    int blocks = 0;
    for (int row = 0; row < n; row++) {
        for (int column = 0; column < n; column++) {
            double block[POISE_MAX_DOF * POISE_MAX_DOF];
            int size = poise_block_gamma(tree, axes->nodes[row], axes->nodes[column], block);
            if (row == column) { // the diagonal shows alpha
                size = poise_block_alpha(tree, axes->nodes[row], block);
            }
            norms[row * n + column] = size > 0 ? norm(block, size) : -1.0;
            blocks += size > 0;
        }
    }
    colour_cells(norms, n * n, colours);
    Mark mark = find_mark(app, axes);
    dim_others(colours, n, n, mark.joint, mark.joint);
    poise__ui_text(app->ui, POISE_INK, "gamma, alpha on its diagonal: %d of %d", blocks, n * n);
    const PoiseUiCells cells = {colours,         n, n, cell_side(app, n), axes->node_names,
                                axes->node_names};
    int cell = poise__ui_cells(app->ui, "solver/gamma", &cells);
    if (cell >= 0) {
        const PoiseSimulation* simulation = app->session.simulation;
        app->panels.focus.joint = poise__joint_of_node(simulation, axes->nodes[cell / n]);
        poise__ui_tip(app->ui, poise_simulation_joint(simulation, app->panels.focus.joint).name);
    }
}

void poise__panel_matrices(PoiseApp* app) {
    if (!poise__ui_section(app->ui, "section/solver", "J, gamma and sweeps", true)) {
        return;
    }
    const PoiseRigReport* report = poise_simulation_report(app->session.simulation);
    poise__ui_text(app->ui, POISE_DIM_INK, "last step: %d rows, %d columns, lambda %.3g",
                   report->solve.rows, report->solve.columns, report->solve.lambda);
    PoiseTree* tree = copy_with_blocks(app->session.simulation);
    if (tree) {
        Axes axes;
        list_axes(app->session.simulation, tree, &axes);
        if (axes.node_count > 0 && axes.point_count > 0) {
            show_jacobian(app, tree, &axes);
            show_gamma(app, tree, &axes);
            poise__ui_text(app->ui, POISE_DIM_INK, "norm of a block:");
            poise__ui_same_line(app->ui);
            show_scale(app);
        }
        poise_tree_destroy(tree);
    }
    plot_sweeps(app);
}
