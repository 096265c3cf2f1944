// SPDX-License-Identifier: MIT
// The scene that is shown and its run. The only file of the viewer that loads anything.
#ifndef POISE_SESSION_H
#define POISE_SESSION_H

#include <stdio.h>

#include "note.h"
#include "poise/simulation.h"

typedef struct PoiseSession {
    PoiseScene* scene;
    PoiseSimulation* simulation;
} PoiseSession;

/// Reads the scene and builds its world. False when it cannot be run; what is wrong, and what is
/// worth a warning, is printed to `talk` with file, line and column.
bool poise__session_open(PoiseSession* session, const PoiseSceneSource* source, FILE* talk);
/// Builds the world anew. The run under way stays when that fails.
bool poise__session_restart(PoiseSession* session, PoiseNote* note);
/// All zero is allowed.
void poise__session_close(PoiseSession* session);

#endif
