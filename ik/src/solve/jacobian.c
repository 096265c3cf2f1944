// SPDX-License-Identifier: MIT
// Computes J block by block from the frames (eqs. 2-11), one block for each goal and each node that
// moves it. goal_error.c comes before and fills the frames of the points.
#include "shared/clones.h"
#include "solve.h"

// largest square of a column: the solvers multiply three such numbers and square the product
static const double LARGEST_SQUARES = 1e70;

// Eqs. 6-10: returns two axes perpendicular to r. Rotations about r do not move the point.
static void reduced_axes(PoiseVec3 r, PoiseVec3 axes[2]) {
    double length = poise_length(r);
    // r = 0: no rotation moves the point, so any two axes serve
    PoiseVec3 e0 = length > 0.0 ? poise_scale(1.0 / length, r) : poise_vec3(0.0, 0.0, 1.0);
    // The paper's eq. 7 takes e_x unless it equals e0, and so loses all digits near e0. Here e1''
    // of eq. 8 is the world axis least aligned with e0, which keeps ||e1'|| above 0.8.
    PoiseVec3 e1 = poise__least_aligned_axis(e0);
    e1 = poise_add_scaled(e1, -poise_dot(e1, e0), e0);
    e1 = poise__normalize(e1);
    axes[0] = e1;
    axes[1] = poise_cross(e1, e0);
}

/// The column of J that is being filled.
typedef struct Filled {
    const Column* column;
    PoiseVec3 anchor; ///< world; the axes of rotation pass through it
    PoiseVec3 axes[POISE_MAX_DOF];
} Filled;

static inline PoiseVec3 moment_arm(const Goal* goal, const Filled* filled) {
    return poise_sub(goal->pose.p, filled->anchor);
}

static inline double scale_of(const Goal* goal, const Column* column) {
    return goal->frozen ? 0.0 : goal->scale * column->scale;
}

static inline void fill_axes(const Layout* layout, Task* task, const Node* node, Filled* filled) {
    const Column* column = filled->column;
    PoiseVec3* axes = &task->axes[column->first_dof];
    unsigned char* linear = &task->linear[column->first_dof];
    if (!column->direct && column->dof == 2 && poise__joint_can_have_cone(column->type)) {
        const Goal* goal = &layout->goals[layout->blocks[column->first_block].goal];
        reduced_axes(poise_sub(goal->pose.p, poise__joint_anchor(&node->joint)), axes);
        linear[0] = 0;
        linear[1] = 0;
    } else if (column->direct) {
        poise__joint_number_axes(&node->joint, axes, linear);
    } else {
        poise__joint_column_axes(&node->joint, axes, linear);
    }
    for (int i = 0; i < column->dof; i++) {
        filled->axes[i] = axes[i];
    }
}

static inline void put3(double* out, PoiseVec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static inline double* put(double* column, double scale, PoiseVec3 v) {
    put3(column, poise_scale(scale, v));
    return column + 3;
}

// The velocity of a point, and the angular velocity of its link, for a unit velocity of one dof.
typedef struct Motion {
    PoiseVec3 linear;
    PoiseVec3 angular;
} Motion;

/// How a joint of the node moves a point relative to the frame of its goal. `sign` is 1 if the node
/// carries the point, -1 if it carries the goal's frame. Factors of a centre of mass are fractions
/// of the whole mass.
typedef struct Moved {
    PoiseVec3 r;  ///< moment arm, m; centre of mass: first moment of the moved mass over the mass
    double moves; ///< factor of a motion along an axis: `sign`, or the moved fraction of the mass
    double turns; ///< factor of axis x r for a rotation: `sign`, or 1 for a centre of mass
    double sign;
} Moved;

static inline Moved moved_by(const PoiseTree* tree, const Filled* filled, const Block* block) {
    const Goal* goal = &tree->solver->layout.goals[block->goal];
    if (tree->points[goal->point].kind != POISE_POINT_COM) {
        return (Moved){moment_arm(goal, filled), block->sign, block->sign, block->sign};
    }
    // first moment about the anchor of the links beyond the joint, over the whole mass
    const Node* part = &tree->nodes[block->part];
    const PoiseVec3 moment =
        poise_add_scaled(part->subtree_moment, -part->subtree_mass, filled->anchor);
    return (Moved){poise_scale(1.0 / goal->mass, moment), part->subtree_mass / goal->mass, 1.0,
                   block->sign};
}

static inline Motion motion_of(const Moved* moved, PoiseVec3 axis, bool linear) {
    if (linear) {
        return (Motion){poise_scale(moved->moves, axis), poise_vec3(0.0, 0.0, 0.0)};
    }
    return (Motion){poise_scale(moved->turns, poise_cross(axis, moved->r)),
                    poise_scale(moved->sign, axis)};
}

/// The active rows of a goal.
typedef struct Rows {
    unsigned linear;  ///< bits of the goal's axes of translation
    unsigned angular; ///< bits of the goal's axes of rotation
    bool aims;        ///< direction or look-at: the rows are those of the axis's rotation
    double scale;
} Rows;

static inline Rows rows_of(const PoiseTree* tree, const Goal* goal, const Column* column) {
    const Point* point = &tree->points[goal->point];
    return (Rows){.linear = goal->has_position ? point->rows & 7 : 0,
                  .angular = goal->has_orientation ? point->rows >> 3 & 7 : 0,
                  .aims =
                      point->kind == POISE_POINT_DIRECTION || point->kind == POISE_POINT_LOOK_AT,
                  .scale = scale_of(goal, column)};
}

// Returns how far the aimed axis turns away from the line to its target: d x d' = -(d x p') /
// distance.
static inline PoiseVec3 aim_of(const Goal* goal, const Motion* motion) {
    const PoiseVec3 axis = goal->aim.axis;
    const PoiseVec3 turn =
        poise_add_scaled(motion->angular, -poise_dot(axis, motion->angular), axis);
    return poise_add(turn, poise_cross(goal->aim.sight, motion->linear));
}

static inline double* put_counting(double* out, const Goal* goal, unsigned bits, double scale,
                                   PoiseVec3 v) {
    if (goal->along_world && bits == 7) {
        return put(out, scale, v);
    }
    double along[3];
    put3(along, v);
    if (goal->along_world && bits == 3) {
        // a centre of mass over the ground has only the rows x and y
        out[0] = scale * along[0];
        out[1] = scale * along[1];
        return out + 2;
    }
    for (int k = 0; k < 3; k++) {
        if ((bits >> k & 1) != 0) {
            *out++ = scale * (goal->along_world ? along[k] : poise_dot(goal->row_axes[k], v));
        }
    }
    return out;
}

// Writes the goal's active rows for one motion of a dof.
static inline void put_motion(const Goal* goal, const Rows* rows, const Motion* motion,
                              double* out) {
    if (rows->linear != 0) {
        out = put_counting(out, goal, rows->linear, rows->scale, motion->linear);
    }
    if (rows->angular != 0) {
        const PoiseVec3 turn = rows->aims ? aim_of(goal, motion) : motion->angular;
        (void)put_counting(out, goal, rows->angular, rows->scale, turn);
    }
}

static void fill_other_block(const PoiseTree* tree, const Filled* filled, const Block* block) {
    const Layout* layout = &tree->solver->layout;
    Task* task = &tree->solver->task;
    const Column* column = filled->column;
    const Goal* goal = &layout->goals[block->goal];
    const Rows rows = rows_of(tree, goal, column);
    const Moved moved = moved_by(tree, filled, block);
    double* out = &task->jacobian[block->offset];
    for (int i = 0; i < column->dof; i++, out += block->stride) {
        const Motion motion =
            motion_of(&moved, filled->axes[i], task->linear[column->first_dof + i]);
        put_motion(goal, &rows, &motion, out);
    }
}

// Fills the block of coupled nodes, which one coordinate moves: the sum of their motions, each
// times its ratio.
static void fill_tied_block(const PoiseTree* tree, const Column* column, const Block* block) {
    const Layout* layout = &tree->solver->layout;
    const Task* task = &tree->solver->task;
    const Goal* goal = &layout->goals[block->goal];
    const Point* point = &tree->points[goal->point];
    Motion sum = {poise_vec3(0.0, 0.0, 0.0), poise_vec3(0.0, 0.0, 0.0)};
    int count;
    const Tie* group = poise__tie_group(tree, column->node, &count);
    for (int i = 0; i < count; i++) {
        const Node* node = &tree->nodes[group[i].node];
        const int sign = poise__point_sign(tree, group[i].node, point);
        if (sign == 0) {
            continue;
        }
        PoiseVec3 axes[POISE_MAX_DOF];
        unsigned char linear[POISE_MAX_DOF];
        const Block own = {.goal = block->goal,
                           .part = poise__point_part(tree, group[i].node, point),
                           .sign = sign};
        const Filled filled = {.column = column, .anchor = poise__joint_anchor(&node->joint)};
        poise__joint_number_axes(&node->joint, axes, linear);
        const Moved moved = moved_by(tree, &filled, &own);
        const Motion motion = motion_of(&moved, axes[0], linear[0]);
        sum.linear = poise_add_scaled(sum.linear, group[i].ratio, motion.linear);
        sum.angular = poise_add_scaled(sum.angular, group[i].ratio, motion.angular);
    }
    const Rows rows = rows_of(tree, goal, column);
    put_motion(goal, &rows, &sum, &task->jacobian[block->offset]);
}

// Fills one dof of a position or pose goal with e x r: eq. 2 for a hinge, eqs. 3 and 4 with the
// world axes for a ball. The printed eq. 3 has [r x] with the other sign. The rotation rows, which
// the paper omits, are the axis e itself.
static inline void put_turn(double* out, const Goal* goal, double scale, PoiseVec3 axis,
                            PoiseVec3 r) {
    if (goal->has_position) {
        out = put(out, scale, poise_cross(axis, r));
    }
    if (goal->has_orientation) {
        (void)put(out, scale, axis);
    }
}

static inline void put_move(double* out, const Goal* goal, double scale, PoiseVec3 axis) {
    if (goal->has_position) {
        out = put(out, scale, axis);
    }
    if (goal->has_orientation) {
        (void)put(out, scale, poise_vec3(0.0, 0.0, 0.0));
    }
}

static void fill_plain_block(const Layout* layout, Task* task, const Filled* filled,
                             const Block* block) {
    const Column* column = filled->column;
    const Goal* goal = &layout->goals[block->goal];
    const PoiseVec3 r = moment_arm(goal, filled);
    const double scale = scale_of(goal, column);
    double* out = &task->jacobian[block->offset];
    if (column->turns) {
        put_turn(out, goal, scale, filled->axes[0], r);
        put_turn(out + block->stride, goal, scale, filled->axes[1], r);
        put_turn(out + 2 * block->stride, goal, scale, filled->axes[2], r);
        return;
    }
    for (int i = 0; i < column->dof; i++, out += block->stride) {
        if (task->linear[column->first_dof + i]) {
            put_move(out, goal, scale, filled->axes[i]);
        } else {
            put_turn(out, goal, scale, filled->axes[i], r);
        }
    }
}

static inline void fill_block(const PoiseTree* tree, const Filled* filled, const Block* block) {
    const Layout* layout = &tree->solver->layout;
    Task* task = &tree->solver->task;
    if (filled->column->tied) {
        fill_tied_block(tree, filled->column, block);
    } else if (layout->goals[block->goal].plain) {
        fill_plain_block(layout, task, filled, block);
    } else {
        fill_other_block(tree, filled, block);
    }
}

// Returns the sum of squares of a column. Columns that could overflow in the solvers become 0.
static double square_or_freeze(Layout* layout, Task* task, Column* column) {
    double* numbers = &task->jacobian[layout->blocks[column->first_block].offset];
    const double sum = poise__rows_dot(0.0, numbers, numbers, column->numbers);
    column->frozen = !(sum < LARGEST_SQUARES);
    if (!column->frozen) {
        return sum;
    }
    for (int i = 0; i < column->numbers; i++) {
        numbers[i] = 0.0;
    }
    return 0.0;
}

// Fills the column of a hinge, the most frequent joint.
static inline void fill_hinge(const PoiseTree* tree, const Node* node, const Column* column) {
    const Layout* layout = &tree->solver->layout;
    Task* task = &tree->solver->task;
    const Joint* joint = &node->joint;
    Filled filled;
    filled.column = column;
    filled.anchor = joint->joint_world.p;
    const PoiseVec3 axis = filled.axes[0] = poise_quat_rotate(joint->joint_world.q, joint->axes[0]);
    put3(&task->axes[column->first_dof].x, axis);
    task->linear[column->first_dof] = 0;
    const Block* block = &layout->blocks[column->first_block];
    for (const Block* end = block + column->block_count; block < end; block++) {
        const Goal* goal = &layout->goals[block->goal];
        if (goal->plain) {
            put_turn(&task->jacobian[block->offset], goal, scale_of(goal, column), axis,
                     moment_arm(goal, &filled));
        } else {
            fill_other_block(tree, &filled, block);
        }
    }
}

// Fills the column of a joint that is not a hinge.
static void fill_column(const PoiseTree* tree, const Node* node, const Column* column) {
    const Layout* layout = &tree->solver->layout;
    Task* task = &tree->solver->task;
    Filled filled;
    filled.column = column;
    filled.anchor = poise__joint_anchor(&node->joint);
    fill_axes(layout, task, node, &filled);
    const Block* block = &layout->blocks[column->first_block];
    for (const Block* end = block + column->block_count; block < end; block++) {
        fill_block(tree, &filled, block);
    }
}

POISE_CLONES void poise__jacobian_fill(PoiseTree* tree) {
    Layout* layout = &tree->solver->layout;
    Task* task = &tree->solver->task;
    Answer* answer = &tree->solver->answer;
    GroupRows* groups = tree->solver->metric.groups;
    task->frozen_nodes = 0;
    double sum = 0.0;
    for (int i = 0; i < layout->group_count; i++) {
        groups[i].square = 0.0;
    }
    for (int i = 0; i < layout->column_count; i++) {
        Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        if (column->scale != node->scale) {
            // J and the step contain the biases: convert the last step to the node's new scale.
            for (int d = 0; d < column->dof; d++) {
                answer->previous_omega[column->first_dof + d] *= column->scale / node->scale;
            }
            column->scale = node->scale;
        }
        if (column->plain) {
            fill_hinge(tree, node, column);
        } else {
            fill_column(tree, node, column);
        }
        const double square = square_or_freeze(layout, task, column);
        sum += square;
        groups[column->group].square += square;
        task->frozen_nodes += column->frozen;
    }
    task->mean_square = layout->row_count > 0 ? sum / layout->row_count : 0.0;
    task->filled = true;
    answer->solved = false;
}
