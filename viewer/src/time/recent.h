// SPDX-License-Identifier: MIT
// The scenes and robots that were opened last, kept from run to run: a path a line in
// $XDG_STATE_HOME/poise/recent (~/.local/state without it), the newest first.
#ifndef POISE_RECENT_H
#define POISE_RECENT_H

#include "session.h"

enum { POISE_RECENT_MOST = 10 };

/// The path of a file of that name in the folder where they are kept; makes the folders to it.
/// False where there is no home.
bool poise__state_file(const char* name, char path[512]);

/// Reads them; those that are gone are left out.
void poise__recent_read(PoiseSceneFiles* recent);
/// Puts one in front and writes them all; where that cannot be, nothing is kept and nothing said.
void poise__recent_add(PoiseSceneFiles* recent, const char* path);

#endif
