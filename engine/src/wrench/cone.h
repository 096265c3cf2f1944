// SPDX-License-Identifier: MIT
// The wrenches that a contact can bear: a push, friction in proportion to the push, and moments as
// long as the centre of pressure stays inside the contact patch.
#ifndef POISE_CONE_H
#define POISE_CONE_H

#include <stdbool.h>

enum {
    CONE_SIZE = 6,  ///< push; friction along two axes; tilt about both; twist
    CONE_GROUPS = 4 ///< friction, tilt (or both of them apart), twist
};

/// Numbers `first`, `first` + `count` - 1 are together at most `limit` times the push.
typedef struct ConeGroup {
    int first;
    int count;
    double limit;
} ConeGroup;

/// { u : push >= 0, |group| <= limit push }
typedef struct Cone {
    bool open; ///< all of space: nothing is known of the ground's direction
    int group_count;
    ConeGroup groups[CONE_GROUPS];
} Cone;

/// The point u of the cone that is nearest to v and, unless NULL, its derivative by v: 6 x 6,
/// symmetric.
void poise__cone_nearest(const Cone* cone, const double v[CONE_SIZE], double u[CONE_SIZE],
                         double derivative[CONE_SIZE][CONE_SIZE]);

#endif
