// SPDX-License-Identifier: MIT
// URDF: reads the shapes of a link: its collision elements, or else its visual elements. A link
// whose meshes cannot be read gets a box of its size.
#include <math.h>
#include <string.h>

#include "urdf.h"

// Margin of that box beyond the link's joints: this part of their extent, and at least BOX_LEAST
// (m).
#define BOX_MARGIN 0.1
#define BOX_LEAST  0.03
// Largest size of a shape, m.
#define LARGEST 1e6

// True if the shape has no volume, which is reported.
static bool is_empty(UrdfReader* reader, const Element* element, double size) {
    if (size == 0.0) {
        poise__diagnose_kind(
            reader->document->diagnostics, (FindingKind){POISE_NOTE, "no volume"}, element->mark,
            "a <%.60s> without a size is left out: it has no volume", element->key);
    }
    return size == 0.0;
}

static bool read_size(UrdfReader* reader, const Element* element, const char* key, double* size) {
    if (!poise__urdf_number(reader, element, key, size) || is_empty(reader, element, *size)) {
        return false;
    }
    if (!(*size > 0.0 && *size <= LARGEST)) {
        poise__diagnose(reader->document->diagnostics, POISE_ERROR,
                        poise__element_find(element, key)->mark,
                        "'%s' must be above 0 and at most %g, not %g", key, LARGEST, *size);
        return false;
    }
    return true;
}

static bool read_box(UrdfReader* reader, const Element* element, PoiseSceneShape* shape) {
    double size[3];
    if (!poise__urdf_numbers(reader, element, "size", size, 3) ||
        is_empty(reader, element, fabs(size[0]) * fabs(size[1]) * fabs(size[2]))) {
        return false;
    }
    bool small = size[0] <= LARGEST && size[1] <= LARGEST && size[2] <= LARGEST;
    if (!(size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0) || !small) {
        poise__diagnose(reader->document->diagnostics, POISE_ERROR,
                        poise__element_find(element, "size")->mark,
                        "the sides of a box must be above 0 and at most %g", LARGEST);
        return false;
    }
    shape->kind = POISE_SHAPE_BOX;
    shape->size = poise_vec3(size[0], size[1], size[2]);
    return true;
}

// Reads a primitive. Returns false if the geometry is none.
static bool read_primitive(UrdfReader* reader, const Element* holder, PoiseSceneShape* shape) {
    const Element* geometry = poise__element_find(holder, "geometry");
    const Element* box = poise__element_find(geometry, "box");
    const Element* sphere = poise__element_find(geometry, "sphere");
    const Element* cylinder = poise__element_find(geometry, "cylinder");
    const Element* capsule = poise__element_find(geometry, "capsule");
    memset(shape, 0, sizeof *shape);
    shape->in_body = poise__urdf_origin(reader, holder);
    shape->size = poise_vec3(0.0, 0.0, 0.0);
    shape->category = UINT32_MAX;
    shape->collide = UINT32_MAX;
    if (box) {
        return read_box(reader, box, shape);
    }
    if (sphere) {
        shape->kind = POISE_SHAPE_SPHERE;
        return read_size(reader, sphere, "radius", &shape->size.x);
    }
    const Element* round = cylinder ? cylinder : capsule;
    if (round) {
        shape->kind = cylinder ? POISE_SHAPE_CYLINDER : POISE_SHAPE_CAPSULE;
        bool radius = read_size(reader, round, "radius", &shape->size.x);
        bool length = read_size(reader, round, "length", &shape->size.y);
        return radius && length;
    }
    return false;
}

void poise__urdf_add_shape(UrdfLink* link, PoiseSceneShape shape, MassProperties solid) {
    link->shapes[link->shape_count++] = shape;
    link->solid = poise__mass_sum(link->solid, solid);
}

static const Element* mesh_of(const Element* holder) {
    return poise__element_find(poise__element_find(holder, "geometry"), "mesh");
}

static void read_mesh(UrdfReader* reader, UrdfLink* link, const Element* holder) {
    const Element* element = mesh_of(holder);
    double scale[3] = {1.0, 1.0, 1.0};
    const Element* file = poise__element_find(element, "filename");
    if (poise__element_find(element, "scale") &&
        !poise__urdf_numbers(reader, element, "scale", scale, 3)) {
        return;
    }
    const MeshSolid* mesh = poise__robot_mesh(reader, element, file ? file->text : "",
                                              poise_vec3(scale[0], scale[1], scale[2]));
    if (mesh) {
        PoisePose origin = poise__urdf_origin(reader, holder);
        PoiseSceneShape shape = mesh->shape;
        shape.in_body = poise_pose_mul(origin, shape.in_body);
        poise__urdf_add_shape(link, shape, poise__mass_moved(mesh->mass, origin));
    }
}

static void read_holders(UrdfReader* reader, UrdfLink* link, const char* key) {
    const Element* element = link->element;
    for (int i = 0; link->shapes && i < element->child_count; i++) {
        const Element* child = element->children[i];
        PoiseSceneShape shape;
        if (child->kind != ELEMENT_MAP || strcmp(child->key, key) != 0) {
            continue;
        }
        if (mesh_of(child)) {
            read_mesh(reader, link, child);
        } else if (read_primitive(reader, child, &shape)) {
            poise__urdf_add_shape(
                link, shape, poise__mass_moved(poise__mass_of_shape(&shape, 1.0), shape.in_body));
        }
    }
}

static const Element* find_mesh(const UrdfLink* link) {
    const Element* mesh = NULL;
    for (int i = 0; i < link->element->child_count && !mesh; i++) {
        mesh = mesh_of(link->element->children[i]);
    }
    return mesh;
}

// Returns the box around the link's origin, its centre of mass and the joints it carries.
static PoiseSceneShape box_of_link(const UrdfRobot* robot, const UrdfLink* link) {
    double low[3] = {0.0, 0.0, 0.0};
    double high[3] = {0.0, 0.0, 0.0};
    int index = (int)(link - robot->links);
    for (int i = -1; i < robot->joint_count; i++) {
        if (i >= 0 && robot->joints[i].parent != index) {
            continue;
        }
        PoiseVec3 place = i < 0 ? link->mass.com : robot->joints[i].origin.p;
        double at[3] = {place.x, place.y, place.z};
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    double extent = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    double margin = fmax(BOX_LEAST, BOX_MARGIN * extent);
    PoiseSceneShape box = {.kind = POISE_SHAPE_BOX,
                           .in_body = poise_pose_identity(),
                           .category = UINT32_MAX,
                           .collide = UINT32_MAX};
    box.size = poise_vec3(high[0] - low[0] + 2.0 * margin, high[1] - low[1] + 2.0 * margin,
                          high[2] - low[2] + 2.0 * margin);
    box.in_body.p =
        poise_vec3(0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]));
    return box;
}

void poise__urdf_read_shapes(UrdfReader* reader, UrdfLink* link) {
    size_t most = (size_t)link->element->child_count + 1;
    link->shapes = poise__arena_allocate(reader->document->arena, most, sizeof *link->shapes);
    read_holders(reader, link, "collision");
    link->touches = link->shape_count > 0;
    if (link->shape_count == 0) {
        read_holders(reader, link, "visual");
    }
    const Element* mesh = find_mesh(link);
    if (!link->shapes || link->shape_count > 0 || !mesh) {
        return;
    }
    PoiseSceneShape box = box_of_link(reader->robot, link);
    poise__urdf_add_shape(link, box,
                          poise__mass_moved(poise__mass_of_shape(&box, 1.0), box.in_body));
    if (reader->document->mesh_cost) {
        poise__diagnose_kind(reader->document->diagnostics,
                             (FindingKind){POISE_WARNING, "box of a link"}, mesh->mark,
                             "a box of its size stands for link '%.60s', whose mesh is not read",
                             link->name);
    }
}
