// SPDX-License-Identifier: MIT
// Tables that say what a map may hold. The same table reads the map into a struct, reports all that
// is wrong in it, fills in what is not written, and prints its part of the format reference.
#ifndef POISE_SCHEMA_H
#define POISE_SCHEMA_H

#include <stddef.h>
#include <stdio.h>

#include "text/document.h"

typedef struct Schema Schema;
typedef struct Reader Reader;

/// lower <= x <= upper; `above`: lower < x; `infinite`: inf may be written (-inf where lower allows
/// it).
typedef struct Range {
    double lower;
    double upper;
    bool above;
    bool infinite;
} Range;

/// Any finite number up to 1e5 either way.
extern const Range poise__range_any;

typedef struct Choice {
    const char* word;
    int value;
} Choice;

typedef struct Name {
    const char* text;
    PoiseMark mark;
} Name;

typedef struct Names {
    Name* items;
    int count;
} Names;

/// What stands in the struct at the field's offset.
typedef enum FieldType {
    FIELD_NUMBER,  ///< double
    FIELD_ANGLE,   ///< double, rad; written in the file's angle unit
    FIELD_INTEGER, ///< int
    FIELD_SWITCH,  ///< bool
    FIELD_TEXT,    ///< const char*
    FIELD_VEC3,    ///< PoiseVec3
    FIELD_AXIS,    ///< PoiseVec3 of length 1; written with any length but 0
    FIELD_CHOICE,  ///< int or an enum
    FIELD_NAMES,   ///< Names; written as a list or as one word
    FIELD_MAP,     ///< the struct that `schema` reads
    FIELD_CUSTOM   ///< whatever `read` makes of it
} FieldType;

typedef struct Field {
    const char* key;
    FieldType type;
    size_t offset;
    bool required;
    Range range; ///< all zero: poise__range_any
    const Choice* choices;
    int choice_count;
    const Schema* schema;
    void (*read)(Reader* reader, const Element* element, void* value);
    /// What holds where the key is not written, as the file would say it; NULL: nothing, all zero.
    /// In brackets, "(...)": words for the reference alone.
    const char* fallback;
    /// For the reference: how it is written (where the type does not say), its unit, what it means.
    const char* form;
    const char* unit;
    const char* help;
} Field;

struct Schema {
    const char* name;  ///< "a joint": for messages
    const char* title; ///< the heading in the reference
    const char* help;
    const Field* fields;
    int field_count;
    /// Offset of a uint64_t whose bit i says that field i was written.
    size_t given_offset;
    /// Offset of a bool that `off` or `false` in place of the map sets; 0: it may not be off.
    size_t off_offset;
};

struct Reader {
    Arena* arena;
    PoiseDiagnostics* diagnostics;
    /// rad in the file's unit of angle.
    double angle_unit;
    /// Whether the file says its unit of angle.
    bool angle_unit_given;
    /// The unit of the field that is being read, as its table has it; NULL for none.
    const char* unit;
    /// What the custom readers of a table share.
    void* context;
};

/// Reads a map over what `value` holds already; every error is reported. False when the element is
/// neither a map nor, where that is allowed, off.
bool poise__schema_read(Reader* reader, const Schema* schema, const Element* element, void* value);

/// Sets every field to its fallback, fields without one to zero, maps inside likewise.
void poise__schema_set_fallbacks(const Schema* schema, void* value);

/// Whether the key was written in the map that `value` was read from.
bool poise__schema_given(const Schema* schema, const void* value, const char* key);

/// Prints the reference of the table and of those it leads to, as Markdown.
void poise__schema_print(const Schema* root, FILE* out);

// Readers of single values. Each reports what is wrong and returns false then, `value` unchanged.
bool poise__read_number(Reader* reader, const Element* element, Range range, double* value);
bool poise__read_integer(Reader* reader, const Element* element, Range range, int* value);
bool poise__read_switch(Reader* reader, const Element* element, bool* value);
bool poise__read_text(Reader* reader, const Element* element, const char** value);
bool poise__read_vec3(Reader* reader, const Element* element, Range range, PoiseVec3* value);
bool poise__read_axis(Reader* reader, const Element* element, PoiseVec3* value);
bool poise__read_choice(Reader* reader, const Element* element, const Field* field, int* value);
bool poise__read_names(Reader* reader, const Element* element, Names* value);
/// [w, x, y, z], {axis, angle} or {rpy}.
bool poise__read_rotation(Reader* reader, const Element* element, PoiseQuat* value);
/// `count` numbers of a list.
bool poise__read_numbers(Reader* reader, const Element* element, Range range, double* values,
                         int count);

/// Warns of an angle of more than a turn, in rad, in a file that does not say its unit: it may well
/// be meant in degrees.
void poise__angle_check(PoiseDiagnostics* diagnostics, bool unit_given, PoiseMark mark,
                        double angle);

/// Whether the element says off, false or no without being quoted.
bool poise__element_is_off(const Element* element);

/// An error at the element: at its key where it has one.
void poise__refuse(Reader* reader, const Element* element, const char* format, ...)
    POISE_PRINTF(3, 4);

/// The mark of the value under `key`, of the map itself where there is none.
PoiseMark poise__value_mark(const Element* map, const char* key);

#endif
