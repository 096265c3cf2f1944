// SPDX-License-Identifier: MIT
// What a run ends with, for programs: one JSON object; and whether the scene's bounds are kept.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poise/hold.h"
#include "poise/stance.h"
#include "run.h"

const char* poise__run_status_word(RunStatus status) {
    switch (status) {
    case RUN_OK:
        return "ok";
    case RUN_MISSED:
        return "missed";
    case RUN_BLOWN_UP:
        return "blew_up";
    case RUN_SHORT_OF_MEMORY:
        return "out_of_memory";
    case RUN_UNWRITTEN:
        return "unwritten";
    case RUN_INTERRUPTED:
        return "interrupted";
    }
    return "?";
}

// ------------------------------------------------------------------------------------------ json

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

static void print_list(FILE* out, const double* numbers, int count) {
    for (int i = 0; i < count; i++) {
        fputs(i == 0 ? "[" : ", ", out);
        print_number(out, numbers[i]);
    }
    fputc(']', out);
}

static void print_vector(FILE* out, const char* separator, const char* name, PoiseVec3 v) {
    fprintf(out, "%s\"%s\": ", separator, name);
    print_list(out, (const double[]){v.x, v.y, v.z}, 3);
}

static void print_value(FILE* out, const PoiseFigureValue* value) {
    if (value->count == 0) {
        fputs("null", out);
    } else if (value->count == 1) {
        print_number(out, value->numbers[0]);
    } else if (value->count <= 3) {
        print_list(out, value->numbers, value->count);
    } else {
        for (int i = 0; i < 3; i++) {
            fputs(i == 0 ? "[" : ", ", out);
            print_list(out, &value->numbers[3 * i], 3);
        }
        fputc(']', out);
    }
}

// all figures of a point, a joint or the run's cost
static void print_figures(const Run* run, PoiseFigureOwner kind, int owner, const char* separator,
                          FILE* out) {
    const PoiseFigureSource source = {run->simulation, run->points};
    const PoiseFigure* figure = NULL;
    for (int i = 0; (figure = poise_figure_at(i)) != NULL; i++) {
        const bool goal =
            figure->need == POISE_NEEDS_POSITION || figure->need == POISE_NEEDS_ORIENTATION;
        if (figure->owner != kind || (figure->uses & POISE_FIGURE_JSON) == 0 ||
            (goal && !poise_figure_applies(figure, run->simulation, owner))) {
            continue;
        }
        const PoiseFigureValue value = poise_figure_read(figure, &source, owner);
        const char* dot = strchr(figure->name, '.');
        // a goal that has ended is null; no force, no ground: nothing is said of them
        if (value.count > 0 || goal) {
            fprintf(out, "%s\"%s\": ", separator, dot ? dot + 1 : figure->name);
            print_value(out, &value);
            separator = ", ";
        }
    }
}

static bool is_listed(const PoiseNodeId* nodes, int count, PoiseNodeId node) {
    bool listed = false;
    for (int i = 0; i < count; i++) {
        listed = listed || (node.index1 != 0 && nodes[i].index1 == node.index1);
    }
    return listed;
}

// why IK has the point where it is; of a place and an axis the one that is not met
static void print_state(const Run* run, int index, FILE* out) {
    const PoiseTree* tree = poise_simulation_tree(run->simulation);
    PoisePointView view = poise_simulation_point(run->simulation, index);
    PoisePointId point = view.point;
    if (view.aim.index1 != 0 && poise_point_state(tree, point) == POISE_POINT_MET) {
        point = view.aim;
    }
    fprintf(out, "\"state\": \"%s\", \"limited_by\": [",
            poise_point_state_name(poise_point_state(tree, point)));
    int joints = poise_simulation_joint_count(run->simulation);
    PoiseNodeId* nodes = calloc((size_t)joints + 1, sizeof *nodes);
    int count = nodes ? poise_point_limited_by(tree, point, nodes, joints) : 0;
    const char* separator = "";
    for (int i = 0; i < joints; i++) {
        PoiseJointView joint = poise_simulation_joint(run->simulation, i);
        if (is_listed(nodes, count < joints ? count : joints, joint.node)) {
            fputs(separator, out);
            poise__print_string(out, joint.name);
            separator = ", ";
        }
    }
    free(nodes);
    fputc(']', out);
}

// what keeps the point from its goal once all has settled: of a run that came to its end
static void print_hold(const Run* run, int index, FILE* out) {
    const PoisePointView view = poise_simulation_point(run->simulation, index);
    const PoiseForecast* forecast = run->points ? &run->points[index].forecast : NULL;
    const PoiseRig* rig = poise_simulation_rig(run->simulation);
    const double friction = run->scene->world.def.friction;
    fputs(", \"held_by\": ", out);
    poise__print_string(
        out, poise_point_hold_name(poise_rig_point_hold(rig, view.point, forecast, friction)));
    if (view.presses && forecast) {
        print_member(out, ", ", "friction_band",
                     poise_forecast_friction_band(forecast, view.force, friction));
    }
}

// what the ground is asked for, and whether it can give it; of the first base that stands
static void print_support(const Run* run, FILE* out) {
    PoiseSupport support;
    PoiseRig* rig = poise_simulation_rig(run->simulation);
    if (poise_rig_read_support(rig, poise_null_node(), &support) < 0) {
        return;
    }
    fputs("  \"support\": {\"verdict\": ", out);
    poise__print_string(out, poise_support_verdict_name(support.verdict));
    print_vector(out, ", ", "force", support.force);
    print_vector(out, ", ", "missing_force", support.missing_force);
    print_vector(out, ", ", "missing_moment", support.missing_moment);
    print_member(out, ", ", "friction", support.friction);
    print_member(out, ", ", "part", support.part);
    fputs("},\n", out);
}

void poise__report_json(const Run* run, FILE* out) {
    fputs("{\n  \"scene\": ", out);
    poise__print_string(out, run->scene->file);
    print_member(out, ",\n  ", "seconds", poise_simulation_time(run->simulation));
    fprintf(out, ",\n  \"steps\": %ld,\n  \"status\": \"%s\",\n  \"points\": {", run->step_count,
            poise__run_status_word(run->status));
    for (int i = 0; i < poise_simulation_point_count(run->simulation); i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", out);
        poise__print_string(out, poise_simulation_point(run->simulation, i).name);
        fputs(": {", out);
        print_state(run, i, out);
        print_hold(run, i, out);
        print_figures(run, POISE_FIGURE_OF_POINT, i, ", ", out);
        fputc('}', out);
    }
    fputs("\n  },\n  \"joints\": {", out);
    for (int i = 0; i < poise_simulation_joint_count(run->simulation); i++) {
        fputs(i > 0 ? ",\n    " : "\n    ", out);
        poise__print_string(out, poise_simulation_joint(run->simulation, i).name);
        fputs(": {", out);
        print_figures(run, POISE_FIGURE_OF_JOINT, i, "", out);
        PoiseJointReading reading;
        const PoiseNodeId node = poise_simulation_joint(run->simulation, i).node;
        if (poise_rig_read_joint(poise_simulation_rig(run->simulation), node, &reading) >= 0 &&
            reading.at_limit) {
            fputs(", \"at_limit\": true", out);
        }
        fputc('}', out);
    }
    fputs("\n  },\n", out);
    print_support(run, out);
    fputs("  \"cost\": {", out);
    print_figures(run, POISE_FIGURE_OF_RUN, 0, "", out);
    fprintf(out, "},\n  \"state_hash\": \"%016" PRIx64 "\"\n}\n",
            poise_simulation_state_hash(run->simulation));
}

// ---------------------------------------------------------------------------------------- expect

static int find_point(const PoiseSimulation* simulation, const char* name) {
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        if (strcmp(poise_simulation_point(simulation, i).name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static double find_figure(const Run* run, const PoiseSceneBound* bound) {
    const PoiseFigureSource source = {run->simulation, run->points};
    PoiseFigureOwner kind = POISE_FIGURE_OF_RUN;
    int owner = find_point(run->simulation, bound->owner);
    char name[80];
    snprintf(name, sizeof name, "%s", bound->field);
    if (strcmp(bound->owner, "cost") == 0) {
        snprintf(name, sizeof name, "cost.%.60s", bound->field);
    } else if (owner >= 0) {
        kind = POISE_FIGURE_OF_POINT;
    } else {
        kind = POISE_FIGURE_OF_JOINT;
        owner = poise_scene_find_joint(run->scene, bound->owner);
    }
    const PoiseFigure* figure = poise_figure_find(kind, POISE_FIGURE_EXPECT, name);
    return figure ? poise_figure_number(figure, &source, owner) : (double)NAN;
}

bool poise__expect_check(const Run* run, FILE* out) {
    bool kept = true;
    // what a scene expects is measured over all of it
    if (run->options->seconds > 0.0 && run->options->seconds < run->scene->seconds) {
        fprintf(out, "poise: --expect: the bounds are for the scene's %g s, these are %g s\n",
                run->scene->seconds, run->options->seconds);
    }
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
