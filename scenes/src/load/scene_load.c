// SPDX-License-Identifier: MIT
// Reads a scene: text -> document tree -> tables -> names resolved -> plain data.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "mesh.h"
#include "record_expect.h"

// Shortest step, s: in a shorter step nothing moves, and divisions by the step overflow.
#define SHORTEST_STEP 1e-6

typedef struct OwnedScene {
    PoiseScene scene; ///< first member: has the address that poise_scene_destroy frees
    Arena arena;
} OwnedScene;

static bool ends_with(const char* text, const char* end) {
    size_t length = strlen(text);
    size_t tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

// True for a robot's file: it begins with <, is named .urdf or .xml, or is a Denavit-Hartenberg
// table.
static bool is_robot_file(const char* path, const char* text, size_t size) {
    // A byte order mark of UTF-8 may precede the text.
    size_t first = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (first < size && isspace((unsigned char)text[first])) {
        first++;
    }
    return (first < size && text[first] == '<') || ends_with(path, ".urdf") ||
           ends_with(path, ".xml") || poise__is_dh_table(text, size);
}

// Reports a version that this program does not read, if no other error was found.
static void check_version(const Builder* builder, const Element* root) {
    enum { OURS = 1 };
    const int version = builder->spec->version;
    if (version != OURS && poise__is_written(root, "poise") &&
        poise_diagnostics_count(builder->diagnostics, POISE_ERROR) == 0) {
        REFUSE(builder, poise__value_mark(root, "poise"),
               "this file says that it is of version %d of the format; this program reads "
               "version %d%s",
               version, OURS,
               version > OURS ? ": a newer one may read it" : ", the first there is");
    }
}

static void read_spec(Builder* builder, const Element* root) {
    poise__schema_read(&builder->reader, &poise__scene_schema, root, builder->spec);
    check_version(builder, root);
    poise__mirrors_check(&builder->reader, &builder->spec->mirrors);
    const Element* defaults = poise__element_find(root, "defaults");
    const Element* joint = defaults ? poise__element_find(defaults, "joint") : NULL;
    builder->spec->defaults.sprung = joint && poise__is_written(joint, "ik");
    const double step = builder->spec->scene.world.step;
    if (step > 0.0 && step < SHORTEST_STEP) {
        const Element* world = poise__element_find(root, "world");
        REFUSE(builder, poise__value_mark(world, "step"), "'step' must be at least %g, not %g",
               SHORTEST_STEP, step);
    }
}

static void publish(const Builder* builder, PoiseScene* scene) {
    *scene = builder->spec->scene;
    scene->motion = builder->spec->motion.motion;
    scene->file = builder->path;
    scene->bodies = builder->bodies;
    scene->body_count = builder->body_count;
    scene->looks = builder->looks;
    scene->look_count = builder->look_count;
    scene->frames = builder->frames;
    scene->frame_count = builder->frame_count;
    scene->joints = builder->joints;
    scene->joint_count = builder->joint_count;
    scene->exclusions = builder->exclusions;
    scene->exclusion_count = builder->exclusion_count;
    scene->joint_order = builder->joint_order;
    scene->driven_count = builder->driven_count;
    scene->points = builder->spec->points.items;
    scene->point_count = builder->spec->points.count;
    scene->pushes = builder->spec->pushes.items;
    scene->push_count = builder->spec->pushes.count;
}

static void build_scene(Builder* builder, const Element* root, PoiseScene* scene) {
    read_spec(builder, root);
    if (builder->reader.overfull) {
        return;
    }
    poise__build_bodies(builder);
    poise__build_robots(builder);
    poise__build_joints(builder);
    poise__build_structure(builder);
    poise__build_springs(builder, builder->spec->scene.world.step);
    poise__build_motion(builder, poise__element_find(root, "motion"));
    poise__build_points(builder);
    poise__build_pushes(builder);
    const Element* apart = poise__element_find(root, "keep_apart");
    poise__build_apart(builder, apart ? apart->key_mark : (PoiseMark){builder->path, 0, 0});
    poise__build_suspicions(builder);
    publish(builder, scene);
    poise__build_records(builder, scene);
}

// Reads the scene or robot. Returns false if nothing could be read.
static bool read_scene(Builder* builder, const PoiseSceneSource* source, const char* text,
                       size_t size, PoiseScene* scene) {
    if (is_robot_file(builder->path, text, size)) {
        if (source->override_count > 0) {
            const PoiseMark mark = {builder->path, 0, 0};
            REFUSE(builder, mark,
                   "a robot's own file has no key '%.60s': `poise scene` makes a scene of "
                   "it, where it can be set",
                   source->overrides[0]);
        }
        const Robot* robot = poise__build_alone_robot(builder, text, size);
        if (robot) {
            const RobotWorld* own = &robot->world;
            PoiseSceneWorld* world = &builder->spec->scene.world;
            world->def.gravity = own->has_gravity ? own->gravity : world->def.gravity;
            world->step = own->step >= SHORTEST_STEP ? own->step : world->step;
            world->ground = own->ground;
            world->ground_height = own->ground_height;
            builder->spec->scene.robot = robot->format;
        }
        poise__build_structure(builder);
        if (robot && builder->joint_order) {
            poise__build_alone_scene(builder, robot);
        }
        publish(builder, scene);
        return true;
    }
    Document document = {.arena = builder->arena,
                         .diagnostics = builder->diagnostics,
                         .file = builder->path,
                         .fence = builder->fence,
                         .packages = builder->packages};
    poise_diagnostics_add_source(builder->diagnostics, builder->path, text, size);
    Element* root = poise__yaml_read(&document, text, size);
    bool fine = root != NULL;
    for (int i = 0; root && i < source->override_count; i++) {
        fine = poise__override_apply(&document, root, source->overrides[i]) && fine;
    }
    if (fine) {
        build_scene(builder, root, scene);
    }
    return fine;
}

// True if the scene may read files outside of its folder. The default is false if CI is set in the
// environment, since a build server opens files of strangers.
static bool is_trusted(PoiseTrust trust) {
    const char* automatic = trust == POISE_TRUST_DEFAULT ? getenv("CI") : NULL;
    const bool idle = !automatic || !automatic[0] || strcmp(automatic, "false") == 0 ||
                      strcmp(automatic, "0") == 0;
    return trust == POISE_TRUST_ALL || (trust == POISE_TRUST_DEFAULT && idle);
}

// True if the study or replay `named_by` may read this scene: it is trusted, or the scene was found
// by its name or lies in the folder of `named_by` or in the working folder. Else reports an error.
static bool may_name(Builder* builder, const PoiseSceneSource* source) {
    const PoiseMark mark = {source->named_by, 0, 0};
    // "any" has no slash, so its folder is the working folder.
    const char* files[] = {source->named_by, "any"};
    bool inside = !builder->fence || strcmp(builder->path, source->path) != 0;
    for (int i = 0; i < 2 && !inside; i++) {
        const char* folder = poise__input_folder(builder->arena, files[i]);
        inside = folder && poise__input_is_inside(folder, "", builder->path);
    }
    if (!inside) {
        REFUSE(builder, mark,
               "the scene '%.200s' lies outside of this file's folder and of the working folder, "
               "and a file that is not trusted reads nothing from there",
               source->path);
    }
    return inside;
}

static bool load(OwnedScene* owned, const PoiseSceneSource* source, PoiseDiagnostics* diagnostics) {
    Arena* arena = &owned->arena;
    Builder* builder = poise__arena_allocate(arena, 1, sizeof *builder);
    SceneSpec* spec = poise__arena_allocate(arena, 1, sizeof *spec);
    char found[1024];
    const char* meant =
        source->text ? source->path : poise_scene_find_file(source->path, found, sizeof found);
    char* path = poise__arena_copy(arena, meant, strlen(meant));
    if (!builder || !spec || !path) {
        return false;
    }
    builder->arena = arena;
    builder->frame_names.arena = arena;
    builder->joint_names.arena = arena;
    builder->diagnostics = diagnostics;
    builder->spec = spec;
    builder->path = path;
    if (!is_trusted(source->trust)) {
        builder->fence = poise__input_folder(arena, path);
        // If the folder does not exist, the fence is the file itself, and no file lies below it.
        builder->fence = builder->fence ? builder->fence : path;
    }
    builder->packages = source->packages;
    if (!builder->packages && !builder->fence) {
        builder->packages = getenv("ROS_PACKAGE_PATH");
    }
    builder->without_meshes = source->without_meshes;
    builder->mesh_cache = poise__mesh_cache_folder(arena);
    builder->reader = (Reader){.arena = arena,
                               .diagnostics = diagnostics,
                               .angle_unit = 1.0,
                               .joint_unit = 1.0,
                               .context = spec};
    *spec = poise__default_scene_spec();
    const char* namer = source->named_by;
    const PoiseMark mark = {namer ? namer : path, namer ? 1 : 0, namer ? 1 : 0};
    size_t size = source->text_size;
    const char* text = source->text;
    if (!text && (!namer || may_name(builder, source))) {
        text = poise__file_read(arena, path, &size, mark, diagnostics);
    }
    // A study may name any file of this machine, so no text of a file that is no scene is shown.
    if (text && namer && !strstr(text, "poise") && !strstr(text, "<robot") &&
        !strstr(text, "<mujoco")) {
        REFUSE(builder, mark, "'%.200s' is no scene", path);
        return false;
    }
    return text && read_scene(builder, source, text, size, &owned->scene);
}

PoiseScene* poise_scene_load_source(const PoiseSceneSource* source, PoiseDiagnostics* diagnostics) {
    if (!source || !source->path || !diagnostics) {
        return NULL;
    }
    int errors = poise_diagnostics_count(diagnostics, POISE_ERROR);
    const bool lost_before = poise__diagnostics_lost(diagnostics);
    Arena arena;
    poise__arena_init(&arena, &source->host);
    OwnedScene* owned = poise__arena_allocate(&arena, 1, sizeof *owned);
    if (owned) {
        owned->arena = arena;
        bool read = load(owned, source, diagnostics);
        arena = owned->arena;
        bool clean = poise_diagnostics_count(diagnostics, POISE_ERROR) == errors;
        arena.failed = arena.failed || (!lost_before && poise__diagnostics_lost(diagnostics));
        if (read && clean && !arena.failed) {
            return &owned->scene;
        }
    }
    if (arena.failed) {
        PoiseMark nowhere = {source->path, 0, 0};
        poise__diagnose(diagnostics, POISE_ERROR, nowhere, "memory is short");
    }
    poise__arena_finish(&arena);
    return NULL;
}

PoiseScene* poise_scene_load(const char* path, PoiseDiagnostics* diagnostics) {
    return poise_scene_load_source(&(PoiseSceneSource){.path = path}, diagnostics);
}

void poise_scene_destroy(PoiseScene* scene) {
    if (scene) {
        Arena arena = ((OwnedScene*)scene)->arena;
        poise__arena_finish(&arena);
    }
}
