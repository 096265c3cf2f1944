// SPDX-License-Identifier: MIT
// Prints the format as a JSON Schema (draft-07) for editors, from the tables that read it. It
// accepts every good scene; custom readers may still refuse more.
#include <math.h>
#include <string.h>

#include "poise/reading.h"
#include "spec.h"

// `off`, `false` and `no` are false in YAML 1.1, but words in YAML 1.2.
#define OFF_WORDS "\"off\", \"no\", false"
#define ON_WORDS  "\"on\", \"yes\", true"

typedef struct Printer {
    FILE* out;
    const Schema* tables[MAX_TABLES];
    int count;
} Printer;

// Prints a text of the tables, which holds neither quotes nor line breaks.
static void print_string(FILE* out, const char* text) {
    fprintf(out, "\"%s\"", text);
}

static int place_of(Printer* printer, const Schema* schema) {
    for (int i = 0; i < printer->count; i++) {
        if (printer->tables[i] == schema) {
            return i;
        }
    }
    printer->tables[printer->count] = schema;
    return printer->count++;
}

static void print_reference(Printer* printer, const Schema* schema) {
    fprintf(printer->out, "{\"$ref\": \"#/definitions/table%d\"}", place_of(printer, schema));
}

static void print_number(const Field* field, FILE* out) {
    const Range range = poise__range_of(field->range);
    fputs("{\"anyOf\": [{\"type\": \"number\"", out);
    if (isfinite(range.lower)) {
        fprintf(out, ", \"%s\": %.17g", range.above ? "exclusiveMinimum" : "minimum", range.lower);
    }
    if (isfinite(range.upper)) {
        fprintf(out, ", \"maximum\": %.17g", range.upper);
    }
    fputc('}', out);
    if (range.infinite) {
        fputs(", {\"enum\": [\"inf\", \"+inf\", \"-inf\", \".inf\", \"-.inf\"]}", out);
    }
    fputs("]}", out);
}

static void print_choice(const Field* field, FILE* out) {
    fputs("{\"enum\": [", out);
    for (int i = 0; field->words[i]; i++) {
        fputs(i > 0 ? ", " : "", out);
        print_string(out, field->words[i]);
    }
    fputs("]}", out);
}

// Prints the type that the form of a custom row names.
static void print_custom(Printer* printer, const Field* field) {
    FILE* out = printer->out;
    const char* form = field->form ? field->form : "";
    if (field->schema && strncmp(form, "{name", 5) == 0) {
        fputs("{\"type\": \"object\", \"additionalProperties\": ", out);
        print_reference(printer, field->schema);
        fputs("}", out);
    } else if (field->schema) {
        fputs("{\"anyOf\": [", out);
        print_reference(printer, field->schema);
        fputs(", {\"type\": [\"array\", \"string\", \"boolean\", \"number\"]}]}", out);
    } else {
        fputs("{}", out);
    }
}

static void print_type(Printer* printer, const Field* field) {
    FILE* out = printer->out;
    switch (field->type) {
    case FIELD_NUMBER:
    case FIELD_ANGLE:
    case FIELD_TURN_SPEED:
    case FIELD_JOINT_SPEED:
        print_number(field, out);
        break;
    case FIELD_INTEGER:
        fputs("{\"type\": \"integer\"}", out);
        break;
    case FIELD_SWITCH:
        fputs("{\"enum\": [" ON_WORDS ", " OFF_WORDS "]}", out);
        break;
    case FIELD_TEXT:
    case FIELD_REF:
        fputs("{\"type\": [\"string\", \"number\", \"boolean\"]}", out);
        break;
    case FIELD_VEC3:
    case FIELD_AXIS:
        fputs("{\"type\": \"array\", \"items\": {\"type\": \"number\"}, \"minItems\": 3, "
              "\"maxItems\": 3}",
              out);
        break;
    case FIELD_ROTATION:
        fputs("{\"type\": [\"array\", \"object\"]}", out);
        break;
    case FIELD_CHOICE:
        print_choice(field, out);
        break;
    case FIELD_NAMES:
        fputs("{\"type\": [\"array\", \"string\"]}", out);
        break;
    case FIELD_MAP:
        print_reference(printer, field->schema);
        break;
    case FIELD_ITEMS:
    case FIELD_CUSTOM:
        print_custom(printer, field);
        break;
    }
}

static void print_field(Printer* printer, const Field* field) {
    FILE* out = printer->out;
    fputs("        ", out);
    print_string(out, field->key);
    fputs(": {\"allOf\": [", out);
    print_type(printer, field);
    fputs("], \"description\": ", out);
    char text[600];
    snprintf(text, sizeof text, "%s%s%s%s%s", field->help, field->form ? "; " : "",
             field->form ? field->form : "", field->unit ? "; " : "",
             field->unit ? field->unit : "");
    print_string(out, text);
    fputc('}', out);
}

static void print_table(Printer* printer, const Schema* schema) {
    FILE* out = printer->out;
    fprintf(out, "{\"anyOf\": [{\n      \"type\": \"object\", \"title\": ");
    print_string(out, schema->title);
    // The key << merges anchors into the map.
    fputs(", \"additionalProperties\": false,\n      \"properties\": {\n        \"<<\": {}", out);
    for (int i = 0; i < schema->field_count; i++) {
        fputs(",\n", out);
        print_field(printer, &schema->fields[i]);
    }
    fputs("\n      }}", out);
    if (schema->may_be_off) {
        fputs(", {\"enum\": [" OFF_WORDS "]}", out);
    }
    fputs("]}", out);
}

void poise_format_print_json(FILE* out) {
    if (!out) {
        return;
    }
    Printer printer = {.out = out};
    fputs("{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n"
          "  \"title\": \"A scene of Poise\",\n  \"$ref\": \"#/definitions/table0\",\n"
          "  \"definitions\": {\n",
          out);
    (void)place_of(&printer, &poise__scene_schema);
    for (int i = 0; i < printer.count; i++) {
        fprintf(out, "%s    \"table%d\": ", i > 0 ? ",\n" : "", i);
        print_table(&printer, printer.tables[i]);
    }
    fputs("\n  }\n}\n", out);
}
