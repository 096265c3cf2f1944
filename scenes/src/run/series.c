// SPDX-License-Identifier: MIT
// Columns of figures over time, for the CSV and the plot.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const char* const component_names[] = {"x", "y", "z"};

static bool add(SeriesList* list, Series series) {
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : 32;
        Series* items = realloc(list->items, (size_t)capacity * sizeof *items);
        if (!items) {
            return false;
        }
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = series;
    return true;
}

static bool add_one(SeriesList* list, SeriesKind kind, int index, const char* owner,
                    const char* field) {
    Series series = {.kind = kind, .index = index};
    snprintf(series.label, sizeof series.label, "%.100s%s%s", owner, field[0] ? "." : "", field);
    return add(list, series);
}

// owner.field.x and so on; `joint` names them owner.field_x
static bool add_three(SeriesList* list, SeriesKind kind, int index, const char* stem,
                      const char* separator) {
    bool fine = true;
    for (int i = 0; i < 3; i++) {
        Series series = {.kind = kind, .index = index, .component = i};
        snprintf(series.label, sizeof series.label, "%.120s%s%s", stem, separator,
                 component_names[i]);
        fine = fine && add(list, series);
    }
    return fine;
}

static bool add_place(SeriesList* list, int index, const char* name) {
    return add_three(list, SERIES_PLACE, index, name, ".");
}

static bool add_goal(SeriesList* list, int index, const char* name) {
    char stem[130];
    snprintf(stem, sizeof stem, "%.100s.goal", name);
    return add_three(list, SERIES_GOAL, index, stem, "_");
}

static bool add_joint(SeriesList* list, SeriesKind kind, int index, const PoiseJointView* joint,
                      const char* field) {
    char stem[130];
    if (joint->kind == POISE_NODE_UNIVERSAL) {
        snprintf(stem, sizeof stem, "%.30s2", field);
        bool added = add_one(list, kind, index, joint->name, field) &&
                     add_one(list, kind, index, joint->name, stem);
        if (added) {
            list->items[list->count - 1].component = 1;
        }
        return added;
    }
    if (joint->kind != POISE_NODE_BALL) {
        return add_one(list, kind, index, joint->name, field);
    }
    snprintf(stem, sizeof stem, "%.100s.%s", joint->name, field);
    return add_three(list, kind, index, stem, ".");
}

// a point that wanted an orientation or a position at the start keeps its columns
static bool has_position(const PoiseSimulation* simulation, int index) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    int point = poise_scene_find_point(scene, poise_simulation_point(simulation, index).name);
    return point >= 0 && scene->points[point].position.kind != POISE_GOAL_NONE;
}

static bool has_orientation(const PoiseSimulation* simulation, int index) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    int point = poise_scene_find_point(scene, poise_simulation_point(simulation, index).name);
    return point >= 0 && scene->points[point].orientation.kind != POISE_GOAL_NONE;
}

static bool add_point(const PoiseSimulation* simulation, SeriesList* list, int index) {
    const char* name = poise_simulation_point(simulation, index).name;
    bool placed = has_position(simulation, index);
    bool fine = true;
    if (placed) {
        fine = add_one(list, SERIES_ERROR, index, name, "error");
    }
    if (has_orientation(simulation, index)) {
        fine = fine && add_one(list, SERIES_ANGLE_ERROR, index, name, "angle_error");
    }
    fine = fine && add_place(list, index, name);
    return fine && (!placed || add_goal(list, index, name));
}

bool poise__series_for_csv(const PoiseSimulation* simulation, SeriesList* list) {
    bool fine = add_one(list, SERIES_TIME, 0, "time", "");
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        fine = fine && add_point(simulation, list, i);
    }
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        PoiseJointView joint = poise_simulation_joint(simulation, i);
        fine = fine && add_joint(list, SERIES_JOINT_ANGLE, i, &joint, "angle") &&
               add_joint(list, SERIES_JOINT_TORQUE, i, &joint, "torque");
    }
    return fine;
}

static int find_point(const PoiseSimulation* simulation, const char* name) {
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        if (strcmp(poise_simulation_point(simulation, i).name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static bool add_record(const PoiseSimulation* simulation, SeriesList* list,
                       const PoiseSceneRecord* record) {
    int point = find_point(simulation, record->owner);
    int joint = poise_scene_find_joint(poise_simulation_scene(simulation), record->owner);
    if (point >= 0) {
        // errors, places and goals of points are in the plot already
        return true;
    }
    if (joint < 0) {
        return true;
    }
    PoiseJointView view = poise_simulation_joint(simulation, joint);
    SeriesKind kind = strcmp(record->field, "angle") == 0    ? SERIES_JOINT_ANGLE
                      : strcmp(record->field, "target") == 0 ? SERIES_JOINT_TARGET
                                                             : SERIES_JOINT_TORQUE;
    return add_joint(list, kind, joint, &view, record->field);
}

bool poise__series_for_plot(const PoiseSimulation* simulation, SeriesList* list) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    bool fine = add_one(list, SERIES_TIME, 0, "time", "");
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        fine = fine && add_point(simulation, list, i);
    }
    for (int i = 0; i < scene->record_count; i++) {
        fine = fine && add_record(simulation, list, &scene->records[i]);
    }
    return fine;
}

void poise__series_free(SeriesList* list) {
    free(list->items);
    list->items = NULL;
    list->count = 0;
    list->capacity = 0;
}

static double component(PoiseVec3 v, int index) {
    return index == 0 ? v.x : index == 1 ? v.y : v.z;
}

static double point_value(const PoiseSimulation* simulation, const Series* series) {
    PoisePointView point = poise_simulation_point(simulation, series->index);
    const double nothing = (double)NAN;
    switch (series->kind) {
    case SERIES_ERROR:
        return point.has_position ? point.error : nothing;
    case SERIES_ANGLE_ERROR:
        return point.has_orientation ? point.angle_error : nothing;
    case SERIES_PLACE:
        return component(point.pose_world.p, series->component);
    default:
        return point.has_position ? component(point.goal_world.p, series->component) : nothing;
    }
}

static double joint_value(const PoiseSimulation* simulation, const Series* series) {
    PoiseJointView joint = poise_simulation_joint(simulation, series->index);
    bool ball = joint.kind == POISE_NODE_BALL;
    PoiseVec3 angle = ball ? joint.rotation : poise_vec3(joint.angle, joint.angle2, 0.0);
    PoiseVec3 target = ball ? joint.target_rotation : poise_vec3(joint.target, joint.target2, 0.0);
    switch (series->kind) {
    case SERIES_JOINT_ANGLE:
        return component(angle, series->component);
    case SERIES_JOINT_TARGET:
        return component(target, series->component);
    default:
        return component(joint.torque, series->component);
    }
}

double poise__series_value(const PoiseSimulation* simulation, const Series* series) {
    switch (series->kind) {
    case SERIES_TIME:
        return poise_simulation_time(simulation);
    case SERIES_ERROR:
    case SERIES_ANGLE_ERROR:
    case SERIES_PLACE:
    case SERIES_GOAL:
        return point_value(simulation, series);
    case SERIES_JOINT_ANGLE:
    case SERIES_JOINT_TARGET:
    case SERIES_JOINT_TORQUE:
        break;
    }
    return joint_value(simulation, series);
}

// ------------------------------------------------------------------------------------------- csv

static void print_field(FILE* file, const char* text) {
    if (!strpbrk(text, ",\"\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, file);
    }
    fputc('"', file);
}

bool poise__csv_header(FILE* file, const SeriesList* columns) {
    for (int i = 0; i < columns->count; i++) {
        fputs(i > 0 ? "," : "", file);
        print_field(file, columns->items[i].label);
    }
    fputc('\n', file);
    return !ferror(file);
}

bool poise__csv_row(FILE* file, const SeriesList* columns, const PoiseSimulation* simulation) {
    for (int i = 0; i < columns->count; i++) {
        double value = poise__series_value(simulation, &columns->items[i]);
        fputs(i > 0 ? "," : "", file);
        // what is not there is an empty cell
        if (isfinite(value)) {
            fprintf(file, "%.10g", value);
        }
    }
    fputc('\n', file);
    return !ferror(file);
}
