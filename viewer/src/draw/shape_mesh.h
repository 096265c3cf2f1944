// SPDX-License-Identifier: MIT
// The mesh that draws a shape, for bodies, ghosts and looks.
#ifndef POISE_SHAPE_MESH_H
#define POISE_SHAPE_MESH_H

#include "overlay.h"

/// Sets mesh, core and shell for a shape. A hull is drawn by its bounding box.
void poise__shape_mesh(const PoiseShapeView* shape, PoiseInstance* instance);

#endif
