// SPDX-License-Identifier: MIT
// Other ways to a rest, where there is no rehearsal of it. With torque limits a mechanism may have
// several rests, and which one it comes to depends on how it moves: what is foreseen is known where
// the ways that bodies without inertia, joints without dampers and bodies with inertia go all end
// there.
#include <math.h>

#include "statics.h"

// m, rad: two misses are the same within this in any case
#define SAME_LEAST 5e-6
// what swings about elsewhere is nearer by chance, but not by so much of the way
#define NEARER 0.9
// and so that two ways to a wall, one a little beside the other, end alike: where they stick and
// slip their ends scatter, and two of many ways end ten times as far apart
#define SAME_BESIDE 1e-6
#define PART_BESIDE 1e-3

static bool is_same(double a, double b, double part, double least) {
    return fabs(a - b) <= poise_max(part * poise_max(a, b), least);
}

static bool are_alike(const PoiseTree* a, const PoiseTree* b, double part, double least) {
    bool alike = true;
    for (int i = 0; i < poise_tree_point_count(a); i++) {
        const PoisePointId p = poise_tree_point(a, i), q = poise_tree_point(b, i);
        alike =
            alike &&
            (!poise__is_goal(a, p) ||
             (is_same(poise_point_error(a, p), poise_point_error(b, q), part, least) &&
              is_same(poise_point_angle_error(a, p), poise_point_angle_error(b, q), part, least)));
    }
    return alike;
}

bool poise__misses_alike(const PoiseTree* a, const PoiseTree* b, double part) {
    return are_alike(a, b, part, SAME_LEAST);
}

bool poise__ways_end_alike(const PoiseTree* a, const PoiseTree* b) {
    return are_alike(a, b, PART_BESIDE, SAME_BESIDE);
}

bool poise__postures_alike(const PoiseTree* a, const PoiseTree* b, double off) {
    bool alike = true;
    for (int i = 0; alike && i < poise_tree_node_count(a); i++) {
        const PoiseNodeId node = poise_tree_node(a, i);
        const PoisePose p = poise_node_link_world(a, node), q = poise_node_link_world(b, node);
        const PoiseVec3 turn = poise_quat_log(poise_quat_mul(p.q, poise_quat_conjugate(q.q)));
        alike = poise_length(turn) <= off && poise_length(poise_sub(p.p, q.p)) <= off;
    }
    return alike;
}

static bool is_nearer(double is, double was, double to) {
    return fabs(is - to) <=
           poise_max(NEARER * fabs(was - to), poise_max(POISE_SAME_MISS * to, SAME_LEAST));
}

bool poise__misses_approach(const PoiseTree* is, const PoiseTree* was, const PoiseTree* to) {
    bool nearer = true;
    for (int i = 0; i < poise_tree_point_count(to); i++) {
        const PoisePointId point = poise_tree_point(to, i);
        nearer =
            nearer &&
            (!poise__is_goal(to, point) ||
             (is_nearer(poise_point_error(is, point), poise_point_error(was, point),
                        poise_point_error(to, point)) &&
              is_nearer(poise_point_angle_error(is, point), poise_point_angle_error(was, point),
                        poise_point_angle_error(to, point))));
    }
    return nearer;
}

PoiseStatus poise__equilibrium_ways(PoiseRig* rig, const Equilibrium* equilibrium,
                                    PoiseForecast* forecast) {
    PoiseStatus status = POISE_OK;
    forecast->held_back = equilibrium->touched;
    for (int way = WAY_DIRECT; equilibrium->touched && way < WAYS && !forecast->several; way++) {
        Equilibrium other;
        status = poise__equilibrium_open(&other, rig, equilibrium->dt);
        if (status >= 0 && poise__equilibrium_rest(&other, (Way)way, LEAD_NOT)) {
            forecast->several =
                !poise__misses_alike(equilibrium->state.tree, other.state.tree, POISE_SAME_MISS);
        }
        forecast->swings = forecast->swings || other.went_on;
        status = status < 0 ? status : poise__equilibrium_memory(&other);
        poise__equilibrium_finish(&other);
        if (status < 0) {
            break;
        }
    }
    return status;
}
