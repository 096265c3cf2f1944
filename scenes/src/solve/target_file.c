// SPDX-License-Identifier: MIT
// Reads the targets of `poise solve` from a table.
#include "target_file.h"

#include <stdlib.h>
#include <string.h>

#include "poise/rotation.h"

enum { PLACE = 3, TURN = 4, START_COLUMNS = SHEET_COLUMNS, NAME_LENGTH = 200 };

static const char* const place_columns[PLACE] = {"px", "py", "pz"};
static const char* const turn_columns[TURN] = {"qw", "qx", "qy", "qz"};
static const char* const angle_columns[PLACE] = {"roll", "pitch", "yaw"};

/// The columns of the table that have a tip's target.
typedef struct TipColumns {
    int place[PLACE];
    int turn[TURN];
    bool by_angles; ///< True for roll, pitch, yaw; false for a quaternion
    int angles[PLACE];
    bool turned;
} TipColumns;

/// The columns of the table that a row of targets uses.
typedef struct TargetColumns {
    int id;
    TipColumns* tips;
    int tip_count;
    int starts[START_COLUMNS];
    int start_count;
} TargetColumns;

// Returns the name of a tip's column: "TIP.px"; "px" if there is no tip.
static const char* column_of(const char* tip, const char* column, char* text) {
    snprintf(text, NAME_LENGTH, "%s%s%s", tip ? tip : "", tip ? "." : "", column);
    return text;
}

static int find(const Sheet* sheet, const char* tip, const char* column) {
    char text[NAME_LENGTH];
    return poise__sheet_column(sheet, column_of(tip, column, text));
}

static int need(Sheet* sheet, const char* tip, const char* column) {
    char text[NAME_LENGTH];
    return poise__sheet_need_column(sheet, column_of(tip, column, text));
}

// Finds the columns of a rotation: a quaternion or three angles.
static void find_rotation(Sheet* sheet, const char* tip, TipColumns* columns) {
    bool by_quaternion = false;
    for (int i = 0; i < TURN; i++) {
        by_quaternion = by_quaternion || find(sheet, tip, turn_columns[i]) >= 0;
    }
    for (int i = 0; i < PLACE; i++) {
        columns->by_angles = columns->by_angles || find(sheet, tip, angle_columns[i]) >= 0;
    }
    if (by_quaternion && columns->by_angles) {
        poise__sheet_error(sheet, -1, "a rotation is qw,qx,qy,qz or roll,pitch,yaw, not both");
        return;
    }
    columns->turned = by_quaternion || columns->by_angles;
    for (int i = 0; i < TURN; i++) {
        columns->turn[i] = by_quaternion ? need(sheet, tip, turn_columns[i]) : -1;
    }
    for (int i = 0; i < PLACE; i++) {
        columns->angles[i] = columns->by_angles ? need(sheet, tip, angle_columns[i]) : -1;
    }
}

static void find_tips(TargetFile* file, const TargetUnits* units, TargetColumns* columns) {
    Sheet* sheet = &file->sheet;
    for (int t = 0; t < columns->tip_count; t++) {
        const char* tip = units->tips ? units->tips[t] : NULL;
        for (int i = 0; i < PLACE; i++) {
            columns->tips[t].place[i] = need(sheet, tip, place_columns[i]);
        }
        find_rotation(sheet, tip, &columns->tips[t]);
        if (t > 0 && columns->tips[t].turned != columns->tips[0].turned) {
            poise__sheet_error(sheet, -1, "all tips have rotations, or none: '%.60s' differs", tip);
        }
    }
    file->turned = columns->tips[0].turned;
}

static void find_columns(TargetFile* file, const TargetUnits* units, TargetColumns* columns) {
    Sheet* sheet = &file->sheet;
    columns->id = poise__sheet_column(sheet, "id");
    columns->id = columns->id < 0 ? poise__sheet_column(sheet, "step") : columns->id;
    find_tips(file, units, columns);
    for (int i = 0; i < START_COLUMNS; i++) {
        char name[24];
        snprintf(name, sizeof name, "qstart%d", i + 1);
        columns->starts[i] = poise__sheet_column(sheet, name);
        if (columns->starts[i] < 0) {
            break;
        }
        columns->start_count++;
    }
    if (columns->start_count != 0 && columns->start_count != units->posture_size) {
        poise__sheet_error(sheet, -1, "the head has %d columns qstart1.., a posture has %d numbers",
                           columns->start_count, units->posture_size);
    }
}

static PoiseQuat read_angles(Sheet* sheet, const TipColumns* columns, double unit) {
    double n[PLACE];
    for (int i = 0; i < PLACE; i++) {
        n[i] = unit * poise__sheet_number(sheet, columns->angles[i], false);
    }
    return poise_quat_from_rpy(poise_vec3(n[0], n[1], n[2]));
}

static PoiseQuat read_quaternion(Sheet* sheet, const TipColumns* columns) {
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

static PoisePose read_pose(Sheet* sheet, const TipColumns* columns, const TargetUnits* units) {
    double n[PLACE];
    for (int i = 0; i < PLACE; i++) {
        n[i] = poise__sheet_number(sheet, columns->place[i], false);
    }
    PoiseQuat q = poise_quat_identity();
    if (columns->turned) {
        q = columns->by_angles ? read_angles(sheet, columns, units->angle)
                               : read_quaternion(sheet, columns);
    }
    return poise_pose(poise_vec3(n[0], n[1], n[2]), poise_quat_normalize(q));
}

static void read_row(TargetFile* file, const TargetColumns* columns, const TargetUnits* units) {
    Sheet* sheet = &file->sheet;
    const int row = file->count;
    for (int t = 0; t < columns->tip_count; t++) {
        file->poses[(size_t)row * (size_t)columns->tip_count + (size_t)t] =
            read_pose(sheet, &columns->tips[t], units);
    }
    for (int i = 0; i < columns->start_count; i++) {
        const double unit = units->numbers ? units->numbers[i] : 1.0;
        file->starts[(size_t)row * (size_t)columns->start_count + (size_t)i] =
            unit * poise__sheet_number(sheet, columns->starts[i], false);
    }
    if (columns->id >= 0) {
        file->ids[row] = sheet->cells[columns->id];
    }
    file->lines[row] = sheet->line;
    file->count++;
}

static bool make_room(TargetFile* file, const TargetColumns* columns) {
    const size_t most = (size_t)poise__sheet_lines_left(&file->sheet);
    const size_t numbers = most * (size_t)columns->start_count;
    file->poses = calloc(most * (size_t)columns->tip_count, sizeof *file->poses);
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

static bool read_rows(TargetFile* file, const TargetUnits* units, TargetColumns* columns) {
    find_columns(file, units, columns);
    if (file->sheet.errors != 0 || !make_room(file, columns)) {
        return false;
    }
    while (poise__sheet_next(&file->sheet)) {
        read_row(file, columns, units);
    }
    if (file->count == 0 && file->sheet.errors == 0) {
        poise__sheet_error(&file->sheet, -1, "there is no target below the head");
    }
    return file->sheet.errors == 0;
}

bool poise__target_file_read(TargetFile* file, const char* path, const TargetUnits* units,
                             PoiseDiagnostics* diagnostics) {
    TargetColumns columns;
    memset(file, 0, sizeof *file);
    memset(&columns, 0, sizeof columns);
    if (!poise__sheet_open(&file->sheet, path, diagnostics)) {
        return false;
    }
    columns.tip_count = units->tips ? units->tip_count : 1;
    columns.tips = calloc((size_t)columns.tip_count, sizeof *columns.tips);
    if (!columns.tips) {
        poise__sheet_error(&file->sheet, -1, "memory is short for the targets");
        return false;
    }
    const bool fine = read_rows(file, units, &columns);
    free(columns.tips);
    return fine;
}

void poise__target_file_finish(TargetFile* file) {
    poise__sheet_close(&file->sheet);
    free(file->ids);
    free(file->lines);
    free(file->poses);
    free(file->starts);
    memset(file, 0, sizeof *file);
}
