// SPDX-License-Identifier: MIT
// The scenes and robots that were opened last, saved between runs. The file
// $XDG_STATE_HOME/poise/recent has one path a line, the newest first. The default of the variable
// is ~/.local/state.
#ifndef POISE_RECENT_H
#define POISE_RECENT_H

#include "session.h"

enum { POISE_RECENT_CAPACITY = 10 };

/// Writes the path of a file of this name in the folder of saved state, and makes the folders.
/// Returns false if there is no home folder.
bool poise__state_file(const char* name, char path[512]);

/// Reads the list; files that do not exist are left out.
void poise__recent_read(PoiseSceneList* recent);
/// Puts a file in front and writes the list. An error in writing is ignored: nothing is saved then.
void poise__recent_add(PoiseSceneList* recent, const char* path);

#endif
