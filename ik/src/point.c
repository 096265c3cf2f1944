// SPDX-License-Identifier: MIT
// Control points: making and destroying them, their goals, and what they read.
#include <string.h>

#include "internal.h"

static PoisePointDef default_def(PoisePointKind kind) {
    PoisePointDef def;
    memset(&def, 0, sizeof def);
    def.cookie = COOKIE_POINT;
    def.kind = kind;
    def.in_link = poise_pose_identity();
    def.goal = poise_pose_identity();
    def.weight = 1.0;
    def.enabled = true;
    return def;
}

PoisePointDef poise_default_position_def(void) {
    return default_def(POISE_POINT_POSITION);
}

PoisePointDef poise_default_orientation_def(void) {
    return default_def(POISE_POINT_ORIENTATION);
}

PoisePointDef poise_default_pose_def(void) {
    return default_def(POISE_POINT_POSE);
}

bool poise__point_has_position(const Point* point) {
    return point->kind != POISE_POINT_ORIENTATION;
}

bool poise__point_has_orientation(const Point* point) {
    return point->kind != POISE_POINT_POSITION;
}

PoisePose poise__point_world(const PoiseTree* tree, const Point* point) {
    return poise_pose_mul(tree->nodes[point->link].link_world, point->in_link);
}

static bool is_frame(PoisePose pose) {
    const PoiseQuat q = pose.q;
    return poise_is_finite_pose(pose) && (q.w != 0.0 || q.x != 0.0 || q.y != 0.0 || q.z != 0.0);
}

// what is wrong with the def, or NULL
static const char* check_point_def(const PoisePointDef* def) {
    if (def->cookie != COOKIE_POINT || def->kind < POISE_POINT_POSITION ||
        def->kind > POISE_POINT_POSE) {
        return "the def was not made by a poise_default_*_def function";
    }
    if (!is_frame(def->in_link)) {
        return "in_link must be finite, its rotation not 0";
    }
    if (def->has_goal && !is_frame(def->goal)) {
        return "goal must be finite, its rotation not 0";
    }
    if (!(def->weight > 0.0) || !isfinite(def->weight)) {
        return "weight must be finite and above 0; to switch a point off, disable it";
    }
    if (def->priority < 0 || def->priority >= POISE_PRIORITIES) {
        return "priority must be 0 (first) to 15";
    }
    return NULL;
}

static int take_slot(PoiseTree* tree) {
    for (int slot = 0; slot < tree->point_slots; slot++) {
        if (!tree->points[slot].alive) {
            return slot;
        }
    }
    return poise__tree_reserve_points(tree, tree->point_slots + 1) ? tree->point_slots++ : NO_SLOT;
}

// where a new point is, whatever the frames say: forward kinematics of its link alone
static PoisePose pose_from_posture(const PoiseTree* tree, const Point* point) {
    PoisePose pose = point->in_link;
    for (int slot = point->link; slot != NO_SLOT; slot = tree->nodes[slot].parent) {
        const Node* node = &tree->nodes[slot];
        pose = poise_pose_mul(poise__joint_motion(node), poise_pose_mul(node->link_in_joint, pose));
        pose = poise_pose_mul(node->joint_in_parent, pose);
        if (node->parent == NO_SLOT) {
            pose = poise_pose_mul(node->base, pose);
        }
    }
    return pose;
}

PoisePointId poise_point_create(PoiseTree* tree, const PoisePointDef* def) {
    if (!tree) {
        return poise_null_point();
    }
    const char* wrong = def ? check_point_def(def) : "the def is NULL";
    if (wrong) {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT, "poise_point_create: %s", wrong);
        return poise_null_point();
    }
    Node* link = poise__node_or_fail(tree, def->link, "poise_point_create: link");
    if (!link) {
        return poise_null_point();
    }
    int slot = take_slot(tree);
    if (slot == NO_SLOT) {
        poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_point_create: no memory for point %d",
                    tree->point_count + 1);
        return poise_null_point();
    }
    Point* point = &tree->points[slot];
    uint16_t generation = point->generation;
    memset(point, 0, sizeof *point);
    point->generation = generation;
    point->alive = true;
    point->kind = def->kind;
    point->link = poise__node_slot(tree, link);
    point->enabled = def->enabled;
    point->weight = def->weight;
    point->priority = def->priority;
    point->sequence = ++tree->next_sequence;
    point->in_link = poise_pose(def->in_link.p, poise_quat_normalize(def->in_link.q));
    point->goal = def->has_goal ? poise_pose(def->goal.p, poise_quat_normalize(def->goal.q))
                                : pose_from_posture(tree, point);
    tree->point_order[tree->point_count++] = slot;
    poise__sets_changed(tree);
    return poise__point_id(tree, slot);
}

void poise__point_finish(PoiseTree* tree, Point* point) {
    Array nodes = {&point->nodes, sizeof *point->nodes};
    poise__arrays_finish(&tree->host, &nodes, 1, &point->node_capacity);
    point->node_count = 0;
}

PoiseStatus poise_point_destroy(PoiseTree* tree, PoisePointId id) {
    if (!tree) {
        return POISE_ERROR_INVALID_ARGUMENT;
    }
    if (id.index1 == 0 && id.tree == 0) {
        return POISE_OK;
    }
    Point* point = poise__point_or_fail(tree, id, "poise_point_destroy");
    if (!point) {
        return poise__no_handle(tree);
    }
    int slot = poise__point_slot(tree, point);
    poise__point_finish(tree, point);
    point->alive = false;
    point->generation++;
    int at = 0;
    while (tree->point_order[at] != slot) {
        at++;
    }
    tree->point_count--;
    memmove(&tree->point_order[at], &tree->point_order[at + 1],
            (size_t)(tree->point_count - at) * sizeof *tree->point_order);
    poise__sets_changed(tree);
    return POISE_OK;
}

bool poise_point_is_valid(const PoiseTree* tree, PoisePointId id) {
    return poise__point(tree, id) != NULL;
}

PoisePointKind poise_point_kind(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? point->kind : (PoisePointKind)0;
}

PoiseNodeId poise_point_link(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? poise__node_id(tree, point->link) : poise_null_node();
}

// ------------------------------------------------------------------------------- what it is told

// the point for a setter of a vector, or why not
static PoiseStatus point_for(PoiseTree* tree, PoisePointId id, bool finite, const char* call,
                             Point** point) {
    *point = poise__point_or_fail(tree, id, call);
    if (!*point) {
        return poise__no_handle(tree);
    }
    if (!finite) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "%s: the value for point %u is not finite", call, (unsigned)id.index1);
    }
    return POISE_OK;
}

static PoiseStatus wrong_rows(PoiseTree* tree, PoisePointId id, const char* call,
                              const char* rows) {
    return poise__fail(tree, POISE_ERROR_WRONG_KIND,
                       "%s: point %u has no %s; make it with poise_default_pose_def()", call,
                       (unsigned)id.index1, rows);
}

PoiseStatus poise_point_set_position(PoiseTree* tree, PoisePointId id, PoiseVec3 position) {
    const char* call = "poise_point_set_position";
    Point* point;
    PoiseStatus status = point_for(tree, id, poise_is_finite3(position), call, &point);
    if (status != POISE_OK) {
        return status;
    }
    if (!poise__point_has_position(point)) {
        return wrong_rows(tree, id, call, "position");
    }
    point->goal.p = position;
    return POISE_OK;
}

PoiseStatus poise_point_set_orientation(PoiseTree* tree, PoisePointId id, PoiseQuat orientation) {
    const char* call = "poise_point_set_orientation";
    Point* point;
    PoisePose frame = poise_pose(poise_vec3(0.0, 0.0, 0.0), orientation);
    PoiseStatus status = point_for(tree, id, is_frame(frame), call, &point);
    if (status != POISE_OK) {
        return status;
    }
    if (!poise__point_has_orientation(point)) {
        return wrong_rows(tree, id, call, "orientation");
    }
    point->goal.q = poise_quat_normalize(orientation);
    return POISE_OK;
}

PoiseStatus poise_point_set_velocity(PoiseTree* tree, PoisePointId id, PoiseVec3 velocity) {
    const char* call = "poise_point_set_velocity";
    Point* point;
    PoiseStatus status = point_for(tree, id, poise_is_finite3(velocity), call, &point);
    if (status != POISE_OK) {
        return status;
    }
    if (!poise__point_has_position(point)) {
        return wrong_rows(tree, id, call, "position");
    }
    point->goal_velocity = velocity;
    return POISE_OK;
}

PoiseStatus poise_point_set_angular_velocity(PoiseTree* tree, PoisePointId id, PoiseVec3 velocity) {
    const char* call = "poise_point_set_angular_velocity";
    Point* point;
    PoiseStatus status = point_for(tree, id, poise_is_finite3(velocity), call, &point);
    if (status != POISE_OK) {
        return status;
    }
    if (!poise__point_has_orientation(point)) {
        return wrong_rows(tree, id, call, "orientation");
    }
    point->goal_angular_velocity = velocity;
    return POISE_OK;
}

PoiseStatus poise_point_set_force(PoiseTree* tree, PoisePointId id, PoiseVec3 force) {
    Point* point;
    PoiseStatus status =
        point_for(tree, id, poise_is_finite3(force), "poise_point_set_force", &point);
    if (status == POISE_OK) {
        point->force = force;
    }
    return status;
}

PoiseStatus poise_point_set_torque(PoiseTree* tree, PoisePointId id, PoiseVec3 torque) {
    Point* point;
    PoiseStatus status =
        point_for(tree, id, poise_is_finite3(torque), "poise_point_set_torque", &point);
    if (status == POISE_OK) {
        point->torque = torque;
    }
    return status;
}

PoiseStatus poise_point_set_enabled(PoiseTree* tree, PoisePointId id, bool enabled) {
    Point* point = poise__point_or_fail(tree, id, "poise_point_set_enabled");
    if (!point) {
        return poise__no_handle(tree);
    }
    if (point->enabled != enabled) {
        point->enabled = enabled;
        poise__sets_changed(tree);
    }
    return POISE_OK;
}

bool poise_point_enabled(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point && point->enabled;
}

PoiseStatus poise_point_set_weight(PoiseTree* tree, PoisePointId id, double weight) {
    Point* point = poise__point_or_fail(tree, id, "poise_point_set_weight");
    if (!point) {
        return poise__no_handle(tree);
    }
    if (!(weight > 0.0) || !isfinite(weight)) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_point_set_weight: weight of point %u is %g, it must be finite "
                           "and above 0; to switch a point off, disable it",
                           (unsigned)id.index1, weight);
    }
    point->weight = weight;
    poise__sets_changed(tree);
    return POISE_OK;
}

// ------------------------------------------------------------------------------------ what it
// reads

PoisePose poise_point_pose(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? poise__point_world(tree, point) : poise_pose_identity();
}

PoisePose poise_point_goal(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? point->goal : poise_pose_identity();
}

PoiseVec3 poise_point_force(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? point->force : poise_vec3(0.0, 0.0, 0.0);
}

double poise_point_error(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    if (!point || !poise__point_has_position(point)) {
        return 0.0;
    }
    return poise_length(poise_sub(point->goal.p, poise__point_world(tree, point).p));
}

double poise_point_angle_error(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    if (!point || !poise__point_has_orientation(point)) {
        return 0.0;
    }
    PoiseQuat now = poise__point_world(tree, point).q;
    return poise_length(poise_quat_log(poise_quat_mul(point->goal.q, poise_quat_conjugate(now))));
}

double poise_point_reach(PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? poise__point_reach(tree, point) : 0.0;
}

PoiseStatus poise_point_set_priority(PoiseTree* tree, PoisePointId id, int priority) {
    Point* point = poise__point_or_fail(tree, id, "poise_point_set_priority");
    if (!point) {
        return poise__no_handle(tree);
    }
    if (priority < 0 || priority >= POISE_PRIORITIES) {
        return poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                           "poise_point_set_priority: priority %d of point %u is not 0 (first) to "
                           "15",
                           priority, (unsigned)id.index1);
    }
    if (priority != point->priority) {
        point->priority = priority;
        poise__sets_changed(tree);
    }
    return POISE_OK;
}

int poise_point_priority(const PoiseTree* tree, PoisePointId id) {
    const Point* point = poise__point(tree, id);
    return point ? point->priority : 0;
}
