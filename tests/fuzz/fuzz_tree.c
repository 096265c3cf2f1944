// SPDX-License-Identifier: MIT
// Any calls on a tree, in any order, with handles dead and alive and numbers of every sort: each
// ends with a status; sets stay symmetric, postures finite and inside their ranges, memory is given
// back.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "demand.h"
#include "host.h"
#include "poise/ik.h"
#include "posture.h"
#include "works.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { HANDLES = 24, MOST_CALLS = 300, SAVED = 65536 };

typedef struct Fuzz {
    const uint8_t* data;
    size_t size;
    PoiseTree* tree;
    TestHost host;
    // rings: the oldest are forgotten, dead or alive
    PoiseNodeId nodes[HANDLES];
    PoisePointId points[HANDLES];
    int node_count;
    int point_count;
    unsigned char* saved;
    size_t saved_size;
} Fuzz;

static unsigned byte(Fuzz* fuzz) {
    if (fuzz->size == 0) {
        return 0;
    }
    fuzz->size--;
    return *fuzz->data++;
}

static double number(Fuzz* fuzz) {
    static const double table[] = {0.0,   1.0,    -1.0,  0.3,      -0.7,      3.14159265358979,
                                   2.0,   1e-9,   -1e-3, 10.0,     1e6,       1e-300,
                                   1e300, -1e300, 0.01,  HUGE_VAL, -HUGE_VAL, (double)NAN};
    const unsigned which = byte(fuzz);
    if (which < 128) {
        return ((int)which - 64) / 32.0;
    }
    return table[which % (sizeof table / sizeof *table)];
}

static PoiseVec3 vec3(Fuzz* fuzz) {
    const double x = number(fuzz), y = number(fuzz), z = number(fuzz);
    return poise_vec3(x, y, z);
}

static PoiseQuat quat(Fuzz* fuzz) {
    const PoiseVec3 v = vec3(fuzz);
    return poise_quat(number(fuzz), v.x, v.y, v.z);
}

static PoisePose pose(Fuzz* fuzz) {
    const PoiseVec3 p = vec3(fuzz);
    return poise_pose(p, quat(fuzz));
}

static PoiseNodeId node(Fuzz* fuzz) {
    return fuzz->nodes[byte(fuzz) % HANDLES];
}

static PoisePointId point(Fuzz* fuzz) {
    return fuzz->points[byte(fuzz) % HANDLES];
}

static bool coin(Fuzz* fuzz) {
    return byte(fuzz) % 2 == 1;
}

static void create_node(Fuzz* fuzz) {
    PoiseNodeDef (*const defs[])(void) = {
        poise_default_hinge_def,     poise_default_slider_def,      poise_default_ball_def,
        poise_default_universal_def, poise_default_translation_def, poise_default_free_def};
    PoiseNodeDef def = defs[byte(fuzz) % 6]();
    def.parent = coin(fuzz) ? node(fuzz) : poise_null_node();
    def.joint_in_parent.p = vec3(fuzz);
    if (coin(fuzz)) {
        def.link_in_joint = pose(fuzz);
        def.axis = vec3(fuzz);
        def.axis2 = vec3(fuzz);
        def.angle = number(fuzz);
        def.rotation = quat(fuzz);
        def.translation = vec3(fuzz);
    }
    if (coin(fuzz)) {
        def.lower = number(fuzz);
        def.upper = number(fuzz);
        def.swing_limit = number(fuzz);
        def.twist_lower = number(fuzz);
        def.twist_upper = number(fuzz);
        def.max_speed = number(fuzz);
        def.free_axes = byte(fuzz);
        def.bias = number(fuzz);
        def.mass = number(fuzz);
        def.com_link = vec3(fuzz);
    }
    const PoiseNodeId made = poise_node_create(fuzz->tree, &def);
    if (poise_node_is_valid(fuzz->tree, made)) {
        fuzz->nodes[fuzz->node_count++ % HANDLES] = made;
    }
}

static void create_point(Fuzz* fuzz) {
    PoisePointDef (*const defs[])(void) = {
        poise_default_position_def,  poise_default_orientation_def, poise_default_pose_def,
        poise_default_direction_def, poise_default_look_at_def,     poise_default_com_def};
    PoisePointDef def = defs[byte(fuzz) % 6]();
    def.link = node(fuzz);
    def.in_link.p = vec3(fuzz);
    if (coin(fuzz)) {
        def.has_goal = coin(fuzz);
        def.goal = pose(fuzz);
        def.axis = vec3(fuzz);
        def.direction = vec3(fuzz);
        def.frame = node(fuzz);
        def.rows = byte(fuzz);
        def.row_axes = (PoiseRowAxes)(byte(fuzz) % 4);
        def.max_speed = number(fuzz);
        def.weight = number(fuzz);
        def.priority = (int)(byte(fuzz) % 20) - 2;
    }
    const PoisePointId made = poise_point_create(fuzz->tree, &def);
    if (poise_point_is_valid(fuzz->tree, made)) {
        fuzz->points[fuzz->point_count++ % HANDLES] = made;
    }
}

static void change_limits(Fuzz* fuzz, PoiseNodeId id) {
    const double a = number(fuzz), b = number(fuzz);
    PoiseLimits limits = poise_range(a, b);
    switch (byte(fuzz) % 3) {
    case 0:
        limits = poise_cone(number(fuzz), a, b);
        break;
    case 1:
        for (int i = 0; i < 3; i++) {
            limits.lower[i] = number(fuzz);
            limits.upper[i] = number(fuzz);
        }
        break;
    default:
        break;
    }
    MAY_FAIL(poise_node_set_limits(fuzz->tree, id, limits));
}

static void change_posture(Fuzz* fuzz, PoiseNodeId id) {
    double q[POISE_MAX_POSTURE];
    for (int i = 0; i < POISE_MAX_POSTURE; i++) {
        q[i] = number(fuzz);
    }
    switch (byte(fuzz) % 5) {
    case 0:
        MAY_FAIL(poise_node_set_angle(fuzz->tree, id, q[0]));
        break;
    case 1:
        MAY_FAIL(poise_node_shift(fuzz->tree, id, q, (int)(byte(fuzz) % 8) - 1));
        break;
    case 2:
        MAY_FAIL(poise_node_set_reference(fuzz->tree, id, q, (int)(byte(fuzz) % 9) - 1));
        break;
    default:
        MAY_FAIL(poise_node_set_posture(fuzz->tree, id, q, (int)(byte(fuzz) % 9) - 1));
        break;
    }
}

static void change_node(Fuzz* fuzz) {
    PoiseTree* tree = fuzz->tree;
    const PoiseNodeId id = node(fuzz);
    const double a = number(fuzz);
    switch (byte(fuzz) % 12) {
    case 0:
        MAY_FAIL(poise_node_set_enabled(tree, id, coin(fuzz)));
        break;
    case 1:
        MAY_FAIL(poise_node_set_bias(tree, id, a));
        break;
    case 2:
        MAY_FAIL(poise_node_set_free_axes(tree, id, byte(fuzz)));
        break;
    case 3:
        MAY_FAIL(poise_node_set_max_speed(tree, id, a));
        break;
    case 4:
        MAY_FAIL(poise_node_set_mass(tree, id, a, vec3(fuzz)));
        break;
    case 5:
        (void)set_rotation(tree, id, quat(fuzz));
        break;
    case 6:
        (void)set_pose(tree, id, pose(fuzz));
        break;
    case 7:
        MAY_FAIL(poise_node_set_base(tree, id, pose(fuzz)));
        break;
    case 8:
    case 9:
        change_limits(fuzz, id);
        break;
    default:
        change_posture(fuzz, id);
        break;
    }
}

static void change_point(Fuzz* fuzz) {
    PoiseTree* tree = fuzz->tree;
    const PoisePointId id = point(fuzz);
    double most = 0.0;
    unsigned choice = 0;
    switch (byte(fuzz) % 13) {
    case 9:
        choice = byte(fuzz) % 4;
        MAY_FAIL(poise_point_set_yield(tree, id, (PoiseYield)choice, byte(fuzz)));
        break;
    case 0:
        MAY_FAIL(poise_point_set_enabled(tree, id, coin(fuzz)));
        break;
    case 1:
        MAY_FAIL(poise_point_set_orientation(tree, id, quat(fuzz)));
        break;
    case 2:
        MAY_FAIL(poise_point_set_direction(tree, id, vec3(fuzz)));
        break;
    case 3:
        choice = byte(fuzz);
        MAY_FAIL(poise_point_set_rows(tree, id, choice, (PoiseRowAxes)(byte(fuzz) % 4)));
        break;
    case 4:
        most = number(fuzz);
        MAY_FAIL(poise_point_set_max_speed(tree, id, most, number(fuzz)));
        break;
    case 5:
        MAY_FAIL(poise_point_set_velocity(tree, id, vec3(fuzz)));
        MAY_FAIL(poise_point_set_angular_velocity(tree, id, vec3(fuzz)));
        MAY_FAIL(poise_point_follow(tree, id, coin(fuzz)));
        break;
    case 6:
        MAY_FAIL(poise_point_set_force(tree, id, vec3(fuzz)));
        MAY_FAIL(poise_point_set_torque(tree, id, vec3(fuzz)));
        break;
    case 7:
        MAY_FAIL(poise_point_set_weight(tree, id, number(fuzz)));
        break;
    case 8:
        MAY_FAIL(poise_point_set_priority(tree, id, (int)(byte(fuzz) % 20) - 2));
        break;
    default:
        MAY_FAIL(poise_point_set_position(tree, id, vec3(fuzz)));
        break;
    }
}

static void change_sets(Fuzz* fuzz) {
    const unsigned what = byte(fuzz) % 8;
    const PoisePointId id = what < 3 ? point(fuzz) : poise_null_point();
    switch (what) {
    case 0:
        MAY_FAIL(poise_register(fuzz->tree, id, node(fuzz)));
        break;
    case 1:
        MAY_FAIL(poise_unregister(fuzz->tree, id, node(fuzz)));
        break;
    case 2:
        MAY_FAIL(poise_register_chain(fuzz->tree, id, node(fuzz)));
        break;
    case 3:
        MAY_FAIL(poise_node_destroy(fuzz->tree, node(fuzz)));
        break;
    case 4:
        MAY_FAIL(poise_point_destroy(fuzz->tree, point(fuzz)));
        break;
    default:
        MAY_FAIL(poise_register_all(fuzz->tree, point(fuzz)));
        break;
    }
}

static void solve(Fuzz* fuzz) {
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = (PoiseSolver)(byte(fuzz) % 6);
    if (coin(fuzz)) {
        def.damping = number(fuzz);
        def.damping_floor = number(fuzz);
        def.damping_kept = coin(fuzz);
        def.adaptive = coin(fuzz);
        def.joint_cap = number(fuzz);
        def.position_clamp = number(fuzz);
        def.posture_rate = number(fuzz);
        def.step = number(fuzz);
        def.sweeps = (int)(byte(fuzz) % 40) - 1;
    }
    PoiseSolveReport report;
    MAY_FAIL(poise_forward(fuzz->tree));
    if (poise_solve(fuzz->tree, &def, &report) >= POISE_OK && coin(fuzz)) {
        MAY_FAIL(poise_advance(fuzz->tree));
    }
}

static void reach(Fuzz* fuzz) {
    PoiseReachDef def = poise_default_reach_def();
    const unsigned how = byte(fuzz);
    // most end early: no other call takes as long
    def.iterations = how < 240 ? 2 : 10;
    def.starts = 1 + (int)(how % 3);
    MAY_FAIL(poise_reach(fuzz->tree, &def, NULL));
}

static void look(Fuzz* fuzz) {
    PoiseTree* tree = fuzz->tree;
    const PoiseNodeId a = node(fuzz), b = node(fuzz);
    const PoisePointId p = point(fuzz);
    double numbers[POISE_MAX_ROWS * POISE_MAX_DOF];
    MAY_FAIL(poise_jacobian(tree, p, a, numbers));
    MAY_FAIL(poise_manipulability(tree, p));
    MAY_FAIL(poise_stage_jacobians(tree));
    MAY_FAIL(poise_stage_blocks(tree));
    MAY_FAIL(poise_block_gamma(tree, a, b, numbers));
    MAY_FAIL(poise_stage_sweep(tree, number(fuzz), NULL));
    MAY_FAIL(poise_forces(tree));
    MAY_FAIL(poise_gravity(tree, vec3(fuzz)));
    MAY_FAIL(poise_node_gravity_torque(tree, a, numbers));
    const PoisePose joint = pose(fuzz), link = pose(fuzz);
    MAY_FAIL(poise_node_measure(tree, a, joint, link));
    MAY_FAIL(poise_point_error(tree, p));
    MAY_FAIL(poise_point_reach(tree, p));
}

// the state of some calls ago comes back, sometimes damaged
static void go_back(Fuzz* fuzz) {
    if (coin(fuzz)) {
        fuzz->saved_size = poise_tree_save_size(fuzz->tree);
        fuzz->saved_size = fuzz->saved_size < SAVED ? fuzz->saved_size : 0;
        if (poise_tree_save(fuzz->tree, fuzz->saved, fuzz->saved_size) != POISE_OK) {
            fuzz->saved_size = 0;
        }
        return;
    }
    if (fuzz->saved_size > 0 && byte(fuzz) < 32) {
        const size_t at = byte(fuzz) * fuzz->saved_size / 256;
        fuzz->saved[at] ^= (unsigned char)byte(fuzz);
    }
    MAY_FAIL(poise_tree_restore(fuzz->tree, fuzz->saved, fuzz->saved_size));
}

static void swap_for_clone(Fuzz* fuzz) {
    PoiseTree* copy = poise_tree_clone(fuzz->tree);
    if (copy) {
        poise_tree_destroy(fuzz->tree);
        fuzz->tree = copy;
    }
}

// Nd(point) and Cp(node) say the same, and a posture's numbers are finite
static void check(Fuzz* fuzz) {
    PoiseTree* tree = fuzz->tree;
    for (int i = 0; i < poise_tree_point_count(tree); i++) {
        PoiseNodeId of_point[HANDLES];
        const PoisePointId p = poise_tree_point(tree, i);
        int count = poise_point_nodes(tree, p, of_point, HANDLES);
        count = count < HANDLES ? count : HANDLES;
        for (int n = 0; n < count; n++) {
            PoisePointId of_node[HANDLES];
            const int points = poise_node_points(tree, of_point[n], of_node, HANDLES);
            bool there = points > HANDLES;
            for (int k = 0; k < points && k < HANDLES; k++) {
                there = there || of_node[k].index1 == p.index1;
            }
            demand(there, "a point has a node that does not have it");
        }
    }
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        double numbers[POISE_MAX_POSTURE];
        const int count = poise_node_posture(tree, poise_tree_node(tree, i), numbers);
        demand(count > 0, "a node without a posture");
        for (int k = 0; k < count; k++) {
            demand(isfinite(numbers[k]), "a posture that is not finite");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static unsigned char saved[SAVED];
    Fuzz fuzz = {.data = data, .size = size, .saved = saved};
    PoiseTreeDef def = poise_default_tree_def();
    def.host = test_host(&fuzz.host);
    def.node_capacity = 2;
    def.point_capacity = 1;
    def.ball_axes = byte(&fuzz) % 2 == 0 ? POISE_BALL_THREE_AXES : POISE_BALL_REDUCED;
    fuzz.tree = poise_tree_create(&def);
    for (int call = 0; call < MOST_CALLS && fuzz.size > 0; call++) {
        void (*const calls[])(Fuzz*) = {create_node, create_node,    create_point, change_node,
                                        change_node, change_point,   change_point, change_sets,
                                        change_sets, solve,          solve,        reach,
                                        look,        swap_for_clone, go_back};
        const unsigned which = byte(&fuzz);
        // from time to time memory is short
        if (which >= 250) {
            fuzz.host.fail_in = fuzz.host.fail_in > 0 ? 0 : 1 + (long)(which - 250);
        }
        calls[which % (sizeof calls / sizeof *calls)](&fuzz);
        check(&fuzz);
    }
    poise_tree_destroy(fuzz.tree);
    demand(fuzz.host.live_blocks == 0 && fuzz.host.live_bytes == 0,
           "memory that was not given back");
    return 0;
}
