// SPDX-License-Identifier: MIT
// Prints the table of points and joints at the end of a run. All lengths of a column have one unit,
// chosen so that the largest shows three digits. Each point's line ends with the reason for its
// state.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "poise/math.h"
#include "poise/stance.h"
#include "run.h"

// Values below this are printed as 0, m or rad.
#define NOTHING 1e-10

typedef struct Unit {
    double scale;
    const char* word;
} Unit;

static int width_of(const char* text, int width) {
    int length = (int)strlen(text);
    return length > width ? length : width;
}

// ----------------------------------------------------------------------------------------- points

enum { MAX_TABLE_COLUMNS = 12 };

typedef struct FigureColumn {
    const PoiseFigure* figure;
    Unit unit;
    int width;
    char head[40];
} FigureColumn;

static double figure_of(const Run* run, const PoiseFigure* figure, int owner) {
    return poise_figure_number(figure, &(PoiseFigureSource){run->simulation, run->points}, owner);
}

static double largest_of(const Run* run, const PoiseFigure* figure) {
    double largest = 0.0;
    for (int i = 0; i < poise_simulation_point_count(run->simulation); i++) {
        double value = figure_of(run, figure, i);
        largest = isfinite(value) ? fmax(largest, value) : largest;
    }
    return largest;
}

// Collects the figures that the table of a run has.
static int find_columns(PoiseFigureOwner owner, FigureColumn columns[MAX_TABLE_COLUMNS]) {
    const PoiseFigure* figure = NULL;
    int count = 0;
    for (int i = 0; (figure = poise_figure_at(i)) != NULL && count < MAX_TABLE_COLUMNS; i++) {
        if (figure->owner == owner && (figure->uses & POISE_FIGURE_SUMMARY) != 0) {
            columns[count++].figure = figure;
        }
    }
    return count;
}

// Returns the unit that shows three digits of the column's largest length (m).
static Unit length_unit(double largest) {
    static const struct {
        double below;
        Unit unit;
    } units[] = {{1e-6, {1e9, "nm"}}, {1e-3, {1e6, "um"}}, {1.0, {1e3, "mm"}}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (largest >= NOTHING && largest < units[i].below) {
            return units[i].unit;
        }
    }
    return (Unit){1.0, "m"};
}

static void set_column(const Run* run, FigureColumn* column) {
    const Unit degrees = {180.0 / POISE_PI, "deg"};
    column->unit = strcmp(column->figure->unit, "m") == 0
                       ? length_unit(largest_of(run, column->figure))
                       : degrees;
    snprintf(column->head, sizeof column->head, "%.20s, %s", column->figure->head,
             column->unit.word);
    column->width = width_of(column->head, 8);
}

// Prints three significant digits of the value.
static void print_figure(FILE* out, const FigureColumn* column, double value) {
    if (!isfinite(value)) {
        fprintf(out, "  %*s", column->width, "-");
        return;
    }
    const double shown = value < NOTHING ? 0.0 : column->unit.scale * value;
    const int decimals = shown > 0.0 ? (int)fmax(2.0 - floor(log10(shown)), 0.0) : 0;
    fprintf(out, "  %*.*f", column->width, decimals, shown);
}

// Prints the reason for the point's state, and the force with which it presses.
static void print_words(const Run* run, int index, FILE* out) {
    const PoisePointView view = poise_simulation_point(run->simulation, index);
    char why[POISE_WHY_TEXT + 200];
    fprintf(out, "  %s", poise__point_why(run, index, why, sizeof why));
    if (view.presses) {
        const PoisePointStatistics* point = &run->points[index];
        const double asked = poise_length(view.force);
        const PoiseVec3 force =
            point->force_counted > 0 ? point->force_measured : view.force_measured;
        fprintf(out, "; %.4g N of %.4g N", asked > 0.0 ? poise_dot(force, view.force) / asked : 0.0,
                asked);
    }
    fputc('\n', out);
}

static void print_points(const Run* run, FILE* out) {
    int count = poise_simulation_point_count(run->simulation);
    FigureColumn columns[MAX_TABLE_COLUMNS];
    const int column_count = find_columns(POISE_FIGURE_OF_POINT, columns);
    int width = 5;
    for (int i = 0; i < count; i++) {
        width = width_of(poise_simulation_point(run->simulation, i).name, width);
    }
    fprintf(out, "%-*s", width, "point");
    for (int k = 0; k < column_count; k++) {
        set_column(run, &columns[k]);
        fprintf(out, "  %*s", columns[k].width, columns[k].head);
    }
    fputs("  state and force\n", out);
    for (int i = 0; i < count; i++) {
        fprintf(out, "%-*s", width, poise_simulation_point(run->simulation, i).name);
        for (int k = 0; k < column_count; k++) {
            print_figure(out, &columns[k], figure_of(run, columns[k].figure, i));
        }
        print_words(run, i, out);
    }
}

// ----------------------------------------------------------------------------------------- joints

// Returns 0 for a value that would be printed as -0.000.
static double shown(double value, double half_place) {
    return fabs(value) < half_place ? 0.0 : value;
}

// Returns the words for a joint at the end of its range or cone, or at its torque limit; else "".
static const char* limit_words(const Run* run, int joint) {
    const PoiseNodeId node = poise_simulation_joint(run->simulation, joint).node;
    const bool stops = poise_node_at_limit(poise_simulation_tree(run->simulation), node) != 0;
    PoiseJointReading reading;
    const bool strains =
        poise_rig_read_joint(poise_simulation_rig(run->simulation), node, &reading) >= 0 &&
        reading.at_limit;
    return stops && strains ? ", at its stop and its torque limit"
           : stops          ? ", at its stop"
           : strains        ? ", at its torque limit"
                            : "";
}

// Prints a joint's numbers with their unit: a single number with 5 decimals, several in brackets
// with 4, the last column (torque) with 3. All columns but the last are padded.
static void print_numbers(FILE* out, const PoiseFigureValue* value, const char* unit, bool last) {
    char text[120];
    const bool one = value->count == 1;
    const int decimals = last ? 3 : one ? 5 : 4;
    const int width = one ? 9 : last ? 8 : 7;
    int used = snprintf(text, sizeof text, "%s", one ? "" : "(");
    for (int i = 0; i < value->count; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s%*.*f", i > 0 ? " " : "",
                         width, decimals, shown(value->numbers[i], 0.5 * pow(10.0, -decimals)));
    }
    snprintf(text + used, sizeof text - (size_t)used, "%s%s%s", one ? "" : ")",
             one || last ? " " : "", one || last ? unit : "");
    fprintf(out, last ? "  %s" : "  %-25s", text);
}

static void print_joints(const Run* run, FILE* out) {
    const PoiseFigureSource source = {run->simulation, run->points};
    const int count = poise_simulation_joint_count(run->simulation);
    FigureColumn columns[MAX_TABLE_COLUMNS];
    const int column_count = find_columns(POISE_FIGURE_OF_JOINT, columns);
    int width = 5;
    for (int i = 0; i < count; i++) {
        width = width_of(poise_simulation_joint(run->simulation, i).name, width);
    }
    fprintf(out, "%-*s", width, "joint");
    for (int k = 0; k < column_count; k++) {
        const bool last = k == column_count - 1;
        fprintf(out, last ? "  %s\n" : "  %-25s", columns[k].figure->head);
    }
    for (int i = 0; i < count; i++) {
        fprintf(out, "%-*s", width, poise_simulation_joint(run->simulation, i).name);
        for (int k = 0; k < column_count; k++) {
            const PoiseFigure* figure = columns[k].figure;
            const PoiseFigureValue value = poise_figure_read(figure, &source, i);
            print_numbers(out, &value, poise_figure_unit(figure, run->simulation, i),
                          k == column_count - 1);
        }
        fprintf(out, "%s\n", limit_words(run, i));
    }
}

// Prints if the ground can exert the forces that the robot's support needs.
static void print_support(const Run* run, FILE* out) {
    PoiseSupport support;
    PoiseRig* rig = poise_simulation_rig(run->simulation);
    if (poise_rig_stance_count(rig) == 0) {
        return;
    }
    const PoiseStatus status = poise_rig_read_support(rig, poise_null_node(), &support);
    if (status < 0) {
        return;
    }
    fprintf(out, "\nit %s", poise_support_verdict_name(support.verdict));
    if (status != POISE_OK) {
        fprintf(out, ": of what is asked of the ground %.3g N and %.3g N m are missing",
                poise_length(support.missing_force), poise_length(support.missing_moment));
    }
    if (isfinite(support.part)) {
        fprintf(out, "; %.3g times the forces asked could be carried", support.part);
    }
    fputc('\n', out);
}

// True if no control point and no spring holds the robot, so that it falls.
static bool hangs_freely(const PoiseScene* scene) {
    bool held = scene->point_count > 0 || scene->joint_count == 0;
    for (int i = 0; i < scene->joint_count; i++) {
        held =
            held || (scene->joints[i].mimics < 0 && scene->joints[i].bind.original.stiffness > 0.0);
    }
    return !held;
}

// A joint is at its torque limit if the torque exceeds AT_LIMIT times the limit. A distance from
// the target above OFF (rad or m) is reported.
#define AT_LIMIT 0.999
#define OFF      0.01

// Returns the distance (rad, m) of a joint at its torque limit from its target; 0 for other joints.
static double overloaded(const Run* run, int index) {
    const PoiseJointView joint = poise_simulation_joint(run->simulation, index);
    const double limit = run->scene->joints[index].bind.torque_limit;
    const PoiseJointType* type = poise_joint_type(joint.kind);
    const bool gives_all = run->scene->joints[index].driven && type && type->nq == 1 &&
                           fabs(joint.torque.x) >= AT_LIMIT * limit && limit > 0.0;
    const double off = fabs(joint.q[0] - joint.q_target[0]);
    return gives_all && off > OFF ? off : 0.0;
}

// Reports joints whose torque limit is too low for their load.
static void print_overload(const Run* run, FILE* out) {
    const int count = poise_simulation_joint_count(run->simulation);
    int weak = 0, worst = 0;
    for (int i = 0; i < count; i++) {
        const double off = overloaded(run, i);
        weak += off > 0.0;
        worst = off > overloaded(run, worst) ? i : worst;
    }
    if (weak == 0) {
        return;
    }
    const PoiseSceneJoint* joint = &run->scene->joints[worst];
    const bool slides = poise_kind_slides(joint->kind);
    fprintf(out, "'%s' gives all of its %.3g %s and is %.2g %s off its target", joint->name,
            joint->bind.torque_limit, slides ? "N" : "N m", overloaded(run, worst),
            slides ? "m" : "rad");
    if (weak > 1) {
        fprintf(out, ", and %d more joint%s", weak - 1, weak > 2 ? "s" : "");
    }
    fputs(": weaker than what it has to hold or move\n", out);
}

static void print_hint(const Run* run, FILE* out) {
    const int points = poise_simulation_point_count(run->simulation);
    bool counted = points == 0;
    for (int i = 0; i < points; i++) {
        counted = counted || run->points[i].counted > 0 || run->points[i].angle_counted > 0;
    }
    print_overload(run, out);
    if (!counted) {
        fputs("rms and maximum leave out the first second: this run has no more\n", out);
    }
    if (hangs_freely(run->scene)) {
        fputs("no control points, and no springs to its natural posture: it hangs freely. A scene "
              "gives it both:\n  robots: {arm: {urdf: FILE, joints: {\"*\": {original: {spring: "
              "100, damper: 10}}}}}\n  control_points: {hand: {body: arm/LINK, position: [x, y, "
              "z]}}\n",
              out);
    }
}

void poise__report_table(const Run* run, FILE* out) {
    PoiseSimulationCost cost = poise_simulation_cost(run->simulation);
    fprintf(out, "%s: %.6g s in %ld steps of %.4g s\n\n",
            run->scene->title[0] ? run->scene->title : run->scene->file,
            poise_simulation_time(run->simulation), run->step_count, run->scene->world.step);
    if (poise_simulation_point_count(run->simulation) > 0) {
        print_points(run, out);
        fputc('\n', out);
    }
    print_joints(run, out);
    print_support(run, out);
    fputc('\n', out);
    print_hint(run, out);
    const double step_us = 1e6 * run->scene->world.step;
    fprintf(
        out,
        "a step: IK and springs %.1f us, collision %.1f us, physics %.1f us, %ld allocations%s\n",
        cost.ik_us, cost.collision_us, cost.ode_us, cost.allocations,
        cost.ik_us + cost.collision_us + cost.ode_us > step_us ? "; slower than real time" : "");
    fprintf(out, "state %016" PRIx64 "\n", poise_simulation_state_hash(run->simulation));
}
