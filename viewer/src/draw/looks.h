// SPDX-License-Identifier: MIT
// The visual meshes (looks) of a scene's robots. A separate thread reads them while the first
// frames are shown; if no thread can be made, each frame reads one mesh.
#ifndef POISE_LOOKS_H
#define POISE_LOOKS_H

#include "look_triangles.h"
#include "poise/simulation.h"

typedef struct PoiseLooks PoiseLooks;

/// Starts to read the scene's meshes. The surface of a simplified mesh is at most about `tolerance`
/// m away from that of the whole mesh. The scene must outlive the result. Returns NULL if the scene
/// has no meshes or memory runs out.
PoiseLooks* poise__looks_begin(const PoiseScene* scene, double tolerance);
/// Ends reading and frees the meshes. NULL is allowed.
void poise__looks_end(PoiseLooks* looks);
/// Waits until all meshes are read; used for pictures.
void poise__looks_wait(PoiseLooks* looks);

/// Returns the whole or the simplified model of a look; NULL if it has not been read or cannot be.
const PoiseLookModel* poise__looks_model(const PoiseLooks* looks, int look, bool simplified);
/// True if all looks of the body have been read and so replace its shapes. False for a body without
/// looks.
bool poise__looks_cover(const PoiseLooks* looks, int body);
/// Returns the number of looks that were read or found unreadable. When it grows, callers must copy
/// the triangles again. If there is no thread (in a web page), each call reads one more look.
int poise__looks_count_read(PoiseLooks* looks);
const PoiseScene* poise__looks_scene(const PoiseLooks* looks);

#endif
