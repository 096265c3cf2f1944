// SPDX-License-Identifier: MIT
// The one table of settings. A row has the key of a setting, its range, its default, and its offset
// in the struct that runs. Rows read a scene's file and `--set` (schema.c), change values while the
// scene runs (sliders.c), give the viewer its sliders, and print the reference (schema_print.c).
#ifndef POISE_SCHEMA_H
#define POISE_SCHEMA_H

#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "document.h"
#include "poise/scene.h"

typedef struct Schema Schema;
typedef struct Reader Reader;
typedef struct NameMap NameMap;

/// A range lower <= x <= upper; `above`: lower < x. `infinite`: inf is accepted, and -inf if
/// `lower` is infinite. All zero means any finite number of size up to 1e5.
typedef struct Range {
    double lower;
    double upper;
    bool above;
    bool infinite;
} Range;

#define BETWEEN(least, most)                                                                       \
    { least, most, false, false }
#define ABOVE(least, most)                                                                         \
    { least, most, true, false }
#define ANY_FROM(least)                                                                            \
    { least, (double)INFINITY, false, true }
#define ANY_ABOVE(least)                                                                           \
    { least, (double)INFINITY, true, true }

/// The range that a Range of all zeros means.
extern const Range poise__range_any;
Range poise__range_of(Range range);
/// True if the number lies in the range; false for NaN.
bool poise__range_holds(Range range, double number);

/// `on`: true if a setting may change while the scene runs. `lower`, `upper`: ends of its slider;
/// switches and choices have none. If `lower` is below the setting's range, numbers below the range
/// mean the default.
typedef struct Live {
    bool on;
    bool logarithmic;
    double lower;
    double upper;
} Live;

#define LIVE                                                                                       \
    { true, false, 0.0, 0.0 }
#define SLIDER(least, most)                                                                        \
    { true, false, least, most }
#define LOG_SLIDER(least, most)                                                                    \
    { true, true, least, most }

/// Type of the member at the row's offset.
typedef enum FieldType {
    FIELD_NUMBER,     ///< the member is a double
    FIELD_ANGLE,      ///< a double, rad; a file has it in its own unit of angle
    FIELD_TURN_SPEED, ///< a double, rad/s; a file has it in its unit of angle per s
    /// A double, rad/s or for a slider m/s; a file has it in its unit of angle per s.
    FIELD_JOINT_SPEED,
    FIELD_INTEGER,  ///< the member is an int
    FIELD_SWITCH,   ///< the member is a bool
    FIELD_TEXT,     ///< the member is a const char*
    FIELD_VEC3,     ///< the member is a PoiseVec3
    FIELD_AXIS,     ///< a PoiseVec3 of length 1; a file may have any length but 0
    FIELD_ROTATION, ///< the member is a PoiseQuat
    FIELD_CHOICE,   ///< an int or an enum whose values are indices into `words`
    FIELD_REF,      ///< a PoiseRef; a file has a name
    FIELD_NAMES,    ///< a PoiseRefs; a file has a list or one word
    FIELD_MAP,      ///< a struct that `schema` reads; its offsets begin at this member
    FIELD_ITEMS,    ///< a list of named items (NAMED), which `items` reads
    FIELD_CUSTOM    ///< any member; `read` gets the whole struct and stores the value
} FieldType;

typedef struct Field {
    const char* key;
    FieldType type;
    size_t offset;
    Range range;
    const char* unit;
    /// Default of the setting, as a file would have it; NULL: all zero. A text in brackets or
    /// braces is only for the reference: the struct has its default already.
    const char* fallback;
    const char* help;
    Live live;
    bool required;
    const char* const* words; ///< words of a choice, ended by NULL
    const Schema* schema;
    const NameMap* items;
    void (*read)(Reader* reader, const Element* element, void* record);
    /// Form of the value in the reference, if the type does not determine it.
    const char* form;
} Field;

struct Schema {
    const char* name;  ///< name for messages: "a joint"
    const char* title; ///< heading in the reference
    const char* help;
    const Field* fields;
    int field_count;
    /// True if `off` may replace the map. If `on_offset` is 0, `off` sets all its numbers to 0;
    /// else the bool at `on_offset` becomes false, and true for a map.
    bool may_be_off;
    size_t on_offset;
};

#define ROWS(rows) .fields = rows, .field_count = (int)(sizeof rows / sizeof rows[0])

struct Reader {
    Arena* arena;
    PoiseDiagnostics* diagnostics;
    /// Size of the file's unit of angle, rad; `angle_unit_given`: true if the file names the unit.
    double angle_unit;
    bool angle_unit_given;
    /// Unit of the current joint's coordinates: the unit of angle, 1 for a slider.
    double joint_unit;
    /// Name of the current item of a map of names.
    const char* item;
    /// Mirror through which the current item is read; NULL: none.
    const struct Image* image;
    /// Unit of the current row; NULL: none.
    const char* unit;
    /// True if a map has too many items: nothing is built.
    bool overfull;
    /// Data that the custom readers of a table share.
    void* context;
};

/// Reads a map into `record`, whose other members stay; reports every error. An element that is
/// neither a map nor, if allowed, off is an error.
void poise__schema_read(Reader* reader, const Schema* schema, const Element* element, void* record);

/// Sets every setting, also in maps inside, to its default. A setting without a default stays.
void poise__schema_set_fallbacks(const Schema* schema, void* record);

// ---------------------------------------------------------------------------------------- sliders

/// A number that may change while the scene runs: a row, or a component of a vector.
typedef struct LiveNumber {
    const Field* field;
    size_t offset; ///< offset of the row in the struct that runs
    int axis;      ///< index of the vector's component
    char key[48];  ///< key relative to the table: "ik.spring", "force.push.x"
} LiveNumber;

/// Finds number `index` of the table, in the order of the rows; the numbers of an inner map are at
/// the position of the map's row. False past the end.
bool poise__live_find(const Schema* schema, int index, LiveNumber* number);
int poise__live_count(const Schema* schema);
double poise__live_get(const LiveNumber* number, const void* record);
void poise__live_put(const LiveNumber* number, void* record, double value);
/// True if the number accepts the value. The second function returns the accepted range.
bool poise__live_accepts(const LiveNumber* number, double value);
Range poise__live_range(const LiveNumber* number);
/// Writes the ends of the slider: those of the row (SLIDER), else those of the range.
void poise__live_slider(const LiveNumber* number, double* lower, double* upper);

// ------------------------------------------------------------------------------------------ values

// Readers of single values. Each reports errors and then returns false, with `value` unchanged.
bool poise__read_number(Reader* reader, const Element* element, Range range, double* value);
bool poise__read_integer(Reader* reader, const Element* element, Range range, int* value);
bool poise__read_switch(Reader* reader, const Element* element, bool* value);
bool poise__read_text(Reader* reader, const Element* element, const char** value);
bool poise__read_vec3(Reader* reader, const Element* element, Range range, PoiseVec3* value);
bool poise__read_axis(Reader* reader, const Element* element, PoiseVec3* value);
bool poise__read_choice(Reader* reader, const Element* element, const char* const* words,
                        int* value);
/// Replaces the names by the mirrored names if the reader reads through a mirror.
void poise__reflect_names(const Reader* reader, PoiseRefs* names);
bool poise__read_ref(Reader* reader, const Element* element, PoiseRef* value);
bool poise__read_names(Reader* reader, const Element* element, PoiseRefs* value);
/// Reads a quaternion [w, x, y, z].
bool poise__read_quaternion(Reader* reader, const Element* element, PoiseQuat* value);
/// Reads a rotation: a quaternion, {axis, angle} or {rpy}.
bool poise__read_rotation(Reader* reader, const Element* element, PoiseQuat* value);
/// Reads a list of exactly `count` numbers.
bool poise__read_numbers(Reader* reader, const Element* element, Range range, double* values,
                         int count);

/// Warns of an angle of more than a turn, rad, in a file without a unit of angle: such an angle is
/// probably in degrees.
void poise__angle_check(PoiseDiagnostics* diagnostics, bool unit_given, PoiseMark mark,
                        double angle);

/// True if the element is an unquoted off, false or no.
bool poise__element_is_off(const Element* element);

/// Reports an error at the element. The second adds the wanted form and the form that was found.
void poise__refuse(Reader* reader, const Element* element, const char* format, ...)
    POISE_PRINTF(3, 4);
bool poise__refuse_kind(Reader* reader, const Element* element, const char* wanted);

/// Returns the number of errors until now; a reader compares it before and after.
int poise__reader_errors(const Reader* reader);

/// True if the map has the key. The second function returns how many of several keys the map has.
bool poise__is_written(const Element* map, const char* key);
int poise__written_count(const Element* map, const char* const* keys, int count);

/// Returns the mark of the value under `key`, or the map's own mark if missing.
PoiseMark poise__value_mark(const Element* map, const char* key);

#endif
