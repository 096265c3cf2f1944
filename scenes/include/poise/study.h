// SPDX-License-Identifier: MIT
// A study: one scene run many times, each time with other values of some of its keys. `poise sweep`
// runs one in processes and keeps a table of it.
//
//     const char* const settings[] = {"scene=springhead_2balls", "seconds=2", "figures=tip.error",
//                                     "vary.defaults.joint.ik.spring=100:10000:20:log"};
//     const PoiseStudySource source = {.settings = settings, .setting_count = 4};
//     PoiseStudy* study = poise_study_load(&source, diagnostics);
//     double error;
//     PoiseStudyRow row = {.figures = &error};
//     for (int run = 0; run < poise_study_run_count(study); run++) {
//         if (poise_study_run(study, run, &row) == POISE_OK) { ... row.status, error ... }
//     }
//     poise_study_destroy(study);
#ifndef POISE_STUDY_H
#define POISE_STUDY_H

#include "poise/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A study that was read. It never changes: threads may share it.
typedef struct PoiseStudy PoiseStudy;

/// What a study is read from.
typedef struct PoiseStudySource {
    /// Its file, `sweep: 1` and so on (scenes/README.md); NULL: all of it is in `settings`.
    const char* path;
    /// `member=value` each, in place of what the file says: "seconds=2", "vary.KEY=10,20,30". A
    /// finding in one has the place that it has in the text.
    const char* const* settings;
    int setting_count;
    /// All zero: malloc and free.
    PoiseHost host;
} PoiseStudySource;

/// The study, to be destroyed by poise_study_destroy, or NULL when `diagnostics` got an error, or
/// one of the arguments is NULL.
POISE_API POISE_NODISCARD PoiseStudy* poise_study_load(const PoiseStudySource* source,
                                                       PoiseDiagnostics* diagnostics);
/// NULL is allowed.
POISE_API void poise_study_destroy(PoiseStudy* study);

/// How many runs it has, at most 1e9: all combinations of values, times its draws. 0 for NULL.
POISE_API int poise_study_run_count(const PoiseStudy* study);
/// How many keys it varies; 0 for NULL.
POISE_API int poise_study_key_count(const PoiseStudy* study);
/// The key at the index, as `joints.elbow.ik.spring`; "" where there is none.
POISE_API const char* poise_study_key(const PoiseStudy* study, int key);
/// The most bytes of a value, with the final 0.
enum { POISE_STUDY_VALUE = 256 };
/// The value of a key in a run, as a scene's file would have it: "100" or "[0, 0, 1]". It depends
/// on the study and the run alone, random draws too. Writes at most `capacity` bytes with the final
/// 0 and returns `text`; "" where there is no such run or key, or no room.
POISE_API const char* poise_study_value(const PoiseStudy* study, int run, int key, char* text,
                                        size_t capacity);
/// How many figures it keeps of each run; 0 for NULL.
POISE_API int poise_study_figure_count(const PoiseStudy* study);
/// The figure at the index, as `hand.rms_error`; "" where there is none.
POISE_API const char* poise_study_figure(const PoiseStudy* study, int figure);
/// A number of what the study says, what its files hold, and the version of Poise; 0 for NULL. The
/// files are those that the first run reads (scene, robots, meshes, motions), and the first run
/// with each word that a list has for a key.
POISE_API uint64_t poise_study_fingerprint(const PoiseStudy* study);

/// How a run ended.
typedef struct PoiseStudyRow {
    /// "ok", "blew_up", or "refused": the scene cannot be read with these values.
    const char* status;
    /// Why it is not ok, "" where it is.
    char reason[400];
    /// The caller's, as many numbers as there are figures, in their order and units (see
    /// poise/figures.h); NaN where a figure has no value. NULL: not wanted.
    double* figures;
    /// Of the last state (poise_simulation_state_hash); 0 where it was refused.
    uint64_t state_hash;
} PoiseStudyRow;

/// Runs the scene with the run's values from its start to its end. A run that blows up or is
/// refused is a row, too. It seeds ODE's random numbers, which all threads share, so that one study
/// gives the same rows each time: run several at once in processes, not in threads.
/// POISE_ERROR_INVALID_ARGUMENT, and nothing is written: NULL, or no such run.
/// POISE_ERROR_STALE: a file that the run reads was changed after the study was read; `reason`
/// names it. POISE_ERROR_OUT_OF_MEMORY: the row is not whole; `reason` may say that processes or
/// descriptors are short in place of memory.
POISE_API PoiseStatus poise_study_run(const PoiseStudy* study, int run, PoiseStudyRow* row);

#ifdef __cplusplus
}
#endif

#endif
