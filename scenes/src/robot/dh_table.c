// SPDX-License-Identifier: MIT
// Reads a Denavit-Hartenberg table and returns the document of a URDF: a link and a joint for each
// row. The head names the columns; its first cell is the form:
//
//     modified,a,alpha,d,theta          TransX(a) RotX(alpha) TransZ(d) RotZ(theta)
//     classical,d,theta,a,alpha         RotZ(theta) TransZ(d) TransX(a) RotX(alpha)
//
// The cells below the form are the joints' names. Columns of angles (alpha, theta, lower, upper)
// may end in _deg. The columns type (revolute, prismatic), lower, upper, effort and velocity are
// optional.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "poise/dh.h"
#include "poise/rotation.h"
#include "urdf.h"

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
    Document* document;
    const char* next; ///< unread text
    const char* end;
    PoiseMark mark; ///< place of the cell
    char cell[CELL_SIZE];
    bool last; ///< true if the cell is the last of its line
    int columns[DH_COLUMNS];
    double units[DH_COLUMNS];
    int column_count;
    bool classical;
    int errors;
    Element* root; ///< root of the URDF
    Element* link; ///< the last link of the URDF
} DhReader;

static void refuse(DhReader* reader, const char* format, ...) POISE_PRINTF(2, 3);

static void refuse(DhReader* reader, const char* format, ...) {
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    reader->errors++;
    poise__diagnose(reader->document->diagnostics, POISE_ERROR, reader->mark, "%s", text);
}

// Reads the line's next cell, without the spaces around it. Returns true if there was one.
static bool next_cell(DhReader* reader) {
    const char* text = reader->next;
    const char* stop = text;
    while (stop < reader->end && *stop != ',' && *stop != '\n') {
        stop++;
    }
    reader->last = stop == reader->end || *stop == '\n';
    reader->next = stop < reader->end ? stop + 1 : stop;
    const int width = (int)(stop - text) + 1;
    while (text < stop && (*text == ' ' || *text == '\t')) {
        text++;
    }
    while (stop > text && (stop[-1] == ' ' || stop[-1] == '\t' || stop[-1] == '\r')) {
        stop--;
    }
    const size_t length = (size_t)(stop - text);
    if (length >= CELL_SIZE || memchr(text, 0, length)) {
        refuse(reader, "a cell is %s", length >= CELL_SIZE ? "longer than 63 letters" : "no text");
        reader->cell[0] = '\0';
    } else {
        memcpy(reader->cell, text, length);
        reader->cell[length] = '\0';
    }
    return width > 0;
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
        (void)next_cell(reader);
        double unit = 1.0;
        const int column = column_of(reader->cell, &unit);
        if (column < 0) {
            refuse(reader,
                   "the head of a Denavit-Hartenberg table has no column '%.60s': "
                   "modified or classical, a, alpha, d, theta, type, lower, upper, effort "
                   "and velocity, those of angles with _deg where they are in degrees",
                   reader->cell);
        } else if (seen[column]) {
            refuse(reader, "the column '%.60s' is there twice", reader->cell);
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
            refuse(reader, "the head names no column '%s'", column_names[i]);
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
        refuse(reader, "a number is due here, not '%.60s'", reader->cell);
    }
    line->given[column] = true;
    line->numbers[column] = value * reader->units[index];
}

static void read_cell(DhReader* reader, int index, DhLine* line) {
    const int column = reader->columns[index];
    if (column == DH_NAME) {
        memcpy(line->name, reader->cell, sizeof line->name);
        if (line->name[0] == '\0') {
            refuse(reader, "the joint has no name");
        }
    } else if (column == DH_TYPE) {
        line->slides = strcmp(reader->cell, "prismatic") == 0;
        if (!line->slides && strcmp(reader->cell, "revolute") != 0) {
            refuse(reader, "type: revolute or prismatic is due, not '%.60s'", reader->cell);
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
        (void)next_cell(reader);
        if (index < reader->column_count) {
            read_cell(reader, index, line);
        }
        index++;
        if (reader->last && index != reader->column_count) {
            refuse(reader, "the row has %s cells than the head",
                   index < reader->column_count ? "fewer" : "more");
        }
        after_cell(reader, begin);
    } while (!reader->last);
    if (line->given[DH_LOWER] != line->given[DH_UPPER] ||
        line->numbers[DH_LOWER] > line->numbers[DH_UPPER]) {
        poise__diagnose(reader->document->diagnostics, POISE_ERROR, line->mark,
                        "joint '%.60s' needs both lower and upper, the lower first", line->name);
        reader->errors++;
    }
    return true;
}

// ------------------------------------------------------------------------------------- as a URDF

static Element* add_map(DhReader* reader, Element* parent, const char* key, PoiseMark mark) {
    Element* map = poise__element_create(reader->document, ELEMENT_MAP, mark);
    if (map) {
        map->key = key;
        map->key_mark = mark;
        map->text = "";
        if (parent && !poise__element_add(reader->document, parent, map)) {
            return NULL;
        }
    }
    return map;
}

static bool add_text(DhReader* reader, Element* parent, const char* key, const char* text) {
    Element* scalar =
        parent ? poise__element_create(reader->document, ELEMENT_SCALAR, parent->mark) : NULL;
    if (!scalar) {
        return false;
    }
    scalar->key = key;
    scalar->key_mark = parent->mark;
    return poise__element_set_text(reader->document, scalar, text, strlen(text)) &&
           poise__element_add(reader->document, parent, scalar);
}

static bool add_numbers(DhReader* reader, Element* parent, const char* key, PoiseVec3 v) {
    char text[96];
    snprintf(text, sizeof text, "%.17g %.17g %.17g", v.x, v.y, v.z);
    return add_text(reader, parent, key, text);
}

static bool add_number(DhReader* reader, Element* parent, const char* key, double value) {
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    return add_text(reader, parent, key, text);
}

// Adds <joint name type><parent link/><child link/><origin xyz rpy/></joint>.
static Element* add_joint(DhReader* reader, const char* name, const char* type,
                          const char* links[2], PoisePose origin) {
    const PoiseMark mark = reader->link->mark;
    Element* joint = add_map(reader, reader->root, "joint", mark);
    bool fine =
        joint && add_text(reader, joint, "name", name) && add_text(reader, joint, "type", type);
    static const char* const ends[2] = {"parent", "child"};
    for (int i = 0; i < 2 && fine; i++) {
        fine = add_text(reader, add_map(reader, joint, ends[i], mark), "link", links[i]);
    }
    Element* place = fine ? add_map(reader, joint, "origin", mark) : NULL;
    fine = place && add_numbers(reader, place, "xyz", origin.p) &&
           add_numbers(reader, place, "rpy", poise_quat_to_rpy(origin.q));
    return fine ? joint : NULL;
}

static bool add_limits(DhReader* reader, Element* joint, const DhLine* line) {
    static const char* const keys[] = {"lower", "upper", "effort", "velocity"};
    Element* limit = add_map(reader, joint, "limit", line->mark);
    bool fine = limit != NULL;
    for (int i = 0; i < 4 && fine; i++) {
        if (line->given[DH_LOWER + i]) {
            fine = add_number(reader, limit, keys[i], line->numbers[DH_LOWER + i]);
        }
    }
    return fine;
}

// Radius of the cylinder from a link's frame to its next joint, m. The cylinder is drawn and
// determines the link's mass.
#define BONE_RADIUS 0.03

static bool add_bone(DhReader* reader, Element* link, PoiseVec3 next) {
    const double length = poise_length(next);
    const bool round = length < 2.0 * BONE_RADIUS;
    const PoiseVec3 along = round ? poise_vec3(0.0, 0.0, 1.0) : poise_scale(1.0 / length, next);
    // Rotation from z to the cylinder's axis.
    const PoiseVec3 across = poise_cross(poise_vec3(0.0, 0.0, 1.0), along);
    const PoiseQuat turn =
        poise_quat_from_axis_angle(across, poise_atan2(poise_length(across), along.z));
    Element* visual = add_map(reader, link, "visual", link->mark);
    Element* origin = visual ? add_map(reader, visual, "origin", link->mark) : NULL;
    Element* geometry = visual ? add_map(reader, visual, "geometry", link->mark) : NULL;
    const char* kind = round ? "sphere" : "cylinder";
    Element* shape = geometry ? add_map(reader, geometry, kind, link->mark) : NULL;
    return origin && shape && add_numbers(reader, origin, "xyz", poise_scale(0.5, next)) &&
           add_numbers(reader, origin, "rpy", poise_quat_to_rpy(turn)) &&
           add_number(reader, shape, "radius", BONE_RADIUS) &&
           (round || add_number(reader, shape, "length", length));
}

// Adds the row's link and joint after the link `before`.
static bool add_row(DhReader* reader, Element* root, const DhLine* line, const char* before,
                    const char* link) {
    const PoiseDhRow row = {.a = line->numbers[DH_A],
                            .alpha = line->numbers[DH_ALPHA],
                            .d = line->numbers[DH_D],
                            .theta = line->numbers[DH_THETA]};
    const char* links[2] = {before, link};
    const bool ranged = line->given[DH_LOWER];
    const PoisePose origin = poise_dh_pose(&row, 0.0);
    const char* type = line->slides ? "prismatic" : ranged ? "revolute" : "continuous";
    Element* element = add_map(reader, root, "link", line->mark);
    if (!element || !add_text(reader, element, "name", link) ||
        !add_bone(reader, reader->link, origin.p)) {
        return false;
    }
    reader->link = element;
    Element* joint = add_joint(reader, line->name, type, links, origin);
    Element* axis = joint ? add_map(reader, joint, "axis", line->mark) : NULL;
    return axis && add_numbers(reader, axis, "xyz", poise_vec3(0.0, 0.0, 1.0)) &&
           add_limits(reader, joint, line);
}

// Adds the link "tool" at the end. In a classical table the last row's a and alpha are its pose.
static bool add_tool(DhReader* reader, Element* root, const char* before, PoisePose origin) {
    const char* links[2] = {before, "tool"};
    Element* element = add_map(reader, root, "link", root->children[root->child_count - 1]->mark);
    return element && add_bone(reader, reader->link, origin.p) &&
           add_text(reader, element, "name", "tool") &&
           add_joint(reader, "tool_joint", "fixed", links, origin);
}

static bool read_rows(DhReader* reader, Element* root) {
    char before[CELL_SIZE + 8] = "base";
    char link[CELL_SIZE + 8];
    double a = 0.0, alpha = 0.0;
    Element* base = add_map(reader, root, "link", root->mark);
    bool fine = base && add_text(reader, base, "name", before);
    reader->root = root;
    reader->link = base;
    DhLine line;
    int count = 0;
    for (; fine && count <= MOST_ROWS && read_line(reader, &line); count++) {
        if (reader->classical) {
            // In a classical table a and alpha come after the row's joint: they move the next
            // joint.
            const double next[2] = {line.numbers[DH_A], line.numbers[DH_ALPHA]};
            line.numbers[DH_A] = a;
            line.numbers[DH_ALPHA] = alpha;
            a = next[0];
            alpha = next[1];
        }
        snprintf(link, sizeof link, "%s_link", line.name);
        fine = add_row(reader, root, &line, before, link);
        memcpy(before, link, sizeof before);
    }
    if (count == 0 || count > MOST_ROWS) {
        refuse(reader, "a Denavit-Hartenberg table has 1 to %d rows", MOST_ROWS);
    }
    const PoiseDhRow last = {.a = a, .alpha = alpha};
    return fine && reader->errors == 0 && add_tool(reader, root, before, poise_dh_pose(&last, 0.0));
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

Element* poise__dh_read(Document* document, const char* text, size_t size) {
    DhReader reader = {.document = document, .next = text, .end = text + size};
    reader.mark = (PoiseMark){.file = document->file, .line = 1, .column = 1};
    Element* root = add_map(&reader, NULL, "robot", reader.mark);
    if (!root || !add_text(&reader, root, "name", "arm")) {
        return NULL;
    }
    read_head(&reader);
    return reader.errors == 0 && read_rows(&reader, root) ? root : NULL;
}
