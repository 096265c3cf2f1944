// SPDX-License-Identifier: MIT
// A study as its runs use it. study_read.c builds it; study_value.c and study_run.c use it.
#ifndef POISE_STUDY_PRIVATE_H
#define POISE_STUDY_PRIVATE_H

#include "document.h"
#include "poise/study.h"

/// The form in which a study gives a key's values.
typedef enum VaryKind {
    VARY_LIST,  ///< [100, 200, 400] or 100,200,400
    VARY_RANGE, ///< {from: 1, to: 10, count: 10} or 1:10:10
    VARY_DRAW   ///< {draw: [1, 10]} or draw:1:10: another value in each run
} VaryKind;

typedef struct Vary {
    const char* key;
    VaryKind kind;
    const char** values; ///< the values of a list, as YAML
    int count;           ///< number of values of a list or range; 1 for a draw
    double from;
    double to;
    bool logarithmic;
} Vary;

struct PoiseStudy {
    Arena arena; ///< memory of all members below
    const char* scene;
    const char* named_by; ///< the study's file if it names the scene; NULL: the user named it
    PoiseTrust trust;
    double seconds; ///< length of a run, s; 0: the scene's length
    double seed;
    int draws; ///< number of runs for each combination of values
    Vary* varied;
    int varied_count;
    int varied_capacity;
    const char** figures;
    int figure_count;
    int run_count;
    /// Hash of the study's text, of the files that its runs read, and of this program's version.
    uint64_t fingerprint;
    PoiseDiagnostics* read; ///< the files that `fingerprint` covers; NULL: the study has no runs
};

/// The state of reading a study.
typedef struct StudyReading {
    PoiseStudy* study;
    Arena* arena;
    PoiseDiagnostics* diagnostics;
    bool fine;
} StudyReading;

/// Reports an error in the study at the place of the element.
void poise__study_refuse(StudyReading* reading, const Element* at, const char* text);
/// Returns a scalar, or a list of scalars, as it was written; "" with an error for anything else.
const char* poise__study_text(StudyReading* reading, const Element* element);
/// Returns a number in the range. Reports an error for anything else, and returns `lower`.
double poise__study_number(StudyReading* reading, const Element* element, double lower,
                           double upper);
/// Splits a scalar at the separators into a list of scalars with their own marks. Returns false
/// when memory is short.
bool poise__study_split(StudyReading* reading, const Element* element, char separator,
                        Element* list);
/// Adds the files that the runs read to `diagnostics`, and their hashes to the fingerprint. They
/// are the files of the first run, and of copies of it with each further word of a key whose values
/// are words. Returns false with an error when memory, processes or descriptors are short.
bool poise__study_add_files(PoiseStudy* study, PoiseDiagnostics* diagnostics);
/// Reads the values of one varied key.
void poise__vary_read(StudyReading* reading, const Element* element, Vary* vary);

#endif
