// SPDX-License-Identifier: MIT
// Finds the ends of the region in which two parts are nearest. Parallel edges or faces are nearest
// along a line or an area, and a tiny rotation moves the nearest points from one end of it to the
// other. If only one end had an inequality, each step would rotate the parts to and fro.
#include "apart.h"

// rad; rotation by which an end is found. The hand of scratch.yaml comes to rest with this value,
// the only one that was tried with these inequalities.
#define TILT 0.01
// m; ends nearer to each other than this count as one
#define ONE_END 1e-3

enum { MOST_TILTS = 4 };

static bool is_one_end(const PoiseGap* p, const PoiseGap* q) {
    const PoiseVec3 off = poise_sub(p->a, q->a);
    return poise_dot(off, off) < ONE_END * ONE_END;
}

// Rotates the first core about gap->a by `turn` and finds the nearest points of the cores. `end`
// gets the gap of these points without the rotation. Returns their gap after it, or -HUGE_VAL if
// the points overlap.
static double gap_by_tilt(const Core* a, const Core* b, const PoiseGap* gap, PoiseQuat turn,
                          PoiseGap* end) {
    Core other = *a;
    const PoiseVec3 arm = poise_sub(a->pose.p, gap->a);
    other.pose.p = poise_add(gap->a, poise_quat_rotate(turn, arm));
    other.pose.q = poise_quat_mul(turn, a->pose.q);
    other.axis = poise_quat_rotate(turn, a->axis);
    end->normal = gap->normal;
    poise__core_gap(&other, b, end);
    const double tilted = end->distance;
    const PoiseVec3 on_core = poise_add_scaled(end->a, a->radius, end->normal);
    const PoiseVec3 back = poise_quat_unrotate(turn, poise_sub(on_core, gap->a));
    const PoiseVec3 p = poise_add(gap->a, back);
    const PoiseVec3 q = poise_add_scaled(end->b, -b->radius, end->normal);
    const PoiseVec3 between = poise_sub(p, q);
    const double length = poise_length(between);
    end->distance = length - a->radius - b->radius;
    if (!(end->distance > 0.0 && length > 0.0)) {
        return -HUGE_VAL;
    }
    end->normal = poise_scale(1.0 / length, between);
    end->a = poise_add_scaled(p, -a->radius, end->normal);
    end->b = poise_add_scaled(q, b->radius, end->normal);
    return tilted;
}

// Rotates by TILT about an axis to find an end. Then rotates by the angle at which this end would
// be as near as the present points, as long as that angle becomes smaller. Returns the number of
// ends, at most 2: the first and the last found. The first may be off by TILT times a radius.
static int find_ends(const Core* a, const Core* b, const PoiseGap* gap, PoiseVec3 axis,
                     PoiseGap ends[2]) {
    double angle = TILT;
    int count = 0;
    for (int round = 0; round < MOST_TILTS; round++) {
        PoiseGap end;
        const PoiseQuat turn = poise_quat_from_axis_angle(axis, angle);
        const double tilted = gap_by_tilt(a, b, gap, turn, &end);
        if (tilted == -HUGE_VAL || is_one_end(&end, gap)) {
            break;
        }
        count = count > 0 && !is_one_end(&end, &ends[0]) ? 2 : 1;
        ends[count - 1] = end;
        // the gap at the end decreases in proportion to the angle
        const double room = end.distance - gap->distance, fall = end.distance - tilted;
        if (!(room > 0.0 && room < 0.5 * fall)) {
            break;
        }
        angle *= room / fall;
    }
    return count;
}

// Fills the axes about which a rotation may move the nearest points to another end, and returns
// their number. A segment has one axis, or none if no rotation by TILT makes it parallel.
static int find_axes(const Core* a, const Core* b, PoiseVec3 n, PoiseVec3 axes[2]) {
    const Core* segment = a->kind == POISE_CONVEX_CAPSULE ? a : b;
    if (segment->kind != POISE_CONVEX_CAPSULE) {
        axes[0] = poise__normalize(poise_cross(n, poise__least_aligned_axis(n)));
        axes[1] = poise_cross(n, axes[0]);
        return 2;
    }
    const double length = poise_length(segment->axis);
    if (!(fabs(poise_dot(n, segment->axis)) < TILT * length)) {
        return 0; // also for a sphere, whose axis has length 0
    }
    axes[0] = poise__normalize(poise_cross(n, segment->axis));
    return 1;
}

int poise__parts_ends(const PoiseApart* apart, const Pair* pair, const PoiseGap* gap,
                      PoiseGap ends[POISE_ENDS_MOST]) {
    const Core a = poise__part_core(apart, pair->a), b = poise__part_core(apart, pair->b);
    PoiseVec3 axes[2];
    const int axis_count = find_axes(&a, &b, gap->normal, axes);
    int count = 0;
    for (int i = 0; i < 2 * axis_count; i++) {
        const PoiseVec3 axis = poise_scale(i % 2 == 0 ? 1.0 : -1.0, axes[i / 2]);
        PoiseGap found[2];
        const int some = find_ends(&a, &b, gap, axis, found);
        for (int k = 0; k < some; k++) {
            ends[count++] = found[k];
        }
    }
    return count;
}
