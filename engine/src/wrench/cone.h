// SPDX-License-Identifier: MIT
// The cone of the wrenches that a contact can exert: a normal force (the push), friction of at most
// a fraction of the push, and moments that the push can have within the contact patch.
#ifndef POISE_CONE_H
#define POISE_CONE_H

#include <stdbool.h>

enum {
    CONE_SIZE = 6,  ///< number of components: push; friction along two axes; tilt about both; twist
    CONE_GROUPS = 4 ///< largest number of groups: friction, tilt (together or by axis), twist
};

/// The norm of the numbers from index `first` to `first` + `count` - 1 is at most `limit` times the
/// push.
typedef struct ConeGroup {
    int first;
    int count;
    double limit;
} ConeGroup;

/// The set of all u with push >= 0 and |group| <= limit push for each of the groups.
typedef struct Cone {
    bool open; ///< any wrench is allowed, because the direction of the ground is not known
    int group_count;
    ConeGroup groups[CONE_GROUPS];
} Cone;

/// Computes the point u of the cone nearest to v. Also its derivative by v (6 x 6, symmetric),
/// unless that is NULL.
void poise__cone_nearest(const Cone* cone, const double v[CONE_SIZE], double u[CONE_SIZE],
                         double derivative[CONE_SIZE][CONE_SIZE]);

#endif
