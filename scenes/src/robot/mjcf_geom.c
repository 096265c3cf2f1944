// SPDX-License-Identifier: MIT
// MJCF: reads the geoms of a body: their shapes, from their sizes or meshes; their looks; and their
// mass, or the body's inertial.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mjcf.h"
#include "number.h"

// Density of a geom without mass and density, kg/m^3.
#define GEOM_DENSITY 1000.0
// Largest number of points of a mesh whose points are in the model itself.
#define MAX_VERTEX_POINTS 20000
// By convention, geoms of this group and above are for collision only.
#define TOUCHED_GROUP 3.0

/// A type that a geom may have in MJCF.
typedef struct Kind {
    PoiseShapeKind shape; ///< primitive for the type; 0: none
    int sizes;            ///< how many sizes the type has in MJCF if there is no fromto
} Kind;

static const char* const words[] = {"sphere", "capsule", "cylinder", "box", "ellipsoid",
                                    "plane",  "hfield",  "mesh",     "sdf", NULL};
// Indices in `words`. An ellipsoid is read as a box, then replaced by a capsule or ball.
enum { ELLIPSOID = 4, PLANE = 5, HFIELD = 6 };
static const Kind kinds[] = {
    {POISE_SHAPE_SPHERE, 1}, {POISE_SHAPE_CAPSULE, 2}, {POISE_SHAPE_CYLINDER, 2},
    {POISE_SHAPE_BOX, 3},    {POISE_SHAPE_BOX, 3},     {(PoiseShapeKind)0, 0},
    {(PoiseShapeKind)0, 0},  {(PoiseShapeKind)0, 0},   {(PoiseShapeKind)0, 0}};

/// A geom while it is read.
typedef struct Geom {
    MjcfReader* reader;
    const MjcfPart* part;
    Source from;
    int link;
    int type; ///< index of the type in `kinds`
    PoiseShapeKind primitive;
    const char* mesh_name; ///< name of the mesh; NULL: none
    bool shell;            ///< True if the mesh has mass on its surface only
    double mass;           ///< mass of the geom, kg; negative: computed from the density
    double density;
    double contype;
    double conaffinity;
    double group;
    PoiseSceneShape shape; ///< the shape in the body's frame
    MassProperties solid;  ///< mass properties at density 1, in the body's frame
} Geom;

static bool refuse(const Geom* geom, const char* why) {
    return poise__robot_refuse(geom->from.reader, geom->from.element->mark, "%s", why);
}

// ------------------------------------------------------------------------------------------- sizes

// Reads the two ends in `fromto`: writes half their distance to `half`, and the pose of their
// middle to the shape.
static bool read_ends(Geom* geom, double* half) {
    double ends[6] = {0.0};
    if (!poise__tag_numbers(geom->from, "fromto", ends, 6)) {
        return false;
    }
    const PoiseVec3 from = poise_vec3(ends[0], ends[1], ends[2]);
    const PoiseVec3 to = poise_vec3(ends[3], ends[4], ends[5]);
    const PoiseVec3 axis = poise_sub(to, from);
    *half = 0.5 * poise_length(axis);
    geom->shape.in_body =
        poise_pose(poise_scale(0.5, poise_add(from, to)), poise__robot_turn_to(axis));
    if (geom->primitive == POISE_SHAPE_SPHERE) {
        return refuse(geom, "a sphere has no 'fromto'");
    }
    return *half > 0.0 || refuse(geom, "the two ends of 'fromto' are one place");
}

// Reads the sizes. MJCF has half sizes, Poise full sizes; `fromto` gives the pose and a length.
// Returns false if there is no shape.
static bool read_size(Geom* geom) {
    double size[3] = {0.0, 0.0, 0.0};
    const bool box = geom->primitive == POISE_SHAPE_BOX;
    const bool between = poise__tag_holder(geom->from, "fromto") != NULL;
    const int last = box ? 2 : 1;
    const int needed = between ? 1 : kinds[geom->type].sizes;
    const int given = poise__tag_some_numbers(geom->from, "size", size, 3);
    if (given >= 0 && given < needed) {
        return refuse(geom, "a geom's 'size' is missing or too short");
    }
    if (given < 0 || (between && !read_ends(geom, &size[last]))) {
        return false;
    }
    if (between && box) {
        size[1] = size[0]; // ignores a second size, as MuJoCo does
    }
    for (int i = 0; i < needed; i++) {
        if (size[i] < 0.0) {
            return poise__robot_refuse(geom->from.reader, geom->from.element->mark,
                                       "a geom's 'size' must be above 0, not %g", size[i]);
        }
        if (!(size[i] > 0.0)) {
            poise__robot_note(geom->from.reader, POISE_NOTE, geom->from.element,
                              "without a size is left out: it has no volume");
            return false;
        }
    }
    const bool ball = geom->primitive == POISE_SHAPE_SPHERE;
    geom->shape.size = box ? poise_vec3(2.0 * size[0], 2.0 * size[1], 2.0 * size[2])
                           : poise_vec3(size[0], ball ? 0.0 : 2.0 * size[1], 0.0);
    return true;
}

// Replaces an ellipsoid by a capsule or ball of equal volume, because ODE has no ellipsoid.
static void replace_ellipsoid(PoiseSceneShape* shape) {
    const double half[3] = {0.5 * shape->size.x, 0.5 * shape->size.y, 0.5 * shape->size.z};
    const int along = half[0] > half[1] ? (half[0] > half[2] ? 0 : 2) : (half[1] > half[2] ? 1 : 2);
    const double across = sqrt(half[(along + 1) % 3] * half[(along + 2) % 3]);
    const PoiseVec3 axis = poise_vec3(along == 0, along == 1, along == 2);
    shape->in_body.q = poise_quat_mul(shape->in_body.q, poise__robot_turn_to(axis));
    const bool round = half[along] - across < 1e-9 * across;
    // Equal volumes: 4/3 pi r^2 a = pi r^2 l + 4/3 pi r^3. The ellipsoid has the longest half axis
    // a, the capsule the length l between its ends, and both the radius r across.
    shape->kind = round ? POISE_SHAPE_SPHERE : POISE_SHAPE_CAPSULE;
    shape->size = poise_vec3(across, round ? 0.0 : 4.0 / 3.0 * (half[along] - across), 0.0);
}

// ------------------------------------------------------------------------------------------ meshes

// Replaces a mesh by a primitive as MuJoCo does: computes the box with the mesh's inertia, whose
// longest side is along z, and fits the primitive to this box.
static void fit_to_mesh(Geom* geom, const MassProperties* mass) {
    double moments[3], half[3];
    poise__inertia_principal(mass->inertia, moments, NULL);
    for (int i = 0; i < 3; i++) {
        const double rest = moments[(i + 1) % 3] + moments[(i + 2) % 3] - moments[i];
        half[2 - i] = 0.5 * sqrt(6.0 * fmax(rest, 0.0) / mass->mass);
    }
    const double across = 0.5 * (half[0] + half[1]);
    switch (geom->primitive) {
    case POISE_SHAPE_SPHERE:
        geom->shape.size = poise_vec3((half[0] + half[1] + half[2]) / 3.0, 0.0, 0.0);
        break;
    case POISE_SHAPE_CAPSULE:
        geom->shape.size = poise_vec3(across, 2.0 * fmax(0.0, half[2] - 0.5 * across), 0.0);
        break;
    case POISE_SHAPE_CYLINDER:
        geom->shape.size = poise_vec3(across, 2.0 * half[2], 0.0);
        break;
    default:
        geom->shape.size = poise_vec3(2.0 * half[0], 2.0 * half[1], 2.0 * half[2]);
        break;
    }
    const PoisePose inner = poise_pose(mass->com, poise__inertia_turn(mass->inertia));
    geom->shape.in_body = poise_pose_mul(geom->shape.in_body, inner);
}

// Returns the convex hull of the points in `vertex`, as MuJoCo does; NULL with a warning.
static const MeshSolid* solid_of_points(MjcfReader* reader, const MjcfMesh* mesh) {
    Arena* arena = reader->base.arena;
    const char* vertex = poise__tag_own_text(mesh->element, "vertex");
    Arena scratch;
    poise__arena_init(&scratch, &arena->host);
    MeshSolid* solid = poise__arena_allocate(arena, 1, sizeof *solid);
    double* numbers = poise__arena_allocate(&scratch, 3 * MAX_VERTEX_POINTS, sizeof *numbers);
    PoiseNumberKind kind = POISE_NUMBER_FINE;
    const int count =
        vertex && numbers ? poise_numbers_read(vertex, numbers, 3 * MAX_VERTEX_POINTS, &kind) : 0;
    Mesh points = {.point_count = count / 3};
    points.points = poise__arena_allocate(&scratch, (size_t)points.point_count, sizeof(PoiseVec3));
    const char* why = "is wrong";
    bool fine = solid && points.points && count > 0 && count % 3 == 0 &&
                count <= 3 * MAX_VERTEX_POINTS && kind == POISE_NUMBER_FINE;
    for (int i = 0; fine && i < points.point_count; i++) {
        const double* n = &numbers[3 * i];
        points.points[i] =
            poise_vec3(mesh->scale[0] * n[0], mesh->scale[1] * n[1], mesh->scale[2] * n[2]);
    }
    Arena* keep = reader->base.document->hulls ? arena : NULL;
    MeshSummary summary = {.file_triangles = 0};
    fine = fine && !poise__mesh_summarize(&scratch, &points, &summary) &&
           poise__mesh_solid(&scratch, &summary, keep, solid, &why);
    arena->failed = arena->failed || scratch.failed;
    poise__arena_finish(&scratch);
    if (!fine && !arena->failed) {
        poise__robot_note(&reader->base, POISE_WARNING, mesh->element,
                          vertex ? "has points that no solid can be made of: its geoms are left out"
                                 : "without a file is not read: its geoms are left out");
    }
    return fine ? solid : NULL;
}

// Returns the path of a mesh or height field with the compiler's folder settings applied.
static const char* path_of(const MjcfReader* reader, const char* file) {
    const MjcfModel* model = reader->model;
    const char* slash = model->strip_path ? strrchr(file, '/') : NULL;
    const char* path = slash ? slash + 1 : file;
    return model->mesh_folder && model->mesh_folder[0] && path[0] != '/'
               ? poise__arena_format(reader->base.arena, "%s/%s", model->mesh_folder, path)
               : path;
}

// Reads the shape of a geom that names a mesh: the mesh, or the primitive that MuJoCo fits to the
// mesh.
static bool read_mesh(Geom* geom) {
    RobotReader* base = geom->from.reader;
    const MjcfModel* model = geom->reader->model;
    const int index = poise__robot_find(base, &model->mesh_names, geom->from.element->mark, "mesh",
                                        geom->mesh_name);
    MjcfMesh* mesh = index >= 0 ? &model->meshes[index] : NULL;
    if (!mesh) {
        return false;
    }
    geom->shell = mesh->inertia && strcmp(mesh->inertia, "shell") == 0;
    if (!mesh->file && !mesh->read) {
        mesh->solid = solid_of_points(geom->reader, mesh);
        mesh->read = true;
    }
    const MeshSolid* solid = mesh->solid;
    const char* path = mesh->file ? path_of(geom->reader, mesh->file) : NULL;
    if (path) {
        solid = poise__robot_mesh(base, mesh->element, path,
                                  poise_vec3(mesh->scale[0], mesh->scale[1], mesh->scale[2]));
    }
    if (!solid) {
        return false;
    }
    const PoisePose pose = poise_pose_mul(geom->shape.in_body, mesh->frame);
    geom->shape.in_body = pose;
    if (geom->primitive) {
        fit_to_mesh(geom, &solid->mass);
        return true;
    }
    geom->solid = poise__mass_moved(solid->mass, pose);
    geom->shape.kind = solid->shape.kind;
    geom->shape.size = solid->shape.size;
    geom->shape.hull = solid->shape.hull;
    geom->shape.margin = solid->shape.margin;
    geom->shape.in_body = poise_pose_mul(pose, solid->shape.in_body);
    return true;
}

// ----------------------------------------------------------------------------------- height fields

/// The attributes of an <hfield>, a height field.
typedef struct Heights {
    double rows;
    double columns;
    double size[4]; ///< half the extent along x and y, height of an elevation of 1, depth below 0
    const char* elevation;
    const char* file;
    PoiseVec3* points; ///< by row, from the least y; z is the elevation
} Heights;

// Reads the numbers of `elevation`, row by row from the greatest y, as MuJoCo does. Without the
// attribute the field is flat. Returns false with an error.
static bool read_elevation(const Geom* geom, const Element* element, Heights* field) {
    Arena* arena = geom->from.reader->arena;
    const int columns = (int)field->columns;
    const int count = (int)field->rows * columns;
    PoiseNumberKind kind = POISE_NUMBER_FINE;
    double* numbers = poise__arena_allocate(arena, (size_t)count, sizeof *numbers);
    field->points = poise__arena_allocate(arena, (size_t)count, sizeof *field->points);
    if (!numbers || !field->points) {
        return false;
    }
    if (field->elevation && (poise_numbers_read(field->elevation, numbers, count, &kind) != count ||
                             kind != POISE_NUMBER_FINE)) {
        return poise__robot_refuse(geom->from.reader, element->mark,
                                   "'elevation' must be %d finite numbers", count);
    }
    for (int i = 0; i < count; i++) {
        field->points[i].z = numbers[((int)field->rows - 1 - i / columns) * columns + i % columns];
    }
    return true;
}

// Scales the elevations to 0..1, as MuJoCo does.
static void scale_elevation(PoiseVec3* points, int count) {
    double low = (double)INFINITY, high = -(double)INFINITY;
    for (int i = 0; i < count; i++) {
        low = fmin(low, points[i].z);
        high = fmax(high, points[i].z);
    }
    for (int i = 0; i < count; i++) {
        points[i].z = high > low ? (points[i].z - low) / (high - low) : 0.0;
    }
}

// Fills the grid of points and triangles. The shape's frame is in the middle of the box from the
// field's greatest height to its base.
static PoiseSceneHull* make_grid(Arena* arena, const Heights* field) {
    const int rows = (int)field->rows, columns = (int)field->columns;
    const int count = rows * columns;
    const int triangles = 2 * (rows - 1) * (columns - 1);
    PoiseSceneHull* hull = poise__arena_allocate(arena, 1, sizeof *hull);
    PoiseVec3* points = field->points;
    int(*corners)[3] = poise__arena_allocate(arena, (size_t)triangles, sizeof *corners);
    if (!hull || !corners) {
        return NULL;
    }
    scale_elevation(points, count);
    for (int i = 0; i < count; i++) {
        points[i].x = field->size[0] * (2.0 * (i % columns) / (columns - 1) - 1.0);
        points[i].y = field->size[1] * (2.0 * (i / columns) / (rows - 1) - 1.0);
        points[i].z = field->size[2] * points[i].z - 0.5 * (field->size[2] - field->size[3]);
    }
    for (int i = 0; i < triangles; i++) {
        const int first = i / 2 / (columns - 1) * columns + i / 2 % (columns - 1);
        const int cell[2][3] = {{first, first + 1, first + columns},
                                {first + 1, first + columns + 1, first + columns}};
        memcpy(corners[i], cell[i % 2], sizeof corners[i]);
    }
    *hull = (PoiseSceneHull){points, count, (const int(*)[3])corners, triangles, rows, columns};
    return hull;
}

// True if a joint other than a weld lies between the link and the world.
static bool is_moved(const Robot* robot, int link) {
    for (int i = robot->joint_count - 1; i >= 0 && link > 0; i--) {
        if (robot->joints[i].child == link && robot->joints[i].kind != ROBOT_FIXED) {
            return true;
        }
        // The loop runs from children to parents: joints are added after those of their parents.
        link = robot->joints[i].child == link ? robot->joints[i].parent : link;
    }
    return false;
}

// Reads the elevations and the numbers of rows and columns from the field's file.
static bool read_heights_file(const Geom* geom, const Element* element, Heights* field) {
    Mesh mesh = {.points = NULL};
    const char* path = path_of(geom->reader, field->file);
    if (!poise__robot_heights(&geom->reader->base, element, path, &mesh)) {
        return false;
    }
    const PoiseVec3 last = mesh.points[mesh.point_count - 1];
    field->columns = last.x + 1.0;
    field->rows = last.y + 1.0;
    field->points = mesh.points;
    return true;
}

// Reads a height field of the world. Returns false if there is no shape.
static bool read_heights(Geom* geom) {
    static const Attribute attributes[] = {
        ATTRIBUTE("nrow", Heights, rows, ATTRIBUTE_NUMBERS, 1),
        ATTRIBUTE("ncol", Heights, columns, ATTRIBUTE_NUMBERS, 1),
        ATTRIBUTE("size", Heights, size, ATTRIBUTE_NUMBERS, 4),
        ATTRIBUTE("elevation", Heights, elevation, ATTRIBUTE_TEXT, 1),
        ATTRIBUTE("file", Heights, file, ATTRIBUTE_TEXT, 1),
        ATTRIBUTES_END};
    RobotReader* base = geom->from.reader;
    const char* name = poise__tag_text(geom->from, "hfield");
    const Element *section, *element, *found = NULL;
    Heights field = {.rows = 0.0};
    for (int i = 0; name && (section = poise__tag_next(base->root, "asset", &i));) {
        for (int k = 0; (element = poise__tag_next(section, "hfield", &k));) {
            const char* own = poise__tag_own_text(element, "name");
            found = own && strcmp(own, name) == 0 ? element : found;
        }
    }
    if (!found) {
        return poise__robot_refuse(base, geom->from.element->mark, "there is no hfield '%.60s'",
                                   name);
    }
    if (!poise__tag_fill(poise__mjcf_source(geom->reader, found), attributes, &field)) {
        return false;
    }
    if (is_moved(base->robot, geom->link)) {
        poise__robot_note(base, POISE_WARNING, geom->from.element,
                          "of type hfield is not read on a body that moves");
        return false;
    }
    if (field.file && !read_heights_file(geom, found, &field)) {
        return false;
    }
    if (!(field.rows >= 2.0 && field.columns >= 2.0 &&
          field.rows * field.columns <= MESH_MOST_HEIGHTS)) {
        return poise__robot_refuse(base, found->mark,
                                   "a height field has at least 2 rows and columns and at most "
                                   "%d points, not %g x %g",
                                   MESH_MOST_HEIGHTS, field.rows, field.columns);
    }
    for (int i = 0; i < 4; i++) {
        if (!(field.size[i] > 0.0)) {
            return poise__robot_refuse(base, found->mark,
                                       "the sizes of a height field must be above 0");
        }
    }
    if (!field.file && !read_elevation(geom, found, &field)) {
        return false;
    }
    const PoiseSceneHull* hull = make_grid(base->arena, &field);
    geom->shape.kind = POISE_SHAPE_HULL;
    geom->shape.hull = hull;
    geom->shape.size =
        poise_vec3(2.0 * field.size[0], 2.0 * field.size[1], field.size[2] + field.size[3]);
    const PoiseVec3 middle = poise_vec3(0.0, 0.0, 0.5 * (field.size[2] - field.size[3]));
    const PoisePose above = poise_pose(middle, poise_quat_identity());
    geom->shape.in_body = poise_pose_mul(geom->shape.in_body, above);
    return hull != NULL;
}

// ----------------------------------------------------------------------------------------- a geom

// Computes the geom's shape and solid. If there is no shape, reports why and returns false.
static bool read_shape(Geom* geom) {
    geom->shape.kind = geom->primitive;
    geom->shape.in_body = poise__mjcf_pose(geom->reader, geom->from);
    if (geom->type == HFIELD && !geom->mesh_name && poise__tag_holder(geom->from, "hfield")) {
        if (!read_heights(geom)) {
            return false;
        }
        geom->shape.in_body = poise_pose_mul(geom->part->frame, geom->shape.in_body);
        return true;
    }
    if (!geom->mesh_name && !geom->primitive) {
        char why[80];
        snprintf(why, sizeof why, "of type %s is not read", words[geom->type]);
        poise__robot_note(geom->from.reader, POISE_WARNING, geom->from.element, why);
        return false;
    }
    if (geom->mesh_name ? !read_mesh(geom) : !read_size(geom)) {
        return false;
    }
    geom->shape.in_body = poise_pose_mul(geom->part->frame, geom->shape.in_body);
    if (!geom->primitive) {
        geom->solid = poise__mass_moved(geom->solid, geom->part->frame);
        return true;
    }
    const bool ellipsoid = geom->type == ELLIPSOID;
    const MassProperties own = ellipsoid ? poise__mass_of_ellipsoid(geom->shape.size, 1.0)
                                         : poise__mass_of_shape(&geom->shape, 1.0);
    geom->solid = poise__mass_moved(own, geom->shape.in_body);
    if (ellipsoid) {
        replace_ellipsoid(&geom->shape);
        poise__robot_note(geom->from.reader, POISE_NOTE, geom->from.element,
                          "of type ellipsoid touches as a capsule of its volume");
    }
    return true;
}

// Makes a horizontal plane that is fixed to the world the scene's ground.
static void read_plane(const Geom* geom, int link) {
    RobotWorld* world = &geom->from.reader->robot->world;
    const PoisePose pose =
        poise_pose_mul(geom->part->frame, poise__mjcf_pose(geom->reader, geom->from));
    if (link == 0 && poise_quat_rotate(pose.q, poise_vec3(0.0, 0.0, 1.0)).z > 1.0 - 1e-9) {
        world->ground_height = world->ground ? fmax(world->ground_height, pose.p.z) : pose.p.z;
        world->ground = true;
    } else {
        poise__robot_note(geom->from.reader, POISE_NOTE, geom->from.element,
                          "of type plane is no flat ground of the world: not used");
    }
}

// Reads the colour of the geom or of its material. Without one, `colour` stays.
static void read_colour(const Geom* geom, double colour[4]) {
    const MjcfModel* model = geom->reader->model;
    const char* name = poise__tag_text(geom->from, "material");
    const int index = name ? poise__names_find(&model->material_names, name) : -1;
    Source from = geom->from;
    if (index >= 0 && !poise__tag_holder(from, "rgba")) {
        from = poise__mjcf_source(geom->reader, model->materials[index]);
        for (int i = 0; i < 4; i++) {
            colour[i] = 1.0;
        }
    }
    poise__tag_numbers(from, "rgba", colour, 4);
}

// Adds the geom to the shapes that are drawn for the link, in the model's colour, unless it is for
// collision only. A primitive needs `geom->shape`.
static void read_look(const Geom* geom, RobotLink* link) {
    const MjcfModel* model = geom->reader->model;
    const int found = geom->mesh_name ? poise__names_find(&model->mesh_names, geom->mesh_name) : -1;
    const MjcfMesh* mesh = found >= 0 ? &model->meshes[found] : NULL;
    PoiseSceneLook look = {.plain = true};
    if (geom->group >= TOUCHED_GROUP || (geom->mesh_name && (!mesh || !mesh->file))) {
        return;
    }
    read_colour(geom, look.colour);
    if (geom->primitive || geom->type == HFIELD) {
        look.kind = geom->shape.kind;
        look.size = geom->shape.size;
        look.hull = geom->shape.hull;
        look.in_body = geom->shape.in_body;
        link->looks[link->look_count++] = look;
    } else if (mesh) {
        const PoisePose pose = poise__mjcf_pose(geom->reader, geom->from);
        look.scale = poise_vec3(mesh->scale[0], mesh->scale[1], mesh->scale[2]);
        look.in_body = poise_pose_mul(poise_pose_mul(geom->part->frame, pose), mesh->frame);
        poise__robot_add_look(geom->from.reader, link, &look, path_of(geom->reader, mesh->file));
    }
}

// Converts contype or conaffinity to collision bits, as MuJoCo does.
static uint32_t touch_bits(double value) {
    return value >= 0.0 && value <= (double)UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

// Reads a geom. `weighed`: the body's <inertial> gives the link's mass, so the geom adds none.
static void read_geom(MjcfReader* reader, const MjcfPart* part, int index, bool weighed) {
    static const Attribute fields[] = {
        ATTRIBUTE("mesh", Geom, mesh_name, ATTRIBUTE_TEXT, 1),
        ATTRIBUTE("mass", Geom, mass, ATTRIBUTE_AT_LEAST_0, 1),
        ATTRIBUTE("density", Geom, density, ATTRIBUTE_AT_LEAST_0, 1),
        ATTRIBUTE("contype", Geom, contype, ATTRIBUTE_NUMBERS, 1),
        ATTRIBUTE("conaffinity", Geom, conaffinity, ATTRIBUTE_NUMBERS, 1),
        ATTRIBUTE("group", Geom, group, ATTRIBUTE_NUMBERS, 1),
        ATTRIBUTES_END};
    RobotLink* link = &reader->base.robot->links[index];
    Geom geom = {.reader = reader,
                 .part = part,
                 .link = index,
                 .from = poise__mjcf_part_source(reader, part),
                 .mass = -1.0,
                 .density = GEOM_DENSITY,
                 .contype = 1.0,
                 .conaffinity = 1.0};
    const bool fine = poise__tag_fill(geom.from, fields, &geom);
    const char* word = poise__tag_text(geom.from, "type");
    word = word ? word : geom.mesh_name ? "mesh" : "sphere";
    geom.type = poise__tag_word(&reader->base, part->element->mark, word, words, "geom");
    if (geom.type < 0 || !fine) {
        return;
    }
    if (geom.type == PLANE) {
        read_plane(&geom, index);
        return;
    }
    geom.primitive = kinds[geom.type].shape;
    geom.shape.category = touch_bits(geom.contype);
    geom.shape.collide = touch_bits(geom.conaffinity);
    if (!geom.primitive && geom.type != HFIELD) {
        read_look(&geom, link);
    }
    const bool heavy = !weighed && index > 0 && geom.group >= reader->model->mass_groups[0] &&
                       geom.group <= reader->model->mass_groups[1];
    const bool seen_only = geom.shape.category == 0 && geom.shape.collide == 0;
    // The mesh of a geom without contacts and mass is read later, for drawing.
    if ((seen_only && !heavy && !geom.primitive) || !read_shape(&geom)) {
        return;
    }
    if (geom.primitive || geom.type == HFIELD) {
        read_look(&geom, link);
    }
    const char* shell = heavy ? poise__tag_text(geom.from, "shellinertia") : NULL;
    if ((shell && strcmp(shell, "true") == 0) || (heavy && geom.shell)) {
        poise__robot_note(&reader->base, POISE_WARNING, part->element,
                          "has the inertia of a shell, which is not read: it weighs as a solid");
    }
    if (heavy) {
        const double mass = geom.mass >= 0.0 ? geom.mass : geom.density * geom.solid.mass;
        link->mass = poise__mass_sum(link->mass, poise__mass_scaled(geom.solid, mass));
    }
    poise__robot_add_shape(link, geom.shape, geom.solid);
}

// ---------------------------------------------------------------------------------------- inertial

static void read_inertial(MjcfReader* reader, const MjcfPart* part, RobotLink* link) {
    const Element* element = part->element;
    const Source from = {&reader->base, element, NULL};
    const PoisePose pose = poise_pose_mul(part->frame, poise__mjcf_pose(reader, from));
    const bool diagonal = poise__element_find(element, "diaginertia") != NULL;
    MassProperties body = {0.0, {0.0, 0.0, 0.0}, {0.0}};
    if (!poise__tag_needed_numbers(&reader->base, element, "mass", &body.mass, 1) ||
        !poise__tag_numbers(from, diagonal ? "diaginertia" : "fullinertia", body.inertia,
                            diagonal ? 3 : 6)) {
        return;
    }
    if (!(body.mass >= 0.0)) {
        poise__robot_refuse(&reader->base, element->mark, "an inertial's mass must be at least 0");
        return;
    }
    double moments[3];
    poise__inertia_principal(body.inertia, moments, NULL);
    if (reader->model->balance && moments[0] + moments[1] < moments[2]) {
        // `balanceinertia` of MuJoCo's compiler replaces impossible moments by their mean.
        const double mean = (moments[0] + moments[1] + moments[2]) / 3.0;
        const double round[6] = {mean, mean, mean, 0.0, 0.0, 0.0};
        memcpy(body.inertia, round, sizeof round);
    }
    poise__robot_repair_inertia(&reader->base, element, link->name, &body);
    link->mass = poise__mass_moved(body, pose);
}

void poise__mjcf_read_shapes(MjcfReader* reader, const MjcfParts* parts, int index) {
    RobotLink* link = &reader->base.robot->links[index];
    const MjcfPart* inertial = NULL;
    int geoms = 0;
    for (int i = 0; i < parts->count; i++) {
        const MjcfPart* part = &parts->items[i];
        geoms += poise__tag_is(part->element, "geom") ? 1 : 0;
        const bool found = poise__tag_is(part->element, "inertial");
        if (found && inertial) {
            poise__robot_refuse(&reader->base, part->element->mark,
                                "a second <inertial> of one body, the first in line %d",
                                inertial->element->mark.line);
        }
        inertial = found && !part->model->mass_from_geoms ? part : inertial;
    }
    link->shapes = poise__arena_allocate(reader->base.arena, (size_t)geoms, sizeof *link->shapes);
    link->looks = poise__arena_allocate(reader->base.arena, (size_t)geoms, sizeof *link->looks);
    for (int i = 0; link->shapes && link->looks && i < parts->count; i++) {
        const MjcfPart* part = &parts->items[i];
        poise__mjcf_enter(reader, part->model);
        if (poise__tag_is(part->element, "geom")) {
            read_geom(reader, part, index, inertial != NULL);
        }
    }
    if (inertial) {
        poise__mjcf_enter(reader, inertial->model);
        read_inertial(reader, inertial, link);
    }
    link->has_inertial = link->mass.mass > 0.0;
}
