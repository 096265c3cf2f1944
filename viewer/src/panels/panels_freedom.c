// SPDX-License-Identifier: MIT
// Shows the joint motions that move no control point (J dq = 0), and how far a force moves a
// control point against the springs (C = J K^-1 J^T). Both are computed on a copy of the tree, so
// that the run does not change.
#include <string.h>

#include "panels.h"
#include "suggest_name.h"
#include "units.h"

enum { MAX_COLUMNS = 256 };

static const double DEGREE = 57.29577951308232;
/// Least fraction of a joint's motion that remains after projection onto the motions that move no
/// control point. Below this fraction other joints would move over 20 times as fast.
static const double LEAST_FREE = 0.05;
/// Least posture rate while sliders set natural postures: the fraction of its distance to the
/// natural posture by which a joint moves in a step. The time constant is 0.2 s if steps take 10
/// ms.
static const double LEAST_RATE = 0.05;
/// Force on the point whose displacement the panel shows, N.
static const double PUSH = 10.0;

bool poise__panel_posture_rate(const PoiseSimulation* simulation, PoiseChange* change) {
    PoiseParameter rate;
    const int index = poise_simulation_find_parameter(simulation, "ik.posture_rate");
    *change = (PoiseChange){.kind = POISE_CHANGE_SET, .index = index, .value = LEAST_RATE};
    return poise_simulation_parameter(simulation, index, &rate) && rate.value < LEAST_RATE;
}

/// A copy of the tree, whose Jacobian has a column for each axis of each joint, and the scene's
/// joint of each node.
typedef struct Columns {
    PoiseTree* tree;
    int count;
    int joint[MAX_COLUMNS];
    int axis[MAX_COLUMNS];
    PoiseNodeId node[MAX_COLUMNS];
    /// A joint motion: a number for each column.
    double motion[MAX_COLUMNS];
} Columns;

/// Copies the tree and fills the copy's Jacobian. Returns false if memory runs out or the tree has
/// too many columns.
static bool open_columns(Columns* columns, const PoiseSimulation* simulation) {
    columns->tree = poise_tree_clone(poise_simulation_tree(simulation));
    columns->count = 0;
    bool good = columns->tree && poise_forward(columns->tree) >= 0 &&
                poise_stage_jacobians(columns->tree) >= 0;
    for (int i = 0; good && i < poise_tree_node_count(columns->tree); i++) {
        const PoiseNodeId node = poise_tree_node(columns->tree, i);
        const int dof = poise_node_dof(columns->tree, node);
        const int joint = poise__joint_of_node(simulation, node);
        good = columns->count + dof <= MAX_COLUMNS;
        for (int axis = 0; good && axis < dof; axis++) {
            columns->joint[columns->count] = joint;
            columns->axis[columns->count] = axis;
            columns->node[columns->count++] = node;
        }
    }
    if (!good) {
        poise_tree_destroy(columns->tree);
    }
    return good;
}

/// Fills the joint motion that moves column `k` by 1, but no control point. Returns false if there
/// is no such motion.
static bool free_motion(Columns* columns, int k) {
    double* motion = columns->motion;
    memset(motion, 0, (size_t)columns->count * sizeof *motion);
    motion[k] = 1.0;
    if (poise_null_space_project(columns->tree, motion, columns->count, motion) < 0 ||
        !(motion[k] > LEAST_FREE)) {
        return false;
    }
    const double scale = 1.0 / motion[k];
    for (int i = 0; i < columns->count; i++) {
        motion[i] *= scale;
    }
    return true;
}

/// Returns the column with the most freedom (free_motion) among those of the point's own joints;
/// -1: none.
static int freest_column(const PoiseSimulation* simulation, const Columns* columns,
                         PoisePointId point) {
    double block[POISE_MAX_ROWS * POISE_MAX_DOF];
    double motion[MAX_COLUMNS];
    double most = LEAST_FREE;
    int best = -1;
    for (int k = 0; k < columns->count; k++) {
        const int joint = columns->joint[k];
        if (joint < 0 || poise_kind_floats(poise_simulation_joint(simulation, joint).kind) ||
            poise_jacobian(columns->tree, point, columns->node[k], block) == 0) {
            continue;
        }
        memset(motion, 0, (size_t)columns->count * sizeof *motion);
        motion[k] = 1.0;
        if (poise_null_space_project(columns->tree, motion, columns->count, motion) >= 0 &&
            motion[k] > most) {
            most = motion[k];
            best = k;
        }
    }
    return best;
}

/// Returns the change that displaces a joint's natural posture by `turn` times the joint's part of
/// the motion, from the present natural posture or the `measured` posture.
static PoiseChange moved_joint(const PoiseSimulation* simulation, const Columns* columns, int k,
                               double turn, bool measured) {
    const double* motion = columns->motion + k;
    const int joint = columns->joint[k];
    const PoiseNodeKind kind = poise_simulation_joint(simulation, joint).kind;
    PoiseChange change = poise__natural_of_joint(simulation, joint);
    if (measured) {
        memcpy(change.q, poise__pose_of_joint(simulation, joint).q, sizeof change.q);
    }
    if (poise_kind_turns(kind)) {
        const PoiseQuat world = poise_node_joint_world(columns->tree, columns->node[k]).q;
        const PoiseVec3 about = poise_vec3(turn * motion[0], turn * motion[1], turn * motion[2]);
        const PoiseVec3 own = poise_quat_rotate(poise_quat_conjugate(world), about);
        const PoiseQuat q = poise_quat_mul(
            poise_quat_exp(own), poise_quat(change.q[0], change.q[1], change.q[2], change.q[3]));
        const double numbers[4] = {q.w, q.x, q.y, q.z};
        memcpy(change.q, numbers, sizeof numbers);
    } else {
        for (int axis = 0; axis < change.q_count; axis++) {
            change.q[axis] += turn * motion[axis];
        }
    }
    return change;
}

/// Moves the natural postures of all joints so that the chosen joint moves by `turn`, rad or m, and
/// no control point moves. IK pulls the joints there, and keeps the control points at their goals.
static void move_free(PoiseApp* app, double turn, bool measured) {
    const PoiseSimulation* simulation = app->session.simulation;
    PoiseFreeMotion* free = &app->panels.free;
    static Columns columns;
    if (!open_columns(&columns, simulation)) {
        return;
    }
    const int k = free->column;
    if (k >= 0 && k < columns.count && free_motion(&columns, k)) {
        for (int i = 0; i < columns.count; i++) {
            const int joint = columns.joint[i];
            if (columns.axis[i] != 0 || joint < 0 ||
                poise_kind_floats(poise_simulation_joint(simulation, joint).kind)) {
                continue;
            }
            const PoiseChange change = moved_joint(simulation, &columns, i, turn, measured);
            if (poise__app_change(app, &change) < 0) {
                break;
            }
        }
        PoiseChange rate;
        // the app shows a message if a change fails
        if (!poise__panel_posture_rate(simulation, &rate) || poise__app_change(app, &rate) >= 0) {
            free->turned += turn;
        }
    } else {
        poise__app_say(app, "the control points leave no more freedom here");
    }
    poise_tree_destroy(columns.tree);
}

/// Chooses the joint that the slider moves, when a drag of the slider begins.
static void begin_free(PoiseApp* app, int point) {
    const PoiseSimulation* simulation = app->session.simulation;
    const PoisePointView view = poise_simulation_point(simulation, point);
    PoiseFreeMotion* free = &app->panels.free;
    static Columns columns;
    poise__timeline_edit_begin(&app->timeline);
    if (free->point != point || free->column < 0) {
        free->turned = 0.0;
        free->column = -1;
        free->point = point;
        if (open_columns(&columns, simulation)) {
            free->column = freest_column(simulation, &columns, view.point);
            poise_tree_destroy(columns.tree);
        }
    }
    if (free->column < 0) {
        poise__app_say(app, "%.60s needs all its joints", view.name);
    }
}

void poise__panel_freedom(PoiseApp* app, int point) {
    PoiseFreeMotion* free = &app->panels.free;
    const PoiseUiNumber number = {.name = "goal/free",
                                  .text = "deg, posture alone",
                                  .lower = -180.0,
                                  .upper = 180.0,
                                  .digits = 1,
                                  .width = 76.0};
    const double before = free->point == point ? DEGREE * free->turned : 0.0;
    double shown = before;
    const int bits = poise__ui_number(app->ui, &number, &shown);
    poise__ui_tip(app->ui, "moves the joints, and no control point: what a redundant arm can do "
                           "without its hand. A paused arm goes there when the run continues.");
    if (bits & POISE_UI_BEGAN) {
        begin_free(app, point);
    }
    if ((bits & POISE_UI_CHANGED) && free->column >= 0) {
        move_free(app, (shown - before) / DEGREE, free->turned == 0.0);
    }
    if (bits & POISE_UI_ENDED) {
        poise__timeline_edit_end(&app->timeline, true);
    }
}

/// Adds one node's part of the point's compliance: J J^T / stiffness, for the rows of the position.
static void add_compliance(const double* block, int dof, double stiffness, double c[3][3]) {
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 3; column++) {
            for (int axis = 0; axis < dof; axis++) {
                c[row][column] += block[row * dof + axis] * block[column * dof + axis] / stiffness;
            }
        }
    }
}

double poise__panel_softness(const PoiseSimulation* simulation, int point) {
    const PoisePointView view = poise_simulation_point(simulation, point);
    static Columns columns;
    double block[POISE_MAX_ROWS * POISE_MAX_DOF];
    double c[3][3] = {{0.0}};
    bool good = view.has_position && !view.removed && open_columns(&columns, simulation);
    if (!good) {
        return 0.0;
    }
    for (int i = 0; good && i < columns.count; i++) {
        if (columns.axis[i] != 0) {
            continue;
        }
        const int size = poise_jacobian(columns.tree, view.point, columns.node[i], block);
        const int joint = columns.joint[i];
        if (size == 0) {
            continue;
        }
        good = joint >= 0 && !poise_kind_floats(poise_simulation_joint(simulation, joint).kind);
        const double stiffness =
            good ? poise_simulation_joint_springs(simulation, joint).blended.stiffness : 0.0;
        good = good && stiffness > 0.0;
        if (good) {
            add_compliance(block, poise_node_dof(columns.tree, columns.node[i]), stiffness, c);
        }
    }
    poise_tree_destroy(columns.tree);
    return good ? poise__ellipsoid_from(c).half[0] : 0.0;
}

void poise__panel_show_softness(PoiseApp* app) {
    const PoiseSimulation* simulation = app->session.simulation;
    const int point = app->highlight.selected >= 0 ? app->highlight.selected : 0;
    const double softness = poise__panel_softness(simulation, point);
    const char* name = poise_simulation_point(simulation, point).name;
    char text[POISE_UNIT_TEXT];
    // a point without this number also has the line, so that the panel keeps its layout
    poise__ui_text(app->ui, POISE_DIM_INK, "10 N move %.24s by up to %s",
                   name ? poise__bare_name(name) : "-",
                   softness > 0.0 ? poise__length_text(PUSH * softness, text) : "-");
}
