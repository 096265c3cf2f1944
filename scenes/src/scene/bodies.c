// SPDX-License-Identifier: MIT
// Bodies and frames, and the joints that the scene itself writes.
#include <string.h>

#include "builder.h"

int poise__build_find_frame(const Builder* builder, const char* name) {
    return poise__names_find(&builder->frame_names, name);
}

int poise__build_find_joint(const Builder* builder, const char* name) {
    return poise__names_find(&builder->joint_names, name);
}

bool poise__build_is_lost(const Builder* builder, const char* name) {
    for (int i = 0; i < builder->spec->robots.count; i++) {
        const RobotSpec* robot = &builder->spec->robots.items[i];
        size_t length = strlen(robot->header.name);
        if (robot->lost && strncmp(robot->header.name, name, length) == 0 && name[length] == '/') {
            return true;
        }
    }
    for (int i = 0; i < builder->lost_count; i++) {
        if (strcmp(builder->lost[i], name) == 0) {
            return true;
        }
    }
    return false;
}

void poise__build_lose(Builder* builder, const char* name) {
    const char** lost = poise__arena_grow(builder->arena, &builder->lost, builder->lost_count,
                                          &builder->lost_capacity, sizeof *lost);
    if (lost) {
        lost[builder->lost_count++] = name;
    }
}

int poise__build_need_frame(Builder* builder, const char* name, PoiseMark mark) {
    int frame = poise__build_find_frame(builder, name);
    if (frame >= 0 || poise__build_is_lost(builder, name)) {
        return frame;
    }
    Suggestion suggestion = poise__suggestion_for(builder->diagnostics, name);
    for (int i = 0; i < builder->frame_count; i++) {
        poise__suggestion_offer_path(&suggestion, builder->frames[i].name);
    }
    char guess[160];
    poise__diagnose(builder->diagnostics, POISE_ERROR, mark, "there is no body '%.60s'%s", name,
                    poise__suggestion_text(&suggestion, guess, sizeof guess));
    return -1;
}

// said once
static void refuse_more(Builder* builder, PoiseMark mark, const char* what, int most) {
    if (!builder->overfull) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, mark, "a scene has at most %d %s", most,
                        what);
    }
    builder->overfull = true;
}

int poise__build_add_frame(Builder* builder, const char* name, PoiseMark mark, int body,
                           PoisePose in_body) {
    int taken = poise__build_find_frame(builder, name);
    if (taken >= 0) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, mark,
                        "a second body is named '%.60s', the first in line %d", name,
                        builder->bodies[builder->frames[taken].body].mark.line);
        return -1;
    }
    PoiseSceneFrame* frames =
        poise__arena_grow(builder->arena, &builder->frames, builder->frame_count,
                          &builder->frame_capacity, sizeof *frames);
    if (!frames || !poise__names_add(&builder->frame_names, name, builder->frame_count)) {
        return -1;
    }
    PoiseSceneFrame frame = {name, body, in_body};
    frames[builder->frame_count] = frame;
    return builder->frame_count++;
}

int poise__build_add_body(Builder* builder, const PoiseSceneBody* body) {
    if (builder->body_count >= MOST_BODIES) {
        refuse_more(builder, body->mark, "bodies, those of robots included", MOST_BODIES);
        return -1;
    }
    PoiseSceneBody* bodies =
        poise__arena_grow(builder->arena, &builder->bodies, builder->body_count,
                          &builder->body_capacity, sizeof *bodies);
    if (!bodies) {
        return -1;
    }
    bodies[builder->body_count] = *body;
    bodies[builder->body_count].group = -1;
    bodies[builder->body_count].joint = -1;
    return builder->body_count++;
}

int poise__build_add_joint(Builder* builder, const PoiseSceneJoint* joint) {
    int taken = poise__build_find_joint(builder, joint->name);
    if (taken >= 0) {
        poise__diagnose(builder->diagnostics, POISE_ERROR, joint->mark,
                        "a second joint is named '%.60s', the first in line %d", joint->name,
                        builder->joints[taken].mark.line);
        return -1;
    }
    if (builder->joint_count >= MOST_JOINTS) {
        refuse_more(builder, joint->mark, "joints that move, those of robots included",
                    MOST_JOINTS);
        return -1;
    }
    PoiseSceneJoint* joints =
        poise__arena_grow(builder->arena, &builder->joints, builder->joint_count,
                          &builder->joint_capacity, sizeof *joints);
    if (!joints || !poise__names_add(&builder->joint_names, joint->name, builder->joint_count)) {
        return -1;
    }
    joints[builder->joint_count] = *joint;
    return builder->joint_count++;
}

// ---------------------------------------------------------------------------------------- bodies

// the shortest turn that takes z to the direction; half a turn about x where it points down
static PoiseQuat turn_z_to(PoiseVec3 direction) {
    double length = poise_length(direction);
    if (!(length > 0.0)) {
        return poise_quat_identity();
    }
    PoiseVec3 to = poise_scale(1.0 / length, direction);
    // half-angle form: (1 + cos, axis sin), normalised; both vanish at half a turn
    if (to.z < -1.0 + 1e-12) {
        return poise_quat(0.0, 1.0, 0.0, 0.0);
    }
    return poise_quat_normalize(poise_quat(1.0 + to.z, -to.y, to.x, 0.0));
}

static void refuse_body(Builder* builder, const BodySpec* spec, const char* key, const char* text) {
    PoiseMark mark = key ? poise__value_mark(spec->header.element, key) : spec->header.mark;
    poise__diagnose(builder->diagnostics, POISE_ERROR, mark, "body '%.60s': %s", spec->header.name,
                    text);
}

// a capsule's or cylinder's length and pose, from its ends or from its middle
static void place_round(Builder* builder, const BodySpec* spec, PoiseSceneBody* body,
                        PoiseSceneShape* shape) {
    const Element* element = spec->header.element;
    bool from = poise__is_written(element, "from");
    bool to = poise__is_written(element, "to");
    bool length = poise__is_written(element, "length");
    bool at = poise__is_written(element, "at");
    if (from != to || from == length) {
        refuse_body(builder, spec, NULL, "a capsule or cylinder has 'from' and 'to', or 'length'");
        return;
    }
    if (length) {
        return;
    }
    if (at || poise__is_written(element, "rotation")) {
        refuse_body(builder, spec, at ? "at" : "rotation",
                    "with 'from' and 'to' its place is known: leave out 'at' and 'rotation'");
        return;
    }
    PoiseVec3 along = poise_sub(spec->to, spec->from);
    shape->size.y = poise_length(along);
    if (!(shape->size.y > 0.0)) {
        refuse_body(builder, spec, "to", "'from' and 'to' are the same place");
    }
    body->pose.p = poise_scale(0.5, poise_add(spec->from, spec->to));
    body->pose.q = turn_z_to(along);
}

// 0, with an error, unless one key says it
static PoiseShapeKind shape_kind(Builder* builder, const BodySpec* spec) {
    static const char* const keys[] = {"box", "sphere", "capsule", "cylinder"};
    static const PoiseShapeKind kinds[] = {POISE_SHAPE_BOX, POISE_SHAPE_SPHERE, POISE_SHAPE_CAPSULE,
                                           POISE_SHAPE_CYLINDER};
    const int given = poise__written_count(spec->header.element, keys, 4);
    for (int i = 0; i < 4 && given == 1; i++) {
        if (poise__is_written(spec->header.element, keys[i])) {
            return kinds[i];
        }
    }
    refuse_body(builder, spec, NULL,
                given == 0 ? "one of 'box', 'sphere', 'capsule', 'cylinder' must say what it is"
                           : "only one of 'box', 'sphere', 'capsule', 'cylinder' may be there");
    return (PoiseShapeKind)0;
}

static void complete_shape(Builder* builder, const BodySpec* spec, PoiseSceneBody* body,
                           PoiseSceneShape* shape) {
    static const char* const round_keys[] = {"from", "to", "length"};
    shape->kind = shape_kind(builder, spec);
    if (shape->kind == POISE_SHAPE_CAPSULE || shape->kind == POISE_SHAPE_CYLINDER) {
        place_round(builder, spec, body, shape);
        return;
    }
    for (int i = 0; i < 3 && shape->kind; i++) {
        if (poise__is_written(spec->header.element, round_keys[i])) {
            refuse_body(builder, spec, round_keys[i],
                        "'from', 'to' and 'length' belong to capsules and cylinders");
        }
    }
}

static void build_body(Builder* builder, const BodySpec* spec) {
    static const char* const weights[] = {"mass", "density"};
    PoiseSceneShape* shape = poise__arena_allocate(builder->arena, 1, sizeof *shape);
    if (!shape) {
        return;
    }
    PoiseSceneBody body = spec->body;
    body.name = spec->header.name;
    body.mark = spec->header.mark;
    body.shapes = shape;
    body.shape_count = 1;
    *shape = spec->shape;
    shape->in_body = poise_pose_identity();
    shape->category = UINT32_MAX;
    shape->collide = UINT32_MAX;
    if (!spec->header.broken) {
        complete_shape(builder, spec, &body, shape);
        if (poise__written_count(spec->header.element, weights, 2) == 2) {
            refuse_body(builder, spec, "density", "'mass' and 'density' say the same thing twice");
        }
    }
    MassProperties mass = poise__mass_of_shape(shape, spec->density);
    if (body.mass > 0.0) {
        mass = poise__mass_scaled(mass, body.mass);
    }
    poise__inertia_repair(mass.inertia);
    body.mass = mass.mass;
    body.com = mass.com;
    memcpy(body.inertia, mass.inertia, sizeof body.inertia);

    int index = poise__build_add_body(builder, &body);
    if (index >= 0) {
        poise__build_add_frame(builder, body.name, body.mark, index, poise_pose_identity());
    }
}

Silence poise__build_begin(Builder* builder, Header* header, bool mute) {
    Silence silence = {builder->diagnostics, header, 0};
    silence.errors = poise_diagnostics_count(builder->diagnostics, POISE_ERROR);
    builder->diagnostics = mute ? NULL : builder->diagnostics;
    return silence;
}

void poise__build_end(Builder* builder, const Silence* silence) {
    bool mute = !builder->diagnostics;
    builder->diagnostics = silence->diagnostics;
    int errors = poise_diagnostics_count(builder->diagnostics, POISE_ERROR);
    silence->header->broken = silence->header->broken || mute || errors > silence->errors;
}

void poise__build_bodies(Builder* builder) {
    BodySpec* items = builder->spec->bodies.items;
    for (int i = 0; i < builder->spec->bodies.count; i++) {
        int origin = items[i].header.mirrored_from - 1;
        bool mute = origin >= 0 && items[origin].header.broken;
        Silence silence = poise__build_begin(builder, &items[i].header, mute);
        build_body(builder, &items[i]);
        poise__build_end(builder, &silence);
    }
}
