// SPDX-License-Identifier: MIT
// URDF: reads the visual shapes of a link. Errors are not reported, since the link's collision
// shapes are drawn instead.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "urdf.h"

void poise__robot_add_look(UrdfReader* reader, UrdfLink* link, const PoiseSceneLook* look,
                           const char* uri) {
    const char* fence = NULL;
    const char* path = poise__robot_find_mesh(reader, uri, &fence);
    if (path) {
        PoiseSceneLook* added = &link->looks[link->look_count++];
        *added = *look;
        added->mesh = path;
        added->fence = fence;
        // The mesh is read later, when the robot is drawn. No output may replace the file until
        // then.
        poise_diagnostics_add_file(reader->document->diagnostics, path);
    }
}

/// Reads numbers of an attribute that may be missing or broken. Returns true if all were there.
static bool some_numbers(const Element* element, const char* key, double* numbers, int count) {
    const Element* attribute = poise__element_find(element, key);
    const char* text = attribute ? attribute->text : "";
    for (int i = 0; i < count; i++) {
        char* end = NULL;
        const double number = strtod(text, &end);
        if (end == text) {
            return false;
        }
        numbers[i] = number;
        text = end;
    }
    return true;
}

static double part_of(double number) {
    return number > 0.0 ? number < 1.0 ? number : 1.0 : 0.0;
}

/// Reads the material's own colour, or the colour of the robot's material with this name.
static void read_colour(const UrdfReader* reader, const Element* visual, double colour[4]) {
    const Element* material = poise__element_find(visual, "material");
    const Element* name = poise__element_find(material, "name");
    const Element* own = poise__element_find(material, "color");
    for (int i = 0; !own && name && i < reader->root->child_count; i++) {
        const Element* other = reader->root->children[i];
        const Element* called = poise__element_find(other, "name");
        if (other->kind == ELEMENT_MAP && strcmp(other->key, "material") == 0 && called &&
            strcmp(called->text, name->text) == 0) {
            own = poise__element_find(other, "color");
        }
    }
    double numbers[4] = {0.0, 0.0, 0.0, 1.0};
    if (own && some_numbers(own, "rgba", numbers, 4)) {
        for (int i = 0; i < 4; i++) {
            colour[i] = part_of(numbers[i]);
        }
    }
}

static bool read_primitive(const Element* geometry, PoiseSceneLook* look) {
    const Element* box = poise__element_find(geometry, "box");
    const Element* sphere = poise__element_find(geometry, "sphere");
    const Element* cylinder = poise__element_find(geometry, "cylinder");
    double size[3] = {0.0, 0.0, 0.0};
    bool read = false;
    if (box) {
        look->kind = POISE_SHAPE_BOX;
        read = some_numbers(box, "size", size, 3) && size[2] > 0.0;
    } else if (sphere) {
        look->kind = POISE_SHAPE_SPHERE;
        read = some_numbers(sphere, "radius", size, 1);
    } else if (cylinder) {
        look->kind = POISE_SHAPE_CYLINDER;
        read = some_numbers(cylinder, "radius", size, 1) &&
               some_numbers(cylinder, "length", size + 1, 1) && size[1] > 0.0;
    }
    look->size = poise_vec3(size[0], size[1], size[2]);
    return read && size[0] > 0.0;
}

// Writes the box of the link's collision shapes in the look's frame.
static void find_box(const UrdfLink* link, PoiseSceneLook* look) {
    const PoisePose frame = poise_pose_inverse(look->in_body);
    double low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        const PoiseVec3 along = poise_vec3(axis == 0, axis == 1, axis == 2);
        low[axis] = (double)INFINITY;
        high[axis] = -(double)INFINITY;
        for (int i = 0; i < link->shape_count; i++) {
            double span[2];
            poise__shape_span(&link->shapes[i], frame, along, span);
            low[axis] = fmin(low[axis], span[0]);
            high[axis] = fmax(high[axis], span[1]);
        }
    }
    look->low = poise_vec3(low[0], low[1], low[2]);
    look->high = poise_vec3(high[0], high[1], high[2]);
}

static void read_visual(UrdfReader* reader, UrdfLink* link, const Element* visual) {
    const Element* geometry = poise__element_find(visual, "geometry");
    const Element* mesh = poise__element_find(geometry, "mesh");
    const Element* file = poise__element_find(mesh, "filename");
    double scale[3] = {1.0, 1.0, 1.0};
    PoiseSceneLook look = {.in_body = poise__urdf_origin(reader, visual)};
    read_colour(reader, visual, look.colour);
    if (file) {
        (void)some_numbers(mesh, "scale", scale, 3);
        look.scale = poise_vec3(scale[0], scale[1], scale[2]);
        if (link->touches) {
            find_box(link, &look);
        }
        poise__robot_add_look(reader, link, &look, file->text);
    } else if (read_primitive(geometry, &look)) {
        link->looks[link->look_count++] = look;
    }
}

void poise__urdf_read_looks(UrdfReader* reader, UrdfLink* link) {
    const Element* element = link->element;
    link->looks = poise__arena_allocate(reader->document->arena, (size_t)element->child_count + 1,
                                        sizeof *link->looks);
    for (int i = 0; link->looks && i < element->child_count; i++) {
        const Element* child = element->children[i];
        if (child->kind == ELEMENT_MAP && strcmp(child->key, "visual") == 0) {
            read_visual(reader, link, child);
        }
    }
}
