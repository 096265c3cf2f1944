// SPDX-License-Identifier: MIT
// Creates and destroys control points.
#include <string.h>

#include "tree.h"

static PoisePointDef default_def(PoisePointKind kind) {
    PoisePointDef def = {.cookie = COOKIE_POINT,
                         .kind = kind,
                         .in_link = poise_pose_identity(),
                         .goal = poise_pose_identity(),
                         .axis = poise_vec3(0.0, 0.0, 1.0)};
    def.direction = def.axis;
    def.rows = POISE_ROWS_ALL;
    def.row_axes = POISE_ROW_AXES_WORLD;
    def.max_speed = HUGE_VAL;
    def.max_turn_speed = HUGE_VAL;
    def.max_acceleration = HUGE_VAL;
    def.max_turn_acceleration = HUGE_VAL;
    def.max_jerk = HUGE_VAL;
    def.max_turn_jerk = HUGE_VAL;
    def.follow = true;
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

PoisePointDef poise_default_direction_def(void) {
    return default_def(POISE_POINT_DIRECTION);
}

PoisePointDef poise_default_look_at_def(void) {
    return default_def(POISE_POINT_LOOK_AT);
}

PoisePointDef poise_default_com_def(void) {
    return default_def(POISE_POINT_COM);
}

// Returns the error in the def, in words, or NULL.
static const char* check_point_def(const PoisePointDef* def) {
    if (def->cookie != COOKIE_POINT || def->kind < POISE_POINT_POSITION ||
        def->kind > POISE_POINT_COM) {
        return "the def was not made by a poise_default_*_def function";
    }
    if (!poise__is_frame(def->in_link)) {
        return "in_link must be finite, its rotation not 0";
    }
    if (def->has_goal && !poise__is_frame(def->goal)) {
        return "goal must be finite, its rotation not 0";
    }
    if (!(def->weight >= 0.0) || !isfinite(def->weight)) {
        return "weight must be finite and not negative";
    }
    if (def->priority < POISE_PRIORITY_CLOSURE || def->priority >= POISE_PRIORITIES) {
        return "priority must be 0 (first) to 15, or POISE_PRIORITY_CLOSURE";
    }
    if (!poise__is_direction(def->axis) || !poise__is_direction(def->direction)) {
        return "axis and direction must be finite and not 0";
    }
    if (!poise__are_rows(def->kind, def->rows, def->row_axes)) {
        return "rows must be bits of PoiseRows, some of them the kind's, row_axes one of its enum";
    }
    if (!poise__is_yield(def->yield, def->yield_rows)) {
        return "yield must be one of POISE_YIELD_*, yield_rows bits of PoiseRows";
    }
    if (!(def->tip_radius >= 0.0) || isinf(def->tip_radius)) {
        return "tip_radius must be finite and not negative";
    }
    if (!(def->max_speed > 0.0) || !(def->max_turn_speed > 0.0)) {
        return "max_speed and max_turn_speed must be above 0 (infinity: off)";
    }
    if (!(def->max_acceleration > 0.0) || !(def->max_turn_acceleration > 0.0)) {
        return "max_acceleration and max_turn_acceleration must be above 0 (infinity: off)";
    }
    if (!(def->max_jerk > 0.0) || !(def->max_turn_jerk > 0.0)) {
        return "max_jerk and max_turn_jerk must be above 0 (infinity: off)";
    }
    return NULL;
}

static int find_slot(PoiseTree* tree) {
    for (int slot = 0; slot < tree->point_slots; slot++) {
        // a slot with the last generation stays unused: an old handle could fit a new point
        if (!tree->points[slot].alive && tree->points[slot].generation < UINT16_MAX) {
            return slot;
        }
    }
    if (!poise__tree_reserve_points(tree, tree->point_slots + 1)) {
        return NO_SLOT;
    }
    tree->points[tree->point_slots].first_node = tree->list_count;
    return tree->point_slots++;
}

// Returns the pose of a frame on a link, computed from the posture: the tree's frames may be stale.
static PoisePose from_posture(const PoiseTree* tree, int slot, PoisePose pose) {
    for (; slot != NO_SLOT; slot = tree->nodes[slot].parent) {
        const Node* node = &tree->nodes[slot];
        PoisePose moved = node->joint.joint_in_parent;
        poise__joint_apply(&node->joint, &moved);
        pose = poise_pose_mul(moved, poise_pose_mul(node->joint.link_in_joint, pose));
        if (node->parent == NO_SLOT) {
            pose = poise_pose_mul(node->base, pose);
        }
    }
    return pose;
}

static PoiseVec3 com_from_posture(const PoiseTree* tree, int root, PoiseVec3 without_mass) {
    PoiseVec3 moment = poise_vec3(0.0, 0.0, 0.0);
    double mass = 0.0;
    for (int i = 0; i < tree->node_count; i++) {
        const Node* node = &tree->nodes[tree->order[i]];
        if (node->mass > 0.0 && poise__carries(tree, root, tree->order[i])) {
            PoisePose com = poise_pose(node->com_link, poise_quat_identity());
            com = from_posture(tree, tree->order[i], com);
            moment = poise_add_scaled(moment, node->mass, com.p);
            mass += node->mass;
        }
    }
    return mass > 0.0 ? poise_scale(1.0 / mass, moment) : without_mass;
}

// Sets the default goal of a point: its present pose and axis, in the goal's frame.
static void rest_goal(const PoiseTree* tree, Point* point) {
    PoisePose now = from_posture(tree, point->link, point->in_link);
    PoiseVec3 axis = poise_quat_rotate(now.q, point->axis);
    if (point->kind == POISE_POINT_COM) {
        now.p = com_from_posture(tree, point->link, now.p);
    } else if (point->kind == POISE_POINT_LOOK_AT) {
        now.p = poise_add(now.p, axis);
    }
    if (point->frame != NO_SLOT) {
        PoisePose frame = from_posture(tree, point->frame, poise_pose_identity());
        now = poise_pose_mul(poise_pose_inverse(frame), now);
        axis = poise_quat_unrotate(frame.q, axis);
    }
    point->goal = now;
    point->direction = axis;
}

static void fill_point(const PoiseTree* tree, Point* point, const PoisePointDef* def) {
    point->alive = true;
    point->kind = def->kind;
    point->enabled = def->enabled;
    point->weight = def->weight;
    point->priority = def->priority;
    point->rows = def->rows;
    point->row_axes = def->row_axes;
    point->yield = def->yield;
    point->yield_rows = def->yield_rows;
    point->tip_radius = def->tip_radius;
    poise__point_note_yield(point);
    point->max_speed = def->max_speed;
    point->max_turn_speed = def->max_turn_speed;
    point->max_acceleration[0] = def->max_acceleration;
    point->max_acceleration[1] = def->max_turn_acceleration;
    point->max_jerk[0] = def->max_jerk;
    point->max_jerk[1] = def->max_turn_jerk;
    point->follow[0] = point->follow[1] = def->follow;
    point->in_link = poise_pose(def->in_link.p, poise_quat_normalize(def->in_link.q));
    point->axis = poise__normalize(def->axis);
    if (def->has_goal) {
        point->goal = poise_pose(def->goal.p, poise_quat_normalize(def->goal.q));
        point->direction = poise__normalize(def->direction);
    } else {
        rest_goal(tree, point);
    }
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
    int frame = NO_SLOT;
    if (def->frame.index1 != 0 || def->frame.tree != 0) {
        Node* node = poise__node_or_fail(tree, def->frame, "poise_point_create: frame");
        if (!node) {
            return poise_null_point();
        }
        frame = poise__node_slot(tree, node);
    }
    if (frame != NO_SLOT && def->kind == POISE_POINT_COM) {
        poise__fail(tree, POISE_ERROR_INVALID_ARGUMENT,
                    "poise_point_create: a centre of mass has no frame but the world");
        return poise_null_point();
    }
    int slot = find_slot(tree);
    if (slot == NO_SLOT) {
        poise__fail(tree, POISE_ERROR_OUT_OF_MEMORY, "poise_point_create: no memory for point %d",
                    tree->point_count + 1);
        return poise_null_point();
    }
    Point* point = &tree->points[slot];
    const Point before = *point;
    memset(point, 0, sizeof *point);
    point->generation = before.generation;
    point->first_node = before.first_node;
    point->link = poise__node_slot(tree, link);
    point->frame = frame;
    point->sequence = ++tree->state.next_sequence;
    fill_point(tree, point, def);
    tree->point_order[tree->point_count++] = slot;
    poise__sets_changed(tree);
    return poise__point_id(tree, slot);
}

void poise__point_remove(PoiseTree* tree, int slot) {
    Point* point = &tree->points[slot];
    poise__list_clear(tree, point);
    point->alive = false;
    poise__retire(&point->generation);
    int at = 0;
    while (tree->point_order[at] != slot) {
        at++;
    }
    tree->point_count--;
    memmove(&tree->point_order[at], &tree->point_order[at + 1],
            (size_t)(tree->point_count - at) * sizeof *tree->point_order);
    poise__sets_changed(tree);
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
    poise__point_remove(tree, poise__point_slot(tree, point));
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
