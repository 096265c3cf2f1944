// SPDX-License-Identifier: MIT
// Implements `poise info --sets`, `--sweeps` and `--manipulability`: prints the stages of one step
// as tables. The tables use the paper's symbols Cp, Nd, J, alpha, beta and gamma, and omega after
// each sweep.
#include <math.h>
#include <string.h>

#include "info_stages.h"
#include "poise/math.h"

/// Names of a tree's joints and points, from the simulation.
typedef struct Names {
    const PoiseSimulation* simulation;
    PoiseTree* tree;
    int width; ///< length of the longest joint name
} Names;

static PoiseNodeId node_of(const Names* names, int joint) {
    return poise_simulation_joint_node(names->simulation, joint);
}

static const char* joint_name(const Names* names, int joint) {
    return poise_simulation_joint(names->simulation, joint).name;
}

static int joint_count(const Names* names) {
    return poise_simulation_joint_count(names->simulation);
}

static const char* name_of_node(const Names* names, PoiseNodeId node) {
    int joint = 0;
    while (node_of(names, joint).index1 != node.index1) {
        joint++;
    }
    return joint_name(names, joint);
}

// Returns the number of the tree's points for the scene's point `index`, 1 or 2, and writes them:
// the point itself, then its axis goal if that is a point of its own.
static int points_of(const Names* names, int index, PoisePointId points[2]) {
    const PoisePointView view = poise_simulation_point(names->simulation, index);
    points[0] = view.point;
    points[1] = view.aim;
    return view.aim.index1 != 0 && view.aim.index1 != view.point.index1 ? 2 : 1;
}

static const char* name_of_point(const Names* names, PoisePointId point) {
    for (int i = 0; i < poise_simulation_point_count(names->simulation); i++) {
        PoisePointId own[2];
        const int count = points_of(names, i, own);
        for (int k = 0; k < count; k++) {
            if (own[k].index1 == point.index1) {
                return poise_simulation_point(names->simulation, i).name;
            }
        }
    }
    return "(loop)"; // a point that the rig added to close a loop
}

// ------------------------------------------------------------------------------------------- sets

static void print_sets(const Names* names) {
    printf(
        "\nsets: Cp(joint), the points it serves; Nd(joint), the joints that share one with it\n");
    for (int i = 0; i < joint_count(names); i++) {
        PoisePointId points[POISE_INFO_MOST];
        PoiseNodeId nodes[POISE_INFO_MOST];
        int count = poise_node_points(names->tree, node_of(names, i), points, POISE_INFO_MOST);
        if (count == 0) {
            continue;
        }
        printf("  %-*s  Cp:", names->width, joint_name(names, i));
        for (int k = 0; k < count && k < POISE_INFO_MOST; k++) {
            printf(" %s", name_of_point(names, points[k]));
        }
        printf("; Nd:");
        count = poise_node_neighbours(names->tree, node_of(names, i), nodes, POISE_INFO_MOST);
        for (int k = 0; k < count && k < POISE_INFO_MOST; k++) {
            printf(" %s", name_of_node(names, nodes[k]));
        }
        putchar('\n');
    }
}

static void print_numbers(const double* numbers, int count, int stride) {
    for (int k = 0; k < count; k++) {
        // A number that would print as -0 prints as 0.
        printf(" %13.8f", fabs(numbers[k * stride]) < 5e-9 ? 0.0 : numbers[k * stride]);
    }
}

// Prints a point's Jacobian with respect to its joints; nothing for a disabled point.
static void print_jacobian(const Names* names, PoisePointId point, const char* title) {
    if (!poise_point_enabled(names->tree, point)) {
        return;
    }
    printf("\nJ(%s), a row for each column of a joint: m/rad (place), then 1 (turn)\n", title);
    for (int i = 0; i < joint_count(names); i++) {
        double block[POISE_MAX_ROWS * POISE_MAX_DOF];
        const int dof = poise_node_dof(names->tree, node_of(names, i));
        const int size = poise_jacobian(names->tree, point, node_of(names, i), block);
        for (int d = 0; d < dof && size > 0; d++) {
            printf("  %-*s", names->width, d == 0 ? joint_name(names, i) : "");
            print_numbers(block + d, size / dof, dof);
            putchar('\n');
        }
    }
}

static void print_blocks(const Names* names) {
    printf("\nalpha and beta (eqs. 18, 19)\n");
    for (int i = 0; i < joint_count(names); i++) {
        double alpha[POISE_MAX_DOF], beta[POISE_MAX_DOF];
        const int dof = poise_block_alpha(names->tree, node_of(names, i), alpha);
        if (dof > 0 && poise_block_beta(names->tree, node_of(names, i), beta) == dof) {
            printf("  %-*s  alpha", names->width, joint_name(names, i));
            print_numbers(alpha, dof, 1);
            printf("  beta");
            print_numbers(beta, dof, 1);
            putchar('\n');
        }
    }
    printf("\ngamma (eq. 20), a line for each row of a block\n");
    for (int i = 0; i < joint_count(names); i++) {
        for (int j = i; j < joint_count(names); j++) {
            double gamma[POISE_MAX_DOF * POISE_MAX_DOF];
            const int size =
                poise_block_gamma(names->tree, node_of(names, i), node_of(names, j), gamma);
            const int rows = size > 0 ? poise_node_dof(names->tree, node_of(names, i)) : 0;
            for (int r = 0; r < rows; r++) {
                printf("  %-*s  %-*s", names->width, r == 0 ? joint_name(names, i) : "",
                       names->width, r == 0 ? joint_name(names, j) : "");
                print_numbers(gamma + r * (size / rows), size / rows, 1);
                putchar('\n');
            }
        }
    }
}

// --------------------------------------------------------------------------------------- sweeps

// Returns the width of a joint's first column, letters: enough for its name and for a number, which
// has 11.
static int sweep_width(const Names* names, int joint) {
    const int length = (int)strlen(joint_name(names, joint));
    return length > 11 ? length : 11;
}

static bool print_sweeps(const Names* names, int sweeps) {
    printf("\nomega after each sweep (eqs. 21 to 23, root first, from 0), rad and m\n  %-5s %11s",
           "sweep", "|J w - v|");
    for (int i = 0; i < joint_count(names); i++) {
        const int dof = poise_node_dof(names->tree, node_of(names, i));
        for (int d = 0; d < dof; d++) {
            printf(" %*s", d == 0 ? sweep_width(names, i) : 11, d == 0 ? joint_name(names, i) : "");
        }
    }
    putchar('\n');
    for (int k = 1; k <= sweeps; k++) {
        double residual = 0.0;
        if (poise_stage_sweep(names->tree, 0.0, &residual) < 0) {
            return false;
        }
        printf("  %-5d %11.4e", k, residual);
        for (int i = 0; i < joint_count(names); i++) {
            double omega[POISE_MAX_DOF];
            // A joint without registered points has no column.
            const int dof = poise_node_dof(names->tree, node_of(names, i)) > 0
                                ? poise_node_omega(names->tree, node_of(names, i), omega)
                                : 0;
            for (int d = 0; d < dof; d++) {
                printf(" %*.8f", d == 0 ? sweep_width(names, i) : 11, omega[d]);
            }
        }
        putchar('\n');
    }
    return true;
}

// -------------------------------------------------------------------------------- manipulability

// Diagonalises a symmetric 3 x 3 matrix by Jacobi rotations. `vectors` gets the eigenvectors as
// columns; the eigenvalues are left on the diagonal of `a`.
static void diagonalise(double a[3][3], double vectors[3][3]) {
    for (int i = 0; i < 9; i++) {
        vectors[i / 3][i % 3] = i % 4 == 0 ? 1.0 : 0.0;
    }
    for (int turn = 0; turn < 60; turn++) {
        const int p = turn % 3;
        const int q = (p + 1) % 3;
        // Rotation by at most pi/4 that makes a[p][q] 0.
        const double apart = a[q][q] - a[p][p];
        const double product = apart < 0.0 ? -a[p][q] : a[p][q];
        const PoiseSinCos half = poise_sincos(0.5 * poise_atan2(2.0 * product, fabs(apart)));
        const double c = half.cosine, s = half.sine;
        for (int k = 0; k < 3; k++) {
            const double left = a[k][p], right = a[k][q];
            a[k][p] = c * left - s * right;
            a[k][q] = s * left + c * right;
            const double first = vectors[k][p], second = vectors[k][q];
            vectors[k][p] = c * first - s * second;
            vectors[k][q] = s * first + c * second;
        }
        for (int k = 0; k < 3; k++) {
            const double upper = a[p][k], lower = a[q][k];
            a[p][k] = c * upper - s * lower;
            a[q][k] = s * upper + c * lower;
        }
    }
}

// Prints the ellipsoid of the point's velocities for |joint velocities| <= 1.
static void print_ellipsoid(const Names* names, PoisePointId point) {
    double a[3][3] = {{0.0}}, vectors[3][3];
    for (int i = 0; i < joint_count(names); i++) {
        double block[6 * POISE_MAX_DOF];
        if (!poise_is_registered(names->tree, point, node_of(names, i))) {
            continue;
        }
        const int dof = poise_point_jacobian(names->tree, point, node_of(names, i), block);
        for (int k = 0; k < 9 * dof; k++) {
            const int r = k / dof / 3, c = k / dof % 3, d = k % dof;
            a[r][c] += block[r * dof + d] * block[c * dof + d];
        }
    }
    diagonalise(a, vectors);
    for (int k = 0; k < 3; k++) {
        printf("    half axis %.6f along (%.4f, %.4f, %.4f)\n", sqrt(fmax(0.0, a[k][k])),
               vectors[0][k], vectors[1][k], vectors[2][k]);
    }
}

static void print_manipulability(const Names* names) {
    printf("\nmanipulability sqrt(det(J J^T)), and the ellipsoid of the place's speeds for |q'| = "
           "1\n");
    for (int i = 0; i < poise_simulation_point_count(names->simulation); i++) {
        PoisePointId points[2];
        const int count = points_of(names, i, points);
        for (int k = 0; k < count; k++) {
            printf("  %s: %.9g\n", poise_simulation_point(names->simulation, i).name,
                   poise_manipulability(names->tree, points[k]));
        }
        if (count > 0 && poise_simulation_point(names->simulation, i).has_position) {
            print_ellipsoid(names, points[0]);
        }
    }
}

// ----------------------------------------------------------------------------------------- poses

// Prints poses in the form of vnoid's articles, each followed by its goal.
static void print_poses(const Names* names) {
    for (int i = 0; i < poise_simulation_point_count(names->simulation); i++) {
        const PoisePointView view = poise_simulation_point(names->simulation, i);
        const PoisePose at = view.pose_world;
        const PoisePose goal = view.goal_world;
        if (view.has_position) {
            printf("%s_pos: %f, %f, %f    goal: %f, %f, %f\n", view.name, at.p.x, at.p.y, at.p.z,
                   goal.p.x, goal.p.y, goal.p.z);
        }
        if (view.has_orientation) {
            printf("%s_ori: %f, %f, %f, %f    goal: %f, %f, %f, %f\n", view.name, at.q.w, at.q.x,
                   at.q.y, at.q.z, goal.q.w, goal.q.x, goal.q.y, goal.q.z);
        }
    }
}

// ------------------------------------------------------------------------------------------ all

bool poise__info_stages(PoiseSimulation* simulation, const InfoStages* wanted) {
    Names names = {simulation, poise_simulation_tree(simulation), 8};
    for (int i = 0; i < joint_count(&names); i++) {
        const int length = (int)strlen(joint_name(&names, i));
        names.width = length > names.width ? length : names.width;
    }
    if (wanted->poses) {
        print_poses(&names);
    }
    bool fine = poise_forward(names.tree) >= 0;
    if (wanted->manipulability && fine) {
        print_manipulability(&names);
    }
    // The manipulability computes J only, not alpha and beta.
    fine = fine && poise_stage_jacobians(names.tree) >= 0 && poise_stage_blocks(names.tree) >= 0;
    if (wanted->sets && fine) {
        print_sets(&names);
        for (int i = 0; i < poise_simulation_point_count(simulation); i++) {
            PoisePointId points[2];
            const int count = points_of(&names, i, points);
            for (int k = 0; k < count; k++) {
                print_jacobian(&names, points[k], poise_simulation_point(simulation, i).name);
            }
        }
        print_blocks(&names);
    }
    fine = fine && (wanted->sweeps == 0 || print_sweeps(&names, wanted->sweeps));
    if (!fine) {
        fprintf(stderr, "poise: %s\n", poise_tree_message(names.tree));
    }
    return fine;
}
