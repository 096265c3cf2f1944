// SPDX-License-Identifier: MIT
// Names the parts of a view, and collects the state that the overlays show.
#include "overlay.h"

#include "change.h"
#include "poise/reach.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char* name;
    unsigned parts;
} NAMES[] = {
    {"clean", POISE_VIEW_CLEAN},       {"ik", POISE_VIEW_IK},
    {"forces", POISE_VIEW_FORCES},     {"solver", POISE_VIEW_SOLVER},
    {"all", POISE_VIEW_ALL},           {"none", 0},
    {"points", POISE_SHOW_POINTS},     {"springs", POISE_SHOW_SPRINGS},
    {"ghosts", POISE_SHOW_GHOSTS},     {"sets", POISE_SHOW_SETS},
    {"arrows", POISE_SHOW_FORCES},     {"matrices", POISE_SHOW_SOLVER},
    {"labels", POISE_SHOW_LABELS},     {"panels", POISE_SHOW_PANELS},
    {"past", POISE_SHOW_PAST},         {"trails", POISE_SHOW_TRAILS},
    {"bylink", POISE_SHOW_BY_LINK},    {"inertia", POISE_SHOW_INERTIA},
    {"frames", POISE_SHOW_FRAMES},     {"shapes", POISE_SHOW_SHAPES},
    {"contacts", POISE_SHOW_CONTACTS}, {"compliance", POISE_SHOW_YIELDING},
};

const char* poise__overlay_names(void) {
    return "clean, ik, forces, solver, all, or parts of them: none, points, springs, ghosts, sets, "
           "arrows, matrices, labels, panels, past, trails, bylink, inertia, frames, shapes, "
           "contacts, compliance";
}

bool poise__overlay_parse(const char* text, unsigned* parts) {
    unsigned sum = 0;
    while (*text != '\0') {
        size_t length = strcspn(text, ",");
        bool known = false;
        for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES && !known; i++) {
            known = strlen(NAMES[i].name) == length && strncmp(NAMES[i].name, text, length) == 0;
            sum |= known ? NAMES[i].parts : 0;
        }
        if (!known) {
            return false;
        }
        text += length;
        if (*text == ',' && *++text == '\0') {
            return false;
        }
    }
    *parts = sum;
    return true;
}

bool poise__overlay_shows(const PoiseOverlay* overlay, unsigned parts) {
    return (overlay->highlight->parts & parts) != 0;
}

void poise__overlay_label(const PoiseOverlay* overlay, PoiseLabelPlace at, const char* format,
                          ...) {
    PoiseLabel label = {
        .place = poise__vec3s(at.place), .down = at.down, .colour = at.colour, .always = at.always};
    va_list arguments;
    if (poise__overlay_shows(overlay, POISE_SHOW_LABELS)) {
        va_start(arguments, format);
        vsnprintf(label.text, sizeof label.text, format, arguments);
        va_end(arguments);
        poise__draw_label(overlay->list, &label);
    }
}

void poise__overlay_halo(const PoiseOverlay* overlay, PoiseVec3 place, double radius, vec4s colour,
                         uint32_t id) {
    const PoiseInstance look = {.id = id, .colour = colour, .glow = 0.85f};
    const PoiseVec3 towards = poise_scale(-1.0, poise__camera_forward(overlay->camera));
    const PoiseQuat turn = poise__turn_to_with(towards, poise__camera_right(overlay->camera));
    poise__draw_ring(overlay->list, poise_pose(place, turn), radius, &look);
}

int poise__joint_of_node(const PoiseSimulation* simulation, PoiseNodeId node) {
    for (int i = 0; node.index1 != 0 && i < poise_simulation_joint_count(simulation); i++) {
        PoiseNodeId other = poise_simulation_joint_node(simulation, i);
        if (other.index1 == node.index1 && other.generation == node.generation) {
            return i;
        }
    }
    return -1;
}

int poise__point_of_id(const PoiseSimulation* simulation, PoisePointId id) {
    for (int i = 0; id.index1 != 0 && i < poise_simulation_point_count(simulation); i++) {
        PoisePointView point = poise_simulation_point(simulation, i);
        if (!point.removed && point.point.index1 == id.index1 &&
            point.point.generation == id.generation) {
            return i;
        }
    }
    return -1;
}

bool poise__point_out_of_reach(const PoisePointView* point, const PoiseCamera* camera) {
    // `planned_miss` is the miss of the solver's posture, `miss` that of the body.
    const double far = 0.04 * camera->scene_radius;
    return point->has_position && point->reading.miss > far && point->reading.planned_miss > far;
}

bool poise__joint_stops(const PoiseSimulation* simulation, int joint, int point) {
    PoiseTree* tree = poise_simulation_tree(simulation);
    const PoiseNodeId node = poise_simulation_joint_node(simulation, joint);
    return node.index1 != 0 && poise_node_at_limit(tree, node) != 0 &&
           poise_is_registered(tree, poise_simulation_point(simulation, point).point, node);
}

// ------------------------------------------------------------------------------------------ ghosts

void poise__ghosts_finish(PoiseGhosts* ghosts) {
    poise_tree_destroy(ghosts->tree);
    *ghosts = (PoiseGhosts){.tree = NULL};
}

/// Largest number of IK iterations of a planned posture, which is computed for each frame of a
/// drag.
enum { PLAN_ITERATIONS = 60 };

static bool copy_tree(PoiseGhosts* ghosts, const PoiseTree* tree) {
    uint64_t revision = poise_tree_revision(tree);
    if (ghosts->tree && ghosts->original == tree && ghosts->revision == revision) {
        return true;
    }
    poise__ghosts_finish(ghosts);
    ghosts->tree = poise_tree_clone(tree);
    ghosts->original = tree;
    ghosts->revision = revision;
    return ghosts->tree != NULL;
}

static PoiseStatus set_posture(PoiseTree* tree, const PoiseSimulation* simulation, int index,
                               PoiseGhostKind kind) {
    const PoiseNodeId node = poise_simulation_joint_node(simulation, index);
    const PoiseJointSprings springs = poise_simulation_joint_springs(simulation, index);
    if (node.index1 == 0 || springs.count == 0) {
        return POISE_OK;
    }
    bool ik = kind == POISE_GHOST_IK;
    // A joint without a spring towards the shown posture keeps its present coordinates.
    bool pulled = ik ? springs.ik.stiffness > 0.0 : springs.original.stiffness > 0.0;
    const PoiseJointView now = poise_simulation_joint(simulation, index);
    const double* q = pulled ? (ik ? springs.q_ik : springs.q_natural) : now.q;
    return poise_node_set_posture(tree, node, q, springs.count);
}

/// Sets the base of a root node in the copy to its present pose, since the body that carries it may
/// have moved.
static PoiseStatus set_base(PoiseTree* copy, const PoiseTree* tree, PoiseNodeId node) {
    if (node.index1 == 0 || poise_node_parent(tree, node).index1 != 0) {
        return POISE_OK;
    }
    PoisePose joint = poise_node_joint_world(tree, node);
    PoisePose offset = poise_pose_inverse(poise_node_joint_in_parent(tree, node));
    return poise_node_set_base(copy, node, poise_pose_mul(joint, offset));
}

bool poise__ghosts_pose(PoiseGhosts* ghosts, const PoiseSimulation* simulation,
                        PoiseGhostKind kind) {
    const PoiseTree* tree = poise_simulation_tree(simulation);
    if (!copy_tree(ghosts, tree)) {
        return false;
    }
    for (int i = 0; i < poise_simulation_joint_count(simulation); i++) {
        const PoiseNodeId node = poise_simulation_joint_node(simulation, i);
        if (set_posture(ghosts->tree, simulation, i, kind) < 0 ||
            set_base(ghosts->tree, tree, node) < 0) {
            return false;
        }
    }
    return poise_forward(ghosts->tree) >= 0;
}

bool poise__ghosts_plan(PoiseGhosts* ghosts, const PoiseSimulation* simulation) {
    const PoiseTree* tree = poise_simulation_tree(simulation);
    bool changed = false;
    if (!copy_tree(ghosts, tree) || poise_tree_copy(ghosts->tree, tree) < 0) {
        return false;
    }
    for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
        const PoisePointView point = poise_simulation_point(simulation, i);
        changed = changed || (point.moved && point.enabled);
    }
    for (int i = 0; changed && i < poise_simulation_joint_count(simulation); i++) {
        const PoiseNodeId node = poise_simulation_joint_node(simulation, i);
        const PoiseChange now = poise__pose_of_joint(simulation, i);
        if (node.index1 != 0 && now.q_count > 0 &&
            poise_node_set_posture(ghosts->tree, node, now.q, now.q_count) < 0) {
            return false;
        }
    }
    PoiseReachDef def = poise_default_reach_def();
    def.other_postures = false;
    def.iterations = PLAN_ITERATIONS;
    return changed && poise_reach(ghosts->tree, &def, NULL) >= 0;
}

double poise__ghosts_miss(const PoiseGhosts* ghosts, const PoisePointView* point) {
    const PoiseVec3 planned = poise_point_planned_pose(ghosts->tree, point->point).p;
    return poise_length(poise_sub(point->goal_world.p, planned));
}

bool poise__ghosts_body(const PoiseGhosts* ghosts, const PoiseSimulation* simulation, int body,
                        PoisePose* pose) {
    PoiseBodyView view = poise_simulation_body(simulation, body);
    PoiseNodeId node = poise_simulation_joint_node(simulation, view.joint);
    if (view.joint < 0 || node.index1 == 0) {
        return false;
    }
    // the node's link frame is that of the body, but at its centre of mass
    PoisePose link = poise_node_link_world(ghosts->tree, node);
    PoiseVec3 com =
        poise_quat_unrotate(view.pose_world.q, poise_sub(view.com_world, view.pose_world.p));
    *pose = poise_pose(poise_sub(link.p, poise_quat_rotate(link.q, com)), link.q);
    return true;
}
