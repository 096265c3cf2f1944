// SPDX-License-Identifier: MIT
// What a run ends with, for programs: one JSON object; and whether the scene's bounds are kept.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// m/N: rounding of what gives nowhere
#define NO_COMPLIANCE 1e-30

static void print_compliance(FILE* out, const PointFigures* figures) {
    fputs(", \"compliance\": ", out);
    for (int i = 0; figures->gives && i < 9; i++) {
        fputs(i == 0 ? "[[" : i % 3 == 0 ? "], [" : ", ", out);
        const double c = figures->compliance[i];
        print_number(out, fabs(c) < NO_COMPLIANCE ? 0.0 : c);
    }
    fputs(figures->gives ? "]]" : "null", out);
}

// after the state
static void print_point(FILE* out, const PoiseScenePoint* point, const PointFigures* figures) {
    if (point->position.kind != POISE_GOAL_NONE) {
        print_member(out, ", ", "error", figures->error);
        print_member(out, ", ", "settled_error", figures->settled_error);
        print_member(out, ", ", "rms_error", figures->rms_error);
        print_member(out, ", ", "max_error", figures->max_error);
        print_member(out, ", ", "predicted_miss", figures->predicted_miss);
        print_compliance(out, figures);
    }
    if (point->orientation.kind != POISE_GOAL_NONE) {
        print_member(out, ", ", "angle_error", figures->angle_error);
        print_member(out, ", ", "rms_angle_error", figures->rms_angle_error);
        print_member(out, ", ", "max_angle_error", figures->max_angle_error);
        print_member(out, ", ", "predicted_angle_miss", figures->predicted_angle_miss);
    }
    if (figures->force_counted > 0) {
        print_vector(out, ", ", "force", figures->force);
        print_vector(out, ", ", "force_measured", figures->force_measured);
        print_member(out, ", ", "force_error", figures->force_error);
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
            print_string(out, joint.name);
            separator = ", ";
        }
    }
    free(nodes);
    fputc(']', out);
}

static void print_pair(FILE* out, const char* separator, const char* name, double a, double b) {
    fprintf(out, "%s\"%s\": [", separator, name);
    print_number(out, a);
    fputs(", ", out);
    print_number(out, b);
    fputc(']', out);
}

static void print_joint(FILE* out, const PoiseJointView* joint) {
    if (joint->kind == POISE_NODE_BALL) {
        print_vector(out, "", "angle", joint->rotation);
        print_vector(out, ", ", "target", joint->target_rotation);
        print_vector(out, ", ", "torque", joint->torque);
    } else if (joint->kind == POISE_NODE_UNIVERSAL) {
        print_pair(out, "", "angle", joint->angle, joint->angle2);
        print_pair(out, ", ", "target", joint->target, joint->target2);
        print_pair(out, ", ", "torque", joint->torque.x, joint->torque.y);
    } else {
        print_member(out, "", "angle", joint->angle);
        print_member(out, ", ", "target", joint->target);
        print_member(out, ", ", "torque", joint->torque.x);
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
    print_string(out, poise_support_verdict_name(support.verdict));
    print_vector(out, ", ", "force", support.force);
    print_vector(out, ", ", "missing_force", support.missing_force);
    print_vector(out, ", ", "missing_moment", support.missing_moment);
    print_member(out, ", ", "friction", support.friction);
    print_member(out, ", ", "part", support.part);
    fputs("},\n", out);
}

// what the ground gives at a point that carries
static void print_ground(const Run* run, int index, FILE* out) {
    PoiseVec3 force;
    PoisePointView view = poise_simulation_point(run->simulation, index);
    PoiseRig* rig = poise_simulation_rig(run->simulation);
    if (poise_rig_read_stance(rig, view.point, &force, NULL) == POISE_OK) {
        print_vector(out, ", ", "ground_force", force);
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
        print_state(run, i, out);
        print_point(out, scene_point(run, i), &run->points[i]);
        print_ground(run, i, out);
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
    fputs("\n  },\n", out);
    print_support(run, out);
    fputs("  \"cost\": {", out);
    print_member(out, "", "ik_us", cost.ik_us);
    print_member(out, ", ", "ode_us", cost.ode_us);
    fprintf(out, ", \"allocations\": %ld},\n  \"state_hash\": \"%016" PRIx64 "\"\n}\n",
            cost.allocations, poise_simulation_state_hash(run->simulation));
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
