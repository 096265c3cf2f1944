// SPDX-License-Identifier: MIT
#include "figures_of_robot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poise/body.h"
#include "poise/tip.h"
#include "works.h"

#define WATCHED 0.1

double draw(uint64_t* state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

// Returns a vector with random components in -0.5..0.5.
static PoiseVec3 draw_vector(uint64_t* state) {
    const double x = draw(state) - 0.5, y = draw(state) - 0.5;
    return poise_vec3(x, y, draw(state) - 0.5);
}

// ---------------------------------------------------------------------------------------- masses

double figures_mass(const PoiseScene* scene) {
    double sum = 0.0;
    const bool mjcf = scene->robot && strcmp(scene->robot, "mjcf") == 0;
    for (int i = 0; i < scene->body_count; i++) {
        const bool world = mjcf && strcmp(scene->bodies[i].name, "world") == 0;
        sum += world ? 0.0 : scene->bodies[i].mass;
    }
    return sum;
}

double figures_written_mass(const char* file) {
    FILE* in = fopen(file, "r");
    double sum = 0.0;
    bool urdf = false;
    char line[20000];
    while (in && fgets(line, sizeof line, in)) {
        urdf = urdf || strstr(line, "<robot");
        for (const char* at = strstr(line, "<mass"); at; at = strstr(at + 1, "<mass")) {
            double mass = 0.0;
            const bool there = sscanf(at, "<mass value = \"%lf", &mass) == 1 ||
                               sscanf(at, "<mass value = '%lf", &mass) == 1;
            sum += there ? mass : 0.0;
        }
    }
    if (in) {
        fclose(in);
    }
    return urdf ? sum : -1.0;
}

// --------------------------------------------------------------------------------------- targets

static bool closes_loops(const PoiseScene* scene) {
    for (int i = 0; i < scene->joint_count; i++) {
        if (!scene->joints[i].driven) {
            return true;
        }
    }
    return false;
}

// Returns the first joint of the chain to the body that comes after a floating base; the null node
// if no base floats.
static PoiseNodeId first_of(const PoiseSimulation* simulation, int body) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    PoiseNodeId first = poise_null_node();
    while (body >= 0 && scene->bodies[body].joint >= 0) {
        const int joint = scene->bodies[body].joint;
        if (poise_kind_floats(scene->joints[joint].kind)) {
            return first;
        }
        first = poise_simulation_joint_node(simulation, joint);
        body = scene->joints[joint].parent.index;
    }
    return poise_null_node();
}

// Returns a random value in the range. A missing lower end is half a turn (20 cm) below the upper
// end or 0; a missing upper end is a turn (40 cm) above the lower end.
static double draw_between(double lower, double upper, bool slides, uint64_t* seed) {
    const double far = slides ? 0.2 : 3.141592653589793;
    const double low = isfinite(lower) ? lower : (isfinite(upper) ? upper - far : -far);
    return low + ((isfinite(upper) ? upper : low + 2.0 * far) - low) * draw(seed);
}

// Draws a rotation within half the ball joint's cone; a cone wider than 2 rad counts as 2 rad.
static void draw_ball(const PoiseTree* tree, PoiseNodeId node, double* q, uint64_t* seed) {
    const PoiseLimits limits = poise_node_limits(tree, node);
    const double most = 0.5 * fmin(fmin(limits.upper[0], limits.upper[2]), 2.0);
    const PoiseVec3 v = draw_vector(seed);
    const PoiseQuat turn = poise_quat_exp(poise_scale(most, v));
    q[0] = turn.w;
    q[1] = turn.x;
    q[2] = turn.y;
    q[3] = turn.z;
}

// Draws a random posture. Followers are set from their leaders, as the tree does only when it
// solves. Returns false if a follower is out of its range.
static bool draw_posture(PoiseTree* tree, const PoiseBody* body, double* posture, uint64_t* seed) {
    bool inside = true;
    for (int i = 0; i < poise_body_posture_size(body); i++) {
        const PoiseNodeId node = poise_body_node(body, i);
        const PoiseNodeKind kind = poise_node_kind(tree, node);
        double ratio = 1.0;
        double offset = 0.0;
        const PoiseNodeId leader = poise_node_leader(tree, node, &ratio, &offset);
        const double lower = poise_body_lower(body, i);
        const double upper = poise_body_upper(body, i);
        if (poise_joint_type(kind)->nq == 4) {
            draw_ball(tree, node, &posture[i], seed);
            i += 3;
            continue;
        }
        posture[i] = draw_between(lower, upper, kind == POISE_NODE_SLIDER, seed);
        for (int k = 0; k < i && leader.index1 != 0; k++) {
            if (poise_body_node(body, k).index1 == leader.index1) {
                posture[i] = ratio * posture[k] + offset;
            }
        }
        inside = inside && posture[i] >= lower && posture[i] <= upper;
    }
    return inside;
}

// Compiles the joints of a tip. A floating base is rigid.
static PoiseBody* body_of_tip(const PoiseSimulation* simulation, PoiseTip tip) {
    const PoiseBodyTip own = {.link = tip.node, .in_link = tip.in_link};
    PoiseBodyDef def = poise_default_body_def();
    def.tips = &own;
    def.tip_count = 1;
    PoiseBody* body = poise_body_compile(poise_simulation_tree(simulation), &def);
    if (!body) {
        fprintf(stderr, "%s\n", poise_tree_message(poise_simulation_tree(simulation)));
    }
    return body;
}

static int solve_tip(PoiseSimulation* simulation, PoiseTip tip, int* met) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    WORKS(poise_simulation_free_base(simulation, false));
    PoiseBody* body = body_of_tip(simulation, tip);
    if (!body) {
        return TARGETS_A_TIP;
    }
    uint64_t seed = 1;
    int asked = 0;
    for (int tries = 0; asked < TARGETS_A_TIP && tries < 1000; tries++) {
        double posture[POISE_BODY_MOST_POSTURE];
        if (!draw_posture(tree, body, posture, &seed)) {
            continue;
        }
        asked++;
        const PoiseBodyTarget target =
            poise_default_body_target(poise_body_forward(body, posture, 0));
        const bool solved = poise_body_middle(body, posture) == POISE_OK &&
                            poise_body_solve(body, NULL, &target, posture, NULL) == POISE_OK;
        *met += solved ? 1 : 0;
    }
    poise_body_destroy(body);
    return asked;
}

bool figures_place(const PoiseSimulation* simulation, int point, uint64_t* seed, PoiseVec3* place) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    const PoiseScenePoint* of = &scene->points[point];
    const int joint = of->com ? -1 : scene->bodies[of->body.index].joint;
    if (closes_loops(scene) || joint < 0 || first_of(simulation, of->body.index).index1 != 0) {
        return false;
    }
    // poise_tip_find would find the link of the point's name, whose frame may be elsewhere
    PoiseTip tip = {poise_simulation_joint_node(simulation, joint), of->in_body};
    tip.in_link.p = poise_sub(tip.in_link.p, scene->bodies[of->body.index].com);
    PoiseBody* body = body_of_tip(simulation, tip);
    bool drawn = false;
    for (int tries = 0; body && !drawn && tries < 1000; tries++) {
        double posture[POISE_BODY_MOST_POSTURE];
        drawn = draw_posture(poise_simulation_tree(simulation), body, posture, seed);
        *place = drawn ? poise_body_forward(body, posture, 0).p : *place;
    }
    poise_body_destroy(body);
    return drawn;
}

// Stores all coordinates of the tree (`restore`: restores them).
static void postures_of(const PoiseSimulation* simulation, double (*postures)[POISE_MAX_NQ],
                        bool restore) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const PoiseNodeId node = poise_simulation_joint_node(simulation, i);
        if (node.index1 == 0) {
            continue;
        }
        const int count = poise_joint_type(poise_node_kind(tree, node))->nq;
        if (!restore) {
            GETS(poise_node_posture(tree, node, postures[i]));
        } else if (poise_node_set_posture(tree, node, postures[i], count) < 0) {
            fprintf(stderr, "%s\n", poise_tree_message(tree));
        }
    }
}

static PoisePointId lone_point(const PoiseSimulation* simulation, PoiseTip tip) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        if (poise_point_set_enabled(tree, view.point, false) < 0) {
            return poise_null_point();
        }
    }
    PoisePointDef def = poise_default_position_def();
    def.link = tip.node;
    def.in_link = tip.in_link;
    def.has_goal = true;
    const PoisePointId point = poise_point_create(tree, &def);
    return poise_register_chain(tree, point, poise_null_node()) >= 0 ? point : poise_null_point();
}

// Solves to a random position, then takes the position reached as the target: all closed loops
// allow it.
static int solve_loops(const PoiseSimulation* simulation, PoiseTip tip, int* met) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    const size_t joints = (size_t)poise_simulation_joint_count(simulation);
    double(*start)[POISE_MAX_NQ] = calloc(joints + 1, sizeof *start);
    const PoisePointId point = lone_point(simulation, tip);
    uint64_t seed = 1;
    if (!start || point.index1 == 0 || poise_forward(tree) < 0) {
        fprintf(stderr, "%s\n", poise_tree_message(tree));
        free(start);
        return TARGETS_A_TIP;
    }
    postures_of(simulation, start, false);
    const PoiseVec3 place = poise_pose_apply(poise_node_link_world(tree, tip.node), tip.in_link.p);
    for (int i = 0; i < TARGETS_A_TIP; i++) {
        const PoiseVec3 offset = draw_vector(&seed);
        PoiseVec3 goal = poise_add_scaled(place, 0.5, offset);
        PoiseStatus status = POISE_OK;
        for (int round = 0; round < 2 && status >= 0; round++) {
            postures_of(simulation, start, true);
            status = poise_point_set_position(tree, point, goal);
            status = status >= 0 ? poise_reach(tree, NULL, NULL) : status;
            goal = poise_pose_apply(poise_node_link_world(tree, tip.node), tip.in_link.p);
        }
        *met += status == POISE_OK ? 1 : 0;
        if (status != POISE_OK) {
            fprintf(stderr, "  target %d: %s, off by %g m\n", i, poise_status_name(status),
                    poise_point_planned_error(tree, point));
        }
    }
    postures_of(simulation, start, true);
    const PoiseStatus gone = poise_point_destroy(tree, point);
    free(start);
    return gone < 0 ? 0 : TARGETS_A_TIP;
}

int figures_targets(PoiseSimulation* simulation, int* met) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    int asked = 0;
    for (int i = 0; i < scene->point_count; i++) {
        const PoiseScenePoint* point = &scene->points[i];
        PoiseTip tip;
        char why[300];
        if (point->com) {
            continue;
        }
        if (poise_tip_find(simulation, point->name, &tip, why, sizeof why)) {
            fprintf(stderr, "%s\n", why);
            asked += TARGETS_A_TIP;
            continue;
        }
        asked += closes_loops(scene) ? solve_loops(simulation, tip, met)
                                     : solve_tip(simulation, tip, met);
    }
    return asked;
}

// ------------------------------------------------------------------------------------------- rest

// Returns the distance of a joint from its springs' target, rad or m.
static double off_target(const PoiseJointView* view) {
    return poise_length(poise_sub(poise_joint_vector(view->kind, view->q),
                                  poise_joint_vector(view->kind, view->q_target)));
}

static double moved_by(const PoiseJointView* before, const PoiseJointView* after) {
    return poise_length(poise_sub(poise_joint_vector(after->kind, after->q),
                                  poise_joint_vector(before->kind, before->q)));
}

bool figures_rest(PoiseSimulation* simulation, Figures* figures) {
    const PoiseScene* scene = poise_simulation_scene(simulation);
    const Figures none = {0.0, 0.0, 0.0, "", "", ""};
    *figures = none;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView point = poise_simulation_point(simulation, i);
        if (point.reading.miss > figures->point || isnan(point.reading.miss)) {
            figures->point = point.reading.miss;
            figures->point_name = point.name;
        }
    }
    PoiseJointView* before = calloc((size_t)scene->joint_count + 1, sizeof *before);
    for (int i = 0; before && i < scene->joint_count; i++) {
        before[i] = poise_simulation_joint(simulation, i);
        const PoiseBindDef* bind = &scene->joints[i].bind;
        const bool driven = scene->joints[i].driven && !poise_kind_floats(scene->joints[i].kind) &&
                            (scene->joints[i].tuned || bind->ik.stiffness > 0.0);
        const double off = driven ? off_target(&before[i]) : 0.0;
        if (off > figures->joint || isnan(off)) {
            figures->joint = off;
            figures->joint_name = before[i].name;
        }
    }
    const long steps = lround(WATCHED / poise_simulation_step_length(simulation));
    bool fine = before != NULL;
    for (long i = 0; fine && i < steps; i++) {
        fine = poise_simulation_step(simulation) >= 0;
    }
    for (int i = 0; fine && i < scene->joint_count; i++) {
        const PoiseJointView after = poise_simulation_joint(simulation, i);
        const double moved = moved_by(&before[i], &after);
        if (moved > figures->moved || isnan(moved)) {
            figures->moved = moved;
            figures->moved_name = after.name;
        }
    }
    free(before);
    return fine;
}
