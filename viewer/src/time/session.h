// SPDX-License-Identifier: MIT
// The scene that is shown and its run. The only file of the viewer that loads anything.
#ifndef POISE_SESSION_H
#define POISE_SESSION_H

#include <stdio.h>

#include "note.h"
#include "poise/simulation.h"
#include "seen_files.h"

enum { POISE_OVERRIDES_MOST = 64, POISE_OVERRIDE_LENGTH = 256 };

typedef struct PoiseSession {
    PoiseScene* scene;
    PoiseSimulation* simulation;
    /// `key=value` each, by which the run differs from its file.
    char overrides[POISE_OVERRIDES_MOST][POISE_OVERRIDE_LENGTH];
    int override_count;
    /// What its files may name, and those opened after it.
    PoiseTrust trust;
    /// What it was read from, as it was then.
    PoiseSeenFiles seen;
    /// Which files were read: no output replaces one.
    PoiseDiagnostics* read;
} PoiseSession;

/// What is said of files: findings with their lines.
enum { POISE_SAID_CAPACITY = 4096 };
typedef struct PoiseSaid {
    char text[POISE_SAID_CAPACITY];
} PoiseSaid;

/// Reads the scene and builds its world. False when it cannot be run; what is wrong, and what is
/// worth a warning, is printed to `talk` with file, line and column.
bool poise__session_open(PoiseSession* session, const PoiseSceneSource* source, FILE* talk);
/// The same scene with one value more replaced, "world.step=0.002"; `session` stays as it is.
/// False, and why, when it cannot be run so.
bool poise__session_open_with(PoiseSession* fresh, const PoiseSession* session,
                              const char* override, PoiseNote* note);
/// The same scene, its files read again, with what was replaced. False, and what is wrong, when it
/// cannot be run as it is now.
bool poise__session_open_again(PoiseSession* fresh, const PoiseSession* session, PoiseSaid* said);
/// As poise__session_open; what is wrong comes into `said`, and warnings.
bool poise__session_try(PoiseSession* session, const PoiseSceneSource* source, PoiseSaid* said);
/// Builds the world anew, with the same random numbers to come. The run under way stays when that
/// fails.
bool poise__session_restart(PoiseSession* session, PoiseNote* note);
/// All zero is allowed.
void poise__session_close(PoiseSession* session);

/// As poise_simulation_step. ODE ends the process over some things it finds in the middle of a
/// step; then the person is told where and when first, and the exit code is 4.
PoiseStatus poise__session_step(PoiseSession* session);

/// The scenes of a folder (.yaml, .urdf, .xml), sorted by name; for the picker and --list.
typedef struct PoiseSceneFile {
    char path[512];
    char name[64];
    char title[128];
} PoiseSceneFile;

enum { POISE_SCENES_MOST = 64 };

typedef struct PoiseSceneFiles {
    PoiseSceneFile files[POISE_SCENES_MOST];
    int count;
} PoiseSceneFiles;

/// What a path that is being typed may become: the scenes and folders (with / at the end) of its
/// folder that begin so, the file itself first. None for a text without /. `~/` is the home folder.
void poise__scene_files_find(PoiseSceneFiles* files, const char* typed);
/// Adds one, its title read; NULL where there is no room, or the file is a study and no scene.
PoiseSceneFile* poise__scene_files_add_one(PoiseSceneFiles* files, const char* path);
/// Adds those of the folder that are not there yet; titles are read from their `title:` lines.
void poise__scene_files_add(PoiseSceneFiles* files, const char* folder);
/// Prints each with its title; where there is none says so on `talk` and returns false.
bool poise__scene_files_print(const PoiseSceneFiles* files, FILE* out, FILE* talk);

#endif
