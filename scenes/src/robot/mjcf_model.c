// SPDX-License-Identifier: MIT
// MJCF: opens a model: its settings, default classes and assets, and the models that it names by
// <model>. Finds what <attach> adds: a body of such a model, or its whole world. Added names get a
// prefix; an added model keeps its own compiler, default classes and assets.
#include <string.h>

#include "file_path.h"
#include "input.h"
#include "mjcf.h"
#include "number.h"

// Largest number of models of a robot, and of elements of all that is attached: each copy is read
// anew.
#define MAX_MODELS            100
#define MAX_ATTACHED_ELEMENTS 1000000
// Largest number of levels of nested classes, and of settings of a class. More would make lookups
// slow.
#define DEEPEST_CLASS      32
#define MAX_CLASS_SETTINGS 64

// ---------------------------------------------------------------------------- compiler and option

static void read_compiler(MjcfReader* reader, const Element* compiler) {
    static const Attribute fields[] = {
        ATTRIBUTE("autolimits", MjcfModel, auto_limits, ATTRIBUTE_UNLESS_FALSE, 1),
        ATTRIBUTE("assetdir", MjcfModel, mesh_folder, ATTRIBUTE_TEXT, 1),
        ATTRIBUTE("meshdir", MjcfModel, mesh_folder, ATTRIBUTE_TEXT, 1),
        ATTRIBUTE("strippath", MjcfModel, strip_path, ATTRIBUTE_IF_TRUE, 1),
        ATTRIBUTE("inertiafromgeom", MjcfModel, mass_from_geoms, ATTRIBUTE_IF_TRUE, 1),
        ATTRIBUTE("balanceinertia", MjcfModel, balance, ATTRIBUTE_IF_TRUE, 1),
        ATTRIBUTE("inertiagrouprange", MjcfModel, mass_groups, ATTRIBUTE_NUMBERS, 2),
        ATTRIBUTE("settotalmass", MjcfModel, total_mass, ATTRIBUTE_NUMBERS, 1),
        ATTRIBUTE("boundmass", MjcfModel, least_mass, ATTRIBUTE_NUMBERS, 1),
        ATTRIBUTE("boundinertia", MjcfModel, least_moment, ATTRIBUTE_NUMBERS, 1),
        ATTRIBUTES_END};
    MjcfModel* model = reader->model;
    const Element* angle = poise__element_find(compiler, "angle");
    const Element* coordinate = poise__element_find(compiler, "coordinate");
    const Element* sequence = poise__element_find(compiler, "eulerseq");
    if (angle && strcmp(angle->text, "radian") == 0) {
        model->angle_unit = 1.0;
    } else if (angle && strcmp(angle->text, "degree") == 0) {
        model->angle_unit = PI / 180.0;
    } else if (angle) {
        poise__robot_refuse(&reader->base, angle->mark,
                            "'angle' must be degree or radian, not '%.60s'", angle->text);
    }
    if (coordinate && strcmp(coordinate->text, "local") != 0) {
        poise__robot_refuse(&reader->base, coordinate->mark,
                            "coordinates must be local, not '%.60s'", coordinate->text);
    }
    poise__tag_fill((Source){&reader->base, compiler, NULL}, fields, model);
    if (sequence && strlen(sequence->text) == 3 && strspn(sequence->text, "xyzXYZ") == 3) {
        memcpy(model->euler, sequence->text, 3);
    } else if (sequence) {
        poise__robot_refuse(&reader->base, sequence->mark,
                            "'eulerseq' must be three of x, y, z, X, Y, Z, not '%.60s'",
                            sequence->text);
    }
}

static void read_option(MjcfReader* reader, const Element* option) {
    RobotWorld* world = &reader->base.robot->world;
    const Source from = {&reader->base, option, NULL};
    const Element* timestep = poise__element_find(option, "timestep");
    const char* pull = poise__tag_own_text(poise__element_find(option, "flag"), "gravity");
    double gravity[3] = {0.0, 0.0, -9.81};
    double step = 1.0;
    if (poise__tag_numbers(from, "gravity", gravity, 3) && poise__element_find(option, "gravity")) {
        world->has_gravity = true;
        world->gravity = poise_vec3(gravity[0], gravity[1], gravity[2]);
    }
    if (pull) {
        reader->gravity_off = strcmp(pull, "disable") == 0;
    }
    if (timestep && poise__tag_numbers(from, "timestep", &step, 1)) {
        world->step = step > 0.0 ? step : world->step;
        if (!(step > 0.0)) {
            poise__robot_refuse(&reader->base, timestep->mark, "'timestep' must be above 0, not %g",
                                step);
        }
    }
}

// ------------------------------------------------------------------------------- default classes

static RobotClass* add_class(MjcfReader* reader, const char* name, const RobotClass* parent) {
    MjcfModel* model = reader->model;
    RobotClass* added = poise__arena_allocate(reader->base.arena, 1, sizeof *added);
    if (!added || !ARENA_GROW(reader->base.arena, model, classes, class) ||
        !poise__names_add(&model->class_names, name, model->class_count)) {
        return NULL;
    }
    added->name = name;
    added->parent = parent;
    added->depth = parent ? parent->depth + 1 : 0;
    model->classes[model->class_count++] = added;
    return added;
}

static bool read_class(MjcfReader* reader, const Element* element, RobotClass* class);

// Reads a <default> inside another <default>: it is a class of its own, within the outer class.
static bool read_inner(MjcfReader* reader, const Element* element, const RobotClass* parent) {
    const Element* name = poise__element_find(element, "class");
    if (!name) {
        return poise__robot_refuse(&reader->base, element->mark,
                                   "a <default> inside another lacks its 'class'");
    }
    if (poise__names_find(&reader->model->class_names, name->text) >= 0) {
        return poise__robot_refuse(&reader->base, name->mark,
                                   "a second default class is named '%.60s'", name->text);
    }
    if (parent->depth >= DEEPEST_CLASS) {
        return poise__robot_refuse(&reader->base, name->mark,
                                   "default class '%.60s' stands more than 32 deep in others",
                                   name->text);
    }
    RobotClass* class = add_class(reader, name->text, parent);
    return class && read_class(reader, element, class);
}

static bool read_class(MjcfReader* reader, const Element* element, RobotClass* class) {
    const Element* child;
    for (int i = 0; (child = poise__tag_next(element, NULL, &i));) {
        if (poise__tag_is(child, "default")) {
            if (!read_inner(reader, child, class)) {
                return false;
            }
            continue;
        }
        if (class->setting_count >= MAX_CLASS_SETTINGS) {
            return poise__robot_refuse(&reader->base, child->mark,
                                       "default class '%.60s' has more than 64 settings",
                                       class->name);
        }
        if (!ARENA_GROW(reader->base.arena, class, settings, setting)) {
            return false;
        }
        class->settings[class->setting_count++] = child;
    }
    return true;
}

static void read_settings(MjcfReader* reader) {
    MjcfModel* model = reader->model;
    RobotClass* main = add_class(reader, "main", NULL);
    const Element* child;
    model->angle_unit = PI / 180.0;
    memcpy(model->euler, "xyz", 4);
    model->auto_limits = true;
    model->mass_groups[1] = 5.0;
    model->total_mass = -1.0;
    for (int i = 0; main && (child = poise__tag_next(model->root, NULL, &i));) {
        if (poise__tag_is(child, "compiler")) {
            read_compiler(reader, child);
        } else if (poise__tag_is(child, "option") && !model->around) {
            read_option(reader, child);
        } else if (poise__tag_is(child, "default")) {
            // All outermost <default> elements together form the main class, whatever their names.
            const char* name = poise__tag_own_text(child, "class");
            if (name && poise__names_find(&model->class_names, name) < 0) {
                poise__names_add(&model->class_names, name, 0);
            }
            read_class(reader, child, main);
        }
    }
    if (reader->gravity_off) {
        reader->base.robot->world.has_gravity = true;
        reader->base.robot->world.gravity = poise_vec3(0.0, 0.0, 0.0);
    }
}

// ------------------------------------------------------------------------------------------ assets

// Writes the pose of the mesh's points in the geom's frame. MuJoCo subtracts `refpos` from the
// points, rotates them by the inverse of `refquat`, then scales; here the points are scaled first.
static void set_frame(MjcfReader* reader, MjcfMesh* mesh) {
    const double* turn = mesh->refquat;
    const double* s = mesh->scale;
    const bool turned = turn[1] != 0.0 || turn[2] != 0.0 || turn[3] != 0.0;
    if (turned && (s[0] != s[1] || s[1] != s[2])) {
        poise__robot_note(
            &reader->base, POISE_WARNING, mesh->element,
            "has a 'refquat' and a 'scale' that differs by axis: scaled, then turned");
    }
    const PoiseQuat q = poise_quat(turn[0], turn[1], turn[2], turn[3]);
    const PoiseVec3 p =
        poise_vec3(s[0] * mesh->refpos[0], s[1] * mesh->refpos[1], s[2] * mesh->refpos[2]);
    mesh->frame.q = turned ? poise_quat_conjugate(poise_quat_normalize(q)) : poise_quat_identity();
    mesh->frame.p = poise_scale(-1.0, poise_quat_rotate(mesh->frame.q, p));
}

static void add_mesh(MjcfReader* reader, const Element* element) {
    static const Attribute fields[] = {
        ATTRIBUTE("scale", MjcfMesh, scale, ATTRIBUTE_NUMBERS, 3),
        ATTRIBUTE("inertia", MjcfMesh, inertia, ATTRIBUTE_TEXT, 1),
        ATTRIBUTE("refpos", MjcfMesh, refpos, ATTRIBUTE_NUMBERS, 3),
        ATTRIBUTE("refquat", MjcfMesh, refquat, ATTRIBUTE_NUMBERS, 4), ATTRIBUTES_END};
    MjcfModel* model = reader->model;
    MjcfMesh mesh = {.element = element,
                     .file = poise__tag_own_text(element, "file"),
                     .scale = {1.0, 1.0, 1.0},
                     .refquat = {1.0, 0.0, 0.0, 0.0}};
    const char* name = poise__tag_own_text(element, "name");
    if (!poise__tag_fill(poise__mjcf_source(reader, element), fields, &mesh)) {
        return;
    }
    set_frame(reader, &mesh);
    if (!name && mesh.file) {
        // A mesh without a name is called after its file, without folder and ending.
        const char* slash = strrchr(mesh.file, '/');
        const char* stem = slash ? slash + 1 : mesh.file;
        const char* dot = strrchr(stem, '.');
        name =
            poise__arena_copy(reader->base.arena, stem, dot ? (size_t)(dot - stem) : strlen(stem));
    }
    if (name && poise__names_find(&model->mesh_names, name) >= 0) {
        poise__robot_refuse(&reader->base, element->mark, "a second mesh is named '%.60s'", name);
        return;
    }
    if (name && ARENA_GROW(reader->base.arena, model, meshes, mesh) &&
        poise__names_add(&model->mesh_names, name, model->mesh_count)) {
        model->meshes[model->mesh_count++] = mesh;
    }
}

static bool refuse(MjcfReader* reader, const Element* element, const char* name, const char* why) {
    return poise__robot_refuse(&reader->base, element->mark, "<%.20s> '%.200s' %s", element->key,
                               name, why);
}

// Returns the root of the file that a <model> names, and writes the file's document; NULL with an
// error.
static Element* read_file(MjcfReader* reader, const Element* element, Document* document) {
    const char* file = poise__tag_own_text(element, "file");
    const char* name = file ? file : "";
    const char* path = poise__mjcf_find_file(document, element, name);
    bool fine = path || refuse(reader, element, name, "is not found");
    const char* identity = fine ? poise__path_identity(document->arena, path) : NULL;
    fine = identity != NULL;
    for (const MjcfModel* model = reader->model; model && fine; model = model->around) {
        const char* around = poise__path_identity(document->arena, model->document.file);
        fine = around &&
               (strcmp(around, identity) != 0 || refuse(reader, element, name, "attaches itself"));
    }
    fine = fine && (++reader->model_count < MAX_MODELS ||
                    refuse(reader, element, name, "is one model more than the 100 of a robot"));
    size_t size = 0;
    const char* text =
        fine ? poise__file_read(document->arena, path, &size, element->mark, document->diagnostics)
             : NULL;
    reader->bytes += size;
    document->file = path;
    Element* root = text ? poise__xml_read(document, text, size) : NULL;
    return !root || strcmp(root->key, "mujoco") == 0 ||
                   refuse(reader, element, name, "is no model of MuJoCo's")
               ? root
               : NULL;
}

static void add_model(MjcfReader* reader, const Element* element) {
    MjcfModel* around = reader->model;
    Document document = around->document;
    Element* root = read_file(reader, element, &document);
    MjcfModel* model = root ? poise__mjcf_open(reader, &document, root, around) : NULL;
    if (model) {
        const char* name = poise__tag_own_text(element, "name");
        name = name ? name : poise__tag_own_text(root, "model");
        model->name = name ? name : "";
        model->next = around->models;
        around->models = model;
    }
    poise__mjcf_enter(reader, around);
}

void poise__mjcf_enter(MjcfReader* reader, MjcfModel* model) {
    reader->model = model;
    reader->base.document = &model->document;
    reader->base.root = model->root;
}

MjcfModel* poise__mjcf_open(MjcfReader* reader, const Document* document, Element* root,
                            MjcfModel* around) {
    Arena* arena = document->arena;
    MjcfModel* model = poise__arena_allocate(arena, 1, sizeof *model);
    const Element* section;
    const Element* asset;
    if (!model) {
        return NULL;
    }
    model->document = *document;
    model->root = root;
    model->around = around;
    model->class_names.arena = arena;
    model->mesh_names.arena = arena;
    model->material_names.arena = arena;
    if (!poise__mjcf_include(reader, model)) {
        return NULL;
    }
    poise__mjcf_enter(reader, model);
    read_settings(reader);
    for (int i = 0; (section = poise__tag_next(root, "asset", &i));) {
        for (int k = 0; (asset = poise__tag_next(section, NULL, &k));) {
            const char* name = poise__tag_own_text(asset, "name");
            if (poise__tag_is(asset, "mesh")) {
                add_mesh(reader, asset);
            } else if (poise__tag_is(asset, "model")) {
                add_model(reader, asset);
            } else if (poise__tag_is(asset, "material") && name &&
                       ARENA_GROW(arena, model, materials, material) &&
                       poise__names_add(&model->material_names, name, model->material_count)) {
                model->materials[model->material_count++] = asset;
            }
        }
    }
    return model;
}

// ------------------------------------------------------------------------------------------ attach

static void collect_names(MjcfReader* reader, const Element* element, const char* prefix) {
    const Element* child;
    for (int i = 0; (child = poise__tag_next(element, NULL, &i));) {
        const char* name = poise__tag_is(child, "body") ? poise__tag_own_text(child, "name") : NULL;
        const char* whole =
            name ? poise__arena_format(reader->base.arena, "%s%s", prefix, name) : NULL;
        if (whole) {
            poise__names_add(&reader->body_names, whole, 1);
        }
        collect_names(reader, child, prefix);
    }
}

Element* poise__mjcf_world(MjcfReader* reader, const char* prefix) {
    Document* document = reader->base.document;
    const Element* root = reader->model->root;
    Element* world = poise__element_create(document, ELEMENT_MAP, root->mark);
    const Element* section;
    for (int i = 0; world && (section = poise__tag_next(root, "worldbody", &i));) {
        for (int k = 0; k < section->child_count; k++) {
            if (!poise__element_add(document, world, section->children[k])) {
                return NULL;
            }
        }
    }
    if (world) {
        world->key = "worldbody";
        collect_names(reader, world, prefix);
    }
    return world;
}

// Finds the body below the element; `class` gets the class that is inherited there.
static const Element* find_body(MjcfReader* reader, const Element* element, const char* name,
                                const RobotClass** class) {
    const Element* child;
    for (int i = 0; (child = poise__tag_next(element, NULL, &i));) {
        const char* own = poise__tag_is(child, "body") ? poise__tag_own_text(child, "name") : NULL;
        if (own && strcmp(own, name) == 0) {
            return child;
        }
        const RobotClass* inner = poise__mjcf_class(reader, child, "childclass", *class);
        const Element* found = find_body(reader, child, name, &inner);
        if (found) {
            *class = inner;
            return found;
        }
    }
    return NULL;
}

MjcfPart poise__mjcf_attach(MjcfReader* reader, const MjcfPart* part) {
    const char* given = poise__tag_own_text(part->element, "model");
    const char* body = poise__tag_own_text(part->element, "body");
    const char* prefix = poise__tag_own_text(part->element, "prefix");
    const char* name = given ? given : "";
    Arena* arena = reader->base.arena;
    MjcfPart added = *part;
    added.element = NULL;
    added.model = reader->model->models;
    while (added.model && strcmp(added.model->name, name) != 0) {
        added.model = added.model->next;
    }
    if (!added.model) {
        refuse(reader, part->element, name, "names no <model> of the assets");
        return added;
    }
    reader->attached_weight += added.model->root->weight;
    if (reader->attached_weight > MAX_ATTACHED_ELEMENTS) {
        refuse(reader, part->element, name, "is one copy too many: more than 1,000,000 elements");
        return added;
    }
    added.prefix = poise__arena_format(arena, "%s%.100s", part->prefix, prefix ? prefix : "");
    const bool room = ARENA_GROW(arena, reader, attached, attached) != NULL;
    poise__mjcf_enter(reader, added.model);
    const Element* world = added.prefix && room ? poise__mjcf_world(reader, added.prefix) : NULL;
    if (!world || added.model->class_count == 0) {
        return added;
    }
    added.class = added.model->classes[0];
    reader->attached[reader->attached_count++] = (MjcfAttached){added.model, added.prefix, !body};
    added.element = body ? find_body(reader, world, body, &added.class) : world;
    if (!added.element) {
        refuse(reader, part->element, name, "has no such body");
    }
    return added;
}
