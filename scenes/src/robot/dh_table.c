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

#include "number.h"
#include "poise/dh.h"
#include "poise/rotation.h"
#include "robot.h"

enum { MOST_ROWS = 1000, CELL_SIZE = 64 };

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
    const char* next; ///< unread text
    const char* end;
    PoiseMark mark; ///< place of the cell
    char cell[CELL_SIZE];
    bool last; ///< true if the cell is the last of its line
    int columns[DH_COLUMNS];
    double units[DH_COLUMNS];
    int column_count;
    bool classical;
} DhReader;

// Reads the line's next cell, without the spaces around it.
static void next_cell(DhReader* reader) {
    const char* text = reader->next;
    const char* stop = text;
    while (stop < reader->end && *stop != ',' && *stop != '\n') {
        stop++;
    }
    reader->last = stop == reader->end || *stop == '\n';
    reader->next = stop < reader->end ? stop + 1 : stop;
    while (text < stop && (*text == ' ' || *text == '\t')) {
        text++;
    }
    while (stop > text && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) {
        stop--;
    }
    const size_t length = (size_t)(stop - text);
    if (length >= CELL_SIZE || memchr(text, 0, length)) {
        poise__robot_refuse(reader->robot, reader->mark, "a cell is %s",
                            length >= CELL_SIZE ? "longer than 63 letters" : "no text");
        reader->cell[0] = '\0';
    } else {
        memcpy(reader->cell, text, length);
        reader->cell[length] = '\0';
    }
}

static void after_cell(DhReader* reader, const char* begin) {
    reader->mark.column = reader->last ? 1 : reader->mark.column + (int)(reader->next - begin);
    reader->mark.line += reader->last ? 1 : 0;
}

// Returns the column of a name and writes its unit (rad, or m) to `unit`; -1 if missing.
static int column_of(const char* name, double* unit) {
    const size_t length = strlen(name);
    const bool degrees = length > 4 && strcmp(name + length - 4, "_deg") == 0;
    *unit = degrees ? PI / 180.0 : 1.0;
    for (int i = 0; i < DH_COLUMNS; i++) {
        const size_t own = strlen(column_names[i]);
        const bool turns = i == DH_ALPHA || i == DH_THETA || i == DH_LOWER || i == DH_UPPER;
        if (strncmp(name, column_names[i], own) == 0 &&
            (length == own || (degrees && turns && length == own + 4))) {
            return i;
        }
    }
    return strcmp(name, "classical") == 0 ? DH_NAME : -1;
}

static void read_head(DhReader* reader) {
    bool seen[DH_COLUMNS] = {false};
    do {
        const char* begin = reader->next;
        next_cell(reader);
        double unit = 1.0;
        const int column = column_of(reader->cell, &unit);
        if (column < 0) {
            poise__robot_refuse(
                reader->robot, reader->mark,
                "the head of a Denavit-Hartenberg table has no column '%.60s': "
                "modified or classical, a, alpha, d, theta, type, lower, upper, effort "
                "and velocity, those of angles with _deg where they are in degrees",
                reader->cell);
        } else if (seen[column]) {
            poise__robot_refuse(reader->robot, reader->mark, "the column '%.60s' is there twice",
                                reader->cell);
        } else {
            seen[column] = true;
            reader->classical = reader->classical || strcmp(reader->cell, "classical") == 0;
            reader->units[reader->column_count] = unit;
            reader->columns[reader->column_count++] = column;
        }
        after_cell(reader, begin);
    } while (!reader->last);
    for (int i = 0; i <= DH_THETA; i++) {
        if (!seen[i]) {
            reader->mark.column = 1;
            poise__robot_refuse(reader->robot, reader->mark, "the head names no column '%s'",
                                column_names[i]);
        }
    }
}

/// A row of the table.
typedef struct DhLine {
    PoiseMark mark;
    char name[CELL_SIZE];
    bool slides;
    bool given[DH_COLUMNS];
    double numbers[DH_COLUMNS];
} DhLine;

static void read_number(DhReader* reader, int index, DhLine* line) {
    const int column = reader->columns[index];
    double value = 0.0;
    if (reader->cell[0] == '\0' && column > DH_THETA) {
        return;
    }
    if (poise_number_read(reader->cell, &value) != POISE_NUMBER_FINE) {
        poise__robot_refuse(reader->robot, reader->mark, "a number is due here, not '%.60s'",
                            reader->cell);
    }
    line->given[column] = true;
    line->numbers[column] = value * reader->units[index];
}

static void read_cell(DhReader* reader, int index, DhLine* line) {
    const int column = reader->columns[index];
    if (column == DH_NAME) {
        memcpy(line->name, reader->cell, sizeof line->name);
        if (line->name[0] == '\0') {
            poise__robot_refuse(reader->robot, reader->mark, "the joint has no name");
        }
    } else if (column == DH_TYPE) {
        line->slides = strcmp(reader->cell, "prismatic") == 0;
        if (!line->slides && strcmp(reader->cell, "revolute") != 0) {
            poise__robot_refuse(reader->robot, reader->mark,
                                "type: revolute or prismatic is due, not '%.60s'", reader->cell);
        }
    } else {
        read_number(reader, index, line);
    }
}

// Reads a row. Returns false past the last row.
static bool read_line(DhReader* reader, DhLine* line) {
    memset(line, 0, sizeof *line);
    // Skips empty lines.
    while (reader->next < reader->end && (*reader->next == '\n' || *reader->next == '\r')) {
        reader->mark.line += *reader->next == '\n' ? 1 : 0;
        reader->next++;
    }
    if (reader->next >= reader->end) {
        return false;
    }
    line->mark = reader->mark;
    int index = 0;
    do {
        const char* begin = reader->next;
        next_cell(reader);
        if (index < reader->column_count) {
            read_cell(reader, index, line);
        }
        index++;
        if (reader->last && index != reader->column_count) {
            poise__robot_refuse(reader->robot, reader->mark, "the row has %s cells than the head",
                                index < reader->column_count ? "fewer" : "more");
        }
        after_cell(reader, begin);
    } while (!reader->last);
    if (line->given[DH_LOWER] != line->given[DH_UPPER] ||
        line->numbers[DH_LOWER] > line->numbers[DH_UPPER]) {
        poise__robot_refuse(reader->robot, line->mark,
                            "joint '%.60s' needs both lower and upper, the lower first",
                            line->name);
    }
    return true;
}

// ------------------------------------------------------------------------------------- the robot

// Radius of the cylinder from a link's frame to its next joint, m. The cylinder is drawn and
// determines the link's mass.
#define BONE_RADIUS 0.03

// The rotation has the last bits that it has in a URDF, whose rotations are angles.
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

// Adds a link and the joint that carries it after the link `before`. Returns the link's index.
static int add_link(DhReader* reader, const char* name, RobotJoint joint, PoiseDhRow row) {
    RobotReader* robot = reader->robot;
    const char* copy = poise__arena_copy(robot->arena, name, strlen(name));
    static const Element nothing = {.kind = ELEMENT_MAP, .text = ""};
    joint.child = copy ? poise__robot_add_link(robot, "link", copy, &nothing, joint.mark) : -1;
    joint.name = poise__arena_copy(robot->arena, joint.name, strlen(joint.name));
    if (joint.child < 0 || !joint.name) {
        return -1;
    }
    joint.origin = poise_dh_pose(&row, 0.0);
    add_bone(robot, joint.parent, joint.origin.p);
    joint.origin.q = as_angles(joint.origin.q);
    poise__robot_add_joint(robot, &joint, true);
    return joint.child;
}

// Adds the row's joint and link after the link `before`.
static int add_row(DhReader* reader, const DhLine* line, int before) {
    const PoiseDhRow row = {.a = line->numbers[DH_A],
                            .alpha = line->numbers[DH_ALPHA],
                            .d = line->numbers[DH_D],
                            .theta = line->numbers[DH_THETA]};
    char name[CELL_SIZE + 8];
    RobotJoint joint = poise__robot_joint(line->name, line->mark, before, -1);
    const bool ranged = line->given[DH_LOWER];
    snprintf(name, sizeof name, "%s_link", line->name);
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
    for (; link >= 0 && count <= MOST_ROWS && read_line(reader, &line); count++) {
        if (reader->classical) {
            // In a classical table a and alpha come after the row's joint: they move the next
            // joint.
            const PoiseDhRow next = {.a = line.numbers[DH_A], .alpha = line.numbers[DH_ALPHA]};
            line.numbers[DH_A] = last.a;
            line.numbers[DH_ALPHA] = last.alpha;
            last = next;
        }
        link = add_row(reader, &line, link);
        mark = line.mark;
    }
    if (count == 0 || count > MOST_ROWS) {
        poise__robot_refuse(reader->robot, reader->mark,
                            "a Denavit-Hartenberg table has 1 to %d rows", MOST_ROWS);
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
    DhReader reader = {.robot = robot, .next = text, .end = text + size};
    reader.mark = (PoiseMark){.file = robot->document->file, .line = 1, .column = 1};
    robot->robot->name = "arm";
    robot->robot->format = "dh";
    robot->robot->mark = reader.mark;
    read_head(&reader);
    return poise_diagnostics_count(diagnostics, POISE_ERROR) == errors && read_rows(&reader) &&
           poise_diagnostics_count(diagnostics, POISE_ERROR) == errors && poise__robot_sort(robot);
}
