// SPDX-License-Identifier: MIT
// Words that people know from other formats. One table serves the keys and choices of scenes, the
// joint types of URDF, MJCF and chain files, and the commands. The words that a caller accepts, its
// candidates, decide which line applies.
#include <ctype.h>
#include <string.h>

#include "diagnostics.h"

// Each line: the word that a format uses, then what people write for it. If a word is in two lines
// whose first words are both candidates, the earlier line applies.
static const char* const lines[] = {
    // words for springs and joints
    "spring stiffness spring_constant kp p k",
    "damper damping damping_constant kd d dashpot",
    "hinge revolute rotational rotary pin",
    "revolute hinge rotational rotary pin",
    "slider prismatic slide linear translational",
    "prismatic slide slider linear translational",
    "slide prismatic slider linear translational",
    "ball spherical ball_joint socket ball_and_socket",
    "universal cardan hooke",
    "floating free freejoint free_joint",
    "free floating free_joint",
    "fixed static immovable anchored weld welded",
    "between parent child connects connect links bodies",
    "axis direction",
    "limits limit range bounds joint_limits",
    "natural rest rest_angle neutral home",
    "max_torque torque_limit effort effort_limit max_effort max_force force_limit",
    "max_speed velocity velocity_limit max_velocity speed_limit",
    "swing cone",
    // words for bodies and worlds
    "box cube cuboid",
    "sphere ball",
    "capsule pill",
    "body link part",
    "mass mass_kg",
    "density rho",
    "collides collide collision collisions collidable contacts",
    "contacts contact collision collisions",
    "restitution bounce bounciness",
    "step timestep time_step dt",
    "ground floor plane",
    "quick_iterations quickstep quick_step",
    "angles angle_unit angle_units units",
    "degrees deg",
    "radians rad",
    // words for points and goals
    "position target goal target_position goal_position",
    "orientation target_orientation goal_orientation target_rotation",
    "at position pos place location origin offset xyz translation target",
    "quaternion quat rotation orientation",
    "rotation orientation quaternion quat",
    "uses joints nodes chain",
    "weight importance gain",
    "com centre_of_mass center_of_mass",
    "enabled active",
    "centre center middle",
    "radius r",
    "path keyframes waypoints trajectory",
    "polyline waypoints line",
    "repeat loop cyclic periodic",
    "closed loop cyclic periodic",
    "straight linear",
    "hold step constant",
    "smooth cubic",
    "push force wrench",
    "torque moment",
    "from start begin",
    "after from start begin delay",
    "seconds duration time",
    "period duration",
    // words at the top level of a scene
    "bodies links parts body link",
    "joints joint",
    "robots robot models model",
    "control_points points targets goals end_effectors effectors tips",
    "pushes push disturbances",
    "pose configuration joint_angles initial_pose home",
    "urdf file",
    "solver method algorithm",
    "sweeps iterations max_iterations",
    "gauss_seidel gs",
    "dual dls damped_least_squares",
    "title name description",
    "record log",
    "expect assert bounds",
    // names of commands
    "run simulate play start",
    "check validate verify lint",
    "info show print describe inspect list",
    "solve ik reach",
    "format schema reference",
};

enum { LINE_COUNT = (int)(sizeof lines / sizeof lines[0]) };

static char plain(char letter) {
    return letter == '-' ? '_' : (char)tolower((unsigned char)letter);
}

static bool same_word(const char* words, size_t length, const char* word) {
    for (size_t i = 0; i < length; i++) {
        if (!word[i] || plain(words[i]) != plain(word[i])) {
            return false;
        }
    }
    return word[length] == '\0';
}

static bool contains(const char* words, const char* word) {
    for (const char* start = words; *start;) {
        size_t length = strcspn(start, " ");
        if (same_word(start, length, word)) {
            return true;
        }
        start += length + strspn(start + length, " ");
    }
    return false;
}

const char* poise__synonyms(int index) {
    return index >= 0 && index < LINE_COUNT ? lines[index] : NULL;
}

int poise__synonym_rank(const char* written, const char* candidate) {
    for (int i = 0; i < LINE_COUNT; i++) {
        // A line lists synonyms of its first word only: the others need not mean one another.
        size_t first = strcspn(lines[i], " ");
        if (same_word(lines[i], first, candidate) && contains(lines[i], written)) {
            return i;
        }
    }
    return -1;
}
