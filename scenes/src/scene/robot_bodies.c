// SPDX-License-Identifier: MIT
// Builds robots: merges links that fixed joints connect into bodies, and makes a frame for each
// link, named robot/link. robot_joints.c builds the robot's joints.
#include <math.h>
#include <string.h>

#include "file_path.h"
#include "input.h"
#include "robot_builder.h"

// Density of a link without mass, kg/m^3: water's.
#define ASSUMED_DENSITY 1000.0
// Mass (kg) and radius (m) of the ball that replaces the missing mass and inertia of a moving link.
#define BALL_MASS   0.01
#define BALL_RADIUS 0.05
// Least mass of a moving body, as a fraction of its robot's: lighter ones make steps of any length
// unstable.
#define MIN_MASS_PART 1e-6

// Least moment of inertia of a body at which a weld closes a loop, as a fraction of the robot's
// mass times the square of its size. Below 1e-7 the exact step is singular, for example with
// ToddlerBot's own rods of 1e-9 kg m^2.
#define MIN_LOOP_INERTIA_PART 3e-7

// Largest size of the files of all robots of a scene, bytes.
#define MOST_ROBOT_BYTES ((size_t)32 * 1024 * 1024)

static bool floats(const RobotJoint* joint) {
    return joint && joint->kind == ROBOT_FLOATING;
}

// ---------------------------------------------------------------------------------------- bodies

static bool has_inertia(const MassProperties* mass) {
    return mass->inertia[0] > 0.0 || mass->inertia[1] > 0.0 || mass->inertia[2] > 0.0;
}

// Returns the mass properties of a link: those of its <inertial>, with missing values from its
// shapes.
static MassProperties mass_of_link(RobotBuilder* robot, const RobotLink* link, bool fixed) {
    if (!link->has_inertial) {
        MassProperties mass = poise__mass_scaled(link->solid, ASSUMED_DENSITY * link->solid.mass);
        if (mass.mass > 0.0 && !fixed) {
            robot->weighed = robot->weighed ? robot->weighed : link;
            robot->weighed_count++;
            robot->weighed_mass += mass.mass;
        }
        return mass;
    }
    MassProperties mass = link->mass;
    if (!has_inertia(&mass)) {
        PoiseVec3 com = mass.com;
        mass = poise__mass_scaled(link->solid, link->mass.mass);
        if (!has_inertia(&mass)) {
            double moment = 0.4 * link->mass.mass * BALL_RADIUS * BALL_RADIUS;
            mass.inertia[0] = mass.inertia[1] = mass.inertia[2] = moment;
            mass.mass = link->mass.mass;
        }
        mass.com = com;
        if (!fixed) {
            NOTE_KIND(robot->builder, "no inertia", link->mark,
                      "link '%.60s' has no inertia: assumed from its shapes", link->name);
        }
    }
    return mass;
}

static void set_mass(const RobotBuilder* robot, PoiseSceneBody* body, MassProperties mass,
                     const RobotLink* first) {
    double ball = 0.4 * BALL_RADIUS * BALL_RADIUS;
    double least = MIN_MASS_PART * robot->total_mass;
    if (!(mass.mass > 0.0)) {
        MassProperties small = {BALL_MASS, {0.0, 0.0, 0.0}, {0.0}};
        mass = small;
        if (!body->fixed) {
            WARN_KIND(robot->builder, "weighs nothing", first->mark,
                      "link '%.60s' moves and weighs nothing: %g kg assumed", first->name,
                      BALL_MASS);
        }
    } else if (mass.mass < least && !body->fixed) {
        WARN_KIND(robot->builder, "dust", first->mark,
                  "link '%.60s' moves and weighs %g kg, nothing beside the robot's %.3g: "
                  "%.2g kg assumed",
                  first->name, mass.mass, robot->total_mass, least);
        mass.mass = least;
        memset(mass.inertia, 0, sizeof mass.inertia);
    }
    if (!has_inertia(&mass)) {
        mass.inertia[0] = mass.inertia[1] = mass.inertia[2] = ball * mass.mass;
    }
    body->mass = mass.mass;
    body->com = mass.com;
    poise__inertia_repair(mass.inertia);
    memcpy(body->inertia, mass.inertia, sizeof body->inertia);
}

// Returns the size of the robot, m: the diagonal of the box around its links.
static double size_of(const Robot* urdf) {
    PoiseVec3 low = urdf->links[0].pose.p;
    PoiseVec3 high = low;
    for (int i = 1; i < urdf->link_count; i++) {
        const PoiseVec3 p = urdf->links[i].pose.p;
        low = poise_vec3(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = poise_vec3(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    return poise_length(poise_sub(high, low));
}

// Raises the moments of inertia of bodies at which welds close loops to at least
// MIN_LOOP_INERTIA_PART of the robot's mass times its size squared.
static void stiffen_loops(const RobotBuilder* robot) {
    const Robot* urdf = robot->robot;
    const double size = size_of(urdf);
    const double least = MIN_LOOP_INERTIA_PART * robot->total_mass * size * size;
    for (int i = 0; i < urdf->closure_count; i++) {
        const int links[2] = {urdf->closures[i].a, urdf->closures[i].b};
        for (int k = 0; k < 2 && urdf->closures[i].weld; k++) {
            PoiseSceneBody* body = &robot->builder->bodies[robot->body_of_link[links[k]]];
            double moments[3];
            poise__inertia_principal(body->inertia, moments, NULL);
            for (int axis = 0; axis < 3 && moments[0] < least && !body->fixed; axis++) {
                body->inertia[axis] += least - moments[0];
            }
        }
    }
}

// Adds the visual shapes of the body's links.
static void add_looks(RobotBuilder* robot, int link) {
    Builder* builder = robot->builder;
    const RobotLink* part = &robot->robot->links[link];
    for (int i = 0; i < part->look_count; i++) {
        if (!ARENA_GROW(builder->arena, builder, looks, look)) {
            return;
        }
        PoiseSceneLook* look = &builder->looks[builder->look_count++];
        *look = part->looks[i];
        look->body = robot->body_of_link[link];
        look->in_body = poise_pose_mul(robot->in_body[link], look->in_body);
    }
}

// True if the file gives the mass of one of the body's links. Its other links, such as frames for
// tools and sensors, then have no mass.
static bool is_weighed(const RobotBuilder* robot, int body) {
    const Robot* urdf = robot->robot;
    for (int i = 0; i < urdf->link_count; i++) {
        if (robot->body_of_link[i] == body && urdf->links[i].has_inertial) {
            return true;
        }
    }
    return false;
}

// Sums the masses and collects the shapes of the body's links.
static void fill_body(RobotBuilder* robot, int index, PoiseSceneBody* body) {
    const Robot* urdf = robot->robot;
    MassProperties mass = {0.0, {0.0, 0.0, 0.0}, {0.0}};
    const RobotLink* first = NULL;
    const bool weighed = is_weighed(robot, index);
    int shapes = 0;
    for (int i = 0; i < urdf->link_count; i++) {
        shapes += robot->body_of_link[i] == index ? urdf->links[i].shape_count : 0;
    }
    PoiseSceneShape* all =
        poise__arena_allocate(robot->builder->arena, (size_t)shapes, sizeof *all);
    if (!all) {
        return;
    }
    for (int i = 0; i < urdf->link_count; i++) {
        int link = urdf->order[i];
        if (robot->body_of_link[link] != index) {
            continue;
        }
        const RobotLink* part = &urdf->links[link];
        first = first ? first : part;
        add_looks(robot, link);
        if (part->has_inertial || !weighed) {
            MassProperties own = mass_of_link(robot, part, body->fixed);
            mass = poise__mass_sum(mass, poise__mass_moved(own, robot->in_body[link]));
        }
        for (int j = 0; j < part->shape_count; j++) {
            PoiseSceneShape shape = part->shapes[j];
            shape.in_body = poise_pose_mul(robot->in_body[link], shape.in_body);
            all[body->shape_count++] = shape;
        }
    }
    body->shapes = all;
    if (first) {
        set_mass(robot, body, mass, first);
    }
}

// True if moving joints depend on the link, a root or a floating link: it is then the base of a
// robot, not a single object.
static bool is_robot(const Robot* urdf, int base) {
    for (int i = 0; i < urdf->joint_count; i++) {
        int link = poise__robot_joint_moves(&urdf->joints[i]) ? urdf->joints[i].parent : -1;
        while (link >= 0 && link != base) {
            int carrier = urdf->links[link].joint;
            link =
                carrier < 0 || floats(&urdf->joints[carrier]) ? -1 : urdf->joints[carrier].parent;
        }
        if (link >= 0) {
            return true;
        }
    }
    return false;
}

int poise__robot_floating_base(const Robot* urdf) {
    for (int i = 0; i < urdf->joint_count; i++) {
        const RobotJoint* joint = &urdf->joints[i];
        if (poise__robot_is_base(urdf, joint) && is_robot(urdf, joint->child)) {
            return i;
        }
    }
    return -1;
}

// True if the body whose first link is `link` belongs to the world. A floating base is free if the
// scene says so; a floating object is always free. The link in which a base floats belongs to the
// world.
static bool is_fixed(const RobotBuilder* robot, int link) {
    const Robot* urdf = robot->robot;
    const RobotJoint* joint =
        urdf->links[link].joint >= 0 ? &urdf->joints[urdf->links[link].joint] : NULL;
    bool bolted = robot->spec->base == ROBOT_BASE_FIXED;
    if (floats(joint)) {
        return bolted && poise__robot_is_base(urdf, joint) && is_robot(urdf, link);
    }
    bool world = false;
    for (int i = 0; i < urdf->joint_count && !joint; i++) {
        world = world || poise__robot_is_base(urdf, &urdf->joints[i]);
    }
    return !joint && (bolted || world);
}

// Makes each link a new body, or a part of its parent's body if a fixed joint connects them.
static bool weld(RobotBuilder* robot) {
    Builder* builder = robot->builder;
    const Robot* urdf = robot->robot;
    size_t count = (size_t)urdf->link_count;
    robot->body_of_link = poise__arena_allocate(builder->arena, count, sizeof(int));
    robot->in_body = poise__arena_allocate(builder->arena, count, sizeof(PoisePose));
    if (!robot->body_of_link || !robot->in_body) {
        return false;
    }
    for (int i = 0; i < urdf->link_count; i++) {
        int link = urdf->order[i];
        const RobotLink* part = &urdf->links[link];
        const RobotJoint* joint = part->joint >= 0 ? &urdf->joints[part->joint] : NULL;
        if (joint && !poise__robot_joint_moves(joint) && !floats(joint)) {
            robot->body_of_link[link] = robot->body_of_link[joint->parent];
            robot->in_body[link] = poise_pose_mul(robot->in_body[joint->parent], joint->origin);
        } else {
            PoiseSceneBody body = {.name = poise__robot_qualify(robot, part->name),
                                   .mark = part->mark,
                                   .pose = poise_pose_mul(robot->spec->pose_world, part->pose),
                                   .fixed = is_fixed(robot, link),
                                   .gravity = true,
                                   .collides = true};
            robot->body_of_link[link] = poise__build_add_body(builder, &body);
            robot->in_body[link] = poise_pose_identity();
        }
        int body = robot->body_of_link[link];
        if (body < 0 || poise__build_add_frame(builder, poise__robot_qualify(robot, part->name),
                                               part->mark, body, robot->in_body[link]) < 0) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------- robots

// Reports an error if the scene would have too many joints.
static bool has_room(Builder* builder, const Robot* urdf) {
    int moving = 0;
    for (int i = 0; i < urdf->joint_count; i++) {
        moving += poise__robot_joint_moves(&urdf->joints[i]) || floats(&urdf->joints[i]);
    }
    if (builder->joint_count + moving > MAX_SCENE_JOINTS) {
        REFUSE(builder, urdf->mark,
               "a robot of %d joints that move: a scene has at most %d of them", moving,
               MAX_SCENE_JOINTS);
        return false;
    }
    return true;
}

// Writes the link's body, and which of the body's shapes are the link's, as fill_body orders them.
static void find_shapes(const RobotBuilder* robot, int link, PoiseSceneExclusion* pair, int end) {
    const Robot* urdf = robot->robot;
    pair->body[end] = robot->body_of_link[link];
    pair->first[end] = 0;
    pair->count[end] = urdf->links[link].shape_count;
    for (int i = 0; i < urdf->link_count && urdf->order[i] != link; i++) {
        const int before = urdf->order[i];
        if (robot->body_of_link[before] == pair->body[end]) {
            pair->first[end] += urdf->links[before].shape_count;
        }
    }
}

static void add_exclusions(RobotBuilder* robot) {
    Builder* builder = robot->builder;
    for (int i = 0; i < robot->robot->exclusion_count; i++) {
        if (!ARENA_GROW(builder->arena, builder, exclusions, exclusion)) {
            return;
        }
        PoiseSceneExclusion* pair = &builder->exclusions[builder->exclusion_count++];
        find_shapes(robot, robot->robot->exclusions[i].a, pair, 0);
        find_shapes(robot, robot->robot->exclusions[i].b, pair, 1);
    }
}

static void add_robot(Builder* builder, const RobotSpec* spec, const Robot* urdf) {
    RobotBuilder robot = {.builder = builder, .spec = spec, .robot = urdf};
    int first_body = builder->body_count;
    if (!weld(&robot)) {
        return;
    }
    for (int i = 0; i < urdf->link_count; i++) {
        robot.total_mass += urdf->links[i].mass.mass;
    }
    for (int i = first_body; i < builder->body_count; i++) {
        fill_body(&robot, i, &builder->bodies[i]);
    }
    add_exclusions(&robot);
    stiffen_loops(&robot);
    if (robot.weighed) {
        WARN(builder, robot.weighed->mark,
             "link '%.60s' has no mass%s: %.3g kg assumed from the shapes%s", robot.weighed->name,
             robot.weighed_count > 1 ? ", nor have others" : "", robot.weighed_mass,
             robot.weighed_count > 1 ? " of all of them" : "");
    }
    poise__robot_build_joints(&robot);
    poise__robot_build_mimics(&robot);
}

bool poise__build_may_read(Builder* builder, const char* file, const char* path, PoiseMark mark) {
    const bool may = poise__input_is_inside(builder->fence, file, path);
    if (!may) {
        REFUSE(builder, mark,
               "'%.200s' lies outside of the scene's folder, and a scene that is not "
               "trusted reads nothing from there",
               file);
    }
    return may;
}

static const Robot* read_robot(Builder* builder, const char* path, const char* text, size_t size,
                               RobotCollision collision) {
    Document document = {.arena = builder->arena,
                         .diagnostics = builder->diagnostics,
                         .file = path,
                         .fence = builder->fence,
                         .packages = builder->packages,
                         .hulls = collision == ROBOT_COLLISION_HULL,
                         .mesh_cache = builder->mesh_cache,
                         .mesh_cost = builder->without_meshes ? NULL : &builder->mesh_cost};
    return poise__robot_read(&document, text, size);
}

// Returns the robot's only file, and the key that names the file.
static const char* robot_file(Builder* builder, const RobotSpec* spec, const char** key) {
    static const char* const keys[3] = {"urdf", "mjcf", "dh"};
    const char* const files[3] = {spec->urdf, spec->mjcf, spec->dh};
    const char* file = NULL;
    for (int i = 0; i < 3; i++) {
        if (files[i] && file) {
            REFUSE(builder, poise__value_mark(spec->header.element, keys[i]),
                   "robot '%.60s' has an '%s' already: one file is enough", spec->header.name,
                   *key);
        } else if (files[i]) {
            file = files[i];
            *key = keys[i];
        }
    }
    if (!spec->header.broken && !file) {
        REFUSE(builder, spec->header.mark, "'urdf' or 'mjcf' is missing in robot '%.60s': its file",
               spec->header.name);
    }
    return file;
}

void poise__build_robots(Builder* builder) {
    for (int i = 0; i < builder->spec->robots.count; i++) {
        builder->spec->robots.items[i].header = builder->spec->robots.headers[i];
    }
    for (int i = 0; i < builder->spec->robots.count; i++) {
        RobotSpec* spec = &builder->spec->robots.items[i];
        const char* key = NULL;
        const char* file = robot_file(builder, spec, &key);
        const char* path = file ? poise__path_beside(builder->arena, builder->path, file) : NULL;
        spec->lost = true;
        if (!path) {
            continue;
        }
        size_t size = 0;
        PoiseMark mark = poise__value_mark(spec->header.element, key);
        const char* text =
            poise__build_may_read(builder, file, path, mark)
                ? poise__file_read(builder->arena, path, &size, mark, builder->diagnostics)
                : NULL;
        builder->robot_bytes += text ? size : 0;
        if (builder->robot_bytes > MOST_ROBOT_BYTES) {
            REFUSE(builder, mark, "the robots of a scene are larger than 32 MB together");
            return;
        }
        const Robot* urdf = text ? read_robot(builder, path, text, size, spec->collision) : NULL;
        if (urdf && has_room(builder, urdf)) {
            spec->lost = false;
            add_robot(builder, spec, urdf);
        }
    }
}

const Robot* poise__build_alone_robot(Builder* builder, const char* text, size_t size) {
    static const Element nothing = {.kind = ELEMENT_MAP, .text = ""};
    RobotSpec* spec = poise__arena_allocate(builder->arena, 1, sizeof *spec);
    // The user named this file, so findings may show its lines.
    poise_diagnostics_add_source(builder->diagnostics, builder->path, text, size);
    const Robot* urdf =
        spec ? read_robot(builder, builder->path, text, size, ROBOT_COLLISION_FIT) : NULL;
    if (!urdf || !has_room(builder, urdf)) {
        return NULL;
    }
    *spec = poise__default_robot_spec();
    spec->header.name = "";
    spec->header.element = &nothing;
    spec->header.mark = urdf->mark;
    spec->alone = true;
    spec->base = poise__robot_floating_base(urdf) >= 0 ? ROBOT_BASE_FREE : ROBOT_BASE_FIXED;
    builder->spec->scene.title = urdf->name;
    add_robot(builder, spec, urdf);
    return urdf;
}
