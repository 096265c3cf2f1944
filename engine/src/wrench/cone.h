// SPDX-License-Identifier: MIT
// What the ground can give to a foot: it pushes, it rubs as much as it is pressed, and it acts
// somewhere on the sole.
#ifndef POISE_CONE_H
#define POISE_CONE_H

#include <stdbool.h>

enum {
    CONE_SIZE = 6,  ///< push; rub along two axes; tilt about both; twist
    CONE_GROUPS = 4 ///< rub, tilt (or both of them apart), twist
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

/// The nearest of the cone to v, and, unless NULL, how it goes along with v: 6 x 6, symmetric.
void poise__cone_nearest(const Cone* cone, const double v[CONE_SIZE], double u[CONE_SIZE],
                         double slope[CONE_SIZE][CONE_SIZE]);

#endif
