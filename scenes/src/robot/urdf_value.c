// SPDX-License-Identifier: MIT
// URDF: reads attributes of elements, and reports elements that are not used.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "poise/rotation.h"
#include "urdf.h"

// Largest number. Beyond it, its squares and cubes could overflow a double in the physics.
#define LARGEST 1e18
// Largest distance, m. Beyond it, rounding spoils the physics.
#define FARTHEST 1e5

// Most names that are compared to guess what wrong names mean.
#define MOST_COMPARED 20000

static bool refuse(UrdfReader* reader, PoiseMark mark, const char* message) {
    poise__diagnose(reader->document->diagnostics, POISE_ERROR, mark, "%s", message);
    return false;
}

// Reads numbers as the tools for URDFs do: letters behind a number, such as a second point, are
// left out, and so are numbers beyond `count`. Returns the number of values; -1 if one is wrong.
static int read_tolerantly(const char* text, double* values, int count) {
    int found = 0;
    while (found < count) {
        text += strspn(text, ", \t\r\n");
        const size_t length = strcspn(text, ", \t\r\n");
        size_t kept = length;
        while (kept > 1 && strchr(".;f", text[kept - 1])) {
            kept--;
        }
        char word[64];
        if (length == 0 || kept >= sizeof word) {
            return length == 0 ? found : -1;
        }
        memcpy(word, text, kept);
        word[kept] = '\0';
        if (poise_number_read(word, &values[found]) != POISE_NUMBER_FINE) {
            return -1;
        }
        found++;
        text += length;
    }
    return found;
}

// Reads the numbers of an attribute that is not well written; true with a note if that is possible.
static bool read_odd(UrdfReader* reader, const Element* attribute, double* numbers, int count) {
    if (reader->strict || read_tolerantly(attribute->text, numbers, count) != count) {
        return false;
    }
    char read[240] = "";
    for (int i = 0; i < count; i++) {
        const size_t used = strlen(read);
        snprintf(read + used, sizeof read - used, "%s%g", i > 0 ? " " : "", numbers[i]);
    }
    poise__diagnose_kind(reader->document->diagnostics, (FindingKind){POISE_NOTE, "odd numbers"},
                         attribute->mark, "'%.60s' is taken as '%s'", attribute->text, read);
    return true;
}

bool poise__urdf_numbers(UrdfReader* reader, const Element* element, const char* key,
                         double* values, int count) {
    const Element* attribute = poise__element_find(element, key);
    char message[256];
    if (!attribute) {
        snprintf(message, sizeof message, "<%.60s> lacks '%s'", element->key, key);
        return refuse(reader, element->mark, message);
    }
    double numbers[8] = {0.0};
    PoiseNumberKind kind = POISE_NUMBER_FINE;
    const int found = poise_numbers_read(attribute->text, numbers, count, &kind);
    bool fine = (found == count && kind == POISE_NUMBER_FINE) ||
                read_odd(reader, attribute, numbers, count);
    for (int i = 0; i < count; i++) {
        fine = fine && fabs(numbers[i]) <= LARGEST;
    }
    if (!fine) {
        const char* hint =
            strstr(attribute->text, "${") ? "; expand the file with xacro first" : "";
        snprintf(message, sizeof message, "'%s' must be %d finite number%s, not '%.60s'%s", key,
                 count, count == 1 ? "" : "s", attribute->text, hint);
        return refuse(reader, attribute->mark, message);
    }
    memcpy(values, numbers, (size_t)count * sizeof *values);
    return true;
}

bool poise__urdf_number(UrdfReader* reader, const Element* element, const char* key,
                        double* value) {
    return poise__urdf_numbers(reader, element, key, value, 1);
}

const char* poise__urdf_text(UrdfReader* reader, const Element* element, const char* key) {
    const Element* attribute = poise__element_find(element, key);
    if (attribute && attribute->text[0]) {
        return attribute->text;
    }
    char message[128];
    snprintf(message, sizeof message, "<%.60s> lacks '%s'", element->key, key);
    (void)refuse(reader, attribute ? attribute->mark : element->mark, message);
    return NULL;
}

bool poise__urdf_bound(UrdfReader* reader, const Element* element, const char* key, double* value) {
    const Element* attribute = poise__element_find(element, key);
    double read = 0.0;
    if (attribute && poise_number_read(attribute->text, &read) == POISE_NUMBER_INFINITE) {
        *value = read;
        return true;
    }
    return poise__urdf_number(reader, element, key, value);
}

// Returns the attribute; NULL if it is missing or empty.
static const Element* find_filled(const Element* element, const char* key) {
    const Element* attribute = poise__element_find(element, key);
    return attribute && attribute->text[strspn(attribute->text, " \t\r\n")] ? attribute : NULL;
}

PoisePose poise__urdf_origin(UrdfReader* reader, const Element* element) {
    const Element* origin = poise__element_find(element, "origin");
    double xyz[3] = {0.0, 0.0, 0.0};
    double rpy[3] = {0.0, 0.0, 0.0};
    const Element* place = find_filled(origin, "xyz");
    if (place) {
        poise__urdf_numbers(reader, origin, "xyz", xyz, 3);
        if (fmax(fabs(xyz[0]), fmax(fabs(xyz[1]), fabs(xyz[2]))) > FARTHEST) {
            (void)refuse(reader, place->mark, "'xyz' must not be farther out than 1e5 m");
        }
    }
    if (find_filled(origin, "rpy")) {
        poise__urdf_numbers(reader, origin, "rpy", rpy, 3);
    }
    const PoiseQuat turn = poise_quat_from_rpy(poise_vec3(rpy[0], rpy[1], rpy[2]));
    return poise_pose(poise_vec3(xyz[0], xyz[1], xyz[2]), poise_quat_normalize(turn));
}

bool poise__urdf_may_guess(UrdfReader* reader) {
    reader->compared += reader->compared < MOST_COMPARED ? 1 : 0;
    return reader->compared < MOST_COMPARED;
}

void poise__urdf_note_unknown(UrdfReader* reader, const Element* element, const char* owner,
                              const char* const* known) {
    for (int i = 0; i < element->child_count; i++) {
        const Element* child = element->children[i];
        bool used = child->kind != ELEMENT_MAP;
        for (int j = 0; known[j] && !used; j++) {
            used = strcmp(child->key, known[j]) == 0;
        }
        if (!used) {
            char kind[160];
            snprintf(kind, sizeof kind, "%.60s %s", child->key, owner);
            poise__diagnose_kind(reader->document->diagnostics, (FindingKind){POISE_NOTE, kind},
                                 child->mark, "<%.60s> in %s is not used", child->key, owner);
        }
    }
}

double poise__urdf_not_negative(UrdfReader* reader, const Element* element, const char* key,
                                double fallback) {
    double value = fallback;
    if (!poise__element_find(element, key) || !poise__urdf_number(reader, element, key, &value)) {
        return fallback;
    }
    if (value < 0.0) {
        char message[96];
        snprintf(message, sizeof message, "'%s' must be at least 0, not %g", key, value);
        (void)refuse(reader, poise__element_find(element, key)->mark, message);
        return fallback;
    }
    return value;
}
