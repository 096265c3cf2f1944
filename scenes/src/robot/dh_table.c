// SPDX-License-Identifier: MIT
// Reads a Denavit-Hartenberg table: a link and a joint for each row, and the link "tool" at the
// end. The head names the columns; its first cell is the form:
//
//     modified,a,alpha,d,theta          TransX(a) RotX(alpha) TransZ(d) RotZ(theta)
//     classical,d,theta,a,alpha         RotZ(theta) TransZ(d) TransX(a) RotX(alpha)
//
// The cells below the form are the joints' names. Columns of angles (alpha, theta, lower, upper)
// may end in _deg. The columns type (revolute, prismatic), lower, upper, effort and velocity are
// optional.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "csv_read.h"
#include "number.h"
#include "poise/dh.h"
#include "poise/rotation.h"
#include "robot.h"

enum { MAX_DH_ROWS = 1000 };

typedef enum DhColumn {
    DH_A,
    DH_ALPHA,
    DH_D,
    DH_THETA,
    DH_LOWER,
    DH_UPPER,
    DH_EFFORT,
    DH_VELOCITY,
    DH_TYPE,
    DH_NAME,
    DH_COLUMNS
} DhColumn;

static const char* const column_names[DH_COLUMNS] = {
    "a", "alpha", "d", "theta", "lower", "upper", "effort", "velocity", "type", "modified"};

typedef struct DhReader {
    RobotReader* robot;
    Sheet sheet;
    DhColumn columns[SHEET_COLUMNS];
    double units[SHEET_COLUMNS]; ///< unit of each column, rad or m
    bool classical;
} DhReader;

// Returns the column of a name and writes its unit (rad, or m) to `unit`; -1 if missing.
static int column_of(const SheetCell* name, double* unit) {
    const int length = name->length;
    const bool degrees = length > 4 && strncmp(name->text + length - 4, "_deg", 4) == 0;
    *unit = degrees ? PI / 180.0 : 1.0;
    for (int i = 0; i < DH_COLUMNS; i++) {
        const int own = (int)strlen(column_names[i]);
        const bool turns = i == DH_ALPHA || i == DH_THETA || i == DH_LOWER || i == DH_UPPER;
        if (length >= own && strncmp(name->text, column_names[i], (size_t)own) == 0 &&
            (length == own || (degrees && turns && length == own + 4))) {
            return i;
        }
    }
    return length == 9 && strncmp(name->text, "classical", 9) == 0 ? DH_NAME : -1;
}

static void read_head(DhReader* reader) {
    bool seen[DH_COLUMNS] = {false};
    const Sheet* sheet = &reader->sheet;
    for (int i = 0; i < sheet->column_count; i++) {
        const SheetCell* name = &sheet->names[i];
        const PoiseMark mark = {sheet->path, sheet->line, name->column};
        const int column = column_of(name, &reader->units[i]);
        const int shown = name->length < 60 ? name->length : 60;
        if (column < 0) {
            poise__robot_refuse(
                reader->robot, mark,
                "the head of a Denavit-Hartenberg table has no column '%.*s': "
                "modified or classical, a, alpha, d, theta, type, lower, upper, effort "
                "and velocity, those of angles with _deg where they are in degrees",
                shown, name->text);
        } else if (seen[column]) {
            poise__robot_refuse(reader->robot, mark, "the column '%.*s' is there twice", shown,
                                name->text);
        } else {
            seen[column] = true;
            reader->classical = reader->classical || name->text[0] == 'c';
            reader->columns[i] = (DhColumn)column;
        }
    }
    for (int i = 0; i <= DH_THETA; i++) {
        if (!seen[i]) {
            poise__robot_refuse(reader->robot, poise__sheet_mark(sheet, -1),
                                "the head names no column '%s'", column_names[i]);
        }
    }
}

/// A row of the table.
typedef struct DhLine {
    PoiseMark mark;
    const char* name;
    bool slides;
    bool given[DH_COLUMNS];
    double numbers[DH_COLUMNS];
} DhLine;

static void read_cell(DhReader* reader, int index, DhLine* line) {
    Sheet* sheet = &reader->sheet;
    const SheetCell* cell = &sheet->cells[index];
    const DhColumn column = reader->columns[index];
    if (column == DH_NAME) {
        line->name = poise__arena_copy(reader->robot->arena, cell->text, (size_t)cell->length);
        if (cell->length == 0) {
            poise__sheet_error(sheet, index, "the joint has no name");
        }
    } else if (column == DH_TYPE) {
        line->slides = poise__sheet_is(sheet, index, "prismatic");
        if (!line->slides && !poise__sheet_is(sheet, index, "revolute")) {
            poise__sheet_error(sheet, index, "type: revolute or prismatic is due, not '%.*s'",
                               cell->length < 60 ? cell->length : 60, cell->text);
        }
    } else if (cell->length > 0 || column <= DH_THETA) {
        line->given[column] = true;
        line->numbers[column] = reader->units[index] * poise__sheet_number(sheet, index, false);
    }
}

// Reads a row. Returns false past the last row.
static bool read_line(DhReader* reader, DhLine* line) {
    memset(line, 0, sizeof *line);
    if (!poise__sheet_next(&reader->sheet)) {
        return false;
    }
    line->mark = poise__sheet_mark(&reader->sheet, -1);
    for (int i = 0; i < reader->sheet.column_count; i++) {
        read_cell(reader, i, line);
    }
    if (line->given[DH_LOWER] != line->given[DH_UPPER] ||
        line->numbers[DH_LOWER] > line->numbers[DH_UPPER]) {
        poise__robot_refuse(reader->robot, line->mark,
                            "joint '%.60s' needs both lower and upper, the lower first",
                            line->name ? line->name : "");
    }
    return line->name != NULL;
}

// ------------------------------------------------------------------------------------- the robot

// Radius of the cylinder from a link's frame to its next joint, m. The cylinder is drawn and
// determines the link's mass.
#define BONE_RADIUS 0.03

// Converts the rotation to Euler angles and back. A URDF stores such angles, so both formats give
// the same bits.
static PoiseQuat as_angles(PoiseQuat turn) {
    return poise_quat_normalize(poise_quat_from_rpy(poise_quat_to_rpy(turn)));
}

static void add_bone(RobotReader* reader, int index, PoiseVec3 next) {
    RobotLink* link = &reader->robot->links[index];
    const double length = poise_length(next);
    const bool round = length < 2.0 * BONE_RADIUS;
    const PoiseVec3 along = round ? poise_vec3(0.0, 0.0, 1.0) : poise_scale(1.0 / length, next);
    PoiseSceneShape shape = {
        .kind = round ? POISE_SHAPE_SPHERE : POISE_SHAPE_CYLINDER,
        .size = poise_vec3(BONE_RADIUS, round ? 0.0 : length, 0.0),
        .in_body = {poise_scale(0.5, next), as_angles(poise__robot_turn_to(along))},
        .category = UINT32_MAX,
        .collide = UINT32_MAX};
    link->shapes = poise__arena_allocate(reader->arena, 1, sizeof *link->shapes);
    link->looks = poise__arena_allocate(reader->arena, 1, sizeof *link->looks);
    if (link->shapes && link->looks) {
        const MassProperties solid = poise__mass_of_shape(&shape, 1.0);
        poise__robot_add_shape(link, shape, poise__mass_moved(solid, shape.in_body));
        link->looks[link->look_count++] =
            (PoiseSceneLook){.in_body = shape.in_body, .kind = shape.kind, .size = shape.size};
    }
}

// Adds a link and the joint that carries it; `row` gives the joint's origin. Returns the link's
// index; -1 after an error.
static int add_link(DhReader* reader, const char* name, RobotJoint joint, PoiseDhRow row) {
    RobotReader* robot = reader->robot;
    static const Element nothing = {.kind = ELEMENT_MAP, .text = ""};
    joint.child = name ? poise__robot_add_link(robot, "link", name, &nothing, joint.mark) : -1;
    if (joint.child < 0) {
        return -1;
    }
    joint.origin = poise_dh_pose(&row, 0.0);
    add_bone(robot, joint.parent, joint.origin.p);
    joint.origin.q = as_angles(joint.origin.q);
    poise__robot_add_joint(robot, &joint, true);
    return joint.child;
}

// Adds the row's joint and link as the child of the link `before`. Returns the link's index; -1
// after an error.
static int add_row(DhReader* reader, const DhLine* line, int before) {
    const PoiseDhRow row = {.a = line->numbers[DH_A],
                            .alpha = line->numbers[DH_ALPHA],
                            .d = line->numbers[DH_D],
                            .theta = line->numbers[DH_THETA]};
    const char* name = poise__arena_format(reader->robot->arena, "%s_link", line->name);
    RobotJoint joint = poise__robot_joint(line->name, line->mark, before, -1);
    const bool ranged = line->given[DH_LOWER];
    joint.kind = line->slides ? ROBOT_PRISMATIC : ranged ? ROBOT_REVOLUTE : ROBOT_CONTINUOUS;
    joint.axis = poise_vec3(0.0, 0.0, 1.0);
    const Element place = {.kind = ELEMENT_MAP, .mark = line->mark};
    if (ranged && line->numbers[DH_LOWER] <= line->numbers[DH_UPPER]) {
        poise__robot_set_range(reader->robot, line->mark, &joint, line->numbers[DH_LOWER],
                               line->numbers[DH_UPPER]);
    }
    for (DhColumn i = DH_EFFORT; i <= DH_VELOCITY; i++) {
        if (line->given[i]) {
            *(i == DH_EFFORT ? &joint.effort : &joint.velocity) = poise__robot_most(
                reader->robot, &place, column_names[i], line->name, line->numbers[i]);
        }
    }
    return add_link(reader, name, joint, row);
}

static bool read_rows(DhReader* reader) {
    static const Element nothing = {.kind = ELEMENT_MAP, .text = ""};
    DhLine line;
    PoiseDhRow last = {.a = 0.0};
    PoiseMark mark = reader->robot->robot->mark;
    int link = poise__robot_add_link(reader->robot, "link", "base", &nothing, mark);
    int count = 0;
    for (; link >= 0 && count <= MAX_DH_ROWS && read_line(reader, &line); count++) {
        if (reader->classical) {
            // In a classical table a and alpha are applied after the row's joint, so they move the
            // next joint.
            const PoiseDhRow next = {.a = line.numbers[DH_A], .alpha = line.numbers[DH_ALPHA]};
            line.numbers[DH_A] = last.a;
            line.numbers[DH_ALPHA] = last.alpha;
            last = next;
        }
        link = add_row(reader, &line, link);
        mark = line.mark;
    }
    if ((count == 0 && reader->sheet.errors == 0) || count > MAX_DH_ROWS) {
        poise__robot_refuse(reader->robot, poise__sheet_mark(&reader->sheet, -1),
                            "a Denavit-Hartenberg table has 1 to %d rows", MAX_DH_ROWS);
    }
    // In a classical table the last row's a and alpha are the pose of the tool.
    return link >= 0 &&
           add_link(reader, "tool", poise__robot_joint("tool_joint", mark, link, -1), last) >= 0;
}

bool poise__is_dh_table(const char* text, size_t size) {
    static const char* const forms[] = {"modified,", "classical,"};
    for (int i = 0; i < 2; i++) {
        const size_t length = strlen(forms[i]);
        if (size >= length && memcmp(text, forms[i], length) == 0) {
            return true;
        }
    }
    return false;
}

bool poise__dh_read(RobotReader* robot, const char* text, size_t size) {
    PoiseDiagnostics* diagnostics = robot->diagnostics;
    const int errors = poise_diagnostics_count(diagnostics, POISE_ERROR);
    const char* file = robot->document->file;
    const char* copy = poise__arena_copy(robot->arena, text, size);
    DhReader reader = {.robot = robot};
    robot->robot->name = "arm";
    robot->robot->format = "dh";
    robot->robot->mark = (PoiseMark){file, 1, 1};
    if (!copy || !poise__sheet_begin(&reader.sheet, file, copy, size, diagnostics)) {
        return false;
    }
    read_head(&reader);
    return poise_diagnostics_count(diagnostics, POISE_ERROR) == errors && read_rows(&reader) &&
           poise_diagnostics_count(diagnostics, POISE_ERROR) == errors && poise__robot_sort(robot);
}
