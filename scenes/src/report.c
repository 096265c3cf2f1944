// SPDX-License-Identifier: MIT
// What a run ends with: one JSON object, or a small table; and whether the scene's bounds are kept.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "run.h"

const char* poise__run_status_word(RunStatus status) {
    switch (status) {
    case RUN_OK:
        return "ok";
    case RUN_MISSED:
        return "missed";
    case RUN_BLOWN_UP:
        return "blew_up";
    case RUN_INTERRUPTED:
        return "interrupted";
    }
    return "?";
}

// ------------------------------------------------------------------------------------------ json

static void print_string(FILE* out, const char* text) {
    fputc('"', out);
    for (; *text; text++) {
        unsigned char letter = (unsigned char)*text;
        if (letter == '"' || letter == '\\') {
            fprintf(out, "\\%c", letter);
        } else if (letter < 0x20) {
            fprintf(out, "\\u%04x", letter);
        } else {
            fputc(letter, out);
        }
    }
    fputc('"', out);
}

static void print_number(FILE* out, double value) {
    if (isfinite(value)) {
        fprintf(out, "%.17g", value);
    } else {
        fputs("null", out);
    }
}

static void print_member(FILE* out, const char* separator, const char* name, double value) {
    fprintf(out, "%s\"%s\": ", separator, name);
    print_number(out, value);
}

static void print_vector(FILE* out, const char* separator, const char* name, PoiseVec3 v) {
    fprintf(out, "%s\"%s\": [", separator, name);
    print_number(out, v.x);
    fputs(", ", out);
    print_number(out, v.y);
    fputs(", ", out);
    print_number(out, v.z);
    fputc(']', out);
}

static void print_point(FILE* out, const PoiseScenePoint* point, const PointFigures* figures) {
    const char* separator = "";
    if (point->position.kind != POISE_GOAL_NONE) {
        print_member(out, "", "error", figures->error);
        print_member(out, ", ", "settled_error", figures->settled_error);
        print_member(out, ", ", "rms_error", figures->rms_error);
        print_member(out, ", ", "max_error", figures->max_error);
        print_member(out, ", ", "predicted_miss", figures->predicted_miss);
        separator = ", ";
    }
    if (point->orientation.kind != POISE_GOAL_NONE) {
        print_member(out, separator, "angle_error", figures->angle_error);
        print_member(out, ", ", "rms_angle_error", figures->rms_angle_error);
        print_member(out, ", ", "max_angle_error", figures->max_angle_error);
        print_member(out, ", ", "predicted_angle_miss", figures->predicted_angle_miss);
        separator = ", ";
    }
    if (figures->force_counted > 0) {
        print_vector(out, separator, "force", figures->force);
        print_vector(out, ", ", "force_measured", figures->force_measured);
        print_member(out, ", ", "force_error", figures->force_error);
    }
}

static void print_joint(FILE* out, const PoiseJointView* joint) {
    if (joint->kind == POISE_NODE_BALL) {
        print_vector(out, "", "angle", joint->rotation);
        print_vector(out, ", ", "target", joint->target_rotation);
        print_vector(out, ", ", "torque", joint->torque);
    } else {
        print_member(out, "", "angle", joint->angle);
        print_member(out, ", ", "target", joint->target);
        print_member(out, ", ", "torque", joint->torque.x);
    }
}

static const PoiseScenePoint* scene_point(const Run* run, int index) {
    const char* name = poise_simulation_point(run->simulation, index).name;
    return &run->scene->points[poise_scene_find_point(run->scene, name)];
}

void poise__report_json(const Run* run, FILE* out) {
    PoiseSimulationCost cost = poise_simulation_cost(run->simulation);
    fputs("{\n  \"scene\": ", out);
    print_string(out, run->scene->file);
    print_member(out, ",\n  ", "seconds", poise_simulation_time(run->simulation));
    fprintf(out, ",\n  \"steps\": %ld,\n  \"status\": \"%s\",\n  \"points\": {", run->step_count,
            poise__run_status_word(run->status));
    for (int i = 0; i < poise_simulation_point_count(run->simulation); i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", out);
        print_string(out, poise_simulation_point(run->simulation, i).name);
        fputs(": {", out);
        print_point(out, scene_point(run, i), &run->points[i]);
        fputc('}', out);
    }
    fputs("\n  },\n  \"joints\": {", out);
    for (int i = 0; i < poise_simulation_joint_count(run->simulation); i++) {
        PoiseJointView joint = poise_simulation_joint(run->simulation, i);
        fputs(i > 0 ? ",\n    " : "\n    ", out);
        print_string(out, joint.name);
        fputs(": {", out);
        print_joint(out, &joint);
        fputc('}', out);
    }
    fputs("\n  },\n  \"cost\": {", out);
    print_member(out, "", "ik_us", cost.ik_us);
    print_member(out, ", ", "ode_us", cost.ode_us);
    fprintf(out, ", \"allocations\": %ld},\n  \"state_hash\": \"%016" PRIx64 "\"\n}\n",
            cost.allocations, poise_simulation_state_hash(run->simulation));
}

// ----------------------------------------------------------------------------------------- table

static int width_of(const char* text, int width) {
    int length = (int)strlen(text);
    return length > width ? length : width;
}

// a length in a unit that fits it, an angle in degrees; a dash where there is none
static void print_length(FILE* out, double metres) {
    char text[32] = "-";
    if (isfinite(metres)) {
        bool small = metres < 1e-3;
        bool middle = metres < 1.0;
        snprintf(text, sizeof text, "%.3g %s",
                 small    ? 1e6 * metres
                 : middle ? 1e3 * metres
                          : metres,
                 small    ? "um"
                 : middle ? "mm"
                          : "m");
    }
    fprintf(out, "  %11s", text);
}

static void print_angle(FILE* out, double radians) {
    char text[32] = "-";
    if (isfinite(radians)) {
        snprintf(text, sizeof text, "%.3g deg", radians * 180.0 / 3.14159265358979323846);
    }
    fprintf(out, "  %11s", text);
}

static void print_points(const Run* run, FILE* out) {
    int count = poise_simulation_point_count(run->simulation);
    int width = 5;
    for (int i = 0; i < count; i++) {
        width = width_of(poise_simulation_point(run->simulation, i).name, width);
    }
    fprintf(out, "%-*s  %11s  %11s  %11s  %11s  %11s\n", width, "point", "error now", "rms",
            "maximum", "predicted", "angle now");
    for (int i = 0; i < count; i++) {
        const PointFigures* figures = &run->points[i];
        fprintf(out, "%-*s", width, poise_simulation_point(run->simulation, i).name);
        print_length(out, figures->error);
        print_length(out, figures->rms_error);
        print_length(out, figures->max_error);
        print_length(out, figures->predicted_miss);
        print_angle(out, figures->angle_error);
        fputc('\n', out);
    }
}

static void print_joint_row(FILE* out, const PoiseJointView* joint) {
    if (joint->kind == POISE_NODE_BALL) {
        PoiseVec3 a = joint->rotation;
        PoiseVec3 t = joint->target_rotation;
        PoiseVec3 q = joint->torque;
        fprintf(out, "  (%7.4f %7.4f %7.4f)  (%7.4f %7.4f %7.4f)  (%8.3f %8.3f %8.3f) N m\n", a.x,
                a.y, a.z, t.x, t.y, t.z, q.x, q.y, q.z);
        return;
    }
    bool slider = joint->kind == POISE_NODE_SLIDER;
    fprintf(out, "  %9.5f %-15s  %9.5f %-15s  %9.3f %s\n", joint->angle, slider ? "m" : "rad",
            joint->target, slider ? "m" : "rad", joint->torque.x, slider ? "N" : "N m");
}

void poise__report_table(const Run* run, FILE* out) {
    PoiseSimulationCost cost = poise_simulation_cost(run->simulation);
    int joints = poise_simulation_joint_count(run->simulation);
    int width = 5;
    for (int i = 0; i < joints; i++) {
        width = width_of(poise_simulation_joint(run->simulation, i).name, width);
    }
    fprintf(out, "%s: %.6g s in %ld steps of %.4g s\n\n",
            run->scene->title[0] ? run->scene->title : run->scene->file,
            poise_simulation_time(run->simulation), run->step_count, run->scene->world.step);
    print_points(run, out);
    fprintf(out, "\n%-*s  %-25s  %-25s  %s\n", width, "joint", "angle", "target", "torque");
    for (int i = 0; i < joints; i++) {
        PoiseJointView joint = poise_simulation_joint(run->simulation, i);
        fprintf(out, "%-*s", width, joint.name);
        print_joint_row(out, &joint);
    }
    fprintf(out, "\na step: IK and springs %.1f us, physics %.1f us, %ld allocations\n", cost.ik_us,
            cost.ode_us, cost.allocations);
    fprintf(out, "state %016" PRIx64 "\n", poise_simulation_state_hash(run->simulation));
}

// ---------------------------------------------------------------------------------------- expect

static double point_figure(const PointFigures* figures, const char* field) {
    const struct {
        const char* name;
        double value;
    } all[] = {
        {"error", figures->error},
        {"settled_error", figures->settled_error},
        {"rms_error", figures->rms_error},
        {"max_error", figures->max_error},
        {"predicted_miss", figures->predicted_miss},
        {"angle_error", figures->angle_error},
        {"rms_angle_error", figures->rms_angle_error},
        {"max_angle_error", figures->max_angle_error},
        {"predicted_angle_miss", figures->predicted_angle_miss},
        {"force_error", figures->force_error},
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i].name, field) == 0) {
            return all[i].value;
        }
    }
    return (double)NAN;
}

static double joint_figure(const PoiseJointView* joint, const char* field) {
    bool ball = joint->kind == POISE_NODE_BALL;
    if (strcmp(field, "angle") == 0) {
        return ball ? poise_length(joint->rotation) : joint->angle;
    }
    if (strcmp(field, "target") == 0) {
        return ball ? poise_length(joint->target_rotation) : joint->target;
    }
    return ball ? poise_length(joint->torque) : joint->torque.x;
}

static double cost_figure(const PoiseSimulationCost* cost, const char* field) {
    if (strcmp(field, "ik_us") == 0) {
        return cost->ik_us;
    }
    return strcmp(field, "ode_us") == 0 ? cost->ode_us : (double)cost->allocations;
}

static double find_figure(const Run* run, const PoiseSceneBound* bound) {
    if (strcmp(bound->owner, "cost") == 0) {
        PoiseSimulationCost cost = poise_simulation_cost(run->simulation);
        return cost_figure(&cost, bound->field);
    }
    for (int i = 0; i < poise_simulation_point_count(run->simulation); i++) {
        if (strcmp(poise_simulation_point(run->simulation, i).name, bound->owner) == 0) {
            return point_figure(&run->points[i], bound->field);
        }
    }
    int joint = poise_scene_find_joint(run->scene, bound->owner);
    PoiseJointView view = poise_simulation_joint(run->simulation, joint);
    return joint_figure(&view, bound->field);
}

bool poise__expect_check(const Run* run, FILE* out) {
    bool kept = true;
    for (int i = 0; i < run->scene->bound_count; i++) {
        const PoiseSceneBound* bound = &run->scene->bounds[i];
        double value = find_figure(run, bound);
        if (value <= bound->upper) {
            continue;
        }
        kept = false;
        if (isnan(value)) {
            fprintf(out, "poise: missed: %s.%s has no value, at most %g is expected\n",
                    bound->owner, bound->field, bound->upper);
        } else {
            fprintf(out, "poise: missed: %s.%s is %g, at most %g is expected\n", bound->owner,
                    bound->field, value, bound->upper);
        }
    }
    return kept;
}
