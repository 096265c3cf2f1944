// SPDX-License-Identifier: MIT
// The visual meshes of a scene's robots. A separate thread reads them while the first frames are
// shown; if no thread can be made, each frame reads one mesh.
#ifndef POISE_LOOKS_H
#define POISE_LOOKS_H

#include "look_triangles.h"
#include "poise/simulation.h"

typedef struct PoiseLooks PoiseLooks;

/// Starts reading the scene's meshes. The surface of a simplified mesh is at most about `tolerance`
/// m away from that of the whole mesh. The scene must outlive the result. Returns NULL if the scene
/// has no meshes or memory is short.
PoiseLooks* poise__looks_begin(const PoiseScene* scene, double tolerance);
/// Stops reading and frees the meshes. NULL is allowed.
void poise__looks_end(PoiseLooks* looks);
/// Waits until all meshes are read, for pictures.
void poise__looks_wait(PoiseLooks* looks);

/// Returns the whole or the simplified model of a look; NULL if it is not read yet or cannot be.
const PoiseLookModel* poise__looks_model(const PoiseLooks* looks, int look, bool simplified);
/// True if all looks of the body are read, so that they replace its shapes. Always false for a body
/// without looks.
bool poise__looks_cover(const PoiseLooks* looks, int body);
/// Returns the number of looks that were read or found unreadable, 0 at first. When it grows,
/// callers must copy the triangles again. Without a thread, as in a page, each call reads one more.
int poise__looks_count_read(PoiseLooks* looks);
const PoiseScene* poise__looks_scene(const PoiseLooks* looks);

#endif
