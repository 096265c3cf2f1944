// SPDX-License-Identifier: MIT
// What a run ends with, for the eye: a small table of its points and joints. All lengths have one
// unit, in the heads, that fits the largest of them.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "poise/stance.h"
#include "run.h"

// m or rad: what is less is nothing
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

typedef enum Figure { ERROR_NOW, ERROR_RMS, ERROR_MOST, PREDICTED, ANGLE_NOW, FIGURE_COUNT } Figure;

static double figure_of(const PointFigures* figures, Figure figure) {
    switch (figure) {
    case ERROR_NOW:
        return figures->error;
    case ERROR_RMS:
        return figures->rms_error;
    case ERROR_MOST:
        return figures->max_error;
    case PREDICTED:
        return figures->predicted_miss;
    case ANGLE_NOW:
        return figures->angle_error;
    case FIGURE_COUNT:
        break;
    }
    return (double)NAN;
}

typedef struct FigureColumn {
    Figure figure;
    Unit unit;
    int decimals;
    int width;
    char head[40];
} FigureColumn;

static double largest_of(const Run* run, Figure figure) {
    double largest = 0.0;
    for (int i = 0; i < poise_simulation_point_count(run->simulation); i++) {
        double value = figure_of(&run->points[i], figure);
        largest = isfinite(value) ? fmax(largest, value) : largest;
    }
    return largest;
}

// one for all columns of lengths: figures of a row are compared
static Unit length_unit(const Run* run) {
    const Unit small = {1e6, "um"};
    const Unit middle = {1e3, "mm"};
    const Unit large = {1.0, "m"};
    double largest = 0.0;
    for (int k = 0; k < ANGLE_NOW; k++) {
        largest = fmax(largest, largest_of(run, (Figure)k));
    }
    return largest < 1e-3 ? small : largest < 1.0 ? middle : large;
}

// three digits of the largest figure, down to 1 nm, and as many places for the others
static FigureColumn column_of(const Run* run, Figure figure) {
    static const char* const heads[] = {"error now", "rms", "maximum", "predicted", "angle now"};
    const double largest = largest_of(run, figure);
    const Unit degrees = {180.0 / PI, "deg"};
    FigureColumn column = {.figure = figure};
    column.unit = figure == ANGLE_NOW ? degrees : length_unit(run);
    double most = column.unit.scale * largest;
    // an angle of 1e-9 rad is 6e-8 degrees
    double finest = figure == ANGLE_NOW ? 7.0 : 9.0 - round(log10(column.unit.scale));
    column.decimals =
        largest < NOTHING ? 0 : (int)fmin(fmax(2.0 - floor(log10(most)), 0.0), finest);
    snprintf(column.head, sizeof column.head, "%s, %s", heads[figure], column.unit.word);
    column.width = width_of(column.head, column.decimals + 4);
    return column;
}

static void print_figure(FILE* out, const FigureColumn* column, double value) {
    if (isfinite(value)) {
        double shown = value < NOTHING ? 0.0 : column->unit.scale * value;
        fprintf(out, "  %*.*f", column->width, column->decimals, shown);
    } else {
        fprintf(out, "  %*s", column->width, "-");
    }
}

static void print_points(const Run* run, FILE* out) {
    int count = poise_simulation_point_count(run->simulation);
    FigureColumn columns[FIGURE_COUNT];
    int width = 5;
    for (int i = 0; i < count; i++) {
        width = width_of(poise_simulation_point(run->simulation, i).name, width);
    }
    fprintf(out, "%-*s", width, "point");
    for (int k = 0; k < FIGURE_COUNT; k++) {
        columns[k] = column_of(run, (Figure)k);
        fprintf(out, "  %*s", columns[k].width, columns[k].head);
    }
    fputc('\n', out);
    for (int i = 0; i < count; i++) {
        fprintf(out, "%-*s", width, poise_simulation_point(run->simulation, i).name);
        for (int k = 0; k < FIGURE_COUNT; k++) {
            print_figure(out, &columns[k], figure_of(&run->points[i], (Figure)k));
        }
        fputc('\n', out);
    }
}

// ----------------------------------------------------------------------------------------- joints

// what would be written as -0.000 is 0
static double shown(double value, double half_place) {
    return fabs(value) < half_place ? 0.0 : value;
}

static void print_vector(FILE* out, PoiseVec3 v, int width, int decimals) {
    double half = 0.5 * pow(10.0, -decimals);
    fprintf(out, "  (%*.*f %*.*f %*.*f)", width, decimals, shown(v.x, half), width, decimals,
            shown(v.y, half), width, decimals, shown(v.z, half));
}

static void print_joint_row(FILE* out, const PoiseJointView* joint) {
    if (joint->kind == POISE_NODE_BALL) {
        print_vector(out, joint->rotation, 7, 4);
        print_vector(out, joint->target_rotation, 7, 4);
        print_vector(out, joint->torque, 8, 3);
        fputs(" N m\n", out);
        return;
    }
    if (joint->kind == POISE_NODE_UNIVERSAL) {
        fprintf(out, "  (%7.4f %7.4f)          (%7.4f %7.4f)          (%8.3f %8.3f) N m\n",
                shown(joint->angle, 5e-5), shown(joint->angle2, 5e-5), shown(joint->target, 5e-5),
                shown(joint->target2, 5e-5), shown(joint->torque.x, 5e-4),
                shown(joint->torque.y, 5e-4));
        return;
    }
    bool slider = joint->kind == POISE_NODE_SLIDER;
    fprintf(out, "  %9.5f %-15s  %9.5f %-15s  %9.3f %s\n", shown(joint->angle, 5e-6),
            slider ? "m" : "rad", shown(joint->target, 5e-6), slider ? "m" : "rad",
            shown(joint->torque.x, 5e-4), slider ? "N" : "N m");
}

static void print_joints(const Run* run, FILE* out) {
    int count = poise_simulation_joint_count(run->simulation);
    int width = 5;
    for (int i = 0; i < count; i++) {
        width = width_of(poise_simulation_joint(run->simulation, i).name, width);
    }
    fprintf(out, "%-*s  %-25s  %-25s  %s\n", width, "joint", "angle", "target", "torque");
    for (int i = 0; i < count; i++) {
        PoiseJointView joint = poise_simulation_joint(run->simulation, i);
        fprintf(out, "%-*s", width, joint.name);
        print_joint_row(out, &joint);
    }
}

// whether the ground carries what stands on it
static void print_support(const Run* run, FILE* out) {
    PoiseSupport support;
    PoiseRig* rig = poise_simulation_rig(run->simulation);
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

// whether no point's figures reach into what is counted
static bool is_too_short(const Run* run) {
    bool any = false;
    for (int i = 0; i < poise_simulation_point_count(run->simulation); i++) {
        any = any || run->points[i].counted > 0 || run->points[i].angle_counted > 0;
    }
    return !any && poise_simulation_point_count(run->simulation) > 0;
}

// nothing leads it and nothing holds it: it falls as far as its joints let it
static bool hangs_freely(const PoiseScene* scene) {
    bool held = scene->point_count > 0 || scene->joint_count == 0;
    for (int i = 0; i < scene->joint_count; i++) {
        held = held || (scene->joints[i].mimics < 0 && scene->joints[i].original.stiffness > 0.0);
    }
    return !held;
}

static void print_hint(const Run* run, FILE* out) {
    if (is_too_short(run)) {
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
    fprintf(out, "a step: IK and springs %.1f us, physics %.1f us, %ld allocations\n", cost.ik_us,
            cost.ode_us, cost.allocations);
    fprintf(out, "state %016" PRIx64 "\n", poise_simulation_state_hash(run->simulation));
}
