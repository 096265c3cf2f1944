// SPDX-License-Identifier: MIT
// `poise info`: prints a scene or robot as tables.
#include <math.h>

#include "command.h"
#include "info_stages.h"
#include "poise/report.h"

static const char usage[] =
    "usage: poise info FILE [options]\n"
    "Prints bodies, joints with their limits and springs, control points and the sets\n"
    "Nd(point) and Cp(joint) of a scene or a robot. Units: m, kg, rad, N. \"box +12 mm\": the box\n"
    "is fitted to a mesh, and at most 12 mm outside of the mesh's hull. With one of the first\n"
    "four options it prints tables of one step instead:\n"
    "  --sets             Cp and Nd of the joints, J, alpha, beta and gamma\n"
    "  --sweeps N         omega after each of N Gauss-Seidel sweeps\n"
    "  --manipulability   of each point, and the ellipsoid of its position\n"
    "  --poses            the points' poses, m and w x y z, and their goals\n"
    "  --seconds T        simulates this long first (0)\n"
    "  --json             one JSON object: the bodies with their shapes, and no "
    "tables\n" TRUST_USAGE "Examples:\n"
    "  poise info panda                  joints with their limits, links, points\n"
    "  poise info arm6 --sweeps 3        how Gauss-Seidel comes near the solution\n";

static const char* shape_word(PoiseShapeKind kind) {
    static const char* const words[] = {[POISE_SHAPE_BOX] = "box",
                                        [POISE_SHAPE_SPHERE] = "sphere",
                                        [POISE_SHAPE_CAPSULE] = "capsule",
                                        [POISE_SHAPE_CYLINDER] = "cylinder",
                                        [POISE_SHAPE_HULL] = "hull"};
    return words[kind];
}

static const char* kind_word(PoiseNodeKind kind) {
    const PoiseJointType* type = poise_joint_type(kind);
    return poise_kind_floats(kind) ? "floating" : type ? type->name : "?";
}

static int width_of(const char* text, int width) {
    int length = snprintf(NULL, 0, "%s", text);
    return length > width ? length : width;
}

static void print_bodies(const PoiseScene* scene) {
    int width = 8;
    double total = 0.0;
    for (int i = 0; i < scene->body_count; i++) {
        width = width_of(scene->bodies[i].name, width);
        total += scene->bodies[i].fixed ? 0.0 : scene->bodies[i].mass;
    }
    printf("bodies: %d, moving mass %.4g kg\n", scene->body_count, total);
    printf("  %-*s  %10s  %-26s  %s\n", width, "name", "mass", "centre of mass, m", "shapes");
    for (int i = 0; i < scene->body_count; i++) {
        const PoiseSceneBody* body = &scene->bodies[i];
        char mass[32];
        snprintf(mass, sizeof mass, "%.4g kg", body->mass);
        PoiseVec3 com = poise_pose_apply(body->pose, body->com);
        printf("  %-*s  %10s  %8.4f %8.4f %8.4f  ", width, body->name, body->fixed ? "fixed" : mass,
               com.x, com.y, com.z);
        for (int j = 0; j < body->shape_count; j++) {
            const PoiseSceneShape* shape = &body->shapes[j];
            printf("%s%s", j > 0 ? ", " : "", shape_word(shape->kind));
            if (shape->margin > 0.0) {
                printf(" +%.1f mm", 1e3 * shape->margin);
            }
        }
        putchar('\n');
    }
}

static void print_json(const PoiseScene* scene) {
    printf("{\"scene\": ");
    poise_json_string(stdout, scene->file);
    printf(", \"bodies\": [");
    for (int i = 0; i < scene->body_count; i++) {
        const PoiseSceneBody* body = &scene->bodies[i];
        const PoiseVec3 com = poise_pose_apply(body->pose, body->com);
        printf("%s\n  {\"name\": ", i > 0 ? "," : "");
        poise_json_string(stdout, body->name);
        printf(", \"fixed\": %s, \"mass\": %.9g, \"com\": [%.9g, %.9g, %.9g], \"shapes\": [",
               body->fixed ? "true" : "false", body->mass, com.x, com.y, com.z);
        for (int j = 0; j < body->shape_count; j++) {
            const PoiseSceneShape* shape = &body->shapes[j];
            printf("%s{\"kind\": \"%s\", \"margin\": %.9g}", j > 0 ? ", " : "",
                   shape_word(shape->kind), shape->margin);
        }
        printf("]}");
    }
    puts("\n]}");
}

static void print_range(const PoiseSceneJoint* joint) {
    const double *lower = joint->limits.lower, *upper = joint->limits.upper;
    const bool first = isfinite(lower[0]) || isfinite(upper[0]);
    char text[48] = "";
    if (poise_kind_turns(joint->kind) && isfinite(upper[2])) {
        snprintf(text, sizeof text, "swing %.4g twist %.4g", upper[0], upper[2]);
    } else if (poise_kind_turns(joint->kind) && first) {
        snprintf(text, sizeof text, "swing %.4g", upper[0]);
    } else if (poise_kind_axes(joint->kind) == 2 &&
               (first || isfinite(lower[1]) || isfinite(upper[1]))) {
        snprintf(text, sizeof text, "%.3g to %.3g, %.3g to %.3g", lower[0], upper[0], lower[1],
                 upper[1]);
    } else if (first) {
        snprintf(text, sizeof text, "%.4g to %.4g", lower[0], upper[0]);
    }
    printf("%-28s  ", text);
}

static void print_spring(PoiseSpring spring) {
    char text[40] = "-";
    if (spring.stiffness > 0.0 || spring.damping > 0.0) {
        snprintf(text, sizeof text, "%.4g / %.4g", spring.stiffness, spring.damping);
    }
    printf("%-16s  ", text);
}

static void print_joints(const PoiseScene* scene) {
    int width = 8;
    for (int i = 0; i < scene->joint_count; i++) {
        width = width_of(scene->joints[i].name, width);
    }
    printf(
        "\njoints: %d, %d of them driven; rad, N m/rad / N m s/rad, N m (sliders: m, N/m / N s/m, "
        "N)\n",
        scene->joint_count, scene->driven_count);
    printf("  %-*s  %-9s  %-28s  %-16s  %-16s  %-10s  %-8s  %s\n", width, "name", "kind", "limits",
           "original p / d", "ik p / d", "max torque", "natural", "between");
    for (int i = 0; i < scene->joint_count; i++) {
        const PoiseSceneJoint* joint = &scene->joints[i];
        const double* at = joint->bind.natural;
        printf("  %-*s  %-9s  ", width, joint->name, kind_word(joint->kind));
        print_range(joint);
        print_spring(joint->bind.original);
        print_spring(joint->bind.ik);
        printf("%-10.4g  %-8.4g  %s, %s%s\n", joint->bind.torque_limit,
               poise_kind_turns(joint->kind) ? poise_length(poise_quat_log(poise_quat_normalize(
                                                   poise_quat(at[0], at[1], at[2], at[3]))))
                                             : joint->bind.natural[0],
               joint->parent.index >= 0 ? scene->bodies[joint->parent.index].name : "world",
               scene->bodies[joint->child.index].name, joint->driven ? "" : " (closes a loop)");
    }
}

static bool uses(const PoiseScenePoint* point, int joint) {
    for (int i = 0; i < point->joint_count; i++) {
        if (point->joints[i] == joint) {
            return true;
        }
    }
    return false;
}

static void print_points(const PoiseScene* scene) {
    printf("\ncontrol points: %d\n", scene->point_count);
    for (int i = 0; i < scene->point_count; i++) {
        const PoiseScenePoint* point = &scene->points[i];
        PoisePose pose = poise_pose_mul(scene->bodies[point->body.index].pose, point->in_body);
        printf("  %s on %s at (%.4f, %.4f, %.4f) m%s%s, weight %.4g\n", point->name,
               scene->bodies[point->body.index].name, pose.p.x, pose.p.y, pose.p.z,
               point->position.kind != POISE_GOAL_NONE ? ", position" : "",
               point->orientation.kind != POISE_GOAL_NONE ? ", orientation" : "",
               point->def.weight);
        printf("    Nd:");
        for (int j = 0; j < point->joint_count; j++) {
            printf(" %s", scene->joints[point->joints[j]].name);
        }
        putchar('\n');
    }
    for (int i = 0; i < scene->joint_count && scene->point_count > 0; i++) {
        printf("  Cp(%s):", scene->joints[i].name);
        for (int j = 0; j < scene->point_count; j++) {
            if (uses(&scene->points[j], i)) {
                printf(" %s", scene->points[j].name);
            }
        }
        putchar('\n');
    }
}

// The options of `poise info`.
typedef struct InfoOptions {
    const char* file;
    InfoStages stages;
    bool json;
    Reading reading;
} InfoOptions;

static int print_file(const InfoOptions* options) {
    const PoiseSceneSource source = poise__source(options->file, &options->reading);
    OpenScene open;
    bool fine = poise__open_scene(&open, &source);
    if (fine && options->json) {
        print_json(open.scene);
    } else if (fine) {
        printf("%s%s%s\n", open.scene->file, open.scene->title[0] ? ": " : "", open.scene->title);
        const InfoStages* asked = &options->stages;
        if (asked->sets || asked->manipulability || asked->poses || asked->sweeps > 0) {
            fine = poise__simulate(open.simulation, asked->seconds) &&
                   poise__info_stages(open.simulation, asked);
        } else {
            const PoiseVec3 gravity = open.scene->world.def.gravity;
            printf("gravity (%.4g, %.4g, %.4g) m/s^2, step %.4g s\n\n", gravity.x, gravity.y,
                   gravity.z, open.scene->world.step);
            print_bodies(open.scene);
            print_joints(open.scene);
            print_points(open.scene);
        }
    }
    poise_diagnostics_print(open.diagnostics, POISE_WARNING, stderr);
    poise__close_scene(&open);
    return poise__finish_output(fine ? EXIT_DONE : EXIT_INPUT);
}

int poise__command_info(int argc, char** argv) {
    static const CommandOption rows[] = {
        {"sets", OPTION_FLAG, .offset = offsetof(InfoOptions, stages.sets)},
        {"sweeps", OPTION_COUNT, .offset = offsetof(InfoOptions, stages.sweeps), .most = 1e4},
        {"seconds", OPTION_SECONDS, .offset = offsetof(InfoOptions, stages.seconds)},
        {"manipulability", OPTION_FLAG, .offset = offsetof(InfoOptions, stages.manipulability)},
        {"poses", OPTION_FLAG, .offset = offsetof(InfoOptions, stages.poses)},
        {"json", OPTION_FLAG, .offset = offsetof(InfoOptions, json)},
        {.name = NULL},
    };
    InfoOptions options = {0};
    const CommandLine line = {usage, rows, &options, &options.file, &options.reading};
    const int code = poise__read_line(&line, argc, argv);
    return code == GO_ON ? print_file(&options) : code;
}
