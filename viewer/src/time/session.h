// SPDX-License-Identifier: MIT
// The scene that is shown, and its simulation. No other file of the viewer loads a scene.
#ifndef POISE_SESSION_H
#define POISE_SESSION_H

#include <stdio.h>

#include "note.h"
#include "poise/simulation.h"
#include "watched_files.h"

enum { POISE_OVERRIDES_CAPACITY = 64, POISE_OVERRIDE_LENGTH = 256 };

typedef struct PoiseSession {
    PoiseScene* scene;
    PoiseSimulation* simulation;
    /// Texts `key=value`; each replaces a value of the scene's file.
    char overrides[POISE_OVERRIDES_CAPACITY][POISE_OVERRIDE_LENGTH];
    int override_count;
    /// The files that the scene, and scenes opened after it, may name.
    PoiseTrust trust;
    /// The files from which the scene was read, and their state at that time.
    PoiseWatchedFiles watched_files;
    /// poise_diagnostics_hash after the scene was read.
    uint64_t scene_hash;
    /// Diagnostics with the list of files that were read, none of which an output may replace.
    PoiseDiagnostics* read;
} PoiseSession;

/// The errors and warnings of a scene's files as text, with the position in the file for each.
enum { POISE_FINDINGS_CAPACITY = 4096 };
typedef struct PoiseFindings {
    char text[POISE_FINDINGS_CAPACITY];
} PoiseFindings;

/// Reads the scene and builds its world. Returns false if the scene cannot be run. Prints errors
/// and warnings to `messages`, with file, line and column.
bool poise__session_open(PoiseSession* session, const PoiseSceneSource* source, FILE* messages);
/// Reads the scene's files again into `fresh`, with the same values replaced, and one more
/// ("world.step=0.002") unless that is NULL. `session` does not change. Returns false, with the
/// errors in `findings`, if the scene cannot be run.
bool poise__session_open_again(PoiseSession* fresh, const PoiseSession* session,
                               const char* override, PoiseFindings* findings);
/// Does the same as poise__session_open, but writes errors and warnings to `findings`.
bool poise__session_try(PoiseSession* session, const PoiseSceneSource* source,
                        PoiseFindings* findings);
/// Builds the world again, with the same random numbers as at the start. If this fails, the present
/// run stays.
bool poise__session_restart(PoiseSession* session, PoiseNote* note);
/// Frees the session. A struct of zeros is allowed.
void poise__session_close(PoiseSession* session);

/// Makes a step and returns the status of poise_simulation_step. Some errors in a step make ODE end
/// the process; then this prints place and time, and exits with code 4.
PoiseStatus poise__session_step(PoiseSession* session);

/// A scene in a folder (.yaml, .urdf, .xml), for the list of scenes and --list.
typedef struct PoiseSceneFile {
    char path[512];
    char name[64];
    char title[128];
} PoiseSceneFile;

enum { POISE_SCENES_CAPACITY = 64 };

typedef struct PoiseSceneList {
    PoiseSceneFile files[POISE_SCENES_CAPACITY];
    int count;
} PoiseSceneList;

/// True if both paths denote the same file.
bool poise__scene_list_are_same(const char* a, const char* b);
/// Finds the scenes and folders (ending in /) whose path begins with the typed text, a complete
/// file name first. Finds nothing for a text without /. `~/` is the home folder.
void poise__scene_list_find(PoiseSceneList* files, const char* typed);
/// Adds a file and reads its title. Returns NULL if the list is full, or if the file is a study,
/// not a scene.
PoiseSceneFile* poise__scene_list_add_one(PoiseSceneList* files, const char* path);
/// Adds the scenes of the folder that are not listed yet, sorted by path, with the titles of their
/// `title:` lines.
void poise__scene_list_add(PoiseSceneList* files, const char* folder);
/// Prints each scene with its title. An empty list prints a message to `messages` and returns
/// false.
bool poise__scene_list_print(const PoiseSceneList* files, FILE* out, FILE* messages);

#endif
