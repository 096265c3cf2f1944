// SPDX-License-Identifier: MIT
// J, block by block, from the frames (eqs. 2-11). Comes after goal.c, which says where
// the points are; the solvers follow.
#include "lanes.h"
#include "solve.h"

// of a column: the solvers multiply three such numbers with each other, and square that
static const double LARGEST_SQUARES = 1e70;

// eqs. 6-10: the two axes across r, of which alone a position takes notice
static void reduced_axes(PoiseVec3 r, PoiseVec3 axes[2]) {
    double length = poise_length(r);
    // r = 0: any two axes do, since none of them moves the point
    PoiseVec3 e0 = length > 0.0 ? poise_scale(1.0 / length, r) : poise_vec3(0.0, 0.0, 1.0);
    // differs from eq. 7, which takes e_x unless it equals e0 and so loses all digits near it
    // e1'' of eq. 8 is the world axis the least aligned with e0, which keeps ||e1'|| above 0.8
    PoiseVec3 e1 = poise__least_aligned_axis(e0);
    e1 = poise_add_scaled(e1, -poise_dot(e1, e0), e0);
    e1 = poise__normalize(e1);
    axes[0] = e1;
    axes[1] = poise_cross(e1, e0);
}

static inline PoiseVec3 moment_arm(const Layout* layout, const Node* node, const Block* block) {
    return poise_sub(layout->goals[block->goal].pose.p, poise__joint_anchor(&node->joint));
}

static void fill_axes(const Layout* layout, const Node* node, const Column* column) {
    PoiseVec3* axes = &layout->axes[column->first_dof];
    unsigned char* linear = &layout->linear[column->first_dof];
    if (column->plain) {
        axes[0] = poise_quat_rotate(node->joint.joint_world.q, node->joint.axes[0]);
        linear[0] = 0;
    } else if (!column->direct && column->dof == 2 && poise__joint_can_have_cone(column->type)) {
        reduced_axes(moment_arm(layout, node, &layout->blocks[column->first_block]), axes);
        linear[0] = 0;
        linear[1] = 0;
    } else if (column->direct) {
        poise__joint_number_axes(&node->joint, axes, linear);
    } else {
        poise__joint_column_axes(&node->joint, axes, linear);
    }
}

static double* put(double* column, double scale, PoiseVec3 v) {
    column[0] = scale * v.x;
    column[1] = scale * v.y;
    column[2] = scale * v.z;
    return column + 3;
}

// how a unit of one dof moves a place and turns a link
typedef struct Motion {
    PoiseVec3 linear;
    PoiseVec3 angular;
} Motion;

/// How a node's motions move a point that is not plain, as its goal's frame sees it.
typedef struct Moved {
    PoiseVec3 r;  ///< moment arm
    double moves; ///< part of a motion along an axis
    double turns; ///< of one about an axis
    double sign;
} Moved;

static Moved moved_by(const PoiseTree* tree, const Node* node, const Block* block) {
    const Goal* goal = &tree->solver->layout.goals[block->goal];
    const PoiseVec3 anchor = poise__joint_anchor(&node->joint);
    if (tree->points[goal->point].kind != POISE_POINT_COM) {
        return (Moved){poise_sub(goal->pose.p, anchor), block->sign, block->sign, block->sign};
    }
    // the part farther out moves as a body: its first moment about the anchor, over all the mass
    const Node* part = &tree->nodes[block->part];
    const PoiseVec3 moment = poise_add_scaled(part->subtree_moment, -part->subtree_mass, anchor);
    return (Moved){poise_scale(1.0 / goal->mass, moment), part->subtree_mass / goal->mass, 1.0,
                   block->sign};
}

static Motion motion_of(const Moved* moved, PoiseVec3 axis, bool linear) {
    Motion motion;
    motion.linear = linear ? poise_scale(moved->moves, axis)
                           : poise_scale(moved->turns, poise_cross(axis, moved->r));
    motion.angular = linear ? poise_vec3(0.0, 0.0, 0.0) : poise_scale(moved->sign, axis);
    return motion;
}

// the turn of an axis across itself, less that of the sight: d x d' = -(d x p') / distance
static PoiseVec3 aim_of(const Goal* goal, Motion motion) {
    PoiseVec3 turn = poise_add_scaled(motion.angular, -poise_dot(goal->aim.axis, motion.angular),
                                      goal->aim.axis);
    return poise_add(turn, poise_cross(goal->aim.sight, motion.linear));
}

static inline double* put_counting(double* out, const Goal* goal, unsigned bits, double scale,
                                   PoiseVec3 v) {
    if (goal->along_world && bits == 7) {
        return put(out, scale, v);
    }
    const double along[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
        if ((bits >> k & 1) != 0) {
            const double part = goal->along_world ? along[k] : poise_dot(goal->row_axes[k], v);
            *out++ = scale * part;
        }
    }
    return out;
}

/// Which rows of a motion count.
typedef struct Rows {
    unsigned linear;  ///< bits of the goal's axes
    unsigned angular; ///< likewise
    bool aims;        ///< of the turn that of an axis
    double scale;
} Rows;

static Rows rows_of(const PoiseTree* tree, const Goal* goal, const Column* column) {
    const Point* point = &tree->points[goal->point];
    return (Rows){.linear = goal->has_position ? point->rows & 7 : 0,
                  .angular = goal->has_orientation ? point->rows >> 3 & 7 : 0,
                  .aims =
                      point->kind == POISE_POINT_DIRECTION || point->kind == POISE_POINT_LOOK_AT,
                  .scale = goal->frozen ? 0.0 : goal->scale * column->scale};
}

// the rows of a motion
static inline void put_motion(const Goal* goal, const Rows* rows, Motion motion, double* out) {
    if (rows->linear != 0) {
        out = put_counting(out, goal, rows->linear, rows->scale, motion.linear);
    }
    if (rows->angular != 0) {
        const PoiseVec3 turn = rows->aims ? aim_of(goal, motion) : motion.angular;
        (void)put_counting(out, goal, rows->angular, rows->scale, turn);
    }
}

static void fill_other_block(const PoiseTree* tree, const Node* node, const Column* column,
                             const Block* block) {
    const Layout* layout = &tree->solver->layout;
    const Goal* goal = &layout->goals[block->goal];
    const Rows rows = rows_of(tree, goal, column);
    const Moved moved = moved_by(tree, node, block);
    double* out = &layout->jacobian[block->offset];
    for (int i = 0; i < column->dof; i++, out += block->stride) {
        const Motion motion = motion_of(&moved, layout->axes[column->first_dof + i],
                                        layout->linear[column->first_dof + i]);
        put_motion(goal, &rows, motion, out);
    }
}

// one coordinate moves a whole group: the sum of what each of its nodes does, by its ratio
static void fill_tied_block(const PoiseTree* tree, const Column* column, const Block* block) {
    const Layout* layout = &tree->solver->layout;
    const Goal* goal = &layout->goals[block->goal];
    const Point* point = &tree->points[goal->point];
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    Motion sum = {none, none};
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
        poise__joint_number_axes(&node->joint, axes, linear);
        const Moved moved = moved_by(tree, node, &own);
        const Motion motion = motion_of(&moved, axes[0], linear[0]);
        sum.linear = poise_add_scaled(sum.linear, group[i].ratio, motion.linear);
        sum.angular = poise_add_scaled(sum.angular, group[i].ratio, motion.angular);
    }
    const Rows rows = rows_of(tree, goal, column);
    put_motion(goal, &rows, sum, &layout->jacobian[block->offset]);
}

// a hinge and a whole place or pose, as most are
static inline void fill_hinge_block(const Layout* layout, const Node* node, const Column* column,
                                    const Block* block) {
    const Goal* goal = &layout->goals[block->goal];
    const PoiseVec3 axis = layout->axes[column->first_dof];
    const double scale = goal->frozen ? 0.0 : goal->scale * column->scale;
    double* out = &layout->jacobian[block->offset];
    if (goal->has_position) {
        const PoiseVec3 r = poise_sub(goal->pose.p, node->joint.joint_world.p);
        out = put(out, scale, poise_cross(axis, r));
    }
    if (goal->has_orientation) {
        (void)put(out, scale, axis);
    }
}

static void fill_block(const PoiseTree* tree, const Node* node, const Column* column,
                       const Block* block) {
    const Layout* layout = &tree->solver->layout;
    const Goal* goal = &layout->goals[block->goal];
    if (column->tied) {
        fill_tied_block(tree, column, block);
        return;
    }
    if (!goal->plain) {
        fill_other_block(tree, node, column, block);
        return;
    }
    const PoiseVec3* axes = &layout->axes[column->first_dof];
    const PoiseVec3 r = moment_arm(layout, node, block);
    const PoiseVec3 none = poise_vec3(0.0, 0.0, 0.0);
    const unsigned char* linear = &layout->linear[column->first_dof];
    const double scale = goal->frozen ? 0.0 : goal->scale * column->scale;
    for (int i = 0; i < column->dof; i++) {
        double* out = &layout->jacobian[block->offset + i * block->stride];
        if (goal->has_position) {
            // eq. 2 (hinge) and, with the world axes, eqs. 3 and 4 (ball): e x r; differs from eq.
            // 3, whose [r x] has the other sign
            out = put(out, scale, linear[i] ? axes[i] : poise_cross(axes[i], r));
        }
        if (goal->has_orientation) {
            // a turn about e turns the link about e: the case the paper leaves out, and its E
            (void)put(out, scale, linear[i] ? none : axes[i]);
        }
    }
}

// the squares of a column's numbers. Where solvers could not square these once more, the node is
// left out: its columns are 0
static double square_or_freeze(const Layout* layout, Column* column) {
    double* numbers = &layout->jacobian[layout->blocks[column->first_block].offset];
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

// J is kept with the biases in it, and so is the step before
static void follow_scale(const Layout* layout, const Node* node, Column* column) {
    for (int d = 0; d < column->dof; d++) {
        layout->previous_omega[column->first_dof + d] *= column->scale / node->scale;
    }
    column->scale = node->scale;
}

// the blocks of a hinge with goals that are plain, and its axis; false where the processor has no
// vectors for it
static inline bool fill_hinge(const Layout* layout, const Node* node, const Column* column) {
#ifdef POISE_HAS_AVX2
    if (column->plain && poise__has_four_lanes()) {
        poise__fill_hinge_four(layout, &node->joint, column);
        return true;
    }
#endif
    fill_axes(layout, node, column);
    return false;
}

static inline void fill_column(const PoiseTree* tree, const Node* node, const Column* column) {
    const Layout* layout = &tree->solver->layout;
    const Block* block = &layout->blocks[column->first_block];
    const bool filled = fill_hinge(layout, node, column);
    for (const Block* end = block + column->block_count; block < end; block++) {
        if (column->plain && layout->goals[block->goal].plain) {
            if (!filled) {
                fill_hinge_block(layout, node, column, block);
            }
        } else {
            fill_block(tree, node, column, block);
        }
    }
}

void poise__jacobian_fill(PoiseTree* tree) {
    Layout* layout = &tree->solver->layout;
    layout->frozen_nodes = 0;
    double sum = 0.0;
    for (int i = 0; i < layout->group_count; i++) {
        layout->groups[i].square = 0.0;
    }
    for (int i = 0; i < layout->column_count; i++) {
        Column* column = &layout->columns[i];
        const Node* node = &tree->nodes[column->node];
        if (column->scale != node->scale) {
            follow_scale(layout, node, column);
        }
        fill_column(tree, node, column);
        const double square = square_or_freeze(layout, column);
        sum += square;
        layout->groups[column->group].square += square;
        layout->frozen_nodes += column->frozen;
    }
    layout->mean_square = layout->row_count > 0 ? sum / layout->row_count : 0.0;
    layout->filled = true;
    layout->solved = false;
}
