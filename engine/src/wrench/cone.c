// SPDX-License-Identifier: MIT
// Computes the point of a cone (cone.h) nearest to v, in closed form. Each group of v is cut to the
// length limit n, where n is the push. The best n minimises a convex function, which is quadratic
// between the pushes at which a group reaches its limit:
//     n + sum over the cut groups of limit (limit n - length) = v_0.
#include "cone.h"

#include "numbers.h"

#include <math.h>
#include <string.h>

/// The cone's point nearest to v, and the groups of v that it cuts.
typedef struct Projection {
    const double* v;
    double length[CONE_GROUPS]; ///< length of each group of v
    bool cut[CONE_GROUPS];      ///< the group is longer than its limit allows, and cut to it
    double push;
} Projection;

// Projects v on the cone: finds the push, and the groups of v that exceed their limits.
static Projection project(const Cone* cone, const double* v) {
    Projection at = {.v = v};
    for (int g = 0; g < cone->group_count; g++) {
        const ConeGroup* group = &cone->groups[g];
        const double* own = &v[group->first];
        at.length[g] = sqrt(poise__numbers_dot(own, own, group->count));
    }
    double sum = v[0];
    double squares = 1.0;
    // each round except the last adds one group to the cut groups
    for (;;) {
        at.push = sum / squares;
        // chooses the uncut group that reaches its limit at the largest push
        int next = -1;
        for (int g = 0; g < cone->group_count; g++) {
            const double limit = cone->groups[g].limit;
            if (at.cut[g] || at.length[g] <= limit * poise_max(at.push, 0.0)) {
                continue;
            }
            if (next < 0 || at.length[g] * cone->groups[next].limit > at.length[next] * limit) {
                next = g;
            }
        }
        if (next < 0) {
            break;
        }
        at.cut[next] = true;
        sum += cone->groups[next].limit * at.length[next];
        squares += cone->groups[next].limit * cone->groups[next].limit;
    }
    return at;
}

// Fills the derivative of the nearest point by v. An uncut group changes as v does. A cut group has
// the length limit * push. Perpendicular to the group's direction, its derivative is limit * push /
// length. Along the direction only the push changes, and with it all cut groups.
static void fill_derivative(const Cone* cone, const Projection* at,
                            double derivative[CONE_SIZE][CONE_SIZE]) {
    double along[CONE_SIZE] = {1.0};
    double square = 1.0;
    for (int g = 0; g < cone->group_count; g++) {
        const ConeGroup* group = &cone->groups[g];
        const double length = at->length[g];
        for (int i = group->first; i < group->first + group->count; i++) {
            if (!at->cut[g]) {
                derivative[i][i] = 1.0;
                continue;
            }
            along[i] = group->limit * at->v[i] / length;
            const double part = group->limit * at->push / length;
            for (int k = group->first; k < group->first + group->count; k++) {
                derivative[i][k] += part * ((i == k) - at->v[i] * at->v[k] / (length * length));
            }
        }
        square += at->cut[g] ? group->limit * group->limit : 0.0;
    }
    for (int i = 0; i < CONE_SIZE; i++) {
        for (int k = 0; k < CONE_SIZE; k++) {
            derivative[i][k] += along[i] * along[k] / square;
        }
    }
}

void poise__cone_nearest(const Cone* cone, const double v[CONE_SIZE], double u[CONE_SIZE],
                         double derivative[CONE_SIZE][CONE_SIZE]) {
    if (derivative) {
        memset(derivative, 0, CONE_SIZE * sizeof derivative[0]);
    }
    memcpy(u, v, CONE_SIZE * sizeof *u);
    if (cone->open) {
        for (int i = 0; derivative && i < CONE_SIZE; i++) {
            derivative[i][i] = 1.0;
        }
        return;
    }
    const Projection at = project(cone, v);
    if (!(at.push > 0.0)) {
        memset(u, 0, CONE_SIZE * sizeof *u);
        return;
    }
    u[0] = at.push;
    for (int g = 0; g < cone->group_count; g++) {
        const ConeGroup* group = &cone->groups[g];
        for (int i = group->first; at.cut[g] && i < group->first + group->count; i++) {
            u[i] = group->limit * at.push * v[i] / at.length[g];
        }
    }
    if (derivative) {
        fill_derivative(cone, &at, derivative);
    }
}
