// SPDX-License-Identifier: MIT
// The scenes and robots that were opened last, saved between runs. The file
// $XDG_STATE_HOME/poise/recent has a line for each path, the newest first. The variable's default
// is ~/.local/state.
#ifndef POISE_RECENT_H
#define POISE_RECENT_H

#include "session.h"

enum { POISE_RECENT_CAPACITY = 10 };

/// Writes the path of the file with this name in the folder of saved state, and makes the folders.
/// Returns false if there is no home folder.
bool poise__state_file(const char* name, char path[512]);

/// Reads the list, without files that do not exist.
void poise__recent_read(PoiseSceneList* recent);
/// Adds a file at the front and writes the list. If writing fails, nothing is saved and no error
/// reported.
void poise__recent_add(PoiseSceneList* recent, const char* path);

#endif
