// SPDX-License-Identifier: MIT
// How the links of a scene's robots look: read by a thread of its own beside the first frames.
#ifndef POISE_LOOKS_H
#define POISE_LOOKS_H

#include "look.h"
#include "poise/simulation.h"

typedef struct PoiseLooks PoiseLooks;

/// Begins to read the scene's meshes, at most `most` triangles of all together; the scene must
/// outlive it. NULL where it has none, or memory is short.
PoiseLooks* poise__looks_begin(const PoiseScene* scene, int most);
/// Stops reading. NULL is allowed.
void poise__looks_end(PoiseLooks* looks);
/// Waits until all are read: for pictures.
void poise__looks_wait(PoiseLooks* looks);

/// The model of a look, NULL while it is read or where it cannot be.
const PoiseLookModel* poise__looks_model(const PoiseLooks* looks, int look);
/// Whether a body is to be drawn by its looks: they are all there. Without meshes never.
bool poise__looks_cover(const PoiseLooks* looks, int body);
/// Grows when a model has come: whoever keeps triangles takes them anew. 0: none.
int poise__looks_count_read(const PoiseLooks* looks);
const PoiseScene* poise__looks_scene(const PoiseLooks* looks);

#endif
