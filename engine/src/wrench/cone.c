// SPDX-License-Identifier: MIT
// The nearest point of a cone, in closed form. With the push n given, each group is cut to its
// limit n; what is left is convex in n alone, quadratic between the places where a group reaches
// its limit: n + sum over the groups that are cut of limit (limit n - length) = v_0.
#include "cone.h"

#include "poise/math.h"

#include <math.h>
#include <string.h>

static double length_of(const ConeGroup* group, const double* v) {
    double sum = 0.0;
    for (int i = 0; i < group->count; i++) {
        sum += v[group->first + i] * v[group->first + i];
    }
    return sqrt(sum);
}

// the push, and which groups are cut there
static double find_push(const Cone* cone, const double* v, const double* length, bool* cut) {
    double sum = v[0];
    double squares = 1.0;
    for (int round = 0; round <= cone->group_count; round++) {
        const double push = sum / squares;
        // of those not cut, the one that reaches its limit at the largest push
        int next = -1;
        for (int g = 0; g < cone->group_count; g++) {
            const double limit = cone->groups[g].limit;
            if (cut[g] || length[g] <= limit * poise_max(push, 0.0)) {
                continue;
            }
            if (next < 0 || length[g] * cone->groups[next].limit > length[next] * limit) {
                next = g;
            }
        }
        if (next < 0) {
            return push;
        }
        cut[next] = true;
        sum += cone->groups[next].limit * length[next];
        squares += cone->groups[next].limit * cone->groups[next].limit;
    }
    return sum / squares;
}

// along the cut groups all go with the push; across, a group turns as far as it was cut
static void fill_slope(const Cone* cone, const double* v, const double* length, const bool* cut,
                       double push, double slope[CONE_SIZE][CONE_SIZE]) {
    double along[CONE_SIZE] = {1.0};
    double square = 1.0;
    for (int g = 0; g < cone->group_count; g++) {
        const ConeGroup* group = &cone->groups[g];
        for (int i = group->first; i < group->first + group->count; i++) {
            if (!cut[g]) {
                slope[i][i] = 1.0;
                continue;
            }
            along[i] = group->limit * v[i] / length[g];
            const double part = group->limit * push / length[g];
            for (int k = group->first; k < group->first + group->count; k++) {
                slope[i][k] += part * ((i == k) - v[i] * v[k] / (length[g] * length[g]));
            }
        }
        square += cut[g] ? group->limit * group->limit : 0.0;
    }
    for (int i = 0; i < CONE_SIZE; i++) {
        for (int k = 0; k < CONE_SIZE; k++) {
            slope[i][k] += along[i] * along[k] / square;
        }
    }
}

void poise__cone_nearest(const Cone* cone, const double v[CONE_SIZE], double u[CONE_SIZE],
                         double slope[CONE_SIZE][CONE_SIZE]) {
    if (slope) {
        memset(slope, 0, CONE_SIZE * sizeof slope[0]);
    }
    memcpy(u, v, CONE_SIZE * sizeof *u);
    if (cone->open) {
        for (int i = 0; slope && i < CONE_SIZE; i++) {
            slope[i][i] = 1.0;
        }
        return;
    }
    double length[CONE_GROUPS] = {0.0};
    bool cut[CONE_GROUPS] = {false};
    for (int g = 0; g < cone->group_count; g++) {
        length[g] = length_of(&cone->groups[g], v);
    }
    const double push = find_push(cone, v, length, cut);
    if (!(push > 0.0)) {
        memset(u, 0, CONE_SIZE * sizeof *u);
        return;
    }
    u[0] = push;
    for (int g = 0; g < cone->group_count; g++) {
        const ConeGroup* group = &cone->groups[g];
        for (int i = group->first; cut[g] && i < group->first + group->count; i++) {
            u[i] = group->limit * push * v[i] / length[g];
        }
    }
    if (slope) {
        fill_slope(cone, v, length, cut, push, slope);
    }
}
