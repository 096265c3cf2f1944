// SPDX-License-Identifier: MIT
// MJCF: computes the shape of a geom from its type and size, or from its mesh.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mjcf.h"

static const MjcfKind kinds[] = {
    {"sphere", POISE_SHAPE_SPHERE, 1, false},     {"capsule", POISE_SHAPE_CAPSULE, 2, false},
    {"cylinder", POISE_SHAPE_CYLINDER, 2, false}, {"box", POISE_SHAPE_BOX, 3, false},
    {"ellipsoid", POISE_SHAPE_BOX, 3, true},      {"plane", (PoiseShapeKind)0, 0, false},
    {"hfield", (PoiseShapeKind)0, 0, false},      {"mesh", (PoiseShapeKind)0, 0, false},
    {"sdf", (PoiseShapeKind)0, 0, false},
};

static const MjcfKind* find_kind(MjcfReader* reader, const Element* geom, int class_index) {
    const char* word = poise__mjcf_text((MjcfSource){reader, geom, class_index}, "type");
    if (!word && poise__mjcf_holder((MjcfSource){reader, geom, class_index}, "mesh")) {
        word = "mesh";
    }
    word = word ? word : "sphere";
    Suggestion suggestion = poise__suggestion_for(reader->base.document->diagnostics, word);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(word, kinds[i].word) == 0) {
            return &kinds[i];
        }
        poise__suggestion_offer_word(&suggestion, kinds[i].word);
    }
    char guess[80];
    poise__diagnose(reader->base.document->diagnostics, POISE_ERROR, geom->mark,
                    "'%.60s' is no type of geom%s", word,
                    poise__suggestion_text(&suggestion, guess, sizeof guess));
    return NULL;
}

// Reads `fromto`: `half` gets half the distance of its two ends, and the shape the pose between
// them.
static bool read_ends(MjcfGeom* geom, double* half) {
    double ends[6] = {0.0};
    if (!poise__mjcf_numbers(geom->from, "fromto", ends, 6)) {
        return false;
    }
    PoiseVec3 from = poise_vec3(ends[0], ends[1], ends[2]);
    PoiseVec3 to = poise_vec3(ends[3], ends[4], ends[5]);
    PoiseVec3 axis = poise_sub(to, from);
    *half = 0.5 * poise_length(axis);
    geom->shape.in_body =
        poise_pose(poise_scale(0.5, poise_add(from, to)), poise__mjcf_turn_to(axis));
    if (geom->kind->shape == POISE_SHAPE_SPHERE) {
        return poise__mjcf_refuse(geom->from.reader->base.document, geom->from.element->mark,
                                  "a sphere has no 'fromto'");
    }
    return *half > 0.0 ||
           poise__mjcf_refuse(geom->from.reader->base.document, geom->from.element->mark,
                              "the two ends of 'fromto' are one place");
}

// Reads the sizes. MJCF has half sizes, Poise full sizes; `fromto` gives the pose and a length.
// Returns false if there is no shape.
static bool read_size(MjcfGeom* geom) {
    double size[3] = {0.0, 0.0, 0.0};
    PoiseShapeKind kind = geom->kind->shape;
    bool between = poise__mjcf_holder(geom->from, "fromto") != NULL;
    int last = kind == POISE_SHAPE_BOX ? 2 : 1;
    int needed = between ? 1 : geom->kind->sizes;
    int given = poise__mjcf_some_numbers(geom->from, "size", size, 3);
    if (given >= 0 && given < needed) {
        return poise__mjcf_refuse(geom->from.reader->base.document, geom->from.element->mark,
                                  "a geom's 'size' is missing or too short");
    }
    if (given < 0 || (between && !read_ends(geom, &size[last]))) {
        return false;
    }
    if (between && last == 2) {
        size[1] = size[0]; // ignores a second size, as MuJoCo does
    }
    for (int i = 0; i < needed; i++) {
        if (size[i] < 0.0) {
            return poise__mjcf_refuse(geom->from.reader->base.document, geom->from.element->mark,
                                      "a geom's 'size' must be above 0, not %g", size[i]);
        }
        if (!(size[i] > 0.0)) {
            poise__mjcf_note(geom->from.reader, POISE_NOTE, geom->from.element,
                             "without a size is left out: it has no volume");
            return false;
        }
    }
    geom->shape.size =
        kind == POISE_SHAPE_BOX
            ? poise_vec3(2.0 * size[0], 2.0 * size[1], 2.0 * size[2])
            : poise_vec3(size[0], kind == POISE_SHAPE_SPHERE ? 0.0 : 2.0 * size[1], 0.0);
    return true;
}

// Replaces an ellipsoid by a capsule or ball of the same volume, because ODE has no ellipsoid.
static void replace_ellipsoid(PoiseSceneShape* shape) {
    double half[3] = {0.5 * shape->size.x, 0.5 * shape->size.y, 0.5 * shape->size.z};
    int along = half[0] > half[1] ? (half[0] > half[2] ? 0 : 2) : (half[1] > half[2] ? 1 : 2);
    double across = sqrt(half[(along + 1) % 3] * half[(along + 2) % 3]);
    PoiseVec3 axis = poise_vec3(along == 0, along == 1, along == 2);
    shape->in_body.q = poise_quat_mul(shape->in_body.q, poise__mjcf_turn_to(axis));
    bool round = half[along] - across < 1e-9 * across;
    // Volume / pi: 4/3 r^2 a = r^2 l + 4/3 r^3.
    shape->kind = round ? POISE_SHAPE_SPHERE : POISE_SHAPE_CAPSULE;
    shape->size = poise_vec3(across, round ? 0.0 : 4.0 / 3.0 * (half[along] - across), 0.0);
}

// Returns the half sides of the box with the mesh's inertia; z is the longest.
static PoiseVec3 box_of_inertia(const MassProperties* body) {
    double moments[3];
    poise__inertia_principal(body->inertia, moments, NULL);
    double half[3];
    for (int i = 0; i < 3; i++) {
        double rest = moments[(i + 1) % 3] + moments[(i + 2) % 3] - moments[i];
        half[i] = 0.5 * sqrt(6.0 * fmax(rest, 0.0) / body->mass);
    }
    return poise_vec3(half[2], half[1], half[0]);
}

// Fits a primitive to a mesh by MuJoCo's rule, from the box with the same inertia.
static void fit_to_mesh(MjcfGeom* geom, const MeshSolid* mesh) {
    PoiseVec3 half = box_of_inertia(&mesh->mass);
    double across = 0.5 * (half.x + half.y);
    switch (geom->kind->shape) {
    case POISE_SHAPE_SPHERE:
        geom->shape.size = poise_vec3((half.x + half.y + half.z) / 3.0, 0.0, 0.0);
        break;
    case POISE_SHAPE_CAPSULE:
        geom->shape.size = poise_vec3(across, 2.0 * fmax(0.0, half.z - 0.5 * across), 0.0);
        break;
    case POISE_SHAPE_CYLINDER:
        geom->shape.size = poise_vec3(across, 2.0 * half.z, 0.0);
        break;
    default:
        geom->shape.size = poise_scale(2.0, half);
        break;
    }
    PoisePose inner = poise_pose(mesh->mass.com, poise__inertia_turn(mesh->mass.inertia));
    geom->shape.in_body = poise_pose_mul(geom->shape.in_body, inner);
}

static bool read_mesh(MjcfGeom* geom, const char* name) {
    PoisePose frame = poise_pose_identity();
    const MeshSolid* mesh = poise__mjcf_mesh(geom->from.reader, geom->from.element, name, &frame);
    if (!mesh) {
        return false;
    }
    const PoisePose pose = poise_pose_mul(geom->shape.in_body, frame);
    if (geom->kind->shape) {
        geom->shape.in_body = pose;
        fit_to_mesh(geom, mesh);
        return true;
    }
    geom->solid = poise__mass_moved(mesh->mass, pose);
    geom->shape.kind = mesh->shape.kind;
    geom->shape.size = mesh->shape.size;
    geom->shape.hull = mesh->shape.hull;
    geom->shape.in_body = poise_pose_mul(pose, mesh->shape.in_body);
    return true;
}

bool poise__mjcf_geom_kind(MjcfGeom* geom) {
    geom->kind = find_kind(geom->from.reader, geom->from.element, geom->from.class_index);
    return geom->kind != NULL;
}

bool poise__mjcf_geom_shape(MjcfGeom* geom, PoisePose frame) {
    const char* mesh = poise__mjcf_text(geom->from, "mesh");
    geom->shape.kind = geom->kind->shape;
    geom->shape.in_body = poise__mjcf_pose(geom->from);
    if (!mesh && !geom->kind->shape) {
        char why[80];
        snprintf(why, sizeof why, "of type %s is not read", geom->kind->word);
        poise__mjcf_note(geom->from.reader, POISE_WARNING, geom->from.element, why);
        return false;
    }
    if (mesh ? !read_mesh(geom, mesh) : !read_size(geom)) {
        return false;
    }
    geom->shape.in_body = poise_pose_mul(frame, geom->shape.in_body);
    if (!geom->kind->shape) {
        geom->solid = poise__mass_moved(geom->solid, frame);
        return true;
    }
    MassProperties own = geom->kind->ellipsoid ? poise__mass_of_ellipsoid(geom->shape.size, 1.0)
                                               : poise__mass_of_shape(&geom->shape, 1.0);
    geom->solid = poise__mass_moved(own, geom->shape.in_body);
    if (geom->kind->ellipsoid) {
        replace_ellipsoid(&geom->shape);
        poise__mjcf_note(geom->from.reader, POISE_NOTE, geom->from.element,
                         "of type ellipsoid touches as a capsule of its volume");
    }
    return true;
}
