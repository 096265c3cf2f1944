// SPDX-License-Identifier: MIT
// Tests compiled bodies: every reachable set of targets is met inside the ranges, by the frames of
// the tree; other targets get the nearest answer and the reason; all paths give the same bits.
#include <criterion/criterion.h>
#include <string.h>

#include "bodies.h"
#include "near.h"
#include "works.h"

enum { TARGETS = 300, TREES = 60 };

// Solves targets of random postures from the middle of the ranges. Each is met to 1e-9.
static void solve_reachable(BodyModel* body, uint64_t seed, double shift, int count) {
    PoiseBody* compiled = body_of(body);
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    Random random = random_from(seed);
    for (int t = 0; t < count; t++) {
        double posture[POISE_BODY_MOST_POSTURE];
        PoiseBodyReport report;
        body_draw(body, compiled, &random, shift, targets);
        WORKS(poise_body_middle(compiled, posture));
        const PoiseStatus status = poise_body_solve(compiled, NULL, targets, posture, &report);
        const double miss = body_miss(body, compiled, posture, targets);
        cr_expect(status == POISE_OK && report.reason == POISE_REACH_MET && miss <= 1e-9,
                  "target %d of seed %d: %s, %s, %g m or rad off", t, (int)seed,
                  poise_status_name(status), poise_reach_reason_name(report.reason), miss);
        cr_expect(body_is_inside(body, compiled, posture), "target %d is not inside", t);
        cr_expect(fmax(report.error, report.angle_error) <= miss + 1e-12);
    }
    poise_body_destroy(compiled);
}

static void solve_kind(BodyKind kind, double shift) {
    BodyModel body = body_model(kind);
    solve_reachable(&body, 11 + (uint64_t)kind, shift, TARGETS);
    body_model_finish(&body);
}

Test(body, humanoids_meet_all_their_targets) {
    solve_kind(BODY_HUMANOID, 0.0);
    solve_kind(BODY_TWO_ARMS, 0.0);
}

Test(body, floating_bases_meet_all_their_targets_near_and_far) {
    solve_kind(BODY_HUMANOID_FREE, 0.0);
    solve_kind(BODY_HUMANOID_FREE, 3.0);
    solve_kind(BODY_QUADRUPED, 1.0);
}

Test(body, hands_and_branches_on_branches_meet_all_their_targets) {
    solve_kind(BODY_HAND, 0.0);
    solve_kind(BODY_ARM_AND_HAND, 0.0);
}

Test(body, balls_cones_and_sliders_meet_all_their_targets) {
    solve_kind(BODY_BALLS, 0.0);
}

// ------------------------------------------------------------------------------------ random trees

// Makes tips on the last nodes of a random tree and on one inner node.
static BodyModel random_body(Random* random) {
    RandomTree def = {.nodes = 14, .points = 0, .hinges = true, .branched = true};
    def.sliders = random_index(random, 2) == 1;
    def.balls = random_index(random, 2) == 1;
    BodyModel body = {.model = model_random(random, &def)};
    for (int i = body.model.node_count - 3; i < body.model.node_count; i++) {
        PoiseBodyTip* tip = &body.tips[body.tip_count++];
        tip->link = body.model.nodes[i];
        tip->in_link = random_pose(random, 0.2, 3.0);
    }
    body.tips[body.tip_count].link = body.model.nodes[2];
    body.tips[body.tip_count++].in_link = poise_pose_identity();
    return body;
}

Test(body, tips_of_random_trees_are_where_the_tree_has_them) {
    Random random = random_from(3);
    for (int i = 0; i < TREES; i++) {
        BodyModel body = random_body(&random);
        PoiseBody* compiled = body_of(&body);
        PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
        double posture[POISE_BODY_MOST_POSTURE];
        body_draw(&body, compiled, &random, 0.5, targets);
        WORKS(poise_body_read(compiled, body.model.tree, posture));
        for (int t = 0; t < body.tip_count; t++) {
            const PoisePose pose = poise_body_forward(compiled, posture, t);
            const PoiseVec3 off = poise_sub(pose.p, targets[t].pose.p);
            EXPECT_NEAR(poise_length(off), 0.0, 1e-12);
            const PoiseQuat turn = poise_quat_mul(pose.q, poise_quat_conjugate(targets[t].pose.q));
            EXPECT_NEAR(poise_length(poise_quat_log(turn)), 0.0, 1e-12);
        }
        poise_body_destroy(compiled);
        body_model_finish(&body);
    }
}

Test(body, a_start_near_the_targets_of_a_random_tree_meets_them) {
    Random random = random_from(4);
    int met = 0;
    for (int i = 0; i < TREES; i++) {
        BodyModel body = random_body(&random);
        PoiseBody* compiled = body_of(&body);
        PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
        double posture[POISE_BODY_MOST_POSTURE];
        body_draw(&body, compiled, &random, 0.5, targets);
        WORKS(poise_body_read(compiled, body.model.tree, posture));
        const PoiseStatus status = poise_body_solve(compiled, NULL, targets, posture, NULL);
        met += status == POISE_OK && body_miss(&body, compiled, posture, targets) <= 1e-9;
        poise_body_destroy(compiled);
        body_model_finish(&body);
    }
    cr_expect_eq(met, TREES, "%d of %d", met, TREES);
}

// ------------------------------------------------------------------------------------ other
// answers

Test(body, a_start_that_meets_the_targets_stays) {
    BodyModel body = body_model(BODY_HUMANOID_FREE);
    PoiseBody* compiled = body_of(&body);
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    Random random = random_from(5);
    double given[POISE_BODY_MOST_POSTURE];
    double posture[POISE_BODY_MOST_POSTURE];
    PoiseBodyReport report;
    body_draw(&body, compiled, &random, 0.1, targets);
    WORKS(poise_body_read(compiled, body.model.tree, given));
    memcpy(posture, given, sizeof posture);
    cr_assert(poise_body_solve(compiled, NULL, targets, posture, &report) == POISE_OK);
    cr_expect_eq(report.iterations, 1);
    for (int i = 0; i < poise_body_posture_size(compiled); i++) {
        EXPECT_NEAR(posture[i], given[i], 1e-12);
    }
    poise_body_destroy(compiled);
    body_model_finish(&body);
}

// Moves the first target of two arms. Returns the report, and checks that no small motion of a
// joint inside its range lowers the error.
static PoiseBodyReport miss_first_target(PoiseVec3 to) {
    BodyModel body = body_model(BODY_TWO_ARMS);
    PoiseBody* compiled = body_of(&body);
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    Random random = random_from(6);
    double posture[POISE_BODY_MOST_POSTURE];
    PoiseBodyReport report;
    body_draw(&body, compiled, &random, 0.0, targets);
    targets[0].pose.p = to;
    targets[0].goal = targets[1].goal = POISE_BODY_POSITION;
    WORKS(poise_body_middle(compiled, posture));
    cr_expect(poise_body_solve(compiled, NULL, targets, posture, &report) == POISE_NOT_CONVERGED);
    cr_expect(body_is_inside(&body, compiled, posture));
    double least = HUGE_VAL;
    for (int i = -1; i < 2 * poise_body_posture_size(compiled); i++) {
        double moved[POISE_BODY_MOST_POSTURE];
        double sum = 0.0;
        memcpy(moved, posture, sizeof moved);
        if (i >= 0) {
            moved[i / 2] = fmin(
                fmax(moved[i / 2] + (i % 2 == 0 ? 1e-4 : -1e-4), poise_body_lower(compiled, i / 2)),
                poise_body_upper(compiled, i / 2));
        }
        for (int t = 0; t < 2; t++) {
            const PoiseVec3 off =
                poise_sub(poise_body_forward(compiled, moved, t).p, targets[t].pose.p);
            sum += poise_dot(off, off);
        }
        least = i < 0 ? sum : least;
        cr_expect(sum >= least - 1e-10, "joint %d: %g below", i / 2, least - sum);
    }
    poise_body_destroy(compiled);
    body_model_finish(&body);
    return report;
}

Test(body, targets_out_of_reach_get_the_nearest_posture_and_the_reason) {
    const PoiseBodyReport far = miss_first_target(poise_vec3(4.0, 1.0, 0.5));
    cr_expect(far.reason == POISE_REACH_OUT_OF_REACH && far.worst_tip == 0 && far.limit == -1);
    cr_expect(far.beyond > 2.0 && far.beyond <= far.error);
    // inside the ball of all lengths, and yet not reachable
    const PoiseBodyReport near = miss_first_target(poise_vec3(-0.9, -0.3, 0.5));
    cr_expect(near.beyond == 0.0 && near.reason == POISE_REACH_AT_LIMITS && near.limit >= 0);
}

Test(body, a_row_of_weight_zero_does_not_count) {
    BodyModel body = body_model(BODY_TWO_ARMS);
    PoiseBody* compiled = body_of(&body);
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    Random random = random_from(7);
    for (int i = 0; i < 20; i++) {
        double posture[POISE_BODY_MOST_POSTURE];
        PoiseBodyReport report;
        body_draw(&body, compiled, &random, 0.0, targets);
        const PoiseQuat turn = targets[1].pose.q;
        const PoiseVec3 away =
            i % 2 == 0 ? poise_vec3(0, 0, 7) : poise_quat_rotate(turn, poise_vec3(0, 0, 7));
        const PoiseVec3 wanted = targets[1].pose.p;
        targets[1].pose.p = poise_add(wanted, away);
        targets[1].weights[2] = 0.0;
        targets[1].weights[3] = 2.0;
        targets[1].axes = i % 2 == 0 ? POISE_ROW_AXES_WORLD : POISE_ROW_AXES_GOAL;
        WORKS(poise_body_middle(compiled, posture));
        cr_expect(poise_body_solve(compiled, NULL, targets, posture, &report) == POISE_OK, "%d", i);
        const PoisePose tip = poise_body_forward(compiled, posture, 1);
        PoiseVec3 off = poise_sub(tip.p, wanted);
        off = i % 2 == 0 ? off : poise_quat_unrotate(turn, off);
        EXPECT_NEAR(off.x, 0.0, 1e-9);
        EXPECT_NEAR(off.y, 0.0, 1e-9);
        const PoiseQuat left = poise_quat_mul(tip.q, poise_quat_conjugate(turn));
        EXPECT_NEAR(poise_length(poise_quat_log(left)), 0.0, 1e-9);
    }
    poise_body_destroy(compiled);
    body_model_finish(&body);
}

// ------------------------------------------------------------------------------------------- bits

// Adds numbers to an FNV-1a hash of their bits.
static void add_bits(uint64_t* hash, const double* numbers, int count) {
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        *hash = (*hash ^ bits) * 0x100000001b3u;
    }
}

static uint64_t hash_of(PoiseBodyPath path) {
    uint64_t hash = 0xcbf29ce484222325u;
    Random random = random_from(8);
    for (int kind = 0; kind < BODY_KINDS; kind++) {
        BodyModel body = body_model((BodyKind)kind);
        PoiseBody* compiled = body_of(&body);
        PoiseBodySolveDef def = poise_default_body_solve_def();
        def.path = path;
        for (int t = 0; t < 20; t++) {
            PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
            double posture[POISE_BODY_MOST_POSTURE];
            body_draw(&body, compiled, &random, 0.2, targets);
            // every fourth set is out of reach
            targets[0].pose.p.x += t % 4 == 3 ? 20.0 : 0.0;
            WORKS(poise_body_middle(compiled, posture));
            MAY_FAIL(poise_body_solve(compiled, &def, targets, posture, NULL));
            add_bits(&hash, posture, poise_body_posture_size(compiled));
        }
        poise_body_destroy(compiled);
        body_model_finish(&body);
    }
    return hash;
}

Test(body, answers_have_the_same_bits_with_and_without_vectors) {
    const uint64_t golden = 0x9d11ca953a32826bu;
    const uint64_t vectors = hash_of(POISE_BODY_EXACT);
    const uint64_t scalar = hash_of(POISE_BODY_PLAIN);
    cr_expect_eq(vectors, golden, "0x%llx", (unsigned long long)vectors);
    cr_expect_eq(scalar, golden, "0x%llx", (unsigned long long)scalar);
}

Test(body, fused_lanes_meet_the_same_targets) {
    BodyModel body = body_model(BODY_HUMANOID_FREE);
    PoiseBody* compiled = body_of(&body);
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    PoiseBodySolveDef def = poise_default_body_solve_def();
    Random random = random_from(9);
    def.path = POISE_BODY_FUSED;
    for (int t = 0; t < 50; t++) {
        double posture[POISE_BODY_MOST_POSTURE];
        body_draw(&body, compiled, &random, 0.5, targets);
        WORKS(poise_body_middle(compiled, posture));
        cr_expect(poise_body_solve(compiled, &def, targets, posture, NULL) == POISE_OK);
        cr_expect(body_miss(&body, compiled, posture, targets) <= 1e-9);
    }
    poise_body_destroy(compiled);
    body_model_finish(&body);
}

// --------------------------------------------------------------------------------- through
// poise_reach

// Sets the posture to the middle of the ranges, and the points to the targets. True if poise_reach
// meets them to its tolerance.
static bool reaches(BodyModel* body, const PoiseBody* compiled, const PoiseBodyTarget* targets) {
    double posture[POISE_BODY_MOST_POSTURE];
    WORKS(poise_body_middle(compiled, posture));
    WORKS(poise_body_write(compiled, body->model.tree, posture));
    for (int t = 0; t < body->tip_count; t++) {
        const PoisePointId point = body->model.points[t];
        WORKS(poise_point_set_position(body->model.tree, point, targets[t].pose.p));
        WORKS(poise_point_set_orientation(body->model.tree, point, targets[t].pose.q));
    }
    const PoiseStatus status = poise_reach(body->model.tree, NULL, NULL);
    WORKS(poise_body_read(compiled, body->model.tree, posture));
    return status == POISE_OK && body_miss(body, compiled, posture, targets) <= 2e-6 &&
           body_is_inside(body, compiled, posture);
}

Test(body, poise_reach_meets_the_targets_of_humanoids_from_one_start) {
    static const BodyKind kinds[] = {BODY_HUMANOID, BODY_HUMANOID_FREE, BODY_TWO_ARMS};
    for (int k = 0; k < 3; k++) {
        BodyModel body = body_model(kinds[k]);
        PoiseBody* compiled = body_of(&body);
        PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
        Random random = random_from(10);
        int met = 0;
        for (int t = 0; t < body.tip_count; t++) {
            model_add_pose(&body.model, body.tips[t].link, body.tips[t].in_link);
        }
        for (int t = 0; t < 200; t++) {
            body_draw(&body, compiled, &random, 0.2, targets);
            met += reaches(&body, compiled, targets);
        }
        cr_expect_eq(met, 200, "%s: %d", body_kind_name(kinds[k]), met);
        poise_body_destroy(compiled);
        body_model_finish(&body);
    }
}

/// Goals whose rows join limbs, or that have priorities.
typedef enum Extra { IN_PRIORITIES, IN_A_HAND, WITH_A_CENTRE_OF_MASS, COUPLED, EXTRAS } Extra;

static const char* extra_name(Extra extra) {
    static const char* const names[] = {"priorities", "a goal in the other hand",
                                        "a centre of mass", "a coupling of the arms"};
    return names[extra];
}

// Adds the points of the body's tips, and what `extra` says.
static void add_points(BodyModel* body, Extra extra) {
    PoiseTree* tree = body->model.tree;
    for (int t = 0; t < body->tip_count; t++) {
        PoisePointDef def = poise_default_pose_def();
        def.link = body->tips[t].link;
        def.in_link = body->tips[t].in_link;
        def.priority = extra == IN_PRIORITIES ? t : 0;
        def.frame = extra == IN_A_HAND && t == 1 ? body->tips[0].link : poise_null_node();
        body->model.points[t] = poise_point_create(tree, &def);
        WORKS(poise_register_all(tree, body->model.points[t]));
    }
    if (extra == WITH_A_CENTRE_OF_MASS) {
        PoisePointDef def = poise_default_com_def();
        def.link = body->model.nodes[0];
        body->model.points[body->tip_count] = poise_point_create(tree, &def);
        for (int i = 0; i < body->model.node_count; i++) {
            WORKS(poise_node_set_mass(tree, body->model.nodes[i], 1.0, poise_vec3(0.0, 0.0, -0.1)));
        }
        WORKS(poise_register_all(tree, body->model.points[body->tip_count]));
    }
    if (extra == COUPLED) {
        // the elbows bend together
        WORKS(poise_node_couple(tree, body->model.nodes[13], body->model.nodes[6], 1.0, 0.0));
    }
}

// Sets the goals to where the points are at a random posture, and the posture to the middle of the
// ranges. True if poise_reach meets them from there.
static bool reaches_all(BodyModel* body, const PoiseBody* compiled, Extra extra, Random* random) {
    PoiseTree* tree = body->model.tree;
    double posture[POISE_BODY_MOST_POSTURE];
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    PoiseReachReport report;
    body_draw(body, compiled, random, 0.2, targets);
    const int count = body->tip_count + (extra == WITH_A_CENTRE_OF_MASS);
    for (int t = 0; t < count; t++) {
        PoisePose goal = t < body->tip_count
                             ? targets[t].pose
                             : poise_point_planned_pose(tree, body->model.points[t]);
        if (extra == IN_A_HAND && t == 1) {
            const PoisePose hand = poise_node_link_world(tree, body->tips[0].link);
            goal = poise_pose_mul(poise_pose_inverse(hand), goal);
        }
        WORKS(poise_point_set_position(tree, body->model.points[t], goal.p));
        if (t < body->tip_count) {
            WORKS(poise_point_set_orientation(tree, body->model.points[t], goal.q));
        }
    }
    WORKS(poise_body_middle(compiled, posture));
    WORKS(poise_body_write(compiled, tree, posture));
    MAY_FAIL(poise_reach(tree, NULL, &report));
    return report.reason == POISE_REACH_MET;
}

Test(body, poise_reach_meets_goals_that_join_limbs_from_one_start) {
    for (int extra = 0; extra < EXTRAS; extra++) {
        BodyModel body = body_model(BODY_TWO_ARMS);
        Random random = random_from(12);
        int met = 0;
        add_points(&body, (Extra)extra);
        PoiseBody* compiled = body_of(&body);
        for (int t = 0; t < 100; t++) {
            met += reaches_all(&body, compiled, (Extra)extra, &random);
        }
        cr_expect_eq(met, 100, "%s: %d of 100", extra_name((Extra)extra), met);
        poise_body_destroy(compiled);
        body_model_finish(&body);
    }
}

// --------------------------------------------------------------------------------------- structure

Test(body, groups_numbers_and_sizes_are_those_of_the_tree) {
    const struct {
        BodyKind kind;
        int dof, groups, size, tips;
    } rows[] = {{BODY_HUMANOID, 29, 3, 29, 4},     {BODY_HUMANOID_FREE, 35, 1, 36, 4},
                {BODY_TWO_ARMS, 17, 1, 17, 2},     {BODY_HAND, 24, 1, 24, 5},
                {BODY_ARM_AND_HAND, 31, 1, 31, 5}, {BODY_QUADRUPED, 18, 1, 19, 4},
                {BODY_BALLS, 17, 1, 22, 2}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        BodyModel body = body_model(rows[r].kind);
        PoiseBody* compiled = body_of(&body);
        cr_expect_eq(poise_body_dof(compiled), rows[r].dof);
        cr_expect_eq(poise_body_group_count(compiled), rows[r].groups);
        cr_expect_eq(poise_body_posture_size(compiled), rows[r].size);
        cr_expect_eq(poise_body_tip_count(compiled), rows[r].tips);
        for (int i = 0; i < rows[r].size; i++) {
            cr_expect(poise_node_is_valid(body.model.tree, poise_body_node(compiled, i)));
            cr_expect(poise_body_lower(compiled, i) <= poise_body_upper(compiled, i));
        }
        cr_expect_eq(poise_body_node(compiled, rows[r].size).index1, 0);
        poise_body_destroy(compiled);
        body_model_finish(&body);
    }
}

// Expects that a def is refused with a message that has `words`.
static void expect_refusal(BodyModel* body, PoiseBodyDef def, const char* words) {
    poise_tree_clear_status(body->model.tree);
    cr_expect_null(poise_body_compile(body->model.tree, &def));
    cr_expect(strstr(poise_tree_message(body->model.tree), words), "%s",
              poise_tree_message(body->model.tree));
}

Test(body, what_cannot_be_compiled_is_refused_in_words) {
    BodyModel body = body_model(BODY_HAND);
    PoiseBodyDef def = poise_default_body_def();
    def.tips = body.tips;
    expect_refusal(&body, def, "tip_count must be 1 to 32");
    def.tip_count = 33;
    expect_refusal(&body, def, "tip_count must be 1 to 32");
    def.tip_count = 5;
    body.tips[1].in_link.p.x = (double)NAN;
    expect_refusal(&body, def, "in_link of tip 1");
    body.tips[1].in_link.p.x = 0.0;
    body.tips[2].link = poise_null_node();
    expect_refusal(&body, def, "tip 2 is not a node");
    body_model_finish(&body);
}

Test(body, two_thousand_joints_are_refused) {
    BodyModel body = {.model = model_empty(POISE_BALL_THREE_AXES)};
    PoiseBodyDef def = poise_default_body_def();
    PoiseNodeDef hinge = poise_default_hinge_def();
    for (int i = 0; i < 2000; i++) {
        hinge.parent = poise_node_create(body.model.tree, &hinge);
    }
    def.tip_count = 1;
    def.tips = body.tips;
    body.tips[0] = (PoiseBodyTip){.link = hinge.parent, .in_link = poise_pose_identity()};
    expect_refusal(&body, def, "node 2000 has more than 1024 nodes between it and the base");
    body_model_finish(&body);
}

Test(body, long_trees_and_tips_that_nothing_moves_are_refused) {
    BodyModel body = {.model = model_chain(POISE_NODE_HINGE, 900, 0.1, POISE_POINT_POSITION)};
    PoiseBodyDef def = poise_default_body_def();
    def.tip_count = 1;
    def.tips = body.tips;
    body.tips[0] = (PoiseBodyTip){.link = body.model.nodes[899], .in_link = poise_pose_identity()};
    expect_refusal(&body, def, "65th degree of freedom");
    for (int i = 0; i < 900; i++) {
        WORKS(poise_node_set_enabled(body.model.tree, body.model.nodes[i], false));
    }
    expect_refusal(&body, def, "no enabled node moves tip 0");
    body_model_finish(&body);
}
