// SPDX-License-Identifier: MIT
// Chains and targets from tables.
#include "chain_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "poise/rotation.h"

// ------------------------------------------------------------------------------------------ chains

enum { PLACE = 3, CHAIN_NUMBERS = 11, AXIS_AT = 6, LOWER_AT = 9, UPPER_AT = 10 };

static const char* const chain_columns[CHAIN_NUMBERS] = {"px", "py", "pz", "roll",  "pitch", "yaw",
                                                         "ax", "ay", "az", "lower", "upper"};

/// A type of joint, and what its row must say.
typedef struct JointType {
    const char* name;
    PoiseNodeDef (*def)(void); ///< NULL: it does not move
    bool has_axis;
    bool has_range;
} JointType;

static const JointType joint_types[] = {
    {"revolute", poise_default_hinge_def, true, true},
    {"continuous", poise_default_hinge_def, true, false},
    {"prismatic", poise_default_slider_def, true, true},
    {"ball", poise_default_ball_def, false, false},
    {"fixed", NULL, false, false},
};

enum { TYPE_COUNT = (int)(sizeof joint_types / sizeof joint_types[0]) };

static const JointType* read_type(Sheet* sheet, int column) {
    for (int i = 0; i < TYPE_COUNT; i++) {
        if (poise__sheet_is(sheet, column, joint_types[i].name)) {
            return &joint_types[i];
        }
    }
    char written[32];
    const SheetCell* cell = &sheet->cells[column];
    snprintf(written, sizeof written, "%.*s", cell->length, cell->text);
    Suggestion suggestion = poise__suggestion(written);
    for (int i = 0; i < TYPE_COUNT; i++) {
        poise__suggestion_offer_word(&suggestion, joint_types[i].name);
    }
    char guess[80];
    poise__sheet_error(sheet, column,
                       "type: revolute, continuous, prismatic, ball or fixed is due, not '%s'%s",
                       written, poise__suggestion_text(&suggestion, guess, sizeof guess));
    return NULL;
}

static PoisePose origin_of(const double n[CHAIN_NUMBERS]) {
    const double* turn = n + PLACE;
    const PoiseQuat q = poise_quat_from_rpy(poise_vec3(turn[0], turn[1], turn[2]));
    return poise_pose(poise_vec3(n[0], n[1], n[2]), q);
}

// the joint of the row, at the end of the chain
static void add_joint(ChainFile* file, Sheet* sheet, const JointType* type,
                      const double n[CHAIN_NUMBERS], const int columns[CHAIN_NUMBERS]) {
    const PoiseVec3 axis = poise_vec3(n[AXIS_AT], n[AXIS_AT + 1], n[AXIS_AT + 2]);
    file->in_link = poise_pose_mul(file->in_link, origin_of(n));
    if (!type->def) {
        return;
    }
    PoiseNodeDef def = type->def();
    def.parent = file->tip;
    def.joint_in_parent = file->in_link;
    if (type->has_axis && !(poise_length(axis) > 0.0)) {
        poise__sheet_error(sheet, columns[AXIS_AT], "the axis is 0");
        return;
    }
    def.axis = type->has_axis ? axis : def.axis;
    if (type->has_range) {
        def.lower = n[LOWER_AT];
        def.upper = n[UPPER_AT];
        def.angle = fmin(fmax(0.0, def.lower), def.upper);
        if (!(def.lower <= def.upper)) {
            poise__sheet_error(sheet, columns[LOWER_AT], "lower %g is above upper %g", def.lower,
                               def.upper);
            return;
        }
    }
    file->tip = poise_node_create(file->tree, &def);
    file->in_link = poise_pose_identity();
    if (poise_tree_status(file->tree) != POISE_OK) {
        poise__sheet_error(sheet, -1, "%s", poise_tree_message(file->tree));
        poise_tree_clear_status(file->tree);
    }
}

static void read_joints(ChainFile* file, Sheet* sheet) {
    int columns[CHAIN_NUMBERS];
    (void)poise__sheet_need_column(sheet, "name");
    const int type_column = poise__sheet_need_column(sheet, "type");
    for (int i = 0; i < CHAIN_NUMBERS; i++) {
        columns[i] = poise__sheet_need_column(sheet, chain_columns[i]);
    }
    while (type_column >= 0 && poise__sheet_next(sheet)) {
        double n[CHAIN_NUMBERS] = {0.0};
        const int before = sheet->errors;
        const JointType* type = read_type(sheet, type_column);
        for (int i = 0; type && i < CHAIN_NUMBERS; i++) {
            const bool due = (i < AXIS_AT || type->has_axis) && (i < LOWER_AT || type->has_range);
            if (due && columns[i] >= 0) {
                n[i] = poise__sheet_number(sheet, columns[i], i >= LOWER_AT);
            }
        }
        if (type && sheet->errors == before) {
            add_joint(file, sheet, type, n, columns);
        }
    }
}

bool poise__chain_file_read(ChainFile* file, const char* path, PoiseDiagnostics* diagnostics) {
    const PoiseTreeDef def = poise_default_tree_def();
    Sheet sheet;
    file->tip = poise_null_node();
    file->in_link = poise_pose_identity();
    file->tree = poise_tree_create(&def);
    bool fine = poise__sheet_open(&sheet, path, diagnostics);
    if (fine && file->tree) {
        read_joints(file, &sheet);
        if (sheet.errors == 0 && file->tip.index1 == 0) {
            poise__sheet_error(&sheet, -1, "no joint of the chain moves");
        }
    }
    fine = fine && file->tree && sheet.errors == 0;
    poise__sheet_close(&sheet);
    return fine;
}

void poise__chain_file_finish(ChainFile* file) {
    poise_tree_destroy(file->tree);
    file->tree = NULL;
}

// ----------------------------------------------------------------------------------------- targets

enum { TURN = 4, START_COLUMNS = SHEET_COLUMNS };

static const char* const place_columns[PLACE] = {"px", "py", "pz"};
static const char* const turn_columns[TURN] = {"qw", "qx", "qy", "qz"};
static const char* const angle_columns[PLACE] = {"roll", "pitch", "yaw"};

/// Where in a row things are.
typedef struct TargetColumns {
    int id;
    int place[PLACE];
    int turn[TURN];
    bool by_angles; ///< roll, pitch, yaw instead
    int angles[PLACE];
    int starts[START_COLUMNS];
    int start_count;
} TargetColumns;

// a rotation is a quaternion or three angles
static void find_rotation(TargetFile* file, TargetColumns* columns) {
    Sheet* sheet = &file->sheet;
    bool by_quaternion = false;
    for (int i = 0; i < TURN; i++) {
        by_quaternion = by_quaternion || poise__sheet_column(sheet, turn_columns[i]) >= 0;
    }
    for (int i = 0; i < PLACE; i++) {
        columns->by_angles =
            columns->by_angles || poise__sheet_column(sheet, angle_columns[i]) >= 0;
    }
    if (by_quaternion && columns->by_angles) {
        poise__sheet_error(sheet, -1, "a rotation is qw,qx,qy,qz or roll,pitch,yaw, not both");
        return;
    }
    file->turned = by_quaternion || columns->by_angles;
    for (int i = 0; i < TURN; i++) {
        columns->turn[i] = by_quaternion ? poise__sheet_need_column(sheet, turn_columns[i]) : -1;
    }
    for (int i = 0; i < PLACE; i++) {
        columns->angles[i] =
            columns->by_angles ? poise__sheet_need_column(sheet, angle_columns[i]) : -1;
    }
}

static void find_columns(TargetFile* file, int posture_size, TargetColumns* columns) {
    Sheet* sheet = &file->sheet;
    memset(columns, 0, sizeof *columns);
    columns->id = poise__sheet_column(sheet, "id");
    columns->id = columns->id < 0 ? poise__sheet_column(sheet, "step") : columns->id;
    for (int i = 0; i < PLACE; i++) {
        columns->place[i] = poise__sheet_need_column(sheet, place_columns[i]);
    }
    find_rotation(file, columns);
    for (int i = 0; i < START_COLUMNS; i++) {
        char name[24];
        snprintf(name, sizeof name, "qstart%d", i + 1);
        columns->starts[i] = poise__sheet_column(sheet, name);
        if (columns->starts[i] < 0) {
            break;
        }
        columns->start_count++;
    }
    if (columns->start_count != 0 && columns->start_count != posture_size) {
        poise__sheet_error(sheet, -1, "the head has %d columns qstart1.., a posture has %d numbers",
                           columns->start_count, posture_size);
    }
}

static PoiseQuat read_angles(Sheet* sheet, const TargetColumns* columns, double unit) {
    double n[PLACE];
    for (int i = 0; i < PLACE; i++) {
        n[i] = unit * poise__sheet_number(sheet, columns->angles[i], false);
    }
    return poise_quat_from_rpy(poise_vec3(n[0], n[1], n[2]));
}

static PoiseQuat read_quaternion(Sheet* sheet, const TargetColumns* columns) {
    double n[TURN];
    const int before = sheet->errors;
    for (int i = 0; i < TURN; i++) {
        n[i] = poise__sheet_number(sheet, columns->turn[i], false);
    }
    const PoiseQuat q = poise_quat(n[0], n[1], n[2], n[3]);
    if (sheet->errors == before && q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0) {
        poise__sheet_error(sheet, columns->turn[0], "the quaternion is 0");
    }
    return q;
}

static void read_target(TargetFile* file, const TargetColumns* columns, const TargetUnits* units) {
    Sheet* sheet = &file->sheet;
    const int t = file->count;
    double n[PLACE];
    for (int i = 0; i < PLACE; i++) {
        n[i] = poise__sheet_number(sheet, columns->place[i], false);
    }
    PoiseQuat q = poise_quat_identity();
    if (file->turned) {
        q = columns->by_angles ? read_angles(sheet, columns, units->angle)
                               : read_quaternion(sheet, columns);
    }
    for (int i = 0; i < columns->start_count; i++) {
        const double unit = units->numbers ? units->numbers[i] : 1.0;
        file->starts[t * columns->start_count + i] =
            unit * poise__sheet_number(sheet, columns->starts[i], false);
    }
    if (columns->id >= 0) {
        file->ids[t] = sheet->cells[columns->id];
    }
    file->lines[t] = sheet->line;
    file->poses[t] = poise_pose(poise_vec3(n[0], n[1], n[2]), poise_quat_normalize(q));
    file->count++;
}

static bool make_room(TargetFile* file, const TargetColumns* columns) {
    const size_t most = (size_t)poise__sheet_lines_left(&file->sheet);
    const size_t numbers = most * (size_t)columns->start_count;
    file->poses = calloc(most, sizeof *file->poses);
    file->lines = calloc(most, sizeof *file->lines);
    file->ids = columns->id >= 0 ? calloc(most, sizeof *file->ids) : NULL;
    file->starts = numbers > 0 ? calloc(numbers, sizeof *file->starts) : NULL;
    const bool fine = file->poses && file->lines && (columns->id < 0 || file->ids) &&
                      (numbers == 0 || file->starts);
    if (!fine) {
        poise__sheet_error(&file->sheet, -1, "memory is short for the targets");
    }
    return fine;
}

bool poise__target_file_read(TargetFile* file, const char* path, const TargetUnits* units,
                             PoiseDiagnostics* diagnostics) {
    TargetColumns columns;
    memset(file, 0, sizeof *file);
    if (!poise__sheet_open(&file->sheet, path, diagnostics)) {
        return false;
    }
    find_columns(file, units->posture_size, &columns);
    if (file->sheet.errors != 0 || !make_room(file, &columns)) {
        return false;
    }
    while (poise__sheet_next(&file->sheet)) {
        read_target(file, &columns, units);
    }
    if (file->count == 0 && file->sheet.errors == 0) {
        poise__sheet_error(&file->sheet, -1, "there is no target below the head");
    }
    return file->sheet.errors == 0;
}

void poise__target_file_finish(TargetFile* file) {
    poise__sheet_close(&file->sheet);
    free(file->ids);
    free(file->lines);
    free(file->poses);
    free(file->starts);
    memset(file, 0, sizeof *file);
}
