// SPDX-License-Identifier: MIT
// Rows for tests of bad arguments. They check the status of a call, its one message, and that the
// tree has not changed.
#ifndef POISE_TEST_REFUSE_H
#define POISE_TEST_REFUSE_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture_test.h"
#include "host.h"
#include "poise/ik.h"
#include "works.h"

/// A tree with one node and point of every kind, and handles that are not valid for the tree.
///
///     base - hinge - slider - ball (place, turn, both)
///                  \ twig
typedef struct Bench {
    TestHost host;
    PoiseTree* tree;
    PoiseNodeId hinge;
    PoiseNodeId slider;
    PoiseNodeId ball;
    PoiseNodeId twig;
    PoisePointId place;
    PoisePointId turn;
    PoisePointId both;
    PoiseNodeId dead_node;
    PoisePointId dead_point;
    PoiseTree* other;
    PoiseNodeId foreign_node;
    PoisePointId foreign_point;
    // set by bench_extend
    PoiseNodeId universal;
    PoiseNodeId translation;
    PoiseNodeId free;
    PoisePointId direction;
    PoisePointId look;
    PoisePointId com;
} Bench;

static inline PoiseNodeId bench_node(PoiseTree* tree, PoiseNodeDef def, PoiseNodeId parent) {
    def.parent = parent;
    def.joint_in_parent.p = poise_vec3(1.0, 0.0, 0.0);
    return poise_node_create(tree, &def);
}

static inline PoisePointId bench_point(PoiseTree* tree, PoisePointDef def, PoiseNodeId link) {
    def.link = link;
    def.in_link.p = poise_vec3(0.5, 0.25, 0.0);
    PoisePointId point = poise_point_create(tree, &def);
    MAY_FAIL(poise_register_chain(tree, point, poise_null_node()));
    return point;
}

static inline void bench_init(Bench* bench) {
    memset(bench, 0, sizeof *bench);
    PoiseTreeDef tree_def = poise_default_tree_def();
    tree_def.host = test_host(&bench->host);
    PoiseTree* tree = bench->tree = poise_tree_create(&tree_def);
    bench->hinge = bench_node(tree, poise_default_hinge_def(), poise_null_node());
    bench->slider = bench_node(tree, poise_default_slider_def(), bench->hinge);
    bench->ball = bench_node(tree, poise_default_ball_def(), bench->slider);
    bench->twig = bench_node(tree, poise_default_hinge_def(), bench->hinge);
    bench->place = bench_point(tree, poise_default_position_def(), bench->ball);
    bench->turn = bench_point(tree, poise_default_orientation_def(), bench->ball);
    bench->both = bench_point(tree, poise_default_pose_def(), bench->ball);
    bench->dead_node = bench_node(tree, poise_default_hinge_def(), bench->twig);
    bench->dead_point = bench_point(tree, poise_default_position_def(), bench->dead_node);
    MAY_FAIL(poise_node_destroy(tree, bench->dead_node));
    MAY_FAIL(poise_forward(tree));

    PoiseTreeDef other_def = poise_default_tree_def();
    bench->other = poise_tree_create(&other_def);
    bench->foreign_node = bench_node(bench->other, poise_default_hinge_def(), poise_null_node());
    bench->foreign_point =
        bench_point(bench->other, poise_default_position_def(), bench->foreign_node);
    cr_assert_eq(poise_tree_status(tree), POISE_OK, "%s", poise_tree_message(tree));
    bench->host.messages = 0;
}

/// Adds a second branch with the other kinds: base - free - translation - universal. A direction
/// and a look-at are on the universal node; the centre of mass is that of all three.
static inline void bench_extend(Bench* bench) {
    PoiseTree* tree = bench->tree;
    PoiseNodeDef heavy = poise_default_free_def();
    heavy.mass = 1.0;
    bench->free = bench_node(tree, heavy, poise_null_node());
    bench->translation = bench_node(tree, poise_default_translation_def(), bench->free);
    bench->universal = bench_node(tree, poise_default_universal_def(), bench->translation);
    bench->direction = bench_point(tree, poise_default_direction_def(), bench->universal);
    bench->look = bench_point(tree, poise_default_look_at_def(), bench->universal);
    bench->com = bench_point(tree, poise_default_com_def(), bench->free);
    MAY_FAIL(poise_forward(tree));
    cr_assert_eq(poise_tree_status(tree), POISE_OK, "%s", poise_tree_message(tree));
}

static inline void bench_finish(Bench* bench) {
    poise_tree_destroy(bench->other);
    poise_tree_destroy(bench->tree);
    cr_expect_eq(bench->host.live_blocks, 0, "%ld blocks leaked", bench->host.live_blocks);
}

/// The readable state of a tree, as bytes.
typedef struct Snapshot {
    unsigned char bytes[16384];
    size_t used;
} Snapshot;

static inline void snapshot_add(Snapshot* snapshot, const void* data, size_t size) {
    cr_assert_leq(snapshot->used + size, sizeof snapshot->bytes);
    memcpy(snapshot->bytes + snapshot->used, data, size);
    snapshot->used += size;
}

static inline void snapshot_int(Snapshot* snapshot, int value) {
    snapshot_add(snapshot, &value, sizeof value);
}

static inline void snapshot_number(Snapshot* snapshot, double value) {
    snapshot_add(snapshot, &value, sizeof value);
}

static inline void snapshot_pose(Snapshot* snapshot, PoisePose pose) {
    snapshot_add(snapshot, &pose, sizeof pose);
}

static inline void snapshot_node(Snapshot* snapshot, PoiseTree* tree, PoiseNodeId node) {
    snapshot_add(snapshot, &node, sizeof node);
    snapshot_int(snapshot, (int)poise_node_kind(tree, node));
    snapshot_int(snapshot, poise_node_dof(tree, node));
    snapshot_int(snapshot, poise_node_enabled(tree, node));
    const PoiseLimits limits = poise_node_limits(tree, node);
    snapshot_add(snapshot, &limits, sizeof limits);
    snapshot_number(snapshot, poise_node_angle(tree, node));
    double posture[POISE_MAX_POSTURE] = {0.0};
    snapshot_int(snapshot, poise_node_posture(tree, node, posture));
    snapshot_add(snapshot, posture, sizeof posture);
    snapshot_int(snapshot, (int)poise_node_free_axes(tree, node));
    snapshot_pose(snapshot, poise_node_base(tree, node));
    snapshot_pose(snapshot, poise_node_joint_world(tree, node));
    snapshot_pose(snapshot, poise_node_link_world(tree, node));
    double omega[POISE_MAX_DOF] = {0.0};
    snapshot_int(snapshot, poise_node_omega(tree, node, omega));
    snapshot_add(snapshot, omega, sizeof omega);
}

static inline void snapshot_point(Snapshot* snapshot, PoiseTree* tree, PoisePointId point) {
    snapshot_add(snapshot, &point, sizeof point);
    snapshot_int(snapshot, (int)poise_point_kind(tree, point));
    snapshot_int(snapshot, poise_point_enabled(tree, point));
    snapshot_pose(snapshot, poise_point_planned_pose(tree, point));
    snapshot_pose(snapshot, poise_point_goal(tree, point));
    PoiseVec3 force = poise_point_force(tree, point);
    snapshot_add(snapshot, &force, sizeof force);
    PoiseVec3 axis = poise_point_axis(tree, point);
    snapshot_add(snapshot, &axis, sizeof axis);
    snapshot_int(snapshot, poise_point_priority(tree, point));
    PoiseNodeId nodes[8];
    int count = poise_point_nodes(tree, point, nodes, 8);
    snapshot_int(snapshot, count);
    snapshot_add(snapshot, nodes, (size_t)count * sizeof *nodes);
}

static inline void snapshot_tree(Snapshot* snapshot, PoiseTree* tree) {
    snapshot_int(snapshot, poise_tree_is_fresh(tree));
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        snapshot_node(snapshot, tree, poise_tree_node(tree, i));
    }
    for (int i = 0; i < poise_tree_point_count(tree); i++) {
        snapshot_point(snapshot, tree, poise_tree_point(tree, i));
    }
}

static inline Snapshot snapshot_of(PoiseTree* tree) {
    Snapshot snapshot;
    memset(&snapshot, 0, sizeof snapshot);
    snapshot_tree(&snapshot, tree);
    return snapshot;
}

/// Expects the status, exactly one message of more than 10 characters, and an unchanged tree.
static inline void expect_refused(Bench* bench, const Snapshot* before, PoiseStatus expected,
                                  PoiseStatus status, const char* call) {
    Snapshot after = snapshot_of(bench->tree);
    const char* message = poise_tree_message(bench->tree);
    cr_expect_eq(status, expected, "%s gave '%s', not '%s': %s", call, poise_status_name(status),
                 poise_status_name(expected), message);
    cr_expect(before->used == after.used && memcmp(before->bytes, after.bytes, after.used) == 0,
              "%s changed the tree", call);
    cr_expect_eq(poise_tree_status(bench->tree), expected, "%s left the status '%s'", call,
                 poise_status_name(poise_tree_status(bench->tree)));
    cr_expect_eq(bench->host.messages, 1, "%s said %d messages", call, bench->host.messages);
    cr_expect_gt(strlen(message), 10u, "%s said '%s'", call, message);
    poise_tree_clear_status(bench->tree);
    bench->host.messages = 0;
}

/// Expects that the def gives no node (no point).
static inline void expect_no_node(Bench* bench, PoiseStatus expected, PoiseNodeDef def,
                                  const char* what) {
    Snapshot before = snapshot_of(bench->tree);
    PoiseNodeId node = poise_node_create(bench->tree, &def);
    cr_expect_eq(node.index1, 0u, "a node came from a def with %s", what);
    expect_refused(bench, &before, expected, poise_tree_status(bench->tree), what);
}

static inline void expect_no_point(Bench* bench, PoiseStatus expected, PoisePointDef def,
                                   const char* what) {
    Snapshot before = snapshot_of(bench->tree);
    PoisePointId point = poise_point_create(bench->tree, &def);
    cr_expect_eq(point.index1, 0u, "a point came from a def with %s", what);
    expect_refused(bench, &before, expected, poise_tree_status(bench->tree), what);
}

/// Rows: the default def of a kind with one wrong member.
#define NO_NODE(kind, member, value)                                                               \
    do {                                                                                           \
        PoiseNodeDef def_ = poise_default_##kind##_def();                                          \
        def_.member = (value);                                                                     \
        expect_no_node(bench, POISE_ERROR_INVALID_ARGUMENT, def_,                                  \
                       #kind ": " #member " = " #value);                                           \
    } while (0)

#define NO_POINT(kind, member, value)                                                              \
    do {                                                                                           \
        PoisePointDef def_ = poise_default_##kind##_def();                                         \
        def_.link = bench->ball;                                                                   \
        def_.has_goal = true;                                                                      \
        def_.member = (value);                                                                     \
        expect_no_point(bench, POISE_ERROR_INVALID_ARGUMENT, def_,                                 \
                        #kind ": " #member " = " #value);                                          \
    } while (0)

/// A row: the call must return the status.
#define REFUSES(bench, expected, call)                                                             \
    do {                                                                                           \
        Snapshot before_ = snapshot_of((bench)->tree);                                             \
        PoiseStatus status_ = (call);                                                              \
        expect_refused(bench, &before_, expected, status_, #call);                                 \
    } while (0)

/// A row: the call must return the null handle and set the tree's status.
#define REFUSES_TO_MAKE(bench, expected, call)                                                     \
    do {                                                                                           \
        Snapshot before_ = snapshot_of((bench)->tree);                                             \
        cr_expect_eq((call).index1, 0u, "%s gave a handle", #call);                                \
        expect_refused(bench, &before_, expected, poise_tree_status((bench)->tree), #call);        \
    } while (0)

/// A row for a call without an owner that could keep the status: tests the return value only.
#define GIVES(expected, call)                                                                      \
    do {                                                                                           \
        PoiseStatus given_ = (call);                                                               \
        cr_expect_eq(given_, expected, "%s gave '%s', not '%s'", #call, poise_status_name(given_), \
                     poise_status_name(expected));                                                 \
    } while (0)

/// NaN as a double, because NAN is a float.
#define NOT_A_NUMBER ((double)NAN)

enum { BAD_NUMBERS = 3 };
/// Numbers that every call refuses.
static const double bad_numbers[BAD_NUMBERS] = {NOT_A_NUMBER, HUGE_VAL, -HUGE_VAL};

/// Vectors and rotations that every call refuses: not finite, and the zero quaternion.
static inline PoiseVec3 bad_vec3(int i) {
    return poise_vec3(0.0, bad_numbers[i], 0.0);
}

static inline PoiseQuat bad_quat(int i) {
    PoiseQuat q = {1.0, 0.0, 0.0, 0.0};
    if (i == BAD_NUMBERS) {
        q.w = 0.0;
    } else {
        q.y = bad_numbers[i];
    }
    return q;
}

#define BENCH_TEST_OF(suite, name, extend)                                                         \
    FIXTURE_TEST(suite, name, (Bench * bench, PoiseTree * tree __attribute__((unused))),           \
                 Bench made_;                                                                      \
                 bench_init(&made_); extend(&made_), (&made_, made_.tree), bench_finish(&made_))
/// A test with its own bench and tree; a test with an extended bench.
#define BENCH_TEST(suite, name)    BENCH_TEST_OF(suite, name, (void))
#define EXTENDED_TEST(suite, name) BENCH_TEST_OF(suite, name, bench_extend)

#endif
