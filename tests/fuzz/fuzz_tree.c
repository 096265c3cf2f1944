// SPDX-License-Identifier: MIT
// Calls on a tree in any order, with valid and destroyed handles and all sorts of numbers. Each
// call must return a status, sets must stay symmetric, postures must stay finite, and memory must
// be freed.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "any_call.h"
#include "demand.h"
#include "host.h"
#include "poise/body.h"
#include "poise/ik.h"
#include "poise/task.h"
#include "works.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { HANDLES = 24, MOST_CALLS = 300, SAVED = 65536, PARTS = 6, SETS = 2 };

typedef struct Fuzz {
    Input input;
    PoiseTree* tree;
    TestHost host;
    // ring buffers of handles, valid or destroyed; new ones replace the oldest
    PoiseNodeId nodes[HANDLES];
    PoisePointId points[HANDLES];
    int node_count;
    int point_count;
    unsigned char* saved;
    size_t saved_size;
    // NULL after destruction
    PoiseApart* aparts[SETS];
    PoiseTasks* tasks;
    PoiseBody* body;
} Fuzz;

static PoiseQuat quat(Fuzz* fuzz) {
    const PoiseVec3 v = input_vec3(&fuzz->input);
    return poise_quat(input_number(&fuzz->input), v.x, v.y, v.z);
}

static PoisePose pose(Fuzz* fuzz) {
    const PoiseVec3 p = input_vec3(&fuzz->input);
    return poise_pose(p, quat(fuzz));
}

static PoiseNodeId node(Fuzz* fuzz) {
    return fuzz->nodes[input_byte(&fuzz->input) % HANDLES];
}

static PoisePointId point(Fuzz* fuzz) {
    return fuzz->points[input_byte(&fuzz->input) % HANDLES];
}

static bool coin(Fuzz* fuzz) {
    return input_byte(&fuzz->input) % 2 == 1;
}

static void create_node(Fuzz* fuzz) {
    PoiseNodeDef (*const defs[])(void) = {
        poise_default_hinge_def,     poise_default_slider_def,      poise_default_ball_def,
        poise_default_universal_def, poise_default_translation_def, poise_default_free_def};
    PoiseNodeDef def = defs[input_byte(&fuzz->input) % 6]();
    def.parent = coin(fuzz) ? node(fuzz) : poise_null_node();
    def.joint_in_parent.p = input_vec3(&fuzz->input);
    if (coin(fuzz)) {
        def.link_in_joint = pose(fuzz);
        def.axis = input_vec3(&fuzz->input);
        def.axis2 = input_vec3(&fuzz->input);
        def.angle = input_number(&fuzz->input);
        def.rotation = quat(fuzz);
        def.translation = input_vec3(&fuzz->input);
    }
    if (coin(fuzz)) {
        def.lower = input_number(&fuzz->input);
        def.upper = input_number(&fuzz->input);
        def.swing_limit = input_number(&fuzz->input);
        def.twist_lower = input_number(&fuzz->input);
        def.twist_upper = input_number(&fuzz->input);
        def.max_speed = input_number(&fuzz->input);
        def.free_axes = input_byte(&fuzz->input);
        def.bias = input_number(&fuzz->input);
        def.mass = input_number(&fuzz->input);
        def.com_link = input_vec3(&fuzz->input);
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
    PoisePointDef def = defs[input_byte(&fuzz->input) % 6]();
    def.link = node(fuzz);
    def.in_link.p = input_vec3(&fuzz->input);
    if (coin(fuzz)) {
        def.has_goal = coin(fuzz);
        def.goal = pose(fuzz);
        def.axis = input_vec3(&fuzz->input);
        def.direction = input_vec3(&fuzz->input);
        def.frame = node(fuzz);
        def.rows = input_byte(&fuzz->input);
        def.row_axes = (PoiseRowAxes)(input_byte(&fuzz->input) % 4);
        def.max_speed = input_number(&fuzz->input);
        def.weight = input_number(&fuzz->input);
        def.priority = (int)(input_byte(&fuzz->input) % 20) - 2;
    }
    const PoisePointId made = poise_point_create(fuzz->tree, &def);
    if (poise_point_is_valid(fuzz->tree, made)) {
        fuzz->points[fuzz->point_count++ % HANDLES] = made;
        if (input_byte(&fuzz->input) % 8 > 0) {
            MAY_FAIL(poise_register_all(fuzz->tree, made));
        }
    }
}

// Changes nodes, points and sets, destroys some, or calls a stage of the solve.
static void call_any(Fuzz* fuzz) {
    PoiseTree* tree[] = {fuzz->tree};
    const Supply supplies[] = {{"PoiseTree*", tree, sizeof *tree, 1},
                               {"PoiseNodeId", fuzz->nodes, sizeof *fuzz->nodes, HANDLES},
                               {"PoisePointId", fuzz->points, sizeof *fuzz->points, HANDLES}};
    any_call(&fuzz->input, supplies, (int)(sizeof supplies / sizeof *supplies));
}

static void look(Fuzz* fuzz) {
    const PoiseNodeId a = node(fuzz), b = node(fuzz);
    double numbers[POISE_MAX_ROWS * POISE_MAX_DOF];
    MAY_FAIL(poise_jacobian(fuzz->tree, point(fuzz), a, numbers));
    MAY_FAIL(poise_manipulability(fuzz->tree, point(fuzz)));
    MAY_FAIL(poise_block_gamma(fuzz->tree, a, b, numbers));
    MAY_FAIL(poise_node_gravity_torque(fuzz->tree, a, numbers));
    MAY_FAIL(poise_point_planned_error(fuzz->tree, point(fuzz)));
    MAY_FAIL(poise_point_reach(fuzz->tree, point(fuzz)));
}

static void solve(Fuzz* fuzz) {
    PoiseSolveDef def = poise_default_solve_def();
    def.solver = (PoiseSolver)(input_byte(&fuzz->input) % 6);
    if (coin(fuzz)) {
        def.damping = input_number(&fuzz->input);
        def.damping_floor = input_number(&fuzz->input);
        def.damping_frozen = coin(fuzz);
        def.adaptive = coin(fuzz);
        def.joint_cap = input_number(&fuzz->input);
        def.position_clamp = input_number(&fuzz->input);
        def.posture_rate = input_number(&fuzz->input);
        def.step = input_number(&fuzz->input);
        def.sweeps = (int)(input_byte(&fuzz->input) % 40) - 1;
    }
    PoiseSolveReport report;
    MAY_FAIL(poise_forward(fuzz->tree));
    if (poise_solve(fuzz->tree, &def, &report) >= POISE_OK && coin(fuzz)) {
        MAY_FAIL(poise_advance(fuzz->tree));
    }
}

static void reach(Fuzz* fuzz) {
    PoiseReachDef def = poise_default_reach_def();
    const unsigned how = input_byte(&fuzz->input);
    // few iterations: no other call takes as long
    def.iterations = how < 240 ? 2 : 10;
    def.starts = 1 + (int)(how % 3);
    MAY_FAIL(poise_reach(fuzz->tree, &def, NULL));
}

// Saves the state, or restores the saved one, which is sometimes damaged.
static void go_back(Fuzz* fuzz) {
    if (coin(fuzz)) {
        fuzz->saved_size = poise_tree_save_size(fuzz->tree);
        fuzz->saved_size = fuzz->saved_size < SAVED ? fuzz->saved_size : 0;
        if (poise_tree_save(fuzz->tree, fuzz->saved, fuzz->saved_size) != POISE_OK) {
            fuzz->saved_size = 0;
        }
        return;
    }
    if (fuzz->saved_size > 0 && input_byte(&fuzz->input) < 32) {
        const size_t at = input_byte(&fuzz->input) * fuzz->saved_size / 256;
        fuzz->saved[at] ^= (unsigned char)input_byte(&fuzz->input);
    }
    MAY_FAIL(poise_tree_restore(fuzz->tree, fuzz->saved, fuzz->saved_size));
}

// Parts that stay apart may outlive their tree; tasks may not.
static void swap_for_clone(Fuzz* fuzz) {
    PoiseTree* copy = poise_tree_clone(fuzz->tree);
    if (copy) {
        PoiseApart* apart = poise_apart_clone(fuzz->aparts[0], copy);
        poise_apart_destroy(fuzz->aparts[0]);
        fuzz->aparts[0] = apart;
        poise_tasks_destroy(fuzz->tasks);
        fuzz->tasks = NULL;
        poise_tree_destroy(fuzz->tree);
        fuzz->tree = copy;
    }
}

static PoiseConvex shape(Fuzz* fuzz) {
    static const PoiseVec3 corners[] = {
        {0.0, 0.0, 0.0}, {0.2, 0.0, 0.0}, {0.0, 0.2, 0.0}, {0.0, 0.0, 0.2}, {0.1, 0.1, 0.1}};
    PoiseConvex convex = {.kind = (PoiseConvexKind)(input_byte(&fuzz->input) % 6),
                          .pose = poise_pose_identity(),
                          .radius = 0.01 * input_byte(&fuzz->input),
                          .half_length = 0.1,
                          .half = {0.1, 0.05, 0.02},
                          .corners = corners,
                          .corner_count = 1 + (int)(input_byte(&fuzz->input) % 5)};
    if (coin(fuzz)) {
        convex.pose = pose(fuzz);
        convex.radius = input_number(&fuzz->input);
        convex.half_length = input_number(&fuzz->input);
        convex.half = input_vec3(&fuzz->input);
    }
    return convex;
}

static void keep_apart(Fuzz* fuzz) {
    PoiseApartPart parts[PARTS];
    PoiseApartDef def = poise_default_apart_def();
    const unsigned set = input_byte(&fuzz->input) % SETS;
    memset(parts, 0, sizeof parts);
    def.parts = parts;
    def.part_count = 1 + (int)(input_byte(&fuzz->input) % PARTS);
    for (int i = 0; i < def.part_count; i++) {
        parts[i].link = i % 3 == 2 ? poise_null_node() : node(fuzz);
        parts[i].base = coin(fuzz);
        parts[i].place.p = input_vec3(&fuzz->input);
        parts[i].shape = shape(fuzz);
    }
    def.samples = (int)(input_byte(&fuzz->input) % 20);
    def.self = coin(fuzz);
    if (coin(fuzz)) {
        def.distance = input_number(&fuzz->input);
        def.range = input_number(&fuzz->input);
    }
    poise_apart_destroy(fuzz->aparts[set]);
    fuzz->aparts[set] = poise_apart_create(fuzz->tree, &def);
}

static void use_apart(Fuzz* fuzz) {
    PoiseApart* apart = fuzz->aparts[input_byte(&fuzz->input) % SETS];
    PoiseApartNear near[2];
    const PoiseApartPair pair = {(int)(input_byte(&fuzz->input) % PARTS),
                                 (int)(input_byte(&fuzz->input) % PARTS)};
    const PoisePose place = pose(fuzz);
    const PoiseVec3 velocity = input_vec3(&fuzz->input), spin = input_vec3(&fuzz->input);
    MAY_FAIL(poise_apart_set_obstacle(apart, pair.a, place, velocity, spin));
    MAY_FAIL(poise_apart_set_lag(apart, spin.x));
    MAY_FAIL(poise_apart_allow(apart, pair, coin(fuzz)));
    MAY_FAIL(poise_apart_measure(apart, coin(fuzz) ? near : NULL));
    MAY_FAIL(poise_apart_near(apart, near, 2));
    MAY_FAIL(poise_apart_held_by(apart, point(fuzz), near));
}

static void add_task(Fuzz* fuzz) {
    PoiseTaskDef def =
        poise_default_task_def((PoiseTaskKind)(1 + input_byte(&fuzz->input) % POISE_TASK_CONE));
    if (!fuzz->tasks) {
        fuzz->tasks = poise_tasks_create(fuzz->tree);
    }
    def.point = point(fuzz);
    def.other = point(fuzz);
    def.priority = (int)(input_byte(&fuzz->input) % 4);
    if (coin(fuzz)) {
        def.normal = input_vec3(&fuzz->input);
        def.apex = input_vec3(&fuzz->input);
        def.angle = input_number(&fuzz->input);
        def.lower = input_number(&fuzz->input);
        def.upper = input_number(&fuzz->input);
        def.weights[input_byte(&fuzz->input) % 6] = input_number(&fuzz->input);
        def.weight = input_number(&fuzz->input);
        def.gain = input_number(&fuzz->input);
    }
    const int count = poise_tasks_count(fuzz->tasks);
    if (count < 6) {
        MAY_FAIL(poise_tasks_add(fuzz->tasks, &def));
    } else {
        MAY_FAIL(poise_tasks_set(fuzz->tasks, (int)(input_byte(&fuzz->input) % 6), &def));
    }
}

static void use_tasks(Fuzz* fuzz) {
    PoiseTasksDef def = poise_default_tasks_def();
    PoiseTasksReport report;
    PoiseNodeId held[2];
    double errors[6], jacobian[6 * POISE_MAX_DOF * HANDLES];
    const unsigned how = input_byte(&fuzz->input);
    def.iterations = 2;
    def.starts = 1 + (int)(how % 3);
    def.dt = coin(fuzz) ? input_number(&fuzz->input) : def.dt;
    switch (how % 8) {
    case 0:
        poise_tasks_destroy(fuzz->tasks);
        fuzz->tasks = NULL;
        break;
    case 1:
        MAY_FAIL(poise_tasks_solve(fuzz->tasks, &def, &report));
        break;
    case 2:
        poise_tasks_rest(fuzz->tasks);
        break;
    case 3:
        if (poise_tasks_columns(fuzz->tasks) <= POISE_MAX_DOF * HANDLES) {
            MAY_FAIL(poise_tasks_rows(fuzz->tasks, (int)(how / 8), errors, jacobian, 6));
        }
        break;
    default:
        MAY_FAIL(poise_tasks_step(fuzz->tasks, &def, &report));
    }
    MAY_FAIL(poise_tasks_held_by(fuzz->tasks, held, 2));
    poise_tasks_read(fuzz->tasks, (int)(how / 32));
}

static void compile_body(Fuzz* fuzz) {
    PoiseBodyTip tips[3];
    PoiseBodyDef def = poise_default_body_def();
    memset(tips, 0, sizeof tips);
    def.tips = tips;
    def.tip_count = 1 + (int)(input_byte(&fuzz->input) % 3);
    def.seeds = 8;
    for (int i = 0; i < def.tip_count; i++) {
        tips[i].link = node(fuzz);
        tips[i].in_link = coin(fuzz) ? pose(fuzz) : poise_pose_identity();
        tips[i].frame = coin(fuzz) && coin(fuzz) ? node(fuzz) : poise_null_node();
        tips[i].centre_of_mass = coin(fuzz) && coin(fuzz);
    }
    poise_body_destroy(fuzz->body);
    fuzz->body = poise_body_compile(fuzz->tree, &def);
}

// Calls the functions of a compiled body, which may outlive its tree.
static void use_body(Fuzz* fuzz) {
    PoiseBody* body = fuzz->body;
    PoiseBodySolveDef def = poise_default_body_solve_def();
    PoiseBodyTarget targets[3];
    PoiseBodyReport report;
    double posture[POISE_BODY_MOST_POSTURE], answers[2 * POISE_BODY_MOST_POSTURE];
    def.iterations = 3;
    if (!body || poise_body_middle(body, posture) != POISE_OK) {
        return;
    }
    MAY_FAIL(poise_body_read(body, fuzz->tree, posture));
    for (int i = 0; i < 3; i++) {
        targets[i] = poise_default_body_target(pose(fuzz));
        targets[i].goal = (PoiseBodyGoal)(input_byte(&fuzz->input) % 5);
        targets[i].weights[0] = coin(fuzz) ? input_number(&fuzz->input) : 1.0;
        targets[i].priority = coin(fuzz) ? (int)(input_byte(&fuzz->input) % 20) - 2 : 0;
    }
    PoiseBodyAnswers list = {.capacity = 2, .postures = answers};
    const unsigned how = input_byte(&fuzz->input) % 8;
    if (how < 2) {
        MAY_FAIL(poise_body_keep_apart(body, fuzz->aparts[how]));
    } else if (how < 4) {
        MAY_FAIL(poise_body_track(body, &def, targets, posture, &report));
    } else if (how < 5) {
        MAY_FAIL(poise_body_answers(body, &def, targets, posture, &list));
    } else {
        MAY_FAIL(poise_body_solve(body, &def, targets, posture, &report));
    }
    for (int i = 0; i < poise_body_posture_size(body); i++) {
        demand(isfinite(posture[i]), "a body's posture that is not finite");
    }
    MAY_FAIL(poise_body_write(body, fuzz->tree, posture));
}

// Checks that Nd(point) and Cp(node) agree and that postures are finite.
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
    Fuzz fuzz = {.input = {data, size}, .saved = saved};
    PoiseTreeDef def = poise_default_tree_def();
    def.host = test_host(&fuzz.host);
    def.node_capacity = 2;
    def.point_capacity = 1;
    def.ball_axes = input_byte(&fuzz.input) % 2 == 0 ? POISE_BALL_THREE_AXES : POISE_BALL_REDUCED;
    fuzz.tree = poise_tree_create(&def);
    for (int call = 0; call < MOST_CALLS && fuzz.input.size > 0; call++) {
        void (*const calls[])(Fuzz*) = {
            create_node, create_node,    create_point, call_any,   call_any,  call_any,
            call_any,    call_any,       call_any,     solve,      solve,     reach,
            look,        swap_for_clone, go_back,      keep_apart, use_apart, add_task,
            use_tasks,   use_tasks,      compile_body, use_body};
        const unsigned which = input_byte(&fuzz.input);
        // allocations fail from time to time
        if (which >= 250) {
            fuzz.host.fail_in = fuzz.host.fail_in > 0 ? 0 : 1 + (long)(which - 250);
        }
        calls[which % (sizeof calls / sizeof *calls)](&fuzz);
        check(&fuzz);
    }
    poise_tasks_destroy(fuzz.tasks);
    const bool tree_first = size > 0 && data[size - 1] % 2 == 0;
    if (tree_first) {
        poise_tree_destroy(fuzz.tree);
    }
    for (int i = 0; i < SETS; i++) {
        poise_apart_destroy(fuzz.aparts[i]);
    }
    poise_body_destroy(fuzz.body);
    if (!tree_first) {
        poise_tree_destroy(fuzz.tree);
    }
    demand(fuzz.host.live_blocks == 0 && fuzz.host.live_bytes == 0,
           "memory that was not given back");
    return 0;
}
