// SPDX-License-Identifier: MIT
// A study: one scene that runs many times with other values for some keys. The Python package
// (poise.Study, `poise sweep`) distributes the runs over processes and machines, and writes a
// table.
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

/// A study that was read. A study never changes: threads may share it.
typedef struct PoiseStudy PoiseStudy;

/// The source of a study: a file, settings, or both.
typedef struct PoiseStudySource {
    /// File of the study, beginning with `sweep: 1` (scenes/README.md); NULL: `settings` hold the
    /// whole study.
    const char* path;
    /// Settings `member=value` that replace members of the file: "seconds=2", "vary.KEY=10,20,30".
    /// A finding in a setting has its column in this text.
    const char* const* settings;
    int setting_count;
    /// Trust in the scene of the study, as in PoiseSceneSource.
    PoiseTrust trust;
    /// Memory and log of the study. All zero: malloc and free, no log.
    PoiseHost host;
} PoiseStudySource;

/// Reads a study, to be destroyed by poise_study_destroy. Returns NULL if `diagnostics` got an
/// error or an argument is NULL.
POISE_API POISE_NODISCARD PoiseStudy* poise_study_load(const PoiseStudySource* source,
                                                       PoiseDiagnostics* diagnostics);
/// Destroys the study; NULL is allowed.
POISE_API void poise_study_destroy(PoiseStudy* study);

/// Returns the number of runs, at most 1e9: all combinations of values, times the number of draws.
/// 0 for NULL.
POISE_API int poise_study_run_count(const PoiseStudy* study);
/// Returns the number of keys that vary; 0 for NULL.
POISE_API int poise_study_key_count(const PoiseStudy* study);
/// Returns the key at the index, such as `joints.elbow.ik.spring`; "" past the end.
POISE_API const char* poise_study_key(const PoiseStudy* study, int key);
/// Maximal number of bytes of a value, with the final 0.
enum { POISE_STUDY_VALUE = 256 };
/// Writes the value of a key in a run, in the syntax of a scene's file: "100" or "[0, 0, 1]". A
/// random value, too, depends on the study and the run alone. Writes at most `capacity` bytes with
/// the final 0 and returns `text`; "" if the run or key is missing or there is no room.
POISE_API const char* poise_study_value(const PoiseStudy* study, int run, int key, char* text,
                                        size_t capacity);
/// Returns the number of figures that the study records of each run; 0 for NULL.
POISE_API int poise_study_figure_count(const PoiseStudy* study);
/// Returns the figure at the index, such as `hand.rms_error`; "" past the end.
POISE_API const char* poise_study_figure(const PoiseStudy* study, int figure);
/// Returns a hash of the study, the contents of its files, and the version of Poise; 0 for NULL.
/// The hash includes the files that the first run reads (scene, robots, meshes, motions). For each
/// key with a list of words, it includes the files of the first run with each word.
POISE_API uint64_t poise_study_fingerprint(const PoiseStudy* study);

/// The result of a run.
typedef struct PoiseStudyRow {
    /// "ok", "blew_up", or "refused": the scene cannot be read with these values.
    const char* status;
    /// Reason for another status than "ok"; "" for "ok".
    char reason[400];
    /// The caller's array, a number for each figure, in the study's order and the figures' units
    /// (see poise/figures.h); NaN if a figure has no value. NULL: not wanted.
    double* figures;
    /// Hash of the last state (poise_simulation_state_hash); 0 if refused.
    uint64_t state_hash;
} PoiseStudyRow;

/// Runs the scene with the run's values from start to end. A run that blows up or is refused also
/// fills the row. Each run seeds ODE's random numbers, which all threads share, so that a study
/// repeats its rows exactly: run several at once in processes, not in threads.
/// POISE_ERROR_INVALID_ARGUMENT, and nothing is written: NULL, or no run with this index.
/// POISE_ERROR_STALE: a file that the run reads was changed after the study was read; `reason`
/// names the file. POISE_ERROR_OUT_OF_MEMORY: the row is incomplete; `reason` may say that
/// processes or descriptors are short instead.
POISE_API PoiseStatus poise_study_run(const PoiseStudy* study, int run, PoiseStudyRow* row);

#ifdef __cplusplus
}
#endif

#endif
