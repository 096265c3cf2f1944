// SPDX-License-Identifier: MIT
// A study: one scene run many times, each with other values of some of its keys.
#ifndef POISE_STUDY_H
#define POISE_STUDY_H

#include "arena.h"
#include "document.h"
#include "poise/scene.h"

/// How a key's values are given.
typedef enum VaryKind {
    VARY_LIST,  ///< [100, 200, 400]
    VARY_RANGE, ///< {from: 1, to: 10, count: 10}
    VARY_DRAW   ///< {draw: [1, 10]}: another in each run
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

typedef struct Study {
    const char* file;
    const char* scene;
    double seconds; ///< 0: as the scene says
    double seed;
    int draws; ///< runs of each combination
    Vary* varied;
    int varied_count;
    const char** figures;
    int figure_count;
    long run_count;
    uint64_t fingerprint; ///< of the text: rows of another study are not taken for this one's
} Study;

/// Reads the file; false with findings.
bool poise__study_read(Study* study, Arena* arena, const char* path, PoiseDiagnostics* diagnostics);

enum { STUDY_VALUE = 256 };
/// The value of a key in a run, as YAML. Depends on the study and the run's number alone.
const char* poise__study_value(const Study* study, long run, int key, char text[STUDY_VALUE]);

#endif
