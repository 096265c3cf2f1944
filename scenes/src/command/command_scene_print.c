// SPDX-License-Identifier: MIT
// `poise scene`: prints a robot alone, as `poise run` simulates it, as a scene file to edit.
#include <ctype.h>

#include "command.h"
#include "poise/report.h"

static const char usage[] =
    "usage: poise scene ROBOT > SCENE.yaml\n"
    "Prints a robot (URDF, MJCF) as a scene: what `poise run ROBOT` runs, to be changed. The "
    "scene\n"
    "has the robot's path as given: save the scene where this path is right.\n" TRUST_USAGE
    "Examples:\n"
    "  poise scene robot.urdf > mine.yaml    a scene to begin with, beside the robot\n";

const char* poise__robot_key(const PoiseScene* scene, char* text, size_t capacity) {
    size_t length = 0;
    for (const char* p = scene->title; *p && length + 1 < capacity; p++) {
        text[length++] = (isalnum((unsigned char)*p) || *p == '_') ? *p : '_';
    }
    text[length] = '\0';
    if (length == 0 || isdigit((unsigned char)text[0])) {
        snprintf(text, capacity, "robot");
    }
    return text;
}

static void print_place(PoiseVec3 p) {
    printf("[%.9g, %.9g, %.9g]", p.x, p.y, p.z);
}

static void print_world(const PoiseSceneWorld* world) {
    printf("world: {gravity: ");
    print_place(world->def.gravity);
    printf(", step: %.9g", world->step);
    if (world->ground) {
        printf(", ground: {height: %.9g}", world->ground_height);
    }
    printf("}\n");
}

static const PoiseSceneJoint* floating_of(const PoiseScene* scene) {
    for (int i = 0; i < scene->joint_count; i++) {
        const PoiseJointType* type = poise_joint_type(scene->joints[i].kind);
        if (type && type->nv == POISE_MAX_NV) {
            return &scene->joints[i];
        }
    }
    return NULL;
}

static void print_robot(const PoiseScene* scene, const char* name) {
    const PoiseSceneJoint* floating = floating_of(scene);
    printf("\nrobots:\n  %s:\n    %s: ", name, scene->robot);
    poise_json_string(stdout, scene->file);
    printf("\n    base: %s\n    springs: auto\n    pose:\n", floating ? "free" : "fixed");
    bool any = false;
    for (int i = 0; i < scene->joint_count; i++) {
        // A scene may set the start of a joint with a single coordinate.
        const PoiseJointType* type = poise_joint_type(scene->joints[i].kind);
        if (type && type->nq == 1 && scene->joints[i].driven && scene->joints[i].mimics < 0) {
            printf("      ");
            poise_json_string(stdout, scene->joints[i].name);
            printf(": %.9g\n", scene->joints[i].start[0]);
            any = true;
        }
    }
    fputs(any ? "" : "      {}\n", stdout);
    if (floating) {
        printf("\njoints:\n  base: {floating: on, between: [world, \"%s/%s\"]}\n", name,
               scene->bodies[floating->child.index].name);
    }
}

static void print_rows(const PoiseScenePoint* point) {
    static const char* const words[] = {"x", "y", "z", "turn_x", "turn_y", "turn_z"};
    const char* separator = "";
    printf("    rows: [");
    for (int i = 0; i < 6; i++) {
        if ((point->def.rows & (1u << i)) != 0) {
            printf("%s%s", separator, words[i]);
            separator = ", ";
        }
    }
    printf("]\n");
}

static void print_point(const PoiseScene* scene, const PoiseScenePoint* point, const char* name) {
    printf("  ");
    // Names in a scene's file have no dots and slashes.
    for (const char* letter = point->name; *letter; letter++) {
        const bool fits = isalnum((unsigned char)*letter) || *letter == '-';
        putchar(fits ? *letter : '_');
    }
    printf(":\n    body: \"%s/%s\"\n", name, scene->bodies[point->body.index].name);
    if (point->com) {
        printf("    com: on\n");
    } else {
        printf("    at: ");
        print_place(point->in_body.p);
        printf("\n");
    }
    if (point->def.rows != POISE_ROWS_ALL) {
        print_rows(point);
    }
    printf("    position: ");
    print_place(point->position.places[0]);
    printf("\n");
    if (point->orientation.kind == POISE_GOAL_FIXED) {
        const PoiseQuat q = point->orientation.rotations[0];
        printf("    orientation: {quaternion: [%.9g, %.9g, %.9g, %.9g]}\n", q.w, q.x, q.y, q.z);
    }
    if (point->def.weight != 1.0) {
        printf("    weight: %.9g\n", point->def.weight);
    }
    if (point->stance > 0.0) {
        printf("    stance: %.9g\n    sole: %.9g\n", point->stance, point->sole);
    }
    fputs(point->balance ? "    balance: on\n" : "", stdout);
}

static void print_scene(const PoiseScene* scene) {
    char name[64];
    poise__robot_key(scene, name, sizeof name);
    printf("# What `poise run` makes of the robot alone.\npoise: 1\ntitle: ");
    poise_json_string(stdout, scene->title);
    printf("\nseconds: %.9g\n", scene->seconds);
    printf("ik: {posture_rate: %.9g}\n", scene->ik.rig.settings.posture_rate);
    print_world(&scene->world);
    print_robot(scene, name);
    fputs(scene->point_count > 0 ? "\ncontrol_points:\n" : "", stdout);
    for (int i = 0; i < scene->point_count; i++) {
        print_point(scene, &scene->points[i], name);
    }
}

static int print_file(const char* path, const Reading* reading) {
    PoiseDiagnostics* diagnostics = poise__open_diagnostics();
    const PoiseSceneSource source = poise__source(path, reading);
    PoiseScene* scene = diagnostics ? poise_scene_load_source(&source, diagnostics) : NULL;
    poise_diagnostics_print(diagnostics, POISE_WARNING, stderr);
    int code = scene ? EXIT_DONE : EXIT_INPUT;
    if (scene && !scene->robot) {
        fprintf(stderr, "poise: scene: %s is a scene already\n", scene->file);
        code = EXIT_INPUT;
    } else if (scene) {
        print_scene(scene);
    }
    poise_scene_destroy(scene);
    poise_diagnostics_destroy(diagnostics);
    return poise__finish_output(code);
}

int poise__command_scene(int argc, char** argv) {
    Reading reading = {.trust = POISE_TRUST_DEFAULT};
    const char* path = NULL;
    const CommandLine line = {usage, NULL, NULL, &path, &reading};
    const int code = poise__read_line(&line, argc, argv);
    return code == GO_ON ? print_file(path, &reading) : code;
}
