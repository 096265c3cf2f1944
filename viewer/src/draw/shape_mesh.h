// SPDX-License-Identifier: MIT
// The mesh that represents a shape, for bodies, ghosts and looks.
#ifndef POISE_SHAPE_MESH_H
#define POISE_SHAPE_MESH_H

#include "overlay.h"

/// Sets mesh, core and shell of `instance` for a shape. The mesh of a hull is its bounding box.
void poise__shape_mesh(const PoiseShapeView* shape, PoiseInstance* instance);

#endif
