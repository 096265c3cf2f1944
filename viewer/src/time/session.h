// SPDX-License-Identifier: MIT
// The scene that is shown and its run. This is the only file of the viewer that loads a scene.
#ifndef POISE_SESSION_H
#define POISE_SESSION_H

#include <stdio.h>

#include "note.h"
#include "poise/simulation.h"
#include "seen_files.h"

enum { POISE_OVERRIDES_CAPACITY = 64, POISE_OVERRIDE_LENGTH = 256 };

typedef struct PoiseSession {
    PoiseScene* scene;
    PoiseSimulation* simulation;
    /// `key=value` each; they replace values of the scene's file.
    char overrides[POISE_OVERRIDES_CAPACITY][POISE_OVERRIDE_LENGTH];
    int override_count;
    /// The files that the scene, and scenes opened after it, may name.
    PoiseTrust trust;
    /// The files that the scene was read from, with their state at that time.
    PoiseSeenFiles seen;
    /// poise_diagnostics_hash after the scene was read.
    uint64_t scene_hash;
    /// Diagnostics with the list of files that were read. No output may replace one of these.
    PoiseDiagnostics* read;
} PoiseSession;

/// The errors and warnings of a scene's files as text, each with its place in the file.
enum { POISE_FINDINGS_CAPACITY = 4096 };
typedef struct PoiseFindings {
    char text[POISE_FINDINGS_CAPACITY];
} PoiseFindings;

/// Reads the scene and builds its world. Returns false when it cannot be run. Prints errors and
/// warnings to `messages` with file, line and column.
bool poise__session_open(PoiseSession* session, const PoiseSceneSource* source, FILE* messages);
/// Reads the scene's files again, with the same values replaced and one more, "world.step=0.002";
/// NULL: none. `session` stays as it is. Returns false, with the errors in `findings`, when the
/// scene cannot be run.
bool poise__session_open_again(PoiseSession* fresh, const PoiseSession* session,
                               const char* override, PoiseFindings* findings);
/// Does the same as poise__session_open, with errors and warnings in `findings`.
bool poise__session_try(PoiseSession* session, const PoiseSceneSource* source,
                        PoiseFindings* findings);
/// Builds the world anew, with the same random numbers to come. The present run stays if that
/// fails.
bool poise__session_restart(PoiseSession* session, PoiseNote* note);
/// Frees the session, which may be all zero.
void poise__session_close(PoiseSession* session);

/// Makes a step and returns the status of poise_simulation_step. Some errors in the middle of a
/// step make ODE end the process. The place and time are then printed first, and the exit code is
/// 4.
PoiseStatus poise__session_step(PoiseSession* session);

/// A scene of a folder (.yaml, .urdf, .xml), for the list of scenes and --list.
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

/// True if both paths lead to the same file.
bool poise__scene_list_are_same(const char* a, const char* b);
/// Finds how a typed path can continue: scenes and folders (ending in /) of its folder that begin
/// with it, a complete file first. Finds nothing for a text without /. `~/` is the home folder.
void poise__scene_list_find(PoiseSceneList* files, const char* typed);
/// Adds a file and reads its title. Returns NULL if the list is full, or if the file is a study and
/// no scene.
PoiseSceneFile* poise__scene_list_add_one(PoiseSceneList* files, const char* path);
/// Adds the scenes of the folder that are not listed yet, sorted by path. Titles come from their
/// `title:` lines.
void poise__scene_list_add(PoiseSceneList* files, const char* folder);
/// Prints each scene with its title. An empty list prints a message to `messages` and returns
/// false.
bool poise__scene_list_print(const PoiseSceneList* files, FILE* out, FILE* messages);

#endif
