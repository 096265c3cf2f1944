// SPDX-License-Identifier: MIT
// Prints a run's report for programs: one JSON object.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include "poise/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "poise/stance.h"

void poise_json_string(FILE* out, const char* text) {
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

// Prints all figures of a point, a joint or the run's cost.
static void print_figures(const PoiseReport* report, PoiseFigureOwner kind, int owner,
                          const char* separator, FILE* out) {
    const PoiseFigureSource source = {report->simulation, report->points};
    const PoiseFigure* figure = NULL;
    for (int i = 0; (figure = poise_figure_at(i)) != NULL; i++) {
        const bool goal =
            figure->need == POISE_NEEDS_POSITION || figure->need == POISE_NEEDS_ORIENTATION;
        if (figure->owner != kind || (figure->uses & POISE_FIGURE_JSON) == 0 ||
            (goal && !poise_figure_applies(figure, report->simulation, owner))) {
            continue;
        }
        const PoiseFigureValue value = poise_figure_read(figure, &source, owner);
        const char* dot = strchr(figure->name, '.');
        // An error of a goal that has ended is printed as null. Other figures without a value are
        // omitted.
        if (value.count > 0 || goal) {
            fprintf(out, "%s\"%s\": ", separator, dot ? dot + 1 : figure->name);
            print_value(out, &value);
            separator = ", ";
        }
    }
}

// Prints the names of the joints in the point's reading that hold the point back.
static void print_joint_names(const PoiseReport* report, const PoisePointReading* reading,
                              FILE* out) {
    const PoiseNodeNames names = poise_simulation_node_names(report->simulation);
    const char* separator = "";
    fputs(", \"joints\": [", out);
    for (int i = 0; i < reading->joint_count && i < POISE_READING_JOINTS; i++) {
        const char* name = names.name_of(names.user, reading->joints[i]);
        fputs(separator, out);
        poise_json_string(out, name ? name : "");
        separator = ", ";
    }
    fputc(']', out);
}

// Prints what keeps the point from its goal. A pair that holds it is named in place of the cause.
static void print_why(const PoiseReport* report, int index, FILE* out) {
    const PoisePointView view = poise_simulation_point(report->simulation, index);
    const PoiseRigReport* rig = poise_simulation_report(report->simulation);
    const PoiseNodeNames names = poise_simulation_node_names(report->simulation);
    char text[POISE_WHY_TEXT];
    const char* why = poise_point_why_text(&view.reading, &names, text, sizeof text);
    fputs("\"held_by\": ", out);
    poise_json_string(out, view.reading.why == POISE_WHY_APART
                               ? why + strlen("held by ")
                               : poise_point_why_name(view.reading.why));
    print_joint_names(report, &view.reading, out);
    if (view.presses) {
        fprintf(out, ", \"touches\": %s", view.reading.touches ? "true" : "false");
    }
    fputs(", \"why\": ", out);
    poise_json_string(out, why);
    if (view.reading.why == POISE_WHY_UNREACHABLE) {
        print_member(out, ", ", "nearest", rig->nearest);
    }
}

static void print_doubt(const char* name, const char* doubt, FILE* out) {
    fprintf(out, ", \"%s\": ", name);
    if (doubt[0]) {
        poise_json_string(out, doubt);
    } else {
        fputs("null", out);
    }
}

// Prints the forecast. Only a run that reached its end has one.
static void print_forecast(const PoiseReport* report, int index, FILE* out) {
    const PoisePointView view = poise_simulation_point(report->simulation, index);
    const PoiseForecast* forecast = report->points ? &report->points[index].forecast : NULL;
    const double friction = poise_simulation_scene(report->simulation)->world.def.friction;
    fputs(", \"forecast\": ", out);
    poise_json_string(out, forecast ? poise_forecast_end_name(forecast->end) : "no copy");
    print_doubt("in_doubt", forecast ? forecast->why : "", out);
    if (view.presses && forecast) {
        print_member(out, ", ", "friction_band",
                     poise_forecast_friction_band(forecast, view.force, friction));
        print_doubt("friction_in_doubt", report->points[index].with_friction.why, out);
    }
}

// Prints the support that the first standing base needs from the ground, and if the ground can give
// it.
static void print_support(const PoiseReport* report, const char* separator, FILE* out) {
    PoiseSupport support;
    PoiseRig* rig = poise_simulation_rig(report->simulation);
    if (poise_rig_stance_count(rig) == 0 ||
        poise_rig_read_support(rig, poise_null_node(), &support) < 0) {
        return;
    }
    fputs("\"support\": {\"verdict\": ", out);
    poise_json_string(out, poise_support_verdict_name(support.verdict));
    print_vector(out, ", ", "force", support.force);
    print_vector(out, ", ", "missing_force", support.missing_force);
    print_vector(out, ", ", "missing_moment", support.missing_moment);
    print_member(out, ", ", "friction", support.friction);
    print_member(out, ", ", "part", support.part);
    fprintf(out, "},%s", separator);
}

static void print_points(const PoiseReport* report, const char* separator, FILE* out) {
    fputs("\"points\": {", out);
    for (int i = 0; i < poise_simulation_point_count(report->simulation); i++) {
        fputs(i > 0 ? "," : "", out);
        fputs(separator, out);
        poise_json_string(out, poise_simulation_point(report->simulation, i).name);
        fputs(": {", out);
        print_why(report, i, out);
        print_forecast(report, i, out);
        print_figures(report, POISE_FIGURE_OF_POINT, i, ", ", out);
        fputc('}', out);
    }
}

static void print_joints(const PoiseReport* report, const char* separator, FILE* out) {
    fputs("\"joints\": {", out);
    for (int i = 0; i < poise_simulation_joint_count(report->simulation); i++) {
        fputs(i > 0 ? "," : "", out);
        fputs(separator, out);
        poise_json_string(out, poise_simulation_joint(report->simulation, i).name);
        fputs(": {", out);
        print_figures(report, POISE_FIGURE_OF_JOINT, i, "", out);
        PoiseJointReading reading;
        const PoiseNodeId node = poise_simulation_joint(report->simulation, i).node;
        if (poise_rig_read_joint(poise_simulation_rig(report->simulation), node, &reading) >= 0 &&
            reading.at_limit) {
            fputs(", \"at_limit\": true", out);
        }
        fputc('}', out);
    }
}

// Prints "world.step=0.005" as "world.step": "0.005".
static void print_set(const PoiseReport* report, FILE* out) {
    fputs("\"set\": {", out);
    const char* separator = "";
    for (int i = 0; i < report->set_count; i++) {
        const char* equals = strchr(report->set[i], '=');
        char key[200];
        const int length = equals ? (int)(equals - report->set[i]) : 0;
        if (length > 0 && length < (int)sizeof key) {
            snprintf(key, sizeof key, "%.*s", length, report->set[i]);
            fputs(separator, out);
            poise_json_string(out, key);
            fputs(": ", out);
            poise_json_string(out, equals + 1);
            separator = ", ";
        }
    }
    fputc('}', out);
}

// Prints the unit of each figure of the object, by its owner; a slider's too if it differs.
static void print_units(const char* separator, FILE* out) {
    static const char* const owners[] = {"cost", "points", "joints"};
    fprintf(out, "\"units\": {\"seconds\": \"s\"");
    for (int kind = 0; kind <= POISE_FIGURE_OF_JOINT; kind++) {
        fprintf(out, ", \"%s\": {", owners[kind]);
        const char* comma = "";
        const PoiseFigure* figure = NULL;
        for (int i = 0; (figure = poise_figure_at(i)) != NULL; i++) {
            if ((int)figure->owner != kind || (figure->uses & POISE_FIGURE_JSON) == 0) {
                continue;
            }
            const char* dot = strchr(figure->name, '.');
            fprintf(out, "%s\"%s\": \"%s\"", comma, dot ? dot + 1 : figure->name, figure->unit);
            if (figure->slider_unit) {
                fprintf(out, ", \"slider.%s\": \"%s\"", figure->name, figure->slider_unit);
            }
            comma = ", ";
        }
        fputc('}', out);
    }
    fprintf(out, "},%s", separator);
}

void poise_report_json(const PoiseReport* report, FILE* out) {
    if (!report || !report->simulation || !out) {
        return;
    }
    const PoiseSimulation* simulation = report->simulation;
    const char* member = report->line ? " " : "\n  ";
    const char* owner = report->line ? " " : "\n    ";
    const PoiseVersion version = poise_version();
    fprintf(out, "{%s\"version\": %d,%s\"poise\": \"%d.%d.%d\",%s\"scene\": ", member,
            POISE_REPORT_VERSION, member, version.major, version.minor, version.patch, member);
    poise_json_string(out, poise_simulation_scene(simulation)->file);
    fprintf(out, ",%s", member);
    print_set(report, out);
    fprintf(out, ",%s", member);
    if (report->units) {
        print_units(member, out);
    }
    print_member(out, "", "seconds", poise_simulation_time(simulation));
    fprintf(out, ",%s\"steps\": %ld,%s\"status\": \"%s\",%s", member,
            poise_simulation_step_count(simulation), member, report->status ? report->status : "ok",
            member);
    print_points(report, owner, out);
    fprintf(out, "%s},%s", member, member);
    print_joints(report, owner, out);
    fprintf(out, "%s},%s", member, member);
    print_support(report, member, out);
    fputs("\"cost\": {", out);
    print_figures(report, POISE_FIGURE_OF_RUN, 0, "", out);
    fprintf(out, "},%s\"state_hash\": \"%016" PRIx64 "\"%s}\n", member,
            poise_simulation_state_hash(simulation), report->line ? " " : "\n");
}

size_t poise_report_text(const PoiseReport* report, char* text, size_t capacity) {
    char* whole = NULL;
    size_t size = 0;
    FILE* out = open_memstream(&whole, &size);
    if (!out) {
        return 0;
    }
    poise_report_json(report, out);
    const bool fine = !ferror(out);
    if (fclose(out) != 0 || !fine) {
        size = 0;
    }
    if (text && capacity > 0) {
        snprintf(text, capacity, "%s", size > 0 ? whole : "");
    }
    free(whole);
    return size;
}
