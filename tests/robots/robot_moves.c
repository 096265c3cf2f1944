// SPDX-License-Identifier: MIT
// Prints how one robot reaches positions, as a row of the table of run --moves:
//     robot-moves FILE [MOVES [SPEED]]
// Sends each point in turn from the start to MOVES (20) reachable positions. The goal is set at
// once in the first run, and moves at 0.5 m/s in the second. The other points are disabled. Each
// move has 10 s. SPEED is the reconfigure_speed. The program ends with 1 if a point gave up on a
// position that poise_reach meets from the start.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures_of_robot.h"
#include "poise/reach.h"

// time of a move, s; distance at which a goal is met, m; speed of the goal, m/s
#define GIVEN_TIME 10.0
#define NEAR       0.001
#define SLOW       0.5

enum { ANSWERS = 400 };

typedef struct Moves {
    int asked;
    int met_by_reach; ///< number of positions that poise_reach meets from the start
    int planned;      ///< number of moves in which IK's posture met the goal
    int arrived;      ///< number of moves in which the bodies met the goal
    int postures;     ///< number of moves that changed to another posture
    int searched;     ///< number of moves that searched for another posture
    /// Missed, and out of reach for the motors: the joints reach no posture in 9 s, or in each
    /// posture found weight or friction exceed a torque limit.
    int too_weak;
    int given_up;   ///< number of moves that missed although poise_reach meets the position
    double slowest; ///< longest time to arrive, s
} Moves;

static bool aim(PoiseSimulation* simulation, int index, PoiseVec3 place, double speed) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    bool fine = poise_simulation_hold_goal(simulation, index, place) >= 0;
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView view = poise_simulation_point(simulation, i);
        const bool on = i == index;
        fine = fine && poise_point_set_enabled(tree, view.point, on) >= 0 &&
               poise_point_set_max_speed(tree, view.point, speed, HUGE_VAL) >= 0;
        // The goal is the position alone: the axis goal is disabled too.
        fine = fine && (view.aim.index1 == 0 || view.aim.index1 == view.point.index1 ||
                        poise_point_set_enabled(tree, view.aim, false) >= 0);
    }
    return fine;
}

// True if a search from the start meets the goal.
static bool is_met_by_reach(const PoiseTree* tree, PoisePointId point, PoiseVec3 place) {
    PoiseTree* copy = poise_tree_clone(tree);
    const bool met = copy && poise_point_set_position(copy, point, place) >= 0 &&
                     poise_reach(copy, NULL, NULL) == POISE_OK;
    poise_tree_destroy(copy);
    return met;
}

// Draws the hinges and sliders that move the point, within their ranges.
static bool draw_posture(PoiseTree* tree, PoisePointId point, uint64_t* seed) {
    bool fine = true;
    for (int i = 0; i < poise_tree_node_count(tree); i++) {
        const PoiseNodeId node = poise_tree_node(tree, i);
        const PoiseLimits limits = poise_node_limits(tree, node);
        double block[6 * POISE_MAX_DOF];
        if (poise_point_jacobian(tree, point, node, block) == 1) {
            const double low = fmax(limits.lower[0], -3.0), high = fmin(limits.upper[0], 3.0);
            const double part = draw(seed);
            fine = fine && poise_node_set_angle(tree, node, low + part * (high - low)) >= 0;
        }
    }
    return fine;
}

// True if IK does not move the joint: it is disabled or follows its natural posture.
static bool is_fixed(const PoiseTree* tree, PoiseNodeId node) {
    const PoiseLimits limits = poise_node_limits(tree, node);
    return limits.upper[0] - limits.lower[0] < 1e-6;
}

// Returns the largest fraction of its torque limit that weight or dry friction needs, of all joints
// that move the point. A fixed joint needs none: its limit carries the load.
static double load_part(const PoiseScene* scene, const PoiseSimulation* simulation, PoiseTree* tree,
                        PoisePointId point) {
    dVector3 g;
    double most = 0.0;
    dWorldGetGravity(poise_world_ode(poise_simulation_world(simulation)), g);
    if (poise_forward(tree) < 0 || poise_gravity(tree, poise_vec3(g[0], g[1], g[2])) < 0) {
        return HUGE_VAL;
    }
    for (int i = 0; i < scene->joint_count; i++) {
        const PoiseNodeId node = poise_simulation_joint_node(simulation, i);
        PoiseJointReading reading;
        double block[6 * POISE_MAX_DOF], weight[POISE_MAX_DOF] = {0.0};
        if (poise_point_jacobian(tree, point, node, block) == 1 && !is_fixed(tree, node) &&
            poise_node_gravity_torque(tree, node, weight) == 1 &&
            poise_rig_read_joint(poise_simulation_rig(simulation), node, &reading) >= 0) {
            const bool slides = poise_node_kind(tree, node) == POISE_NODE_SLIDER;
            const double limit = slides ? reading.force_limit : reading.torque_limit;
            most = fmax(most, fmax(fabs(weight[0]), scene->joints[i].bind.friction) / limit);
        }
    }
    return most;
}

// Limits the joints to what they reach in the time of a move, less 1 s to settle. A joint that its
// weight presses on a stop, by more than its torque limit, stays there.
static bool narrow(const PoiseScene* scene, const PoiseSimulation* simulation, PoiseTree* tree) {
    PoiseSimulation* start = poise_simulation_create(scene, NULL);
    bool fine = start && poise_simulation_step(start) >= 0;
    for (int i = 0; fine && i < scene->joint_count; i++) {
        const PoiseNodeId node = poise_simulation_joint_node(simulation, i);
        const PoiseNodeId at_start = poise_simulation_joint_node(start, i);
        PoiseJointReading reading;
        double weight[POISE_MAX_DOF] = {0.0};
        const PoiseJointType* type = poise_joint_type(poise_node_kind(tree, node));
        if (!type || type->nv != 1 ||
            poise_rig_read_joint(poise_simulation_rig(start), at_start, &reading) < 0 ||
            poise_node_gravity_torque(poise_simulation_tree(start), at_start, weight) != 1) {
            continue;
        }
        PoiseLimits limits = poise_node_limits(tree, node);
        const double q = reading.q[0], far = reading.speed_limit * (GIVEN_TIME - 1.0);
        const bool slides = poise_node_kind(tree, node) == POISE_NODE_SLIDER;
        const bool weak = fabs(weight[0]) > (slides ? reading.force_limit : reading.torque_limit);
        const bool pressed =
            weight[0] < 0.0 ? q > limits.upper[0] - 1e-3 : q < limits.lower[0] + 1e-3;
        const double lower = weak && pressed ? q : fmax(limits.lower[0], q - far);
        const double upper = weak && pressed ? q : fmin(limits.upper[0], q + far);
        limits.lower[0] = lower;
        limits.upper[0] = upper;
        fine = !(lower <= upper) || poise_node_set_limits(tree, node, limits) >= 0;
    }
    poise_simulation_destroy(start);
    return fine;
}

// Returns the least load_part of ANSWERS postures that meet the goal, found from random starts in
// the ranges that the motors reach; infinite if none was found.
static double least_load(const PoiseScene* scene, const PoiseSimulation* simulation,
                         PoisePointId point) {
    uint64_t seed = 43;
    double least = HUGE_VAL;
    PoiseTree* tree = poise_tree_clone(poise_simulation_tree(simulation));
    const bool fine = tree && narrow(scene, simulation, tree);
    for (int i = 0; fine && i < ANSWERS; i++) {
        if (draw_posture(tree, point, &seed) && poise_reach(tree, NULL, NULL) == POISE_OK) {
            least = fmin(least, load_part(scene, simulation, tree, point));
        }
    }
    poise_tree_destroy(tree);
    return least;
}

static void count_end(const PoiseScene* scene, PoiseSimulation* simulation, int index, bool reached,
                      Moves* moves) {
    const PoisePointView view = poise_simulation_point(simulation, index);
    const PoiseRigReport* report = poise_simulation_report(simulation);
    const bool planned = report->solve.largest_error < NEAR;
    const char* word = poise_point_why_name(view.reading.why);
    moves->planned += planned;
    moves->arrived += view.reading.miss < NEAR;
    if (view.reading.miss >= NEAR) {
        const double load = least_load(scene, simulation, view.point);
        moves->too_weak += load > 1.0;
        fprintf(stderr, "  %s: %g m off, %s; at best %.2f of a torque limit\n", view.name,
                view.reading.miss, word, load);
    }
    if (!planned) {
        fprintf(stderr, "  %s: planned %g m off, %s%s, reach %s, goal %g %g %g\n", view.name,
                report->solve.largest_error, word, report->clamped > 0 ? ", clamped" : "",
                reached ? "meets" : "misses", view.goal_world.p.x, view.goal_world.p.y,
                view.goal_world.p.z);
    }
    // Another posture would not help a point that a torque limit holds back, so that point is not
    // counted.
    moves->given_up += !planned && reached && report->clamped == 0 && strcmp(word, "moving") != 0 &&
                       view.reading.why != POISE_WHY_TORQUE_LIMIT &&
                       report->reconfiguration != POISE_RECONFIGURATION_SEARCHES &&
                       report->reconfiguration != POISE_RECONFIGURATION_MOVES;
}

static void move_once(const PoiseScene* scene, int index, PoiseVec3 place, double speed,
                      Moves* moves) {
    PoiseSimulation* simulation = poise_simulation_create(scene, NULL);
    if (!simulation || !aim(simulation, index, place, speed)) {
        fprintf(stderr, "  no simulation\n");
        poise_simulation_destroy(simulation);
        return;
    }
    const PoisePointId point = poise_simulation_point(simulation, index).point;
    const bool reached = is_met_by_reach(poise_simulation_tree(simulation), point, place);
    const double step = poise_simulation_step_length(simulation);
    double since = -1.0;
    bool searched = false, other = false;
    for (double time = step; time < GIVEN_TIME; time += step) {
        if (poise_simulation_step(simulation) < 0) {
            fprintf(stderr, "  %s\n", poise_simulation_trouble(simulation));
            break;
        }
        const PoiseReconfiguration state = poise_simulation_report(simulation)->reconfiguration;
        searched = searched || state != POISE_RECONFIGURATION_NONE;
        other = other || state == POISE_RECONFIGURATION_MOVES;
        const bool near = poise_simulation_point(simulation, index).reading.miss < NEAR;
        since = !near ? -1.0 : since < 0.0 ? time : since;
        if (near && time - since > 0.3) {
            break;
        }
    }
    moves->asked++;
    moves->met_by_reach += reached;
    moves->searched += searched;
    moves->postures += other;
    moves->slowest = fmax(moves->slowest, since);
    count_end(scene, simulation, index, reached, moves);
    poise_simulation_destroy(simulation);
}

static Moves move_all(const PoiseScene* scene, int count, double speed) {
    Moves moves = {0};
    uint64_t seed = 1;
    PoiseSimulation* start = poise_simulation_create(scene, NULL);
    for (int i = 0, tries = 0; start && i < count && tries < count * scene->point_count; tries++) {
        const int index = tries % scene->point_count;
        PoiseVec3 place;
        if (figures_place(start, index, &seed, &place)) {
            move_once(scene, index, place, speed, &moves);
            i++;
        }
    }
    poise_simulation_destroy(start);
    return moves;
}

static void print_moves(const Moves* moves) {
    printf(" %d, %d, %d, %d, %d | %d of %d searched | %.2g |", moves->asked, moves->met_by_reach,
           moves->planned, moves->arrived, moves->too_weak, moves->postures, moves->searched,
           moves->slowest);
}

int main(int argc, char** argv) {
    const int count = argc > 2 ? atoi(argv[2]) : 20;
    if (argc < 2 || count < 1) {
        fprintf(stderr, "usage: robot-moves FILE [MOVES [SPEED]]\n");
        return 2;
    }
    PoiseDiagnostics* diagnostics = poise_diagnostics_create(NULL);
    PoiseScene* scene = poise_scene_load(argv[1], diagnostics);
    bool fine = scene != NULL;
    if (fine) {
        // Contacts could block a path, so they are off.
        scene->world.def.contacts = false;
        if (argc > 3) {
            scene->ik.rig.settings.reconfigure_speed = atof(argv[3]);
        }
        const Moves jump = move_all(scene, count, HUGE_VAL);
        const Moves slow = move_all(scene, count, SLOW);
        print_moves(&jump);
        print_moves(&slow);
        printf(" %d |\n", jump.given_up + slow.given_up);
        fine = jump.given_up + slow.given_up == 0;
    } else {
        poise_diagnostics_print(diagnostics, POISE_ERROR, stderr);
        printf(" not read |\n");
    }
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(diagnostics);
    return fine ? 0 : 1;
}
