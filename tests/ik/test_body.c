// SPDX-License-Identifier: MIT
// Tests compiled bodies: every reachable set of targets is met inside the ranges, by the frames of
// the tree; other targets get the nearest answer and the reason; all paths give the same bits.
#include <criterion/criterion.h>
#include <string.h>

#include "bodies.h"
#include "near.h"
#include "works.h"

enum { TARGETS = 300, TREES = 60 };

/// A kind of body, the motion of its base, and the path of the code.
typedef struct Reachable {
    BodyKind kind;
    double shift;
    PoiseBodyPath path;
} Reachable;

// Solves targets of random postures from the middle of the ranges. Each is met to 1e-9.
static void solve_reachable(const Reachable* row) {
    BodyModel body = body_model(row->kind);
    PoiseBody* compiled = body_of(&body);
    PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
    PoiseBodySolveDef def = poise_default_body_solve_def();
    Random random = random_from(11 + (uint64_t)row->kind);
    def.path = row->path;
    for (int t = 0; t < (row->path == POISE_BODY_FUSED ? 50 : TARGETS); t++) {
        double posture[POISE_BODY_MOST_POSTURE];
        PoiseBodyReport report;
        body_draw(&body, compiled, &random, row->shift, targets);
        WORKS(poise_body_middle(compiled, posture));
        const PoiseStatus status = poise_body_solve(compiled, &def, targets, posture, &report);
        const double miss = body_miss(&body, compiled, posture, targets);
        cr_expect(status == POISE_OK && report.reason == POISE_REACH_MET && miss <= 1e-9,
                  "target %d of %s: %s, %s, %g m or rad off", t, body_kind_name(row->kind),
                  poise_status_name(status), poise_reach_reason_name(report.reason), miss);
        cr_expect(body_is_inside(&body, compiled, posture), "target %d is not inside", t);
        cr_expect(fmax(report.error, report.angle_error) <= miss + 1e-12);
    }
    poise_body_destroy(compiled);
    body_model_finish(&body);
}

// Bodies with floating bases, branches on branches and balls with cones.
Test(body, all_kinds_meet_all_their_targets) {
    static const Reachable rows[] = {
        {BODY_HUMANOID, 0.0, POISE_BODY_EXACT},      {BODY_TWO_ARMS, 0.0, POISE_BODY_EXACT},
        {BODY_HUMANOID_FREE, 0.0, POISE_BODY_EXACT}, {BODY_HUMANOID_FREE, 3.0, POISE_BODY_EXACT},
        {BODY_QUADRUPED, 1.0, POISE_BODY_EXACT},     {BODY_HAND, 0.0, POISE_BODY_EXACT},
        {BODY_ARM_AND_HAND, 0.0, POISE_BODY_EXACT},  {BODY_BALLS, 0.0, POISE_BODY_EXACT},
        {BODY_HUMANOID_FREE, 0.5, POISE_BODY_FUSED}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        solve_reachable(&rows[r]);
    }
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

// A start at the targets stays there.
Test(body, tips_of_random_trees_are_where_the_tree_has_them) {
    Random random = random_from(3);
    for (int i = 0; i < TREES; i++) {
        BodyModel body = random_body(&random);
        PoiseBody* compiled = body_of(&body);
        PoiseBodyTarget targets[POISE_BODY_MOST_TIPS];
        double given[POISE_BODY_MOST_POSTURE];
        double posture[POISE_BODY_MOST_POSTURE];
        body_draw(&body, compiled, &random, 0.5, targets);
        WORKS(poise_body_read(compiled, body.model.tree, given));
        for (int t = 0; t < body.tip_count; t++) {
            const PoisePose pose = poise_body_forward(compiled, given, t);
            EXPECT_NEAR3(pose.p, targets[t].pose.p, 1e-12);
            EXPECT_NEAR_QUAT(pose.q, targets[t].pose.q, 1e-12);
        }
        memcpy(posture, given, sizeof posture);
        cr_expect_eq(poise_body_solve(compiled, NULL, targets, posture, NULL), POISE_OK, "%d", i);
        for (int k = 0; k < poise_body_posture_size(compiled); k++) {
            EXPECT_NEAR(posture[k], given[k], 1e-12);
        }
        poise_body_destroy(compiled);
        body_model_finish(&body);
    }
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
    // nearer than the sum of the lengths, and yet not reachable
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
    const uint64_t golden = 0x1421574ad32833e6u;
    const uint64_t vectors = hash_of(POISE_BODY_EXACT);
    const uint64_t scalar = hash_of(POISE_BODY_PLAIN);
    cr_expect_eq(vectors, golden, "0x%llx", (unsigned long long)vectors);
    cr_expect_eq(scalar, golden, "0x%llx", (unsigned long long)scalar);
}

// ------------------------------------------------------------------------------------ poise_reach

/// Goals whose rows join limbs, or that have priorities.
typedef enum Extra { PLAIN, IN_PRIORITIES, IN_A_HAND, WITH_A_CENTRE_OF_MASS, COUPLED } Extra;

// Adds the points of the body's tips, and the features of `extra`.
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
    WORKS(poise_body_read(compiled, tree, posture));
    return report.reason == POISE_REACH_MET && body_is_inside(body, compiled, posture) &&
           body_miss(body, compiled, posture, targets) <= 2e-6;
}

Test(body, poise_reach_meets_goals_from_one_start) {
    static const struct {
        BodyKind kind;
        Extra extra;
        int targets;
        const char* name;
    } rows[] = {{BODY_HUMANOID, PLAIN, 200, "a humanoid"},
                {BODY_HUMANOID_FREE, PLAIN, 200, "a humanoid on a free base"},
                {BODY_TWO_ARMS, PLAIN, 200, "two arms"},
                {BODY_TWO_ARMS, IN_PRIORITIES, 100, "priorities"},
                {BODY_TWO_ARMS, IN_A_HAND, 100, "a goal in the other hand"},
                {BODY_TWO_ARMS, WITH_A_CENTRE_OF_MASS, 100, "a centre of mass"},
                {BODY_TWO_ARMS, COUPLED, 100, "a coupling of the arms"}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        BodyModel body = body_model(rows[r].kind);
        Random random = random_from(12);
        int met = 0;
        add_points(&body, rows[r].extra);
        PoiseBody* compiled = body_of(&body);
        for (int t = 0; t < rows[r].targets; t++) {
            met += reaches_all(&body, compiled, rows[r].extra, &random);
        }
        cr_expect_eq(met, rows[r].targets, "%s: %d met", rows[r].name, met);
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

Test(body, tips_that_cannot_join_limbs_are_refused_in_words) {
    BodyModel body = body_model(BODY_TWO_ARMS);
    PoiseBodyDef def = poise_default_body_def();
    body_join(&body, true, true);
    def.tips = body.tips;
    const PoiseBodyTip hand = body.tips[1];
    body.tips[1].frame.generation++;
    def.tip_count = 2;
    expect_refusal(&body, def, "the frame of tip 1 is not a node");
    body.tips[1].frame = body.tips[1].link;
    expect_refusal(&body, def, "no enabled node moves tip 1, or its frame");
    body.tips[1] = hand;
    for (int t = 2; t < 6; t++) {
        body.tips[t] = hand;
    }
    body.tips[6] = (PoiseBodyTip){.link = body.model.nodes[0], .centre_of_mass = true};
    def.tip_count = 6;
    expect_refusal(&body, def, "more than 24 rows");
    body.tips[2] = body.tips[6];
    body.tips[3] = body.tips[6];
    def.tip_count = 4;
    expect_refusal(&body, def, "at most one centre of mass");
    for (int i = 0; i < body.model.node_count; i++) {
        WORKS(poise_node_set_mass(body.model.tree, body.model.nodes[i], 0.0,
                                  poise_vec3(0.0, 0.0, 0.0)));
    }
    def.tip_count = 3;
    expect_refusal(&body, def, "of links with a mass");
    body_model_finish(&body);
}

// Seven couplings tie the arms of a humanoid to each other; two couplings of the legs are one too
// many.
Test(body, nine_couplings_of_limbs_are_refused_and_eight_are_not) {
    BodyModel body = body_model(BODY_HUMANOID);
    PoiseBodyDef def = poise_default_body_def();
    PoiseTree* tree = body.model.tree;
    const PoiseNodeId* nodes = body.model.nodes;
    for (int i = 0; i < 8; i++) {
        const int first = i < 7 ? 3 + i : 17;
        WORKS(poise_node_couple(tree, nodes[first + (i < 7 ? 7 : 6)], nodes[first], 1.0, 0.0));
    }
    poise_body_destroy(body_of(&body));
    WORKS(poise_node_couple(tree, nodes[24], nodes[18], 1.0, 0.0));
    def.tips = body.tips;
    def.tip_count = body.tip_count;
    expect_refusal(&body, def, "more than 8 couplings join limbs");
    body_model_finish(&body);
}
