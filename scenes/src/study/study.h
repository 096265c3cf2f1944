// SPDX-License-Identifier: MIT
// A study as its runs take it: study_read.c makes it, study_value.c and study_run.c use it.
#ifndef POISE_STUDY_PRIVATE_H
#define POISE_STUDY_PRIVATE_H

#include "document.h"
#include "poise/study.h"

/// How a key's values are given.
typedef enum VaryKind {
    VARY_LIST,  ///< [100, 200, 400] or 100,200,400
    VARY_RANGE, ///< {from: 1, to: 10, count: 10} or 1:10:10
    VARY_DRAW   ///< {draw: [1, 10]} or draw:1:10: another in each run
} VaryKind;

typedef struct Vary {
    const char* key;
    VaryKind kind;
    const char** values; ///< of a list, as YAML
    int count;           ///< of a list or range; 1 for a draw
    double from;
    double to;
    bool logarithmic;
} Vary;

struct PoiseStudy {
    Arena arena; ///< of all below
    const char* scene;
    double seconds; ///< 0: as the scene says
    double seed;
    int draws; ///< runs of each combination
    Vary* varied;
    int varied_count;
    int varied_capacity;
    const char** figures;
    int figure_count;
    int run_count;
    /// Of what it was read from, the files that its runs read, and the version of this program.
    uint64_t fingerprint;
    PoiseDiagnostics* read; ///< knows these files; NULL: there are no runs
};

/// What a study's values are read with.
typedef struct StudyReading {
    PoiseStudy* study;
    Arena* arena;
    PoiseDiagnostics* diagnostics;
    bool fine;
} StudyReading;

/// An error at the element.
void poise__study_refuse(StudyReading* reading, const Element* at, const char* text);
/// A scalar, or a list of scalars, as it was written; "" with an error for anything else.
const char* poise__study_text(StudyReading* reading, const Element* element);
/// A number in the range; an error for anything else.
double poise__study_number(StudyReading* reading, const Element* element, double lower,
                           double upper);
/// The parts of a scalar between separators, as a list of scalars at their places; false when
/// memory is short.
bool poise__study_split(StudyReading* reading, const Element* element, char separator,
                        Element* list);
/// Adds the files that the runs read to `diagnostics`, and what they hold to the fingerprint: those
/// of the first run, and of it with each word that a list has for a key. False, with an error, when
/// memory, processes or descriptors are short.
bool poise__study_add_files(PoiseStudy* study, PoiseDiagnostics* diagnostics);
/// How one key varies.
void poise__vary_read(StudyReading* reading, const Element* element, Vary* vary);

#endif
