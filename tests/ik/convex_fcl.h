// SPDX-License-Identifier: MIT
// Distances of shapes by libfcl, as an oracle.
#ifndef CONVEX_FCL_H
#define CONVEX_FCL_H

#include "poise/convex.h"

#ifdef __cplusplus
extern "C" {
#endif

/// True if the tests were built with libfcl.
bool fcl_is_there(void);
/// Returns the distance of two spheres, capsules or boxes, m; at most 0 if they overlap.
double fcl_distance(const PoiseConvex* a, PoisePose a_link, const PoiseConvex* b, PoisePose b_link);

#ifdef __cplusplus
}
#endif

#endif
