// SPDX-License-Identifier: MIT
// URDF: reads links and joints, then sorts the tree, then reads the links' shapes: the collision
// elements, or else the visual elements. A link whose meshes cannot be read gets a box of its size.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "poise/rotation.h"
#include "robot.h"

// Largest number of links and of joints of a robot.
#define MAX_URDF_PARTS 10000
// Largest distance of a frame, m. Beyond it, rounding errors disturb the physics.
#define FARTHEST 1e5
// Largest distance of a joint from its parent's frame, m. A larger number is probably in
// millimetres.
#define MAX_JOINT_DISTANCE 100.0
// Largest size of a shape, m.
#define LARGEST_SHAPE 1e6
// Margin of a box that replaces a link's mesh: this fraction of its extent, and at least BOX_LEAST
// (m).
#define BOX_MARGIN 0.1
#define BOX_LEAST  0.03

// ----------------------------------------------------------------------------------- attributes

// Returns a child element, as distinct from an attribute; NULL if missing.
static const Element* find_map(const Element* element, const char* tag) {
    const Element* child = poise__element_find(element, tag);
    return child && child->kind == ELEMENT_MAP ? child : NULL;
}

// Reads numbers into `values` unless the attribute is missing or empty.
static void read_filled(RobotReader* reader, const Element* element, const char* key,
                        double values[3]) {
    const char* text = poise__tag_own_text(element, key);
    if (text && text[strspn(text, " \t\r\n")]) {
        poise__tag_needed_numbers(reader, element, key, values, 3);
    }
}

// Returns `<origin xyz rpy>` of the element; the identity if missing.
static PoisePose read_origin(RobotReader* reader, const Element* element) {
    const Element* origin = poise__element_find(element, "origin");
    double xyz[3] = {0.0, 0.0, 0.0};
    double rpy[3] = {0.0, 0.0, 0.0};
    read_filled(reader, origin, "xyz", xyz);
    read_filled(reader, origin, "rpy", rpy);
    if (fmax(fabs(xyz[0]), fmax(fabs(xyz[1]), fabs(xyz[2]))) > FARTHEST) {
        poise__robot_refuse(reader, poise__element_find(origin, "xyz")->mark,
                            "'xyz' must not be farther out than 1e5 m");
    }
    const double most = fmax(fabs(rpy[0]), fmax(fabs(rpy[1]), fabs(rpy[2])));
    if (most > ROBOT_MOST_TURN) {
        WARN_KIND(reader, "degrees of rpy", poise__element_find(origin, "rpy")->mark,
                  "a rotation of %g is more than two turns: the angles of a URDF are in "
                  "radians",
                  most);
    }
    const PoiseQuat turn = poise_quat_from_rpy(poise_vec3(rpy[0], rpy[1], rpy[2]));
    return poise_pose(poise_vec3(xyz[0], xyz[1], xyz[2]), poise_quat_normalize(turn));
}

// Reports, once for each kind, child elements that are not among `known` (ended by NULL).
static void note_unknown(RobotReader* reader, const Element* element, const char* owner,
                         const char* const* known) {
    const Element* child;
    for (int i = 0; (child = poise__tag_next(element, NULL, &i));) {
        bool used = false;
        for (int j = 0; known[j] && !used; j++) {
            used = strcmp(child->key, known[j]) == 0;
        }
        if (!used) {
            char kind[160];
            snprintf(kind, sizeof kind, "%.60s %s", child->key, owner);
            NOTE_KIND(reader, kind, child->mark, "<%.60s> in %s is not used", child->key, owner);
        }
    }
}

// ----------------------------------------------------------------------------------------- links

static void read_inertial(RobotReader* reader, const Element* element, RobotLink* link) {
    static const char* const known[] = {"origin", "mass", "inertia", NULL};
    static const char* const moments[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    MassProperties body = {0.0, {0.0, 0.0, 0.0}, {0.0}};
    const Element* mass = poise__element_find(element, "mass");
    const Element* inertia = poise__element_find(element, "inertia");
    note_unknown(reader, element, "an inertial", known);
    if (mass && poise__tag_needed_numbers(reader, mass, "value", &body.mass, 1) &&
        body.mass < 0.0) {
        poise__robot_refuse(reader, mass->mark, "the mass of link '%s' must be at least 0, not %g",
                            link->name, body.mass);
    }
    // Products of inertia are optional, moments are not.
    for (int i = 0; i < 6 && inertia; i++) {
        if (i < 3 || poise__element_find(inertia, moments[i])) {
            poise__tag_needed_numbers(reader, inertia, moments[i], &body.inertia[i], 1);
        }
    }
    if (inertia) {
        poise__robot_repair_inertia(reader, inertia, link->name, &body);
    }
    link->mass = poise__mass_moved(body, read_origin(reader, element));
    link->has_inertial = body.mass > 0.0;
}

static void read_links(RobotReader* reader) {
    static const char* const known[] = {"inertial", "visual", "collision", NULL};
    const Element* element;
    for (int i = 0; (element = poise__tag_next(reader->root, "link", &i));) {
        const char* name = poise__tag_needed_text(reader, element, "name");
        if (name) {
            note_unknown(reader, element, "a link", known);
        }
        const int link =
            name ? poise__robot_add_link(reader, "link", name, element, element->mark) : -1;
        const Element* inertial = find_map(element, "inertial");
        if (link >= 0 && inertial) {
            read_inertial(reader, inertial, &reader->robot->links[link]);
        }
    }
    // Adds the link "world" if a joint names it as parent and the file does not define it.
    for (int i = 0; (element = poise__tag_next(reader->root, "joint", &i));) {
        const Element* parent = poise__element_find(element, "parent");
        const char* name = poise__tag_own_text(parent, "link");
        if (name && strcmp(name, "world") == 0 && poise__names_find(&reader->links, name) < 0) {
            poise__robot_add_link(reader, "link", "world", parent, parent->mark);
        }
    }
}

// ---------------------------------------------------------------------------------------- joints

// Names of the joint types, in the order of RobotJointKind. The last name is a synonym of "ball".
static const char* const kinds[] = {"fixed",  "revolute", "continuous", "prismatic", "floating",
                                    "planar", "ball",     "spherical",  NULL};

// Returns the link that `<parent link="">` or `<child link="">` names; -1 with an error.
static int read_end(RobotReader* reader, const Element* element, const char* key) {
    const Element* end = find_map(element, key);
    if (!end) {
        poise__robot_refuse(reader, element->mark, "a joint lacks its <%s link>", key);
        return -1;
    }
    const char* name = poise__tag_needed_text(reader, end, "link");
    return name ? poise__robot_find(reader, &reader->links, poise__element_find(end, "link")->mark,
                                    "link", name)
                : -1;
}

static void read_axis(RobotReader* reader, const Element* element, RobotJoint* joint) {
    const Element* axis = poise__element_find(element, "axis");
    const Element* given = poise__element_find(axis, "xyz");
    double xyz[3];
    if (!given || !poise__tag_needed_numbers(reader, axis, "xyz", xyz, 3)) {
        return;
    }
    const PoiseVec3 along = poise_vec3(xyz[0], xyz[1], xyz[2]);
    const double length = poise_length(along);
    const bool moves = joint->kind == ROBOT_REVOLUTE || joint->kind == ROBOT_CONTINUOUS ||
                       joint->kind == ROBOT_PRISMATIC || joint->kind == ROBOT_PLANAR;
    if (!(length > 0.0) || !isfinite(length)) {
        if (moves) {
            poise__robot_refuse(reader, given->mark, "the axis of joint '%.60s' is zero",
                                joint->name);
        }
        return;
    }
    // A difference below 1e-6 comes from rounding in the file.
    if (moves && fabs(length - 1.0) > 1e-6) {
        NOTE_KIND(reader, "length of an axis", given->mark,
                  "the axis of joint '%.60s' has length %g: taken as a direction", joint->name,
                  length);
    }
    joint->axis = poise_scale(1.0 / length, along);
}

// Reads an upper bound; infinity if it is missing or NaN.
static double read_most(RobotReader* reader, const Element* limit, const char* key,
                        const char* joint) {
    const Attribute field[] = {{key, 0, ATTRIBUTE_BOUND, 1}, ATTRIBUTES_END};
    const Element* given = poise__element_find(limit, key);
    double most = (double)INFINITY;
    if (given && poise_number_read(given->text, &most) == POISE_NUMBER_NAN) {
        NOTE_KIND(reader, key, limit->mark, "%s '%.20s' of joint '%.60s' is taken as no limit", key,
                  given->text, joint);
        return (double)INFINITY;
    }
    return given && poise__tag_fill((Source){reader, limit, NULL}, field, &most)
               ? poise__robot_most(reader, limit, key, joint, most)
               : (double)INFINITY;
}

static void read_limit(RobotReader* reader, const Element* element, RobotJoint* joint) {
    static const Attribute bounds[] = {{"lower", 0, ATTRIBUTE_BOUND, 1},
                                       {"upper", sizeof(double), ATTRIBUTE_BOUND, 1},
                                       ATTRIBUTES_END};
    const Element* limit = find_map(element, "limit");
    const bool ranged = joint->kind == ROBOT_REVOLUTE || joint->kind == ROBOT_PRISMATIC;
    double range[2] = {0.0, 0.0};
    if (limit && ranged) {
        if ((poise__element_find(limit, "lower") || poise__element_find(limit, "upper")) &&
            poise__tag_fill((Source){reader, limit, NULL}, bounds, range)) {
            poise__robot_set_range(reader, limit->mark, joint, range[0], range[1]);
        }
    } else if (ranged) {
        NOTE_KIND(reader, "no limit", joint->mark,
                  "joint '%.60s' has no <limit>: it moves without end", joint->name);
    }
    if (limit) {
        joint->effort = read_most(reader, limit, "effort", joint->name);
        joint->velocity = read_most(reader, limit, "velocity", joint->name);
    }
}

static void read_mimic(RobotReader* reader, const Element* mimic, RobotJoint* joint) {
    static const Attribute fields[] = {
        ATTRIBUTE("multiplier", RobotJoint, multiplier, ATTRIBUTE_NUMBERS, 1),
        ATTRIBUTE("offset", RobotJoint, offset, ATTRIBUTE_NUMBERS, 1), ATTRIBUTES_END};
    joint->mimics = poise__tag_needed_text(reader, mimic, "joint");
    joint->mimic_mark = mimic->mark;
    joint->multiplier = 1.0;
    poise__tag_fill((Source){reader, mimic, NULL}, fields, joint);
}

static void read_joint(RobotReader* reader, const Element* element) {
    static const char* const known[] = {"parent",   "child",       "origin",
                                        "axis",     "limit",       "mimic",
                                        "dynamics", "calibration", "safety_controller",
                                        NULL};
    static const Attribute dynamics[] = {
        ATTRIBUTE("damping", RobotJoint, damping, ATTRIBUTE_AT_LEAST_0, 1),
        ATTRIBUTE("friction", RobotJoint, friction, ATTRIBUTE_AT_LEAST_0, 1), ATTRIBUTES_END};
    const char* name = poise__tag_needed_text(reader, element, "name");
    RobotJoint joint = poise__robot_joint(name ? name : "", element->mark, -1, -1);
    note_unknown(reader, element, "a joint", known);
    const char* type = poise__tag_needed_text(reader, element, "type");
    if (type) {
        const PoiseMark mark = poise__element_find(element, "type")->mark;
        const int kind = poise__tag_word(reader, mark, type, kinds, "joint");
        joint.kind = kind > ROBOT_BALL ? ROBOT_BALL : kind < 0 ? ROBOT_FIXED : (RobotJointKind)kind;
    }
    joint.parent = read_end(reader, element, "parent");
    joint.child = read_end(reader, element, "child");
    joint.origin = read_origin(reader, element);
    const double far = poise_length(joint.origin.p);
    if (far > MAX_JOINT_DISTANCE) {
        WARN_KIND(reader, "millimetres", poise__element_find(element, "origin")->mark,
                  "joint '%.60s' is %.3g m from its parent: places of a URDF are in "
                  "metres",
                  joint.name, far);
    }
    read_axis(reader, element, &joint);
    read_limit(reader, element, &joint);
    const Element* mimic = find_map(element, "mimic");
    const Element* drag = poise__element_find(element, "dynamics");
    if (drag) {
        poise__tag_fill((Source){reader, drag, NULL}, dynamics, &joint);
    }
    if (mimic) {
        read_mimic(reader, mimic, &joint);
    }
    poise__robot_add_joint(reader, &joint, name != NULL);
}

// Replaces a planar joint, which slides in the plane across its axis and turns about the axis, by
// two sliders and a hinge with links between them: NAME_TX, NAME_TY and NAME_RZ, as MuJoCo names
// them.
static void split_planar(RobotReader* reader, int index) {
    static const Element nothing = {.kind = ELEMENT_MAP, .text = ""};
    static const char* const endings[] = {"_TX", "_TY", "_RZ"};
    Robot* robot = reader->robot;
    const RobotJoint whole = robot->joints[index];
    const char* child = robot->links[whole.child].name;
    const PoiseQuat turn = poise__robot_turn_to(whole.axis);
    const PoiseVec3 axes[] = {poise_quat_rotate(turn, poise_vec3(1.0, 0.0, 0.0)),
                              poise_quat_rotate(turn, poise_vec3(0.0, 1.0, 0.0)), whole.axis};
    int parent = whole.parent;
    for (int i = 0; i < 3; i++) {
        RobotJoint joint = whole;
        const char* between = poise__arena_format(reader->arena, "%s.%d", child, i + 1);
        joint.name = poise__arena_format(reader->arena, "%s%s", whole.name, endings[i]);
        joint.kind = i < 2 ? ROBOT_PRISMATIC : ROBOT_CONTINUOUS;
        joint.parent = parent;
        joint.child = i == 2 ? whole.child
                      : between
                          ? poise__robot_add_link(reader, "link", between, &nothing, whole.mark)
                          : -1;
        joint.origin = i == 0 ? whole.origin : poise_pose_identity();
        joint.axis = axes[i];
        // The file's effort and velocity limit the sliders, but not the hinge.
        joint.effort = i < 2 ? whole.effort : (double)INFINITY;
        joint.velocity = i < 2 ? whole.velocity : (double)INFINITY;
        if (!joint.name || joint.child < 0) {
            return;
        }
        // The first new joint replaces the planar joint.
        if (i == 0) {
            robot->joints[index] = joint;
        } else {
            poise__robot_add_joint(reader, &joint, false);
        }
        parent = joint.child;
    }
}

// ---------------------------------------------------------------------------------------- shapes

// Reads `count` sizes of a shape. Returns false, with a finding, if one is not above 0.
static bool read_sizes(RobotReader* reader, const Element* element, const char* key, double* sizes,
                       int count) {
    if (!poise__tag_needed_numbers(reader, element, key, sizes, count)) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (sizes[i] == 0.0) {
            NOTE_KIND(reader, "no volume", element->mark,
                      "a <%.60s> without a size is left out: it has no volume", element->key);
            return false;
        }
        if (!(sizes[i] > 0.0 && sizes[i] <= LARGEST_SHAPE)) {
            return poise__robot_refuse(reader, poise__element_find(element, key)->mark,
                                       "'%s' must be above 0 and at most %g, not %g", key,
                                       LARGEST_SHAPE, sizes[i]);
        }
    }
    return true;
}

// Reads a primitive. Returns false if the geometry is not a primitive.
static bool read_primitive(RobotReader* reader, const Element* geometry, PoiseSceneShape* shape) {
    static const struct {
        const char* tag;
        PoiseShapeKind kind;
        const char* size;
        int count;
        bool has_length;
    } primitives[] = {{"box", POISE_SHAPE_BOX, "size", 3, false},
                      {"sphere", POISE_SHAPE_SPHERE, "radius", 1, false},
                      {"cylinder", POISE_SHAPE_CYLINDER, "radius", 1, true},
                      {"capsule", POISE_SHAPE_CAPSULE, "radius", 1, true}};
    const Element* element = NULL;
    int kind = 0;
    while (kind < 4 && !(element = poise__element_find(geometry, primitives[kind].tag))) {
        kind++;
    }
    if (!element) {
        return false;
    }
    double size[3] = {0.0};
    const bool fine =
        read_sizes(reader, element, primitives[kind].size, size, primitives[kind].count);
    const bool whole =
        !primitives[kind].has_length || read_sizes(reader, element, "length", &size[1], 1);
    shape->kind = primitives[kind].kind;
    shape->size = poise_vec3(size[0], size[1], size[2]);
    return fine && whole;
}

static const Element* mesh_of(const Element* holder) {
    return poise__element_find(poise__element_find(holder, "geometry"), "mesh");
}

// Reads the shapes in the link's collision or visual elements.
static void read_shapes_in(RobotReader* reader, RobotLink* link, const char* tag) {
    const Element* holder;
    for (int i = 0; link->shapes && (holder = poise__tag_next(link->element, tag, &i));) {
        const Element* mesh = mesh_of(holder);
        PoiseSceneShape shape = {.category = UINT32_MAX, .collide = UINT32_MAX};
        if (!mesh) {
            shape.in_body = read_origin(reader, holder);
            if (read_primitive(reader, poise__element_find(holder, "geometry"), &shape)) {
                const MassProperties solid = poise__mass_of_shape(&shape, 1.0);
                poise__robot_add_shape(link, shape, poise__mass_moved(solid, shape.in_body));
            }
            continue;
        }
        double scale[3] = {1.0, 1.0, 1.0};
        const char* file = poise__tag_own_text(mesh, "filename");
        if (!poise__tag_numbers((Source){reader, mesh, NULL}, "scale", scale, 3)) {
            continue;
        }
        const MeshSolid* solid = poise__robot_mesh(reader, mesh, file ? file : "",
                                                   poise_vec3(scale[0], scale[1], scale[2]));
        if (solid) {
            const PoisePose origin = read_origin(reader, holder);
            shape = solid->shape;
            shape.in_body = poise_pose_mul(origin, shape.in_body);
            poise__robot_add_shape(link, shape, poise__mass_moved(solid->mass, origin));
        }
    }
}

// Returns the box around the link's origin, its centre of mass and the joints it carries.
static PoiseSceneShape box_of_link(const Robot* robot, const RobotLink* link) {
    double low[3] = {0.0, 0.0, 0.0};
    double high[3] = {0.0, 0.0, 0.0};
    for (int i = -1; i < robot->joint_count; i++) {
        if (i >= 0 && robot->joints[i].parent != (int)(link - robot->links)) {
            continue;
        }
        const PoiseVec3 place = i < 0 ? link->mass.com : robot->joints[i].origin.p;
        const double at[3] = {place.x, place.y, place.z};
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], at[k]);
            high[k] = fmax(high[k], at[k]);
        }
    }
    const double extent = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    const double margin = fmax(BOX_LEAST, BOX_MARGIN * extent);
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

static void read_shapes(RobotReader* reader, RobotLink* link) {
    const Element* mesh = NULL;
    const Element* child;
    link->shapes = poise__arena_allocate(reader->arena, (size_t)link->element->child_count + 1,
                                         sizeof *link->shapes);
    read_shapes_in(reader, link, "collision");
    link->touches = link->shape_count > 0;
    if (link->shape_count == 0) {
        read_shapes_in(reader, link, "visual");
    }
    for (int i = 0; !mesh && (child = poise__tag_next(link->element, NULL, &i));) {
        mesh = mesh_of(child);
    }
    if (!link->shapes || link->shape_count > 0 || !mesh) {
        return;
    }
    const PoiseSceneShape box = box_of_link(reader->robot, link);
    poise__robot_add_shape(link, box,
                           poise__mass_moved(poise__mass_of_shape(&box, 1.0), box.in_body));
    if (reader->document->mesh_cost) {
        WARN_KIND(reader, "box of a link", mesh->mark,
                  "a box of its size stands for link '%.60s', whose mesh is not read", link->name);
    }
}

// ----------------------------------------------------------------------------------------- looks

// Reads the material's own colour, or the colour of the robot's material with this name.
static void read_colour(RobotReader* reader, const Element* visual, double colour[4]) {
    const Element* material = poise__element_find(visual, "material");
    const char* name = poise__tag_own_text(material, "name");
    const Element* own = poise__element_find(material, "color");
    const Element* other;
    for (int i = 0; !own && name && (other = poise__tag_next(reader->root, "material", &i));) {
        const char* called = poise__tag_own_text(other, "name");
        own = called && strcmp(called, name) == 0 ? poise__element_find(other, "color") : NULL;
    }
    if (own && poise__tag_needed_numbers(reader, own, "rgba", colour, 4)) {
        for (int i = 0; i < 4; i++) {
            colour[i] = fmin(fmax(colour[i], 0.0), 1.0);
        }
    }
}

// Writes the box of the link's collision shapes in the look's frame.
static void find_box(const RobotLink* link, PoiseSceneLook* look) {
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

// Reads a visual shape. Errors of its colour and size are not reported, since the link's collision
// shapes are drawn instead.
static void read_look(RobotReader* reader, RobotLink* link, const Element* visual) {
    PoiseDiagnostics* diagnostics = reader->diagnostics;
    const Element* mesh = mesh_of(visual);
    const char* file = poise__tag_own_text(mesh, "filename");
    PoiseSceneLook look = {.in_body = read_origin(reader, visual)};
    PoiseSceneShape shape = {.category = 0};
    double scale[3] = {1.0, 1.0, 1.0};
    reader->diagnostics = NULL;
    read_colour(reader, visual, look.colour);
    if (file) {
        poise__tag_numbers((Source){reader, mesh, NULL}, "scale", scale, 3);
    } else if (read_primitive(reader, poise__element_find(visual, "geometry"), &shape)) {
        look.kind = shape.kind;
        look.size = shape.size;
        link->looks[link->look_count++] = look;
    }
    reader->diagnostics = diagnostics;
    if (file) {
        look.scale = poise_vec3(scale[0], scale[1], scale[2]);
        if (link->touches) {
            find_box(link, &look);
        }
        poise__robot_add_look(reader, link, &look, file);
    }
}

// ----------------------------------------------------------------------------------------- robot

bool poise__urdf_read(RobotReader* reader) {
    static const char* const known[] = {"link", "joint", "material", "mujoco", NULL};
    const int errors = poise_diagnostics_count(reader->diagnostics, POISE_ERROR);
    const Element* root = reader->root;
    Robot* robot = reader->robot;
    if (root->child_count > MAX_URDF_PARTS) {
        return poise__robot_refuse(reader, root->mark, "more than %d parts in one robot",
                                   MAX_URDF_PARTS);
    }
    reader->mesh_folder = poise__tag_own_text(
        poise__element_find(poise__element_find(root, "mujoco"), "compiler"), "meshdir");
    note_unknown(reader, root, "a robot", known);
    read_links(reader);
    const Element* element;
    for (int i = 0; (element = poise__tag_next(root, "joint", &i));) {
        read_joint(reader, element);
    }
    if (reader->arena->failed ||
        poise_diagnostics_count(reader->diagnostics, POISE_ERROR) > errors) {
        return false;
    }
    const int joints = robot->joint_count;
    for (int i = 0; i < joints && !reader->arena->failed; i++) {
        if (robot->joints[i].kind == ROBOT_PLANAR) {
            split_planar(reader, i);
        }
    }
    if (reader->arena->failed || !poise__robot_sort(reader)) {
        return false;
    }
    for (int i = 0; i < robot->link_count; i++) {
        RobotLink* link = &robot->links[i];
        read_shapes(reader, link);
        link->looks = poise__arena_allocate(reader->arena, (size_t)link->element->child_count + 1,
                                            sizeof *link->looks);
        for (int k = 0; link->looks && (element = poise__tag_next(link->element, "visual", &k));) {
            read_look(reader, link, element);
        }
    }
    return poise__srdf_read(reader);
}
