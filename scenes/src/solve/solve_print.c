// SPDX-License-Identifier: MIT
// Prints the result of `poise solve`: the points' errors, the reasons for them, and the posture.
#include <math.h>
#include <string.h>

#include "poise/report.h"
#include "poise/tip.h"
#include "solve.h"

// An angle or length below this (rad, m) is printed as 0.
#define NO_ANGLE 1e-15

// A distance or angle below these (m, rad) is printed as "< ...".
#define LEAST_LENGTH 1e-9
#define LEAST_ANGLE  1e-9

// Prints a distance with three or four digits and its unit.
static void print_length(FILE* to, double metres) {
    static const struct {
        double below;
        double scale;
        const char* word;
    } units[] = {{1e-6, 1e9, "nm"}, {1e-3, 1e6, "um"}, {1.0, 1e3, "mm"}};
    if (metres < LEAST_LENGTH) {
        fputs("< 1 nm", to);
        return;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (metres < units[i].below) {
            fprintf(to, "%.3g %s", units[i].scale * metres, units[i].word);
            return;
        }
    }
    fprintf(to, "%.4g m", metres);
}

void poise__off_print(FILE* to, const double* metres, const double* radians) {
    if (metres) {
        print_length(to, *metres);
    }
    fputs(metres && radians ? " and " : "", to);
    if (radians && *radians < LEAST_ANGLE) {
        fprintf(to, "< %.0e rad", LEAST_ANGLE);
    } else if (radians) {
        fprintf(to, "%.3g rad", *radians);
    }
}

void poise__word_print(FILE* to, const char* name) {
    for (; *name; name++) {
        fputc(*name == ' ' ? '_' : *name, to);
    }
}

// Returns the limit that a joint is at: "lower", "upper" or "cone"; NULL if none.
static const char* limit_word(const PoiseSimulation* simulation, int joint) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    PoiseNodeId node = poise_simulation_joint(simulation, joint).node;
    if (node.index1 == 0 || poise_node_dof(tree, node) == 0) {
        return NULL;
    }
    int end = poise_node_at_limit(tree, node);
    if (end != 0 && poise_kind_turns(poise_node_kind(tree, node))) {
        return "cone";
    }
    return end > 0 ? "upper" : end < 0 ? "lower" : NULL;
}

// ------------------------------------------------------------------------------------------ text

static void print_limits(const PoiseSimulation* simulation) {
    const PoiseTree* tree = poise_simulation_tree(simulation);
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const char* word = limit_word(simulation, i);
        PoiseJointView joint = poise_simulation_joint(simulation, i);
        if (word && poise_kind_turns(joint.kind)) {
            printf("    %s at the edge of its cone\n", joint.name);
        } else if (word) {
            printf("    %s at its %s limit, %.6g %s\n", joint.name, word,
                   poise_node_angle(tree, joint.node), poise_kind_slides(joint.kind) ? "m" : "rad");
        }
    }
}

static void print_off(const SolvedPoint* point) {
    poise__off_print(stdout, &point->error, point->turned ? &point->angle_error : NULL);
}

static void print_held(const PoiseSimulation* simulation, const PoiseReachReport* report) {
    const char* a = poise_simulation_part_name(simulation, report->held_a);
    const char* b = poise_simulation_part_name(simulation, report->held_b);
    if (report->held_gap < 0.0) {
        printf("  %s and %s overlap by %.1f mm: no posture that parts them was found\n", a, b,
               -1e3 * report->held_gap);
    } else {
        printf("  held by %s - %s, %.0f mm\n", a, b, 1e3 * report->held_gap);
    }
}

static void print_verdict(const PoiseSimulation* simulation, const Solution* solution) {
    const PoiseReachReport* report = &solution->report;
    printf("%s:", solution->reached ? "reached" : "missed");
    if (solution->count == 1) {
        printf(" off by ");
        print_off(&solution->points[0]);
    }
    printf("%s after %d steps from %d start%s\n", solution->count == 1 ? "" : " all together",
           report->iterations, report->starts, report->starts == 1 ? "" : "s");
    for (int i = 0; solution->count > 1 && i < solution->count; i++) {
        printf("  %s: off by ", solution->points[i].name);
        print_off(&solution->points[i]);
        putchar('\n');
    }
    if (solution->reached) {
        return;
    }
    if (solution->metres) {
        puts("  targets are in metres");
    }
    if (report->idle_points > 0) {
        puts("  no joint that takes part moves it");
        return;
    }
    switch (report->reason) {
    case POISE_REACH_HELD:
        print_held(simulation, report);
        break;
    case POISE_REACH_MET:
    case POISE_REACH_LEAP:
    case POISE_REACH_SEARCHING:
        break;
    case POISE_REACH_AT_LIMITS:
        puts("  the nearest answer from here, held back by limits:");
        print_limits(simulation);
        break;
    case POISE_REACH_UNREACHABLE:
        puts("  unreachable from here: this is the nearest answer");
        break;
    case POISE_REACH_OUT_OF_REACH:
        puts("  out of reach in every posture: this is the nearest answer that was found");
        break;
    case POISE_REACH_SINGULAR:
        puts("  singular: in this posture no joint changes the error");
        break;
    case POISE_REACH_BUDGET:
        puts("  the error still fell when the steps were used up");
        break;
    }
    if (report->starts == 1 && report->reason != POISE_REACH_OUT_OF_REACH) {
        puts("  other starts may come nearer: --starts 20");
    }
}

// Returns the length of the robot's name in `robot/joint`; 0 for a robot from a file of its own.
static size_t robot_length(const char* name) {
    const char* slash = strchr(name, '/');
    return slash ? (size_t)(slash - name) : 0;
}

static bool is_posed(const PoiseJointView* joint) {
    return joint->node.index1 != 0 && poise_kind_axes(joint->kind) == 1;
}

static bool is_same_robot(const PoiseJointView* joint, const PoiseJointView* first) {
    size_t length = robot_length(first->name);
    return is_posed(joint) && robot_length(joint->name) == length &&
           strncmp(joint->name, first->name, length) == 0;
}

static bool is_first(const PoiseSimulation* simulation, int index, const PoiseJointView* joint) {
    for (int i = 0; i < index; i++) {
        PoiseJointView other = poise_simulation_joint(simulation, i);
        if (is_same_robot(&other, joint)) {
            return false;
        }
    }
    return is_posed(joint);
}

// Prints an angle for `pose:`: short, but never rounded past a limit.
static void print_angle(const PoiseTree* tree, PoiseNodeId node) {
    const PoiseLimits limits = poise_node_limits(tree, node);
    const double lower = limits.lower[0];
    const double upper = limits.upper[0];
    double angle = fmin(fmax(poise_node_angle(tree, node), lower), upper);
    angle = fabs(angle) < NO_ANGLE && lower <= 0.0 && upper >= 0.0 ? 0.0 : angle;
    char text[40];
    double rounded = 0.0;
    snprintf(text, sizeof text, "%.12g", angle);
    bool read = poise__parse_number("pose", text, &rounded);
    printf(read && rounded >= lower && rounded <= upper ? "%.12g" : "%.17g", angle);
}

// Prints one line for each robot, and one for joints outside of robots.
static void print_poses(const PoiseSimulation* simulation) {
    const PoiseTree* tree = poise_simulation_tree(simulation);
    int count = poise_simulation_joint_count(simulation);
    for (int i = 0; i < count; i++) {
        PoiseJointView first = poise_simulation_joint(simulation, i);
        if (!is_first(simulation, i, &first)) {
            continue;
        }
        size_t length = robot_length(first.name);
        const char* separator = "pose: {";
        for (int j = i; j < count; j++) {
            PoiseJointView joint = poise_simulation_joint(simulation, j);
            if (is_same_robot(&joint, &first)) {
                printf("%s%s: ", separator, joint.name + (length > 0 ? length + 1 : 0));
                print_angle(tree, joint.node);
                separator = ", ";
            }
        }
        printf("}  # %.*s%sradians\n", (int)length, first.name, length > 0 ? ", " : "");
    }
}

// Fills the numbers of a joint: a base's position and quaternion, a ball's rotation vector, or its
// angles. Returns their count; 0 for a joint that closes a loop.
static int joint_numbers(const PoiseSimulation* simulation, const PoiseJointView* joint, int index,
                         double q[POISE_MAX_POSTURE]) {
    const PoiseTree* tree = poise_simulation_tree(simulation);
    if (joint->node.index1 == 0) {
        return 0;
    }
    if (poise_kind_floats(joint->kind)) {
        const PoisePose at = poise_simulation_base(simulation, index);
        const double all[7] = {at.p.x, at.p.y, at.p.z, at.q.w, at.q.x, at.q.y, at.q.z};
        memcpy(q, all, sizeof all);
        return 7;
    }
    if (poise_kind_turns(joint->kind)) {
        const PoiseVec3 r = poise_quat_log(poise_node_pose(tree, joint->node).q);
        const double all[3] = {r.x, r.y, r.z};
        memcpy(q, all, sizeof all);
        return 3;
    }
    if (poise_kind_axes(joint->kind) == 2 && poise_node_posture(tree, joint->node, q) == 2) {
        return 2;
    }
    q[0] = poise_node_angle(tree, joint->node);
    return 1;
}

// Prints a line for each floating base, or for each joint of 2 or 3 numbers.
static void print_several(const PoiseSimulation* simulation, bool bases) {
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const PoiseJointView joint = poise_simulation_joint(simulation, i);
        double q[POISE_MAX_POSTURE];
        const int count = joint_numbers(simulation, &joint, i, q);
        if (bases && count == 7) {
            printf("%s: at (%.9f %.9f %.9f) m, turned (%.9f %.9f %.9f %.9f)\n", joint.name, q[0],
                   q[1], q[2], q[3], q[4], q[5], q[6]);
        } else if (!bases && count == 3) {
            printf("%s: (%.9f %.9f %.9f) rad\n", joint.name, q[0], q[1], q[2]);
        } else if (!bases && count == 2) {
            printf("%s: (%.9f %.9f) rad\n", joint.name, q[0], q[1]);
        }
    }
}

// ------------------------------------------------------------------------------------------ json

static void print_json_limits(const PoiseSimulation* simulation) {
    const char* separator = "";
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const char* word = limit_word(simulation, i);
        if (word) {
            fputs(separator, stdout);
            poise_json_string(stdout, poise_simulation_joint(simulation, i).name);
            printf(": \"%s\"", word);
            separator = ", ";
        }
    }
}

// Prints the two parts whose distance keeps the points from their goals, and their gap (m); or
// null.
static void print_json_held(const PoiseSimulation* simulation, const PoiseReachReport* report) {
    fputs("\"held_by\": ", stdout);
    if (report->held_a < 0) {
        fputs("null, ", stdout);
        return;
    }
    fputs("{\"pair\": [", stdout);
    poise_json_string(stdout, poise_simulation_part_name(simulation, report->held_a));
    fputs(", ", stdout);
    poise_json_string(stdout, poise_simulation_part_name(simulation, report->held_b));
    printf("], \"gap\": %.17g}, ", report->held_gap);
}

static void print_json_joints(const PoiseSimulation* simulation) {
    const char* separator = "";
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const PoiseJointView joint = poise_simulation_joint(simulation, i);
        double q[POISE_MAX_POSTURE];
        const int count = joint_numbers(simulation, &joint, i, q);
        if (count == 0) {
            continue;
        }
        fputs(separator, stdout);
        poise_json_string(stdout, joint.name);
        fputs(count > 1 ? ": [" : ": ", stdout);
        separator = ", ";
        for (int k = 0; k < count; k++) {
            printf("%s%.17g", k > 0 ? ", " : "", q[k]);
        }
        fputs(count > 1 ? "]" : "", stdout);
    }
}

static void print_json_place(const PoiseSimulation* simulation, const SolvedPoint* point) {
    PoiseVec3 place = poise_point_planned_pose(poise_simulation_tree(simulation), point->point).p;
    printf("\"error\": %.17g, \"angle_error\": %.17g, \"place\": [%.17g, %.17g, %.17g]",
           point->error, point->angle_error, place.x, place.y, place.z);
}

// Prints the result as an object. The numbers of a single point are also members of the object.
static void print_json(const PoiseSimulation* simulation, const Solution* solution) {
    const PoiseReachReport* report = &solution->report;
    printf("{\"status\": \"%s\", \"reason\": \"", solution->reached ? "ok" : "missed");
    // The word "idle" says that no joint moves a point.
    poise__word_print(stdout, report->idle_points > 0 ? poise_point_state_name(POISE_POINT_IDLE)
                                                      : poise_reach_reason_name(report->reason));
    printf("\", \"steps\": %d, \"starts\": %d, ", report->iterations, report->starts);
    if (solution->count == 1) {
        print_json_place(simulation, &solution->points[0]);
        fputs(", ", stdout);
    }
    fputs("\"points\": [", stdout);
    for (int i = 0; i < solution->count; i++) {
        fputs(i > 0 ? ", {\"name\": " : "{\"name\": ", stdout);
        poise_json_string(stdout, solution->points[i].name);
        fputs(", ", stdout);
        print_json_place(simulation, &solution->points[i]);
        putchar('}');
    }
    fputs("], ", stdout);
    print_json_held(simulation, report);
    fputs("\"at_limits\": {", stdout);
    print_json_limits(simulation);
    fputs("}, \"joints\": {", stdout);
    print_json_joints(simulation);
    puts("}}");
}

void poise__solution_print(const PoiseSimulation* simulation, const Solution* solution, bool json) {
    if (json) {
        print_json(simulation, solution);
        return;
    }
    print_verdict(simulation, solution);
    print_several(simulation, true);
    print_several(simulation, false);
    print_poses(simulation);
}
